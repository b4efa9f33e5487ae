//! Cases of checks compiled: facts in, verdict and message out, for `muster pack test`.
//!
//! Facts are written as in an inventory, with three differences: a quantity has its unit (`480GB`), an unreadable fact
//! says why in words (`{unreadable: "permission denied"}`), and sources are left out. Judges nothing.

use crate::inventory::{Inventory, Node as NodeFacts, SCHEMA};
use crate::reading::{ErrorKind, FactType, ReadError, Reading, Record, RecordType};
use crate::rules::diagnostic::{Errors, RuleError, error, quoted};
use crate::rules::files::{self, Overlay, Role};
use crate::rules::limit::{Setting, Value, quantity, settings};
use crate::rules::load::RuleSet;
use crate::rules::raw::case::{Expected, RawCase};
use crate::rules::raw::pack::{DriveRole, NicRole};
use crate::rules::read::{Read, Reader};
use crate::rules::scalar::Scalar;
use crate::rules::source::{Source, Span};
use crate::rules::text::{Text, ValueForm};
use crate::rules::tree::{self, Kind, Node};
use crate::units::Dimension;
use crate::verdict::Verdict;
use crate::words::nearest;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// One compiled case.
#[derive(Debug)]
pub struct Case {
    /// What it shows.
    pub name: String,
    /// The nodes; one unless the check compares.
    pub nodes: Vec<Inventory>,
    /// Limits that a pack would set.
    pub settings: Vec<Setting>,
    /// Roles by the name of the drive.
    pub drive_roles: BTreeMap<String, DriveRole>,
    /// Roles by the name of the interface.
    pub nic_roles: BTreeMap<String, NicRole>,
    /// Planned working set of one node, in bytes.
    pub working_set: Option<f64>,
    /// The verdict of every subject, or by subject.
    pub verdict: Wanted<Verdict>,
    /// The message of every subject, or by subject; not compared without.
    pub message: Option<Wanted<String>>,
    /// The file and the place in it.
    pub origin: (Arc<Source>, Span),
}

/// What is wanted of the findings of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted<T> {
    /// Of every subject.
    All(T),
    /// Of each: there are no others.
    Each(BTreeMap<String, T>),
}

/// Reads the cases of all checks, by check.
///
/// # Errors
/// All mistakes of all files, sorted by file and place.
pub fn load(
    rules: &RuleSet,
    builtin: &[(&str, &str)],
    overlays: &[Overlay],
) -> Result<BTreeMap<String, Vec<Case>>, Vec<RuleError>> {
    let mut errors = Errors::default();
    let (files, _) = files::merge(builtin, overlays, &mut errors);
    let mut cases = BTreeMap::new();
    for file in files.values() {
        let Role::Cases(id) = &file.role else {
            continue;
        };
        let Some(source) = tree::decode(&file.shown, file.bytes, &mut errors) else {
            continue;
        };
        let Some(root) = tree::parse(&source, &mut errors) else {
            continue;
        };
        let mut reader = Reader { source: &source, errors: &mut errors };
        let raw: Vec<RawCase> = Vec::read(&root, &mut reader);
        let Some(check) = rules.checks.get(id) else {
            let mut unknown = error(&source, Span::empty(root.span.start), format!("there is no check {}", quoted(id)));
            unknown.help = nearest(id, rules.checks.keys().map(String::as_str))
                .map(|near| format!("did you mean fixtures/checks/{near}.yaml?"));
            errors.push(unknown);
            continue;
        };
        let mut compiled: Vec<Case> = Vec::new();
        for raw in &raw {
            if let Some(twin) = compiled.iter().find(|case| *case.name == *raw.name) {
                let mut twice = error(&source, raw.name.span(), format!("a second case {}", quoted(&raw.name)));
                twice.also = Some((twin.origin.1, "first here".to_owned()));
                reader.errors.push(twice);
            }
            compiled.push(case(raw, &check.params, &format!("check `{id}`"), &mut reader));
        }
        cases.insert(id.clone(), compiled);
    }
    if errors.has_errors() { Err(errors.into_refusal()) } else { Ok(cases) }
}

