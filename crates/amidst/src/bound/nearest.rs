//! The nearest neighbours of each record.
//!
//! **Bound.** A record shares its cluster with at least k − 1 others. One of these is no nearer than its (k − 1)-th nearest
//! neighbour, where the distance of two records is the cost of the closure of both; equal records are neighbours,
//! too. The cluster's closure covers both, and costs do not fall as closures grow. So the record loses at least that distance.
//!
//! Weaker than the [cheapest closure](super::cheapest), but the effort is known: n² look-ups per column for n distinct tuples. Where
//! that is too much, only some records are looked at, spread over the table. The others count what they cost alone (mostly
//! nothing), so the bound stays proven but falls with their share.

use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::family::{Cost, Units};
use crate::encode::{Code, Encoded};
use crate::error::Result;
use crate::progress::Progress;

/// The bound as a sum over all records, and whether every record was looked at.
pub(super) fn nearest(
    encoded: &Encoded,
    units: &Units,
    k: u64,
    work: u64,
    progress: Progress,
) -> Result<(Vec<Cost>, bool)> {
    let distances = Distances::new(encoded, units);
    let tuples = encoded.tuples();
    let affordable = (work / distances.effort()).max(1) as usize;
    let every = tuples.div_ceil(affordable);
    progress.begin("bounding", tuples as u64)?;
    let all: Vec<u32> = (0..tuples as u32).collect();
    let costs: Vec<Vec<Cost>> = all
        .par_chunks(64)
        .map(|chunk| {
            progress.advance(chunk.len() as u64)?;
            let mut from = Vec::new();
            let costs = chunk.iter().map(|t| {
                let weight = distances.weights[*t as usize];
                let alone = u64::from(weight) >= k || !(*t as usize).is_multiple_of(every);
                if alone { distances.alone(*t) } else { distances.nearest(*t, k, &mut from) }
            });
            Ok(costs.collect())
        })
        .collect::<Result<_>>()?;
    Ok((costs.concat(), every == 1))
}

struct Distances<'a> {
    encoded: &'a Encoded,
    units: &'a Units<'a>,
    /// The codes of the tuples, column by column.
    codes: Vec<Vec<Code>>,
    weights: Vec<u32>,
}

impl<'a> Distances<'a> {
    fn new(encoded: &'a Encoded, units: &'a Units) -> Self {
        let tuples = || 0..encoded.tuples() as u32;
        let column = |c: usize| tuples().map(|t| encoded.tuple(t)[c]).collect();
        let codes = (0..encoded.domains().len()).map(column).collect();
        let weights = tuples().map(|t| encoded.rows_of(t).len() as u32).collect();
        Distances { encoded, units, codes, weights }
    }

    /// What looking at one tuple takes: the look-ups, and the costs that have to be asked for.
    fn effort(&self) -> u64 {
        let asked: usize = (0..self.codes.len()).filter(|c| !self.all_or_nothing(*c)).map(|c| self.values(c)).sum();
        (self.weights.len() * self.codes.len() + 20 * asked) as u64
    }

    fn values(&self, column: usize) -> usize {
        self.encoded.domains()[column].len()
    }

    /// True where two different values are as far apart as any two others.
    fn all_or_nothing(&self, column: usize) -> bool {
        let domain = &self.encoded.domains()[column];
        domain.hierarchy().is_none() && !domain.is_set() && domain.extent(domain.everything()).is_none()
    }

    /// What a record costs alone.
    fn alone(&self, tuple: u32) -> Cost {
        let codes = self.encoded.tuple(tuple).iter().zip(self.encoded.domains()).enumerate();
        codes.map(|(column, (code, domain))| self.units.part(column, domain.span(*code))).sum()
    }

    /// What each value of a column costs together with `code`.
    fn row(&self, column: usize, code: Code) -> Vec<Cost> {
        let domain = &self.encoded.domains()[column];
        let with = |other: Code| self.units.part(column, domain.join(domain.span(code), domain.span(other)));
        if self.all_or_nothing(column) {
            let mut row = vec![self.units.part(column, domain.everything()); domain.len()];
            row[code as usize] = with(code);
            return row;
        }
        (0..domain.len() as Code).map(with).collect()
    }

    /// The distance within which a tuple has k records, itself among them.
    fn nearest(&self, tuple: u32, k: u64, from: &mut Vec<Cost>) -> Cost {
        from.clear();
        from.resize(self.weights.len(), 0);
        for (column, codes) in self.codes.iter().enumerate() {
            let row = self.row(column, codes[tuple as usize]);
            from.iter_mut().zip(codes).for_each(|(sum, code)| *sum += row[*code as usize]);
        }
        // The nearest, the farthest of them on top: k records, and not one tuple more than that takes.
        let mut near: BinaryHeap<(Cost, u32)> = BinaryHeap::new();
        let mut size = 0;
        for (distance, weight) in from.iter().zip(&self.weights) {
            if size >= k && near.peek().is_some_and(|farthest| *distance >= farthest.0) {
                continue;
            }
            near.push((*distance, *weight));
            size += u64::from(*weight);
            while let Some((_, weight)) = near.peek()
                && size - u64::from(*weight) >= k
            {
                size -= u64::from(*weight);
                near.pop();
            }
        }
        near.peek().map_or(0, |farthest| farthest.0)
    }
}
