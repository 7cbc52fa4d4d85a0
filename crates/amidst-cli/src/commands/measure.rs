//! `amidst measure`

use amidst::pipeline::{self, MeasureJob};
use amidst::progress::Progress;

use super::plan;
use crate::args::{MeasureArgs, PrivacyArgs};
use crate::progress::Bar;
use crate::{Stop, print, print_json};

pub fn run(args: &MeasureArgs) -> Result<(), Stop> {
    let MeasureArgs { original, release, columns, reading, publish, measures, output_args } = args;
    let mut plan = plan::plan(columns, None, &PrivacyArgs::default(), reading)?;
    plan.method.publish = publish.clone().unwrap_or(plan.method.publish);
    let job = MeasureJob {
        original: original.clone().into(),
        release: release.clone().into(),
        plan,
        measures: measures.clone(),
    };
    let bar = Bar::new(output_args.quiet, reading.memory);
    let outcome = pipeline::measure(&job, Progress::to(&bar))?;
    drop(bar);
    if output_args.json { print_json(&outcome) } else { print(&outcome.to_string()) }
}
