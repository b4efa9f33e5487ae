//! The typed whole of one node: raw readings only, `muster.inventory/v1`.
//!
//! Knows what can be told of a machine and where it is read; knows neither how it is read nor whether it is good.
//! Every doc comment here is shown in `docs/facts.md`.

pub mod bmc;
pub mod controller;
pub mod dcb;
pub mod edac;
pub mod enclosure;
pub mod ethtool;
pub mod health;
pub mod hidden;
pub mod pci;
pub mod raid;

use crate::reading::{Collection, ReadError, Reading};
use crate::units::{Bytes, Hertz};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub mod nic;
pub mod nvme;
pub mod platform;
pub mod rdma;
pub mod signature;
pub mod smbios;
pub mod tuning;

/// The schema tag of this version.
pub const SCHEMA: &str = "muster.inventory/v1";

/// One node as it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Inventory {
    /// `muster.inventory/v1`.
    pub schema: String,
    /// Version of the passmuster that read the machine.
    pub version: String,
    /// The machine's wall clock when it was read, RFC 3339 in UTC.
    pub collected_at: Reading<String>,
    /// The facts.
    pub node: Node,
    /// Where values were read; records point here by index.
    pub sources: Vec<String>,
    /// Questions that were not answered; `unreadable` and `partial` point here by index.
    pub errors: Vec<ReadError>,
}

record! {
    /// One machine.
    pub struct Node {
        /// Host name. `/proc/sys/kernel/hostname`.
        pub hostname: Reading<String>,
        /// The user that asked is root. `/proc/self/status`, `Uid`, effective.
        pub root: Reading<bool>,
        /// Vendor, model, serial, firmware.
        pub system: System,
        /// Operating system and kernel.
        pub os: Os,
        /// Processors.
        pub cpu: Cpu,
        /// Memory as the kernel has it.
        pub memory: Memory,
        /// The clock and what keeps it right.
        pub time: platform::Time,
        /// Secure Boot, kernel lockdown and TPM.
        pub security: platform::Security,
        /// The management controller of the board.
        pub bmc: bmc::Bmc,
        /// Processor sockets as the firmware has them, populated or not.
        pub processor_sockets: Collection<smbios::ProcessorSocket>,
        /// Memory arrays as the firmware has them.
        pub memory_arrays: Collection<smbios::MemoryArray>,
        /// Memory slots as the firmware has them, populated or empty.
        pub dimms: Collection<smbios::Dimm>,
        /// Memory controllers whose errors the kernel counts (EDAC); none if it has no driver for them, and then nobody counts.
        pub memory_controllers: Collection<edac::MemoryController>,
        /// Settings of the kernel and the firmware.
        pub tuning: tuning::Tuning,
        /// NUMA nodes that exist, with or without memory and CPUs.
        pub numa_nodes: Collection<NumaNode>,
        /// Physical media, one element a drive, whatever the number of namespaces and paths.
        pub drives: Collection<Drive>,
        /// Drives behind RAID controllers, which the kernel does not show as block devices. Those that no tool shows are missing: the collection of
        /// drives is partial then, and so is this one.
        pub hidden_drives: Collection<hidden::HiddenDrive>,
        /// NVMe controllers.
        pub nvme_controllers: Collection<NvmeController>,
        /// Every block device of the kernel that is looked at: disks, namespaces, partitions and what is stacked on them.
        pub block_devices: Collection<BlockDevice>,
        /// Block devices that are left out, each with the reason.
        pub excluded: Collection<Excluded>,
        /// Network interfaces of the kernel, virtual ones too.
        pub nics: Collection<nic::Nic>,
        /// Bonds of network interfaces.
        pub bonds: Collection<nic::Bond>,
        /// LLDP agents of the operating system that run: "lldpd", "lldpad". By their process files in `/run` and `/proc/*/comm`. Agents in the firmware
        /// of adapters are none of these.
        pub lldp_agents: Reading<Vec<String>>,
        /// What neighbours announce by LLDP, as the agent that runs heard it (`lldpcli`, `lldptool`); unreadable if none runs.
        pub lldp_neighbours: Collection<dcb::LldpNeighbour>,
        /// RDMA devices that the kernel has registered.
        pub rdma_devices: Collection<rdma::RdmaDevice>,
        /// Every PCI function. `/sys/bus/pci/devices`.
        pub pci_functions: Collection<pci::PciFunction>,
        /// Every PCI Express link with a device below it.
        pub pci_links: Collection<pci::PciLink>,
        /// Storage controllers.
        pub storage_controllers: Collection<controller::StorageController>,
        /// Volumes of RAID controllers, as the makers' tools tell of them.
        pub raid_volumes: Collection<raid::RaidVolume>,
        /// Enclosures of SCSI Enclosure Services.
        pub enclosures: Collection<enclosure::Enclosure>,
        /// Physical slots of PCI.
        pub pci_slots: Collection<enclosure::PciSlot>,
    }
}

