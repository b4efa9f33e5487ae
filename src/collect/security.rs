//! Secure Boot, kernel lockdown and TPM, as the kernel shows them. Measures and attests nothing.

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::FirmwareInterface;
use crate::inventory::platform::Security;
use crate::reading::Reading;

/// Variables of the firmware (Documentation/filesystems/efivarfs.rst).
const VARIABLES: &str = "/sys/firmware/efi/efivars";
/// `EFI_GLOBAL_VARIABLE` (UEFI 2.10, section 3.3).
const GLOBAL: &str = "8be4df61-93ca-11d2-aa0d-00e098032b8c";
const TPMS: &str = "/sys/class/tpm";

/// Reads the security section.
pub fn collect(ledger: &Ledger<'_>, firmware: Option<FirmwareInterface>) -> Security {
    let mut security = Security::default();
    set!(security.secure_boot, variable(ledger, "SecureBoot", firmware));
    set!(security.setup_mode, variable(ledger, "SetupMode", firmware));
    let untold = Missing::Untold("securityfs is not mounted, or the kernel has no lockdown (since Linux 5.4)");
    set!(security.lockdown, ledger.parsed("/sys/kernel/security/lockdown", untold, selected));
    let (version, description) = tpm(ledger);
    set!(security.tpm_version, version);
    set!(security.tpm_description, description);
    security
}

/// A flag of the firmware. A file of efivarfs has four bytes of attributes, then the value: here one byte, 0 or 1
/// (UEFI 2.10, table 3.1).
fn variable(ledger: &Ledger<'_>, name: &str, firmware: Option<FirmwareInterface>) -> Read<bool> {
    let path = format!("{VARIABLES}/{name}-{GLOBAL}");
    let source = ledger.source(path.clone());
    if firmware == Some(FirmwareInterface::Bios) {
        return Read { reading: Reading::Absent, source };
    }
    // Only where the file system is mounted and shows others does a missing variable mean that the firmware has none.
    let shown = ledger.host().list(VARIABLES).is_ok_and(|listing| listing.complete && !listing.names.is_empty());
    let missing = if shown { Missing::Absent } else { Missing::Untold("efivarfs is not mounted") };
    let reading = match ledger.bytes(&path, missing) {
        Reading::Known(bytes) => match flag(&bytes) {
            Ok(value) => Reading::Known(value),
            Err(cause) => ledger.malformed(&path, cause),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source }
}

fn flag(bytes: &[u8]) -> Result<bool, String> {
    match bytes {
        [_, _, _, _, 0] => Ok(false),
        [_, _, _, _, 1] => Ok(true),
        _ => Err(format!("{bytes:02X?} is no four bytes of attributes and a flag")),
    }
}

/// The word in brackets.
fn selected(text: &str) -> Result<String, String> {
    text.split_whitespace()
        .find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
        .map(str::to_owned)
        .ok_or_else(|| format!("no word of {text:?} is in brackets"))
}

fn tpm(ledger: &Ledger<'_>) -> (Read<u64>, Read<String>) {
    let list = ledger.list(TPMS, Missing::Untold("the kernel has no TPM support, or does not show it"));
    let names = match list.reading {
        Reading::Known(ref listing) if listing.names.iter().any(|name| name == "tpm0") => {
            let folder = format!("{TPMS}/tpm0");
            let old = ledger
                .host()
                .read(&format!("{folder}/device/caps"))
                .or_else(|_| ledger.host().read(&format!("{folder}/caps")));
            let version = if old.is_ok() {
                Read { reading: Reading::Known(1), source: ledger.source(format!("{folder}/device/caps")) }
            } else {
                let untold = Missing::Untold("the kernel is older than 5.6");
                ledger.parsed(&format!("{folder}/tpm_version_major"), untold, |text| {
                    text.parse().map_err(|_| format!("{text:?} is no number"))
                })
            };
            return (version, ledger.text(&format!("{folder}/device/description"), Missing::Absent));
        }
        Reading::Known(listing) if !listing.complete => Reading::Unreadable(ledger.incomplete(TPMS)),
        Reading::Known(_) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    (
        Read { reading: names.clone(), source: list.source },
        Read { reading: names.map(|_: u64| String::new()), source: list.source },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, Replay};

    #[test]
    fn a_variable_has_four_bytes_of_attributes() {
        assert_eq!(flag(&[6, 0, 0, 0, 1]), Ok(true));
        assert_eq!(flag(&[22, 0, 0, 0, 0]), Ok(false));
        for bad in [&[][..], &[1], &[6, 0, 0, 0], &[6, 0, 0, 0, 2], &[6, 0, 0, 0, 1, 0]] {
            assert!(flag(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_missing_variable_is_told_from_one_that_is_not_shown() {
        let read = |entries: &[(&str, &str)], firmware| {
            let host = Replay::complete(entries.iter().map(|(path, text)| (*path, Entry::file(text))));
            collect(&Ledger::new(&host), firmware)
        };
        let uefi = Some(FirmwareInterface::Uefi);
        let secure = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
        let one = read(&[(secure, "\u{6}\0\0\0\u{1}")], uefi);
        assert_eq!((one.secure_boot, one.setup_mode), (Reading::Known(true), Reading::Absent));
        assert!(matches!(read(&[("sys/firmware/efi/runtime", "")], uefi).secure_boot, Reading::Unreadable(_)));
        assert_eq!(read(&[("sys/x", "")], Some(FirmwareInterface::Bios)).secure_boot, Reading::Absent);
        assert!(matches!(read(&[("sys/x", "")], None).secure_boot, Reading::Unreadable(_)));
    }

    #[test]
    fn lockdown_and_tpm() {
        assert_eq!(selected("none [integrity] confidentiality"), Ok("integrity".to_owned()));
        assert!(selected("none").is_err());
        let read = |entries: &[(&str, &str)]| {
            let host = Replay::complete(entries.iter().map(|(path, text)| (*path, Entry::file(text))));
            let security = collect(&Ledger::new(&host), None);
            (security.tpm_version, security.tpm_description)
        };
        let two = [
            ("sys/class/tpm/tpm0/tpm_version_major", "2\n"),
            ("sys/class/tpm/tpm0/device/description", "TPM 2.0 Device\n"),
        ];
        assert_eq!(read(&two), (Reading::Known(2), Reading::Known("TPM 2.0 Device".to_owned())));
        assert_eq!(read(&[("sys/class/tpm/tpm0/device/caps", "TCG version: 1.2\n")]).0, Reading::Known(1));
        assert!(matches!(read(&[("sys/class/tpm/tpm0/dev", "10:224")]).0, Reading::Unreadable(_)));
        assert!(matches!(read(&[("sys/x", "")]).0, Reading::Unreadable(_)));
    }
}
