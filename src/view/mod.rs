//! Facts as a tree in an arena, which expressions read: small, copied freely, borrowed from one node's memory.
//!
//! Knows readings and how their JSON looks; knows no hardware. A node's tree is built in one pass from whatever
//! serde can serialize ([`write()`]); later layers add facts with [`with_fields`]. Quantities stand here as bare
//! numbers in base units: their dimension is known to the schema, not to the value.

mod paths;
mod write;

pub use paths::{Paths, Step};
pub use write::{ViewError, reasons, write};

use crate::reading::{ErrorId, ErrorKind, ReadError};
use bumpalo::Bump;
use std::cmp::Ordering;

/// A fact, or what an expression made of facts.
#[derive(Debug, Clone, Copy)]
pub enum Value<'a> {
    /// The machine says that it has none.
    Absent,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number; always finite, never minus zero.
    Double(f64),
    /// Text, or one word of an enumerated fact.
    Text(&'a str),
    /// A list that is known to be whole.
    List(&'a [Value<'a>]),
    /// A list that may lack elements.
    Partial(&'a Partial<'a>),
    /// Fields by name, sorted.
    Record(Record<'a>),
    /// It could not be told.
    Unknown(&'a Reason<'a>),
    /// A fact of low confidence. Stands only as the value of a record's field; reading the field resolves it to the
    /// value, or to unknown where facts of low confidence are not trusted.
    Low(&'a Low<'a>),
}

const _: () = assert!(size_of::<Value<'_>>() == 24);

/// The fields of a record, sorted by name. Its address is its identity: [`Paths`] finds its place by it.
pub type Record<'a> = &'a [(&'a str, Value<'a>)];

/// A list of which elements may be missing, anywhere in it.
#[derive(Debug, Clone, Copy)]
pub struct Partial<'a> {
    /// The elements there are, in order.
    pub items: &'a [Value<'a>],
    /// Why it could not be told whether there are more.
    pub unknown: Option<&'a Reason<'a>>,
    /// Elements were left out because the fact that decides over them is absent.
    pub absent: bool,
}

impl<'a> Partial<'a> {
    /// What stands for anything that depends on the missing elements.
    #[must_use]
    pub fn gap(&self) -> Value<'a> {
        self.unknown.map_or(Value::Absent, Value::Unknown)
    }
}

/// A fact that rests on a guess or on a table of little authority.
#[derive(Debug, Clone, Copy)]
pub struct Low<'a> {
    /// The fact; not itself of low confidence.
    pub value: Value<'a>,
    /// Why it is of low confidence; the reason of the unknown that stands for it where it is not trusted.
    pub reason: &'a Reason<'a>,
}

/// Why a value is unknown. Ordered by text, so that of several the same one is always told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason<'a> {
    /// In words, as they stand in "unknown (...)".
    pub text: &'a str,
    /// What kind of reason.
    pub kind: ReasonKind,
}

/// What kind of reason makes a value unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReasonKind {
    /// The machine was asked and did not tell.
    Read {
        /// What failed.
        kind: ErrorKind,
        /// Where it stands in the inventory's `errors`, if it does.
        error: Option<ErrorId>,
    },
    /// The fact is of low confidence and such facts are not trusted now.
    LowConfidence,
    /// The knowledge base has no row that tells it, or rows that contradict each other.
    Knowledge,
    /// A calculation has no result: division by zero, a number too large.
    Arithmetic,
    /// The smallest, largest, middle or average of nothing.
    Empty,
    /// A position before the start of a list.
    Index,
    /// A text that is no number.
    Conversion,
    /// Two versions that have no order in the scheme named.
    Version,
    /// A value that is not of the type that the schema says.
    Mismatch,
    /// The fact that decides is absent, and what it decides is neither true nor false then.
    Absent,
    /// It was kept of a node whose facts are no longer at hand, or there was nothing to keep.
    Kept,
    /// The expression was stopped: it took more steps or memory than it may.
    Budget,
}

impl<'a> Reason<'a> {
    /// A failed question to the machine.
    #[must_use]
    pub fn of_error(error: &ReadError, id: ErrorId, arena: &'a Bump) -> Self {
        Self { text: arena.alloc_str(&error.to_string()), kind: ReasonKind::Read { kind: error.kind, error: Some(id) } }
    }

