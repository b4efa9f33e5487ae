//! Processors: how many, of what kind, in which packages, with which caches.
//!
//! The kernel's mask of online CPUs rules: topology, caches and clocks are those of the CPUs in it, for an offline CPU has
//! none. Speaks of the machine, not of the process: cpusets and affinities are not looked at.

mod cache;
pub(crate) mod cpuinfo;
#[cfg(test)]
mod tests;
mod throttle;
mod topology;

use crate::collect::cpulist::{CpuSet, parse_list};
use crate::collect::ledger::{Ledger, Missing, Parser, Read, some_text};
use crate::inventory::{Cpu, Package};
use crate::reading::{Collection, ErrorKind, Reading, SourceId};
use crate::units::Hertz;
use cpuinfo::CpuInfo;
use std::collections::BTreeSet;
use topology::Topology;

const CPUS: &str = "/sys/devices/system/cpu";
const CPUINFO: &str = "/proc/cpuinfo";
/// The folder `cpufreq` exists while a frequency driver runs.
const NO_DRIVER: Missing = Missing::Absent;

/// Reads the processors.
pub fn collect(ledger: &Ledger<'_>) -> Cpu {
    let mut cpu = Cpu::default();
    let info = cpuinfo(ledger);
    let online = online(ledger, &info);
    let present = ledger.parsed(&format!("{CPUS}/present"), NO_MASK, parse_list);

    let offline = match (&present.reading, &online.reading) {
        (Reading::Known(present), Reading::Known(online)) => Reading::Known(present.minus(online).len()),
        (Reading::Unreadable(error), _) | (_, Reading::Unreadable(error)) => Reading::Unreadable(*error),
        (Reading::Absent, _) | (_, Reading::Absent) => Reading::Absent,
    };
    set!(cpu.threads_offline, Read { reading: offline, source: present.source });
    set!(cpu.threads, Read { reading: online.reading.clone().map(|set| set.len()), source: online.source });
    set!(cpu.threads_present, present.map(|set| set.len()));
    set!(cpu.vulnerable, vulnerable(ledger));

    let online = match online.reading {
        Reading::Known(online) => online,
        Reading::Absent => CpuSet::default(),
        Reading::Unreadable(error) => {
            // Which CPUs to ask is not known, so nothing that is asked of each can be.
            cpu.sockets = Reading::Unreadable(error);
            cpu.cores = Reading::Unreadable(error);
            cpu.models = Reading::Unreadable(error);
            cpu.governors = Reading::Unreadable(error);
            cpu.microcode_revisions = Reading::Unreadable(error);
            cpu.core_throttles = Reading::Unreadable(error);
            cpu.package_throttles = Reading::Unreadable(error);
            cpu.packages = Collection::Unreadable(error);
            cpu.caches = Collection::Unreadable(error);
            set!(cpu.smt_active, smt_active(ledger, &cpu));
            return cpu;
        }
    };
    let s390 = match &info.reading {
        Reading::Known(info) => info.is_s390(),
        // Only s390 has books (Documentation/ABI/stable/sysfs-devices-system-cpu, `book_id`).
        _ => online
            .iter()
            .next()
            .is_some_and(|first| ledger.host().read(&format!("{CPUS}/cpu{first}/topology/book_id")).is_ok()),
    };
    let topology = topology::read(ledger, &online, s390);
    let source = |pattern: &str| ledger.source(pattern);
    set!(cpu.sockets, Read { reading: count(&topology.packages), source: source(&topology.packages_source) });
    set!(cpu.cores, Read { reading: count(&topology.cores), source: source(&topology.cores_source) });
    set!(cpu.smt_active, smt_active(ledger, &cpu));
    set!(cpu.core_throttles, throttle::most(ledger, &online, "core_throttle_count"));
    set!(cpu.package_throttles, throttle::most(ledger, &online, "package_throttle_count"));
    set!(cpu.models, distinct(said(ledger, &info, &online, if s390 { MODEL_S390 } else { MODEL })));
    set!(cpu.governors, governors(ledger, &online));
    set!(cpu.microcode_revisions, distinct(microcode(ledger, &info, &online)));
    cpu.packages = match &topology.packages {
        Reading::Known(packages) => Collection::Complete(
            packages.iter().map(|(id, cpus)| package(ledger, &info, &topology, id.clone(), cpus)).collect(),
        ),
        Reading::Absent => Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => Collection::Unreadable(*error),
    };
    cpu.sources.set("packages", source(&topology.packages_source));
    let shared = info.reading.known().map(CpuInfo::shared_caches).unwrap_or_default();
    cpu.caches = cache::collect(ledger, &online, &shared);
    cpu.sources.set("caches", source(&format!("{CPUS}/cpu*/cache/index*")));
    cpu
}

