//! From the tree to values as written: what each type takes, and what is said if it stands there otherwise.
//!
//! Nothing stops at the first mistake: a value that cannot be read is replaced by one that stands for "broken" and
//! the error is recorded, so that all others are still found. Knows no key of any format: those are in `raw`.

use crate::rules::diagnostic::{Errors, error, quoted, suggestion};
use crate::rules::scalar::{Scalar, Style};
use crate::rules::source::{Source, Span};
use crate::rules::tree::{Kind, Node};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

/// The most entries of one list or map.
const MAX_ENTRIES: usize = 10_000;

/// The file that is being read, and where its mistakes go.
pub(crate) struct Reader<'a> {
    pub(crate) source: &'a Arc<Source>,
    pub(crate) errors: &'a mut Errors,
}

impl Reader<'_> {
    pub(crate) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.at(self.source, span, message);
    }

    pub(crate) fn advise(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.errors.advise(self.source, span, message, help);
    }

    /// Something else was expected.
    pub(crate) fn expected(&mut self, what: &str, node: &Node) {
        // What was refused is recorded already.
        if !matches!(node.kind, Kind::Broken) {
            self.error(node.span, format!("expected {what}, found {}", node.kind.what()));
        }
    }

    /// An unknown word.
    pub(crate) fn unknown(&mut self, span: Span, what: &str, word: &str, known: &[&str]) {
        let mut unknown = error(self.source, span, format!("unknown {what} {}", quoted(word)));
        unknown.help = suggestion(word, known);
        self.errors.push(unknown);
    }
}

/// A type that stands in a file.
pub(crate) trait Read: Sized {
    /// Reads it; whatever is wrong is recorded.
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self;

    /// What stands for a value that could not be read; the error is recorded.
    fn broken(span: Span) -> Self;

    /// The key is not there.
    fn missing(owner: Span, key: &str, reader: &mut Reader<'_>) -> Self {
        reader.error(Span::empty(owner.start), format!("the key `{key}` is missing"));
        Self::broken(owner)
    }
}

/// The value, or `None` if it is not there or `null`.
impl<T: Read> Read for Option<T> {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        match &node.kind {
            Kind::Scalar(scalar) if scalar.is_missing() => {
                reader.advise(node.span, "nothing stands here", "leave the key out, or give it a value");
                None
            }
            Kind::Scalar(scalar) if scalar.is_null() => None,
            Kind::Broken => None,
            _ => Some(T::read(node, reader)),
        }
    }

    fn broken(_: Span) -> Self {
        None
    }

    fn missing(_: Span, _: &str, _: &mut Reader<'_>) -> Self {
        None
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        match &node.kind {
            Kind::List(items) => {
                if items.len() > MAX_ENTRIES {
                    reader.error(node.span, format!("{} entries; at most {MAX_ENTRIES}", items.len()));
                }
                items.iter().take(MAX_ENTRIES).map(|item| T::read(item, reader)).collect()
            }
            _ => {
                reader.expected("a list", node);
                Vec::new()
            }
        }
    }

    fn broken(_: Span) -> Self {
        Vec::new()
    }
}

/// A map of the author's own names, in the order of the file.
#[derive(Debug, Clone)]
pub struct Entries<T> {
    /// Name, where the name stands, value.
    pub list: Vec<(String, Span, T)>,
}

impl<T> Entries<T> {
    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&T> {
        self.list.iter().find(|(key, _, _)| key == name).map(|(_, _, value)| value)
    }
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<T: Read> Read for Entries<T> {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        match &node.kind {
            Kind::Map(entries) => {
                let list = entries.iter().take(MAX_ENTRIES);
                Self { list: list.map(|(key, value)| (key.text.clone(), key.span, T::read(value, reader))).collect() }
            }
            _ => {
                reader.expected("a map", node);
                Self::default()
            }
        }
    }

    fn broken(_: Span) -> Self {
        Self::default()
    }
}

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("MapOf{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}

/// A value and where it stands.
#[derive(Debug, Clone, Copy)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
    /// False if it could not be read: the error is recorded, and nothing more is to be said about it.
    pub is_read: bool,
}

impl<T> Deref for At<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// One of a fixed set of words.
pub trait Choice: Copy + 'static {
    /// What kind of word, for a message.
    const WHAT: &'static str;
    /// All of them.
    const ALL: &'static [Self];
    /// Stands for one that could not be read.
    const FIRST: Self;
    /// As it is written.
    fn word(self) -> &'static str;

    /// All of them as written.
    fn words() -> Vec<&'static str> {
        Self::ALL.iter().map(|choice| choice.word()).collect()
    }

    /// The one that is written so.
    fn of_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.word() == word)
    }
}

