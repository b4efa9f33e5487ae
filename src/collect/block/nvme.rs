//! NVMe controllers, subsystems and the identifiers of namespaces, from sysfs.
//!
//! Documentation/ABI/testing/sysfs-nvme and drivers/nvme/host/sysfs.c. The kernel's number of a namespace is not that of
//! its controller: which controller leads to it is read from links and folders, never from the name.

use super::device::{Found, numa_node, text};
use super::names::{self, NameKind};
use super::path::DevicePath;
use crate::collect::caution;
use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::NvmeController;
use crate::reading::{ErrorId, Reading};
use std::collections::BTreeMap;

/// One controller.
pub(crate) struct Controller {
    pub(crate) name: String,
    pub(crate) path: Read<DevicePath>,
    pub(crate) record: NvmeController,
    /// Its namespaces and hidden paths, as they are called in its folder.
    pub(crate) children: Vec<String>,
    /// Serves discovery or administration only (`cntrltype`), so that it has no medium.
    pub(crate) no_medium: bool,
    /// The subsystem that the kernel puts it in.
    pub(crate) subsystem: Option<String>,
    /// Its namespaces' EUI-64 and NGUID are known not to identify them.
    pub(crate) bogus_identifiers: bool,
}

/// All controllers.
pub(crate) struct Nvme {
    pub(crate) controllers: BTreeMap<String, Controller>,
    /// Why some may be missing.
    pub(crate) reasons: Vec<ErrorId>,
    /// Not even their number could be told.
    pub(crate) unreadable: Option<ErrorId>,
    /// Namespaces and paths as they were seen below controllers and subsystems.
    pub(crate) found: Vec<Found>,
}

const TOLD: Missing = Missing::Untold("every NVMe controller has it");

/// Reads `/sys/class/nvme` and `/sys/class/nvme-subsystem`.
pub(crate) fn read(ledger: &Ledger<'_>) -> Nvme {
    const CLASS: &str = "/sys/class/nvme";
    let mut nvme = Nvme { controllers: BTreeMap::new(), reasons: Vec::new(), unreadable: None, found: Vec::new() };
    // Without the driver there is no folder and no controller that it drives.
    let listing = ledger.list(CLASS, Missing::Absent);
    match &listing.reading {
        Reading::Known(listing) => {
            if !listing.complete {
                nvme.reasons.push(ledger.incomplete(CLASS));
            }
            for name in listing.names.iter().filter(|name| names::is_nvme_controller(name)) {
                let (controller, found) = controller(ledger, name);
                nvme.controllers.insert(name.clone(), controller);
                nvme.found.extend(found);
            }
        }
        Reading::Absent => {}
        Reading::Unreadable(error) => nvme.unreadable = Some(*error),
    }
    if !nvme.controllers.is_empty() {
        nvme.read_subsystems(ledger);
    }
    nvme
}

impl Nvme {
    /// Since Linux 4.15.
    fn read_subsystems(&mut self, ledger: &Ledger<'_>) {
        const CLASS: &str = "/sys/class/nvme-subsystem";
        let Reading::Known(listing) = ledger.list(CLASS, Missing::Absent).reading else { return };
        for subsystem in &listing.names {
            let base = format!("{CLASS}/{subsystem}");
            let Reading::Known(members) = ledger.list(&base, TOLD).reading else { continue };
            for member in &members.names {
                if let Some(controller) = self.controllers.get_mut(member) {
                    controller.subsystem = Some(subsystem.clone());
                } else if names::classify(member) == NameKind::NvmeNamespace {
                    let path = below(ledger, &base, member);
                    self.found.push(Found { name: member.clone(), base: format!("{base}/{member}"), path });
                }
            }
        }
    }

    /// Controllers that lead to a namespace, in order.
    pub(crate) fn controllers_of(&self, namespace: &str) -> Vec<&Controller> {
        let leads = |child: &String| child == namespace || names::shared_namespace(child).as_deref() == Some(namespace);
        let mut found: Vec<&Controller> = self.controllers.values().filter(|c| c.children.iter().any(leads)).collect();
        found.sort_by(|a, b| names::order(&a.name, &b.name));
        found
    }
}

