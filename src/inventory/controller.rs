//! Storage controllers, their ports, and what hangs on them.

use super::raid::RaidController;
use crate::reading::{Collection, Reading};
use crate::units::BitsPerSec;

record! {
    /// One storage controller: a PCI function of base class 01h, sub-class 0805h (SD host) or 0C04h (Fibre Channel), or a SCSI host that is
    /// on no such function (USB, iSCSI, paravirtual, on the chip).
    pub struct StorageController {
        /// Address of the PCI function, or the name of the SCSI host, as in "host6".
        pub name: Reading<String>,
        /// What it is, by driver and PCI class.
        pub kind: Reading<ControllerKind>,
        /// PCI function, or the one it hangs on, as a USB host controller; absent where there is none.
        pub pci_address: Reading<String>,
        /// Driver of the PCI function, else `proc_name` of the SCSI host; absent if none is bound.
        pub driver: Reading<String>,
        /// Maker by the PCI ID Repository; absent without PCI.
        pub vendor: Reading<String>,
        /// Model: what the controller calls itself where its driver passes that on (`board_name`, `model`, `modelname`), else
        /// the subsystem or device by the PCI ID Repository; absent without PCI.
        pub model: Reading<String>,
        /// Firmware that runs on it (`version_fw`, `firmware_version`, `firmware_revision`, `fw_version`, `fwrev`,
        /// `hba_kernel_version`; `firmware_rev` of NVMe). Absent for kinds whose driver has none to tell (AHCI, virtio);
        /// unreadable where the driver keeps it to its own tool, as megaraid_sas does.
        pub firmware: Reading<String>,
        /// Option ROM or boot firmware (`version_bios`, `hba_bios_version`, `option_rom_version`). As `firmware`.
        pub boot_firmware: Reading<String>,
        /// Serial number (`board_tracer`, `serial_number`, `serial_num`, `serialnum`; `serial` of NVMe). As `firmware`.
        pub serial: Reading<String>,
        /// Whether disks come through as they are or as volumes. By PCI class for AHCI (what the firmware's setup chose);
        /// else by the disks that hang on it. Absent for kinds that have no such choice; unreadable without a disk.
        pub mode: Reading<ControllerMode>,
        /// How commands are handed over, "simple" or "performant"; hpsa alone has it, absent for others. `transport_mode`.
        pub transport_mode: Reading<String>,
        /// SSD Smart Path is on; hpsa alone has it, absent for others. `hp_ssd_smart_path_status`.
        pub ssd_smart_path: Reading<bool>,
        /// NUMA node of its PCI function; absent where the platform says none, and without PCI.
        pub numa_node: Reading<u64>,
        /// Its SCSI hosts; none for NVMe and virtio-blk.
        pub hosts: Collection<ScsiHost>,
        /// Block devices and SCSI devices that hang on it, enclosures and tapes among them.
        pub attached: Collection<Attached>,
        /// Its own ports and those of the expanders behind it, as far as the kernel shows them.
        pub ports: Collection<StoragePort>,
        /// SAS expanders behind it.
        pub expanders: Collection<SasExpander>,
        /// What its maker's tool tells of it.
        pub raid: RaidController,
    }
}

words! {
    /// What a storage controller is.
    pub enum ControllerKind {
        /// SATA by AHCI.
        Ahci = "ahci",
        /// SATA or parallel ATA by another interface.
        Ata = "ata",
        /// NVMe.
        Nvme = "nvme",
        /// SAS without RAID firmware of its own, or with little (mpt3sas).
        SasHba = "sas-hba",
        /// With RAID firmware, whatever its mode.
        Raid = "raid",
        /// Volume Management Device: a domain of root ports with NVMe behind.
        Vmd = "vmd",
        /// Fibre Channel.
        Fc = "fc",
        /// Parallel SCSI, or SCSI of a kind that its driver does not tell.
        Scsi = "scsi",
        /// iSCSI, in software or on an adapter.
        Iscsi = "iscsi",
        /// virtio-blk or virtio-scsi.
        Virtio = "virtio",
        /// Paravirtual SCSI of VMware.
        Pvscsi = "pvscsi",
        /// Paravirtual SCSI of Hyper-V.
        Hyperv = "hyperv",
        /// Paravirtual SCSI of Xen.
        Xen = "xen",
        /// SD cards and eMMC.
        Mmc = "mmc",
        /// USB mass storage.
        Usb = "usb",
        /// Another.
        Other = "other",
    }
}

words! {
    /// How disks come through.
    pub enum ControllerMode {
        /// As they are.
        Hba = "hba",
        /// As volumes of the controller; for AHCI: the firmware's setup is set to RAID.
        Raid = "raid",
        /// Both.
        Mixed = "mixed",
    }
}

record! {
    /// One SCSI host (`/sys/class/scsi_host/*`).
    pub struct ScsiHost {
        /// The kernel's name, as in "host0".
        pub name: Reading<String>,
        /// Name that the driver gives. `proc_name`; absent if it is empty or "(null)".
        pub proc_name: Reading<String>,
        /// Most commands outstanding. `can_queue`.
        pub can_queue: Reading<u64>,
        /// Most commands outstanding of one device, as the driver begins. `cmd_per_lun`.
        pub cmd_per_lun: Reading<u64>,
        /// State, as in "running". `state`.
        pub state: Reading<String>,
    }
}

