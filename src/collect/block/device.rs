//! The block devices of the kernel and what sysfs says of each by itself.
//!
//! Documentation/ABI/stable/sysfs-block. Knows no drives: which devices are one medium is told in [`super::drives`].

use super::names::{self, NameKind};
use super::path::DevicePath;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::host::Listing;
use crate::inventory::{ExclusionReason, Zoned};
use crate::reading::{ErrorId, ErrorKind, Reading};
use crate::units::{Bytes, Sectors512};
use std::collections::{BTreeMap, BTreeSet};

/// One block device as sysfs tells it.
pub(crate) struct Device {
    pub(crate) name: String,
    /// Its folder, as in "/sys/block/sda" or "/sys/block/sda/sda1".
    pub(crate) base: String,
    /// Disk of a partition.
    pub(crate) disk: Option<String>,
    /// Driver by name; of a partition, that of its disk.
    pub(crate) kind: NameKind,
    pub(crate) path: Read<DevicePath>,
    pub(crate) dev: Read<String>,
    pub(crate) bytes: Read<Bytes>,
    pub(crate) read_only: Read<bool>,
    pub(crate) removable: Read<bool>,
    /// Names in its folder.
    pub(crate) folder: Read<Listing>,
    pub(crate) holders: Read<Listing>,
    pub(crate) slaves: Read<Listing>,
}

/// Block devices by name, and why some may be missing.
pub(crate) struct Devices {
    pub(crate) by_name: BTreeMap<String, Device>,
    /// Why disks may be missing.
    pub(crate) reasons: Vec<ErrorId>,
    /// By disk: why its partitions may not be all.
    pub(crate) partitions_unknown: BTreeMap<String, ErrorId>,
}

/// A namespace that was found under its controller, for a capture that lacks the folders of block devices.
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) base: String,
    pub(crate) path: Read<DevicePath>,
}

const NO_SYSFS: Missing = Missing::Untold("sysfs shows no block devices");

/// Finds all block devices. `Err` if not even a list of them could be read.
pub(crate) fn devices(ledger: &Ledger<'_>, elsewhere: Vec<Found>) -> Result<Devices, ErrorId> {
    let block = ledger.list("/sys/block", NO_SYSFS);
    let class = ledger.list("/sys/class/block", NO_SYSFS);
    let in_block = known_names(&block);
    let in_class = known_names(&class);
    let mut reasons = Vec::new();
    match (&block.reading, &class.reading) {
        (Reading::Known(listing), _) | (_, Reading::Known(listing)) if listing.complete => {}
        (Reading::Known(_), _) => reasons.push(ledger.incomplete("/sys/block")),
        (_, Reading::Known(_)) => reasons.push(ledger.incomplete("/sys/class/block")),
        (Reading::Unreadable(error), _) if elsewhere.is_empty() => return Err(*error),
        (Reading::Unreadable(error), _) => reasons.push(*error),
        (Reading::Absent, _) => {}
    }
    let class_complete = matches!(&class.reading, Reading::Known(listing) if listing.complete);

    let everything: BTreeSet<&str> = in_block.iter().chain(&in_class).map(String::as_str).collect();
    let mut disks: BTreeMap<&str, String> = BTreeMap::new();
    let mut partitions: BTreeMap<&str, &str> = BTreeMap::new();
    for name in &everything {
        // A whole disk may be called like a partition (Xen), so the folder of disks decides where it has the name.
        let disk = || everything.iter().find(|disk| names::is_partition_of(name, disk));
        if in_block.contains(*name) {
            disks.insert(name, format!("/sys/block/{name}"));
        } else if let Some(disk) = disk() {
            partitions.insert(name, disk);
        } else {
            disks.insert(name, format!("/sys/class/block/{name}"));
        }
    }

    let mut devices = Devices { by_name: BTreeMap::new(), reasons, partitions_unknown: BTreeMap::new() };
    for (name, base) in &disks {
        let path = device_path(ledger, base, name);
        let disk = device(ledger, name, base, None, path);
        devices.add_disk(ledger, disk, class_complete, &partitions);
    }
    for found in elsewhere {
        if !devices.by_name.contains_key(&found.name) {
            let disk = device(ledger, &found.name, &found.base, None, found.path);
            devices.add_disk(ledger, disk, false, &BTreeMap::new());
        }
    }
    Ok(devices)
}

