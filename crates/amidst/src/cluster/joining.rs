//! Fast costs of adding one more record to a cluster.
//!
//! Clustering algorithms compare a cluster with thousands of records, or a record with thousands of
//! clusters. Two things make that fast without changing any result:
//!
//! - Records that look the same to the measure form one [kind](Kinds): they have the same quasi-identifiers
//!   and, if the measure looks at them, the same sensitive values.
//! - By most measures the cost of a cluster is its size times a sum over the columns. Then [`Joining`]
//!   tabulates, once for each cluster, what each value of each column would make of the closure, and a
//!   record costs one look-up per column. For other measures the [costs](Costs) are asked directly.
//!
//! Scans run in parallel and return the first of several equal candidates, so they do not depend on the
//! threads.

use rand::{Rng, RngExt};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::cost::{Costs, Payers};
use crate::encode::{Code, Domain, Span};
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;

/// Shorter scans run on one thread.
const MIN_PARALLEL_SCAN: usize = 8192;

/// The records of a problem, grouped by what a measure can see of them.
pub(crate) struct Kinds {
    /// The rows of each kind.
    rows: Vec<Vec<u32>>,
}

impl Kinds {
    pub(crate) fn new(problem: &Problem) -> Self {
        Kinds::of(problem, 0..problem.rows() as u32)
    }

    /// The kinds of some rows, which are sorted.
    fn of(problem: &Problem, among: impl IntoIterator<Item = u32>) -> Self {
        let encoded = &problem.encoded;
        let mut known: FxHashMap<(u32, Option<u32>, Vec<Code>), usize> = FxHashMap::default();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for row in among {
            let seen = problem.watched().iter().map(|s| s.row(row)).collect();
            let kind = *known.entry((encoded.tuple_of(row), problem.own(row), seen)).or_insert_with(|| {
                rows.push(Vec::new());
                rows.len() - 1
            });
            rows[kind].push(row);
        }
        Kinds { rows }
    }

    /// The number of kinds.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The sorted rows of a kind.
    pub(crate) fn rows(&self, kind: u32) -> &[u32] {
        &self.rows[kind as usize]
    }

    /// A row that represents its kind.
    pub(crate) fn row(&self, kind: u32) -> u32 {
        self.rows[kind as usize][0]
    }
}

/// A cluster, prepared for the question what it costs with one more record.
pub(crate) enum Joining<'a> {
    /// For measures by which all records pay alike: what each code of each column would make a record pay.
    Tabled { problem: &'a Problem, size: f64, tables: Vec<Vec<f64>> },
    /// For all other measures.
    Asked { costs: &'a Costs<'a>, cluster: Cluster },
}

impl<'a> Joining<'a> {
    pub(crate) fn new(costs: &'a Costs<'a>, cluster: &Cluster) -> Self {
        if costs.kind() != Payers::Alike {
            return Joining::Asked { costs, cluster: cluster.clone() };
        }
        let problem = costs.problem();
        let columns = problem.encoded.domains().iter().zip(cluster.closure()).enumerate();
        let table = |(column, (domain, span)): (usize, (&Domain, &Span))| {
            let part = |code| costs.part(column, domain.join(*span, domain.span(code)), 0);
            (0..domain.len() as Code).map(part).collect()
        };
        Joining::Tabled { problem, size: cluster.size() as f64 + 1.0, tables: columns.map(table).collect() }
    }

    /// The cost of the cluster with the row, minus the constant of the row. Differences between rows are
    /// those of the losses.
    #[inline]
    pub(crate) fn cost(&self, row: u32) -> f64 {
        match self {
            Joining::Tabled { problem, size, tables } => {
                let codes = problem.encoded.row(row);
                let parts = tables.iter().zip(codes).map(|(table, code)| table[*code as usize]);
                size * parts.sum::<f64>() - problem.measure.record(row)
            }
            Joining::Asked { costs, cluster } => costs.with(cluster, row) - costs.problem().measure.record(row),
        }
    }

    /// The first of the kinds that cost least.
    pub(crate) fn cheapest(&self, kinds: &Kinds, among: &[u32]) -> Option<u32> {
        least(among, |kind| self.cost(kinds.row(kind)))
    }

    /// The first of the kinds that cost most.
    pub(crate) fn dearest(&self, kinds: &Kinds, among: &[u32]) -> Option<u32> {
        least(among, |kind| -self.cost(kinds.row(kind)))
    }
}

/// The first of the candidates with the least `value`.
pub(crate) fn least(among: &[u32], value: impl Fn(u32) -> f64 + Sync) -> Option<u32> {
    let first = |a: (f64, u32), b: (f64, u32)| if b.0 < a.0 { b } else { a };
    let scan = |part: &[u32]| part.iter().map(|c| (value(*c), *c)).reduce(first);
    let best = if among.len() < MIN_PARALLEL_SCAN {
        scan(among)
    } else {
        // Parts are compared in order, so that the first of equal ones is found whatever the threads do.
        let parts: Vec<_> = among.par_chunks(MIN_PARALLEL_SCAN / 2).map(scan).collect();
        parts.into_iter().flatten().reduce(first)
    };
    best.map(|(_, candidate)| candidate)
}

