//! Cases of checks, judged the way that nodes are judged, and held against what is wanted of them.
//!
//! Reads nothing: cases come compiled ([`crate::rules::cases`]). Knows one check at a time, and no pack: the levels and
//! limits are those of the check and of the case.

use super::finding::Finding;
use super::judging::Detail;
use super::run::{Packs, Settings, judge_by};
use crate::inventory::Inventory;
use crate::rules::cases::{Case, Wanted};
use crate::rules::check::Check;
use crate::rules::effective::{Assigned, DEFAULT_PROFILE, EffectiveCheck, EffectivePack};
use crate::rules::layers::{CHECK, Effective, Variant};
use crate::rules::load::RuleSet;
use crate::rules::pack::Roles;
use crate::rules::subject::Subject;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The layer of a limit that the case sets.
const CASE: &str = "case";

/// Where a case and its judging part.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mismatch {
    /// Of what: a subject as [`run_case`] names it; empty if it is about the whole case.
    pub subject: String,
    /// What is compared.
    pub what: What,
    /// As the case has it; empty for a finding that the case does not know.
    pub wanted: String,
    /// As it was judged; empty for a finding that is not there.
    pub found: String,
}

/// What is compared of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// The verdict.
    Verdict,
    /// The message.
    Message,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.what {
            What::Verdict => "verdict",
            What::Message => "message",
        };
        let subject = if self.subject.is_empty() { "the case" } else { &self.subject };
        match (self.wanted.as_str(), self.found.as_str()) {
            (wanted, "") => write!(f, "{subject}: {what} {wanted:?} wanted, nothing found"),
            ("", found) => write!(f, "{subject}: {what} {found:?} found, none wanted"),
            (wanted, found) => write!(f, "{subject}: {what} {wanted:?} wanted, {found:?} found"),
        }
    }
}

/// What became of some cases.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaseReport {
    /// Each case, by check and in the order of the file.
    pub outcomes: Vec<CaseOutcome>,
}

/// What became of one case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseOutcome {
    /// The check.
    pub check: String,
    /// The name of the case.
    pub case: String,
    /// Where it stands: file and line.
    pub place: String,
    /// Empty if it holds.
    pub mismatches: Vec<Mismatch>,
}

impl CaseReport {
    /// How many hold.
    #[must_use]
    pub fn held(&self) -> usize {
        self.outcomes.len() - self.broken().count()
    }

    /// Those that do not hold.
    pub fn broken(&self) -> impl Iterator<Item = &CaseOutcome> {
        self.outcomes.iter().filter(|outcome| !outcome.mismatches.is_empty())
    }
}

/// Judges cases, by check.
#[must_use]
pub fn run_cases(rules: &RuleSet, cases: &BTreeMap<String, Vec<Case>>) -> CaseReport {
    let outcomes = cases.iter().flat_map(|(check, cases)| {
        cases.iter().map(move |case| CaseOutcome {
            check: check.clone(),
            case: case.name.clone(),
            place: place(case),
            mismatches: run_case(rules, check, case),
        })
    });
    CaseReport { outcomes: outcomes.collect() }
}

fn place(case: &Case) -> String {
    let (source, span) = &case.origin;
    let (line, _) = source.position(span.start);
    format!("{}:{line}", source.path)
}

/// Judges a case and compares it with what is wanted. A subject is named as in a finding: "node", "drive sda (serial S1)",
/// "2 of node", "cluster"; where the case has several nodes, "node2" and "drive sda of node2" for what is about one.
/// Empty if all is as wanted.
#[must_use]
pub fn run_case(rules: &RuleSet, check: &str, case: &Case) -> Vec<Mismatch> {
    let whole = |wanted: &str, found: String| {
        vec![Mismatch { subject: String::new(), what: What::Verdict, wanted: wanted.to_owned(), found }]
    };
    let Some(known) = rules.checks.get(check) else {
        return whole("a check", format!("there is no check {check}"));
    };
    let settings = Settings {
        solution: None,
        site: None,
        profile: None,
        // No waiver and no pack counts, so no day does.
        as_of: jiff::civil::Date::constant(2000, 1, 1),
        detail: Detail::Full,
    };
    let fleet: &[Inventory] = &case.nodes;
    match judge_by(fleet, &Packs::only(rules, pack(rules, known, case)), &settings) {
        Ok(run) if run.findings.is_empty() => whole("a finding", "none".to_owned()),
        Ok(run) => compare(case, &run.findings),
        Err(error) => whole("a verdict", error.to_string()),
    }
}

