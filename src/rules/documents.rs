//! What rules and facts look like on paper: the text of `docs/checks.md` and `docs/facts.md`, and of `muster explain`.
//!
//! Everything comes from the compiled rules and the schema of facts, so that no document says what the program does not
//! do. Judges nothing.

use crate::evaluate::finding::Citation;
use crate::expr::{Compiled, Field, ShapeId, Type};
use crate::rules::check::{Check, Kind};
use crate::rules::effective::{EffectiveCheck, EffectivePack, SelectError};
use crate::rules::facts::Facts;
use crate::rules::layers::Variant;
use crate::rules::load::RuleSet;
use crate::rules::pack::{Pack, PackKind};
use crate::rules::read::Choice as _;
use crate::rules::schema;
use crate::rules::subject::Subject;
use crate::units::Dimension;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The expressions of a check as they stand in its file, by key. None of a check that a site's bill of materials made.
#[must_use]
pub fn written(check: &Check) -> Vec<(String, String)> {
    let file = schema::to_json(&check.origin.0).unwrap_or_default();
    if file.get("id").and_then(serde_json::Value::as_str) != Some(check.id.as_str()) {
        return Vec::new();
    }
    let text = |value: &serde_json::Value| value.as_str().map(|text| text.trim().to_owned());
    let field = |name: &str| Some((name.to_owned(), text(file.get(name)?)?));
    let within = |map: &str, name: &str| Some((name.to_owned(), text(file.get(map)?.get(name)?)?));
    let named = |map: &str, names: &[(String, Compiled)]| {
        let entries = names.iter().filter_map(|(name, _)| within(map, name));
        let lines: Vec<String> = entries.map(|(name, text)| format!("{name} = {text}")).collect();
        (!lines.is_empty()).then(|| (map.to_owned(), lines.join("\n")))
    };
    let mut rows = Vec::new();
    rows.extend(field("where"));
    rows.extend(named("keys", &check.keys));
    rows.extend(named("let", &check.lets));
    rows.extend(field(check.kind.word()));
    if !matches!(check.kind, Kind::Assert(_)) {
        rows.extend(["by", "across", "side", "floor"].into_iter().filter_map(field));
    }
    rows
}

/// What is demanded in each case, in the order in which they are asked: level, limits, each with the layer that set it.
#[must_use]
pub fn variants(demanded: &EffectiveCheck) -> Vec<String> {
    demanded.variants.iter().map(variant).collect()
}

fn variant(variant: &Variant) -> String {
    let mut text = format!("{} ({})", variant.level.word(), variant.level_layer);
    for limit in &variant.limits {
        let _ = write!(text, ", {} {} ({})", limit.name, limit.value.shown(), limit.layer);
    }
    if variant.require_subject {
        let _ = write!(text, ", one has to be there ({})", variant.require_subject_layer);
    }
    if !variant.when.is_empty() {
        let when: Vec<&str> = variant.when.iter().map(|condition| condition.text.trim()).collect();
        let _ = write!(text, ", when {}", when.join(" and "));
    }
    for relaxed in &variant.relaxed {
        let from = format!("{} from {} ({})", relaxed.what, relaxed.from, relaxed.from_layer);
        let _ = write!(text, "\n{} relaxes {from}: {}", relaxed.layer, relaxed.because);
    }
    text
}

/// A source on one line.
#[must_use]
pub fn citation(citation: &Citation) -> String {
    let parts = [citation.title.as_str(), &citation.clause, &citation.url];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// A fact that a check reads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reads {
    /// As a rule writes it, as in "node.memory.total" or "drive.bytes".
    pub path: String,
    /// What it is and where it is read.
    pub doc: String,
}

/// The facts that the expressions of a check read, sorted.
#[must_use]
pub fn reads(check: &Check) -> Vec<Reads> {
    let facts = catalogue();
    let wanted: BTreeSet<(&str, &str)> = check.expressions().flat_map(Compiled::facts).collect();
    let mut found: Vec<Reads> = facts
        .iter()
        .flat_map(|section| &section.rows)
        .filter(|row| wanted.contains(&(row.record.as_str(), row.field.as_str())))
        // What is passed through on the way to a fact is no fact.
        .filter(|row| !row.is_record)
        .map(|row| Reads { path: row.path.clone(), doc: row.doc.clone() })
        .collect();
    found.sort();
    found
}

/// The facts of one kind of thing.
struct Section {
    /// Its name in rules, as in "drive"; where it has none the path of its collection.
    name: String,
    /// Where its elements are.
    path: String,
    rows: Vec<Row>,
}

