//! Storage controllers and what hangs on them.
//!
//! A controller is a PCI function of class mass storage, SD host or Fibre Channel, or a SCSI host that is on none. What it says of itself comes
//! through the attributes that its driver gives its SCSI host. Knows what a driver tells, not what its vendor's tool could.

mod attached;
mod driver;
mod hosts;
pub(in crate::collect) mod ports;
mod sas;

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::collect::pci::Pci;
use crate::collect::pci::path::{Address, Chain};
use crate::inventory::controller::{Attached, ControllerKind, ControllerMode, ScsiHost, StorageController};
use crate::inventory::pci::PciFunction;
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId, Sources};
use hosts::Host;
use std::collections::BTreeMap;

const NVME: &str = "/sys/class/nvme";
/// Every driver has it.
const ALWAYS: Missing = Missing::Untold("every SCSI host has it");

/// One controller, by what identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// A PCI function.
    Function(Address),
    /// The first SCSI host of one that is no such function.
    Host(u32),
}

/// Reads every controller, and notes in `sources` where their number was read.
pub fn collect(ledger: &Ledger<'_>, pci: &Pci, sources: &mut Sources) -> Collection<StorageController> {
    let source = ledger.source("derived: pci_functions class, list /sys/class/scsi_host");
    sources.set("storage_controllers", source);
    let mut reasons: Vec<ErrorId> = pci.functions.reasons().to_vec();
    for (address, known) in &pci.known {
        if known.class.is_none() {
            let cause = "its class is not known";
            reasons.push(ledger.error(
                format!("tell whether {address} is a storage controller"),
                ErrorKind::NotFound,
                cause,
            ));
        }
    }
    let found = hosts::find(ledger, pci);
    reasons.extend(&found.reasons);

    let mut groups: BTreeMap<Key, Vec<&Host>> = pci
        .known
        .iter()
        .filter(|(_, known)| known.class.is_some_and(is_storage))
        .map(|(address, _)| (Key::Function(*address), Vec::new()))
        .collect();
    for host in &found.hosts {
        groups.entry(key(pci, &found.hosts, host)).or_default().push(host);
    }
    let key_of_host: BTreeMap<u32, Key> =
        groups.iter().flat_map(|(key, hosts)| hosts.iter().map(|host| (host.number, *key))).collect();
    let functions: BTreeMap<Address, &PciFunction> = pci
        .functions
        .items()
        .iter()
        .filter_map(|function| Some((Address::parse(function.address.known()?)?, function)))
        .collect();
    let everything = Everything {
        ledger,
        functions,
        attached: attached::find(ledger, &key_of_host),
        ports: ports::find(ledger, &found.hosts, &key_of_host),
        nvme: nvme(ledger),
        host_reasons: found.reasons.clone(),
        source,
    };
    let controllers: Vec<StorageController> =
        groups.into_iter().map(|(key, hosts)| everything.controller(key, &hosts)).collect();
    match &pci.functions {
        Collection::Unreadable(error) if controllers.is_empty() => Collection::Unreadable(*error),
        _ => Collection::new(controllers, reasons),
    }
}

/// Base class 01h, mass storage; 0805h, SD host controller; 0C04h, Fibre Channel (PCI Code and ID Assignment Specification,
/// section 1).
fn is_storage(class: [u8; 3]) -> bool {
    class.starts_with(&[0x01]) || class.starts_with(&[0x08, 0x05]) || class.starts_with(&[0x0c, 0x04])
}

/// Hosts of one chip that is no PCI function share the folder above their ATA ports.
fn key(pci: &Pci, hosts: &[Host], host: &Host) -> Key {
    let class = |address: &Address| pci.known.get(address).and_then(|known| known.class);
    if let Some(address) = host.pci.filter(|address| class(address).is_some_and(is_storage)) {
        return Key::Function(address);
    }
    let first = match host.chip() {
        Some(chip) => hosts.iter().filter(|other| other.chip() == Some(chip)).map(|other| other.number).min(),
        None => None,
    };
    Key::Host(first.unwrap_or(host.number))
}

/// Folder of an NVMe controller by its PCI function, and why some may be missing.
struct Nvme {
    by_function: BTreeMap<Address, String>,
    reason: Option<ErrorId>,
}

