//! From text to a tree of values that know where they stand: the only place that reads YAML.
//!
//! Built on the parser inside serde-saphyr, event by event, with budgets. Of YAML it takes what a rule needs: maps,
//! lists and scalars of one document. Tags, anchors, aliases, merge keys, directives and duplicate keys are errors,
//! each with its place; an alias is never expanded. Knows nothing of what the values mean.

use crate::rules::diagnostic::{Errors, error, is_hostile, quoted};
use crate::rules::scalar::{Scalar, Style};
use crate::rules::source::{Source, Span};
use serde_saphyr::granit_parser::{self, Event, Parser, ScalarStyle, ScanError, StrInput};
use std::collections::HashMap;
use std::sync::Arc;

/// The largest file of rules that is looked at.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;

/// Maps, lists and scalars in one file.
const MAX_NODES: usize = 50_000;

/// Maps and lists inside each other; also bounds every recursion over the tree.
const MAX_DEPTH: usize = 32;

/// One value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    /// A scalar with its quotes; a map or list from its first entry (or bracket) on.
    pub(crate) span: Span,
    pub(crate) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Scalar(Scalar),
    List(Vec<Node>),
    /// In the order of the file; keys are unique.
    Map(Vec<(Scalar, Node)>),
    /// Something that was refused; the error is recorded.
    Broken,
}

impl Kind {
    /// The word for a message.
    pub(crate) fn what(&self) -> &'static str {
        match self {
            Self::Scalar(scalar) if scalar.is_null() => "nothing",
            Self::Scalar(_) => "a single value",
            Self::List(_) => "a list",
            Self::Map(_) => "a map",
            Self::Broken => "something refused",
        }
    }
}

/// Takes the bytes of a file; `None` if they are too many or no text, which is then recorded.
pub(crate) fn decode(path: &str, bytes: &[u8], errors: &mut Errors) -> Option<Arc<Source>> {
    let nothing = |errors: &mut Errors, message: String| {
        errors.at(&Arc::new(Source::new(path, "")), Span::empty(0), message);
        None
    };
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("the file has {} bytes; at most {MAX_FILE_BYTES} are read", bytes.len());
        return nothing(errors, message);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Some(Arc::new(Source::new(path, text))),
        Err(bad) => {
            let valid = bytes.get(..bad.valid_up_to()).unwrap_or_default();
            let source = Arc::new(Source::new(path, String::from_utf8_lossy(valid)));
            errors.at(&source, Span::empty(valid.len()), "the file is not UTF-8 from here on");
            None
        }
    }
}

/// Reads the one document of a file. `None` if it is no YAML or over budget; what was found is recorded.
pub(crate) fn parse(source: &Arc<Source>, errors: &mut Errors) -> Option<Node> {
    let mut hostile = false;
    for (at, c) in source.text().char_indices() {
        let carriage_return = c == '\r';
        // A byte-order mark before the first line is allowed.
        if is_hostile(c) && !carriage_return && !(at == 0 && c == '\u{FEFF}') {
            hostile = true;
            refuse_character(source, Span::new(at, at + c.len_utf8()), c, errors);
        }
    }
    let options = granit_parser::options! {
        disallow_directives: true,
        emit_unresolved_aliases: true,
        emit_anchor_events: true,
        emit_comments: false,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let parser = Parser::with_options(StrInput::new(source.text()), options);
    let mut builder = Builder { source, errors, stack: Vec::new(), root: None, nodes: 0, documents: 0 };
    for event in parser {
        let step = match event {
            Ok((event, span)) => builder.take(&event, place(&span), tag_place(&span)),
            Err(bad) => {
                // The parser stops at what was reported above.
                if !hostile {
                    builder.syntax(&bad);
                }
                Err(Stop)
            }
        };
        if step.is_err() {
            return None;
        }
    }
    let root = builder.root.take();
    if root.is_none() {
        errors.at(source, Span::empty(0), "the file is empty");
    }
    root
}

pub(crate) fn refuse_character(source: &Arc<Source>, span: Span, c: char, errors: &mut Errors) {
    errors.advise(
        source,
        span,
        format!("the character U+{:04X} is not allowed", u32::from(c)),
        "control characters and those that turn or hide text have no place in rules",
    );
}

fn place(span: &granit_parser::Span) -> Span {
    span.byte_range().map_or_else(Span::default, |bytes| Span::new(bytes.start, bytes.end))
}

fn tag_place(span: &granit_parser::Span) -> Option<Span> {
    span.tag_span().as_ref().map(place)
}

/// Reading ends here; the reason is recorded.
struct Stop;

enum Frame {
    List { span: Span, items: Vec<Node> },
    Map { span: Span, entries: Vec<(Scalar, Node)>, seen: HashMap<String, Span>, key: Option<Key> },
}

/// The key that waits for its value.
enum Key {
    Good(Scalar),
    /// Its entry is dropped; the error is recorded.
    Bad,
}

struct Builder<'a> {
    source: &'a Arc<Source>,
    errors: &'a mut Errors,
    stack: Vec<Frame>,
    root: Option<Node>,
    nodes: usize,
    documents: usize,
}

