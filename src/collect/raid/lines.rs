//! Outputs that are lines of names and values in sections. Pure.

/// One section: what it is called, and its lines of name and value.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Section {
    pub(super) title: String,
    /// Where names repeat the first counts.
    pairs: Vec<(String, String)>,
}

impl Section {
    pub(super) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), pairs: Vec::new() }
    }

    pub(super) fn push(&mut self, (name, value): (&str, &str)) {
        self.pairs.push((name.to_owned(), value.to_owned()));
    }

    /// The value by its name, whatever the case; empty where there is none.
    pub(super) fn get(&self, name: &str) -> &str {
        self.find(name).unwrap_or_default()
    }

    pub(super) fn find(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// Values whose names begin so, in order.
    pub(super) fn beginning<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.pairs.iter().filter(move |(name, _)| name.starts_with(prefix)).map(|(name, value)| (&**name, &**value))
    }
}

/// "Name: value", "Name   : value", "Name:". A colon within a word ends no name.
pub(super) fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    if let Some((name, value)) = line.split_once(" : ").or_else(|| line.split_once(": ")) {
        return Some((name.trim(), value.trim()));
    }
    line.strip_suffix(':').map(|name| (name.trim(), ""))
}

/// The number behind a prefix and before the next blank, whatever the case: "Logical device number 3".
pub(super) fn numbered<'l>(line: &'l str, prefixes: &[&str]) -> Option<&'l str> {
    let line = line.trim();
    prefixes.iter().find_map(|prefix| {
        let (head, rest) = line.split_at_checked(prefix.len())?;
        let number = rest.trim().split(' ').next()?;
        let good =
            head.eq_ignore_ascii_case(prefix) && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        good.then_some(number)
    })
}

/// A line of dashes.
pub(super) fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 5 && line.bytes().all(|byte| byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_values() {
        assert_eq!(pair("   Slot: 5"), Some(("Slot", "5")));
        assert_eq!(pair("  PHY[0] Enclosure#/Slot#   : 1:2"), Some(("PHY[0] Enclosure#/Slot#", "1:2")));
        assert_eq!(pair("Serial Number:"), Some(("Serial Number", "")));
        let address = "PCI Address (Domain:Bus:Device.Function): 0000:14:00.0";
        assert_eq!(pair(address), Some(("PCI Address (Domain:Bus:Device.Function)", "0000:14:00.0")));
        assert_eq!(pair("Physical Drives"), None);
        assert_eq!(numbered("Logical Device number 12", &["Logical device number "]), Some("12"));
        assert_eq!(numbered("Logical device 12", &["Logical device number "]), None);
        assert_eq!(numbered("Device #x", &["Device #"]), None);
        assert!(is_rule("  --------"));
        assert!(!is_rule("---"));
    }
}
