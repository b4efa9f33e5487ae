//! Numbers as expressions calculate with them: whole numbers of 64 bits and finite doubles, mixed freely.
//!
//! A result that does not exist is unknown, with the reason: nothing wraps around, nothing becomes infinite.
//! Knows no dimensions: those are checked before anything is calculated.

use crate::view::{Reason, ReasonKind, Value, compare_mixed};
use std::cmp::Ordering;

/// A number of either kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number {
    Int(i64),
    Double(f64),
}

pub(crate) static OVERFLOW: Reason<'static> =
    Reason { text: "the whole number does not fit 64 bits", kind: ReasonKind::Arithmetic };
pub(crate) static NOT_FINITE: Reason<'static> =
    Reason { text: "the number is too large", kind: ReasonKind::Arithmetic };
pub(crate) static DIVISION_BY_ZERO: Reason<'static> = Reason { text: "division by zero", kind: ReasonKind::Arithmetic };

impl Number {
    pub(crate) fn of(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Int(value) => Some(Self::Int(value)),
            Value::Double(value) => Some(Self::Double(value)),
            _ => None,
        }
    }

    pub(crate) fn value<'a>(self) -> Value<'a> {
        match self {
            Self::Int(value) => Value::Int(value),
            Self::Double(value) => double(value),
        }
    }

    pub(crate) fn as_f64(self) -> f64 {
        match self {
            Self::Int(value) => value as f64,
            Self::Double(value) => value,
        }
    }

    /// By exact value.
    pub(crate) fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => left.cmp(&right),
            (Self::Int(left), Self::Double(right)) => compare_mixed(left, right),
            (Self::Double(left), Self::Int(right)) => compare_mixed(right, left).reverse(),
            // Both are finite, so this is never `None`.
            (Self::Double(left), Self::Double(right)) => left.partial_cmp(&right).unwrap_or(Ordering::Equal),
        }
    }

    /// By exact value; of equals the whole number first, so that an order of values is one order.
    pub(crate) fn order(self, other: Self) -> Ordering {
        let kind = |number: Self| matches!(number, Self::Double(_));
        self.compare(other).then(kind(self).cmp(&kind(other)))
    }

    pub(crate) fn add<'a>(self, other: Self) -> Value<'a> {
        self.calculate(other, i64::checked_add, |left, right| left + right)
    }

    pub(crate) fn subtract<'a>(self, other: Self) -> Value<'a> {
        self.calculate(other, i64::checked_sub, |left, right| left - right)
    }

    pub(crate) fn multiply<'a>(self, other: Self) -> Value<'a> {
        self.calculate(other, i64::checked_mul, |left, right| left * right)
    }

    /// Never truncates: 7 / 2 is 3.5.
    pub(crate) fn divide<'a>(self, other: Self) -> Value<'a> {
        let by = other.as_f64();
        if by == 0.0 { Value::Unknown(&DIVISION_BY_ZERO) } else { double(self.as_f64() / by) }
    }

    pub(crate) fn negate<'a>(self) -> Value<'a> {
        match self {
            Self::Int(value) => int(value.checked_neg()),
            Self::Double(value) => double(-value),
        }
    }

    pub(crate) fn magnitude<'a>(self) -> Value<'a> {
        match self {
            Self::Int(value) => int(value.checked_abs()),
            Self::Double(value) => double(value.abs()),
        }
    }

    /// A whole number by a rule of rounding.
    pub(crate) fn to_whole<'a>(self, round: fn(f64) -> f64) -> Value<'a> {
        match self {
            Self::Int(value) => Value::Int(value),
            Self::Double(value) => {
                let whole = round(value);
                // The bounds are powers of two, which doubles hold exactly. The lower one would fit; as in CEL it is
                // refused, for it may as well stand for what is below it.
                if whole.abs() < 9_223_372_036_854_775_808.0 {
                    Value::Int(whole as i64)
                } else {
                    Value::Unknown(&OVERFLOW)
                }
            }
        }
    }

    fn calculate<'a>(self, other: Self, whole: fn(i64, i64) -> Option<i64>, real: fn(f64, f64) -> f64) -> Value<'a> {
        match (self, other) {
            (Self::Int(left), Self::Int(right)) => int(whole(left, right)),
            _ => double(real(self.as_f64(), other.as_f64())),
        }
    }
}

pub(crate) fn int<'a>(value: Option<i64>) -> Value<'a> {
    value.map_or(Value::Unknown(&OVERFLOW), Value::Int)
}

pub(crate) fn double<'a>(value: f64) -> Value<'a> {
    Value::double(value).unwrap_or(Value::Unknown(&NOT_FINITE))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: Value<'_>) -> String {
        match value {
            Value::Int(value) => format!("{value}"),
            Value::Double(value) => format!("{value:?}"),
            Value::Unknown(reason) => reason.text.to_owned(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn what_has_no_result_is_unknown() {
        let (int, double) = (Number::Int, Number::Double);
        for (value, expected) in [
            (int(2).add(int(3)), "5"),
            (int(2).add(double(0.5)), "2.5"),
            (int(i64::MAX).add(int(1)), OVERFLOW.text),
            (int(i64::MIN).negate(), OVERFLOW.text),
            (int(i64::MIN).magnitude(), OVERFLOW.text),
            (double(1e300).multiply(double(1e300)), NOT_FINITE.text),
            (int(7).divide(int(2)), "3.5"),
            (int(6).divide(int(2)), "3.0"),
            (int(1).divide(int(0)), DIVISION_BY_ZERO.text),
            (double(0.0).divide(double(0.0)), DIVISION_BY_ZERO.text),
            (double(0.0).negate(), "0.0"),
            (double(2.5).to_whole(f64::round), "3"),
            (double(-2.5).to_whole(f64::round), "-3"),
            (double(-2.5).to_whole(f64::trunc), "-2"),
            (double(1e19).to_whole(f64::floor), OVERFLOW.text),
            (double(-9_223_372_036_854_775_808.0).to_whole(f64::floor), OVERFLOW.text),
        ] {
            assert_eq!(shown(value), expected);
        }
    }

    #[test]
    fn a_tenth_of_a_capacity_is_ten_percent() {
        // 384 GB of cache for 3 840 GB: the quotient and the literal are the same double.
        let quotient = Number::Int(384_000_000_000).divide(Number::Int(3_840_000_000_000));
        assert!(matches!(quotient, Value::Double(value) if value == 0.1));
    }
}
