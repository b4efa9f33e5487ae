//! What expressions mean, worked out by hand, over a small made-up node.

use super::*;
use crate::reading::{Collection, Fact, FieldType, ReadError, Reading};
use crate::units::{Bytes, Celsius, Ratio};
use crate::view::{Paths, reasons, with_fields, write};
use serde_json::json;

words! {
    /// What a disk is made of.
    pub enum Stuff {
        /// Rotating.
        Hdd = "hdd",
        /// Flash.
        Ssd = "ssd",
    }
}

record! {
    /// A machine.
    pub struct Machine1 {
        /// Disks.
        pub disks: Collection<Disk>,
        /// Fans, some of which are hidden.
        pub fans: Collection<Fan>,
        /// Cards, none of which could be listed.
        pub cards: Collection<Fan>,
        /// The board.
        pub board: Board,
        /// Serial number.
        pub serial: Reading<String>,
        /// Flags.
        pub flags: Reading<Vec<String>>,
    }
}
record! {
    /// A disk.
    pub struct Disk {
        /// Name.
        pub name: Reading<String>,
        /// Size.
        pub bytes: Reading<Bytes>,
        /// Medium.
        pub media: Reading<Stuff>,
        /// Turns a minute; absent for flash.
        pub turns: Reading<u64>,
        /// Worn part.
        pub worn: Reading<Ratio>,
        /// Temperature.
        pub temperature: Reading<Celsius>,
        /// Firmware.
        pub firmware: Reading<String>,
    }
}
record! {
    /// A fan.
    pub struct Fan {
        /// Name.
        pub name: Reading<String>,
        /// Turns a minute.
        pub turns: Reading<u64>,
    }
}
record! {
    /// The board.
    pub struct Board {
        /// Sockets.
        pub sockets: Reading<u64>,
        /// Slots that are free; absent if it has none.
        pub free: Reading<u64>,
        /// Maker.
        pub maker: Reading<String>,
    }
}

struct Node {
    arena: Bump,
    schema: Schema,
}

impl Node {
    fn new() -> Self {
        let mut schema = Schema::new();
        schema.fact(&Machine1::fact_type());
        let role = FieldType { name: "role", doc: "", fact: crate::reading::FactType::Enum(&["cache", "capacity"]) };
        schema.extend("Disk", &[role]).unwrap();
        Self { arena: Bump::new(), schema }
    }

    fn scope(&self) -> Scope<'_> {
        let mut schema = self.schema.clone();
        let machine = schema.fact(&Machine1::fact_type());
        let mut scope = Scope::new(&self.schema);
        scope.bind("node", machine);
        scope.bind("limit", Type::Number(Dimension::Ratio));
        scope
    }

    fn value(&self) -> Value<'_> {
        let errors = ["permission denied", "no such file"].map(|cause| ReadError {
            operation: "read /x".to_owned(),
            kind: crate::reading::ErrorKind::PermissionDenied,
            cause: cause.to_owned(),
        });
        let json = json!({
            "disks": [
                { "name": "sda", "bytes": 4_000_000_000_000_i64, "media": "hdd", "turns": 7200, "worn": null,
                  "temperature": 31.0, "firmware": "SN05", "sources": { "bytes": 3 } },
                { "name": "sdb", "bytes": 4_000_000_000_000_i64, "media": "hdd", "turns": 7200, "worn": null,
                  "temperature": { "unreadable": 0 }, "firmware": "SN04" },
                { "name": "nvme0n1", "bytes": 400_000_000_000_i64, "media": "ssd", "turns": null, "worn": 0.25,
                  "temperature": 45.5, "firmware": "1.10.2" }
            ],
            "fans": { "items": [{ "name": "f1", "turns": 3000 }, { "name": "f2", "turns": 3100 }], "partial": [1] },
            "cards": { "unreadable": 1 },
            "board": { "sockets": 2, "free": null },
            "serial": { "unreadable": 0 },
            "flags": ["avx", "sse2"]
        });
        let node = write(&json, &self.arena, reasons(&errors, &self.arena)).unwrap();
        let disks: Vec<Value<'_>> = node
            .at(&["disks"])
            .unwrap()
            .items()
            .unwrap()
            .iter()
            .map(|disk| {
                let flash = matches!(disk.at(&["media"]), Some(Value::Text(word)) if word == Stuff::Ssd.word());
                let role = Value::Text(if flash { "cache" } else { "capacity" });
                let role = if flash { Value::low(role, "guessed from the medium", &self.arena) } else { role };
                with_fields(*disk, &[("role", role)], &self.arena)
            })
            .collect();
        with_fields(node, &[("disks", Value::list(&disks, &self.arena))], &self.arena)
    }

    fn slots(&self) -> &[Value<'_>] {
        self.arena.alloc_slice_copy(&[self.value(), Value::Double(0.1)])
    }

    fn outcome(&self, source: &str) -> String {
        match compile(source, &self.scope()) {
            Ok(compiled) => {
                let not_collected = self.arena.alloc(Reason::not_collected("0.1.0", &self.arena));
                let bindings = Bindings::new(self.slots(), not_collected);
                let compiled = self.arena.alloc(compiled);
                let outcome = compiled.eval(&bindings, &self.arena, Fuel::default());
                let traced = compiled.trace(&bindings, &self.arena, Fuel::default()).0;
                assert_eq!(shown(outcome.value, compiled.ty()), shown(traced.value, compiled.ty()), "{source}");
                shown(outcome.value, compiled.ty())
            }
            Err(diagnostics) => diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        }
    }

    #[track_caller]
    fn all(&self, table: &[(&str, &str)]) {
        for (source, expected) in table {
            assert_eq!(self.outcome(source), *expected, "{source}");
        }
    }
}

