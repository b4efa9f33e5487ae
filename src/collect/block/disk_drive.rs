//! The record of a drive that is no NVMe drive: SCSI disks, and those of virtio, Xen, DASD, MMC and persistent memory.

use super::device::{Device, Queue, text};
use super::drives::{Disk, common};
use super::kind;
use super::names::{self, NameKind};
use super::path::{Bus, DevicePath, ScsiAddress};
use super::raid::Behind;
use super::record::{Context, TOLD, functions, states, sum};
use crate::collect::ledger::{Missing, Read};
use crate::inventory::{Drive, Transport};
use crate::reading::Reading;

impl Context<'_, '_> {
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
        let bytes = disks.iter().map(|disk| (disk.device.name.as_str(), disk.device.bytes.clone())).collect();
        if let Some(bytes) = common(self.ledger, "bytes", bytes) {
            set!(drive.bytes, bytes);
        }
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

        let address = |path: &DevicePath| path.scsi_address().map(ScsiAddress::text);
        set!(drive.paths, self.paths(disks.iter().map(|disk| disk.device), address));
        let members: Vec<_> = disks.iter().map(|disk| (disk.device, &disk.queue)).collect();
        self.whole(&mut drive, &members, &functions(disks.iter().map(|disk| disk.device)));
        Some(drive)
    }

    /// Ways to a drive, if the device path of each of its devices is known.
    fn paths<'d>(
        &self,
        devices: impl Iterator<Item = &'d Device>,
        way: fn(&DevicePath) -> Option<String>,
    ) -> Read<Vec<String>> {
        let mut ways = Vec::new();
        let mut source = self.source("derived: device path");
        for device in devices {
            source = device.path.source;
            match &device.path.reading {
                Reading::Known(path) => ways.extend(way(path)),
                Reading::Absent => {}
                Reading::Unreadable(error) => return Read { reading: Reading::Unreadable(*error), source },
            }
        }
        Read { reading: Reading::Known(names::sorted(ways)), source }
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
        set!(drive.paths, self.paths(devices.iter().copied(), |path| path.owner().map(str::to_owned)));
        let members: Vec<_> = devices.iter().copied().zip(&queues).collect();
        self.whole(&mut drive, &members, &functions(devices.iter().copied()));
        Some(drive)
    }
}
