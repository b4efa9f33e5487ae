//! A serde serializer whose output is a tree in the arena: the one way from typed facts to what expressions read.
//!
//! It follows the JSON of [`crate::reading`]: `null` is absent, `{"unreadable": n}` is unknown with the text of the
//! n-th error, `{"items": [...], "partial": [n, ...]}` is a list that may lack elements.

use super::{Partial, Reason, ReasonKind, Value, record_of};
use crate::reading::{ErrorId, ErrorKind, ReadError};
use bumpalo::Bump;
use serde::ser::{self, Serialize};
use std::fmt;

/// A value that has no place in a tree of facts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewError(String);

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ViewError {}

impl ser::Error for ViewError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// The reasons that an inventory's errors are, by their index: what [`write()`] wants.
#[must_use]
pub fn reasons<'a>(errors: &[ReadError], arena: &'a Bump) -> &'a [Reason<'a>] {
    arena.alloc_slice_fill_iter(
        errors.iter().enumerate().map(|(index, error)| Reason::of_error(error, ErrorId(index as u32), arena)),
    )
}

/// Puts what serde can serialize into the arena.
///
/// # Errors
/// For bytes, and for keys of a map that are neither text nor whole numbers; facts have neither.
pub fn write<'a, T: Serialize + ?Sized>(
    value: &T,
    arena: &'a Bump,
    reasons: &'a [Reason<'a>],
) -> Result<Value<'a>, ViewError> {
    value.serialize(&mut Writer { arena, reasons, fields: Vec::new(), items: Vec::new() })
}

/// `fields` and `items` are stacks, shared by all records and lists that are open: each takes what is above its base.
struct Writer<'a> {
    arena: &'a Bump,
    reasons: &'a [Reason<'a>],
    fields: Vec<(&'a str, Value<'a>)>,
    items: Vec<Value<'a>>,
}

static TOO_LARGE: Reason<'static> =
    Reason { text: "the number read does not fit 63 bits", kind: ReasonKind::Arithmetic };
static NOT_FINITE: Reason<'static> = Reason { text: "the number read is not finite", kind: ReasonKind::Arithmetic };

impl<'a> Writer<'a> {
    fn reason(&self, index: i64) -> &'a Reason<'a> {
        usize::try_from(index).ok().and_then(|index| self.reasons.get(index)).unwrap_or_else(|| {
            self.arena.alloc(Reason {
                text: self.arena.alloc_str(&format!("error {index}, which the inventory does not list")),
                kind: ReasonKind::Read { kind: ErrorKind::Malformed, error: None },
            })
        })
    }

    /// One reason that tells of several.
    fn joined(&self, indexes: &[Value<'a>]) -> &'a Reason<'a> {
        /// As many are told in full.
        const TOLD: usize = 3;
        let mut reasons: Vec<&Reason<'a>> =
            indexes.iter().map(|index| self.reason(if let Value::Int(index) = index { *index } else { -1 })).collect();
        reasons.sort_unstable();
        reasons.dedup();
        match reasons.as_slice() {
            [one] => one,
            several => {
                let mut text = several.iter().take(TOLD).map(|reason| reason.text).collect::<Vec<_>>().join("; ");
                if several.len() > TOLD {
                    text.push_str(&format!("; and {} more", several.len() - TOLD));
                }
                let kind = several
                    .first()
                    .map_or(ReasonKind::Read { kind: ErrorKind::Malformed, error: None }, |reason| reason.kind);
                self.arena.alloc(Reason { text: self.arena.alloc_str(&text), kind })
            }
        }
    }

    fn close_list(&mut self, base: usize) -> Value<'a> {
        let items = self.arena.alloc_slice_fill_iter(self.items.drain(base..));
        Value::List(items)
    }

