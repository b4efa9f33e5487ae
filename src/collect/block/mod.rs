//! Drives, NVMe controllers, block devices, and what is left out: sysfs and procfs only, nothing is opened in `/dev`.
//!
//! In order: NVMe controllers ([`nvme`]), every block device by itself ([`device`]), who uses which ([`users`]), what
//! stands on what ([`usage`]), which devices are one drive ([`drives`]), and the records ([`mod@record`],
//! [`disk_drive`], [`nvme_drive`]).

mod device;
mod disk_drive;
mod drives;
mod hidden;
mod kind;
mod mounts;
mod names;
mod nvme;
mod nvme_drive;
mod path;
mod raid;
mod record;
mod scsi;
#[cfg(test)]
mod tests;
mod udev;
mod usage;
mod users;
mod vpd;

use super::ledger::Ledger;
use crate::inventory::{BlockDevice, Drive, Excluded, NvmeController, Transport};
use crate::reading::{Collection, ErrorId, ErrorKind, Fact, Reading, Renumber};
use device::{Device, Devices, Queue};
use drives::Disk;
pub(crate) use drives::identify;
use names::NameKind;
use path::{Bus, DevicePath};
pub(crate) use raid::may_hide_drives;
use record::Context;
use std::collections::BTreeMap;

/// What the section tells.
pub struct BlockSection {
    /// Physical media.
    pub drives: Collection<Drive>,
    /// NVMe controllers.
    pub nvme_controllers: Collection<NvmeController>,
    /// Block devices that are looked at.
    pub block_devices: Collection<BlockDevice>,
    /// Block devices that are left out.
    pub excluded: Collection<Excluded>,
}

impl BlockSection {
    /// Rewrites every index, as when ledgers are joined.
    pub fn renumber(&mut self, ids: &Renumber<'_>) {
        self.drives.renumber(ids);
        self.nvme_controllers.renumber(ids);
        self.block_devices.renumber(ids);
        self.excluded.renumber(ids);
    }
}

/// Reads the section.
#[must_use]
pub fn collect(ledger: &Ledger<'_>) -> BlockSection {
    let mut nvme = nvme::read(ledger);
    let found = std::mem::take(&mut nvme.found);
    let devices = device::devices(ledger, found);
    let controllers = match nvme.unreadable {
        Some(error) => Collection::Unreadable(error),
        None => {
            let mut records: Vec<_> = nvme.controllers.values().collect();
            records.sort_by(|a, b| names::order(&a.name, &b.name));
            Collection::new(records.into_iter().map(|c| c.record.clone()).collect(), nvme.reasons.clone())
        }
    };
    let devices = match devices {
        Ok(devices) => devices,
        Err(error) => {
            return BlockSection {
                drives: Collection::Unreadable(error),
                nvme_controllers: controllers,
                block_devices: Collection::Unreadable(error),
                excluded: Collection::Unreadable(error),
            };
        }
    };
    let users = users::read(ledger, &devices);
    let dm_uuids = record::dm_uuids(ledger, devices.by_name.values());
    let stack = usage::Stack::new(ledger, &devices, &dm_uuids);
    let context = Context { ledger, users: &users, stack: &stack, dm_uuids: &dm_uuids };

    let mut excluded = Vec::new();
    let mut looked_at = Vec::new();
    // Of the excluded, and of those that are looked at.
    let mut unseen = (devices.reasons.clone(), devices.reasons.clone());
    for device in devices.in_order() {
        let whole = device.disk.as_ref().and_then(|disk| devices.by_name.get(disk));
        match record::exclusion_of(ledger, whole.unwrap_or(device)) {
            Some(reason) => {
                excluded.push(context.excluded(device, reason));
                unseen.0.extend(devices.partitions_unknown.get(&device.name));
            }
            None => {
                looked_at.push((device, whole));
                unseen.1.extend(devices.partitions_unknown.get(&device.name));
            }
        }
    }
    let (drives, mut hidden) = drives_of(&context, &devices, &nvme, &looked_at);
    hidden.extend(devices.reasons.iter().copied());
    hidden.extend(nvme.reasons.iter().copied());
    // A folder that could not be read at all hides controllers without namespaces.
    hidden.extend(nvme.unreadable);
    BlockSection {
        drives: Collection::new(drives, hidden),
        nvme_controllers: controllers,
        block_devices: Collection::new(
            looked_at.iter().map(|(device, whole)| context.block_device(device, *whole)).collect(),
            unseen.1,
        ),
        excluded: Collection::new(excluded, unseen.0),
    }
}

