//! One judging of some nodes, in phases: each node alone and in parallel, then what was kept of them against each
//! other, then the findings of that, for which the nodes concerned are looked at once more.
//!
//! So memory is bounded by what is kept of a node (its findings, and some 40 bytes for each value that is compared), not
//! by inventories. Same inventories, same findings, in whatever order they come.

use super::certify::{self, Ground};
use super::compare::{Lists, Member, Placed, compare};
use super::finding::{Cause, Finding, Overall};
use super::judging::{Detail, Judging, Sink, undetermined};
use super::node::{NodeView, facts};
use super::own::{Texts, Why};
use super::tally::{Counts, Tally};
use crate::expr::{Bindings, Fuel};
use crate::inventory::Inventory;
use crate::rules::check::Kind;
use crate::rules::digest;
use crate::rules::effective::{EffectivePack, SelectError};
use crate::rules::load::RuleSet;
use crate::rules::raw::check::Across;
use crate::rules::site::Site;
use crate::view::{ReasonKind, Value};
use bumpalo::Bump;
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a run is told beside the inventories.
#[derive(Debug, Clone)]
pub struct Settings<'s> {
    /// The solution that is judged for; without one the base alone.
    pub solution: Option<String>,
    /// What the deployment says about itself.
    pub site: Option<&'s Site>,
    /// The profile; the default without.
    pub profile: Option<String>,
    /// The day on which it is judged what has expired.
    pub as_of: jiff::civil::Date,
    /// How much is told of what holds.
    pub detail: Detail,
}

/// The nodes of a run. A node is loaded once, and once more if comparing finds something about it.
pub trait Fleet: Sync {
    /// How many nodes.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// One of them.
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn load(&self, place: usize) -> Result<Cow<'_, Inventory>, String>;
}

impl<const N: usize> Fleet for [Inventory; N] {
    fn len(&self) -> usize {
        N
    }
    fn load(&self, place: usize) -> Result<Cow<'_, Inventory>, String> {
        self.as_slice().load(place)
    }
}

impl Fleet for Vec<Inventory> {
    fn len(&self) -> usize {
        <[Inventory]>::len(self)
    }
    fn load(&self, place: usize) -> Result<Cow<'_, Inventory>, String> {
        self.as_slice().load(place)
    }
}

impl Fleet for [Inventory] {
    fn len(&self) -> usize {
        <[Inventory]>::len(self)
    }
    fn load(&self, place: usize) -> Result<Cow<'_, Inventory>, String> {
        self.get(place).map(Cow::Borrowed).ok_or_else(|| "there is no such node".to_owned())
    }
}

/// The outcome of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// The verdicts, by node and check; under [`Detail::Compact`] without those that hold or do not apply.
    pub findings: Vec<Finding>,
    /// The verdict over all of them.
    pub overall: Overall,
    /// How many of each kind, those included that are not told.
    pub counts: Counts,
    /// The nodes, in the order of their names.
    pub nodes: Vec<NodeSummary>,
    /// The solution that was judged for, by its title; `None` if the base alone was judged.
    pub solution: Option<String>,
    /// The packs that were judged by.
    pub packs: Vec<PackUsed>,
    /// What the chosen solution demands and no Linux node can show.
    pub remains: Vec<Remain>,
    /// Whether the run can be relied on as a certificate, or what is missing.
    pub certifying: Certifying,
}

/// One node in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSummary {
    /// Its name in this run.
    pub name: String,
    /// Its place among the inventories that were given.
    pub place: usize,
    /// The verdict over its own findings.
    pub overall: Overall,
    /// How many findings of each kind.
    pub counts: Counts,
    /// The platform pack that matches it.
    pub platform: Option<String>,
}

/// A pack that was judged by.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackUsed {
    /// Its identifier, as in "base".
    pub name: String,
    /// Its title.
    pub title: String,
    /// Its version.
    pub version: String,
    /// Digest of its content.
    pub digest: String,
}

/// A requirement that a Linux node cannot show.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remain {
    /// What.
    pub what: String,
    /// Why it cannot be judged here.
    pub why: String,
    /// Who demands it.
    pub source: String,
}