fn nvme(ledger: &Ledger<'_>) -> Nvme {
    let mut by_function = BTreeMap::new();
    // Without the driver there is no such class.
    let mut reason = match ledger.names(NVME, Missing::Absent) {
        Reading::Known(listing) => {
            for name in &listing.names {
                let at = format!("{NVME}/{name}");
                let target = ledger.link(&at, Missing::Absent).reading;
                if let Some(address) = target.known().and_then(|target| Chain::parse(target).last()) {
                    by_function.insert(address, at);
                }
            }
            (!listing.complete).then(|| ledger.incomplete(NVME))
        }
        Reading::Absent => None,
        Reading::Unreadable(error) => Some(error),
    };
    if reason.is_none() && by_function.is_empty() {
        reason = Some(ledger.error(
            format!("list {NVME}"),
            ErrorKind::NotFound,
            "no NVMe controller is bound to the nvme driver",
        ));
    }
    Nvme { by_function, reason }
}

/// What is asked once for all controllers.
struct Everything<'l, 'h> {
    ledger: &'l Ledger<'h>,
    functions: BTreeMap<Address, &'l PciFunction>,
    attached: attached::Found,
    ports: ports::Found,
    nvme: Nvme,
    /// Why hosts may be missing.
    host_reasons: Vec<ErrorId>,
    source: SourceId,
}

impl Everything<'_, '_> {
    fn controller(&self, key: Key, hosts: &[&Host]) -> StorageController {
        let ledger = self.ledger;
        let mut record = StorageController::default();
        let derived = |what: &str| ledger.source(format!("derived: {what}"));
        let first = hosts.first().copied();

        let address = match key {
            Key::Function(address) => Some(address),
            Key::Host(_) => first.and_then(|host| host.pci),
        };
        let function = address.and_then(|address| self.functions.get(&address)).copied();
        let name = match key {
            Key::Function(address) => address.to_string(),
            Key::Host(number) => format!("host{number}"),
        };
        set!(record.name, Read { reading: Reading::Known(name.clone()), source: self.source });
        set!(
            record.pci_address,
            match (address, first.map(|host| &host.path)) {
                (Some(address), _) => Read { reading: Reading::Known(address.to_string()), source: self.source },
                (None, Some(path)) => Read { reading: nothing(&path.reading), source: path.source },
                (None, None) => Read { reading: Reading::Absent, source: self.source },
            }
        );

        let mut scsi_hosts: Vec<ScsiHost> = hosts.iter().map(|host| scsi_host(ledger, host)).collect();
        scsi_hosts.sort_by_key(|host| host.name.known().map(|name| (name.len(), name.clone())));
        let of_function = matches!(key, Key::Function(_));
        let from = |field: &str, reading: Option<Reading<String>>| Read {
            reading: reading.unwrap_or(Reading::Absent),
            source: derived(&format!("pci_functions {field}")),
        };
        if of_function {
            set!(record.driver, from("driver", function.map(|function| function.driver.clone())));
            set!(record.vendor, from("vendor", function.map(|function| function.vendor.clone())));
        } else {
            let proc_name = scsi_hosts.first().map(|host| host.proc_name.clone()).unwrap_or_default();
            set!(record.driver, Read { reading: proc_name, source: derived("hosts proc_name") });
            set!(record.vendor, Read { reading: Reading::Absent, source: self.source });
        }
        set!(
            record.numa_node,
            Read {
                reading: function.map_or(Reading::Absent, |function| function.numa_node.clone()),
                source: derived("pci_functions numa_node"),
            }
        );

        let class = function.filter(|_| of_function).and_then(|function| function.class.known()).cloned();
        let path = first.and_then(|host| host.path.reading.known());
        let kind = driver::kind(record.driver.known().map(String::as_str), class.as_deref(), path.map(String::as_str));
        set!(record.kind, Read { reading: Reading::Known(kind), source: derived("driver, pci_functions class") });

        self.itself(&mut record, address, function.filter(|_| of_function), first, kind);
        self.hpsa(&mut record, first);
        record.hosts = match kind {
            ControllerKind::Nvme | ControllerKind::Mmc | ControllerKind::Vmd => Collection::Complete(scsi_hosts),
            _ => Collection::new(scsi_hosts, self.host_reasons.clone()),
        };
        let driver = record.driver.known().cloned();
        record.attached = self.attached.of(ledger, key, kind, driver.as_deref());
        set!(
            record.mode,
            Read {
                reading: self.mode(&name, kind, class.as_deref(), &record.attached),
                source: derived("attached volume, pci_functions class"),
            }
        );
        record.ports = self.ports.ports(ledger, key, kind, &name);
        record.expanders = self.ports.expanders(key, kind);
        record
    }

