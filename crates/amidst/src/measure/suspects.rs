//! The rows of a ring that each record may be in.

use super::View;
use crate::encode::Sensitive;
use crate::problem::Histogram;
use crate::verify::{Classes, Rings, Turns};

/// The rows of rings that each record may be in: as many neighbours as the window of its ring says, all equally likely.
#[derive(Debug)]
pub struct Suspects {
    rings: Vec<Ring>,
}

#[derive(Debug)]
struct Ring {
    /// The record whose sensitive value is at each place.
    records: Vec<u32>,
    window: usize,
    /// The number of places from a record's own row to the last row that it may be in.
    shift: usize,
}

impl Suspects {
    /// The suspects of the rings of a view. `order` has the row of the original of each published row. `None` if a window is not true.
    pub(super) fn new(view: &View, classes: &Classes, rings: &Rings, order: &[u32]) -> Option<Self> {
        let domains = view.encoded.domains();
        let mut begin = 0;
        let mut found = Vec::with_capacity(rings.windows.len());
        for (size, window) in classes.sizes.iter().zip(&rings.windows) {
            let rows = &rings.rows[begin..begin + size];
            begin += size;
            let records: Vec<u32> = rows.iter().map(|row| order[*row as usize]).collect();
            let mut turns = Turns::new(*window);
            for (column, domain) in domains.iter().enumerate() {
                let closure = |row: &u32| domain.close(view.pieces[*row as usize].closure[column]);
                let closures: Vec<_> = rows.iter().map(closure).collect();
                turns.column(&closures, |place, of| {
                    domain.covers(closures[place], view.encoded.row(records[of])[column])
                });
            }
            let shift = turns.shift()?;
            found.push(Ring { records, window: *window, shift });
        }
        Some(Suspects { rings: found })
    }

    /// For each record, calls `tell` with the counts of a sensitive column among the rows that it may be in, and their number.
    pub fn each(&self, sensitive: &Sensitive, mut tell: impl FnMut(u32, &Histogram, usize)) {
        for Ring { records, window, shift } in &self.rings {
            let size = records.len();
            // The record of place p may be in the rows at places p + shift + 1 − window to p + shift.
            let first = |place: usize| (place + shift + 1 + size - window) % size;
            let mut values = Histogram::default();
            (0..*window).for_each(|i| values.add(sensitive.row(records[(first(0) + i) % size]), 1));
            for (place, record) in records.iter().enumerate() {
                tell(*record, &values, *window);
                values.remove(sensitive.row(records[first(place)]));
                values.add(sensitive.row(records[(first(place) + window) % size]), 1);
            }
        }
    }
}
