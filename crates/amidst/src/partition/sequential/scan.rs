//! Lower bounds on what a record costs in each cluster.
//!
//! Let payer p pay P_p in a cluster with t_p such records, and P′_p in the closure with one more record,
//! which is of payer q. Then that record adds
//!
//! Σ_p t_p · P′_p + P′_q − Σ_p t_p · P_p = P_q + Σ_p (t_p + [p = q]) · (P′_p − P_p).
//!
//! P′ − P is a sum over the columns of terms that depend on the cluster and on one code each. These terms
//! are kept in tables with one number for each payer, code and cluster. The numbers of a code lie side by
//! side, so the bounds of all clusters are sums of as many rows as there are columns and payers. The
//! numbers are rounded to 32 bits, and the largest possible rounding error is subtracted: a share of the
//! bound if all terms are at least 0, as with a measure that grows with the closure, otherwise a share of
//! the largest terms. Only clusters whose bound allows them to be the best are computed exactly. So the
//! result is that of a plain search.
//!
//! In columns of many values neighbouring codes share a row, which holds the cost of the cheapest of them.
//! The cheapest one is known for suppressed values, and for a measure that grows with the closure: the
//! nearest code.

use super::group::Group;
use crate::cluster::merging::ROUNDING;
use crate::cost::Costs;
use crate::encode::{Code, Domain, Span};
use crate::problem::Problem;

/// The number of clusters that are bounded at once.
const LANES: usize = 16;

/// The largest number of table rows of a column.
const MAX_COLUMN_ROWS: usize = 256;

/// The largest number of payers with bounds. With more, the sums would take longer than exact costs.
const MAX_PAYERS: usize = 16;

/// The largest number of terms: 256 MiB.
const MAX_TERMS: usize = 1 << 26;

/// The largest relative rounding error of 32 bits, with some margin.
const SINGLE_ROUNDING: f64 = 1.2e-7;

/// Numbers of consecutive clusters.
type Lanes = [f32; LANES];

/// Bounds on the cost of joining each cluster.
pub(super) struct Bounds<'a> {
    problem: &'a Problem,
    costs: &'a Costs<'a>,
    /// The number of [`Lanes`] for all clusters.
    blocks: usize,
    /// The number of [`Lanes`] for all clusters and all payers.
    stride: usize,
    /// P of each cluster, those of the first payer first, minus the possible rounding error where terms can
    /// be below 0. Infinite where there is no cluster.
    base: Vec<Lanes>,
    /// The number of records of each payer in each cluster.
    times: Vec<Lanes>,
    /// The terms of P′ − P of each column, row by row, and within a row payer by payer.
    terms: Vec<Vec<Lanes>>,
    /// The columns, those with the largest terms first.
    order: Vec<usize>,
    /// The closures that the terms are for.
    spans: Vec<Span>,
    /// The largest absolute term of each column and payer.
    largest: Vec<f32>,
    /// The bounds of the last search.
    found: Vec<Lanes>,
    /// The least bound of each block.
    least: Vec<f32>,
    /// A factor that keeps bounds valid in spite of rounding, for terms of at least 0.
    safe: f64,
    /// The possible rounding error of exact costs.
    noise: f64,
}

/// The number of table rows of a column with `len` codes.
fn column_rows(len: usize) -> usize {
    len.min(MAX_COLUMN_ROWS)
}

/// The table row of a code.
fn column_row(len: usize, code: Code) -> usize {
    code as usize * column_rows(len) / len
}

