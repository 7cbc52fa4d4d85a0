//! Whose household each row belongs to.

use arrow_array::cast::AsArray;
use rustc_hash::FxHashMap;

use super::{Code, Sensitive};
use crate::error::{Error, Result};
use crate::read::{Table, texts};

/// The households that these columns name together, as a column that clusters count. All rows that lack a value in one of the columns have
/// the same code, which is that of the empty text. It is nobody's: it may stand for any household, so it may not count as one.
///
/// Codes follow the first row of each household, so that rows in the order of the table add them at the end of a count.
pub(super) fn households(table: &Table, columns: &[String], missing: &[String]) -> Result<Sensitive> {
    let known = named_together(table, columns, missing)?;
    let nobody = known.iter().flatten().max().map_or(0, |household| household + 1);
    let lacking = known.contains(&None);
    let codes: Vec<Code> = known.into_iter().map(|household| household.unwrap_or(nobody)).collect();
    Ok(Sensitive::unnamed(&columns.join(", "), codes, lacking.then_some(nobody)))
}

/// The number of what these columns name together in each row, in the order of the first rows. `None` in rows that lack a value in one of
/// them.
pub fn named_together(table: &Table, columns: &[String], missing: &[String]) -> Result<Vec<Option<u32>>> {
    let mut known: Vec<Option<u32>> = vec![Some(0); table.rows()];
    for name in columns {
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let says = |text: &&str| !text.is_empty() && !missing.iter().any(|marker| marker == text);
        // Equal texts may have several keys.
        let mut number: FxHashMap<&str, u32> = FxHashMap::default();
        let numbered = texts.values().as_string::<i32>().iter().map(|text| {
            let next = number.len() as u32;
            text.filter(says).map(|text| *number.entry(text).or_insert(next))
        });
        let by_key: Vec<Option<u32>> = numbered.collect();
        let mut pairs: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for (row, together) in known.iter_mut().enumerate() {
            *together = together.and_then(|before| {
                let next = pairs.len() as u32;
                Some(*pairs.entry((before, by_key[texts.key(row)?]?)).or_insert(next))
            });
        }
    }
    Ok(known)
}
