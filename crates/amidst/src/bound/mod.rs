//! The certificate: how far a release is from the best possible one.
//!
//! # Idea
//! A *bound* is a loss that no partition of the records into clusters of at least k can undercut. It is
//! proven without knowing the best partition. If a release loses L and the bound is B, the release loses at
//! most (L − B) / B more than the best possible one. Constraints besides the cluster size can only raise
//! the least possible loss, so the bound holds with them, too.
//!
//! The measure must be a sum over the columns ([`Measure::part`](crate::cost::Measure::part)) and must not
//! fall when closures grow.
//!
//! # Steps
//! There are four bounds, each with a proof in its module, from weak and quick to strong:
//!
//! - `nearest`: a record's cluster costs at least what the record and its (k − 1)-th nearest neighbour cost
//!   together.
//! - `cheapest`: a record's cluster costs at least as much as the cheapest closure that covers the record
//!   and at least k records.
//! - `lagrangian`: records have prices, and no cluster costs less than the prices of its records. It starts
//!   from `cheapest`.
//! - `prices`: the same, proven record by record, for tables with ranges or sets. It starts from `nearest`.
//!
//! `nearest` and `prices` find the neighbours of a record with an `index`.
//!
//! `cheapest` and `lagrangian` look at all closures of the table, in a depth-first `search` that skips what
//! cannot matter. If that is too much work, the columns are divided into groups, as if each group could
//! have a partition of its own. The loss of a cluster is the sum over the groups, so the bounds of the
//! groups may be added.
//!
//! Ranges and sets have far too many closures for that. There `initial_prices` are tested one by one: a
//! `record_search` decides whether any closure of a record can have prices that exceed its cost, with a
//! bound by `nested` choices around a `hull`. Values may be merged into cells (`closures`); this gives a
//! table whose best release certainly loses less.
//!
//! # Time
//! Every step can be stopped by a clock ([`watch`]), and leaves what is proven then: bounds of the records that were looked at,
//! and quick ones for the others. So a proof begins with what is quick, and each step has a share of the time that is left. Without a
//! clock, counted work limits the proof, and the bound is the same on every machine.
//!
//! # Example
//! ```text
//! amidst bound patients.csv --quasi age,zip --k 5
//! ```

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
mod watch;

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::problem::Problem;
use crate::progress::Progress;
use crate::usage;
use closures::{Cost, Family, Units, is_tree};
use index::Index;
use initial_prices::InitialPrices;
use search::{Budget, Records};
use watch::{Clock, Watch};

/// A loss that no partition undercuts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Bound {
    /// The loss.
    pub loss: f64,
    /// How it was found.
    #[serde(serialize_with = "text")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub method: Method,
    /// False if the clock ended the proof. The bound is proven all the same, but more time may raise it, and another machine may
    /// find another one.
    pub complete: bool,
}

/// How a bound was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// By multipliers over all closures.
    Lagrangian(Relaxation),
    /// By the cheapest closure around each record.
    Cheapest,
    /// By the nearest neighbours of each record.
    Nearest,
}

/// What was relaxed to make the search feasible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relaxation {
    /// Nothing: all closures of the table were considered.
    None,
    /// Values were merged into cells.
    Coarser,
    /// The columns were divided into this many groups.
    Groups(usize),
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Lagrangian(Relaxation::None) => f.write_str("Lagrangian over all closures"),
            Method::Lagrangian(Relaxation::Coarser) => f.write_str("Lagrangian over coarser closures"),
            Method::Lagrangian(Relaxation::Groups(n)) => write!(f, "Lagrangian over {n} groups of columns"),
            Method::Cheapest => f.write_str("cheapest closures"),
            Method::Nearest => f.write_str("nearest neighbours"),
        }
    }
}

fn text<S: serde::Serializer>(method: &Method, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(method)
}

/// How much a proof may take.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The number of tuples that the searches may look at.
    pub work: u64,
    /// When the proof must end, whatever is proven then.
    pub until: Option<Instant>,
}

/// The number of tuples that the searches may look at: about a minute of work.
const MAX_WORK: u64 = 8_000_000_000;

impl Effort {
    /// As much as brings something, on any machine the same.
    pub const FULL: Effort = Effort { work: MAX_WORK, until: None };

    /// As much as can be done until then.
    pub fn until(end: Instant) -> Self {
        Effort { until: Some(end), ..Self::FULL }
    }
}

/// The work of settling records one by one, as a multiple of that.
const SETTLING_WORK_FACTOR: u64 = 3;

