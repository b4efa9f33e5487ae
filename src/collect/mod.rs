//! From a [`Host`] to an [`Inventory`]: one file a section. Asks and parses; never judges, never aborts.

pub mod block;
mod bmc;
mod caution;
mod clock;
pub mod controllers;
pub mod cpu;
pub mod cpulist;
mod dcb;
mod edac;
mod enclosures;
pub mod hidden;
pub mod ledger;
mod live_image;
mod lldp;
pub mod memory;
pub mod nic;
pub mod numa;
mod nvme;
pub mod os;
pub mod pci;
pub mod raid;
mod rdma;
mod security;
mod side_by_side;
pub mod signature;
mod smart;
mod smbios;
pub mod system;
mod time;
mod tuning;
mod virt;

use crate::host::Host;
use crate::inventory::hidden::HiddenDrive;
use crate::inventory::{Inventory, Node, SCHEMA};
use crate::reading::{Collection, ErrorId, Fact, Reading, Record, Sources};
use ledger::{Joined, Ledger};

/// Reads one machine. Sections are joined in a fixed order, so that the same answers give the same bytes.
#[must_use]
pub fn collect(host: &dyn Host) -> Inventory {
    collect_with(host, &|_| ())
}

/// Reads one machine, and tells the name of each section before it is read.
#[must_use]
pub fn collect_with(host: &dyn Host, progress: &dyn Fn(&str)) -> Inventory {
    let mut joined = Joined::default();

    let ledger = Ledger::new(host);
    let mut collected_at = match host.now() {
        Ok(time) => Reading::Known(time.to_string()),
        Err(error) => Reading::Unreadable(ledger.host_error(error)),
    };
    let mut node = Node::default();
    set!(node.hostname, os::hostname(&ledger));
    set!(node.root, os::root(&ledger));
    node.numa_nodes = numa::collect(&ledger, &mut node.sources);
    joined.append(ledger.close(), |ids| {
        collected_at.renumber(ids);
        Record::renumber(&mut node, ids);
    });

    progress("system");
    system_and_smbios(host, &mut joined, &mut node);
    node.time = section(host, &mut joined, |ledger| {
        let mut time = time::collect(ledger);
        clock::complete(ledger, &mut time);
        time
    });
    let firmware = node.system.firmware_interface.known().copied();
    node.security = section(host, &mut joined, |ledger| security::collect(ledger, firmware));
    progress("management controller");
    node.bmc = section(host, &mut joined, bmc::collect);
    progress("os");
    node.os = section(host, &mut joined, os::collect);
    progress("cpu");
    node.cpu = section(host, &mut joined, cpu::collect);
    progress("memory");
    node.memory = section(host, &mut joined, memory::collect);
    let ledger = Ledger::new(host);
    let mut controllers = edac::collect(&ledger);
    let mut tuning = tuning::collect(&ledger);
    let mut sources = Sources::default();
    sources.set("memory_controllers", ledger.source("list /sys/devices/system/edac/mc"));
    joined.append(ledger.close(), |ids| {
        controllers.renumber(ids);
        Record::renumber(&mut tuning, ids);
        ids.record_sources(&mut sources);
    });
    node.sources.extend(&sources);
    node.memory_controllers = controllers;
    node.tuning = tuning;

    progress("block devices");
    let ledger = Ledger::new(host);
    let mut block = block::collect(&ledger);
    nvme::collect(&ledger, &mut block);
    smart::collect(&ledger, &mut block);
    signature::collect(&ledger, &mut block);
    joined.append(ledger.close(), |ids| block.renumber(ids));
    node.drives = block.drives;
    node.nvme_controllers = block.nvme_controllers;
    node.block_devices = block.block_devices;
    node.excluded = block.excluded;

    progress("network");
    let ledger = Ledger::new(host);
    let mut network = nic::collect(&ledger);
    dcb::collect(&ledger, network.nics.items_mut());
    let (mut lldp_agents, mut neighbours) = lldp::collect(&ledger, network.nics.items());
    let mut sources = Sources::default();
    sources.set("lldp_agents", lldp_agents.source);
    sources.set("lldp_neighbours", ledger.source("lldpcli, lldptool"));
    joined.append(ledger.close(), |ids| {
        network.renumber(ids);
        lldp_agents.reading.renumber(ids);
        neighbours.renumber(ids);
        ids.record_sources(&mut sources);
    });
    node.sources.extend(&sources);
    node.lldp_agents = lldp_agents.reading;
    node.lldp_neighbours = neighbours;
    node.nics = network.nics;
    node.bonds = network.bonds;
    node.rdma_devices = network.rdma_devices;
    progress("PCI and storage controllers");
    pci_and_controllers(host, &mut joined, &mut node);
    progress("RAID controllers and enclosures");
    raid(host, &mut joined, &mut node);
    enclosures(host, &mut joined, &mut node);

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

/// Two sections with one ledger, for the table of SMBIOS completes what the kernel's files tell of the system.
fn system_and_smbios(host: &dyn Host, joined: &mut Joined, node: &mut Node) {
    let ledger = Ledger::new(host);
    let mut sources = Sources::default();
    let mut system = system::collect(&ledger);
    let mut smbios = smbios::collect(&ledger, &mut system);
    for field in ["processor_sockets", "memory_arrays", "dimms"] {
        sources.set(field, smbios::source(&ledger));
    }
    joined.append(ledger.close(), |ids| {
        Record::renumber(&mut system, ids);
        smbios.renumber(ids);
        ids.record_sources(&mut sources);
    });
    node.sources.extend(&sources);
    node.system = system;
    node.processor_sockets = smbios.sockets;
    node.memory_arrays = smbios.arrays;
    node.dimms = smbios.dimms;
}

/// Two sections with one ledger, for a storage controller is told by its PCI function.
fn pci_and_controllers(host: &dyn Host, joined: &mut Joined, node: &mut Node) {
    let ledger = Ledger::new(host);
    let mut sources = Sources::default();
    let mut pci = pci::collect(&ledger, &mut sources);
    let mut controllers = controllers::collect(&ledger, &pci, &mut sources);
    let mut hidden = smart::hidden::collect(&ledger, &controllers, node.drives.items());
    sources.set("hidden_drives", ledger.source("derived: storage_controllers driver, smartctl"));
    joined.append(ledger.close(), |ids| {
        pci.functions.renumber(ids);
        pci.links.renumber(ids);
        controllers.renumber(ids);
        hidden.renumber(ids);
        ids.record_sources(&mut sources);
    });
    node.sources.extend(&sources);
    node.pci_functions = pci.functions;
    node.pci_links = pci.links;
    node.storage_controllers = controllers;
    node.hidden_drives = hidden;
}

/// After the controllers, which say whether there is a tool to ask, and the drives, which are not hidden.
fn raid(host: &dyn Host, joined: &mut Joined, node: &mut Node) {
    let ledger = Ledger::new(host);
    let mut section = raid::collect(&ledger, &node.storage_controllers, &node.drives);
    joined.append(ledger.close(), |ids| section.renumber(ids));
    for (controller, filled) in node.storage_controllers.items_mut().iter_mut().zip(section.controllers) {
        // A driver may keep to itself what the tool tells.
        for (field, told, slot) in
            [("firmware", filled.firmware, &mut controller.firmware), ("serial", filled.serial, &mut controller.serial)]
        {
            if matches!(slot, Reading::Unreadable(_)) && matches!(told, Reading::Known(_)) {
                *slot = told;
                if let Some(source) = filled.sources.get(field) {
                    controller.sources.set(field, source);
                }
            }
        }
        controller.raid = filled.raid;
    }
    node.sources.extend(&section.sources);
    node.drives = with_reasons(std::mem::take(&mut node.drives), &section.unseen);
    // Where controllers may be missing, so may what hangs on them.
    node.raid_volumes = less_sure(section.volumes, &node.storage_controllers);
    let makers = less_sure(section.hidden, &node.storage_controllers);
    node.hidden_drives = both(makers, std::mem::take(&mut node.hidden_drives));
}

/// Drives behind RAID controllers by the makers' tools and by smartctl. A maker's tool knows all of its own; that smartctl names no more is no proof.
fn both(makers: Collection<HiddenDrive>, smartctl: Collection<HiddenDrive>) -> Collection<HiddenDrive> {
    match (makers, smartctl) {
        (Collection::Unreadable(error), Collection::Unreadable(_)) => Collection::Unreadable(error),
        (Collection::Unreadable(error), shown) => with_reasons(shown, &[error]),
        (makers, Collection::Unreadable(_)) => makers,
        (Collection::Complete(makers), shown) => Collection::Complete(hidden::merge(makers, shown.into_items())),
        (Collection::Partial { items, mut reasons }, shown) => {
            reasons.extend_from_slice(shown.reasons());
            Collection::new(hidden::merge(items, shown.into_items()), reasons)
        }
    }
}

/// A collection that rests on another, which may lack elements.
fn less_sure<T, U>(collection: Collection<T>, ground: &Collection<U>) -> Collection<T> {
    match ground {
        Collection::Unreadable(error) => Collection::Unreadable(*error),
        ground => with_reasons(collection, ground.reasons()),
    }
}

/// A collection that may lack elements for more reasons.
fn with_reasons<T>(collection: Collection<T>, more: &[ErrorId]) -> Collection<T> {
    match collection {
        Collection::Unreadable(error) => Collection::Unreadable(error),
        Collection::Complete(items) => Collection::new(items, more.to_vec()),
        Collection::Partial { items, mut reasons } => {
            reasons.extend_from_slice(more);
            Collection::new(items, reasons)
        }
    }
}

/// After the drives, whose serial numbers it names.
fn enclosures(host: &dyn Host, joined: &mut Joined, node: &mut Node) {
    let ledger = Ledger::new(host);
    let mut section = enclosures::collect(&ledger, &node.drives);
    joined.append(ledger.close(), |ids| section.renumber(ids));
    node.sources.extend(&section.sources);
    node.enclosures = section.enclosures;
    node.pci_slots = section.pci_slots;
}

/// Reads one section with a ledger of its own, and joins that to the others.
fn section<T: Fact>(host: &dyn Host, joined: &mut Joined, collect: impl FnOnce(&Ledger<'_>) -> T) -> T {
    let ledger = Ledger::new(host);
    let mut section = collect(&ledger);
    joined.append(ledger.close(), |ids| section.renumber(ids));
    section
}
