//! JSON as it is written: indented or one line a value, and safe to look at in a terminal.
//!
//! The values are the machine's own, unchanged: characters that act on a terminal or turn the reading direction are
//! written as `\u` escapes, which every JSON reader takes for the same text.

pub mod v1;

use super::text::is_treacherous;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use std::io::{self, Write};

/// The value as indented JSON with a line feed at its end.
///
/// # Errors
/// Only if the value cannot be JSON, as a map whose keys are no text.
pub fn to_bytes(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, Harmless(PrettyFormatter::new())))?;
    out.push(b'\n');
    Ok(out)
}

/// The value as JSON on one line, with a line feed at its end.
///
/// # Errors
/// Only if the value cannot be JSON, as a map whose keys are no text.
pub fn to_line(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut out = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut out, Harmless(CompactFormatter)))?;
    out.push(b'\n');
    Ok(out)
}

struct Harmless<F>(F);

impl<F: Formatter> Formatter for Harmless<F> {
    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }
    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }
    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }
    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }
    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }
    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }
    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }
    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| is_treacherous(*c)) {
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            writer.write_all(before.as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = from.strip_prefix(c).unwrap_or_default();
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_unchanged_and_acts_on_no_terminal() {
        let value = serde_json::json!({"k\u{202e}": "a\x1b[2J\u{9b}31m\u{7f}\u{2028}\u{e0041}\"\\é", "n": [1, {}, []]});
        let text = String::from_utf8(to_bytes(&value).unwrap()).unwrap();
        assert!(!text.chars().any(|c| c != '\n' && is_treacherous(c)), "{text:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        assert!(text.contains(r#""k\u202e": "a\u001b[2J\u009b31m\u007f\u2028\udb40\udc41\"\\é""#), "{text}");
        assert!(text.ends_with("}\n"));
        let line = String::from_utf8(to_line(&value).unwrap()).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap(), value);
        assert_eq!(line.lines().count(), 1);
        assert!(line.contains(r#""k\u202e":"a\u001b[2J"#), "{line}");
    }
}
