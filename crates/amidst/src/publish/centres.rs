//! Centres, also called microaggregation: every quasi-identifier is published as one value that stands for its cluster.
//!
//! Numbers and dates by their mean or median, ordered categories by their median, all others by their most frequent value, unless the plan
//! says how a column is shown. All rows of a cluster are the same, so each hides amidst at least k as by generalization; but whoever reads
//! the table is not told how far the values lie apart. Missing values do not count, except for the most frequent value.

use super::generalization::{classes, table};
use super::{Original, Publisher, Release, check_bounds};
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
        check_bounds(plan)
    }

    fn classes(&self, schema: &Schema, problem: &Problem, partition: &Partition) -> Result<Vec<u32>> {
        classes(schema, problem, partition, |quasi| self.shown(quasi))
    }

    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        table(original, problem, partition, false, |quasi| self.shown(quasi))
    }
}
