//! The rules that the program carries load without a mistake.

use passmuster::rules::diagnostic::render;
use passmuster::rules::load::RuleSet;
use passmuster::rules::{builtin, cases};

#[test]
fn the_built_in_rules_and_their_cases_load() {
    let rules = RuleSet::load(builtin::RULES, &[]).unwrap_or_else(|errors| panic!("{}", render(&errors, false)));
    cases::load(&rules, builtin::CASES, &[]).unwrap_or_else(|errors| panic!("{}", render(&errors, false)));
}

#[test]
fn every_solution_and_platform_can_be_selected_together() {
    let rules = RuleSet::load(builtin::RULES, &[]).unwrap_or_else(|errors| panic!("{}", render(&errors, false)));
    let name = |pack: &passmuster::rules::pack::Pack| Some(pack.name.clone());
    for solution in std::iter::once(None).chain(rules.solutions().map(name)) {
        for platform in std::iter::once(None).chain(rules.platforms().map(name)) {
            rules.select(solution.as_deref(), platform.as_deref(), None, None).unwrap();
        }
    }
}

#[test]
fn files_are_listed_by_path() {
    assert!(builtin::RULES.is_sorted_by_key(|(path, _)| *path));
    assert!(builtin::CASES.iter().all(|(path, _)| path.starts_with("fixtures/checks/")));
}
