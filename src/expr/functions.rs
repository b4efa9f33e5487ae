//! The fixed list of functions: names, what they take and give, and what they make of values that are not told.
//!
//! `docs/expressions.md` shows this table; [`super::calls`] holds their types, [`super::eval`] what they do.

use super::version::Scheme;
use std::fmt::Write as _;

/// A function of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Has,
    All,
    Exists,
    ExistsOne,
    Filter,
    Map,
    Count,
    GroupBy,
    CountBy,
    Size,
    Sum,
    Min,
    Max,
    Median,
    Mean,
    Distinct,
    Sort,
    Join,
    Counted,
    StartsWith,
    EndsWith,
    Contains,
    Matches,
    LowerAscii,
    UpperAscii,
    Trim,
    VersionCompare,
    VersionAtLeast,
    Abs,
    Round,
    Floor,
    Ceil,
    Int,
    Double,
    String,
    BitsPerSecond,
    BytesPerSecond,
}

/// What the documents say of a function.
pub(crate) struct Described {
    pub(crate) function: Function,
    pub(crate) name: &'static str,
    /// How it is written and what it gives.
    pub(crate) forms: &'static [&'static str],
    pub(crate) doc: &'static str,
    /// What it makes of what is unknown or absent, beyond the general rule.
    pub(crate) untold: &'static str,
}

/// The general rule: unknown if anything it takes is unknown, else absent if anything is absent.
const STRICT: &str = "";
/// The general rule for functions over all elements of a list.
const EVERY: &str = "unknown if an element is unknown or may be missing, else absent if an element is absent";

macro_rules! functions {
    ($($function:ident $name:literal [$($form:literal),+] $doc:literal, $untold:expr;)*) => {
        /// Every function, in the order of the documents.
        pub(crate) const FUNCTIONS: &[Described] = &[
            $(Described {
                function: Function::$function, name: $name, forms: &[$($form),+], doc: $doc, untold: $untold,
            }),*
        ];
    };
}

