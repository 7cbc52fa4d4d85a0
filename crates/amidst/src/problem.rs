//! What a partitioner is given and what it gives back.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::constraint::{self, Constraint};
use crate::cost::{self, Measure};
use crate::encode::{Code, Domain, Encoded, Sensitive, Span};
use crate::error::{Error, Result};
use crate::plan::Plan;
use crate::registry::Spec;

/// A set of records as far as measures and constraints care: how many, their closure, and how often each sensitive
/// value occurs among them.
///
/// Adding a record or another cluster costs one join per column; no member is looked at again.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    size: usize,
    closure: Vec<Span>,
    histograms: Vec<Histogram>,
}

impl Cluster {
    /// A cluster whose state is known. Without measures or constraints that look at them there need be no histograms.
    pub fn new(size: usize, closure: Vec<Span>, histograms: Vec<Histogram>) -> Self {
        Cluster { size, closure, histograms }
    }

    /// The number of records.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The joined spans of each column, not yet [closed](crate::encode::Domain::close).
    pub fn closure(&self) -> &[Span] {
        &self.closure
    }

    /// How often each value of each sensitive column occurs. Empty where [nobody looks at them](Measure::uses_sensitive).
    pub fn histograms(&self) -> &[Histogram] {
        &self.histograms
    }
}

/// How often values occur: those that do, by rising code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram(Vec<(Code, u32)>);

impl Histogram {
    /// `times` more of a value.
    pub fn add(&mut self, code: Code, times: u32) {
        match self.0.binary_search_by_key(&code, |(c, _)| *c) {
            Ok(place) => self.0[place].1 += times,
            Err(place) => self.0.insert(place, (code, times)),
        }
    }

    /// One less of a value that occurs.
    pub fn remove(&mut self, code: Code) {
        if let Ok(place) = self.0.binary_search_by_key(&code, |(c, _)| *c) {
            self.0[place].1 -= 1;
            if self.0[place].1 == 0 {
                self.0.remove(place);
            }
        }
    }

    /// How often a value occurs.
    pub fn times(&self, code: Code) -> u32 {
        self.0.binary_search_by_key(&code, |(c, _)| *c).map_or(0, |place| self.0[place].1)
    }

    /// The highest value that occurs.
    #[cfg(feature = "internals")]
    pub fn highest(&self) -> Option<Code> {
        self.0.last().map(|(code, _)| *code)
    }

    /// The values that occur and how often.
    pub fn iter(&self) -> impl Iterator<Item = (Code, u32)> {
        self.0.iter().copied()
    }

    /// How many different values occur.
    pub fn distinct(&self) -> usize {
        self.0.len()
    }

    /// How often the most frequent value occurs.
    pub fn most(&self) -> u32 {
        self.0.iter().map(|(_, times)| *times).max().unwrap_or(0)
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
    /// Whether clusters count sensitive values.
    watches: bool,
    /// Whether a constraint looks at them.
    guarded: bool,
    /// For each row the number of its combination of sensitive values, where a constraint looks at them.
    secrets: Vec<u32>,
}

impl Problem {
    /// A problem that has a solution: the whole table in one cluster, if need be.
    #[cfg(feature = "internals")]
    pub fn new(
        encoded: Arc<Encoded>,
        measure: Box<dyn Measure>,
        constraints: Vec<Box<dyn Constraint>>,
        seed: u64,
    ) -> Result<Self> {
        let problem = Problem::unchecked(encoded, measure, constraints, seed);
        problem.feasible()?;
        Ok(problem)
    }

    /// A problem that may have no solution, unless records are suppressed.
    pub fn unchecked(
        encoded: Arc<Encoded>,
        measure: Box<dyn Measure>,
        constraints: Vec<Box<dyn Constraint>>,
        seed: u64,
    ) -> Self {
        let guarded = constraints.iter().any(|c| c.uses_sensitive());
        let watches = guarded || measure.uses_sensitive();
        let secrets = if guarded { secrets(&encoded) } else { Vec::new() };
        Problem { encoded, measure, constraints, seed, watches, guarded, secrets }
    }

    /// What a plan asks of these records. It may have no solution, unless records are suppressed.
    pub fn of(plan: &Plan, encoded: Arc<Encoded>, seed: u64) -> Result<Self> {
        let measure = cost::build(&plan.method.measure, &encoded)?;
        let constraints = constraint::all(plan, &encoded)?;
        Ok(Problem::unchecked(encoded, measure, constraints, seed))
    }

    /// Refuses what not even the whole table in one cluster satisfies, and says what can be had.
    pub fn feasible(&self) -> Result<()> {
        let rows: Vec<u32> = (0..self.rows() as u32).collect();
        let whole = self.outline(&rows);
        self.constraints.iter().try_for_each(|c| c.feasible(&whole))
    }

    /// The number of records.
    pub fn rows(&self) -> usize {
        self.encoded.rows()
    }

