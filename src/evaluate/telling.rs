//! From what comparing found to findings in words. The nodes concerned are looked at once more for that: which drive it
//! is, what the message says, where the value was read.

use super::compare::{Found, Placed, Special};
use super::finding::{Finding, Level, Verdict, Waived};
use super::judging::{Detail, Judging, comparisons, finding, rests_on_low, waived};
use super::node::{NodeView, json};
use super::own::Own;
use super::run::{JudgeError, Packs, Part, Settings, Together};
use super::subject::label;
use crate::expr::{Bindings, Compiled, Fuel, Type, bind, shown, trace_through};
use crate::inventory::Inventory;
use crate::rules::check::{Check, Compared, Kind, Slot};
use crate::rules::effective::{EffectiveCheck, EffectivePack};
use crate::rules::layers::Variant;
use crate::rules::subject::Subject;
use crate::view::{Partial, Paths, Reason, ReasonKind, Value};
use bumpalo::Bump;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// As many subjects are named of each side.
const NAMED: usize = 8;

/// A check as it counts for the nodes together.
pub(crate) struct Chosen<'p> {
    pub(crate) check: &'p Arc<Check>,
    /// The strictest of the variants that count on the nodes.
    variant: &'p Variant,
}

/// Collects what has to be said.
pub(crate) struct Telling<'p> {
    packs: &'p Packs<'p>,
    parts: &'p [Part],
    names: &'p [String],
    settings: &'p Settings<'p>,
    out: Together,
    /// By place of the node among the parts: what has to be told of its subjects.
    tasks: BTreeMap<usize, Vec<Task<'p>>>,
    /// Findings about several subjects, until the subjects are named.
    open: Vec<Open<'p>>,
}

/// Something to tell of one subject.
struct Task<'p> {
    check: &'p Arc<Check>,
    variant: &'p Variant,
    place: usize,
    what: What,
}

enum What {
    Odd(Special, Option<usize>),
    Unknown(Arc<str>),
    Absent(Option<usize>),
    /// Name it in an open finding, on a side of it.
    Name(usize, usize),
}

/// A finding about several subjects.
struct Open<'p> {
    check: &'p Arc<Check>,
    variant: &'p Variant,
    node: Option<usize>,
    /// By side: how it begins in the message, its subjects by name, and how many there are.
    sides: Vec<(String, Vec<String>, usize)>,
    shared: bool,
    message: Option<String>,
    waived: Option<Waived>,
}

impl<'p> Telling<'p> {
    pub(crate) fn new(
        packs: &'p Packs<'p>,
        parts: &'p [Part],
        names: &'p [String],
        settings: &'p Settings<'p>,
    ) -> Self {
        Self { packs, parts, names, settings, out: Together::default(), tasks: BTreeMap::new(), open: Vec::new() }
    }

    fn effective(&self, node: usize, id: &str) -> Option<(&'p EffectivePack, &'p EffectiveCheck)> {
        let pack = self.packs.of(self.parts.get(node)?.platform.as_ref());
        let check = pack.checks.iter().find(|check| check.check.id == id)?;
        Some((pack, check))
    }

