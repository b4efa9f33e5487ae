//! Figures as the makers' tools print them: sizes, rates, temperatures, percentages. Pure.

use super::report::Told;

/// Words for what is not known.
const UNKNOWN: [&str; 8] = ["", "N/A", "NA", "-", "Unknown", "Not Available", "Not Applicable", "Not Supported"];

/// A word, if it says something.
pub(super) fn word(text: &str) -> Told<String> {
    let text = text.trim();
    if UNKNOWN.iter().any(|unknown| unknown.eq_ignore_ascii_case(text)) {
        Told::Untold
    } else {
        Told::Value(text.to_owned())
    }
}

/// A whole number.
pub(super) fn count(text: &str) -> Told<u64> {
    word(text).and_then(|text| text.parse().map_err(|_| format!("no number: {text:?}")).into())
}

/// "Yes" and "No", "True" and "False".
pub(super) fn yes(text: &str) -> Told<bool> {
    word(text).and_then(|text| match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Told::Value(true),
        "no" | "false" => Told::Value(false),
        _ => Told::Wrong(format!("neither yes nor no: {text:?}")),
    })
}

/// The number at the beginning, as in "21C (69.80 F)", "30 %", "52 C/ 125 F (Normal)", "49": a figure behind a point does not count.
pub(super) fn leading(text: &str) -> Told<u64> {
    word(text).and_then(|text| {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().map_err(|_| format!("no number: {text:?}")).into()
    })
}

/// A temperature in degrees Celsius at the beginning, as in "21C (69.80 F)", "-4 C/ 25 F (Normal)", "27 deg C".
pub(super) fn celsius(text: &str) -> Told<i64> {
    let text = text.trim();
    match text.strip_prefix('-').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
        Some(below) => {
            leading(below).and_then(|degrees| i64::try_from(degrees).map(|d| -d).map_err(|e| e.to_string()).into())
        }
        None => leading(text).and_then(|degrees| i64::try_from(degrees).map_err(|error| error.to_string()).into()),
    }
}

