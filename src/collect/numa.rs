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

    use crate::host::{Entry, Replay};

    type Files = Vec<(String, Entry)>;

    /// A node with CPUs, one with memory alone, and one with neither.
    fn machine() -> Files {
        let mut files =
            vec![file("online", "0-1,4\n"), ("/sys/devices/system/cpu/online".to_owned(), Entry::file("0-3\n"))];
        for (node, cpus, kibibytes) in [(0, "0-3,8\n", 1024), (1, "\n", 2048), (4, "\n", 0)] {
            files.push(file(&format!("node{node}/cpulist"), cpus));
            files.push(file(&format!("node{node}/meminfo"), &format!("Node {node} MemTotal: {kibibytes} kB\n")));
            files.push(file(&format!("node{node}/distance"), "10 21 21\n"));
        }
        files
    }

    fn file(path: &str, text: &str) -> (String, Entry) {
        (format!("{NODES}/{path}"), Entry::file(text))
    }

    fn without(files: Files, what: &str) -> Files {
        files.into_iter().filter(|(path, _)| !path.contains(what)).collect()
    }

    fn read(host: &Replay) -> Collection<NumaNode> {
        collect(&Ledger::new(host), &mut Sources::default())
    }

    #[test]
    fn nodes_without_cpus_and_without_memory() {
        let Collection::Complete(nodes) = read(&Replay::from_entries(machine())) else { panic!() };
        let figures: Vec<_> = nodes
            .iter()
            .map(|node| (node.id.clone(), node.cpu_list.clone(), node.cpus.clone(), node.memory.clone()))
            .collect();
        let figure = |id, list: &str, cpus, bytes| {
            (Reading::Known(id), Reading::Known(list.to_owned()), Reading::Known(cpus), Reading::Known(Bytes(bytes)))
        };
        // CPU 8 is not online.
        assert_eq!(figures, [figure(0, "0-3,8", 4, 1 << 20), figure(1, "", 0, 2 << 20), figure(4, "", 0, 0)]);
        assert_eq!(nodes[0].distances, Reading::Known(vec![10, 21, 21]));
    }

    #[test]
    fn without_the_mask_the_distances_say_whether_all_nodes_are_there() {
        let files = without(machine(), "node/online");
        assert!(matches!(read(&Replay::from_entries(files.clone())), Collection::Complete(nodes) if nodes.len() == 3));
        let two = without(files, "node4");
        assert!(
            matches!(read(&Replay::from_entries(two.clone())), Collection::Partial { items, .. } if items.len() == 2)
        );
        let untold = without(two, "distance");
        assert!(matches!(read(&Replay::from_entries(untold)), Collection::Partial { .. }));
    }

    #[test]
    fn a_node_that_is_online_and_not_in_the_capture_is_still_one() {
        let nodes = read(&Replay::from_entries(without(machine(), "node4/")));
        let Collection::Complete(nodes) = nodes else { panic!() };
        assert_eq!(nodes[2].id, Reading::Known(4));
        assert!(matches!(nodes[2].memory, Reading::Unreadable(_)));
    }

    #[test]
    fn distances_to_another_number_of_nodes_are_a_conflict() {
        let mut files = without(machine(), "node1/distance");
        files.push(file("node1/distance", "21 10\n"));
        let host = Replay::complete(files);
        let ledger = Ledger::new(&host);
        let nodes = collect(&ledger, &mut Sources::default());
        let Reading::Unreadable(error) = nodes.items()[1].distances else { panic!() };
        assert_eq!(ledger.error_at(error).unwrap().kind, ErrorKind::Conflict);
    }

    #[test]
    fn a_kernel_without_numa_has_no_nodes_to_count() {
        let host = Replay::complete([("/sys/devices/system/cpu/online", Entry::file("0\n"))]);
        assert!(matches!(read(&host), Collection::Unreadable(_)));
    }
}
