//! A record as a check sees it: facts by name, each one read kept as evidence.

use super::finding::Evidence;
use super::truth::Truth;
use crate::inventory::Inventory;
use crate::reading::{ErrorId, Reading, Sources};
use crate::units::{Bytes, Hertz, Seconds};
use std::cell::RefCell;

/// The facts of one subject, with a memory of which were read.
pub struct Facts<'a> {
    inventory: &'a Inventory,
    path: String,
    sources: &'a Sources,
    evidence: RefCell<Vec<Evidence>>,
}

impl<'a> Facts<'a> {
    /// The facts of the record at `path` (`drives[3]`, or empty for the node).
    pub(crate) fn new(inventory: &'a Inventory, path: impl Into<String>, sources: &'a Sources) -> Self {
        Self { inventory, path: path.into(), sources, evidence: RefCell::new(Vec::new()) }
    }

    /// The facts of a record of the node, as "cpu"; its evidence joins by [`Facts::absorb`].
    pub(crate) fn node_record(&self, path: &str, sources: fn(&Inventory) -> &Sources) -> Self {
        Self::new(self.inventory, path, sources(self.inventory))
    }

    /// Takes over what an inner record was read for.
    pub(crate) fn absorb(&self, inner: Self) {
        for evidence in inner.evidence.into_inner() {
            self.keep(evidence);
        }
    }

    /// Asks a condition of a fact, and keeps the fact as evidence.
    pub fn test<T: Shown>(&self, field: &str, reading: &Reading<T>, condition: impl FnOnce(&T) -> bool) -> Truth {
        self.read(field, reading);
        match reading {
            Reading::Known(value) => condition(value).into(),
            Reading::Absent => Truth::Absent,
            Reading::Unreadable(id) => Truth::unknown(self.reason(*id)),
        }
    }

    /// A fact as a person reads it; kept as evidence.
    pub fn shown<T: Shown>(&self, field: &str, reading: &Reading<T>) -> String {
        self.read(field, reading).shown
    }

    fn read<T: Shown>(&self, field: &str, reading: &Reading<T>) -> Evidence {
        let (value, shown) = match reading {
            Reading::Known(value) => (value.json(), value.shown()),
            Reading::Absent => (serde_json::Value::Null, "absent".to_owned()),
            Reading::Unreadable(id) => (serde_json::Value::Null, format!("unknown ({})", self.reason(*id))),
        };
        let source = self.sources.get(field).and_then(|id| self.inventory.sources.get(id.0 as usize));
        let evidence = Evidence {
            fact: self.join(field),
            value,
            shown,
            unit: T::UNIT,
            source: source.cloned().unwrap_or_default(),
        };
        self.keep(evidence.clone());
        evidence
    }

    /// Why a fact of this inventory could not be told, in words.
    pub fn reason(&self, id: ErrorId) -> String {
        reason(self.inventory, id)
    }

    /// What was read, in the order of reading.
    pub(crate) fn into_evidence(self) -> Vec<Evidence> {
        self.evidence.into_inner()
    }

    fn keep(&self, evidence: Evidence) {
        let mut kept = self.evidence.borrow_mut();
        if !kept.iter().any(|known| known.fact == evidence.fact) {
            kept.push(evidence);
        }
    }

    fn join(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }
}

/// Why a fact could not be told, in words: the failed operation and its cause.
#[must_use]
pub fn reason(inventory: &Inventory, id: ErrorId) -> String {
    match inventory.errors.get(id.0 as usize) {
        Some(error) => error.to_string(),
        None => format!("not collected by version {}", inventory.version),
    }
}

/// A value that can be shown and put into evidence.
pub trait Shown {
    /// The base unit of a number; empty for others.
    const UNIT: &'static str = "";
    /// The value as JSON.
    fn json(&self) -> serde_json::Value;
    /// The value as a person reads it.
    fn shown(&self) -> String;
}

macro_rules! shown {
    ($($type:ty, $unit:expr, |$value:ident| $json:expr;)*) => {
        $(impl Shown for $type {
            const UNIT: &'static str = $unit;
            fn json(&self) -> serde_json::Value {
                let $value = self;
                ($json).into()
            }
            fn shown(&self) -> String {
                self.to_string()
            }
        })*
    };
}

shown! {
    bool, "", |value| *value;
    u64, "", |value| *value;
    String, "", |value| value.clone();
    Bytes, Bytes::DIMENSION.base_unit(), |value| value.0;
    Hertz, Hertz::DIMENSION.base_unit(), |value| value.0;
    Seconds, Seconds::DIMENSION.base_unit(), |value| value.0;
}

impl Shown for Vec<String> {
    fn json(&self) -> serde_json::Value {
        self.clone().into()
    }
    fn shown(&self) -> String {
        if self.is_empty() { "none".to_owned() } else { self.join(", ") }
    }
}

impl Shown for crate::inventory::Media {
    fn json(&self) -> serde_json::Value {
        self.word().into()
    }
    fn shown(&self) -> String {
        self.word().to_owned()
    }
}
