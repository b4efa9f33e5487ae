//! Messages with expressions in braces: "{cache} cache for {capacity} capacity is {cache / capacity}".

use super::diagnostic::{Diagnostic, Span};
use super::display;
use super::lexer::closing_brace;
use super::types::{Scope, Type};
use super::{Bindings, Compiled, Fuel, compile};
use bumpalo::Bump;

/// The longest message before its holes are filled, in bytes.
const LONGEST: usize = 8 << 10;
/// The most holes of one message.
const HOLES: usize = 32;

/// A checked message.
#[derive(Debug)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Text(String),
    Hole(Box<Compiled>),
}

impl Template {
    /// Checks a message. `{{` and `}}` stand for braces.
    ///
    /// # Errors
    /// Every mistake of every hole, with spans in the whole message.
    pub fn compile(source: &str, scope: &Scope<'_>) -> Result<Self, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        if source.len() > LONGEST {
            let message = format!("the message is {} bytes long, at most {LONGEST} are read", source.len());
            return Err(vec![Diagnostic::new(Span::new(0, source.len()), message)]);
        }
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut holes = 0;
        let mut chars = source.char_indices().peekable();
        while let Some((start, char)) = chars.next() {
            let doubled = chars.peek().is_some_and(|(_, next)| *next == char);
            match char {
                '{' | '}' if doubled => {
                    text.push(char);
                    chars.next();
                }
                '}' => {
                    let span = Span::new(start, start + 1);
                    diagnostics.push(Diagnostic::new(span, "`}` closes nothing").help("a brace itself is written }}"));
                }
                '{' => {
                    let Some(end) = closing_brace(source, start + 1) else {
                        let span = Span::new(start, start + 1);
                        let diagnostic = Diagnostic::new(span, "`}` is missing");
                        diagnostics.push(diagnostic.help("a brace itself is written {{"));
                        break;
                    };
                    while chars.peek().is_some_and(|(place, _)| *place <= end) {
                        chars.next();
                    }
                    holes += 1;
                    if holes > HOLES {
                        let message = format!("a message has at most {HOLES} holes");
                        diagnostics.push(Diagnostic::new(Span::new(start, end + 1), message));
                        break;
                    }
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    let inner = source.get(start + 1..end).unwrap_or_default();
                    match compile(inner, scope) {
                        Ok(compiled) => parts.push(Part::Hole(Box::new(compiled))),
                        Err(found) => diagnostics.extend(found.into_iter().map(|mut diagnostic| {
                            let offset = start as u32 + 1;
                            diagnostic.span.start += offset;
                            diagnostic.span.end += offset;
                            diagnostic
                        })),
                    }
                }
                char => text.push(char),
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        if diagnostics.is_empty() { Ok(Self { parts }) } else { Err(diagnostics) }
    }

    /// Fills the holes. What is not told stands as "absent" or "unknown (reason)".
    #[must_use]
    pub fn render<'a>(&'a self, bindings: &Bindings<'a>, scratch: &'a Bump, fuel: Fuel) -> String {
        let mut out = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Hole(hole) => {
                    let outcome = hole.eval(bindings, scratch, fuel);
                    out.push_str(&display::shown(outcome.value, hole.ty()));
                }
            }
        }
        out
    }

    /// The expressions in the holes.
    pub fn holes(&self) -> impl Iterator<Item = &Compiled> {
        self.parts.iter().filter_map(|part| match part {
            Part::Hole(hole) => Some(hole.as_ref()),
            Part::Text(_) => None,
        })
    }

    /// The types of the holes, for a lint that wants every message to name what was found.
    pub fn hole_types(&self) -> impl Iterator<Item = &Type> {
        self.holes().map(Compiled::ty)
    }
}
