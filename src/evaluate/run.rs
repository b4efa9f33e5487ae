//! One judging of some nodes: findings, the verdict over them, and what they do not say.

use super::catalogue;
use super::finding::{Finding, Overall, Verdict};
use crate::inventory::Inventory;

/// What a run is told beside the inventories.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The day on which it is judged what has expired.
    pub as_of: jiff::civil::Date,
}

/// The outcome of a run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Every verdict, in the order of nodes and checks.
    pub findings: Vec<Finding>,
    /// The verdict over all of them.
    pub overall: Overall,
    /// The nodes, in the order of their names.
    pub nodes: Vec<NodeSummary>,
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
    /// The verdict over its own findings.
    pub overall: Overall,
    /// How many findings of each kind.
    pub counts: Counts,
}

/// How many findings of each verdict; waived ones are counted under `waived` alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Failures.
    pub fail: usize,
    /// Not told.
    pub unknown: usize,
    /// Warnings.
    pub warn: usize,
    /// Notes.
    pub note: usize,
    /// Does not apply.
    pub skipped: usize,
    /// Holds.
    pub pass: usize,
    /// Answered for by somebody.
    pub waived: usize,
}

impl Counts {
    /// Counts findings.
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            let slot = match (finding.waived.is_some(), finding.verdict) {
                (true, _) => &mut counts.waived,
                (false, Verdict::Fail) => &mut counts.fail,
                (false, Verdict::Unknown) => &mut counts.unknown,
                (false, Verdict::Warn) => &mut counts.warn,
                (false, Verdict::Note) => &mut counts.note,
                (false, Verdict::Skipped) => &mut counts.skipped,
                (false, Verdict::Pass) => &mut counts.pass,
            };
            *slot += 1;
        }
        counts
    }
}

/// A pack that was judged by.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Judges nodes. Same inventories, same findings, in whatever order they come.
#[must_use]
pub fn judge(nodes: &[Inventory], _settings: &Settings) -> Run {
    let checks = catalogue::checks();
    let mut judged: Vec<(String, Vec<Finding>)> = named(nodes)
        .into_iter()
        .map(|(name, inventory)| {
            let findings = checks.iter().flat_map(|check| check.judge(inventory, &name)).collect();
            (name, findings)
        })
        .collect();
    judged.sort_by(|(left, _), (right, _)| left.cmp(right));
    let summaries = judged
        .iter()
        .map(|(name, findings)| NodeSummary {
            name: name.clone(),
            overall: Overall::of(findings),
            counts: Counts::of(findings),
        })
        .collect();
    let findings: Vec<Finding> = judged.into_iter().flat_map(|(_, findings)| findings).collect();
    let overall = Overall::of(&findings);
    let certifying = certifying(nodes, &findings);
    Run { findings, overall, nodes: summaries, packs: Vec::new(), remains: Vec::new(), certifying }
}

/// Nodes by host name. Equal and unknown names are told apart by the serial number or a number of their own.
#[must_use]
pub fn named(nodes: &[Inventory]) -> Vec<(String, &Inventory)> {
    let mut named: Vec<(String, &Inventory)> = nodes
        .iter()
        .map(|inventory| {
            let name = inventory.node.hostname.known().filter(|name| !name.is_empty());
            (name.cloned().unwrap_or_else(|| "unnamed".to_owned()), inventory)
        })
        .collect();
    // The order in which files were given must not show: equal names are ordered by what tells the nodes apart.
    named.sort_by_cached_key(|(name, inventory)| (name.clone(), identity(inventory)));
    let names: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
    let mut seen = 0;
    for (index, (name, _)) in named.iter_mut().enumerate() {
        let before = index.checked_sub(1).and_then(|before| names.get(before));
        let after = names.get(index + 1);
        seen = if before == Some(name) { seen + 1 } else { 1 };
        if before == Some(name) || after == Some(name) {
            *name = format!("{name}#{seen}");
        }
    }
    named
}

/// What tells nodes of one name apart, in an order that does not depend on how they were given.
fn identity(inventory: &Inventory) -> String {
    let system = &inventory.node.system;
    [&system.serial, &system.uuid, &inventory.collected_at]
        .map(|reading| reading.known().cloned().unwrap_or_default())
        .join("/")
}