    /// Model, firmware, serial number: by the driver, by the NVMe driver, or not at all.
    fn itself(
        &self,
        record: &mut StorageController,
        address: Option<Address>,
        function: Option<&PciFunction>,
        host: Option<&Host>,
        kind: ControllerKind,
    ) {
        let ledger = self.ledger;
        let name = record.name.known().cloned().unwrap_or_default();
        if kind == ControllerKind::Nvme {
            let at = address.and_then(|address| self.nvme.by_function.get(&address));
            let ask = |file: &str| match at {
                Some(at) => ledger.parsed(
                    &format!("{at}/{file}"),
                    Missing::Untold("every NVMe controller has it"),
                    driver::text,
                ),
                None => Read { reading: self.no_nvme(&name), source: ledger.source(format!("list {NVME}")) },
            };
            set!(record.model, ask("model"));
            set!(record.firmware, ask("firmware_rev"));
            set!(record.serial, ask("serial"));
            set!(record.boot_firmware, Read { reading: Reading::Absent, source: self.source });
            return;
        }
        let told = driver::attributes(record.driver.known().map(String::as_str).unwrap_or_default());
        let ask = |what: &str, files: &[&str]| -> Read<String> {
            let Some(host) = host.filter(|_| !files.is_empty()) else {
                return Read { reading: self.untold(what, &name, record, kind, host), source: self.source };
            };
            let files: Vec<_> = files.iter().map(|file| (format!("{}/{file}", host.at), driver::text as _)).collect();
            let (index, reading) =
                ledger.first_value(&files, Missing::Untold("this version of the driver does not tell it"));
            let source = files.get(index).map_or(self.source, |(path, _)| ledger.source(path.as_str()));
            Read { reading, source }
        };
        let firmware = ask("firmware", told.firmware);
        let boot_firmware = ask("boot firmware", told.boot_firmware);
        let serial = ask("serial number", told.serial);
        let model = Some(ask("model", told.model)).filter(|model| matches!(model.reading, Reading::Known(_)));
        set!(record.firmware, firmware);
        set!(record.boot_firmware, boot_firmware);
        set!(record.serial, serial);
        set!(record.model, model.unwrap_or_else(|| self.named(function)));
    }

    /// What the PCI ID Repository calls it: the card, else the chip.
    fn named(&self, function: Option<&PciFunction>) -> Read<String> {
        let (reading, field) = match function {
            None => (Reading::Absent, "subsystem"),
            Some(function) => match (&function.subsystem, &function.device) {
                (Reading::Known(name), _) => (Reading::Known(name.clone()), "subsystem"),
                (_, device) => (device.clone(), "device"),
            },
        };
        Read { reading, source: self.ledger.source(format!("derived: pci_functions {field}")) }
    }

    fn no_nvme(&self, name: &str) -> Reading<String> {
        Reading::Unreadable(match self.nvme.reason {
            Some(error) => error,
            None => self.ledger.error(
                format!("find the NVMe controller of {name}"),
                ErrorKind::NotFound,
                format!("none in {NVME} is on this function"),
            ),
        })
    }

    /// Why a fact is not told by the driver.
    fn untold(
        &self,
        what: &str,
        name: &str,
        record: &StorageController,
        kind: ControllerKind,
        host: Option<&Host>,
    ) -> Reading<String> {
        if driver::has_nothing_to_tell(kind) {
            return Reading::Absent;
        }
        let cause = match &record.driver {
            Reading::Unreadable(error) => return Reading::Unreadable(*error),
            Reading::Absent => "no driver is bound to it".to_owned(),
            Reading::Known(_) if host.is_none() => "it has no SCSI host".to_owned(),
            Reading::Known(driver) => format!("the driver {driver} does not tell it in sysfs"),
        };
        Reading::Unreadable(self.ledger.error(format!("read the {what} of {name}"), ErrorKind::NotSupported, cause))
    }

