//! One scalar of a file, and which bytes of the file a byte of its value comes from.
//!
//! Knows how YAML folds lines, indents blocks and escapes (YAML 1.2.2, chapters 7 and 8); knows nothing of what the
//! value means.

use crate::rules::source::{Source, Span};

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// A `|` block.
    Literal,
    /// A `>` block.
    Folded,
}

/// One scalar: its value and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Scalar {
    /// The value, unfolded and unescaped.
    pub(crate) text: String,
    pub(crate) style: Style,
    /// With the quotes; of a block the content, from its first character on.
    pub(crate) span: Span,
}

impl Scalar {
    /// Nothing is written, or one of the words that say so (YAML 1.2.2, 10.3.2).
    pub(crate) fn is_null(&self) -> bool {
        self.style == Style::Plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }

    /// Not even a word for nothing is written. The parser gives such a value the text `~` and no extent.
    pub(crate) fn is_missing(&self) -> bool {
        self.style == Style::Plain && self.span.start == self.span.end
    }

    /// Where in the file the bytes `from..to` of the value stand. If that cannot be told, the whole scalar.
    pub(crate) fn place(&self, source: &Source, from: usize, to: usize) -> Span {
        let Some(chars) = self.chars(source) else {
            return self.span;
        };
        let within = |at: usize| chars.partition_point(|(value, _)| *value <= at).checked_sub(1);
        let start = match within(from).and_then(|at| chars.get(at)) {
            // At the end of the value: after its last character.
            Some((value, span)) if *value == from => *span,
            Some((value, span)) if self.text.len() <= from => {
                return if *value < from { Span::empty(span.end) } else { *span };
            }
            Some((_, span)) => *span,
            None => return Span::empty(self.content_start()),
        };
        if to <= from {
            return Span::empty(start.start);
        }
        let last = within(to.saturating_sub(1)).and_then(|at| chars.get(at)).map_or(start, |(_, span)| *span);
        Span::new(start.start, last.end.max(start.end))
    }

    fn content_start(&self) -> usize {
        match self.style {
            Style::SingleQuoted | Style::DoubleQuoted => self.span.start + 1,
            Style::Plain | Style::Literal | Style::Folded => self.span.start,
        }
    }

    /// For every character of the value, by its byte: the bytes of the file it comes from. `None` if the file does
    /// not read as this module thinks, so that no wrong place is ever named.
    fn chars(&self, source: &Source) -> Option<Vec<(usize, Span)>> {
        let rest = Rest { text: source.text(), at: self.content_start(), end: self.span.end };
        match self.style {
            Style::Literal | Style::Folded => {
                let (_, column) = source.position(self.span.start);
                block(rest, &self.text, column.saturating_sub(1))
            }
            Style::Plain | Style::SingleQuoted | Style::DoubleQuoted => flow(rest, &self.text, self.style),
        }
    }
}

/// What is left to read of the scalar.
#[derive(Clone, Copy)]
struct Rest<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Rest<'a> {
    fn left(self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn peek(self) -> Option<char> {
        self.left().chars().next()
    }

    fn advance(&mut self, bytes: usize) -> Span {
        let span = Span::new(self.at, (self.at + bytes).min(self.end));
        self.at = span.end;
        span
    }

    /// Takes one line break, if it stands here.
    fn line_break(&mut self) -> Option<Span> {
        let left = self.left();
        let bytes = if left.starts_with("\r\n") {
            2
        } else if left.starts_with(['\n', '\r']) {
            1
        } else {
            return None;
        };
        Some(self.advance(bytes))
    }

    fn skip_while(&mut self, most: usize, test: impl Fn(char) -> bool) {
        let bytes = self.left().chars().take(most).take_while(|c| test(*c)).map(char::len_utf8).sum();
        self.advance(bytes);
    }
}

