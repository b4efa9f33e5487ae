//! A reading has three outcomes, and carries where it was read.
//!
//! Knows nothing of what is read: the facts are in [`crate::inventory`].

use crate::units::{self, Dimension};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Where a [`ReadError`] stands in the inventory's `errors`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ErrorId(pub u32);

impl ErrorId {
    /// The fact was not asked for: the file is of a version that does not know it. Such a field is
    /// left out of the JSON, as it was missing there.
    pub const NOT_COLLECTED: Self = Self(u32::MAX);
}

/// Where a source stands in the inventory's `sources`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct SourceId(pub u32);

/// What became of one question to the machine. Holds a leaf (number, text, flag, or a list of them), never a record.
///
/// In JSON: the bare value, `null`, or `{"unreadable": n}` with `n` an index into `errors`.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading<T> {
    /// It was read.
    Known(T),
    /// The machine says that it has none.
    Absent,
    /// It could not be told.
    Unreadable(ErrorId),
}

impl<T> Reading<T> {
    /// The value, if it was read.
    pub fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent | Self::Unreadable(_) => None,
        }
    }

    /// The same outcome with another value.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Known(value) => Reading::Known(f(value)),
            Self::Absent => Reading::Absent,
            Self::Unreadable(error) => Reading::Unreadable(error),
        }
    }
}

/// A collection of records: complete, or with the reasons why it may lack some.
///
/// In JSON: a bare array, `{"items": [...], "partial": [n, ...]}`, or `{"unreadable": n}`.
#[derive(Debug, Clone, PartialEq)]
pub enum Collection<T> {
    /// All there are.
    Complete(Vec<T>),
    /// Those that could be read; others may exist, for the reasons named.
    Partial {
        /// What could be read.
        items: Vec<T>,
        /// Why some may be missing; never empty.
        reasons: Vec<ErrorId>,
    },
    /// Not even their number could be told.
    Unreadable(ErrorId),
}

impl<T> Collection<T> {
    /// Complete if there is no reason to think otherwise, else partial.
    #[must_use]
    pub fn new(items: Vec<T>, mut reasons: Vec<ErrorId>) -> Self {
        reasons.sort_unstable();
        reasons.dedup();
        if reasons.is_empty() { Self::Complete(items) } else { Self::Partial { items, reasons } }
    }

    /// Those that could be read, taken out.
    pub(crate) fn into_items(self) -> Vec<T> {
        match self {
            Self::Complete(items) | Self::Partial { items, .. } => items,
            Self::Unreadable(_) => Vec::new(),
        }
    }

    /// What could be read.
    #[must_use]
    pub fn items(&self) -> &[T] {
        match self {
            Self::Complete(items) | Self::Partial { items, .. } => items,
            Self::Unreadable(_) => &[],
        }
    }

    /// The elements that there are, to be completed.
    pub(crate) fn items_mut(&mut self) -> &mut [T] {
        match self {
            Self::Complete(items) | Self::Partial { items, .. } => items,
            Self::Unreadable(_) => &mut [],
        }
    }

    /// Why elements may be missing; empty if complete.
    #[must_use]
    pub fn reasons(&self) -> &[ErrorId] {
        match self {
            Self::Complete(_) => &[],
            Self::Partial { reasons, .. } => reasons,
            Self::Unreadable(error) => std::slice::from_ref(error),
        }
    }
}

/// Why a fact could not be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ErrorKind {
    /// The file, device or answer does not exist, and that does not mean that the machine has none.
    NotFound,
    /// The user may not ask.
    PermissionDenied,
    /// A recording does not hold the answer.
    NotInCapture,
    /// No answer within the time limit.
    TimedOut,
    /// The answer is larger than the cap.
    TooLarge,
    /// The tool is not installed.
    ToolMissing,
    /// The tool ran and said that it failed.
    ToolFailed,
    /// The kernel or the driver does not offer the question.
    NotSupported,
    /// Input or output failed.
    Io,
    /// The answer is not what its format demands.
    Malformed,
    /// Two places tell different things.
    Conflict,
    /// The tool that wrote the inventory does not know the fact.
    NotCollected,
}

/// One question that was not answered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct ReadError {
    /// What was asked: the operation and the exact path or command, as in "read /sys/block/sda/size".
    pub operation: String,
    /// The kind of failure.
    pub kind: ErrorKind,
    /// The cause in words, without repeating the operation.
    pub cause: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot {}: {}", self.operation, self.cause)
    }
}

/// By field name of a record: where its value was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources(Vec<(Cow<'static, str>, SourceId)>);

