//! What the page shows, in the order in which it is read; the layout is in `page.html`.
//!
//! Anchors are made of checks, nodes and subjects and not of positions, so that a link into one report finds the same
//! thing in the next.

use super::matrix::{Column, MatrixTopic, matrix};
use super::sheet::{Schema, Sheet};
use crate::evaluate::finding::{Citation, Evidence, Finding, Made, Overall, Verdict};
use crate::evaluate::{Counts, Fleet, PackUsed, Remain};
use crate::report::Report;
use crate::report::group::{Detail, Group, Section, groups};
use crate::report::hardware::Row;
use askama::Template;
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Most reasons that are named beside the verdict.
const REASONS: usize = 6;

#[derive(Template)]
#[template(path = "page.html", config = "src/report/html/askama.toml")]
pub(super) struct Page<'a> {
    policy: String,
    style: &'static str,
    script: &'static str,
    version: &'a str,
    as_of: String,
    verdict: &'static str,
    headline: String,
    summary: String,
    reasons: Vec<Reason>,
    more_reasons: usize,
    tallies: Vec<Tally>,
    nodes: Vec<Node<'a>>,
    topics: Vec<TopicRow>,
    sections: Vec<SectionView<'a>>,
    quiet: Vec<Quiet>,
    matrix: Vec<MatrixTopic>,
    columns: Vec<Column>,
    remains: &'a [Remain],
    certifying: bool,
    missing: &'a [String],
    packs: &'a [PackUsed],
}

/// One line of why the verdict is what it is.
struct Reason {
    verdict: &'static str,
    anchor: String,
    title: String,
    subjects: String,
}

pub(super) struct Tally {
    word: &'static str,
    number: usize,
}

pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    pub(super) anchor: String,
    verdict: &'static str,
    cells: Vec<Tally>,
    platform: &'a str,
    collected: String,
    hardware: &'a [Row],
    unread: Option<String>,
    sheets: Vec<Sheet>,
}

struct TopicRow {
    topic: Topic,
    cells: Vec<Tally>,
}

struct SectionView<'a> {
    heading: &'static str,
    anchor: &'static str,
    number: usize,
    groups: Vec<GroupView<'a>>,
}

struct GroupView<'a> {
    anchor: String,
    check: &'a str,
    topic: Topic,
    verdict: &'static str,
    level: &'static str,
    title: &'a str,
    subjects: String,
    line: String,
    limits: Vec<String>,
    advice: Option<String>,
    waiver: Option<String>,
    why: &'a str,
    low_confidence: bool,
    sources: Vec<Source<'a>>,
    rows: Vec<FindingView<'a>>,
    evident: bool,
    compared: bool,
}

struct FindingView<'a> {
    anchor: String,
    node: &'a str,
    subject: &'a str,
    message: &'a str,
    evidence: &'a [Evidence],
    evidence_left_out: usize,
    comparisons: &'a [Made],
}

struct Source<'a> {
    title: &'a str,
    clause: &'a str,
    url: &'a str,
    link: bool,
}

/// What passed or does not apply: a line a check.
struct Quiet {
    heading: &'static str,
    anchor: &'static str,
    number: usize,
    rows: Vec<QuietRow>,
}

struct QuietRow {
    anchor: String,
    check: String,
    topic: Topic,
    title: String,
    subjects: String,
    nodes: String,
    found: Vec<String>,
}

/// The categories of a validation report, by what a check is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Nodes,
    Processor,
    Storage,
    Network,
    System,
    Other,
}

impl Topic {
    pub(super) fn of(check: &str) -> Self {
        match check.split('.').next().unwrap_or_default() {
            "cluster" => Self::Nodes,
            "cpu" | "memory" | "numa" | "dimm" => Self::Processor,
            "media" | "nvme" | "storage" | "controller" | "raid" | "drive" | "enclosure" | "smart" => Self::Storage,
            "net" | "nic" | "bond" | "rdma" | "network" | "lldp" | "dcb" => Self::Network,
            "os" | "system" | "time" | "clock" | "security" | "firmware" | "pci" | "platform" | "bmc" | "tuning" => {
                Self::System
            }
            _ => Self::Other,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Nodes => "Nodes against each other",
            Self::Processor => "CPU and memory",
            Self::Storage => "Storage",
            Self::Network => "Network",
            Self::System => "System configuration",
            Self::Other => "Other",
        }
    }

    fn slug(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Processor => "processor",
            Self::Storage => "storage",
            Self::Network => "network",
            Self::System => "system",
            Self::Other => "other",
        }
    }
}

