//! Regular expressions of rules: compiled under a limit, and how much memory each takes.
//!
//! The crate `regex` bounds what a compiled expression may take and does not tell what it takes; the smallest bound
//! under which it compiles does, to a factor of two.

use regex::{Error, Regex, RegexBuilder};

/// The first bound that is tried.
const LEAST: usize = 8 << 10;
/// Nested groups and repetitions.
const DEPTH: u32 = 32;

/// A compiled expression and the bytes that it takes at most.
///
/// # Errors
/// If it is none, or takes more than so many bytes.
pub(crate) fn build(pattern: &str, most: usize) -> Result<(Regex, usize), Error> {
    let mut bytes = LEAST.min(most);
    loop {
        match RegexBuilder::new(pattern).size_limit(bytes).dfa_size_limit(most).nest_limit(DEPTH).build() {
            Err(Error::CompiledTooBig(_)) if bytes < most => bytes = bytes.saturating_mul(2).min(most),
            built => return built.map(|regex| (regex, bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_ones_are_told_small_and_large_ones_refused() {
        assert_eq!(build("^ab+$", 1 << 20).map(|(_, bytes)| bytes), Ok(LEAST));
        let large = build("a{2000}", 1 << 20).map(|(_, bytes)| bytes);
        assert!(large.as_ref().is_ok_and(|bytes| (LEAST + 1..=1 << 20).contains(bytes)), "{large:?}");
        assert!(matches!(build("a{2000}", LEAST), Err(Error::CompiledTooBig(_))));
        assert!(build("(", LEAST).is_err());
    }
}
