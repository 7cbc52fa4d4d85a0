//! k-member: grow one cluster after the other, each from the record farthest from the last seed.
//!
//! # Idea
//! The first seed is the record farthest from a random one. A cluster grows from its seed by the record
//! that raises its loss least, one at a time, until the constraints are satisfied. The next seed is the
//! remaining record farthest from this seed. The last few records go where they cost least.
//!
//! # Choices
//! - The distance of two records is the loss of a cluster of the two. Of several equal records the first is
//!   taken.
//! - If the remaining records cannot form another cluster that satisfies the constraints, they are the last
//!   few.
//! - `seeds=random` takes a random remaining record as every seed. Goldberger and Tassa (Transactions on
//!   Data Privacy 2010), who compare with this algorithm, say only that "one of the records" is taken; with
//!   random seeds the losses come near those that they report. The farthest record is often an outlier. If
//!   values are kept or suppressed, as in their paper, its cluster keeps little. `docs/papers.md` has the
//!   figures.
//!
//! # Complexity
//! O(n · d · columns) for d distinct records, in parallel over them.
//!
//! # Paper
//! Byun, Kamra, Bertino and Li: Efficient k-anonymization using clustering techniques. DASFAA 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'k-member(seeds=random)'
//! ```

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
    about: "grows each cluster by the least loss from the record farthest from the last seed; time n^2",
    paper: "Byun, Kamra, Bertino and Li, DASFAA 2007",
    params: &[Param {
        name: "seeds",
        about: "where each cluster begins: at the record farthest from the last seed (furthest), or at a random one (random)",
        range: Range::Choice(&["furthest", "random"]),
        default: Some(Value::Word("furthest")),
    }],
    build: |params| Box::new(KMember { furthest: params.word("seeds") == "furthest" }),
};

struct KMember {
    /// Whether the next seed is the record farthest from the last one.
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