record! {
    /// What the firmware says the machine is: SMBIOS types 0 to 3 through `/sys/class/dmi/id`, where the kernel has a file
    /// for each string that is filled. A placeholder is not an identity: "To Be Filled By O.E.M.", "Default string",
    /// "0123456789", one character over and over, a UUID of zeros or ones and the like are absent. What no file tells, and what the
    /// user may not read, is taken from `/sys/firmware/dmi/tables/DMI`; where both tell and differ, the fact is unreadable ("conflict").
    pub struct System {
        /// Maker of the system. `sys_vendor`; without SMBIOS `Manufacturer` of `/proc/sysinfo` (s390).
        pub vendor: Reading<String>,
        /// Model of the system. `product_name`; without SMBIOS `/proc/device-tree/model` (arm, ppc64), or `Type` of `/proc/sysinfo` (s390).
        pub product: Reading<String>,
        /// Version of the product. `product_version`.
        pub product_version: Reading<String>,
        /// Family of the product. `product_family`.
        pub family: Reading<String>,
        /// Stock keeping unit. `product_sku`.
        pub sku: Reading<String>,
        /// Serial number. `product_serial`, readable by root; without SMBIOS `/proc/device-tree/serial-number` or `system-id`, or `Sequence Code` of `/proc/sysinfo`.
        pub serial: Reading<String>,
        /// UUID, in lower case. `product_uuid`, readable by root.
        pub uuid: Reading<String>,
        /// Maker of the main board. `board_vendor`.
        pub board_vendor: Reading<String>,
        /// Model of the main board. `board_name`.
        pub board_product: Reading<String>,
        /// Serial number of the main board. `board_serial`, readable by root.
        pub board_serial: Reading<String>,
        /// Chassis type, the number of SMBIOS 3.7.0 section 7.4.1. `chassis_type`.
        pub chassis_type: Reading<u64>,
        /// Maker of the firmware. `bios_vendor`.
        pub bios_vendor: Reading<String>,
        /// Version of the firmware. `bios_version`.
        pub bios_version: Reading<String>,
        /// Date of the firmware as written there, month/day/year. `bios_date`.
        pub bios_date: Reading<String>,
        /// Release of the firmware, major and minor in decimal, as in "2.14". `bios_release`, since Linux 5.8; else offsets 14h and 15h of SMBIOS type 0.
        pub bios_release: Reading<String>,
        /// Firmware interface that the kernel was started by: EFI if `/sys/firmware/efi` exists; unreadable if `/sys/firmware` is empty, as in a container.
        pub firmware_interface: Reading<FirmwareInterface>,
        /// Hypervisor below: "kvm", "qemu", "vmware", "virtualbox", "xen", "hyper-v", "amazon", "google", "parallels", "bhyve",
        /// "bochs", "apple", "zvm", "powervm", "pr/sm"; absent on bare metal; unreadable if the CPU says that there is one and
        /// nothing names it. `/sys/hypervisor/type`, SMBIOS names, clock sources, `/proc/device-tree/hypervisor`,
        /// `/proc/cpuinfo` (ppc64), `/proc/sysinfo` (s390).
        pub hypervisor: Reading<String>,
        /// Whether the system is a virtual machine: also by the `hypervisor` flag of `/proc/cpuinfo` (x86). The privileged
        /// domain of Xen and a partition of s390 (PR/SM) are not, an LPAR of PowerVM is. That it is not needs evidence: on
        /// x86 that the flag is not set, on arm64 that SMBIOS names a machine and KVM can run; elsewhere it is unreadable.
        pub virtual_machine: Reading<bool>,
    }
}

