//! Checks changed in one place each, by the operators of `docs/mutation.md`: the cases have to notice.

use crate::cases::{files, load};
use passmuster::evaluate::run_case;
use passmuster::rules::cases::Case;
use passmuster::rules::load::RuleSet;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Of a hundred mutants so many have to be noticed.
const DEMANDED: usize = 95;

/// Operators, in the order of the document.
const OPERATORS: &[(&str, &str)] = &[
    ("comparison turned", "`>=` to `<`, `>` to `<=`, `==` to `!=`, and back"),
    ("boundary moved", "`>=` to `>`, `<=` to `<`, and back"),
    ("connective swapped", "`&&` to `||`, and back"),
    ("term dropped", "an operand of `&&` or `||` left out, with the operator"),
    ("quantifier swapped", "`all` to `exists`, `min` to `max`, and back"),
    ("inner filter dropped", "`.filter(...)` left out"),
    ("arithmetic swapped", "`*` to `/`, `+` to `-`, and back"),
    ("number scaled", "times 10"),
    ("number stepped", "one more, one less, in the unit as written"),
    ("unit swapped", "`GB` to `GiB`, `TB` to `TiB`, and back"),
    ("word swapped", "a text or word of an enumeration to another"),
    ("list shortened", "the first of a list of texts in a limit left out"),
    ("where dropped", "the filter of subjects left out"),
    ("by dropped", "the group key left out"),
    ("across dropped", "nodes compared with each other instead of each within itself"),
    ("when_absent changed", "to each other value; at level should `fail` is `warn` and not tried beside it"),
    ("kind swapped", "`uniform` to `unique`, and back"),
    ("level changed", "one step; `info` to `must`"),
];

/// Mutants that no case notices: the check, the operator, and why none can.
const REASONS: &[(&str, &str, &str)] = &[
    ("cluster.node-count", "when_absent changed", NEVER_ABSENT),
    ("media.cache-drive-count", "when_absent changed", NEVER_ABSENT),
    ("media.capacity-drive-count", "when_absent changed", NEVER_ABSENT),
    ("media.capacity-multiple", "when_absent changed", NEVER_ABSENT),
    ("media.drives-equal", "when_absent changed", NEVER_ABSENT),
    ("media.hdd-behind-cache", "when_absent changed", NEVER_ABSENT),
    ("media.role-assigned", "when_absent changed", NEVER_ABSENT),
    ("bond.redundant", "when_absent changed", NEVER_ABSENT),
    ("media.no-leftovers", "when_absent changed", "whether something was found is never absent"),
    ("media.content-unique", "when_absent changed", "whether two are the same is never absent"),
    ("controller.no-hidden-drives", "when_absent changed", NEVER_ABSENT),
    ("pci.driver-bound", "when_absent changed", "whether it has a driver is never absent"),
    ("nvme.firmware-pending", "when_absent changed", HAS),
    ("nvme.host-memory-buffer", "when_absent changed", HAS),
    ("dcb.pfc-equal", "when_absent changed", "a port that has none is left out"),
    ("lldp.vlans-equal", "when_absent changed", "a neighbour's list of VLANs is never absent"),
    ("lldp.aggregated", "when_absent changed", "those for which it is absent are left out"),
    ("memory.errors-counted", "when_absent changed", NEVER_ABSENT),
    ("bmc.firmware-equal", "when_absent changed", "a node that has none is left out"),
    ("bmc.power-supplies", "when_absent changed", READINGS),
    ("bmc.power-redundant", "when_absent changed", READINGS),
    ("rdma.marking-equal", "when_absent changed", "what is not set is compared as such, and never absent"),
    ("bond.speeds-equal", "quantifier swapped", "all are the greatest exactly if all are the least"),
];

/// A role is known or unknown, and so is how many there are.
const NEVER_ABSENT: &str = "a count of things, and a role, are never absent";

const READINGS: &str = "sensors without a reading are left out, and nothing else of a sensor is absent";

const HAS: &str = "whether the machine has something is never absent";

