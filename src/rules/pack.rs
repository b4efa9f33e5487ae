//! A pack compiled: what is demanded, by whom, and of which machines.
//!
//! One pack alone, against the checks that there are; what several packs together demand is in `layers`.

use crate::rules::check::Check;
use crate::rules::diagnostic::{error, quoted};
use crate::rules::digest::Digest;
use crate::rules::expression::{Expr, Scope, condition};
use crate::rules::facts::{Facts, knowledge_fields};
use crate::rules::limit::{Declared, Param, Setting, declare, settings};
use crate::rules::raw::pack::{DriveRole, NicRole, RawDemandCase, RawPack, RawProfile, RawRoles};
use crate::rules::read::{Entries, Reader};
use crate::rules::source::{Source, Span};
use crate::rules::text::{ExpressionText, date};
use crate::verdict::Level;
use crate::words::did_you_mean;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Cases of one demand; more are refused, for their combinations over layers multiply.
const MAX_CASES: usize = 24;

/// What a pack is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PackKind {
    /// What every node must satisfy.
    Base,
    /// What will run on it; chosen.
    Solution,
    /// What a box is and may hold; matched.
    Platform,
}

impl PackKind {
    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Solution => "solution",
            Self::Platform => "platform",
        }
    }
}

/// The pack below all others.
pub const BASE: &str = "base";

/// A compiled pack.
#[derive(Debug)]
pub struct Pack {
    /// Its name.
    pub name: String,
    /// What it stands for, in one line.
    pub title: String,
    /// Version of its content.
    pub version: String,
    /// What it is.
    pub kind: PackKind,
    /// Packs that it builds on.
    pub extends: Vec<String>,
    /// Whether a machine is one of this platform. Sees `node`.
    pub matches: Option<Expr>,
    /// Last day on which a run by it can certify.
    pub expires: Option<jiff::civil::Date>,
    /// What things are meant for.
    pub roles: Roles,
    /// Figures of its own.
    pub params: Vec<Param>,
    /// What it demands, by check.
    pub demands: BTreeMap<String, Vec<DemandCase>>,
    /// What cannot be judged from a Linux node.
    pub remains: Vec<Remain>,
    /// Figures measured elsewhere.
    pub reference: Vec<Reference>,
    /// How long every probe has to have run for a certifying run.
    pub probe_seconds: Option<u32>,
    /// Other weights by profile.
    pub profiles: BTreeMap<String, Profile>,
    /// Of its content, that of its checks and of the knowledge base.
    pub digest: Digest,
    /// The file and the place of the name in it.
    pub origin: (Arc<Source>, Span),
    /// Its file was handed in, not built in.
    pub handed_in: bool,
    /// Where `extends` names a pack, for errors.
    pub(crate) extends_at: Vec<Span>,
}

/// An expression that decides whether a case holds.
#[derive(Debug)]
pub struct Condition {
    /// As written.
    pub text: String,
    /// Sees `node`, `site`, and `params` of the layer.
    pub expr: Expr,
    /// The pack, or `site`.
    pub layer: String,
}

impl Condition {
    /// Two conditions of one key have one value on one node.
    pub(crate) fn key(&self) -> String {
        let text: String = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.contains("params") { format!("{}: {text}", self.layer) } else { text }
    }
}

/// What a layer demands of a check in one case.
#[derive(Debug)]
pub struct DemandCase {
    /// When it holds; always without.
    pub when: Option<Arc<Condition>>,
    /// The level and where it is set.
    pub level: Option<(Level, Span)>,
    /// Values for params.
    pub settings: Vec<Setting>,
    /// Whether the check fails if nothing is left to judge, and where that is set.
    pub require_subject: Option<(bool, Span)>,
    /// Why it is milder than an earlier layer.
    pub because: Option<String>,
    /// Where that comes from.
    pub source: Option<String>,
    /// Where it stands.
    pub span: Span,
}

/// Rules for roles, in order.
#[derive(Debug, Default)]
pub struct Roles {
    /// Of drives.
    pub drive: Vec<Arc<RoleRule<DriveRole>>>,
    /// Of network interfaces.
    pub nic: Vec<Arc<RoleRule<NicRole>>>,
}

