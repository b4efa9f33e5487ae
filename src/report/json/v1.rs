//! `muster.report/v1`: the report as programs read it. Frozen: these types change only by a new version.
//!
//! Copies of the inner types on purpose, so that those stay free to change. Schema: docs/schema/muster.report.v1.json.

use crate::evaluate::finding;
use crate::report;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The schema tag of this version.
pub const SCHEMA: &str = "muster.report/v1";

/// A report of passmuster: does this hardware pass muster?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// `muster.report/v1`.
    pub schema: String,
    /// What wrote the report.
    pub tool: Tool,
    /// The day on which it was judged what has expired, as in "2026-12-31".
    pub as_of: String,
    /// The verdict over all findings.
    pub verdict: Overall,
    /// What the verdict means, in one line, and what it does not.
    pub headline: String,
    /// Whether the run certifies the hardware.
    pub certifying: Certifying,
    /// Requirements that cannot be judged here.
    pub remains: Vec<Remain>,
    /// All findings by verdict.
    pub counts: Counts,
    /// The packs whose checks ran.
    pub packs: Vec<Pack>,
    /// The nodes, by name.
    pub nodes: Vec<Node>,
    /// Every verdict of every check on every subject, in the order of nodes and checks.
    pub findings: Vec<Finding>,
}

/// What wrote a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// `passmuster`.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The verdict over all findings, of a run or of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// Every check that applies holds.
    Ready,
    /// Recommendations are not met or unknown, or a failure was waived.
    ReadyWithWarnings,
    /// A requirement is not met.
    NotReady,
    /// A requirement could not be judged, or nothing was.
    Undetermined,
}

/// Whether a run certifies the hardware.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Certifying {
    /// It does.
    pub certifying: bool,
    /// What is missing for it to; empty if it does.
    pub missing: Vec<String>,
}

/// A requirement that cannot be judged here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Remain {
    /// What is still to be done or shown.
    pub what: String,
    /// Why it cannot be judged here.
    pub why: String,
    /// Where the demand comes from.
    pub source: String,
}

/// Findings by verdict. Each finding is counted once; a waived one under `waived` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Requirements that are not met.
    pub fail: usize,
    /// What could not be told.
    pub unknown: usize,
    /// Recommendations that are not met.
    pub warn: usize,
    /// Things worth knowing.
    pub note: usize,
    /// What does not apply.
    pub skipped: usize,
    /// What holds.
    pub pass: usize,
    /// Answered for by a waiver, whatever the verdict.
    pub waived: usize,
}

/// A pack whose checks ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pack {
    /// Its name, as in "base".
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Digest of its content.
    pub digest: String,
}

/// A node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Node {
    /// Its name in this report; findings name it so.
    pub name: String,
    /// The verdict over its findings.
    pub verdict: Overall,
    /// Its findings by verdict.
    pub counts: Counts,
    /// When it was read, RFC 3339; null if that is unknown.
    pub collected_at: Option<String>,
    /// Version of the passmuster that read it.
    pub collected_by: String,
    /// What was found, for the eye. Programs read the inventory.
    pub hardware: Vec<Hardware>,
    /// What could not be read.
    pub unread: Unread,
}

/// One line of what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Hardware {
    /// What it is about, as in "CPU".
    pub label: String,
    /// What was found.
    pub text: String,
}

/// How many facts of a node could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unread {
    /// Facts that could not be read.
    pub facts: usize,
    /// Lists that may lack entries.
    pub partial_lists: usize,
    /// The facts by reason, most first.
    pub reasons: Vec<UnreadReason>,
}

/// How many facts could not be read for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnreadReason {
    /// The kind of failure, the word of the inventory's `errors`.
    pub kind: String,
    /// How many facts.
    pub facts: usize,
}

/// The outcome of one check for one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A failed check of level must.
    Fail,
    /// It could not be told; never a pass.
    Unknown,
    /// A failed check of level should.
    Warn,
    /// A failed check of level info.
    Note,
    /// It does not apply; never a pass.
    Skipped,
    /// It holds.
    Pass,
}

/// How much a check weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Required.
    Must,
    /// Recommended.
    Should,
    /// Worth knowing.
    Info,
}

/// The verdict of one check on one subject of one node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The check, as in "media.identity".
    pub check: String,
    /// What the check demands, in one line.
    pub title: String,
    /// The node; null for a finding about all of them.
    pub node: Option<String>,
    /// The subject, as in "drive sda (serial S4YPNG0R)", "node" or "cluster".
    pub subject: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The level under which it was judged.
    pub level: Level,
    /// The waiver that holds; the verdict stays what it is.
    pub waived: Option<Waived>,
    /// Found against limit, one sentence; for unknown and skipped the reason.
    pub message: String,
    /// What kind of reason makes it unknown; null for every other verdict, and in reports that were written before this
    /// was told.
    #[serde(default)]
    pub cause: Option<Cause>,
    /// The facts it rests on.
    pub evidence: Vec<Evidence>,
    /// How many more facts it rests on, which are left out here.
    #[serde(default)]
    pub evidence_left_out: usize,
    /// The comparisons that decided, in the order in which they were made.
    #[serde(default)]
    pub comparisons: Vec<Comparison>,
    /// The limits it was measured against.
    pub limits: Vec<Limit>,
    /// Why the demand exists.
    pub why: String,
    /// What to do if it is not met.
    pub fix: String,
    /// Where the demand comes from.
    pub sources: Vec<Citation>,
    /// Whether the verdict rests on facts of low confidence.
    pub low_confidence: bool,
}

