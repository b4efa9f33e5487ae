//! What the files of `/sys/class/infiniband` say (`drivers/infiniband/core/sysfs.c`), as pure functions.
//!
//! Numbers decide, not the words behind them: the words changed between kernels.

use crate::inventory::rdma::{RdmaGidKind, RdmaLinkLayer, RdmaNodeType, RdmaPhysState, RdmaPortState};
use crate::units::BitsPerSec;

/// The number before the colon in "4: ACTIVE".
fn leading(text: &str) -> Result<u64, String> {
    let number = text.split(':').next().unwrap_or_default().trim();
    number.parse().map_err(|_| format!("no number before a colon: {text:?}"))
}

/// `node_type`, as in "1: CA".
pub(super) fn node_type(text: &str) -> Result<RdmaNodeType, String> {
    match leading(text)? {
        1 => Ok(RdmaNodeType::Ca),
        2 => Ok(RdmaNodeType::Switch),
        3 => Ok(RdmaNodeType::Router),
        4 => Ok(RdmaNodeType::Rnic),
        5 => Ok(RdmaNodeType::Usnic),
        6 => Ok(RdmaNodeType::UsnicUdp),
        7 => Ok(RdmaNodeType::Unspecified),
        _ => Err(format!("no type of a node: {text:?}")),
    }
}

/// `state`, as in "4: ACTIVE".
pub(super) fn state(text: &str) -> Result<RdmaPortState, String> {
    match leading(text)? {
        0 => Ok(RdmaPortState::Nop),
        1 => Ok(RdmaPortState::Down),
        2 => Ok(RdmaPortState::Init),
        3 => Ok(RdmaPortState::Armed),
        4 => Ok(RdmaPortState::Active),
        5 => Ok(RdmaPortState::ActiveDefer),
        _ => Err(format!("no state of a port: {text:?}")),
    }
}

/// `phys_state`, as in "5: LinkUp".
pub(super) fn phys_state(text: &str) -> Result<RdmaPhysState, String> {
    match leading(text)? {
        1 => Ok(RdmaPhysState::Sleep),
        2 => Ok(RdmaPhysState::Polling),
        3 => Ok(RdmaPhysState::Disabled),
        4 => Ok(RdmaPhysState::Training),
        5 => Ok(RdmaPhysState::LinkUp),
        6 => Ok(RdmaPhysState::ErrorRecovery),
        7 => Ok(RdmaPhysState::PhyTest),
        _ => Err(format!("no physical state of a port: {text:?}")),
    }
}

/// `link_layer`.
pub(super) fn link_layer(text: &str) -> Result<RdmaLinkLayer, String> {
    match text.trim() {
        "InfiniBand" => Ok(RdmaLinkLayer::Infiniband),
        "Ethernet" => Ok(RdmaLinkLayer::Ethernet),
        other => Err(format!("no layer that has RDMA: {other:?}")),
    }
}

/// `gid_attrs/types/*`.
pub(super) fn gid_kind(text: &str) -> Result<RdmaGidKind, String> {
    match text.trim() {
        "IB/RoCE v1" => Ok(RdmaGidKind::IbRoceV1),
        "RoCE v2" => Ok(RdmaGidKind::RoceV2),
        other => Err(format!("no type of a GID: {other:?}")),
    }
}

/// `rate`, as in "100 Gb/sec (4X EDR)" or "2.5 Gb/sec (1X)": bits per second, and lanes.
pub(super) fn rate(text: &str) -> Result<(BitsPerSec, u64), String> {
    let bad = || format!("no rate: {text:?}");
    let (figure, rest) = text.trim().split_once(" Gb/sec (").ok_or_else(bad)?;
    let (whole, half) = match figure.split_once('.') {
        Some((whole, "5")) => (whole, true),
        Some((whole, "0")) => (whole, false),
        Some(_) => return Err(bad()),
        None => (figure, false),
    };
    let whole: u64 = whole.parse().map_err(|_| bad())?;
    let rate = whole.checked_mul(1_000_000_000).and_then(|rate| rate.checked_add(if half { 500_000_000 } else { 0 }));
    let lanes = rest.split_once('X').ok_or_else(bad)?.0.parse().map_err(|_| bad())?;
    match rate {
        Some(rate) if rate > 0 && lanes > 0 => Ok((BitsPerSec(rate), lanes)),
        _ => Err(bad()),
    }
}

