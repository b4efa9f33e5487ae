//! What all records share, and the records of block devices and of those that are left out.
//!
//! Knows which fact is read where; which devices are one drive is told in [`super::drives`].

use super::device::{Device, Queue, exclusion, numa_node, text};
use super::drives::common;
use super::kind;
use super::names::{self, NameKind};
use super::path::{Bus, DevicePath};
use super::usage::{self, Stack};
use super::users::Users;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::{BlockDevice, BlockKind, Drive, Excluded, ExclusionReason};
use crate::reading::{ErrorKind, Reading, SourceId};
use crate::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

/// What every record needs.
pub(crate) struct Context<'c, 'h> {
    pub(crate) ledger: &'c Ledger<'h>,
    pub(crate) users: &'c Users,
    pub(crate) stack: &'c Stack,
    pub(crate) dm_uuids: &'c BTreeMap<String, Reading<String>>,
}

pub(crate) const TOLD: Missing = Missing::Untold("every disk of this kind has it");

impl Context<'_, '_> {
    pub(crate) fn source(&self, text: &str) -> SourceId {
        self.ledger.source(text)
    }

    pub(crate) fn absent<T>(&self, why: &str) -> Read<T> {
        Read { reading: Reading::Absent, source: self.source(&format!("derived: {why}")) }
    }

    pub(crate) fn known<T>(&self, value: T, source: &str) -> Read<T> {
        Read { reading: Reading::Known(value), source: self.source(source) }
    }

    /// A decision, or why it could not be made.
    pub(crate) fn decided<T>(&self, drive: &str, fact: &str, from: &str, decision: Result<T, String>) -> Read<T> {
        let reading = match decision {
            Ok(value) => Reading::Known(value),
            Err(cause) => Reading::Unreadable(self.ledger.error(
                format!("tell the {fact} of {drive}"),
                ErrorKind::NotSupported,
                cause,
            )),
        };
        Read { reading, source: self.source(&format!("derived: {from}")) }
    }

    /// What all kinds of drives have: size, queue, usage, place.
    pub(crate) fn whole(&self, drive: &mut Drive, members: &[(&Device, &Queue)], functions: &BTreeSet<String>) {
        let names: Vec<String> = members.iter().map(|(device, _)| device.name.clone()).collect();
        macro_rules! shared {
            ($field:ident, $of:expr) => {{
                let of = $of;
                let reads = members.iter().map(|(device, queue)| (device.name.as_str(), of(device, queue))).collect();
                if let Some(read) = common(self.ledger, stringify!($field), reads) {
                    set!(drive.$field, read);
                }
            }};
        }
        shared!(logical_block_size, |_: &&Device, queue: &&Queue| queue.logical_block_size.clone());
        shared!(physical_block_size, |_: &&Device, queue: &&Queue| queue.physical_block_size.clone());
        shared!(rotational, |_: &&Device, queue: &&Queue| queue.rotational.clone());
        shared!(zoned, |_: &&Device, queue: &&Queue| queue.zoned.clone());
        shared!(write_back, |_: &&Device, queue: &&Queue| queue.write_back.clone());
        shared!(removable, |device: &&Device, _: &&Queue| device.removable.clone());
        shared!(read_only, |device: &&Device, _: &&Queue| device.read_only.clone());
        let usage = usage::usage(self.users, self.stack, &names);
        set!(drive.usage, Read { reading: usage, source: usage::source(self.ledger) });
        set!(drive.mountpoints, usage::mountpoints(self.ledger, self.users, self.stack, &names));
        set!(drive.block_devices, self.known(names::sorted(names), "derived: which devices are one drive"));
        let place = self.place(functions);
        set!(drive.numa_node, self.numa(&place));
        set!(drive.pci_address, place);
    }

