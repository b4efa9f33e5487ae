//! `muster pack schema`: the shapes of rule files, for editors that check while one types.

use super::super::exit::{Exit, Failure};
use super::super::{files, judging};
use crate::rules::diagnostic::{nearest, quoted};
use crate::rules::schema;
use clap::Args;

/// Arguments of `pack schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// What file: cases, check, knowledge, pack or site; without one their names are listed
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Runs it.
pub(crate) fn run(args: SchemaArgs) -> Result<Exit, Failure> {
    let names = || schema::all().into_iter().map(|(name, _)| name);
    let bytes = match &args.name {
        None => names().fold(String::new(), |list, name| list + name + "\n").into_bytes(),
        Some(name) => match schema::named(name) {
            Some(schema) => judging::to_json(&schema)?,
            None => {
                let hint = match nearest(name, names()) {
                    Some(near) => format!("; did you mean `{near}`?"),
                    None => format!("; there are: {}", names().collect::<Vec<_>>().join(", ")),
                };
                return Err(Failure::new(Exit::Usage, format!("there is no schema {}{hint}", quoted(name))));
            }
        },
    };
    files::stdout(&bytes)?;
    Ok(Exit::Ready)
}
