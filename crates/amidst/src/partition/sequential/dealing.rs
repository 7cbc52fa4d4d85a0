//! Splits that keep the distribution of the sensitive values: Algorithm 3 of the paper.
//!
//! Of the p records with a value, each of t parts gets ⌊p/t⌋, and p mod t of the parts get one more
//! (equation 24). The paper draws these parts at random for each value. So sizes differ a little, and
//! shares with them. If a part does not satisfy the constraints then, the split is made again: the most
//! frequent value comes first, and the additional records go to the parts that lack most so far, the
//! smallest of equal ones. This is one of the possible random roundings, chosen so that the parts satisfy
//! the constraints.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rand::seq::{SliceRandom, index};
use rand_chacha::ChaCha12Rng;

use super::guard::Guard;
use crate::problem::Cluster;

/// Splits rows into `count` parts that all satisfy the constraints on sensitive values; `None` if neither
/// way finds such a split.
pub(super) fn split(guard: &Guard, rows: &[u32], count: usize, rng: &mut ChaCha12Rng) -> Option<Vec<Vec<u32>>> {
    let parts = at_random(guard, rows, count, rng);
    if all_hold(guard, &parts) {
        return Some(parts);
    }
    let mut buckets = buckets(guard, rows);
    buckets.iter_mut().for_each(|bucket| bucket.shuffle(rng));
    Some(by_need(guard, buckets, count)).filter(|parts| all_hold(guard, parts))
}

/// Like [`split`], but into parts of similar records: those of each sensitive value are dealt in order.
pub(super) fn split_alike(guard: &Guard, rows: &[u32], count: usize) -> Option<Vec<Vec<u32>>> {
    let encoded = &guard.problem().encoded;
    // Columns with few values come first, because more records agree in them.
    let mut columns: Vec<usize> = (0..encoded.domains().len()).collect();
    columns.sort_by_key(|column| encoded.domains()[*column].len());
    let codes = |row: &u32| columns.iter().map(|column| encoded.row(*row)[*column]).collect::<Vec<_>>();
    let mut buckets = buckets(guard, rows);
    buckets.iter_mut().for_each(|bucket| bucket.sort_by_cached_key(codes));
    Some(by_need(guard, buckets, count)).filter(|parts| all_hold(guard, parts))
}

fn all_hold(guard: &Guard, parts: &[Vec<u32>]) -> bool {
    parts.iter().all(|part| !part.is_empty() && guard.holds(&guard.problem().outline(part)))
}

/// The rows of each combination of sensitive values.
fn buckets(guard: &Guard, rows: &[u32]) -> Vec<Vec<u32>> {
    let secret = |row: &u32| guard.problem().secret(*row);
    let mut rows = rows.to_vec();
    rows.sort_by_key(secret);
    rows.chunk_by(|a, b| secret(a) == secret(b)).map(<[u32]>::to_vec).collect()
}

/// Deals at random, as in Algorithm 3.
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

/// How much a part needs a record. The part that lacks most comes first, then the smallest, then the first.
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

/// Deals the rows of each bucket in their order, the additional ones to the parts that need them most.
fn by_need(guard: &Guard, mut buckets: Vec<Vec<u32>>, count: usize) -> Vec<Vec<u32>> {
    let problem = guard.problem();
    let need = |part: usize, state: &Cluster| Need { lack: guard.lack(state), size: state.size(), part };
    buckets.sort_by_key(|bucket| std::cmp::Reverse(bucket.len()));
    let mut parts: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut states = vec![problem.outline(&[]); count];
    let mut needs: BinaryHeap<Need> = states.iter().enumerate().map(|(part, state)| need(part, state)).collect();
    for bucket in buckets {
        let (share, more) = (bucket.len() / count, bucket.len() % count);
        if share > 0 {
            for (state, rows) in states.iter_mut().zip(bucket.chunks(share)) {
                rows.iter().for_each(|row| problem.count(state, *row));
            }
            needs = states.iter().enumerate().map(|(part, state)| need(part, state)).collect();
        }
        let mut chosen: Vec<usize> = (0..more).filter_map(|_| needs.pop()).map(|need| need.part).collect();
        // Constraints cannot tell which of these rows a part gets, but a part must not count one twice.
        for (part, row) in chosen.iter().zip(&bucket[share * count..]) {
            problem.count(&mut states[*part], *row);
        }
        needs.extend(chosen.iter().map(|part| need(*part, &states[*part])));
        chosen.sort_unstable();
        // Without a row for each part, only the parts that get one are visited.
        let served: Vec<usize> = if share > 0 { (0..count).collect() } else { chosen.clone() };
        let (mut rest, mut chosen) = (bucket.as_slice(), chosen.into_iter().peekable());
        for part in served {
            let (own, behind) = rest.split_at(share + usize::from(chosen.next_if_eq(&part).is_some()));
            parts[part].extend(own);
            rest = behind;
        }
    }
    parts
}
