//! Centres, also called microaggregation: every quasi-identifier is published as one value that stands for
//! its cluster.
//!
//! # Idea
//! Numbers and dates are published as the mean or median of their cluster, ordered categories as the
//! median, all other columns as the most frequent value. The plan can choose differently for each column.
//! Missing values do not count, except for the most frequent value.
//!
//! # What protects
//! All rows of a cluster look the same, so each hides among at least k, as with generalization. But readers
//! of the table are not told how far the values lie apart.
//!
//! # Complexity
//! O(n log n) for the medians.
//!
//! # Paper
//! Domingo-Ferrer and Mateo-Sanz: Practical data-oriented microaggregation for statistical disclosure
//! control. TKDE 2002. Domingo-Ferrer and Torra: Ordinal, continuous and heterogeneous k-anonymity through
//! microaggregation. DMKD 2005.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --publish 'centres(numbers=median)'
//! ```

use super::generalization::{classes, table};
use super::{Original, Publisher, Release, check_bounds, no_coding};
use crate::error::Result;
use crate::plan::{Plan, Show};
use crate::problem::{Partition, Problem};
use crate::schema::{Form, Quasi, Schema};

pub(super) struct Centres {
    pub numbers: Show,
}

impl Centres {
    fn shown(&self, quasi: &Quasi) -> Show {
        quasi.show.unwrap_or(match quasi.form {
            Form::Range(..) => self.numbers,
            Form::Ordered(_) => Show::Median,
            Form::Taxonomy(..) | Form::Set | Form::Suppress => Show::Mode,
        })
    }
}

impl Publisher for Centres {
    fn admits(&self, plan: &Plan) -> Result<()> {
        no_coding(plan, "centres", "a centre of the numbers would say more than their coding")?;
        check_bounds(plan)
    }

    fn classes(&self, schema: &Schema, problem: &Problem, partition: &Partition) -> Result<Vec<u32>> {
        classes(schema, problem, partition, |quasi| self.shown(quasi))
    }

    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        table(original, problem, partition, false, |quasi| self.shown(quasi))
    }
}
