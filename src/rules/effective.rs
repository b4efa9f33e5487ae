//! What counts for one node: solution, platform and site put together.
//!
//! Which platform a machine is, the caller finds out ([`crate::rules::pack::Pack::matches`]). Evaluates nothing.

use crate::evaluate::finding::Level;
use crate::rules::check::Check;
use crate::rules::diagnostic::nearest;
use crate::rules::digest::Digest;
use crate::rules::knowledge::Knowledge;
use crate::rules::layers::{CHECK, Demand, Effective, Relaxation, SITE, Variant, combine};
use crate::rules::load::{RuleSet, demands};
use crate::rules::pack::{BASE, Pack, PackKind, Reference, Remain, Roles};
use crate::rules::raw::pack::{DriveRole, NicRole};
use crate::rules::site::{Site, Waiver};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The profile that remaps nothing unless a pack says so.
pub const DEFAULT_PROFILE: &str = "production";

/// What counts for one node.
#[derive(Debug)]
pub struct EffectivePack {
    /// The solution; without one the base alone is judged.
    pub solution: Option<String>,
    /// The platform.
    pub platform: Option<String>,
    /// The profile.
    pub profile: String,
    /// The packs that were used, in the order of their layers.
    pub packs: Vec<PackUsed>,
    /// What is demanded, by the id of the check.
    pub checks: Vec<EffectiveCheck>,
    /// Rules for roles in the order in which they are asked: site, platform, solution, base.
    pub roles: Roles,
    /// Roles that things are given by name, before any rule: those of a case.
    pub assigned: Assigned,
    /// What the field knows.
    pub knowledge: Arc<Knowledge>,
    /// By layer: the figures that its conditions and rules for roles see as `params`.
    pub params: BTreeMap<String, Vec<Effective>>,
    /// What cannot be judged from a Linux node.
    pub remains: Vec<Remain>,
    /// Figures measured elsewhere.
    pub reference: Vec<Reference>,
    /// How long every probe has to have run for a certifying run: the longest that a pack asks for.
    pub probe_seconds: Option<u32>,
    /// Everything that demands less than an earlier layer.
    pub relaxations: Vec<Relaxation>,
    /// Built-in files that something else was put in the place of.
    pub replaced: Vec<String>,
    /// Overrides of the site that change nothing, because no pack demands the check.
    pub idle_overrides: Vec<String>,
    /// Failures that somebody answers for.
    pub waivers: Vec<Arc<Waiver>>,
    /// Planned working set of one node, in bytes.
    pub working_set: Option<f64>,
}

/// Roles by the name of the thing.
#[derive(Debug, Clone, Default)]
pub struct Assigned {
    /// Of drives.
    pub drives: BTreeMap<String, DriveRole>,
    /// Of network interfaces.
    pub nics: BTreeMap<String, NicRole>,
}

/// A pack that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackUsed {
    /// Its name.
    pub name: String,
    /// What it stands for.
    pub title: String,
    /// Version of its content.
    pub version: String,
    /// What it is.
    pub kind: PackKind,
    /// Of its content and that of its checks.
    pub digest: Digest,
    /// Last day on which a run by it can certify.
    pub expires: Option<jiff::civil::Date>,
    /// Its file was handed in, not built in.
    pub handed_in: bool,
}

/// One check that is demanded.
#[derive(Debug)]
pub struct EffectiveCheck {
    /// The check.
    pub check: Arc<Check>,
    /// What is demanded: the first of which all conditions hold. None holds: it is not demanded of this node.
    pub variants: Vec<Variant>,
    /// The layers that demand it, in order.
    pub layers: Vec<String>,
}

/// A choice that is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectError {
    /// No pack has this name.
    #[error("there is no {kind} `{name}`{}", hint(.near.as_deref()))]
    Unknown {
        /// "solution", "platform" or "profile".
        kind: &'static str,
        /// The name.
        name: String,
        /// One that is there.
        near: Option<String>,
    },
    /// A pack of this name is something else.
    #[error("`{name}` is a {found}, not a {kind}")]
    OtherKind {
        /// What was asked for.
        kind: &'static str,
        /// The name.
        name: String,
        /// What it is.
        found: &'static str,
    },
    /// The cases of a check have too many combinations.
    #[error("the cases of `{0}` over all layers have too many combinations")]
    TooManyCases(String),
}

