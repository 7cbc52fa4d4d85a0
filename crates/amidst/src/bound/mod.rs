//! The certificate: how far a release is from the best there can be.
//!
//! A *bound* is a loss that no partition of the records into clusters of at least k can undercut, proven without knowing the
//! best partition. A release that loses L where the bound is B loses at most (L − B) / B more than the best possible one.
//! Constraints beside the cluster size only make the best possible worse, so the bound holds with them, too.
//!
//! It takes a measure that is a sum over the columns ([`Measure::part`]) and does not fall as closures grow. There are three
//! bounds, each with its proof in its module, from weak and quick to strong:
//!
//! - [`nearest`]: a record's cluster costs at least what the record and its (k − 1)-th nearest neighbour cost together;
//! - [`cheapest`]: ... at least the cheapest closure that covers the record and k records in all;
//! - [`lagrangian`]: records have prices that no cluster can afford to undercut. It starts from the second.
//!
//! The last two look at all closures of the table, by a depth-first [`search`] that leaves out what cannot matter. Where that is
//! too much work, the table is *relaxed* to one whose best release loses less for sure and that has fewer closures: values
//! are [put together](family), or the columns are parted in groups, as if each group could have a partition of its own.
//! A cluster loses the sum over the groups, so the bounds of the groups may be added.

mod cheapest;
mod family;
mod lagrangian;
mod nearest;
mod search;

use std::cmp::Reverse;
use std::fmt;

use serde::Serialize;

use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::progress::Progress;
use family::{Family, Grain, Units};
use search::{Budget, Records};

#[cfg(doc)]
use crate::cost::Measure;

/// A loss that no partition undercuts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bound {
    /// The loss.
    pub loss: f64,
    /// How it was found.
    #[serde(serialize_with = "text")]
    pub method: Method,
}

/// How a bound was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By multipliers over all closures.
    Lagrangian(Relaxation),
    /// By each record's nearest neighbours; of all records, or of a part of them.
    Nearest {
        /// Whether every record was looked at.
        all: bool,
    },
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
            Method::Nearest { all: true } => f.write_str("nearest neighbours"),
            Method::Nearest { all: false } => f.write_str("nearest neighbours of a part of the records"),
        }
    }
}

fn text<S: serde::Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(method)
}

/// How many tuples a search may look at: some seconds.
const WORK: u64 = 3_000_000_000;

/// The best bound that can be had in reasonable time.
pub fn best(problem: &Problem, progress: Progress) -> Result<Bound> {
    bound(problem, WORK, progress)
}

/// The best bound that takes no search longer than `work`.
pub fn bound(problem: &Problem, work: u64, progress: Progress) -> Result<Bound> {
    let encoded = &problem.encoded;
    let Some(units) = Units::new(&*problem.measure, encoded) else {
        return Err(Error::NoBound(
            "the objective is no sum over the columns, or can fall as closures grow; \
             lm, ncp, height, byun, weighted-levels and mi have one"
                .to_owned(),
        ));
    };
    let rows = problem.rows();
    let fixed = problem.measure.records(rows);
    let loss = |sum: i64| problem.measure.table(units.loss(sum) - fixed, rows);
    let k = problem.min_size() as u64;
    let mut best: Option<Bound> = None;
    for relaxation in relaxations(encoded) {
        if let Some(sum) = relaxation.bound(encoded, &units, k, work, progress)? {
            best = Some(Bound { loss: loss(sum), method: Method::Lagrangian(relaxation.name) });
            break;
        }
    }
    if !best.is_some_and(|bound| bound.method == Method::Lagrangian(Relaxation::None)) {
        let (sum, all) = nearest::nearest(encoded, &units, k, 2 * work, progress)?;
        let other = Bound { loss: loss(sum), method: Method::Nearest { all } };
        best = best.filter(|bound| bound.loss >= other.loss).or(Some(other));
    }
    best.ok_or_else(|| Error::NoBound("there is nothing to bound".to_owned()))
}

/// A table that loses less and has fewer closures.
struct Relaxed {
    name: Relaxation,
    grain: Grain,
    groups: usize,
}

/// From none to strong.
fn relaxations(encoded: &Encoded) -> Vec<Relaxed> {
    let fine = Grain { ranges: 128, set: 5, cells: 16 };
    let domains = encoded.domains();
    let exact = |d: &crate::encode::Domain| {
        if d.is_set() {
            d.len() <= fine.set as usize + 1
        } else {
            d.extent(d.everything()).is_none() || d.len() <= fine.ranges
        }
    };
    let name = if domains.iter().all(exact) { Relaxation::None } else { Relaxation::Coarser };
    let mut all = vec![Relaxed { name, grain: fine, groups: 1 }];
    if domains.iter().any(|d| d.is_set() || d.extent(d.everything()).is_some()) {
        for (ranges, set, cells) in [(24, 2, 8), (12, 1, 5)] {
            all.push(Relaxed { name: Relaxation::Coarser, grain: Grain { ranges, set, cells }, groups: 1 });
        }
    }
    for groups in 2..=domains.len() {
        all.push(Relaxed { name: Relaxation::Groups(groups), grain: fine, groups });
    }
    all
}

impl Relaxed {
    /// The bound as a sum over all records; `None` where it is too much work.
    fn bound(&self, encoded: &Encoded, units: &Units, k: u64, work: u64, progress: Progress) -> Result<Option<i64>> {
        let columns = 0..encoded.domains().len();
        let mut columns: Vec<_> = columns.map(|c| Family::new(units, encoded, c, self.grain)).collect();
        // Columns of many values first: few of those are shared by k records, so the search soon knows what they cost.
        columns.sort_by_key(|(family, _)| Reverse(family.len()));
        let per_group = columns.len().div_ceil(self.groups);
        let mut sum = 0;
        while !columns.is_empty() {
            let rest = columns.split_off(per_group.min(columns.len()));
            let (families, cells): (Vec<_>, Vec<_>) = std::mem::replace(&mut columns, rest).into_iter().unzip();
            let weights = (0..encoded.tuples() as u32).map(|t| encoded.rows_of(t).len() as u32).collect();
            let records = Records { families: &families, cells, weights, k }.distinct();
            progress.begin("bounding", 0)?;
            let Some(start) = cheapest::cheapest(&records, &Budget::new(work, progress))? else { return Ok(None) };
            sum += lagrangian::raise(&records, start, work, progress)?;
        }
        Ok(Some(sum))
    }
}