/// Clusters while they are formed.
#[derive(Default)]
pub(crate) struct Clusters {
    pub(crate) states: Vec<Cluster>,
    pub(crate) rows: Vec<Vec<u32>>,
}

impl Clusters {
    pub(crate) fn push(&mut self, state: Cluster, rows: Vec<u32>) {
        self.states.push(state);
        self.rows.push(rows);
    }

    /// Puts a row into a cluster.
    pub(crate) fn add(&mut self, problem: &Problem, cluster: usize, row: u32) {
        problem.add(&mut self.states[cluster], row);
        self.rows[cluster].push(row);
    }

    /// Puts each row into the cluster whose loss it raises least, among those that it does not take farther
    /// from satisfying the constraints. Rows without such a cluster form one new cluster.
    pub(crate) fn place(&mut self, problem: &Problem, rows: Vec<u32>) {
        let rest = self.place_some(problem, rows);
        if let Some(state) = problem.cluster(&rest) {
            self.push(state, rest);
        }
    }

    /// Like [`place`](Self::place), but returns the rows without such a cluster.
    pub(crate) fn place_some(&mut self, problem: &Problem, rows: Vec<u32>) -> Vec<u32> {
        let all: Vec<u32> = (0..self.states.len() as u32).collect();
        let spoils = |cluster: &Cluster, row: u32| {
            problem.guarded() && problem.lack_with(&mut cluster.clone(), row) > problem.lack(cluster)
        };
        let mut rest = Vec::new();
        for row in rows {
            let more = |c: u32| {
                let cluster = &self.states[c as usize];
                if spoils(cluster, row) {
                    return f64::INFINITY;
                }
                let mut with = cluster.clone();
                problem.add(&mut with, row);
                problem.measure.cluster(&with) - problem.measure.cluster(cluster)
            };
            match least(&all, more) {
                Some(nearest) if !spoils(&self.states[nearest as usize], row) => {
                    self.add(problem, nearest as usize, row);
                }
                _ => rest.push(row),
            }
        }
        rest
    }

    pub(crate) fn extend(&mut self, more: Clusters) {
        self.states.extend(more.states);
        self.rows.extend(more.rows);
    }

    /// The partition of these clusters.
    pub(crate) fn finish(self, problem: &Problem) -> Result<Partition> {
        self.finish_without(problem, Vec::new())
    }

    /// The partition of these clusters, with the other rows suppressed.
    pub(crate) fn finish_without(self, problem: &Problem, mut left_out: Vec<u32>) -> Result<Partition> {
        left_out.sort_unstable();
        Partition::suppressing(problem.rows(), self.rows, left_out)
    }
}

/// The rows that are in no cluster yet, by kind.
pub(crate) struct Free {
    /// The number of remaining rows of each kind.
    left: Vec<usize>,
    /// The sorted kinds that have rows left. Those without are removed on request.
    kinds: Vec<u32>,
    weed: bool,
    rows: usize,
}

impl Free {
    pub(crate) fn new(kinds: &Kinds) -> Self {
        let left: Vec<usize> = kinds.rows.iter().map(Vec::len).collect();
        let rows = left.iter().sum();
        Free { left, kinds: (0..kinds.len() as u32).collect(), weed: false, rows }
    }

    /// The number of remaining rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The kinds that have rows left.
    pub(crate) fn kinds(&mut self) -> &[u32] {
        if self.weed {
            self.kinds.retain(|kind| self.left[*kind as usize] > 0);
            self.weed = false;
        }
        &self.kinds
    }

    /// The kind of a random remaining row; all rows are equally likely.
    pub(crate) fn random(&mut self, rng: &mut impl Rng) -> Option<u32> {
        if self.rows == 0 {
            return None;
        }
        let mut place = rng.random_range(0..self.rows);
        let kinds = self.kinds().to_vec();
        kinds.into_iter().find(|kind| {
            let left = self.left[*kind as usize];
            let here = place < left;
            place = place.wrapping_sub(left);
            here
        })
    }

    /// Whether a kind has rows left.
    pub(crate) fn has(&self, kind: u32) -> bool {
        self.left[kind as usize] > 0
    }

    /// Takes all remaining rows.
    pub(crate) fn rest(mut self, kinds: &Kinds) -> Vec<u32> {
        let mut rows = Vec::with_capacity(self.rows);
        while let Some(kind) = self.kinds().first().copied() {
            rows.push(self.take(kinds, kind));
        }
        rows
    }

    /// Gives back the row of a kind that was taken last.
    fn give_back(&mut self, kind: u32) {
        let left = &mut self.left[kind as usize];
        *left += 1;
        self.rows += 1;
        if let Err(place) = self.kinds.binary_search(&kind) {
            self.kinds.insert(place, kind);
        }
    }

