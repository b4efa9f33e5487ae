//! What the firmware says the machine is: SMBIOS, else the device tree (arm, ppc64) or `/proc/sysinfo` (s390).
//!
//! A placeholder is not an identity: what board makers leave unfilled ("To Be Filled By O.E.M.") is absent.

use crate::collect::ledger::{Ledger, Missing, Parser, Read};
use crate::collect::virt;
use crate::inventory::{FirmwareInterface, System};
use crate::reading::{ErrorKind, Reading};

/// Where the kernel shows strings of SMBIOS. The first is a link to the second, which a copied tree may lack.
const DMI: [&str; 2] = ["/sys/class/dmi/id", "/sys/devices/virtual/dmi/id"];

/// Reads the system.
pub fn collect(ledger: &Ledger<'_>) -> System {
    let mut system = System::default();
    let dmi = Dmi::find(ledger);
    let text = |file: &str| dmi.read(file, filled);
    set!(system.vendor, dmi.or(text("sys_vendor"), &[("/proc/sysinfo", manufacturer)]));
    set!(
        system.product,
        dmi.or(text("product_name"), &[("/proc/device-tree/model", filled), ("/proc/sysinfo", machine_type)])
    );
    set!(system.product_version, text("product_version"));
    set!(system.family, text("product_family"));
    set!(system.sku, text("product_sku"));
    let serials: [(&str, Parser<Option<String>>); 3] = [
        ("/proc/device-tree/serial-number", filled),
        ("/proc/device-tree/system-id", filled),
        ("/proc/sysinfo", sequence_code),
    ];
    set!(system.serial, dmi.or(text("product_serial"), &serials));
    set!(system.uuid, dmi.read("product_uuid", parse_uuid));
    set!(system.board_vendor, text("board_vendor"));
    set!(system.board_product, text("board_name"));
    set!(system.board_serial, text("board_serial"));
    set!(system.chassis_type, dmi.read("chassis_type", parse_chassis_type));
    set!(system.bios_vendor, dmi.read("bios_vendor", stated));
    set!(system.bios_version, dmi.read("bios_version", stated));
    set!(system.bios_date, dmi.read("bios_date", stated));
    set!(system.bios_release, dmi.read("bios_release", stated));
    set!(system.firmware_interface, firmware_interface(ledger));
    let (hypervisor, virtual_machine) =
        virt::collect(ledger, dmi.folder.as_ref().copied().unwrap_or("/sys/class/dmi/id"));
    set!(system.hypervisor, hypervisor);
    set!(system.virtual_machine, virtual_machine);
    system
}

/// The strings of SMBIOS, if the kernel shows any.
struct Dmi<'l, 'h> {
    ledger: &'l Ledger<'h>,
    folder: Result<&'static str, Read<()>>,
}

impl<'l, 'h> Dmi<'l, 'h> {
    fn find(ledger: &'l Ledger<'h>) -> Self {
        const NO_DMI: Missing = Missing::Untold("the firmware has no SMBIOS, or the kernel does not export it");
        let found = DMI.into_iter().find(|folder| ledger.host().list(folder).is_ok());
        let folder = found.ok_or_else(|| {
            let [first, _] = DMI;
            ledger.list(first, NO_DMI).map(|_| ())
        });
        Self { ledger, folder }
    }

    /// A string. The kernel has a file for each that the firmware fills (`drivers/firmware/dmi-id.c`), so where the folder
    /// is, a missing file means that there is none.
    fn read<T>(&self, file: &str, parse: impl FnOnce(&str) -> Result<Option<T>, String>) -> Read<T> {
        match &self.folder {
            Ok(folder) => flat(self.ledger.parsed(&format!("{folder}/{file}"), Missing::Absent, parse)),
            Err(none) => flat(none.clone().map(|()| None)),
        }
    }

    /// The first of other places that tells, where there is no SMBIOS at all.
    fn or(&self, read: Read<String>, others: &[(&str, Parser<Option<String>>)]) -> Read<String> {
        if self.folder.is_ok() {
            return read;
        }
        for (path, parse) in others {
            // Without the ledger, for most machines have none of these.
            if self.ledger.host().read(path).is_ok() {
                let other = flat(self.ledger.parsed(path, Missing::Absent, *parse));
                if matches!(other.reading, Reading::Known(_)) {
                    return other;
                }
            }
        }
        read
    }
}

fn flat<T>(read: Read<Option<T>>) -> Read<T> {
    let reading = match read.reading {
        Reading::Known(Some(value)) => Reading::Known(value),
        Reading::Known(None) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: read.source }
}

/// A string that says something; `None` for a placeholder. Strings of the device tree end with a NUL.
pub(crate) fn filled(text: &str) -> Result<Option<String>, String> {
    let text = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
    Ok((!is_placeholder(text)).then(|| text.to_owned()))
}