words! {
    /// How the kernel was started.
    pub enum FirmwareInterface {
        /// UEFI.
        Uefi = "uefi",
        /// PC BIOS, or another that is not EFI.
        Bios = "bios",
    }
}

record! {
    /// Operating system and kernel.
    pub struct Os {
        /// `ID` of os-release, as in "debian". `/etc/os-release`, else `/usr/lib/os-release`.
        pub id: Reading<String>,
        /// `VERSION_ID` of os-release.
        pub version_id: Reading<String>,
        /// `PRETTY_NAME` of os-release.
        pub pretty_name: Reading<String>,
        /// Kernel release. `/proc/sys/kernel/osrelease`.
        pub kernel_release: Reading<String>,
        /// Kernel build. `/proc/version`.
        pub kernel_version: Reading<String>,
        /// Machine architecture, as in "x86_64" (`uname -m`). `/proc/sys/kernel/arch`, since Linux 6.1; else `uname -m`; else the end of the kernel release.
        pub architecture: Reading<String>,
        /// Kernel command line. `/proc/cmdline`.
        pub command_line: Reading<String>,
        /// Kernel taint bits, 0 for none (Documentation/admin-guide/tainted-kernels.rst). `/proc/sys/kernel/tainted`.
        pub tainted: Reading<u64>,
        /// Time since the kernel started. `/proc/uptime`.
        pub uptime: Reading<crate::units::Seconds>,
        /// The node was booted from a live image, not from an installation: the command line asks for one, or the root file
        /// system is the initial RAM disk or the medium. Unreadable for an overlay, a tmpfs or a compressed image that the
        /// command line does not explain: containers, diskless nodes and appliances have such roots too.
        /// `/proc/self/mountinfo`, `/proc/cmdline`.
        pub live_image: Reading<bool>,
        /// Kernel state of transparent huge pages, the selected word. `/sys/kernel/mm/transparent_hugepage/enabled`.
        pub transparent_hugepage: Reading<String>,
        /// Preference of the kernel to swap, 0 to 200. `/proc/sys/vm/swappiness`.
        pub swappiness: Reading<u64>,
        /// Bytes of swap space in use as such. `/proc/meminfo`, `SwapTotal`.
        pub swap: Reading<Bytes>,
    }
}

record! {
    /// All processors together, and each package.
    pub struct Cpu {
        /// Processor packages with at least one online CPU. Distinct `topology/physical_package_id` of the online CPUs; on
        /// s390, where these are numbered within a book, distinct `topology/core_siblings` sets. Unreadable where the kernel
        /// gives -1 (sparc64, ppc64 LPARs). arm64 kernels before 4.18 give clusters instead.
        pub sockets: Reading<u64>,
        /// Physical cores online. Distinct `topology/thread_siblings_list` sets of the online CPUs, whatever the packages:
        /// `topology/core_id` is unique neither in a package nor, on some kernels, among the dies of one.
        pub cores: Reading<u64>,
        /// Logical CPUs online, of the whole machine: a cpuset or an affinity of the process does not lessen them.
        /// `/sys/devices/system/cpu/online`, else the CPUs that `/proc/cpuinfo` lists.
        pub threads: Reading<u64>,
        /// Logical CPUs present, online or not. `/sys/devices/system/cpu/present`.
        pub threads_present: Reading<u64>,
        /// Logical CPUs present and offline: present less online. The kernel's file `offline` lists CPUs that are not present too.
        pub threads_offline: Reading<u64>,
        /// Simultaneous multithreading is on. `/sys/devices/system/cpu/smt/active` (since Linux 4.19), else more threads than cores.
        pub smt_active: Reading<bool>,
        /// Distinct model names of the online CPUs, sorted; as `model` of the packages, and known where the packages are not.
        pub models: Reading<Vec<String>>,
        /// Frequency governors in use, distinct and sorted; absent without a frequency driver. `cpufreq/scaling_governor` of each online CPU.
        pub governors: Reading<Vec<String>>,
        /// Vulnerabilities that the kernel names and says are not mitigated ("Vulnerable...", "Processor vulnerable",
        /// "KVM: Vulnerable"), sorted; those that it calls unknown are not among them. `/sys/devices/system/cpu/vulnerabilities`, since Linux 4.15.
        pub vulnerable: Reading<Vec<String>>,
        /// Distinct microcode revisions of the online CPUs, sorted; absent but on x86. `/proc/cpuinfo`, `microcode`, else `cpu*/microcode/version`.
        pub microcode_revisions: Reading<Vec<String>>,
        /// Times that a core was slowed down for heat since the kernel started, the most of all cores; absent where the kernel does not count (AMD, virtual
        /// machines). `cpu*/thermal_throttle/core_throttle_count`.
        pub core_throttles: Reading<u64>,
        /// The same of packages. `cpu*/thermal_throttle/package_throttle_count`.
        pub package_throttles: Reading<u64>,
        /// Each package with at least one online CPU.
        pub packages: Collection<Package>,
        /// Caches of the online CPUs: each once, however many CPUs share it, and equal ones put together.
        pub caches: Collection<Cache>,
    }
}