/// Line breaks of the value that come from the breaks of the file: as many as the value has, the last ones of the file.
fn pair_breaks(value: &mut std::iter::Peekable<std::str::CharIndices<'_>>, breaks: &[Span]) -> Vec<(usize, Span)> {
    let mut ats = Vec::new();
    while let Some((at, _)) = value.next_if(|(_, c)| *c == '\n') {
        ats.push(at);
    }
    let skipped = breaks.len().saturating_sub(ats.len());
    let last = breaks.last().copied().unwrap_or_default();
    ats.into_iter()
        .enumerate()
        .map(|(nth, at)| (at, breaks.get(skipped + nth).copied().unwrap_or(Span::empty(last.end))))
        .collect()
}

/// A `|` or `>` block. The first content line begins at `rest.at`, all are indented by `indent` blanks.
fn block(mut rest: Rest<'_>, value: &str, indent: usize) -> Option<Vec<(usize, Span)>> {
    let mut out = Vec::with_capacity(value.len());
    let mut chars = value.char_indices().peekable();
    // Empty lines before the first content stand before the span.
    if rest.peek() != Some('\n') && rest.peek() != Some('\r') {
        while let Some((at, _)) = chars.next_if(|(_, c)| *c == '\n') {
            out.push((at, Span::empty(rest.at)));
        }
    }
    while let Some(&(at, c)) = chars.peek() {
        let mut breaks = Vec::new();
        while let Some(line_break) = rest.line_break() {
            breaks.push(line_break);
            rest.skip_while(indent, |c| c == ' ');
        }
        if let Some(first) = breaks.first() {
            if c == ' ' && breaks.len() == 1 {
                out.push((at, *first));
                chars.next();
            } else {
                out.extend(pair_breaks(&mut chars, &breaks));
            }
        } else if rest.peek() == Some(c) {
            out.push((at, rest.advance(c.len_utf8())));
            chars.next();
        } else if c == '\n' && rest.left().is_empty() {
            // The break that the last line of a file without one gets.
            out.push((at, Span::empty(rest.at)));
            chars.next();
        } else {
            return None;
        }
    }
    Some(out)
}

/// A plain or quoted scalar, which may go over several lines.
fn flow(mut rest: Rest<'_>, value: &str, style: Style) -> Option<Vec<(usize, Span)>> {
    let mut out = Vec::with_capacity(value.len());
    let mut chars = value.char_indices().peekable();
    while let Some(&(at, c)) = chars.peek() {
        let mut ahead = rest;
        ahead.skip_while(usize::MAX, |c| matches!(c, ' ' | '\t'));
        let mut breaks = Vec::new();
        while let Some(line_break) = ahead.line_break() {
            breaks.push(line_break);
            ahead.skip_while(usize::MAX, |c| matches!(c, ' ' | '\t'));
        }
        if let Some(first) = breaks.first() {
            rest = ahead;
            if breaks.len() == 1 {
                if c != ' ' {
                    return None;
                }
                out.push((at, *first));
                chars.next();
            } else {
                out.extend(pair_breaks(&mut chars, &breaks));
            }
        } else if style == Style::DoubleQuoted && rest.peek() == Some('\\') {
            let mut after = rest;
            after.advance(1);
            if after.line_break().is_some() {
                // An escaped break is nothing; empty lines after it are breaks.
                rest = after;
                rest.skip_while(usize::MAX, |c| matches!(c, ' ' | '\t'));
                let mut breaks = Vec::new();
                while let Some(line_break) = rest.line_break() {
                    breaks.push(line_break);
                    rest.skip_while(usize::MAX, |c| matches!(c, ' ' | '\t'));
                }
                out.extend(pair_breaks(&mut chars, &breaks));
            } else {
                out.push((at, rest.advance(escape_bytes(rest.left()))));
                chars.next();
            }
        } else if style == Style::SingleQuoted && rest.left().starts_with("''") && c == '\'' {
            out.push((at, rest.advance(2)));
            chars.next();
        } else if rest.peek() == Some(c) {
            out.push((at, rest.advance(c.len_utf8())));
            chars.next();
        } else {
            return None;
        }
    }
    Some(out)
}

