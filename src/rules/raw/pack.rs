//! A pack as written: `rules/base.yaml`, `rules/solutions/<name>.yaml`, `rules/platforms/<name>.yaml`.

use crate::rules::raw::check::{RawParam, RawSetting};
use crate::rules::read::{At, Choice, Count, Entries, Flag, Read, Reader, raw};
use crate::rules::source::Span;
use crate::rules::text::{DateText, ExpressionText, Line, Name, Prose, ValueText, Version};
use crate::rules::tree::{Kind, Node};
use crate::verdict::Level;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

raw! {
    /// One pack: what is demanded, by whom, and of which machines.
    pub struct RawPack {
        /// Name of the pack; equals the name of its file.
        pub pack: Name,
        /// What it stands for, in one line.
        pub title: Line,
        /// Version of its content.
        pub version: Version,
        /// Packs that it builds on, each before it.
        pub extends: Option<Vec<Name>>,
        /// Platforms: whether a machine is one, an expression on `node.system`. Solutions and base: null.
        pub r#match: Option<ExpressionText>,
        /// Last day on which a run by this pack can certify.
        pub expires: Option<DateText>,
        /// What things are meant for; the first rule that holds wins.
        pub roles: Option<RawRoles>,
        /// Figures of the pack itself, by name; `params.NAME` in its own expressions. The site file may set them.
        pub params: Option<Entries<RawParam>>,
        /// The checks that it demands, by id: null for as they are, what it changes, or a list where it depends.
        pub checks: Entries<RawDemand>,
        /// What cannot be judged from a Linux node.
        pub remains: Option<Vec<RawRemain>>,
        /// Figures measured elsewhere: a band to compare with, never a limit.
        pub reference: Option<Vec<RawReference>>,
        /// What a certifying run takes.
        pub certify: Option<RawCertify>,
        /// Other weights by the name of a profile (`--profile`).
        pub profiles: Option<Entries<RawProfile>>,
    }
}

raw! {
    /// What things are meant for.
    pub struct RawRoles {
        /// Of drives.
        pub drive: Option<Vec<RawDriveRole>>,
        /// Of network interfaces.
        pub nic: Option<Vec<RawNicRole>>,
    }
}

raw! {
    /// One rule for the role of a drive.
    pub struct RawDriveRole {
        /// The role.
        pub role: At<DriveRole>,
        /// Of which drives: `drive` and `node` are seen, raw facts and knowledge only.
        pub when: ExpressionText,
        /// Why.
        pub because: Prose,
    }
}

raw! {
    /// One rule for the role of a network interface.
    pub struct RawNicRole {
        /// The role.
        pub role: At<NicRole>,
        /// Of which interfaces: `nic` and `node` are seen, raw facts and knowledge only.
        pub when: ExpressionText,
        /// Why.
        pub because: Prose,
    }
}

words! {
    /// What a drive is meant for.
    pub enum DriveRole {
        /// Absorbs writes and hot data for slower drives.
        Cache = "cache",
        /// Holds the data.
        Capacity = "capacity",
        /// Holds the operating system.
        Boot = "boot",
        /// Holds a journal, a write-ahead log or a database of the storage system.
        Metadata = "metadata",
        /// Not to be used.
        Excluded = "excluded",
        /// No rule holds.
        Unassigned = "unassigned",
    }
}

words! {
    /// What a network interface is meant for.
    pub enum NicRole {
        /// Traffic between the nodes of the storage system.
        Storage = "storage",
        /// Traffic of virtual machines and clients.
        Vm = "vm",
        /// Management of the node.
        Management = "management",
        /// Not to be used.
        Unused = "unused",
        /// No rule holds.
        Unassigned = "unassigned",
    }
}

impl Choice for DriveRole {
    const WHAT: &'static str = "role";
    // `unassigned` is what no rule says.
    const ALL: &'static [Self] = &[Self::Cache, Self::Capacity, Self::Boot, Self::Metadata, Self::Excluded];
    const FIRST: Self = Self::Cache;
    fn word(self) -> &'static str {
        self.word()
    }
}