/// About how long a proof with [`Effort::FULL`] will take if nothing else is running, in seconds, by a short proof for some of the records; `None`
/// if there is no bound.
///
/// Where all columns are trees, a proof takes about as long as there are records. Other tables use up the work that is allowed: on 1,000 rows of
/// Adult 28 processor seconds, on all of its rows about 100, and on 665,800 census rows about 300. With a hundredth of the work, 1,000 rows take a
/// sixteenth of the time, because not all of it is searching.
pub fn seconds(problem: &Problem, progress: Progress) -> Result<Option<f64>> {
    const ROWS: usize = 1_000;
    const PART: u64 = 100;
    const TIMES_AS_LONG: f64 = 16.0;
    const GROWTH_OF_TREES: f64 = 0.95;
    const GROWTH: f64 = 0.35;
    let rows = problem.rows();
    let fewer = rows.min(problem.min_size().max(ROWS));
    // Records that are next to each other in the file are often alike.
    let some: Vec<u32> = (0..fewer).map(|place| (place * rows / fewer) as u32).collect();
    let encoded = Arc::new(problem.encoded.select(&some));
    let trees = encoded.domains().iter().all(is_tree);
    let Some(units) = Units::new(&*problem.measure, &encoded) else { return Ok(None) };
    let (k, work) = (problem.min_size() as u64, if trees { MAX_WORK } else { MAX_WORK / PART });
    let (begun, processor) = (Instant::now(), usage::cpu_seconds());
    Table { encoded: &encoded, units: &units, k, work, watch: Watch::new(progress, None, &|_| ())? }.bound()?;
    let threads = rayon::current_num_threads() as f64;
    let processor = usage::cpu_seconds().zip(processor).map(|(end, begin)| (end - begin) / threads);
    let (took, times) = (processor.unwrap_or_else(|| begun.elapsed().as_secs_f64()), rows as f64 / fewer.max(1) as f64);
    Ok(Some(if trees { took * times.powf(GROWTH_OF_TREES) } else { took * TIMES_AS_LONG * times.powf(GROWTH) }))
}

/// The best bound that this effort finds. `raised` is called with every better loss on the way.
pub fn bound(problem: &Problem, effort: Effort, raised: &(dyn Fn(f64) + Sync), progress: Progress) -> Result<Bound> {
    let Some(units) = Units::new(&*problem.measure, &problem.encoded) else {
        return Err(Error::NoBound(
            "the objective is no sum over the columns, or it can fall when closures grow; \
             lm, ncp, height, byun, weighted-levels and mi have a bound"
                .to_owned(),
        ));
    };
    let rows = problem.rows();
    let fixed = problem.measure.records(rows);
    let loss = |sum: i64| problem.measure.table(units.loss(sum) - fixed, rows);
    let clock = effort.until.map(Clock::new);
    let highest = AtomicI64::new(0);
    let raised = |sum: i64| {
        if highest.fetch_max(sum, Ordering::Relaxed) < sum {
            raised(loss(sum));
        }
    };
    let watch = Watch::new(progress, clock.as_ref(), &raised)?;
    let k = problem.min_size() as u64;
    let table = Table { encoded: &problem.encoded, units: &units, k, work: effort.work, watch };
    let (sum, method) = table.bound()?;
    watch.advance(0)?; // an interrupted search is no bound that somebody waits for
    Ok(Bound { loss: loss(sum), method, complete: !clock.is_some_and(|clock| clock.limited()) })
}

/// A table to bound, and the work and time allowed for it.
struct Table<'a> {
    encoded: &'a Encoded,
    units: &'a Units<'a>,
    k: u64,
    work: u64,
    watch: Watch<'a>,
}

/// The bound of a table whose columns are divided into groups.
struct Grouped {
    sum: i64,
    method: Method,
    /// Whether the search of closures came to its end in every group.
    exact: bool,
}

/// The share of the time for the nearest neighbours, and that of the rest for closures that make first prices.
const NEAREST_SHARE: f64 = 0.4;
const FIRST_PRICES_SHARE: f64 = 0.2;

/// The share of the time for the cheapest closures, unless multipliers follow in it.
const CHEAPEST_SHARE: f64 = 0.4;

