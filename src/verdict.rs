//! The words in which rules demand and judging answers: levels, verdicts, and where a demand comes from.
//!
//! Rules are compiled with them and findings are made of them, so they belong to neither.

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