const DENIED: &str = "unknown (cannot read /x: permission denied)";
const MISSING: &str = "unknown (cannot read /x: no such file)";

#[test]
fn facts_come_with_their_units() {
    Node::new().all(&[
        ("node.disks[0].bytes", "4 TB"),
        ("node.disks.map(d, d.bytes)", "4 TB, 4 TB, 400 GB"),
        ("sum(node.disks.map(d, d.bytes))", "8.4 TB"),
        ("node.disks[2].bytes / node.disks[0].bytes", "10 %"),
        ("node.disks[2].bytes / node.disks[0].bytes >= limit", "true"),
        ("node.disks[2].bytes >= 10% * node.disks[0].bytes", "true"),
        ("node.disks[2].worn", "25 %"),
        ("node.disks[2].worn * 2", "50 %"),
        ("node.disks[2].temperature > 45C", "true"),
        ("node.disks[0].media", "hdd"),
        ("node.disks", "sda, sdb, nvme0n1"),
        ("node.board.sockets + 1", "3"),
        ("node.board.sockets / 4", "0.5"),
        ("node.board[\"sockets\"]", "2"),
        ("min(node.disks.map(d, d.bytes)) / 4s", "100 GB/s"),
        ("bits_per_second(1GB/s) + 2Gbit/s", "10 Gbit/s"),
        ("4 * 3200MT/s * 8B", "102.4 GB/s"),
        ("string(node.disks[0].bytes) + \" in all\"", "4 TB in all"),
        ("1 - node.disks[2].worn", "75 %"),
        ("max(1, 2.5, node.board.sockets)", "2.5"),
    ]);
}

