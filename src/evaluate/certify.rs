//! Whether a run can be relied on as a certificate, and what became of the waivers.

use super::finding::{Citation, Finding, Level, Overall, Verdict};
use super::run::{Certifying, Packs, Part};
use crate::rules::effective::EffectivePack;
use crate::rules::site::Site;
use std::collections::BTreeSet;

/// What certifying goes by.
pub(crate) struct Ground<'g> {
    pub(crate) packs: &'g Packs<'g>,
    pub(crate) parts: &'g [Part],
    pub(crate) overall: Overall,
    /// A waiver was used.
    pub(crate) waived: bool,
    pub(crate) as_of: jiff::civil::Date,
}

/// What is missing for a certifying run.
pub(crate) fn certifying(ground: &Ground<'_>, read_unknown: bool, low_pass: bool) -> Certifying {
    let parts = ground.parts;
    let any = |test: &dyn Fn(&Part) -> bool| parts.iter().any(test);
    let packs: Vec<&EffectivePack> = ground.packs.in_use(parts).collect();
    let expired: BTreeSet<&str> = packs
        .iter()
        .flat_map(|pack| &pack.packs)
        .filter(|pack| pack.expires.is_some_and(|last| last < ground.as_of))
        .map(|pack| pack.name.as_str())
        .collect();
    let mut missing = Vec::new();
    let mut miss = |is: bool, what: String| {
        if is {
            missing.push(what);
        }
    };
    miss(ground.packs.solution.is_none(), "no solution was chosen".to_owned());
    miss(any(&|part| part.platform.is_none()), "no platform pack matches a node".to_owned());
    miss(any(&|part| !part.physical), "a node is a virtual machine, or may be one".to_owned());
    miss(
        matches!(ground.overall, Overall::NotReady | Overall::Undetermined),
        format!("the verdict is {}", ground.overall.word()),
    );
    miss(
        read_unknown || any(&|part| part.sink.read_unknown),
        "a fact that an active check reads is unknown".to_owned(),
    );
    miss(low_pass || any(&|part| part.sink.low_pass), "a check passes by a fact or limit of low confidence".to_owned());
    miss(
        packs.iter().any(|pack| pack.is_relaxed_by_user()),
        "a demand was relaxed by site, rules or profile".to_owned(),
    );
    miss(
        packs.iter().any(|pack| pack.profile != crate::rules::effective::DEFAULT_PROFILE),
        "the profile is not the default".to_owned(),
    );
    miss(ground.waived, "a waiver was used".to_owned());
    miss(!expired.is_empty(), format!("expired: {}", expired.into_iter().collect::<Vec<_>>().join(", ")));
    miss(true, "nothing was probed".to_owned());
    Certifying { certifying: missing.is_empty(), missing }
}

/// Nodes that the site file lists and nobody judged, and nodes that it does not list: a forgotten node is found by no check.
pub(crate) fn attendance(site: &Site, parts: &[Part]) -> Vec<Finding> {
    /// Most names that are told.
    const NAMES: usize = 12;
    if site.listed.is_empty() {
        return Vec::new();
    }
    // A list may have the short names and a node its full one.
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
    let there: BTreeSet<&str> = parts.iter().filter_map(|part| part.hostname.as_deref()).collect();
    let is_there = |name: &str| there.contains(name) || there.iter().any(|node| short(node) == name);
    let is_listed = |name: &str| site.listed.contains(name) || site.listed.contains(&short(name));
    let missing: Vec<&str> = site.listed.iter().map(String::as_str).filter(|name| !is_there(name)).collect();
    let others: Vec<&str> = there.iter().copied().filter(|name| !is_listed(name)).collect();
    let told = |names: &[&str]| {
        let more = names.len().saturating_sub(NAMES);
        let shown: Vec<&str> = names.iter().take(NAMES).copied().collect();
        if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
    };
    let finding = |check: &str, title: &str, verdict: Verdict, message: String, fix: &str| Finding {
        check: check.to_owned(),
        title: title.to_owned(),
        node: String::new(),
        subject: "cluster".to_owned(),
        verdict,
        level: Level::Should,
        waived: None,
        message,
        cause: (verdict == Verdict::Unknown).then_some(super::finding::Cause::Others),
        evidence: Vec::new(),
        evidence_left_out: 0,
        comparisons: Vec::new(),
        limits: Vec::new(),
        why: "What is compared among nodes says nothing of those that were left out.".to_owned(),
        fix: fix.to_owned(),
        sources: vec![Citation { title: "site file: nodes".to_owned(), url: String::new(), clause: String::new() }],
        low_confidence: false,
    };
    let mut findings = Vec::new();
    if !missing.is_empty() {
        let message = format!("not judged: {} ({} of {} listed)", told(&missing), missing.len(), site.listed.len());
        let title = "Every node that the site file lists is judged";
        findings.push(finding("site.nodes-judged", title, Verdict::Unknown, message, "Judge all nodes in one run."));
    }
    if !others.is_empty() {
        let title = "Every node that is judged is listed in the site file";
        let fix = "Add it to the list, or leave it out of the run.";
        findings.push(finding(
            "site.nodes-listed",
            title,
            Verdict::Warn,
            format!("not listed: {}", told(&others)),
            fix,
        ));
    }
    findings
}

/// Waivers that matched nothing or have expired are findings themselves: somebody believes that they hold.
pub(crate) fn leftovers(pack: &EffectivePack, used: &BTreeSet<usize>, as_of: jiff::civil::Date) -> Vec<Finding> {
    let of = |waiver: &crate::rules::site::Waiver, check: &str, title: &str, message: String, fix: &str| Finding {
        check: check.to_owned(),
        title: title.to_owned(),
        node: String::new(),
        subject: format!("waiver of {} at {}", waiver.check, waiver.place),
        verdict: Verdict::Warn,
        level: Level::Should,
        waived: None,
        message,
        cause: None,
        evidence: Vec::new(),
        evidence_left_out: 0,
        comparisons: Vec::new(),
        limits: Vec::new(),
        why: "A waiver that does nothing hides that what it was written for has changed.".to_owned(),
        fix: fix.to_owned(),
        sources: vec![Citation { title: waiver.place.clone(), url: String::new(), clause: String::new() }],
        low_confidence: false,
    };
    pack.waivers
        .iter()
        .enumerate()
        .filter_map(|(index, waiver)| {
            if !waiver.holds_on(as_of) {
                let message = format!("it expired on {}; {} answered for it", waiver.expires, waiver.owner);
                let fix = "Mend what it was written for, or write it anew with another date.";
                Some(of(waiver, "site.waiver-expired", "No waiver has expired", message, fix))
            } else if used.contains(&index) {
                None
            } else {
                let message = format!("it matches no failure: {}", waiver.scope_text);
                let fix = "Take it out, or correct its check and scope.";
                Some(of(waiver, "site.waiver-unused", "Every waiver matches a failure", message, fix))
            }
        })
        .collect()
}