    /// The one PCI function above. Paths under several functions have no one place.
    fn place(&self, functions: &BTreeSet<String>) -> Read<String> {
        let mut all = functions.iter();
        let reading = match (all.next(), all.next()) {
            (Some(one), None) => Reading::Known(one.clone()),
            (None, _) => Reading::Absent,
            (Some(one), Some(other)) => {
                let cause = format!("its paths hang under {one} and {other}");
                Reading::Unreadable(self.ledger.error(
                    "tell the one PCI function of a drive",
                    ErrorKind::Conflict,
                    cause,
                ))
            }
        };
        Read { reading, source: self.source("derived: device path") }
    }

    fn numa(&self, place: &Read<String>) -> Read<u64> {
        match &place.reading {
            Reading::Known(function) => numa_node(self.ledger, &format!("/sys/bus/pci/devices/{function}/numa_node")),
            Reading::Absent => Read { reading: Reading::Absent, source: place.source },
            Reading::Unreadable(error) => Read { reading: Reading::Unreadable(*error), source: place.source },
        }
    }

    /// The record of a device that is looked at.
    pub(crate) fn block_device(&self, device: &Device, disk: Option<&Device>) -> BlockDevice {
        let mut record = BlockDevice::default();
        let at = |file: &str| format!("{}/{file}", device.base);
        let whole = disk.unwrap_or(device);
        let dm = device.kind == NameKind::DeviceMapper && device.disk.is_none();
        let md = device.kind == NameKind::Md && device.disk.is_none();
        set!(record.name, self.known(device.name.clone(), "list /sys/block"));
        set!(record.kind, self.block_kind(device));
        set!(record.dev, device.dev.clone());
        set!(record.bytes, device.bytes.clone());
        set!(
            record.logical_block_size,
            super::device::block_size(self.ledger, &format!("{}/queue/logical_block_size", whole.base))
        );
        set!(
            record.physical_block_size,
            super::device::block_size(self.ledger, &format!("{}/queue/physical_block_size", whole.base))
        );
        set!(record.read_only, device.read_only.clone());
        set!(
            record.parent,
            match &device.disk {
                Some(disk) => self.known(disk.clone(), "derived: device path"),
                None => self.absent("no partition"),
            }
        );
        let own = |mine: bool, file: &str, missing: Missing| {
            if mine { text(self.ledger, &at(file), missing) } else { self.absent("another kind of device") }
        };
        set!(record.dm_name, own(dm, "dm/name", TOLD));
        set!(record.dm_uuid, own(dm, "dm/uuid", TOLD));
        // An array that is not assembled has no level.
        set!(record.md_level, own(md, "md/level", Missing::Absent));
        set!(record.holders, usage::names_listed(self.ledger, device, "holders", &device.holders));
        set!(record.slaves, usage::names_listed(self.ledger, device, "slaves", &device.slaves));
        set!(record.mountpoints, usage::own_mountpoints(self.ledger, self.users, &device.name));
        set!(record.swap, Read { reading: usage::swap(self.users, &device.name), source: self.users.swap_source });
        record
    }

    fn block_kind(&self, device: &Device) -> Read<BlockKind> {
        let kind = match device.kind {
            _ if device.disk.is_some() => BlockKind::Partition,
            NameKind::Disk | NameKind::RaidVolume | NameKind::Mmc => BlockKind::Disk,
            NameKind::NvmeNamespace => BlockKind::NvmeNamespace,
            NameKind::NvmePath => BlockKind::NvmePath,
            NameKind::MmcBoot => BlockKind::MmcBoot,
            NameKind::Pmem => BlockKind::Pmem,
            NameKind::Md => BlockKind::Md,
            NameKind::Bcache => BlockKind::Bcache,
            NameKind::Network => BlockKind::Network,
            NameKind::Excluded(_) | NameKind::Other => BlockKind::Other,
            NameKind::DeviceMapper => {
                let source = self.source(&format!("{}/dm/uuid", device.base));
                let reading = match self.dm_uuids.get(&device.name) {
                    Some(Reading::Known(uuid)) => Reading::Known(match uuid.split('-').next() {
                        Some("mpath") => BlockKind::Multipath,
                        Some("CRYPT") => BlockKind::Crypt,
                        Some("LVM") => BlockKind::Lvm,
                        _ => BlockKind::Dm,
                    }),
                    // Whoever made it gave it none.
                    Some(Reading::Absent) | None => Reading::Known(BlockKind::Dm),
                    Some(Reading::Unreadable(error)) => Reading::Unreadable(*error),
                };
                return Read { reading, source };
            }
        };
        self.known(kind, "derived: name of the device")
    }

