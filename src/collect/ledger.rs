//! What a section asked, where, and what failed: the ground of every [`Reading`]'s source and reason.
//!
//! Each section keeps its own ledger, so that sections can be asked side by side; they are joined in a fixed order.

use crate::host::{Host, HostError, HostErrorKind, Listing, ToolCall, ToolOutput};
use crate::reading::{ErrorId, ErrorKind, ReadError, Reading, Renumber, SourceId};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What it means that a file is not there. Declared with each fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The machine has none: [`Reading::Absent`].
    Absent,
    /// It tells nothing, for the reason named ("the kernel is older than 5.5").
    Untold(&'static str),
}

/// A reading and where it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Read<T> {
    /// The outcome.
    pub reading: Reading<T>,
    /// Where it was read, or was looked for.
    pub source: SourceId,
}

impl<T> Read<T> {
    /// The same outcome with another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Read<U> {
        Read { reading: self.reading.map(f), source: self.source }
    }
}

/// A pure function from the text of a file, without white space at its end, to what it says.
pub type Parser<T> = fn(&str) -> Result<T, String>;

/// Asks a host on behalf of one section, and remembers sources and errors.
pub struct Ledger<'h> {
    host: &'h dyn Host,
    sources: RefCell<Interned<String>>,
    errors: RefCell<Interned<ReadError>>,
}

struct Interned<T> {
    items: Vec<T>,
    index: BTreeMap<T, u32>,
}

impl<T: Ord + Clone> Interned<T> {
    fn new() -> Self {
        Self { items: Vec::new(), index: BTreeMap::new() }
    }
    fn id(&mut self, item: T) -> u32 {
        if let Some(id) = self.index.get(&item) {
            return *id;
        }
        let id = self.items.len() as u32;
        self.items.push(item.clone());
        self.index.insert(item, id);
        id
    }
}

impl<'h> Ledger<'h> {
    /// An empty ledger over a host.
    #[must_use]
    pub fn new(host: &'h dyn Host) -> Self {
        Self { host, sources: RefCell::new(Interned::new()), errors: RefCell::new(Interned::new()) }
    }

