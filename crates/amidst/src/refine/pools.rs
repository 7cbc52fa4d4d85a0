//! Pools: a few neighbouring clusters at a time, poured together and clustered anew. The search of the engine, after any partitioner.

use super::{Build, Refiner};
use crate::cluster::{Budget, Surrogate, improve};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "pools",
    about: "pours a few neighbouring clusters together and clusters them anew where that costs less; time n per round",
    paper: "ours; Pisinger and Ropke, Computers and Operations Research 2007",
    params: &[Param {
        name: "rounds",
        about: "how often; ends sooner when hardly anything is gained",
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
