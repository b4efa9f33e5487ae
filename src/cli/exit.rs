//! How a command ends: the exit code, and what goes with it to standard error.

use crate::evaluate::finding::Overall;
use clap::ValueEnum;

/// The exit codes, as `--help` explains them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Ready; or the command did what it was asked to.
    Ready,
    /// Ready with warnings.
    Warnings,
    /// Not ready.
    NotReady,
    /// Undetermined.
    Undetermined,
    /// Wrong use (EX_USAGE of sysexits.h).
    Usage,
    /// An input cannot be used (EX_DATAERR).
    BadInput,
    /// A mistake in muster (EX_SOFTWARE).
    Internal,
    /// An output could not be written (EX_IOERR).
    CannotWrite,
    /// Interrupted, as a shell reports a process that SIGINT ended.
    Interrupted,
    /// Whoever read standard output went away, as a shell reports a process that SIGPIPE ended.
    ClosedPipe,
}

impl Exit {
    /// The number.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Ready => 0,
            Self::Warnings => 1,
            Self::NotReady => 2,
            Self::Undetermined => 3,
            Self::Usage => 64,
            Self::BadInput => 65,
            Self::Internal => 70,
            Self::CannotWrite => 74,
            Self::Interrupted => 130,
            Self::ClosedPipe => 141,
        }
    }

    /// The exit of a run with this verdict.
    pub(crate) fn of(overall: Overall, fail_on: Option<FailOn>) -> Self {
        match (overall, fail_on) {
            (Overall::NotReady, _) => Self::NotReady,
            (Overall::Undetermined, Some(FailOn::Fail)) => Self::Ready,
            (Overall::Undetermined, _) => Self::Undetermined,
            (Overall::ReadyWithWarnings, Some(FailOn::Fail | FailOn::Unknown)) => Self::Ready,
            (Overall::ReadyWithWarnings, _) => Self::Warnings,
            (Overall::Ready, _) => Self::Ready,
        }
    }
}

/// The mildest outcome that still gives an exit code other than 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A requirement is not met.
    Fail,
    /// A requirement could not be judged.
    Unknown,
    /// A recommendation is not met, as without this option.
    Warn,
}

/// The table for `--help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
    0  ready
    1  ready with warnings: a recommendation is not met, or could not be judged
    2  not ready: a requirement is not met
    3  undetermined: a requirement could not be judged
   64  wrong use of the command line
   65  an input cannot be used
   70  internal error
   74  the output could not be written
  130  interrupted
  141  whoever read the output went away (muster check | head -1)";

/// The table of commands that give no verdict.
pub(crate) const PLAIN_CODES: &str = "\
Exit codes:
    0  done
   64  wrong use of the command line
   65  an input cannot be used
   70  internal error
   74  the output could not be written
  130  interrupted
  141  whoever read the output went away";

/// Why a command could not do what it was asked to: an exit code, and a line for each thing that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) exit: Exit,
    /// For standard error; empty if there is nothing to say.
    pub(crate) lines: Vec<String>,
}

impl Failure {
    /// One thing is wrong.
    pub(crate) fn new(exit: Exit, line: impl Into<String>) -> Self {
        Self { exit, lines: vec![line.into()] }
    }

    /// Nobody is there to be told.
    pub(crate) fn silent(exit: Exit) -> Self {
        Self { exit, lines: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fail_on_makes_the_milder_verdicts_zero() {
        use Overall::{NotReady, Ready, ReadyWithWarnings, Undetermined};
        let codes = |fail_on| [Ready, ReadyWithWarnings, NotReady, Undetermined].map(|o| Exit::of(o, fail_on).code());
        assert_eq!(codes(None), [0, 1, 2, 3]);
        assert_eq!(codes(Some(FailOn::Warn)), [0, 1, 2, 3]);
        assert_eq!(codes(Some(FailOn::Unknown)), [0, 0, 2, 3]);
        assert_eq!(codes(Some(FailOn::Fail)), [0, 0, 2, 0]);
    }

    #[test]
    fn the_help_names_every_code() {
        for exit in [
            Exit::Ready,
            Exit::Warnings,
            Exit::NotReady,
            Exit::Undetermined,
            Exit::Usage,
            Exit::BadInput,
            Exit::Internal,
            Exit::CannotWrite,
            Exit::Interrupted,
            Exit::ClosedPipe,
        ] {
            let code = exit.code();
            assert!(EXIT_CODES.lines().any(|line| line.trim_start().starts_with(&format!("{code}  "))), "{code}");
        }
    }
}
