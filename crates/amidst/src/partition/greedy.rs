//! Greedy clustering with a threshold: clusters grow while their records stay similar enough.
//!
//! # Idea
//! A cluster grows from a random seed by the record that raises its loss least, until one more record would
//! raise the mean loss of its records above a threshold. A cluster that does not satisfy the constraints
//! then is dropped. Its records are handed to the clusters where they cost least. Outliers end up in
//! dropped clusters, so they do not spoil other clusters while these grow.
//!
//! # Choices
//! - The threshold is a share of the mean loss of a record when the whole table is one cluster. So it means
//!   the same for every measure and table.
//! - `small=delete` deletes the records of dropped clusters, as in the paper, but only as many as the plan
//!   allows to leave out: the smallest clusters first. The records of the other dropped clusters are handed
//!   on. `small=hand-on` (the default) deletes none.
//! - If every cluster would be dropped, nothing is deleted and the table is one cluster.
//!
//! # Complexity
//! O(n · d · columns) for d distinct records, in parallel over them.
//!
//! # Paper
//! Loukides and Shao: Capturing data usefulness and privacy protection in k-anonymisation. SAC 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'greedy(threshold=0.2)'
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'greedy(small=delete)' --suppress 2%
//! ```

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;

use super::{Build, Partitioner};
use crate::cluster::joining::{ClusterGrowth, Joining};
use crate::cost::Costs;
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "greedy",
    about: "grows clusters from random seeds up to a threshold of loss and drops those that stay too small; time n^2",
    paper: "Loukides and Shao, SAC 2007",
    params: &[
        Param {
            name: "threshold",
            about: "the largest mean loss of a growing cluster's records, as a share of that when all records are one cluster",
            range: Range::Number(0.0, 1.0),
            default: Some(Value::Number(0.1)),
        },
        Param {
            name: "small",
            about: "the records of dropped clusters are handed to other clusters, or deleted as in the paper",
            range: Range::Choice(&["hand-on", "delete"]),
            default: Some(Value::Word("hand-on")),
        },
    ],
    build: |params| {
        Box::new(Greedy { threshold: params.number("threshold"), deletes: params.word("small") == "delete" })
    },
};

struct Greedy {
    threshold: f64,
    deletes: bool,
}

impl Partitioner for Greedy {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        self.suppressing(problem, 0, progress)
    }

    fn suppresses(&self) -> bool {
        self.deletes
    }

    fn suppressing(&self, problem: &Problem, most: usize, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let all: Vec<u32> = (0..problem.rows() as u32).collect();
        let Some(whole) = problem.cluster(&all) else { return Partition::new(0, [[]; 0]) };
        let loss = self.threshold * mean_loss(problem, &whole, problem.measure.records(problem.rows()));

        let costs = Costs::new(problem);
        let mut growing = ClusterGrowth::new(&costs, progress);
        let mut dropped: Vec<(Cluster, Vec<u32>)> = Vec::new();
        let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
        while let Some(seed) = growing.free.random(&mut rng) {
            let ClusterGrowth { kinds, free, .. } = &mut growing;
            let mut rows = vec![free.take(kinds, seed)];
            let Some(mut cluster) = problem.cluster(&rows) else { break };
            let mut own = problem.measure.record(rows[0]);
            while let Some(next) = Joining::new(&costs, &cluster).cheapest(kinds, free.kinds()) {
                let row = kinds.row(next);
                let mut grown = cluster.clone();
                problem.add(&mut grown, row);
                let grown_own = own + problem.measure.record(row);
                if mean_loss(problem, &grown, grown_own) > loss {
                    break;
                }
                (cluster, own) = (grown, grown_own);
                rows.push(free.take(kinds, next));
            }
            if problem.holds(&cluster) {
                growing.keep(cluster, rows)?;
            } else {
                progress.advance(0)?;
                dropped.push((cluster, rows));
            }
        }
        let deleted = if growing.is_empty() { Vec::new() } else { delete(&mut dropped, most) };
        let (clusters, records) = (dropped.len(), dropped.iter().map(|(_, rows)| rows.len()).sum::<usize>());
        let remark = (most > 0 && clusters > 0).then(|| {
            format!("{records} records of {clusters} small clusters were handed on: at most {most} may be left out")
        });
        for (cluster, rows) in dropped {
            growing.keep(cluster, rows)?;
        }
        Ok(growing.finish_without(deleted)?.remarked(remark))
    }
}

/// Removes clusters, the smallest first, with at most `most` rows together. Returns their rows.
fn delete(dropped: &mut Vec<(Cluster, Vec<u32>)>, most: usize) -> Vec<u32> {
    let mut smallest: Vec<usize> = (0..dropped.len()).collect();
    smallest.sort_by_key(|number| dropped[*number].1.len());
    let mut deleted = vec![false; dropped.len()];
    let mut left = most;
    for number in smallest {
        let size = dropped[number].1.len();
        if size > left {
            break;
        }
        left -= size;
        deleted[number] = true;
    }
    let mut numbers = 0..;
    let gone = dropped.extract_if(.., |_| numbers.next().is_some_and(|number: usize| deleted[number]));
    gone.flat_map(|(_, rows)| rows).collect()
}

/// The mean loss of the records of a cluster. `own` is the sum of their constants.
fn mean_loss(problem: &Problem, cluster: &Cluster, own: f64) -> f64 {
    (problem.measure.cluster(cluster) - own) / cluster.size() as f64
}
