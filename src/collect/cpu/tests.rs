//! The section on small machines: what is there, what is missing, and what contradicts itself.

use super::*;
use crate::host::{Entry, Replay};
use crate::inventory::{Cache, CacheKind};
use crate::units::Bytes;

type Files = Vec<(String, Entry)>;

/// Files of CPUs with two threads a core, eight CPUs in two packages: CPU n is in package n/4 and shares its core with n^1.
fn machine() -> Files {
    let mut files = vec![file("online", "0-7\n"), file("present", "0-7\n"), cpuinfo(0..8)];
    for cpu in 0..8u32 {
        let (core, package) = (cpu / 2 * 2, cpu / 4);
        let threads = format!("{core}-{}\n", core + 1);
        files.push(file(&format!("cpu{cpu}/topology/physical_package_id"), &format!("{package}\n")));
        files.push(file(&format!("cpu{cpu}/topology/thread_siblings_list"), &threads));
        files.extend(cache(cpu, 0, 1, "Data", "32K", &threads));
        files.extend(cache(cpu, 1, 3, "Unified", "8192K", &format!("{}-{}\n", package * 4, package * 4 + 3)));
    }
    files
}

fn file(path: &str, text: &str) -> (String, Entry) {
    (format!("{CPUS}/{path}"), Entry::file(text))
}

fn cpuinfo(cpus: std::ops::Range<u32>) -> (String, Entry) {
    let one = |cpu| {
        format!(
            "processor\t: {cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n\
             model name\t: Some CPU @ 2.10GHz\nstepping\t: 4\nmicrocode\t: 0x2007006\nflags\t\t: vme fpu\n\n"
        )
    };
    (CPUINFO.to_owned(), Entry::file(cpus.map(one).collect::<String>()))
}

fn cache(cpu: u32, index: u32, level: u32, kind: &str, size: &str, shared: &str) -> Files {
    let files = [("level", format!("{level}\n")), ("type", format!("{kind}\n")), ("size", format!("{size}\n"))];
    let folder = format!("cpu{cpu}/cache/index{index}");
    let mut files: Files = files.iter().map(|(name, text)| file(&format!("{folder}/{name}"), text)).collect();
    files.push(file(&format!("{folder}/shared_cpu_list"), shared));
    files
}

fn without(files: Files, what: &str) -> Files {
    let left: Files = files.iter().filter(|(path, _)| !path.contains(what)).cloned().collect();
    assert!(left.len() < files.len(), "{what} is not there");
    left
}

fn replaced(files: Files, path: &str, text: &str) -> Files {
    let mut files = without(files, path);
    files.push(file(path, text));
    files
}

fn kind_of<T: std::fmt::Debug>(ledger: &Ledger<'_>, reading: &Reading<T>) -> ErrorKind {
    match reading {
        Reading::Unreadable(error) => ledger.error_at(*error).unwrap().kind,
        other => panic!("{other:?}"),
    }
}

/// A whole machine.
fn live(files: Files) -> Cpu {
    collect(&Ledger::new(&Replay::complete(files)))
}

fn counted(caches: &Collection<Cache>) -> Vec<(u64, CacheKind, u64, u64, Option<u64>)> {
    let known = |reading: &Reading<u64>| *reading.known().unwrap();
    let one = |cache: &Cache| {
        let bytes = cache.bytes.known().unwrap().0;
        (known(&cache.level), *cache.kind.known().unwrap(), bytes, known(&cache.cpus), cache.count.known().copied())
    };
    caches.items().iter().map(one).collect()
}

const L1: (u64, CacheKind, u64, u64, Option<u64>) = (1, CacheKind::Data, 32 << 10, 2, Some(4));
const L3: (u64, CacheKind, u64, u64, Option<u64>) = (3, CacheKind::Unified, 8 << 20, 4, Some(2));