/// Whether a run can be relied on as a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certifying {
    /// It can.
    pub certifying: bool,
    /// Why not; empty if it can.
    pub missing: Vec<String>,
}

/// What is kept of a node between the phases.
pub(crate) struct Part {
    pub(crate) place: usize,
    pub(crate) hostname: Option<String>,
    identity: String,
    pub(crate) platform: Option<String>,
    pub(crate) physical: bool,
    /// The platforms that it may be of.
    pub(crate) open: Vec<MayBe>,
    /// What is to be compared, by check.
    pub(crate) members: BTreeMap<Arc<str>, Arc<[Member]>>,
    pub(crate) sink: Sink,
}

/// A platform of which it cannot be told whether a node is one.
pub(crate) struct MayBe {
    platform: String,
    why: Why,
}

/// A node as it is judged, and as what was found is told.
pub(crate) fn view<'a>(
    inventory: &'a Inventory,
    packs: &'a Packs<'_>,
    platform: Option<&String>,
    open: &[MayBe],
    arena: &'a Bump,
) -> NodeView<'a> {
    let mut view = NodeView::new(inventory, packs.of(platform), arena);
    for may_be in open {
        view.doubt_roles(packs.of(Some(&may_be.platform)), may_be.why.kind, &may_be.why.text);
    }
    view
}

/// Judges nodes by rules.
///
/// # Errors
/// If solution, profile or a platform cannot be chosen, or a node cannot be read.
pub fn judge(fleet: &(impl Fleet + ?Sized), rules: &RuleSet, settings: &Settings<'_>) -> Result<Run, JudgeError> {
    judge_by(fleet, &Packs::select(rules, settings)?, settings)
}

/// Judges nodes by packs that are put together already.
pub(crate) fn judge_by(
    fleet: &(impl Fleet + ?Sized),
    packs: &Packs<'_>,
    settings: &Settings<'_>,
) -> Result<Run, JudgeError> {
    let texts = Texts::default();
    let lists = Lists::default();
    let parts: Result<Vec<Part>, JudgeError> = (0..fleet.len())
        .into_par_iter()
        .map_init(Bump::new, |arena, place| {
            arena.reset();
            alone(fleet, place, packs, settings, (&texts, &lists), arena)
        })
        .collect();
    let mut parts = parts?;
    let names = name(&mut parts, |place| load(fleet, place))?;
    let mut together = together(fleet, &parts, &names, packs, settings)?;
    let used: BTreeSet<usize> = parts
        .iter()
        .flat_map(|part| part.sink.waivers.iter().copied())
        .chain(together.waivers.iter().copied())
        .collect();
    let mut leftovers = certify::leftovers(packs.default_pack(), &used, settings.as_of);
    leftovers.extend(settings.site.into_iter().flat_map(|site| certify::attendance(site, &parts)));

    let mut tally = Tally::default();
    let mut summaries = Vec::new();
    let mut findings: Vec<Finding> = Vec::new();
    for (part, name) in parts.iter_mut().zip(&names) {
        let mut own = part.sink.tally;
        if let Some(more) = together.by_node.get(&part.place) {
            own.join(&Tally::of(more));
        }
        summaries.push(NodeSummary {
            name: name.clone(),
            place: part.place,
            overall: own.overall(),
            counts: own.counts,
            platform: part.platform.clone(),
        });
        tally.join(&part.sink.tally);
        let mut own: Vec<Finding> = std::mem::take(&mut part.sink.findings);
        own.extend(together.by_node.remove(&part.place).unwrap_or_default());
        own.sort_by(|a, b| a.check.cmp(&b.check));
        for mut finding in own {
            finding.node.clone_from(name);
            findings.push(finding);
        }
    }
    tally.join(&together.tally);
    let mut shared = together.shared;
    shared.extend(leftovers);
    tally.join(&Tally::of(shared.iter().filter(|finding| finding.check.starts_with("site."))));
    shared.sort_by(|a, b| (&a.check, &a.subject).cmp(&(&b.check, &b.subject)));
    findings.extend(shared);
    let overall = tally.overall();
    let ground = Ground { packs, parts: &parts, overall, waived: !used.is_empty(), as_of: settings.as_of };
    let certifying = certify::certifying(&ground, together.read_unknown, together.low_pass);
    Ok(Run {
        findings,
        overall,
        counts: tally.counts,
        nodes: summaries,
        solution: packs.solution_title(),
        packs: packs.used(&parts),
        remains: packs.remains(&parts),
        certifying,
    })
}