impl<'a> Page<'a> {
    pub(super) fn new(report: &'a Report, fleet: &(impl Fleet + ?Sized)) -> Self {
        let mut anchors = Anchors::default();
        let schema = Schema::new();
        let nodes: Vec<Node<'a>> = report
            .nodes()
            .map(|(summary, machine)| Node {
                name: &summary.name,
                anchor: anchors.take(format!("node-{}", slug(&summary.name))),
                verdict: overall(summary.overall),
                cells: tallies(summary.counts),
                platform: summary.platform.as_deref().unwrap_or("none matches"),
                collected: collected(machine),
                hardware: &machine.hardware,
                unread: machine.unread.words(machine.root),
                sheets: fleet.load(summary.place).map(|one| schema.sheets(&one)).unwrap_or_default(),
            })
            .collect();
        let mut sections = Vec::new();
        let mut quiet = Vec::new();
        let mut reasons = Vec::new();
        let mut more_reasons = 0;
        for section in Section::ALL {
            let groups = groups(report, section);
            if groups.is_empty() {
                continue;
            }
            let number = groups.iter().map(|group| group.findings().len()).sum();
            let (heading, anchor) = (section.heading(), place(section));
            if section.is_quiet() {
                let rows = groups.iter().map(|group| QuietRow::new(group, &mut anchors)).collect();
                quiet.push(Quiet { heading, anchor, number, rows });
                continue;
            }
            let groups: Vec<GroupView<'a>> = groups.iter().map(|group| GroupView::new(group, &mut anchors)).collect();
            if is_reason(section, report.run.overall) {
                let room = REASONS.saturating_sub(reasons.len());
                more_reasons += groups.len().saturating_sub(room);
                reasons.extend(groups.iter().take(room).map(GroupView::reason));
            }
            sections.push(SectionView { heading, anchor, number, groups });
        }
        let (columns, matrix) = matrix(report, &nodes, &anchors);
        Self {
            policy: super::policy(),
            style: super::STYLE,
            script: super::SCRIPT,
            version: &report.version,
            as_of: report.as_of.to_string(),
            verdict: overall(report.run.overall),
            headline: report.headline(),
            summary: report.summary(),
            reasons,
            more_reasons,
            tallies: tallies(report.counts()),
            nodes,
            topics: topics(&report.run.findings),
            sections,
            quiet,
            matrix,
            columns,
            remains: &report.run.remains,
            certifying: report.run.certifying.certifying,
            missing: &report.run.certifying.missing,
            packs: &report.run.packs,
        }
    }

    fn many_nodes(&self) -> bool {
        self.nodes.len() > 1
    }
}

impl<'a> GroupView<'a> {
    fn new(group: &Group<'a>, anchors: &mut Anchors) -> Self {
        let first = group.first;
        let found = group.found(Detail::Bounded);
        let rows: Vec<FindingView<'a>> =
            group.findings().iter().map(|finding| FindingView::new(finding, anchors)).collect();
        Self {
            anchor: anchors.check(&first.check),
            check: &first.check,
            topic: Topic::of(&first.check),
            verdict: first.verdict.word(),
            level: first.level.word(),
            title: &first.title,
            subjects: group.subjects(Detail::Bounded),
            line: match found.as_slice() {
                [one] => one.clone(),
                [one, rest @ ..] => format!("{one}; {} more", rest.len()),
                [] => String::new(),
            },
            limits: group.limits(),
            advice: group.advice(),
            waiver: group.waiver(),
            why: &first.why,
            low_confidence: first.low_confidence,
            sources: first.sources.iter().map(Source::new).collect(),
            compared: rows.iter().any(|row| !row.comparisons.is_empty()),
            evident: rows.iter().any(|row| !row.evidence.is_empty()),
            rows,
        }
    }

    fn reason(&self) -> Reason {
        Reason {
            verdict: self.verdict,
            anchor: self.anchor.clone(),
            title: self.title.to_owned(),
            subjects: self.subjects.clone(),
        }
    }
}

impl<'a> FindingView<'a> {
    fn new(finding: &'a Finding, anchors: &mut Anchors) -> Self {
        let mut whole = Sha256::new();
        for part in [&finding.check, &finding.node, &finding.subject] {
            whole.update(part.as_bytes());
            whole.update([0]);
        }
        let digest = whole.finalize().iter().take(6).fold(String::from("f-"), |mut out, byte| {
            let _ = write!(out, "{byte:02x}");
            out
        });
        Self {
            anchor: anchors.take(digest),
            node: &finding.node,
            subject: &finding.subject,
            message: &finding.message,
            evidence: &finding.evidence,
            evidence_left_out: finding.evidence_left_out,
            comparisons: &finding.comparisons,
        }
    }
}

