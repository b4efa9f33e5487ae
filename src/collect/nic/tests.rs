//! The section on small trees. The layout of the folders is that of Linux 6.1; names and figures are made up.

use super::ethtool::driver::tests::{address_answer, driver_answer};
use super::*;
use crate::host::{Answer, Entry, Host, HostErrorKind, Question, Replay};
use crate::inventory::nic::{BondMode, Duplex, LacpRate, MacOrigin, OperState};
use crate::units::{BitsPerSec, Seconds};

pub(crate) type Tree = Vec<(String, Entry)>;

pub(crate) fn file(tree: &mut Tree, path: &str, content: &str) {
    tree.push((path.to_owned(), Entry::file(format!("{content}\n"))));
}

pub(crate) fn link(tree: &mut Tree, path: &str, target: &str) {
    tree.push((path.to_owned(), Entry::Link(target.to_owned())));
}

/// An interface in the folder `device` of `/sys/devices`, with the attributes that every interface has.
pub(crate) fn interface(tree: &mut Tree, device: &str, name: &str, attributes: &[(&str, &str)]) -> String {
    let folder = format!("/sys/devices/{device}/net/{name}");
    link(tree, &format!("/sys/class/net/{name}"), &format!("../../devices/{device}/net/{name}"));
    let usual = [
        ("address", "02:00:00:00:00:01"),
        ("addr_assign_type", "0"),
        ("mtu", "1500"),
        ("flags", "0x1003"),
        ("operstate", "up"),
        ("carrier", "1"),
        ("carrier_changes", "2"),
        ("type", "1"),
        ("dev_port", "0"),
        ("uevent", "INTERFACE=x\nIFINDEX=2"),
    ];
    for (attribute, value) in usual.iter().chain(attributes) {
        match attribute.strip_prefix("device/") {
            Some(attribute) => file(tree, &format!("/sys/devices/{device}/{attribute}"), value),
            None => file(tree, &format!("{folder}/{attribute}"), value),
        }
    }
    for queue in ["rx-0", "rx-1", "tx-0"] {
        tree.push((format!("{folder}/queues/{queue}"), Entry::Dir));
    }
    for counter in ["rx_errors", "tx_errors", "rx_crc_errors", "rx_dropped"] {
        file(tree, &format!("{folder}/statistics/{counter}"), "7");
    }
    if !device.starts_with("virtual") {
        link(tree, &format!("{folder}/device"), &format!("../../../{}", device.rsplit('/').next().unwrap()));
    }
    folder
}

/// A port of an adapter on PCI.
pub(crate) fn port(tree: &mut Tree, function: &str, name: &str, attributes: &[(&str, &str)]) -> String {
    let device = format!("pci0000:3a/0000:3a:00.0/{function}");
    link(tree, &format!("/sys/bus/pci/devices/{function}"), &format!("../../../devices/{device}"));
    file(tree, &format!("/sys/devices/{device}/numa_node"), "1");
    link(tree, &format!("/sys/devices/{device}/driver"), "../../../../bus/pci/drivers/mlx5_core");
    interface(tree, &device, name, attributes)
}

fn ask_driver(name: &str) -> Question {
    Question::Ethtool(name.to_owned(), driver::driver_request())
}

fn ask_address(name: &str) -> Question {
    Question::Ethtool(name.to_owned(), driver::address_request())
}

pub(crate) fn read(host: &dyn Host) -> (Network, Vec<String>, Vec<crate::reading::ReadError>) {
    let ledger = Ledger::new(host);
    let network = collect(&ledger);
    let (sources, errors) = ledger.close();
    (network, sources, errors)
}

pub(crate) fn nic<'a>(network: &'a Network, name: &str) -> &'a Nic {
    network.nics.items().iter().find(|nic| nic.name.known().is_some_and(|found| found == name)).expect(name)
}

pub(crate) fn cause<T>(reading: &Reading<T>, errors: &[crate::reading::ReadError]) -> String {
    match reading {
        Reading::Unreadable(error) => errors[error.0 as usize].to_string(),
        Reading::Known(_) | Reading::Absent => panic!("it was told"),
    }
}

pub(crate) fn known<T>(value: T) -> Reading<T> {
    Reading::Known(value)
}

