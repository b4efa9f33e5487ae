//! From text to tokens with byte spans. A literal that means nothing is told and stands as [`Token::Bad`], so that the
//! rest of the expression is still read.

use super::diagnostic::{Diagnostic, Diagnostics, Span};
use super::literal::{self, Quantity, Written};
use super::number::Number;
use crate::units::Dimension;
use crate::words::nearest;

/// The longest expression, in bytes.
pub(crate) const LONGEST: usize = 64 << 10;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    Name(String),
    /// A whole number without a sign, at most 2^63.
    Int(u64),
    Double(f64),
    Quantity(Literal),
    Text(String),
    /// A literal that was wrong and has been told.
    Bad,
    /// An operator, a bracket or another mark.
    Mark(&'static str),
    End,
}

/// A number with a unit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Literal {
    pub(crate) number: Number,
    pub(crate) dimension: Dimension,
}

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.number.order(other.number).is_eq() && self.dimension == other.dimension
    }
}

/// Longest first, for the first that fits is taken.
const MARKS: &[&str] = &[
    "&&", "||", "==", "!=", "<=", ">=", "<", ">", "!", "-", "+", "*", "/", "?", ":", ".", ",", "(", ")", "[", "]", "{",
    "}",
];

/// The tokens of an expression, the last of them [`Token::End`].
pub(crate) fn tokens(source: &str, diagnostics: &mut Diagnostics) -> Vec<(Token, Span)> {
    let mut lexer = Lexer { source, at: 0, diagnostics };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks();
        lexer.skip_strange();
        let start = lexer.at;
        let token = lexer.token();
        let end = token == Token::End;
        tokens.push((token, Span::new(start, lexer.at)));
        if end {
            return tokens;
        }
    }
}

/// Where the first closing brace stands that is not part of a text, from an offset on.
pub(crate) fn closing_brace(source: &str, from: usize) -> Option<usize> {
    let mut diagnostics = Diagnostics::default();
    let mut lexer = Lexer { source, at: from, diagnostics: &mut diagnostics };
    loop {
        lexer.skip_blanks();
        lexer.skip_strange();
        let start = lexer.at;
        match lexer.token() {
            Token::Mark("}") => return Some(start),
            Token::End => return None,
            _ => {}
        }
    }
}

struct Lexer<'s, 'd> {
    source: &'s str,
    at: usize,
    diagnostics: &'d mut Diagnostics,
}

