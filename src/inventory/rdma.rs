//! Facts of RDMA devices and their ports.
//!
//! Knows what can be told of them and where it is read. What traffic classes and pause frames they use is not here.

use crate::reading::{Collection, Reading};
use crate::units::BitsPerSec;

record! {
    /// One RDMA device that the kernel has registered (`/sys/class/infiniband/*`; Documentation/ABI/stable/sysfs-class-infiniband).
    /// An adapter whose RDMA module is not loaded has none.
    pub struct RdmaDevice {
        /// The kernel's name, as in "mlx5_0".
        pub name: Reading<String>,
        /// Type of the node. `node_type`.
        pub node_type: Reading<RdmaNodeType>,
        /// Firmware. `fw_ver`.
        pub firmware: Reading<String>,
        /// Type of the adapter, as its driver writes it ("MT4129"); absent where the driver tells none. `hca_type`.
        pub hca_type: Reading<String>,
        /// Board or parameter set, as in "MT_0000000838"; absent where the driver tells none. `board_id`.
        pub board_id: Reading<String>,
        /// GUID of the node, as in "0002:c903:00f9:bfa0"; all zero is absent. `node_guid`.
        pub node_guid: Reading<String>,
        /// GUID of the adapter or system image, equal for the devices of one adapter; all zero is absent. `sys_image_guid`.
        pub sys_image_guid: Reading<String>,
        /// Description that the fabric shows, often host name and adapter. `node_desc`.
        pub description: Reading<String>,
        /// PCI function it hangs under; absent for a device of software (rxe, siw). The place of the device in sysfs.
        pub pci_address: Reading<String>,
        /// NUMA node of that PCI function; absent where the platform says none (-1). `numa_node`.
        pub numa_node: Reading<u64>,
        /// Its ports. `ports`.
        pub ports: Collection<RdmaPort>,
    }
}

words! {
    /// Type of an RDMA node (`include/rdma/ib_verbs.h`, `enum rdma_node_type`).
    pub enum RdmaNodeType {
        /// Channel adapter: InfiniBand or RoCE (1).
        Ca = "ca",
        /// InfiniBand switch (2).
        Switch = "switch",
        /// InfiniBand router (3).
        Router = "router",
        /// iWARP (4).
        Rnic = "rnic",
        /// Cisco usNIC (5).
        Usnic = "usnic",
        /// Cisco usNIC over UDP (6).
        UsnicUdp = "usnic-udp",
        /// None of these, as Amazon's EFA (7).
        Unspecified = "unspecified",
    }
}

record! {
    /// One port of an RDMA device. `ports/*`.
    pub struct RdmaPort {
        /// Number, from 1.
        pub number: Reading<u64>,
        /// Logical state. `state`.
        pub state: Reading<RdmaPortState>,
        /// Physical state. `phys_state`.
        pub phys_state: Reading<RdmaPhysState>,
        /// Layer below: InfiniBand or Ethernet. `link_layer`.
        pub link_layer: Reading<RdmaLinkLayer>,
        /// What it speaks: of an Ethernet port RoCE v2 if one of its GIDs is of that type, else v1. From `node_type`, `link_layer`
        /// and `gid_attrs/types`.
        pub protocol: Reading<RdmaProtocol>,
        /// Rate of the link. Absent without a link, for then the kernel writes a lowest rate that nobody negotiated. Devices of
        /// software write a made-up one. `rate`.
        pub rate: Reading<BitsPerSec>,
        /// Lanes of the link ("4X"); absent without a link. Of an Ethernet port only a way to write the rate. `rate`.
        pub lanes: Reading<u64>,
        /// Local identifier, given by the subnet manager; absent if none is given, and on Ethernet. `lid`.
        pub lid: Reading<u64>,
        /// Local identifier of the subnet manager; absent if there is none, and on Ethernet. `sm_lid`.
        pub sm_lid: Reading<u64>,
        /// Network interface behind it; absent where it has none. `gid_attrs/ndevs` (of the first GID that names one), else the
        /// interface of the same PCI function and port.
        pub netdev: Reading<String>,
        /// Its addresses, the used entries of its table. Partial if the table is longer than is asked for. `gids`.
        pub gids: Collection<RdmaGid>,
        /// What it counted.
        pub counters: RdmaCounters,
        /// What its driver counted besides.
        pub hw_counters: RdmaHwCounters,
        /// What RoCE packets carry, and how they answer congestion; absent for others than Ethernet ports.
        pub roce: RdmaRoce,
    }
}

