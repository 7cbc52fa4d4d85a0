//! Sequential clustering: move records one by one to where they cost least, until no move helps.
//!
//! # Idea
//! Begin with a random partition into ⌊n/k₀⌋ clusters of about k₀ = αk records. Go over the records again and again,
//! in the order of the table; each moves to the cluster where the loss falls most, if there is one. A record that is
//! alone in its cluster moves in any case, and the cluster vanishes. Clusters of more than ωk records are split at
//! random into halves. After a pass without a move, the two [closest](super::merging) of the clusters
//! that are too small are united until one of them is left, and that one joins the cluster closest to it.
//!
//! # Choices
//! - The paper lets sizes vary in [2, ωk]. Its text splits a cluster when it becomes larger (`split=once`, the default), its
//!   Algorithm 1 after the pass (`split=pass`). On Adult by suppression, with three or four seeds, the text loses 4 % less at k = 10, 2 % less
//!   at k = 20, as much at k = 50, and 1 % more at k = 100, in about half as much time again. A cluster that is down to a single record
//!   ends when that record's turn comes, as in Algorithm 1.
//! - Where n leaves more than one record over for each of the clusters, they are as equal in size as can be.
//! - Of several best clusters the first is taken; the second halves of splits come last. Costs that are equal by definition are
//!   equal numbers, because all of them are sums of multiples of one unit (`cost/units.rs`). That matters: by suppression most
//!   records have several best clusters.
//! - A gain that is no more than a rounding error is none.
//! - Passes end after the 100th, see below.
//! - With restarts, the best of several runs from different random partitions is kept, the first of equals.
//!
//! # Sensitive values
//! Where constraints look at sensitive values, it is the paper's Algorithm 2. The start is a random partition that keeps the
//! distribution of the sensitive values, its Algorithm 3 ([`dealing`]); a record moves only if the cluster it leaves and the one
//! it joins both go on satisfying those constraints, whatever their sizes; the cheapest of the clusters that may have it
//! counts. Clusters above ωk are split by Algorithm 3, too, if both halves hold. Uniting small clusters needs no check
//! where all constraints are monotone; else what breaks is mended like the clusters of any other algorithm. We added:
//! - Algorithm 3 rounds at random. If a part does not hold then, the rounding is chosen so that it does, if that can be.
//! - Where there is no such start of ⌊n/k₀⌋ clusters the paper gives up, with one cluster for all. Here there are fewer and
//!   larger ones, by an eighth at a time until they hold, and two starts of which the better result is kept: a
//!   random one, and one of records that are alike. Large clusters of random records have nothing in common that would draw
//!   any record anywhere.
//! - Records that sensitive values hold back may move together, or are exchanged ([`company`]). Without that
//!   (`moves=single`, the paper's rule) few can move near the most that the table allows: on Adult by suppression,
//!   k = 50, LM is .72 instead of .63 with ℓ = 1.32 on income, and .62 instead of .50 with ℓ = 3 on education.
//! - After a pass that moved nothing but split a cluster there is another.
//!
//! # Whether it ends
//! By the paper's rule, passes until none moves a record, it need not, whenever clusters are split. The records a, a, a, b with k = 2 and ω = 1.5
//! go round for ever: any two halves are {a, a} and {a, b}; the a of the second gains by leaving it; b is alone then
//! and has to follow; four records are more than ωk and are split again. By a measure that grows with the closure,
//! moves and splits never raise the loss, so it is the records left alone that pay for the next round. Without them
//! every round would lower the loss or be the last.
//!
//! On Adult that happens to a few records: with 8 columns as ranges and sets, k = 10 and `split=pass`, about 20 records still move
//! in each of 1,500 passes, with two or three clusters that vanish and as many splits. The loss does not change by
//! that: it is the same to three digits after 20, 100 and 500 passes. With larger k, with hierarchies, or by
//! suppression it ended by itself in all runs tried, after 7 to 33 passes. The paper's text, though not its
//! Algorithm 1, also allows to stop when the improvements are small; a number of passes does the same and asks for
//! no threshold.
//!
//! # Complexity
//! O(n²/k · columns) for each of the first passes. Two things make it fast without changing the result, and both are proven
//! in [`scan`] and [`pass`]: bounds on what joining each cluster costs, kept such that a scan is a few additions over
//! consecutive numbers; and the memory of what each record found at its last turn, so that later passes look at
//! clusters that have changed only. There are bounds where all records pay alike and the measure grows with the closure, and where
//! few payers are told apart and columns are short or suppressed; else every cluster is asked. With constraints on sensitive values it takes several times as long, the more the closer
//! they are to what the table allows.
//!
//! # Paper
//! Goldberger, Tassa: Efficient anonymizations with enhanced utility. Transactions on Data Privacy 3, 2010, Algorithms 1 to 3.

