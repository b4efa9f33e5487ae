//! The record of each drive, block device and device that is left out.
//!
//! Knows which fact is read where; which devices are one drive is told in [`super::drives`].

use super::device::{Device, Queue, exclusion, numa_node, text};
use super::drives::{Disk, NvmeGroup, common};
use super::kind;
use super::names::{self, NameKind};
use super::nvme;
use super::path::{Bus, DevicePath};
use super::raid::{self, Behind};
use super::usage::{self, Stack};
use super::users::Users;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::{BlockDevice, BlockKind, Drive, Excluded, ExclusionReason, Media, Transport};
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

const TOLD: Missing = Missing::Untold("every disk of this kind has it");

impl Context<'_, '_> {
    fn source(&self, text: &str) -> SourceId {
        self.ledger.source(text)
    }

    fn absent<T>(&self, why: &str) -> Read<T> {
        Read { reading: Reading::Absent, source: self.source(&format!("derived: {why}")) }
    }

    fn known<T>(&self, value: T, source: &str) -> Read<T> {
        Read { reading: Reading::Known(value), source: self.source(source) }
    }

    /// A decision, or why it could not be made.
    fn decided<T>(&self, drive: &str, fact: &str, from: &str, decision: Result<T, String>) -> Read<T> {
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
    fn whole(&self, drive: &mut Drive, members: &[(&Device, &Queue)], functions: &BTreeSet<String>) {
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

    /// A drive of SCSI disks that are its paths.
    pub(crate) fn scsi(&self, disks: &[Disk<'_>]) -> Option<Drive> {
        let first = disks.first()?;
        let mut drive = Drive::default();
        let name = first.device.name.as_str();
        macro_rules! shared {
            ($field:ident) => {{
                let reads = disks.iter().map(|disk| (disk.device.name.as_str(), disk.scsi.$field.clone())).collect();
                if let Some(read) = common(self.ledger, stringify!($field), reads) {
                    set!(drive.$field, read);
                }
            }};
        }
        set!(drive.name, self.known(name.to_owned(), "list /sys/block"));
        shared!(vendor);
        shared!(model);
        shared!(serial);
        shared!(firmware);
        shared!(wwn);
        set!(drive.eui64, self.absent("no NVMe namespace"));
        set!(drive.nguid, self.absent("no NVMe namespace"));
        set!(drive.bytes, first.device.bytes.clone());
        set!(drive.state, states(disks.iter().map(|disk| disk.scsi.state.clone()).collect()));

        let bus = first.device.path.reading.known().map(DevicePath::bus);
        let vendor = first.scsi.vendor.reading.known();
        // The whole model where it is known, else INQUIRY's part of it.
        let model = first.scsi.model.reading.known().or(first.scsi.inquiry_model.as_ref());
        let facts = kind::Disk {
            bus: bus.as_ref(),
            behind: &first.scsi.behind,
            driver: first.scsi.driver.as_deref(),
            vendor: vendor.map(String::as_str),
            model: model.map(String::as_str),
            sas_protocols: first.scsi.sas_protocols.as_deref(),
            port_protocol: first.scsi.port_protocol,
            ata_page: first.scsi.ata_page,
            rotational: first.queue.rotational.reading.known().copied(),
            rotation: first.scsi.rotation,
        };
        let transport = kind::transport(&facts);
        let media = kind::media(&facts, transport.as_ref().ok().copied());
        set!(drive.transport, self.decided(name, "transport", "device path, driver and INQUIRY", transport));
        set!(drive.media, self.decided(name, "media", "rotation rate, transport, driver and INQUIRY", media));

        let addresses = disks.iter().filter_map(|disk| disk.device.path.reading.known()?.scsi_address());
        let addresses: BTreeSet<_> = addresses.collect();
        set!(
            drive.paths,
            self.paths(first.device, addresses.into_iter().map(super::path::ScsiAddress::text).collect())
        );
        let members: Vec<_> = disks.iter().map(|disk| (disk.device, &disk.queue)).collect();
        self.whole(&mut drive, &members, &functions(disks.iter().map(|disk| disk.device)));
        Some(drive)
    }

    fn paths(&self, device: &Device, paths: Vec<String>) -> Read<Vec<String>> {
        let reading = match &device.path.reading {
            Reading::Known(_) => Reading::Known(paths),
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        Read { reading, source: device.path.source }
    }

    /// A disk of virtio, Xen, DASD, MMC, persistent memory, or an old driver of RAID volumes. Several for a region of
    /// persistent memory.
    pub(crate) fn other(&self, devices: &[&Device]) -> Option<Drive> {
        let first = devices.first()?;
        let mut drive = Drive::default();
        let name = first.name.as_str();
        let at = |file: &str| format!("{}/{file}", first.base);
        let file = |path: &str, missing| text(self.ledger, &at(path), missing);
        let bus = first.path.reading.known().map(DevicePath::bus);
        let behind = if first.kind == NameKind::RaidVolume { Behind::Volume } else { Behind::Medium };
        set!(drive.name, self.known(name.to_owned(), "list /sys/block"));
        for (field, reading) in [
            ("wwn", &mut drive.wwn),
            ("eui64", &mut drive.eui64),
            ("nguid", &mut drive.nguid),
            ("state", &mut drive.state),
        ] {
            *reading = Reading::Absent;
            drive.sources.set(field, self.source("derived: a disk of this kind has none"));
        }
        match (&bus, first.kind) {
            (_, NameKind::Mmc) => {
                set!(drive.vendor, self.absent("an MMC card has a number for it"));
                set!(drive.model, file("device/name", TOLD));
                set!(drive.serial, file("device/serial", TOLD));
                set!(drive.firmware, file("device/fwrev", Missing::Absent));
            }
            (Some(Bus::Virtio), _) => {
                // `device/vendor` is a number of the virtio device, not of a maker.
                set!(drive.vendor, self.absent("a virtio disk has none"));
                set!(drive.model, self.absent("a virtio disk has none"));
                set!(drive.serial, file("serial", Missing::Absent));
                set!(drive.firmware, self.absent("a virtio disk has none"));
            }
            (Some(Bus::Ccw), _) => {
                set!(drive.vendor, file("device/vendor", Missing::Absent));
                set!(drive.model, file("device/devtype", Missing::Absent));
                set!(drive.serial, file("device/uid", Missing::Absent));
                set!(drive.firmware, self.absent("a DASD has none"));
            }
            (_, NameKind::RaidVolume) => {
                set!(drive.vendor, file("device/vendor", Missing::Absent));
                set!(drive.model, file("device/model", Missing::Absent));
                set!(drive.serial, file("device/unique_id", Missing::Absent));
                set!(drive.firmware, file("device/rev", Missing::Absent));
            }
            (Some(Bus::Xen | Bus::NvdimmRegion(_)), _) => {
                set!(drive.vendor, self.absent("a disk of this kind has none"));
                set!(drive.model, self.absent("a disk of this kind has none"));
                set!(drive.serial, self.absent("a disk of this kind has none"));
                set!(drive.firmware, self.absent("a disk of this kind has none"));
            }
            _ => {
                let unknown = |fact: &str| {
                    self.decided(name, fact, "device path", Err("its driver is not known here".to_owned()))
                };
                set!(drive.vendor, unknown("vendor"));
                set!(drive.model, unknown("model"));
                set!(drive.serial, unknown("serial number"));
                set!(drive.firmware, unknown("firmware"));
            }
        }
        let queues: Vec<Queue> = devices.iter().map(|device| Queue::read(self.ledger, &device.base)).collect();
        let facts = kind::Disk {
            bus: bus.as_ref(),
            behind: &behind,
            driver: None,
            vendor: None,
            model: drive.model.known().map(String::as_str),
            sas_protocols: None,
            port_protocol: None,
            ata_page: false,
            rotational: queues.first().and_then(|queue| queue.rotational.reading.known().copied()),
            rotation: None,
        };
        let transport = if first.kind == NameKind::Pmem { Ok(Transport::Pmem) } else { kind::transport(&facts) };
        let media = kind::media(&facts, transport.as_ref().ok().copied());
        set!(drive.transport, self.decided(name, "transport", "device path", transport));
        set!(drive.media, self.decided(name, "media", "transport", media));
        set!(drive.bytes, sum(self.ledger, devices));
        let owners =
            devices.iter().filter_map(|device| device.path.reading.known()?.owner().map(str::to_owned)).collect();
        set!(drive.paths, self.paths(first, names::sorted(owners)));
        let members: Vec<_> = devices.iter().copied().zip(&queues).collect();
        self.whole(&mut drive, &members, &functions(devices.iter().copied()));
        Some(drive)
    }

    /// An NVMe drive.
    pub(crate) fn nvme(&self, group: &NvmeGroup<'_>) -> Drive {
        let mut drive = Drive::default();
        let first = group.namespaces.first();
        let name = match (first, group.controllers.first()) {
            (Some(device), _) => device.name.clone(),
            (None, Some(controller)) => controller.name.clone(),
            (None, None) => String::new(),
        };
        set!(drive.name, self.known(name.clone(), "derived: first namespace, else the controller"));
        set!(drive.vendor, self.absent("an NVMe drive has a number for it"));
        set!(drive.wwn, self.absent("an NVMe drive has EUI-64 and NGUID"));
        macro_rules! shared {
            ($field:ident, $file:literal) => {{
                let reads = group.controllers.iter().map(|controller| {
                    let source = controller.record.sources.get(stringify!($field));
                    let source = source.unwrap_or_else(|| self.source("/sys/class/nvme"));
                    (controller.name.as_str(), Read { reading: controller.record.$field.clone(), source })
                });
                let read = common(self.ledger, stringify!($field), reads.collect()).or_else(|| {
                    first.map(|device| text(self.ledger, &format!("{}/device/{}", device.base, $file), TOLD))
                });
                if let Some(read) = read {
                    set!(drive.$field, read);
                }
            }};
        }
        shared!(model, "model");
        shared!(serial, "serial");
        shared!(firmware, "firmware_rev");
        let states = states(
            group
                .controllers
                .iter()
                .map(|controller| Read {
                    reading: controller.record.state.clone(),
                    source: self.source("/sys/class/nvme/*/state"),
                })
                .collect(),
        );
        set!(drive.state, states);

        let no_namespace = || {
            let operation = format!("read the namespaces of {name}");
            self.ledger.error(operation, ErrorKind::NotFound, "the controller has no namespace that is a block device")
        };
        match first {
            Some(device) => {
                set!(drive.eui64, nvme::identifier(self.ledger, &format!("{}/eui", device.base), 16));
                set!(drive.nguid, nvme::identifier(self.ledger, &format!("{}/nguid", device.base), 32));
                set!(drive.bytes, sum(self.ledger, &group.namespaces));
            }
            None => {
                let error = no_namespace();
                let source = self.source("/sys/class/nvme");
                set!(drive.eui64, Read { reading: Reading::Unreadable(error), source });
                set!(drive.nguid, Read { reading: Reading::Unreadable(error), source });
                set!(drive.bytes, Read { reading: Reading::Unreadable(error), source });
            }
        }

        let queues: Vec<Queue> = group.namespaces.iter().map(|device| Queue::read(self.ledger, &device.base)).collect();
        let transport = self.nvme_transport(group, drive.model.known().map(String::as_str));
        let behind = if transport == Ok(Transport::Raid) { Behind::Volume } else { Behind::Medium };
        let facts = kind::Disk {
            bus: None,
            behind: &behind,
            driver: None,
            vendor: None,
            model: drive.model.known().map(String::as_str),
            sas_protocols: None,
            port_protocol: None,
            ata_page: false,
            rotational: queues.first().and_then(|queue| queue.rotational.reading.known().copied()),
            rotation: None,
        };
        let media = match first {
            Some(_) => kind::media(&facts, transport.as_ref().ok().copied()),
            None if behind == Behind::Volume => Ok(Media::Virtual),
            None => Err("it has no namespace that is a block device".to_owned()),
        };
        set!(drive.transport, self.decided(&name, "transport", "/sys/class/nvme/*/transport and model", transport));
        set!(drive.media, self.decided(&name, "media", "rotational, transport and model", media));

        let members: Vec<_> = group.namespaces.iter().copied().zip(&queues).collect();
        let paths = group.controllers.iter().filter_map(|controller| controller.path.reading.known());
        let own = group.namespaces.iter().filter_map(|device| device.path.reading.known());
        let functions = paths.chain(own).filter_map(|path| path.pci_function().map(str::to_owned)).collect();
        self.whole(&mut drive, &members, &functions);
        let controllers = group.controllers.iter().map(|controller| controller.name.clone()).collect();
        set!(drive.paths, self.known(controllers, "derived: controllers of the subsystem"));
        if first.is_none() {
            let error = no_namespace();
            let source = self.source("/sys/class/nvme");
            macro_rules! unread {
                ($($field:ident),*) => {
                    $( set!(drive.$field, Read { reading: Reading::Unreadable(error), source }); )*
                };
            }
            unread!(
                rotational,
                logical_block_size,
                physical_block_size,
                zoned,
                write_back,
                removable,
                read_only,
                usage
            );
            unread!(mountpoints);
        }
        drive
    }

    fn nvme_transport(&self, group: &NvmeGroup<'_>, model: Option<&str>) -> Result<Transport, String> {
        if model.is_some_and(raid::nvme_volume) {
            return Ok(Transport::Raid);
        }
        let mut words: Vec<&str> = Vec::new();
        for controller in &group.controllers {
            match controller.record.transport.known() {
                Some(word) => words.push(word),
                None if controller.path.reading.known().is_some_and(|path| path.pci_function().is_some()) => {
                    words.push("pcie")
                }
                None => return Err(format!("the transport of {} could not be read", controller.name)),
            }
        }
        if words.is_empty() {
            let on_pci =
                |device: &&Device| device.path.reading.known().is_some_and(|path| path.pci_function().is_some());
            return if group.namespaces.iter().any(on_pci) {
                Ok(Transport::Nvme)
            } else {
                Err("no controller that leads to it was found".to_owned())
            };
        }
        let fabrics: Vec<_> = words.iter().map(|word| nvme::is_fabric(word).ok_or(*word)).collect();
        match fabrics.iter().find_map(|fabric| fabric.err()) {
            Some(word) => Err(format!("the transport {word:?} is not known here")),
            None if fabrics.contains(&Ok(true)) => Ok(Transport::NvmeFabric),
            None => Ok(Transport::Nvme),
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
fn sum(ledger: &Ledger<'_>, devices: &[&Device]) -> Read<Bytes> {
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
fn states(reads: Vec<Read<String>>) -> Read<String> {
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

fn functions<'d>(devices: impl Iterator<Item = &'d Device>) -> BTreeSet<String> {
    devices.filter_map(|device| device.path.reading.known()?.pci_function().map(str::to_owned)).collect()
}
