//! Which file is what: built in, then what is handed in, which adds or replaces.
//!
//! Goes by paths alone; reads nothing.

use crate::rules::diagnostic::{Errors, quoted};
use crate::rules::source::{Source, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Files in one folder that is handed in.
const MAX_FILES: usize = 5_000;

/// Bytes of all files together.
const MAX_TOTAL_BYTES: usize = 32 * 1024 * 1024;

/// A folder of rules that is handed in (`--rules DIR`), as read by the caller.
#[derive(Debug, Clone, Default)]
pub struct Overlay {
    /// How its files are named in messages: the folder as the user wrote it.
    pub root: String,
    /// Paths relative to it, with `/`, and contents.
    pub files: Vec<(String, Vec<u8>)>,
}

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Role {
    /// A check of this id.
    Check(String),
    /// A pack of this name, in this folder of `rules`.
    Pack(String, Folder),
    /// What the field knows.
    Knowledge,
    /// Workloads of probes, read there.
    Workload,
    /// Cases of the check of this id.
    Cases(String),
}

/// Where a pack lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    Rules,
    Solutions,
    Platforms,
}

/// One file that counts.
#[derive(Debug)]
pub(crate) struct File<'a> {
    /// For messages.
    pub(crate) shown: String,
    pub(crate) bytes: &'a [u8],
    pub(crate) role: Role,
    pub(crate) handed_in: bool,
}

/// All files that count, by path. Second: the built-in ones that something else was put in the place of.
pub(crate) fn merge<'a>(
    builtin: &'a [(&'a str, &'a str)],
    overlays: &'a [Overlay],
    errors: &mut Errors,
) -> (BTreeMap<&'a str, File<'a>>, Vec<String>) {
    let mut files: BTreeMap<&str, File<'_>> = BTreeMap::new();
    let mut replaced = Vec::new();
    for (path, text) in builtin {
        if let Some(role) = role(path, path, errors) {
            let file = File { shown: (*path).to_owned(), bytes: text.as_bytes(), role, handed_in: false };
            files.insert(path, file);
        }
    }
    let mut total = 0_usize;
    for overlay in overlays {
        let count = overlay.files.len();
        if count > MAX_FILES {
            refuse(&overlay.root, &format!("{count} files; at most {MAX_FILES} are read"), errors);
            continue;
        }
        total = overlay.files.iter().fold(total, |sum, (_, bytes)| sum.saturating_add(bytes.len()));
        if total > MAX_TOTAL_BYTES {
            let message = format!("the files have {total} bytes together; at most {MAX_TOTAL_BYTES} are read");
            refuse(&overlay.root, &message, errors);
            continue;
        }
        for (path, bytes) in &overlay.files {
            let shown = shown(&overlay.root, path);
            let Some(role) = role(path, &shown, errors) else {
                continue;
            };
            let file = File { shown, bytes, role, handed_in: true };
            if let Some(earlier) = files.insert(path, file)
                && earlier.bytes != *bytes
                && !earlier.handed_in
            {
                replaced.push(path.clone());
            }
        }
    }
    replaced.sort();
    replaced.dedup();
    (files, replaced)
}

/// A path as it is shown: within its folder.
pub(crate) fn shown(root: &str, path: &str) -> String {
    match root.trim_end_matches('/') {
        "" => path.to_owned(),
        root => format!("{root}/{path}"),
    }
}

fn refuse(path: &str, message: &str, errors: &mut Errors) {
    errors.at(&Arc::new(Source::new(path, "")), Span::empty(0), message);
}

