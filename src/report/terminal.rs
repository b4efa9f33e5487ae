//! The report for a terminal, or for a file that is read in one.
//!
//! Width and colour are arguments. Everything shown passes [`shown`] in one place, [`Page::block`]; the layout is
//! comfy-table's, which wraps long text and splits long words.

use super::group::{Detail, Group, Section, groups, together};
use super::text::shown;
use super::{Report, advice, hardware};
use crate::evaluate::NodeSummary;
use crate::evaluate::finding::{Overall, Verdict};
use crate::words::counted;
use colored::Colorize as _;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

/// How much is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// The summary line alone.
    Quiet,
    /// What is not in order; what passed or does not apply is counted.
    Normal,
    /// All, with every fact and the source of every demand.
    Verbose,
}

/// How it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns.
    pub width: u16,
    /// Whether to use colour.
    pub colour: bool,
    /// How much is shown.
    pub verbosity: Verbosity,
}

/// Fewest columns in which a report can be laid out.
pub const NARROWEST: u16 = 40;
/// Width of the labels of a finding: "unknown" and "subject".
const FINDING_LABEL: u16 = 7;
/// Width of the labels of the hardware: "Not read" and "Left out".
const HARDWARE_LABEL: u16 = 8;
/// Characters of a pack's digest that are shown: "sha256:" and 12 more.
const DIGEST: usize = 19;
/// Most nodes in the table of nodes.
const NODES: usize = 32;
/// Most names of equal machines in their heading.
const NAMES: usize = 8;

/// The report as text that ends with a line feed.
#[must_use]
pub fn render(report: &Report, look: Look) -> String {
    let mut page = Page { out: String::new(), width: look.width.max(NARROWEST), colour: look.colour };
    if look.verbosity != Verbosity::Quiet {
        head(&mut page, report);
        machines(&mut page, report);
        if report.run.nodes.len() > 1 {
            nodes(&mut page, report, look.verbosity);
        }
        for section in Section::ALL {
            if look.verbosity == Verbosity::Verbose || !section.is_quiet() {
                findings(&mut page, report, section, look.verbosity);
            }
        }
        remains(&mut page, report);
        closing(&mut page, report);
    }
    page.summary(&report.summary(), tone(report.run.overall));
    page.out
}

fn head(page: &mut Page, report: &Report) {
    let packs: Vec<String> = report
        .run
        .packs
        .iter()
        .map(|pack| {
            // Enough to tell two apart at a glance; the JSON has all of it.
            let digest: String = pack.digest.chars().take(DIGEST).collect();
            format!("{} {} ({digest})", pack.name, pack.version)
        })
        .collect();
    let packs = if packs.is_empty() { String::new() } else { format!(", packs {}", packs.join(", ")) };
    let nodes = counted(report.run.nodes.len(), "node");
    page.paragraph(&format!("muster {}, as of {}: {nodes}{packs}", report.version, report.as_of), Tone::Plain);
    page.paragraph(&report.headline(), tone(report.run.overall));
}

/// Equal machines once: in a cluster they ought to be.
fn machines(page: &mut Page, report: &Report) {
    let kinds = together(report.machines.iter(), |machine| {
        let rows: Vec<&hardware::Row> = machine.hardware.iter().filter(|row| row.label != hardware::SERIAL).collect();
        (machine.root, &machine.unread, rows)
    });
    for alike in kinds {
        let Some(machine) = alike.first() else { continue };
        let names: Vec<&str> = alike.iter().map(|machine| machine.name.as_str()).collect();
        page.gap();
        let mut heading = names.iter().take(NAMES).copied().collect::<Vec<_>>().join(", ");
        if names.len() > NAMES {
            heading.push_str(&format!(" and {} more", names.len() - NAMES));
        }
        if names.len() > 1 {
            heading.push_str(&format!(": {} alike", counted(names.len(), "node")));
        }
        page.paragraph(&heading, Tone::Strong);
        let mut rows: Vec<Line> = machine
            .hardware
            .iter()
            .filter(|row| names.len() == 1 || row.label != hardware::SERIAL)
            .map(|row| Line::new(row.label, Tone::Dim, [row.text.clone()]))
            .collect();
        if let Some(unread) = machine.unread.words(machine.root) {
            rows.push(Line::new("Not read", Tone::Unknown, [unread]));
        }
        page.block(rows, HARDWARE_LABEL, 2);
    }
}

