//! `docs/expressions.md` is kept current: its tables come from the code, its examples are evaluated.

use bumpalo::Bump;
use passmuster::expr::{Bindings, Fuel, Schema, Scope, compile, functions_markdown, shown, units_markdown};
use passmuster::view::{Reason, ReasonKind};

fn path() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/expressions.md")
}

/// The text between two marks replaced.
fn with_table(document: &str, name: &str, table: &str) -> String {
    let (begin, end) = (format!("<!-- {name}: generated -->\n"), format!("<!-- {name}: end -->"));
    let start = document.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
    let stop = document.find(&end).unwrap_or_else(|| panic!("no {end}"));
    format!("{}{table}{}", &document[..start], &document[stop..])
}

#[test]
fn the_tables_are_those_of_the_code() {
    let document = std::fs::read_to_string(path()).unwrap();
    let current = with_table(&document, "functions", &functions_markdown());
    let current = with_table(&current, "units", &units_markdown());
    if std::env::var_os("MUSTER_BLESS").is_some() {
        std::fs::write(path(), current).unwrap();
    } else {
        assert!(document == current, "docs/expressions.md is not current: run the tests with MUSTER_BLESS=1");
    }
}

/// Lines of the form "`expression` is `value`".
#[test]
fn the_examples_are_true() {
    let document = std::fs::read_to_string(path()).unwrap();
    let schema = Schema::new();
    let reason = Reason { text: "not collected", kind: ReasonKind::Mismatch };
    let mut seen = 0;
    for line in document.lines() {
        let parts: Vec<&str> = line.split('`').collect();
        for window in parts.windows(4) {
            let [expression, is, value, _] = window else { panic!("windows of four") };
            if *is != " is " {
                continue;
            }
            let compiled =
                compile(expression, &Scope::new(&schema)).unwrap_or_else(|errors| panic!("{expression}: {errors:?}"));
            let scratch = Bump::new();
            let outcome = compiled.eval(&Bindings::new(&[], &reason), &scratch, Fuel::default());
            assert_eq!(shown(outcome.value, compiled.ty()), *value, "{expression}");
            seen += 1;
        }
    }
    assert!(seen >= 10, "{seen} examples");
}
