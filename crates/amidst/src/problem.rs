//! What a partitioner is given and what it gives back.

use std::sync::Arc;

use crate::constraint::Constraint;
use crate::cost::Measure;
use crate::encode::{Encoded, Span};
use crate::error::{Error, Result};

/// A set of records as far as measures and constraints care: how many, and their closure.
///
/// Adding a record or another cluster costs one join per column; no member is looked at again.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    size: usize,
    closure: Vec<Span>,
}

impl Cluster {
    /// A cluster of that size whose closure is known.
    pub fn new(size: usize, closure: Vec<Span>) -> Self {
        Cluster { size, closure }
    }

    /// The cluster of these rows; `None` without any.
    pub fn of(encoded: &Encoded, rows: &[u32]) -> Option<Self> {
        let (first, rest) = rows.split_first()?;
        let domains = encoded.domains();
        let closure = domains.iter().zip(encoded.row(*first)).map(|(d, code)| d.span(*code)).collect();
        let mut cluster = Cluster { size: 1, closure };
        rest.iter().for_each(|row| cluster.add(encoded, *row));
        Some(cluster)
    }

    /// One record more.
    pub fn add(&mut self, encoded: &Encoded, row: u32) {
        self.size += 1;
        for ((span, domain), code) in self.closure.iter_mut().zip(encoded.domains()).zip(encoded.row(row)) {
            *span = domain.join(*span, domain.span(*code));
        }
    }

    /// All records of another cluster more.
    pub fn join(&mut self, encoded: &Encoded, other: &Cluster) {
        self.size += other.size;
        for ((span, domain), more) in self.closure.iter_mut().zip(encoded.domains()).zip(&other.closure) {
            *span = domain.join(*span, *more);
        }
    }

    /// The number of records.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The joined spans of each column, not yet [closed](crate::encode::Domain::close).
    pub fn closure(&self) -> &[Span] {
        &self.closure
    }
}

/// Everything a partitioner may know.
pub struct Problem {
    /// The records.
    pub encoded: Arc<Encoded>,
    /// The loss to keep low.
    pub measure: Box<dyn Measure>,
    /// What every cluster must satisfy.
    pub constraints: Vec<Box<dyn Constraint>>,
    /// The seed of all random choices.
    pub seed: u64,
}

impl Problem {
    /// A problem that has a solution: the whole table in one cluster, if need be.
    pub fn new(
        encoded: Arc<Encoded>,
        measure: Box<dyn Measure>,
        constraints: Vec<Box<dyn Constraint>>,
        seed: u64,
    ) -> Result<Self> {
        let rows: Vec<u32> = (0..encoded.rows() as u32).collect();
        if let Some(whole) = Cluster::of(&encoded, &rows) {
            constraints.iter().try_for_each(|c| c.feasible(&whole))?;
        }
        Ok(Problem { encoded, measure, constraints, seed })
    }

    /// The number of records.
    pub fn rows(&self) -> usize {
        self.encoded.rows()
    }

    /// The cluster of these rows; `None` without any.
    pub fn cluster(&self, rows: &[u32]) -> Option<Cluster> {
        Cluster::of(&self.encoded, rows)
    }

    /// True when every constraint holds.
    pub fn holds(&self, cluster: &Cluster) -> bool {
        self.constraints.iter().all(|c| c.holds(cluster))
    }

    /// The size below which no cluster can hold.
    pub fn min_size(&self) -> usize {
        self.constraints.iter().map(|c| c.min_size()).max().unwrap_or(1)
    }

    /// The mean loss of a record.
    pub fn loss(&self, partition: &Partition) -> f64 {
        let clusters = partition.clusters().filter_map(|rows| self.cluster(rows));
        clusters.map(|c| self.measure.cluster(&c)).sum::<f64>() / self.rows() as f64
    }
}

/// Every record in exactly one cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    rows: Vec<u32>,
    /// Where each cluster ends in `rows`.
    ends: Vec<u32>,
}

impl Partition {
    /// The partition of `0..rows` into these clusters. Refuses empty clusters, and rows that are missing or repeated.
    pub fn new<C: AsRef<[u32]>>(rows: usize, clusters: impl IntoIterator<Item = C>) -> Result<Self> {
        let broken = |what: String| Error::Unverified(format!("the partition is broken: {what}"));
        let mut all = Vec::with_capacity(rows);
        let mut ends = Vec::new();
        let mut seen = vec![false; rows];
        for cluster in clusters {
            let cluster = cluster.as_ref();
            if cluster.is_empty() {
                return Err(broken("a cluster is empty".to_owned()));
            }
            for &row in cluster {
                match seen.get_mut(row as usize) {
                    Some(seen) if !*seen => *seen = true,
                    Some(_) => return Err(broken(format!("row {row} is in two clusters"))),
                    None => return Err(broken(format!("there is no row {row}"))),
                }
            }
            all.extend_from_slice(cluster);
            ends.push(all.len() as u32);
        }
        match seen.iter().position(|s| !s) {
            Some(row) => Err(broken(format!("row {row} is in no cluster"))),
            None => Ok(Partition { rows: all, ends }),
        }
    }

    /// The number of clusters.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is no cluster.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The rows of each cluster.
    pub fn clusters(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.rows[start as usize..*end as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_covers_every_row_once() {
        let new = |clusters: &[&[u32]]| Partition::new(4, clusters).map(|p| p.len()).map_err(|e| e.to_string());
        assert_eq!(new(&[&[0, 3], &[1, 2]]), Ok(2));
        assert!(new(&[&[0, 3], &[1]]).unwrap_err().ends_with("row 2 is in no cluster"));
        assert!(new(&[&[0, 3], &[1, 2, 3]]).unwrap_err().ends_with("row 3 is in two clusters"));
        assert!(new(&[&[0, 3], &[1, 2, 4]]).unwrap_err().ends_with("there is no row 4"));
        assert!(new(&[&[0, 3, 1, 2], &[]]).unwrap_err().ends_with("a cluster is empty"));
    }
}
