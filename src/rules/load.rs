//! From files to a rule set: everything read, compiled and held against each other, all mistakes in one go.
//!
//! Touches no machine and no disk: paths and bytes come from the caller.

use crate::rules::check::{self, Check};
use crate::rules::diagnostic::{Errors, RuleError, error, quoted};
use crate::rules::digest::{self, Digest};
use crate::rules::facts::Facts;
use crate::rules::files::{self, File, Folder, Overlay, Role};
use crate::rules::knowledge::{self, Knowledge};
use crate::rules::layers::{CHECK, Demand, SITE, combine};
use crate::rules::pack::{self, BASE, Checks, Pack, PackKind};
use crate::rules::raw::check::RawCheck;
use crate::rules::raw::knowledge::RawKnowledge;
use crate::rules::raw::pack::RawPack;
use crate::rules::read::{Read, Reader};
use crate::rules::source::{Source, Span};
use crate::rules::tree;
use crate::words::did_you_mean;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Packs that one pack may build on, directly or not.
const MAX_CHAIN: usize = 32;

/// All rules there are: what can be judged and who demands it.
#[derive(Debug)]
pub struct RuleSet {
    /// By id.
    pub checks: BTreeMap<String, Arc<Check>>,
    /// By name.
    pub packs: BTreeMap<String, Pack>,
    /// What the field knows.
    pub knowledge: Arc<Knowledge>,
    /// Paths of built-in files that something else was put in the place of.
    pub replaced: Vec<String>,
    /// The facts that expressions were compiled against.
    pub facts: Facts,
    pub(crate) before_roles: Facts,
    /// What smelled while loading.
    pub(crate) warnings: Vec<RuleError>,
}

/// A file as written, with the place and digest of its content.
struct Written<T> {
    raw: T,
    source: Arc<Source>,
    digest: Digest,
    role: Role,
    handed_in: bool,
}

impl RuleSet {
    /// Reads and compiles the built-in files and what is handed in, the later over the earlier.
    ///
    /// # Errors
    /// All mistakes of all files, sorted by file and place.
    pub fn load(builtin: &[(&str, &str)], overlays: &[Overlay]) -> Result<Self, Vec<RuleError>> {
        let mut errors = Errors::default();
        let (files, replaced) = files::merge(builtin, overlays, &mut errors);
        let mut checks: Vec<Written<RawCheck>> = Vec::new();
        let mut packs: Vec<Written<RawPack>> = Vec::new();
        let mut written_knowledge: Vec<Written<RawKnowledge>> = Vec::new();
        let mut broken = Vec::new();
        for file in files.values() {
            match &file.role {
                Role::Check(id) => match written(file, &mut errors) {
                    Some(check) => checks.push(check),
                    None => broken.push(id.clone()),
                },
                Role::Pack(..) => packs.extend(written(file, &mut errors)),
                Role::Knowledge => written_knowledge.extend(written(file, &mut errors)),
                // Read where probes are and by the tests of packs.
                Role::Workload | Role::Cases(_) => {}
            }
        }

        let (mut facts, mut before_roles) = (Facts::whole(), Facts::before_roles());
        let checks = compile_checks(&checks, &mut broken, &mut facts, &mut errors);
        let mut packs = compile_packs(&packs, (&checks, &broken), (&mut facts, &mut before_roles), &mut errors);
        extends(&packs, &mut errors);
        let mut drives = Vec::new();
        let mut rows = 0;
        for file in &written_knowledge {
            let mut reader = Reader { source: &file.source, errors: &mut errors };
            drives.extend(knowledge::drive_rows(&file.raw, &mut rows, &mut reader));
        }
        let digests: Vec<Digest> = written_knowledge.iter().map(|file| file.digest).collect();
        for pack in packs.values_mut() {
            pack.digest = digest::with_knowledge(pack.digest, &digests);
        }
        let is_handed_in = written_knowledge.iter().any(|file| file.handed_in);
        let knowledge = Arc::new(Knowledge::new(drives, is_handed_in, &mut errors));
        let mut rules = Self { checks, packs, knowledge, replaced, facts, before_roles, warnings: Vec::new() };
        rules.relaxations(&mut errors);
        if errors.has_errors() {
            return Err(errors.into_refusal());
        }
        rules.warnings = errors.into_sorted();
        Ok(rules)
    }

