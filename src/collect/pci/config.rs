//! The configuration space of a PCI function: what a kernel without link attributes cannot tell. Pure.
//!
//! Offsets are those of the PCI Local Bus Specification 3.0, section 6.1 (header) and 6.7 (capabilities), and of the PCI Express
//! Base Specification 6.0, section 7.5.3 (PCI Express capability). Reads what a link needs and nothing else.

use super::link::{self, End, Speed};

/// Status register of the header, 06h; bit 4 says that there is a list of capabilities.
const STATUS: usize = 0x06;
const STATUS_CAPABILITIES: u16 = 1 << 4;
/// Revision.
const REVISION: usize = 0x08;
/// Header Type: bits 6:0 are the layout, of which 1 is a bridge.
const HEADER_TYPE: usize = 0x0e;
/// Secondary and subordinate bus of a bridge (type 1 header; PCI-to-PCI Bridge Architecture Specification 1.2, section 3.2.5).
const SECONDARY_BUS: usize = 0x19;
const SUBORDINATE_BUS: usize = 0x1a;
/// First capability, in headers of type 0 and 1.
const CAPABILITIES: usize = 0x34;
/// Length of the header; capabilities lie behind it.
const HEADER: usize = 0x40;
/// Capability ID of PCI Express (PCI Code and ID Assignment Specification, section 2).
const PCI_EXPRESS: u8 = 0x10;

/// Of the PCI Express capability: PCI Express Capabilities (7.5.3.2), Link Capabilities (7.5.3.6), Link Status (7.5.3.8), Link
/// Capabilities 2 (7.5.3.18).
const EXPRESS_CAPABILITIES: usize = 0x02;
const LINK_CAPABILITIES: usize = 0x0c;
const LINK_STATUS: usize = 0x12;
const LINK_CAPABILITIES_2: usize = 0x2c;

/// What stands in a configuration space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Config {
    /// Revision.
    pub revision: u8,
    /// Secondary and subordinate bus, of a bridge.
    pub buses: Option<(u8, u8)>,
    /// The PCI Express capability.
    pub express: Express,
}

/// The PCI Express capability, as far as it was readable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Express {
    /// It is in the part that was not given: the kernel shows 64 bytes to those who may not administer the system
    /// (`pci_read_config()` in `drivers/pci/pci-sysfs.c`).
    Hidden,
    /// The list of capabilities ends without it.
    None,
    /// It was read.
    Port {
        /// What the function is.
        kind: PortType,
        /// What it can do.
        max: End,
        /// What it does.
        current: End,
    },
}

/// Device/Port Type, PCI Express Capabilities bits 7:4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortType {
    /// 0000b and 0001b: endpoint, legacy endpoint.
    Endpoint,
    /// 0100b: root port.
    RootPort,
    /// 0101b: upstream port of a switch.
    Upstream,
    /// 0110b: downstream port of a switch.
    Downstream,
    /// 0111b: bridge to conventional PCI.
    ToPci,
    /// 1000b: bridge from conventional PCI.
    FromPci,
    /// 1001b, 1010b: endpoint and event collector of the root complex, which have no link.
    RootComplex,
}

impl PortType {
    /// Its link is below it.
    pub(crate) fn looks_down(self) -> bool {
        matches!(self, Self::RootPort | Self::Downstream | Self::FromPci)
    }
    /// Its link is above it.
    pub(crate) fn looks_up(self) -> bool {
        matches!(self, Self::Endpoint | Self::Upstream | Self::ToPci)
    }
}

fn byte(config: &[u8], at: usize) -> Option<u8> {
    config.get(at).copied()
}

fn word(config: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes([byte(config, at)?, byte(config, at + 1)?]))
}

fn dword(config: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(word(config, at)?) | u32::from(word(config, at + 2)?) << 16)
}

/// Reads a configuration space of 64, 256 or 4096 bytes.
pub(crate) fn parse(config: &[u8]) -> Result<Config, String> {
    if config.len() < HEADER {
        return Err(format!("{} bytes, where the header has 64", config.len()));
    }
    let short = || "the header ends early".to_owned();
    let vendor = word(config, 0).ok_or_else(short)?;
    if vendor == 0xffff {
        return Err("every bit reads as one: the device does not answer".to_owned());
    }
    let header_type = byte(config, HEADER_TYPE).ok_or_else(short)? & 0x7f;
    let buses = match header_type {
        1 => byte(config, SECONDARY_BUS).zip(byte(config, SUBORDINATE_BUS)),
        _ => None,
    };
    let revision = byte(config, REVISION).ok_or_else(short)?;
    let status = word(config, STATUS).ok_or_else(short)?;
    let express =
        if status & STATUS_CAPABILITIES == 0 || header_type > 1 { Express::None } else { capability(config)? };
    Ok(Config { revision, buses, express })
}

