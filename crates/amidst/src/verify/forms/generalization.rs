//! Generalization and centres: one table, whose classes are the rows with the same quasi-identifiers.
//!
//! Bounds in two columns, structs and lists are turned into the texts of ranges and sets. So the rest of the verification does not depend on how
//! cells are stored.

use std::fmt::Write as _;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::DataType;

use super::{Files, Published, Shape};
use crate::error::{Error, Result};
use crate::plan::{Column, Kind, Plan, Role, Show};
use crate::read::Table;
use crate::verify::names::BOUNDS;
use crate::verify::reading::texts_of;
use crate::verify::{Classes, Failure};

pub(super) fn read(files: &Files, plan: &Plan) -> Result<Result<Published, Failure>> {
    shown(files, plan, |column| column.show.unwrap_or_default())
}

/// Reads a release by centres. The plan may choose another way for a column.
pub(super) fn read_centres(files: &Files, plan: &Plan, numbers: Show) -> Result<Result<Published, Failure>> {
    shown(files, plan, |column| {
        column.show.unwrap_or(match column.kind {
            Some(Kind::Range) => numbers,
            Some(Kind::Ordered) => Show::Median,
            _ => Show::Mode,
        })
    })
}

fn shown(files: &Files, plan: &Plan, show: impl Fn(&Column) -> Show) -> Result<Result<Published, Failure>> {
    let quasi = || plan.columns.iter().filter(|(_, column)| column.role == Role::Quasi);
    let table = as_texts(&files.main, quasi().map(|(name, column)| (name.as_str(), show(column))))?;
    let classes = Classes::new(&table, plan.columns_with(Role::Quasi))?;
    let centres: Vec<(String, Show)> =
        quasi().map(|(name, column)| (name.clone(), show(column))).filter(|(_, show)| show.is_centre()).collect();
    let shape = if centres.is_empty() { Shape::Closures } else { Shape::Centres };
    Ok(Ok(Published { centres, ..Published::new(table, classes, shape) }))
}

/// The table with each quasi-identifier in one column of texts.
fn as_texts<'a>(table: &Table, quasi: impl Iterator<Item = (&'a str, Show)>) -> Result<Table> {
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    let mut done: Vec<String> = Vec::new();
    for (name, show) in quasi {
        let text: ArrayRef = if show == Show::Bounds {
            let ends = BOUNDS.map(|end| format!("{name}{end}"));
            let [lo, hi] = ends.each_ref().map(|end| table.column(end));
            let text = ranges(name, lo?, hi?)?;
            done.extend(ends);
            text
        } else {
            let column = table.column(name)?;
            match column.data_type() {
                DataType::Struct(_) => {
                    let column = column.as_struct();
                    let [Some(lo), Some(hi)] = ["min", "max"].map(|end| column.column_by_name(end)) else {
                        return Err(Error::column(name, "it is a struct that lacks `min` or `max`"));
                    };
                    ranges(name, lo, hi)?
                }
                DataType::List(_) => lists(name, column)?,
                _ => column.clone(),
            }
        };
        columns.push((name.to_owned(), text));
        done.push(name.to_owned());
    }
    for name in table.names().filter(|name| !done.iter().any(|done| done == name)) {
        columns.push((name.to_owned(), table.column(name)?.clone()));
    }
    Table::new(table.name(), columns)
}

/// Texts of bounds: `[lo - hi]`, one value if both are equal, or a star if they are missing.
fn ranges(name: &str, lo: &ArrayRef, hi: &ArrayRef) -> Result<ArrayRef> {
    let [lo, hi] = [lo, hi].map(|end| texts_of(end).map_err(|e| Error::column(name, &e)));
    let (lo, hi) = (lo?, hi?);
    let (lo_texts, hi_texts) = (lo.values().as_string::<i32>(), hi.values().as_string::<i32>());
    let cell = |row: usize| match (lo.key(row), hi.key(row)) {
        (Some(lo), Some(hi)) => match (lo_texts.value(lo), hi_texts.value(hi)) {
            ("", _) | (_, "") => "*".to_owned(),
            (lo, hi) if lo == hi => lo.to_owned(),
            (lo, hi) => format!("[{lo} - {hi}]"),
        },
        _ => "*".to_owned(),
    };
    let cells: StringArray = (0..lo.len()).map(|row| Some(cell(row))).collect();
    Ok(Arc::new(cells))
}

/// Texts of lists: `{"a", "b"}`, or one value.
fn lists(name: &str, column: &ArrayRef) -> Result<ArrayRef> {
    let lists = column.as_list::<i32>();
    let cell = |row: usize| -> Result<Option<String>> {
        let members = texts_of(&lists.value(row)).map_err(|e| Error::column(name, &e))?;
        let values = members.values().as_string::<i32>();
        let member = |place: usize| members.key(place).map_or("", |key| values.value(key));
        if members.len() == 1 {
            return Ok(Some(member(0).to_owned()));
        }
        let mut cell = String::new();
        for place in 0..members.len() {
            let _ = write!(cell, "{}\"{}\"", if place > 0 { ", " } else { "" }, member(place).replace('"', "\"\""));
        }
        Ok(Some(format!("{{{cell}}}")))
    };
    let cells = (0..lists.len()).map(cell).collect::<Result<StringArray>>()?;
    Ok(Arc::new(cells))
}
