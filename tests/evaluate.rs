//! What becomes of one rule on a few facts, row by row of the table of verdicts, on rules made for it.

mod comparing;

use passmuster::evaluate::finding::{Finding, Overall, Verdict};
use passmuster::evaluate::{Detail, Run, Settings, judge};
use passmuster::inventory::Inventory;
use passmuster::rules::files::Overlay;
use passmuster::rules::load::RuleSet;
use serde_json::{Value, json};

/// A check `a.b` with what is particular to it.
fn check(level: &str, subject: &str, rest: &str) -> String {
    format!(
        "id: a.b\ntitle: T\nlevel: {level}\nfor: {subject}\n{rest}\nmessage: 'm'\nwhy: w\nfix: f\nsources: [{{ title: Own reasoning }}]\n"
    )
}

/// A rule book: the check, how the base demands it, and more files.
fn rules(check: &str, demand: &str, more: &[(&str, &str)]) -> RuleSet {
    let base = format!("pack: base\ntitle: B\nversion: 1.0.0\nchecks: {{ a.b: {demand} }}\n");
    let mut files = vec![("checks/a/b.yaml", check), ("rules/base.yaml", base.as_str())];
    files.extend(more);
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    RuleSet::load(&[], &[Overlay { root: String::new(), files }])
        .unwrap_or_else(|errors| panic!("{}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
}

fn inventories(nodes: &[Value]) -> Vec<Inventory> {
    let inventory = |(place, node): (usize, &Value)| {
        let mut node = node.clone();
        if node.get("hostname").is_none() {
            node["hostname"] = json!(format!("n{place}"));
        }
        serde_json::from_value(json!({
            "schema": "muster.inventory/v1", "version": "0.1.0", "collected_at": null, "node": node, "sources": [],
            "errors": [{"operation": "read it", "kind": "io", "cause": "input/output error"}]
        }))
        .unwrap()
    };
    nodes.iter().enumerate().map(inventory).collect()
}

struct Ask<'a> {
    site: Option<&'a str>,
    solution: Option<&'a str>,
    profile: Option<&'a str>,
    day: &'a str,
}

const PLAIN: Ask<'static> = Ask { site: None, solution: None, profile: None, day: "2026-07-01" };

fn ask(rules: &RuleSet, nodes: &[Value], ask: &Ask<'_>) -> Run {
    let site = ask.site.map(|text| rules.site("muster.yaml", text.as_bytes()).unwrap_or_else(|e| panic!("{e:?}")));
    let settings = Settings {
        solution: ask.solution.map(str::to_owned),
        site: site.as_ref(),
        profile: ask.profile.map(str::to_owned),
        as_of: ask.day.parse().unwrap(),
        detail: Detail::Full,
    };
    let run = judge(inventories(nodes).as_slice(), rules, &settings).unwrap();
    for finding in &run.findings {
        assert_eq!(finding.verdict == Verdict::Unknown, finding.cause.is_some(), "{finding:?}");
    }
    run
}

fn line(finding: &Finding) -> String {
    let node = if finding.node.is_empty() { "all" } else { &finding.node };
    let waived = if finding.waived.is_some() { ", waived" } else { "" };
    let low = if finding.low_confidence { ", low" } else { "" };
    let check = if finding.check == "a.b" { "" } else { &finding.check };
    format!("{node}/{}: {check}{}{waived}{low}", finding.subject, finding.verdict.word())
}

fn lines(run: &Run) -> Vec<String> {
    run.findings.iter().map(line).collect()
}

fn said(run: &Run, at: usize) -> &str {
    &run.findings[at].message
}

/// What is said of some nodes by one check that the base demands without more.
fn of(level: &str, subject: &str, rest: &str, nodes: &[Value]) -> Vec<String> {
    lines(&ask(&rules(&check(level, subject, rest), "null", &[]), nodes, &PLAIN))
}

fn unread() -> Value {
    json!({"unreadable": 0})
}

fn drives(sizes: &[Value]) -> Value {
    let drive = |(at, bytes): (usize, &Value)| json!({"name": format!("sd{}", (b'a' + at as u8) as char), "bytes": bytes, "media": "ssd"});
    json!({"drives": sizes.iter().enumerate().map(drive).collect::<Vec<_>>()})
}

fn cores(of: &[Value]) -> Vec<Value> {
    of.iter().map(|cores| json!({"cpu": {"cores": cores}})).collect()
}

// ---- waivers ---------------------------------------------------------------------------------------------

const LARGE: &str = "assert: 'drive.bytes >= 1TB'";

fn waiver(scope: &str) -> String {
    format!("waivers: [{{ check: a.b, scope: '{scope}', reason: on order, owner: ops, expires: 2026-07-01 }}]\n")
}

fn waived(scope: &str, day: &str, sizes: &[Value]) -> Run {
    let (site, rules) = (waiver(scope), rules(&check("must", "drive", LARGE), "null", &[]));
    ask(&rules, &[drives(sizes)], &Ask { site: Some(&site), day, ..PLAIN })
}

#[test]
fn a_waiver_answers_for_what_its_scope_names_until_its_last_day() {
    let small = [json!(1), json!(2), json!(2_000_000_000_000_u64)];
    let run = waived("drive.name == \"sda\"", "2026-07-01", &small);
    assert_eq!(lines(&run), ["n0/drive sda: fail, waived", "n0/drive sdb: fail", "n0/drive sdc: pass"]);
    assert_eq!((run.overall, run.counts.fail, run.counts.waived), (Overall::NotReady, 1, 1));
    let run = waived("drive.bytes < 1TB", "2026-07-01", &small);
    assert_eq!((run.overall, run.counts.fail, run.counts.waived), (Overall::ReadyWithWarnings, 0, 2));
    assert!(run.certifying.missing.contains(&"a waiver was used".to_owned()));
    let answered = run.findings[0].waived.as_ref().unwrap();
    assert_eq!(
        (answered.reason.as_str(), answered.owner.as_str(), answered.expires.as_str()),
        ("on order", "ops", "2026-07-01")
    );
}

#[test]
fn an_expired_waiver_counts_for_nothing_and_is_told() {
    let run = waived("true", "2026-07-02", &[json!(1)]);
    let told = "all/waiver of a.b at muster.yaml:1:11: site.waiver-expiredwarn";
    assert_eq!(lines(&run), ["n0/drive sda: fail", told]);
    assert_eq!(said(&run, 1), "it expired on 2026-07-01; ops answered for it");
    assert_eq!(run.overall, Overall::NotReady);
    assert!(!run.certifying.missing.contains(&"a waiver was used".to_owned()));
}

#[test]
fn a_waiver_that_matches_nothing_is_a_finding() {
    let run = waived("drive.name == \"sdz\"", "2026-07-01", &[json!(2_000_000_000_000_u64)]);
    let told = "all/waiver of a.b at muster.yaml:1:11: site.waiver-unusedwarn";
    assert_eq!(lines(&run), ["n0/drive sda: pass", told]);
    assert_eq!(run.overall, Overall::ReadyWithWarnings);
}

#[test]
fn a_waiver_never_lifts_an_unknown() {
    let run = waived("drive.name == \"sda\"", "2026-07-01", &[unread()]);
    let told = "all/waiver of a.b at muster.yaml:1:11: site.waiver-unusedwarn";
    assert_eq!(lines(&run), ["n0/drive sda: unknown", told]);
    assert_eq!(run.overall, Overall::Undetermined);
    // Nor does a scope that cannot be told hold.
    let run = waived("drive.serial == \"S\"", "2026-07-01", &[json!(1)]);
    assert_eq!(lines(&run)[0], "n0/drive sda: fail");
}

#[test]
fn who_differs_from_the_others_can_be_waived_too() {
    let rules = rules(&check("must", "node", "uniform: 'node.cpu.cores'"), "null", &[]);
    let site = waiver("node.hostname == \"n2\"");
    let run = ask(&rules, &cores(&[json!(8), json!(8), json!(4)]), &Ask { site: Some(&site), ..PLAIN });
    assert_eq!(lines(&run), ["n2/node: fail, waived"]);
    // A tie concerns all of it: a waiver of one side answers for nobody.
    let run = ask(&rules, &cores(&[json!(8), json!(8), json!(4), json!(4)]), &Ask { site: Some(&site), ..PLAIN });
    assert_eq!(lines(&run)[0], "all/4 of node: fail");
}

// ---- low confidence --------------------------------------------------------------------------------------

const LOW: &str = "params: { min: { type: bytes, default: 1TB, stricter: higher, doc: d, confidence: low } }\n";
const LOW_PASS: &str = "a check passes by a fact or limit of low confidence";

#[test]
fn a_figure_of_low_confidence_warns_at_most_and_certifies_nothing() {
    let low = |rest: &str, nodes: &[Value]| {
        ask(&rules(&check("must", "drive", &format!("{LOW}{rest}")), "null", &[]), nodes, &PLAIN)
    };
    let run =
        low("assert: 'drive.bytes >= params.min'", &[drives(&[json!(1), json!(2_000_000_000_000_u64), unread()])]);
    assert_eq!(lines(&run), ["n0/drive sda: warn, low", "n0/drive sdb: pass, low", "n0/drive sdc: unknown"]);
    assert!(run.certifying.missing.contains(&LOW_PASS.to_owned()));
    // False whatever the figure: it fails. True whatever the figure: it passes for certain.
    let both = "assert: 'drive.media == \"hdd\" && drive.bytes >= params.min'";
    assert_eq!(lines(&low(both, &[drives(&[json!(1)])])), ["n0/drive sda: fail"]);
    let either = low("assert: 'drive.media == \"ssd\" || drive.bytes >= params.min'", &[drives(&[json!(1)])]);
    assert_eq!(lines(&either), ["n0/drive sda: pass"]);
    assert!(!either.certifying.missing.contains(&LOW_PASS.to_owned()));
    // By way of a name.
    let named = low("let: { enough: 'drive.bytes >= params.min' }\nassert: 'enough'", &[drives(&[json!(1)])]);
    assert_eq!(lines(&named), ["n0/drive sda: warn, low"]);
}

#[test]
fn no_comparison_fails_by_low_confidence_alone() {
    let of = |rest: &str, swaps: &[u64]| {
        let nodes: Vec<Value> = swaps.iter().map(|swap| json!({"os": {"swap": swap}})).collect();
        lines(&ask(&rules(&check("must", "node", &format!("{LOW}{rest}")), "null", &[]), &nodes, &PLAIN))
    };
    const TB: u64 = 1_000_000_000_000;
    assert_eq!(of("unique: 'node.os.swap > params.min'", &[1, 2]), ["all/n0, n1: warn, low"]);
    assert_eq!(of("uniform: 'node.os.swap > params.min'", &[1, 2 * TB]), ["all/2 of node: warn, low"]);
    assert_eq!(of("uniform: 'node.os.swap > params.min'", &[1, 2 * TB, 3 * TB]), ["n0/node: warn, low"]);
    // Certain of 6 TB and of 1 byte, by the figure alone of 2 TB: it fails if it does without those of 2 TB.
    let mixed = "uniform: 'node.os.swap > 5TB || (node.os.swap > 1MB && node.os.swap > params.min)'";
    assert_eq!(of(mixed, &[6 * TB, 6 * TB, 1, 2 * TB]), ["n2/node: fail"]);
    assert_eq!(of(mixed, &[6 * TB, 1, 2 * TB]), ["n1/node: fail"]);
    assert_eq!(of(mixed, &[1, 2 * TB, 2 * TB]), ["n0/node: warn, low"]);
    let unique = mixed.replace("uniform", "unique");
    assert_eq!(of(&unique, &[6 * TB, 6 * TB, 2 * TB]), ["all/n0, n1, n2: fail"]);
    assert_eq!(of(&unique, &[6 * TB, 2 * TB, 1]), ["all/n0, n1: warn, low"]);
    // Absent where it has to be there, in a group that the figure decides.
    let absent = "uniform: 'node.os.swap > params.min'\nwhen_absent: fail";
    let nodes = [json!({"os": {"swap": null}}), json!({"os": {"swap": 1}}), json!({"os": {"swap": 1}})];
    let with = |rest: &str| ask(&rules(&check("must", "node", &format!("{LOW}{rest}")), "null", &[]), &nodes, &PLAIN);
    assert!(!lines(&with(absent)).iter().any(|line| line.ends_with("fail, low")), "{:?}", lines(&with(absent)));
}

#[test]
fn nothing_is_missing_for_certain_where_low_confidence_left_it_out() {
    let demanded = |rest: &str, nodes: &[Value]| {
        let check = check("must", "drive", &format!("{LOW}{rest}"));
        lines(&ask(&rules(&check, "{ require_subject: true }", &[]), nodes, &PLAIN))
    };
    let small = [drives(&[json!(1)])];
    assert_eq!(demanded("where: 'drive.bytes > params.min'\nassert: 'true'", &small), ["n0/every drive: warn, low"]);
    assert_eq!(demanded("where: 'drive.media == \"hdd\"'\nassert: 'true'", &small), ["n0/every drive: fail"]);
    let compared = demanded("where: 'drive.bytes > params.min'\nuniform: 'drive.media'", &small);
    assert!(compared.iter().all(|line| line.ends_with("every drive: warn, low")), "{compared:?}");
    // About the cluster: whether it applies.
    let cluster = format!(
        "{LOW}where: 'nodes.exists(n, n.swap > params.min)'\nkeys: {{ swap: 'node.os.swap' }}\nassert: 'false'"
    );
    let of = |swap: u64| {
        let nodes = [json!({"os": {"swap": swap}})];
        lines(&ask(&rules(&check("must", "cluster", &cluster), "{ require_subject: true }", &[]), &nodes, &PLAIN))
    };
    assert_eq!(of(1), ["n0/cluster: warn, low"]);
    assert_eq!(of(2_000_000_000_000), ["n0/cluster: warn, low"]);
}

#[test]
fn comparing_what_rests_on_low_confidence_does_not_certify_either() {
    let nodes: Vec<Value> = [1, 1].iter().map(|swap| json!({"os": {"swap": swap}})).collect();
    for rest in [
        "uniform: 'node.os.swap > params.min'",
        "let: { much: 'node.os.swap > params.min' }\nuniform: 'much'",
        "uniform: 'node.os.swap'\nby: 'node.os.swap > params.min'",
    ] {
        let check = check("must", "node", &format!("{LOW}{rest}"));
        let run = ask(&rules(&check, "null", &[]), &nodes, &PLAIN);
        assert_eq!(run.findings[0].verdict, Verdict::Pass, "{rest}");
        assert!(run.certifying.missing.contains(&LOW_PASS.to_owned()), "{rest}");
    }
}

// ---- selection -------------------------------------------------------------------------------------------

#[test]
fn what_has_to_be_there_fails_if_it_is_not_and_is_unknown_if_that_cannot_be_told() {
    let hdd = "where: 'drive.media == \"hdd\"'\nassert: 'drive.bytes >= 1TB'";
    let rules = rules(&check("must", "drive", hdd), "{ require_subject: true }", &[]);
    let of = |node: Value| lines(&ask(&rules, &[node], &PLAIN));
    assert_eq!(of(json!({"drives": []})), ["n0/every drive: fail"]);
    assert_eq!(of(drives(&[json!(1)])), ["n0/every drive: fail"]);
    assert_eq!(of(json!({"drives": {"items": [], "partial": [0]}})), ["n0/every drive: unknown"]);
    assert_eq!(of(json!({"drives": unread()})), ["n0/every drive: unknown"]);
    assert_eq!(of(json!({})), ["n0/every drive: unknown"], "not collected");
    assert_eq!(of(json!({"drives": [{"name": "sda", "media": unread(), "bytes": 1}]})), ["n0/drive sda: unknown"]);
    let good = json!({"name": "sda", "media": "hdd", "bytes": 2_000_000_000_000_u64});
    assert_eq!(of(json!({"drives": [good]})), ["n0/drive sda: pass"]);
    assert_eq!(
        of(json!({"drives": {"items": [good], "partial": [0]}})),
        ["n0/drive sda: pass", "n0/every drive: unknown"]
    );
}

#[test]
fn without_that_demand_nothing_to_judge_is_skipped() {
    assert_eq!(of("must", "drive", LARGE, &[json!({"drives": []})]), ["n0/node: skipped"]);
    let hdd = "where: 'drive.media == \"hdd\"'\nassert: 'drive.bytes >= 1TB'";
    assert_eq!(of("must", "drive", hdd, &[drives(&[json!(1)])]), ["n0/node: skipped"]);
    assert_eq!(of("must", "drive", "uniform: 'drive.bytes'", &[json!({"drives": []})]), ["all/every drive: skipped"]);
    let gap = json!({"drives": {"items": [], "partial": [0]}});
    assert_eq!(of("must", "drive", "uniform: 'drive.bytes'", &[gap]), ["all/every drive: unknown"]);
}

#[test]
fn an_absent_value_is_what_the_check_says_and_never_a_pass() {
    for (words, level, verdict) in [
        ("", "must", "unknown"),
        ("\nwhen_absent: unknown", "must", "unknown"),
        ("\nwhen_absent: skipped", "must", "skipped"),
        ("\nwhen_absent: warn", "must", "warn"),
        ("\nwhen_absent: fail", "must", "fail"),
        ("\nwhen_absent: fail", "should", "warn"),
        ("\nwhen_absent: fail", "info", "note"),
    ] {
        let absent = [drives(&[Value::Null])];
        let assert = format!("assert: 'drive.bytes >= 1TB'{words}");
        assert_eq!(of(level, "drive", &assert, &absent), [format!("n0/drive sda: {verdict}")], "{level}{words}");
        let two = [json!({"cpu": {"cores": null}}), json!({"cpu": {"cores": null}})];
        let uniform = format!("uniform: 'node.cpu.cores'{words}");
        let expected = [format!("n0/node: {verdict}"), format!("n1/node: {verdict}")];
        assert_eq!(of(level, "node", &uniform, &two), expected, "{level}{words}");
        // What cannot be told is unknown whatever the check says of absent values.
        assert_eq!(of(level, "drive", &assert, &[drives(&[unread()])]), ["n0/drive sda: unknown"]);
    }
}

// ---- variants --------------------------------------------------------------------------------------------

#[test]
fn which_demand_counts_is_decided_by_the_first_condition_that_holds() {
    let rest =
        "params: { min: { type: int, default: 1, stricter: higher, doc: d } }\nassert: 'node.cpu.cores >= params.min'";
    let demand = "[{ when: 'node.os.live_image', level: info, params: { min: 4 } }, { params: { min: 16 } }]";
    let rules = rules(&check("must", "node", rest), demand, &[]);
    let of = |live: Value| lines(&ask(&rules, &[json!({"os": {"live_image": live}, "cpu": {"cores": 2}})], &PLAIN));
    assert_eq!(of(json!(true)), ["n0/node: note"]);
    assert_eq!(of(json!(false)), ["n0/node: fail"]);
    assert_eq!(of(unread()), ["n0/node: unknown"]);
    assert_eq!(of(Value::Null), ["n0/node: unknown"]);
    let run = ask(&rules, &[json!({"os": {"live_image": unread()}, "cpu": {"cores": 64}})], &PLAIN);
    assert_eq!(run.overall, Overall::Undetermined, "at the strictest of the levels");
}

#[test]
fn a_node_whose_demand_is_unknown_leaves_no_whole_comparison() {
    let nodes = |live: Value| {
        let node = |live: Value| json!({"os": {"live_image": live}, "cpu": {"cores": 8}});
        vec![node(json!(false)), node(json!(false)), node(live)]
    };
    let demand = "[{ when: 'node.os.live_image', level: info }, {}]";
    let uniform = rules(&check("must", "node", "uniform: 'node.cpu.cores'"), demand, &[]);
    assert_eq!(lines(&ask(&uniform, &nodes(json!(false)), &PLAIN)), ["all/3 of node: pass"]);
    assert_eq!(
        lines(&ask(&uniform, &nodes(unread()), &PLAIN)),
        ["n2/node: unknown", "all/2 of node: unknown", "all/every node: unknown"]
    );
    let cluster = "keys: { cores: 'node.cpu.cores' }\nassert: 'size(nodes) <= 2 && nodes.all(n, n.cores == 8)'";
    let cluster = rules(&check("must", "cluster", cluster), demand, &[]);
    assert_eq!(lines(&ask(&cluster, &nodes(json!(false)), &PLAIN)), ["all/cluster: fail"]);
    assert_eq!(lines(&ask(&cluster, &nodes(unread()), &PLAIN)), ["n2/node: unknown", "all/cluster: unknown"]);
}

#[test]
fn what_a_platform_demands_is_unknown_if_the_node_may_be_one() {
    let platform = |name: &str, product: &str, rest: &str| {
        format!("pack: {name}\ntitle: P\nversion: 1.0.0\nmatch: 'node.system.product == \"{product}\"'\n{rest}")
    };
    let p = platform("p", "X", "checks: { a.b: { params: { min: 8 } } }\n");
    let rest =
        "params: { min: { type: int, default: 2, stricter: higher, doc: d } }\nassert: 'node.cpu.cores >= params.min'";
    let book = rules(&check("must", "node", rest), "null", &[("rules/platforms/p.yaml", &p)]);
    let of = |product: Value, cores: u64| {
        let run = ask(&book, &[json!({"cpu": {"cores": cores}, "system": {"product": product}})], &PLAIN);
        (lines(&run), run.overall)
    };
    let lines_of = |verdicts: &[&str]| verdicts.iter().map(|v| format!("n0/node: {v}")).collect::<Vec<_>>();
    assert_eq!(of(json!("X"), 4), (lines_of(&["fail"]), Overall::NotReady));
    assert_eq!(of(json!("Y"), 4), (lines_of(&["pass"]), Overall::Ready));
    assert_eq!(of(Value::Null, 4), (lines_of(&["pass"]), Overall::Ready));
    assert_eq!(of(unread(), 4), (lines_of(&["unknown", "pass"]), Overall::Undetermined));
    // What the base demands fails on every machine.
    assert_eq!(of(unread(), 1), (lines_of(&["unknown", "fail"]), Overall::NotReady));

    // Its rules for roles: what the machine boots from is not known.
    let rule = "checks: {}\nroles: { drive: [{ role: boot, when: 'drive.name == \"sda\"', because: bay }] }\n";
    let p = platform("p", "X", rule);
    let solution = "pack: s\ntitle: S\nversion: 1.0.0\nextends: [base]\nchecks: {}\n\
        roles: { drive: [{ role: capacity, when: 'true', because: rest }] }\n";
    let files = [("rules/platforms/p.yaml", p.as_str()), ("rules/solutions/s.yaml", solution)];
    let book = rules(&check("must", "drive", "assert: 'drive.role == \"boot\"'"), "null", &files);
    let of = |product: Value| {
        let mut node = drives(&[json!(1), json!(1)]);
        node["system"] = json!({"product": product});
        lines(&ask(&book, &[node], &Ask { solution: Some("s"), ..PLAIN }))
    };
    assert_eq!(of(json!("X")), ["n0/drive sda: pass", "n0/drive sdb: fail"]);
    assert_eq!(of(json!("Y")), ["n0/drive sda: fail", "n0/drive sdb: fail"]);
    assert_eq!(of(unread()), ["n0/drive sda: unknown", "n0/drive sdb: fail"]);
}

// ---- profile, overall, certifying ------------------------------------------------------------------------

const SOLUTION: &str = "pack: s\ntitle: S\nversion: 1.0.0\nextends: [base]\nchecks: {}\n\
    profiles: { lab: { levels: { must: should }, because: no data } }\n";
const PLATFORM: &str =
    "pack: p\ntitle: P\nversion: 1.0.0\nmatch: 'node.system.product == \"X\"'\nexpires: 2026-08-01\nchecks: {}\n";

fn book() -> RuleSet {
    let more = [("rules/solutions/s.yaml", SOLUTION), ("rules/platforms/p.yaml", PLATFORM)];
    rules(&check("must", "node", "assert: 'node.cpu.cores >= 8'"), "null", &more)
}

fn machine(cores: Value) -> Value {
    json!({"cpu": {"cores": cores}, "system": {"product": "X", "virtual_machine": false}})
}

#[test]
fn a_profile_changes_what_a_failure_weighs() {
    let of = |profile| ask(&book(), &[machine(json!(4))], &Ask { solution: Some("s"), profile, ..PLAIN });
    assert_eq!((lines(&of(None)), of(None).overall), (vec!["n0/node: fail".to_owned()], Overall::NotReady));
    let lab = of(Some("lab"));
    assert_eq!((lines(&lab), lab.overall), (vec!["n0/node: warn".to_owned()], Overall::ReadyWithWarnings));
    assert_eq!(lab.nodes[0].overall, Overall::ReadyWithWarnings);
    for reason in ["the profile is not the default", "a demand was relaxed by site, rules or profile"] {
        assert!(lab.certifying.missing.contains(&reason.to_owned()), "{:?}", lab.certifying);
    }
}

#[test]
fn every_reason_against_certifying_is_told_when_it_should_be() {
    let good = Ask { solution: Some("s"), ..PLAIN };
    let missing = |nodes: &[Value], how: &Ask<'_>| {
        let run = ask(&book(), nodes, how);
        assert!(!run.certifying.certifying);
        let mut missing = run.certifying.missing;
        // Nothing probes yet, so this one is always among them, at the end.
        assert_eq!(missing.pop().as_deref(), Some("nothing was probed"));
        missing
    };
    let sound = || machine(json!(8));
    assert_eq!(missing(&[sound()], &good), Vec::<String>::new());
    assert_eq!(missing(&[sound()], &PLAIN), ["no solution was chosen"]);
    let mut other = sound();
    other["system"]["product"] = json!("Y");
    assert_eq!(missing(&[sound(), other], &good), ["no platform pack matches a node"]);
    for virtual_machine in [json!(true), unread(), Value::Null] {
        let mut guest = sound();
        guest["system"]["virtual_machine"] = virtual_machine;
        assert_eq!(missing(&[sound(), guest], &good), ["a node is a virtual machine, or may be one"]);
    }
    assert_eq!(missing(&[machine(json!(4))], &good), ["the verdict is not-ready"]);
    assert_eq!(
        missing(&[machine(unread())], &good),
        ["the verdict is undetermined", "a fact that an active check reads is unknown"]
    );
    assert_eq!(missing(&[sound()], &Ask { day: "2026-08-01", ..good }), Vec::<String>::new());
    assert_eq!(missing(&[sound()], &Ask { day: "2026-08-02", ..good }), ["expired: p"]);
    let relaxed = "overrides: { a.b: { level: should, because: lab } }\n";
    assert_eq!(
        missing(&[sound()], &Ask { site: Some(relaxed), ..good }),
        ["a demand was relaxed by site, rules or profile"]
    );
    let waived = "waivers: [{ check: a.b, scope: 'true', reason: r, owner: o, expires: 2026-12-31 }]\n";
    assert_eq!(missing(&[machine(json!(4))], &Ask { site: Some(waived), ..good }), ["a waiver was used"]);
}

