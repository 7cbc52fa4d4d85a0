//! Anatomy: one table with the quasi-identifiers and a group number, and one that counts the sensitive
//! values of each group.
//!
//! # Idea
//! The first table has all columns except the sensitive ones, as they are, and the number of each row's
//! group. The second table says how often each sensitive value occurs in each group. Quasi-identifiers lose
//! nothing.
//!
//! # What protects
//! Whoever finds a person in the first table learns the group, and the second table says only how often
//! each value occurs in it. So the sensitive value is protected by the privacy model. That the person is in
//! the table is not hidden at all, whatever k is. Neither order nor numbers say anything: groups are
//! numbered as they come up in the first table, whose rows are shuffled, and the second table is sorted.
//!
//! # Complexity
//! O(n log n).
//!
//! # Paper
//! Xiao and Tao: Anatomy: simple and effective privacy preservation. VLDB 2006.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --publish anatomy
//! ```

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::take::take;
use rustc_hash::FxHashMap;

use super::{EXACT, Original, Part, Publisher, Release, batch, groups, need_models, no_links};
use crate::error::{Error, Result};
use crate::notation::{COUNT, GROUP, SENSITIVE};
use crate::plan::Plan;
use crate::problem::{Partition, Problem};

pub(super) struct Anatomy;

impl Publisher for Anatomy {
    fn admits(&self, plan: &Plan) -> Result<()> {
        need_models(plan, "anatomy")?;
        no_links(plan, "anatomy", EXACT)
    }

    fn publish(&self, original: &Original, _problem: &Problem, partition: &Partition) -> Result<Release> {
        let sensitive: Vec<&str> = original.schema.sensitive.iter().map(|column| column.name.as_str()).collect();
        let groups = groups(original, partition);
        let mut columns = vec![(GROUP.to_owned(), Arc::new(UInt32Array::from(groups.clone())) as ArrayRef)];
        for name in original.published().filter(|name| !sensitive.contains(name)) {
            columns.push((name.to_owned(), original.column(name)?));
        }

        // (group, texts) → how often they occur, and a row that has them
        let cells = sensitive.iter().map(|name| original.texts(name)).collect::<Result<Vec<_>>>()?;
        let mut counted: FxHashMap<(u32, Vec<&str>), (u32, u32)> = FxHashMap::default();
        for ((group, row), place) in groups.iter().zip(original.order).zip(0..) {
            let key = (*group, cells.iter().map(|column| column.of(place)).collect());
            counted.entry(key).or_insert((0, *row)).0 += 1;
        }
        let mut counted: Vec<_> = counted.into_iter().collect();
        counted.sort_unstable();
        let rows: UInt32Array = counted.iter().map(|(_, (_, row))| *row).collect();
        let of_values: UInt32Array = counted.iter().map(|((group, _), _)| *group).collect();
        let mut values = vec![(GROUP.to_owned(), Arc::new(of_values) as ArrayRef)];
        for name in sensitive {
            let column = take(original.table.column(name)?, &rows, None).map_err(|e| Error::internal(name, &e))?;
            values.push((name.to_owned(), column));
        }
        let counts: UInt32Array = counted.iter().map(|(_, (count, _))| *count).collect();
        values.push((COUNT.to_owned(), Arc::new(counts)));
        let tables = vec![
            Part { name: None, table: batch(columns)? },
            Part { name: Some(SENSITIVE.to_owned()), table: batch(values)? },
        ];
        Ok(Release::of(tables))
    }
}