impl<'a> Source<'a> {
    fn new(source: &'a Citation) -> Self {
        // Only what leads to the web is a link; "javascript:" and the like stay words.
        let web = ["https://", "http://"].iter().any(|scheme| source.url.starts_with(scheme));
        let plain = source.url.chars().all(|c| c.is_ascii_graphic());
        Self {
            title: &source.title,
            clause: &source.clause,
            url: &source.url,
            link: web && plain && source.url.len() < 500,
        }
    }
}

impl QuietRow {
    fn new(group: &Group<'_>, anchors: &mut Anchors) -> Self {
        let nodes: BTreeSet<&str> = group.findings().iter().map(|finding| finding.node.as_str()).collect();
        Self {
            anchor: anchors.check(&group.first.check),
            check: group.first.check.clone(),
            topic: Topic::of(&group.first.check),
            title: group.first.title.clone(),
            subjects: group.subjects(Detail::Bounded),
            nodes: if nodes.len() == 1 { nodes.into_iter().collect() } else { String::new() },
            found: group.found(Detail::Bounded),
        }
    }
}

/// Identifiers of places in the page, each used once.
#[derive(Default)]
pub(super) struct Anchors {
    taken: BTreeSet<String>,
    checks: BTreeMap<String, String>,
}

impl Anchors {
    fn take(&mut self, wanted: String) -> String {
        let mut anchor = wanted.clone();
        let mut number = 2;
        while !self.taken.insert(anchor.clone()) {
            anchor = format!("{wanted}-{number}");
            number += 1;
        }
        anchor
    }

    /// Where a check's worst group is.
    pub(super) fn of_check(&self, check: &str) -> String {
        self.checks.get(check).cloned().unwrap_or_default()
    }

    /// The first group of a check has the check's name: sections come in the order in which they matter.
    fn check(&mut self, check: &str) -> String {
        let anchor = self.take(slug(check));
        self.checks.entry(check.to_owned()).or_insert_with(|| anchor.clone());
        anchor
    }
}

/// A name that needs no escape in an address.
fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '-' };
    name.chars().take(80).map(plain).collect()
}

fn overall(overall: Overall) -> &'static str {
    overall.word()
}

fn collected(machine: &crate::report::Machine) -> String {
    let when = machine.collected_at.as_deref().unwrap_or("at an unknown time");
    let who = match machine.root {
        Some(true) => "as root",
        Some(false) => "not as root",
        None => "by an unknown user",
    };
    format!("{when} by muster {}, {who}", machine.collected_by)
}

fn place(section: Section) -> &'static str {
    match section {
        Section::Failures => "failures",
        Section::UnknownMust => "unknown-requirements",
        Section::Warnings => "warnings",
        Section::Waived => "waived",
        Section::UnknownOther => "unknown-others",
        Section::Notes => "notes",
        Section::Skipped => "skipped",
        Section::Passes => "passed",
    }
}

/// Whether findings of a section are why the verdict is no better.
fn is_reason(section: Section, overall: Overall) -> bool {
    match overall {
        Overall::NotReady => section == Section::Failures,
        Overall::Undetermined => section == Section::UnknownMust,
        Overall::ReadyWithWarnings => {
            matches!(section, Section::Warnings | Section::Waived | Section::UnknownOther)
        }
        Overall::Ready => false,
    }
}

fn tallies(counts: Counts) -> Vec<Tally> {
    let Counts { fail, unknown, warn, note, skipped, pass, waived } = counts;
    [
        ("fail", fail),
        ("unknown", unknown),
        ("warn", warn),
        ("note", note),
        ("pass", pass),
        ("skipped", skipped),
        ("waived", waived),
    ]
    .into_iter()
    .map(|(word, number)| Tally { word, number })
    .collect()
}

fn topics(findings: &[Finding]) -> Vec<TopicRow> {
    let mut topics: BTreeMap<Topic, Counts> = BTreeMap::new();
    for finding in findings {
        let counts = topics.entry(Topic::of(&finding.check)).or_default();
        let one = match finding.verdict {
            _ if finding.waived.is_some() => &mut counts.waived,
            Verdict::Fail => &mut counts.fail,
            Verdict::Unknown => &mut counts.unknown,
            Verdict::Warn => &mut counts.warn,
            Verdict::Note => &mut counts.note,
            Verdict::Skipped => &mut counts.skipped,
            Verdict::Pass => &mut counts.pass,
        };
        *one += 1;
    }
    topics.into_iter().map(|(topic, counts)| TopicRow { topic, cells: tallies(counts) }).collect()
}
