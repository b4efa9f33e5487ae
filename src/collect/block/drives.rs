//! From block devices to physical media: which devices are one drive, and the record of each.
//!
//! A namespace's bytes add up under its subsystem; paths are one. Two SCSI disks are one drive only if they carry the same
//! World Wide Name, serial number, model and size, and hang on a transport that can have several paths. Where that cannot
//! be told they stay apart and the collection is partial, so that no sum over it is believed.

use super::device::{Device, Devices, Queue};
use super::names;
use super::nvme::{Controller, Nvme, is_fabric};
use super::path::{Bus, DevicePath};
use super::scsi::Scsi;
use crate::collect::ledger::{Ledger, Read};
use crate::inventory::Drive;
use crate::reading::{ErrorId, ErrorKind, Reading};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// A SCSI disk and what it says of itself.
pub(crate) struct Disk<'d> {
    pub(crate) device: &'d Device,
    pub(crate) scsi: Scsi,
    pub(crate) queue: Queue,
}

/// What NVMe controllers and namespaces are one drive.
pub(crate) struct NvmeGroup<'d> {
    pub(crate) controllers: Vec<&'d Controller>,
    pub(crate) namespaces: Vec<&'d Device>,
}

/// Groups namespaces by their subsystem. Every namespace of a fabric stands alone: a subsystem of another machine is no
/// medium.
pub(crate) fn nvme_groups<'d>(
    ledger: &Ledger<'_>,
    namespaces: Vec<&'d Device>,
    nvme: &'d Nvme,
    reasons: &mut Vec<ErrorId>,
) -> Vec<NvmeGroup<'d>> {
    let keys = controller_keys(ledger, nvme, reasons);
    let key_of = |controller: &Controller| keys.get(controller.name.as_str()).cloned().unwrap_or_default();
    let fabric = |controller: &Controller| {
        controller.record.transport.known().is_some_and(|transport| is_fabric(transport) == Some(true))
    };
    let mut groups: BTreeMap<String, NvmeGroup<'d>> = BTreeMap::new();
    for controller in nvme.controllers.values().filter(|controller| !controller.no_medium && !fabric(controller)) {
        let group =
            groups.entry(key_of(controller)).or_insert_with(|| NvmeGroup { controllers: vec![], namespaces: vec![] });
        group.controllers.push(controller);
    }
    for namespace in namespaces {
        let leading = leading_to(namespace, nvme);
        let bus = namespace.path.reading.known().and_then(DevicePath::pci_function);
        let (key, controllers) = match (leading.first(), bus) {
            (Some(first), _) if !fabric(first) => (key_of(first), Vec::new()),
            (Some(_), _) => (format!("namespace {}", namespace.name), leading),
            // Before Linux 4.0 the block device hangs under the PCI function itself.
            (None, Some(function)) => (format!("function {function}"), Vec::new()),
            (None, None) => {
                let operation = format!("tell which drive {} is on", namespace.name);
                reasons.push(ledger.error(operation, ErrorKind::NotFound, "no controller that leads to it was found"));
                (format!("namespace {}", namespace.name), Vec::new())
            }
        };
        groups.entry(key).or_insert(NvmeGroup { controllers, namespaces: vec![] }).namespaces.push(namespace);
    }
    let mut groups: Vec<NvmeGroup<'d>> = groups.into_values().collect();
    for group in &mut groups {
        group.controllers.sort_by(|a, b| names::order(&a.name, &b.name));
        group.namespaces.sort_by(|a, b| names::order(&a.name, &b.name));
    }
    groups
}

fn leading_to<'d>(namespace: &Device, nvme: &'d Nvme) -> Vec<&'d Controller> {
    let found = nvme.controllers_of(&namespace.name);
    if !found.is_empty() {
        return found;
    }
    let mut found: Vec<&Controller> = match namespace.path.reading.known().map(DevicePath::bus) {
        Some(Bus::Nvme(name)) => nvme.controllers.get(&name).into_iter().collect(),
        Some(Bus::NvmeSubsystem(name)) => {
            nvme.controllers.values().filter(|c| c.subsystem.as_deref() == Some(name.as_str())).collect()
        }
        _ => Vec::new(),
    };
    found.sort_by(|a, b| names::order(&a.name, &b.name));
    found
}