impl<'a> Bounds<'a> {
    /// Bounds for these clusters, with room for `room` more. `None` if bounds do not pay, or if the
    /// cheapest of the codes that share a row is unknown.
    pub(super) fn new(
        problem: &'a Problem,
        costs: &'a Costs<'a>,
        groups: &[Option<Group>],
        room: usize,
    ) -> Option<Self> {
        let (domains, payers) = (problem.encoded.domains(), costs.payers());
        let known = |domain: &Domain| domain.len() <= MAX_COLUMN_ROWS || domain.is_suppress();
        let grows = problem.measure.monotone();
        if !(1..=MAX_PAYERS).contains(&payers) || !grows && !domains.iter().all(known) {
            return None;
        }
        let blocks = (groups.len() + room).div_ceil(LANES);
        let lanes = blocks * LANES;
        let stride = payers * blocks;
        // Where all pay alike, any size is accepted, because no other way is as fast.
        if payers > 1 && domains.iter().map(|d| column_rows(d.len())).sum::<usize>() * stride * LANES > MAX_TERMS {
            return None;
        }
        let whole = |payer| costs.sum(domains.iter().map(Domain::everything), payer);
        let most = (0..payers).map(whole).fold(0.0, f64::max);
        let mut bounds = Bounds {
            problem,
            costs,
            blocks,
            stride,
            base: vec![[f32::INFINITY; LANES]; stride],
            times: vec![[0.0; LANES]; stride],
            terms: domains.iter().map(|d| vec![[0.0; LANES]; column_rows(d.len()) * stride]).collect(),
            order: Vec::new(),
            spans: vec![Span::mask(0); lanes * domains.len()],
            largest: vec![0.0; lanes * domains.len() * payers],
            found: vec![[0.0; LANES]; blocks],
            least: vec![0.0; blocks],
            safe: if grows { 1.0 - SINGLE_ROUNDING * (domains.len() + 4) as f64 } else { 1.0 },
            noise: ROUNDING * problem.rows() as f64 * most,
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
        Some(bounds)
    }

    /// Updates the terms of a cluster that has changed.
    pub(super) fn update(&mut self, lane: usize, group: &Group) {
        self.write(lane, group, false);
    }

    /// Adds a new cluster. Returns false if there is no room for it.
    pub(super) fn insert(&mut self, lane: usize, group: &Group) -> bool {
        let fits = lane < self.blocks * LANES;
        if fits {
            self.write(lane, group, true);
        }
        fits
    }

    /// Removes a cluster that is gone.
    pub(super) fn remove(&mut self, lane: usize) {
        self.base.iter_mut().skip(lane / LANES).step_by(self.blocks).for_each(|b| b[lane % LANES] = f32::INFINITY);
    }

    fn write(&mut self, lane: usize, group: &Group, all: bool) {
        let closure = group.state().closure();
        for (column, span) in closure.iter().enumerate() {
            let place = lane * closure.len() + column;
            if all || self.spans[place] != *span {
                self.spans[place] = *span;
                self.write_terms(lane, column, *span);
            }
        }
        let (block, place) = (lane / LANES, lane % LANES);
        let payers = self.costs.payers();
        (0..payers).for_each(|payer| self.times[payer * self.blocks + block][place] = 0.0);
        for (payer, times) in self.costs.times(group.state()) {
            self.times[payer * self.blocks + block][place] = times as f32;
        }
        for payer in 0..payers {
            let base = self.costs.sum(closure.iter().copied(), payer);
            let slack = if self.safe < 1.0 { 0.0 } else { self.slack(lane, base.abs()) };
            self.base[payer * self.blocks + block][place] = (base - slack) as f32;
        }
    }

    /// The possible rounding error in the bound of a cluster whose terms can be below 0.
    fn slack(&self, lane: usize, base: f64) -> f64 {
        let (columns, payers) = (self.terms.len(), self.costs.payers());
        let largest = self.largest[lane * columns * payers..][..columns * payers].iter().enumerate();
        let most = largest.map(|(i, term)| {
            let times = self.times[i % payers * self.blocks + lane / LANES][lane % LANES] + 1.0;
            f64::from(times) * f64::from(*term)
        });
        SINGLE_ROUNDING * (columns + 2 * payers + 4) as f64 * (most.sum::<f64>() + base)
    }

    /// Writes the terms of a column whose closure has changed.
    fn write_terms(&mut self, lane: usize, column: usize, span: Span) {
        let domain = &self.problem.encoded.domains()[column];
        let (payers, rows) = (self.costs.payers(), column_rows(domain.len()));
        for payer in 0..payers {
            let part = self.costs.part(column, span, payer);
            let term = |code| self.costs.part(column, domain.join(span, domain.span(code)), payer) - part;
            let mut largest: f32 = 0.0;
            for row in 0..rows {
                let first = (row * domain.len()).div_ceil(rows) as Code;
                let last = ((row + 1) * domain.len()).div_ceil(rows) as Code - 1;
                let cheapest = cheapest(domain, span, first, last, term) as f32;
                let place = row * self.stride + payer * self.blocks + lane / LANES;
                self.terms[column][place][lane % LANES] = cheapest;
                largest = largest.max(cheapest.abs());
            }
            let columns = self.problem.encoded.domains().len();
            self.largest[(lane * columns + column) * payers + payer] = largest;
        }
    }

    /// A lower bound on what any cluster but `own` costs with one more record. The bounds of all clusters
    /// are kept. If no cluster of a block costs less than `limit` by the first half of the columns, and the
    /// other half can only add to that, the bounds of the block are left at that. Clusters whose bit is set
    /// in `closed` are left out.
    pub(super) fn search(&mut self, row: u32, own: usize, limit: f64, closed: &[u16]) -> f64 {
        let (codes, domains) = (self.problem.encoded.row(row), self.problem.encoded.domains());
        let row_of = |column: &usize| {
            let row = column_row(domains[*column].len(), codes[*column]);
            &self.terms[*column][row * self.stride..][..self.stride]
        };
        let rows: Vec<&[Lanes]> = self.order.iter().map(row_of).collect();
        let grows = self.problem.measure.monotone();
        let (first, second) = rows.split_at(rows.len().div_ceil(2));
        let halves: &[&[&[Lanes]]] = if grows { &[first, second] } else { &[&rows] };
        let mut payers = [0.0; MAX_PAYERS];
        self.costs.payers_of(row).for_each(|payer| payers[payer] = 1.0);
        let payers = &payers[..self.costs.payers()];
        let mut least = f32::INFINITY;
        for block in 0..self.blocks {
            let closed = closed.get(block).copied().unwrap_or(0) | u16::from(own / LANES == block) << (own % LANES);
            let mut found = [0.0; LANES];
            for (payer, _) in payers.iter().enumerate().filter(|(_, times)| **times > 0.0) {
                add(&mut found, &self.base[payer * self.blocks + block]);
            }
            leave_out(&mut found, closed);
            let mut lowest = f32::INFINITY;
            for half in halves {
                self.pay_for(&mut found, half, block, payers);
                lowest = lowest_of(&found);
                if self.safely(lowest) >= limit {
                    break;
                }
            }
            self.found[block] = found;
            self.least[block] = lowest;
            least = least.min(lowest);
        }
        self.safely(least)
    }

    /// Adds what a block of clusters pays for some columns with one more record, which is of these payers.
    #[inline]
    fn pay_for(&self, found: &mut Lanes, rows: &[&[Lanes]], block: usize, payers: &[f32]) {
        for (payer, more) in payers.iter().enumerate() {
            let place = payer * self.blocks + block;
            let mut sum = [0.0; LANES];
            for row in rows {
                add(&mut sum, &row[place]);
            }
            pay(found, &self.times[place], *more, &sum);
        }
    }

    /// Removes a cluster from the results of the last search. Returns the lower bound on the others.
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

/// The least term of the codes of a row. Codes that the closure covers add nothing.
fn cheapest(domain: &Domain, span: Span, first: Code, last: Code, term: impl Fn(Code) -> f64) -> f64 {
    let covered = if domain.is_set() { domain.covers(span, first) } else { first <= span.hi() && last >= span.lo() };
    match (covered, first == last) {
        (true, true) => 0.0,
        (true, false) => term(first).min(term(last)).min(0.0),
        (false, true) => term(first),
        (false, false) => term(first).min(term(last)),
    }
}

// Plain loops over arrays of fixed length, which compilers turn into vector instructions.

#[inline]
fn add(sum: &mut Lanes, row: &Lanes) {
    for lane in 0..LANES {
        sum[lane] += row[lane];
    }
}

#[inline]
fn pay(bound: &mut Lanes, times: &Lanes, more: f32, sum: &Lanes) {
    for lane in 0..LANES {
        bound[lane] += (times[lane] + more) * sum[lane];
    }
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
