//! The real binary with a scrubbed environment: bad inputs, outputs that cannot be written, what is left behind.

use super::binary::{inventory, muster, run, text, write};
use super::schemas::validator;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Every path below a folder with the content of files.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap();
            if kind.is_dir() {
                folders.push(path.clone());
            }
            // A file larger than any output is input, and not read.
            all.insert(path.clone(), (kind.is_file() && kind.len() < 1 << 24).then(|| fs::read(&path).unwrap()));
        }
    }
    all
}

/// Arguments, what is there before, the exit code, and what is said.
type Case = (&'static [&'static str], Box<dyn Fn(&Path)>, i32, &'static str);

const HOSTILE: &str = "EVIL\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}SSAP\u{9b}31m";

fn hostile() -> Value {
    inventory(json!({
        "hostname": format!("node\u{1b}[31m\u{202e}01"),
        "root": false,
        "system": {"virtual_machine": false, "vendor": HOSTILE, "product": "M".repeat(10_240), "serial": {"unreadable": 0}},
        "drives": [
            {"name": HOSTILE, "model": HOSTILE, "serial": "S".repeat(10_240), "bytes": 1, "media": "virtual", "read_only": true, "sources": {"read_only": 0}},
            {"name": "sdb", "model": "X\nPASS all\r\n", "serial": "|`<b>", "bytes": 1, "media": "ssd", "read_only": true}
        ]
    }))
}