#[test]
fn unknown_is_never_guessed_and_absent_is_not_unknown() {
    Node::new().all(&[
        ("node.serial", DENIED),
        ("node.serial == \"x\"", DENIED),
        ("node.serial == \"x\" || true", "true"),
        ("false && node.serial == \"x\"", "false"),
        ("node.serial == \"x\" && false", "false"),
        ("node.serial == \"x\" && true", DENIED),
        ("!(node.serial == \"x\")", DENIED),
        ("node.serial == \"x\" ? 1 : 1", DENIED),
        ("has(node.serial)", DENIED),
        ("has(node.board.maker)", "unknown (not collected by version 0.1.0)"),
        ("node.board.free", "absent"),
        ("has(node.board.free)", "false"),
        ("!has(node.board.free)", "true"),
        ("node.board.free > 1", "absent"),
        ("node.board.free > 1 || true", "true"),
        ("node.board.free > 1 && false", "false"),
        ("node.board.free > 1 && node.serial == \"x\"", DENIED),
        ("node.serial == \"x\" || node.board.free > 1", DENIED),
        ("node.board.free + 1", "absent"),
        ("node.board.free > 1 ? 1 : 2", "absent"),
        ("has(node.board.free) ? node.board.free : 0", "0"),
        ("has(node.board.sockets)", "true"),
        ("node.disks.map(d, d.temperature)", &format!("31 °C, {DENIED}, 45.5 °C")),
        ("max(node.disks.map(d, d.temperature))", DENIED),
        ("max(node.disks.map(d, d.worn))", "absent"),
        ("node.disks.all(d, d.temperature < 40C)", "false"),
        ("node.disks.all(d, d.temperature < 60C)", DENIED),
        ("node.disks.exists(d, d.temperature > 40C)", "true"),
        ("node.disks.exists(d, d.temperature > 60C)", DENIED),
        ("node.disks.exists(d, d.turns > 10000)", "absent"),
        ("node.disks.exists(d, d.turns > 7000)", "true"),
        ("node.disks.all(d, d.turns == 7200)", "absent"),
        ("node.disks.all(d, d.media == \"ssd\" || d.turns == 7200)", "true"),
        ("node.disks.exists_one(d, d.temperature > 40C)", DENIED),
        ("node.disks.exists_one(d, d.temperature > 30C)", "false"),
        ("node.disks.exists_one(d, d.turns > 7000)", "false"),
        ("node.disks.exists_one(d, d.media == \"ssd\")", "true"),
        ("node.disks.filter(d, d.temperature > 40C)", "nvme0n1 (and perhaps more: cannot read /x: permission denied)"),
        ("size(node.disks.filter(d, d.temperature > 40C))", DENIED),
        ("node.disks.count(d, d.temperature > 40C)", DENIED),
        ("node.disks.filter(d, d.turns > 7000)", "sda, sdb (others are absent)"),
        ("size(node.disks.filter(d, d.turns > 7000))", "absent"),
        ("node.disks.filter(d, d.turns > 7000)[0]", "absent"),
        ("node.disks.filter(d, has(d.turns) && d.turns > 7000).map(d, d.name)", "sda, sdb"),
        ("node.disks.map(d, has(d.worn), d.worn)", "25 %"),
        ("node.disks.count(d, d.media == \"hdd\")", "2"),
    ]);
}

#[test]
fn collections_that_may_lack_elements_are_not_counted() {
    Node::new().all(&[
        ("node.fans.exists(f, f.turns > 3000)", "true"),
        ("node.fans.exists(f, f.turns > 4000)", MISSING),
        ("node.fans.all(f, f.turns > 3000)", "false"),
        ("node.fans.all(f, f.turns > 1000)", MISSING),
        ("node.fans.exists_one(f, f.turns > 1000)", "false"),
        ("node.fans.exists_one(f, f.turns > 3000)", MISSING),
        ("size(node.fans)", MISSING),
        ("sum(node.fans.map(f, f.turns))", MISSING),
        ("node.fans[0].turns", MISSING),
        ("has(node.fans)", "true"),
        ("has(node.fans[5])", MISSING),
        ("3000 in node.fans.map(f, f.turns)", "true"),
        ("3001 in node.fans.map(f, f.turns)", MISSING),
        ("node.fans.map(f, f.turns) == [3000, 3100]", MISSING),
        ("node.fans.map(f, f.turns) + [1]", "3000, 3100, 1 (and perhaps more: cannot read /x: no such file)"),
        (
            "node.fans.group_by(f, f.turns > 3000).map(g, g.items.size())",
            &format!("{MISSING}, {MISSING} (and perhaps more: cannot read /x: no such file)"),
        ),
        (
            "node.fans.count_by(f, f.turns).map(g, g.count)",
            &format!("{MISSING}, {MISSING} (and perhaps more: cannot read /x: no such file)"),
        ),
        ("node.cards.exists(c, true)", MISSING),
        ("node.cards.all(c, false)", MISSING),
        ("size(node.cards)", MISSING),
        ("has(node.cards)", MISSING),
    ]);
}