record! {
    /// One processor package. What its CPUs say differently is unreadable ("conflict").
    pub struct Package {
        /// The kernel's number; on s390 unique only within a book. `topology/physical_package_id`.
        pub id: Reading<u64>,
        /// Maker, as the CPU says it: "GenuineIntel", or the implementer's number "0x41" on arm; absent on ppc64 and loongarch. `/proc/cpuinfo`, `vendor_id`, `vendor` (ia64) or `CPU implementer`.
        pub vendor: Reading<String>,
        /// Model name; on s390 the machine type; absent on arm64. `/proc/cpuinfo`, `model name`, `Model Name` (loongarch), `cpu` (ppc64, sparc64), `Processor` (arm32) or `machine` (s390).
        pub model: Reading<String>,
        /// Family in decimal, x86 only. `/proc/cpuinfo`, `cpu family`.
        pub family: Reading<u64>,
        /// Model number in decimal, x86 only. `/proc/cpuinfo`, `model`.
        pub model_number: Reading<u64>,
        /// Stepping, x86 only. `/proc/cpuinfo`, `stepping`.
        pub stepping: Reading<u64>,
        /// Distinct part numbers of the cores, as in "0xd0c", sorted; arm only. `/proc/cpuinfo`, `CPU part`.
        pub parts: Reading<Vec<String>>,
        /// Microcode revision, as in "0x2007006", x86 only. `/proc/cpuinfo`, `microcode`, else `cpu*/microcode/version`.
        pub microcode: Reading<String>,
        /// Physical cores online in this package.
        pub cores: Reading<u64>,
        /// Logical CPUs online in this package.
        pub threads: Reading<u64>,
        /// Feature flags, sorted. `/proc/cpuinfo`, `flags`, `Features` or `features`.
        pub flags: Reading<Vec<String>>,
        /// Highest clock that the frequency driver allows any of its CPUs; absent without a driver. `cpufreq/cpuinfo_max_freq`.
        pub max_clock: Reading<Hertz>,
        /// Lowest clock that the frequency driver allows any of its CPUs; absent without a driver. `cpufreq/cpuinfo_min_freq`.
        pub min_clock: Reading<Hertz>,
        /// Clock without turbo, of the slowest of its CPUs. `cpufreq/base_frequency` (intel_pstate), else
        /// `acpi_cppc/nominal_freq`, else the figure in the model name.
        pub base_clock: Reading<Hertz>,
    }
}

record! {
    /// Equal caches: of one level, kind and size, each shared by as many CPUs.
    pub struct Cache {
        /// Level, 1 next to the core. `cache/index*/level`.
        pub level: Reading<u64>,
        /// What it holds. `cache/index*/type`.
        pub kind: Reading<CacheKind>,
        /// Size of each. `cache/index*/size`.
        pub bytes: Reading<Bytes>,
        /// Logical CPUs online that share each. `cache/index*/shared_cpu_list`, else `shared_cpu_map`.
        pub cpus: Reading<u64>,
        /// How many there are in the machine. Distinct `cache/index*/shared_cpu_list` sets of the online CPUs.
        pub count: Reading<u64>,
    }
}

