//! Laws that hold for every expression: making a fact unreadable never changes a result into another one, only into
//! unknown; facts that a trace does not name do not matter; tracing changes nothing.

use super::generate::{Choices, Generator};
use super::world::{Untold, World, facts, in_arena, places, take_away};
use bumpalo::Bump;
use passmuster::expr::{Bindings, Compiled, Fuel, Outcome, Type, compile, shown};
use passmuster::reading::ErrorKind;
use passmuster::view::{Partial, Paths, Reason, ReasonKind, Value, with_fields};
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Whether the first says nothing that the second does not say: equal, or unknown where that is told.
fn below(less: Value<'_>, more: Value<'_>) -> bool {
    match (less, more) {
        (Value::Unknown(_), _) | (Value::Absent, Value::Absent) => true,
        (Value::Bool(less), Value::Bool(more)) => less == more,
        (Value::Int(less), Value::Int(more)) => less == more,
        (Value::Double(less), Value::Double(more)) => less.to_bits() == more.to_bits(),
        (Value::Text(less), Value::Text(more)) => less == more,
        (Value::Record(less), Value::Record(more)) => {
            less.iter().all(|(name, value)| Value::Record(more).field(name).is_some_and(|more| below(*value, more)))
        }
        (Value::List(less), Value::List(more)) => all_below(less, more),
        (Value::Partial(Partial { unknown: Some(_), items, .. }), more) => {
            more.items().is_some_and(|more| some_below(items, more))
        }
        // Complete but for what absent facts leave out: that is as much as a whole list says.
        (
            Value::Partial(Partial { unknown: None, items, .. }),
            Value::Partial(Partial { unknown: None, items: more, .. }),
        ) => all_below(items, more),
        _ => false,
    }
}

fn all_below(less: &[Value<'_>], more: &[Value<'_>]) -> bool {
    less.len() == more.len() && less.iter().zip(more).all(|(less, more)| below(*less, *more))
}

/// Whether each of the first can be one of the second, no two the same one. Their order does not count: nothing can be
/// asked of a list that may lack elements that depends on it.
fn some_below(less: &[Value<'_>], more: &[Value<'_>]) -> bool {
    fn assign(less: &[Value<'_>], more: &[Value<'_>], taken: &mut [bool]) -> bool {
        let Some((first, rest)) = less.split_first() else { return true };
        (0..more.len()).any(|place| {
            if taken[place] || !below(*first, more[place]) {
                return false;
            }
            taken[place] = true;
            let assigned = assign(rest, more, taken);
            taken[place] = assigned;
            assigned
        })
    }
    less.len() <= more.len() && assign(less, more, &mut vec![false; more.len()])
}

/// Whether a result holds records, whose facts differ without having been read.
fn hands_on_records(ty: &Type) -> bool {
    match ty {
        Type::Record(_) | Type::Group(_) => true,
        Type::List(item) => hands_on_records(item),
        _ => false,
    }
}

fn reason() -> Reason<'static> {
    Reason { text: "not collected", kind: ReasonKind::Read { kind: ErrorKind::NotCollected, error: None } }
}

/// One expression over one set of facts, and bytes for what is done to them.
fn case() -> impl Strategy<Value = (Vec<u8>, Vec<u8>, Vec<u8>, usize)> {
    let bytes = |longest| proptest::collection::vec(any::<u8>(), 0..longest);
    (bytes(300), bytes(120), bytes(40), 1..5_usize)
}

struct Case {
    facts: Json,
    source: String,
    compiled: Compiled,
}

