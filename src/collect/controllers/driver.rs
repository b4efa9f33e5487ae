//! What each driver of a storage controller tells in sysfs, and what kind of controller it drives. Pure.
//!
//! The names are those of the drivers' own attributes (`drivers/scsi/*`, `drivers/message/fusion`); only the drivers named here were looked up.

use super::hosts::numbered;
use crate::inventory::controller::ControllerKind;

/// Files of a SCSI host that tell of its controller, the first that is there counting.
pub(super) struct Attributes {
    pub model: &'static [&'static str],
    pub firmware: &'static [&'static str],
    pub boot_firmware: &'static [&'static str],
    pub serial: &'static [&'static str],
}

/// A driver that tells nothing, or one that is not known here.
const NOTHING: Attributes = Attributes { model: &[], firmware: &[], boot_firmware: &[], serial: &[] };

/// What a driver tells.
pub(super) fn attributes(driver: &str) -> Attributes {
    match driver {
        "mpt3sas" | "mpt2sas" | "mptsas" | "mptspi" | "mptfc" => Attributes {
            model: &["board_name"],
            firmware: &["version_fw"],
            boot_firmware: &["version_bios"],
            serial: &["board_tracer"],
        },
        "mpi3mr" => Attributes { firmware: &["version_fw"], ..NOTHING },
        "hpsa" => Attributes { firmware: &["firmware_revision"], ..NOTHING },
        "smartpqi" => {
            Attributes { model: &["model"], firmware: &["firmware_version"], serial: &["serial_number"], ..NOTHING }
        }
        "aacraid" => Attributes {
            model: &["model"],
            firmware: &["hba_kernel_version"],
            boot_firmware: &["hba_bios_version"],
            serial: &["serial_number"],
        },
        "arcmsr" => Attributes { model: &["host_fw_model"], firmware: &["host_fw_version"], ..NOTHING },
        "pm80xx" => Attributes { firmware: &["fw_version"], ..NOTHING },
        "qla2xxx" => Attributes {
            model: &["model_name"],
            firmware: &["fw_version"],
            boot_firmware: &["optrom_bios_version"],
            serial: &["serial_num"],
        },
        "lpfc" => Attributes {
            model: &["modelname"],
            firmware: &["fwrev"],
            boot_firmware: &["option_rom_version"],
            serial: &["serialnum"],
        },
        "bfa" => Attributes {
            model: &["model"],
            firmware: &["firmware_version"],
            boot_firmware: &["optionrom_version"],
            serial: &["serial_number"],
        },
        _ => NOTHING,
    }
}

/// The kind by the driver, else by the PCI class (six hexadecimal digits; PCI Code and ID Assignment Specification, section 1.2).
///
/// The driver comes first: a RAID controller may call itself SAS, and AHCI set to RAID calls itself RAID.
/// A host that is on no storage function is told by the bus in its path, where its driver is not known.
pub(super) fn kind(driver: Option<&str>, class: Option<&str>, path: Option<&str>) -> ControllerKind {
    use ControllerKind as Kind;
    let by_driver = match driver.unwrap_or_default() {
        "ahci" | "acard-ahci" => Some(Kind::Ahci),
        "nvme" => Some(Kind::Nvme),
        "vmd" => Some(Kind::Vmd),
        "megaraid_sas" | "megaraid" | "megaraid_mbox" | "hpsa" | "cciss" | "smartpqi" | "aacraid" | "arcmsr"
        | "3w-9xxx" | "3w-sas" | "3w-xxxx" | "ips" | "ipr" | "pmcraid" | "esas2r" | "hptiop" | "stex" => {
            Some(Kind::Raid)
        }
        "mpt3sas" | "mpt2sas" | "mptsas" | "mvsas" | "pm80xx" | "isci" | "aic94xx" | "hisi_sas_v3_hw"
        | "hisi_sas_v2_hw" | "hisi_sas_v1_hw" => Some(Kind::SasHba),
        "qla2xxx" | "lpfc" | "bfa" | "fnic" | "zfcp" | "bnx2fc" | "qedf" | "fcoe" | "mptfc" | "ibmvfc" | "csiostor" => {
            Some(Kind::Fc)
        }
        "iscsi_tcp" | "iser" | "bnx2i" | "be2iscsi" | "cxgb3i" | "cxgb4i" | "qla4xxx" | "qedi" => Some(Kind::Iscsi),
        "virtio-pci" | "virtio_scsi" => Some(Kind::Virtio),
        "vmw_pvscsi" => Some(Kind::Pvscsi),
        "storvsc_host" | "hv_storvsc" => Some(Kind::Hyperv),
        "xen-scsifront" => Some(Kind::Xen),
        "usb-storage" | "uas" => Some(Kind::Usb),
        "ahci_platform" | "ahci-imx" | "ahci-mvebu" | "ahci_xgene" | "xgene-ahci" | "ahci_seattle" => Some(Kind::Ahci),
        other if other.starts_with("pata_") || other.starts_with("sata_") => Some(Kind::Ata),
        "ata_piix" | "ata_generic" => Some(Kind::Ata),
        _ => None,
    };
    let by_class = || {
        let class = class?;
        Some(match (class.get(0..4)?, class.get(4..6)?) {
            ("0100", _) => Kind::Scsi,
            ("0101" | "0105", _) => Kind::Ata,
            ("0104", _) => Kind::Raid,
            ("0106", "01") => Kind::Ahci,
            ("0106", _) => Kind::Ata,
            ("0107", _) => Kind::SasHba,
            ("0108", _) => Kind::Nvme,
            ("0805", _) => Kind::Mmc,
            ("0c04", _) => Kind::Fc,
            _ => Kind::Other,
        })
    };
    let by_path = || {
        path?.split('/').rev().find_map(|part| {
            if numbered(part, "usb").is_some() {
                Some(Kind::Usb)
            } else if numbered(part, "virtio").is_some() {
                Some(Kind::Virtio)
            } else {
                None
            }
        })
    };
    by_driver.or_else(by_class).or_else(by_path).unwrap_or(ControllerKind::Other)
}

