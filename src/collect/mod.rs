//! From a [`Host`](crate::host::Host) to an [`Inventory`](crate::inventory::Inventory): one file a section. Asks and parses; never judges, never aborts.

pub mod controllers;
pub mod cpu;
pub mod cpulist;
pub mod ledger;
pub mod memory;
pub mod numa;
pub mod pci;

use crate::host::Host;
use crate::inventory::{Inventory, Node, SCHEMA};
use crate::reading::{Reading, Record};
use ledger::{Joined, Ledger};

/// Reads one machine. Sections are joined in a fixed order, so the same answers give the same bytes.
#[must_use]
pub fn collect(host: &dyn Host) -> Inventory {
    let mut joined = Joined::default();
    let mut node = Node::default();

    let ledger = Ledger::new(host);
    let mut collected_at = match host.now() {
        Ok(time) => Reading::Known(time.to_string()),
        Err(error) => Reading::Unreadable(ledger.host_error(error)),
    };
    joined.append(ledger.close(), |ids| {
        crate::reading::Fact::renumber(&mut collected_at, ids);
        node.renumber(ids);
    });

    let (sources, errors) = joined.finish();
    Inventory {
        schema: SCHEMA.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        collected_at,
        node,
        sources,
        errors,
    }
}