fn words(words: &[&str]) -> Reading<Vec<String>> {
    Reading::Known(words.iter().map(|word| (*word).to_owned()).collect())
}

#[test]
fn a_port_with_a_link_is_told_in_full() {
    let mut tree = Tree::new();
    let folder = port(
        &mut tree,
        "0000:3b:00.1",
        "ens1f1np1",
        &[
            ("mtu", "9000"),
            ("speed", "25000"),
            ("duplex", "full"),
            ("dev_port", "0"),
            ("phys_port_name", "p1"),
            ("phys_switch_id", "303ea7ffff011a5a"),
            ("device/sriov_numvfs", "2"),
            ("device/sriov_totalvfs", "8"),
        ],
    );
    link(&mut tree, &format!("{folder}/upper_bond0"), "../../../../../virtual/net/bond0");
    link(&mut tree, &format!("{folder}/master"), "../../../../../virtual/net/bond0");
    let host = Replay::complete(tree)
        .with(
            ask_driver("ens1f1np1"),
            Ok(Answer::Bytes(driver_answer("mlx5_core", "6.1.0", "14.32.1010 (MT_2420110034)"))),
        )
        .with(ask_address("ens1f1np1"), Ok(Answer::Bytes(address_answer(&[2, 0, 0, 0, 0, 0xaa]))));
    let (network, sources, _) = read(&host);
    assert!(matches!(network.nics, Collection::Complete(_)));
    let nic = nic(&network, "ens1f1np1");
    assert_eq!(nic.kind, known(NicKind::Physical));
    assert_eq!(nic.bus, known("pci".to_owned()));
    assert_eq!(nic.mac, known("02:00:00:00:00:01".to_owned()));
    assert_eq!(nic.permanent_mac, known("02:00:00:00:00:aa".to_owned()));
    assert_eq!(nic.mac_origin, known(MacOrigin::Permanent));
    assert_eq!(nic.mtu, known(9000));
    assert_eq!(nic.admin_up, known(true));
    assert_eq!(nic.carrier, known(true));
    assert_eq!(nic.operstate, known(OperState::Up));
    assert_eq!(nic.speed, known(BitsPerSec(25_000_000_000)));
    assert_eq!(nic.duplex, known(Duplex::Full));
    assert_eq!(nic.carrier_changes, known(2));
    assert_eq!(nic.driver, known("mlx5_core".to_owned()));
    assert_eq!(nic.driver_version, known("6.1.0".to_owned()));
    assert_eq!(nic.firmware, known("14.32.1010 (MT_2420110034)".to_owned()));
    assert_eq!(nic.pci_address, known("0000:3b:00.1".to_owned()));
    assert_eq!(nic.numa_node, known(1));
    assert_eq!(nic.port_number, known(0));
    assert_eq!(nic.phys_port_id, Reading::Absent);
    assert_eq!(nic.phys_port_name, known("p1".to_owned()));
    assert_eq!(nic.phys_switch_id, known("303ea7ffff011a5a".to_owned()));
    assert_eq!(nic.master, known("bond0".to_owned()));
    assert_eq!(nic.upper, words(&["bond0"]));
    assert_eq!(nic.lower, words(&[]));
    assert_eq!(nic.physical_function, Reading::Absent);
    assert_eq!((&nic.vfs, &nic.vfs_max), (&known(2), &known(8)));
    assert_eq!((&nic.rx_queues, &nic.tx_queues), (&known(2), &known(1)));
    assert_eq!((&nic.vlan_id, &nic.bridge_ports), (&Reading::Absent, &Reading::Absent));
    assert_eq!(nic.counters.rx_crc_errors, known(7));
    let source = |field: &str| sources[nic.sources.get(field).expect(field).0 as usize].as_str();
    assert_eq!(source("speed"), "/sys/class/net/ens1f1np1/speed");
    assert_eq!(source("driver"), "link /sys/class/net/ens1f1np1/device/driver");
    assert_eq!(source("firmware"), "ethtool ens1f1np1 ETHTOOL_GDRVINFO");
    assert_eq!(source("numa_node"), "/sys/bus/pci/devices/0000:3b:00.1/numa_node");
    assert_eq!(source("pci_address"), "link /sys/class/net/ens1f1np1");
}

