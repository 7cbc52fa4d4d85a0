//! Dealing a block into sub-blocks of records whose sensitive values all differ.
//!
//! The records lie in buckets, one for each sensitive value. While ℓ buckets are not empty, one record from
//! each of the ℓ largest buckets forms a *set*. If a set does not satisfy the constraints, because a model
//! asks for more than ℓ different values, it is united with the next sets until it does. The records that
//! remain are *residues*. Each residue gets a *home*: a sub-block that lacks its value. If no value has
//! more than 1/ℓ of the block, fewer than ℓ residues remain, no two of them with the same value, and each
//! has a home.
//!
//! The rules leave open which record of a bucket is taken. Records come in an order, and records that are
//! close in that order are put together: the first record of the largest bucket, and of each other bucket
//! the record nearest to it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encode::{Code, Sensitive};
use crate::error::{Error, Result};
use crate::problem::{Cluster, Problem};
use crate::progress::Progress;
use crate::registry::{Param, Range, Value};

/// How many different values, above the least number that constraints need, are tried to find how many are enough.
const MAX_VALUES_ABOVE_LEAST: usize = 256;

/// With several sensitive columns, buckets that share a value with a chosen one are passed over. After this many, the
/// remaining records are residues.
const MAX_PASSED_BUCKETS: usize = 64;

/// The largest number of sub-blocks to look at for all values of residues together. Above it, the block stays as it is.
const MAX_CANDIDATES: usize = 5_000_000;

/// Relative tolerance when the loss of sub-blocks is compared with that of their block.
const ROUNDING: f64 = 1e-12;

/// The parameter `l` of the algorithms that deal blocks.
pub(crate) const L: Param = Param {
    name: "l",
    about: "the number of different sensitive values in a sub-block; 0: as few as the privacy models allow",
    range: Range::Integer(0, u32::MAX as u64),
    default: Some(Value::Integer(0)),
};

/// The rules of dealing for one problem.
pub(crate) struct Game<'a> {
    pub(crate) problem: &'a Problem,
    /// The columns whose values are told apart.
    columns: &'a [Sensitive],
    pub(crate) l: usize,
}

/// The result of dealing a block.
pub(crate) struct Dealt {
    /// The rows of each sub-block.
    pub(crate) parts: Vec<Vec<u32>>,
    /// The residues, and for each the index of the sub-block that is its home.
    pub(crate) residues: Vec<(u32, usize)>,
}

impl<'a> Game<'a> {
    /// Rules with sets of `l` values. 0 stands for as few as the constraints allow.
    pub(crate) fn new(problem: &'a Problem, l: u64) -> Result<Self> {
        let columns = problem.encoded.sensitive();
        if l > 1 && columns.is_empty() {
            return Err(Error::NoSensitive { model: format!("l = {l}") });
        }
        // If no constraint looks at sensitive values, all records count as equal.
        let columns = if l > 1 || problem.values_count() { columns } else { &[] };
        let mut game = Game { problem, columns, l: l as usize };
        if l == 0 {
            game.l = game.least();
        }
        Ok(game)
    }

    /// The number of different values that satisfies the constraints on them.
    fn least(&self) -> usize {
        let problem = self.problem;
        let asked: Vec<_> = problem.constraints.iter().filter(|c| c.uses_sensitive()).collect();
        let least = asked.iter().map(|c| c.min_size()).max().unwrap_or(1);
        let mut known: FxHashMap<Vec<Code>, (usize, u32)> = FxHashMap::default();
        for row in 0..problem.rows() as u32 {
            known.entry(self.values(row).collect()).or_insert((0, row)).0 += 1;
        }
        let mut values: Vec<(usize, u32)> = known.into_values().collect();
        values.sort_unstable_by_key(|(count, row)| (Reverse(*count), *row));
        let mut state = problem.outline(&[]);
        let mut seen = Seen::default();
        for row in values.into_iter().map(|(_, row)| row) {
            if !seen.add(self, row) {
                continue;
            }
            problem.count(&mut state, row);
            if state.size() >= least && asked.iter().all(|c| c.holds(&state)) {
                return state.size();
            }
            if state.size() > least + MAX_VALUES_ABOVE_LEAST {
                break;
            }
        }
        least.min(state.size()).max(1)
    }

    /// The sensitive values of a row.
    pub(crate) fn values(&self, row: u32) -> impl Iterator<Item = Code> {
        self.columns.iter().map(move |column| column.row(row))
    }

