//! The site file compiled: what one deployment says about itself, against the rules that there are.
//!
//! What it relaxes is told when it is put together with packs; a relaxation counts as a waiver.

use crate::rules::check::{Check, Kind, Slot};
use crate::rules::diagnostic::{Errors, RuleError, error, quoted};
use crate::rules::digest::{self, Digest};
use crate::rules::expression::{self, Expr, Scope, condition};
use crate::rules::facts::Facts;
use crate::rules::layers::SITE;
use crate::rules::limit::{Param, Value, quantity, value};
use crate::rules::load::RuleSet;
use crate::rules::nodeset;
use crate::rules::pack::{DemandCase, Layer, PackKind, Roles, demands, role_rules, unknown_check};
use crate::rules::raw::check::{ParamType, Stricter, WhenAbsent};
use crate::rules::raw::site::{RawBillItem, RawSite, RawWaiver};
use crate::rules::read::{Read, Reader};
use crate::rules::subject::Subject;
use crate::rules::text::date;
use crate::rules::tree;
use crate::units::Dimension;
use crate::verdict::Level;
use crate::words::did_you_mean;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The ids of checks that a bill of materials makes begin so.
pub const BILL_OF_MATERIALS: &str = "site.bill-of-materials";

/// A compiled site file.
#[derive(Debug)]
pub struct Site {
    /// The solution that will run on it.
    pub solution: Option<String>,
    /// Its nodes, as written: host names or sets.
    pub nodes: Vec<String>,
    /// The same, each by its name.
    pub listed: BTreeSet<String>,
    /// Networks by name, in order, with the role that their interfaces have.
    pub networks: Vec<String>,
    /// Rules for roles.
    pub roles: Roles,
    /// Planned working set of one node, in bytes.
    pub working_set: Option<f64>,
    /// Figures of packs, by pack and name.
    pub params: BTreeMap<(String, String), Value>,
    /// One check for each line of the bill of materials.
    pub bill_of_materials: Vec<Arc<Check>>,
    /// Other demands, by check.
    pub overrides: BTreeMap<String, Vec<DemandCase>>,
    /// Failures that somebody answers for.
    pub waivers: Vec<Arc<Waiver>>,
    /// Of its content.
    pub digest: Digest,
}

/// A failure that somebody answers for.
#[derive(Debug)]
pub struct Waiver {
    /// The check.
    pub check: String,
    /// Of which subjects. Sees `node`, the subject of the check, and `site`.
    pub scope: Expr,
    /// The scope as written.
    pub scope_text: String,
    /// What the scope sees: the value of each name is bound to the slot of its place.
    pub slots: Vec<Slot>,
    /// Why.
    pub reason: String,
    /// Who.
    pub owner: String,
    /// The last day on which it counts.
    pub expires: jiff::civil::Date,
    /// Where it stands: `muster.yaml:12:5`.
    pub place: String,
}

impl Waiver {
    /// Whether it still counts on a day.
    #[must_use]
    pub fn holds_on(&self, day: jiff::civil::Date) -> bool {
        day <= self.expires
    }
}

impl RuleSet {
    /// Reads and compiles a site file.
    ///
    /// # Errors
    /// All mistakes in it, sorted by place.
    pub fn site(&self, path: &str, bytes: &[u8]) -> Result<Site, Vec<RuleError>> {
        let mut errors = Errors::default();
        let site = self.read_site(path, bytes, &mut errors);
        match site {
            Some(site) if !errors.has_errors() => Ok(site),
            _ => Err(errors.into_refusal()),
        }
    }

