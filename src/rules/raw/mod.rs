//! The formats as written: every key of a check, a pack, a site file, a knowledge file and a case file.
//!
//! Says which keys there are, what they mean and how each value is written. Does not say whether a value makes sense
//! beside others: that is for compiling. The JSON Schemas in `docs/schema` are generated from here.

pub mod case;
pub mod check;
pub mod knowledge;
pub mod pack;
pub mod site;
