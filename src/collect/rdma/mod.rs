//! RDMA devices and their ports: `/sys/class/infiniband`.
//!
//! Knows what the kernel has registered. An adapter whose RDMA module is not loaded is not here, and that it has RDMA is not told
//! anywhere in sysfs.

mod congestion;
mod parse;
#[cfg(test)]
mod tests;

use super::ledger::{Ledger, Missing, Read};
use super::nic::attribute::{Attribute, failed, flatten, known_or_absent, optional, text, undefined};
use super::nic::parse::{hex_number, number};
use super::nic::{numa_node, pci_address};
use crate::inventory::nic::{Nic, NicKind};
use crate::inventory::rdma::{
    RdmaCounters, RdmaDevice, RdmaGid, RdmaGidKind, RdmaLinkLayer, RdmaNodeType, RdmaPhysState, RdmaPort,
    RdmaPortState, RdmaProtocol,
};
use crate::reading::{Collection, ErrorId, ErrorKind, Reading, SourceId};

const CLASS: &str = "/sys/class/infiniband";

/// As many entries of a port's GID table as are asked for. Adapters have up to 256 (mlx5), only software (rxe) has 1024.
const GIDS_ASKED: usize = 256;

const MANDATORY: Missing = Missing::Untold("the kernel tells no such attribute of an RDMA device");

/// Reads every device. `nics` are those that could be read; `all_nics` says whether they are all.
pub(super) fn collect(ledger: &Ledger<'_>, nics: &[Nic], all_nics: bool) -> Collection<RdmaDevice> {
    // Without the folder the kernel's RDMA core is not loaded, so no device is registered.
    let listing = ledger.list(CLASS, Missing::Absent);
    match listing.reading {
        Reading::Known(listing) => {
            let reasons = if listing.complete { Vec::new() } else { vec![ledger.incomplete(CLASS)] };
            let devices = listing.names.iter().map(|name| device(ledger, name, nics, all_nics)).collect();
            Collection::new(devices, reasons)
        }
        Reading::Absent => Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => Collection::Unreadable(error),
    }
}

fn device(ledger: &Ledger<'_>, name: &str, nics: &[Nic], all_nics: bool) -> RdmaDevice {
    let folder = format!("{CLASS}/{name}");
    let file = |file: &str| format!("{folder}/{file}");
    let mut device = RdmaDevice::default();
    set!(
        device.name,
        Read { reading: Reading::Known(name.to_owned()), source: ledger.source(format!("list {CLASS}")) }
    );
    set!(device.node_type, ledger.parsed(&file("node_type"), MANDATORY, parse::node_type));
    set!(device.firmware, optional(ledger, &file("fw_ver"), text));
    set!(device.hca_type, optional(ledger, &file("hca_type"), text));
    set!(device.board_id, optional(ledger, &file("board_id"), text));
    set!(device.node_guid, flatten(ledger.parsed(&file("node_guid"), MANDATORY, parse::guid)));
    set!(device.sys_image_guid, flatten(ledger.parsed(&file("sys_image_guid"), MANDATORY, parse::guid)));
    set!(device.description, optional(ledger, &file("node_desc"), text));
    let place = place(ledger, &folder);
    set!(device.pci_address, pci_address(&place));
    set!(device.numa_node, numa_node(ledger, &device.pci_address, place.source));
    device.ports = ports(ledger, &folder, &device, &Nics { nics, complete: all_nics });
    device
}

/// The device below: the class's link leads to `<device>/infiniband/X`, or below `virtual` for one of software.
fn place(ledger: &Ledger<'_>, folder: &str) -> Read<String> {
    if let Ok(target) = ledger.host().read_link(folder) {
        let reading = match target.trim_end_matches('/').rsplit_once("/infiniband/") {
            Some((device, _)) if device.split('/').any(|part| part == "virtual") => Reading::Absent,
            Some((device, _)) => Reading::Known(device.to_owned()),
            None => ledger.malformed(folder, format!("not the place of an RDMA device: {target:?}")),
        };
        return Read { reading, source: ledger.source(format!("link {folder}")) };
    }
    ledger.link(&format!("{folder}/device"), Missing::Absent)
}