/// The one check as the case wants it.
fn pack(rules: &RuleSet, check: &Arc<Check>, case: &Case) -> EffectivePack {
    let limit = |param: &crate::rules::limit::Param| {
        let set = case.settings.iter().find(|setting| setting.name == param.name);
        Effective {
            name: param.name.clone(),
            value: set.map_or(&param.default, |setting| &setting.value).clone(),
            layer: if set.is_some() { CASE } else { CHECK }.to_owned(),
            low_confidence: set.map_or(param.low_confidence, |setting| setting.low_confidence),
        }
    };
    let variant = Variant {
        when: Vec::new(),
        level: check.level,
        level_layer: CHECK.to_owned(),
        limits: check.params.iter().map(limit).collect(),
        require_subject: false,
        require_subject_layer: CHECK.to_owned(),
        relaxed: Vec::new(),
    };
    let demanded = EffectiveCheck { check: Arc::clone(check), variants: vec![variant], layers: vec![CASE.to_owned()] };
    EffectivePack {
        solution: None,
        platform: None,
        profile: DEFAULT_PROFILE.to_owned(),
        packs: Vec::new(),
        checks: vec![demanded],
        roles: Roles::default(),
        assigned: Assigned { drives: case.drive_roles.clone(), nics: case.nic_roles.clone() },
        knowledge: Arc::clone(&rules.knowledge),
        params: BTreeMap::new(),
        remains: Vec::new(),
        reference: Vec::new(),
        probe_seconds: None,
        relaxations: Vec::new(),
        replaced: Vec::new(),
        idle_overrides: Vec::new(),
        waivers: Vec::new(),
        working_set: case.working_set,
    }
}

fn compare(case: &Case, findings: &[Finding]) -> Vec<Mismatch> {
    let several = case.nodes.len() > 1;
    let named = |finding: &Finding| match (several, finding.node.is_empty(), finding.subject == Subject::NODE.name()) {
        (false, ..) | (_, true, _) => finding.subject.clone(),
        (true, false, true) => finding.node.clone(),
        (true, false, false) => format!("{} of {}", finding.subject, finding.node),
    };
    let verdicts = findings.iter().map(|finding| (named(finding), finding.verdict.word().to_owned())).collect();
    let wanted = match &case.verdict {
        Wanted::All(verdict) => Wanted::All(verdict.word().to_owned()),
        Wanted::Each(each) => {
            Wanted::Each(each.iter().map(|(subject, verdict)| (subject.clone(), verdict.word().to_owned())).collect())
        }
    };
    let mut mismatches = differences(What::Verdict, &wanted, verdicts);
    if let Some(wanted) = &case.message {
        let messages = findings.iter().map(|finding| (named(finding), finding.message.clone())).collect();
        let mut more = differences(What::Message, wanted, messages);
        // Messages may be wanted of some subjects alone; verdicts are of all.
        more.retain(|mismatch| !mismatch.wanted.is_empty());
        mismatches.extend(more);
    }
    mismatches.sort();
    mismatches
}

/// Two findings of one name are both held against what is wanted of that name.
fn differences(what: What, wanted: &Wanted<String>, found: Vec<(String, String)>) -> Vec<Mismatch> {
    let mut mismatches = Vec::new();
    let mut missing: BTreeMap<&str, &str> = BTreeMap::new();
    if let Wanted::Each(each) = wanted {
        missing.extend(each.iter().map(|(subject, value)| (subject.as_str(), value.as_str())));
    }
    for (subject, found) in found {
        let wanted = match wanted {
            Wanted::All(value) => value.as_str(),
            Wanted::Each(each) => each.get(&subject).map_or("", String::as_str),
        };
        missing.remove(subject.as_str());
        if wanted != found {
            mismatches.push(Mismatch { subject, what, wanted: wanted.to_owned(), found });
        }
    }
    for (subject, wanted) in missing {
        mismatches.push(Mismatch {
            subject: subject.to_owned(),
            what,
            wanted: wanted.to_owned(),
            found: String::new(),
        });
    }
    mismatches
}
