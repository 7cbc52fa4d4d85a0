//! Full-domain recoding: one level of generalization for each column, the same for all rows.
//!
//! # Idea
//! Each column is published at one level of its tree: all ages by decades, all countries by continents. Statisticians call this *global
//! recoding*. The cells of a column are as fine in one row as in any other, so tables can be cross-tabulated as usual. The price is
//! a higher loss: a few rare records decide the levels of all.
//!
//! The levels of all columns together are a *node* of a lattice. The algorithm finds the node that loses least, among those where every
//! class satisfies the privacy models after at most as many records are left out as the plan allows. Records of classes that do not
//! satisfy them are left out, and count as lost entirely.
//!
//! # Choices
//! - A column with a tree has the levels of its tree. Levels are counted from the root, so that a leaf on a shorter path stands for
//!   itself until its turn comes. Any other column has two levels: its values, and everything.
//! - The search is exact. `nodes` limits the number of nodes that are counted, and a remark says so if the limit was reached. Where the
//!   lattice has more than four million nodes, the search only goes down from the top, each time along the column that gains most.
//! - Refiners move records between classes, so they cannot follow it.
//!
//! # How the optimum is found
//! 1. From the top of the lattice, where all cells are suppressed, go down while that loses less. This gives a first solution.
//! 2. A node loses at least what its cells lose if no record is left out. By measures of single cells, that is a sum over the columns
//!    and known before any record is counted. Only nodes whose sum is below the best solution so far are counted, the largest sum first.
//! 3. If a node has too many records in classes that are too small, all finer nodes have, so they are not counted (*predictive
//!    tagging*). With other models that holds if no record may be left out, and a union of valid classes is always valid.
//! 4. Classes are counted from the classes of a finer node, not from the records (*rollup*).
//!
//! # Complexity
//! O(distinct records · columns) for each node that is counted, at worst for all nodes: the product of the numbers of levels.
//!
//! # Paper
//! Samarati: Protecting respondents' identities in microdata release. TKDE 2001. LeFevre, DeWitt and Ramakrishnan: Incognito: efficient
//! full-domain k-anonymity. SIGMOD 2005 (rollup). Kohlmayer, Prasser, Eckert, Kemper and Kuhn: Flash: efficient, stable and optimal
//! k-anonymity. PASSAT 2012 (predictive tagging).
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --hierarchy age=widths:5,10,20 --hierarchy zip=mask:1,2,3 --partitioner full-domain
//! ```

mod counts;
mod lattice;
mod search;

use super::{Build, Partitioner};
use crate::error::Result;
use crate::notation;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};
use search::{Found, Search};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "full-domain",
    about: "global recoding: the best level of each column, the same for all rows",
    paper: "Samarati, TKDE 2001; LeFevre, DeWitt and Ramakrishnan, SIGMOD 2005; Kohlmayer et al., PASSAT 2012",
    params: &[Param {
        name: "nodes",
        about: "the largest number of combinations of levels that are counted; beyond it the best so far is taken",
        range: Range::Integer(1, 1_000_000_000),
        default: Some(Value::Integer(100_000)),
    }],
    build: |params| Box::new(FullDomain { nodes: params.integer("nodes") }),
};

struct FullDomain {
    nodes: u64,
}

impl Partitioner for FullDomain {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        self.suppressing(problem, 0, progress)
    }

    fn suppresses(&self) -> bool {
        true
    }

    fn needs_suppression(&self) -> bool {
        false
    }

    fn recodes(&self) -> bool {
        true
    }

    fn suppressing(&self, problem: &Problem, most: usize, progress: Progress) -> Result<Partition> {
        let mut search = Search::new(problem, most, self.nodes);
        let found = search.best(progress)?;
        let partition = Partition::suppressing(problem.rows(), found.clusters.iter(), found.left_out.clone())?;
        Ok(partition.recoded(levels(problem, &found)).remarked(remarks(problem, &found)))
    }
}

/// The levels of the columns that are not published by their values.
fn levels(problem: &Problem, found: &Found) -> Vec<(String, u32)> {
    let domains = problem.encoded.domains().iter().zip(&found.levels).filter(|(_, level)| **level > 0);
    domains.map(|(domain, level)| (domain.name().to_owned(), *level)).collect()
}

fn remarks(problem: &Problem, found: &Found) -> Vec<String> {
    let columns = || problem.encoded.domains().iter().zip(&found.levels).filter(|(domain, _)| domain.levels() > 1);
    let all: Vec<String> =
        columns().map(|(domain, level)| format!("{} {level} of {}", domain.name(), domain.levels() - 1)).collect();
    let bare = columns().filter(|(domain, level)| **level > 0 && domain.hierarchy().is_none());
    let bare: Vec<String> = bare.map(|(domain, _)| format!("`{}`", domain.name())).collect();
    let mut remarks = Vec::new();
    if !all.is_empty() {
        remarks.push(format!("each column is published at one level: {}", all.join(", ")));
    }
    if !bare.is_empty() {
        remarks.push(format!(
            "without a hierarchy a column has no level between its values and everything, so nothing is left of {}",
            notation::listed(&bare)
        ));
    }
    if let Some(nodes) = &found.unfinished {
        remarks.push(format!(
            "only {} of {nodes} combinations of levels were counted, so another one may lose less",
            notation::grouped(found.counted as usize)
        ));
    }
    remarks
}