fn hint(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

impl EffectivePack {
    /// Whether anything was relaxed by the user: by the site, by a pack that was handed in, by a profile, by putting
    /// something in the place of a built-in file, or by knowledge that was handed in. Such a run does not certify.
    #[must_use]
    pub fn is_relaxed_by_user(&self) -> bool {
        let built_in =
            |layer: &str| self.packs.iter().any(|pack| pack.name == layer && !pack.handed_in && layer != SITE);
        !self.replaced.is_empty()
            || self.knowledge.is_handed_in
            || self.relaxations.iter().any(|relaxation| !built_in(&relaxation.layer))
    }
}

impl RuleSet {
    /// The solutions that there are.
    pub fn solutions(&self) -> impl Iterator<Item = &Pack> {
        self.packs.values().filter(|pack| pack.kind == PackKind::Solution)
    }

    /// The platforms that there are.
    pub fn platforms(&self) -> impl Iterator<Item = &Pack> {
        self.packs.values().filter(|pack| pack.kind == PackKind::Platform)
    }

    /// What counts if one pack is chosen, whatever it is.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub fn select_pack(
        &self,
        pack: &Pack,
        site: Option<&Site>,
        profile: Option<&str>,
    ) -> Result<EffectivePack, SelectError> {
        let name = Some(pack.name.as_str());
        match pack.kind {
            PackKind::Solution => self.select(name, None, site, profile),
            PackKind::Platform => self.select(None, name, site, profile),
            PackKind::Base => self.select(None, None, site, profile),
        }
    }

    /// What counts for a node of a platform under a solution at a site.
    ///
    /// # Errors
    /// If solution, platform or profile are not there, or the cases have too many combinations.
    pub fn select(
        &self,
        solution: Option<&str>,
        platform: Option<&str>,
        site: Option<&Site>,
        profile: Option<&str>,
    ) -> Result<EffectivePack, SelectError> {
        if let Some(name) = solution {
            self.named(name, PackKind::Solution)?;
        }
        if let Some(name) = platform {
            self.named(name, PackKind::Platform)?;
        }
        let chain = self.layers(solution, platform);
        let profile = known_profile(&chain, profile)?;
        let mut checks = Vec::new();
        let mut relaxations = BTreeSet::new();
        let demanded: BTreeSet<&String> = chain.iter().flat_map(|pack| pack.demands.keys()).collect();
        for id in demanded {
            let Some(check) = self.checks.get(id) else {
                continue;
            };
            let mut layers = demands(&chain, id);
            if let Some(cases) = site.and_then(|site| site.overrides.get(id)) {
                layers.push(Demand { layer: SITE, kind: None, cases });
            }
            let combined = combine(check, &layers);
            if combined.too_many {
                return Err(SelectError::TooManyCases(id.clone()));
            }
            let mut variants = combined.variants;
            for variant in &mut variants {
                remap(id, variant, &chain, &profile);
                relaxations.extend(variant.relaxed.iter().cloned());
            }
            let layers = layers.iter().map(|demand| demand.layer.to_owned()).collect();
            checks.push(EffectiveCheck { check: Arc::clone(check), variants, layers });
        }
        if let Some(site) = site {
            checks.extend(site.bill_of_materials.iter().map(bill_item));
            checks.sort_by(|a, b| a.check.id.cmp(&b.check.id));
        }
        let (params, relaxed) = params(&chain, site);
        relaxations.extend(relaxed);
        let idle = |id: &&String| !chain.iter().any(|pack| pack.demands.contains_key(*id));
        Ok(EffectivePack {
            solution: solution.map(str::to_owned),
            platform: platform.map(str::to_owned),
            profile,
            packs: chain.iter().map(|pack| used(pack)).collect(),
            checks,
            roles: roles(&chain, site),
            assigned: Assigned::default(),
            knowledge: Arc::clone(&self.knowledge),
            params,
            remains: chain.iter().flat_map(|pack| pack.remains.iter().cloned()).collect(),
            reference: chain.iter().flat_map(|pack| pack.reference.iter().cloned()).collect(),
            probe_seconds: chain.iter().filter_map(|pack| pack.probe_seconds).max(),
            relaxations: relaxations.into_iter().collect(),
            replaced: self.replaced.clone(),
            idle_overrides: site.iter().flat_map(|site| site.overrides.keys()).filter(idle).cloned().collect(),
            waivers: site.map(|site| site.waivers.clone()).unwrap_or_default(),
            working_set: site.and_then(|site| site.working_set),
        })
    }

    /// Base, solution and what it builds on, platform and what it builds on.
    fn layers(&self, solution: Option<&str>, platform: Option<&str>) -> Vec<&Pack> {
        let mut chain = self.chain(solution.unwrap_or(BASE));
        for pack in platform.map(|name| self.chain(name)).unwrap_or_default() {
            if !chain.iter().any(|known| known.name == pack.name) {
                chain.push(pack);
            }
        }
        chain
    }

    fn named(&self, name: &str, kind: PackKind) -> Result<&Pack, SelectError> {
        match self.packs.get(name) {
            Some(pack) if pack.kind == kind => Ok(pack),
            Some(pack) => {
                Err(SelectError::OtherKind { kind: kind.word(), name: name.to_owned(), found: pack.kind.word() })
            }
            None => {
                let candidates = self.packs.values().filter(|pack| pack.kind == kind).map(|pack| pack.name.as_str());
                Err(SelectError::Unknown {
                    kind: kind.word(),
                    name: name.to_owned(),
                    near: nearest(name, candidates).map(str::to_owned),
                })
            }
        }
    }
}