    /// The cluster of these rows; `None` without any.
    pub fn cluster(&self, rows: &[u32]) -> Option<Cluster> {
        let (first, rest) = rows.split_first()?;
        let domains = self.encoded.domains();
        let closure = domains.iter().zip(self.encoded.row(*first)).map(|(d, code)| d.span(*code)).collect();
        let histograms = self.watched().iter().map(|s| Histogram(vec![(s.row(*first), 1)])).collect();
        let mut cluster = Cluster { size: 1, closure, histograms };
        rest.iter().for_each(|row| self.add(&mut cluster, *row));
        Some(cluster)
    }

    /// The cluster of these rows as far as constraints care: without its closure.
    pub fn outline(&self, rows: &[u32]) -> Cluster {
        let count = |sensitive: &Sensitive| {
            let mut histogram = Histogram::default();
            rows.iter().for_each(|row| histogram.add(sensitive.row(*row), 1));
            histogram
        };
        Cluster { size: rows.len(), closure: Vec::new(), histograms: self.watched().iter().map(count).collect() }
    }

    /// One record more.
    pub fn add(&self, cluster: &mut Cluster, row: u32) {
        self.count(cluster, row);
        for ((span, domain), code) in cluster.closure.iter_mut().zip(self.encoded.domains()).zip(self.encoded.row(row))
        {
            *span = domain.join(*span, domain.span(*code));
        }
    }

    /// All records of another cluster more.
    pub fn join(&self, cluster: &mut Cluster, other: &Cluster) {
        cluster.size += other.size;
        for ((span, domain), more) in cluster.closure.iter_mut().zip(self.encoded.domains()).zip(&other.closure) {
            *span = domain.join(*span, *more);
        }
        for (histogram, more) in cluster.histograms.iter_mut().zip(&other.histograms) {
            more.iter().for_each(|(code, times)| histogram.add(code, times));
        }
    }

    /// The sensitive columns whose values clusters count.
    pub(crate) fn watched(&self) -> &[Sensitive] {
        if self.watches { self.encoded.watched() } else { &[] }
    }

    /// True when clusters that hold always hold together.
    pub fn monotone(&self) -> bool {
        self.constraints.iter().all(|constraint| constraint.monotone())
    }

    /// True when a constraint looks at more than the size of a cluster.
    pub fn guarded(&self) -> bool {
        self.guarded
    }

    /// True when every constraint holds.
    pub fn holds(&self, cluster: &Cluster) -> bool {
        self.constraints.iter().all(|c| c.holds(cluster))
    }

    /// True when a cluster holds, or has as many records as it needs at least where sensitive values matter: merging whole clusters
    /// until these hold would soon make one of all, so that is left to [mending](crate::partition::build).
    pub fn enough(&self, cluster: &Cluster) -> bool {
        if self.guarded { cluster.size >= self.min_size() } else { self.holds(cluster) }
    }

    /// True when these rows satisfy every constraint together.
    pub fn hold(&self, rows: &[u32]) -> bool {
        rows.len() >= self.min_size() && (!self.guarded || self.holds(&self.outline(rows)))
    }

    /// About how many records a cluster is short of, by the constraint that it is furthest from; 0 when every one holds.
    pub fn lack(&self, cluster: &Cluster) -> f64 {
        self.constraints.iter().map(|c| c.lack(cluster)).fold(0.0, f64::max)
    }

    /// What a cluster would lack with one record more.
    pub fn lack_with(&self, cluster: &mut Cluster, row: u32) -> f64 {
        self.count(cluster, row);
        let lack = self.lack(cluster);
        self.discount(cluster, row);
        lack
    }

    /// One record more, as far as constraints care.
    pub fn count(&self, cluster: &mut Cluster, row: u32) {
        cluster.size += 1;
        for (histogram, sensitive) in cluster.histograms.iter_mut().zip(self.watched()) {
            histogram.add(sensitive.row(row), 1);
        }
    }

    /// One record less, as far as constraints care.
    pub fn discount(&self, cluster: &mut Cluster, row: u32) {
        cluster.size -= 1;
        for (histogram, sensitive) in cluster.histograms.iter_mut().zip(self.watched()) {
            histogram.remove(sensitive.row(row));
        }
    }

    /// What a cluster lacks, leaving aside its size.
    pub fn secret_lack(&self, cluster: &Cluster) -> f64 {
        let secret = self.constraints.iter().filter(|c| c.uses_sensitive());
        secret.map(|c| c.lack(cluster)).fold(0.0, f64::max)
    }

