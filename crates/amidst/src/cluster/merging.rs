//! Uniting the two closest clusters, again and again.
//!
//! The distance of two clusters is how much their union raises the loss: dist(A, B) = cost(A ∪ B) − cost(A)
//! − cost(B), or 0 if that is within rounding. Of several closest pairs, the one whose later cluster is
//! oldest is taken, and of those the one whose earlier cluster is oldest. A union is younger than all other
//! clusters.
//!
//! # Memory
//! Each cluster remembers only the nearest of the *older* clusters. So a new cluster changes no other
//! cluster's memory, and a cluster that is gone can only make a remembered distance too small. Such a
//! distance is corrected when it comes up as the least of all. That is exact for any distance and needs
//! O(n) memory.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use crate::cost::{Costs, Payers};
use crate::encode::{Domain, Span};
use crate::error::Result;
use crate::problem::{Cluster, Problem};
use crate::progress::Progress;

/// Relative tolerance: smaller differences of costs are rounding errors.
pub(crate) const ROUNDING: f64 = 1e-12;

/// Shorter scans run on one thread.
const MIN_PARALLEL_SCAN: usize = 8192;

/// How much a union adds, from its cost and the costs of both parts.
fn added(united: f64, apart: f64) -> f64 {
    let added = united - apart;
    if added.abs() <= ROUNDING * united.abs() { 0.0 } else { added }
}

/// A cluster and its records.
pub(crate) struct Piece {
    pub(crate) state: Cluster,
    pub(crate) rows: Vec<u32>,
}

/// Clusters that wait to be united, oldest first.
pub(crate) struct Pool<'a> {
    problem: &'a Problem,
    costs: &'a Costs<'a>,
    progress: Progress<'a>,
    /// `None` for a cluster that is gone.
    pieces: Vec<Option<Piece>>,
    /// The closures of all pieces, one after the other.
    spans: Vec<Span>,
    /// The cost of each cluster.
    each: Vec<f64>,
    /// The nearest older cluster of each, and its distance when it was found.
    near: Vec<Near>,
    queue: BinaryHeap<Turn>,
    /// The number of clusters that are not gone.
    len: usize,
}

/// A neighbour.
#[derive(Clone, Copy)]
struct Near {
    distance: f64,
    piece: u32,
}

/// The place of a piece that is gone.
const GONE: u32 = u32::MAX;

/// The neighbour of a piece without one.
const ALONE: Near = Near { distance: f64::INFINITY, piece: GONE };

/// An entry of the queue. The least distance comes first, of equal ones the oldest piece.
struct Turn {
    distance: f64,
    piece: u32,
}

impl Ord for Turn {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then(other.piece.cmp(&self.piece))
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Turn {}

impl<'a> Pool<'a> {
    pub(crate) fn new(
        problem: &'a Problem,
        costs: &'a Costs<'a>,
        pieces: Vec<Piece>,
        progress: Progress<'a>,
    ) -> Result<Self> {
        let mut pool = Pool {
            problem,
            costs,
            progress,
            spans: pieces.iter().flat_map(|p| p.state.closure()).copied().collect(),
            each: pieces.iter().map(|p| costs.cluster(&p.state)).collect(),
            len: pieces.len(),
            pieces: pieces.into_iter().map(Some).collect(),
            near: Vec::new(),
            queue: BinaryHeap::new(),
        };
        let nearest = |piece| {
            progress.advance(0)?;
            Ok(pool.nearest(piece))
        };
        pool.near = (0..pool.pieces.len()).into_par_iter().map(nearest).collect::<Result<_>>()?;
        pool.line_up();
        Ok(pool)
    }

    /// Takes out the two closest clusters and returns their union; `None` if there are no two.
    pub(crate) fn unite_closest(&mut self) -> Result<Option<Piece>> {
        let Some((younger, older)) = self.closest()? else { return Ok(None) };
        let (Some(mut united), Some(other)) = (self.pieces[older].take(), self.pieces[younger].take()) else {
            return Ok(None);
        };
        self.len -= 2;
        self.problem.join(&mut united.state, &other.state);
        united.rows.extend(other.rows);
        Ok(Some(united))
    }

    /// Adds a cluster, which is the youngest then.
    pub(crate) fn push(&mut self, piece: Piece) {
        if self.pieces.len() > 64 && self.pieces.len() > 2 * self.len {
            self.close_ranks();
        }
        let place = self.pieces.len();
        self.spans.extend(piece.state.closure());
        self.each.push(self.costs.cluster(&piece.state));
        self.pieces.push(Some(piece));
        self.len += 1;
        let near = self.nearest(place);
        self.near.push(near);
        self.queue.push(Turn { distance: near.distance, piece: place as u32 });
    }

    /// The remaining clusters, oldest first.
    pub(crate) fn rest(self) -> impl Iterator<Item = Piece> {
        self.pieces.into_iter().flatten()
    }

