//! The section on small trees, with the interfaces beside them. The layout is that of Linux 6.1; names and figures are made up.

use crate::collect::nic::Network;
use crate::collect::nic::tests::{Tree, cause, file, interface, known, link, nic, port, read};
use crate::host::{Entry, HostErrorKind, Question, Replay};
use crate::inventory::nic::NicKind;
use crate::inventory::rdma::{
    RdmaDevice, RdmaGidKind, RdmaLinkLayer, RdmaNodeType, RdmaPhysState, RdmaPort, RdmaPortState, RdmaProtocol,
};
use crate::reading::{Collection, Reading};
use crate::units::BitsPerSec;

const ZERO: &str = "0000:0000:0000:0000:0000:0000:0000:0000";

/// A device of one port, on the PCI function or below `virtual`.
fn device(tree: &mut Tree, place: &str, name: &str, layer: &str, node_type: &str) -> String {
    let folder = format!("/sys/devices/{place}/infiniband/{name}");
    link(tree, &format!("/sys/class/infiniband/{name}"), &format!("../../devices/{place}/infiniband/{name}"));
    for (attribute, value) in [
        ("node_type", node_type),
        ("fw_ver", "28.41.1000"),
        ("hca_type", "MT4129"),
        ("board_id", "MT_0000000838"),
        ("node_guid", "0200:00ff:fe00:0001"),
        ("sys_image_guid", "0200:00ff:fe00:0000"),
        ("node_desc", "n1 HCA-1"),
        ("ports/1/state", "4: ACTIVE"),
        ("ports/1/phys_state", "5: LinkUp"),
        ("ports/1/rate", "100 Gb/sec (4X EDR)"),
        ("ports/1/link_layer", layer),
        ("ports/1/lid", "0x12a"),
        ("ports/1/sm_lid", "0x1"),
        ("ports/1/counters/symbol_error", "3"),
        ("ports/1/counters/link_downed", "N/A (no PMA)"),
    ] {
        file(tree, &format!("{folder}/{attribute}"), value);
    }
    tree.push((format!("{folder}/ports/1/gids"), Entry::Dir));
    folder
}

fn gid(tree: &mut Tree, folder: &str, index: u64, address: &str, kind: &str, netdev: &str) {
    let port = format!("{folder}/ports/1");
    file(tree, &format!("{port}/gids/{index}"), address);
    if address != ZERO {
        file(tree, &format!("{port}/gid_attrs/types/{index}"), kind);
        file(tree, &format!("{port}/gid_attrs/ndevs/{index}"), netdev);
    }
}

const FUNCTION: &str = "pci0000:3a/0000:3a:00.0/0000:3b:00.0";

fn one(network: &Network) -> (&RdmaDevice, &RdmaPort) {
    let Collection::Complete(devices) = &network.rdma_devices else { panic!("not complete") };
    let [device] = devices.as_slice() else { panic!("not one device") };
    let Collection::Complete(ports) = &device.ports else { panic!("ports not complete") };
    let [port] = ports.as_slice() else { panic!("not one port") };
    (device, port)
}

#[test]
fn an_infiniband_port_is_told_in_full() {
    let mut tree = Tree::new();
    port(&mut tree, "0000:3b:00.0", "ib0", &[("type", "32"), ("speed", "100000")]);
    port(&mut tree, "0000:3b:00.0", "ib0.8001", &[("type", "32")]);
    let folder = device(&mut tree, FUNCTION, "mlx5_0", "InfiniBand", "1: CA");
    gid(&mut tree, &folder, 0, "fe80:0000:0000:0000:0200:00ff:fe00:0001", "IB/RoCE v1", "");
    gid(&mut tree, &folder, 1, ZERO, "", "");
    gid(&mut tree, &folder, 2, "fe80:0000:0000:0000:0000:0000:0000:0000", "IB/RoCE v1", "");
    let (network, sources, _) = read(&Replay::complete(tree));
    let (device, port) = one(&network);
    assert_eq!(device.node_type, known(RdmaNodeType::Ca));
    assert_eq!((&device.firmware, &device.hca_type), (&known("28.41.1000".to_owned()), &known("MT4129".to_owned())));
    assert_eq!(device.board_id, known("MT_0000000838".to_owned()));
    assert_eq!(device.node_guid, known("0200:00ff:fe00:0001".to_owned()));
    assert_eq!(device.description, known("n1 HCA-1".to_owned()));
    assert_eq!((&device.pci_address, &device.numa_node), (&known("0000:3b:00.0".to_owned()), &known(1)));
    assert_eq!(port.number, known(1));
    assert_eq!((&port.state, &port.phys_state), (&known(RdmaPortState::Active), &known(RdmaPhysState::LinkUp)));
    assert_eq!((&port.rate, &port.lanes), (&known(BitsPerSec(100_000_000_000)), &known(4)));
    assert_eq!(
        (&port.link_layer, &port.protocol),
        (&known(RdmaLinkLayer::Infiniband), &known(RdmaProtocol::Infiniband))
    );
    assert_eq!((&port.lid, &port.sm_lid), (&known(0x12a), &known(1)));
    assert_eq!(port.netdev, known("ib0".to_owned()));
    assert_eq!(port.gids.items().len(), 1);
    assert_eq!(port.gids.items()[0].netdev, Reading::Absent);
    assert_eq!((&port.counters.symbol_error, &port.counters.link_downed), (&known(3), &Reading::Absent));
    let ib0 = nic(&network, "ib0");
    assert_eq!((&ib0.kind, &ib0.rdma_device), (&known(NicKind::Ipoib), &known("mlx5_0".to_owned())));
    let protocol = sources[port.sources.get("protocol").unwrap().0 as usize].as_str();
    assert_eq!(protocol, "derived: node_type and link_layer of /sys/class/infiniband/mlx5_0/ports/1");
}

