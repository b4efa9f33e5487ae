//! The "may not" list of docs/architecture.md, held by reading the sources.
//!
//! clippy.toml bans the same things, but it misses what is not listed and yields to an `allow`.

use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use syn::visit::Visit;

/// Modules that may do IO, by the folder or file they are.
const MAY_DO_IO: &[&str] = &["src/host/live.rs", "src/host/disk.rs", "src/host/tool.rs", "src/cli/files.rs"];
/// Files that may hold `unsafe`.
const MAY_BE_UNSAFE: &[&str] = &["src/host/ioctl.rs"];
/// What everything may name beside itself.
const COMMON: &[&str] = &["reading", "record", "units", "words"];
/// Which module may name which other (`crate::x`): only one above it, so that there is no circle.
const MAY_NAME: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("reading", &[]),
    ("record", &[]),
    ("words", &[]),
    ("verdict", &[]),
    ("host", &[]),
    ("inventory", &[]),
    ("collect", &["host", "inventory"]),
    ("view", &[]),
    ("expr", &["view"]),
    ("rules", &["expr", "inventory", "verdict", "view"]),
    ("enrich", &["rules", "view"]),
    ("roles", &["expr", "rules", "view"]),
    ("evaluate", &["enrich", "expr", "inventory", "roles", "rules", "verdict", "view"]),
    ("report", &["evaluate", "inventory"]),
];
/// Names of the standard library that touch a machine, the clock or the environment.
const IO_PATHS: &[&str] = &[
    "std::fs",
    "std::net",
    "std::process::Command",
    "std::process::exit",
    "std::process::abort",
    "std::env",
    "std::time::SystemTime",
    "std::time::Instant",
    "std::os::unix::net",
    "libc",
    "rustix",
    "Timestamp::now",
    "Zoned::now",
];
/// Exceptions, each with the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("src/cli/", "std::env", "the command line's environment: NO_COLOR and the terminal"),
    ("src/cli/", "std::process::exit", "130 after an interrupt"),
    ("src/cli/", "libc", "signals"),
    ("src/cli/", "rustix", "signals and the terminal"),
    ("src/host/", "std::time::Instant", "time limits of calls"),
    ("src/host/", "libc", "ioctl structures and constants"),
    ("src/host/", "rustix", "system calls"),
];

fn sources() -> Vec<(String, String)> {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, files);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    walk(&root.join("src"), &mut files);
    files.sort();
    assert!(files.len() > 10, "the sources were not found");
    files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// Every path of a file as written, outside `#[cfg(test)]`, with the line; `use` trees are spelled out.
struct Paths {
    found: Vec<(String, usize)>,
    allows: usize,
    unsafe_blocks: usize,
    prints: Vec<(String, usize)>,
}

impl Paths {
    fn of(source: &str) -> Self {
        let file = syn::parse_file(source).unwrap();
        let mut paths = Self { found: Vec::new(), allows: 0, unsafe_blocks: 0, prints: Vec::new() };
        paths.visit_file(&file);
        paths
    }

    fn use_tree(&mut self, prefix: &str, tree: &syn::UseTree) {
        let join = |name: &dyn std::fmt::Display| {
            if prefix.is_empty() { name.to_string() } else { format!("{prefix}::{name}") }
        };
        match tree {
            syn::UseTree::Path(path) => self.use_tree(&join(&path.ident), &path.tree),
            syn::UseTree::Name(name) => self.found.push((join(&name.ident), name.ident.span().start().line)),
            syn::UseTree::Rename(name) => self.found.push((join(&name.ident), name.ident.span().start().line)),
            syn::UseTree::Glob(glob) => {
                self.found.push((join(&"*"), glob.star_token.spans[0].start().line));
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.use_tree(prefix, tree)),
        }
    }

    /// Paths in macro arguments are only tokens to the parser.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = String::new();
        let mut line = 0;
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) => {
                    if !path.is_empty() && !path.ends_with("::") {
                        self.found.push((std::mem::take(&mut path), line));
                    }
                    line = ident.span().start().line;
                    path.push_str(&ident.to_string());
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => path.push(':'),
                other => {
                    if !path.is_empty() {
                        self.found.push((std::mem::take(&mut path), line));
                    }
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        if !path.is_empty() {
            self.found.push((path, line));
        }
    }
}

fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test_only(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !is_test_only(&item.attrs) {
            self.use_tree("", &item.tree);
        }
    }
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let name = path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>().join("::");
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.found.push((name, line));
        syn::visit::visit_path(self, path);
    }
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if attribute.path().is_ident("allow") {
            self.allows += 1;
        }
        if let syn::Meta::List(list) = &attribute.meta {
            self.tokens(list.tokens.clone());
        }
    }
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let name = call.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
        if ["print", "println", "eprint", "eprintln", "dbg"].contains(&name.as_str()) {
            self.prints.push((name, call.path.segments[0].ident.span().start().line));
        }
        self.tokens(call.tokens.clone());
        syn::visit::visit_macro(self, call);
    }
    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.unsafe_blocks += 1;
        syn::visit::visit_expr_unsafe(self, block);
    }
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test_only(&item.attrs) {
            syn::visit::visit_item_fn(self, item);
        }
    }
}

