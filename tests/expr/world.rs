//! A made-up node for random expressions: its schema, random facts, and how facts are made unreadable.

use super::generate::Choices;
use bumpalo::Bump;
use passmuster::expr::{Field, Schema, Scope, Type};
use passmuster::reading::{ErrorKind, ReadError};
use passmuster::units::Dimension;
use passmuster::view::{self, Value};
use serde_json::{Value as Json, json};

pub const WORDS: &[&str] = &["hdd", "ssd", "nvme"];
pub const TEXTS: &[&str] = &["", "a", "ab", "b", "sda", "1.9", "1.10", "HPD7", "0x1f", "Käse", " a "];

/// Fields of an item, with their types.
pub fn item_fields() -> Vec<(&'static str, Type)> {
    vec![
        ("count", Type::Int),
        ("flag", Type::Bool),
        ("floats", Type::List(Box::new(Type::Number(Dimension::None)))),
        ("ints", Type::List(Box::new(Type::Int))),
        ("number", Type::Number(Dimension::None)),
        ("ratio", Type::Number(Dimension::Ratio)),
        ("size", Type::Number(Dimension::Bytes)),
        ("text", Type::Text),
        ("texts", Type::List(Box::new(Type::Text))),
        ("word", Type::Enum(WORDS)),
    ]
}

fn fields(list: Vec<(&str, Type)>) -> Vec<Field> {
    list.into_iter().map(|(name, ty)| Field { name: name.to_owned(), ty, doc: String::new() }).collect()
}

pub struct World {
    pub schema: Schema,
    pub item: Type,
    pub node: Type,
}

impl World {
    pub fn new() -> Self {
        let mut schema = Schema::new();
        let item = schema.record("Item", fields(item_fields()));
        let mut node = item_fields();
        node.push(("box", item.clone()));
        node.push(("items", Type::List(Box::new(item.clone()))));
        node.push(("others", Type::List(Box::new(item.clone()))));
        let node = schema.record("Node", fields(node));
        Self { schema, item, node }
    }

    pub fn scope(&self) -> Scope<'_> {
        let mut scope = Scope::new(&self.schema);
        scope.bind("node", self.node.clone());
        scope
    }
}

/// How many of the facts are not simply known.
#[derive(Clone, Copy)]
pub struct Untold {
    /// One in so many is absent; none if 0.
    pub absent: usize,
    /// One in so many is unknown, one in so many collections may lack elements; none if 0.
    pub unknown: usize,
}

fn leaf(ty: &Type, choices: &mut Choices<'_>, untold: Untold) -> Json {
    if untold.absent > 0 && choices.pick(untold.absent) == 1 {
        return Json::Null;
    }
    if untold.unknown > 0 && choices.pick(untold.unknown) == 1 {
        return json!({ "unreadable": choices.pick(2) });
    }
    let numbers = [0.0, 1.0, 2.0, 0.5, -1.5, 3.25];
    let ints = [0, 1, 2, 3, 7, -2];
    match ty {
        Type::Bool => json!(choices.pick(2) == 1),
        Type::Int => json!(ints[choices.pick(ints.len())]),
        // A quantity may come as a whole number or with a point.
        Type::Number(Dimension::Bytes) => match choices.pick(4) {
            3 => json!(2.5),
            size => json!([1, 8, 16][size]),
        },
        Type::Number(_) => json!(numbers[choices.pick(numbers.len())]),
        Type::Text => json!(TEXTS[choices.pick(TEXTS.len())]),
        Type::Enum(words) => json!(words[choices.pick(words.len())]),
        Type::List(item) => {
            let quiet = Untold { absent: 0, unknown: 0 };
            (0..[2, 0, 1, 3][choices.pick(4)]).map(|_| leaf(item, choices, quiet)).collect()
        }
        _ => panic!("records are made elsewhere"),
    }
}

