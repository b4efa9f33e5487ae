//! Settings of kernel and firmware, one file each. Knows no limits.

use crate::collect::ledger::{Ledger, Missing, Read, some_text};
use crate::inventory::tuning::Tuning;
use crate::reading::Reading;
use crate::units::{Bytes, Kibibytes};

const HUGEPAGES: &str = "/sys/kernel/mm/hugepages";
const WATCHDOG: &str = "/sys/class/watchdog";
const INTEL_PSTATE: &str = "/sys/devices/system/cpu/intel_pstate/no_turbo";
const BOOST: &str = "/sys/devices/system/cpu/cpufreq/boost";
const ALWAYS: Missing = Missing::Untold("every kernel has it");

/// Reads the settings.
pub(crate) fn collect(ledger: &Ledger<'_>) -> Tuning {
    let mut tuning = Tuning::default();
    set!(tuning.iommus, number_of(ledger, "/sys/class/iommu"));
    set!(tuning.iommu_groups, number_of(ledger, "/sys/kernel/iommu_groups"));
    set!(tuning.hugepages, hugepages(ledger));
    set!(
        tuning.transparent_hugepage_defrag,
        ledger.parsed("/sys/kernel/mm/transparent_hugepage/defrag", Missing::Absent, selected)
    );
    set!(tuning.tuned_profile, ledger.parsed("/etc/tuned/active_profile", Missing::Absent, some_text));
    set!(tuning.turbo, turbo(ledger));
    set!(
        tuning.cpuidle_driver,
        ledger.parsed("/sys/devices/system/cpu/cpuidle/current_driver", Missing::Absent, some_text)
    );
    set!(tuning.watchdogs, watchdogs(ledger));
    set!(tuning.crash_kernel, ledger.parsed("/sys/kernel/kexec_crash_loaded", Missing::Absent, flag));
    set!(
        tuning.crash_kernel_bytes,
        ledger.parsed("/sys/kernel/kexec_crash_size", Missing::Absent, |text| count(text).map(Bytes))
    );
    set!(tuning.min_free, ledger.parsed("/proc/sys/vm/min_free_kbytes", ALWAYS, kibibytes));
    set!(tuning.dirty_ratio, ledger.parsed("/proc/sys/vm/dirty_ratio", ALWAYS, count));
    set!(tuning.dirty_background_ratio, ledger.parsed("/proc/sys/vm/dirty_background_ratio", ALWAYS, count));
    set!(tuning.zone_reclaim_mode, ledger.parsed("/proc/sys/vm/zone_reclaim_mode", Missing::Absent, count));
    set!(tuning.numa_balancing, ledger.parsed("/proc/sys/kernel/numa_balancing", Missing::Absent, count));
    set!(tuning.aio_max, ledger.parsed("/proc/sys/fs/aio-max-nr", ALWAYS, count));
    set!(tuning.pid_max, ledger.parsed("/proc/sys/kernel/pid_max", ALWAYS, count));
    tuning
}

fn count(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("no number: {text:?}"))
}

fn kibibytes(text: &str) -> Result<Bytes, String> {
    Kibibytes(count(text)?).to_bytes().ok_or_else(|| format!("{text} kB"))
}

fn flag(text: &str) -> Result<bool, String> {
    match text.trim() {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(format!("neither 0 nor 1: {other:?}")),
    }
}

/// The word in brackets, as in `always defer [madvise] never`.
fn selected(text: &str) -> Result<String, String> {
    let word = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word.trim());
    word.filter(|word| !word.is_empty()).map(str::to_owned).ok_or_else(|| format!("no word is selected in {text:?}"))
}

/// How many entries a folder has; without the folder there are none.
fn number_of(ledger: &Ledger<'_>, path: &str) -> Read<u64> {
    let list = ledger.list(path, Missing::Absent);
    let reading = match list.reading {
        Reading::Known(listing) if listing.complete => Reading::Known(listing.names.len() as u64),
        Reading::Known(_) => Reading::Unreadable(ledger.incomplete(path)),
        Reading::Absent => Reading::Known(0),
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source: list.source }
}

/// One text for each entry of a folder; the first that cannot be read makes the whole unreadable.
fn each(
    ledger: &Ledger<'_>,
    folder: &str,
    pattern: &str,
    of: impl Fn(&str) -> Reading<Option<String>>,
) -> Read<Vec<String>> {
    let source = ledger.source(pattern);
    let reading = match ledger.names(folder, Missing::Absent) {
        Reading::Known(listing) if !listing.complete => Reading::Unreadable(ledger.incomplete(folder)),
        Reading::Known(listing) => {
            let mut texts = Vec::new();
            for name in &listing.names {
                match of(name) {
                    Reading::Known(text) => texts.extend(text),
                    Reading::Absent => {}
                    Reading::Unreadable(error) => return Read { reading: Reading::Unreadable(error), source },
                }
            }
            Reading::Known(texts)
        }
        Reading::Absent => Reading::Known(Vec::new()),
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source }
}

fn hugepages(ledger: &Ledger<'_>) -> Read<Vec<String>> {
    each(ledger, HUGEPAGES, &format!("{HUGEPAGES}/*/nr_hugepages"), |name| {
        let Some(size) = name.strip_prefix("hugepages-").and_then(|size| size.strip_suffix("kB")) else {
            return Reading::Known(None);
        };
        let pages = ledger.value(&format!("{HUGEPAGES}/{name}/nr_hugepages"), ALWAYS, count);
        pages.map(|pages| (pages > 0).then(|| format!("{size} kB: {pages}")))
    })
}