#[test]
fn a_whole_machine() {
    let cpu = live(machine());
    assert_eq!(cpu.sockets, Reading::Known(2));
    assert_eq!(cpu.cores, Reading::Known(4));
    assert_eq!(cpu.threads, Reading::Known(8));
    assert_eq!(cpu.threads_offline, Reading::Known(0));
    assert_eq!(cpu.smt_active, Reading::Known(true));
    assert_eq!(cpu.models, Reading::Known(vec!["Some CPU @ 2.10GHz".to_owned()]));
    assert_eq!(cpu.governors, Reading::Absent);
    assert_eq!(cpu.microcode_revisions, Reading::Known(vec!["0x2007006".to_owned()]));
    assert!(matches!(cpu.caches, Collection::Complete(_)));
    assert_eq!(counted(&cpu.caches), [L1, L3]);

    let Collection::Complete(packages) = &cpu.packages else { panic!("{:?}", cpu.packages) };
    let ids: Vec<_> = packages.iter().map(|package| package.id.clone()).collect();
    assert_eq!(ids, [Reading::Known(0), Reading::Known(1)]);
    let package = &packages[1];
    assert_eq!(package.vendor, Reading::Known("GenuineIntel".to_owned()));
    assert_eq!((&package.family, &package.model_number), (&Reading::Known(6), &Reading::Known(85)));
    assert_eq!((&package.cores, &package.threads), (&Reading::Known(2), &Reading::Known(4)));
    assert_eq!(package.flags, Reading::Known(vec!["fpu".to_owned(), "vme".to_owned()]));
    assert_eq!(package.parts, Reading::Absent);
    assert_eq!(package.max_clock, Reading::Absent);
    assert_eq!(package.base_clock, Reading::Known(Hertz(2_100_000_000)));
}

#[test]
fn an_offline_cpu_has_no_topology_and_is_not_asked_for_it() {
    let mut files = without(machine(), "cpu7/");
    files = replaced(files, "online", "0-6\n");
    files.retain(|(path, _)| path != CPUINFO);
    files.push(cpuinfo(0..7));
    let cpu = live(files);
    assert_eq!(cpu.threads, Reading::Known(7));
    assert_eq!(cpu.threads_present, Reading::Known(8));
    assert_eq!(cpu.threads_offline, Reading::Known(1));
    assert_eq!(cpu.cores, Reading::Known(4));
    // The core and the package of the offline CPU are smaller by one.
    let one = |bytes: u64, level, kind, cpus, count| (level, kind, bytes, cpus, Some(count));
    assert_eq!(
        counted(&cpu.caches),
        [
            one(32 << 10, 1, CacheKind::Data, 1, 1),
            one(32 << 10, 1, CacheKind::Data, 2, 3),
            one(8 << 20, 3, CacheKind::Unified, 3, 1),
            one(8 << 20, 3, CacheKind::Unified, 4, 1),
        ]
    );
}

#[test]
fn a_package_that_the_kernel_does_not_know_is_not_one() {
    let host = Replay::complete(replaced(machine(), "cpu3/topology/physical_package_id", "-1\n"));
    let ledger = Ledger::new(&host);
    let cpu = collect(&ledger);
    assert_eq!(kind_of(&ledger, &cpu.sockets), ErrorKind::NotSupported);
    assert!(matches!(cpu.packages, Collection::Unreadable(_)));
    // Cores do not depend on packages.
    assert_eq!(cpu.cores, Reading::Known(4));
    assert!(cpu.models.known().is_some());
}

#[test]
fn a_missing_file_of_one_cpu_makes_the_sum_unknown() {
    for (missing, sockets, cores) in [("cpu5/topology/physical", false, true), ("cpu5/topology/thread", true, false)] {
        for host in [Replay::complete(without(machine(), missing)), Replay::from_entries(without(machine(), missing))] {
            let cpu = collect(&Ledger::new(&host));
            assert_eq!(cpu.sockets.known().is_some(), sockets, "{missing}");
            assert_eq!(cpu.cores.known().is_some(), cores, "{missing}");
        }
    }
}

#[test]
fn siblings_that_contradict_each_other_are_a_conflict() {
    let host = Replay::complete(replaced(machine(), "cpu0/topology/thread_siblings_list", "0-2\n"));
    let ledger = Ledger::new(&host);
    assert_eq!(kind_of(&ledger, &collect(&ledger).cores), ErrorKind::Conflict);
}

