//! What several layers together demand of one check: base, solution, platform, site, in this order.
//!
//! A later layer may tighten freely. To relax it has to say why and whence; a platform cannot relax what a solution
//! demands. Every limit keeps the name of the layer that set it. Compares levels and limits only: evaluates nothing.

use crate::rules::check::Check;
use crate::rules::limit::Value;
use crate::rules::pack::{Condition, DemandCase, PackKind};
use crate::rules::raw::check::Stricter;
use crate::rules::source::Span;
use crate::verdict::Level;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Combinations of cases of one check over all layers.
const MAX_VARIANTS: usize = 400;

/// The name of the layer that a site file makes.
pub const SITE: &str = "site";

/// The layer of a value that no pack sets.
pub const CHECK: &str = "check";

/// What is demanded of a check if all conditions hold. Of several the first that holds counts; one that cannot be
/// told makes the check unknown.
#[derive(Debug, Clone)]
pub struct Variant {
    /// All of them have to hold; none: it always does.
    pub when: Vec<Arc<Condition>>,
    /// The level.
    pub level: Level,
    /// The layer that set it.
    pub level_layer: String,
    /// The value of every param, in the order of the check.
    pub limits: Vec<Effective>,
    /// Whether it fails if nothing is left to judge.
    pub require_subject: bool,
    /// The layer that set it.
    pub require_subject_layer: String,
    /// Where it is milder than an earlier layer demands.
    pub relaxed: Vec<Relaxation>,
}

impl Variant {
    /// Whether the other demands the same, whoever set it.
    pub(crate) fn demands_as(&self, other: &Self) -> bool {
        let values = |variant: &Self| variant.limits.iter().map(|limit| limit.value.clone()).collect::<Vec<_>>();
        self.level == other.level && self.require_subject == other.require_subject && values(self) == values(other)
    }

    /// Of two different demands on one check, which is told first: the stricter level, else by the limits as shown.
    pub(crate) fn order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |variant: &Self| {
            let limits: Vec<String> = variant.limits.iter().map(|limit| limit.value.shown()).collect();
            (variant.level, !variant.require_subject, limits)
        };
        key(self).cmp(&key(other))
    }
}

/// The value of a param and the layer that set it.
#[derive(Debug, Clone)]
pub struct Effective {
    /// The param.
    pub name: String,
    /// The value.
    pub value: Value,
    /// The layer.
    pub layer: String,
    /// It rests on memory or one unconfirmed report.
    pub low_confidence: bool,
}

/// One place where a layer demands less than an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Relaxation {
    /// The check, or the figure of a pack.
    pub check: String,
    /// The layer that relaxes.
    pub layer: String,
    /// What it relaxes: "level", "require_subject" or the param.
    pub what: String,
    /// What was demanded, as a person reads it.
    pub from: String,
    /// The layer that demanded it.
    pub from_layer: String,
    /// What is demanded instead.
    pub to: String,
    /// Why.
    pub because: String,
    /// Where that comes from; empty if none is named.
    pub source: String,
}

/// A layer as far as one check goes.
pub(crate) struct Demand<'a> {
    pub(crate) layer: &'a str,
    /// `None` for the site.
    pub(crate) kind: Option<PackKind>,
    pub(crate) cases: &'a [DemandCase],
}

/// A relaxation that lacks its reason, and its place.
pub(crate) struct Unfounded {
    pub(crate) span: Span,
    pub(crate) relaxation: Relaxation,
    /// What it lacks: "`because` and `source`".
    pub(crate) lacks: &'static str,
}

/// What the layers demand together.
pub(crate) struct Combined {
    pub(crate) variants: Vec<Variant>,
    /// Of the last layer.
    pub(crate) unfounded: Vec<Unfounded>,
    /// There are too many combinations; the variants are not all.
    pub(crate) too_many: bool,
}

#[derive(Clone)]
struct State {
    when: Vec<Arc<Condition>>,
    /// By the key of a condition: what it has to be for this combination.
    assumed: BTreeMap<String, bool>,
    settled: Variant,
    listed: bool,
    /// A solution demands it.
    of_solution: bool,
}

