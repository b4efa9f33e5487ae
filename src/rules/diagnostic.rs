//! What is wrong with a file of rules, at which place, and how it is shown.
//!
//! Knows nothing of what the files mean. Everything shown of a file is neutralised: control and bidirectional
//! characters of a hostile pack do nothing to a terminal.

use crate::rules::source::{Source, Span};
use crate::words::did_you_mean;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// More errors of one file than this are counted and not shown.
const SHOWN_PER_FILE: usize = 50;

/// More errors of one file than this are not even kept.
const KEPT_PER_FILE: usize = 1_000;

/// Characters of a line shown before and after the place.
const WINDOW: usize = 100;

/// Characters of a span shown.
const SPAN_SHOWN: usize = 160;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The rules are refused.
    Error,
    /// The rules load; `muster pack lint` says it.
    Warning,
}

/// One mistake in a file of rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleError {
    /// The file.
    pub source: Arc<Source>,
    /// The place in it.
    pub span: Span,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// Another place of the same file that it has to do with, and how.
    pub also: Option<(Span, String)>,
}

impl RuleError {
    /// Line and column, from 1.
    #[must_use]
    pub fn position(&self) -> (usize, usize) {
        self.source.position(self.span.start)
    }

    fn order(&self) -> (&str, usize, usize, &str) {
        (&self.source.path, self.span.start, self.span.end, &self.message)
    }
}

impl fmt::Display for RuleError {
    /// One line: `path:line:column: message`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position();
        write!(f, "{}:{line}:{column}: {}", neutral(&self.source.path), neutral(&self.message))
    }
}

/// Collects the mistakes of all files.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<RuleError>,
    /// By path: how many were kept, and how many were not.
    counts: BTreeMap<String, (usize, usize)>,
    /// What the regular expressions of all files took.
    pub(crate) regexes: Regexes,
}

/// What the regular expressions of a rule set take, for each of them is small and a file holds thousands.
#[derive(Debug, Default)]
pub(crate) struct Regexes {
    count: usize,
    bytes: usize,
}

impl Regexes {
    /// In one rule set.
    pub(crate) const MOST: usize = 4_000;
    /// Compiled, in one rule set: what hostile rules may take in all is 64 MB.
    pub(crate) const MOST_BYTES: usize = 32 << 20;

    /// No more are compiled.
    pub(crate) fn is_spent(&self) -> bool {
        self.count > Self::MOST || self.bytes > Self::MOST_BYTES
    }

    /// Counts some; what is too much, in words, the first time that it is.
    pub(crate) fn spend(&mut self, count: usize, bytes: usize) -> Option<String> {
        if self.is_spent() {
            return None;
        }
        self.count += count;
        self.bytes += bytes;
        if self.count > Self::MOST {
            Some(format!("with this the rules hold more than {} regular expressions", Self::MOST))
        } else if self.bytes > Self::MOST_BYTES {
            let most = Self::MOST_BYTES >> 20;
            Some(format!("with this the regular expressions of the rules take more than {most} MiB"))
        } else {
            None
        }
    }
}

impl Errors {
    pub(crate) fn push(&mut self, error: RuleError) {
        let (kept, dropped) = match self.counts.get_mut(&error.source.path) {
            Some(counts) => counts,
            None => self.counts.entry(error.source.path.clone()).or_default(),
        };
        if *kept < KEPT_PER_FILE {
            *kept += 1;
            self.list.push(error);
        } else {
            *dropped += 1;
        }
    }

    /// An error without help.
    pub(crate) fn at(&mut self, source: &Arc<Source>, span: Span, message: impl Into<String>) {
        self.push(error(source, span, message));
    }

    /// An error with the advice what to do.
    pub(crate) fn advise(
        &mut self,
        source: &Arc<Source>,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(RuleError { help: Some(help.into()), ..error(source, span, message) });
    }

    /// Whether anything was found that refuses the rules.
    pub(crate) fn has_errors(&self) -> bool {
        self.list.iter().any(|error| error.severity == Severity::Error)
    }

    /// A warning.
    pub(crate) fn warn(&mut self, source: &Arc<Source>, span: Span, message: impl Into<String>) {
        self.push(RuleError { severity: Severity::Warning, ..error(source, span, message) });
    }

    /// The errors alone: where the rules are refused, what smells does not matter.
    pub(crate) fn into_refusal(mut self) -> Vec<RuleError> {
        self.list.retain(|error| error.severity == Severity::Error);
        self.into_sorted()
    }

