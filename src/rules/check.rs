//! A check compiled: expressions parsed and typed, limits in base units.
//!
//! Says what can be judged, not who demands it: packs do. Judges nothing.

use crate::rules::digest::Digest;
use crate::rules::expression::{Expr, Scope, Template, Type, compile, condition, message};
use crate::rules::facts::Facts;
use crate::rules::limit::{Declared, Param, Value, declare, identifier, quantity};
use crate::rules::raw::check::{Across, RawCheck, RawCitation, Side, WhenAbsent};
use crate::rules::read::Reader;
use crate::rules::source::{Source, Span};
use crate::rules::subject::Subject;
use crate::rules::text::ExpressionText;
use crate::units::Dimension;
use crate::verdict::{Citation, Level};
use std::sync::Arc;

/// A compiled check.
#[derive(Debug)]
pub struct Check {
    /// Its name.
    pub id: String,
    /// What it demands, in one line.
    pub title: String,
    /// Its level unless a pack says otherwise.
    pub level: Level,
    /// What it is about.
    pub subject: Subject,
    /// Which subjects; all without.
    pub filter: Option<Expr>,
    /// Its limits.
    pub params: Vec<Param>,
    /// Its values by name, in order. Each sees those before it.
    pub lets: Vec<(String, Expr)>,
    /// Of a check about the cluster: what is kept of each node, by name. Sees `node`, `site` and `params`.
    pub keys: Vec<(String, Expr)>,
    /// What is demanded.
    pub kind: Kind,
    /// What an absent value makes of it.
    pub when_absent: WhenAbsent,
    /// Found against limit. Sees what the demand sees, and [`Kind::names`] after that.
    pub message: Template,
    /// Why the demand exists.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// Where the demand comes from.
    pub sources: Vec<Citation>,
    /// What its expressions see: the value of each name is bound to the slot of its place. `lets` come after these
    /// in their order, then [`Kind::names`].
    pub slots: Vec<Slot>,
    /// Of its content.
    pub digest: Digest,
    /// The file and the place of the id in it.
    pub origin: (Arc<Source>, Span),
    /// Its file was handed in, not built in.
    pub handed_in: bool,
}

/// What a name in the expressions of a check stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slot {
    /// `node`: the whole node.
    Node,
    /// The subject under its own name.
    Subject,
    /// `nodes`: of a check about the cluster, one record a node with `name` and the keys.
    Nodes,
    /// `site`.
    Site,
    /// `params`.
    Params,
}

/// What is demanded.
#[derive(Debug)]
pub enum Kind {
    /// This is true.
    Assert(Expr),
    /// This is equal among the subjects.
    Uniform(Compared),
    /// No two subjects share this.
    Unique(Compared),
    /// This does not stand apart from the peers.
    Outlier(Compared, Outlier),
}

/// What is compared between subjects.
#[derive(Debug)]
pub struct Compared {
    /// The value that is compared.
    pub of: Expr,
    /// Only subjects for which this is equal are compared.
    pub by: Option<Expr>,
    /// Over all nodes, or within each.
    pub across: Across,
}

/// When a value stands apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// Which side is bad.
    pub side: Side,
    /// With fewer peers it cannot be judged.
    pub min_n: u32,
    /// A deviation of less than this part of the median is never bad.
    pub floor: f64,
    /// How many scaled MADs are bad.
    pub deviations: u32,
}

impl Kind {
    /// The word in the file.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Assert(_) => "assert",
            Self::Uniform(_) => "uniform",
            Self::Unique(_) => "unique",
            Self::Outlier(..) => "outlier",
        }
    }

    /// What the message sees beside the names of the demand, in the order of the slots after `lets`:
    /// of uniform the value, that of the majority, how many have it, how many there are; of unique the value, the
    /// subjects that have it; of outlier the value, the median of the peers, the deviation from it, how many there are.
    #[must_use]
    pub fn names(&self) -> &'static [&'static str] {
        match self {
            Self::Assert(_) => &[],
            Self::Uniform(_) => &["value", "majority", "agreeing", "members"],
            Self::Unique(_) => &["value", "holders"],
            Self::Outlier(..) => &["value", "median", "deviation", "members"],
        }
    }
}

