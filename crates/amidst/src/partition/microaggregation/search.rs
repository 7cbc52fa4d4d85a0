//! Simulated annealing of the clusters of one block.
//!
//! A proposal takes a random point and one of its near points in another cluster. Either the point moves there, if its cluster can spare it,
//! or it changes places with a member of that cluster. Now and then a cluster is dissolved into its neighbours, or near points that their
//! clusters can spare form a new one. What raises the error by less than a random threshold is accepted. The threshold falls from about the
//! share of one record in the error to almost nothing. At last every point is tried with all its near clusters until nothing improves.

use super::near::Near;
use super::state::State;
use crate::error::Result;
use crate::problem::mixed;
use crate::progress::Progress;

/// The first and the last threshold, as shares of the mean squared distance of a point from its cluster's mean.
const HOT: f64 = 10.0;
const COLD: f64 = 0.005;
/// How often the threshold falls.
const STEPS: u64 = 400;
/// One in so many proposals dissolves or founds a cluster.
const CLUSTERS_EVERY: u64 = 32;
/// The number of members of a cluster that a point may change places with, of which the best is proposed.
const MAX_PARTNERS: usize = 2;
/// The number of proposals between two reports of progress.
const REPORT_EVERY: u64 = 8192;
/// The number of final rounds over all points.
const MAX_ROUNDS: usize = 50;
/// The number of thresholds to draw from.
const THRESHOLDS: usize = 1024;

/// A search for clusters with less squared error.
pub(super) struct Search<'a> {
    pub state: State<'a>,
    near: &'a Near,
    draws: Draws,
    /// Random thresholds with mean 1: evenly spaced quantiles of the exponential distribution.
    thresholds: Vec<f64>,
}

/// Random numbers.
struct Draws {
    seed: u64,
    drawn: u64,
}

impl Draws {
    fn next(&mut self) -> u64 {
        self.drawn += 1;
        mixed(self.seed, self.drawn)
    }