    fn variant(&self, node: usize, id: &str) -> Option<&'p Variant> {
        let which = *self.parts.get(node)?.sink.variants.get(id)?;
        self.effective(node, id)?.1.variants.get(which)
    }

    /// The check, and the strictest of what is demanded of the nodes.
    pub(crate) fn chosen(&self, id: &str) -> Option<Chosen<'p>> {
        let of = |node: usize| Some((self.variant(node, id)?, self.effective(node, id)?.1));
        let (variant, effective) = (0..self.parts.len()).filter_map(of).min_by_key(|(variant, _)| variant.level)?;
        Some(Chosen { check: &effective.check, variant })
    }

    pub(crate) fn comparison(&mut self, chosen: &Chosen<'p>, found: Vec<Found<'_>>, gap: Option<&str>) {
        if let Some(gap) = gap {
            self.out.read_unknown = true;
            let message = format!("there may be more than those seen: {gap}");
            self.shared(chosen, None, self.every(chosen), Verdict::Unknown, message, None);
        } else if found.is_empty() {
            if chosen.variant.require_subject {
                let message = format!("no {} that this demands is there", chosen.check.subject.name());
                self.shared(chosen, None, self.every(chosen), chosen.variant.level.failed(), message, None);
            } else {
                let message = "there is nothing to compare".to_owned();
                self.shared(chosen, None, self.every(chosen), Verdict::Skipped, message, None);
            }
        }
        for found in found {
            self.found(chosen, found);
        }
    }

    fn every(&self, chosen: &Chosen<'_>) -> String {
        format!("every {}", chosen.check.subject.name())
    }

    fn found(&mut self, chosen: &Chosen<'p>, found: Found<'_>) {
        match found {
            Found::Odd { who, special } => {
                let what = What::Odd(special, who.member.waived);
                self.task(chosen, who, what);
            }
            Found::Unknown { who, reason } => {
                self.out.read_unknown = true;
                self.task(chosen, who, What::Unknown(reason));
            }
            Found::Absent(who) => {
                let what = What::Absent(who.member.waived);
                self.task(chosen, who, what);
            }
            Found::Split(sides) => {
                let sides = sides
                    .into_iter()
                    .map(|(value, members)| (self.value(chosen, value.as_ref()), members))
                    .map(|(value, members)| (format!("{} have {value}", members.len()), members))
                    .collect();
                self.open(chosen, sides, false);
            }
            Found::Shared(holders) => {
                let begin = format!("shared by {}", holders.len());
                self.open(chosen, vec![(begin, holders)], true);
            }
            Found::Well { members, value, whole, low } => {
                let subject = self.all(chosen, &members);
                let node = self.one_node(&members);
                let message = match &value {
                    Some(value) => format!("{} alike: {}", members.len(), self.value(chosen, Some(value))),
                    None => format!("{} compared, all different", members.len()),
                };
                if whole {
                    self.out.low_pass |= low;
                    self.shared(chosen, node, subject, Verdict::Pass, message, None);
                } else {
                    self.out.read_unknown = true;
                    let message = format!("{message}; others are not known");
                    self.shared(chosen, node, subject, Verdict::Unknown, message, None);
                }
            }
            Found::TooFew { members, whole, needed } => {
                let subject = self.all(chosen, &members);
                let node = self.one_node(&members);
                let (verdict, message) = match (whole, members.len()) {
                    (true, 1) if needed == 2 => (Verdict::Skipped, "only one: nothing to compare with".to_owned()),
                    (true, count) => (Verdict::Skipped, format!("too few to judge: {count}, {needed} are needed")),
                    (false, count) => {
                        self.out.read_unknown = true;
                        (Verdict::Unknown, format!("{count} are known, {needed} are needed, others are not known"))
                    }
                };
                self.shared(chosen, node, subject, verdict, message, None);
            }
        }
    }

    /// The node that all of them are of, if it is one.
    fn one_node(&self, members: &[Placed<'_>]) -> Option<usize> {
        let first = members.first()?.node;
        members.iter().all(|member| member.node == first).then_some(first)
    }

    fn all(&self, chosen: &Chosen<'_>, members: &[Placed<'_>]) -> String {
        let name = chosen.check.subject.name();
        match members.len() {
            1 if chosen.check.subject == Subject::NODE => name.to_owned(),
            1 => format!("one {name}"),
            count => format!("{count} of {name}"),
        }
    }

    fn value(&self, chosen: &Chosen<'_>, value: Option<&Own>) -> String {
        let (Kind::Uniform(compared) | Kind::Unique(compared) | Kind::Outlier(compared, _)) = &chosen.check.kind else {
            return String::new();
        };
        let arena = Bump::new();
        // The median of whole numbers need not be whole; shown as a number of the same dimension it is right for both.
        value.map(|value| shown(value.in_arena(&arena), compared.of.ty())).unwrap_or_default()
    }

    fn task(&mut self, chosen: &Chosen<'p>, who: Placed<'_>, what: What) {
        let variant = self.variant(who.node, &chosen.check.id).unwrap_or(chosen.variant);
        let task = Task { check: chosen.check, variant, place: who.member.place, what };
        self.tasks.entry(who.node).or_default().push(task);
    }

    fn open(&mut self, chosen: &Chosen<'p>, sides: Vec<(String, Vec<Placed<'_>>)>, shared: bool) {
        let place = self.open.len();
        let everyone: Vec<Placed<'_>> = sides.iter().flat_map(|(_, side)| side).copied().collect();
        let waiver =
            everyone.iter().map(|who| who.member.waived).reduce(|a, b| if a == b { a } else { None }).flatten();
        let mut open = Open {
            check: chosen.check,
            variant: chosen.variant,
            node: self.one_node(&everyone),
            sides: Vec::new(),
            shared,
            message: None,
            waived: waiver.and_then(|index| self.waived(index)),
        };
        for (side, (begin, members)) in sides.into_iter().enumerate() {
            open.sides.push((begin, Vec::new(), members.len()));
            for who in members.into_iter().take(NAMED) {
                self.task(chosen, who, What::Name(place, side));
            }
        }
        self.open.push(open);
    }

    fn waived(&mut self, index: usize) -> Option<Waived> {
        self.out.waivers.insert(index);
        self.packs.default_pack().waivers.get(index).map(|waiver| waived(waiver))
    }

    fn shared(
        &mut self,
        chosen: &Chosen<'p>,
        node: Option<usize>,
        subject: String,
        verdict: Verdict,
        message: String,
        waived: Option<Waived>,
    ) {
        let mut finding = finding(chosen.check, chosen.variant, subject, verdict, message);
        finding.waived = waived;
        self.add(node, finding);
    }

    fn add(&mut self, node: Option<usize>, finding: Finding) {
        self.out.tally.add(finding.verdict, finding.level, finding.waived.is_some());
        if self.settings.detail == Detail::Compact && matches!(finding.verdict, Verdict::Pass | Verdict::Skipped) {
            return;
        }
        match node.and_then(|node| self.parts.get(node)) {
            Some(part) => self.out.by_node.entry(part.place).or_default().push(finding),
            None => self.out.shared.push(finding),
        }
    }

    /// A check about the cluster: one subject, which sees what its keys kept of each node.
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
            Some(text) => Value::Partial(arena.alloc(Partial {
                items: arena.alloc_slice_copy(&nodes),
                unknown: Some(arena.alloc(Reason { text, kind: ReasonKind::Kept })),
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
        let bindings = bound(false);
        let outcome = assert.eval(&bindings, &arena, Fuel::default());
        let sure = assert.eval(&bound(true), &arena, Fuel::default()).value;
        let low = rests_on_low(outcome.value, sure);
        let verdict = match outcome.value {
            Value::Bool(true) => Verdict::Pass,
            Value::Bool(false) => chosen.variant.level.failed(),
            Value::Absent => absent(chosen.check, chosen.variant.level),
            _ => Verdict::Unknown,
        };
        let verdict = if low && verdict == Verdict::Fail { Verdict::Warn } else { verdict };
        self.out.low_pass |= low && verdict == Verdict::Pass;
        self.out.read_unknown |= verdict == Verdict::Unknown;
        let message = match outcome.value {
            Value::Unknown(reason) => reason.text.to_owned(),
            _ => chosen.check.message.render(&bindings, &arena, Fuel::default()),
        };
        let mut finding = finding(chosen.check, chosen.variant, "cluster".to_owned(), verdict, message);
        finding.low_confidence = low;
        let names = names(chosen.check);
        let first = chosen.check.slots.len();
        let (_, trace) = trace_through(assert, &lets, first, &bindings, &names, &arena, Fuel::default());
        let paths = Paths::new(&[("nodes", nodes)]);
        finding.evidence = trace
            .reads
            .iter()
            .filter_map(|read| {
                Some(super::finding::Evidence {
                    fact: paths.path(read.record?, read.name)?,
                    value: json(read.value),
                    shown: shown(read.value, read.ty),
                    unit: read.ty.dimension().map_or("", crate::units::Dimension::base_unit),
                    source: format!("kept of the node by the check: {}", read.name),
                })
            })
            .collect();
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
        let node = (self.parts.len() == 1).then_some(0);
        self.add(node, finding);
    }

    /// Looks at the nodes concerned once more, and puts everything into words.
    pub(crate) fn finish<'f>(
        mut self,
        load: impl Fn(usize) -> Result<Cow<'f, Inventory>, JudgeError>,
    ) -> Result<Together, JudgeError> {
        let mut arena = Bump::new();
        for (node, tasks) in std::mem::take(&mut self.tasks) {
            let Some(part) = self.parts.get(node) else { continue };
            arena.reset();
            let inventory = load(part.place)?;
            let pack = self.packs.of(part.platform.as_ref());
            let view = NodeView::new(&inventory, pack, &arena);
            for task in &tasks {
                self.tell(node, task, &view);
            }
        }
        for open in std::mem::take(&mut self.open) {
            let finding = open.finding();
            self.add(open.node, finding);
        }
        Ok(self.out)
    }

    fn tell<'a>(&mut self, node: usize, task: &Task<'a>, view: &NodeView<'a>)
    where
        'p: 'a,
    {
        let subjects = view.subjects(task.check.subject);
        let Some(subject) = subjects.items.get(task.place).copied() else { return };
        let name = label(task.check.subject, subject);
        if let What::Name(open, side) = task.what {
            let node_name = self.names.get(node).map_or("", String::as_str);
            let named = match task.check.subject == Subject::NODE {
                true => node_name.to_owned(),
                false => format!("{name} of {node_name}"),
            };
            let told = self.words(task, subject, view, None);
            if let Some(open) = self.open.get_mut(open) {
                open.message.get_or_insert(told.1);
                if let Some((_, names, _)) = open.sides.get_mut(side) {
                    names.push(named);
                }
            }
            return;
        }
        let (evidence, message) = self.words(
            task,
            subject,
            view,
            match &task.what {
                What::Odd(special, _) => Some(special),
                _ => None,
            },
        );
        let level = task.variant.level;
        let (verdict, message, waiver, low) = match &task.what {
            What::Odd(special, waiver) => {
                let verdict = match level.failed() {
                    Verdict::Fail if special.low => Verdict::Warn,
                    verdict => verdict,
                };
                (verdict, format!("{message}; {}", against(task.check, special)), *waiver, special.low)
            }
            What::Unknown(reason) => (Verdict::Unknown, reason.to_string(), None, false),
            What::Absent(waiver) => (absent(task.check, level), message, *waiver, false),
            What::Name(..) => return,
        };
        let mut finding = finding(task.check, task.variant, name, verdict, message);
        finding.evidence = evidence;
        finding.low_confidence = low;
        if matches!(verdict, Verdict::Fail | Verdict::Warn) {
            finding.waived = waiver.and_then(|index| self.waived(index));
        }
        self.add(Some(node), finding);
    }

    fn words<'a>(
        &self,
        task: &Task<'a>,
        subject: Value<'a>,
        view: &NodeView<'a>,
        special: Option<&Special>,
    ) -> (Vec<super::finding::Evidence>, String)
    where
        'p: 'a,
    {
        let judging = Judging {
            view,
            check: task.check,
            variant: task.variant,
            low: false,
            as_of: self.settings.as_of,
            detail: Detail::Full,
        };
        judging.compared_words(subject, special)
    }
}