    /// Whether two rows differ in all sensitive columns.
    fn differ(&self, a: u32, b: u32) -> bool {
        self.columns.iter().all(|column| column.row(a) != column.row(b))
    }

    /// The cost of these rows as one cluster.
    fn cost(&self, rows: &[u32]) -> f64 {
        self.problem.cluster(rows).map_or(0.0, |cluster| self.problem.measure.cluster(&cluster))
    }

    /// Whether the clusters after a step cost no more than those before it.
    pub(crate) fn costs_no_more<A: AsRef<[u32]>, B: AsRef<[u32]>>(&self, after: &[A], before: &[B]) -> bool {
        let before: f64 = before.iter().map(|rows| self.cost(rows.as_ref())).sum();
        let after: f64 = after.iter().map(|rows| self.cost(rows.as_ref())).sum();
        after <= before + ROUNDING * before.abs()
    }

    /// Deals the rows of a block, which come in order. `None` if that is impossible, so that the block
    /// stays as it is.
    pub(crate) fn deal(&self, rows: &[u32], progress: Progress) -> Result<Option<Dealt>> {
        let mut buckets = Buckets::new(self, rows);
        let mut parts: Vec<Part> = Vec::new();
        let mut open: Option<Part> = None;
        while let Some(places) = buckets.take(open.as_ref().map(Part::place)) {
            let mut part = open.take().unwrap_or_else(|| Part::new(self.problem));
            places.into_iter().for_each(|place| part.add(self.problem, rows, place));
            if self.problem.holds(&part.state) {
                progress.advance(part.places.len() as u64)?;
                parts.push(part);
            } else {
                progress.advance(0)?;
                open = Some(part);
            }
        }
        let mut homeless: Vec<usize> = buckets.places.into_iter().flatten().collect();
        if let Some(open) = open {
            let nearest = parts.iter_mut().min_by_key(|part| part.place().abs_diff(open.place()));
            match nearest {
                Some(part) if part.holds_with(self.problem, &open) => part.join(self.problem, open),
                _ => homeless.extend(open.places),
            }
        }
        homeless.sort_unstable();
        self.house(rows, parts, homeless, progress)
    }

    /// Finds a home for each residue: the nearest sub-block that lacks its value, otherwise the nearest one
    /// that satisfies the constraints with it.
    fn house(
        &self,
        rows: &[u32],
        mut parts: Vec<Part>,
        homeless: Vec<usize>,
        progress: Progress,
    ) -> Result<Option<Dealt>> {
        // For each value, the sub-blocks that lack it and the others, by place.
        let mut homes: FxHashMap<Vec<Code>, [BTreeMap<usize, usize>; 2]> = FxHashMap::default();
        let mut residues = Vec::with_capacity(homeless.len());
        for place in homeless {
            let row = rows[place];
            if homes.len() * parts.len() > MAX_CANDIDATES {
                return Ok(None);
            }
            progress.advance(1)?;
            let [lacking, others] = homes.entry(self.values(row).collect()).or_insert_with(|| {
                let lacks = |part: &Part| part.places.iter().all(|other| self.differ(row, rows[*other]));
                let all = parts.iter().enumerate().map(|(number, part)| (part.place(), number));
                let sorted: (BTreeMap<_, _>, BTreeMap<_, _>) = all.partition(|(_, number)| lacks(&parts[*number]));
                sorted.into()
            });
            let home = loop {
                let candidates = if lacking.is_empty() { &mut *others } else { &mut *lacking };
                let (below, above) = (candidates.range(..=place).next_back(), candidates.range(place..).next());
                let Some(nearest) = nearest(below, above, place) else { return Ok(None) };
                let Some(number) = candidates.remove(&nearest) else { return Ok(None) };
                if parts[number].add_if_holds(self.problem, rows, place) {
                    others.insert(nearest, number);
                    break number;
                }
            };
            residues.push((row, home));
        }
        let parts = parts.iter().map(|part| part.places.iter().map(|place| rows[*place]).collect());
        Ok(Some(Dealt { parts: parts.collect(), residues }))
    }
}

/// The nearer of the next places below and above.
fn nearest(below: Option<(&usize, &usize)>, above: Option<(&usize, &usize)>, place: usize) -> Option<usize> {
    below.into_iter().chain(above).map(|(key, _)| *key).min_by_key(|key| key.abs_diff(place))
}

/// The values that a set has, by column.
#[derive(Default)]
pub(crate) struct Seen(FxHashSet<(usize, Code)>);

