//! Knowledge of models and roles of interfaces, from rules as text to verdicts.

use crate::rules::{load, mistakes, overlay, pack};
use passmuster::evaluate::finding::{Finding, Verdict};
use passmuster::evaluate::{Detail, Run, Settings, judge};
use passmuster::inventory::Inventory;
use passmuster::rules::cases;
use passmuster::rules::load::RuleSet;

const ROWS: &str = "rules/knowledge/drives.yaml";

/// A row with what stands after its model.
fn row(model: &str, rest: &str) -> String {
    format!(
        "  - model: '{model}'\n    vendor: Acme\n    family: Test\n{rest}    near_misses: [Other 1]\n    source: Acme datasheet 1\n"
    )
}

fn rows() -> String {
    let sure = row(
        "^ACME D[0-9]+$",
        "    class: enterprise\n    power_loss_protection: true\n    endurance: 3DWPD\n    use: mixed-use\n    \
         random_write: 60kiops\n    sequential_read: 3GB/s\n    matches: [ACME D1]\n    confidence: V\n",
    );
    let memory = row(
        "^ACME M",
        "    class: client\n    power_loss_protection: false\n    matches: [ACME M1]\n    confidence: M\n",
    );
    format!("drives:\n{sure}{memory}")
}

/// A check of level must with the lines that say what it demands.
fn check(id: &str, lines: &str) -> String {
    format!(
        "id: {id}\ntitle: {id}\nlevel: must\n{lines}\nwhy: It matters.\nfix: Change it.\nsources: [{{ title: Own reasoning }}]\n"
    )
}

/// Rules of checks and a base that demands them all.
fn rules(checks: &[(&str, &str)], base: &str, knowledge: &str) -> Result<RuleSet, Vec<String>> {
    let demands: Vec<String> = checks.iter().map(|(id, _)| format!("{id}: null")).collect();
    let base = pack("base", &format!("{base}checks: {{ {} }}\n", demands.join(", ")));
    let files: Vec<(String, String)> = checks
        .iter()
        .map(|(id, lines)| (format!("checks/{}.yaml", id.replace('.', "/")), check(id, lines)))
        .chain([("rules/base.yaml".to_owned(), base), (ROWS.to_owned(), knowledge.to_owned())])
        .filter(|(_, text)| !text.is_empty())
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    load(&files)
}

/// Nodes as a case writes them.
fn nodes(rules: &RuleSet, nodes: &[&str]) -> Vec<Inventory> {
    let id = rules.checks.keys().next().unwrap();
    let text = format!("- {{ name: x, verdict: pass, nodes: [{}] }}\n", nodes.join(", "));
    let files = overlay(&[(&format!("fixtures/checks/{id}.yaml"), &text)]);
    let mut cases =
        cases::load(rules, &[], &[files]).map_err(|e| e.iter().map(ToString::to_string).collect::<Vec<_>>());
    cases.as_mut().unwrap().remove(id).unwrap().remove(0).nodes
}

fn run(rules: &RuleSet, facts: &[&str]) -> Run {
    let settings = Settings {
        solution: None,
        site: None,
        profile: None,
        as_of: jiff::civil::date(2026, 12, 1),
        detail: Detail::Full,
    };
    judge(nodes(rules, facts).as_slice(), rules, &settings).unwrap()
}

/// Subject, verdict and message of each finding.
fn told(findings: &[Finding]) -> Vec<(&str, Verdict, &str)> {
    findings.iter().map(|found| (found.subject.as_str(), found.verdict, found.message.as_str())).collect()
}

const PLP: (&str, &str) =
    ("media.plp", "for: drive\nassert: 'drive.power_loss_protection'\nmessage: '{drive.power_loss_protection}'");

