//! Mending of clusters that break a constraint, which all algorithms share.
//!
//! 1. A cluster that breaks a constraint gives away the records of which it has too many, if the others
//!    satisfy the constraints without them. Otherwise it is dissolved.
//! 2. The freed records grow new clusters, each by the cheapest record that brings it closer to satisfying
//!    the constraints.
//! 3. Records that remain go where they cost least, if the cluster still satisfies the constraints with
//!    them.
//! 4. The others are united with whole clusters until the union satisfies the constraints: each time with
//!    the cluster that brings it closest to that, and of several with the cheapest. This ends, because the
//!    whole table satisfies the constraints.

use super::joining::{ClusterGrowth, Clusters};
use crate::cost::Costs;
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;

/// The same partition if every cluster satisfies the constraints, otherwise a mended one.
pub(crate) fn mend(problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
    if !problem.guarded() || partition.clusters().all(|rows| problem.hold(rows)) {
        return Ok(partition);
    }
    let broken = partition.clusters().filter(|rows| !problem.hold(rows)).count();
    let remark = format!("{broken} of {} clusters broke a privacy model and were mended", partition.len());
    let remarks = partition.remarks().iter().cloned().chain([remark]).collect::<Vec<_>>();
    let mut done = Clusters::default();
    let mut free = Vec::new();
    for rows in partition.clusters() {
        let (kept, spare) = trim(problem, rows);
        if let Some(state) = problem.cluster(&kept) {
            done.push(state, kept);
        }
        free.extend(spare);
    }
    progress.advance(0)?;
    free.sort_unstable();
    let (grown, left) = ClusterGrowth::of(&Costs::new(problem), &free, progress).grow_all()?;
    done.extend(grown);
    let left = done.place_some(problem, left);
    unite(problem, &mut done, left, progress)?;
    Ok(done.finish(problem)?.remarked(remarks))
}

/// The rows that satisfy the constraints without those of which there are too many, and the latter. If no
/// such rows exist, none and all.
pub(crate) fn trim(problem: &Problem, rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let units: Vec<(u32, u32)> = rows.iter().map(|row| (*row, 1)).collect();
    let Some(kept) = problem.trim(&units) else { return (Vec::new(), rows.to_vec()) };
    let (kept, spare): (Vec<_>, Vec<_>) = rows.iter().zip(kept).partition(|(_, kept)| *kept);
    let rows = |pairs: Vec<(&u32, bool)>| pairs.into_iter().map(|(row, _)| *row).collect();
    (rows(kept), rows(spare))
}

/// Unites clusters that break a constraint with others until all satisfy them. This ends, because the whole
/// table does.
pub(crate) fn unite_broken(problem: &Problem, clusters: Vec<Vec<u32>>, progress: Progress) -> Result<Partition> {
    let mut all = Clusters::default();
    for rows in clusters {
        if let Some(state) = problem.cluster(&rows) {
            all.push(state, rows);
        }
    }
    while let Some(broken) = all.states.iter().position(|state| !problem.holds(state)).filter(|_| all.states.len() > 1)
    {
        all.states.swap_remove(broken);
        let rows = all.rows.swap_remove(broken);
        unite(problem, &mut all, rows, progress)?;
    }
    all.finish(problem)
}

/// Unites rows that no cluster can take with whole clusters.
fn unite(problem: &Problem, done: &mut Clusters, rows: Vec<u32>, progress: Progress) -> Result<()> {
    let Some(state) = problem.cluster(&rows) else { return Ok(()) };
    let mut loose = (state, rows);
    while !problem.holds(&loose.0) {
        progress.advance(0)?;
        let Some(nearest) = nearest(problem, &loose.0, &done.states) else { break };
        let (state, rows) = (done.states.swap_remove(nearest), done.rows.swap_remove(nearest));
        problem.join(&mut loose.0, &state);
        loose.1.extend(rows);
    }
    done.push(loose.0, loose.1);
    Ok(())
}

/// The cluster whose union with this one lacks least, and of several the one that costs least.
fn nearest(problem: &Problem, loose: &Cluster, others: &[Cluster]) -> Option<usize> {
    // The cost is quickly found without the persons, so the cheapest cluster is asked first whether nothing is lacking.
    let alone = Cluster::new(loose.size(), loose.closure().to_vec(), loose.histograms().to_vec());
    let cost = |(place, cluster): (usize, &Cluster)| {
        let mut united = alone.clone();
        problem.join(&mut united, cluster);
        (problem.measure.cluster(&united) - problem.measure.cluster(cluster), place)
    };
    let mut costs: Vec<(f64, usize)> = others.iter().enumerate().map(cost).collect();
    costs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut best: Option<(f64, usize)> = None;
    for (_, place) in costs {
        let mut united = loose.clone();
        problem.join(&mut united, &others[place]);
        let lack = problem.lack(&united);
        if lack <= 0.0 {
            return Some(place);
        }
        if best.is_none_or(|(least, _)| lack < least) {
            best = Some((lack, place));
        }
    }
    best.map(|(_, place)| place)
}
