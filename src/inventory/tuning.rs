//! Settings of the kernel and the firmware that storage systems have demands on.

use crate::reading::Reading;
use crate::units::Bytes;

record! {
    /// Settings by which the same hardware behaves differently.
    pub struct Tuning {
        /// IOMMUs that the kernel uses; 0 where none is there or it is switched off. `/sys/class/iommu`.
        pub iommus: Reading<u64>,
        /// Groups of devices behind them. `/sys/kernel/iommu_groups`.
        pub iommu_groups: Reading<u64>,
        /// Huge pages by size, sorted, as in "1048576 kB: 4"; sizes without pages are left out. `/sys/kernel/mm/hugepages/hugepages-*/nr_hugepages`.
        pub hugepages: Reading<Vec<String>>,
        /// When transparent huge pages are made room for, the selected word. `/sys/kernel/mm/transparent_hugepage/defrag`.
        pub transparent_hugepage_defrag: Reading<String>,
        /// Profile of tuned; absent without tuned. `/etc/tuned/active_profile`.
        pub tuned_profile: Reading<String>,
        /// The processor may clock above its base rate. `/sys/devices/system/cpu/intel_pstate/no_turbo`, else `/sys/devices/system/cpu/cpufreq/boost`; absent
        /// without frequency control.
        pub turbo: Reading<bool>,
        /// Driver of the processors' idle states, as in "intel_idle", "none". `/sys/devices/system/cpu/cpuidle/current_driver`.
        pub cpuidle_driver: Reading<String>,
        /// Watchdogs, sorted, as in "iTCO_wdt: inactive". `/sys/class/watchdog/*/identity`, `state`.
        pub watchdogs: Reading<Vec<String>>,
        /// A kernel is loaded that would write a dump after a crash. `/sys/kernel/kexec_crash_loaded`; absent if the kernel cannot.
        pub crash_kernel: Reading<bool>,
        /// Memory that is kept for it. `/sys/kernel/kexec_crash_size`; absent if the kernel cannot.
        pub crash_kernel_bytes: Reading<Bytes>,
        /// Memory that the kernel keeps free. `/proc/sys/vm/min_free_kbytes`.
        pub min_free: Reading<Bytes>,
        /// Percent of memory that may be dirty before writers wait; 0 if a size is set instead. `/proc/sys/vm/dirty_ratio`.
        pub dirty_ratio: Reading<u64>,
        /// Percent of memory that may be dirty before it is written in the background; 0 if a size is set instead. `/proc/sys/vm/dirty_background_ratio`.
        pub dirty_background_ratio: Reading<u64>,
        /// How memory of the own NUMA node is made free, 0 for not. `/proc/sys/vm/zone_reclaim_mode`; absent without NUMA.
        pub zone_reclaim_mode: Reading<u64>,
        /// Pages are moved between NUMA nodes by themselves, 0 for not. `/proc/sys/kernel/numa_balancing`; absent without NUMA.
        pub numa_balancing: Reading<u64>,
        /// Most asynchronous requests of all processes. `/proc/sys/fs/aio-max-nr`.
        pub aio_max: Reading<u64>,
        /// Most processes and threads. `/proc/sys/kernel/pid_max`.
        pub pid_max: Reading<u64>,
    }
}
