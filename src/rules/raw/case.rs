//! Cases of one check as written: `fixtures/checks/<id>.yaml`, facts in, verdict and message out.

use crate::rules::raw::check::RawSetting;
use crate::rules::raw::pack::{DriveRole, NicRole};
use crate::rules::read::{At, Entries, Read, Reader, choice, raw};
use crate::rules::source::Span;
use crate::rules::text::{Line, Prose, ValueText};
use crate::rules::tree::{Kind, Node};
use crate::verdict::Verdict;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

raw! {
    /// One case.
    pub struct RawCase {
        /// What the case shows; unique in the file.
        pub name: Line,
        /// The facts of one node, as `node` in an inventory. What is left out was not collected.
        pub facts: Option<Facts>,
        /// Of several nodes, for checks that compare.
        pub nodes: Option<Vec<Facts>>,
        /// Limits, by name, that a pack would set.
        pub params: Option<Entries<RawSetting>>,
        /// Roles by the name of the drive or interface; overrides nothing else.
        pub roles: Option<RawCaseRoles>,
        /// Planned working set of one node, that a site file would set.
        pub working_set: Option<ValueText>,
        /// The verdict, or by subject where there are several.
        pub verdict: Expected<At<Verdict>>,
        /// The message to the letter, or by subject.
        pub message: Option<Expected<Prose>>,
    }
}

raw! {
    /// Roles of a case.
    pub struct RawCaseRoles {
        /// By the kernel's name of the drive.
        pub drive: Option<Entries<At<DriveRole>>>,
        /// By the kernel's name of the interface.
        pub nic: Option<Entries<At<NicRole>>>,
    }
}

choice!("verdict", Verdict {
    Pass = "pass", Fail = "fail", Warn = "warn", Note = "note", Unknown = "unknown", Skipped = "skipped",
});

/// Facts as they stand in the file; typed by the inventory when the case is compiled.
#[derive(Debug, Clone)]
pub struct Facts(pub(crate) Node);

impl Facts {
    /// Where they stand.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }
}

impl Read for Facts {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        if !matches!(node.kind, Kind::Map(_)) {
            reader.expected("a map of facts", node);
        }
        Self(node.clone())
    }

    fn broken(span: Span) -> Self {
        Self(Node { span, kind: Kind::Broken })
    }
}

impl JsonSchema for Facts {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Facts".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object" })
    }
}

/// One for all subjects, or one for each.
#[derive(Debug, Clone)]
pub enum Expected<T> {
    /// Of every subject.
    All(T),
    /// By subject.
    Each(Entries<T>),
}

impl<T: Read> Read for Expected<T> {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        match &node.kind {
            Kind::Map(_) => Self::Each(Entries::read(node, reader)),
            _ => Self::All(T::read(node, reader)),
        }
    }

    fn broken(span: Span) -> Self {
        Self::All(T::broken(span))
    }
}

impl<T: JsonSchema> JsonSchema for Expected<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        format!("Expected{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "object", "additionalProperties": one }] })
    }
}
