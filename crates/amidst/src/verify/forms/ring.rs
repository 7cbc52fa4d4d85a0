//! Rings: one table whose rows are arranged in rings. Each row has its own closure.
//!
//! The files show the place of each row and the window w, the number of rows that fit each record. If the window is true, any w neighbouring
//! rows have a common value in every quasi-identifier. This is checked as far as the plan shows what cells mean; trees that are built from the
//! values of the original cannot be built without it. The check does not prove that there are such records. Only the comparison with the
//! original does. Groups are numbered in the order of the rows, and places from 1 on, so that numbers carry no other information.

use super::anatomy::{numbered, whole_numbers};
use super::{Files, Published, Shape};
use crate::error::Result;
use crate::plan::{Column, InlineTree, Kind, Plan, Role, Tree};
use crate::read::Table;
use crate::verify::cell::{Point, date_format};
use crate::verify::crowds::starts;
use crate::verify::names::{GROUP, PLACE, WINDOW};
use crate::verify::reading::{distinct, texts};
use crate::verify::tree::Branches;
use crate::verify::{Cell, CellReader, Classes, Failure, Meaning, Rings};

pub(super) fn read(files: &Files, plan: &Plan) -> Result<Result<Published, Failure>> {
    let main = &files.main;
    let numbers = |column: &str| {
        let numbers = whole_numbers(main, column)?;
        Ok(numbers.ok_or_else(|| Failure(format!("a number in the column `{column}` is not whole"))))
    };
    let (groups, places, windows) = match (numbers(GROUP)?, numbers(PLACE)?, numbers(WINDOW)?) {
        (Ok(groups), Ok(places), Ok(windows)) => (groups, places, windows),
        (Err(failure), ..) | (_, Err(failure), _) | (.., Err(failure)) => return Ok(Err(failure)),
    };
    if let Err(failure) = numbered(&groups) {
        return Ok(Err(failure));
    }
    let classes = Classes::new(main, [GROUP])?;
    let rings = match rings(&classes, &places, &windows) {
        Ok(rings) => rings,
        Err(failure) => return Ok(Err(failure)),
    };
    for name in plan.columns_with(Role::Quasi) {
        if let Err(failure) = in_common(main, name, &plan.columns[name], &classes, &rings)? {
            return Ok(Err(failure));
        }
    }
    let mut columns = Vec::new();
    for name in main.names().filter(|name| ![GROUP, PLACE, WINDOW].contains(name)) {
        columns.push((name.to_owned(), main.column(name)?.clone()));
    }
    let table = Table::new(main.name(), columns)?;
    Ok(Ok(Published::new(table, classes, Shape::Ring(rings))))
}

/// The rows in the order of their places. Each place must be taken once.
fn rings(classes: &Classes, places: &[u64], windows: &[u64]) -> Result<Rings, Failure> {
    let starts = starts(&classes.sizes);
    let mut rows: Vec<Option<u32>> = vec![None; places.len()];
    for (row, class) in classes.of_row.iter().enumerate() {
        let (class, group) = (*class as usize, class + 1);
        let (size, first) = (classes.sizes[class], classes.first[class]);
        let (place, window) = (places[row], windows[row]);
        if place > size as u64 {
            return Err(Failure(format!("row {}: there is no place {place} in group {group}", row + 1)));
        }
        if window != windows[first] {
            return Err(Failure(format!("row {}: the window differs from that of others of group {group}", row + 1)));
        }
        if window > size as u64 {
            return Err(Failure(format!("group {group} has a window of {window} but {size} rows")));
        }
        let taken = rows[starts[class] + place as usize - 1].replace(row as u32);
        if let Some(other) = taken {
            return Err(Failure(format!("rows {} and {} of group {group} have the same place", other + 1, row + 1)));
        }
    }
    let windows = classes.first.iter().map(|first| windows[*first] as usize).collect();
    Ok(Rings { rows: rows.into_iter().flatten().collect(), windows })
}

/// The values that a cell allows, as far as they are known.
#[derive(Debug, Clone, PartialEq)]
enum Allowed {
    Anything,
    /// A range, both bounds included.
    Points(Point, Point),
    Leaves(u32, u32),
    /// One of these texts, which are sorted.
    Texts(Vec<String>),
    Nothing,
}

