//! Arguments as typed, a resolved plan, and the exit code.

/// Runs the command line.
pub fn run() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
