//! The JSON Schemas in docs/schema are those of the types, and what the binary prints is valid under them.
//!
//! `MUSTER_BLESS=1 cargo test schemas` writes them anew.

use serde_json::{Value, json};
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/schema")
}

fn generated() -> [(&'static str, Value); 2] {
    let titled = |schema: schemars::Schema, title: &str| {
        let mut schema = schema.to_value();
        schema["title"] = json!(title);
        schema["properties"]["schema"]["const"] = json!(title);
        schema
    };
    [
        (
            "muster.report.v1.json",
            titled(schemars::schema_for!(passmuster::report::json::v1::Report), passmuster::report::json::v1::SCHEMA),
        ),
        (
            "muster.inventory.v1.json",
            titled(schemars::schema_for!(passmuster::inventory::Inventory), passmuster::inventory::SCHEMA),
        ),
    ]
}

/// A validator over the schema as it is published, for other tests.
pub(crate) fn validator(name: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_slice(&std::fs::read(folder().join(name)).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let bless = std::env::var_os("MUSTER_BLESS").is_some_and(|value| value == "1");
    for (name, schema) in generated() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = folder().join(name);
        if bless {
            std::fs::create_dir_all(folder()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(published == text, "docs/schema/{name} is out of date: MUSTER_BLESS=1 cargo test schemas");
    }
}

#[test]
fn the_schemas_refuse_what_is_wrong() {
    let report = validator("muster.report.v1.json");
    assert!(!report.is_valid(&json!({})));
    assert!(!report.is_valid(&json!({"schema": "muster.report/v2"})));
    let inventory = validator("muster.inventory.v1.json");
    let with = |node: Value| json!({"schema": "muster.inventory/v1", "version": "1", "collected_at": null, "node": node, "sources": [], "errors": []});
    for right in [
        json!({}),
        json!({"hostname": {"unreadable": 0}}),
        json!({"drives": [{"bytes": 5}]}),
        json!({"drives": {"items": [], "partial": [0]}}),
    ] {
        assert!(inventory.is_valid(&with(right.clone())), "{right}");
    }
    for wrong in [
        json!({"hostname": 5}),
        json!({"hostname": {"unreadable": "x"}}),
        json!({"drives": {"items": []}}),
        json!({"drives": {"items": [], "partial": []}}),
        json!({"drives": [{"transport": "pigeon"}]}),
    ] {
        assert!(!inventory.is_valid(&with(wrong.clone())), "{wrong}");
    }
    assert!(!inventory.is_valid(&json!({"schema": "muster.inventory/v9", "version": "1", "collected_at": null, "node": {}, "sources": [], "errors": []})));
}