    /// Leaves out what there is too much of: which of these units, each so many rows like this one, satisfy every constraint
    /// together. `None` where no large enough part does.
    ///
    /// One after the other those leave that bring the rest nearest to holding. Where two values are too frequent neither does,
    /// and then one of the largest begins.
    pub fn trim(&self, units: &[(u32, u32)]) -> Option<Vec<bool>> {
        let mut state =
            Cluster { size: 0, closure: Vec::new(), histograms: vec![Histogram::default(); self.watched().len()] };
        units.iter().for_each(|(row, times)| (0..*times).for_each(|_| self.count(&mut state, *row)));
        let mut kept = vec![true; units.len()];
        // The units of each combination of sensitive values, last first, and how many records these are.
        let mut buckets: Vec<(Vec<usize>, u32)> = Vec::new();
        let mut lack = self.lack(&state);
        while lack > 0.0 {
            if state.size <= self.min_size() {
                return None;
            }
            if buckets.is_empty() {
                buckets = self.buckets(units);
            }
            let mut best: Option<(f64, u32, usize)> = None;
            for (place, (bucket, records)) in buckets.iter().enumerate() {
                let Some((row, times)) = bucket.last().map(|unit| units[*unit]) else { continue };
                (0..times).for_each(|_| self.discount(&mut state, row));
                let without = self.lack(&state);
                (0..times).for_each(|_| self.count(&mut state, row));
                if best.is_none_or(|(least, most, _)| without < least || without <= least && *records > most) {
                    best = Some((without, *records, place));
                }
            }
            let (without, _, place) = best?;
            let unit = buckets[place].0.pop()?;
            let (row, times) = units[unit];
            buckets[place].1 -= times;
            (0..times).for_each(|_| self.discount(&mut state, row));
            kept[unit] = false;
            lack = without;
        }
        Some(kept)
    }

    fn buckets(&self, units: &[(u32, u32)]) -> Vec<(Vec<usize>, u32)> {
        let mut order: Vec<usize> = (0..units.len()).collect();
        order.sort_by_key(|unit| self.secret(units[*unit].0));
        let alike = order.chunk_by(|a, b| self.secret(units[*a].0) == self.secret(units[*b].0));
        alike.map(|bucket| (bucket.to_vec(), bucket.iter().map(|unit| units[*unit].1).sum())).collect()
    }

    /// The same number for all records that constraints cannot tell apart.
    pub fn secret(&self, row: u32) -> u32 {
        self.secrets.get(row as usize).copied().unwrap_or(0)
    }

    /// The size below which no cluster can hold.
    pub fn min_size(&self) -> usize {
        self.constraints.iter().map(|c| c.min_size()).max().unwrap_or(1)
    }

    /// The loss of the whole table. Nothing is left of records that are suppressed.
    pub fn loss(&self, partition: &Partition) -> f64 {
        let clusters = partition.clusters().filter_map(|rows| self.cluster(rows));
        cost::loss(&*self.measure, clusters.chain(self.suppressed(partition.suppressed())), self.rows())
    }

    /// What is left of suppressed rows; `None` without any.
    pub fn suppressed(&self, rows: &[u32]) -> Option<Cluster> {
        let mut cluster = self.cluster(rows)?;
        cluster.closure = self.encoded.domains().iter().map(Domain::everything).collect();
        Some(cluster)
    }
}

/// Numbers the combinations of values of the watched columns.
fn secrets(encoded: &Encoded) -> Vec<u32> {
    let mut known: FxHashMap<Vec<Code>, u32> = FxHashMap::default();
    let mut secrets = Vec::with_capacity(encoded.rows());
    for row in 0..encoded.rows() as u32 {
        let values = encoded.watched().iter().map(|sensitive| sensitive.row(row)).collect();
        let next = known.len() as u32;
        secrets.push(*known.entry(values).or_insert(next));
    }
    secrets
}

/// Every record in exactly one cluster, but for those that are suppressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    rows: Vec<u32>,
    /// Where each cluster ends in `rows`.
    ends: Vec<u32>,
    suppressed: Vec<u32>,
    made_by: Option<Spec>,
    remarks: Vec<String>,
}

impl Partition {
    /// The partition of `0..rows` into these clusters. Refuses empty clusters, and rows that are missing or repeated.
    pub fn new<C: AsRef<[u32]>>(rows: usize, clusters: impl IntoIterator<Item = C>) -> Result<Self> {
        Partition::suppressing(rows, clusters, Vec::new())
    }

    /// As [`new`](Self::new), but these rows are in no cluster.
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
        match seen.iter().position(|s| !s) {
            Some(row) => Err(broken(format!("row {row} is in no cluster"))),
            None => Ok(Partition { rows: all, ends, suppressed, made_by: None, remarks: Vec::new() }),
        }
    }

    /// The same partition, and the partitioner that makes it again on any machine where the one that was asked for may not.
    #[must_use]
    pub fn made_by(self, spec: Spec) -> Self {
        Partition { made_by: Some(spec), ..self }
    }

    /// The same partition, and something that whoever reads the report should know about how it was made.
    #[must_use]
    pub fn remarked(mut self, remarks: impl IntoIterator<Item = String>) -> Self {
        self.remarks.extend(remarks);
        self
    }

    /// What whoever reads the report should know about how it was made.
    pub fn remarks(&self) -> &[String] {
        &self.remarks
    }

    /// The partitioner that makes it again, where that is not the one that was asked for.
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

    /// True when there is no cluster.
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

/// A seed made of another and a number (the finalizer of splitmix64).
pub(crate) fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
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
