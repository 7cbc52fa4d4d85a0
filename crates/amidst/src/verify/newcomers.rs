//! The class of a release that fits a new record.

use rayon::prelude::*;

use super::cover::{Cover, Fits};
use super::{Classes, Published};
use crate::error::Result;
use crate::plan::{Plan, Role};
use crate::read::Table;

/// The class of a release that covers each row of `rows`; `None` if no class does. Of several classes it is the narrowest. The answer
/// depends only on the quasi-identifiers of the row.
pub fn newcomers(rows: &Table, plan: &Plan, release: &Published) -> Result<Vec<Option<u32>>> {
    let quasi = || plan.columns_with(Role::Quasi);
    let covers = quasi().map(|name| Cover::of(rows, &release.table, plan, name, false)).collect::<Result<Vec<_>>>()?;
    let breadths: Vec<Vec<f64>> = covers.iter().map(Cover::breadths).collect();
    let first = &release.classes.first;
    let breadth = |class: u32| breadths.iter().map(|of_row| of_row[first[class as usize]]).sum::<f64>();
    let mut classes: Vec<(f64, u32)> = (0..first.len() as u32).map(|class| (breadth(class), class)).collect();
    classes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    // Equal rows fit the same class, so each is looked up once.
    let alike = Classes::new(rows, quasi())?;
    let class_of = |row: &usize| {
        let fits = |class: u32| covers.iter().all(|cover| cover.fits(first[class as usize], *row));
        classes.iter().map(|(_, class)| *class).find(|class| fits(*class))
    };
    let found: Vec<Option<u32>> = alike.first.par_iter().map(class_of).collect();
    Ok(alike.of_row.iter().map(|alike| found[*alike as usize]).collect())
}
