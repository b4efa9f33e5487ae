//! The expression language as a whole: against another evaluator, against its own laws, against hostile input.

mod differential;
mod documents;
mod generate;
mod hostile;
mod laws;
mod world;
