//! Splitting rows where the loss falls most, for the algorithm top-down in [`partition`](crate::partition).

use std::ops::Range;

use rayon::prelude::*;

use super::Surrogate;
use crate::encode::{Code, Span};
use crate::error::Result;
use crate::problem::Problem;
use crate::progress::Progress;

/// Groups with fewer rows are split on one thread.
const MIN_PARALLEL_ROWS: usize = 2048;
/// The largest number of rows that decide where to halve a part of the table.
const MAX_SAMPLE_ROWS: usize = 2048;

/// Splits the rows into groups. Groups of at most `enough` rows are not split. If all rows together satisfy
/// the constraints, each group does.
pub(crate) fn split(
    problem: &Problem,
    surrogate: &Surrogate,
    rows: Vec<u32>,
    enough: usize,
    progress: Progress,
) -> Result<Vec<Vec<u32>>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let sides = if rows.len() <= enough { None } else { best(problem, surrogate, &rows) };
    let Some((low, high)) = sides else {
        progress.advance(rows.len() as u64)?;
        return Ok(vec![rows]);
    };
    let (parallel, go) = (rows.len() >= MIN_PARALLEL_ROWS, |rows| split(problem, surrogate, rows, enough, progress));
    drop(rows);
    let (low, high) = if parallel { rayon::join(|| go(low), || go(high)) } else { (go(low), go(high)) };
    let mut groups = low?;
    groups.extend(high?);
    Ok(groups)
}

/// The two sides of the best cut that satisfies the constraints.
fn best(problem: &Problem, surrogate: &Surrogate, rows: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
    if rows.len() < 2 * problem.min_size() {
        return None;
    }
    let plain = cuts(surrogate, rows, problem.min_size()).into_iter().find_map(|cut| {
        let (inside, outside) = cut.sides(surrogate, rows);
        (problem.hold(&inside) && problem.hold(&outside)).then_some((inside, outside))
    });
    plain.or_else(|| if problem.guarded() { within(problem, surrogate, rows) } else { None })
}

/// The cut of these rows that lowers the loss most.
pub(super) fn best_cut(surrogate: &Surrogate, rows: &[u32]) -> Option<Cut> {
    cuts(surrogate, rows, 1).into_iter().next()
}

/// The two sides of a good cut with at least `least` rows on either side, chosen by a sample of the rows.
pub(super) fn halves(surrogate: &Surrogate, rows: &[u32], least: usize) -> Option<(Vec<u32>, Vec<u32>)> {
    let every = rows.len().div_ceil(MAX_SAMPLE_ROWS).max(1);
    let sample: Vec<u32> = rows.iter().copied().step_by(every).collect();
    let mut tried = cuts(surrogate, &sample, least / every + 1).into_iter().map(|cut| cut.sides(surrogate, rows));
    tried.find(|(inside, outside)| inside.len() >= least && outside.len() >= least)
}

/// The cuts that lower the loss and have at least `least` rows on either side, the best first.
fn cuts(surrogate: &Surrogate, rows: &[u32], least: usize) -> Vec<Cut> {
    let mut whole: Vec<Span> = Vec::new();
    for row in rows {
        let spans = surrogate.encoded().row(*row).iter().enumerate().map(|(c, code)| surrogate.domain(c).span(*code));
        if whole.is_empty() {
            whole.extend(spans);
        } else {
            whole
                .iter_mut()
                .enumerate()
                .zip(spans)
                .for_each(|((c, span), more)| *span = surrogate.domain(c).join(*span, more));
        }
    }
    let now = surrogate.closure(&whole) * rows.len() as f32;
    let offers: Vec<Cut> = whole
        .iter()
        .enumerate()
        .flat_map(|(column, span)| {
            offers(surrogate, rows, column, *span).into_iter().map(move |codes| Cut { column, codes })
        })
        .collect();
    let gain = |cut: &Cut| {
        let sides = sides(surrogate, rows, cut)?;
        let costs = |side: &Side| surrogate.closure(&side.spans) * side.size as f32;
        let fits = sides.iter().all(|side| side.size >= least);
        fits.then(|| now - costs(&sides[0]) - costs(&sides[1]))
    };
    let gains: Vec<Option<f32>> = if rows.len() >= MIN_PARALLEL_ROWS {
        offers.par_iter().map(gain).collect()
    } else {
        offers.iter().map(gain).collect()
    };
    let mut ranked: Vec<(f32, usize)> =
        gains.into_iter().enumerate().filter_map(|(i, gain)| gain.filter(|g| *g > 0.0).map(|g| (g, i))).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().map(|(_, i)| offers[i].clone()).collect()
}

