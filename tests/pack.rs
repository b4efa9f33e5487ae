//! `muster pack`: what it lists, and what it says of rules that are sound and of rules that are not.

use super::binary::{run, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

const CHECK: &str = "\
id: acme.swap
title: \"A node has no swap\"
level: must
for: node
assert: 'node.os.swap == 0B'
message: '{node.os.swap} of swap'
why: \"It is slow.\"
fix: \"swapoff\"
sources:
  - { title: \"Manual\", clause: \"1\" }
";
const PACK: &str = "\
pack: acme
title: \"Acme\"
version: 1.0.0
extends: [base]
checks:
  acme.swap: null
remains:
  - { what: \"a\", why: \"b\", source: \"c\" }
";
const CASES: &str = "\
- { name: \"none\", facts: { os: { swap: 0B } }, verdict: pass }
- { name: \"some\", facts: { os: { swap: 1B } }, verdict: fail, message: \"1 B of swap\" }
- { name: \"not read\", facts: { os: { swap: { unreadable: \"no\" } } }, verdict: unknown }
";

fn put(folder: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
}

fn sound() -> TempDir {
    let folder = TempDir::new().unwrap();
    put(
        folder.path(),
        &[
            ("r/checks/acme/swap.yaml", CHECK),
            ("r/rules/solutions/acme.yaml", PACK),
            ("r/fixtures/checks/acme.swap.yaml", CASES),
        ],
    );
    folder
}

fn pack(folder: &TempDir, args: &[&str]) -> Output {
    run(folder.path(), &[&["pack"], args].concat())
}

fn lines(output: &Output) -> Vec<&str> {
    text(&output.stdout).lines().collect()
}

#[test]
fn packs_are_listed_with_those_handed_in() {
    let folder = sound();
    let output = pack(&folder, &["list", "--rules", "r", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0));
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names[0], "base");
    assert!(names.contains(&"acme") && names.contains(&"ceph") && names.contains(&"s2d"), "{names:?}");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap();
    assert_eq!(row("acme")["file"], "r/rules/solutions/acme.yaml");
    assert_eq!(row("acme")["own_checks"], 1);
    assert_eq!(row("acme")["checks"], row("base")["checks"].as_u64().unwrap() + 1);
    assert_eq!(row("base")["file"], Value::Null);
    let table = pack(&folder, &["list", "--rules", "r"]);
    assert!(lines(&table)[0].starts_with("PACK") && text(&table.stdout).contains("Acme"));
}

#[test]
fn a_pack_is_shown_with_every_limit_and_its_layer() {
    let folder = sound();
    let output = pack(&folder, &["show", "ceph", "--width", "120"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("should (ceph), min_installed 17.18 GB (ceph), allowance 10 % (check)"), "{shown}");
    assert!(shown.contains("drive metadata") && shown.contains("Cannot be judged from a Linux node"), "{shown}");
    fs::write(folder.path().join("site.yaml"), "overrides: { acme.swap: { level: info, because: \"a lab\" } }\n")
        .unwrap();
    let output = pack(&folder, &["show", "acme", "--rules", "r", "--site", "site.yaml", "--width", "120"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("info (site)") && shown.contains("site relaxes level"), "{shown}");
    assert!(shown.contains("acme 1.0.0 (handed in"), "{shown}");
}

#[test]
fn sound_rules_are_told_to_be_so() {
    let folder = sound();
    let output = pack(&folder, &["lint", "--rules", "r"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(lines(&output), ["0 mistakes, 0 warnings; looked at 3 files, 1 check, 3 cases"]);
    let output = pack(&folder, &["test", "--rules", "r"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert_eq!(lines(&output), ["3 cases of 1 check: all hold"]);
}

#[test]
fn what_is_built_in_is_sound() {
    let folder = TempDir::new().unwrap();
    let output = pack(&folder, &["lint"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(lines(&output)[0].starts_with("0 mistakes, 0 warnings; looked at "));
    let output = pack(&folder, &["test"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
    assert!(lines(&output)[0].ends_with(": all hold"), "{}", lines(&output)[0]);
}

#[test]
fn every_mistake_of_every_file_is_told_at_its_place() {
    let folder = sound();
    put(
        folder.path(),
        &[
            ("r/checks/acme/swap.yaml", &CHECK.replace("os.swap == 0B", "os.swop == 0B")),
            ("r/rules/solutions/acme.yaml", &PACK.replace("acme.swap: null", "acme.swap: { levle: must }")),
        ],
    );
    let output = pack(&folder, &["lint", "--rules", "r"]);
    assert_eq!(output.status.code(), Some(65));
    let told = text(&output.stderr);
    assert!(told.contains("r/checks/acme/swap.yaml:5:18") && told.contains("swap"), "{told}");
    assert!(told.contains("r/rules/solutions/acme.yaml:6:16") && told.contains("level"), "{told}");
    assert!(told.ends_with("muster: 2 mistakes, 0 warnings; looked at 3 files\n"), "{told}");
    assert!(output.stdout.is_empty());
    // The same rules judge nothing.
    let output = run(folder.path(), &["explain", "acme.swap", "--rules", "r"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(text(&output.stderr).contains("2 mistakes in the rules"));
}

#[test]
fn mistakes_in_cases_and_site_files_are_told_too() {
    let folder = sound();
    put(folder.path(), &[("r/fixtures/checks/acme.swap.yaml", &CASES.replace("swap: 1B", "swap: 1parsec"))]);
    let output = pack(&folder, &["lint", "--rules", "r"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(text(&output.stderr).contains("r/fixtures/checks/acme.swap.yaml:2:"), "{}", text(&output.stderr));
    let folder = sound();
    fs::write(folder.path().join("site.yaml"), "overrides: { acme.swop: null }\n").unwrap();
    let output = pack(&folder, &["lint", "--rules", "r", "--site", "site.yaml"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(text(&output.stderr).contains("site.yaml:1:14"), "{}", text(&output.stderr));
}

#[test]
fn a_case_that_does_not_hold_is_told_with_what_was_found() {
    let folder = sound();
    put(folder.path(), &[("r/fixtures/checks/acme.swap.yaml", &CASES.replace("swap: 1B", "swap: 2B"))]);
    let output = pack(&folder, &["test", "--rules", "r"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        lines(&output),
        [
            "r/fixtures/checks/acme.swap.yaml:2: acme.swap: some",
            "    node: message \"1 B of swap\" wanted, \"2 B of swap\" found",
            "3 cases of 1 check: 1 does not hold",
        ]
    );
}

#[test]
fn a_check_without_cases_is_no_success() {
    let folder = sound();
    fs::remove_file(folder.path().join("r/fixtures/checks/acme.swap.yaml")).unwrap();
    let output = pack(&folder, &["test", "--rules", "r"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(text(&output.stderr).contains("acme.swap has no case: write one into fixtures/checks/acme.swap.yaml"));
}

#[test]
fn a_file_of_the_same_path_takes_the_place_of_a_built_in_one() {
    let folder = TempDir::new().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("checks/memory/minimum.yaml");
    let stricter = fs::read_to_string(source).unwrap().replace("default: 32GiB", "default: 64GiB");
    put(folder.path(), &[("r/checks/memory/minimum.yaml", &stricter)]);
    // The built-in cases stand at the old limit: they say what has changed.
    let output = pack(&folder, &["test", "memory.minimum", "--rules", "r"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("at min_installed less the allowance"));
    let page = run(folder.path(), &["explain", "memory.minimum", "--rules", "r"]);
    assert!(text(&page.stdout).contains("min_installed = 68.719 GB (check)"), "{}", text(&page.stdout));
}

#[test]
fn schemas_are_those_of_the_documents() {
    let folder = TempDir::new().unwrap();
    let output = pack(&folder, &["schema"]);
    let names = lines(&output);
    assert_eq!(names, ["cases", "check", "knowledge", "pack", "site"]);
    for name in names {
        let printed: Value = serde_json::from_slice(&pack(&folder, &["schema", name]).stdout).unwrap();
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/schema/{name}.v1.json"));
        let kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!(printed, kept, "{name}");
    }
}

#[test]
fn wrong_names_get_the_nearest() {
    let folder = sound();
    for (args, code, said) in [
        (vec!["show", "cep"], 64, "there is no pack `cep`; did you mean `ceph`?"),
        (vec!["show", "ceph", "--profile", "lax"], 64, "there is no profile `lax`"),
        (vec!["test", "media.stat"], 64, "there is no check `media.stat`; did you mean `media.state`?"),
        (vec!["schema", "chek"], 64, "there is no schema `chek`; did you mean `check`?"),
        (vec!["lint", "--rules", "gone"], 65, "cannot read gone: no such file or directory"),
        (vec!["lint", "--rules", "r/checks/acme"], 65, "holds no rules"),
        (vec!["frobnicate"], 64, "unrecognized subcommand"),
    ] {
        let output = pack(&folder, &args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(said), "{args:?}: {}", text(&output.stderr));
    }
}

#[test]
fn what_changes_a_demand_without_being_asked_is_refused_or_told() {
    // The profile that counts where none is asked for.
    let folder = sound();
    let profile = "profiles: { production: { because: \"x\", levels: { must: info } } }\n";
    put(folder.path(), &[("r/rules/solutions/acme.yaml", &format!("{PACK}{profile}"))]);
    let output = pack(&folder, &["lint", "--rules", "r"]);
    assert_eq!(output.status.code(), Some(65));
    assert!(text(&output.stderr).contains("is what counts where no profile is asked for"), "{}", text(&output.stderr));
    // A limit without a direction, set by the site.
    let site = "overrides: { media.state: { params: { states: [offline] }, because: \"a lab\" } }\n";
    fs::write(folder.path().join("site.yaml"), site).unwrap();
    let output = pack(&folder, &["show", "base", "--site", "site.yaml", "--width", "200"]);
    assert!(
        text(&output.stdout).contains("site relaxes states from running, live (check): a lab"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn no_file_of_rules_is_left_out_silently() {
    let folder = sound();
    let checks = folder.path().join("r/checks/acme");
    fs::rename(checks.join("swap.yaml"), folder.path().join("kept")).unwrap();
    std::os::unix::fs::symlink(folder.path().join("kept"), checks.join("swap.yaml")).unwrap();
    let output = pack(&folder, &["test", "--rules", "r"]);
    assert_eq!(lines(&output), ["3 cases of 1 check: all hold"], "{}", text(&output.stderr));
    for (name, said) in [("more.yml", "files of rules end in .yaml"), ("gone.yaml", "no such file or directory")] {
        let folder = sound();
        let checks = folder.path().join("r/checks/acme");
        match name {
            "more.yml" => fs::write(checks.join(name), "").unwrap(),
            _ => std::os::unix::fs::symlink("nowhere", checks.join(name)).unwrap(),
        }
        let output = pack(&folder, &["lint", "--rules", "r"]);
        assert_eq!(output.status.code(), Some(65), "{name}");
        assert!(text(&output.stderr).contains(said), "{name}: {}", text(&output.stderr));
    }
}

#[test]
fn a_record_is_not_compared_and_nothing_is_less_than_nothing() {
    let folder = sound();
    let uniform = CHECK.replace("assert: 'node.os.swap == 0B'", "uniform: 'node.drives'");
    put(folder.path(), &[("r/checks/acme/swap.yaml", &uniform)]);
    fs::write(folder.path().join("site.yaml"), "working_set: -2TB\nnodes: [\"n[5-1]\"]\n").unwrap();
    let output = pack(&folder, &["lint", "--rules", "r"]);
    assert!(
        text(&output.stderr).contains("`uniform` compares values, and this is a record"),
        "{}",
        text(&output.stderr)
    );
    let output = pack(&folder, &["lint", "--site", "site.yaml"]);
    assert_eq!(output.status.code(), Some(65));
    for said in ["`-2TB` is less than nothing", "\"5-1\" ends before it begins"] {
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}