words! {
    /// What a cache holds.
    pub enum CacheKind {
        /// Data.
        Data = "data",
        /// Instructions.
        Instruction = "instruction",
        /// Both.
        Unified = "unified",
    }
}

record! {
    /// Memory as the kernel has it.
    pub struct Memory {
        /// Memory that the kernel manages: less than what is installed, by what firmware and kernel keep. `/proc/meminfo`, `MemTotal`.
        pub total: Reading<Bytes>,
        /// Memory that can be given out without swapping, when it was read. `/proc/meminfo`, `MemAvailable`.
        pub available: Reading<Bytes>,
        /// Online memory blocks times block size: what firmware gave the kernel. `/sys/devices/system/memory/block_size_bytes` and `memory*/state`.
        pub online: Reading<Bytes>,
        /// Memory blocks that are offline, times block size. `/sys/devices/system/memory/memory*/state`.
        pub offline: Reading<Bytes>,
        /// Memory the hardware found broken. `/proc/meminfo`, `HardwareCorrupted`.
        pub hardware_corrupted: Reading<Bytes>,
        /// Reserved for huge pages of the default size. `/proc/meminfo`, `HugePages_Total` times `Hugepagesize`.
        pub hugepages: Reading<Bytes>,
    }
}

record! {
    /// One NUMA node.
    pub struct NumaNode {
        /// The kernel's number. `/sys/devices/system/node/node*`.
        pub id: Reading<u64>,
        /// Its logical CPUs, as the kernel lists them; empty for a node without CPUs. `cpulist`, else from `cpumap`.
        pub cpu_list: Reading<String>,
        /// Number of its logical CPUs that are online.
        pub cpus: Reading<u64>,
        /// Its memory; 0 for a node without. `meminfo`, `MemTotal`.
        pub memory: Reading<Bytes>,
        /// Distance to each node that is online, in the order of their numbers; 10 is local (ACPI SLIT). `distance`. Unreadable
        /// if it has not as many figures as there are nodes.
        pub distances: Reading<Vec<u64>>,
    }
}