fn record(choices: &mut Choices<'_>, untold: Untold) -> serde_json::Map<String, Json> {
    item_fields().into_iter().map(|(name, ty)| (name.to_owned(), leaf(&ty, choices, untold))).collect()
}

fn collection(choices: &mut Choices<'_>, untold: Untold) -> Json {
    let items: Vec<Json> =
        (0..[3, 0, 1, 2, 4, 3][choices.pick(6)]).map(|_| Json::Object(record(choices, untold))).collect();
    match if untold.unknown > 0 { choices.pick(untold.unknown) } else { 0 } {
        1 => json!({ "unreadable": 0 }),
        2 => json!({ "items": items, "partial": [1] }),
        _ => Json::Array(items),
    }
}

pub fn facts(choices: &mut Choices<'_>, untold: Untold) -> Json {
    let mut node = record(choices, untold);
    node.insert("box".to_owned(), Json::Object(record(choices, untold)));
    node.insert("items".to_owned(), collection(choices, untold));
    node.insert("others".to_owned(), collection(choices, untold));
    Json::Object(node)
}

pub fn errors() -> Vec<ReadError> {
    ["first", "second", "third"]
        .map(|cause| ReadError {
            operation: "ask".to_owned(),
            kind: ErrorKind::PermissionDenied,
            cause: cause.to_owned(),
        })
        .to_vec()
}

pub fn in_arena<'a>(facts: &Json, arena: &'a Bump) -> Value<'a> {
    view::write(facts, arena, view::reasons(&errors(), arena)).unwrap()
}

/// The JSON pointers of everything that can be made unreadable: leaves, collections, records in their place.
pub fn places(facts: &Json) -> Vec<String> {
    fn walk(json: &Json, pointer: &str, out: &mut Vec<String>) {
        match json {
            Json::Object(fields) if fields.contains_key("unreadable") => {}
            Json::Object(fields) if fields.contains_key("partial") => {
                out.push(pointer.to_owned());
                walk_items(&fields["items"], &format!("{pointer}/items"), out);
            }
            Json::Object(fields) => {
                if !pointer.is_empty() {
                    out.push(pointer.to_owned());
                }
                for (name, value) in fields {
                    walk(value, &format!("{pointer}/{name}"), out);
                }
            }
            Json::Array(_) => {
                out.push(pointer.to_owned());
                walk_items(json, pointer, out);
            }
            _ => out.push(pointer.to_owned()),
        }
    }
    fn walk_items(json: &Json, pointer: &str, out: &mut Vec<String>) {
        for (place, item) in json.as_array().into_iter().flatten().enumerate() {
            // A leaf in a list is not made unreadable by itself: a reading holds the whole list.
            if item.is_object() {
                walk(item, &format!("{pointer}/{place}"), out);
            }
        }
    }
    let mut out = Vec::new();
    walk(facts, "", &mut out);
    out
}

/// Takes away what is told of one place: unreadable, not collected, or a collection that lacks some elements.
pub fn take_away(facts: &mut Json, pointer: &str, choices: &mut Choices<'_>) {
    let Some(place) = facts.pointer_mut(pointer) else { return };
    let items = match place {
        Json::Array(items) => Some(items.clone()),
        Json::Object(fields) => fields.get("items").and_then(Json::as_array).cloned().filter(|_| fields.len() == 2),
        _ => None,
    };
    match (choices.pick(3), items) {
        (1, Some(items)) => {
            let kept: Vec<Json> = items.into_iter().filter(|_| choices.pick(3) != 1).collect();
            *place = json!({ "items": kept, "partial": [2] });
        }
        (2, None) => {
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            if let Some(Json::Object(fields)) = facts.pointer_mut(parent) {
                fields.remove(name);
            } else {
                *facts.pointer_mut(pointer).unwrap() = json!({ "unreadable": 2 });
            }
        }
        _ => *place = json!({ "unreadable": 2 }),
    }
}
