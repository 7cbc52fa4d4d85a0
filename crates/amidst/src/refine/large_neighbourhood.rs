//! Large-neighbourhood search, the search of the engine, after any partitioner.
//!
//! # Idea
//! Take a few neighbouring clusters, put their records together into a *neighbourhood*, and cluster it anew.
//! Keep the new clusters if they cost less. Each step solves a small part of the problem again and leaves
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
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner mondrian --refine 'large-neighbourhood(rounds=100)'
//! ```

use super::{Build, Refiner};
use crate::cluster::{Budget, Surrogate, improve};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "large-neighbourhood",
    about: "puts a few neighbouring clusters together and clusters their records anew if that costs less, many times; time n per round",
    paper: "ours; Pisinger and Ropke, Computers and Operations Research 2007",
    params: &[Param {
        name: "rounds",
        about: "the largest number of rounds; the search ends sooner when it gains hardly anything",
        range: Range::Integer(1, u64::MAX),
        default: Some(Value::Integer(60)),
    }],
    build: |params| Box::new(LargeNeighbourhood { rounds: params.integer("rounds") }),
};

struct LargeNeighbourhood {
    rounds: u64,
}

impl Refiner for LargeNeighbourhood {
    fn refine(&self, problem: &Problem, partition: Partition, progress: Progress) -> Result<Partition> {
        let budget = Budget { rounds: self.rounds, least_gain: 2e-5, patience: 20, until: None };
        Ok(improve(problem, &Surrogate::new(problem)?, partition, budget, progress)?.0)
    }
}
