//! What judging yields: verdicts, levels, findings with their evidence, and the overall verdict of a run.

pub use crate::expr::Comparison;

/// The outcome of one check for one subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

impl Verdict {
    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Unknown => "unknown",
            Self::Warn => "warn",
            Self::Note => "note",
            Self::Skipped => "skipped",
            Self::Pass => "pass",
        }
    }
}

/// How much a check weighs: what becomes of it when it does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Required: a failed check is [`Verdict::Fail`].
    Must,
    /// Recommended: a failed check is [`Verdict::Warn`].
    Should,
    /// Worth knowing: a failed check is [`Verdict::Note`].
    Info,
}

impl Level {
    /// The word in packs and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Info => "info",
        }
    }

    /// The verdict of a failed check of this level.
    #[must_use]
    pub fn failed(self) -> Verdict {
        match self {
            Self::Must => Verdict::Fail,
            Self::Should => Verdict::Warn,
            Self::Info => Verdict::Note,
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

/// Where a demand comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Citation {
    /// The document.
    pub title: String,
    /// Its address; empty if it has none.
    pub url: String,
    /// The place in it; empty if none is named.
    pub clause: String,
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
    /// The facts it rests on.
    pub evidence: Vec<Evidence>,
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
