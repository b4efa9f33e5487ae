//! Text that a machine or a file supplied, made harmless before it is shown.
//!
//! Drive models, serial numbers and DMI strings come from devices that nobody vouches for: they may hold control
//! sequences that move the cursor or retitle the terminal, marks that reverse the direction of reading, or kilobytes
//! of nothing. Everything that is shown goes through [`shown`]; what is written as JSON goes through
//! [`crate::report::json`], which uses the same [`is_treacherous`].

use std::fmt::Write as _;

/// Longest text shown as one piece, in characters; of a longer one the middle is left out.
const LONGEST: usize = 500;
/// Characters kept of the beginning of a text that is too long.
const HEAD: usize = 300;
/// Characters kept of its end.
const TAIL: usize = 150;

/// Whether a character does something to a terminal, a reader or a line instead of being seen.
#[must_use]
pub fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Soft hyphen; Arabic letter mark; Hangul fillers; Mongolian vowel separator: invisible.
            '\u{00AD}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{180E}' | '\u{3164}' | '\u{FFA0}'
            // Zero-width spaces and joiners, left-to-right and right-to-left mark.
            | '\u{200B}'..='\u{200F}'
            // Line and paragraph separator; bidirectional embeddings and overrides (Unicode Standard Annex 9).
            | '\u{2028}'..='\u{202E}'
            // Word joiner, invisible operators, bidirectional isolates, deprecated format characters.
            | '\u{2060}'..='\u{206F}'
            // Byte order mark; interlinear annotation; tags.
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// The text on one line, treacherous characters written as escapes (`\x1b`, `\u{202e}`), its length bounded.
#[must_use]
pub fn shown(text: &str) -> String {
    let length = text.chars().count();
    if length <= LONGEST {
        return text.chars().fold(String::with_capacity(text.len()), push);
    }
    let left_out = length - HEAD - TAIL;
    let mut out = text.chars().take(HEAD).fold(String::new(), push);
    let _ = write!(out, "... ({left_out} characters left out) ...");
    text.chars().skip(length - TAIL).fold(out, push)
}

/// The text on one line with at most `most` characters, an ellipsis in the place of the rest.
#[must_use]
pub fn brief(text: &str, most: usize) -> String {
    let mut out = text.chars().take(most).fold(String::new(), push);
    if text.chars().nth(most).is_some() {
        out.push_str("...");
    }
    out
}

fn push(mut out: String, c: char) -> String {
    if !is_treacherous(c) {
        out.push(c);
    } else if u32::from(c) < 0x100 {
        let _ = write!(out, "\\x{:02x}", u32::from(c));
    } else {
        let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_instead_of_being_seen_is_written_out() {
        for (text, expected) in [
            ("SAMSUNG MZ7KM480", "SAMSUNG MZ7KM480"),
            ("\x1b[2Jgone", r"\x1b[2Jgone"),
            ("\u{9b}31mred", r"\x9b31mred"),
            ("title\x1b]0;x\x07", r"title\x1b]0;x\x07"),
            ("a\r\nPASS\t", r"a\x0d\x0aPASS\x09"),
            ("\u{202e}ssap", r"\u{202e}ssap"),
            ("a\u{2066}b\u{200b}c\u{feff}", r"a\u{2066}b\u{200b}c\u{feff}"),
            ("\u{2028}\u{e0041}\u{7f}", r"\u{2028}\u{e0041}\x7f"),
            ("Größe 3.84 TB, 温度 °C", "Größe 3.84 TB, 温度 °C"),
        ] {
            assert_eq!(shown(text), expected);
            assert!(!shown(text).chars().any(is_treacherous));
        }
    }

    #[test]
    fn long_text_keeps_its_ends() {
        let long = format!("A{}Z", "x".repeat(9_998));
        let text = shown(&long);
        assert!(text.starts_with("Axx") && text.ends_with("xxZ"), "{text}");
        assert!(text.contains("... (9550 characters left out) ..."), "{text}");
        assert_eq!(shown(&"é".repeat(500)), "é".repeat(500));
        assert_eq!(brief("abcdef", 3), "abc...");
        assert_eq!(brief("abc", 3), "abc");
    }
}