    fn below(&mut self, most: usize) -> usize {
        (((self.next() >> 32) * most as u64) >> 32) as usize
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(state: State<'a>, near: &'a Near, seed: u64) -> Self {
        let quantile = |step: usize| -libm::log((step as f64 + 0.5) / THRESHOLDS as f64);
        let thresholds = (0..THRESHOLDS).map(quantile).collect();
        Search { state, near, draws: Draws { seed, drawn: 0 }, thresholds }
    }

    /// Makes so many proposals, with thresholds that begin at a share `heat` of the hottest one and end at a share `cold` of the coldest.
    pub(super) fn anneal(&mut self, proposals: u64, (heat, cold): (f64, f64), progress: Progress) -> Result<()> {
        let points = self.state.cloud.len();
        let share = self.state.error() / points.max(1) as f64;
        if points < 2 || share <= 0.0 || proposals == 0 {
            return Ok(());
        }
        let mut threshold = share * (HOT * heat).max(COLD * cold);
        let fall = libm::pow(share * COLD * cold / threshold, 1.0 / STEPS as f64);
        let each = proposals.div_ceil(STEPS);
        for made in 0..each * STEPS {
            if made % REPORT_EVERY == 0 {
                progress.advance(0)?;
            }
            if made % each == 0 {
                threshold *= fall;
                self.state.sum_again();
            }
            let least = threshold * self.thresholds[self.draws.below(THRESHOLDS)];
            let point = self.draws.below(points) as u32;
            match made % CLUSTERS_EVERY {
                0 => self.dissolve(point, least),
                1 => self.found(point, least),
                _ => self.propose(point, least),
            }
        }
        Ok(())
    }

    /// Moves a point to the cluster of a near one, or lets it change places with a member of that.
    fn propose(&mut self, point: u32, threshold: f64) {
        let near = self.near.of(point);
        if near.is_empty() {
            return;
        }
        let other = near[self.draws.below(near.len())];
        let (home, to) = (self.state.home(point), self.state.home(other));
        if home == to {
            return;
        }
        if self.state.has_spare(home) && self.state.has_room(to) && self.draws.next() & 1 == 0 {
            if self.state.leaving(point) + self.state.joining(point, to) < threshold {
                self.state.relocate(point, to);
                self.state.settle(true);
            }
            return;
        }
        let mut best = (f64::INFINITY, point);
        let members = self.state.size(to);
        let from = self.draws.below(members);
        for place in 0..members.min(MAX_PARTNERS) {
            let partner = self.state.members(to)[(from + place) % members];
            if partner != other {
                let growth = self.state.swapping(point, partner);
                if growth < best.0 {
                    best = (growth, partner);
                }
            }
        }
        if best.0 < threshold {
            self.state.swap(point, best.1);
            self.state.settle(true);
        }
    }

    /// Gives every member of the cluster of a point to the best of the clusters near it.
    fn dissolve(&mut self, point: u32, threshold: f64) {
        let cluster = self.state.home(point);
        let mut growth = 0.0;
        while let Some(member) = self.state.members(cluster).last().copied() {
            let mut best = (f64::INFINITY, cluster);
            for other in self.near.of(member) {
                let to = self.state.home(*other);
                if to != cluster && to != best.1 && self.state.has_room(to) {
                    let joining = self.state.joining(member, to);
                    if joining < best.0 {
                        best = (joining, to);
                    }
                }
            }
            if best.1 == cluster {
                growth = f64::INFINITY;
                break;
            }
            growth += self.state.leaving(member) + best.0;
            self.state.relocate(member, best.1);
        }
        self.state.settle(growth < threshold);
    }

    /// Makes a cluster of a point and near ones that their clusters can spare.
    fn found(&mut self, point: u32, threshold: f64) {
        if !self.state.has_spare(self.state.home(point)) {
            return;
        }
        let new = self.state.open();
        let mut growth = self.state.leaving(point);
        self.state.relocate(point, new);
        for other in self.near.of(point) {
            if self.state.size(new) == self.state.least {
                break;
            }
            if self.state.has_spare(self.state.home(*other)) {
                growth += self.state.leaving(*other) + self.state.joining(*other, new);
                self.state.relocate(*other, new);
            }
        }
        let enough = self.state.size(new) == self.state.least;
        self.state.settle(enough && growth < threshold);
    }

    /// Cuts all clusters that are large enough.
    pub(super) fn halve_all(&mut self) {
        let mut open: Vec<u32> = (0..self.state.len() as u32).collect();
        while let Some(cluster) = open.pop() {
            if let Some(new) = self.state.halve(cluster) {
                open.extend([cluster, new]);
            }
        }
    }

    /// Takes the best step of every point until there is none.
    pub(super) fn descend(&mut self, progress: Progress) -> Result<()> {
        self.state.sum_again();
        let least = 1e-12 * self.state.error();
        if least <= 0.0 {
            return Ok(());
        }
        for _ in 0..MAX_ROUNDS {
            progress.advance(0)?;
            let mut improved = false;
            for point in 0..self.state.cloud.len() as u32 {
                improved |= self.improve(point, least);
            }
            if !improved {
                break;
            }
        }
        Ok(())
    }

    fn improve(&mut self, point: u32, least: f64) -> bool {
        let home = self.state.home(point);
        let (mut best, mut partner, mut target) = (-least, None, home);
        let leaving = if self.state.has_spare(home) { Some(self.state.leaving(point)) } else { None };
        let mut seen = home;
        for other in self.near.of(point) {
            let to = self.state.home(*other);
            if to == home || to == seen {
                continue;
            }
            seen = to;
            if let Some(leaving) = leaving.filter(|_| self.state.has_room(to)) {
                let growth = leaving + self.state.joining(point, to);
                if growth < best {
                    (best, partner, target) = (growth, None, to);
                }
            }
            for member in self.state.members(to).iter().take(4 * self.state.least.min(64)) {
                let growth = self.state.swapping(point, *member);
                if growth < best {
                    (best, partner, target) = (growth, Some(*member), to);
                }
            }
        }
        if target == home {
            return false;
        }
        match partner {
            Some(partner) => self.state.swap(point, partner),
            None => self.state.relocate(point, target),
        }
        self.state.settle(true)
    }
}
