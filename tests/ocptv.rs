//! OCP Test & Validation output of hand-made reports: what each verdict becomes, and that the lines hold together.
//!
//! The lines are validated against the specification's own schemas by `tests/ocptv/validate.py`, which takes their folder.

use passmuster::evaluate::finding::{Comparison, Evidence, Finding, Level, Made, Overall, Verdict, Waived};
use passmuster::evaluate::{Certifying, Counts, NodeSummary, Remain, Run};
use passmuster::report::ocptv::{Invocation, render};
use passmuster::report::parts::{Part, Parts};
use passmuster::report::{Machine, Report, unread::Unread};
use serde_json::{Value, json};

fn finding(check: &str, subject: &str, verdict: Verdict) -> Finding {
    let level = match verdict {
        Verdict::Warn => Level::Should,
        Verdict::Note => Level::Info,
        _ => Level::Must,
    };
    Finding {
        check: check.to_owned(),
        title: format!("{check} holds"),
        node: "n1".to_owned(),
        subject: subject.to_owned(),
        verdict,
        level,
        waived: None,
        message: format!("message of {check}"),
        cause: None,
        evidence: Vec::new(),
        evidence_left_out: 0,
        comparisons: Vec::new(),
        limits: Vec::new(),
        why: "why".to_owned(),
        fix: "mend it".to_owned(),
        sources: Vec::new(),
        low_confidence: false,
    }
}

fn report(overall: Overall, findings: Vec<Finding>) -> Report {
    let counts = Counts { fail: 0, unknown: 0, warn: 0, note: 0, skipped: 0, pass: 0, waived: 0 };
    Report {
        version: "1.2.3".to_owned(),
        as_of: jiff::civil::date(2026, 12, 1),
        run: Run {
            findings,
            overall,
            counts,
            nodes: vec![NodeSummary {
                name: "n1".to_owned(),
                place: 0,
                overall,
                counts,
                platform: Some("Vendor Model".to_owned()),
            }],
            solution: Some("Ceph".to_owned()),
            packs: Vec::new(),
            remains: vec![Remain {
                what: "throughput".to_owned(),
                why: "two nodes".to_owned(),
                source: "S".to_owned(),
            }],
            certifying: Certifying { certifying: false, missing: vec!["nothing was probed".to_owned()] },
        },
        machines: vec![Machine {
            name: "n1".to_owned(),
            collected_at: None,
            collected_by: "1.2.3".to_owned(),
            root: Some(true),
            hardware: Vec::new(),
            unread: Unread::of(&passmuster::inventory::Inventory {
                schema: String::new(),
                version: String::new(),
                collected_at: passmuster::reading::Reading::Absent,
                node: passmuster::inventory::Node::default(),
                sources: Vec::new(),
                errors: Vec::new(),
            }),
        }],
        solution: Some("Ceph".to_owned()),
    }
}

fn part(subject: &str, name: &str) -> Part {
    Part { subject: subject.to_owned(), kind: "DRIVE", name: name.to_owned(), ..Part::default() }
}

fn lines(report: &Report) -> Vec<Value> {
    let machines = [Parts {
        hardware: vec![
            part("node", "n1"),
            part("drive sda", "sda"),
            // Two that a finding cannot tell apart.
            part("drive without name", "drive"),
            part("drive without name", "drive"),
        ],
        software: Vec::new(),
    }];
    let at = "2026-12-01T10:11:12Z".parse().unwrap();
    let invocation = Invocation { command_line: "muster check".to_owned(), at };
    let text = String::from_utf8(render(report, &machines, &invocation).unwrap()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn of<'v>(lines: &'v [Value], what: &str) -> Vec<&'v Value> {
    lines.iter().filter_map(|line| line["testStepArtifact"].get(what)).collect()
}

fn end(lines: &[Value]) -> &Value {
    &lines.last().unwrap()["testRunArtifact"]["testRunEnd"]
}