#[test]
fn the_overall_verdict_of_a_run_follows_the_explicit_order() {
    let of = |level: &str, cores: &[Value]| {
        let nodes: Vec<Value> = cores.iter().map(|cores| machine(cores.clone())).collect();
        let run = ask(&rules(&check(level, "node", "assert: 'node.cpu.cores >= 8'"), "null", &[]), &nodes, &PLAIN);
        (run.overall, run.nodes.iter().map(|node| node.overall).collect::<Vec<_>>())
    };
    use Overall::{NotReady, Ready, ReadyWithWarnings, Undetermined};
    let (good, bad) = (json!(8), json!(4));
    assert_eq!(of("must", &[good.clone(), unread(), bad.clone()]), (NotReady, vec![Ready, Undetermined, NotReady]));
    assert_eq!(of("must", &[good.clone(), unread()]), (Undetermined, vec![Ready, Undetermined]));
    assert_eq!(of("should", &[good.clone(), unread()]), (ReadyWithWarnings, vec![Ready, ReadyWithWarnings]));
    assert_eq!(of("should", &[good.clone(), bad.clone()]), (ReadyWithWarnings, vec![Ready, ReadyWithWarnings]));
    assert_eq!(of("info", &[good.clone(), bad]), (Ready, vec![Ready, Ready]));
    // Of what is worth knowing alone nothing is known: that is not ready for anything.
    assert_eq!(of("info", &[unread()]), (Undetermined, vec![Undetermined]));
    assert_eq!(of("must", &[]), (Undetermined, vec![]));
}

