//! Enclosures of SCSI Enclosure Services by the kernel's driver `ses`, and the slots of PCI.
//!
//! Reads the class `enclosure` and `/sys/bus/pci/slots`; writes nothing, so no light is switched. Power supplies, fans and sensors of an enclosure are in no
//! file of the kernel.

mod pci_slots;
#[cfg(test)]
mod tests;

use super::controllers::ports::{parse_address, parse_flag};
use super::ledger::{Ledger, Missing, Read, some_text};
use super::pci::path::Chain;
use crate::inventory::Drive;
use crate::inventory::enclosure::{Enclosure, EnclosureSlot, PciSlot};
use crate::reading::{Collection, ErrorId, ErrorKind, Fact, Reading, Renumber};
use std::collections::BTreeMap;

const CLASS: &str = "/sys/class/enclosure";
const SCSI: &str = "/sys/class/scsi_device";
/// Peripheral device type of an enclosure services device (SPC-6, 6.7.2).
const SERVICES: u64 = 13;
/// What a folder of an enclosure holds beside its components (`drivers/misc/enclosure.c`, `drivers/base/core.c`).
const OTHERS: [&str; 6] = ["components", "device", "id", "power", "subsystem", "uevent"];
/// The class gives it to every one of its things.
const ALWAYS: Missing = Missing::Untold("the class has it for every one");

/// What the section tells.
pub(crate) struct Section {
    pub(crate) enclosures: Collection<Enclosure>,
    pub(crate) pci_slots: Collection<PciSlot>,
    pub(crate) sources: crate::reading::Sources,
}

impl Section {
    /// Rewrites every index, as when ledgers are joined.
    pub(crate) fn renumber(&mut self, ids: &Renumber<'_>) {
        self.enclosures.renumber(ids);
        self.pci_slots.renumber(ids);
        ids.record_sources(&mut self.sources);
    }
}

/// Reads the section. `drives` are those that were told already, for their serial numbers.
pub(crate) fn collect(ledger: &Ledger<'_>, drives: &Collection<Drive>) -> Section {
    let mut sources = crate::reading::Sources::default();
    sources.set("enclosures", ledger.source(format!("list {CLASS}")));
    sources.set("pci_slots", ledger.source(format!("list {}", pci_slots::SLOTS)));
    Section { enclosures: enclosures(ledger, drives), pci_slots: pci_slots::collect(ledger), sources }
}

fn enclosures(ledger: &Ledger<'_>, drives: &Collection<Drive>) -> Collection<Enclosure> {
    let serials = serials(drives);
    let mut reasons = Vec::new();
    let mut enclosures: Vec<Enclosure> = Vec::new();
    // Without the module there is no such class; whether that hides one is told by the SCSI devices.
    let class = ledger.names(CLASS, Missing::Absent);
    let loaded = matches!(class, Reading::Known(_));
    match class {
        Reading::Known(listing) => {
            let mut names: Vec<&String> = listing.names.iter().collect();
            names.sort_by_key(|name| numbers(name));
            enclosures.extend(names.into_iter().map(|name| enclosure(ledger, name, &serials)));
            if !listing.complete {
                reasons.push(ledger.incomplete(CLASS));
            }
        }
        Reading::Absent => {}
        Reading::Unreadable(error) => return Collection::Unreadable(error),
    }
    let shown = |unit: &String| enclosures.iter().any(|enclosure| enclosure.name.known() == Some(unit));
    match ledger.names(SCSI, Missing::Absent) {
        Reading::Known(listing) => {
            for unit in listing.names.iter().filter(|unit| !shown(unit)) {
                let kind = ledger.value(&format!("{SCSI}/{unit}/device/type"), ALWAYS, number);
                match kind {
                    Reading::Known(SERVICES) => {
                        let cause =
                            if loaded { "the driver ses did not take it" } else { "the module ses is not loaded" };
                        let operation = format!("see the slots of the enclosure {unit}");
                        reasons.push(ledger.error(operation, ErrorKind::NotSupported, cause));
                    }
                    Reading::Known(_) | Reading::Absent => {}
                    Reading::Unreadable(error) => reasons.push(error),
                }
            }
            if !listing.complete {
                reasons.push(ledger.incomplete(SCSI));
            }
        }
        Reading::Absent => {}
        Reading::Unreadable(error) => reasons.push(error),
    }
    Collection::new(enclosures, reasons)
}

