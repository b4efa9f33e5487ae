//! The report of a made-up run: what is said, in which order, at which width; nothing of a machine acts on a terminal.

use jiff::civil::date;
use passmuster::evaluate::finding::{Cause, Citation, Evidence, Finding, Level, Limit, Overall, Verdict, Waived};
use passmuster::evaluate::{Certifying, NodeSummary, PackUsed, Remain, Run, Tally};
use passmuster::inventory::Inventory;
use passmuster::reading::ErrorKind;
use passmuster::report::terminal::{Look, Verbosity, render};
use passmuster::report::text::is_treacherous;
use passmuster::report::{Report, json, markdown};
use serde_json::{Value, json};

fn inventory(node: Value) -> Inventory {
    serde_json::from_value(json!({
        "schema": "muster.inventory/v1", "version": "0.1.0", "collected_at": "2026-07-01T08:00:00Z", "node": node, "sources": [],
        "errors": [
            {"operation": "read /sys/class/dmi/id/product_serial", "kind": "permission-denied", "cause": "permission denied"},
            {"operation": "read /sys/block/sdb/queue/zoned", "kind": "not-found", "cause": "not found: the kernel is older than 4.10"}
        ]
    }))
    .unwrap()
}

fn machine(hostname: &str, hostile: &str) -> Inventory {
    let drive = |name: &str, model: &str, bytes: u64, usage: &str| json!({"name": name, "model": model, "bytes": bytes, "transport": "sata", "media": "ssd", "usage": usage, "zoned": {"unreadable": 1}});
    let mut drives = vec![drive("sda", "INTEL SSDSCKJB150G7", 150_039_945_216, "boot")];
    let letters = "bcdefghijklm".chars();
    drives.extend(letters.map(|c| drive(&format!("sd{c}"), "SAMSUNG MZ7KM480HAHP-00005", 480_103_981_056, "free")));
    drives.push(drive("sdn", hostile, 1_000_204_886_016, "free"));
    inventory(json!({
        "hostname": hostname, "root": false,
        "system": {"vendor": "FUJITSU", "product": "PRIMERGY RX2540 M4", "serial": {"unreadable": 0}, "uuid": {"unreadable": 0},
            "bios_vendor": "FUJITSU", "bios_version": "V5.0.0.12 R1.22.0", "bios_date": "06/11/2018", "firmware_interface": "uefi",
            "virtual_machine": false},
        "os": {"pretty_name": "Debian GNU/Linux 12 (bookworm)", "kernel_release": "6.1.0-13-amd64", "architecture": "x86_64"},
        "cpu": {"cores": 16, "threads": 32, "packages": [
            {"model": "Intel(R) Xeon(R) Silver 4108 CPU @ 1.80GHz"}, {"model": "Intel(R) Xeon(R) Silver 4108 CPU @ 1.80GHz"}]},
        "memory": {"total": 67_292_069_888_u64, "online": 68_719_476_736_u64},
        "numa_nodes": [{"id": 0, "cpus": 16, "memory": 33_612_185_600_u64}, {"id": 1, "cpus": 16, "memory": 33_679_884_288_u64}],
        "drives": drives,
        "excluded": [{"reason": "loop"}, {"reason": "optical"}]
    }))
}

fn finding(
    check: &str,
    title: &str,
    node: &str,
    subject: &str,
    verdict: Verdict,
    level: Level,
    message: &str,
) -> Finding {
    Finding {
        check: check.to_owned(),
        title: title.to_owned(),
        node: node.to_owned(),
        subject: subject.to_owned(),
        verdict,
        level,
        waived: None,
        message: message.to_owned(),
        cause: (verdict == Verdict::Unknown).then_some(Cause::Read(ErrorKind::PermissionDenied)),
        evidence: Vec::new(),
        evidence_left_out: 0,
        comparisons: Vec::new(),
        limits: Vec::new(),
        why: format!("Why {check} matters is told here, in one sentence that does not fit eighty columns."),
        fix: format!("Do what mends {check}."),
        sources: vec![Citation {
            title: "Linux kernel: Kernel stable ABI, sysfs-block".to_owned(),
            url: "https://docs.kernel.org/admin-guide/abi-stable.html".to_owned(),
            clause: "/sys/block/<disk>/ro".to_owned(),
        }],
        low_confidence: false,
    }
}