    /// The reason of facts that the version which read the machine does not know.
    #[must_use]
    pub fn not_collected(version: &str, arena: &'a Bump) -> Self {
        Self {
            text: arena.alloc_str(&format!("not collected by version {version}")),
            kind: ReasonKind::Read { kind: ErrorKind::NotCollected, error: None },
        }
    }

    /// Of two reasons the one that is told: the same whatever the order in which they were met.
    #[must_use]
    pub fn told(&'a self, other: &'a Self) -> &'a Self {
        if std::ptr::eq(self, other) || (self as &Reason<'_>) <= (other as &Reason<'_>) { self } else { other }
    }
}

impl<'a> Value<'a> {
    /// Whether it could not be told.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown(_))
    }

    /// The same number, finite and without a minus zero; `None` if it is not finite.
    #[must_use]
    pub fn double(value: f64) -> Option<Self> {
        value.is_finite().then_some(Self::Double(value + 0.0))
    }

    /// The value of a record's field; `None` if this is no record or has no such field.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<Value<'a>> {
        match self {
            Self::Record(fields) => find(fields, name, 0).copied(),
            _ => None,
        }
    }

    /// Follows field names and positions, as in `&["drives", "3", "bytes"]`.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<Value<'a>> {
        let mut value = *self;
        for step in path {
            value = match value.items() {
                Some(items) => items.get(step.parse::<usize>().ok()?).copied()?,
                None => value.field(step)?,
            };
        }
        Some(value)
    }

    /// The elements that there are; `None` if this is no list.
    #[must_use]
    pub fn items(&self) -> Option<&'a [Value<'a>]> {
        match self {
            Self::List(items) => Some(items),
            Self::Partial(partial) => Some(partial.items),
            _ => None,
        }
    }

    /// An unknown value.
    #[must_use]
    pub fn unknown(kind: ReasonKind, text: &str, arena: &'a Bump) -> Self {
        Self::Unknown(arena.alloc(Reason { text: arena.alloc_str(text), kind }))
    }

    /// A fact of low confidence.
    #[must_use]
    pub fn low(value: Value<'a>, reason: &str, arena: &'a Bump) -> Self {
        let value = if let Self::Low(low) = value { low.value } else { value };
        let reason = arena.alloc(Reason { text: arena.alloc_str(reason), kind: ReasonKind::LowConfidence });
        Self::Low(arena.alloc(Low { value, reason }))
    }

    /// A whole list.
    #[must_use]
    pub fn list(items: &[Value<'a>], arena: &'a Bump) -> Self {
        Self::List(arena.alloc_slice_copy(items))
    }

    /// A list that may lack elements for the reason named.
    #[must_use]
    pub fn partial(items: &[Value<'a>], unknown: &'a Reason<'a>, arena: &'a Bump) -> Self {
        Self::Partial(arena.alloc(Partial {
            items: arena.alloc_slice_copy(items),
            unknown: Some(unknown),
            absent: false,
        }))
    }

    /// A record of the fields named; of two of one name the later holds.
    #[must_use]
    pub fn record(fields: &[(&str, Value<'a>)], arena: &'a Bump) -> Self {
        with_fields(Self::Record(&[]), fields, arena)
    }
}

/// A record with fields added or replaced: how later layers add what they know of a thing. Anything but a record is
/// given back as it is: an unknown thing stays unknown.
#[must_use]
pub fn with_fields<'a>(record: Value<'a>, fields: &[(&str, Value<'a>)], arena: &'a Bump) -> Value<'a> {
    let Value::Record(old) = record else { return record };
    let mut all: Vec<(&'a str, Value<'a>)> = Vec::with_capacity(old.len() + fields.len());
    all.extend(old.iter().filter(|(name, _)| !name.is_empty() && fields.iter().all(|(new, _)| new != name)));
    for (place, (name, value)) in fields.iter().enumerate() {
        if !fields.iter().skip(place + 1).any(|(later, _)| later == name) {
            all.push((arena.alloc_str(name), *value));
        }
    }
    record_of(&mut all, arena)
}

/// A collection with each element replaced; what may be missing stays so. Anything but a list is given back as it is.
#[must_use]
pub(crate) fn map_items<'a>(
    list: Value<'a>,
    mut element: impl FnMut(Value<'a>) -> Value<'a>,
    arena: &'a Bump,
) -> Value<'a> {
    let Some(items) = list.items() else { return list };
    let items = arena.alloc_slice_fill_iter(items.iter().map(|item| element(*item)));
    match list {
        Value::Partial(partial) => Value::Partial(arena.alloc(Partial { items, ..*partial })),
        _ => Value::List(items),
    }
}

/// Sorts fields into a record. A record without fields gets one without a name, for its address is its identity and
/// an empty slice has none of its own.
fn record_of<'a>(fields: &mut [(&'a str, Value<'a>)], arena: &'a Bump) -> Value<'a> {
    if fields.is_empty() {
        return Value::Record(arena.alloc_slice_copy(&[("", Value::Absent)]));
    }
    let fields = arena.alloc_slice_copy(fields);
    fields.sort_unstable_by_key(|(name, _)| *name);
    Value::Record(fields)
}

