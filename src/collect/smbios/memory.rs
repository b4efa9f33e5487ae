//! Memory arrays (type 16) and memory slots (type 17).

use super::fields::Fields;
use super::table::Structure;
use super::words;
use crate::collect::ledger::{Ledger, Read};
use crate::collect::system::filled;
use crate::inventory::smbios::{Dimm, MemoryArray};
use crate::reading::Reading;
use crate::units::{Bytes, TransfersPerSec};
use std::collections::BTreeMap;

/// Physical Memory Array.
pub(super) const ARRAY: u8 = 16;
/// Memory Device.
pub(super) const DEVICE: u8 = 17;

/// One array.
pub(super) fn array(ledger: &Ledger<'_>, structure: &Structure) -> MemoryArray {
    let fields = Fields::new(ledger, structure);
    let mut array = MemoryArray::default();
    set!(array.handle, fields.read(Reading::Known(u64::from(structure.handle))));
    set!(array.purpose, fields.word(0x05, "use of the array", words::purpose));
    set!(array.error_correction, fields.word(0x06, "error correction", words::error_correction));
    // 7.17: in KiB; 80000000h if the capacity does not fit, which is then at 0Fh in bytes.
    let capacity = match (structure.dword(0x07), structure.qword(0x0F)) {
        (None, _) => Reading::Absent,
        (Some(0x8000_0000), Some(bytes)) if bytes > 0 => Reading::Known(Bytes(bytes)),
        (Some(0x8000_0000 | 0), _) => fields.untold("the firmware does not tell the capacity"),
        (Some(kib), _) => Reading::Known(Bytes(u64::from(kib) << 10)),
    };
    set!(array.max_capacity, fields.read(capacity));
    set!(array.slots, fields.read(structure.word(0x0D).map_or(Reading::Absent, |slots| Reading::Known(slots.into()))));
    array
}

/// What the size field says (7.18, offset 0Ch).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    /// No module.
    Empty,
    /// The firmware does not know.
    Unknown,
    /// The structure has no such field, or the extended one is missing.
    Broken,
    /// Bytes.
    Is(u64),
}

/// Size in bytes. Bit 15 set means KiB, else MiB; 7FFFh that the extended size (1Ch, MiB, bits 30:0; 7.18.5) holds it.
pub(super) fn size(size: Option<u16>, extended: Option<u32>) -> Size {
    match size {
        None => Size::Broken,
        Some(0) => Size::Empty,
        Some(0xFFFF) => Size::Unknown,
        Some(0x7FFF) => match extended.map(|mib| mib & 0x7FFF_FFFF) {
            Some(0) | None => Size::Broken,
            Some(mib) => Size::Is(u64::from(mib) << 20),
        },
        Some(kib) if kib & 0x8000 != 0 => match kib & 0x7FFF {
            0 => Size::Broken,
            kib => Size::Is(u64::from(kib) << 10),
        },
        Some(mib) => Size::Is(u64::from(mib) << 20),
    }
}

/// One slot.
pub(super) fn dimm(ledger: &Ledger<'_>, structure: &Structure, arrays: &[MemoryArray]) -> Dimm {
    let fields = Fields::new(ledger, structure);
    let mut dimm = Dimm::default();
    set!(dimm.handle, fields.read(Reading::Known(u64::from(structure.handle))));
    set!(dimm.locator, fields.string(0x10, stated));
    set!(dimm.bank_locator, fields.string(0x11, stated));
    set!(dimm.purpose, fields.read(purpose(&fields, arrays)));
    let size = size(structure.word(0x0C), structure.dword(0x1C));
    let (populated, bytes) = match size {
        Size::Empty => (Reading::Known(false), Reading::Absent),
        Size::Unknown => {
            let unknown = "the firmware says that it does not know the size";
            (fields.untold(unknown), fields.untold(unknown))
        }
        Size::Broken => (fields.malformed("no size"), fields.malformed("no size")),
        Size::Is(bytes) => (Reading::Known(true), Reading::Known(Bytes(bytes))),
    };
    set!(dimm.populated, fields.read(populated));
    set!(dimm.bytes, fields.read(bytes));
    module(&mut dimm, &fields, size == Size::Empty);
    dimm
}

