//! One check on one node: its subjects, and for each the verdict of the assertion or the value to be compared.

use super::compare::{Group, Member, State};
use super::finding::{Cause, Finding, Limit, Made, Verdict, Waived};
use super::node::{NodeView, json};
use super::own::{Own, Texts, Why};
use super::subject::{Subjects, label};
use super::tally::Tally;
use crate::expr::{Bindings, Compiled, Fuel, bind, shown, trace_through};
use crate::rules::check::{Check, Compared, Kind};
use crate::rules::layers::Variant;
use crate::rules::raw::check::WhenAbsent;
use crate::rules::site::Waiver;
use crate::rules::subject::Subject;
use crate::view::{Reason, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How much is told of what holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Every verdict is a finding.
    Full,
    /// What passes or does not apply is only counted.
    Compact,
}

/// What judging a node yields beside the verdicts on it.
#[derive(Default)]
pub(crate) struct Sink {
    pub(crate) findings: Vec<Finding>,
    pub(crate) tally: Tally,
    /// A fact that an active check read is unknown.
    pub(crate) read_unknown: bool,
    /// Something passed that rests on a fact of low confidence.
    pub(crate) low_pass: bool,
    /// Waivers that hold for something, by their place.
    pub(crate) waivers: BTreeSet<usize>,
    /// What is to be compared, by check.
    pub(crate) members: BTreeMap<Arc<str>, Vec<Member>>,
    /// What a check about the cluster keeps of this node, by check.
    pub(crate) keys: BTreeMap<String, Own>,
    /// Checks that compare and whose subjects may be more than those seen, with the reason.
    pub(crate) gaps: BTreeMap<String, Why>,
    /// By check that compares: the place of the variant that counts on this node, and whether that rests on facts of
    /// low confidence.
    pub(crate) variants: BTreeMap<Arc<str>, (usize, bool)>,
    /// Checks of which something, or this node, was left out because of facts of low confidence.
    pub(crate) left_out_by_low: BTreeSet<String>,
}

/// One check under one variant on one node.
pub(crate) struct Judging<'a, 'v> {
    pub(crate) view: &'v NodeView<'a>,
    pub(crate) check: &'a Check,
    pub(crate) variant: &'a Variant,
    /// That this variant counts rests on facts of low confidence.
    pub(crate) low: bool,
    pub(crate) as_of: jiff::civil::Date,
    pub(crate) detail: Detail,
}

