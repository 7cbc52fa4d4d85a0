//! `amidst explain`

use std::path::PathBuf;

use amidst::pipeline::{self, ExplainJob};
use amidst::plan::Plan;
use clap::Args;

use crate::Stop;
use crate::args::OutputArgs;

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst explain release.csv --row 17
  amidst explain release.csv --column age --original patients.csv")]
pub struct ExplainArgs {
    /// The published file
    file: PathBuf,
    /// A row of the release, counted from 1: its class, its cells, and what makes them wide
    #[arg(long, value_name = "N", required_unless_present = "column")]
    row: Option<usize>,
    /// A quasi-identifier: how much it loses, and where
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// The plan of the release [default: the one that is stored beside it]
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// The table that the release was made from
    ///
    /// With it, the values that make a cell wide are named, and other choices for a column are tried on up to 20,000 rows. Do not
    /// give that to recipients.
    #[arg(long, value_name = "FILE")]
    original: Option<PathBuf>,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &ExplainArgs) -> Result<(), Stop> {
    let ExplainArgs { file, row, column, plan, original, shown } = args;
    let job = ExplainJob {
        release: file.clone().into(),
        plan: plan.as_deref().map(Plan::load).transpose()?,
        original: original.clone().map(Into::into),
        row: *row,
        column: column.clone(),
    };
    shown.show(&shown.watch(None, |progress| pipeline::explain(&job, progress))?)
}
