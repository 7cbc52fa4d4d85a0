//! Pools: large-neighbourhood search, the search of the engine, after any partitioner.
//!
//! # Idea
//! Take a few neighbouring clusters, pour their records together into a *pool*, and cluster the pool anew.
//! Keep the new clusters if they cost less. In the literature the pool is called a neighbourhood, and this
//! kind of search large-neighbourhood search: each step solves a small part of the problem again and leaves
//! the rest as it is.
//!
//! # Choices
//! - `rounds` limits the search. A round visits all parts of the table, with about the same amount of work for
//!   each record. The search ends sooner if twenty rounds together gain less than 0.002 % of the loss.
//! - Every change keeps all constraints and lowers the loss.
//!
//! # Complexity
//! A round is linear in the number of records, and runs in parallel.
//!
//! # Paper
//! Ours. Large-neighbourhood search: Pisinger and Ropke: A general heuristic for vehicle routing problems.
//! Computers and Operations Research 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --k 5 --partitioner mondrian --refine 'pools(rounds=100)'
//! ```

use super::{Build, Refiner};
use crate::cluster::{Budget, Surrogate, improve};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "pools",
    about: "large-neighbourhood search: pours a few neighbouring clusters together and clusters them anew where that costs less; time n per round",
    paper: "ours; Pisinger and Ropke, Computers and Operations Research 2007",
    params: &[Param {
        name: "rounds",
        about: "the largest number of rounds; the search ends sooner when it gains hardly anything",
        range: Range::Integer(1, u64::MAX),
        default: Some(Value::Integer(60)),
    }],
    build: |params| Box::new(Pools { rounds: params.integer("rounds") }),
};

struct Pools {
    rounds: u64,
}

impl Refiner for Pools {
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
        let budget = Budget { rounds: self.rounds, least_gain: 2e-5, patience: 20, until: None };
        Ok(improve(problem, &Surrogate::new(problem)?, partition, budget, progress)?.0)
    }
}
