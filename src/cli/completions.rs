//! `muster completions` and `muster man`: what a package of muster installs beside the program.

use super::exit::{Exit, Failure};
use super::{Cli, files};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell that will read the script
    #[arg(value_enum)]
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// Write a page for muster and one for each of its commands into this folder [default: all of them to standard output]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints the script.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "muster", &mut script);
    files::stdout(&script)?;
    Ok(Exit::Ready)
}

/// Prints or writes the pages.
pub(crate) fn man(args: &ManArgs) -> Result<Exit, Failure> {
    let mut root = Cli::command();
    root.build();
    let mut pages = Vec::new();
    collect(&root, &mut pages)
        .map_err(|error| Failure::new(Exit::Internal, format!("cannot write a page: {error}")))?;
    match &args.out {
        Some(folder) => {
            let pages: Vec<(&str, Vec<u8>)> = pages.iter().map(|(name, page)| (name.as_str(), page.clone())).collect();
            files::write_into(folder, &pages)?;
        }
        None => files::stdout(&pages.into_iter().flat_map(|(_, page)| page).collect::<Vec<u8>>())?,
    }
    Ok(Exit::Ready)
}

/// The page of a command, then those of its subcommands: "muster.1", "muster-pack.1", "muster-pack-list.1".
fn collect(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name.to_uppercase()).render(&mut page)?;
    pages.push((format!("{name}.1"), page));
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
        collect(inner, pages)?;
    }
    Ok(())
}
