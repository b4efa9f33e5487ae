//! Stand-in for the expression language until it is merged.
#![allow(missing_docs)]
use crate::reading::{FactType, FieldType};
use crate::units::Dimension;

#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    Any,
    Bool,
    Int,
    Number(Dimension),
    Text,
    List(Box<Type>),
    Record(usize),
}
#[derive(Debug, Clone, Default)]
pub struct Schema;
#[derive(Debug, Clone)]
pub struct Field {
    pub name: String,
    pub ty: Type,
    pub doc: String,
}
impl Schema {
    pub fn new() -> Self {
        Self
    }
    pub fn fact(&mut self, _: &FactType) -> Type {
        Type::Any
    }
    pub fn extend(&mut self, _: &str, _: &[FieldType]) -> Result<(), String> {
        Ok(())
    }
    pub fn record(&mut self, _: impl Into<String>, _: Vec<Field>) -> Type {
        Type::Any
    }
}
#[derive(Clone)]
pub struct Scope<'s> {
    pub schema: &'s Schema,
    names: Vec<(String, Type)>,
}
impl<'s> Scope<'s> {
    pub fn new(schema: &'s Schema) -> Self {
        Self { schema, names: Vec::new() }
    }
    pub fn bind(&mut self, name: impl Into<String>, ty: Type) -> usize {
        self.names.push((name.into(), ty));
        self.names.len() - 1
    }
}
#[derive(Debug, Clone, Copy)]
pub struct ESpan {
    pub start: u32,
    pub end: u32,
}
pub struct Diagnostic {
    pub span: ESpan,
    pub message: String,
    pub help: Option<String>,
}
#[derive(Debug, Clone)]
pub struct Compiled {
    pub text: String,
}
impl Compiled {
    pub fn ty(&self) -> Type {
        Type::Any
    }
}
pub fn compile(text: &str, scope: &Scope<'_>) -> Result<Compiled, Vec<Diagnostic>> {
    let _ = &scope.names;
    if let Some(at) = text.find("BAD") {
        return Err(vec![Diagnostic {
            span: ESpan { start: at as u32, end: at as u32 + 3 },
            message: "unknown name `BAD`".to_owned(),
            help: None,
        }]);
    }
    Ok(Compiled { text: text.to_owned() })
}
pub fn quantity(text: &str) -> Option<(f64, Dimension)> {
    let split = text.find(|c: char| c.is_ascii_alphabetic() || c == '%').unwrap_or(text.len());
    let value: f64 = text[..split].parse().ok()?;
    match &text[split..] {
        "" => Some((value, Dimension::None)),
        "%" => Some((value / 100.0, Dimension::Ratio)),
        "GB" => Some((value * 1e9, Dimension::Bytes)),
        "iops" => Some((value, Dimension::Iops)),
        "ms" => Some((value / 1e3, Dimension::Seconds)),
        _ => None,
    }
}
