//! Patterns: of all closures that enough free records share, take the cheapest first.
//!
//! # Idea
//! A *pattern* names a node in every column: a value, a node of the taxonomy, a range, a set, or
//! everything. A depth-first search, column by column, finds the patterns that at least k free records
//! match. The cheapest pattern opens a cluster with all free records that match it. To find all patterns at
//! once would take too long, and most would be useless. So the search runs in stages of rising cost: each
//! stage looks only for patterns up to its cost, among the records that are still free.
//!
//! # Choices
//! - A *ladder* lists the nodes of a column. For a taxonomy these are its nodes, for a suppressed column
//!   its values and everything. For ranges and sets they are the nodes of random binary trees over the
//!   values, in their order or a random one; each stage draws new trees.
//! - The search follows only closed patterns: those whose matching records do not all lie in a lower node
//!   of some column. So every set of records comes up once.
//! - Ranges and sets cost what the matching records span, not what the node spans.
//! - Columns that tell records apart best come first, so that the search ends sooner. Before them come the
//!   columns in which no value has k records, because these cost the same for all patterns.
//! - Equal records stay together, if constraints allow it.
//! - Of equally cheap patterns the one with fewer records opens first.
//! - A cluster opens if the matching free records satisfy all constraints, if need be without some records
//!   of too frequent sensitive values. The records that stay free must be able to satisfy them, too.
//! - If many columns make too many patterns, the search stops, and `top-down` splits the remaining records.
//! - Records that are left at the end join the cluster where they cost least.
//!
//! # Complexity
//! It depends on the number of patterns that at least k records share: about O(n log n) with few columns,
//! exponential in the number of columns, limited to some hundred steps for each record and stage.
//!
//! # Paper
//! Ours. Closed patterns are those of Pasquier, Bastide, Taouil and Lakhal: Discovering frequent closed
//! itemsets for association rules. ICDT 1999.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner patterns
//! ```

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
