//! What lies on each drive, by reading it: partition tables, file systems, volume managers, RAID, storage systems, encryption; and whether it is blank.
//!
//! Reads only, through [`crate::host::Host::read_device`], and little: a recording keeps what was read, so places are read and not areas. Wakes no drive that
//! sleeps. A drive is read by one of its paths. Blank is what was read in every place where a format is looked for, holds none, is all 00h or all FFh
//! there and in the samples of [`SAMPLES`], and is not used by the kernel; whatever was not read or not understood is never blank.

mod bytes;
mod encryption;
mod filesystem;
pub mod fuzz;
mod partition_table;
mod partition_type;
mod region;
mod storage;
#[cfg(test)]
mod tests;
mod told;
mod vendor_raid;
mod volume;

use super::block::BlockSection;
use super::ledger::{Ledger, Missing, Read};
use super::side_by_side;
use crate::host::Question;
use crate::inventory::signature::{Partition, Signature, SignatureFamily};
use crate::inventory::{BlockDevice, Drive, Transport, Usage};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId};
use partition_table::{Part, Tables};
use region::{Found, Region, Seen, Source};
use std::collections::BTreeMap;

/// Samples of a drive on which nothing was found: so many, evenly spaced from its start to its end.
const SAMPLES: u64 = 64;
/// Size of each.
const SAMPLE_BYTES: u64 = 64 << 10;
/// Read besides at the start and at the end.
const EDGE_BYTES: u64 = 1 << 20;

record! {
    /// What was read of one drive.
    pub struct Asked {
        /// Signatures.
        pub signatures: Collection<Signature>,
        /// Partitions.
        pub partitions: Collection<Partition>,
        /// Nothing was found, whatever uses it.
        pub blank: Reading<bool>,
        /// Something is there that is no signature.
        pub unrecognised_data: Reading<bool>,
    }
}

/// One drive to read.
struct Thing {
    /// Why it is not read.
    refused: Option<(ErrorKind, String)>,
    name: String,
    targets: Vec<Target>,
}

/// One block device to read, by the first of its names that answers.
struct Target {
    names: Vec<String>,
    bytes: u64,
    block: u64,
}

/// Reads every drive.
pub(crate) fn collect(ledger: &Ledger<'_>, section: &mut BlockSection) {
    let devices: BTreeMap<&str, &BlockDevice> =
        section.block_devices.items().iter().filter_map(|d| Some((d.name.known()?.as_str(), d))).collect();
    let things: Vec<Thing> = section.drives.items().iter().map(|drive| thing(ledger, drive, &devices)).collect();
    let asked = side_by_side::each(ledger, &things, side_by_side::BOUND, ask);
    for (drive, asked) in section.drives.items_mut().iter_mut().zip(asked) {
        drive.blank = used(ledger, drive, &asked.blank);
        drive.signatures = asked.signatures;
        drive.partitions = asked.partitions;
        drive.unrecognised_data = asked.unrecognised_data;
        for field in ["signatures", "partitions", "blank", "unrecognised_data"] {
            if let Some(source) = asked.sources.get(field) {
                drive.sources.set(field, source);
            }
        }
    }
}

/// Blank only what the kernel does not use.
fn used(ledger: &Ledger<'_>, drive: &Drive, blank: &Reading<bool>) -> Reading<bool> {
    match (blank, &drive.usage) {
        (Reading::Known(false), _) | (_, Reading::Known(Usage::Free)) => blank.clone(),
        (_, Reading::Known(_)) => Reading::Known(false),
        (_, Reading::Unreadable(error)) => Reading::Unreadable(*error),
        (_, Reading::Absent) => {
            let name = drive.name.known().map_or("a drive", String::as_str);
            Reading::Unreadable(ledger.error(
                format!("tell what uses {name}"),
                ErrorKind::NotFound,
                "the kernel does not say",
            ))
        }
    }
}

