//! Hilbert: put the records in the order of a space-filling curve, then cut that line in the best way.
//!
//! # Idea
//! Records in one dimension can be clustered optimally: some best partition has clusters of k to 2k − 1
//! consecutive records, and dynamic programming finds it. The Hilbert curve maps many dimensions to one and
//! keeps most neighbours together.
//!
//! # Choices
//! - `scale=rescaled` (the default) stretches every column over the same interval, 0 to 2ᵇ − 1, where b
//!   bits hold the values of the longest column. With `scale=plain` columns of few values lie in one corner
//!   of the cube and count little.
//! - Numbers and dates are placed by their value, because that is what a range of them costs. Ordered
//!   categories, leaves of a taxonomy, sets and suppressed values are placed by their codes. A missing
//!   value has the place of the lowest value. Columns with a single value or without weight are left out.
//! - Records at the same place of the curve keep the order of the table, with equal records together.
//! - A group may be cut off if it satisfies the constraints. Constraints on sensitive values may allow no
//!   group of fewer than 2k records at some place. Then longer groups are compared, up to twice the length
//!   of the shortest possible one.
//! - Of several best partitions, the one with the shortest last groups is taken.
//!
//! # Complexity
//! O(n log n) for the order and O(n · k · columns) for the cuts, in parallel.
//!
//! # Paper
//! Ghinita, Karras, Kalnis and Mamoulis: Fast data anonymization with low information loss. VLDB 2007. The
//! common interval is from Goldberger and Tassa: Efficient anonymizations with enhanced utility.
//! Transactions on Data Privacy 2010.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'hilbert(scale=plain)'
//! ```

mod curve;

use rayon::prelude::*;

use self::curve::Curve;
use super::{Build, Partitioner};
use crate::cost::{Payer, Payers};
use crate::encode::{Code, Domain, Span};
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "hilbert",
    about: "orders the records along a Hilbert curve and cuts that line in the best way; time n log n + n k",
    paper: "Ghinita, Karras, Kalnis and Mamoulis, VLDB 2007",
    params: &[Param {
        name: "scale",
        about: "rescaled stretches all columns over the same interval; plain uses the codes as they are",
        range: Range::Choice(&["rescaled", "plain"]),
        default: Some(Value::Word("rescaled")),
    }],
    build: |params| Box::new(Hilbert { rescaled: params.word("scale") == "rescaled" }),
};

/// The largest length of a group, as a multiple of the shortest possible one, where no group of the usual size is possible.
const MAX_LENGTH_FACTOR: usize = 2;
/// The number of places of the line between two reports of progress.
const PLACES_PER_REPORT: usize = 8192;

struct Hilbert {
    rescaled: bool,
}

impl Partitioner for Hilbert {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let line = self.line(problem);
        progress.advance(0)?;
        Cuts { problem, line: &line, least: problem.min_size() }.best(progress)
    }
}

impl Hilbert {
    /// The rows in the order of the curve.
    fn line(&self, problem: &Problem) -> Vec<u32> {
        let encoded = &problem.encoded;
        let used = |domain: &Domain| domain.len() > 1 && domain.weight() > 0.0;
        let columns: Vec<usize> = (0..encoded.domains().len()).filter(|c| used(&encoded.domains()[*c])).collect();
        let longest = columns.iter().map(|c| encoded.domains()[*c].len()).max().unwrap_or(1);
        let curve = Curve { dimensions: columns.len(), bits: (longest - 1).checked_ilog2().map_or(0, |b| b + 1) };
        let last = ((1_u64 << curve.bits) - 1) as f64;
        let coordinates: Vec<Vec<u32>> = columns
            .iter()
            .map(|column| {
                let domain = &encoded.domains()[*column];
                let coordinate = |code| if self.rescaled { (place(domain, code) * last).round() as u32 } else { code };
                (0..domain.len() as Code).map(coordinate).collect()
            })
            .collect();

        let words = curve.words().max(1);
        let mut indices = vec![0; encoded.tuples() * words];
        indices.par_chunks_mut(words).enumerate().for_each_init(Vec::new, |point, (tuple, index)| {
            let codes = encoded.tuple(tuple as u32);
            point.clear();
            point.extend(columns.iter().zip(&coordinates).map(|(column, of)| of[codes[*column] as usize]));
            curve.index(point, index);
        });
        let index = |tuple: u32| &indices[tuple as usize * words..][..words];
        let mut tuples: Vec<u32> = (0..encoded.tuples() as u32).collect();
        tuples.par_sort_unstable_by(|a, b| index(*a).cmp(index(*b)).then(a.cmp(b)));
        tuples.into_iter().flat_map(|tuple| encoded.rows_of(tuple)).copied().collect()
    }
}

/// The position of a code between the lowest (0) and the highest (1).
fn place(domain: &Domain, code: Code) -> f64 {
    let last = domain.len() as Code - 1;
    // Measured from above, because a range from a missing value has the extent of one from the lowest
    // value.
    domain.extent(Span::range(code, last)).map_or(f64::from(code) / f64::from(last), |above| 1.0 - above)
}

