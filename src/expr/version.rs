//! Versions, compared by a scheme that is named: never as text, where 1.10 comes before 1.9.
//!
//! What a scheme cannot tell has no order. Revisions whose letters are no numbers (`GDC5602Q`) have no scheme here:
//! only a list can say which of them are meant.

use std::cmp::Ordering;

/// How two versions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Numbers between points.
    Dotted,
    /// Semantic Versioning 2.0.0.
    Semver,
    /// deb-version(7).
    Debian,
    /// The release of a Linux kernel (`uname -r`).
    Kernel,
    /// Letters, then a number: `HPD7`.
    Prefixed,
    /// A hexadecimal number: `0x2007006`.
    Hex,
    /// A date as SMBIOS writes it: month/day/year.
    SmbiosDate,
}

impl Scheme {
    /// Every scheme with its name and what it compares.
    pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (
            Self::Dotted,
            "dotted",
            "numbers between points, each by its value; a missing one is 0: `1.9` < `1.10` = `1.10.0`",
        ),
        (
            Self::Semver,
            "semver",
            "Semantic Versioning 2.0.0, section 11: `1.0.0-rc.1` < `1.0.0`; build metadata does not count",
        ),
        (
            Self::Debian,
            "debian",
            "deb-version(7): epoch, upstream version, revision; `~` sorts before the end: `1.2~rc1-1` < `1.2-1`",
        ),
        (
            Self::Kernel,
            "kernel",
            "`uname -r`: the leading numbers, then `-rcN` before the release; what a distribution appends has an order only where both are equal or one side has none: `5.14.0-427.el9` is at least `5.14`",
        ),
        (Self::Prefixed, "prefixed", "the same letters, then a number: `HPD7` < `HPD10`; unlike letters have no order"),
        (Self::Hex, "hex", "a hexadecimal number, with or without `0x`: `0x2007006` < `0x2007108`"),
        (
            Self::SmbiosDate,
            "smbios-date",
            "month/day/year with four digits of the year (SMBIOS 3.7.0, 7.1.1): `12/31/2023` < `01/15/2024`",
        ),
    ];

    /// The scheme of a name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(scheme, ..)| *scheme)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(scheme, ..)| *scheme == self).map_or("", |(_, name, _)| name)
    }

    /// How two versions compare; `None` if the scheme cannot tell. Blanks around them do not count.
    #[must_use]
    pub fn compare(self, left: &str, right: &str) -> Option<Ordering> {
        let (left, right) = (left.trim(), right.trim());
        match self {
            Self::Dotted => dotted(left, right),
            Self::Semver => semver(left, right),
            Self::Debian => debian(left, right),
            Self::Kernel => kernel(left, right),
            Self::Prefixed => {
                let (left_letters, left_number) = prefixed(left)?;
                let (right_letters, right_number) = prefixed(right)?;
                (left_letters == right_letters).then(|| by_digits(left_number, right_number))
            }
            Self::Hex => Some(by_digits(&hex(left)?, &hex(right)?)),
            Self::SmbiosDate => Some(smbios_date(left)?.cmp(&smbios_date(right)?)),
        }
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Numbers of any length in one base, by value: more digits are more, but for zeros in front.
fn by_digits(left: &str, right: &str) -> Ordering {
    let (left, right) = (left.trim_start_matches('0'), right.trim_start_matches('0'));
    left.len().cmp(&right.len()).then_with(|| left.cmp(right))
}

fn dotted(left: &str, right: &str) -> Option<Ordering> {
    if !left.split('.').chain(right.split('.')).all(is_number) {
        return None;
    }
    let (mut left, mut right) = (left.split('.'), right.split('.'));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return Some(Ordering::Equal),
            (left, right) => match by_digits(left.unwrap_or("0"), right.unwrap_or("0")) {
                Ordering::Equal => {}
                order => return Some(order),
            },
        }
    }
}

/// <https://semver.org/spec/v2.0.0.html>, sections 2, 9, 10 and 11.
fn semver(left: &str, right: &str) -> Option<Ordering> {
    struct Parts<'v> {
        core: Vec<&'v str>,
        pre: Option<&'v str>,
    }
    fn parts(version: &str) -> Option<Parts<'_>> {
        let identifiers = |text: &str, strict: bool| {
            text.split('.').all(|part| {
                !part.is_empty()
                    && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
                    && !(strict && is_number(part) && part.len() > 1 && part.starts_with('0'))
            })
        };
        let (version, build) = version.split_once('+').map_or((version, None), |(v, build)| (v, Some(build)));
        let (core, pre) = version.split_once('-').map_or((version, None), |(core, pre)| (core, Some(pre)));
        let core: Vec<&str> = core.split('.').collect();
        let whole = core.len() == 3
            && core.iter().all(|part| is_number(part) && (part.len() == 1 || !part.starts_with('0')))
            && pre.is_none_or(|pre| identifiers(pre, true))
            && build.is_none_or(|build| identifiers(build, false));
        whole.then_some(Parts { core, pre })
    }
    let (left, right) = (parts(left)?, parts(right)?);
    let core = left.core.iter().zip(&right.core).map(|(left, right)| by_digits(left, right));
    let core = core.fold(Ordering::Equal, Ordering::then);
    Some(core.then_with(|| match (left.pre, right.pre) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(left), Some(right)) => {
            let (mut left, mut right) = (left.split('.'), right.split('.'));
            loop {
                let order = match (left.next(), right.next()) {
                    (None, None) => return Ordering::Equal,
                    (None, Some(_)) => Ordering::Less,
                    (Some(_), None) => Ordering::Greater,
                    (Some(left), Some(right)) => match (is_number(left), is_number(right)) {
                        (true, true) => by_digits(left, right),
                        (true, false) => Ordering::Less,
                        (false, true) => Ordering::Greater,
                        (false, false) => left.cmp(right),
                    },
                };
                if order.is_ne() {
                    return order;
                }
            }
        }
    }))
}

