//! What hides drives from the kernel's list of block devices: RAID controllers, functions without a driver, and functions
//! that were given away.
//!
//! Knows PCI class codes (PCI Code and ID Assignment Specification 1.15, section 1.2) and the drivers of RAID cards;
//! knows no device ids.

use super::path::DevicePath;
use super::raid;
use super::scsi::{aside, driver_of};
use crate::collect::ledger::{Ledger, Missing};
use crate::reading::{ErrorId, ErrorKind, Reading};
use std::collections::BTreeSet;

/// Reasons why drives may exist that no block device shows. `hosts` are the SCSI hosts that show at least one disk.
pub(crate) fn reasons(ledger: &Ledger<'_>, hosts: &BTreeSet<u32>) -> Vec<ErrorId> {
    let mut reasons = raid_hosts(ledger, hosts);
    reasons.extend(functions(ledger));
    reasons
}

/// RAID controllers that show no disk at all: they have no drives, or hide them until they are in a volume.
fn raid_hosts(ledger: &Ledger<'_>, with_disks: &BTreeSet<u32>) -> Vec<ErrorId> {
    const CLASS: &str = "/sys/class/scsi_host";
    let listing = match ledger.list(CLASS, Missing::Absent).reading {
        Reading::Known(listing) => listing,
        Reading::Absent => return Vec::new(),
        Reading::Unreadable(error) => return vec![error],
    };
    let mut reasons = Vec::new();
    for name in &listing.names {
        let Some(host) = name.strip_prefix("host").and_then(|number| number.parse().ok()) else { continue };
        if with_disks.contains(&host) {
            continue;
        }
        let link = format!("{CLASS}/{name}");
        let path = ledger.host().read_link(&link).ok().and_then(|target| DevicePath::of_link(&link, &target));
        let pci = path.as_ref().and_then(DevicePath::pci_function);
        if let Some(driver) = driver_of(ledger, host, pci).filter(|driver| raid::may_hide_drives(driver)) {
            let cause = format!("the RAID controller of {driver} shows none: it has none, or hides them");
            reasons.push(ledger.error(format!("see the drives behind {name}"), ErrorKind::NotSupported, cause));
        }
    }
    reasons
}

/// Storage functions of PCI without the driver that would make block devices.
fn functions(ledger: &Ledger<'_>) -> Vec<ErrorId> {
    const BUS: &str = "/sys/bus/pci/devices";
    let listing = match ledger.list(BUS, Missing::Absent).reading {
        Reading::Known(listing) => listing,
        Reading::Absent => return Vec::new(),
        Reading::Unreadable(error) => return vec![error],
    };
    let mut reasons = Vec::new();
    for function in &listing.names {
        let base = format!("{BUS}/{function}");
        let Some(class) = aside(ledger, &format!("{base}/class")).as_deref().and_then(class_of) else { continue };
        let Some(what) = storage(class) else { continue };
        let driver = ledger.link(&format!("{base}/driver"), Missing::Absent).reading;
        let cause = match driver {
            Reading::Absent => format!("{what} has no driver"),
            Reading::Known(target) => match target.rsplit('/').next() {
                Some(driver @ ("vfio-pci" | "uio_pci_generic" | "igb_uio" | "pci-stub" | "xen-pciback")) => {
                    format!("{what} is given away to {driver}")
                }
                Some("ahci") => match aside(ledger, &format!("{base}/remapped_nvme")) {
                    // Intel's RST mode puts NVMe drives behind the AHCI function (drivers/ata/ahci.c).
                    Some(count) if count != "0" => format!("{count} NVMe drives are remapped behind {what}"),
                    _ => continue,
                },
                _ => continue,
            },
            // In a capture of somebody else, where the listing is partial anyway.
            Reading::Unreadable(_) => continue,
        };
        reasons.push(ledger.error(
            format!("see the drives of PCI function {function}"),
            ErrorKind::NotSupported,
            cause,
        ));
    }
    reasons
}

/// `0x010802`.
fn class_of(text: &str) -> Option<u32> {
    u32::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// What kind of storage function a class code is, if drives hang under it.
fn storage(class: u32) -> Option<&'static str> {
    match class >> 8 {
        0x0100 => Some("a SCSI controller"),
        0x0104 => Some("a RAID controller"),
        0x0106 => Some("a SATA controller"),
        0x0107 => Some("a SAS controller"),
        // 02h and 03h are IO and administrative controllers of NVMe; others are SSDs of another kind.
        0x0108 => Some("an NVMe controller"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_storage_are_known() {
        assert_eq!(storage(class_of("0x010802").unwrap()), Some("an NVMe controller"));
        assert_eq!(storage(class_of("0x010400").unwrap()), Some("a RAID controller"));
        assert_eq!(storage(class_of("0x020000").unwrap()), None);
        // An IDE function without a driver is an empty legacy port of the chip set.
        assert_eq!(storage(class_of("0x01018a").unwrap()), None);
        assert_eq!(class_of("010802"), None);
        assert_eq!(class_of("0xzz"), None);
    }
}