/// Once -1 was taken for a number elsewhere, and virtual interfaces failed.
#[test]
fn without_a_link_there_is_no_speed_whatever_the_file_says() {
    let refuse = |host: Replay, name: &str, attribute: &str| {
        host.with(Question::Read(format!("/sys/class/net/{name}/{attribute}")), Err(HostErrorKind::Io))
    };
    let mut tree = Tree::new();
    port(
        &mut tree,
        "0000:3b:00.0",
        "unplugged",
        &[("carrier", "0"), ("operstate", "down"), ("speed", "-1"), ("duplex", "unknown")],
    );
    port(
        &mut tree,
        "0000:3b:00.1",
        "stale",
        &[("carrier", "0"), ("operstate", "down"), ("speed", "10000"), ("duplex", "full")],
    );
    port(
        &mut tree,
        "0000:3b:00.2",
        "setdown",
        &[("carrier", ""), ("operstate", "down"), ("flags", "0x1002"), ("speed", ""), ("duplex", "")],
    );
    port(&mut tree, "0000:3b:00.3", "untold", &[("speed", "-1"), ("duplex", "unknown")]);
    port(&mut tree, "0000:3b:00.4", "damaged", &[("speed", "fast"), ("duplex", "both")]);
    port(&mut tree, "0000:3b:00.5", "broken", &[("speed", "1"), ("duplex", "full")]);
    let host = refuse(Replay::complete(tree), "broken", "speed");
    let (network, sources, errors) = read(&host);
    for name in ["unplugged", "stale"] {
        let nic = nic(&network, name);
        assert_eq!((&nic.speed, &nic.duplex), (&Reading::Absent, &Reading::Absent), "{name}");
        let source = &sources[nic.sources.get("speed").unwrap().0 as usize];
        assert_eq!(source, &format!("/sys/class/net/{name}/carrier"));
    }
    let setdown = nic(&network, "setdown");
    assert_eq!((&setdown.carrier, &setdown.speed), (&Reading::Absent, &Reading::Absent));
    assert_eq!(setdown.admin_up, known(false));
    let untold = nic(&network, "untold");
    let expected = "cannot read /sys/class/net/untold/speed: -1: the driver tells no speed of its link";
    assert_eq!(cause(&untold.speed, &errors), expected);
    assert!(cause(&untold.duplex, &errors).ends_with("unknown: the driver tells no duplex of its link"));
    assert!(cause(&nic(&network, "damaged").speed, &errors).contains("not a number"));
    assert_eq!(
        cause(&nic(&network, "broken").speed, &errors),
        "cannot read /sys/class/net/broken/speed: so the test says"
    );
}

#[test]
fn loopback_and_interfaces_without_a_device_have_no_adapters_facts() {
    let mut tree = Tree::new();
    interface(
        &mut tree,
        "virtual",
        "lo",
        &[("type", "772"), ("address", "00:00:00:00:00:00"), ("operstate", "unknown"), ("speed", ""), ("flags", "0x9")],
    );
    interface(
        &mut tree,
        "virtual",
        "ifb0",
        &[("flags", "0x82"), ("operstate", "down"), ("carrier", ""), ("speed", "")],
    );
    let bridge =
        interface(&mut tree, "virtual", "br0", &[("uevent", "DEVTYPE=bridge\nINTERFACE=br0"), ("speed", "1000")]);
    tree.push((format!("{bridge}/brif/tap1"), Entry::Dir));
    tree.push((format!("{bridge}/brif/eno1"), Entry::Dir));
    let no_driver = |host: Replay, name: &str| {
        host.with(ask_driver(name), Err(HostErrorKind::NotSupported))
            .with(ask_address(name), Err(HostErrorKind::NotSupported))
    };
    let host = ["lo", "br0"].iter().fold(Replay::complete(tree), |host, name| no_driver(host, name));
    let host = host.with(ask_driver("ifb0"), Ok(Answer::Bytes(driver_answer("ifb", "6.1.0", "2"))));
    let (network, _, _) = read(&host);
    let lo = nic(&network, "lo");
    assert_eq!(lo.kind, known(NicKind::Loopback));
    assert_eq!(
        (&lo.mac, &lo.speed, &lo.bus, &lo.driver),
        (&Reading::Absent, &Reading::Absent, &Reading::Absent, &Reading::Absent)
    );
    assert_eq!((&lo.pci_address, &lo.numa_node, &lo.vfs_max), (&Reading::Absent, &Reading::Absent, &Reading::Absent));
    assert_eq!(lo.rdma_device, Reading::Absent);
    let ifb = nic(&network, "ifb0");
    assert_eq!(
        (&ifb.kind, &ifb.driver, &ifb.firmware),
        (&known(NicKind::Other), &known("ifb".to_owned()), &Reading::Absent)
    );
    let bridge = nic(&network, "br0");
    assert_eq!((&bridge.kind, &bridge.bridge_ports), (&known(NicKind::Bridge), &words(&["eno1", "tap1"])));
    assert_eq!(bridge.speed, known(BitsPerSec(1_000_000_000)));
}

