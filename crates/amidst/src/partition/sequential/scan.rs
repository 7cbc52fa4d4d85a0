//! Bounds on what a record costs in each cluster.
//!
//! By a measure that is a sum over the columns and grows with the closure, a record that joins a cluster of s records, which
//! cost P each, adds
//!
//! (s + 1) · P′ − s · P = P + (s + 1) · (P′ − P),
//!
//! where P′ ≥ P is what each costs in the closure with the record. P′ − P is a sum over the columns of terms that
//! depend on the cluster and on one code each. They stand in tables with one number per code and cluster, those of a code
//! side by side, so that the bounds of all clusters are sums of as many rows as there are columns. The numbers are
//! rounded to 32 bits, all terms are at least 0, and so the relative error of a bound is known. Only clusters whose bound
//! allows them to be the best are looked at exactly, which is why the result is that of a plain search.
//!
//! In columns of many values neighbouring codes share a row, which has what the nearest of them costs.

use super::super::merging::{Parts, ROUNDING};
use super::group::Group;
use crate::encode::{Code, Span};
use crate::problem::Problem;

/// So many clusters are bounded at once.
const LANES: usize = 16;

/// Columns have at most so many rows.
const CELLS: usize = 256;

type Lanes = [f32; LANES];

pub(super) struct Bounds<'a> {
    problem: &'a Problem,
    parts: &'a Parts<'a>,
    /// The number of [`Lanes`] that all clusters take.
    blocks: usize,
    /// P, infinite where there is no cluster.
    base: Vec<Lanes>,
    /// s + 1.
    times: Vec<Lanes>,
    /// The terms of P′ − P per column: those of the first row first.
    terms: Vec<Vec<Lanes>>,
    /// The columns, those with the largest terms first.
    order: Vec<usize>,
    /// The closures that the terms are for.
    spans: Vec<Span>,
    /// The bounds of the last search.
    found: Vec<Lanes>,
    /// The least of each block.
    least: Vec<f32>,
    /// What a bound is multiplied by to be one in spite of rounding.
    safe: f64,
    /// What exact costs may be off by.
    noise: f64,
}

fn cells(len: usize) -> usize {
    len.min(CELLS)
}

fn cell(len: usize, code: Code) -> usize {
    code as usize * cells(len) / len
}

