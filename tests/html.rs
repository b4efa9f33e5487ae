//! The HTML report: text of a machine does nothing on the page, the same run gives the same bytes, and a real browser
//! opens, filters, follows and prints it.

use jiff::civil::date;
use passmuster::evaluate::finding::{
    Cause, Citation, Comparison, Evidence, Finding, Level, Limit, Made, Verdict, Waived,
};
use passmuster::evaluate::{Certifying, NodeSummary, PackUsed, Remain, Run, Tally};
use passmuster::inventory::Inventory;
use passmuster::reading::ErrorKind;
use passmuster::report::text::is_treacherous;
use passmuster::report::{Report, html};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn inventory(text: &str) -> Inventory {
    let drive = |name: &str| json!({"name": name, "model": text, "serial": text, "bytes": 480_103_981_056_u64, "media": "ssd", "mountpoints": [text]});
    serde_json::from_value(json!({
        "schema": "muster.inventory/v1", "version": text, "collected_at": text, "sources": [text],
        "errors": [{"operation": text, "kind": "permission-denied", "cause": text}],
        "node": {
            "hostname": text, "root": false,
            "system": {"vendor": text, "product": text, "serial": {"unreadable": 0}, "hypervisor": text, "virtual_machine": true},
            "os": {"pretty_name": text, "kernel_release": text, "command_line": text},
            "cpu": {"models": [text], "packages": [{"model": text, "flags": [text]}]},
            "drives": {"items": [drive(text), drive("sdb")], "partial": [0]}
        }
    }))
    .unwrap()
}

fn finding(check: &str, node: &str, subject: &str, verdict: Verdict, level: Level, text: &str) -> Finding {
    Finding {
        check: check.to_owned(),
        title: format!("Title of {check}"),
        node: node.to_owned(),
        subject: subject.to_owned(),
        verdict,
        level,
        waived: None,
        message: text.to_owned(),
        cause: (verdict == Verdict::Unknown).then_some(Cause::Read(ErrorKind::PermissionDenied)),
        evidence: vec![Evidence {
            fact: format!("fact {text}"),
            value: json!(text),
            shown: text.to_owned(),
            unit: "",
            source: format!("/sys/{text}"),
        }],
        evidence_left_out: 0,
        comparisons: vec![Made {
            left: text.to_owned(),
            comparison: Comparison::Equal,
            right: text.to_owned(),
            left_value: json!(text),
            right_value: json!(text),
            left_shown: text.to_owned(),
            right_shown: text.to_owned(),
            unit: "",
            holds: Some(false),
        }],
        limits: vec![Limit { name: "size".to_owned(), shown: text.to_owned(), layer: text.to_owned() }],
        why: text.to_owned(),
        fix: format!("Mend {text}"),
        sources: vec![
            Citation { title: text.to_owned(), url: text.to_owned(), clause: text.to_owned() },
            Citation {
                title: "The kernel".to_owned(),
                url: "https://docs.kernel.org/admin-guide/abi-stable.html".to_owned(),
                clause: String::new(),
            },
        ],
        low_confidence: false,
    }
}

fn report(findings: Vec<Finding>, names: &[&str], text: &str) -> (Report, Vec<Inventory>) {
    let inventories: Vec<Inventory> = names.iter().map(|_| inventory(text)).collect();
    let nodes = names.iter().enumerate().map(|(place, name)| {
        let tally = Tally::of(findings.iter().filter(|finding| finding.node == *name));
        let platform = Some(text.to_owned());
        NodeSummary { name: (*name).to_owned(), place, overall: tally.overall(), counts: tally.counts, platform }
    });
    let nodes = nodes.collect();
    let tally = Tally::of(&findings);
    let run = Run {
        overall: tally.overall(),
        counts: tally.counts,
        solution: Some(text.to_owned()),
        findings,
        nodes,
        packs: vec![PackUsed {
            name: text.to_owned(),
            title: text.to_owned(),
            version: text.to_owned(),
            digest: text.to_owned(),
        }],
        remains: vec![Remain { what: text.to_owned(), why: text.to_owned(), source: text.to_owned() }],
        certifying: Certifying { certifying: false, missing: vec![text.to_owned()] },
    };
    (Report::new(run, &inventories, "0.1.0", date(2026, 7, 1)), inventories)
}

const VERDICTS: [(Verdict, Level); 6] = [
    (Verdict::Fail, Level::Must),
    (Verdict::Unknown, Level::Must),
    (Verdict::Warn, Level::Should),
    (Verdict::Note, Level::Info),
    (Verdict::Skipped, Level::Must),
    (Verdict::Pass, Level::Must),
];

