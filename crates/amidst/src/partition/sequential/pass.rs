//! Passes over the records, each of which moves to where it costs least.
//!
//! # Memory
//! Each record remembers a bound: at its last turn, no cluster but its own would have cost less to join.
//! For clusters that have not changed since, that is still true. So while leaving its own cluster gains no
//! more than the bound, a record needs to look only at clusters that have changed. A cluster that grew by a
//! record it covers already now costs more to join, if all records pay alike and the measure grows with the
//! closure; so it does not count as changed.
//!
//! If constraints look at sensitive values, clusters that may not have the record are left out. What a
//! cluster may take changes with every record that joins it, so every change counts. A record that its own
//! cluster cannot spare has no turn. Its memory grows old, and is useless once the changes since then are
//! forgotten.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

use super::company::{gather, partner};
use super::dealing;
use super::group::Group;
use super::guard::{Guard, Refusals};
use super::scan::Bounds;
use crate::cluster::joining::least;
use crate::cluster::merging::ROUNDING;
use crate::cost::{Costs, Payers};
use crate::error::Result;
use crate::problem::Problem;
use crate::progress::Progress;

/// How many clusters can be bounded in the time in which one changed cluster is looked at.
const BOUNDS_PER_LOOK: usize = 24;

/// What a pass may do.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// Whether records that sensitive values hold back may move together.
    pub(super) together: bool,
    /// The size above which a cluster is split at once; `None` if clusters are split after the pass.
    pub(super) most: Option<f64>,
}

/// The clusters between two moves.
pub(super) struct Groups<'a> {
    problem: &'a Problem,
    costs: &'a Costs<'a>,
    guard: Option<&'a Guard<'a>>,
    /// `None` for a cluster that has vanished.
    all: Vec<Option<Group>>,
    /// The group of each row.
    of: Vec<u32>,
    /// What each record found at its last turn.
    memory: Vec<Memory>,
    /// What each record would have found without constraints on sensitive values.
    free: Vec<Memory>,
    /// The rows of each group, if they are needed within a pass.
    members: Option<Vec<Vec<u32>>>,
    /// Whether records that sensitive values hold back may move together.
    together: bool,
    /// The size above which groups are split at once.
    most: Option<f64>,
    /// Bounds on the cost of joining each group, for measures that allow them.
    bounds: Option<Bounds<'a>>,
    /// Whether the bounds must be made anew.
    outdated: bool,
    changes: Changes,
    refusals: Refusals,
}

/// What a record found at its last turn.
#[derive(Clone, Copy)]
struct Memory {
    /// No cluster that has not changed since costs less to join.
    bound: f64,
    /// The number of changes before that turn.
    since: usize,
}

/// The groups that have changed, in the order of the changes.
#[derive(Default)]
struct Changes {
    log: Vec<u32>,
    /// The number of changes before the first one in the log.
    forgotten: usize,
    /// The number of each group's last change.
    last: Vec<usize>,
}

impl Changes {
    fn count(&self) -> usize {
        self.forgotten + self.log.len()
    }

    fn note(&mut self, group: usize) {
        self.log.push(group as u32);
        if self.last.len() <= group {
            self.last.resize(group + 1, 0);
        }
        self.last[group] = self.count();
    }

    /// The groups that have changed since the change number `count`, each once.
    fn since(&self, count: usize) -> impl Iterator<Item = usize> {
        let entries = self.log.iter().enumerate().skip(count - self.forgotten);
        entries.filter(|(i, group)| self.last[**group as usize] == self.forgotten + i + 1).map(|(_, g)| *g as usize)
    }
}