    fn read_site(&self, path: &str, bytes: &[u8], errors: &mut Errors) -> Option<Site> {
        let source = tree::decode(path, bytes, errors)?;
        let root = tree::parse(&source, errors)?;
        let mut reader = Reader { source: &source, errors };
        let reader = &mut reader;
        let raw = RawSite::read(&root, reader);
        let mut facts = self.facts.clone();
        let layer = Layer { name: SITE, params: &[], broken_params: &[], checks: &self.checks, broken_checks: &[] };
        let overrides = raw.overrides.as_ref().map(|raw| demands(raw, &layer, &mut facts, reader)).unwrap_or_default();
        for case in overrides.values().flatten().filter(|case| case.because.is_none()) {
            reader.advise(case.span, "an override has to say why", "add `because`");
        }
        Some(Site {
            solution: self.chosen(&raw, reader),
            nodes: raw.nodes.iter().flatten().map(|line| line.value.clone()).collect(),
            listed: listed(&raw, reader),
            networks: raw.networks.iter().flatten().map(|network| network.name.value.clone()).collect(),
            roles: self.site_roles(&raw, &layer, reader),
            working_set: raw.working_set.as_ref().and_then(|text| match quantity(text, Dimension::Bytes, reader) {
                Some(Value::Quantity(bytes, _)) => Some(bytes),
                _ => None,
            }),
            params: self.site_params(&raw, reader),
            bill_of_materials: bill_of_materials(&raw, &mut facts, reader),
            overrides,
            waivers: raw.waivers.iter().flatten().filter_map(|raw| self.waiver(raw, &mut facts, reader)).collect(),
            digest: digest::of_tree(&root),
        })
    }

    fn chosen(&self, raw: &RawSite, reader: &mut Reader<'_>) -> Option<String> {
        let name = raw.solution.as_ref().filter(|name| !name.is_broken())?;
        if self.packs.get(&name.value).is_none_or(|pack| pack.kind != PackKind::Solution) {
            let mut unknown = error(reader.source, name.span(), format!("there is no solution {}", quoted(name)));
            unknown.help = did_you_mean(name, self.solutions().map(|pack| pack.name.as_str()));
            reader.errors.push(unknown);
        }
        Some(name.value.clone())
    }

    fn site_roles(&self, raw: &RawSite, layer: &Layer<'_>, reader: &mut Reader<'_>) -> Roles {
        let mut facts = self.before_roles.clone();
        let drive = raw.drives.iter().flatten().map(|rule| (rule.role.value, &rule.when, &*rule.because));
        let nic = raw.networks.iter().flatten().map(|rule| (rule.role.value, &rule.when, &*rule.name));
        Roles {
            drive: role_rules("drive", drive, layer, &mut facts, reader),
            nic: role_rules("nic", nic, layer, &mut facts, reader),
        }
    }

    /// A figure of one name may be declared by several packs: it is set in all of them.
    fn site_params(&self, raw: &RawSite, reader: &mut Reader<'_>) -> BTreeMap<(String, String), Value> {
        let mut params = BTreeMap::new();
        for (name, span, setting) in raw.params.iter().flat_map(|entries| &entries.list) {
            let declared = || self.packs.values().flat_map(|pack| pack.params.iter().map(move |param| (pack, param)));
            let mut any = false;
            for (pack, param) in declared().filter(|(_, param)| param.name == *name) {
                any = true;
                if let Some(value) = value(&setting.value, param.ty, reader) {
                    params.insert((pack.name.clone(), name.clone()), value);
                }
            }
            if !any {
                let mut unknown = error(reader.source, *span, format!("no pack has a param {}", quoted(name)));
                unknown.help = did_you_mean(name, declared().map(|(_, param)| param.name.as_str()));
                reader.errors.push(unknown);
            }
        }
        params
    }

    fn waiver(&self, raw: &RawWaiver, facts: &mut Facts, reader: &mut Reader<'_>) -> Option<Arc<Waiver>> {
        if raw.check.is_broken() {
            return None;
        }
        let subject = match self.checks.get(&raw.check.value) {
            Some(check) => check.subject,
            None if raw.check.starts_with(BILL_OF_MATERIALS) => Subject::NODE,
            None => {
                unknown_check(&raw.check, raw.check.span(), &self.checks, reader);
                return None;
            }
        };
        let thing = facts.element(subject.name());
        let mut scope = Scope::new(&facts.schema);
        let mut slots = Vec::new();
        if let Some(thing) = thing {
            scope.bind("node", facts.node.clone());
            slots.push(Slot::Node);
            if subject != Subject::NODE {
                scope.bind(subject.name(), thing);
                slots.push(Slot::Subject);
            }
        }
        scope.bind("site", facts.site.clone());
        slots.push(Slot::Site);
        let scope = condition(&raw.scope, &scope, reader)?;
        let (line, column) = reader.source.position(raw.span.start);
        Some(Arc::new(Waiver {
            check: raw.check.value.clone(),
            scope,
            scope_text: raw.scope.value.clone(),
            slots,
            reason: raw.reason.value.clone(),
            owner: raw.owner.value.clone(),
            expires: date(&raw.expires)?,
            place: format!("{}:{line}:{column}", reader.source.path),
        }))
    }
}