/// One rule for a role.
#[derive(Debug)]
pub struct RoleRule<R> {
    /// The role.
    pub role: R,
    /// Sees `node`, `drive` or `nic`, `site`, and `params` of the layer; facts before roles.
    pub when: Expr,
    /// Why.
    pub because: String,
    /// The pack, or `site`.
    pub layer: String,
}

/// A requirement that cannot be judged from a Linux node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remain {
    /// What remains to be done.
    pub what: String,
    /// Why it cannot be judged here.
    pub why: String,
    /// Who demands it.
    pub source: String,
    /// The pack.
    pub pack: String,
}

/// A figure measured elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference {
    /// What was measured.
    pub what: String,
    /// The figure in base units, and what it measures.
    pub value: (f64, crate::units::Dimension),
    /// On how many nodes.
    pub nodes: Option<u32>,
    /// Through which layers.
    pub stack: Option<String>,
    /// IOs under way together.
    pub outstanding: Option<u32>,
    /// Mean latency in seconds.
    pub latency: Option<f64>,
    /// Who measured it.
    pub source: String,
    /// Where it stands.
    pub span: Span,
}

/// Other weights under a profile.
#[derive(Debug, Clone)]
pub struct Profile {
    /// By level: of must, should, info.
    pub levels: [Option<Level>; 3],
    /// By check.
    pub checks: BTreeMap<String, Level>,
    /// Why.
    pub because: String,
}

/// The checks that there are, for packs to name.
pub(crate) type Checks = BTreeMap<String, Arc<Check>>;

/// What a layer's expressions and settings are compiled against.
pub(crate) struct Layer<'a> {
    pub(crate) name: &'a str,
    pub(crate) params: &'a [Param],
    pub(crate) broken_params: &'a [String],
    pub(crate) checks: &'a Checks,
    /// Checks whose file is wrong: to name one is no second mistake.
    pub(crate) broken_checks: &'a [String],
}

/// Compiles a pack; what is wrong is recorded and left out.
pub(crate) fn pack(
    raw: &RawPack,
    own: Digest,
    handed_in: bool,
    checks: (&Checks, &[String]),
    facts: (&mut Facts, &mut Facts),
    reader: &mut Reader<'_>,
) -> Pack {
    let (whole, before_roles) = facts;
    let name = raw.pack.to_string();
    let Declared { params, broken } = declare(raw.params.as_ref(), reader);
    let layer =
        Layer { name: &name, params: &params, broken_params: &broken, checks: checks.0, broken_checks: checks.1 };
    let kind = match (&raw.r#match, name.as_str()) {
        (Some(_), _) => PackKind::Platform,
        (None, BASE) => PackKind::Base,
        (None, _) => PackKind::Solution,
    };
    let matches = raw.r#match.as_ref().and_then(|text| {
        let mut scope = Scope::new(&before_roles.schema);
        scope.bind("node", before_roles.node.clone());
        as_read(text, condition(text, &scope, reader)?, reader)
    });
    let roles = raw.roles.as_ref().map(|raw| roles(raw, kind, &layer, before_roles, reader)).unwrap_or_default();
    let demands = demands(&raw.checks, &layer, whole, reader);
    let digests = demands.keys().filter_map(|id| checks.0.get(id).map(|check| (id.as_str(), check.digest)));
    Pack {
        digest: crate::rules::digest::of_pack(own, digests),
        title: raw.title.to_string(),
        version: raw.version.to_string(),
        kind,
        extends: raw.extends.iter().flatten().map(|name| name.value.clone()).collect(),
        matches,
        expires: raw.expires.as_ref().and_then(|text| date(text)),
        roles,
        demands,
        remains: remains(raw),
        reference: raw.reference.iter().flatten().filter_map(|raw| reference(raw, reader)).collect(),
        probe_seconds: raw.certify.as_ref().map(|certify| certify.probe_seconds.value),
        profiles: profiles(raw.profiles.as_ref(), &layer, reader),
        origin: (Arc::clone(reader.source), raw.pack.span()),
        handed_in,
        extends_at: raw.extends.iter().flatten().map(|name| name.span()).collect(),
        params,
        name,
    }
}

