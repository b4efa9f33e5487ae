//! From a run to what people and programs read: terminal table, HTML, Markdown, JSON, OCP Test & Validation lines.
//!
//! Shows what [`crate::evaluate`] and the inventories say; neither judges nor reads a machine. Clock, width and colour
//! are arguments, so that the same run gives the same bytes.

mod advice;
mod group;
pub mod hardware;
pub mod html;
pub mod json;
pub mod markdown;
pub mod ocptv;
pub mod parts;
pub mod terminal;
pub mod text;
pub mod unread;

use crate::evaluate::finding::Overall;
use crate::evaluate::{Counts, Fleet, NodeSummary, Run};

/// A run with what is known about the machines it judged.
#[derive(Debug, Clone)]
pub struct Report {
    /// Version of the passmuster that judged.
    pub version: String,
    /// The day on which it was judged what has expired.
    pub as_of: jiff::civil::Date,
    /// The outcome.
    pub run: Run,
    /// The machines, in the order of their names in the run.
    pub machines: Vec<Machine>,
    /// The solution that was chosen, if any.
    pub solution: Option<String>,
}

/// One machine, for the eye.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// Its name in the run.
    pub name: String,
    /// When it was read, RFC 3339; `None` if that is unknown.
    pub collected_at: Option<String>,
    /// Version of the passmuster that read it.
    pub collected_by: String,
    /// The user that asked was root; `None` if that is unknown.
    pub root: Option<bool>,
    /// What was found.
    pub hardware: Vec<hardware::Row>,
    /// What could not be read.
    pub unread: unread::Unread,
}

impl Report {
    /// Puts together what is shown. `nodes` are those that were judged; one that cannot be loaded again has no hardware to
    /// show.
    #[must_use]
    pub fn new(run: Run, nodes: &(impl Fleet + ?Sized), version: &str, as_of: jiff::civil::Date) -> Self {
        let solution = run.solution.clone();
        let machines: Vec<Machine> = run
            .nodes
            .iter()
            .filter_map(|node| Some((node, nodes.load(node.place).ok()?)))
            .map(|(node, inventory)| Machine {
                name: node.name.clone(),
                collected_at: inventory.collected_at.known().cloned(),
                collected_by: inventory.version.clone(),
                root: inventory.node.root.known().copied(),
                hardware: hardware::rows(&inventory),
                unread: unread::Unread::of(&inventory),
            })
            .collect();
        Self { version: version.to_owned(), as_of, run, machines, solution }
    }

    /// What the verdict means, in one line, and what it does not.
    #[must_use]
    pub fn headline(&self) -> String {
        let verdict = match self.run.overall {
            Overall::Ready => "hardware ready",
            Overall::ReadyWithWarnings => "hardware ready, with warnings",
            Overall::NotReady => "hardware not ready",
            Overall::Undetermined => "undetermined: not every requirement could be judged",
        };
        format!("{verdict}; {}", self.scope())
    }

    /// For what it was judged, and what remains.
    #[must_use]
    pub fn scope(&self) -> String {
        match (&self.solution, self.run.remains.len()) {
            (None, _) => "base checks only: no solution judged".to_owned(),
            (Some(solution), 0) => format!("judged for {solution}"),
            (Some(solution), 1) => format!("judged for {solution}; 1 requirement remains"),
            (Some(solution), n) => format!("judged for {solution}; {n} requirements remain"),
        }
    }

    /// The verdict with the number of findings, in one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let Counts { fail, unknown, warn, note, skipped, pass, waived } = self.counts();
        let mut counts = vec![(fail, "fail"), (unknown, "unknown"), (warn, "warn"), (note, "note")];
        counts.extend([(pass, "pass"), (skipped, "skipped")]);
        if waived > 0 {
            counts.push((waived, "waived"));
        }
        let counts: Vec<String> = counts.into_iter().map(|(n, word)| format!("{n} {word}")).collect();
        format!("{}: {}; {}", self.run.overall.word(), counts.join(", "), self.scope())
    }

    /// Each node with its machine: both are in the order of the names that judging gave.
    pub fn nodes(&self) -> impl Iterator<Item = (&NodeSummary, &Machine)> {
        self.run.nodes.iter().zip(&self.machines)
    }

    /// All findings by verdict.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.run.counts
    }
}
