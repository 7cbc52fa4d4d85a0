//! A check of personal requirements: the columns in which each record states its own k or l.

use rustc_hash::FxHashSet;

use super::levels::{frequencies, of_crowds};
use super::persons::{Members, persons, published};
use super::reading::{distinct, texts};
use super::{Crowds, Failure, Published, Shape};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;

/// Checks that each published row meets the requirements of its record. They are not published, so this needs the original. Published row
/// `i` comes from row `order[i]` of the original.
pub fn wishes(original: &Table, plan: &Plan, release: &Published, order: &[u32]) -> Result<Result<(), Failure>> {
    let crowds = release.crowds();
    let of_rows: Option<Vec<u32>> =
        persons(original, plan)?.map(|persons| order.iter().map(|record| persons[*record as usize]).collect());
    let personal = plan.columns.iter().filter(|(_, c)| matches!(c.role, Role::PersonalK | Role::PersonalL));
    for (name, column) in personal {
        let texts = texts(original, name)?;
        // An empty or missing requirement is no requirement.
        let said = |text: &&str| !plan.input.missing.iter().any(|m| m == text);
        let wish = |text: Option<&str>| text.filter(said).and_then(|text| text.trim().parse().ok()).unwrap_or(1.0);
        let mut by_key: Vec<f64> = distinct(&texts).into_iter().map(wish).collect();
        by_key.push(1.0); // of a null
        let key = |row: &u32| texts.key(*row as usize).unwrap_or(by_key.len() - 1);
        let keys: Vec<usize> = order.iter().map(key).collect();
        let (mut highest, mut sizes): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        crowds.each(&keys, |wishes, size| {
            highest.push(wishes.keys().map(|key| by_key[*key]).fold(1.0, f64::max));
            sizes.push(size as f64);
        });
        let reached: Vec<f64> = match (&of_rows, column.role == Role::PersonalK) {
            (None, true) => sizes,
            (None, false) => diversity(release, &crowds, plan)?,
            (Some(of_rows), true) => counted(release, of_rows),
            (Some(of_rows), false) => diversity_of_persons(original, release, of_rows, order, plan)?,
        };
        let short = highest.iter().zip(&reached).filter(|(wish, reached)| **reached < **wish * (1.0 - 1e-9)).count();
        if short > 0 {
            let all = highest.len();
            let what = if matches!(release.shape, Shape::Ring(_)) { "windows" } else { "classes" };
            return Ok(Err(Failure(format!(
                "{short} of {all} {what} do not meet the requirement of some of their records in column `{name}`"
            ))));
        }
    }
    Ok(Ok(()))
}

/// The number of persons of each class.
fn counted(release: &Published, of_rows: &[u32]) -> Vec<f64> {
    let classes = Members::new(&release.classes);
    let count = |rows: &[u32]| rows.iter().map(|row| of_rows[*row as usize]).collect::<FxHashSet<_>>().len();
    classes.each().map(|rows| count(rows) as f64).collect()
}

/// The frequency ℓ of each class in its worst sensitive column, by persons.
fn diversity_of_persons(
    original: &Table,
    release: &Published,
    of_rows: &[u32],
    order: &[u32],
    plan: &Plan,
) -> Result<Vec<f64>> {
    let classes = Members::new(&release.classes);
    let mut least = vec![f64::INFINITY; release.classes.sizes.len()];
    for column in plan.columns_with(Role::Sensitive) {
        let values = published(original, column, order)?;
        let levels = frequencies(&values, of_rows, classes.each(), column, plan)?;
        least.iter_mut().zip(levels).for_each(|(least, level)| *least = least.min(level));
    }
    Ok(least)
}

/// The frequency ℓ of each crowd in its worst sensitive column.
fn diversity(release: &Published, crowds: &Crowds, plan: &Plan) -> Result<Vec<f64>> {
    let mut least: Option<Vec<f64>> = None;
    for column in plan.columns_with(Role::Sensitive) {
        let levels = of_crowds(&release.table, crowds, column, plan)?;
        least = Some(match least {
            Some(least) => least.iter().zip(levels).map(|(least, level)| least.min(level)).collect(),
            None => levels,
        });
    }
    Ok(least.unwrap_or_default())
}