fn ports(ledger: &Ledger<'_>, folder: &str, device: &RdmaDevice, nics: &Nics<'_>) -> Collection<RdmaPort> {
    let path = format!("{folder}/ports");
    let listing = match ledger.list(&path, MANDATORY).reading {
        Reading::Known(listing) => listing,
        Reading::Absent => return Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => return Collection::Unreadable(error),
    };
    let mut reasons = Vec::new();
    if !listing.complete {
        reasons.push(ledger.incomplete(&path));
    }
    let mut numbers = Vec::new();
    for name in &listing.names {
        match number(name) {
            Ok(number) => numbers.push(number),
            Err(cause) => reasons.push(ledger.error(format!("list {path}"), ErrorKind::Malformed, cause)),
        }
    }
    numbers.sort_unstable();
    let only = listing.complete && numbers.len() == 1;
    let ports = numbers.into_iter().map(|number| port(ledger, &path, number, device, nics, only)).collect();
    Collection::new(ports, reasons)
}

fn port(ledger: &Ledger<'_>, ports: &str, number: u64, device: &RdmaDevice, nics: &Nics<'_>, only: bool) -> RdmaPort {
    let folder = format!("{ports}/{number}");
    let file = |file: &str| format!("{folder}/{file}");
    let mut port = RdmaPort::default();
    set!(port.number, Read { reading: Reading::Known(number), source: ledger.source(format!("list {ports}")) });
    set!(port.state, ledger.parsed(&file("state"), MANDATORY, parse::state));
    set!(port.phys_state, ledger.parsed(&file("phys_state"), MANDATORY, parse::phys_state));
    let since = Missing::Untold("the kernel is older than 2.6.37");
    set!(port.link_layer, ledger.parsed(&file("link_layer"), since, parse::link_layer));
    rate(ledger, &folder, &mut port);
    let lid = |name: &str| on_infiniband(&port, flatten(ledger.parsed(&file(name), MANDATORY, lid)));
    let (lid, sm_lid) = (lid("lid"), lid("sm_lid"));
    set!(port.lid, lid);
    set!(port.sm_lid, sm_lid);
    port.gids = gids(ledger, &folder, &port);
    set!(port.protocol, protocol(ledger, &folder, device, &port));
    set!(port.netdev, netdev(ledger, &folder, number, device, &port, nics, only));
    port.counters = counters(ledger, &file("counters"));
    port.hw_counters = congestion::hw_counters(ledger, &file("hw_counters"));
    port.roce = congestion::roce(ledger, device.name.known().map_or("", String::as_str), number, &port);
    port
}

/// LID 0 is reserved, and FFFFh is what the kernel has for a port without one (IBA 4.1.3).
fn lid(text: &str) -> Result<Option<u64>, String> {
    hex_number(text).map(|lid| Some(lid).filter(|lid| !matches!(lid, 0 | 0xffff)))
}

/// What Ethernet does not have.
fn on_infiniband<T>(port: &RdmaPort, read: Read<T>) -> Read<T> {
    match port.link_layer.known() {
        Some(RdmaLinkLayer::Ethernet) => Read { reading: Reading::Absent, source: read.source },
        _ => read,
    }
}

/// The file's figure is negotiated only while there is a link: for any other the kernel writes its lowest (`rate_show`).
fn rate(ledger: &Ledger<'_>, folder: &str, port: &mut RdmaPort) {
    let down = match (port.phys_state.known(), port.state.known()) {
        (Some(state), _) if !matches!(state, RdmaPhysState::LinkUp | RdmaPhysState::ErrorRecovery) => {
            Some("phys_state")
        }
        (None, Some(RdmaPortState::Down | RdmaPortState::Nop)) => Some("state"),
        _ => None,
    };
    if let Some(told_by) = down {
        let source = ledger.source(format!("{folder}/{told_by}"));
        set!(port.rate, Read { reading: Reading::Absent, source });
        set!(port.lanes, Read { reading: Reading::Absent, source });
        return;
    }
    let read = ledger.parsed(&format!("{folder}/rate"), MANDATORY, parse::rate);
    let lanes = Read { reading: read.reading.clone().map(|(_, lanes)| lanes), source: read.source };
    set!(port.rate, read.map(|(rate, _)| rate));
    set!(port.lanes, lanes);
}