impl<'a> Judging<'a, '_> {
    /// What a comparison says of one subject: the facts and the message.
    fn compared_words(&self, subject: Value<'a>, special: Option<&Special>) -> (Vec<super::finding::Evidence>, String) {
        let (Kind::Uniform(compared) | Kind::Unique(compared) | Kind::Outlier(compared, _)) = &self.check.kind else {
            return (Vec::new(), String::new());
        };
        let arena = self.view.arena;
        let slots = self.view.slots(self.check, subject, &self.variant.limits);
        let lets: Vec<&Compiled> = self.check.lets.iter().map(|(_, compiled)| compiled).collect();
        let bindings = bind(&self.view.bindings(slots), lets.iter().copied(), arena, Fuel::default());
        let (value, trace) = traced(self.check, compared, &lets, &bindings, arena);
        let mut slots = bindings.slots.to_vec();
        slots.push(value);
        let unknown = Value::unknown(ReasonKind::Kept, "nothing to compare with", arena);
        let own: Vec<Own> = special.map(|special| special.values.clone()).unwrap_or_default();
        let own = &*arena.alloc(own);
        for place in 1..self.check.kind.names().len() {
            slots.push(own.get(place - 1).map_or(unknown, |own| own.in_arena(arena)));
        }
        let bindings = Bindings { slots: arena.alloc_slice_copy(&slots), ..bindings };
        let message = self.check.message.render(&bindings, arena, Fuel::default());
        (self.view.evidence(&trace), message)
    }
}