mod company;
mod dealing;
mod group;
mod guard;
mod pass;
mod scan;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use self::group::Group;
use self::guard::Guard;
use self::pass::{Groups, Rules};
use super::{Build, Partitioner};
use crate::cluster::joining::Clusters;
use crate::cluster::merging::{Piece, Pool, closest};
use crate::cost::{self, Costs};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "sequential",
    about: "moves records one by one to where they cost least, from a random start; time n^2/k a pass",
    paper: "Goldberger and Tassa, Transactions on Data Privacy 2010",
    params: &[
        Param {
            name: "alpha",
            about: "the size of the clusters at the start, as a multiple of k",
            range: Range::Number(0.0, 1.0),
            default: Some(Value::Number(0.5)),
        },
        Param {
            name: "omega",
            about: "the size above which clusters are split, as a multiple of k",
            range: Range::Number(1.0, 2.0),
            default: Some(Value::Number(1.5)),
        },
        Param {
            name: "restarts",
            about: "how many runs from different random starts the best is taken of",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(1)),
        },
        Param {
            name: "moves",
            about: "together: records that sensitive values hold back may take others of their cluster along",
            range: Range::Choice(&["together", "single"]),
            default: Some(Value::Word("together")),
        },
        Param {
            name: "split",
            about: "clusters that are too large are split at once, when a record joins them, or after each pass",
            range: Range::Choice(&["once", "pass"]),
            default: Some(Value::Word("once")),
        },
    ],
    build: |params| {
        Box::new(Sequential {
            alpha: params.number("alpha"),
            omega: params.number("omega"),
            restarts: params.integer("restarts"),
            together: params.word("moves") == "together",
            at_once: params.word("split") == "once",
        })
    },
};

/// Passes end after so many.
const PASSES: usize = 100;

struct Sequential {
    alpha: f64,
    omega: f64,
    restarts: u64,
    together: bool,
    at_once: bool,
}

/// Where a run ended.
#[derive(Default)]
struct Run {
    loss: f64,
    clusters: Clusters,
    start: Start,
}

/// Where a run began.
#[derive(Default, Clone, Copy)]
enum Start {
    /// A random partition into as many clusters as the paper says.
    #[default]
    AsAsked,
    /// One into so many, because more cannot be had.
    Random(usize),
    /// One into so many clusters of records that are alike.
    Alike(usize),
}

impl Start {
    /// What to say about it, where it is not the paper's into so many clusters.
    fn remark(self, asked: usize) -> Option<String> {
        let (clusters, what) = match self {
            Start::AsAsked => return None,
            Start::Random(clusters) => (clusters, "random clusters"),
            Start::Alike(clusters) => (clusters, "clusters of similar records"),
        };
        Some(format!(
            "began with {clusters} {what}: sensitive values do not allow the {asked} that the algorithm asks for"
        ))
    }
}

impl Partitioner for Sequential {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let rows = problem.rows() as u64;
        progress.begin("partitioning", rows)?;
        let costs = Costs::new(problem);
        let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
        let mut best: Option<Run> = None;
        for run in 0..self.restarts {
            let share = rows * (run + 1) / self.restarts - rows * run / self.restarts;
            let run = self.run(problem, &costs, &mut rng, share, progress)?;
            if best.as_ref().is_none_or(|best| run.loss < best.loss) {
                best = Some(run);
            }
        }
        let Run { clusters, start, .. } = best.unwrap_or_default();
        Ok(clusters.finish(problem)?.remarked(start.remark(self.count(problem))))
    }
}

