//! The structures of the ethtool ioctl as Linux `include/uapi/linux/ethtool.h` lays them out, in the byte order of the machine.
//!
//! Those that end in an array are headers: what follows them is cut out by [`super::ask`]. Knows nothing of what the values mean.

use std::mem::{offset_of, size_of};
use zerocopy::byteorder::native_endian::{U32, U64};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

/// Declares a structure, and holds its size and the offsets of its fields at compile time.
macro_rules! structure {
    ($(#[$doc:meta])* $name:ident: $size:literal { $($field:ident: $type:ty = $offset:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(FromBytes, Immutable, KnownLayout, Unaligned, Clone)]
        #[repr(C)]
        #[allow(dead_code, reason = "a mirror has all fields, whether they are read or not")]
        pub(super) struct $name { $(pub(super) $field: $type,)* }
        const _: () = {
            assert!(size_of::<$name>() == $size);
            $( assert!(offset_of!($name, $field) == $offset); )*
        };
    };
}
pub(super) use structure;

structure! {
    /// `struct ethtool_value`.
    Value: 8 { cmd: U32 = 0, data: U32 = 4 }
}

structure! {
    /// `struct ethtool_link_settings`; three masks of `link_mode_masks_nwords` words follow.
    LinkSettings: 48 {
        cmd: U32 = 0, speed: U32 = 4, duplex: u8 = 8, port: u8 = 9, phy_address: u8 = 10, autoneg: u8 = 11, mdio_support: u8 = 12,
        eth_tp_mdix: u8 = 13, eth_tp_mdix_ctrl: u8 = 14, link_mode_masks_nwords: i8 = 15, transceiver: u8 = 16, master_slave_cfg: u8 = 17,
        master_slave_state: u8 = 18, rate_matching: u8 = 19, reserved: [U32; 7] = 20,
    }
}

structure! {
    /// `struct ethtool_fecparam`.
    FecParam: 16 { cmd: U32 = 0, active_fec: U32 = 4, fec: U32 = 8, reserved: U32 = 12 }
}

structure! {
    /// `struct ethtool_ringparam`.
    RingParam: 36 {
        cmd: U32 = 0, rx_max_pending: U32 = 4, rx_mini_max_pending: U32 = 8, rx_jumbo_max_pending: U32 = 12, tx_max_pending: U32 = 16,
        rx_pending: U32 = 20, rx_mini_pending: U32 = 24, rx_jumbo_pending: U32 = 28, tx_pending: U32 = 32,
    }
}

structure! {
    /// `struct ethtool_channels`.
    Channels: 36 {
        cmd: U32 = 0, max_rx: U32 = 4, max_tx: U32 = 8, max_other: U32 = 12, max_combined: U32 = 16, rx_count: U32 = 20, tx_count: U32 = 24,
        other_count: U32 = 28, combined_count: U32 = 32,
    }
}

structure! {
    /// `struct ethtool_coalesce`; of what is not read, 12 words at its end.
    Coalesce: 92 {
        cmd: U32 = 0, rx_coalesce_usecs: U32 = 4, rx_max_coalesced_frames: U32 = 8, rx_irq: [U32; 2] = 12, tx_coalesce_usecs: U32 = 20,
        tx_max_coalesced_frames: U32 = 24, tx_irq: [U32; 2] = 28, stats_block_coalesce_usecs: U32 = 36, use_adaptive_rx_coalesce: U32 = 40,
        use_adaptive_tx_coalesce: U32 = 44, rates: [U32; 11] = 48,
    }
}

structure! {
    /// `struct ethtool_pauseparam`.
    PauseParam: 16 { cmd: U32 = 0, autoneg: U32 = 4, rx_pause: U32 = 8, tx_pause: U32 = 12 }
}

structure! {
    /// `struct ethtool_sset_info` with room for one number.
    SsetInfo: 20 { cmd: U32 = 0, reserved: U32 = 4, sset_mask: U64 = 8, data: U32 = 16 }
}

structure! {
    /// `struct ethtool_gstrings`; `len` names of 32 bytes follow.
    Strings: 12 { cmd: U32 = 0, string_set: U32 = 4, len: U32 = 8 }
}

structure! {
    /// `struct ethtool_stats`; `n_stats` numbers of 64 bits follow.
    Stats: 8 { cmd: U32 = 0, n_stats: U32 = 4 }
}

structure! {
    /// `struct ethtool_gfeatures`; `size` blocks follow.
    Features: 8 { cmd: U32 = 0, size: U32 = 4 }
}

structure! {
    /// `struct ethtool_get_features_block`: 32 features, a bit each.
    FeaturesBlock: 16 { available: U32 = 0, requested: U32 = 4, active: U32 = 8, never_changed: U32 = 12 }
}

structure! {
    /// `struct ethtool_modinfo`.
    ModuleInfo: 44 { cmd: U32 = 0, r#type: U32 = 4, eeprom_len: U32 = 8, reserved: [U32; 8] = 12 }
}

structure! {
    /// `struct ethtool_eeprom`; `len` bytes follow.
    Eeprom: 16 { cmd: U32 = 0, magic: U32 = 4, offset: U32 = 8, len: U32 = 12 }
}
