//! `muster explain`: what it tells of a check, and of a run.

use super::binary::{inventory, muster, run, text, write};
use serde_json::{Value, json};
use std::fs;
use std::process::Stdio;
use tempfile::TempDir;

/// A node with so much memory, which was read from the first source.
fn node(total: Value) -> Value {
    inventory(json!({"hostname": "n1", "memory": {"total": total, "sources": {"total": 0}}}))
}

fn told(args: &[&str], folder: &TempDir) -> String {
    let output = run(folder.path(), &[&["explain"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

#[test]
fn a_verdict_is_told_from_fact_to_source() {
    let folder = TempDir::new().unwrap();
    // Of 16 GiB less 10 % there have to be 15 461 882 265.6 bytes.
    write(folder.path(), "short", &node(json!(15_461_882_265_u64)));
    let page = told(&["memory.minimum", "--for", "ceph", "--on", "short", "--width", "100"], &folder);
    assert_eq!(
        page,
        "\
memory.minimum: A node has enough memory
  assert  node.memory.total >= params.min_installed * (1 - params.allowance)

n1: node
  fact      memory.total is 15.462 GB (/sys/block/sda/ro)
  compared  node.memory.total >= params.min_installed * (1 - params.allowance)
            15.462 GB >= 15.462 GB: does not hold
  limit     min_installed is 17.18 GB (set by ceph)
  limit     allowance is 10 % (set by check)
  found     the kernel has 15.462 GB; 17.18 GB installed are asked for, less 10 % that firmware and
            kernel keep
  level     should
  verdict   warn
  source    AzStackHci.EnvironmentChecker, AzStackHci.Hardware.Helpers.psm1, Test-MemoryCapacity,
            https://www.powershellgallery.com/packages/AzStackHci.EnvironmentChecker
            Harvester: Hardware and network requirements, Memory: preflight allows 10 % for what
            firmware and kernel keep, https://docs.harvesterhci.io/latest/install/requirements
  fix       Add memory.
"
    );
}

#[test]
fn the_layer_that_sets_a_limit_is_told() {
    let folder = TempDir::new().unwrap();
    let site =
        "solution: ceph\noverrides:\n  memory.minimum: { params: { min_installed: 64GiB }, because: our own figure }\n";
    fs::write(folder.path().join("site.yaml"), site).unwrap();
    let page = told(&["memory.minimum", "--width", "100"], &folder);
    assert!(page.contains("ceph  should (ceph), min_installed 17.18 GB (ceph), allowance 10 % (check)"), "{page}");
    assert!(page.contains("s2d   must (check), min_installed 34.36 GB (check)"), "{page}");
    assert!(page.contains("reads    node.memory.total: Memory that the kernel manages"), "{page}");
    let page = told(&["memory.minimum", "--site", "site.yaml", "--width", "100"], &folder);
    // 64 GiB are 68.719 GB.
    assert!(page.contains("ceph  should (ceph), min_installed 68.719 GB (site), allowance 10 % (check)"), "{page}");
    assert!(!page.contains("s2d   must"), "{page}");
}

#[test]
fn what_is_unknown_says_why() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &node(json!({"unreadable": 0})));
    let page = told(&["memory.minimum", "--for", "ceph", "--on", "x", "--width", "120"], &folder);
    assert!(page.contains("verdict   unknown"), "{page}");
    assert!(page.contains("permission denied"), "{page}");
}

#[test]
fn nodes_that_differ_are_told_with_what_they_differ_from() {
    let folder = TempDir::new().unwrap();
    let of = |name: &str, model: &str| {
        inventory(json!({"hostname": name, "cpu": {"models": [model], "packages": [{"id": 0, "model": model}]}}))
    };
    for (name, model) in [("n1", "A"), ("n2", "A"), ("n3", "B")] {
        write(folder.path(), name, &of(name, model));
    }
    let page = told(&["cpu.model-equal", "--on", "n1", "n2", "n3", "--node", "n3", "--width", "120"], &folder);
    assert!(page.contains("uniform"), "{page}");
    assert!(page.contains("n3: node") && page.contains("2 of 3 have A"), "{page}");
    assert!(!page.contains("n1: node"), "{page}");
}

#[test]
fn this_machine_is_explained_too() {
    let folder = TempDir::new().unwrap();
    let page = told(&["cpu.all-online", "--here"], &folder);
    assert!(page.contains("cpu.threads_offline") && page.contains("verdict"), "{page}");
}

#[test]
fn wrong_names_get_the_nearest_and_a_code_of_their_own() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &node(json!(1)));
    for (args, code, said) in [
        (vec!["memory.minimun"], 64, "there is no check `memory.minimun`; did you mean `memory.minimum`?"),
        (vec!["memory.minimum", "--for", "cephh"], 64, "there is no solution `cephh`; did you mean `ceph`?"),
        (vec!["memory.minimum", "--on", "x", "--node", "n2"], 64, "there is no node `n2`; there are: n1"),
        (vec!["memory.minimum", "--node", "n1"], 64, "--node is about a run"),
        (vec!["memory.minimum", "--on", "gone"], 65, "cannot read gone: no such file or directory"),
        (vec!["memory.minimum", "--here", "--on", "x"], 64, "cannot be used with"),
    ] {
        let output = run(folder.path(), &[vec!["explain"], args.clone()].concat());
        assert_eq!(output.status.code(), Some(code), "{args:?}");
        assert!(text(&output.stderr).contains(said), "{args:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}

#[test]
fn a_hostile_machine_does_nothing_to_the_terminal() {
    let folder = TempDir::new().unwrap();
    let name = "n\u{1b}[2J\u{202e}";
    write(folder.path(), "x", &inventory(json!({"hostname": name, "drives": [{"name": name, "state": name}]})));
    let page = told(&["media.state", "--on", "x"], &folder);
    assert!(!page.chars().any(|c| c != '\n' && passmuster::report::text::is_treacherous(c)), "{page:?}");
}

#[test]
fn a_reader_that_went_away_and_a_full_disk_are_told_apart() {
    let folder = TempDir::new().unwrap();
    for args in [
        vec!["explain", "memory.minimum"],
        vec!["pack", "list"],
        vec!["pack", "show", "s2d"],
        vec!["pack", "test", "memory.minimum"],
        vec!["pack", "lint"],
        vec!["pack", "schema", "check"],
        vec!["completions", "bash"],
        vec!["man"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = muster(folder.path(), &args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(141), "{args:?}");
        assert!(output.stderr.is_empty(), "{args:?}: {}", text(&output.stderr));
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = muster(folder.path(), &args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{args:?}");
        assert!(text(&output.stderr).contains("no space left on device"), "{args:?}");
    }
}
