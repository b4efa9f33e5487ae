//! Plain pages for people: headings, paragraphs, labels with their text, tables. Everything is made harmless on the way.
//!
//! Knows nothing of what it shows. No colour: these pages are read once, and piped.

use crate::report::text::is_treacherous;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, Width, presets};

/// Columns between label and text.
const GAP: u16 = 2;

/// A page under construction.
pub(crate) struct Page {
    out: String,
    width: u16,
}

impl Page {
    /// An empty page of so many columns.
    pub(crate) fn new(width: u16) -> Self {
        Self { out: String::new(), width }
    }

    /// The page; it ends with a line feed.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out.into_bytes()
    }

    /// An empty line and a heading.
    pub(crate) fn heading(&mut self, text: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.line(text);
    }

    /// One line, however long: for what other programs search.
    pub(crate) fn line(&mut self, text: &str) {
        self.out.push_str(&harmless(text));
        self.out.push('\n');
    }

    /// Labels on the left, their text wrapped beside them. Rows without text are left out.
    pub(crate) fn rows<L: AsRef<str>>(&mut self, rows: &[(L, String)]) {
        let rows: Vec<(&str, &String)> =
            rows.iter().map(|(label, text)| (label.as_ref(), text)).filter(|(_, text)| !text.is_empty()).collect();
        let label = rows.iter().map(|(label, _)| label.chars().count()).max().unwrap_or_default();
        let label = u16::try_from(label).unwrap_or(u16::MAX).saturating_add(2 * GAP).min(self.width / 2);
        let mut table = self.plain();
        for (label, text) in &rows {
            table.add_row([harmless(label), lines(text)]);
        }
        let widths = [label, self.width.saturating_sub(label)];
        for ((column, width), padding) in table.column_iter_mut().zip(widths).zip([(GAP, GAP), (0, 0)]) {
            column.set_padding(padding);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        self.push(&table);
    }

    /// A table with a head.
    pub(crate) fn table<const N: usize>(&mut self, head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) {
        let mut table = self.plain();
        table.add_row(head.map(str::to_owned));
        for row in rows {
            table.add_row(row.map(|cell| lines(&cell)));
        }
        for column in table.column_iter_mut() {
            column.set_padding((0, GAP));
        }
        self.push(&table);
    }

    fn plain(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Dynamic).set_width(self.width).force_no_tty();
        table
    }

    fn push(&mut self, table: &Table) {
        if table.row_count() > 0 {
            self.out.push_str(&table.trim_fmt());
            self.out.push('\n');
        }
    }
}

fn lines(text: &str) -> String {
    text.lines().map(harmless).collect::<Vec<_>>().join("\n")
}

/// On one line, whole, what acts on a terminal written out.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_treacherous(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_shown_acts() {
        let mut page = Page::new(60);
        page.heading("a\u{1b}[2Jb");
        page.rows(&[("x", "c\u{202e}d\nsecond".to_owned()), ("none", String::new())]);
        page.table(["head"], [["e\u{9b}f".to_owned()]]);
        let text = String::from_utf8(page.into_bytes()).unwrap();
        assert_eq!(text, "a\\u{1b}[2Jb\n  x  c\\u{202e}d\n     second\nhead\ne\\u{9b}f\n");
    }
}