fn capability(config: &[u8]) -> Result<Express, String> {
    // The two low bits of a pointer are reserved and to be masked.
    let Some(mut at) = byte(config, CAPABILITIES).map(|pointer| usize::from(pointer & 0xfc)) else {
        return Ok(Express::Hidden);
    };
    // As many as fit between header and end: a list that is longer goes round in a circle.
    for _ in 0..(256 - HEADER) / 4 {
        if at == 0 {
            return Ok(Express::None);
        }
        if at < HEADER {
            return Err(format!("a capability at {at:#04x}, inside the header"));
        }
        let Some((id, next)) = byte(config, at).zip(byte(config, at + 1)) else {
            return Ok(Express::Hidden);
        };
        match id {
            PCI_EXPRESS => return express(config, at),
            0xff => return Err(format!("no capability at {at:#04x}: every bit reads as one")),
            _ => at = usize::from(next & 0xfc),
        }
    }
    Err("the list of capabilities goes round in a circle".to_owned())
}

fn express(config: &[u8], at: usize) -> Result<Express, String> {
    let Some(capabilities) = word(config, at + EXPRESS_CAPABILITIES) else {
        return Ok(Express::Hidden);
    };
    let kind = match capabilities >> 4 & 0xf {
        0 | 1 => PortType::Endpoint,
        4 => PortType::RootPort,
        5 => PortType::Upstream,
        6 => PortType::Downstream,
        7 => PortType::ToPci,
        8 => PortType::FromPci,
        9 | 10 => PortType::RootComplex,
        other => return Err(format!("port type {other} is reserved")),
    };
    if kind == PortType::RootComplex {
        return Ok(Express::Port { kind, max: End::None, current: End::None });
    }
    // Version 1 of the capability ends before Link Capabilities 2.
    let second = capabilities & 0xf >= 2;
    let (Some(can), Some(does), Some(can_2)) = (
        dword(config, at + LINK_CAPABILITIES),
        word(config, at + LINK_STATUS),
        if second { dword(config, at + LINK_CAPABILITIES_2) } else { Some(0) },
    ) else {
        return Ok(Express::Hidden);
    };
    // The highest bit of the Supported Link Speeds Vector, bits 7:1, where there is one; else Max Link Speed, bits 3:0.
    let vector = can_2 >> 1 & 0x7f;
    let code = if vector == 0 { can & 0xf } else { 32 - vector.leading_zeros() };
    Ok(Express::Port {
        kind,
        max: field(code, can >> 4 & 0x3f),
        current: field(u32::from(does) & 0xf, u32::from(does) >> 4 & 0x3f),
    })
}