/// What a file is by its path; `None` if it is no file of rules.
fn role(path: &str, shown: &str, errors: &mut Errors) -> Option<Role> {
    let Some(stem) = path.strip_suffix(".yaml") else {
        if path.ends_with(".yml") {
            refuse(shown, "files of rules end in `.yaml`", errors);
        }
        return None;
    };
    let parts: Vec<&str> = stem.split('/').collect();
    let role = match parts.as_slice() {
        ["checks", rest @ ..] if !rest.is_empty() => Role::Check(rest.join(".")),
        ["fixtures", "checks", id] => Role::Cases((*id).to_owned()),
        ["rules", "solutions", name] => Role::Pack((*name).to_owned(), Folder::Solutions),
        ["rules", "platforms", name] => Role::Pack((*name).to_owned(), Folder::Platforms),
        ["rules", "knowledge", _] => Role::Knowledge,
        ["rules", "workloads", _] => Role::Workload,
        ["rules", name] => Role::Pack((*name).to_owned(), Folder::Rules),
        _ => {
            let message = format!(
                "{} is in no place for rules: checks/<subject>/<property>.yaml, rules/base.yaml, \
                 rules/solutions/<name>.yaml, rules/platforms/<name>.yaml, rules/knowledge/<name>.yaml, \
                 fixtures/checks/<id>.yaml",
                quoted(path)
            );
            refuse(shown, &message, errors);
            return None;
        }
    };
    Some(role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_what_a_file_is() {
        let mut errors = Errors::default();
        for (path, expected) in [
            ("checks/media/cache-capacity-ratio.yaml", Some(Role::Check("media.cache-capacity-ratio".to_owned()))),
            ("rules/base.yaml", Some(Role::Pack("base".to_owned(), Folder::Rules))),
            ("rules/solutions/s2d.yaml", Some(Role::Pack("s2d".to_owned(), Folder::Solutions))),
            ("rules/platforms/x.yaml", Some(Role::Pack("x".to_owned(), Folder::Platforms))),
            ("fixtures/checks/a.b.yaml", Some(Role::Cases("a.b".to_owned()))),
            ("README.md", None),
        ] {
            assert_eq!(role(path, path, &mut errors), expected, "{path}");
        }
        assert!(!errors.has_errors());
        assert_eq!(role("x.yaml", "DIR/x.yaml", &mut errors), None);
        assert_eq!(role("checks/a/b.yml", "DIR/checks/a/b.yml", &mut errors), None);
        let found = errors.into_sorted();
        assert_eq!(found[0].to_string(), "DIR/checks/a/b.yml:1:1: files of rules end in `.yaml`");
        assert!(found[1].to_string().starts_with("DIR/x.yaml:1:1: `x.yaml` is in no place for rules: "));
    }

    #[test]
    fn what_is_handed_in_adds_or_replaces() {
        let builtin = [("rules/base.yaml", "a"), ("checks/a/b.yaml", "b")];
        let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let overlays = [Overlay {
            root: "mine/".to_owned(),
            files: vec![file("rules/base.yaml", "x"), file("checks/a/b.yaml", "b"), file("checks/a/c.yaml", "c")],
        }];
        let mut errors = Errors::default();
        let (files, replaced) = merge(&builtin, &overlays, &mut errors);
        assert!(!errors.has_errors());
        assert_eq!(replaced, ["rules/base.yaml"], "the same content replaces nothing");
        let shown: Vec<&str> = files.values().map(|file| file.shown.as_str()).collect();
        assert_eq!(shown, ["mine/checks/a/b.yaml", "mine/checks/a/c.yaml", "mine/rules/base.yaml"]);
    }

    #[test]
    fn too_much_is_refused() {
        let overlays = [
            Overlay { root: "many".to_owned(), files: vec![(String::new(), Vec::new()); MAX_FILES + 1] },
            Overlay {
                root: "large".to_owned(),
                files: vec![("rules/x.yaml".to_owned(), vec![0; MAX_TOTAL_BYTES + 1])],
            },
        ];
        let mut errors = Errors::default();
        let (files, _) = merge(&[], &overlays, &mut errors);
        assert!(files.is_empty());
        let found: Vec<String> = errors.into_sorted().iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "large:1:1: the files have 33554433 bytes together; at most 33554432 are read",
                "many:1:1: 5001 files; at most 5000 are read",
            ]
        );
    }
}
