//! How many verdicts of each kind, and the overall verdict that follows: without the findings themselves, so that a
//! run over many nodes need not keep what passed.

use super::finding::{Finding, Level, Overall, Verdict};

/// How many findings of each verdict; waived ones are counted under `waived` alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Failures.
    pub fail: usize,
    /// Not told.
    pub unknown: usize,
    /// Warnings.
    pub warn: usize,
    /// Notes.
    pub note: usize,
    /// Does not apply.
    pub skipped: usize,
    /// Holds.
    pub pass: usize,
    /// Answered for by somebody.
    pub waived: usize,
}

/// Counts, and what the overall verdict goes by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// The counts.
    pub counts: Counts,
    failed: bool,
    unknown_must: bool,
    lesser: bool,
    held: bool,
}

impl Tally {
    /// Of some findings.
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut tally = Self::default();
        for finding in findings {
            tally.add(finding.verdict, finding.level, finding.waived.is_some());
        }
        tally
    }

    /// Takes in one verdict.
    pub fn add(&mut self, verdict: Verdict, level: Level, waived: bool) {
        let counts = &mut self.counts;
        let slot = match (waived, verdict) {
            (true, _) => &mut counts.waived,
            (false, Verdict::Fail) => &mut counts.fail,
            (false, Verdict::Unknown) => &mut counts.unknown,
            (false, Verdict::Warn) => &mut counts.warn,
            (false, Verdict::Note) => &mut counts.note,
            (false, Verdict::Skipped) => &mut counts.skipped,
            (false, Verdict::Pass) => &mut counts.pass,
        };
        *slot += 1;
        match verdict {
            Verdict::Fail if waived => self.lesser = true,
            Verdict::Fail => self.failed = true,
            // A waiver never lifts an unknown.
            Verdict::Unknown if level == Level::Must => self.unknown_must = true,
            Verdict::Unknown if level == Level::Should => self.lesser = true,
            Verdict::Warn => self.lesser = true,
            Verdict::Pass | Verdict::Note => self.held = true,
            Verdict::Unknown | Verdict::Skipped => {}
        }
    }

    /// Takes in another tally.
    pub fn join(&mut self, other: &Self) {
        let (counts, more) = (&mut self.counts, &other.counts);
        counts.fail += more.fail;
        counts.unknown += more.unknown;
        counts.warn += more.warn;
        counts.note += more.note;
        counts.skipped += more.skipped;
        counts.pass += more.pass;
        counts.waived += more.waived;
        self.failed |= other.failed;
        self.unknown_must |= other.unknown_must;
        self.lesser |= other.lesser;
        self.held |= other.held;
    }

    /// By an explicit order, never by a numeric maximum: any unwaived failure; else any unknown of level must; else any
    /// warning, unknown of level should, or waived failure; else ready. Where nothing at all was judged, nothing is ready.
    #[must_use]
    pub fn overall(&self) -> Overall {
        if self.failed {
            Overall::NotReady
        } else if self.unknown_must {
            Overall::Undetermined
        } else if self.lesser {
            Overall::ReadyWithWarnings
        } else if self.held {
            Overall::Ready
        } else {
            Overall::Undetermined
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overall_verdict_follows_the_explicit_order() {
        use Level::{Info, Must, Should};
        let fail = (Verdict::Fail, Must, false);
        let waived = (Verdict::Fail, Must, true);
        let unknown_must = (Verdict::Unknown, Must, false);
        let unknown_should = (Verdict::Unknown, Should, false);
        let unknown_info = (Verdict::Unknown, Info, false);
        let warn = (Verdict::Warn, Should, false);
        let note = (Verdict::Note, Info, false);
        let pass = (Verdict::Pass, Must, false);
        let skipped = (Verdict::Skipped, Must, false);
        for (verdicts, expected) in [
            (vec![pass, unknown_must, warn, fail], Overall::NotReady),
            (vec![warn, unknown_must, waived], Overall::Undetermined),
            (vec![(Verdict::Unknown, Must, true)], Overall::Undetermined),
            (vec![pass, warn], Overall::ReadyWithWarnings),
            (vec![pass, unknown_should], Overall::ReadyWithWarnings),
            (vec![pass, waived], Overall::ReadyWithWarnings),
            (vec![pass, note, unknown_info], Overall::Ready),
            (vec![skipped], Overall::Undetermined),
            (vec![unknown_info], Overall::Undetermined),
            (vec![], Overall::Undetermined),
        ] {
            let mut tally = Tally::default();
            verdicts.iter().for_each(|(verdict, level, waived)| tally.add(*verdict, *level, *waived));
            assert_eq!(tally.overall(), expected, "{verdicts:?}");
            let mut joined = Tally::default();
            for (verdict, level, waived) in &verdicts {
                let mut one = Tally::default();
                one.add(*verdict, *level, *waived);
                joined.join(&one);
            }
            assert_eq!(joined, tally);
        }
    }
}
