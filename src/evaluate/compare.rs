//! Comparing subjects with each other: equal, unique, or standing apart from the peers.
//!
//! Works on what was kept of each subject, not on the subjects: whom it finds is told by place, and the finding itself
//! is written where the facts are at hand. Blames nobody where there is no majority.

use super::own::{Own, Texts, Why};
use crate::rules::check::{Kind, Outlier};
use crate::rules::raw::check::Side;
use crate::view::{ReasonKind, Value};
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// A subject as far as it is compared. Kept of every node: small, and equal lists of them are kept once ([`Lists`]).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// Its place among the subjects of its node.
    pub(crate) place: u32,
    /// With whom it is compared.
    pub(crate) group: Group,
    /// What is compared.
    pub(crate) state: State,
    /// The waiver that answers for it, should it be found.
    pub(crate) waived: Option<u32>,
}

/// Lists of members kept once: most nodes of a cluster are alike.
#[derive(Default)]
pub(crate) struct Lists {
    known: Mutex<HashMap<u64, Vec<Arc<[Member]>>>>,
}

impl Lists {
    pub(crate) fn keep(&self, members: Vec<Member>) -> Arc<[Member]> {
        if members.iter().any(Member::is_unlike_others) {
            return members.into();
        }
        let mut hasher = DefaultHasher::new();
        members.iter().for_each(|member| member.hash(&mut hasher));
        // A thread that panicked while it held the lock left the map whole.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let alike = known.entry(hasher.finish()).or_default();
        if let Some(list) = alike.iter().find(|list| list.as_ref() == members.as_slice()) {
            return Arc::clone(list);
        }
        let list: Arc<[Member]> = members.into();
        alike.push(Arc::clone(&list));
        list
    }
}

impl Member {
    /// The waiver that answers for it.
    pub(crate) fn waiver(&self) -> Option<usize> {
        self.waived.map(|index| index as usize)
    }

    /// What has to be unique is equal to nothing, so there is nothing to keep once.
    fn is_unlike_others(&self) -> bool {
        matches!(&self.state, State::Value { key: Key::Digest(_), .. })
    }
}

impl Hash for Member {
    /// Of what tells most lists apart; the values themselves follow from their keys.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.place.hash(hasher);
        self.group.hash(hasher);
        match &self.state {
            State::Value { key, low, .. } => (key, low).hash(hasher),
            State::Absent { low } => low.hash(hasher),
            State::Unknown(why) => why.text.hash(hasher),
        }
    }
}

/// What two values are equal by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Key {
    /// The value as text.
    Text(Arc<str>),
    /// Half of the SHA-256 of that: values that are all different would fill the memory otherwise.
    Digest([u8; 16]),
}

/// With whom a subject is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Group {
    /// None: it cannot be told, it has no such key, or it is not known whether the check applies.
    None,
    /// With all.
    All,
    /// With those of this key.
    Of(Arc<str>),
}

/// What is compared of a subject.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum State {
    /// A value, by its key; with it the value where it is shown or calculated with.
    Value { key: Key, own: Option<Arc<Own>>, low: bool },
    /// It has none, or belongs to no group for want of a key.
    Absent { low: bool },
    /// It could not be told.
    Unknown(Why),
}

impl State {
    pub(crate) fn of_unknown(value: Value<'_>, texts: &Texts) -> Self {
        Self::Unknown(match value {
            Value::Unknown(reason) => Why::of(reason, texts),
            _ => Why::new(ReasonKind::Absent, "a fact that decides whether this applies is absent", texts),
        })
    }

    /// Values that are all different are told apart by a digest: as many texts as subjects would be kept otherwise.
    pub(crate) fn value(own: &Own, kind: &Kind, low: bool, texts: &Texts) -> Self {
        match kind {
            Kind::Unique(_) => {
                let key = Key::Digest(crate::rules::digest::of_text(&own.key()).half());
                Self::Value { key, own: None, low }
            }
            _ => Self::Value { key: Key::Text(texts.keep(&own.key())), own: Some(Arc::new(own.clone())), low },
        }
    }
}

