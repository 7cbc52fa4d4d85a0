//! Suppression: records are left out if that loses less than generalizing all of them.
//!
//! # Idea
//! A suppressed record loses everything. A record that does not fit makes all others of its cluster lose.
//! So records are ranked by their *burden*: how much less their cluster would lose without them and without
//! the records that share the value which widens it. The records with the highest burden are left out, in
//! several numbers up to the allowed one, and the others are clustered again each time. The result that
//! loses least is kept. Suppressing nobody is one of the choices.
//!
//! If sensitive values are too frequent for the models of the plan, a [surplus] of them goes first.
//!
//! # Complexity
//! Up to four more runs of the partitioner.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --suppress 2%
//! ```

use rustc_hash::FxHashMap;

use crate::encode::Code;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;

/// The shares of the allowed suppression that are tried.
const SUPPRESSION_SHARES: [f64; 3] = [1.0, 0.5, 0.2];

/// The best partition that suppresses at most `most` rows, starting from one that suppresses none.
/// `again` clusters some of the rows anew.
pub fn suppress(
    problem: &Problem,
    partition: Partition,
    most: usize,
    again: impl Fn(&[u32]) -> Result<Partition>,
    progress: Progress,
) -> Result<Partition> {
    let ranked = by_burden(problem, &partition);
    let paying = ranked.iter().take_while(|(burden, _)| *burden > 0.0).count();
    // How many records stand for at most so many rows.
    let mut rows = 0;
    let upto: Vec<usize> = ranked
        .iter()
        .map(|(_, record)| {
            rows += problem.weight(&[*record]);
            rows
        })
        .collect();
    let within = |rows: usize| upto.partition_point(|upto| *upto <= rows);
    let mut sizes: Vec<usize> = SUPPRESSION_SHARES.iter().map(|share| within((share * most as f64) as usize)).collect();
    sizes.push(paying.min(within(most)));
    sizes.sort_unstable();
    sizes.dedup();
    let mut best = (problem.loss(&partition), partition);
    for size in sizes.into_iter().filter(|size| *size > 0) {
        progress.advance(0)?;
        let left_out = ranked[..size].iter().map(|(_, row)| *row).collect();
        let Ok(tried) = without(problem, left_out, &again) else {
            // The remaining records may be too few, or not diverse enough.
            progress.advance(0)?;
            continue;
        };
        let loss = problem.loss(&tried);
        if loss < best.0 {
            best = (loss, tried);
        }
    }
    Ok(best.1)
}

/// Records for at most `most` rows without which the rest of a table has a solution, if the whole table has none;
/// `None` if there are no such records.
pub fn surplus(problem: &Problem, most: usize) -> Option<Vec<u32>> {
    let units: Vec<(u32, u32)> = (0..problem.rows() as u32).map(|row| (row, 1)).collect();
    let kept = problem.trim(&units)?;
    let surplus: Vec<u32> = (0..problem.rows() as u32).filter(|row| !kept[*row as usize]).collect();
    (problem.weight(&surplus) <= most).then_some(surplus)
}

/// A partition with the same suppressed records, in which `again` has changed the clusters of the others as
/// if these were a table of their own.
pub fn keeping(
    problem: &Problem,
    partition: &Partition,
    again: impl Fn(&[u32], Partition) -> Result<Partition>,
) -> Result<Partition> {
    without(problem, partition.suppressed().to_vec(), |kept| {
        let place = |row: &u32| kept.partition_point(|other| other < row) as u32;
        let clusters = partition.clusters().map(|rows| rows.iter().map(place).collect::<Vec<u32>>());
        let alone = Partition::new(kept.len(), clusters)?.remarked(partition.remarks().to_vec());
        again(kept, alone.like(partition))
    })
}

/// The partition of all records but these, which `again` makes.
pub fn without(
    problem: &Problem,
    mut left_out: Vec<u32>,
    again: impl Fn(&[u32]) -> Result<Partition>,
) -> Result<Partition> {
    left_out.sort_unstable();
    let kept: Vec<u32> = (0..problem.rows() as u32).filter(|row| left_out.binary_search(row).is_err()).collect();
    let again = again(&kept)?;
    let clusters = again.clusters().map(|rows| rows.iter().map(|row| kept[*row as usize]).collect::<Vec<u32>>());
    let partition = Partition::suppressing(problem.rows(), clusters, left_out)?.remarked(again.remarks().to_vec());
    Ok(partition.like(&again))
}

/// All records with their burden, the highest first. The burden is the gain per record of leaving out a
/// group of [`odd_ones`].
fn by_burden(problem: &Problem, partition: &Partition) -> Vec<(f64, u32)> {
    let cost = |rows: &[u32]| problem.cluster(rows).map_or(0.0, |cluster| problem.measure.cluster(&cluster));
    let mut ranked: Vec<(f64, u32)> = Vec::new();
    for rows in partition.clusters() {
        let whole = cost(rows);
        let mut burdens: FxHashMap<u32, f64> = FxHashMap::default();
        for odd in odd_ones(problem, rows) {
            let rest: Vec<u32> = rows.iter().copied().filter(|row| !odd.contains(row)).collect();
            let lost = problem.suppressed(&odd).map_or(0.0, |cluster| problem.measure.cluster(&cluster));
            let each = (whole - cost(&rest) - lost) / odd.len() as f64;
            for row in odd {
                burdens.entry(row).and_modify(|burden| *burden = burden.max(each)).or_insert(each);
            }
        }
        ranked.extend(burdens.into_iter().map(|(row, burden)| (burden, row)));
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked
}

/// The groups of rows that share a value which at most a third of the cluster has. They may widen its
/// closure.
fn odd_ones(problem: &Problem, rows: &[u32]) -> Vec<Vec<u32>> {
    let few = rows.len() / 3;
    let mut groups = Vec::new();
    for column in 0..problem.encoded.domains().len() {
        let code = |row: u32| problem.encoded.row(row)[column];
        let mut sorted: Vec<(Code, u32)> = rows.iter().map(|row| (code(*row), *row)).collect();
        sorted.sort_unstable();
        for alike in sorted.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() <= few) {
            groups.push(alike.iter().map(|(_, row)| *row).collect());
        }
    }
    groups
}