fn nodes(page: &mut Page, report: &Report, verbosity: Verbosity) {
    page.gap();
    let mut table = page.table();
    table.set_header(["node", "verdict", "fail", "unknown", "warn", "note", "pass", "skipped", "waived"]);
    let mut summaries: Vec<&NodeSummary> = report.run.nodes.iter().collect();
    let most = if verbosity == Verbosity::Verbose { usize::MAX } else { NODES };
    if summaries.len() > most {
        // Where not all are shown, those that ask for something come first; the sort keeps the order of names.
        summaries.sort_by_key(|summary| match summary.overall {
            Overall::NotReady => 0,
            Overall::Undetermined => 1,
            Overall::ReadyWithWarnings => 2,
            Overall::Ready => 3,
        });
    }
    for summary in summaries.iter().take(most) {
        let c = summary.counts;
        let mut row = vec![shown(&summary.name), page.paint(summary.overall.word(), tone(summary.overall))];
        row.extend([c.fail, c.unknown, c.warn, c.note, c.pass, c.skipped, c.waived].map(|n| n.to_string()));
        table.add_row(row);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
        if column.index > 1 {
            column.set_cell_alignment(comfy_table::CellAlignment::Right);
        }
    }
    page.push(&table.trim_fmt());
    let more = summaries.len().saturating_sub(most);
    if more > 0 {
        page.paragraph(&format!("and {more} more (-v shows all)"), Tone::Dim);
    }
}

fn findings(page: &mut Page, report: &Report, section: Section, verbosity: Verbosity) {
    let groups = groups(report, section);
    if groups.is_empty() {
        return;
    }
    page.gap();
    let number: usize = groups.iter().map(|group| group.findings().len()).sum();
    page.paragraph(&format!("{} ({number})", section.heading()), Tone::Strong);
    for group in groups {
        page.gap();
        page.block(finding(&group, section, verbosity), FINDING_LABEL, 0);
    }
}

/// A finding in four parts: who, what was found, where it was read, what to do.
fn finding(group: &Group<'_>, section: Section, verbosity: Verbosity) -> Vec<Line> {
    let first = group.first;
    let detail = if verbosity == Verbosity::Verbose { Detail::Full } else { Detail::Bounded };
    let mut lines = vec![
        Line::new(first.verdict.word(), verdict_tone(first.verdict), [format!("{}: {}", first.check, first.title)]),
        Line::new("subject", Tone::Dim, [group.subjects(detail)]),
        Line::new(if section == Section::Skipped { "because" } else { "found" }, Tone::Dim, group.found(detail)),
    ];
    let mut push = |label, text: Vec<String>| {
        if !text.is_empty() {
            lines.push(Line::new(label, Tone::Dim, text));
        }
    };
    match verbosity {
        Verbosity::Verbose => {
            push("limit", group.limits());
            push("facts", group.evidence());
        }
        Verbosity::Normal | Verbosity::Quiet => push("read at", one_line(group.places(detail))),
    }
    push("do", group.advice().into_iter().collect());
    push("waived", group.waiver().into_iter().collect());
    if verbosity == Verbosity::Verbose {
        push("why", if first.why.is_empty() { Vec::new() } else { vec![first.why.clone()] });
        push("source", first.sources.iter().map(citation).collect());
    }
    lines
}

fn one_line(words: Vec<String>) -> Vec<String> {
    if words.is_empty() { words } else { vec![words.join(", ")] }
}

/// "Title, clause, address".
fn citation(source: &crate::evaluate::finding::Citation) -> String {
    let parts = [&source.title, &source.clause, &source.url];
    parts.into_iter().filter(|part| !part.is_empty()).cloned().collect::<Vec<_>>().join(", ")
}

fn remains(page: &mut Page, report: &Report) {
    if report.run.remains.is_empty() {
        return;
    }
    page.gap();
    page.paragraph(&format!("Remains to be shown elsewhere ({})", report.run.remains.len()), Tone::Strong);
    for remain in &report.run.remains {
        page.gap();
        page.block(
            vec![
                Line::new("remains", Tone::Note, [remain.what.clone()]),
                Line::new("why", Tone::Dim, [remain.why.clone()]),
                Line::new("source", Tone::Dim, [remain.source.clone()]),
            ],
            FINDING_LABEL,
            0,
        );
    }
}

