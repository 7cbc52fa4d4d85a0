//! Top-down: split a group where the loss falls most.
//!
//! # Idea
//! Like Mondrian, but the cut is not at the median of the widest column. Every column offers a few cuts,
//! and the cut that lowers the loss of the two sides most is made.
//!
//! # Choices
//! - Suppressed columns and sets offer one value against the rest, for the two most frequent values.
//!   Taxonomies offer one child of the node against the rest, for the two children with most records.
//!   Ranges offer the cut nearest to the middle.
//! - Both sides must satisfy all constraints. A group stays whole if no cut lowers the loss.
//! - If sensitive values forbid every cut, a group is cut *within each sensitive value*: of the records
//!   with that value, the half that is lower in a column goes to one side, the other half to the other
//!   side. So both sides have about the sensitive values of the group, and usually satisfy the constraints
//!   if it does.
//! - Cuts are compared by the objective if it is a sum over the columns, otherwise by LM.
//!
//! # Complexity
//! O(n · columns² · log(n / k)), in parallel.
//!
//! # Paper
//! Ours, after LeFevre, DeWitt and Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner top-down
//! ```

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
