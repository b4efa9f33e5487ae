//! PCI functions and the links between them.

use crate::reading::Reading;
use crate::units::{BitsPerSec, TransfersPerSec};

record! {
    /// One PCI function. Attributes are those of `/sys/bus/pci/devices/*` (`drivers/pci/pci-sysfs.c`). A rate of a link
    /// is absent for a function that has no PCI Express link: conventional PCI, or a part of the root complex.
    pub struct PciFunction {
        /// Domain, bus, device and function, as in "0000:3b:00.0".
        pub address: Reading<String>,
        /// Vendor, four hexadecimal digits in lower case, as in "8086". `vendor`.
        pub vendor_id: Reading<String>,
        /// Device, four hexadecimal digits. `device`.
        pub device_id: Reading<String>,
        /// Vendor of the subsystem, four hexadecimal digits; absent where the function has none (0000, bridges among
        /// them). `subsystem_vendor`, else `modalias`.
        pub subsystem_vendor_id: Reading<String>,
        /// Subsystem, four hexadecimal digits; absent where the function has none. `subsystem_device`, else `modalias`.
        pub subsystem_device_id: Reading<String>,
        /// Revision, two hexadecimal digits. `revision`, since Linux 4.10; else the configuration space.
        pub revision: Reading<String>,
        /// Base class, sub-class and programming interface, six hexadecimal digits, as in "010802". `class`.
        pub class: Reading<String>,
        /// Name of the sub-class by the PCI ID Repository, else of the base class.
        pub class_name: Reading<String>,
        /// Name of the vendor by the PCI ID Repository.
        pub vendor: Reading<String>,
        /// Name of the device by the PCI ID Repository.
        pub device: Reading<String>,
        /// Name of the subsystem by the PCI ID Repository; absent where the function has none.
        pub subsystem: Reading<String>,
        /// Driver bound to it; absent if none is. Link `driver`.
        pub driver: Reading<String>,
        /// NUMA node; absent where the platform says none (-1). `numa_node`.
        pub numa_node: Reading<u64>,
        /// IOMMU group; absent where no IOMMU is in use for it. Link `iommu_group`.
        pub iommu_group: Reading<u64>,
        /// Name of the physical slot that it or the nearest function above it sits in; absent where firmware and
        /// hot-plug drivers name none. `/sys/bus/pci/slots/*/address`.
        pub slot: Reading<String>,
        /// Rate of one lane now. `current_link_speed`, since Linux 4.13; else Link Status in the configuration space.
        pub current_link_speed: Reading<TransfersPerSec>,
        /// Lanes now. `current_link_width`; else Link Status.
        pub current_link_width: Reading<u64>,
        /// Highest rate of one lane that this end of the link can do. `max_link_speed`; else Link Capabilities.
        pub max_link_speed: Reading<TransfersPerSec>,
        /// Most lanes that this end of the link can do. `max_link_width`; else Link Capabilities.
        pub max_link_width: Reading<u64>,
        /// Bandwidth of the link now, in one direction, less the line encoding.
        pub link_bandwidth: Reading<BitsPerSec>,
        /// Power state of the function, as in "D0". `power_state`, since Linux 5.11.
        pub power_state: Reading<String>,
        /// Runtime power management: "active", "suspended", "unsupported". `power/runtime_status`.
        pub runtime_status: Reading<String>,
        /// Virtual functions that it can have; absent without SR-IOV. `sriov_totalvfs`.
        pub sriov_total_vfs: Reading<u64>,
        /// Virtual functions that are switched on; absent without SR-IOV. `sriov_numvfs`.
        pub sriov_num_vfs: Reading<u64>,
        /// Errors that the link or the function corrected, since the driver was bound (Advanced Error Reporting); absent if the function has no such
        /// capability or the firmware keeps it for itself. `aer_dev_correctable`, `TOTAL_ERR_COR`, since Linux 4.19.
        pub correctable_errors: Reading<u64>,
        /// Errors that cost a transaction; absent as above. `aer_dev_nonfatal`, `TOTAL_ERR_NONFATAL`.
        pub nonfatal_errors: Reading<u64>,
        /// Errors that cost the link; absent as above. `aer_dev_fatal`, `TOTAL_ERR_FATAL`.
        pub fatal_errors: Reading<u64>,
        /// Errors by the kernel's name that have occurred, sorted, as in "BadTLP 7"; absent as above.
        pub error_names: Reading<Vec<String>>,
        /// It is a virtual function of SR-IOV. Link `physfn`.
        pub virtual_function: Reading<bool>,
        /// The physical function of a virtual one; absent for others. Link `physfn`.
        pub physical_function: Reading<String>,
        /// Addresses of the functions from the root down to this one, itself included. From where
        /// `/sys/bus/pci/devices/*` points to.
        pub path: Reading<Vec<String>>,
        /// Of the PCI Express links on the path, the one with the lowest bandwidth now, named by its lower end as in
        /// `pci_links`; the one nearest to the root of equals. Absent if no link is on the path.
        pub bottleneck: Reading<String>,
        /// Bandwidth of the bottleneck now: what the function can have at most. Unreadable if any link on the path is.
        pub path_bandwidth: Reading<BitsPerSec>,
        /// What the path would have if each of its links did what both its ends can.
        pub path_max_bandwidth: Reading<BitsPerSec>,
    }
}

record! {
    /// One PCI Express link: a port and the device below it. The links inside a switch or a root complex are none.
    pub struct PciLink {
        /// The port that looks down: a root port or a downstream port of a switch.
        pub upper: Reading<String>,
        /// The device below: the first of its functions that is not virtual.
        pub lower: Reading<String>,
        /// Rate of one lane now. Both ends tell it; if they differ, it is a conflict.
        pub current_speed: Reading<TransfersPerSec>,
        /// Lanes now. Both ends tell it; if they differ, it is a conflict.
        pub current_width: Reading<u64>,
        /// Bandwidth now, in one direction, less the line encoding.
        pub bandwidth: Reading<BitsPerSec>,
        /// Highest rate that both ends can do.
        pub max_speed: Reading<TransfersPerSec>,
        /// Most lanes that both ends can do. The board between them may have fewer.
        pub max_width: Reading<u64>,
        /// Bandwidth at the highest rate and width of both ends.
        pub max_bandwidth: Reading<BitsPerSec>,
        /// What the link does now against what both ends can.
        pub training: Reading<LinkTraining>,
        /// It does less than both ends can, and idleness cannot be why.
        pub down_trained: Reading<bool>,
    }
}

words! {
    /// What a link does now against what both its ends can.
    pub enum LinkTraining {
        /// Rate and width are the highest that both ends can do.
        Full = "full",
        /// All lanes at a lower rate.
        Slow = "slow",
        /// Fewer lanes at the highest rate.
        Narrow = "narrow",
        /// Fewer lanes at a lower rate.
        SlowAndNarrow = "slow-and-narrow",
        /// All lanes at a lower rate, which may be to save power: the device is suspended, or is of a kind that lowers
        /// its rate when idle (display controllers, accelerators). Only a reading under load tells.
        SlowMaybeIdle = "slow-maybe-idle",
    }
}
