//! Quantities as types: a bare integer does not leave its parser.
//!
//! Knows units and how they convert; knows nothing of where a figure was read.
//! In JSON a quantity is a bare number in the base unit of its [`Dimension`].

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a number measures. Quantities of unlike dimension are never added or compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dimension {
    /// A count or another number without a unit.
    None,
    /// Storage or memory size; base unit: byte.
    Bytes,
    /// Link rate; base unit: bit per second.
    BitsPerSecond,
    /// Storage throughput; base unit: byte per second.
    BytesPerSecond,
    /// Clock rate; base unit: hertz.
    Hertz,
    /// Memory transfer rate; base unit: transfer per second.
    TransfersPerSecond,
    /// Temperature; base unit: degree Celsius.
    Celsius,
    /// Like over like; base unit: one (printed as percent).
    Ratio,
    /// Duration; base unit: second.
    Seconds,
    /// IO operations per second.
    Iops,
    /// Drive writes per day over the rated life.
    Dwpd,
    /// Electrical power; base unit: watt.
    Watts,
}

impl Dimension {
    /// The base unit as it is written in JSON schemas and in docs/facts.md; empty for a plain number.
    #[must_use]
    pub const fn base_unit(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Bytes => "byte",
            Self::BitsPerSecond => "bit/s",
            Self::BytesPerSecond => "byte/s",
            Self::Hertz => "Hz",
            Self::TransfersPerSecond => "T/s",
            Self::Celsius => "°C",
            Self::Ratio => "ratio",
            Self::Seconds => "s",
            Self::Iops => "IO/s",
            Self::Dwpd => "DWPD",
            Self::Watts => "W",
        }
    }

    /// `value` in the base unit, as a person reads it: `3.84 TB`, `25 Gbit/s`, `48.0 %`.
    #[must_use]
    pub fn display(self, value: f64) -> String {
        match self {
            Self::None => trimmed(value),
            Self::Bytes => scaled(value, 1000.0, &["B", "kB", "MB", "GB", "TB", "PB"]),
            Self::BitsPerSecond => scaled(value, 1000.0, &["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"]),
            Self::BytesPerSecond => scaled(value, 1000.0, &["B/s", "kB/s", "MB/s", "GB/s", "TB/s"]),
            Self::Hertz => scaled(value, 1000.0, &["Hz", "kHz", "MHz", "GHz"]),
            Self::TransfersPerSecond => scaled(value, 1000.0, &["T/s", "kT/s", "MT/s", "GT/s"]),
            Self::Celsius => format!("{} °C", trimmed(value)),
            Self::Ratio => format!("{} %", trimmed(value * 100.0)),
            Self::Seconds => seconds(value),
            Self::Iops => format!("{} IO/s", trimmed(value)),
            Self::Dwpd => format!("{} DWPD", trimmed(value)),
            Self::Watts => format!("{} W", trimmed(value)),
        }
    }
}

/// At most three decimals, no trailing zeros.
fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn scaled(value: f64, step: f64, units: &[&str]) -> String {
    let mut value = value;
    let mut units = units.iter();
    let mut unit = units.next().copied().unwrap_or_default();
    for next in units {
        // The rounded figure decides, so that 999.9996 kB reads 1 MB and not 1000 kB.
        if (value.abs() * 1000.0).round() / 1000.0 < step {
            break;
        }
        value /= step;
        unit = next;
    }
    format!("{} {unit}", trimmed(value))
}

fn seconds(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 || magnitude >= 1.0 {
        format!("{} s", trimmed(value))
    } else if magnitude >= 1e-3 {
        format!("{} ms", trimmed(value * 1e3))
    } else {
        format!("{} us", trimmed(value * 1e6))
    }
}

macro_rules! quantity {
    ($(#[doc = $doc:expr])* $name:ident($inner:ty), $dimension:ident) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub $inner);

        impl $name {
            /// What this quantity measures.
            pub const DIMENSION: Dimension = Dimension::$dimension;
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&Self::DIMENSION.display(self.0 as f64))
            }
        }
    };
}

quantity!(
    /// A size in bytes.
    Bytes(u64), Bytes
);
quantity!(
    /// A clock rate in hertz.
    Hertz(u64), Hertz
);
quantity!(
    /// A link rate in bits per second.
    BitsPerSec(u64), BitsPerSecond
);
quantity!(
    /// A memory transfer rate in transfers per second.
    TransfersPerSec(u64), TransfersPerSecond
);
quantity!(
    /// A temperature in degrees Celsius.
    Celsius(f64), Celsius
);
quantity!(
    /// A duration in seconds.
    Seconds(f64), Seconds
);
quantity!(
    /// Like over like.
    Ratio(f64), Ratio
);
quantity!(
    /// Electrical power in watts.
    Watts(f64), Watts
);

/// A count of the kernel's 512-byte sectors, the unit of sysfs `size` whatever the LBA size
/// (Documentation/ABI/stable/sysfs-block).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sectors512(pub u64);

impl Sectors512 {
    /// The size in bytes; `None` if it does not fit 64 bits.
    #[must_use]
    pub fn to_bytes(self) -> Option<Bytes> {
        self.0.checked_mul(512).map(Bytes)
    }
}

/// A count of kibibytes, which `/proc/meminfo` writes "kB" (Documentation/filesystems/proc.rst).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kibibytes(pub u64);

impl Kibibytes {
    /// The size in bytes; `None` if it does not fit 64 bits.
    #[must_use]
    pub fn to_bytes(self) -> Option<Bytes> {
        self.0.checked_mul(1024).map(Bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sectors_are_512_bytes_whatever_the_lba_size() {
        // A 2.0 TB drive: 3 906 250 000 sectors of 512 bytes.
        assert_eq!(Sectors512(3_906_250_000).to_bytes(), Some(Bytes(2_000_000_000_000)));
        assert_eq!(Sectors512(u64::MAX).to_bytes(), None);
    }

    #[test]
    fn quantities_read_as_a_person_writes_them() {
        for (quantity, expected) in [
            (Bytes(3_840_755_982_336).to_string(), "3.841 TB"),
            (Bytes(0).to_string(), "0 B"),
            (Bytes(999).to_string(), "999 B"),
            (Bytes(999_999_999).to_string(), "1 GB"),
            (BitsPerSec(25_000_000_000).to_string(), "25 Gbit/s"),
            (TransfersPerSec(2_666_000_000).to_string(), "2.666 GT/s"),
            (Ratio(0.48).to_string(), "48 %"),
            (Seconds(0.000_231_4).to_string(), "231.4 us"),
            (Seconds(300.0).to_string(), "300 s"),
            (Celsius(-0.0).to_string(), "0 °C"),
        ] {
            assert_eq!(quantity, expected);
        }
    }
}
