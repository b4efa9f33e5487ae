//! What the driver of a network interface tells by the ethtool ioctl (`SIOCETHTOOL`; Linux `include/uapi/linux/ethtool.h`).
//!
//! Only adapters are asked, emulated ones too; of every other interface these facts are absent. A driver that does not
//! know a question makes its facts absent.

use crate::reading::{Collection, Reading};
use crate::units::{BitsPerSec, Celsius, Seconds, Watts};

record! {
    /// The line and what can be negotiated on it. `ETHTOOL_GLINKSETTINGS`.
    pub struct LinkSettings {
        /// Connector or medium of the port. `port`.
        pub port: Reading<PortType>,
        /// Speed and duplex are negotiated. `autoneg`.
        pub autoneg: Reading<bool>,
        /// Where the PHY is: "internal", in the package of the adapter, or "external". `transceiver`.
        pub transceiver: Reading<String>,
        /// What the port can do with the module that it has, in the kernel's words and order ("25000baseCR/Full", "FIBRE", "RS"); absent where the
        /// driver tells nothing. `map_supported`.
        pub supported: Reading<Vec<String>>,
        /// What the port offers to its partner; absent where nothing is told. `map_advertising`.
        pub advertised: Reading<Vec<String>>,
        /// What the partner offers; absent where the driver does not know it, and without negotiation. `map_lp_advertising`.
        pub partner: Reading<Vec<String>>,
        /// Speed of the fastest mode in `supported`; absent if none of them has a speed.
        pub max_supported_speed: Reading<BitsPerSec>,
        /// Speed of the fastest mode in `advertised`; absent if none of them has a speed.
        pub max_advertised_speed: Reading<BitsPerSec>,
        /// Speed of the fastest mode that both ends offer; absent where there is none, or one of them offers no mode with a speed.
        pub max_common_speed: Reading<BitsPerSec>,
    }
}

words! {
    /// Connector or medium of a port (`PORT_*`).
    pub enum PortType {
        /// Twisted pair (0).
        TwistedPair = "twisted-pair",
        /// AUI (1).
        Aui = "aui",
        /// MII (2).
        Mii = "mii",
        /// A cage for modules, or fibre (3).
        Fibre = "fibre",
        /// Coaxial cable (4).
        Bnc = "bnc",
        /// Direct-attach copper (5).
        DirectAttach = "direct-attach",
        /// None, as on a backplane (EFh).
        None = "none",
        /// Another (FFh).
        Other = "other",
    }
}

record! {
    /// Forward error correction. `ETHTOOL_GFECPARAM`.
    pub struct Fec {
        /// In use: "off", "rs" (Reed-Solomon, clause 91, 108 or 134), "baser" (Firecode, clause 74), "llrs" (low latency). Absent where the driver
        /// tells none, as without a link. `active_fec`.
        pub active: Reading<Vec<String>>,
        /// As configured: those words and "auto"; absent where FEC is not a matter ("none"). `fec`.
        pub configured: Reading<Vec<String>>,
    }
}

record! {
    /// Descriptors in the rings of each queue. `ETHTOOL_GRINGPARAM`.
    pub struct Ring {
        /// For receiving. `rx_pending`.
        pub rx: Reading<u64>,
        /// Most that can be set for receiving; absent if 0. `rx_max_pending`.
        pub rx_max: Reading<u64>,
        /// For sending. `tx_pending`.
        pub tx: Reading<u64>,
        /// Most that can be set for sending; absent if 0. `tx_max_pending`.
        pub tx_max: Reading<u64>,
    }
}

record! {
    /// Channels: an interrupt and the queues that it serves. `ETHTOOL_GCHANNELS`.
    pub struct Channels {
        /// With queues for receiving and for sending. `combined_count`.
        pub combined: Reading<u64>,
        /// Most of these that can be set. `max_combined`.
        pub combined_max: Reading<u64>,
        /// For receiving only. `rx_count`.
        pub rx: Reading<u64>,
        /// Most of these that can be set. `max_rx`.
        pub rx_max: Reading<u64>,
        /// For sending only. `tx_count`.
        pub tx: Reading<u64>,
        /// Most of these that can be set. `max_tx`.
        pub tx_max: Reading<u64>,
    }
}