impl Sources {
    /// Notes where the field was read. Kept sorted by name.
    pub fn set(&mut self, field: impl Into<Cow<'static, str>>, source: SourceId) {
        let field = field.into();
        // Files have them in order.
        if self.0.last().is_none_or(|(last, _)| *last < field) {
            self.0.push((field, source));
            return;
        }
        match self.0.binary_search_by(|(name, _)| name.cmp(&field)) {
            Ok(found) => {
                if let Some(slot) = self.0.get_mut(found) {
                    slot.1 = source;
                }
            }
            Err(place) => self.0.insert(place, (field, source)),
        }
    }

    /// Where the field was read, if that was noted.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<SourceId> {
        let found = self.0.binary_search_by(|(name, _)| name.as_ref().cmp(field)).ok()?;
        self.0.get(found).map(|(_, source)| *source)
    }

    /// Notes all that another holds.
    pub fn extend(&mut self, other: &Self) {
        other.0.iter().for_each(|(field, source)| self.set(field.clone(), *source));
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The type of a fact, as expressions and generated documents see it.
#[derive(Debug, Clone, PartialEq)]
pub enum FactType {
    /// True or false.
    Bool,
    /// A whole number without a unit.
    Int,
    /// A number with or without a unit; whole numbers of a quantity are of this type too.
    Quantity(Dimension),
    /// Text.
    Text,
    /// One of the listed words.
    Enum(&'static [&'static str]),
    /// A list of leaves.
    List(Box<FactType>),
    /// A collection of records, which may be partial.
    Collection(&'static RecordType),
    /// A record in its place.
    Record(&'static RecordType),
}

/// The shape of a record: its fields in order.
#[derive(Debug)]
pub struct RecordType {
    /// The Rust name, as in "Drive".
    pub name: &'static str,
    /// What the record is.
    pub doc: &'static str,
    /// The fields, without `sources`. A function, for records may refer to each other.
    pub fields: fn() -> Vec<FieldType>,
}

impl PartialEq for RecordType {
    /// Record names are unique.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// One field of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldType {
    /// The name in Rust, in JSON and in expressions.
    pub name: &'static str,
    /// The doc comment: meaning, unit, source, and what a missing file means.
    pub doc: &'static str,
    /// The type.
    pub fact: FactType,
}

/// A leaf that a [`Reading`] can hold.
pub trait Leaf {
    /// Its type.
    fn leaf_type() -> FactType;
}

/// A record made by `record!`.
pub trait Record {
    /// Its shape.
    fn record_type() -> &'static RecordType;
    /// Rewrites every error and source index, as when ledgers of sections are joined.
    fn renumber(&mut self, ids: &Renumber<'_>);
}

/// A field of a record.
pub trait Fact: Default {
    /// Its type.
    fn fact_type() -> FactType;
    /// Whether the field is left out of the JSON.
    fn is_not_collected(&self) -> bool;
    /// Rewrites every error and source index.
    fn renumber(&mut self, ids: &Renumber<'_>);
}

impl<T> Default for Reading<T> {
    /// Not collected: what serde gives a field that a file lacks.
    fn default() -> Self {
        Self::Unreadable(ErrorId::NOT_COLLECTED)
    }
}

impl<T> Default for Collection<T> {
    /// Not collected: what serde gives a field that a file lacks.
    fn default() -> Self {
        Self::Unreadable(ErrorId::NOT_COLLECTED)
    }
}

/// How indexes move when the ledger of one section is appended to another.
pub struct Renumber<'a> {
    /// New error index by old.
    pub errors: &'a [ErrorId],
    /// New source index by old.
    pub sources: &'a [SourceId],
}

impl Renumber<'_> {
    fn error(&self, id: &mut ErrorId) {
        if let Some(new) = self.errors.get(id.0 as usize) {
            *id = *new;
        }
    }

    /// Rewrites the source indexes of one record.
    pub fn record_sources(&self, sources: &mut Sources) {
        for (_, id) in &mut sources.0 {
            if let Some(new) = self.sources.get(id.0 as usize) {
                *id = *new;
            }
        }
    }
}

impl<T: Leaf> Fact for Reading<T> {
    fn fact_type() -> FactType {
        T::leaf_type()
    }
    fn is_not_collected(&self) -> bool {
        matches!(self, Self::Unreadable(ErrorId::NOT_COLLECTED))
    }
    fn renumber(&mut self, ids: &Renumber<'_>) {
        if let Self::Unreadable(id) = self {
            ids.error(id);
        }
    }
}

impl<T: Record> Fact for Collection<T> {
    fn fact_type() -> FactType {
        FactType::Collection(T::record_type())
    }
    fn is_not_collected(&self) -> bool {
        matches!(self, Self::Unreadable(ErrorId::NOT_COLLECTED))
    }
    fn renumber(&mut self, ids: &Renumber<'_>) {
        match self {
            Self::Complete(items) => items.iter_mut().for_each(|item| item.renumber(ids)),
            Self::Partial { items, reasons } => {
                items.iter_mut().for_each(|item| item.renumber(ids));
                reasons.iter_mut().for_each(|reason| ids.error(reason));
            }
            Self::Unreadable(id) => ids.error(id),
        }
    }
}

macro_rules! leaf {
    ($($type:ty => $fact:expr),* $(,)?) => {
        $(impl Leaf for $type {
            fn leaf_type() -> FactType {
                $fact
            }
        })*
    };
}

leaf! {
    bool => FactType::Bool,
    u64 => FactType::Int,
    i64 => FactType::Int,
    u32 => FactType::Int,
    f64 => FactType::Quantity(Dimension::None),
    String => FactType::Text,
    units::Bytes => FactType::Quantity(Dimension::Bytes),
    units::Hertz => FactType::Quantity(Dimension::Hertz),
    units::BitsPerSec => FactType::Quantity(Dimension::BitsPerSecond),
    units::TransfersPerSec => FactType::Quantity(Dimension::TransfersPerSecond),
    units::Celsius => FactType::Quantity(Dimension::Celsius),
    units::Seconds => FactType::Quantity(Dimension::Seconds),
    units::Ratio => FactType::Quantity(Dimension::Ratio),
    units::Watts => FactType::Quantity(Dimension::Watts),
}

impl<T: Leaf> Leaf for Vec<T> {
    fn leaf_type() -> FactType {
        FactType::List(Box::new(T::leaf_type()))
    }
}

// ---- JSON ------------------------------------------------------------------------------------------------

const UNREADABLE: &str = "unreadable";

fn serialize_unreadable<S: Serializer>(serializer: S, error: ErrorId) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(UNREADABLE, &error.0)?;
    map.end()
}

impl<T: Serialize> Serialize for Reading<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Known(value) => value.serialize(serializer),
            Self::Absent => serializer.serialize_unit(),
            Self::Unreadable(error) => serialize_unreadable(serializer, *error),
        }
    }
}