fn evidence(fact: &str, value: Value, shown: &str, unit: &'static str, source: &str) -> Evidence {
    Evidence { fact: fact.to_owned(), value, shown: shown.to_owned(), unit, source: source.to_owned() }
}

const HOSTILE: &str = "EVIL\x1b[2J\x1b]0;owned\x07\u{202e}SSAP\u{9b}31m | `x` <b>";

fn findings() -> Vec<Finding> {
    let mut all = Vec::new();
    for node in ["node01", "node02"] {
        let revisions = "microcode revisions: 0x2000065, 0x2006e05";
        let mut one = finding(
            "cpu.one-microcode",
            "All CPUs run one microcode revision",
            node,
            "node",
            Verdict::Warn,
            Level::Should,
            revisions,
        );
        one.evidence = vec![evidence(
            "cpu.microcode_revisions",
            json!(["0x2000065", "0x2006e05"]),
            "0x2000065, 0x2006e05",
            "",
            "/proc/cpuinfo",
        )];
        all.push(one);

        let virt = "cannot read /sys/class/dmi/id/product_uuid: permission denied";
        let mut one = finding(
            "system.identity",
            "The system has a serial number",
            node,
            "node",
            Verdict::Unknown,
            Level::Must,
            virt,
        );
        one.evidence = vec![evidence(
            "system.serial",
            Value::Null,
            "unknown (permission denied)",
            "",
            "/sys/class/dmi/id/product_serial",
        )];
        all.push(one);

        for (index, letter) in ('b'..='m').enumerate() {
            let (size, verdict) = if node == "node01" { ("4.096 kB", Verdict::Fail) } else { ("512 B", Verdict::Pass) };
            let message = format!("logical blocks of {size}, limit 512 B");
            let subject = format!("drive sd{letter} (serial S2HSNX0H{index:05})");
            let mut one = finding(
                "media.logical-block-size",
                "A drive has logical blocks that the solution takes",
                node,
                &subject,
                verdict,
                Level::Must,
                &message,
            );
            let value = if node == "node01" { json!(4096) } else { json!(512) };
            one.evidence = vec![evidence(
                &format!("drives[{}].logical_block_size", index + 1),
                value,
                size,
                "byte",
                &format!("/sys/block/sd{letter}/queue/logical_block_size"),
            )];
            one.limits = vec![Limit { name: "size".to_owned(), shown: "512 B".to_owned(), layer: "base".to_owned() }];
            all.push(one);
        }
        for (subject, message) in [
            ("drive sda (serial A)", "80 % used"),
            ("drive sdc (serial C)", "93 % used"),
            ("drive sdn (serial N)", "80 % used"),
        ] {
            all.push(finding(
                "media.endurance",
                "A drive has life left",
                node,
                subject,
                Verdict::Warn,
                Level::Should,
                message,
            ));
        }
    }
    let mut waived = finding(
        "net.link-speed",
        "A storage port runs at its speed",
        "node02",
        "nic ens1f0",
        Verdict::Fail,
        Level::Must,
        "10 Gbit/s, limit 25 Gbit/s",
    );
    waived.waived = Some(Waived {
        reason: "switch arrives in August".to_owned(),
        owner: "ops@example.org".to_owned(),
        expires: "2026-09-01".to_owned(),
    });
    all.push(waived);
    all.push(finding(
        "media.plp",
        "A drive survives loss of power",
        "node01",
        "drive sdn (serial N)",
        Verdict::Unknown,
        Level::Should,
        "no knowledge of this model",
    ));
    if let Some(last) = all.last_mut() {
        last.cause = Some(Cause::Knowledge);
    }
    all.push(finding(
        "cpu.vulnerabilities",
        "No vulnerability is open",
        "node01",
        "node",
        Verdict::Note,
        Level::Info,
        "vulnerabilities without mitigation: mds, tsx_async_abort",
    ));
    all.push(finding(
        "media.hostile",
        "A drive says what it is",
        "node01",
        "drive sdn (serial \u{202e}N)",
        Verdict::Fail,
        Level::Must,
        &format!("model {HOSTILE}"),
    ));
    all.push(finding(
        "media.long",
        "A drive says it shortly",
        "node01",
        &format!("drive {}", "x".repeat(10_240)),
        Verdict::Note,
        Level::Info,
        &"M".repeat(10_240),
    ));
    all.push(finding(
        "nvme.controller-live",
        "An NVMe controller is live",
        "node01",
        "node",
        Verdict::Skipped,
        Level::Must,
        "no NVMe controller that this is about",
    ));
    all.push(finding(
        "cluster.same-cpu",
        "All nodes have the same CPU",
        "",
        "cluster",
        Verdict::Pass,
        Level::Must,
        "1 model",
    ));
    all
}