    fn close_record(&mut self, base: usize) -> Value<'a> {
        let record = record_of(self.fields.get_mut(base..).unwrap_or_default(), self.arena);
        self.fields.truncate(base);
        record
    }

    /// A map is a record, or a reading that was not told, or a collection that may lack elements.
    fn close_map(&mut self, base: usize) -> Value<'a> {
        let reading = match self.fields.get(base..).unwrap_or_default() {
            [("unreadable", Value::Int(error))] => Some(Value::Unknown(self.reason(*error))),
            [("items", Value::List(items)), ("partial", Value::List(partial))]
            | [("partial", Value::List(partial)), ("items", Value::List(items))] => {
                let unknown = Some(self.joined(partial));
                Some(Value::Partial(self.arena.alloc(Partial { items, unknown, absent: false })))
            }
            _ => None,
        };
        match reading {
            Some(reading) => {
                self.fields.truncate(base);
                reading
            }
            None => self.close_record(base),
        }
    }
}

impl<'a, 'w> ser::Serializer for &'w mut Writer<'a> {
    type Ok = Value<'a>;
    type Error = ViewError;
    type SerializeSeq = Open<'a, 'w>;
    type SerializeTuple = Open<'a, 'w>;
    type SerializeTupleStruct = Open<'a, 'w>;
    type SerializeTupleVariant = Open<'a, 'w>;
    type SerializeMap = Open<'a, 'w>;
    type SerializeStruct = Open<'a, 'w>;
    type SerializeStructVariant = Open<'a, 'w>;