#[test]
fn roce_is_of_version_2_if_one_address_is() {
    let with = |gids: &[(u64, &str, &str)]| {
        let mut tree = Tree::new();
        port(&mut tree, "0000:3b:00.0", "ens1f0np0", &[("speed", "100000")]);
        let folder = device(&mut tree, FUNCTION, "mlx5_0", "Ethernet", "1: CA");
        for (index, address, kind) in gids {
            gid(&mut tree, &folder, *index, address, kind, "ens1f0np0");
        }
        let (network, _, errors) = read(&Replay::complete(tree));
        let port = one(&network).1.clone();
        (port, nic(&network, "ens1f0np0").clone(), errors)
    };
    let link_local = "fe80:0000:0000:0000:0000:00ff:fe00:0001";
    let (port, nic, _) = with(&[(0, link_local, "IB/RoCE v1"), (1, link_local, "RoCE v2"), (2, ZERO, "")]);
    assert_eq!(port.protocol, known(RdmaProtocol::RoceV2));
    assert_eq!(port.gids.items()[1].kind, known(RdmaGidKind::RoceV2));
    assert_eq!((&port.lid, &port.sm_lid), (&Reading::Absent, &Reading::Absent));
    assert_eq!((&port.netdev, &nic.rdma_device), (&known("ens1f0np0".to_owned()), &known("mlx5_0".to_owned())));
    assert_eq!(with(&[(0, link_local, "IB/RoCE v1")]).0.protocol, known(RdmaProtocol::RoceV1));
    let (port, _, errors) = with(&[]);
    assert!(cause(&port.protocol, &errors).ends_with("RoCE, but it has no GID that would tell the version"));
    assert_eq!(port.netdev, known("ens1f0np0".to_owned()), "by function and port");
    let (port, _, errors) = with(&[(0, link_local, "IB/RoCE v1"), (1, link_local, "RoCE v3")]);
    assert!(cause(&port.protocol, &errors).contains("no type of a GID"));
}

#[test]
fn iwarp_is_told_by_the_type_of_the_node_and_others_by_nothing() {
    for (node_type, expected) in [("4: RNIC", Some(RdmaProtocol::Iwarp)), ("7: unspecified", None), ("5: usNIC", None)]
    {
        let mut tree = Tree::new();
        device(&mut tree, FUNCTION, "irdma0", "Ethernet", node_type);
        let (network, _, errors) = read(&Replay::complete(with_net(tree)));
        let protocol = &one(&network).1.protocol;
        match expected {
            Some(expected) => assert_eq!(protocol, &known(expected)),
            None => assert!(cause(protocol, &errors).ends_with("it is neither InfiniBand, RoCE nor iWARP")),
        }
    }
}

/// siw and Chelsio's adapters have one GID: their address, then zeros.
#[test]
fn an_iwarp_address_is_no_unused_entry() {
    let mut tree = Tree::new();
    let folder = device(&mut tree, "virtual", "siw0", "Ethernet", "4: RNIC");
    gid(&mut tree, &folder, 0, "0200:0000:0001:0000:0000:0000:0000:0000", "IB/RoCE v1", "");
    let (network, _, errors) = read(&Replay::complete(with_net(tree)));
    let port = one(&network).1;
    assert_eq!(port.gids.items().len(), 1);
    assert_eq!(port.protocol, known(RdmaProtocol::Iwarp));
    assert!(cause(&port.netdev, &errors).ends_with("sysfs does not tell it of a device of software"));
}

