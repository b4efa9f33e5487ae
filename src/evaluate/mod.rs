//! From checks and inventories to findings: pure, without IO and clock, and it cannot fail.

mod case;
mod certify;
mod compare;
pub mod finding;
mod judging;
mod node;
mod own;
mod run;
mod subject;
mod tally;
mod telling;

pub use case::{CaseOutcome, CaseReport, Mismatch, What, run_case, run_cases};
pub use judging::Detail;
pub use run::{Certifying, Fleet, JudgeError, NodeSummary, PackUsed, Remain, Run, Settings, judge};
pub use subject::{kind_of, name_of};
pub use tally::{Counts, Tally};
