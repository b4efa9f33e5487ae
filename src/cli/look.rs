//! How the report looks: what was asked for, what the environment says, and what the terminal can do.

use crate::report::terminal::NARROWEST;
use clap::ValueEnum;
use std::io::IsTerminal as _;

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal, unless the environment says otherwise (NO_COLOR, CLICOLOR_FORCE, TERM=dumb).
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Columns where standard output is no terminal.
const WIDTH_OF_FILES: u16 = 80;
/// Widest that is chosen without being asked for: longer lines are hard to read.
const WIDEST: u16 = 120;

/// What the environment says about colour and width.
#[derive(Debug, Default)]
pub(crate) struct Surroundings {
    no_color: bool,
    force_color: bool,
    dumb: bool,
    terminal: bool,
    columns: Option<u16>,
}

impl Surroundings {
    /// Of this process and its standard output.
    pub(crate) fn here() -> Self {
        let terminal = std::io::stdout().is_terminal();
        Self {
            columns: terminal.then(terminal_size::terminal_size).flatten().map(|(width, _)| width.0),
            ..Self::on(terminal)
        }
    }

    /// Of this process and its standard error, for what is told there.
    pub(crate) fn of_stderr() -> Self {
        Self::on(std::io::stderr().is_terminal())
    }

    fn on(terminal: bool) -> Self {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        Self {
            no_color: set("NO_COLOR").is_some(),
            force_color: set("CLICOLOR_FORCE").is_some_and(|value| value != "0"),
            dumb: set("TERM").is_some_and(|value| value == "dumb"),
            terminal,
            columns: None,
        }
    }

    /// NO_COLOR wins over CLICOLOR_FORCE (no-color.org, bixense.com/clicolors), the command line over both.
    pub(crate) fn colour(&self, asked: Colour) -> bool {
        match asked {
            Colour::Always => true,
            Colour::Never => false,
            Colour::Auto => !self.no_color && (self.force_color || (self.terminal && !self.dumb)),
        }
    }

    /// What was asked for, else the terminal's width within bounds.
    pub(crate) fn width(&self, asked: Option<u16>) -> u16 {
        asked.or(self.columns.map(|columns| columns.min(WIDEST))).unwrap_or(WIDTH_OF_FILES).max(NARROWEST)
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that asks the environment")]
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_follows_the_command_line_then_the_environment_then_the_terminal() {
        let here = |no_color, force_color, dumb, terminal| Surroundings {
            no_color,
            force_color,
            dumb,
            terminal,
            columns: None,
        };
        for (surroundings, auto) in [
            (here(false, false, false, true), true),
            (here(false, false, false, false), false),
            (here(false, false, true, true), false),
            (here(false, true, false, false), true),
            (here(false, true, true, true), true),
            (here(true, false, false, true), false),
            (here(true, true, false, true), false),
        ] {
            assert_eq!(surroundings.colour(Colour::Auto), auto, "{surroundings:?}");
            assert!(surroundings.colour(Colour::Always));
            assert!(!surroundings.colour(Colour::Never));
        }
    }

    #[test]
    fn width_is_asked_for_or_the_terminals_within_bounds() {
        let of = |columns| Surroundings { columns, ..Surroundings::default() };
        assert_eq!(of(None).width(None), 80);
        assert_eq!(of(Some(100)).width(None), 100);
        assert_eq!(of(Some(300)).width(None), 120);
        assert_eq!(of(Some(10)).width(None), 40);
        assert_eq!(of(Some(100)).width(Some(200)), 200);
    }
}
