//! Mistakes inside expressions, placed in every way that YAML writes a text. Lines and columns were counted by hand.

use super::{SIZE, mistakes};

const PATH: &str = "checks/media/size.yaml";

/// The check with another assertion; line 7 is where it begins.
fn assertion(written: &str) -> Vec<String> {
    let text = SIZE.replace("'drive.bytes >= params.min_bytes'", written);
    assert_ne!(text, SIZE);
    mistakes(&[(PATH, &text)])
}

fn at(place: &str) -> Vec<String> {
    vec![format!("{PATH}:{place}: `Drive` has no member `byte`")]
}

#[test]
fn single_quoted() {
    // `assert: 'drive.byte`: the quote is column 9, `drive` begins at 10, `byte` at 16.
    assert_eq!(assertion("'drive.byte >= params.min_bytes'"), at("7:16"));
    assert_eq!(assertion("'drive.model != ''x'' && drive.byte >= params.min_bytes'"), at("7:40"));
    assert_eq!(assertion("'drive.bytes >= params.min_bytes &&\n    drive.byte > 0B'"), at("8:11"));
    assert_eq!(assertion("'drive.bytes >= params.min_bytes &&\n\n    drive.byte > 0B'"), at("9:11"));
}

#[test]
fn double_quoted() {
    assert_eq!(assertion("\"drive.model != \\\"x\\\" && drive.byte >= params.min_bytes\""), at("7:40"));
    assert_eq!(assertion("\"drive.model != 'ä\\u00e4' && drive.byte >= params.min_bytes\""), at("7:44"));
    assert_eq!(assertion("\"drive.bytes >= \\\n    params.min_bytes && drive.byte > 0B\""), at("8:31"));
}

#[test]
fn folded() {
    assert_eq!(
        assertion(">-\n  drive.bytes >= params.min_bytes &&\n  drive.model != 'x' &&\n  drive.byte > 0B"),
        at("10:9")
    );
    assert_eq!(
        assertion(">\n  drive.bytes >= params.min_bytes &&\n\n    drive.model != 'x' &&\n      drive.byte > 0B\n"),
        at("11:13")
    );
}

#[test]
fn literal() {
    assert_eq!(assertion("|\n  drive.bytes >= params.min_bytes &&\n    drive.byte > 0B"), at("9:11"));
    assert_eq!(assertion("|-\n\n  drive.bytes >= params.min_bytes &&\n\n  drive.byte > 0B"), at("11:9"));
}

#[test]
fn every_mistake_of_an_expression() {
    let name = |place: &str, rest: &str| format!("{PATH}:{place}: {rest}");
    assert_eq!(
        assertion(">-\n  drive.byte > 0B &&\n  driv.bytes > 0B && params.min_bytes > 0B"),
        [name("8:9", "`Drive` has no member `byte`"), name("9:3", "there is no `driv`")]
    );
}

#[test]
fn plain_is_refused() {
    assert_eq!(
        assertion("drive.bytes >= params.min_bytes"),
        [format!("{PATH}:7:9: an expression has to be in quotes or a block")]
    );
    let text = SIZE.replace("'{drive.bytes}, at least {params.min_bytes}'", "at least {params.min_bytes}");
    assert_eq!(mistakes(&[(PATH, &text)]), [format!("{PATH}:8:10: a message has to be in quotes or a block")]);
}

#[test]
fn not_true_or_false() {
    let found = assertion("'drive.bytes + params.min_bytes'");
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with(&format!("{PATH}:7:9: this has to be true or false, and is ")), "{found:?}");
}

#[test]
fn messages() {
    let message = |written: &str| {
        let text = SIZE.replace("'{drive.bytes}, at least {params.min_bytes}'", written);
        assert_ne!(text, SIZE);
        mistakes(&[(PATH, &text)])
    };
    assert_eq!(message("'{drive.byte}, at least {params.min_bytes}'"), at("8:18"));
    assert_eq!(message("'it''s {drive.byte}'"), at("8:24"));
    assert_eq!(message(">-\n  of {params.min_bytes}\n  are {drive.byte}"), at("10:14"));
}

#[test]
fn values_by_name_see_those_before_them() {
    let of = |lets: &str| mistakes(&[(PATH, &SIZE.replace("assert:", &format!("let:\n{lets}\nassert:")))]);
    assert_eq!(of("  a: 'drive.bytes'\n  b: 'a + 1GB'"), Vec::<String>::new());
    assert_eq!(of("  b: 'a + 1GB'\n  a: 'drive.bytes'"), [format!("{PATH}:8:7: there is no `a`")]);
    // What is wrong is told once.
    assert_eq!(of("  a: 'drive.byte'\n  b: 'a + 1GB'"), at("8:13"));
}
