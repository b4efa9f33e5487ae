//! `muster check`: reads this machine, judges it, reports.

use super::exit::{Exit, Failure};
use super::judging::{self, ReportArgs};
use super::progress::Progress;
use crate::collect::collect_with;
use crate::host::Live;
use clap::Args;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    report: ReportArgs,
}

/// Runs it.
pub(crate) fn run(args: CheckArgs) -> Result<Exit, Failure> {
    let host = Live::new();
    let plan = args.report.plan(&host)?;
    let inventory = {
        let progress = Progress::start();
        collect_with(&host, &|section| progress.section(section))
    };
    judging::report(&[inventory], &plan)
}
