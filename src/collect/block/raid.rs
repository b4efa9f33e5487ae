//! Whether a SCSI disk is a medium or a volume that a RAID controller made of media which are not seen.
//!
//! Pure. Decided from what the driver says first (its channel numbers, its `raid_level`), and from vendor and model only
//! where the driver says nothing. What cannot be told is said to be so: a RAID card in HBA mode shows real disks, and
//! the same card in RAID mode shows volumes. Written from the drivers' sources (Linux 6.x); of these cards none was at
//! hand.

use super::path::ScsiAddress;

/// What stands behind a SCSI disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Behind {
    /// The medium itself.
    Medium,
    /// A volume of a RAID controller; its media are hidden.
    Volume,
    /// It cannot be told, for this reason.
    Unknown(String),
}

/// What is known of a SCSI disk for that purpose. `None` where it could not be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clues<'a> {
    /// Name of the driver of its SCSI host, lower case (`/sys/class/scsi_host/host*/proc_name`).
    pub(crate) driver: Option<&'a str>,
    pub(crate) vendor: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    pub(crate) address: Option<ScsiAddress>,
    /// `device/raid_level` of hpsa and smartpqi.
    pub(crate) raid_level: Option<&'a str>,
    /// It hangs under a SAS end device, which only a medium (or an expander's enclosure) does.
    pub(crate) end_device: bool,
    /// It hangs under libata, USB or virtio, which make no volumes (a USB box may be a RAID of its own; nothing tells).
    pub(crate) direct: bool,
    /// Its World Wide Name is of NAA 6.
    pub(crate) extended_name: bool,
}

/// Drivers of controllers that show volumes and nothing else of their drives.
const VOLUMES_ONLY: &[&str] = &[
    "3w-xxxx",
    "3w-9xxx",
    "3w-sas",
    "dpt_i2o",
    "gdth",
    "hptiop",
    "ips",
    "megaraid",
    "megaraid_mbox",
    "mvumi",
    "myrb",
    "myrs",
    "pmcraid",
    "stex",
];

/// Drivers that make hosts for controllers which may hide drives in volumes or as unconfigured.
pub(crate) fn may_hide_drives(driver: &str) -> bool {
    VOLUMES_ONLY.contains(&driver)
        || matches!(driver, "megaraid_sas" | "hpsa" | "smartpqi" | "aacraid" | "arcmsr" | "esas2r" | "ipr" | "mpi3mr")
}

/// Tells a medium from a volume.
pub(crate) fn behind(clues: &Clues<'_>) -> Behind {
    let vendor = clues.vendor.map(str::to_ascii_uppercase);
    let model = clues.model.map(str::to_ascii_uppercase);
    let named = names_a_volume(vendor.as_deref().unwrap_or_default(), model.as_deref().unwrap_or_default());
    // A translation layer of one drive says "ATA" or "NVMe"; volumes are never called so, but for the little RAID
    // controllers for boot media that pose as an ATA disk.
    let translated = matches!(vendor.as_deref(), Some("ATA" | "NVME"));
    if named {
        return Behind::Volume;
    }
    // A disk array on SAS shows its LUNs under end devices too, by names of NAA 6, which no disk has.
    if clues.direct || (clues.end_device && !clues.extended_name) {
        return Behind::Medium;
    }
    let integrated = matches!(clues.driver, Some("mpt2sas" | "mpt3sas" | "mptsas"))
        && clues.address.is_some_and(|address| address.channel == 1);
    if clues.extended_name && !integrated && !clues.driver.is_some_and(may_hide_drives) {
        return Behind::Unknown("its World Wide Name is of NAA 6, as that of a volume or LUN".to_owned());
    }
    let Some(driver) = clues.driver else {
        return if translated {
            Behind::Medium
        } else {
            Behind::Unknown("the driver of the SCSI host is not known".to_owned())
        };
    };
    let channel = clues.address.map(|address| address.channel);
    let by_channel = |volume: fn(u32) -> bool| match channel {
        Some(channel) if volume(channel) => Behind::Volume,
        Some(_) => Behind::Medium,
        None => Behind::Unknown("the SCSI address is not known".to_owned()),
    };
    match driver {
        _ if VOLUMES_ONLY.contains(&driver) => Behind::Volume,
        // MEGASAS_IS_LOGICAL: channels from MEGASAS_MAX_PD_CHANNELS (2) on are logical drives.
        "megaraid_sas" => by_channel(|channel| channel >= 2),
        // CONTAINER_CHANNEL is 0; physical devices are on the channels after it.
        "aacraid" => by_channel(|channel| channel == 0),
        // RAID_CHANNEL (mpt3sas_base.h), MPTSAS_RAID_CHANNEL (mptsas.c): 1.
        "mpt2sas" | "mpt3sas" | "mptsas" => by_channel(|channel| channel == 1),
        "hpsa" | "smartpqi" => match clues.raid_level {
            Some("N/A") => Behind::Medium,
            Some(_) => Behind::Volume,
            None if translated => Behind::Medium,
            None => Behind::Unknown(format!("{driver} does not tell its raid_level")),
        },
        "arcmsr" | "esas2r" | "ipr" | "mpi3mr" if translated => Behind::Medium,
        "arcmsr" | "esas2r" | "ipr" | "mpi3mr" => Behind::Unknown(format!("{driver} shows volumes and drives alike")),
        _ => Behind::Medium,
    }
}