impl Builder<'_> {
    fn take(&mut self, event: &Event<'_>, span: Span, tag: Option<Span>) -> Result<(), Stop> {
        if event.tag().is_some() {
            self.refuse(tag.unwrap_or(span), "a tag is not allowed", "leave it out: the format says what a value is");
        }
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.errors.at(self.source, span, "a second document: a file of rules has one");
                    return Err(Stop);
                }
            }
            Event::Anchor(..) => self.refuse(span, "an anchor is not allowed", "write the value where it is used"),
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.count(span)?;
                self.refuse(span, "an alias is not allowed", "write the value out");
                self.node(Node { span, kind: Kind::Broken });
            }
            Event::Scalar(text, style, ..) => {
                self.count(span)?;
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::SingleQuoted,
                    ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                    ScalarStyle::Literal => Style::Literal,
                    ScalarStyle::Folded => Style::Folded,
                };
                let scalar = Scalar { text: text.to_string(), style, span };
                self.escaped(&scalar);
                self.node(Node { span, kind: Kind::Scalar(scalar) });
            }
            Event::SequenceStart(..) => self.open(span, Frame::List { span, items: Vec::new() })?,
            Event::MappingStart(..) => {
                self.open(span, Frame::Map { span, entries: Vec::new(), seen: HashMap::new(), key: None })?;
            }
            Event::SequenceEnd | Event::MappingEnd => match self.stack.pop() {
                Some(Frame::List { span: start, items }) => {
                    self.node(Node { span: Span::new(start.start, span.end), kind: Kind::List(items) });
                }
                Some(Frame::Map { span: start, entries, .. }) => {
                    self.node(Node { span: Span::new(start.start, span.end), kind: Kind::Map(entries) });
                }
                None => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn open(&mut self, span: Span, frame: Frame) -> Result<(), Stop> {
        self.count(span)?;
        if self.stack.len() >= MAX_DEPTH {
            self.errors.at(self.source, span, format!("nested deeper than {MAX_DEPTH} levels"));
            return Err(Stop);
        }
        self.stack.push(frame);
        Ok(())
    }

    fn count(&mut self, span: Span) -> Result<(), Stop> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            self.errors.at(self.source, span, format!("more than {MAX_NODES} values in one file"));
            return Err(Stop);
        }
        Ok(())
    }

    /// Puts a value where it belongs: as key or value of a map, into a list, or as the whole.
    fn node(&mut self, node: Node) {
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Frame::List { items, .. }) => items.push(node),
            Some(Frame::Map { entries, seen, key, .. }) => match key.take() {
                Some(Key::Good(name)) => entries.push((name, node)),
                Some(Key::Bad) => {}
                None => *key = Some(as_key(node, seen, self.source, self.errors)),
            },
        }
    }

    fn refuse(&mut self, span: Span, message: &str, help: &str) {
        self.errors.advise(self.source, span, message, help);
    }

    /// Characters that only an escape brings in.
    fn escaped(&mut self, scalar: &Scalar) {
        if scalar.style == Style::DoubleQuoted {
            for (at, c) in scalar.text.char_indices().filter(|(_, c)| is_hostile(*c)) {
                let span = scalar.place(self.source, at, at + c.len_utf8());
                refuse_character(self.source, span, c, self.errors);
            }
        }
    }

    fn syntax(&mut self, bad: &ScanError) {
        let at = bad.marker().byte_offset().unwrap_or_default().min(self.source.text().len());
        let message = if matches!(bad.kind(), granit_parser::ErrorKind::RecursionLimitExceeded) {
            format!("nested deeper than {MAX_DEPTH} levels")
        } else {
            format!("no valid YAML: {}", bad.info())
        };
        self.errors.at(self.source, Span::empty(at), message);
    }
}