/// By controller: what it shares with the other controllers of its drive. The kernel's subsystem, or before Linux 4.15
/// the subsystem's name; but never where the serial numbers differ, for drives are known that repeat the name of
/// another (`NVME_QUIRK_IGNORE_DEV_SUBNQN`).
fn controller_keys<'d>(ledger: &Ledger<'_>, nvme: &'d Nvme, reasons: &mut Vec<ErrorId>) -> BTreeMap<&'d str, String> {
    let mut shared: BTreeMap<String, Vec<&Controller>> = BTreeMap::new();
    for controller in nvme.controllers.values() {
        let key = match (&controller.subsystem, controller.record.subsystem_nqn.known()) {
            (Some(subsystem), _) => format!("subsystem {subsystem}"),
            (None, Some(nqn)) => format!("name {nqn}"),
            (None, None) => format!("controller {}", controller.name),
        };
        shared.entry(key).or_default().push(controller);
    }
    let mut keys = BTreeMap::new();
    for (key, controllers) in shared {
        let identity = |c: &Controller| c.record.serial.known().cloned().zip(c.record.model.known().cloned());
        let mut identities: Vec<_> = controllers.iter().map(|controller| identity(controller)).collect();
        identities.dedup();
        let one = controllers.len() == 1 || (identities.len() == 1 && !identities.contains(&None));
        if !one {
            let names: Vec<&str> = controllers.iter().map(|controller| controller.name.as_str()).collect();
            let operation = format!("tell whether {} are one drive", names.join(" and "));
            let (kind, cause) = if identities.contains(&None) {
                (ErrorKind::NotFound, "they are in one subsystem, and the serial number of one could not be read")
            } else {
                (ErrorKind::Conflict, "they are in one subsystem, and their serial numbers or models differ")
            };
            reasons.push(ledger.error(operation, kind, cause));
        }
        for controller in controllers {
            let key = if one { key.clone() } else { format!("controller {}", controller.name) };
            keys.insert(controller.name.as_str(), key);
        }
    }
    keys
}

/// Groups SCSI disks that are paths to one drive. `maps` are the multipath maps that hold each disk.
pub(crate) fn scsi_groups<'d>(
    ledger: &Ledger<'_>,
    disks: Vec<Disk<'d>>,
    maps: &BTreeMap<String, String>,
    reasons: &mut Vec<ErrorId>,
) -> Vec<Vec<Disk<'d>>> {
    let mut groups: Vec<Vec<Disk<'d>>> = Vec::new();
    let mut by_name: BTreeMap<String, Vec<Disk<'d>>> = BTreeMap::new();
    for disk in disks {
        match candidate_name(&disk) {
            Some(name) => by_name.entry(name).or_default().push(disk),
            None => groups.push(vec![disk]),
        }
    }
    for (name, disks) in by_name {
        if disks.len() == 1 {
            groups.push(disks);
            continue;
        }
        let mut alike: BTreeMap<Option<Likeness>, Vec<Disk<'d>>> = BTreeMap::new();
        for disk in disks {
            alike.entry(likeness(&disk, &name, maps)).or_default().push(disk);
        }
        for (likeness, disks) in alike {
            if likeness.is_some() || disks.len() == 1 {
                groups.push(disks);
            } else {
                let names: Vec<&str> = disks.iter().map(|disk| disk.device.name.as_str()).collect();
                let operation = format!("tell whether {} are one drive", names.join(" and "));
                let cause = format!("they share {name}, and not all of serial number, model and size could be read");
                reasons.push(ledger.error(operation, ErrorKind::NotFound, cause));
                groups.extend(disks.into_iter().map(|disk| vec![disk]));
            }
        }
    }
    for group in &mut groups {
        group.sort_by(|a, b| names::order(&a.device.name, &b.device.name));
    }
    groups
}

/// What a disk may share with another path of the same drive; `None` if it can have no other path.
fn candidate_name(disk: &Disk<'_>) -> Option<String> {
    match disk.device.path.reading.known().map(DevicePath::bus) {
        // One cable, one drive.
        Some(Bus::Ata | Bus::Usb | Bus::Virtio | Bus::Xen | Bus::Mmc) => return None,
        _ => {}
    }
    if let Some(wwn) = disk.scsi.wwn.reading.known() {
        return Some(format!("the World Wide Name {wwn}"));
    }
    disk.scsi.serial.reading.known().map(|serial| format!("the serial number {serial} and no World Wide Name"))
}

/// Disks that share a name are one drive if they are alike in this too. `None` if it cannot be told.
type Likeness = (String, String, u64);

