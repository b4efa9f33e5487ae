//! From block devices to physical media: which devices are one drive, and the record of each.
//!
//! A namespace's bytes add up under its subsystem; paths are one. Two SCSI disks are one drive only if they carry the same
//! World Wide Name, serial number, model and size, and hang on a transport that can have several paths. Where that cannot
//! be told they stay apart and the collection is partial, so that no sum over it is believed. The two logical units of a
//! SAS drive with two actuators have different names, and are two drives here: nothing in sysfs says that they are not.

use super::device::{Device, Devices, Queue};
use super::names;
use super::nvme::{Controller, Nvme, is_fabric};
use super::path::{Bus, DevicePath};
use super::scsi::Scsi;
use crate::collect::ledger::{Ledger, Read};
use crate::inventory::Drive;
use crate::reading::{ErrorId, ErrorKind, Reading};
use std::collections::{BTreeMap, BTreeSet};

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
    for disk in disks {
        match groups.iter_mut().find(|group| group.iter().any(|other| are_one(other, &disk, maps))) {
            Some(group) => group.push(disk),
            None => groups.push(vec![disk]),
        }
    }
    let doubtful = in_doubt(&groups);
    if !doubtful.is_empty() {
        let operation = format!("tell which of {} are one drive", names::sorted(doubtful).join(", "));
        let cause = "not all of World Wide Name, serial number, model and size could be read, and the rest is the same";
        reasons.push(ledger.error(operation, ErrorKind::NotFound, cause));
    }
    for group in &mut groups {
        group.sort_by(|a, b| names::order(&a.device.name, &b.device.name));
    }
    groups
}

/// Disks that may be paths to the same drive as one of another group.
fn in_doubt(groups: &[Vec<Disk<'_>>]) -> Vec<String> {
    let mut names = Vec::new();
    for (place, group) in groups.iter().enumerate() {
        for (a, b) in group.iter().flat_map(|a| groups.iter().skip(place + 1).flatten().map(move |b| (a, b))) {
            if may_be_one(a, b) {
                names.extend([a.device.name.clone(), b.device.name.clone()]);
            }
        }
    }
    names
}

/// Whether a disk may have another path. One cable, one drive.
fn may_have_paths(disk: &Disk<'_>) -> bool {
    let bus = disk.device.path.reading.known().map(DevicePath::bus);
    !matches!(bus, Some(Bus::Ata | Bus::Usb | Bus::Virtio | Bus::Xen | Bus::Mmc))
}

/// Two disks are paths to one drive: everything that identifies it is known and the same, or multipathd has put them into
/// one map, for which it compared the identifiers that it read from the devices itself.
fn are_one(a: &Disk<'_>, b: &Disk<'_>, maps: &BTreeMap<String, String>) -> bool {
    let map = |disk: &Disk<'_>| maps.get(&disk.device.name);
    let in_one_map = map(a).is_some() && map(a) == map(b);
    let told = |disk: &Disk<'_>| {
        let scsi = &disk.scsi;
        let texts = [&scsi.wwn, &scsi.serial, &scsi.model].map(|read| read.reading.known().cloned());
        texts.iter().all(Option::is_some).then_some((texts, disk.device.bytes.reading.known()?.0))
    };
    let alike = told(a).is_some() && told(a) == told(b);
    may_have_paths(a) && may_have_paths(b) && (alike || (in_one_map && !contradict(a, b)))
}

/// Two disks that are not known to be one drive, and not known to be two.
fn may_be_one(a: &Disk<'_>, b: &Disk<'_>) -> bool {
    if !may_have_paths(a) || !may_have_paths(b) || contradict(a, b) {
        return false;
    }
    let unread = |a: &Reading<String>, b: &Reading<String>| [a, b].iter().any(|r| matches!(r, Reading::Unreadable(_)));
    let shared = |a: &Reading<String>, b: &Reading<String>| a.known().is_some() && a == b;
    // A name that both have, or that one may have; without it a serial number.
    let names = (&a.scsi.wwn.reading, &b.scsi.wwn.reading);
    let serials = (&a.scsi.serial.reading, &b.scsi.serial.reading);
    shared(names.0, names.1) || unread(names.0, names.1) || shared(serials.0, serials.1) || unread(serials.0, serials.1)
}

/// Something that identifies a drive is known of both and differs.
fn contradict(a: &Disk<'_>, b: &Disk<'_>) -> bool {
    let differ = |a: &Reading<String>, b: &Reading<String>| match (a, b) {
        (Reading::Unreadable(_), _) | (_, Reading::Unreadable(_)) => false,
        (a, b) => a != b,
    };
    let sizes = a.device.bytes.reading.known().zip(b.device.bytes.reading.known());
    differ(&a.scsi.wwn.reading, &b.scsi.wwn.reading)
        || differ(&a.scsi.serial.reading, &b.scsi.serial.reading)
        || differ(&a.scsi.model.reading, &b.scsi.model.reading)
        || sizes.is_some_and(|(a, b)| a != b)
}

/// One value of several devices that are one drive: they must agree.
pub(crate) fn common<T: Clone + PartialEq + serde::Serialize>(
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
                Reading::Known(value) => serde_json::to_string(value).unwrap_or_else(|_| "another".to_owned()),
                Reading::Absent | Reading::Unreadable(_) => "none".to_owned(),
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
        let model = match &drive.model {
            Reading::Known(model) => Some(model.as_str()),
            Reading::Absent => Some(""),
            Reading::Unreadable(_) => None,
        };
        let serial = model.zip(drive.serial.known()).map(|(model, serial)| format!("serial:{model}:{serial}"));
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
