//! Sequential clustering: move records one by one to where they cost least, until no move helps.
//!
//! # Idea
//! Begin with a random partition into ⌊n/k₀⌋ clusters of about k₀ = αk records. Go over the records again
//! and again, in the order of the table. Each record moves to the cluster where the loss falls most, if
//! there is one. A record that is alone in its cluster moves in any case, and the cluster vanishes.
//! Clusters of more than ωk records are split at random into halves. After a pass without a move, the two
//! closest of the clusters that are too small are united, again and again, until one of them is left. That
//! one joins the cluster closest to it.
//!
//! # Choices
//! - The paper lets sizes vary in [2, ωk]. Its text splits a cluster as soon as it is too large
//!   (`split=once`, the default), its Algorithm 1 after the pass (`split=pass`). On Adult by suppression
//!   `split=once` loses less for small k, and takes longer. A cluster with a single record ends when that
//!   record's turn comes, as in Algorithm 1.
//! - If n is not a multiple of the number of clusters, the sizes at the start differ by at most one.
//! - Of several best clusters the first is taken; the second halves of splits come last. Costs that are
//!   equal by definition are equal numbers here, because all of them are sums of multiples of one unit.
//!   That matters: with suppression most records have several best clusters.
//! - A gain within the rounding error does not count.
//! - The search ends after 100 passes at the latest; see below.
//! - With `restarts`, the best of several runs from different random partitions is kept, the first of
//!   equally good ones.
//!
//! # Sensitive values
//! If constraints look at sensitive values, this is Algorithm 2 of the paper. The start is a random
//! partition that keeps the distribution of the sensitive values, its Algorithm 3. A record moves only if
//! both the cluster it leaves and the cluster it joins still satisfy those constraints, whatever their
//! sizes. It goes to the cheapest of the clusters that may have it. Clusters above ωk are split by
//! Algorithm 3, too, if both halves satisfy the constraints. Uniting small clusters needs no check if all
//! constraints are monotone; otherwise broken clusters are mended like those of any other algorithm. We
//! added:
//! - Algorithm 3 rounds at random. If a part does not satisfy the constraints then, the rounding is chosen
//!   so that it does, if possible.
//! - If no start with ⌊n/k₀⌋ clusters is possible, the paper gives up, with one cluster for all records.
//!   Here the start has fewer and larger clusters: an eighth fewer at a time, until they satisfy the
//!   constraints. Two starts are tried and the better result is kept: a random one, and one of similar
//!   records. Large clusters of random records have nothing in common that would attract a record.
//! - Records that sensitive values hold back may move together, or be exchanged (`moves=together`). With
//!   `moves=single`, the rule of the paper, few records can move when a model is close to what the table
//!   allows, and much more is lost.
//! - After a pass that moved nothing but split a cluster, there is another pass.
//!
//! # Termination
//! By the rule of the paper (passes until none moves a record), the search need not end when clusters are
//! split. Take the records a, a, a, b with k = 2 and ω = 1.5. Any two halves are {a, a} and {a, b}. The a
//! of the second half gains by leaving it. Then b is alone and has to follow. Four records are more than
//! ωk, so they are split again, forever. With a measure that grows with the closure, moves and splits never
//! raise the loss, so only records that are left alone can pay for the next round. Without them every round
//! would lower the loss or be the last.
//!
//! In practice only a few records go round like this, and only without changing the loss noticeably; with
//! larger k, with hierarchies, or with suppression the search usually ends by itself. The text of the
//! paper, but not its Algorithm 1, also allows to stop when the improvements are small. A limit on the
//! number of passes does the same and needs no threshold.
//!
//! # Complexity
//! O(n²/k · columns) for each of the first passes. Two things make it fast without changing the result.
//! Lower bounds on the cost of joining each cluster turn a scan into a few additions over consecutive
//! numbers. And each record remembers what it found at its last turn, so later passes look only at clusters
//! that have changed. Bounds are possible if all records pay alike and the measure grows with the closure,
//! and also if there are few kinds of payers and columns are short or suppressed; otherwise every cluster
//! is asked. Constraints on sensitive values make it several times slower, the more the closer they are to
//! what the table allows.
//!
//! # Paper
//! Goldberger and Tassa: Efficient anonymizations with enhanced utility. Transactions on Data Privacy 3,
//! 2010, Algorithms 1 to 3.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'sequential(restarts=5)'
//! ```

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
            about: "the number of runs from different random starts; the best result is kept",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(1)),
        },
        Param {
            name: "moves",
            about: "records that sensitive values hold back may move together with others of their cluster, or only single records move",
            range: Range::Choice(&["together", "single"]),
            default: Some(Value::Word("together")),
        },
        Param {
            name: "split",
            about: "when clusters that are too large are split: at once, when a record joins them, or after each pass",
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

/// The largest number of passes of a run.
const MAX_PASSES: usize = 100;

struct Sequential {
    alpha: f64,
    omega: f64,
    restarts: u64,
    together: bool,
    at_once: bool,
}

/// The result of a run.
#[derive(Default)]
struct Run {
    loss: f64,
    clusters: Clusters,
    start: Start,
}

/// How a run began.
#[derive(Default, Clone, Copy)]
enum Start {
    /// A random partition into as many clusters as the paper asks for.
    #[default]
    AsAsked,
    /// A random partition into this many clusters, because more are not possible.
    Random(usize),
    /// A partition into this many clusters of similar records.
    Alike(usize),
}

impl Start {
    /// The remark about a start that differs from the paper's.
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
    /// One run from each start, of which the best is kept. All of them together advance the progress by
    /// `share`.
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
            for _ in 0..MAX_PASSES {
                let moved = groups.pass(rng, progress)? | self.split(problem, &mut groups, rng);
                // The number of passes is unknown, so each counts for a quarter of what is left.
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

    /// The number of clusters that the start should have.
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

    /// A random partition that satisfies the constraints on sensitive values. If it cannot have as many
    /// clusters as it should, also one of similar records.
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

    /// Splits clusters that are too large into random halves, the first of which keeps the place. Returns
    /// whether another pass has to follow because of a split.
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

/// Unites the clusters that break a constraint.
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
