//! What a disk is made of, how it is attached, and whether it is left out: decisions on facts already read.
//!
//! Pure. A decision that the facts do not allow is `Err` with the reason, never a likely answer.

use super::path::Bus;
use super::raid::Behind;
use super::vpd::Rotation;
use crate::inventory::{Media, Transport};

/// What is known of a disk for telling its transport and media. `None` where it could not be read.
#[derive(Debug, Clone)]
pub(crate) struct Disk<'a> {
    /// `None` if the device path could not be read.
    pub(crate) bus: Option<&'a Bus>,
    pub(crate) behind: &'a Behind,
    /// Driver of the SCSI host, lower case.
    pub(crate) driver: Option<&'a str>,
    pub(crate) vendor: Option<&'a str>,
    pub(crate) model: Option<&'a str>,
    /// `target_port_protocols` of the SAS end device.
    pub(crate) sas_protocols: Option<&'a str>,
    /// Protocol of the target port by VPD page 83h.
    pub(crate) port_protocol: Option<u8>,
    /// VPD page 89h is there: an ATA device behind a translation layer.
    pub(crate) ata_page: bool,
    /// The kernel's flag.
    pub(crate) rotational: Option<bool>,
    /// What the drive itself says.
    pub(crate) rotation: Option<Rotation>,
}

/// How the disk is attached.
pub(crate) fn transport(disk: &Disk<'_>) -> Result<Transport, String> {
    if *disk.behind == Behind::Volume {
        return Ok(Transport::Raid);
    }
    match disk.bus {
        Some(Bus::Ata) => return Ok(Transport::Sata),
        Some(Bus::Usb) => return Ok(Transport::Usb),
        Some(Bus::Virtio) => return Ok(Transport::Virtio),
        Some(Bus::Mmc) => return Ok(Transport::Mmc),
        Some(Bus::FibreChannel) => return Ok(Transport::Fc),
        Some(Bus::Iscsi) => return Ok(Transport::Iscsi),
        Some(Bus::Xen) => return Ok(Transport::Xen),
        Some(Bus::Ccw) => return Ok(Transport::Dasd),
        Some(Bus::NvdimmRegion(_)) => return Ok(Transport::Pmem),
        Some(Bus::Sas(_) | Bus::ScsiHost | Bus::Nvme(_) | Bus::NvmeSubsystem(_) | Bus::Virtual | Bus::Unknown) => {}
        None => return Err("the device path could not be read".to_owned()),
    }
    // Vendor names that translation layers give: SAT-4 section 8.1.2, NVMe SCSI Translation Reference 1.5 section 6.1.1.
    match disk.vendor.map(str::to_ascii_uppercase).as_deref() {
        Some("ATA") => return Ok(Transport::Sata),
        Some("NVME") => return Ok(Transport::Nvme),
        _ if disk.ata_page => return Ok(Transport::Sata),
        Some(_) => {}
        None => return Err("without the vendor name SAS and SATA cannot be told apart".to_owned()),
    }
    let protocols = disk.sas_protocols.unwrap_or_default();
    if protocols.contains("ssp") || matches!(disk.bus, Some(Bus::Sas(_))) {
        return if protocols.contains("sata") || protocols.contains("stp") {
            Ok(Transport::Sata)
        } else {
            Ok(Transport::Sas)
        };
    }
    match disk.port_protocol {
        Some(0) => return Ok(Transport::Fc),
        Some(5) => return Ok(Transport::Iscsi),
        Some(6) => return Ok(Transport::Sas),
        _ => {}
    }
    match disk.driver {
        // These attach SAS and SATA, and SATA would have said so.
        Some(
            "megaraid_sas" | "hpsa" | "smartpqi" | "aacraid" | "mpt2sas" | "mpt3sas" | "mptsas" | "mpi3mr" | "pm80xx"
            | "mvsas" | "isci",
        ) if *disk.behind == Behind::Medium => Ok(Transport::Sas),
        // Parallel SCSI, and the adapters that hypervisors make up.
        Some(
            "vmw_pvscsi" | "storvsc_host_t" | "ibmvscsi" | "xen-scsifront" | "mptspi" | "buslogic" | "sym53c8xx"
            | "aic7xxx" | "aic79xx" | "am53c974",
        ) => Ok(Transport::Scsi),
        Some(driver) => Err(format!("neither the device path nor the driver {driver} names a transport")),
        None => Err("the device path names no transport and the driver is not known".to_owned()),
    }
}