#[test]
fn bad_inputs_give_one_clear_error_each_and_leave_nothing_behind() {
    let whole = inventory(json!({})).to_string();
    let nothing: fn(&Path) = |_| ();
    let cases: Vec<Case> = vec![
        (&["judge", "x"], Box::new(nothing), 65, "cannot read x: no such file or directory"),
        (&["judge", ""], Box::new(nothing), 64, "a value is required"),
        (&["judge", "x"], Box::new(|d| fs::write(d.join("x"), "").unwrap()), 65, "cannot read x: the file is empty"),
        (
            &["judge", "x"],
            Box::new({
                let cut = whole[..whole.len() - 20].to_owned();
                move |d: &Path| fs::write(d.join("x"), &cut).unwrap()
            }),
            65,
            "cannot read x: the JSON is cut off: EOF while parsing",
        ),
        (
            &["judge", "x"],
            Box::new({
                let other = whole.replace("inventory/v1", "inventory/v9");
                move |d: &Path| fs::write(d.join("x"), &other).unwrap()
            }),
            65,
            "it is of schema muster.inventory/v9, and this version reads muster.inventory/v1",
        ),
        (
            &["judge", "x"],
            Box::new(|d| fs::write(d.join("x"), "hello, world\n").unwrap()),
            65,
            "cannot read x: neither an inventory (JSON) nor a capture (tar archive)\n",
        ),
        (
            &["judge", "x"],
            Box::new(|d| fs::write(d.join("x"), b"\x1f\x8b\x08\0\0\0").unwrap()),
            65,
            "cannot read x: neither an inventory (JSON) nor a capture (tar archive): damaged",
        ),
        (&["judge", "x"], Box::new(|d| fs::write(d.join("x"), b"{\xff\xfe").unwrap()), 65, "cannot read x: not JSON"),
        (
            &["judge", "x"],
            Box::new(|d| fs::create_dir(d.join("x")).unwrap()),
            65,
            "cannot read x: nothing of a machine in it",
        ),
        (
            &["judge", "x"],
            Box::new(|d| {
                fs::create_dir(d.join("x")).unwrap();
                fs::write(d.join("x/notes.txt"), "y").unwrap();
            }),
            65,
            "cannot read x: nothing of a machine in it",
        ),
        (
            &["judge", "x"],
            Box::new(|d| {
                // 1 GB of text, sparse.
                let mut file = fs::File::create(d.join("x")).unwrap();
                file.write_all(br#"{"schema":"muster.inventory/v1","version":""#).unwrap();
                file.set_len(1 << 30).unwrap();
            }),
            65,
            "cannot read x: larger than 64 MiB, the most that an inventory may have",
        ),
        (
            &["judge", "x"],
            Box::new(|d| fs::write(d.join("x"), format!("{{\"x\":{}", "[".repeat(1 << 20))).unwrap()),
            65,
            "cannot read x: not JSON: recursion limit exceeded",
        ),
        (
            &["judge", "x"],
            Box::new(|d| write(d, "x", &inventory(json!({"hostname": {"unreadable": 1}})))),
            65,
            "cannot read x: it points to entry 1 of \"errors\", which has 1",
        ),
        (
            &["judge", "x"],
            Box::new(|d| write(d, "x", &inventory(json!({"sources": {"hostname": 4}})))),
            65,
            "cannot read x: it points to entry 4 of \"sources\", which has 1",
        ),
        (
            &["judge", "x"],
            Box::new(|d| write(d, "x", &inventory(json!({"hostname": "h".repeat(100_000)})))),
            65,
            "a text of 100000 bytes, longer than 65536",
        ),
        (&["judge", "x", "x"], Box::new(|d| write(d, "x", &inventory(json!({})))), 64, "x is named twice"),
        (&["judge", "\u{1b}[31m"], Box::new(nothing), 65, r"cannot read \x1b[31m: no such file"),
        (&["judge"], Box::new(nothing), 64, "required"),
        (&[], Box::new(nothing), 64, "Usage:"),
        (&["dance"], Box::new(nothing), 64, "unrecognized subcommand"),
        (&["check", "--format", "poem"], Box::new(nothing), 64, "invalid value"),
        (&["check", "--width", "39"], Box::new(nothing), 64, "39 is not in 40..=1000"),
        (&["check", "--as-of", "yesterday"], Box::new(nothing), 64, "invalid value 'yesterday'"),
        (&["check", "-q", "-v"], Box::new(nothing), 64, "cannot be used with"),
        (
            &["collect", "--from", "x"],
            Box::new(|d| write(d, "x", &inventory(json!({})))),
            65,
            "it looks like an inventory, and a capture is asked for",
        ),
        (
            &["collect", "--capture", "x"],
            Box::new(|d| {
                fs::create_dir(d.join("x")).unwrap();
                fs::write(d.join("x/precious"), "y").unwrap();
            }),
            74,
            "cannot write the capture x: the folder is not empty",
        ),
        (
            &["collect", "--capture", "x"],
            Box::new(|d| fs::write(d.join("x"), "y").unwrap()),
            74,
            "cannot write the capture x: not a directory",
        ),
        (&["collect", "--capture", "x/y"], Box::new(|d| fs::write(d.join("x"), "y").unwrap()), 74, "not a directory"),
        (&["collect", "-o", "x/y"], Box::new(nothing), 74, "cannot write x/y: no such file or directory"),
        (
            &["collect", "-o", "x"],
            Box::new(|d| fs::create_dir(d.join("x")).unwrap()),
            74,
            "cannot write x: is a directory",
        ),
        (&["collect", "-o", "/dev/full"], Box::new(nothing), 74, "cannot write /dev/full: no space left on device"),
        (
            &["check", "--out", "x/y"],
            Box::new(|d| fs::write(d.join("x"), "z").unwrap()),
            74,
            "cannot make the folder x/y: not a directory",
        ),
        (
            &["check", "--out", "x"],
            Box::new(|d| fs::write(d.join("x"), "z").unwrap()),
            74,
            "cannot make the folder x: not a directory",
        ),
        (
            &["check", "--out", "x"],
            Box::new(|d| fs::create_dir_all(d.join("x/report.md")).unwrap()),
            74,
            "cannot write x/report.md: is a directory",
        ),
        (&["check", "--out", "/proc/x/y"], Box::new(nothing), 74, "cannot make the folder /proc/x/y: no such file"),
    ];
    for (args, prepare, code, says) in cases {
        let folder = TempDir::new().unwrap();
        prepare(folder.path());
        let before = everything(folder.path());
        let output = run(folder.path(), args);
        let stderr = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stderr.contains(says), "{args:?}: {stderr}");
        assert_eq!(text(&output.stdout), "", "{args:?}");
        assert_eq!(everything(folder.path()), before, "{args:?}");
        if code != 64 {
            assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
            assert!(stderr.starts_with("muster: "), "{args:?}: {stderr}");
        }
    }
}

