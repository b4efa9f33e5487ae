//! PCI functions and the links between them.
//!
//! From `/sys/bus/pci/devices` (Documentation/ABI/testing/sysfs-bus-pci, `drivers/pci/pci-sysfs.c`). The configuration space is asked only
//! where the kernel has no link attributes: reading all of it as root is not without risk on old devices, and wakes
//! suspended ones. Knows nothing of what a function is for; does not know how many lanes a board leads to a slot.

mod aer;
mod attributes;
pub(crate) mod config;
pub(crate) mod ids;
pub(crate) mod link;
mod links;
pub(crate) mod path;

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::pci::{PciFunction, PciLink};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId, Sources};
use attributes::Ends;
use path::{Address, Chain};
use std::collections::{BTreeMap, BTreeSet};

const DEVICES: &str = "/sys/bus/pci/devices";
const SLOTS: &str = "/sys/bus/pci/slots";
/// Every kernel with PCI has it.
const ALWAYS: Missing = Missing::Untold("every kernel that knows the function has it");

/// What this section gives.
#[derive(Debug, Default)]
pub struct Pci {
    /// The facts of each function.
    pub functions: Collection<PciFunction>,
    /// The links.
    pub links: Collection<PciLink>,
    /// What other sections ask, by address.
    pub(crate) known: BTreeMap<Address, Known>,
}

/// What other sections ask of a function.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    /// Base class, sub-class, programming interface.
    pub class: Option<[u8; 3]>,
}

/// A function while its links are looked for.
struct Function {
    address: Address,
    chain: Reading<Chain>,
    vendor: Option<u16>,
    class: Option<[u8; 3]>,
    ends: Ends,
    record: PciFunction,
}

impl Function {
    fn is_bridge(&self) -> Option<bool> {
        // Sub-class 04h: PCI-to-PCI bridge (PCI Code and ID Assignment Specification, section 1.7).
        self.class.map(|class| class.starts_with(&[0x06, 0x04]))
    }
}

/// Reads every function, and notes in `sources` where their number was read.
pub fn collect(ledger: &Ledger<'_>, sources: &mut Sources) -> Pci {
    // A kernel without the PCI bus has no such folder.
    let listing = ledger.list(DEVICES, Missing::Absent);
    sources.set("pci_functions", listing.source);
    sources.set("pci_links", ledger.source("derived: pci_functions path, link rates and widths"));
    let listing = match listing.reading {
        Reading::Known(listing) => listing,
        Reading::Absent => {
            return Pci {
                functions: Collection::Complete(Vec::new()),
                links: Collection::Complete(Vec::new()),
                ..Pci::default()
            };
        }
        Reading::Unreadable(error) => {
            return Pci {
                functions: Collection::Unreadable(error),
                links: Collection::Unreadable(error),
                ..Pci::default()
            };
        }
    };
    let mut reasons = Vec::new();
    if !listing.complete {
        reasons.push(ledger.incomplete(DEVICES));
    }
    let mut places: BTreeMap<Address, Place> = BTreeMap::new();
    for name in &listing.names {
        match Address::parse(name) {
            Some(address) => {
                let at = format!("{DEVICES}/{name}");
                places.insert(address, Place { chain: chain(ledger, &at, address), at });
            }
            None => reasons.push(ledger.error(
                format!("parse {DEVICES}"),
                ErrorKind::Malformed,
                format!("no address of a function: {name:?}"),
            )),
        }
    }
    if !listing.complete {
        add_hops(&mut places);
    }

    let questions = attributes::Questions::new(ledger);
    let slots = Slots::read(ledger);
    let mut functions: Vec<Function> =
        places.into_iter().map(|(address, place)| questions.function(address, &place)).collect();
    let chains: BTreeMap<Address, Reading<Chain>> =
        functions.iter().map(|function| (function.address, function.chain.clone())).collect();
    for Function { address, record, .. } in &mut functions {
        set!(record.slot, slots.of(ledger, *address, chains.get(address)));
    }
    let links = links::derive(ledger, &mut functions, &reasons);
    let known = functions.iter().map(|function| (function.address, Known { class: function.class })).collect();
    let functions = functions.into_iter().map(|function| function.record).collect();
    Pci { functions: Collection::new(functions, reasons), links, known }
}

/// Where a function stands.
struct Place {
    /// A folder or a link to it.
    at: String,
    chain: Read<Chain>,
}

fn chain(ledger: &Ledger<'_>, at: &str, address: Address) -> Read<Chain> {
    let target = ledger.link(at, ALWAYS);
    let reading = match target.reading {
        Reading::Known(target) => {
            let chain = Chain::parse(&target);
            if chain.last() == Some(address) {
                Reading::Known(chain)
            } else {
                ledger.malformed(at, format!("its link leads to another place: {target:?}"))
            }
        }
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: target.source }
}

