//! Patterns: of all closures that enough free records share, take the cheapest first.
//!
//! # Idea
//! A *pattern* names a node of every column: a value, a node of the taxonomy, a range, a set, everything. The patterns that at
//! least k free records match are found by depth-first search, column by column, and the cheapest opens a cluster with all free
//! records that match it. To find them all at once would take too long and most would be useless, so the search goes
//! in stages of rising cost: a stage looks only for patterns up to its cost, among the records that are still free.
//!
//! # Choices
//! - A *ladder* gives the nodes of a column: those of its taxonomy; values and everything for suppressed columns; for ranges and
//!   sets random binary trees, drawn anew in each stage, over the values in their order or in a random one.
//! - Only closed patterns are followed, those whose matching records lie in no lower node of a column, so that every set of records
//!   comes up once.
//! - Ranges and sets cost what the matching records span, not what the node does.
//! - Columns in the order of how well they tell records apart: the search dies sooner. Columns in which no value has k records come
//!   first, because what they cost is the same for all.
//! - Equal records stay together, as long as constraints do not care.
//! - Of equally cheap patterns the one with fewer records opens first.
//! - A cluster opens when the free records that match hold all constraints; if need be without those of the sensitive values that
//!   are too frequent among them. The records that stay free must be able to hold, too.
//! - Where many columns make too many patterns the search stops, and [top-down](super::top_down) splits the records that are left.
//! - Records that are left in the end join the cluster where they cost least.
//!
//! # Complexity
//! By the number of patterns that at least k records share: about n log n with few columns, exponential in their number, with a limit
//! of some hundred steps per record and stage.
//!
//! # Paper
//! Ours. Closed patterns are those of Pasquier, Bastide, Taouil, Lakhal: Discovering frequent closed itemsets for association
//! rules. ICDT 1999.

use super::{Build, Partitioner};
use crate::cluster::{Surrogate, patterns};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "patterns",
    about: "opens the cheapest closure that k free records share, again and again; time about n log n with few columns",
    paper: "ours; the start of the engine",
    params: &[],
    build: |_| Box::new(Patterns),
};

struct Patterns;

impl Partitioner for Patterns {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        patterns::start(problem, &Surrogate::new(problem)?, progress)
    }
}
