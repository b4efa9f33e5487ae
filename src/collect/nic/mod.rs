//! Network interfaces, bonds and RDMA devices: `/sys/class/net`, `/proc/net/vlan`, ethtool, and through [`super::rdma`]
//! `/sys/class/infiniband`.
//!
//! Reads what is. Interfaces of other network namespaces than its own are not seen.

pub(crate) mod attribute;
mod bond;
mod ethtool;
mod kind;
mod link;
pub(crate) mod parse;
#[cfg(test)]
pub(crate) mod tests;

use super::ledger::{Ledger, Missing, Read};
use super::rdma;
use crate::host::{HostErrorKind, Listing};
use crate::inventory::nic::{Bond, Nic, NicCounters, NicKind};
use crate::inventory::rdma::RdmaDevice;
use crate::reading::{Collection, ErrorId, ErrorKind, Fact, Reading, Renumber, SourceId};
use attribute::{flatten, known_or_absent, optional, text};
use ethtool::driver::{self, DriverInfo};

/// Where the kernel keeps its interfaces.
pub(super) const NET: &str = "/sys/class/net";
/// The one name in that folder that is no interface: an attribute of the bonding driver.
const BONDING_MASTERS: &str = "bonding_masters";
const VLAN_CONFIG: &str = "/proc/net/vlan/config";

/// What the section finds.
#[derive(Debug, Default, PartialEq)]
pub struct Network {
    /// Interfaces.
    pub nics: Collection<Nic>,
    /// Bonds.
    pub bonds: Collection<Bond>,
    /// RDMA devices.
    pub rdma_devices: Collection<RdmaDevice>,
}

impl Network {
    /// Rewrites every error and source index.
    pub fn renumber(&mut self, ids: &Renumber<'_>) {
        self.nics.renumber(ids);
        self.bonds.renumber(ids);
        self.rdma_devices.renumber(ids);
    }
}

/// Reads the section.
#[must_use]
pub fn collect(ledger: &Ledger<'_>) -> Network {
    let listing = ledger.list(NET, Missing::Untold("sysfs is not mounted, or the kernel has no network"));
    let listing = match listing.reading {
        Reading::Known(listing) => listing,
        Reading::Unreadable(error) => return without_interfaces(ledger, error),
        // The listing was declared untold if missing.
        Reading::Absent => return Network::default(),
    };
    let vlans = Vlans::read(ledger);
    let mut nics: Vec<Nic> = listing
        .names
        .iter()
        .filter(|name| *name != BONDING_MASTERS)
        .map(|name| interface(ledger, name, &vlans))
        .collect();
    ethtool::complete(ledger, &mut nics);
    let reasons = if listing.complete { Vec::new() } else { vec![ledger.incomplete(NET)] };
    let bonds = bond::collect(ledger, &nics);
    let rdma_devices = rdma::collect(ledger, &nics, listing.complete);
    permanent_addresses_by_bond(&mut nics, &bonds);
    rdma::refer_back(ledger, &mut nics, &rdma_devices);
    Network { nics: Collection::new(nics, reasons), bonds, rdma_devices }
}

/// A recording may hold RDMA devices or `/proc/net/bonding` alone.
fn without_interfaces(ledger: &Ledger<'_>, error: ErrorId) -> Network {
    Network {
        nics: Collection::Unreadable(error),
        bonds: bond::collect(ledger, &[]),
        rdma_devices: rdma::collect(ledger, &[], false),
    }
}

/// The file of VLANs, read once.
struct Vlans {
    config: Read<Vec<parse::Vlan>>,
}

impl Vlans {
    /// The file is there while the module is loaded, and there is no VLAN without it.
    fn read(ledger: &Ledger<'_>) -> Self {
        Self { config: ledger.parsed(VLAN_CONFIG, Missing::Absent, parse::vlan_config) }
    }

    fn find(&self, name: &str) -> Option<&parse::Vlan> {
        self.config.reading.known()?.iter().find(|vlan| vlan.name == name)
    }
}

