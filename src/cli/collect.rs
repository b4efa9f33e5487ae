//! `muster collect`: this machine's inventory, or a capture's; and all that was read, to be judged elsewhere.

use super::exit::{Exit, Failure};
use super::progress::Progress;
use super::{files, input, judging};
use crate::collect::collect_with;
use crate::host::{Host, Live, Record};
use clap::Args;
use std::path::PathBuf;

/// Arguments of `collect`.
#[derive(Debug, Args)]
pub(crate) struct CollectArgs {
    /// Read this capture (a folder or a tar archive) in the place of this machine
    #[arg(long, value_name = "PATH")]
    from: Option<PathBuf>,
    /// Write all that was read into this folder, which must be missing or empty
    #[arg(long, value_name = "DIR")]
    capture: Option<PathBuf>,
    /// Write the inventory to this file in the place of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Runs it.
pub(crate) fn run(args: CollectArgs) -> Result<Exit, Failure> {
    // Told before minutes are spent on reading.
    if let Some(folder) = &args.capture {
        files::check_free(folder)?;
    }
    let host: Box<dyn Host> = match &args.from {
        Some(path) => Box::new(input::capture(path)?),
        None => Box::new(Live::new()),
    };
    let record = Record::new(&*host);
    let inventory = {
        let progress = Progress::start();
        collect_with(&record, &|section| progress.section(section))
    };
    if let Some(folder) = &args.capture {
        files::write_tree(folder, &record.capture())?;
    }
    let json = judging::to_json(&inventory)?;
    match &args.output {
        Some(path) => files::write(path, &json)?,
        None => files::stdout(&json)?,
    }
    Ok(Exit::Ready)
}
