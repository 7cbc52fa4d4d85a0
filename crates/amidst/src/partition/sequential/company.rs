//! Records that move together.
//!
//! Close to what a table allows, sensitive values hold back almost every record: a cluster cannot spare its
//! rare values and cannot take more of the frequent ones. Records of both kinds can move together. A record
//! that would gain by moving to the cluster where it costs least, but may not, takes other records of its
//! cluster along. Each time it takes the record whose move brings both clusters closest to satisfying the
//! constraints; of several, one that costs least in the other cluster. They move if both clusters satisfy
//! the constraints in the end and lose less together than before. If that fails, the record is exchanged
//! for the record of the other cluster with which both clusters lose least, under the same conditions.

use super::group::Group;
use super::guard::Guard;
use crate::cluster::merging::ROUNDING;
use crate::cost::Costs;
use crate::problem::Cluster;

/// The largest number of records that move together.
const MAX_COMPANY: usize = 16;

/// The records that move to `target`, `row` first; `None` if moving together does not help.
pub(super) fn gather(
    guard: &Guard,
    costs: &Costs,
    (own, rows): (&Group, &[u32]),
    target: &Group,
    row: u32,
) -> Option<Vec<u32>> {
    let problem = guard.problem();
    let (mut here, mut there) = (outline(own.state()), outline(target.state()));
    let mut go = vec![row];
    problem.discount(&mut here, row);
    problem.count(&mut there, row);
    // An empty cluster vanishes, so it lacks nothing.
    let lack_of =
        |here: &Cluster, there: &Cluster| guard.lack(there) + if here.size() > 0 { guard.lack(here) } else { 0.0 };
    let mut lack = lack_of(&here, &there);

    let others = rows.iter().filter(|other| **other != row);
    let mut others: Vec<(u32, f64, u32)> =
        others.map(|other| (problem.secret(*other), target.cost_with(costs, *other), *other)).collect();
    others.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let mut buckets: Vec<&[(u32, f64, u32)]> = others.chunk_by(|a, b| a.0 == b.0).collect();
    while lack > 0.0 {
        let mut best: Option<(f64, f64, usize)> = None;
        for (place, bucket) in buckets.iter().enumerate() {
            let Some((_, cost, other)) = bucket.first() else { continue };
            problem.discount(&mut here, *other);
            problem.count(&mut there, *other);
            let lack = lack_of(&here, &there);
            problem.count(&mut here, *other);
            problem.discount(&mut there, *other);
            if best.is_none_or(|(least, cheapest, _)| lack < least || lack <= least && *cost < cheapest) {
                best = Some((lack, *cost, place));
            }
        }
        let (less, _, place) = best.filter(|(less, ..)| *less < lack && go.len() < MAX_COMPANY)?;
        let ((_, _, other), behind) = buckets[place].split_first()?;
        problem.discount(&mut here, *other);
        problem.count(&mut there, *other);
        go.push(*other);
        buckets[place] = behind;
        lack = less;
    }

    let stay: Vec<u32> = rows.iter().copied().filter(|row| !go.contains(row)).collect();
    let mut with = target.state().clone();
    go.iter().for_each(|row| problem.add(&mut with, *row));
    let after = problem.cluster(&stay).map_or(0.0, |rest| costs.cluster(&rest)) + costs.cluster(&with);
    let before = own.cost() + target.cost();
    (after < before - ROUNDING * (after.abs() + before.abs())).then_some(go)
}

/// The record of `target` to exchange for `row`; `None` if no exchange helps.
pub(super) fn partner(
    guard: &Guard,
    costs: &Costs,
    own: &Group,
    (target, rows): (&Group, &[u32]),
    row: u32,
) -> Option<u32> {
    let problem = guard.problem();
    let here = own.without(problem, row);
    let mut there = outline(target.state());
    problem.count(&mut there, row);
    let mut kept = outline(&here);
    // Whether the exchange is allowed, for each sensitive value of the partner that was asked about.
    let mut known: Vec<(u32, bool)> = Vec::new();
    let mut best: Option<(f64, u32)> = None;
    for other in rows {
        let secret = problem.secret(*other);
        let holds = known.iter().find(|(value, _)| *value == secret).map(|(_, holds)| *holds);
        let holds = holds.unwrap_or_else(|| {
            let holds = guard.holds_with(&mut kept, *other) && guard.holds_without(&mut there, *other);
            known.push((secret, holds));
            holds
        });
        if holds {
            let (mut here, mut there) = (here.clone(), target.without(problem, *other));
            problem.add(&mut here, *other);
            problem.add(&mut there, row);
            let after = costs.cluster(&here) + costs.cluster(&there);
            if best.is_none_or(|(least, first)| after < least || after <= least && *other < first) {
                best = Some((after, *other));
            }
        }
    }
    let before = own.cost() + target.cost();
    best.filter(|(after, _)| *after < before - ROUNDING * (after.abs() + before.abs())).map(|(_, other)| other)
}

/// The size and the sensitive values of a cluster, which is all that constraints look at.
fn outline(cluster: &Cluster) -> Cluster {
    Cluster::new(cluster.size(), Vec::new(), cluster.histograms().to_vec()).among(cluster.crowd().cloned())
}
