//! An order of a cluster's records in which neighbours are near each other.

use crate::problem::Problem;

/// Sorts records.
pub(super) fn sort(problem: &Problem, rows: &mut Vec<u32>) {
    let mode = std::env::var("RING").unwrap_or_default();
    let encoded = &problem.encoded;
    let domains = encoded.domains();
    let span = |column: usize, rows: &[u32]| {
        let d = &domains[column];
        rows.iter().map(|r| d.span(encoded.row(*r)[column])).reduce(|a, b| d.join(a, b))
    };
    let mut columns: Vec<(usize, f64)> =
        (0..domains.len()).map(|c| (c, span(c, rows).map_or(0.0, |s| problem.measure.cell(c, s)))).collect();
    columns.sort_by(|a, b| b.1.total_cmp(&a.1));
    let columns: Vec<usize> = columns.into_iter().filter(|c| c.1 > 0.0).map(|c| c.0).collect();
    if mode.contains("none") {
        return;
    }
    rows.sort_by(|a, b| columns.iter().map(|c| encoded.row(*a)[*c]).cmp(columns.iter().map(|c| encoded.row(*b)[*c])));
    if mode.contains("tour") {
        let mut left = rows.clone();
        let mut tour = vec![left.remove(0)];
        while !left.is_empty() {
            let last = tour[tour.len() - 1];
            let dist = |r: u32| -> f64 {
                columns
                    .iter()
                    .map(|c| {
                        let d = &domains[*c];
                        let j = d.join(d.span(encoded.row(last)[*c]), d.span(encoded.row(r)[*c]));
                        problem.measure.cell(*c, j)
                    })
                    .sum()
            };
            let best = (0..left.len()).min_by(|a, b| dist(left[*a]).total_cmp(&dist(left[*b]))).unwrap_or(0);
            tour.push(left.remove(best));
        }
        *rows = tour;
    }
    if mode.contains("snake") {
        snake(problem, rows, &columns, false);
    }
    if mode.contains("fold") {
        let up: Vec<u32> = rows.iter().copied().step_by(2).collect();
        let down: Vec<u32> = rows.iter().copied().skip(1).step_by(2).collect();
        *rows = up.into_iter().chain(down.into_iter().rev()).collect();
    }
}

fn snake(problem: &Problem, rows: &mut [u32], columns: &[usize], down: bool) {
    let Some((c, rest)) = columns.split_first() else { return };
    let code = |r: u32| problem.encoded.row(r)[*c];
    rows.sort_by_key(|r| code(*r));
    if down {
        rows.reverse();
    }
    let mut down = false;
    for part in rows.chunk_by_mut(|a, b| code(*a) == code(*b)) {
        snake(problem, part, rest, down);
        down = !down;
    }
}