impl Allowed {
    fn new(reader: &CellReader, is_tree: bool, tree: Option<&Branches>, text: &str) -> Self {
        match reader.read(text) {
            // Only the comparison with the original looks at ranges without an end.
            Cell::Everything | Cell::Beyond(..) => Allowed::Anything,
            Cell::One(text) if is_tree => match tree.and_then(|tree| tree.below(&text)) {
                Some((first, last)) => Allowed::Leaves(first, last),
                None => Allowed::Anything,
            },
            Cell::One(text) => match reader.point(&text) {
                Some(point) => Allowed::Points(point, point),
                None => Allowed::Texts(vec![text]),
            },
            Cell::Between(lo, hi) => match (reader.point(&lo), reader.point(&hi)) {
                (Some(lo), Some(hi)) => Allowed::Points(lo, hi),
                _ => Allowed::Anything,
            },
            Cell::OneOf(mut texts) => {
                texts.sort_unstable();
                Allowed::Texts(texts)
            }
        }
    }

    /// The values that both allow.
    fn and(&self, other: &Allowed) -> Allowed {
        match (self, other) {
            (Allowed::Anything, one) | (one, Allowed::Anything) => one.clone(),
            (Allowed::Points(a, b), Allowed::Points(c, d)) => {
                let (lo, hi) = (if a < c { c } else { a }, if b < d { b } else { d });
                if lo <= hi { Allowed::Points(*lo, *hi) } else { Allowed::Nothing }
            }
            (Allowed::Leaves(a, b), Allowed::Leaves(c, d)) => {
                let (lo, hi) = (a.max(c), b.min(d));
                if lo <= hi { Allowed::Leaves(*lo, *hi) } else { Allowed::Nothing }
            }
            (Allowed::Texts(a), Allowed::Texts(b)) => {
                let both: Vec<String> = a.iter().filter(|text| b.binary_search(text).is_ok()).cloned().collect();
                if both.is_empty() { Allowed::Nothing } else { Allowed::Texts(both) }
            }
            _ => Allowed::Nothing,
        }
    }
}

/// Checks that the rows of every window have a value of a column in common.
fn in_common(
    table: &Table,
    name: &str,
    column: &Column,
    classes: &Classes,
    rings: &Rings,
) -> Result<Result<(), Failure>> {
    let texts = texts(table, name)?;
    let is_tree = column.kind == Some(Kind::Taxonomy);
    let tree = match &column.hierarchy {
        Some(tree @ (Tree::File(_) | Tree::Inline(InlineTree::Lines(_) | InlineTree::Nested(_)))) if is_tree => {
            Some(Branches::new(tree, &[], None, date_format(column))?)
        }
        _ => None,
    };
    let reader = CellReader::new(Meaning::of(column), std::iter::empty());
    let allowed = |text: Option<&str>| Allowed::new(&reader, is_tree, tree.as_ref(), text.unwrap_or_default());
    let mut by_key: Vec<Allowed> = distinct(&texts).into_iter().map(allowed).collect();
    by_key.push(allowed(None));
    let key = |row: u32| texts.key(row as usize).unwrap_or(by_key.len() - 1);
    let starts = starts(&classes.sizes);
    for (class, (start, size)) in starts.iter().zip(&classes.sizes).enumerate() {
        let rows = &rings.rows[*start..start + size];
        if rows.iter().all(|row| key(*row) == key(rows[0])) {
            continue;
        }
        // The values that the `length` rows from each place on allow together. The length doubles until it is the window.
        let mut together: Vec<Allowed> = rows.iter().map(|row| by_key[key(*row)].clone()).collect();
        let mut length = 1;
        while length < rings.windows[class] {
            let on = length.min(rings.windows[class] - length);
            together = (0..*size).map(|i| together[i].and(&together[(i + on) % size])).collect();
            length += on;
        }
        if let Some(place) = together.iter().position(|allowed| *allowed == Allowed::Nothing) {
            return Ok(Err(Failure(format!(
                "group {}: no record can fit the {} rows from place {} on, because they have no value of `{}` in common",
                class + 1,
                rings.windows[class],
                place + 1,
                name
            ))));
        }
    }
    Ok(Ok(()))
}