    /// Sorted by file and place, once each; of a file with very many the first ones and their number.
    pub(crate) fn into_sorted(self) -> Vec<RuleError> {
        let mut list = self.list;
        list.sort_by(|a, b| a.order().cmp(&b.order()));
        list.dedup_by(|b, a| a.order() == b.order());
        let mut kept: Vec<RuleError> = Vec::new();
        for file in list.chunk_by(|a, b| a.source.path == b.source.path) {
            kept.extend(file.iter().take(SHOWN_PER_FILE).cloned());
            let Some(last) = file.last() else {
                continue;
            };
            let dropped = self.counts.get(&last.source.path).map_or(0, |(_, dropped)| *dropped);
            let more = file.len().saturating_sub(SHOWN_PER_FILE) + dropped;
            if more > 0 {
                kept.push(error(&last.source, last.span, format!("{more} more errors in this file")));
            }
        }
        kept
    }
}

/// An error without help.
pub(crate) fn error(source: &Arc<Source>, span: Span, message: impl Into<String>) -> RuleError {
    RuleError {
        source: Arc::clone(source),
        span,
        severity: Severity::Error,
        message: message.into(),
        help: None,
        also: None,
    }
}

/// "did you mean `x`?", else the list of what may stand there.
pub(crate) fn suggestion(word: &str, candidates: &[&str]) -> Option<String> {
    let near = did_you_mean(word, candidates.iter().copied());
    if near.is_some() {
        return near;
    }
    if candidates.is_empty() || candidates.len() > 40 {
        return None;
    }
    Some(format!("one of: {}", candidates.join(", ")))
}

/// A word of a file for a message: in backquotes, cut, neutralised.
pub(crate) fn quoted(word: &str) -> String {
    let mut shown: String = word.chars().take(60).collect();
    if shown.len() < word.len() {
        shown.push_str("...");
    }
    format!("`{}`", neutral(&shown))
}

/// Whether a character may do something to a terminal or hide what is written: control characters other than those
/// that end a line or a column, and the ones Unicode uses to turn or hide text (UAX 9, 2; UTS 39).
pub(crate) fn is_hostile(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        c => c.is_control(),
    }
}

/// The text with every hostile character replaced by what it is: `<U+202E>`.
#[must_use]
pub fn neutral(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        push_neutral(&mut out, c);
    }
    out
}

fn push_neutral(out: &mut String, c: char) {
    match c {
        '\n' | '\t' => out.push(' '),
        c if is_hostile(c) => out.push_str(&format!("<U+{:04X}>", u32::from(c))),
        c => out.push(c),
    }
}

/// All errors as a person reads them, each with its line, plain ASCII decoration, with or without colour.
#[must_use]
pub fn render(errors: &[RuleError], colour: bool) -> String {
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut out = String::new();
    for error in errors {
        out.push_str(&render_one(error, &renderer));
        out.push_str("\n\n");
    }
    out
}

fn render_one(error: &RuleError, renderer: &Renderer) -> String {
    let level = match error.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut message = neutral(&error.message);
    let place = Excerpt::new(&error.source, error.span);
    let mut snippet = place.snippet().annotation(AnnotationKind::Primary.span(place.mark.clone()));
    if place.is_faithful() {
        snippet = snippet.path(neutral(&error.source.path));
    } else {
        // The renderer counts the column in what is shown.
        message = format!("{}:{}:{}: {message}", neutral(&error.source.path), place.line, place.column);
    }
    let mut group = level.primary_title(message).element(snippet);
    let also = error.also.as_ref().map(|(span, label)| (Excerpt::new(&error.source, *span), neutral(label)));
    if let Some((other, label)) = &also {
        let mark = AnnotationKind::Context.span(other.mark.clone()).label(label.clone());
        group = group.element(other.snippet().path(neutral(&error.source.path)).annotation(mark));
    }
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(neutral(help)));
    }
    renderer.render(&[group])
}

/// The part of a line that is shown, neutralised, and where the place is in it.
struct Excerpt {
    line: usize,
    column: usize,
    text: String,
    mark: std::ops::Range<usize>,
}

impl Excerpt {
    fn new(source: &Source, span: Span) -> Self {
        let (line, column) = source.position(span.start);
        let bounds = source.line(line);
        // A place at the end of a line (a missing key, an unclosed quote) stands after its last character.
        let start = span.start.min(bounds.end).max(bounds.start);
        let end = span.end.min(bounds.end).max(start);
        let before = source.slice(Span::new(bounds.start, start));
        let inside = source.slice(Span::new(start, end));
        let after = source.slice(Span::new(end, bounds.end));

        let mut text = String::new();
        let skipped = before.chars().count().saturating_sub(WINDOW);
        if skipped > 0 {
            text.push_str("... ");
        }
        before.chars().skip(skipped).for_each(|c| push_neutral(&mut text, c));
        let from = text.len();
        inside.chars().take(SPAN_SHOWN).for_each(|c| push_neutral(&mut text, c));
        let to = text.len();
        let cut = inside.chars().nth(SPAN_SHOWN).is_some();
        if !cut {
            after.chars().take(WINDOW).for_each(|c| push_neutral(&mut text, c));
        }
        if cut || after.chars().nth(WINDOW).is_some() {
            text.push_str(" ...");
        }
        Self { line, column, text, mark: from..to }
    }

