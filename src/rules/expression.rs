//! The one place where texts of rules become expressions: compiled, typed, their mistakes placed in the file.
//!
//! Knows where a text stands in YAML; knows nothing of how expressions are read.

use crate::expr::{self, Diagnostic};
pub(crate) use crate::expr::{Compiled as Expr, Field, Schema, Scope, Template, Type};
use crate::rules::diagnostic::{RuleError, Severity, error};
use crate::rules::read::Reader;
use crate::rules::source::Span;
use crate::rules::text::{ExpressionText, MessageText, Text};
use crate::units::Dimension;
use crate::view::Value;

/// Compiles an expression of any type. `None` if it is wrong, which is recorded.
pub(crate) fn compile(text: &ExpressionText, scope: &Scope<'_>, reader: &mut Reader<'_>) -> Option<Expr> {
    if text.is_broken() || is_too_much(text, reader) {
        return None;
    }
    keep(expr::compile(text, scope), text, reader)
}

/// Compiles an expression that has to be true or false.
pub(crate) fn condition(text: &ExpressionText, scope: &Scope<'_>, reader: &mut Reader<'_>) -> Option<Expr> {
    let compiled = compile(text, scope, reader)?;
    if matches!(compiled.ty(), Type::Bool | Type::Any) {
        return Some(compiled);
    }
    reader.error(text.span(), format!("this has to be true or false, and is {}", compiled.ty()));
    None
}

/// Compiles a message with expressions in braces.
pub(crate) fn message(text: &MessageText, scope: &Scope<'_>, reader: &mut Reader<'_>) -> Option<Template> {
    if text.is_broken() || is_too_much(text, reader) {
        return None;
    }
    match Template::compile(text.trim_end(), scope) {
        Ok(template) => {
            for hole in template.holes() {
                // Where in the message the hole stands, it does not say.
                let whole = |warning: &Diagnostic| Diagnostic {
                    span: expr::Span::new(0, text.trim_end().len()),
                    ..warning.clone()
                };
                place(text, hole.warnings().iter().map(whole), Severity::Warning, reader);
            }
            let (count, bytes) = template
                .holes()
                .fold((0, 0), |(count, bytes), hole| (count + hole.regexes(), bytes + hole.regex_bytes()));
            spend(count, bytes, text.span(), reader)?;
            Some(template)
        }
        Err(mistakes) => {
            place(text, mistakes, Severity::Error, reader);
            None
        }
    }
}

fn keep<F>(compiled: Result<Expr, Vec<Diagnostic>>, text: &Text<F>, reader: &mut Reader<'_>) -> Option<Expr> {
    match compiled {
        Ok(compiled) => {
            place(text, compiled.warnings().iter().cloned(), Severity::Warning, reader);
            spend(compiled.regexes(), compiled.regex_bytes(), text.span(), reader)?;
            Some(compiled)
        }
        Err(mistakes) => {
            place(text, mistakes, Severity::Error, reader);
            None
        }
    }
}

/// Whether it may hold a regular expression and no more are compiled; that has been told.
fn is_too_much(text: &str, reader: &Reader<'_>) -> bool {
    reader.errors.regexes.is_spent() && text.contains("matches")
}

/// Counts regular expressions towards what all rules may hold; `None` if it is too much.
pub(crate) fn spend(count: usize, bytes: usize, span: Span, reader: &mut Reader<'_>) -> Option<()> {
    if let Some(message) = reader.errors.regexes.spend(count, bytes) {
        reader.error(span, message);
    }
    (count == 0 || !reader.errors.regexes.is_spent()).then_some(())
}

/// Compiles an expression that this program wrote; `None` never happens, which tests hold.
pub(crate) fn generated(text: &str, scope: &Scope<'_>) -> Option<Expr> {
    expr::compile(text, scope).ok()
}

/// Compiles a message that this program wrote.
pub(crate) fn generated_message(text: &str, scope: &Scope<'_>) -> Option<Template> {
    Template::compile(text, scope).ok()
}

fn place<F>(
    text: &Text<F>,
    mistakes: impl IntoIterator<Item = Diagnostic>,
    severity: Severity,
    reader: &mut Reader<'_>,
) {
    for mistake in mistakes {
        let span = text.place(reader.source, mistake.span.start as usize, mistake.span.end as usize);
        let error = error(reader.source, span, mistake.message);
        reader.errors.push(RuleError { help: mistake.help, severity, ..error });
    }
}

/// A number with its unit, as in expressions, with a sign if need be; `None` if it is none.
pub(crate) fn number(text: &str) -> Option<(f64, Dimension)> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let arena = bumpalo::Bump::new();
    let (value, ty) = expr::literal(digits, &Schema::new(), &arena).ok()?;
    let value = match value {
        Value::Int(value) => value as f64,
        Value::Double(value) => value,
        _ => return None,
    };
    Some((sign * value, ty.dimension()?))
}