/// A member of one of the nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed<'m> {
    /// The place of its node in the run.
    pub(crate) node: usize,
    /// It.
    pub(crate) member: &'m Member,
}

/// What comparing found.
#[derive(Debug)]
pub(crate) enum Found<'m> {
    /// One subject differs from the majority, or stands apart.
    Odd { who: Placed<'m>, special: Special },
    /// There is no majority: every side with its members.
    Split { sides: Vec<(Option<Own>, Vec<Placed<'m>>)>, low: bool },
    /// Several subjects share what they may not.
    Shared { holders: Vec<Placed<'m>>, low: bool },
    /// A subject whose value is not known.
    Unknown { who: Placed<'m>, why: Why },
    /// A subject that has no such value.
    Absent { who: Placed<'m>, low: bool },
    /// A group in which all is well as far as it is known; `whole` if everything is.
    Well { members: Vec<Placed<'m>>, value: Option<Own>, whole: bool, low: bool },
    /// A group that is too small to judge; `whole` if everything in it is known.
    TooFew { members: Vec<Placed<'m>>, whole: bool, needed: usize },
}

/// What the message of a comparison sees beside the subject.
#[derive(Debug, Clone)]
pub(crate) struct Special {
    /// The values of [`Kind::names`] after the first, which is the subject's own value.
    pub(crate) values: Vec<Own>,
    /// The value that most have, or the median.
    pub(crate) reference: Own,
    /// How many have it, of how many.
    pub(crate) agreeing: usize,
    pub(crate) members: usize,
    /// It rests on facts of low confidence.
    pub(crate) low: bool,
}

/// Compares the members of all groups. The order of nodes does not matter: members come sorted by node and place.
pub(crate) fn compare<'m>(kind: &Kind, members: &[Placed<'m>], within_node: bool, gap: bool) -> Vec<Found<'m>> {
    if let ([only], false) = (members, gap) {
        // Alone it has nothing to differ from, whatever its value.
        return vec![Found::TooFew { members: vec![*only], whole: true, needed: 2 }];
    }
    let mut found = Vec::new();
    let mut groups: BTreeMap<(usize, &Group), Vec<Placed<'m>>> = BTreeMap::new();
    let mut nowhere: Vec<Placed<'m>> = Vec::new();
    for placed in members {
        match &placed.member.group {
            Group::None => nowhere.push(*placed),
            group => groups.entry((if within_node { placed.node } else { 0 }, group)).or_default().push(*placed),
        }
    }
    for placed in &nowhere {
        match &placed.member.state {
            State::Unknown(why) => found.push(Found::Unknown { who: *placed, why: why.clone() }),
            State::Absent { low } => found.push(Found::Absent { who: *placed, low: *low }),
            State::Value { .. } => {}
        }
    }
    // Of what is in no group for certain, no group lacks anything.
    nowhere.retain(|placed| matches!(placed.member.state, State::Unknown(_)));
    for ((node, _), group) in groups {
        let stray = nowhere.iter().any(|placed| !within_node || placed.node == node);
        let mut known = Vec::new();
        let mut whole = !gap && !stray;
        for placed in &group {
            match &placed.member.state {
                State::Value { .. } => known.push(*placed),
                State::Absent { low } => found.push(Found::Absent { who: *placed, low: *low }),
                State::Unknown(why) => {
                    whole = false;
                    found.push(Found::Unknown { who: *placed, why: why.clone() });
                }
            }
        }
        let mut here = within(kind, &known, whole);
        if known.iter().any(is_low) {
            // A failure stands if it is one without them too: those of low confidence are then not known, the others
            // are judged all the same.
            let sure: Vec<Placed<'m>> = known.iter().filter(|placed| !is_low(placed)).copied().collect();
            mark_low(&mut here, &within(kind, &sure, false));
        }
        found.append(&mut here);
    }
    found
}

fn within<'m>(kind: &Kind, known: &[Placed<'m>], whole: bool) -> Vec<Found<'m>> {
    let mut found = Vec::new();
    match kind {
        Kind::Assert(_) => {}
        Kind::Uniform(_) => uniform(known, whole, &mut found),
        Kind::Unique(_) => unique(known, whole, &mut found),
        Kind::Outlier(_, outlier) => outliers(known, whole, *outlier, &mut found),
    }
    found
}

/// Marks what would not be found without the subjects of low confidence.
fn mark_low(found: &mut [Found<'_>], sure: &[Found<'_>]) {
    let same = |a: &Placed<'_>, b: &Placed<'_>| (a.node, a.member.place) == (b.node, b.member.place);
    for found in found {
        match found {
            Found::Odd { who, special } => {
                special.low = !sure.iter().any(|other| match other {
                    Found::Odd { who: other, .. } => same(who, other),
                    Found::Split { sides, .. } => sides.iter().flat_map(|(_, side)| side).any(|other| same(who, other)),
                    _ => false,
                });
            }
            Found::Split { low, .. } => {
                *low = !sure.iter().any(|other| matches!(other, Found::Split { .. } | Found::Odd { .. }));
            }
            Found::Shared { holders, low } => *low = holders.iter().filter(|holder| !is_low(holder)).count() < 2,
            Found::Well { low, .. } => *low = true,
            Found::Unknown { .. } | Found::Absent { .. } | Found::TooFew { .. } => {}
        }
    }
}

fn by_value<'m>(known: &[Placed<'m>]) -> BTreeMap<&'m Key, Vec<Placed<'m>>> {
    let mut sides: BTreeMap<&Key, Vec<Placed<'m>>> = BTreeMap::new();
    for placed in known {
        if let State::Value { key, .. } = &placed.member.state {
            sides.entry(key).or_default().push(*placed);
        }
    }
    sides
}

