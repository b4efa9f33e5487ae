//! Types and dimensions of expressions, and the schema of the facts they may read.

use crate::reading::{FactType, FieldType};
use crate::units::Dimension;
use crate::words::did_you_mean;
use std::fmt;

/// The type of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// Fits every other: of an element of an empty list, and of what is wrong and has been told.
    Any,
    /// True or false.
    Bool,
    /// A whole number without a unit.
    Int,
    /// A number with a unit, or one without that need not be whole.
    Number(Dimension),
    /// Text.
    Text,
    /// One of the words.
    Enum(&'static [&'static str]),
    /// A list.
    List(Box<Type>),
    /// A record of the schema.
    Record(ShapeId),
    /// What `group_by` makes: `key` and `items`, of these types.
    Group(Box<(Type, Type)>),
    /// What `count_by` makes: `key`, of this type, and `count`.
    Count(Box<Type>),
}

/// A record type of a [`Schema`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapeId(usize);

impl Type {
    /// What a number of this type measures; `None` if it is no number.
    #[must_use]
    pub fn dimension(&self) -> Option<Dimension> {
        match self {
            Self::Int => Some(Dimension::None),
            Self::Number(dimension) => Some(*dimension),
            _ => None,
        }
    }

    pub(crate) fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::Enum(_) | Self::Any)
    }

    /// The type of which both are; `None` if there is none.
    pub(crate) fn join(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Any, known) | (known, Self::Any) => Some(known.clone()),
            (left, right) if left == right => Some(left.clone()),
            (Self::Int | Self::Number(Dimension::None), Self::Int | Self::Number(Dimension::None)) => {
                Some(Self::Number(Dimension::None))
            }
            (Self::Number(Dimension::Ratio), Self::Int | Self::Number(Dimension::None))
            | (Self::Int | Self::Number(Dimension::None), Self::Number(Dimension::Ratio)) => {
                Some(Self::Number(Dimension::Ratio))
            }
            (Self::Text | Self::Enum(_), Self::Text) | (Self::Text, Self::Enum(_)) => Some(Self::Text),
            // Two enumerated facts that share a word may be the same word.
            (Self::Enum(left), Self::Enum(right)) => left.iter().any(|word| right.contains(word)).then_some(Self::Text),
            (Self::List(left), Self::List(right)) => left.join(right).map(|item| Self::List(Box::new(item))),
            (Self::Group(left), Self::Group(right)) => {
                Some(Self::Group(Box::new((left.0.join(&right.0)?, left.1.join(&right.1)?))))
            }
            (Self::Count(left), Self::Count(right)) => left.join(right).map(|key| Self::Count(Box::new(key))),
            _ => None,
        }
    }

    /// Whether values of this type can be told equal: not records, whose fields include ones nobody means.
    pub(crate) fn has_equality(&self) -> bool {
        match self {
            Self::List(item) => item.has_equality(),
            Self::Record(_) | Self::Group(_) | Self::Count(_) => false,
            _ => true,
        }
    }
}

/// How a dimension is told in messages.
pub(crate) fn measured(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::None => "a number",
        Dimension::Bytes => "a size in bytes",
        Dimension::BitsPerSecond => "a link rate in bits per second",
        Dimension::BytesPerSecond => "a throughput in bytes per second",
        Dimension::Hertz => "a clock rate",
        Dimension::TransfersPerSecond => "a transfer rate",
        Dimension::Celsius => "a temperature",
        Dimension::Ratio => "a ratio",
        Dimension::Seconds => "a duration",
        Dimension::Iops => "a rate of IO operations",
        Dimension::Dwpd => "drive writes per day",
        Dimension::Watts => "a power",
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("anything"),
            Self::Bool => f.write_str("true or false"),
            Self::Int => f.write_str("a whole number"),
            Self::Number(dimension) => f.write_str(measured(*dimension)),
            Self::Text => f.write_str("text"),
            Self::Enum(_) => f.write_str("a word of a fixed list"),
            Self::Record(_) | Self::Group(_) | Self::Count(_) => f.write_str("a record"),
            Self::List(item) => match item.as_ref() {
                Self::Any => f.write_str("a list"),
                Self::Bool => f.write_str("a list of true or false"),
                Self::Int => f.write_str("a list of whole numbers"),
                Self::Number(Dimension::None) => f.write_str("a list of numbers"),
                Self::Number(dimension) => write!(f, "a list, each {}", measured(*dimension)),
                Self::Text => f.write_str("a list of texts"),
                Self::Enum(_) => f.write_str("a list of words"),
                Self::Record(_) | Self::Group(_) | Self::Count(_) => f.write_str("a list of records"),
                Self::List(_) => f.write_str("a list of lists"),
            },
        }
    }
}

