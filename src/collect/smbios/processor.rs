//! Processor sockets (type 4).

use super::fields::Fields;
use super::table::Structure;
use crate::collect::ledger::{Ledger, Read};
use crate::inventory::smbios::ProcessorSocket;
use crate::reading::Reading;
use crate::units::Hertz;

/// Processor Information.
pub(super) const PROCESSOR: u8 = 4;
/// Processor Type "Central Processor" (7.5.1); others are DSPs and graphics.
const CENTRAL: u8 = 3;

/// One socket; `None` for a processor that is no CPU.
pub(super) fn socket(ledger: &Ledger<'_>, structure: &Structure) -> Option<ProcessorSocket> {
    if structure.byte(0x05).is_some_and(|kind| kind != CENTRAL) {
        return None;
    }
    let fields = Fields::new(ledger, structure);
    let mut socket = ProcessorSocket::default();
    set!(socket.handle, fields.read(Reading::Known(u64::from(structure.handle))));
    set!(socket.locator, fields.text(0x04));
    let status = structure.byte(0x18);
    let populated = status.map(|status| status & 0x40 != 0);
    set!(socket.populated, fields.read(populated.map_or_else(|| fields.malformed("no status"), Reading::Known)));
    let empty = populated == Some(false);
    macro_rules! fitted {
        ($field:ident, $read:expr) => {
            set!(socket.$field, if empty { fields.read(Reading::Absent) } else { $read })
        };
    }
    // 7.5: 1 enabled, 2 disabled by the user, 3 disabled by the firmware's self-test, 4 idle.
    fitted!(
        enabled,
        fields.read(match status.map(|status| status & 0x07) {
            None => fields.malformed("no status"),
            Some(1) => Reading::Known(true),
            Some(2..=4) => Reading::Known(false),
            Some(_) => fields.untold("the firmware does not tell whether the processor is enabled"),
        })
    );
    fitted!(manufacturer, fields.text(0x07));
    fitted!(version, fields.text(0x10));
    let megahertz = |read: Read<u64>| read.map(|megahertz| Hertz(megahertz * 1_000_000));
    set!(socket.max_speed, megahertz(fields.number(structure.word(0x14), 0, "highest clock")));
    fitted!(current_speed, megahertz(fields.number(structure.word(0x16), 0, "clock")));
    fitted!(serial, fields.text(0x20));
    fitted!(asset_tag, fields.text(0x21));
    fitted!(part_number, fields.text(0x22));
    fitted!(cores, count(&fields, 0x23, 0x2A, "number of cores"));
    fitted!(cores_enabled, count(&fields, 0x24, 0x2C, "number of enabled cores"));
    fitted!(threads, count(&fields, 0x25, 0x2E, "number of threads"));
    Some(socket)
}

/// A count of one byte; FFh sends to a word (7.5.6 to 7.5.8). 0 is unknown, of the word FFFFh reserved.
fn count(fields: &Fields<'_, '_, '_>, byte: usize, word: usize, what: &str) -> Read<u64> {
    match fields.structure.byte(byte) {
        Some(0xFF) => match fields.structure.word(word) {
            Some(0xFFFF) | None => fields.read(fields.malformed(format!("no {what}"))),
            Some(count) => fields.number(Some(count), 0, what),
        },
        count => fields.number(count, 0, what),
    }
}
