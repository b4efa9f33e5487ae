//! Memory as the kernel has it. Knows nothing of the DIMMs below.

use crate::collect::ledger::{Ledger, Missing, Read};
use crate::inventory::Memory;
use crate::reading::{ErrorKind, Reading};
use crate::units::{Bytes, Kibibytes};
use std::collections::BTreeMap;

const MEMINFO: &str = "/proc/meminfo";
const BLOCKS: &str = "/sys/devices/system/memory";

/// Reads the memory.
pub fn collect(ledger: &Ledger<'_>) -> Memory {
    let mut memory = Memory::default();
    let meminfo = meminfo(ledger);
    set!(memory.total, meminfo_bytes(ledger, &meminfo, "MemTotal", "it must be there"));
    set!(memory.available, meminfo_bytes(ledger, &meminfo, "MemAvailable", "the kernel is older than 3.14"));
    set!(
        memory.hardware_corrupted,
        meminfo_bytes(ledger, &meminfo, "HardwareCorrupted", "the kernel is built without CONFIG_MEMORY_FAILURE")
    );
    set!(memory.hugepages, hugepages(ledger, &meminfo));

    let (online, offline) = blocks(ledger);
    set!(memory.online, online);
    set!(memory.offline, offline);
    memory
}

/// `/proc/meminfo`, taken apart.
pub(crate) fn meminfo(ledger: &Ledger<'_>) -> Read<Meminfo> {
    ledger.parsed(MEMINFO, Missing::Untold("every kernel has it"), |text| Ok(parse_meminfo(text, "")))
}

/// A figure of `/proc/meminfo`, and what it means that its line is missing.
pub(crate) fn meminfo_bytes(ledger: &Ledger<'_>, meminfo: &Read<Meminfo>, name: &str, missing: &str) -> Read<Bytes> {
    figure(ledger, meminfo, name, missing, Meminfo::bytes)
}

fn figure<T>(
    ledger: &Ledger<'_>,
    meminfo: &Read<Meminfo>,
    name: &str,
    missing: &str,
    of: impl FnOnce(&Meminfo, &str) -> Result<Option<T>, String>,
) -> Read<T> {
    let reading = match &meminfo.reading {
        Reading::Known(lines) => match of(lines, name) {
            Ok(Some(value)) => Reading::Known(value),
            Ok(None) => {
                Reading::Unreadable(ledger.error(format!("read {name} in {MEMINFO}"), ErrorKind::NotSupported, missing))
            }
            Err(cause) => ledger.malformed(MEMINFO, cause),
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    Read { reading, source: meminfo.source }
}

fn hugepages(ledger: &Ledger<'_>, meminfo: &Read<Meminfo>) -> Read<Bytes> {
    const NONE: &str = "the kernel is built without huge pages";
    let pages = figure(ledger, meminfo, "HugePages_Total", NONE, Meminfo::count).reading;
    let size = meminfo_bytes(ledger, meminfo, "Hugepagesize", NONE).reading;
    let reading = match (pages, size) {
        (Reading::Known(pages), Reading::Known(Bytes(size))) => match pages.checked_mul(size) {
            Some(bytes) => Reading::Known(Bytes(bytes)),
            None => ledger.malformed(MEMINFO, "the huge pages are more than 64 bits can tell"),
        },
        (Reading::Unreadable(error), _) | (_, Reading::Unreadable(error)) => Reading::Unreadable(error),
        (Reading::Absent, _) | (_, Reading::Absent) => Reading::Absent,
    };
    Read { reading, source: meminfo.source }
}

/// The lines of a `meminfo` file: what stands after each name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Meminfo(BTreeMap<String, String>);

impl Meminfo {
    /// A size; `None` if there is no such line.
    pub(crate) fn bytes(&self, name: &str) -> Result<Option<Bytes>, String> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        let kibibytes = value.strip_suffix("kB").and_then(|number| number.trim_end().parse().ok());
        match kibibytes.and_then(|number| Kibibytes(number).to_bytes()) {
            Some(bytes) => Ok(Some(bytes)),
            None => Err(format!("{name} is {value:?}, not a size in kB")),
        }
    }

    /// A count; `None` if there is no such line.
    fn count(&self, name: &str) -> Result<Option<u64>, String> {
        let Some(value) = self.0.get(name) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| format!("{name} is {value:?}, not a count"))
    }
}

