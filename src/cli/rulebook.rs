//! Which rules are judged by: the built-in ones, those handed in, the solution, the site file and the profile.

use super::exit::{Exit, Failure};
use super::files;
use crate::rules::builtin;
use crate::rules::diagnostic::{RuleError, render};
use crate::rules::files::Overlay;
use crate::rules::load::RuleSet;
use crate::rules::site::Site;
use clap::Args;
use std::path::{Path, PathBuf};

/// Largest file of rules that is read, in bytes.
const FILE_BYTES: u64 = 4 << 20;

/// Where rules come from.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// Add the rules of this folder, or replace built-in ones by those of the same path (it holds checks/ and rules/)
    #[arg(long, value_name = "DIR")]
    pub(crate) rules: Vec<PathBuf>,
}

/// What is judged for.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArgs {
    #[command(flatten)]
    rules: RulesArgs,
    /// The solution that will run on the hardware (see `muster pack list`) [default: the site file's; else base checks alone]
    #[arg(long = "for", value_name = "SOLUTION")]
    solution: Option<String>,
    /// What the deployment says about itself: roles of drives, bill of materials, overrides, waivers
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// Other weights, as the packs define them
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
}

/// What is judged by.
pub(crate) struct Choice {
    /// All rules there are.
    pub(crate) rules: RuleSet,
    /// The solution, if one was named.
    pub(crate) solution: Option<String>,
    /// The site file.
    pub(crate) site: Option<Site>,
    /// The profile, if one was named.
    pub(crate) profile: Option<String>,
}

impl Choice {
    /// The solution: the one that was named, else the site file's.
    pub(crate) fn chosen(&self) -> Option<&str> {
        self.solution.as_deref().or_else(|| self.site.as_ref()?.solution.as_deref())
    }
}

impl ChoiceArgs {
    /// Reads the rules, before any machine is read.
    ///
    /// # Errors
    /// All mistakes of all files.
    pub(crate) fn load(self) -> Result<Choice, Failure> {
        let rules = load(&self.rules)?;
        let site = self.site.as_deref().map(|path| site(&rules, path)).transpose()?;
        let choice = Choice { solution: self.solution, site, profile: self.profile, rules };
        choice
            .rules
            .select(choice.chosen(), None, choice.site.as_ref(), choice.profile.as_deref())
            .map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
        Ok(choice)
    }
}

/// The rules of the program and of the folders handed in.
///
/// # Errors
/// All mistakes of all files.
pub(crate) fn load(args: &RulesArgs) -> Result<RuleSet, Failure> {
    RuleSet::load(builtin::RULES, &overlays(args)?).map_err(|errors| mistakes(&errors))
}

/// The files of the folders handed in.
///
/// # Errors
/// A line for each folder that cannot be read.
pub(crate) fn overlays(args: &RulesArgs) -> Result<Vec<Overlay>, Failure> {
    let mut overlays = Vec::new();
    let mut lines = Vec::new();
    for folder in &args.rules {
        match files::rule_files(folder, FILE_BYTES) {
            Ok(files) if files.is_empty() => {
                lines.push(format!(
                    "{} holds no rules: no .yaml under checks/, rules/ or fixtures/checks/",
                    folder.display()
                ));
            }
            Ok(files) => overlays.push(Overlay { root: folder.display().to_string(), files }),
            Err(cause) => lines.push(cause),
        }
    }
    if lines.is_empty() { Ok(overlays) } else { Err(Failure { exit: Exit::BadInput, lines }) }
}

/// A site file.
///
/// # Errors
/// If it cannot be read; all mistakes in it.
pub(crate) fn site(rules: &RuleSet, path: &Path) -> Result<Site, Failure> {
    site_of(rules, path)?.map_err(|errors| mistakes(&errors))
}

/// A site file, or the mistakes in it.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn site_of(rules: &RuleSet, path: &Path) -> Result<Result<Site, Vec<RuleError>>, Failure> {
    let bytes = files::read(path, FILE_BYTES)
        .map_err(|cause| Failure::new(Exit::BadInput, format!("cannot read {}: {cause}", path.display())))?;
    Ok(rules.site(&path.display().to_string(), &bytes))
}

/// Mistakes in rules, each at its place, and how many there are.
pub(crate) fn mistakes(errors: &[RuleError]) -> Failure {
    files::stderr(&render(errors, false));
    Failure::new(Exit::BadInput, format!("{} in the rules; nothing was judged", count(errors.len(), "mistake")))
}

/// "1 mistake", "2 mistakes".
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