/// What became of one subject before it is judged.
enum Selected<'a> {
    /// It is judged; second: that rests on facts of low confidence.
    In(Bindings<'a>, bool),
    Out,
    Undecided(Value<'a>),
}

impl<'a> Judging<'a, '_> {
    /// Judges every subject, or keeps what is to be compared.
    pub(crate) fn run(&self, texts: &Texts, sink: &mut Sink) {
        if self.check.subject == Subject::CLUSTER {
            let keys = self.keys(texts, sink);
            sink.keys.insert(self.check.id.clone(), keys);
            return;
        }
        let subjects = self.view.subjects(self.check.subject);
        let mut left = 0;
        for (place, subject) in subjects.items.iter().enumerate() {
            match self.select(*subject, sink) {
                Selected::Out => continue,
                Selected::Undecided(value) => {
                    left += 1;
                    match &self.check.kind {
                        Kind::Assert(_) => self.undecided(*subject, value, sink),
                        _ => self.member(place, *subject, (State::of_unknown(value, texts), Group::None), texts, sink),
                    }
                }
                Selected::In(bindings, low) => {
                    left += 1;
                    match &self.check.kind {
                        Kind::Assert(assert) => self.assert(assert, *subject, (&bindings, low), sink),
                        Kind::Uniform(compared) | Kind::Unique(compared) | Kind::Outlier(compared, _) => {
                            self.keep(compared, place, *subject, (&bindings, low), texts, sink);
                        }
                    }
                }
            }
        }
        self.selection(&subjects, left, texts, sink);
    }

    /// Whether it is known of what is not seen that the check does not apply to it: by facts of the node, for instance.
    fn applies_to_none(&self, gap: &'a Reason<'a>) -> bool {
        let Some(filter) = &self.check.filter else { return false };
        let slots = self.view.slots(self.check, Value::Unknown(gap), &self.variant.limits);
        let outcome = filter.eval(&self.view.bindings(slots), self.view.arena, Fuel::default());
        matches!(outcome.value, Value::Bool(false)) && !outcome.read_low
    }

    /// An empty or partial selection never passes: what may be missing is a finding of its own.
    fn selection(&self, subjects: &Subjects<'a>, left: usize, texts: &Texts, sink: &mut Sink) {
        let name = self.check.subject.name();
        if let Some(gap) = subjects.gap.filter(|gap| !self.applies_to_none(gap)) {
            sink.read_unknown = true;
            if matches!(self.check.kind, Kind::Assert(_)) {
                let message = format!("there may be more than the {left} seen: {}", gap.text);
                let mut finding = self.finding(format!("every {name}"), Verdict::Unknown, message);
                finding.cause = Some(Cause::of(gap.kind));
                self.push(finding, sink);
            } else {
                sink.gaps.insert(self.check.id.clone(), Why::of(gap, texts));
            }
        } else if left == 0 && self.variant.require_subject {
            let message = format!("no {name} that this demands is there");
            // Without those facts it would not be known whether one is there.
            let low = self.low || sink.left_out_by_low.contains(&self.check.id);
            let verdict = capped(self.variant.level.failed(), low);
            let mut finding = self.finding(format!("every {name}"), verdict, message);
            finding.low_confidence = low;
            self.push(finding, sink);
        } else if left == 0 && matches!(self.check.kind, Kind::Assert(_)) {
            let none = subjects.items.is_empty() && subjects.gap.is_none();
            let message = match (none, self.check.subject == Subject::NODE) {
                (true, _) => format!("there is no {name}"),
                (false, true) => "it does not apply to this node".to_owned(),
                (false, false) => format!("it applies to no {name} of this node"),
            };
            self.push(self.finding("node".to_owned(), Verdict::Skipped, message), sink);
        }
    }

    fn select(&self, subject: Value<'a>, sink: &mut Sink) -> Selected<'a> {
        let slots = self.view.slots(self.check, subject, &self.variant.limits);
        let base = self.view.bindings(slots);
        let mut low = self.low;
        if let Some(filter) = &self.check.filter {
            let outcome = filter.eval(&base, self.view.arena, Fuel::default());
            sink.read_unknown |= outcome.read_unknown && outcome.value.is_unknown();
            let unsure = outcome.read_low && {
                let distrusting = Bindings { distrust_low: true, ..base };
                let sure = filter.eval(&distrusting, self.view.arena, Fuel::default()).value;
                !matches!((outcome.value, sure), (Value::Bool(a), Value::Bool(b)) if a == b)
            };
            match outcome.value {
                Value::Bool(true) => low |= unsure,
                Value::Bool(false) => {
                    // What is left out because of such a fact certifies nothing.
                    sink.low_pass |= unsure;
                    if unsure {
                        sink.left_out_by_low.insert(self.check.id.clone());
                    }
                    return Selected::Out;
                }
                other => return Selected::Undecided(other),
            }
        }
        let lets = self.check.lets.iter().map(|(_, compiled)| compiled);
        Selected::In(bind(&base, lets, self.view.arena, Fuel::default()), low)
    }

    fn assert(&self, assert: &'a Compiled, subject: Value<'a>, selected: (&Bindings<'a>, bool), sink: &mut Sink) {
        let arena = self.view.arena;
        let (bindings, mut low) = selected;
        let outcome = assert.eval(bindings, arena, Fuel::default());
        let mut verdict = self.verdict(outcome.value);
        if outcome.read_low || self.lets_read_low(subject) {
            let sure = assert.eval(&self.distrusting(subject), arena, Fuel::default()).value;
            low |= rests_on_low(outcome.value, sure);
        }
        verdict = capped(verdict, low);
        sink.low_pass |= low && verdict == Verdict::Pass;
        sink.read_unknown |= outcome.read_unknown && (verdict == Verdict::Unknown || outcome.value.is_unknown());
        if self.detail == Detail::Compact && matches!(verdict, Verdict::Pass | Verdict::Skipped) {
            sink.tally.add(verdict, self.variant.level, false);
            return;
        }
        let message = match outcome.value {
            // Why it cannot be told, not the sentence about what would have been found.
            Value::Unknown(reason) => reason.text.to_owned(),
            _ => self.check.message.render(bindings, arena, Fuel::default()),
        };
        let lets: Vec<&Compiled> = self.check.lets.iter().map(|(_, compiled)| compiled).collect();
        let names = self.names();
        let (_, trace) = trace_through(assert, &lets, self.check.slots.len(), bindings, &names, arena, Fuel::default());
        let mut finding = self.finding(label(self.check.subject, subject), verdict, message);
        self.view.evidence(&trace).put(&mut finding);
        finding.comparisons = comparisons(&trace);
        finding.low_confidence = low;
        finding.cause = cause(outcome.value, verdict);
        finding.waived = self.waived(subject, verdict, sink);
        sink.tally.add(verdict, self.variant.level, finding.waived.is_some());
        sink.findings.push(finding);
    }

    fn lets_read_low(&self, subject: Value<'a>) -> bool {
        if self.check.lets.is_empty() {
            return false;
        }
        let slots = self.view.slots(self.check, subject, &self.variant.limits);
        let mut bindings = self.view.bindings(slots);
        self.check.lets.iter().any(|(_, compiled)| {
            let outcome = compiled.eval(&bindings, self.view.arena, Fuel::default());
            let mut values = bindings.slots.to_vec();
            values.push(outcome.value);
            bindings = Bindings { slots: self.view.arena.alloc_slice_copy(&values), ..bindings };
            outcome.read_low
        })
    }

    /// The same names, with facts of low confidence taken for unknown.
    fn distrusting(&self, subject: Value<'a>) -> Bindings<'a> {
        let slots = self.view.slots(self.check, subject, &self.variant.limits);
        let base = Bindings { distrust_low: true, ..self.view.bindings(slots) };
        bind(&base, self.check.lets.iter().map(|(_, compiled)| compiled), self.view.arena, Fuel::default())
    }

    fn verdict(&self, value: Value<'_>) -> Verdict {
        match value {
            Value::Bool(true) => Verdict::Pass,
            Value::Bool(false) => self.variant.level.failed(),
            Value::Absent => self.absent(),
            _ => Verdict::Unknown,
        }
    }

    /// What an absent value makes of the check; never a pass.
    pub(crate) fn absent(&self) -> Verdict {
        match self.check.when_absent {
            WhenAbsent::Unknown => Verdict::Unknown,
            WhenAbsent::Skipped => Verdict::Skipped,
            WhenAbsent::Warn => Verdict::Warn,
            WhenAbsent::Fail => self.variant.level.failed(),
        }
    }

    fn undecided(&self, subject: Value<'a>, value: Value<'a>, sink: &mut Sink) {
        let reason = match value {
            Value::Unknown(reason) => reason.text,
            _ => "a fact that decides it is absent",
        };
        let message = format!("it cannot be told whether this applies: {reason}");
        let mut finding = self.finding(label(self.check.subject, subject), Verdict::Unknown, message);
        finding.cause = cause(value, Verdict::Unknown);
        finding.waived = self.waived(subject, Verdict::Unknown, sink);
        sink.tally.add(Verdict::Unknown, self.variant.level, finding.waived.is_some());
        sink.findings.push(finding);
    }

    /// Names for tracing through `let`: only their places after the slots count.
    fn names(&self) -> Vec<(String, crate::expr::Type)> {
        let slots = self.check.slots.iter().map(|_| (String::new(), crate::expr::Type::Any));
        slots.chain(self.check.lets.iter().map(|(name, compiled)| (name.clone(), compiled.ty().clone()))).collect()
    }

    fn keep(
        &self,
        compared: &'a Compared,
        place: usize,
        subject: Value<'a>,
        selected: (&Bindings<'a>, bool),
        texts: &Texts,
        sink: &mut Sink,
    ) {
        let arena = self.view.arena;
        let (bindings, mut low) = selected;
        let outcome = compared.of.eval(bindings, arena, Fuel::default());
        low |= outcome.read_low || self.lets_read_low(subject);
        let group = match &compared.by {
            None => Group::All,
            Some(by) => {
                let by = by.eval(bindings, arena, Fuel::default());
                low |= by.read_low;
                let own = Own::of(by.value, texts);
                if let Some(why) = own.unknown() {
                    sink.read_unknown = true;
                    return self.member(place, subject, (State::Unknown(why.clone()), Group::None), texts, sink);
                }
                if own.is_absent() {
                    // What is absent equals nothing, not even what is absent elsewhere: it has no peers.
                    return self.member(place, subject, (State::Absent { low }, Group::None), texts, sink);
                }
                Group::Of(texts.keep(&own.key()))
            }
        };
        let own = Own::of(outcome.value, texts);
        let state = match own.unknown() {
            Some(why) => {
                sink.read_unknown = true;
                State::Unknown(why.clone())
            }
            None if own.is_absent() => State::Absent { low },
            None => State::value(&own, &self.check.kind, low, texts),
        };
        self.member(place, subject, (state, group), texts, sink);
    }

    fn member(&self, place: usize, subject: Value<'a>, (state, group): (State, Group), texts: &Texts, sink: &mut Sink) {
        let waived = self.waiver(subject).map(|(index, _)| index);
        // More of them than fit would be no inventory.
        let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let member = Member { place: small(place), group, state, waived: waived.map(small) };
        match sink.members.get_mut(self.check.id.as_str()) {
            Some(members) => members.push(member),
            None => {
                sink.members.insert(texts.keep(&self.check.id), vec![member]);
            }
        }
    }

    fn keys(&self, texts: &Texts, sink: &mut Sink) -> Own {
        let params = crate::roles::limits(&self.variant.limits, self.view.arena);
        let slots = self.view.arena.alloc_slice_copy(&[self.view.node, self.view.site, params]);
        let bindings = self.view.bindings(slots);
        let fields = self.check.keys.iter().map(|(name, key)| {
            let outcome = key.eval(&bindings, self.view.arena, Fuel::default());
            sink.read_unknown |= outcome.value.is_unknown();
            let own = Own::of(outcome.value, texts);
            let own =
                if outcome.read_low { Own::Low(Box::new(own), texts.keep("a fact of low confidence")) } else { own };
            (texts.keep(name), own)
        });
        Own::Record(fields.collect())
    }

    /// The first waiver of this check whose scope holds for the subject and that has not expired.
    pub(crate) fn waiver(&self, subject: Value<'a>) -> Option<(usize, &'a Waiver)> {
        self.view.pack.waivers.iter().enumerate().find_map(|(index, waiver)| {
            if waiver.check != self.check.id || !waiver.holds_on(self.as_of) {
                return None;
            }
            let slots = self.view.slots_with(&waiver.slots, subject, Value::Absent);
            let value = waiver.scope.eval(&self.view.bindings(slots), self.view.arena, Fuel::default()).value;
            matches!(value, Value::Bool(true)).then_some((index, waiver.as_ref()))
        })
    }

    /// A waiver answers for failures and warnings; it never lifts an unknown.
    fn waived(&self, subject: Value<'a>, verdict: Verdict, sink: &mut Sink) -> Option<Waived> {
        if !matches!(verdict, Verdict::Fail | Verdict::Warn) {
            return None;
        }
        let (index, waiver) = self.waiver(subject)?;
        sink.waivers.insert(index);
        Some(waived(waiver))
    }

    fn push(&self, finding: Finding, sink: &mut Sink) {
        sink.tally.add(finding.verdict, self.variant.level, false);
        if self.detail == Detail::Compact && matches!(finding.verdict, Verdict::Pass | Verdict::Skipped) {
            return;
        }
        sink.findings.push(finding);
    }

    pub(crate) fn finding(&self, subject: String, verdict: Verdict, message: String) -> Finding {
        finding(self.check, self.variant, subject, verdict, message)
    }
}

/// A failure that rests on facts of low confidence is a warning.
pub(crate) fn capped(verdict: Verdict, low: bool) -> Verdict {
    match verdict {
        Verdict::Fail if low => Verdict::Warn,
        other => other,
    }
}

/// What kind of reason makes a verdict unknown, by the value that decided.
pub(crate) fn cause(value: Value<'_>, verdict: Verdict) -> Option<Cause> {
    match (verdict, value) {
        (Verdict::Unknown, Value::Unknown(reason)) => Some(Cause::of(reason.kind)),
        (Verdict::Unknown, Value::Absent) => Some(Cause::Absent),
        (Verdict::Unknown, _) => Some(Cause::Judging),
        _ => None,
    }
}

/// Whether a result would be another without the facts and limits of low confidence. What is unknown rests on none.
pub(crate) fn rests_on_low(value: Value<'_>, sure: Value<'_>) -> bool {
    match (value, sure) {
        (Value::Bool(value), Value::Bool(sure)) => value != sure,
        (Value::Absent, Value::Absent) | (Value::Unknown(_), _) => false,
        _ => true,
    }
}

/// The comparisons that decided.
pub(crate) fn comparisons(trace: &crate::expr::Trace<'_>) -> Vec<Made> {
    let made = |compared: &crate::expr::Compared<'_>| Made {
        left: compared.left_text.to_owned(),
        comparison: compared.comparison,
        right: compared.right_text.to_owned(),
        left_value: json(compared.left),
        right_value: json(compared.right),
        left_shown: shown(compared.left, compared.left_type),
        right_shown: shown(compared.right, compared.right_type),
        unit: compared.left_type.dimension().map_or("", crate::units::Dimension::base_unit),
        holds: match compared.result {
            Value::Bool(holds) => Some(holds),
            Value::Low(low) => matches!(low.value, Value::Bool(_)).then_some(matches!(low.value, Value::Bool(true))),
            _ => None,
        },
    };
    trace.comparisons.iter().map(made).collect()
}

/// A waiver as a finding shows it.
pub(crate) fn waived(waiver: &Waiver) -> Waived {
    Waived { reason: waiver.reason.clone(), owner: waiver.owner.clone(), expires: waiver.expires.to_string() }
}

/// A finding of a check under a variant; the node is filled in when the nodes have their names.
pub(crate) fn finding(check: &Check, variant: &Variant, subject: String, verdict: Verdict, message: String) -> Finding {
    let limits = variant.limits.iter().map(|limit| Limit {
        name: limit.name.clone(),
        shown: limit.value.shown(),
        layer: limit.layer.clone(),
    });
    Finding {
        check: check.id.clone(),
        title: check.title.clone(),
        node: String::new(),
        subject,
        verdict,
        level: variant.level,
        waived: None,
        message,
        cause: None,
        evidence: Vec::new(),
        evidence_left_out: 0,
        comparisons: Vec::new(),
        limits: limits.collect(),
        why: check.why.clone(),
        fix: check.fix.clone(),
        sources: check.sources.clone(),
        low_confidence: false,
    }
}

/// The verdict of a check whose variant cannot be told, or that cannot be judged for another reason.
pub(crate) fn undetermined(check: &Check, variants: &[Variant], reason: &str, cause: Cause) -> Option<Finding> {
    let strictest = variants.iter().min_by_key(|variant| variant.level)?;
    let message = format!("it cannot be told what is demanded: {reason}");
    let mut finding = finding(check, strictest, "node".to_owned(), Verdict::Unknown, message);
    finding.cause = Some(cause);
    Some(finding)
}