/// What a product of two dimensions measures; `None` if it has no name.
pub(crate) fn product(left: Dimension, right: Dimension) -> Option<Dimension> {
    use Dimension as D;
    let (low, high) = if left <= right { (left, right) } else { (right, left) };
    match (low, high) {
        // A temperature has no natural zero: twice 20 °C means nothing.
        (D::Celsius, _) | (_, D::Celsius) => None,
        (D::None, other) | (D::Ratio, other) | (other, D::Ratio) => Some(other),
        (D::BytesPerSecond, D::Seconds) => Some(D::Bytes),
        (D::Bytes, D::Iops | D::TransfersPerSecond) => Some(D::BytesPerSecond),
        (D::Seconds, D::Iops) | (D::Hertz | D::TransfersPerSecond, D::Seconds) => Some(D::None),
        _ => None,
    }
}

/// What a quotient of two dimensions measures; `None` if it has no name.
pub(crate) fn quotient(left: Dimension, right: Dimension) -> Option<Dimension> {
    use Dimension as D;
    match (left, right) {
        (D::Celsius, _) | (_, D::Celsius) => None,
        (D::None, D::None) => Some(D::None),
        (left, right) if left == right => Some(D::Ratio),
        (left, D::None | D::Ratio) => Some(left),
        (D::Bytes, D::Seconds) => Some(D::BytesPerSecond),
        (D::Bytes, D::BytesPerSecond) => Some(D::Seconds),
        (D::BytesPerSecond, D::Iops | D::TransfersPerSecond) => Some(D::Bytes),
        _ => None,
    }
}

/// The facts there are: record types with their fields.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    shapes: Vec<Shape>,
}

#[derive(Debug, Clone)]
struct Shape {
    name: String,
    /// Sorted by name.
    fields: Vec<Field>,
    /// Whether its records say where their fields were read, in a field `sources` that no expression sees.
    has_sources: bool,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub doc: String,
}

/// A fact that cannot be added to a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// No record of this name is in the schema.
    #[error("the schema has no record `{0}`")]
    NoSuchRecord(String),
    /// The record has such a field already.
    #[error("record `{0}` already has a field `{1}`")]
    FieldExists(String, String),
}

impl Schema {
    /// A schema without facts.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The type of a fact. Record types that it mentions are added.
    pub fn fact(&mut self, fact: &FactType) -> Type {
        match fact {
            FactType::Bool => Type::Bool,
            FactType::Int => Type::Int,
            FactType::Quantity(dimension) => Type::Number(*dimension),
            FactType::Text => Type::Text,
            FactType::Enum(words) => Type::Enum(words),
            FactType::List(item) => Type::List(Box::new(self.fact(item))),
            FactType::Collection(record) => Type::List(Box::new(self.fact(&FactType::Record(record)))),
            FactType::Record(record) => {
                if let Some(known) = self.shapes.iter().position(|shape| shape.name == record.name) {
                    return Type::Record(ShapeId(known));
                }
                let id = ShapeId(self.shapes.len());
                self.shapes.push(Shape { name: record.name.to_owned(), fields: Vec::new(), has_sources: true });
                // The shape is there before its fields are, for records may refer to each other.
                let fields: Vec<Field> = (record.fields)().iter().map(|field| self.field_of(field)).collect();
                self.fill(id, fields);
                Type::Record(id)
            }
        }
    }