record! {
    /// How long interrupts are held back to serve several packets at once. `ETHTOOL_GCOALESCE`.
    pub struct Coalesce {
        /// Adapted to the load when receiving. `use_adaptive_rx_coalesce`.
        pub adaptive_rx: Reading<bool>,
        /// Adapted to the load when sending. `use_adaptive_tx_coalesce`.
        pub adaptive_tx: Reading<bool>,
        /// Longest time after a packet was received. `rx_coalesce_usecs`.
        pub rx_time: Reading<Seconds>,
        /// Most packets received meanwhile; 0 for no limit. `rx_max_coalesced_frames`.
        pub rx_frames: Reading<u64>,
        /// Longest time after a packet was sent. `tx_coalesce_usecs`.
        pub tx_time: Reading<Seconds>,
        /// Most packets sent meanwhile; 0 for no limit. `tx_max_coalesced_frames`.
        pub tx_frames: Reading<u64>,
    }
}

record! {
    /// Pause frames of the whole link (IEEE 802.3, annex 31B), which know no priorities. `ETHTOOL_GPAUSEPARAM`.
    pub struct Pause {
        /// They are negotiated; `rx` and `tx` are then what is offered. `autoneg`.
        pub autoneg: Reading<bool>,
        /// Obeyed when received. `rx_pause`.
        pub rx: Reading<bool>,
        /// Sent when buffers run full. `tx_pause`.
        pub tx: Reading<bool>,
    }
}

record! {
    /// The module in the cage of a port, or the end of its cable, by its EEPROM; root may read it. `ETHTOOL_GMODULEINFO` and
    /// `ETHTOOL_GMODULEEEPROM`. Absent where the driver knows no modules, and of a twisted pair; unreadable as a rule where the cage is empty,
    /// which drivers tell by different errors. Layouts: SFF-8472 12.4 (SFP), SFF-8636 2.11 (QSFP), CMIS 5.2 (QSFP-DD, OSFP).
    pub struct Module {
        /// Form factor: "SFP", "QSFP+", "QSFP28", "QSFP-DD", "OSFP" ... (SFF-8024, table 4-1); a number in hexadecimal for one that is not known here.
        pub form_factor: Reading<String>,
        /// Connector: "LC", "MPO 1x12", "copper pigtail", "no separable connector" ... (SFF-8024, table 4-3).
        pub connector: Reading<String>,
        /// What carries the signal; absent where the module does not tell.
        pub medium: Reading<ModuleMedium>,
        /// Vendor, as the module has it.
        pub vendor: Reading<String>,
        /// Part number of the vendor; absent if empty.
        pub part_number: Reading<String>,
        /// Revision of the part; absent if empty.
        pub revision: Reading<String>,
        /// Serial number; absent if empty.
        pub serial: Reading<String>,
        /// Length of the cable in whole metres, rounded up: of a cable with both ends, as direct-attach copper. Absent for others, and if not told.
        pub cable_length: Reading<u64>,
        /// Temperature; absent for a module that does not measure, as passive copper.
        pub temperature: Reading<Celsius>,
        /// Temperature at which the module sounds an alarm. Absent for a module that does not tell one; of CMIS not read.
        pub temperature_alarm_high: Reading<Celsius>,
        /// Temperature at which the module warns. As `temperature_alarm_high`.
        pub temperature_warning_high: Reading<Celsius>,
        /// Received power, of the weakest lane. Absent for a module without monitoring, and of CMIS, which tells it on another page.
        pub rx_power: Reading<Watts>,
        /// Sent power, of the weakest lane. As `rx_power`.
        pub tx_power: Reading<Watts>,
    }
}

words! {
    /// What carries the signal of a module.
    pub enum ModuleMedium {
        /// Copper without amplifiers: direct attach.
        PassiveCopper = "passive-copper",
        /// A cable with electronics at its ends, of copper, or of fibre that cannot be unplugged.
        ActiveCable = "active-cable",
        /// Light, over fibre.
        Optical = "optical",
        /// Twisted pair, by a module with an RJ45 jack.
        TwistedPair = "twisted-pair",
    }
}

