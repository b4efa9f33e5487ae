//! `muster pack lint`: mistakes in rules and what smells, each at its place.

use super::super::exit::{Exit, Failure};
use super::super::rulebook::{self, RulesArgs, count};
use super::super::{files, look};
use crate::rules::builtin;
use crate::rules::cases;
use crate::rules::diagnostic::{RuleError, Severity, render};
use crate::rules::files::Overlay;
use crate::rules::load::RuleSet;
use clap::Args;
use std::path::{Path, PathBuf};

/// Arguments of `pack lint`.
#[derive(Debug, Args)]
pub(crate) struct LintArgs {
    #[command(flatten)]
    rules: RulesArgs,
    /// Look at this site file too
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: look::Colour,
}

/// Runs it. Without a folder it looks at the built-in rules.
pub(crate) fn run(args: LintArgs) -> Result<Exit, Failure> {
    let overlays = rulebook::overlays(&args.rules)?;
    let mut found = Vec::new();
    let mut looked = vec![count(files_in(&overlays), "file")];
    match RuleSet::load(builtin::RULES, &overlays) {
        Err(errors) => found.extend(errors),
        Ok(rules) => {
            let handed_in =
                |check: &&std::sync::Arc<crate::rules::check::Check>| overlays.is_empty() || check.handed_in;
            looked.push(count(rules.checks.values().filter(handed_in).count(), "check"));
            found.extend(rules.lint());
            match cases::load(&rules, builtin::CASES, &overlays) {
                Err(errors) => found.extend(errors),
                Ok(cases) => {
                    let of = |id: &str| rules.checks.get(id).is_some_and(|check| handed_in(&check));
                    let number: usize = cases.iter().filter(|(id, _)| of(id)).map(|(_, cases)| cases.len()).sum();
                    looked.push(count(number, "case"));
                    found.extend(rules.lint_cases(&cases));
                }
            }
            if let Some(path) = &args.site {
                looked.push("the site file".to_owned());
                match rulebook::site_of(&rules, path)? {
                    Ok(_) => {}
                    Err(errors) => found.extend(errors),
                }
            }
        }
    }
    // What is built in is not the business of whoever hands in rules of their own.
    if !overlays.is_empty() {
        found.retain(|error| error.severity == Severity::Error || is_handed_in(error, &overlays));
    }
    found.sort_by(|a, b| (&a.source.path, a.span.start).cmp(&(&b.source.path, b.span.start)));
    if !found.is_empty() {
        files::stderr(&render(&found, look::Surroundings::of_stderr().colour(args.color)));
    }
    let errors = found.iter().filter(|error| error.severity == Severity::Error).count();
    let summary = format!(
        "{}, {}; looked at {}",
        count(errors, "mistake"),
        count(found.len() - errors, "warning"),
        looked.join(", ")
    );
    if errors > 0 {
        return Err(Failure::new(Exit::BadInput, summary));
    }
    files::stdout(format!("{summary}\n").as_bytes())?;
    Ok(Exit::Ready)
}

fn files_in(overlays: &[Overlay]) -> usize {
    match overlays {
        [] => builtin::RULES.len() + builtin::CASES.len(),
        overlays => overlays.iter().map(|overlay| overlay.files.len()).sum(),
    }
}

fn is_handed_in(error: &RuleError, overlays: &[Overlay]) -> bool {
    overlays.iter().any(|overlay| Path::new(&error.source.path).starts_with(&overlay.root))
}
