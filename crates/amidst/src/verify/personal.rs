//! Does everybody get what they asked for?

use arrow_array::Array;
use arrow_array::cast::AsArray;

use super::{Failure, Published};
use crate::error::{Error, Result};
use crate::read::{Table, texts};
use crate::schema::{Level, Schema};

/// Holds every published row against the wishes of the record it comes from. They are not published, so this takes the
/// original, where published row `i` comes from row `order[i]`.
pub fn wishes(
    original: &Table,
    schema: &Schema,
    release: &Published,
    order: &[u32],
    missing: &[String],
) -> Result<Result<(), Failure>> {
    let classes = &release.classes;
    for personal in &schema.personal {
        let texts = texts(original.column(&personal.name)?).map_err(|e| Error::column(&personal.name, &e))?;
        // Who says nothing, or something that means missing, wants nothing.
        let said = |text: &&str| !missing.iter().any(|m| m == text);
        let wish = |text: Option<&str>| text.filter(said).and_then(|text| text.trim().parse().ok()).unwrap_or(1.0);
        let by_key: Vec<f64> = texts.values().as_string::<i32>().iter().map(wish).collect();
        let mut highest = vec![1.0; classes.sizes.len()];
        for (class, row) in classes.of_row.iter().zip(order) {
            if !texts.is_null(*row as usize) {
                let wish = by_key[texts.keys().value(*row as usize) as usize];
                highest[*class as usize] = f64::max(highest[*class as usize], wish);
            }
        }
        let reached: Vec<f64> = match personal.level {
            Level::K => classes.sizes.iter().map(|size| *size as f64).collect(),
            Level::L => diversity(release, schema, missing)?,
        };
        let short = highest.iter().zip(&reached).filter(|(wish, reached)| **reached < **wish * (1.0 - 1e-9)).count();
        if short > 0 {
            return Ok(Err(Failure(format!(
                "{short} of {} classes fall short of what column `{}` asks for some of their records",
                classes.sizes.len(),
                personal.name
            ))));
        }
    }
    Ok(Ok(()))
}

/// The frequency ℓ of each class, by the worst of its sensitive columns.
fn diversity(release: &Published, schema: &Schema, missing: &[String]) -> Result<Vec<f64>> {
    let Published { table, classes, .. } = release;
    let mut least = vec![f64::INFINITY; classes.sizes.len()];
    for column in &schema.sensitive {
        for (least, levels) in least.iter_mut().zip(super::levels::of_classes(table, classes, column, missing)?) {
            *least = least.min(levels);
        }
    }
    Ok(least)
}