#[test]
fn functions_of_a_hypervisor_and_virtual_functions_are_told_apart() {
    let mut tree = Tree::new();
    interface(&mut tree, "pci0000:00/0000:00:03.0/virtio2", "eth0", &[("speed", "-1")]);
    file(&mut tree, "/sys/devices/pci0000:00/0000:00:03.0/numa_node", "-1");
    link(&mut tree, "/sys/bus/pci/devices/0000:00:03.0", "../../../devices/pci0000:00/0000:00:03.0");
    let vf = port(&mut tree, "0000:3b:00.2", "ens1f0v0", &[("speed", "25000")]);
    link(&mut tree, &format!("{vf}/device/physfn"), "../0000:3b:00.0");
    let (network, _, errors) = read(&Replay::complete(tree));
    let virtio = nic(&network, "eth0");
    assert_eq!((&virtio.kind, &virtio.bus), (&known(NicKind::Paravirtual), &known("virtio".to_owned())));
    assert_eq!((&virtio.pci_address, &virtio.numa_node), (&known("0000:00:03.0".to_owned()), &Reading::Absent));
    assert!(cause(&virtio.driver, &errors).ends_with("the device has no driver"));
    let vf = nic(&network, "ens1f0v0");
    assert_eq!(
        (&vf.kind, &vf.physical_function),
        (&known(NicKind::VirtualFunction), &known("0000:3b:00.0".to_owned()))
    );
}

#[test]
fn vlans_are_read_from_the_file_of_the_module() {
    let mut tree = Tree::new();
    let vlan = interface(&mut tree, "virtual", "storage", &[("uevent", "DEVTYPE=vlan\nINTERFACE=storage")]);
    link(&mut tree, &format!("{vlan}/lower_bond0"), "../bond0");
    let config =
        "VLAN Dev name\t | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\nstorage        | 71  | bond0";
    file(&mut tree, "/proc/net/vlan/config", config);
    let host = Replay::complete(tree.clone());
    let (network, _, _) = read(&host);
    let found = nic(&network, "storage");
    assert_eq!((&found.kind, &found.vlan_id), (&known(NicKind::Vlan), &known(71)));
    assert_eq!((&found.vlan_device, &found.lower), (&known("bond0".to_owned()), &words(&["bond0"])));

    let host = host.with(Question::Read("/proc/net/vlan/config".to_owned()), Err(HostErrorKind::PermissionDenied));
    let (network, _, errors) = read(&host);
    let found = nic(&network, "storage");
    assert_eq!(cause(&found.vlan_id, &errors), "cannot read /proc/net/vlan/config: so the test says");
    assert_eq!(found.vlan_device, known("bond0".to_owned()));
}

fn bond_tree() -> Tree {
    let mut tree = Tree::new();
    file(&mut tree, "/sys/class/net/bonding_masters", "bond0");
    let bond = interface(&mut tree, "virtual", "bond0", &[("speed", "50000"), ("duplex", "full")]);
    for (attribute, value) in [
        ("mode", "802.3ad 4"),
        ("mii_status", "up"),
        ("miimon", "100"),
        ("xmit_hash_policy", "layer3+4 1"),
        ("active_slave", ""),
        ("primary", ""),
        ("lacp_rate", "fast 1"),
        ("ad_aggregator", "1"),
        ("ad_num_ports", "2"),
        ("ad_partner_mac", "02:00:00:00:00:99"),
        ("min_links", "1"),
        ("slaves", "ens1f1 ens1f0"),
    ] {
        file(&mut tree, &format!("{bond}/bonding/{attribute}"), value);
    }
    for (function, name, aggregator, partner) in
        [("0000:3b:00.0", "ens1f0", "1", "61"), ("0000:3b:00.1", "ens1f1", "2", "1")]
    {
        let slave = port(&mut tree, function, name, &[("speed", "25000")]);
        link(&mut tree, &format!("{slave}/master"), "../../../../../virtual/net/bond0");
        for (attribute, value) in [
            ("state", "active"),
            ("mii_status", "up"),
            ("link_failure_count", "3"),
            ("perm_hwaddr", "02:00:00:00:00:02"),
            ("ad_aggregator_id", aggregator),
            ("ad_actor_oper_port_state", "63"),
            ("ad_partner_oper_port_state", partner),
        ] {
            file(&mut tree, &format!("{slave}/bonding_slave/{attribute}"), value);
        }
    }
    tree
}