    /// The host itself, for the verbs that need no bookkeeping here.
    #[must_use]
    pub fn host(&self) -> &'h dyn Host {
        self.host
    }

    /// Notes a source, as in "/sys/block/sda/size" (a file), "link /sys/block/sda", "list /sys/block",
    /// "run smartctl -j /dev/sda", "derived: packages / sockets".
    pub fn source(&self, source: impl Into<String>) -> SourceId {
        SourceId(self.sources.borrow_mut().id(source.into()))
    }

    /// Notes an error.
    pub fn error(&self, operation: impl Into<String>, kind: ErrorKind, cause: impl Into<String>) -> ErrorId {
        let error = ReadError { operation: operation.into(), kind, cause: cause.into() };
        ErrorId(self.errors.borrow_mut().id(error))
    }

    /// Notes an error of the host.
    pub fn host_error(&self, error: HostError) -> ErrorId {
        self.error(error.operation, error_kind(error.kind), error.cause)
    }

    /// What was noted under an index.
    #[must_use]
    pub fn error_at(&self, id: ErrorId) -> Option<ReadError> {
        self.errors.borrow().items.get(id.0 as usize).cloned()
    }

    /// The text of a file without white space at its end. Bytes that are not UTF-8 are malformed, and so is nothing: where a
    /// file that is empty means something, [`Self::parsed`] takes a parser that says what.
    pub fn text(&self, path: &str, missing: Missing) -> Read<String> {
        self.parsed(path, missing, some_text)
    }

    /// A file parsed by a pure function, which gets the text without white space at its end.
    pub fn parsed<T>(&self, path: &str, missing: Missing, parse: impl FnOnce(&str) -> Result<T, String>) -> Read<T> {
        let source = self.source(path);
        Read { reading: self.value(path, missing, parse), source }
    }

    /// Like [`Self::parsed`], without noting a source: for a fact that is made of many files (one for each CPU, say)
    /// and whose source is the pattern of their names.
    pub fn value<T>(&self, path: &str, missing: Missing, parse: impl FnOnce(&str) -> Result<T, String>) -> Reading<T> {
        match self.bytes(path, missing) {
            Reading::Known(bytes) => self.text_parsed(path, &bytes, parse),
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(error),
        }
    }

    /// The first of several files that is there, each with its parser, and which it was: for a fact that moved from one
    /// file to another. If none is there, the first one's error is told. Notes no source, like [`Self::value`].
    pub fn first_value<T>(&self, files: &[(String, Parser<T>)], missing: Missing) -> (usize, Reading<T>) {
        let mut first_error = None;
        for (index, (path, parse)) in files.iter().enumerate() {
            match self.host.read(path) {
                Ok(bytes) => return (index, self.text_parsed(path, &bytes, parse)),
                Err(error) if matches!(error.kind, HostErrorKind::NotFound | HostErrorKind::NotInCapture) => {
                    first_error.get_or_insert(error);
                }
                Err(error) => return (index, self.failed(error, missing)),
            }
        }
        match first_error {
            Some(error) => (0, self.failed(error, missing)),
            None => (0, Reading::Absent),
        }
    }

    fn text_parsed<T>(&self, path: &str, bytes: &[u8], parse: impl FnOnce(&str) -> Result<T, String>) -> Reading<T> {
        match std::str::from_utf8(bytes) {
            // tar fills a sysfs file up to the 4096 bytes that it said it had with zeros.
            Ok(text) => match parse(text.trim_end_matches(|c: char| c.is_whitespace() || c == '\0')) {
                Ok(value) => Reading::Known(value),
                Err(cause) => self.malformed(path, cause),
            },
            Err(error) => self.malformed(path, error.to_string()),
        }
    }

    /// A file as it is.
    pub fn bytes(&self, path: &str, missing: Missing) -> Reading<Vec<u8>> {
        match self.host.read(path) {
            Ok(bytes) => Reading::Known(bytes),
            Err(error) => self.failed(error, missing),
        }
    }

    /// The names in a folder. An incomplete listing is known too: its [`Listing::complete`] says so.
    pub fn list(&self, path: &str, missing: Missing) -> Read<Listing> {
        let source = self.source(format!("list {path}"));
        Read { reading: self.names(path, missing), source }
    }

    /// Like [`Self::list`], without noting a source.
    pub fn names(&self, path: &str, missing: Missing) -> Reading<Listing> {
        match self.host.list(path) {
            Ok(listing) => Reading::Known(listing),
            Err(error) => self.failed(error, missing),
        }
    }

    /// The target of a link, as written.
    pub fn link(&self, path: &str, missing: Missing) -> Read<String> {
        let source = self.source(format!("link {path}"));
        let reading = match self.host.read_link(path) {
            Ok(target) => Reading::Known(target),
            Err(error) => self.failed(error, missing),
        };
        Read { reading, source }
    }

    /// What a tool prints, whatever its exit status.
    pub fn run(&self, call: &ToolCall) -> Read<ToolOutput> {
        let source = self.source(format!("run {}", call.argv.join(" ")));
        let reading = match self.host.run(call) {
            Ok(output) => Reading::Known(output),
            Err(error) => Reading::Unreadable(self.host_error(error)),
        };
        Read { reading, source }
    }

    /// An answer that its format does not allow. A long cause, which quotes the answer, is cut.
    pub fn malformed<T>(&self, path: &str, cause: impl Into<String>) -> Reading<T> {
        const LONGEST: usize = 200;
        let mut cause: String = cause.into();
        if let Some((end, _)) = cause.char_indices().nth(LONGEST) {
            cause.truncate(end);
            cause.push_str(" ...");
        }
        Reading::Unreadable(self.error(format!("parse {path}"), ErrorKind::Malformed, cause))
    }

    /// Why a listing of a tree without manifest cannot be taken for all there is.
    pub fn incomplete(&self, path: &str) -> ErrorId {
        self.error(format!("list {path}"), ErrorKind::NotInCapture, "the capture may hold only some of the entries")
    }

    /// A failure of the host, by what a missing file means for the fact.
    pub(crate) fn failed<T>(&self, error: HostError, missing: Missing) -> Reading<T> {
        match (error.kind, missing) {
            (HostErrorKind::NotFound, Missing::Absent) => Reading::Absent,
            (HostErrorKind::NotFound, Missing::Untold(why)) => {
                let cause = format!("{}: {why}", error.cause);
                Reading::Unreadable(self.error(error.operation, ErrorKind::NotFound, cause))
            }
            _ => Reading::Unreadable(self.host_error(error)),
        }
    }

    /// Takes in what another ledger noted, and rewrites its indexes by `renumber`.
    pub(crate) fn absorb(
        &self,
        (sources, errors): (Vec<String>, Vec<ReadError>),
        renumber: impl FnOnce(&Renumber<'_>),
    ) {
        let sources: Vec<SourceId> = sources.into_iter().map(|source| self.source(source)).collect();
        let errors: Vec<ErrorId> =
            errors.into_iter().map(|error| ErrorId(self.errors.borrow_mut().id(error))).collect();
        renumber(&Renumber { errors: &errors, sources: &sources });
    }

    /// Ends the section: its sources and errors, in the order of their indexes.
    #[must_use]
    pub fn close(self) -> (Vec<String>, Vec<ReadError>) {
        (self.sources.into_inner().items, self.errors.into_inner().items)
    }
}