fn touches(path: &str, banned: &str) -> bool {
    path == banned || path.starts_with(&format!("{banned}::")) || (banned.contains("::now") && path.ends_with(banned))
}

fn io_violations(name: &str, source: &str) -> Vec<String> {
    if MAY_DO_IO.iter().any(|allowed| name.starts_with(allowed)) {
        return Vec::new();
    }
    let paths = Paths::of(source);
    // `use std::{fs, env}` and then `fs::read` or `env::var` are caught at the `use`.
    let mut violations: Vec<String> = Vec::new();
    for (path, line) in &paths.found {
        for banned in IO_PATHS.iter().filter(|banned| touches(path, banned)) {
            let excepted = EXCEPTIONS.iter().any(|(file, what, _)| name.starts_with(file) && what == banned);
            if !excepted {
                violations.push(format!("{name}:{line}: {path}"));
            }
        }
    }
    violations
}

#[test]
fn io_happens_behind_the_one_door_and_in_cli_files() {
    let violations: Vec<String> = sources().iter().flat_map(|(name, source)| io_violations(name, source)).collect();
    assert!(violations.is_empty(), "IO outside the allow-list:\n{}", violations.join("\n"));
}

#[test]
fn the_io_test_sees_every_way_to_write_it() {
    for source in [
        "fn f() { std::fs::read(\"x\"); }",
        "use std::fs; fn f() { fs::read(\"x\"); }",
        "use std::{env, fmt}; fn f() {}",
        "use std::fs::{self, File as F};",
        "fn f() { let x = format!(\"{:?}\", std::env::var(\"X\")); }",
        "fn f() { let t = jiff::Timestamp::now(); }",
        "use std::process::Command as C;",
        "fn f() { libc::getpid(); }",
    ] {
        assert!(!io_violations("src/collect/x.rs", source).is_empty(), "not seen: {source}");
    }
    assert!(io_violations("src/collect/x.rs", "#[cfg(test)] mod tests { use std::fs; }").is_empty());
}

#[test]
fn modules_name_only_those_below_them() {
    let rules: BTreeMap<&str, &[&str]> = MAY_NAME.iter().copied().collect();
    let modules: BTreeSet<&str> = rules.keys().copied().chain(["cli"]).collect();
    let mut violations = Vec::new();
    for (name, source) in sources() {
        let module = name.trim_start_matches("src/").split(['/', '.']).next().unwrap().to_owned();
        let Some(allowed) = rules.get(module.as_str()) else { continue };
        for (path, line) in Paths::of(&source).found {
            let mut segments = path.split("::");
            let (Some("crate"), Some(target)) = (segments.next(), segments.next()) else { continue };
            let common = COMMON.contains(&target) || target == module;
            if modules.contains(target) && !common && !allowed.contains(&target) {
                violations.push(format!("{name}:{line}: {module} names {target}"));
            }
        }
    }
    assert!(violations.is_empty(), "a module names one that it may not know:\n{}", violations.join("\n"));
}

#[test]
fn no_module_names_one_below_itself() {
    let mut above: BTreeSet<&str> = COMMON.iter().copied().collect();
    for (module, allowed) in MAY_NAME {
        let circles: Vec<&&str> = allowed.iter().filter(|target| !above.contains(*target)).collect();
        assert!(circles.is_empty(), "{module} may name {circles:?}, which is not above it in the list");
        above.insert(module);
    }
    // The list is whole: what it does not name, it does not hold.
    let modules: BTreeSet<String> = sources()
        .iter()
        .map(|(name, _)| name.trim_start_matches("src/").split(['/', '.']).next().unwrap().to_owned())
        .collect();
    let unnamed: Vec<&String> = modules
        .iter()
        .filter(|module| !above.contains(module.as_str()) && !["cli", "lib", "main"].contains(&module.as_str()))
        .collect();
    assert!(unnamed.is_empty(), "modules without a line in MAY_NAME: {unnamed:?}");
}

#[test]
fn unsafe_and_printing_stay_where_they_belong() {
    let mut violations = Vec::new();
    let mut allows = Vec::new();
    for (name, source) in sources() {
        let paths = Paths::of(&source);
        if paths.unsafe_blocks > 0 && !MAY_BE_UNSAFE.iter().any(|allowed| name.starts_with(allowed)) {
            violations.push(format!("{name}: unsafe"));
        }
        for (what, line) in paths.prints {
            if !name.starts_with("src/cli/") && name != "src/main.rs" {
                violations.push(format!("{name}:{line}: {what}!"));
            }
        }
        if paths.allows > 0 {
            allows.push(format!("{name}: {}", paths.allows));
        }
    }
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    // An `allow` hides what a lint holds: `expect` with a reason is the way, and it goes when it is not needed.
    assert!(allows.is_empty(), "allow attributes: {}", allows.join(", "));
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<String> =
        sources().into_iter().filter(|(_, source)| !source.starts_with("//!")).map(|(name, _)| name).collect();
    assert!(silent.is_empty(), "no //! at the top: {silent:?}");
}
