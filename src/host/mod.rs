//! The one door to a machine: everything that collectors learn goes through [`Host`].
//!
//! Knows files, tools and ioctls; does not know what a disk is. Every verb only reads: a command that could
//! change something cannot be put into words here.

#[macro_use]
mod question;
mod archive;
mod disk;
mod errno;
mod ioctl;
mod live;
mod manifest;
mod netlink;
mod record;
mod replay;
mod tool;
mod tree;
mod workers;

pub use live::Live;
pub use question::{Answer, Outcome, Question};
pub use record::Record;
pub use replay::{OpenCause, OpenError, Replay};
pub use tree::Entry;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// The verbs by which a machine is asked. Paths are absolute, as the machine itself names them.
///
/// A live machine, a recording, and a recorder around either answer alike: whoever holds a `&dyn Host` cannot
/// tell which it is.
pub trait Host: Sync {
    /// The whole content of a file.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; a file longer than [`Limits::FILE_BYTES`] is `TooLarge`, never cut; a device node is
    /// `NotSupported`. A sysfs attribute that the driver refuses (`speed` of a link that is down gives `EINVAL`) is
    /// `Io` with the cause in words.
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError>;

    /// The names in a folder, sorted, without `.` and `..`.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; a file is `NotFound`, as a path through a file is; a name that is not UTF-8 makes the
    /// whole folder `Malformed`.
    fn list(&self, path: &str) -> Result<Listing, HostError>;

    /// The target of a symbolic link, as it is written in the link.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; a path that is no link is `NotSupported`.
    fn read_link(&self, path: &str) -> Result<String, HostError>;

    /// What a tool prints, run with a fixed argument list, `LC_ALL=C` and no standard input. It ends when both of its
    /// outputs are closed and it has exited.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; an exit status other than 0 is not an error here. One that takes longer than its limit is
    /// killed with its process group and given up on.
    fn run(&self, call: &ToolCall) -> Result<ToolOutput, HostError>;

    /// An NVMe admin command that reads. If the status is not 0 there is no data.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; a status that the controller returns is not an error here. A log page with a log specific
    /// parameter other than Asymmetric Namespace Access (0Ch) is `NotSupported`, for some do something then.
    fn nvme_admin(&self, device: &str, command: &NvmeAdmin) -> Result<NvmeAnswer, HostError>;

    /// An ethtool question by ioctl (`SIOCETHTOOL`): the request structure in, the answered structure out, as long as
    /// the request.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; a command that could change something is `NotSupported`; an answer that has more elements
    /// (statistics, strings) than the request has room for is `TooLarge`.
    fn ethtool(&self, interface: &str, request: &[u8]) -> Result<Vec<u8>, HostError>;

    /// A netlink dump or get: one request message in, all messages of the answer out, each with its header and
    /// without the acknowledgement or `NLMSG_DONE` at the end.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; a message that could change something is `NotSupported`. A dump during which things changed
    /// (`NLM_F_DUMP_INTR`) is begun anew, at most twice.
    fn netlink(&self, family: NetlinkFamily, request: &[u8]) -> Result<Vec<Vec<u8>>, HostError>;

    /// Bytes of a block device at an offset, opened read-only. Fewer than asked for only at the device's end.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; more than [`Limits::DEVICE_BYTES`] at once is `TooLarge`.
    fn read_device(&self, device: &str, offset: u64, length: u32) -> Result<Vec<u8>, HostError>;

    /// The machine's wall clock.
    ///
    /// # Errors
    /// `NotInCapture` for a recording that did not keep it.
    fn now(&self) -> Result<jiff::Timestamp, HostError>;

    /// What the kernel keeps of its clock's synchronisation: `clock_adjtime(2)` of `CLOCK_REALTIME` with no mode set, which
    /// changes nothing and needs no privilege.
    ///
    /// # Errors
    /// See [`HostErrorKind`]; `NotInCapture` for a recording that did not keep it.
    fn clock_state(&self) -> Result<ClockState, HostError>;
}

/// The bounds of every call.
pub struct Limits;

impl Limits {
    /// Longest file that is read, in bytes. The largest file that collectors ask for, `/proc/cpuinfo` of a
    /// machine with 2048 threads, is some 3 MB.
    pub const FILE_BYTES: usize = 16 << 20;
    /// Longest output of a tool, in bytes, standard output and standard error each.
    pub const TOOL_BYTES: usize = 16 << 20;
    /// Most bytes of one positioned read of a device.
    pub const DEVICE_BYTES: u32 = 4 << 20;
    /// Most names in one folder.
    pub const NAMES: usize = 100_000;
    /// How long a file, folder or link may take.
    pub const FILE_TIME: Duration = Duration::from_secs(5);
    /// How long an ioctl, a netlink answer or a device read may take.
    pub const DEVICE_TIME: Duration = Duration::from_secs(10);
}

/// The cause of every refusal to read a link that is none, live and replayed.
const NOT_A_LINK: &str = "not a symbolic link";

/// The cause of every call to a program that is not installed.
const NO_SUCH_PROGRAM: &str = "no such program";

/// The cause of every call that took too long.
fn no_answer_within(limit: Duration) -> String {
    format!("no answer within {} s", limit.as_secs_f64())
}