/// What a machine is has to be told by facts as they were read: what is known of its parts by the knowledge base may
/// depend on the platform, and would be asked for in a circle.
fn as_read(text: &ExpressionText, matches: Expr, reader: &mut Reader<'_>) -> Option<Expr> {
    let later = knowledge_fields();
    let of = |(record, name): &(&str, &str)| later.iter().any(|(of, field)| of == record && field.name == *name);
    let Some((_, name)) = matches.facts().find(of) else { return Some(matches) };
    let message = format!("`match` asks for `{name}`, which is known only after the platform is");
    reader.advise(text.span(), message, "match by facts as they were read, such as those of `node.system`");
    None
}

/// What a layer demands, by check. Unknown checks are recorded.
pub(crate) fn demands(
    raw: &Entries<crate::rules::raw::pack::RawDemand>,
    layer: &Layer<'_>,
    facts: &mut Facts,
    reader: &mut Reader<'_>,
) -> BTreeMap<String, Vec<DemandCase>> {
    let params = facts.params(layer.name, layer.params, layer.broken_params);
    let mut scope = Scope::new(&facts.schema);
    scope.bind("node", facts.node.clone());
    scope.bind("site", facts.site.clone());
    scope.bind("params", params);
    let mut demands = BTreeMap::new();
    for (id, span, demand) in &raw.list {
        let Some(check) = layer.checks.get(id) else {
            if !layer.broken_checks.contains(id) {
                unknown_check(id, *span, layer.checks, reader);
            }
            continue;
        };
        if demand.cases.len() > MAX_CASES {
            let message = format!("{} cases; at most {MAX_CASES}", demand.cases.len());
            reader.error(demand.span, message);
        }
        let mut cases = Vec::new();
        for (at, raw) in demand.cases.iter().take(MAX_CASES).enumerate() {
            if raw.when.is_none() && at + 1 < demand.cases.len() {
                reader.advise(
                    raw.span,
                    "this case always holds, so those after it never do",
                    "the first case that holds wins: put it last",
                );
            }
            cases.push(demand_case(raw, check, layer.name, &scope, reader));
        }
        demands.insert(id.clone(), cases);
    }
    demands
}

pub(crate) fn unknown_check(id: &str, span: Span, checks: &Checks, reader: &mut Reader<'_>) {
    let mut unknown = error(reader.source, span, format!("there is no check {}", quoted(id)));
    unknown.help = did_you_mean(id, checks.keys().map(String::as_str));
    reader.errors.push(unknown);
}

fn demand_case(
    raw: &RawDemandCase,
    check: &Check,
    layer: &str,
    scope: &Scope<'_>,
    reader: &mut Reader<'_>,
) -> DemandCase {
    let when = raw.when.as_ref().and_then(|text: &ExpressionText| {
        let expr = condition(text, scope, reader)?;
        Some(Arc::new(Condition { text: text.to_string(), expr, layer: layer.to_owned() }))
    });
    DemandCase {
        when,
        level: raw.level.map(|level| (level.value, level.span)),
        settings: settings(raw.params.as_ref(), &check.params, &format!("check `{}`", check.id), reader),
        require_subject: raw.require_subject.map(|flag| (flag.value, flag.span)),
        because: raw.because.as_ref().map(|text| text.to_string()),
        source: raw.source.as_ref().map(|text| text.to_string()),
        span: raw.span,
    }
}

/// A platform says what a box is: which drives it boots from and which port is for management. What the others are
/// meant for is the solution's to say, so that no box silences it.
fn roles(raw: &RawRoles, kind: PackKind, layer: &Layer<'_>, facts: &mut Facts, reader: &mut Reader<'_>) -> Roles {
    let mut roles = Roles::default();
    for rule in raw.drive.iter().flatten() {
        if kind == PackKind::Platform && rule.role.value != DriveRole::Boot {
            reader.error(rule.role.span, "a platform gives drives the role `boot` alone: others are the solution's");
        }
    }
    for rule in raw.nic.iter().flatten() {
        if kind == PackKind::Platform && rule.role.value != NicRole::Management {
            let message = "a platform gives interfaces the role `management` alone: others are the solution's";
            reader.error(rule.role.span, message);
        }
    }
    let drive = raw.drive.iter().flatten().map(|rule| (rule.role.value, &rule.when, &*rule.because));
    roles.drive = role_rules("drive", drive, layer, facts, reader);
    let nic = raw.nic.iter().flatten().map(|rule| (rule.role.value, &rule.when, &*rule.because));
    roles.nic = role_rules("nic", nic, layer, facts, reader);
    roles
}

