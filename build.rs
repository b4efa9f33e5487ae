//! Lists the rules and their cases into a table of `include_str!`, so that the binary carries them.
#![expect(clippy::disallowed_methods, reason = "a build script reads the package's folders")]

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = PathBuf::from(std::env::var("CARGO_MANIFEST_DIR")?);
    let mut table = String::new();
    for (name, doc, folders) in [
        ("RULES", "Checks, packs and knowledge, by path.", ["checks", "rules"].as_slice()),
        ("CASES", "Cases of the checks, by path.", ["fixtures/checks"].as_slice()),
    ] {
        let mut files = Vec::new();
        for folder in folders {
            println!("cargo::rerun-if-changed={folder}");
            list(&root, folder, &mut files)?;
        }
        files.sort();
        writeln!(table, "/// {doc}\npub static {name}: &[(&str, &str)] = &[")?;
        for path in files {
            let file = root.join(&path);
            writeln!(table, "    ({path:?}, include_str!({file:?})),")?;
        }
        writeln!(table, "];")?;
    }
    std::fs::write(PathBuf::from(std::env::var("OUT_DIR")?).join("builtin.rs"), table)?;
    Ok(())
}

/// Paths of all YAML files of a folder, relative to the package, with `/`. A folder that is not there has none.
fn list(root: &Path, folder: &str, files: &mut Vec<String>) -> io::Result<()> {
    let entries = match std::fs::read_dir(root.join(folder)) {
        Ok(entries) => entries,
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(other) => return Err(other),
    };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|name| io::Error::other(format!("odd name {name:?}")))?;
        let path = format!("{folder}/{name}");
        if entry.file_type()?.is_dir() {
            list(root, &path, files)?;
        } else if name.ends_with(".yaml") {
            files.push(path);
        }
    }
    Ok(())
}
