//! Expressions that are meant to hurt: each ends in a clear error or in a bounded stop.

use super::generate::Choices;
use super::world::{Untold, World, facts, in_arena};
use bumpalo::Bump;
use passmuster::expr::{Bindings, Compiled, Fuel, Schema, Scope, Template, compile, parse, shown};
use passmuster::view::{Reason, ReasonKind, Value};
use proptest::prelude::*;

fn world() -> Schema {
    Schema::new()
}

/// Evaluates, and asserts what it may take: steps as counted, memory as the arena has it.
fn bounded(source: &str) -> String {
    let schema = world();
    let scope = Scope::new(&schema);
    match compile(source, &scope) {
        Ok(compiled) => {
            let reason = Reason { text: "not collected", kind: ReasonKind::Mismatch };
            let scratch = Bump::new();
            let outcome = compiled.eval(&Bindings::new(&[], &reason), &scratch, Fuel::default());
            assert!(outcome.steps <= Fuel::default().steps);
            // Chunks double, so the arena may hold twice what was charged, and alignment.
            assert!(scratch.allocated_bytes() < 16 << 20, "{} bytes", scratch.allocated_bytes());
            shown(outcome.value, compiled.ty())
        }
        Err(diagnostics) => {
            assert!(diagnostics.len() <= 20);
            diagnostics[0].message.clone()
        }
    }
}

const STOPPED: &str = "unknown (the expression takes more steps or memory than it may)";

fn thirty() -> String {
    format!("[{}]", (0..30).map(|n| n.to_string()).collect::<Vec<_>>().join(", "))
}

#[test]
fn loops_in_loops_are_stopped() {
    let list = thirty();
    for depth in 1..=6 {
        let mut source = "true".to_owned();
        for level in 0..depth {
            source = format!("{list}.all(x{level}, {source})");
        }
        // 30^4 elements with their lists are more than a million steps.
        assert_eq!(bounded(&source), if depth < 4 { "true" } else { STOPPED }, "{depth}");
    }
}

#[test]
fn doubling_is_stopped_in_numbers_texts_and_lists() {
    let chain = |start: &str| format!("{start}{}", ".map(x, x + x)".repeat(100));
    assert_eq!(bounded(&chain("[1]")), "unknown (the whole number does not fit 64 bits)");
    assert_eq!(bounded(&chain("[\"ab\"]")), STOPPED);
    assert_eq!(bounded(&chain("[[1, 2]]")), STOPPED);
    let sizes = format!("size({})", (0..40).fold("\"ab\"".to_owned(), |text, _| format!("[{text}].map(x, x + x)[0]")));
    assert!(bounded(&sizes).contains("nested more than"), "{}", bounded(&sizes));
    let list = thirty();
    let wide = format!("{list}.map(a, {list}.map(b, {list}.map(c, {list}.map(d, {list}))))");
    assert_eq!(bounded(&wide), STOPPED);
    let joined = format!(
        "{list}.map(a, {list}.map(b, {list}.map(c, string(c))).map(t, t.join(\"{}\")).join(\"\")).join(\"\").size()",
        "x".repeat(1000)
    );
    assert_eq!(bounded(&joined), STOPPED);
}