#[test]
fn a_row_tells_and_its_lack_is_unknown() {
    let rules = rules(&[PLP], "", &rows()).unwrap();
    let run = run(
        &rules,
        &["{ drives: [{ name: a, model: ACME D1 }, { name: b, model: Nobody 1 }, { name: c, model: null }, \
            { name: d, model: { unreadable: permission denied } }, { name: e }] }"],
    );
    assert_eq!(
        told(&run.findings),
        [
            ("drive a", Verdict::Pass, "true"),
            ("drive b", Verdict::Unknown, "no row of the knowledge base matches model Nobody 1"),
            ("drive c", Verdict::Unknown, "the drive names no model to ask the knowledge base for"),
            ("drive d", Verdict::Unknown, "cannot read drives[3].model: permission denied"),
            ("drive e", Verdict::Unknown, "not collected by version of the case"),
        ]
    );
    let evidence = &run.findings[0].evidence[0];
    assert_eq!(
        (evidence.fact.as_str(), evidence.source.as_str()),
        ("drives[0].power_loss_protection", "knowledge: Acme datasheet 1")
    );
    assert_eq!(run.findings[1].evidence[0].source, "knowledge base");
}

#[test]
fn figures_are_in_units() {
    let figures = "for: drive\nassert: 'drive.endurance >= 3DWPD && drive.random_write == 60kiops && \
                   drive.sequential_read == 3GB/s && drive.class == \"enterprise\" && drive.use == \"mixed-use\"'\n\
                   message: '{drive.endurance}'";
    let open = "for: drive\nassert: 'drive.random_read > 1iops'\nmessage: '{drive.random_read}'";
    let rules = rules(&[("media.figures", figures), ("media.open", open)], "", &rows()).unwrap();
    let run = run(&rules, &["{ drives: [{ name: a, model: ACME D1 }] }"]);
    assert_eq!(run.findings[0].verdict, Verdict::Pass, "{:?}", run.findings[0]);
    assert_eq!(
        told(&run.findings)[1],
        ("drive a", Verdict::Unknown, "the knowledge base does not tell random read of model ACME D1")
    );
    let wrong = "for: drive\nassert: 'drive.class == \"enterprize\"'\nmessage: 'x'";
    let wrong = self::rules(&[("media.wrong", wrong)], "", &rows()).unwrap_err();
    assert!(wrong[0].starts_with("checks/media/wrong.yaml:5:") && wrong[0].contains("enterprize"), "{wrong:?}");
}

#[test]
fn what_rests_on_memory_warns_at_most_and_certifies_nothing() {
    let both = "for: drive\nassert: 'drive.power_loss_protection && drive.bytes > 1TB'\nmessage: '{drive.bytes}'";
    let good = "for: drive\nassert: 'drive.class == \"client\"'\nmessage: '{drive.class}'";
    let filter =
        "for: drive\nwhere: 'drive.class == \"client\"'\nassert: 'drive.bytes > 1TB'\nmessage: '{drive.bytes}'";
    let of = |check: (&str, &str), bytes: &str| {
        let rules = rules(&[check], "", &rows()).unwrap();
        let run = run(&rules, &[&format!("{{ drives: [{{ name: a, model: ACME M1, bytes: {bytes} }}] }}")]);
        let low = "a check passes by a fact or limit of low confidence".to_owned();
        let found = &run.findings[0];
        (found.verdict, found.low_confidence, run.certifying.missing.contains(&low))
    };
    assert_eq!(of(PLP, "2TB"), (Verdict::Warn, true, false));
    assert_eq!(of(("media.both", both), "2TB"), (Verdict::Warn, true, false));
    // False without that fact.
    assert_eq!(of(("media.both", both), "1GB"), (Verdict::Fail, false, false));
    assert_eq!(of(("media.good", good), "2TB"), (Verdict::Pass, true, true));
    // That it is judged at all rests on it.
    assert_eq!(of(("media.filter", filter), "1GB"), (Verdict::Warn, true, false));
    assert_eq!(of(("media.filter", filter), "2TB"), (Verdict::Pass, true, true));
}

