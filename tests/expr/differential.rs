//! The same expressions and bindings, one by one, through the crate `cel`: equal results, or a departure that
//! `docs/expressions.md` lists.

use super::generate::{Choices, Generator};
use super::world::{Untold, World, facts, in_arena};
use bumpalo::Bump;
use cel::extensions::{lists, strings};
use cel::objects::Value as Cel;
use cel::{Context, Env};
use passmuster::expr::{Bindings, Compiled, Fuel, Schema, Scope, Type, compile};
use passmuster::view::{Reason, ReasonKind, Value};
use proptest::prelude::*;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn env() -> Arc<Env> {
    let mut env = Env::stdlib();
    env.add_extension(strings).unwrap();
    env.add_extension(lists).unwrap();
    Arc::new(env)
}

/// What both languages can say came out.
#[derive(Debug, Clone, PartialEq)]
enum Result {
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    List(Vec<Result>),
    Map,
    /// CEL: an error. Ours: unknown or absent, as a whole or in part.
    Untold,
}

fn ours(value: Value<'_>, doubles: bool) -> Result {
    match value {
        Value::Bool(value) => Result::Bool(value),
        // Quantities stand as doubles in the CEL of these tests.
        Value::Int(value) if doubles => Result::Double(value as f64),
        Value::Int(value) => Result::Int(value),
        Value::Double(value) => Result::Double(value),
        Value::Text(text) => Result::Text(text.to_owned()),
        Value::List(items) => {
            let items: Vec<Result> = items.iter().map(|item| ours(*item, doubles)).collect();
            if items.contains(&Result::Untold) { Result::Untold } else { Result::List(items) }
        }
        Value::Record(_) => Result::Map,
        _ => Result::Untold,
    }
}

fn theirs(value: &Cel) -> Result {
    match value {
        Cel::Bool(value) => Result::Bool(*value),
        Cel::Int(value) => Result::Int(*value),
        // -0.0 is no value of ours.
        Cel::Float(value) => Result::Double(*value + 0.0),
        Cel::String(text) => Result::Text(text.to_string()),
        Cel::List(items) => Result::List(items.iter().map(theirs).collect()),
        Cel::Map(_) => Result::Map,
        other => panic!("{other:?}"),
    }
}

/// Facts for CEL: absent is a key that is not there; quantities are doubles.
fn cel_facts(json: &Json, name: &str) -> Option<Cel> {
    const DOUBLES: &[&str] = &["floats", "number", "ratio", "size"];
    Some(match json {
        Json::Null => return None,
        Json::Bool(value) => Cel::Bool(*value),
        Json::Number(number) if DOUBLES.contains(&name) => Cel::Float(number.as_f64().unwrap()),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Cel::Int(value),
            None => Cel::Float(number.as_f64().unwrap()),
        },
        Json::String(text) => Cel::String(Arc::new(text.clone())),
        Json::Array(items) => Cel::List(Arc::new(
            items.iter().map(|item| cel_facts(item, name).expect("a list holds no absent")).collect(),
        )),
        Json::Object(fields) => {
            let map: HashMap<String, Cel> =
                fields.iter().filter_map(|(name, value)| Some((name.clone(), cel_facts(value, name)?))).collect();
            map.into()
        }
    })
}

fn run_cel(env: &Arc<Env>, source: &str, variables: &[(&str, Cel)]) -> std::result::Result<Result, String> {
    let program = env.compile(source).map_err(|errors| format!("does not compile: {errors:?}"))?;
    let mut context = Context::with_env(Arc::clone(env));
    for (name, value) in variables {
        context.add_variable_from_value(*name, value.clone());
    }
    Ok(program.execute(&context).map_or(Result::Untold, |value| theirs(&value)))
}

