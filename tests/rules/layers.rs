//! What base, solution, platform and site demand together: tighten freely, relax with a reason, never silence a solution.

use super::{SIZE, SWAP, load, mistakes, pack};
use passmuster::rules::effective::{EffectiveCheck, EffectivePack, SelectError};
use passmuster::rules::load::RuleSet;

/// Both checks, and packs given as path and text.
fn rules_of(packs: &[(&str, String)]) -> Result<RuleSet, Vec<String>> {
    let mut files = vec![("checks/media/size.yaml", SIZE), ("checks/node/swap.yaml", SWAP)];
    files.extend(packs.iter().map(|(path, text)| (*path, text.as_str())));
    load(&files)
}

fn base(checks: &str) -> (&'static str, String) {
    ("rules/base.yaml", pack("base", &format!("checks: {checks}\n")))
}

fn solution(rest: &str) -> (&'static str, String) {
    ("rules/solutions/s.yaml", pack("s", &format!("extends: [base]\n{rest}\n")))
}

fn platform(rest: &str) -> (&'static str, String) {
    ("rules/platforms/p.yaml", pack("p", &format!("match: 'node.system.product == \"X\"'\n{rest}\n")))
}

/// `when -> level (layer), param value (layer) ...`, one a variant.
fn shown(check: &EffectiveCheck) -> Vec<String> {
    let variant = |variant: &passmuster::rules::layers::Variant| {
        let when: Vec<&str> = variant.when.iter().map(|condition| condition.text.as_str()).collect();
        let limits =
            variant.limits.iter().map(|limit| format!(", {} {} ({})", limit.name, limit.value.shown(), limit.layer));
        let required = if variant.require_subject { ", required" } else { "" };
        format!(
            "[{}] {} ({}){}{required}",
            when.join(" && "),
            variant.level.word(),
            variant.level_layer,
            limits.collect::<String>()
        )
    };
    check.variants.iter().map(variant).collect()
}

fn check<'a>(effective: &'a EffectivePack, id: &str) -> &'a EffectiveCheck {
    effective.checks.iter().find(|check| check.check.id == id).unwrap()
}

#[test]
fn only_what_a_pack_lists_is_demanded() {
    let rules = rules_of(&[base("{ media.size: null }")]).unwrap();
    let effective = rules.select(None, None, None, None).unwrap();
    assert_eq!(effective.checks.len(), 1);
    assert_eq!(shown(&effective.checks[0]), ["[] should (check), min_bytes 480 GB (check)"]);
    assert_eq!(effective.checks[0].layers, ["base"]);
    assert!(!effective.is_relaxed_by_user());
}

#[test]
fn a_later_layer_tightens_freely() {
    let rules = rules_of(&[
        base("{ media.size: null, node.swap: { params: { governor: ondemand } } }"),
        solution(
            "checks: { media.size: { level: must, params: { min_bytes: 960GB }, require_subject: true }, \
             node.swap: { params: { max_bytes: 0B, governor: schedutil } } }",
        ),
    ])
    .unwrap();
    let effective = rules.select(Some("s"), None, None, None).unwrap();
    assert_eq!(shown(check(&effective, "media.size")), ["[] must (s), min_bytes 960 GB (s), required"]);
    // A param without direction is neither tightened nor relaxed.
    assert_eq!(shown(check(&effective, "node.swap")), ["[] must (check), max_bytes 0 B (s), governor schedutil (s)"]);
    assert_eq!(effective.relaxations, []);
    // Without the solution the base alone counts.
    let effective = rules.select(None, None, None, None).unwrap();
    assert_eq!(shown(check(&effective, "media.size")), ["[] should (check), min_bytes 480 GB (check)"]);
}

#[test]
fn the_first_pack_that_lists_a_check_sets_it_freely() {
    let rules = rules_of(&[base("{ media.size: { level: info, params: { min_bytes: 1GB } } }")]).unwrap();
    let effective = rules.select(None, None, None, None).unwrap();
    assert_eq!(shown(&effective.checks[0]), ["[] info (base), min_bytes 1 GB (base)"]);
    assert_eq!(effective.relaxations, []);
}

