//! Values as a person reads them, with their units.

use super::types::Type;
use crate::units::Dimension;
use crate::view::Value;
use std::fmt::Write as _;

/// As many elements of a list are shown.
const ELEMENTS: usize = 20;
/// As many characters of a text are shown.
const CHARACTERS: usize = 200;

/// A value in a message: "3.84 TB", "absent", "unknown (permission denied)". Text of any length is cut, and stands as it
/// is: whoever prints it escapes it.
#[must_use]
pub fn shown(value: Value<'_>, ty: &Type) -> String {
    match value {
        Value::Absent => "absent".to_owned(),
        Value::Unknown(reason) => format!("unknown ({})", cut(reason.text)),
        Value::Text(text) => cut(text),
        Value::List(items) => list(items, ty),
        Value::Partial(partial) => {
            let items = list(partial.items, ty);
            let separator = if partial.items.is_empty() { "" } else { " " };
            match partial.unknown {
                Some(reason) => format!("{items}{separator}(and perhaps more: {})", cut(reason.text)),
                None => format!("{items}{separator}(others are absent)"),
            }
        }
        Value::Low(low) => shown(low.value, ty),
        Value::Record(fields) => {
            let named =
                ["name", "id", "serial", "key"].iter().find_map(|name| match Value::Record(fields).field(name) {
                    Some(Value::Text(text)) => Some(cut(text)),
                    _ => None,
                });
            named.unwrap_or_else(|| "a record".to_owned())
        }
        value => text(value, ty),
    }
}

fn list(items: &[Value<'_>], ty: &Type) -> String {
    let item_type = if let Type::List(item) = ty { item } else { &Type::Any };
    let mut out = items.iter().take(ELEMENTS).map(|item| shown(*item, item_type)).collect::<Vec<_>>().join(", ");
    if items.len() > ELEMENTS {
        let _ = write!(out, " and {} more", items.len() - ELEMENTS);
    }
    out
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A flag, a number or a text that is told, in full. Whole numbers without a unit keep every digit.
pub(crate) fn text(value: Value<'_>, ty: &Type) -> String {
    let dimension = ty.dimension().unwrap_or(Dimension::None);
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) if dimension == Dimension::None => value.to_string(),
        Value::Int(value) => dimension.display(value as f64),
        Value::Double(value) if dimension == Dimension::None => shortest(value),
        Value::Double(value) => dimension.display(value),
        Value::Text(text) => text.to_owned(),
        _ => String::new(),
    }
}

/// The shortest decimal number that is this double: without an exponent unless that is far shorter.
fn shortest(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-6..1e17).contains(&magnitude) { format!("{value:e}") } else { format!("{value}") }
}
