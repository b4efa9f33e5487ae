//! From what was found to records of the inventory.

use super::partition_table::Part;
use super::region::{Checked, Found};
use super::{Content, Looked};
use crate::collect::ledger::{Ledger, Read};
use crate::inventory::signature::{Partition, Signature};
use crate::reading::{Reading, SourceId};
use crate::units::Bytes;

/// The records of one block device.
pub(super) fn content(ledger: &Ledger<'_>, name: &str, looked: Looked) -> Content {
    let source = ledger.source(format!("/dev/{name}"));
    Content {
        signatures: looked.found.iter().map(|(f, base, number)| signature(name, f, *base, *number, source)).collect(),
        partitions: looked.parts.iter().map(|part| partition(name, part, source)).collect(),
        reasons: looked.reasons,
        data: looked.data,
    }
}

fn known<T>(value: T, source: SourceId) -> Read<T> {
    Read { reading: Reading::Known(value), source }
}

fn maybe<T>(value: Option<T>, source: SourceId) -> Read<T> {
    Read { reading: value.map_or(Reading::Absent, Reading::Known), source }
}

fn signature(name: &str, found: &Found, base: u64, number: Option<u64>, source: SourceId) -> Signature {
    let mut signature = Signature::default();
    set!(signature.kind, known(found.kind, source));
    set!(signature.family, known(found.kind.family(), source));
    set!(signature.device, known(name.to_owned(), source));
    set!(signature.partition, maybe(number, source));
    set!(signature.offset, known(Bytes(base.saturating_add(found.offset)), source));
    set!(signature.label, maybe(found.label.clone(), source));
    set!(signature.uuid, maybe(found.uuid.clone(), source));
    set!(signature.member_of, maybe(found.member_of.clone(), source));
    set!(signature.version, maybe(found.version.clone(), source));
    let (intact, damage) = match &found.checked {
        Checked::No => (Reading::Absent, Reading::Absent),
        Checked::Right => (Reading::Known(true), Reading::Absent),
        Checked::Wrong(what) => (Reading::Known(false), Reading::Known(what.clone())),
        Checked::Unread(error) => (Reading::Unreadable(*error), Reading::Unreadable(*error)),
    };
    set!(signature.intact, Read { reading: intact, source });
    set!(signature.damage, Read { reading: damage, source });
    signature
}

fn partition(name: &str, part: &Part, source: SourceId) -> Partition {
    let mut partition = Partition::default();
    set!(partition.device, known(name.to_owned(), source));
    set!(partition.number, known(part.number, source));
    set!(partition.start, known(Bytes(part.start), source));
    set!(partition.bytes, known(Bytes(part.bytes), source));
    set!(partition.type_id, known(part.type_id.clone(), source));
    set!(partition.type_name, maybe(part.type_name.map(str::to_owned), source));
    set!(partition.label, maybe(part.label.clone(), source));
    set!(partition.uuid, maybe(part.uuid.clone(), source));
    partition
}