words! {
    /// Logical state of a port (`enum ib_port_state`).
    pub enum RdmaPortState {
        /// No state (0).
        Nop = "nop",
        /// Down (1).
        Down = "down",
        /// Link, but no subnet manager has set it up (2).
        Init = "init",
        /// Set up, not yet active (3).
        Armed = "armed",
        /// Ready (4).
        Active = "active",
        /// Ready, and the link was lost for a moment (5).
        ActiveDefer = "active-defer",
    }
}

words! {
    /// Physical state of a port (`enum ib_port_phys_state`).
    pub enum RdmaPhysState {
        /// Sleep (1).
        Sleep = "sleep",
        /// Looks for a partner: no cable or no light (2).
        Polling = "polling",
        /// Switched off (3).
        Disabled = "disabled",
        /// Negotiates (4).
        Training = "training",
        /// Link (5).
        LinkUp = "link-up",
        /// Recovers from errors (6).
        ErrorRecovery = "error-recovery",
        /// Test (7).
        PhyTest = "phy-test",
    }
}

words! {
    /// Layer below an RDMA port.
    pub enum RdmaLinkLayer {
        /// InfiniBand, or Omni-Path, which looks the same.
        Infiniband = "infiniband",
        /// Ethernet.
        Ethernet = "ethernet",
    }
}

words! {
    /// What an RDMA port speaks. Two ports must agree on it.
    pub enum RdmaProtocol {
        /// InfiniBand.
        Infiniband = "infiniband",
        /// RDMA over Converged Ethernet, version 1: not routed.
        RoceV1 = "roce-v1",
        /// RDMA over Converged Ethernet, version 2: over UDP.
        RoceV2 = "roce-v2",
        /// iWARP: over TCP.
        Iwarp = "iwarp",
    }
}

record! {
    /// One address of an RDMA port.
    pub struct RdmaGid {
        /// Index in the table.
        pub index: Reading<u64>,
        /// The address, as the kernel writes it. `gids/*`.
        pub gid: Reading<String>,
        /// Its type; InfiniBand and RoCE v1 are told apart by `link_layer`, and of iWARP it says nothing. `gid_attrs/types/*`, since Linux 4.5.
        pub kind: Reading<RdmaGidKind>,
        /// Network interface it was made from; absent on InfiniBand. `gid_attrs/ndevs/*`, since Linux 4.5.
        pub netdev: Reading<String>,
    }
}

words! {
    /// Type of a GID (`gid_type_str` of `drivers/infiniband/core/cache.c`).
    pub enum RdmaGidKind {
        /// InfiniBand or RoCE v1 ("IB/RoCE v1").
        IbRoceV1 = "ib-roce-v1",
        /// RoCE v2.
        RoceV2 = "roce-v2",
    }
}

record! {
    /// Counters of an RDMA port (`counters/*`, IBA PortCounters). Of narrow ones the largest value means that or more.
    pub struct RdmaCounters {
        /// Minor link errors on a lane. `symbol_error`.
        pub symbol_error: Reading<u64>,
        /// How often the link recovered. `link_error_recovery`.
        pub link_error_recovery: Reading<u64>,
        /// How often the link was lost. `link_downed`.
        pub link_downed: Reading<u64>,
        /// Packets received with an error. `port_rcv_errors`.
        pub port_rcv_errors: Reading<u64>,
        /// Packets that could not be sent. `port_xmit_discards`.
        pub port_xmit_discards: Reading<u64>,
        /// Errors of the physical layer over the threshold. `local_link_integrity_errors`.
        pub local_link_integrity_errors: Reading<u64>,
    }
}