fn known_profile(chain: &[&Pack], profile: Option<&str>) -> Result<String, SelectError> {
    let profile = profile.unwrap_or(DEFAULT_PROFILE);
    let known = || chain.iter().flat_map(|pack| pack.profiles.keys()).map(String::as_str).chain([DEFAULT_PROFILE]);
    if known().any(|name| name == profile) {
        return Ok(profile.to_owned());
    }
    let near = nearest(profile, known()).map(str::to_owned);
    Err(SelectError::Unknown { kind: "profile", name: profile.to_owned(), near })
}

/// Sets the level that the profile gives: by the check before by the level, a later layer before an earlier one.
fn remap(id: &str, variant: &mut Variant, chain: &[&Pack], profile: &str) {
    let profiles = || chain.iter().rev().filter_map(|pack| Some((pack, pack.profiles.get(profile)?)));
    let by_check = profiles().find_map(|(pack, profile)| Some((*profile.checks.get(id)?, &profile.because, pack)));
    let by_level = profiles().find_map(|(pack, profile)| {
        let [must, should, info] = profile.levels;
        let level = match variant.level {
            Level::Must => must,
            Level::Should => should,
            Level::Info => info,
        };
        Some((level?, &profile.because, pack))
    });
    if let Some((level, because, pack)) = by_check.or(by_level) {
        // The default profile is part of its pack; another one is the user's choice.
        let layer = if profile == DEFAULT_PROFILE { pack.name.clone() } else { format!("profile {profile}") };
        if level > variant.level {
            variant.relaxed.push(Relaxation {
                check: id.to_owned(),
                layer: layer.clone(),
                what: "level".to_owned(),
                from: variant.level.word().to_owned(),
                from_layer: variant.level_layer.clone(),
                to: level.word().to_owned(),
                because: because.clone(),
                source: String::new(),
            });
        }
        if level != variant.level {
            variant.level = level;
            variant.level_layer = layer;
        }
    }
}

/// What was bought is demanded by the site.
fn bill_item(check: &Arc<Check>) -> EffectiveCheck {
    let limit = |param: &crate::rules::limit::Param| Effective {
        name: param.name.clone(),
        value: param.default.clone(),
        layer: SITE.to_owned(),
        low_confidence: false,
    };
    let variant = Variant {
        when: Vec::new(),
        level: check.level,
        level_layer: SITE.to_owned(),
        limits: check.params.iter().map(limit).collect(),
        require_subject: false,
        require_subject_layer: CHECK.to_owned(),
        relaxed: Vec::new(),
    };
    EffectiveCheck { check: Arc::clone(check), variants: vec![variant], layers: vec![SITE.to_owned()] }
}

/// The figures of each pack, with those that the site sets.
fn params(chain: &[&Pack], site: Option<&Site>) -> (BTreeMap<String, Vec<Effective>>, Vec<Relaxation>) {
    let mut by_layer = BTreeMap::from([(SITE.to_owned(), Vec::new())]);
    let mut relaxed = Vec::new();
    for pack in chain {
        let mut figures = Vec::new();
        for param in &pack.params {
            let set = site.and_then(|site| site.params.get(&(pack.name.clone(), param.name.clone())));
            let (value, layer) = match set {
                Some(value) => (value, SITE),
                None => (&param.default, pack.name.as_str()),
            };
            if value.is_milder(&param.default, param.stricter) {
                relaxed.push(Relaxation {
                    check: format!("{}: params.{}", pack.name, param.name),
                    layer: SITE.to_owned(),
                    what: param.name.clone(),
                    from: param.default.shown(),
                    from_layer: pack.name.clone(),
                    to: value.shown(),
                    because: String::new(),
                    source: String::new(),
                });
            }
            figures.push(Effective {
                name: param.name.clone(),
                value: value.clone(),
                layer: layer.to_owned(),
                low_confidence: param.low_confidence && set.is_none(),
            });
        }
        by_layer.insert(pack.name.clone(), figures);
    }
    (by_layer, relaxed)
}

/// The site knows best; then the platform, which says what a box boots from and nothing else; then the solution, the
/// more special pack first; then the base.
fn roles(chain: &[&Pack], site: Option<&Site>) -> Roles {
    let of = |kind: PackKind| chain.iter().rev().filter(move |pack| pack.kind == kind).map(|pack| &pack.roles);
    let in_order = site
        .map(|site| &site.roles)
        .into_iter()
        .chain(of(PackKind::Platform))
        .chain(of(PackKind::Solution))
        .chain(of(PackKind::Base));
    let mut roles = Roles::default();
    for layer in in_order {
        roles.drive.extend(layer.drive.iter().cloned());
        roles.nic.extend(layer.nic.iter().cloned());
    }
    roles
}

fn used(pack: &Pack) -> PackUsed {
    PackUsed {
        name: pack.name.clone(),
        title: pack.title.clone(),
        version: pack.version.clone(),
        kind: pack.kind,
        digest: pack.digest,
        expires: pack.expires,
        handed_in: pack.handed_in,
    }
}
