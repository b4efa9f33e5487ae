//! Findings in the order in which they matter, those of one check and one outcome together.
//!
//! Terminal and Markdown both show groups; neither the JSON nor the exit code knows of them.

use super::Report;
use super::advice::advice;
use crate::evaluate::finding::{Finding, Level, Verdict};
use crate::words::counted;
use std::collections::{BTreeMap, BTreeSet};

/// Where a finding stands in the report; declared in the order of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Failures,
    UnknownMust,
    Warnings,
    Waived,
    UnknownOther,
    Notes,
    Skipped,
    Passes,
}

impl Section {
    /// Every section.
    pub(crate) const ALL: [Self; 8] = [
        Self::Failures,
        Self::UnknownMust,
        Self::Warnings,
        Self::Waived,
        Self::UnknownOther,
        Self::Notes,
        Self::Skipped,
        Self::Passes,
    ];

    fn of(finding: &Finding) -> Self {
        match finding.verdict {
            // A waiver never lifts an unknown, and has nothing to say about what holds or does not apply.
            Verdict::Fail | Verdict::Warn | Verdict::Note if finding.waived.is_some() => Self::Waived,
            Verdict::Fail => Self::Failures,
            Verdict::Unknown if finding.level == Level::Must => Self::UnknownMust,
            Verdict::Unknown => Self::UnknownOther,
            Verdict::Warn => Self::Warnings,
            Verdict::Note => Self::Notes,
            Verdict::Skipped => Self::Skipped,
            Verdict::Pass => Self::Passes,
        }
    }

    /// The heading.
    pub(crate) fn heading(self) -> &'static str {
        match self {
            Self::Failures => "Failures",
            Self::UnknownMust => "Requirements that could not be judged",
            Self::Warnings => "Warnings",
            Self::Waived => "Waived",
            Self::UnknownOther => "Other checks that could not be judged",
            Self::Notes => "Notes",
            Self::Skipped => "Skipped: does not apply",
            Self::Passes => "Passed",
        }
    }

    /// Whether it is shown only when everything is asked for.
    pub(crate) fn is_quiet(self) -> bool {
        matches!(self, Self::Skipped | Self::Passes)
    }
}

/// Findings of one check with one outcome.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    report: &'a Report,
    /// The first: what it has in common with the others is shown.
    pub(crate) first: &'a Finding,
    findings: Vec<&'a Finding>,
    many_nodes: bool,
}

/// How much of a group is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// A bearable number of subjects, messages and places.
    Bounded,
    /// All.
    Full,
}

/// Most subjects that are named.
const SUBJECTS: usize = 8;
/// Most different messages.
const MESSAGES: usize = 4;
/// Most places.
const PLACES: usize = 3;

/// The groups of a section, in the order of their first findings.
pub(crate) fn groups(report: &Report, section: Section) -> Vec<Group<'_>> {
    let many_nodes = report.run.nodes.len() > 1;
    let findings = report.run.findings.iter().filter(|finding| Section::of(finding) == section);
    let alike = together(findings, |finding| {
        let waived = finding.waived.as_ref().map(|w| (&w.reason, &w.owner, &w.expires));
        let limits: Vec<_> = finding.limits.iter().map(|l| (&l.name, &l.shown, &l.layer)).collect();
        let kind = kind_and_name(&finding.subject).0;
        (&finding.check, finding.verdict, finding.level, waived, limits, kind, advice(report, finding))
    });
    alike
        .into_iter()
        .filter_map(|findings| {
            let first = findings.first().copied()?;
            Some(Group { report, first, findings, many_nodes })
        })
        .collect()
}

/// Things with equal keys together, in the order of the first of each.
pub(crate) fn together<T: Copy, K: Ord>(things: impl Iterator<Item = T>, key: impl Fn(T) -> K) -> Vec<Vec<T>> {
    let mut index: BTreeMap<K, usize> = BTreeMap::new();
    let mut all: Vec<Vec<T>> = Vec::new();
    for thing in things {
        let place = *index.entry(key(thing)).or_insert(all.len());
        match all.get_mut(place) {
            Some(alike) => alike.push(thing),
            None => all.push(vec![thing]),
        }
    }
    all
}

/// Each once, in the order of first occurrence.
fn distinct(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    words.filter(|word| seen.insert(word.clone())).collect()
}

impl<'a> Group<'a> {
    /// The findings.
    pub(crate) fn findings(&self) -> &[&'a Finding] {
        &self.findings
    }

    /// Who it is about: "drive sda", "12 drives: sda, sdb, and 10 more", with the nodes where there are several.
    pub(crate) fn subjects(&self, detail: Detail) -> String {
        let kind = kind_and_name(&self.first.subject).0;
        match self.findings.as_slice() {
            [one] if kind == one.subject && kind == "node" => format!("node {}", one.node),
            [one] if self.tells_nodes(one) => format!("{} on {}", one.subject, one.node),
            [one] => one.subject.clone(),
            many => {
                let nodes: BTreeSet<&str> = many.iter().map(|finding| finding.node.as_str()).collect();
                let names = self.names(many, detail, str::to_owned);
                match (kind.starts_with("every ") || is_several(kind), kind) {
                    (true, _) => format!("{kind} on {}: {names}", counted(nodes.len(), "node")),
                    (false, "node") => format!("{}: {names}", counted(many.len(), kind)),
                    _ if nodes.len() > 1 => {
                        format!("{} on {}: {names}", counted(many.len(), kind), counted(nodes.len(), "node"))
                    }
                    _ => format!("{}: {names}", counted(many.len(), kind)),
                }
            }
        }
    }

