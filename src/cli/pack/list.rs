//! `muster pack list`: the packs there are.

use super::super::exit::{Exit, Failure};
use super::super::look::Surroundings;
use super::super::page::Page;
use super::super::rulebook::{self, RulesArgs};
use super::super::{files, judging};
use crate::rules::load::RuleSet;
use crate::rules::pack::{Pack, PackKind};
use clap::{Args, ValueEnum};
use serde::Serialize;

/// Arguments of `pack list`.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    rules: RulesArgs,
    /// What goes to standard output
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
    /// Columns of the table [default: those of the terminal, at most 120; else 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=1000))]
    width: Option<u16>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people at a terminal
    Table,
    /// For programs
    Json,
}

/// One pack of the list.
#[derive(Debug, Serialize)]
struct Row<'a> {
    name: &'a str,
    kind: &'static str,
    title: &'a str,
    version: &'a str,
    extends: &'a [String],
    /// Checks that it demands itself.
    own_checks: usize,
    /// Checks that it and those below it demand.
    checks: usize,
    profiles: Vec<&'a str>,
    digest: String,
    /// Null for what is built in.
    file: Option<&'a str>,
}

impl<'a> Row<'a> {
    fn of(rules: &'a RuleSet, pack: &'a Pack) -> Result<Self, Failure> {
        let whole =
            rules.select_pack(pack, None, None).map_err(|error| Failure::new(Exit::BadInput, error.to_string()))?;
        Ok(Self {
            name: &pack.name,
            kind: pack.kind.word(),
            title: &pack.title,
            version: &pack.version,
            extends: &pack.extends,
            own_checks: pack.demands.len(),
            checks: whole.checks.len(),
            profiles: pack.profiles.keys().map(String::as_str).collect(),
            digest: pack.digest.to_string(),
            file: pack.handed_in.then_some(pack.origin.0.path.as_str()),
        })
    }
}

/// Runs it.
pub(crate) fn run(args: ListArgs) -> Result<Exit, Failure> {
    let rules = rulebook::load(&args.rules)?;
    let mut packs: Vec<&Pack> = rules.packs.values().collect();
    packs.sort_by_key(|pack| (kind_order(pack.kind), &pack.name));
    let rows: Vec<Row<'_>> = packs.into_iter().map(|pack| Row::of(&rules, pack)).collect::<Result<_, _>>()?;
    let bytes = match args.format {
        Format::Json => judging::to_json(&rows)?,
        Format::Table => table(&rows, Surroundings::here().width(args.width)),
    };
    files::stdout(&bytes)?;
    Ok(Exit::Ready)
}

fn kind_order(kind: PackKind) -> u8 {
    match kind {
        PackKind::Base => 0,
        PackKind::Solution => 1,
        PackKind::Platform => 2,
    }
}

fn table(rows: &[Row<'_>], width: u16) -> Vec<u8> {
    let mut page = Page::new(width);
    let cells = rows.iter().map(|row| {
        [
            row.name.to_owned(),
            row.kind.to_owned(),
            row.title.to_owned(),
            row.version.to_owned(),
            row.checks.to_string(),
            row.file.unwrap_or("built in").to_owned(),
        ]
    });
    page.table(["PACK", "KIND", "FOR", "VERSION", "CHECKS", "FROM"], cells);
    page.into_bytes()
}