fn case(raw: &RawCase, params: &[crate::rules::limit::Param], owner: &str, reader: &mut Reader<'_>) -> Case {
    let facts: Vec<&Node> = match (&raw.facts, &raw.nodes) {
        (Some(facts), None) => vec![&facts.0],
        (None, Some(nodes)) => nodes.iter().map(|facts| &facts.0).collect(),
        (Some(_), Some(nodes)) => {
            let place = nodes.first().map_or(raw.span, |facts| facts.span());
            reader.error(place, "`nodes` beside `facts`: a case has one of them");
            Vec::new()
        }
        (None, None) => {
            reader.error(Span::empty(raw.span.start), "a case has `facts` of one node, or `nodes`");
            Vec::new()
        }
    };
    let nodes = facts.iter().enumerate().filter_map(|(at, facts)| inventory(facts, at + 1, reader)).collect();
    let (mut drive_roles, mut nic_roles) = (BTreeMap::new(), BTreeMap::new());
    if let Some(roles) = &raw.roles {
        for (name, _, role) in roles.drive.iter().flat_map(|entries| &entries.list) {
            drive_roles.insert(name.clone(), role.value);
        }
        for (name, _, role) in roles.nic.iter().flat_map(|entries| &entries.list) {
            nic_roles.insert(name.clone(), role.value);
        }
    }
    let working_set = raw.working_set.as_ref().and_then(|text| match quantity(text, Dimension::Bytes, reader) {
        Some(Value::Quantity(bytes, _)) => Some(bytes),
        _ => None,
    });
    Case {
        name: raw.name.value.clone(),
        nodes,
        settings: settings(raw.params.as_ref(), params, owner, reader),
        drive_roles,
        nic_roles,
        working_set,
        verdict: wanted(&raw.verdict, |verdict| verdict.value),
        message: raw.message.as_ref().map(|message| wanted(message, |text| text.value.clone())),
        origin: (Arc::clone(reader.source), raw.span),
    }
}

fn wanted<T, U>(expected: &Expected<T>, value: impl Fn(&T) -> U) -> Wanted<U> {
    match expected {
        Expected::All(one) => Wanted::All(value(one)),
        Expected::Each(entries) => {
            Wanted::Each(entries.list.iter().map(|(subject, _, one)| (subject.clone(), value(one))).collect())
        }
    }
}

/// An inventory of what is written; the node is called "node1", "node2" ... unless its facts name it.
fn inventory(facts: &Node, number: usize, reader: &mut Reader<'_>) -> Option<Inventory> {
    let mut writer = FactWriter { errors: Vec::new(), reader };
    let json = writer.record(facts, NodeFacts::record_type(), "");
    let errors = writer.errors;
    let mut node: NodeFacts = match serde_json::from_value(json) {
        Ok(node) => node,
        Err(bad) => {
            reader.error(facts.span, format!("these are no facts of a node: {bad}"));
            return None;
        }
    };
    if crate::reading::Fact::is_not_collected(&node.hostname) {
        node.hostname = Reading::Known(format!("node{number}"));
    }
    Some(Inventory {
        schema: SCHEMA.to_owned(),
        version: "of the case".to_owned(),
        collected_at: Reading::Absent,
        node,
        sources: Vec::new(),
        errors,
    })
}

/// Turns facts as written into those of an inventory's JSON, by the types that the inventory has.
struct FactWriter<'a, 'r> {
    errors: Vec<ReadError>,
    reader: &'a mut Reader<'r>,
}

impl FactWriter<'_, '_> {
    fn record(&mut self, node: &Node, record: &RecordType, path: &str) -> Json {
        let mut object = Map::new();
        let Kind::Map(entries) = &node.kind else {
            self.reader.expected("a map of facts", node);
            return Json::Object(object);
        };
        let fields = (record.fields)();
        for (key, value) in entries {
            let path = if path.is_empty() { key.text.clone() } else { format!("{path}.{}", key.text) };
            match fields.iter().find(|field| field.name == key.text) {
                Some(field) => {
                    object.insert(key.text.clone(), self.fact(value, &field.fact, &path));
                }
                None => {
                    let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
                    let what = format!("fact of {}", record.name);
                    self.reader.unknown(key.span, &what, &key.text, &known);
                }
            }
        }
        Json::Object(object)
    }

    fn fact(&mut self, node: &Node, fact: &FactType, path: &str) -> Json {
        match fact {
            FactType::Record(record) => self.record(node, record, path),
            FactType::Collection(record) => self.collection(node, record, path),
            leaf => match (&node.kind, self.unreadable(node, path)) {
                (_, Some(unreadable)) => unreadable,
                (Kind::Scalar(scalar), None) if scalar.is_null() => Json::Null,
                _ => self.leaf(node, leaf),
            },
        }
    }