    fn field_of(&mut self, field: &FieldType) -> Field {
        Field { name: field.name.to_owned(), ty: self.fact(&field.fact), doc: field.doc.to_owned() }
    }

    fn fill(&mut self, id: ShapeId, fields: Vec<Field>) {
        if let Some(shape) = self.shapes.get_mut(id.0) {
            shape.fields = fields;
            shape.fields.sort_by(|left, right| left.name.cmp(&right.name));
        }
    }

    /// Adds facts to a record: what later layers know of a thing.
    ///
    /// # Errors
    /// If there is no such record, or it has a field of one of the names.
    pub fn extend(&mut self, record: &str, fields: &[FieldType]) -> Result<(), SchemaError> {
        let place = self
            .shapes
            .iter()
            .position(|shape| shape.name == record)
            .ok_or_else(|| SchemaError::NoSuchRecord(record.to_owned()))?;
        let mut all: Vec<Field> = self.shapes.get(place).map(|shape| shape.fields.clone()).unwrap_or_default();
        for field in fields {
            if all.iter().any(|known| known.name == field.name) {
                return Err(SchemaError::FieldExists(record.to_owned(), field.name.to_owned()));
            }
            let field = self.field_of(field);
            all.push(field);
        }
        self.fill(ShapeId(place), all);
        Ok(())
    }

    /// A record that is no fact, such as the parameters of a check.
    pub fn record(&mut self, name: impl Into<String>, fields: Vec<Field>) -> Type {
        let id = ShapeId(self.shapes.len());
        self.shapes.push(Shape { name: name.into(), fields: Vec::new(), has_sources: false });
        self.fill(id, fields);
        Type::Record(id)
    }

    /// The name of a record type.
    #[must_use]
    pub fn name(&self, record: ShapeId) -> &str {
        self.shapes.get(record.0).map_or("", |shape| &shape.name)
    }

    /// The fields of a record type, sorted by name.
    #[must_use]
    pub fn fields(&self, record: ShapeId) -> &[Field] {
        self.shapes.get(record.0).map_or(&[], |shape| &shape.fields)
    }

    /// A field, and where it stands in a record that has all of them.
    pub(crate) fn field(&self, record: ShapeId, name: &str) -> Option<(&Field, usize)> {
        let shape = self.shapes.get(record.0)?;
        let place = shape.fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()?;
        let before = usize::from(shape.has_sources && "sources" < name);
        shape.fields.get(place).map(|field| (field, place + before))
    }
}

/// The names that an expression may use, each with its type; the value of each is bound to the slot of its position.
#[derive(Debug, Clone)]
pub struct Scope<'s> {
    /// The record types.
    pub schema: &'s Schema,
    names: Vec<(String, Type)>,
}

impl<'s> Scope<'s> {
    /// A scope without names.
    #[must_use]
    pub fn new(schema: &'s Schema) -> Self {
        Self { schema, names: Vec::new() }
    }

    /// Adds a name, and tells its slot. Of two of one name the later counts.
    pub fn bind(&mut self, name: impl Into<String>, ty: Type) -> usize {
        self.names.push((name.into(), ty));
        self.names.len() - 1
    }

    /// The names with their types, in the order of their slots.
    #[must_use]
    pub fn names(&self) -> &[(String, Type)] {
        &self.names
    }

    pub(crate) fn slot(&self, name: &str) -> Option<(usize, &Type)> {
        self.names.iter().enumerate().rev().find(|(_, (known, _))| known == name).map(|(slot, (_, ty))| (slot, ty))
    }

