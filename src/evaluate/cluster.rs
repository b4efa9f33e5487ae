//! Checks about the cluster: one subject, seen through what their keys kept of each node.
//!
//! Looks at no node again: what was not kept is not known here.

use super::finding::{Evidence, Verdict};
use super::judging::{capped, cause, comparisons, finding, rests_on_low};
use super::node::{Told, json};
use super::telling::{Chosen, Telling, absent, names};
use crate::expr::{Bindings, Compiled, Fuel, bind, shown, trace_through};
use crate::rules::check::{Kind, Slot};
use crate::view::{Partial, Paths, Reason, ReasonKind, Value};
use crate::words::counted;
use bumpalo::Bump;

impl<'p> Telling<'p> {
    /// A check about the cluster: one subject, which sees what its keys kept of each node. Every demand that counts on
    /// some node is one on the cluster as a whole.
    pub(crate) fn cluster(&mut self, chosen: &Chosen<'p>) {
        let Kind::Assert(assert) = &chosen.check.kind else { return };
        let arena = Bump::new();
        let not_collected = Reason { text: "no key of the check", kind: ReasonKind::Kept };
        let nodes: Vec<Value<'_>> = self
            .parts
            .iter()
            .zip(self.names)
            .filter_map(|(part, name)| {
                let keys = part.sink.keys.get(&chosen.check.id)?.in_arena(&arena);
                Some(crate::view::with_fields(keys, &[("name", Value::Text(name))], &arena))
            })
            .collect();
        // A node of which it is not known what is demanded is there all the same, and nothing of it was kept.
        let gap = self.parts.iter().filter_map(|part| part.sink.gaps.get(&chosen.check.id)).min();
        let nodes = match gap {
            None => Value::list(&nodes, &arena),
            Some(why) => Value::Partial(arena.alloc(Partial {
                items: arena.alloc_slice_copy(&nodes),
                unknown: Some(arena.alloc(Reason { text: &why.text, kind: why.kind })),
                absent: false,
            })),
        };
        let working_set = self.packs.default_pack().working_set.map_or(Value::Absent, Value::Double);
        let site = Value::record(&[("working_set", working_set)], &arena);
        let params = crate::roles::limits(&chosen.variant.limits, &arena);
        let slots: Vec<Value<'_>> = chosen
            .check
            .slots
            .iter()
            .map(|slot| match slot {
                Slot::Nodes => nodes,
                Slot::Site => site,
                Slot::Params => params,
                Slot::Node | Slot::Subject => Value::Absent,
            })
            .collect();
        let slots = arena.alloc_slice_copy(&slots);
        let lets: Vec<&Compiled> = chosen.check.lets.iter().map(|(_, compiled)| compiled).collect();
        let bound = |distrust_low| {
            let base = Bindings { distrust_low, ..Bindings::new(slots, &not_collected) };
            bind(&base, lets.iter().copied(), &arena, Fuel::default())
        };
        let node = (self.parts.len() == 1).then_some(0);
        let mut low = chosen.low || self.left_out_by_low(&chosen.check.id);
        if let Some(filter) = &chosen.check.filter {
            let of = |distrust_low| {
                let base = Bindings { distrust_low, ..Bindings::new(slots, &not_collected) };
                filter.eval(&base, &arena, Fuel::default()).value
            };
            let value = of(false);
            low |= rests_on_low(value, of(true));
            let count = counted(self.parts.len(), "node");
            let told = match value {
                Value::Bool(true) => None,
                Value::Bool(false) if chosen.variant.require_subject => {
                    let message = format!("this demands a cluster of another kind than one of {count}");
                    let mut told = finding(
                        chosen.check,
                        chosen.variant,
                        "cluster".to_owned(),
                        capped(chosen.variant.level.failed(), low),
                        message,
                    );
                    told.low_confidence = low;
                    Some(told)
                }
                Value::Bool(false) => {
                    self.out.low_pass |= low;
                    let message = format!("it does not apply to a cluster of {count}");
                    Some(finding(chosen.check, chosen.variant, "cluster".to_owned(), Verdict::Skipped, message))
                }
                other => {
                    self.out.read_unknown = true;
                    let reason = match other {
                        Value::Unknown(reason) => reason.text,
                        _ => "a fact that decides it is absent",
                    };
                    let message = format!("it cannot be told whether this applies: {reason}");
                    let mut told =
                        finding(chosen.check, chosen.variant, "cluster".to_owned(), Verdict::Unknown, message);
                    told.cause = cause(other, Verdict::Unknown);
                    Some(told)
                }
            };
            if let Some(told) = told {
                return self.add(node, told);
            }
        }
        let bindings = bound(false);
        let outcome = assert.eval(&bindings, &arena, Fuel::default());
        let sure = assert.eval(&bound(true), &arena, Fuel::default()).value;
        low |= rests_on_low(outcome.value, sure);
        let verdict = match outcome.value {
            Value::Bool(true) => Verdict::Pass,
            Value::Bool(false) => chosen.variant.level.failed(),
            Value::Absent => absent(chosen.check, chosen.variant.level),
            _ => Verdict::Unknown,
        };
        let verdict = capped(verdict, low);
        self.out.low_pass |= low && verdict == Verdict::Pass;
        self.out.read_unknown |= verdict == Verdict::Unknown;
        let message = match outcome.value {
            Value::Unknown(reason) => reason.text.to_owned(),
            _ => chosen.check.message.render(&bindings, &arena, Fuel::default()),
        };
        let mut finding = finding(chosen.check, chosen.variant, "cluster".to_owned(), verdict, message);
        finding.low_confidence = low;
        finding.cause = cause(outcome.value, verdict);
        let names = names(chosen.check);
        let first = chosen.check.slots.len();
        let (_, trace) = trace_through(assert, &lets, first, &bindings, &names, &arena, Fuel::default());
        let paths = Paths::new(&[("nodes", nodes)]);
        let told = Told::of(&trace, |read| {
            Some(Evidence {
                fact: paths.path(read.record?, read.name)?,
                value: json(read.value),
                shown: shown(read.value, read.ty),
                unit: read.ty.dimension().map_or("", crate::units::Dimension::base_unit),
                source: format!("kept of the node by the check: {}", read.name),
            })
        });
        told.put(&mut finding);
        finding.comparisons = comparisons(&trace);
        let waiver = self.packs.default_pack().waivers.iter().position(|waiver| {
            waiver.check == chosen.check.id
                && waiver.holds_on(self.settings.as_of)
                && matches!(
                    waiver.scope.eval(&Bindings::new(slots, &not_collected), &arena, Fuel::default()).value,
                    Value::Bool(true)
                )
        });
        if matches!(verdict, Verdict::Fail | Verdict::Warn) {
            finding.waived = waiver.and_then(|index| self.waived(index));
        }
        self.add(node, finding);
    }
}