impl Sequential {
    /// One run from each start, of which the best is kept; they advance by `share`.
    fn run(
        &self,
        problem: &Problem,
        costs: &Costs,
        rng: &mut ChaCha12Rng,
        share: u64,
        progress: Progress,
    ) -> Result<Run> {
        let guard = Guard::new(problem);
        let starts = match &guard {
            Some(guard) => self.guarded_starts(guard, rng),
            None => vec![(Start::AsAsked, self.start(problem, rng))],
        };
        let mut left = share;
        let mut best: Option<Run> = None;
        for (start, rows) in starts {
            let rules = Rules { together: self.together, most: self.at_once.then(|| self.most(problem)) };
            let mut groups = Groups::new(problem, costs, guard.as_ref(), rules, &rows);
            for _ in 0..PASSES {
                let moved = groups.pass(rng, progress)? | self.split(problem, &mut groups, rng);
                // How many passes there will be nobody knows: each counts for a quarter of what is left.
                progress.advance(left / 4)?;
                left -= left / 4;
                if !moved {
                    break;
                }
            }
            let clusters = unite(problem, costs, groups.finish(), progress)?;
            let loss = cost::loss(&*problem.measure, &clusters.states, problem.rows());
            if best.as_ref().is_none_or(|best| loss < best.loss) {
                best = Some(Run { loss, clusters, start });
            }
        }
        progress.advance(left)?;
        Ok(best.unwrap_or_default())
    }

    /// How many clusters the start has.
    fn count(&self, problem: &Problem) -> usize {
        let size = (self.alpha * problem.min_size() as f64).round() as usize;
        problem.rows() / size.clamp(1, problem.rows().max(1))
    }

    /// A random partition.
    fn start(&self, problem: &Problem, rng: &mut ChaCha12Rng) -> Vec<Vec<u32>> {
        let mut rows: Vec<u32> = (0..problem.rows() as u32).collect();
        rows.shuffle(rng);
        let count = self.count(problem);
        let mut rest = rows.as_slice();
        let mut clusters = Vec::with_capacity(count);
        for cluster in 0..count {
            let (first, behind) = rest.split_at(rest.len().div_ceil(count - cluster));
            clusters.push(first.to_vec());
            rest = behind;
        }
        clusters
    }

    /// A random partition that sensitive values allow; where it cannot have as many clusters as it should, also one of
    /// records that are alike.
    fn guarded_starts(&self, guard: &Guard, rng: &mut ChaCha12Rng) -> Vec<(Start, Vec<Vec<u32>>)> {
        let rows: Vec<u32> = (0..guard.problem().rows() as u32).collect();
        let most = self.count(guard.problem());
        if let Some(start) = dealing::split(guard, &rows, most, rng) {
            return vec![(Start::AsAsked, start)];
        }
        let fewer =
            || std::iter::successors(Some(most), |count| (*count > 1).then(|| count - count.div_ceil(8))).skip(1);
        let random = fewer().find_map(|count| dealing::split(guard, &rows, count, rng));
        let alike = fewer().find_map(|count| dealing::split_alike(guard, &rows, count));
        let random = random.map(|start| (Start::Random(start.len()), start));
        let alike = alike.map(|start| (Start::Alike(start.len()), start));
        let starts: Vec<_> = random.into_iter().chain(alike).collect();
        if starts.is_empty() { vec![(Start::Random(1), vec![rows])] } else { starts }
    }

    /// The size above which clusters are split.
    fn most(&self, problem: &Problem) -> f64 {
        self.omega * problem.min_size() as f64
    }

    /// Splits clusters that are too large into random halves, the first of which keeps the place. True when the end has to
    /// wait for that.
    fn split(&self, problem: &Problem, groups: &mut Groups, rng: &mut ChaCha12Rng) -> bool {
        let mut split = false;
        for (group, rows) in groups.rows().into_iter().enumerate() {
            if rows.len() as f64 > self.most(problem) {
                split |= groups.halve(group, rows, rng) && problem.guarded();
            }
        }
        groups.close_ranks();
        split
    }
}

/// Unites the clusters that do not hold.
fn unite(problem: &Problem, costs: &Costs, groups: Vec<(Group, Vec<u32>)>, progress: Progress) -> Result<Clusters> {
    let mut done = Clusters::default();
    let mut small = Vec::new();
    for (group, rows) in groups {
        if problem.holds(group.state()) {
            done.push(group.into_state(), rows);
        } else {
            small.push(Piece { state: group.into_state(), rows });
        }
    }
    let mut pool = Pool::new(problem, costs, small, progress)?;
    while let Some(united) = pool.unite_closest()? {
        if problem.holds(&united.state) {
            done.push(united.state, united.rows);
        } else {
            pool.push(united);
        }
    }
    for piece in pool.rest() {
        match closest(costs, &done.states, &piece.state) {
            Some(nearest) => {
                problem.join(&mut done.states[nearest as usize], &piece.state);
                done.rows[nearest as usize].extend(piece.rows);
            }
            None => done.push(piece.state, piece.rows),
        }
    }
    Ok(done)
}
