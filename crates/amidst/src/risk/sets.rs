//! Small sets of columns that single out many records.
//!
//! An adversary need not know all quasi-identifiers. So all single columns, pairs and triples are tried if that takes only seconds. For larger
//! sets, a beam search adds every column to the worst few sets of each size. A beam search may miss a worse set; [`Sets::complete`] is the
//! size up to which all sets were tried. All records are used, because a sample has a larger share of records that are alone.
//!
//! If the table says whose its records are, persons are counted. A set singles out a person if some record of the person has values in these
//! columns that no record of anybody else has.
//!
//! Complexity: O(m³ n) for m columns and n records if all triples are tried.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::columns::CodedColumn;
use super::grouping::{Grouping, Marks};
use crate::error::Result;
use crate::progress::Progress;

/// The most records to look at when all sets of a size are tried. This takes a few seconds.
const MAX_RECORDS_LOOKED_AT: usize = 400_000_000;

/// The most columns in a set.
const MAX_COLUMNS: usize = 5;

/// The number of sets of each size that the beam search extends.
const BEAM_WIDTH: usize = 4;

/// The most sets of each size in the report.
const MAX_SETS_SHOWN: usize = 3;

/// A set of columns that singles out records.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SetRisk {
    /// The columns.
    pub columns: Vec<String>,
    /// The share of the records that are alone with their values in these columns, or of the persons with a record whose values in these
    /// columns nobody else has.
    pub uniques: f64,
}

/// The number of records or persons that each set of columns makes alone, for all sets that were tried.
#[derive(Debug)]
pub struct Sets<'a> {
    names: Vec<String>,
    rows: usize,
    persons: Option<&'a [u32]>,
    /// The number of records, or of persons if they are counted.
    pub counted: usize,
    alone: FxHashMap<Vec<u32>, usize>,
    /// All sets of up to this size were tried.
    pub complete: usize,
}

impl<'a> Sets<'a> {
    /// Tries sets of these columns. `persons` says whose each record is, if persons are counted.
    pub fn new(columns: &[CodedColumn], persons: Option<&'a [u32]>, progress: Progress) -> Result<Self> {
        let rows = columns.first().map_or(0, |column| column.codes.len());
        let n = columns.len();
        let names = columns.iter().map(|column| column.name.clone()).collect();
        let counted = persons.map_or(rows, |of| of.iter().collect::<FxHashSet<_>>().len());
        let mut sets = Sets { names, rows, persons, counted, alone: FxHashMap::default(), complete: n.min(1) };
        let affordable = |sets: usize| sets.saturating_mul(rows) <= MAX_RECORDS_LOOKED_AT;
        let pairs = n * n.saturating_sub(1) / 2;
        let triples = pairs.saturating_mul(n.saturating_sub(2)) / 3;
        sets.complete = match (affordable(pairs), affordable(triples)) {
            (true, true) => n.min(3),
            (true, false) => n.min(2),
            _ => n.min(1),
        };
        let tried = [n, pairs, triples][..sets.complete.max(1)].iter().sum::<usize>();
        progress.begin("trying sets", tried as u64)?;
        let exhaustive = (0..n).into_par_iter().map(|first| sets.from(columns, first, progress));
        for found in exhaustive.collect::<Result<Vec<_>>>()? {
            sets.alone.extend(found);
        }
        for size in sets.complete + 1..=MAX_COLUMNS.min(n) {
            let found = sets.extended(columns, size, progress)?;
            sets.alone.extend(found);
        }
        Ok(sets)
    }

    /// Tries all sets that begin with column `first`, of the sizes that are tried completely.
    fn from(&self, columns: &[CodedColumn], first: usize, progress: Progress) -> Result<Vec<(Vec<u32>, usize)>> {
        let key = |places: &[usize]| places.iter().map(|place| *place as u32).collect::<Vec<_>>();
        let one = Grouping::all(self.rows, self.persons).with(&columns[first]);
        let mut found = vec![(key(&[first]), one.alone())];
        progress.advance(1)?;
        if self.complete < 2 {
            return Ok(found);
        }
        let seconds = (first + 1..columns.len()).into_par_iter().map(|second| {
            let mut marks = Marks::default();
            if self.complete < 3 {
                progress.advance(1)?;
                return Ok(vec![(key(&[first, second]), one.alone_with(&columns[second], &mut marks))]);
            }
            let two = one.with(&columns[second]);
            let mut found = vec![(key(&[first, second]), two.alone())];
            for (third, column) in columns.iter().enumerate().skip(second + 1) {
                found.push((key(&[first, second, third]), two.alone_with(column, &mut marks)));
            }
            progress.advance(found.len() as u64)?;
            Ok(found)
        });
        found.extend(seconds.collect::<Result<Vec<_>>>()?.into_iter().flatten());
        Ok(found)
    }

