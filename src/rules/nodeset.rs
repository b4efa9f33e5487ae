//! Sets of node names as clusters write them: `node7`, `node[01-16]`, `rack[1-2]n[1,3-5]`.
//!
//! Knows names, not machines.

use std::collections::BTreeSet;

/// Most names that one file may list.
pub(crate) const MOST: usize = 100_000;

/// The names of a set, sorted.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn names(text: &str) -> Result<BTreeSet<String>, String> {
    let mut names = vec![String::new()];
    let mut rest = text;
    while let Some(open) = rest.find(['[', ']']) {
        let (before, from) = rest.split_at_checked(open).unwrap_or((rest, ""));
        let Some(inside) = from.strip_prefix('[') else { return Err("`]` closes nothing".to_owned()) };
        let Some((inside, after)) = inside.split_once(']') else { return Err("`[` is not closed".to_owned()) };
        let parts = numbers(inside)?;
        if names.len().saturating_mul(parts.len()) > MOST {
            return Err(format!("more than {MOST} names"));
        }
        names = names.iter().flat_map(|name| parts.iter().map(move |part| format!("{name}{before}{part}"))).collect();
        rest = after;
    }
    let whole: BTreeSet<String> = names.into_iter().map(|name| name + rest).collect();
    let valid = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
    match whole.iter().find(|name| name.is_empty() || !name.chars().all(valid)) {
        Some(name) => Err(format!("{name:?} is no host name")),
        None => Ok(whole),
    }
}

/// "01-03,7" with the zeros as they are written.
fn numbers(text: &str) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| {
            let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|byte| byte.is_ascii_digit());
            digits
                .then(|| text.parse::<usize>().ok())
                .flatten()
                .ok_or_else(|| format!("{part:?} is no number or range"))
        };
        let (from, to) = (number(first)?, number(last)?);
        if from > to {
            return Err(format!("{part:?} ends before it begins"));
        }
        if to - from >= MOST || all.len() + (to - from) >= MOST {
            return Err(format!("more than {MOST} names"));
        }
        all.extend((from..=to).map(|number| format!("{number:0width$}", width = first.len())));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        names(text).unwrap().into_iter().collect()
    }

    #[test]
    fn sets_are_spelled_out() {
        assert_eq!(of("node7"), ["node7"]);
        assert_eq!(of("node[08-10]"), ["node08", "node09", "node10"]);
        assert_eq!(of("r[1-2]n[1,3-4]"), ["r1n1", "r1n3", "r1n4", "r2n1", "r2n3", "r2n4"]);
        assert_eq!(of("a[1].example.org"), ["a1.example.org"]);
    }

    #[test]
    fn what_is_no_set_says_why() {
        for (text, why) in [
            ("node[", "`[` is not closed"),
            ("node]", "`]` closes nothing"),
            ("node[5-1]", "ends before it begins"),
            ("node[a-b]", "is no number or range"),
            ("node[]", "is no number or range"),
            ("node[1-999999999]", "more than 100000 names"),
            ("a[1-1000]b[1-1000]", "more than 100000 names"),
            ("a b", "is no host name"),
        ] {
            let told = names(text).unwrap_err();
            assert!(told.contains(why), "{text}: {told}");
        }
    }
}