#[test]
fn of_many_facts_some_are_told_and_the_rest_counted() {
    let text = check("must", "node", "assert: 'node.drives.all(d, d.bytes > 1B)'");
    let rules = rules(&text, "null", &[]);
    let mut drives: Vec<Value> = (0..100).map(|n| json!({"name": format!("d{n}"), "bytes": 2})).collect();
    let run = ask(&rules, &[json!({"drives": drives})], &PLAIN);
    // The list itself and each of its hundred sizes.
    assert_eq!((run.findings[0].evidence.len(), run.findings[0].evidence_left_out), (32, 101 - 32));
    // What is not known decides by itself.
    drives[90]["bytes"] = json!({"unreadable": 0});
    let run = ask(&rules, &[json!({"drives": drives})], &PLAIN);
    assert!(run.findings[0].evidence.iter().any(|evidence| evidence.fact == "drives[90].bytes"));
    assert_eq!(run.findings[0].evidence_left_out, 0);
}

#[test]
fn a_node_that_is_listed_and_not_judged_is_told() {
    let text = check("must", "node", "assert: 'node.os.swap == 0B'");
    let rules = rules(&text, "null", &[]);
    let node = |name: &str| json!({"hostname": name, "os": {"swap": 0}});
    let run = ask(
        &rules,
        &[node("n1"), node("n2.example.org"), node("x")],
        &Ask { site: Some("nodes: ['n[1-3]']\n"), ..PLAIN },
    );
    let told = |check: &str| {
        run.findings.iter().find(|finding| finding.check == check).map(|f| (f.verdict, f.message.as_str()))
    };
    assert_eq!(told("site.nodes-judged"), Some((Verdict::Unknown, "not judged: n3 (1 of 3 listed)")));
    assert_eq!(told("site.nodes-listed"), Some((Verdict::Warn, "not listed: x")));
    assert_eq!(run.overall, Overall::ReadyWithWarnings);
    let run = ask(&rules, &[node("n1"), node("n2")], &Ask { site: Some("nodes: [n1, n2]\n"), ..PLAIN });
    assert!(run.findings.iter().all(|finding| !finding.check.starts_with("site.")), "{:?}", run.findings);
}