    /// The record of a device that is left out.
    pub(crate) fn excluded(&self, device: &Device, reason: ExclusionReason) -> Excluded {
        let mut record = Excluded::default();
        set!(record.name, self.known(device.name.clone(), "list /sys/block"));
        set!(record.reason, self.known(reason, "derived: name, size, device path and INQUIRY"));
        set!(record.bytes, device.bytes.clone());
        record
    }
}

/// Whether a SCSI disk over USB is a medium that a management controller presents.
pub(crate) fn is_virtual_media(ledger: &Ledger<'_>, device: &Device) -> bool {
    if device.path.reading.known().map(DevicePath::bus) != Some(Bus::Usb) {
        return false;
    }
    let read = |file: &str| super::scsi::aside(ledger, &format!("{}/device/{file}", device.base));
    kind::virtual_media(read("vendor").unwrap_or_default().trim(), read("model").unwrap_or_default().trim())
}

/// Why a device is left out, if it is.
pub(crate) fn exclusion_of(ledger: &Ledger<'_>, device: &Device) -> Option<ExclusionReason> {
    let scsi_like = matches!(device.kind, NameKind::Disk | NameKind::Excluded(ExclusionReason::Optical));
    if scsi_like && is_virtual_media(ledger, device) {
        return Some(ExclusionReason::VirtualMedia);
    }
    exclusion(device)
}

/// `dm/uuid` of each mapped device.
pub(crate) fn dm_uuids<'d>(
    ledger: &Ledger<'_>,
    devices: impl Iterator<Item = &'d Device>,
) -> BTreeMap<String, Reading<String>> {
    devices
        .filter(|device| device.kind == NameKind::DeviceMapper && device.disk.is_none())
        .map(|device| (device.name.clone(), text(ledger, &format!("{}/dm/uuid", device.base), TOLD).reading))
        .collect()
}

/// The sizes of namespaces add up.
pub(crate) fn sum(ledger: &Ledger<'_>, devices: &[&Device]) -> Read<Bytes> {
    let names: Vec<&str> = devices.iter().map(|device| device.name.as_str()).collect();
    let source = match devices {
        [one] => one.bytes.source,
        _ => ledger.source(format!("derived: sum of the sizes of {}", names.join(", "))),
    };
    let mut total: u64 = 0;
    for device in devices {
        match device.bytes.reading {
            Reading::Known(Bytes(bytes)) => match total.checked_add(bytes) {
                Some(sum) => total = sum,
                None => {
                    return Read { reading: ledger.malformed(&device.base, "the sum does not fit 64 bits"), source };
                }
            },
            Reading::Absent => return Read { reading: Reading::Absent, source },
            Reading::Unreadable(error) => return Read { reading: Reading::Unreadable(error), source },
        }
    }
    Read { reading: Reading::Known(Bytes(total)), source }
}

/// States of several paths: one word if they agree, else all of them, sorted, as in "live,resetting".
pub(crate) fn states(reads: Vec<Read<String>>) -> Read<String> {
    let mut words = BTreeSet::new();
    let mut last = Read { reading: Reading::Absent, source: SourceId(0) };
    for read in reads {
        match &read.reading {
            Reading::Known(word) => {
                words.insert(word.clone());
            }
            Reading::Absent => {}
            Reading::Unreadable(_) => return read,
        }
        last = read;
    }
    if words.is_empty() {
        return last;
    }
    Read { reading: Reading::Known(words.into_iter().collect::<Vec<_>>().join(",")), source: last.source }
}

pub(crate) fn functions<'d>(devices: impl Iterator<Item = &'d Device>) -> BTreeSet<String> {
    devices.filter_map(|device| device.path.reading.known()?.pci_function().map(str::to_owned)).collect()
}
