//! `amidst attack`

use std::path::PathBuf;

use amidst::pipeline::{self, AttackJob, List};
use clap::Args;

use crate::Stop;
use crate::args::values::adversaries;
use crate::args::{OutputArgs, ReleaseArgs};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst attack patients.csv release.csv --plan release.plan.toml
  amidst attack patients.csv release.csv --quasi age,zip,sex --sensitive disease --k 10 --l 3 --attacks linking,homogeneity")]
pub struct AttackArgs {
    /// The table that the release was made from; the adversaries know parts of it
    original: PathBuf,
    /// The published file
    release: PathBuf,
    #[command(flatten)]
    promised: ReleaseArgs,
    #[arg(long, value_name = "NAMES", default_value = "all", help = adversaries())]
    attacks: String,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &AttackArgs) -> Result<(), Stop> {
    let AttackArgs { original, release, promised, attacks, shown } = args;
    let (plan, _) = promised.plan()?;
    let attacks = List::Attacks.specs(attacks);
    let job = AttackJob { original: original.clone().into(), release: release.clone().into(), plan, attacks };
    let outcome = shown.watch(promised.reading.memory, |progress| pipeline::attack(&job, progress))?;
    shown.show(&outcome)?;
    if outcome.is_broken() { Err(Stop::Failed) } else { Ok(()) }
}