fn own(placed: Placed<'_>) -> Option<Own> {
    match &placed.member.state {
        State::Value { own, .. } => own.as_deref().cloned(),
        _ => None,
    }
}

fn is_low(placed: &Placed<'_>) -> bool {
    matches!(placed.member.state, State::Value { low: true, .. })
}

fn uniform<'m>(known: &[Placed<'m>], whole: bool, found: &mut Vec<Found<'m>>) {
    if known.len() < 2 {
        return too_few(known, whole, 2, found);
    }
    let sides = by_value(known);
    let most = sides.values().map(Vec::len).max().unwrap_or_default();
    let largest: Vec<&Vec<Placed<'m>>> = sides.values().filter(|side| side.len() == most).collect();
    match largest.as_slice() {
        [all] if all.len() == known.len() => {
            let value = all.first().and_then(|first| own(*first));
            found.push(Found::Well { members: known.to_vec(), value, whole, low: false });
        }
        [majority] => {
            let Some(reference) = majority.first().and_then(|first| own(*first)) else { return };
            for side in sides.values().filter(|side| side.len() < most) {
                for who in side {
                    let counts = [majority.len(), known.len()].map(|count| Own::Int(count as i64));
                    let values = std::iter::once(reference.clone()).chain(counts).collect();
                    found.push(Found::Odd {
                        who: *who,
                        special: Special {
                            values,
                            reference: reference.clone(),
                            agreeing: majority.len(),
                            members: known.len(),
                            low: false,
                        },
                    });
                }
            }
        }
        _ => {
            let mut sides: Vec<_> =
                sides.into_values().map(|side| (side.first().and_then(|first| own(*first)), side)).collect();
            sides.sort_by_key(|(_, side)| std::cmp::Reverse(side.len()));
            found.push(Found::Split { sides, low: false });
        }
    }
}

/// Where nothing is known, what is not known has been told of each.
fn too_few<'m>(known: &[Placed<'m>], whole: bool, needed: usize, found: &mut Vec<Found<'m>>) {
    if !known.is_empty() {
        found.push(Found::TooFew { members: known.to_vec(), whole, needed });
    }
}

fn unique<'m>(known: &[Placed<'m>], whole: bool, found: &mut Vec<Found<'m>>) {
    if known.len() < 2 {
        return too_few(known, whole, 2, found);
    }
    let mut shared = false;
    for (_, holders) in by_value(known) {
        if holders.len() > 1 {
            shared = true;
            found.push(Found::Shared { holders, low: false });
        }
    }
    if !shared {
        found.push(Found::Well { members: known.to_vec(), value: None, whole, low: false });
    }
}

