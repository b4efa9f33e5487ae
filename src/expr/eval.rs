//! Evaluating: three values with reasons, under a budget of steps and bytes.
//!
//! What is unknown is never guessed: a result is either what it would be whatever the unknown facts were, or unknown.
//! Functions over lists are in [`super::lists`], other calls in [`super::apply`].

use super::ast::{Additive, Comparison, Multiplicative};
use super::display;
use super::number::Number;
use super::op::{Compare, Field, Loop, LoopKind, Op, Version};
use super::trace::Observer;
use crate::view::{Partial, Reason, ReasonKind, Value, find};
use bumpalo::Bump;

/// The budget is used up: the whole expression is unknown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exhausted;

pub(crate) type Evaluated<'a> = Result<Value<'a>, Exhausted>;

static MISMATCH: Reason<'static> =
    Reason { text: "the value is not of the type that the schema says", kind: ReasonKind::Mismatch };
static BEFORE_START: Reason<'static> =
    Reason { text: "a position before the start of a list", kind: ReasonKind::Index };
/// The reason of an expression that was stopped.
pub(crate) static BUDGET: Reason<'static> =
    Reason { text: "the expression takes more steps or memory than it may", kind: ReasonKind::Budget };

/// One evaluation. `O` watches what is read, or does not.
pub(crate) struct Machine<'a, O: Observer<'a>> {
    pub(crate) slots: &'a [Value<'a>],
    pub(crate) locals: &'a mut [Value<'a>],
    pub(crate) scratch: &'a Bump,
    pub(crate) not_collected: &'a Reason<'a>,
    /// Facts of low confidence are unknown.
    pub(crate) distrust: bool,
    pub(crate) steps: u64,
    pub(crate) bytes: usize,
    pub(crate) read_unknown: bool,
    pub(crate) read_low: bool,
    pub(crate) observer: O,
}

pub(crate) fn mismatch<'a>() -> Value<'a> {
    Value::Unknown(&MISMATCH)
}

/// Unknown or absent.
fn is_untold(value: Value<'_>) -> bool {
    matches!(value, Value::Unknown(_) | Value::Absent)
}

/// Of two values of which one is unknown or absent, what both together are.
pub(crate) fn worse<'a>(left: Value<'a>, right: Value<'a>) -> Value<'a> {
    match (left, right) {
        (Value::Unknown(left), Value::Unknown(right)) => Value::Unknown(left.told(right)),
        (Value::Unknown(_), _) => left,
        (_, Value::Unknown(_)) => right,
        (Value::Absent, _) | (_, Value::Absent) => Value::Absent,
        _ => mismatch(),
    }
}

/// True, false, or why not.
fn truth(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Bool(_) | Value::Absent | Value::Unknown(_) => value,
        _ => mismatch(),
    }
}

/// `&&` and `||` over any number of terms: one value decides alone, whatever the others are.
struct Fold<'a, M> {
    decides: bool,
    start: M,
    result: Value<'a>,
}