functions! {
    Has "has" ["has(x.y)"] "Whether the machine has it: false if absent. Takes a name, a member or a position.", "unknown if unknown, never false";
    All "all" ["list.all(x, test)"] "Whether the test holds for every element; true for none.", "false if one is false; else unknown if one is unknown or may be missing; else absent if one is absent";
    Exists "exists" ["list.exists(x, test)"] "Whether the test holds for an element.", "true if one is true; else unknown if one is unknown or may be missing; else absent if one is absent";
    ExistsOne "exists_one" ["list.exists_one(x, test)"] "Whether the test holds for exactly one element.", "false if two are true; else as `exists`";
    Filter "filter" ["list.filter(x, test)"] "The elements for which the test holds.", "where the test is unknown or absent the element is left out and the list may lack elements";
    Map "map" ["list.map(x, value)", "list.map(x, test, value)"] "What is made of each element; with a test, of those for which it holds.", "elements may be unknown or absent; a test as in `filter`";
    Count "count" ["list.count(x, test) -> whole number"] "How many elements the test holds for.", "unknown if the test is unknown for one or one may be missing, else absent if it is absent for one";
    GroupBy "group_by" ["list.group_by(x, key)"] "Groups of elements with equal keys, by key: each has `key` and `items`.", "where the key is unknown or absent the element is left out, and the list and every group may lack elements";
    CountBy "count_by" ["list.count_by(x, key)"] "How often each key occurs, by key: each has `key` and `count`.", "as `group_by`; counts are then unknown or absent";
    Size "size" ["size(list) -> whole number", "size(text) -> whole number"] "How many elements, or Unicode characters.", "unknown if elements may be missing; elements themselves may be unknown";
    Sum "sum" ["sum(list of numbers) -> number"] "All together; 0 for none.", EVERY;
    Min "min" ["min(list of numbers) -> number", "min(a, b, ...) -> number"] "The smallest.", "as `sum`; unknown for an empty list";
    Max "max" ["max(list of numbers) -> number", "max(a, b, ...) -> number"] "The largest.", "as `sum`; unknown for an empty list";
    Median "median" ["median(list of numbers) -> number"] "The middle one, or the mean of the two in the middle.", "as `sum`; unknown for an empty list";
    Mean "mean" ["mean(list of numbers) -> number"] "The arithmetic mean.", "as `sum`; unknown for an empty list";
    Distinct "distinct" ["distinct(list)"] "Each value once, where it first stood.", "unknown and absent elements are left out, and the list may lack elements";
    Sort "sort" ["sort(list)"] "In ascending order: numbers by value, text by its code points.", "as `distinct`";
    Join "join" ["join(list of texts, separator) -> text"] "One after the other, with the separator between.", EVERY;
    Counted "counted" ["counted(whole number, thing) -> text"] "So many things, with the plural by an s: \"1 node\", \"2 nodes\".", STRICT;
    StartsWith "startsWith" ["text.startsWith(prefix) -> bool"] "Whether the text begins so.", STRICT;
    EndsWith "endsWith" ["text.endsWith(suffix) -> bool"] "Whether the text ends so.", STRICT;
    Contains "contains" ["text.contains(part) -> bool"] "Whether the part is somewhere in the text.", STRICT;
    Matches "matches" ["text.matches(\"regex\") -> bool"] "Whether the regular expression, a literal, matches some part of the text. Syntax of the crate `regex`: as RE2, without look-around and back-references.", STRICT;
    LowerAscii "lowerAscii" ["text.lowerAscii() -> text"] "A to Z in lower case.", STRICT;
    UpperAscii "upperAscii" ["text.upperAscii() -> text"] "a to z in upper case.", STRICT;
    Trim "trim" ["text.trim() -> text"] "Without white space at both ends.", STRICT;
    VersionCompare "version_compare" ["version_compare(a, b, \"scheme\") -> whole number"] "-1, 0 or 1 if version a is earlier than b, equal, or later.", "unknown if the scheme cannot tell";
    VersionAtLeast "version_at_least" ["version_at_least(a, b, \"scheme\") -> bool"] "Whether version a is b or later.", "unknown if the scheme cannot tell";
    Abs "abs" ["abs(number) -> number"] "Without its sign.", STRICT;
    Round "round" ["round(number) -> number"] "The nearest whole number, halves away from zero. Of a quantity: in its base unit.", STRICT;
    Floor "floor" ["floor(number) -> number"] "The next whole number below.", STRICT;
    Ceil "ceil" ["ceil(number) -> number"] "The next whole number above.", STRICT;
    Int "int" ["int(number) -> whole number", "int(text) -> whole number"] "Without fraction and unit: the number of base units, towards zero; of text, the decimal number that it is.", "unknown for a text that is no number";
    Double "double" ["double(number) -> number", "double(text) -> number"] "Without its unit: the number of base units; of text, the decimal number that it is.", "unknown for a text that is no number";
    String "string" ["string(x) -> text"] "As text: numbers without a unit in the shortest form, quantities as in messages.", STRICT;
    BitsPerSecond "bits_per_second" ["bits_per_second(throughput) -> link rate"] "Bytes per second as bits per second.", STRICT;
    BytesPerSecond "bytes_per_second" ["bytes_per_second(link rate) -> throughput"] "Bits per second as bytes per second.", STRICT;
}

impl Function {
    pub(crate) fn of(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|described| described.name == name).map(|described| described.function)
    }

    pub(crate) fn described(self) -> Option<&'static Described> {
        FUNCTIONS.iter().find(|described| described.function == self)
    }

    pub(crate) fn name(self) -> &'static str {
        self.described().map_or("", |described| described.name)
    }
}

/// The functions and the version schemes as tables in Markdown, for `docs/expressions.md`.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from("| function | what it gives | of what is not told |\n|---|---|---|\n");
    for described in FUNCTIONS {
        let forms: Vec<String> = described.forms.iter().map(|form| format!("`{form}`")).collect();
        let _ = writeln!(out, "| {} | {} | {} |", forms.join("<br>"), described.doc, described.untold);
    }
    out.push_str("\n| version scheme | order |\n|---|---|\n");
    for (_, name, doc) in Scheme::ALL {
        let _ = writeln!(out, "| `{name}` | {doc} |");
    }
    out
}

/// The units of quantities as a table in Markdown, for `docs/expressions.md`.
#[must_use]
pub fn units_markdown() -> String {
    let mut out = String::from("| measures | units |\n|---|---|\n");
    let mut rows: Vec<(crate::units::Dimension, Vec<String>)> = Vec::new();
    for (name, dimension) in super::literal::units() {
        match rows.iter_mut().find(|(known, _)| *known == dimension) {
            Some((_, names)) => names.push(format!("`{name}`")),
            None => rows.push((dimension, vec![format!("`{name}`")])),
        }
    }
    for (dimension, names) in rows {
        let _ = writeln!(out, "| {} | {} |", super::types::measured(dimension), names.join(" "));
    }
    out
}