/// What kind of reason makes a verdict unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// The machine has not what decides.
    Absent,
    /// What was asked for is not there, and that does not mean that the machine has none.
    NotFound,
    /// The user may not ask.
    PermissionDenied,
    /// The recording does not hold the answer.
    NotInCapture,
    /// There was no answer within the time limit.
    TimedOut,
    /// The answer was larger than its cap.
    TooLarge,
    /// The tool is not installed.
    ToolMissing,
    /// The tool ran and failed.
    ToolFailed,
    /// The kernel or the driver does not offer it.
    NotSupported,
    /// Input or output failed.
    Io,
    /// The answer was not what its format demands.
    Malformed,
    /// Two places tell different things.
    Conflict,
    /// The version that read the machine did not ask.
    NotCollected,
    /// The knowledge base does not tell it of this model.
    Knowledge,
    /// A calculation has no result.
    Calculation,
    /// The expression was stopped: it took more steps or memory than it may.
    Budget,
    /// Others, with which it is compared, are not known.
    Others,
    /// Judging itself could not tell it.
    Judging,
}

/// A failure that somebody has answered for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Waived {
    /// Why.
    pub reason: String,
    /// Who.
    pub owner: String,
    /// Until when, as a date.
    pub expires: String,
}

/// A fact that a verdict rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The path of the fact in the inventory's node, as in `drives[3].bytes`.
    pub fact: String,
    /// The value: a number in `unit`, text, flag or list; null if it is absent or unknown, which `shown` tells apart.
    pub value: serde_json::Value,
    /// The value as a person reads it: "3.841 TB", "absent", "unknown (permission denied)".
    pub shown: String,
    /// The unit of a number; null for others.
    pub unit: Option<String>,
    /// Where it was read; null if that is not known.
    pub source: Option<String>,
}

/// A comparison that decided a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The left side as the check writes it, as in "node.memory.total".
    pub left: String,
    /// `==`, `!=`, `<`, `<=`, `>` or `>=`.
    pub operator: String,
    /// The right side as the check writes it.
    pub right: String,
    /// The left value: a number in `unit`, text, flag or list; null if it is absent or unknown, which `left_shown` tells apart.
    pub left_value: serde_json::Value,
    /// The right value, likewise.
    pub right_value: serde_json::Value,
    /// The left value as a person reads it.
    pub left_shown: String,
    /// The right value as a person reads it.
    pub right_shown: String,
    /// The unit of numbers; null if they have none.
    pub unit: Option<String>,
    /// Whether it holds; null if that could not be told.
    pub holds: Option<bool>,
}

/// A limit that a verdict was measured against.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limit {
    /// The name of the parameter, as in "min_ratio".
    pub name: String,
    /// The value as a person reads it.
    pub value: String,
    /// The layer that set it: "check", or the name of a pack or "site".
    pub layer: String,
}

/// Where a demand comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// The document.
    pub title: String,
    /// Its address; null if it has none.
    pub url: Option<String>,
    /// The place in it; null if none is named.
    pub clause: Option<String>,
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl From<&report::Report> for Report {
    fn from(report: &report::Report) -> Self {
        let run = &report.run;
        Self {
            schema: SCHEMA.to_owned(),
            tool: Tool { name: "passmuster".to_owned(), version: report.version.clone() },
            as_of: report.as_of.to_string(),
            verdict: run.overall.into(),
            headline: report.headline(),
            certifying: Certifying { certifying: run.certifying.certifying, missing: run.certifying.missing.clone() },
            remains: run
                .remains
                .iter()
                .map(|r| Remain { what: r.what.clone(), why: r.why.clone(), source: r.source.clone() })
                .collect(),
            counts: report.counts().into(),
            packs: run
                .packs
                .iter()
                .map(|p| Pack {
                    name: p.name.clone(),
                    title: p.title.clone(),
                    version: p.version.clone(),
                    digest: p.digest.clone(),
                })
                .collect(),
            nodes: nodes(report),
            findings: run.findings.iter().map(Finding::from).collect(),
        }
    }
}

fn nodes(report: &report::Report) -> Vec<Node> {
    report
        .nodes()
        .map(|(summary, machine)| Node {
            name: summary.name.clone(),
            verdict: summary.overall.into(),
            counts: summary.counts.into(),
            collected_at: machine.collected_at.clone(),
            collected_by: machine.collected_by.clone(),
            hardware: machine
                .hardware
                .iter()
                .map(|row| Hardware { label: row.label.to_owned(), text: row.text.clone() })
                .collect(),
            unread: (&machine.unread).into(),
        })
        .collect()
}

