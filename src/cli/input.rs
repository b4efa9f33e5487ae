//! Inputs: inventory files, capture folders and archives. All that is wrong with all of them is told in one go.
//!
//! An inventory file is as untrusted as the machine it came from: bounded in size, text and depth, and no index in it
//! may point outside of its tables.

use super::exit::{Exit, Failure};
use super::files::{self, Input, NEITHER};
use crate::collect;
use crate::evaluate::Fleet;
use crate::host::{Host, Replay};
use crate::inventory::{Inventory, SCHEMA};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Longest text in an inventory, in bytes. The longest that is read, a kernel command line, has at most 4096.
const TEXT_BYTES: usize = 64 << 10;

/// Inventory files together larger than this are not kept in memory but read again when they are needed.
const KEPT_BYTES: u64 = 64 << 20;

/// The nodes that were named, all of them looked at and found usable.
pub(crate) struct Nodes(Vec<Node>);

enum Node {
    /// In memory: from a capture or standard input, or because there are few.
    Kept(Box<Inventory>),
    /// An inventory file, which is read when it is needed.
    File(PathBuf),
}

impl Fleet for Nodes {
    fn len(&self) -> usize {
        self.0.len()
    }
    fn load(&self, place: usize) -> Result<Cow<'_, Inventory>, String> {
        match self.0.get(place) {
            Some(Node::Kept(inventory)) => Ok(Cow::Borrowed(inventory)),
            Some(Node::File(path)) => match inventory(path) {
                Ok((inventory, _)) => Ok(Cow::Owned(inventory)),
                Err(cause) => Err(format!("cannot read {} a second time: {cause}", name(path))),
            },
            None => Err("there is no such node".to_owned()),
        }
    }
}

/// Reads every input to an inventory.
///
/// # Errors
/// A line for each input that cannot be used.
pub(crate) fn nodes(paths: &[PathBuf]) -> Result<Nodes, Failure> {
    keeping(paths, KEPT_BYTES)
}

fn keeping(paths: &[PathBuf], most: u64) -> Result<Nodes, Failure> {
    let mut seen = BTreeSet::new();
    let twice: Vec<String> = paths
        .iter()
        .filter(|path| !seen.insert(*path))
        .map(|path| format!("{} is named twice", path.display()))
        .collect();
    if !twice.is_empty() {
        return Err(Failure { exit: Exit::Usage, lines: twice });
    }
    let mut nodes = Vec::new();
    let mut lines = Vec::new();
    let mut kept = 0;
    for path in paths {
        match inventory(path) {
            Ok((inventory, file)) => {
                kept += file.unwrap_or_default();
                let again = file.is_some() && kept > most && path != Path::new("-");
                nodes.push(if again { Node::File(path.clone()) } else { Node::Kept(Box::new(inventory)) });
            }
            Err(cause) => lines.push(format!("cannot read {}: {cause}", name(path))),
        }
    }
    if lines.is_empty() { Ok(Nodes(nodes)) } else { Err(Failure { exit: Exit::BadInput, lines }) }
}

/// Opens a capture: a folder or an archive.
///
/// # Errors
/// If it is none.
pub(crate) fn capture(path: &Path) -> Result<Replay, Failure> {
    let opened = files::open(path).and_then(|input| match input {
        Input::Json(_) => Err("it looks like an inventory, and a capture is asked for".to_owned()),
        input => replay(path, input),
    });
    opened.map_err(|cause| Failure::new(Exit::BadInput, format!("cannot read {}: {cause}", name(path))))
}

/// The inventory, and of an inventory file its size in bytes.
fn inventory(path: &Path) -> Result<(Inventory, Option<u64>), String> {
    match files::open(path)? {
        Input::Json(bytes) => Ok((parse(&bytes)?, Some(bytes.len() as u64))),
        input => {
            let replay = replay(path, input)?;
            let host: &dyn Host = &replay;
            Ok((collect::collect_with(host, &|_| ()), None))
        }
    }
}

fn replay(path: &Path, input: Input) -> Result<Replay, String> {
    match input {
        Input::Folder => Replay::open(path).map_err(|error| error.cause.to_string()),
        Input::Other(bytes) => Replay::from_archive(bytes).map_err(|cause| format!("{NEITHER}: {cause}")),
        Input::Json(_) => Err("it is JSON".to_owned()),
    }
}