const NO_MASK: Missing = Missing::Untold("the kernel is older than 2.6.29");

fn parse_online(text: &str) -> Result<CpuSet, String> {
    let set = parse_list(text)?;
    if set.is_empty() { Err("no CPU is online".to_owned()) } else { Ok(set) }
}

/// The online CPUs, for other sections.
pub(crate) fn online_cpus(ledger: &Ledger<'_>) -> Reading<CpuSet> {
    match ledger.value(&format!("{CPUS}/online"), NO_MASK, parse_online) {
        Reading::Unreadable(_) => listed(ledger, &cpuinfo(ledger).reading),
        mask => mask,
    }
}

/// The online CPUs. The mask rules; `/proc/cpuinfo` lists the same CPUs and serves where the mask is missing.
fn online(ledger: &Ledger<'_>, info: &Read<CpuInfo>) -> Read<CpuSet> {
    let mask = ledger.parsed(&format!("{CPUS}/online"), NO_MASK, parse_online);
    match (&mask.reading, &info.reading) {
        (Reading::Unreadable(_), Reading::Known(_)) => {
            Read { reading: listed(ledger, &info.reading), source: info.source }
        }
        _ => mask,
    }
}

/// The CPUs that `/proc/cpuinfo` lists, if none of them says itself that it is offline.
fn listed(ledger: &Ledger<'_>, info: &Reading<CpuInfo>) -> Reading<CpuSet> {
    let info = match info {
        Reading::Known(info) => info,
        Reading::Absent => return Reading::Absent,
        Reading::Unreadable(error) => return Reading::Unreadable(*error),
    };
    for cpu in info.cpus() {
        // CPUs that cannot go offline have no such file.
        let state = ledger.host().read(&format!("{CPUS}/cpu{cpu}/online"));
        if state.is_ok_and(|state| state.trim_ascii() == b"0") {
            return Reading::Unreadable(ledger.error(
                format!("read {CPUINFO}"),
                ErrorKind::Conflict,
                format!("it lists CPU {cpu}, which {CPUS}/cpu{cpu}/online says is offline"),
            ));
        }
    }
    Reading::Known(info.cpus().collect())
}

fn cpuinfo(ledger: &Ledger<'_>) -> Read<CpuInfo> {
    ledger.parsed(CPUINFO, Missing::Untold("every kernel has it"), cpuinfo::parse)
}

fn count<T>(reading: &Reading<Vec<T>>) -> Reading<u64> {
    match reading {
        Reading::Known(items) => Reading::Known(items.len() as u64),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    }
}

/// Asks of each CPU in turn, up to the first that cannot be told. CPUs that have none are left out; if all have none, so
/// has the machine.
fn each<T>(cpus: &CpuSet, mut ask: impl FnMut(u32) -> Reading<T>) -> Reading<Vec<(u32, T)>> {
    let mut known = Vec::new();
    for cpu in cpus.iter() {
        match ask(cpu) {
            Reading::Known(value) => known.push((cpu, value)),
            Reading::Absent => {}
            Reading::Unreadable(error) => return Reading::Unreadable(error),
        }
    }
    if known.is_empty() { Reading::Absent } else { Reading::Known(known) }
}

fn smt_active(ledger: &Ledger<'_>, cpu: &Cpu) -> Read<bool> {
    let file =
        ledger.parsed(
            &format!("{CPUS}/smt/active"),
            Missing::Untold("the kernel is older than 4.19"),
            |text| match text {
                "0" => Ok(false),
                "1" => Ok(true),
                _ => Err(format!("{text:?} is neither 0 nor 1")),
            },
        );
    match (&file.reading, &cpu.threads, &cpu.cores) {
        (Reading::Unreadable(_), Reading::Known(threads), Reading::Known(cores)) => {
            Read { reading: Reading::Known(threads > cores), source: ledger.source("derived: threads > cores") }
        }
        _ => file,
    }
}