/// Root may read everything: then the folder is handed to nobody and read by nobody.
#[test]
fn a_folder_without_rights_is_named() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("x")).unwrap();
    fs::set_permissions(folder.path().join("x"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    // The binary may lie where only its owner gets.
    let binary = folder.path().join("muster");
    fs::copy(env!("CARGO_BIN_EXE_muster"), &binary).unwrap();
    let mut command = Command::new(&binary);
    command.env_clear().current_dir(folder.path()).args(["judge", "x"]);
    let root = fs::read_dir(folder.path().join("x")).is_ok();
    if root {
        command.uid(65534).gid(65534);
    }
    let output = command.output().unwrap();
    fs::set_permissions(folder.path().join("x"), fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(output.status.code(), Some(65));
    assert_eq!(text(&output.stderr), "muster: cannot read x: permission denied\n");
}

#[test]
fn all_bad_inputs_are_named_and_nothing_is_judged() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "good", &inventory(json!({})));
    fs::write(folder.path().join("empty"), "").unwrap();
    let output = run(folder.path(), &["judge", "missing", "good", "empty"]);
    assert_eq!(output.status.code(), Some(65));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(
        text(&output.stderr),
        "muster: cannot read missing: no such file or directory\nmuster: cannot read empty: the file is empty\n"
    );
}

#[test]
fn an_inventory_is_judged_and_the_json_is_valid() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    let output = run(folder.path(), &["judge", "x", "--format", "json", "--as-of", "2026-07-01"]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let errors: Vec<String> =
        validator("muster.report.v1.json").iter_errors(&report).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(report["verdict"], "not-ready");
    assert_eq!(report["as_of"], "2026-07-01");
    assert_eq!(report["headline"], "hardware not ready; base checks only: no solution judged");
    assert_eq!(report["certifying"]["certifying"], false);
    let findings = report["findings"].as_array().unwrap();
    let read_only: Vec<&Value> = findings.iter().filter(|f| f["check"] == "media.writable").collect();
    assert_eq!(read_only.len(), 2);
    assert_eq!(read_only[0]["verdict"], "fail");
    assert_eq!(read_only[0]["evidence"][0]["source"], "/sys/block/sda/ro");
    // The same again, byte for byte.
    let again = run(folder.path(), &["judge", "x", "--format", "json", "--as-of", "2026-07-01"]);
    assert_eq!(again.stdout, output.stdout);
}

#[test]
fn what_is_collected_is_valid_and_can_be_judged() {
    let folder = TempDir::new().unwrap();
    let output = run(folder.path(), &["collect", "--capture", "capture", "-o", "inventory.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    let bytes = fs::read(folder.path().join("inventory.json")).unwrap();
    let inventory: Value = serde_json::from_slice(&bytes).unwrap();
    let errors: Vec<String> =
        validator("muster.inventory.v1.json").iter_errors(&inventory).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let judged = run(folder.path(), &["judge", "inventory.json", "-q", "--as-of", "2026-07-01"]);
    assert!(matches!(judged.status.code(), Some(0..=3)), "{judged:?}");
    let piped = muster(folder.path(), &["judge", "-", "-q", "--as-of", "2026-07-01"])
        .stdin(fs::File::open(folder.path().join("inventory.json")).unwrap())
        .output()
        .unwrap();
    assert_eq!(piped, judged);
}

#[test]
fn no_output_acts_on_a_terminal() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    for args in [
        vec!["judge", "x"],
        vec!["judge", "x", "-v"],
        vec!["judge", "x", "--format", "json"],
        vec!["judge", "x", "--format", "markdown"],
        vec!["judge", "x", "--format", "ocptv"],
        vec!["judge", "x", "-q"],
    ] {
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let stdout = text(&output.stdout);
        let acts = |c: &char| *c != '\n' && (c.is_control() || ('\u{200b}'..='\u{202e}').contains(c));
        assert!(!stdout.chars().any(|c| acts(&c)), "{args:?}: {stdout:?}");
        // A line of the machine's making cannot stand by itself.
        assert!(!stdout.lines().any(|line| line.trim_start().starts_with("PASS all")), "{stdout}");
    }
}

#[test]
fn every_line_fits_the_width() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    for width in ["40", "80", "120", "1000"] {
        let output = run(folder.path(), &["judge", "x", "-v", "--width", width]);
        let stdout = text(&output.stdout);
        let lines: Vec<&str> = stdout.lines().collect();
        let (summary, lines) = lines.split_last().unwrap();
        assert!(summary.starts_with("not-ready: "), "{summary}");
        let widest = lines.iter().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= width.parse().unwrap(), "{width}: {widest}\n{stdout}");
    }
}

