//! Params and their values: typed, in base units, with a direction in which they demand more.
//!
//! Knows no check: a param is declared, set and compared here.

use crate::rules::diagnostic::{error, quoted, suggestion};
use crate::rules::expression;
use crate::rules::raw::check::{Confidence, ParamType, RawParam, RawSetting, RawValue, Stricter};
use crate::rules::read::{Choice, Entries, Reader};
use crate::rules::source::Span;
use crate::rules::text::{ValueText, is_identifier};
use crate::units::Dimension;
use std::cmp::Ordering;

/// A declared limit.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name in expressions: `params.NAME`.
    pub name: String,
    /// What kind of value.
    pub ty: ParamType,
    /// The value unless a pack sets another.
    pub default: Value,
    /// In which direction it demands more.
    pub stricter: Stricter,
    /// What it limits.
    pub doc: String,
    /// The default rests on memory or one unconfirmed report.
    pub low_confidence: bool,
}

/// A value of a param, in base units.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// True or false.
    Bool(bool),
    /// A whole number without a unit.
    Int(i64),
    /// A number or quantity in the base unit of its dimension.
    Quantity(f64, Dimension),
    /// Text.
    Text(String),
    /// A list of texts.
    Texts(Vec<String>),
}

impl Value {
    /// As a person reads it.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Quantity(value, dimension) => dimension.display(*value),
            Self::Text(text) => text.clone(),
            Self::Texts(texts) => texts.join(", "),
        }
    }

    /// As expressions see it.
    pub(crate) fn in_arena<'a>(&'a self, arena: &'a bumpalo::Bump) -> crate::view::Value<'a> {
        use crate::view::Value as View;
        match self {
            Self::Bool(value) => View::Bool(*value),
            Self::Int(value) => View::Int(*value),
            Self::Quantity(value, _) => View::Double(*value),
            Self::Text(text) => View::Text(text),
            Self::Texts(texts) => View::list(&texts.iter().map(|text| View::Text(text)).collect::<Vec<_>>(), arena),
        }
    }

    /// By size; `None` if they have no order.
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(b)),
            (Self::Quantity(a, _), Self::Quantity(b, _)) => a.partial_cmp(b),
            _ => None,
        }
    }

    /// Whether this demands less than `earlier`, by the direction of the param.
    #[must_use]
    pub fn is_milder(&self, earlier: &Self, stricter: Stricter) -> bool {
        match stricter {
            Stricter::None => false,
            Stricter::Higher => self.order(earlier) == Some(Ordering::Less),
            Stricter::Lower => self.order(earlier) == Some(Ordering::Greater),
        }
    }
}

/// A value that a layer sets for a param.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The param.
    pub name: String,
    /// The value.
    pub value: Value,
    /// It rests on memory or one unconfirmed report.
    pub low_confidence: bool,
    /// Where it is set.
    pub span: Span,
}

/// Params as declared.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) params: Vec<Param>,
    /// Names of those that are wrong, which is recorded: nothing more is said about them.
    pub(crate) broken: Vec<String>,
}

/// Params as declared; what is wrong is recorded.
pub(crate) fn declare(raw: Option<&Entries<RawParam>>, reader: &mut Reader<'_>) -> Declared {
    let mut declared = Declared::default();
    for (name, span, param) in raw.into_iter().flat_map(|entries| &entries.list) {
        identifier(name, *span, reader);
        if !param.r#type.is_read {
            declared.broken.push(name.clone());
            continue;
        }
        let ty = param.r#type.value;
        let ordered = matches!(ty, ParamType::Int | ParamType::Quantity(_));
        if !ordered && param.stricter.value != Stricter::None {
            reader.error(param.stricter.span, format!("a value of type {} has no stricter direction", ty.word()));
        }
        if let Some(default) = value(&param.default, ty, reader) {
            declared.params.push(Param {
                name: name.clone(),
                ty,
                default,
                stricter: param.stricter.value,
                doc: param.doc.to_string(),
                low_confidence: is_low(param.confidence.map(|confidence| confidence.value)),
            });
        } else {
            declared.broken.push(name.clone());
        }
    }
    declared
}

/// Values for declared params; what is wrong is recorded and left out.
pub(crate) fn settings(
    raw: Option<&Entries<RawSetting>>,
    params: &[Param],
    owner: &str,
    reader: &mut Reader<'_>,
) -> Vec<Setting> {
    let mut settings = Vec::new();
    for (name, span, setting) in raw.into_iter().flat_map(|entries| &entries.list) {
        let Some(param) = params.iter().find(|param| param.name == *name) else {
            let known: Vec<&str> = params.iter().map(|param| param.name.as_str()).collect();
            let mut unknown = error(reader.source, *span, format!("{owner} has no param {}", quoted(name)));
            unknown.help = suggestion(name, &known);
            reader.errors.push(unknown);
            continue;
        };
        if let Some(value) = value(&setting.value, param.ty, reader) {
            let low_confidence = is_low(setting.confidence.map(|confidence| confidence.value));
            settings.push(Setting { name: name.clone(), value, low_confidence, span: *span });
        }
    }
    settings
}

fn is_low(confidence: Option<Confidence>) -> bool {
    confidence == Some(Confidence::Low)
}

