//! Facts of network interfaces and bonds.
//!
//! Knows what can be told of them and where it is read; RDMA is in [`super::rdma`].

use super::ethtool::{Channels, Coalesce, Fec, LinkSettings, Module, Pause, PortCounters, Ring, Statistic};
use crate::reading::{Collection, Reading};
use crate::units::{BitsPerSec, Seconds};

record! {
    /// One network interface of the kernel (`/sys/class/net/*`; Documentation/ABI/testing/sysfs-class-net).
    pub struct Nic {
        /// The kernel's name, as in "enp59s0f0".
        pub name: Reading<String>,
        /// What it is. From the place of the device, `type`, `uevent`, the folders beside them, `device/physfn`, and the driver's name.
        pub kind: Reading<NicKind>,
        /// Bus that its device is on ("pci", "virtio", "usb" ...); absent for an interface without a device. `device/subsystem`.
        pub bus: Reading<String>,
        /// Link-layer address in use, lower case; 20 bytes for IPoIB. Absent where the kind has none, or it is all zero. `address`.
        pub mac: Reading<String>,
        /// Address that the hardware brings; absent where there is none. Slaves of a bond share `mac`, but not this. ethtool
        /// `ETHTOOL_GPERMADDR`, else `bonding_slave/perm_hwaddr`.
        pub permanent_mac: Reading<String>,
        /// Where the address in use comes from. `addr_assign_type`.
        pub mac_origin: Reading<MacOrigin>,
        /// Largest packet in bytes, a plain number as every tool shows it: it is compared with other MTUs only. `mtu`.
        pub mtu: Reading<u64>,
        /// It is set up by the administrator (`IFF_UP`). `flags`.
        pub admin_up: Reading<bool>,
        /// There is a link. Absent for an interface that is set down, for which the kernel does not define it. `carrier`.
        pub carrier: Reading<bool>,
        /// State of RFC 2863. "unknown" is the kernel's word for a driver that tells no state. `operstate`.
        pub operstate: Reading<OperState>,
        /// Speed of the link. Absent without a link, for then it is not defined, and where nothing of it is told of an interface without a
        /// line (loopback, dummy, bridge, veth, tun, tunnel; of some the driver makes up a figure). Unreadable where there is a link and the
        /// driver tells no speed. `speed`.
        pub speed: Reading<BitsPerSec>,
        /// Duplex of the link; absent and unreadable as `speed`. `duplex`.
        pub duplex: Reading<Duplex>,
        /// How often the link came or went since the interface exists. `carrier_changes`, since Linux 3.15.
        pub carrier_changes: Reading<u64>,
        /// How often the link went since the interface exists. `carrier_down_count`, since Linux 4.16.
        pub carrier_down_count: Reading<u64>,
        /// Kernel driver of the device (`device/driver`); of an interface without a device the driver's name by ethtool `ETHTOOL_GDRVINFO`.
        pub driver: Reading<String>,
        /// Version of the driver; that of the kernel for most drivers since Linux 5.7. ethtool `ETHTOOL_GDRVINFO`, `version`.
        pub driver_version: Reading<String>,
        /// Firmware of the device, as the driver writes it; absent where it tells none and for an interface without a device. ethtool
        /// `ETHTOOL_GDRVINFO`, `fw_version`.
        pub firmware: Reading<String>,
        /// PCI function it hangs under, as in "0000:3b:00.0"; absent where none is above it. The place of the device in sysfs.
        pub pci_address: Reading<String>,
        /// NUMA node of that PCI function; absent where the platform says none (-1). `numa_node`.
        pub numa_node: Reading<u64>,
        /// Number of the port among those of one PCI function, from 0. `dev_port`.
        pub port_number: Reading<u64>,
        /// Identity of the physical port, equal for the functions that share it; absent where the driver tells none. `phys_port_id`.
        pub phys_port_id: Reading<String>,
        /// Name of the physical port, as in "p0"; absent where the driver tells none. `phys_port_name`.
        pub phys_port_name: Reading<String>,
        /// Identity of the switch inside the adapter; absent where the driver tells none. `phys_switch_id`.
        pub phys_switch_id: Reading<String>,
        /// Bond, bridge or team that it is part of; absent if none. `master`.
        pub master: Reading<String>,
        /// Interfaces it stands on, sorted: slaves of a bond, ports of a bridge, the device of a VLAN. `lower_*`, since Linux 3.14; of a
        /// bond `bonding/slaves`.
        pub lower: Reading<Vec<String>>,
        /// Interfaces that stand on it, sorted. `upper_*`, since Linux 3.14.
        pub upper: Reading<Vec<String>>,
        /// VLAN identifier; absent for others. `/proc/net/vlan/config`, readable by root.
        pub vlan_id: Reading<u64>,
        /// Interface that a VLAN is on; absent for others. `/proc/net/vlan/config`, else `lower_*`.
        pub vlan_device: Reading<String>,
        /// Ports of a bridge, sorted; absent for others. `brif`.
        pub bridge_ports: Reading<Vec<String>>,
        /// PCI function that a virtual function belongs to; absent for others. `device/physfn`.
        pub physical_function: Reading<String>,
        /// Virtual functions that exist; absent where the device has no SR-IOV. `device/sriov_numvfs`.
        pub vfs: Reading<u64>,
        /// Virtual functions that can exist; absent where the device has no SR-IOV. `device/sriov_totalvfs`.
        pub vfs_max: Reading<u64>,
        /// A driver of the host takes new virtual functions by itself; absent where the device has no SR-IOV. `device/sriov_drivers_autoprobe`,
        /// since Linux 4.12.
        pub vfs_autoprobe: Reading<bool>,
        /// Receive queues. `queues/rx-*`.
        pub rx_queues: Reading<u64>,
        /// Transmit queues. `queues/tx-*`.
        pub tx_queues: Reading<u64>,
        /// RDMA device whose port this is, as in "mlx5_0"; see `rdma_devices`. Absent for an interface that is no adapter's. Unreadable
        /// for an adapter of which the kernel has no RDMA device: it has no RDMA, or the module is not loaded, and which of them sysfs does not tell.
        pub rdma_device: Reading<String>,
        /// What it counted since it exists.
        pub counters: NicCounters,
        /// Data Center Bridging.
        pub dcb: super::dcb::Dcb,
        /// The line and what can be negotiated on it.
        pub link_settings: LinkSettings,
        /// Forward error correction.
        pub fec: Fec,
        /// Descriptors in its rings.
        pub ring: Ring,
        /// Channels.
        pub channels: Channels,
        /// How long interrupts are held back.
        pub coalesce: Coalesce,
        /// Pause frames of the whole link.
        pub pause: Pause,
        /// Features (offloads) that are active, in the kernel's words, sorted: "rx-checksum", "tx-tcp-segmentation", "rx-gro", "rx-lro",
        /// "hw-tc-offload" ... ethtool `ETHTOOL_GFEATURES` with the names of `ETH_SS_FEATURES`.
        pub features: Reading<Vec<String>>,
        /// Flags of the driver's own that are on, sorted; absent where the driver has none. ethtool `ETHTOOL_GPFLAGS` with the names of
        /// `ETH_SS_PRIV_FLAGS`.
        pub private_flags: Reading<Vec<String>>,
        /// Flags of the driver's own that are off, sorted; absent where the driver has none. As `private_flags`.
        pub private_flags_off: Reading<Vec<String>>,
        /// The firmware of the adapter speaks LLDP itself, and keeps its packets from the host. From `private_flags`: `disable-fw-lldp` (i40e) is off,
        /// `fw-lldp-agent` (ice) is on. Absent where the driver has no such flag.
        pub firmware_lldp: Reading<bool>,
        /// The module in its cage, or the end of its cable.
        pub module: Module,
        /// Counters of the port by their meaning.
        pub port_counters: PortCounters,
        /// Counters of the port by the driver's names, in the driver's order: errors, discards, pauses, lost links. Complete for the names that are
        /// known here; empty where the driver has none. ethtool `ETHTOOL_GSTATS` with the names of `ETH_SS_STATS`.
        pub statistics: Collection<Statistic>,
    }
}