#[test]
fn what_has_no_result_is_unknown_with_the_reason() {
    Node::new().all(&[
        ("1 / 0", "unknown (division by zero)"),
        ("0.0 / 0.0 > 1.0", "unknown (division by zero)"),
        ("max([])", "unknown (the list is empty)"),
        ("median(node.disks.filter(d, d.bytes > 9TB).map(d, d.bytes))", "unknown (the list is empty)"),
        ("sum(node.disks.filter(d, d.bytes > 9TB).map(d, d.bytes))", "0 B"),
        ("9223372036854775807 + 1", "unknown (the whole number does not fit 64 bits)"),
        ("-(-9223372036854775808)", "unknown (the whole number does not fit 64 bits)"),
        ("1e300 * 1e300", "unknown (the number is too large)"),
        ("sum([9223372036854775807, 1, -1])", "9223372036854775807"),
        ("node.disks[3].bytes", "absent"),
        ("has(node.disks[3])", "false"),
        ("has(node.disks[2])", "true"),
        ("node.disks[node.board.sockets - 3].bytes", "unknown (a position before the start of a list)"),
        ("int(\"12\")", "12"),
        ("int(\"12a\")", "unknown (\"12a\" is no whole number)"),
        ("double(\"inf\")", "unknown (\"inf\" is no number)"),
        ("double(\"2.50\")", "2.5"),
        ("version_at_least(node.disks[2].firmware, \"1.9\", \"dotted\")", "true"),
        ("version_compare(node.disks[0].firmware, node.disks[1].firmware, \"prefixed\")", "1"),
        (
            "version_at_least(node.disks[0].firmware, \"1.9\", \"dotted\")",
            "unknown (\"SN05\" and \"1.9\" have no order as dotted versions)",
        ),
    ]);
}

#[test]
fn functions_do_what_their_table_says() {
    Node::new().all(&[
        ("[3, 1, 2].sort()", "1, 2, 3"),
        ("sort([\"b\", \"a\"])", "a, b"),
        ("[2, 1, 2.0, 1].distinct()", "2, 1"),
        ("size(node.disks.map(d, d.firmware).distinct())", "3"),
        ("median([3, 1, 2])", "2"),
        ("median([4, 1, 2, 3])", "2.5"),
        ("mean([1, 2, 6])", "3"),
        ("[\"a\", \"b\"].join(\", \")", "a, b"),
        ("join([], \",\") == \"\"", "true"),
        ("size(\"Käse\")", "4"),
        ("\"ABC\".lowerAscii() + \"abc\".upperAscii() + \"  x \".trim()", "abcABCx"),
        ("\"nvme0n1\".startsWith(\"nvme\") && \"nvme0n1\".endsWith(\"n1\") && \"nvme0n1\".contains(\"0\")", "true"),
        ("\"HUH721010AL5200\".matches(r\"^HUH72\\d{4}\")", "true"),
        ("abs(-2.5)", "2.5"),
        ("round(2.5) + round(-2.5) + floor(-0.5) + ceil(0.5)", "0"),
        ("int(2.9) + int(-2.9)", "0"),
        ("int(2.5GHz)", "2500000000"),
        ("string(2.0) + string(1.5) + string(true) + string(7)", "21.5true7"),
        (
            "node.disks.group_by(d, d.media).map(g, g.key + \":\" + g.items.map(d, d.name).join(\"+\"))",
            "hdd:sda+sdb, ssd:nvme0n1",
        ),
        ("node.disks.count_by(d, d.bytes).map(g, g.count)", "1, 2"),
        ("node.disks.count_by(d, d.bytes)[1].key", "4 TB"),
        ("\"avx\" in node.flags && !(\"avx512\" in node.flags)", "true"),
        ("node.disks[0].media in [\"ssd\", \"hdd\"]", "true"),
        ("[1, 2] + [3]", "1, 2, 3"),
        ("[1, 2] == [1, 2.0]", "true"),
        ("[[1], [2]].map(x, x[0])", "1, 2"),
        ("[1, 2, 3].map(x, x > 1, x * 2)", "4, 6"),
        ("[].all(x, x > 1) && ![].exists(x, x > 1)", "true"),
        ("1 == 1.0 && 1 < 1.5 && 9007199254740993 > 9007199254740992.0", "true"),
        ("true ? \"a\" : \"b\"", "a"),
    ]);
}