/// Kinds that have no firmware or serial number of their own to tell.
pub(super) fn has_nothing_to_tell(kind: ControllerKind) -> bool {
    use ControllerKind as Kind;
    matches!(
        kind,
        Kind::Ahci
            | Kind::Ata
            | Kind::Mmc
            | Kind::Vmd
            | Kind::Virtio
            | Kind::Pvscsi
            | Kind::Hyperv
            | Kind::Xen
            | Kind::Usb
    )
}

/// A text that must say something.
pub(super) fn text(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("it is empty".to_owned()),
        text => Ok(text.to_owned()),
    }
}

/// A number.
pub(super) fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("no number: {text:?}"))
}

/// `proc_name`; the kernel writes "(null)" for a driver that gives none.
pub(super) fn proc_name(text: &str) -> Option<String> {
    match text.trim() {
        "" | "(null)" | "<NULL>" => None,
        name => Some(name.to_owned()),
    }
}

/// "HP SSD Smart Path enabled" (`host_show_hp_ssd_smart_path_status()` in `drivers/scsi/hpsa.c`).
pub(super) fn smart_path(text: &str) -> Result<bool, String> {
    match text.trim().rsplit(' ').next() {
        Some("enabled") => Ok(true),
        Some("disabled") => Ok(false),
        _ => Err(format!("neither enabled nor disabled: {text:?}")),
    }
}

/// `raid_level` of a SCSI device. `None` for what is a medium and no volume: "N/A" (hpsa, smartpqi), "JBOD" and an empty line (aacraid).
pub(super) fn raid_level(text: &str) -> Option<String> {
    match text.trim() {
        "" | "N/A" | "JBOD" | "Hidden" => None,
        level => Some(level.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_outranks_the_class() {
        use ControllerKind as Kind;
        for (driver, class, expected) in [
            (Some("ahci"), Some("010601"), Kind::Ahci),
            (Some("ahci"), Some("010400"), Kind::Ahci),
            (Some("smartpqi"), Some("010700"), Kind::Raid),
            (Some("mpt3sas"), Some("010700"), Kind::SasHba),
            (Some("mpi3mr"), Some("010700"), Kind::SasHba),
            (Some("mpi3mr"), Some("010400"), Kind::Raid),
            (Some("vfio-pci"), Some("010802"), Kind::Nvme),
            (Some("vmd"), Some("010400"), Kind::Vmd),
            (Some("virtio-pci"), Some("010000"), Kind::Virtio),
            (Some("ata_piix"), Some("01018a"), Kind::Ata),
            (None, Some("010601"), Kind::Ahci),
            (None, Some("0c0400"), Kind::Fc),
            (None, Some("018000"), Kind::Other),
            (Some("uas"), None, Kind::Usb),
            (Some("scsi_debug"), None, Kind::Other),
            (None, Some("1"), Kind::Other),
        ] {
            assert_eq!(kind(driver, class, None), expected, "{driver:?} {class:?}");
        }
        let usb = "../../devices/pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/scsi_host/host6";
        assert_eq!(kind(None, None, Some(usb)), Kind::Usb);
        assert_eq!(kind(Some("sdhci-pci"), Some("080501"), None), Kind::Mmc);
    }

    #[test]
    fn words_of_drivers() {
        assert_eq!(smart_path("HP SSD Smart Path enabled"), Ok(true));
        assert_eq!(smart_path("HP SSD Smart Path disabled"), Ok(false));
        assert!(smart_path("").is_err());
        assert_eq!(raid_level("RAID 1(1+0)").as_deref(), Some("RAID 1(1+0)"));
        for medium in ["N/A", "JBOD", ""] {
            assert_eq!(raid_level(medium), None);
        }
        assert_eq!(proc_name("(null)"), None);
        assert_eq!(proc_name("megaraid_sas").as_deref(), Some("megaraid_sas"));
        assert_eq!(text(" LSI9300-8i  ").as_deref(), Ok("LSI9300-8i"));
        assert!(text("  ").is_err());
        assert!(number("-1").is_err());
    }
}