/// Why nodes cannot be judged at all.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// A pack cannot be chosen.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// A node cannot be read.
    #[error("{0}")]
    Load(String),
}

/// The effective packs: one without platform and one for each platform.
pub(crate) struct Packs<'r> {
    rules: &'r RuleSet,
    pub(crate) solution: Option<String>,
    by_platform: BTreeMap<Option<String>, EffectivePack>,
    default: EffectivePack,
}

impl<'r> Packs<'r> {
    fn select(rules: &'r RuleSet, settings: &Settings<'_>) -> Result<Self, SelectError> {
        let solution = settings.solution.clone().or_else(|| settings.site.and_then(|site| site.solution.clone()));
        let select = |platform: Option<&str>| {
            rules.select(solution.as_deref(), platform, settings.site, settings.profile.as_deref())
        };
        let mut by_platform = BTreeMap::new();
        for platform in rules.platforms() {
            by_platform.insert(Some(platform.name.clone()), select(Some(&platform.name))?);
        }
        let default = select(None)?;
        Ok(Self { rules, solution, by_platform, default })
    }

    /// One pack for every node, whatever its platform.
    pub(crate) fn only(rules: &'r RuleSet, default: EffectivePack) -> Self {
        Self { rules, solution: None, by_platform: BTreeMap::new(), default }
    }

    pub(crate) fn of(&self, platform: Option<&String>) -> &EffectivePack {
        self.by_platform.get(&platform.cloned()).unwrap_or(&self.default)
    }

    pub(crate) fn default_pack(&self) -> &EffectivePack {
        &self.default
    }

    /// The packs that counts for some node.
    pub(crate) fn in_use<'p>(&'p self, parts: &'p [Part]) -> impl Iterator<Item = &'p EffectivePack> {
        let platforms: BTreeSet<Option<&String>> = parts.iter().map(|part| part.platform.as_ref()).collect();
        platforms.into_iter().map(|platform| self.of(platform))
    }

    fn solution_title(&self) -> Option<String> {
        let name = self.solution.as_ref()?;
        self.default.packs.iter().find(|pack| pack.name == *name).map(|pack| pack.title.clone())
    }

    fn used(&self, parts: &[Part]) -> Vec<PackUsed> {
        let mut used: Vec<PackUsed> = Vec::new();
        for pack in self.in_use(parts).flat_map(|effective| &effective.packs) {
            if !used.iter().any(|known| known.name == pack.name) {
                used.push(PackUsed {
                    name: pack.name.clone(),
                    title: pack.title.clone(),
                    version: pack.version.clone(),
                    digest: pack.digest.to_string(),
                });
            }
        }
        used
    }

    fn remains(&self, parts: &[Part]) -> Vec<Remain> {
        let mut remains: Vec<Remain> = Vec::new();
        for remain in self.in_use(parts).flat_map(|effective| &effective.remains) {
            let remain = Remain { what: remain.what.clone(), why: remain.why.clone(), source: remain.source.clone() };
            if !remains.contains(&remain) {
                remains.push(remain);
            }
        }
        remains
    }

    /// The platform of a machine: the first by name whose `match` is true; and those before it of which that cannot be
    /// told, with the reason.
    fn platform(&self, inventory: &Inventory, texts: &Texts, arena: &Bump) -> (Option<String>, Vec<MayBe>) {
        let (node, not_collected) = facts(inventory, arena);
        let mut open = Vec::new();
        for pack in self.rules.platforms() {
            let Some(matches) = &pack.matches else { continue };
            let slots = arena.alloc_slice_copy(&[node]);
            match matches.eval(&Bindings::new(slots, not_collected), arena, Fuel::default()).value {
                Value::Bool(true) => return (Some(pack.name.clone()), open),
                Value::Unknown(reason) => {
                    open.push(MayBe { platform: pack.name.clone(), why: Why::of(reason, texts) });
                }
                _ => {}
            }
        }
        (None, open)
    }
}