impl<'a, O: Observer<'a>> Machine<'a, O> {
    pub(crate) fn step(&mut self, count: usize) -> Result<(), Exhausted> {
        self.steps = self.steps.checked_sub(count as u64).ok_or(Exhausted)?;
        Ok(())
    }

    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.bytes = self.bytes.checked_sub(bytes).ok_or(Exhausted)?;
        Ok(())
    }

    /// Room for values in the scratch arena.
    pub(crate) fn room(&mut self, count: usize) -> Result<&'a mut [Value<'a>], Exhausted> {
        self.charge(count.saturating_mul(size_of::<Value<'a>>()))?;
        Ok(self.scratch.alloc_slice_fill_copy(count, Value::Absent))
    }

    /// A text in the scratch arena.
    pub(crate) fn text(&mut self, text: &str) -> Evaluated<'a> {
        self.charge(text.len())?;
        Ok(Value::Text(self.scratch.alloc_str(text)))
    }

    pub(crate) fn unknown(&mut self, kind: ReasonKind, text: &str) -> Evaluated<'a> {
        self.charge(text.len() + size_of::<Reason<'a>>())?;
        Ok(Value::unknown(kind, text, self.scratch))
    }

    /// Puts an element where its name finds it.
    pub(crate) fn element(&mut self, local: usize, value: Value<'a>) {
        self.note(value);
        if let Some(place) = self.locals.get_mut(local) {
            *place = value;
        }
    }

    /// Notes that an unknown fact was met.
    pub(crate) fn note(&mut self, value: Value<'a>) {
        if matches!(value, Value::Unknown(_) | Value::Partial(Partial { unknown: Some(_), .. })) {
            self.read_unknown = true;
        }
    }

    pub(crate) fn eval(&mut self, op: &'a Op) -> Evaluated<'a> {
        self.step(1)?;
        // Half of what is evaluated are leaves and members: they get by without the frame that the others need.
        Ok(match op {
            Op::Bool(value) => Value::Bool(*value),
            Op::Int(value) => Value::Int(*value),
            Op::Double(value) => Value::Double(*value),
            Op::Text(text) => Value::Text(text),
            Op::Local(local) => self.locals.get(*local).copied().unwrap_or_else(mismatch),
            Op::Field(field) => return self.field(field),
            _ => return self.operation(op),
        })
    }

    #[inline(never)]
    fn operation(&mut self, op: &'a Op) -> Evaluated<'a> {
        Ok(match op {
            Op::Bool(_) | Op::Int(_) | Op::Double(_) | Op::Text(_) | Op::Local(_) | Op::Field(_) => {
                return self.eval(op);
            }
            Op::Slot(name) => {
                let value = self.slots.get(name.slot).copied().unwrap_or_else(mismatch);
                let value = self.read(value);
                self.observer.slot(&name.name, &name.ty, value);
                value
            }
            Op::Index(parts) => return self.index(&parts.0, &parts.1),
            Op::List(ops) => {
                let room = self.room(ops.len())?;
                for (place, op) in room.iter_mut().zip(ops) {
                    *place = self.eval(op)?;
                }
                Value::List(room)
            }
            Op::Not(op) => match truth(self.eval(op)?) {
                Value::Bool(value) => Value::Bool(!value),
                other => other,
            },
            Op::Negate(op) => {
                let value = self.eval(op)?;
                Number::of(value).map_or_else(|| worse(value, value), Number::negate)
            }
            Op::And(ops) => return self.terms(ops, false),
            Op::Or(ops) => return self.terms(ops, true),
            Op::Sum(first, rest) => {
                let mut sum = self.eval(first)?;
                for (additive, op) in rest {
                    let next = self.eval(op)?;
                    sum = match (Number::of(sum), Number::of(next)) {
                        (Some(left), Some(right)) if *additive == Additive::Plus => left.add(right),
                        (Some(left), Some(right)) => left.subtract(right),
                        _ => worse(sum, next),
                    };
                }
                sum
            }
            Op::Product(first, rest) => {
                let mut product = self.eval(first)?;
                for (multiplicative, op) in rest {
                    let next = self.eval(op)?;
                    product = match (Number::of(product), Number::of(next)) {
                        (Some(left), Some(right)) if *multiplicative == Multiplicative::Times => left.multiply(right),
                        (Some(left), Some(right)) => left.divide(right),
                        _ => worse(product, next),
                    };
                }
                product
            }
            Op::Concat(ops) => return self.concat(ops),
            Op::Chain(ops) => return self.chain(ops),
            Op::Compare(compare) => return self.compare(compare),
            Op::In(parts) => return self.contained(&parts.0, &parts.1),
            Op::Among(item, ops) => return self.among(item, ops),
            Op::Choice(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                match truth(self.eval(condition)?) {
                    Value::Bool(true) => return self.eval(then),
                    Value::Bool(false) => return self.eval(otherwise),
                    other => other,
                }
            }
            Op::Has(op) => match self.eval(op)? {
                Value::Absent => Value::Bool(false),
                unknown @ Value::Unknown(_) => unknown,
                _ => Value::Bool(true),
            },
            Op::Loop(each) => return self.each(each),
            Op::Call(function, ops) => return self.apply(*function, ops),
            Op::Matches(parts) => match self.eval(&parts.0)? {
                Value::Text(text) => {
                    self.step(text.len() / 8)?;
                    Value::Bool(parts.1.is_match(text))
                }
                other => worse(other, other),
            },
            Op::Version(version) => return self.version(version),
            Op::Show(parts) => match self.eval(&parts.0)? {
                other @ (Value::Unknown(_) | Value::Absent) => other,
                value => {
                    let text = display::text(value, &parts.1);
                    return self.text(&text);
                }
            },
        })
    }

    /// A fact or a bound value as it may be used, noting what it is.
    fn read(&mut self, value: Value<'a>) -> Value<'a> {
        let value = match value {
            Value::Low(low) => {
                self.read_low = true;
                if self.distrust { Value::Unknown(low.reason) } else { low.value }
            }
            value => value,
        };
        self.note(value);
        value
    }

    fn field(&mut self, field: &'a Field) -> Evaluated<'a> {
        let of = self.eval(&field.of)?;
        let Value::Record(record) = of else { return Ok(worse(of, of)) };
        let value = match find(record, &field.name, field.place) {
            Some(value) => *value,
            None => Value::Unknown(self.not_collected),
        };
        let value = self.read(value);
        if field.is_fact {
            self.observer.fact(record, &field.name, &field.ty, value);
        }
        Ok(value)
    }

    fn index(&mut self, of: &'a Op, position: &'a Op) -> Evaluated<'a> {
        let (of, position) = (self.eval(of)?, self.eval(position)?);
        Ok(match (of, position) {
            (Value::List(items), Value::Int(position)) => match usize::try_from(position) {
                Ok(position) => {
                    let element = items.get(position).copied().unwrap_or(Value::Absent);
                    self.note(element);
                    element
                }
                Err(_) => Value::Unknown(&BEFORE_START),
            },
            (Value::Partial(partial), Value::Int(_)) => partial.gap(),
            (of, position) => worse(of, position),
        })
    }

    fn fold(&self, decides: bool) -> Fold<'a, O::Mark> {
        Fold { decides, start: self.observer.mark(), result: Value::Bool(!decides) }
    }

    /// Takes one more term, of which everything since `before` was read. True once one decided. Only what decides is
    /// kept of what was read: the terms that decide, else the unknown ones; beside absent terms all others matter too,
    /// for each of them could have made it unknown.
    fn take(&mut self, fold: &mut Fold<'a, O::Mark>, before: O::Mark, term: Value<'a>) -> bool {
        let term = truth(term);
        let decided = matches!(fold.result, Value::Bool(value) if value == fold.decides);
        let decides = matches!(term, Value::Bool(value) if value == fold.decides);
        match (decided, decides) {
            (true, true) => {}
            (true, false) => self.observer.truncate(before),
            (false, true) => {
                self.observer.forget(fold.start, before);
                fold.result = term;
            }
            (false, false) => {
                match (fold.result.is_unknown(), term.is_unknown()) {
                    (true, false) => self.observer.truncate(before),
                    (false, true) => self.observer.forget(fold.start, before),
                    _ => {}
                }
                if is_untold(term) {
                    fold.result = worse(fold.result, term);
                }
            }
        }
        decided || decides
    }

    fn terms(&mut self, ops: &'a [Op], decides: bool) -> Evaluated<'a> {
        let mut fold = self.fold(decides);
        for op in ops {
            let before = self.observer.mark();
            let term = self.eval(op)?;
            if self.take(&mut fold, before, term) {
                break;
            }
        }
        Ok(fold.result)
    }

    fn each(&mut self, each: &'a Loop) -> Evaluated<'a> {
        let list = self.eval(&each.list)?;
        let Some(items) = list.items() else { return Ok(worse(list, list)) };
        let gap = if let Value::Partial(partial) = list { Some(*partial) } else { None };
        match each.kind {
            LoopKind::All => self.quantify(each, items, gap, false),
            LoopKind::Exists => self.quantify(each, items, gap, true),
            LoopKind::ExistsOne => self.exists_one(each, items, gap),
            _ => self.collect(each, items, gap),
        }
    }

    fn quantify(
        &mut self,
        each: &'a Loop,
        items: &'a [Value<'a>],
        gap: Option<Partial<'a>>,
        decides: bool,
    ) -> Evaluated<'a> {
        let mut fold = self.fold(decides);
        // Every element is looked at, also behind one that decides: so what was read, what it cost and which elements
        // a trace names do not depend on their order.
        for item in items {
            self.element(each.local, *item);
            let before = self.observer.mark();
            let term = self.eval(&each.body)?;
            self.take(&mut fold, before, term);
        }
        if let Some(gap) = gap {
            let before = self.observer.mark();
            self.take(&mut fold, before, gap.gap());
        }
        Ok(fold.result)
    }

    fn exists_one(&mut self, each: &'a Loop, items: &'a [Value<'a>], gap: Option<Partial<'a>>) -> Evaluated<'a> {
        let mut found = 0;
        let mut untold = gap.map(|gap| gap.gap());
        for item in items {
            self.element(each.local, *item);
            match truth(self.eval(&each.body)?) {
                Value::Bool(holds) => found += usize::from(holds),
                other => untold = Some(untold.map_or(other, |untold| worse(untold, other))),
            }
        }
        if found > 1 {
            return Ok(Value::Bool(false));
        }
        Ok(untold.unwrap_or(Value::Bool(found == 1)))
    }

    fn compare(&mut self, compare: &'a Compare) -> Evaluated<'a> {
        let (left, right) = (self.eval(&compare.left)?, self.eval(&compare.right)?);
        let comparison = compare.comparison;
        let result = match (left, right) {
            (Value::Int(left), Value::Int(right)) => Value::Bool(comparison.holds(left.cmp(&right))),
            (Value::Text(left), Value::Text(right)) if comparison.is_equality() => {
                Value::Bool((left == right) == (comparison == Comparison::Equal))
            }
            _ if comparison.is_equality() => match self.equal(left, right)? {
                Value::Bool(equal) => Value::Bool(equal == (comparison == Comparison::Equal)),
                other => other,
            },
            _ => match (Number::of(left), Number::of(right)) {
                (Some(left), Some(right)) => Value::Bool(comparison.holds(left.compare(right))),
                _ => worse(left, right),
            },
        };
        self.observer.compared(compare, left, right, result);
        Ok(result)
    }

    /// Whether two values are equal. An unknown element makes it unknown, even beside others that differ.
    pub(crate) fn equal(&mut self, left: Value<'a>, right: Value<'a>) -> Evaluated<'a> {
        Ok(match (left, right) {
            (Value::Text(left), Value::Text(right)) => Value::Bool(left == right),
            (Value::Bool(left), Value::Bool(right)) => Value::Bool(left == right),
            (Value::Int(_) | Value::Double(_), Value::Int(_) | Value::Double(_)) => {
                match (Number::of(left), Number::of(right)) {
                    (Some(left), Some(right)) => Value::Bool(left.compare(right).is_eq()),
                    _ => mismatch(),
                }
            }
            (Value::Unknown(_) | Value::Absent, _) | (_, Value::Unknown(_) | Value::Absent) => worse(left, right),
            _ => {
                let (Some(l), Some(r)) = (left.items(), right.items()) else { return Ok(mismatch()) };
                self.step(l.len() + r.len())?;
                let gaps = [left, right].into_iter().filter_map(|list| match list {
                    Value::Partial(partial) => Some(partial.gap()),
                    _ => None,
                });
                let untold = l.iter().chain(r).copied().filter(|item| is_untold(*item));
                if let Some(worst) = gaps.chain(untold).reduce(worse) {
                    self.note(worst);
                    return Ok(worst);
                }
                if l.len() != r.len() {
                    return Ok(Value::Bool(false));
                }
                let mut result = Value::Bool(true);
                for (left, right) in l.iter().zip(r) {
                    match self.equal(*left, *right)? {
                        Value::Bool(true) => {}
                        unlike @ Value::Bool(false) if !is_untold(result) => result = unlike,
                        Value::Bool(false) => {}
                        other => result = worse(result, other),
                    }
                }
                result
            }
        })
    }

    fn contained(&mut self, item: &'a Op, list: &'a Op) -> Evaluated<'a> {
        let (item, list) = (self.eval(item)?, self.eval(list)?);
        let Some(items) = list.items().filter(|_| !is_untold(item)) else { return Ok(worse(item, list)) };
        let mut found = false;
        let mut result = Value::Bool(false);
        for other in items {
            self.step(1)?;
            self.note(*other);
            match self.equal(item, *other)? {
                Value::Bool(same) => found |= same,
                untold => result = worse(result, untold),
            }
        }
        Ok(match list {
            _ if found => Value::Bool(true),
            Value::Partial(partial) => worse(result, partial.gap()),
            _ => result,
        })
    }

    fn among(&mut self, item: &'a Op, ops: &'a [Op]) -> Evaluated<'a> {
        let item = self.eval(item)?;
        if is_untold(item) {
            return Ok(item);
        }
        let mut fold = self.fold(true);
        for op in ops {
            let before = self.observer.mark();
            let other = self.eval(op)?;
            let same = self.equal(item, other)?;
            if self.take(&mut fold, before, same) {
                break;
            }
        }
        Ok(fold.result)
    }

    fn concat(&mut self, ops: &'a [Op]) -> Evaluated<'a> {
        let parts = self.room(ops.len())?;
        let mut untold: Option<Value<'a>> = None;
        let mut length = 0_usize;
        for (place, op) in parts.iter_mut().zip(ops) {
            *place = self.eval(op)?;
            match *place {
                Value::Text(text) => length = length.saturating_add(text.len()),
                other => untold = Some(untold.map_or_else(|| worse(other, other), |untold| worse(untold, other))),
            }
        }
        if let Some(untold) = untold {
            return Ok(untold);
        }
        // Twice, for the text is put together before it goes into the arena.
        self.charge(length.saturating_mul(2))?;
        let mut whole = String::with_capacity(length);
        for part in parts.iter() {
            if let Value::Text(text) = part {
                whole.push_str(text);
            }
        }
        Ok(Value::Text(self.scratch.alloc_str(&whole)))
    }

    fn chain(&mut self, ops: &'a [Op]) -> Evaluated<'a> {
        let parts = self.room(ops.len())?;
        let mut untold: Option<Value<'a>> = None;
        let mut length = 0_usize;
        for (place, op) in parts.iter_mut().zip(ops) {
            *place = self.eval(op)?;
            match place.items() {
                Some(items) => length = length.saturating_add(items.len()),
                None => {
                    let other = *place;
                    untold = Some(untold.map_or_else(|| worse(other, other), |untold| worse(untold, other)));
                }
            }
        }
        if let Some(untold) = untold {
            return Ok(untold);
        }
        self.step(length)?;
        let room = self.room(length)?;
        let mut gap = Gap::default();
        let items = parts.iter().flat_map(|part| part.items().unwrap_or_default());
        for (place, item) in room.iter_mut().zip(items) {
            *place = *item;
        }
        for part in parts.iter() {
            if let Value::Partial(partial) = part {
                gap.take(partial.gap());
            }
        }
        self.list(room, gap)
    }

    fn version(&mut self, version: &'a Version) -> Evaluated<'a> {
        /// As much of a version is told in a reason.
        const TOLD: usize = 40;
        let (left, right) = (self.eval(&version.left)?, self.eval(&version.right)?);
        let (Value::Text(l), Value::Text(r)) = (left, right) else { return Ok(worse(left, right)) };
        self.step((l.len() + r.len()) / 8)?;
        match version.scheme.compare(l, r) {
            Some(order) if version.at_least => Ok(Value::Bool(order.is_ge())),
            Some(order) => Ok(Value::Int(order as i64)),
            None => {
                let short = |text: &str| text.chars().take(TOLD).collect::<String>();
                let scheme = version.scheme.name();
                let text = format!("\"{}\" and \"{}\" have no order as {scheme} versions", short(l), short(r));
                self.unknown(ReasonKind::Version, &text)
            }
        }
    }

    /// A list, with what may be missing from it.
    pub(crate) fn list(&mut self, items: &'a [Value<'a>], gap: Gap<'a>) -> Evaluated<'a> {
        if gap.unknown.is_none() && !gap.absent {
            return Ok(Value::List(items));
        }
        self.charge(size_of::<Partial<'a>>())?;
        Ok(Value::Partial(self.scratch.alloc(Partial { items, unknown: gap.unknown, absent: gap.absent })))
    }
}

/// Why elements may be missing from a list that is being made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Gap<'a> {
    unknown: Option<&'a Reason<'a>>,
    absent: bool,
}

impl<'a> Gap<'a> {
    pub(crate) fn of(partial: Option<Partial<'a>>) -> Self {
        partial.map_or(Self::default(), |partial| Self { unknown: partial.unknown, absent: partial.absent })
    }

    /// An element is left out because of this value.
    pub(crate) fn take(&mut self, value: Value<'a>) {
        match value {
            Value::Absent => self.absent = true,
            Value::Unknown(reason) => {
                self.unknown = Some(self.unknown.map_or(reason, |known| known.told(reason)));
            }
            _ => self.take(mismatch()),
        }
    }

    /// What stands for what depends on the missing elements; `None` if none is missing.
    pub(crate) fn value(self) -> Option<Value<'a>> {
        match self.unknown {
            Some(reason) => Some(Value::Unknown(reason)),
            None => self.absent.then_some(Value::Absent),
        }
    }
}
