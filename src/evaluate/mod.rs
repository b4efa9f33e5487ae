//! From checks and inventories to findings: pure, without IO and clock, and it cannot fail.

mod catalogue;
mod check;
mod facts;
pub mod finding;
mod run;
mod truth;

pub use run::{Certifying, Counts, NodeSummary, PackUsed, Remain, Run, Settings, judge, named};
