//! Rules as data: checks, packs, the site file and their cases, from YAML as written to what can be judged by.
//!
//! The only YAML reader of the program. All mistakes of all files are reported in one go, each with file, line and
//! column, before any machine is touched. Does no IO: the caller hands in paths and bytes. Never looks at a machine.

mod diagnostic;
mod scalar;
mod source;
mod tree;