    fn serialize_bool(self, v: bool) -> Result<Self::Ok, ViewError> {
        Ok(Value::Bool(v))
    }
    fn serialize_i8(self, v: i8) -> Result<Self::Ok, ViewError> {
        Ok(Value::Int(v.into()))
    }
    fn serialize_i16(self, v: i16) -> Result<Self::Ok, ViewError> {
        Ok(Value::Int(v.into()))
    }
    fn serialize_i32(self, v: i32) -> Result<Self::Ok, ViewError> {
        Ok(Value::Int(v.into()))
    }
    fn serialize_i64(self, v: i64) -> Result<Self::Ok, ViewError> {
        Ok(Value::Int(v))
    }
    fn serialize_u8(self, v: u8) -> Result<Self::Ok, ViewError> {
        Ok(Value::Int(v.into()))
    }
    fn serialize_u16(self, v: u16) -> Result<Self::Ok, ViewError> {
        Ok(Value::Int(v.into()))
    }
    fn serialize_u32(self, v: u32) -> Result<Self::Ok, ViewError> {
        Ok(Value::Int(v.into()))
    }
    /// A number beyond 63 bits would lose its last digits as a double, and two unlike ones would be equal.
    fn serialize_u64(self, v: u64) -> Result<Self::Ok, ViewError> {
        Ok(i64::try_from(v).map_or(Value::Unknown(&TOO_LARGE), Value::Int))
    }
    fn serialize_f32(self, v: f32) -> Result<Self::Ok, ViewError> {
        self.serialize_f64(v.into())
    }
    fn serialize_f64(self, v: f64) -> Result<Self::Ok, ViewError> {
        Ok(Value::double(v).unwrap_or(Value::Unknown(&NOT_FINITE)))
    }
    fn serialize_char(self, v: char) -> Result<Self::Ok, ViewError> {
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, v: &str) -> Result<Self::Ok, ViewError> {
        Ok(Value::Text(self.arena.alloc_str(v)))
    }
    fn serialize_bytes(self, _: &[u8]) -> Result<Self::Ok, ViewError> {
        Err(ViewError("bytes are no fact".to_owned()))
    }
    fn serialize_none(self) -> Result<Self::Ok, ViewError> {
        Ok(Value::Absent)
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Self::Ok, ViewError> {
        value.serialize(self)
    }
    fn serialize_unit(self) -> Result<Self::Ok, ViewError> {
        Ok(Value::Absent)
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<Self::Ok, ViewError> {
        Ok(Value::Absent)
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> Result<Self::Ok, ViewError> {
        Ok(Value::Text(word))
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<Self::Ok, ViewError> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        word: &'static str,
        value: &T,
    ) -> Result<Self::Ok, ViewError> {
        let value = value.serialize(&mut *self)?;
        Ok(record_of(&mut [(word, value)], self.arena))
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Open<'a, 'w>, ViewError> {
        Ok(Open::new(self, None))
    }
    fn serialize_tuple(self, _: usize) -> Result<Open<'a, 'w>, ViewError> {
        Ok(Open::new(self, None))
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Open<'a, 'w>, ViewError> {
        Ok(Open::new(self, None))
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        word: &'static str,
        _: usize,
    ) -> Result<Open<'a, 'w>, ViewError> {
        Ok(Open::new(self, Some(word)))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Open<'a, 'w>, ViewError> {
        Ok(Open::new(self, None))
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Open<'a, 'w>, ViewError> {
        Ok(Open::new(self, None))
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        word: &'static str,
        _: usize,
    ) -> Result<Open<'a, 'w>, ViewError> {
        Ok(Open::new(self, Some(word)))
    }
}

/// A list, map or record that is being written.
struct Open<'a, 'w> {
    writer: &'w mut Writer<'a>,
    fields: usize,
    items: usize,
    key: &'a str,
    variant: Option<&'static str>,
}

impl<'a, 'w> Open<'a, 'w> {
    fn new(writer: &'w mut Writer<'a>, variant: Option<&'static str>) -> Self {
        Self { fields: writer.fields.len(), items: writer.items.len(), writer, key: "", variant }
    }
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ViewError> {
        let value = value.serialize(&mut *self.writer)?;
        self.writer.items.push(value);
        Ok(())
    }
    fn field<T: Serialize + ?Sized>(&mut self, name: &'a str, value: &T) -> Result<(), ViewError> {
        let value = value.serialize(&mut *self.writer)?;
        self.writer.fields.push((name, value));
        Ok(())
    }
    fn list(self) -> Value<'a> {
        let list = self.writer.close_list(self.items);
        self.variant.map_or(list, |word| record_of(&mut [(word, list)], self.writer.arena))
    }
    fn record(self) -> Value<'a> {
        let record = self.writer.close_record(self.fields);
        self.variant.map_or(record, |word| record_of(&mut [(word, record)], self.writer.arena))
    }
}

impl<'a> ser::SerializeSeq for Open<'a, '_> {
    type Ok = Value<'a>;
    type Error = ViewError;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ViewError> {
        self.item(value)
    }
    fn end(self) -> Result<Value<'a>, ViewError> {
        Ok(self.list())
    }
}

impl<'a> ser::SerializeTuple for Open<'a, '_> {
    type Ok = Value<'a>;
    type Error = ViewError;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ViewError> {
        self.item(value)
    }
    fn end(self) -> Result<Value<'a>, ViewError> {
        Ok(self.list())
    }
}

impl<'a> ser::SerializeTupleStruct for Open<'a, '_> {
    type Ok = Value<'a>;
    type Error = ViewError;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ViewError> {
        self.item(value)
    }
    fn end(self) -> Result<Value<'a>, ViewError> {
        Ok(self.list())
    }
}

impl<'a> ser::SerializeTupleVariant for Open<'a, '_> {
    type Ok = Value<'a>;
    type Error = ViewError;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ViewError> {
        self.item(value)
    }
    fn end(self) -> Result<Value<'a>, ViewError> {
        Ok(self.list())
    }
}

impl<'a> ser::SerializeMap for Open<'a, '_> {
    type Ok = Value<'a>;
    type Error = ViewError;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), ViewError> {
        self.key = match key.serialize(&mut *self.writer)? {
            Value::Text(key) => key,
            Value::Int(key) => self.writer.arena.alloc_str(&key.to_string()),
            _ => return Err(ViewError("a key of a map is neither text nor a whole number".to_owned())),
        };
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), ViewError> {
        self.field(self.key, value)
    }
    fn end(self) -> Result<Value<'a>, ViewError> {
        Ok(self.writer.close_map(self.fields))
    }
}

impl<'a> ser::SerializeStruct for Open<'a, '_> {
    type Ok = Value<'a>;
    type Error = ViewError;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), ViewError> {
        self.field(name, value)
    }
    fn end(self) -> Result<Value<'a>, ViewError> {
        Ok(self.record())
    }
}

