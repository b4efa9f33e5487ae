//! The files of `checks/`, `rules/` and `fixtures/checks/` as they were when the program was built.

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));