fn with_net(mut tree: Tree) -> Tree {
    tree.push(("/sys/class/net".to_owned(), Entry::Dir));
    tree
}

/// The kernel writes the lowest rate for a port without a link, as if it had negotiated that.
#[test]
fn without_a_link_there_is_no_rate() {
    for (state, phys_state) in
        [("1: DOWN", "3: Disabled"), ("1: DOWN", "2: Polling"), ("1: DOWN", "4: PortConfigurationTraining")]
    {
        let mut tree = Tree::new();
        let folder = device(&mut tree, FUNCTION, "mlx5_0", "InfiniBand", "1: CA");
        for (attribute, value) in [
            ("state", state),
            ("phys_state", phys_state),
            ("rate", "10 Gb/sec (4X SDR)"),
            ("lid", "0xffff"),
            ("sm_lid", "0x0"),
        ] {
            file(&mut tree, &format!("{folder}/ports/1/{attribute}"), value);
        }
        let (network, _, _) = read(&Replay::complete(with_net(tree)));
        let port = one(&network).1;
        assert_eq!((&port.rate, &port.lanes), (&Reading::Absent, &Reading::Absent), "{phys_state}");
        assert_eq!((&port.lid, &port.sm_lid), (&Reading::Absent, &Reading::Absent));
        assert_eq!(port.protocol, known(RdmaProtocol::Infiniband));
        assert_eq!(port.netdev, Reading::Absent);
    }
}

#[test]
fn a_long_table_is_asked_for_in_part() {
    let mut tree = Tree::new();
    let folder = device(&mut tree, "virtual", "rxe0", "Ethernet", "1: CA");
    for index in 0..1024 {
        let address = if index == 1023 { "fe80:0000:0000:0000:0000:00ff:fe00:0001" } else { ZERO };
        gid(&mut tree, &folder, index, address, "RoCE v2", "eth0");
    }
    let (network, _, errors) = read(&Replay::complete(with_net(tree)));
    let (device, port) = one(&network);
    assert_eq!((&device.pci_address, &device.numa_node), (&Reading::Absent, &Reading::Absent));
    let Collection::Partial { items, reasons } = &port.gids else { panic!("complete") };
    assert!(items.is_empty());
    let expected = "cannot list /sys/class/infiniband/rxe0/ports/1/gids: the first 256 of 1024 entries were asked for";
    assert_eq!(errors[reasons[0].0 as usize].to_string(), expected);
    assert_eq!(cause(&port.protocol, &errors), expected);
}

#[test]
fn a_refused_entry_is_an_unused_one() {
    let mut tree = Tree::new();
    let folder = device(&mut tree, FUNCTION, "mlx4_0", "Ethernet", "1: CA");
    gid(&mut tree, &folder, 0, "fe80:0000:0000:0000:0000:00ff:fe00:0001", "IB/RoCE v1", "eth0");
    file(&mut tree, &format!("{folder}/ports/1/gids/1"), "x");
    let entry = "/sys/class/infiniband/mlx4_0/ports/1/gids/1".to_owned();
    let host = Replay::complete(with_net(tree)).with(Question::Read(entry), Err(HostErrorKind::NotSupported));
    let (network, _, _) = read(&host);
    let port = one(&network).1;
    assert!(matches!(port.gids, Collection::Complete(_)));
    assert_eq!(port.protocol, known(RdmaProtocol::RoceV1));
}

#[test]
fn an_adapter_without_an_rdma_device_may_have_rdma() {
    let mut tree = Tree::new();
    port(&mut tree, "0000:3b:00.0", "ens1f0np0", &[("speed", "25000")]);
    interface(&mut tree, "virtual", "bond0", &[("uevent", "DEVTYPE=bond")]);
    let (network, _, errors) = read(&Replay::complete(tree));
    assert_eq!(network.rdma_devices, Collection::Complete(Vec::new()));
    let rdma_device = &nic(&network, "ens1f0np0").rdma_device;
    assert!(cause(rdma_device, &errors).ends_with("it has no RDMA, or its RDMA module is not loaded"));
    assert_eq!(nic(&network, "bond0").rdma_device, Reading::Absent);
}