/// Median and median absolute deviation of the peers, with a floor relative to the median for peers that are all alike.
fn outliers<'m>(known: &[Placed<'m>], whole: bool, rule: Outlier, found: &mut Vec<Found<'m>>) {
    let needed = rule.min_n as usize;
    let numbers: Vec<(Placed<'m>, f64)> = known
        .iter()
        .filter_map(|placed| match own(*placed)?.plain() {
            Own::Int(value) => Some((*placed, *value as f64)),
            Own::Double(value) => Some((*placed, *value)),
            _ => None,
        })
        .collect();
    if numbers.len() < needed.max(1) {
        return too_few(known, whole, needed, found);
    }
    /// Makes the median absolute deviation of a normal distribution its standard deviation: 1 / Φ⁻¹(3/4).
    const SCALE: f64 = 1.482_602_218_505_602;
    let median = middle(numbers.iter().map(|(_, value)| *value));
    let mad = SCALE * middle(numbers.iter().map(|(_, value)| (value - median).abs()));
    let allowed = (f64::from(rule.deviations) * mad).max(rule.floor * median.abs());
    let mut apart = false;
    for (who, value) in &numbers {
        let distance = value - median;
        let bad = match rule.side {
            Side::Both => distance.abs() > allowed,
            Side::Low => -distance > allowed,
            Side::High => distance > allowed,
        };
        if bad {
            apart = true;
            let ratio = if median == 0.0 {
                Own::Unknown(Why { text: "the median is 0".into(), kind: ReasonKind::Arithmetic })
            } else {
                Own::Double(distance / median)
            };
            let reference = Own::Double(median);
            found.push(Found::Odd {
                who: *who,
                special: Special {
                    values: vec![reference.clone(), ratio, Own::Int(numbers.len() as i64)],
                    reference,
                    agreeing: 0,
                    members: numbers.len(),
                    low: false,
                },
            });
        }
    }
    if !apart {
        found.push(Found::Well { members: known.to_vec(), value: Some(Own::Double(median)), whole, low: false });
    }
}

/// The middle of some numbers, of which there is at least one; of an even number the mean of the two.
fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let at = |place: usize| values.get(place).copied().unwrap_or(f64::NAN);
    if values.len() % 2 == 1 { at(half) } else { f64::midpoint(at(half.saturating_sub(1)), at(half)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(place: u32, key: Key) -> Member {
        let own = matches!(key, Key::Text(_)).then(|| Arc::new(Own::Int(1)));
        Member { place, group: Group::All, state: State::Value { key, own, low: false }, waived: None }
    }

    /// Ten thousand nodes keep some hundred of them each (docs/architecture.md).
    #[test]
    fn a_member_is_small() {
        assert!(size_of::<Member>() <= 88, "{}", size_of::<Member>());
    }

    #[test]
    fn lists_that_are_equal_are_kept_once() {
        let lists = Lists::default();
        let alike = || vec![member(0, Key::Text("a".into())), member(1, Key::Text("b".into()))];
        let first = lists.keep(alike());
        assert!(Arc::ptr_eq(&first, &lists.keep(alike())));
        let other = lists.keep(vec![member(0, Key::Text("a".into())), member(1, Key::Text("c".into()))]);
        assert!(!Arc::ptr_eq(&first, &other));
        assert_eq!(other.len(), 2);
        // Equal keys of values that differ in what is shown of them are two lists.
        let mut shown = alike();
        if let Some(Member { state: State::Value { own, .. }, .. }) = shown.first_mut() {
            *own = Some(Arc::new(Own::Int(2)));
        }
        assert!(!Arc::ptr_eq(&first, &lists.keep(shown)));
        // What has to be unique is not looked for among others.
        let unique = || vec![member(0, Key::Digest([7; 16]))];
        assert!(!Arc::ptr_eq(&lists.keep(unique()), &lists.keep(unique())));
    }
}