fn traced<'a>(
    check: &Check,
    compared: &'a Compared,
    lets: &[&'a Compiled],
    bindings: &Bindings<'a>,
    arena: &'a Bump,
) -> (Value<'a>, crate::expr::Trace<'a>) {
    let (outcome, trace) =
        trace_through(&compared.of, lets, check.slots.len(), bindings, &names(check), arena, Fuel::default());
    (outcome.value, trace)
}

fn names(check: &Check) -> Vec<(String, Type)> {
    let slots = check.slots.iter().map(|_| (String::new(), Type::Any));
    slots.chain(check.lets.iter().map(|(name, compiled)| (name.clone(), compiled.ty().clone()))).collect()
}

/// What one that differs is held against.
fn against(check: &Check, special: &Special) -> String {
    let arena = Bump::new();
    match &check.kind {
        Kind::Outlier(compared, _) => {
            let median = shown(special.reference.in_arena(&arena), &number_type(compared.of.ty()));
            format!("the median of {} peers is {median}", special.members)
        }
        Kind::Uniform(compared) => {
            let majority = shown(special.reference.in_arena(&arena), compared.of.ty());
            format!("{} of {} have {majority}", special.agreeing, special.members)
        }
        _ => String::new(),
    }
}

/// The middle of two whole numbers need not be whole.
fn number_type(ty: &Type) -> Type {
    match ty {
        Type::Int => Type::Number(crate::units::Dimension::None),
        other => other.clone(),
    }
}

