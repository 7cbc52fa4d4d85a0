//! The cheapest closure around each record that at least k records share.
//!
//! **Bound.** A record i lies in a cluster C of at least k records, whose closure P covers i and all of C.
//! So i loses c(P). That is at least c*ᵢ, the least cost of all closures that cover i and at least k
//! records. Summed over the records, no partition loses less than Σ c*ᵢ.
//!
//! The search continues below a choice of nodes only while it can still make some record cheaper.

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

/// For each tuple, the cost of the cheapest closure that covers it and at least k records; `None` if the
/// budget does not suffice.
pub(super) fn cheapest(records: &Records, budget: &Budget) -> Result<Option<Vec<Cost>>> {
    // Nothing costs more than everything suppressed.
    let most = UNITS as Cost;
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