    /// Help for a name that is not here: one that is, or the record that has a field of it.
    pub(crate) fn suggest(&self, name: &str, locals: &[&str]) -> Option<String> {
        let holder = self.names.iter().find_map(|(holder, ty)| match ty {
            Type::Record(record) => self.schema.field(*record, name).map(|_| holder),
            _ => None,
        });
        if let Some(holder) = holder {
            return Some(format!("did you mean `{holder}.{name}`?"));
        }
        did_you_mean(name, self.names.iter().map(|(name, _)| name.as_str()).chain(locals.iter().copied()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{Collection, Fact, Reading};
    use crate::units::Bytes;

    record! {
        /// A box.
        pub struct Crate {
            /// What lies in it.
            pub parts: Collection<Part>,
            /// Its size.
            pub bytes: Reading<Bytes>,
        }
    }
    record! {
        /// A part.
        pub struct Part {
            /// Its name.
            pub tag: Reading<String>,
            /// Its number.
            pub number: Reading<u64>,
        }
    }

    #[test]
    fn a_schema_knows_where_fields_stand_in_a_record_with_sources() {
        let mut schema = Schema::new();
        let Type::Record(root) = schema.fact(&Crate::fact_type()) else { panic!() };
        assert_eq!(
            schema.field(root, "bytes").map(|(field, place)| (field.ty.clone(), place)),
            Some((Type::Number(Dimension::Bytes), 0))
        );
        let Some((parts, 1)) = schema.field(root, "parts") else { panic!() };
        let Type::List(item) = &parts.ty else { panic!() };
        let Type::Record(part) = **item else { panic!() };
        assert_eq!(schema.name(part), "Part");
        // number, sources, tag
        assert_eq!(schema.field(part, "tag").map(|(_, place)| place), Some(2));
        let role = FieldType { name: "role", doc: "", fact: FactType::Text };
        schema.extend("Part", std::slice::from_ref(&role)).unwrap();
        // number, role, sources, tag
        assert_eq!(schema.field(part, "tag").map(|(_, place)| place), Some(3));
        assert_eq!(schema.extend("Part", &[role]).unwrap_err().to_string(), "record `Part` already has a field `role`");
        assert_eq!(schema.extend("Prat", &[]).unwrap_err().to_string(), "the schema has no record `Prat`");
    }

    #[test]
    fn dimensions_multiply_and_divide_where_the_result_has_a_name() {
        use Dimension as D;
        for (left, right, expected) in [
            (D::None, D::Bytes, Some(D::Bytes)),
            (D::Bytes, D::Ratio, Some(D::Bytes)),
            (D::Ratio, D::Ratio, Some(D::Ratio)),
            (D::Seconds, D::BytesPerSecond, Some(D::Bytes)),
            (D::Iops, D::Bytes, Some(D::BytesPerSecond)),
            (D::Seconds, D::Iops, Some(D::None)),
            (D::Bytes, D::Bytes, None),
            (D::None, D::Celsius, None),
            (D::Watts, D::Seconds, None),
        ] {
            assert_eq!(product(left, right), expected, "{left:?} * {right:?}");
            assert_eq!(product(right, left), expected, "{right:?} * {left:?}");
        }
        for (left, right, expected) in [
            (D::Bytes, D::Bytes, Some(D::Ratio)),
            (D::None, D::None, Some(D::None)),
            (D::Bytes, D::None, Some(D::Bytes)),
            (D::Bytes, D::Seconds, Some(D::BytesPerSecond)),
            (D::Bytes, D::BytesPerSecond, Some(D::Seconds)),
            (D::BytesPerSecond, D::Iops, Some(D::Bytes)),
            (D::None, D::Ratio, Some(D::None)),
            (D::Ratio, D::None, Some(D::Ratio)),
            (D::None, D::Seconds, None),
            (D::Celsius, D::Celsius, None),
            (D::Bytes, D::BitsPerSecond, None),
        ] {
            assert_eq!(quotient(left, right), expected, "{left:?} / {right:?}");
        }
    }
}
