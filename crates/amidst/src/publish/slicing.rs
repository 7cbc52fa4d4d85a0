//! Slicing: the columns are divided into sets that go together, and within each group the rows of every set
//! are shuffled separately.
//!
//! # Idea
//! Readers see which values occur together in a set of columns, and which rows belong to one group. They do
//! not see which row of one set belongs to which row of another. Quasi-identifiers are divided into sets by
//! correlation: φ² of every pair, then PAM (k-medoids) with the distance 1 − φ². So columns that analysts
//! want to see together stay together, and columns that are separated say little about each other anyway.
//!
//! # What protects
//! All sensitive columns form a set of their own. So nothing is known of a person in a group except the
//! distribution of the group. A person may fit several groups, because rows of different sets could be
//! theirs. Then their value has a mixture of the distributions of those groups. Mixtures satisfy what all
//! their parts satisfy: the largest share, the sum of the largest shares, the distance t from the table and
//! the gain β over it are convex, so a mixture is no worse than its worst part (frequency ℓ, (α, k),
//! recursive ℓ, t, β); entropy is concave, so a mixture has no less (entropy ℓ); and a mixture has all
//! values of its parts (distinct ℓ). Of δ-disclosure only the upper limit holds: a value that some of the
//! groups lack can become rarer than δ allows, but never more frequent. Personal wishes for ℓ are refused,
//! because the other groups that a person fits need not satisfy them.
//!
//! # Choices
//! - The paper puts the sensitive column into a set with the quasi-identifiers that go with it best. That
//!   keeps more. But then a group says more about some of its rows than about others, so privacy would have
//!   to be checked over all groups that each person fits, which the groups alone do not show. So we do not.
//! - One set keeps the order of the rows, which is random unless the plan keeps the order of the input. It
//!   is the set with most quasi-identifiers, and all other columns go with it.
//!
//! # Complexity
//! O(n r²) for the correlations of r quasi-identifiers, and O(n) to shuffle.
//!
//! # Paper
//! Li, Li, Zhang and Molloy: Slicing: a new approach for privacy preserving data publishing. TKDE 2012.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip,sex --others drop --sensitive disease --k 5 --l 3 --publish 'slicing(columns=2)'
//! ```

use std::cmp::Reverse;
use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray, UInt32Array};
use arrow_select::take::take;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::{EXACT, Original, Part, Publisher, Release, batch, groups, need_models, no_links, no_wishes};
use crate::encode::{Contingency, Encoded};
use crate::error::{Error, Result};
use crate::notation::{COLUMN, GROUP, SLICE, SLICES};
use crate::plan::Plan;
use crate::problem::{Partition, Problem};

pub(super) struct Slicing {
    pub sets: usize,
}

impl Publisher for Slicing {
    fn admits(&self, plan: &Plan) -> Result<()> {
        need_models(plan, "slicing")?;
        no_links(plan, "slicing", EXACT)?;
        no_wishes(plan, "slicing", "somebody may fit several groups, of which only one is as diverse as they want")
    }

    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        let encoded = &problem.encoded;
        let set_of = medoids(&distances(encoded), self.sets);
        let sets = set_of.iter().max().map_or(0, |last| last + 1);
        let schema = original.schema;
        let quasi =
            |name: &str| schema.quasi.iter().position(|column| column.name == name).map(|column| set_of[column]);
        // Of several sets with most quasi-identifiers, the first one is kept.
        let size = |set: usize| original.published().filter(|name| quasi(name) == Some(set)).count();
        let first = |set: usize| original.published().position(|name| quasi(name) == Some(set));
        let kept = (0..sets).max_by_key(|set| (size(*set), Reverse(first(*set)))).unwrap_or(0);

