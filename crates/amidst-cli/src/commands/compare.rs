//! `amidst compare`

use std::path::PathBuf;
use std::time::Duration;

use amidst::pipeline::{self, CompareJob, List, Selection};
use amidst::plan::{Changes, Seed, Spec};
use clap::Args;

use crate::Stop;
use crate::args::{ColumnArgs, ModelArgs, OutputArgs, ReadingArgs};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst compare patients.csv --quasi age,zip,sex --k 5,10,25
  amidst compare patients.csv --quasi age,zip --sensitive disease --k 5,10 --l 2,3,5 --algorithms engine,mondrian --report trade.html
  amidst compare patients.csv --plan patients.plan.toml --k 10 --algorithms engine,k-member -o runs.csv -o runs.json")]
pub struct CompareArgs {
    /// The table
    input: PathBuf,
    #[command(flatten)]
    columns: ColumnArgs,
    /// The values of k, separated by commas
    #[arg(long, value_name = "KS", value_delimiter = ',', default_value = "5,10,25,50,100")]
    k: Vec<usize>,
    /// The values of l, separated by commas: no sensitive value may make up more than 1/l of a class
    #[arg(long, value_name = "LS", value_delimiter = ',', allow_negative_numbers = true)]
    l: Vec<f64>,
    /// The numbers of records to draw at random, separated by commas [default: all]
    ///
    /// Several numbers show how the time grows.
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    rows: Vec<usize>,
    #[command(flatten)]
    models: ModelArgs,
    /// The algorithms: all, or a list such as engine,mondrian(relaxed)
    #[arg(long, value_name = "NAMES", default_value = "all")]
    algorithms: String,
    /// What to measure: quick, all, or a list
    #[arg(long, value_name = "NAMES", default_value = "lm,ncp")]
    measures: Selection,
    /// The loss that every algorithm keeps low [default: that of the plan, or lm]
    #[arg(long, value_name = "NAME")]
    measure: Option<Spec>,
    /// The seed of all random choices [default: that of the plan, or 0]
    #[arg(long, value_name = "N")]
    seed: Option<Seed>,
    /// The most seconds that a run may take; the table says which runs were stopped
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
    limit: f64,
    /// Write the runs to a file: .csv or .json (repeatable)
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Write a page with charts to a file (.html)
    ///
    /// The charts show loss against k and l, time against the number of records, and loss against risk.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    report: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &CompareArgs) -> Result<(), Stop> {
    let CompareArgs { input, columns, k, l, models, measure, seed, limit, reading, shown, .. } = args;
    let limit = Duration::try_from_secs_f64(*limit)
        .map_err(|_| Stop::usage(format!("--limit {limit} is not a number of seconds")))?;
    let first = (k.first().copied(), l.first().copied());
    let mut changes = Changes { k: first.0, l: first.1, measure: measure.clone(), seed: *seed, ..Changes::default() };
    models.change(&mut changes);
    reading.change(&mut changes);
    let plan = columns.plan(&changes)?;
    let job = CompareJob {
        input: input.clone().into(),
        plan,
        ks: k.clone(),
        ls: l.clone(),
        rows: args.rows.clone(),
        partitioners: List::Partitioners.specs(&args.algorithms),
        measures: args.measures.clone(),
        limit,
        runs: args.output.clone(),
        report: args.report.clone(),
    };
    shown.show(&shown.watch(reading.memory, |progress| pipeline::compare(&job, progress))?)
}