/// The used entries of the table. Of an unused one the kernel writes zeros; kernels before 4.19 refuse to read some.
fn gids(ledger: &Ledger<'_>, folder: &str, port: &RdmaPort) -> Collection<RdmaGid> {
    let path = format!("{folder}/gids");
    let listing = match ledger.list(&path, MANDATORY).reading {
        Reading::Known(listing) => listing,
        Reading::Absent => return Collection::Complete(Vec::new()),
        Reading::Unreadable(error) => return Collection::Unreadable(error),
    };
    let mut reasons = Vec::new();
    if !listing.complete {
        reasons.push(ledger.incomplete(&path));
    }
    let mut indexes: Vec<u64> = listing.names.iter().filter_map(|name| number(name).ok()).collect();
    indexes.sort_unstable();
    if indexes.len() > GIDS_ASKED {
        let cause = format!("the first {GIDS_ASKED} of {} entries were asked for", indexes.len());
        reasons.push(ledger.error(format!("list {path}"), ErrorKind::TooLarge, cause));
    }
    let infiniband = port.link_layer.known() == Some(&RdmaLinkLayer::Infiniband);
    let mut gids = Vec::new();
    for index in indexes.into_iter().take(GIDS_ASKED) {
        let entry = format!("{path}/{index}");
        match Attribute::read(ledger, &entry) {
            Attribute::Text(text) => match parse::gid(&text) {
                Ok(Some(gid)) if infiniband && parse::prefix_only(&gid) => {}
                Ok(Some(gid)) => gids.push(gid_entry(ledger, folder, index, gid, port)),
                Ok(None) => {}
                Err(cause) => reasons.push(ledger.error(format!("parse {entry}"), ErrorKind::Malformed, cause)),
            },
            Attribute::Undefined(_) => {}
            Attribute::Failed(error) => reasons.push(ledger.host_error(error)),
        }
    }
    Collection::new(gids, reasons)
}

fn gid_entry(ledger: &Ledger<'_>, folder: &str, index: u64, address: String, port: &RdmaPort) -> RdmaGid {
    let mut gid = RdmaGid::default();
    let source = ledger.source(format!("{folder}/gids/{index}"));
    set!(gid.index, Read { reading: Reading::Known(index), source });
    set!(gid.gid, Read { reading: Reading::Known(address), source });
    let since = "the kernel is older than 4.5";
    let path = format!("{folder}/gid_attrs/types/{index}");
    let kind = match Attribute::read(ledger, &path) {
        Attribute::Text(text) => known_or_absent(ledger, &path, parse::gid_kind(&text).map(Some)),
        Attribute::Undefined(refusal) => undefined(ledger, &path, refusal, "the entry has gone meanwhile"),
        Attribute::Failed(error) => failed(ledger, error, since),
    };
    set!(gid.kind, Read { reading: kind, source: ledger.source(path) });
    let path = format!("{folder}/gid_attrs/ndevs/{index}");
    let netdev = match Attribute::read(ledger, &path) {
        Attribute::Text(text) => Reading::Known(text),
        Attribute::Undefined(_) => Reading::Absent,
        Attribute::Failed(error) => failed(ledger, error, since),
    };
    set!(gid.netdev, on_ethernet(port, Read { reading: netdev, source: ledger.source(path) }));
    gid
}

/// What InfiniBand does not have.
fn on_ethernet<T>(port: &RdmaPort, read: Read<T>) -> Read<T> {
    match port.link_layer.known() {
        Some(RdmaLinkLayer::Infiniband) => Read { reading: Reading::Absent, source: read.source },
        _ => read,
    }
}