    /// Two attributes that hpsa alone has (Documentation/scsi/hpsa.rst).
    fn hpsa(&self, record: &mut StorageController, host: Option<&Host>) {
        let host = host.filter(|_| record.driver.known().is_some_and(|driver| driver == "hpsa"));
        let missing = Missing::Untold("this version of the driver does not tell it");
        let Some(host) = host else {
            // A driver that is not known may be hpsa.
            let error = match &record.driver {
                Reading::Unreadable(error) => Some(*error),
                Reading::Known(_) | Reading::Absent => None,
            };
            let source = self.source;
            set!(record.transport_mode, Read { reading: error.map_or(Reading::Absent, Reading::Unreadable), source });
            set!(record.ssd_smart_path, Read { reading: error.map_or(Reading::Absent, Reading::Unreadable), source });
            return;
        };
        let ledger = self.ledger;
        set!(record.transport_mode, ledger.parsed(&format!("{}/transport_mode", host.at), missing, driver::text));
        let path = format!("{}/hp_ssd_smart_path_status", host.at);
        set!(record.ssd_smart_path, ledger.parsed(&path, missing, driver::smart_path));
    }

    fn mode(
        &self,
        name: &str,
        kind: ControllerKind,
        class: Option<&str>,
        attached: &Collection<Attached>,
    ) -> Reading<ControllerMode> {
        let untold = |cause: &str| {
            Reading::Unreadable(self.ledger.error(format!("tell the mode of {name}"), ErrorKind::NotSupported, cause))
        };
        match kind {
            ControllerKind::Ahci => match class {
                Some(class) if class.starts_with("0104") => return Reading::Known(ControllerMode::Raid),
                Some(class) if class.starts_with("0106") => return Reading::Known(ControllerMode::Hba),
                Some(_) => return untold("its PCI class is neither SATA nor RAID"),
                None => return Reading::Absent,
            },
            ControllerKind::Raid | ControllerKind::SasHba | ControllerKind::Scsi | ControllerKind::Other => {}
            _ => return Reading::Absent,
        }
        let (mut volumes, mut disks) = (false, false);
        for item in attached.items() {
            // An enclosure or the controller itself is neither.
            match &item.scsi_type {
                Reading::Known(0) => {}
                Reading::Unreadable(error) => return Reading::Unreadable(*error),
                Reading::Known(_) | Reading::Absent => continue,
            }
            match &item.volume {
                Reading::Known(true) => volumes = true,
                Reading::Known(false) => disks = true,
                Reading::Absent => {}
                Reading::Unreadable(error) => return Reading::Unreadable(*error),
            }
        }
        match (volumes, disks, attached.reasons().first()) {
            (true, true, _) => Reading::Known(ControllerMode::Mixed),
            (_, _, Some(reason)) => Reading::Unreadable(*reason),
            (true, false, None) => Reading::Known(ControllerMode::Raid),
            (false, true, None) => Reading::Known(ControllerMode::Hba),
            (false, false, None) => untold("no disk hangs on it"),
        }
    }
}

/// A path that leads through no PCI function, or is not known.
fn nothing<T>(path: &Reading<String>) -> Reading<T> {
    match path {
        Reading::Unreadable(error) => Reading::Unreadable(*error),
        Reading::Known(_) | Reading::Absent => Reading::Absent,
    }
}

fn scsi_host(ledger: &Ledger<'_>, host: &Host) -> ScsiHost {
    let mut record = ScsiHost::default();
    set!(record.name, Read { reading: Reading::Known(host.name()), source: host.path.source });
    let proc_name = ledger.parsed(&format!("{}/proc_name", host.at), ALWAYS, |text| Ok(driver::proc_name(text)));
    let reading = match proc_name.reading {
        Reading::Known(Some(name)) => Reading::Known(name),
        Reading::Known(None) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    set!(record.proc_name, Read { reading, source: proc_name.source });
    let number = |file: &str| ledger.parsed(&format!("{}/{file}", host.at), ALWAYS, driver::number);
    set!(record.can_queue, number("can_queue"));
    set!(record.cmd_per_lun, number("cmd_per_lun"));
    set!(record.state, ledger.parsed(&format!("{}/state", host.at), ALWAYS, driver::text));
    record
}

#[cfg(test)]
mod tests;
