//! Agglomerative clustering: unite the two closest clusters until all are large enough.
//!
//! # Idea
//! Every record begins as a cluster of its own. Unite the two closest clusters, again and again. A union
//! that satisfies the constraints is done and takes no further part. When a single cluster is left, its
//! records go where they cost least. The distance of two clusters is how much their union raises the loss.
//!
//! # Choices
//! - `version=basic` (the default): a cluster that is done can have up to 2k − 2 records.
//! - `version=modified`: a cluster that is done gives back, one at a time, the record whose leaving lowers
//!   its cost most, as long as the rest satisfies the constraints. These records begin again as clusters of
//!   their own. As in the paper, a record is given back even if that does not lower the cost, so that
//!   clusters have exactly k records. Of several equally good records, the last one to join goes.
//! - The papers leave open which of several closest pairs is united. Here it is the first in a fixed order,
//!   so the result is always the same.
//!
//! # Complexity
//! O(n²) distances for the first neighbours of all records, and about as many again for those of the
//! unions. O(n) memory. The computation of a distance stops as soon as the first columns exceed the best
//! distance so far.
//!
//! # Paper
//! Gionis and Tassa: k-anonymization with minimal loss of information. TKDE 21(2), 2009. The distance is
//! that of Goldberger and Tassa: Efficient anonymizations with enhanced utility. Transactions on Data
//! Privacy 3, 2010, section 6.2.1.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'agglomerative(modified)'
//! ```

use super::{Build, Partitioner};
use crate::cluster::joining::Clusters;
use crate::cluster::merging::{Piece, Pool, singletons};
use crate::cost::Costs;
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "agglomerative",
    about: "unites the two closest clusters until all are large enough; time n^2",
    paper: "Gionis and Tassa, TKDE 2009; Goldberger and Tassa, Transactions on Data Privacy 2010",
    params: &[Param {
        name: "version",
        about: "basic keeps clusters as they are; modified lets a cluster with more than k records give back those that cost it most",
        range: Range::Choice(&["basic", "modified"]),
        default: Some(Value::Word("basic")),
    }],
    build: |params| Box::new(Agglomerative { modified: params.word("version") == "modified" }),
};

struct Agglomerative {
    modified: bool,
}

impl Partitioner for Agglomerative {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let costs = Costs::new(problem);
        let mut pool = Pool::new(problem, &costs, singletons(problem, 0..problem.rows() as u32), progress)?;
        let mut done = Clusters::default();
        while let Some(mut united) = pool.unite_closest()? {
            if !problem.enough(&united.state) {
                pool.push(united);
                continue;
            }
            if self.modified {
                let worst = give_back(problem, &costs, &mut united);
                singletons(problem, worst).into_iter().for_each(|piece| pool.push(piece));
            }
            progress.advance(united.rows.len() as u64)?;
            done.push(united.state, united.rows);
        }
        let rest: Vec<u32> = pool.rest().flat_map(|piece| piece.rows).collect();
        progress.advance(rest.len() as u64)?;
        done.place(problem, rest);
        done.finish(problem)
    }
}

/// Takes out the records whose leaving lowers the cost most, as long as the rest satisfies the constraints.
/// Returns them in the order in which they leave.
fn give_back(problem: &Problem, costs: &Costs, piece: &mut Piece) -> Vec<u32> {
    let mut given = Vec::new();
    loop {
        let mut best: Option<(f64, u32, Piece)> = None;
        for place in 0..piece.rows.len() {
            let mut rest = piece.rows.clone();
            let row = rest.remove(place);
            let Some(state) = problem.cluster(&rest).filter(|state| problem.enough(state)) else { continue };
            // The constant of the record would count in any cluster, so it must not make a difference here.
            let left = costs.cluster(&state) + problem.measure.record(row);
            if best.as_ref().is_none_or(|(least, ..)| left <= *least) {
                best = Some((left, row, Piece { state, rows: rest }));
            }
        }
        let Some((_, row, rest)) = best else { return given };
        given.push(row);
        *piece = rest;
    }
}
