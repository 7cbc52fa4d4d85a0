//! Ring, or non-homogeneous generalization: the records of a cluster stand in a ring, and every row has its
//! own closure.
//!
//! # Idea
//! The records x₁ … x_m of a cluster stand in a ring. The row at place j has as quasi-identifiers the
//! closure of the window x_j … x_{j+w−1}. It carries all other columns of x_{j+c}. The shift c is one
//! secret random number from 0 to w − 1 for the whole ring. So every row covers w records and every record
//! fits w rows. Each of the w shifts gives every record a row of its own, so nobody can tell which of w
//! rows belongs to a person. Windows are smaller than clusters, so less is lost.
//!
//! w is the smallest number from k on for which every window of w neighbours satisfies all constraints. If
//! there is none below m, w is m, and all rows have the closure of the cluster.
//!
//! # What protects
//! Assume that everybody knows the ring, that is, where each record stands. The published columns `group`,
//! `place` and `window` say no more than that. Only c is secret. It stays secret if the ring would have
//! been made the same way for every c. That is so because
//! - without constraints on sensitive values the order looks only at quasi-identifiers, and equal records
//!   stand in random order;
//! - with them (`order=mixed`) the pattern of values depends only on how often each occurs in the cluster,
//!   and it is random which of the records with a value has which of its places. Turning all values along
//!   the ring by any number of places gives a ring that is equally likely;
//! - w is judged by all windows of the ring, which are the same however it is turned.
//!
//! Known weaknesses of the form: whoever learns which row belongs to one person learns the shift of that
//! ring, and with it everybody's row in the ring. And c is one secret for many people, so what is known
//! about all of them adds up: somebody who knows the ring and how sensitive values go with
//! quasi-identifiers can ask which shift fits best, and is right far more often than once in w times.
//!
//! # Choices
//! - `order=mixed` (the default) puts the records into a table with as many columns as the most frequent
//!   value has records. It fills the table row by row, the records of one value after the other, the most
//!   frequent value first. The ring is the table read column by column. So with h the count of the most
//!   frequent value, a value comes again after ⌊m / h⌋ places at the earliest, and the values in every
//!   window of that length are all different. Without constraints on sensitive values all values count as
//!   one, and the ring is the order in which records are near each other.
//! - `order=dealt` keeps neighbours close also if constraints look at sensitive values, and loses less. But
//!   the records with one value then stand sorted. Whoever knows the ring *and this program* can turn the
//!   values until they are sorted, and so learns the shift.
//! - `order=near` ignores the sensitive values. So it is safe, but it needs wide windows.
//!
//! # Complexity
//! O(m log m · columns) for sorting and closures, and O(m) for each of about 16 · log₂(m / k) windows that
//! are tried.
//!
//! # Paper
//! Wong, Mamoulis and Cheung: Non-homogeneous generalization in privacy preserving data publishing. SIGMOD
//! 2010 (NH). With diverse windows it is what the ARP paper calls NG.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --publish 'ring(order=mixed)'
//! ```

mod near;

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::cells::closures;
use super::{Original, Part, Publisher, Release, batch, groups, no_households, no_persons};
use crate::encode::Span;
use crate::error::{Error, Remedy, Result, Setting};
use crate::notation::{GROUP, PLACE, WINDOW};
use crate::plan::{Plan, RingOrder, RowOrder};
use crate::problem::{Partition, Problem};

/// The reciprocal of the share by which windows grow until one satisfies all constraints.
const WINDOW_GROWTH: usize = 16;

pub(super) struct Rings {
    pub order: RingOrder,
}

impl Publisher for Rings {
    fn admits(&self, plan: &Plan) -> Result<()> {
        own_columns(plan.columns.keys().map(String::as_str))?;
        no_persons(
            plan,
            "ring",
            "each row has a closure of its own, so the rows of a person hide among different persons",
        )?;
        no_households(plan, "ring", "the rows that one row hides among are not those that its neighbour hides among")?;
        if let Some((name, _)) = plan.columns.iter().find(|(_, column)| column.show.is_some()) {
            return refuse(format!(
                "every row has its own closure, which only cells can show; remove the `show` of `{name}`"
            ));
        }
        if plan.method.order == RowOrder::Keep {
            return refuse("if the rows kept their order, the place of a row would tell whose values it has")
                .map_err(|e| e.or([Remedy::by("shuffle them", Setting::Shuffle)]));
        }
        if plan.privacy.suppress > 0.0 {
            let ways =
                [Remedy::by("leave nobody out", Setting::Suppress(0.0)), Remedy::other_form(&["generalization"])];
            return refuse("it cannot be proven that every person fits k rows if some are left out")
                .map_err(|e| e.or(ways));
        }
        Ok(())
    }

    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        own_columns(original.published())?;
        let secret = original.secret_choice("ring", problem.seed)?;
        let clusters: Vec<&[u32]> = partition.clusters().collect();
        let rings: Vec<Ring> = clusters
            .par_iter()
            .enumerate()
            .map(|(stream, rows)| {
                let mut rng = secret.clone();
                rng.set_stream(stream as u64);
                self.ring(problem, rows, &mut rng)
            })
            .collect();

