//! Static checks: names, members, types and dimensions are settled here, so that evaluating meets none that is wrong.
//! Every mistake of an expression is told, not only the first.

use super::ast::{Additive, Comparison, Kind, Multiplicative, Node, Word};
use super::diagnostic::{Diagnostic, Diagnostics, Span, did_you_mean};
use super::literal::unit_of;
use super::number::Number;
use super::op::{Compare, Field, Name, Op};
use super::types::{Scope, Type, measured, product, quotient};
use crate::units::Dimension;
use std::collections::BTreeSet;

/// What a checked expression is made of.
pub(crate) struct Checker<'c, 's> {
    pub(crate) scope: &'c Scope<'s>,
    /// The expression, for a comparison to say what it compares.
    pub(crate) source: &'c str,
    pub(crate) diagnostics: Diagnostics,
    /// What is worth telling though it is no mistake.
    pub(crate) warnings: Diagnostics,
    /// Names of elements, from the outside in.
    pub(crate) locals: Vec<Local>,
    /// The most that were there at once.
    pub(crate) most_locals: usize,
    pub(crate) slots: BTreeSet<usize>,
    pub(crate) facts: BTreeSet<(String, String)>,
    pub(crate) regexes: usize,
}

pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) used: bool,
}

/// A checked part.
pub(crate) struct Checked {
    pub(crate) op: Op,
    pub(crate) ty: Type,
    /// It is written out: a literal, with or without a sign.
    pub(crate) constant: bool,
}

impl Checked {
    pub(crate) fn new(op: Op, ty: Type) -> Self {
        Self { op, ty, constant: false }
    }

    /// Stands for what is wrong.
    pub(crate) fn wrong() -> Self {
        Self::new(Op::Bool(false), Type::Any)
    }
}

impl<'c, 's> Checker<'c, 's> {
    pub(crate) fn new(source: &'c str, scope: &'c Scope<'s>, diagnostics: Diagnostics) -> Self {
        Self {
            scope,
            source,
            diagnostics,
            warnings: Diagnostics::default(),
            locals: Vec::new(),
            most_locals: 0,
            slots: BTreeSet::new(),
            facts: BTreeSet::new(),
            regexes: 0,
        }
    }

    /// What stands in the source, on one line.
    fn written(&self, span: Span) -> Box<str> {
        let text = self.source.get(span.start as usize..span.end as usize).unwrap_or_default();
        text.split_whitespace().collect::<Vec<_>>().join(" ").into()
    }

    pub(crate) fn tell(&mut self, span: Span, message: impl Into<String>) -> Checked {
        self.diagnostics.push(Diagnostic::new(span, message));
        Checked::wrong()
    }

