//! A check as written: `checks/<subject>/<property>.yaml`.

use crate::rules::read::{At, Count, Entries, Read, Reader, choice, raw};
use crate::rules::source::Span;
use crate::rules::subject::Subject;
use crate::rules::text::{Address, CheckIdText, ExpressionText, Line, MessageText, Prose, Text, ValueForm, ValueText};
use crate::rules::tree::{Kind, Node};
use crate::units::Dimension;
use crate::verdict::Level;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

raw! {
    /// One check: what can be judged. It says nothing about who demands it: packs do.
    pub struct RawCheck {
        /// Name of the check; equals the path of its file, with `.` for `/`.
        pub id: CheckIdText,
        /// What it demands, in one line.
        pub title: Line,
        /// How much it weighs unless a pack says otherwise: must -> fail, should -> warn, info -> note.
        pub level: At<Level>,
        /// What is judged: the whole node, each element of one of its collections, or the cluster.
        pub r#for: At<Subject>,
        /// Which of them; the others are left out. For `cluster`: of which clusters, as in `size(nodes) > 1` for a check
        /// that compares nodes.
        pub r#where: Option<ExpressionText>,
        /// Limits, by name; `params.NAME` in expressions. A pack may set them.
        pub params: Option<Entries<RawParam>>,
        /// Values used more than once, by name, in order: a later one may use those before it.
        pub r#let: Option<Entries<ExpressionText>>,
        /// For `cluster` alone: what is kept of each node, by name; all that the check sees of the nodes.
        pub keys: Option<Entries<ExpressionText>>,
        /// What has to be true. One of `assert`, `uniform`, `unique` and `outlier` is given.
        pub assert: Option<ExpressionText>,
        /// What has to be equal among the subjects; those that differ from most are named.
        pub uniform: Option<ExpressionText>,
        /// What no two subjects may share.
        pub unique: Option<ExpressionText>,
        /// What may not stand apart from the peers: median and MAD.
        pub outlier: Option<ExpressionText>,
        /// Only subjects for which this is equal are compared with each other. One for which it is absent has no peers:
        /// it is what `when_absent` says.
        pub by: Option<ExpressionText>,
        /// Whether subjects of all nodes are compared (the default), or those of one node.
        pub across: Option<At<Across>>,
        /// For `outlier`: which side is bad; both by default.
        pub side: Option<At<Side>>,
        /// For `outlier`: with fewer peers than this it cannot be judged; 5 by default, 3 at least.
        pub min_n: Option<Count>,
        /// For `outlier`: a deviation of less than this part of the median is never bad; 5% by default.
        pub floor: Option<ValueText>,
        /// For `outlier`: how many MADs (scaled to a standard deviation) are bad; 5 by default.
        pub deviations: Option<Count>,
        /// What an absent value makes of it; unknown by default.
        pub when_absent: Option<At<WhenAbsent>>,
        /// Found against limit, one sentence, expressions in braces.
        pub message: MessageText,
        /// Why the demand exists.
        pub why: Prose,
        /// What to do.
        pub fix: Prose,
        /// Where the demand comes from; one at least.
        pub sources: Vec<RawCitation>,
    }
}

raw! {
    /// One limit of a check.
    pub struct RawParam {
        /// What kind of value.
        pub r#type: At<ParamType>,
        /// The value unless a pack sets another.
        pub default: RawValue,
        /// In which direction it demands more; only quantities and numbers have one.
        pub stricter: At<Stricter>,
        /// What it limits.
        pub doc: Line,
        /// `low` if the figure rests on memory or one unconfirmed report: it can at most warn.
        pub confidence: Option<At<Confidence>>,
    }
}

raw! {
    /// A document that a demand comes from.
    pub struct RawCitation {
        /// The document.
        pub title: Line,
        /// Its address.
        pub url: Option<Address>,
        /// The place in it.
        pub clause: Option<Line>,
    }
}

choice!("level", Level { Must = "must", Should = "should", Info = "info" });

/// What is compared with what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Across {
    /// The subjects of all nodes.
    Cluster,
    /// The subjects of each node among themselves.
    Node,
}
choice!("scope", Across { Cluster = "cluster", Node = "node" });

