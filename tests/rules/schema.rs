//! The JSON Schemas in `docs/schema` are those of the formats, and every built-in file is one that they allow.
//! `MUSTER_BLESS=1` writes them.

use super::{SIZE, SWAP, pack};
use passmuster::rules::builtin;
use passmuster::rules::schema;
use passmuster::rules::source::Source;
use serde_json::Value;
use std::path::PathBuf;

#[test]
fn the_documents_are_current() {
    for (name, schema) in schema::all() {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("docs/schema/{name}.v1.json"));
        let current = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("MUSTER_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &current).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(written == current, "{} is not current: run the tests with MUSTER_BLESS=1", path.display());
    }
}

fn validator(name: &str) -> jsonschema::Validator {
    jsonschema::validator_for(&schema::named(name).unwrap()).unwrap()
}

fn json(path: &str, text: &str) -> Value {
    schema::to_json(&std::sync::Arc::new(Source::new(path, text))).unwrap()
}

#[test]
fn right_files_are_valid_and_wrong_ones_are_not() {
    let check = validator("check");
    for text in [SIZE, SWAP] {
        let errors: Vec<String> = check.iter_errors(&json("x", text)).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new());
    }
    for (from, to) in [
        ("level: should", "level: shall"),
        ("why:", "wy:"),
        ("id: media.size", "id: Media Size"),
        ("for: drive", "for: [drive]"),
        ("480GB", "{ a: b }"),
        ("Small drives waste slots.", ""),
    ] {
        let wrong = SIZE.replacen(from, to, 1);
        assert!(!check.is_valid(&json("x", &wrong)), "{to}");
    }
    let packs = validator("pack");
    let demands = "match: null\nroles: { drive: [{ role: cache, when: 'true', because: x }] }\nchecks:\n  a.b: null\n  a.c: { level: must }\n  \
                   a.d: [{ when: 'x', params: { m: 10%, n: { value: 3, confidence: low } } }, {}]\n";
    let errors: Vec<String> =
        packs.iter_errors(&json("x", &pack("x", demands))).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    assert!(!packs.is_valid(&json("x", &pack("x", "checks: { a.b: [1] }\n"))));
    let site = "waivers: [{ check: a.b, scope: 'true', reason: x, owner: y, expires: 2027-01-01 }]\n";
    assert!(validator("site").is_valid(&json("x", site)));
    assert!(!validator("site").is_valid(&json("x", "waivers: [{ check: a.b }]\n")));
    let case = "- { name: x, facts: { root: true }, verdict: { node: pass }, message: x }\n";
    assert!(validator("cases").is_valid(&json("x", case)));
}

#[test]
fn every_built_in_file_is_valid() {
    let of = |path: &str| match path.split('/').collect::<Vec<_>>().as_slice() {
        ["checks", ..] => Some(validator("check")),
        ["rules", "knowledge", ..] => Some(validator("knowledge")),
        ["rules", "workloads", ..] => None,
        ["rules", ..] => Some(validator("pack")),
        _ => Some(validator("cases")),
    };
    for (path, text) in builtin::RULES.iter().chain(builtin::CASES) {
        if let Some(validator) = of(path) {
            let errors: Vec<String> =
                validator.iter_errors(&json(path, text)).map(|error| format!("{path}: {error}")).collect();
            assert_eq!(errors, Vec::<String>::new());
        }
    }
}
