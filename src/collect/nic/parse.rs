//! What the files of `/sys/class/net` and `/proc/net/vlan` say, as pure functions.
//!
//! Knows formats (`net/core/net-sysfs.c`, `net/8021q/vlanproc.c`), no paths and no host.

use crate::inventory::nic::{Duplex, MacOrigin};
use crate::units::BitsPerSec;
use serde::de::{DeserializeOwned, IntoDeserializer};

/// A whole number in decimal.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("not a number: {text:?}"))
}

/// A whole number written as "0x..." .
pub(crate) fn hex_number(text: &str) -> Result<u64, String> {
    let digits = text.trim().strip_prefix("0x").ok_or_else(|| format!("not a hexadecimal number: {text:?}"))?;
    u64::from_str_radix(digits, 16).map_err(|_| format!("not a hexadecimal number: {text:?}"))
}

/// One of the words of an enumerated fact.
pub(crate) fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    T::deserialize(IntoDeserializer::<serde::de::value::Error>::into_deserializer(text.trim()))
        .map_err(|error| error.to_string())
}

/// A flag written as 0 or 1.
pub(crate) fn flag(text: &str) -> Result<bool, String> {
    match text.trim() {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(format!("neither 0 nor 1: {text:?}")),
    }
}

/// A link-layer address in lower case; `None` for one without bytes or all zero.
pub(super) fn address(text: &str) -> Result<Option<String>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let is_byte = |part: &str| part.len() == 2 && part.bytes().all(|digit| digit.is_ascii_hexdigit());
    if !text.split(':').all(is_byte) {
        return Err(format!("not an address: {text:?}"));
    }
    let zero = text.bytes().all(|digit| matches!(digit, b'0' | b':'));
    Ok((!zero).then(|| text.to_ascii_lowercase()))
}

/// `addr_assign_type`.
pub(super) fn mac_origin(text: &str) -> Result<MacOrigin, String> {
    match number(text)? {
        0 => Ok(MacOrigin::Permanent),
        1 => Ok(MacOrigin::Random),
        2 => Ok(MacOrigin::Stolen),
        3 => Ok(MacOrigin::Set),
        other => Err(format!("{other} is no origin of an address")),
    }
}

/// `flags`: whether `IFF_UP` (bit 0) is set.
pub(super) fn admin_up(text: &str) -> Result<bool, String> {
    Ok(hex_number(text)? & 1 == 1)
}

/// `speed` in Mbit/s; `None` if the driver does not know it. `SPEED_UNKNOWN` is -1, which kernels before 3.17 wrote as an unsigned
/// number, and drivers with the old 16-bit field as 65535.
pub(super) fn speed(text: &str) -> Result<Option<BitsPerSec>, String> {
    match text.trim() {
        "-1" | "4294967295" | "65535" | "0" => Ok(None),
        text => {
            let rate = number(text)?.checked_mul(1_000_000).ok_or_else(|| format!("speed out of range: {text}"))?;
            Ok(Some(BitsPerSec(rate)))
        }
    }
}

/// `duplex`; `None` if the driver does not know it.
pub(super) fn duplex(text: &str) -> Result<Option<Duplex>, String> {
    match text.trim() {
        "unknown" => Ok(None),
        text => word(text).map(Some),
    }
}

/// `numa_node`; `None` for -1, of which the platform says nothing.
pub(crate) fn numa_node(text: &str) -> Result<Option<u64>, String> {
    if text.trim() == "-1" { Ok(None) } else { number(text).map(Some) }
}

/// Whether the name is that of a PCI function: domain, bus, device, function. Domains may have more than four digits (VMD, Hyper-V).
pub(crate) fn is_pci_function(name: &str) -> bool {
    let hex = |part: &str, digits: std::ops::RangeInclusive<usize>| {
        digits.contains(&part.len()) && part.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let mut parts = name.split(':');
    let (Some(domain), Some(bus), Some(rest), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return false;
    };
    let Some((device, function)) = rest.split_once('.') else { return false };
    hex(domain, 4..=8) && hex(bus, 2..=2) && hex(device, 2..=2) && hex(function, 1..=1)
}

/// The last PCI function in a path of sysfs.
pub(crate) fn pci_function(path: &str) -> Option<&str> {
    path.split('/').rev().find(|name| is_pci_function(name))
}

/// The last name in a path.
pub(crate) fn base_name(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.rsplit('/').next().unwrap_or(path)
}

/// `DEVTYPE` of a `uevent` file; `None` if it has none.
pub(super) fn devtype(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix("DEVTYPE=")).map(|kind| kind.trim().to_owned())
}

/// One line of `/proc/net/vlan/config`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vlan {
    pub(super) name: String,
    pub(super) id: u64,
    pub(super) device: String,
}