fn interface(ledger: &Ledger<'_>, name: &str, vlans: &Vlans) -> Nic {
    let folder = format!("{NET}/{name}");
    let mut nic = Nic::default();
    set!(nic.name, Read { reading: Reading::Known(name.to_owned()), source: ledger.source(format!("list {NET}")) });
    let place = Place::read(ledger, &folder);
    let driver = driver_info(ledger, name);
    let entries = ledger.list(&folder, Missing::Untold("the interface is gone"));

    place_facts(ledger, &folder, &place, &mut nic);
    set!(nic.phys_port_id, optional(ledger, &format!("{folder}/phys_port_id"), text));
    set!(nic.phys_port_name, optional(ledger, &format!("{folder}/phys_port_name"), text));
    set!(nic.phys_switch_id, optional(ledger, &format!("{folder}/phys_switch_id"), text));
    kind_facts(ledger, &folder, &place, &driver, &entries, vlans, &mut nic);
    driver_facts(ledger, &folder, &place, driver, &mut nic);

    const MANDATORY: Missing = Missing::Untold("the kernel tells no such attribute of an interface");
    set!(nic.mac, flatten(ledger.parsed(&format!("{folder}/address"), MANDATORY, parse::address)));
    set!(nic.permanent_mac, permanent_address(ledger, name));
    set!(nic.mac_origin, ledger.parsed(&format!("{folder}/addr_assign_type"), MANDATORY, parse::mac_origin));
    set!(nic.mtu, ledger.parsed(&format!("{folder}/mtu"), MANDATORY, parse::number));
    let since = Missing::Untold("the kernel is older than 3.15");
    set!(nic.port_number, ledger.parsed(&format!("{folder}/dev_port"), since, parse::number));
    link::read(ledger, &folder, &mut nic);
    neighbours(ledger, &folder, &entries, vlans, &mut nic);
    queues(ledger, &folder, &mut nic);
    nic.counters = counters(ledger, &format!("{folder}/statistics"));
    nic
}

/// Where an interface stands in the tree of devices.
struct Place {
    /// Its device, and what hangs above: a path of sysfs. Absent if it has none.
    device: Read<String>,
}

impl Place {
    /// `/sys/class/net/X` is a link into the tree of devices: below `virtual` for an interface without a device, else
    /// `<device>/net/X`. In a copy it may be a folder; then `device` tells.
    fn read(ledger: &Ledger<'_>, folder: &str) -> Self {
        let source = |path: &str| ledger.source(format!("link {path}"));
        if let Ok(target) = ledger.host().read_link(folder) {
            let reading = match target.trim_end_matches('/').rsplit_once("/net/") {
                Some((device, _)) if device.split('/').any(|part| part == "virtual") => Reading::Absent,
                Some((device, _)) => Reading::Known(device.to_owned()),
                None => ledger.malformed(folder, format!("not the place of an interface: {target:?}")),
            };
            return Self { device: Read { reading, source: source(folder) } };
        }
        Self { device: ledger.link(&format!("{folder}/device"), Missing::Absent) }
    }

    fn has_device(&self) -> Option<bool> {
        match self.device.reading {
            Reading::Known(_) => Some(true),
            Reading::Absent => Some(false),
            Reading::Unreadable(_) => None,
        }
    }

    fn device_name(&self) -> Option<&str> {
        self.device.reading.known().map(|device| parse::base_name(device))
    }

    /// What only an interface with a device can have.
    fn if_device<T>(&self, read: impl FnOnce() -> Read<T>) -> Read<T> {
        match self.device.reading {
            Reading::Absent => Read { reading: Reading::Absent, source: self.device.source },
            Reading::Known(_) | Reading::Unreadable(_) => read(),
        }
    }
}