impl From<&report::unread::Unread> for Unread {
    fn from(unread: &report::unread::Unread) -> Self {
        Self {
            facts: unread.facts(),
            partial_lists: unread.partial_lists,
            reasons: unread
                .by_kind
                .iter()
                .map(|(kind, facts)| UnreadReason { kind: report::unread::word(*kind).to_owned(), facts: *facts })
                .collect(),
        }
    }
}

impl From<&finding::Finding> for Finding {
    fn from(f: &finding::Finding) -> Self {
        Self {
            check: f.check.clone(),
            title: f.title.clone(),
            node: some(&f.node),
            subject: f.subject.clone(),
            verdict: f.verdict.into(),
            level: f.level.into(),
            waived: f.waived.as_ref().map(|w| Waived {
                reason: w.reason.clone(),
                owner: w.owner.clone(),
                expires: w.expires.clone(),
            }),
            message: f.message.clone(),
            cause: f.cause.map(Cause::from),
            evidence: f
                .evidence
                .iter()
                .map(|e| Evidence {
                    fact: e.fact.clone(),
                    value: e.value.clone(),
                    shown: e.shown.clone(),
                    unit: some(e.unit),
                    source: some(&e.source),
                })
                .collect(),
            evidence_left_out: f.evidence_left_out,
            comparisons: f
                .comparisons
                .iter()
                .map(|c| Comparison {
                    left: c.left.clone(),
                    operator: c.comparison.mark().to_owned(),
                    right: c.right.clone(),
                    left_value: c.left_value.clone(),
                    right_value: c.right_value.clone(),
                    left_shown: c.left_shown.clone(),
                    right_shown: c.right_shown.clone(),
                    unit: some(c.unit),
                    holds: c.holds,
                })
                .collect(),
            limits: f
                .limits
                .iter()
                .map(|l| Limit { name: l.name.clone(), value: l.shown.clone(), layer: l.layer.clone() })
                .collect(),
            why: f.why.clone(),
            fix: f.fix.clone(),
            sources: f
                .sources
                .iter()
                .map(|s| Citation { title: s.title.clone(), url: some(&s.url), clause: some(&s.clause) })
                .collect(),
            low_confidence: f.low_confidence,
        }
    }
}

impl From<finding::Verdict> for Verdict {
    fn from(verdict: finding::Verdict) -> Self {
        match verdict {
            finding::Verdict::Fail => Self::Fail,
            finding::Verdict::Unknown => Self::Unknown,
            finding::Verdict::Warn => Self::Warn,
            finding::Verdict::Note => Self::Note,
            finding::Verdict::Skipped => Self::Skipped,
            finding::Verdict::Pass => Self::Pass,
        }
    }
}

impl From<finding::Cause> for Cause {
    fn from(cause: finding::Cause) -> Self {
        use crate::reading::ErrorKind;
        match cause {
            finding::Cause::Absent => Self::Absent,
            finding::Cause::Read(kind) => match kind {
                ErrorKind::NotFound => Self::NotFound,
                ErrorKind::PermissionDenied => Self::PermissionDenied,
                ErrorKind::NotInCapture => Self::NotInCapture,
                ErrorKind::TimedOut => Self::TimedOut,
                ErrorKind::TooLarge => Self::TooLarge,
                ErrorKind::ToolMissing => Self::ToolMissing,
                ErrorKind::ToolFailed => Self::ToolFailed,
                ErrorKind::NotSupported => Self::NotSupported,
                ErrorKind::Io => Self::Io,
                ErrorKind::Malformed => Self::Malformed,
                ErrorKind::Conflict => Self::Conflict,
                ErrorKind::NotCollected => Self::NotCollected,
            },
            finding::Cause::Knowledge => Self::Knowledge,
            finding::Cause::Calculation => Self::Calculation,
            finding::Cause::Budget => Self::Budget,
            finding::Cause::Others => Self::Others,
            finding::Cause::Judging => Self::Judging,
        }
    }
}

impl From<finding::Level> for Level {
    fn from(level: finding::Level) -> Self {
        match level {
            finding::Level::Must => Self::Must,
            finding::Level::Should => Self::Should,
            finding::Level::Info => Self::Info,
        }
    }
}

impl From<finding::Overall> for Overall {
    fn from(overall: finding::Overall) -> Self {
        match overall {
            finding::Overall::Ready => Self::Ready,
            finding::Overall::ReadyWithWarnings => Self::ReadyWithWarnings,
            finding::Overall::NotReady => Self::NotReady,
            finding::Overall::Undetermined => Self::Undetermined,
        }
    }
}

impl From<crate::evaluate::Counts> for Counts {
    fn from(counts: crate::evaluate::Counts) -> Self {
        let crate::evaluate::Counts { fail, unknown, warn, note, skipped, pass, waived } = counts;
        Self { fail, unknown, warn, note, skipped, pass, waived }
    }
}