/// What the disk is made of, once its transport is told.
pub(crate) fn media(disk: &Disk<'_>, transport: Option<Transport>) -> Result<Media, String> {
    match disk.behind {
        Behind::Volume => return Ok(Media::Virtual),
        _ if virtual_disk(disk.vendor.unwrap_or_default(), disk.model.unwrap_or_default()) => {
            return Ok(Media::Virtual);
        }
        _ if matches!(transport, Some(Transport::Virtio | Transport::Xen | Transport::Dasd)) => {
            return Ok(Media::Virtual);
        }
        Behind::Unknown(why) => return Err(why.clone()),
        Behind::Medium => {}
    }
    match transport {
        Some(Transport::Virtio | Transport::Xen | Transport::Dasd | Transport::Raid) => Ok(Media::Virtual),
        Some(Transport::Mmc | Transport::Pmem) => Ok(Media::Ssd),
        Some(Transport::Fc | Transport::Iscsi | Transport::NvmeFabric) => {
            Err("a LUN of a storage network does not tell what it is made of".to_owned())
        }
        Some(Transport::Usb) => match (disk.rotation, disk.rotational) {
            (Some(Rotation::None), _) | (None, Some(false)) => Ok(Media::Ssd),
            (Some(Rotation::Rpm(_)), _) => Ok(Media::Hdd),
            _ => {
                Err("a USB bridge that does not report a rotation rate is taken for rotating by the kernel".to_owned())
            }
        },
        Some(Transport::Nvme) => match disk.rotational {
            Some(false) => Ok(Media::Ssd),
            // Rotational namespaces exist since NVMe 2.0 (Endurance Group attribute).
            Some(true) => Ok(Media::Hdd),
            None => Err("queue/rotational could not be read".to_owned()),
        },
        Some(Transport::Sata | Transport::Sas) => match (disk.rotation, disk.rotational) {
            (Some(Rotation::None), Some(false) | None) | (None, Some(false)) => Ok(Media::Ssd),
            (Some(Rotation::Rpm(_)), Some(true) | None) | (None, Some(true)) => Ok(Media::Hdd),
            (Some(Rotation::NotReported), _) => Err("the drive does not report its rotation rate".to_owned()),
            (Some(Rotation::Reserved(rate)), _) => {
                Err(format!("the drive reports the reserved rotation rate {rate:#06x}"))
            }
            (Some(_), Some(kernel)) => {
                Err(format!("the drive's rotation rate contradicts the kernel's rotational={}", u8::from(kernel)))
            }
            (None, None) => Err("queue/rotational could not be read".to_owned()),
        },
        Some(Transport::Scsi) | None => {
            Err("without a known transport the kernel's rotational flag says nothing".to_owned())
        }
    }
}

/// Disks that hypervisors, storage targets and test drivers make up, by vendor and model of INQUIRY or model of NVMe.
pub(crate) fn virtual_disk(vendor: &str, model: &str) -> bool {
    let (vendor, model) = (vendor.to_ascii_uppercase(), model.to_ascii_uppercase());
    let vendors = ["QEMU", "VMWARE", "VMWARE,", "VBOX", "NUTANIX", "LIO-ORG", "IET", "XEN", "GOOGLE"];
    let models = [
        "QEMU ",
        "VBOX ",
        "VMWARE ",
        "VIRTUAL DISK",
        "VIRTUAL HDD",
        "AMAZON ELASTIC BLOCK STORE",
        "AMAZON EC2 NVME",
        "NVME_CARD",
        "PERSISTENTDISK",
        "EPHEMERALDISK",
        "MICROSOFT NVME DIRECT DISK",
        "MSFT NVME ACCELERATOR",
        "ORACLE BLOCKVOLUME",
        "SCSI_DEBUG",
    ];
    vendors.contains(&vendor.as_str()) || models.iter().any(|start| model.starts_with(start))
}