/// Compiles rules for the roles of one kind of thing.
pub(crate) fn role_rules<'r, R>(
    subject: &str,
    rules: impl Iterator<Item = (R, &'r ExpressionText, &'r str)>,
    layer: &Layer<'_>,
    facts: &mut Facts,
    reader: &mut Reader<'_>,
) -> Vec<Arc<RoleRule<R>>> {
    let params = facts.params(layer.name, layer.params, layer.broken_params);
    let thing = facts.element(subject);
    let mut scope = Scope::new(&facts.schema);
    scope.bind("node", facts.node.clone());
    if let Some(thing) = &thing {
        scope.bind(subject, thing.clone());
    }
    scope.bind("site", facts.site.clone());
    scope.bind("params", params);
    let mut compiled = Vec::new();
    for (role, when, because) in rules {
        if thing.is_none() {
            reader.error(when.span(), format!("nothing is known of a `{subject}` yet"));
            continue;
        }
        if let Some(when) = condition(when, &scope, reader) {
            let (because, layer) = (because.to_owned(), layer.name.to_owned());
            compiled.push(Arc::new(RoleRule { role, when, because, layer }));
        }
    }
    compiled
}

fn remains(raw: &RawPack) -> Vec<Remain> {
    let remain = |remain: &crate::rules::raw::pack::RawRemain| Remain {
        what: remain.what.to_string(),
        why: remain.why.to_string(),
        source: remain.source.to_string(),
        pack: raw.pack.to_string(),
    };
    raw.remains.iter().flatten().map(remain).collect()
}

fn reference(raw: &crate::rules::raw::pack::RawReference, reader: &mut Reader<'_>) -> Option<Reference> {
    use crate::rules::expression::number;
    use crate::units::Dimension;
    if raw.value.is_broken() {
        return None;
    }
    let Some(value) = number(&raw.value) else {
        reader.error(raw.value.span(), format!("{} is no number with a unit", quoted(&raw.value)));
        return None;
    };
    let latency =
        raw.latency.as_ref().and_then(|text| match crate::rules::limit::quantity(text, Dimension::Seconds, reader) {
            Some(crate::rules::limit::Value::Quantity(seconds, _)) => Some(seconds),
            _ => None,
        });
    Some(Reference {
        what: raw.what.to_string(),
        value,
        nodes: raw.nodes.map(|count| count.value),
        stack: raw.stack.as_ref().map(|text| text.to_string()),
        outstanding: raw.outstanding.map(|count| count.value),
        latency,
        source: raw.source.to_string(),
        span: raw.value.span(),
    })
}

fn profiles(
    raw: Option<&Entries<RawProfile>>,
    layer: &Layer<'_>,
    reader: &mut Reader<'_>,
) -> BTreeMap<String, Profile> {
    let mut profiles = BTreeMap::new();
    for (name, span, profile) in raw.into_iter().flat_map(|entries| &entries.list) {
        if !crate::rules::text::is_name(name) {
            reader.error(*span, format!("{} is not a name of small letters, digits and `-`", quoted(name)));
        }
        if name == crate::rules::effective::DEFAULT_PROFILE {
            reader.advise(
                *span,
                format!("{} is what counts where no profile is asked for, and changes nothing", quoted(name)),
                "give it another name, which has to be asked for by --profile",
            );
        }
        let level =
            |level: fn(&crate::rules::raw::pack::RawLevels) -> Option<Level>| profile.levels.as_ref().and_then(level);
        let mut checks = BTreeMap::new();
        for (id, span, level) in profile.checks.iter().flat_map(|entries| &entries.list) {
            if !layer.checks.contains_key(id) && !layer.broken_checks.contains(id) {
                unknown_check(id, *span, layer.checks, reader);
            }
            checks.insert(id.clone(), level.value);
        }
        let levels = [
            level(|levels| levels.must.map(|level| level.value)),
            level(|levels| levels.should.map(|level| level.value)),
            level(|levels| levels.info.map(|level| level.value)),
        ];
        profiles.insert(name.clone(), Profile { levels, checks, because: profile.because.to_string() });
    }
    profiles
}