/// The length of the escape that `left` begins with (YAML 1.2.2, 5.7; a surrogate pair as in JSON is one character).
fn escape_bytes(left: &str) -> usize {
    match left.as_bytes().get(1) {
        Some(b'x') => 4,
        Some(b'u') => {
            let high = left.get(2..6).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            if high.is_some_and(|high| (0xD800..0xDC00).contains(&high)) { 12 } else { 6 }
        }
        Some(b'U') => 10,
        _ => 1 + left.chars().nth(1).map_or(0, char::len_utf8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::diagnostic::Errors;
    use crate::rules::tree::{Kind, parse};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// The value of the only key of a file.
    fn value(text: &str) -> (Arc<Source>, Scalar) {
        let source = Arc::new(Source::new("a.yaml", text));
        let mut errors = Errors::default();
        let root = parse(&source, &mut errors).expect(text);
        assert!(!errors.has_errors(), "{:?}", errors.into_sorted());
        let Kind::Map(mut entries) = root.kind else { panic!("no map") };
        let Kind::Scalar(scalar) = entries.remove(0).1.kind else { panic!("no scalar") };
        (source, scalar)
    }

    /// Line, column and text of the part of the file that `part` of the value comes from.
    fn place(text: &str, part: &str) -> (usize, usize, String) {
        let (source, scalar) = value(text);
        let from = scalar.text.find(part).expect(part);
        let span = scalar.place(&source, from, from + part.len());
        let (line, column) = source.position(span.start);
        (line, column, source.slice(span).to_owned())
    }

    fn at(line: usize, column: usize, text: &str) -> (usize, usize, String) {
        (line, column, text.to_owned())
    }

    #[test]
    fn single_quoted() {
        assert_eq!(place("a: 'one two'\n", "two"), at(1, 9, "two"));
        // A doubled quote is one character of the value.
        assert_eq!(place("a: 'it''s two'\n", "two"), at(1, 11, "two"));
        assert_eq!(place("a: 'it''s two'\n", "'"), at(1, 7, "''"));
        // Folded: the break is a blank, an empty line is a break.
        assert_eq!(place("a: 'one  \n    two\n\n    three'\n", "two"), at(2, 5, "two"));
        assert_eq!(place("a: 'one  \n    two\n\n    three'\n", "three"), at(4, 5, "three"));
        assert_eq!(place("a: 'one\n    two'\n", "one two"), at(1, 5, "one\n    two"));
    }

    #[test]
    fn double_quoted() {
        assert_eq!(place("a: \"x \\\"y\\\" z\"\n", "z"), at(1, 13, "z"));
        assert_eq!(place("a: \"x \\\"y\\\" z\"\n", "\""), at(1, 7, "\\\""));
        assert_eq!(place("a: \"\\u00e4\\U0001F600\\x41z\"\n", "z"), at(1, 25, "z"));
        assert_eq!(place("a: \"\\ud83d\\ude00z\"\n", "z"), at(1, 17, "z"));
        assert_eq!(place("a: \"äöz\"\n", "z"), at(1, 7, "z"));
        // An escaped break is nothing at all.
        assert_eq!(place("a: \"one\\\n    two\"\n", "two"), at(2, 5, "two"));
        assert_eq!(place("a: \"one\\\n    two\"\n", "etw"), at(1, 7, "e\\\n    tw"));
        assert_eq!(place("a: \"one\n\n    two\"\n", "two"), at(3, 5, "two"));
    }

    #[test]
    fn blocks() {
        assert_eq!(place("a: |\n  one\n  two\n", "two"), at(3, 3, "two"));
        assert_eq!(place("a: |\n  one\n    two\n", "  two"), at(3, 3, "  two"));
        assert_eq!(place("a: |\n\n  one\n\n  two\n", "two"), at(5, 3, "two"));
        assert_eq!(place("a: >-\n  one\n  two\n\n  three\n", "two"), at(3, 3, "two"));
        assert_eq!(place("a: >-\n  one\n  two\n\n  three\n", "three"), at(5, 3, "three"));
        // A line indented further is not folded.
        assert_eq!(place("a: >\n  one\n    two\n  three\n", "three"), at(4, 3, "three"));
        assert_eq!(place("a: >1\n  one\n  two\n", " two"), at(3, 2, " two"));
    }

    #[test]
    fn line_ends_of_windows() {
        assert_eq!(place("a: >-\r\n  one\r\n  two\r\n", "two"), at(3, 3, "two"));
        assert_eq!(place("a: 'one\r\n  two'\r\n", "two"), at(2, 3, "two"));
        assert_eq!(place("a: |\r\n  one\r\n  two\r\n", "two"), at(3, 3, "two"));
    }

    #[test]
    fn the_end_of_the_value_stands_after_its_last_character() {
        for (text, column) in [("a: 'one'\n", 8), ("a: \"on\\n\"\n", 9), ("a: ''\n", 5)] {
            let (source, scalar) = value(text);
            let end = scalar.text.len();
            let span = scalar.place(&source, end, end);
            assert_eq!(source.position(span.start), (1, column), "{text}");
        }
    }

    /// Writes a value in a style. Lines of the value have no blanks at their ends.
    fn written(value: &str, style: u8) -> String {
        let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
        // In the styles that fold, a break is an empty line; where `wide`, a blank is a break.
        let folded = |text: &str, wide: bool| -> String {
            let break_or = |c| match c {
                '\n' => "\n\n  ".to_owned(),
                ' ' if wide => " \n  ".to_owned(),
                c => c.to_string(),
            };
            text.chars().map(break_or).collect()
        };
        match style {
            0 => format!("# ä comment\na: '{}'\n", folded(&value.replace('\'', "''"), false)),
            1 => format!("a: \"{}\"\n", escaped.replace('\n', "\\n")),
            2 => format!("# ä comment\na: |-\n  {}\n", value.replace('\n', "\n  ")),
            3 => format!("a: >-\n  {}\n", folded(value, true).replace(" \n", "\n")),
            _ => format!("a: \"{}\"\n", folded(&escaped, true)),
        }
    }

    proptest! {
        /// Every character of a value is found where it was written, whatever the style.
        #[test]
        fn every_character_is_found_where_it_stands(
            words in prop::collection::vec("[a-z0-9\\\\\"'ä€😀>=(){}\\[\\]:#,.&|!?-]{1,6}", 1..8),
            breaks in prop::collection::vec(any::<bool>(), 8),
            style in 0u8..5,
        ) {
            let mut expected = String::new();
            for (word, line_break) in words.iter().zip(&breaks) {
                if !expected.is_empty() {
                    expected.push(if *line_break { '\n' } else { ' ' });
                }
                expected.push_str(word);
            }
            let text = written(&expected, style);
            let (source, scalar) = value(&text);
            prop_assert_eq!(&scalar.text, &expected);
            let chars = scalar.chars(&source);
            prop_assert!(chars.is_some(), "not mapped: {}", text);
            for (at, c) in expected.char_indices().filter(|(_, c)| !c.is_whitespace()) {
                let span = scalar.place(&source, at, at + c.len_utf8());
                let found = source.slice(span);
                let plain = found == c.to_string();
                let escaped = matches!((found, c), ("''", '\'') | ("\\\"", '"') | ("\\\\", '\\'));
                prop_assert!(plain || escaped, "{} is not {} in {}", found, c, text);
            }
        }

        /// Whatever is asked of whatever file, a place inside the file comes back.
        #[test]
        fn any_place_is_inside_the_file(text in "[ -~\n]{0,60}", from in 0usize..40, len in 0usize..40) {
            let source = Arc::new(Source::new("a.yaml", format!("a: {text}")));
            let mut errors = Errors::default();
            if let Some(root) = parse(&source, &mut errors)
                && let Kind::Map(entries) = root.kind
            {
                for (_, node) in entries {
                    if let Kind::Scalar(scalar) = node.kind {
                        let span = scalar.place(&source, from, from + len);
                        prop_assert!(span.start <= span.end && span.end <= source.text().len());
                    }
                }
            }
        }
    }
}
