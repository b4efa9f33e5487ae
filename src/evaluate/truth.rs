//! Three-valued logic with reasons, and absence beside it.
//!
//! Kleene: `false && unknown` is false; absent absorbs the same way; unknown outranks absent.

use std::collections::BTreeSet;

/// The outcome of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not.
    False,
    /// The machine has no such thing to compare.
    Absent,
    /// It could not be told, for these reasons.
    Unknown(BTreeSet<String>),
}

impl Truth {
    /// Unknown for one reason.
    pub fn unknown(reason: impl Into<String>) -> Self {
        Self::Unknown(BTreeSet::from([reason.into()]))
    }

    /// Both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            (left, right) => Self::undecided(left, right),
        }
    }

    fn undecided(left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Unknown(mut left), Self::Unknown(right)) => {
                left.extend(right);
                Self::Unknown(left)
            }
            (Self::Unknown(reasons), _) | (_, Self::Unknown(reasons)) => Self::Unknown(reasons),
            _ => Self::Absent,
        }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            other => other,
        }
    }
}

impl From<bool> for Truth {
    fn from(value: bool) -> Self {
        if value { Self::True } else { Self::False }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Truth> {
        vec![Truth::True, Truth::False, Truth::Absent, Truth::unknown("x")]
    }

    #[test]
    fn a_decided_side_absorbs_whatever_the_other_is() {
        for other in all() {
            assert_eq!(Truth::False.and(other.clone()), Truth::False);
            assert_eq!(other.and(Truth::False), Truth::False);
        }
    }

    #[test]
    fn unknown_outranks_absent_and_keeps_its_reasons() {
        assert_eq!(Truth::Absent.and(Truth::unknown("x")), Truth::unknown("x"));
        assert_eq!(Truth::unknown("x").and(Truth::Absent), Truth::unknown("x"));
        assert_eq!(Truth::True.and(Truth::Absent), Truth::Absent);
        assert_eq!(
            Truth::unknown("y").and(Truth::unknown("x")),
            Truth::Unknown(BTreeSet::from(["x".to_owned(), "y".to_owned()]))
        );
    }

    #[test]
    fn making_a_side_unknown_never_yields_another_decided_value() {
        for left in all() {
            for right in all() {
                let known = left.clone().and(right.clone());
                let blurred = Truth::unknown("x").and(right.clone());
                assert!(matches!(blurred, Truth::Unknown(_)) || blurred == known, "{left:?} {right:?}");
            }
        }
    }
}