words! {
    /// What a network interface is.
    pub enum NicKind {
        /// Port of an adapter: on PCI, USB or another bus, by its own driver. Also an emulated adapter of a virtual machine, which looks
        /// the same, and a virtual function of which a recording does not tell `physical_function`.
        Physical = "physical",
        /// SR-IOV virtual function, or a subfunction.
        VirtualFunction = "virtual-function",
        /// Adapter that a hypervisor shows to its guest: virtio, VMBus, Xen, vmxnet3.
        Paravirtual = "paravirtual",
        /// The host's end of a virtual function in an adapter that switches ("switchdev").
        Representor = "representor",
        /// Wireless.
        Wireless = "wireless",
        /// IP over InfiniBand.
        Ipoib = "ipoib",
        /// Loopback.
        Loopback = "loopback",
        /// Bond.
        Bond = "bond",
        /// Team.
        Team = "team",
        /// Bridge.
        Bridge = "bridge",
        /// VLAN.
        Vlan = "vlan",
        /// macvlan, macvtap or ipvlan.
        Macvlan = "macvlan",
        /// Tunnel: VXLAN, Geneve, GRE, IPIP, WireGuard and the like.
        Tunnel = "tunnel",
        /// TUN or TAP: a program holds the other end.
        Tun = "tun",
        /// One end of a pair.
        Veth = "veth",
        /// Dummy.
        Dummy = "dummy",
        /// Without a device, and of another kind or of one that is not told.
        Other = "other",
    }
}

