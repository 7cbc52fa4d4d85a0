//! Any bytes as a CSV file, plain or compressed.
//!
//! What was read, written again and read again is the same.

use amidst::Error;
use amidst::internals::read::{Options, Table, read_bytes};
use amidst::plan::Encoding;
use amidst::progress::Progress;

use super::Script;
use crate::grid::Grid;

pub(super) fn run(bytes: &[u8]) {
    let mut script = Script(bytes);
    let choice = script.byte();
    let delimiter = [',', ';', '\t', '|'][usize::from(choice & 3)];
    let encoding = [Encoding::UTF_8, Encoding::WINDOWS_1252, Encoding::UTF_16LE][usize::from(choice >> 4) % 3];
    let options = Options { delimiter, encoding, header: choice & 8 == 0, trim: choice & 4 > 0, ..Options::default() };
    let Ok(table) = read_bytes("fuzz.csv", script.0.to_vec(), &options, Progress::silent()) else { return };
    let grid = grid(&table);
    assert!(!grid.rows.is_empty() && !grid.header.is_empty());
    let mut sorted = grid.header.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), grid.header.len(), "two columns of one name");
    // A byte order mark is part of no name, so a name that begins with one does not come back.
    if grid.header[0].starts_with('\u{feff}') {
        return;
    }
    match read_bytes("fuzz.csv", grid.csv(), &Options::default(), Progress::silent()) {
        // Without the quotes that it had, the first name can look like the beginning of another file.
        Err(Error::Foreign { .. }) => {}
        // With another delimiter than it was read with, each line of a cell can look like a row, which is refused.
        Err(Error::Field { .. }) if grid.rows.iter().flatten().any(|cell| cell.contains(['\n', '\r'])) => {}
        again => assert_eq!(self::grid(&again.expect("what was read can be read")), grid),
    }
}

/// All texts of a table.
pub(super) fn grid(table: &Table) -> Grid {
    let rows: Vec<usize> = (0..table.rows()).collect();
    let columns: Vec<Vec<String>> =
        table.names().map(|name| table.cells(name, &rows).expect("columns have texts")).collect();
    let row = |row: usize| columns.iter().map(|column| column[row].clone()).collect();
    Grid { header: table.names().map(str::to_owned).collect(), rows: rows.into_iter().map(row).collect() }
}
