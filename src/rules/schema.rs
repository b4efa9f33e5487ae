//! JSON Schemas of the formats as written, for editors: generated from `raw`.
//!
//! A schema says less than the loader: it knows keys, words and lengths, not expressions and not what belongs together.

use crate::rules::diagnostic::Errors;
use crate::rules::raw::case::RawCase;
use crate::rules::raw::check::RawCheck;
use crate::rules::raw::knowledge::RawKnowledge;
use crate::rules::raw::pack::RawPack;
use crate::rules::raw::site::RawSite;
use crate::rules::scalar::{Scalar, Style};
use crate::rules::source::Source;
use crate::rules::tree::{self, Kind, Node};
use schemars::schema_for;
use serde_json::Value;
use std::sync::Arc;

/// Every format by the name of its schema, as in `docs/schema/check.v1.json`.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("cases", schema_for!(Vec<RawCase>).to_value()),
        ("check", schema_for!(RawCheck).to_value()),
        ("knowledge", schema_for!(RawKnowledge).to_value()),
        ("pack", schema_for!(RawPack).to_value()),
        ("site", schema_for!(RawSite).to_value()),
    ]
}

/// The schema of one format.
#[must_use]
pub fn named(name: &str) -> Option<Value> {
    all().into_iter().find(|(known, _)| *known == name).map(|(_, schema)| schema)
}

/// A file as JSON, as editors and validators see it: plain scalars by YAML's core schema (YAML 1.2.2, 10.3), others as
/// text. `None` if it is no YAML that is read here.
#[must_use]
pub fn to_json(source: &Arc<Source>) -> Option<Value> {
    let mut errors = Errors::default();
    let root = tree::parse(source, &mut errors)?;
    if errors.has_errors() {
        return None;
    }
    Some(json(&root))
}

fn json(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar(scalar) => plain(scalar).unwrap_or_else(|| Value::String(scalar.text.clone())),
        Kind::List(items) => Value::Array(items.iter().map(json).collect()),
        Kind::Map(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key.text.clone(), json(value))).collect())
        }
        Kind::Broken => Value::Null,
    }
}

/// What a plain scalar is, unless it is text.
fn plain(scalar: &Scalar) -> Option<Value> {
    if scalar.is_null() {
        return Some(Value::Null);
    }
    if scalar.style != Style::Plain {
        return None;
    }
    match scalar.text.as_str() {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        text if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') => serde_json::from_str(text).ok(),
        _ => None,
    }
}