impl<'a> ser::SerializeStructVariant for Open<'a, '_> {
    type Ok = Value<'a>;
    type Error = ViewError;
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), ViewError> {
        self.field(name, value)
    }
    fn end(self) -> Result<Value<'a>, ViewError> {
        Ok(self.record())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::Inventory;
    use serde_json::json;

    fn errors() -> Vec<ReadError> {
        ["permission denied", "no such file"]
            .iter()
            .zip([ErrorKind::PermissionDenied, ErrorKind::NotFound])
            .map(|(cause, kind)| ReadError { operation: "read /x".to_owned(), kind, cause: (*cause).to_owned() })
            .collect()
    }

    #[test]
    fn readings_and_collections_come_out_as_such() {
        let arena = Bump::new();
        let reasons = reasons(&errors(), &arena);
        let json = json!({
            "known": 5, "absent": null, "unknown": { "unreadable": 0 }, "forged": { "unreadable": 7 },
            "whole": [1, 2.5], "partial": { "items": [{ "a": true }], "partial": [1, 0, 1] },
            "record": { "items": [1], "other": [] }, "large": u64::MAX, "empty": {}
        });
        let value = write(&json, &arena, reasons).unwrap();
        assert!(matches!(value.at(&["known"]), Some(Value::Int(5))));
        assert!(matches!(value.at(&["absent"]), Some(Value::Absent)));
        let Some(Value::Unknown(reason)) = value.at(&["unknown"]) else { panic!() };
        assert_eq!(reason.text, "cannot read /x: permission denied");
        assert_eq!(reason.kind, ReasonKind::Read { kind: ErrorKind::PermissionDenied, error: Some(ErrorId(0)) });
        let Some(Value::Unknown(reason)) = value.at(&["forged"]) else { panic!() };
        assert_eq!(reason.text, "error 7, which the inventory does not list");
        assert!(matches!(value.at(&["whole"]), Some(Value::List([Value::Int(1), Value::Double(d)])) if *d == 2.5));
        let Some(Value::Partial(partial)) = value.at(&["partial"]) else { panic!() };
        assert_eq!(partial.items.len(), 1);
        assert_eq!(partial.unknown.unwrap().text, "cannot read /x: no such file; cannot read /x: permission denied");
        assert!(matches!(value.at(&["partial", "0", "a"]), Some(Value::Bool(true))));
        assert!(matches!(value.at(&["record", "items", "0"]), Some(Value::Int(1))));
        assert!(matches!(value.at(&["large"]), Some(Value::Unknown(_))));
        assert!(matches!(value.at(&["empty"]), Some(Value::Record(_))));
        assert!(value.at(&["empty", "x"]).is_none());
    }

    #[test]
    fn a_typed_inventory_goes_in_with_its_sources() {
        let text = r#"{
            "schema": "muster.inventory/v1", "version": "0.1.0", "collected_at": null,
            "node": { "hostname": "n1", "drives": [
                { "media": "ssd", "bytes": 3840755982336, "serial": {"unreadable": 0}, "sources": {"bytes": 4} }
            ] },
            "sources": [], "errors": []
        }"#;
        let inventory: Inventory = serde_json::from_str(text).unwrap();
        let arena = Bump::new();
        let reasons = reasons(&errors(), &arena);
        let node = write(&inventory.node, &arena, reasons).unwrap();
        assert!(matches!(node.at(&["drives", "0", "media"]), Some(Value::Text("ssd"))));
        assert!(matches!(node.at(&["drives", "0", "bytes"]), Some(Value::Int(3_840_755_982_336))));
        assert!(matches!(node.at(&["drives", "0", "serial"]), Some(Value::Unknown(_))));
        assert!(matches!(node.at(&["drives", "0", "sources", "bytes"]), Some(Value::Int(4))));
        // Not collected: the field is missing, which is the schema's to notice.
        assert!(node.at(&["drives", "0", "model"]).is_none());
        assert!(node.at(&["cpu"]).is_none());
    }
}