/// The two sides of a cut that halves every combination of sensitive values, by the column where that gains
/// most.
fn within(problem: &Problem, surrogate: &Surrogate, rows: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
    let cost = |rows: &[u32]| problem.cluster(rows).map_or(0.0, |c| surrogate.closure(c.closure()) * rows.len() as f32);
    let halves = |column: usize| {
        let code = |row: u32| surrogate.encoded().row(row)[column];
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|row| (problem.secret(*row), code(*row), *row));
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for alike in sorted.chunk_by(|a, b| problem.secret(*a) == problem.secret(*b)) {
            // The odd row goes to the smaller side.
            let more = usize::from(low.len() <= high.len()) * (alike.len() % 2);
            let (lower, upper) = alike.split_at(alike.len() / 2 + more);
            low.extend_from_slice(lower);
            high.extend_from_slice(upper);
        }
        let fits = problem.hold(&low) && problem.hold(&high);
        fits.then(|| (cost(&low) + cost(&high), low, high))
    };
    let columns = 0..surrogate.columns();
    let tried: Vec<_> = if rows.len() >= MIN_PARALLEL_ROWS {
        columns.into_par_iter().map(halves).collect()
    } else {
        columns.map(halves).collect()
    };
    let best = tried.into_iter().flatten().reduce(|a, b| if b.0 < a.0 { b } else { a })?;
    (best.0 < cost(rows)).then_some((best.1, best.2))
}

/// A column, and the codes of one side of the cut.
#[derive(Clone)]
pub(super) struct Cut {
    column: usize,
    codes: Range<Code>,
}

impl Cut {
    /// Whether a record with these codes is on that side.
    pub(super) fn has(&self, codes: &[Code]) -> bool {
        self.codes.contains(&codes[self.column])
    }

    fn sides(&self, surrogate: &Surrogate, rows: &[u32]) -> (Vec<u32>, Vec<u32>) {
        rows.iter().partition(|row| self.has(surrogate.encoded().row(**row)))
    }
}

/// For each cut that a column offers, the codes of one side.
fn offers(surrogate: &Surrogate, rows: &[u32], column: usize, span: Span) -> Vec<Range<Code>> {
    let domain = surrogate.domain(column);
    if domain.count(domain.close(span)) < 2 {
        return Vec::new();
    }
    let mut codes: Vec<Code> = rows.iter().map(|row| surrogate.encoded().row(*row)[column]).collect();
    if !domain.is_set() && !domain.is_suppress() && domain.hierarchy().is_none() {
        let middle = codes.len() / 2;
        let median = *codes.select_nth_unstable(middle).1;
        return [median, median + 1].into_iter().map(|cut| 0..cut).collect();
    }
    // The values, or the children of the taxonomy's node, by their number of records.
    let children = match domain.hierarchy() {
        Some(tree) => tree.children(span.lo(), span.hi()),
        None => (0..domain.len() as Code).collect(),
    };
    let mut counts = vec![0_usize; children.len()];
    for code in &codes {
        counts[children.partition_point(|start| start <= code).saturating_sub(1)] += 1;
    }
    let mut ranked: Vec<usize> = (0..children.len()).collect();
    ranked.sort_by_key(|child| std::cmp::Reverse(counts[*child]));
    let end = |child: usize| children.get(child + 1).copied().unwrap_or(domain.len() as Code);
    ranked.into_iter().take(2).filter(|child| counts[*child] > 0).map(|child| children[child]..end(child)).collect()
}

/// One side of a cut.
struct Side {
    size: usize,
    spans: Vec<Span>,
}

/// Both sides of a cut; `None` if one is empty.
fn sides(surrogate: &Surrogate, rows: &[u32], cut: &Cut) -> Option<[Side; 2]> {
    let mut sides: [Option<Side>; 2] = [None, None];
    for row in rows {
        let codes = surrogate.encoded().row(*row);
        let spans = codes.iter().enumerate().map(|(c, code)| surrogate.domain(c).span(*code));
        match &mut sides[usize::from(!cut.has(codes))] {
            Some(side) => {
                side.size += 1;
                for ((c, span), more) in side.spans.iter_mut().enumerate().zip(spans) {
                    *span = surrogate.domain(c).join(*span, more);
                }
            }
            empty => *empty = Some(Side { size: 1, spans: spans.collect() }),
        }
    }
    let [inside, outside] = sides;
    inside.zip(outside).map(|(inside, outside)| [inside, outside])
}