/// Tokens that are put in the place of others.
const SWAPS: &[(&str, &[(&str, &str)])] = &[
    ("comparison turned", &[(">=", "<"), ("<", ">="), (">", "<="), ("<=", ">"), ("==", "!="), ("!=", "==")]),
    ("boundary moved", &[(">=", ">"), (">", ">="), ("<=", "<"), ("<", "<=")]),
    ("connective swapped", &[("&&", "||"), ("||", "&&")]),
    ("arithmetic swapped", &[("*", "/"), ("/", "*"), ("+", "-"), ("-", "+")]),
    ("quantifier swapped", &[("all", "exists"), ("exists", "all"), ("min", "max"), ("max", "min")]),
];

struct Mutant {
    name: String,
    text: String,
}

struct Maker<'t> {
    id: &'t str,
    text: &'t str,
    made: Vec<Mutant>,
}

impl Maker<'_> {
    fn push(&mut self, operator: &str, range: Range<usize>, new: &str) {
        let line = self.text[..range.start].matches('\n').count() + 1;
        let column = range.start - self.text[..range.start].rfind('\n').map_or(0, |at| at + 1) + 1;
        let mut text = self.text.to_owned();
        let old = self.text[range.clone()].trim().to_owned();
        text.replace_range(range, new);
        assert!(OPERATORS.iter().any(|(known, _)| *known == operator), "{operator}");
        let name = format!("{} {line}:{column}: {operator}: `{old}` to `{}`", self.id, new.trim());
        self.made.push(Mutant { name, text });
    }

    /// A number with its unit, wherever it stands.
    fn number(&mut self, range: Range<usize>) {
        let token = &self.text[range.clone()];
        let digits = token.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.len());
        let Ok(value) = token[..digits].parse::<u64>() else { return };
        let unit = token[digits..].to_owned();
        if value > 0 {
            self.push("number scaled", range.clone(), &format!("{}{unit}", value * 10));
            self.push("number stepped", range.clone(), &format!("{}{unit}", value - 1));
        }
        self.push("number stepped", range.clone(), &format!("{}{unit}", value + 1));
        for (a, b) in [("GB", "GiB"), ("TB", "TiB"), ("GiB", "GB"), ("TiB", "TB")] {
            if unit == a {
                self.push("unit swapped", range.clone(), &format!("{value}{b}"));
            }
        }
    }

    fn expression(&mut self, place: Range<usize>) {
        let tokens = tokens(&self.text[place.clone()], place.start);
        let token = |at: usize| &self.text[tokens[at].0.clone()];
        let mut edits: Vec<(&str, Range<usize>, String)> = Vec::new();
        let mut numbers = Vec::new();
        for at in 0..tokens.len() {
            let (range, depth) = tokens[at].clone();
            let word = token(at);
            for (operator, pairs) in SWAPS {
                let call =
                    *operator != "quantifier swapped" || tokens.get(at + 1).is_some_and(|_| token(at + 1) == "(");
                for (old, new) in *pairs {
                    if word == *old && call {
                        edits.push((*operator, range.clone(), (*new).to_owned()));
                    }
                }
            }
            if word == "&&" || word == "||" {
                let ends = |other: usize| {
                    let (_, other_depth) = tokens[other].clone();
                    let text = token(other);
                    other_depth < depth || (other_depth == depth && (text == word || text == "," || text == "||"))
                };
                let left = (0..at).rev().take_while(|other| !ends(*other)).last().unwrap_or(at);
                let right = (at + 1..tokens.len()).take_while(|other| !ends(*other)).last().unwrap_or(at);
                edits.push(("term dropped", tokens[left].0.start..range.end, String::new()));
                edits.push(("term dropped", range.start..tokens[right].0.end, String::new()));
            }
            if word == "filter" && at > 0 && token(at - 1) == "." {
                let close = (at + 2..tokens.len()).find(|other| token(*other) == ")" && tokens[*other].1 == depth);
                let close = close.expect("a call is closed");
                edits.push(("inner filter dropped", tokens[at - 1].0.start..tokens[close].0.end, String::new()));
            }
            if word.starts_with('"') {
                let other = match word.trim_matches('"') {
                    "cache" | "boot" | "unassigned" => "capacity",
                    "capacity" => "cache",
                    "hdd" | "virtual" => "ssd",
                    "free" => "partitioned",
                    "host-managed" => "host-aware",
                    "uefi" => "bios",
                    "nvme" => "sata",
                    _ => "other",
                };
                edits.push(("word swapped", range.clone(), format!("\"{other}\"")));
            }
            if word.starts_with(|c: char| c.is_ascii_digit()) {
                numbers.push(range);
            }
        }
        for (operator, range, new) in edits {
            self.push(operator, range, &new);
        }
        for range in numbers {
            self.number(range);
        }
    }
}

