//! What makes a list of a list, and what makes one value of all elements.
//!
//! Nothing here depends on the order in which equal things were met: sums of doubles are taken in ascending order, groups
//! stand by key.

use super::eval::{Evaluated, Exhausted, Gap, Machine, worse};
use super::functions::Function;
use super::number::{Number, OVERFLOW, double};
use super::op::{Loop, LoopKind};
use super::trace::Observer;
use crate::view::{Partial, Reason, ReasonKind, Value};
use std::cmp::Ordering;

static EMPTY: Reason<'static> = Reason { text: "the list is empty", kind: ReasonKind::Empty };

/// The order of numbers, of texts, of flags. Values of unlike kinds never meet here: a list holds one type.
fn order(left: &Value<'_>, right: &Value<'_>) -> Ordering {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        _ => match (Number::of(*left), Number::of(*right)) {
            (Some(left), Some(right)) => left.order(right),
            (left, right) => left.is_some().cmp(&right.is_some()),
        },
    }
}

fn same(left: &Value<'_>, right: &Value<'_>) -> bool {
    match (Number::of(*left), Number::of(*right)) {
        (Some(left), Some(right)) => left.compare(right).is_eq(),
        _ => order(left, right).is_eq(),
    }
}

/// A scalar that can be put in order.
fn is_told(value: &Value<'_>) -> bool {
    matches!(value, Value::Bool(_) | Value::Int(_) | Value::Double(_) | Value::Text(_))
}

/// Why a value cannot be used.
fn untold<'a>(value: &Value<'a>) -> Value<'a> {
    worse(*value, *value)
}