fn as_key(node: Node, seen: &mut HashMap<String, Span>, source: &Arc<Source>, errors: &mut Errors) -> Key {
    let Kind::Scalar(scalar) = node.kind else {
        if !matches!(node.kind, Kind::Broken) {
            errors.at(source, node.span, "a key has to be a single word");
        }
        return Key::Bad;
    };
    if scalar.text == "<<" && scalar.style == Style::Plain {
        errors.advise(source, scalar.span, "a merge key is not allowed", "write the entries out");
        return Key::Bad;
    }
    if let Some(first) = seen.get(&scalar.text) {
        let mut twice = error(source, scalar.span, format!("the key {} stands here twice", quoted(&scalar.text)));
        twice.also = Some((*first, "first here".to_owned()));
        errors.push(twice);
        return Key::Bad;
    }
    seen.insert(scalar.text.clone(), scalar.span);
    Key::Good(scalar)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The errors of a file, one a line.
    fn errors(text: &str) -> Vec<String> {
        let mut errors = Errors::default();
        if let Some(source) = decode("a.yaml", text.as_bytes(), &mut errors) {
            let _ = parse(&source, &mut errors);
        }
        errors.into_sorted().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_yaml_offers_beyond_need_is_refused_where_it_stands() {
        for (text, expected) in [
            ("a: !!str b\n", "a.yaml:1:4: a tag is not allowed"),
            ("a:\n  !x\n  b: c\n", "a.yaml:2:3: a tag is not allowed"),
            ("a: &x b\n", "a.yaml:1:4: an anchor is not allowed"),
            ("a: &x\n  b: c\n", "a.yaml:1:4: an anchor is not allowed"),
            ("a: *x\n", "a.yaml:1:4: an alias is not allowed"),
            ("a: 1\n<<: {b: 2}\n", "a.yaml:2:1: a merge key is not allowed"),
            ("a: 1\nb: 2\na: 3\n", "a.yaml:3:1: the key `a` stands here twice"),
            ("x: {a: 1, 'a': 3}\n", "a.yaml:1:11: the key `a` stands here twice"),
            ("? [a, b]\n: c\n", "a.yaml:1:3: a key has to be a single word"),
            ("a: 1\n---\nb: 2\n", "a.yaml:2:1: a second document: a file of rules has one"),
            ("", "a.yaml:1:1: the file is empty"),
            ("# nothing\n", "a.yaml:1:1: the file is empty"),
            ("a: \"\\u202e\"\n", "a.yaml:1:5: the character U+202E is not allowed"),
            ("a: b\u{202e}\n", "a.yaml:1:5: the character U+202E is not allowed"),
            ("a: \"\\0\"\n", "a.yaml:1:5: the character U+0000 is not allowed"),
            ("a: b\u{7}c\n", "a.yaml:1:5: the character U+0007 is not allowed"),
            ("a: 1 # \u{2066}\n", "a.yaml:1:8: the character U+2066 is not allowed"),
        ] {
            assert_eq!(errors(text), [expected], "{text:?}");
        }
    }

    #[test]
    fn all_of_them_in_one_go() {
        assert_eq!(
            errors("a: &x b\nc: *x\nd: !t e\nd: *y\n"),
            [
                "a.yaml:1:4: an anchor is not allowed",
                "a.yaml:2:4: an alias is not allowed",
                "a.yaml:3:4: a tag is not allowed",
                "a.yaml:4:1: the key `d` stands here twice",
                "a.yaml:4:4: an alias is not allowed",
            ]
        );
    }

    #[test]
    fn syntax_errors_have_a_place() {
        for (text, place) in [("a: 'b\n", "a.yaml:1:4: "), ("a: [b\n", "a.yaml:1:4: "), ("a: b: c\n", "a.yaml:1:5: ")] {
            let found = errors(text);
            assert!(found.len() == 1 && found[0].starts_with(place), "{found:?}");
        }
    }

    #[test]
    fn directives_are_refused() {
        let found = errors("%YAML 1.2\n---\na: 1\n");
        assert!(found.len() == 1 && found[0].starts_with("a.yaml:1:1: "), "{found:?}");
    }

    #[test]
    fn bytes_that_are_no_text() {
        let mut errors = Errors::default();
        assert!(decode("a.yaml", b"a: b\n\xff\xfe", &mut errors).is_none());
        assert!(decode("b.yaml", &vec![b'a'; MAX_FILE_BYTES + 1], &mut errors).is_none());
        let found: Vec<String> = errors.into_sorted().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "a.yaml:2:1: the file is not UTF-8 from here on",
                "b.yaml:1:1: the file has 1048577 bytes; at most 1048576 are read",
            ]
        );
    }

    #[test]
    fn bombs_stop() {
        let deep = errors(&"[".repeat(100_000));
        assert_eq!(deep, ["a.yaml:1:33: nested deeper than 32 levels"]);
        let mut nested = String::new();
        for level in 0..1_000 {
            nested.push_str(&" ".repeat(level));
            nested.push_str("a:\n");
        }
        assert_eq!(errors(&nested), ["a.yaml:33:33: nested deeper than 32 levels"]);
        assert_eq!(errors(&"- a\n".repeat(60_000)), ["a.yaml:50000:3: more than 50000 values in one file"]);
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (from, to) in "abcdefgh".chars().zip("bcdefghi".chars()) {
            bomb.push_str(&format!("{to}: &{to} [{}]\n", vec![format!("*{from}"); 9].join(", ")));
        }
        let found = errors(&bomb);
        assert_eq!(found[0], "a.yaml:1:4: an anchor is not allowed");
        assert_eq!(found.len(), 51);
    }
}
