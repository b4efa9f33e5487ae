//! From what comparing found to findings in words. The nodes concerned are looked at once more for that: which drive it
//! is, what the message says, where the value was read.

use super::compare::{Found, Group, Placed, Special, State};
use super::finding::{Cause, Finding, Level, Verdict, Waived};
use super::judging::{Detail, Judging, capped, finding, waived};
use super::node::{NodeView, Told};
use super::own::{Own, Why};
use super::run::{JudgeError, Packs, Part, Settings, Together};
use super::subject::label;
use crate::expr::{Bindings, Compiled, Fuel, Type, bind, shown, trace_through};
use crate::inventory::Inventory;
use crate::rules::check::{Check, Compared, Kind};
use crate::rules::effective::{EffectiveCheck, EffectivePack};
use crate::rules::layers::Variant;
use crate::rules::subject::Subject;
use crate::view::{ReasonKind, Value};
use crate::words::counted;
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
    pub(super) variant: &'p Variant,
    /// That it counts on all of them rests on facts of low confidence.
    pub(super) low: bool,
}

/// Collects what has to be said.
pub(crate) struct Telling<'p> {
    pub(super) packs: &'p Packs<'p>,
    pub(super) parts: &'p [Part],
    pub(super) names: &'p [String],
    pub(super) settings: &'p Settings<'p>,
    pub(super) out: Together,
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
    Unknown(Why),
    Absent {
        waiver: Option<usize>,
        low: bool,
    },
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
    low: bool,
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
        let (which, _) = *self.parts.get(node)?.sink.variants.get(id)?;
        self.effective(node, id)?.1.variants.get(which)
    }

    /// The check, and the strictest of what is demanded of the nodes.
    pub(crate) fn chosen(&self, id: &str) -> Option<Chosen<'p>> {
        self.demands(id).into_iter().next()
    }

    /// The check under each demand that counts on some node: of nodes of several platforms, or on which different
    /// conditions hold, there are several. The strictest first.
    pub(crate) fn demands(&self, id: &str) -> Vec<Chosen<'p>> {
        let mut demands: Vec<Chosen<'p>> = Vec::new();
        for node in 0..self.parts.len() {
            let (Some(variant), Some((_, effective))) = (self.variant(node, id), self.effective(node, id)) else {
                continue;
            };
            let is_low = self.parts.get(node).and_then(|part| part.sink.variants.get(id)).is_some_and(|(_, low)| *low);
            match demands.iter_mut().find(|known| known.variant.demands_as(variant)) {
                Some(known) => known.low &= is_low,
                None => demands.push(Chosen { check: &effective.check, variant, low: is_low }),
            }
        }
        demands.sort_by(|a, b| a.variant.order(b.variant));
        demands
    }

    /// Whether something, or a whole node, was left out of a check because of facts of low confidence.
    pub(super) fn left_out_by_low(&self, id: &str) -> bool {
        self.parts.iter().any(|part| part.sink.left_out_by_low.contains(id))
    }

    /// `node` is the one that was compared within, if it was one.
    pub(crate) fn comparison(
        &mut self,
        chosen: &Chosen<'p>,
        found: Vec<Found<'_>>,
        gap: Option<&Why>,
        node: Option<usize>,
    ) {
        if let Some(gap) = gap {
            self.out.read_unknown = true;
            let message = format!("there may be more than those seen: {}", gap.text);
            let mut told = self.finding(chosen, self.every(chosen), Verdict::Unknown, message);
            told.cause = Some(Cause::of(gap.kind));
            self.add(node, told);
        } else if found.is_empty() {
            let told = if chosen.variant.require_subject {
                let message = format!("no {} that this demands is there", chosen.check.subject.name());
                let low = chosen.low || self.left_out_by_low(&chosen.check.id);
                let mut told =
                    self.finding(chosen, self.every(chosen), capped(chosen.variant.level.failed(), low), message);
                told.low_confidence = low;
                told
            } else {
                let message = "there is nothing to compare".to_owned();
                self.finding(chosen, self.every(chosen), Verdict::Skipped, message)
            };
            self.add(node, told);
        }
        for found in found {
            self.found(chosen, found);
        }
    }

    fn finding(&self, chosen: &Chosen<'p>, subject: String, verdict: Verdict, message: String) -> Finding {
        finding(chosen.check, chosen.variant, subject, verdict, message)
    }

    fn every(&self, chosen: &Chosen<'_>) -> String {
        format!("every {}", chosen.check.subject.name())
    }

    fn found(&mut self, chosen: &Chosen<'p>, found: Found<'_>) {
        match found {
            Found::Odd { who, special } => {
                let what = What::Odd(special, who.member.waiver());
                self.task(chosen, who, what);
            }
            Found::Unknown { who, why } => {
                self.out.read_unknown = true;
                self.task(chosen, who, What::Unknown(why));
            }
            Found::Absent { who, low } => {
                let what = What::Absent { waiver: who.member.waiver(), low };
                self.task(chosen, who, what);
            }
            Found::Split { sides, low } => {
                let sides = sides
                    .into_iter()
                    .map(|(value, members)| (self.value(chosen, value.as_ref()), members))
                    .map(|(value, members)| {
                        (
                            format!("{} {} {value}", members.len(), if members.len() == 1 { "has" } else { "have" }),
                            members,
                        )
                    })
                    .collect();
                self.open(chosen, sides, false, low);
            }
            Found::Shared { holders, low } => {
                let begin = format!("shared by {}", holders.len());
                self.open(chosen, vec![(begin, holders)], true, low);
            }
            Found::Well { members, value, whole, low } => {
                let subject = self.all(chosen, &members);
                let node = self.one_node(&members);
                let message = match &value {
                    Some(value) if matches!(chosen.check.kind, Kind::Outlier(..)) => {
                        let median = self.value(chosen, Some(value));
                        format!("none of {} stands apart; the median is {median}", members.len())
                    }
                    Some(value) => format!("{} alike: {}", members.len(), self.value(chosen, Some(value))),
                    None => format!("{} compared, all different", members.len()),
                };
                let told = if whole {
                    self.out.low_pass |= low;
                    let mut told = self.finding(chosen, subject, Verdict::Pass, message);
                    told.low_confidence = low;
                    told
                } else {
                    self.others_unknown(chosen, subject, format!("{message}; others are not known"))
                };
                self.add(node, told);
            }
            Found::TooFew { members, whole, needed } => {
                let subject = self.all(chosen, &members);
                let node = self.one_node(&members);
                let told = match (whole, members.len()) {
                    // One of which it is not known whether the check applies is perhaps not there.
                    (true, 1) if chosen.variant.require_subject && undecided(&members) => {
                        let message = "it is not known whether the only one is one that this demands".to_owned();
                        self.others_unknown(chosen, subject, message)
                    }
                    (true, 1) if needed == 2 => {
                        let message = "only one: nothing to compare with".to_owned();
                        self.finding(chosen, subject, Verdict::Skipped, message)
                    }
                    (true, count) => {
                        let message = format!("too few to judge: {count} of {needed} needed");
                        self.finding(chosen, subject, Verdict::Skipped, message)
                    }
                    (false, count) => {
                        let message = format!("{count} of {needed} needed known, others are not known");
                        self.others_unknown(chosen, subject, message)
                    }
                };
                self.add(node, told);
            }
        }
    }

    fn others_unknown(&mut self, chosen: &Chosen<'p>, subject: String, message: String) -> Finding {
        self.out.read_unknown = true;
        let mut told = self.finding(chosen, subject, Verdict::Unknown, message);
        told.cause = Some(Cause::Others);
        told
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
        let task = Task { check: chosen.check, variant, place: who.member.place as usize, what };
        self.tasks.entry(who.node).or_default().push(task);
    }

    fn open(&mut self, chosen: &Chosen<'p>, sides: Vec<(String, Vec<Placed<'_>>)>, shared: bool, low: bool) {
        let place = self.open.len();
        let everyone: Vec<Placed<'_>> = sides.iter().flat_map(|(_, side)| side).copied().collect();
        let waiver =
            everyone.iter().map(|who| who.member.waiver()).reduce(|a, b| if a == b { a } else { None }).flatten();
        let mut open = Open {
            check: chosen.check,
            variant: chosen.variant,
            node: self.one_node(&everyone),
            sides: Vec::new(),
            shared,
            low,
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

    pub(super) fn waived(&mut self, index: usize) -> Option<Waived> {
        self.out.waivers.insert(index);
        self.packs.default_pack().waivers.get(index).map(|waiver| waived(waiver))
    }

    pub(super) fn add(&mut self, node: Option<usize>, finding: Finding) {
        self.out.tally.add(finding.verdict, finding.level, finding.waived.is_some());
        if self.settings.detail == Detail::Compact && matches!(finding.verdict, Verdict::Pass | Verdict::Skipped) {
            return;
        }
        match node.and_then(|node| self.parts.get(node)) {
            Some(part) => self.out.by_node.entry(part.place).or_default().push(finding),
            None => self.out.shared.push(finding),
        }
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
            let view = super::run::view(&inventory, self.packs, part.platform.as_ref(), &part.open, &arena);
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
                let message = format!("{message}; {}", against(task.check, special));
                (capped(level.failed(), special.low), message, *waiver, special.low)
            }
            What::Unknown(why) => (Verdict::Unknown, why.text.to_string(), None, false),
            What::Absent { waiver, low } => (capped(absent(task.check, level), *low), message, *waiver, *low),
            What::Name(..) => return,
        };
        let mut finding = finding(task.check, task.variant, name, verdict, message);
        finding.cause = match (&task.what, verdict) {
            (What::Unknown(why), _) => Some(Cause::of(why.kind)),
            (_, Verdict::Unknown) => Some(Cause::Absent),
            _ => None,
        };
        evidence.put(&mut finding);
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
    ) -> (Told, String)
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
    fn compared_words(&self, subject: Value<'a>, special: Option<&Special>) -> (Told, String) {
        let (Kind::Uniform(compared) | Kind::Unique(compared) | Kind::Outlier(compared, _)) = &self.check.kind else {
            return (Told::default(), String::new());
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

pub(super) fn names(check: &Check) -> Vec<(String, Type)> {
    let slots = check.slots.iter().map(|_| (String::new(), Type::Any));
    slots.chain(check.lets.iter().map(|(name, compiled)| (name.clone(), compiled.ty().clone()))).collect()
}

/// What one that differs is held against.
fn against(check: &Check, special: &Special) -> String {
    let arena = Bump::new();
    match &check.kind {
        Kind::Outlier(compared, _) => {
            let median = shown(special.reference.in_arena(&arena), &number_type(compared.of.ty()));
            format!("the median of {} is {median}", counted(special.members, "peer"))
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

pub(super) fn absent(check: &Check, level: Level) -> Verdict {
    use crate::rules::raw::check::WhenAbsent;
    match check.when_absent {
        WhenAbsent::Unknown => Verdict::Unknown,
        WhenAbsent::Skipped => Verdict::Skipped,
        WhenAbsent::Warn => Verdict::Warn,
        WhenAbsent::Fail => level.failed(),
    }
}

/// Whether it is not known of the only one whether the check applies to it.
fn undecided(members: &[Placed<'_>]) -> bool {
    members.iter().all(|who| matches!((&who.member.group, &who.member.state), (Group::None, State::Unknown(_))))
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
        let verdict = capped(self.variant.level.failed(), self.low);
        let mut finding = finding(self.check, self.variant, subject, verdict, message);
        finding.low_confidence = self.low;
        finding.waived.clone_from(&self.waived);
        finding
    }
}
