//! Physical slots of PCI: what the firmware names, and what a hot-plug driver tells (`drivers/pci/slot.c`, `drivers/pci/hotplug/pci_hotplug_core.c`).

use super::{ALWAYS, number, numbers};
use crate::collect::controllers::ports::parse_flag;
use crate::collect::ledger::{Ledger, Missing, Read, some_text};
use crate::inventory::enclosure::PciSlot;
use crate::reading::{Collection, ErrorId, Reading};

pub(super) const SLOTS: &str = "/sys/bus/pci/slots";

pub(super) fn collect(ledger: &Ledger<'_>) -> Collection<PciSlot> {
    match ledger.names(SLOTS, Missing::Untold("every kernel with PCI has it")) {
        Reading::Known(listing) => {
            let mut names: Vec<&String> = listing.names.iter().collect();
            names.sort_by_key(|name| numbers(name));
            let reasons: Vec<ErrorId> = if listing.complete { Vec::new() } else { vec![ledger.incomplete(SLOTS)] };
            Collection::new(names.into_iter().map(|name| slot(ledger, name)).collect(), reasons)
        }
        Reading::Absent => Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => Collection::Unreadable(error),
    }
}

fn slot(ledger: &Ledger<'_>, name: &str) -> PciSlot {
    let at = |file: &str| format!("{SLOTS}/{name}/{file}");
    let mut record = PciSlot::default();
    let source = ledger.source(format!("list {SLOTS}"));
    set!(record.name, Read { reading: Reading::Known(name.to_owned()), source });
    set!(record.address, ledger.parsed(&at("address"), ALWAYS, some_text));
    // The core makes a file only where the hot-plug driver has the function for it.
    set!(record.power, ledger.parsed(&at("power"), Missing::Absent, parse_flag));
    set!(record.attention, ledger.parsed(&at("attention"), Missing::Absent, number));
    set!(record.latch_open, ledger.parsed(&at("latch"), Missing::Absent, parse_flag));
    set!(record.adapter, ledger.parsed(&at("adapter"), Missing::Absent, parse_flag));
    record
}
