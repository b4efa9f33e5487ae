//! Completion scripts and manual pages: the shell takes them, and they know every command and option.

use super::binary::{muster, run, text};
use std::fs;
use std::process::{Command, Stdio};
use tempfile::TempDir;

#[test]
fn bash_completes_commands_and_options() {
    let folder = TempDir::new().unwrap();
    let output = run(folder.path(), &["completions", "bash"]);
    assert_eq!(output.status.code(), Some(0));
    fs::write(folder.path().join("muster.bash"), &output.stdout).unwrap();
    let complete = |words: &[&str]| {
        let line = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let last = words.len() - 1;
        let current = words[last];
        let script = format!(
            ". ./muster.bash; COMP_WORDS=({line}); COMP_CWORD={last}; _muster muster '{current}' ''; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").arg("-c").arg(script).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete(&["muster", "che"]), ["check"]);
    assert_eq!(complete(&["muster", "pack", "sh"]), ["show"]);
    assert_eq!(complete(&["muster", "check", "--form"]), ["--format"]);
}

#[test]
fn every_shell_has_a_script() {
    let folder = TempDir::new().unwrap();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(folder.path(), &["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(text(&output.stdout).contains("explain"), "{shell}");
    }
    assert_eq!(run(folder.path(), &["completions", "tcsh"]).status.code(), Some(64));
}

/// Options as the help of a command lists them.
fn options(args: &[&str], folder: &TempDir) -> Vec<String> {
    let output = muster(folder.path(), &[args, &["--help"]].concat()).stderr(Stdio::null()).output().unwrap();
    let words = text(&output.stdout).lines().filter(|line| line.trim_start().starts_with('-'));
    words
        .flat_map(str::split_whitespace)
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_manual_knows_every_command_and_option() {
    let folder = TempDir::new().unwrap();
    let output = run(folder.path(), &["man", "--out", "pages"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let page = |name: &str| fs::read_to_string(folder.path().join("pages").join(name)).unwrap().replace("\\-", "-");
    let root = page("muster.1");
    for command in ["check", "collect", "judge", "explain", "pack", "completions", "man"] {
        assert!(root.contains(&format!("muster-{command}(1)")), "{command}");
        let own = page(&format!("muster-{command}.1"));
        let options = options(&[command], &folder);
        assert!(!options.is_empty(), "{command}");
        for option in options {
            assert!(own.contains(option.trim_end_matches(',')), "{command} {option}");
        }
    }
    for inner in ["list", "show", "lint", "test", "schema"] {
        assert!(page(&format!("muster-pack-{inner}.1")).starts_with(".ie"), "{inner}");
    }
}
