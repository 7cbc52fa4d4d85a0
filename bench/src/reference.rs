//! The reference that every figure is compared with: strict Mondrian as the paper writes it down.
//!
//! One thread, a list of rows per group, recursion, a sort for every median. Whoever writes Mondrian in an afternoon
//! writes this, so a ratio to it says what the work on a partitioner has gained.
//!
//! `LeFevre`, `DeWitt`, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.

use amidst::Result;
use amidst::internals::partition::Partitioner;
use amidst::internals::problem::{Partition, Problem};
use amidst::progress::Progress;

/// What the reference is called in the table.
pub const NAME: &str = "reference: textbook Mondrian";

/// Strict Mondrian. The columns of one problem all count the same, and k is all that is asked.
pub struct Textbook;

impl Partitioner for Textbook {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        let mut groups = Vec::new();
        split(problem, (0..problem.rows() as u32).collect(), &mut groups, progress)?;
        Partition::new(problem.rows(), groups)
    }
}

/// Cuts a group by the widest column that allows it, and each part in turn.
fn split(problem: &Problem, rows: Vec<u32>, groups: &mut Vec<Vec<u32>>, progress: Progress) -> Result<()> {
    let k = problem.min_size();
    let columns = if rows.len() < 2 * k { Vec::new() } else { by_width(problem, &rows) };
    for column in columns {
        let parts = cut(problem, &rows, column);
        if parts.len() > 1 && parts.iter().all(|part| part.len() >= k) {
            return parts.into_iter().try_for_each(|part| split(problem, part, groups, progress));
        }
    }
    progress.advance(rows.len() as u64)?;
    groups.push(rows);
    Ok(())
}

/// The columns in which the rows differ, the widest first.
fn by_width(problem: &Problem, rows: &[u32]) -> Vec<usize> {
    let Some(group) = problem.cluster(rows) else { return Vec::new() };
    let width = |column: usize| problem.measure.cell(column, group.closure()[column]);
    let mut widths: Vec<(f64, usize)> = (0..group.closure().len()).map(|column| (width(column), column)).collect();
    widths.retain(|(width, _)| *width > 0.0);
    widths.sort_by(|a, b| b.0.total_cmp(&a.0));
    widths.into_iter().map(|(_, column)| column).collect()
}

/// The values below and above the median, or the children of a taxonomy's node.
fn cut(problem: &Problem, rows: &[u32], column: usize) -> Vec<Vec<u32>> {
    let code = |row: u32| problem.encoded.row(row)[column];
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|row| code(*row));
    if let Some(tree) = problem.encoded.domains()[column].hierarchy() {
        let starts = tree.children(code(sorted[0]), code(sorted[sorted.len() - 1]));
        let child = |row: u32| starts.partition_point(|start| *start <= code(row));
        return sorted.chunk_by(|a, b| child(*a) == child(*b)).map(<[u32]>::to_vec).collect();
    }
    // The median value goes to the side that leaves the parts more even. If it always went below, as in the paper, a
    // column whose most frequent value is its last could never be cut.
    let median = code(sorted[sorted.len() / 2]);
    let below = sorted.partition_point(|row| code(*row) < median);
    let upto = sorted.partition_point(|row| code(*row) <= median);
    let even = |size: usize| size.min(sorted.len() - size);
    let above = sorted.split_off(if even(below) >= even(upto) { below } else { upto });
    vec![sorted, above]
}
