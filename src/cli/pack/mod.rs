//! `muster pack`: what rules there are, and whether those that somebody writes are sound.

mod lint;
mod list;
mod schema;
mod show;
mod test;

use super::exit::{Exit, Failure};
use clap::{Args, Subcommand};

/// Arguments of `pack`.
#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    #[command(subcommand)]
    command: PackCommand,
}

#[derive(Debug, Subcommand)]
enum PackCommand {
    /// List the packs
    List(list::ListArgs),
    /// Show what a pack demands, with every limit and who set it
    Show(show::ShowArgs),
    /// Look for mistakes in rules
    Lint(lint::LintArgs),
    /// Judge the cases of checks, and hold the verdicts against what is wanted
    #[command(after_help = CODES)]
    Test(test::TestArgs),
    /// Print the JSON Schema of a file of rules
    Schema(schema::SchemaArgs),
}

const CODES: &str = "\
Exit codes:
    0  every case holds
    2  a case does not hold
   64  wrong use of the command line
   65  the rules or the cases are wrong, or a check has no case";

/// Runs it.
pub(crate) fn run(args: PackArgs) -> Result<Exit, Failure> {
    match args.command {
        PackCommand::List(args) => list::run(args),
        PackCommand::Show(args) => show::run(args),
        PackCommand::Lint(args) => lint::run(args),
        PackCommand::Test(args) => test::run(args),
        PackCommand::Schema(args) => schema::run(args),
    }
}
