//! All that an inventory holds, as tables.
//!
//! Keeps no list of sections or fields: it walks the inventory's JSON beside its schema, which tells the units, so
//! that a section that is new is shown. Judges nothing.

use crate::inventory::Inventory;
use crate::reading::ReadError;
use crate::units::Dimension;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// One section of an inventory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sheet {
    /// The section, as in "nvme controllers".
    pub(super) title: String,
    /// What it says of all its entries; empty if nothing.
    pub(super) note: String,
    /// The names of the columns.
    pub(super) columns: Vec<String>,
    /// An entry each.
    pub(super) rows: Vec<Vec<String>>,
}

/// The schema of inventories, read once for all nodes.
pub(super) struct Schema(Value);

/// Fields that tell an entry from others stand first.
const FIRST: [&str; 12] =
    ["name", "id", "address", "locator", "level", "kind", "vendor", "model", "product", "serial", "firmware", "bytes"];
/// Within each other, as far as a value is spelled out.
const DEPTH: usize = 6;

impl Schema {
    /// The schema that belongs to this version's inventories.
    pub(super) fn new() -> Self {
        Self(serde_json::to_value(schemars::schema_for!(Inventory)).unwrap_or_default())
    }

    /// The sections of an inventory.
    pub(super) fn sheets(&self, inventory: &Inventory) -> Vec<Sheet> {
        let walk = Walk { schema: &self.0, errors: &inventory.errors };
        let Ok(Value::Object(node)) = serde_json::to_value(&inventory.node) else { return Vec::new() };
        let root = self.0.pointer("/$defs/Node");
        let mut sheets = Vec::new();
        walk.record("node", &node, root, &mut sheets);
        sheets
    }
}

struct Walk<'a> {
    schema: &'a Value,
    errors: &'a [ReadError],
}

impl<'a> Walk<'a> {
    /// What the schema offers in this place, references followed.
    fn offers(&self, schema: &'a Value) -> Vec<&'a Value> {
        let mut offers = Vec::new();
        let mut open = vec![(schema, 0)];
        while let Some((one, depth)) = open.pop() {
            if depth > DEPTH {
                continue;
            }
            offers.push(one);
            if let Some(name) = one.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#')) {
                open.extend(self.schema.pointer(name).map(|one| (one, depth + 1)));
            }
            open.extend(one.get("anyOf").and_then(Value::as_array).into_iter().flatten().map(|one| (one, depth + 1)));
        }
        offers
    }