impl<'a> Groups<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        costs: &'a Costs<'a>,
        guard: Option<&'a Guard<'a>>,
        Rules { together, most }: Rules,
        clusters: &[Vec<u32>],
    ) -> Self {
        let mut of = vec![0; problem.rows()];
        for (group, rows) in clusters.iter().enumerate() {
            rows.iter().for_each(|row| of[*row as usize] = group as u32);
        }
        let all: Vec<Option<Group>> = clusters.iter().map(|rows| Group::new(problem, costs, rows)).collect();
        let changes = Changes { last: vec![0; all.len()], ..Changes::default() };
        let memory = vec![Memory { bound: f64::NEG_INFINITY, since: 0 }; problem.rows()];
        let refusals = Refusals::default();
        let together = together && guard.is_some();
        let free = if together { memory.clone() } else { Vec::new() };
        let members = (together || most.is_some()).then(Vec::new);
        Groups {
            problem,
            costs,
            guard,
            all,
            of,
            memory,
            free,
            members,
            together,
            most,
            bounds: None,
            outdated: true,
            changes,
            refusals,
        }
    }

    /// The sorted rows of each group.
    pub(super) fn rows(&self) -> Vec<Vec<u32>> {
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); self.all.len()];
        for (row, group) in self.of.iter().enumerate() {
            rows[*group as usize].push(row as u32);
        }
        rows
    }

    /// Gives every record its turn. Returns whether one has moved.
    pub(super) fn pass(&mut self, rng: &mut ChaCha12Rng, progress: Progress) -> Result<bool> {
        if self.outdated {
            self.refusals = Refusals::default();
            self.members = self.members.is_some().then(|| self.rows());
            self.make_bounds();
        }
        self.outdated = false;
        let begin = self.changes.log.len();
        let mut moved = false;
        for row in 0..self.of.len() {
            if row % 256 == 0 {
                progress.advance(0)?;
            }
            if let Some(grown) = self.turn(row) {
                moved = true;
                self.split_at_once(grown, rng);
            }
        }
        // Every record has had its turn in this pass, so nothing will ask for earlier changes.
        self.changes.log.drain(..begin);
        self.changes.forgotten += begin;
        Ok(moved)
    }

    /// Moves a record if that helps. Returns the group that it moved to.
    fn turn(&mut self, row: usize) -> Option<usize> {
        let own = self.of[row] as usize;
        let group = self.all[own].as_mut()?;
        let alone = group.state().size() == 1;
        let released = alone || group.releases(self.guard, row as u32);
        if !released && !self.together {
            return None;
        }
        let before = group.cost();
        let gain = before - group.cost_without(self.problem, self.costs, row as u32);
        let limit = if alone { f64::INFINITY } else { gain - ROUNDING * before.abs() };
        if released {
            let (bound, best) = self.best(row as u32, own, limit, self.guard, self.memory[row]);
            self.memory[row] = Memory { bound, since: self.changes.count() };
            let target = best.and_then(|(place, more)| Some((place, more, self.all[place].as_ref()?)));
            if let Some((place, more, target)) = target {
                let rounding = ROUNDING * ((target.cost() + more).abs() + before.abs());
                if alone || more < gain - rounding {
                    self.leave(row, own, alone);
                    self.join(row, place);
                    return Some(place);
                }
            }
        }
        if !alone && self.together { self.turn_together(row, own, limit, released) } else { None }
    }

    /// Moves a record that may not move alone together with others of its group, if that helps. Returns the
    /// group that they moved to.
    fn turn_together(&mut self, row: usize, own: usize, limit: f64, released: bool) -> Option<usize> {
        let (bound, best) = self.best(row as u32, own, limit, None, self.free[row]);
        self.free[row] = Memory { bound, since: self.changes.count() };
        let (place, _) = best.filter(|(_, more)| *more < limit)?;
        if released && self.admits(place, row as u32, self.guard) {
            return None;
        }
        let (guard, members) = (self.guard?, self.members.as_ref()?);
        let (group, target) = (self.all[own].as_ref()?, self.all[place].as_ref()?);
        let go = gather(guard, self.costs, (group, &members[own]), target, row as u32);
        let Some(go) = go else {
            let other = partner(guard, self.costs, group, (target, &members[place]), row as u32)?;
            self.leave(row, own, false);
            self.join(row, place);
            self.leave(other as usize, place, false);
            self.join(other as usize, own);
            return Some(place);
        };
        for row in go {
            let alone = self.all[own].as_ref().is_some_and(|group| group.state().size() == 1);
            self.leave(row as usize, own, alone);
            self.join(row as usize, place);
        }
        Some(place)
    }

    /// The first of the best groups for a record that may take it, and a bound on what any group costs. The
    /// search may stop early if no group costs less than `limit`.
    fn best(
        &mut self,
        row: u32,
        own: usize,
        limit: f64,
        guard: Option<&Guard>,
        memory: Memory,
    ) -> (f64, Option<(usize, f64)>) {
        let known = memory.since >= self.changes.forgotten;
        let looks = if self.bounds.is_some() { BOUNDS_PER_LOOK } else { 1 };
        let few = known && (self.changes.count() - memory.since) * looks <= self.all.len();
        if memory.bound >= limit && few {
            self.best_changed(row, own, guard, memory)
        } else if self.bounds.is_some() {
            self.best_bounded(row, own, limit, guard)
        } else {
            self.best_of_all(row, own, guard)
        }
    }

    fn leave(&mut self, row: usize, own: usize, alone: bool) {
        if let Some(members) = &mut self.members {
            members[own].retain(|member| *member as usize != row);
        }
        if alone {
            self.all[own] = None;
            self.outdated = true;
            if let Some(bounds) = &mut self.bounds {
                bounds.remove(own);
            }
            return;
        }
        if let Some(group) = &mut self.all[own] {
            group.remove(self.problem, self.costs, row as u32);
            if let Some(bounds) = &mut self.bounds {
                bounds.update(own, group);
            }
        }
        self.changes.note(own);
        self.refusals.forget(own);
    }

    fn join(&mut self, row: usize, place: usize) {
        self.of[row] = place as u32;
        if let Some(members) = &mut self.members {
            members[place].push(row as u32);
        }
        let Some(group) = &mut self.all[place] else { return };
        let closure = group.state().closure().to_vec();
        group.add(self.problem, self.costs, row as u32);
        let covered = group.state().closure() == closure;
        if let Some(bounds) = &mut self.bounds {
            bounds.update(place, group);
        }
        let asks_more = covered && self.costs.kind() == Payers::Alike && self.problem.measure.monotone();
        if !asks_more || self.guard.is_some() {
            self.changes.note(place);
            self.refusals.forget(place);
        }
    }

    /// How much the record raises the cost of a group.
    fn more(&self, group: usize, row: u32) -> Option<f64> {
        let group = self.all[group].as_ref()?;
        Some(group.cost_with(self.costs, row) - group.cost())
    }

    /// Whether a group may take the record.
    fn admits(&mut self, group: usize, row: u32, guard: Option<&Guard>) -> bool {
        self.all[group].as_mut().is_some_and(|group| group.admits(guard, row))
    }

    /// The best among the groups that changed since the record's last turn, the first of equal ones, and
    /// the new bound.
    fn best_changed(
        &mut self,
        row: u32,
        own: usize,
        guard: Option<&Guard>,
        memory: Memory,
    ) -> (f64, Option<(usize, f64)>) {
        let mut best: Option<(usize, f64)> = None;
        for place in self.changes.since(memory.since).filter(|group| *group != own) {
            let Some(group) = &mut self.all[place] else { continue };
            let more = group.cost_with(self.costs, row) - group.cost();
            let better = best.is_none_or(|(first, least)| more < least || more <= least && place < first);
            if better && group.admits(guard, row) {
                best = Some((place, more));
            }
        }
        (best.map_or(memory.bound, |(_, more)| more.min(memory.bound)), best)
    }

    /// The best of all groups that may take the record, the first of equal ones, unless none costs less
    /// than `limit`; and the new bound.
    fn best_bounded(&mut self, row: u32, own: usize, limit: f64, guard: Option<&Guard>) -> (f64, Option<(usize, f64)>) {
        let Some(bounds) = &mut self.bounds else { return (f64::NEG_INFINITY, None) };
        let secret = self.problem.secret(row);
        let closed = if guard.is_some() { self.refusals.of(secret) } else { &[] };
        let mut bound = bounds.search(row, own, limit, closed);
        let most = loop {
            if bound >= limit {
                return (bound, None);
            }
            let Some(likely) = bounds.likely() else { return (bound, None) };
            let Some(group) = &mut self.all[likely] else { return (bound, None) };
            if group.admits(guard, row) {
                break group.cost_with(self.costs, row) - group.cost();
            }
            self.refusals.note(secret, likely);
            bound = bounds.dismiss(likely);
        };
        let mut best: Option<(usize, f64)> = None;
        for place in bounds.candidates(most) {
            let Some(group) = &mut self.all[place] else { continue };
            let more = group.cost_with(self.costs, row) - group.cost();
            if best.is_none_or(|(_, least)| more < least) {
                if group.admits(guard, row) {
                    best = Some((place, more));
                } else {
                    self.refusals.note(secret, place);
                }
            }
        }
        (best.map_or(bound, |(_, more)| more), best)
    }

    /// The best of all groups that may take the record, the first of equal ones, and its cost as the new
    /// bound.
    fn best_of_all(&mut self, row: u32, own: usize, guard: Option<&Guard>) -> (f64, Option<(usize, f64)>) {
        let groups = (0..self.all.len()).filter(|group| *group != own && self.admits(*group, row, guard));
        let all: Vec<u32> = groups.map(|group| group as u32).collect();
        let best = least(&all, |group| self.more(group as usize, row).unwrap_or(f64::INFINITY));
        let best = best.and_then(|group| Some((group as usize, self.more(group as usize, row)?)));
        (best.map_or(f64::INFINITY, |(_, more)| more), best)
    }

    /// Makes bounds for all groups, with room for those that come within the pass.
    fn make_bounds(&mut self) {
        let room = if self.most.is_some() { self.all.len() / 8 + 1 } else { 0 };
        self.bounds = Bounds::new(self.problem, self.costs, &self.all, room);
    }

    /// Splits a group that has grown too large, unless that is left to the end of the pass.
    fn split_at_once(&mut self, group: usize, rng: &mut ChaCha12Rng) {
        let (Some(most), Some(members)) = (self.most, &self.members) else { return };
        if members[group].len() as f64 <= most {
            return;
        }
        let mut rows = members[group].clone();
        rows.sort_unstable();
        if !self.halve(group, rows, rng) {
            return;
        }
        self.refusals.forget(group);
        let place = self.all.len() - 1;
        let (Some(bounds), Some(stay), Some(go)) = (&mut self.bounds, &self.all[group], &self.all[place]) else {
            return;
        };
        bounds.update(group, stay);
        if !bounds.insert(place, go) {
            self.make_bounds();
        }
    }

    /// Splits a group of these sorted rows into random halves. Returns false if sensitive values do not
    /// allow that.
    pub(super) fn halve(&mut self, group: usize, mut rows: Vec<u32>, rng: &mut ChaCha12Rng) -> bool {
        if let Some(guard) = self.guard {
            let parts = dealing::split(guard, &rows, 2, rng);
            let Some([stay, go]) = parts.as_deref() else { return false };
            self.split(group, stay, go);
        } else {
            rows.shuffle(rng);
            let (stay, go) = rows.split_at(rows.len().div_ceil(2));
            self.split(group, stay, go);
        }
        true
    }

    /// Splits a group into one that keeps its place and a new one.
    fn split(&mut self, group: usize, stay: &[u32], go: &[u32]) {
        let place = self.all.len();
        if let Some(members) = self.members.as_mut().filter(|members| members.len() == place) {
            members[group] = stay.to_vec();
            members.push(go.to_vec());
        }
        go.iter().for_each(|row| self.of[*row as usize] = place as u32);
        self.all[group] = Group::new(self.problem, self.costs, stay);
        self.all.push(Group::new(self.problem, self.costs, go));
        self.changes.note(group);
        self.changes.note(place);
        self.outdated = true;
    }

    /// Renumbers the groups without those that have vanished.
    pub(super) fn close_ranks(&mut self) {
        if self.all.iter().all(Option::is_some) {
            return;
        }
        let mut kept = 0;
        let places: Vec<u32> = self
            .all
            .iter()
            .map(|group| {
                let place = kept;
                kept += u32::from(group.is_some());
                place
            })
            .collect();
        for (place, new) in places.iter().enumerate().filter(|(place, _)| self.all[*place].is_some()) {
            self.changes.last[*new as usize] = self.changes.last[place];
        }
        self.changes.last.truncate(kept as usize);
        self.all.retain(Option::is_some);
        self.of.iter_mut().for_each(|group| *group = places[*group as usize]);
        // An entry of a vanished group now names another group, but not at the place of that group's last
        // change, so it is ignored.
        self.changes.log.iter_mut().for_each(|group| *group = places[*group as usize].min(kept.saturating_sub(1)));
        self.outdated = true;
    }

    /// The groups and their rows.
    pub(super) fn finish(self) -> Vec<(Group, Vec<u32>)> {
        let rows = self.rows();
        self.all.into_iter().zip(rows).filter_map(|(group, rows)| Some((group?, rows))).collect()
    }
}
