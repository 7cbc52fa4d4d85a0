//! `amidst risk`

use amidst::pipeline::{self, Assumptions, RiskJob};
use amidst::progress::Progress;

use super::plan;
use crate::args::{ColumnArgs, PrivacyArgs, RiskArgs};
use crate::progress::Bar;
use crate::{Stop, print, print_json};

pub fn run(args: &RiskArgs) -> Result<(), Stop> {
    let RiskArgs { file, quasi, plan, publish, sample, population, threshold, reading, output_args } = args;
    let columns = ColumnArgs { quasi: quasi.clone(), plan: plan.clone(), ..ColumnArgs::default() };
    let mut plan = plan::plan(&columns, None, &PrivacyArgs::default(), reading)?;
    plan.method.publish = publish.clone().unwrap_or(plan.method.publish);
    let assumptions = Assumptions { threshold: *threshold, sample: *sample };
    let (input, population) = (file.clone().into(), population.clone().map(Into::into));
    let job = RiskJob { input, plan, assumptions, population };
    let bar = Bar::new(output_args.quiet, reading.memory);
    let outcome = pipeline::risk(&job, Progress::to(&bar))?;
    drop(bar);

    if output_args.json {
        print_json(&outcome)?;
    } else if !output_args.quiet {
        print(&outcome.to_string())?;
    }
    Ok(())
}
