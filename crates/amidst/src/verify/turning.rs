//! A check that each record of a ring fits as many rows as the window says.

use rustc_hash::FxHashMap;

use super::cover::Fits;
use super::crowds::starts;
use super::order::Alignment;
use super::{Failure, Published, Rings};

/// Compares each ring with the records of its rows. There must be one shift c for the whole ring such that every row covers the records
/// from c places before its own to w − 1 − c places after it. Then the ring can be turned by w different numbers of places, and each
/// time every record meets a row that covers it. So every record fits w rows.
pub(super) fn fit(
    columns: &[(&str, Box<dyn Fits>)],
    release: &Published,
    rings: &Rings,
    rows: &Alignment,
) -> Result<(), Failure> {
    let sizes = &release.classes.sizes;
    for (class, (start, size)) in starts(sizes).iter().zip(sizes).enumerate() {
        let (ring, window) = (&rings.rows[*start..start + size], rings.windows[class]);
        let mut turns = Turns::new(window);
        for (_, column) in columns {
            let looks: Vec<usize> = ring.iter().map(|row| column.look(*row as usize)).collect();
            // A row whose record is not known for certain never fails.
            let fits = |place: usize, of: usize| match rows.of(ring[of] as usize) {
                Ok(record) => column.fits(ring[place] as usize, record as usize),
                Err(_) => true,
            };
            turns.column(&looks, fits);
        }
        if turns.shift().is_none() {
            let group = class + 1;
            return Err(Failure(format!(
                "group {group}: some records fit fewer than {window} rows, which its window claims"
            )));
        }
    }
    Ok(())
}

/// The numbers of places by which a ring can be turned so that every row still covers the record that it meets.
#[derive(Debug)]
pub struct Turns {
    window: usize,
    /// The most places in each direction; none if some row does not cover its own record.
    most: Option<(usize, usize)>,
}

impl Turns {
    /// The turns of a ring with this window, before any column is compared.
    pub fn new(window: usize) -> Self {
        Turns { window, most: Some((window - 1, window - 1)) }
    }

    /// Takes a column into account. `looks` has equal values for equal cells. `fits` says whether the row at one place covers the record at
    /// another. The time is O(n w) for n rows and a window of w, or O(n d) if there are only d < w different cells.
    pub fn column<L: Copy + Eq + std::hash::Hash>(&mut self, looks: &[L], fits: impl Fn(usize, usize) -> bool) {
        let size = looks.len();
        let mut alike: FxHashMap<L, Vec<usize>> = FxHashMap::default();
        looks.iter().enumerate().for_each(|(place, look)| alike.entry(*look).or_default().push(place));
        if alike.len() > self.window {
            for place in 0..size {
                let Some((before, behind)) = self.most.filter(|_| fits(place, place)) else { return self.most = None };
                let before = (1..=before).take_while(|on| fits(place, (place + size - on) % size)).count();
                let behind = (1..=behind).take_while(|on| fits(place, (place + on) % size)).count();
                self.most = Some((before, behind));
            }
            return;
        }
        for places in alike.values() {
            let covered: Vec<bool> = (0..size).map(|of| fits(places[0], of)).collect();
            let before = self.runs(&covered, (0..2 * size).map(|place| place % size));
            let behind = self.runs(&covered, (0..2 * size).rev().map(|place| place % size));
            for place in places {
                self.most = self.most.filter(|_| covered[*place]).map(|(one, other)| {
                    (one.min(before[*place].saturating_sub(1)), other.min(behind[*place].saturating_sub(1)))
                });
            }
        }
    }

    /// The number of consecutive covered records up to each place. The order goes around twice, because a ring has no start.
    fn runs(&self, covered: &[bool], order: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut runs = vec![0; covered.len()];
        let mut run = 0;
        for place in order {
            run = if covered[place] { self.window.min(run + 1) } else { 0 };
            runs[place] = run;
        }
        runs
    }

    /// The largest shift with which every record fits as many rows as the window says; `None` if there is none.
    pub fn shift(&self) -> Option<usize> {
        self.most.filter(|(before, behind)| before + behind + 1 >= self.window).map(|(before, _)| before)
    }
}
