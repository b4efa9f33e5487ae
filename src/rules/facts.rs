//! The facts that rules may speak of, and the names under which expressions see them.
//!
//! Two schemas: the whole, and what is known before roles are given, so that a rule for a role cannot ask for one.

use crate::inventory::Node;
use crate::reading::{FactType, FieldType, Leaf, Record};
use crate::rules::expression::{Field, Schema, Type};
use crate::rules::limit::Param;
use crate::rules::raw::check::ParamType;
use crate::rules::raw::knowledge::{DriveClass, DriveUse};
use crate::rules::raw::pack::{DriveRole, NicRole};
use crate::rules::subject::Subject;
use crate::units::Dimension;

/// The facts of a stage of judging.
#[derive(Debug, Clone)]
pub struct Facts {
    /// Every record; records that are no facts, such as the params of a check, are added while compiling.
    pub schema: Schema,
    /// `node`.
    pub node: Type,
    /// `site`.
    pub site: Type,
}

/// The fields that roles add to records, by record. `None` as a value does not exist: a thing without a role is
/// unassigned.
#[must_use]
pub fn role_fields() -> Vec<(&'static str, FieldType)> {
    let role = |fact| FieldType { name: "role", doc: "What it is meant for, by the rules of site and packs.", fact };
    vec![("Drive", role(DriveRole::leaf_type())), ("Nic", role(NicRole::leaf_type()))]
}

/// The fields that the knowledge base adds to records, by record. None is ever absent: without a row for the model they
/// are unknown.
#[must_use]
pub fn knowledge_fields() -> Vec<(&'static str, FieldType)> {
    let field = |name, doc, fact| ("Drive", FieldType { name, doc, fact });
    let quantity = FactType::Quantity;
    vec![
        field("class", "What its model is made for. Knowledge base.", DriveClass::leaf_type()),
        field(
            "power_loss_protection",
            "Its model holds what it acknowledged when the power goes. Knowledge base.",
            FactType::Bool,
        ),
        field("endurance", "Rated drive writes a day of its model. Knowledge base.", quantity(Dimension::Dwpd)),
        field("use", "Workload that its model is rated for. Knowledge base.", DriveUse::leaf_type()),
        field("random_read", "Rated 4 KiB random reads of its model. Knowledge base.", quantity(Dimension::Iops)),
        field("random_write", "Rated 4 KiB random writes of its model. Knowledge base.", quantity(Dimension::Iops)),
        field(
            "sequential_read",
            "Rated sequential read of its model. Knowledge base.",
            quantity(Dimension::BytesPerSecond),
        ),
        field(
            "sequential_write",
            "Rated sequential write of its model. Knowledge base.",
            quantity(Dimension::BytesPerSecond),
        ),
    ]
}

impl Facts {
    /// What is known before roles are given: raw facts and knowledge.
    #[must_use]
    pub fn before_roles() -> Self {
        let mut schema = Schema::new();
        let node = schema.fact(&FactType::Record(Node::record_type()));
        let site = schema.record(
            "Site",
            vec![Field {
                name: "working_set".to_owned(),
                ty: Type::Number(Dimension::Bytes),
                doc: "Planned working set of one node, by the site file; absent if it says nothing.".to_owned(),
            }],
        );
        for (record, field) in knowledge_fields() {
            // Fails only if the record is not there or has such a field: held by a test.
            let _ = schema.extend(record, &[field]);
        }
        Self { schema, node, site }
    }

    /// All that checks see.
    #[must_use]
    pub fn whole() -> Self {
        let mut facts = Self::before_roles();
        for (record, field) in role_fields() {
            // Fails only if the record is not there or has such a field: held by a test.
            let _ = facts.schema.extend(record, &[field]);
        }
        facts
    }

    /// The type of one element of a kind of thing; `None` if nothing is known of it.
    pub(crate) fn element(&mut self, subject: &str) -> Option<Type> {
        let record = Subject::named(subject)?.record()?;
        Some(self.schema.fact(&FactType::Record(record)))
    }

    /// The record of params.
    pub(crate) fn params(&mut self, owner: &str, params: &[Param], broken: &[String]) -> Type {
        let field = |name: &String, ty: Type, doc: &str| Field { name: name.clone(), ty, doc: doc.to_owned() };
        let good = params.iter().map(|param| field(&param.name, type_of(param.ty), &param.doc));
        let fields = good.chain(broken.iter().map(|name| field(name, Type::Any, ""))).collect();
        self.schema.record(Self::params_name(owner), fields)
    }

    /// The name of that record.
    pub(crate) fn params_name(owner: &str) -> String {
        format!("params of {owner}")
    }
}

/// The type that a param has in expressions.
pub(crate) fn type_of(ty: ParamType) -> Type {
    match ty {
        ParamType::Bool => Type::Bool,
        ParamType::Int => Type::Int,
        ParamType::Quantity(dimension) => Type::Number(dimension),
        ParamType::Text => Type::Text,
        ParamType::Texts => Type::List(Box::new(Type::Text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_known_to_checks_and_not_to_rules_for_roles() {
        let has = |mut facts: Facts, subject: &str, name: &str| {
            let Some(Type::Record(record)) = facts.element(subject) else { panic!("no {subject}") };
            facts.schema.fields(record).iter().any(|field| field.name == name)
        };
        for subject in ["drive", "nic"] {
            assert!(has(Facts::whole(), subject, "role"));
            assert!(!has(Facts::before_roles(), subject, "role"));
        }
        for (_, field) in knowledge_fields() {
            assert!(has(Facts::before_roles(), "drive", field.name), "{}", field.name);
        }
    }
}
