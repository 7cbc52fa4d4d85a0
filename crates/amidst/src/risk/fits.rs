//! The number of people of a population who fit each class of a table.
//!
//! A cell of an original covers its own value. A generalized cell covers all values that it stands for. Classes of a release may overlap,
//! so a person may fit several of them. The journalist does not know which class a person is in and counts everybody who fits.
//!
//! Complexity: O(p c) for p distinct records of the population and c classes in the worst case; an index of the classes excludes most of them.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::encode::{Encoded, Span};
use crate::error::{Error, Result};
use crate::measure::{Cover, Piece, closure};
use crate::progress::Progress;
use crate::read::Table;
use crate::schema::Schema;
use crate::verify::Classes;

/// The number of distinct records that one parallel task looks at.
const TUPLES_PER_TASK: usize = 1 << 12;

/// A class and the number of people who fit it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// The number of records of the class.
    pub records: usize,
    /// The number of people of the population whose values the class covers.
    pub people: usize,
}

/// Counts the people of a population who fit each class of `table`. The schema says what the cells mean.
pub fn fits(
    table: &Table,
    classes: &Classes,
    population: &Encoded,
    schema: &Schema,
    progress: Progress,
) -> Result<Vec<Fit>> {
    let domains = population.domains();
    let mut closures: Vec<Option<Vec<Span>>> = vec![Some(Vec::with_capacity(domains.len())); classes.sizes.len()];
    for (quasi, domain) in schema.quasi.iter().zip(domains) {
        let cells = table.cells(&quasi.name, &classes.first)?;
        let mut known: FxHashMap<&str, Option<Span>> = FxHashMap::default();
        for (cell, of_class) in cells.iter().zip(&mut closures) {
            let span = *known.entry(cell).or_insert_with(|| closure(domain, quasi, cell));
            // A class with a value that nobody in the population has fits nobody.
            match (span, &mut *of_class) {
                (Some(span), Some(spans)) => spans.push(span),
                _ => *of_class = None,
            }
        }
    }
    let mut of_piece = Vec::new();
    let mut pieces = Vec::new();
    for (class, spans) in closures.into_iter().enumerate() {
        let Some(closure) = spans else { continue };
        of_piece.push(class);
        pieces.push(Piece { size: classes.sizes[class], closure, class: class as u32, shown: Vec::new() });
    }
    let counted = count(&pieces, population, progress)?;
    let mut fits: Vec<Fit> = classes.sizes.iter().map(|size| Fit { records: *size, people: 0 }).collect();
    of_piece.iter().zip(counted).for_each(|(class, people)| fits[*class].people = people);
    Ok(fits)
}

/// The number of people who fit each piece.
fn count(pieces: &[Piece], population: &Encoded, progress: Progress) -> Result<Vec<usize>> {
    let tuples = population.tuples();
    progress.begin("counting", tuples as u64)?;
    let cover = Cover::new(population, pieces);
    let chunks: Vec<usize> = (0..tuples).step_by(TUPLES_PER_TASK).collect();
    let each = || chunks.par_iter().map(|from| *from..(from + TUPLES_PER_TASK).min(tuples));
    let counted = each().try_fold(
        || vec![0_usize; pieces.len()],
        |mut people, range| {
            progress.advance(range.len() as u64)?;
            for tuple in range {
                let rows = population.rows_of(tuple as u32).len();
                cover.covering(population.tuple(tuple as u32), |piece| people[piece] += rows);
            }
            Ok::<_, Error>(people)
        },
    );
    let sum = |mut one: Vec<usize>, other: Vec<usize>| {
        one.iter_mut().zip(other).for_each(|(one, other)| *one += other);
        Ok(one)
    };
    counted.try_reduce(|| vec![0; pieces.len()], sum)
}
