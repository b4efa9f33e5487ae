//! `muster explain`: what a check demands, why and whence; and of a run, how each verdict came about.

use super::exit::{Exit, Failure};
use super::judging::{judged, moment};
use super::look::Surroundings;
use super::page::Page;
use super::rulebook::{Choice, ChoiceArgs};
use super::{files, input};
use crate::collect::collect_with;
use crate::evaluate::finding::{Finding, Verdict};
use crate::evaluate::{Detail, Run};
use crate::host::Live;
use crate::rules::check::Check;
use crate::rules::diagnostic::quoted;
use crate::rules::documents::{citation, reads, variants, written};
use crate::rules::effective::EffectivePack;
use crate::rules::pack::PackKind;
use crate::rules::read::Choice as _;
use crate::words::nearest;
use clap::Args;
use jiff::civil::Date;
use std::path::PathBuf;
use std::sync::Arc;

/// Arguments of `explain`.
#[derive(Debug, Args)]
#[command(override_usage = "muster explain <CHECK> [OPTIONS] [--on <FILE>...]")]
pub(crate) struct ExplainArgs {
    /// The check, as in media.state
    #[arg(value_name = "CHECK")]
    check: String,
    #[command(flatten)]
    choice: ChoiceArgs,
    /// Judge these inventories or captures, and tell how each verdict of the check came about
    #[arg(long, value_name = "FILE", num_args = 1..)]
    on: Vec<PathBuf>,
    /// The same on this machine
    #[arg(long, conflicts_with = "on")]
    here: bool,
    /// Only what is about this node
    #[arg(long, value_name = "NAME")]
    node: Option<String>,
    /// The day on which it is judged what has expired [default: today]
    #[arg(long, value_name = "YYYY-MM-DD")]
    as_of: Option<Date>,
    /// Columns [default: those of the terminal, at most 120; else 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=1000))]
    width: Option<u16>,
}

/// Runs it. Explaining is no judging: the exit code does not tell the verdict.
pub(crate) fn run(args: ExplainArgs) -> Result<Exit, Failure> {
    if args.node.is_some() && args.on.is_empty() && !args.here {
        let line = "--node is about a run: name its inventories by --on FILE, or this machine by --here";
        return Err(Failure::new(Exit::Usage, line));
    }
    let choice = args.choice.load()?;
    let check = find(&choice, &args.check)?;
    let mut page = Page::new(Surroundings::here().width(args.width));
    if args.on.is_empty() && !args.here {
        describe(&mut page, &check, &choice)?;
    } else {
        let host = Live::new();
        let (as_of, _) = moment(args.as_of, &host)?;
        let run = if args.here {
            judged(&vec![collect_with(&host, &|_| ())], &choice, as_of, Detail::Full)?
        } else {
            judged(&input::nodes(&args.on)?, &choice, as_of, Detail::Full)?
        };
        if let Some(name) = &args.node {
            known_node(&run, name)?;
        }
        account(&mut page, &check, &run, args.node.as_deref());
    }
    files::stdout(&page.into_bytes())?;
    Ok(Exit::Ready)
}

fn find(choice: &Choice, id: &str) -> Result<Arc<Check>, Failure> {
    let bought = choice.site.iter().flat_map(|site| &site.bill_of_materials);
    let mut known = choice.rules.checks.values().chain(bought);
    if let Some(check) = known.find(|check| check.id == id) {
        return Ok(Arc::clone(check));
    }
    let near = nearest(id, choice.rules.checks.keys().map(String::as_str));
    let hint = near.map_or_else(
        || "; muster pack show NAME lists those of a pack".to_owned(),
        |near| format!("; did you mean `{near}`?"),
    );
    Err(Failure::new(Exit::Usage, format!("there is no check {}{hint}", quoted(id))))
}

fn known_node(run: &Run, name: &str) -> Result<(), Failure> {
    let names = || run.nodes.iter().map(|node| node.name.as_str());
    if names().any(|known| known == name) {
        return Ok(());
    }
    let hint = match nearest(name, names()) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; there are: {}", names().take(20).collect::<Vec<_>>().join(", ")),
    };
    Err(Failure::new(Exit::Usage, format!("there is no node {}{hint}", quoted(name))))
}

fn describe(page: &mut Page, check: &Check, choice: &Choice) -> Result<(), Failure> {
    page.heading(&format!("{}: {}", check.id, check.title));
    let mut rows = vec![
        ("about", check.subject.name().to_owned()),
        ("level", format!("{}, unless a pack says otherwise", check.level.word())),
    ];
    let demand = written(check);
    rows.extend(demand.iter().map(|(key, text)| (key.as_str(), text.clone())));
    rows.push(("absent", format!("{} if what it asks for is not there", check.when_absent.word())));
    let limits: Vec<String> = check
        .params
        .iter()
        .map(|param| format!("{} = {} (check): {}", param.name, param.default.shown(), param.doc))
        .collect();
    rows.push(("limits", limits.join("\n")));
    let facts: Vec<String> = reads(check).iter().map(|fact| format!("{}: {}", fact.path, fact.doc)).collect();
    rows.push(("reads", facts.join("\n")));
    rows.push(("why", check.why.clone()));
    rows.push(("fix", check.fix.clone()));
    rows.push(("sources", check.sources.iter().map(citation).collect::<Vec<_>>().join("\n")));
    let (line, _) = check.origin.0.position(check.origin.1.start);
    rows.push(("file", format!("{}:{line}", check.origin.0.path)));
    page.rows(&rows);
    demanded(page, check, choice)
}