#[test]
fn to_relax_takes_a_reason_and_its_source() {
    let of = |demand: &str| {
        let relaxed = solution(&format!("checks: {{ media.size: {demand} }}"));
        rules_of(&[base("{ media.size: { require_subject: true } }"), relaxed])
    };
    // checks: { media.size: { level: info } }  -- `info` begins at column 32; `min_bytes` at 35.
    assert_eq!(
        of("{ level: info }").unwrap_err(),
        ["rules/solutions/s.yaml:5:32: the level info is milder than should, which `check` demands"]
    );
    assert_eq!(
        of("{ params: { min_bytes: 240GB }, because: x }").unwrap_err(),
        ["rules/solutions/s.yaml:5:35: min_bytes 240 GB is milder than 480 GB, which `check` demands"]
    );
    assert_eq!(
        of("{ require_subject: false, source: x }").unwrap_err(),
        ["rules/solutions/s.yaml:5:42: require_subject false is milder than true, which `base` demands"]
    );
    let rules = of("{ level: info, params: { min_bytes: 240GB }, because: small is fine, source: S 1 }").unwrap();
    let effective = rules.select(Some("s"), None, None, None).unwrap();
    assert_eq!(shown(&effective.checks[0]), ["[] info (s), min_bytes 240 GB (s), required"]);
    let relaxed: Vec<(&str, &str, &str, &str)> = effective
        .relaxations
        .iter()
        .map(|relaxed| (relaxed.what.as_str(), relaxed.from.as_str(), relaxed.to.as_str(), relaxed.because.as_str()))
        .collect();
    assert_eq!(
        relaxed,
        [("level", "should", "info", "small is fine"), ("min_bytes", "480 GB", "240 GB", "small is fine")]
    );
    // Handed in by the user, not built in.
    assert!(effective.is_relaxed_by_user());
}

#[test]
fn a_platform_cannot_relax_what_a_solution_demands() {
    let relaxed = "checks: { media.size: { level: info, params: { min_bytes: 240GB }, because: x, source: y } }";
    let packs = |solution_checks: &str| {
        rules_of(&[base("{ media.size: null }"), solution(&format!("checks: {solution_checks}")), platform(relaxed)])
            .unwrap()
    };
    // The solution demands it, if only as it is.
    let effective = packs("{ media.size: null }").select(Some("s"), Some("p"), None, None).unwrap();
    assert_eq!(shown(&effective.checks[0]), ["[] should (check), min_bytes 480 GB (check)"]);
    assert_eq!(effective.relaxations, []);
    // It does not: the base alone is relaxed.
    let effective = packs("{}").select(Some("s"), Some("p"), None, None).unwrap();
    assert_eq!(shown(&effective.checks[0]), ["[] info (p), min_bytes 240 GB (p)"]);
    assert_eq!(effective.relaxations.len(), 2);
    // Tightening counts in any case.
    let tight = platform("checks: { media.size: { level: must, params: { min_bytes: 1TB } } }");
    let rules = rules_of(&[base("{}"), solution("checks: { media.size: null }"), tight]).unwrap();
    let effective = rules.select(Some("s"), Some("p"), None, None).unwrap();
    assert_eq!(shown(&effective.checks[0]), ["[] must (p), min_bytes 1 TB (p)"]);
    // And against the base a platform has to say why, like any pack.
    let bare = platform("checks: { media.size: { level: info } }");
    assert_eq!(
        rules_of(&[base("{ media.size: null }"), bare]).unwrap_err(),
        ["rules/platforms/p.yaml:5:32: the level info is milder than should, which `check` demands"]
    );
}

#[test]
fn the_first_case_that_holds_wins() {
    let cases = "checks:\n  media.size:\n    - { when: 'node.root', params: { min_bytes: 1TB } }\n    \
                 - { when: 'node.cpu.sockets > 1', level: must }\n    - { params: { min_bytes: 2TB } }";
    let rules = rules_of(&[base("{}"), solution(cases)]).unwrap();
    let effective = rules.select(Some("s"), None, None, None).unwrap();
    assert_eq!(
        shown(&effective.checks[0]),
        [
            "[node.root] should (check), min_bytes 1 TB (s)",
            "[node.cpu.sockets > 1] must (s), min_bytes 480 GB (check)",
            "[] should (check), min_bytes 2 TB (s)",
        ]
    );
}

#[test]
fn cases_of_several_layers_are_combined_in_order() {
    let rules = rules_of(&[
        base("{ media.size: [{ when: 'node.root', params: { min_bytes: 500GB } }, {}] }"),
        solution("checks: { media.size: [{ when: 'node.cpu.sockets > 1', level: must }] }"),
    ])
    .unwrap();
    let effective = rules.select(Some("s"), None, None, None).unwrap();
    assert_eq!(
        shown(&effective.checks[0]),
        [
            "[node.root && node.cpu.sockets > 1] must (s), min_bytes 500 GB (base)",
            "[node.root] should (check), min_bytes 500 GB (base)",
            "[node.cpu.sockets > 1] must (s), min_bytes 480 GB (check)",
            "[] should (check), min_bytes 480 GB (check)",
        ]
    );
}

