//! Case files: facts become inventories, what is wrong stands at its place.

use super::{SIZE, SWAP, load, overlay, pack};
use passmuster::evaluate::finding::Verdict;
use passmuster::reading::{Collection, ErrorKind, Reading};
use passmuster::rules::cases::{self, Case, Wanted};
use passmuster::rules::load::RuleSet;
use passmuster::rules::raw::pack::DriveRole;
use passmuster::units::Bytes;

const PATH: &str = "fixtures/checks/media.size.yaml";

fn rules() -> RuleSet {
    let base = pack("base", "checks: { media.size: null, node.swap: null }\n");
    load(&[("checks/media/size.yaml", SIZE), ("checks/node/swap.yaml", SWAP), ("rules/base.yaml", &base)]).unwrap()
}

fn compiled(text: &str) -> Vec<Case> {
    let mut cases = cases::load(&rules(), &[], &[overlay(&[(PATH, text)])]).unwrap();
    cases.remove("media.size").unwrap()
}

fn mistakes(text: &str) -> Vec<String> {
    let errors = cases::load(&rules(), &[], &[overlay(&[(PATH, text)])]).unwrap_err();
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn facts_become_an_inventory() {
    let cases = compiled(
        "- name: a large and an unreadable one
  facts:
    root: true
    drives:
      items:
        - { name: sda, bytes: 960GB, media: ssd, rotational: false, serial: null, mountpoints: [/, /boot] }
        - { name: sdb, bytes: { unreadable: permission denied } }
      partial: [behind a RAID volume]
  params: { min_bytes: 500GB }
  roles: { drive: { sda: capacity } }
  working_set: 1TB
  verdict: { drive sda: pass, drive sdb: unknown }
  message: { drive sda: '960 GB' }
",
    );
    let case = &cases[0];
    let [inventory] = case.nodes.as_slice() else { panic!("one node") };
    assert_eq!(inventory.node.hostname, Reading::Known("node1".to_owned()));
    assert_eq!(inventory.node.root, Reading::Known(true));
    let Collection::Partial { items, reasons } = &inventory.node.drives else { panic!("partial") };
    assert_eq!(items[0].bytes, Reading::Known(Bytes(960_000_000_000)));
    assert_eq!(items[0].serial, Reading::Absent);
    assert_eq!(items[0].mountpoints, Reading::Known(vec!["/".to_owned(), "/boot".to_owned()]));
    assert!(items[0].model.known().is_none() && items[0].model != Reading::Absent, "left out: not collected");
    let Reading::Unreadable(error) = items[1].bytes else { panic!("unreadable") };
    let error = &inventory.errors[error.0 as usize];
    assert_eq!(error.kind, ErrorKind::PermissionDenied);
    assert_eq!(error.to_string(), "cannot read drives[1].bytes: permission denied");
    assert_eq!(inventory.errors[reasons[0].0 as usize].to_string(), "cannot read drives: behind a RAID volume");
    assert_eq!(case.settings[0].value.shown(), "500 GB");
    assert_eq!(case.drive_roles["sda"], DriveRole::Capacity);
    assert_eq!(case.working_set, Some(1e12));
    let Wanted::Each(verdicts) = &case.verdict else { panic!("by subject") };
    assert_eq!(verdicts["drive sdb"], Verdict::Unknown);
    assert_eq!(case.message.as_ref().map(|message| matches!(message, Wanted::Each(_))), Some(true));
}

#[test]
fn several_nodes() {
    let cases = compiled("- { name: two, nodes: [{}, { hostname: x }], verdict: skipped }\n");
    let names: Vec<_> = cases[0].nodes.iter().map(|node| node.node.hostname.clone()).collect();
    assert_eq!(names, [Reading::Known("node1".to_owned()), Reading::Known("x".to_owned())]);
    assert_eq!(cases[0].verdict, Wanted::All(Verdict::Skipped));
}

#[test]
fn their_mistakes() {
    let facts = |facts: &str| mistakes(&format!("- name: x\n  verdict: pass\n  facts: {facts}\n"));
    let at = |place: &str, message: &str| vec![format!("{PATH}:{place}: {message}")];
    assert_eq!(facts("{ drive: [] }"), at("3:12", "unknown fact of Node `drive`"));
    assert_eq!(facts("{ drives: [{ byts: 1GB }] }"), at("3:23", "unknown fact of Drive `byts`"));
    assert_eq!(facts("{ drives: [{ bytes: 1 }] }"), at("3:30", "`1` is a number (1), not a bytes"));
    assert_eq!(facts("{ drives: [{ bytes: 70C }] }"), at("3:30", "`70C` is a celsius (70 °C), not a bytes"));
    assert_eq!(facts("{ drives: [{ media: sdd }] }"), at("3:30", "unknown word `sdd`"));
    assert_eq!(facts("{ drives: [{ removable: yes }] }"), at("3:34", "`yes` is not true or false"));
    assert_eq!(facts("{ cpu: { cores: 1.5 } }"), at("3:26", "`1.5` is not a whole number"));
    assert_eq!(facts("{ drives: null }"), at("3:20", "expected a list, found nothing"));
    assert_eq!(facts("{ drives: { items: [] } }"), at("3:20", "`partial` has to say why elements may be missing"));
    assert_eq!(facts("{ drives: { item: [], partial: [x] } }"), at("3:22", "unknown key `item`"));
    assert_eq!(facts("{ drives: [{ mountpoints: / }] }"), at("3:36", "expected a list, found a single value"));
    assert_eq!(facts("[]"), at("3:10", "expected a map of facts, found a list"));
    assert_eq!(mistakes("- { name: x, verdict: pass }\n"), at("1:3", "a case has `facts` of one node, or `nodes`"));
    assert_eq!(
        mistakes("- { name: x, verdict: pass, facts: {}, nodes: [{}] }\n"),
        at("1:48", "`nodes` beside `facts`: a case has one of them")
    );
    assert_eq!(mistakes("- { name: x, verdict: passed, facts: {} }\n"), at("1:23", "unknown verdict `passed`"));
    assert_eq!(
        mistakes("- { name: x, verdict: pass, facts: {}, params: { min: 1GB } }\n"),
        at("1:50", "check `media.size` has no param `min`")
    );
    assert_eq!(
        mistakes("- { name: x, verdict: pass, facts: {} }\n- { name: x, verdict: fail, facts: {} }\n"),
        at("2:11", "a second case `x`")
    );
    let errors = cases::load(&rules(), &[], &[overlay(&[("fixtures/checks/media.sizes.yaml", "[]\n")])]).unwrap_err();
    assert_eq!(errors[0].to_string(), "fixtures/checks/media.sizes.yaml:1:1: there is no check `media.sizes`");
    assert_eq!(errors[0].help.as_deref(), Some("did you mean fixtures/checks/media.size.yaml?"));
}

#[test]
fn a_check_wants_a_case_that_passes_and_one_that_fails() {
    let rules = rules();
    let text = "- { name: a, verdict: pass, facts: {} }\n- { name: b, verdict: { drive sda: warn }, facts: {} }\n";
    let swap = "- { name: a, verdict: pass, facts: {} }\n- { name: b, verdict: unknown, facts: {} }\n";
    let files = overlay(&[(PATH, text), ("fixtures/checks/node.swap.yaml", swap)]);
    let cases = cases::load(&rules, &[], &[files]).unwrap();
    let warnings: Vec<String> = rules.lint_cases(&cases).iter().map(ToString::to_string).collect();
    assert_eq!(warnings, ["checks/node/swap.yaml:1:5: no case of `node.swap` fails"]);
}