#[test]
fn without_the_mask_cpuinfo_lists_the_cpus_unless_one_says_that_it_is_offline() {
    let files = without(machine(), "/online");
    let host = Replay::from_entries(files.clone());
    let ledger = Ledger::new(&host);
    let cpu = collect(&ledger);
    assert_eq!((&cpu.threads, &cpu.sockets), (&Reading::Known(8), &Reading::Known(2)));
    assert_eq!(cpu.sources.get("threads"), Some(ledger.source(CPUINFO)));

    let mut files = files;
    files.push(file("cpu6/online", "0\n"));
    let host = Replay::from_entries(files);
    let ledger = Ledger::new(&host);
    let cpu = collect(&ledger);
    assert_eq!(kind_of(&ledger, &cpu.threads), ErrorKind::Conflict);
    assert_eq!(kind_of(&ledger, &cpu.sockets), ErrorKind::Conflict);
}

#[test]
fn folders_of_cpus_alone_do_not_say_how_many_there_are() {
    let files = without(without(machine(), "/online"), CPUINFO);
    let host = Replay::from_entries(files);
    let ledger = Ledger::new(&host);
    let cpu = collect(&ledger);
    for reading in [&cpu.threads, &cpu.cores, &cpu.sockets] {
        assert_eq!(kind_of(&ledger, reading), ErrorKind::NotInCapture);
    }
    assert!(matches!(cpu.caches, Collection::Unreadable(_)));
}

#[test]
fn a_copied_tree_counts_the_caches_that_serve_every_cpu() {
    let cpu = collect(&Ledger::new(&Replay::from_entries(machine())));
    assert!(matches!(cpu.caches, Collection::Partial { .. }));
    assert_eq!(counted(&cpu.caches), [L1, L3]);

    let gone = without(machine(), "cpu4/cache/index1");
    let gone = ["cpu5", "cpu6", "cpu7"].iter().fold(gone, |files, cpu| without(files, &format!("{cpu}/cache/index1")));
    let cpu = collect(&Ledger::new(&Replay::from_entries(gone)));
    assert_eq!(counted(&cpu.caches), [L1, (L3.0, L3.1, L3.2, L3.3, None)]);
}

#[test]
fn a_cache_that_nobody_says_is_shared_is_not_counted() {
    let files = without(machine(), "cpu2/cache/index0/shared_cpu_list");
    let cpu = live(files);
    assert!(matches!(cpu.caches, Collection::Partial { .. }));
    let uncounted: Vec<_> = cpu.caches.items().iter().filter(|cache| cache.cpus.known().is_none()).collect();
    assert_eq!(uncounted.len(), 1);
    assert_eq!(uncounted[0].bytes, Reading::Known(Bytes(32 << 10)));
    assert!(uncounted[0].count.known().is_none());
}

#[test]
fn cpus_that_say_different_things_make_the_package_a_conflict() {
    let (path, Entry::File(text)) = cpuinfo(0..8) else { panic!() };
    let text = String::from_utf8(text).unwrap().replacen("0x2007006", "0x2007108", 1);
    let mut files = without(machine(), CPUINFO);
    files.push((path, Entry::file(text)));
    let host = Replay::complete(files);
    let ledger = Ledger::new(&host);
    let cpu = collect(&ledger);
    let packages = cpu.packages.items();
    assert_eq!(kind_of(&ledger, &packages[0].microcode), ErrorKind::Conflict);
    assert_eq!(packages[1].microcode, Reading::Known("0x2007006".to_owned()));
    assert_eq!(cpu.microcode_revisions, Reading::Known(vec!["0x2007006".to_owned(), "0x2007108".to_owned()]));
}

