//! How a release is made.

use std::time::Duration;

use amidst::pipeline::{List, MOST_THREADS};
use amidst::plan::{Changes, RowOrder, Seed, Spec};
use clap::{Args, ValueEnum};

use super::values::choices;
use crate::Stop;

/// How the release is made
#[derive(Args)]
#[command(next_help_heading = "Method")]
pub struct MethodArgs {
    #[arg(long, value_name = "NAME", help = choices("The algorithm that forms the classes", List::Partitioners))]
    partitioner: Option<Spec>,
    /// How hard the engine tries [default: balanced]
    ///
    /// fast makes a good release. balanced improves it while that gains much. best improves it while that gains
    /// anything, which can take minutes. The engine is the default algorithm.
    #[arg(long, value_name = "EFFORT")]
    effort: Option<Effort>,
    /// Let the engine improve the release for this long, such as 30s or 5m
    ///
    /// The plan beside the release then says how to make the same release again, without a clock.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    time: Option<Duration>,
    #[arg(long, value_name = "NAME", help = choices("What improves the classes afterwards (repeatable)", List::Refiners))]
    refine: Vec<Spec>,
    #[arg(long, value_name = "NAME", help = choices("The loss to keep low", List::Measures))]
    measure: Option<Spec>,
    #[arg(long, value_name = "NAME", help = choices("The form of the release", List::Publishers))]
    publish: Option<Spec>,
    /// The seed of all random choices: a number, or hexadecimal digits after 0x [default: random]
    ///
    /// A random seed is kept in the plan beside the release. Keep the seed secret: somebody who has it and knows nearly
    /// all records can find out the rest by making the release again. If you choose a seed, choose one that is as hard
    /// to guess as a random one.
    #[arg(long, value_name = "N")]
    seed: Option<Seed>,
    /// Keep the rows in the order of the input instead of shuffling them
    ///
    /// The order of the rows can identify people.
    #[arg(long)]
    keep_order: bool,
    #[command(flatten)]
    pub threads: ThreadArgs,
}

impl MethodArgs {
    /// Makes them part of what changes a plan.
    pub fn change(&self, changes: &mut Changes) {
        let MethodArgs { partitioner, effort, time, refine, measure, publish, seed, keep_order, threads: _ } = self;
        changes.partitioner.clone_from(partitioner);
        changes.effort = effort.and_then(|effort| Some(effort.to_possible_value()?.get_name().to_owned()));
        changes.time = time.map(|time| time.as_secs_f64());
        changes.refine.clone_from(refine);
        changes.measure.clone_from(measure);
        changes.publish.clone_from(publish);
        changes.seed = *seed;
        changes.order = keep_order.then_some(RowOrder::Keep);
    }
}

/// How hard the engine tries
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Effort {
    Fast,
    Balanced,
    Best,
}

/// What the work runs on
#[derive(Args)]
pub struct ThreadArgs {
    /// The number of threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl ThreadArgs {
    /// Makes all work run on that many threads.
    pub fn apply(&self) -> Result<(), Stop> {
        let Some(threads) = self.threads else { return Ok(()) };
        if threads == 0 {
            return Err(Stop::usage("--threads must be 1 or more"));
        }
        if threads > MOST_THREADS {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            return Err(Stop::usage(format!(
                "--threads can be {MOST_THREADS} at most; more than the cores of the machine ({cores}) do not help"
            )));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|e| Stop::usage(format!("cannot start {threads} threads: {e}")))
    }
}