/// An iWARP node is told by its type, InfiniBand by the layer; a channel adapter on Ethernet is RoCE, and which version its GIDs say.
fn protocol(ledger: &Ledger<'_>, folder: &str, device: &RdmaDevice, port: &RdmaPort) -> Read<RdmaProtocol> {
    let read = |reading, from: &str| Read { reading, source: ledger.source(format!("derived: {from} of {folder}")) };
    let untold = |why: &str| {
        Reading::Unreadable(ledger.error(format!("tell the protocol of {folder}"), ErrorKind::NotSupported, why))
    };
    let node = match &device.node_type {
        Reading::Known(node) => *node,
        Reading::Absent => return read(Reading::Absent, "node_type"),
        // A recording may lack the type; with a layer of InfiniBand nothing else is possible.
        Reading::Unreadable(_) if port.link_layer == Reading::Known(RdmaLinkLayer::Infiniband) => RdmaNodeType::Ca,
        Reading::Unreadable(error) => return read(Reading::Unreadable(*error), "node_type"),
    };
    match (node, &port.link_layer) {
        (RdmaNodeType::Rnic, _) => read(Reading::Known(RdmaProtocol::Iwarp), "node_type"),
        (RdmaNodeType::Usnic | RdmaNodeType::UsnicUdp | RdmaNodeType::Unspecified, _) => {
            read(untold("it is neither InfiniBand, RoCE nor iWARP"), "node_type")
        }
        (_, Reading::Known(RdmaLinkLayer::Infiniband)) => {
            read(Reading::Known(RdmaProtocol::Infiniband), "node_type and link_layer")
        }
        (_, Reading::Known(RdmaLinkLayer::Ethernet)) => {
            let from = "node_type, link_layer and gid_attrs/types";
            read(
                roce(&port.gids).unwrap_or_else(|error| match error {
                    Some(error) => Reading::Unreadable(error),
                    None => untold("RoCE, but it has no GID that would tell the version"),
                }),
                from,
            )
        }
        (_, Reading::Absent) => read(Reading::Absent, "link_layer"),
        (_, Reading::Unreadable(error)) => read(Reading::Unreadable(*error), "link_layer"),
    }
}

/// The version of RoCE: 2 if one GID is of it. That none is of it is known only of a whole table.
fn roce(gids: &Collection<RdmaGid>) -> Result<Reading<RdmaProtocol>, Option<ErrorId>> {
    let kinds = || gids.items().iter().map(|gid| &gid.kind);
    if kinds().any(|kind| kind.known() == Some(&RdmaGidKind::RoceV2)) {
        return Ok(Reading::Known(RdmaProtocol::RoceV2));
    }
    let unread = kinds().find_map(|kind| match kind {
        Reading::Unreadable(error) => Some(*error),
        Reading::Known(_) | Reading::Absent => None,
    });
    if let Some(error) = unread.or(gids.reasons().first().copied()) {
        return Err(Some(error));
    }
    if gids.items().is_empty() { Err(None) } else { Ok(Reading::Known(RdmaProtocol::RoceV1)) }
}

/// The interfaces that are known, and whether they are all.
struct Nics<'a> {
    nics: &'a [Nic],
    complete: bool,
}

/// The interface that the first GID names; else the one of the same PCI function and port.
fn netdev(
    ledger: &Ledger<'_>,
    folder: &str,
    number: u64,
    device: &RdmaDevice,
    port: &RdmaPort,
    nics: &Nics<'_>,
    only_port: bool,
) -> Read<String> {
    if let Some(gid) = port.gids.items().iter().find(|gid| gid.netdev.known().is_some()) {
        let source = gid.sources.get("netdev").unwrap_or_else(|| ledger.source(format!("{folder}/gid_attrs/ndevs")));
        return Read { reading: gid.netdev.clone(), source };
    }
    let source = ledger.source(format!("derived: interfaces of the PCI function and port of {folder}"));
    let pci = match &device.pci_address {
        Reading::Known(pci) => pci,
        Reading::Absent => {
            let cause = "sysfs does not tell it of a device of software";
            let error = ledger.error(format!("tell the interface of {folder}"), ErrorKind::NotSupported, cause);
            return Read { reading: Reading::Unreadable(error), source };
        }
        Reading::Unreadable(error) => return Read { reading: Reading::Unreadable(*error), source },
    };
    let same_port = |nic: &&Nic| match nic.port_number {
        Reading::Known(found) => found.checked_add(1) == Some(number),
        Reading::Absent => false,
        // Kernels before 3.15 do not tell it.
        Reading::Unreadable(_) => only_port,
    };
    let found: Vec<&str> = nics
        .nics
        .iter()
        .filter(|nic| nic.pci_address.known() == Some(pci) && nic.kind.known() != Some(&NicKind::Representor))
        .filter(same_port)
        .filter_map(|nic| nic.name.known().map(String::as_str))
        .collect();
    // Partitions of an IPoIB interface ("ib0.8001") stand on the same function and port.
    let whole: Vec<&str> = found
        .iter()
        .filter(|name| !found.iter().any(|other| name.strip_prefix(other).is_some_and(|rest| rest.starts_with('.'))))
        .copied()
        .collect();
    let reading = match whole.as_slice() {
        [name] => Reading::Known((*name).to_owned()),
        [] => no_netdev(ledger, folder, nics),
        several => {
            let cause = format!("several have its PCI function and port: {}", several.join(", "));
            Reading::Unreadable(ledger.error(format!("tell the interface of {folder}"), ErrorKind::Conflict, cause))
        }
    };
    Read { reading, source }
}

