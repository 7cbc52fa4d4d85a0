//! Which class of a release a new record fits.

use rayon::prelude::*;

use super::Published;
use super::cover::{Cover, Fits};
use crate::encode::Encoded;
use crate::error::Result;
use crate::read::Table;
use crate::schema::Schema;

/// For each row of `rows` the class of a release whose cells cover it; of several the one that leaves open least. Depends on nothing but
/// the quasi-identifiers of the row. `None` where no class covers it.
pub fn newcomers(
    rows: &Table,
    schema: &Schema,
    encoded: &Encoded,
    missing: &[String],
    release: &Published,
) -> Result<Vec<Option<u32>>> {
    let covers = schema
        .quasi
        .iter()
        .map(|quasi| Cover::of(rows, encoded, &release.table, missing, quasi))
        .collect::<Result<Vec<_>>>()?;
    let breadths: Vec<Vec<f64>> = covers.iter().map(Cover::breadths).collect();
    let first = &release.classes.first;
    let breadth = |class: u32| breadths.iter().map(|of_row| of_row[first[class as usize]]).sum::<f64>();
    let mut classes: Vec<(f64, u32)> = (0..first.len() as u32).map(|class| (breadth(class), class)).collect();
    classes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let class_of = |tuple: u32| {
        let row = encoded.rows_of(tuple)[0] as usize;
        let fits = |class: u32| covers.iter().all(|cover| cover.fits(first[class as usize], row));
        classes.iter().map(|(_, class)| *class).find(|class| fits(*class))
    };
    let of_tuple: Vec<Option<u32>> = (0..encoded.tuples() as u32).into_par_iter().map(class_of).collect();
    Ok((0..encoded.rows() as u32).map(|row| of_tuple[encoded.tuple_of(row) as usize]).collect())
}