fn run() -> Run {
    let findings = findings();
    let nodes = ["node01", "node02"]
        .into_iter()
        .enumerate()
        .map(|(place, name)| summary(name, place, findings.iter().filter(|f| f.node == name)))
        .collect();
    let tally = Tally::of(&findings);
    Run {
        overall: tally.overall(),
        counts: tally.counts,
        solution: None,
        findings,
        nodes,
        packs: vec![PackUsed {
            name: "base".to_owned(),
            title: "What every node must satisfy".to_owned(),
            version: "1.0.0".to_owned(),
            digest: "sha256:9f86d081884c7d65".to_owned(),
        }],
        remains: Vec::new(),
        certifying: Certifying {
            certifying: false,
            missing: vec!["no solution was chosen".to_owned(), "the verdict is not ready".to_owned()],
        },
    }
}

fn summary<'f>(name: &str, place: usize, findings: impl IntoIterator<Item = &'f Finding>) -> NodeSummary {
    let tally = Tally::of(findings);
    NodeSummary { name: name.to_owned(), place, overall: tally.overall(), counts: tally.counts, platform: None }
}

fn report() -> Report {
    let nodes = [machine("node01", HOSTILE), machine("node02", HOSTILE)];
    Report::new(run(), &nodes, "0.1.0", date(2026, 7, 1))
}

fn plain(width: u16, verbosity: Verbosity) -> String {
    render(&report(), Look { width, colour: false, verbosity })
}

#[test]
fn terminal_at_80_columns() {
    insta::assert_snapshot!(plain(80, Verbosity::Normal));
}

#[test]
fn terminal_at_120_columns() {
    insta::assert_snapshot!(plain(120, Verbosity::Normal));
}

#[test]
fn terminal_verbose() {
    insta::assert_snapshot!(plain(100, Verbosity::Verbose));
}

#[test]
fn markdown_for_a_ticket() {
    insta::assert_snapshot!(markdown::render(&report(), Verbosity::Normal));
}

#[test]
fn colour_changes_nothing_but_colour() {
    let look = Look { width: 80, colour: true, verbosity: Verbosity::Verbose };
    let coloured = render(&report(), look);
    assert!(coloured.contains("\x1b[1;31mfail\x1b[0m"), "{coloured}");
    let mut stripped = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\x1b') {
        stripped.push_str(before);
        // Every sequence is one of `ESC [ numbers m`: none of the machine's own is among them.
        let (numbers, after) = after.strip_prefix('[').and_then(|after| after.split_once('m')).expect("a colour");
        assert!(numbers.chars().all(|c| c.is_ascii_digit() || c == ';'), "{numbers}");
        rest = after;
    }
    stripped.push_str(rest);
    assert_eq!(stripped, plain(80, Verbosity::Verbose));
}

#[test]
fn quiet_is_one_line() {
    let line = "not-ready: 13 fail, 3 unknown, 8 warn, 2 note, 13 pass, 1 skipped, 1 waived; base checks only: no solution judged\n";
    assert_eq!(plain(80, Verbosity::Quiet), line);
}