impl Devices {
    fn add_disk(&mut self, ledger: &Ledger<'_>, disk: Device, class_complete: bool, in_class: &BTreeMap<&str, &str>) {
        let mut found: BTreeMap<String, String> = in_class
            .iter()
            .filter(|(_, parent)| **parent == disk.name)
            .map(|(name, _)| ((*name).to_owned(), format!("/sys/class/block/{name}")))
            .collect();
        let unknown = match &disk.folder.reading {
            Reading::Known(listing) => {
                for name in listing.names.iter().filter(|name| names::is_partition_of(name, &disk.name)) {
                    found.insert(name.clone(), format!("{}/{name}", disk.base));
                }
                (!listing.complete && !class_complete).then(|| ledger.incomplete(&disk.base))
            }
            Reading::Unreadable(error) if !class_complete => Some(*error),
            Reading::Unreadable(_) | Reading::Absent => None,
        };
        // A hidden path has no partitions of its own.
        if let Some(error) = unknown.filter(|_| disk.kind != NameKind::NvmePath) {
            self.partitions_unknown.insert(disk.name.clone(), error);
        }
        for (name, base) in found {
            let mut partition = device(ledger, &name, &base, Some(&disk), disk.path.clone());
            partition.kind = disk.kind;
            self.by_name.insert(name, partition);
        }
        self.by_name.insert(disk.name.clone(), disk);
    }

    /// All devices in the order of lists.
    pub(crate) fn in_order(&self) -> Vec<&Device> {
        let mut all: Vec<&Device> = self.by_name.values().collect();
        all.sort_by(|a, b| names::order(&a.name, &b.name));
        all
    }

    /// The device that a path of `/dev` names: "/dev/sda1", "/dev/mapper/..." by its device mapper name, or "/dev/cciss/c0d0".
    pub(crate) fn by_node<'d>(&'d self, path: &str, dm_names: &BTreeMap<String, String>) -> Option<&'d str> {
        let node = path.strip_prefix("/dev/")?;
        let name = match node.strip_prefix("mapper/") {
            Some(dm) => dm_names.get(dm)?.clone(),
            None => node.replace('/', "!"),
        };
        self.by_name.get_key_value(&name).map(|(name, _)| name.as_str())
    }
}

fn known_names(listing: &Read<Listing>) -> BTreeSet<String> {
    listing.reading.known().map(|listing| listing.names.iter().cloned().collect()).unwrap_or_default()
}

/// Where the device stands in the device tree. Of very old kernels the entry is a folder, whose `device` is the link.
fn device_path(ledger: &Ledger<'_>, base: &str, name: &str) -> Read<DevicePath> {
    let link = ledger.link(base, Missing::Untold("the device has gone"));
    if let Reading::Known(target) = &link.reading {
        let reading = match DevicePath::of_link(base, target) {
            Some(path) => Reading::Known(path),
            None => ledger.malformed(base, format!("the link leads out of /sys/devices: {target:?}")),
        };
        return Read { reading, source: link.source };
    }
    let at = format!("{base}/device");
    if let Ok(target) = ledger.host().read_link(&at)
        && let Some(path) = DevicePath::of_link(&at, &format!("{target}/block/{name}"))
    {
        return Read { reading: Reading::Known(path), source: ledger.source(format!("link {at}")) };
    }
    Read { reading: link.reading.map_unknown(), source: link.source }
}

trait MapUnknown {
    fn map_unknown<T>(&self) -> Reading<T>;
}

