//! What the classes of persons must satisfy in other tables of the same persons.
//!
//! A class is judged in such a table by those of its persons who have rows there. At least k of them must, or none: otherwise the cells of
//! that table would single out those who do. The privacy models of its sensitive columns count the same persons.

use super::{Attribute, Constraint, demanded};
use crate::constraint::k_anonymity::KAnonymity;
use crate::encode::{Encoded, Sensitive};
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::problem::Cluster;

/// The constraints of all other tables of a plan, if the records are persons.
pub(super) fn all(plan: &Plan, encoded: &Encoded) -> Result<Vec<Box<dyn Constraint>>> {
    let mut all: Vec<Box<dyn Constraint>> = Vec::new();
    for (table, places) in plan.tables.values().zip(encoded.tables()) {
        let place = places.start;
        let mut own: Vec<Box<dyn Constraint>> = vec![Box::new(KAnonymity { k: plan.privacy.k })];
        for place in places.start + 1..places.end {
            let attribute = Attribute { place, sensitive: Sensitive::plain(&encoded.watched()[place]), encoded };
            let asked = table.columns.get(attribute.sensitive.name()).map(|column| column.require.as_slice());
            for spec in plan.privacy.require.iter().chain(asked.unwrap_or_default()) {
                own.extend(demanded(spec, &[attribute], None)?);
            }
        }
        all.extend(own.into_iter().map(|inner| Box::new(OfTable { place, inner }) as Box<dyn Constraint>));
    }
    Ok(all)
}

/// A constraint on those persons of a cluster who have rows in another table.
struct OfTable {
    /// The watched column that says who has rows there.
    place: usize,
    inner: Box<dyn Constraint>,
}

impl Constraint for OfTable {
    fn lack(&self, cluster: &Cluster) -> f64 {
        cluster.with_rows(self.place).map_or(0.0, |part| self.inner.lack(&part))
    }

    fn monotone(&self) -> bool {
        self.inner.monotone()
    }

    fn min_size(&self) -> usize {
        1
    }

    fn feasible(&self, whole: &Cluster) -> Result<()> {
        whole.with_rows(self.place).map_or(Ok(()), |part| self.inner.feasible(&part))
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        self.inner.refusal(&whole.with_rows(self.place).unwrap_or_else(|| whole.clone()))
    }
}
