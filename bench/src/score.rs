//! What a partitioner reaches and what it takes, and how that is printed.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amidst::internals::encode::{Encoded, Span};
use amidst::internals::partition::Partitioner;
use amidst::internals::problem::{Cluster, Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::internals::{constraint, cost, usage};
use amidst::progress::{Observer, Progress};
use amidst::{Error, Result};

/// A short run is repeated, and its best time counts: everything else on the machine only adds to it.
const RUNS: usize = 5;
const REPEAT_FOR: Duration = Duration::from_secs(2);

/// Quality and time of one partitioner on one problem.
pub struct Score {
    /// The mean loss of a record.
    pub lm: f64,
    /// The same by the other measure.
    pub ncp: f64,
    /// The number of different published records.
    pub classes: usize,
    /// The size of the smallest class, which is the k that is reached.
    pub least: usize,
    /// Processor time of all threads.
    pub cpu: f64,
    /// What a clock on the wall shows.
    pub wall: f64,
}

/// The task to lose little by LM at this k.
pub fn problem(encoded: &Arc<Encoded>, k: usize, seed: u64) -> Result<Problem> {
    let demand = constraint::build(&Spec::new(format!("k-anonymity(k={k})")), &[])?;
    Problem::new(encoded.clone(), cost::build(&Spec::new("lm"), encoded)?, demand, seed)
}

/// Runs a partitioner; `None` when it takes longer than the limit.
pub fn run(partitioner: &dyn Partitioner, problem: &Problem, limit: Duration) -> Result<Option<Score>> {
    let begin = Instant::now();
    let mut best = once(partitioner, problem, limit)?;
    for _ in 1..RUNS {
        if best.partition.is_none() || begin.elapsed() > REPEAT_FOR {
            break;
        }
        let next = once(partitioner, problem, limit)?;
        best = Run { partition: next.partition, cpu: best.cpu.min(next.cpu), wall: best.wall.min(next.wall) };
    }
    best.score(problem)
}

/// One run.
pub struct Run {
    /// What came of it; `None` when it took longer than the limit.
    pub partition: Option<Partition>,
    /// Processor time of all threads.
    pub cpu: f64,
    /// What a clock on the wall shows.
    pub wall: f64,
}

/// Runs a partitioner once.
pub fn once(partitioner: &dyn Partitioner, problem: &Problem, limit: Duration) -> Result<Run> {
    let (clock, used) = (Instant::now(), cpu_seconds());
    let partition = match partitioner.partition(problem, Progress::to(&Deadline(clock + limit))) {
        Err(Error::Interrupted) => None,
        result => Some(result?),
    };
    Ok(Run { partition, cpu: cpu_seconds() - used, wall: clock.elapsed().as_secs_f64() })
}

impl Run {
    /// Its quality and time.
    pub fn score(&self, problem: &Problem) -> Result<Option<Score>> {
        self.partition.as_ref().map(|partition| Score::new(problem, partition, self.cpu, self.wall)).transpose()
    }
}

/// Not a number where the system does not tell.
fn cpu_seconds() -> f64 {
    usage::cpu_seconds().unwrap_or(f64::NAN)
}

/// Stops what takes too long.
struct Deadline(Instant);

impl Observer for Deadline {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn interrupted(&self) -> bool {
        Instant::now() > self.0
    }
}

impl Score {
    /// The quality of a partition that took this time.
    pub fn new(problem: &Problem, partition: &Partition, cpu: f64, wall: f64) -> Result<Self> {
        let clusters: Vec<Cluster> = partition.clusters().filter_map(|rows| problem.cluster(rows)).collect();
        let ncp = cost::build(&Spec::new("ncp"), &problem.encoded)?;
        // Clusters that are published alike are one class.
        let published = |c: &Cluster| -> Vec<Span> {
            problem.encoded.domains().iter().zip(c.closure()).map(|(domain, span)| domain.close(*span)).collect()
        };
        let mut sizes: HashMap<Vec<Span>, usize> = HashMap::new();
        clusters.iter().for_each(|c| *sizes.entry(published(c)).or_default() += c.size());
        Ok(Score {
            lm: problem.loss(partition),
            ncp: clusters.iter().map(|c| ncp.cluster(c)).sum::<f64>() / problem.rows() as f64,
            classes: sizes.len(),
            least: sizes.values().copied().min().unwrap_or(0),
            cpu,
            wall,
        })
    }
}

/// The heading of the table.
pub fn print_head() {
    println!(
        "{:<19} {:>7} {:>4}  {:<30} {:>7} {:>7} {:>7} {:>5} {:>8} {:>8}  {:>8}  cpu time / ref",
        "data set", "rows", "k", "partitioner", "lm", "ncp", "classes", "least", "cpu s", "wall s", "lm / ref"
    );
}

/// What begins a line of the table.
pub struct Line<'a> {
    /// The data set.
    pub data: &'a str,
    /// Its rows.
    pub rows: usize,
    /// What was asked.
    pub k: usize,
    /// Who was asked.
    pub partitioner: &'a str,
}

impl Line<'_> {
    /// A line without figures.
    pub fn print_words(&self, words: &str) {
        println!("{}{words}", self.start());
    }

    /// A line with figures, and their ratios to those of the reference.
    pub fn print(&self, score: &Score, reference: Option<&Score>) {
        let Score { lm, ncp, classes, least, cpu, wall } = score;
        let ratios = reference.map(|r| format!("  {:>7.3}x  {}", lm / r.lm, speed(r.cpu / cpu)));
        println!(
            "{}{lm:>7.4} {ncp:>7.4} {classes:>7} {least:>5} {cpu:>8.3} {wall:>8.3}{}",
            self.start(),
            ratios.unwrap_or_default()
        );
    }

    fn start(&self) -> String {
        format!("{:<19} {:>7} {:>4}  {:<30} ", self.data, self.rows, self.k, self.partitioner)
    }
}

fn speed(ratio: f64) -> String {
    if ratio >= 1.0 { format!("{ratio:.1}x faster") } else { format!("{:.1}x slower", 1.0 / ratio) }
}
