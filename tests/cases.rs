//! Every check has cases, and they hold.

use passmuster::evaluate::{CaseReport, finding::Verdict, run_cases};
use passmuster::rules::cases::{self, Case, Wanted};
use passmuster::rules::limit::Value;
use passmuster::rules::load::RuleSet;
use std::collections::BTreeMap;
use std::path::Path;

pub type Files = Vec<(String, String)>;
pub type Cases = BTreeMap<String, Vec<Case>>;

/// All YAML files of a folder of the project, by path.
pub fn files(folder: &str) -> Files {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(root.join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{folder}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if path.ends_with(".yaml") {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
}

pub fn borrowed(files: &Files) -> Vec<(&str, &str)> {
    files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// The checks of the project and their cases; mistakes are shown with their place.
pub fn load() -> (RuleSet, Cases) {
    let checks = files("checks");
    let fixtures = files("fixtures/checks");
    let shown = |errors: Vec<passmuster::rules::diagnostic::RuleError>| {
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let rules = RuleSet::load(&borrowed(&checks), &[]).map_err(shown).unwrap_or_else(|errors| panic!("{errors}"));
    let cases =
        cases::load(&rules, &borrowed(&fixtures), &[]).map_err(shown).unwrap_or_else(|errors| panic!("{errors}"));
    (rules, cases)
}

fn told(report: &CaseReport) -> String {
    let mut told = String::new();
    for outcome in report.broken() {
        told.push_str(&format!("{} {:?}\n", outcome.place, outcome.case));
        for mismatch in &outcome.mismatches {
            told.push_str(&format!("    {mismatch}\n"));
        }
    }
    told
}

#[test]
fn all_cases_hold() {
    let (rules, cases) = load();
    let report = run_cases(&rules, &cases);
    let told = told(&report);
    assert!(told.is_empty(), "{} of {} cases hold\n{told}", report.held(), report.outcomes.len());
    println!("{} cases of {} checks hold", report.held(), cases.len());
}

fn wanted(case: &Case) -> Vec<Verdict> {
    match &case.verdict {
        Wanted::All(verdict) => vec![*verdict],
        Wanted::Each(each) => each.values().copied().collect(),
    }
}

#[test]
fn every_check_has_a_case_that_passes_and_one_that_fails() {
    let (rules, cases) = load();
    for (id, check) in &rules.checks {
        let cases = cases.get(id).unwrap_or_else(|| panic!("{id} has no cases"));
        let has = |verdict| cases.iter().any(|case| wanted(case).contains(&verdict));
        assert!(has(Verdict::Pass), "no case of {id} passes");
        assert!(has(check.level.failed()), "no case of {id} fails");
        // How many nodes there are is always known.
        assert!(id == "cluster.node-count" || has(Verdict::Unknown), "in no case of {id} it cannot be told");
    }
}

/// A case stands on the side of a limit by its name: "at `min_cores`", "beyond `min_cores`".
#[test]
fn every_numeric_limit_has_both_sides() {
    let (rules, cases) = load();
    for (id, check) in &rules.checks {
        for param in &check.params {
            if !matches!(param.default, Value::Int(_) | Value::Quantity(..)) {
                continue;
            }
            for (side, holds) in [("at", true), ("beyond", false)] {
                let name = format!("{side} {}", param.name);
                let case = cases[id].iter().find(|case| case.name.starts_with(&name));
                let case = case.unwrap_or_else(|| panic!("no case of {id} begins with {name:?}"));
                let expected = if holds { Verdict::Pass } else { check.level.failed() };
                assert_eq!(wanted(case), [expected], "{id}: {}", case.name);
                assert!(case.settings.iter().all(|setting| setting.name != param.name), "{id}: {} sets it", case.name);
            }
        }
    }
}