fn likeness(disk: &Disk<'_>, name: &str, maps: &BTreeMap<String, String>) -> Option<Likeness> {
    let size = disk.device.bytes.reading.known()?.0;
    // multipathd compared the identifiers that it read from the devices itself.
    if let Some(map) = maps.get(&disk.device.name) {
        return Some((map.clone(), String::new(), size));
    }
    // Without a World Wide Name nothing rules out two volumes of one box that repeats its own serial number.
    disk.scsi.wwn.reading.known().filter(|wwn| name.ends_with(wwn.as_str()))?;
    Some((disk.scsi.serial.reading.known()?.clone(), disk.scsi.model.reading.known()?.clone(), size))
}

/// One value of several devices that are one drive: they must agree.
pub(crate) fn common<T: Clone + PartialEq + Debug>(
    ledger: &Ledger<'_>,
    fact: &str,
    reads: Vec<(&str, Read<T>)>,
) -> Option<Read<T>> {
    let (first_name, first) = reads.first()?;
    if let Some((_, unread)) = reads.iter().find(|(_, read)| matches!(read.reading, Reading::Unreadable(_))) {
        return Some(unread.clone());
    }
    match reads.iter().find(|(_, read)| read.reading != first.reading) {
        None => Some(first.clone()),
        Some((name, other)) => {
            let shown = |read: &Read<T>| match &read.reading {
                Reading::Known(value) => format!("{value:?}"),
                Reading::Absent | Reading::Unreadable(_) => "nothing".to_owned(),
            };
            let cause = format!("{first_name} has {}, {name} has {}", shown(first), shown(other));
            let error = ledger.error(format!("tell the one {fact} of a drive"), ErrorKind::Conflict, cause);
            Some(Read { reading: Reading::Unreadable(error), source: first.source })
        }
    }
}

/// Makes identifiers that two drives share a conflict, then gives each drive its `id`.
pub(crate) fn identify(ledger: &Ledger<'_>, drives: &mut [Drive]) {
    type Field = (&'static str, fn(&mut Drive) -> &mut Reading<String>);
    let fields: [Field; 3] =
        [("wwn", |drive| &mut drive.wwn), ("nguid", |drive| &mut drive.nguid), ("eui64", |drive| &mut drive.eui64)];
    for (field, of) in fields {
        refuse_repeated(ledger, drives, field, of);
    }
    for drive in drives.iter_mut() {
        let serial =
            drive.model.known().zip(drive.serial.known()).map(|(model, serial)| format!("serial:{model}:{serial}"));
        let id = None
            .or_else(|| drive.wwn.known().map(|wwn| format!("wwn:{wwn}")))
            .or_else(|| drive.nguid.known().map(|nguid| format!("nguid:{nguid}")))
            .or_else(|| drive.eui64.known().map(|eui64| format!("eui64:{eui64}")))
            .or(serial);
        drive.id = match id {
            Some(id) => Reading::Known(id),
            None => {
                let places = [&drive.wwn, &drive.nguid, &drive.eui64, &drive.serial, &drive.model];
                let unread = places.into_iter().find_map(|reading| match reading {
                    Reading::Unreadable(error) => Some(*error),
                    Reading::Known(_) | Reading::Absent => None,
                });
                unread.map_or(Reading::Absent, Reading::Unreadable)
            }
        };
    }
    refuse_repeated(ledger, drives, "id", |drive| &mut drive.id);
    let source = ledger.source("derived: wwn, nguid, eui64, or model and serial");
    drives.iter_mut().for_each(|drive| drive.sources.set("id", source));
}

fn refuse_repeated(ledger: &Ledger<'_>, drives: &mut [Drive], field: &str, of: fn(&mut Drive) -> &mut Reading<String>) {
    let mut seen: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for drive in drives.iter_mut() {
        let name = drive.name.known().cloned().unwrap_or_default();
        if let Reading::Known(value) = of(drive) {
            seen.entry(value.clone()).or_default().push(name);
        }
    }
    seen.retain(|_, names| names.len() > 1);
    for drive in drives.iter_mut() {
        let value = of(drive);
        if let Some(names) = value.known().and_then(|value| seen.get(value)) {
            let cause = format!("{} have the same", names.join(" and "));
            *value =
                Reading::Unreadable(ledger.error(format!("tell drives apart by {field}"), ErrorKind::Conflict, cause));
        }
    }
}

/// SCSI hosts that show at least one disk.
pub(crate) fn hosts(devices: &Devices) -> BTreeSet<u32> {
    let paths = devices.by_name.values().filter_map(|device| device.path.reading.known());
    paths.filter_map(|path| path.scsi_address().map(|address| address.host)).collect()
}
