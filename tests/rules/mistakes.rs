//! Each kind of mistake, at its place: file, line and column were counted by hand.

use super::{SIZE, SWAP, load, mistakes, pack};
use passmuster::rules::diagnostic::render;
use passmuster::rules::load::RuleSet;

const PATH: &str = "checks/media/size.yaml";

/// The check with one text put in the place of another.
fn changed(from: &str, to: &str) -> Vec<String> {
    assert!(SIZE.contains(from), "{from}");
    mistakes(&[(PATH, &SIZE.replacen(from, to, 1))])
}

fn at(place: &str, message: &str) -> Vec<String> {
    vec![format!("{PATH}:{place}: {message}")]
}

#[test]
fn the_check_itself_is_right() {
    let rules = load(&[(PATH, SIZE)]).unwrap();
    let check = &rules.checks["media.size"];
    assert_eq!(check.title, "Drives are large enough");
    assert_eq!(check.params[0].default.shown(), "480 GB");
    assert!(!check.params[0].low_confidence);
}

#[test]
fn keys_and_words() {
    assert_eq!(
        changed("title:", "titel:"),
        ["checks/media/size.yaml:1:1: the key `title` is missing", "checks/media/size.yaml:2:1: unknown key `titel`",]
    );
    assert_eq!(changed("level: should", "level: shuold"), at("3:8", "unknown level `shuold`"));
    assert_eq!(changed("for: drive", "for: drives"), at("4:6", "unknown subject `drives`"));
    assert_eq!(
        changed("for: drive", "for: [drive]"),
        at(
            "4:6",
            "expected one of node, cluster, cpu, cache, numa, drive, nvme, block, nic, bond, rdma, pci, controller, link, dimm, processor, edac, volume, hidden, enclosure, found a list"
        )
    );
    assert_eq!(changed("type: bytes", "type: byte"), at("6:22", "unknown type `byte`"));
    assert_eq!(
        changed("stricter: higher", "strict: higher"),
        [
            "checks/media/size.yaml:6:14: the key `stricter` is missing",
            "checks/media/size.yaml:6:45: unknown key `strict`",
        ]
    );
    assert_eq!(changed("why: Small drives waste slots.", "why:"), at("9:4", "expected a text, found nothing"));
    assert_eq!(
        changed("sources: [{ title: Own reasoning }]", "sources: Own reasoning"),
        [
            "checks/media/size.yaml:1:1: no source is named: `sources` takes one at least",
            "checks/media/size.yaml:11:10: expected a list, found a single value",
        ]
    );
    assert_eq!(
        changed("sources: [{ title: Own reasoning }]", "sources: []"),
        ["checks/media/size.yaml:1:1: no source is named: `sources` takes one at least"]
    );
    assert_eq!(mistakes(&[(PATH, "- a\n")]).last().unwrap().split(", found").last(), Some(" a list"));
    assert_eq!(changed("sources:", "where:\nsources:"), at("11:6", "nothing stands here"));
    assert_eq!(changed("sources:", "where: null\nsources:"), Vec::<String>::new());
}

#[test]
fn the_nearest_word_is_offered() {
    let broken = SIZE.replacen("title:", "titel:", 1).replace("should", "shuold").replace("for: drive", "for: divre");
    let errors = RuleSet::load(&[(PATH, &broken)], &[]).unwrap_err();
    let help: Vec<&str> = errors.iter().filter_map(|error| error.help.as_deref()).collect();
    assert_eq!(help, ["did you mean `title`?", "did you mean `should`?", "did you mean `drive`?"]);
}

#[test]
fn texts() {
    assert_eq!(changed("title: Drives are large enough", "title: ''"), at("2:8", "a line of text is empty"));
    assert_eq!(changed("title: Drives are large enough", "title: \"a\\nb\""), at("2:8", "this has to be one line"));
    let long = format!("title: {}", "x".repeat(201));
    assert_eq!(
        changed("title: Drives are large enough", &long),
        at("2:8", "a line of text has 201 characters; at most 200")
    );
    assert_eq!(changed("Drives are", "Drives \u{202E}are"), at("2:15", "the character U+202E is not allowed"));
    assert_eq!(
        changed("title: Drives are large enough", "title: \"Drives \\u001b[31mare\""),
        at("2:16", "the character U+001B is not allowed")
    );
    assert_eq!(
        changed("{ title: Own reasoning }", "{ title: x, url: 'ftp://x' }"),
        at("11:28", "`ftp://x` is no address like https://example.com/document")
    );
    assert_eq!(
        changed("id: media.size", "id: Media.Size"),
        at("1:5", "`Media.Size` is not an id like `media.logical-block-size`")
    );
    assert_eq!(
        changed("id: media.size", "id: media.sizes"),
        at("1:5", "the id `media.sizes` is not that of the path, `media.size`")
    );
}

