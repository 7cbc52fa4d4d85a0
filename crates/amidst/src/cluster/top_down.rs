//! Splitting rows where the loss falls most, for the algorithm top-down in [`partition`](crate::partition).

use std::ops::Range;

use rayon::prelude::*;

use super::Surrogate;
use crate::encode::{Code, Domain, Span};
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
    let columns: Vec<Vec<Code>> = (0..surrogate.columns())
        .map(|column| rows.iter().map(|row| surrogate.encoded().row(*row)[column]).collect())
        .collect();
    let spans = columns.iter().enumerate().map(|(column, codes)| span(surrogate.domain(column), codes));
    let whole: Vec<Span> = spans.collect();
    let now = surrogate.closure(&whole) * rows.len() as f32;
    let offers: Vec<Cut> = whole
        .iter()
        .enumerate()
        .flat_map(|(column, span)| {
            let offers = offers(surrogate, &columns[column], column, *span).into_iter();
            offers.map(move |codes| Cut { column, codes })
        })
        .collect();
    let gain = |cut: &Cut| {
        let inside: Vec<bool> = columns[cut.column].iter().map(|code| cut.codes.contains(code)).collect();
        let size = inside.iter().filter(|inside| **inside).count();
        let sizes = [size, rows.len() - size];
        if size == 0 || size == rows.len() || sizes.iter().any(|size| *size < least) {
            return None;
        }
        let mut spans: [Vec<Span>; 2] = Default::default();
        for (column, codes) in columns.iter().enumerate() {
            let [low, high] = spans_of(surrogate.domain(column), codes, &inside);
            spans[0].push(low);
            spans[1].push(high);
        }
        let costs = |side: usize| surrogate.closure(&spans[side]) * sizes[side] as f32;
        Some(now - costs(0) - costs(1))
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

/// What these codes span together.
fn span(domain: &Domain, codes: &[Code]) -> Span {
    if domain.is_set() {
        return Span::mask(codes.iter().fold(0, |bits, code| bits | 1 << code));
    }
    let [low, high] = codes.iter().fold([Code::MAX, 0], |[low, high], code| [low.min(*code), high.max(*code)]);
    Span::range(low, high)
}

/// What the codes inside span, and what the others span. The loops have no branches, because they decide how long this takes.
fn spans_of(domain: &Domain, codes: &[Code], inside: &[bool]) -> [Span; 2] {
    if domain.is_set() {
        let mut bits = [0_u64; 2];
        for (code, inside) in codes.iter().zip(inside) {
            let (bit, is) = (1_u64 << code, u64::from(*inside).wrapping_neg());
            bits = [bits[0] | bit & is, bits[1] | bit & !is];
        }
        return bits.map(Span::mask);
    }
    let (mut lows, mut highs) = ([Code::MAX; 2], [0; 2]);
    for (code, inside) in codes.iter().zip(inside) {
        let is = Code::from(*inside).wrapping_neg();
        lows = [lows[0].min(code | !is), lows[1].min(code | is)];
        highs = [highs[0].max(code & is), highs[1].max(code & !is)];
    }
    [Span::range(lows[0], highs[0]), Span::range(lows[1], highs[1])]
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
fn offers(surrogate: &Surrogate, codes: &[Code], column: usize, span: Span) -> Vec<Range<Code>> {
    let domain = surrogate.domain(column);
    if domain.count(domain.close(span)) < 2 {
        return Vec::new();
    }
    if !domain.is_set() && !domain.is_suppress() && domain.hierarchy().is_none() {
        let (mut codes, middle) = (codes.to_vec(), codes.len() / 2);
        let median = *codes.select_nth_unstable(middle).1;
        return [median, median + 1].into_iter().map(|cut| 0..cut).collect();
    }
    // The values, or the children of the taxonomy's node, by their number of records.
    let children = match domain.hierarchy() {
        Some(tree) => tree.children(span.lo(), span.hi()),
        None => (0..domain.len() as Code).collect(),
    };
    let mut counts = vec![0_usize; children.len()];
    for code in codes {
        counts[children.partition_point(|start| start <= code).saturating_sub(1)] += 1;
    }
    let mut ranked: Vec<usize> = (0..children.len()).collect();
    ranked.sort_by_key(|child| std::cmp::Reverse(counts[*child]));
    let end = |child: usize| children.get(child + 1).copied().unwrap_or(domain.len() as Code);
    ranked.into_iter().take(2).filter(|child| counts[*child] > 0).map(|child| children[child]..end(child)).collect()
}