/// A page on which every text that is not the page's own is `text`.
fn page_of(text: &str) -> String {
    let mut findings = Vec::new();
    for (verdict, level) in VERDICTS {
        findings.push(finding(text, text, text, verdict, level, text));
        findings.push(finding(text, "", text, verdict, level, text));
    }
    let mut waived = finding(text, text, text, Verdict::Fail, Level::Must, text);
    waived.waived = Some(Waived { reason: text.to_owned(), owner: text.to_owned(), expires: text.to_owned() });
    waived.title = text.to_owned();
    findings.push(waived);
    let (report, inventories) = report(findings, &[text, "other"], text);
    html::render(&report, &inventories).unwrap()
}

/// Tags of a page as the page's own template writes them: name, attributes, whether it ends something. Panics where
/// the page is not well-formed: an end without a beginning, an attribute without quotes, a name twice.
fn tags(page: &str) -> Vec<(String, Vec<(String, String)>)> {
    const VOID: [&str; 4] = ["meta", "br", "input", "!DOCTYPE"];
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a loose > in {:?}", &rest[..start]);
        rest = &rest[start + 1..];
        let end = rest.find('>').expect("a tag without end");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "nesting");
            continue;
        }
        let (name, mut attributes) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
        let mut pairs: Vec<(String, String)> = Vec::new();
        while !attributes.trim_start().is_empty() {
            attributes = attributes.trim_start();
            let stop = attributes.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(attributes.len());
            let key = attributes[..stop].to_owned();
            attributes = &attributes[stop..];
            let mut value = String::new();
            if let Some(quoted) = attributes.strip_prefix('=') {
                let quoted = quoted.strip_prefix('"').expect("a value without quotes");
                let (inside, after) = quoted.split_once('"').expect("a value without end");
                value = inside.to_owned();
                attributes = after;
            }
            assert!(!pairs.iter().any(|(other, _)| *other == key), "{key} twice in {tag}");
            pairs.push((key, value));
        }
        if !VOID.contains(&name) {
            open.push(name.to_owned());
        }
        // What stands in a style or script is no markup.
        if ["style", "script"].contains(&name) {
            rest = &rest[rest.find(&format!("</{name}>")).expect("its end")..];
        }
        all.push((name.to_owned(), pairs));
    }
    assert!(open.is_empty(), "never closed: {open:?}");
    all
}