#[test]
fn a_solution_changes_the_headline() {
    let with = |remains: usize| {
        let mut run = run();
        run.overall = Overall::Ready;
        let remain = Remain { what: "w".to_owned(), why: "y".to_owned(), source: "s".to_owned() };
        run.remains = vec![remain; remains];
        run.solution = Some("s2d".to_owned());
        Report::new(run, &[], "0.1.0", date(2026, 7, 1)).headline()
    };
    assert_eq!(with(0), "hardware ready; judged for s2d");
    assert_eq!(with(1), "hardware ready; judged for s2d; 1 requirement remains");
    assert_eq!(with(2), "hardware ready; judged for s2d; 2 requirements remain");
}

#[test]
fn the_json_keeps_the_values_and_acts_on_no_terminal() {
    let v1 = json::v1::Report::from(&report());
    let text = String::from_utf8(json::to_bytes(&v1).unwrap()).unwrap();
    assert!(!text.chars().any(|c| c != '\n' && is_treacherous(c)));
    assert_eq!(serde_json::from_str::<json::v1::Report>(&text).unwrap(), v1);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], "muster.report/v1");
    assert_eq!(value["verdict"], "not-ready");
    assert_eq!(
        value["counts"],
        json!({"fail": 13, "unknown": 3, "warn": 8, "note": 2, "skipped": 1, "pass": 13, "waived": 1})
    );
    let hostile = value["findings"].as_array().unwrap().iter().find(|f| f["check"] == "media.hostile").unwrap();
    assert_eq!(hostile["message"], format!("model {HOSTILE}"));
    let cluster = value["findings"].as_array().unwrap().last().unwrap();
    assert_eq!(cluster["node"], Value::Null);
    assert_eq!(value["nodes"][0]["unread"]["reasons"][1], json!({"kind": "permission-denied", "facts": 2}));
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(64))]
    #[test]
    fn nothing_overflows_and_nothing_acts(width in 1_u16..200, model in proptest::prelude::any::<String>(), message in "(\\PC|\x1b|[\u{200b}-\u{202e}]| ){0,300}") {
        let mut run = run();
        run.findings.iter_mut().for_each(|f| f.message = message.clone());
        let machine = machine("node01", &model);
        run.nodes = vec![summary(&model, 0, &run.findings)];
        let report = Report::new(run, std::slice::from_ref(&machine), "0.1.0", date(2026, 7, 1));
        let text = render(&report, Look { width, colour: false, verbosity: Verbosity::Normal });
        proptest::prop_assert!(!text.chars().any(|c| c != '\n' && is_treacherous(c)));
        let lines: Vec<&str> = text.lines().collect();
        let widest = lines.iter().rev().skip(1).map(|line| unicode_width::UnicodeWidthStr::width(*line)).max();
        proptest::prop_assert!(widest <= Some(usize::from(width.max(40))), "{widest:?} {text}");
        proptest::prop_assert!(!markdown::render(&report, Verbosity::Verbose).chars().any(|c| c != '\n' && is_treacherous(c)));
    }
}

#[test]
fn many_nodes_are_told_briefly_and_the_bad_ones_first() {
    let mut run = run();
    run.findings = (0..40)
        .map(|n| {
            let (verdict, message) =
                if n == 39 { (Verdict::Fail, "4 of 5") } else { (Verdict::Unknown, "there may be more") };
            finding(
                "media.all",
                "Every drive is there",
                &format!("n{n:02}"),
                "every drive",
                verdict,
                Level::Must,
                message,
            )
        })
        .collect();
    run.nodes = run.findings.iter().enumerate().map(|(place, f)| summary(&f.node, place, [f])).collect();
    let report = Report::new(run, &[], "0.1.0", date(2026, 7, 1));
    let text = render(&report, Look { width: 80, colour: false, verbosity: Verbosity::Normal });
    let rows: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("node ")).take(34).collect();
    assert!(rows[1].starts_with("n39   not-ready"), "{rows:?}");
    assert!(rows[2].starts_with("n00   undetermined"), "{rows:?}");
    assert_eq!(rows[33], "and 8 more (-v shows all)");
    assert!(text.contains("every drive on 39 nodes: n00, n01, n02, n03, n04, n05, n06, n07, and 31"), "{text}");
    assert!(text.contains("every drive on n39"), "{text}");
}
