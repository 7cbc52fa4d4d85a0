//! Ring, non-homogeneous generalization: the records of a cluster stand in a ring, and every row has a closure of its own.
//!
//! # Idea
//! x₁ … x_m stand in a ring. The row at place j has as quasi-identifiers the closure of the window x_j … x_{j+w−1}, and carries all other
//! columns of x_{j+c}, where the shift c is one secret random number from 0 to w − 1 for the whole ring. So every row covers w
//! records, every record fits w rows, and each of the w shifts gives every record a row of its own: nobody can tell which of w rows is
//! a person's. Windows are smaller than clusters, so less is lost.
//!
//! w is the smallest number, from k on, with which every window of w neighbours satisfies all constraints; at most m, where all rows have the
//! closure of the cluster.
//!
//! # What protects
//! Assume that everybody knows the ring: who stands where in it. `group`, `place` and `window`, which are published, tell no more than that.
//! Only c is secret, and it stays so if the ring would have been made the same way whatever c is. That holds because
//! - without constraints on sensitive values the order looks at quasi-identifiers only, and equal records stand in random order;
//! - with them (`order=mixed`) the pattern of values depends on how often each occurs in the cluster, and which of the records with a value has
//!   which of its places is a random choice: turning all values along the ring by any number of places gives a ring that is as likely;
//! - w is judged by all windows of the ring, which are the same whichever way it is turned.
//!
//! `order=dealt` keeps neighbours close also where sensitive values matter, and loses less. But then the records with one value stand sorted,
//! and whoever knows the ring *and this program* can turn the values until they do: that tells the shift. `order=near` ignores the
//! sensitive values, so it is safe, but needs wide windows.
//!
//! Known weaknesses of the form: whoever learns which row is one person's learns the shift of that ring, and with it everybody's row in it. And
//! c is one secret for many people, so what is known about all of them adds up: whoever knows the ring and how sensitive values go with
//! quasi-identifiers can ask which shift fits best, and is right far more often than one time in w.
//!
//! # The order
//! All records, those of one value together, the most frequent value first, fill a table of as many columns as that value has records, row by row;
//! the ring is the table read column by column. So the same value comes again after ⌊m / h⌋ places at the earliest, h being how often the most
//! frequent one occurs, and every window of so many rows has all values different. Without constraints on sensitive values all
//! count as one, and the ring is the order in which records are near each other.
//!
//! # Complexity
//! O(m log m · columns) for sorting and closures, and O(m) for each of about 16 · log₂(m / k) windows that are tried.
//!
//! # Paper
//! Wong, Mamoulis, Cheung: Non-homogeneous generalization in privacy preserving data publishing. SIGMOD 2010 (NH). With diverse windows it is
//! what the ARP paper calls NG.

mod near;

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::cells::closures;
use super::{Original, Part, Publisher, Release, batch, groups};
use crate::encode::Span;
use crate::error::{Error, Remedy, Result, Setting};
use crate::notation::{GROUP, PLACE, WINDOW};
use crate::plan::{Plan, RingOrder, RowOrder};
use crate::problem::{Partition, Problem};

/// Windows grow by this part of themselves until one will do.
const STEP: usize = 16;

pub(super) struct Rings {
    pub order: RingOrder,
}

impl Publisher for Rings {
    fn admits(&self, plan: &Plan) -> Result<()> {
        own_columns(plan.columns.keys().map(String::as_str))?;
        if let Some((name, _)) = plan.columns.iter().find(|(_, column)| column.show.is_some()) {
            return refuse(format!(
                "every row has a closure of its own, which only cells can show; drop the `show` of `{name}`"
            ));
        }
        if plan.method.order == RowOrder::Keep {
            return refuse("if the rows kept their order, the place of a row would tell whose values it has")
                .map_err(|e| e.or([Remedy::by("shuffle them", Setting::Shuffle)]));
        }
        if plan.privacy.suppress > 0.0 {
            let ways = [
                Remedy::by("leave nobody out", Setting::Suppress(0.0)),
                Remedy::by("choose another form", Setting::Publish("generalization")),
            ];
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

        // The closure, place and window of the row that carries each record's values.
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

/// Refuses tables that have a column of the form's own.
fn own_columns<'a>(mut names: impl Iterator<Item = &'a str>) -> Result<()> {
    match names.find(|name| [GROUP, PLACE, WINDOW].contains(name)) {
        Some(name) => {
            refuse(format!("the release needs the column name `{name}` for itself; rename the column of the table"))
        }
        None => Ok(()),
    }
}

/// The records of a cluster as they stand.
struct Ring {
    rows: Vec<u32>,
    window: usize,
    /// The row at a place carries the values of the record so many places on.
    shift: usize,
    /// For each column the closure of the window that begins at each place.
    closures: Vec<Vec<Span>>,
}

impl Rings {
    fn ring(&self, problem: &Problem, rows: &[u32], rng: &mut ChaCha12Rng) -> Ring {
        let mut rows = rows.to_vec();
        rows.shuffle(rng); // neither the table's order nor the partitioner's may show
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

/// Spreads records that constraints cannot tell apart evenly. Each keeps its place among those like it.
fn dealt(problem: &Problem, rows: &[u32]) -> Vec<u32> {
    let mut alike: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    rows.iter().for_each(|row| alike.entry(problem.secret(*row)).or_default().push(*row));
    let mut buckets: Vec<(u32, Vec<u32>)> = alike.into_iter().collect();
    buckets.sort_by_key(|(secret, rows)| (std::cmp::Reverse(rows.len()), *secret));
    let across = buckets.first().map_or(1, |(_, rows)| rows.len());
    // Where cell t of the table, counted row by row, stands in the ring, which goes column by column.
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

/// The smallest window that will do, as far as the steps find it.
fn window(problem: &Problem, ring: &[u32]) -> usize {
    let mut window = problem.min_size().min(ring.len());
    if !problem.guarded() {
        return window;
    }
    let mut from = 0;
    let mut too_small = window.saturating_sub(1);
    while window < ring.len() && !all_hold(problem, ring, window, &mut from) {
        too_small = window;
        window = (window + 1.max(window / STEP)).min(ring.len());
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

/// True when so many neighbours satisfy every constraint, wherever they begin. Looks at `from` first and leaves there where it fails.
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

/// The joined spans of a column over the window that begins at each place.
fn windows(problem: &Problem, ring: &[u32], column: usize, window: usize) -> Vec<Span> {
    let domain = &problem.encoded.domains()[column];
    let mut joined: Vec<Span> = ring.iter().map(|row| domain.span(problem.encoded.row(*row)[column])).collect();
    let mut length = 1;
    while length < window {
        // Two windows that overlap make a longer one.
        let on = length.min(window - length);
        joined = (0..ring.len()).map(|i| domain.join(joined[i], joined[(i + on) % ring.len()])).collect();
        length += on;
    }
    joined
}
