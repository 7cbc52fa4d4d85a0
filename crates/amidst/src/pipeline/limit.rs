//! At most as many rows of each person as a plan keeps.

use arrow_array::BooleanArray;
use arrow_array::cast::AsArray;
use rustc_hash::FxHashMap;

use crate::error::{Error, Result};
use crate::plan::{Column, Plan, Treatment};
use crate::publish::{Names, append, keyed};
use crate::read::{Table, texts};

/// The table with at most as many rows of each person as the plan keeps, and how many rows were left out.
///
/// Which rows of a person are kept follows from the key, the person and what the rows say, not from their places. So the next release of the
/// same rows by the same key keeps the same ones. The rows with the lowest HMAC are kept, and the verification computes that for itself.
pub(super) fn limited(table: Table, plan: &Plan) -> Result<(Table, usize)> {
    let Some(most) = plan.input.rows_per_person else { return Ok((table, 0)) };
    let names = Names::new(&table, plan)?;
    let mut persons: FxHashMap<Vec<u8>, Vec<usize>> = FxHashMap::default();
    (0..table.rows()).for_each(|row| persons.entry(names.of(row)).or_default().push(row));
    let is_told =
        |(_, column): &(&String, &Column)| column.is_published() && column.publish != Some(Treatment::Pseudonym);
    let mut columns = Vec::new();
    for (name, _) in plan.columns.iter().filter(is_told) {
        let array = table.column(name)?;
        if !array.data_type().is_nested() {
            columns.push(texts(array).map_err(|e| Error::column(name, &e))?);
        }
    }
    let mut keep = vec![true; table.rows()];
    for (person, rows) in persons.iter().filter(|(_, rows)| rows.len() > most) {
        let rank = |row: &usize| {
            let mut message = person.clone();
            for column in &columns {
                let text = column.key(*row).map_or("", |key| column.values().as_string::<i32>().value(key));
                append(&mut message, text);
            }
            Ok((keyed(plan, "amidst row", &message)?, *row))
        };
        let mut ranked = rows.iter().map(rank).collect::<Result<Vec<_>>>()?;
        ranked.sort_unstable();
        ranked[most..].iter().for_each(|(_, row)| keep[*row] = false);
    }
    let left_out = keep.iter().filter(|keep| !**keep).count();
    if left_out == 0 {
        return Ok((table, 0));
    }
    Ok((table.filter(&BooleanArray::from(keep))?, left_out))
}
