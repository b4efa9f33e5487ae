//! One node as checks see it: its facts in an arena, with roles, and the names that expressions use bound to values.

use super::finding::{Evidence, Finding};
use crate::enrich;
use crate::expr::{Bindings, Fuel, Read, Trace, shown};
use crate::inventory::Inventory;
use crate::roles::{self, Ground};
use crate::rules::check::{Check, Slot};
use crate::rules::effective::EffectivePack;
use crate::rules::layers::{Effective, Variant};
use crate::view::{Paths, Reason, ReasonKind, Value, reasons, write};
use bumpalo::Bump;
use std::cell::OnceCell;

/// One node in an arena.
pub(crate) struct NodeView<'a> {
    pub(crate) inventory: &'a Inventory,
    pub(crate) pack: &'a EffectivePack,
    pub(crate) arena: &'a Bump,
    pub(crate) node: Value<'a>,
    pub(crate) site: Value<'a>,
    pub(crate) not_collected: &'a Reason<'a>,
    paths: OnceCell<Paths<'a>>,
}

/// What is demanded of a node.
pub(crate) struct Chosen<'a> {
    /// The variant and its place; `None` if none holds; the unknown value if that cannot be told.
    pub(crate) variant: Result<Option<(usize, &'a Variant)>, Value<'a>>,
    /// Facts of low confidence decided.
    pub(crate) low: bool,
}

/// The facts of a node before roles, to find its platform by.
pub(crate) fn facts<'a>(inventory: &'a Inventory, arena: &'a Bump) -> (Value<'a>, &'a Reason<'a>) {
    let not_collected = &*arena.alloc(Reason::not_collected(&inventory.version, arena));
    let node = match write(&inventory.node, arena, reasons(&inventory.errors, arena)) {
        Ok(node) => node,
        // Facts hold neither bytes nor odd keys, so this does not happen; if it did, nothing would be known.
        Err(error) => Value::unknown(crate::view::ReasonKind::Mismatch, &error.to_string(), arena),
    };
    (node, not_collected)
}

impl<'a> NodeView<'a> {
    pub(crate) fn new(inventory: &'a Inventory, pack: &'a EffectivePack, arena: &'a Bump) -> Self {
        let (node, not_collected) = facts(inventory, arena);
        let working_set = pack.working_set.map_or(Value::Absent, Value::Double);
        let site = Value::record(&[("working_set", working_set)], arena);
        let node = enrich::enrich(node, &pack.knowledge, not_collected, arena);
        let node = roles::assign(&Ground { node, site, not_collected }, pack, arena);
        Self { inventory, pack, arena, node, site, not_collected, paths: OnceCell::new() }
    }

    /// Where another pack, which may be the one that counts, gives a thing another role, its role is not known.
    pub(crate) fn doubt_roles(&mut self, may_be: &'a EffectivePack, kind: ReasonKind, reason: &str) {
        let ground = Ground { node: self.node, site: self.site, not_collected: self.not_collected };
        let other = roles::assign(&ground, may_be, self.arena);
        let unknown = Value::unknown(kind, reason, self.arena);
        self.node = roles::doubt(self.node, other, unknown, self.arena);
    }

