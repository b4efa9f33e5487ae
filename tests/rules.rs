//! The loader of rules: mistakes at their place, layers, hostile packs, the site file, cases, schemas.

mod builtin;
mod cases;
mod expressions;
mod hostile;
mod layers;
mod mistakes;
mod schema;
mod site;

use passmuster::rules::files::Overlay;
use passmuster::rules::load::RuleSet;

/// A check that is right: `media.size`.
pub const SIZE: &str = "\
id: media.size
title: Drives are large enough
level: should
for: drive
params:
  min_bytes: { type: bytes, default: 480GB, stricter: higher, doc: smallest drive }
assert: 'drive.bytes >= params.min_bytes'
message: '{drive.bytes}, at least {params.min_bytes}'
why: Small drives waste slots.
fix: Use larger drives.
sources: [{ title: Own reasoning }]
";

/// A check with an upper bound and one without direction: `node.swap`.
pub const SWAP: &str = "\
id: node.swap
title: Little swap space
level: must
for: node
params:
  max_bytes: { type: bytes, default: 8GB, stricter: lower, doc: swap space }
  governor: { type: text, default: performance, stricter: none, doc: frequency governor }
assert: 'node.os.swap <= params.max_bytes && node.cpu.governors.all(g, g == params.governor)'
message: '{node.os.swap} of swap, at most {params.max_bytes}, governor {params.governor}'
why: Swapping stalls.
fix: Use less.
sources: [{ title: Own reasoning }]
";

/// A pack with what stands after its name.
pub fn pack(name: &str, rest: &str) -> String {
    format!("pack: {name}\ntitle: {name}\nversion: 1.0.0\n{rest}")
}

pub fn overlay(files: &[(&str, &str)]) -> Overlay {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    Overlay { root: String::new(), files }
}

/// The rules, or the mistakes one a line.
pub fn load(files: &[(&str, &str)]) -> Result<RuleSet, Vec<String>> {
    RuleSet::load(&[], &[overlay(files)]).map_err(|errors| errors.iter().map(ToString::to_string).collect())
}

/// The mistakes of files that are wrong.
pub fn mistakes(files: &[(&str, &str)]) -> Vec<String> {
    load(files).err().unwrap_or_default()
}
