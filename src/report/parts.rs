//! The parts of a machine by name: what is in it, with the numbers a part is ordered and complained about by.
//!
//! For outputs that list hardware part by part. Takes what the inventory knows; what is absent or unknown is left out
//! of a part, never filled in.

use crate::evaluate::name_of;
use crate::inventory::{Inventory, nic::NicKind};
use crate::reading::Reading;

/// A part of a machine, or the machine itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// What findings call it, as in "drive sda (serial S1)"; "node" for the machine.
    pub subject: String,
    /// What it is, as in "CPU".
    pub kind: &'static str,
    /// The kernel's name of it, or the machine's.
    pub name: String,
    /// Maker.
    pub vendor: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Serial number; of a network port its permanent MAC address.
    pub serial: Option<String>,
    /// Where it is: the PCI function it is, or hangs under.
    pub location: Option<String>,
    /// Revision of its firmware.
    pub firmware: Option<String>,
}

/// What runs on a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Software {
    /// It is firmware, not an operating system.
    pub is_firmware: bool,
    /// What it is.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
}

/// A machine in parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// The machine first, then its parts in the order of the inventory.
    pub hardware: Vec<Part>,
    /// Firmware and operating system.
    pub software: Vec<Software>,
}

/// The parts of a machine that `name` stands for in the report.
#[must_use]
pub fn parts(name: &str, inventory: &Inventory) -> Parts {
    let node = &inventory.node;
    let system = &node.system;
    let mut hardware = vec![Part {
        subject: name_of("node", None, None),
        kind: "SYSTEM",
        name: name.to_owned(),
        vendor: text(&system.vendor),
        model: text(&system.product),
        serial: text(&system.serial),
        firmware: text(&system.bios_version),
        location: None,
    }];
    hardware.extend(node.cpu.packages.items().iter().map(|cpu| {
        let id = cpu.id.known().map(u64::to_string);
        Part {
            subject: name_of("cpu", id.as_deref(), None),
            kind: "CPU",
            name: id.map_or_else(|| "CPU".to_owned(), |id| format!("CPU {id}")),
            vendor: text(&cpu.vendor),
            model: text(&cpu.model),
            firmware: text(&cpu.microcode),
            ..Part::default()
        }
    }));
    hardware.extend(node.storage_controllers.items().iter().map(|controller| Part {
        vendor: text(&controller.vendor),
        model: text(&controller.model),
        firmware: text(&controller.firmware),
        location: text(&controller.pci_address),
        ..part("controller", "STORAGE CONTROLLER", &controller.name, &controller.serial)
    }));
    hardware.extend(node.drives.items().iter().map(|drive| Part {
        vendor: text(&drive.vendor),
        model: text(&drive.model),
        firmware: text(&drive.firmware),
        location: text(&drive.pci_address),
        ..part("drive", "DRIVE", &drive.name, &drive.serial)
    }));
    let physical = |kind: &Reading<NicKind>| kind.known() == Some(&NicKind::Physical);
    hardware.extend(node.nics.items().iter().filter(|nic| physical(&nic.kind)).map(|nic| {
        let function = |function: &&crate::inventory::pci::PciFunction| {
            nic.pci_address.known().is_some() && function.address.known() == nic.pci_address.known()
        };
        let function = node.pci_functions.items().iter().find(function);
        Part {
            vendor: function.and_then(|function| text(&function.vendor)),
            model: function.and_then(|function| text(&function.device)),
            serial: text(&nic.permanent_mac),
            firmware: text(&nic.firmware),
            location: text(&nic.pci_address),
            ..part("nic", "NIC", &nic.name, &Reading::Absent)
        }
    }));
    let mut software = Vec::new();
    if let Some(vendor) = text(&system.bios_vendor) {
        software.push(Software {
            is_firmware: true,
            name: format!("{vendor} system firmware"),
            version: text(&system.bios_version),
        });
    }
    if let Some(os) = text(&node.os.pretty_name).or_else(|| text(&node.os.id)) {
        software.push(Software { is_firmware: false, name: os, version: text(&node.os.version_id) });
    }
    if let Some(release) = text(&node.os.kernel_release) {
        software.push(Software { is_firmware: false, name: "Linux kernel".to_owned(), version: Some(release) });
    }
    Parts { hardware, software }
}

fn part(subject: &str, kind: &'static str, name: &Reading<String>, serial: &Reading<String>) -> Part {
    let (name, serial) = (text(name), text(serial));
    Part {
        subject: name_of(subject, name.as_deref(), serial.as_deref()),
        kind,
        name: name.unwrap_or_else(|| subject.to_owned()),
        serial,
        ..Part::default()
    }
}

fn text(reading: &Reading<String>) -> Option<String> {
    reading.known().cloned()
}
