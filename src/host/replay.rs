//! A recording as a [`Host`](super::Host): a folder or a tar archive with a machine's files, or a tree made by a test.
//!
//! A recording without a manifest says nothing of what it lacks: whatever is missing is `NotInCapture`, and no
//! listing is complete. Below the root, or below one folder at the root, stand `sys`, `proc`, `etc`, `run`, `dev`,
//! `usr`, and `tools`: there `smartctl -j %2Fdev%2Fsda` holds what the tool of that name and arguments (joined by
//! single spaces, `%` and `/` percent-encoded) printed. Whatever else stands there is never asked for.
//! With a manifest ([`super::Record`] writes it) it gives every answer that the manifest lists, failures too, and
//! `NotInCapture` for what was never asked.
//! Knows no live machine and does not know what the answers mean.

use super::archive::{self, Bounds};
use super::disk::{self, DiskTree, Opened};
use super::tree::{self, Clash, Entry, MemoryTree, Names, Node, Tree, Trouble};
use super::{Answer, HostErrorKind, Limits, Listing, Outcome, Question, ToolOutput};
use super::{errno, manifest};
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What marks the root of a recording.
const TOP: &[&str] = &["dev", "etc", "proc", "run", "sys", manifest::TOOLS, "usr", manifest::FILE];
/// What is kept of an archive.
const KEPT: &[&str] = &["dev", "etc", "proc", "run", "sys", manifest::TOOLS, "usr", manifest::FILE, manifest::ANSWERS];

/// A recording of a machine.
pub struct Replay {
    trees: Trees,
    /// Answers that are no files, or that are to be given before the tree is asked.
    answers: BTreeMap<Question, Outcome>,
    rest: Rest,
}

enum Trees {
    Memory(MemoryTree),
    Disk(DiskTree),
}

/// What it means that a recording lacks something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// Nothing.
    Untold,
    /// The machine does not have it.
    Absent,
}

/// A recording could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenError {
    /// The file or folder.
    pub path: PathBuf,
    /// Why.
    pub cause: OpenCause,
}

/// Why a recording could not be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenCause {
    /// Nothing stands at the path.
    NotFound,
    /// The user may not read it.
    PermissionDenied,
    /// It is neither a folder nor a file.
    NotAFile,
    /// It holds nothing of a machine.
    Empty,
    /// It is no archive, or a damaged one.
    Damaged(String),
    /// It goes over a bound.
    TooLarge(String),
    /// Its manifest is of another version.
    Schema(String),
    /// It could not be read.
    Io(String),
}

impl fmt::Display for OpenCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("no such file or directory"),
            Self::PermissionDenied => f.write_str("permission denied"),
            Self::NotAFile => f.write_str("neither a folder nor a file"),
            Self::Empty => f.write_str(
                "nothing of a machine in it: no sys, proc, etc, run, dev, usr or tools at its top or below one folder",
            ),
            Self::Damaged(how) => write!(f, "damaged: {how}"),
            Self::TooLarge(how) => write!(f, "too large: {how}"),
            Self::Schema(found) => write!(f, "its manifest is of schema {found}, which this version cannot read"),
            Self::Io(cause) => f.write_str(cause),
        }
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot open the capture {}: {}", self.path.display(), self.cause)
    }
}

impl std::error::Error for OpenError {}