fn place_facts(ledger: &Ledger<'_>, folder: &str, place: &Place, nic: &mut Nic) {
    set!(nic.pci_address, pci_address(&place.device));
    set!(nic.numa_node, numa_node(ledger, &nic.pci_address, place.device.source));
    set!(
        nic.bus,
        place.if_device(|| match place.device_name() {
            Some(device) if parse::is_pci_function(device) => {
                Read { reading: Reading::Known("pci".to_owned()), source: place.device.source }
            }
            Some(device) if is_virtio(device) => {
                Read { reading: Reading::Known("virtio".to_owned()), source: place.device.source }
            }
            _ => ledger
                .link(&format!("{folder}/device/subsystem"), Missing::Untold("the device is on no bus"))
                .map(|target| parse::base_name(&target).to_owned()),
        })
    );
    let pci = |file: &str| format!("{folder}/device/{file}");
    set!(
        nic.physical_function,
        place.if_device(|| ledger.link(&pci("physfn"), Missing::Absent).map(|path| parse::base_name(&path).to_owned()))
    );
    set!(nic.vfs, place.if_device(|| ledger.parsed(&pci("sriov_numvfs"), Missing::Absent, parse::number)));
    set!(nic.vfs_max, place.if_device(|| ledger.parsed(&pci("sriov_totalvfs"), Missing::Absent, parse::number)));
    // Older kernels have SR-IOV without it; whether there is SR-IOV, `sriov_totalvfs` tells.
    let autoprobe = match nic.vfs_max.known() {
        Some(_) => Missing::Untold("the kernel is older than 4.12"),
        None => Missing::Absent,
    };
    set!(nic.vfs_autoprobe, place.if_device(|| ledger.parsed(&pci("sriov_drivers_autoprobe"), autoprobe, parse::flag)));
}

