//! A check of personal requirements: the columns in which each record states its own k or l.

use super::levels::of_crowds;
use super::reading::{distinct, texts};
use super::{Crowds, Failure, Published, Shape};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;

/// Checks that each published row meets the requirements of its record. They are not published, so this needs the original. Published row
/// `i` comes from row `order[i]` of the original.
pub fn wishes(original: &Table, plan: &Plan, release: &Published, order: &[u32]) -> Result<Result<(), Failure>> {
    let crowds = release.crowds();
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
        let reached: Vec<f64> = if column.role == Role::PersonalK { sizes } else { diversity(release, &crowds, plan)? };
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
