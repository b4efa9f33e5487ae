//! Caches: each counted once, however many CPUs see it, and equal ones put together.
//!
//! From `/sys/devices/system/cpu/cpu*/cache/index*` (Documentation/ABI/testing/sysfs-devices-system-cpu), and on s390 the
//! shared ones from `/proc/cpuinfo`. Does not know whether a hypervisor tells the truth about the caches below it.

use super::CPUS;
use super::cpuinfo::SharedCache;
use crate::collect::cpulist::{CpuSet, parse_list, parse_mask};
use crate::collect::ledger::{Ledger, Missing, Parser};
use crate::inventory::{Cache, CacheKind};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId};
use crate::units::{Bytes, Kibibytes};
use std::collections::BTreeMap;

const NO_CACHES: Missing = Missing::Untold("the kernel exports no caches of this CPU");
const NO_FILE: Missing = Missing::Untold("the kernel does not tell it of this cache");

/// What one CPU says of one cache.
#[derive(Debug, Clone, PartialEq)]
struct Seen {
    level: u64,
    kind: CacheKind,
    bytes: Reading<Bytes>,
    /// The online CPUs that share it.
    shared: Reading<CpuSet>,
}

/// All caches of the online CPUs.
pub(super) fn collect(ledger: &Ledger<'_>, online: &CpuSet, shared: &[SharedCache]) -> Collection<Cache> {
    let mut seen = Vec::new();
    let mut reasons = Vec::new();
    for cpu in online.iter() {
        let folder = format!("{CPUS}/cpu{cpu}/cache");
        let listing = match ledger.names(&folder, NO_CACHES) {
            Reading::Known(listing) => listing,
            // NO_CACHES never means absent.
            Reading::Absent => continue,
            Reading::Unreadable(error) => {
                // The other CPUs would only say the same, each with an error of its own.
                reasons.push(error);
                break;
            }
        };
        if !listing.complete {
            reasons.push(ledger.error(
                format!("list {CPUS}/cpu*/cache"),
                ErrorKind::NotInCapture,
                "the capture may hold only some of the caches",
            ));
        }
        for index in listing.names.iter().filter(|name| is_index(name)) {
            match one(ledger, cpu, &format!("{folder}/{index}"), online) {
                Ok(cache) => {
                    if let Reading::Unreadable(error) = cache.shared {
                        reasons.push(error);
                    }
                    seen.push(cache);
                }
                Err(error) => reasons.push(error),
            }
        }
    }
    if let (true, Some(error)) = (seen.is_empty(), reasons.first()) {
        return Collection::Unreadable(*error);
    }
    let mut caches = grouped(ledger, seen, online, reasons.first().copied());
    caches.extend(shared.iter().filter_map(|cache| of_s390(ledger, cache, &mut reasons)));
    caches.sort_by_key(|cache| {
        let known = |reading: &Reading<u64>| reading.known().copied();
        let bytes = cache.bytes.known().map(|bytes| bytes.0);
        (
            known(&cache.level),
            cache.kind.known().copied(),
            std::cmp::Reverse(bytes),
            known(&cache.cpus),
            known(&cache.count),
        )
    });
    Collection::new(caches, reasons)
}

fn is_index(name: &str) -> bool {
    name.strip_prefix("index")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

fn one(ledger: &Ledger<'_>, cpu: u32, folder: &str, online: &CpuSet) -> Result<Seen, ErrorId> {
    let level = known(ledger, ledger.value(&format!("{folder}/level"), NO_FILE, parse_level))?;
    let kind = known(ledger, ledger.value(&format!("{folder}/type"), NO_FILE, parse_kind))?;
    let bytes = ledger.value(&format!("{folder}/size"), NO_FILE, parse_size);
    // Kernels before 2.6.26 have the mask alone.
    let files: [(String, Parser<CpuSet>); 2] =
        [(format!("{folder}/shared_cpu_list"), parse_list), (format!("{folder}/shared_cpu_map"), parse_mask)];
    let shared = match ledger.first_value(&files, NO_FILE).1 {
        Reading::Known(set) if !set.contains(cpu) => Reading::Unreadable(conflict(
            ledger,
            "shared_cpu_list",
            "a cache is not shared by the CPU that it belongs to",
        )),
        shared => shared.map(|set| set.and(online)),
    };
    Ok(Seen { level, kind, bytes, shared })
}

fn known<T>(ledger: &Ledger<'_>, reading: Reading<T>) -> Result<T, ErrorId> {
    match reading {
        Reading::Known(value) => Ok(value),
        Reading::Unreadable(error) => Err(error),
        // NO_FILE never means absent.
        Reading::Absent => Err(ledger.error("read a cache", ErrorKind::NotFound, "the kernel does not tell it")),
    }
}

fn parse_level(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(level @ 1..=9) => Ok(level),
        _ => Err(format!("{text:?} is not a level")),
    }
}

fn parse_kind(text: &str) -> Result<CacheKind, String> {
    match text {
        "Data" => Ok(CacheKind::Data),
        "Instruction" => Ok(CacheKind::Instruction),
        "Unified" => Ok(CacheKind::Unified),
        _ => Err(format!("{text:?} is not a kind of cache")),
    }
}