#[test]
fn long_chains_are_evaluated_and_nesting_is_refused() {
    let chain = |operator: &str, term: &str| vec![term; 10_000].join(operator);
    assert_eq!(bounded(&chain("+", "1")), "10000");
    assert_eq!(bounded(&chain("-", "1")), "-9998");
    assert_eq!(bounded(&chain("*", "1")), "1");
    assert_eq!(bounded(&chain("/", "1")), "1");
    assert_eq!(bounded(&chain("&&", "true")), "true");
    assert_eq!(bounded(&chain("||", "1>2")), "false");
    assert_eq!(bounded(&chain("+", "\"\"")), "");
    assert_eq!(bounded(&chain("+", "[]")), "");
    assert_eq!(bounded(&format!("size([{}])", chain(",", "1"))), "10000");
    assert!(bounded(&chain("<", "1")).contains("comparisons do not chain"));
    for (open, close) in
        [("(", ")"), ("[", "]"), ("!", ""), ("-", ""), ("size(", ")"), ("", "[0]"), ("", ".a"), ("true ? 1 : ", "")]
    {
        for count in [1000, 10_000, 100_000] {
            let source = format!("{}1{}", open.repeat(count), close.repeat(count));
            let told = bounded(&source);
            assert!(told.contains("nested more than") || told.contains("bytes long"), "{open}{close}: {told}");
        }
    }
    // Half the stack of a worker thread is enough for the deepest that is let through, in a debug build.
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(|| {
        let deepest = (0..200).rev().find_map(|count| {
            let source = format!("{}true{}", "[1].all(x, ".repeat(count), ")".repeat(count)).replace("x, ", "x, ");
            let named = (0..count).fold(source, |source, level| source.replacen("(x, ", &format!("(x{level}, "), 1));
            parse(&named).ok().map(|_| (count, bounded(&named)))
        });
        let (count, told) = deepest.unwrap();
        assert!(count > 20, "{count}");
        assert!(told == "true" || told == STOPPED, "{told}");
        let chained = format!("[1]{}", ".map(x, x)".repeat(100));
        assert_eq!(bounded(&chained), "1");
        for (open, close) in
            [("!(", ")"), ("(true ? ", " : false)"), ("[", "][0]"), ("true == (", ")"), ("(false || ", ")")]
        {
            let deepest = (0..60).rev().find_map(|count| {
                let source = format!("{}true{}", open.repeat(count), close.repeat(count));
                parse(&source).ok().map(|_| bounded(&source))
            });
            assert!(matches!(deepest.as_deref(), Some("true" | "false")), "{open}: {deepest:?}");
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn regular_expressions_cost_no_more_than_their_text() {
    let text = "a".repeat(20_000);
    for regex in ["(a*)*b", "(a|a)*b", "(a|aa)+$", "a*a*a*a*a*a*a*a*a*b", "(x+x+)+y"] {
        let told = bounded(&format!("\"{text}\".matches(\"{regex}\")"));
        assert!(told == "true" || told == "false", "{told}");
    }
    assert!(bounded("\"a\".matches(\"(a{1000}){1000}\")").contains("KiB"));
    assert!(bounded(&format!("\"a\".matches(\"{}\")", "(".repeat(30_000))).contains("no regular expression"));
    let deep = format!("\"a\".matches(\"{}a{}\")", "(".repeat(1000), ")".repeat(1000));
    assert!(bounded(&deep).contains("no regular expression"), "{}", bounded(&deep));
    let many = vec!["\"a\".matches(\"a{500}\")"; 1000].join(" && ");
    assert!(bounded(&many).contains("at most 8 regular expressions"));
}

#[test]
fn mistakes_without_number_are_told_up_to_twenty() {
    for source in
        ["nod.x + ".repeat(5000) + "1", "\u{202e}\u{7}".repeat(10_000), "1GBx + ".repeat(5000), "'".repeat(60_001)]
    {
        assert!(!bounded(&source).is_empty());
    }
    let schema = world();
    assert!(Template::compile(&"{".repeat(5000), &Scope::new(&schema)).is_ok());
    assert!(Template::compile(&"{x}".repeat(2000), &Scope::new(&schema)).is_err());
    assert!(Template::compile(&"x".repeat(1 << 20), &Scope::new(&schema)).is_err());
}

#[test]
fn a_message_stays_short() {
    let schema = world();
    let list = thirty();
    let source = format!("{{{list}.map(x, \"{}\")}}", "y".repeat(5000));
    let template = Template::compile(&source, &Scope::new(&schema)).unwrap();
    let reason = Reason { text: "not collected", kind: ReasonKind::Mismatch };
    let scratch = Bump::new();
    let told = template.render(&Bindings::new(&[], &reason), &scratch, Fuel::default());
    assert!(told.len() < 5000, "{}", told.len());
    assert!(told.ends_with("and 10 more"));
}

/// Pieces of the language, in any order.
fn soup() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "node",
        ".",
        "items",
        "count",
        "size",
        "text",
        "box",
        "(",
        ")",
        "[",
        "]",
        ",",
        "&&",
        "||",
        "!",
        "-",
        "+",
        "*",
        "/",
        "<",
        "==",
        "in",
        "?",
        ":",
        "1",
        "2.5",
        "10%",
        "8B",
        "\"a\"",
        "'",
        "x",
        "all",
        "map",
        "filter",
        "sum",
        "has",
        "matches",
        "true",
        "{",
        "}",
        "\\",
        "r\"",
        "e",
        "0x",
        " ",
        "\n",
        "//",
        "ä",
        "\u{0}",
        "version_at_least",
        "\"dotted\"",
        "group_by",
        "key",
        "=",
        "&",
        "%",
        "B/s",
        "9223372036854775808",
    ];
    proptest::collection::vec(0..WORDS.len(), 0..60)
        .prop_map(|words| words.into_iter().map(|word| WORDS[word]).collect::<String>())
}

fn try_all(source: &str) {
    let world = World::new();
    let check = |diagnostics: Vec<passmuster::expr::Diagnostic>| {
        for diagnostic in diagnostics {
            let (start, end) = (diagnostic.span.start as usize, diagnostic.span.end as usize);
            assert!(start <= end && source.get(start..end).is_some(), "{source:?}: {diagnostic}");
        }
    };
    if let Err(diagnostics) = parse(source) {
        check(diagnostics);
    }
    if let Err(diagnostics) = Template::compile(source, &world.scope()) {
        check(diagnostics);
    }
    match compile(source, &world.scope()) {
        Ok(compiled) => {
            let (arena, scratch) = (Bump::new(), Bump::new());
            let facts = facts(&mut Choices::new(&[7; 200]), Untold { absent: 5, unknown: 5 });
            let slots = [in_arena(&facts, &arena)];
            let reason = Reason { text: "not collected", kind: ReasonKind::Mismatch };
            let compiled: &Compiled = &compiled;
            let outcome = compiled.eval(&Bindings::new(&slots, &reason), &scratch, Fuel::default());
            let _: Value<'_> = outcome.value;
        }
        Err(diagnostics) => check(diagnostics),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn any_text_is_read_or_refused(source in ".{0,200}") {
        try_all(&source);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        try_all(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_pieces_of_the_language_are_read_or_refused(source in soup()) {
        try_all(&source);
    }
}