fn absent(check: &Check, level: Level) -> Verdict {
    use crate::rules::raw::check::WhenAbsent;
    match check.when_absent {
        WhenAbsent::Unknown => Verdict::Unknown,
        WhenAbsent::Skipped => Verdict::Skipped,
        WhenAbsent::Warn => Verdict::Warn,
        WhenAbsent::Fail => level.failed(),
    }
}

impl Open<'_> {
    fn finding(&self) -> Finding {
        let mut sides = Vec::new();
        for (begin, names, count) in &self.sides {
            let more = count.saturating_sub(names.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            sides.push(format!("{begin} ({}{more})", names.join(", ")));
        }
        let (subject, message) = if self.shared {
            let message = self.message.clone().unwrap_or_default();
            let names: Vec<&str> = self.sides.iter().flat_map(|(_, names, _)| names).map(String::as_str).collect();
            (names.join(", "), format!("{message}: {}", sides.join("; ")))
        } else {
            let count: usize = self.sides.iter().map(|(_, _, count)| count).sum();
            let subject = format!("{count} of {}", self.check.subject.name());
            (subject, format!("split, without a majority: {}", sides.join("; ")))
        };
        let mut finding = finding(self.check, self.variant, subject, self.variant.level.failed(), message);
        finding.waived.clone_from(&self.waived);
        finding
    }
}