/// Joins the ledgers of sections, in order, into the inventory's two tables.
#[derive(Default)]
pub struct Joined {
    sources: Vec<String>,
    errors: Vec<ReadError>,
    source_index: BTreeMap<String, SourceId>,
    error_index: BTreeMap<ReadError, ErrorId>,
}

impl Joined {
    /// Appends one section's ledger and rewrites the section's indexes by `renumber`.
    pub fn append(&mut self, (sources, errors): (Vec<String>, Vec<ReadError>), renumber: impl FnOnce(&Renumber<'_>)) {
        let sources: Vec<SourceId> = sources
            .into_iter()
            .map(|source| {
                *self.source_index.entry(source).or_insert_with_key(|source| {
                    self.sources.push(source.clone());
                    SourceId(self.sources.len() as u32 - 1)
                })
            })
            .collect();
        let errors: Vec<ErrorId> = errors
            .into_iter()
            .map(|error| {
                *self.error_index.entry(error).or_insert_with_key(|error| {
                    self.errors.push(error.clone());
                    ErrorId(self.errors.len() as u32 - 1)
                })
            })
            .collect();
        renumber(&Renumber { errors: &errors, sources: &sources });
    }

    /// The two tables.
    #[must_use]
    pub fn finish(self) -> (Vec<String>, Vec<ReadError>) {
        (self.sources, self.errors)
    }
}

/// The text itself, which has to say something: an empty one is nobody's model, revision or state.
pub(crate) fn some_text(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("the file is empty".to_owned()),
        text => Ok(text.to_owned()),
    }
}

fn error_kind(kind: HostErrorKind) -> ErrorKind {
    match kind {
        HostErrorKind::NotFound => ErrorKind::NotFound,
        HostErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
        HostErrorKind::NotInCapture => ErrorKind::NotInCapture,
        HostErrorKind::TimedOut => ErrorKind::TimedOut,
        HostErrorKind::TooLarge => ErrorKind::TooLarge,
        HostErrorKind::ToolMissing => ErrorKind::ToolMissing,
        HostErrorKind::NotSupported => ErrorKind::NotSupported,
        HostErrorKind::Malformed => ErrorKind::Malformed,
        HostErrorKind::Io => ErrorKind::Io,
    }
}