    /// The first variant whose conditions all hold.
    pub(crate) fn variant(&self, variants: &'a [Variant]) -> Chosen<'a> {
        let mut read_low = false;
        let variant = self.first(variants, false, &mut read_low);
        // By facts of low confidence only if it would be another without them.
        let low = read_low
            && match (&variant, self.first(variants, true, &mut false)) {
                (Ok(one), Ok(other)) => one.map(|one| one.0) != other.map(|other| other.0),
                _ => true,
            };
        Chosen { variant, low }
    }

    fn first(
        &self,
        variants: &'a [Variant],
        distrust_low: bool,
        read_low: &mut bool,
    ) -> Result<Option<(usize, &'a Variant)>, Value<'a>> {
        for (place, variant) in variants.iter().enumerate() {
            let mut holds = Value::Bool(true);
            for condition in &variant.when {
                let params = roles::params(self.pack, &condition.layer, self.arena);
                let slots = self.arena.alloc_slice_copy(&[self.node, self.site, params]);
                let bindings = Bindings { distrust_low, ..self.bindings(slots) };
                let outcome = condition.expr.eval(&bindings, self.arena, Fuel::default());
                *read_low |= outcome.read_low;
                let value = outcome.value;
                match (holds, value) {
                    (_, Value::Bool(true)) => {}
                    (_, Value::Bool(false)) => {
                        holds = value;
                        break;
                    }
                    (Value::Bool(true) | Value::Absent, other) => holds = other,
                    _ => {}
                }
            }
            match holds {
                Value::Bool(true) => return Ok(Some((place, variant))),
                Value::Bool(false) => {}
                unknown => return Err(unknown),
            }
        }
        Ok(None)
    }

    /// The values of the names of a check, but its `let`.
    pub(crate) fn slots(&self, check: &Check, subject: Value<'a>, limits: &'a [Effective]) -> &'a [Value<'a>] {
        let params = roles::limits(limits, self.arena);
        self.slots_with(&check.slots, subject, params)
    }

    pub(crate) fn slots_with(&self, slots: &[Slot], subject: Value<'a>, params: Value<'a>) -> &'a [Value<'a>] {
        let values: Vec<Value<'a>> = slots
            .iter()
            .map(|slot| match slot {
                Slot::Node => self.node,
                Slot::Subject => subject,
                Slot::Site => self.site,
                Slot::Params => params,
                // Of a check about the cluster alone, which is judged elsewhere.
                Slot::Nodes => Value::Absent,
            })
            .collect();
        self.arena.alloc_slice_copy(&values)
    }

    pub(crate) fn bindings(&self, slots: &'a [Value<'a>]) -> Bindings<'a> {
        Bindings::new(slots, self.not_collected)
    }

    /// The facts that decided, as evidence.
    pub(crate) fn evidence(&self, trace: &Trace<'a>) -> Told {
        Told::of(trace, |read| self.fact(read))
    }

    fn fact(&self, read: &Read<'a>) -> Option<Evidence> {
        let record = read.record?;
        let paths = self.paths.get_or_init(|| Paths::new(&[("", self.node)]));
        let fact = paths.path(record, read.name)?;
        let source = match Value::Record(record).at(&["sources", read.name]) {
            // Not read on the machine: knowledge and roles say themselves where they come from.
            Some(Value::Text(source)) => Some(source),
            _ => paths
                .source(record, read.name)
                .and_then(|id| self.inventory.sources.get(id as usize))
                .map(String::as_str),
        };
        Some(Evidence {
            fact,
            value: json(read.value),
            shown: shown(read.value, read.ty),
            unit: read.ty.dimension().map_or("", crate::units::Dimension::base_unit),
            source: source.map(str::to_owned).unwrap_or_default(),
        })
    }
}

/// Most facts that are told of one finding. A check that looks for a function among hundreds has read an address of each.
pub(crate) const EVIDENCE: usize = 32;

/// The facts that decided, as far as they are told.
#[derive(Default)]
pub(crate) struct Told {
    evidence: Vec<Evidence>,
    /// How many more there are.
    left_out: usize,
}

impl Told {
    /// In the order in which they were read. Of what is not known, only that decided.
    pub(crate) fn of<'a>(trace: &Trace<'a>, tell: impl Fn(&Read<'a>) -> Option<Evidence>) -> Self {
        let facts: Vec<&Read<'a>> = trace.reads.iter().filter(|read| read.record.is_some()).collect();
        let left_out = facts.len().saturating_sub(EVIDENCE);
        let evidence = facts.into_iter().take(EVIDENCE).filter_map(tell).collect();
        Self { evidence, left_out }
    }

    /// Into a finding.
    pub(crate) fn put(self, finding: &mut Finding) {
        finding.evidence = self.evidence;
        finding.evidence_left_out = self.left_out;
    }
}

/// A value as JSON; what is absent or unknown is null.
pub(crate) fn json(value: Value<'_>) -> serde_json::Value {
    match value {
        Value::Absent | Value::Unknown(_) | Value::Record(_) => serde_json::Value::Null,
        Value::Bool(value) => value.into(),
        Value::Int(value) => value.into(),
        Value::Double(value) => value.into(),
        Value::Text(text) => text.into(),
        Value::List(items) => items.iter().map(|item| json(*item)).collect(),
        Value::Partial(partial) => partial.items.iter().map(|item| json(*item)).collect(),
        Value::Low(low) => json(low.value),
    }
}
