//! Integration tests: one binary, a file a subject.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unreachable,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

mod architecture;
mod binary;
mod cases;
mod cli;
mod completions;
mod docs;
mod enrich;
mod evaluate;
mod explain;
mod expr;
mod host;
mod html;
mod laws;
mod live;
mod mutation;
mod ocptv;
mod pack;
mod release_binary;
mod report;
mod rules;
mod schemas;