/// Vendor and model, in upper case, of volumes whose maker names them so.
fn names_a_volume(vendor: &str, model: &str) -> bool {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| model.starts_with(prefix));
    match vendor {
        // DELLBOSS VD, CISCO VD, Marvell Raid VD: M.2 mirrors of Marvell 88SE92xx.
        "ATA" => model.ends_with(" VD"),
        "HP" | "HPE" | "COMPAQ" => starts(&["LOGICAL VOLUME"]),
        "DELL" => starts(&["PERC ", "VIRTUAL DISK"]),
        "LSI" | "LSILOGIC" | "AVAGO" | "BROADCOM" | "SMC" | "CISCO" | "INTEL" | "FTS" | "SUPERMICR" => {
            starts(&["MR", "MEGARAID", "LOGICAL VOLUME", "SMC", "UCSC", "RAID", "RS3", "PRAID", "VIRTUAL DRIVE"])
        }
        "IBM" | "LENOVO" => starts(&["SERVERAID", "RAID ", "LOGICAL VOLUME", "IPR-"]),
        "AMCC" | "3WARE" | "ADAPTEC" | "ARECA" | "MEGARAID" => true,
        _ => false,
    }
}

/// Models of NVMe devices that are a RAID controller over two M.2 drives (Marvell 88NR2241): Dell BOSS-N1, HPE NS204i,
/// Lenovo M.2 kits.
pub(crate) fn nvme_volume(model: &str) -> bool {
    let model = model.to_ascii_uppercase();
    ["BOSS-N", "NS204I", "MARVELL_NVME RAID", "M.2 NVME 2-BAY RAID"].iter().any(|part| model.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Clues<'_> = Clues {
        driver: None,
        vendor: None,
        model: None,
        address: None,
        raid_level: None,
        end_device: false,
        direct: false,
        extended_name: false,
    };

    fn on(driver: &'static str, channel: u32, vendor: &'static str, model: &'static str) -> Clues<'static> {
        Clues {
            driver: Some(driver),
            vendor: Some(vendor),
            model: Some(model),
            address: Some(ScsiAddress { host: 0, channel, target: 0, lun: 0 }),
            ..NOTHING
        }
    }

    #[test]
    fn the_channel_of_megaraid_tells_jbod_from_volume() {
        assert_eq!(behind(&on("megaraid_sas", 0, "SEAGATE", "ST1200MM0099")), Behind::Medium);
        assert_eq!(behind(&on("megaraid_sas", 1, "ATA", "INTEL SSDSC2KB01")), Behind::Medium);
        assert_eq!(behind(&on("megaraid_sas", 2, "LENOVO", "930-8i")), Behind::Volume);
        assert_eq!(behind(&on("megaraid_sas", 3, "X", "Y")), Behind::Volume);
        let unplaced = Clues { address: None, ..on("megaraid_sas", 0, "X", "Y") };
        assert!(matches!(behind(&unplaced), Behind::Unknown(_)));
    }

    #[test]
    fn smart_array_tells_its_raid_level() {
        let disk = Clues { raid_level: Some("N/A"), ..on("hpsa", 0, "HP", "EG0600FBVFP") };
        assert_eq!(behind(&disk), Behind::Medium);
        let volume = Clues { raid_level: Some("RAID 1(+0)"), ..on("hpsa", 1, "HP", "SOMETHING") };
        assert_eq!(behind(&volume), Behind::Volume);
        assert_eq!(behind(&on("hpsa", 1, "HP", "LOGICAL VOLUME")), Behind::Volume);
        assert!(matches!(behind(&on("smartpqi", 0, "HPE", "EG0600")), Behind::Unknown(_)));
        assert_eq!(behind(&on("smartpqi", 0, "ATA", "MK000960GWXFH")), Behind::Medium);
    }

    #[test]
    fn an_hba_shows_media_and_integrated_raid_volumes() {
        let disk = Clues { end_device: true, ..on("mpt3sas", 0, "HGST", "HUH721010AL5200") };
        assert_eq!(behind(&disk), Behind::Medium);
        assert_eq!(behind(&on("mpt3sas", 1, "LSI", "Logical Volume")), Behind::Volume);
        assert_eq!(behind(&on("mpt2sas", 1, "X", "Y")), Behind::Volume);
        assert_eq!(behind(&on("aacraid", 0, "ASR8805", "data")), Behind::Volume);
        assert_eq!(behind(&on("aacraid", 1, "ATA", "ST4000NM0033")), Behind::Medium);
    }

    #[test]
    fn some_drivers_tell_nothing() {
        assert!(matches!(behind(&on("arcmsr", 0, "SEAGATE", "ST4000NM0023")), Behind::Unknown(_)));
        assert_eq!(behind(&on("arcmsr", 0, "Areca", "ARC-1880-VOL#00")), Behind::Volume);
        assert_eq!(behind(&on("ipr", 2, "IBM", "IPR-0   5EC25900")), Behind::Volume);
        assert!(matches!(behind(&on("mpi3mr", 0, "SEAGATE", "X")), Behind::Unknown(_)));
        assert_eq!(behind(&on("3w-9xxx", 0, "AMCC", "9650SE-16M DISK")), Behind::Volume);
    }

    #[test]
    fn without_a_driver_the_names_decide_or_nothing() {
        let named = |vendor, model| behind(&Clues { vendor: Some(vendor), model: Some(model), ..NOTHING });
        assert_eq!(named("DELL", "PERC H730P Mini"), Behind::Volume);
        assert_eq!(named("ATA", "ST1000DM003"), Behind::Medium);
        assert!(matches!(named("SEAGATE", "ST1200MM0099"), Behind::Unknown(_)));
        assert!(matches!(behind(&NOTHING), Behind::Unknown(_)));
    }

    #[test]
    fn boot_mirrors_pose_as_one_disk() {
        let boss = Clues { direct: true, ..on("ahci", 0, "ATA", "DELLBOSS VD") };
        assert_eq!(behind(&boss), Behind::Volume);
        let disk = Clues { direct: true, ..on("ahci", 0, "ATA", "MTFDDAV240TDU") };
        assert_eq!(behind(&disk), Behind::Medium);
        assert!(nvme_volume("Dell BOSS-N1"));
        assert!(nvme_volume("HPE NS204i-p Gen10+ Boot Controller"));
        assert!(!nvme_volume("SAMSUNG MZQL23T8HCLS-00A07"));
    }

    #[test]
    fn a_lun_is_not_taken_for_a_disk() {
        let lun = Clues { extended_name: true, ..on("qla2xxx", 0, "PURE", "FlashArray") };
        assert!(matches!(behind(&lun), Behind::Unknown(_)));
        let lun = Clues { extended_name: true, end_device: true, ..on("mpt3sas", 0, "DELL", "MD34xx") };
        assert!(matches!(behind(&lun), Behind::Unknown(_)));
    }
}
