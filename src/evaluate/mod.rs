//! From checks and an inventory to findings: pure, without IO and clock, and it cannot fail.

pub mod finding;