/// What the chosen packs make of it; without a choice, what each pack that lists it does.
fn demanded(page: &mut Page, check: &Check, choice: &Choice) -> Result<(), Failure> {
    let chosen = choice.chosen();
    let mut selections = vec![(chosen.map_or_else(|| "base".to_owned(), str::to_owned), chosen, None)];
    for pack in choice.rules.packs.values().filter(|pack| pack.demands.contains_key(&check.id)) {
        match pack.kind {
            PackKind::Solution if chosen.is_none() => {
                selections.push((pack.name.clone(), Some(pack.name.as_str()), None))
            }
            PackKind::Platform => {
                let name = format!("{} on {}", chosen.unwrap_or("base"), pack.name);
                selections.push((name, chosen, Some(pack.name.as_str())));
            }
            _ => {}
        }
    }
    page.heading("Demanded");
    let mut rows = Vec::new();
    for (name, solution, platform) in selections {
        let pack = choice
            .rules
            .select(solution, platform, choice.site.as_ref(), choice.profile.as_deref())
            .map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
        rows.push((name, effect(&pack, &check.id)));
    }
    page.rows(&rows);
    let lists: Vec<&str> = choice
        .rules
        .packs
        .values()
        .filter(|pack| pack.demands.contains_key(&check.id))
        .map(|pack| pack.name.as_str())
        .collect();
    page.heading("Listed by");
    page.rows(&[("packs", if lists.is_empty() { "none".to_owned() } else { lists.join(", ") })]);
    Ok(())
}

fn effect(pack: &EffectivePack, id: &str) -> String {
    match pack.checks.iter().find(|demanded| demanded.check.id == id) {
        None => "not demanded".to_owned(),
        Some(demanded) => variants(demanded).join("\n"),
    }
}

/// How each verdict came about: fact, value, where it was read, the demand, the limit and who set it.
fn account(page: &mut Page, check: &Check, run: &Run, node: Option<&str>) {
    page.heading(&format!("{}: {}", check.id, check.title));
    let demand = written(check);
    page.rows(&demand);
    let about = |finding: &&Finding| {
        finding.check == check.id && node.is_none_or(|name| finding.node == name || finding.node.is_empty())
    };
    let mut any = false;
    for finding in run.findings.iter().filter(about) {
        any = true;
        one(page, finding);
    }
    if !any {
        let packs: Vec<&str> = run.packs.iter().map(|pack| pack.name.as_str()).collect();
        let whom = node.map_or_else(|| "these nodes".to_owned(), |name| format!("node {name}"));
        page.heading(&format!("No verdict: the packs {} do not demand it of {whom}.", packs.join(", ")));
    }
}

fn one(page: &mut Page, finding: &Finding) {
    let node = if finding.node.is_empty() { "all nodes" } else { &finding.node };
    page.heading(&format!("{node}: {}", finding.subject));
    let mut rows = Vec::new();
    for fact in &finding.evidence {
        let whence = if fact.source.is_empty() { "where it was read is not known" } else { &fact.source };
        rows.push(("fact", format!("{} is {} ({whence})", fact.fact, fact.shown)));
    }
    if finding.evidence_left_out > 0 {
        rows.push(("fact", format!("and {} more", finding.evidence_left_out)));
    }
    for made in &finding.comparisons {
        let holds = match made.holds {
            Some(true) => "holds",
            Some(false) => "does not hold",
            None => "cannot be told",
        };
        let mark = made.comparison.mark();
        let asked = format!("{} {mark} {}", made.left, made.right);
        rows.push(("compared", format!("{asked}\n{} {mark} {}: {holds}", made.left_shown, made.right_shown)));
    }
    for limit in &finding.limits {
        rows.push(("limit", format!("{} is {} (set by {})", limit.name, limit.shown, limit.layer)));
    }
    rows.push(("found", finding.message.clone()));
    rows.push(("level", finding.level.word().to_owned()));
    rows.push(("verdict", finding.verdict.word().to_owned()));
    if finding.low_confidence {
        rows.push(("low", "it rests on facts or limits of low confidence".to_owned()));
    }
    if let Some(waived) = &finding.waived {
        rows.push(("waived", format!("{} ({}, until {})", waived.reason, waived.owner, waived.expires)));
    }
    if !matches!(finding.verdict, Verdict::Pass | Verdict::Skipped) {
        rows.push(("source", finding.sources.iter().map(citation).collect::<Vec<_>>().join("\n")));
        rows.push(("fix", finding.fix.clone()));
    }
    page.rows(&rows);
}