fn controller(ledger: &Ledger<'_>, name: &str) -> (Controller, Vec<Found>) {
    let base = format!("/sys/class/nvme/{name}");
    let at = |file: &str| format!("{base}/{file}");
    let link = ledger.link(&base, TOLD);
    let path = match link.reading {
        Reading::Known(target) => {
            let path = DevicePath::of_link(&base, &target);
            let reading =
                path.map_or_else(|| ledger.malformed(&base, "the link leads out of /sys/devices"), Reading::Known);
            Read { reading, source: link.source }
        }
        Reading::Absent => Read { reading: Reading::Absent, source: link.source },
        Reading::Unreadable(error) => Read { reading: Reading::Unreadable(error), source: link.source },
    };
    let mut record = NvmeController::default();
    set!(record.name, Read { reading: Reading::Known(name.to_owned()), source: ledger.source("list /sys/class/nvme") });
    set!(record.model, text(ledger, &at("model"), TOLD));
    set!(record.serial, text(ledger, &at("serial"), TOLD));
    set!(record.firmware, text(ledger, &at("firmware_rev"), TOLD));
    set!(record.state, text(ledger, &at("state"), Missing::Untold("the kernel is older than 4.11")));
    set!(record.transport, text(ledger, &at("transport"), Missing::Untold("the kernel is older than 4.8")));
    set!(record.address, text(ledger, &at("address"), Missing::Untold("the kernel is older than 4.8")));
    set!(record.subsystem_nqn, text(ledger, &at("subsysnqn"), Missing::Untold("the kernel is older than 4.8")));
    let pci = path.reading.known().and_then(DevicePath::pci_function);
    set!(record.numa_node, {
        let own = numa_node(ledger, &at("numa_node"));
        match pci {
            Some(pci) if !matches!(own.reading, Reading::Known(_)) => {
                let bus = numa_node(ledger, &format!("/sys/bus/pci/devices/{pci}/numa_node"));
                if matches!(bus.reading, Reading::Unreadable(_)) { own } else { bus }
            }
            _ => own,
        }
    });
    // io, discovery or admin, since Linux 5.12; before that every controller counts as one with a medium.
    let kind = ledger.host().read(&at("cntrltype")).ok();
    let no_medium = kind.is_some_and(|kind| matches!(kind.trim_ascii(), b"discovery" | b"admin"));

    let folder = ledger.list(&base, TOLD);
    let mut children = Vec::new();
    let mut found = Vec::new();
    set!(record.namespaces, {
        let reading = match &folder.reading {
            Reading::Known(listing) => {
                for child in &listing.names {
                    let kind = names::classify(child);
                    if matches!(kind, NameKind::NvmeNamespace | NameKind::NvmePath) {
                        children.push(child.clone());
                        found.push(Found { name: child.clone(), base: at(child), path: below_path(&path, child) });
                    }
                }
                let shared = |child: &String| names::shared_namespace(child).unwrap_or_else(|| child.clone());
                let names = names::sorted(children.iter().map(shared).collect());
                if listing.complete || !names.is_empty() {
                    Reading::Known(names)
                } else {
                    Reading::Unreadable(ledger.incomplete(&base))
                }
            }
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        Read { reading, source: folder.source }
    });
    let bogus_identifiers = pci.is_some_and(|pci| has_bogus_identifiers(ledger, pci));
    let name = name.to_owned();
    (Controller { name, path, record, children, no_medium, subsystem: None, bogus_identifiers }, found)
}

/// Whether a PCI function is one of the controllers whose namespace identifiers are no identity.
fn has_bogus_identifiers(ledger: &Ledger<'_>, function: &str) -> bool {
    let number = |file: &str| {
        let told = ledger.host().read(&format!("/sys/bus/pci/devices/{function}/{file}")).ok()?;
        let text = std::str::from_utf8(&told).ok()?.trim();
        u16::from_str_radix(text.strip_prefix("0x")?, 16).ok()
    };
    number("vendor").zip(number("device")).is_some_and(|(vendor, device)| caution::bogus_identifiers(vendor, device))
}

fn below_path(path: &Read<DevicePath>, child: &str) -> Read<DevicePath> {
    path.clone().map(|path| path.child(child))
}

fn below(ledger: &Ledger<'_>, base: &str, child: &str) -> Read<DevicePath> {
    let link = ledger.link(base, TOLD);
    let reading = match link.reading {
        Reading::Known(target) => match DevicePath::of_link(base, &target) {
            Some(path) => Reading::Known(path.child(child)),
            None => ledger.malformed(base, "the link leads out of /sys/devices"),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: link.source }
}

/// EUI-64 or NGUID of a namespace: `eui` writes "00 25 38 5b ...", `nguid` writes it as a UUID. All zero or all ones is
/// none (NVM Express NVM Command Set Specification 1.0, section 4.1.5.1: 0 if not supported); the kernel hides a file
/// that would be zero, and those of models that are known to repeat theirs.
pub(crate) fn identifier(ledger: &Ledger<'_>, path: &str, digits: usize) -> Read<String> {
    let read = ledger.parsed(path, Missing::Absent, |text| parse_identifier(text, digits));
    let reading = match read.reading {
        Reading::Known(Some(hex)) => Reading::Known(hex),
        Reading::Known(None) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: read.source }
}

fn parse_identifier(text: &str, digits: usize) -> Result<Option<String>, String> {
    let hex: String = text.chars().filter(|c| !matches!(c, ' ' | '-' | ':')).collect::<String>().to_ascii_lowercase();
    if hex.len() != digits || !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!("{text:?} is no identifier of {digits} hexadecimal digits"));
    }
    let blank = hex.bytes().all(|b| b == b'0') || hex.bytes().all(|b| b == b'f');
    Ok((!blank).then_some(hex))
}

/// Whether the kernel's transport word is a fabric's (`nvme_transport_map`: "pcie", "rdma", "fc", "tcp", "loop",
/// "apple-nvme").
pub(crate) fn is_fabric(transport: &str) -> Option<bool> {
    match transport {
        "pcie" | "apple-nvme" => Some(false),
        "rdma" | "fc" | "tcp" | "loop" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_lose_their_separators() {
        assert_eq!(parse_identifier("00 25 38 5B 91 B0 a1 b2", 16), Ok(Some("0025385b91b0a1b2".into())));
        assert_eq!(
            parse_identifier("36344630-5280-0123-0025-384600000001", 32),
            Ok(Some("36344630528001230025384600000001".into()))
        );
        assert_eq!(parse_identifier("00 00 00 00 00 00 00 00", 16), Ok(None));
        assert_eq!(parse_identifier("ffffffff-ffff-ffff-ffff-ffffffffffff", 32), Ok(None));
        assert!(parse_identifier("00 25", 16).is_err());
        assert!(parse_identifier("zz 25 38 5B 91 B0 a1 b2", 16).is_err());
        assert!(parse_identifier("", 16).is_err());
    }

    #[test]
    fn an_unknown_transport_word_is_not_taken_for_pcie() {
        assert_eq!(is_fabric("pcie"), Some(false));
        assert_eq!(is_fabric("tcp"), Some(true));
        assert_eq!(is_fabric("new"), None);
    }
}
