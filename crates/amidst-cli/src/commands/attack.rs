//! `amidst attack`

use amidst::pipeline::{self, AttackJob, List};
use amidst::progress::Progress;

use super::plan;
use crate::args::AttackArgs;
use crate::progress::Bar;
use crate::{Stop, print, print_json};

pub fn run(args: &AttackArgs) -> Result<(), Stop> {
    let AttackArgs { original, release, columns, k, privacy, publish, attacks, reading, output_args } = args;
    let mut plan = plan::plan(columns, *k, privacy, reading)?;
    plan.method.publish = publish.clone().unwrap_or(plan.method.publish);
    let attacks = List::Attacks.specs(attacks);
    let job = AttackJob { original: original.clone().into(), release: release.clone().into(), plan, attacks };
    let bar = Bar::new(output_args.quiet, reading.memory);
    let outcome = pipeline::attack(&job, Progress::to(&bar))?;
    drop(bar);

    if output_args.json {
        print_json(&outcome)?;
    } else if !output_args.quiet {
        print(&outcome.to_string())?;
    }
    if outcome.is_broken() { Err(Stop::Failed) } else { Ok(()) }
}