/// A decimal number in thousandths, and what stands behind it.
fn thousandths(text: &str) -> Option<(u128, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (figure, unit) = text.split_at_checked(end)?;
    let (whole, fraction) = figure.split_once('.').unwrap_or((figure, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || whole.len() > 15 || !digits(whole) || !digits(fraction) {
        return None;
    }
    let fraction: String = fraction.chars().chain("000".chars()).take(3).collect();
    let whole: u128 = whole.parse().ok()?;
    let fraction: u128 = fraction.parse().ok()?;
    Some((whole.checked_mul(1000)?.checked_add(fraction)?, unit.trim()))
}

fn size(text: &str, base: u128, bare: &str) -> Result<u64, String> {
    let wrong = || format!("no size: {text:?}");
    let (figure, unit) = thousandths(text).ok_or_else(wrong)?;
    let unit = if unit.is_empty() { bare } else { unit };
    let power = match unit.to_ascii_uppercase().as_str() {
        "B" => 0,
        "KB" | "KIB" => 1,
        "MB" | "MIB" => 2,
        "GB" | "GIB" => 3,
        "TB" | "TIB" => 4,
        "PB" | "PIB" => 5,
        _ => return Err(wrong()),
    };
    let bytes = base.checked_pow(power).and_then(|unit| figure.checked_mul(unit)).ok_or_else(wrong)? / 1000;
    u64::try_from(bytes).map_err(|_| wrong())
}

/// "557.861 GB", "9.094 TiB", "4096MB": powers of 1024, whatever the unit is called. A bare figure is in `bare`.
pub(super) fn binary(text: &str, bare: &str) -> Told<u64> {
    word(text).and_then(|text| size(&text, 1024, bare).into())
}

/// "960 GB", "2.4 TB": powers of 1000, as ssacli counts drives.
pub(super) fn decimal(text: &str) -> Told<u64> {
    word(text).and_then(|text| size(&text, 1000, "B").into())
}

/// "238.474 GB [0x1dcf32b0 Sectors]": the sectors tell exactly; how large they are is told by the rounded figure.
pub(super) fn raw_size(text: &str) -> Told<u64> {
    let (about, sectors) = match text.split_once('[') {
        Some((about, rest)) => (about, Some(rest)),
        None => (text, None),
    };
    let about = match binary(about, "B") {
        Told::Value(about) => about,
        other => return other,
    };
    let Some(sectors) = sectors else { return Told::Value(about) };
    let exact = sectors
        .split_whitespace()
        .next()
        .and_then(|number| number.strip_prefix("0x"))
        .and_then(|digits| u64::from_str_radix(digits, 16).ok())
        .and_then(|sectors| blocks(sectors, about));
    match exact {
        Some(exact) => Told::Value(exact),
        None => Told::Wrong(format!("no number of sectors that fits the size: {text:?}")),
    }
}

/// So many blocks of 512 or 4096 bytes, whichever is within a hundredth of the rounded size.
pub(super) fn blocks(count: u64, about: u64) -> Option<u64> {
    [512, 4096]
        .into_iter()
        .filter_map(|block| count.checked_mul(block))
        .find(|bytes| bytes.abs_diff(about) <= about / 100)
}

/// "12.0Gb/s", "6.0Gbps, Unknown": the first, in bits per second. NVMe has another ("8.0GT/s"), which is none.
pub(super) fn rate(text: &str) -> Told<u64> {
    word(text.split(',').next().unwrap_or_default()).and_then(|text| {
        let Some((figure, unit)) = thousandths(&text) else { return Told::Wrong(format!("no rate: {text:?}")) };
        match unit {
            "Gb/s" | "Gbps" | "Gb" | "Gbit/s" => {
                match u64::try_from(figure).ok().and_then(|g| g.checked_mul(1_000_000)) {
                    Some(bits) if bits > 0 => Told::Value(bits),
                    _ => Told::Wrong(format!("no rate: {text:?}")),
                }
            }
            "GT/s" => Told::Untold,
            _ => Told::Wrong(format!("no rate: {text:?}")),
        }
    })
}

/// Domain, bus, device and function, as the kernel writes them; each may be hexadecimal with an "h" behind it.
pub(super) fn pci_address(domain: &str, bus: &str, device: &str, function: &str) -> Option<String> {
    let hex = |text: &str, most: u32| {
        let digits = text.trim().trim_start_matches("0x").trim_end_matches(['h', 'H']);
        u32::from_str_radix(digits, 16).ok().filter(|number| *number <= most)
    };
    Some(format!("{:04x}:{:02x}:{:02x}.{}", hex(domain, 0xffff)?, hex(bus, 0xff)?, hex(device, 31)?, hex(function, 7)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(binary("557.861 GB", "B"), Told::Value(598_998_687_678));
        assert_eq!(binary("9.094 TiB", "B"), Told::Value(9_998_958_742_994));
        assert_eq!(binary("4096MB", "B"), Told::Value(4 << 30));
        assert_eq!(binary("0 KB", "B"), Told::Value(0));
        assert_eq!(binary("2.0", "GB"), Told::Value(2 << 30));
        assert_eq!(decimal("960 GB"), Told::Value(960_000_000_000));
        assert_eq!(decimal("2.4 TB"), Told::Value(2_400_000_000_000));
        assert_eq!(binary("N/A", "B"), Told::Untold);
        for text in ["1 XB", "GB", "1.2.3 GB", "-1 GB", "99999999999999999 PB", "999999999999999 PB", "."] {
            assert!(matches!(binary(text, "B"), Told::Wrong(_)), "{text}");
        }
    }

    #[test]
    fn sectors_tell_exactly() {
        // 500 118 192 sectors of 512 bytes.
        assert_eq!(raw_size("238.474 GB [0x1dcf32b0 Sectors]"), Told::Value(256_060_514_304));
        // 585 937 500 blocks of 4096 bytes.
        assert_eq!(raw_size("2.183 TB [0x22ecb25c Sectors]"), Told::Value(2_400_000_000_000));
        assert_eq!(raw_size("1.000 GB"), Told::Value(1 << 30));
        for text in
            ["238.474 GB [0x1 Sectors]", "238.474 GB [Sectors]", "238.474 GB [0xffffffffffffffff Sectors]", "x [0x1]"]
        {
            assert!(matches!(raw_size(text), Told::Wrong(_)), "{text}");
        }
        assert_eq!(blocks(0, 1000), None);
    }

    #[test]
    fn rates_and_numbers() {
        assert_eq!(rate("12.0Gb/s"), Told::Value(12_000_000_000));
        assert_eq!(rate("1.5Gbps, Unknown"), Told::Value(1_500_000_000));
        assert_eq!(rate("8.0GT/s"), Told::Untold);
        assert_eq!(rate("Unknown"), Told::Untold);
        assert!(matches!(rate("fast"), Told::Wrong(_)));
        assert!(matches!(rate("0Gb/s"), Told::Wrong(_)));
        assert_eq!(leading(" 21C (69.80 F)"), Told::Value(21));
        assert_eq!(leading("30 %"), Told::Value(30));
        assert_eq!(leading("N/A"), Told::Untold);
        assert!(matches!(leading("warm"), Told::Wrong(_)));
        assert_eq!((celsius("-4 C/ 25 F (Normal)"), celsius("27 deg C")), (Told::Value(-4), Told::Value(27)));
        assert_eq!(celsius("Not Supported"), Told::Untold);
        assert!(matches!(celsius("99999999999999999999"), Told::Wrong(_)));
        assert_eq!(count("12"), Told::Value(12));
        assert!(matches!(count("12 errors"), Told::Wrong(_)));
        assert_eq!((yes("Yes"), yes("False"), yes("N/A")), (Told::Value(true), Told::Value(false), Told::Untold));
        assert!(matches!(yes("maybe"), Told::Wrong(_)));
    }

    #[test]
    fn addresses() {
        let address = |text: &str| {
            let parts: Vec<&str> = text.split(':').collect();
            pci_address(parts[0], parts[1], parts[2], parts[3])
        };
        assert_eq!(address("00:c1:00:00").as_deref(), Some("0000:c1:00.0"));
        assert_eq!(address("00h:0bh:1fh:07h").as_deref(), Some("0000:0b:1f.7"));
        for text in ["00:100:00:00", "00:00:20:00", "00:00:00:08", "x:00:00:00", ":::"] {
            assert_eq!(address(text), None, "{text}");
        }
    }
}