fn no_netdev(ledger: &Ledger<'_>, folder: &str, nics: &Nics<'_>) -> Reading<String> {
    if nics.complete {
        return Reading::Absent;
    }
    let cause = "the capture may hold only some of the interfaces";
    Reading::Unreadable(ledger.error(format!("tell the interface of {folder}"), ErrorKind::NotInCapture, cause))
}

fn counters(ledger: &Ledger<'_>, folder: &str) -> RdmaCounters {
    let mut counters = RdmaCounters::default();
    macro_rules! count {
        ($($field:ident),*) => {
            $(set!(counters.$field, optional(ledger, &format!("{folder}/{}", stringify!($field)), count));)*
        };
    }
    count!(
        symbol_error,
        link_error_recovery,
        link_downed,
        port_rcv_errors,
        port_xmit_discards,
        local_link_integrity_errors
    );
    counters
}

/// A device without performance management writes "N/A (no PMA)".
fn count(text: &str) -> Result<Option<u64>, String> {
    if text.starts_with("N/A") { Ok(None) } else { number(text).map(Some) }
}

/// Sets `rdma_device` of every interface.
pub(super) fn refer_back(ledger: &Ledger<'_>, nics: &mut [Nic], devices: &Collection<RdmaDevice>) {
    let ports: Vec<(&str, &str, SourceId)> = devices
        .items()
        .iter()
        .flat_map(|device| device.ports.items().iter().map(move |port| (device, port)))
        .filter_map(|(device, port)| {
            let source = port.sources.get("netdev")?;
            Some((port.netdev.known()?.as_str(), device.name.known()?.as_str(), source))
        })
        .collect();
    for nic in nics.iter_mut() {
        let name = nic.name.known().map(String::as_str);
        if let Some((_, device, source)) = ports.iter().find(|(netdev, _, _)| Some(*netdev) == name) {
            set!(nic.rdma_device, Read { reading: Reading::Known((*device).to_owned()), source: *source });
        } else {
            set!(nic.rdma_device, no_rdma(ledger, nic, devices));
        }
    }
    of_bond(ledger, nics);
}

/// The RDMA device of a bond (mlx5 "LAG") names the bond alone; its ports are those of the slaves.
fn of_bond(ledger: &Ledger<'_>, nics: &mut [Nic]) {
    let bonds: Vec<(String, String)> = nics
        .iter()
        .filter(|nic| nic.kind.known() == Some(&NicKind::Bond))
        .filter_map(|nic| Some((nic.name.known()?.clone(), nic.rdma_device.known()?.clone())))
        .collect();
    for nic in nics.iter_mut().filter(|nic| nic.rdma_device.known().is_none()) {
        let master = nic.master.known();
        if let Some((bond, device)) = bonds.iter().find(|(bond, _)| Some(bond) == master) {
            let source = ledger.source(format!("derived: RDMA device of {bond}"));
            set!(nic.rdma_device, Read { reading: Reading::Known(device.clone()), source });
        }
    }
}

/// No RDMA device names the interface. Of an adapter that says nothing: its module may not be loaded.
fn no_rdma(ledger: &Ledger<'_>, nic: &Nic, devices: &Collection<RdmaDevice>) -> Read<String> {
    let source = ledger.source(format!("list {CLASS}"));
    let name = nic.name.known().map_or("an interface", String::as_str);
    let untold =
        |kind, cause: &str| Reading::Unreadable(ledger.error(format!("tell the RDMA device of {name}"), kind, cause));
    let reading = match &nic.kind {
        Reading::Known(
            NicKind::Physical
            | NicKind::VirtualFunction
            | NicKind::Paravirtual
            | NicKind::Representor
            | NicKind::Ipoib
            | NicKind::Bond,
        ) => match devices.reasons().first() {
            Some(reason) => Reading::Unreadable(*reason),
            None if matches!(nic.kind, Reading::Known(NicKind::Bond)) => Reading::Absent,
            None => untold(
                ErrorKind::NotFound,
                "the kernel has no RDMA device of it: it has no RDMA, or its RDMA module is not loaded",
            ),
        },
        Reading::Known(_) | Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    Read { reading, source }
}
