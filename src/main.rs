//! The `muster` command: parse, call the library, map the outcome to an exit code.

fn main() -> std::process::ExitCode {
    passmuster::cli::run()
}
