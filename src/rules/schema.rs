//! JSON Schemas of the formats as written, for editors: generated from `raw`.
//!
//! A schema says less than the loader: it knows keys, words and lengths, not expressions and not what belongs together.

use crate::rules::raw::case::RawCase;
use crate::rules::raw::check::RawCheck;
use crate::rules::raw::knowledge::RawKnowledge;
use crate::rules::raw::pack::RawPack;
use crate::rules::raw::site::RawSite;
use schemars::schema_for;
use serde_json::Value;

/// Every format by the name of its schema, as in `docs/schema/check.json`.
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
