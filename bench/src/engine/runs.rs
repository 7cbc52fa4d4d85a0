//! Runs with several seeds, and the lines that tell of them.

use std::sync::Arc;
use std::time::Duration;

use amidst::Result;
use amidst::internals::encode::Encoded;
use amidst::internals::partition::{self, Partitioner};
use amidst::internals::registry::Spec;
use rayon::ThreadPool;

use crate::score::{self, Score};
use crate::stats::{Figure, Spread};

/// Somebody who is measured.
pub struct Runner {
    pub name: String,
    pub partitioner: Box<dyn Partitioner>,
}

impl Runner {
    /// A partitioner of the library.
    pub fn of(spec: &Spec) -> Result<Self> {
        Ok(Runner { name: spec.to_string(), partitioner: partition::build(spec)? })
    }
}

/// The spec with further parameters, as far as the partitioner has them.
pub fn with(spec: &Spec, settings: &[(&str, &str)]) -> Spec {
    let params = partition::ALL.iter().find(|entry| entry.name == spec.name()).map_or(&[][..], |entry| entry.params);
    let given = spec.as_str().split_once('(').map_or("", |(_, rest)| rest.trim_end().trim_end_matches(')'));
    let known = settings.iter().filter(|(name, _)| params.iter().any(|param| param.name == *name));
    let added = known.map(|(name, value)| format!("{name}={value}"));
    let all: Vec<String> = std::iter::once(given.to_owned()).filter(|g| !g.is_empty()).chain(added).collect();
    if all.is_empty() { spec.clone() } else { Spec::new(format!("{}({})", spec.name(), all.join(", "))) }
}

/// What several runs came to.
pub enum Outcome {
    Done {
        loss: Spread,
        cpu: Spread,
        wall: Spread,
        /// The size of the smallest class of all runs.
        least: usize,
    },
    /// One took longer than the limit, and so many processor seconds until then.
    Over(f64),
    /// There was none.
    None,
}

impl Outcome {
    /// The mean loss.
    pub fn loss(&self) -> Figure {
        if let Outcome::Done { loss, .. } = self { Figure::Known(loss.mean) } else { Figure::Unknown }
    }

    /// The mean processor time.
    pub fn cpu(&self) -> Figure {
        match self {
            Outcome::Done { cpu, .. } => Figure::Known(cpu.mean),
            Outcome::Over(cpu) => Figure::More(*cpu),
            Outcome::None => Figure::Unknown,
        }
    }

    /// The time on the wall: the mean, or another figure of all runs.
    pub fn wall(&self, figure: fn(&Spread) -> f64) -> Figure {
        if let Outcome::Done { wall, .. } = self { Figure::Known(figure(wall)) } else { Figure::Unknown }
    }
}

/// The heading of the lines.
pub fn print_head() {
    println!(
        "{:>7} {:>4}  {:<36} {:<24}  {:<24}  {:<24}  {:>5}",
        "rows", "k", "partitioner", "loss (lm)", "cpu s", "wall s", "least"
    );
}

/// How runs are made.
pub struct Runs {
    pub seeds: u64,
    pub limit: Duration,
    /// Who is left out, by name.
    pub skip: Vec<String>,
}

impl Runs {
    /// Runs it with every seed on these threads, and prints a line. The first run over the limit is the last.
    pub fn measure(&self, runner: &Runner, encoded: &Arc<Encoded>, k: usize, pool: &ThreadPool) -> Outcome {
        let start = format!("{:>7} {k:>4}  {:<36} ", encoded.rows(), runner.name);
        if self.skip.iter().any(|name| runner.name.split(['(', ' ']).next() == Some(name)) {
            println!("{start}left out");
            return Outcome::None;
        }
        let outcome = self.outcome(runner, encoded, k, pool);
        match &outcome {
            Ok(Outcome::Done { loss, cpu, wall, least }) => {
                println!("{start}{loss:<24}  {cpu:<24.3}  {wall:<24.3}  {least:>5}");
            }
            Ok(Outcome::Over(cpu)) => println!("{start}stopped after {} s, {cpu:.1} cpu s", self.limit.as_secs()),
            Ok(Outcome::None) => println!("{start}no run"),
            Err(error) => println!("{start}failed: {error}"),
        }
        outcome.unwrap_or(Outcome::None)
    }

    fn outcome(&self, runner: &Runner, encoded: &Arc<Encoded>, k: usize, pool: &ThreadPool) -> Result<Outcome> {
        let mut scores: Vec<Score> = Vec::new();
        for seed in 0..self.seeds {
            let problem = score::problem(encoded, k, seed)?;
            let run = pool.install(|| score::once(&*runner.partitioner, &problem, self.limit))?;
            match run.score(&problem)? {
                Some(score) => scores.push(score),
                None => return Ok(Outcome::Over(run.cpu)),
            }
        }
        let spread = |figure: fn(&Score) -> f64| Spread::of(scores.iter().map(figure));
        let Some(least) = scores.iter().map(|score| score.least).min() else { return Ok(Outcome::None) };
        Ok(Outcome::Done { loss: spread(|s| s.lm), cpu: spread(|s| s.cpu), wall: spread(|s| s.wall), least })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_added_where_there_are_such() {
        let with = |spec: &str, settings: &[(&str, &str)]| with(&Spec::new(spec), settings).to_string();
        assert_eq!(with("sequential", &[("restarts", "2")]), "sequential(restarts=2)");
        assert_eq!(with("sequential(alpha=0.4)", &[("restarts", "2")]), "sequential(alpha=0.4, restarts=2)");
        assert_eq!(with("sequential", &[("nonsense", "2")]), "sequential");
        assert_eq!(with("nobody", &[("restarts", "2")]), "nobody");
    }

    #[test]
    fn figures_of_outcomes() {
        let spread = |mean| Spread { mean, least: 0.0, most: 9.0 };
        let done = Outcome::Done { loss: spread(0.1), cpu: spread(2.0), wall: spread(1.0), least: 10 };
        assert_eq!((done.loss(), done.cpu()), (Figure::Known(0.1), Figure::Known(2.0)));
        assert_eq!(Outcome::Over(8.0).cpu().over(done.cpu()), Figure::More(4.0));
        assert_eq!(Outcome::None.cpu(), Figure::Unknown);
    }
}