        // The set of each published column. The sensitive ones come after those of the quasi-identifiers.
        let set = |name: &str| {
            let is_sensitive = schema.sensitive.iter().any(|column| column.name == name);
            quasi(name).unwrap_or(if is_sensitive { sets } else { kept })
        };
        let orders = orders(original, problem, partition, sets + 1, kept)?;
        let number = Arc::new(UInt32Array::from(groups(original, partition))) as ArrayRef;
        let mut columns = vec![(GROUP.to_owned(), number)];
        let (mut names, mut slices, mut seen) = (Vec::new(), Vec::new(), Vec::new());
        for name in original.published() {
            let set = set(name);
            let column =
                take(original.table.column(name)?, &orders[set], None).map_err(|e| Error::internal(name, &e))?;
            columns.push((name.to_owned(), column));
            // Sets are numbered as they come up, like groups.
            let slice = seen.iter().position(|s| *s == set).unwrap_or(seen.len());
            if slice == seen.len() {
                seen.push(set);
            }
            names.push(name);
            slices.push(slice as u32 + 1);
        }
        let slices = vec![
            (COLUMN.to_owned(), Arc::new(StringArray::from(names)) as ArrayRef),
            (SLICE.to_owned(), Arc::new(UInt32Array::from(slices)) as ArrayRef),
        ];
        Ok(Release::of(vec![
            Part { name: None, table: batch(columns)? },
            Part { name: Some(SLICES.to_owned()), table: batch(slices)? },
        ]))
    }
}

/// For each set, the original row of each published row: a random one of its group, or itself in the set
/// that is kept.
fn orders(
    original: &Original,
    problem: &Problem,
    partition: &Partition,
    sets: usize,
    kept: usize,
) -> Result<Vec<UInt32Array>> {
    let mut rng = original.secret_choice("slicing", problem.seed)?;
    let order = |set: usize| {
        let mut from: Vec<u32> = (0..problem.rows() as u32).collect();
        for rows in partition.clusters().filter(|_| set != kept) {
            let mut shuffled = rows.to_vec();
            shuffled.shuffle(&mut rng);
            rows.iter().zip(shuffled).for_each(|(row, other)| from[*row as usize] = other);
        }
        original.order.iter().map(|row| from[*row as usize]).collect()
    };
    Ok((0..sets).map(order).collect())
}

/// 1 − φ² of every two quasi-identifiers.
fn distances(encoded: &Encoded) -> Vec<Vec<f64>> {
    let columns = encoded.domains().len();
    let groups: Vec<Vec<usize>> = (0..columns).map(|column| encoded.groups(column)).collect();
    let distance = |a: usize, b: usize| {
        let mut contingency = Contingency::default();
        for tuple in 0..encoded.tuples() as u32 {
            let codes = encoded.tuple(tuple);
            let (a, b) = (groups[a][codes[a] as usize], groups[b][codes[b] as usize]);
            contingency.add(a, b, encoded.rows_of(tuple).len() as f64);
        }
        1.0 - contingency.phi2()
    };
    let pairs: Vec<(usize, usize)> = (0..columns).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
    let found: Vec<f64> = pairs.par_iter().map(|(a, b)| distance(*a, *b)).collect();
    let mut distances = vec![vec![0.0; columns]; columns];
    for ((a, b), distance) in pairs.into_iter().zip(found) {
        distances[a][b] = distance;
        distances[b][a] = distance;
    }
    distances
}

