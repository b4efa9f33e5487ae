//! What a drive says of its own health: one record for NVMe, ATA and SCSI, each fact by the word of its specification.
//!
//! Knows no limits: whether a figure is bad is judged elsewhere.

use crate::reading::Reading;
use crate::units::{BitsPerSec, Bytes, Celsius, Ratio, Seconds};

record! {
    /// Health, wear and errors as the drive itself counts them. Read by NVMe admin commands, else by `smartctl --json`. A fact that
    /// the drive's protocol does not have is absent; one that could not be asked for is unreadable.
    pub struct Health {
        /// Where the figures come from: "nvme admin commands", or the device type that smartctl used, as in "sat", "scsi", "megaraid,5".
        pub interface: Reading<String>,
        /// The drive's own verdict: ATA SMART RETURN STATUS, SCSI Informational Exceptions (log page 2Fh), NVMe Critical Warning being 0. Never to be
        /// believed against its counters.
        pub passed: Reading<bool>,
        /// Set bits of NVMe Critical Warning, in words ("available-spare", "temperature", "reliability-degraded", "read-only",
        /// "volatile-memory-backup-failed", "persistent-memory-read-only", "reserved-6" ...), in the order of the bits. SMART / Health log, byte 0; absent but for NVMe.
        pub critical_warnings: Reading<Vec<String>>,
        /// Temperature now. NVMe composite temperature (bytes 2:1 of the log, kelvin, 0 is not reported); SCSI log page 0Dh; ATA SCT, else attribute 194 or 190.
        pub temperature: Reading<Celsius>,
        /// Temperature above which the drive warns. NVMe WCTEMP (Identify Controller bytes 267:266, 0 is not reported); ATA SCT operating limit.
        pub temperature_warning: Reading<Celsius>,
        /// Temperature above which the drive may stop. NVMe CCTEMP (Identify Controller bytes 269:268, 0 is not reported); SCSI reference temperature (log page 0Dh); ATA SCT limit.
        pub temperature_critical: Reading<Celsius>,
        /// Time spent at or above the warning temperature. NVMe bytes 195:192 of the log, minutes; absent but for NVMe.
        pub warning_temperature_time: Reading<Seconds>,
        /// Time spent at or above the critical temperature. NVMe bytes 199:196 of the log, minutes; absent but for NVMe.
        pub critical_temperature_time: Reading<Seconds>,
        /// Spare capacity that is left. NVMe byte 3 of the log; absent but for NVMe.
        pub available_spare: Reading<Ratio>,
        /// Spare capacity below which the drive warns. NVMe byte 4 of the log; absent but for NVMe.
        pub available_spare_threshold: Reading<Ratio>,
        /// Endurance used, by the maker's estimate; may exceed 100 %. NVMe byte 5 of the log; ATA Device Statistics page 07h offset 8; SCSI log page 11h.
        /// 255 of NVMe is 255 % or more. Absent for rotating disks.
        pub percentage_used: Reading<Ratio>,
        /// Unrecovered data integrity errors. NVMe bytes 175:160 of the log; SCSI total uncorrected errors of log pages 02h, 03h and 05h; ATA attribute 187.
        pub media_errors: Reading<u64>,
        /// Sectors taken out of use and replaced. ATA attribute 5, raw value; absent but for ATA.
        pub reallocated_sectors: Reading<u64>,
        /// Sectors that could not be read and wait to be replaced. ATA attribute 197, raw value, else SCSI Background Scan; absent for NVMe.
        pub pending_sectors: Reading<u64>,
        /// Sectors found unreadable by the drive's own scan. ATA attribute 198, raw value; absent but for ATA.
        pub offline_uncorrectable: Reading<u64>,
        /// Elements of the grown defect list. SCSI READ DEFECT DATA, as smartctl tells it; absent but for SCSI.
        pub grown_defects: Reading<u64>,
        /// Transfer errors on the link that the drive counted. ATA attribute 199, raw value; absent but for ATA.
        pub interface_crc_errors: Reading<u64>,
        /// SCSI commands of which a write, read or verify failed for another cause than the medium (log page 06h); absent but for SCSI.
        pub non_medium_errors: Reading<u64>,
        /// Attributes whose normalised value is at or below their threshold now, as "5 Reallocated_Sector_Ct"; absent but for ATA.
        pub attributes_failing: Reading<Vec<String>>,
        /// Attributes of which that was so in the past and is not now; absent but for ATA.
        pub attributes_failed_before: Reading<Vec<String>>,
        /// Entries that the error log has counted over the drive's life. NVMe bytes 191:176 of the log; ATA summary or extended error log count. Commands that a drive
        /// does not know count too: not a sign of damage by itself.
        pub error_log_entries: Reading<u64>,
        /// Result of the newest self-test; absent if none was ever run, or the drive has no such log.
        pub self_test: Reading<SelfTest>,
        /// Self-tests in the log that failed. Absent if the drive has no such log.
        pub self_test_failures: Reading<u64>,
        /// Time that it was powered on. NVMe bytes 143:128, hours; ATA attribute 9 or Device Statistics; SCSI log page 15h.
        pub power_on_time: Reading<Seconds>,
        /// Times it was powered on. NVMe bytes 127:112; ATA attribute 12; SCSI log page 0Eh, start-stop cycles.
        pub power_cycles: Reading<u64>,
        /// Times it lost power unannounced. NVMe bytes 159:144; ATA attribute 174 or 192 where its name says so; absent for SCSI.
        pub unsafe_shutdowns: Reading<u64>,
        /// Bytes that hosts wrote. NVMe bytes 63:48, thousands of 512 bytes, rounded up by the drive; ATA Device Statistics page 01h; SCSI log page 03h gigabytes processed.
        pub written: Reading<Bytes>,
        /// Bytes that hosts read. NVMe bytes 47:32, thousands of 512 bytes, rounded up by the drive; ATA Device Statistics page 01h; SCSI log page 02h gigabytes processed.
        pub read: Reading<Bytes>,
        /// The volatile write cache is on: NVMe Get Features 06h bit 0 (absent if Identify Controller byte 525 says that there is none); ATA IDENTIFY word 85 bit 5; SCSI WCE of mode page 08h.
        pub write_cache: Reading<bool>,
        /// Speed of the link now. SATA: negotiated speed; SAS: negotiated rate of the port in use. Absent for NVMe: its PCI link tells.
        pub link_speed: Reading<BitsPerSec>,
        /// Fastest speed of the link that the drive can. As `link_speed`.
        pub max_link_speed: Reading<BitsPerSec>,
        /// The drive was asleep and was left so: the rest is unreadable then. smartctl `--nocheck=standby`; absent for NVMe.
        pub standby: Reading<bool>,
        /// What smartctl's exit status says beyond its figures, in words, in the order of the bits: "disk-failing" (bit 3), "prefail-below-threshold" (4),
        /// "below-threshold-in-past" (5), "error-log-has-entries" (6), "self-test-log-has-errors" (7); absent where smartctl was not asked.
        pub smartctl_signs: Reading<Vec<String>>,
        /// Questions that were not asked because this model or firmware suffers from them, each with its reason; empty if everything was asked.
        pub not_asked: Reading<Vec<String>>,
    }
}

words! {
    /// How a self-test ended.
    pub enum SelfTest {
        /// Without error.
        Passed = "passed",
        /// An element of the drive failed.
        Failed = "failed",
        /// It was ended by a command, a reset or the loss of power: tells nothing.
        Aborted = "aborted",
        /// It is under way.
        Running = "running",
    }
}
