//! What judging yields: verdicts, levels, findings with their evidence, and the overall verdict of a run.

pub use crate::expr::Comparison;
use crate::reading::ErrorKind;
pub use crate::verdict::{Citation, Level, Verdict};
use crate::view::ReasonKind;

/// Why a verdict is unknown, by kind: what has to be done about it depends on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The machine has not what decides.
    Absent,
    /// The machine was asked and did not tell.
    Read(ErrorKind),
    /// The knowledge base does not tell it of this model, or contradicts itself.
    Knowledge,
    /// A calculation has no result: nothing to calculate with, a division by zero, a text that is no number or version.
    Calculation,
    /// The expression was stopped: it took more steps or memory than it may.
    Budget,
    /// Others, with which it is compared, are not known.
    Others,
    /// Judging itself could not tell it: a value that is not of its type, a fact of low confidence, something not kept.
    Judging,
}

impl Cause {
    /// That of a value which is not known.
    #[must_use]
    pub fn of(kind: ReasonKind) -> Self {
        match kind {
            ReasonKind::Read { kind, .. } => Self::Read(kind),
            ReasonKind::Absent => Self::Absent,
            ReasonKind::Knowledge => Self::Knowledge,
            ReasonKind::Arithmetic
            | ReasonKind::Empty
            | ReasonKind::Index
            | ReasonKind::Conversion
            | ReasonKind::Version => Self::Calculation,
            ReasonKind::Budget => Self::Budget,
            ReasonKind::LowConfidence | ReasonKind::Mismatch | ReasonKind::Kept => Self::Judging,
        }
    }
}

/// A fact that a verdict rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The path of the fact, as in `drives[3].bytes`.
    pub fact: String,
    /// The value as JSON: number in base units, text, flag, list; `null` for absent and unknown.
    pub value: serde_json::Value,
    /// The value as a person reads it: "3.841 TB", "absent", "unknown (permission denied)".
    pub shown: String,
    /// The base unit of a number; empty for others.
    pub unit: &'static str,
    /// Where it was read; empty if that is not known.
    pub source: String,
}

/// A comparison that decided a verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The left side as the check writes it, as in "node.memory.total".
    pub left: String,
    /// The operator.
    pub comparison: Comparison,
    /// The right side as the check writes it.
    pub right: String,
    /// The value of the left side as JSON, a number in its base unit; `null` for absent and unknown.
    pub left_value: serde_json::Value,
    /// The value of the right side, likewise.
    pub right_value: serde_json::Value,
    /// The left value as a person reads it.
    pub left_shown: String,
    /// The right value as a person reads it.
    pub right_shown: String,
    /// The base unit of the two; empty if they have none.
    pub unit: &'static str,
    /// Whether it holds; `None` if that could not be told.
    pub holds: Option<bool>,
}

/// The limit that a verdict was measured against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The name of the parameter, as in "min_ratio".
    pub name: String,
    /// The value as a person reads it.
    pub shown: String,
    /// The layer that set it: "check", or the name of a pack or "site".
    pub layer: String,
}

/// A failure that somebody has answered for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waived {
    /// Why.
    pub reason: String,
    /// Who.
    pub owner: String,
    /// Until when, as a date.
    pub expires: String,
}

/// The verdict of one check on one subject of one node.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The check, as in "media.logical-block-size".
    pub check: String,
    /// What the check demands, in one line.
    pub title: String,
    /// The node; empty for a finding about all of them.
    pub node: String,
    /// The subject, as in "drive nvme3n1 (S4YPNG0R)", "node" or "cluster".
    pub subject: String,
    /// The verdict.
    pub verdict: Verdict,
    /// The level under which it was judged.
    pub level: Level,
    /// Set if a waiver holds. The verdict stays what it is.
    pub waived: Option<Waived>,
    /// Found against limit, one sentence; for unknown and skipped the reason.
    pub message: String,
    /// What kind of reason makes it unknown; `None` for every other verdict.
    pub cause: Option<Cause>,
    /// The facts it rests on.
    pub evidence: Vec<Evidence>,
    /// Facts that it rests on too and that are left out, for they would fill pages.
    pub evidence_left_out: usize,
    /// The comparisons that decided, in the order in which they were made.
    pub comparisons: Vec<Made>,
    /// The limits it was measured against.
    pub limits: Vec<Limit>,
    /// Why the demand exists.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// Where the demand comes from.
    pub sources: Vec<Citation>,
    /// Whether the pass or the failure rests on facts of low confidence.
    pub low_confidence: bool,
}

/// The verdict over all findings of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overall {
    /// Every check that applies holds.
    Ready,
    /// Recommendations are not met, are unknown, or a failure was waived.
    ReadyWithWarnings,
    /// A requirement is not met.
    NotReady,
    /// A requirement could not be judged.
    Undetermined,
}

impl Overall {
    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::ReadyWithWarnings => "ready-with-warnings",
            Self::NotReady => "not-ready",
            Self::Undetermined => "undetermined",
        }
    }
}