fn governors(ledger: &Ledger<'_>, online: &CpuSet) -> Read<Vec<String>> {
    let governors = each(online, |cpu| {
        ledger.value(&format!("{CPUS}/cpu{cpu}/cpufreq/scaling_governor"), NO_DRIVER, |text| match text {
            "" => Err("the file is empty".to_owned()),
            governor => Ok(governor.to_owned()),
        })
    });
    distinct(Read { reading: governors, source: ledger.source(format!("{CPUS}/cpu*/cpufreq/scaling_governor")) })
}

/// The distinct values, sorted.
fn distinct(read: Read<Vec<(u32, String)>>) -> Read<Vec<String>> {
    read.map(|values| values.into_iter().map(|(_, value)| value).collect::<BTreeSet<_>>().into_iter().collect())
}

/// Names of the vulnerabilities that are not mitigated.
fn vulnerable(ledger: &Ledger<'_>) -> Read<Vec<String>> {
    let folder = format!("{CPUS}/vulnerabilities");
    let list = ledger.list(&folder, Missing::Untold("the kernel is older than 4.15"));
    let source = list.source;
    let reading = match list.reading {
        Reading::Known(listing) if listing.complete => {
            let mut names = Vec::new();
            let mut failed = None;
            for name in listing.names {
                match ledger.value(&format!("{folder}/{name}"), Missing::Absent, |text| Ok(is_vulnerable(text))) {
                    Reading::Known(true) => names.push(name),
                    Reading::Known(false) | Reading::Absent => {}
                    Reading::Unreadable(error) => failed = Some(error),
                }
            }
            failed.map_or(Reading::Known(names), Reading::Unreadable)
        }
        Reading::Known(_) => Reading::Unreadable(ledger.incomplete(&folder)),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source }
}

/// The words of `cpu_show_common` in `arch/x86/kernel/cpu/bugs.c`; other architectures use the first.
fn is_vulnerable(text: &str) -> bool {
    ["Vulnerable", "Processor vulnerable", "KVM: Vulnerable"].iter().any(|words| text.starts_with(words))
}

const MODEL: &[&str] = &["model name", "Model Name", "cpu", "Processor"];
/// Other formats have the whole machine under this key.
const MODEL_S390: &[&str] = &["machine"];
const VENDOR: &[&str] = &["vendor_id", "vendor", "CPU implementer"];
const FLAGS: &[&str] = &["flags", "Features", "features"];