/// The error of a call that a helper thread did not bring to an end.
fn undone(question: &Question, undone: workers::Undone, limit: Duration) -> HostError {
    match undone {
        workers::Undone::TimedOut => question.error(HostErrorKind::TimedOut, no_answer_within(limit)),
        workers::Undone::TooManyHang => {
            question.error(HostErrorKind::TimedOut, "not asked, for too many earlier calls still hang")
        }
        workers::Undone::NoThread => question.error(HostErrorKind::Io, "no thread could be started for it"),
    }
}

/// The cause of every refusal of a folder with more than [`Limits::NAMES`] names.
fn too_many_names() -> String {
    format!("more than the limit of {} names", Limits::NAMES)
}

/// The names in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// Sorted, without `.` and `..`.
    pub names: Vec<String>,
    /// Whether these are known to be all: a tree that somebody copied may lack some.
    pub complete: bool,
}

/// A tool to run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolCall {
    /// The program's name, looked for in the system's folders of programs, then its arguments.
    pub argv: Vec<String>,
    /// How long it may take.
    pub time: Duration,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolOutput {
    /// The exit status; `None` if a signal ended it or the recording does not say.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
}

/// An NVMe admin command that only reads (NVM Express Base Specification 2.0, section 5). Its JSON is part of `muster.capture/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum NvmeAdmin {
    /// Identify (opcode 06h).
    Identify {
        /// Controller or Namespace Structure, CDW10 bits 7:0.
        cns: u8,
        /// Namespace, or 0.
        nsid: u32,
    },
    /// Get Log Page (opcode 02h), with Retain Asynchronous Event set so that nothing is acknowledged.
    GetLogPage {
        /// Log Page Identifier, CDW10 bits 7:0.
        lid: u8,
        /// Log Specific Parameter, CDW10 bits 14:8.
        lsp: u8,
        /// Log Specific Identifier, CDW11 bits 31:16: the endurance group of log page 09h, else 0.
        #[serde(default, skip_serializing_if = "is_zero")]
        lsi: u16,
        /// Namespace, or FFFFFFFFh for the controller.
        nsid: u32,
        /// Bytes wanted; a multiple of 4.
        length: u32,
        /// Byte offset into the log; a multiple of 4.
        offset: u64,
    },
    /// Get Features (opcode 0Ah).
    GetFeatures {
        /// Feature Identifier, CDW10 bits 7:0.
        fid: u8,
        /// Select, CDW10 bits 10:8: 0 current, 1 default, 2 saved, 3 supported capabilities.
        sel: u8,
        /// CDW11.
        cdw11: u32,
        /// Namespace, or 0.
        nsid: u32,
        /// Bytes of the data buffer, 0 for none.
        length: u32,
    },
}

/// Whether a field need not be written.
fn is_zero(value: &u16) -> bool {
    *value == 0
}

/// What an NVMe controller answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NvmeAnswer {
    /// Status field as the driver returns it: 0 success, else status code type and code, bits 10:0.
    pub status: u16,
    /// Dword 0 of the completion entry.
    pub result: u32,
    /// The data buffer.
    pub data: Vec<u8>,
}

/// The kernel's clock discipline, of `struct timex` (`include/uapi/linux/timex.h`). Its JSON is part of `muster.capture/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ClockState {
    /// What the call returns: `TIME_OK` 0, `TIME_INS` 1, `TIME_DEL` 2, `TIME_OOP` 3, `TIME_WAIT` 4, `TIME_ERROR` 5.
    pub state: i32,
    /// `STA_` bits.
    pub status: i32,
    /// Maximum error in microseconds.
    pub maxerror: i64,
    /// Estimated error in microseconds.
    pub esterror: i64,
}

/// The netlink families that are asked. Its JSON is part of `muster.capture/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetlinkFamily {
    /// rtnetlink (links, addresses, DCB).
    Route,
    /// Generic netlink (ethtool, devlink).
    Generic,
    /// RDMA netlink.
    Rdma,
}

/// Why a call was not answered. Its JSON is part of `muster.capture/v1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HostErrorKind {
    /// Asked for, and not there (`ENOENT`, `ENOTDIR`, `ENODEV`, `ENXIO`).
    NotFound,
    /// `EACCES` or `EPERM`.
    PermissionDenied,
    /// The recording does not hold the answer.
    NotInCapture,
    /// No answer within the limit; the call was given up on.
    TimedOut,
    /// Larger than the cap.
    TooLarge,
    /// No such program.
    ToolMissing,
    /// The kernel does not offer it (`EOPNOTSUPP`, `ENOTTY`, `ENOSYS`, `EPROTONOSUPPORT`, `EAFNOSUPPORT`, `EINVAL` of a
    /// link), or this door does not let it through.
    NotSupported,
    /// The answer is not text, or a recording is damaged.
    Malformed,
    /// Any other failure.
    Io,
}

/// A call that was not answered: the operation, the kind, the cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostError {
    /// The operation and its object, as in "read /sys/block/sda/size".
    pub operation: String,
    /// The kind.
    pub kind: HostErrorKind,
    /// The cause in words, without repeating the operation.
    pub cause: String,
}

impl fmt::Display for HostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.operation, self.cause)
    }
}

impl std::error::Error for HostError {}
