//! Slicing: one table of which only some columns belong together, and a second table that says which.
//!
//! Only the group may join the sensitive columns to the others, so the sensitive columns form their own set. The set with most
//! quasi-identifiers (of several, the first) keeps the order of the rows and also has all columns that are neither quasi-identifiers nor
//! sensitive. The other sets are mixed within their groups. Groups are numbered in the order of the rows, and sets in the order of the columns,
//! so that numbers carry no information.

use super::anatomy::{numbered, whole_numbers};
use super::{Files, Published, Shape, grouped, told_apart};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;
use crate::verify::Failure;
use crate::verify::names::{COLUMN, SLICE, SLICES};

pub(super) fn read(files: &Files, plan: &Plan) -> Result<Result<Published, Failure>> {
    let (table, classes) = match grouped(&files.main, plan)? {
        Ok(found) => found,
        Err(failure) => return Ok(Err(failure)),
    };
    let slices = match slices(files.part(SLICES)?, &table)? {
        Ok(slices) => slices,
        Err(failure) => return Ok(Err(failure)),
    };
    let has = |slice: &[String], role: Role| plan.columns_with(role).filter(|c| slice.iter().any(|s| s == c)).count();
    let sensitive = plan.columns_with(Role::Sensitive).count();
    for slice in slices.iter().filter(|slice| has(slice, Role::Sensitive) > 0) {
        if has(slice, Role::Sensitive) < sensitive {
            return Ok(Err(Failure("the sensitive columns are not in one slice".to_owned())));
        }
        if let Some(other) = slice.iter().find(|name| !plan.columns_with(Role::Sensitive).any(|s| s == **name)) {
            return Ok(Err(Failure(format!("column `{other}` is in one slice with the sensitive columns"))));
        }
    }
    let kept = (0..slices.len()).rev().max_by_key(|slice| has(&slices[*slice], Role::Quasi)).unwrap_or(0);
    let is_known = |name: &String| {
        let role = plan.columns.get(name).map(|column| column.role);
        matches!(role, Some(Role::Quasi | Role::Sensitive))
    };
    let others = slices.iter().enumerate().filter(|(slice, _)| *slice != kept);
    if let Some(name) = others.flat_map(|(_, slice)| slice).find(|name| !is_known(name)) {
        let message = format!("column `{name}` must be in slice {}, which has the most quasi-identifiers", kept + 1);
        return Ok(Err(Failure(message)));
    }
    let is_quasi = |name: &&String| plan.columns_with(Role::Quasi).any(|quasi| quasi == name.as_str());
    let quasi = slices.iter().map(|slice| slice.iter().filter(is_quasi).cloned().collect::<Vec<_>>());
    let shape = Shape::Slices(quasi.filter(|slice| !slice.is_empty()).collect());
    let mixed = slices.into_iter().enumerate().filter(|(slice, _)| *slice != kept).map(|(_, slice)| slice).collect();
    let published = Published { mixed, ..Published::new(table, classes, shape) };
    Ok(told_apart(&published, plan)?.map(|()| published))
}

/// The columns of each slice. Every column of the table is in exactly one.
fn slices(part: &Table, table: &Table) -> Result<Result<Vec<Vec<String>>, Failure>> {
    let rows: Vec<usize> = (0..part.rows()).collect();
    let names = part.cells(COLUMN, &rows)?;
    let is_next = |(name, column): (&String, &str)| name == column;
    if names.len() != table.names().count() || !names.iter().zip(table.names()).all(is_next) {
        let message = "the slices do not name every column once, in the order of the table".to_owned();
        return Ok(Err(Failure(message)));
    }
    let Some(numbers) = whole_numbers(part, SLICE)? else {
        return Ok(Err(Failure(format!("a number in the column `{SLICE}` is not whole"))));
    };
    if numbered(&numbers).is_err() {
        return Ok(Err(Failure("the slices are not numbered in the order of the columns".to_owned())));
    }
    let mut slices: Vec<Vec<String>> = Vec::new();
    for (name, number) in names.into_iter().zip(numbers) {
        slices.resize(slices.len().max(number as usize), Vec::new());
        slices[number as usize - 1].push(name);
    }
    Ok(Ok(slices))
}
