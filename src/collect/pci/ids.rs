//! Names of vendors, devices, subsystems and classes: the PCI ID Repository (<https://pci-ids.ucw.cz>), built in.
//!
//! The file `pci.ids` is the repository's own, unchanged, distributed under the 3-clause BSD License (`pci.ids.LICENSE`); to renew it,
//! put a newer one in its place. Built in and not read from the machine, so that equal machines bear equal names. A crate
//! that holds the file (`pci-ids`) was looked at and left: its build script fetches whatever is newest from the network.

use std::sync::OnceLock;

/// The repository as built in.
const PCI_IDS: &str = include_str!("pci.ids");

/// Names by number.
#[derive(Debug)]
pub(crate) struct Table<'t> {
    /// As in "2025.07.11"; empty if the file does not say.
    pub version: &'t str,
    vendors: Vec<(u16, &'t str)>,
    devices: Vec<((u16, u16), &'t str)>,
    subsystems: Vec<([u16; 4], &'t str)>,
    base_classes: Vec<(u8, &'t str)>,
    sub_classes: Vec<((u8, u8), &'t str)>,
}

/// The table that is built in, parsed once.
pub(crate) fn table() -> &'static Table<'static> {
    static TABLE: OnceLock<Table<'static>> = OnceLock::new();
    TABLE.get_or_init(|| parse(PCI_IDS))
}

fn find<'t, K: Ord>(rows: &[(K, &'t str)], key: &K) -> Option<&'t str> {
    let at = rows.binary_search_by(|(row, _)| row.cmp(key)).ok()?;
    rows.get(at).map(|(_, name)| *name)
}

impl<'t> Table<'t> {
    /// Name of a vendor.
    pub(crate) fn vendor(&self, vendor: u16) -> Option<&'t str> {
        find(&self.vendors, &vendor)
    }
    /// Name of a device.
    pub(crate) fn device(&self, vendor: u16, device: u16) -> Option<&'t str> {
        find(&self.devices, &(vendor, device))
    }
    /// Name of a subsystem of a device.
    pub(crate) fn subsystem(&self, device: (u16, u16), subsystem: (u16, u16)) -> Option<&'t str> {
        find(&self.subsystems, &[device.0, device.1, subsystem.0, subsystem.1])
    }
    /// Name of a sub-class, else of its base class.
    pub(crate) fn class(&self, base: u8, sub: u8) -> Option<&'t str> {
        find(&self.sub_classes, &(base, sub)).or_else(|| find(&self.base_classes, &base))
    }
}

/// Which list a line with tabs belongs to.
enum Under {
    Nothing,
    Vendor(u16),
    Class(u8),
}

/// Reads the format described at the head of the file: two spaces between number and name, a tab for a device or sub-class, two for
/// a subsystem or programming interface, "C" before a class. Lines that are none of these name nothing and are passed over.
pub(crate) fn parse(text: &str) -> Table<'_> {
    let mut table = Table {
        version: "",
        vendors: Vec::new(),
        devices: Vec::new(),
        subsystems: Vec::new(),
        base_classes: Vec::new(),
        sub_classes: Vec::new(),
    };
    let mut under = Under::Nothing;
    let mut device = None;
    for line in text.lines() {
        if let Some(comment) = line.strip_prefix('#') {
            if let Some(version) = comment.trim_start().strip_prefix("Version:") {
                table.version = version.trim();
            }
            continue;
        }
        if let Some(rest) = line.strip_prefix("\t\t") {
            if let (Under::Vendor(vendor), Some(of), Some((numbers, name))) = (&under, device, rest.split_once("  "))
                && let Some((a, b)) = numbers.split_once(' ')
                && let (Some(a), Some(b)) = (hex16(a), hex16(b))
            {
                table.subsystems.push(([*vendor, of, a, b], name));
            }
        } else if let Some(rest) = line.strip_prefix('\t') {
            device = None;
            let Some((number, name)) = rest.split_once("  ") else { continue };
            match under {
                Under::Vendor(vendor) => {
                    device = hex16(number);
                    table.devices.extend(device.map(|device| ((vendor, device), name)));
                }
                Under::Class(class) => table.sub_classes.extend(hex8(number).map(|sub| ((class, sub), name))),
                Under::Nothing => {}
            }
        } else {
            device = None;
            under = Under::Nothing;
            let Some((number, name)) = line.split_once("  ") else { continue };
            if let Some(class) = number.strip_prefix("C ").and_then(hex8) {
                table.base_classes.push((class, name));
                under = Under::Class(class);
            } else if let Some(vendor) = hex16(number) {
                table.vendors.push((vendor, name));
                under = Under::Vendor(vendor);
            }
        }
    }
    table.vendors.sort_unstable();
    table.devices.sort_unstable();
    table.subsystems.sort_unstable();
    table.base_classes.sort_unstable();
    table.sub_classes.sort_unstable();
    table
}

fn hex16(text: &str) -> Option<u16> {
    if text.len() == 4 { u16::from_str_radix(text, 16).ok() } else { None }
}

fn hex8(text: &str) -> Option<u8> {
    if text.len() == 2 { u8::from_str_radix(text, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "#\n#\tVersion: 2001.02.03\n\n# Syntax: ...\n\
        1111  First\n\
        \t0001  A thing\n\
        \t\t2222 0003  A board\n\
        # a remark\n\
        \t\t2222 0004  Another  board\n\
        \t0002  A second thing\n\
        2222  Second\n\
        \tzzzz  No number\n\
        \t\t1111 0001  A board of nothing\n\
        \n\
        C 01  Storage\n\
        \t08  Non-Volatile\n\
        \t\t02  NVMe\n\
        C ff  Unassigned\n";

    #[test]
    fn names_by_number() {
        let table = parse(TEXT);
        assert_eq!(table.version, "2001.02.03");
        assert_eq!(table.vendor(0x1111), Some("First"));
        assert_eq!(table.vendor(0x3333), None);
        assert_eq!(table.device(0x1111, 2), Some("A second thing"));
        assert_eq!(table.device(0x2222, 1), None);
        assert_eq!(table.subsystem((0x1111, 1), (0x2222, 4)), Some("Another  board"));
        assert_eq!(table.subsystem((0x1111, 2), (0x2222, 4)), None);
        assert_eq!(table.class(1, 8), Some("Non-Volatile"));
        assert_eq!(table.class(1, 9), Some("Storage"));
        assert_eq!(table.class(0x99, 0), None);
        assert!(parse("").vendors.is_empty());
    }

    #[test]
    fn the_built_in_table_is_whole() {
        let table = table();
        assert_eq!(table.version.split('.').count(), 3, "{}", table.version);
        assert_eq!(table.vendor(0x8086), Some("Intel Corporation"));
        assert_eq!(table.class(0x01, 0x08), Some("Non-Volatile memory controller"));
        assert!(table.devices.len() > 15_000 && table.subsystems.len() > 10_000, "{}", table.devices.len());
        // Twice the same number would make the name depend on the order.
        assert!(table.devices.is_sorted_by(|a, b| a.0 < b.0));
        assert!(table.vendors.is_sorted_by(|a, b| a.0 < b.0));
    }
}