#[test]
fn a_bond_tells_its_partner_and_each_slave() {
    let (network, _, _) = read(&Replay::complete(bond_tree()));
    assert_eq!(network.nics.items().len(), 3, "bonding_masters is no interface");
    let master = nic(&network, "bond0");
    assert_eq!((&master.kind, &master.lower), (&known(NicKind::Bond), &words(&["ens1f0", "ens1f1"])));
    let Collection::Complete(bonds) = &network.bonds else { panic!("partial") };
    let [bond] = bonds.as_slice() else { panic!("one bond") };
    assert_eq!(bond.mode, known(BondMode::Lacp));
    assert_eq!(bond.mii_up, known(true));
    assert_eq!(bond.miimon, known(Seconds(0.1)));
    assert_eq!(bond.hash_policy, known("layer3+4".to_owned()));
    assert_eq!((&bond.active_slave, &bond.primary), (&Reading::Absent, &Reading::Absent));
    assert_eq!(bond.lacp_rate, known(LacpRate::Fast));
    assert_eq!((&bond.active_aggregator, &bond.active_ports), (&known(1), &known(2)));
    assert_eq!(bond.partner_mac, known("02:00:00:00:00:99".to_owned()));
    assert_eq!(bond.min_links, known(1));
    let Collection::Complete(slaves) = &bond.slaves else { panic!("partial") };
    assert_eq!(slaves[0].name, known("ens1f0".to_owned()));
    assert_eq!((&slaves[0].mii_up, &slaves[0].state), (&known(true), &known("active".to_owned())));
    assert_eq!((&slaves[0].link_failures, &slaves[1].aggregator), (&known(3), &known(2)));
    assert!(slaves[0].lacp_partner_state.known().unwrap().contains(&"distributing".to_owned()));
    assert_eq!(slaves[1].lacp_partner_state, words(&["activity"]));
    // The bonding driver's copy stands in where ethtool could not be asked.
    assert_eq!(nic(&network, "ens1f0").permanent_mac, known("02:00:00:00:00:02".to_owned()));
}

#[test]
fn other_modes_have_no_lacp_and_only_root_is_told_the_partner() {
    let replace = |name: &str, value: &str| {
        let mut tree = bond_tree();
        file(&mut tree, &format!("/sys/devices/virtual/net/bond0/bonding/{name}"), value);
        let (network, _, errors) = read(&Replay::complete(tree));
        (network.bonds.items()[0].clone(), errors)
    };
    let (bond, _) = replace("mode", "active-backup 1");
    assert_eq!((&bond.lacp_rate, &bond.hash_policy), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&bond.partner_mac, &bond.active_ports), (&Reading::Absent, &Reading::Absent));
    assert_eq!(bond.slaves.items()[0].lacp_actor_state, Reading::Absent);
    let (bond, errors) = replace("ad_partner_mac", "");
    assert!(cause(&bond.partner_mac, &errors).ends_with("told to root only"));
    assert_eq!(replace("ad_partner_mac", "00:00:00:00:00:00").0.partner_mac, Reading::Absent);
    assert_eq!(replace("ad_aggregator", "0").0.active_aggregator, Reading::Absent);
    let (bond, errors) = replace("slaves", "ens1f0 ++more++");
    let Collection::Unreadable(error) = bond.slaves else { panic!("told") };
    assert!(errors[error.0 as usize].cause.contains("cut"));
}

