//! `amidst measure`

use std::path::PathBuf;

use amidst::pipeline::{self, MeasureJob, Selection};
use amidst::plan::Changes;
use clap::Args;

use crate::Stop;
use crate::args::{ColumnArgs, FormArgs, OutputArgs, ReadingArgs};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst measure patients.csv release.csv --plan release.plan.toml
  amidst measure patients.csv release.csv --quasi age,zip,sex --sensitive disease --measures 'lm,query(predicates=3)'")]
pub struct MeasureArgs {
    /// The table that the release was made from
    original: PathBuf,
    /// The published file
    ///
    /// Rows are compared in the order of the files. For a release that amidst shuffled, give the plan that is stored
    /// beside it. If the rows do not match, measures that compare single rows are left out.
    release: PathBuf,
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    form: FormArgs,
    /// What to measure: quick, all, or a list such as lm,query(predicates=3); `amidst list measures` shows them
    #[arg(long, value_name = "NAMES", default_value = "all", help_heading = "Output")]
    measures: Selection,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &MeasureArgs) -> Result<(), Stop> {
    let MeasureArgs { original, release, columns, reading, form, measures, shown } = args;
    let mut changes = Changes::default();
    form.change(&mut changes);
    reading.change(&mut changes);
    let plan = columns.plan(&changes)?;
    let (original, release) = (original.clone().into(), release.clone().into());
    let job = MeasureJob { original, release, plan, measures: measures.clone() };
    shown.show(&shown.watch(reading.memory, |progress| pipeline::measure(&job, progress))?)
}
