//! From facts as they were read to what is known of each thing: the knowledge base is asked by model.
//!
//! Adds facts and changes none. What no row tells is unknown, never absent: the lack of a row says nothing about a
//! drive. Knows no role and no check.

use crate::rules::facts::knowledge_fields;
use crate::rules::knowledge::{Figure, Knowledge, Known};
use crate::view::{Reason, ReasonKind, Value, map_items, with_fields};
use bumpalo::Bump;

/// The node with what is known of its drives. Where a fact comes from stands in the drive's `sources` as text.
pub(crate) fn enrich<'a>(
    node: Value<'a>,
    knowledge: &Knowledge,
    not_collected: &'a Reason<'a>,
    arena: &'a Bump,
) -> Value<'a> {
    let Some(drives) = node.field("drives") else { return node };
    let drives = map_items(drives, |drive| of_drive(drive, knowledge, not_collected, arena), arena);
    with_fields(node, &[("drives", drives)], arena)
}

fn of_drive<'a>(drive: Value<'a>, knowledge: &Knowledge, not_collected: &'a Reason<'a>, arena: &'a Bump) -> Value<'a> {
    let nothing = match drive.field("model") {
        Some(Value::Text(model)) => return of_model(drive, model, knowledge, arena),
        Some(unknown @ Value::Unknown(_)) => unknown,
        Some(_) => {
            Value::unknown(ReasonKind::Knowledge, "the drive names no model to ask the knowledge base for", arena)
        }
        None => Value::Unknown(not_collected),
    };
    let fields = knowledge_fields();
    let fields: Vec<(&str, Value<'a>)> = fields.iter().map(|(_, field)| (field.name, nothing)).collect();
    with_fields(drive, &fields, arena)
}

fn of_model<'a>(drive: Value<'a>, model: &str, knowledge: &Knowledge, arena: &'a Bump) -> Value<'a> {
    let answer = knowledge.drive(model);
    let mut fields: Vec<(&str, Value<'a>)> = Vec::with_capacity(answer.len() + 1);
    let mut sources: Vec<(&str, Value<'a>)> = Vec::with_capacity(answer.len());
    for (name, known) in answer.iter() {
        let (value, source) = match known {
            Known::Untold(why) => (Value::unknown(ReasonKind::Knowledge, why, arena), "knowledge base"),
            Known::Told { figure, is_low, source } => {
                let value = match figure {
                    Figure::Word(word) => Value::Text(word),
                    Figure::Flag(flag) => Value::Bool(*flag),
                    Figure::Quantity(number) => Value::Double(*number),
                };
                let source = &*arena.alloc_str(&format!("knowledge: {source}"));
                if *is_low {
                    let reason = format!("{} of model {model} is known from memory alone", name.replace('_', " "));
                    (Value::low(value, &reason, arena), source)
                } else {
                    (value, source)
                }
            }
        };
        fields.push((name, value));
        sources.push((name, Value::Text(source)));
    }
    let read = drive.field("sources").unwrap_or(Value::Record(&[]));
    fields.push(("sources", with_fields(read, &sources, arena)));
    with_fields(drive, &fields, arena)
}
