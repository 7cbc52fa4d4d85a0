//! Whether two tables say the same.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rustc_hash::FxHashMap;

use super::Failure;
use super::reading::{Texts, texts};
use crate::error::Result;
use crate::read::Table;

/// Checks that a table has the columns and the rows of another, in the same order and with the same cells. Cells are compared as texts; null
/// and the empty text are the same, because a CSV file does not tell them apart.
pub fn same(table: &Table, other: &Table) -> Result<Result<(), Failure>> {
    if !table.names().eq(other.names()) || table.rows() != other.rows() {
        return Ok(Err(Failure(format!("`{}` has other columns or rows than what was verified", table.name()))));
    }
    for name in table.names() {
        let (own, others) = (table.column(name)?, other.column(name)?);
        let alike = if own.data_type().is_nested() || others.data_type().is_nested() {
            own == others // nested types have no text
        } else {
            alike(&texts(table, name)?, &texts(other, name)?)
        };
        if !alike {
            return Ok(Err(Failure(format!("column `{name}` of `{}` differs from what was verified", table.name()))));
        }
    }
    Ok(Ok(()))
}

/// Whether each row has the same text. Each distinct text is compared once.
fn alike(own: &Texts, others: &Texts) -> bool {
    let known = others.values().as_string::<i32>().iter().flatten().zip(1..);
    let known: FxHashMap<&str, usize> = known.filter(|(text, _)| !text.is_empty()).collect();
    // 0 is the empty text and null; a text that the other table lacks has a number of its own.
    let number = |text: Option<&str>| match text {
        None | Some("") => 0,
        Some(text) => known.get(text).copied().unwrap_or(usize::MAX),
    };
    let numbers = |texts: &Texts| texts.values().as_string::<i32>().iter().map(number).collect::<Vec<_>>();
    let (own_numbers, other_numbers) = (numbers(own), numbers(others));
    let at = |texts: &Texts, numbers: &[usize], row: usize| texts.key(row).map_or(0, |key| numbers[key]);
    (0..own.len()).all(|row| {
        let number = at(own, &own_numbers, row);
        number != usize::MAX && number == at(others, &other_numbers, row)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};

    use super::*;

    #[test]
    fn one_other_cell_is_noticed() {
        let table = |cells: &[Option<&str>]| {
            let column: ArrayRef = Arc::new(StringArray::from(cells.to_vec()));
            Table::new("t", vec![("a".to_owned(), column)]).unwrap()
        };
        let agree = |a: &[Option<&str>], b: &[Option<&str>]| same(&table(a), &table(b)).unwrap().is_ok();
        assert!(agree(&[Some("x"), None, Some("y")], &[Some("x"), Some(""), Some("y")]));
        assert!(!agree(&[Some("x"), Some("y")], &[Some("y"), Some("x")]));
        assert!(!agree(&[Some("x"), Some("z")], &[Some("x"), Some("y")]));
        assert!(!agree(&[Some("x"), None], &[Some("x"), Some("y")]));
        assert!(!agree(&[Some("x")], &[Some("x"), Some("x")]));
    }
}