    fn tells_nodes(&self, finding: &Finding) -> bool {
        self.many_nodes && !finding.node.is_empty()
    }

    /// The names alone: "sda, sdb", "node01 sda, sdb; node02 sda", "node01, node02".
    fn names(&self, findings: &[&Finding], detail: Detail, shorten: fn(&str) -> String) -> String {
        let most = if detail == Detail::Full { findings.len() } else { SUBJECTS };
        let mut text = String::new();
        let mut node = None;
        for finding in findings.iter().take(most) {
            let name = shorten(kind_and_name(&finding.subject).1);
            let same_node = node.replace(&finding.node) == Some(&finding.node);
            match (text.is_empty(), name.is_empty() || same_node || !self.tells_nodes(finding)) {
                (true, _) => {}
                (false, true) => text.push_str(", "),
                (false, false) => text.push_str("; "),
            }
            if name.is_empty() {
                text.push_str(&finding.node);
            } else if self.tells_nodes(finding) && !same_node {
                text.push_str(&format!("{} {name}", finding.node));
            } else {
                text.push_str(&name);
            }
        }
        let more = findings.len().saturating_sub(most);
        if more > 0 {
            text.push_str(&format!(", and {more} more"));
        }
        text
    }

    /// What was found, a line each: one if all found the same, else with those that found it.
    pub(crate) fn found(&self, detail: Detail) -> Vec<String> {
        let messages = together(self.findings.iter().copied(), |finding| &finding.message);
        if messages.len() == 1 {
            return vec![self.first.message.clone()];
        }
        let most = if detail == Detail::Full { messages.len() } else { MESSAGES };
        let more = messages.len().saturating_sub(most);
        let mut lines: Vec<String> = messages
            .iter()
            .take(most)
            .filter_map(|alike| {
                // The subjects are listed in full above; the serial number would drown what was found.
                let names = self.names(alike, detail, |name| name.split(" (").next().unwrap_or(name).to_owned());
                Some(format!("{} ({names})", alike.first()?.message))
            })
            .collect();
        if more > 0 {
            lines.push(format!("and {more} more that differ"));
        }
        lines
    }

    /// Where it was read, each place once.
    pub(crate) fn places(&self, detail: Detail) -> Vec<String> {
        let sources =
            self.findings.iter().flat_map(|finding| &finding.evidence).map(|evidence| evidence.source.clone());
        let mut places = distinct(sources.filter(|source| !source.is_empty()));
        if detail == Detail::Bounded && places.len() > PLACES + 1 {
            let more = places.len() - PLACES;
            places.truncate(PLACES);
            places.push(format!("and {more} more"));
        }
        places
    }

    /// Every fact it rests on: `drives[3].bytes = 3.841 TB, from /sys/block/sda/size`.
    pub(crate) fn evidence(&self) -> Vec<String> {
        let lines =
            self.findings.iter().flat_map(|finding| finding.evidence.iter().map(|evidence| (*finding, evidence)));
        distinct(lines.map(|(finding, evidence)| {
            let node =
                if self.many_nodes && !finding.node.is_empty() { format!("{}: ", finding.node) } else { String::new() };
            let source = if evidence.source.is_empty() { String::new() } else { format!(", from {}", evidence.source) };
            format!("{node}{} = {}{source}", evidence.fact, evidence.shown)
        }))
        .into_iter()
        .chain(
            self.findings.iter().filter(|finding| finding.evidence_left_out > 0).map(|finding| {
                format!("and {} of {}", counted(finding.evidence_left_out, "more fact"), finding.subject)
            }),
        )
        .collect()
    }

    /// The limits and who set them.
    pub(crate) fn limits(&self) -> Vec<String> {
        self.first
            .limits
            .iter()
            .map(|limit| format!("{} {} (set by {})", limit.name, limit.shown, limit.layer))
            .collect()
    }

    /// Who answers for it.
    pub(crate) fn waiver(&self) -> Option<String> {
        let waived = self.first.waived.as_ref()?;
        Some(format!("{} ({}, until {})", waived.reason, waived.owner, waived.expires))
    }

    /// What to do.
    pub(crate) fn advice(&self) -> Option<String> {
        advice(self.report, self.first)
    }
}

/// The kinds of subject whose name is two words.
const TWO_WORDS: [&str; 2] = ["NVMe controller", "NUMA node"];

/// A subject is a kind and a name: "drive" and "sda (serial S1)". "every drive" stands for itself.
/// "10 of dimm": what is told of several things at once.
fn is_several(subject: &str) -> bool {
    subject.split_once(" of ").is_some_and(|(number, _)| number.parse::<usize>().is_ok())
}

fn kind_and_name(subject: &str) -> (&str, &str) {
    if subject.starts_with("every ") || is_several(subject) {
        return (subject, "");
    }
    for kind in TWO_WORDS {
        if let Some(name) = subject.strip_prefix(kind).filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            return (kind, name.trim_start());
        }
    }
    subject.split_once(' ').unwrap_or((subject, ""))
}