fn field(code: u32, width: u32) -> End {
    link::end(link::rate_of_code(code).map_or(Speed::Unknown, Speed::Rate), u64::from(width))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GT: u64 = 1_000_000_000;

    /// A header with one capability that is not PCI Express at 40h and PCI Express at 50h.
    fn space(header_type: u8, express: &[(usize, &[u8])]) -> Vec<u8> {
        let mut config = vec![0; 256];
        let mut put = |at: usize, bytes: &[u8]| config[at..at + bytes.len()].copy_from_slice(bytes);
        put(0x00, &[0x86, 0x80, 0x30, 0x20]);
        put(STATUS, &[0x10, 0x00]);
        put(REVISION, &[0x04]);
        put(HEADER_TYPE, &[header_type]);
        put(CAPABILITIES, &[0x40]);
        put(0x40, &[0x01, 0x52]); // power management; the pointer's low bits are to be masked
        put(0x50, &[PCI_EXPRESS, 0x00]);
        for (at, bytes) in express {
            put(0x50 + at, bytes);
        }
        config
    }

    fn link(rate: u64, lanes: u64) -> End {
        End::Link { rate: Some(rate * GT), lanes: Some(lanes) }
    }

    #[test]
    fn a_root_port_that_trained_down() {
        // Version 2, root port (0100b). Link Capabilities: x16 (010000b in 9:4), rate code 3. Link Status: x8 at code 2.
        // Link Capabilities 2: vector 111b (2.5, 5, 8).
        let mut config = space(
            0x81,
            &[
                (EXPRESS_CAPABILITIES, &[0x42, 0x01]),
                (LINK_CAPABILITIES, &[0x03, 0x01, 0x00, 0x00]),
                (LINK_STATUS, &[0x82, 0x00]),
                (LINK_CAPABILITIES_2, &[0x0e, 0x00, 0x00, 0x00]),
            ],
        );
        config[SECONDARY_BUS] = 0x18;
        config[SUBORDINATE_BUS] = 0x1e;
        assert_eq!(
            parse(&config),
            Ok(Config {
                revision: 4,
                buses: Some((0x18, 0x1e)),
                express: Express::Port {
                    kind: PortType::RootPort,
                    max: link(8, 16),
                    current: End::Link { rate: Some(5 * GT), lanes: Some(8) },
                },
            })
        );
    }

    #[test]
    fn version_1_has_no_second_link_capabilities() {
        // Endpoint, version 1; the bytes where Link Capabilities 2 would be belong to something else.
        let config = space(
            0,
            &[
                (EXPRESS_CAPABILITIES, &[0x01, 0x00]),
                (LINK_CAPABILITIES, &[0x42, 0x00, 0x00, 0x00]),
                (LINK_STATUS, &[0x42, 0x00]),
                (LINK_CAPABILITIES_2, &[0xff, 0xff, 0xff, 0xff]),
            ],
        );
        let Express::Port { kind, max, current } = parse(&config).unwrap().express else { panic!() };
        assert_eq!((kind, max, current), (PortType::Endpoint, link(5, 4), link(5, 4)));
    }

    #[test]
    fn the_vector_outranks_the_older_field() {
        // Vector 111111b: 64 GT/s.
        let config = space(
            0,
            &[
                (EXPRESS_CAPABILITIES, &[0x02, 0x00]),
                (LINK_CAPABILITIES, &[0x01, 0x01, 0x00, 0x00]),
                (LINK_STATUS, &[0x06, 0x01]),
                (LINK_CAPABILITIES_2, &[0x7e, 0x00, 0x00, 0x00]),
            ],
        );
        let Express::Port { max, current, .. } = parse(&config).unwrap().express else { panic!() };
        assert_eq!((max, current), (link(64, 16), link(64, 16)));
    }

    #[test]
    fn what_has_no_link() {
        let root_complex = space(0, &[(EXPRESS_CAPABILITIES, &[0x92, 0x00]), (LINK_STATUS, &[0x43, 0x00])]);
        assert_eq!(
            parse(&root_complex).unwrap().express,
            Express::Port { kind: PortType::RootComplex, max: End::None, current: End::None }
        );
        let mut conventional = space(0, &[]);
        conventional[0x41] = 0;
        assert_eq!(parse(&conventional).unwrap().express, Express::None);
        conventional[STATUS] = 0;
        assert_eq!(parse(&conventional).unwrap().express, Express::None);
    }

    #[test]
    fn what_is_cut_off_is_hidden_and_not_none() {
        let config = space(0, &[(EXPRESS_CAPABILITIES, &[0x02, 0x00])]);
        for length in [64, 65, 80, 82, 95, 0x50 + LINK_CAPABILITIES_2 + 3] {
            assert_eq!(parse(&config[..length]).unwrap().express, Express::Hidden, "{length}");
        }
    }

    #[test]
    fn damage_is_told() {
        let good = space(0, &[(EXPRESS_CAPABILITIES, &[0x02, 0x00])]);
        for (at, value) in [
            (0x41, 0x40),                        // a circle
            (CAPABILITIES, 0x10),                // into the header
            (0x40, 0xff),                        // not there
            (0x50 + EXPRESS_CAPABILITIES, 0xf2), // reserved type
        ] {
            let mut bad = good.clone();
            bad[at] = value;
            assert!(parse(&bad).is_err(), "{at:#x}");
        }
        assert!(parse(&[0xff; 64]).is_err());
        assert!(parse(&[]).is_err());
        assert!(parse(&good[..63]).is_err());
    }

    proptest::proptest! {
        #[test]
        fn never_panics(config in proptest::collection::vec(proptest::num::u8::ANY, 0..300)) {
            let _ = parse(&config);
        }
    }
}
