//! What the firmware says of processors and memory modules: SMBIOS types 4, 16 and 17.
//!
//! Knows what the firmware claims; whether the kernel sees the same is told by [`super::Cpu`] and [`super::Memory`].

use crate::reading::Reading;
use crate::units::{Bytes, Hertz, TransfersPerSec};

record! {
    /// One processor socket, populated or not: SMBIOS 3.7.0 section 7.5 (type 4) of `/sys/firmware/dmi/tables/DMI`, readable
    /// by root. What the firmware calls unknown or other is unreadable; of an empty socket the facts of a processor are absent,
    /// as is a field that the firmware's version of SMBIOS does not have.
    pub struct ProcessorSocket {
        /// Number of the structure.
        pub handle: Reading<u64>,
        /// Name of the socket as printed on the board, as in "CPU1". Offset 04h.
        pub locator: Reading<String>,
        /// A processor is fitted. Offset 18h, bit 6.
        pub populated: Reading<bool>,
        /// The processor is enabled. Offset 18h, bits 2:0: 1 enabled, 2 and 3 disabled, 4 idle (which is not enabled).
        pub enabled: Reading<bool>,
        /// Maker. Offset 07h.
        pub manufacturer: Reading<String>,
        /// Model. Offset 10h.
        pub version: Reading<String>,
        /// Highest clock that the socket takes, not that of this processor. Offset 14h.
        pub max_speed: Reading<Hertz>,
        /// Clock that the firmware set when it started. Offset 16h.
        pub current_speed: Reading<Hertz>,
        /// Serial number. Offset 20h.
        pub serial: Reading<String>,
        /// Asset tag. Offset 21h.
        pub asset_tag: Reading<String>,
        /// Part number. Offset 22h.
        pub part_number: Reading<String>,
        /// Cores. Offset 23h; from 255 on 2Ah.
        pub cores: Reading<u64>,
        /// Cores that the firmware enabled. Offset 24h; from 255 on 2Ch.
        pub cores_enabled: Reading<u64>,
        /// Threads. Offset 25h; from 255 on 2Eh.
        pub threads: Reading<u64>,
    }
}

record! {
    /// One memory array: SMBIOS 3.7.0 section 7.17 (type 16) of `/sys/firmware/dmi/tables/DMI`, readable by root.
    pub struct MemoryArray {
        /// Number of the structure, which slots refer to.
        pub handle: Reading<u64>,
        /// What it is for: "system memory", "video memory", "flash memory", "non-volatile RAM", "cache memory". Offset 05h.
        pub purpose: Reading<String>,
        /// Error correction of the array: "none", "parity", "single-bit ECC", "multi-bit ECC", "CRC". Offset 06h. Of DDR5 some
        /// firmware tells the correction inside the chips here; the widths of the modules tell more.
        pub error_correction: Reading<String>,
        /// Most memory that it takes. Offset 07h, or 0Fh.
        pub max_capacity: Reading<Bytes>,
        /// Slots. Offset 0Dh.
        pub slots: Reading<u64>,
    }
}

record! {
    /// One memory slot, populated or empty: SMBIOS 3.7.0 section 7.18 (type 17) of `/sys/firmware/dmi/tables/DMI`, readable by
    /// root. What the firmware calls unknown or other is unreadable. Of an empty slot every fact of a module is absent;
    /// so is a field that the firmware's version of SMBIOS does not have, and a string that is a placeholder.
    pub struct Dimm {
        /// The locator; with the bank locator in front if several slots of the node have that locator.
        pub name: Reading<String>,
        /// Number of the structure.
        pub handle: Reading<u64>,
        /// Name of the slot as printed on the board, as in "DIMM_A1". Offset 10h.
        pub locator: Reading<String>,
        /// Bank or node of the slot, as the firmware words it. Offset 11h.
        pub bank_locator: Reading<String>,
        /// What the array of the slot is for: "system memory", "flash memory" ... Offset 04h, and 05h of the array.
        pub purpose: Reading<String>,
        /// A module is fitted. Offset 0Ch is not 0; unreadable if the firmware does not know the size (FFFFh).
        pub populated: Reading<bool>,
        /// Size of the module. Offset 0Ch; from 32 GiB - 1 MiB on 1Ch.
        pub bytes: Reading<Bytes>,
        /// Form factor, as in "DIMM", "SODIMM". Offset 0Eh.
        pub form_factor: Reading<String>,
        /// Generation, as in "DDR4". Offset 12h.
        pub memory_type: Reading<String>,
        /// Details, as in "registered", "unbuffered", "LRDIMM", sorted. Offset 13h.
        pub type_detail: Reading<Vec<String>>,
        /// Highest speed of the module. Offset 15h; from 65535 MT/s on 54h. Firmware before SMBIOS 3.1 means the same figure by MHz.
        pub rated_speed: Reading<TransfersPerSec>,
        /// Speed that it runs at. Offset 20h; from 65535 MT/s on 58h.
        pub configured_speed: Reading<TransfersPerSec>,
        /// Maker. Offset 17h.
        pub manufacturer: Reading<String>,
        /// Part number. Offset 1Ah.
        pub part_number: Reading<String>,
        /// Serial number. Offset 18h.
        pub serial: Reading<String>,
        /// Asset tag. Offset 19h.
        pub asset_tag: Reading<String>,
        /// Ranks. Offset 1Bh, bits 3:0.
        pub ranks: Reading<u64>,
        /// Bits of a word with those of error correction. Offset 08h.
        pub total_width: Reading<u64>,
        /// Bits of a word without those of error correction. Offset 0Ah; 0 for a module that only corrects.
        pub data_width: Reading<u64>,
        /// Lowest operating voltage in mV. Offset 22h.
        pub minimum_millivolts: Reading<u64>,
        /// Highest operating voltage in mV. Offset 24h.
        pub maximum_millivolts: Reading<u64>,
        /// Voltage that it runs at in mV. Offset 26h.
        pub configured_millivolts: Reading<u64>,
        /// Technology: "DRAM", "NVDIMM-N", "NVDIMM-F", "NVDIMM-P", "Intel Optane persistent memory", "MRDIMM". Offset 28h.
        pub technology: Reading<String>,
        /// Firmware version of the module. Offset 2Bh.
        pub firmware: Reading<String>,
        /// Its non-volatile part. Offset 34h.
        pub nonvolatile: Reading<Bytes>,
        /// Its volatile part. Offset 3Ch.
        pub volatile: Reading<Bytes>,
    }
}
