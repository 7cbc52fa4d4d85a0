//! What a partitioner returns.

use crate::error::{Error, Result};
use crate::registry::Spec;

/// Clusters of records. Every record is in exactly one cluster or suppressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    rows: Vec<u32>,
    /// The end of each cluster in `rows`.
    ends: Vec<u32>,
    suppressed: Vec<u32>,
    made_by: Option<Spec>,
    remarks: Vec<String>,
    levels: Vec<(String, u32)>,
}

impl Partition {
    /// The partition of `0..rows` into these clusters. Fails if a cluster is empty or a row is missing or
    /// repeated.
    pub fn new<C: AsRef<[u32]>>(rows: usize, clusters: impl IntoIterator<Item = C>) -> Result<Self> {
        Partition::suppressing(rows, clusters, Vec::new())
    }

    /// Like [`new`](Self::new), with these rows suppressed.
    pub fn suppressing<C: AsRef<[u32]>>(
        rows: usize,
        clusters: impl IntoIterator<Item = C>,
        suppressed: Vec<u32>,
    ) -> Result<Self> {
        let broken = |what: String| Error::Internal(format!("the partition is broken: {what}"));
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
        for row in &suppressed {
            match seen.get_mut(*row as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return Err(broken(format!("row {row} is suppressed and in a cluster"))),
            }
        }
        if let Some(row) = seen.iter().position(|s| !s) {
            return Err(broken(format!("row {row} is in no cluster")));
        }
        let (remarks, levels) = (Vec::new(), Vec::new());
        Ok(Partition { rows: all, ends, suppressed, made_by: None, remarks, levels })
    }

    /// The partition of `rows` rows in which each record is replaced by the rows that it stands for.
    pub fn expanded(&self, rows: usize, of: impl Fn(&[u32]) -> Vec<u32>) -> Result<Self> {
        let mut suppressed = of(&self.suppressed);
        suppressed.sort_unstable();
        let Partition { rows: all, ends, suppressed, .. } =
            Partition::suppressing(rows, self.clusters().map(&of), suppressed)?;
        Ok(Partition { rows: all, ends, suppressed, ..self.clone() })
    }

    /// Records the partitioner that makes this partition again on any machine, if the one that was asked
    /// for may not.
    #[must_use]
    pub fn made_by(self, spec: Spec) -> Self {
        Partition { made_by: Some(spec), ..self }
    }

    /// Publishes these columns at these [levels](crate::encode::Domain::levels), even where all values of a cluster have more in common.
    #[must_use]
    pub fn recoded(self, levels: Vec<(String, u32)>) -> Self {
        Partition { levels, ..self }
    }

    /// Takes over from another partition of the same records how it was made and at which levels it is published.
    #[must_use]
    pub fn like(self, other: &Partition) -> Self {
        Partition { made_by: other.made_by.clone(), levels: other.levels.clone(), ..self }
    }

    /// The levels at which columns are published, if these are the same for all clusters.
    pub fn levels(&self) -> &[(String, u32)] {
        &self.levels
    }

    /// The level below which no cell of a column is published.
    pub fn level(&self, column: &str) -> u32 {
        self.levels.iter().find(|(name, _)| name == column).map_or(0, |(_, level)| *level)
    }

    /// Adds remarks about how the partition was made, for readers of the report.
    #[must_use]
    pub fn remarked(mut self, remarks: impl IntoIterator<Item = String>) -> Self {
        self.remarks.extend(remarks);
        self
    }

    /// Remarks about how the partition was made, for readers of the report.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The partitioner that makes this partition again, if it is not the one that was asked for.
    pub fn maker(&self) -> Option<&Spec> {
        self.made_by.as_ref()
    }

    /// The rows that are in no cluster.
    pub fn suppressed(&self) -> &[u32] {
        &self.suppressed
    }

    /// The number of clusters.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no cluster.
    #[cfg(feature = "internals")]
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