/// deb-version(7), "Sorting algorithm".
fn debian(left: &str, right: &str) -> Option<Ordering> {
    fn parts(version: &str) -> Option<(&str, &str, &str)> {
        let (epoch, rest) = version.split_once(':').unwrap_or(("0", version));
        let (upstream, revision) = rest.rsplit_once('-').unwrap_or((rest, ""));
        let legal = |text: &str, more: &str| {
            text.bytes().all(|byte| byte.is_ascii_alphanumeric() || more.as_bytes().contains(&byte))
        };
        let whole = is_number(epoch)
            && upstream.starts_with(|char: char| char.is_ascii_digit())
            && legal(upstream, ".+-~:")
            && legal(revision, ".+~")
            && !rest.ends_with('-');
        whole.then_some((epoch, upstream, revision))
    }
    let (left_epoch, left_upstream, left_revision) = parts(left)?;
    let (right_epoch, right_upstream, right_revision) = parts(right)?;
    Some(
        by_digits(left_epoch, right_epoch)
            .then_with(|| debian_part(left_upstream, right_upstream))
            .then_with(|| debian_part(left_revision, right_revision)),
    )
}

/// Text and numbers by turns: text by character with `~` before the end before letters before others.
fn debian_part(mut left: &str, mut right: &str) -> Ordering {
    fn rank(char: Option<char>) -> u32 {
        match char {
            Some('~') => 0,
            None => 1,
            Some(char) if char.is_ascii_alphabetic() => 2 + char as u32,
            Some(char) => 0x100 + char as u32,
        }
    }
    fn split(text: &str, digits: bool) -> (&str, &str) {
        let end = text.find(|char: char| char.is_ascii_digit() != digits).unwrap_or(text.len());
        text.split_at_checked(end).unwrap_or((text, ""))
    }
    while !left.is_empty() || !right.is_empty() {
        let (left_text, left_rest) = split(left, false);
        let (right_text, right_rest) = split(right, false);
        let longest = left_text.len().max(right_text.len());
        let (mut left_chars, mut right_chars) = (left_text.chars(), right_text.chars());
        for _ in 0..longest {
            let order = rank(left_chars.next()).cmp(&rank(right_chars.next()));
            if order.is_ne() {
                return order;
            }
        }
        let (left_number, left_rest) = split(left_rest, true);
        let (right_number, right_rest) = split(right_rest, true);
        let order = by_digits(left_number, right_number);
        if order.is_ne() {
            return order;
        }
        (left, right) = (left_rest, right_rest);
    }
    Ordering::Equal
}

fn kernel(left: &str, right: &str) -> Option<Ordering> {
    /// The numbers, the candidate that precedes the release, and what a distribution appended.
    fn parts(release: &str) -> Option<(&str, Option<&str>, &str)> {
        let end = release.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(release.len());
        let (numbers, rest) = release.split_at_checked(end)?;
        if !numbers.split('.').all(is_number) || !(rest.is_empty() || rest.starts_with(['-', '+', '_', '~'])) {
            return None;
        }
        let Some(candidate) = rest.strip_prefix("-rc") else { return Some((numbers, None, rest)) };
        let end = candidate.find(|char: char| !char.is_ascii_digit()).unwrap_or(candidate.len());
        let (number, rest) = candidate.split_at_checked(end)?;
        is_number(number).then_some((numbers, Some(number), rest))
    }
    let (left_numbers, left_candidate, left_rest) = parts(left)?;
    let (right_numbers, right_candidate, right_rest) = parts(right)?;
    let order = dotted(left_numbers, right_numbers)?.then_with(|| match (left_candidate, right_candidate) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(left), Some(right)) => by_digits(left, right),
    });
    let told = order.is_ne() || left_rest == right_rest || left_rest.is_empty() || right_rest.is_empty();
    told.then_some(order)
}

fn prefixed(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|char: char| !char.is_ascii_alphabetic())?;
    let (letters, number) = text.split_at_checked(end)?;
    (!letters.is_empty() && is_number(number)).then_some((letters, number))
}

fn hex(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).unwrap_or(text);
    let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    whole.then(|| digits.to_ascii_lowercase())
}

