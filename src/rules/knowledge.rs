//! What the field knows of models, compiled: patterns that hold for their own examples, figures in base units.
//!
//! Rows about drives are asked at judge time; of the others the patterns alone are tried yet. What no row tells is
//! told as unknown, with the reason: a model that nobody knows has neither a class nor the lack of one.

use crate::rules::diagnostic::{Errors, error, quoted};
use crate::rules::expression;
use crate::rules::facts::knowledge_fields;
use crate::rules::limit::{Value, quantity};
use crate::rules::raw::knowledge::{Founded, RawDriveRow, RawKnowledge};
use crate::rules::read::Reader;
use crate::rules::source::{Source, Span};
use crate::rules::text::{Line, PatternText, ValueText};
use crate::units::Dimension;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Rows of all files together; more are refused, for every new model is held against each.
const MAX_ROWS: usize = 1000;
/// Models that a row lists on either side.
const MAX_EXAMPLES: usize = 100;
/// Memory that one pattern may take compiled.
const PATTERN_BYTES: usize = 64 << 10;
/// Models whose answer is kept; a run over more asks the rows again.
const MAX_KEPT: usize = 4096;

/// One thing that a row tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Figure {
    /// A word of an enumerated fact.
    Word(&'static str),
    /// True or false.
    Flag(bool),
    /// A quantity in its base unit.
    Quantity(f64),
}

/// What is known of one fact of a model.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// A row tells it.
    Told {
        /// What it tells.
        figure: Figure,
        /// It rests on memory alone.
        is_low: bool,
        /// Where the row has it from.
        source: String,
    },
    /// No row tells it, or rows contradict each other; why, in words.
    Untold(String),
}