struct Row {
    record: String,
    field: String,
    path: String,
    ty: String,
    doc: String,
    is_record: bool,
}

/// Every fact that rules can speak of, by the thing that it is of.
fn catalogue() -> Vec<Section> {
    let facts = Facts::whole();
    let mut sections = vec![Section { name: "node".to_owned(), path: String::new(), rows: Vec::new() }];
    if let Type::Record(node) = facts.node {
        fill(&facts, node, "node", "node", 0, &mut sections);
    }
    sections
}

/// Walks a record. Collections open a section of their own, named as rules name one element.
fn fill(facts: &Facts, record: ShapeId, prefix: &str, path: &str, at: usize, sections: &mut Vec<Section>) {
    let mut collections = Vec::new();
    for field in facts.schema.fields(record) {
        let inner = format!("{prefix}.{}", field.name);
        let place = format!("{path}.{}", field.name);
        let nested = match &field.ty {
            Type::Record(nested) => Some(*nested),
            Type::List(item) => match item.as_ref() {
                Type::Record(element) => {
                    collections.push((inner.clone(), place.clone(), *element));
                    None
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(section) = sections.get_mut(at) {
            section.rows.push(row(facts, record, field, &inner));
        }
        if let Some(nested) = nested {
            fill(facts, nested, &inner, &place, at, sections);
        }
    }
    for (inner, place, element) in collections {
        let steps: Vec<&str> = place.split('.').skip(1).collect();
        let subject = Subject::all().find(|subject| !subject.path().is_empty() && subject.path() == steps);
        let name = subject.map_or_else(|| format!("{inner}[]"), |subject| subject.name().to_owned());
        sections.push(Section { name: name.clone(), path: inner, rows: Vec::new() });
        let at = sections.len() - 1;
        fill(facts, element, &name, &place, at, sections);
    }
}

fn row(facts: &Facts, record: ShapeId, field: &Field, path: &str) -> Row {
    Row {
        record: facts.schema.name(record).to_owned(),
        field: field.name.clone(),
        path: path.to_owned(),
        ty: type_words(&field.ty),
        doc: field.doc.split_whitespace().collect::<Vec<_>>().join(" "),
        is_record: matches!(&field.ty, Type::Record(_)),
    }
}

/// The type with its unit, or with its words.
fn type_words(ty: &Type) -> String {
    match ty {
        Type::Enum(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        // "a size in bytes" has said it.
        Type::Number(dimension) if *dimension != Dimension::None && !ty.to_string().contains(dimension.base_unit()) => {
            format!("{ty}, in {}", dimension.base_unit())
        }
        other => other.to_string(),
    }
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', "<br>").replace('<', "&lt;").replace("&lt;br>", "<br>")
}

/// The text of `docs/facts.md`.
#[must_use]
pub fn facts_markdown() -> String {
    let mut out = String::from(
        "# Facts\n\nEvery fact that rules can speak of: its name in expressions, its type and unit, what it is and where it is read.\n\
         A fact is known, absent (the machine says that it has none) or unreadable, with the reason. Generated from the inventory's\n\
         types; `muster collect` prints the same names as JSON.\n",
    );
    for section in catalogue() {
        let Section { name, path, rows } = section;
        let _ = match path.as_str() {
            "" => write!(out, "\n## `{name}`\n\nThe whole node.\n"),
            path => write!(out, "\n## `{name}`\n\nOne element of `{path}`.\n"),
        };
        out.push_str("\n| fact | type | what, and where it is read |\n|---|---|---|\n");
        for row in rows.iter().filter(|row| !row.is_record) {
            let _ = writeln!(out, "| `{}` | {} | {} |", row.path, cell(&row.ty), cell(&row.doc));
        }
    }
    out
}

/// The text of `docs/checks.md`.
///
/// # Errors
/// If a pack cannot be put together.
pub fn checks_markdown(rules: &RuleSet) -> Result<String, SelectError> {
    let packs = packs(rules)?;
    let mut out = String::from(
        "# Checks\n\nEvery check that is built in, what it demands and where the demand comes from. Generated from `checks/` and `rules/`;\n\
         `muster explain CHECK` tells the same of one check, `muster pack show PACK` of one pack.\n",
    );
    let mut areas: BTreeMap<&str, Vec<&Check>> = BTreeMap::new();
    for check in rules.checks.values() {
        areas.entry(check.id.split('.').next().unwrap_or_default()).or_default().push(check);
    }
    for (area, checks) in &areas {
        let _ = write!(out, "\n## {area}\n\n| check | demand |");
        packs.iter().for_each(|(pack, _)| out.push_str(&format!(" {} |", pack.name)));
        out.push_str("\n|---|---|");
        packs.iter().for_each(|_| out.push_str("---|"));
        out.push('\n');
        for check in checks {
            let anchor = check.id.replace('.', "");
            let _ = write!(out, "| [`{}`](#{anchor}) | {} |", check.id, cell(&check.title));
            packs.iter().for_each(|(_, whole)| out.push_str(&format!(" {} |", levels(whole, &check.id))));
            out.push('\n');
        }
        checks.iter().for_each(|check| one(&mut out, check, &packs));
    }
    Ok(out)
}

/// Every pack with what counts if it is chosen, the base first.
fn packs(rules: &RuleSet) -> Result<Vec<(&Pack, EffectivePack)>, SelectError> {
    let mut packs: Vec<&Pack> = rules.packs.values().collect();
    packs.sort_by_key(|pack| (pack.kind != PackKind::Base, pack.kind == PackKind::Platform, &pack.name));
    packs.into_iter().map(|pack| Ok((pack, rules.select_pack(pack, None, None)?))).collect()
}

/// The levels that a pack gives a check, without its conditions.
fn levels(whole: &EffectivePack, id: &str) -> String {
    let demanded = whole.checks.iter().find(|demanded| demanded.check.id == id);
    let words: BTreeSet<_> = demanded.into_iter().flat_map(|demanded| &demanded.variants).map(|v| v.level).collect();
    words.into_iter().map(|level| level.word()).collect::<Vec<_>>().join(", ")
}

fn one(out: &mut String, check: &Check, packs: &[(&Pack, EffectivePack)]) {
    let _ = write!(out, "\n### {}\n\n{}. About {}.\n\n", check.id, check.title, about(check.subject));
    for (key, text) in written(check) {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let _ = writeln!(out, "- {key}: `{}`", lines.join("`<br>`"));
    }
    let _ = writeln!(out, "- absent: {} if what it asks for is not there", check.when_absent.word());
    for param in &check.params {
        let _ =
            writeln!(out, "- limit `{}`: {} unless a pack sets it; {}", param.name, param.default.shown(), param.doc);
    }
    for (pack, whole) in packs {
        if let Some(demanded) = whole.checks.iter().find(|demanded| demanded.check.id == check.id) {
            let told = variants(demanded).join("; else ").replace('\n', "; ");
            let _ = writeln!(out, "- {}: {}", pack.name, told.replace('<', "&lt;"));
        }
    }
    let reads: Vec<String> = reads(check).into_iter().map(|fact| format!("`{}`", fact.path)).collect();
    let _ = writeln!(out, "- reads: {}", reads.join(", "));
    let _ = writeln!(out, "- why: {}", check.why);
    let _ = writeln!(out, "- fix: {}", check.fix);
    for source in &check.sources {
        let clause = if source.clause.is_empty() { String::new() } else { format!(": {}", source.clause) };
        let _ = match source.url.as_str() {
            "" => writeln!(out, "- source: {}{clause}", source.title),
            url => writeln!(out, "- source: [{}]({url}){clause}", source.title),
        };
    }
}

fn about(subject: Subject) -> String {
    match subject {
        Subject::CLUSTER => "all nodes together".to_owned(),
        subject => format!("each {}", subject.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::builtin::RULES;

    #[test]
    fn the_facts_of_a_check_are_told_as_it_writes_them() {
        let rules = RuleSet::load(RULES, &[]).unwrap();
        let paths = |id: &str| -> Vec<String> {
            reads(rules.checks.get(id).unwrap()).into_iter().map(|fact| fact.path).collect()
        };
        assert_eq!(paths("memory.minimum"), ["node.memory.total"]);
        assert_eq!(paths("media.state"), ["drive.state"]);
    }

    #[test]
    fn every_check_reads_facts_that_the_catalogue_has() {
        let rules = RuleSet::load(RULES, &[]).unwrap();
        for check in rules.checks.values() {
            // What a check about the cluster compares may be no more than how many nodes there are.
            let counts_only = check.subject == Subject::CLUSTER;
            assert!(!reads(check).is_empty() || counts_only, "{}", check.id);
        }
    }

    #[test]
    fn a_collection_has_its_section_under_the_name_of_its_element() {
        let sections = catalogue();
        let names: Vec<&str> = sections.iter().map(|section| section.name.as_str()).collect();
        for name in
            ["node", "cpu", "drive", "nic", "bond.slaves[]", "rdma", "rdma.ports[]", "pci", "link", "controller"]
        {
            assert!(names.contains(&name), "{name} is not among {names:?}");
        }
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}
