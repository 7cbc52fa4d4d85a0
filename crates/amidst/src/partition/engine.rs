//! The engine: a good start, then a search that only ever improves it. The default.
//!
//! # Idea
//! [Patterns](super::patterns) make a start that is already better than what the papers' algorithms reach, in the time of a few
//! sorts. Then a large-neighbourhood search ([pools](crate::refine)) takes a few neighbouring clusters at a time and
//! clusters their records anew, in parallel, and keeps what costs less. It can be stopped after any round.
//!
//! # Choices
//! - `effort` says when to stop: `fast` after the start; `balanced` when rounds gain little, and after some rounds in any case, more of them
//!   on small tables than on large ones; `best` when two hundred rounds hardly gain anything.
//! - `seconds` ends the search by the clock. The number of rounds then depends on the machine; the partition says which
//!   number makes it again.
//!
//! # Complexity
//! About n log n with few columns; see [patterns](super::patterns) for many. A round is linear in n.
//!
//! # Paper
//! Ours. Large-neighbourhood search: Pisinger, Ropke: A general heuristic for vehicle routing problems. Computers and
//! Operations Research 2007.

use std::time::{Duration, Instant};

use super::{Build, Partitioner};
use crate::cluster::{Budget, Surrogate, improve, local_growth, patterns};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Spec, Value};

const NAME: &str = "engine";

pub(super) const ENTRY: Entry<Build> = Entry {
    name: NAME,
    about: "opens the cheapest patterns, then improves neighbouring clusters while that pays; time about n log n",
    paper: "ours; Pisinger and Ropke, Computers and Operations Research 2007",
    params: &[
        Param {
            name: "effort",
            about: "fast makes the start only, balanced improves it while that pays well, best while it pays at all",
            range: Range::Choice(&["fast", "balanced", "best"]),
            default: Some(Value::Word("balanced")),
        },
        Param {
            name: "rounds",
            about: "exactly so many rounds of improvement, whatever the effort; 0 leaves it to the effort",
            range: Range::Integer(0, u64::MAX),
            default: Some(Value::Integer(0)),
        },
        Param {
            name: "seconds",
            about: "ends the search by the clock; 0 sets no time. The plan beside the release says how many rounds that were",
            range: Range::Number(0.0, 1e9),
            default: Some(Value::Number(0.0)),
        },
    ],
    build: |params| {
        let seconds = params.number("seconds");
        Box::new(Engine {
            effort: params.word("effort"),
            rounds: params.integer("rounds"),
            time: (seconds > 0.0).then(|| Duration::from_secs_f64(seconds)),
        })
    },
};

/// With this many rows a balanced search would have one round, with half of them four: small tables take little time anyway.
const ROWS: f64 = 212_000.0;
/// So many times as many where sensitive values matter: the start leaves more to be gained.
const GUARDED: f64 = 3.0;
/// The fewest rounds of a balanced search, and the most that make sense.
const BALANCED: (f64, f64) = (12.0, 200.0);
/// All rounds together look at so many rows at most, so that small tables do not take much longer than larger ones.
const LOOKS: f64 = 1.6e6;
/// What some rounds of a balanced search have to gain, as a share of the loss, or it ends,
const GAIN: f64 = 3e-4;
/// over so many rounds at most. On small tables a few lucky steps make all the gain, and waiting for them takes little time.
const PATIENCE: f64 = 18.0;

struct Engine {
    effort: &'static str,
    rounds: u64,
    time: Option<Duration>,
}

impl Engine {
    fn budget(&self, problem: &Problem) -> Budget {
        let until = self.time.map(|time| Instant::now() + time);
        let (rounds, least_gain, patience) = match (self.rounds, self.effort, until) {
            (0, "fast", _) => (0, 0.0, 1),
            (0, "balanced", None) => balanced(problem),
            (0, _, _) => (u64::MAX, 1e-4, 200),
            // More patience than one round, so that all of them are whole, as they are when the clock ends them.
            (rounds, _, _) => (rounds, f64::NEG_INFINITY, 2),
        };
        Budget { rounds, least_gain, patience, until }
    }
}

/// The number of rounds, and what is to be gained in how many of them.
fn balanced(problem: &Problem) -> (u64, f64, usize) {
    let rows = problem.rows().max(1) as f64;
    let more = if problem.guarded() { GUARDED } else { 1.0 };
    let rounds = (ROWS / rows).powi(2).min(LOOKS / rows) * more;
    let rounds = rounds.clamp(BALANCED.0, BALANCED.1);
    // One round from 45,000 rows on, all the patience up to 31,000.
    let patience = ((rounds - 20.0) / 1.5).clamp(1.0, PATIENCE);
    (rounds as u64, GAIN, patience as usize)
}

impl Partitioner for Engine {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let budget = self.budget(problem);
        let surrogate = Surrogate::new(problem)?;
        let start = if problem.guarded() {
            local_growth::start(problem, &surrogate, self.effort != "fast", progress)?
        } else {
            patterns::start(problem, &surrogate, progress)?
        };
        let (partition, rounds) = improve(problem, &surrogate, start, budget, progress)?;
        Ok(match (self.time, self.effort) {
            (None, _) => partition,
            (Some(_), "fast") if rounds == 0 => partition.made_by(Spec::new(format!("{NAME}(effort=fast)"))),
            (Some(_), "fast") => partition.made_by(Spec::new(format!("{NAME}(effort=fast, rounds={rounds})"))),
            // Where there was nothing to improve one round does no harm.
            (Some(_), _) => partition.made_by(Spec::new(format!("{NAME}(rounds={})", rounds.max(1)))),
        })
    }
}
