//! From a field of a structure to a reading with its source.
//!
//! Three ends: the structure is too short for the field (absent: the firmware's version of SMBIOS has no such), the firmware
//! says that it does not know (unreadable), or a value.

use super::TABLE;
use super::table::Structure;
use super::words::Word;
use crate::collect::ledger::{Ledger, Read};
use crate::collect::system::filled;
use crate::reading::{ErrorKind, Reading, SourceId};

/// One structure, and where it is.
pub(super) struct Fields<'l, 'h, 's> {
    pub(super) ledger: &'l Ledger<'h>,
    pub(super) structure: &'s Structure,
    source: SourceId,
}

impl<'l, 'h, 's> Fields<'l, 'h, 's> {
    pub(super) fn new(ledger: &'l Ledger<'h>, structure: &'s Structure) -> Self {
        let source = ledger.source(place(structure));
        Self { ledger, structure, source }
    }

    /// A reading with this structure as its source.
    pub(super) fn read<T>(&self, reading: Reading<T>) -> Read<T> {
        Read { reading, source: self.source }
    }

    /// What the firmware does not tell.
    pub(super) fn untold<T>(&self, cause: impl Into<String>) -> Reading<T> {
        let operation = format!("read {}", place(self.structure));
        Reading::Unreadable(self.ledger.error(operation, ErrorKind::NotSupported, cause))
    }

    /// What is not as the specification demands.
    pub(super) fn malformed<T>(&self, cause: impl Into<String>) -> Reading<T> {
        self.ledger.malformed(&place(self.structure), cause)
    }

    /// A string; absent if it is empty or a placeholder.
    pub(super) fn text(&self, offset: usize) -> Read<String> {
        self.string(offset, |text| filled(text).unwrap_or(None))
    }

    /// A string; absent if the function says so.
    pub(super) fn string(&self, offset: usize, keep: impl FnOnce(&str) -> Option<String>) -> Read<String> {
        self.read(match self.structure.string(offset) {
            None => Reading::Absent,
            Some(Ok(text)) => keep(&text).map_or(Reading::Absent, Reading::Known),
            Some(Err(cause)) => self.malformed(cause),
        })
    }

    /// A number of a list of words.
    pub(super) fn word(&self, offset: usize, what: &str, word: fn(u8) -> Word) -> Read<String> {
        self.read(match self.structure.byte(offset) {
            None => Reading::Absent,
            Some(number) => match word(number) {
                Word::Is(word) => Reading::Known(word.to_owned()),
                Word::Untold => self.untold(match number {
                    1 => format!("the firmware says that the {what} is another than its list has"),
                    2 => format!("the firmware says that it does not know the {what}"),
                    _ => format!("{what} {number:02X}h is not known"),
                }),
            },
        })
    }

    /// A number of which one value means that the firmware does not know.
    pub(super) fn number<N: Into<u64> + Copy + PartialEq>(
        &self,
        value: Option<N>,
        unknown: N,
        what: &str,
    ) -> Read<u64> {
        self.read(match value {
            None => Reading::Absent,
            Some(value) if value == unknown => {
                self.untold(format!("the firmware says that it does not know the {what}"))
            }
            Some(value) => Reading::Known(value.into()),
        })
    }
}

/// Where a structure is, in words.
pub(super) fn place(structure: &Structure) -> String {
    format!("{TABLE}, type {} handle {:04X}h", structure.kind, structure.handle)
}