#[test]
fn each_verdict_becomes_what_the_documents_say() {
    let waived = |mut finding: Finding| {
        finding.waived =
            Some(Waived { reason: "known".to_owned(), owner: "ops".to_owned(), expires: "2027-01-01".to_owned() });
        finding
    };
    let all = vec![
        finding("a.pass", "node", Verdict::Pass),
        finding("a.fail", "node", Verdict::Fail),
        finding("a.unknown", "node", Verdict::Unknown),
        finding("a.warn", "node", Verdict::Warn),
        finding("a.note", "node", Verdict::Note),
        finding("a.skipped", "node", Verdict::Skipped),
        waived(finding("a.waived", "node", Verdict::Fail)),
    ];
    let lines = lines(&report(Overall::NotReady, all));
    let told: Vec<(&str, &str)> = of(&lines, "diagnosis")
        .iter()
        .map(|diagnosis| (diagnosis["verdict"].as_str().unwrap(), diagnosis["type"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("a.pass-pass", "PASS"),
            ("a.fail-fail", "FAIL"),
            ("a.unknown-unknown", "UNKNOWN"),
            ("a.warn-warn", "UNKNOWN"),
            ("a.waived-fail-waived", "UNKNOWN"),
        ]
    );
    let warned: Vec<&str> = of(&lines, "log")
        .iter()
        .filter(|log| log["severity"] == "WARNING")
        .map(|log| log["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        warned,
        [
            "a.warn: node: message of a.warn; what to do: mend it",
            "a.waived: node: message of a.waived; waived until 2027-01-01 by ops: known",
        ]
    );
}

#[test]
fn a_run_ends_as_its_verdict_says() {
    for (overall, status, result) in [
        (Overall::Ready, "COMPLETE", "PASS"),
        (Overall::ReadyWithWarnings, "COMPLETE", "PASS"),
        (Overall::NotReady, "COMPLETE", "FAIL"),
        (Overall::Undetermined, "ERROR", "NOT_APPLICABLE"),
    ] {
        assert_eq!(end(&lines(&report(overall, Vec::new()))), &json!({"status": status, "result": result}));
    }
}

#[test]
fn a_requirement_that_was_not_judged_makes_its_step_an_error() {
    let open = finding("a.open", "drive sda", Verdict::Unknown);
    let skipped = finding("a.skipped", "every nic", Verdict::Skipped);
    let pass = finding("a.pass", "node", Verdict::Pass);
    let lines = lines(&report(Overall::Undetermined, vec![open, skipped, pass]));
    let names: Vec<&Value> = of(&lines, "testStepStart").iter().map(|start| &start["name"]).collect();
    assert_eq!(names, ["n1: drive", "n1: nic", "n1: node"]);
    let ends: Vec<&Value> = of(&lines, "testStepEnd").iter().map(|end| &end["status"]).collect();
    assert_eq!(ends, ["ERROR", "SKIP", "COMPLETE"]);
    assert_eq!(of(&lines, "error")[0]["symptom"], "not-judged");
}

fn made(comparison: Comparison, left: Value, right: Value, holds: bool) -> Made {
    Made {
        left: "drive.bytes".to_owned(),
        comparison,
        right: "params.min".to_owned(),
        left_shown: left.to_string(),
        right_shown: right.to_string(),
        left_value: left,
        right_value: right,
        unit: "byte",
        holds: Some(holds),
    }
}

#[test]
fn a_comparison_is_a_measurement_with_its_validator() {
    let mut fails = finding("a.small", "drive sda", Verdict::Fail);
    fails.comparisons = vec![made(Comparison::AtLeast, json!(500), json!(960), false)];
    fails.evidence = vec![
        Evidence {
            fact: "drives[0].bytes".to_owned(),
            value: json!(500),
            shown: "500 B".to_owned(),
            unit: "byte",
            source: "/sys/block/sda/size".to_owned(),
        },
        Evidence {
            fact: "drives[0].model".to_owned(),
            value: Value::Null,
            shown: "unknown (permission denied)".to_owned(),
            unit: "",
            source: String::new(),
        },
    ];
    let lines = lines(&report(Overall::NotReady, vec![fails]));
    assert_eq!(
        of(&lines, "measurement"),
        [&json!({
            "name": "drives[0].bytes", "value": 500, "unit": "byte", "hardwareInfoId": "2",
            "validators": [{"name": "params.min", "type": "GREATER_THAN_OR_EQUAL", "value": 960}],
            "metadata": {"check": "a.small", "source": "/sys/block/sda/size"},
        })]
    );
}

#[test]
fn no_validator_contradicts_its_verdict() {
    // `!(a == b)` holds: its comparison does not, and as a validator it would say that the part failed.
    let mut turned = finding("a.turned", "drive sda", Verdict::Pass);
    turned.comparisons = vec![made(Comparison::Equal, json!(1), json!(2), false)];
    let mut texts = finding("a.list", "drive sda", Verdict::Pass);
    texts.comparisons = vec![made(Comparison::Equal, json!(["a"]), json!(["a"]), true)];
    let mut unknown = finding("a.unknown", "drive sda", Verdict::Unknown);
    unknown.comparisons = vec![made(Comparison::Less, json!(1), json!(2), true)];
    let lines = lines(&report(Overall::Undetermined, vec![turned, texts, unknown]));
    assert!(of(&lines, "measurement").is_empty());
}

#[test]
fn hardware_that_cannot_be_told_apart_is_declared_and_not_blamed() {
    let lines = lines(&report(Overall::NotReady, vec![finding("a.fail", "drive without name", Verdict::Fail)]));
    let ids: Vec<&Value> = lines[1]["testRunArtifact"]["testRunStart"]["dutInfo"]["hardwareInfos"]
        .as_array()
        .unwrap()
        .iter()
        .map(|info| &info["hardwareInfoId"])
        .collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    assert_eq!(of(&lines, "diagnosis")[0].get("hardwareInfoId"), None);
}

#[test]
fn lines_are_numbered_and_each_acts_on_no_terminal() {
    let mut hostile = finding("a.fail", "drive \u{1b}[2J\u{202e}", Verdict::Fail);
    hostile.message = "one\ntwo\u{9b}31m".to_owned();
    let report = report(Overall::NotReady, vec![hostile]);
    let invocation = Invocation {
        command_line: "muster \u{1b}]0;x\u{7} judge".to_owned(),
        at: "2026-12-01T10:11:12Z".parse().unwrap(),
    };
    let text = String::from_utf8(render(&report, &[], &invocation).unwrap()).unwrap();
    assert!(!text.chars().any(|c| c != '\n' && passmuster::report::text::is_treacherous(c)), "{text:?}");
    for (number, line) in text.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["sequenceNumber"], number);
        assert_eq!(line["timestamp"], "2026-12-01T10:11:12Z");
    }
    assert!(text.starts_with(r#"{"schemaVersion":{"major":2,"minor":0}"#));
}