fn run_ours(compiled: &Compiled, slots: &[Value<'_>]) -> (Result, Option<ReasonKind>) {
    let arena = Bump::new();
    let reason = Reason { text: "not collected", kind: ReasonKind::Mismatch };
    let outcome = compiled.eval(&Bindings::new(slots, &reason), &arena, Fuel::default());
    let kind = if let Value::Unknown(reason) = outcome.value { Some(reason.kind) } else { None };
    (ours(outcome.value, false), kind)
}

/// Written by hand: the places where evaluators differ. `None` for the CEL side: as ours.
const BY_HAND: &[(&str, Option<&str>, &str)] = &[
    // Literals and escapes.
    ("0x1F", None, "31"),
    ("-9223372036854775808", None, "-9223372036854775808"),
    ("1e3", None, "1000.0"),
    (".5", None, "0.5"),
    (r#"'\x41\u00e4\U0001F600\101\n'"#, None, "\"Aä😀A\\n\""),
    (r#"r'\d' + '''a'b''' + "c""#, None, "\"\\\\da'bc\""),
    // Precedence.
    ("1 + 2 * 3 - 4 == 3 && !false || false", None, "true"),
    ("true ? false : true || true", None, "false"),
    ("false ? 1 : true ? 2 : 3", None, "2"),
    ("-1 - -1", None, "0"),
    ("!!true", None, "true"),
    ("2 - 1 - 1", None, "0"),
    ("1 in [1, 2] && !(3 in [1, 2])", None, "true"),
    // Absorbing on either side.
    ("false && [1][2] == 1", None, "false"),
    ("[1][2] == 1 && false", None, "false"),
    ("true || [1][2] == 1", None, "true"),
    ("[1][2] == 1 || true", None, "true"),
    ("[1][2] == 1 || false", None, "untold"),
    (
        "[1, 0].exists(x, 2 in [1][x] == 1 ? [2] : [3])",
        Some("[1, 0].exists(x, 2 in ([1][x] == 1 ? [2] : [3]))"),
        "parse",
    ),
    ("[1, 0].exists(x, [7][x] == 7)", None, "true"),
    ("[1, 0].all(x, [7][x] == 8)", None, "false"),
    ("[1, 0].all(x, [7][x] == 7)", None, "untold"),
    // Numbers across types.
    ("1 == 1.0", None, "true"),
    ("1 < 1.5 && 2 > 1.5 && 1 != 1.5", None, "true"),
    // CEL demands the exact comparison; the crate compares as doubles.
    ("9007199254740993 == 9007199254740992.0", None, "false | true"),
    ("9223372036854775807 + 1", None, "untold"),
    ("-9223372036854775808 - 1", None, "untold"),
    ("9223372036854775807 * 2", None, "untold"),
    ("-(-9223372036854775808)", None, "untold"),
    ("int(2.9) + int(-2.9)", None, "0"),
    ("int('-12')", None, "-12"),
    ("int('1.5')", None, "untold"),
    ("double('1.5')", None, "1.5"),
    ("double('x')", None, "untold"),
    ("int(1e19)", None, "untold"),
    ("string(12) + string(true) + string(1.5)", None, "\"12true1.5\""),
    ("1.5 + 2.5", None, "4.0"),
    // Texts.
    ("size('Käse')", None, "4"),
    ("'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')", None, "true"),
    ("'abc'.contains('')", None, "true"),
    ("'foobar'.matches('o+b')", None, "true"),
    ("'foobar'.matches('^o')", None, "false"),
    ("'TacoCät'.lowerAscii()", None, "\"tacocät\""),
    ("'  x\\t'.trim()", None, "\"x\""),
    ("['a', 'b'].join('-')", None, "\"a-b\""),
    ("counted(1, 'node') + counted(2, 'node')", None, "\"1 node2 nodes\" | untold"),
    // Lists.
    ("[1, 2] + [3] == [1, 2, 3]", None, "true"),
    ("[1, 2] == [1.0, 2.0]", None, "true"),
    ("[1, 2] == [2, 1]", None, "false"),
    ("[[1], [2]] == [[1], [2]]", None, "true"),
    ("[].all(x, false) && ![].exists(x, true) && ![].exists_one(x, true)", None, "true"),
    ("[1, 2, 3].filter(x, x > 1).map(x, x * 2)", None, "[4, 6]"),
    ("[1, 2, 3].map(x, x > 1, x * 2)", None, "[4, 6]"),
    ("[1, 2, 2].exists_one(x, x == 2)", None, "false"),
    ("[3, 1, 2].sort()", None, "[1, 2, 3]"),
    ("[1, 2, 1].distinct()", None, "[1, 2]"),
    ("[[1, 2], [3]].map(x, x.map(y, y + 1))", None, "[[2, 3], [4]]"),
    ("[1][1]", None, "untold"),
    ("[1][-1 + 0]", None, "untold"),
    // Departures: what ours says, and what CEL says to the same text.
    ("7 / 2", Some("7 / 2"), "3.5 | 3"),
    ("1 / 0", Some("1 / 0"), "untold"),
    ("1.0 / 0.0", Some("1.0 / 0.0"), "untold | inf"),
    ("1 + 1.5", Some("1 + 1.5"), "2.5 | untold"),
    ("1e300 * 1e300", Some("1e300 * 1e300"), "untold | inf"),
    ("0.0 == -0.0", Some("0.0 == -0.0"), "true"),
    (
        "[1][1] == 1 || [1, [1][1]].exists(x, x == 1)",
        Some("[1][1] == 1 || [1, [1][1]].exists(x, x == 1)"),
        "true | untold",
    ),
    ("has([1][1]) || true", Some("true"), "true"),
    ("[1, 1, [1][1]].exists_one(x, x == 1)", Some("[1, 1, [1][1]].exists_one(x, x == 1)"), "false | untold"),
];

fn told(result: &Result) -> String {
    match result {
        Result::Bool(value) => value.to_string(),
        Result::Int(value) => value.to_string(),
        Result::Double(value) => format!("{value:?}"),
        Result::Text(text) => format!("{text:?}"),
        Result::List(items) => format!("[{}]", items.iter().map(told).collect::<Vec<_>>().join(", ")),
        Result::Map => "map".to_owned(),
        Result::Untold => "untold".to_owned(),
    }
}

#[test]
fn by_hand() {
    let env = env();
    let schema = Schema::new();
    for (source, cel, expected) in BY_HAND {
        let ours = match compile(source, &Scope::new(&schema)) {
            Ok(compiled) => told(&run_ours(&compiled, &[]).0),
            Err(_) => "parse".to_owned(),
        };
        if ours == "parse" {
            assert_eq!(*expected, "parse", "{source}");
            continue;
        }
        let theirs = told(&run_cel(&env, cel.unwrap_or(source), &[]).unwrap());
        let both = if ours == theirs { ours } else { format!("{ours} | {theirs}") };
        assert_eq!(both, *expected, "{source}");
    }
}

static BOTH_TOLD: AtomicUsize = AtomicUsize::new(0);
static BOTH_UNTOLD: AtomicUsize = AtomicUsize::new(0);
static DEPARTURES: AtomicUsize = AtomicUsize::new(0);

fn check(
    env: &Arc<Env>,
    world: &World,
    fact_bytes: &[u8],
    bytes: &[u8],
    depth: usize,
    absent: usize,
) -> std::result::Result<(), TestCaseError> {
    let facts = facts(&mut Choices::new(fact_bytes), Untold { absent, unknown: 0 });
    let mut choices = Choices::new(bytes);
    let mut generator = Generator::new(&mut choices, world.item.clone(), true);
    let (pair, ty) = generator.any(depth);
    let makes_lists = generator.makes_lists;
    let compiled = compile(&pair.ours, &world.scope())
        .map_err(|errors| TestCaseError::fail(format!("{}: {errors:?}", pair.ours)))?;
    let arena = Bump::new();
    let slots = [in_arena(&facts, &arena)];
    let scratch = Bump::new();
    let reason = Reason { text: "not collected", kind: ReasonKind::Mismatch };
    let outcome = compiled.eval(&Bindings::new(&slots, &reason), &scratch, Fuel::default());
    if let Value::Unknown(reason) = outcome.value {
        prop_assert!(reason.kind != ReasonKind::Mismatch, "{} met a value of the wrong type", pair.ours);
    }
    let numbers = if let Type::List(item) = &ty { item.as_ref().clone() } else { ty };
    let ours = ours(outcome.value, matches!(numbers, Type::Number(_)));
    let theirs = run_cel(env, &pair.cel, &[("node", cel_facts(&facts, "").unwrap())])
        .map_err(|error| TestCaseError::fail(format!("{}: {error}", pair.cel)))?;
    let count = match (&ours, &theirs) {
        (Result::Untold, Result::Untold) => &BOTH_UNTOLD,
        // Listed: where an element or a test is in error, CEL gives up the whole list, ours keeps what is known.
        (_, Result::Untold) if makes_lists => &DEPARTURES,
        _ => {
            prop_assert_eq!(ours, theirs, "ours: {}\ncel: {}\nfacts: {}", pair.ours, pair.cel, facts);
            &BOTH_TOLD
        }
    };
    count.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

fn cases(default: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}

#[test]
fn random_expressions_by_type() {
    let (env, world) = (env(), World::new());
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: cases(3000),
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let bytes = |longest| proptest::collection::vec(any::<u8>(), 0..longest);
    runner
        .run(
            &(bytes(300), bytes(120), 1..5_usize, prop_oneof![Just(0_usize), Just(6_usize)]),
            |(facts, bytes, depth, absent)| check(&env, &world, &facts, &bytes, depth, absent),
        )
        .unwrap();
    let (told, untold, departures) =
        (BOTH_TOLD.load(Ordering::Relaxed), BOTH_UNTOLD.load(Ordering::Relaxed), DEPARTURES.load(Ordering::Relaxed));
    println!("both told {told}, both untold {untold}, CEL gives up a list that ours keeps {departures}");
    assert!(told > 2 * untold && told > 5 * departures, "the random expressions hardly ever come to a value");
}
