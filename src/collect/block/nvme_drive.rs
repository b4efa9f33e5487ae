//! The record of an NVMe drive: its controllers and namespaces together.

use super::device::{Device, Queue, text};
use super::drives::{NvmeGroup, common};
use super::kind;
use super::names;
use super::nvme;
use super::path::{Bus, DevicePath};
use super::raid::{self, Behind};
use super::record::{Context, TOLD, states, sum};
use crate::collect::ledger::Read;
use crate::inventory::{Drive, Media, Transport};
use crate::reading::{ErrorKind, Reading};
use crate::units::Bytes;
use std::collections::{BTreeMap, BTreeSet};

impl Context<'_, '_> {
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
        let word = |reading: &Reading<String>| Read {
            reading: reading.clone(),
            source: self.source("/sys/class/nvme/*/state"),
        };
        set!(
            drive.state,
            match first {
                Some(device) if group.controllers.is_empty() =>
                    text(self.ledger, &format!("{}/device/state", device.base), TOLD),
                _ => states(group.controllers.iter().map(|controller| word(&controller.record.state)).collect()),
            }
        );

        let no_namespace = || {
            let operation = format!("read the namespaces of {name}");
            self.ledger.error(operation, ErrorKind::NotFound, "the controller has no namespace that is a block device")
        };
        match first {
            Some(device) => {
                set!(drive.eui64, self.namespace_identifier(group, device, "eui", 16));
                set!(drive.nguid, self.namespace_identifier(group, device, "nguid", 32));
                set!(drive.bytes, self.namespaces_sum(group));
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
        set!(drive.paths, self.nvme_paths(group));
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

    /// EUI-64 or NGUID of a namespace; none where the controller's model is known to repeat or change them.
    fn namespace_identifier(&self, group: &NvmeGroup<'_>, device: &Device, file: &str, digits: usize) -> Read<String> {
        if group.controllers.iter().any(|controller| controller.bogus_identifiers) {
            return self.absent("the kernel's list of controllers whose namespace identifiers are bogus");
        }
        nvme::identifier(self.ledger, &format!("{}/{file}", device.base), digits)
    }

    /// The bytes of all namespaces, each once. Without native multipath (`nvme_core.multipath=N`) a namespace of a
    /// dual-port drive is one block device for each controller, told to be the same by its identifier alone.
    fn namespaces_sum(&self, group: &NvmeGroup<'_>) -> Read<Bytes> {
        let controller = |device: &Device| match device.path.reading.known().map(DevicePath::bus) {
            Some(Bus::Nvme(name)) => Some(name),
            _ => None,
        };
        let controllers: BTreeSet<_> = group.namespaces.iter().map(|device| controller(device)).collect();
        if controllers.len() < 2 {
            return sum(self.ledger, &group.namespaces);
        }
        let mut distinct: BTreeMap<String, &Device> = BTreeMap::new();
        for &device in &group.namespaces {
            let nguid = self.namespace_identifier(group, device, "nguid", 32);
            let eui64 = self.namespace_identifier(group, device, "eui", 16);
            let Some(key) = nguid.reading.known().or(eui64.reading.known()) else {
                let operation = format!("tell whether {} is another path to the same namespace", device.name);
                let error = self.ledger.error(operation, ErrorKind::NotFound, "it has neither NGUID nor EUI-64");
                return Read { reading: Reading::Unreadable(error), source: device.bytes.source };
            };
            distinct.entry(key.clone()).or_insert(device);
        }
        let mut distinct: Vec<&Device> = distinct.into_values().collect();
        distinct.sort_by(|a, b| names::order(&a.name, &b.name));
        sum(self.ledger, &distinct)
    }

    fn nvme_paths(&self, group: &NvmeGroup<'_>) -> Read<Vec<String>> {
        let mut names: Vec<String> = group.controllers.iter().map(|controller| controller.name.clone()).collect();
        if names.is_empty() {
            let paths = group.namespaces.iter().filter_map(|device| device.path.reading.known());
            names.extend(paths.filter_map(|path| match path.bus() {
                Bus::Nvme(name) => Some(name),
                _ => path.owner().filter(|_| path.pci_function().is_some()).map(str::to_owned),
            }));
        }
        let reading = if names.is_empty() {
            let cause = "no controller that leads to it was found";
            Reading::Unreadable(self.ledger.error("find the paths of an NVMe drive", ErrorKind::NotFound, cause))
        } else {
            Reading::Known(names::sorted(names))
        };
        Read { reading, source: self.source("derived: controllers of the subsystem") }
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
}