    /// The two closest clusters: the younger and the older.
    fn closest(&mut self) -> Result<Option<(usize, usize)>> {
        while let Some(Turn { distance, piece }) = self.queue.pop() {
            let younger = piece as usize;
            if self.pieces[younger].is_none() {
                continue;
            }
            let near = self.near[younger];
            if distance == f64::INFINITY {
                return Ok(None);
            }
            let older = near.piece as usize;
            if self.pieces.get(older).is_some_and(Option::is_some) {
                return Ok(Some((younger, older)));
            }
            self.progress.advance(0)?;
            let near = self.nearest(younger);
            self.near[younger] = near;
            self.queue.push(Turn { distance: near.distance, piece });
        }
        Ok(None)
    }

    /// The first of the nearest older pieces.
    fn nearest(&self, piece: usize) -> Near {
        let upto = piece;
        let first = |a: Near, b: Near| if b.distance < a.distance { b } else { a };
        if upto < MIN_PARALLEL_SCAN || rayon::current_num_threads() == 1 {
            return self.nearest_in(piece, 0..upto);
        }
        // Parts are compared in order, so that the first of equal ones is found whatever the threads do.
        let part = upto.div_ceil(2 * rayon::current_num_threads());
        let parts: Vec<Near> = (0..upto.div_ceil(part))
            .into_par_iter()
            .map(|i| self.nearest_in(piece, i * part..upto.min((i + 1) * part)))
            .collect();
        parts.into_iter().fold(ALONE, first)
    }

    fn nearest_in(&self, piece: usize, among: std::ops::Range<usize>) -> Near {
        let mut best = ALONE;
        let Some(Some(own)) = self.pieces.get(piece) else { return best };
        if self.costs.kind() != Payers::Alike {
            for other in among {
                let Some(candidate) = &self.pieces[other] else { continue };
                let united = self.costs.united(&candidate.state, &own.state);
                let distance = added(united, self.each[other] + self.each[piece]);
                if distance < best.distance {
                    best = Near { distance, piece: other as u32 };
                }
            }
            return best;
        }
        let domains = self.problem.encoded.domains();
        let width = domains.len();
        let spans = &self.spans[piece * width..][..width];
        // With such measures no distance is negative, so the first distance of 0 is the first of the least.
        let least = if self.problem.measure.monotone() { 0.0 } else { f64::NEG_INFINITY };
        for other in among {
            let Some(candidate) = &self.pieces[other] else { continue };
            let size = (own.state.size() + candidate.state.size()) as f64;
            let apart = self.each[other] + self.each[piece];
            // If the first columns alone cost more than this, the pair cannot be the closest.
            let limit = (best.distance + apart) / size * (1.0 + 2.0 * ROUNDING);
            let others = &self.spans[other * width..][..width];
            if let Some(sum) = joined(self.costs, domains, spans, others, limit) {
                let distance = added(size * sum, apart);
                if distance < best.distance {
                    best = Near { distance, piece: other as u32 };
                    if distance <= least {
                        return best;
                    }
                }
            }
        }
        best
    }

    /// Renumbers the pieces without those that are gone.
    fn close_ranks(&mut self) {
        let width = self.problem.encoded.domains().len();
        let mut places = vec![GONE; self.pieces.len()];
        let mut kept = 0;
        for (place, new) in places.iter_mut().enumerate() {
            if self.pieces[place].is_some() {
                *new = kept as u32;
                self.pieces.swap(place, kept);
                self.each[kept] = self.each[place];
                self.spans.copy_within(place * width..(place + 1) * width, kept * width);
                self.near[kept] = self.near[place];
                kept += 1;
            }
        }
        self.pieces.truncate(kept);
        self.each.truncate(kept);
        self.spans.truncate(kept * width);
        self.near.truncate(kept);
        for near in &mut self.near {
            near.piece = places.get(near.piece as usize).copied().unwrap_or(GONE);
        }
        self.line_up();
    }

    fn line_up(&mut self) {
        let turns = self.near.iter().enumerate();
        self.queue = turns.map(|(piece, near)| Turn { distance: near.distance, piece: piece as u32 }).collect();
    }
}

/// What a record of the union of two closures pays; `None` if that is more than `limit`.
#[inline]
fn joined(costs: &Costs, domains: &[Domain], a: &[Span], b: &[Span], limit: f64) -> Option<f64> {
    let mut sum = 0.0;
    for (column, domain) in domains.iter().enumerate() {
        sum += costs.part(column, domain.join(a[column], b[column]), 0);
        if sum > limit {
            return None;
        }
    }
    Some(sum)
}

/// One piece for each row.
pub(crate) fn singletons(problem: &Problem, rows: impl IntoIterator<Item = u32>) -> Vec<Piece> {
    let piece = |row| Some(Piece { state: problem.cluster(&[row])?, rows: vec![row] });
    rows.into_iter().filter_map(piece).collect()
}

/// The first of the clusters to which `piece` is closest.
pub(crate) fn closest(costs: &Costs, clusters: &[Cluster], piece: &Cluster) -> Option<u32> {
    let all: Vec<u32> = (0..clusters.len() as u32).collect();
    super::joining::least(&all, |c| {
        let cluster = &clusters[c as usize];
        added(costs.united(cluster, piece), costs.cluster(cluster) + costs.cluster(piece))
    })
}
