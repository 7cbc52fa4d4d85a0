//! Whose rows a release has, and what it reaches if persons are counted.
//!
//! The release does not say whose a row is. So this needs the original, and the record that each published row comes from. A row that could
//! come from records of several persons counts for nobody.

use std::collections::BTreeMap;

use arrow_array::{Array, UInt32Array};
use arrow_select::take::take;
use rustc_hash::{FxHashMap, FxHashSet};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::crowds::starts;
use super::order::{Alignment, Candidates};
use super::reading::{text, texts};
use super::{Audit, Classes, Published};
use super::{levels, linked};
use crate::error::{Error, Result};
use crate::plan::{Plan, Role};
use crate::read::Table;

/// What is known of the persons in a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct People {
    /// The number of persons with a published row.
    pub persons: usize,
    /// The number of rows of the smallest class. Classes are judged by their persons.
    pub k_of_rows: usize,
    /// The largest share of a class that the rows of one person make up.
    pub largest_share: f64,
    /// The number of persons by the size, in persons, of the smallest class that they have a row in.
    pub hidden: BTreeMap<usize, usize>,
    /// The smallest number of persons in a class who have the same number of rows; only if pseudonyms link the rows of a person. This many
    /// hide from somebody who also knows how many rows a person has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_by_number_of_rows: Option<usize>,
}

/// Whose each row of the original is, as numbers; `None` if the plan names no column that says so. A row that lacks one of the values is of
/// somebody of its own.
pub fn persons(original: &Table, plan: &Plan) -> Result<Option<Vec<u32>>> {
    let columns = plan.columns_with(Role::Person).map(|name| texts(original, name)).collect::<Result<Vec<_>>>()?;
    if columns.is_empty() {
        return Ok(None);
    }
    let said = |text: &&str| !text.is_empty() && !plan.input.missing.iter().any(|missing| missing == text);
    let mut known: FxHashMap<Vec<&str>, u32> = FxHashMap::default();
    let mut next = 0;
    let person = |row: usize| {
        let name: Option<Vec<&str>> = columns.iter().map(|column| text(column, row).filter(said)).collect();
        let new = next;
        let person = name.map_or(new, |name| *known.entry(name).or_insert(new));
        next += u32::from(person == new);
        person
    };
    Ok(Some((0..original.rows()).map(person).collect()))
}

impl Audit {
    /// The same audit with persons counted instead of rows, if the plan says whose the rows are.
    pub(crate) fn by_persons(
        self,
        original: &Table,
        plan: &Plan,
        release: &Published,
        rows: &Alignment,
    ) -> Result<Audit> {
        let Some(of_records) = persons(original, plan)? else { return Ok(self) };
        let of_rows: Vec<u32> = rows.rows().iter().map(|record| of_records[*record as usize]).collect();
        let is_certain = |row: u32| match rows.of(row as usize) {
            Ok(_) => true,
            Err(Candidates::These(records)) => {
                records.iter().all(|record| of_records[*record as usize] == of_rows[row as usize])
            }
            Err(Candidates::Many) => false,
        };
        self.counted(plan, release, &of_rows, is_certain, |column| published(original, column, rows.rows()))
    }

    /// The same audit with persons counted. `of_rows` says whose each row is, `is_certain` whether that is known, and `values` has a table with
    /// a column of the published rows.
    pub(super) fn counted(
        mut self,
        plan: &Plan,
        release: &Published,
        of_rows: &[u32],
        is_certain: impl Fn(u32) -> bool,
        values: impl Fn(&str) -> Result<Table>,
    ) -> Result<Audit> {
        let classes = Members::new(&release.classes);
        let mut sizes = Vec::new();
        let mut largest_share: f64 = 0.0;
        let mut smallest: FxHashMap<u32, usize> = FxHashMap::default();
        for class in classes.each() {
            let mut times: FxHashMap<u32, usize> = FxHashMap::default();
            let certain = class.iter().filter(|row| is_certain(**row));
            certain.for_each(|row| *times.entry(of_rows[*row as usize]).or_default() += 1);
            let most = times.values().max().copied().unwrap_or(0);
            largest_share = largest_share.max(most as f64 / class.len().max(1) as f64);
            sizes.push(times.len());
            for person in times.into_keys() {
                smallest
                    .entry(person)
                    .and_modify(|size| *size = sizes[sizes.len() - 1].min(*size))
                    .or_insert(sizes[sizes.len() - 1]);
            }
        }
        let count = |sizes: &mut dyn Iterator<Item = usize>| {
            let mut counts = BTreeMap::new();
            sizes.for_each(|size| *counts.entry(size).or_default() += 1);
            counts
        };
        let k_of_rows = self.achieved.k;
        self.class_sizes = count(&mut sizes.iter().copied());
        self.achieved.k = sizes.iter().min().copied().unwrap_or(0);
        for (column, levels) in &mut self.achieved.sensitive {
            *levels = levels::by_persons(&values(column)?, of_rows, classes.each(), column, plan)?;
        }
        self.people = Some(People {
            persons: of_rows.iter().collect::<FxHashSet<_>>().len(),
            k_of_rows,
            largest_share,
            hidden: count(&mut smallest.into_values()),
            k_by_number_of_rows: plan.linked().map(|_| linked::k_by_number_of_rows(of_rows, classes.each())),
        });
        Ok(self)
    }
}

/// The column of the original for the published rows.
pub(super) fn published(original: &Table, column: &str, rows: &[u32]) -> Result<Table> {
    let from = UInt32Array::from(rows.to_vec());
    let values = take(original.column(column)?, &from, None).map_err(|e| Error::internal(column, &e))?;
    debug_assert_eq!(values.len(), rows.len());
    Table::new(original.name(), vec![(column.to_owned(), values)])
}

/// The rows of each class.
pub(super) struct Members {
    rows: Vec<u32>,
    sizes: Vec<usize>,
}

impl Members {
    pub(super) fn new(classes: &Classes) -> Self {
        let mut next = starts(&classes.sizes);
        let mut rows = vec![0; classes.of_row.len()];
        for (row, class) in (0..).zip(&classes.of_row) {
            let place = &mut next[*class as usize];
            rows[*place] = row;
            *place += 1;
        }
        Members { rows, sizes: classes.sizes.clone() }
    }

    pub(super) fn each(&self) -> impl Iterator<Item = &[u32]> {
        let mut begin = 0;
        self.sizes.iter().map(move |size| {
            begin += size;
            &self.rows[begin - size..begin]
        })
    }
}
