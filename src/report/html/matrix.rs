//! Which check said what of which node: a row a check, a column a node.

use super::page::{Anchors, Node, Topic};
use crate::evaluate::finding::Verdict;
use crate::report::Report;
use std::collections::BTreeMap;

pub(super) struct Column {
    pub(super) name: String,
    /// The name without the domain that all share.
    pub(super) short: String,
    pub(super) anchor: String,
}

pub(super) struct MatrixTopic {
    pub(super) topic: Topic,
    pub(super) rows: Vec<MatrixRow>,
}

pub(super) struct MatrixRow {
    pub(super) check: String,
    pub(super) anchor: String,
    pub(super) title: String,
    pub(super) cells: Vec<Cell>,
}

/// The worst verdict of a check on a node.
pub(super) struct Cell {
    pub(super) verdict: &'static str,
    pub(super) sign: &'static str,
}

/// The worst verdict of each node, and whether it is waived.
type Judged<'a> = BTreeMap<&'a str, (Verdict, bool)>;

/// A row a check, a column a node, and one for what is about all nodes if there is such a finding.
pub(super) fn matrix(report: &Report, nodes: &[Node<'_>], anchors: &Anchors) -> (Vec<Column>, Vec<MatrixTopic>) {
    let mut titles: BTreeMap<&str, &str> = BTreeMap::new();
    let mut worst: BTreeMap<(Topic, &str), Judged<'_>> = BTreeMap::new();
    for finding in &report.run.findings {
        titles.entry(&finding.check).or_insert(&finding.title);
        let row = worst.entry((Topic::of(&finding.check), finding.check.as_str())).or_default();
        let this = (finding.verdict, finding.waived.is_some());
        let cell = row.entry(finding.node.as_str()).or_insert(this);
        if rank(this.0, this.1) < rank(cell.0, cell.1) {
            *cell = this;
        }
    }
    let domain = domain(nodes);
    let mut columns: Vec<Column> = nodes
        .iter()
        .map(|node| Column {
            name: node.name.to_owned(),
            short: node.name.strip_suffix(domain).unwrap_or(node.name).to_owned(),
            anchor: node.anchor.clone(),
        })
        .collect();
    let across = report.run.findings.iter().any(|finding| finding.node.is_empty());
    if across {
        columns.push(Column { name: String::new(), short: String::new(), anchor: String::new() });
    }
    let mut topics: Vec<MatrixTopic> = Vec::new();
    for ((topic, check), row) in worst {
        let cells = columns.iter().map(|column| cell(row.get(column.name.as_str()).copied())).collect();
        let anchor = anchors.of_check(check);
        let row = MatrixRow {
            check: check.to_owned(),
            anchor,
            title: titles.get(check).copied().unwrap_or_default().to_owned(),
            cells,
        };
        match topics.last_mut().filter(|last| last.topic == topic) {
            Some(last) => last.rows.push(row),
            None => topics.push(MatrixTopic { topic, rows: vec![row] }),
        }
    }
    (columns, topics)
}

/// What follows the first dot, if several nodes share it.
fn domain<'n>(nodes: &[Node<'n>]) -> &'n str {
    let of = |name: &'n str| name.find('.').and_then(|dot| name.get(dot..)).unwrap_or_default();
    match nodes {
        [first, _, ..] if nodes.iter().all(|node| of(node.name) == of(first.name)) => of(first.name),
        _ => "",
    }
}

/// Lower is worse: a waived failure stands for less than anything that nobody answers for, and for more than a pass. A
/// pass beside what does not apply is a pass: of some subjects it was judged.
fn rank(verdict: Verdict, waived: bool) -> u8 {
    match verdict {
        Verdict::Fail | Verdict::Warn | Verdict::Note if waived => 4,
        Verdict::Fail => 0,
        Verdict::Unknown => 1,
        Verdict::Warn => 2,
        Verdict::Note => 3,
        Verdict::Pass => 5,
        Verdict::Skipped => 6,
    }
}

/// A sign beside the colour, for those who do not see it and for paper.
fn cell(worst: Option<(Verdict, bool)>) -> Cell {
    let (verdict, sign) = match worst {
        None => ("none", ""),
        Some((verdict, true)) if !matches!(verdict, Verdict::Unknown | Verdict::Pass | Verdict::Skipped) => {
            ("waived", "W")
        }
        Some((Verdict::Fail, _)) => ("fail", "✗"),
        Some((Verdict::Unknown, _)) => ("unknown", "?"),
        Some((Verdict::Warn, _)) => ("warn", "!"),
        Some((Verdict::Note, _)) => ("note", "i"),
        Some((Verdict::Pass, _)) => ("pass", "✓"),
        Some((Verdict::Skipped, _)) => ("skipped", "–"),
    };
    Cell { verdict, sign }
}
