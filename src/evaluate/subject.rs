//! The things that a check is about, found in the facts of a node.

use super::node::NodeView;
use crate::rules::subject::Subject;
use crate::view::{Reason, ReasonKind, Value};

/// The things of one kind in a node.
pub(crate) struct Subjects<'a> {
    /// Those that could be read.
    pub(crate) items: &'a [Value<'a>],
    /// Why there may be more.
    pub(crate) gap: Option<&'a Reason<'a>>,
}

impl<'a> NodeView<'a> {
    /// The subjects of a check; the node itself is one.
    pub(crate) fn subjects(&self, subject: Subject) -> Subjects<'a> {
        if subject == Subject::NODE {
            return Subjects { items: self.arena.alloc_slice_copy(&[self.node]), gap: None };
        }
        let mut found = self.node;
        for step in subject.path() {
            found = match found {
                Value::Record(_) => found.field(step).unwrap_or(Value::Unknown(self.not_collected)),
                other => other,
            };
        }
        match found {
            Value::List(items) => Subjects { items, gap: None },
            Value::Partial(partial) => Subjects { items: partial.items, gap: partial.unknown },
            Value::Unknown(reason) => Subjects { items: &[], gap: Some(reason) },
            _ => {
                Subjects { items: &[], gap: Some(&Reason { text: "not a list of things", kind: ReasonKind::Mismatch }) }
            }
        }
    }
}

/// What tells a subject from its like, for a person: "drive sda (serial S1)", "node".
pub(crate) fn label(subject: Subject, value: Value<'_>) -> String {
    if subject == Subject::NODE {
        return subject.name().to_owned();
    }
    let text = |field: &str| match value.field(field) {
        Some(Value::Text(text)) => Some(text.to_owned()),
        Some(Value::Int(number)) => Some(number.to_string()),
        _ => None,
    };
    let name = ["name", "id", "locator", "address", "lower"].iter().find_map(|field| text(field));
    name_of(subject.name(), name.as_deref(), text("serial").as_deref())
}

/// What a subject is called, from its kind, its name and its serial number: "drive sda (serial S1)".
#[must_use]
pub fn name_of(kind: &str, name: Option<&str>, serial: Option<&str>) -> String {
    if kind == Subject::NODE.name() {
        return kind.to_owned();
    }
    let told = |text: &&str| !text.trim().is_empty();
    match (name.filter(told), serial.filter(told)) {
        (Some(name), Some(serial)) => format!("{kind} {name} (serial {serial})"),
        (Some(name), None) => format!("{kind} {name}"),
        (None, Some(serial)) => format!("{kind} serial {serial}"),
        (None, None) => format!("{kind} without name"),
    }
}

/// The kind of a subject, from what a finding calls it: "drive" of "drive sda (serial S1)" and of "every drive".
#[must_use]
pub fn kind_of(called: &str) -> &'static str {
    let word = called.split_whitespace().find(|word| *word != "every").unwrap_or_default();
    Subject::named(word).map_or("other", Subject::name)
}