/// What is of the module, not of the slot: absent if there is none, whatever stands in the fields.
fn module(dimm: &mut Dimm, fields: &Fields<'_, '_, '_>, empty: bool) {
    let structure = fields.structure;
    macro_rules! module {
        ($field:ident, $read:expr) => {
            set!(dimm.$field, if empty { fields.read(Reading::Absent) } else { $read })
        };
    }
    module!(form_factor, fields.word(0x0E, "form factor", words::form_factor));
    module!(memory_type, fields.word(0x12, "memory type", words::memory_type));
    module!(
        type_detail,
        fields.read(structure.word(0x13).map_or(Reading::Absent, |bits| { Reading::Known(words::type_detail(bits)) }))
    );
    module!(rated_speed, fields.read(speed(fields, structure.word(0x15), structure.dword(0x54), "speed")));
    module!(
        configured_speed,
        fields.read(speed(fields, structure.word(0x20), structure.dword(0x58), "configured speed"))
    );
    module!(manufacturer, fields.string(0x17, filled_of_module));
    module!(part_number, fields.string(0x1A, filled_of_module));
    module!(serial, fields.string(0x18, filled_of_module));
    module!(asset_tag, fields.string(0x19, filled_of_module));
    module!(ranks, fields.number(structure.byte(0x1B).map(|attributes| attributes & 0x0F), 0, "ranks"));
    // 7.18: FFFFh is unknown. A total width of 0 cannot be; firmware means by it that it does not know.
    let total =
        fields.number(structure.word(0x08).map(|bits| if bits == 0 { 0xFFFF } else { bits }), 0xFFFF, "total width");
    module!(total_width, total);
    module!(data_width, fields.number(structure.word(0x0A), 0xFFFF, "data width"));
    module!(minimum_millivolts, fields.number(structure.word(0x22), 0, "minimum voltage"));
    module!(maximum_millivolts, fields.number(structure.word(0x24), 0, "maximum voltage"));
    module!(configured_millivolts, fields.number(structure.word(0x26), 0, "configured voltage"));
    module!(technology, fields.word(0x28, "memory technology", words::technology));
    module!(firmware, fields.string(0x2B, stated));
    for (offset, volatile) in [(0x34, false), (0x3C, true)] {
        let what = if volatile { "volatile size" } else { "non-volatile size" };
        let read = if empty {
            fields.read(Reading::Absent)
        } else {
            fields.number(structure.qword(offset), u64::MAX, what).map(Bytes)
        };
        if volatile {
            set!(dimm.volatile, read);
        } else {
            set!(dimm.nonvolatile, read);
        }
    }
}

/// In MT/s: 0 is unknown, FFFFh that the extended speed (bits 30:0; 7.18.4) holds it.
fn speed(
    fields: &Fields<'_, '_, '_>,
    speed: Option<u16>,
    extended: Option<u32>,
    what: &str,
) -> Reading<TransfersPerSec> {
    let megatransfers = match speed {
        None => return Reading::Absent,
        Some(0xFFFF) => extended.map_or(0, |speed| u64::from(speed & 0x7FFF_FFFF)),
        Some(speed) => u64::from(speed),
    };
    match megatransfers {
        0 => fields.untold(format!("the firmware says that it does not know the {what}")),
        known => Reading::Known(TransfersPerSec(known * 1_000_000)),
    }
}

/// What the array of a slot is for. Several arrays of one handle are firmware's mistake; they then have to agree.
fn purpose(fields: &Fields<'_, '_, '_>, arrays: &[MemoryArray]) -> Reading<String> {
    let Some(handle) = fields.structure.word(0x04).map(u64::from) else {
        return fields.malformed("no memory array");
    };
    let mut found = arrays.iter().filter(|array| array.handle.known() == Some(&handle)).map(|array| &array.purpose);
    match found.next() {
        None => fields.malformed(format!("its memory array {handle:04X}h is not in the table")),
        Some(first) if found.all(|other| other == first) => first.clone(),
        Some(_) => fields.malformed(format!("several memory arrays {handle:04X}h of unlike use")),
    }
}

/// A slot's own words, whatever they are.
fn stated(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// What firmware writes for a module that it cannot ask, beside what is a placeholder everywhere: AMI's defaults end with the
/// number of the slot ("Manufacturer00", "SerNum0", "A1_AssetTagNum0", "DIMM_A1_AssetTag").
pub(super) fn filled_of_module(text: &str) -> Option<String> {
    let text = filled(text).unwrap_or(None)?;
    let bare: String = text.chars().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase()).collect();
    const WHOLE: &[&str] = &[
        "manufacturer",
        "sernum",
        "assettagnum",
        "partnum",
        "modulepartnumber",
        "modulemanufacturer",
        "nodimm",
        "notinstalled",
    ];
    const ENDS: &[&str] = &["assettagnum", "dimmassettag"];
    let placeholder = WHOLE.contains(&bare.as_str())
        || ENDS.iter().any(|end| bare.ends_with(end))
        || (bare.starts_with("dimm") && bare.ends_with("assettag"))
        || (bare.starts_with("ffff") && text.len() >= 8 && text.bytes().all(|byte| byte == b'F' || byte == b'f'));
    (!placeholder).then_some(text)
}

/// Names the slots: by locator, with the bank locator where the former is not unique.
pub(super) fn name(ledger: &Ledger<'_>, dimms: &mut [Dimm]) {
    let source = ledger.source("derived: locator and bank locator");
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for locator in dimms.iter().filter_map(|dimm| dimm.locator.known()) {
        *seen.entry(locator.clone()).or_default() += 1;
    }
    for dimm in dimms {
        let reading = match (&dimm.locator, &dimm.bank_locator) {
            (Reading::Known(locator), Reading::Known(bank)) if seen.get(locator).is_some_and(|times| *times > 1) => {
                Reading::Known(format!("{bank} {locator}"))
            }
            (locator, _) => locator.clone(),
        };
        set!(dimm.name, Read { reading, source });
    }
}