fn name(path: &Path) -> Cow<'_, str> {
    if path == Path::new("-") { "standard input".into() } else { path.to_string_lossy() }
}

/// An inventory from its JSON.
///
/// # Errors
/// The cause in words, with line and column where there is one.
pub(crate) fn parse(bytes: &[u8]) -> Result<Inventory, String> {
    let mut survey = Survey::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    Look { survey: &mut survey, place: Place::Top }
        .deserialize(&mut json)
        .and_then(|()| json.end())
        .map_err(|error| in_words(&error))?;
    match survey.schema.as_deref() {
        Some(SCHEMA) => {}
        Some(other) if other.starts_with("muster.report/") => {
            return Err(format!("it is a report ({other}), and an inventory is asked for"));
        }
        Some(other) => {
            return Err(format!("it is of schema {other}, and this version reads {SCHEMA}"));
        }
        None => return Err(format!("no inventory: it has no \"schema\": \"{SCHEMA}\"")),
    }
    let inventory: Inventory = serde_json::from_slice(bytes).map_err(|error| in_words(&error))?;
    for (what, highest, length) in [
        ("errors", survey.highest_error, inventory.errors.len()),
        ("sources", survey.highest_source, inventory.sources.len()),
    ] {
        if let Some(highest) = highest.filter(|highest| *highest >= length as u64) {
            return Err(format!("it points to entry {highest} of \"{what}\", which has {length} (counted from 0)"));
        }
    }
    Ok(inventory)
}

fn in_words(error: &serde_json::Error) -> String {
    match error.classify() {
        serde_json::error::Category::Eof => format!("the JSON is cut off: {error}"),
        serde_json::error::Category::Syntax => format!("not JSON: {error}"),
        serde_json::error::Category::Data => format!("not a valid inventory: {error}"),
        serde_json::error::Category::Io => error.to_string(),
    }
}

/// What one pass over the JSON tells before it is given a type.
#[derive(Debug, Default)]
struct Survey {
    schema: Option<String>,
    highest_error: Option<u64>,
    highest_source: Option<u64>,
}

/// What a value stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// The whole file.
    Top,
    /// The value of the top's `schema`.
    Schema,
    /// An index into `errors`, or a list of them.
    Error,
    /// A record's `sources`: an object of indexes.
    Sources,
    /// An index into `sources`.
    Source,
    /// Anything else.
    Other,
}

/// Looks at one value and what is in it. Recursion is bounded by serde_json, at 128.
struct Look<'s> {
    survey: &'s mut Survey,
    place: Place,
}