impl Replay {
    /// Opens a folder or a tar archive: plain, or compressed by gzip, bzip2, xz or zstd, told by its content.
    ///
    /// # Errors
    /// See [`OpenCause`].
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_within(path, Bounds::DEFAULT).map_err(|cause| OpenError { path: path.to_owned(), cause })
    }

    fn open_within(path: &Path, bounds: Bounds) -> Result<Self, OpenCause> {
        let opened = disk::open(path).map_err(|number| {
            let (kind, cause) = errno::meaning(number.raw_os_error());
            open_cause(kind, cause)
        })?;
        match opened {
            Opened::Folder(tree) => Self::from_folder(tree),
            Opened::File(file) => Self::from_archive_within(file, bounds),
            Opened::Other => Err(OpenCause::NotAFile),
        }
    }

    /// Reads a tar archive as [`Replay::open`] does.
    ///
    /// # Errors
    /// See [`OpenCause`].
    pub fn from_archive(source: impl Read) -> Result<Self, OpenCause> {
        Self::from_archive_within(source, Bounds::DEFAULT)
    }

    fn from_archive_within(source: impl Read, bounds: Bounds) -> Result<Self, OpenCause> {
        let tree = archive::read(source, bounds, KEPT)?;
        let tree = match top(&tree.root_names(), |name| Ok(tree.names_below(name)))? {
            None => tree,
            Some(name) => tree.into_folder(&name),
        };
        Self::with_manifest(Trees::Memory(tree))
    }

    /// A recording as the files that [`super::Record::capture`] gives.
    ///
    /// # Errors
    /// See [`OpenCause`].
    pub fn from_files<P: AsRef<str>>(files: impl IntoIterator<Item = (P, Vec<u8>)>) -> Result<Self, OpenCause> {
        let entries = files.into_iter().map(|(path, content)| (path, Entry::File(content)));
        Self::with_manifest(Trees::Memory(memory_tree(entries)))
    }

    fn from_folder(tree: DiskTree) -> Result<Self, OpenCause> {
        let names = tree::list(&tree, "/").map_err(open_trouble)?;
        let tree = match top(&names, |name| tree.names_below(name).map_err(open_trouble))? {
            None => tree,
            Some(name) => tree.into_folder(&name).map_err(open_trouble)?,
        };
        Self::with_manifest(Trees::Disk(tree))
    }

    /// Takes the answers from the manifest, if there is one.
    fn with_manifest(trees: Trees) -> Result<Self, OpenCause> {
        let read = |path: &str, cap: usize| match &trees {
            Trees::Memory(tree) => tree::read(tree, path, cap),
            Trees::Disk(tree) => tree::read(tree, path, cap),
        };
        let text = match read(manifest::FILE, manifest::BYTES) {
            Ok(text) => text,
            Err(Trouble::Missing) => return Ok(Self::new(trees, Rest::Untold)),
            Err(trouble) => return Err(manifest_trouble(manifest::FILE, trouble)),
        };
        let answers = manifest::parse(&text, |path| {
            read(path, Limits::FILE_BYTES).map_err(|trouble| manifest_trouble(path, trouble))
        })?;
        // From here on the files are in the answers, and a file that nobody asked for is no answer.
        Ok(Self { answers, ..Self::new(Trees::Memory(MemoryTree::default()), Rest::Untold) })
    }

    fn new(trees: Trees, rest: Rest) -> Self {
        Self { trees, answers: BTreeMap::new(), rest }
    }

    /// A tree of which nobody knows what it lacks, as a recording without manifest. A later entry replaces an
    /// earlier one; a leading slash makes no difference.
    pub fn from_entries<P: AsRef<str>>(entries: impl IntoIterator<Item = (P, Entry)>) -> Self {
        Self::new(Trees::Memory(memory_tree(entries)), Rest::Untold)
    }

    /// A whole machine: what is not among the entries (or added by [`Replay::with`]) it does not have. Files, folders
    /// and devices are `NotFound`, tools `ToolMissing`, listings complete; only the clock is `NotInCapture`.
    pub fn complete<P: AsRef<str>>(entries: impl IntoIterator<Item = (P, Entry)>) -> Self {
        Self::new(Trees::Memory(memory_tree(entries)), Rest::Absent)
    }

    /// The same with an answer that is no file, or one that is given before the tree is asked.
    #[must_use]
    pub fn with(mut self, question: Question, outcome: Result<Answer, HostErrorKind>) -> Self {
        let outcome = outcome.map_err(|kind| question.error(kind, "so the test says"));
        self.answers.insert(question, outcome);
        self
    }

    /// The same with a tool that ends with status 0 and prints this.
    #[must_use]
    pub fn with_tool(self, argv: &[&str], stdout: impl AsRef<[u8]>) -> Self {
        let output = ToolOutput { status: Some(0), stdout: stdout.as_ref().to_vec(), stderr: Vec::new() };
        let argv = argv.iter().map(|word| (*word).to_owned()).collect();
        self.with(Question::Run(argv), Ok(Answer::Tool(output)))
    }

    /// The same with a clock that stands at this time.
    #[must_use]
    pub fn with_clock(self, time: jiff::Timestamp) -> Self {
        self.with(Question::Now, Ok(Answer::Time(time)))
    }

    /// The same with a clock of this state.
    #[must_use]
    pub fn with_clock_state(self, state: super::ClockState) -> Self {
        self.with(Question::ClockState, Ok(Answer::Clock(state)))
    }

    fn answer(&self, question: &Question, _: Duration) -> Outcome {
        if let Some(outcome) = self.answers.get(question) {
            return outcome.clone();
        }
        match &self.trees {
            Trees::Memory(tree) => self.ask_tree(tree, question),
            Trees::Disk(tree) => self.ask_tree(tree, question),
        }
    }

    fn ask_tree<T: Tree>(&self, tree: &T, question: &Question) -> Outcome {
        let refused = |trouble| self.refused(question, trouble);
        match question {
            Question::Read(path) => {
                question.check_path(path)?;
                let content = tree::read(tree, path, Limits::FILE_BYTES).map_err(refused)?;
                unpadded(path, content).map(Answer::Bytes).ok_or_else(|| refused(Trouble::NoContent))
            }
            Question::List(path) => {
                question.check_path(path)?;
                let names = tree::list(tree, path).map_err(refused)?;
                Ok(Answer::Listing(Listing { names, complete: self.rest == Rest::Absent }))
            }
            Question::ReadLink(path) => {
                question.check_path(path)?;
                tree::read_link(tree, path).map(Answer::Target).map_err(refused)
            }
            Question::Run(argv) => match tree::read(tree, &manifest::tool_file(argv), Limits::TOOL_BYTES) {
                Ok(stdout) => Ok(Answer::Tool(ToolOutput { status: None, stdout, stderr: Vec::new() })),
                Err(Trouble::Missing | Trouble::NotAFolder) if self.rest == Rest::Absent => {
                    Err(question.error(HostErrorKind::ToolMissing, super::NO_SUCH_PROGRAM))
                }
                Err(trouble) => Err(refused(trouble)),
            },
            Question::Now | Question::ClockState => Err(question.error(HostErrorKind::NotInCapture, NOT_IN_CAPTURE)),
            Question::NvmeAdmin(..) | Question::Ethtool(..) | Question::Netlink(..) | Question::ReadDevice(..) => {
                Err(refused(Trouble::Missing))
            }
        }
    }

    fn refused(&self, question: &Question, trouble: Trouble) -> super::HostError {
        let number = match (trouble, self.rest) {
            (Trouble::Missing, Rest::Absent) => libc::ENOENT,
            (Trouble::NotAFolder, Rest::Absent) => libc::ENOTDIR,
            (Trouble::IsAFolder, _) => libc::EISDIR,
            (Trouble::Loop, _) => libc::ELOOP,
            (Trouble::Missing, Rest::Untold) => {
                return question.error(HostErrorKind::NotInCapture, NOT_IN_CAPTURE);
            }
            (Trouble::NotAFolder, Rest::Untold) => {
                return question.error(HostErrorKind::NotInCapture, "no folder in the capture");
            }
            (Trouble::NotALink, _) => return question.error(HostErrorKind::NotSupported, super::NOT_A_LINK),
            (Trouble::NoContent, _) => {
                return question.error(HostErrorKind::NotInCapture, "its content is not in the capture");
            }
            (Trouble::Leaves, _) => {
                return question.error(HostErrorKind::NotInCapture, "a link leads out of the capture");
            }
            (Trouble::TooLarge, _) => match question {
                Question::List(_) => return question.error(HostErrorKind::TooLarge, super::too_many_names()),
                _ => return question.too_large(Limits::FILE_BYTES),
            },
            (Trouble::Failed(kind, cause), _) => return question.error(kind, cause),
        };
        errno::failure(question.operation(), number)
    }
}

