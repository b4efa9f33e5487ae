//! `muster judge`: judges recorded machines, offline, any number of them together.

use super::exit::{Exit, Failure};
use super::input;
use super::judging::{self, ReportArgs};
use crate::host::Live;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `judge`.
#[derive(Debug, Args)]
pub(crate) struct JudgeArgs {
    /// Inventories (from `muster collect`) or captures (folders, tar archives); - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs it.
pub(crate) fn run(args: JudgeArgs) -> Result<Exit, Failure> {
    let plan = args.report.plan(&Live::new())?;
    judging::report(&input::nodes(&args.files)?, &plan)
}