/// What is to be read of a drive.
fn thing(ledger: &Ledger<'_>, drive: &Drive, devices: &BTreeMap<&str, &BlockDevice>) -> Thing {
    let name = drive.name.known().cloned().unwrap_or_default();
    let mut thing = Thing { refused: None, name, targets: Vec::new() };
    let cause = |error: &ErrorId| {
        let error = ledger.error_at(*error);
        error.map_or((ErrorKind::NotFound, "it is not known".to_owned()), |error| (error.kind, error.to_string()))
    };
    let names = match &drive.block_devices {
        Reading::Known(names) if !names.is_empty() => names,
        Reading::Unreadable(error) => {
            thing.refused = Some(cause(error));
            return thing;
        }
        Reading::Known(_) | Reading::Absent => {
            thing.refused = Some((ErrorKind::NotFound, "it has no block device".to_owned()));
            return thing;
        }
    };
    if drive.health.standby == Reading::Known(true) {
        thing.refused = Some((ErrorKind::NotSupported, "it sleeps, and is not woken".to_owned()));
        return thing;
    }
    // Block devices of NVMe and of persistent memory are parts of the drive; others are paths to it.
    let parts = matches!(drive.transport, Reading::Known(Transport::Nvme | Transport::NvmeFabric | Transport::Pmem))
        || names.iter().any(|name| name.starts_with("nvme") || name.starts_with("pmem"));
    let groups: Vec<Vec<String>> =
        if parts { names.iter().map(|name| vec![name.clone()]).collect() } else { vec![names.clone()] };
    for names in groups {
        let device = names.iter().find_map(|name| devices.get(name.as_str()));
        let Some(device) = device else {
            thing.refused = Some((ErrorKind::NotFound, format!("{} is not among the block devices", names.join(", "))));
            return thing;
        };
        let (bytes, block) = match (&device.bytes, &device.logical_block_size) {
            (Reading::Known(bytes), Reading::Known(block)) => (bytes.0, block.0),
            (Reading::Unreadable(error), _) | (_, Reading::Unreadable(error)) => {
                thing.refused = Some(cause(error));
                return thing;
            }
            _ => (0, 0),
        };
        if bytes == 0 || !block.is_power_of_two() || !(512..=64 << 10).contains(&block) {
            thing.refused = Some((
                ErrorKind::NotFound,
                format!("it has {bytes} bytes in blocks of {block}: no medium, or no answer"),
            ));
            return thing;
        }
        thing.targets.push(Target { names, bytes, block });
    }
    thing
}

/// A block device, read through a ledger.
struct Device<'a, 'h> {
    ledger: &'a Ledger<'h>,
    path: String,
}

impl Source for Device<'_, '_> {
    fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, ErrorId> {
        match self.ledger.host().read_device(&self.path, offset, length) {
            Ok(bytes) if bytes.len() == length as usize => Ok(bytes),
            Ok(bytes) => {
                let operation = Question::ReadDevice(self.path.clone(), offset, length).operation();
                let cause = format!("the device ended after {} bytes", bytes.len());
                Err(self.ledger.error(operation, ErrorKind::Malformed, cause))
            }
            Err(error) => Err(self.ledger.host_error(error)),
        }
    }
    fn refuse(&self, cause: String) -> ErrorId {
        self.ledger.error(format!("read {}", self.path), ErrorKind::NotSupported, cause)
    }
}

fn ask(ledger: &Ledger<'_>, thing: &Thing) -> Asked {
    let operation = format!("read what lies on {}", thing.name);
    let source = ledger.source(format!("/dev/{}", thing.name));
    if let Some((kind, cause)) = &thing.refused {
        return unread(ledger.error(operation, *kind, cause.clone()), source);
    }
    if let Some(error) = thing.targets.iter().flat_map(|target| &target.names).find_map(|name| sleeps(ledger, name)) {
        return unread(error, source);
    }
    let mut all = Content::default();
    for target in &thing.targets {
        match content(ledger, target) {
            Ok(content) => all.join(content),
            Err(error) => all.reasons.push(error),
        }
    }
    all.told(source)
}

/// Why a device is left alone: reading would wake it, or whether it would is not known. The file is missing where the kernel has no power management.
fn sleeps(ledger: &Ledger<'_>, name: &str) -> Option<ErrorId> {
    match ledger.text(&format!("/sys/class/block/{name}/device/power/runtime_status"), Missing::Absent).reading {
        Reading::Known(status) if status == "suspended" || status == "suspending" => {
            let cause = format!("{name} sleeps (runtime power management), and is not woken");
            Some(ledger.error(format!("read what lies on {name}"), ErrorKind::NotSupported, cause))
        }
        Reading::Unreadable(error) => Some(error),
        Reading::Known(_) | Reading::Absent => None,
    }
}

fn unread(error: ErrorId, source: SourceId) -> Asked {
    let mut asked = Asked {
        signatures: Collection::Unreadable(error),
        partitions: Collection::Unreadable(error),
        blank: Reading::Unreadable(error),
        unrecognised_data: Reading::Unreadable(error),
        ..Asked::default()
    };
    for field in ["signatures", "partitions", "blank", "unrecognised_data"] {
        asked.sources.set(field, source);
    }
    asked
}

/// What was read of block devices.
#[derive(Default)]
struct Content {
    signatures: Vec<Signature>,
    partitions: Vec<Partition>,
    reasons: Vec<ErrorId>,
    /// Bytes that are not all the same were seen.
    data: bool,
}

impl Content {
    fn join(&mut self, other: Self) {
        self.signatures.extend(other.signatures);
        self.partitions.extend(other.partitions);
        self.reasons.extend(other.reasons);
        self.data |= other.data;
    }

