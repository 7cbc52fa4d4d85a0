//! `amidst audit`

use std::path::PathBuf;

use amidst::pipeline::{self, AuditJob};
use clap::Args;

use crate::Stop;
use crate::args::{OutputArgs, ReleaseArgs};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst audit release.csv --quasi age,zip,sex --k 10
  amidst audit release.csv --plan release.plan.toml --original patients.csv")]
pub struct AuditArgs {
    /// The published file
    file: PathBuf,
    #[command(flatten)]
    asked: ReleaseArgs,
    /// The table that the release was made from
    ///
    /// The audit then also checks that every cell covers its value, and measures the loss. It compares the rows in the
    /// order of the files. For a release that amidst shuffled, give the plan that is stored beside it.
    #[arg(long, value_name = "FILE", help_heading = "Comparing")]
    original: Option<PathBuf>,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &AuditArgs) -> Result<(), Stop> {
    let AuditArgs { file, asked, original, shown } = args;
    let (plan, demand) = asked.plan()?;
    let original = original.clone().map(Into::into);
    let job = AuditJob { release: file.clone().into(), plan, demand, original, tables: Vec::new() };
    let outcome = shown.watch(asked.reading.memory, |progress| pipeline::audit(&job, progress))?;
    shown.show(&outcome)?;
    if outcome.failures.is_empty() { Ok(()) } else { Err(Stop::Failed) }
}
