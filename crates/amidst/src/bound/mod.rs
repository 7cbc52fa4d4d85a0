//! The certificate: how far a release is from the best there can be.
//!
//! A *bound* is a loss that no partition of the records into clusters of at least k can undercut, proven without knowing the
//! best partition. A release that loses L where the bound is B loses at most (L − B) / B more than the best possible one.
//! Constraints beside the cluster size only make the best possible worse, so the bound holds with them, too.
//!
//! It takes a measure that is a sum over the columns ([`Measure::part`](crate::cost::Measure::part)) and does not fall as closures grow. There are four
//! bounds, each with its proof in its module, from weak and quick to strong:
//!
//! - `nearest`: a record's cluster costs at least what the record and its (k − 1)-th nearest neighbour cost together;
//! - `cheapest`: ... at least the cheapest closure that covers the record and k records in all;
//! - `lagrangian`: records have prices that no cluster can afford to undercut. It starts from the second;
//! - `prices`: the same record by record, for tables with ranges or sets. It starts from the first.
//!
//! What is near a record, the first and the last ask an `index`.
//!
//! `cheapest` and `lagrangian` look at all closures of the table, by a depth-first `search` that leaves out what cannot matter. Where that is
//! too much work, the columns are parted in groups, as if each group could have a partition of its own.
//! A cluster loses the sum over the groups, so the bounds of the groups may be added.
//!
//! Ranges and sets have far too many closures for that. There, `initial_prices` are tried one by one: the `record_search` decides whether any
//! closure of it can exceed its cost, by what `nested` choices around a `hull` are worth at most. Values may be put together (`closures`), to a table whose best release loses less for sure.

mod cheapest;
mod closures;
mod hull;
mod index;
mod initial_prices;
mod lagrangian;
mod nearest;
mod nested;
mod prices;
mod record_search;
mod search;

use std::cmp::Reverse;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::progress::Progress;
use closures::{Cost, Family, Units, is_tree};
use index::Index;
use initial_prices::InitialPrices;
use search::{Budget, Records};

/// A loss that no partition undercuts.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct Bound {
    /// The loss.
    pub loss: f64,
    /// How it was found.
    #[serde(serialize_with = "text")]
    #[schemars(with = "String")]
    pub method: Method,
}

/// How a bound was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By multipliers over all closures.
    Lagrangian(Relaxation),
    /// By each record's nearest neighbours.
    Nearest,
}

/// What was relaxed to make the search feasible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relaxation {
    /// Nothing: all closures of the table.
    None,
    /// Values were put together.
    Coarser,
    /// The columns were parted in so many groups.
    Groups(usize),
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Lagrangian(Relaxation::None) => f.write_str("Lagrangian over all closures"),
            Method::Lagrangian(Relaxation::Coarser) => f.write_str("Lagrangian over coarser closures"),
            Method::Lagrangian(Relaxation::Groups(n)) => write!(f, "Lagrangian over {n} groups of columns"),
            Method::Nearest => f.write_str("nearest neighbours"),
        }
    }
}

fn text<S: serde::Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(method)
}

/// How many tuples the searches may look at: about a minute.
const WORK: u64 = 8_000_000_000;

/// How many times that it may be to settle records one by one.
const SETTLING: u64 = 3;

/// The best bound that can be had in reasonable time.
pub fn best(problem: &Problem, progress: Progress) -> Result<Bound> {
    bound(problem, WORK, progress)
}

/// The best bound that takes no more than `work`: so many tuples looked at.
pub fn bound(problem: &Problem, work: u64, progress: Progress) -> Result<Bound> {
    let Some(units) = Units::new(&*problem.measure, &problem.encoded) else {
        return Err(Error::NoBound(
            "the objective is no sum over the columns, or can fall as closures grow; \
             lm, ncp, height, byun, weighted-levels and mi have one"
                .to_owned(),
        ));
    };
    let rows = problem.rows();
    let fixed = problem.measure.records(rows);
    let loss = |sum: i64| problem.measure.table(units.loss(sum) - fixed, rows);
    let table = Table { encoded: &problem.encoded, units: &units, k: problem.min_size() as u64, work, progress };
    let (sum, method) = table.bound()?;
    Ok(Bound { loss: loss(sum), method })
}

