//! A call of a [`Host`] as a value: what is recorded, and what a recording is asked.
//!
//! Also the words of each operation, so that live and replayed errors cannot differ in them.

use super::{
    ClockState, Host, HostError, HostErrorKind, Listing, NetlinkFamily, NvmeAdmin, NvmeAnswer, ToolCall, ToolOutput,
};
use std::time::Duration;

/// One question to a machine. The time limit of a tool is not part of it: it bounds the asking, not the answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Question {
    /// [`Host::now`].
    Now,
    /// [`Host::clock_state`].
    ClockState,
    /// [`Host::read`].
    Read(String),
    /// [`Host::list`].
    List(String),
    /// [`Host::read_link`].
    ReadLink(String),
    /// [`Host::run`]: program and arguments.
    Run(Vec<String>),
    /// [`Host::nvme_admin`]: device and command.
    NvmeAdmin(String, NvmeAdmin),
    /// [`Host::ethtool`]: interface and request structure.
    Ethtool(String, Vec<u8>),
    /// [`Host::netlink`]: family and request message.
    Netlink(NetlinkFamily, Vec<u8>),
    /// [`Host::read_device`]: device, offset and length.
    ReadDevice(String, u64, u32),
}

/// What a machine answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// To [`Question::Now`].
    Time(jiff::Timestamp),
    /// To [`Question::ClockState`].
    Clock(ClockState),
    /// To [`Question::Read`], [`Question::Ethtool`] and [`Question::ReadDevice`].
    Bytes(Vec<u8>),
    /// To [`Question::List`].
    Listing(Listing),
    /// To [`Question::ReadLink`].
    Target(String),
    /// To [`Question::Run`].
    Tool(ToolOutput),
    /// To [`Question::NvmeAdmin`].
    Nvme(NvmeAnswer),
    /// To [`Question::Netlink`].
    Messages(Vec<Vec<u8>>),
}

/// What became of a question.
pub type Outcome = Result<Answer, HostError>;

impl Question {
    /// The operation and its object in words, as [`HostError::operation`] has them.
    #[must_use]
    pub fn operation(&self) -> String {
        match self {
            Self::Now => "read the clock".to_owned(),
            Self::ClockState => "ask the kernel for the state of its clock".to_owned(),
            Self::Read(path) => format!("read {path}"),
            Self::List(path) => format!("list {path}"),
            Self::ReadLink(path) => format!("read link {path}"),
            Self::Run(argv) => format!("run {}", argv.join(" ")),
            Self::NvmeAdmin(device, command) => match command {
                NvmeAdmin::Identify { cns, nsid } => {
                    format!("ask {device} for NVMe Identify CNS {cns:02X}h, namespace {nsid:X}h")
                }
                NvmeAdmin::GetLogPage { lid, lsp, lsi, nsid, length, offset } => format!(
                    "ask {device} for NVMe Get Log Page {lid:02X}h, LSP {lsp:X}h, {}namespace {nsid:X}h, \
                     {length} bytes at {offset}",
                    if *lsi == 0 { String::new() } else { format!("LSI {lsi:X}h, ") }
                ),
                NvmeAdmin::GetFeatures { fid, sel, cdw11, nsid, length } => format!(
                    "ask {device} for NVMe Get Features {fid:02X}h, SEL {sel:X}h, CDW11 {cdw11:X}h, \
                     namespace {nsid:X}h, {length} bytes"
                ),
            },
            Self::Ethtool(interface, request) => match request.first_chunk() {
                Some(command) => format!("ask {interface} for ethtool command {:X}h", u32::from_ne_bytes(*command)),
                None => format!("ask {interface} for an ethtool command"),
            },
            Self::Netlink(family, request) => {
                let family = match family {
                    NetlinkFamily::Route => "rtnetlink",
                    NetlinkFamily::Generic => "generic netlink",
                    NetlinkFamily::Rdma => "RDMA netlink",
                };
                match request.get(4..6).and_then(|kind| kind.first_chunk()) {
                    Some(kind) => format!("ask {family} for message type {}", u16::from_ne_bytes(*kind)),
                    None => format!("ask {family}"),
                }
            }
            Self::ReadDevice(device, offset, length) => format!("read {length} bytes of {device} at {offset}"),
        }
    }

