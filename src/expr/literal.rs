//! Literals: numbers, quantities with their units, and the escapes of text.

use super::number::Number;
use crate::units::Dimension;

/// How a unit scales to the base unit of its dimension.
#[derive(Debug, Clone, Copy)]
enum Scale {
    /// 10 to this power.
    Ten(i32),
    /// A whole factor.
    By(i64),
}

/// The units that may follow a number, each with what it measures. The first of a dimension is its base unit.
const UNITS: &[(&str, Dimension, Scale)] = &[
    ("B", Dimension::Bytes, Scale::Ten(0)),
    ("kB", Dimension::Bytes, Scale::Ten(3)),
    ("MB", Dimension::Bytes, Scale::Ten(6)),
    ("GB", Dimension::Bytes, Scale::Ten(9)),
    ("TB", Dimension::Bytes, Scale::Ten(12)),
    ("PB", Dimension::Bytes, Scale::Ten(15)),
    ("KiB", Dimension::Bytes, Scale::By(1 << 10)),
    ("MiB", Dimension::Bytes, Scale::By(1 << 20)),
    ("GiB", Dimension::Bytes, Scale::By(1 << 30)),
    ("TiB", Dimension::Bytes, Scale::By(1 << 40)),
    ("PiB", Dimension::Bytes, Scale::By(1 << 50)),
    ("bit/s", Dimension::BitsPerSecond, Scale::Ten(0)),
    ("kbit/s", Dimension::BitsPerSecond, Scale::Ten(3)),
    ("Mbit/s", Dimension::BitsPerSecond, Scale::Ten(6)),
    ("Gbit/s", Dimension::BitsPerSecond, Scale::Ten(9)),
    ("Tbit/s", Dimension::BitsPerSecond, Scale::Ten(12)),
    ("B/s", Dimension::BytesPerSecond, Scale::Ten(0)),
    ("kB/s", Dimension::BytesPerSecond, Scale::Ten(3)),
    ("MB/s", Dimension::BytesPerSecond, Scale::Ten(6)),
    ("GB/s", Dimension::BytesPerSecond, Scale::Ten(9)),
    ("TB/s", Dimension::BytesPerSecond, Scale::Ten(12)),
    ("KiB/s", Dimension::BytesPerSecond, Scale::By(1 << 10)),
    ("MiB/s", Dimension::BytesPerSecond, Scale::By(1 << 20)),
    ("GiB/s", Dimension::BytesPerSecond, Scale::By(1 << 30)),
    ("TiB/s", Dimension::BytesPerSecond, Scale::By(1 << 40)),
    ("Hz", Dimension::Hertz, Scale::Ten(0)),
    ("kHz", Dimension::Hertz, Scale::Ten(3)),
    ("MHz", Dimension::Hertz, Scale::Ten(6)),
    ("GHz", Dimension::Hertz, Scale::Ten(9)),
    ("T/s", Dimension::TransfersPerSecond, Scale::Ten(0)),
    ("kT/s", Dimension::TransfersPerSecond, Scale::Ten(3)),
    ("MT/s", Dimension::TransfersPerSecond, Scale::Ten(6)),
    ("GT/s", Dimension::TransfersPerSecond, Scale::Ten(9)),
    ("C", Dimension::Celsius, Scale::Ten(0)),
    ("%", Dimension::Ratio, Scale::Ten(-2)),
    ("s", Dimension::Seconds, Scale::Ten(0)),
    ("ms", Dimension::Seconds, Scale::Ten(-3)),
    ("us", Dimension::Seconds, Scale::Ten(-6)),
    ("ns", Dimension::Seconds, Scale::Ten(-9)),
    ("min", Dimension::Seconds, Scale::By(60)),
    ("h", Dimension::Seconds, Scale::By(3600)),
    ("d", Dimension::Seconds, Scale::By(86400)),
    ("iops", Dimension::Iops, Scale::Ten(0)),
    ("kiops", Dimension::Iops, Scale::Ten(3)),
    ("Miops", Dimension::Iops, Scale::Ten(6)),
    ("DWPD", Dimension::Dwpd, Scale::Ten(0)),
    ("W", Dimension::Watts, Scale::Ten(0)),
    ("mW", Dimension::Watts, Scale::Ten(-3)),
    ("kW", Dimension::Watts, Scale::Ten(3)),
];

