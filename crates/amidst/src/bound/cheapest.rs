//! The cheapest closure around each record that at least k records share.
//!
//! **Bound.** A record i lies in a cluster C of at least k records, whose closure P covers i and all of C.
//! So i loses c(P). That is at least c*ᵢ, the least cost of all closures that cover i and at least k
//! records. Summed over the records, no partition loses less than Σ c*ᵢ.
//!
//! The search continues below a choice of nodes only while it can still make some record cheaper.
//!
//! **Step by step.** A search for closures that cost less than λ proves min(c*ᵢ, λ) for every record, and the smaller λ, the shorter the
//! search. So where a clock runs, λ doubles from search to search, and the last one that came to its end counts.

use super::closures::{Cost, Node, UNITS};
use super::search::{Budget, Part, Records, Visitor, search};
use crate::error::Result;

struct Cheapest(Vec<Cost>);

impl Visitor for Cheapest {
    fn prune(&self, tuples: &[u32], cost: Cost) -> bool {
        tuples.iter().all(|t| self.0[*t as usize] <= cost)
    }

    fn visit(&mut self, tuples: &[u32], cost: Cost, _nodes: &[Node]) {
        for t in tuples {
            let known = &mut self.0[*t as usize];
            *known = cost.min(*known);
        }
    }
}

/// The first λ, as a share of what everything suppressed costs.
const FIRST_SHARE: Cost = 64;

/// What each tuple costs at least, and whether that is its cheapest closure.
pub(super) struct Least {
    pub(super) costs: Vec<Cost>,
    pub(super) exact: bool,
}

/// As much of the costs of the cheapest closures as the budget suffices for.
pub(super) fn least(records: &Records, budget: &Budget) -> Result<Least> {
    // Nothing costs more than everything suppressed.
    let everything = UNITS as Cost;
    let mut costs = vec![0; records.weights.len()];
    let mut most = if budget.watch.is_timed() { everything / FIRST_SHARE } else { everything };
    while let Some(known) = cheapest(records, budget, most)? {
        costs = known;
        if most >= everything {
            return Ok(Least { costs, exact: true });
        }
        budget.watch.raised(records.total(&costs));
        most = (2 * most).min(everything);
    }
    Ok(Least { costs, exact: false })
}

/// For each tuple, the cost of the cheapest closure that covers it and at least k records, but no more than `most`; `None` if the
/// budget does not suffice.
fn cheapest(records: &Records, budget: &Budget, most: Cost) -> Result<Option<Vec<Cost>>> {
    let Some(parts) = search(records, budget, |tuples| Cheapest(vec![most; tuples.len()]))? else {
        return Ok(None);
    };
    let mut costs = vec![most; records.weights.len()];
    for Part { tuples, visitor, .. } in parts {
        for (t, cost) in tuples.iter().zip(visitor.0) {
            costs[*t as usize] = cost.min(costs[*t as usize]);
        }
    }
    Ok(Some(costs))
}