host_by_question!(Replay);

const NOT_IN_CAPTURE: &str = "not in the capture";

/// The content of a sysfs attribute without the zeros that tar(1) puts behind it if it is asked to archive `/sys`
/// itself: sysfs says that each attribute has a page, tar fills up what is missing. Of one that is all zeros nobody
/// knows whether it was empty or could not be read, so it has no content.
fn unpadded(path: &str, mut content: Vec<u8>) -> Option<Vec<u8>> {
    let is_page = matches!(content.len(), 0x1000 | 0x4000 | 0x1_0000);
    if !is_page || !path.starts_with("/sys/") || content.last() != Some(&0) {
        return Some(content);
    }
    let zeros = content.iter().rev().take_while(|byte| **byte == 0).count();
    let text = content.get(..content.len() - zeros).unwrap_or_default();
    if text.is_empty() {
        return None;
    }
    // PCI configuration space and the like have the same length, and are no text.
    if text.ends_with(b"\n") && !text.contains(&0) && std::str::from_utf8(text).is_ok() {
        content.truncate(content.len() - zeros);
    }
    Some(content)
}

/// Where the tree begins: at its root, or in a folder that stands there.
fn top(
    names: &[String],
    names_below: impl Fn(&str) -> Result<Vec<String>, OpenCause>,
) -> Result<Option<String>, OpenCause> {
    let is_top = |names: &[String]| names.iter().any(|name| TOP.contains(&name.as_str()));
    if is_top(names) {
        return Ok(None);
    }
    let mut found = None;
    let mut refused = None;
    for name in names {
        match names_below(name) {
            Ok(below) if is_top(&below) => {
                if found.is_some() {
                    return Err(OpenCause::Damaged("it holds more than one machine".to_owned()));
                }
                found = Some(name.clone());
            }
            Ok(_) => {}
            Err(cause) => refused = Some(cause),
        }
    }
    found.map(Some).ok_or(refused.unwrap_or(OpenCause::Empty))
}