impl Check {
    /// All its expressions, those in the message included.
    pub fn expressions(&self) -> impl Iterator<Item = &Expr> {
        let compared = match &self.kind {
            Kind::Assert(_) => None,
            Kind::Uniform(compared) | Kind::Unique(compared) | Kind::Outlier(compared, _) => Some(compared),
        };
        let demand = match &self.kind {
            Kind::Assert(expr) => Some(expr),
            _ => None,
        };
        self.filter
            .iter()
            .chain(self.lets.iter().map(|(_, expr)| expr))
            .chain(self.keys.iter().map(|(_, expr)| expr))
            .chain(demand)
            .chain(compared.into_iter().flat_map(|compared| std::iter::once(&compared.of).chain(&compared.by)))
            .chain(self.message.holes())
    }
}

/// The words that a check may not use as names of its own.
const RESERVED: &[&str] = &["node", "nodes", "site", "params", "name", "cluster"];

/// Compiles a check; `None` if it is wrong, which is recorded.
pub(crate) fn check(
    raw: &RawCheck,
    digest: Digest,
    handed_in: bool,
    facts: &mut Facts,
    reader: &mut Reader<'_>,
) -> Option<Check> {
    let subject = raw.r#for.value;
    let Declared { params, broken } = declare(raw.params.as_ref(), reader);
    let params_type = facts.params(&raw.id, &params, &broken);
    let keys = keys(raw, subject, &params_type, facts, reader);
    let nodes_type = nodes_type(&keys, facts);
    let subject_type = facts.element(subject.name());

    let mut scope = Scope::new(&facts.schema);
    let mut slots = Vec::new();
    let mut bind = |scope: &mut Scope<'_>, name: &str, ty: Type, slot: Slot| {
        scope.bind(name, ty);
        slots.push(slot);
    };
    match subject_type {
        // What was meant is not known: whatever it was, nothing more is said about it.
        None if subject == Subject::BROKEN => {
            Subject::all().for_each(|subject| bind(&mut scope, subject.name(), Type::Any, Slot::Subject));
            bind(&mut scope, "nodes", Type::Any, Slot::Nodes);
        }
        None => bind(&mut scope, "nodes", nodes_type, Slot::Nodes),
        Some(subject_type) => {
            bind(&mut scope, "node", facts.node.clone(), Slot::Node);
            if subject != Subject::NODE {
                bind(&mut scope, subject.name(), subject_type, Slot::Subject);
            }
        }
    }
    bind(&mut scope, "site", facts.site.clone(), Slot::Site);
    bind(&mut scope, "params", params_type, Slot::Params);

    let filter = raw.r#where.as_ref().map(|text| condition(text, &scope, reader));
    let lets = lets(raw, &mut scope, reader);
    let kind = kind(raw, &scope, reader);
    match &kind {
        Some((kind, value)) => {
            for (name, ty) in kind.names().iter().zip(special_types(kind, value)) {
                scope.bind(*name, ty);
            }
        }
        // What is wrong is told; the message is still looked at.
        None => {
            ["value", "majority", "agreeing", "members", "holders", "median", "deviation"].iter().for_each(|name| {
                scope.bind(*name, Type::Any);
            })
        }
    }
    let message = message(&raw.message, &scope, reader);
    for (at, citation) in raw.sources.iter().enumerate() {
        if at > 20 {
            reader.error(citation.span, "more than 20 sources");
        }
    }
    if raw.sources.is_empty() {
        reader.error(Span::empty(raw.span.start), "no source is named: `sources` takes one at least");
    }
    let check = Check {
        id: raw.id.to_string(),
        title: raw.title.to_string(),
        level: raw.level.value,
        subject,
        filter: match filter {
            None => None,
            Some(compiled) => Some(compiled?),
        },
        params,
        lets,
        keys: keys.into_iter().map(|(name, expr, _)| (name, expr)).collect(),
        kind: kind?.0,
        when_absent: raw.when_absent.map_or(WhenAbsent::Unknown, |outcome| outcome.value),
        message: message?,
        why: raw.why.to_string(),
        fix: raw.fix.to_string(),
        sources: raw.sources.iter().map(citation).collect(),
        slots,
        digest,
        origin: (Arc::clone(reader.source), raw.id.span()),
        handed_in,
    };
    unused(&check, raw, reader);
    Some(check)
}