/// What board makers leave where they have nothing to say, without regard to case, blanks and punctuation.
const PLACEHOLDERS: &[&str] = &[
    "assetnumber",
    "basboardserialnumber",
    "baseboardserialnumber",
    "boardserialnumber",
    "chassisserialnumber",
    "default",
    "defaultstring",
    "empty",
    "invalid",
    "na",
    "no",
    "none",
    "noneavailable",
    "noserial",
    "noserialnumber",
    "notapplicable",
    "notavailable",
    "notdefined",
    "notpresent",
    "notset",
    "notspecified",
    "null",
    "oem",
    "oemchassisserialnumber",
    "partnumber",
    "productname",
    "reserved",
    "serial",
    "serialnumber",
    "sku",
    "skunumber",
    "systemmanufacturer",
    "systemproductname",
    "systemserialnumber",
    "systemsku",
    "systemversion",
    "tobefilledbyoem",
    "typefamily",
    "typeproductnumber",
    "typeserialnumber",
    "undefined",
    "unknown",
    "unspecified",
];

fn is_placeholder(text: &str) -> bool {
    let mut characters = text.chars();
    let first = characters.next();
    // One character over and over ("0000000", "xxxx"), or nothing but punctuation.
    let repeated = text.len() >= 4 && characters.all(|c| Some(c) == first);
    let bare: String = text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let empty = text.is_ascii() && bare.chars().all(|c| c == '0');
    // Counting up, as in "0123456789" and "1234567890".
    let counts = bare.len() >= 6 && "01234567890123456789".contains(&bare);
    repeated || empty || counts || PLACEHOLDERS.contains(&bare.as_str())
}

/// A string of the firmware about itself, whose versions ("2.2.2", "1234") are no placeholders.
pub(crate) fn stated(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// UUIDs that firmware has before anybody fills them: AMI's, in both byte orders, and two of ODMs.
const PLACEHOLDER_UUIDS: &[&str] = &[
    "03000200-0400-0500-0006-000700080009",
    "00020003-0004-0005-0006-000700080009",
    "12345678-1234-5678-90ab-cddeefaabbcc",
    "12345678-1234-1234-1234-123456789abc",
];

/// Lower case, as kernels since 4.x write it. All zero is "not present", all ones "present but not set" (SMBIOS 3.7.0, 7.2.1).
pub(crate) fn parse_uuid(text: &str) -> Result<Option<String>, String> {
    let uuid = text.trim().to_ascii_lowercase();
    let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
    if groups != [8, 4, 4, 4, 12] || !uuid.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit()) {
        return if is_placeholder(&uuid) { Ok(None) } else { Err(format!("{text:?} is not a UUID")) };
    }
    let only = |digit: u8| uuid.bytes().all(|byte| byte == b'-' || byte == digit);
    let placeholder = only(b'0') || only(b'f') || PLACEHOLDER_UUIDS.contains(&uuid.as_str());
    Ok((!placeholder).then_some(uuid))
}

fn parse_chassis_type(text: &str) -> Result<Option<u64>, String> {
    text.parse().map(Some).map_err(|_| format!("{text:?} is not a number"))
}

fn manufacturer(text: &str) -> Result<Option<String>, String> {
    filled(sysinfo(text, "Manufacturer").unwrap_or(""))
}

fn machine_type(text: &str) -> Result<Option<String>, String> {
    filled(sysinfo(text, "Type").unwrap_or(""))
}

fn sequence_code(text: &str) -> Result<Option<String>, String> {
    filled(sysinfo(text, "Sequence Code").unwrap_or(""))
}

/// A line of s390's `/proc/sysinfo`, `Manufacturer:         IBM             ` (`arch/s390/kernel/sysinfo.c`).
pub(crate) fn sysinfo<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().filter_map(|line| line.split_once(':')).find(|(name, _)| *name == key).map(|(_, value)| value.trim())
}

