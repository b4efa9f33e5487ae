//! Progress on standard error, if that is a terminal.

use super::files;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

static DRAWN: AtomicBool = AtomicBool::new(false);

/// A spinner with what is being read; nothing where nobody looks.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    /// Starts.
    pub(crate) fn start() -> Self {
        if !std::io::stderr().is_terminal() {
            return Self(None);
        }
        DRAWN.store(true, Ordering::Relaxed);
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} reading {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(Some(bar))
    }

    /// Says what is being read.
    pub(crate) fn section(&self, name: &str) {
        if let Some(bar) = &self.0 {
            bar.set_message(name.to_owned());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
            DRAWN.store(false, Ordering::Relaxed);
        }
    }
}

/// Takes a spinner off the screen in the midst of things.
pub(crate) fn erase() {
    if DRAWN.load(Ordering::Relaxed) {
        files::stderr("\r\x1b[K");
    }
}
