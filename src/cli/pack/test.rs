//! `muster pack test`: judges the cases of checks.

use super::super::exit::{Exit, Failure};
use super::super::files;
use super::super::rulebook::{self, RulesArgs};
use crate::evaluate::{CaseReport, run_cases};
use crate::report::text::shown;
use crate::rules::diagnostic::quoted;
use crate::rules::load::RuleSet;
use crate::rules::{builtin, cases};
use crate::words::{counted, nearest};
use clap::Args;
use std::collections::BTreeSet;

/// Arguments of `pack test`.
#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    /// Only these checks [default: those of --rules; without it all that are built in]
    #[arg(value_name = "CHECK")]
    checks: Vec<String>,
    #[command(flatten)]
    rules: RulesArgs,
}

/// Runs it.
pub(crate) fn run(args: TestArgs) -> Result<Exit, Failure> {
    let overlays = rulebook::overlays(&args.rules)?;
    let rules = RuleSet::load(builtin::RULES, &overlays).map_err(|errors| rulebook::mistakes(&errors))?;
    let chosen = chosen(&args, &rules)?;
    let mut all = cases::load(&rules, builtin::CASES, &overlays).map_err(|errors| rulebook::mistakes(&errors))?;
    all.retain(|check, _| chosen.contains(check.as_str()));
    let without: Vec<&str> = chosen.iter().copied().filter(|check| all.get(*check).is_none_or(Vec::is_empty)).collect();
    let report = run_cases(&rules, &all);
    files::stdout(told(&report, chosen.len()).as_bytes())?;
    for check in &without {
        files::complain(&format!("{check} has no case: write one into fixtures/checks/{check}.yaml"));
    }
    match (report.broken().count(), without.is_empty()) {
        (0, true) => Ok(Exit::Ready),
        (0, false) => Err(Failure::silent(Exit::BadInput)),
        _ => Ok(Exit::NotReady),
    }
}

/// The checks whose cases are judged.
fn chosen<'a>(args: &'a TestArgs, rules: &'a RuleSet) -> Result<BTreeSet<&'a str>, Failure> {
    if args.checks.is_empty() {
        let own = !args.rules.rules.is_empty();
        let checks = rules.checks.values().filter(|check| !own || check.handed_in);
        let checks: BTreeSet<&str> = checks.map(|check| check.id.as_str()).collect();
        return match checks.is_empty() {
            true => Err(Failure::new(Exit::BadInput, "no check is handed in: name those to test, or give no --rules")),
            false => Ok(checks),
        };
    }
    let mut lines = Vec::new();
    for name in &args.checks {
        if !rules.checks.contains_key(name) {
            let near = nearest(name, rules.checks.keys().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            lines.push(format!("there is no check {}{hint}", quoted(name)));
        }
    }
    if lines.is_empty() {
        Ok(args.checks.iter().map(String::as_str).collect())
    } else {
        Err(Failure { exit: Exit::Usage, lines })
    }
}

fn told(report: &CaseReport, checks: usize) -> String {
    let mut out = String::new();
    for outcome in report.broken() {
        out.push_str(&format!("{}: {}: {}\n", shown(&outcome.place), outcome.check, shown(&outcome.case)));
        for mismatch in &outcome.mismatches {
            out.push_str(&format!("    {}\n", shown(&mismatch.to_string())));
        }
    }
    let broken = report.broken().count();
    let cases = counted(report.outcomes.len(), "case");
    let verdict = match broken {
        0 if report.outcomes.is_empty() => "nothing was judged".to_owned(),
        0 => "all hold".to_owned(),
        1 => "1 does not hold".to_owned(),
        n => format!("{n} do not hold"),
    };
    out.push_str(&format!("{cases} of {}: {verdict}\n", counted(checks, "check")));
    out
}