fn load(fleet: &(impl Fleet + ?Sized), place: usize) -> Result<Cow<'_, Inventory>, JudgeError> {
    fleet.load(place).map_err(JudgeError::Load)
}

/// Phase 1: one node.
fn alone(
    fleet: &(impl Fleet + ?Sized),
    place: usize,
    packs: &Packs<'_>,
    settings: &Settings<'_>,
    (texts, lists): (&Texts, &Lists),
    arena: &Bump,
) -> Result<Part, JudgeError> {
    let inventory = load(fleet, place)?;
    let (platform, open) =
        if packs.by_platform.is_empty() { (None, Vec::new()) } else { packs.platform(&inventory, texts, arena) };
    let view = view(&inventory, packs, platform.as_ref(), &open, arena);
    let mut sink = Sink::default();
    for may_be in &open {
        platform_demands(may_be, packs.of(Some(&may_be.platform)), texts, &mut sink);
    }
    for effective in &view.pack.checks {
        let chosen = view.variant(&effective.variants);
        match chosen.variant {
            // What is not demanded because of such a fact certifies nothing.
            Ok(None) => {
                if chosen.low {
                    sink.low_pass = true;
                    sink.left_out_by_low.insert(effective.check.id.clone());
                }
            }
            Ok(Some((which, variant))) => {
                if !matches!(effective.check.kind, Kind::Assert(_)) || !effective.check.keys.is_empty() {
                    sink.variants.insert(texts.keep(&effective.check.id), (which, chosen.low));
                }
                let judging = Judging {
                    view: &view,
                    check: &effective.check,
                    variant,
                    low: chosen.low,
                    as_of: settings.as_of,
                    detail: settings.detail,
                };
                judging.run(texts, &mut sink);
            }
            Err(value) => {
                sink.read_unknown = true;
                let why = match value {
                    Value::Unknown(reason) => Why::of(reason, texts),
                    _ => Why::new(ReasonKind::Absent, "a fact that decides it is absent", texts),
                };
                let cause = Cause::of(why.kind);
                let finding = undetermined(&effective.check, &effective.variants, &why.text, cause);
                // What the others are compared with is not whole without this node.
                sink.gaps.insert(effective.check.id.clone(), why);
                if let Some(finding) = finding {
                    sink.tally.add(finding.verdict, finding.level, false);
                    sink.findings.push(finding);
                }
            }
        }
    }
    let members = std::mem::take(&mut sink.members);
    let members = members.into_iter().map(|(check, members)| (check, lists.keep(members))).collect();
    let system = &inventory.node.system;
    let identity = [&system.serial, &system.uuid, &inventory.collected_at]
        .map(|reading| reading.known().cloned().unwrap_or_default())
        .join("/");
    Ok(Part {
        place,
        hostname: inventory.node.hostname.known().filter(|name| !name.is_empty()).cloned(),
        identity,
        platform,
        open,
        physical: system.virtual_machine.known() == Some(&false),
        members,
        sink,
    })
}

/// What a platform demands is not known to hold if it cannot be told whether the node is one. What the other packs demand
/// is judged all the same: a platform does not relax it.
fn platform_demands(may_be: &MayBe, pack: &EffectivePack, texts: &Texts, sink: &mut Sink) {
    let MayBe { platform: name, why } = may_be;
    let reason = format!("it may be of platform {name}: {}", why.text);
    for effective in pack.checks.iter().filter(|check| check.layers.iter().any(|layer| layer == name)) {
        sink.read_unknown = true;
        sink.gaps.insert(effective.check.id.clone(), Why::new(why.kind, &reason, texts));
        if let Some(finding) = undetermined(&effective.check, &effective.variants, &reason, Cause::of(why.kind)) {
            sink.tally.add(finding.verdict, finding.level, false);
            sink.findings.push(finding);
        }
    }
}