/// Lines such as `MemTotal:       16468292 kB`, each after the prefix: `Node 0 ` in a node's file
/// (Documentation/filesystems/proc.rst; "kB" are kibibytes). Lines of another form are for other readers.
pub(crate) fn parse_meminfo(text: &str, prefix: &str) -> Meminfo {
    let line = |line: &str| {
        let (name, value) = line.strip_prefix(prefix)?.split_once(':')?;
        Some((name.trim().to_owned(), value.trim().to_owned()))
    };
    Meminfo(text.lines().filter_map(line).collect())
}

/// Bytes of the memory blocks that are online and of those that are not (Documentation/admin-guide/mm/memory-hotplug.rst).
fn blocks(ledger: &Ledger<'_>) -> (Read<Bytes>, Read<Bytes>) {
    const UNTOLD: Missing = Missing::Untold("the kernel is built without memory hotplug");
    let source = ledger.source(format!("{BLOCKS}/memory*/state"));
    let both = |reading: Reading<Bytes>| (Read { reading: reading.clone(), source }, Read { reading, source });
    let size = match ledger.parsed(&format!("{BLOCKS}/block_size_bytes"), UNTOLD, parse_block_size).reading {
        Reading::Known(size) => size,
        Reading::Absent => return both(Reading::Absent),
        Reading::Unreadable(error) => return both(Reading::Unreadable(error)),
    };
    let listing = match ledger.names(BLOCKS, UNTOLD) {
        Reading::Known(listing) if listing.complete => listing,
        Reading::Known(_) => return both(Reading::Unreadable(ledger.incomplete(BLOCKS))),
        Reading::Absent => return both(Reading::Absent),
        Reading::Unreadable(error) => return both(Reading::Unreadable(error)),
    };
    let (mut online, mut offline) = (0u64, 0u64);
    for name in listing.names.iter().filter(|name| is_block(name)) {
        // A block that is taken out while we look is neither.
        match ledger.value(&format!("{BLOCKS}/{name}/state"), Missing::Absent, parse_state) {
            Reading::Known(true) => online += 1,
            Reading::Known(false) => offline += 1,
            Reading::Absent => {}
            Reading::Unreadable(error) => return both(Reading::Unreadable(error)),
        }
    }
    let bytes = |blocks: u64| match blocks.checked_mul(size) {
        Some(bytes) => Reading::Known(Bytes(bytes)),
        None => ledger.malformed(&format!("{BLOCKS}/block_size_bytes"), "the blocks are more than 64 bits can tell"),
    };
    (Read { reading: bytes(online), source }, Read { reading: bytes(offline), source })
}