/// Media that a management controller presents over USB, by vendor and model of INQUIRY.
pub(crate) fn virtual_media(vendor: &str, model: &str) -> bool {
    let (vendor, model) = (vendor.to_ascii_uppercase(), model.to_ascii_uppercase().replace('_', " "));
    // iLO's "Internal SD-CARD" is a real card behind the controller.
    let ilo = vendor.contains("ILO") && !model.contains("SD-CARD");
    let gadget = vendor == "LINUX" && (model.contains("FILE-STOR GADGET") || model.contains("FILE-CD GADGET"));
    let mapped = model.contains("KVM-MAPPED") || model.contains("CIMC-MAPPED");
    vendor == "IDRAC" || ilo || gadget || mapped || model.starts_with("VIRTUAL")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MEDIUM: Disk<'_> = Disk {
        bus: None,
        behind: &Behind::Medium,
        driver: None,
        vendor: None,
        model: None,
        sas_protocols: None,
        port_protocol: None,
        ata_page: false,
        rotational: None,
        rotation: None,
    };

    fn on<'a>(bus: &'a Bus, driver: &'a str, vendor: &'a str) -> Disk<'a> {
        Disk { bus: Some(bus), driver: Some(driver), vendor: Some(vendor), ..MEDIUM }
    }

    #[test]
    fn the_path_or_the_vendor_tells_the_transport() {
        let end_device = Bus::Sas("end_device-0:0".into());
        assert_eq!(transport(&on(&Bus::Ata, "ahci", "ATA")), Ok(Transport::Sata));
        assert_eq!(transport(&on(&end_device, "mpt3sas", "ATA")), Ok(Transport::Sata));
        assert_eq!(transport(&on(&end_device, "mpt3sas", "HGST")), Ok(Transport::Sas));
        assert_eq!(transport(&on(&Bus::ScsiHost, "megaraid_sas", "SEAGATE")), Ok(Transport::Sas));
        assert_eq!(transport(&on(&Bus::ScsiHost, "megaraid_sas", "ATA")), Ok(Transport::Sata));
        assert_eq!(transport(&on(&Bus::ScsiHost, "megaraid_sas", "NVMe")), Ok(Transport::Nvme));
        assert_eq!(transport(&on(&Bus::ScsiHost, "vmw_pvscsi", "VMware")), Ok(Transport::Scsi));
        assert_eq!(transport(&on(&Bus::Usb, "uas", "ATA")), Ok(Transport::Usb));
        assert!(transport(&on(&Bus::ScsiHost, "scsi_debug", "Linux")).is_err());
        assert!(transport(&Disk { vendor: None, ..on(&end_device, "mpt3sas", "") }).is_err());
        assert!(transport(&MEDIUM).is_err());
    }

    #[test]
    fn a_drive_that_speaks_ata_behind_another_name_is_sata() {
        let end_device = Bus::Sas("end_device-0:0".into());
        let disk = Disk { sas_protocols: Some("sata"), ..on(&end_device, "mpt3sas", "HP") };
        assert_eq!(transport(&disk), Ok(Transport::Sata));
        let disk = Disk { ata_page: true, ..on(&Bus::ScsiHost, "arcmsr", "HP") };
        assert_eq!(transport(&disk), Ok(Transport::Sata));
    }

    #[test]
    fn a_volume_is_virtual_and_raid() {
        let volume =
            Disk { behind: &Behind::Volume, rotational: Some(true), ..on(&Bus::ScsiHost, "megaraid_sas", "DELL") };
        assert_eq!(transport(&volume), Ok(Transport::Raid));
        assert_eq!(media(&volume, Some(Transport::Raid)), Ok(Media::Virtual));
    }

    #[test]
    fn the_rotational_flag_is_believed_where_it_means_something() {
        let disk = |rotational, rotation| Disk { rotational, rotation, ..MEDIUM };
        let sata = Some(Transport::Sata);
        assert_eq!(media(&disk(Some(true), None), sata), Ok(Media::Hdd));
        assert_eq!(media(&disk(Some(false), None), sata), Ok(Media::Ssd));
        assert_eq!(media(&disk(Some(true), Some(Rotation::Rpm(7200))), sata), Ok(Media::Hdd));
        assert!(media(&disk(Some(true), Some(Rotation::NotReported)), sata).is_err());
        assert!(media(&disk(Some(true), Some(Rotation::None)), sata).is_err());
        assert!(media(&disk(None, None), sata).is_err());
        assert!(media(&disk(Some(true), None), Some(Transport::Usb)).is_err());
        assert_eq!(media(&disk(Some(false), None), Some(Transport::Usb)), Ok(Media::Ssd));
        assert_eq!(media(&disk(Some(true), None), Some(Transport::Virtio)), Ok(Media::Virtual));
        assert!(media(&disk(Some(false), None), Some(Transport::Iscsi)).is_err());
        assert!(media(&disk(Some(false), None), None).is_err());
        assert_eq!(media(&disk(Some(false), None), Some(Transport::Nvme)), Ok(Media::Ssd));
    }

    #[test]
    fn disks_that_are_made_up_are_known_by_name() {
        for (vendor, model) in [
            ("QEMU", "QEMU HARDDISK"),
            ("ATA", "QEMU HARDDISK"),
            ("ATA", "VBOX HARDDISK"),
            ("VMware", "Virtual disk"),
            ("Msft", "Virtual Disk"),
            ("", "Amazon Elastic Block Store"),
            ("Linux", "scsi_debug"),
            ("", "QEMU NVMe Ctrl"),
        ] {
            assert!(virtual_disk(vendor, model), "{vendor} {model}");
        }
        assert!(!virtual_disk("ATA", "SAMSUNG MZ7LM1T9"));
        assert!(!virtual_disk("SEAGATE", "ST1200MM0099"));
    }

    #[test]
    fn media_of_a_management_controller_are_known_by_name() {
        for (vendor, model) in [
            ("iDRAC", "Virtual Floppy"),
            ("iDRAC", "LCDRIVE"),
            ("HP iLO", "LUN 00 Media 0"),
            ("AMI", "Virtual CDROM0"),
            ("ATEN", "Virtual CDROM"),
            ("Linux", "File-Stor Gadget"),
            ("CiscoVD", "KVM-Mapped vHDD"),
        ] {
            assert!(virtual_media(vendor, model), "{vendor} {model}");
        }
        for (vendor, model) in [("HP iLO", "Internal SD-CARD"), ("Kingston", "DT microDuo 3C"), ("DELL", "IDSDM")] {
            assert!(!virtual_media(vendor, model), "{vendor} {model}");
        }
    }
}