/// Params and values that no expression uses.
fn unused(check: &Check, raw: &RawCheck, reader: &mut Reader<'_>) {
    let record = Facts::params_name(&check.id);
    let first_let = check.slots.len();
    let all = || check.expressions();
    for (name, span, _) in raw.params.iter().flat_map(|entries| &entries.list) {
        if !all().any(|expr| expr.facts().any(|fact| fact == (record.as_str(), name.as_str()))) {
            reader.errors.warn(reader.source, *span, format!("nothing uses `params.{name}`"));
        }
    }
    for (at, (name, span, _)) in raw.r#let.iter().flat_map(|entries| &entries.list).enumerate() {
        if !all().any(|expr| expr.slots().any(|slot| slot == first_let + at)) {
            reader.errors.warn(reader.source, *span, format!("nothing uses `{name}`"));
        }
    }
}

fn citation(raw: &RawCitation) -> Citation {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    Citation { title: raw.title.to_string(), url: text(raw.url.as_deref()), clause: text(raw.clause.as_deref()) }
}

/// What a check about the cluster keeps of each node.
fn keys(
    raw: &RawCheck,
    subject: Subject,
    params: &Type,
    facts: &Facts,
    reader: &mut Reader<'_>,
) -> Vec<(String, Expr, Type)> {
    let Some(entries) = &raw.keys else {
        if subject == Subject::CLUSTER {
            reader.advise(
                raw.r#for.span,
                "a check about the cluster needs `keys`",
                "it sees of the nodes what its keys keep of each, as in `keys: { cores: 'node.cpu.cores' }`",
            );
        }
        return Vec::new();
    };
    let mut keys = Vec::new();
    let mut scope = Scope::new(&facts.schema);
    scope.bind("node", facts.node.clone());
    scope.bind("site", facts.site.clone());
    scope.bind("params", params.clone());
    for (name, span, text) in &entries.list {
        if subject != Subject::CLUSTER {
            reader.error(*span, "keys are for checks about the cluster");
        }
        own_name(name, *span, &[], reader);
        if let Some(expr) = compile(text, &scope, reader) {
            let ty = expr.ty().clone();
            keys.push((name.clone(), expr, ty));
        }
    }
    keys
}

fn nodes_type(keys: &[(String, Expr, Type)], facts: &mut Facts) -> Type {
    let field = |name: &str, ty: Type, doc: &str| crate::rules::expression::Field {
        name: name.to_owned(),
        ty,
        doc: doc.to_owned(),
    };
    let mut fields = vec![field("name", Type::Text, "Name of the node.")];
    fields.extend(keys.iter().map(|(name, _, ty)| field(name, ty.clone(), "A key of the check.")));
    Type::List(Box::new(facts.schema.record("node of a cluster check", fields)))
}

/// Values by name; one that is wrong is of any type, so that nothing is said twice.
fn lets(raw: &RawCheck, scope: &mut Scope<'_>, reader: &mut Reader<'_>) -> Vec<(String, Expr)> {
    let mut lets: Vec<(String, Expr)> = Vec::new();
    for (name, span, text) in raw.r#let.iter().flat_map(|entries| &entries.list) {
        let own = own_name(name, *span, &[raw.r#for.name()], reader);
        let compiled = compile(text, scope, reader);
        if !own {
            continue;
        }
        scope.bind(name.clone(), compiled.as_ref().map_or(Type::Any, |compiled| compiled.ty().clone()));
        if let Some(compiled) = compiled {
            lets.push((name.clone(), compiled));
        }
    }
    lets
}

fn own_name(name: &str, span: Span, more: &[&str], reader: &mut Reader<'_>) -> bool {
    identifier(name, span, reader);
    let taken = RESERVED.contains(&name) || more.contains(&name);
    if taken {
        reader.error(span, format!("`{name}` has a meaning already"));
    }
    !taken
}

/// The demand, and the type of what it compares. `None` if there is none, which is recorded.
fn kind(raw: &RawCheck, scope: &Scope<'_>, reader: &mut Reader<'_>) -> Option<(Kind, Type)> {
    let given: Vec<(&str, &ExpressionText)> =
        [("assert", &raw.assert), ("uniform", &raw.uniform), ("unique", &raw.unique), ("outlier", &raw.outlier)]
            .into_iter()
            .filter_map(|(word, text)| text.as_ref().map(|text| (word, text)))
            .collect();
    let Some((word, text)) = given.first().copied() else {
        reader.error(
            Span::empty(raw.span.start),
            "nothing is demanded: one of `assert`, `uniform`, `unique` and `outlier` has to be there",
        );
        return None;
    };
    for (other, text) in given.iter().skip(1) {
        reader.error(text.span(), format!("`{other}` beside `{word}`: a check demands one thing"));
    }
    stray(raw, word, reader);
    if word == "assert" {
        return Some((Kind::Assert(condition(text, scope, reader)?), Type::Bool));
    }
    if raw.r#for.value == Subject::CLUSTER {
        reader.advise(
            raw.r#for.span,
            format!("`{word}` compares subjects, and the cluster is one"),
            "write `for: node`, or the kind of thing that is compared",
        );
    }
    let by = raw.by.as_ref().map(|by| compile(by, scope, reader));
    let of = compile(text, scope, reader)?;
    let ty = of.ty().clone();
    if is_record(&ty) {
        reader.advise(
            text.span(),
            format!("`{word}` compares values, and this is a record"),
            "compare a field of it, or a list of fields: `[x.a, x.b]`",
        );
    }
    let across = raw.across.map_or(Across::Cluster, |across| across.value);
    let compared = Compared {
        of,
        by: match by {
            None => None,
            Some(compiled) => Some(compiled?),
        },
        across,
    };
    let kind = match word {
        "uniform" => Kind::Uniform(compared),
        "unique" => Kind::Unique(compared),
        _ => {
            if !matches!(ty, Type::Int | Type::Number(_) | Type::Any) {
                reader.error(text.span(), "`outlier` compares numbers, and this is none");
            }
            Kind::Outlier(compared, outlier(raw, reader))
        }
    };
    Some((kind, ty))
}

