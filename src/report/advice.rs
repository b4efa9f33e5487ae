//! What to do about a finding: a check says how to mend what it found bad, not how to learn what is unknown.

use super::Report;
use crate::evaluate::finding::{Cause, Finding, Verdict};
use crate::reading::ErrorKind;

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
    const FIND_OUT: &str = "Find out why this could not be read: what is not known is not passed.";
    let Some(cause) = finding.cause else { return FIND_OUT };
    match cause {
        Cause::Read(kind) => match kind {
            ErrorKind::PermissionDenied if was_root(report, finding) => {
                "Root was refused as well: run muster outside of a container, and see whether kernel lockdown or a security module forbids it."
            }
            ErrorKind::PermissionDenied => "Run muster as root, so that it may read this.",
            ErrorKind::NotCollected => "Collect the inventory again with this version of muster.",
            ErrorKind::NotInCapture => "Capture the machine again: muster collect --capture DIR.",
            ErrorKind::ToolMissing => "Install the tool that is named, and run muster again.",
            ErrorKind::TimedOut => {
                "It gave no answer in time: see whether the device or its driver hangs (dmesg), and run muster again."
            }
            ErrorKind::Conflict => "Two places tell different things of it: find out which is right.",
            ErrorKind::Malformed | ErrorKind::TooLarge => {
                "The answer is not one that muster understands: look at it, and report it with a capture (muster collect --capture DIR)."
            }
            ErrorKind::NotSupported => {
                "This kernel or driver does not tell it: load the driver, or judge it by other means."
            }
            ErrorKind::NotFound | ErrorKind::ToolFailed | ErrorKind::Io => FIND_OUT,
        },
        Cause::Absent => {
            "The machine says that it has none of what decides: see whether that is true, and judge it by other means."
        }
        Cause::Knowledge => {
            "Look the model up in its data sheet, and add it to the knowledge base (--rules DIR, rules/knowledge)."
        }
        Cause::Calculation => "The facts named allow no answer: see whether they are right.",
        Cause::Budget => {
            "Judging was stopped before it had an answer: the rule takes too much, or the machine has more of this than expected."
        }
        Cause::Others => "See first to those of them that are not known.",
        Cause::Judging => FIND_OUT,
    }
}

fn denied(finding: &Finding) -> bool {
    finding.cause == Some(Cause::Read(ErrorKind::PermissionDenied))
}

fn was_root(report: &Report, finding: &Finding) -> bool {
    report.machines.iter().any(|machine| machine.name == finding.node && machine.root == Some(true))
}