impl Seen {
    /// Adds the values of a row if all of them are new. Returns whether they were.
    pub(crate) fn add(&mut self, game: &Game, row: u32) -> bool {
        let new = game.values(row).enumerate().all(|value| !self.0.contains(&value));
        if new {
            self.0.extend(game.values(row).enumerate());
        }
        new
    }
}

/// A sub-block while it is formed.
struct Part {
    /// The places of its records in the order of the block.
    places: Vec<usize>,
    /// The size and the sensitive values, for the constraints.
    state: Cluster,
}

impl Part {
    fn new(problem: &Problem) -> Self {
        Part { places: Vec::new(), state: problem.outline(&[]) }
    }

    /// The place of its first record.
    fn place(&self) -> usize {
        self.places[0]
    }

    fn add(&mut self, problem: &Problem, rows: &[u32], place: usize) {
        problem.count(&mut self.state, rows[place]);
        self.places.push(place);
    }

    /// Adds a record if the constraints still hold with it. Returns whether they do.
    fn add_if_holds(&mut self, problem: &Problem, rows: &[u32], place: usize) -> bool {
        self.add(problem, rows, place);
        let holds = problem.holds(&self.state);
        if !holds {
            problem.discount(&mut self.state, rows[place]);
            self.places.pop();
        }
        holds
    }

    fn holds_with(&self, problem: &Problem, other: &Part) -> bool {
        let mut both = self.state.clone();
        problem.join(&mut both, &other.state);
        problem.holds(&both)
    }

    fn join(&mut self, problem: &Problem, other: Part) {
        problem.join(&mut self.state, &other.state);
        self.places.extend(other.places);
    }
}

/// The rows of a block by their sensitive values.
struct Buckets<'g> {
    game: &'g Game<'g>,
    rows: &'g [u32],
    /// The places of the remaining rows of each bucket.
    places: Vec<BTreeSet<usize>>,
    /// The buckets that are not empty, the largest first; of equal ones, the one whose value came first.
    largest: BinaryHeap<(usize, Reverse<usize>)>,
}

impl<'g> Buckets<'g> {
    fn new(game: &'g Game, rows: &'g [u32]) -> Self {
        let mut known: FxHashMap<Vec<Code>, usize> = FxHashMap::default();
        let mut members: Vec<Vec<usize>> = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let bucket = *known.entry(game.values(*row).collect()).or_insert(members.len());
            if bucket == members.len() {
                members.push(Vec::new());
            }
            members[bucket].push(place);
        }
        let largest = members.iter().enumerate().map(|(bucket, places)| (places.len(), Reverse(bucket))).collect();
        let places = members.into_iter().map(BTreeSet::from_iter).collect();
        Buckets { game, rows, places, largest }
    }

    /// Takes one record from each of the ℓ largest buckets whose values differ: the one nearest to `near`,
    /// or to the first record of the largest bucket.
    fn take(&mut self, near: Option<usize>) -> Option<Vec<usize>> {
        let mut seen = Seen::default();
        let (mut chosen, mut passed) = (Vec::new(), Vec::new());
        while chosen.len() < self.game.l && passed.len() < MAX_PASSED_BUCKETS {
            let Some((size, Reverse(bucket))) = self.largest.pop() else { break };
            let first = self.places[bucket].first().map(|place| self.rows[*place]);
            if first.is_some_and(|row| seen.add(self.game, row)) {
                chosen.push(bucket);
            } else {
                passed.push((size, Reverse(bucket)));
            }
        }
        self.largest.extend(passed);
        if chosen.len() < self.game.l {
            return None;
        }
        let near = near.or_else(|| self.places[chosen[0]].first().copied())?;
        let mut taken = Vec::with_capacity(chosen.len());
        for bucket in chosen {
            let places = &mut self.places[bucket];
            let below = places.range(..=near).next_back();
            let above = places.range(near..).next();
            if let Some(place) = below.into_iter().chain(above).min_by_key(|place| place.abs_diff(near)).copied() {
                places.remove(&place);
                taken.push(place);
            }
            if !places.is_empty() {
                self.largest.push((places.len(), Reverse(bucket)));
            }
        }
        Some(taken)
    }
}

/// Deals a block in random order into sub-blocks; `None` if it must stay as it is.
pub(crate) fn parts(game: &Game, block: &[u32], number: u64, progress: Progress) -> Result<Option<Vec<Vec<u32>>>> {
    let mut rng = ChaCha12Rng::seed_from_u64(game.problem.seed);
    rng.set_stream(number);
    let mut rows = block.to_vec();
    rows.shuffle(&mut rng);
    Ok(game.deal(&rows, progress)?.map(|dealt| dealt.parts))
}
