//! What a PCI Express link says of itself in sysfs, and what it can carry. Pure.

use crate::inventory::pci::LinkTraining;
use crate::units::{BitsPerSec, TransfersPerSec};

/// One of the four attributes, before its companion is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speed {
    /// Transfers per second of one lane.
    Rate(u64),
    /// The kernel writes "Unknown" or "Unknown speed" for a code that it has no rate for, 0 and all ones among them.
    Unknown,
}

/// Rate and width that belong together, as one end of a link tells them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// A link.
    Link {
        /// Transfers per second of one lane; `None` if the code is not known.
        rate: Option<u64>,
        /// Lanes; `None` if it is no number of lanes.
        lanes: Option<u64>,
    },
    /// No link: a part of the root complex, a virtual function (its Link Status is reserved), a port with nothing below.
    None,
    /// All ones: the device does not answer, as one without power.
    Silent,
}

/// `current_link_speed` or `max_link_speed`, which `pci_speed_string()` in `drivers/pci/probe.c` writes: "8.0 GT/s PCIe"
/// since Linux 5.7, "8 GT/s" before.
pub(crate) fn parse_speed(text: &str) -> Result<Speed, String> {
    if text.starts_with("Unknown") {
        return Ok(Speed::Unknown);
    }
    let figure = text
        .strip_suffix(" PCIe")
        .unwrap_or(text)
        .strip_suffix(" GT/s")
        .ok_or_else(|| format!("no rate in GT/s: {text:?}"))?;
    [
        ("2.5", 1),
        ("5", 2),
        ("5.0", 2),
        ("8", 3),
        ("8.0", 3),
        ("16", 4),
        ("16.0", 4),
        ("32", 5),
        ("32.0", 5),
        ("64", 6),
        ("64.0", 6),
    ]
    .into_iter()
    .find(|(name, _)| *name == figure)
    .and_then(|(_, code)| rate_of_code(code))
    .map(Speed::Rate)
    .ok_or_else(|| format!("no rate of PCI Express: {text:?}"))
}

/// `current_link_width` or `max_link_width`: a decimal number.
pub(crate) fn parse_width(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("no number of lanes: {text:?}"))
}

/// The rate behind a code of Link Capabilities or Link Status, which is 1 for the lowest bit of the Supported Link Speeds
/// Vector and so on (PCI Express Base Specification 6.0, sections 7.5.3.6, 7.5.3.8 and 7.5.3.18).
pub(crate) fn rate_of_code(code: u32) -> Option<u64> {
    match code {
        1 => Some(2_500_000_000),
        2 => Some(5_000_000_000),
        3 => Some(8_000_000_000),
        4 => Some(16_000_000_000),
        5 => Some(32_000_000_000),
        6 => Some(64_000_000_000),
        _ => None,
    }
}

/// Reads speed and width together: each by itself is ambiguous.
///
/// Width 0 is no link. 255 is the kernel's `PCIE_LNK_WIDTH_UNKNOWN`, for a function without Link Capabilities. 63 is all six
/// bits of the field: nothing answered.
pub(crate) fn end(speed: Speed, width: u64) -> End {
    match (speed, width) {
        (_, 0) | (Speed::Unknown, 255) => End::None,
        (Speed::Unknown, 63) => End::Silent,
        (speed, width) => End::Link {
            rate: match speed {
                Speed::Rate(rate) => Some(rate),
                Speed::Unknown => None,
            },
            lanes: [1, 2, 4, 8, 12, 16, 32].contains(&width).then_some(width),
        },
    }
}

/// What a link carries in one direction, less what the line encoding takes.
///
/// 8b/10b at 2.5 and 5 GT/s, 128b/130b from 8 to 32 GT/s (PCI Express Base Specification 6.0, sections 4.2.1 and 4.2.2), and at 64
/// GT/s flits of 256 bytes of which 8 are CRC and 6 are FEC (section 4.2.3). Packet headers are not taken off.
pub(crate) fn bandwidth(rate: TransfersPerSec, lanes: u64) -> Option<BitsPerSec> {
    let (of, over) = match rate.0 {
        2_500_000_000 | 5_000_000_000 => (8, 10),
        8_000_000_000 | 16_000_000_000 | 32_000_000_000 => (128, 130),
        64_000_000_000 => (242, 256),
        _ => return None,
    };
    Some(BitsPerSec(rate.0.checked_mul(lanes)?.checked_mul(of)? / over))
}