impl<U> MapUnknown for Reading<U> {
    /// The outcome of a reading that is not known, as one of another type. A known one is never given here.
    fn map_unknown<T>(&self) -> Reading<T> {
        match self {
            Self::Unreadable(error) => Reading::Unreadable(*error),
            Self::Absent | Self::Known(_) => Reading::Absent,
        }
    }
}

fn device(ledger: &Ledger<'_>, name: &str, base: &str, disk: Option<&Device>, path: Read<DevicePath>) -> Device {
    let kind = disk.map_or_else(|| names::classify(name), |disk| disk.kind);
    let at = |file: &str| format!("{base}/{file}");
    let told = Missing::Untold("every block device has it");
    let hidden = kind == NameKind::NvmePath;
    let not_if_hidden = if hidden { Missing::Absent } else { told };
    // Hidden disks have no device number (GENHD_FL_HIDDEN, block/genhd.c).
    let dev = if hidden {
        Read { reading: Reading::Absent, source: ledger.source("derived: a hidden path has none") }
    } else {
        ledger.parsed(&at("dev"), told, device_number)
    };
    let removable = match disk {
        Some(disk) => disk.removable.clone(),
        None => ledger.parsed(&at("removable"), told, flag),
    };
    Device {
        name: name.to_owned(),
        base: base.to_owned(),
        disk: disk.map(|disk| disk.name.clone()),
        kind,
        path,
        dev,
        bytes: bytes(ledger, &at("size"), kind, disk.is_none(), &removable),
        read_only: ledger.parsed(&at("ro"), told, flag),
        removable,
        folder: ledger.list(base, told),
        // The folder is there whether or not there is anything in it.
        holders: ledger.list(&at("holders"), not_if_hidden),
        // Partitions have none.
        slaves: ledger.list(&at("slaves"), if disk.is_some() { Missing::Absent } else { not_if_hidden }),
    }
}

/// `size`, in sectors of 512 bytes whatever the block size. A fixed disk of size 0 is one whose capacity the kernel could
/// not read (`sd_read_capacity`), not one without room.
fn bytes(ledger: &Ledger<'_>, path: &str, kind: NameKind, whole: bool, removable: &Read<bool>) -> Read<Bytes> {
    let size = ledger.parsed(path, Missing::Untold("every block device has it"), |text| {
        Sectors512(number(text)?).to_bytes().ok_or_else(|| format!("{text} sectors do not fit 64 bits of bytes"))
    });
    let medium = matches!(kind, NameKind::Disk | NameKind::RaidVolume | NameKind::NvmeNamespace | NameKind::NvmePath);
    match size.reading {
        Reading::Known(Bytes(0)) if whole && medium && removable.reading != Reading::Known(true) => {
            let error = ledger.error(
                format!("read the capacity in {path}"),
                ErrorKind::Io,
                "the kernel gives 0, as for a disk that did not answer",
            );
            Read { reading: Reading::Unreadable(error), source: size.source }
        }
        _ => size,
    }
}

/// Attributes of a disk's request queue.
pub(crate) struct Queue {
    pub(crate) logical_block_size: Read<Bytes>,
    pub(crate) physical_block_size: Read<Bytes>,
    pub(crate) rotational: Read<bool>,
    pub(crate) zoned: Read<Zoned>,
    pub(crate) write_back: Read<bool>,
}

impl Queue {
    /// Reads those of the disk in that folder.
    pub(crate) fn read(ledger: &Ledger<'_>, base: &str) -> Self {
        let at = |file: &str| format!("{base}/queue/{file}");
        Self {
            logical_block_size: block_size(ledger, &at("logical_block_size")),
            physical_block_size: block_size(ledger, &at("physical_block_size")),
            rotational: ledger.parsed(&at("rotational"), Missing::Untold("the kernel does not say"), flag),
            zoned: ledger.parsed(&at("zoned"), Missing::Untold("the kernel is older than 4.10"), zoned),
            write_back: ledger.parsed(&at("write_cache"), Missing::Untold("the kernel is older than 4.7"), write_back),
        }
    }
}