impl Choice for NicRole {
    const WHAT: &'static str = "role";
    const ALL: &'static [Self] = &[Self::Storage, Self::Vm, Self::Management, Self::Unused];
    const FIRST: Self = Self::Storage;
    fn word(self) -> &'static str {
        self.word()
    }
}

/// What a pack demands of one check: nothing more than the check, or one case, or cases of which the first wins.
#[derive(Debug, Clone)]
pub struct RawDemand {
    /// In order.
    pub cases: Vec<RawDemandCase>,
    /// Where it stands.
    pub span: Span,
}

raw! {
    /// What a pack demands of one check in one case.
    pub struct RawDemandCase {
        /// When this case holds: `node` is seen.
        pub when: Option<ExpressionText>,
        /// How much the check weighs.
        pub level: Option<At<Level>>,
        /// Limits, by name.
        pub params: Option<Entries<RawSetting>>,
        /// Whether it fails if nothing is left to judge; false by default.
        pub require_subject: Option<Flag>,
        /// Why it is milder than what an earlier layer demands; needed if it is.
        pub because: Option<Prose>,
        /// Where that comes from; needed of a pack if it is milder.
        pub source: Option<Line>,
    }
}

impl Read for RawDemand {
    fn read(node: &Node, reader: &mut Reader<'_>) -> Self {
        let cases = match &node.kind {
            Kind::Scalar(scalar) if scalar.is_null() => vec![RawDemandCase::broken(node.span)],
            Kind::Map(_) => vec![RawDemandCase::read(node, reader)],
            Kind::List(items) if items.is_empty() => {
                reader.error(node.span, "no case stands here");
                Vec::new()
            }
            Kind::List(_) => Vec::read(node, reader),
            _ => {
                reader.expected("null, a map or a list of maps", node);
                Vec::new()
            }
        };
        Self { cases, span: node.span }
    }

    fn broken(span: Span) -> Self {
        Self { cases: Vec::new(), span }
    }
}

impl JsonSchema for RawDemand {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Demand".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let case = generator.subschema_for::<RawDemandCase>();
        json_schema!({ "anyOf": [{ "type": "null" }, case, { "type": "array", "minItems": 1, "items": case }] })
    }
}

raw! {
    /// A requirement that cannot be judged from a Linux node.
    pub struct RawRemain {
        /// What remains to be done.
        pub what: Line,
        /// Why it cannot be judged here.
        pub why: Prose,
        /// Who demands it.
        pub source: Line,
    }
}

raw! {
    /// A figure measured elsewhere.
    pub struct RawReference {
        /// What was measured.
        pub what: Line,
        /// The figure with its unit.
        pub value: ValueText,
        /// On how many nodes.
        pub nodes: Option<Count>,
        /// Through which layers, with how many copies.
        pub stack: Option<Line>,
        /// IOs under way together, over all nodes.
        pub outstanding: Option<Count>,
        /// Mean latency.
        pub latency: Option<ValueText>,
        /// Who measured it.
        pub source: Line,
    }
}

raw! {
    /// What a certifying run takes.
    pub struct RawCertify {
        /// How long every probe has to have run.
        pub probe_seconds: Count,
    }
}

raw! {
    /// Other weights under a profile.
    pub struct RawProfile {
        /// By the level that a check has.
        pub levels: Option<RawLevels>,
        /// By the check.
        pub checks: Option<Entries<At<Level>>>,
        /// Why.
        pub because: Prose,
    }
}

raw! {
    /// What becomes of each level.
    pub struct RawLevels {
        /// Of must.
        pub must: Option<At<Level>>,
        /// Of should.
        pub should: Option<At<Level>>,
        /// Of info.
        pub info: Option<At<Level>>,
    }
}