impl<T: Serialize> Serialize for Collection<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Complete(items) => items.serialize(serializer),
            Self::Partial { items, reasons } => {
                let mut map = serializer.serialize_map(Some(2))?;
                map.serialize_entry("items", items)?;
                map.serialize_entry("partial", &reasons.iter().map(|reason| reason.0).collect::<Vec<_>>())?;
                map.end()
            }
            Self::Unreadable(error) => serialize_unreadable(serializer, *error),
        }
    }
}

impl Serialize for Sources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(field, source)| (field, source)))
    }
}

/// A file may claim any index; this one means "not collected" and must not be forged.
fn error_id<E: de::Error>(index: u32) -> Result<ErrorId, E> {
    let id = ErrorId(index);
    if id == ErrorId::NOT_COLLECTED { Err(E::custom("error index out of range")) } else { Ok(id) }
}

struct ReadingVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ReadingVisitor<T> {
    type Value = Reading<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, null, or {\"unreadable\": index}")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Reading::Absent)
    }
    fn visit_bool<E: de::Error>(self, v: bool) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(Reading::Known)
    }
    fn visit_u64<E: de::Error>(self, v: u64) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(Reading::Known)
    }
    fn visit_i64<E: de::Error>(self, v: i64) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(Reading::Known)
    }
    fn visit_f64<E: de::Error>(self, v: f64) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(Reading::Known)
    }
    fn visit_str<E: de::Error>(self, v: &str) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(Reading::Known)
    }
    fn visit_string<E: de::Error>(self, v: String) -> Result<Self::Value, E> {
        T::deserialize(v.into_deserializer()).map(Reading::Known)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        T::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(Reading::Known)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Some(key) = map.next_key::<Cow<'de, str>>()? else {
            return Err(de::Error::missing_field(UNREADABLE));
        };
        if key != UNREADABLE {
            return Err(de::Error::unknown_field(&key, &[UNREADABLE]));
        }
        let id = error_id(map.next_value()?)?;
        if let Some(key) = map.next_key::<Cow<'de, str>>()? {
            return Err(de::Error::unknown_field(&key, &[UNREADABLE]));
        }
        Ok(Reading::Unreadable(id))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Reading<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ReadingVisitor(PhantomData))
    }
}