/// All drives in the order of their names, and why there may be more or fewer.
fn drives_of(
    context: &Context<'_, '_>,
    devices: &Devices,
    nvme: &nvme::Nvme,
    looked_at: &[(&Device, Option<&Device>)],
) -> (Vec<Drive>, Vec<ErrorId>) {
    let ledger = context.ledger;
    let mut reasons = Vec::new();
    let mut namespaces = Vec::new();
    let mut disks = Vec::new();
    let mut others: BTreeMap<String, Vec<&Device>> = BTreeMap::new();
    for device in looked_at.iter().filter(|(_, whole)| whole.is_none()).map(|(device, _)| *device) {
        let path = device.path.reading.known();
        match device.kind {
            NameKind::NvmeNamespace => namespaces.push(device),
            NameKind::Disk if is_scsi(device) => {
                let scsi = scsi::read(ledger, device);
                disks.push(Disk { device, scsi, queue: Queue::read(ledger, &device.base) });
            }
            // A region of persistent memory is a set of modules that fail together.
            NameKind::Pmem => {
                let region = match path.map(DevicePath::bus) {
                    Some(Bus::NvdimmRegion(region)) => region,
                    _ => device.name.clone(),
                };
                others.entry(format!("pmem {region}")).or_default().push(device);
            }
            NameKind::Disk | NameKind::RaidVolume | NameKind::Mmc => {
                others.entry(device.name.clone()).or_default().push(device)
            }
            // What is not known here and hangs under hardware is likely a medium.
            NameKind::Other if path.is_none_or(|path| path.bus() != Bus::Virtual) => {
                let operation = format!("tell what {} is", device.name);
                reasons.push(ledger.error(
                    operation,
                    ErrorKind::NotSupported,
                    "no driver of such a name is known here",
                ));
            }
            _ => {}
        }
    }
    let maps = multipath_maps(context, devices);
    let mut drives: Vec<Drive> = Vec::new();
    drives.extend(drives::nvme_groups(ledger, namespaces, nvme, &mut reasons).iter().map(|group| context.nvme(group)));
    drives
        .extend(drives::scsi_groups(ledger, disks, &maps, &mut reasons).iter().filter_map(|group| context.scsi(group)));
    drives.extend(others.values().filter_map(|group| context.other(group)));
    drives.sort_by(|a, b| names::order(name_of(a), name_of(b)));
    drives::identify(ledger, &mut drives);
    for drive in &drives {
        if drive.transport == Reading::Known(Transport::Raid) {
            let words: Vec<&str> =
                [&drive.vendor, &drive.model].iter().filter_map(|r| r.known().map(String::as_str)).collect();
            let made_by = if words.is_empty() { String::new() } else { format!(" ({})", words.join(" ")) };
            let cause = format!("it is a volume of a RAID controller{made_by}, which hides them");
            let operation = format!("see the drives behind {}", name_of(drive));
            reasons.push(ledger.error(operation, ErrorKind::NotSupported, cause));
        }
    }
    reasons.extend(hidden::reasons(ledger, &drives::hosts(devices)));
    (drives, reasons)
}

/// A disk that answers INQUIRY.
fn is_scsi(device: &Device) -> bool {
    match device.path.reading.known() {
        Some(path) => path.scsi_address().is_some(),
        None => device.name.starts_with("sd"),
    }
}

/// By disk: the multipath map that holds it.
fn multipath_maps(context: &Context<'_, '_>, devices: &Devices) -> BTreeMap<String, String> {
    let mut maps = BTreeMap::new();
    for device in devices.by_name.values() {
        let is_map =
            matches!(context.dm_uuids.get(&device.name), Some(Reading::Known(uuid)) if uuid.starts_with("mpath-"));
        if is_map {
            for slave in device.slaves.reading.known().map(|slaves| slaves.names.as_slice()).unwrap_or_default() {
                maps.insert(slave.clone(), device.name.clone());
            }
        }
    }
    maps
}

fn name_of(drive: &Drive) -> &str {
    drive.name.known().map_or("", String::as_str)
}
