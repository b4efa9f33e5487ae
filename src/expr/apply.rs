//! Calls of functions that take values as they are: size, texts, numbers, conversions.

use super::eval::{Evaluated, Machine, mismatch, worse};
use super::functions::Function;
use super::number::Number;
use super::op::Op;
use super::trace::Observer;
use crate::view::{ReasonKind, Value};

/// As much of a text is told in a reason.
const TOLD: usize = 40;

impl<'a, O: Observer<'a>> Machine<'a, O> {
    pub(crate) fn apply(&mut self, function: Function, ops: &'a [Op]) -> Evaluated<'a> {
        match ops {
            [only] => {
                let value = self.eval(only)?;
                self.apply_one(function, value)
            }
            [first, second] if !matches!(function, Function::Min | Function::Max) => {
                let (first, second) = (self.eval(first)?, self.eval(second)?);
                self.apply_two(function, first, second)
            }
            several => {
                let values = self.room(several.len())?;
                for (place, op) in values.iter_mut().zip(several) {
                    *place = self.eval(op)?;
                }
                self.extreme(function, values)
            }
        }
    }

    fn apply_one(&mut self, function: Function, value: Value<'a>) -> Evaluated<'a> {
        match (function, value) {
            (
                Function::Sum | Function::Min | Function::Max | Function::Median | Function::Mean,
                Value::List(_) | Value::Partial(_),
            ) => return self.aggregate(function, value),
            (Function::Min | Function::Max, Value::Int(_) | Value::Double(_)) => return Ok(value),
            (Function::Sort, Value::List(_) | Value::Partial(_)) => return self.sort(value),
            (Function::Distinct, Value::List(_) | Value::Partial(_)) => return self.distinct(value),
            _ => {}
        }
        Ok(match (function, value) {
            (_, Value::Unknown(_) | Value::Absent) => value,
            (Function::Size, Value::List(items)) => Value::Int(items.len() as i64),
            (Function::Size, Value::Partial(partial)) => partial.gap(),
            (Function::Size, Value::Text(text)) => {
                self.step(text.len() / 8)?;
                Value::Int(text.chars().count() as i64)
            }
            (Function::LowerAscii, Value::Text(text)) => {
                self.charge(text.len())?;
                return self.text(&text.to_ascii_lowercase());
            }
            (Function::UpperAscii, Value::Text(text)) => {
                self.charge(text.len())?;
                return self.text(&text.to_ascii_uppercase());
            }
            (Function::Trim, Value::Text(text)) => Value::Text(text.trim()),
            (Function::Int, Value::Text(text)) => match text.trim().parse::<i64>() {
                Ok(value) => Value::Int(value),
                Err(_) => return self.no_number(text, "whole number"),
            },
            (Function::Double, Value::Text(text)) => match decimal(text.trim()) {
                Some(value) => Value::double(value).unwrap_or_else(mismatch),
                None => return self.no_number(text, "number"),
            },
            (_, value) => match Number::of(value) {
                None => mismatch(),
                Some(number) => match function {
                    Function::Abs => number.magnitude(),
                    Function::Round => number.to_whole(f64::round),
                    Function::Floor => number.to_whole(f64::floor),
                    Function::Ceil => number.to_whole(f64::ceil),
                    Function::Int => number.to_whole(f64::trunc),
                    Function::Double => Number::Double(number.as_f64()).value(),
                    Function::BitsPerSecond => number.multiply(Number::Int(8)),
                    Function::BytesPerSecond => number.divide(Number::Int(8)),
                    _ => mismatch(),
                },
            },
        })
    }

    fn no_number(&mut self, text: &str, what: &str) -> Evaluated<'a> {
        let short: String = text.chars().take(TOLD).collect();
        self.unknown(ReasonKind::Conversion, &format!("\"{short}\" is no {what}"))
    }

    fn apply_two(&mut self, function: Function, first: Value<'a>, second: Value<'a>) -> Evaluated<'a> {
        if function == Function::Join {
            return self.join(first, second);
        }
        if let (Function::Counted, Value::Int(count), Value::Text(one)) = (function, first, second) {
            self.charge(one.len())?;
            return self.text(&crate::words::counted(count, one));
        }
        let (Value::Text(text), Value::Text(part)) = (first, second) else { return Ok(worse(first, second)) };
        self.step(text.len() / 8)?;
        Ok(match function {
            Function::StartsWith => Value::Bool(text.starts_with(part)),
            Function::EndsWith => Value::Bool(text.ends_with(part)),
            Function::Contains => Value::Bool(text.contains(part)),
            _ => mismatch(),
        })
    }
}

/// A decimal number with digits on at least one side of its point: not "inf", not "nan".
fn decimal(text: &str) -> Option<f64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    text.parse().ok().filter(|value: &f64| plain && value.is_finite())
}