    /// Tries the worst sets of one column less, each with every other column.
    fn extended(&self, columns: &[CodedColumn], size: usize, progress: Progress) -> Result<Vec<(Vec<u32>, usize)>> {
        let beam = self.worst(size - 1, BEAM_WIDTH);
        progress.begin("trying sets", (beam.len() * columns.len()) as u64)?;
        let mut tried: FxHashSet<Vec<u32>> = FxHashSet::default();
        let mut found = Vec::new();
        for (set, _) in beam {
            let groups =
                set.iter().fold(Grouping::all(self.rows, self.persons), |g, place| g.with(&columns[*place as usize]));
            let mut todo = Vec::new();
            for place in (0..columns.len() as u32).filter(|place| !set.contains(place)) {
                let mut larger = set.clone();
                larger.push(place);
                larger.sort_unstable();
                if tried.insert(larger.clone()) {
                    todo.push((larger, place));
                }
            }
            let alone = todo.into_par_iter().map(|(larger, place)| {
                progress.advance(1)?;
                Ok((larger, groups.alone_with(&columns[place as usize], &mut Marks::default())))
            });
            found.extend(alone.collect::<Result<Vec<_>>>()?);
        }
        Ok(found)
    }

    /// The sets of a size that make most records alone. The places of the columns break ties, so that the answer is deterministic.
    fn worst(&self, size: usize, most: usize) -> Vec<(Vec<u32>, usize)> {
        let of_size = self.alone.iter().filter(|(set, _)| set.len() == size);
        let mut sets: Vec<_> = of_size.map(|(set, alone)| (set.clone(), *alone)).collect();
        sets.sort_by(|(a, alone), (b, other)| other.cmp(alone).then_with(|| a.cmp(b)));
        sets.truncate(most);
        sets
    }

    /// The worst sets of each size, up to the size that singles out no more records than the one before.
    pub fn told(&self) -> Vec<SetRisk> {
        let mut told = Vec::new();
        let mut most = 0;
        for size in 1..=MAX_COLUMNS {
            let worst = self.worst(size, MAX_SETS_SHOWN);
            let alone = worst.first().map_or(0, |(_, alone)| *alone);
            if size > 1 && alone <= most {
                break;
            }
            most = alone;
            told.extend(worst.into_iter().filter(|(_, alone)| *alone > 0).map(|(set, alone)| SetRisk {
                columns: set.iter().map(|place| self.names[*place as usize].clone()).collect(),
                uniques: alone as f64 / self.counted.max(1) as f64,
            }));
        }
        told
    }

    /// The most records or persons that a column makes alone when it is added to none, one or two of the others.
    pub fn most_added(&self, column: usize) -> usize {
        let place = column as u32;
        let with = self.alone.iter().filter(|(set, _)| set.len() <= 3 && set.contains(&place));
        let added = with.filter_map(|(set, alone)| {
            let without: Vec<u32> = set.iter().copied().filter(|other| *other != place).collect();
            let before = if without.is_empty() { Some(0) } else { self.alone.get(&without).copied() };
            before.map(|before| alone.saturating_sub(before))
        });
        added.max().unwrap_or(0)
    }

    /// The number of records or persons that a set makes alone, if it was tried.
    #[cfg(feature = "internals")]
    pub fn alone(&self, columns: &[&str]) -> Option<usize> {
        let place = |name: &&str| self.names.iter().position(|other| other == name).map(|place| place as u32);
        let mut set = columns.iter().map(place).collect::<Option<Vec<_>>>()?;
        set.sort_unstable();
        self.alone.get(&set).copied()
    }
}
