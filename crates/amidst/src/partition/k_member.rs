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
//! With `seeds=random` every seed is a random one of the remaining records. Goldberger and Tassa (Transactions on Data
//! Privacy 2010), who compare with this algorithm, say no more than that "one of the records" is taken, and of the
//! rules tried only random seeds come near the losses they report. The furthest record is often an outlier; where
//! values are kept or suppressed, as there, its cluster keeps little. `docs/papers.md` has the figures.
//!
//! # Complexity
//! O(n · d · columns) for d distinct records, in parallel over them.
//!
//! # Paper
//! Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques. DASFAA 2007.

use rand::SeedableRng;
use rand_chacha::ChaCha12Rng;

use super::{Build, Partitioner};
use crate::cluster::joining::{ClusterGrowth, Joining};
use crate::cost::Costs;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "k-member",
    about: "grows each cluster from the record furthest from the last seed by the least loss; time n^2",
    paper: "Byun, Kamra, Bertino and Li, DASFAA 2007",
    params: &[Param {
        name: "seeds",
        about: "furthest begins each cluster at the record furthest from the last seed; random at any record",
        range: Range::Choice(&["furthest", "random"]),
        default: Some(Value::Word("furthest")),
    }],
    build: |params| Box::new(KMember { furthest: params.word("seeds") == "furthest" }),
};

struct KMember {
    /// Whether the next seed is the record furthest from the last one.
    furthest: bool,
}

impl Partitioner for KMember {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let costs = Costs::new(problem);
        let mut growing = ClusterGrowth::new(&costs, progress);
        let mut rng = ChaCha12Rng::seed_from_u64(problem.seed);
        let mut last_seed = growing.free.random(&mut rng);
        while growing.free.rows() >= problem.min_size() {
            let ClusterGrowth { kinds, free, .. } = &mut growing;
            if self.furthest {
                let last = last_seed.and_then(|kind| problem.cluster(&[kinds.row(kind)]));
                last_seed = last.and_then(|last| Joining::new(&costs, &last).dearest(kinds, free.kinds()));
            } else {
                last_seed = free.random(&mut rng);
            }
            let Some(seed) = last_seed else { break };
            growing.grow(seed)?;
        }
        growing.finish()
    }
}