fn certifying(nodes: &[Inventory], findings: &[Finding]) -> Certifying {
    let mut missing = vec!["no solution was chosen".to_owned(), "no platform pack matched".to_owned()];
    if nodes.iter().any(|node| node.node.system.virtual_machine.known() != Some(&false)) {
        missing.push("a node is a virtual machine, or may be one".to_owned());
    }
    if findings.iter().any(|finding| finding.verdict == Verdict::Unknown) {
        missing.push("a fact that a check needs is unknown".to_owned());
    }
    if matches!(Overall::of(findings), Overall::NotReady | Overall::Undetermined) {
        missing.push("the verdict is not ready".to_owned());
    }
    missing.push("nothing was probed".to_owned());
    Certifying { certifying: missing.is_empty(), missing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::finding::Level;
    use crate::reading::{Collection, Reading};

    fn inventory(json: serde_json::Value) -> Inventory {
        let mut whole = serde_json::json!({
            "schema": crate::inventory::SCHEMA, "version": "1.2.3", "collected_at": null, "node": {},
            "sources": ["/sys/a"], "errors": [{"operation": "read /x", "kind": "permission-denied", "cause": "permission denied"}]
        });
        whole["node"] = json;
        serde_json::from_value(whole).expect("an inventory")
    }

    fn run(json: serde_json::Value) -> Run {
        judge(&[inventory(json)], &settings())
    }

    fn settings() -> Settings {
        Settings { as_of: jiff::civil::date(2026, 1, 1) }
    }

    fn of<'a>(run: &'a Run, check: &str) -> Vec<(&'a str, Verdict, &'a str)> {
        run.findings
            .iter()
            .filter(|f| f.check == check)
            .map(|f| (f.subject.as_str(), f.verdict, f.message.as_str()))
            .collect()
    }

    #[test]
    fn nothing_collected_passes_nothing() {
        let run = run(serde_json::json!({}));
        assert!(run.findings.iter().all(|f| matches!(f.verdict, Verdict::Unknown)), "{:?}", run.findings);
        assert_eq!(run.overall, Overall::Undetermined);
        assert!(run.findings.iter().any(|f| f.message.contains("not collected by version 1.2.3")));
    }

    #[test]
    fn a_known_fact_is_judged_with_its_source() {
        let run = run(serde_json::json!({
            "cpu": {"threads_offline": 2, "threads_present": 8, "sources": {"threads_offline": 0}}
        }));
        let findings: Vec<&Finding> = run.findings.iter().filter(|f| f.check == "cpu.all-online").collect();
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!(finding.verdict, Verdict::Warn);
        assert_eq!(finding.message, "2 of 8 logical CPUs are offline");
        assert_eq!(finding.evidence[0].fact, "cpu.threads_offline");
        assert_eq!(finding.evidence[0].source, "/sys/a");
        assert_eq!(finding.evidence[0].value, serde_json::json!(2));
    }

    #[test]
    fn a_partial_collection_never_passes_as_a_whole() {
        let drive = serde_json::json!({"name": "sda", "read_only": false});
        let whole = run(serde_json::json!({"drives": [drive]}));
        assert_eq!(of(&whole, "media.writable"), [("drive sda", Verdict::Pass, "read-only: false")]);
        let partial = run(serde_json::json!({"drives": {"items": [drive], "partial": [0]}}));
        assert_eq!(
            of(&partial, "media.writable"),
            [
                ("drive sda", Verdict::Pass, "read-only: false"),
                (
                    "every drive",
                    Verdict::Unknown,
                    "there may be more than the 1 seen: cannot read /x: permission denied"
                ),
            ]
        );
        let none = run(serde_json::json!({"drives": {"unreadable": 0}}));
        assert_eq!(of(&none, "media.writable")[0].1, Verdict::Unknown);
        let empty = run(serde_json::json!({"drives": []}));
        assert_eq!(of(&empty, "media.writable")[0].1, Verdict::Skipped);
    }

    #[test]
    fn media_of_a_virtual_machine_are_skipped_and_of_an_unknown_machine_unknown() {
        let drives = serde_json::json!([{"name": "vda", "media": "virtual", "model": "x"}]);
        let vm = run(serde_json::json!({"drives": drives, "system": {"virtual_machine": true}}));
        assert_eq!(of(&vm, "media.physical")[0].1, Verdict::Skipped);
        let metal = run(serde_json::json!({"drives": drives, "system": {"virtual_machine": false}}));
        assert_eq!(of(&metal, "media.physical"), [("drive vda", Verdict::Fail, "x is virtual")]);
        let unknown = run(serde_json::json!({"drives": drives, "system": {"virtual_machine": {"unreadable": 0}}}));
        assert_eq!(of(&unknown, "media.physical")[0].1, Verdict::Unknown);
    }

    /// The generated property of design: making a fact unreadable never turns a finding into pass, skipped or note.
    #[test]
    fn blurring_any_fact_never_makes_a_finding_milder() {
        let facts = serde_json::json!({
            "system": {"virtual_machine": false},
            "cpu": {"threads_offline": 2, "threads_present": 8, "microcode_revisions": ["0x1", "0x2"], "vulnerable": ["x"]},
            "memory": {"hardware_corrupted": 4096},
            "numa_nodes": [{"id": 0, "cpus": 4, "memory": 0}],
            "drives": [{"name": "sda", "media": "virtual", "read_only": true, "model": "m"}, {"name": "sdb", "media": "hdd", "id": null}],
            "nvme_controllers": [{"name": "nvme0", "state": "dead"}]
        });
        let worst = |run: &Run, check: &str| of(run, check).iter().map(|(_, verdict, _)| *verdict).min();
        let base = run(facts.clone());
        let mut paths = Vec::new();
        leaves(&facts, String::new(), &mut paths);
        assert!(paths.len() > 15, "{paths:?}");
        for path in paths {
            let mut blurred = facts.clone();
            *blurred.pointer_mut(&path).unwrap() = serde_json::json!({"unreadable": 0});
            let run = run(blurred);
            for check in catalogue::checks() {
                let (before, after) = (worst(&base, check.id), worst(&run, check.id));
                assert!(
                    after == before || after == Some(Verdict::Unknown),
                    "{path} {}: {before:?} {after:?}",
                    check.id
                );
            }
        }
    }

    fn leaves(value: &serde_json::Value, path: String, out: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(map) => {
                map.iter().for_each(|(key, value)| leaves(value, format!("{path}/{key}"), out));
            }
            serde_json::Value::Array(items) if items.iter().any(serde_json::Value::is_object) => {
                out.push(path.clone());
                items.iter().enumerate().for_each(|(index, value)| leaves(value, format!("{path}/{index}"), out));
            }
            _ => out.push(path),
        }
    }

    #[test]
    fn the_order_of_nodes_changes_nothing_and_equal_names_are_told_apart() {
        let mut first = inventory(serde_json::json!({"hostname": "n", "system": {"serial": "A"}}));
        let second = inventory(serde_json::json!({"hostname": "n", "system": {"serial": "B"}, "drives": []}));
        first.node.drives = Collection::Complete(Vec::new());
        first.node.system.serial = Reading::Known("A".to_owned());
        let one = judge(&[first.clone(), second.clone()], &settings());
        let two = judge(&[second, first], &settings());
        assert_eq!(one.findings, two.findings);
        assert_eq!(one.nodes.iter().map(|n| n.name.as_str()).collect::<Vec<_>>(), ["n#1", "n#2"]);
    }

    #[test]
    fn the_overall_verdict_follows_the_explicit_order() {
        let finding = |verdict, level, waived: bool| {
            let mut finding = run(serde_json::json!({})).findings.remove(0);
            finding.verdict = verdict;
            finding.level = level;
            finding.waived = waived.then(|| crate::evaluate::finding::Waived {
                reason: "r".to_owned(),
                owner: "o".to_owned(),
                expires: "2026-02-01".to_owned(),
            });
            finding
        };
        let fail = || finding(Verdict::Fail, Level::Must, false);
        let unknown_must = || finding(Verdict::Unknown, Level::Must, false);
        let unknown_should = || finding(Verdict::Unknown, Level::Should, false);
        let unknown_info = || finding(Verdict::Unknown, Level::Info, false);
        let warn = || finding(Verdict::Warn, Level::Should, false);
        let waived = || finding(Verdict::Fail, Level::Must, true);
        let pass = || finding(Verdict::Pass, Level::Must, false);
        let note = || finding(Verdict::Note, Level::Info, false);
        for (findings, expected) in [
            (vec![pass(), unknown_must(), warn(), fail()], Overall::NotReady),
            (vec![warn(), unknown_must(), waived()], Overall::Undetermined),
            (vec![pass(), warn()], Overall::ReadyWithWarnings),
            (vec![pass(), unknown_should()], Overall::ReadyWithWarnings),
            (vec![pass(), waived()], Overall::ReadyWithWarnings),
            (vec![pass(), note(), unknown_info()], Overall::Ready),
            (vec![finding(Verdict::Skipped, Level::Must, false)], Overall::Undetermined),
            (vec![], Overall::Undetermined),
        ] {
            assert_eq!(Overall::of(&findings), expected);
        }
    }
}