/// What `/proc/cpuinfo` says of each CPU under the first of the keys that its format has.
fn said(ledger: &Ledger<'_>, info: &Read<CpuInfo>, cpus: &CpuSet, keys: &[&str]) -> Read<Vec<(u32, String)>> {
    let reading = match &info.reading {
        Reading::Known(info) => each(cpus, |cpu| match info.value(cpu, keys) {
            Some(value) => Reading::Known(value.to_owned()),
            None if info.lists(cpu) => Reading::Absent,
            None => Reading::Unreadable(ledger.error(
                format!("read {CPUINFO}"),
                ErrorKind::Conflict,
                "it does not list every CPU that is online",
            )),
        }),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    Read { reading, source: info.source }
}

/// Microcode revision of each CPU: a thing of x86.
fn microcode(ledger: &Ledger<'_>, info: &Read<CpuInfo>, cpus: &CpuSet) -> Read<Vec<(u32, String)>> {
    let said = said(ledger, info, cpus, &["microcode"]);
    match (&said.reading, &info.reading) {
        // Kernels before 3.2 do not say it there (commit 506ed6b53e00).
        (Reading::Absent, Reading::Known(info)) if info.is_x86() => {
            let reading = each(cpus, |cpu| {
                let path = format!("{CPUS}/cpu{cpu}/microcode/version");
                ledger.value(&path, Missing::Untold("no microcode driver is loaded"), some_text)
            });
            Read { reading, source: ledger.source(format!("{CPUS}/cpu*/microcode/version")) }
        }
        _ => said,
    }
}

fn package(ledger: &Ledger<'_>, info: &Read<CpuInfo>, topology: &Topology, id: Reading<u64>, cpus: &CpuSet) -> Package {
    let mut package = Package::default();
    let x86 = info.reading.known().is_some_and(CpuInfo::is_x86);
    let s390 = info.reading.known().is_some_and(CpuInfo::is_s390);
    let arm = info.reading.known().is_some_and(CpuInfo::is_arm);
    let say = |keys: &[&str]| said(ledger, info, cpus, keys);
    // "model" and "family" are other things in other formats: of ppc64 the machine's, of ia64 numbers of its own.
    let x86_number = |key: &str| {
        let said = if x86 { say(&[key]) } else { say(&[]) };
        number(ledger, same(ledger, said, cpus, key), key)
    };
    set!(package.id, Read { reading: id, source: ledger.source(format!("{CPUS}/cpu*/topology/physical_package_id")) });
    set!(package.vendor, same(ledger, say(VENDOR), cpus, "vendor"));
    set!(package.model, same(ledger, say(if s390 { MODEL_S390 } else { MODEL }), cpus, "model name"));
    set!(package.family, x86_number("cpu family"));
    set!(package.model_number, x86_number("model"));
    set!(package.stepping, x86_number("stepping"));
    set!(package.parts, distinct(if arm { say(&["CPU part"]) } else { say(&[]) }));
    set!(package.microcode, same(ledger, microcode(ledger, info, cpus), cpus, "microcode"));
    let source = |pattern: &str| ledger.source(pattern);
    let cores =
        topology.cores.clone().map(|cores| cores.iter().filter(|core| !core.and(cpus).is_empty()).count() as u64);
    set!(package.cores, Read { reading: cores, source: source(&topology.cores_source) });
    set!(package.threads, Read { reading: Reading::Known(cpus.len()), source: source(&topology.packages_source) });
    set!(package.flags, same(ledger, say(FLAGS), cpus, "flags").map(|text| flags(&text)));

    let clocks = |file: &str| {
        let reading = each(cpus, |cpu| ledger.value(&format!("{CPUS}/cpu{cpu}/cpufreq/{file}"), NO_DRIVER, kilohertz));
        Read { reading, source: ledger.source(format!("{CPUS}/cpu*/cpufreq/{file}")) }
    };
    set!(package.max_clock, extreme(clocks("cpuinfo_max_freq"), |clocks| clocks.max()));
    set!(package.min_clock, extreme(clocks("cpuinfo_min_freq"), |clocks| clocks.min()));
    set!(package.base_clock, base_clock(ledger, &package.model, info.source, cpus));
    package
}

/// What all CPUs say alike.
fn same(ledger: &Ledger<'_>, read: Read<Vec<(u32, String)>>, cpus: &CpuSet, key: &str) -> Read<String> {
    let source = read.source;
    let reading = match read.reading {
        Reading::Known(values) => {
            let mut values = values.into_iter();
            let first = values.next();
            let other = first.as_ref().and_then(|(_, first)| values.find(|(_, value)| value != first));
            match (first, other) {
                (Some((_, value)), None) => Reading::Known(value),
                (Some((cpu, _)), Some((other, _))) => Reading::Unreadable(ledger.error(
                    format!("read {key} of CPUs {cpus}"),
                    ErrorKind::Conflict,
                    format!("CPU {cpu} and CPU {other} say different things"),
                )),
                (None, _) => Reading::Absent,
            }
        }
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source }
}

fn number(ledger: &Ledger<'_>, read: Read<String>, key: &str) -> Read<u64> {
    let source = read.source;
    let reading = match read.reading {
        Reading::Known(text) => match text.parse() {
            Ok(number) => Reading::Known(number),
            Err(_) => ledger.malformed(CPUINFO, format!("{key} is {text:?}, not a number")),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source }
}

/// Sorted. ia64 separates by commas, for its features have blanks within; all others by blanks.
fn flags(text: &str) -> Vec<String> {
    let parts: BTreeSet<&str> = if text.contains(',') {
        text.split(',').map(str::trim).filter(|flag| !flag.is_empty()).collect()
    } else {
        text.split_whitespace().collect()
    };
    parts.into_iter().map(str::to_owned).collect()
}

fn extreme(
    read: Read<Vec<(u32, u64)>>,
    pick: impl FnOnce(&mut dyn Iterator<Item = u64>) -> Option<u64>,
) -> Read<Hertz> {
    let source = read.source;
    let reading = match read.reading {
        Reading::Known(values) => pick(&mut values.into_iter().map(|(_, value)| value))
            .map_or(Reading::Absent, |value| Reading::Known(Hertz(value))),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    };
    Read { reading, source }
}

/// cpufreq writes kilohertz (Documentation/admin-guide/pm/cpufreq.rst). In hertz.
fn kilohertz(text: &str) -> Result<u64, String> {
    scaled(text, 1000)
}

/// `nominal_freq` is in megahertz, 0 if the firmware does not tell (Documentation/admin-guide/acpi/cppc_sysfs.rst). In hertz.
fn megahertz(text: &str) -> Result<u64, String> {
    scaled(text, 1_000_000)
}

fn scaled(text: &str, by: u64) -> Result<u64, String> {
    let number = text.parse::<u64>().map_err(|error| error.to_string())?;
    if number == 0 {
        return Err("a clock of 0 is none".to_owned());
    }
    number.checked_mul(by).ok_or_else(|| format!("{number} is too large"))
}

fn base_clock(ledger: &Ledger<'_>, model: &Reading<String>, cpuinfo: SourceId, cpus: &CpuSet) -> Read<Hertz> {
    const UNTOLD: Missing =
        Missing::Untold("neither the frequency driver nor the firmware nor the model name tells it");
    let mut told_by = 0;
    let names: [(&str, Parser<u64>); 2] =
        [("cpufreq/base_frequency", kilohertz), ("acpi_cppc/nominal_freq", megahertz)];
    let clocks = each(cpus, |cpu| {
        let files = names.map(|(name, parse)| (format!("{CPUS}/cpu{cpu}/{name}"), parse));
        let (index, clock) = ledger.first_value(&files, UNTOLD);
        told_by = index;
        clock
    });
    let name = names.get(told_by).map_or("", |(name, _)| name);
    let read =
        extreme(Read { reading: clocks, source: ledger.source(format!("{CPUS}/cpu*/{name}")) }, |clocks| clocks.min());
    match (&read.reading, model.known().and_then(|model| clock_in_name(model))) {
        (Reading::Unreadable(_), Some(clock)) => Read { reading: Reading::Known(clock), source: cpuinfo },
        _ => read,
    }
}

/// The figure in "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz": Intel writes the clock without turbo there.
fn clock_in_name(model: &str) -> Option<Hertz> {
    let (_, figure) = model.rsplit_once("@ ")?;
    let (figure, unit) = match (figure.strip_suffix("GHz"), figure.strip_suffix("MHz")) {
        (Some(figure), _) => (figure, 1e9),
        (None, Some(figure)) => (figure, 1e6),
        (None, None) => return None,
    };
    let hertz = figure.trim().parse::<f64>().ok()? * unit;
    (1e6..=1e11).contains(&hertz).then(|| Hertz(hertz.round() as u64))
}

#[cfg(test)]
mod parse_tests {
    use super::*;

    #[test]
    fn only_what_is_called_vulnerable_is_vulnerable() {
        assert!(is_vulnerable("Vulnerable: Clear CPU buffers attempted, no microcode; SMT vulnerable"));
        assert!(is_vulnerable("Processor vulnerable"));
        assert!(is_vulnerable("KVM: Vulnerable"));
        for text in
            ["Not affected", "Mitigation: Clear CPU buffers; SMT vulnerable", "Unknown: Dependent on hypervisor status"]
        {
            assert!(!is_vulnerable(text), "{text}");
        }
    }

    #[test]
    fn the_clock_in_a_name() {
        assert_eq!(clock_in_name("Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz"), Some(Hertz(2_100_000_000)));
        assert_eq!(clock_in_name("Intel(R) Xeon(R) CPU           E5472  @ 3.00GHz"), Some(Hertz(3_000_000_000)));
        assert_eq!(clock_in_name("Intel(R) Pentium(R) III @ 866MHz"), Some(Hertz(866_000_000)));
        for name in ["AMD EPYC 7763 64-Core Processor", "x @ GHz", "x @ -2GHz", "x @ 1e300GHz", "x @ nanGHz", "@"] {
            assert_eq!(clock_in_name(name), None, "{name}");
        }
    }

    #[test]
    fn flags_are_separated_by_blanks_or_commas() {
        assert_eq!(flags("vme fpu  vme"), ["fpu", "vme"]);
        assert_eq!(flags("branchlong, 16-byte atomic ops"), ["16-byte atomic ops", "branchlong"]);
    }

    #[test]
    fn clocks_of_nothing_are_refused() {
        assert_eq!(kilohertz("3700000").unwrap(), 3_700_000_000);
        assert_eq!(megahertz("2450").unwrap(), 2_450_000_000);
        for bad in ["", "0", "-1", "18446744073709551615", "<unknown>"] {
            assert!(kilohertz(bad).is_err(), "{bad}");
        }
    }
}