    pub(crate) fn tell_help(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Checked {
        self.diagnostics.push(Diagnostic::new(span, message).help(help));
        Checked::wrong()
    }

    pub(crate) fn check(&mut self, node: &Node) -> Checked {
        if self.diagnostics.is_full() {
            return Checked::wrong();
        }
        match &node.kind {
            Kind::Bool(value) => literal(Op::Bool(*value), Type::Bool),
            Kind::Int(value) => literal(Op::Int(*value), Type::Int),
            Kind::Double(value) => literal(Op::Double(*value + 0.0), Type::Number(Dimension::None)),
            Kind::Quantity(quantity) => {
                let op = match quantity.number {
                    Number::Int(value) => Op::Int(value),
                    Number::Double(value) => Op::Double(value + 0.0),
                };
                literal(op, Type::Number(quantity.dimension))
            }
            Kind::Text(text) => literal(Op::Text(text.as_str().into()), Type::Text),
            Kind::Bad => Checked::wrong(),
            Kind::Name(name) => self.name(name, node.span),
            Kind::List(nodes) => self.list(nodes),
            Kind::Not(operand) => Checked::new(Op::Not(Box::new(self.bool(operand, "`!`"))), Type::Bool),
            Kind::Negate(operand) => self.negate(operand),
            Kind::And(nodes) => Checked::new(Op::And(self.bools(nodes, "`&&`")), Type::Bool),
            Kind::Or(nodes) => Checked::new(Op::Or(self.bools(nodes, "`||`")), Type::Bool),
            Kind::Sum(first, rest) => self.sum(first, rest),
            Kind::Product(first, rest) => self.product(first, rest),
            Kind::Compare(comparison, left, right) => self.compare(*comparison, left, right, node.span),
            Kind::In(item, list) => self.contained(item, list),
            Kind::Choice(parts) => self.choice(parts),
            Kind::Member(of, word) => self.member(of, word),
            Kind::Index(of, index) => self.index(of, index),
            Kind::Call { receiver, name, arguments } => self.call(receiver.as_deref(), name, arguments, node.span),
        }
    }

    fn name(&mut self, name: &str, span: Span) -> Checked {
        if let Some((place, local)) = self.locals.iter_mut().enumerate().rev().find(|(_, local)| local.name == name) {
            local.used = true;
            return Checked::new(Op::Local(place), local.ty.clone());
        }
        if let Some((slot, ty)) = self.scope.slot(name) {
            self.slots.insert(slot);
            return Checked::new(Op::Slot(Box::new(Name { slot, name: name.into(), ty: ty.clone() })), ty.clone());
        }
        let locals: Vec<&str> = self.locals.iter().map(|local| local.name.as_str()).collect();
        let help = self.scope.suggest(name, &locals);
        self.diagnostics.push(Diagnostic::new(span, format!("there is no `{name}`")).maybe(help));
        Checked::wrong()
    }

    fn list(&mut self, nodes: &[Node]) -> Checked {
        let mut item = Type::Any;
        let mut ops = Vec::with_capacity(nodes.len());
        for node in nodes {
            let checked = self.check(node);
            match item.join(&checked.ty) {
                Some(joined) => item = joined,
                None => {
                    self.tell(node.span, format!("a list holds one type: this is {}, before it {item}", checked.ty));
                }
            }
            ops.push(checked.op);
        }
        Checked::new(Op::List(ops.into()), Type::List(Box::new(item)))
    }

    /// An operand that must be true or false.
    pub(crate) fn bool(&mut self, node: &Node, wanted_by: &str) -> Op {
        let checked = self.check(node);
        if !matches!(checked.ty, Type::Bool | Type::Any) {
            self.tell(node.span, format!("{wanted_by} takes true or false, this is {}", checked.ty));
        }
        checked.op
    }

    fn bools(&mut self, nodes: &[Node], wanted_by: &str) -> Box<[Op]> {
        nodes.iter().map(|node| self.bool(node, wanted_by)).collect()
    }

    fn negate(&mut self, operand: &Node) -> Checked {
        let checked = self.check(operand);
        match checked.ty {
            Type::Any => Checked::wrong(),
            Type::Int | Type::Number(_) => {
                Checked { op: Op::Negate(Box::new(checked.op)), ty: checked.ty, constant: checked.constant }
            }
            other => self.tell(operand.span, format!("`-` takes a number, this is {other}")),
        }
    }

    fn sum(&mut self, first: &Node, rest: &[(Additive, Node)]) -> Checked {
        let start = self.check(first);
        let mut span = first.span;
        let mut so_far = Checked { op: Op::Bool(false), ty: start.ty, constant: start.constant };
        let mut ops = Vec::with_capacity(rest.len());
        for (additive, node) in rest {
            let next = self.check(node);
            let minus = *additive == Additive::Minus;
            let ty = match (&so_far.ty, &next.ty) {
                (Type::Any, Type::Any) => Type::Any,
                (Type::List(_) | Type::Any, Type::List(_)) | (Type::List(_), Type::Any) if !minus => {
                    match so_far.ty.join(&next.ty) {
                        Some(joined) => joined,
                        None => self.unlike("+", &so_far, span, &next, node.span),
                    }
                }
                (left, right) if !minus && left.is_text() && right.is_text() => Type::Text,
                _ => self.like("+ or -", &so_far, span, &next, node.span),
            };
            so_far = Checked { op: Op::Bool(false), ty, constant: so_far.constant && next.constant };
            span = span.to(node.span);
            ops.push((*additive, next.op));
        }
        let op = match so_far.ty {
            Type::Text => Op::Concat(std::iter::once(start.op).chain(ops.into_iter().map(|(_, op)| op)).collect()),
            Type::List(_) => Op::Chain(std::iter::once(start.op).chain(ops.into_iter().map(|(_, op)| op)).collect()),
            _ => Op::Sum(Box::new(start.op), ops.into()),
        };
        Checked { op, ..so_far }
    }

    fn product(&mut self, first: &Node, rest: &[(Multiplicative, Node)]) -> Checked {
        let start = self.check(first);
        let mut span = first.span;
        let mut so_far = Checked { op: Op::Bool(false), ty: start.ty, constant: start.constant };
        let mut ops = Vec::with_capacity(rest.len());
        for (multiplicative, node) in rest {
            let next = self.check(node);
            let ty = match multiplicative {
                Multiplicative::Times => self.times(&so_far, span, &next, node.span),
                Multiplicative::Over => self.over(&so_far, span, &next, node.span),
            };
            so_far = Checked { op: Op::Bool(false), ty, constant: so_far.constant && next.constant };
            span = span.to(node.span);
            ops.push((*multiplicative, next.op));
        }
        Checked { op: Op::Product(Box::new(start.op), ops.into()), ..so_far }
    }

    fn times(&mut self, left: &Checked, left_span: Span, right: &Checked, right_span: Span) -> Type {
        let Some((l, r)) = self.dimensions("`*`", left, left_span, right, right_span) else { return Type::Any };
        match (&left.ty, &right.ty) {
            (Type::Int, Type::Int) => Type::Int,
            // Half of a count is a count; twice a ratio is a ratio.
            _ if (l == Dimension::Ratio && r == Dimension::None && !right.constant)
                || (r == Dimension::Ratio && l == Dimension::None && !left.constant) =>
            {
                Type::Number(Dimension::None)
            }
            _ => match product(l, r) {
                Some(dimension) => Type::Number(dimension),
                None => {
                    let message = format!("{} times {} has no meaning here", measured(l), measured(r));
                    self.tell(left_span.to(right_span), message).ty
                }
            },
        }
    }

    fn over(&mut self, left: &Checked, left_span: Span, right: &Checked, right_span: Span) -> Type {
        let Some((l, r)) = self.dimensions("`/`", left, left_span, right, right_span) else { return Type::Any };
        match quotient(l, r) {
            Some(dimension) => Type::Number(dimension),
            None => {
                let message = format!("{} over {} has no meaning here", measured(l), measured(r));
                self.tell(left_span.to(right_span), message).ty
            }
        }
    }

    /// What two numbers measure; told if one is none, `None` then or if that was told before.
    fn dimensions(
        &mut self,
        operator: &str,
        left: &Checked,
        left_span: Span,
        right: &Checked,
        right_span: Span,
    ) -> Option<(Dimension, Dimension)> {
        for (side, span) in [(left, left_span), (right, right_span)] {
            if side.ty.dimension().is_none() && side.ty != Type::Any {
                self.tell(span, format!("{operator} takes numbers, this is {}", side.ty));
            }
        }
        Some((left.ty.dimension()?, right.ty.dimension()?))
    }

    /// The type of a sum or a comparison of two numbers, which must measure the same.
    fn like(&mut self, operator: &str, left: &Checked, left_span: Span, right: &Checked, right_span: Span) -> Type {
        let name = format!("`{operator}`");
        let Some((l, r)) = self.dimensions(&name, left, left_span, right, right_span) else { return Type::Any };
        let counted =
            |side: &Checked, other: Dimension| other == Dimension::Ratio && side.ty == Type::Int && !side.constant;
        match left.ty.join(&right.ty) {
            // A number of things next to a percentage is a slip: 3 drives are more than any ratio.
            Some(_) if counted(left, r) || counted(right, l) => {
                self.unlike(operator, left, left_span, right, right_span)
            }
            Some(joined) => joined,
            None => {
                let bare = |side: &Checked, other: Dimension| {
                    side.constant && side.ty.dimension() == Some(Dimension::None) && !unit_of(other).is_empty()
                };
                let (span, unit) = match (bare(left, r), bare(right, l)) {
                    (true, _) => (left_span, unit_of(r)),
                    (_, true) => (right_span, unit_of(l)),
                    _ => return self.unlike(operator, left, left_span, right, right_span),
                };
                let message = format!(
                    "{} next to {} lacks its unit",
                    "a number",
                    measured(if l == Dimension::None { r } else { l })
                );
                self.tell_help(span, message, format!("write it as in 1{unit}")).ty
            }
        }
    }

    fn unlike(&mut self, operator: &str, left: &Checked, left_span: Span, right: &Checked, right_span: Span) -> Type {
        let message = format!("`{operator}` joins unlike things: {} and {}", left.ty, right.ty);
        self.tell(left_span.to(right_span), message).ty
    }

    fn compare(&mut self, comparison: Comparison, left: &Node, right: &Node, span: Span) -> Checked {
        let (l, r) = (self.check(left), self.check(right));
        self.words(&l.ty, right);
        self.words(&r.ty, left);
        let mark = comparison.mark();
        if l.ty.dimension().is_some() && r.ty.dimension().is_some() {
            self.like(mark, &l, left.span, &r, right.span);
        } else if !matches!((&l.ty, &r.ty), (Type::Any, _) | (_, Type::Any)) {
            match l.ty.join(&r.ty) {
                None => {
                    self.unlike(mark, &l, left.span, &r, right.span);
                }
                Some(joined) if comparison.is_equality() => {
                    if !joined.has_equality() {
                        self.tell_help(span, "records cannot be compared", "compare a member that tells them apart");
                    }
                }
                Some(Type::Text) | Some(Type::Enum(_)) => {
                    let help = "versions are compared with version_at_least(a, b, \"scheme\")";
                    self.tell_help(span, format!("text has no order, so `{mark}` means nothing"), help);
                }
                Some(joined) => {
                    self.tell(span, format!("`{mark}` takes numbers, this is {joined}"));
                }
            }
        }
        let compare = Compare {
            comparison,
            left: l.op,
            right: r.op,
            span,
            left_span: left.span,
            right_span: right.span,
            sides: (self.written(left.span), self.written(right.span)),
            types: (l.ty, r.ty),
        };
        Checked::new(Op::Compare(Box::new(compare)), Type::Bool)
    }

    fn contained(&mut self, item: &Node, list: &Node) -> Checked {
        let (i, l) = (self.check(item), self.check(list));
        let Type::List(of) = &l.ty else {
            if l.ty != Type::Any {
                self.tell(list.span, format!("`in` takes a list on its right, this is {}", l.ty));
            }
            return Checked::new(Op::Bool(false), Type::Bool);
        };
        self.words(&i.ty, list);
        self.words(of, item);
        match i.ty.join(of) {
            None => {
                self.tell(item.span.to(list.span), format!("`in` compares unlike things: {} and {}", i.ty, of));
            }
            Some(joined) if !joined.has_equality() => {
                self.tell_help(item.span, "records cannot be compared", "compare a member that tells them apart");
            }
            Some(_) => {}
        }
        let op = match l.op {
            Op::List(items) => Op::Among(Box::new(i.op), items),
            list => Op::In(Box::new((i.op, list))),
        };
        Checked::new(op, Type::Bool)
    }

    /// Literals that meet an enumerated fact must be of its words.
    fn words(&mut self, ty: &Type, node: &Node) {
        let Type::Enum(words) = ty else {
            if let Type::List(item) = ty {
                self.words(&item.clone(), node);
            }
            return;
        };
        match &node.kind {
            Kind::Text(text) if !words.contains(&text.as_str()) => {
                let message = format!("`{text}` is none of the words that this can be");
                let help = did_you_mean(text, words.iter().copied())
                    .unwrap_or_else(|| format!("it can be {}", words.join(", ")));
                self.tell_help(node.span, message, help);
            }
            Kind::List(nodes) => nodes.iter().for_each(|node| self.words(ty, node)),
            Kind::Choice(parts) => {
                let [_, then, otherwise] = parts.as_ref();
                self.words(ty, then);
                self.words(ty, otherwise);
            }
            _ => {}
        }
    }

    fn choice(&mut self, parts: &[Node; 3]) -> Checked {
        let [condition, then, otherwise] = parts;
        let condition = self.bool(condition, "a condition before `?`");
        let (t, o) = (self.check(then), self.check(otherwise));
        let ty = match t.ty.join(&o.ty) {
            Some(joined) => joined,
            None => {
                let message = format!("the two outcomes are unlike: {} and {}", t.ty, o.ty);
                self.tell(then.span.to(otherwise.span), message).ty
            }
        };
        Checked::new(Op::Choice(Box::new([condition, t.op, o.op])), ty)
    }

    fn member(&mut self, of: &Node, word: &Word) -> Checked {
        let checked = self.check(of);
        self.member_of(checked, &word.text, word.span)
    }

    fn member_of(&mut self, of: Checked, name: &str, span: Span) -> Checked {
        // Fields stand sorted: `items` and `count` before `key`.
        let group = |name: &str, key: &Type, first: &str, ty: Type| match name {
            "key" => Some((key.clone(), 1)),
            name => (name == first).then_some((ty, 0)),
        };
        let (found, names): (Option<(Type, usize)>, Vec<&str>) = match &of.ty {
            Type::Any => return Checked::wrong(),
            Type::Record(record) => {
                let schema = self.scope.schema;
                let found = schema.field(*record, name).map(|(field, place)| (field.ty.clone(), place));
                if found.is_some() {
                    self.facts.insert((schema.name(*record).to_owned(), name.to_owned()));
                }
                (found, schema.fields(*record).iter().map(|field| field.name.as_str()).collect())
            }
            Type::Group(types) => {
                (group(name, &types.0, "items", Type::List(Box::new(types.1.clone()))), vec!["items", "key"])
            }
            Type::Count(key) => (group(name, key, "count", Type::Int), vec!["count", "key"]),
            Type::List(_) => {
                let help = "its elements are reached with all, exists, map, filter or [0]";
                return self.tell_help(span, format!("a list has no member `{name}`"), help);
            }
            other => return self.tell(span, format!("{other} has no member `{name}`")),
        };
        match found {
            Some((ty, place)) => {
                let is_fact = matches!(of.ty, Type::Record(_));
                let field = Field { of: of.op, name: name.into(), place, ty: ty.clone(), is_fact };
                Checked::new(Op::Field(Box::new(field)), ty)
            }
            None => {
                let record = match &of.ty {
                    Type::Record(record) => format!("`{}`", self.scope.schema.name(*record)),
                    _ => "this record".to_owned(),
                };
                let help = did_you_mean(name, names.iter().copied());
                self.diagnostics.push(Diagnostic::new(span, format!("{record} has no member `{name}`")).maybe(help));
                Checked::wrong()
            }
        }
    }

    fn index(&mut self, of: &Node, index: &Node) -> Checked {
        let checked = self.check(of);
        if let (Type::Record(_) | Type::Group(_) | Type::Count(_), Kind::Text(name)) = (&checked.ty, &index.kind) {
            return self.member_of(checked, name, index.span);
        }
        let position = self.check(index);
        match (checked.ty, position.ty) {
            (Type::Any, _) => Checked::wrong(),
            (Type::List(item), Type::Int | Type::Any) => {
                if let Kind::Int(value) = index.kind
                    && value < 0
                {
                    return self.tell(index.span, "positions in a list begin at 0");
                }
                Checked::new(Op::Index(Box::new((checked.op, position.op))), *item)
            }
            (Type::List(_), other) => {
                self.tell(index.span, format!("a position in a list is a whole number, this is {other}"))
            }
            (Type::Record(_) | Type::Group(_) | Type::Count(_), _) => {
                self.tell(index.span, "a member is named by a text that is written out")
            }
            (other, _) => self.tell(of.span, format!("only lists have positions, this is {other}")),
        }
    }
}

fn literal(op: Op, ty: Type) -> Checked {
    Checked { op, ty, constant: true }
}
