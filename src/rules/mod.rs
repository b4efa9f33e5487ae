//! Rules as data: checks, packs, the site file and their cases, from YAML as written to what can be judged by.
//!
//! The only YAML reader of the program. All mistakes of all files are reported in one go, each with file, line and
//! column, before any machine is touched. Does no IO: the caller hands in paths and bytes. Never looks at a machine.

pub mod builtin;
pub mod cases;
pub mod check;
pub mod diagnostic;
pub mod digest;
pub mod documents;
pub mod effective;
mod expression;
pub mod facts;
pub mod files;
pub mod knowledge;
pub mod layers;
pub mod limit;
mod lint;

pub mod load;
mod nodeset;
pub mod pack;
pub mod raw;
pub mod read;
mod scalar;
pub mod schema;
pub mod site;
pub mod source;
pub mod subject;
pub mod text;
mod tree;