record! {
    /// What hangs on a controller: a disk, a namespace, an enclosure.
    pub struct Attached {
        /// The kernel's name of the block device; absent for what is none. A hidden path of NVMe multipath bears the name of the
        /// shared device.
        pub block_device: Reading<String>,
        /// SCSI address, as in "0:2:1:0"; absent for what is not SCSI.
        pub scsi_address: Reading<String>,
        /// Peripheral device type (SPC-6 section 6.7.2): 0 disk, 1 tape, 5 optical, 12 controller, 13 enclosure. `type`; absent
        /// for what is not SCSI.
        pub scsi_type: Reading<u64>,
        /// It is a volume of the controller and not one medium. By `raid_level` (hpsa, smartpqi, aacraid), `/sys/class/raid_devices`
        /// (mpt2sas, mpt3sas, mptsas), or channel 2 and up (megaraid_sas, `MEGASAS_IS_LOGICAL`).
        pub volume: Reading<bool>,
        /// RAID level as the driver words it; absent for what is no volume.
        pub raid_level: Reading<String>,
        /// SAS expander that it hangs behind, by the kernel's name, as in "expander-0:0"; absent for what is attached to the controller itself, and for
        /// what is no SAS end device. From its path in sysfs.
        pub expander: Reading<String>,
        /// Phy of that expander, or of the controller, that it is attached to. `phy_identifier` of `/sys/class/sas_device/end_device-*`; absent as
        /// `sas_address`.
        pub phy: Reading<u64>,
        /// SAS address, lower-case hexadecimal without "0x"; of SATA that of the expander's or controller's phy. `sas_address` of
        /// `/sys/class/sas_device/end_device-*`; absent for what is no SAS end device.
        pub sas_address: Reading<String>,
        /// Logical identifier of the enclosure that it sits in, lower-case hexadecimal without "0x"; absent if 0, and as `sas_address`.
        /// `enclosure_identifier` of `/sys/class/sas_device/end_device-*`.
        pub enclosure: Reading<String>,
        /// Bay of that enclosure. `bay_identifier` of `/sys/class/sas_device/end_device-*`; absent as `sas_address`.
        pub bay: Reading<u64>,
    }
}

record! {
    /// One port: a SAS phy, a SATA link, a Fibre Channel port.
    pub struct StoragePort {
        /// The kernel's name, as in "phy-0:3", "phy-0:0:12" (of an expander), "link1", "host5".
        pub name: Reading<String>,
        /// What it is.
        pub kind: Reading<PortKind>,
        /// Expander that it belongs to; absent for a port of the controller itself.
        pub expander: Reading<String>,
        /// Whether a link is up.
        pub state: Reading<PortState>,
        /// Rate of the link; absent if none is up. `negotiated_linkrate`, `sata_spd`, `speed`.
        pub negotiated: Reading<BitsPerSec>,
        /// Highest rate that the port can do, or is held to. `maximum_linkrate`, `hw_sata_spd_limit`, the highest of
        /// `supported_speeds`.
        pub maximum: Reading<BitsPerSec>,
        /// Highest rate that a SAS phy can do by its hardware; absent for other ports. `maximum_linkrate_hw`.
        pub hardware_maximum: Reading<BitsPerSec>,
        /// Lowest rate that a SAS phy is held to; absent for other ports. `minimum_linkrate`.
        pub minimum: Reading<BitsPerSec>,
        /// A SAS phy is switched on; absent for other ports. `enable`.
        pub enabled: Reading<bool>,
        /// Address of the port itself: SAS address or port name, lower-case hexadecimal without "0x"; absent for SATA.
        pub address: Reading<String>,
        /// Dwords received outside of a phy reset that were invalid, since the phy was powered on (SPL, REPORT PHY ERROR LOG). Absent but for SAS. `invalid_dword_count`.
        pub invalid_dword_count: Reading<u64>,
        /// Dwords received outside of a phy reset with a running disparity error. Absent but for SAS. `running_disparity_error_count`.
        pub running_disparity_error_count: Reading<u64>,
        /// Times that the link lost dword synchronisation and was reset. Absent but for SAS. `loss_of_dword_sync_count`.
        pub loss_of_dword_sync_count: Reading<u64>,
        /// Phy resets that failed. Absent but for SAS. `phy_reset_problem_count`.
        pub phy_reset_problem_count: Reading<u64>,
    }
}

words! {
    /// What a port is.
    pub enum PortKind {
        /// SAS phy.
        Sas = "sas",
        /// SATA link.
        Sata = "sata",
        /// Fibre Channel port.
        Fc = "fc",
    }
}

words! {
    /// Whether a link is up.
    pub enum PortState {
        /// A link is up.
        Up = "up",
        /// None is: nothing is attached, or it does not answer.
        Down = "down",
        /// Switched off.
        Disabled = "disabled",
        /// Something is attached and no link came up.
        Failed = "failed",
    }
}

record! {
    /// One SAS expander (`/sys/class/sas_expander/*`).
    pub struct SasExpander {
        /// The kernel's name, as in "expander-0:0".
        pub name: Reading<String>,
        /// Vendor. `vendor_id`.
        pub vendor: Reading<String>,
        /// Product. `product_id`.
        pub product: Reading<String>,
        /// Revision of the product, its firmware as a rule. `product_rev`.
        pub revision: Reading<String>,
        /// Steps from the host's port, 1 for one that is attached to it. `level`.
        pub level: Reading<u64>,
        /// SAS address, lower-case hexadecimal without "0x". `/sys/class/sas_device/*/sas_address`.
        pub address: Reading<String>,
    }
}