/// Tokens with their places and how deep in brackets they stand; a bracket stands outside of what it encloses.
fn tokens(text: &str, offset: usize) -> Vec<(Range<usize>, usize)> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b' ' => {
                at += 1;
                continue;
            }
            b'"' => at += 2 + text[at + 1..].find('"').expect("a text ends"),
            byte if byte.is_ascii_alphanumeric() || byte == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_' || bytes[at] == b'%')
                {
                    at += 1;
                }
            }
            _ if ["&&", "||", "==", "!=", ">=", "<="].iter().any(|two| text[at..].starts_with(two)) => at += 2,
            _ => at += 1,
        }
        let close = matches!(bytes[start], b')' | b']');
        depth -= usize::from(close);
        tokens.push((start + offset..at + offset, depth));
        depth += usize::from(matches!(bytes[start], b'(' | b'['));
    }
    tokens
}

/// All mutants of a check, from its text alone.
fn mutants(id: &str, text: &str) -> Vec<Mutant> {
    let mut maker = Maker { id, text, made: Vec::new() };
    let key = |line: &str| line.split(':').next().unwrap_or_default().to_owned();
    let level = text.lines().find_map(|line| line.strip_prefix("level: ")).expect("a level");
    let absent = text.lines().find_map(|line| line.strip_prefix("when_absent: ")).unwrap_or("unknown");
    let (mut section, mut start) = (String::new(), 0);
    for line in text.split_inclusive('\n') {
        let whole = start..start + line.len();
        start = whole.end;
        let own = !line.starts_with(' ');
        if own {
            section = key(line);
        }
        let expression = match section.as_str() {
            "where" | "assert" | "uniform" | "unique" | "outlier" | "by" => own,
            "let" | "keys" => !own,
            _ => false,
        };
        if expression {
            let inner = line.find('\'').expect("quoted") + 1..line.rfind('\'').expect("quoted");
            assert!(!line[inner.clone()].contains('\''), "{id}: {line}");
            maker.expression(whole.start + inner.start..whole.start + inner.end);
        }
        match (section.as_str(), own) {
            ("where", true) => maker.push("where dropped", whole.clone(), ""),
            ("by", true) => maker.push("by dropped", whole.clone(), ""),
            ("across", true) => maker.push("across dropped", whole.clone(), ""),
            ("uniform", true) => maker.push("kind swapped", whole.start..whole.start + 7, "unique"),
            ("unique", true) => maker.push("kind swapped", whole.start..whole.start + 6, "uniform"),
            ("level", true) => {
                let other = match level {
                    "must" => "should",
                    "should" => "info",
                    _ => "must",
                };
                maker.push("level changed", whole.start + 7..whole.end - 1, other);
            }
            ("params", false) => {
                let default = line.find("default: ").expect("a default") + 9;
                let end = default + line[default..].find(", stricter").expect("a direction");
                let place = whole.start + default..whole.start + end;
                let value = &line[default..end];
                if let Some(rest) = value.strip_prefix('[') {
                    let (_, rest) = rest.split_once(", ").expect("two texts");
                    maker.push("list shortened", place, &format!("[{rest}"));
                } else if value.starts_with(|c: char| c.is_ascii_digit()) {
                    maker.number(place);
                } else {
                    maker.push("word swapped", place, "other");
                }
            }
            ("message", true) => {
                for other in ["unknown", "skipped", "warn", "fail"] {
                    if other == absent || (level == "should" && other == "fail") {
                        continue;
                    }
                    let line = format!("when_absent: {other}\n");
                    match text.find("\nwhen_absent: ") {
                        Some(at) => {
                            let end = at + 1 + text[at + 1..].find('\n').expect("a line ends") + 1;
                            maker.push("when_absent changed", at + 1..end, &line);
                        }
                        None => maker.push("when_absent changed", whole.start..whole.start, &line),
                    }
                }
            }
            _ => {}
        }
    }
    maker.made
}

