//! Documents that the code writes are current, and the recipe in `docs/contributing.md` works as it stands there.

use passmuster::rules::builtin::RULES;
use passmuster::rules::documents::{checks_markdown, facts_markdown};
use passmuster::rules::load::RuleSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};
use tempfile::TempDir;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

fn current(name: &str, text: &str) {
    if env::var_os("MUSTER_BLESS").is_some() {
        fs::write(path(name), text).unwrap();
    }
    let written = fs::read_to_string(path(name)).unwrap_or_default();
    assert!(written == text, "docs/{name} is not current: run the tests with MUSTER_BLESS=1");
}

#[test]
fn the_list_of_checks_is_current() {
    current("checks.md", &checks_markdown(&RuleSet::load(RULES, &[]).unwrap()).unwrap());
}

#[test]
fn the_list_of_facts_is_current() {
    current("facts.md", &facts_markdown());
}

#[test]
fn a_row_of_a_table_is_one_row() {
    for line in facts_markdown().lines().filter(|line| line.starts_with('|')) {
        let bars = line.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 4, "{line}");
    }
}

/// A fenced block of the document: what stands behind the fence, and the text in it.
struct Block {
    info: String,
    text: String,
}

fn blocks(document: &str, heading: &str) -> Vec<Block> {
    let mut lines = document.lines().skip_while(|line| *line != heading).skip(1);
    let mut blocks = Vec::new();
    while let Some(line) = lines.next() {
        if line.starts_with("## ") {
            break;
        }
        if let Some(info) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push(Block { info: info.to_owned(), text: text.join("\n") + "\n" });
        }
    }
    blocks
}

/// Files are blocks headed by "yaml PATH" or "json PATH"; commands stand in "console" blocks behind "$ ", what they print below
/// them, with the exit code in brackets at the end where it is not 0.
#[test]
fn the_recipe_for_a_new_check_works_as_written() {
    let document = fs::read_to_string(path("contributing.md")).unwrap();
    let folder = TempDir::new().unwrap();
    let mut blessed = document.clone();
    let (mut files, mut commands) = (0, 0);
    for block in blocks(&document, "## A new check") {
        let mut words = block.info.split_whitespace();
        match (words.next(), words.next()) {
            (Some("yaml" | "json"), Some(name)) => {
                let file = folder.path().join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, &block.text).unwrap();
                files += 1;
            }
            (Some("console"), None) => {
                let mut shown = String::new();
                for line in block.text.lines() {
                    let Some(command) = line.strip_prefix("$ ") else { continue };
                    shown.push_str(line);
                    shown.push('\n');
                    shown.push_str(&run(folder.path(), command));
                    commands += 1;
                }
                if env::var_os("MUSTER_BLESS").is_some() {
                    blessed = blessed.replacen(&block.text, &shown, 1);
                } else {
                    assert_eq!(shown, block.text, "the document shows something else than the commands print");
                }
            }
            _ => panic!("a block of the recipe that is neither a file nor commands: ```{}", block.info),
        }
    }
    if blessed != document {
        fs::write(path("contributing.md"), blessed).unwrap();
    }
    assert!(files >= 4 && commands >= 5, "{files} files and {commands} commands");
}

fn run(folder: &Path, command: &str) -> String {
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(words[0], "muster", "{command}");
    let output =
        Command::new(env!("CARGO_BIN_EXE_muster")).args(&words[1..]).current_dir(folder).env_clear().output().unwrap();
    let mut text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    match output.status.code() {
        Some(0) => {}
        code => text.push_str(&format!("[exit {}]\n", code.unwrap())),
    }
    text
}
