//! Centroids of clusters, and which of them is nearest to a record.
//!
//! # Centroid
//! On numbers and ordered categories the mean of the places of all members in the column's extent, from 0 to 1; on all
//! other columns the closure of all members, which in a taxonomy is their lowest common ancestor.
//!
//! # Distance
//! The sum over the columns, times their weights, of |place − mean| for the former, and for the latter of what the
//! measure makes of a cell that holds closure and value, as a share of what it makes of a suppressed one. By tree
//! height that is H(subtree) / H(tree) of Byun et al. The share is taken because numbers have distances from 0 to 1, but
//! some measures count in bits. Where the measure does not tell columns apart, the share is that of tree height.
//!
//! A range that mixes numbers with missing values is published as nothing at all, so where record and cluster
//! together would mix them, the distance is 1; missing values among themselves have none.
//!
//! # Speed
//! What each value of a column would make of each closure is kept in a table and renewed only where a closure changes;
//! in the table, all clusters stand side by side for each value, so that one record is compared with all of them
//! column by column, without a jump. Columns of more than 256 values do without the table.

use std::ops::Range;

use rand::SeedableRng;
use rand::seq::index;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::joining::least;
use crate::encode::{Code, Domain, Span};
use crate::error::Result;
use crate::problem::Problem;
use crate::progress::Progress;

/// Columns of more codes than this have no table.
const TABLED: usize = 256;
/// Clusters whose distances are summed up at a time.
const BLOCK: usize = 512;
/// Fewer clusters than this are not worth a second thread.
const PARALLEL: usize = 8192;
/// Distinct records that are assigned to clusters at a time.
const BATCH: usize = 256;

/// As many distinct records as there can be clusters, at random, and the random numbers to go on with.
pub(crate) fn seeds(problem: &Problem) -> (Vec<u32>, ChaCha12Rng) {
    let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
    let rows = problem.rows();
    let count = (rows / problem.min_size().max(1)).max(1).min(rows);
    let seeds = index::sample(&mut rng, rows, count).into_iter().map(|row| row as u32).collect();
    (seeds, rng)
}

/// The centroids of clusters, which are known by their numbers.
pub(crate) struct Centroids<'a> {
    problem: &'a Problem,
    columns: Vec<Column>,
    weights: Vec<f64>,
    len: usize,
}

enum Column {
    Means(Means),
    Closures(Closures),
}

/// Numbers and ordered categories.
struct Means {
    /// Where each code lies in the column's extent; not a number where it is missing.
    places: Vec<f64>,
    /// The place of each cluster's first number, and what the others differ from it: so the mean of equal numbers is
    /// that number.
    firsts: Vec<f64>,
    sums: Vec<f64>,
    present: Vec<u32>,
    absent: Vec<u32>,
    /// The means; not a number for clusters with missing values.
    centres: Vec<f64>,
    /// The distance of a missing value.
    gaps: Vec<f64>,
}

/// All other columns.
struct Closures {
    column: usize,
    /// What a suppressed cell costs.
    most: f64,
    spans: Vec<Span>,
    /// By code, then by cluster; empty where there are too many codes.
    table: Vec<f64>,
}

impl<'a> Centroids<'a> {
    /// The centroids of these clusters, none of which is empty.
    pub(crate) fn new(problem: &'a Problem, clusters: &[Vec<u32>]) -> Self {
        let domains = problem.encoded.domains();
        let columns = domains.iter().enumerate().map(|(column, domain)| match domain.extent(domain.span(0)) {
            Some(_) => Column::Means(Means::new(domain, clusters.len())),
            None => Column::Closures(Closures::new(problem, column, clusters.len())),
        });
        let columns = columns.collect();
        let weights = domains.iter().map(Domain::weight).collect();
        let mut centroids = Centroids { problem, columns, weights, len: clusters.len() };
        clusters.iter().enumerate().for_each(|(cluster, rows)| centroids.set(cluster, rows));
        centroids
    }

    /// Lets each column's distance count so much.
    pub(crate) fn weigh(&mut self, weights: Vec<f64>) {
        self.weights = weights;
    }

    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// The centroid of a cluster is now that of these rows.
    pub(crate) fn set(&mut self, cluster: usize, rows: &[u32]) {
        let problem = self.problem;
        for (number, column) in self.columns.iter_mut().enumerate() {
            let codes = rows.iter().map(|row| problem.encoded.row(*row)[number]);
            match column {
                Column::Means(means) => means.set(cluster, codes),
                Column::Closures(closures) => closures.set(problem, cluster, codes),
            }
        }
    }

    /// A row joins a cluster.
    pub(crate) fn add(&mut self, cluster: usize, row: u32) {
        for (column, code) in self.columns.iter_mut().zip(self.problem.encoded.row(row)) {
            match column {
                Column::Means(means) => means.add(cluster, *code),
                Column::Closures(closures) => closures.add(self.problem, cluster, *code),
            }
        }
    }

    /// How far a row lies from a cluster.
    pub(crate) fn distance(&self, cluster: usize, row: u32) -> f64 {
        let mut sum = [0.0];
        self.distances(self.problem.encoded.row(row), cluster, &mut sum);
        sum[0]
    }