struct CollectionVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for CollectionVisitor<T> {
    type Value = Collection<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array, {\"items\": [...], \"partial\": [index, ...]}, or {\"unreadable\": index}")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        Vec::deserialize(de::value::SeqAccessDeserializer::new(seq)).map(Collection::Complete)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut items = None;
        let mut partial: Option<Vec<u32>> = None;
        let mut unreadable = None;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                "items" => items = Some(map.next_value()?),
                "partial" => partial = Some(map.next_value()?),
                UNREADABLE => unreadable = Some(error_id(map.next_value()?)?),
                other => return Err(de::Error::unknown_field(other, &["items", "partial", UNREADABLE])),
            }
        }
        match (items, partial, unreadable) {
            (None, None, Some(error)) => Ok(Collection::Unreadable(error)),
            (Some(items), Some(reasons), None) if !reasons.is_empty() => {
                let reasons = reasons.into_iter().map(error_id).collect::<Result<Vec<_>, _>>()?;
                Ok(Collection::Partial { items, reasons })
            }
            _ => Err(de::Error::custom("neither complete, partial with its reasons, nor unreadable")),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Collection<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CollectionVisitor(PhantomData))
    }
}

impl<'de> Deserialize<'de> for Sources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SourcesVisitor;
        impl<'de> Visitor<'de> for SourcesVisitor {
            type Value = Sources;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of field name to source index")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut sources = Sources::default();
                while let Some((field, source)) = map.next_entry::<String, SourceId>()? {
                    sources.set(field, source);
                }
                Ok(sources)
            }
        }
        deserializer.deserialize_map(SourcesVisitor)
    }
}

fn unreadable_schema() -> Schema {
    json_schema!({
        "type": "object",
        "properties": { UNREADABLE: { "type": "integer", "minimum": 0 } },
        "required": [UNREADABLE],
        "additionalProperties": false
    })
}

impl<T: JsonSchema> JsonSchema for Reading<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Reading_of_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<T>(), { "type": "null" }, unreadable_schema()] })
    }
}

impl<T: JsonSchema> JsonSchema for Collection<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Collection_of_{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let items = generator.subschema_for::<Vec<T>>();
        json_schema!({ "anyOf": [
            items,
            {
                "type": "object",
                "properties": {
                    "items": items,
                    "partial": { "type": "array", "minItems": 1, "items": { "type": "integer", "minimum": 0 } }
                },
                "required": ["items", "partial"],
                "additionalProperties": false
            },
            unreadable_schema()
        ] })
    }
}

impl JsonSchema for Sources {
    fn schema_name() -> Cow<'static, str> {
        "Sources".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "By field name: an index into `sources`, where the value was read.",
            "type": "object",
            "additionalProperties": { "type": "integer", "minimum": 0 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    record! {
        /// A thing.
        pub struct Thing {
            /// Its size.
            pub bytes: Reading<units::Bytes>,
            /// Its words.
            pub words: Reading<Vec<String>>,
        }
    }

    record! {
        /// Things.
        pub struct Things {
            /// Them.
            pub things: Collection<Thing>,
        }
    }

    fn round_trip(json: &str) -> Things {
        let things: Things = serde_json::from_str(json).expect(json);
        assert_eq!(serde_json::to_string(&things).unwrap(), json);
        things
    }

    #[test]
    fn every_outcome_survives_the_json() {
        round_trip(r#"{"things":[{"bytes":5,"words":["a"],"sources":{"bytes":0}}]}"#);
        round_trip(r#"{"things":[{"bytes":null,"words":{"unreadable":3}}]}"#);
        round_trip(r#"{"things":{"items":[],"partial":[1,2]}}"#);
        round_trip(r#"{"things":{"unreadable":0}}"#);
    }

    #[test]
    fn a_missing_field_is_unreadable_and_stays_missing() {
        let things = round_trip(r#"{"things":[{"words":[]}]}"#);
        assert!(things.things.items()[0].bytes.is_not_collected());
        assert!(round_trip("{}").things.is_not_collected());
    }

    #[test]
    fn what_is_neither_of_the_outcomes_is_refused() {
        for json in [
            r#"{"things":[{"bytes":{"value":5}}]}"#,
            r#"{"things":[{"bytes":{}}]}"#,
            r#"{"things":[{"bytes":{"unreadable":1,"more":2}}]}"#,
            r#"{"things":[{"bytes":{"unreadable":4294967295}}]}"#,
            r#"{"things":[{"bytes":"5"}]}"#,
            r#"{"things":{"items":[],"partial":[]}}"#,
            r#"{"things":{"items":[]}}"#,
            r#"{"things":null}"#,
        ] {
            assert!(serde_json::from_str::<Things>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn joining_ledgers_renumbers_every_index() {
        let mut things: Things = serde_json::from_str(
            r#"{"things":{"items":[{"bytes":{"unreadable":0},"sources":{"words":1}}],"partial":[1]}}"#,
        )
        .unwrap();
        Record::renumber(
            &mut things,
            &Renumber { errors: &[ErrorId(7), ErrorId(8)], sources: &[SourceId(4), SourceId(5)] },
        );
        assert_eq!(
            serde_json::to_string(&things).unwrap(),
            r#"{"things":{"items":[{"bytes":{"unreadable":7},"sources":{"words":5}}],"partial":[8]}}"#
        );
    }
}