/// Serial number by block device.
fn serials(drives: &Collection<Drive>) -> BTreeMap<&str, &Reading<String>> {
    let mut serials = BTreeMap::new();
    for drive in drives.items() {
        for device in drive.block_devices.known().map(Vec::as_slice).unwrap_or_default() {
            serials.insert(device.as_str(), &drive.serial);
        }
    }
    serials
}

fn enclosure(ledger: &Ledger<'_>, name: &str, serials: &BTreeMap<&str, &Reading<String>>) -> Enclosure {
    let at = format!("{CLASS}/{name}");
    let mut record = Enclosure::default();
    let source = ledger.source(format!("list {CLASS}"));
    set!(record.name, Read { reading: Reading::Known(name.to_owned()), source });
    let id = ledger.parsed(&format!("{at}/id"), Missing::Untold("the kernel is older than 4.0"), parse_id);
    let reading = match id.reading {
        Reading::Known(None) | Reading::Absent => Reading::Absent,
        Reading::Known(Some(id)) => Reading::Known(id),
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    set!(record.id, Read { reading, source: id.source });
    let inquiry = Missing::Untold("every SCSI device has it");
    set!(record.vendor, ledger.parsed(&format!("{at}/device/vendor"), inquiry, some_text));
    set!(record.model, ledger.parsed(&format!("{at}/device/model"), inquiry, some_text));
    set!(record.revision, ledger.parsed(&format!("{at}/device/rev"), inquiry, some_text));
    set!(record.components, ledger.parsed(&format!("{at}/components"), ALWAYS, number));
    let path = ledger.link(&at, Missing::Untold("sysfs has a link for each"));
    let reading = match path.reading {
        Reading::Known(path) => {
            Chain::parse(&path).last().map_or(Reading::Absent, |address| Reading::Known(address.to_string()))
        }
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    set!(record.pci_address, Read { reading, source: path.source });

    let listing = ledger.list(&at, ALWAYS);
    record.sources.set("slots", listing.source);
    record.slots = match listing.reading {
        Reading::Known(listing) => {
            let mut names: Vec<&String> =
                listing.names.iter().filter(|name| !OTHERS.contains(&name.as_str())).collect();
            names.sort_by_key(|name| numbers(name));
            let reasons: Vec<ErrorId> = if listing.complete { Vec::new() } else { vec![ledger.incomplete(&at)] };
            Collection::new(names.into_iter().map(|name| slot(ledger, &at, name, serials)).collect(), reasons)
        }
        Reading::Absent => Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => Collection::Unreadable(error),
    };
    record
}

fn slot(ledger: &Ledger<'_>, enclosure: &str, name: &str, serials: &BTreeMap<&str, &Reading<String>>) -> EnclosureSlot {
    let at = format!("{enclosure}/{name}");
    let mut record = EnclosureSlot::default();
    let source = ledger.source(format!("list {enclosure}"));
    let since = Missing::Untold("the kernel is older than 4.0");
    set!(record.name, Read { reading: Reading::Known(name.to_owned()), source });
    set!(record.kind, ledger.parsed(&format!("{at}/type"), ALWAYS, some_text));
    set!(record.number, ledger.parsed(&format!("{at}/slot"), since, number));
    set!(record.status, ledger.parsed(&format!("{at}/status"), ALWAYS, parse_status));
    set!(record.fault, ledger.parsed(&format!("{at}/fault"), ALWAYS, parse_fault));
    set!(record.locate, ledger.parsed(&format!("{at}/locate"), ALWAYS, parse_flag));
    set!(record.active, ledger.parsed(&format!("{at}/active"), ALWAYS, parse_flag));
    set!(record.power, ledger.parsed(&format!("{at}/power_status"), since, parse_power));
    // The link is there while a device is joined to the slot.
    let link = ledger.link(&format!("{at}/device"), Missing::Absent);
    let drive = match link.reading {
        Reading::Absent => Read { reading: Reading::Absent, source: link.source },
        Reading::Unreadable(error) => Read { reading: Reading::Unreadable(error), source: link.source },
        Reading::Known(_) => {
            let folder = format!("{at}/device/block");
            let listing = ledger.list(&folder, Missing::Absent);
            let reading = match listing.reading {
                Reading::Known(listing) => match listing.names.first() {
                    Some(name) => Reading::Known(name.clone()),
                    None if listing.complete => Reading::Absent,
                    None => Reading::Unreadable(ledger.incomplete(&folder)),
                },
                Reading::Absent => Reading::Absent,
                Reading::Unreadable(error) => Reading::Unreadable(error),
            };
            Read { reading, source: listing.source }
        }
    };
    let reading = match &drive.reading {
        Reading::Known(name) => match serials.get(name.as_str()) {
            Some(Reading::Known(serial)) => Reading::Known(serial.clone()),
            Some(Reading::Absent) => Reading::Absent,
            // An error of another section has an index of its own there.
            Some(Reading::Unreadable(_)) | None => Reading::Unreadable(ledger.error(
                format!("tell the serial number of {name}"),
                ErrorKind::NotFound,
                "no drive with a serial number that could be read has this block device",
            )),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    set!(record.serial, Read { reading, source: ledger.source("derived: drives serial") });
    set!(record.drive, drive);
    record
}

/// The numbers in a name, then the name: "Slot 2" before "Slot 10".
fn numbers(name: &str) -> (Vec<u64>, &str) {
    let numbers = name.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok());
    (numbers.collect(), name)
}

fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("no number: {text:?}"))
}

/// "0x5000ccab0200947e", without leading zeros (`ses_show_id()` in `drivers/scsi/ses.c`: `%#llx`, which is "0" for none).
fn parse_id(text: &str) -> Result<Option<String>, String> {
    if text.trim() == "0" {
        return Ok(None);
    }
    let digits = text.trim().strip_prefix("0x").unwrap_or_default();
    if digits.is_empty() || digits.len() > 16 {
        return Err(format!("no identifier: {text:?}"));
    }
    parse_address(&format!("0x{digits:0>16}")).map(Some)
}

/// `enclosure_status` in `drivers/misc/enclosure.c`.
fn parse_status(text: &str) -> Result<String, String> {
    const WORDS: [&str; 8] =
        ["unsupported", "OK", "critical", "non-critical", "unrecoverable", "not installed", "unknown", "unavailable"];
    match WORDS.iter().find(|word| **word == text.trim()) {
        Some(word) => Ok((*word).to_owned()),
        None => Err(format!("no status of a slot: {text:?}")),
    }
}

/// FAULT SENSED is 4 and FAULT REQSTD is 2 (`ses_get_fault()` in `drivers/scsi/ses.c`: bits 6 and 5 of byte 3, shifted by 4).
fn parse_fault(text: &str) -> Result<bool, String> {
    match text.trim() {
        "0" => Ok(false),
        "1" | "2" | "4" | "6" => Ok(true),
        other => Err(format!("no fault bits: {other:?}")),
    }
}

/// `get_component_power_status()` in `drivers/misc/enclosure.c`.
fn parse_power(text: &str) -> Result<bool, String> {
    match text.trim() {
        "on" => Ok(true),
        "off" => Ok(false),
        other => Err(format!("neither on nor off: {other:?}")),
    }
}