    fn told(mut self, source: SourceId) -> Asked {
        self.reasons.sort_unstable();
        self.reasons.dedup();
        let found = !self.signatures.is_empty() || !self.partitions.is_empty();
        let first = self.reasons.first().copied();
        let (blank, unrecognised_data) = match (found, self.data, first) {
            (true, _, _) => (Reading::Known(false), Reading::Known(false)),
            (false, true, Some(error)) => (Reading::Known(false), Reading::Unreadable(error)),
            (false, true, None) => (Reading::Known(false), Reading::Known(true)),
            (false, false, Some(error)) => (Reading::Unreadable(error), Reading::Unreadable(error)),
            (false, false, None) => (Reading::Known(true), Reading::Known(false)),
        };
        let mut asked = Asked::default();
        set!(asked.blank, Read { reading: blank, source });
        set!(asked.unrecognised_data, Read { reading: unrecognised_data, source });
        asked.signatures = Collection::new(self.signatures, self.reasons.clone());
        asked.partitions = Collection::new(self.partitions, self.reasons);
        asked.sources.set("signatures", source);
        asked.sources.set("partitions", source);
        asked
    }
}

/// What one block device holds.
fn content(ledger: &Ledger<'_>, target: &Target) -> Result<Content, ErrorId> {
    let mut first = None;
    for name in &target.names {
        let device = Device { ledger, path: format!("/dev/{name}") };
        // A path that does not answer says nothing of the next.
        match device.read(0, (target.bytes.min(64)) as u32) {
            Ok(_) => {
                let looked = look(&device, target.bytes, target.block);
                return Ok(told::content(ledger, name, looked));
            }
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    Err(first.unwrap_or_else(|| ledger.error("read a drive", ErrorKind::NotFound, "it has no block device")))
}

/// What was found on a device.
struct Looked {
    /// Each with the offset of its region, and the number of its partition.
    found: Vec<(Found, u64, Option<u64>)>,
    parts: Vec<Part>,
    reasons: Vec<ErrorId>,
    data: bool,
}

/// Looks for every format on a device and on its partitions.
fn look(source: &dyn Source, bytes: u64, block: u64) -> Looked {
    let region = Region::new(source, 0, bytes, block, true);
    region.prefetch();
    let mut whole = within(&region);
    let Tables { found: tables, parts, more } = partition_table::read(&region, filesystem::has_boot_sector(&whole));
    whole.extend(tables);
    whole.extend(vendor_raid::read(&region));
    let mut found = Vec::new();
    let mut reasons = Vec::new();
    if more {
        reasons.push(source.refuse(format!("it has more than {} partitions", partition_table::PARTITIONS)));
    }
    for part in &parts {
        let end = part.start.checked_add(part.bytes);
        if part.container || part.start == 0 || part.bytes == 0 || end.is_none_or(|end| end > bytes) {
            continue;
        }
        let inner = Region::new(source, part.start, part.bytes, block, false);
        inner.prefetch();
        let mut here = within(&inner);
        if let Some(kind) = part.type_name.and_then(partition_type::storage_system)
            && !here.iter().any(|found| found.kind.family() == SignatureFamily::StorageSystem)
        {
            let mut told = Found::new(kind, 0);
            told.label = part.type_name.map(str::to_owned);
            told.uuid.clone_from(&part.uuid);
            here.push(told);
        }
        found.extend(here.into_iter().map(|found| (found, part.start, Some(part.number))));
        reasons.extend(inner.reasons());
    }
    // What lies at the end of the last partition can be seen from the whole device too.
    let inner: Vec<(u64, _)> = found.iter().map(|(found, base, _)| (base + found.offset, found.kind)).collect();
    whole.retain(|found| !inner.contains(&(found.offset, found.kind)));
    found.extend(whole.into_iter().map(|found| (found, 0, None)));
    found.sort_by_key(|(found, base, _)| (base + found.offset, found.kind));
    if found.is_empty() && parts.is_empty() && region.reasons().is_empty() && reasons.is_empty() {
        sample(&region);
    }
    reasons.extend(region.reasons());
    let data = !matches!(region.seen(), Seen::Nothing | Seen::Only(0x00 | 0xff));
    Looked { found, parts, reasons, data }
}

/// Formats that lie on whole devices and on partitions alike.
fn within(region: &Region<'_>) -> Vec<Found> {
    let mut found = filesystem::read(region);
    found.extend(volume::read(region));
    found.extend(storage::read(region));
    found.extend(encryption::read(region));
    found
}

/// Reads samples of a device on which nothing was found, until bytes differ.
fn sample(region: &Region<'_>) {
    let edges = [0, region.length.saturating_sub(EDGE_BYTES)].map(|offset| (offset, EDGE_BYTES));
    let stride = (region.length / SAMPLES / 4096 * 4096).max(SAMPLE_BYTES);
    let spaced = (0..SAMPLES).map(|index| (index * stride, SAMPLE_BYTES));
    for (offset, length) in edges.into_iter().chain(spaced) {
        let length = length.min(region.length.saturating_sub(offset));
        if matches!(region.seen(), Seen::Mixed) || (length > 0 && !region.passed(offset, length)) {
            return;
        }
    }
}