    /// This question, not answered.
    #[must_use]
    pub fn error(&self, kind: HostErrorKind, cause: impl Into<String>) -> HostError {
        HostError { operation: self.operation(), kind, cause: cause.into() }
    }

    /// Puts the question to a host.
    ///
    /// # Errors
    /// Those of the verb.
    pub fn put(&self, host: &dyn Host, tool_time: Duration) -> Outcome {
        Ok(match self {
            Self::Now => Answer::Time(host.now()?),
            Self::ClockState => Answer::Clock(host.clock_state()?),
            Self::Read(path) => Answer::Bytes(host.read(path)?),
            Self::List(path) => Answer::Listing(host.list(path)?),
            Self::ReadLink(path) => Answer::Target(host.read_link(path)?),
            Self::Run(argv) => Answer::Tool(host.run(&ToolCall { argv: argv.clone(), time: tool_time })?),
            Self::NvmeAdmin(device, command) => Answer::Nvme(host.nvme_admin(device, command)?),
            Self::Ethtool(interface, request) => Answer::Bytes(host.ethtool(interface, request)?),
            Self::Netlink(family, request) => Answer::Messages(host.netlink(*family, request)?),
            Self::ReadDevice(device, offset, length) => Answer::Bytes(host.read_device(device, *offset, *length)?),
        })
    }

    /// Whether an answer is of the type that this question has.
    pub(crate) fn fits(&self, answer: &Answer) -> bool {
        matches!(
            (self, answer),
            (Self::Now, Answer::Time(_))
                | (Self::ClockState, Answer::Clock(_))
                | (Self::Read(_) | Self::Ethtool(..) | Self::ReadDevice(..), Answer::Bytes(_))
                | (Self::List(_), Answer::Listing(_))
                | (Self::ReadLink(_), Answer::Target(_))
                | (Self::Run(_), Answer::Tool(_))
                | (Self::NvmeAdmin(..), Answer::Nvme(_))
                | (Self::Netlink(..), Answer::Messages(_))
        )
    }

    /// Refuses a path that is not absolute or that no kernel would take.
    pub(crate) fn check_path(&self, path: &str) -> Result<(), HostError> {
        if !path.starts_with('/') {
            return Err(self.error(HostErrorKind::NotSupported, "not an absolute path"));
        }
        if path.len() >= libc::PATH_MAX as usize {
            return Err(super::errno::failure(self.operation(), libc::ENAMETOOLONG));
        }
        if path.contains('\0') {
            return Err(self.error(HostErrorKind::NotSupported, "the path holds a NUL"));
        }
        Ok(())
    }

    /// The answer was longer than the cap.
    pub(crate) fn too_large(&self, cap: usize) -> HostError {
        self.error(HostErrorKind::TooLarge, format!("larger than the limit of {cap} bytes"))
    }
}