    /// `{unreadable: "why"}`.
    fn unreadable(&mut self, node: &Node, path: &str) -> Option<Json> {
        let Kind::Map(entries) = &node.kind else {
            return None;
        };
        match entries.as_slice() {
            [(key, reason)] if key.text == "unreadable" => {
                let index = self.reason(reason, path)?;
                Some(json!({ "unreadable": index }))
            }
            _ => None,
        }
    }

    fn reason(&mut self, node: &Node, path: &str) -> Option<usize> {
        let Kind::Scalar(Scalar { text, .. }) = &node.kind else {
            self.reader.expected("the reason in words", node);
            return None;
        };
        let kind = serde_json::from_value(Json::String(text.replace(' ', "-"))).unwrap_or(ErrorKind::Io);
        self.errors.push(ReadError { operation: format!("read {path}"), kind, cause: text.clone() });
        Some(self.errors.len() - 1)
    }

    /// A list, `{items: [...], partial: ["why"]}`, or `{unreadable: "why"}`.
    fn collection(&mut self, node: &Node, record: &RecordType, path: &str) -> Json {
        match &node.kind {
            Kind::List(items) => self.items(items, record, path),
            Kind::Map(entries) => {
                if let Some(unreadable) = self.unreadable(node, path) {
                    return unreadable;
                }
                let mut list = Json::Array(Vec::new());
                let mut reasons = Vec::new();
                for (key, value) in entries {
                    match (key.text.as_str(), &value.kind) {
                        ("items", Kind::List(items)) => list = self.items(items, record, path),
                        ("partial", Kind::List(why)) => {
                            reasons.extend(why.iter().filter_map(|reason| self.reason(reason, path)));
                        }
                        ("items" | "partial", _) => self.reader.expected("a list", value),
                        (other, _) => {
                            self.reader.unknown(key.span, "key", other, &["items", "partial", "unreadable"]);
                        }
                    }
                }
                if reasons.is_empty() {
                    self.reader.error(node.span, "`partial` has to say why elements may be missing");
                    return list;
                }
                json!({ "items": list, "partial": reasons })
            }
            _ => {
                self.reader.expected("a list", node);
                Json::Array(Vec::new())
            }
        }
    }

    fn items(&mut self, items: &[Node], record: &RecordType, path: &str) -> Json {
        let items = items.iter().enumerate();
        Json::Array(items.map(|(at, item)| self.record(item, record, &format!("{path}[{at}]"))).collect())
    }

    fn leaf(&mut self, node: &Node, fact: &FactType) -> Json {
        if let FactType::List(item) = fact {
            let Kind::List(items) = &node.kind else {
                self.reader.expected("a list", node);
                return Json::Null;
            };
            return Json::Array(items.iter().map(|node| self.leaf(node, item)).collect());
        }
        let Kind::Scalar(scalar) = &node.kind else {
            self.reader.expected("a single value", node);
            return Json::Null;
        };
        match fact {
            FactType::Bool if scalar.text == "true" => Json::Bool(true),
            FactType::Bool if scalar.text == "false" => Json::Bool(false),
            FactType::Int => match scalar.text.parse::<i64>() {
                Ok(value) => json!(value),
                Err(_) => self.mismatch(node, scalar, "a whole number"),
            },
            FactType::Quantity(dimension) => {
                let text = Text::<ValueForm>::read(node, self.reader);
                match quantity(&text, *dimension, self.reader) {
                    Some(Value::Quantity(value, _)) => number(value),
                    _ => Json::Null,
                }
            }
            FactType::Text => Json::String(scalar.text.clone()),
            FactType::Enum(words) => {
                if !words.contains(&scalar.text.as_str()) {
                    self.reader.unknown(node.span, "word", &scalar.text, words);
                    return Json::Null;
                }
                Json::String(scalar.text.clone())
            }
            _ => self.mismatch(node, scalar, "true or false"),
        }
    }

    fn mismatch(&mut self, node: &Node, scalar: &Scalar, what: &str) -> Json {
        self.reader.error(node.span, format!("{} is not {what}", quoted(&scalar.text)));
        Json::Null
    }
}

/// Whole quantities are whole numbers in JSON.
fn number(value: f64) -> Json {
    // 2^53: up to there every whole double is exact.
    if value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0 { json!(value as i64) } else { json!(value) }
}