/// What is known of a model, by fact; each of [`knowledge_fields`] is there.
pub type Answer = Vec<(&'static str, Known)>;

/// The knowledge base.
#[derive(Debug, Default)]
pub struct Knowledge {
    drives: Vec<DriveRow>,
    /// A file of it was handed in, not built in.
    pub is_handed_in: bool,
    /// Answers by model: thousands of nodes have a few models.
    kept: RwLock<BTreeMap<String, Arc<Answer>>>,
}

/// A row about drives.
#[derive(Debug)]
pub(crate) struct DriveRow {
    pattern: Regex,
    figures: Vec<(&'static str, Figure)>,
    is_low: bool,
    source: String,
    matches: Vec<(String, Span)>,
    origin: Arc<Source>,
}

impl Knowledge {
    /// Rows of all files; those that list one model and tell different things of it are a mistake.
    pub(crate) fn new(drives: Vec<DriveRow>, is_handed_in: bool, errors: &mut Errors) -> Self {
        contradictions(&drives, errors);
        Self { drives, is_handed_in, kept: RwLock::default() }
    }

    /// What is known of drives of a model.
    #[must_use]
    pub fn drive(&self, model: &str) -> Arc<Answer> {
        // A thread that panicked while it held the lock left the map whole.
        if let Some(answer) = self.kept.read().unwrap_or_else(PoisonError::into_inner).get(model) {
            return Arc::clone(answer);
        }
        let answer = Arc::new(self.ask(model));
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_KEPT {
            kept.insert(model.to_owned(), Arc::clone(&answer));
        }
        answer
    }

    fn ask(&self, model: &str) -> Answer {
        let rows: Vec<&DriveRow> = self.drives.iter().filter(|row| row.pattern.is_match(model)).collect();
        let fields = knowledge_fields();
        let names = fields.iter().filter(|(record, _)| *record == "Drive").map(|(_, field)| field.name);
        names.map(|name| (name, known(&rows, name, model))).collect()
    }
}

fn known(rows: &[&DriveRow], name: &str, model: &str) -> Known {
    if rows.is_empty() {
        return Known::Untold(format!("no row of the knowledge base matches model {model}"));
    }
    let telling: Vec<(&DriveRow, Figure)> = rows.iter().filter_map(|row| Some((*row, row.figure(name)?))).collect();
    // Of rows that agree the best founded counts.
    let best = telling.iter().find(|(row, _)| !row.is_low).or(telling.first());
    match best {
        None => Known::Untold(format!("the knowledge base does not tell {} of model {model}", name.replace('_', " "))),
        Some((_, figure)) if telling.iter().any(|(_, other)| other != figure) => Known::Untold(format!(
            "rows of the knowledge base contradict each other on {} of model {model}",
            name.replace('_', " ")
        )),
        Some((row, figure)) => Known::Told { figure: *figure, is_low: row.is_low, source: row.source.clone() },
    }
}

impl DriveRow {
    fn figure(&self, name: &str) -> Option<Figure> {
        self.figures.iter().find(|(known, _)| *known == name).map(|(_, figure)| *figure)
    }
}

/// Two rows that list one model have to agree on what both tell.
fn contradictions(rows: &[DriveRow], errors: &mut Errors) {
    let mut by_model: BTreeMap<&str, Vec<(&DriveRow, Span)>> = BTreeMap::new();
    for row in rows {
        for (model, span) in &row.matches {
            by_model.entry(model).or_default().push((row, *span));
        }
    }
    for (model, listed) in by_model {
        let Some(((first, at), others)) = listed.split_first() else { continue };
        for (row, span) in others {
            let differs = |(name, figure): &&(&str, Figure)| first.figure(name).is_some_and(|other| other != *figure);
            let Some((name, _)) = row.figures.iter().find(differs) else { continue };
            let (line, _) = first.origin.position(at.start);
            let message = format!(
                "{} is listed in {}:{line} too, with another {}",
                quoted(model),
                first.origin.path,
                name.replace('_', " ")
            );
            errors.push(error(&row.origin, *span, message));
        }
    }
}

/// Compiles one file, and counts its rows. The rows about drives are given back; of the others the patterns are tried.
pub(crate) fn drive_rows(raw: &RawKnowledge, rows: &mut usize, reader: &mut Reader<'_>) -> Vec<DriveRow> {
    let others = [
        raw.advisories.as_ref().map_or(0, Vec::len),
        raw.controllers.as_ref().map_or(0, Vec::len),
        raw.nics.as_ref().map_or(0, Vec::len),
        raw.cpus.as_ref().map_or(0, Vec::len),
    ];
    *rows = rows.saturating_add(others.iter().sum::<usize>() + raw.drives.as_ref().map_or(0, Vec::len));
    if *rows > MAX_ROWS {
        reader.error(raw.span, format!("the knowledge base has more than {MAX_ROWS} rows with this file"));
        return Vec::new();
    }
    for row in raw.advisories.iter().flatten() {
        let _ = pattern(&row.model, &row.matches, &row.near_misses, reader);
    }
    for row in raw.controllers.iter().flatten() {
        let _ = pattern(&row.name, &row.matches, &row.near_misses, reader);
    }
    for row in raw.nics.iter().flatten() {
        let _ = pattern(&row.name, &row.matches, &row.near_misses, reader);
    }
    for row in raw.cpus.iter().flatten() {
        let _ = pattern(&row.model, &row.matches, &row.near_misses, reader);
    }
    raw.drives.iter().flatten().filter_map(|row| drive_row(row, reader)).collect()
}

fn drive_row(raw: &RawDriveRow, reader: &mut Reader<'_>) -> Option<DriveRow> {
    let pattern = pattern(&raw.model, &raw.matches, &raw.near_misses, reader);
    let mut figures = Vec::new();
    if raw.class.is_read {
        figures.push(("class", Figure::Word(raw.class.value.word())));
    }
    if let Some(flag) = raw.power_loss_protection {
        figures.push(("power_loss_protection", Figure::Flag(flag.value)));
    }
    if let Some(word) = raw.r#use.filter(|word| word.is_read) {
        figures.push(("use", Figure::Word(word.value.word())));
    }
    for (name, text, dimension) in [
        ("endurance", &raw.endurance, Dimension::Dwpd),
        ("random_read", &raw.random_read, Dimension::Iops),
        ("random_write", &raw.random_write, Dimension::Iops),
        ("sequential_read", &raw.sequential_read, Dimension::BytesPerSecond),
        ("sequential_write", &raw.sequential_write, Dimension::BytesPerSecond),
    ] {
        let Some(text) = text else { continue };
        if let Some(value) = positive(text, dimension, reader) {
            figures.push((name, Figure::Quantity(value)));
        }
    }
    let matches = raw.matches.iter().filter(|line| !line.is_broken());
    Some(DriveRow {
        pattern: pattern?,
        figures,
        is_low: raw.confidence.value == Founded::Memory,
        source: raw.source.value.clone(),
        matches: matches.map(|line| (line.value.clone(), line.span())).collect(),
        origin: Arc::clone(reader.source),
    })
}

fn positive(text: &ValueText, dimension: Dimension, reader: &mut Reader<'_>) -> Option<f64> {
    let Some(Value::Quantity(value, _)) = quantity(text, dimension, reader) else { return None };
    if value > 0.0 {
        return Some(value);
    }
    reader.advise(text.span(), format!("{} is not above zero", quoted(text)), "leave out what is not known");
    None
}

/// A pattern that holds for its examples and for none of what is near to them; `None` if it does not compile. What is
/// wrong is recorded.
fn pattern(text: &PatternText, matches: &[Line], near_misses: &[Line], reader: &mut Reader<'_>) -> Option<Regex> {
    if text.is_broken() {
        return None;
    }
    if reader.errors.regexes.is_spent() {
        return None;
    }
    let regex = match crate::expr::build_regex(text, PATTERN_BYTES) {
        Ok((regex, bytes)) => {
            expression::spend(1, bytes, text.span(), reader)?;
            regex
        }
        Err(regex::Error::CompiledTooBig(_)) => {
            reader.error(text.span(), format!("the pattern takes more than {} KiB", PATTERN_BYTES >> 10));
            return None;
        }
        Err(other) => {
            // Its first lines repeat the pattern with a mark under the place.
            let told = other.to_string();
            let cause = told.lines().last().unwrap_or_default();
            let cause = cause.strip_prefix("error: ").unwrap_or(cause);
            reader.error(text.span(), format!("no regular expression: {cause}"));
            return None;
        }
    };
    if matches.is_empty() {
        reader.error(text.span(), "`matches` lists no model: at least one shows what the pattern is for");
    }
    for (examples, wanted) in [(matches, true), (near_misses, false)] {
        if let Some(more) = examples.get(MAX_EXAMPLES) {
            reader.error(more.span(), format!("more than {MAX_EXAMPLES} examples"));
            continue;
        }
        for example in examples.iter().filter(|example| !example.is_broken()) {
            if regex.is_match(example) != wanted {
                let what = if wanted { "does not match" } else { "matches its near miss" };
                reader.error(example.span(), format!("the pattern {} {what} {}", quoted(text), quoted(example)));
            }
        }
    }
    Some(regex)
}