/// Year, month, day.
fn smbios_date(text: &str) -> Option<(u16, u8, u8)> {
    let mut parts = text.split('/');
    let (month, day, year) = (parts.next()?, parts.next()?, parts.next()?);
    let whole = parts.next().is_none()
        && [month, day, year].iter().all(|part| is_number(part))
        && (1..=2).contains(&month.len())
        && (1..=2).contains(&day.len())
        && year.len() == 4;
    if !whole {
        return None;
    }
    let (month, day) = (month.parse().ok()?, day.parse().ok()?);
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year.parse().ok()?, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each list ascends; `=` joins equals.
    #[track_caller]
    fn ascends(scheme: Scheme, list: &str) {
        let ranks: Vec<(usize, &str)> = list
            .split(" < ")
            .enumerate()
            .flat_map(|(rank, equals)| equals.split(" = ").map(move |version| (rank, version)))
            .collect();
        for (left_rank, left) in &ranks {
            for (right_rank, right) in &ranks {
                let order = scheme.compare(left, right);
                assert_eq!(order, Some(left_rank.cmp(right_rank)), "{left} and {right} as {}", scheme.name());
            }
        }
    }

    #[track_caller]
    fn no_order(scheme: Scheme, pairs: &[(&str, &str)]) {
        for (left, right) in pairs {
            assert_eq!(scheme.compare(left, right), None, "{left} and {right} as {}", scheme.name());
            assert_eq!(scheme.compare(right, left), None, "{right} and {left} as {}", scheme.name());
        }
    }

    #[test]
    fn dotted_numbers_compare_by_value() {
        ascends(Scheme::Dotted, "0 < 1.9 < 1.9.1 < 1.10 = 1.10.0 = 01.010 < 2 < 2.99999999999999999999999999");
        no_order(Scheme::Dotted, &[("1.2a", "1.2"), ("", "1"), ("1..2", "1"), ("1.2.", "1"), ("v1", "1")]);
    }

    /// The example of <https://semver.org/spec/v2.0.0.html#spec-item-11>.
    #[test]
    fn semantic_versions_compare_as_their_standard_says() {
        ascends(
            Scheme::Semver,
            "1.0.0-alpha < 1.0.0-alpha.1 < 1.0.0-alpha.beta < 1.0.0-beta < 1.0.0-beta.2 < 1.0.0-beta.11 < 1.0.0-rc.1 < 1.0.0 = 1.0.0+build < 2.0.0 < 2.1.0 < 2.1.1",
        );
        no_order(Scheme::Semver, &[("1.0", "1.0.0"), ("v1.0.0", "1.0.0"), ("1.0.0-01", "1.0.0"), ("1.00.0", "1.0.0")]);
    }

    /// The order of deb-version(7): "~~", "~~a", "~", the empty part, "a".
    #[test]
    fn debian_versions_compare_as_dpkg_does() {
        ascends(Scheme::Debian, "1~~ < 1~~a < 1~ < 1 < 1a < 1+b < 1.0 < 1:0.1");
        ascends(Scheme::Debian, "1.2~rc1-1 < 1.2-1 < 1.2-1+b1 < 1.2-2 < 1.2-10 < 1.10-1");
        ascends(Scheme::Debian, "6.1.76-1 = 6.1.076-1 < 6.1.90-1");
        no_order(Scheme::Debian, &[("", "1"), ("a1", "1"), ("1 2", "1"), ("x:1", "1"), ("1-", "1")]);
    }

    #[test]
    fn kernels_compare_by_their_numbers_and_candidates() {
        ascends(Scheme::Kernel, "5.4.0-150-generic < 5.14.0-427.el9 < 6.1.0-rc2 < 6.1.0-rc10 < 6.1 = 6.1.0 < 6.1.1");
        assert_eq!(Scheme::Kernel.compare("5.14.0-427.el9", "5.14"), Some(Ordering::Equal));
        no_order(
            Scheme::Kernel,
            &[("5.14.0-427.el9", "5.14.0-362.el9"), ("", "6"), ("6.1x", "6.1"), ("6.1.0-rc", "6.1")],
        );
    }

    #[test]
    fn revisions_with_letters_compare_only_with_their_like() {
        ascends(Scheme::Prefixed, "HPD7 = HPD07 < HPD10 < HPD11");
        no_order(
            Scheme::Prefixed,
            &[("HPD7", "HPG8"), ("GDC5602Q", "GDC5702Q"), ("7", "8"), ("HPD", "HPD1"), ("HPD7", "hpd8")],
        );
        ascends(Scheme::Hex, "0x0 < 0x2007006 = 2007006 = 0X02007006 < 0x2007108 < 0x10000000000000000000000000");
        no_order(Scheme::Hex, &[("0x", "0x1"), ("", "0"), ("0xg", "0x1")]);
        ascends(Scheme::SmbiosDate, "12/31/2022 < 01/15/2023 = 1/15/2023 < 02/01/2023");
        no_order(
            Scheme::SmbiosDate,
            &[("2023-01-15", "01/01/2023"), ("13/01/2023", "01/01/2023"), ("01/15/99", "01/15/1999")],
        );
    }
}