/// Makes an enum a [`Choice`] by naming its words.
macro_rules! choice {
    ($what:literal, $name:ident {
        $first:ident $(($first_of:path))? = $first_word:literal
        $(, $variant:ident $(($of:path))? = $word:literal)* $(,)?
    }) => {
        impl $crate::rules::read::Choice for $name {
            const WHAT: &'static str = $what;
            const ALL: &'static [Self] = &[Self::FIRST, $($name::$variant $(($of))?),*];
            const FIRST: Self = $name::$first $(($first_of))?;
            fn word(self) -> &'static str {
                match self {
                    $name::$first $(($first_of))? => $first_word,
                    $( $name::$variant $(($of))? => $word, )*
                }
            }
        }
    };
}
pub(crate) use choice;

impl<T: Choice> Read for At<T> {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        let words = T::words();
        match &node.kind {
            Kind::Scalar(scalar) if !scalar.is_null() => {
                if let Some(value) = T::of_word(&scalar.text) {
                    return Self { value, span: node.span, is_read: true };
                }
                reader.unknown(node.span, T::WHAT, &scalar.text, &words);
            }
            _ => reader.expected(&format!("one of {}", words.join(", ")), node),
        }
        Self::broken(node.span)
    }

    fn broken(span: Span) -> Self {
        Self { value: T::FIRST, span, is_read: false }
    }
}

impl<T: Choice> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        T::WHAT.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "enum": T::words() })
    }
}

/// True or false.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// The value.
    pub value: bool,
    /// Where it stands.
    pub span: Span,
}

impl Read for Flag {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        let value = match &node.kind {
            Kind::Scalar(Scalar { text, style: Style::Plain, .. }) if text == "true" => true,
            Kind::Scalar(Scalar { text, style: Style::Plain, .. }) if text == "false" => false,
            _ => {
                reader.expected("true or false", node);
                false
            }
        };
        Self { value, span: node.span }
    }

    fn broken(span: Span) -> Self {
        Self { value: false, span }
    }
}

impl JsonSchema for Flag {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Flag".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean" })
    }
}

/// A whole number, 0 to a million.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    /// The value.
    pub value: u32,
    /// Where it stands.
    pub span: Span,
}

/// The largest count.
const MAX_COUNT: u32 = 1_000_000;

impl Read for Count {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        if let Kind::Scalar(Scalar { text, style: Style::Plain, .. }) = &node.kind
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(value) = text.parse()
            && value <= MAX_COUNT
        {
            return Self { value, span: node.span };
        }
        reader.expected(&format!("a whole number from 0 to {MAX_COUNT}"), node);
        Self::broken(node.span)
    }

    fn broken(span: Span) -> Self {
        Self { value: 0, span }
    }
}

impl JsonSchema for Count {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Count".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 0, "maximum": MAX_COUNT })
    }
}

/// The entries of a map with fixed keys, taken one by one.
pub(crate) struct Fields<'n> {
    span: Span,
    entries: &'n [(Scalar, Node)],
}

impl<'n> Fields<'n> {
    /// Opens a map; `None` if it is none. Unknown keys are recorded.
    pub(crate) fn open(node: &'n Node, known: &[&str], reader: &mut Reader<'_>) -> Option<Self> {
        let Kind::Map(entries) = &node.kind else {
            reader.expected(&format!("a map with {}", known.join(", ")), node);
            return None;
        };
        for (key, _) in entries {
            if !known.contains(&key.text.as_str()) {
                reader.unknown(key.span, "key", &key.text, known);
            }
        }
        Some(Self { span: node.span, entries })
    }

    /// The value of a key.
    pub(crate) fn take<T: Read>(&self, key: &str, reader: &mut Reader<'_>) -> T {
        match self.entries.iter().find(|(name, _)| name.text == key) {
            Some((_, node)) => T::read(node, reader),
            None => T::missing(self.span, key, reader),
        }
    }
}

/// Declares a map with fixed keys once: the struct, its JSON Schema and how it is read. A key is missing with an
/// error unless its type is an `Option`.
macro_rules! raw {
    (
        $(#[doc = $doc:expr])*
        pub struct $name:ident {
            $( $(#[doc = $field_doc:expr])* pub $field:ident : $type:ty, )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        pub struct $name {
            /// Where it stands.
            #[schemars(skip)]
            pub span: $crate::rules::source::Span,
            $( $(#[doc = $field_doc])* pub $field: $type, )*
        }

        impl $name {
            /// Its keys, in the order of the documentation.
            pub const KEYS: &'static [&'static str] = &[$( $crate::rules::read::key(stringify!($field)) ),*];
        }

        impl $crate::rules::read::Read for $name {
            fn read(node: &$crate::rules::tree::Node, reader: &mut $crate::rules::read::Reader<'_>) -> Self {
                match $crate::rules::read::Fields::open(node, Self::KEYS, reader) {
                    Some(fields) => Self {
                        span: node.span,
                        $( $field: fields.take($crate::rules::read::key(stringify!($field)), reader), )*
                    },
                    None => Self::broken(node.span),
                }
            }

            fn broken(span: $crate::rules::source::Span) -> Self {
                Self {
                    span,
                    $( $field: <$type as $crate::rules::read::Read>::broken(span), )*
                }
            }
        }
    };
}
pub(crate) use raw;

/// The key of a field: `r#where` is written `where`.
pub(crate) const fn key(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}