fn is_block(name: &str) -> bool {
    name.strip_prefix("memory")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Hexadecimal without "0x" (`block_size_bytes_show` in `drivers/base/memory.c`).
fn parse_block_size(text: &str) -> Result<u64, String> {
    match u64::from_str_radix(text, 16) {
        Ok(0) => Err("a block of 0 bytes is none".to_owned()),
        Ok(size) if !text.starts_with('+') => Ok(size),
        _ => Err(format!("{text:?} is not a hexadecimal number")),
    }
}

/// Whether the block is in use.
fn parse_state(text: &str) -> Result<bool, String> {
    match text {
        "online" => Ok(true),
        // A block that goes offline is still in use, but not to be counted on.
        "offline" | "going-offline" => Ok(false),
        _ => Err(format!("{text:?} is not a state of a memory block")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meminfo_counts_in_kibibytes() {
        let text = "MemTotal:       196648112 kB\nMemFree:               0 kB\nHugePages_Total:      16\nHugepagesize:       2048 kB\n";
        let meminfo = parse_meminfo(text, "");
        // 196 648 112 * 1024.
        assert_eq!(meminfo.bytes("MemTotal").unwrap(), Some(Bytes(201_367_666_688)));
        assert_eq!(meminfo.bytes("MemFree").unwrap(), Some(Bytes(0)));
        assert_eq!(meminfo.bytes("SwapTotal").unwrap(), None);
        assert_eq!(meminfo.count("HugePages_Total").unwrap(), Some(16));
        assert!(meminfo.bytes("HugePages_Total").is_err());
        assert!(meminfo.count("MemTotal").is_err());
    }

    #[test]
    fn a_node_has_its_number_before_each_line() {
        let text = "\nNode 12 MemTotal:       16468292 kB\nNode 12 HugePages_Total:     0\n";
        // 16 468 292 * 1024.
        assert_eq!(parse_meminfo(text, "Node 12 ").bytes("MemTotal").unwrap(), Some(Bytes(16_863_531_008)));
        assert_eq!(parse_meminfo(text, "Node 1 ").bytes("MemTotal").unwrap(), None);
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for value in ["x kB", "5 MB", "-5 kB", "", "5", "5 kB more", "18446744073709551615 kB"] {
            assert!(parse_meminfo(&format!("MemTotal: {value}"), "").bytes("MemTotal").is_err(), "{value}");
        }
    }

    #[test]
    fn block_size_is_hexadecimal() {
        assert_eq!(parse_block_size("80000000").unwrap(), 2 << 30);
        assert_eq!(parse_block_size("8000000").unwrap(), 128 << 20);
        for bad in ["", "0", "0x80000000", "+8", "-8", "10000000000000000"] {
            assert!(parse_block_size(bad).is_err(), "{bad}");
        }
    }

    use crate::host::{Entry, Replay};

    fn blocks_of(states: &[&str], whole: bool) -> (Reading<Bytes>, Reading<Bytes>) {
        let mut files = vec![(format!("{BLOCKS}/block_size_bytes"), Entry::file("8000000\n"))];
        files.push((format!("{BLOCKS}/auto_online_blocks"), Entry::file("online\n")));
        for (number, state) in states.iter().enumerate() {
            files.push((format!("{BLOCKS}/memory{number}/state"), Entry::file(format!("{state}\n"))));
        }
        let host = if whole { Replay::complete(files) } else { Replay::from_entries(files) };
        let memory = collect(&Ledger::new(&host));
        (memory.online, memory.offline)
    }

    #[test]
    fn blocks_are_counted_by_their_state() {
        let known = |blocks: u64| Reading::Known(Bytes(blocks * (128 << 20)));
        assert_eq!(blocks_of(&["online", "offline", "online", "going-offline"], true), (known(2), known(2)));
        let (online, offline) = blocks_of(&["online", "lost"], true);
        assert!(matches!((online, offline), (Reading::Unreadable(_), Reading::Unreadable(_))));
    }

    #[test]
    fn blocks_of_a_copied_tree_are_not_all_there_are() {
        assert!(matches!(blocks_of(&["online"], false), (Reading::Unreadable(_), Reading::Unreadable(_))));
    }

    #[test]
    fn huge_pages_are_pages_times_their_size() {
        let text = "MemTotal: 1 kB\nHugePages_Total: 16\nHugepagesize: 2048 kB\n";
        let memory = collect(&Ledger::new(&Replay::complete([(MEMINFO, Entry::file(text))])));
        assert_eq!(memory.hugepages, Reading::Known(Bytes(32 << 20)));
        assert!(matches!(memory.available, Reading::Unreadable(_)));
    }
}
