//! Mondrian: cut a group at the median of its widest column, again and again.
//!
//! # Idea
//! Begin with all records in one group. Take the column in which the closure of the group loses the largest
//! share of what it can lose by the measure. Among several, take the one whose values spread farthest. Cut
//! the group there, and go on with the parts until no column can be cut without breaking a constraint.
//!
//! # Choices
//! | | `cut=strict` (default) | `cut=relaxed` |
//! |---|---|---|
//! | values in order | at the median *value*: equal values stay together | at the median *record*: equal values may be separated |
//! | taxonomy | into the children of the closure's node, if all of them satisfy the constraints | children that do not satisfy them are pooled |
//!
//! - A strict cut puts the median value on the side that makes the parts more even. With `median=low`, as
//!   in the paper, it goes to the lower part, unless nothing would be left for the upper one.
//! - Values of sets and of suppressed columns are cut in the order of their codes.
//! - If the median cut of a column is not allowed, the next column is tried.
//!
//! # Complexity
//! O(n · columns · log n) for balanced cuts. Parts are split in parallel.
//!
//! # Paper
//! LeFevre, DeWitt and Ramakrishnan: Mondrian multidimensional k-anonymity. ICDE 2006.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --partitioner 'mondrian(relaxed)'
//! ```

use rayon::prelude::*;

use super::{Build, Partitioner};
use crate::encode::{Code, Domain};
use crate::error::Result;
use crate::problem::{Cluster, Partition, Problem};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "mondrian",
    about: "cuts the widest column at its median while both parts satisfy the constraints; time n log n",
    paper: "LeFevre, DeWitt and Ramakrishnan, ICDE 2006",
    params: &[
        Param {
            name: "cut",
            about: "strict keeps equal values together; relaxed may separate them, and pools small children of a taxonomy",
            range: Range::Choice(&["strict", "relaxed"]),
            default: Some(Value::Word("strict")),
        },
        Param {
            name: "median",
            about: "the side of the median value in a strict cut: where the parts become more even (even), or the lower part (low)",
            range: Range::Choice(&["even", "low"]),
            default: Some(Value::Word("even")),
        },
    ],
    build: |params| {
        Box::new(Mondrian { relaxed: params.word("cut") == "relaxed", low: params.word("median") == "low" })
    },
};

/// Groups with fewer rows are split on one thread.
const MIN_PARALLEL_ROWS: usize = 4096;

struct Mondrian {
    relaxed: bool,
    low: bool,
}

impl Partitioner for Mondrian {
    fn partition(&self, problem: &Problem, progress: Progress) -> Result<Partition> {
        progress.begin("partitioning", problem.rows() as u64)?;
        let mut rows: Vec<u32> = (0..problem.rows() as u32).collect();
        let Some(whole) = problem.cluster(&rows) else { return Partition::new(0, [[]; 0]) };
        let clusters = MedianSplit { mondrian: self, problem, progress }.split(&mut rows, &whole)?;
        Partition::new(problem.rows(), clusters)
    }
}

/// The state of one run.
struct MedianSplit<'a> {
    mondrian: &'a Mondrian,
    problem: &'a Problem,
    progress: Progress<'a>,
}

