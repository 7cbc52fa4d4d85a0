//! The content of a release as numbers, so that two releases can be compared.

use std::hash::{DefaultHasher, Hash, Hasher};

use arrow_array::Array;
use arrow_array::cast::AsArray;

use super::super::Scene;
use crate::error::{Error, Result};
use crate::read::{Table, texts};
use crate::verify::Published;

/// The content of a release, as hashes.
#[derive(PartialEq)]
pub(super) struct Show {
    /// The rows in their order, each with its class.
    pub(super) rows: Vec<u64>,
    /// The content of each class, in sorted order. It does not depend on the order of the rows.
    pub(super) classes: Vec<u64>,
}

impl Show {
    pub(super) fn new(release: &Published, scene: &Scene) -> Result<Self> {
        let Published { table, classes, mixed, .. } = release;
        let all: Vec<&str> =
            table.names().filter(|name| !scene.schema.other.iter().any(|other| other == name)).collect();
        let whole = numbers(table, &all)?;
        let rows = whole.iter().zip(&classes.of_row).map(|(row, class)| hash(&(row, class))).collect();
        // The columns that belong together: those that are in their rows, and each set of mixed columns.
        let fixed: Vec<&str> = all.iter().copied().filter(|name| !scene.is_mixed(name)).collect();
        let sets = mixed.iter().map(|set| set.iter().map(String::as_str).collect());
        let mut shown = vec![Vec::new(); classes.sizes.len()];
        for (place, set) in std::iter::once(fixed).chain(sets).enumerate() {
            for (cells, class) in numbers(table, &set)?.iter().zip(&classes.of_row) {
                shown[*class as usize].push(hash(&(place, cells)));
            }
        }
        let mut classes: Vec<u64> = shown
            .into_iter()
            .map(|mut cells| {
                cells.sort_unstable();
                hash(&cells)
            })
            .collect();
        classes.sort_unstable();
        Ok(Show { rows, classes })
    }
}

/// A hash of some columns of each row.
fn numbers(table: &Table, columns: &[&str]) -> Result<Vec<u64>> {
    let mut numbers = vec![0_u64; table.rows()];
    for column in columns {
        let texts = texts(table.column(column)?).map_err(|e| Error::column(column, &e))?;
        let by_key: Vec<u64> =
            texts.values().as_string::<i32>().iter().map(|text| hash(text.unwrap_or_default())).collect();
        let null = hash("");
        for (row, number) in numbers.iter_mut().enumerate() {
            let cell = if texts.is_null(row) { null } else { by_key[texts.keys().value(row) as usize] };
            *number = hash(&(*number, cell));
        }
    }
    Ok(numbers)
}

fn hash(value: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
