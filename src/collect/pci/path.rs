//! Addresses of PCI functions, and the paths of sysfs that they stand in. Pure.

use std::fmt;

/// Domain, bus, device and function. Ordered as the kernel lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Address {
    /// Domain (segment); more than 16 bits wide behind a VMD (10000h and up) and on Hyper-V.
    pub domain: u32,
    /// Bus.
    pub bus: u8,
    /// Device, 0 to 31.
    pub device: u8,
    /// Function, 0 to 7.
    pub function: u8,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04x}:{:02x}:{:02x}.{}", self.domain, self.bus, self.device, self.function)
    }
}

impl Address {
    /// As the kernel writes it (`pci_setup_device()` in `drivers/pci/probe.c`: `%04x:%02x:%02x.%d`).
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let (domain, bus, rest) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        let (device, function) = rest.split_once('.')?;
        let address = Self {
            domain: hex(domain, 4..=8)?,
            bus: u8::try_from(hex(bus, 2..=2)?).ok()?,
            device: u8::try_from(hex(device, 2..=2)?).ok().filter(|device| *device < 32)?,
            function: u8::try_from(hex(function, 1..=1)?).ok().filter(|function| *function < 8)?,
        };
        Some(address)
    }

    /// Domain, bus and device, as `/sys/bus/pci/slots/*/address` writes it (`address_read_file()` in `drivers/pci/slot.c`).
    pub(crate) fn slot(self) -> String {
        format!("{:04x}:{:02x}:{:02x}", self.domain, self.bus, self.device)
    }
}

/// A hexadecimal number of so many digits, in lower case.
pub(crate) fn hex(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<u32> {
    if !length.contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    {
        return None;
    }
    u32::from_str_radix(text, 16).ok()
}

/// The functions that a path of sysfs leads through, in stretches: each begins below a host bridge ("pci0000:3a"). A VMD begins a
/// second one below a function of the first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Chain {
    /// From the root down.
    pub stretches: Vec<Vec<Address>>,
}

impl Chain {
    /// Reads the target of a link, as in "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0".
    pub(crate) fn parse(target: &str) -> Self {
        let mut stretches: Vec<Vec<Address>> = Vec::new();
        for part in target.split('/') {
            if is_host_bridge(part) {
                stretches.push(Vec::new());
            } else if let Some(address) = Address::parse(part) {
                match stretches.last_mut() {
                    Some(stretch) => stretch.push(address),
                    // A tree that begins in the middle.
                    None => stretches.push(vec![address]),
                }
            }
        }
        stretches.retain(|stretch| !stretch.is_empty());
        Self { stretches }
    }

    /// Every function, from the root down.
    pub(crate) fn all(&self) -> impl Iterator<Item = Address> {
        self.stretches.iter().flatten().copied()
    }

    /// The lowest one.
    pub(crate) fn last(&self) -> Option<Address> {
        self.stretches.last().and_then(|stretch| stretch.last()).copied()
    }
}

/// "pci0000:3a" (`pci_register_host_bridge()` in `drivers/pci/probe.c`: `pci%04x:%02x`).
fn is_host_bridge(part: &str) -> bool {
    part.strip_prefix("pci")
        .and_then(|rest| rest.split_once(':'))
        .is_some_and(|(domain, bus)| hex(domain, 4..=8).is_some() && hex(bus, 2..=2).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Address {
        Address::parse(text).expect(text)
    }

    #[test]
    fn addresses_survive() {
        for text in ["0000:3b:00.0", "10000:01:1f.7", "abcd1234:ff:00.1"] {
            assert_eq!(address(text).to_string(), text);
        }
        for text in [
            "",
            "3b:00.0",
            "0000:3b:00",
            "0000:3b:20.0",
            "0000:3b:00.8",
            "0000:3B:00.0",
            "000:3b:00.0",
            "0000:3b:00.0:pcie001",
            "0000:03b:00.0",
            "pci0000:3a",
        ] {
            assert_eq!(Address::parse(text), None, "{text}");
        }
        assert_eq!(address("0000:3b:00.5").slot(), "0000:3b:00");
    }

    #[test]
    fn a_chain_is_read_down_to_the_device() {
        let chain = Chain::parse("../../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0/nvme/nvme0/nvme0n1");
        assert_eq!(chain.all().collect::<Vec<_>>(), [address("0000:3a:00.0"), address("0000:3b:00.0")]);
        assert_eq!(chain.last(), Some(address("0000:3b:00.0")));
    }

    #[test]
    fn behind_a_vmd_a_second_stretch_begins() {
        let chain = Chain::parse("devices/pci0000:5d/0000:5d:05.5/pci10000:00/10000:00:02.0/10000:01:00.0");
        assert_eq!(
            chain.stretches,
            [vec![address("0000:5d:05.5")], vec![address("10000:00:02.0"), address("10000:01:00.0")]]
        );
    }

    #[test]
    fn what_is_no_pci_has_no_chain() {
        for target in [
            "../devices/virtual/block/loop0",
            "",
            "../../devices/pci0000:00",
            "/devices/platform/host0/target0:0:0/0:0:0:0",
        ] {
            assert_eq!(Chain::parse(target).last(), None, "{target}");
        }
    }
}
