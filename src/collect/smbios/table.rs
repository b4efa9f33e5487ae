//! The table of SMBIOS as structures: where each begins and ends (SMBIOS 3.7.0, section 6.1), and its fields.
//!
//! Fields and strings are read by the crate `smbios-lib`, which takes the bytes of one structure. It is given nothing but
//! structures that are whole, for it panics on others (a length below 4, no string set), and its own way through a table gives
//! no word of where it stopped. Its file access is not used. Knows no type of structure.

use smbioslib::UndefinedStruct;

/// End of table (7.45).
const END_OF_TABLE: u8 = 127;
/// Type, length and handle (6.1.2).
const HEADER: usize = 4;
/// Most structures that are looked at: handles are of 16 bits, FF00h and above reserved.
const MOST: usize = 0x10000;

/// One structure.
pub(super) struct Structure {
    pub(super) kind: u8,
    pub(super) handle: u16,
    inner: UndefinedStruct,
}

impl Structure {
    /// The byte at an offset of the specification; `None` if the structure is shorter.
    pub(super) fn byte(&self, offset: usize) -> Option<u8> {
        self.inner.get_field_byte(offset)
    }

    /// Two bytes.
    pub(super) fn word(&self, offset: usize) -> Option<u16> {
        self.inner.get_field_word(offset)
    }

    /// Four bytes.
    pub(super) fn dword(&self, offset: usize) -> Option<u32> {
        self.inner.get_field_dword(offset)
    }

    /// Eight bytes.
    pub(super) fn qword(&self, offset: usize) -> Option<u64> {
        self.inner.get_field_qword(offset)
    }

    /// Bytes at an offset.
    pub(super) fn bytes(&self, offset: usize, length: usize) -> Option<&[u8]> {
        self.inner.get_field_data(offset, offset.saturating_add(length))
    }

    /// The string whose number stands at an offset; empty for number 0. Strings should be UTF-8 (6.1.3), and are not on old
    /// machines: what is not is replaced.
    pub(super) fn string(&self, offset: usize) -> Option<Result<String, String>> {
        let number = self.byte(offset)?;
        if number == 0 {
            return Some(Ok(String::new()));
        }
        // The last of the set is the empty one behind the closing NUL, which is no string.
        let strings: Vec<&Vec<u8>> = self.inner.strings.iter().take_while(|string| !string.is_empty()).collect();
        Some(match strings.get(usize::from(number) - 1) {
            Some(string) => Ok(String::from_utf8_lossy(string).into_owned()),
            None => Err(format!("string {number} at offset {offset:02X}h of {} strings", strings.len())),
        })
    }
}

/// A table taken apart.
pub(super) struct Table {
    /// In their order.
    pub(super) structures: Vec<Structure>,
    /// Why there may be more.
    pub(super) broken: Option<String>,
}

/// Takes a table apart. It is whole if it ends with the end-of-table structure, or with as many structures as the entry
/// point counts: old firmware may leave out the former.
pub(super) fn parse(bytes: &[u8], count: Option<u16>) -> Table {
    let mut structures = Vec::new();
    let mut at = 0;
    let broken = loop {
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else {
            break match count {
                Some(count) if usize::from(count) == structures.len() => None,
                _ => Some(format!("no end-of-table structure after {} structures", structures.len())),
            };
        };
        let Some(length) = structure_length(rest) else {
            // Firmware that pads behind its last structure.
            break match count {
                Some(count) if usize::from(count) <= structures.len() => None,
                _ => Some(format!("the structure at {at:X}h is not whole")),
            };
        };
        let (Some(raw), Some([kind, _, low, high])) = (rest.get(..length), rest.first_chunk::<HEADER>()) else {
            break Some(format!("the structure at {at:X}h is not whole"));
        };
        if *kind == END_OF_TABLE {
            break None;
        }
        if structures.len() >= MOST {
            break Some(format!("more than {MOST} structures"));
        }
        let inner = UndefinedStruct::new(&raw.to_vec());
        structures.push(Structure { kind: *kind, handle: u16::from_le_bytes([*low, *high]), inner });
        at = at.saturating_add(length);
    };
    Table { structures, broken }
}

/// Bytes of the structure at the start, with its strings and their two closing NULs; `None` if it is not whole.
fn structure_length(bytes: &[u8]) -> Option<usize> {
    let formatted = usize::from(*bytes.get(1)?);
    if formatted < HEADER {
        return None;
    }
    let strings = bytes.get(formatted..)?;
    let end = strings.windows(2).position(|pair| pair == [0, 0])?;
    Some(formatted + end + 2)
}

/// What the entry point says (5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EntryPoint {
    /// Major and minor version.
    pub(super) version: (u8, u8),
    /// Structures; only the 32-bit entry point counts them.
    pub(super) count: Option<u16>,
}

/// The 32-bit (`_SM_`) or the 64-bit (`_SM3_`) entry point. Some firmware writes its version in other ways, as the kernel
/// corrects too (`drivers/firmware/dmi_scan.c`, dmi_smbios3_present and dmi_present).
pub(super) fn entry_point(bytes: &[u8]) -> Result<EntryPoint, String> {
    let byte = |at: usize| bytes.get(at).copied().ok_or("too short");
    if bytes.starts_with(b"_SM3_") {
        return Ok(EntryPoint { version: (byte(7)?, byte(8)?), count: None });
    }
    if bytes.starts_with(b"_SM_") {
        let version = match (byte(6)?, byte(7)?) {
            (2, 31 | 33) => (2, 3),
            (2, 51) => (2, 6),
            version => version,
        };
        return Ok(EntryPoint { version, count: Some(u16::from_le_bytes([byte(0x1C)?, byte(0x1D)?])) });
    }
    if bytes.starts_with(b"_DMI_") {
        // The legacy anchor: version in binary coded decimal.
        let version = byte(0x0E)?;
        return Ok(EntryPoint {
            version: (version >> 4, version & 0x0F),
            count: Some(u16::from_le_bytes([byte(0x0C)?, byte(0x0D)?])),
        });
    }
    Err("no anchor of an entry point".to_owned())
}