/// What is bounded, and at what effort.
struct Table<'a> {
    encoded: &'a Encoded,
    units: &'a Units<'a>,
    k: u64,
    work: u64,
    progress: Progress<'a>,
}

impl Table<'_> {
    /// The bound as a sum over all records.
    fn bound(&self) -> Result<(i64, Method)> {
        let domains = self.encoded.domains();
        if domains.iter().all(is_tree) {
            for groups in 1..=domains.len() {
                if let Some(sum) = self.by_groups(groups)? {
                    let relaxation = if groups == 1 { Relaxation::None } else { Relaxation::Groups(groups) };
                    return Ok((sum, Method::Lagrangian(relaxation)));
                }
            }
        }
        let near = nearest::nearest(self.encoded, self.units, self.k, self.work, self.progress)?;
        let weight = |t: usize| self.encoded.rows_of(t as u32).len() as i64;
        let sum = near.iter().enumerate().map(|(t, cost)| cost * weight(t)).sum();
        if domains.iter().all(is_tree) {
            return Ok((sum, Method::Nearest));
        }
        let (raised, relaxation) = self.priced(near)?;
        Ok(if raised > sum { (raised, Method::Lagrangian(relaxation)) } else { (sum, Method::Nearest) })
    }

    /// The sum of the bounds of so many groups of columns; `None` where that is too much work.
    fn by_groups(&self, groups: usize) -> Result<Option<i64>> {
        let mut columns = self.columns();
        let per_group = columns.len().div_ceil(groups);
        let mut sum = 0;
        while !columns.is_empty() {
            let rest = columns.split_off(per_group.min(columns.len()));
            let (families, cells): (Vec<_>, Vec<_>) = std::mem::replace(&mut columns, rest).into_iter().unzip();
            let records = self.records(&families, cells).distinct(&mut vec![0; self.encoded.tuples()]);
            self.progress.begin("bounding", 0)?;
            let budget = Budget::new(self.work / 4, self.progress);
            let Some(start) = cheapest::cheapest(&records, &budget)? else { return Ok(None) };
            sum += lagrangian::raise(&records, start, self.work, self.progress)?;
        }
        Ok(Some(sum))
    }

    /// The bound by prices for the tuples, given what every one costs at least. Columns that do not fit into a key are left out: they cost nothing.
    fn priced(&self, mut near: Vec<Cost>) -> Result<(i64, Relaxation)> {
        let mut exact = self.encoded.domains().iter().all(|domain| self.units.is_exact(domain));
        let (mut families, mut cells): (Vec<_>, Vec<_>) = self.columns().into_iter().unzip();
        while families.iter().map(record_search::bits).sum::<u32>() > record_search::BITS {
            families.pop();
            cells.pop();
            exact = false;
        }
        let records = self.records(&families, cells).distinct(&mut near);
        let index = Index::new(&records);
        let mut start = InitialPrices::new(&index, &near, &Budget::new(self.work, self.progress))?;
        let budget = Budget::new(SETTLING * self.work, self.progress);
        let sum = prices::bound(&index, &mut start, &near, &budget)?;
        Ok((sum, if exact { Relaxation::None } else { Relaxation::Coarser }))
    }

    /// The families of the columns, and the cell of each tuple in each.
    fn columns(&self) -> Vec<(Family, Vec<u32>)> {
        let columns = 0..self.encoded.domains().len();
        let mut columns: Vec<_> = columns.map(|c| Family::new(self.units, self.encoded, c)).collect();
        // First the columns in which the first step costs most, and those of many values: few of these are shared by k records.
        // So the search soon knows what a closure costs.
        columns.sort_by_key(|(family, _)| Reverse((family.first_step(), family.cells())));
        columns
    }

    fn records<'f>(&self, families: &'f [Family], cells: Vec<Vec<u32>>) -> Records<'f> {
        let weights = (0..self.encoded.tuples() as u32).map(|t| self.encoded.rows_of(t).len() as u32).collect();
        Records { families, cells, weights, k: self.k }
    }
}
