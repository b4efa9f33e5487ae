//! The one place where texts of rules become expressions: compiled, typed, their mistakes placed in the file.
//!
//! Knows where a text stands in YAML; knows nothing of how expressions are read.

use crate::rules::diagnostic::{RuleError, error};
use crate::rules::read::Reader;
pub(crate) use crate::rules::stub::{Compiled as Expr, Field, Schema, Scope, Type};
use crate::rules::stub as expr;
use crate::rules::text::{ExpressionText, MessageText, Text};
use crate::units::Dimension;

/// A message with its expressions.
pub type Template = Expr;

/// Compiles an expression of any type. `None` if it is wrong, which is recorded.
pub(crate) fn compile(text: &ExpressionText, scope: &Scope<'_>, reader: &mut Reader<'_>) -> Option<Expr> {
    if text.is_broken() {
        return None;
    }
    match expr::compile(text, scope) {
        Ok(compiled) => Some(compiled),
        Err(mistakes) => {
            place(text, mistakes, reader);
            None
        }
    }
}

/// Compiles an expression that has to be true or false.
pub(crate) fn condition(text: &ExpressionText, scope: &Scope<'_>, reader: &mut Reader<'_>) -> Option<Expr> {
    let compiled = compile(text, scope, reader)?;
    if matches!(compiled.ty(), Type::Bool | Type::Any) {
        return Some(compiled);
    }
    reader.error(text.span(), "this has to be true or false");
    None
}

/// Compiles a message with expressions in braces.
pub(crate) fn message(text: &MessageText, scope: &Scope<'_>, reader: &mut Reader<'_>) -> Option<Template> {
    if text.is_broken() {
        return None;
    }
    match expr::compile(text.trim_end(), scope) {
        Ok(compiled) => Some(compiled),
        Err(mistakes) => {
            place(text, mistakes, reader);
            None
        }
    }
}

/// Compiles an expression that this program wrote; `None` never happens, which tests hold.
pub(crate) fn generated(text: &str, scope: &Scope<'_>) -> Option<Expr> {
    expr::compile(text, scope).ok()
}

/// Compiles a message that this program wrote.
pub(crate) fn generated_message(text: &str, scope: &Scope<'_>) -> Option<Template> {
    expr::compile(text, scope).ok()
}

fn place<F>(text: &Text<F>, mistakes: Vec<expr::Diagnostic>, reader: &mut Reader<'_>) {
    for mistake in mistakes {
        let span = text.place(reader.source, mistake.span.start as usize, mistake.span.end as usize);
        reader.errors.push(RuleError { help: mistake.help, ..error(reader.source, span, mistake.message) });
    }
}

/// A number with its unit, as in expressions, with a sign if need be.
pub(crate) fn number(text: &str) -> Option<(f64, Dimension)> {
    expr::quantity(text)
}

/// The base unit of a dimension as expressions write it.
pub(crate) fn unit_of(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Ratio => "%",
        _ => "",
    }
}
