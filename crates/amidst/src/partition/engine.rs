//! The engine: a good start, then a search that only improves it. It is the default.
//!
//! # Idea
//! The start is the best of those that fit the problem. The algorithm `patterns` finds one that is already better than the
//! results of the papers' algorithms, in the time of a few sorts. Large clusters also get one by halving the table
//! again and again. Then a large-neighbourhood search takes a few neighbouring
//! clusters at a time, clusters their records anew, and keeps the result if it costs less. The
//! neighbourhoods are searched in parallel. The search can stop after any round. The refiner `large-neighbourhood` runs
//! the same search after any other partitioner.
//!
//! # Choices
//! - `effort` says when to stop. `fast` stops after the start. `balanced` stops when rounds gain little,
//!   and after a number of rounds in any case, which is larger for small tables. `best` stops when two
//!   hundred rounds gain almost nothing.
//! - `rounds` fixes the number of rounds.
//! - `seconds` ends the search by the clock. The number of rounds then depends on the machine; the plan
//!   beside the release records it, so that the release can be made again.
//! - If constraints look at sensitive values, patterns are given up once too many of them would have to drop records. Then
//!   clusters grow in small neighbourhoods. Tables of moderate size try both.
//!
//! # Complexity
//! About O(n log n) with few columns; see `patterns` for many. A round is linear in n.
//!
//! # Paper
//! Ours. Large-neighbourhood search: Pisinger and Ropke: A general heuristic for vehicle routing problems.
//! Computers and Operations Research 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --effort best
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'engine(rounds=50)'
//! ```

use std::time::{Duration, Instant};

use super::{Build, Partitioner};
use crate::cluster::{Budget, Surrogate, bisect, halving_gains, improve, local_growth, patterns};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Spec, Value};

const NAME: &str = "engine";

pub(super) const ENTRY: Entry<Build> = Entry {
    name: NAME,
    about: "starts with the cheapest patterns, then improves neighbouring clusters while that pays; time about n log n",
    paper: "ours; Pisinger and Ropke, Computers and Operations Research 2007",
    params: &[
        Param {
            name: "effort",
            about: "fast makes only the start, balanced improves it while that pays well, best while it pays at all",
            range: Range::Choice(&["fast", "balanced", "best"]),
            default: Some(Value::Word("balanced")),
        },
        Param {
            name: "rounds",
            about: "the exact number of rounds of improvement, whatever the effort; 0 leaves it to the effort",
            range: Range::Integer(0, u64::MAX),
            default: Some(Value::Integer(0)),
        },
        Param {
            name: "seconds",
            about: "ends the search after this time; 0 sets no limit. The plan beside the release records the number of rounds",
            range: Range::Number(0.0, 1e9),
            default: Some(Value::Number(0.0)),
        },
    ],
    build: |params| {
        let seconds = params.number("seconds");
        Box::new(Engine {
            effort: Effort::of(params.word("effort")),
            rounds: params.integer("rounds"),
            time: (seconds > 0.0).then(|| Duration::from_secs_f64(seconds)),
        })
    },
};

/// The number of rows at which a balanced search would have a single round. Rounds fall with the square of the rows, since
/// small tables take little time anyway.
const ROWS_FOR_ONE_ROUND: f64 = 212_000.0;
/// Round multiplier when constraints inspect sensitive values, because that start leaves more to gain.
const GUARDED_ROUND_FACTOR: f64 = 3.0;
/// The fewest and the most rounds of a balanced search.
const BALANCED_ROUNDS: (f64, f64) = (12.0, 200.0);
/// The number of rows that all rounds of a balanced search visit together, at most. It keeps small tables from taking much
/// longer than larger ones.
const MAX_ROW_VISITS: f64 = 1.6e6;
/// With fewer clusters than this there are more rounds and more patience.
const FEW_CLUSTERS: f64 = 1000.0;
/// The number of rows that the rounds visit together where there are but a few clusters.
const MAX_ROW_VISITS_OF_FEW: f64 = 2.5e6;
/// From this size on, clusters are so large that halving the table may be a better start than patterns.
const MIN_BISECTED_SIZE: usize = 25;
/// Tables with more rows grow clusters in neighbourhoods only if there are no patterns for their sensitive values.
const MAX_ROWS_FOR_ALL_STARTS: usize = 100_000;
/// The share of the loss that the last rounds of a balanced search must gain, or it ends.
const MIN_BALANCED_GAIN: f64 = 3e-4;
/// The largest number of rounds over which that gain is counted. On small tables a few lucky steps make all the gain, and
/// waiting for them takes little time.
const MAX_BALANCED_PATIENCE: f64 = 18.0;

/// When a search ends that has neither a time nor a number of rounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effort {
    Fast,
    Balanced,
    Best,
}

