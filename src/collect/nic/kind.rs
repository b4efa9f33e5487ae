//! What a network interface is, from the signs that sysfs and its driver give.
//!
//! A pure function. An emulated adapter of a virtual machine looks like a physical one here; so does a port of a switch chip.

use crate::inventory::nic::NicKind;

/// What is known of an interface. `None` where it was not told.
#[derive(Debug, Clone, Default)]
pub(super) struct Signs<'a> {
    pub(super) name: &'a str,
    /// Whether it has a device below it.
    pub(super) has_device: Option<bool>,
    /// Name of the device, as in "0000:3b:00.0" or "virtio2".
    pub(super) device: Option<&'a str>,
    pub(super) bus: Option<&'a str>,
    /// `type`: an `ARPHRD_*` of `include/uapi/linux/if_arp.h`.
    pub(super) arp_type: Option<u64>,
    /// `DEVTYPE` of `uevent`.
    pub(super) devtype: Option<&'a str>,
    /// Names in its folder.
    pub(super) entries: &'a [String],
    /// It has a `device/physfn`.
    pub(super) virtual_function: bool,
    pub(super) phys_port_name: Option<&'a str>,
    pub(super) driver: Option<&'a str>,
    /// It stands in `/proc/net/vlan/config`.
    pub(super) vlan: bool,
}

/// `ARPHRD_INFINIBAND`.
const INFINIBAND: u64 = 32;
/// `ARPHRD_LOOPBACK`.
const LOOPBACK: u64 = 772;

/// The kind, or `None` if not even the place of the device is known.
pub(super) fn kind(signs: &Signs<'_>) -> Option<NicKind> {
    match signs.arp_type {
        Some(LOOPBACK) => return Some(NicKind::Loopback),
        Some(INFINIBAND) => return Some(NicKind::Ipoib),
        _ => {}
    }
    if let Some(kind) = signs.devtype.and_then(by_devtype) {
        return Some(kind);
    }
    let has = |entry: &str| signs.entries.iter().any(|name| name == entry);
    if has("bonding") {
        return Some(NicKind::Bond);
    }
    if has("bridge") {
        return Some(NicKind::Bridge);
    }
    if has("tun_flags") {
        return Some(NicKind::Tun);
    }
    if signs.vlan {
        return Some(NicKind::Vlan);
    }
    match signs.has_device? {
        true => Some(with_device(signs)),
        // The kernel's loopback is the one interface that exists under this name from the start.
        false if signs.arp_type.is_none() && signs.name == "lo" => Some(NicKind::Loopback),
        false => Some(signs.driver.and_then(by_driver).unwrap_or(NicKind::Other)),
    }
}

fn with_device(signs: &Signs<'_>) -> NicKind {
    let subfunction = signs.device.is_some_and(|device| device.contains(".sf."));
    if signs.phys_port_name.is_some_and(is_representor) {
        NicKind::Representor
    } else if signs.virtual_function || subfunction {
        NicKind::VirtualFunction
    } else if matches!(signs.bus, Some("virtio" | "vmbus" | "xen")) || signs.driver == Some("vmxnet3") {
        NicKind::Paravirtual
    } else {
        NicKind::Physical
    }
}

/// Whether a port's name is that of a function behind the switch of an adapter: "pf0vf3", "c1pf0", "pf0sf8"
/// (`devlink_port_phys_port_name_get` of `net/devlink/port.c`). The uplink itself is "p0".
fn is_representor(name: &str) -> bool {
    let name = match name.strip_prefix('c') {
        Some(rest) => rest.trim_start_matches(|digit: char| digit.is_ascii_digit()),
        None => name,
    };
    name.strip_prefix("pf").is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
}

/// By `SET_NETDEV_DEVTYPE` of the drivers under `drivers/net` and `net`.
fn by_devtype(devtype: &str) -> Option<NicKind> {
    Some(match devtype {
        "bond" => NicKind::Bond,
        "team" => NicKind::Team,
        "bridge" => NicKind::Bridge,
        "vlan" => NicKind::Vlan,
        "macvlan" | "macvtap" | "ipvlan" | "ipvtap" => NicKind::Macvlan,
        "wlan" | "wwan" => NicKind::Wireless,
        "vxlan" | "geneve" | "gre" | "gretap" | "ip6gre" | "ip6gretap" | "wireguard" | "bareudp" => NicKind::Tunnel,
        _ => return None,
    })
}

