//! What to do about a finding: a check says how to mend what it found bad, not how to learn what is unknown.

use super::Report;
use crate::evaluate::finding::{Finding, Verdict};

/// What to do; `None` where there is nothing to do.
pub(crate) fn advice(report: &Report, finding: &Finding) -> Option<String> {
    match finding.verdict {
        Verdict::Fail | Verdict::Warn | Verdict::Note => (!finding.fix.is_empty()).then(|| finding.fix.clone()),
        Verdict::Unknown => Some(unknown(report, finding).to_owned()),
        Verdict::Pass | Verdict::Skipped => None,
    }
}

/// Whether nothing but the lack of root's rights keeps this from being judged.
pub(crate) fn needs_root(report: &Report, finding: &Finding) -> bool {
    finding.verdict == Verdict::Unknown && denied(finding) && !was_root(report, finding)
}

fn unknown(report: &Report, finding: &Finding) -> &'static str {
    let says = |words: &str| mentions(finding, words);
    if needs_root(report, finding) {
        "Run muster as root, so that it may read this."
    } else if denied(finding) {
        "Root was refused as well: run muster outside of a container, and see whether kernel lockdown or a security module forbids it."
    } else if says("not collected by version") {
        "Collect the inventory again with this version of muster."
    } else if says("capture") {
        "Capture the machine again: muster collect --capture DIR."
    } else if says("no such program") || says("not installed") {
        "Install the tool that is named, and run muster again."
    } else {
        "Find out why this could not be read: what is not known is not passed."
    }
}

/// The reasons come as words: a finding does not carry the kind of failure.
fn mentions(finding: &Finding, words: &str) -> bool {
    finding.message.contains(words) || finding.evidence.iter().any(|evidence| evidence.shown.contains(words))
}

fn denied(finding: &Finding) -> bool {
    mentions(finding, "permission denied") || mentions(finding, "not permitted")
}

fn was_root(report: &Report, finding: &Finding) -> bool {
    report.machines.iter().any(|machine| machine.name == finding.node && machine.root == Some(true))
}