fn closing(page: &mut Page, report: &Report) {
    page.gap();
    let needs_root = report.run.findings.iter().filter(|finding| advice::needs_root(report, finding)).count();
    if needs_root > 0 {
        let verdicts = if needs_root == 1 { "1 verdict is" } else { &format!("{needs_root} verdicts are") };
        page.paragraph(&format!("{verdicts} unknown for lack of rights: run muster as root."), Tone::Unknown);
    }
    let missing = &report.run.certifying.missing;
    if report.run.certifying.certifying {
        page.paragraph("This run certifies the hardware.", Tone::Pass);
    } else {
        page.paragraph(&format!("Not a certificate: {}.", missing.join("; ")), Tone::Plain);
    }
}

/// How a word is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Plain,
    Strong,
    Dim,
    Fail,
    Unknown,
    Warn,
    Note,
    Pass,
}

fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Fail => Tone::Fail,
        Verdict::Unknown => Tone::Unknown,
        Verdict::Warn => Tone::Warn,
        Verdict::Note => Tone::Note,
        Verdict::Skipped => Tone::Dim,
        Verdict::Pass => Tone::Pass,
    }
}

fn tone(overall: Overall) -> Tone {
    match overall {
        Overall::Ready => Tone::Pass,
        Overall::ReadyWithWarnings => Tone::Warn,
        Overall::NotReady => Tone::Fail,
        Overall::Undetermined => Tone::Unknown,
    }
}

/// A label and what belongs to it, a line each.
struct Line {
    label: &'static str,
    tone: Tone,
    text: Vec<String>,
}

impl Line {
    fn new(label: &'static str, tone: Tone, text: impl IntoIterator<Item = String>) -> Self {
        Self { label, tone, text: text.into_iter().collect() }
    }
}

struct Page {
    out: String,
    width: u16,
    colour: bool,
}

impl Page {
    fn paint(&self, text: &str, tone: Tone) -> String {
        if !self.colour {
            return text.to_owned();
        }
        // `colored` asks the environment unless it is told; whether to colour was decided by the caller.
        colored::control::set_override(true);
        match tone {
            Tone::Plain => return text.to_owned(),
            Tone::Strong => text.bold(),
            Tone::Dim => text.dimmed(),
            Tone::Fail => text.red().bold(),
            Tone::Unknown => text.magenta().bold(),
            Tone::Warn => text.yellow().bold(),
            Tone::Note => text.cyan(),
            Tone::Pass => text.green(),
        }
        .to_string()
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width).force_no_tty();
        table
    }

    /// Labels on the left, their text wrapped beside them.
    fn block(&mut self, lines: Vec<Line>, label_width: u16, indent: u16) {
        let mut table = self.table();
        for line in lines {
            let text: Vec<String> = line.text.iter().map(|text| shown(text)).collect();
            table.add_row([self.paint(line.label, line.tone), text.join("\n")]);
        }
        let gap = 2;
        let label = label_width + indent + gap;
        let widths = [label, self.width.saturating_sub(label)];
        for ((column, width), padding) in table.column_iter_mut().zip(widths).zip([(indent, gap), (0, 0)]) {
            column.set_padding(padding);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        self.push(&table.trim_fmt());
    }

    /// Text from margin to margin.
    fn paragraph(&mut self, text: &str, tone: Tone) {
        let mut table = self.table();
        table.add_row([self.paint(&shown(text), tone)]);
        for column in table.column_iter_mut() {
            column.set_padding((0, 0));
        }
        self.push(&table.trim_fmt());
    }

    /// One line whatever the width, for it is searched and cut by other programs.
    fn summary(&mut self, text: &str, tone: Tone) {
        let text = shown(text);
        let (verdict, rest) = text.split_once(':').unwrap_or((&text, ""));
        let line = format!("{}:{rest}", self.paint(verdict, tone));
        self.push(&line);
    }

    fn gap(&mut self) {
        self.out.push('\n');
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }
}
