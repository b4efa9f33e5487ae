//! `muster pack show`: everything that counts if a pack is chosen.

use super::super::exit::{Exit, Failure};
use super::super::files;
use super::super::look::Surroundings;
use super::super::page::Page;
use super::super::rulebook::{self, RulesArgs, count};
use crate::rules::diagnostic::{nearest, quoted};
use crate::rules::documents::variants;
use crate::rules::effective::EffectivePack;
use crate::rules::limit::Value;
use crate::rules::load::RuleSet;
use crate::rules::pack::{Pack, RoleRule};
use crate::rules::read::Choice;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `pack show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The pack, as in ceph
    #[arg(value_name = "PACK")]
    name: String,
    #[command(flatten)]
    rules: RulesArgs,
    /// With the overrides, roles and waivers of a site file
    #[arg(long, value_name = "FILE")]
    site: Option<PathBuf>,
    /// Under other weights, as the packs define them
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Columns [default: those of the terminal, at most 120; else 80]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(40..=1000))]
    width: Option<u16>,
}

/// Runs it.
pub(crate) fn run(args: ShowArgs) -> Result<Exit, Failure> {
    let rules = rulebook::load(&args.rules)?;
    let site = args.site.as_deref().map(|path| rulebook::site(&rules, path)).transpose()?;
    let pack = find(&rules, &args.name)?;
    let whole = rules
        .select_pack(pack, site.as_ref(), args.profile.as_deref())
        .map_err(|error| Failure::new(Exit::Usage, error.to_string()))?;
    let mut page = Page::new(Surroundings::here().width(args.width));
    head(&mut page, pack, &whole);
    checks(&mut page, &whole);
    roles(&mut page, &whole);
    rest(&mut page, &whole);
    files::stdout(&page.into_bytes())?;
    Ok(Exit::Ready)
}

fn find<'r>(rules: &'r RuleSet, name: &str) -> Result<&'r Pack, Failure> {
    rules.packs.get(name).ok_or_else(|| {
        let names = || rules.packs.keys().map(String::as_str);
        let hint = match nearest(name, names()) {
            Some(near) => format!("; did you mean `{near}`?"),
            None => format!("; there are: {}", names().collect::<Vec<_>>().join(", ")),
        };
        Failure::new(Exit::Usage, format!("there is no pack {}{hint}", quoted(name)))
    })
}

fn head(page: &mut Page, pack: &Pack, whole: &EffectivePack) {
    page.heading(&format!("{}: {}", pack.name, pack.title));
    let layers: Vec<String> = whole
        .packs
        .iter()
        .map(|used| {
            let whence = if used.handed_in { "handed in" } else { "built in" };
            format!("{} {} ({whence}, {})", used.name, used.version, used.digest)
        })
        .collect();
    let mut rows = vec![
        ("kind", pack.kind.word().to_owned()),
        ("file", pack.origin.0.path.clone()),
        ("layers", layers.join("\n")),
        ("profile", whole.profile.clone()),
        ("profiles", pack.profiles.keys().cloned().collect::<Vec<_>>().join(", ")),
    ];
    if let Some(expires) = pack.expires {
        rows.push(("expires", expires.to_string()));
    }
    if let Some(seconds) = whole.probe_seconds {
        rows.push(("certify", format!("every probe runs {seconds} s or longer")));
    }
    page.rows(&rows);
}

fn checks(page: &mut Page, whole: &EffectivePack) {
    page.heading(&format!("Demands ({})", count(whole.checks.len(), "check")));
    let rows: Vec<(String, String)> = whole
        .checks
        .iter()
        .map(|demanded| {
            let check = &demanded.check;
            (check.id.clone(), format!("{}\n{}", check.title, variants(demanded).join("\n")))
        })
        .collect();
    page.rows(&rows);
}

fn roles(page: &mut Page, whole: &EffectivePack) {
    if whole.roles.drive.is_empty() && whole.roles.nic.is_empty() {
        return;
    }
    page.heading("Roles, by the first rule that holds");
    let mut rows = Vec::new();
    rows.extend(whole.roles.drive.iter().map(|rule| told("drive", rule)));
    rows.extend(whole.roles.nic.iter().map(|rule| told("nic", rule)));
    page.rows(&rows);
}

fn told<R: Choice>(thing: &str, rule: &RoleRule<R>) -> (String, String) {
    (format!("{thing} {}", rule.role.word()), format!("{} ({})", rule.because, rule.layer))
}

fn rest(page: &mut Page, whole: &EffectivePack) {
    if !whole.remains.is_empty() {
        page.heading("Cannot be judged from a Linux node");
        let rows: Vec<(&str, String)> = whole
            .remains
            .iter()
            .map(|remain| (remain.pack.as_str(), format!("{}\n{}\n{}", remain.what, remain.why, remain.source)))
            .collect();
        page.rows(&rows);
    }
    if !whole.reference.is_empty() {
        page.heading("Measured elsewhere");
        let rows: Vec<(&str, String)> = whole
            .reference
            .iter()
            .map(|figure| {
                let (value, dimension) = figure.value;
                let value = Value::Quantity(value, dimension).shown();
                let nodes = figure.nodes.map(|nodes| format!(", {nodes} nodes")).unwrap_or_default();
                (figure.what.as_str(), format!("{value}{nodes}\n{}", figure.source))
            })
            .collect();
        page.rows(&rows);
    }
    let relaxed: Vec<(&str, String)> = whole
        .relaxations
        .iter()
        .map(|relaxed| {
            let what = format!("{} from {} ({})", relaxed.what, relaxed.from, relaxed.from_layer);
            (relaxed.check.as_str(), format!("{} relaxes {what}: {}", relaxed.layer, relaxed.because))
        })
        .collect();
    if !relaxed.is_empty() {
        page.heading("Milder than an earlier layer");
        page.rows(&relaxed);
    }
    let waivers: Vec<(&str, String)> = whole
        .waivers
        .iter()
        .map(|waiver| {
            let text = format!("{}; {} answers for it until {}", waiver.reason, waiver.owner, waiver.expires);
            (waiver.check.as_str(), format!("where {}\n{text}", waiver.scope_text))
        })
        .collect();
    if !waivers.is_empty() {
        page.heading("Waived");
        page.rows(&waivers);
    }
}