record! {
    /// One physical medium: a dual-port or multi-namespace NVMe drive once, paths of SCSI once. Volumes of RAID controllers are listed
    /// with transport `raid`; the collection is then partial, for their media are hidden. A region of persistent memory counts as one.
    /// Its identity is `id`; `name` is only where it was seen.
    pub struct Drive {
        /// The kernel's name of its first block device, as in "sda" or "nvme0n1"; of a controller without namespaces, "nvme0".
        pub name: Reading<String>,
        /// Stable identity: "wwn:...", "nguid:...", "eui64:..." or "serial:MODEL:SERIAL", the first that is known. One that two drives share is a conflict.
        pub id: Reading<String>,
        /// Vendor. `device/vendor` (SCSI INQUIRY; "ATA" says only that a translation layer answered); absent for NVMe, virtio and MMC, which have numbers.
        pub vendor: Reading<String>,
        /// Model. `/sys/class/nvme/*/model`; of an ATA drive SCSI VPD page 89h (`device/vpd_pg89`) or udev's database; else `device/model`
        /// (SCSI INQUIRY). Unreadable where INQUIRY's 16 characters of an ATA drive's 40 are all there is and may be cut.
        pub model: Reading<String>,
        /// Serial number. `/sys/class/nvme/*/serial`; SCSI VPD page 80h (`device/vpd_pg80`), then 89h, udev's database, and of USB the
        /// bridge's own; `serial` of virtio, `device/serial` of MMC. Places that contradict each other are a conflict.
        pub serial: Reading<String>,
        /// Firmware revision. `/sys/class/nvme/*/firmware_rev`; of an ATA drive SCSI VPD page 89h or udev's database, for `device/rev` (SCSI
        /// INQUIRY) holds 4 of its 8 characters; else `device/rev`.
        pub firmware: Reading<String>,
        /// World Wide Name, lower-case hexadecimal. `device/wwid`, SCSI VPD page 83h (`device/vpd_pg83`), udev's database. A name that the
        /// device made up itself (NAA 3, T10 vendor text) is none; absent for NVMe. Conflict if two drives have the same.
        pub wwn: Reading<String>,
        /// EUI-64 of the first namespace, lower-case hexadecimal without separators. `eui`; all zero or all ones is absent, and so is that of a controller whose identifiers are known to be bogus (`NVME_QUIRK_BOGUS_NID` of Linux, by PCI vendor and device). Conflict if two drives have the same.
        pub eui64: Reading<String>,
        /// NGUID of the first namespace, lower-case hexadecimal without separators. `nguid`; absent as `eui64`. Conflict if two drives have the same.
        pub nguid: Reading<String>,
        /// Capacity: the bytes of all its namespaces, each once, or of its disk. `size`, in sectors of 512 bytes whatever the block size. A fixed disk of
        /// size 0 did not answer: unreadable, as for a controller none of whose namespaces is a block device.
        pub bytes: Reading<Bytes>,
        /// What it is made of. The drive's rotation rate (SCSI VPD page B1h or 89h), else `queue/rotational`, where the transport lets it mean something.
        pub media: Reading<Media>,
        /// How it is attached. The device path, the driver of its SCSI host, INQUIRY; `/sys/class/nvme/*/transport`.
        pub transport: Reading<Transport>,
        /// The kernel takes it for a rotating disk; of virtio and USB that is often no more than a default. `queue/rotational`.
        pub rotational: Reading<bool>,
        /// Logical block size. `queue/logical_block_size`.
        pub logical_block_size: Reading<Bytes>,
        /// Physical block size. `queue/physical_block_size`.
        pub physical_block_size: Reading<Bytes>,
        /// Zone model. `queue/zoned`.
        pub zoned: Reading<Zoned>,
        /// The kernel flushes its write cache ("write back"). `queue/write_cache`.
        pub write_back: Reading<bool>,
        /// Medium can be taken out. `removable`.
        pub removable: Reading<bool>,
        /// The kernel refuses to write to it. `ro`.
        pub read_only: Reading<bool>,
        /// What it is used for now, directly or by what stands on it through partitions, holders, device mapper, md and pools. Unreadable, never
        /// `free`, where a mount table, holders or partitions could not be read, or in a container.
        pub usage: Reading<Usage>,
        /// Where it or what is on it is mounted, sorted. `/proc/1/mountinfo` and `/proc/self/mountinfo`; a list that is not empty may lack those of other namespaces.
        pub mountpoints: Reading<Vec<String>>,
        /// Block devices of the kernel that are this drive: namespaces, or SCSI disks of several paths; sorted.
        pub block_devices: Reading<Vec<String>>,
        /// Ways by which it is reached: NVMe controllers, SCSI addresses, or else the device above ("virtio1"); sorted.
        pub paths: Reading<Vec<String>>,
        /// NUMA node of its controller; absent where the platform says none (-1). `numa_node` of the next PCI function above; conflict as there.
        pub numa_node: Reading<u64>,
        /// PCI function it hangs under, as in "0000:3b:00.0". A drive whose paths hang under several has no one: conflict.
        pub pci_address: Reading<String>,
        /// State that the kernel gives it ("running", "live"); of paths that differ all, as in "live,resetting". `device/state`.
        pub state: Reading<String>,
        /// Health, wear and errors.
        pub health: health::Health,
        /// Its NVMe namespaces that are block devices; none for other drives.
        pub namespaces: Collection<nvme::Namespace>,
        /// What was found by reading it, on all of it and on its partitions, in the order of where it lies. A drive that sleeps is not woken for that:
        /// unreadable; partial where a place could not be read.
        pub signatures: Collection<signature::Signature>,
        /// Partitions by the table on the drive, 128 at the most: more make the collection partial. Of a GUID partition table the primary's, or the
        /// backup's where the primary's checksums do not hold.
        pub partitions: Collection<signature::Partition>,
        /// Nothing lies on it: no signature was found, in every place where one is looked for and in samples (the first and the last MiB, and 64 times 64 KiB
        /// from start to end) all bytes are 00h or all are FFh, and the kernel does not use it. Unreadable, never true, if a single place could not be
        /// read. Data between the samples is not seen, nor what a locked self-encrypting drive hides behind zeros, nor namespaces that are no block devices here.
        pub blank: Reading<bool>,
        /// Something lies on it that is not known here: bytes that are not all 00h or all FFh, and no signature. Encrypted data without a header look so.
        pub unrecognised_data: Reading<bool>,
    }
}

