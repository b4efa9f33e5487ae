//! Errors of memory as the kernel's EDAC subsystem counts them.

use crate::reading::{Collection, Reading};
use crate::units::{Bytes, Seconds};

record! {
    /// One memory controller of EDAC (Documentation/admin-guide/RAS, `/sys/devices/system/edac/mc/mc*`). The counters begin when the driver was
    /// loaded or somebody reset them.
    pub struct MemoryController {
        /// The kernel's name, as in "mc0".
        pub name: Reading<String>,
        /// What drives it, as in "Skylake Socket#0 IMC#0". `mc_name`.
        pub model: Reading<String>,
        /// Memory that it manages. `size_mb`.
        pub bytes: Reading<Bytes>,
        /// Errors that were corrected. `ce_count`.
        pub corrected_errors: Reading<u64>,
        /// Errors that could not be corrected. `ue_count`.
        pub uncorrected_errors: Reading<u64>,
        /// Of the corrected ones those of which the module is not known. `ce_noinfo_count`.
        pub corrected_unplaced: Reading<u64>,
        /// Of the others those of which the module is not known. `ue_noinfo_count`.
        pub uncorrected_unplaced: Reading<u64>,
        /// Time for which errors have been counted. `seconds_since_reset`.
        pub counted_for: Reading<Seconds>,
        /// Its modules, or ranks where the driver tells no more. `dimm*`, `rank*`; older kernels: `csrow*/ch*`.
        pub dimms: Collection<EdacDimm>,
    }
}

record! {
    /// One module of a memory controller, by its place.
    pub struct EdacDimm {
        /// The kernel's name, as in "dimm3", "rank0", "csrow1/ch0".
        pub name: Reading<String>,
        /// Label of the slot as driver or administrator set it, as in "CPU_SrcID#0_MC#0_Chan#0_DIMM#0"; absent if empty. `dimm_label`.
        pub label: Reading<String>,
        /// Where it is in the controller's words, as in "channel 0 slot 0"; absent of old kernels. `dimm_location`.
        pub location: Reading<String>,
        /// Kind of memory, as in "Registered-DDR4"; absent of old kernels. `dimm_mem_type`.
        pub memory_type: Reading<String>,
        /// Error correction that is in use, as in "SECDED", "S8ECD8ED", "None"; absent of old kernels. `dimm_edac_mode`.
        pub error_correction: Reading<String>,
        /// Size; absent of old kernels. `size`, MiB.
        pub bytes: Reading<Bytes>,
        /// Errors that were corrected. `dimm_ce_count`, since Linux 4.10; `ch*_ce_count`.
        pub corrected_errors: Reading<u64>,
        /// Errors that could not be corrected. `dimm_ue_count`, since Linux 4.10; absent of old kernels.
        pub uncorrected_errors: Reading<u64>,
    }
}
