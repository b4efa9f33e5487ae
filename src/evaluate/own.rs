//! Values that outlive the arena of their node: what is kept of each node to compare it with the others.
//!
//! Texts that recur (models, firmware revisions, paths, messages) are kept once for all nodes.

use crate::view::{Partial, Reason, ReasonKind, Value, with_fields};
use bumpalo::Bump;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts kept once.
#[derive(Default)]
pub(crate) struct Texts {
    known: Mutex<BTreeSet<Arc<str>>>,
}

impl Texts {
    pub(crate) fn keep(&self, text: &str) -> Arc<str> {
        // A thread that panicked while it held the lock left the set whole.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = known.get(text) {
            return Arc::clone(text);
        }
        let text: Arc<str> = text.into();
        known.insert(Arc::clone(&text));
        text
    }
}

/// Why something is not known, kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Why {
    pub(crate) text: Arc<str>,
    pub(crate) kind: ReasonKind,
}

impl Why {
    pub(crate) fn of(reason: &Reason<'_>, texts: &Texts) -> Self {
        Self::new(reason.kind, reason.text, texts)
    }

    /// Which error of its inventory it was is not kept: the inventory is no longer at hand.
    pub(crate) fn new(kind: ReasonKind, text: &str, texts: &Texts) -> Self {
        let kind = match kind {
            ReasonKind::Read { kind, .. } => ReasonKind::Read { kind, error: None },
            other => other,
        };
        Self { text: texts.keep(text), kind }
    }

    fn in_arena<'a>(&'a self, arena: &'a Bump) -> &'a Reason<'a> {
        arena.alloc(Reason { text: &self.text, kind: self.kind })
    }
}

/// A value of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Own {
    Absent,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Arc<str>),
    List(Vec<Own>),
    Partial(Vec<Own>, Option<Why>, bool),
    Record(Vec<(Arc<str>, Own)>),
    Unknown(Why),
    Low(Box<Own>, Arc<str>),
}

impl Own {
    pub(crate) fn of(value: Value<'_>, texts: &Texts) -> Self {
        let list = |items: &[Value<'_>]| items.iter().map(|item| Self::of(*item, texts)).collect();
        match value {
            Value::Absent => Self::Absent,
            Value::Bool(value) => Self::Bool(value),
            Value::Int(value) => Self::Int(value),
            Value::Double(value) => Self::Double(value),
            Value::Text(text) => Self::Text(texts.keep(text)),
            Value::List(items) => Self::List(list(items)),
            Value::Partial(partial) => {
                Self::Partial(list(partial.items), partial.unknown.map(|reason| Why::of(reason, texts)), partial.absent)
            }
            Value::Record(fields) => Self::Record(
                fields
                    .iter()
                    .filter(|(name, _)| !name.is_empty() && *name != "sources")
                    .map(|(name, value)| (texts.keep(name), Self::of(*value, texts)))
                    .collect(),
            ),
            Value::Unknown(reason) => Self::Unknown(Why::of(reason, texts)),
            Value::Low(low) => Self::Low(Box::new(Self::of(low.value, texts)), texts.keep(low.reason.text)),
        }
    }

    pub(crate) fn in_arena<'a>(&'a self, arena: &'a Bump) -> Value<'a> {
        let list = |items: &'a [Own]| arena.alloc_slice_fill_iter(items.iter().map(|item| item.in_arena(arena)));
        match self {
            Self::Absent => Value::Absent,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => Value::Int(*value),
            Self::Double(value) => Value::Double(*value),
            Self::Text(text) => Value::Text(text),
            Self::List(items) => Value::List(list(items)),
            Self::Partial(items, unknown, absent) => Value::Partial(arena.alloc(Partial {
                items: list(items),
                unknown: unknown.as_ref().map(|why| why.in_arena(arena)),
                absent: *absent,
            })),
            Self::Record(fields) => {
                let fields: Vec<(&str, Value<'a>)> =
                    fields.iter().map(|(name, value)| (name.as_ref(), value.in_arena(arena))).collect();
                with_fields(Value::record(&[], arena), &fields, arena)
            }
            Self::Unknown(why) => Value::Unknown(why.in_arena(arena)),
            Self::Low(value, text) => Value::low(value.in_arena(arena), text, arena),
        }
    }

    /// The value without what says that it is of low confidence.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Low(value, _) => value.plain(),
            other => other,
        }
    }

    /// Why it is not known, if any part of it is not.
    pub(crate) fn unknown(&self) -> Option<&Why> {
        match self {
            Self::Unknown(reason) => Some(reason),
            Self::List(items) => items.iter().find_map(Self::unknown),
            Self::Partial(_, Some(reason), _) => Some(reason),
            Self::Partial(items, None, _) => items.iter().find_map(Self::unknown),
            Self::Record(fields) => fields.iter().find_map(|(_, value)| value.unknown()),
            Self::Low(value, _) => value.unknown(),
            _ => None,
        }
    }

    /// Whether it, or a part of it, is absent.
    pub(crate) fn is_absent(&self) -> bool {
        match self {
            Self::Absent => true,
            Self::List(items) => items.iter().any(Self::is_absent),
            Self::Partial(items, _, absent) => *absent || items.iter().any(Self::is_absent),
            Self::Low(value, _) => value.is_absent(),
            _ => false,
        }
    }

    /// As a text by which equal values are told equal and by which they are ordered; numbers by their exact value.
    pub(crate) fn key(&self) -> String {
        match self.plain() {
            Self::Absent => "-".to_owned(),
            Self::Bool(value) => format!("b{value}"),
            Self::Int(value) => format!("n{value}"),
            Self::Double(value) if value.fract() == 0.0 && value.abs() < 9e15 => format!("n{value:.0}"),
            Self::Double(value) => format!("n{value:e}"),
            Self::Text(text) => format!("t{}:{text}", text.len()),
            Self::List(items) | Self::Partial(items, ..) => {
                format!("[{}]", items.iter().map(Self::key).collect::<Vec<_>>().join(","))
            }
            Self::Record(fields) => {
                format!("{{{}}}", fields.iter().map(|(n, v)| format!("{n}={}", v.key())).collect::<Vec<_>>().join(","))
            }
            Self::Unknown(_) | Self::Low(..) => "?".to_owned(),
        }
    }
}