#[test]
fn equal_conditions_hold_together() {
    // The mild case of the solution never meets the strict one of the base: they exclude each other.
    let rules = rules_of(&[
        base("{ media.size: [{ when: 'node.root', params: { min_bytes: 2TB } }, { params: { min_bytes: 1TB } }] }"),
        solution("checks: { media.size: [{ when: 'node.root', params: { min_bytes: 3TB } }, { params: { min_bytes: 1TB } }] }"),
    ])
    .unwrap();
    let effective = rules.select(Some("s"), None, None, None).unwrap();
    assert_eq!(
        shown(&effective.checks[0]),
        ["[node.root] should (check), min_bytes 3 TB (s)", "[] should (check), min_bytes 1 TB (s)"]
    );
    assert_eq!(effective.relaxations, []);
}

#[test]
fn too_many_combinations_are_refused() {
    let cases = |of: &str| {
        let case = |n: usize| format!("{{ when: 'node.cpu.{of} > {n}', level: must }}");
        format!("{{ media.size: [{}] }}", (0..24).map(case).collect::<Vec<_>>().join(", "))
    };
    let found = rules_of(&[base(&cases("sockets")), solution(&format!("checks: {}", cases("cores")))]).unwrap_err();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].ends_with("the cases of `media.size` over all packs below have too many combinations"),
        "{found:?}"
    );
    let many = vec!["{ when: 'node.root', level: must }"; 25].join(", ");
    let found = rules_of(&[base(&format!("{{ media.size: [{many}] }}"))]).unwrap_err();
    assert_eq!(found, ["rules/base.yaml:4:23: 25 cases; at most 24"]);
}

#[test]
fn packs_are_used_in_the_order_of_their_layers() {
    let rules = rules_of(&[
        base("{}"),
        (
            "rules/solutions/a.yaml",
            pack("a", "checks: {}\nremains: [{ what: w, why: y, source: z }]\ncertify: { probe_seconds: 300 }\n"),
        ),
        ("rules/solutions/s.yaml", pack("s", "extends: [a, base]\nchecks: {}\ncertify: { probe_seconds: 60 }\n")),
        platform("checks: {}"),
    ])
    .unwrap();
    let effective = rules.select(Some("s"), Some("p"), None, None).unwrap();
    let names: Vec<&str> = effective.packs.iter().map(|pack| pack.name.as_str()).collect();
    assert_eq!(names, ["base", "a", "s", "p"]);
    assert_eq!(effective.probe_seconds, Some(300), "the longest");
    assert_eq!(effective.remains.len(), 1);
    assert_eq!(effective.remains[0].pack, "a");
    assert_eq!(effective.packs[1].kind.word(), "solution");
}

#[test]
fn roles_are_asked_site_platform_solution_base() {
    let role = |role: &str| format!("roles: {{ drive: [{{ role: {role}, when: 'drive.removable', because: x }}] }}\n");
    let rules = rules_of(&[
        ("rules/base.yaml", pack("base", &format!("{}checks: {{}}\n", role("excluded")))),
        ("rules/solutions/a.yaml", pack("a", &format!("{}checks: {{}}\n", role("capacity")))),
        ("rules/solutions/s.yaml", pack("s", &format!("extends: [a]\n{}checks: {{}}\n", role("cache")))),
        platform(&format!("{}checks: {{}}", role("boot"))),
    ])
    .unwrap();
    let site = rules
        .site("muster.yaml", b"drives: [{ role: metadata, when: 'drive.serial == \"X\"', because: y }]\n")
        .unwrap();
    let effective = rules.select(Some("s"), Some("p"), Some(&site), None).unwrap();
    let order: Vec<(&str, &str)> =
        effective.roles.drive.iter().map(|rule| (rule.role.word(), rule.layer.as_str())).collect();
    assert_eq!(order, [("metadata", "site"), ("boot", "p"), ("cache", "s"), ("capacity", "a"), ("excluded", "base")]);
}

#[test]
fn a_rule_for_a_role_cannot_ask_for_a_role() {
    let text =
        pack("s", "roles:\n  drive:\n    - { role: cache, when: 'drive.role == \"boot\"', because: x }\nchecks: {}\n");
    assert_eq!(
        mistakes(&[("rules/solutions/s.yaml", &text)]),
        ["rules/solutions/s.yaml:6:35: `Drive` has no member `role`"]
    );
}

#[test]
fn a_profile_remaps_levels() {
    let profiles = "profiles:\n  lab: { levels: { must: should, should: info }, checks: { node.swap: info }, because: no data }\n\
                    checks: { media.size: { level: must }, node.swap: null }";
    let rules = rules_of(&[base("{}"), solution(profiles)]).unwrap();
    let effective = rules.select(Some("s"), None, None, Some("lab")).unwrap();
    assert_eq!(shown(check(&effective, "media.size")), ["[] should (profile lab), min_bytes 480 GB (check)"]);
    assert_eq!(check(&effective, "node.swap").variants[0].level.word(), "info", "by the check before by the level");
    assert!(effective.is_relaxed_by_user());
    let effective = rules.select(Some("s"), None, None, Some("production")).unwrap();
    assert_eq!(shown(check(&effective, "media.size")), ["[] must (s), min_bytes 480 GB (check)"]);
    assert!(!effective.is_relaxed_by_user());
    let unknown = rules.select(Some("s"), None, None, Some("lap")).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no profile `lap`; did you mean `lab`?");
}