#[test]
fn colour_is_for_terminals_and_for_those_who_ask() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    let coloured = |args: &[&str], environment: &[(&str, &str)]| {
        let output = muster(folder.path(), args).envs(environment.iter().copied()).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    let judge = ["judge", "x"];
    assert!(!coloured(&judge, &[]));
    assert!(coloured(&judge, &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&judge, &[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&judge, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(coloured(&["judge", "x", "--color", "always"], &[("NO_COLOR", "1")]));
    assert!(!coloured(&["judge", "x", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&["judge", "x", "--format", "json", "--color", "always"], &[]));
}

#[test]
fn lines_for_test_executives_are_the_same_for_the_same_day() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    let lines = |args: &[&str]| {
        let output = run(folder.path(), &[&["judge", "x", "--format", "ocptv"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    };
    let day = ["--as-of", "2026-07-01"];
    let told = lines(&day);
    assert_eq!(told, lines(&day));
    assert!(told.iter().all(|line| line["timestamp"] == "2026-07-01T00:00:00Z"));
    let start = &told[1]["testRunArtifact"]["testRunStart"];
    assert!(start["commandLine"].as_str().unwrap().ends_with("judge x --format ocptv --as-of 2026-07-01"));
    let end = json!({"status": "COMPLETE", "result": "FAIL"});
    assert_eq!(told.last().unwrap()["testRunArtifact"]["testRunEnd"], end);
    assert!(lines(&[])[0]["timestamp"] != "2026-07-01T00:00:00Z");
}

#[test]
fn every_format_goes_into_the_folder() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    let args = ["judge", "x", "--out", "a/b", "--as-of", "2026-07-01", "--color", "always", "-q"];
    for _ in 0..2 {
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
        assert_eq!(text(&output.stdout).lines().count(), 1);
        let mut names: Vec<_> =
            fs::read_dir(folder.path().join("a/b")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["report.html", "report.json", "report.md", "report.txt"]);
        let txt = fs::read_to_string(folder.path().join("a/b/report.txt")).unwrap();
        assert!(txt.contains("media.writable") && !txt.contains('\u{1b}'), "{txt}");
        let json: Value = serde_json::from_slice(&fs::read(folder.path().join("a/b/report.json")).unwrap()).unwrap();
        assert_eq!(json["schema"], "muster.report/v1");
    }
}

#[test]
fn fail_on_makes_the_milder_zero() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "bad", &hostile());
    write(folder.path(), "untold", &inventory(json!({})));
    let code = |args: &[&str]| run(folder.path(), args).status.code().unwrap();
    assert_eq!(code(&["judge", "bad", "--fail-on", "fail"]), 2);
    assert_eq!(code(&["judge", "untold"]), 3);
    assert_eq!(code(&["judge", "untold", "--fail-on", "unknown"]), 3);
    assert_eq!(code(&["judge", "untold", "--fail-on", "fail"]), 0);
}

#[test]
fn two_nodes_of_one_name_are_told_apart() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "a", &inventory(json!({"hostname": "n", "system": {"serial": "A"}})));
    write(folder.path(), "b", &inventory(json!({"hostname": "n", "system": {"serial": "B"}})));
    let output = run(folder.path(), &["judge", "b", "a", "--format", "json", "--as-of", "2026-07-01"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let nodes: Vec<(&str, &str)> = report["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| {
            let serial = node["hardware"].as_array().unwrap().iter().find(|row| row["label"] == "Serial").unwrap();
            (node["name"].as_str().unwrap(), serial["text"].as_str().unwrap())
        })
        .collect();
    assert_eq!(nodes, [("n#1", "A"), ("n#2", "B")]);
    let turned = run(folder.path(), &["judge", "a", "b", "--format", "json", "--as-of", "2026-07-01"]);
    assert_eq!(turned.stdout, output.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_error_worth_words() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    for args in [&["judge", "x", "-v"][..], &["--help"], &["collect"], &["judge", "x", "--format", "json"]] {
        // A pipe's other end may live on for a moment in a process that another test is just starting; a socket that is
        // shut down is shut down for all.
        let (reader, writer) = std::os::unix::net::UnixStream::pair().unwrap();
        reader.shutdown(std::net::Shutdown::Both).unwrap();
        let writer = std::os::fd::OwnedFd::from(writer);
        let output = muster(folder.path(), args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        let (status, stderr) = (output.status, text(&output.stderr));
        assert_eq!((status.code(), stderr), (Some(141), ""), "{args:?}");
    }
}

#[test]
fn a_full_disk_is_told() {
    let folder = TempDir::new().unwrap();
    write(folder.path(), "x", &hostile());
    for args in [&["judge", "x"][..], &["--help"], &["--version"], &["collect"], &["judge", "x", "-q"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = muster(folder.path(), args).stdout(full).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{args:?}");
        assert_eq!(text(&output.stderr), "muster: cannot write standard output: no space left on device\n");
    }
}

/// `mount -t tmpfs` needs root.
#[test]
#[ignore = "needs root to mount a file system of 64 KiB; run with --ignored"]
fn a_full_file_system_keeps_what_was_there() {
    let folder = TempDir::new().unwrap();
    let small = folder.path().join("small");
    fs::create_dir(&small).unwrap();
    let mount = |args: &[&str]| assert!(Command::new("mount").args(args).arg(&small).status().unwrap().success());
    mount(&["-t", "tmpfs", "-o", "size=64k", "tmpfs"]);
    fs::write(small.join("report.json"), "old").unwrap();
    fs::write(small.join("filler"), vec![0; 56 << 10]).unwrap();
    let before = everything(&small);
    let mut inventories = Vec::new();
    for (index, name) in (0..20).map(|index| (index, format!("n{index}"))) {
        write(folder.path(), &name, &inventory(json!({"hostname": format!("n{index}")})));
        inventories.push(name);
    }
    let mut args = vec!["judge", "--out", "small"];
    args.extend(inventories.iter().map(String::as_str));
    let outputs = [run(folder.path(), &args), run(folder.path(), &["collect", "--capture", "small/capture"])];
    let after = everything(&small);
    assert!(Command::new("umount").arg(&small).status().unwrap().success());
    assert_eq!(outputs[0].status.code(), Some(74), "{}", text(&outputs[0].stderr));
    assert!(text(&outputs[0].stderr).contains("no space left on device"), "{}", text(&outputs[0].stderr));
    assert_eq!(outputs[1].status.code(), Some(74), "{}", text(&outputs[1].stderr));
    assert_eq!(after, before);
}

#[test]
fn a_pipe_or_a_device_is_written_to_and_not_replaced() {
    let folder = TempDir::new().unwrap();
    let output = run(folder.path(), &["collect", "-o", "/dev/stdout"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["schema"], "muster.inventory/v1");
    std::os::unix::fs::symlink("target", folder.path().join("link")).unwrap();
    fs::write(folder.path().join("target"), "old").unwrap();
    assert_eq!(run(folder.path(), &["collect", "-o", "link"]).status.code(), Some(0));
    assert_eq!(fs::read_link(folder.path().join("link")).unwrap(), Path::new("target"));
    assert!(fs::read_to_string(folder.path().join("target")).unwrap().starts_with('{'));
    assert_eq!(everything(folder.path()).len(), 2);
}

#[test]
fn an_interrupt_ends_with_130() {
    let folder = TempDir::new().unwrap();
    // Judging waits for an input that does not come.
    let mut child =
        muster(folder.path(), &["judge", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Bit 1 of the caught signals is SIGINT: from then on it is watched for.
    let watches = |status: &str| {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim();
        u64::from_str_radix(mask, 16).unwrap() & 2 != 0
    };
    while !watches(&fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap()) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // Waiting would close the pipe, and the end of the input is another way to end.
    let input = child.stdin.take();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    let status = child.wait().unwrap();
    drop(input);
    assert_eq!((status.code(), status.signal()), (Some(130), None));
    assert!(everything(folder.path()).is_empty());
}

#[test]
fn help_and_version_are_no_errors() {
    let folder = TempDir::new().unwrap();
    for args in [&["--help"][..], &["check", "--help"], &["collect", "--help"], &["judge", "--help"]] {
        let output = run(folder.path(), args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert_eq!(text(&output.stderr), "");
        // Collecting gives no verdict.
        let outcome = if args == ["collect", "--help"] { "done" } else { "undetermined" };
        for word in ["Exit codes:", outcome, "141"] {
            assert!(text(&output.stdout).contains(word), "{args:?}: {word}");
        }
    }
    let version = run(folder.path(), &["--version"]);
    assert_eq!(text(&version.stdout), concat!("muster ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn what_was_typed_does_nothing_to_the_terminal() {
    let folder = TempDir::new().unwrap();
    for args in [vec!["pack", "\u{202e}x"], vec!["completions", "\u{202e}"], vec!["check", "--as-of", "\u{202e}"]] {
        let output = run(folder.path(), &args);
        assert_eq!(output.status.code(), Some(64), "{args:?}");
        let told = text(&output.stderr);
        assert!(!told.chars().any(|c| c != '\n' && passmuster::report::text::is_treacherous(c)), "{told:?}");
    }
}