/// A record, or a list of records: nothing says when two of them are equal.
fn is_record(ty: &Type) -> bool {
    match ty {
        Type::Record(_) | Type::Group(_) | Type::Count(_) => true,
        Type::List(item) => is_record(item),
        _ => false,
    }
}

fn outlier(raw: &RawCheck, reader: &mut Reader<'_>) -> Outlier {
    let floor = raw.floor.as_ref().and_then(|text| match quantity(text, Dimension::Ratio, reader) {
        Some(Value::Quantity(floor, _)) if (0.0..=1.0).contains(&floor) => Some(floor),
        Some(_) => {
            reader.error(text.span(), "the floor is a part of the median: 0% to 100%");
            None
        }
        None => None,
    });
    let min_n = raw.min_n.map_or(5, |count| count.value);
    if let Some(count) = raw.min_n
        && count.value < 3
    {
        reader.error(count.span, "of fewer than 3 none stands apart");
    }
    if let Some(count) = raw.deviations
        && count.value < 1
    {
        reader.error(count.span, "0 deviations: everything would stand apart");
    }
    Outlier {
        side: raw.side.map_or(Side::Both, |side| side.value),
        min_n,
        floor: floor.unwrap_or(0.05),
        deviations: raw.deviations.map_or(5, |count| count.value),
    }
}

/// Keys that belong to another kind of demand.
fn stray(raw: &RawCheck, word: &str, reader: &mut Reader<'_>) {
    let compared = ["uniform", "unique", "outlier"].as_slice();
    let only_outlier = ["outlier"].as_slice();
    let given = [
        ("by", raw.by.as_ref().map(ExpressionText::span), compared),
        ("across", raw.across.map(|at| at.span), compared),
        ("side", raw.side.map(|at| at.span), only_outlier),
        ("min_n", raw.min_n.map(|at| at.span), only_outlier),
        ("floor", raw.floor.as_ref().map(|text| text.span()), only_outlier),
        ("deviations", raw.deviations.map(|at| at.span), only_outlier),
    ];
    for (key, span, kinds) in given {
        if let Some(span) = span
            && !kinds.contains(&word)
        {
            reader.error(span, format!("`{key}` goes with {}, not with `{word}`", kinds.join(", ")));
        }
    }
}

fn special_types(kind: &Kind, value: &Type) -> Vec<Type> {
    let value = value.clone();
    // The middle of two whole numbers need not be whole.
    let median = if value == Type::Int { Type::Number(Dimension::None) } else { value.clone() };
    match kind {
        Kind::Assert(_) => Vec::new(),
        Kind::Uniform(_) => vec![value.clone(), value, Type::Int, Type::Int],
        Kind::Unique(_) => vec![value, Type::List(Box::new(Type::Text))],
        Kind::Outlier(..) => vec![value, median, Type::Number(Dimension::Ratio), Type::Int],
    }
}