/// A name that expressions use.
pub(crate) fn identifier(name: &str, span: Span, reader: &mut Reader<'_>) {
    if !is_identifier(name) {
        reader.advise(
            span,
            format!("{} cannot be a name in expressions", quoted(name)),
            "write small letters, digits and `_`, a letter first",
        );
    }
}

/// A value of a type; `None` if it is none, which is recorded.
pub(crate) fn value(raw: &RawValue, ty: ParamType, reader: &mut Reader<'_>) -> Option<Value> {
    match (raw, ty) {
        (RawValue::Many(texts, _), ParamType::Texts) => {
            Some(Value::Texts(texts.iter().map(|text| text.value.clone()).collect()))
        }
        (RawValue::Many(_, span), _) => {
            reader.error(*span, format!("expected a value of type {}, found a list", ty.word()));
            None
        }
        (RawValue::One(text), _) if text.is_broken() => None,
        (RawValue::One(text), _) => single(text, ty, reader),
    }
}

fn single(text: &ValueText, ty: ParamType, reader: &mut Reader<'_>) -> Option<Value> {
    let read = match ty {
        ParamType::Bool => match &**text {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        ParamType::Int => text.parse().ok().map(Value::Int),
        ParamType::Text => Some(Value::Text(text.value.clone())),
        ParamType::Texts => None,
        ParamType::Quantity(dimension) => return quantity(text, dimension, reader),
    };
    if read.is_none() {
        reader.error(text.span(), format!("{} is no value of type {}", quoted(text), ty.word()));
    }
    read
}

/// Numbers, parts and temperatures may be below zero; sizes, rates and durations may not.
fn can_be_negative(dimension: Dimension) -> bool {
    matches!(dimension, Dimension::None | Dimension::Ratio | Dimension::Celsius)
}

/// A number with a unit of the dimension.
pub(crate) fn quantity(text: &ValueText, dimension: Dimension, reader: &mut Reader<'_>) -> Option<Value> {
    if text.is_broken() {
        return None;
    }
    let expected = ParamType::Quantity(dimension).word();
    match expression::number(text) {
        Some((value, found)) if found == dimension && value < 0.0 && !can_be_negative(dimension) => {
            reader.error(text.span(), format!("{} is less than nothing", quoted(text)));
            None
        }
        Some((value, found)) if found == dimension => Some(Value::Quantity(value, dimension)),
        Some((value, found)) => {
            let kind = ParamType::Quantity(found).word();
            let message = format!("{} is a {kind} ({}), not a {expected}", quoted(text), found.display(value));
            reader.error(text.span(), message);
            None
        }
        None => {
            let help = match example(dimension) {
                "" => "write a number".to_owned(),
                example => format!("write a number and its unit, as in `{example}`"),
            };
            reader.advise(text.span(), format!("{} is no value of type {expected}", quoted(text)), help);
            None
        }
    }
}

/// A quantity of a dimension as it is written; empty for a plain number.
fn example(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::None => "",
        Dimension::Bytes => "480GB",
        Dimension::BitsPerSecond => "25Gbit/s",
        Dimension::BytesPerSecond => "3GB/s",
        Dimension::Hertz => "2.4GHz",
        Dimension::TransfersPerSecond => "3200MT/s",
        Dimension::Celsius => "70C",
        Dimension::Ratio => "10%",
        Dimension::Seconds => "5ms",
        Dimension::Iops => "376000iops",
        Dimension::Dwpd => "3DWPD",
        Dimension::Watts => "25W",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dimension_has_an_example_that_is_one() {
        for ty in ParamType::ALL {
            if let ParamType::Quantity(dimension) = *ty
                && dimension != Dimension::None
            {
                let read = expression::number(example(dimension)).map(|(_, found)| found);
                assert_eq!(read, Some(dimension), "{}", ty.word());
            }
        }
        assert_eq!(expression::number("10%"), Some((0.1, Dimension::Ratio)));
        assert_eq!(expression::number("-5C"), Some((-5.0, Dimension::Celsius)));
        assert_eq!(expression::number("480GB"), Some((480e9, Dimension::Bytes)));
        for none in ["", "-", "x", "5 GB", "5XB", "1+1", "[1]", "'a'", "nan", "--5"] {
            assert_eq!(expression::number(none), None, "{none}");
        }
    }

    #[test]
    fn milder_goes_by_the_direction() {
        let ratio = |value| Value::Quantity(value, Dimension::Ratio);
        for (earlier, later, stricter, milder) in [
            (0.1, 0.05, Stricter::Higher, true),
            (0.1, 0.1, Stricter::Higher, false),
            (0.1, 0.2, Stricter::Higher, false),
            (0.1, 0.2, Stricter::Lower, true),
            (0.1, 0.05, Stricter::Lower, false),
            (0.1, 0.05, Stricter::None, false),
            (0.1, 0.2, Stricter::None, false),
        ] {
            assert_eq!(ratio(later).is_milder(&ratio(earlier), stricter), milder, "{earlier} {later} {stricter:?}");
        }
        assert!(Value::Int(1).is_milder(&Value::Int(2), Stricter::Higher));
        assert!(!Value::Text("a".to_owned()).is_milder(&Value::Text("b".to_owned()), Stricter::Higher));
    }
}
