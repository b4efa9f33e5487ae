//! The machine itself as a [`Host`](super::Host).
//!
//! Every call has a time limit and a cap, and runs on a thread that can be given up on; see [`super::workers`]. Knows no
//! device. Character and block devices are not opened as files, for the opening alone may do something (a watchdog
//! starts to count, a tape rewinds).
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "part of the one door: the machine's files and devices are read here"
)]

use super::ioctl::{self, Ethtool};
use super::workers::{Undone, Workers};
use super::{Answer, HostError, HostErrorKind, Limits, Listing, NvmeAnswer, Outcome, Question, errno, netlink, tool};
use rustix::fs::FileType;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// This machine.
pub struct Live {
    workers: Workers,
    file_time: Duration,
    device_time: Duration,
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

/// How an answer failed, before it is known to which question.
enum Failed {
    Errno(i32),
    Says(HostErrorKind, String),
    TooLarge,
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        let (kind, cause) = errno::io_meaning(&error);
        Self::Says(kind, cause)
    }
}

impl From<rustix::io::Errno> for Failed {
    fn from(number: rustix::io::Errno) -> Self {
        Self::Errno(number.raw_os_error())
    }
}

impl Live {
    /// This machine.
    #[must_use]
    pub fn new() -> Self {
        Self { workers: Workers::default(), file_time: Limits::FILE_TIME, device_time: Limits::DEVICE_TIME }
    }

    fn answer(&self, question: &Question, tool_time: Duration) -> Outcome {
        match question {
            Question::Now => Ok(Answer::Time(jiff::Timestamp::now())),
            Question::ClockState => ioctl::clock_state()
                .map(Answer::Clock)
                .map_err(|errno| errno::failure(question.operation(), errno.raw_os_error())),
            Question::Read(path) => {
                question.check_path(path)?;
                let path = path.clone();
                self.wait(question, self.file_time, Limits::FILE_BYTES, move || read(&path)).map(Answer::Bytes)
            }
            Question::List(path) => {
                question.check_path(path)?;
                let path = path.clone();
                self.wait(question, self.file_time, Limits::NAMES, move || list(&path)).map(Answer::Listing)
            }
            Question::ReadLink(path) => {
                question.check_path(path)?;
                let path = path.clone();
                self.wait(question, self.file_time, 0, move || read_link(&path)).map(Answer::Target)
            }
            Question::Run(argv) => tool::run(&self.workers, question, argv, tool_time),
            Question::NvmeAdmin(device, command) => {
                question.check_path(device)?;
                ioctl::check_nvme(command, Limits::DEVICE_BYTES).map_err(|why| refused(question, why))?;
                if !is_nvme(device) {
                    return Err(refused(question, "not the name of an NVMe device"));
                }
                let (device, command) = (device.clone(), *command);
                let call = move || {
                    let device = File::open(device)?;
                    let (status, result, data) = ioctl::nvme_admin(device.as_fd(), &command, Limits::DEVICE_BYTES)?;
                    Ok(NvmeAnswer { status, result, data })
                };
                self.wait(question, self.device_time, 0, call).map(Answer::Nvme)
            }
            Question::Ethtool(interface, request) => {
                ioctl::check_ethtool(interface, request, Limits::FILE_BYTES).map_err(|why| refused(question, why))?;
                let (interface, asked) = (interface.clone(), request.clone());
                let call = move || {
                    let flags = SocketFlags::CLOEXEC;
                    let socket = rustix::net::socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None)?;
                    match ioctl::ethtool(socket.as_fd(), &interface, &asked)? {
                        Ethtool::Answer(answer) => Ok(answer),
                        Ethtool::NoRoom => Err(Failed::TooLarge),
                    }
                };
                self.wait(question, self.device_time, request.len(), call).map(Answer::Bytes)
            }
            Question::Netlink(family, request) => {
                netlink::check(*family, request).map_err(|why| refused(question, why))?;
                let (family, request, limit) = (*family, request.clone(), self.device_time);
                let call = move || netlink::exchange(family, &request, limit);
                match self.workers.run(limit, call).map_err(|undone| super::undone(question, undone, limit))? {
                    Ok(messages) => Ok(Answer::Messages(messages)),
                    Err(failed) => Err(netlink_error(question, failed, limit)),
                }
            }
            Question::ReadDevice(device, offset, length) => {
                question.check_path(device)?;
                if *length > Limits::DEVICE_BYTES {
                    return Err(question.too_large(Limits::DEVICE_BYTES as usize));
                }
                let (device, offset, length) = (device.clone(), *offset, *length as usize);
                let cap = Limits::DEVICE_BYTES as usize;
                self.wait(question, self.device_time, cap, move || read_device(&device, offset, length))
                    .map(Answer::Bytes)
            }
        }
    }

    /// Makes a call within a limit, and names its failure.
    fn wait<T: Send + 'static>(
        &self,
        question: &Question,
        limit: Duration,
        cap: usize,
        call: impl FnOnce() -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, HostError> {
        let outcome = self.workers.run(limit, call).map_err(|undone| super::undone(question, undone, limit))?;
        outcome.map_err(|failed| match failed {
            Failed::Errno(number) => errno::failure(question.operation(), number),
            Failed::Says(kind, cause) => question.error(kind, cause),
            Failed::TooLarge if matches!(question, Question::List(_)) => {
                question.error(HostErrorKind::TooLarge, super::too_many_names())
            }
            Failed::TooLarge if matches!(question, Question::Ethtool(..)) => {
                question.error(HostErrorKind::TooLarge, format!("larger than the request's room of {cap} bytes"))
            }
            Failed::TooLarge => question.too_large(cap),
        })
    }
}