#[test]
fn rules_for_roles_see_knowledge_and_hand_its_confidence_on() {
    let roles = "roles: { drive: [{ role: capacity, when: 'drive.class == \"enterprise\"', because: made for it }, \
                 { role: excluded, when: 'drive.class == \"client\"', because: not made for it }] }\n";
    let excluded = "for: drive\nassert: 'drive.role != \"excluded\"'\nmessage: '{drive.role}'";
    let rules = rules(&[("media.excluded", excluded)], roles, &rows()).unwrap();
    let run = run(
        &rules,
        &["{ drives: [{ name: a, model: ACME D1 }, { name: b, model: ACME M1 }, { name: c, model: Nobody 1 }] }"],
    );
    assert_eq!(
        told(&run.findings),
        [
            ("drive a", Verdict::Pass, "capacity"),
            ("drive b", Verdict::Warn, "excluded"),
            ("drive c", Verdict::Unknown, "no row of the knowledge base matches model Nobody 1"),
        ]
    );
    assert!(run.findings[1].low_confidence);
    assert_eq!(run.findings[0].evidence[0].source, "roles of base: made for it");
    // Raw facts and knowledge only: no role decides over roles.
    let circle = "roles: { drive: [{ role: cache, when: 'drive.role == \"boot\"', because: x }] }\n";
    let circle = self::rules(&[("media.excluded", excluded)], circle, "").unwrap_err();
    assert!(circle[0].contains("role"), "{circle:?}");
}

#[test]
fn rows_that_cannot_be_meant() {
    let of = |rows: &str| mistakes(&[(ROWS, &format!("drives:\n{rows}"))]);
    let good = |model: &str, rest: &str| {
        row(model, &format!("    class: boot\n{rest}    matches: [ACME D1]\n    confidence: V\n"))
    };
    assert_eq!(of(&good("^ACME D", "")), Vec::<String>::new());
    assert_eq!(of(&good("^ACME E", "")), [format!("{ROWS}:6:15: the pattern `^ACME E` does not match `ACME D1`")]);
    assert_eq!(
        of(&good("ACME|Other", "")),
        [format!("{ROWS}:8:19: the pattern `ACME|Other` matches its near miss `Other 1`")]
    );
    assert_eq!(of(&good("ACME (", "")), [format!("{ROWS}:2:12: no regular expression: unclosed group")]);
    assert_eq!(of(&good("(ACME D1|\\w{200}){200}", "")), [format!("{ROWS}:2:12: the pattern takes more than 64 KiB")]);
    assert_eq!(
        of(&good("^ACME D", "    endurance: 3GB\n")),
        [format!("{ROWS}:6:16: `3GB` is a bytes (3 GB), not a dwpd")]
    );
    assert_eq!(of(&good("^ACME D", "    random_read: 0iops\n")), [format!("{ROWS}:6:18: `0iops` is not above zero")]);
    let none = row("^ACME D", "    class: boot\n    matches: []\n    confidence: V\n");
    assert_eq!(
        of(&none),
        [format!("{ROWS}:2:12: `matches` lists no model: at least one shows what the pattern is for")]
    );
}

