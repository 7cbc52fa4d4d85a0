//! The nearest neighbours of each record.
//!
//! **Bound.** The distance of two records is the cost of the closure of both. Equal records are neighbours,
//! too. A record shares its cluster with at least k − 1 others, and one of them is no nearer than its (k −
//! 1)-th nearest neighbour. The closure of the cluster covers both, and costs do not fall when closures
//! grow. So the record loses at least that distance.
//!
//! This is weaker than the [cheapest closure](super::cheapest), but needs little work if records have near
//! neighbours, thanks to an [index](super::index). If the search for a record takes too much work, it
//! stops, and the distance it has reached counts: no record that it has not seen is nearer.

use rayon::prelude::*;

use super::closures::{Cost, Units};
use super::index::{Index, Query, Space};
use super::watch::Watch;
use crate::encode::Encoded;
use crate::error::Result;

/// What each tuple costs at least. When the time is up, the other tuples count with what they cost alone.
pub(super) fn nearest(encoded: &Encoded, units: &Units, k: u64, work: u64, watch: Watch) -> Result<Vec<Cost>> {
    let table = Table { encoded, units };
    watch.begin(table.tuples() as u64)?;
    let index = Index::new(&table);
    let most = work / (table.tuples() * table.columns()).max(1) as u64;
    let cost = |query: &mut Query, t: u32| {
        let alone = u64::from(table.weight(t)) >= k || watch.is_over();
        (t, if alone { table.alone(t) } else { index.within(t, k, most, query) })
    };
    let found: Vec<Vec<(u32, Cost)>> = index
        .tuples()
        .par_chunks(64)
        .map_init(Query::default, |query, chunk| {
            watch.advance(chunk.len() as u64)?;
            Ok(chunk.iter().map(|t| cost(query, *t)).collect())
        })
        .collect::<Result<_>>()?;
    let mut costs = vec![0; table.tuples()];
    found.into_iter().flatten().for_each(|(t, cost)| costs[t as usize] = cost);
    Ok(costs)
}

/// The codes of a table.
struct Table<'a> {
    encoded: &'a Encoded,
    units: &'a Units<'a>,
}

impl Table<'_> {
    /// What a tuple costs alone.
    fn alone(&self, tuple: u32) -> Cost {
        let codes = self.encoded.tuple(tuple).iter().enumerate();
        codes.map(|(column, code)| self.pair(column, *code, *code)).sum()
    }
}

impl Space for Table<'_> {
    fn tuples(&self) -> usize {
        self.encoded.tuples()
    }

    fn columns(&self) -> usize {
        self.encoded.domains().len()
    }

    fn values(&self, column: usize) -> usize {
        self.encoded.domains()[column].len()
    }

    fn is_set(&self, column: usize) -> bool {
        self.encoded.domains()[column].is_set()
    }

    fn value(&self, tuple: u32, column: usize) -> u32 {
        self.encoded.tuple(tuple)[column]
    }

    fn weight(&self, tuple: u32) -> u32 {
        self.encoded.rows_of(tuple).len() as u32
    }

    fn pair(&self, column: usize, a: u32, b: u32) -> Cost {
        let domain = &self.encoded.domains()[column];
        self.units.part(column, domain.join(domain.span(a), domain.span(b)))
    }
}