#[test]
fn mistakes_are_found_before_anything_is_read() {
    Node::new().all(&[
        ("nod.disks", "0..3: there is no `nod` (did you mean `node`?)"),
        ("disks.all(d, true)", "0..5: there is no `disks` (did you mean `node.disks`?)"),
        ("node.disk", "5..9: `Machine1` has no member `disk` (did you mean `disks`?)"),
        ("node.disks.all(d, d.byte > 0B)", "20..24: `Disk` has no member `byte` (did you mean `bytes`?)"),
        ("node.disks.bytes", "11..16: a list has no member `bytes` (its elements are reached with all, exists, map, filter or [0])"),
        ("node.disks.each(d, true)", "11..15: there is no function `each`"),
        ("node.disks.exist(d, true)", "11..16: there is no function `exist` (did you mean `exists`?)"),
        ("node.disks.all(d)", "0..17: `all` is written `list.all(x, test)`, here with 1 in all"),
        ("node.disks.all(1, true)", "15..16: the first argument names the element (as in `list.all(x, test)`)"),
        ("node.disks.all(node, true)", "15..19: `node` is a name already (give the element a name of its own)"),
        ("all(node.disks, true)", "0..3: `all` stands alone (it follows its list, as in `list.all(x, test)`)"),
        ("node.disks[0].bytes > 5", "22..23: a number next to a size in bytes lacks its unit (write it as in 1B)"),
        ("node.disks[0].bytes > 5s", "0..24: `>` joins unlike things: a size in bytes and a duration"),
        ("node.disks[0].bytes + 5%", "0..24: `+ or -` joins unlike things: a size in bytes and a ratio"),
        ("node.disks.size() > 10%", "0..23: `>` joins unlike things: a whole number and a ratio"),
        ("2C * 2", "0..6: a temperature times a number has no meaning here"),
        ("1B * 1B", "0..7: a size in bytes times a size in bytes has no meaning here"),
        ("node.disks[0].media == \"ssdd\"", "23..29: `ssdd` is none of the words that this can be (did you mean `ssd`?)"),
        ("node.disks.all(d, d.media in [\"ssd\", \"tape\"])", "37..43: `tape` is none of the words that this can be (it can be hdd, ssd)"),
        ("node.disks[0].media == node.disks[0].role", "0..41: `==` joins unlike things: a word of a fixed list and a word of a fixed list"),
        ("node.disks[0].firmware < \"2\"", "0..28: text has no order, so `<` means nothing (versions are compared with version_at_least(a, b, \"scheme\"))"),
        ("true < false", "0..12: `<` takes numbers, this is true or false"),
        ("node.disks[0] == node.disks[1]", "0..30: records cannot be compared (compare a member that tells them apart)"),
        ("1 == \"1\"", "0..8: `==` joins unlike things: a whole number and text"),
        ("[1, \"a\"]", "4..7: a list holds one type: this is text, before it a whole number"),
        ("1 && true", "0..1: `&&` takes true or false, this is a whole number"),
        ("true ? 1 : \"a\"", "7..14: the two outcomes are unlike: a whole number and text"),
        ("node.flags[1.5]", "11..14: a position in a list is a whole number, this is a number"),
        ("node.flags[-1]", "11..13: positions in a list begin at 0"),
        ("\"a\".matches(\"(\")", "12..15: no regular expression: unclosed group"),
        ("\"a\".matches(\"(a{1000}){1000}\")", "12..29: the regular expression takes more than 256 KiB"),
        ("\"a\".matches(node.serial)", "12..23: a regular expression is a text that is written out"),
        ("version_at_least(\"1\", \"2\", \"samsung\")", "27..36: there is no version scheme `samsung` (there are dotted, semver, debian, kernel, prefixed, hex, smbios-date)"),
        ("version_at_least(node.serial, \"v2\", \"dotted\")", "30..34: `v2` is no version of the scheme dotted"),
        ("size(1)", "5..6: `size` takes a list or a text, this is a whole number"),
        ("node.flags.contains(\"avx\")", "0..10: `contains` takes a text, this is a list of texts (whether a list has an element is written `x in list`)"),
        ("has(1 + 2)", "4..9: `has` takes a name, a member or a position"),
        ("sum(node.disks.map(d, d.temperature))", "4..36: temperatures have no sum"),
        // Several at once.
        ("nod.x > 5GBit && node.disk.all(d, d) || 1", "0..3: there is no `nod` (did you mean `node`?); 8..13: `GBit` is no unit (did you mean `5Gbit/s`?); 22..26: `Machine1` has no member `disk` (did you mean `disks`?); 40..41: `||` takes true or false, this is a whole number"),
    ]);
}

