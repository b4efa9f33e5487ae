//! What an evaluation rests on: the facts that decided, and the two sides of the comparisons that did.
//!
//! The hot loop watches nothing ([`Blind`]); a finding is evaluated once more under a [`Watcher`]. Both take the same
//! way, so that what is told is what was judged.

use super::ast::Comparison;
use super::diagnostic::Span;
use super::op::Compare;
use super::types::Type;
use crate::view::{Record, Value};

/// Watches an evaluation.
pub(crate) trait Observer<'a> {
    /// How much was noted at some moment.
    type Mark: Copy;
    fn mark(&self) -> Self::Mark;
    /// What was noted between two moments decided nothing.
    fn forget(&mut self, from: Self::Mark, to: Self::Mark);
    /// What was noted since a moment decided nothing.
    fn truncate(&mut self, to: Self::Mark);
    fn fact(&mut self, record: Record<'a>, field: &'a str, ty: &'a Type, value: Value<'a>);
    fn slot(&mut self, name: &'a str, ty: &'a Type, value: Value<'a>);
    fn compared(&mut self, compare: &'a Compare, left: Value<'a>, right: Value<'a>, result: Value<'a>);
}

/// Watches nothing.
pub(crate) struct Blind;

impl<'a> Observer<'a> for Blind {
    type Mark = ();
    fn mark(&self) {}
    fn forget(&mut self, (): (), (): ()) {}
    fn truncate(&mut self, (): ()) {}
    fn fact(&mut self, _: Record<'a>, _: &'a str, _: &'a Type, _: Value<'a>) {}
    fn slot(&mut self, _: &'a str, _: &'a Type, _: Value<'a>) {}
    fn compared(&mut self, _: &'a Compare, _: Value<'a>, _: Value<'a>, _: Value<'a>) {}
}

/// A value that was read.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// The record whose field it is; `None` for a name of the scope. [`crate::view::Paths`] finds its place.
    pub record: Option<Record<'a>>,
    /// The field, or the name.
    pub name: &'a str,
    /// The type, which holds the unit.
    pub ty: &'a Type,
    /// The value.
    pub value: Value<'a>,
}

/// A comparison that was made.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'a> {
    /// The comparison in the source.
    pub span: Span,
    /// The left side in the source.
    pub left_span: Span,
    /// The right side in the source.
    pub right_span: Span,
    /// The left side as it is written, on one line.
    pub left_text: &'a str,
    /// The right side as it is written, on one line.
    pub right_text: &'a str,
    /// The operator.
    pub comparison: Comparison,
    /// The left side.
    pub left: Value<'a>,
    /// The right side.
    pub right: Value<'a>,
    /// The type of the left side.
    pub left_type: &'a Type,
    /// The type of the right side.
    pub right_type: &'a Type,
    /// What came out.
    pub result: Value<'a>,
}

/// What an evaluation rests on.
#[derive(Debug, Clone, Default)]
pub struct Trace<'a> {
    /// The facts and names that decided, each once, in the order in which they were read.
    pub reads: Vec<Read<'a>>,
    /// The comparisons that decided, in the order in which they were made.
    pub comparisons: Vec<Compared<'a>>,
}

impl<'a> Trace<'a> {
    /// What another evaluation rests on as well.
    pub(crate) fn extend(&mut self, other: Trace<'a>) {
        self.reads.extend(other.reads);
        self.comparisons.extend(other.comparisons);
    }

    /// Every fact once.
    pub(crate) fn settle(&mut self) {
        let mut seen = std::collections::BTreeSet::new();
        self.reads.retain(|read| {
            let record = read.record.map_or(0, |record| record.as_ptr().addr());
            seen.insert((record, read.name))
        });
    }
}

/// Notes everything, and forgets what did not decide.
#[derive(Default)]
pub(crate) struct Watcher<'a> {
    pub(crate) trace: Trace<'a>,
}

impl<'a> Observer<'a> for Watcher<'a> {
    type Mark = (usize, usize);

    fn mark(&self) -> Self::Mark {
        (self.trace.reads.len(), self.trace.comparisons.len())
    }
    fn forget(&mut self, from: Self::Mark, to: Self::Mark) {
        remove(&mut self.trace.reads, from.0, to.0);
        remove(&mut self.trace.comparisons, from.1, to.1);
    }
    fn truncate(&mut self, to: Self::Mark) {
        self.trace.reads.truncate(to.0);
        self.trace.comparisons.truncate(to.1);
    }
    fn fact(&mut self, record: Record<'a>, name: &'a str, ty: &'a Type, value: Value<'a>) {
        // A record that is there is only passed through: what is read of it is noted then.
        if !matches!(value, Value::Record(_)) {
            self.trace.reads.push(Read { record: Some(record), name, ty, value });
        }
    }
    fn slot(&mut self, name: &'a str, ty: &'a Type, value: Value<'a>) {
        if !matches!(value, Value::Record(_)) {
            self.trace.reads.push(Read { record: None, name, ty, value });
        }
    }
    fn compared(&mut self, compare: &'a Compare, left: Value<'a>, right: Value<'a>, result: Value<'a>) {
        self.trace.comparisons.push(Compared {
            span: compare.span,
            left_span: compare.left_span,
            right_span: compare.right_span,
            left_text: &compare.sides.0,
            right_text: &compare.sides.1,
            comparison: compare.comparison,
            left,
            right,
            left_type: &compare.types.0,
            right_type: &compare.types.1,
            result,
        });
    }
}

fn remove<T>(list: &mut Vec<T>, from: usize, to: usize) {
    let to = to.min(list.len());
    if from < to {
        list.drain(from..to);
    }
}
