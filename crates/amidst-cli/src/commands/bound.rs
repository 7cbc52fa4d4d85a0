//! `amidst bound`

use std::path::PathBuf;

use amidst::pipeline::{self, BoundJob, ProofTime};
use amidst::plan::{Changes, Spec};
use clap::Args;

use super::anonymize::{say_stopped, say_taken};
use crate::Stop;
use crate::args::{ColumnArgs, KArgs, OutputArgs, PrivacyArgs, ReadingArgs, ThreadArgs};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst bound patients.csv --quasi age,zip,sex --k 10
  amidst bound patients.csv --plan patients.plan.toml --json")]
pub struct BoundArgs {
    /// The table
    input: PathBuf,
    #[command(flatten)]
    columns: ColumnArgs,
    #[command(flatten)]
    k: KArgs,
    #[command(flatten)]
    privacy: PrivacyArgs,
    /// The loss to bound [default: that of the plan, or lm]
    #[arg(long, value_name = "NAME")]
    measure: Option<Spec>,
    /// How long the proof may take, such as 5m; when the time is up, what is proven until then is reported; `full` has no limit and
    /// proves the same on every machine [default: 60s]
    #[arg(long, value_name = "TIME")]
    time: Option<ProofTime>,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &BoundArgs) -> Result<(), Stop> {
    let BoundArgs { input, columns, k, privacy, measure, time, threads, reading, shown } = args;
    threads.apply()?;
    let mut changes = Changes { measure: measure.clone(), ..Changes::default() };
    k.change(&mut changes);
    privacy.change(&mut changes);
    reading.change(&mut changes);
    let plan = columns.plan(&changes)?;
    let job = BoundJob { input: input.clone().into(), plan, time: time.unwrap_or_default() };
    let outcome = shown.watch(reading.memory, |progress| pipeline::bound(&job, progress))?;
    if !shown.quiet {
        say_taken(&outcome.taken);
        if !outcome.bound.complete {
            say_stopped("--time", outcome.seconds);
        }
    }
    shown.show(&outcome)
}