impl<'a> Bounds<'a> {
    pub(super) fn new(problem: &'a Problem, parts: &'a Parts<'a>, groups: &[Option<Group>]) -> Self {
        let domains = problem.encoded.domains();
        let blocks = groups.len().div_ceil(LANES);
        let everything: Vec<Span> = domains.iter().map(crate::encode::Domain::everything).collect();
        let mut bounds = Bounds {
            problem,
            parts,
            blocks,
            base: vec![[f32::INFINITY; LANES]; blocks],
            times: vec![[0.0; LANES]; blocks],
            terms: domains.iter().map(|d| vec![[0.0; LANES]; cells(d.len()) * blocks]).collect(),
            order: Vec::new(),
            spans: vec![Span::mask(0); groups.len() * domains.len()],
            found: vec![[0.0; LANES]; blocks],
            least: vec![0.0; blocks],
            safe: 1.0 - 1e-6 * (domains.len() + 4) as f64,
            noise: ROUNDING * problem.rows() as f64 * parts.sum(&everything),
        };
        for (lane, group) in groups.iter().enumerate() {
            if let Some(group) = group {
                bounds.write(lane, group, true);
            }
        }
        let mean = |column: usize| {
            let terms = &bounds.terms[column];
            terms.iter().flatten().sum::<f32>() / terms.len().max(1) as f32
        };
        let mut order: Vec<(f32, usize)> = (0..domains.len()).map(|column| (mean(column), column)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        bounds.order = order.into_iter().map(|(_, column)| column).collect();
        bounds
    }

    /// Takes note of a cluster that has changed.
    pub(super) fn update(&mut self, lane: usize, group: &Group) {
        self.write(lane, group, false);
    }

    /// Takes note of a cluster that is gone.
    pub(super) fn remove(&mut self, lane: usize) {
        self.base[lane / LANES][lane % LANES] = f32::INFINITY;
    }

    fn write(&mut self, lane: usize, group: &Group, all: bool) {
        let closure = group.state().closure();
        let (block, place) = (lane / LANES, lane % LANES);
        self.base[block][place] = self.parts.sum(closure) as f32;
        self.times[block][place] = (group.state().size() + 1) as f32;
        let known = &mut self.spans[lane * closure.len()..][..closure.len()];
        for (column, (span, known)) in closure.iter().zip(known).enumerate() {
            if all || span != known {
                *known = *span;
                let domain = &self.problem.encoded.domains()[column];
                let part = self.parts.part(column, *span);
                let rows = cells(domain.len());
                for row in 0..rows {
                    let first = (row * domain.len()).div_ceil(rows) as Code;
                    let last = ((row + 1) * domain.len()).div_ceil(rows) as Code - 1;
                    let nearest = if domain.is_set() || first > span.hi() { first } else { last };
                    let covered = if domain.is_set() {
                        span.bits() >> first & 1 == 1
                    } else {
                        first <= span.hi() && last >= span.lo()
                    };
                    let term = if covered {
                        0.0
                    } else {
                        (self.parts.part(column, domain.join(*span, domain.span(nearest))) - part).max(0.0)
                    };
                    self.terms[column][row * self.blocks + block][place] = term as f32;
                }
            }
        }
    }

    /// A lower bound on what any cluster but `own` costs with one record more; the bounds of all are kept. Where the first
    /// half of the columns says that no cluster of a block costs less than `limit`, their bounds are left at that. Clusters whose
    /// bit is set in `closed` are left out.
    pub(super) fn search(&mut self, row: u32, own: usize, limit: f64, closed: &[u16]) -> f64 {
        let kept = std::mem::replace(&mut self.base[own / LANES][own % LANES], f32::INFINITY);
        let (codes, domains) = (self.problem.encoded.row(row), self.problem.encoded.domains());
        let row_of = |column: &usize| {
            let row = cell(domains[*column].len(), codes[*column]);
            &self.terms[*column][row * self.blocks..][..self.blocks]
        };
        let rows: Vec<&[Lanes]> = self.order.iter().map(row_of).collect();
        let (first, second) = rows.split_at(rows.len().div_ceil(2));
        let mut least = f32::INFINITY;
        for block in 0..self.blocks {
            let (base, times) = (&self.base[block], &self.times[block]);
            let mut sum = [0.0; LANES];
            for row in first {
                add(&mut sum, &row[block]);
            }
            let closed = closed.get(block).copied().unwrap_or(0);
            let mut found = bound(base, times, &sum);
            leave_out(&mut found, closed);
            let mut lowest = lowest_of(&found);
            if f64::from(lowest) * self.safe - self.noise < limit {
                for row in second {
                    add(&mut sum, &row[block]);
                }
                found = bound(base, times, &sum);
                leave_out(&mut found, closed);
                lowest = lowest_of(&found);
            }
            self.found[block] = found;
            self.least[block] = lowest;
            least = least.min(lowest);
        }
        self.base[own / LANES][own % LANES] = kept;
        self.safely(least)
    }

    /// Leaves a cluster out of what the last search found; the lower bound on what the others cost.
    pub(super) fn dismiss(&mut self, lane: usize) -> f64 {
        let block = lane / LANES;
        self.found[block][lane % LANES] = f32::INFINITY;
        self.least[block] = lowest_of(&self.found[block]);
        self.safely(self.least.iter().copied().fold(f32::INFINITY, f32::min))
    }

    /// The clusters of the last search that may cost no more than `most`.
    pub(super) fn candidates(&self, most: f64) -> impl Iterator<Item = usize> {
        let may = move |bound: f32| self.safely(bound) <= most && bound < f32::INFINITY;
        (0..self.blocks).filter(move |block| may(self.least[*block])).flat_map(move |block| {
            (0..LANES).filter(move |lane| may(self.found[block][*lane])).map(move |lane| block * LANES + lane)
        })
    }

    /// The first cluster of the last search with the least bound.
    pub(super) fn likely(&self) -> Option<usize> {
        let least = self.least.iter().copied().fold(f32::INFINITY, f32::min);
        let block = self.least.iter().position(|l| *l <= least && *l < f32::INFINITY)?;
        let lane = self.found[block].iter().position(|bound| *bound <= least)?;
        Some(block * LANES + lane)
    }

    fn safely(&self, bound: f32) -> f64 {
        f64::from(bound) * self.safe - self.noise
    }
}

// Plain loops over arrays of fixed length, which compilers turn into instructions on several lanes at once.

#[inline]
fn add(sum: &mut Lanes, row: &Lanes) {
    for lane in 0..LANES {
        sum[lane] += row[lane];
    }
}

#[inline]
fn bound(base: &Lanes, times: &Lanes, sum: &Lanes) -> Lanes {
    let mut bound = [0.0; LANES];
    for lane in 0..LANES {
        bound[lane] = base[lane] + times[lane] * sum[lane];
    }
    bound
}

#[inline]
fn leave_out(bounds: &mut Lanes, closed: u16) {
    if closed != 0 {
        for (lane, bound) in bounds.iter_mut().enumerate() {
            *bound = if closed >> lane & 1 == 1 { f32::INFINITY } else { *bound };
        }
    }
}

#[inline]
fn lowest_of(bounds: &Lanes) -> f32 {
    let mut lowest = *bounds;
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lowest[lane] = if lowest[lane + half] < lowest[lane] { lowest[lane + half] } else { lowest[lane] };
        }
        half /= 2;
    }
    lowest[0]
}