words! {
    /// State of an interface (RFC 2863, `ifOperStatus`; Documentation/networking/operstates.rst).
    pub enum OperState {
        /// The driver tells no state.
        Unknown = "unknown",
        /// A part is missing.
        NotPresent = "notpresent",
        /// Cannot pass packets.
        Down = "down",
        /// Down for what it stands on is down.
        LowerLayerDown = "lowerlayerdown",
        /// In a test.
        Testing = "testing",
        /// Waits for something, as for authentication.
        Dormant = "dormant",
        /// Ready.
        Up = "up",
    }
}

words! {
    /// Duplex of a link.
    pub enum Duplex {
        /// Full.
        Full = "full",
        /// Half.
        Half = "half",
    }
}

words! {
    /// Where a link-layer address comes from (`include/uapi/linux/netdevice.h`, `NET_ADDR_*`).
    pub enum MacOrigin {
        /// From the device (0).
        Permanent = "permanent",
        /// Random (1).
        Random = "random",
        /// Taken over from another device (2).
        Stolen = "stolen",
        /// Set by the administrator or a program (3).
        Set = "set",
    }
}

record! {
    /// Counters of an interface since it exists (`statistics/*`; Documentation/networking/statistics.rst). Drivers fill them differently.
    pub struct NicCounters {
        /// Packets received. `rx_packets`.
        pub rx_packets: Reading<u64>,
        /// Packets sent. `tx_packets`.
        pub tx_packets: Reading<u64>,
        /// Bad packets received, in total. `rx_errors`.
        pub rx_errors: Reading<u64>,
        /// Problems in sending, in total. `tx_errors`.
        pub tx_errors: Reading<u64>,
        /// Packets received and dropped by the host, as for want of memory or of a user. `rx_dropped`.
        pub rx_dropped: Reading<u64>,
        /// Packets dropped before they were sent. `tx_dropped`.
        pub tx_dropped: Reading<u64>,
        /// Packets with a bad checksum: cable, connector or transceiver. `rx_crc_errors`.
        pub rx_crc_errors: Reading<u64>,
        /// Packets with a bad alignment. `rx_frame_errors`.
        pub rx_frame_errors: Reading<u64>,
        /// Packets of a bad length. `rx_length_errors`.
        pub rx_length_errors: Reading<u64>,
        /// Packets lost for want of buffers in the host. `rx_missed_errors`.
        pub rx_missed_errors: Reading<u64>,
        /// Overflows of the receiver's buffer. `rx_over_errors`.
        pub rx_over_errors: Reading<u64>,
        /// Overflows of the receiver's queue. `rx_fifo_errors`.
        pub rx_fifo_errors: Reading<u64>,
        /// Underflows of the sender's queue. `tx_fifo_errors`.
        pub tx_fifo_errors: Reading<u64>,
        /// Packets not sent because the link was lost. `tx_carrier_errors`.
        pub tx_carrier_errors: Reading<u64>,
        /// Collisions; none on a full-duplex link. `collisions`.
        pub collisions: Reading<u64>,
    }
}

