//! Does everybody in a ring fit as many rows as it claims?

use super::cover::Fits;
use super::crowds::starts;
use super::{Classes, Failure, Published, Rings};
use crate::error::Result;

/// Holds every ring against the records that its rows come from: row `i` comes from row `from[i]` of the original. There must be a shift c, the same for the
/// whole ring, such that every row covers the records from c places before its own to w − 1 − c places behind it. Then turning the
/// ring by any of w numbers of places gives every record a row that covers it, so it fits w rows.
pub(super) fn fit(
    columns: &[(&str, Box<dyn Fits>)],
    release: &Published,
    rings: &Rings,
    from: &[u32],
) -> Result<Result<(), Failure>> {
    let Published { table, classes, .. } = release;
    let covers =
        |row: u32, of: u32| columns.iter().all(|(_, column)| column.fits(row as usize, from[of as usize] as usize));
    let looks = Classes::within(table, classes, columns.iter().map(|(name, _)| *name))?;
    for (class, (start, size)) in starts(&classes.sizes).iter().zip(&classes.sizes).enumerate() {
        let (ring, window) = (&rings.rows[*start..start + size], rings.windows[class]);
        let alike = ring.iter().all(|row| looks.of_row[*row as usize] == looks.of_row[ring[0] as usize]);
        let fits = if alike {
            ring.iter().all(|of| covers(ring[0], *of))
        } else {
            shift(ring.len(), window, |place, of| covers(ring[place], ring[of])).is_some()
        };
        if !fits {
            let group = class + 1;
            return Ok(Err(Failure(format!("group {group}: not everybody fits {window} rows, as its window claims"))));
        }
    }
    Ok(Ok(()))
}

/// The largest shift of a ring with which all is well; `fits` says whether the row at one place covers the record whose values stand at
/// another.
pub fn shift(size: usize, window: usize, fits: impl Fn(usize, usize) -> bool) -> Option<usize> {
    let all = |ahead: usize| (0..size).all(|place| fits(place, (place + ahead) % size));
    let before = (1..window).take_while(|c| all(size - c)).count();
    let behind = (1..window - before).take_while(|c| all(*c)).count();
    (before + behind + 1 == window).then_some(before)
}
