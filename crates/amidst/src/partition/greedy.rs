//! Greedy clustering with a threshold: clusters grow while their records stay alike enough.
//!
//! # Idea
//! From a random seed a cluster grows by the records that raise its loss least, until one more would take the loss of its
//! records over a threshold. A cluster that does not hold then is dropped, and its records are handed to the clusters
//! where they cost least. Outliers end up in such clusters and do not spoil others while they grow.
//!
//! # Choices
//! The threshold is a share of what a record loses when the whole table is one cluster, so that it means the same for
//! every measure and table. The paper deletes the records of dropped clusters; here none is lost. Where every cluster
//! would be dropped, the table is one cluster.
//!
//! # Complexity
//! O(n · d · columns) for d distinct records, in parallel over them.
//!
//! # Paper
//! Loukides, Shao: Capturing data usefulness and privacy protection in k-anonymisation. SAC 2007.

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;

use super::joining::{Growing, Joining};
use super::{Build, Partitioner};
use crate::cost::Costs;
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "greedy",
    about: "grows clusters from random seeds up to a threshold of loss, drops those too small; time n^2",
    paper: "Loukides and Shao, SAC 2007",
    params: &[Param {
        name: "threshold",
        about: "the most a record may lose while its cluster grows, as a share of its loss in one cluster of all",
        range: Range::Number(0.0, 1.0),
        default: Some(Value::Number(0.1)),
    }],
    build: |params| Box::new(Greedy { threshold: params.number("threshold") }),
};

struct Greedy {
    threshold: f64,
}

impl Partitioner for Greedy {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let all: Vec<u32> = (0..problem.rows() as u32).collect();
        let Some(whole) = problem.cluster(&all) else { return Partition::new(0, [[]; 0]) };
        let most = self.threshold * mean_loss(problem, &whole, problem.measure.records(problem.rows()));

        let costs = Costs::new(problem);
        let mut growing = Growing::new(&costs, progress);
        let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
        while let Some(seed) = growing.free.random(&mut rng) {
            let Growing { kinds, free, .. } = &mut growing;
            let mut rows = vec![free.take(kinds, seed)];
            let Some(mut cluster) = problem.cluster(&rows) else { break };
            let mut own = problem.measure.record(rows[0]);
            while let Some(next) = Joining::new(&costs, &cluster).cheapest(kinds, free.kinds()) {
                let row = kinds.row(next);
                let mut grown = cluster.clone();
                problem.add(&mut grown, row);
                let grown_own = own + problem.measure.record(row);
                if mean_loss(problem, &grown, grown_own) > most {
                    break;
                }
                (cluster, own) = (grown, grown_own);
                rows.push(free.take(kinds, next));
            }
            growing.keep(cluster, rows)?;
        }
        growing.finish()
    }
}

/// What each record of a cluster loses on average.
fn mean_loss(problem: &Problem, cluster: &Cluster, own: f64) -> f64 {
    (problem.measure.cluster(cluster) - own) / cluster.size() as f64
}