impl Case {
    fn new(fact_bytes: &[u8], bytes: &[u8], depth: usize) -> Self {
        let world = World::new();
        let facts = facts(&mut Choices::new(fact_bytes), Untold { absent: 9, unknown: 9 });
        let mut choices = Choices::new(bytes);
        let mut generator = Generator::new(&mut choices, world.item.clone(), false);
        // Half of them true or false, as assertions and `where` are.
        let assertion = generator.choices.pick(2) == 0;
        let source = if assertion { generator.of(&Type::Bool, depth).ours } else { generator.any(depth).0.ours };
        let compiled = compile(&source, &world.scope()).unwrap_or_else(|errors| {
            panic!("{source}: {}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        });
        Self { facts, source, compiled }
    }

    fn eval<'a>(&'a self, slots: &'a [Value<'a>], reason: &'a Reason<'a>, scratch: &'a Bump) -> Outcome<'a> {
        self.compiled.eval(&Bindings::new(slots, reason), scratch, Fuel::default())
    }

    fn told(&self, value: Value<'_>) -> String {
        shown(value, self.compiled.ty())
    }
}

fn config(default: u32) -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

static CHANGED: AtomicUsize = AtomicUsize::new(0);
static KEPT: AtomicUsize = AtomicUsize::new(0);

#[test]
fn a_fact_made_unreadable_makes_a_result_unknown_or_leaves_it() {
    let mut runner = proptest::test_runner::TestRunner::new(config(4000));
    runner
        .run(&case(), |(fact_bytes, bytes, away, depth)| {
            let case = Case::new(&fact_bytes, &bytes, depth);
            let mut less = case.facts.clone();
            let mut choices = Choices::new(&away);
            for _ in 0..=choices.pick(6) {
                let places = places(&less);
                let two = choices.pick(256) * 256 + choices.pick(256);
                take_away(&mut less, &places[two % places.len()], &mut choices);
            }
            let (arena, scratch, reason) = (Bump::new(), Bump::new(), reason());
            let (before, after) = ([in_arena(&case.facts, &arena)], [in_arena(&less, &arena)]);
            let (known, unknown) = (case.eval(&before, &reason, &scratch), case.eval(&after, &reason, &scratch));
            prop_assert!(
                below(unknown.value, known.value),
                "{}: was {}, is {}\nfacts: {}\nless: {less}",
                case.source,
                case.told(known.value),
                case.told(unknown.value),
                case.facts
            );
            let changed = !below(known.value, unknown.value);
            // Whoever counts on every fact being known is told when one was not.
            let read = !changed || unknown.read_unknown || hands_on_records(case.compiled.ty());
            prop_assert!(read, "{}: an unknown fact was read and not noted", case.source);
            if changed { &CHANGED } else { &KEPT }.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .unwrap();
    let (changed, kept) = (CHANGED.load(Ordering::Relaxed), KEPT.load(Ordering::Relaxed));
    println!("made unknown {changed}, kept {kept}");
    assert!(changed * 20 > kept, "what is taken away hardly ever matters");
}

#[test]
fn facts_of_low_confidence_taken_for_unknown_obey_the_same_law() {
    let mut runner = proptest::test_runner::TestRunner::new(config(1500));
    runner
        .run(&case(), |(fact_bytes, bytes, away, depth)| {
            let case = Case::new(&fact_bytes, &bytes, depth);
            let (arena, scratch, reason) = (Bump::new(), Bump::new(), reason());
            let mut choices = Choices::new(&away);
            let mut node = in_arena(&case.facts, &arena);
            for name in ["count", "flag", "items", "size", "text", "word", "ints"] {
                if choices.pick(2) == 1
                    && let Some(value) = node.field(name)
                {
                    node = with_fields(node, &[(name, Value::low(value, "guessed", &arena))], &arena);
                }
            }
            let plain = [in_arena(&case.facts, &arena)];
            let slots = [node];
            let trusted = case.eval(&slots, &reason, &scratch);
            let bindings = Bindings { distrust_low: true, ..Bindings::new(&slots, &reason) };
            let distrusted = case.compiled.eval(&bindings, &scratch, Fuel::default());
            let without = case.eval(&plain, &reason, &scratch);
            prop_assert_eq!(case.told(trusted.value), case.told(without.value), "{}", case.source);
            prop_assert!(below(distrusted.value, trusted.value), "{}", case.source);
            let same = below(trusted.value, distrusted.value);
            prop_assert!(same || trusted.read_low, "{}: low confidence was read and not noted", case.source);
            Ok(())
        })
        .unwrap();
}

/// Every function and operator near the surface, where nothing around it hides what it does.
const SURFACE: &[&str] = &[
    "has(node.text)",
    "has(node.items)",
    "has(node.items[1])",
    "has(node.items[1].text)",
    "node.items.all(x, x.flag)",
    "node.items.exists(x, x.flag)",
    "node.items.exists_one(x, x.flag)",
    "node.items.all(x, x.count > 0 && x.flag || x.text == \"a\")",
    "node.items.filter(x, x.flag)",
    "size(node.items.filter(x, x.flag))",
    "node.items.filter(x, x.flag)[0].count",
    "node.items.filter(x, x.flag).all(x, x.number > 0.0)",
    "node.items.filter(x, x.flag).exists(x, x.number > 0.0)",
    "node.items.filter(x, x.flag) + node.others",
    "node.items.map(x, x.count)",
    "node.items.map(x, x.flag, x.count)",
    "node.items.count(x, x.flag)",
    "node.items.group_by(x, x.word)",
    "node.items.group_by(x, x.word).map(g, g.key)",
    "node.items.group_by(x, x.word).map(g, size(g.items))",
    "node.items.group_by(x, x.word).all(g, size(g.items) > 1)",
    "node.items.group_by(x, x.word).exists(g, size(g.items) > 1)",
    "node.items.group_by(x, x.word).map(g, sum(g.items.map(x, x.number)))",
    "node.items.count_by(x, x.flag)",
    "node.items.count_by(x, x.flag).exists(g, g.count == 1)",
    "size(node.items.count_by(x, x.flag))",
    "size(node.items)",
    "size(node.text)",
    "size(node.ints)",
    "sum(node.items.map(x, x.number))",
    "min(node.items.map(x, x.count))",
    "max(node.items.map(x, x.size))",
    "min(node.count, node.number, 3)",
    "median(node.items.map(x, x.number))",
    "mean(node.items.map(x, x.ratio))",
    "node.items.map(x, x.word).distinct()",
    "size(node.items.map(x, x.word).distinct())",
    "node.items.map(x, x.number).sort()",
    "node.items.map(x, x.number).sort()[0]",
    "node.items.map(x, x.text).join(\",\")",
    "counted(node.count, node.text)",
    "node.text.startsWith(node.box.text)",
    "node.text.endsWith(node.box.text)",
    "node.text.contains(node.box.text)",
    "node.text.matches(\"^a\")",
    "node.text.lowerAscii() + node.box.text.upperAscii() + node.text.trim()",
    "version_compare(node.text, node.box.text, \"dotted\")",
    "version_at_least(node.text, node.box.text, \"debian\")",
    "abs(node.number) + round(node.box.number) + floor(node.number) + ceil(node.number)",
    "int(node.text) + int(node.number)",
    "double(node.text) + double(node.count)",
    "string(node.size) + string(node.number)",
    "bytes_per_second(bits_per_second(node.size / 1s))",
    "node.count in node.ints",
    "node.text in node.texts",
    "node.word in [node.box.word, \"hdd\"]",
    "node.count in node.items.map(x, x.count)",
    "node.ints == node.box.ints",
    "node.items.map(x, x.count) == node.others.map(x, x.count)",
    "node.items.map(x, x.count) != [0, 1]",
    "node.number == node.box.number && node.size >= node.box.size",
    "node.flag && node.box.flag",
    "node.flag || node.box.flag",
    "!node.flag",
    "node.flag ? node.count : node.box.count",
    "-node.count * 2 - node.box.count / 3",
    "node.size / node.box.size",
    "node.items[1].count",
    "node.ints[node.count]",
    "[node.count, node.box.count]",
    "node.texts + [node.text]",
    "node.box.text",
];

#[test]
fn every_function_obeys_the_law_near_the_surface() {
    for row in passmuster::expr::functions_markdown().lines().skip(2).take_while(|row| !row.is_empty()) {
        let Some((before, _)) = row.trim_start_matches("| `").split_once('(') else { continue };
        let name = before.rsplit('.').next().unwrap();
        assert!(SURFACE.iter().any(|source| source.contains(&format!("{name}("))), "`{name}` is not among them");
    }
    let world = World::new();
    let compiled: Vec<Compiled> = SURFACE
        .iter()
        .map(|source| compile(source, &world.scope()).unwrap_or_else(|errors| panic!("{source}: {errors:?}")))
        .collect();
    let bytes = |longest| proptest::collection::vec(any::<u8>(), 0..longest);
    let mut runner = proptest::test_runner::TestRunner::new(config(1000));
    runner
        .run(&(bytes(400), bytes(40)), |(fact_bytes, away)| {
            let known = facts(&mut Choices::new(&fact_bytes), Untold { absent: 9, unknown: 0 });
            let mut choices = Choices::new(&away);
            let mut less = known.clone();
            for _ in 0..=choices.pick(6) {
                let mut places = places(&less);
                if choices.pick(3) == 1 {
                    places.retain(|place| ["/items", "/others"].contains(&place.as_str()));
                }
                let two = choices.pick(256) * 256 + choices.pick(256);
                if let Some(place) = places.get(two % places.len().max(1)) {
                    take_away(&mut less, place, &mut choices);
                }
            }
            let (arena, scratch, reason) = (Bump::new(), Bump::new(), reason());
            let (before, after) = ([in_arena(&known, &arena)], [in_arena(&less, &arena)]);
            for (compiled, source) in compiled.iter().zip(SURFACE) {
                let more = compiled.eval(&Bindings::new(&before, &reason), &scratch, Fuel::default());
                let less = compiled.eval(&Bindings::new(&after, &reason), &scratch, Fuel::default());
                prop_assert!(
                    below(less.value, more.value),
                    "{source}: was {}, is {}\nfacts: {known}",
                    shown(more.value, compiled.ty()),
                    shown(less.value, compiled.ty())
                );
                let same = below(more.value, less.value);
                let read = same || less.read_unknown || hands_on_records(compiled.ty());
                prop_assert!(read, "{source}: an unknown fact was read and not noted");
            }
            Ok(())
        })
        .unwrap();
}

/// The JSON pointer of every leaf that no unknown or partial thing stands around.
fn leaves(facts: &Json) -> Vec<String> {
    places(facts)
        .into_iter()
        .filter(|pointer| !facts.pointer(pointer).unwrap().is_object() && !pointer.contains("/items/items"))
        .filter(|pointer| {
            let value = facts.pointer(pointer).unwrap();
            !value.as_array().is_some_and(|items| items.iter().any(Json::is_object))
        })
        .collect()
}

#[test]
fn facts_that_a_trace_does_not_name_do_not_matter() {
    let mut runner = proptest::test_runner::TestRunner::new(config(3000));
    runner
        .run(&case(), |(fact_bytes, bytes, away, depth)| {
            let case = Case::new(&fact_bytes, &bytes, depth);
            let (arena, scratch, reason) = (Bump::new(), Bump::new(), reason());
            let slots = [in_arena(&case.facts, &arena)];
            let outcome = case.eval(&slots, &reason, &scratch);
            let bindings = Bindings::new(&slots, &reason);
            let (traced, trace) = case.compiled.trace(&bindings, &scratch, Fuel::default());
            prop_assert_eq!(case.told(outcome.value), case.told(traced.value), "{}", case.source);
            let paths = Paths::new(&[("", slots[0])]);
            let read: Vec<String> = trace
                .reads
                .iter()
                .filter_map(|read| paths.path(read.record?, read.name))
                .map(|path| format!("/{}", path.replace(['.', '['], "/").replace(']', "")))
                .collect();
            let unread: Vec<String> = leaves(&case.facts)
                .into_iter()
                .filter(|leaf| {
                    !read.contains(&leaf.replace("/items/items/", "/items/").replace("/others/items/", "/others/"))
                })
                .collect();
            if unread.is_empty() {
                return Ok(());
            }
            let mut choices = Choices::new(&away);
            let mut less = case.facts.clone();
            for _ in 0..8 {
                let two = choices.pick(256) * 256 + choices.pick(256);
                *less.pointer_mut(&unread[two % unread.len()]).unwrap() = json!({ "unreadable": 2 });
            }
            let other = [in_arena(&less, &arena)];
            let again = case.eval(&other, &reason, &scratch);
            prop_assert!(
                below(again.value, outcome.value) && below(outcome.value, again.value),
                "{}: was {}, is {}\nread: {read:?}\nfacts: {}\nless: {less}",
                case.source,
                case.told(outcome.value),
                case.told(again.value),
                case.facts
            );
            Ok(())
        })
        .unwrap();
}

/// A list in the other order gives the same sums, extremes, counts and verdicts.
#[test]
fn the_order_of_elements_changes_no_verdict() {
    let mut runner = proptest::test_runner::TestRunner::new(config(800));
    let bytes = proptest::collection::vec(any::<u8>(), 0..400);
    runner
        .run(&bytes, |bytes| {
            let world = World::new();
            let facts = facts(&mut Choices::new(&bytes), Untold { absent: 0, unknown: 12 });
            let mut turned = facts.clone();
            for name in ["items", "others"] {
                let pointer = if turned[name].is_array() { format!("/{name}") } else { format!("/{name}/items") };
                if let Some(Json::Array(items)) = turned.pointer_mut(&pointer) {
                    items.reverse();
                }
            }
            let (arena, reason) = (Bump::new(), reason());
            let slots = [[in_arena(&facts, &arena)], [in_arena(&turned, &arena)]];
            for source in [
                "sum(node.items.map(x, x.number))",
                "sum(node.items.map(x, x.number * 0.1))",
                "mean(node.items.map(x, x.ratio))",
                "median(node.items.map(x, x.size))",
                "max(node.items.map(x, x.size))",
                "node.items.all(x, x.count > 0 || x.flag)",
                "node.items.exists(x, x.text == \"a\")",
                "node.items.exists_one(x, x.flag)",
                "node.items.count(x, x.number > 1)",
                "node.items.count_by(x, x.word).map(g, g.key + string(g.count))",
                "node.items.group_by(x, x.count).map(g, sum(g.items.map(x, x.number)))",
                "node.items.map(x, x.text).sort()",
                "size(node.items.map(x, x.number).distinct())",
                "node.items.map(x, x.count).distinct().sort()",
            ] {
                let compiled = compile(source, &world.scope()).unwrap();
                let told: Vec<String> = slots
                    .iter()
                    .map(|slots| {
                        let scratch = Bump::new();
                        let outcome = compiled.eval(&Bindings::new(slots, &reason), &scratch, Fuel::default());
                        format!("{} {}", shown(outcome.value, compiled.ty()), outcome.read_unknown)
                    })
                    .collect();
                prop_assert_eq!(&told[0], &told[1], "{}", source);
            }
            Ok(())
        })
        .unwrap();
}
