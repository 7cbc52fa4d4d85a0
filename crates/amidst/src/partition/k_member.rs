//! k-member: grow one cluster after the other, each from the record furthest from the last seed.
//!
//! # Idea
//! A random record is furthest from nothing; the record furthest from it is the first seed. To a seed are added, one
//! at a time, the records that raise the cluster's loss least, until the constraints hold. The next seed is the
//! remaining record furthest from this one. The last few records go where they cost least.
//!
//! # Choices
//! The distance of two records is the loss of the two in one cluster. Of several equal records the first is taken.
//! Where the remaining records no longer make a cluster that holds, they are the last few.
//!
//! # Complexity
//! O(n · d · columns) for d distinct records, in parallel over them.
//!
//! # Paper
//! Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques. DASFAA 2007.

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;

use super::joining::{Clusters, Free, Joining, Kinds};
use super::{Build, Partitioner};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "k-member",
    about: "grows each cluster from the record furthest from the last seed by the least loss; time n^2",
    paper: "Byun, Kamra, Bertino and Li, DASFAA 2007",
    params: &[],
    build: |_| Box::new(KMember),
};

struct KMember;

impl Partitioner for KMember {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let kinds = Kinds::new(problem);
        let mut free = Free::new(&kinds);
        let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
        let first = free.random(&mut rng).and_then(|kind| problem.cluster(&[kinds.row(kind)]));
        let Some(mut last_seed) = first else { return Partition::new(0, [[]; 0]) };

        let mut clusters = Clusters::default();
        let mut leftovers = Vec::new();
        while free.rows() >= problem.min_size() {
            let Some(seed) = Joining::new(problem, &last_seed).dearest(&kinds, free.kinds()) else { break };
            let mut rows = vec![free.take(&kinds, seed)];
            let Some(mut cluster) = problem.cluster(&rows) else { break };
            last_seed = cluster.clone();
            while !problem.holds(&cluster) {
                let Some(next) = Joining::new(problem, &cluster).cheapest(&kinds, free.kinds()) else { break };
                let row = free.take(&kinds, next);
                problem.add(&mut cluster, row);
                rows.push(row);
            }
            progress.advance(rows.len() as u64)?;
            if problem.holds(&cluster) {
                clusters.push(cluster, rows);
            } else {
                leftovers.extend(rows);
            }
        }
        leftovers.extend(free.rest(&kinds));
        clusters.place(problem, leftovers);
        clusters.finish(problem)
    }
}
