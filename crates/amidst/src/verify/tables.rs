//! Other tables of the same persons, beside the main table of a release.
//!
//! A reader joins them by the pseudonym. So the class of a row is that of its person in the main table, divided further by the row's own
//! cells. Every person must have one class, and what is asked must hold by the persons who have rows in the table.

use rustc_hash::{FxHashMap, FxHashSet};

use super::keyed::{Names, digest, pseudonym};
use super::reading::{text, texts};
use super::{Audit, Classes, Columns, Failure, Files, LeftOut, Published, compare, consistent, forms, linked};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;

/// The main table of a release.
#[derive(Debug, Clone, Copy)]
pub struct Main<'a> {
    /// Its plan.
    pub plan: &'a Plan,
    /// What it shows.
    pub release: &'a Published,
}

/// What another table of a release was made from.
#[derive(Debug, Clone, Copy)]
pub struct MadeFrom<'a> {
    /// The table.
    pub original: &'a Table,
    /// Its rows that are left out.
    pub left_out: LeftOut<'a>,
}

/// Audits another table of a release by its plan. `from` is there if its original is.
pub fn beside(main: Main, table: &Table, plan: &Plan, from: Option<MadeFrom>) -> Result<Result<Audit, Failure>> {
    let files = Files { main: table.clone(), beside: FxHashMap::default() };
    if let Some(failure) = Columns::new(&files, plan)?.failures().into_iter().next() {
        return Ok(Err(failure));
    }
    let mut published = forms::closures(&files, plan)?;
    if let Err(failure) = join(main, &mut published, plan)? {
        return Ok(Err(failure));
    }
    if let Err(failure) = linked(&published, plan)? {
        return Ok(Err(failure));
    }
    if let Some(MadeFrom { original, left_out }) = from {
        if let Err(failure) = only_the_absent(main, original, plan, left_out)? {
            return Ok(Err(failure));
        }
        let rows = match compare(original, plan, &published, plan.method.order, left_out)? {
            Ok(rows) => rows,
            Err(failure) => return Ok(Err(failure)),
        };
        if let Err(failure) = consistent(original, plan, &published, &rows)? {
            return Ok(Err(failure));
        }
    }
    let audit = Audit::new(&published, plan)?.by_pseudonyms(plan, &published)?;
    Ok(match audit.failures(plan)?.into_iter().next() {
        Some(failure) => Err(failure),
        None => Ok(audit),
    })
}

/// Whether all rows that are left out are of persons who are not in the main table, so that joins count the same rows of all others.
fn only_the_absent(main: Main, original: &Table, plan: &Plan, left_out: LeftOut) -> Result<Result<(), Failure>> {
    let (LeftOut::These(left_out), Some(by), Some(_)) = (left_out, main.plan.linked(), &plan.key) else {
        return Ok(Ok(()));
    };
    let (names, theirs) = (Names::new(original, plan)?, texts(&main.release.table, by)?);
    let there: FxHashSet<&str> = (0..theirs.len()).filter_map(|row| text(&theirs, row)).collect();
    for row in left_out {
        let of_row = pseudonym(digest(plan, "amidst person", names.of(*row as usize))?);
        if there.contains(of_row.as_str()) {
            let number = original.number(*row as usize);
            return Ok(Err(Failure(format!("row {number} of the original is left out, but its person is published"))));
        }
    }
    Ok(Ok(()))
}

/// Gives each row the class of its person in the main table, divided by the row's own cells. Cells of columns that both tables have must be the
/// same.
fn join(main: Main, published: &mut Published, plan: &Plan) -> Result<Result<(), Failure>> {
    let (Some(by), Some(own)) = (main.plan.linked(), plan.linked()) else {
        return Ok(Err(Failure("the table is not joined by a pseudonym".to_owned())));
    };
    let (theirs, ours) = (texts(&main.release.table, by)?, texts(&published.table, own)?);
    let mut row_of: FxHashMap<&str, usize> = FxHashMap::default();
    for row in 0..main.release.table.rows() {
        row_of.entry(text(&theirs, row).unwrap_or_default()).or_insert(row);
    }
    let name = published.table.name().to_owned();
    let failure = |row: usize, what: &str| Ok(Err(Failure(format!("`{name}`, row {}: {what}", row + 1))));
    let mut rows = Vec::with_capacity(published.table.rows());
    for row in 0..published.table.rows() {
        match row_of.get(text(&ours, row).unwrap_or_default()) {
            Some(of) => rows.push(*of),
            None => return failure(row, "its pseudonym is not in the main table"),
        }
    }
    let is_shared = |name: &&str| main.plan.columns.get(*name).is_some_and(|column| column.role == Role::Quasi);
    for column in plan.columns_with(Role::Quasi).filter(is_shared) {
        let (theirs, ours) = (texts(&main.release.table, column)?, texts(&published.table, column)?);
        let differs = |(row, of): (usize, &usize)| text(&ours, row) != text(&theirs, *of);
        if let Some(row) = rows.iter().enumerate().position(differs) {
            return failure(row, &format!("column `{column}` is not as the main table has it for that pseudonym"));
        }
    }
    let mut number: FxHashMap<u32, u32> = FxHashMap::default();
    let mut classes = Classes { of_row: Vec::new(), sizes: Vec::new(), first: Vec::new() };
    for (row, of) in rows.iter().enumerate() {
        let class = *number.entry(main.release.classes.of_row[*of]).or_insert_with(|| {
            classes.sizes.push(0);
            classes.first.push(row);
            classes.sizes.len() as u32 - 1
        });
        classes.sizes[class as usize] += 1;
        classes.of_row.push(class);
    }
    published.classes = Classes::within(&published.table, &classes, plan.columns_with(Role::Quasi))?;
    Ok(Ok(()))
}
