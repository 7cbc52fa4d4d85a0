//! Holds the engine against plain Algorithm 1, the other partitioners and its goals.
//!
//! `cargo run --release -p amidst-bench -- engine [--data FOLDER] [--seeds 5] [--only suppression,sets]`

mod goals;
mod grid;
mod runs;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use amidst::internals::read::Table;
use amidst::internals::registry::Spec;
use clap::ValueEnum;
use rayon::{ThreadPool, ThreadPoolBuilder};

use self::runs::{Outcome, Runner, Runs, print_head, with};
use crate::data::{self, ACS, ACS_RANGES, ADULT, ADULT_SUPPRESSED, ADULT_TREES, DataSet, WIDE};
use crate::plain::{self, Plain};
use crate::stats::Bound::{AtLeast, AtMost};
use crate::stats::{Figure, slope};

/// The k of the tables that are about time.
const K: usize = 10;

/// The rows whose times tell how time grows; all rows of the table come last.
const GROWTH: [usize; 4] = [40_000, 80_000, 160_000, 320_000];

/// What to measure.
#[derive(clap::Args)]
pub struct Args {
    /// A folder with further data sets, such as census/acs-income.csv.gz
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// How many seeds each is run with
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    /// The tables to print, separated by commas; all when left out
    #[arg(long, value_name = "TABLES", value_delimiter = ',')]
    only: Vec<Part>,
    /// The partitioner that is judged
    #[arg(long, value_name = "SPEC", default_value = "engine")]
    engine: Spec,
    /// Whom to leave out, separated by commas: plain, sequential, mondrian
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    skip: Vec<String>,
    /// Only these k, separated by commas, of those a table has
    #[arg(long, value_name = "K", value_delimiter = ',')]
    k: Vec<usize>,
    /// Stop a run that takes longer
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Whom the engine is held against in the grid, separated by commas; every partitioner when left out
    #[arg(long, value_name = "SPECS", value_delimiter = ',')]
    against: Vec<Spec>,
    /// Only the cases of the grid whose names contain one of these, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    cases: Vec<String>,
}

/// The tables.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Suppression,
    Sets,
    Taxonomies,
    Acs,
    Wide,
    Threads,
    Grid,
}

type Done = Result<(), Box<dyn Error>>;

/// Prints the tables.
pub fn run(args: &Args) -> Done {
    let bench = Bench::new(args)?;
    println!("Loss: lm, 0 to 1. Times: of the partition stage on {THREADS} threads.");
    println!("Each: mean [least-most], seeds: {}; a bound holds for the mean. least: the smallest class.", args.seeds);
    println!("Bounds (required, aim) and ARX's figures are given; all others are measured by this run.");
    let all = Part::value_variants().iter().filter(|part| args.only.is_empty() || args.only.contains(part));
    all.into_iter().try_for_each(|part| match part {
        Part::Suppression => bench.suppression(),
        Part::Sets => bench.sets(),
        Part::Taxonomies => bench.taxonomies(),
        Part::Acs => bench.acs(),
        Part::Wide => bench.wide(),
        Part::Threads => bench.threads(),
        Part::Grid => grid::run(&bench),
    })
}

const THREADS: usize = 2;

fn pool(threads: usize) -> Result<ThreadPool, rayon::ThreadPoolBuildError> {
    ThreadPoolBuilder::new().num_threads(threads).build()
}

struct Bench<'a> {
    args: &'a Args,
    runs: Runs,
    pool: ThreadPool,
    plain: Runner,
    sequential: Runner,
    mondrian: Runner,
    balanced: Runner,
    /// `None` where the engine knows no effort.
    fast: Option<Runner>,
}

impl<'a> Bench<'a> {
    fn new(args: &'a Args) -> Result<Self, Box<dyn Error>> {
        Ok(Bench {
            args,
            runs: Runs { seeds: args.seeds, limit: Duration::from_secs(args.limit), skip: args.skip.clone() },
            pool: pool(THREADS)?,
            plain: Runner { name: plain::NAME.to_owned(), partitioner: Box::new(Plain) },
            sequential: Runner::of(&Spec::new("sequential"))?,
            mondrian: Runner::of(&Spec::new("mondrian"))?,
            balanced: Runner::of(&with(&args.engine, &[("effort", "balanced")]))?,
            fast: Some(with(&args.engine, &[("effort", "fast")]))
                .filter(|spec| *spec != args.engine)
                .map(|spec| Runner::of(&spec))
                .transpose()?,
        })
    }