/// EFI if the kernel has `/sys/firmware/efi`. A container may see an empty `/sys/firmware`, which tells nothing.
fn firmware_interface(ledger: &Ledger<'_>) -> Read<FirmwareInterface> {
    let folder = "/sys/firmware";
    let list = ledger.list(folder, Missing::Untold("the kernel does not export it"));
    let reading = match list.reading {
        Reading::Known(listing) if listing.names.iter().any(|name| name == "efi") => {
            Reading::Known(FirmwareInterface::Uefi)
        }
        Reading::Known(listing) if !listing.complete => Reading::Unreadable(ledger.incomplete(folder)),
        Reading::Known(listing) if listing.names.is_empty() => {
            let cause = "it is empty, as in a container";
            Reading::Unreadable(ledger.error(format!("list {folder}"), ErrorKind::NotSupported, cause))
        }
        Reading::Known(_) => Reading::Known(FirmwareInterface::Bios),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: list.source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, Replay};

    #[test]
    fn placeholders_are_no_identity() {
        for text in [
            "",
            " ",
            "To Be Filled By O.E.M.",
            "To be filled by O.E.M.",
            "Default string",
            "Not Specified",
            "System Serial Number",
            "System manufacturer",
            "Base Board Serial Number",
            "0123456789",
            "1234567890",
            "123456789",
            "0000000000",
            "0",
            "FFFFFFFF",
            "xxxxxxxx",
            "........",
            "N/A",
            "None",
            "Unknown",
            "OEM",
            "SKU",
        ] {
            assert_eq!(filled(text).unwrap(), None, "{text}");
        }
    }

    #[test]
    fn identities_are_kept_as_they_are_but_for_blanks_around() {
        for text in [
            "PowerEdge R640",
            "2102312MEA10K9000003",
            "S4881 ",
            "1",
            "A",
            "R",
            "2.2.2",
            "11",
            "12345678901234567890123",
            "CZ1234ABCD",
            "宝",
            "00:11",
        ] {
            assert_eq!(filled(text).unwrap().as_deref(), Some(text.trim()), "{text}");
        }
        assert_eq!(filled("IBM,9179-MHB\0").unwrap().as_deref(), Some("IBM,9179-MHB"));
    }

    #[test]
    fn a_version_of_the_firmware_is_no_placeholder() {
        for text in ["2.2.2", "1234567", "0000"] {
            assert_eq!(stated(text).unwrap().as_deref(), Some(text));
        }
        assert_eq!(stated(" ").unwrap(), None);
    }

    #[test]
    fn uuids() {
        let uuid = "4C4C4544-0039-4D10-8032-B7C04F4E3732";
        assert_eq!(parse_uuid(uuid).unwrap(), Some(uuid.to_lowercase()));
        for none in [
            "00000000-0000-0000-0000-000000000000",
            "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
            "03000200-0400-0500-0006-000700080009",
            "Not Present",
        ] {
            assert_eq!(parse_uuid(none).unwrap(), None, "{none}");
        }
        assert!(parse_uuid("4C4C4544-0039-4D10-8032").is_err());
        assert!(parse_uuid("4C4C4544-0039-4D10-8032-B7C04F4E373G").is_err());
    }

    #[test]
    fn a_string_that_the_firmware_does_not_have_is_absent_and_one_that_root_alone_may_read_is_not() {
        let host = Replay::complete([("sys/class/dmi/id/sys_vendor", Entry::file("Dell Inc.\n"))]).with(
            crate::host::Question::Read("/sys/class/dmi/id/product_serial".to_owned()),
            Err(crate::host::HostErrorKind::PermissionDenied),
        );
        let ledger = Ledger::new(&host);
        let system = collect(&ledger);
        assert_eq!(system.vendor, Reading::Known("Dell Inc.".to_owned()));
        assert_eq!(system.product, Reading::Absent);
        let Reading::Unreadable(error) = system.serial else { panic!("{:?}", system.serial) };
        assert_eq!(ledger.error_at(error).unwrap().kind, ErrorKind::PermissionDenied);
    }

    #[test]
    fn without_smbios_the_device_tree_or_sysinfo_tells() {
        let host = Replay::complete([
            ("proc/device-tree/model", Entry::file("IBM,9179-MHB\0")),
            ("proc/device-tree/system-id", Entry::file("IBM,02100123A\0")),
        ]);
        let system = collect(&Ledger::new(&host));
        assert_eq!(system.product, Reading::Known("IBM,9179-MHB".to_owned()));
        assert_eq!(system.serial, Reading::Known("IBM,02100123A".to_owned()));
        assert!(matches!(system.vendor, Reading::Unreadable(_)));

        let text = "Manufacturer:         IBM             \nType:                 2964\nSequence Code:        00000000000829E7\n";
        let host = Replay::complete([("proc/sysinfo", Entry::file(text))]);
        let system = collect(&Ledger::new(&host));
        assert_eq!(system.vendor, Reading::Known("IBM".to_owned()));
        assert_eq!(system.product, Reading::Known("2964".to_owned()));
        assert_eq!(system.serial, Reading::Known("00000000000829E7".to_owned()));
    }

    #[test]
    fn efi_is_told_by_its_folder_and_not_by_an_empty_one() {
        let read = |entries: &[(&str, &str)]| {
            let host = Replay::complete(entries.iter().map(|(path, text)| (*path, Entry::file(text))));
            firmware_interface(&Ledger::new(&host)).reading
        };
        assert_eq!(read(&[("sys/firmware/efi/fw_platform_size", "64")]), Reading::Known(FirmwareInterface::Uefi));
        assert_eq!(read(&[("sys/firmware/acpi/pm_profile", "4")]), Reading::Known(FirmwareInterface::Bios));
        assert!(matches!(read(&[("sys/x", "")]), Reading::Unreadable(_)));
    }
}
