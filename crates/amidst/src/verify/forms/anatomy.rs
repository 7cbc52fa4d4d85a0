//! Anatomy: two tables that are joined only by a group number.
//!
//! In each group, the counts of the second table must add up to the rows in the first. Only the counts may carry information. So each
//! combination of sensitive values occurs once in a group, groups are sorted by their numbers, the values of a group are sorted by their texts,
//! and groups are numbered in the order in which they occur in the first table.

use std::cmp::Ordering;

use arrow_array::UInt32Array;
use arrow_array::cast::AsArray;
use arrow_select::take::take;

use super::{Files, Published, Shape, told_apart};
use crate::error::{Error, Result};
use crate::plan::{Plan, Role};
use crate::read::Table;
use crate::verify::names::{COUNT, GROUP, SENSITIVE};
use crate::verify::reading::texts;
use crate::verify::{Classes, Failure};

pub(super) fn read(files: &Files, plan: &Plan) -> Result<Result<Published, Failure>> {
    let (rows, values) = (&files.main, files.part(SENSITIVE)?);
    let columns: Vec<&str> = plan.columns_with(Role::Sensitive).collect();
    if let Some(column) = columns.iter().find(|column| rows.column(column).is_ok()) {
        let message = format!("the sensitive column `{column}` stands beside the quasi-identifiers");
        return Ok(Err(Failure(message)));
    }
    let (Some(groups), Some(of_values)) = (whole_numbers(rows, GROUP)?, whole_numbers(values, GROUP)?) else {
        return Ok(Err(Failure(format!("a number in the columns `{GROUP}` is not whole"))));
    };
    let Some(counts) = whole_numbers(values, COUNT)? else {
        return Ok(Err(Failure(format!("a number in the column `{COUNT}` is not whole"))));
    };
    if let Err(failure) = in_order(values, &groups, &of_values, &columns)? {
        return Ok(Err(failure));
    }

    // For each group, its first row in the second table, the count there, and the sum of its counts.
    let number = groups.iter().max().copied().unwrap_or(0);
    let mut left: Vec<(usize, u64)> = vec![(0, 0); number as usize + 1];
    let mut records = vec![0_u64; number as usize + 1];
    for (place, (group, count)) in of_values.iter().zip(&counts).enumerate() {
        let Some(records) = records.get_mut(*group as usize) else {
            return Ok(Err(Failure(format!("group {group} has sensitive values but no rows"))));
        };
        if *records == 0 {
            left[*group as usize] = (place, *count);
        }
        *records = records.saturating_add(*count);
    }
    let mut sizes = vec![0_u64; records.len()];
    groups.iter().for_each(|group| sizes[*group as usize] += 1);
    if let Some(group) = (1..sizes.len()).find(|group| sizes[*group] != records[*group]) {
        let (rows, values) = (sizes[group], records[group]);
        return Ok(Err(Failure(format!("group {group} has {rows} rows but {values} sensitive values"))));
    }

    // Puts the values of each group beside its rows, in their order.
    let mut places = Vec::with_capacity(groups.len());
    for group in &groups {
        let (place, count) = &mut left[*group as usize];
        if *count == 0 {
            *place += 1;
            *count = counts[*place];
        }
        *count -= 1;
        places.push(*place as u32);
    }
    let places = UInt32Array::from(places);
    let mut joined = Vec::new();
    for name in rows.names().filter(|name| *name != GROUP) {
        joined.push((name.to_owned(), rows.column(name)?.clone()));
    }
    for column in &columns {
        let array = take(values.column(column)?, &places, None).map_err(|e| Error::internal(column, &e))?;
        joined.push(((*column).to_owned(), array));
    }
    let classes = Classes::new(rows, [GROUP])?;
    let mixed = vec![columns.iter().map(|column| (*column).to_owned()).collect()];
    let table = Table::new(rows.name(), joined)?;
    let published = Published { mixed, ..Published::new(table, classes, Shape::Values) };
    Ok(told_apart(&published, plan)?.map(|()| published))
}

/// The numbers of a column; `None` if one is not a positive whole number.
pub(super) fn whole_numbers(table: &Table, column: &str) -> Result<Option<Vec<u64>>> {
    let texts = texts(table, column)?;
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok()).filter(|n| *n > 0);
    let by_key: Vec<Option<u64>> = texts.values().as_string::<i32>().iter().map(number).collect();
    Ok(texts.keys().iter().map(|key| by_key[key? as usize]).collect())
}

/// Checks that groups are numbered in the order in which they occur among the rows.
pub(super) fn numbered(groups: &[u64]) -> Result<(), Failure> {
    let mut next = 1;
    for (row, group) in groups.iter().enumerate() {
        if *group > next {
            return Err(Failure(format!("row {}: group {group} comes before group {next}", row + 1)));
        }
        next = next.max(group + 1);
    }
    Ok(())
}

/// Checks that neither group numbers nor the order of the values carry information.
fn in_order(values: &Table, groups: &[u64], of_values: &[u64], columns: &[&str]) -> Result<Result<(), Failure>> {
    if let Err(failure) = numbered(groups) {
        return Ok(Err(failure));
    }
    let all: Vec<usize> = (0..values.rows()).collect();
    let cells = columns.iter().map(|column| values.cells(column, &all)).collect::<Result<Vec<_>>>()?;
    let key = |row: usize| (of_values[row], cells.iter().map(move |column| &column[row]));
    for row in 1..values.rows() {
        let ((group, before), (next, after)) = (key(row - 1), key(row));
        match group.cmp(&next).then_with(|| before.cmp(after)) {
            Ordering::Less => {}
            Ordering::Equal => return Ok(Err(Failure(format!("sensitive values: row {} repeats row {row}", row + 1)))),
            Ordering::Greater => {
                let place = row + 1;
                return Ok(Err(Failure(format!(
                    "sensitive values: row {place} is out of order, which could reveal something"
                ))));
            }
        }
    }
    Ok(Ok(()))
}
