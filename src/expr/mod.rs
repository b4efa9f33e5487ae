//! The expressions of rules: a subset of CEL over facts that may be absent or unknown, with units.
//!
//! Knows types, units and the arena of facts; knows no hardware and no YAML. [`compile`] settles every name, type and
//! dimension; [`Compiled::eval`] cannot fail: what cannot be told is unknown, with the reason. The language and every
//! departure from CEL are in `docs/expressions.md`.

mod apply;
mod ast;
mod calls;
mod check;
mod diagnostic;
mod display;
mod eval;
mod functions;
mod lexer;
mod lists;
mod literal;
mod number;
mod op;
mod parser;
mod template;
mod trace;
mod types;
mod version;

pub use ast::{Ast, Comparison, HIGHEST};
pub use diagnostic::{Diagnostic, Span};
pub use display::shown;
pub use functions::{markdown as functions_markdown, units_markdown};
pub use parser::parse;
pub use template::Template;
pub use trace::{Compared, Read, Trace};
pub use types::{Field, Schema, SchemaError, Scope, ShapeId, Type};
pub use version::Scheme;

use crate::units::Dimension;
use crate::view::{Reason, Value};
use bumpalo::Bump;
use check::Checker;
use diagnostic::Diagnostics;
use eval::{BUDGET, Machine};
use op::Op;
use std::collections::BTreeSet;
use trace::{Blind, Observer, Watcher};

/// How much one evaluation may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fuel {
    /// Nodes visited and elements handled.
    pub steps: u64,
    /// Bytes in the scratch arena.
    pub bytes: usize,
}

impl Default for Fuel {
    /// Far more than a check over one node takes, and stopped within some ten milliseconds.
    fn default() -> Self {
        Self { steps: 1_000_000, bytes: 4 << 20 }
    }
}

/// The values that an expression reads.
#[derive(Debug, Clone, Copy)]
pub struct Bindings<'a> {
    /// The value of each name of the scope, by slot.
    pub slots: &'a [Value<'a>],
    /// Why a fact that the schema knows is not in the tree at all.
    pub not_collected: &'a Reason<'a>,
    /// Take facts of low confidence for unknown.
    pub distrust_low: bool,
}

impl<'a> Bindings<'a> {
    /// Bindings that trust facts of low confidence.
    #[must_use]
    pub fn new(slots: &'a [Value<'a>], not_collected: &'a Reason<'a>) -> Self {
        Self { slots, not_collected, distrust_low: false }
    }
}

/// What came out of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct Outcome<'a> {
    /// The value; unknown if the budget was used up.
    pub value: Value<'a>,
    /// An unknown fact, or a collection that may lack elements, was read, whether or not it decided.
    pub read_unknown: bool,
    /// A fact of low confidence was read: evaluated again with `distrust_low`, the value may be another.
    pub read_low: bool,
    /// The steps taken.
    pub steps: u64,
}

/// A checked expression.
#[derive(Debug)]
pub struct Compiled {
    op: Op,
    ty: Type,
    locals: usize,
    slots: BTreeSet<usize>,
    facts: BTreeSet<(String, String)>,
    warnings: Vec<Diagnostic>,
    regexes: usize,
}

/// Parses and checks an expression.
///
/// # Errors
/// Every mistake that could be found, in the order of the source.
pub fn compile(source: &str, scope: &Scope<'_>) -> Result<Compiled, Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::default();
    let Some(ast) = parser::parse_into(source, &mut diagnostics) else { return Err(diagnostics.into_sorted()) };
    let mut checker = Checker::new(source, scope, diagnostics);
    let checked = checker.check(&ast.root);
    if !checker.diagnostics.is_empty() {
        return Err(checker.diagnostics.into_sorted());
    }
    Ok(Compiled {
        op: checked.op,
        ty: checked.ty,
        locals: checker.most_locals,
        slots: checker.slots,
        facts: checker.facts,
        warnings: checker.warnings.into_sorted(),
        regexes: checker.regexes,
    })
}

/// Parses and checks an expression that must be true or false.
///
/// # Errors
/// As [`compile`], or that it is of another type.
pub fn compile_bool(source: &str, scope: &Scope<'_>) -> Result<Compiled, Vec<Diagnostic>> {
    let compiled = compile(source, scope)?;
    match compiled.ty {
        Type::Bool => Ok(compiled),
        other => {
            let message = format!("true or false is expected, this is {other}");
            Err(vec![Diagnostic::new(Span::new(0, source.len()), message)])
        }
    }
}