/// Gives a type the ten verbs of [`Host`] by its `answer(&self, &Question, Duration) -> Outcome`.
macro_rules! host_by_question {
    ($type:ty) => {
        impl $crate::host::Host for $type {
            fn read(&self, path: &str) -> Result<Vec<u8>, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::Read(path.to_owned()), Bytes)
            }
            fn list(&self, path: &str) -> Result<$crate::host::Listing, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::List(path.to_owned()), Listing)
            }
            fn read_link(&self, path: &str) -> Result<String, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::ReadLink(path.to_owned()), Target)
            }
            fn run(&self, call: &$crate::host::ToolCall) -> Result<$crate::host::ToolOutput, $crate::host::HostError> {
                let question = $crate::host::Question::Run(call.argv.clone());
                host_by_question!(self, question, Tool, call.time)
            }
            fn nvme_admin(
                &self,
                device: &str,
                command: &$crate::host::NvmeAdmin,
            ) -> Result<$crate::host::NvmeAnswer, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::NvmeAdmin(device.to_owned(), *command), Nvme)
            }
            fn ethtool(&self, interface: &str, request: &[u8]) -> Result<Vec<u8>, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::Ethtool(interface.to_owned(), request.to_vec()), Bytes)
            }
            fn netlink(
                &self,
                family: $crate::host::NetlinkFamily,
                request: &[u8],
            ) -> Result<Vec<Vec<u8>>, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::Netlink(family, request.to_vec()), Messages)
            }
            fn read_device(&self, device: &str, offset: u64, length: u32) -> Result<Vec<u8>, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::ReadDevice(device.to_owned(), offset, length), Bytes)
            }
            fn now(&self) -> Result<jiff::Timestamp, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::Now, Time)
            }
            fn clock_state(&self) -> Result<$crate::host::ClockState, $crate::host::HostError> {
                host_by_question!(self, $crate::host::Question::ClockState, Clock)
            }
        }
    };
    ($self:ident, $question:expr, $answer:ident) => {
        host_by_question!($self, $question, $answer, std::time::Duration::ZERO)
    };
    ($self:ident, $question:expr, $answer:ident, $time:expr) => {{
        let question = $question;
        match $self.answer(&question, $time)? {
            $crate::host::Answer::$answer(answer) => Ok(answer),
            _ => Err(question
                .error($crate::host::HostErrorKind::Malformed, "the recording is damaged: an answer of another type")),
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_name_the_verb_and_the_exact_object() {
        for (question, operation) in [
            (Question::Now, "read the clock"),
            (Question::Read("/proc/cpuinfo".into()), "read /proc/cpuinfo"),
            (Question::List("/sys/block".into()), "list /sys/block"),
            (Question::ReadLink("/sys/block/sda".into()), "read link /sys/block/sda"),
            (Question::Run(vec!["lldpctl".into(), "-f".into(), "json".into()]), "run lldpctl -f json"),
            (
                Question::NvmeAdmin("/dev/nvme0".into(), NvmeAdmin::Identify { cns: 1, nsid: 0 }),
                "ask /dev/nvme0 for NVMe Identify CNS 01h, namespace 0h",
            ),
            (
                Question::NvmeAdmin(
                    "/dev/nvme0".into(),
                    NvmeAdmin::GetLogPage { lid: 2, lsp: 0, lsi: 0, nsid: u32::MAX, length: 512, offset: 0 },
                ),
                "ask /dev/nvme0 for NVMe Get Log Page 02h, LSP 0h, namespace FFFFFFFFh, 512 bytes at 0",
            ),
            (Question::Ethtool("eth0".into(), 3_u32.to_ne_bytes().to_vec()), "ask eth0 for ethtool command 3h"),
            (Question::Ethtool("eth0".into(), vec![3]), "ask eth0 for an ethtool command"),
            (Question::Netlink(NetlinkFamily::Route, vec![]), "ask rtnetlink"),
            (Question::ReadDevice("/dev/sda".into(), 65536, 4096), "read 4096 bytes of /dev/sda at 65536"),
        ] {
            assert_eq!(question.operation(), operation);
        }
    }

    #[test]
    fn only_absolute_paths_of_sane_length_pass() {
        let check = |path: &str| Question::Read(path.to_owned()).check_path(path).map_err(|error| error.kind);
        assert_eq!(check("/sys"), Ok(()));
        assert_eq!(check("sys"), Err(HostErrorKind::NotSupported));
        assert_eq!(check(""), Err(HostErrorKind::NotSupported));
        assert_eq!(check("/a\0b"), Err(HostErrorKind::NotSupported));
        assert_eq!(check(&"/a".repeat(2048)), Err(HostErrorKind::Io));
    }
}
