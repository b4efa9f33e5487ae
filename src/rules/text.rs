//! The texts of a file as written: each kind has a bound on its length and a form.
//!
//! Expressions are texts here too: they are compiled in `expression`. A plain scalar is refused for them, because
//! YAML silently takes `!`, `#`, `: ` and `? :` of it for its own.

use crate::rules::diagnostic::quoted;
use crate::rules::read::{Read, Reader};
use crate::rules::scalar::{Scalar, Style};
use crate::rules::source::{Source, Span};
use crate::rules::tree::{Kind, Node};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::ops::Deref;

/// What texts of a kind have to be.
pub(crate) trait Form {
    /// For a message and as the name in the schema.
    const WHAT: &'static str;
    /// The most characters.
    const MOST: usize;
    /// As a regular expression for the schema; empty for any text.
    const PATTERN: &'static str = "";
    /// Whether plain scalars are refused.
    const QUOTED: bool = false;
    /// What is wrong with it.
    fn refuse(text: &str) -> Option<String>;
}

/// A text of a form, and where it stands.
#[derive(Debug, Clone)]
pub struct Text<F> {
    /// The value; line breaks and blanks at its end are gone, unless it is an expression.
    pub value: String,
    scalar: Scalar,
    form: std::marker::PhantomData<F>,
}

impl<F> Text<F> {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        self.scalar.span
    }

    /// Where the bytes `from..to` of the value stand.
    #[must_use]
    pub fn place(&self, source: &Source, from: usize, to: usize) -> Span {
        self.scalar.place(source, from, to)
    }

    /// Whether it could not be read: the error is recorded, and nothing more is to be said about it.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.value.is_empty()
    }
}

impl<F> Deref for Text<F> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.value
    }
}

impl<F: Form> Read for Text<F> {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        let Kind::Scalar(scalar) = &node.kind else {
            reader.expected(F::WHAT, node);
            return Self::broken(node.span);
        };
        if scalar.is_null() {
            reader.expected(F::WHAT, node);
            return Self::broken(node.span);
        }
        if F::QUOTED && scalar.style == Style::Plain {
            reader.advise(
                node.span,
                format!("{} has to be in quotes or a block", F::WHAT),
                "YAML takes parts of a plain value (`!`, `#`, `: `, `{`) for its own: write '...', |, or >",
            );
            return Self::broken(node.span);
        }
        let value = if F::QUOTED { scalar.text.as_str() } else { scalar.text.trim_end() };
        let length = value.chars().count();
        if value.trim().is_empty() {
            reader.error(node.span, format!("{} is empty", F::WHAT));
            return Self::broken(node.span);
        }
        if length > F::MOST {
            reader.error(node.span, format!("{} has {length} characters; at most {}", F::WHAT, F::MOST));
            return Self::broken(node.span);
        }
        if let Some(wrong) = F::refuse(value) {
            reader.error(node.span, wrong);
            return Self::broken(node.span);
        }
        Self { value: value.to_owned(), scalar: scalar.clone(), form: std::marker::PhantomData }
    }

    fn broken(span: Span) -> Self {
        let scalar = Scalar { text: String::new(), style: Style::Plain, span };
        Self { value: String::new(), scalar, form: std::marker::PhantomData }
    }
}

impl<F: Form> JsonSchema for Text<F> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        F::WHAT.into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let mut schema = json_schema!({ "type": "string", "minLength": 1, "maxLength": F::MOST });
        if !F::PATTERN.is_empty() {
            schema.insert("pattern".to_owned(), F::PATTERN.into());
        }
        schema
    }
}

macro_rules! form {
    ($(#[doc = $doc:expr])* $name:ident, $alias:ident, $what:literal, $most:literal, $pattern:literal, $quoted:literal, $refuse:expr) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy)]
        pub enum $name {}

        impl Form for $name {
            const WHAT: &'static str = $what;
            const MOST: usize = $most;
            const PATTERN: &'static str = $pattern;
            const QUOTED: bool = $quoted;
            fn refuse(text: &str) -> Option<String> {
                let refuse: fn(&str) -> Option<String> = $refuse;
                refuse(text)
            }
        }

        $(#[doc = $doc])*
        pub type $alias = Text<$name>;
    };
}

form!(
    /// One line.
    LineForm, Line, "a line of text", 200, "", false, one_line
);
form!(
    /// One or more sentences.
    ProseForm, Prose, "a text", 4000, "", false, |_| None
);
form!(
    /// The id of a check: words of small letters, digits and `-`, joined by `.`.
    CheckIdForm, CheckIdText, "the id of a check", 100, "^[a-z0-9]+(-[a-z0-9]+)*(\\.[a-z0-9]+(-[a-z0-9]+)*)+$", false,
    check_id
);
form!(
    /// A name: small letters, digits and `-`.
    NameForm, Name, "a name", 60, "^[a-z0-9]+(-[a-z0-9]+)*$", false,
    |text| (!is_name(text)).then(|| format!("{} is not a name of small letters, digits and `-`", quoted(text)))
);
form!(
    /// A version: three numbers.
    VersionForm, Version, "a version", 30, "^[0-9]+\\.[0-9]+\\.[0-9]+$", false, version
);
form!(
    /// A date.
    DateForm, DateText, "a date", 10, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", false,
    |text| date(text).is_none().then(|| format!("{} is no date like 2027-03-31", quoted(text)))
);
form!(
    /// The address of a document.
    AddressForm, Address, "an address", 500, "^https?://", false,
    |text| (!(text.starts_with("https://") || text.starts_with("http://")) || text.contains(char::is_whitespace))
        .then(|| format!("{} is no address like https://example.com/document", quoted(text)))
);
form!(
    /// An expression.
    ExpressionForm, ExpressionText, "an expression", 8000, "", true, |_| None
);
form!(
    /// A text with expressions in braces.
    MessageForm, MessageText, "a message", 2000, "", true, |_| None
);
form!(
    /// A quantity, number or word.
    ValueForm, ValueText, "a value", 200, "", false, one_line
);
form!(
    /// A regular expression.
    PatternForm, PatternText, "a pattern", 500, "", true, one_line
);

fn one_line(text: &str) -> Option<String> {
    text.contains(['\n', '\r']).then(|| "this has to be one line".to_owned())
}

/// Whether the text is a name: words of small letters and digits, joined by `-`.
pub(crate) fn is_name(text: &str) -> bool {
    text.split('-')
        .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}

/// Whether the text is a name inside expressions: small letters, digits and `_`, a letter first.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.len() <= 60
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn check_id(text: &str) -> Option<String> {
    let good = text.contains('.') && text.split('.').all(is_name);
    (!good).then(|| format!("{} is not an id like `media.logical-block-size`", quoted(text)))
}

fn version(text: &str) -> Option<String> {
    let good = text.split('.').count() == 3
        && text.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    (!good).then(|| format!("{} is no version like 1.0.0", quoted(text)))
}

/// A date as it is written, year first.
pub(crate) fn date(text: &str) -> Option<jiff::civil::Date> {
    if text.len() != 10 {
        return None;
    }
    text.parse().ok()
}