/// Which deviation is bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Either.
    Both,
    /// Below the peers.
    Low,
    /// Above the peers.
    High,
}
choice!("side", Side { Both = "both", Low = "low", High = "high" });

/// What an absent value makes of a check; never a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenAbsent {
    /// It could not be told.
    Unknown,
    /// It does not apply.
    Skipped,
    /// A warning, whatever the level.
    Warn,
    /// As an assertion that is false.
    Fail,
}
choice!("outcome", WhenAbsent { Unknown = "unknown", Skipped = "skipped", Warn = "warn", Fail = "fail" });

/// In which direction a limit demands more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stricter {
    /// A larger value demands more: a lower bound.
    Higher,
    /// A smaller value demands more: an upper bound.
    Lower,
    /// Neither: a change is neither stricter nor milder.
    None,
}
choice!("direction", Stricter { Higher = "higher", Lower = "lower", None = "none" });

/// How well a figure is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// By its source.
    High,
    /// By memory or one unconfirmed report.
    Low,
}
choice!("confidence", Confidence { High = "high", Low = "low" });

/// What kind of value a param is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamType {
    /// True or false.
    Bool,
    /// A whole number without a unit.
    Int,
    /// A number or quantity.
    Quantity(Dimension),
    /// Text.
    Text,
    /// A list of texts.
    Texts,
}
choice!("type", ParamType {
    Bool = "bool",
    Int = "int",
    Quantity(Dimension::None) = "number",
    Text = "text",
    Texts = "texts",
    Quantity(Dimension::Ratio) = "ratio",
    Quantity(Dimension::Bytes) = "bytes",
    Quantity(Dimension::BitsPerSecond) = "bits_per_second",
    Quantity(Dimension::BytesPerSecond) = "bytes_per_second",
    Quantity(Dimension::Hertz) = "hertz",
    Quantity(Dimension::TransfersPerSecond) = "transfers_per_second",
    Quantity(Dimension::Celsius) = "celsius",
    Quantity(Dimension::Seconds) = "seconds",
    Quantity(Dimension::Iops) = "iops",
    Quantity(Dimension::Dwpd) = "dwpd",
    Quantity(Dimension::Watts) = "watts",
});

/// The value of a param as written: a word, a number with its unit, or a list of texts.
#[derive(Debug, Clone)]
pub enum RawValue {
    /// One value.
    One(ValueText),
    /// A list.
    Many(Vec<ValueText>, Span),
}

impl RawValue {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::One(text) => text.span(),
            Self::Many(_, span) => *span,
        }
    }
}

impl Read for RawValue {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        match &node.kind {
            Kind::List(_) => Self::Many(Vec::read(node, reader), node.span),
            _ => Self::One(Text::<ValueForm>::read(node, reader)),
        }
    }

    fn broken(span: Span) -> Self {
        Self::One(Text::broken(span))
    }
}

impl JsonSchema for RawValue {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean", "array"], "items": { "type": "string" } })
    }
}

/// A value for a param: itself, or with what is to be said about it.
#[derive(Debug, Clone)]
pub struct RawSetting {
    /// The value.
    pub value: RawValue,
    /// How well it is founded.
    pub confidence: Option<At<Confidence>>,
}

raw! {
    /// A value with what is to be said about it.
    pub struct RawFoundedSetting {
        /// The value.
        pub value: RawValue,
        /// `low` if the figure rests on memory or one unconfirmed report: it can at most warn.
        pub confidence: Option<At<Confidence>>,
    }
}

impl Read for RawSetting {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        match &node.kind {
            Kind::Map(_) => {
                let RawFoundedSetting { value, confidence, .. } = RawFoundedSetting::read(node, reader);
                Self { value, confidence }
            }
            _ => Self { value: RawValue::read(node, reader), confidence: None },
        }
    }

    fn broken(span: Span) -> Self {
        Self { value: RawValue::broken(span), confidence: None }
    }
}

impl JsonSchema for RawSetting {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Setting".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let plain = generator.subschema_for::<RawValue>();
        let founded = generator.subschema_for::<RawFoundedSetting>();
        json_schema!({ "anyOf": [plain, founded] })
    }
}