impl<'s> Lexer<'s, '_> {
    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn from(&self, start: usize) -> &'s str {
        self.source.get(start..self.at).unwrap_or_default()
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn take_while(&mut self, test: impl Fn(u8) -> bool) {
        while self.peek(0).is_some_and(&test) {
            self.at += 1;
        }
    }

    fn tell(&mut self, start: usize, message: impl Into<String>) -> &mut Self {
        let span = Span::new(start, self.at);
        self.diagnostics.push(Diagnostic::new(span, message));
        self
    }

    fn tell_help(&mut self, start: usize, message: impl Into<String>, help: impl Into<String>) {
        let span = Span::new(start, self.at);
        self.diagnostics.push(Diagnostic::new(span, message).help(help));
    }

    /// White space and comments from `//` to the end of the line.
    fn skip_blanks(&mut self) {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace());
            if !self.rest().starts_with("//") {
                return;
            }
            self.take_while(|byte| byte != b'\n');
        }
    }

    fn token(&mut self) -> Token {
        let start = self.at;
        let Some(first) = self.peek(0) else { return Token::End };
        if first.is_ascii_digit() || (first == b'.' && self.peek(1).is_some_and(|byte| byte.is_ascii_digit())) {
            return self.number();
        }
        if first.is_ascii_alphabetic() || first == b'_' {
            return self.name();
        }
        if matches!(first, b'"' | b'\'') {
            return self.text(start, false);
        }
        match self.mark() {
            Some(mark) => {
                self.at += mark.len();
                Token::Mark(mark)
            }
            None => Token::End,
        }
    }

    fn mark(&self) -> Option<&'static str> {
        MARKS.iter().copied().find(|mark| self.rest().starts_with(mark))
    }

    /// Tells the characters that begin no token, and goes on behind them.
    fn skip_strange(&mut self) {
        while let Some(char) = self.rest().chars().next() {
            if char.is_ascii_alphanumeric() || matches!(char, '_' | '"' | '\'') || self.mark().is_some() {
                return;
            }
            self.strange(char);
            self.skip_blanks();
        }
    }

    /// A character that no expression has.
    fn strange(&mut self, char: char) {
        let start = self.at;
        self.at += char.len_utf8();
        let help = match char {
            '%' => Some("a percent sign follows its number directly, as in 10%; there is no modulo"),
            '&' => Some("`and` is written &&"),
            '|' => Some("`or` is written ||"),
            '=' => Some("equality is written =="),
            '“' | '”' | '„' | '‘' | '’' => Some("text stands between \" or '"),
            _ => None,
        };
        let message = format!("`{}` has no meaning here", char.escape_debug());
        let span = Span::new(start, self.at);
        self.diagnostics.push(Diagnostic::new(span, message).maybe(help.map(str::to_owned)));
    }

    fn name(&mut self) -> Token {
        let start = self.at;
        self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let name = self.from(start);
        if matches!(self.peek(0), Some(b'"' | b'\'')) {
            match name {
                "r" | "R" => return self.text(start, true),
                "b" | "B" | "br" | "rb" | "bR" | "Rb" | "rB" | "Br" | "BR" | "RB" => {
                    self.text(start, true);
                    self.tell(start, "there are no byte strings");
                    return Token::Bad;
                }
                _ => {}
            }
        }
        Token::Name(name.to_owned())
    }

    /// A number, with a unit that follows it directly.
    fn number(&mut self) -> Token {
        let start = self.at;
        if self.rest().starts_with("0x") || self.rest().starts_with("0X") {
            self.at += 2;
            self.take_while(|byte| byte.is_ascii_alphanumeric());
            return match literal::number(self.from(start)) {
                Some(Written::Int(value)) => Token::Int(value),
                _ => {
                    self.tell(start, "no hexadecimal number of 63 bits");
                    Token::Bad
                }
            };
        }
        self.take_while(|byte| byte.is_ascii_digit());
        if self.peek(0) == Some(b'.') && self.peek(1).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
            self.take_while(|byte| byte.is_ascii_digit());
        }
        if matches!(self.peek(0), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
            if self.peek(1 + sign).is_some_and(|byte| byte.is_ascii_digit()) {
                self.at += 1 + sign;
                self.take_while(|byte| byte.is_ascii_digit());
            }
        }
        let digits = self.from(start);
        let unit = self.unit();
        if unit.is_empty() {
            return match literal::number(digits) {
                Some(Written::Int(value)) => Token::Int(value),
                Some(Written::Double(value)) => Token::Double(value),
                None => {
                    self.tell(start, "the number does not fit 64 bits");
                    Token::Bad
                }
            };
        }
        match literal::quantity(digits, unit) {
            Quantity::Read(number, dimension) => Token::Quantity(Literal { number, dimension }),
            Quantity::TooLarge => {
                self.tell(start, "the number is too large");
                Token::Bad
            }
            Quantity::NoSuchUnit => {
                let message = format!("`{unit}` is no unit");
                match unit {
                    "u" | "U" => self.tell_help(start, message, "whole numbers are written without a letter"),
                    "b" | "kb" | "Mb" | "Gb" => self.tell_help(start, message, "bits are written bit/s, bytes B"),
                    "bit" | "kbit" | "Mbit" | "Gbit" | "Gbps" | "Mbps" => {
                        self.tell_help(start, message, "link rates are written as in 25Gbit/s");
                    }
                    _ => match nearest(unit, literal::units().map(|(name, _)| name)) {
                        Some(near) => self.tell_help(start, message, format!("did you mean `{digits}{near}`?")),
                        None => {
                            self.tell(start, message);
                        }
                    },
                }
                Token::Bad
            }
        }
    }

    /// Letters or a percent sign directly after a number; with "/s" where that makes a unit.
    fn unit(&mut self) -> &'s str {
        let start = self.at;
        if self.peek(0) == Some(b'%') {
            self.at += 1;
            return self.from(start);
        }
        if !self.peek(0).is_some_and(|byte| byte.is_ascii_alphabetic()) {
            return "";
        }
        self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let letters = self.from(start);
        let ends = self.peek(2).is_none_or(|byte| !byte.is_ascii_alphanumeric() && byte != b'_' && byte != b'.');
        if self.rest().starts_with("/s") && ends {
            let rate = self.source.get(start..self.at + 2).unwrap_or_default();
            let is_unit = |unit: &str| literal::units().any(|(name, _)| name == unit);
            if is_unit(rate) || !is_unit(letters) {
                self.at += 2;
                return rate;
            }
        }
        letters
    }

    /// A quoted text, at its first quote. Three quotes begin a text that may hold line breaks.
    fn text(&mut self, start: usize, raw: bool) -> Token {
        let quote = if self.peek(0) == Some(b'"') { "\"" } else { "'" };
        let three = quote.repeat(3);
        let long = self.rest().starts_with(&three);
        let close = if long { three.as_str() } else { quote };
        self.at += close.len();
        let inner = self.at;
        loop {
            if self.rest().starts_with(close) {
                break;
            }
            let line_break = matches!(self.peek(0), Some(b'\n' | b'\r'));
            match self.rest().chars().next() {
                Some('\\') if !raw => {
                    self.at += 1;
                    self.at += self.rest().chars().next().map_or(0, char::len_utf8);
                }
                Some(char) if long || !line_break => self.at += char.len_utf8(),
                _ => {
                    let message = format!("the text lacks its closing {close}");
                    self.tell(start, message);
                    return Token::Bad;
                }
            }
        }
        let content = self.from(inner);
        self.at += close.len();
        if raw {
            return Token::Text(content.to_owned());
        }
        match literal::unescape(content) {
            Ok(text) => Token::Text(text),
            Err((place, length)) => {
                let end = std::mem::replace(&mut self.at, inner + place + length);
                let help = "a backslash itself is written \\\\; r\"...\" takes every character as it is";
                self.tell_help(inner + place, "no such escape", help);
                self.at = end;
                Token::Bad
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        let mut diagnostics = Diagnostics::default();
        let mut words: Vec<String> = tokens(source, &mut diagnostics)
            .into_iter()
            .map(|(token, span)| match token {
                Token::Mark(mark) => mark.to_owned(),
                Token::Quantity(literal) => {
                    format!("<{} {}>", literal.number.as_f64(), literal.dimension.base_unit())
                }
                Token::Text(text) => format!("{text:?}"),
                Token::Int(_) | Token::Double(_) | Token::Name(_) => span.of(source).to_owned(),
                Token::Bad => "BAD".to_owned(),
                Token::End => String::new(),
            })
            .collect();
        words.pop();
        words.extend(diagnostics.into_sorted().iter().map(ToString::to_string));
        words.join(" ")
    }

    #[test]
    fn sources_fall_into_tokens() {
        for (source, expected) in [
            ("a&&b||!c", "a && b || ! c"),
            ("a<=b ? 1:2.5", "a <= b ? 1 : 2.5"),
            ("x.y[0] // comment\n + .5", "x . y [ 0 ] + .5"),
            ("10% >= 4.8%", "<0.1 ratio> >= <0.048 ratio>"),
            ("25Gbit/s", "<25000000000 bit/s>"),
            ("1B/s", "<1 byte/s>"),
            // Neither is a rate: the one divides by a name that begins with s, the other by s.y.
            ("1B/sum", "<1 byte> / sum"),
            ("1B/s.y", "<1 byte> / s . y"),
            ("1B / s", "<1 byte> / s"),
            ("1e3+2E-1", "1e3 + 2E-1"),
            ("5.abs()", "5 . abs ( )"),
            (
                r#"'a"b' "c'd" r"\d" """two
lines""" '\x41'"#,
                r#""a\"b" "c'd" "\\d" "two\nlines" "A""#,
            ),
            (
                "10 % 3",
                "10 3 3..4: `%` has no meaning here (a percent sign follows its number directly, as in 10%; there is no modulo)",
            ),
            ("5u", "BAD 0..2: `u` is no unit (whole numbers are written without a letter)"),
            ("25gbit/s", "BAD 0..8: `gbit/s` is no unit (did you mean `25Gbit/s`?)"),
            ("1KB", "BAD 0..3: `KB` is no unit (did you mean `1kB`?)"),
            ("99999999999999999999", "BAD 0..20: the number does not fit 64 bits"),
            ("'a\nb", "BAD b 0..2: the text lacks its closing '"),
            (
                r"'\q' + 1",
                r#"BAD + 1 1..3: no such escape (a backslash itself is written \\; r"..." takes every character as it is)"#,
            ),
            ("b'x'", "BAD 0..4: there are no byte strings"),
            ("ä\u{202e}", "0..2: `ä` has no meaning here 2..5: `\\u{202e}` has no meaning here"),
        ] {
            assert_eq!(shown(source), expected, "{source}");
        }
    }
}