#[test]
fn a_name_that_is_never_used_is_worth_a_word() {
    let node = Node::new();
    let compiled = compile("node.disks.all(d, node.board.sockets > 1)", &node.scope()).unwrap();
    assert_eq!(compiled.warnings().len(), 1);
    assert_eq!(
        compile("node.disks.all(d, d.bytes > 1B)", &node.scope()).unwrap().facts().collect::<Vec<_>>(),
        [("Disk", "bytes"), ("Machine1", "disks")]
    );
}

#[test]
fn facts_of_low_confidence_can_be_taken_for_unknown() {
    let node = Node::new();
    let not_collected = Reason::not_collected("0.1.0", &node.arena);
    let mut bindings = Bindings::new(node.slots(), &not_collected);
    let guessed = compile("node.disks.exists(d, d.role == \"cache\")", &node.scope()).unwrap();
    let outcome = guessed.eval(&bindings, &node.arena, Fuel::default());
    assert!(matches!(outcome.value, Value::Bool(true)) && outcome.read_low);
    let sure = compile("node.disks[0].role == \"capacity\"", &node.scope()).unwrap();
    assert!(!sure.eval(&bindings, &node.arena, Fuel::default()).read_low);
    bindings.distrust_low = true;
    let outcome = guessed.eval(&bindings, &node.arena, Fuel::default());
    assert_eq!(shown(outcome.value, guessed.ty()), "unknown (guessed from the medium)");
}

#[test]
fn a_trace_tells_the_facts_and_comparisons_that_decided() {
    let node = Node::new();
    let not_collected = Reason::not_collected("0.1.0", &node.arena);
    let bindings = Bindings::new(node.slots(), &not_collected);
    let root = bindings.slots[0];
    let paths = Paths::new(&[("", root)]);
    let told = |source: &str| {
        let compiled = node.arena.alloc(compile(source, &node.scope()).unwrap());
        let (outcome, trace) = compiled.trace(&bindings, &node.arena, Fuel::default());
        let reads = trace.reads.iter().map(|read| match read.record {
            Some(record) => paths.path(record, read.name).unwrap(),
            None => read.name.to_owned(),
        });
        let compared = trace.comparisons.iter().map(|compared| {
            format!(
                "{} {} {}",
                shown(compared.left, compared.left_type),
                compared.comparison.mark(),
                shown(compared.right, compared.right_type)
            )
        });
        format!(
            "{}: {} [{}]",
            shown(outcome.value, compiled.ty()),
            reads.collect::<Vec<_>>().join(" "),
            compared.collect::<Vec<_>>().join(", ")
        )
    };
    for (source, expected) in [
        // Only the disk that breaks it.
        ("node.disks.all(d, d.bytes > 1TB)", "false: disks disks[2].bytes [400 GB > 1 TB]"),
        // Only the disk that is not told.
        (
            "node.disks.all(d, d.temperature < 60C)",
            "unknown (cannot read /x: permission denied): disks disks[1].temperature [unknown (cannot read /x: permission denied) < 60 °C]",
        ),
        // All of them.
        (
            "node.disks.all(d, d.bytes > 1GB)",
            "true: disks disks[0].bytes disks[1].bytes disks[2].bytes [4 TB > 1 GB, 4 TB > 1 GB, 400 GB > 1 GB]",
        ),
        // What stood left of the deciding term is forgotten, what stands right is not read.
        (
            "node.board.sockets == 2 && node.disks[0].bytes > 9TB && has(node.serial)",
            "false: disks disks[0].bytes [4 TB > 9 TB]",
        ),
        ("node.serial == \"x\" || node.board.sockets >= 2", "true: board.sockets [2 >= 2]"),
        (
            "node.disks[2].bytes / node.disks[0].bytes >= limit",
            "true: disks disks[2].bytes disks[0].bytes limit [10 % >= 10 %]",
        ),
        // Facts keep their place through filter, sort and group.
        (
            "node.disks.filter(d, d.media == \"ssd\").group_by(d, d.name)[0].items[0].bytes > 1TB",
            "false: disks disks[0].media disks[1].media disks[2].media disks[2].name disks[2].bytes [hdd == ssd, hdd == ssd, ssd == ssd, 400 GB > 1 TB]",
        ),
    ] {
        assert_eq!(told(source), expected, "{source}");
    }
    let Some(Value::Record(first)) = root.at(&["disks", "0"]) else { panic!() };
    assert_eq!(paths.source(first, "bytes"), Some(3));
}