const HOSTILE: [&str; 9] = [
    "\"><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "</script><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    "' onmouseover='alert(1)' x=\" onload=\"alert(1)",
    "<!--<svg onload=alert(1)>-->",
    "http://h/\" onclick=\"alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "\u{202e}evil\u{2066}\0\x1b[2J\r\n\u{200b}",
];

#[test]
fn a_hostile_text_is_text_wherever_it_stands() {
    let innocent = tags(&page_of("innocent"));
    for text in HOSTILE {
        let page = page_of(text);
        let found = tags(&page);
        // The text adds no element and no attribute: the page has the same shape as with a harmless one.
        let shape = |tags: &[(String, Vec<(String, String)>)]| -> Vec<(String, Vec<String>)> {
            tags.iter().map(|(tag, pairs)| (tag.clone(), pairs.iter().map(|(key, _)| key.clone()).collect())).collect()
        };
        assert_eq!(shape(&found), shape(&innocent), "{text:?}");
        assert!(!page.chars().any(|c| is_treacherous(c) && c != '\n'), "{text:?}");
        assert!(page.contains("alert(1)") || !text.contains("alert(1)"), "{text:?} is shown");
    }
}

#[test]
fn nothing_on_the_page_asks_for_anything() {
    for text in HOSTILE.into_iter().chain(["https://example.org/x", "HTTP://example.org"]) {
        let page = page_of(text);
        let mut ids = std::collections::BTreeSet::new();
        let mut links = Vec::new();
        for (tag, attributes) in tags(&page) {
            let known =
                ["link", "img", "iframe", "object", "embed", "base", "video", "audio", "source", "svg", "image"];
            assert!(!known.contains(&tag.as_str()), "<{tag}>");
            for (key, value) in &attributes {
                assert!(
                    !key.starts_with("on")
                        && !["src", "srcset", "style", "action", "formaction", "background", "ping"]
                            .contains(&key.as_str()),
                    "{key}"
                );
                if key == "id" {
                    assert!(ids.insert(value.clone()), "{value} twice");
                }
                if key == "href" {
                    assert_eq!(tag, "a");
                    match value.strip_prefix('#') {
                        Some(anchor) => links.push(anchor.to_owned()),
                        None => {
                            assert!(value.starts_with("https://") || value.starts_with("http://"), "{value}");
                            assert!(attributes.contains(&("rel".to_owned(), "noreferrer".to_owned())), "{value}");
                        }
                    }
                }
            }
        }
        for link in links {
            assert!(ids.contains(&link), "{link} leads nowhere");
        }
        assert!(page.contains("content=\"default-src 'none'; style-src 'sha256-"));
    }
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    assert_eq!(page_of("x"), page_of("x"));
}

fn made_up() -> (Report, Vec<Inventory>) {
    let mut findings = Vec::new();
    for node in ["node01", "node02"] {
        for drive in 0..12 {
            let verdict = if node == "node02" && drive == 3 { Verdict::Pass } else { Verdict::Fail };
            let subject = format!("drive nvme{drive}n1 (serial S{node}{drive:05})");
            findings.push(finding(
                "media.block-size",
                node,
                &subject,
                verdict,
                Level::Must,
                "blocks of 4 kB, limit 512 B",
            ));
        }
        findings.push(finding("cpu.microcode", node, "node", Verdict::Warn, Level::Should, "two revisions: 0x1, 0x2"));
        findings.push(finding("system.identity", node, "node", Verdict::Unknown, Level::Must, "permission denied"));
    }
    findings.push(finding("os.tainted", "node02", "node", Verdict::Note, Level::Info, "tainted by 4096"));
    findings.push(finding("cluster.same-cpu", "", "cluster", Verdict::Pass, Level::Must, "1 model"));
    report(findings, &["node01", "node02"], "a made-up word")
}

#[test]
fn a_page_tells_who_what_where_and_what_to_do() {
    let (report, inventories) = made_up();
    let page = html::render(&report, &inventories).unwrap();
    for part in [
        "id=\"media.block-size\"",
        "23 drives on 2 nodes: ",
        "blocks of 4 kB, limit 512 B",
        "size blocks of 4 kB, limit 512 B (set by blocks of 4 kB, limit 512 B)",
        "expected == blocks of 4 kB, limit 512 B, found <b>blocks of 4 kB, limit 512 B</b>",
        "Mend blocks of 4 kB, limit 512 B",
        "<small>/sys/blocks of 4 kB, limit 512 B</small>",
        "drive nvme11n1 (serial Snode0200011)",
        "<a href=\"https://docs.kernel.org/admin-guide/abi-stable.html\" rel=\"noreferrer\">The kernel</a>",
        "480.104 GB",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let order: Vec<usize> = ["id=\"failures\"", "id=\"unknown-requirements\"", "id=\"warnings\"", "id=\"notes\""]
        .iter()
        .map(|anchor| page.find(anchor).expect("a section"))
        .collect();
    assert!(order.is_sorted(), "failures first: {order:?}");
}

#[test]
fn a_browser_opens_filters_follows_and_prints_it() {
    let folder = tempfile::tempdir().unwrap();
    let (report, inventories) = made_up();
    let answer = browse(
        folder.path(),
        &html::render(&report, &inventories).unwrap(),
        &json!({
            "filter": "microcode", "verdict": "fail", "topic": "system", "node": "node02", "link": "cpu.microcode",
            "printed": ["drive nvme11n1 (serial Snode0200011)", "two revisions: 0x1, 0x2", "Run muster as root, so that it may read this.", "tainted by 4096"]
        }),
    );
    let expect = |key: &str, value: Value| assert_eq!(answer[key], value, "{key}: {answer:#}");
    expect("groups", json!(4));
    expect("open", json!(0));
    expect("form", json!(true));
    expect("j", json!("media.block-size"));
    expect("jj", json!("system.identity"));
    expect("jjk", json!("media.block-size"));
    expect("enter", json!(true));
    expect("slash", json!("filter-text"));
    expect("filtered", json!(["cpu.microcode"]));
    expect("count", json!("2 findings of 1 checks shown"));
    expect("cleared", json!(4));
    expect("by_verdict", json!(["media.block-size"]));
    expect("by_topic", json!(["system.identity", "os.tainted"]));
    expect("by_node", json!(["media.block-size", "system.identity", "cpu.microcode", "os.tainted"]));
    // 11 drives, the identity, the microcode and the taint.
    expect("rows_by_node", json!(vec!["node02"; 14]));
    expect("theme_turns", json!(true));
    expect("link_open", json!(true));
    expect("row_open", json!(true));
    expect("row_seen", json!(true));
    expect("overflow_1280", json!(0));
    expect("overflow_390", json!(0));
    expect("console", json!([]));
    expect("asked", json!([]));
    for (pages, printed) in [("pages", "printed"), ("pages_without_script", "printed_without_script")] {
        assert!(answer[pages].as_u64().unwrap() > 0, "{answer:#}");
        for (word, is_there) in answer[printed].as_object().unwrap() {
            assert_eq!(is_there, &json!(true), "{printed} lacks {word:?}: {answer:#}");
        }
    }
}

/// What a browser made of the page. No browser is a failure: what was not looked at is not in order.
fn browse(folder: &Path, page: &str, words: &Value) -> Value {
    std::fs::write(folder.join("report.html"), page).unwrap();
    std::fs::write(folder.join("words.json"), words.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/html/browser.py");
    let output = Command::new("python3")
        .arg(script)
        .args(["check"])
        .args([folder.join("report.html"), folder.join("words.json")])
        .output()
        .expect("python3 is installed");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the browser did not answer: {complaint}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}