/// Combines the demands of layers in order.
pub(crate) fn combine(check: &Check, layers: &[Demand<'_>]) -> Combined {
    let mut out = Combined { variants: Vec::new(), unfounded: Vec::new(), too_many: false };
    let mut states = vec![undemanded(check)];
    for layer in layers {
        let mut next = Vec::new();
        out.unfounded.clear();
        for state in &states {
            step(check, state, layer, &mut next, &mut out.unfounded);
            if next.len() > MAX_VARIANTS {
                out.too_many = true;
                next.truncate(MAX_VARIANTS);
                break;
            }
        }
        states = next;
    }
    out.variants = states.into_iter().filter(|state| state.listed).map(|state| state.settled).collect();
    out
}

/// Before any layer: the check's own level and limits, which nobody demands.
fn undemanded(check: &Check) -> State {
    let limits = check.params.iter().map(|param| Effective {
        name: param.name.clone(),
        value: param.default.clone(),
        layer: CHECK.to_owned(),
        low_confidence: param.low_confidence,
    });
    let settled = Variant {
        when: Vec::new(),
        level: check.level,
        level_layer: CHECK.to_owned(),
        limits: limits.collect(),
        require_subject: false,
        require_subject_layer: CHECK.to_owned(),
        relaxed: Vec::new(),
    };
    State { when: Vec::new(), assumed: BTreeMap::new(), settled, listed: false, of_solution: false }
}

/// All that may become of a combination by one more layer, in the order in which cases are tried.
fn step(check: &Check, state: &State, layer: &Demand<'_>, next: &mut Vec<State>, unfounded: &mut Vec<Unfounded>) {
    let mut assumed = state.assumed.clone();
    for case in layer.cases {
        let mut taken = state.clone();
        taken.assumed.clone_from(&assumed);
        if let Some(condition) = &case.when {
            let key = condition.key();
            match assumed.get(&key) {
                // It is known not to hold.
                Some(false) => continue,
                Some(true) => {}
                None => {
                    taken.when.push(Arc::clone(condition));
                    taken.assumed.insert(key.clone(), true);
                    assumed.insert(key, false);
                }
            }
        }
        let always = case.when.as_ref().is_none_or(|condition| assumed.get(&condition.key()) == Some(&true));
        apply(check, &mut taken, layer, case, unfounded);
        next.push(taken);
        if always {
            return;
        }
    }
    let mut passed = state.clone();
    passed.assumed = assumed;
    next.push(passed);
}

/// Sets what the case sets, and notes where it is milder.
fn apply(check: &Check, state: &mut State, layer: &Demand<'_>, case: &DemandCase, unfounded: &mut Vec<Unfounded>) {
    let refused = layer.kind == Some(PackKind::Platform) && state.of_solution;
    let listed = state.listed;
    let mut milder =
        |relaxed: &mut Vec<Relaxation>, what: &str, from: (String, &str), to: String, span: Span| -> bool {
            if refused {
                return false;
            }
            let relaxation = Relaxation {
                check: check.id.clone(),
                layer: layer.layer.to_owned(),
                what: what.to_owned(),
                from: from.0,
                from_layer: from.1.to_owned(),
                to,
                because: case.because.clone().unwrap_or_default(),
                source: case.source.clone().unwrap_or_default(),
            };
            let lacks = match (&case.because, &case.source, layer.kind) {
                (Some(_), Some(_), _) | (Some(_), None, None) => None,
                (Some(_), None, _) => Some("`source`"),
                (None, Some(_), _) | (None, None, None) => Some("`because`"),
                (None, None, Some(_)) => Some("`because` and `source`"),
            };
            if let Some(lacks) = lacks {
                unfounded.push(Unfounded { span, relaxation: relaxation.clone(), lacks });
            }
            relaxed.push(relaxation);
            true
        };

    let settled = &mut state.settled;
    if let Some((level, span)) = case.level {
        // Must comes first in the order of levels.
        let is_milder = listed && level > settled.level;
        let from = (settled.level.word().to_owned(), settled.level_layer.as_str());
        let to = level.word().to_owned();
        if !is_milder || milder(&mut settled.relaxed, "level", from, to, span) {
            if level != settled.level || !listed {
                layer.layer.clone_into(&mut settled.level_layer);
            }
            settled.level = level;
        }
    }
    for setting in &case.settings {
        let stricter =
            check.params.iter().find(|param| param.name == setting.name).map_or(Stricter::None, |param| param.stricter);
        let Some(limit) = settled.limits.iter_mut().find(|limit| limit.name == setting.name) else {
            continue;
        };
        // Of a limit without a direction the site cannot show that its value is not milder.
        let undirected = stricter == Stricter::None && layer.kind.is_none() && setting.value != limit.value;
        let is_milder = listed && (undirected || setting.value.is_milder(&limit.value, stricter));
        let from = (limit.value.shown(), limit.layer.as_str());
        let to = setting.value.shown();
        if !is_milder || milder(&mut settled.relaxed, &setting.name, from, to, setting.span) {
            *limit = Effective {
                name: setting.name.clone(),
                value: setting.value.clone(),
                layer: layer.layer.to_owned(),
                low_confidence: setting.low_confidence,
            };
        }
    }
    if let Some((required, span)) = case.require_subject {
        let is_milder = listed && settled.require_subject && !required;
        let from = ("true".to_owned(), settled.require_subject_layer.as_str());
        if !is_milder || milder(&mut settled.relaxed, "require_subject", from, "false".to_owned(), span) {
            settled.require_subject = required;
            layer.layer.clone_into(&mut settled.require_subject_layer);
        }
    }
    state.listed = true;
    state.of_solution |= layer.kind == Some(PackKind::Solution);
    state.settled.when.clone_from(&state.when);
}
