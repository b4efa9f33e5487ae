//! What is evaluated: the syntax tree with names bound to slots, fields to places, functions to themselves.

use super::ast::{Additive, Comparison, Multiplicative};
use super::diagnostic::Span;
use super::functions::Function;
use super::types::Type;
use super::version::Scheme;

#[derive(Debug)]
pub(crate) enum Op {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(Box<str>),
    /// A name of the scope.
    Slot(Box<Name>),
    /// A name bound by a function such as `all`.
    Local(usize),
    Field(Box<Field>),
    Index(Box<(Op, Op)>),
    List(Box<[Op]>),
    Not(Box<Op>),
    Negate(Box<Op>),
    And(Box<[Op]>),
    Or(Box<[Op]>),
    Sum(Box<Op>, Box<[(Additive, Op)]>),
    Product(Box<Op>, Box<[(Multiplicative, Op)]>),
    /// Texts one after the other.
    Concat(Box<[Op]>),
    /// Lists one after the other.
    Chain(Box<[Op]>),
    Compare(Box<Compare>),
    In(Box<(Op, Op)>),
    /// `x in [a, b]`: the list is never built.
    Among(Box<Op>, Box<[Op]>),
    Choice(Box<[Op; 3]>),
    Has(Box<Op>),
    Loop(Box<Loop>),
    Call(Function, Box<[Op]>),
    Matches(Box<(Op, regex::Regex)>),
    Version(Box<Version>),
    /// `string(x)` of a value of this type.
    Show(Box<(Op, Type)>),
}

#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) slot: usize,
    pub(crate) name: Box<str>,
    pub(crate) ty: Type,
}

#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) of: Op,
    pub(crate) name: Box<str>,
    /// Where it stands in a record that has every field.
    pub(crate) place: usize,
    pub(crate) ty: Type,
    /// It is a fact, not the key of a group.
    pub(crate) is_fact: bool,
}

#[derive(Debug)]
pub(crate) struct Compare {
    pub(crate) comparison: Comparison,
    pub(crate) left: Op,
    pub(crate) right: Op,
    pub(crate) span: Span,
    pub(crate) left_span: Span,
    pub(crate) right_span: Span,
    /// The two sides as they are written.
    pub(crate) sides: (Box<str>, Box<str>),
    /// The types, for a trace to show the two sides by.
    pub(crate) types: (Type, Type),
}

#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) kind: LoopKind,
    pub(crate) list: Op,
    /// Where the element is put.
    pub(crate) local: usize,
    /// The test, or what is made of the element.
    pub(crate) body: Op,
    /// What `map` with a test makes of the element.
    pub(crate) then: Option<Op>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopKind {
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    FilterMap,
    Count,
    GroupBy,
    CountBy,
}

#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) scheme: Scheme,
    pub(crate) left: Op,
    pub(crate) right: Op,
    /// Whether the left is the right or later; else how they compare.
    pub(crate) at_least: bool,
}