    /// How far two clusters lie apart.
    pub(crate) fn between(&self, a: usize, b: usize) -> f64 {
        let columns = self.columns.iter().zip(&self.weights);
        columns.fold(0.0, |sum, (column, weight)| {
            let distance = match column {
                Column::Means(means) => means.between(a, b),
                Column::Closures(closures) => closures.between(self.problem, a, b),
            };
            sum + weight * distance
        })
    }

    /// The distances of each column, without its weight, summed over the members of all clusters.
    pub(crate) fn dispersion(&self, clusters: &[Vec<u32>]) -> Vec<f64> {
        let mut sums = vec![[0.0]; self.columns.len()];
        for (cluster, rows) in clusters.iter().enumerate() {
            for row in rows {
                for ((column, sum), code) in self.columns.iter().zip(&mut sums).zip(self.problem.encoded.row(*row)) {
                    column.sum_up(self.problem, *code, 1.0, cluster, sum);
                }
            }
        }
        sums.into_iter().flatten().collect()
    }

    /// The distances of a record to the clusters from the number `from` on.
    fn distances(&self, codes: &[Code], from: usize, sums: &mut [f64]) {
        sums.fill(0.0);
        for ((column, weight), code) in self.columns.iter().zip(&self.weights).zip(codes) {
            column.sum_up(self.problem, *code, *weight, from, sums);
        }
    }

    /// The cluster for which `rank`, of its number and its distance to the record, is least, and the first of several
    /// such; none whose rank is infinite.
    pub(crate) fn nearest(&self, codes: &[Code], rank: impl Fn(usize, f64) -> f64 + Sync) -> Option<usize> {
        let first = |a: (f64, usize), b: (f64, usize)| if b.0 < a.0 { b } else { a };
        let scan = |range: Range<usize>| {
            let mut best = (f64::INFINITY, usize::MAX);
            let mut distances = [0.0; BLOCK];
            for from in range.clone().step_by(BLOCK) {
                let block = &mut distances[..BLOCK.min(range.end - from)];
                self.distances(codes, from, block);
                best = (from..).zip(&*block).fold(best, |best, (c, distance)| first(best, (rank(c, *distance), c)));
            }
            best
        };
        let best = if self.len < PARALLEL {
            scan(0..self.len)
        } else {
            // Parts in order, so that of equal ones the first is kept whatever thread found it.
            let part = PARALLEL / 2;
            let parts = (0..self.len.div_ceil(part)).into_par_iter();
            let parts: Vec<_> = parts.map(|p| scan(p * part..((p + 1) * part).min(self.len))).collect();
            parts.into_iter().fold((f64::INFINITY, usize::MAX), first)
        };
        (best.0 < f64::INFINITY).then_some(best.1)
    }

    /// The nearest cluster of each distinct record.
    fn assign(&self, progress: Progress) -> Result<Vec<u32>> {
        let encoded = &self.problem.encoded;
        let all: Vec<u32> = (0..encoded.tuples() as u32).collect();
        let batches = all.par_chunks(BATCH).map(|batch| {
            progress.advance(batch.iter().map(|tuple| encoded.rows_of(*tuple).len() as u64).sum())?;
            let nearest = |tuple: &u32| self.nearest(encoded.tuple(*tuple), |_, distance| distance).unwrap_or(0) as u32;
            Ok(batch.iter().map(nearest).collect())
        });
        Ok(batches.collect::<Result<Vec<Vec<u32>>>>()?.concat())
    }

    /// The rounds of k-means from these seeds: each row goes to the nearest centre, then each centre becomes the row
    /// nearest to the centroid of its rows, or stays where no row came; `refit` may change the weights. Ends when no row
    /// moves. Gives the clusters that have rows.
    ///
    /// A centroid itself is no centre: its closures cover every member, stray ones too, so that hardly any record is
    /// nearer to the centre of a full cluster than to a centre that stands alone, and clusters break up from one round to
    /// the next.
    pub(crate) fn rounds(
        &mut self,
        rounds: u64,
        progress: Progress,
        mut refit: impl FnMut(&mut Self, &[Vec<u32>]),
    ) -> Result<Vec<Vec<u32>>> {
        let encoded = &self.problem.encoded;
        let mut nearest = Vec::new();
        let mut members = Vec::new();
        for round in 0..rounds {
            let now = self.assign(progress)?;
            if now == nearest {
                progress.advance((rounds - 1 - round) * encoded.rows() as u64)?;
                break;
            }
            nearest = now;
            members = vec![Vec::new(); self.len];
            for row in 0..encoded.rows() as u32 {
                members[nearest[encoded.tuple_of(row) as usize] as usize].push(row);
            }
            for (cluster, rows) in members.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
                self.set(cluster, rows);
                if let Some(centre) = least(rows, |row| self.distance(cluster, row)) {
                    self.set(cluster, &[centre]);
                }
            }
            refit(self, &members);
        }
        members.retain(|rows| !rows.is_empty());
        Ok(members)
    }
}

