//! What an NVMe controller answers to admin commands: NVM Express Base Specification 2.0 and NVM Command Set Specification 1.0.

use crate::reading::Reading;
use crate::units::{Bytes, Celsius, Ratio, Watts};

record! {
    /// Identify Controller (CNS 01h), section 5.17.2.1 of the base specification. Read by `NVME_IOCTL_ADMIN_CMD` on `/dev/nvme*`, which root alone may.
    pub struct Identify {
        /// PCI vendor of the controller, as in "0x144d". VID, bytes 1:0; absent if 0, as over a fabric.
        pub vendor_id: Reading<String>,
        /// PCI subsystem vendor, as in "0x1028". SSVID, bytes 3:2; absent if 0.
        pub subsystem_vendor_id: Reading<String>,
        /// Version of the specification that it complies with, as in "1.4" or "1.2.1". VER, bytes 83:80; absent if 0, as before 1.2.
        pub version: Reading<String>,
        /// What kind of controller: "io", "discovery", "administrative". CNTRLTYPE, byte 111; absent if 0, as before 1.4.
        pub controller_type: Reading<String>,
        /// Identifier of the controller in its subsystem. CNTLID, bytes 79:78.
        pub controller_id: Reading<u64>,
        /// The subsystem may have more than one port. CMIC, byte 76, bit 0.
        pub multi_port: Reading<bool>,
        /// The subsystem may have more than one controller. CMIC, byte 76, bit 1.
        pub multi_controller: Reading<bool>,
        /// Optional admin commands, in the order of the bits of OACS, bytes 257:256: "security", "format-nvm", "firmware", "namespace-management",
        /// "device-self-test", "directives", "nvme-mi", "virtualization-management", "doorbell-buffer-config", "get-lba-status", "lockdown".
        pub optional_admin_commands: Reading<Vec<String>>,
        /// Optional IO commands, in the order of the bits of ONCS, bytes 521:520: "compare", "write-uncorrectable", "dataset-management", "write-zeroes",
        /// "save-select", "reservations", "timestamp", "verify", "copy".
        pub optional_io_commands: Reading<Vec<String>>,
        /// Ways to sanitize: "crypto-erase", "block-erase", "overwrite". SANICAP, bytes 331:328, bits 2:0.
        pub sanitize: Reading<Vec<String>>,
        /// It has a volatile write cache. VWC, byte 525, bit 0. One without keeps what it acknowledged when power is lost; one with may do so too.
        pub volatile_write_cache: Reading<bool>,
        /// Logical blocks that are written atomically in normal operation. AWUN, bytes 527:526, plus 1.
        pub atomic_write: Reading<u64>,
        /// Logical blocks that are written atomically when power fails. AWUPF, bytes 529:528, plus 1.
        pub atomic_write_power_fail: Reading<u64>,
        /// Largest transfer, as a power of two of the smallest memory page. MDTS, byte 77; absent if 0: no limit.
        pub max_transfer_exponent: Reading<u64>,
        /// Namespaces that there can be: the largest namespace identifier. NN, bytes 519:516.
        pub namespaces_max: Reading<u64>,
        /// Total capacity. TNVMCAP, bytes 295:280; absent if 0: not reported.
        pub capacity: Reading<Bytes>,
        /// Capacity that is in no namespace. UNVMCAP, bytes 311:296; absent where `capacity` is.
        pub unallocated_capacity: Reading<Bytes>,
        /// Memory of the host that it would like to use, which drives without DRAM of their own do. HMPRE, bytes 275:272, in 4 KiB; absent if 0.
        pub host_memory_preferred: Reading<Bytes>,
        /// Power states. NPSS, byte 263, plus 1.
        pub power_states: Reading<u64>,
        /// Most power in its highest state. MP of power state 0, bytes 2049:2048; absent if 0: not reported.
        pub max_power: Reading<Watts>,
        /// Firmware slots. FRMW, byte 260, bits 3:1.
        pub firmware_slots: Reading<u64>,
        /// Slot 1 cannot be written. FRMW, byte 260, bit 0.
        pub firmware_slot1_read_only: Reading<bool>,
        /// New firmware is activated without a reset. FRMW, byte 260, bit 4.
        pub firmware_activation_without_reset: Reading<bool>,
        /// Entries of the error log. ELPE, byte 262, plus 1.
        pub error_log_size: Reading<u64>,
        /// Endurance groups. CTRATT, bytes 99:96, bit 4.
        pub endurance_groups: Reading<bool>,
    }
}

record! {
    /// Firmware Slot Information (log page 03h), section 5.16.1.4.
    pub struct Firmware {
        /// Slot that the running firmware was loaded from. AFI, byte 0, bits 2:0.
        pub active_slot: Reading<u64>,
        /// Slot that is activated by the next reset; absent if none is: nothing waits for a reset. AFI, byte 0, bits 6:4.
        pub next_slot: Reading<u64>,
        /// Revision in each slot that holds one, as "1: GDC5602Q". FRS1 to FRS7, bytes 63:8.
        pub slots: Reading<Vec<String>>,
    }
}

