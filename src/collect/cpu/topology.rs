//! Which online CPUs are in one package and which are threads of one core.
//!
//! From `/sys/devices/system/cpu/cpu*/topology` (Documentation/admin-guide/cputopology.rst). Takes the kernel at its word:
//! arm64 kernels before 4.18 number clusters where packages should be, and a virtual machine has the packages that it was
//! given. What the kernel does not say (`physical_package_id` -1) is not guessed from other sets: `core_siblings` holds
//! the threads of one core on ppc64 LPARs.

use super::{CPUS, each};
use crate::collect::cpulist::{CpuSet, parse_list, parse_mask};
use crate::collect::ledger::{Ledger, Missing, Parser};
use crate::reading::{ErrorId, ErrorKind, Reading};
use std::collections::BTreeMap;

const NO_TOPOLOGY: Missing = Missing::Untold("the kernel exports no topology of this CPU");

/// Packages and cores of the online CPUs.
pub(super) struct Topology {
    /// Packages by the kernel's number, or without one, each with its online CPUs; in the order of their CPUs.
    pub(super) packages: Reading<Vec<(Reading<u64>, CpuSet)>>,
    /// Pattern of the files that tell the packages.
    pub(super) packages_source: String,
    /// Cores: the online CPUs that are threads of each.
    pub(super) cores: Reading<Vec<CpuSet>>,
    /// Pattern of the files that tell the cores.
    pub(super) cores_source: String,
}

/// Reads the topology of the online CPUs.
pub(super) fn read(ledger: &Ledger<'_>, online: &CpuSet, s390: bool) -> Topology {
    let (cores, cores_file) = siblings(ledger, online, "thread_siblings", "core_cpus");
    let numbers = each(online, |cpu| {
        ledger.value(&format!("{CPUS}/cpu{cpu}/topology/physical_package_id"), NO_TOPOLOGY, |text| {
            text.parse::<i64>().map_err(|error| error.to_string())
        })
    });
    let (packages, packages_file) = if s390 {
        // s390 numbers sockets within a book, and books within a drawer, so numbers alone would merge sockets; old kernels
        // give -1. Its core_siblings are the sockets (arch/s390/kernel/topology.c, `tl_to_masks`).
        let (sets, file) = siblings(ledger, online, "core_siblings", "package_cpus");
        (sets.map(|sets| sets.into_iter().map(|set| (s390_number(ledger, &numbers, &set), set)).collect()), file)
    } else {
        (by_number(ledger, numbers), "physical_package_id".to_owned())
    };
    let source = |file: String| format!("{CPUS}/cpu*/topology/{file}");
    Topology { packages, packages_source: source(packages_file), cores, cores_source: source(cores_file) }
}

/// What an s390 kernel says is the number of the socket that a CPU of the set is in.
fn s390_number(ledger: &Ledger<'_>, numbers: &Reading<Vec<(u32, i64)>>, set: &CpuSet) -> Reading<u64> {
    match numbers {
        Reading::Known(numbers) => {
            let number = numbers.iter().find(|(cpu, _)| set.contains(*cpu)).map(|(_, number)| *number);
            match number.map(u64::try_from) {
                Some(Ok(number)) => Reading::Known(number),
                _ => Reading::Unreadable(no_number(ledger)),
            }
        }
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    }
}

fn no_number(ledger: &Ledger<'_>) -> ErrorId {
    ledger.error(
        format!("read {CPUS}/cpu*/topology/physical_package_id"),
        ErrorKind::NotSupported,
        "the kernel gives -1: it does not know the package of a CPU",
    )
}

fn by_number(ledger: &Ledger<'_>, numbers: Reading<Vec<(u32, i64)>>) -> Reading<Vec<(Reading<u64>, CpuSet)>> {
    let numbers = match numbers {
        Reading::Known(numbers) => numbers,
        Reading::Absent => return Reading::Absent,
        Reading::Unreadable(error) => return Reading::Unreadable(error),
    };
    let mut packages: BTreeMap<u64, Vec<u32>> = BTreeMap::new();
    for (cpu, number) in numbers {
        match u64::try_from(number) {
            Ok(number) => packages.entry(number).or_default().push(cpu),
            Err(_) => return Reading::Unreadable(no_number(ledger)),
        }
    }
    Reading::Known(
        packages.into_iter().map(|(number, cpus)| (Reading::Known(number), cpus.into_iter().collect())).collect(),
    )
}

/// The sets into which a pair of files (an old name, and that since Linux 5.3) divides the online CPUs, and the name of the
/// file that told it.
fn siblings(ledger: &Ledger<'_>, online: &CpuSet, old: &str, new: &str) -> (Reading<Vec<CpuSet>>, String) {
    let names: [(String, Parser<CpuSet>); 4] = [
        (format!("{old}_list"), parse_list),
        (format!("{new}_list"), parse_list),
        (old.to_owned(), parse_mask),
        (new.to_owned(), parse_mask),
    ];
    let mut told_by = 0;
    let sets = each(online, |cpu| {
        let files = names.clone().map(|(name, parse)| (format!("{CPUS}/cpu{cpu}/topology/{name}"), parse));
        let (index, set) = ledger.first_value(&files, NO_TOPOLOGY);
        told_by = index;
        set
    });
    let told_by = names.into_iter().nth(told_by).map_or_else(|| old.to_owned(), |(name, _)| name);
    let sets = match sets {
        Reading::Known(sets) => match partition(online, &sets) {
            Ok(sets) => Reading::Known(sets),
            Err(cause) => Reading::Unreadable(ledger.error(
                format!("read {CPUS}/cpu*/topology/{told_by}"),
                ErrorKind::Conflict,
                cause,
            )),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    (sets, told_by)
}

/// Each CPU names the CPUs it belongs together with, itself among them; all of them must name the same.
fn partition(online: &CpuSet, sets: &[(u32, CpuSet)]) -> Result<Vec<CpuSet>, String> {
    let mut members: BTreeMap<CpuSet, Vec<u32>> = BTreeMap::new();
    for (cpu, set) in sets {
        members.entry(set.and(online)).or_default().push(*cpu);
    }
    let mut parts = Vec::new();
    for (set, named_by) in members {
        let named_by: CpuSet = named_by.into_iter().collect();
        if named_by != set {
            return Err(format!("CPUs {named_by} say that they belong together with CPUs {set}, which say otherwise"));
        }
        parts.push(set);
    }
    parts.sort_by_key(|set| set.iter().next());
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> CpuSet {
        parse_list(text).unwrap()
    }

    #[test]
    fn cores_are_the_sets_that_all_their_cpus_name() {
        let online = list("0-3");
        let sets = [(0, list("0,2")), (1, list("1,3")), (2, list("0,2")), (3, list("1,3"))];
        assert_eq!(partition(&online, &sets).unwrap(), [list("0,2"), list("1,3")]);
    }

    #[test]
    fn an_offline_sibling_does_not_count() {
        let online = list("0-1");
        assert_eq!(partition(&online, &[(0, list("0,2")), (1, list("1"))]).unwrap(), [list("0"), list("1")]);
    }

    #[test]
    fn sets_that_contradict_each_other_are_a_conflict() {
        let online = list("0-1");
        assert!(partition(&online, &[(0, list("0-1")), (1, list("1"))]).is_err());
        assert!(partition(&online, &[(0, list("1")), (1, list("0"))]).is_err());
        assert!(partition(&online, &[(0, list("")), (1, list("1"))]).is_err());
    }
}