/// Each line becomes a check on the node: so many of them there are.
/// The nodes by name.
fn listed(raw: &RawSite, reader: &mut Reader<'_>) -> BTreeSet<String> {
    let mut listed = BTreeSet::new();
    for line in raw.nodes.iter().flatten() {
        match nodeset::names(&line.value) {
            Ok(names) => {
                if let Some(twice) = names.iter().find(|name| listed.contains(*name)) {
                    reader.error(line.span(), format!("{twice:?} is listed twice"));
                }
                listed.extend(names);
            }
            Err(cause) => reader.error(line.span(), cause),
        }
        if listed.len() > nodeset::MOST {
            reader.error(line.span(), format!("more than {} names", nodeset::MOST));
            break;
        }
    }
    listed
}

fn bill_of_materials(raw: &RawSite, facts: &mut Facts, reader: &mut Reader<'_>) -> Vec<Arc<Check>> {
    let mut checks = Vec::new();
    for (at, item) in raw.bill_of_materials.iter().flatten().enumerate() {
        checks.extend(bill_item(at + 1, item, facts, reader).map(Arc::new));
    }
    checks
}

fn bill_item(number: usize, raw: &RawBillItem, facts: &mut Facts, reader: &mut Reader<'_>) -> Option<Check> {
    let subject = raw.r#for.value;
    if subject == Subject::NODE || subject == Subject::CLUSTER {
        reader.error(raw.r#for.span, format!("a node does not have so many of a {}", subject.name()));
        return None;
    }
    let thing = facts.element(subject.name())?;
    let params = vec![Param {
        name: "count".to_owned(),
        ty: ParamType::Int,
        default: Value::Int(i64::from(raw.count.value)),
        stricter: Stricter::None,
        doc: "How many were bought.".to_owned(),
        low_confidence: false,
    }];
    let params_type = facts.params("the bill of materials", &params, &[]);
    let mut scope = Scope::new(&facts.schema);
    scope.bind("node", facts.node.clone());
    scope.bind("site", facts.site.clone());
    scope.bind("params", params_type);
    let filter = match &raw.nodes {
        None => None,
        Some(text) => Some(condition(text, &scope, reader)?),
    };
    // By itself first, so that its mistakes stand where they are.
    let mut within = scope.clone();
    within.bind(subject.name(), thing);
    let chosen = match &raw.r#where {
        None => None,
        Some(text) => {
            condition(text, &within, reader)?;
            Some(text.value.as_str())
        }
    };
    let name = subject.name();
    let path = subject.path().join(".");
    let counted = match chosen {
        // The break ends a comment.
        Some(test) => format!("size(node.{path}.filter({name}, ({test}\n)))"),
        None => format!("size(node.{path})"),
    };
    let found = expression::generated(&counted, &scope)?;
    scope.bind("found", found.ty().clone());
    Some(Check {
        id: format!("{BILL_OF_MATERIALS}.{number}"),
        title: format!("As bought: {}", raw.what.value),
        level: Level::Must,
        subject: Subject::NODE,
        filter,
        lets: vec![("found".to_owned(), found)],
        keys: Vec::new(),
        kind: Kind::Assert(expression::generated("found == params.count", &scope)?),
        when_absent: WhenAbsent::Unknown,
        message: expression::generated_message("{found} there, {params.count} bought", &scope)?,
        why: "Every node has to have what was bought: nodes that lack the same thing are equal among themselves."
            .to_owned(),
        fix: "Find what is missing or not seen, or correct the bill of materials.".to_owned(),
        sources: vec![crate::verdict::Citation {
            title: "Bill of materials of the site".to_owned(),
            url: String::new(),
            clause: raw.what.value.clone(),
        }],
        slots: vec![Slot::Node, Slot::Site, Slot::Params],
        digest: digest::of_text(&format!("{counted} == {}", raw.count.value)),
        origin: (Arc::clone(reader.source), raw.span),
        handed_in: true,
        params,
    })
}