/// The kernel writes kibibytes, `1024K`, whatever the size (`size_show` in `drivers/base/cacheinfo.c`).
fn parse_size(text: &str) -> Result<Bytes, String> {
    let kibibytes = text.strip_suffix('K').and_then(|number| number.parse().ok()).filter(|number| *number > 0);
    kibibytes
        .and_then(|number| Kibibytes(number).to_bytes())
        .ok_or_else(|| format!("{text:?} is not a size of a cache"))
}

/// Level, kind and size: caches of unlike size are never put together, whatever else is known of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Sort {
    level: u64,
    kind: CacheKind,
    bytes: Option<u64>,
}

/// Counts each cache once and puts equal ones together. `incomplete` says why caches may be missing.
fn grouped(ledger: &Ledger<'_>, seen: Vec<Seen>, online: &CpuSet, incomplete: Option<ErrorId>) -> Vec<Cache> {
    // One cache is what its CPUs name alike: level, kind, and the CPUs that share it.
    let mut distinct: BTreeMap<(u64, CacheKind, CpuSet), Reading<Bytes>> = BTreeMap::new();
    let mut unshared: BTreeMap<Sort, (Reading<Bytes>, ErrorId)> = BTreeMap::new();
    let mut served: BTreeMap<(u64, CacheKind), CpuSet> = BTreeMap::new();
    for Seen { level, kind, bytes, shared } in seen {
        match shared {
            Reading::Known(shared) => {
                let all = served.entry((level, kind)).or_default();
                *all = all.or(&shared);
                let first = distinct.entry((level, kind, shared)).or_insert_with(|| bytes.clone());
                if let (Reading::Known(one), Reading::Known(other)) = (&*first, &bytes)
                    && one != other
                {
                    *first = Reading::Unreadable(conflict(
                        ledger,
                        "size",
                        "CPUs that share a cache give it different sizes",
                    ));
                }
            }
            Reading::Unreadable(error) => {
                unshared.insert(Sort { level, kind, bytes: number(&bytes) }, (bytes, error));
            }
            // NO_FILE never means absent.
            Reading::Absent => {}
        }
    }
    let mut groups: BTreeMap<(Sort, u64), (Reading<Bytes>, u64)> = BTreeMap::new();
    for ((level, kind, shared), bytes) in distinct {
        let sort = Sort { level, kind, bytes: number(&bytes) };
        groups.entry((sort, shared.len())).or_insert((bytes, 0)).1 += 1;
    }
    let counted = groups.into_iter().map(|((Sort { level, kind, .. }, cpus), (bytes, count))| {
        // If they serve every online CPU, there are no others of this level and kind, even if some files are missing.
        let all = served.get(&(level, kind)).is_some_and(|served| served == online);
        let count = match incomplete {
            Some(error) if !all => Reading::Unreadable(error),
            _ => Reading::Known(count),
        };
        record(ledger, level, kind, bytes, Reading::Known(cpus), count)
    });
    let uncounted = unshared.into_iter().map(|(Sort { level, kind, .. }, (bytes, error))| {
        record(ledger, level, kind, bytes, Reading::Unreadable(error), Reading::Unreadable(error))
    });
    counted.chain(uncounted).collect()
}

fn number(bytes: &Reading<Bytes>) -> Option<u64> {
    bytes.known().map(|bytes| bytes.0)
}

fn conflict(ledger: &Ledger<'_>, file: &str, cause: &str) -> ErrorId {
    ledger.error(format!("read {CPUS}/cpu*/cache/index*/{file}"), ErrorKind::Conflict, cause)
}

fn record(
    ledger: &Ledger<'_>,
    level: u64,
    kind: CacheKind,
    bytes: Reading<Bytes>,
    cpus: Reading<u64>,
    count: Reading<u64>,
) -> Cache {
    let mut cache =
        Cache { level: Reading::Known(level), kind: Reading::Known(kind), bytes, cpus, count, ..Cache::default() };
    let source = |file: &str| ledger.source(format!("{CPUS}/cpu*/cache/index*/{file}"));
    for (field, file) in [
        ("level", "level"),
        ("kind", "type"),
        ("bytes", "size"),
        ("cpus", "shared_cpu_list"),
        ("count", "shared_cpu_list"),
    ] {
        cache.sources.set(field, source(file));
    }
    cache
}

/// A shared cache of s390: the kernel tells its size, neither how many there are nor which CPUs share one.
fn of_s390(ledger: &Ledger<'_>, cache: &SharedCache, reasons: &mut Vec<ErrorId>) -> Option<Cache> {
    let path = "/proc/cpuinfo";
    let kind = match parse_kind(&cache.kind) {
        Ok(kind) => kind,
        Err(cause) => {
            reasons.push(ledger.error(format!("parse {path}"), ErrorKind::Malformed, cause));
            return None;
        }
    };
    let bytes = match parse_size(&cache.size) {
        Ok(bytes) => Reading::Known(bytes),
        Err(cause) => ledger.malformed(path, cause),
    };
    let untold =
        ledger.error(format!("read {path}"), ErrorKind::NotSupported, "it does not say which CPUs share a cache");
    let mut record = Cache {
        level: Reading::Known(cache.level),
        kind: Reading::Known(kind),
        bytes,
        cpus: Reading::Unreadable(untold),
        count: Reading::Unreadable(untold),
        ..Cache::default()
    };
    let source: SourceId = ledger.source(path);
    for field in ["level", "kind", "bytes", "cpus", "count"] {
        record.sources.set(field, source);
    }
    Some(record)
}
