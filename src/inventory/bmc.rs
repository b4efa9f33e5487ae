//! The management controller of the board, by the IPMI driver and ipmitool.

use crate::reading::{Collection, Reading};
use crate::units::Ratio;

record! {
    /// Baseboard management controller. Absent facts: the kernel has no IPMI interface (or its driver, ipmi_si, is not loaded).
    pub struct Bmc {
        /// The kernel has an IPMI interface. `/sys/class/ipmi`.
        pub present: Reading<bool>,
        /// Firmware revision, as in "2.82". `/sys/class/ipmi/*/device/bmc/firmware_revision`.
        pub firmware: Reading<String>,
        /// IANA enterprise number of the maker, as in "0x0002a2". `manufacturer_id`.
        pub manufacturer_id: Reading<String>,
        /// Product number of the maker, as in "0x0100". `product_id`.
        pub product_id: Reading<String>,
        /// Version of IPMI that it speaks, as in "2.0". `ipmi_version`.
        pub ipmi_version: Reading<String>,
        /// Entries of the System Event Log. `ipmitool sel info`.
        pub event_log_entries: Reading<u64>,
        /// Share of the System Event Log that is used. `ipmitool sel info`; absent if the controller does not tell.
        pub event_log_used: Reading<Ratio>,
        /// Events were lost because the log was full. `ipmitool sel info`.
        pub event_log_overflow: Reading<bool>,
        /// Events in the log that tell of trouble, oldest first, the last 200. `ipmitool -c sel elist`.
        pub events: Collection<BmcEvent>,
        /// Sensors. `ipmitool -c sdr elist all`.
        pub sensors: Collection<BmcSensor>,
    }
}

record! {
    /// One entry of the System Event Log that was asserted and tells of trouble.
    pub struct BmcEvent {
        /// When, as ipmitool writes it, as in "07/15/2015 22:35:35", "Pre-Init 0000000012".
        pub time: Reading<String>,
        /// What it is about.
        pub kind: Reading<BmcEventKind>,
        /// Sensor, with its type, as in "Memory ECC", "Power Supply PS1 Status".
        pub sensor: Reading<String>,
        /// What happened, as in "Uncorrectable ECC".
        pub event: Reading<String>,
    }
}

words! {
    /// What an event is about.
    pub enum BmcEventKind {
        /// Memory error that was corrected.
        MemoryCorrected = "memory-corrected",
        /// Memory error that was not corrected.
        MemoryUncorrected = "memory-uncorrected",
        /// Power supply or power unit.
        Power = "power",
        /// Fan or cooling.
        Fan = "fan",
        /// Temperature.
        Temperature = "temperature",
        /// Drive.
        Drive = "drive",
        /// Processor.
        Processor = "processor",
        /// PCI, bus or NMI.
        CriticalInterrupt = "critical-interrupt",
    }
}

record! {
    /// One sensor.
    pub struct BmcSensor {
        /// Name that the maker gave it.
        pub name: Reading<String>,
        /// What it belongs to (IPMI 2.0 table 43-13, Entity ID): "power-supply", "power-unit", "fan", "drive-bay", "processor", "memory", "board"; "other" else.
        pub kind: Reading<String>,
        /// "ok", "nc" (non-critical), "cr" (critical), "nr" (non-recoverable), "ns" (no reading).
        pub status: Reading<String>,
        /// What it reads, as in "4080 RPM", "Presence detected, Power Supply AC lost"; absent without.
        pub reading: Reading<String>,
    }
}