/// PAM: chooses `number` of the points as medoids, so that the distances of all points to their nearest
/// medoid have the least sum that exchanging one medoid at a time finds. Returns the medoid of each point,
/// numbered as they come up.
fn medoids(distances: &[Vec<f64>], number: usize) -> Vec<usize> {
    let points = distances.len();
    let nearest = |point: usize, medoids: &[usize]| {
        let by_distance = |a: &&usize, b: &&usize| distances[point][**a].total_cmp(&distances[point][**b]);
        // A medoid belongs to itself, even if another one is equally near.
        medoids.iter().find(|m| **m == point).or_else(|| medoids.iter().min_by(by_distance)).copied()
    };
    let sum = |medoids: &[usize]| -> f64 {
        (0..points).filter_map(|point| nearest(point, medoids).map(|medoid| distances[point][medoid])).sum()
    };
    let mut chosen: Vec<usize> = Vec::new();
    let mut least = f64::INFINITY;
    while chosen.len() < number.min(points) {
        let with = |point: usize| chosen.iter().copied().chain([point]).collect::<Vec<_>>();
        let free = (0..points).filter(|point| !chosen.contains(point)).map(|point| (sum(&with(point)), point));
        let Some((cost, point)) = free.min_by(|a, b| a.0.total_cmp(&b.0)) else { break };
        chosen.push(point);
        least = cost;
    }
    loop {
        let swaps = (0..chosen.len()).flat_map(|place| (0..points).map(move |point| (place, point)));
        let tried = swaps.filter(|(_, point)| !chosen.contains(point)).map(|(place, point)| {
            let mut other = chosen.clone();
            other[place] = point;
            (sum(&other), other)
        });
        match tried.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((cost, other)) if cost < least - 1e-12 => (chosen, least) = (other, cost),
            _ => break,
        }
    }
    let mut seen: Vec<usize> = Vec::new();
    let number = |point: usize| {
        let medoid = nearest(point, &chosen).unwrap_or(point);
        seen.iter().position(|m| *m == medoid).unwrap_or_else(|| {
            seen.push(medoid);
            seen.len() - 1
        })
    };
    (0..points).map(number).collect()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha12Rng;

    use super::*;

    /// The least sum of distances to the nearest medoid, over all choices.
    fn optimum(distances: &[Vec<f64>], number: usize) -> f64 {
        let points = distances.len();
        let choices = (0_u32..1 << points).filter(|set| set.count_ones() as usize == number);
        let sum = |set: u32| -> f64 {
            let to = |point: usize| (0..points).filter(|m| set >> m & 1 == 1).map(move |m| distances[point][m]);
            (0..points).map(|point| to(point).fold(f64::INFINITY, f64::min)).sum()
        };
        choices.map(sum).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn columns_that_go_together_are_one_set() {
        // Two pairs and one alone.
        let near = [(0, 3), (1, 4)];
        let distance = |a: usize, b: usize| match () {
            () if a == b => 0.0,
            () if near.contains(&(a.min(b), a.max(b))) => 0.1,
            () => 0.9,
        };
        let distances: Vec<Vec<f64>> = (0..5).map(|a| (0..5).map(|b| distance(a, b)).collect()).collect();
        assert_eq!(medoids(&distances, 3), [0, 1, 2, 0, 1]);
        assert_eq!(medoids(&distances, 1), [0; 5]);
        assert_eq!(medoids(&distances, 9), [0, 1, 2, 3, 4]);
        assert_eq!(medoids(&[], 3), [0; 0]);
        assert_eq!(medoids(&vec![vec![0.0; 3]; 3], 2), [0, 1, 0], "there are as many sets as asked for");
    }

    #[test]
    fn medoids_are_close_to_the_best_ones() {
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        let (mut found, mut best) = (0.0, 0.0);
        for _ in 0..50 {
            let mut distances = vec![vec![0.0; 7]; 7];
            for (a, b) in (0..7).flat_map(|b| (0..b).map(move |a| (a, b))) {
                let distance = rng.random::<f64>();
                distances[a][b] = distance;
                distances[b][a] = distance;
            }
            let sets = medoids(&distances, 3);
            assert_eq!(sets.iter().max(), Some(&2));
            // A set costs what its best medoid does.
            let set = |set: usize| (0..7).filter(|p| sets[*p] == set).collect::<Vec<_>>();
            let cost = |set: &[usize]| {
                let to = |m: usize| set.iter().map(|p| distances[*p][m]).sum::<f64>();
                set.iter().map(|m| to(*m)).fold(f64::INFINITY, f64::min)
            };
            let cost: f64 = (0..3).map(|s| cost(&set(s))).sum();
            let optimum = optimum(&distances, 3);
            assert!(cost >= optimum - 1e-12);
            found += cost;
            best += optimum;
        }
        assert!(found <= 1.05 * best, "{found} {best}");
    }
}
