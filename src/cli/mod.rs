//! The command line: arguments as typed, a resolved plan, outputs, and the exit code. One file a subcommand.
//!
//! Knows the library and how to call it; judges and reads nothing itself.

mod check;
mod collect;
mod completions;
mod exit;
mod explain;
mod files;
mod input;
mod judge;
mod judging;
mod look;
mod pack;
mod page;
mod progress;
mod rulebook;
mod signals;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use exit::{EXIT_CODES, Exit, Failure, PLAIN_CODES};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;

/// Does this hardware pass muster before a cluster is built on it?
#[derive(Debug, Parser)]
#[command(name = "muster", version, after_help = EXIT_CODES, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read this machine, judge it, and report
    #[command(after_help = EXIT_CODES)]
    Check(check::CheckArgs),
    /// Print this machine's inventory as JSON, and keep all that was read if asked to
    #[command(after_help = PLAIN_CODES)]
    Collect(collect::CollectArgs),
    /// Judge inventories and captures, offline
    #[command(after_help = EXIT_CODES)]
    Judge(judge::JudgeArgs),
    /// Tell what a check demands, why and whence; and of a run, how each verdict came about
    #[command(after_help = PLAIN_CODES)]
    Explain(explain::ExplainArgs),
    /// Rules: list, show, lint and test packs of checks
    Pack(pack::PackArgs),
    /// Print a script by which a shell completes the command line
    Completions(completions::CompletionsArgs),
    /// Print the manual pages
    Man(completions::ManArgs),
}

/// Runs the command line of this process.
#[must_use]
pub fn run() -> ExitCode {
    panic::set_hook(Box::new(apologise));
    signals::watch();
    ExitCode::from(guarded(command_line).code())
}

fn command_line() -> Result<Exit, Failure> {
    match Cli::try_parse() {
        Ok(cli) => match cli.command {
            Command::Check(args) => check::run(args),
            Command::Collect(args) => collect::run(args),
            Command::Judge(args) => judge::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Pack(args) => pack::run(args),
            Command::Completions(args) => completions::completions(&args),
            Command::Man(args) => completions::man(&args),
        },
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            files::stdout(error.render().to_string().as_bytes()).map(|()| Exit::Ready)
        }
        Err(error) => {
            files::stderr(&harmless(&error.render().to_string()));
            Err(Failure::silent(Exit::Usage))
        }
    }
}

/// What was typed comes back in messages: it does nothing to the terminal.
fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && crate::report::text::is_treacherous(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Tells what went wrong, and takes a panic for what it is: a mistake in muster, never a verdict.
fn guarded(command: impl FnOnce() -> Result<Exit, Failure>) -> Exit {
    match panic::catch_unwind(AssertUnwindSafe(command)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => {
            failure.lines.iter().for_each(|line| files::complain(line));
            failure.exit
        }
        Err(_) => Exit::Internal,
    }
}

fn apologise(panic: &PanicHookInfo<'_>) {
    let what = panic.payload_as_str().unwrap_or("no message");
    let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
    let version = env!("CARGO_PKG_VERSION");
    files::complain(&format!(
        "internal error: {what}{place} (version {version}). Please report this, with the command that you ran."
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn a_panic_is_an_internal_error_and_not_a_verdict() {
        assert_eq!(guarded(|| panic!("as a test")), Exit::Internal);
        assert_eq!(guarded(|| Ok(Exit::Warnings)), Exit::Warnings);
        assert_eq!(guarded(|| Err(Failure::silent(Exit::CannotWrite))), Exit::CannotWrite);
    }
}