    /// Takes the first remaining row of a kind, which must have some.
    pub(crate) fn take(&mut self, kinds: &Kinds, kind: u32) -> u32 {
        let rows = kinds.rows(kind);
        let left = &mut self.left[kind as usize];
        let row = rows[rows.len() - *left];
        *left -= 1;
        self.rows -= 1;
        self.weed |= *left == 0;
        row
    }
}

/// Grows one cluster after the other.
pub(crate) struct ClusterGrowth<'a> {
    problem: &'a Problem,
    costs: &'a Costs<'a>,
    progress: Progress<'a>,
    pub(crate) kinds: Kinds,
    pub(crate) free: Free,
    clusters: Clusters,
    leftovers: Vec<u32>,
}

impl<'a> ClusterGrowth<'a> {
    pub(crate) fn new(costs: &'a Costs<'a>, progress: Progress<'a>) -> Self {
        ClusterGrowth::with(costs, Kinds::new(costs.problem()), progress)
    }

    /// Grows clusters of some rows, which are sorted.
    pub(crate) fn of(costs: &'a Costs<'a>, rows: &[u32], progress: Progress<'a>) -> Self {
        ClusterGrowth::with(costs, Kinds::of(costs.problem(), rows.iter().copied()), progress)
    }

    fn with(costs: &'a Costs<'a>, kinds: Kinds, progress: Progress<'a>) -> Self {
        let free = Free::new(&kinds);
        ClusterGrowth {
            problem: costs.problem(),
            costs,
            progress,
            kinds,
            free,
            clusters: Clusters::default(),
            leftovers: Vec::new(),
        }
    }

    /// Grows a cluster from a row of `seed` by the rows that raise its loss least, among those that bring
    /// it closer to satisfying the constraints, until it does. If sensitive values prevent that, only the
    /// seed is left over.
    pub(crate) fn grow(&mut self, seed: u32) -> Result<()> {
        let mut taken = Vec::new();
        let mut rows = vec![self.free.take(&self.kinds, seed)];
        let Some(mut cluster) = self.problem.cluster(&rows) else { return Ok(()) };
        while !self.problem.holds(&cluster) {
            let joining = Joining::new(self.costs, &cluster);
            let candidates = self.helpful(&cluster);
            let Some(next) = joining.cheapest(&self.kinds, &candidates) else { break };
            let row = self.free.take(&self.kinds, next);
            self.problem.add(&mut cluster, row);
            rows.push(row);
            taken.push(next);
        }
        if self.problem.guarded() && !self.problem.holds(&cluster) {
            taken.into_iter().rev().for_each(|kind| self.free.give_back(kind));
            rows.truncate(1);
        }
        self.keep(cluster, rows)
    }

    /// Grows clusters, each from the first free row. Returns those that satisfy the constraints, and the
    /// remaining rows.
    pub(crate) fn grow_all(mut self) -> Result<(Clusters, Vec<u32>)> {
        while let Some(seed) = self.free.kinds().first().copied() {
            self.grow(seed)?;
        }
        Ok((self.clusters, self.leftovers))
    }

    /// The kinds whose records bring a cluster closer to satisfying the constraints.
    fn helpful(&mut self, cluster: &Cluster) -> Vec<u32> {
        let free = self.free.kinds().to_vec();
        if !self.problem.guarded() {
            return free;
        }
        let mut state = cluster.clone();
        let lack = self.problem.lack(cluster);
        let mut known: FxHashMap<u32, bool> = FxHashMap::default();
        let kinds = &self.kinds;
        let helps = |kind: &u32| {
            let row = kinds.row(*kind);
            let secret = self.problem.secret(row);
            *known.entry(secret).or_insert_with(|| self.problem.lack_with(&mut state, row) < lack)
        };
        free.into_iter().filter(helps).collect()
    }

    /// Keeps a cluster that satisfies the constraints. The rows of any other are left over.
    pub(crate) fn keep(&mut self, cluster: Cluster, rows: Vec<u32>) -> Result<()> {
        self.progress.advance(rows.len() as u64)?;
        if self.problem.holds(&cluster) {
            self.clusters.push(cluster, rows);
        } else {
            self.leftovers.extend(rows);
        }
        Ok(())
    }

    /// Whether no cluster has been kept.
    pub(crate) fn is_empty(&self) -> bool {
        self.clusters.rows.is_empty()
    }

    /// Hands all rows that are left over to the clusters where they cost least.
    pub(crate) fn finish(self) -> Result<Partition> {
        self.finish_without(Vec::new())
    }

    /// Like [`finish`](Self::finish), but suppresses these rows, which are in no cluster and not left over.
    pub(crate) fn finish_without(mut self, left_out: Vec<u32>) -> Result<Partition> {
        self.leftovers.extend(self.free.rest(&self.kinds));
        if self.problem.guarded() {
            // Sensitive values leave many rows over; most of them can still form clusters.
            self.leftovers.sort_unstable();
            let more = ClusterGrowth::of(self.costs, &self.leftovers, self.progress);
            let (grown, left) = more.grow_all()?;
            self.clusters.extend(grown);
            self.leftovers = left;
        }
        self.clusters.place(self.problem, self.leftovers);
        self.clusters.finish_without(self.problem, left_out)
    }
}
