//! NUMA nodes: those with memory, with CPUs, with both and with neither.
//!
//! From `/sys/devices/system/node` (Documentation/ABI/stable/sysfs-devices-node). Takes the firmware's tables as the kernel
//! took them; does not know whether they are right.

use crate::collect::cpu::online_cpus;
use crate::collect::cpulist::{CpuSet, parse_list, parse_mask};
use crate::collect::ledger::{Ledger, Missing, Parser, Read};
use crate::collect::memory::parse_meminfo;
use crate::inventory::NumaNode;
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, Sources};
use crate::units::Bytes;

const NODES: &str = "/sys/devices/system/node";
const NO_NUMA: Missing = Missing::Untold("the kernel is built without NUMA");
const NO_FILE: Missing = Missing::Untold("every kernel with NUMA has it");

/// Reads the nodes, and notes in `sources` where their number was read.
pub fn collect(ledger: &Ledger<'_>, sources: &mut Sources) -> Collection<NumaNode> {
    let mask = ledger.parsed(&format!("{NODES}/online"), NO_NUMA, parse_list);
    let online_cpus = online_cpus(ledger);
    let node = |number: u32, online: Option<&CpuSet>| one(ledger, number, online, &online_cpus);
    if let Reading::Known(online) = &mask.reading {
        sources.set("numa_nodes", mask.source);
        return Collection::Complete(online.iter().map(|number| node(number, Some(online))).collect());
    }
    // Kernels before 2.6.30 have no mask, and captures may lack it.
    let listing = ledger.list(NODES, NO_NUMA);
    sources.set("numa_nodes", listing.source);
    let listing = match listing.reading {
        Reading::Known(listing) => listing,
        // NO_NUMA never means absent.
        Reading::Absent => return Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => return Collection::Unreadable(error),
    };
    let listed: CpuSet = listing.names.iter().filter_map(|name| name.strip_prefix("node")?.parse().ok()).collect();
    let all = listing.complete.then_some(&listed);
    let nodes: Vec<NumaNode> = listed.iter().map(|number| node(number, all)).collect();
    if listing.complete || counted_by_distances(&nodes, &listed) {
        return Collection::Complete(nodes);
    }
    Collection::new(nodes, vec![ledger.incomplete(NODES)])
}

/// Each node tells its distance to every node that is online: the kernel's own count of them.
fn counted_by_distances(nodes: &[NumaNode], listed: &CpuSet) -> bool {
    !nodes.is_empty()
        && nodes
            .iter()
            .all(|node| node.distances.known().is_some_and(|distances| distances.len() as u64 == listed.len()))
}

/// One node. `online` are all nodes that are online, if that is known.
fn one(ledger: &Ledger<'_>, number: u32, online: Option<&CpuSet>, online_cpus: &Reading<CpuSet>) -> NumaNode {
    let mut node = NumaNode::default();
    let folder = format!("{NODES}/node{number}");
    set!(
        node.id,
        Read { reading: Reading::Known(u64::from(number)), source: ledger.source(format!("{NODES}/online")) }
    );

    let files: [(String, Parser<CpuSet>); 2] =
        [(format!("{folder}/cpulist"), parse_list), (format!("{folder}/cpumap"), parse_mask)];
    let (index, cpus) = ledger.first_value(&files, NO_FILE);
    let source = ledger.source(files.get(index).map_or(folder.as_str(), |(path, _)| path));
    set!(node.cpu_list, Read { reading: cpus.clone().map(|cpus| cpus.to_string()), source });
    set!(node.cpus, Read { reading: online_of(cpus, online_cpus), source });

    let meminfo = format!("{folder}/meminfo");
    set!(node.memory, ledger.parsed(&meminfo, NO_FILE, |text| total(text, number)));

    let path = format!("{folder}/distance");
    let mut distances = ledger.parsed(&path, NO_FILE, parse_distances);
    if let (Reading::Known(known), Some(online)) = (&distances.reading, online)
        && known.len() as u64 != online.len()
    {
        distances.reading = Reading::Unreadable(disagree(ledger, &path, known.len(), online));
    }
    set!(node.distances, distances);
    node
}

fn disagree(ledger: &Ledger<'_>, path: &str, distances: usize, online: &CpuSet) -> ErrorId {
    let cause = format!("it has {distances} distances, but {NODES}/online lists {} nodes ({online})", online.len());
    ledger.error(format!("read {path}"), ErrorKind::Conflict, cause)
}

/// s390 lists CPUs here that are not there at all, so the online ones are counted.
fn online_of(cpus: Reading<CpuSet>, online: &Reading<CpuSet>) -> Reading<u64> {
    match (cpus, online) {
        (Reading::Known(cpus), Reading::Known(online)) => Reading::Known(cpus.and(online).len()),
        (Reading::Unreadable(error), _) => Reading::Unreadable(error),
        (_, Reading::Unreadable(error)) => Reading::Unreadable(*error),
        (Reading::Absent, _) | (_, Reading::Absent) => Reading::Absent,
    }
}

fn total(text: &str, number: u32) -> Result<Bytes, String> {
    parse_meminfo(text, &format!("Node {number} ")).bytes("MemTotal")?.ok_or_else(|| "it has no MemTotal".to_owned())
}

/// `10 21`: in the order of the numbers of the nodes that are online (ACPI SLIT, 10 is local).
fn parse_distances(text: &str) -> Result<Vec<u64>, String> {
    let distances: Result<Vec<u64>, _> = text.split_whitespace().map(str::parse).collect();
    match distances {
        Ok(distances) if !distances.is_empty() => Ok(distances),
        _ => Err(format!("{text:?} is not a list of distances")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(parse_distances("10 21").unwrap(), [10, 21]);
        for bad in ["", "10 x", "-1"] {
            assert!(parse_distances(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn memory_of_a_node() {
        assert_eq!(
            total("\nNode 1 MemTotal:       131737080 kB\nNode 1 MemFree: 5 kB", 1).unwrap(),
            Bytes(134_898_769_920)
        );
        assert!(total("Node 1 MemFree: 5 kB", 1).is_err());
        assert!(total("Node 1 MemTotal: 5 kB", 2).is_err());
    }
}