fn open_cause(kind: HostErrorKind, cause: String) -> OpenCause {
    match kind {
        HostErrorKind::NotFound => OpenCause::NotFound,
        HostErrorKind::PermissionDenied => OpenCause::PermissionDenied,
        _ => OpenCause::Io(cause),
    }
}

fn open_trouble(trouble: Trouble) -> OpenCause {
    match trouble {
        Trouble::Failed(kind, cause) => open_cause(kind, cause),
        Trouble::TooLarge => OpenCause::TooLarge(super::too_many_names()),
        Trouble::Missing => OpenCause::NotFound,
        Trouble::NotAFolder
        | Trouble::IsAFolder
        | Trouble::NotALink
        | Trouble::NoContent
        | Trouble::Loop
        | Trouble::Leaves => OpenCause::NotAFile,
    }
}

/// The manifest, or a file that it names, cannot be read.
fn manifest_trouble(path: &str, trouble: Trouble) -> OpenCause {
    match trouble {
        Trouble::Failed(HostErrorKind::PermissionDenied, _) => OpenCause::PermissionDenied,
        Trouble::Failed(_, cause) => OpenCause::Io(format!("{path}: {cause}")),
        Trouble::TooLarge => OpenCause::TooLarge(format!("{path} is over the limit for a file")),
        Trouble::Missing
        | Trouble::NotAFolder
        | Trouble::IsAFolder
        | Trouble::NotALink
        | Trouble::NoContent
        | Trouble::Loop
        | Trouble::Leaves => OpenCause::Damaged(format!("the file {path}, which the manifest names, is not in it")),
    }
}