host_by_question!(Live);

fn refused(question: &Question, why: &str) -> HostError {
    question.error(HostErrorKind::NotSupported, why)
}

fn netlink_error(question: &Question, failed: netlink::Failed, limit: Duration) -> HostError {
    match failed {
        netlink::Failed::Errno(number) => errno::failure(question.operation(), number),
        netlink::Failed::Refused(why) => refused(question, why),
        netlink::Failed::TimedOut => super::undone(question, Undone::TimedOut, limit),
        netlink::Failed::TooLarge => question.too_large(Limits::FILE_BYTES),
        netlink::Failed::Malformed(how) => question.error(HostErrorKind::Malformed, how),
        netlink::Failed::Interrupted => {
            question.error(HostErrorKind::Io, "what the dump tells of changed during each of its tries")
        }
    }
}

/// The content to its end: the size that a pseudo-file states says nothing.
fn read(path: &str) -> Result<Vec<u8>, Failed> {
    match FileType::from_raw_mode(rustix::fs::stat(path)?.st_mode) {
        FileType::CharacterDevice | FileType::BlockDevice => {
            return Err(Failed::Says(HostErrorKind::NotSupported, "a device, not a file".to_owned()));
        }
        _ => {}
    }
    let file = File::open(path)?;
    let mut content = Vec::with_capacity(4096);
    file.take(Limits::FILE_BYTES as u64 + 1).read_to_end(&mut content)?;
    if content.len() > Limits::FILE_BYTES { Err(Failed::TooLarge) } else { Ok(content) }
}

fn list(path: &str) -> Result<Listing, Failed> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let name = entry?.file_name().into_string().map_err(|name| {
            Failed::Says(HostErrorKind::Malformed, format!("the name {} is not text", name.display()))
        })?;
        names.push(name);
        if names.len() > Limits::NAMES {
            return Err(Failed::TooLarge);
        }
    }
    names.sort_unstable();
    Ok(Listing { names, complete: true })
}