/// The line and the ways to cut it.
struct Cuts<'a> {
    problem: &'a Problem,
    line: &'a [u32],
    /// No smaller group satisfies the constraints.
    least: usize,
}

/// The best way to cut the line up to some place: its cost, and where its last group begins.
#[derive(Clone, Copy)]
struct Best {
    cost: f64,
    start: usize,
}

impl Cuts<'_> {
    fn best(&self, progress: Progress) -> Result<Partition> {
        let rows = self.line.len();
        let mut best = Vec::with_capacity(rows + 1);
        best.push(Some(Best { cost: 0.0, start: 0 }));
        while best.len() <= rows {
            let ends = best.len()..(best.len() + PLACES_PER_REPORT).min(rows + 1);
            let groups: Vec<Vec<(usize, f64)>> = ends.clone().into_par_iter().map(|end| self.short(end)).collect();
            for (end, groups) in ends.clone().zip(groups) {
                let mut found = groups.into_iter().filter_map(|group| after(&best, group)).reduce(cheaper);
                if found.is_none() && end >= self.least {
                    progress.advance(0)?;
                    found = self.long(end, &best);
                }
                best.push(found);
            }
            progress.advance(ends.len() as u64)?;
        }
        let mut clusters = Vec::new();
        let mut end = rows;
        while end > 0 {
            // The whole line satisfies the constraints, so there always is a best way.
            let start = best[end].map_or(0, |b| b.start);
            clusters.push(&self.line[start..end]);
            end = start;
        }
        clusters.reverse();
        Partition::new(rows, clusters)
    }

    /// The best cuts up to `end` whose last group is longer than usual, up to [`MAX_LENGTH_FACTOR`] times
    /// the shortest possible group.
    fn long(&self, end: usize, best: &[Option<Best>]) -> Option<Best> {
        let mut found: Option<(usize, Best)> = None;
        for group in self.groups(end, 0) {
            if found.is_some_and(|(shortest, _)| end - group.0 > MAX_LENGTH_FACTOR * shortest) {
                break;
            }
            let Some(next) = after(best, group) else { continue };
            found = Some(match found {
                Some((shortest, before)) => (shortest, cheaper(before, next)),
                None => (end - group.0, next),
            });
        }
        found.map(|(_, best)| best)
    }

    /// The groups that end at `end`, satisfy the constraints, and have fewer than twice the least size.
    fn short(&self, end: usize) -> Vec<(usize, f64)> {
        self.groups(end, end.saturating_sub(2 * self.least - 1)).collect()
    }

    /// The groups that end at `end` and satisfy the constraints, from the shortest to the one that begins
    /// at `first`: where each begins, and what it costs.
    fn groups(&self, end: usize, first: usize) -> impl Iterator<Item = (usize, f64)> {
        let mut growing = CurveRun::new(self.problem);
        (first..end).rev().filter_map(move |start| {
            growing.add(self.line[start]);
            if end - start < self.least { None } else { growing.cost_if_it_holds().map(|cost| (start, cost)) }
        })
    }
}

/// The best cuts up to the start of a group, followed by that group.
fn after(best: &[Option<Best>], (start, cost): (usize, f64)) -> Option<Best> {
    best[start].map(|before| Best { cost: before.cost + cost, start })
}

/// The cheaper one, or the first if they cost the same.
fn cheaper(a: Best, b: Best) -> Best {
    if b.cost < a.cost { b } else { a }
}

/// A group that grows by one record at a time.
struct CurveRun<'a> {
    problem: &'a Problem,
    cluster: Option<Cluster>,
    /// For each column, the closure for which the cost was last computed, and that cost.
    parts: Vec<(Span, f64)>,
}

impl<'a> CurveRun<'a> {
    fn new(problem: &'a Problem) -> Self {
        CurveRun { problem, cluster: None, parts: Vec::new() }
    }

    fn add(&mut self, row: u32) {
        match &mut self.cluster {
            Some(cluster) => self.problem.add(cluster, row),
            None => self.cluster = self.problem.cluster(&[row]),
        }
    }

    fn cost_if_it_holds(&mut self) -> Option<f64> {
        let cluster = self.cluster.as_ref().filter(|cluster| self.problem.holds(cluster))?;
        if self.problem.measure.payers() != Payers::Alike {
            return Some(self.problem.measure.cluster(cluster));
        }
        let part = |column: usize, span: Span| self.problem.measure.part(column, span, Payer::default());
        if self.parts.is_empty() {
            let parts = cluster.closure().iter().enumerate();
            self.parts = parts.map(|(column, span)| (*span, part(column, *span))).collect();
        }
        let mut sum = 0.0;
        for (column, (span, (of, known))) in cluster.closure().iter().zip(&mut self.parts).enumerate() {
            if span != of {
                *of = *span;
                *known = part(column, *span);
            }
            sum += *known;
        }
        Some(cluster.size() as f64 * sum)
    }
}