record! {
    /// Counters of the driver's own of an RDMA port (`hw_counters/*`) by the names of mlx5 (`drivers/infiniband/hw/mlx5/counters.c`); names of bnxt_re
    /// (`bnxt_re/hw_counters.c`) and irdma (`irdma/verbs.c`) for the same things are given with each. Absent where the driver has none.
    pub struct RdmaHwCounters {
        /// Packets that came out of order at the responder: some before them were lost. `out_of_sequence`, `oos_drop_count` (bnxt_re).
        pub out_of_sequence: Reading<u64>,
        /// NAKs for a wrong sequence number that the requester received: its packets were lost on the way. `packet_seq_err`, `seq_err_naks_rcvd` (bnxt_re).
        pub packet_seq_err: Reading<u64>,
        /// Times that an acknowledgement was waited for in vain. `local_ack_timeout_err`, `to_retransmits` (bnxt_re).
        pub local_ack_timeout_err: Reading<u64>,
        /// Losses that the requester noticed by a later packet. `implied_nak_seq_err`.
        pub implied_nak_seq_err: Reading<u64>,
        /// Requests given up because the other end was not ready for too long. `rnr_nak_retry_err`.
        pub rnr_nak_retry_err: Reading<u64>,
        /// Adaptive retransmissions. `roce_adp_retrans`.
        pub roce_adp_retrans: Reading<u64>,
        /// Adaptive retransmissions after a timeout. `roce_adp_retrans_to`.
        pub roce_adp_retrans_to: Reading<u64>,
        /// Packets dropped for want of receive buffers of the queue pair. `out_of_buffer`.
        pub out_of_buffer: Reading<u64>,
        /// Requests that came twice: an answer was lost. `duplicate_request`, `dup_req` (bnxt_re).
        pub duplicate_request: Reading<u64>,
        /// Packets received with a bad invariant checksum. `rx_icrc_encapsulated`.
        pub rx_icrc_encapsulated: Reading<u64>,
        /// Congestion notifications sent to those whose packets came marked. `np_cnp_sent`, `tx_cnp_pkts` (bnxt_re), `cnpSent` (irdma).
        pub np_cnp_sent: Reading<u64>,
        /// Congestion notifications received and obeyed. `rp_cnp_handled`, `rx_cnp_pkts` (bnxt_re), `cnpHandled` (irdma).
        pub rp_cnp_handled: Reading<u64>,
        /// Packets that came marked by a congested switch. `np_ecn_marked_roce_packets`, `rx_ecn_marked_pkts` (bnxt_re), `RxECNMrkd` (irdma).
        pub np_ecn_marked_roce_packets: Reading<u64>,
    }
}

record! {
    /// What the RoCE packets of a port carry, and how they answer congestion. All of it is absent where the files are not there: they come with NVIDIA's
    /// own drivers, or are made by an administrator.
    pub struct RdmaRoce {
        /// Traffic class that all packets get, whatever their program says, as written ("106" or "Global tclass=106"). `tc/1/traffic_class` of the device,
        /// of NVIDIA's own drivers.
        pub traffic_class: Reading<String>,
        /// Type of GID that connections by address take ("RoCE v2"). `/sys/kernel/config/rdma_cm/*/ports/*/default_roce_mode`; absent where nobody made
        /// the folder of the device.
        pub default_mode: Reading<String>,
        /// Type of service of such connections. `default_roce_tos` beside it.
        pub default_tos: Reading<u64>,
        /// Priorities for which packets that came marked are answered by congestion notifications. `ecn/roce_np/enable/*` of the interface, of NVIDIA's
        /// own drivers.
        pub notification_priorities: Reading<Vec<u64>>,
        /// Priorities that slow down when such notifications come. `ecn/roce_rp/enable/*`, of NVIDIA's own drivers.
        pub reaction_priorities: Reading<Vec<u64>>,
    }
}