/// Nodes by host name, sorted. Equal and unknown names are told apart by a number, in the order of what tells the nodes
/// apart: the order in which files were given must not show. What nothing else tells apart is by all that was read.
fn name<'f>(
    parts: &mut [Part],
    load: impl Fn(usize) -> Result<Cow<'f, Inventory>, JudgeError>,
) -> Result<Vec<String>, JudgeError> {
    let bare = |part: &Part| part.hostname.clone().unwrap_or_else(|| "unnamed".to_owned());
    parts.sort_by_cached_key(|part| (bare(part), part.identity.clone()));
    for alike in parts.chunk_by_mut(|a, b| a.hostname == b.hostname && a.identity == b.identity) {
        if alike.len() > 1 {
            let mut error = None;
            alike.sort_by_cached_key(|part| match load(part.place) {
                // That a fact is no JSON does not happen; the node would be the first.
                Ok(inventory) => {
                    serde_json::to_string(&inventory.node).map(|text| digest::of_text(&text).to_string()).ok()
                }
                Err(cause) => {
                    error = Some(cause);
                    None
                }
            });
            error.map_or(Ok(()), Err)?;
        }
    }
    let bare: Vec<String> = parts.iter().map(bare).collect();
    let mut seen = 0;
    let numbered = bare.iter().enumerate().map(|(index, name)| {
        let before = index.checked_sub(1).and_then(|before| bare.get(before));
        let after = bare.get(index + 1);
        seen = if before == Some(name) { seen + 1 } else { 1 };
        if before == Some(name) || after == Some(name) { format!("{name}#{seen}") } else { name.clone() }
    });
    Ok(numbered.collect())
}

/// What comparing nodes found.
#[derive(Default)]
pub(crate) struct Together {
    /// About one node, by its place in the fleet.
    pub(crate) by_node: BTreeMap<usize, Vec<Finding>>,
    /// About several.
    pub(crate) shared: Vec<Finding>,
    /// Of all of them.
    pub(crate) tally: Tally,
    pub(crate) waivers: BTreeSet<usize>,
    pub(crate) read_unknown: bool,
    pub(crate) low_pass: bool,
}

/// Phases 2 and 3: nodes against each other.
fn together(
    fleet: &(impl Fleet + ?Sized),
    parts: &[Part],
    names: &[String],
    packs: &Packs<'_>,
    settings: &Settings<'_>,
) -> Result<Together, JudgeError> {
    let mut telling = super::telling::Telling::new(packs, parts, names, settings);
    let ids: BTreeSet<&Arc<str>> = parts.iter().flat_map(|part| part.sink.variants.keys()).collect();
    for id in ids {
        let Some(chosen) = telling.chosen(id) else { continue };
        let (Kind::Uniform(compared) | Kind::Unique(compared) | Kind::Outlier(compared, _)) = &chosen.check.kind else {
            for demanded in telling.demands(id) {
                telling.cluster(&demanded);
            }
            continue;
        };
        let members: Vec<Placed<'_>> = parts
            .iter()
            .enumerate()
            .flat_map(|(node, part)| {
                part.members.get(id).into_iter().flat_map(|list| list.iter()).map(move |member| Placed { node, member })
            })
            .collect();
        let gap_of = |part: &'_ Part| part.sink.gaps.get(id.as_ref()).cloned();
        if compared.across == Across::Node && (!members.is_empty() || parts.iter().any(|part| gap_of(part).is_some())) {
            // What one node does not tell takes nothing from the others.
            for (node, part) in parts.iter().enumerate() {
                let own: Vec<Placed<'_>> = members.iter().filter(|placed| placed.node == node).copied().collect();
                let gap = gap_of(part);
                if own.is_empty() && gap.is_none() {
                    continue;
                }
                let found = compare(&chosen.check.kind, &own, true, gap.is_some());
                telling.comparison(&chosen, found, gap.as_ref(), Some(node));
            }
            continue;
        }
        // Of several reasons the same one is told, whatever the order of nodes.
        let gap = parts.iter().filter_map(|part| part.sink.gaps.get(id.as_ref())).min();
        let found = compare(&chosen.check.kind, &members, false, gap.is_some());
        telling.comparison(&chosen, found, gap, None);
    }
    telling.finish(|place| load(fleet, place))
}
