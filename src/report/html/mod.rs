//! The report as one HTML file that needs nothing else: no script to be read, no network, no other file.
//!
//! What the page shows is put together in [`page`] and laid out by `page.html`; the hardware of each node comes from
//! [`sheet`]. Whatever a machine or a rule file supplied reaches the page through [`Shown`] alone: first as
//! [`shown`] writes it, then with the characters that mean something to HTML escaped. The page's own style and script
//! are named by digest in its content security policy, which allows nothing else: should something slip through
//! nevertheless, a browser does not run it and asks nobody for anything.

mod matrix;
mod page;
mod sheet;

use super::Report;
use super::text::shown;
use crate::evaluate::Fleet;
use askama::Template as _;
use sha2::{Digest as _, Sha256};
use std::fmt;

/// The page's only style.
const STYLE: &str = include_str!("style.css");
/// The page's only script. Without it everything can be read; with it, filtered.
const SCRIPT: &str = include_str!("script.js");

/// The report as HTML. `nodes` are those that were judged.
///
/// # Errors
/// If the page cannot be put together, which would be a mistake in muster.
pub fn render(report: &Report, nodes: &(impl Fleet + ?Sized)) -> Result<String, askama::Error> {
    page::Page::new(report, nodes).render()
}

/// The escaper of the templates.
#[derive(Debug, Clone, Copy)]
pub struct Shown;

impl askama::filters::Escaper for Shown {
    fn write_escaped_str<W: fmt::Write>(&self, mut out: W, text: &str) -> fmt::Result {
        for c in shown(text).chars() {
            match c {
                '<' => out.write_str("&lt;")?,
                '>' => out.write_str("&gt;")?,
                '&' => out.write_str("&amp;")?,
                '"' => out.write_str("&quot;")?,
                '\'' => out.write_str("&#39;")?,
                c => out.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// What the page may do (Content Security Policy Level 3): use its own style and script, nothing else.
fn policy() -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        digest(STYLE),
        digest(SCRIPT)
    )
}

/// The digest of an inline style or script as the policy writes it: of the bytes between the tags.
fn digest(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

/// RFC 4648, section 4.
fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, place| bits << 8 | u32::from(three.get(place).copied().unwrap_or(0)));
        for place in 0..4 {
            let six = (bits >> (18 - 6 * place)) & 63;
            match ALPHABET.get(six as usize).filter(|_| place <= three.len()) {
                Some(letter) => out.push(char::from(*letter)),
                None => out.push('='),
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use askama::filters::Escaper as _;

    #[test]
    fn base64_is_that_of_the_rfc() {
        // RFC 4648, section 10.
        for (text, expected) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn what_acts_in_html_or_on_a_reader_is_written_out() {
        for (text, expected) in [
            ("\"><script>alert(1)</script>", "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("</style>'&amp;", "&lt;/style&gt;&#39;&amp;amp;"),
            ("\u{202e}a\0\n", r"\u{202e}a\x00\x0a"),
        ] {
            let mut out = String::new();
            Shown.write_escaped_str(&mut out, text).unwrap();
            assert_eq!(out, expected);
        }
    }

    #[test]
    fn style_and_script_do_not_end_early() {
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</") && !SCRIPT.contains("<!--"));
    }
}