#[test]
fn params() {
    assert_eq!(changed("480GB", "480Gb"), at("6:38", "`480Gb` is no value of type bytes"));
    assert_eq!(changed("480GB", "10%"), at("6:38", "`10%` is a ratio (10 %), not a bytes"));
    assert_eq!(changed("480GB", "[1]"), at("6:38", "expected a value of type bytes, found a list"));
    assert_eq!(changed("  min_bytes: {", "  minBytes: {").len(), 3, "the name, and two uses of the other");
    assert_eq!(
        changed("  min_bytes: {", "  minBytes: {")[0],
        "checks/media/size.yaml:6:3: `minBytes` cannot be a name in expressions"
    );
    let text = "type: text, default: x, stricter: higher";
    assert_eq!(
        changed("type: bytes, default: 480GB, stricter: higher", text)[0],
        "checks/media/size.yaml:6:50: a value of type text has no stricter direction"
    );
    assert_eq!(
        changed("min_bytes: {", "on: { type: bool, default: yes, stricter: none, doc: x }\n  min_bytes: {"),
        at("6:30", "`yes` is no value of type bool")
    );
    assert_eq!(
        changed("min_bytes: {", "n: { type: int, default: 1.5, stricter: none, doc: x }\n  min_bytes: {"),
        at("6:28", "`1.5` is no value of type int")
    );
}

#[test]
fn demands() {
    let assert = "assert: 'drive.bytes >= params.min_bytes'";
    assert_eq!(
        changed(assert, "level_of: 1"),
        [
            "checks/media/size.yaml:1:1: nothing is demanded: one of `assert`, `uniform`, `unique` and `outlier` has to \
             be there",
            "checks/media/size.yaml:7:1: unknown key `level_of`",
        ]
    );
    assert_eq!(
        changed(assert, &format!("{assert}\nunique: 'drive.serial'")),
        at("8:9", "`unique` beside `assert`: a check demands one thing")
    );
    assert_eq!(
        changed(assert, &format!("{assert}\nby: 'drive.model'")),
        at("8:5", "`by` goes with uniform, unique, outlier, not with `assert`")
    );
    assert_eq!(
        changed(assert, "uniform: 'drive.bytes >= params.min_bytes'\nmin_n: 4"),
        at("8:8", "`min_n` goes with outlier, not with `uniform`")
    );
    assert_eq!(
        changed(assert, "outlier: 'drive.model'\nmin_n: 2\nfloor: 150%\ndeviations: 0"),
        [
            "checks/media/size.yaml:7:10: `outlier` compares numbers, and this is none",
            "checks/media/size.yaml:8:8: of fewer than 3 none stands apart",
            "checks/media/size.yaml:9:8: the floor is a part of the median: 0% to 100%",
            "checks/media/size.yaml:10:13: 0 deviations: everything would stand apart",
        ]
    );
    assert_eq!(
        changed("for: drive", "for: cluster")[0],
        "checks/media/size.yaml:4:6: a check about the cluster needs `keys`"
    );
    assert_eq!(
        changed("for: drive", "for: drive\nkeys: { a: 'node.hostname' }"),
        at("5:9", "keys are for checks about the cluster")
    );
    assert_eq!(
        changed("assert:", "let: { drive: '1', node: '2' }\nassert:"),
        [
            "checks/media/size.yaml:7:8: `drive` has a meaning already",
            "checks/media/size.yaml:7:20: `node` has a meaning already",
        ]
    );
}

#[test]
fn packs() {
    let check = (PATH, SIZE);
    let of = |text: &str| mistakes(&[check, ("rules/solutions/s.yaml", text)]);
    assert_eq!(
        of(&pack("s", "checks: { media.sise: null }\n")),
        ["rules/solutions/s.yaml:4:11: there is no check `media.sise`"]
    );
    assert_eq!(
        of(&pack("t", "checks: {}\n")),
        ["rules/solutions/s.yaml:1:7: the name `t` is not that of the file, `s`"]
    );
    assert_eq!(
        of(&pack("s", "match: 'node.system.vendor == \"X\"'\nchecks: {}\n")),
        ["rules/solutions/s.yaml:4:8: only a platform matches machines"]
    );
    assert_eq!(
        of(&pack("s", "checks:\n  media.size:\n    params: { min_byte: 1GB }\n")),
        ["rules/solutions/s.yaml:6:15: check `media.size` has no param `min_byte`"]
    );
    assert_eq!(of(&pack("s", "checks:\n  media.size: []\n")), ["rules/solutions/s.yaml:5:15: no case stands here"]);
    assert_eq!(
        of(&pack("s", "checks:\n  media.size: must\n")),
        ["rules/solutions/s.yaml:5:15: expected null, a map or a list of maps, found a single value"]
    );
    assert_eq!(
        of(&pack("s", "checks:\n  media.size:\n    - { level: must }\n    - { when: 'node.root', level: info }\n")),
        ["rules/solutions/s.yaml:6:7: this case always holds, so those after it never do"]
    );
    assert_eq!(
        of(&pack("s", "expires: 2027-02-30\nchecks: {}\n")),
        ["rules/solutions/s.yaml:4:10: `2027-02-30` is no date like 2027-03-31"]
    );
    assert_eq!(
        of("pack: s\ntitle: s\nversion: 1.0\nchecks: {}\n"),
        ["rules/solutions/s.yaml:3:10: `1.0` is no version like 1.0.0"]
    );
    assert_eq!(
        of(&pack("s", "checks: {}\nprofiles: { lab: { checks: { media.sise: info }, because: x } }\n")),
        ["rules/solutions/s.yaml:5:30: there is no check `media.sise`"]
    );
    assert_eq!(
        mistakes(&[("rules/platforms/p.yaml", &pack("p", "checks: {}\n"))]),
        ["rules/platforms/p.yaml:1:1: a platform without `match`"]
    );
    assert_eq!(
        mistakes(&[("rules/other.yaml", &pack("other", "checks: {}\n"))]),
        ["rules/other.yaml:1:7: the only pack in this folder is `base`"]
    );
    assert_eq!(
        mistakes(&[("rules/solutions/site.yaml", &pack("site", "checks: {}\n"))]),
        ["rules/solutions/site.yaml:1:7: `site` is the name of a layer already"]
    );
    let platform = "match: 'node.root'\nroles:\n  drive:\n    - { role: excluded, when: 'drive.removable', because: x }\n\
                    checks: {}\n";
    assert_eq!(
        mistakes(&[("rules/platforms/p.yaml", &pack("p", platform))]),
        ["rules/platforms/p.yaml:7:15: a platform gives drives the role `boot` alone: others are the solution's"]
    );
}