impl Column {
    /// Adds the weighted distances of a code to the clusters from the number `from` on.
    fn sum_up(&self, problem: &Problem, code: Code, weight: f64, from: usize, sums: &mut [f64]) {
        let range = from..from + sums.len();
        let mut add = |distances: &[f64]| sums.iter_mut().zip(distances).for_each(|(sum, d)| *sum += weight * d);
        match self {
            Column::Means(means) => {
                let place = means.places[code as usize];
                if place.is_nan() {
                    return add(&means.gaps[range]);
                }
                // The smaller of 1 and what is not a number is 1.
                let centres = &means.centres[range];
                sums.iter_mut().zip(centres).for_each(|(sum, mean)| *sum += weight * (place - mean).abs().min(1.0));
            }
            Column::Closures(closures) if closures.table.is_empty() => {
                let code = problem.encoded.domains()[closures.column].span(code);
                let spans = &closures.spans[range];
                sums.iter_mut().zip(spans).for_each(|(sum, s)| *sum += weight * closures.cell(problem, *s, code));
            }
            Column::Closures(closures) => add(&closures.table[code as usize * closures.spans.len()..][range]),
        }
    }
}

impl Means {
    fn new(domain: &Domain, clusters: usize) -> Self {
        let lowest = Code::from(domain.has_missing());
        let place = |code| domain.extent(Span::range(lowest, code)).unwrap_or(0.0);
        let place = |code| if code < lowest { f64::NAN } else { place(code) };
        Means {
            places: (0..domain.len() as Code).map(place).collect(),
            firsts: vec![0.0; clusters],
            sums: vec![0.0; clusters],
            present: vec![0; clusters],
            absent: vec![0; clusters],
            centres: vec![0.0; clusters],
            gaps: vec![0.0; clusters],
        }
    }

    fn set(&mut self, cluster: usize, codes: impl Iterator<Item = Code>) {
        self.sums[cluster] = 0.0;
        self.present[cluster] = 0;
        self.absent[cluster] = 0;
        codes.for_each(|code| self.add(cluster, code));
    }

    fn add(&mut self, cluster: usize, code: Code) {
        let place = self.places[code as usize];
        if place.is_nan() {
            self.absent[cluster] += 1;
        } else {
            if self.present[cluster] == 0 {
                self.firsts[cluster] = place;
            }
            self.present[cluster] += 1;
            self.sums[cluster] += place - self.firsts[cluster];
        }
        let (present, absent) = (self.present[cluster], self.absent[cluster]);
        let mean = self.firsts[cluster] + self.sums[cluster] / f64::from(present);
        self.centres[cluster] = if absent == 0 { mean } else { f64::NAN };
        self.gaps[cluster] = if present == 0 { 0.0 } else { 1.0 };
    }

    fn between(&self, a: usize, b: usize) -> f64 {
        match (self.present[a], self.present[b]) {
            (0, 0) => 0.0,
            _ => (self.centres[a] - self.centres[b]).abs().min(1.0),
        }
    }
}

impl Closures {
    fn new(problem: &Problem, column: usize, clusters: usize) -> Self {
        let domain = &problem.encoded.domains()[column];
        let table = if domain.len() <= TABLED { vec![0.0; domain.len() * clusters] } else { Vec::new() };
        let most = problem.measure.cell(column, domain.everything());
        // No cluster has the span of nothing, so each of them fills its part of the table.
        let nothing = if domain.is_set() { Span::mask(0) } else { Span::range(1, 0) };
        Closures { column, most, spans: vec![nothing; clusters], table }
    }

    /// What a cell loses that holds both spans.
    fn cell(&self, problem: &Problem, a: Span, b: Span) -> f64 {
        let domain = &problem.encoded.domains()[self.column];
        let span = domain.join(a, b);
        if self.most > 0.0 {
            return problem.measure.cell(self.column, span) / self.most;
        }
        let (level, height) = domain.level(domain.close(span));
        f64::from(level) / f64::from(height.max(1))
    }

    fn set(&mut self, problem: &Problem, cluster: usize, codes: impl Iterator<Item = Code>) {
        let domain = &problem.encoded.domains()[self.column];
        let joined = codes.map(|code| domain.span(code)).reduce(|a, b| domain.join(a, b));
        self.renew(problem, cluster, joined.map_or(domain.everything(), |span| domain.close(span)));
    }

    fn add(&mut self, problem: &Problem, cluster: usize, code: Code) {
        let domain = &problem.encoded.domains()[self.column];
        let span = self.spans[cluster];
        if !domain.covers(span, code) {
            self.renew(problem, cluster, domain.close(domain.join(span, domain.span(code))));
        }
    }

    fn renew(&mut self, problem: &Problem, cluster: usize, span: Span) {
        if self.spans[cluster] == span {
            return;
        }
        self.spans[cluster] = span;
        let clusters = self.spans.len();
        for code in 0..self.table.len() / clusters {
            let value = problem.encoded.domains()[self.column].span(code as Code);
            self.table[code * clusters + cluster] = self.cell(problem, span, value);
        }
    }

    fn between(&self, problem: &Problem, a: usize, b: usize) -> f64 {
        self.cell(problem, self.spans[a], self.spans[b])
    }
}
