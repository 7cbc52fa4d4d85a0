//! Splits that keep the distribution of the sensitive values: the paper's Algorithm 3.
//!
//! Of p records of a value each of t parts gets ⌊p/t⌋, and p mod t of the parts get one more (eq. 24). The paper draws these
//! at random for each value. Sizes differ by that, and with them the shares. Where a part does not hold then,
//! the split is made once more, beginning with the most frequent value, and those parts get one more that are furthest from
//! holding so far, the smallest of equal ones. That is one of the same roundings, chosen to hold.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha12Rng;

use super::guard::Guard;
use crate::problem::Cluster;

/// Splits rows into so many parts that all hold, as far as sensitive values are concerned; `None` where neither way does.
pub(super) fn split(guard: &Guard, rows: &[u32], count: usize, rng: &mut ChaCha12Rng) -> Option<Vec<Vec<u32>>> {
    let holds = |parts: &Vec<Vec<u32>>| {
        parts.iter().all(|part| !part.is_empty() && guard.holds(&guard.problem().outline(part)))
    };
    Some(at_random(guard, rows, count, rng))
        .filter(holds)
        .or_else(|| Some(by_need(guard, rows, count, rng)).filter(holds))
}

/// The rows of each combination of sensitive values.
fn buckets(guard: &Guard, rows: &[u32]) -> Vec<Vec<u32>> {
    let secret = |row: &u32| guard.problem().secret(*row);
    let mut rows = rows.to_vec();
    rows.sort_by_key(secret);
    rows.chunk_by(|a, b| secret(a) == secret(b)).map(<[u32]>::to_vec).collect()
}

/// Algorithm 3.
fn at_random(guard: &Guard, rows: &[u32], count: usize, rng: &mut ChaCha12Rng) -> Vec<Vec<u32>> {
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); count];
    for mut bucket in buckets(guard, rows) {
        bucket.shuffle(rng);
        let (even, rest) = bucket.split_at(bucket.len() - bucket.len() % count);
        deal(&mut parts, even);
        for (part, row) in index::sample(rng, count, rest.len()).into_iter().zip(rest) {
            parts[part].push(*row);
        }
    }
    parts
}

/// Gives each part the same number of rows.
fn deal(parts: &mut [Vec<u32>], rows: &[u32]) {
    let share = rows.len() / parts.len();
    if share > 0 {
        parts.iter_mut().zip(rows.chunks(share)).for_each(|(part, rows)| part.extend(rows));
    }
}

/// How much a part needs a record: the one that lacks most first, then the smallest, then the first.
#[derive(PartialEq)]
struct Need {
    lack: f64,
    size: usize,
    part: usize,
}

impl Eq for Need {}

impl Ord for Need {
    fn cmp(&self, other: &Self) -> Ordering {
        let lack = self.lack.total_cmp(&other.lack);
        lack.then(other.size.cmp(&self.size)).then(other.part.cmp(&self.part))
    }
}

impl PartialOrd for Need {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn by_need(guard: &Guard, rows: &[u32], count: usize, rng: &mut ChaCha12Rng) -> Vec<Vec<u32>> {
    let problem = guard.problem();
    let need = |part: usize, state: &Cluster| Need { lack: guard.lack(state), size: state.size(), part };
    let mut buckets = buckets(guard, rows);
    buckets.sort_by_key(|bucket| std::cmp::Reverse(bucket.len()));
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut states = vec![problem.outline(&[]); count];
    let mut needs: BinaryHeap<Need> = states.iter().enumerate().map(|(part, state)| need(part, state)).collect();
    for mut bucket in buckets {
        bucket.shuffle(rng);
        let (even, rest) = bucket.split_at(bucket.len() - bucket.len() % count);
        if !even.is_empty() {
            deal(&mut parts, even);
            states = parts.iter().map(|part| problem.outline(part)).collect();
            needs = states.iter().enumerate().map(|(part, state)| need(part, state)).collect();
        }
        let neediest: Vec<Need> = rest.iter().filter_map(|_| needs.pop()).collect();
        for (Need { part, .. }, row) in neediest.iter().zip(rest) {
            parts[*part].push(*row);
            problem.count(&mut states[*part], *row);
        }
        needs.extend(neediest.iter().map(|Need { part, .. }| need(*part, &states[*part])));
    }
    parts
}
