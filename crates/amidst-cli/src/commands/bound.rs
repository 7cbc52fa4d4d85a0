//! `amidst bound`

use amidst::pipeline::{self, BoundJob};
use amidst::progress::Progress;

use super::anonymize::{say_taken, use_threads};
use super::plan;
use crate::args::BoundArgs;
use crate::progress::Bar;
use crate::{Stop, print, print_json};

pub fn run(args: &BoundArgs) -> Result<(), Stop> {
    let BoundArgs { input, columns, k, privacy, measure, threads, reading, output_args } = args;
    if let Some(threads) = threads {
        use_threads(*threads)?;
    }
    let mut plan = plan::plan(columns, *k, privacy, reading)?;
    if let Some(measure) = measure {
        plan.method.measure = measure.clone();
    }
    let job = BoundJob { input: input.clone().into(), plan };
    let bar = Bar::new(output_args.quiet, reading.memory);
    let outcome = pipeline::bound(&job, Progress::to(&bar))?;
    drop(bar);

    if !output_args.quiet {
        say_taken(&outcome.taken);
    }
    if output_args.json {
        print_json(&outcome)
    } else if output_args.quiet {
        Ok(())
    } else {
        print(&outcome.to_string())
    }
}
