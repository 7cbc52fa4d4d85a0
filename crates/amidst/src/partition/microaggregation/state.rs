//! The clusters of a block while they are searched.

use crate::cluster::points::{Cloud, squared};
use crate::problem::Problem;

/// Clusters of the points of a block, with their sums.
pub(super) struct State<'a> {
    pub cloud: &'a Cloud,
    problem: &'a Problem,
    /// The record of each point.
    rows: &'a [u32],
    /// The least size of a cluster.
    pub least: usize,
    /// The cluster of each point.
    home: Vec<u32>,
    /// Its place among the members of its cluster.
    place: Vec<u32>,
    members: Vec<Vec<u32>>,
    sums: Vec<f64>,
    /// Numbers of clusters without members.
    free: Vec<u32>,
    /// Where moved points were, so that the moves can be taken back.
    journal: Vec<(u32, u32)>,
}

impl<'a> State<'a> {
    pub(super) fn new(problem: &'a Problem, rows: &'a [u32], cloud: &'a Cloud, clusters: Vec<Vec<u32>>) -> Self {
        let mut state = State {
            cloud,
            problem,
            rows,
            least: problem.min_size().max(1),
            home: vec![0; cloud.len()],
            place: vec![0; cloud.len()],
            sums: vec![0.0; clusters.len() * cloud.width()],
            members: clusters,
            free: Vec::new(),
            journal: Vec::new(),
        };
        for cluster in 0..state.members.len() {
            for place in 0..state.members[cluster].len() {
                let point = state.members[cluster][place] as usize;
                (state.home[point], state.place[point]) = (cluster as u32, place as u32);
            }
        }
        state.sum_again();
        state
    }

    /// Sums up all clusters again, because sums that are changed often lose digits.
    pub(super) fn sum_again(&mut self) {
        let width = self.cloud.width();
        self.sums.fill(0.0);
        for (cluster, members) in self.members.iter().enumerate() {
            let sums = &mut self.sums[cluster * width..(cluster + 1) * width];
            members.iter().for_each(|point| sums.iter_mut().zip(self.cloud.at(*point)).for_each(|(s, at)| *s += at));
        }
    }

    /// The clusters, as records.
    pub(super) fn finish(self) -> Vec<Vec<u32>> {
        let clusters = self.members.into_iter().filter(|members| !members.is_empty());
        clusters.map(|members| members.into_iter().map(|point| self.rows[point as usize]).collect()).collect()
    }

