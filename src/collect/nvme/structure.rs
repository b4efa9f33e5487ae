//! From an admin command to facts: a structure that was answered, or why not, and its fields one by one.

use crate::collect::ledger::{Ledger, Read};
use crate::host::{NvmeAdmin, NvmeAnswer, Question};
use crate::reading::{ErrorId, ErrorKind, Reading, SourceId};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// What a refused command means for its facts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Support {
    /// Every controller of the kind answers it.
    Mandatory,
    /// A controller may not know it: its facts are absent then.
    Optional,
}

/// Status codes by which a controller says that it does not know what it was asked for (base specification, "Status Code"): Invalid Command Opcode,
/// Invalid Field in Command, Invalid Log Page.
const UNKNOWN_TO_IT: [u16; 3] = [0x001, 0x002, 0x109];

/// Puts a command to a controller.
pub(super) fn ask(ledger: &Ledger<'_>, device: &str, command: NvmeAdmin, support: Support) -> Read<NvmeAnswer> {
    let operation = Question::NvmeAdmin(device.to_owned(), command).operation();
    let source = ledger.source(operation.strip_prefix("ask ").unwrap_or(&operation));
    let reading = match ledger.host().nvme_admin(device, &command) {
        Ok(answer) if answer.status == 0 => Reading::Known(answer),
        Ok(answer) if support == Support::Optional && UNKNOWN_TO_IT.contains(&answer.status) => Reading::Absent,
        Ok(answer) => {
            let cause = format!(
                "the controller answers with status code type {:X}h, status code {:02X}h",
                answer.status >> 8,
                answer.status & 0xff
            );
            Reading::Unreadable(ledger.error(operation, ErrorKind::Io, cause))
        }
        Err(error) => Reading::Unreadable(ledger.host_error(error)),
    };
    Read { reading, source }
}

/// A structure that was answered, or what its fields are instead.
pub(super) struct Structure<'a, S> {
    pub(super) reading: Reading<&'a S>,
    pub(super) source: SourceId,
    /// Device and structure, as in "/dev/nvme0 Identify Controller".
    pub(super) name: String,
}

impl<'a, S: FromBytes + KnownLayout + Immutable + Unaligned> Structure<'a, S> {
    /// Lays a structure over an answer.
    pub(super) fn of(ledger: &Ledger<'_>, answer: &'a Read<NvmeAnswer>, name: String) -> Self {
        let reading = match &answer.reading {
            Reading::Known(answer) => match super::layout::of(&answer.data) {
                Ok(laid_out) => Reading::Known(laid_out),
                Err(cause) => ledger.malformed(&name, cause),
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        Self { reading, source: answer.source, name }
    }
}

impl<S> Structure<'_, S> {
    /// One field: what a pure function makes of the structure. `None` is what the controller has not.
    pub(super) fn field<T>(&self, ledger: &Ledger<'_>, parse: impl FnOnce(&S) -> Result<Option<T>, String>) -> Read<T> {
        let reading = match &self.reading {
            Reading::Known(structure) => match parse(structure) {
                Ok(Some(value)) => Reading::Known(value),
                Ok(None) => Reading::Absent,
                Err(cause) => ledger.malformed(&self.name, cause),
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        Read { reading, source: self.source }
    }

    /// A structure that could not be asked for.
    pub(super) fn unread(error: ErrorId, source: SourceId, name: String) -> Self {
        Self { reading: Reading::Unreadable(error), source, name }
    }
}
