//! Enclosures and their slots: SES (SCSI Enclosure Services) by the kernel's driver `ses`, and hot-plug slots of PCI Express.

use crate::reading::{Collection, Reading};

record! {
    /// One enclosure (`/sys/class/enclosure/*`, `drivers/misc/enclosure.c`, `drivers/scsi/ses.c`).
    pub struct Enclosure {
        /// The kernel's name: the SCSI address of its services device, as in "0:0:8:0".
        pub name: Reading<String>,
        /// Logical identifier, lower-case hexadecimal without "0x"; absent if 0. `id`, since Linux 4.0.
        pub id: Reading<String>,
        /// Vendor. `device/vendor`.
        pub vendor: Reading<String>,
        /// Model. `device/model`.
        pub model: Reading<String>,
        /// Revision of its firmware. `device/rev`.
        pub revision: Reading<String>,
        /// Elements that hold drives, as it says itself; some of them may not be in `slots`. `components`.
        pub components: Reading<u64>,
        /// PCI function that it hangs on, as in "0000:3b:00.0". From its path in sysfs.
        pub pci_address: Reading<String>,
        /// Its slots. Power supplies, fans and sensors are not shown by the kernel.
        pub slots: Collection<EnclosureSlot>,
    }
}

record! {
    /// One slot of an enclosure, with or without a drive. A question to it goes to the enclosure.
    pub struct EnclosureSlot {
        /// The kernel's name, as in "Slot 01", "ArrayDevice07", "3": what the enclosure calls it, or its number.
        pub name: Reading<String>,
        /// What kind of element: "device" or "array device". `type`.
        pub kind: Reading<String>,
        /// Number that the enclosure gives the slot. `slot`, since Linux 4.0.
        pub number: Reading<u64>,
        /// Status: "OK", "critical", "non-critical", "unrecoverable", "not installed", "unknown", "unavailable", "unsupported" (SES-3, ELEMENT STATUS
        /// CODE). `status`.
        pub status: Reading<String>,
        /// A fault is shown or sensed. `fault`.
        pub fault: Reading<bool>,
        /// The light by which it is found is on. `locate`.
        pub locate: Reading<bool>,
        /// The device shows activity. `active`.
        pub active: Reading<bool>,
        /// The slot is powered. `power_status`, since Linux 4.0; unreadable of an enclosure that does not tell.
        pub power: Reading<bool>,
        /// Block device in the slot, as in "sda"; absent if there is none that the kernel has joined to it. `device/block`.
        pub drive: Reading<String>,
        /// Serial number of that drive; absent without one.
        pub serial: Reading<String>,
    }
}

record! {
    /// One physical slot of PCI (`/sys/bus/pci/slots/*`, `drivers/pci/slot.c`, `drivers/pci/hotplug/`): a hot-plug bay of an NVMe drive, or a slot that the
    /// firmware names.
    pub struct PciSlot {
        /// Name, by the firmware or the hot-plug driver, as in "12".
        pub name: Reading<String>,
        /// Domain, bus and device, as in "0000:3b:00". `address`.
        pub address: Reading<String>,
        /// The slot is powered; absent without a hot-plug driver. `power`.
        pub power: Reading<bool>,
        /// The attention indicator: 0 off, 1 on, 2 blinking; absent for a slot without. `attention`.
        pub attention: Reading<u64>,
        /// The retention latch is open; absent for a slot without. `latch`.
        pub latch_open: Reading<bool>,
        /// A card or drive is present; absent without a hot-plug driver. `adapter`.
        pub adapter: Reading<bool>,
    }
}