#[test]
fn rows_that_contradict_each_other() {
    let with = |model: &str, endurance: &str, listed: &str| {
        row(
            model,
            &format!("    class: enterprise\n    endurance: {endurance}\n    matches: [{listed}]\n    confidence: V\n"),
        )
    };
    let two = format!("drives:\n{}{}", with("^ACME", "1DWPD", "ACME D1"), with("D[0-9]", "3DWPD", "ACME D1"));
    assert_eq!(
        mistakes(&[(ROWS, &two)]),
        [format!("{ROWS}:16:15: `ACME D1` is listed in {ROWS}:7 too, with another endurance")]
    );
    // Rows that agree are one.
    let two = format!("drives:\n{}{}", with("^ACME", "1DWPD", "ACME D1"), with("D[0-9]", "1DWPD", "ACME D1"));
    assert_eq!(mistakes(&[(ROWS, &two)]), Vec::<String>::new());
    // A model that neither lists is unknown, as far as they differ.
    let two = format!("drives:\n{}{}", with("^ACME", "1DWPD", "ACME E1"), with("D[0-9]", "3DWPD", "XX D1"));
    let endurance = "for: drive\nassert: 'drive.endurance >= 1DWPD'\nmessage: '{drive.endurance}'";
    let class = "for: drive\nassert: 'drive.class == \"enterprise\"'\nmessage: '{drive.class}'";
    let rules = rules(&[("media.class", class), ("media.endurance", endurance)], "", &two).unwrap();
    let run = run(&rules, &["{ drives: [{ name: a, model: ACME D1 }] }"]);
    assert_eq!(
        told(&run.findings),
        [
            ("drive a", Verdict::Pass, "enterprise"),
            (
                "drive a",
                Verdict::Unknown,
                "rows of the knowledge base contradict each other on endurance of model ACME D1"
            ),
        ]
    );
}

#[test]
fn knowledge_that_is_handed_in_does_not_certify() {
    let rules = rules(&[PLP], "", &rows()).unwrap();
    assert!(rules.knowledge.is_handed_in);
    assert!(rules.select(None, None, None, None).unwrap().is_relaxed_by_user());
}

const NIC_ROLES: &str = "roles: { nic: [\
    { role: unused, when: 'nic.kind != \"physical\"', because: no port }, \
    { role: storage, when: 'nic.speed >= 10Gbit/s', because: fast }, \
    { role: management, when: 'nic.speed < 10Gbit/s', because: slow }] }\n";

#[test]
fn other_knowledge_is_another_digest_and_other_writing_is_not() {
    let check = [("a.b", "for: drive\nassert: 'drive.power_loss_protection'\nmessage: 'm'")];
    let digests = |knowledge: &str| {
        let rules = rules(&check, "", knowledge).unwrap();
        rules.packs.values().map(|pack| pack.digest.to_string()).collect::<Vec<_>>()
    };
    let now = digests(&rows());
    assert_ne!(now, digests(&rows().replacen("power_loss_protection: true", "power_loss_protection: false", 1)));
    assert_ne!(now, digests(&rows().replacen("confidence: V", "confidence: M", 1)));
    assert_ne!(now, digests(""));
    assert_eq!(now, digests(&format!("# a note\n{}", rows().replacen("class: client", "class: 'client'", 1))));
}

#[test]
fn a_platform_is_matched_by_facts_as_they_were_read() {
    let platform = |matches: &str| {
        let text = pack("p", "checks: {}\n").replace("checks: {}", &format!("match: '{matches}'\nchecks: {{}}"));
        mistakes(&[("rules/platforms/p.yaml", &text)])
    };
    assert_eq!(platform("node.drives.exists(d, d.model == \"M\")"), Vec::<String>::new());
    let found = platform("node.drives.exists(d, d.class == \"client\")");
    let told = "`match` asks for `class`, which is known only after the platform is";
    assert!(matches!(found.as_slice(), [one] if one.ends_with(told)), "{found:?}");
    let found = platform("node.drives.exists(d, d.role == \"boot\")");
    assert!(matches!(found.as_slice(), [one] if one.contains("role")), "{found:?}");
}

#[test]
fn interfaces_have_roles_by_rules() {
    let role = "for: nic\nassert: 'nic.role == \"storage\"'\nmessage: '{nic.role}'";
    let rules = rules(&[("nic.role", role)], NIC_ROLES, "").unwrap();
    let facts = "{ nics: [{ name: a, kind: physical, speed: 25Gbit/s }, { name: b, kind: physical, speed: 1Gbit/s }, \
                 { name: c, kind: physical, speed: null }, { name: d, kind: physical, speed: { unreadable: timeout } }, \
                 { name: e, kind: bond }] }";
    assert_eq!(
        told(&run(&rules, &[facts]).findings),
        [
            ("nic a", Verdict::Pass, "storage"),
            ("nic b", Verdict::Fail, "management"),
            // No link, no speed: no rule holds.
            ("nic c", Verdict::Fail, "unassigned"),
            ("nic d", Verdict::Unknown, "cannot read nics[3].speed: timeout"),
            ("nic e", Verdict::Fail, "unused"),
        ]
    );
}