#[test]
fn the_device_of_a_bond_is_that_of_its_slaves() {
    let mut tree = Tree::new();
    interface(&mut tree, "virtual", "bond0", &[("uevent", "DEVTYPE=bond")]);
    for (function, name) in [("0000:3b:00.0", "ens1f0np0"), ("0000:3b:00.1", "ens1f1np1")] {
        let slave = port(&mut tree, function, name, &[("speed", "100000")]);
        link(&mut tree, &format!("{slave}/master"), "../../../../../virtual/net/bond0");
    }
    let folder = device(&mut tree, FUNCTION, "mlx5_bond_0", "Ethernet", "1: CA");
    gid(&mut tree, &folder, 3, "0000:0000:0000:0000:0000:ffff:0a00:0001", "RoCE v2", "bond0");
    let (network, _, _) = read(&Replay::complete(tree));
    assert_eq!(one(&network).1.netdev, known("bond0".to_owned()));
    for name in ["bond0", "ens1f0np0", "ens1f1np1"] {
        assert_eq!(nic(&network, name).rdma_device, known("mlx5_bond_0".to_owned()), "{name}");
    }
}

#[test]
fn two_ports_of_one_function_have_their_own_interfaces() {
    let mut tree = Tree::new();
    port(&mut tree, "0000:3b:00.0", "ib0", &[("type", "32"), ("dev_port", "0")]);
    port(&mut tree, "0000:3b:00.0", "ib1", &[("type", "32"), ("dev_port", "1")]);
    port(&mut tree, "0000:3b:00.0", "rep0", &[("phys_port_name", "pf0vf0"), ("dev_port", "0")]);
    let folder = device(&mut tree, FUNCTION, "mlx4_0", "InfiniBand", "1: CA");
    for attribute in ["state", "phys_state", "link_layer"] {
        file(
            &mut tree,
            &format!("{folder}/ports/2/{attribute}"),
            if attribute == "link_layer" { "InfiniBand" } else { "4: x" },
        );
    }
    let (network, _, _) = read(&Replay::complete(tree));
    let ports = network.rdma_devices.items()[0].ports.items();
    let netdevs: Vec<_> = ports.iter().map(|port| port.netdev.clone()).collect();
    assert_eq!(netdevs, [known("ib0".to_owned()), known("ib1".to_owned())]);
}

#[test]
fn a_capture_of_the_class_alone_tells_what_it_has() {
    let mut tree = Tree::new();
    for (attribute, value) in [
        ("hca_type", "MT4129"),
        ("ports/1/state", "4: ACTIVE"),
        ("ports/1/phys_state", "5: LinkUp"),
        ("ports/1/rate", "200 Gb/sec (2X NDR)"),
        ("ports/1/link_layer", "InfiniBand"),
    ] {
        file(&mut tree, &format!("/sys/class/infiniband/mlx5_0/{attribute}"), value);
    }
    let (network, _, _) = read(&Replay::from_entries(tree));
    let Collection::Partial { items, .. } = &network.rdma_devices else { panic!("complete") };
    assert!(matches!(items[0].node_type, Reading::Unreadable(_)));
    assert!(matches!(items[0].pci_address, Reading::Unreadable(_)));
    let port = &items[0].ports.items()[0];
    assert_eq!(port.rate, known(BitsPerSec(200_000_000_000)));
    assert_eq!(port.protocol, known(RdmaProtocol::Infiniband));
    assert!(matches!(port.netdev, Reading::Unreadable(_)));
    assert!(matches!(network.nics, Collection::Unreadable(_)));
}

#[test]
fn damaged_files_are_unreadable_and_nothing_else() {
    let mut tree = Tree::new();
    let folder = device(&mut tree, FUNCTION, "mlx5_0", "Token Ring", "x");
    gid(&mut tree, &folder, 0, "not a gid", "", "");
    file(&mut tree, &format!("{folder}/ports/1/state"), "");
    file(&mut tree, &format!("{folder}/ports/1/rate"), "a lot");
    tree.push((format!("{folder}/ports/first"), Entry::Dir));
    let (network, _, errors) = read(&Replay::complete(with_net(tree)));
    let device = &network.rdma_devices.items()[0];
    let Collection::Partial { items, .. } = &device.ports else { panic!("complete") };
    let port = &items[0];
    for text in [cause(&port.state, &errors), cause(&port.link_layer, &errors), cause(&port.protocol, &errors)] {
        assert!(text.starts_with("cannot parse "), "{text}");
    }
    assert!(cause(&port.rate, &errors).contains("no rate"));
    assert!(matches!(port.gids, Collection::Partial { .. }));
}
