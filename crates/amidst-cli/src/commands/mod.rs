//! One file for each command, with its arguments.

pub mod anonymize;
pub mod attack;
pub mod audit;
pub mod bound;
pub mod compare;
pub mod demo;
pub mod explain;
pub mod init;
pub mod key;
pub mod list;
pub mod measure;
pub mod risk;

use amidst::report::SCHEMAS;
use clap::CommandFactory;

use crate::args::Cli;
use crate::{Stop, print, print_json};

/// Prints what the JSON form of a command's result looks like.
pub fn schema(command: &str) -> Result<(), Stop> {
    let known = SCHEMAS.iter().find(|(name, _)| *name == command);
    known.map_or(Ok(()), |(_, schema)| print_json(&schema()))
}

/// Prints a completion script.
pub fn completions(shell: clap_complete::Shell) -> Result<(), Stop> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "amidst", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page.
pub fn man() -> Result<(), Stop> {
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
    rendered.map_err(|e| Stop::usage(e.to_string()))?;
    print(&String::from_utf8_lossy(&page))
}
