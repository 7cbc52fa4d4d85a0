//! Centroids of clusters, and the search for the nearest one.
//!
//! # Centroid
//! In numbers and ordered categories: the mean of the positions of all members in the extent of the column,
//! from 0 to 1. In all other columns: the closure of all members, which in a taxonomy is their lowest
//! common ancestor.
//!
//! # Distance
//! The sum over the columns, times their weights. For the former it is |position − mean|. For the latter it
//! is the cost of a cell that holds closure and value, as a share of the cost of a suppressed cell. With
//! tree height that is H(subtree) / H(tree) of Byun et al. The share is taken because distances of numbers
//! lie between 0 and 1, but some measures count in bits. If the measure does not look at single columns,
//! tree height is used.
//!
//! A range that mixes numbers with missing values is published as `*`. So if record and cluster together
//! would mix them, the distance is 1. Missing values have no distance from each other.
//!
//! # Speed
//! A table holds what each value of a column would make of each closure. It is updated only when a closure
//! changes. For each value, all clusters lie side by side, so one record is compared with all of them
//! column by column, reading consecutive memory. Columns with more than 256 values have no table.

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

/// The largest number of codes of a column that gets a table.
const MAX_TABLED_CODES: usize = 256;
/// The number of clusters whose distances are summed up at a time.
const CLUSTERS_PER_BLOCK: usize = 512;
/// With fewer clusters, one thread searches for the nearest.
const MIN_PARALLEL_CLUSTERS: usize = 8192;
/// The number of distinct records that a thread assigns to clusters at a time.
const RECORDS_PER_BATCH: usize = 256;

/// As many random distinct rows as there can be clusters, and the generator for further random numbers.
pub(crate) fn seeds(problem: &Problem) -> (Vec<u32>, ChaCha12Rng) {
    let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
    let rows = problem.rows();
    let count = (rows / problem.min_size().max(1)).max(1).min(rows);
    let seeds = index::sample(&mut rng, rows, count).into_iter().map(|row| row as u32).collect();
    (seeds, rng)
}

/// The centroids of clusters, which are identified by their numbers.
pub(crate) struct Centroids<'a> {
    problem: &'a Problem,
    columns: Vec<Column>,
    weights: Vec<f64>,
    len: usize,
}

/// The centroids in one column.
enum Column {
    Means(Means),
    Closures(Closures),
}

/// Means, for numbers and ordered categories.
struct Means {
    /// The position of each code in the extent of the column; NaN if it is missing.
    places: Vec<f64>,
    /// The position of each cluster's first number.
    firsts: Vec<f64>,
    /// For each cluster, the sum of the differences from the first number. So the mean of equal numbers is exactly that
    /// number.
    sums: Vec<f64>,
    /// The number of members that have a number.
    present: Vec<u32>,
    /// The number of members whose number is missing.
    absent: Vec<u32>,
    /// The means; NaN for clusters with missing values.
    centres: Vec<f64>,
    /// The distance of a missing value from each cluster.
    gaps: Vec<f64>,
}

/// Closures, for all other columns.
struct Closures {
    column: usize,
    /// The cost of a suppressed cell.
    most: f64,
    spans: Vec<Span>,
    /// Distances by code, then by cluster. Empty if there are too many codes.
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

    /// Sets the weights of the columns.
    pub(crate) fn weigh(&mut self, weights: Vec<f64>) {
        self.weights = weights;
    }

    pub(crate) fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Sets the centroid of a cluster to that of these rows.
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

    /// Adds a row to a cluster.
    pub(crate) fn add(&mut self, cluster: usize, row: u32) {
        for (column, code) in self.columns.iter_mut().zip(self.problem.encoded.row(row)) {
            match column {
                Column::Means(means) => means.add(cluster, *code),
                Column::Closures(closures) => closures.add(self.problem, cluster, *code),
            }
        }
    }