impl<'a, O: Observer<'a>> Machine<'a, O> {
    pub(crate) fn collect(
        &mut self,
        each: &'a Loop,
        items: &'a [Value<'a>],
        partial: Option<Partial<'a>>,
    ) -> Evaluated<'a> {
        let mut gap = Gap::of(partial);
        match each.kind {
            LoopKind::GroupBy | LoopKind::CountBy => return self.group(each, items, gap),
            LoopKind::Count => {
                let mut count = 0;
                for item in items {
                    self.element(each.local, *item);
                    match self.eval(&each.body)? {
                        Value::Bool(holds) => count += i64::from(holds),
                        other => gap.take(other),
                    }
                }
                return Ok(gap.value().unwrap_or(Value::Int(count)));
            }
            _ => {}
        }
        let room = self.room(items.len())?;
        let mut filled = 0;
        for item in items {
            self.element(each.local, *item);
            let body = self.eval(&each.body)?;
            let kept = match (each.kind, body) {
                (LoopKind::Map, value) => value,
                (_, Value::Bool(false)) => continue,
                (_, Value::Bool(true)) => match &each.then {
                    Some(then) => self.eval(then)?,
                    None => *item,
                },
                (_, other) => {
                    gap.take(other);
                    continue;
                }
            };
            if let Some(place) = room.get_mut(filled) {
                *place = kept;
                filled += 1;
            }
        }
        let room: &'a [Value<'a>] = room;
        self.list(room.get(..filled).unwrap_or_default(), gap)
    }

    /// Groups by key. An element whose key is not told may belong to any group, so none of them is whole then.
    fn group(&mut self, each: &'a Loop, items: &'a [Value<'a>], mut gap: Gap<'a>) -> Evaluated<'a> {
        self.charge(items.len().saturating_mul(2 * size_of::<Value<'a>>()))?;
        let mut keyed: Vec<(Value<'a>, Value<'a>)> = Vec::with_capacity(items.len());
        for item in items {
            self.element(each.local, *item);
            let key = self.eval(&each.body)?;
            if is_told(&key) { keyed.push((key, *item)) } else { gap.take(untold(&key)) }
        }
        self.sorting(keyed.len())?;
        keyed.sort_by(|(left, _), (right, _)| order(left, right));
        let groups = self.room(keyed.chunk_by(|(left, _), (right, _)| same(left, right)).count())?;
        for (place, members) in groups.iter_mut().zip(keyed.chunk_by(|(left, _), (right, _)| same(left, right))) {
            let Some((key, _)) = members.first() else { continue };
            let first = if each.kind == LoopKind::GroupBy {
                let room = self.room(members.len())?;
                for (place, (_, item)) in room.iter_mut().zip(members) {
                    *place = *item;
                }
                ("items", self.list(room, gap)?)
            } else {
                ("count", gap.value().unwrap_or(Value::Int(members.len() as i64)))
            };
            self.charge(2 * size_of::<(&str, Value<'a>)>())?;
            *place = Value::Record(self.scratch.alloc_slice_copy(&[first, ("key", *key)]));
        }
        self.list(groups, gap)
    }

    fn sorting(&mut self, count: usize) -> Result<(), Exhausted> {
        self.step(count.saturating_mul(1 + count.checked_ilog2().unwrap_or(0) as usize))
    }

    /// All elements of a list, if it is whole and every one is told; else what stands for what depends on all.
    fn every(&mut self, list: Value<'a>) -> Result<Result<&'a [Value<'a>], Value<'a>>, Exhausted> {
        let Some(items) = list.items() else { return Ok(Err(untold(&list))) };
        self.step(items.len())?;
        let mut gap = Gap::of(if let Value::Partial(partial) = list { Some(*partial) } else { None });
        for item in items {
            if !is_told(item) {
                self.note(*item);
                gap.take(untold(item));
            }
        }
        Ok(gap.value().map_or(Ok(items), Err))
    }

    /// Numbers in ascending order.
    fn ascending(&mut self, items: &[Value<'a>]) -> Result<&'a mut [Value<'a>], Exhausted> {
        self.sorting(items.len())?;
        let room = self.room(items.len())?;
        room.copy_from_slice(items);
        room.sort_unstable_by(order);
        Ok(room)
    }

    pub(crate) fn aggregate(&mut self, function: Function, list: Value<'a>) -> Evaluated<'a> {
        let items = match self.every(list)? {
            Ok(items) => items,
            Err(untold) => return Ok(untold),
        };
        if items.iter().any(|item| Number::of(*item).is_none()) {
            return Ok(super::eval::mismatch());
        }
        if items.is_empty() && function != Function::Sum {
            return Ok(Value::Unknown(&EMPTY));
        }
        let empty = Value::Unknown(&EMPTY);
        Ok(match function {
            Function::Sum => self.sum(items)?,
            Function::Mean => match self.sum(items)? {
                Value::Int(sum) => double(sum as f64 / items.len() as f64),
                Value::Double(sum) => double(sum / items.len() as f64),
                other => other,
            },
            Function::Min => items.iter().copied().min_by(order).unwrap_or(empty),
            Function::Max => items.iter().copied().max_by(order).unwrap_or(empty),
            Function::Median => {
                let sorted = self.ascending(items)?;
                let upper = sorted.get(sorted.len() / 2).copied().and_then(Number::of);
                let lower = sorted.get((sorted.len() - 1) / 2).copied().and_then(Number::of);
                match (lower, upper) {
                    (Some(Number::Int(lower)), Some(Number::Int(upper))) => {
                        let sum = i128::from(lower) + i128::from(upper);
                        match i64::try_from(sum / 2) {
                            Ok(middle) if sum % 2 == 0 => Value::Int(middle),
                            _ => double(sum as f64 / 2.0),
                        }
                    }
                    (Some(lower), Some(upper)) => double(lower.as_f64() / 2.0 + upper.as_f64() / 2.0),
                    _ => empty,
                }
            }
            _ => super::eval::mismatch(),
        })
    }

    fn sum(&mut self, items: &[Value<'a>]) -> Evaluated<'a> {
        let mut whole = 0_i128;
        let mut all_whole = true;
        for item in items {
            match item {
                Value::Int(value) => whole += i128::from(*value),
                _ => all_whole = false,
            }
        }
        if all_whole {
            return Ok(i64::try_from(whole).map_or(Value::Unknown(&OVERFLOW), Value::Int));
        }
        // The sum of doubles depends on their order; this one does not depend on the list's.
        let sum: f64 = self.ascending(items)?.iter().filter_map(|item| Number::of(*item)).map(Number::as_f64).sum();
        Ok(double(sum))
    }

    /// `min(a, b, ...)` and `max(a, b, ...)`.
    pub(crate) fn extreme(&mut self, function: Function, values: &[Value<'a>]) -> Evaluated<'a> {
        let worst = values.iter().filter(|value| Number::of(**value).is_none()).map(untold).reduce(worse);
        if let Some(worst) = worst {
            return Ok(worst);
        }
        let found = match function {
            Function::Min => values.iter().copied().min_by(order),
            _ => values.iter().copied().max_by(order),
        };
        Ok(found.unwrap_or(Value::Unknown(&EMPTY)))
    }

    pub(crate) fn sort(&mut self, list: Value<'a>) -> Evaluated<'a> {
        let Some(items) = list.items() else { return Ok(untold(&list)) };
        self.sorting(items.len())?;
        let (room, filled, gap) = self.told(list, items)?;
        if let Some(told) = room.get_mut(..filled) {
            told.sort_by(order);
        }
        let room: &'a [Value<'a>] = room;
        self.list(room.get(..filled).unwrap_or_default(), gap)
    }

    pub(crate) fn distinct(&mut self, list: Value<'a>) -> Evaluated<'a> {
        let Some(items) = list.items() else { return Ok(untold(&list)) };
        self.sorting(items.len())?;
        let (room, filled, gap) = self.told(list, items)?;
        let told = room.get(..filled).unwrap_or_default();
        self.charge(filled.saturating_mul(size_of::<usize>()))?;
        let at = |place: &usize| told.get(*place).copied().unwrap_or(Value::Absent);
        let mut places: Vec<usize> = (0..filled).collect();
        // Equals stand together, the one that stood first before the others.
        places.sort_by(|left, right| {
            let (l, r) = (at(left), at(right));
            if same(&l, &r) { left.cmp(right) } else { order(&l, &r) }
        });
        places.dedup_by(|later, first| same(&at(later), &at(first)));
        places.sort_unstable();
        let firsts = self.room(places.len())?;
        for (place, from) in firsts.iter_mut().zip(&places) {
            *place = at(from);
        }
        self.list(firsts, gap)
    }

    /// A copy of the elements that are told, their number, and why others are not there.
    fn told(
        &mut self,
        list: Value<'a>,
        items: &[Value<'a>],
    ) -> Result<(&'a mut [Value<'a>], usize, Gap<'a>), Exhausted> {
        let mut gap = Gap::of(if let Value::Partial(partial) = list { Some(*partial) } else { None });
        let room = self.room(items.len())?;
        let mut filled = 0;
        for item in items {
            if !is_told(item) {
                self.note(*item);
                gap.take(untold(item));
            } else if let Some(place) = room.get_mut(filled) {
                *place = *item;
                filled += 1;
            }
        }
        Ok((room, filled, gap))
    }

    pub(crate) fn join(&mut self, list: Value<'a>, separator: Value<'a>) -> Evaluated<'a> {
        let items = match self.every(list)? {
            Ok(items) => items,
            Err(untold) => {
                return Ok(if matches!(separator, Value::Text(_)) { untold } else { worse(untold, separator) });
            }
        };
        let Value::Text(separator) = separator else { return Ok(untold(&separator)) };
        let mut length = 0_usize;
        for item in items {
            let Value::Text(text) = item else { return Ok(super::eval::mismatch()) };
            length = length.saturating_add(text.len()).saturating_add(separator.len());
        }
        // Twice, for the text is put together before it goes into the arena.
        self.charge(length.saturating_mul(2))?;
        let mut whole = String::with_capacity(length);
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                whole.push_str(separator);
            }
            if let Value::Text(text) = item {
                whole.push_str(text);
            }
        }
        Ok(Value::Text(self.scratch.alloc_str(&whole)))
    }
}