fn read_link(path: &str) -> Result<String, Failed> {
    match std::fs::read_link(path) {
        Ok(target) => target
            .into_os_string()
            .into_string()
            .map_err(|_| Failed::Says(HostErrorKind::Malformed, "its target is not text".to_owned())),
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            Err(Failed::Says(HostErrorKind::NotSupported, super::NOT_A_LINK.to_owned()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Fewer bytes only at the end of the device.
fn read_device(device: &str, offset: u64, length: usize) -> Result<Vec<u8>, Failed> {
    // The opening of other devices may do something.
    match FileType::from_raw_mode(rustix::fs::stat(device)?.st_mode) {
        FileType::BlockDevice | FileType::RegularFile => {}
        _ => return Err(Failed::Says(HostErrorKind::NotSupported, "not a block device".to_owned())),
    }
    let file = File::open(device)?;
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match file.read_at(rest, offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Whether a path is that of an NVMe controller or namespace, as `/dev/nvme0`, `/dev/nvme0n1`, `/dev/ng0n1`: the number
/// of its ioctl means something else to other drivers.
fn is_nvme(device: &str) -> bool {
    let Some(rest) = device.strip_prefix("/dev/nvme").or_else(|| device.strip_prefix("/dev/ng")) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match rest.split_once('n') {
        None => device.starts_with("/dev/nvme") && is_number(rest),
        Some((controller, namespace)) => is_number(controller) && is_number(namespace),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Host, NetlinkFamily, NvmeAdmin};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    fn kind<T: std::fmt::Debug>(outcome: Result<T, HostError>) -> HostErrorKind {
        outcome.unwrap_err().kind
    }

    fn fifo(folder: &std::path::Path) -> String {
        let path = folder.join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &path, FileType::Fifo, mode, 0).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn pseudo_files_are_read_to_their_end() {
        let live = Live::new();
        // its size is stated as 0
        assert!(live.read("/proc/cpuinfo").unwrap().len() > 100);
        assert!(live.list("/proc/self").unwrap().names.contains(&"status".to_owned()));
        assert!(live.list("/proc").unwrap().complete);
        assert!(live.read_link("/proc/self/exe").unwrap().starts_with('/'));
        assert!(live.now().unwrap() > jiff::Timestamp::from_second(1_700_000_000).unwrap());
    }

    #[test]
    fn failures_have_their_kinds_and_words() {
        let live = Live::new();
        let text = |error: HostError| error.to_string();
        assert_eq!(text(live.read("/sys/none").unwrap_err()), "cannot read /sys/none: no such file or directory");
        assert_eq!(kind(live.read("/proc/version/none")), HostErrorKind::NotFound);
        assert_eq!(text(live.read("/proc").unwrap_err()), "cannot read /proc: is a directory");
        assert_eq!(kind(live.list("/proc/version")), HostErrorKind::NotFound);
        assert_eq!(
            text(live.read_link("/proc/version").unwrap_err()),
            "cannot read link /proc/version: not a symbolic link"
        );
        assert_eq!(kind(live.read("proc/version")), HostErrorKind::NotSupported);
        // a device is not opened: /dev/null would be harmless, /dev/watchdog is not
        assert_eq!(kind(live.read("/dev/null")), HostErrorKind::NotSupported);
        assert_eq!(kind(live.read_device("/dev/null", 0, 1)), HostErrorKind::NotSupported);
        assert_eq!(kind(live.read_device("/dev/none", 0, 1)), HostErrorKind::NotFound);
        assert_eq!(kind(live.read_device("/dev/none", 0, Limits::DEVICE_BYTES + 1)), HostErrorKind::TooLarge);
    }

    #[test]
    fn a_pipe_without_a_writer_hits_the_limit_and_the_next_call_is_answered() {
        let temp = tempfile::tempdir().unwrap();
        let path = fifo(temp.path());
        let live = Live { file_time: Duration::from_millis(50), ..Live::new() };
        let error = live.read(&path).unwrap_err();
        assert_eq!((error.kind, error.cause.as_str()), (HostErrorKind::TimedOut, "no answer within 0.05 s"));
        assert!(live.read("/proc/version").is_ok());
    }

    #[test]
    fn a_file_over_the_cap_is_too_large_and_not_cut() {
        let temp = tempfile::NamedTempFile::new().unwrap();
        let live = Live { file_time: Duration::from_secs(60), ..Live::new() };
        temp.as_file().set_len(16 << 20).unwrap();
        let path = temp.path().to_str().unwrap();
        assert_eq!(live.read(path).unwrap().len(), 16 << 20);
        temp.as_file().set_len((16 << 20) + 1).unwrap();
        let error = live.read(path).unwrap_err();
        assert_eq!(
            (error.kind, error.cause.as_str()),
            (HostErrorKind::TooLarge, "larger than the limit of 16777216 bytes")
        );
    }

    #[test]
    fn a_device_is_read_at_its_offset_and_shorter_only_at_its_end() {
        let temp = tempfile::NamedTempFile::new().unwrap();
        temp.as_file().write_all_at(b"0123456789", 0).unwrap();
        let live = Live::new();
        let path = temp.path().to_str().unwrap();
        assert_eq!(live.read_device(path, 3, 4).unwrap(), b"3456");
        assert_eq!(live.read_device(path, 8, 4).unwrap(), b"89");
        assert_eq!(live.read_device(path, 20, 4).unwrap(), b"");
    }

    #[test]
    fn names_and_targets_that_are_not_text_are_malformed() {
        let temp = tempfile::tempdir().unwrap();
        let odd = std::ffi::OsStr::from_bytes(b"a\xff");
        symlink(odd, temp.path().join("link")).unwrap();
        let live = Live::new();
        let path = |name: &str| temp.path().join(name).to_str().unwrap().to_owned();
        assert_eq!(kind(live.read_link(&path("link"))), HostErrorKind::Malformed);
        File::create(temp.path().join(odd)).unwrap();
        assert_eq!(kind(live.list(&path(""))), HostErrorKind::Malformed);
    }

    #[test]
    fn only_nvme_devices_get_nvme_commands() {
        for (device, is) in [
            ("/dev/nvme0", true),
            ("/dev/nvme12n3", true),
            ("/dev/ng0n1", true),
            ("/dev/ng0", false),
            ("/dev/nvme", false),
            ("/dev/nvme0n", false),
            ("/dev/nvme-fabrics", false),
            ("/dev/nvme0n1p1", false),
            ("/dev/sda", false),
            ("/dev/../dev/nvme0", false),
        ] {
            assert_eq!(is_nvme(device), is, "{device}");
        }
        let live = Live::new();
        let identify = NvmeAdmin::Identify { cns: 1, nsid: 0 };
        assert_eq!(kind(live.nvme_admin("/dev/sda", &identify)), HostErrorKind::NotSupported);
        assert_eq!(kind(live.nvme_admin("/dev/nvme4095", &identify)), HostErrorKind::NotFound);
        let telemetry = NvmeAdmin::GetLogPage { lid: 7, lsp: 1, lsi: 0, nsid: 0, length: 512, offset: 0 };
        assert_eq!(kind(live.nvme_admin("/dev/nvme0", &telemetry)), HostErrorKind::NotSupported);
    }

    #[test]
    fn ethtool_asks_the_loopback_interface() {
        let live = Live::new();
        // GLINK: command, then the answer, 1 for a link
        let answer = live.ethtool("lo", &[0x0a_u32.to_ne_bytes(), [0; 4]].concat()).unwrap();
        assert_eq!(answer, [0x0a_u32.to_ne_bytes(), 1_u32.to_ne_bytes()].concat());
        assert_eq!(kind(live.ethtool("none0", &0x0a_u32.to_ne_bytes())), HostErrorKind::NotFound);
        // SSET
        assert_eq!(kind(live.ethtool("lo", &0x02_u32.to_ne_bytes())), HostErrorKind::NotSupported);
        // GFEATURES has two blocks of 16 bytes; with room for one the answer would be cut
        let request =
            |blocks: u32| [&0x3a_u32.to_ne_bytes()[..], &blocks.to_ne_bytes(), &vec![0; blocks as usize * 16]].concat();
        assert_eq!(live.ethtool("lo", &request(2)).unwrap().len(), 40);
        let error = live.ethtool("lo", &request(1)).unwrap_err();
        assert_eq!(
            (error.kind, error.cause.as_str()),
            (HostErrorKind::TooLarge, "larger than the request's room of 24 bytes")
        );
    }

    /// A netlink message.
    fn message(kind: u16, flags: u16, payload: &[u8]) -> Vec<u8> {
        let length = 16 + payload.len() as u32;
        [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), &flags.to_ne_bytes(), &[0; 8], payload].concat()
    }

    #[test]
    fn netlink_dumps_and_gets_are_answered() {
        let live = Live::new();
        // RTM_GETLINK, all of them, then the first; an answer is RTM_NEWLINK, its interface's index at byte 20
        let all = live.netlink(NetlinkFamily::Route, &message(18, 0x301, &[0; 16])).unwrap();
        let is_link = |message: &Vec<u8>, index: i32| {
            message[4..6] == 16_u16.to_ne_bytes() && message[20..24] == index.to_ne_bytes()
        };
        assert!(all.iter().any(|message| is_link(message, 1)));
        let first = [&[0; 4][..], &1_i32.to_ne_bytes(), &[0; 8]].concat();
        let one = live.netlink(NetlinkFamily::Route, &message(18, 1, &first)).unwrap();
        assert_eq!(one.len(), 1);
        assert!(is_link(&one[0], 1));
        let none = [&[0; 4][..], &i32::MAX.to_ne_bytes(), &[0; 8]].concat();
        assert_eq!(kind(live.netlink(NetlinkFamily::Route, &message(18, 1, &none))), HostErrorKind::NotFound);
        // RTM_SETLINK
        assert_eq!(kind(live.netlink(NetlinkFamily::Route, &message(19, 1, &first))), HostErrorKind::NotSupported);
    }

    #[test]
    fn generic_netlink_is_asked_who_it_is_before_a_command_passes() {
        let live = Live::new();
        // CTRL_CMD_GETFAMILY dump: the number of "ethtool" stands in its first attribute or behind it
        let families = live.netlink(NetlinkFamily::Generic, &message(0x10, 0x301, &[3, 1, 0, 0])).unwrap();
        let holds = |message: &[u8], bytes: &[u8]| message.windows(bytes.len()).any(|window| window == bytes);
        let name = [&12_u16.to_ne_bytes()[..], &2_u16.to_ne_bytes(), b"ethtool\0"].concat();
        let Some(ethtool) = families.iter().find(|message| holds(message, &name)) else { return };
        let head = [6_u16.to_ne_bytes(), 1_u16.to_ne_bytes()].concat();
        let at = ethtool.windows(4).position(|window| window == head).unwrap();
        let id = u16::from_ne_bytes([ethtool[at + 4], ethtool[at + 5]]);
        // LINKSTATE_GET dump, then LINKMODES_SET
        let links = live.netlink(NetlinkFamily::Generic, &message(id, 0x301, &[6, 1, 0, 0])).unwrap();
        assert!(!links.is_empty());
        let set = live.netlink(NetlinkFamily::Generic, &message(id, 1, &[5, 1, 0, 0]));
        assert_eq!(kind(set), HostErrorKind::NotSupported);
        // no family has this number
        let nobody = live.netlink(NetlinkFamily::Generic, &message(0xfff0, 1, &[1, 1, 0, 0]));
        assert_eq!(kind(nobody), HostErrorKind::NotFound);
    }
}