/// How a link is trained. `may_idle`: it is of a kind, or in a state, that lowers the rate without a fault.
pub(crate) fn training(current: (TransfersPerSec, u64), max: (TransfersPerSec, u64), may_idle: bool) -> LinkTraining {
    match (current.0.0 < max.0.0, current.1 < max.1) {
        (false, false) => LinkTraining::Full,
        (true, true) => LinkTraining::SlowAndNarrow,
        (false, true) => LinkTraining::Narrow,
        (true, false) if may_idle => LinkTraining::SlowMaybeIdle,
        (true, false) => LinkTraining::Slow,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GT: u64 = 1_000_000_000;

    #[test]
    fn speeds_of_old_and_new_kernels() {
        for (text, expected) in [
            ("2.5 GT/s", Speed::Rate(2_500_000_000)),
            ("5 GT/s", Speed::Rate(5 * GT)),
            ("8 GT/s", Speed::Rate(8 * GT)),
            ("16 GT/s", Speed::Rate(16 * GT)),
            ("2.5 GT/s PCIe", Speed::Rate(2_500_000_000)),
            ("5.0 GT/s PCIe", Speed::Rate(5 * GT)),
            ("8.0 GT/s PCIe", Speed::Rate(8 * GT)),
            ("16.0 GT/s PCIe", Speed::Rate(16 * GT)),
            ("32.0 GT/s PCIe", Speed::Rate(32 * GT)),
            ("64.0 GT/s PCIe", Speed::Rate(64 * GT)),
            ("Unknown speed", Speed::Unknown),
            ("Unknown", Speed::Unknown),
        ] {
            assert_eq!(parse_speed(text), Ok(expected), "{text}");
        }
        for text in ["", "8", "8.0 GT/s PCI", "133 MHz PCI-X", "-8 GT/s", "9 GT/s", "8.0GT/s PCIe"] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
        assert!(parse_width("x4").is_err());
        assert!(parse_width("-1").is_err());
    }

    #[test]
    fn speed_and_width_are_read_together() {
        let link = |rate, lanes| End::Link { rate, lanes };
        assert_eq!(end(Speed::Rate(8 * GT), 4), link(Some(8 * GT), Some(4)));
        // An endpoint of the root complex: Link Capabilities and Link Status are 0.
        assert_eq!(end(Speed::Unknown, 0), End::None);
        assert_eq!(end(Speed::Unknown, 255), End::None);
        // A port with nothing below keeps a rate.
        assert_eq!(end(Speed::Rate(2_500_000_000), 0), End::None);
        // Without power every bit reads as one.
        assert_eq!(end(Speed::Unknown, 63), End::Silent);
        assert_eq!(end(Speed::Unknown, 8), link(None, Some(8)));
        assert_eq!(end(Speed::Rate(8 * GT), 3), link(Some(8 * GT), None));
        assert_eq!(end(Speed::Rate(8 * GT), 63), link(Some(8 * GT), None));
    }

    #[test]
    fn bandwidth_by_hand() {
        for (rate, lanes, bits) in [
            (2_500_000_000, 1, 2 * GT),
            (5 * GT, 8, 32 * GT),
            // 8 * 4 * 128 / 130 = 31.507 692 307...
            (8 * GT, 4, 31_507_692_307),
            (16 * GT, 16, 252_061_538_461),
            (32 * GT, 4, 126_030_769_230),
            // 64 * 16 * 242 / 256 = 968 exactly.
            (64 * GT, 16, 968 * GT),
        ] {
            assert_eq!(bandwidth(TransfersPerSec(rate), lanes), Some(BitsPerSec(bits)));
        }
        assert_eq!(bandwidth(TransfersPerSec(1), 1), None);
        assert_eq!(bandwidth(TransfersPerSec(64 * GT), u64::MAX), None);
    }

    #[test]
    fn an_idle_device_lowers_its_rate_and_never_its_lanes() {
        let at = |rate: u64, lanes| (TransfersPerSec(rate * GT), lanes);
        for (current, may_idle, expected) in [
            (at(16, 16), false, LinkTraining::Full),
            (at(16, 16), true, LinkTraining::Full),
            (at(8, 16), false, LinkTraining::Slow),
            (at(8, 16), true, LinkTraining::SlowMaybeIdle),
            (at(16, 8), true, LinkTraining::Narrow),
            (at(8, 8), true, LinkTraining::SlowAndNarrow),
            // More than both ends can is for the caller to call a conflict; it is not less.
            (at(32, 16), false, LinkTraining::Full),
        ] {
            assert_eq!(training(current, at(16, 16), may_idle), expected);
        }
    }
}
