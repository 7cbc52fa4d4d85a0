//! An order of a cluster's records in which neighbours are near each other.
//!
//! The records are sorted by the column in which the cluster loses most, records with the same value by the
//! next column, and so on. Directions alternate between up and down, so that other columns stay as they are
//! where one value ends and the next begins. This takes O(m log m), while a tour from each record to the
//! nearest one would take m² steps.

use crate::encode::Code;
use crate::problem::Problem;

/// Sorts the records of a cluster. Records that look the same keep their order.
pub(super) fn sort(problem: &Problem, rows: &mut [u32]) {
    let encoded = &problem.encoded;
    let loss = |column: usize| {
        let domain = &encoded.domains()[column];
        let spans = rows.iter().map(|row| domain.span(encoded.row(*row)[column]));
        spans.reduce(|a, b| domain.join(a, b)).map_or(0.0, |span| problem.measure.cell(column, span))
    };
    let mut columns: Vec<(usize, f64)> = (0..encoded.domains().len()).map(|column| (column, loss(column))).collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    let columns: Vec<usize> = columns.into_iter().map(|(column, _)| column).collect();
    up_and_down(rows, &columns, false, &|row, column| encoded.row(row)[column]);
}

/// Sorts by the first column, and within each of its values by the others, alternating between up and down.
fn up_and_down(rows: &mut [u32], columns: &[usize], down: bool, code: &impl Fn(u32, usize) -> Code) {
    let Some((column, rest)) = columns.split_first() else { return };
    if down {
        rows.sort_by_key(|row| std::cmp::Reverse(code(*row, *column)));
    } else {
        rows.sort_by_key(|row| code(*row, *column));
    }
    for (part, alike) in rows.chunk_by_mut(|a, b| code(*a, *column) == code(*b, *column)).enumerate() {
        up_and_down(alike, rest, part % 2 == 1, code);
    }
}