impl MedianSplit<'_> {
    /// Splits a group until nothing can be cut any more.
    fn split<'r>(&self, rows: &'r mut [u32], group: &Cluster) -> Result<Vec<&'r [u32]>> {
        let Some(parts) = self.cut(rows, group) else {
            self.progress.advance(rows.len() as u64)?;
            return Ok(vec![rows]);
        };
        let parallel = rows.len() >= MIN_PARALLEL_ROWS;
        let mut pieces = Vec::with_capacity(parts.len());
        let mut rest = rows;
        for part in parts {
            let (piece, behind) = rest.split_at_mut(part.size());
            pieces.push((piece, part));
            rest = behind;
        }
        let split = |(piece, part): (&'r mut [u32], Cluster)| self.split(piece, &part);
        let done: Vec<Vec<&[u32]>> = if parallel {
            pieces.into_par_iter().map(split).collect::<Result<_>>()?
        } else {
            pieces.into_iter().map(split).collect::<Result<_>>()?
        };
        Ok(done.concat())
    }

    /// The parts of the first cut that is allowed. Reorders the rows so that the parts stand one after the
    /// other.
    fn cut(&self, rows: &mut [u32], group: &Cluster) -> Option<Vec<Cluster>> {
        if rows.len() < 2 * self.problem.min_size() {
            return None;
        }
        let columns = self.by_width(group);
        columns.into_iter().find_map(|column| self.cut_column(rows, column))
    }

    /// The columns that can be cut, those that lose the largest share of what they can lose first.
    fn by_width(&self, group: &Cluster) -> Vec<usize> {
        let domains = self.problem.encoded.domains();
        let mut columns: Vec<(f64, f64, usize)> = domains
            .iter()
            .zip(group.closure())
            .enumerate()
            .filter(|(_, (domain, span))| domain.count(**span) > 1)
            .map(|(column, (domain, span))| {
                let loss = |span| self.problem.measure.cell(column, span);
                let most = loss(domain.everything());
                let share = if most > 0.0 { loss(*span) / most } else { 0.0 };
                (domain.weight() * share, domain.count(*span) as f64 / domain.len() as f64, column)
            })
            .collect();
        columns.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        columns.into_iter().map(|(_, _, column)| column).collect()
    }

    fn cut_column(&self, rows: &mut [u32], column: usize) -> Option<Vec<Cluster>> {
        let sizes = match self.problem.encoded.domains()[column].hierarchy() {
            Some(_) => self.cut_taxonomy(rows, column)?,
            None => self.cut_order(rows, column)?,
        };
        let mut parts = Vec::with_capacity(sizes.len());
        let mut rest = &*rows;
        for size in sizes {
            let (part, behind) = rest.split_at(size);
            let part = self.problem.cluster(part)?;
            if !self.problem.holds(&part) {
                return None;
            }
            parts.push(part);
            rest = behind;
        }
        Some(parts)
    }

    fn code(&self, row: u32, column: usize) -> Code {
        self.problem.encoded.row(row)[column]
    }

    /// Cuts at the median into two parts. Returns their sizes.
    fn cut_order(&self, rows: &mut [u32], column: usize) -> Option<Vec<usize>> {
        let middle = rows.len() / 2;
        if self.mondrian.relaxed {
            // Rows with equal codes in the order of the table, so that the result does not depend on how
            // they lay before.
            rows.select_nth_unstable_by_key(middle, |row| (self.code(*row, column), *row));
            return Some(vec![middle, rows.len() - middle]);
        }
        let mut codes: Vec<Code> = rows.iter().map(|row| self.code(*row, column)).collect();
        let median = *codes.select_nth_unstable(middle).1;
        let below = codes.iter().filter(|code| **code < median).count();
        let upto = codes.iter().filter(|code| **code <= median).count();
        let balance = |size: usize| size.min(rows.len() - size);
        let with_upper = if self.mondrian.low { upto == rows.len() } else { balance(below) >= balance(upto) };
        let (size, first_high) = if with_upper { (below, median) } else { (upto, median + 1) };
        if balance(size) == 0 {
            return None;
        }
        let is_low = |row: &&u32| self.code(**row, column) < first_high;
        let parts: (Vec<u32>, Vec<u32>) = rows.iter().partition(is_low);
        rows[..size].copy_from_slice(&parts.0);
        rows[size..].copy_from_slice(&parts.1);
        Some(vec![size, rows.len() - size])
    }

    /// Cuts into one part for each child of the lowest node above all values. Returns their sizes.
    fn cut_taxonomy(&self, rows: &mut [u32], column: usize) -> Option<Vec<usize>> {
        let domain: &Domain = &self.problem.encoded.domains()[column];
        let codes = rows.iter().map(|row| self.code(*row, column));
        let (lo, hi) = codes.fold((Code::MAX, 0), |(lo, hi), code| (lo.min(code), hi.max(code)));
        let starts = domain.hierarchy()?.children(lo, hi);
        let child = |row: u32| starts.partition_point(|start| *start <= self.code(row, column));
        rows.sort_by_cached_key(|row| child(*row));
        let mut sizes: Vec<usize> = rows.chunk_by(|a, b| child(*a) == child(*b)).map(<[u32]>::len).collect();
        if self.mondrian.relaxed {
            sizes = self.pool(rows, sizes);
        }
        (sizes.len() > 1).then_some(sizes)
    }

    /// Moves the rows of all children that break a constraint to the end, as one part. While that pool
    /// breaks one, too, the smallest of the other children joins it.
    fn pool(&self, rows: &mut [u32], sizes: Vec<usize>) -> Vec<usize> {
        let mut rest = &*rows;
        let mut children: Vec<Vec<u32>> = Vec::with_capacity(sizes.len());
        for size in sizes {
            let (child, behind) = rest.split_at(size);
            children.push(child.to_vec());
            rest = behind;
        }
        let holds = |rows: &[u32]| self.problem.cluster(rows).is_some_and(|c| self.problem.holds(&c));
        let (mut kept, small): (Vec<_>, Vec<_>) = children.into_iter().partition(|child| holds(child));
        let mut pool = small.concat();
        while !pool.is_empty() && !holds(&pool) {
            let Some(smallest) = (0..kept.len()).min_by_key(|&i| kept[i].len()) else { break };
            pool.extend(kept.remove(smallest));
        }
        if !pool.is_empty() {
            kept.push(pool);
        }
        for (place, row) in rows.iter_mut().zip(kept.iter().flatten()) {
            *place = *row;
        }
        kept.iter().map(Vec::len).collect()
    }
}