/// Reads a literal as a value, for a parameter that is written as one: a number, a quantity, a text, a flag, or a list
/// of them.
///
/// # Errors
/// If it is no expression, or one that reads something.
pub fn literal<'a>(source: &str, schema: &Schema, arena: &'a Bump) -> Result<(Value<'a>, Type), Vec<Diagnostic>> {
    let scope = Scope::new(schema);
    let compiled = compile(source, &scope)?;
    fn value<'a>(op: &Op, arena: &'a Bump) -> Option<Value<'a>> {
        match op {
            Op::Bool(value) => Some(Value::Bool(*value)),
            Op::Int(value) => Some(Value::Int(*value)),
            Op::Double(value) => Some(Value::Double(*value)),
            Op::Text(text) => Some(Value::Text(arena.alloc_str(text))),
            Op::List(ops) => {
                let items: Option<Vec<Value<'a>>> = ops.iter().map(|op| value(op, arena)).collect();
                Some(Value::list(&items?, arena))
            }
            _ => None,
        }
    }
    match value(&compiled.op, arena) {
        Some(value) => Ok((value, compiled.ty)),
        None => Err(vec![Diagnostic::new(Span::new(0, source.len()), "a value that is written out is expected")]),
    }
}

impl Compiled {
    /// The type of the result.
    #[must_use]
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// What a numeric result measures.
    #[must_use]
    pub fn dimension(&self) -> Option<Dimension> {
        self.ty.dimension()
    }

    /// The slots of the names it uses, ascending.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        self.slots.iter().copied()
    }

    /// The facts it can read: names of record types and fields, sorted.
    pub fn facts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.facts.iter().map(|(record, field)| (record.as_str(), field.as_str()))
    }

    /// What is worth telling though it is no mistake.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// How many regular expressions it holds: each takes up to some hundred KiB.
    #[must_use]
    pub fn regexes(&self) -> usize {
        self.regexes
    }

    /// Evaluates. What is made on the way lies in the scratch arena.
    pub fn eval<'a>(&'a self, bindings: &Bindings<'a>, scratch: &'a Bump, fuel: Fuel) -> Outcome<'a> {
        self.run(bindings, scratch, fuel, Blind).0
    }

    /// Evaluates once more, noting what decided. Slower than [`Self::eval`], with the same outcome.
    pub fn trace<'a>(&'a self, bindings: &Bindings<'a>, scratch: &'a Bump, fuel: Fuel) -> (Outcome<'a>, Trace<'a>) {
        let (outcome, watcher) = self.run(bindings, scratch, fuel, Watcher::default());
        let mut trace = watcher.trace;
        trace.settle();
        (outcome, trace)
    }

    fn run<'a, O: Observer<'a>>(
        &'a self,
        bindings: &Bindings<'a>,
        scratch: &'a Bump,
        fuel: Fuel,
        observer: O,
    ) -> (Outcome<'a>, O) {
        let mut machine = Machine {
            slots: bindings.slots,
            locals: scratch.alloc_slice_fill_copy(self.locals, Value::Absent),
            scratch,
            not_collected: bindings.not_collected,
            distrust: bindings.distrust_low,
            steps: fuel.steps,
            bytes: fuel.bytes,
            read_unknown: false,
            read_low: false,
            observer,
        };
        let value = machine.eval(&self.op).unwrap_or(Value::Unknown(&BUDGET));
        let outcome = Outcome {
            value,
            read_unknown: machine.read_unknown,
            read_low: machine.read_low,
            steps: fuel.steps - machine.steps,
        };
        (outcome, machine.observer)
    }
}

/// Adds the values of names that are expressions themselves (`let`): each sees the slots before it. The scope must have
/// bound them in this order, after the names of `base`.
pub fn bind<'a>(
    base: &Bindings<'a>,
    lets: impl IntoIterator<Item = &'a Compiled>,
    scratch: &'a Bump,
    fuel: Fuel,
) -> Bindings<'a> {
    let mut slots = base.slots.to_vec();
    for compiled in lets {
        let bindings = Bindings { slots: scratch.alloc_slice_copy(&slots), ..*base };
        slots.push(compiled.eval(&bindings, scratch, fuel).value);
    }
    Bindings { slots: scratch.alloc_slice_copy(&slots), ..*base }
}

/// As [`Compiled::trace`] for an expression that uses names bound by [`bind`]: in the place of such a name stands what
/// its own expression rests on, after the name itself with its value.
pub fn trace_through<'a>(
    expression: &'a Compiled,
    lets: &[&'a Compiled],
    first_let: usize,
    bindings: &Bindings<'a>,
    names: &[(String, Type)],
    scratch: &'a Bump,
    fuel: Fuel,
) -> (Outcome<'a>, Trace<'a>) {
    let (outcome, mut trace) = expression.trace(bindings, scratch, fuel);
    // A let sees only the lets before it, so walking back from the last expands each once.
    for (place, compiled) in lets.iter().enumerate().rev() {
        let Some((name, _)) = names.get(first_let + place) else { continue };
        if trace.reads.iter().any(|read| read.record.is_none() && read.name == name) {
            trace.extend(compiled.trace(bindings, scratch, fuel).1);
        }
    }
    trace.settle();
    (outcome, trace)
}

#[cfg(test)]
mod tests;
