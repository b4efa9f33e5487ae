//! Data Center Bridging of an interface, and what its neighbours announce by LLDP.

use crate::reading::Reading;
use crate::units::Bytes;

record! {
    /// Data Center Bridging as the kernel has it for one interface, by rtnetlink (`RTM_GETDCB`, `include/uapi/linux/dcbnl.h`). Absent
    /// where driver or kernel have none.
    pub struct Dcb {
        /// Who negotiates, in words, in the order of the bits: "host", "lld-managed" (driver or firmware), "cee", "ieee", "static". `DCB_CMD_GDCBX`.
        pub dcbx: Reading<Vec<String>>,
        /// The interface takes over the neighbour's ETS. `ieee_ets.willing`.
        pub ets_willing: Reading<bool>,
        /// Percent of the bandwidth of each traffic class, from class 0. `ieee_ets.tc_tx_bw`.
        pub ets_bandwidth: Reading<Vec<u64>>,
        /// Transmission selection of each traffic class: "strict", "cbs", "ets", "vendor". `ieee_ets.tc_tsa`.
        pub ets_selection: Reading<Vec<String>>,
        /// Traffic class of each priority, from priority 0. `ieee_ets.prio_tc`.
        pub ets_classes: Reading<Vec<u64>>,
        /// Traffic classes that may have PFC at the same time. `ieee_pfc.pfc_cap`.
        pub pfc_capability: Reading<u64>,
        /// Priorities with PFC. `ieee_pfc.pfc_en`.
        pub pfc_priorities: Reading<Vec<u64>>,
        /// PFC frames that were sent, of all priorities. `ieee_pfc.requests`.
        pub pfc_sent: Reading<u64>,
        /// PFC frames that were received, of all priorities. `ieee_pfc.indications`.
        pub pfc_received: Reading<u64>,
        /// Priorities of applications, sorted, as in "ethertype 0x8906: 3", "stream 3260: 4", "dgram 4791: 3", "any 5353: 1", "dscp 26: 3". `dcb_app`.
        pub applications: Reading<Vec<String>>,
        /// Priorities with PFC by the neighbour, as the kernel was told; absent if it was told nothing. `DCB_ATTR_IEEE_PEER_PFC`.
        pub peer_pfc_priorities: Reading<Vec<u64>>,
        /// Percent of the bandwidth of each traffic class by the neighbour; absent if it was told nothing. `DCB_ATTR_IEEE_PEER_ETS`.
        pub peer_ets_bandwidth: Reading<Vec<u64>>,
        /// Traffic class of each priority by the neighbour; absent if it was told nothing. `DCB_ATTR_IEEE_PEER_ETS`.
        pub peer_ets_classes: Reading<Vec<u64>>,
        /// Priorities with PFC of the older protocol CEE; absent unless it is spoken. `DCB_CMD_CEE_GET`.
        pub cee_pfc_priorities: Reading<Vec<u64>>,
    }
}

record! {
    /// What one neighbour announces to one interface by LLDP, as lldpd or lldpad heard it.
    pub struct LldpNeighbour {
        /// Interface of this node that heard it.
        pub interface: Reading<String>,
        /// Agent that told: "lldpd" or "lldpad".
        pub agent: Reading<String>,
        /// Chassis identifier, as in "mac 02:00:00:00:00:01" (IEEE 802.1AB, Chassis ID TLV).
        pub chassis_id: Reading<String>,
        /// Port identifier, as in "ifname Ethernet1/7" (Port ID TLV).
        pub port_id: Reading<String>,
        /// Description of the port; absent if not announced.
        pub port_description: Reading<String>,
        /// System name; absent if not announced.
        pub system_name: Reading<String>,
        /// System description; absent if not announced.
        pub system_description: Reading<String>,
        /// Management addresses; empty if none is announced.
        pub management_addresses: Reading<Vec<String>>,
        /// VLAN of untagged frames (IEEE 802.1, Port VLAN ID TLV); absent if not announced.
        pub pvid: Reading<u64>,
        /// VLANs by number, sorted (VLAN Name TLV), the one of untagged frames among them; empty if none is announced.
        pub vlans: Reading<Vec<u64>>,
        /// Names of VLANs, as in "711 SMB1"; empty if none is announced.
        pub vlan_names: Reading<Vec<String>>,
        /// Largest frame (IEEE 802.3, Maximum Frame Size TLV): 18 bytes and VLAN tags more than the MTU; absent if not announced.
        pub max_frame: Reading<Bytes>,
        /// The port is part of an aggregate (Link Aggregation TLV); absent if not announced.
        pub aggregated: Reading<bool>,
        /// The neighbour would take over PFC (PFC Configuration TLV, IEEE 802.1Qaz annex D.2.11); absent if not announced.
        pub pfc_willing: Reading<bool>,
        /// Traffic classes that may have PFC at the same time; absent if not announced.
        pub pfc_capability: Reading<u64>,
        /// Priorities with PFC, by IEEE, else by CEE; absent if not announced.
        pub pfc_priorities: Reading<Vec<u64>>,
        /// The neighbour would take over ETS (ETS Configuration TLV, annex D.2.9); absent if not announced.
        pub ets_willing: Reading<bool>,
        /// Percent of the bandwidth of each traffic class, from class 0; absent if not announced.
        pub ets_bandwidth: Reading<Vec<u64>>,
        /// Transmission selection of each traffic class: "strict", "cbs", "ets", "vendor"; absent if not announced.
        pub ets_selection: Reading<Vec<String>>,
        /// Traffic class of each priority, from priority 0; absent if not announced.
        pub ets_classes: Reading<Vec<u64>>,
        /// Percent of the bandwidth that it recommends for each traffic class (ETS Recommendation TLV, annex D.2.10); absent if not announced.
        pub ets_recommended: Reading<Vec<u64>>,
        /// Priorities of applications, sorted, as in "dgram 4791: 3" (Application Priority TLV, annex D.2.12); absent if not announced.
        pub applications: Reading<Vec<String>>,
    }
}