#[test]
fn the_text_of_proc_stands_in_for_sysfs() {
    let text = "Ethernet Channel Bonding Driver: v3.7.1\n\nBonding Mode: fault-tolerance (active-backup)\n\
        Primary Slave: None\nCurrently Active Slave: em1\nMII Status: up\nMII Polling Interval (ms): 100\n\n\
        Slave Interface: em1\nMII Status: up\nLink Failure Count: 0\nPermanent HW addr: 02:00:00:00:00:01\n\n\
        Slave Interface: em2\nMII Status: down\nLink Failure Count: 1\nPermanent HW addr: 02:00:00:00:00:02\n";
    let mut tree = Tree::new();
    file(&mut tree, "/proc/net/bonding/bond0", text);
    let (network, sources, errors) = read(&Replay::from_entries(tree));
    assert!(matches!(network.nics, Collection::Unreadable(_)));
    assert!(matches!(network.rdma_devices, Collection::Unreadable(_)));
    let Collection::Partial { items, .. } = &network.bonds else { panic!("nobody knows of other bonds") };
    assert_eq!(items[0].mode, known(BondMode::ActiveBackup));
    assert_eq!((&items[0].active_slave, &items[0].primary), (&known("em1".to_owned()), &Reading::Absent));
    assert_eq!((&items[0].hash_policy, &items[0].lacp_rate), (&Reading::Absent, &Reading::Absent));
    assert!(cause(&items[0].min_links, &errors).contains("no line \"Min links\""));
    let slaves = items[0].slaves.items();
    assert_eq!((&slaves[1].mii_up, &slaves[1].link_failures), (&known(false), &known(1)));
    assert_eq!(sources[items[0].sources.get("mode").unwrap().0 as usize], "/proc/net/bonding/bond0");
}

#[test]
fn a_tree_without_manifest_is_partial_and_lacks_nothing_for_sure() {
    let mut tree = Tree::new();
    port(&mut tree, "0000:3b:00.0", "eno1", &[("speed", "10000")]);
    let (network, _, errors) = read(&Replay::from_entries(tree));
    let Collection::Partial { items, reasons } = &network.nics else { panic!("complete") };
    assert_eq!(errors[reasons[0].0 as usize].operation, "list /sys/class/net");
    let nic = &items[0];
    assert_eq!((&nic.kind, &nic.speed), (&known(NicKind::Physical), &known(BitsPerSec(10_000_000_000))));
    for reading in
        [&nic.master, &nic.firmware, &nic.physical_function, &nic.permanent_mac, &nic.phys_port_id, &nic.rdma_device]
    {
        assert!(matches!(reading, Reading::Unreadable(_)));
    }
    for reading in [&nic.rx_queues, &nic.vfs_max, &nic.counters.collisions] {
        assert!(matches!(reading, Reading::Unreadable(_)));
    }
    assert!(matches!(nic.lower, Reading::Unreadable(_)));
}

#[test]
fn the_same_answers_give_the_same_bytes() {
    let mut turned = bond_tree();
    turned.reverse();
    let json = |tree: Tree| {
        let (network, sources, errors) = read(&Replay::complete(tree));
        serde_json::to_string(&(network.nics, network.bonds, sources, errors)).unwrap()
    };
    assert_eq!(json(bond_tree()), json(turned));
}

#[test]
fn hostile_names_and_contents_do_no_harm() {
    let mut tree = Tree::new();
    interface(
        &mut tree,
        "virtual",
        "e\u{202e}x|y",
        &[("mtu", "-5"), ("address", "\u{0}\u{0}"), ("flags", "0xfffffffffffffffffffff")],
    );
    link(&mut tree, "/sys/class/net/nowhere", "nowhere");
    tree.push(("/sys/class/net/binary/mtu".to_owned(), Entry::file([0xff, 0xfe])));
    file(&mut tree, "/sys/class/net/bonding_masters", "nobond nobond");
    let (network, _, errors) = read(&Replay::complete(tree));
    assert_eq!(network.nics.items().len(), 3);
    assert!(cause(&nic(&network, "nowhere").kind, &errors).contains("not the place of an interface"));
    assert!(matches!(nic(&network, "binary").mtu, Reading::Unreadable(_)));
    assert_eq!(network.bonds.items().len(), 1);
    assert!(matches!(network.bonds.items()[0].slaves, Collection::Unreadable(_)));
}
