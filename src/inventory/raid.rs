//! RAID controllers and their volumes, as the maker's own tool tells of them: storcli, perccli, ssacli, sas3ircu, arcconf.
//!
//! Words are the tool's.

use crate::reading::Reading;
use crate::units::{Bytes, Celsius, Ratio};

record! {
    /// What the maker's tool tells of one controller. All absent for a controller that has no such tool (AHCI, NVMe, USB and the like); unreadable
    /// where the tool is not installed. A SAS controller of Fusion-MPT (mpt3sas) is asked for only if it has a volume, or the tool tells its personality.
    pub struct RaidController {
        /// Program that told it, as in "storcli64".
        pub tool: Reading<String>,
        /// What the tool calls it: "/c0" (storcli, perccli), "slot=0" (ssacli), "0" (sas3ircu), "1" (arcconf).
        pub name: Reading<String>,
        /// Personality or mode by the tool's word, as in "RAID-Mode", "RAID", "JBOD", "HBA", "HBA-Mode", "IT", "IR", "RAID (Expose RAW)".
        pub personality: Reading<String>,
        /// State by the tool's word, as in "Optimal", "OK", "Needs Attention".
        pub status: Reading<String>,
        /// Firmware package, of which the running firmware is a part. storcli "Firmware Package Build", storcli2 "Package Version"; absent for other tools.
        pub firmware_package: Reading<String>,
        /// State of what keeps the cache when power is lost, a battery, CacheVault, capacitor or energy pack, by the tool's word, as in "Optimal", "OK"; absent
        /// if there is none.
        pub battery: Reading<String>,
        /// Model or kind of it, as in "CVPM02", "Supercap", "Capacitors"; absent if there is none.
        pub battery_model: Reading<String>,
        /// Memory of the controller, most of it cache.
        pub memory: Reading<Bytes>,
        /// Share of its work that goes into rebuilding.
        pub rebuild_rate: Reading<Ratio>,
        /// Share of its work that goes into patrol reads.
        pub patrol_read_rate: Reading<Ratio>,
        /// Errors of its memory that were corrected. storcli "Memory Correctable Errors"; absent for tools that have no such count.
        pub memory_correctable_errors: Reading<u64>,
        /// Errors of its memory that were not. storcli "Memory Uncorrectable Errors"; absent for tools that have no such count.
        pub memory_uncorrectable_errors: Reading<u64>,
        /// Temperature of the chip. storcli "ROC temperature(Degree Celsius)", storcli2 "Chip temperature(C)", ssacli "Controller Temperature (C)", arcconf
        /// "Temperature".
        pub temperature: Reading<Celsius>,
    }
}

record! {
    /// One volume of a RAID controller.
    pub struct RaidVolume {
        /// What the tool calls it: "/c0/v0", "slot=0 ld 1" (ssacli), "0 volume 1" (sas3ircu), "1 logical device 0" (arcconf).
        pub name: Reading<String>,
        /// Name that somebody gave it; absent if none.
        pub label: Reading<String>,
        /// Controller: its PCI function, else what the tool calls it.
        pub controller: Reading<String>,
        /// RAID level by the tool's word, as in "RAID5", "RAID 1+0"; "RAID " is put before a bare figure.
        pub level: Reading<String>,
        /// Size. The number of blocks where the tool tells it, else its figure, which is rounded.
        pub bytes: Reading<Bytes>,
        /// State by the tool's word: "Optl", "Dgrd", "OK", "Interim Recovery Mode", "Okay (OKY)", "Optimal".
        pub state: Reading<String>,
        /// Block device; absent if the tool names none (sas3ircu, or hidden from the system).
        pub block_device: Reading<String>,
        /// Its drives, by the names that they have in `hidden_drives`.
        pub drives: Reading<Vec<String>>,
        /// How writes are acknowledged now, or as set where the tool does not tell that apart. Of ssacli from caching, the share of the cache for writes and its status.
        pub write_policy: Reading<WritePolicy>,
        /// It reads ahead; absent for tools that do not say (ssacli, sas3ircu).
        pub read_ahead: Reading<bool>,
        /// What is done with the drives' own write cache, by the tool's word, as in "Disk's Default", "Enabled"; absent for tools that do not say.
        pub drive_cache: Reading<String>,
    }
}

words! {
    /// When a write is acknowledged.
    pub enum WritePolicy {
        /// When it is in the controller's cache.
        WriteBack = "write-back",
        /// When it is on the drives.
        WriteThrough = "write-through",
    }
}