        // The closure, the place and the window of the row that carries each record's values.
        let mut of_record = vec![(0, 0, 0); problem.rows()];
        let mut first = 0;
        for Ring { rows, window, shift, .. } in &rings {
            for (i, row) in rows.iter().enumerate() {
                let place = (i + rows.len() - shift) % rows.len();
                of_record[*row as usize] = ((first + place) as u32, place as u32 + 1, *window as u32);
            }
            first += rows.len();
        }
        let published: Vec<(u32, u32, u32)> = original.order.iter().map(|row| of_record[*row as usize]).collect();
        let numbers =
            |of: fn(&(u32, u32, u32)) -> u32| Arc::new(published.iter().map(of).collect::<UInt32Array>()) as ArrayRef;
        let mut columns = vec![
            (GROUP.to_owned(), Arc::new(UInt32Array::from(groups(original, partition))) as ArrayRef),
            (PLACE.to_owned(), numbers(|row| row.1)),
            (WINDOW.to_owned(), numbers(|row| row.2)),
        ];
        let which: Vec<u32> = published.iter().map(|row| row.0).collect();
        let domains = problem.encoded.domains();
        for name in original.published() {
            let column = match domains.iter().position(|d| d.name() == name) {
                Some(i) => closures(&domains[i], rings.iter().flat_map(|ring| &ring.closures[i]).copied(), &which)?,
                None => original.column(name)?,
            };
            columns.push((name.to_owned(), column));
        }
        Ok(Release::of(vec![Part { name: None, table: batch(columns)? }]))
    }
}

fn refuse(message: impl Into<String>) -> Result<()> {
    Err(Error::parameter("ring", message))
}

/// Refuses tables with a column name that the form needs.
fn own_columns<'a>(mut names: impl Iterator<Item = &'a str>) -> Result<()> {
    match names.find(|name| [GROUP, PLACE, WINDOW].contains(name)) {
        Some(name) => {
            refuse(format!("the release needs the column name `{name}` for itself; rename the column of the table"))
        }
        None => Ok(()),
    }
}

/// The records of a cluster in the order of their ring.
struct Ring {
    rows: Vec<u32>,
    window: usize,
    /// The row at place j carries the values of the record at place j + `shift`.
    shift: usize,
    /// For each column, the closure of the window that begins at each place.
    closures: Vec<Vec<Span>>,
}

impl Rings {
    fn ring(&self, problem: &Problem, rows: &[u32], rng: &mut ChaCha12Rng) -> Ring {
        let mut rows = rows.to_vec();
        rows.shuffle(rng); // hides the order of the table and of the partitioner
        if self.order != RingOrder::Mixed || !problem.guarded() {
            near::sort(problem, &mut rows);
        }
        if self.order != RingOrder::Near {
            rows = dealt(problem, &rows);
        }
        let start = rng.random_range(0..rows.len().max(1));
        rows.rotate_left(start);
        let window = window(problem, &rows);
        let shift = rng.random_range(0..window.max(1));
        let closures = (0..problem.encoded.domains().len()).map(|column| windows(problem, &rows, column, window));
        Ring { closures: closures.collect(), rows, window, shift }
    }
}

/// Spreads the records of each combination of sensitive values evenly over the ring. Records of one
/// combination keep their order.
fn dealt(problem: &Problem, rows: &[u32]) -> Vec<u32> {
    let mut alike: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    rows.iter().for_each(|row| alike.entry(problem.secret(*row)).or_default().push(*row));
    let mut buckets: Vec<(u32, Vec<u32>)> = alike.into_iter().collect();
    buckets.sort_by_key(|(secret, rows)| (std::cmp::Reverse(rows.len()), *secret));
    let across = buckets.first().map_or(1, |(_, rows)| rows.len());
    // The place in the ring, which goes column by column, of cell t of the table, counted row by row.
    let (height, longer) = (rows.len() / across, rows.len() % across);
    let place = |t: usize| {
        let column = t % across;
        column * height + column.min(longer) + t / across
    };
    let mut ring = vec![0; rows.len()];
    let mut cell = 0;
    for (_, bucket) in buckets {
        let mut places: Vec<usize> = (cell..cell + bucket.len()).map(place).collect();
        cell += bucket.len();
        places.sort_unstable();
        places.into_iter().zip(bucket).for_each(|(place, row)| ring[place] = row);
    }
    ring
}

/// The smallest window that satisfies all constraints, as far as the steps find it.
fn window(problem: &Problem, ring: &[u32]) -> usize {
    let mut window = problem.min_size().min(ring.len());
    if !problem.guarded() {
        return window;
    }
    let mut from = 0;
    let mut too_small = window.saturating_sub(1);
    while window < ring.len() && !all_hold(problem, ring, window, &mut from) {
        too_small = window;
        window = (window + 1.max(window / WINDOW_GROWTH)).min(ring.len());
    }
    while too_small + 1 < window {
        let between = usize::midpoint(too_small, window);
        if all_hold(problem, ring, between, &mut from) {
            window = between;
        } else {
            too_small = between;
        }
    }
    window
}

/// Whether every `window` neighbours satisfy every constraint. Checks the window at `from` first, and
/// stores there where it fails.
fn all_hold(problem: &Problem, ring: &[u32], window: usize, from: &mut usize) -> bool {
    let at = |place: usize| ring[place % ring.len()];
    let first: Vec<u32> = (*from..*from + window).map(at).collect();
    let mut state = problem.outline(&first);
    for start in *from..*from + ring.len() {
        if !problem.holds(&state) {
            *from = start % ring.len();
            return false;
        }
        problem.discount(&mut state, at(start));
        problem.count(&mut state, at(start + window));
    }
    true
}

/// For each place, the joined spans of a column over the window that begins there.
fn windows(problem: &Problem, ring: &[u32], column: usize, window: usize) -> Vec<Span> {
    let domain = &problem.encoded.domains()[column];
    let mut joined: Vec<Span> = ring.iter().map(|row| domain.span(problem.encoded.row(*row)[column])).collect();
    let mut length = 1;
    while length < window {
        // Two windows that overlap form a longer one.
        let on = length.min(window - length);
        joined = (0..ring.len()).map(|i| domain.join(joined[i], joined[(i + on) % ring.len()])).collect();
        length += on;
    }
    joined
}