fn memory_tree<P: AsRef<str>>(entries: impl IntoIterator<Item = (P, Entry)>) -> MemoryTree {
    let mut tree = MemoryTree::default();
    let mut below_links = Vec::new();
    for (path, entry) in entries {
        let names: Vec<&str> = path.as_ref().split('/').filter(|name| !name.is_empty()).collect();
        let node = match entry {
            Entry::File(content) => Node::File(content.into()),
            Entry::Link(target) => Node::Link(target),
            Entry::Dir => Node::Folder(Names::new()),
        };
        if let Err(Clash::UnderLink(node)) = tree.insert(&names, node) {
            below_links.push((names.into_iter().map(str::to_owned).collect::<Vec<_>>(), node));
        }
    }
    for (names, node) in below_links {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        // A test that puts a file below a dangling link has no such file, as the machine would not.
        let _ = tree.insert_through_links(&names, node);
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Host, HostError, NetlinkFamily, NvmeAdmin, ToolCall};

    fn entries() -> [(&'static str, Entry); 5] {
        [
            ("/sys/block/sda", Entry::link("../devices/pci0000:00/ata1/sda")),
            ("sys/devices/pci0000:00/ata1/sda/size", Entry::file("3907029168\n")),
            ("sys/out", Entry::link("../../etc/passwd")),
            ("proc/empty", Entry::Dir),
            ("tools/smartctl -j %2Fdev%2Fsda", Entry::file("{}")),
        ]
    }

    fn call(argv: &[&str]) -> ToolCall {
        ToolCall { argv: argv.iter().map(|word| (*word).to_owned()).collect(), time: Duration::from_secs(1) }
    }

    fn kind<T: fmt::Debug>(outcome: Result<T, HostError>) -> HostErrorKind {
        outcome.unwrap_err().kind
    }

    #[test]
    fn an_incomplete_tree_never_says_that_something_is_absent() {
        let host = Replay::from_entries(entries());
        assert_eq!(host.read("/sys/block/sda/size").unwrap(), b"3907029168\n");
        assert_eq!(host.read_link("/sys/block/sda").unwrap(), "../devices/pci0000:00/ata1/sda");
        assert_eq!(host.list("/sys/block").unwrap(), Listing { names: vec!["sda".into()], complete: false });
        assert_eq!(host.list("/proc/empty").unwrap(), Listing { names: vec![], complete: false });
        let output = host.run(&call(&["smartctl", "-j", "/dev/sda"])).unwrap();
        assert_eq!(output, ToolOutput { status: None, stdout: b"{}".to_vec(), stderr: vec![] });
        for missing in ["/sys/block/sdb", "/sys/block/sda/size/more", "/dev/sda", "/sys/out"] {
            assert_eq!(kind(host.read(missing)), HostErrorKind::NotInCapture, "{missing}");
            assert_eq!(kind(host.list(missing)), HostErrorKind::NotInCapture, "{missing}");
        }
        assert_eq!(kind(host.read_link("/sys/block/sdb")), HostErrorKind::NotInCapture);
        assert_eq!(kind(host.read_link("/sys/block")), HostErrorKind::NotSupported);
        assert_eq!(kind(host.run(&call(&["smartctl", "-j", "/dev/sdb"]))), HostErrorKind::NotInCapture);
        assert_eq!(kind(host.now()), HostErrorKind::NotInCapture);
        assert_eq!(kind(host.ethtool("eth0", &[])), HostErrorKind::NotInCapture);
        assert_eq!(kind(host.netlink(NetlinkFamily::Route, &[])), HostErrorKind::NotInCapture);
        assert_eq!(kind(host.read_device("/dev/sda", 0, 512)), HostErrorKind::NotInCapture);
        let identify = NvmeAdmin::Identify { cns: 1, nsid: 0 };
        assert_eq!(kind(host.nvme_admin("/dev/nvme0", &identify)), HostErrorKind::NotInCapture);
    }

    #[test]
    fn a_complete_tree_says_what_is_absent() {
        let host = Replay::complete(entries());
        assert_eq!(host.list("/sys/block").unwrap(), Listing { names: vec!["sda".into()], complete: true });
        assert_eq!(
            host.read("/sys/block/sdb").unwrap_err().to_string(),
            "cannot read /sys/block/sdb: no such file or directory"
        );
        assert_eq!(kind(host.read("/sys/block/sdb")), HostErrorKind::NotFound);
        assert_eq!(kind(host.list("/sys/devices/pci0000:00/ata1/sda/size")), HostErrorKind::NotFound);
        assert_eq!(kind(host.run(&call(&["lldpctl"]))), HostErrorKind::ToolMissing);
        assert_eq!(kind(host.read_device("/dev/sda", 0, 512)), HostErrorKind::NotFound);
        // what leads out of the tree is not absent: nobody knows what stood there
        assert_eq!(kind(host.read("/sys/out")), HostErrorKind::NotInCapture);
        assert_eq!(kind(host.now()), HostErrorKind::NotInCapture);
    }

    #[test]
    fn added_answers_come_before_the_tree() {
        let now = jiff::Timestamp::from_second(1_700_000_000).unwrap();
        let host = Replay::complete(entries())
            .with_clock(now)
            .with_tool(&["lldpctl", "-f", "json"], "{}")
            .with(Question::Read("/sys/block/sda/size".into()), Err(HostErrorKind::PermissionDenied))
            .with(Question::ReadDevice("/dev/sda".into(), 0, 4), Ok(Answer::Bytes(vec![1, 2, 3, 4])));
        assert_eq!(host.now().unwrap(), now);
        assert_eq!(host.run(&call(&["lldpctl", "-f", "json"])).unwrap().status, Some(0));
        assert_eq!(kind(host.read("/sys/block/sda/size")), HostErrorKind::PermissionDenied);
        assert_eq!(host.read_device("/dev/sda", 0, 4).unwrap(), [1, 2, 3, 4]);
    }

    #[test]
    fn an_added_answer_of_another_type_is_malformed() {
        let host = Replay::complete(entries()).with(Question::Now, Ok(Answer::Target(String::new())));
        assert_eq!(kind(host.now()), HostErrorKind::Malformed);
    }

    #[test]
    fn paths_that_are_not_absolute_are_refused() {
        let host = Replay::complete(entries());
        assert_eq!(kind(host.read("sys/block/sda/size")), HostErrorKind::NotSupported);
        assert_eq!(kind(host.list("")), HostErrorKind::NotSupported);
    }

    #[test]
    fn the_tree_begins_at_the_root_or_below_one_folder() {
        let top = |names: &[&str], below: &'static [&'static str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            top(&names, |name| {
                Ok(if name.starts_with("host") {
                    below.iter().map(|name| (*name).to_owned()).collect()
                } else {
                    vec![]
                })
            })
        };
        assert_eq!(top(&["sys", "other"], &[]), Ok(None));
        assert_eq!(top(&["README", "host1"], &["proc"]), Ok(Some("host1".into())));
        assert_eq!(top(&["host1"], &["home"]), Err(OpenCause::Empty));
        assert_eq!(top(&[], &[]), Err(OpenCause::Empty));
        assert!(matches!(top(&["host1", "host2"], &["sys"]), Err(OpenCause::Damaged(_))));
    }
    #[test]
    fn the_zeros_that_tar_puts_behind_an_attribute_are_taken_off() {
        let padded = |text: &[u8], length: usize| {
            let mut content = text.to_vec();
            content.resize(length, 0);
            content
        };
        let read = |path: &str, content: Vec<u8>| Replay::from_entries([(path, Entry::file(content))]).read(path);
        assert_eq!(read("/sys/size", padded(b"8\n", 4096)).unwrap(), b"8\n");
        assert_eq!(read("/sys/size", padded(b"8\n", 65536)).unwrap(), b"8\n");
        assert_eq!(kind(read("/sys/uevent", padded(b"", 4096))), HostErrorKind::NotInCapture);
        // not a page, not sysfs, not text
        for (path, content) in [
            ("/sys/size", padded(b"8\n", 4095)),
            ("/proc/size", padded(b"8\n", 4096)),
            ("/sys/config", padded(b"\x86\x80\n", 4096)),
            ("/sys/vpd", padded(b"a\0b\n", 4096)),
            ("/sys/id", padded(b"id", 4096)),
        ] {
            assert_eq!(read(path, content.clone()).unwrap(), content);
        }
        assert_eq!(read("/sys/empty", vec![]).unwrap(), b"");
    }
}
