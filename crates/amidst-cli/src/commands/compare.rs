//! `amidst compare`

use std::time::Duration;

use amidst::pipeline::{self, CompareJob, List};
use amidst::progress::Progress;

use super::plan;
use crate::args::{CompareArgs, PrivacyArgs};
use crate::progress::Bar;
use crate::{Stop, print, print_json};

pub fn run(args: &CompareArgs) -> Result<(), Stop> {
    let CompareArgs {
        input,
        columns,
        k,
        l,
        rows,
        models,
        algorithms,
        measures,
        measure,
        seed,
        limit,
        output,
        report,
        reading,
        output_args,
    } = args;
    let limit = Duration::try_from_secs_f64(*limit)
        .map_err(|_| Stop::usage(format!("--limit {limit} is not a number of seconds")))?;
    let privacy = PrivacyArgs { l: l.first().copied(), models: models.clone() };
    let mut plan = plan::plan(columns, k.first().copied(), &privacy, reading)?;
    if let Some(measure) = measure {
        plan.method.measure = measure.clone();
    }
    if let Some(seed) = seed {
        plan.method.seed = Some(*seed);
    }
    let partitioners = List::Partitioners.specs(algorithms);
    let job = CompareJob {
        input: input.clone().into(),
        plan,
        ks: k.clone(),
        ls: l.clone(),
        rows: rows.clone(),
        partitioners,
        measures: measures.clone(),
        limit,
        runs: output.clone(),
        report: report.clone(),
    };
    let bar = Bar::new(output_args.quiet, reading.memory);
    let comparison = pipeline::compare(&job, Progress::to(&bar))?;

    drop(bar);
    if output_args.json {
        print_json(&comparison)
    } else if output_args.quiet {
        Ok(())
    } else {
        print(&comparison.to_string())
    }
}