#[test]
fn names_that_are_expressions_are_traced_through() {
    let node = Node::new();
    let not_collected = Reason::not_collected("0.1.0", &node.arena);
    let base = Bindings::new(node.slots(), &not_collected);
    let mut scope = node.scope();
    let mut lets = Vec::new();
    for (name, source) in [
        ("cache", "sum(node.disks.filter(d, d.media == \"ssd\").map(d, d.bytes))"),
        ("unused", "node.serial"),
        ("twice", "cache * 2"),
    ] {
        let compiled: &Compiled = node.arena.alloc(compile(source, &scope).unwrap());
        scope.bind(name, compiled.ty().clone());
        lets.push(compiled);
    }
    let message = Template::compile("{cache}, twice {twice}, {{{unused}}}: {\"}\"}{r'\\'}'s", &scope).unwrap();
    let check = node.arena.alloc(compile("twice > 1TB", &scope).unwrap());
    let bindings = bind(&base, lets.iter().copied(), &node.arena, Fuel::default());
    let (outcome, trace) =
        trace_through(check, &lets, base.slots.len(), &bindings, scope.names(), &node.arena, Fuel::default());
    assert!(matches!(outcome.value, Value::Bool(false)));
    let names: Vec<&str> = trace.reads.iter().map(|read| read.name).collect();
    assert_eq!(names, ["twice", "cache", "disks", "media", "media", "media", "bytes"]);
    assert_eq!(
        message.render(&bindings, &node.arena, Fuel::default()),
        "400 GB, twice 800 GB, {unknown (cannot read /x: permission denied)}: }\\'s"
    );
}

#[test]
fn messages_tell_their_mistakes_with_places_in_the_whole() {
    let node = Node::new();
    for (source, expected) in [
        ("{nod} and {1 +}", "1..4: there is no `nod` (did you mean `node`?); 14..14: an expression is expected"),
        ("a } b", "2..3: `}` closes nothing (a brace itself is written }})"),
        ("a {limit", "2..3: `}` is missing (a brace itself is written {{)"),
        ("a {'}", "2..3: `}` is missing (a brace itself is written {{)"),
    ] {
        let diagnostics = Template::compile(source, &node.scope()).unwrap_err();
        let told: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(told.join("; "), expected, "{source}");
    }
}

#[test]
fn literals_stand_for_themselves() {
    let node = Node::new();
    let read = |source: &str| match literal(source, &node.schema, &node.arena) {
        Ok((value, ty)) => shown(value, &ty),
        Err(diagnostics) => diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    };
    assert_eq!(read("10%"), "10 %");
    assert_eq!(read("-5"), "-5");
    assert_eq!(read("[\"a\", \"b\"]"), "a, b");
    assert_eq!(read("1 + 1"), "0..5: a value that is written out is expected");
}