impl Look<'_> {
    fn text<E: de::Error>(&mut self, text: &str) -> Result<(), E> {
        if text.len() > TEXT_BYTES {
            return Err(E::custom(format_args!("a text of {} bytes, longer than {TEXT_BYTES}", text.len())));
        }
        if self.place == Place::Schema {
            self.survey.schema = Some(text.to_owned());
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, index: u64) -> Result<(), E> {
        match self.place {
            Place::Error => self.survey.highest_error = self.survey.highest_error.max(Some(index)),
            Place::Source => self.survey.highest_source = self.survey.highest_source.max(Some(index)),
            Place::Top | Place::Schema | Place::Sources | Place::Other => {}
        }
        Ok(())
    }
    fn visit_str<E: de::Error>(mut self, text: &str) -> Result<(), E> {
        self.text(text)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let place = if self.place == Place::Error { Place::Error } else { Place::Other };
        while seq.next_element_seed(Look { survey: &mut *self.survey, place })?.is_some() {}
        Ok(())
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let place = self.place;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            Look { survey: &mut *self.survey, place: Place::Other }.text(&key)?;
            let place = match (place, key.as_ref()) {
                (Place::Top, "schema") => Place::Schema,
                (Place::Top, _) => Place::Other,
                (Place::Sources, _) => Place::Source,
                (_, "unreadable" | "partial") => Place::Error,
                (_, "sources") => Place::Sources,
                _ => Place::Other,
            };
            map.next_value_seed(Look { survey: &mut *self.survey, place })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ERROR: &str = r#"{"operation":"read /x","kind":"permission-denied","cause":"permission denied"}"#;

    fn whole(node: &str) -> String {
        format!(
            r#"{{"schema":"muster.inventory/v1","version":"0.1.0","collected_at":null,"node":{node},"sources":["/a","/b"],"errors":[{ERROR}]}}"#
        )
    }

    fn refused(json: &str) -> String {
        parse(json.as_bytes()).expect_err(json)
    }

    #[test]
    fn an_inventory_with_valid_indexes_is_taken() {
        let node = r#"{"hostname":{"unreadable":0},"drives":{"items":[{"name":"sda","sources":{"name":1}}],"partial":[0]},"sources":{"hostname":0}}"#;
        assert_eq!(parse(whole(node).as_bytes()).unwrap().node.drives.items().len(), 1);
    }

    #[test]
    fn an_index_out_of_its_table_is_refused() {
        for (node, expected) in [
            (r#"{"hostname":{"unreadable":1}}"#, r#"it points to entry 1 of "errors", which has 1 (counted from 0)"#),
            (r#"{"drives":{"items":[],"partial":[0,7]}}"#, r#"it points to entry 7 of "errors""#),
            (r#"{"drives":[{"serial":{"unreadable":3}}]}"#, r#"it points to entry 3 of "errors""#),
            (r#"{"sources":{"hostname":2}}"#, r#"it points to entry 2 of "sources", which has 2"#),
            (r#"{"cpu":{"caches":[{"sources":{"level":9}}]}}"#, r#"it points to entry 9 of "sources""#),
        ] {
            let cause = refused(&whole(node));
            assert!(cause.starts_with(expected), "{node}: {cause}");
        }
    }

    #[test]
    fn what_is_not_kept_is_read_again() {
        let folder = tempfile::TempDir::new().unwrap();
        let paths: Vec<PathBuf> = ["a", "b"].iter().map(|name| folder.path().join(name)).collect();
        for (path, name) in paths.iter().zip(["n1", "n2"]) {
            files::write(path, whole(&format!(r#"{{"hostname":"{name}"}}"#)).as_bytes()).unwrap();
        }
        let size = whole(r#"{"hostname":"n1"}"#).len() as u64;
        let nodes = keeping(&paths, size).unwrap();
        assert!(matches!(nodes.0.as_slice(), [Node::Kept(_), Node::File(_)]));
        let name = |place| nodes.load(place).unwrap().node.hostname.known().cloned().unwrap();
        assert_eq!((name(0), name(1)), ("n1".to_owned(), "n2".to_owned()));
        // A file that changes under our feet is told as such, not judged by halves.
        files::write(&paths[1], b"{").unwrap();
        let cause = nodes.load(1).unwrap_err();
        assert!(cause.contains("a second time") && cause.contains("cut off"), "{cause}");
        assert!(nodes.load(2).is_err());
    }

    #[test]
    fn what_is_no_inventory_says_so() {
        let cut = whole("{}");
        for (json, expected) in [
            ("", "the JSON is cut off"),
            ("nonsense", "not JSON: expected ident at line 1 column 2"),
            (cut.strip_suffix("]}").unwrap(), "the JSON is cut off"),
            (&format!("{cut} x"), "not JSON: trailing characters"),
            ("[]", "no inventory: it has no \"schema\""),
            ("{}", "no inventory: it has no \"schema\""),
            (r#"{"schema":1}"#, "no inventory: it has no \"schema\""),
            (r#"{"schema":"muster.report/v1"}"#, "it is a report (muster.report/v1)"),
            (
                &cut.replace("inventory/v1", "inventory/v9"),
                "it is of schema muster.inventory/v9, and this version reads muster.inventory/v1",
            ),
            (r#"{"schema":"muster.inventory/v1"}"#, "not a valid inventory: missing field `version`"),
            (&whole(r#"{"hostname":5}"#), "not a valid inventory: invalid type: integer `5`, expected a string"),
            (&whole(r#"{"hostname":{"unreadable":4294967295}}"#), "not a valid inventory: error index out of range"),
            (&whole(r#"{"drives":null}"#), "not a valid inventory"),
            (
                &whole(&format!("{{\"x\":\"{}\"}}", "y".repeat(70_000))),
                "not a valid inventory: a text of 70000 bytes, longer than 65536",
            ),
            (
                &whole(&format!("{{\"{}\":1}}", "k".repeat(70_000))),
                "not a valid inventory: a text of 70000 bytes, longer than 65536",
            ),
            (&whole(&format!("{{\"x\":{}", "[".repeat(100_000))), "not JSON: recursion limit exceeded"),
        ] {
            let cause = refused(json);
            assert!(cause.starts_with(expected), "{}: {cause}", json.chars().take(60).collect::<String>());
        }
    }
}