#[test]
fn what_one_node_does_not_tell_takes_nothing_from_the_others() {
    let text = check("must", "drive", "uniform: 'drive.model'\nacross: node");
    let rules = rules(&text, "null", &[]);
    let whole = json!({"drives": [{"name": "a", "model": "M"}, {"name": "b", "model": "M"}]});
    let blind = json!({"drives": {"unreadable": 0}});
    let run = ask(&rules, &[whole.clone(), blind, whole], &PLAIN);
    let verdicts: Vec<(&str, Verdict)> = run.findings.iter().map(|f| (f.node.as_str(), f.verdict)).collect();
    assert_eq!(verdicts, [("n0", Verdict::Pass), ("n1", Verdict::Unknown), ("n2", Verdict::Pass)]);
}

#[test]
fn what_is_not_seen_does_not_matter_where_the_check_does_not_apply() {
    let text = check("must", "drive", "where: 'node.system.virtual_machine == false'\nassert: 'drive.bytes > 1B'");
    let rules = rules(&text, "null", &[]);
    let node =
        |virtual_machine: Value| json!({"system": {"virtual_machine": virtual_machine}, "drives": {"unreadable": 0}});
    let verdict = |virtual_machine: Value| ask(&rules, &[node(virtual_machine)], &PLAIN).findings[0].verdict;
    assert_eq!(verdict(json!(true)), Verdict::Skipped);
    assert_eq!(verdict(json!(false)), Verdict::Unknown);
    assert_eq!(verdict(json!({"unreadable": 0})), Verdict::Unknown);
}