/// A GUID, four groups of four digits; `None` if all zero.
pub(super) fn guid(text: &str) -> Result<Option<String>, String> {
    groups(text, 4)
}

/// A GID, eight groups of four digits; `None` if all zero, as the kernel writes unused entries of a table.
pub(super) fn gid(text: &str) -> Result<Option<String>, String> {
    groups(text, 8)
}

/// Whether a GID is a subnet prefix without an interface behind it, as InfiniBand adapters have them in unused entries
/// ("fe80:0000:0000:0000:0000:..."). iWARP devices write their address in front of zeros, so this says nothing of them.
pub(super) fn prefix_only(gid: &str) -> bool {
    gid.ends_with(":0000:0000:0000:0000")
}

fn groups(text: &str, count: usize) -> Result<Option<String>, String> {
    let text = text.trim();
    let is_group = |group: &str| group.len() == 4 && group.bytes().all(|digit| digit.is_ascii_hexdigit());
    if text.split(':').count() != count || !text.split(':').all(is_group) {
        return Err(format!("not {count} groups of four hexadecimal digits: {text:?}"));
    }
    let zero = text.bytes().all(|digit| matches!(digit, b'0' | b':'));
    Ok((!zero).then(|| text.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_decides() {
        assert_eq!(node_type("1: CA"), Ok(RdmaNodeType::Ca));
        assert_eq!(node_type("4: RNIC"), Ok(RdmaNodeType::Rnic));
        assert_eq!(node_type("7: unspecified"), Ok(RdmaNodeType::Unspecified));
        assert!(node_type("8: <unknown>").is_err());
        assert_eq!(state("4: ACTIVE"), Ok(RdmaPortState::Active));
        assert_eq!(state("1: DOWN"), Ok(RdmaPortState::Down));
        assert!(state("ACTIVE").is_err());
        assert!(state("").is_err());
        assert_eq!(phys_state("5: LinkUp"), Ok(RdmaPhysState::LinkUp));
        assert_eq!(phys_state("4: PortConfigurationTraining"), Ok(RdmaPhysState::Training));
        assert!(phys_state("0: <unknown>").is_err());
    }

    #[test]
    fn rates_are_gigabits_with_at_most_a_half() {
        for (text, bits, lanes) in [
            ("100 Gb/sec (4X EDR)", 100_000_000_000, 4),
            ("200 Gb/sec (2X NDR)", 200_000_000_000, 2),
            ("400 Gb/sec (4X NDR)", 400_000_000_000, 4),
            ("2.5 Gb/sec (1X)", 2_500_000_000, 1),
            ("10 Gb/sec (4X SDR)", 10_000_000_000, 4),
        ] {
            assert_eq!(rate(text), Ok((BitsPerSec(bits), lanes)), "{text}");
        }
        for bad in [
            "",
            "100",
            "100 Gb/sec",
            "x Gb/sec (4X EDR)",
            "1.25 Gb/sec (1X)",
            "99999999999999999999 Gb/sec (4X)",
            "0 Gb/sec (0X)",
        ] {
            assert!(rate(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn guids_and_gids_are_groups_and_zero_is_none() {
        assert_eq!(guid("0002:C903:00f9:bfa0"), Ok(Some("0002:c903:00f9:bfa0".to_owned())));
        assert_eq!(guid("0000:0000:0000:0000"), Ok(None));
        assert!(guid("node_guid").is_err());
        let gid_text = "fe80:0000:0000:0000:0002:c903:00f9:bfa1";
        assert_eq!(gid(gid_text), Ok(Some(gid_text.to_owned())));
        assert_eq!(gid("0000:0000:0000:0000:0000:0000:0000:0000"), Ok(None));
        assert!(prefix_only("fe80:0000:0000:0000:0000:0000:0000:0000"));
        assert!(!prefix_only("0000:0000:0000:0000:0000:ffff:0a00:0000"));
        assert!(!prefix_only(gid_text));
        assert!(gid("fe80::1").is_err());
        assert!(guid(gid_text).is_err());
    }

    #[test]
    fn gid_types_are_two_words() {
        assert_eq!(gid_kind("IB/RoCE v1"), Ok(RdmaGidKind::IbRoceV1));
        assert_eq!(gid_kind("RoCE v2"), Ok(RdmaGidKind::RoceV2));
        assert!(gid_kind("RoCE v3").is_err());
        assert_eq!(link_layer("InfiniBand"), Ok(RdmaLinkLayer::Infiniband));
        assert!(link_layer("Unknown").is_err());
    }
}
