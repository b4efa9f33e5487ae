//! SMBIOS by its table, `/sys/firmware/dmi/tables/DMI`, which root may read: what the kernel's files in `/sys/class/dmi/id`
//! do not tell of processors and memory, and a second reading of what they do.
//!
//! Judges nothing, and knows nothing of the machine but what its firmware claims.

mod fields;
mod identity;
mod memory;
mod processor;
mod table;
#[cfg(test)]
mod tests;
mod words;

use crate::collect::ledger::{Ledger, Missing};
use crate::inventory::System;
use crate::inventory::smbios::{Dimm, MemoryArray, ProcessorSocket};
use crate::reading::{Collection, ErrorKind, Fact, Reading, Renumber, SourceId};
use table::{EntryPoint, Table};

/// The structures, as firmware left them.
const TABLE: &str = "/sys/firmware/dmi/tables/DMI";
/// Version and extent of the table.
const ENTRY_POINT: &str = "/sys/firmware/dmi/tables/smbios_entry_point";
const NO_TABLE: Missing =
    Missing::Untold("the firmware has no SMBIOS, or the kernel does not export it (since Linux 4.2)");

/// What the table tells.
#[derive(Default)]
pub(crate) struct Smbios {
    /// Processor sockets.
    pub(crate) sockets: Collection<ProcessorSocket>,
    /// Memory arrays.
    pub(crate) arrays: Collection<MemoryArray>,
    /// Memory slots.
    pub(crate) dimms: Collection<Dimm>,
}

impl Smbios {
    /// Rewrites every error and source index.
    pub(crate) fn renumber(&mut self, ids: &Renumber<'_>) {
        self.sockets.renumber(ids);
        self.arrays.renumber(ids);
        self.dimms.renumber(ids);
    }
}

/// The source of collections as a whole.
pub(crate) fn source(ledger: &Ledger<'_>) -> SourceId {
    ledger.source(TABLE)
}

/// Reads the table. What the system section has by the kernel's files is completed, and compared, by it.
pub(crate) fn collect(ledger: &Ledger<'_>, system: &mut System) -> Smbios {
    let (table, entry) = match read(ledger) {
        Ok(read) => read,
        Err(error) => {
            return Smbios {
                sockets: Collection::Unreadable(error),
                arrays: Collection::Unreadable(error),
                dimms: Collection::Unreadable(error),
            };
        }
    };
    identity::complete(ledger, &table, entry, system);
    let broken: Vec<_> = table
        .broken
        .iter()
        .map(|cause| ledger.error(format!("parse {TABLE}"), ErrorKind::Malformed, cause.clone()))
        .collect();
    let of = |kind: u8| table.structures.iter().filter(move |structure| structure.kind == kind);
    let sockets = of(processor::PROCESSOR).filter_map(|structure| processor::socket(ledger, structure)).collect();
    let arrays: Vec<_> = of(memory::ARRAY).map(|structure| memory::array(ledger, structure)).collect();
    let mut dimms: Vec<_> = of(memory::DEVICE).map(|structure| memory::dimm(ledger, structure, &arrays)).collect();
    memory::name(ledger, &mut dimms);
    Smbios {
        sockets: Collection::new(sockets, broken.clone()),
        arrays: Collection::new(arrays, broken.clone()),
        dimms: Collection::new(dimms, broken),
    }
}

fn read(ledger: &Ledger<'_>) -> Result<(Table, Reading<EntryPoint>), crate::reading::ErrorId> {
    let bytes = match ledger.bytes(TABLE, NO_TABLE) {
        Reading::Known(bytes) => bytes,
        Reading::Unreadable(error) => return Err(error),
        Reading::Absent => return Err(ledger.error(format!("read {TABLE}"), ErrorKind::NotFound, "no table")),
    };
    if bytes.is_empty() {
        return Err(ledger.error(format!("read {TABLE}"), ErrorKind::Malformed, "it is empty"));
    }
    let entry = match ledger.bytes(ENTRY_POINT, NO_TABLE) {
        Reading::Known(bytes) => match table::entry_point(&bytes) {
            Ok(entry) => Reading::Known(entry),
            Err(cause) => ledger.malformed(ENTRY_POINT, cause),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    let table = table::parse(&bytes, entry.known().and_then(|entry| entry.count));
    Ok((table, entry))
}