#[test]
fn choices_that_are_not_there() {
    let rules = rules_of(&[base("{}"), solution("checks: {}"), platform("checks: {}")]).unwrap();
    assert_eq!(
        rules.select(Some("p"), None, None, None).unwrap_err(),
        SelectError::OtherKind { kind: "solution", name: "p".to_owned(), found: "platform" }
    );
    assert_eq!(rules.select(None, Some("q"), None, None).unwrap_err().to_string(), "there is no platform `q`");
}

#[test]
fn low_confidence_goes_with_the_value() {
    let rules = rules_of(&[
        base("{ media.size: { params: { min_bytes: { value: 500GB, confidence: low } } } }"),
        solution("checks: { media.size: { params: { min_bytes: 600GB } } }"),
    ])
    .unwrap();
    let low = |solution: Option<&str>| {
        rules.select(solution, None, None, None).unwrap().checks[0].variants[0].limits[0].low_confidence
    };
    assert!(low(None));
    assert!(!low(Some("s")));
}

#[test]
fn digests_go_by_content() {
    let digests = |size: &str, base: &str| {
        let rules = load(&[("checks/media/size.yaml", size), ("rules/base.yaml", base)]).unwrap();
        rules.packs["base"].digest
    };
    let text = pack("base", "checks: { media.size: { level: must, require_subject: true } }\n");
    let other_way = "# the same\nversion: '1.0.0'\ntitle: base\nchecks:\n  media.size:\n    require_subject: true\n    level: must\npack: base\n";
    let one = digests(SIZE, &text);
    assert_eq!(one, digests(SIZE, other_way));
    assert_ne!(one, digests(SIZE, &text.replace("must", "info")), "another pack");
    assert_ne!(one, digests(&SIZE.replace("480GB", "481GB"), &text), "another check that it lists");
    assert!(one.to_string().starts_with("sha256:") && one.to_string().len() == 7 + 64);
}

#[test]
fn replacing_a_built_in_file_is_remembered() {
    let base = pack("base", "checks: { media.size: null }\n");
    let builtin = [("checks/media/size.yaml", SIZE), ("rules/base.yaml", base.as_str())];
    let rules = RuleSet::load(&builtin, &[]).unwrap();
    assert!(!rules.select(None, None, None, None).unwrap().is_relaxed_by_user());
    let milder = SIZE.replace("480GB", "1GB");
    let rules = RuleSet::load(&builtin, &[super::overlay(&[("checks/media/size.yaml", &milder)])]).unwrap();
    let effective = rules.select(None, None, None, None).unwrap();
    assert_eq!(effective.replaced, ["checks/media/size.yaml"]);
    assert!(effective.is_relaxed_by_user());
    assert!(effective.checks[0].check.handed_in);
    // What is only added relaxes nothing.
    let rules = RuleSet::load(&builtin, &[super::overlay(&[("checks/node/swap.yaml", SWAP)])]).unwrap();
    assert!(!rules.select(None, None, None, None).unwrap().is_relaxed_by_user());
}

#[test]
fn what_smells_is_a_warning() {
    let unused = SWAP.replace("governor {params.governor}", "x").replace("== params.governor", "== ''x''");
    let idle = solution("checks: { media.size: { level: must, because: x, source: y } }");
    let reference = "remains: [{ what: w, why: y, source: z }]\nreference:\n  \
                     - { what: r, value: 100000iops, outstanding: 640, latency: 1ms, source: z }";
    let idle = (idle.0, format!("{}{reference}\n", idle.1));
    let base = base("{ media.size: null }");
    let rules = load(&[
        ("checks/media/size.yaml", SIZE),
        ("checks/node/swap.yaml", &unused),
        (base.0, &base.1),
        (idle.0, &idle.1),
    ])
    .unwrap();
    let warnings: Vec<String> = rules.lint().iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "checks/node/swap.yaml:1:5: no pack demands `node.swap`",
            "checks/node/swap.yaml:7:3: nothing uses `params.governor`",
            "rules/solutions/s.yaml:5:23: `because` stands here, but nothing of `media.size` is relaxed",
            "rules/solutions/s.yaml:8:23: 640 IOs under way at 100000 IO/s take 6.4 ms each by Little's law, not 1 ms",
        ]
    );
}