/// The state is told since Linux 4.5 and only by kernels with CONFIG_WATCHDOG_SYSFS.
fn watchdogs(ledger: &Ledger<'_>) -> Read<Vec<String>> {
    each(ledger, WATCHDOG, &format!("{WATCHDOG}/*/identity, state"), |name| {
        let file = |file: &str| ledger.value(&format!("{WATCHDOG}/{name}/{file}"), Missing::Absent, some_text);
        match (file("identity"), file("state")) {
            (Reading::Known(identity), Reading::Known(state)) => Reading::Known(Some(format!("{identity}: {state}"))),
            (Reading::Known(identity), Reading::Absent) => Reading::Known(Some(identity)),
            (Reading::Absent, _) => Reading::Known(Some(name.to_owned())),
            (Reading::Unreadable(error), _) | (_, Reading::Unreadable(error)) => Reading::Unreadable(error),
        }
    })
}

fn turbo(ledger: &Ledger<'_>) -> Read<bool> {
    let pstate = ledger.parsed(INTEL_PSTATE, Missing::Absent, flag);
    match pstate.reading {
        Reading::Absent => ledger.parsed(BOOST, Missing::Absent, flag),
        _ => pstate.map(|off| !off),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Entry, Replay};

    fn read(files: &[(&str, &str)]) -> Tuning {
        let host = Replay::complete(files.iter().map(|(path, text)| (*path, Entry::file(format!("{text}\n")))));
        collect(&Ledger::new(&host))
    }

    #[test]
    fn settings_as_the_kernel_shows_them() {
        let tuning = read(&[
            ("/sys/class/iommu/dmar0/intel-iommu/version", "1:0"),
            ("/sys/class/iommu/dmar1/intel-iommu/version", "1:0"),
            ("/sys/kernel/iommu_groups/0/type", "DMA"),
            ("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "4"),
            ("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0"),
            ("/sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never"),
            ("/etc/tuned/active_profile", "network-latency"),
            (INTEL_PSTATE, "0"),
            (BOOST, "0"),
            ("/sys/devices/system/cpu/cpuidle/current_driver", "intel_idle"),
            ("/sys/class/watchdog/watchdog0/identity", "iTCO_wdt"),
            ("/sys/class/watchdog/watchdog0/state", "inactive"),
            ("/sys/kernel/kexec_crash_loaded", "1"),
            ("/sys/kernel/kexec_crash_size", "268435456"),
            ("/proc/sys/vm/min_free_kbytes", "67584"),
            ("/proc/sys/vm/dirty_ratio", "20"),
            ("/proc/sys/vm/dirty_background_ratio", "10"),
            ("/proc/sys/vm/zone_reclaim_mode", "0"),
            ("/proc/sys/kernel/numa_balancing", "1"),
            ("/proc/sys/fs/aio-max-nr", "1048576"),
            ("/proc/sys/kernel/pid_max", "4194304"),
        ]);
        assert_eq!((&tuning.iommus, &tuning.iommu_groups), (&Reading::Known(2), &Reading::Known(1)));
        assert_eq!(tuning.hugepages, Reading::Known(vec!["1048576 kB: 4".to_owned()]));
        assert_eq!(tuning.transparent_hugepage_defrag, Reading::Known("madvise".into()));
        assert_eq!(
            (&tuning.tuned_profile, &tuning.turbo),
            (&Reading::Known("network-latency".into()), &Reading::Known(true))
        );
        assert_eq!(tuning.watchdogs, Reading::Known(vec!["iTCO_wdt: inactive".to_owned()]));
        assert_eq!(
            (&tuning.crash_kernel, &tuning.crash_kernel_bytes),
            (&Reading::Known(true), &Reading::Known(Bytes(256 << 20)))
        );
        assert_eq!(
            (&tuning.min_free, &tuning.dirty_ratio),
            (&Reading::Known(Bytes(67_584 << 10)), &Reading::Known(20))
        );
        assert_eq!((&tuning.numa_balancing, &tuning.aio_max), (&Reading::Known(1), &Reading::Known(1_048_576)));
    }

    #[test]
    fn what_is_not_there_and_what_is_garbage() {
        let tuning =
            read(&[(BOOST, "1"), ("/proc/sys/vm/dirty_ratio", "much"), ("/sys/kernel/kexec_crash_loaded", "2")]);
        assert_eq!((&tuning.iommus, &tuning.hugepages), (&Reading::Known(0), &Reading::Known(Vec::new())));
        assert_eq!((&tuning.turbo, &tuning.tuned_profile), (&Reading::Known(true), &Reading::Absent));
        assert_eq!((&tuning.zone_reclaim_mode, &tuning.crash_kernel_bytes), (&Reading::Absent, &Reading::Absent));
        assert!(
            matches!(tuning.dirty_ratio, Reading::Unreadable(_))
                && matches!(tuning.crash_kernel, Reading::Unreadable(_))
        );
        assert!(matches!(tuning.min_free, Reading::Unreadable(_)));
        assert_eq!(read(&[(INTEL_PSTATE, "1"), (BOOST, "1")]).turbo, Reading::Known(false));
        assert!(selected("always madvise never").is_err());
        let copy = Replay::from_entries([("/sys/class/iommu/dmar0/x", Entry::file(""))]);
        assert!(matches!(collect(&Ledger::new(&copy)).iommus, Reading::Unreadable(_)));
    }
}
