//! Microaggregation: clusters with little squared error, for [centres](crate::algorithms::forms::centres).
//!
//! # Idea
//! Records are points: numbers are standardized, other columns have an axis for each value. The squared error (SSE) is the sum of the squared
//! distances of all records from the means of their clusters. [MDAV](super::mdav) forms first clusters. Then simulated annealing lowers the
//! squared error: records move to clusters of near records, change places with their members, and clusters are dissolved and founded, at first
//! even where that costs something, later only where it does not. At last every record is tried once more with all its near clusters.
//!
//! # Choices
//! - It keeps the squared error low, not the measure of the plan. The squared error is no function of a closure, so it cannot be a measure
//!   that every algorithm follows.
//! - A cluster takes no more than 2k − 1 records, because a larger one can be cut in two without more error. Where a constraint looks at
//!   sensitive values, clusters may be larger, the clusters of MDAV are mended first, and a step that breaks a constraint is taken back.
//! - Tables of more than 6,000 records are searched in blocks of near records. A second round cuts the clusters at other places, with little
//!   heat, so that clusters at the edges of the first blocks find their neighbours. MDAV starts on the whole table up to 50,000 records, and in
//!   the blocks beyond. No block loses more after the search than before.
//! - With n records, each of them gets √(5000/n) times `moves` proposals, but no more than twice and no less than a tenth of `moves`. Where a
//!   constraint looks at sensitive values, it gets a fifth of that.
//! - All records count alike, and a missing number stands at the mean of its column.
//!
//! # Complexity
//! O(n · (moves + n/k) · columns) up to 50,000 records, O(n · (moves + block/k) · columns) beyond, in parallel over the blocks.
//!
//! # Paper
//! Domingo-Ferrer and Torra: Ordinal, continuous and heterogeneous k-anonymity through microaggregation. DMKD 2005. Kirkpatrick, Gelatt and
//! Vecchi: Optimization by simulated annealing. Science 1983.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --publish centres --partitioner microaggregation
//! ```

mod blocks;
mod near;
mod search;
mod state;

use rayon::prelude::*;

use super::{Build, Partitioner, mdav, mended};
use crate::cluster::points::Points;
use crate::error::Result;
use crate::problem::{Partition, Problem, mixed};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};
use blocks::Items;
use near::Near;
use search::Search;
use state::State;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "microaggregation",
    about: "MDAV, then simulated annealing, for a low squared error of centres; time moves n",
    paper: "Domingo-Ferrer and Torra, DMKD 2005; Kirkpatrick, Gelatt and Vecchi, Science 1983",
    params: &[Param {
        name: "moves",
        about: "proposed moves per record, fewer in large tables and where sensitive values are protected",
        range: Range::Integer(0, 1_000_000),
        default: Some(Value::Integer(3000)),
    }],
    build: |params| Box::new(Microaggregation { moves: params.integer("moves") }),
};

struct Microaggregation {
    moves: u64,
}

/// The number of records that are searched together.
const MAX_BLOCK: usize = 6000;
/// The number of records up to which MDAV starts on the whole table. Its time grows with the square of the records.
const MAX_WHOLE_START: usize = 50_000;
/// The share of records before the first cut into blocks, for each round. A table of one block has one round.
const CUTS: [f64; 2] = [0.5, 0.36];
/// The number of records of which each gets just its moves. With more records it gets fewer, in inverse proportion to the root of their number.
const USUAL_ROWS: f64 = 5000.0;
/// The least and the most that a record gets, as shares of its moves.
const LEAST_SHARE: f64 = 0.1;
const MOST_SHARE: f64 = 2.0;
/// The share of its moves that a record gets where a constraint looks at sensitive values, because each step is checked then.
const GUARDED_SHARE: f64 = 0.2;
/// With so many moves per record the first round begins with all heat; with fewer, it would spend them on undoing MDAV.
const HEATED_MOVES: f64 = 3000.0;
/// How much colder the end is where a table has several blocks. Records that lie close make up most of large tables.
const LARGE_COLD: f64 = 0.04;
/// The heat of the second round, as a share of that of the first.
const SECOND_HEAT: f64 = 0.02;