record! {
    /// One bond (Documentation/networking/bonding.rst): `/sys/class/net/*/bonding`, or `/proc/net/bonding` where a recording has only that.
    pub struct Bond {
        /// The kernel's name, as in "bond0".
        pub name: Reading<String>,
        /// How it spreads packets. `bonding/mode`.
        pub mode: Reading<BondMode>,
        /// It has a usable slave. `bonding/mii_status`.
        pub mii_up: Reading<bool>,
        /// How often the link of each slave is looked at; 0 for never. `bonding/miimon`.
        pub miimon: Reading<Seconds>,
        /// What a slave is chosen by, as in "layer3+4". `bonding/xmit_hash_policy`; absent where the mode does not use it.
        pub hash_policy: Reading<String>,
        /// Slave in use; absent where the mode has no such slave, or none is usable. `bonding/active_slave`.
        pub active_slave: Reading<String>,
        /// Slave to be used while it is usable; absent if none is set. `bonding/primary`.
        pub primary: Reading<String>,
        /// How often the partner is asked to send LACP packets; absent for other modes than 802.3ad. `bonding/lacp_rate`.
        pub lacp_rate: Reading<LacpRate>,
        /// The aggregator in use; absent for other modes than 802.3ad, or if none is. `bonding/ad_aggregator`.
        pub active_aggregator: Reading<u64>,
        /// Ports in that aggregator; absent for other modes than 802.3ad. `bonding/ad_num_ports`.
        pub active_ports: Reading<u64>,
        /// Address of the LACP partner, readable by root; absent for other modes than 802.3ad, and if nobody answers LACP. `bonding/ad_partner_mac`.
        pub partner_mac: Reading<String>,
        /// Fewest usable ports for the bond to be up; 0 as 1. `bonding/min_links`.
        pub min_links: Reading<u64>,
        /// Its slaves. `bonding/slaves`.
        pub slaves: Collection<BondSlave>,
    }
}

words! {
    /// Mode of a bond.
    pub enum BondMode {
        /// Round robin (0).
        BalanceRr = "balance-rr",
        /// One slave at a time (1).
        ActiveBackup = "active-backup",
        /// By a hash (2).
        BalanceXor = "balance-xor",
        /// All packets on all slaves (3).
        Broadcast = "broadcast",
        /// LACP (4).
        Lacp = "802.3ad",
        /// By the load of the slaves when sending (5).
        BalanceTlb = "balance-tlb",
        /// By the load of the slaves, receiving too (6).
        BalanceAlb = "balance-alb",
    }
}

words! {
    /// How often LACP packets are asked for.
    pub enum LacpRate {
        /// Every 30 seconds.
        Slow = "slow",
        /// Every second.
        Fast = "fast",
    }
}

record! {
    /// One slave of a bond. `bonding_slave/*` of the interface.
    pub struct BondSlave {
        /// The interface.
        pub name: Reading<String>,
        /// The bond takes its link for usable; going up or down is not. `mii_status`.
        pub mii_up: Reading<bool>,
        /// It carries packets ("active") or waits ("backup"). `state`; `/proc/net/bonding` does not tell it.
        pub state: Reading<String>,
        /// How often its link was lost. `link_failure_count`.
        pub link_failures: Reading<u64>,
        /// Its own address. `perm_hwaddr`.
        pub permanent_mac: Reading<String>,
        /// Aggregator that it is in; absent for other modes than 802.3ad. Slaves in another than the bond's active one carry nothing. `ad_aggregator_id`.
        pub aggregator: Reading<u64>,
        /// What its own end says, words of IEEE 802.1AX, sorted; absent for other modes than 802.3ad. `ad_actor_oper_port_state`.
        pub lacp_actor_state: Reading<Vec<String>>,
        /// What the partner says; "defaulted" in the actor's state means that nobody answers. `ad_partner_oper_port_state`.
        pub lacp_partner_state: Reading<Vec<String>>,
    }
}