/// Every unit with what it measures.
pub(crate) fn units() -> impl Iterator<Item = (&'static str, Dimension)> {
    UNITS.iter().map(|(name, dimension, _)| (*name, *dimension))
}

/// The name of a dimension's base unit as it is written in expressions.
pub(crate) fn unit_of(dimension: Dimension) -> &'static str {
    units().find(|(_, measured)| *measured == dimension).map_or("", |(name, _)| name)
}

/// A number as written, without a sign.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Written {
    /// A whole number, which may be 2^63: with a sign before it, it fits.
    Int(u64),
    /// A number with a point or an exponent.
    Double(f64),
}

/// Digits with an optional point and exponent. `None` if it does not fit.
pub(crate) fn number(text: &str) -> Option<Written> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok().filter(|value| *value <= 1 << 63).map(Written::Int);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().filter(|value| *value <= 1 << 63).map(Written::Int);
    }
    text.parse().ok().filter(|value: &f64| value.is_finite()).map(Written::Double)
}

/// What became of a number with a unit.
pub(crate) enum Quantity {
    Read(Number, Dimension),
    NoSuchUnit,
    TooLarge,
}

/// A decimal number and a unit, in the base unit: a whole number where that is exact, else the nearest double.
pub(crate) fn quantity(digits: &str, unit: &str) -> Quantity {
    let Some((_, dimension, scale)) = UNITS.iter().find(|(name, ..)| *name == unit) else {
        return Quantity::NoSuchUnit;
    };
    let exact = exact(digits, *scale).map(Number::Int);
    let nearest = || {
        let value: f64 = match scale {
            // One rounding, not two: 10% is the double nearest to a tenth.
            Scale::Ten(power) => shifted(digits, *power).parse().ok()?,
            Scale::By(factor) => digits.parse::<f64>().ok()? * *factor as f64,
        };
        value.is_finite().then_some(Number::Double(value))
    };
    exact.or_else(nearest).map_or(Quantity::TooLarge, |number| Quantity::Read(number, *dimension))
}

/// The digits with the power of ten added to their exponent.
fn shifted(digits: &str, power: i32) -> String {
    match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => match exponent.parse::<i32>().ok().and_then(|e| e.checked_add(power)) {
            Some(exponent) => format!("{mantissa}e{exponent}"),
            None => digits.to_owned(),
        },
        None => format!("{digits}e{power}"),
    }
}

fn exact(digits: &str, scale: Scale) -> Option<i64> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value: i128 = format!("{whole}{fraction}").parse().ok()?;
    let mut power = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    match scale {
        Scale::Ten(more) => power = power.checked_add(more)?,
        Scale::By(factor) => value = value.checked_mul(i128::from(factor))?,
    }
    if value == 0 {
        return Some(0);
    }
    let factor = 10_i128.checked_pow(power.unsigned_abs())?;
    let value = if power >= 0 {
        value.checked_mul(factor)?
    } else if value % factor == 0 {
        value / factor
    } else {
        return None;
    };
    i64::try_from(value).ok()
}

/// The text that a quoted literal means, between its quotes; or the offset and length in bytes of an escape that means
/// nothing. The escapes are those of CEL.
pub(crate) fn unescape(text: &str) -> Result<String, (usize, usize)> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices();
    while let Some((start, char)) = chars.next() {
        if char != '\\' {
            out.push(char);
            continue;
        }
        let (place, kind) = chars.next().ok_or((start, 1))?;
        let digits = match kind {
            'a' => Escape::Char('\u{7}'),
            'b' => Escape::Char('\u{8}'),
            'f' => Escape::Char('\u{c}'),
            'n' => Escape::Char('\n'),
            'r' => Escape::Char('\r'),
            't' => Escape::Char('\t'),
            'v' => Escape::Char('\u{b}'),
            '\\' | '?' | '"' | '\'' | '`' => Escape::Char(kind),
            'x' | 'X' => Escape::Digits { from: place + 1, count: 2, radix: 16 },
            'u' => Escape::Digits { from: place + 1, count: 4, radix: 16 },
            'U' => Escape::Digits { from: place + 1, count: 8, radix: 16 },
            '0'..='3' => Escape::Digits { from: place, count: 3, radix: 8 },
            _ => return Err((start, 1 + kind.len_utf8())),
        };
        match digits {
            Escape::Char(char) => out.push(char),
            Escape::Digits { from, count, radix } => {
                let end = from + count;
                let char = text
                    .get(from..end)
                    .filter(|digits| digits.bytes().all(|byte| char::from(byte).is_digit(radix)))
                    .and_then(|digits| u32::from_str_radix(digits, radix).ok())
                    .and_then(char::from_u32)
                    .ok_or((start, 1 + kind.len_utf8()))?;
                out.push(char);
                while chars.clone().next().is_some_and(|(next, _)| next < end) {
                    chars.next();
                }
            }
        }
    }
    Ok(out)
}