words! {
    /// What a drive is made of.
    pub enum Media {
        /// Rotating disk.
        Hdd = "hdd",
        /// Flash or another memory without moving parts.
        Ssd = "ssd",
        /// A disk of a virtual machine, or a volume of a RAID card or storage server: what is below is not seen.
        Virtual = "virtual",
    }
}

words! {
    /// How a drive is attached.
    pub enum Transport {
        /// NVMe over PCIe, directly or through the translation layer of a SAS controller.
        Nvme = "nvme",
        /// NVMe over a fabric.
        NvmeFabric = "nvme-fabric",
        /// SATA (or another ATA), directly or through a translation layer.
        Sata = "sata",
        /// SAS.
        Sas = "sas",
        /// Parallel SCSI, or a SCSI adapter that a hypervisor makes up.
        Scsi = "scsi",
        /// Fibre Channel.
        Fc = "fc",
        /// iSCSI.
        Iscsi = "iscsi",
        /// USB.
        Usb = "usb",
        /// virtio-blk or virtio-scsi.
        Virtio = "virtio",
        /// SD card or eMMC.
        Mmc = "mmc",
        /// Paravirtual disk of Xen.
        Xen = "xen",
        /// IBM DASD.
        Dasd = "dasd",
        /// Volume of a RAID controller, or a mirror of boot drives that poses as one disk.
        Raid = "raid",
        /// Persistent memory (NVDIMM).
        Pmem = "pmem",
    }
}

words! {
    /// Zone model (Documentation/ABI/stable/sysfs-block, `queue/zoned`).
    pub enum Zoned {
        /// Not zoned.
        None = "none",
        /// Zones that may be ignored.
        HostAware = "host-aware",
        /// Zones that must be written in order.
        HostManaged = "host-managed",
    }
}

words! {
    /// What a drive is used for now; the first that holds.
    pub enum Usage {
        /// Holds the running system: `/`, `/boot`, `/boot/efi`, `/efi`, `/usr` or `/etc`, or the medium whose image is `/` (`/sysroot`, live systems).
        Boot = "boot",
        /// Something on it is mounted.
        Mounted = "mounted",
        /// Swap space in use.
        Swap = "swap",
        /// Held by md, device mapper, bcache, an imported ZFS pool, a loop device or another user of the kernel. An idle multipath map does not count.
        Held = "held",
        /// Has partitions, none in use.
        Partitioned = "partitioned",
        /// None of these. Whether data lies on it is another question, and whoever opens the bare device (a virtual machine, Ceph without LVM) is not seen.
        Free = "free",
    }
}

record! {
    /// One NVMe controller.
    pub struct NvmeController {
        /// The kernel's name, as in "nvme0".
        pub name: Reading<String>,
        /// Model. `/sys/class/nvme/*/model`.
        pub model: Reading<String>,
        /// Serial number. `/sys/class/nvme/*/serial`.
        pub serial: Reading<String>,
        /// Firmware revision. `/sys/class/nvme/*/firmware_rev`.
        pub firmware: Reading<String>,
        /// State, as in "live". `/sys/class/nvme/*/state`.
        pub state: Reading<String>,
        /// Transport word of the kernel, as in "pcie". `/sys/class/nvme/*/transport`.
        pub transport: Reading<String>,
        /// Transport address: the PCI function of a PCIe controller. `/sys/class/nvme/*/address`.
        pub address: Reading<String>,
        /// Subsystem NQN. `/sys/class/nvme/*/subsysnqn`.
        pub subsystem_nqn: Reading<String>,
        /// NUMA node; absent where the platform says none (-1). `/sys/class/nvme/*/numa_node`, else of its PCI function.
        pub numa_node: Reading<u64>,
        /// Namespaces (block devices) reached through it, hidden paths by the name of their shared device; sorted. Its folder below `/sys/class/nvme`.
        pub namespaces: Reading<Vec<String>>,
        /// What it is and can.
        pub identify: nvme::Identify,
        /// Its firmware slots.
        pub firmware_slots: nvme::Firmware,
        /// Its current settings.
        pub features: nvme::Features,
        /// Entries of its error log, newest first, 64 at the most. Commands that it does not know stand there too: not a sign of damage by themselves.
        pub error_log: Collection<nvme::ErrorEntry>,
        /// Its endurance groups that have a namespace which is a block device; none on most.
        pub endurance_groups: Collection<nvme::EnduranceGroup>,
    }
}