    fn property(&self, schema: Option<&'a Value>, name: &str) -> Option<&'a Value> {
        self.offers(schema?).into_iter().find_map(|one| one.get("properties")?.get(name))
    }

    fn element(&self, schema: Option<&'a Value>) -> Option<&'a Value> {
        let offers = self.offers(schema?);
        offers
            .iter()
            .find_map(|one| one.get("items"))
            .or_else(|| offers.iter().find_map(|one| one.get("properties")?.get("items")?.get("items")))
    }

    fn dimension(&self, schema: Option<&'a Value>) -> Dimension {
        let names = schema.map(|schema| self.offers(schema)).unwrap_or_default();
        names
            .iter()
            .filter_map(|one| one.get("$ref")?.as_str()?.rsplit('/').next())
            .find_map(|name| match name {
                "Bytes" => Some(Dimension::Bytes),
                "BitsPerSec" => Some(Dimension::BitsPerSecond),
                "Hertz" => Some(Dimension::Hertz),
                "Seconds" => Some(Dimension::Seconds),
                "TransfersPerSec" => Some(Dimension::TransfersPerSecond),
                "Celsius" => Some(Dimension::Celsius),
                "Ratio" => Some(Dimension::Ratio),
                "Watts" => Some(Dimension::Watts),
                _ => None,
            })
            .unwrap_or(Dimension::None)
    }

    fn reason(&self, index: &Value) -> String {
        let error =
            index.as_u64().and_then(|index| usize::try_from(index).ok()).and_then(|index| self.errors.get(index));
        error.map_or_else(|| "not collected".to_owned(), |error| error.cause.clone())
    }

    /// A record as a table of two columns; the records and lists in it as tables of their own after it.
    fn record(&self, title: &str, record: &Map<String, Value>, schema: Option<&'a Value>, sheets: &mut Vec<Sheet>) {
        let mut sheet = Sheet {
            title: title.to_owned(),
            note: String::new(),
            columns: vec!["fact".to_owned(), "value".to_owned()],
            rows: Vec::new(),
        };
        let mut inner = Vec::new();
        for name in ordered(record.keys()) {
            let Some(value) = record.get(name) else { continue };
            let schema = self.property(schema, name);
            let title = if title == "node" { words(name) } else { format!("{title} {}", words(name)) };
            match list(value) {
                Some((items, reasons)) if items.iter().any(|item| item.is_object()) => {
                    inner.push(self.table(&title, items, reasons, self.element(schema)));
                }
                _ => match value {
                    Value::Object(record) if unreadable(value).is_none() && list(value).is_none() => {
                        self.record(&title, record, schema, &mut inner);
                    }
                    _ => sheet.rows.push(vec![words(name), self.value(value, schema, 0)]),
                },
            }
        }
        if !sheet.rows.is_empty() {
            sheets.push(sheet);
        }
        sheets.extend(inner);
    }

    /// A list of records. What all have in common is said once above, for a table of thirty columns is read by nobody.
    fn table(&self, title: &str, items: &[Value], reasons: &[Value], schema: Option<&'a Value>) -> Sheet {
        let names: BTreeSet<&String> =
            items.iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys).collect();
        let mut columns = Vec::new();
        let mut common = Vec::new();
        let mut rows: Vec<Vec<String>> = items.iter().map(|_| Vec::new()).collect();
        for name in ordered(names.into_iter()) {
            let schema = self.property(schema, name);
            let cells: Vec<String> = items
                .iter()
                .map(|item| item.get(name).map_or_else(|| "-".to_owned(), |value| self.value(value, schema, 0)))
                .collect();
            let equal = cells.iter().all(|cell| Some(cell) == cells.first());
            if let (true, true, Some(cell)) = (equal, items.len() > 1, cells.first()) {
                common.push(format!("{} {cell}", words(name)));
                continue;
            }
            columns.push(words(name));
            rows.iter_mut().zip(cells).for_each(|(row, cell)| row.push(cell));
        }
        if columns.is_empty() {
            rows.truncate(1);
        }
        let mut note = Vec::new();
        if !reasons.is_empty() {
            let reasons: Vec<String> = reasons.iter().map(|reason| self.reason(reason)).collect();
            note.push(format!("There may be more ({}).", reasons.join("; ")));
        }
        if !common.is_empty() {
            note.push(format!("All {}: {}.", items.len(), common.join(", ")));
        }
        Sheet { title: format!("{title} ({})", items.len()), note: note.join(" "), columns, rows }
    }

    fn value(&self, value: &Value, schema: Option<&'a Value>, depth: usize) -> String {
        if depth > DEPTH {
            return "...".to_owned();
        }
        if let Some(index) = unreadable(value) {
            return format!("unknown ({})", self.reason(index));
        }
        if let Some((items, reasons)) = list(value) {
            let element = self.element(schema);
            let mut text: Vec<String> = items.iter().map(|item| self.value(item, element, depth + 1)).collect();
            if text.is_empty() && reasons.is_empty() {
                return "none".to_owned();
            }
            text.extend(reasons.iter().map(|reason| format!("there may be more ({})", self.reason(reason))));
            let between = if items.iter().any(Value::is_object) { "; " } else { ", " };
            return text.join(between);
        }
        match value {
            Value::Null => "none".to_owned(),
            Value::Bool(true) => "yes".to_owned(),
            Value::Bool(false) => "no".to_owned(),
            Value::Number(number) => match (self.dimension(schema), number.as_f64()) {
                (Dimension::None, _) | (_, None) => number.to_string(),
                (dimension, Some(value)) => dimension.display(value),
            },
            Value::String(text) => text.clone(),
            Value::Array(_) => String::new(),
            Value::Object(record) => {
                let parts = ordered(record.keys()).into_iter().filter_map(|name| {
                    let value = self.value(record.get(name)?, self.property(schema, name), depth + 1);
                    Some(format!("{} {value}", words(name)))
                });
                parts.collect::<Vec<_>>().join(", ")
            }
        }
    }
}

fn unreadable(value: &Value) -> Option<&Value> {
    value.as_object().filter(|record| record.len() == 1)?.get("unreadable")
}

/// The elements of a list, and why it may lack some.
fn list(value: &Value) -> Option<(&[Value], &[Value])> {
    match value {
        Value::Array(items) => Some((items, &[])),
        Value::Object(record) if record.len() == 2 => {
            Some((record.get("items")?.as_array()?, record.get("partial")?.as_array()?))
        }
        _ => None,
    }
}

fn words(name: &str) -> String {
    name.replace('_', " ")
}

fn ordered<'n>(names: impl Iterator<Item = &'n String>) -> Vec<&'n String> {
    let mut names: Vec<&String> = names.collect();
    let place = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    names.sort_by(|left, right| place(left).cmp(&place(right)).then_with(|| left.cmp(right)));
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn units_come_from_the_schema_and_what_is_unknown_says_why() {
        let inventory: Inventory = serde_json::from_value(json!({
            "schema": crate::inventory::SCHEMA, "version": "1", "collected_at": null, "sources": [],
            "errors": [{"operation": "read /a", "kind": "permission-denied", "cause": "permission denied"}],
            "node": {
                "memory": {"total": 1_500_000_000_u64, "online": {"unreadable": 0}, "hugepages": null},
                "drives": {"items": [
                    {"name": "sda", "bytes": 480_103_981_056_u64, "media": "ssd"},
                    {"name": "sdb", "bytes": 4_000_000_000_000_u64, "media": "ssd"}
                ], "partial": [0]}
            }
        }))
        .unwrap();
        let sheets = Schema::new().sheets(&inventory);
        let memory = sheets.iter().find(|sheet| sheet.title == "memory").unwrap();
        let of = |name: &str| memory.rows.iter().find(|row| row[0] == name).unwrap()[1].clone();
        assert_eq!(of("total"), "1.5 GB");
        assert_eq!(of("online"), "unknown (permission denied)");
        assert_eq!(of("hugepages"), "none");
        let drives = sheets.iter().find(|sheet| sheet.title == "drives (2)").unwrap();
        assert_eq!(drives.columns, ["name", "bytes"]);
        assert_eq!(drives.rows, [["sda", "480.104 GB"], ["sdb", "4 TB"]]);
        assert!(drives.note.starts_with("There may be more (permission denied). All 2: "), "{}", drives.note);
        assert!(drives.note.contains("media ssd"), "{}", drives.note);
    }
}
