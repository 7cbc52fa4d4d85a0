//! `amidst audit`

use amidst::pipeline::{self, AuditJob};
use amidst::progress::Progress;

use super::plan;
use crate::args::AuditArgs;
use crate::progress::Bar;
use crate::{Stop, print, print_json};

pub fn run(args: &AuditArgs) -> Result<(), Stop> {
    let AuditArgs { file, columns, k, privacy, publish, original, reading, output_args } = args;
    let mut plan = plan::plan(columns, *k, privacy, reading)?;
    plan.method.publish = publish.clone().unwrap_or(plan.method.publish);
    let asked = k.is_some() || privacy.l.is_some() || !privacy.models.require.is_empty();
    let demand = asked || columns.plan.is_some();
    let original = original.clone().map(Into::into);
    let job = AuditJob { release: file.clone().into(), plan, demand, original };
    let bar = Bar::new(output_args.quiet, reading.memory);
    let outcome = pipeline::audit(&job, Progress::to(&bar))?;
    drop(bar);

    if output_args.json {
        print_json(&outcome)?;
    } else if !output_args.quiet {
        print(&outcome.to_string())?;
    }
    if outcome.failures.is_empty() { Ok(()) } else { Err(Stop::Failed) }
}