/// `/proc/net/vlan/config`: two lines of heading, then name, identifier and device between bars.
pub(super) fn vlan_config(text: &str) -> Result<Vec<Vlan>, String> {
    // The heading's lines cannot be interfaces: their names hold no white space and no colon (`dev_valid_name`).
    let heading = |line: &&str| line.is_empty() || line.starts_with("VLAN Dev name") || line.starts_with("Name-Type:");
    text.lines()
        .filter(|line| !heading(line))
        .map(|line| {
            let parts: Vec<&str> = line.split('|').map(str::trim).collect();
            match parts.as_slice() {
                [name, id, device] if !name.is_empty() && !device.is_empty() => match number(id) {
                    Ok(id @ 0..=4095) => Ok(Vlan { name: (*name).to_owned(), id, device: (*device).to_owned() }),
                    _ => Err(format!("not a VLAN: {line:?}")),
                },
                _ => Err(format!("not a VLAN: {line:?}")),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::nic::OperState;

    #[test]
    fn a_speed_is_megabits_and_every_unknown_is_none() {
        assert_eq!(speed("25000"), Ok(Some(BitsPerSec(25_000_000_000))));
        assert_eq!(speed("10"), Ok(Some(BitsPerSec(10_000_000))));
        for unknown in ["-1", "4294967295", "65535", "0"] {
            assert_eq!(speed(unknown), Ok(None), "{unknown}");
        }
        for bad in ["", "fast", "-2", "18446744073709551615", "1e3"] {
            assert!(speed(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_address_has_two_digits_a_byte() {
        assert_eq!(address("B8:59:9F:de:86:fd"), Ok(Some("b8:59:9f:de:86:fd".to_owned())));
        assert_eq!(address("00:00:00:00:00:00"), Ok(None));
        assert_eq!(address(""), Ok(None));
        for bad in ["address", "b8:59:9f:de:86", "b8:5:9f", "b8::9f", "b8:59:9f:de:86:fg"] {
            assert_eq!(address(bad).is_err(), bad != "b8:59:9f:de:86", "{bad}");
        }
    }

    #[test]
    fn pci_functions_are_told_from_other_names() {
        for name in ["0000:3b:00.0", "10000:01:00.1", "0000:ff:1f.7"] {
            assert!(is_pci_function(name), "{name}");
        }
        for name in ["3b:00.0", "0000:3b:00", "pci0000:00", "virtio2", "0000:3b:00.00", "1-1:1.0", ""] {
            assert!(!is_pci_function(name), "{name}");
        }
        let path = "../../devices/pci0000:00/0000:00:03.0/virtio2/net/eth0";
        assert_eq!(pci_function(path), Some("0000:00:03.0"));
        assert_eq!(pci_function("../../devices/virtual/net/lo"), None);
        assert_eq!(base_name("../../../devices/pci0000:00/0000:00:1f.6/"), "0000:00:1f.6");
    }

    #[test]
    fn flags_are_hexadecimal() {
        assert_eq!(admin_up("0x1003"), Ok(true));
        assert_eq!(admin_up("0x1002"), Ok(false));
        assert!(admin_up("1003").is_err());
        assert!(admin_up("0x").is_err());
    }

    #[test]
    fn words_are_the_kernels() {
        assert_eq!(word("lowerlayerdown"), Ok(OperState::LowerLayerDown));
        assert!(word::<OperState>("UP").is_err());
        assert_eq!(duplex("full"), Ok(Some(Duplex::Full)));
        assert_eq!(duplex("unknown"), Ok(None));
        assert!(duplex("").is_err());
        assert_eq!(mac_origin("3"), Ok(MacOrigin::Set));
        assert!(mac_origin("4").is_err());
        assert_eq!(numa_node("-1"), Ok(None));
        assert_eq!(numa_node("1"), Ok(Some(1)));
        assert!(numa_node("-2").is_err());
        assert!(flag("2").is_err());
    }

    #[test]
    fn the_type_of_a_device_is_a_line_of_its_own() {
        assert_eq!(devtype("DEVTYPE=vlan\nINTERFACE=eth0.5\nIFINDEX=7"), Some("vlan".to_owned()));
        assert_eq!(devtype("INTERFACE=DEVTYPE=x\nIFINDEX=7"), None);
    }

    #[test]
    fn vlans_stand_between_bars() {
        let text = "VLAN Dev name\t | VLAN ID\nName-Type: VLAN_NAME_TYPE_RAW_PLUS_VID_NO_PAD\n\
                    eth0.1015      | 1015  | eth0\nstorage        | 71  | bond0\n";
        let vlan = |name: &str, id, device: &str| Vlan { name: name.to_owned(), id, device: device.to_owned() };
        assert_eq!(vlan_config(text), Ok(vec![vlan("eth0.1015", 1015, "eth0"), vlan("storage", 71, "bond0")]));
        assert_eq!(vlan_config(""), Ok(vec![]));
        assert!(vlan_config("a | b | c").is_err());
        assert!(vlan_config("a | 5000 | c").is_err());
        assert!(vlan_config("a | 5 | ").is_err());
    }
}