fn is_virtio(device: &str) -> bool {
    let number = device.strip_prefix("virtio");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// The PCI function in the place of a device; absent if none is above it.
pub(super) fn pci_address(device: &Read<String>) -> Read<String> {
    let reading = match &device.reading {
        Reading::Known(path) => match parse::pci_function(path) {
            Some(function) => Reading::Known(function.to_owned()),
            None => Reading::Absent,
        },
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    Read { reading, source: device.source }
}

/// The NUMA node of a PCI function, which `place` told.
pub(super) fn numa_node(ledger: &Ledger<'_>, pci: &Reading<String>, place: SourceId) -> Read<u64> {
    match pci {
        Reading::Known(function) => flatten(ledger.parsed(
            &format!("/sys/bus/pci/devices/{function}/numa_node"),
            Missing::Untold("the kernel has no NUMA"),
            parse::numa_node,
        )),
        Reading::Absent => Read { reading: Reading::Absent, source: place },
        Reading::Unreadable(error) => Read { reading: Reading::Unreadable(*error), source: place },
    }
}

fn kind_facts(
    ledger: &Ledger<'_>,
    folder: &str,
    place: &Place,
    driver: &Read<DriverInfo>,
    entries: &Read<Listing>,
    vlans: &Vlans,
    nic: &mut Nic,
) {
    let untold = Missing::Untold("the kernel tells no such attribute of an interface");
    let arp_type = ledger.value(&format!("{folder}/type"), untold, parse::number);
    let uevent = ledger.value(&format!("{folder}/uevent"), untold, |text| Ok(parse::devtype(text)));
    let name = parse::base_name(folder);
    let signs = kind::Signs {
        name,
        has_device: place.has_device(),
        device: place.device_name(),
        bus: nic.bus.known().map(String::as_str),
        arp_type: arp_type.known().copied(),
        devtype: uevent.known().and_then(Option::as_deref),
        entries: entries.reading.known().map_or(&[], |listing| listing.names.as_slice()),
        virtual_function: nic.physical_function.known().is_some(),
        phys_port_name: nic.phys_port_name.known().map(String::as_str),
        driver: driver.reading.known().and_then(|info| info.driver.as_deref()),
        vlan: vlans.find(name).is_some(),
    };
    let reading = match (kind::kind(&signs), &place.device.reading) {
        (Some(kind), _) => Reading::Known(kind),
        (None, Reading::Unreadable(error)) => Reading::Unreadable(*error),
        (None, _) => ledger.malformed(folder, "it is told neither by its place nor by its type"),
    };
    let source = ledger.source(format!("derived: place, type, uevent and driver of {folder}"));
    set!(nic.kind, Read { reading, source });
}

/// What the driver says of itself; absent if it says nothing.
fn driver_info(ledger: &Ledger<'_>, name: &str) -> Read<DriverInfo> {
    let source = format!("ethtool {name} ETHTOOL_GDRVINFO");
    let reading = ethtool_answer(ledger, name, &driver::driver_request(), &source, |answer| {
        driver::parse_driver(answer).map(Some)
    });
    Read { reading, source: ledger.source(source) }
}

/// An answer of the driver; absent if it refuses or has nothing to say.
fn ethtool_answer<T>(
    ledger: &Ledger<'_>,
    name: &str,
    request: &[u8],
    source: &str,
    parse: impl FnOnce(&[u8]) -> Result<Option<T>, String>,
) -> Reading<T> {
    match ledger.host().ethtool(name, request) {
        Ok(answer) => known_or_absent(ledger, source, parse(&answer)),
        Err(error) if error.kind == HostErrorKind::NotSupported => Reading::Absent,
        Err(error) => Reading::Unreadable(ledger.host_error(error)),
    }
}

fn permanent_address(ledger: &Ledger<'_>, name: &str) -> Read<String> {
    let source = format!("ethtool {name} ETHTOOL_GPERMADDR");
    let reading = ethtool_answer(ledger, name, &driver::address_request(), &source, driver::parse_address);
    Read { reading, source: ledger.source(source) }
}

fn driver_facts(ledger: &Ledger<'_>, folder: &str, place: &Place, info: Read<DriverInfo>, nic: &mut Nic) {
    let source = info.source;
    let of_info = |pick: fn(&DriverInfo) -> &Option<String>| {
        let reading = match &info.reading {
            Reading::Known(info) => match pick(info) {
                Some(text) => Reading::Known(text.clone()),
                None => Reading::Absent,
            },
            Reading::Absent => Reading::Absent,
            Reading::Unreadable(error) => Reading::Unreadable(*error),
        };
        Read { reading, source }
    };
    set!(
        nic.driver,
        match place.has_device() {
            Some(false) => of_info(|info| &info.driver),
            _ => ledger
                .link(&format!("{folder}/device/driver"), Missing::Untold("the device has no driver"))
                .map(|target| parse::base_name(&target).to_owned()),
        }
    );
    set!(nic.driver_version, of_info(|info| &info.version));
    // The bonding driver, for one, writes the version of its interface there.
    set!(nic.firmware, place.if_device(|| of_info(|info| &info.firmware)));
}

/// Masters, slaves, and what a VLAN is on.
fn neighbours(ledger: &Ledger<'_>, folder: &str, entries: &Read<Listing>, vlans: &Vlans, nic: &mut Nic) {
    set!(
        nic.master,
        ledger.link(&format!("{folder}/master"), Missing::Absent).map(|path| parse::base_name(&path).to_owned())
    );
    set!(nic.lower, lower(ledger, folder, entries, nic));
    set!(nic.upper, prefixed(ledger, folder, entries, "upper_"));
    set!(
        nic.bridge_ports,
        of_kind(ledger, folder, nic, NicKind::Bridge, || {
            let path = format!("{folder}/brif");
            let ports = ledger.list(&path, Missing::Untold("the bridge driver has no such folder"));
            Read { reading: whole(ledger, &path, ports.reading), source: ports.source }
        })
    );
    vlan_facts(ledger, folder, entries, vlans, nic);
}

fn vlan_facts(ledger: &Ledger<'_>, folder: &str, entries: &Read<Listing>, vlans: &Vlans, nic: &mut Nic) {
    let source = vlans.config.source;
    let name = parse::base_name(folder);
    let untold = || match &vlans.config.reading {
        Reading::Unreadable(error) => *error,
        Reading::Known(_) | Reading::Absent => {
            ledger.error(format!("parse {VLAN_CONFIG}"), ErrorKind::Malformed, format!("it does not name {name}"))
        }
    };
    let found = vlans.find(name);
    set!(
        nic.vlan_id,
        of_kind(ledger, folder, nic, NicKind::Vlan, || {
            let reading = found.map_or_else(|| Reading::Unreadable(untold()), |vlan| Reading::Known(vlan.id));
            Read { reading, source }
        })
    );
    set!(
        nic.vlan_device,
        of_kind(ledger, folder, nic, NicKind::Vlan, || match (found, nic.lower.known()) {
            (Some(vlan), _) => Read { reading: Reading::Known(vlan.device.clone()), source },
            (None, Some(lower)) if lower.len() == 1 => {
                let device = lower.first().cloned().map_or(Reading::Absent, Reading::Known);
                Read { reading: device, source: entries.source }
            }
            (None, _) => Read { reading: Reading::Unreadable(untold()), source },
        })
    );
}

/// What only one kind of interface has.
fn of_kind<T>(ledger: &Ledger<'_>, folder: &str, nic: &Nic, kind: NicKind, read: impl FnOnce() -> Read<T>) -> Read<T> {
    let told_by = || ledger.source(format!("derived: kind of {folder}"));
    match &nic.kind {
        Reading::Known(found) if *found == kind => read(),
        Reading::Known(_) | Reading::Absent => Read { reading: Reading::Absent, source: told_by() },
        Reading::Unreadable(error) => Read { reading: Reading::Unreadable(*error), source: told_by() },
    }
}

/// Interfaces below. The bonding driver lists its slaves in a file, which a recording has whole or not at all.
fn lower(ledger: &Ledger<'_>, folder: &str, entries: &Read<Listing>, nic: &Nic) -> Read<Vec<String>> {
    if nic.kind.known() == Some(&NicKind::Bond) {
        let slaves = format!("{folder}/bonding/slaves");
        let slaves = ledger.parsed(&slaves, Missing::Untold("the bonding driver has no such attribute"), bond::names);
        if matches!(slaves.reading, Reading::Known(_)) {
            return slaves;
        }
    }
    prefixed(ledger, folder, entries, "lower_")
}

/// Links in the folder of an interface that name another.
fn prefixed(ledger: &Ledger<'_>, folder: &str, entries: &Read<Listing>, prefix: &str) -> Read<Vec<String>> {
    let listing = match &entries.reading {
        Reading::Known(listing) => Reading::Known(Listing {
            names: listing.names.iter().filter_map(|name| name.strip_prefix(prefix)).map(str::to_owned).collect(),
            complete: listing.complete,
        }),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(*error),
    };
    Read { reading: whole(ledger, folder, listing), source: entries.source }
}

/// Names of a listing, if they are all.
fn whole(ledger: &Ledger<'_>, path: &str, listing: Reading<Listing>) -> Reading<Vec<String>> {
    match listing {
        Reading::Known(Listing { mut names, complete: true }) => {
            names.sort();
            Reading::Known(names)
        }
        Reading::Known(_) => Reading::Unreadable(ledger.incomplete(path)),
        Reading::Absent => Reading::Absent,
        Reading::Unreadable(error) => Reading::Unreadable(error),
    }
}

fn queues(ledger: &Ledger<'_>, folder: &str, nic: &mut Nic) {
    let path = format!("{folder}/queues");
    let listing = ledger.list(&path, Missing::Untold("the kernel is older than 3.2 or has no queues in sysfs"));
    let names = whole(ledger, &path, listing.reading);
    let count =
        |prefix: &str| names.clone().map(|names| names.iter().filter(|name| name.starts_with(prefix)).count() as u64);
    set!(nic.rx_queues, Read { reading: count("rx-"), source: listing.source });
    set!(nic.tx_queues, Read { reading: count("tx-"), source: listing.source });
}

fn counters(ledger: &Ledger<'_>, folder: &str) -> NicCounters {
    let mut counters = NicCounters::default();
    macro_rules! count {
        ($($field:ident),*) => {
            $(set!(counters.$field, ledger.parsed(
                &format!("{folder}/{}", stringify!($field)),
                Missing::Untold("the kernel has no such counter"),
                parse::number,
            ));)*
        };
    }
    count!(
        rx_packets,
        tx_packets,
        rx_errors,
        tx_errors,
        rx_dropped,
        tx_dropped,
        rx_crc_errors,
        rx_frame_errors,
        rx_length_errors,
        rx_missed_errors,
        rx_over_errors,
        rx_fifo_errors,
        tx_fifo_errors,
        tx_carrier_errors,
        collisions
    );
    counters
}

/// A recording without ethtool may hold the address by which the bonding driver knows its slave.
fn permanent_addresses_by_bond(nics: &mut [Nic], bonds: &Collection<Bond>) {
    for slave in bonds.items().iter().flat_map(|bond| bond.slaves.items()) {
        let nic = nics.iter_mut().find(|nic| nic.name.known().is_some() && nic.name.known() == slave.name.known());
        let (Some(nic), Some(source)) = (nic, slave.sources.get("permanent_mac")) else { continue };
        let address = slave.permanent_mac.clone();
        if matches!(nic.permanent_mac, Reading::Unreadable(_)) && address.known().is_some() {
            set!(nic.permanent_mac, Read { reading: address, source });
        }
    }
}
