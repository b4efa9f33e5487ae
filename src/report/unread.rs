//! How much of a machine could not be read, and why.
//!
//! Counts facts, not errors: one refused file can leave twelve facts unknown. A fact that the collecting version did
//! not know is not in the file at all and is not counted; a check that needs it says so.

use crate::inventory::Inventory;
use crate::reading::ErrorKind;
use crate::words::counted;
use serde_json::Value;
use std::collections::BTreeMap;

/// Facts that could not be read, by kind of failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Most first, then in the order of the kinds.
    pub by_kind: Vec<(ErrorKind, usize)>,
    /// Lists that may lack entries.
    pub partial_lists: usize,
}

impl Unread {
    /// Counts what an inventory could not tell.
    #[must_use]
    pub fn of(inventory: &Inventory) -> Self {
        let mut by_kind = BTreeMap::new();
        let mut partial_lists = 0;
        let mut note = |error: Option<u64>| {
            let kind = error
                .and_then(|index| usize::try_from(index).ok())
                .and_then(|index| inventory.errors.get(index))
                .map_or(ErrorKind::NotCollected, |error| error.kind);
            *by_kind.entry(kind).or_insert(0) += 1;
        };
        // The JSON has one shape for every unreadable fact, so that no list of fields is kept here.
        for whole in [serde_json::to_value(&inventory.node), serde_json::to_value(&inventory.collected_at)] {
            match whole {
                Ok(value) => walk(&value, &mut note, &mut partial_lists),
                Err(_) => note(None),
            }
        }
        let mut by_kind: Vec<(ErrorKind, usize)> = by_kind.into_iter().collect();
        by_kind.sort_by(|left, right| right.1.cmp(&left.1).then(left.0.cmp(&right.0)));
        Self { by_kind, partial_lists }
    }

    /// How many facts could not be read.
    #[must_use]
    pub fn facts(&self) -> usize {
        self.by_kind.iter().map(|(_, facts)| facts).sum()
    }

    /// In words; `None` if everything was read. `root` tells whether the user that asked was root.
    #[must_use]
    pub fn words(&self, root: Option<bool>) -> Option<String> {
        let mut words = Vec::new();
        if self.facts() > 0 {
            let reasons: Vec<String> =
                self.by_kind.iter().map(|(kind, facts)| format!("{facts} {}", phrase(*kind, root))).collect();
            words.push(format!("{} could not be read: {}", counted(self.facts(), "fact"), reasons.join(", ")));
        }
        if self.partial_lists > 0 {
            words.push(format!("{} may lack entries", counted(self.partial_lists, "list")));
        }
        (!words.is_empty()).then(|| words.join("; "))
    }
}

fn walk(value: &Value, note: &mut dyn FnMut(Option<u64>), partial_lists: &mut usize) {
    match value {
        Value::Object(map) => match map.get("unreadable") {
            Some(error) if map.len() == 1 => note(error.as_u64()),
            _ => {
                *partial_lists += usize::from(map.get("partial").is_some_and(Value::is_array));
                map.values().for_each(|value| walk(value, note, partial_lists));
            }
        },
        Value::Array(items) => items.iter().for_each(|value| walk(value, note, partial_lists)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The word of the inventory's `errors` for a kind.
#[must_use]
pub fn word(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::NotFound => "not-found",
        ErrorKind::PermissionDenied => "permission-denied",
        ErrorKind::NotInCapture => "not-in-capture",
        ErrorKind::TimedOut => "timed-out",
        ErrorKind::TooLarge => "too-large",
        ErrorKind::ToolMissing => "tool-missing",
        ErrorKind::ToolFailed => "tool-failed",
        ErrorKind::NotSupported => "not-supported",
        ErrorKind::Io => "io",
        ErrorKind::Malformed => "malformed",
        ErrorKind::Conflict => "conflict",
        ErrorKind::NotCollected => "not-collected",
    }
}

fn phrase(kind: ErrorKind, root: Option<bool>) -> &'static str {
    match kind {
        ErrorKind::NotFound => "not told by this kernel",
        ErrorKind::PermissionDenied if root == Some(true) => "refused even to root",
        ErrorKind::PermissionDenied => "need root",
        ErrorKind::NotInCapture => "not in the capture",
        ErrorKind::TimedOut => "not answered in time",
        ErrorKind::TooLarge => "too large",
        ErrorKind::ToolMissing => "need a tool that is not installed",
        ErrorKind::ToolFailed => "for a tool that failed",
        ErrorKind::NotSupported => "not offered by kernel or driver",
        ErrorKind::Io => "for failed input or output",
        ErrorKind::Malformed => "not understood",
        ErrorKind::Conflict => "told differently by two places",
        ErrorKind::NotCollected => "not collected by that version",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(node: Value) -> Inventory {
        serde_json::from_value(serde_json::json!({
            "schema": crate::inventory::SCHEMA, "version": "1.2.3", "collected_at": null, "node": node, "sources": [],
            "errors": [
                {"operation": "read /a", "kind": "permission-denied", "cause": "permission denied"},
                {"operation": "read /b", "kind": "not-in-capture", "cause": "not in the capture"}
            ]
        }))
        .unwrap()
    }

    #[test]
    fn facts_are_counted_by_reason() {
        let unread = Unread::of(&inventory(serde_json::json!({
            "hostname": {"unreadable": 1},
            "system": {"serial": {"unreadable": 0}, "uuid": {"unreadable": 0}, "vendor": "v", "sku": null},
            "drives": {"items": [{"serial": {"unreadable": 0}}, {"serial": "s"}], "partial": [0, 1]},
            "numa_nodes": {"unreadable": 1}
        })));
        assert_eq!(unread.by_kind, [(ErrorKind::PermissionDenied, 3), (ErrorKind::NotInCapture, 2)]);
        assert_eq!(unread.partial_lists, 1);
        assert_eq!(
            unread.words(Some(false)).unwrap(),
            "5 facts could not be read: 3 need root, 2 not in the capture; 1 list may lack entries"
        );
        assert!(unread.words(Some(true)).unwrap().contains("3 refused even to root"));
        assert_eq!(Unread::of(&inventory(serde_json::json!({"hostname": "n"}))).words(None), None);
    }

    #[test]
    fn the_words_are_those_of_the_inventory() {
        for kind in [
            ErrorKind::NotFound,
            ErrorKind::PermissionDenied,
            ErrorKind::NotInCapture,
            ErrorKind::TimedOut,
            ErrorKind::TooLarge,
            ErrorKind::ToolMissing,
            ErrorKind::ToolFailed,
            ErrorKind::NotSupported,
            ErrorKind::Io,
            ErrorKind::Malformed,
            ErrorKind::Conflict,
            ErrorKind::NotCollected,
        ] {
            assert_eq!(serde_json::to_value(kind).unwrap(), word(kind));
        }
    }
}
