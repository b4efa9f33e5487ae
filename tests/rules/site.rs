//! The site file: roles, figures, bill of materials, overrides and waivers, with its mistakes at their place.

use super::{SIZE, SWAP, load, pack};
use passmuster::rules::load::RuleSet;

fn rules() -> RuleSet {
    let base = pack(
        "base",
        "params: { reserve: { type: ratio, default: 20%, stricter: higher, doc: kept free } }\nchecks: { media.size: null }\n",
    );
    let solution = pack("s2d", "extends: [base]\nchecks: {}\n");
    load(&[
        ("checks/media/size.yaml", SIZE),
        ("checks/node/swap.yaml", SWAP),
        ("rules/base.yaml", &base),
        ("rules/solutions/s2d.yaml", &solution),
    ])
    .unwrap()
}

fn mistakes(text: &str) -> Vec<String> {
    let errors = rules().site("muster.yaml", text.as_bytes()).unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

const WAIVER: &str = "waivers:\n  - check: media.size\n    scope: 'node.hostname == \"n1\" && drive.serial == \"S1\"'\n    \
                      reason: on order\n    owner: ops\n    expires: 2027-03-31\n";

#[test]
fn what_it_says() {
    let text = format!(
        "solution: s2d\nnodes: ['n[1-4]', n9]\nworking_set: 2TB\nparams: {{ reserve: 10% }}\n\
         bill_of_materials:\n  - {{ what: Four flash drives, for: drive, where: 'drive.media == \"ssd\" // flash', count: 4 }}\n\
         overrides:\n  media.size: {{ level: info, params: {{ min_bytes: 240GB }}, because: old lab }}\n  node.swap: {{ because: y }}\n{WAIVER}"
    );
    let rules = rules();
    let site = rules.site("muster.yaml", text.as_bytes()).unwrap();
    assert_eq!(site.solution.as_deref(), Some("s2d"));
    assert_eq!(site.nodes, ["n[1-4]", "n9"]);
    assert_eq!(site.working_set, Some(2e12));
    let waiver = &site.waivers[0];
    assert_eq!((waiver.check.as_str(), waiver.owner.as_str()), ("media.size", "ops"));
    assert_eq!(waiver.place, "muster.yaml:11:5");
    assert!(waiver.holds_on("2027-03-31".parse().unwrap()));
    assert!(!waiver.holds_on("2027-04-01".parse().unwrap()));

    let effective = rules.select(site.solution.as_deref(), None, Some(&site), None).unwrap();
    let ids: Vec<&str> = effective.checks.iter().map(|check| check.check.id.as_str()).collect();
    assert_eq!(ids, ["media.size", "site.bill-of-materials.1"]);
    assert_eq!(effective.idle_overrides, ["node.swap"], "no pack demands it");
    let variant = &effective.checks[0].variants[0];
    assert_eq!((variant.level.word(), variant.level_layer.as_str()), ("info", "site"));
    assert_eq!((variant.limits[0].value.shown(), variant.limits[0].layer.as_str()), ("240 GB".to_owned(), "site"));
    assert_eq!(variant.relaxed.len(), 2);
    assert_eq!(variant.relaxed[0].because, "old lab");
    let reserve = &effective.params["base"][0];
    assert_eq!((reserve.value.shown(), reserve.layer.as_str()), ("10 %".to_owned(), "site"));
    assert_eq!(effective.relaxations.len(), 3, "level, limit, and the pack's figure");
    assert!(effective.is_relaxed_by_user());
    let bill = &effective.checks[1];
    assert_eq!(bill.check.title, "As bought: Four flash drives");
    assert_eq!(bill.variants[0].limits[0].value.shown(), "4");
    assert_eq!(bill.variants[0].level.word(), "must");
}

#[test]
fn an_empty_bill_and_no_relaxation() {
    let rules = rules();
    let site = rules.site("muster.yaml", b"overrides: { media.size: { level: must, because: x } }\n").unwrap();
    let effective = rules.select(None, None, Some(&site), None).unwrap();
    assert_eq!(effective.relaxations, []);
    assert!(!effective.is_relaxed_by_user());
}

#[test]
fn every_thing_can_be_bought() {
    let rules = rules();
    for subject in passmuster::rules::subject::Subject::all().skip(2) {
        let name = subject.name();
        let text = format!("bill_of_materials: [{{ what: x, for: {name}, count: 1, nodes: 'node.root' }}]\n");
        assert_eq!(rules.site("m", text.as_bytes()).unwrap().bill_of_materials.len(), 1, "{name}");
    }
}

#[test]
fn its_mistakes() {
    assert_eq!(mistakes("solution: s3d\n"), ["muster.yaml:1:11: there is no solution `s3d`"]);
    assert_eq!(mistakes("solution: base\n"), ["muster.yaml:1:11: there is no solution `base`"]);
    assert_eq!(mistakes("working_set: 2\n"), ["muster.yaml:1:14: `2` is a number (2), not a bytes"]);
    assert_eq!(mistakes("params: { reserv: 1% }\n"), ["muster.yaml:1:11: no pack has a param `reserv`"]);
    assert_eq!(mistakes("params: { reserve: 1GB }\n"), ["muster.yaml:1:20: `1GB` is a bytes (1 GB), not a ratio"]);
    assert_eq!(
        mistakes("overrides: { media.size: { level: must } }\n"),
        ["muster.yaml:1:26: an override has to say why"]
    );
    assert_eq!(mistakes("overrides: { media.sice: null }\n"), ["muster.yaml:1:14: there is no check `media.sice`"]);
    assert_eq!(
        mistakes("bill_of_materials: [{ what: x, for: node, count: 4 }]\n"),
        ["muster.yaml:1:37: a node does not have so many of a node"]
    );
    assert_eq!(
        mistakes("bill_of_materials: [{ what: x, for: drive, where: 'drive.madia == \"ssd\"', count: 4 }]\n"),
        ["muster.yaml:1:58: `Drive` has no member `madia`"]
    );
    assert_eq!(
        mistakes("drives: [{ role: unassigned, when: 'true', because: x }]\n"),
        ["muster.yaml:1:18: unknown role `unassigned`"]
    );
    assert_eq!(
        mistakes(&WAIVER.replace("media.size", "media.sizes")),
        ["muster.yaml:2:12: there is no check `media.sizes`"]
    );
    assert_eq!(mistakes(&WAIVER.replace("drive.serial", "drive.sn")), ["muster.yaml:3:44: `Drive` has no member `sn`"]);
    assert_eq!(
        mistakes(&WAIVER.replace("2027-03-31", "2027-13-31")),
        ["muster.yaml:6:14: `2027-13-31` is no date like 2027-03-31"]
    );
    assert_eq!(mistakes(&WAIVER.replace("    owner: ops\n", "")), ["muster.yaml:2:5: the key `owner` is missing"]);
    assert_eq!(
        mistakes(&WAIVER.replace("reason: on order", "reason:")),
        ["muster.yaml:4:11: expected a text, found nothing"]
    );
}