/// By the name that a driver without a device gives to ethtool (its `get_drvinfo`, or the kind of its link since Linux 6.1).
fn by_driver(driver: &str) -> Option<NicKind> {
    Some(match driver {
        "bonding" | "bond" => NicKind::Bond,
        "team" => NicKind::Team,
        "bridge" => NicKind::Bridge,
        "802.1Q VLAN Support" | "vlan" => NicKind::Vlan,
        "macvlan" | "macvtap" | "ipvlan" | "ipvtap" => NicKind::Macvlan,
        "tun" => NicKind::Tun,
        "veth" => NicKind::Veth,
        "dummy" => NicKind::Dummy,
        "vxlan" | "geneve" | "gre" | "gretap" | "ip6gre" | "ip6gretap" | "ipip" | "sit" | "ip6tnl" | "vti" | "vti6"
        | "wireguard" | "bareudp" | "erspan" => NicKind::Tunnel,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_makes_an_adapter() {
        let physical =
            Signs { has_device: Some(true), device: Some("0000:3b:00.0"), bus: Some("pci"), ..Signs::default() };
        assert_eq!(kind(&physical), Some(NicKind::Physical));
        assert_eq!(kind(&Signs { phys_port_name: Some("p1"), ..physical.clone() }), Some(NicKind::Physical));
        for port in ["pf0vf3", "pf1", "c1pf0vf2", "pf0sf88"] {
            let signs = Signs { phys_port_name: Some(port), ..physical.clone() };
            assert_eq!(kind(&signs), Some(NicKind::Representor), "{port}");
        }
        assert_eq!(kind(&Signs { virtual_function: true, ..physical.clone() }), Some(NicKind::VirtualFunction));
        let subfunction = Signs { device: Some("mlx5_core.sf.4"), bus: Some("auxiliary"), ..physical.clone() };
        assert_eq!(kind(&subfunction), Some(NicKind::VirtualFunction));
        for bus in ["virtio", "vmbus", "xen"] {
            assert_eq!(kind(&Signs { bus: Some(bus), ..physical.clone() }), Some(NicKind::Paravirtual), "{bus}");
        }
        assert_eq!(kind(&Signs { driver: Some("vmxnet3"), ..physical }), Some(NicKind::Paravirtual));
    }

    #[test]
    fn the_type_of_the_link_comes_first() {
        let ipoib = Signs { has_device: Some(true), arp_type: Some(32), ..Signs::default() };
        assert_eq!(kind(&ipoib), Some(NicKind::Ipoib));
        assert_eq!(kind(&Signs { arp_type: Some(772), ..Signs::default() }), Some(NicKind::Loopback));
    }

    #[test]
    fn interfaces_without_a_device_are_told_by_folders_and_drivers() {
        let other = Signs { has_device: Some(false), arp_type: Some(1), ..Signs::default() };
        let entries = |entry: &str| [entry.to_owned()];
        assert_eq!(kind(&Signs { entries: &entries("bonding"), ..other.clone() }), Some(NicKind::Bond));
        assert_eq!(kind(&Signs { entries: &entries("bridge"), ..other.clone() }), Some(NicKind::Bridge));
        assert_eq!(kind(&Signs { entries: &entries("tun_flags"), ..other.clone() }), Some(NicKind::Tun));
        assert_eq!(kind(&Signs { vlan: true, ..other.clone() }), Some(NicKind::Vlan));
        assert_eq!(kind(&Signs { devtype: Some("vxlan"), ..other.clone() }), Some(NicKind::Tunnel));
        assert_eq!(kind(&Signs { driver: Some("veth"), ..other.clone() }), Some(NicKind::Veth));
        assert_eq!(kind(&Signs { driver: Some("ifb"), ..other.clone() }), Some(NicKind::Other));
        assert_eq!(kind(&other), Some(NicKind::Other));
        assert_eq!(kind(&Signs { name: "lo", has_device: Some(false), ..Signs::default() }), Some(NicKind::Loopback));
    }

    #[test]
    fn what_was_not_told_is_no_kind() {
        assert_eq!(kind(&Signs { name: "lo", ..Signs::default() }), None);
        assert_eq!(kind(&Signs { arp_type: Some(1), driver: Some("veth"), ..Signs::default() }), None);
    }
}
