//! What each drive and each network interface is meant for: the first role rule that holds, site before platform before
//! solution before base.
//!
//! Sees facts as they were read and what is known of models; gives the facts that checks see. A rule that cannot be
//! told gives no role at all: to fall through to a later rule would be a guess. A role that rests on a fact of low
//! confidence is of low confidence itself.

use crate::expr::{Bindings, Fuel};
use crate::rules::effective::EffectivePack;
use crate::rules::pack::RoleRule;
use crate::rules::raw::pack::{DriveRole, NicRole};
use crate::rules::read::Choice;
use crate::view::{Reason, Value, map_items, with_fields};
use bumpalo::Bump;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What rules for roles see beside the thing itself.
pub(crate) struct Ground<'a> {
    /// `node` before roles.
    pub(crate) node: Value<'a>,
    /// `site`.
    pub(crate) site: Value<'a>,
    /// Why a fact that the schema knows is not there.
    pub(crate) not_collected: &'a Reason<'a>,
}

/// The collections whose things have roles.
const WITH_ROLES: [&str; 2] = ["drives", "nics"];

/// The node without the roles that are others in the same node seen by another pack.
pub(crate) fn doubt<'a>(node: Value<'a>, other: Value<'a>, unknown: Value<'a>, arena: &'a Bump) -> Value<'a> {
    let word = |thing: Option<&Value<'a>>| match thing?.field("role") {
        Some(Value::Text(role)) => Some(role),
        Some(Value::Low(low)) => match low.value {
            Value::Text(role) => Some(role),
            _ => None,
        },
        _ => None,
    };
    let mut fields = Vec::with_capacity(WITH_ROLES.len());
    for collection in WITH_ROLES {
        let Some(list) = node.field(collection) else { continue };
        let others = other.field(collection).and_then(|list| list.items()).unwrap_or_default();
        let mut place = 0;
        let doubted = |thing: Value<'a>| {
            let same = word(Some(&thing)) == word(others.get(place));
            place += 1;
            if same { thing } else { with_fields(thing, &[("role", unknown)], arena) }
        };
        fields.push((collection, map_items(list, doubted, arena)));
    }
    with_fields(node, &fields, arena)
}

/// Who decides over the roles of one kind of thing.
struct Deciding<'a, R> {
    rules: &'a [Arc<RoleRule<R>>],
    assigned: &'a BTreeMap<String, R>,
    pack: &'a EffectivePack,
}

/// The node with a `role` on each drive and each network interface.
pub(crate) fn assign<'a>(ground: &Ground<'a>, pack: &'a EffectivePack, arena: &'a Bump) -> Value<'a> {
    let drives = Deciding { rules: &pack.roles.drive, assigned: &pack.assigned.drives, pack };
    let nics = Deciding { rules: &pack.roles.nic, assigned: &pack.assigned.nics, pack };
    let mut fields = Vec::with_capacity(2);
    if let Some(list) = ground.node.field("drives") {
        fields.push(("drives", drives.given(list, DriveRole::Unassigned, ground, arena)));
    }
    if let Some(list) = ground.node.field("nics") {
        fields.push(("nics", nics.given(list, NicRole::Unassigned, ground, arena)));
    }
    with_fields(ground.node, &fields, arena)
}

impl<'a, R: Choice> Deciding<'a, R> {
    /// A collection with the role of each thing, and where it comes from.
    fn given(&self, list: Value<'a>, unassigned: R, ground: &Ground<'a>, arena: &'a Bump) -> Value<'a> {
        let with_role = |thing: Value<'a>| {
            let (role, source) = self.role(thing, unassigned, ground, arena);
            let sources = thing.field("sources").unwrap_or(Value::Record(&[]));
            let sources = with_fields(sources, &[("role", Value::Text(source))], arena);
            with_fields(thing, &[("role", role), ("sources", sources)], arena)
        };
        map_items(list, with_role, arena)
    }

    fn role(&self, thing: Value<'a>, unassigned: R, ground: &Ground<'a>, arena: &'a Bump) -> (Value<'a>, &'a str) {
        if let Some(Value::Text(name)) = thing.field("name")
            && let Some(role) = self.assigned.get(name)
        {
            return (Value::Text(role.word()), "assigned by name");
        }
        let mut read_low = false;
        let (role, rule) = self.first(thing, unassigned, ground, (false, &mut read_low), arena);
        let source = match rule {
            Some(rule) => arena.alloc_str(&format!("roles of {}: {}", rule.layer, rule.because)),
            None => "no rule for roles holds",
        };
        let Value::Text(word) = role else { return (role, source) };
        if !read_low {
            return (role, source);
        }
        let role = match self.first(thing, unassigned, ground, (true, &mut false), arena).0 {
            Value::Text(sure) if sure == word => role,
            Value::Unknown(reason) => Value::low(role, reason.text, arena),
            _ => Value::low(role, "its role rests on a fact of low confidence", arena),
        };
        (role, source)
    }

    /// The role by the first rule that holds, and that rule. `low`: whether facts of low confidence are taken for
    /// unknown, and whether one was read.
    fn first(
        &self,
        thing: Value<'a>,
        unassigned: R,
        ground: &Ground<'a>,
        low: (bool, &mut bool),
        arena: &'a Bump,
    ) -> (Value<'a>, Option<&'a RoleRule<R>>) {
        let (distrust_low, read_low) = low;
        for rule in self.rules {
            let params = params(self.pack, &rule.layer, arena);
            let slots = arena.alloc_slice_copy(&[ground.node, thing, ground.site, params]);
            let bindings = Bindings { distrust_low, ..Bindings::new(slots, ground.not_collected) };
            let outcome = rule.when.eval(&bindings, arena, Fuel::default());
            *read_low |= outcome.read_low;
            match outcome.value {
                Value::Bool(true) => return (Value::Text(rule.role.word()), Some(rule)),
                // A rule about something that the thing does not have does not hold.
                Value::Bool(false) | Value::Absent => {}
                unknown => return (unknown, Some(rule)),
            }
        }
        (Value::Text(unassigned.word()), None)
    }
}

/// The figures of a layer, as its conditions and rules see them.
pub(crate) fn params<'a>(pack: &'a EffectivePack, layer: &str, arena: &'a Bump) -> Value<'a> {
    let figures = pack.params.get(layer).map(Vec::as_slice).unwrap_or_default();
    limits(figures, arena)
}

/// Limits as the record `params`.
pub(crate) fn limits<'a>(limits: &'a [crate::rules::layers::Effective], arena: &'a Bump) -> Value<'a> {
    let fields: Vec<(&str, Value<'a>)> = limits
        .iter()
        .map(|limit| {
            let value = limit.value.in_arena(arena);
            let value = if limit.low_confidence {
                Value::low(value, &format!("the limit {} is of low confidence", limit.name), arena)
            } else {
                value
            };
            (limit.name.as_str(), value)
        })
        .collect();
    Value::record(&fields, arena)
}