enum Escape {
    Char(char),
    Digits { from: usize, count: usize, radix: u32 },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(digits: &str, unit: &str) -> String {
        match quantity(digits, unit) {
            Quantity::Read(Number::Int(value), dimension) => format!("{value} {}", dimension.base_unit()),
            Quantity::Read(Number::Double(value), dimension) => format!("{value:?} {}", dimension.base_unit()),
            Quantity::NoSuchUnit => "no such unit".to_owned(),
            Quantity::TooLarge => "too large".to_owned(),
        }
    }

    #[test]
    fn quantities_come_out_in_base_units() {
        for (digits, unit, expected) in [
            ("0", "B", "0 byte"),
            ("480", "GB", "480000000000 byte"),
            ("32", "GiB", "34359738368 byte"),
            ("1.92", "TB", "1920000000000 byte"),
            ("0.1", "KiB", "102.4 byte"),
            ("0.5", "KiB", "512 byte"),
            ("25", "Gbit/s", "25000000000 bit/s"),
            ("7.88", "GB/s", "7880000000 byte/s"),
            ("10", "%", "0.1 ratio"),
            ("4.8", "%", "0.048 ratio"),
            ("100", "%", "1 ratio"),
            ("3", "DWPD", "3 DWPD"),
            ("0.3", "DWPD", "0.3 DWPD"),
            ("376000", "iops", "376000 IO/s"),
            ("300", "s", "300 s"),
            ("250", "us", "0.00025 s"),
            ("1.5", "h", "5400 s"),
            ("2933", "MT/s", "2933000000 T/s"),
            ("2.5", "GHz", "2500000000 Hz"),
            ("70", "C", "70 °C"),
            ("150", "W", "150 W"),
            ("1e3", "GB", "1000000000000 byte"),
            ("9300", "PB", "9.3e18 byte"),
            ("9", "GBit", "no such unit"),
            ("1e999", "GB", "too large"),
            ("1e2147483647", "GB", "too large"),
        ] {
            assert_eq!(read(digits, unit), expected, "{digits}{unit}");
        }
    }

    #[test]
    fn escapes_are_those_of_cel() {
        for (text, expected) in [
            ("", Ok("")),
            ("Käse", Ok("Käse")),
            (r#"\a\b\f\n\r\t\v\\\?\"\'\`"#, Ok("\u{7}\u{8}\u{c}\n\r\t\u{b}\\?\"'`")),
            (r"\x41\u00e4\U0001F600\101!", Ok("Aä😀A!")),
            (r"a\q", Err((1, 2))),
            (r"a\", Err((1, 1))),
            (r"\x4", Err((0, 2))),
            (r"\x+4", Err((0, 2))),
            (r"\ud800", Err((0, 2))),
            (r"\U00110000", Err((0, 2))),
            (r"\400", Err((0, 2))),
            ("\\xäb", Err((0, 2))),
        ] {
            assert_eq!(unescape(text), expected.map(str::to_owned), "{text}");
        }
    }

    #[test]
    fn a_whole_number_may_be_two_to_the_63_for_a_sign_may_stand_before_it() {
        assert_eq!(number("9223372036854775808"), Some(Written::Int(1 << 63)));
        assert_eq!(number("9223372036854775809"), None);
        assert_eq!(number("0x1F"), Some(Written::Int(31)));
        assert_eq!(number("1e400"), None);
        assert_eq!(number("2.50"), Some(Written::Double(2.5)));
    }
}
