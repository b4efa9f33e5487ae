//! What `check` and `judge` share: their options, and the way from inventories to outputs and an exit code.

use super::exit::{Exit, FailOn, Failure};
use super::files;
use super::look::{Colour, Surroundings};
use super::rulebook::{Choice, ChoiceArgs};
use crate::evaluate::{self, Detail, Fleet, JudgeError, Settings};
use crate::host::Host;
use crate::report::terminal::{self, Look, Verbosity};
use crate::report::{Report, html, json, markdown, ocptv, parts};
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use jiff::civil::Date;
use std::path::PathBuf;

/// Options of the report.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(flatten)]
    choice: ChoiceArgs,
    /// What goes to standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Write report.html, report.json, report.md and report.txt into this folder as well
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the summary line alone
    #[arg(short, long, conflicts_with = "verbose")]
    quiet: bool,
    /// Print what passed and what does not apply too, with every fact and source
    #[arg(short, long)]
    verbose: bool,
    /// Exit 0 for everything milder than this
    #[arg(long, value_enum, value_name = "OUTCOME")]
    fail_on: Option<FailOn>,
    /// The day on which it is judged what has expired [default: today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    as_of: Option<Date>,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: Colour,
    /// Columns of the table [default: those of the terminal, at most 120; else 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=1000))]
    width: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people at a terminal
    Table,
    /// For programs: muster.report/v1
    Json,
    /// For tickets
    Markdown,
    /// For a browser, one file that needs nothing else
    Html,
    /// For test executives: OCP Test & Validation output 2.0, JSON lines
    Ocptv,
}

/// What is to be done with the verdict, nothing left open.
pub(crate) struct Plan {
    choice: Choice,
    format: Format,
    out: Option<PathBuf>,
    look: Look,
    fail_on: Option<FailOn>,
    as_of: Date,
    /// What is written down as the moment of judging: the beginning of the day that was asked for, or now.
    at: Timestamp,
}

impl ReportArgs {
    /// Resolves what was left open. `host` tells today's date.
    ///
    /// # Errors
    /// If the clock cannot be read and no date was given.
    pub(crate) fn plan(self, host: &dyn Host) -> Result<Plan, Failure> {
        let choice = self.choice.load()?;
        let surroundings = Surroundings::here();
        let (as_of, at) = moment(self.as_of, host)?;
        let verbosity = match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        Ok(Plan {
            choice,
            format: self.format,
            out: self.out,
            look: Look { width: surroundings.width(self.width), colour: surroundings.colour(self.color), verbosity },
            fail_on: self.fail_on,
            as_of,
            at,
        })
    }
}

/// The day on which is judged what has expired, and the moment that is written down: the beginning of the day that was
/// asked for, or now. `host` tells the time.
///
/// # Errors
/// If the clock cannot be read and no day was given.
pub(crate) fn moment(as_of: Option<Date>, host: &dyn Host) -> Result<(Date, Timestamp), Failure> {
    use jiff::tz::Offset;
    let Some(date) = as_of else {
        let now =
            host.now().map_err(|error| Failure::new(Exit::BadInput, format!("{error}; give a day by --as-of")))?;
        return Ok((Offset::UTC.to_datetime(now).date(), now));
    };
    let midnight = Offset::UTC
        .to_timestamp(date.at(0, 0, 0, 0))
        .map_err(|error| Failure::new(Exit::Usage, format!("--as-of {date}: {error}")))?;
    Ok((date, midnight))
}

/// Judges inventories by what was chosen.
///
/// # Errors
/// If the choice does not fit the rules.
pub(crate) fn judged(
    nodes: &dyn Fleet,
    choice: &Choice,
    as_of: Date,
    detail: Detail,
) -> Result<evaluate::Run, Failure> {
    let settings = Settings {
        solution: choice.solution.clone(),
        site: choice.site.as_ref(),
        profile: choice.profile.clone(),
        as_of,
        detail,
    };
    evaluate::judge(nodes, &choice.rules, &settings).map_err(|error| match error {
        JudgeError::Select(error) => Failure::new(Exit::Usage, error.to_string()),
        JudgeError::Load(line) => Failure::new(Exit::BadInput, line),
    })
}

/// Judges inventories, writes the report, and gives the exit code of the verdict.
///
/// # Errors
/// If an output could not be written.
pub(crate) fn report(nodes: &dyn Fleet, plan: &Plan) -> Result<Exit, Failure> {
    /// More nodes than this are told without what holds, unless it is asked for.
    const FULL: usize = 64;
    let full = nodes.len() <= FULL || plan.look.verbosity == Verbosity::Verbose;
    let run = judged(nodes, &plan.choice, plan.as_of, if full { Detail::Full } else { Detail::Compact })?;
    let overall = run.overall;
    let report = Report::new(run, nodes, env!("CARGO_PKG_VERSION"), plan.as_of);
    if let Some(out) = &plan.out {
        // What lies in a folder is read later and by others: no colour, and nothing left out of the ticket.
        let look = Look { colour: false, verbosity: Verbosity::Normal, ..plan.look };
        let files = [
            ("report.html", html_of(&report, nodes)?),
            ("report.json", json_of(&report)?),
            ("report.md", markdown::render(&report, Verbosity::Normal).into_bytes()),
            ("report.txt", terminal::render(&report, look).into_bytes()),
        ];
        files::write_into(out, &files)?;
    }
    files::stdout(&match plan.format {
        Format::Table => terminal::render(&report, plan.look).into_bytes(),
        Format::Json => json_of(&report)?,
        Format::Markdown => markdown::render(&report, plan.look.verbosity).into_bytes(),
        Format::Html => html_of(&report, nodes)?,
        Format::Ocptv => ocptv(&report, nodes, plan.at)?,
    })?;
    Ok(Exit::of(overall, plan.fail_on))
}

fn html_of(report: &Report, nodes: &dyn Fleet) -> Result<Vec<u8>, Failure> {
    let page = html::render(report, nodes);
    page.map(String::into_bytes).map_err(|error| Failure::new(Exit::Internal, format!("cannot write HTML: {error}")))
}

/// The report as OCP Test & Validation lines.
fn ocptv(report: &Report, nodes: &dyn Fleet, at: Timestamp) -> Result<Vec<u8>, Failure> {
    let machines: Vec<_> = report
        .run
        .nodes
        .iter()
        .filter_map(|node| Some(parts::parts(&node.name, nodes.load(node.place).ok()?.as_ref())))
        .collect();
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let invocation = ocptv::Invocation { command_line: words.join(" "), at };
    ocptv::render(report, &machines, &invocation).map_err(cannot)
}

fn json_of(report: &Report) -> Result<Vec<u8>, Failure> {
    to_json(&json::v1::Report::from(report))
}

/// The value as JSON.
///
/// # Errors
/// If it cannot be JSON, which would be a mistake in muster.
pub(crate) fn to_json(value: &impl serde::Serialize) -> Result<Vec<u8>, Failure> {
    json::to_bytes(value).map_err(cannot)
}

fn cannot(error: serde_json::Error) -> Failure {
    Failure::new(Exit::Internal, format!("cannot write JSON: {error}"))
}
