//! What the table says of system, board, chassis and firmware (types 0 to 3), beside what the kernel's files say.
//!
//! The kernel's files are what tools show; the table fills what the user may not read there or what no file has. Where both tell,
//! and not the same, the fact is unreadable: a conflict with both in words.

use super::fields::{Fields, place};
use super::table::{EntryPoint, Structure, Table};
use crate::collect::ledger::{Ledger, Read};
use crate::collect::system::{filled, parse_uuid, stated};
use crate::inventory::System;
use crate::reading::{ErrorKind, Reading};

/// What the kernel's file makes of a string (`ascii_filter` of `drivers/firmware/dmi-id.c`, and `dmi_string_nosave` of
/// `dmi_scan.c`): blanks at the start are kept, control characters and all that is not ASCII are dropped.
fn as_the_kernel_shows(text: &str) -> String {
    text.chars().filter(|c| (' '..='\u{7E}').contains(c)).collect::<String>().trim().to_owned()
}

/// Completes and compares. Of several structures of a type the kernel takes the first of types 0, 1 and 3 and of type 2; so here.
pub(super) fn complete(ledger: &Ledger<'_>, table: &Table, entry: Reading<EntryPoint>, system: &mut System) {
    let first = |kind: u8| table.structures.iter().find(|structure| structure.kind == kind);
    let kept = |text: &str| filled(&as_the_kernel_shows(text)).unwrap_or(None);
    let said = |text: &str| stated(&as_the_kernel_shows(text)).unwrap_or(None);
    macro_rules! merge {
        ($structure:expr, $($field:ident = $read:expr),* $(,)?) => {
            if let Some(structure) = $structure {
                let fields = Fields::new(ledger, structure);
                $(
                    let read = $read(&fields);
                    if let Some(read) = merged(ledger, structure, &system.$field, read) {
                        set!(system.$field, read);
                    }
                )*
            }
        };
    }
    merge!(
        first(0),
        bios_vendor = |fields: &Fields<'_, '_, '_>| fields.string(0x04, said),
        bios_version = |fields: &Fields<'_, '_, '_>| fields.string(0x05, said),
        bios_date = |fields: &Fields<'_, '_, '_>| fields.string(0x08, said),
        bios_release = release,
    );
    merge!(
        first(1),
        vendor = |fields: &Fields<'_, '_, '_>| fields.string(0x04, kept),
        product = |fields: &Fields<'_, '_, '_>| fields.string(0x05, kept),
        product_version = |fields: &Fields<'_, '_, '_>| fields.string(0x06, kept),
        serial = |fields: &Fields<'_, '_, '_>| fields.string(0x07, kept),
        uuid = |fields: &Fields<'_, '_, '_>| uuid(fields, &entry),
        sku = |fields: &Fields<'_, '_, '_>| fields.string(0x19, kept),
        family = |fields: &Fields<'_, '_, '_>| fields.string(0x1A, kept),
    );
    merge!(
        first(2),
        board_vendor = |fields: &Fields<'_, '_, '_>| fields.string(0x04, kept),
        board_product = |fields: &Fields<'_, '_, '_>| fields.string(0x05, kept),
        board_serial = |fields: &Fields<'_, '_, '_>| fields.string(0x07, kept),
    );
    merge!(
        first(3),
        chassis_type = |fields: &Fields<'_, '_, '_>| fields.read(
            // Bit 7: a chassis lock is present (7.4).
            fields.structure.byte(0x05).map_or(Reading::Absent, |kind| Reading::Known(u64::from(kind & 0x7F)))
        ),
    );
}

/// The reading to take instead; `None` to keep the one there is.
fn merged<T: PartialEq + std::fmt::Display>(
    ledger: &Ledger<'_>,
    structure: &Structure,
    there: &Reading<T>,
    table: Read<T>,
) -> Option<Read<T>> {
    match (there, &table.reading) {
        (Reading::Known(there), Reading::Known(told)) if there != told => {
            let cause = format!("the kernel's file says {there}, the table {told}");
            let error = ledger.error(format!("read {}", place(structure)), ErrorKind::Conflict, cause);
            Some(Read { reading: Reading::Unreadable(error), source: table.source })
        }
        // A file that is not there and a table with a value are no conflict: kernels have files for few of the strings.
        (Reading::Unreadable(_) | Reading::Absent, Reading::Known(_)) => Some(table),
        // The table has none: neither has a file that could not be read.
        (Reading::Unreadable(_), Reading::Absent) => Some(table),
        _ => None,
    }
}

/// BIOS release, major and minor (7.1, offsets 14h and 15h); FFh for each is none.
fn release(fields: &Fields<'_, '_, '_>) -> Read<String> {
    fields.read(match (fields.structure.byte(0x14), fields.structure.byte(0x15)) {
        (Some(0xFF), _) | (_, Some(0xFF)) | (None, _) | (_, None) => Reading::Absent,
        (Some(major), Some(minor)) => Reading::Known(format!("{major}.{minor}")),
    })
}

/// The first three fields of a UUID are little-endian since SMBIOS 2.6 (7.2.1); before, its bytes stand in the order of RFC 4122.
fn uuid(fields: &Fields<'_, '_, '_>, entry: &Reading<EntryPoint>) -> Read<String> {
    let Some(bytes) = fields.structure.bytes(0x08, 16).and_then(|bytes| <[u8; 16]>::try_from(bytes).ok()) else {
        return fields.read(Reading::Absent);
    };
    let entry = match entry {
        Reading::Known(entry) => entry,
        Reading::Unreadable(error) => return fields.read(Reading::Unreadable(*error)),
        Reading::Absent => {
            return fields.read(fields.untold("without the version of SMBIOS its byte order is not known"));
        }
    };
    fields.read(match parse_uuid(&uuid_text(bytes, entry.version >= (2, 6))) {
        Ok(Some(uuid)) => Reading::Known(uuid),
        Ok(None) => Reading::Absent,
        Err(cause) => fields.malformed(cause),
    })
}

/// As text, in the byte order named.
pub(super) fn uuid_text(bytes: [u8; 16], little: bool) -> String {
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    let head = if little { [d, c, b, a, f, e, h, g] } else { [a, b, c, d, e, f, g, h] };
    let mut text = String::with_capacity(36);
    for (place, byte) in head.into_iter().chain(rest).enumerate() {
        if [4, 6, 8, 10].contains(&place) {
            text.push('-');
        }
        text.push_str(&format!("{byte:02x}"));
    }
    text
}
