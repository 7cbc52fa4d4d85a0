//! Does everybody get what they asked for?

use super::levels::of_crowds;
use super::reading::{distinct, texts};
use super::{Crowds, Failure, Published, Shape};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;

/// Holds every published row against the wishes of the record it comes from. They are not published, so this takes the
/// original, where published row `i` comes from row `order[i]`.
pub fn wishes(original: &Table, plan: &Plan, release: &Published, order: &[u32]) -> Result<Result<(), Failure>> {
    let crowds = release.crowds();
    let personal = plan.columns.iter().filter(|(_, c)| matches!(c.role, Role::PersonalK | Role::PersonalL));
    for (name, column) in personal {
        let texts = texts(original, name)?;
        // Who says nothing, or something that means missing, wants nothing.
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
                "{short} of {all} {what} fall short of what column `{name}` asks for some of their records"
            ))));
        }
    }
    Ok(Ok(()))
}

/// The frequency ℓ of each crowd, by the worst of its sensitive columns.
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