    /// The packs that a pack builds on and itself, each after those that it builds on; the base first.
    #[must_use]
    pub fn chain(&self, name: &str) -> Vec<&Pack> {
        chain(&self.packs, name)
    }

    /// What relaxes what comes before it has to say why and whence.
    fn relaxations(&self, errors: &mut Errors) {
        for pack in self.packs.values() {
            let chain = self.chain(&pack.name);
            if chain.len() > MAX_CHAIN {
                let span = pack.extends_at.first().copied().unwrap_or(pack.origin.1);
                errors.at(&pack.origin.0, span, format!("builds on {MAX_CHAIN} packs or more"));
                continue;
            }
            for (id, cases) in &pack.demands {
                let Some(check) = self.checks.get(id) else {
                    continue;
                };
                let combined = combine(check, &demands(&chain, id));
                let place = cases.first().map_or(pack.origin.1, |case| case.span);
                if combined.too_many {
                    let message = format!("the cases of `{id}` over all packs below have too many combinations");
                    errors.at(&pack.origin.0, place, message);
                }
                for missing in combined.unfounded {
                    let relaxed = &missing.relaxation;
                    let what = if relaxed.what == "level" { "the level" } else { relaxed.what.as_str() };
                    errors.advise(
                        &pack.origin.0,
                        missing.span,
                        format!(
                            "{what} {} is milder than {}, which `{}` demands",
                            relaxed.to, relaxed.from, relaxed.from_layer
                        ),
                        format!("to relax takes {} at this place", missing.lacks),
                    );
                }
            }
        }
    }
}

/// The packs that a pack builds on and itself, each after those that it builds on; the base first. No more than
/// [`MAX_CHAIN`] and one: a longer chain is refused.
fn chain<'a>(packs: &'a BTreeMap<String, Pack>, name: &str) -> Vec<&'a Pack> {
    let mut chain = Vec::new();
    let mut seen = BTreeSet::new();
    for start in [BASE, name] {
        let Some((start, _)) = packs.get_key_value(start) else {
            continue;
        };
        // The names still to be looked at; `true` once those that it builds on are in.
        let mut stack = vec![(start.as_str(), false)];
        while let Some((name, done)) = stack.pop() {
            let Some(pack) = packs.get(name) else {
                continue;
            };
            if done {
                chain.push(pack);
            } else if seen.len() <= MAX_CHAIN && seen.insert(name) {
                stack.push((name, true));
                stack.extend(pack.extends.iter().rev().map(|parent| (parent.as_str(), false)));
            }
        }
    }
    chain
}

/// The demands of packs on one check, in their order.
pub(crate) fn demands<'a>(chain: &[&'a Pack], id: &str) -> Vec<Demand<'a>> {
    let demand = |pack: &&'a Pack| {
        let cases = pack.demands.get(id)?;
        Some(Demand { layer: pack.name.as_str(), kind: Some(pack.kind), cases: cases.as_slice() })
    };
    chain.iter().filter_map(demand).collect()
}

/// Reads one file; `None` if it is no YAML that can be read on.
fn written<T: Read>(file: &File<'_>, errors: &mut Errors) -> Option<Written<T>> {
    let source = tree::decode(&file.shown, file.bytes, errors)?;
    let root = tree::parse(&source, errors)?;
    let raw = T::read(&root, &mut Reader { source: &source, errors });
    Some(Written { raw, digest: digest::of_tree(&root), source, role: file.role.clone(), handed_in: file.handed_in })
}

fn compile_checks(
    written: &[Written<RawCheck>],
    broken: &mut Vec<String>,
    facts: &mut Facts,
    errors: &mut Errors,
) -> Checks {
    let mut checks = Checks::new();
    for file in written {
        let Role::Check(id) = &file.role else {
            continue;
        };
        let mut reader = Reader { source: &file.source, errors };
        if !file.raw.id.is_broken() && *file.raw.id != **id {
            let message = format!("the id {} is not that of the path, `{id}`", quoted(&file.raw.id));
            reader.error(file.raw.id.span(), message);
        }
        match check::check(&file.raw, file.digest, file.handed_in, facts, &mut reader) {
            Some(check) => {
                checks.insert(id.clone(), Arc::new(check));
            }
            None => broken.push(id.clone()),
        }
    }
    checks
}