    /// Whether the column in what is shown is that of the file.
    fn is_faithful(&self) -> bool {
        self.text.get(..self.mark.start).is_some_and(|before| before.chars().count() + 1 == self.column)
    }

    fn snippet<T: Clone>(&self) -> Snippet<'static, T> {
        Snippet::source(self.text.clone()).line_start(self.line).fold(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Arc<Source> {
        Arc::new(Source::new("rules/x.yaml", text))
    }

    #[test]
    fn shows_file_line_column_and_what_to_do() {
        let source = source("pack: x\ntitel: y\n");
        let mut error = error(&source, Span::new(8, 13), "unknown key `titel`");
        error.help = Some("did you mean `title`?".to_owned());
        assert_eq!(error.to_string(), "rules/x.yaml:2:1: unknown key `titel`");
        assert_eq!(
            render(&[error], false),
            "error: unknown key `titel`\n \
             --> rules/x.yaml:2:1\n  \
               |\n\
             2 | titel: y\n  \
               | ^^^^^\n  \
               |\n  \
               = help: did you mean `title`?\n\n"
        );
    }

    #[test]
    fn shows_the_other_place() {
        let source = source("a: 1\nb: 2\na: 3\n");
        let mut error = error(&source, Span::new(10, 11), "the key `a` stands here twice");
        error.also = Some((Span::new(0, 1), "first here".to_owned()));
        assert_eq!(
            render(&[error], false),
            "error: the key `a` stands here twice\n \
             --> rules/x.yaml:3:1\n  \
               |\n\
             3 | a: 3\n  \
               | ^\n  \
               |\n \
             ::: rules/x.yaml:1:1\n  \
               |\n\
             1 | a: 1\n  \
               | - first here\n\n"
        );
    }

    #[test]
    fn nothing_hostile_reaches_the_terminal() {
        let source = source("title: \"a\u{202E}b\u{1b}[31m\"\n");
        let shown = render(&[error(&source, Span::new(9, 12), "a\u{202E}\u{7}b")], false);
        assert!(shown.contains("error: a<U+202E><U+0007>b"), "{shown}");
        assert!(shown.contains("1 | title: \"a<U+202E>b<U+001B>[31m\""), "{shown}");
        assert!(!shown.chars().any(is_hostile), "{shown}");
    }

    #[test]
    fn a_line_of_a_megabyte_is_shown_in_part() {
        let source = source(&format!("{}x{}", "ä".repeat(500_000), "é".repeat(500_000)));
        let error = error(&source, Span::new(1_000_000, 1_000_001), "here");
        assert_eq!(error.position(), (1, 500_001));
        let shown = render(&[error], false);
        assert!(shown.len() < 2_000, "{}", shown.len());
        assert!(shown.contains("error: rules/x.yaml:1:500001: here"), "{shown}");
    }

    #[test]
    fn sorted_by_file_and_place_and_cut() {
        let text = "x".repeat(100);
        let (a, b) = (Arc::new(Source::new("a", text.clone())), Arc::new(Source::new("b", text)));
        let mut errors = Errors::default();
        errors.at(&b, Span::empty(0), "z");
        for at in (0..60).rev() {
            errors.at(&a, Span::empty(at), "y");
        }
        errors.at(&a, Span::empty(3), "y");
        let sorted = errors.into_sorted();
        assert_eq!(sorted.len(), 50 + 1 + 1);
        assert_eq!(sorted[0].to_string(), "a:1:1: y");
        assert_eq!(sorted[50].to_string(), "a:1:60: 10 more errors in this file");
        assert_eq!(sorted[51].to_string(), "b:1:1: z");
    }

    #[test]
    fn the_nearest_word_is_told_or_what_may_stand_there() {
        assert_eq!(suggestion("titel", &["title", "level"]).as_deref(), Some("did you mean `title`?"));
        assert_eq!(suggestion("zzz", &["title", "level"]).as_deref(), Some("one of: title, level"));
        assert_eq!(suggestion(&"t".repeat(1000), &["title"]).as_deref(), Some("one of: title"));
    }
}
