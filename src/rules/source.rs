//! One file of rules as it was handed in: its text, and where a byte of it stands for a person.
//!
//! Knows lines and columns; knows nothing of YAML beyond what ends a line.

use std::fmt;

/// A stretch of bytes of a [`Source`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

impl Span {
    /// From the first byte to the one after the last; never backwards.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Between two bytes.
    #[must_use]
    pub fn empty(at: usize) -> Self {
        Self { start: at, end: at }
    }
}

/// A file of rules.
#[derive(PartialEq, Eq)]
pub struct Source {
    /// The path as the caller names it: relative to the folder of rules, with `/`.
    pub path: String,
    text: String,
    /// The first byte of every line.
    lines: Vec<usize>,
}

impl fmt::Debug for Source {
    /// The path alone: errors carry their source, and a megabyte of text helps nobody.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({})", self.path)
    }
}

impl Source {
    /// Takes the text as it is.
    #[must_use]
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut lines = vec![0];
        let mut bytes = text.bytes().enumerate().peekable();
        while let Some((at, byte)) = bytes.next() {
            // YAML 1.2.2, 5.4: a line ends with LF, CR LF or CR.
            if byte == b'\n' || (byte == b'\r' && bytes.peek().map(|(_, next)| *next) != Some(b'\n')) {
                lines.push(at + 1);
            }
        }
        Self { path: path.into(), text, lines }
    }

    /// All of it.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text of a span; empty if the span is not of this file.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Line and column of a byte, both from 1; columns count characters.
    #[must_use]
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = self.line_start(line);
        let before = self.text.get(start..offset.min(self.text.len())).unwrap_or_default();
        (line, before.chars().count() + 1)
    }

    /// The bytes of a line (from 1), without what ends it.
    #[must_use]
    pub fn line(&self, line: usize) -> Span {
        let start = self.line_start(line);
        let end = self.lines.get(line).copied().unwrap_or(self.text.len());
        let text = self.text.get(start..end).unwrap_or_default();
        Span::new(start, start + text.trim_end_matches(['\n', '\r']).len())
    }

    fn line_start(&self, line: usize) -> usize {
        self.lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_stands_at_a_line_and_a_column_of_characters() {
        let source = Source::new("a.yaml", "a: ä€b\r\nc\rd\n");
        // a=0 :=1 blank=2 ä=3..5 €=5..8 b=8 CR=9 LF=10 c=11 CR=12 d=13 LF=14
        for (offset, expected) in [(0, (1, 1)), (3, (1, 4)), (5, (1, 5)), (8, (1, 6)), (11, (2, 1)), (13, (3, 1))] {
            assert_eq!(source.position(offset), expected, "byte {offset}");
        }
        assert_eq!(source.slice(source.line(1)), "a: ä€b");
        assert_eq!(source.slice(source.line(3)), "d");
        assert_eq!(source.position(99), (4, 1), "past the end");
    }
}
