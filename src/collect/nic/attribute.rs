//! Attributes of sysfs that the kernel refuses, by `EINVAL` or `EOPNOTSUPP`, where they are not defined.
//!
//! A tree that somebody copied holds an empty file in such a place, for the copy could not read it.

use crate::collect::ledger::{Ledger, Read};
use crate::host::{HostError, HostErrorKind};
use crate::reading::{ErrorKind, Reading};

/// What became of such an attribute.
pub(crate) enum Attribute {
    /// Its text, not empty, without white space at its end.
    Text(String),
    /// The kernel does not define it now, or the driver does not tell it. The refusal, unless the file is empty.
    Undefined(Option<HostError>),
    /// It could not be read.
    Failed(HostError),
}

impl Attribute {
    /// Asks for it.
    pub(crate) fn read(ledger: &Ledger<'_>, path: &str) -> Self {
        match ledger.host().read(path) {
            Ok(bytes) => match String::from_utf8_lossy(&bytes).trim_end() {
                "" => Self::Undefined(None),
                text => Self::Text(text.to_owned()),
            },
            Err(error) if refused(&error) => Self::Undefined(Some(error)),
            Err(error) => Self::Failed(error),
        }
    }
}

/// Whether the kernel said that there is nothing to tell (`EINVAL` has no kind of its own).
fn refused(error: &HostError) -> bool {
    error.kind == HostErrorKind::NotSupported || (error.kind == HostErrorKind::Io && error.cause == "invalid argument")
}

/// Why an attribute that is not defined could not be told.
pub(crate) fn undefined<T>(ledger: &Ledger<'_>, path: &str, refusal: Option<HostError>, why: &str) -> Reading<T> {
    let error = match refusal {
        Some(refusal) => ledger.error(refusal.operation, ErrorKind::NotSupported, format!("{}: {why}", refusal.cause)),
        None => ledger.error(format!("read {path}"), ErrorKind::NotSupported, format!("the file is empty: {why}")),
    };
    Reading::Unreadable(error)
}

/// Why an attribute could not be read; `missing` says what it means that there is no such file.
pub(crate) fn failed<T>(ledger: &Ledger<'_>, error: HostError, missing: &'static str) -> Reading<T> {
    if error.kind == HostErrorKind::NotFound {
        let cause = format!("{}: {missing}", error.cause);
        return Reading::Unreadable(ledger.error(error.operation, ErrorKind::NotFound, cause));
    }
    Reading::Unreadable(ledger.host_error(error))
}

/// A fact that a driver may not have: absent if there is no such file, or the kernel refuses it.
pub(crate) fn optional<T>(
    ledger: &Ledger<'_>,
    path: &str,
    parse: impl FnOnce(&str) -> Result<Option<T>, String>,
) -> Read<T> {
    let reading = match Attribute::read(ledger, path) {
        Attribute::Text(text) => known_or_absent(ledger, path, parse(&text)),
        Attribute::Undefined(_) => Reading::Absent,
        Attribute::Failed(error) if error.kind == HostErrorKind::NotFound => Reading::Absent,
        Attribute::Failed(error) => Reading::Unreadable(ledger.host_error(error)),
    };
    Read { reading, source: ledger.source(path) }
}

/// What a parser found: a value, nothing, or damage.
pub(crate) fn known_or_absent<T>(ledger: &Ledger<'_>, path: &str, parsed: Result<Option<T>, String>) -> Reading<T> {
    match parsed {
        Ok(Some(value)) => Reading::Known(value),
        Ok(None) => Reading::Absent,
        Err(cause) => ledger.malformed(path, cause),
    }
}

/// A reading whose value may say that there is none.
pub(crate) fn flatten<T>(read: Read<Option<T>>) -> Read<T> {
    let reading = match read.reading {
        Reading::Known(Some(value)) => Reading::Known(value),
        Reading::Known(None) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: read.source }
}

/// Text as it is.
pub(crate) fn text(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    Ok((!text.is_empty()).then(|| text.to_owned()))
}
