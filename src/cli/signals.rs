//! Interrupts: what is half written is removed, and the process ends with 130.

use super::exit::Exit;
use super::{files, progress};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// Watches for SIGINT and SIGTERM from now on. Without the watch the kernel's default ends the process as well, only
/// less tidily: so a failure to install it is no reason to stop.
pub(crate) fn watch() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            let _nothing_new_begins = files::abandon();
            progress::erase();
            end();
        }
    });
}

#[expect(clippy::exit, clippy::disallowed_methods, reason = "no other way out of a call that may hang in the kernel")]
fn end() {
    std::process::exit(i32::from(Exit::Interrupted.code()));
}
