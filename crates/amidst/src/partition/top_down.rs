//! Top-down: split where the loss really falls most.
//!
//! # Idea
//! As Mondrian, but the cut is not at the median of the widest column: every column offers a few cuts, and the one that
//! lowers the loss of the two sides most is made.
//!
//! # Choices
//! - Suppressed columns and sets offer one value against the rest, for the two most frequent values; taxonomies one child of the
//!   node against the rest, for the two children with most records; ranges the cut nearest to the middle.
//! - Both sides must hold all constraints. Groups that no cut makes cheaper stay.
//! - Cuts are compared by the objective where it is a sum over the columns, else by LM.
//!
//! # Complexity
//! O(n · columns² · log(n / k)), in parallel.
//!
//! # Paper
//! Ours, after `LeFevre`, `DeWitt`, Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.

use rayon::prelude::*;

use super::{Build, Partitioner};
use crate::encode::{Code, Span};
use crate::error::Result;
use crate::problem::{Partition, Problem};
use crate::progress::Progress;
use crate::refine::Guide;
use crate::registry::Entry;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "top-down",
    about: "splits groups where the loss falls most; time n log n",
    paper: "ours, after Mondrian",
    params: &[],
    build: |_| Box::new(TopDown),
};

/// Groups below this size are not worth a second thread.
const PARALLEL: usize = 2048;

struct TopDown;

impl Partitioner for TopDown {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let rows = (0..problem.rows() as u32).collect();
        Partition::new(problem.rows(), split(problem, &Guide::new(problem)?, rows, progress)?)
    }
}

/// Splits the rows into groups. Where all of them together hold, each group does.
pub(super) fn split(problem: &Problem, guide: &Guide, rows: Vec<u32>, progress: Progress) -> Result<Vec<Vec<u32>>> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let Some((low, high)) = best(problem, guide, &rows) else {
        progress.advance(rows.len() as u64)?;
        return Ok(vec![rows]);
    };
    let (parallel, go) = (rows.len() >= PARALLEL, |rows| split(problem, guide, rows, progress));
    drop(rows);
    let (low, high) = if parallel { rayon::join(|| go(low), || go(high)) } else { (go(low), go(high)) };
    let mut groups = low?;
    groups.extend(high?);
    Ok(groups)
}

/// The two sides of the best cut.
fn best(problem: &Problem, guide: &Guide, rows: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
    if rows.len() < 2 * problem.min_size() {
        return None;
    }
    let whole = problem.cluster(rows)?;
    let now = guide.closure(whole.closure()) * rows.len() as f32;
    let offers: Vec<(usize, Offer)> = (0..guide.columns())
        .flat_map(|column| offers(guide, rows, column, whole.closure()[column]).into_iter().map(move |o| (column, o)))
        .collect();
    let gain = |(column, offer): &(usize, Offer)| {
        let sides = sides(guide, rows, *column, offer)?;
        let costs = |side: &Side| guide.closure(&side.spans) * side.size as f32;
        let least = problem.min_size();
        let fits = sides.iter().all(|side| side.size >= least);
        fits.then(|| now - costs(&sides[0]) - costs(&sides[1]))
    };
    let gains: Vec<Option<f32>> =
        if rows.len() >= PARALLEL { offers.par_iter().map(gain).collect() } else { offers.iter().map(gain).collect() };
    let mut ranked: Vec<(f32, usize)> =
        gains.into_iter().enumerate().filter_map(|(i, gain)| gain.filter(|g| *g > 0.0).map(|g| (g, i))).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().find_map(|(_, i)| {
        let (column, offer) = &offers[i];
        let (inside, outside): (Vec<u32>, Vec<u32>) =
            rows.iter().partition(|row| offer.contains(&guide.encoded().row(**row)[*column]));
        let holds = |rows: &[u32]| problem.holds(&problem.outline(rows));
        (holds(&inside) && holds(&outside)).then_some((inside, outside))
    })
}

/// The codes of one side of a cut.
type Offer = std::ops::Range<Code>;

/// The cuts that a column offers.
fn offers(guide: &Guide, rows: &[u32], column: usize, span: Span) -> Vec<Offer> {
    let domain = guide.domain(column);
    if domain.count(domain.close(span)) < 2 {
        return Vec::new();
    }
    let mut codes: Vec<Code> = rows.iter().map(|row| guide.encoded().row(*row)[column]).collect();
    if !domain.is_set() && !domain.is_suppress() && domain.hierarchy().is_none() {
        let middle = codes.len() / 2;
        let median = *codes.select_nth_unstable(middle).1;
        return [median, median + 1].into_iter().map(|cut| 0..cut).collect();
    }
    // The values, or the children of the taxonomy's node, by how many records they have.
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

/// Both sides of a cut; `None` where one is empty.
fn sides(guide: &Guide, rows: &[u32], column: usize, offer: &Offer) -> Option<[Side; 2]> {
    let mut sides: [Option<Side>; 2] = [None, None];
    for row in rows {
        let codes = guide.encoded().row(*row);
        let spans = codes.iter().enumerate().map(|(c, code)| guide.domain(c).span(*code));
        match &mut sides[usize::from(!offer.contains(&codes[column]))] {
            Some(side) => {
                side.size += 1;
                for ((c, span), more) in side.spans.iter_mut().enumerate().zip(spans) {
                    *span = guide.domain(c).join(*span, more);
                }
            }
            empty => *empty = Some(Side { size: 1, spans: spans.collect() }),
        }
    }
    let [inside, outside] = sides;
    inside.zip(outside).map(|(inside, outside)| [inside, outside])
}