/// Finds a field, looking first where it was expected.
pub(crate) fn find<'r, 'a>(fields: &'r [(&'a str, Value<'a>)], name: &str, expected: usize) -> Option<&'r Value<'a>> {
    if let Some((found, value)) = fields.get(expected)
        && *found == name
    {
        return Some(value);
    }
    let place = fields.binary_search_by(|(found, _)| (*found).cmp(name)).ok()?;
    fields.get(place).map(|(_, value)| value)
}

/// Compares a whole number with another number by their exact values; the latter is finite.
pub(crate) fn compare_mixed(whole: i64, other: f64) -> Ordering {
    /// 2 to the power 63, which a double holds exactly.
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    if other >= BOUND {
        return Ordering::Less;
    }
    if other < -BOUND {
        return Ordering::Greater;
    }
    let floor = other.floor();
    match whole.cmp(&(floor as i64)) {
        Ordering::Equal if other > floor => Ordering::Less,
        order => order,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_compare_exactly_with_others() {
        for (whole, other, expected) in [
            (3, 3.0, Ordering::Equal),
            (3, 3.5, Ordering::Less),
            (4, 3.5, Ordering::Greater),
            (-3, -3.5, Ordering::Greater),
            (-4, -3.5, Ordering::Less),
            // 2^53 + 1 has no double of its own: as doubles the two would be equal.
            (9_007_199_254_740_993, 9_007_199_254_740_992.0, Ordering::Greater),
            (i64::MAX, 9_223_372_036_854_775_808.0, Ordering::Less),
            (i64::MIN, -9_223_372_036_854_775_808.0, Ordering::Equal),
            (i64::MIN, -1e300, Ordering::Greater),
            (0, 5e-324, Ordering::Less),
        ] {
            assert_eq!(compare_mixed(whole, other), expected, "{whole} and {other}");
        }
    }

    #[test]
    fn later_layers_add_fields_and_unknown_things_stay_unknown() {
        let arena = Bump::new();
        let drive = Value::record(&[("name", Value::Text("sda")), ("bytes", Value::Int(5))], &arena);
        let drive = with_fields(drive, &[("role", Value::Text("cache")), ("bytes", Value::Int(6))], &arena);
        let Value::Record(fields) = drive else { panic!("{drive:?}") };
        assert_eq!(fields.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["bytes", "name", "role"]);
        assert!(matches!(drive.field("bytes"), Some(Value::Int(6))));
        let unknown = Value::unknown(ReasonKind::Empty, "why", &arena);
        assert!(with_fields(unknown, &[("role", Value::Absent)], &arena).is_unknown());
    }

    #[test]
    fn of_two_reasons_the_same_is_told_in_either_order() {
        let one = Reason { text: "b", kind: ReasonKind::Empty };
        let two = Reason { text: "a", kind: ReasonKind::Version };
        assert_eq!(one.told(&two).text, "a");
        assert_eq!(two.told(&one).text, "a");
    }
}