record! {
    /// Counters of the port by their meaning, which each driver names in its own way; the names are in the source. Absent where the driver has none of
    /// the names that are known here. `ETHTOOL_GSTATS` with the names of `ETH_SS_STATS`.
    pub struct PortCounters {
        /// Packets received with a bad checksum. `rx_crc_errors_phy` (mlx5), `port.rx_crc_errors` (i40e), `rx_crc_errors.nic` (ice), `rx_fcs_err_frames`
        /// (bnxt), `rx_fcs_errors` (cxgb4), `rx_crc_errors` (ixgbe, igb, qede).
        pub crc_errors: Reading<u64>,
        /// Symbols or blocks that could not be decoded, after correction. `rx_symbol_err_phy` (mlx5), `rx_pcs_symbol_err` or `rx_code_err_frames`
        /// (bnxt), `rx_symbol_errors` (cxgb4), `illegal_bytes` (i40e, ice).
        pub symbol_errors: Reading<u64>,
        /// Packets that the port dropped for want of buffers in the adapter. `rx_discards_phy` (mlx5), `port.rx_dropped`, later `port.rx_discards`
        /// (i40e), `rx_dropped.nic` (ice), `rx_discard_packets_cos*` (bnxt), `rx_bg*_frames_dropped` (cxgb4), `brb_discards` (qede),
        /// `rx_missed_errors` (ixgbe, igb).
        pub discards: Reading<u64>,
        /// Packets dropped because the host had given no descriptors: the ring was empty. `rx_out_of_buffer` (mlx5), `no_buff_discards` (qede),
        /// `rx_no_dma_resources` (ixgbe), `rx_no_buffer_count` (igb).
        pub out_of_buffer: Reading<u64>,
        /// Pause frames of the whole link received. `rx_pause_ctrl_phy` (mlx5), `link_xoff_rx` (i40e, ice), `rx_flow_control_xoff` (ixgbe, igb),
        /// `rx_pause_frames` (bnxt, qede, cxgb4).
        pub rx_pause: Reading<u64>,
        /// Pause frames of the whole link sent; names as for `rx_pause`.
        pub tx_pause: Reading<u64>,
        /// Pause frames of a priority received, of all priorities. `rx_prio*_pause` (mlx5), `rx_priority_*_xoff` (i40e, ice), `rx_pb_*_pxoff` (ixgbe),
        /// `rx_pfc_ena_frames_pri*` (bnxt), `rx_ppp*_frames` (cxgb4), `rx_pfc_frames` (qede).
        pub rx_priority_pause: Reading<u64>,
        /// Pause frames of a priority sent; names as for `rx_priority_pause`.
        pub tx_priority_pause: Reading<u64>,
        /// Times that the port paused its partner for so long that the adapter or its firmware intervened. `tx_pause_storm_warning_events` and
        /// `tx_pause_storm_error_events` (mlx5), `continuous_pause_events` (bnxt).
        pub pause_storms: Reading<u64>,
        /// Times that the link went down. `link_down_events_phy` (mlx5), `link_down_events` (bnxt).
        pub link_downs: Reading<u64>,
    }
}

record! {
    /// One counter by the driver's name.
    pub struct Statistic {
        /// Name.
        pub name: Reading<String>,
        /// Value.
        pub value: Reading<u64>,
    }
}

record! {
    /// What one interface told.
    pub struct Ethtool {
        /// `ETHTOOL_GLINKSETTINGS`.
        pub link_settings: LinkSettings,
        /// `ETHTOOL_GFECPARAM`.
        pub fec: Fec,
        /// `ETHTOOL_GRINGPARAM`.
        pub ring: Ring,
        /// `ETHTOOL_GCHANNELS`.
        pub channels: Channels,
        /// `ETHTOOL_GCOALESCE`.
        pub coalesce: Coalesce,
        /// `ETHTOOL_GPAUSEPARAM`.
        pub pause: Pause,
        /// `ETHTOOL_GFEATURES`.
        pub features: Reading<Vec<String>>,
        /// `ETHTOOL_GPFLAGS`.
        pub private_flags: Reading<Vec<String>>,
        /// `ETHTOOL_GPFLAGS`.
        pub private_flags_off: Reading<Vec<String>>,
        /// From the private flags.
        pub firmware_lldp: Reading<bool>,
        /// `ETHTOOL_GMODULEEEPROM`.
        pub module: Module,
        /// `ETHTOOL_GSTATS`.
        pub port_counters: PortCounters,
        /// `ETHTOOL_GSTATS`.
        pub statistics: Collection<Statistic>,
    }
}