/// A tree may hold a function and not list it: those that stand on the way to another are looked for where they must be.
fn add_hops(places: &mut BTreeMap<Address, Place>) {
    let mut hops: BTreeMap<Address, Place> = BTreeMap::new();
    for place in places.values() {
        let Reading::Known(chain) = &place.chain.reading else { continue };
        let mut at = "/sys/devices".to_owned();
        let mut above = Chain::default();
        for stretch in &chain.stretches {
            if let Some(root) = stretch.first() {
                at.push_str(&format!("/pci{:04x}:{:02x}", root.domain, root.bus));
            }
            above.stretches.push(Vec::new());
            for hop in stretch {
                at.push_str(&format!("/{hop}"));
                if let Some(stretch) = above.stretches.last_mut() {
                    stretch.push(*hop);
                }
                let chain = Read { reading: Reading::Known(above.clone()), source: place.chain.source };
                hops.entry(*hop).or_insert_with(|| Place { at: at.clone(), chain });
            }
        }
    }
    for (address, hop) in hops {
        places.entry(address).or_insert(hop);
    }
}

/// Physical slots by the address that they name.
struct Slots {
    source: SourceId,
    names: Reading<BTreeMap<String, String>>,
    /// Why the list may lack some.
    incomplete: Option<ErrorId>,
}

impl Slots {
    fn read(ledger: &Ledger<'_>) -> Self {
        let listing = ledger.list(SLOTS, Missing::Untold("every kernel with PCI has it"));
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut incomplete = None;
        let reading = listing.reading.map(|listing| {
            if !listing.complete {
                incomplete = Some(ledger.incomplete(SLOTS));
            }
            for name in listing.names {
                match ledger.value(&format!("{SLOTS}/{name}/address"), ALWAYS, parse_slot_address) {
                    Reading::Known(address) => {
                        names.entry(address).or_insert(name);
                    }
                    Reading::Absent => {}
                    Reading::Unreadable(error) => incomplete = Some(error),
                }
            }
            names
        });
        Self { source: ledger.source(format!("{SLOTS}/*/address")), names: reading, incomplete }
    }

    fn of(&self, ledger: &Ledger<'_>, address: Address, chain: Option<&Reading<Chain>>) -> Read<String> {
        let reading = match (&self.names, chain) {
            (Reading::Unreadable(error), _) => Reading::Unreadable(*error),
            (Reading::Absent, _) => Reading::Absent,
            (Reading::Known(names), Some(Reading::Known(chain))) => {
                let upward: Vec<Address> = chain.all().collect();
                let name = upward.iter().rev().find_map(|hop| named(names, *hop));
                match (name, self.incomplete) {
                    (Some(name), _) => Reading::Known(name),
                    (None, Some(error)) => Reading::Unreadable(error),
                    (None, None) => Reading::Absent,
                }
            }
            // Without its path only its own slot can be told.
            (Reading::Known(names), other) => match (named(names, address), other) {
                (Some(name), _) => Reading::Known(name),
                (None, Some(Reading::Unreadable(error))) => Reading::Unreadable(*error),
                (None, _) => Reading::Unreadable(ledger.error(
                    format!("find the slot of {address}"),
                    ErrorKind::NotFound,
                    "its path is not known",
                )),
            },
        };
        Read { reading, source: self.source }
    }
}

fn named(names: &BTreeMap<String, String>, address: Address) -> Option<String> {
    let slot = address.slot();
    let bus = slot.rsplit_once(':').map(|(bus, _)| bus);
    names.get(&slot).or_else(|| names.get(bus?)).cloned()
}

/// "0000:3b:00", or "0000:3b" for a slot that any device of the bus may sit in (`address_read_file()` in `drivers/pci/slot.c`).
fn parse_slot_address(text: &str) -> Result<String, String> {
    let whole = if text.matches(':').count() == 1 { format!("{text}:00.0") } else { format!("{text}.0") };
    match Address::parse(&whole) {
        Some(_) => Ok(text.to_owned()),
        None => Err(format!("no address of a slot: {text:?}")),
    }
}

/// The distinct errors among readings that a derived value needs.
fn first_error<'r, T: 'r>(readings: impl IntoIterator<Item = &'r Reading<T>>) -> Option<ErrorId> {
    let errors: BTreeSet<ErrorId> = readings
        .into_iter()
        .filter_map(|reading| match reading {
            Reading::Unreadable(error) => Some(*error),
            Reading::Known(_) | Reading::Absent => None,
        })
        .collect();
    errors.into_iter().next()
}

#[cfg(test)]
mod tests;
