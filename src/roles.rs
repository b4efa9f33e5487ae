//! What each drive is meant for: the first role rule that holds, site before solution before platform before base.
//!
//! Sees facts as they were read and what is known of models; gives the facts that checks see. A rule that cannot be
//! told gives no role at all: to fall through to a later rule would be a guess.

use crate::expr::{Bindings, Fuel};
use crate::rules::effective::EffectivePack;
use crate::rules::raw::pack::DriveRole;
use crate::view::{Partial, Reason, Value, with_fields};
use bumpalo::Bump;

/// What rules for roles see beside the thing itself.
pub(crate) struct Ground<'a> {
    /// `node` before roles.
    pub(crate) node: Value<'a>,
    /// `site`.
    pub(crate) site: Value<'a>,
    /// Why a fact that the schema knows is not there.
    pub(crate) not_collected: &'a Reason<'a>,
}

/// The node with a `role` on each drive.
pub(crate) fn assign<'a>(ground: &Ground<'a>, pack: &'a EffectivePack, arena: &'a Bump) -> Value<'a> {
    each_drive(ground.node, arena, |_, drive| with_fields(drive, &[("role", role(ground, drive, pack, arena))], arena))
}

/// The node without the roles of the drives at these places.
pub(crate) fn doubt<'a>(node: Value<'a>, doubtful: &[bool], unknown: Value<'a>, arena: &'a Bump) -> Value<'a> {
    each_drive(node, arena, |place, drive| match doubtful.get(place) {
        Some(true) => with_fields(drive, &[("role", unknown)], arena),
        _ => drive,
    })
}

fn each_drive<'a>(
    node: Value<'a>,
    arena: &'a Bump,
    mut change: impl FnMut(usize, Value<'a>) -> Value<'a>,
) -> Value<'a> {
    let Some(drives) = node.field("drives") else { return node };
    let Some(items) = drives.items() else { return node };
    let items: Vec<Value<'a>> = items.iter().enumerate().map(|(place, drive)| change(place, *drive)).collect();
    let drives = match drives {
        Value::Partial(partial) => {
            Value::Partial(arena.alloc(Partial { items: arena.alloc_slice_copy(&items), ..*partial }))
        }
        _ => Value::list(&items, arena),
    };
    with_fields(node, &[("drives", drives)], arena)
}

fn role<'a>(ground: &Ground<'a>, drive: Value<'a>, pack: &'a EffectivePack, arena: &'a Bump) -> Value<'a> {
    if let Some(Value::Text(name)) = drive.field("name")
        && let Some(role) = pack.assigned.get(name)
    {
        return Value::Text(role.word());
    }
    for rule in &pack.roles.drive {
        let params = params(pack, &rule.layer, arena);
        let slots = arena.alloc_slice_copy(&[ground.node, drive, ground.site, params]);
        let bindings = Bindings::new(slots, ground.not_collected);
        let outcome = rule.when.eval(&bindings, arena, Fuel::default());
        match outcome.value {
            Value::Bool(true) => return Value::Text(rule.role.word()),
            Value::Bool(false) => {}
            // A rule about something that the drive does not have does not hold.
            Value::Absent => {}
            unknown => return unknown,
        }
    }
    Value::Text(DriveRole::Unassigned.word())
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
