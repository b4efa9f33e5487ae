//! Rules from somebody who means harm: a clear error, soon, and nothing on the terminal.

use super::{SIZE, load, mistakes, overlay, pack};
use passmuster::rules::diagnostic::render;
use passmuster::rules::load::RuleSet;
use passmuster::rules::{cases, files::Overlay};
use proptest::prelude::*;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// What a hostile pack may take, with room for a slow machine and a build without optimization.
const SOON: Duration = Duration::from_secs(10);

fn soon(what: &str, files: &[(&str, &str)]) -> Vec<String> {
    let start = Instant::now();
    let found = mistakes(files);
    assert!(start.elapsed() < SOON, "{what} took {:?}", start.elapsed());
    assert!(!found.is_empty(), "{what} was accepted");
    found
}

const PATH: &str = "rules/solutions/x.yaml";

#[test]
fn bombs() {
    let deep = |open: &str| open.repeat(100_000);
    assert_eq!(soon("brackets", &[(PATH, &deep("["))]), [format!("{PATH}:1:33: nested deeper than 32 levels")]);
    assert_eq!(soon("braces", &[(PATH, &deep("{a: "))]), [format!("{PATH}:1:129: nested deeper than 32 levels")]);
    assert_eq!(soon("lists", &[(PATH, &deep("- "))]), [format!("{PATH}:1:65: nested deeper than 32 levels")]);
    assert_eq!(
        soon("many values", &[(PATH, &"- a\n".repeat(100_000))]),
        [format!("{PATH}:50000:3: more than 50000 values in one file")]
    );
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (from, to) in "abcdefghijklmnopqrstuvwxy".chars().zip("bcdefghijklmnopqrstuvwxyz".chars()) {
        bomb.push_str(&format!("{to}: &{to} [{}]\n", vec![format!("*{from}"); 9].join(", ")));
    }
    let found = soon("aliases", &[(PATH, &bomb)]);
    assert_eq!(found[0], format!("{PATH}:1:1: the key `checks` is missing"));
    assert!(found.contains(&format!("{PATH}:1:4: an anchor is not allowed")), "{found:?}");
    assert_eq!(found.len(), 51, "the first fifty and the number of the others");
}

#[test]
fn a_hundred_megabytes() {
    let start = Instant::now();
    let files = vec![(PATH.to_owned(), vec![b' '; 100 << 20])];
    let errors = RuleSet::load(&[], &[Overlay { root: "dir".to_owned(), files }]).unwrap_err();
    assert!(start.elapsed() < SOON);
    assert_eq!(errors[0].to_string(), "dir:1:1: the files have 104857600 bytes together; at most 33554432 are read");
    let files = vec![(PATH.to_owned(), vec![b' '; 20 << 20])];
    let errors = RuleSet::load(&[], &[Overlay { root: "dir".to_owned(), files }]).unwrap_err();
    assert_eq!(errors[0].to_string(), format!("dir/{PATH}:1:1: the file has 20971520 bytes; at most 1048576 are read"));
}

#[test]
fn a_megabyte_of_each_kind() {
    let many = |text: &str| text.repeat((1 << 20) / text.len() - 1);
    for (what, text) in [
        ("quotes", many("'")),
        ("a long key", format!("{}: 1\n", "k".repeat(1_000_000))),
        ("a long text", format!("pack: '{}'\n", "k".repeat(1_000_000))),
        ("a long line of blanks", format!("pack: x{}\n", " ".repeat(1_000_000))),
        ("colons", many(":")),
        ("breaks", many("\n")),
        ("comments", many("#\n")),
        ("questions", many("? ")),
        ("dashes", many("---\n")),
        ("unknown keys", (0..40_000).map(|n| format!("k{n}: 1\n")).collect()),
        ("controls", many("\u{7}")),
        ("bidi", many("\u{202e}")),
        ("folded", format!("title: >\n{}", many("  a\n\n").get(..900_000).unwrap())),
    ] {
        let found = soon(what, &[(PATH, &text)]);
        assert!(found.len() <= 51, "{what}: {}", found.len());
        let shown: usize = found.iter().map(String::len).sum();
        assert!(shown < 60_000, "{what}: {shown}");
    }
}

#[test]
fn large_expressions() {
    let of = |expression: &str| SIZE.replace("drive.bytes >= params.min_bytes", expression);
    let chain = format!("{} >= 1", vec!["1"; 10_000].join("+"));
    let nested = format!("{}true{}", "(".repeat(3_000), ")".repeat(3_000));
    let escapes = format!("\"{}\"", "\\u0041".repeat(1_300));
    for (what, text) in [
        ("a chain", of(&chain)),
        ("parentheses", of(&nested)),
        ("escapes", of(&escapes)),
        ("nots", of(&"!".repeat(7_999))),
    ] {
        soon(what, &[("checks/media/size.yaml", &text)]);
    }
    assert_eq!(
        soon("a chain", &[("checks/media/size.yaml", &of(&chain))])[0],
        "checks/media/size.yaml:7:9: an expression has 20004 characters; at most 8000"
    );
}

#[test]
fn regular_expressions_without_number() {
    // Each is within its bounds, and each expression, and each file: together they would take gigabytes.
    let set = |pattern: &dyn Fn(usize) -> String| -> Vec<(String, String)> {
        let terms: Vec<String> = (0..8).map(|n| format!("drive.model.matches(\\\"{}\\\")", pattern(n))).collect();
        let case = format!("- {{ when: \"node.drives.exists(drive, {})\" }}\n      ", terms.join(" || "));
        let file = |n: usize| {
            let name = format!("p{n:03}");
            let text = pack(&name, &format!("checks:\n  media.size:\n      {}", case.repeat(20)));
            (format!("rules/solutions/{name}.yaml"), text)
        };
        (0..60).map(file).collect()
    };
    for (what, files, told) in [
        ("many", set(&|n| format!("a{n}")), "with this the rules hold more than 4000 regular expressions"),
        (
            "large",
            set(&|n| format!("a{{20{n}}}b{{900}}")),
            "with this the regular expressions of the rules take more than 32 MiB",
        ),
    ] {
        let mut files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        files.push(("checks/media/size.yaml", SIZE));
        let found = soon(what, &files);
        assert_eq!(found.iter().filter(|line| line.ends_with(told)).count(), 1, "{what}: {:?}", found.first());
    }
}