record! {
    /// One block device of the kernel.
    pub struct BlockDevice {
        /// The kernel's name.
        pub name: Reading<String>,
        /// What it is.
        pub kind: Reading<BlockKind>,
        /// Device number, as in "259:0"; absent for a hidden path. `dev`.
        pub dev: Reading<String>,
        /// Size. `size`, in sectors of 512 bytes.
        pub bytes: Reading<Bytes>,
        /// Logical block size; of a partition, that of its disk. `queue/logical_block_size`.
        pub logical_block_size: Reading<Bytes>,
        /// Physical block size; of a partition, that of its disk. `queue/physical_block_size`.
        pub physical_block_size: Reading<Bytes>,
        /// Read-only. `ro`.
        pub read_only: Reading<bool>,
        /// Disk of a partition; absent for others.
        pub parent: Reading<String>,
        /// Name given by device mapper; absent for others. `dm/name`.
        pub dm_name: Reading<String>,
        /// UUID given by device mapper, whose prefix tells the user ("LVM-", "CRYPT-", "mpath-"); absent for others. `dm/uuid`.
        pub dm_uuid: Reading<String>,
        /// md level, as in "raid1"; absent for others. `md/level`.
        pub md_level: Reading<String>,
        /// Devices it stands on, sorted. `slaves`.
        pub slaves: Reading<Vec<String>>,
        /// Devices that stand on it, sorted. `holders`.
        pub holders: Reading<Vec<String>>,
        /// Where it is mounted, sorted. `/proc/1/mountinfo` and `/proc/self/mountinfo` by device number, by source where the file system has none of its own.
        pub mountpoints: Reading<Vec<String>>,
        /// In use as swap. `/proc/swaps`.
        pub swap: Reading<bool>,
    }
}

words! {
    /// What a block device is.
    pub enum BlockKind {
        /// A whole disk: SCSI, ATA, virtio, Xen, MMC, DASD.
        Disk = "disk",
        /// A namespace of an NVMe controller, or the shared device of a multipath subsystem.
        NvmeNamespace = "nvme-namespace",
        /// One hidden path to a namespace of a multipath subsystem.
        NvmePath = "nvme-path",
        /// A partition.
        Partition = "partition",
        /// Device mapper: multipath.
        Multipath = "multipath",
        /// Device mapper: encryption.
        Crypt = "crypt",
        /// Device mapper: logical volume.
        Lvm = "lvm",
        /// Device mapper: another user.
        Dm = "dm",
        /// Software RAID.
        Md = "md",
        /// bcache.
        Bcache = "bcache",
        /// Hardware boot partition or RPMB of an eMMC.
        MmcBoot = "mmc-boot",
        /// Persistent memory.
        Pmem = "pmem",
        /// A network block device: nbd, rbd, drbd.
        Network = "network",
        /// Another that this version does not know.
        Other = "other",
    }
}

record! {
    /// A block device that is left out.
    pub struct Excluded {
        /// The kernel's name.
        pub name: Reading<String>,
        /// Why.
        pub reason: Reading<ExclusionReason>,
        /// Size. `size`, in sectors of 512 bytes.
        pub bytes: Reading<Bytes>,
    }
}

words! {
    /// Why a block device is no drive and not looked at.
    pub enum ExclusionReason {
        /// Loop device: a file.
        Loop = "loop",
        /// Compressed memory.
        Zram = "zram",
        /// RAM disk.
        Ram = "ram",
        /// CD, DVD or Blu-ray.
        Optical = "optical",
        /// Floppy disk.
        Floppy = "floppy",
        /// Medium that a management controller presents.
        VirtualMedia = "virtual-media",
        /// A reader without a medium, or a network block device that is not connected: size 0.
        NoMedium = "no-medium",
        /// MTD flash of the board.
        Mtd = "mtd",
    }
}