impl Effort {
    fn of(word: &str) -> Self {
        match word {
            "fast" => Effort::Fast,
            "best" => Effort::Best,
            _ => Effort::Balanced,
        }
    }
}

struct Engine {
    effort: Effort,
    rounds: u64,
    time: Option<Duration>,
}

impl Engine {
    fn budget(&self, problem: &Problem) -> Budget {
        let until = self.time.map(|time| Instant::now() + time);
        let (rounds, least_gain, patience) = match (self.rounds, self.effort, until) {
            (0, Effort::Fast, _) => (0, 0.0, 1),
            (0, Effort::Balanced, None) => balanced(problem),
            (0, _, _) => (u64::MAX, 1e-4, 200),
            // Not one, because then the first round would be a probe. With a clock all rounds are full ones.
            (rounds, _, _) => (rounds, f64::NEG_INFINITY, 2),
        };
        Budget { rounds, least_gain, patience, until }
    }
}

/// The number of rounds, the least gain, and the number of rounds over which it is counted.
fn balanced(problem: &Problem) -> (u64, f64, usize) {
    let rows = problem.rows().max(1) as f64;
    let more = if problem.values_count() { GUARDED_ROUND_FACTOR } else { 1.0 };
    let rounds = (ROWS_FOR_ONE_ROUND / rows).powi(2).min(MAX_ROW_VISITS / rows) * more;
    // A round has few steps where clusters are large, so it says little and more are needed.
    let clusters = rows / problem.min_size() as f64;
    let few = if all_suppressed(problem) { 0.0 } else { (1.0 - clusters / FEW_CLUSTERS).max(0.0) };
    let rounds = rounds.max(few * MAX_ROW_VISITS_OF_FEW / rows).clamp(BALANCED_ROUNDS.0, BALANCED_ROUNDS.1);
    // A patience of one round from 45,000 rows on, and the full patience up to 31,000.
    let patience = ((rounds - 20.0) / 1.5).clamp(1.0, MAX_BALANCED_PATIENCE).max(few * MAX_BALANCED_PATIENCE);
    (rounds as u64, MIN_BALANCED_GAIN * (1.0 + few), patience as usize)
}

/// Whether all columns that tell records apart are suppressed. Then patterns find whatever a cluster can share.
fn all_suppressed(problem: &Problem) -> bool {
    problem.encoded.domains().iter().all(|domain| domain.len() < 2 || domain.is_suppress())
}

/// The best of the starts that fit the problem. Of equally good ones, the first.
fn best_start(problem: &Problem, surrogate: &Surrogate, thorough: bool, progress: Progress) -> Result<Partition> {
    let mut starts = Vec::new();
    if problem.values_count() {
        starts.extend(patterns::quick_start(problem, surrogate, progress)?);
        if starts.is_empty() || problem.rows() <= MAX_ROWS_FOR_ALL_STARTS {
            starts.push(local_growth::start(problem, surrogate, thorough, progress)?);
        }
    } else {
        starts.push(patterns::start(problem, surrogate, progress)?);
    }
    if problem.min_size() >= MIN_BISECTED_SIZE
        && !all_suppressed(problem)
        && halving_may_pay(problem, surrogate, &starts)?
    {
        starts.push(bisect(problem, surrogate, progress)?);
    }
    let losses: Vec<f64> = starts.iter().map(|start| problem.loss(start)).collect();
    let best = (0..starts.len()).reduce(|a, b| if losses[b] < losses[a] { b } else { a });
    Ok(starts.swap_remove(best.unwrap_or_default()))
}

/// Whether halving may be a better start than these. Where that would take long, it is tried on some neighbourhoods.
fn halving_may_pay(problem: &Problem, surrogate: &Surrogate, starts: &[Partition]) -> Result<bool> {
    let few = problem.rows() as f64 / (problem.min_size() as f64) < FEW_CLUSTERS;
    let gains = |start: &Partition| halving_gains(problem, surrogate, start);
    Ok(few || starts.iter().map(gains).collect::<Result<Vec<bool>>>()?.into_iter().all(|gains| gains))
}

impl Partitioner for Engine {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let budget = self.budget(problem);
        let surrogate = Surrogate::new(problem)?;
        let start = best_start(problem, &surrogate, self.effort != Effort::Fast, progress)?;
        let (partition, rounds) = improve(problem, &surrogate, start, budget, progress)?;
        Ok(match (self.time, self.effort) {
            (None, _) => partition,
            (Some(_), Effort::Fast) if rounds == 0 => partition.made_by(Spec::new(format!("{NAME}(effort=fast)"))),
            (Some(_), Effort::Fast) => partition.made_by(Spec::new(format!("{NAME}(effort=fast, rounds={rounds})"))),
            // If there was nothing to improve, one round does no harm.
            (Some(_), _) => partition.made_by(Spec::new(format!("{NAME}(rounds={})", rounds.max(1)))),
        })
    }
}