record! {
    /// Get Features, section 5.27.1, current values. A feature that the controller does not know is absent.
    pub struct Features {
        /// The volatile write cache is on. Feature 06h, bit 0; absent without such a cache.
        pub volatile_write_cache: Reading<bool>,
        /// The controller goes to sleep by itself (autonomous power state transition). Feature 0Ch, bit 0; absent if it cannot (APSTA, byte 265).
        pub autonomous_power_states: Reading<bool>,
        /// Power state now. Feature 02h, bits 4:0.
        pub power_state: Reading<u64>,
        /// Submission queues that were given out for IO. Feature 07h, bits 15:0, plus 1.
        pub submission_queues: Reading<u64>,
        /// Completion queues that were given out for IO. Feature 07h, bits 31:16, plus 1.
        pub completion_queues: Reading<u64>,
        /// Composite temperature at which it reports an event. Feature 04h, over temperature threshold.
        pub temperature_threshold: Reading<Celsius>,
    }
}

record! {
    /// One entry of Error Information (log page 01h), section 5.16.1.2.
    pub struct ErrorEntry {
        /// Number of the error over the drive's life. Bytes 7:0.
        pub error_count: Reading<u64>,
        /// Submission queue of the command; absent if the error belongs to none (FFFFh). Bytes 9:8.
        pub submission_queue: Reading<u64>,
        /// Status code type and status code, as in "2/81" (hexadecimal). Bytes 13:12, bits 11:9 and 8:1.
        pub status: Reading<String>,
        /// First logical block that had the error. Bytes 23:16; absent for an admin command.
        pub lba: Reading<u64>,
        /// Namespace; absent if 0 or FFFFFFFFh. Bytes 27:24.
        pub nsid: Reading<u64>,
    }
}

record! {
    /// Endurance Group Information (log page 09h), section 5.16.1.10.
    pub struct EnduranceGroup {
        /// Identifier, from ENDGID of the namespaces.
        pub id: Reading<u64>,
        /// Set bits of the critical warning, in words ("available-spare", "reliability-degraded", "read-only"). Byte 0.
        pub critical_warnings: Reading<Vec<String>>,
        /// Spare capacity that is left. Byte 3.
        pub available_spare: Reading<Ratio>,
        /// Spare capacity below which it warns. Byte 4.
        pub available_spare_threshold: Reading<Ratio>,
        /// Endurance used, by the maker's estimate; may exceed 100 %. Byte 5.
        pub percentage_used: Reading<Ratio>,
        /// Unrecovered data integrity errors. Bytes 143:128.
        pub media_errors: Reading<u64>,
        /// Bytes written to the media, in steps of 10^9. Bytes 95:80; absent if 0: not reported.
        pub media_written: Reading<Bytes>,
        /// Capacity. TEGCAP, bytes 175:160; absent if 0: not reported.
        pub capacity: Reading<Bytes>,
    }
}

record! {
    /// One namespace: Identify Namespace (CNS 00h) of the NVM command set, and its identification descriptors (CNS 03h).
    pub struct Namespace {
        /// The kernel's block device, as in "nvme0n1".
        pub name: Reading<String>,
        /// Namespace identifier. `nsid` of the block device.
        pub nsid: Reading<u64>,
        /// Size: NSZE, bytes 7:0, times the size of a logical block.
        pub bytes: Reading<Bytes>,
        /// Blocks that may be allocated: NCAP, bytes 15:8, times the size of a logical block. Less than `bytes` if thinly provisioned.
        pub capacity: Reading<Bytes>,
        /// Blocks that are allocated: NUSE, bytes 23:16, times the size of a logical block. Of a drive that reports no thin provisioning it is often just its size.
        pub utilization: Reading<Bytes>,
        /// Size and utilisation are told apart. NSFEAT, byte 24, bit 0.
        pub thin_provisioned: Reading<bool>,
        /// Number of the LBA format in use. FLBAS, byte 26, bits 6:5 and 3:0.
        pub lba_format: Reading<u64>,
        /// Data bytes of a logical block in that format.
        pub logical_block_size: Reading<Bytes>,
        /// Metadata bytes of a logical block in that format.
        pub metadata_bytes: Reading<Bytes>,
        /// Metadata are moved at the end of each block rather than apart. FLBAS, byte 26, bit 4; absent without metadata.
        pub metadata_extended: Reading<bool>,
        /// Protection information that is on, as its type: 1, 2 or 3; absent if off. DPS, byte 29, bits 2:0.
        pub protection_type: Reading<u64>,
        /// Best figure of relative performance among the formats without metadata is that of the format in use: 0 best, 1 better, 2 good, 3 degraded. RP of the LBA formats, bits 25:24.
        pub relative_performance: Reading<u64>,
        /// LBA formats that it supports, as "512+0 rp1": data bytes, metadata bytes, relative performance. LBAF0 on, bytes 128 on.
        pub lba_formats: Reading<Vec<String>>,
        /// Largest data bytes of a logical block among the formats without metadata whose relative performance is the best of these.
        pub best_logical_block_size: Reading<Bytes>,
        /// More than one controller may have it attached. NMIC, byte 30, bit 0.
        pub shared: Reading<bool>,
        /// It is write protected now. NSATTR, byte 99, bit 0.
        pub write_protected: Reading<bool>,
        /// Endurance group; absent if 0. ENDGID, bytes 103:102.
        pub endurance_group: Reading<u64>,
        /// Boundary that IO should not cross, in logical blocks; absent if 0. NOIOB, bytes 47:46.
        pub optimal_io_boundary: Reading<u64>,
        /// EUI-64, lower-case hexadecimal; absent if 0. Descriptor type 1, else bytes 127:120.
        pub eui64: Reading<String>,
        /// NGUID, lower-case hexadecimal; absent if 0. Descriptor type 2, else bytes 119:104.
        pub nguid: Reading<String>,
        /// UUID; absent without one. Descriptor type 3.
        pub uuid: Reading<String>,
    }
}