#[test]
fn clocks_are_those_of_the_extreme_cpus_and_the_slowest_base() {
    let mut files = machine();
    for cpu in 0..8 {
        let favoured = if cpu == 5 { 4_000_000 } else { 3_700_000 };
        let base = if cpu < 6 { 2_600_000 } else { 1_900_000 };
        files.push(file(&format!("cpu{cpu}/cpufreq/cpuinfo_max_freq"), &format!("{favoured}\n")));
        files.push(file(&format!("cpu{cpu}/cpufreq/cpuinfo_min_freq"), "800000\n"));
        files.push(file(&format!("cpu{cpu}/cpufreq/base_frequency"), &format!("{base}\n")));
        files.push(file(&format!("cpu{cpu}/cpufreq/scaling_governor"), "powersave\n"));
    }
    let cpu = live(files);
    let packages = cpu.packages.items();
    assert_eq!(packages[0].max_clock, Reading::Known(Hertz(3_700_000_000)));
    assert_eq!(packages[1].max_clock, Reading::Known(Hertz(4_000_000_000)));
    assert_eq!(packages[1].min_clock, Reading::Known(Hertz(800_000_000)));
    assert_eq!(packages[0].base_clock, Reading::Known(Hertz(2_600_000_000)));
    assert_eq!(packages[1].base_clock, Reading::Known(Hertz(1_900_000_000)));
    assert_eq!(cpu.governors, Reading::Known(vec!["powersave".to_owned()]));
}

#[test]
fn s390_numbers_its_sockets_within_a_book() {
    let lines = "vendor_id       : IBM/S390\n# processors    : 2\nfeatures\t: esan3 zarch\n\
                 cache4          : level=3 type=Unified scope=Shared size=65536K line_size=256 associativity=16\n\
                 processor 0: version = 00,  identification = 1,  machine = 2964\n\
                 processor 1: version = 00,  identification = 1,  machine = 2964\n";
    let mut files = vec![(CPUINFO.to_owned(), Entry::file(lines)), file("online", "0-1\n")];
    for cpu in 0..2 {
        files.push(file(&format!("cpu{cpu}/topology/physical_package_id"), "1\n"));
        files.push(file(&format!("cpu{cpu}/topology/book_id"), &format!("{cpu}\n")));
        files.push(file(&format!("cpu{cpu}/topology/core_siblings_list"), &format!("{cpu}\n")));
        files.push(file(&format!("cpu{cpu}/topology/thread_siblings_list"), &format!("{cpu}\n")));
        files.extend(cache(cpu, 0, 1, "Data", "128K", &format!("{cpu}\n")));
    }
    let host = Replay::complete(files);
    let ledger = Ledger::new(&host);
    let cpu = collect(&ledger);
    assert_eq!(cpu.sockets, Reading::Known(2));
    let packages = cpu.packages.items();
    assert_eq!((&packages[0].id, &packages[1].id), (&Reading::Known(1), &Reading::Known(1)));
    assert_eq!(packages[0].model, Reading::Known("2964".to_owned()));
    // A shared cache has a size, and nobody says how many there are.
    let shared = &cpu.caches.items()[1];
    assert_eq!((&shared.level, &shared.bytes), (&Reading::Known(3), &Reading::Known(Bytes(64 << 20))));
    assert_eq!(kind_of(&ledger, &shared.count), ErrorKind::NotSupported);
}

#[test]
fn vulnerabilities_are_listed_whole_or_not_at_all() {
    let mut files = machine();
    files.push(file("vulnerabilities/mds", "Vulnerable: Clear CPU buffers attempted, no microcode\n"));
    files.push(file("vulnerabilities/l1tf", "Not affected\n"));
    assert_eq!(live(files.clone()).vulnerable, Reading::Known(vec!["mds".to_owned()]));
    let host = Replay::from_entries(files);
    let ledger = Ledger::new(&host);
    assert_eq!(kind_of(&ledger, &collect(&ledger).vulnerable), ErrorKind::NotInCapture);
}

#[test]
fn a_revision_file_without_content_is_no_revision() {
    // A recording whose files lost their content: an empty revision would be one that all CPUs share.
    let mut files = without(machine(), "cpuinfo");
    let one = |cpu: u32| {
        format!(
            "processor\t: {cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n\
             model name\t: Some CPU @ 2.10GHz\nstepping\t: 4\nflags\t\t: vme fpu\n\n"
        )
    };
    files.push((CPUINFO.to_owned(), Entry::file((0..8).map(one).collect::<String>())));
    files.extend((0..8).map(|cpu| file(&format!("cpu{cpu}/microcode/version"), "")));
    let replay = Replay::complete(files);
    let ledger = Ledger::new(&replay);
    let cpu = collect(&ledger);
    assert_eq!(kind_of(&ledger, &cpu.microcode_revisions), ErrorKind::Malformed);
}