/// A block size below `queue/`.
pub(crate) fn block_size(ledger: &Ledger<'_>, path: &str) -> Read<Bytes> {
    ledger.parsed(path, Missing::Untold("the kernel does not say"), |text| match number(text)? {
        0 => Err("a block size of 0".to_owned()),
        size => Ok(Bytes(size)),
    })
}

/// Whether a device is left out because of what it is, as far as its own facts tell.
pub(crate) fn exclusion(device: &Device) -> Option<ExclusionReason> {
    match device.kind {
        NameKind::Excluded(reason) => Some(reason),
        NameKind::Network if device.bytes.reading == Reading::Known(Bytes(0)) => Some(ExclusionReason::NoMedium),
        NameKind::Disk
            if device.bytes.reading == Reading::Known(Bytes(0)) && device.removable.reading == Reading::Known(true) =>
        {
            Some(ExclusionReason::NoMedium)
        }
        _ => None,
    }
}

pub(crate) fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("{text:?} is no number"))
}

/// `0` or `1`.
pub(crate) fn flag(text: &str) -> Result<bool, String> {
    match text {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("{text:?} is neither 0 nor 1")),
    }
}

/// `major:minor`.
fn device_number(text: &str) -> Result<String, String> {
    let valid =
        text.split_once(':').is_some_and(|(major, minor)| major.parse::<u32>().is_ok() && minor.parse::<u32>().is_ok());
    if valid { Ok(text.to_owned()) } else { Err(format!("{text:?} is no device number")) }
}

fn zoned(text: &str) -> Result<Zoned, String> {
    match text {
        "none" => Ok(Zoned::None),
        "host-aware" => Ok(Zoned::HostAware),
        "host-managed" => Ok(Zoned::HostManaged),
        _ => Err(format!("{text:?} is no zone model")),
    }
}

fn write_back(text: &str) -> Result<bool, String> {
    match text {
        "write back" => Ok(true),
        "write through" => Ok(false),
        _ => Err(format!("{text:?} is no cache mode")),
    }
}

/// `numa_node`: -1 where the platform says none.
pub(crate) fn numa_node(ledger: &Ledger<'_>, path: &str) -> Read<u64> {
    let read = ledger.parsed(path, Missing::Absent, |text| match text.parse::<i64>() {
        Ok(-1) => Ok(None),
        Ok(node) => u64::try_from(node).map(Some).map_err(|_| format!("{text:?} is no NUMA node")),
        Err(_) => Err(format!("{text:?} is no NUMA node")),
    });
    let reading = match read.reading {
        Reading::Known(Some(node)) => Reading::Known(node),
        Reading::Known(None) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: read.source }
}

/// A text without blanks around it; an empty one is absent.
pub(crate) fn text(ledger: &Ledger<'_>, path: &str, missing: Missing) -> Read<String> {
    let read = ledger.parsed(path, missing, |text| Ok(text.trim_matches([' ', '\0', '\t', '\n']).to_owned()));
    let reading = match read.reading {
        Reading::Known(text) if text.is_empty() => Reading::Absent,
        reading => reading,
    };
    Read { reading, source: read.source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_outside_their_format_are_refused() {
        assert_eq!(flag("1"), Ok(true));
        assert_eq!(flag("0"), Ok(false));
        assert!(flag("2").is_err() && flag("").is_err());
        assert_eq!(zoned("host-managed"), Ok(Zoned::HostManaged));
        assert!(zoned("drive-managed").is_err());
        assert_eq!(write_back("write back"), Ok(true));
        assert_eq!(write_back("write through"), Ok(false));
        assert!(write_back("writeback").is_err());
        assert_eq!(device_number("259:0").as_deref(), Ok("259:0"));
        assert!(device_number("259").is_err() && device_number("a:b").is_err());
        assert!(number("-1").is_err() && number("").is_err());
    }
}