impl Partitioner for Microaggregation {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let (rows, points) = (problem.rows(), Points::new(&problem.encoded));
        let share = (USUAL_ROWS / rows.max(1) as f64).sqrt().clamp(LEAST_SHARE, MOST_SHARE);
        let share = if problem.guarded() { share * GUARDED_SHARE } else { share };
        let most = MAX_BLOCK.max(8 * problem.min_size());
        let run = Run { problem, points, most, moves: self.moves as f64 * share };
        let cuts = if rows <= most { &CUTS[..1] } else { &CUTS[..] };
        progress.begin("partitioning", (rows * (1 + cuts.len())) as u64)?;
        let mut partition = run.start(progress)?;
        for round in 0..cuts.len() {
            partition = run.round(&partition, round, progress)?;
        }
        Ok(partition)
    }
}

struct Run<'a> {
    problem: &'a Problem,
    points: Points<'a>,
    /// The number of records of a block.
    most: usize,
    /// The number of proposals per record.
    moves: f64,
}

impl Run<'_> {
    /// The clusters of MDAV in each block, mended where a constraint looks at sensitive values.
    fn start(&self, progress: Progress) -> Result<Partition> {
        let (problem, points) = (self.problem, &self.points);
        let items = Items { width: points.width(), size: &|_| 1, on: &|row, axis| points.on(row, axis) };
        let most = if problem.rows() <= MAX_WHOLE_START { MAX_WHOLE_START } else { self.most };
        let blocks = items.blocks((0..problem.rows() as u32).collect(), most, CUTS[0]);
        let clusters: Vec<Vec<Vec<u32>>> = blocks
            .par_iter()
            .map(|rows| {
                let clusters = mdav::clusters(&points.cloud(rows), problem.min_size(), progress)?;
                let of = |cluster: Vec<u32>| cluster.into_iter().map(|point| rows[point as usize]).collect();
                Ok(clusters.into_iter().map(of).collect())
            })
            .collect::<Result<_>>()?;
        let partition = Partition::new(problem.rows(), clusters.into_iter().flatten())?;
        if problem.guarded() { mended(problem, partition, progress) } else { Ok(partition) }
    }

    /// Cuts the clusters into blocks and searches each of them.
    fn round(&self, partition: &Partition, round: usize, progress: Progress) -> Result<Partition> {
        let clusters: Vec<&[u32]> = partition.clusters().collect();
        let mean = |cluster: u32, axis: usize| {
            let rows = clusters[cluster as usize];
            rows.iter().map(|row| self.points.on(*row, axis)).sum::<f64>() / rows.len() as f64
        };
        let items = Items { width: self.points.width(), size: &|cluster| clusters[cluster as usize].len(), on: &mean };
        let blocks = items.blocks((0..clusters.len() as u32).collect(), self.most, CUTS[round]);
        let of = |block: &Vec<u32>| block.iter().map(|cluster| clusters[*cluster as usize]).collect::<Vec<_>>();
        let searched: Vec<Vec<Vec<u32>>> = blocks
            .par_iter()
            .enumerate()
            .map(|(number, block)| self.search(&of(block), round, number as u64, progress))
            .collect::<Result<_>>()?;
        Partition::new(self.problem.rows(), searched.into_iter().flatten())
    }

    /// The clusters of one block after the search. It never loses more than they do now: on a large table, few moves per record may
    /// leave an annealed search in a worse place, and then it only descends.
    fn search(&self, clusters: &[&[u32]], round: usize, block: u64, progress: Progress) -> Result<Vec<Vec<u32>>> {
        let rows: Vec<u32> = clusters.concat();
        let cloud = self.points.cloud(&rows);
        let mut points = 0..rows.len() as u32;
        let clusters: Vec<Vec<u32>> =
            clusters.iter().map(|cluster| points.by_ref().take(cluster.len()).collect()).collect();
        let begin = || State::new(self.problem, &rows, &cloud, clusters.clone());
        let least = begin().least;
        let near = Near::new(&cloud, (2 * least).clamp(10, 30));
        let seed = mixed(self.problem.seed, (round as u64) << 32 | block);
        let heat = (self.moves / HEATED_MOVES).min(1.0) * if round == 0 { 1.0 } else { SECOND_HEAT };
        let cold = if self.problem.rows() <= self.most { 1.0 } else { LARGE_COLD };
        let mut search = Search::new(begin(), &near, seed);
        let before = search.state.error();
        search.halve_all();
        search.anneal((self.moves * rows.len() as f64) as u64, (heat, cold), progress)?;
        search.halve_all();
        search.descend(progress)?;
        if search.state.error() > before {
            search = Search::new(begin(), &near, seed);
            search.halve_all();
            search.descend(progress)?;
        }
        progress.advance(rows.len() as u64)?;
        Ok(search.state.finish())
    }
}
