//! The record that each published row comes from.
//!
//! Rows are published in the order of the original, or in a random order that follows from the seed and all records. The verification derives
//! that order itself. So a release does not pass if its rows are not shuffled, or not with the seed of its plan.

use arrow_array::cast::AsArray;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use super::Failure;
use super::cover::Fits;
use super::reading::texts;
use crate::error::{Error, Result};
use crate::plan::{Plan, Role, RowOrder};
use crate::read::Table;

/// The records of the original that a release leaves out.
#[derive(Debug, Clone, Copy)]
pub enum LeftOut<'a> {
    /// Exactly these records, in ascending order.
    These(&'a [u32]),
    /// At most as many as the plan allows; which ones is unknown.
    Unknown,
}

/// The records of the original in the order in which they are published.
pub(super) fn row_order(original: &Table, plan: &Plan, order: RowOrder) -> Result<Vec<u32>> {
    let mut rows: Vec<u32> = (0..original.rows() as u32).collect();
    if order == RowOrder::Keep {
        return Ok(rows);
    }
    let mut digest = Sha256::new_with_prefix("amidst row order");
    let Some(seed) = plan.method.seed else { return Err(Error::NoSeed) };
    digest.update(seed.0.to_le_bytes());
    let personal = plan.columns.iter().filter(|(_, c)| matches!(c.role, Role::PersonalK | Role::PersonalL));
    let person = plan.columns_with(Role::Person);
    let personal = personal.map(|(name, _)| name.as_str());
    for name in plan.columns_with(Role::Quasi).chain(plan.columns_with(Role::Sensitive)).chain(personal).chain(person) {
        let texts = texts(original, name)?;
        let values = texts.values().as_string::<i32>();
        let mut block = Vec::new();
        for row in 0..original.rows() {
            let text = texts.key(row).map_or("", |key| values.value(key));
            block.extend_from_slice(&(text.len() as u32).to_le_bytes());
            block.extend_from_slice(text.as_bytes());
            if block.len() >= 1 << 15 {
                digest.update(&block);
                block.clear();
            }
        }
        digest.update(&block);
    }
    rows.shuffle(&mut ChaCha12Rng::from_seed(digest.finalize().into()));
    Ok(rows)
}

/// The record that each published row comes from, as far as it is known.
#[derive(Debug)]
pub struct Alignment {
    /// The first record that each row may come from.
    rows: Vec<u32>,
    /// The candidates of the rows that may come from several records.
    open: FxHashMap<u32, Candidates>,
}

/// The records that a row may come from.
#[derive(Debug)]
pub(super) enum Candidates {
    /// One of these records.
    These(Vec<u32>),
    /// One of too many records to list.
    Many,
}

/// The most places of the order among which the candidates of a row are listed.
const MAX_PLACES_LISTED: usize = 64;

/// The number of rows that are compared with their records together.
const ROWS_AT_ONCE: usize = 4096;

/// The first row that does not fit its record, where every row has one. Some rows are compared column by column, so that the
/// processor waits for many cells at a time.
fn first_wrong(columns: &[(&str, Box<dyn Fits>)], order: &[u32]) -> Option<usize> {
    order.par_chunks(ROWS_AT_ONCE).enumerate().find_map_first(|(piece, from)| {
        let unfit = |(_, column): &(&str, Box<dyn Fits>)| column.first_unfit(piece * ROWS_AT_ONCE, from);
        columns.iter().filter_map(unfit).min()
    })
}

impl Alignment {
    /// Aligns the rows of a release with the records of the original, which are in `order`. At most `allowed` records may be left out.
    pub(super) fn new(
        columns: &[(&str, Box<dyn Fits>)],
        original: &Table,
        rows: usize,
        mut order: Vec<u32>,
        left_out: LeftOut,
        allowed: usize,
    ) -> Result<Self, Failure> {
        let most = match left_out {
            LeftOut::These(left_out) => {
                if left_out.len() > allowed {
                    return Err(Failure(format!(
                        "{} records are left out, but at most {allowed} may be",
                        left_out.len()
                    )));
                }
                order.retain(|row| left_out.binary_search(row).is_err());
                0
            }
            LeftOut::Unknown => allowed,
        };
        let expected = order.len().saturating_sub(most)..=order.len();
        if !expected.contains(&rows) {
            let least = if most > 0 { format!("at least {} of ", expected.start()) } else { String::new() };
            return Err(Failure(format!("the release has {rows} rows where {least}{} were expected", order.len())));
        }
        let unfit = |row: usize, from: u32| columns.iter().find(|(_, column)| !column.fits(row, from as usize));
        let failure = |row: usize, from: u32, (name, column): &(&str, Box<dyn Fits>)| {
            let (number, reason) = (original.number(from as usize), column.reason());
            Failure(format!("row {}, column `{name}`: {reason} of row {number} of the original", row + 1))
        };
        if rows == order.len() {
            let wrong = first_wrong(columns, &order);
            return match wrong.and_then(|row| Some((row, order[row], unfit(row, order[row])?))) {
                Some((row, from, column)) => Err(failure(row, from, column)),
                None => Ok(Alignment { rows: order, open: FxHashMap::default() }),
            };
        }

        // The first place in the order that each row may come from. If the rows can be aligned at all, they can be aligned to these.
        let mut first = Vec::with_capacity(rows);
        let mut next = 0;
        for row in 0..rows {
            while let Some(column) = unfit(row, order[next]) {
                if order.len() - next - 1 < rows - row {
                    return Err(failure(row, order[next], column));
                }
                next += 1;
            }
            first.push(next);
            next += 1;
        }
        // The last place that each row may come from, found from the end.
        let mut open = FxHashMap::default();
        let mut end = order.len();
        for row in (0..rows).rev() {
            end -= 1;
            while end > first[row] && unfit(row, order[end]).is_some() {
                end -= 1;
            }
            if end - first[row] >= MAX_PLACES_LISTED {
                open.insert(row as u32, Candidates::Many);
            } else if end > first[row] {
                let fits = |from: &&u32| unfit(row, **from).is_none();
                open.insert(
                    row as u32,
                    Candidates::These(order[first[row]..=end].iter().filter(fits).copied().collect()),
                );
            }
        }
        Ok(Alignment { rows: first.into_iter().map(|place| order[place]).collect(), open })
    }

    /// A record that each published row may come from. It is the only one if nothing was left out.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The same as [`rows`](Self::rows), by value.
    pub fn into_rows(self) -> Vec<u32> {
        self.rows
    }

    /// The record of a row if there is only one candidate, otherwise the candidates.
    pub(super) fn of(&self, row: usize) -> Result<u32, &Candidates> {
        self.open.get(&(row as u32)).map_or(Ok(self.rows[row]), Err)
    }
}
