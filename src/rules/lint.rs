//! What loads and yet smells: figures that contradict each other, reasons for nothing, checks that nobody demands.
//!
//! Warnings only: what is wrong is found when rules are loaded.

use crate::rules::cases::{Case, Wanted};
use crate::rules::diagnostic::{Errors, RuleError};
use crate::rules::layers::combine;
use crate::rules::load::{RuleSet, demands};
use crate::rules::pack::{Pack, PackKind, Reference};
use crate::units::Dimension;
use crate::verdict::Verdict;
use std::collections::BTreeMap;

/// How far figures that Little's law ties together may be apart: they are rounded, and means of a run.
const LITTLE_TOLERANCE: f64 = 0.25;

/// Mean latencies of storage that can be meant.
const PLAUSIBLE_LATENCY: std::ops::RangeInclusive<f64> = 5e-6..=1.0;

impl RuleSet {
    /// What smells, sorted by file and place.
    #[must_use]
    pub fn lint(&self) -> Vec<RuleError> {
        let mut warnings = Errors::default();
        for warning in &self.warnings {
            warnings.push(warning.clone());
        }
        for pack in self.packs.values() {
            for reference in &pack.reference {
                if let Some(message) = little(reference) {
                    warnings.warn(&pack.origin.0, reference.span, message);
                }
            }
            self.idle_reasons(pack, &mut warnings);
            if pack.kind == PackKind::Solution && pack.remains.is_empty() {
                let message = format!("solution `{}` leaves nothing to be done: is there no `remains`?", pack.name);
                warnings.warn(&pack.origin.0, pack.origin.1, message);
            }
        }
        for check in self.checks.values() {
            if !self.packs.values().any(|pack| pack.demands.contains_key(&check.id)) {
                warnings.warn(&check.origin.0, check.origin.1, format!("no pack demands `{}`", check.id));
            }
        }
        warnings.into_sorted()
    }

    /// What the cases lack: each check has one that passes and one that does not.
    #[must_use]
    pub fn lint_cases(&self, cases: &BTreeMap<String, Vec<Case>>) -> Vec<RuleError> {
        let mut warnings = Errors::default();
        for check in self.checks.values() {
            let of_check = cases.get(&check.id).map(Vec::as_slice).unwrap_or_default();
            let has = |wanted: &[Verdict]| {
                of_check.iter().any(|case| verdicts(case).iter().any(|verdict| wanted.contains(verdict)))
            };
            for (wanted, what) in [
                ([Verdict::Pass].as_slice(), "passes"),
                ([Verdict::Fail, Verdict::Warn, Verdict::Note].as_slice(), "fails"),
            ] {
                if !has(wanted) {
                    let message = format!("no case of `{}` {what}", check.id);
                    warnings.warn(&check.origin.0, check.origin.1, message);
                }
            }
        }
        warnings.into_sorted()
    }

    /// A reason where nothing is relaxed.
    fn idle_reasons(&self, pack: &Pack, warnings: &mut Errors) {
        let chain = self.chain(&pack.name);
        for (id, cases) in &pack.demands {
            let Some(check) = self.checks.get(id) else {
                continue;
            };
            let variants = combine(check, &demands(&chain, id)).variants;
            for case in cases {
                let Some(because) = &case.because else {
                    continue;
                };
                let mut relaxed = variants.iter().flat_map(|variant| &variant.relaxed);
                if !relaxed.any(|relaxation| relaxation.layer == pack.name && relaxation.because == *because) {
                    let message = format!("`because` stands here, but nothing of `{id}` is relaxed");
                    warnings.warn(&pack.origin.0, case.span, message);
                }
            }
        }
    }
}

fn verdicts(case: &Case) -> Vec<Verdict> {
    match &case.verdict {
        Wanted::All(verdict) => vec![*verdict],
        Wanted::Each(each) => each.values().copied().collect(),
    }
}

/// Little's law: as many IOs are under way as come in a second times the seconds that each takes, in the mean.
fn little(reference: &Reference) -> Option<String> {
    let (iops, Dimension::Iops) = reference.value else {
        return None;
    };
    let outstanding = f64::from(reference.outstanding?);
    if iops <= 0.0 {
        return None;
    }
    let implied = outstanding / iops;
    let shown = |seconds: f64| Dimension::Seconds.display(seconds);
    match reference.latency {
        Some(latency) if (implied / latency - 1.0).abs() > LITTLE_TOLERANCE => Some(format!(
            "{outstanding} IOs under way at {} take {} each by Little's law, not {}",
            Dimension::Iops.display(iops),
            shown(implied),
            shown(latency)
        )),
        None if !PLAUSIBLE_LATENCY.contains(&implied) => Some(format!(
            "{outstanding} IOs under way at {} would take {} each by Little's law: no storage does",
            Dimension::Iops.display(iops),
            shown(implied)
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::source::Span;

    fn reference(iops: f64, outstanding: Option<u32>, latency: Option<f64>) -> Reference {
        Reference {
            what: String::new(),
            value: (iops, Dimension::Iops),
            nodes: None,
            stack: None,
            outstanding,
            latency,
            source: String::new(),
            span: Span::default(),
        }
    }

    #[test]
    fn figures_that_contradict_each_other() {
        // 640 / 100 000 = 6.4 ms.
        assert_eq!(little(&reference(100_000.0, Some(640), Some(0.0064))), None);
        assert_eq!(little(&reference(100_000.0, Some(640), Some(0.007))), None);
        assert_eq!(
            little(&reference(100_000.0, Some(640), Some(0.0001))).as_deref(),
            Some("640 IOs under way at 100000 IO/s take 6.4 ms each by Little's law, not 100 us")
        );
        assert_eq!(little(&reference(376_000.0, None, Some(0.001))), None);
        // 1 / 1 000 000 = 1 us.
        assert_eq!(
            little(&reference(1_000_000.0, Some(1), None)).as_deref(),
            Some("1 IOs under way at 1000000 IO/s would take 1 us each by Little's law: no storage does")
        );
    }
}