fn compile_packs(
    written: &[Written<RawPack>],
    checks: (&Checks, &[String]),
    facts: (&mut Facts, &mut Facts),
    errors: &mut Errors,
) -> BTreeMap<String, Pack> {
    let mut packs: BTreeMap<String, Pack> = BTreeMap::new();
    for file in written {
        let Role::Pack(stem, folder) = &file.role else {
            continue;
        };
        let mut reader = Reader { source: &file.source, errors };
        place(&file.raw, stem, *folder, &mut reader);
        let pack = pack::pack(&file.raw, file.digest, file.handed_in, checks, (facts.0, facts.1), &mut reader);
        if let Some(other) = packs.get(stem) {
            let message = format!("a pack `{stem}` is in {} already", other.origin.0.path);
            errors.at(&file.source, file.raw.pack.span(), message);
        } else {
            packs.insert(stem.clone(), pack);
        }
    }
    packs
}

/// Name and kind of a pack go by its path.
fn place(raw: &RawPack, stem: &str, folder: Folder, reader: &mut Reader<'_>) {
    if !raw.pack.is_broken() && *raw.pack != *stem {
        reader.error(raw.pack.span(), format!("the name {} is not that of the file, `{stem}`", quoted(&raw.pack)));
    }
    if [SITE, CHECK].contains(&stem) {
        reader.error(raw.pack.span(), format!("`{stem}` is the name of a layer already"));
    }
    match (folder, &raw.r#match) {
        (Folder::Rules, _) if stem != BASE => {
            let help = "put it into rules/solutions or rules/platforms";
            reader.advise(raw.pack.span(), "the only pack in this folder is `base`", help);
        }
        (Folder::Rules | Folder::Solutions, Some(matches)) => {
            let help = "put a platform into rules/platforms; a solution is chosen, with `match: null`";
            reader.advise(matches.span(), "only a platform matches machines", help);
        }
        (Folder::Platforms, None) => {
            let help = "an expression on `node.system` says which machines are one";
            reader.advise(Span::empty(raw.span.start), "a platform without `match`", help);
        }
        _ => {}
    }
    if stem == BASE && raw.extends.as_ref().is_some_and(|extends| !extends.is_empty()) {
        reader.error(raw.span, "the base builds on nothing");
    }
}

/// What is built on has to be there, of a fitting kind, and not in a circle.
fn extends(packs: &BTreeMap<String, Pack>, errors: &mut Errors) {
    for pack in packs.values() {
        for (parent, span) in pack.extends.iter().zip(&pack.extends_at) {
            let source = &pack.origin.0;
            match packs.get(parent) {
                // An empty name is one that could not be read, which is told.
                None if parent.is_empty() => {}
                None => {
                    let mut unknown = error(source, *span, format!("there is no pack {}", quoted(parent)));
                    unknown.help = did_you_mean(parent, packs.keys().map(String::as_str));
                    errors.push(unknown);
                }
                Some(parent) if parent.kind != PackKind::Base && parent.kind != pack.kind => {
                    let message = format!(
                        "`{}` is a {}, and a {} cannot build on it",
                        parent.name,
                        parent.kind.word(),
                        pack.kind.word()
                    );
                    errors.at(source, *span, message);
                }
                Some(_) => {}
            }
        }
        if let Some(circle) = circle(packs, &pack.name)
            // Once for each circle: at the pack whose name comes first.
            && circle.iter().all(|name| *name >= pack.name.as_str())
        {
            let span = pack.extends_at.first().copied().unwrap_or(pack.origin.1);
            let chain = circle.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" -> ");
            errors.at(
                &pack.origin.0,
                span,
                format!("packs build on each other in a circle: {chain} -> `{}`", pack.name),
            );
        }
    }
}

/// The shortest way by `extends` from a pack to itself, if it is no longer than a chain may be.
fn circle<'a>(packs: &'a BTreeMap<String, Pack>, name: &'a str) -> Option<Vec<&'a str>> {
    // By pack: the one that was seen to build on it.
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut waiting = VecDeque::from([name]);
    while let Some(last) = waiting.pop_front() {
        for parent in &packs.get(last)?.extends {
            if parent == name {
                let mut way = vec![last];
                while let Some(earlier) = way.last().filter(|step| **step != name).and_then(|step| before.get(step)) {
                    way.push(earlier);
                }
                way.reverse();
                return Some(way);
            }
            if before.len() < 4 * MAX_CHAIN && packs.contains_key(parent) && !before.contains_key(parent.as_str()) {
                before.insert(parent, last);
                waiting.push_back(parent);
            }
        }
    }
    None
}