#[test]
fn a_network_for_storage_is_judged_by_role() {
    let speed = "for: nic\nwhere: 'nic.role == \"storage\"'\nassert: 'nic.speed >= 25Gbit/s'\nmessage: '{nic.speed}'";
    let mtu = "for: nic\nwhere: 'nic.role == \"storage\"'\nuniform: 'nic.mtu'\nmessage: 'mtu {nic.mtu}'";
    let rules = rules(&[("nic.mtu", mtu), ("nic.speed", speed)], NIC_ROLES, "").unwrap();
    let node = |name: &str, mtu: u32, speed: &str| {
        format!(
            "{{ hostname: {name}, nics: [{{ name: s, kind: physical, speed: {speed}, mtu: {mtu} }}, \
             {{ name: m, kind: physical, speed: 1Gbit/s, mtu: 1500 }}] }}"
        )
    };
    let facts = [node("n1", 9000, "25Gbit/s"), node("n2", 9000, "10Gbit/s"), node("n3", 1500, "25Gbit/s")];
    let facts: Vec<&str> = facts.iter().map(String::as_str).collect();
    let run = run(&rules, &facts);
    let failed: Vec<(&str, &str, &str)> = run
        .findings
        .iter()
        .filter(|found| found.verdict == Verdict::Fail)
        .map(|found| (found.check.as_str(), found.node.as_str(), found.subject.as_str()))
        .collect();
    assert_eq!(failed, [("nic.speed", "n2", "nic s"), ("nic.mtu", "n3", "nic s")]);
    assert!(!run.findings.iter().any(|found| found.subject == "nic m"), "management is not judged");
}

#[test]
fn facts_that_do_not_exist_yet_are_refused_with_the_nearest_name() {
    let of = |assert: &str| {
        let lines = format!("for: nic\nassert: '{assert}'\nmessage: 'x'");
        let base = pack("base", "checks: { nic.pfc: null }\n");
        let files = [("checks/nic/pfc.yaml", check("nic.pfc", &lines)), ("rules/base.yaml", base)];
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let errors = passmuster::rules::load::RuleSet::load(&[], &[overlay(&files)]).unwrap_err();
        let first = &errors[0];
        (first.to_string(), first.help.clone().unwrap_or_default())
    };
    let (message, _) = of("nic.pfc_enabled");
    assert!(message.starts_with("checks/nic/pfc.yaml:5:") && message.contains("pfc_enabled"), "{message}");
    let (message, help) = of("nic.rdma_devices != \"\"");
    assert!(message.contains("rdma_devices") && help.contains("rdma_device"), "{message} {help}");
}

#[test]
fn every_collection_is_a_subject() {
    for (subject, list, facts, label) in [
        ("bond", "bonds", "{ name: bond0 }", "bond bond0"),
        ("rdma", "rdma_devices", "{ name: mlx5_0 }", "rdma mlx5_0"),
        ("pci", "pci_functions", "{ address: '0000:3b:00.0' }", "pci 0000:3b:00.0"),
        ("controller", "storage_controllers", "{ name: '0000:3b:00.0' }", "controller 0000:3b:00.0"),
        ("link", "pci_links", "{ lower: '0000:3b:00.0' }", "link 0000:3b:00.0"),
    ] {
        let lines = format!("for: {subject}\nassert: 'false'\nmessage: 'x'");
        let rules = rules(&[("thing.there", &lines)], "", "").unwrap();
        let run = run(&rules, &[&format!("{{ {list}: [{facts}] }}")]);
        assert_eq!(told(&run.findings), [(label, Verdict::Fail, "x")]);
    }
}