    /// The distance of a row from a cluster.
    pub(crate) fn distance(&self, cluster: usize, row: u32) -> f64 {
        let mut sum = [0.0];
        self.distances(self.problem.encoded.row(row), cluster, &mut sum);
        sum[0]
    }

    /// The distance between two clusters.
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

    /// For each column, the sum of the distances of all members from their clusters, without its weight.
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

    /// The distances of a record from the clusters with numbers from `from` on.
    fn distances(&self, codes: &[Code], from: usize, sums: &mut [f64]) {
        sums.fill(0.0);
        for ((column, weight), code) in self.columns.iter().zip(&self.weights).zip(codes) {
            column.sum_up(self.problem, *code, *weight, from, sums);
        }
    }

    /// The cluster with the least `rank`, a function of its number and its distance from the record. Of
    /// several, the first. Clusters with infinite rank are left out.
    pub(crate) fn nearest(&self, codes: &[Code], rank: impl Fn(usize, f64) -> f64 + Sync) -> Option<usize> {
        let first = |a: (f64, usize), b: (f64, usize)| if b.0 < a.0 { b } else { a };
        let scan = |range: Range<usize>| {
            let mut best = (f64::INFINITY, usize::MAX);
            let mut distances = [0.0; CLUSTERS_PER_BLOCK];
            for from in range.clone().step_by(CLUSTERS_PER_BLOCK) {
                let block = &mut distances[..CLUSTERS_PER_BLOCK.min(range.end - from)];
                self.distances(codes, from, block);
                best = (from..).zip(&*block).fold(best, |best, (c, distance)| first(best, (rank(c, *distance), c)));
            }
            best
        };
        let best = if self.len < MIN_PARALLEL_CLUSTERS {
            scan(0..self.len)
        } else {
            // Parts are compared in order, so that the first of equal ones is found whatever the threads do.
            let part = MIN_PARALLEL_CLUSTERS / 2;
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
        let batches = all.par_chunks(RECORDS_PER_BATCH).map(|batch| {
            progress.advance(batch.iter().map(|tuple| encoded.rows_of(*tuple).len() as u64).sum())?;
            let nearest = |tuple: &u32| self.nearest(encoded.tuple(*tuple), |_, distance| distance).unwrap_or(0) as u32;
            Ok(batch.iter().map(nearest).collect())
        });
        Ok(batches.collect::<Result<Vec<Vec<u32>>>>()?.concat())
    }

    /// The rounds of k-means from these seeds. Each row goes to the nearest centre. Then each centre
    /// becomes the row nearest to the centroid of its rows, or stays where it is if it has none. `refit`
    /// may change the weights. Ends when no row moves. Returns the clusters that have rows.
    ///
    /// A centroid itself would be no good centre. Its closures cover every member, stray ones too, so
    /// almost no record is nearer to the centre of a full cluster than to a centre that stands alone.
    /// Clusters would break up from one round to the next.
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
    /// Adds the weighted distances of a code from the clusters with numbers from `from` on.
    fn sum_up(&self, problem: &Problem, code: Code, weight: f64, from: usize, sums: &mut [f64]) {
        let range = from..from + sums.len();
        let mut add = |distances: &[f64]| sums.iter_mut().zip(distances).for_each(|(sum, d)| *sum += weight * d);
        match self {
            Column::Means(means) => {
                let place = means.places[code as usize];
                if place.is_nan() {
                    return add(&means.gaps[range]);
                }
                // `min` ignores NaN, so the distance is 1 then.
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
        let table = if domain.len() <= MAX_TABLED_CODES { vec![0.0; domain.len() * clusters] } else { Vec::new() };
        let most = problem.measure.cell(column, domain.everything());
        // No cluster has an empty span, so the first `renew` of each cluster fills its part of the table.
        let nothing = if domain.is_set() { Span::mask(0) } else { Span::range(1, 0) };
        Closures { column, most, spans: vec![nothing; clusters], table }
    }

    /// The cost of a cell that holds both spans, as a share of the cost of a suppressed cell.
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