    /// The number of clusters, with those that have no members.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    pub(super) fn home(&self, point: u32) -> u32 {
        self.home[point as usize]
    }

    pub(super) fn members(&self, cluster: u32) -> &[u32] {
        &self.members[cluster as usize]
    }

    pub(super) fn size(&self, cluster: u32) -> usize {
        self.members[cluster as usize].len()
    }

    /// Whether a cluster may lose a record, by its size.
    pub(super) fn has_spare(&self, cluster: u32) -> bool {
        self.size(cluster) > self.least
    }

    /// Whether a cluster takes records. With twice the least size it would be better cut in two, unless a constraint stands against that.
    pub(super) fn has_room(&self, cluster: u32) -> bool {
        self.problem.guarded() || self.size(cluster) + 1 < 2 * self.least
    }

    /// The squared error of all clusters.
    pub(super) fn error(&self) -> f64 {
        let error = |members: &Vec<u32>| {
            let mean = self.cloud.mean(members);
            members.iter().map(|point| squared(self.cloud.at(*point), &mean)).sum::<f64>()
        };
        self.members.iter().map(error).sum()
    }

    fn sums_of(&self, cluster: u32) -> &[f64] {
        let width = self.cloud.width();
        let from = cluster as usize * width;
        &self.sums[from..from + width]
    }

    /// The squared distance of a point from the mean of a cluster.
    pub(super) fn mean_distance(&self, point: u32, cluster: u32) -> f64 {
        let share = 1.0 / self.size(cluster) as f64;
        let axes = self.cloud.at(point).iter().zip(self.sums_of(cluster));
        axes.map(|(at, sum)| (at - sum * share) * (at - sum * share)).sum()
    }

    /// What the squared error grows by if a point leaves its cluster.
    pub(super) fn leaving(&self, point: u32) -> f64 {
        let home = self.home(point);
        let size = self.size(home) as f64;
        if size < 2.0 { 0.0 } else { -size / (size - 1.0) * self.mean_distance(point, home) }
    }

    /// What the squared error grows by if a point of another cluster joins this one.
    pub(super) fn joining(&self, point: u32, cluster: u32) -> f64 {
        let size = self.size(cluster) as f64;
        if size < 1.0 { 0.0 } else { size / (size + 1.0) * self.mean_distance(point, cluster) }
    }

    /// What the squared error grows by if two points of different clusters change places.
    pub(super) fn swapping(&self, a: u32, b: u32) -> f64 {
        let (of_a, of_b) = (self.home(a), self.home(b));
        let places = self.cloud.at(a).iter().zip(self.cloud.at(b));
        let sums = self.sums_of(of_a).iter().zip(self.sums_of(of_b));
        let (mut square, mut with_a, mut with_b) = (0.0, 0.0, 0.0);
        for ((a, b), (sum_a, sum_b)) in places.zip(sums) {
            let step = b - a;
            square += step * step;
            with_a += step * sum_a;
            with_b += step * sum_b;
        }
        -(2.0 * with_a + square) / self.size(of_a) as f64 + (2.0 * with_b - square) / self.size(of_b) as f64
    }

    /// Moves a point to another cluster.
    pub(super) fn relocate(&mut self, point: u32, to: u32) {
        let home = self.home(point);
        self.journal.push((point, home));
        self.set(point, to);
    }

    /// Lets two points change places.
    pub(super) fn swap(&mut self, a: u32, b: u32) {
        let (of_a, of_b) = (self.home(a), self.home(b));
        self.relocate(a, of_b);
        self.relocate(b, of_a);
    }

    fn set(&mut self, point: u32, to: u32) {
        let (from, place) = (self.home(point), self.place[point as usize] as usize);
        let left = &mut self.members[from as usize];
        left.swap_remove(place);
        if let Some(moved) = left.get(place) {
            self.place[*moved as usize] = place as u32;
        }
        self.place[point as usize] = self.members[to as usize].len() as u32;
        self.home[point as usize] = to;
        self.members[to as usize].push(point);
        let width = self.cloud.width();
        let (from, to) = (from as usize * width, to as usize * width);
        for (axis, at) in self.cloud.at(point).iter().enumerate() {
            self.sums[from + axis] -= at;
            self.sums[to + axis] += at;
        }
    }

    /// A cluster without members.
    pub(super) fn open(&mut self) -> u32 {
        while let Some(cluster) = self.free.pop() {
            if self.members[cluster as usize].is_empty() {
                let from = cluster as usize * self.cloud.width();
                self.sums[from..from + self.cloud.width()].fill(0.0);
                return cluster;
            }
        }
        self.members.push(Vec::new());
        self.sums.resize(self.members.len() * self.cloud.width(), 0.0);
        self.members.len() as u32 - 1
    }

    /// Keeps the moves since the last time if every constraint still holds; otherwise takes them back.
    pub(super) fn settle(&mut self, accepted: bool) -> bool {
        let kept = accepted && (!self.problem.guarded() || self.holds());
        if !kept {
            while let Some((point, from)) = self.journal.pop() {
                let left = self.home(point);
                self.set(point, from);
                self.forget(left);
            }
        }
        while let Some((_, from)) = self.journal.pop() {
            self.forget(from);
        }
        kept
    }

    fn forget(&mut self, cluster: u32) {
        if self.size(cluster) == 0 && !self.free.contains(&cluster) {
            self.free.push(cluster);
        }
    }

    /// Whether the clusters that changed satisfy every constraint.
    fn holds(&self) -> bool {
        let changed = self.journal.iter().flat_map(|(point, from)| [*from, self.home(*point)]);
        changed.filter(|cluster| self.size(*cluster) > 0).all(|cluster| {
            let rows: Vec<u32> = self.members(cluster).iter().map(|point| self.rows[*point as usize]).collect();
            self.problem.hold(&rows)
        })
    }

    /// Cuts a cluster of at least twice the least size in two where that lowers the error most, on the line through its two outermost points.
    /// Returns the new cluster.
    pub(super) fn halve(&mut self, cluster: u32) -> Option<u32> {
        let members = self.members(cluster).to_vec();
        if members.len() < 2 * self.least {
            return None;
        }
        let mean = self.cloud.mean(&members);
        let one = self.outermost(&members, &mean)?;
        let other = self.outermost(&members, self.cloud.at(one))?;
        let line: Vec<f64> = self.cloud.at(other).iter().zip(self.cloud.at(one)).map(|(b, a)| b - a).collect();
        let along = |point: u32| self.cloud.at(point).iter().zip(&line).map(|(at, way)| at * way).sum::<f64>();
        let mut order: Vec<(f64, u32)> = members.iter().map(|point| (along(*point), *point)).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let cut = self.best_cut(&order);
        let new = self.open();
        order[cut..].iter().for_each(|(_, point)| self.relocate(*point, new));
        self.settle(true).then_some(new)
    }

    fn outermost(&self, members: &[u32], place: &[f64]) -> Option<u32> {
        let far = members.iter().map(|point| (squared(self.cloud.at(*point), place), *point));
        far.reduce(|most, next| if next.0 > most.0 { next } else { most }).map(|(_, point)| point)
    }

    /// How many of the ordered points stay, such that both parts are large enough and their squared means weigh most.
    fn best_cut(&self, order: &[(f64, u32)]) -> usize {
        let width = self.cloud.width();
        let mut after = vec![0.0; width];
        order.iter().for_each(|(_, point)| after.iter_mut().zip(self.cloud.at(*point)).for_each(|(s, at)| *s += at));
        let mut before = vec![0.0; width];
        let mut best = (f64::NEG_INFINITY, self.least);
        for (stay, (_, point)) in (1..).zip(&order[..order.len() - self.least]) {
            for ((before, after), at) in before.iter_mut().zip(&mut after).zip(self.cloud.at(*point)) {
                *before += at;
                *after -= at;
            }
            let square = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>();
            let kept = square(&before) / stay as f64 + square(&after) / (order.len() - stay) as f64;
            if stay >= self.least && kept > best.0 {
                best = (kept, stay);
            }
        }
        best.1
    }
}