impl Table<'_> {
    /// The bound as a sum over all records.
    fn bound(&self) -> Result<(i64, Method)> {
        let mut best = (0, Method::Nearest);
        let trees = self.encoded.domains().iter().all(is_tree);
        if trees {
            for groups in 1..=self.encoded.domains().len() {
                let Grouped { sum, method, exact } = self.by_groups(groups, best.0)?;
                if exact {
                    return Ok(if sum >= best.0 { (sum, method) } else { best });
                }
                if self.watch.is_timed() && sum > best.0 {
                    best = (sum, method);
                }
                if self.watch.is_over() {
                    return Ok(best);
                }
            }
        }
        let watch = self.watch.with_share(NEAREST_SHARE);
        let near = nearest::nearest(self.encoded, self.units, self.k, self.work, watch)?;
        let weight = |t: usize| self.encoded.rows_of(t as u32).len() as i64;
        let sum: i64 = near.iter().enumerate().map(|(t, cost)| cost * weight(t)).sum();
        if sum > best.0 {
            best = (sum, Method::Nearest);
        }
        self.watch.raised(best.0);
        if trees || self.watch.is_over() {
            return Ok(best);
        }
        let (raised, relaxation) = self.priced(near)?;
        Ok(if raised > best.0 { (raised, Method::Lagrangian(relaxation)) } else { best })
    }

    /// The sum of the bounds of `groups` groups of columns. `best` is the best bound so far.
    fn by_groups(&self, groups: usize, best: i64) -> Result<Grouped> {
        let mut columns = self.columns();
        let per_group = columns.len().div_ceil(groups);
        let (mut sum, mut raised, mut exact, mut left) = (0, false, true, groups as f64);
        while !columns.is_empty() {
            let rest = columns.split_off(per_group.min(columns.len()));
            let (families, cells): (Vec<_>, Vec<_>) = std::mem::replace(&mut columns, rest).into_iter().unzip();
            let records = self.records(&families, cells).distinct(&mut vec![0; self.encoded.tuples()]);
            // Bounds of groups may be added, and all of them are at least 0.
            let so_far = |of_group: i64| self.watch.raised((sum + of_group).max(best));
            let watch = self.watch.with_share(1.0 / left).heard_by(&so_far);
            let budget = Budget::new(self.work / 4, watch.with_share(CHEAPEST_SHARE));
            let start = cheapest::least(&records, &budget)?;
            let of_start = records.total(&start.costs);
            exact &= start.exact;
            if !exact && !self.watch.is_timed() {
                break;
            }
            // Multipliers need all closures. Without them, more groups are the better use of the time.
            let of_group =
                if start.exact { lagrangian::raise(&records, start.costs, self.work, watch)? } else { of_start };
            raised |= of_group > of_start;
            sum += of_group;
            left -= 1.0;
        }
        let relaxation = if groups == 1 { Relaxation::None } else { Relaxation::Groups(groups) };
        let method = if raised || groups > 1 { Method::Lagrangian(relaxation) } else { Method::Cheapest };
        Ok(Grouped { sum, method, exact })
    }

    /// The bound by prices. `near` is what each tuple costs at least. Columns that do not fit into a key
    /// are left out, so they cost nothing.
    fn priced(&self, mut near: Vec<Cost>) -> Result<(i64, Relaxation)> {
        let mut exact = self.encoded.domains().iter().all(|domain| self.units.is_exact(domain));
        let (mut families, mut cells): (Vec<_>, Vec<_>) = self.columns().into_iter().unzip();
        while families.iter().map(record_search::bits).sum::<u32>() > record_search::KEY_BITS {
            families.pop();
            cells.pop();
            exact = false;
        }
        let records = self.records(&families, cells).distinct(&mut near);
        let index = Index::new(&records);
        let watch = self.watch.with_share(FIRST_PRICES_SHARE);
        let mut start = InitialPrices::new(&index, &near, &Budget::new(self.work, watch))?;
        let budget = Budget::new(SETTLING_WORK_FACTOR * self.work, self.watch);
        let sum = prices::bound(&index, &mut start, &near, &budget)?;
        Ok((sum, if exact { Relaxation::None } else { Relaxation::Coarser }))
    }

    /// The family of each column, and the cell of each tuple in it.
    fn columns(&self) -> Vec<(Family, Vec<u32>)> {
        let columns = 0..self.encoded.domains().len();
        let mut columns: Vec<_> = columns.map(|c| Family::new(self.units, self.encoded, c)).collect();
        // First come the columns whose first step costs most, and those with many values, of which few are
        // shared by k records. So the search soon knows what a closure costs.
        columns.sort_by_key(|(family, _)| Reverse((family.first_step(), family.cells())));
        columns
    }

    fn records<'f>(&self, families: &'f [Family], cells: Vec<Vec<u32>>) -> Records<'f> {
        let weights = (0..self.encoded.tuples() as u32).map(|t| self.encoded.rows_of(t).len() as u32).collect();
        Records { families, cells, weights, k: self.k }
    }
}
