//! Top-down: split where the loss really falls most.
//!
//! # Idea
//! As Mondrian, but the cut is not at the median of the widest column: every column offers a few cuts, and the one that
//! lowers the loss of the two sides most is made.
//!
//! # Choices
//! - Suppressed columns and sets offer one value against the rest, for the two most frequent values; taxonomies one child of the
//!   node against the rest, for the two children with most records; ranges the cut nearest to the middle.
//! - Both sides must hold all constraints. Groups that no cut makes cheaper stay.
//! - Where sensitive values forbid every cut, a group is cut *within each value*: the records of a value that are low in a
//!   column go to one side, those that are high to the other, half of them each. So both sides have about the sensitive
//!   values of the group, and hold if it does, up to odd records.
//! - Cuts are compared by the objective where it is a sum over the columns, else by LM.
//!
//! # Complexity
//! O(n · columns² · log(n / k)), in parallel.
//!
//! # Paper
//! Ours, after `LeFevre`, `DeWitt`, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.

use super::{Build, Partitioner};
use crate::cluster::{Surrogate, top_down};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "top-down",
    about: "splits groups where the loss falls most; time n log n",
    paper: "ours, after Mondrian",
    params: &[],
    build: |_| Box::new(TopDown),
};

struct TopDown;

impl Partitioner for TopDown {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let rows = (0..problem.rows() as u32).collect();
        Partition::new(problem.rows(), top_down::split(problem, &Surrogate::new(problem)?, rows, 0, progress)?)
    }
}