#[test]
fn circles() {
    let file = |n: usize| {
        let name = format!("p{n:03}");
        let text = pack(&name, &format!("extends: [p{:03}]\nchecks: {{}}\n", (n + 1) % 500));
        (format!("rules/solutions/{name}.yaml"), text)
    };
    let files: Vec<(String, String)> = (0..500).map(file).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = soon("a circle of 500", &files);
    assert_eq!(found.len(), 500);
    assert_eq!(found[0], "rules/solutions/p000.yaml:4:11: builds on 32 packs or more");
    // Everybody builds on everybody.
    let names: Vec<String> = (0..60).map(|n| format!("q{n:02}")).collect();
    let all = names.join(", ");
    let files: Vec<(String, String)> = names
        .iter()
        .map(|name| (format!("rules/solutions/{name}.yaml"), pack(name, &format!("extends: [{all}]\nchecks: {{}}\n"))))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    soon("sixty that build on each other", &files);
}

#[test]
fn nothing_hostile_is_shown() {
    let text = "pack: x\ntitle: \"\\e]0;owned\\a\"\nversion: 1.0.0\nchecks: { \"\\u202egnp.x\": null }\n";
    let errors =
        RuleSet::load(&[], &[overlay(&[("rules/solutions/\u{1b}[2Jx.yaml", text), (PATH, text)])]).unwrap_err();
    for colour in [false, true] {
        let shown = render(&errors, colour);
        let odd = shown.chars().filter(|c| *c != '\n' && (c.is_control() || ('\u{202a}'..='\u{202e}').contains(c)));
        assert_eq!(odd.filter(|c| !colour || *c != '\u{1b}').count(), 0, "{shown}");
        assert!(colour || !shown.contains('\u{1b}'));
    }
    let places: Vec<String> =
        errors.iter().filter(|error| error.source.path == PATH).map(ToString::to_string).collect();
    assert_eq!(
        places,
        [
            format!("{PATH}:2:9: the character U+001B is not allowed"),
            format!("{PATH}:2:19: the character U+0007 is not allowed"),
            format!("{PATH}:4:11: there is no check `<U+202E>gnp.x`"),
            format!("{PATH}:4:12: the character U+202E is not allowed"),
        ]
    );
}

fn any_path() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "checks/media/size.yaml",
        "rules/base.yaml",
        "rules/solutions/x.yaml",
        "rules/platforms/x.yaml",
        "rules/knowledge/x.yaml",
        "fixtures/checks/media.size.yaml",
        "muster.yaml",
    ])
    .prop_map(str::to_owned)
}

/// Text that is nearly YAML: pieces of right files, shuffled.
fn nearly_yaml() -> impl Strategy<Value = Vec<u8>> {
    let pieces = vec![
        "id: media.size\n",
        "pack: x\n",
        "title: t\n",
        "level: must\n",
        "for: drive\n",
        "params:\n",
        "checks:\n",
        "  ",
        "- ",
        "a: ",
        "{",
        "}",
        "[",
        "]",
        "'",
        "\"",
        "|\n",
        ">\n",
        ">-\n",
        "\\",
        "\n",
        "\r\n",
        ": ",
        ", ",
        "#",
        "&a ",
        "*a",
        "!t ",
        "<<: ",
        "assert: 'drive.bytes > 1GB'\n",
        "when: 'node.root'\n",
        "null",
        "true",
        "10%",
        "480GB",
        "é",
        "\u{202e}",
        "\0",
        "\u{feff}",
        "message: \"{drive.bytes}\"\n",
        "roles: { drive: [] }\n",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "? ",
        "\t",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|pieces| pieces.concat().into_bytes())
}

fn feed(path: String, bytes: Vec<u8>) {
    static RULES: LazyLock<RuleSet> = LazyLock::new(|| load(&[("checks/media/size.yaml", SIZE)]).unwrap());
    let rules = &*RULES;
    if let Err(errors) = rules.site("muster.yaml", &bytes) {
        for error in &errors {
            assert!(error.span.end <= error.source.text().len());
        }
        let _ = render(&errors, true);
    }
    let overlay = Overlay { root: "dir".to_owned(), files: vec![(path, bytes)] };
    let _ = cases::load(rules, &[], std::slice::from_ref(&overlay)).map_err(|errors| render(&errors, false));
    match RuleSet::load(&[("checks/media/size.yaml", SIZE)], &[overlay]) {
        Ok(rules) => {
            let _ = rules.lint();
            let _ = rules.select(None, None, None, None);
        }
        Err(errors) => {
            let _ = render(&errors, false);
        }
    }
}

proptest! {
    /// Whatever bytes: rules or errors, no panic.
    #[test]
    fn any_bytes(path in any_path(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        feed(path, bytes);
    }

    #[test]
    fn nearly_yaml_too(path in any_path(), bytes in nearly_yaml()) {
        feed(path, bytes);
    }

    /// A right file with one byte changed.
    #[test]
    fn one_byte_changed(at in 0..SIZE.len(), byte in any::<u8>()) {
        let mut bytes = SIZE.as_bytes().to_vec();
        bytes[at] = byte;
        feed("checks/media/size.yaml".to_owned(), bytes);
    }
}