#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Killed,
    Survived,
    NotLoaded,
}

fn fate(path: &str, id: &str, mutant: &Mutant, cases: &[Case]) -> Fate {
    match RuleSet::load(&[(path, &mutant.text)], &[]) {
        Err(_) => Fate::NotLoaded,
        Ok(rules) if cases.iter().any(|case| !run_case(&rules, id, case).is_empty()) => Fate::Killed,
        Ok(_) => Fate::Survived,
    }
}

fn answers((id, operator, _): &(&str, &str, &str), name: &str) -> bool {
    name.starts_with(&format!("{id} ")) && name.contains(&format!(": {operator}: "))
}

#[test]
fn cases_notice_changed_checks() {
    let (_, cases) = load();
    let checks = files("checks");
    let of = |path: &str| path["checks/".len()..path.len() - ".yaml".len()].replace('/', ".");
    let all: Vec<(String, String, Mutant)> = checks
        .iter()
        .flat_map(|(path, text)| {
            let id = of(path);
            mutants(&id, text).into_iter().map(move |mutant| (path.clone(), of(path), mutant))
        })
        .collect();
    let fates: Vec<Fate> = all.par_iter().map(|(path, id, mutant)| fate(path, id, mutant, &cases[id])).collect();
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut survivors = Vec::new();
    for ((_, _, mutant), fate) in all.iter().zip(&fates) {
        let operator = mutant.name.split(": ").nth(1).expect("an operator");
        counts.entry(operator).or_default()[*fate as usize] += 1;
        if *fate == Fate::Survived {
            survivors.push(mutant.name.as_str());
        }
    }
    let sum = |which: usize| counts.values().map(|counts| counts[which]).sum::<usize>();
    let (killed, survived, refused) = (sum(0), sum(1), sum(2));
    let total = killed + survived;

    let mut page = String::from(
        "# Mutation of checks\n\n\
         Each check is changed in one place at a time; its cases in `fixtures/checks` have to notice. At least 95 of 100\n\
         mutants have to be noticed. A mutant that does not load is none. `tests/mutation.rs` makes them from the text of\n\
         the check, always the same, and holds this page current (`MUSTER_BLESS=1` writes it).\n\n\
         | operator | what it does | mutants | noticed | did not load |\n|---|---|---|---|---|\n",
    );
    for (operator, what) in OPERATORS {
        let [killed, survived, refused] = counts.get(operator).copied().unwrap_or_default();
        let what = what.replace("||", "&#124;&#124;").replace("`&#124;&#124;`", "<code>&#124;&#124;</code>");
        let _ = writeln!(page, "| {operator} | {what} | {} | {killed} | {refused} |", killed + survived);
    }
    let _ = writeln!(page, "| together | | {total} | {killed} | {refused} |\n\n## Not noticed\n");
    let mut without = Vec::new();
    for name in &survivors {
        let reason = REASONS.iter().find(|entry| answers(entry, name)).map(|(.., reason)| *reason);
        if reason.is_none() {
            without.push(*name);
        }
        let _ = writeln!(page, "- {name}: {}", reason.unwrap_or("NO REASON"));
    }
    println!("{killed} of {total} mutants noticed, {refused} did not load");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/mutation.md");
    if std::env::var_os("MUSTER_BLESS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert!(killed * 100 >= total * DEMANDED, "{killed} of {total}:\n{}", survivors.join("\n"));
    assert!(without.is_empty(), "without a reason:\n{}", without.join("\n"));
    let idle: Vec<&(&str, &str, &str)> =
        REASONS.iter().filter(|entry| !survivors.iter().any(|name| answers(entry, name))).collect();
    assert!(idle.is_empty(), "a reason for what does not survive:\n{idle:?}");
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page, "docs/mutation.md: run with MUSTER_BLESS=1");
}