#[test]
fn building_on_each_other() {
    let file = |name: &str, on: &str| {
        (format!("rules/solutions/{name}.yaml"), pack(name, &format!("extends: [{on}]\nchecks: {{}}\n")))
    };
    let load = |files: &[(String, String)]| {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        mistakes(&files)
    };
    assert_eq!(load(&[file("a", "bb"), file("bbb", "")]), ["rules/solutions/a.yaml:4:11: there is no pack `bb`"]);
    assert_eq!(
        load(&[file("c", "a"), file("a", "b"), file("b", "c"), file("d", "a")]),
        ["rules/solutions/a.yaml:4:11: packs build on each other in a circle: `a` -> `b` -> `c` -> `a`"]
    );
    assert_eq!(
        load(&[file("a", "a")]),
        ["rules/solutions/a.yaml:4:11: packs build on each other in a circle: `a` -> `a`"]
    );
    let platform = ("rules/platforms/p.yaml".to_owned(), pack("p", "match: 'node.root'\nchecks: {}\n"));
    assert_eq!(
        load(&[file("a", "p"), platform]),
        ["rules/solutions/a.yaml:4:11: `p` is a platform, and a solution cannot build on it"]
    );
    assert_eq!(
        load(&[("rules/base.yaml".to_owned(), pack("base", "extends: [a]\nchecks: {}\n")), file("a", "base")]),
        [
            "rules/base.yaml:1:1: the base builds on nothing",
            "rules/base.yaml:4:11: `a` is a solution, and a base cannot build on it",
            "rules/solutions/a.yaml:4:11: packs build on each other in a circle: `a` -> `base` -> `a`",
        ]
    );
}

#[test]
fn all_mistakes_of_all_files_in_one_go() {
    let size = SIZE.replace("should", "shuold").replace("drive.bytes >=", "drive.byte >=").replace("fix: ", "fux: ");
    let swap = SWAP.replace("8GB", "8G");
    let base = pack("base", "checks: { media.size: null, node.swop: null }\n");
    let files = [("checks/node/swap.yaml", swap.as_str()), ("rules/base.yaml", base.as_str()), (PATH, size.as_str())];
    assert_eq!(
        mistakes(&files),
        [
            "checks/media/size.yaml:1:1: the key `fix` is missing",
            "checks/media/size.yaml:3:8: unknown level `shuold`",
            "checks/media/size.yaml:7:16: `Drive` has no member `byte`",
            "checks/media/size.yaml:10:1: unknown key `fux`",
            "checks/node/swap.yaml:6:38: `8G` is no value of type bytes",
            "rules/base.yaml:4:29: there is no check `node.swop`",
        ]
    );
    // The order of files changes nothing.
    let mut turned = files;
    turned.reverse();
    assert_eq!(mistakes(&files), mistakes(&turned));
}

#[test]
fn shown_with_the_line() {
    let broken = SIZE.replace("level: should", "level: shuold");
    let errors = RuleSet::load(&[(PATH, &broken)], &[]).unwrap_err();
    insta::assert_snapshot!(render(&errors, false), @r"
    error: unknown level `shuold`
     --> checks/media/size.yaml:3:8
      |
    3 | level: shuold
      |        ^^^^^^
      |
      = help: did you mean `should`?
    ");
    assert!(render(&errors, true).contains("\u{1b}["));
}