    /// The engine with all effort for so many seconds; `None` where it knows no effort.
    fn best(&self, seconds: &str) -> amidst::Result<Option<Runner>> {
        let spec = with(&self.args.engine, &[("effort", "best"), ("seconds", seconds)]);
        if spec == self.args.engine { Ok(None) } else { Runner::of(&spec).map(Some) }
    }

    /// The table; `None`, and a word about it, where it is not at hand.
    fn load(&self, set: &DataSet) -> amidst::Result<Option<Table>> {
        let Some(path) = set.path(self.args.data.as_deref()) else {
            println!("skipped: give --data a folder that has {}", set.file);
            return Ok(None);
        };
        data::read(&path).map(Some)
    }

    /// Those goals whose k is asked for.
    fn asked<'g, G>(&self, goals: &'g [G], k: fn(&G) -> usize) -> impl Iterator<Item = &'g G> {
        let asked = &self.args.k;
        goals.iter().filter(move |goal| asked.is_empty() || asked.contains(&k(goal)))
    }

    fn suppression(&self) -> Done {
        title("A. Adult, 14 quasi-identifiers, all by suppression");
        let Some(table) = self.load(&ADULT_SUPPRESSED)? else { return Ok(()) };
        let encoded = ADULT_SUPPRESSED.encode(&table)?;
        for goal in self.asked(goals::SUPPRESSION, |goal| goal.k) {
            let measure = |runner| self.runs.measure(runner, &encoded, goal.k, &self.pool);
            let (plain, sequential) = (measure(&self.plain), measure(&self.sequential));
            for effort in std::iter::once(&self.balanced).chain(&self.fast) {
                let engine = measure(effort);
                println!(
                    "{:>12}  required: loss {}, cpu of plain / engine {}; aim: loss {}; cpu of sequential / engine {:.1}",
                    "",
                    engine.loss().judge(AtMost(goal.loss), 4),
                    plain.cpu().over(engine.cpu()).judge(AtLeast(goal.faster), 1),
                    engine.loss().judge(AtMost(goal.aim), 4),
                    sequential.cpu().over(engine.cpu()),
                );
            }
        }
        Ok(())
    }

    fn sets(&self) -> Done {
        title("B. Adult, 8 quasi-identifiers: 2 by ranges, 6 by sets");
        let Some(table) = self.load(&ADULT)? else { return Ok(()) };
        let encoded = ADULT.encode(&table)?;
        let best = self.best(goals::SETS_SECONDS)?;
        for goal in self.asked(goals::SETS, |goal| goal.k) {
            let measure = |runner| self.runs.measure(runner, &encoded, goal.k, &self.pool);
            measure(&self.plain);
            measure(&self.sequential);
            measure(&self.mondrian);
            judge_both(
                &measure(&self.balanced),
                &best.as_ref().map_or(Outcome::None, measure),
                (goal.loss, goals::SETS_CPU, goal.aim),
            );
        }
        Ok(())
    }

    fn taxonomies(&self) -> Done {
        title("C. Adult, the rows of the training file, 8 quasi-identifiers by ARX's hierarchies");
        let Some(table) = self.load(&ADULT_TREES)? else { return Ok(()) };
        let encoded = ADULT_TREES.encode(&data::head(&table, goals::TAXONOMIES_ROWS)?)?;
        let best = self.best(goals::TAXONOMIES_SECONDS)?;
        for goal in self.asked(goals::TAXONOMIES, |goal| goal.k) {
            let measure = |runner| self.runs.measure(runner, &encoded, goal.k, &self.pool);
            println!(
                "{:>7} {:>4}  {:<36} {:<24.4}  {:<24.1}  given, measured elsewhere",
                encoded.rows(),
                goal.k,
                "ARX 3.9.2, best local recoding",
                goal.arx_loss,
                goal.arx_cpu,
            );
            measure(&self.sequential);
            measure(&self.mondrian);
            judge_both(
                &measure(&self.balanced),
                &best.as_ref().map_or(Outcome::None, measure),
                (goal.loss, goals::TAXONOMIES_CPU, goal.aim),
            );
        }
        Ok(())
    }

    fn acs(&self) -> Done {
        for (set, kinds) in [(&ACS_RANGES, "all by ranges, as guessed"), (&ACS, "by ranges, sets and suppression")] {
            title(&format!("D. ACS income, 8 quasi-identifiers {kinds}"));
            let Some(table) = self.load(set)? else { return Ok(()) };
            let mut points = [Vec::new(), Vec::new()];
            for rows in GROWTH.into_iter().filter(|rows| *rows < table.rows()).chain([table.rows()]) {
                let encoded = set.encode(&data::sample(&table, rows)?)?;
                let [mondrian, engine] =
                    [&self.mondrian, &self.balanced].map(|runner| self.runs.measure(runner, &encoded, K, &self.pool));
                for (points, outcome) in points.iter_mut().zip([&mondrian, &engine]) {
                    if let Figure::Known(cpu) = outcome.cpu() {
                        points.push(((rows as f64).ln(), cpu.ln()));
                    }
                }
                println!("{:>12}  loss of engine / mondrian {:.3}", "", engine.loss().over(mondrian.loss()));
            }
            for (name, points) in ["mondrian", "engine"].into_iter().zip(&points) {
                let power = slope(points).map_or(Figure::Unknown, Figure::Known);
                println!("{:>12}  cpu time of {name} grows as rows to the power of {power:.2}", "");
            }
        }
        Ok(())
    }

    fn wide(&self) -> Done {
        for set in WIDE {
            title(&format!("Wide tables: {} as guessed", set.name));
            let Some(table) = self.load(set)? else { continue };
            let encoded = set.encode(&table)?;
            let [mondrian, sequential, engine] = [&self.mondrian, &self.sequential, &self.balanced]
                .map(|runner| self.runs.measure(runner, &encoded, K, &self.pool));
            for (name, other) in [("mondrian", &mondrian), ("sequential", &sequential)] {
                println!(
                    "{:>12}  engine against {name}: loss ratio {:.3}, cpu of {name} / engine {:.2}",
                    "",
                    engine.loss().over(other.loss()),
                    other.cpu().over(engine.cpu()),
                );
            }
        }
        Ok(())
    }

    fn threads(&self) -> Done {
        let (one, two) = (pool(1)?, pool(2)?);
        for set in [&ADULT, &ACS_RANGES] {
            title(&format!("Two threads (second line) against one (first line): {}", set.name));
            let Some(table) = self.load(set)? else { continue };
            let encoded = set.encode(&table)?;
            let [one, two] = [&one, &two].map(|pool| self.runs.measure(&self.balanced, &encoded, K, pool));
            println!(
                "{:>12}  wall time of one / two {:.2} by the means, {:.2} by the shortest; {}",
                "",
                one.wall(|wall| wall.mean).over(two.wall(|wall| wall.mean)),
                one.wall(|wall| wall.least).over(two.wall(|wall| wall.least)),
                alike(&one, &two),
            );
        }
        Ok(())
    }
}

fn title(text: &str) {
    println!("\n{text}");
    print_head();
}

/// Whether balanced effort keeps to the loss and the time that are required, and the best effort to the aim.
fn judge_both(balanced: &Outcome, best: &Outcome, (loss, cpu, aim): (f64, f64, f64)) {
    println!(
        "{:>12}  required: loss {}, cpu s {}; aim with the best effort: loss {}",
        "",
        balanced.loss().judge(AtMost(loss), 4),
        balanced.cpu().judge(AtMost(cpu), 2),
        best.loss().judge(AtMost(aim), 4),
    );
}

/// The result must not depend on the number of threads.
fn alike(one: &Outcome, two: &Outcome) -> &'static str {
    match (one, two) {
        (Outcome::Done { loss: a, .. }, Outcome::Done { loss: b, .. }) if a == b => "the losses are the same",
        (Outcome::Done { .. }, Outcome::Done { .. }) => "THE LOSSES DIFFER",
        _ => "not compared",
    }
}
