//! What a partitioner gets and what it returns: a [`Problem`] and a [`Partition`].

mod crowd;
mod histogram;
mod partition;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::constraint::{self, Constraint};
use crate::cost::{self, Measure};
use crate::encode::{Code, Domain, Encoded, Persons, Sensitive, Span};
use crate::error::{Error, Result};
use crate::plan::Plan;
pub use crowd::{Borne, Crowd};
pub use histogram::Histogram;
pub use partition::Partition;

/// The state of a set of records, as measures and constraints see it: its size, its closure, and how often
/// each sensitive value occurs in it.
///
/// Adding a record or another cluster costs one join per column and never looks at the members again.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    size: usize,
    closure: Vec<Span>,
    histograms: Vec<Histogram>,
    /// Its persons, if some have several records.
    crowd: Option<Crowd>,
}

impl Cluster {
    /// A cluster with a known state. Without measures or constraints that look at histograms, these may be
    /// empty.
    pub fn new(size: usize, closure: Vec<Span>, histograms: Vec<Histogram>) -> Self {
        Cluster { size, closure, histograms, crowd: None }
    }

    /// The same cluster with these persons.
    #[must_use]
    pub fn among(self, crowd: Option<Crowd>) -> Self {
        Cluster { crowd, ..self }
    }

    /// The number of records.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The joined spans of each column, not yet [closed](crate::encode::Domain::close).
    pub fn closure(&self) -> &[Span] {
        &self.closure
    }

    /// How often each value of each sensitive column occurs. Empty if neither the measure nor a constraint
    /// [looks at them](Measure::uses_sensitive).
    pub fn histograms(&self) -> &[Histogram] {
        &self.histograms
    }

    /// Its persons, if some have several records.
    pub fn crowd(&self) -> Option<&Crowd> {
        self.crowd.as_ref()
    }

    /// The number of persons, which is that of the records if nobody has several.
    pub fn persons(&self) -> usize {
        self.crowd.as_ref().map_or(self.size, Crowd::persons)
    }

    /// Only those of its persons who have rows in another table, which the watched column `place` says. `None` if there are none.
    pub fn with_rows(&self, place: usize) -> Option<Cluster> {
        let persons = self.values(place).next()?.bearers as usize;
        let crowd = self.crowd.as_ref().map(|crowd| crowd.of_some(persons));
        Some(Cluster { size: persons, closure: Vec::new(), histograms: Vec::new(), crowd })
    }

    /// The values of a sensitive column, by rising code, and who has them.
    pub fn values(&self, column: usize) -> Values<'_> {
        match &self.crowd {
            Some(crowd) => Values::Borne(crowd.values(column).iter()),
            None => Values::Counted(self.histograms[column].counts().iter()),
        }
    }
}

/// The values of a sensitive column in a cluster, and who has them.
#[derive(Debug, Clone)]
pub enum Values<'a> {
    /// Every record is a person.
    Counted(std::slice::Iter<'a, (Code, u32)>),
    /// Some persons have several records.
    Borne(std::slice::Iter<'a, Borne>),
}

impl Iterator for Values<'_> {
    type Item = Borne;

    fn next(&mut self) -> Option<Borne> {
        match self {
            Values::Counted(counts) => {
                counts.next().map(|(code, times)| Borne { code: *code, bearers: *times, weight: f64::from(*times) })
            }
            Values::Borne(borne) => borne.next().copied(),
        }
    }
}

/// How records belong to persons, and so what clusters keep track of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Belonging {
    /// Every record is a person with one value in each sensitive column that constraints look at.
    One,
    /// Every record is a person, and some have several values.
    Profiles,
    /// Some persons have several records.
    Several,
}

/// What a partitioner has to solve: records, a measure to minimize, and constraints.
pub struct Problem {
    /// The records.
    pub encoded: Arc<Encoded>,
    /// The loss to minimize.
    pub measure: Box<dyn Measure>,
    /// What every cluster must satisfy.
    pub constraints: Vec<Box<dyn Constraint>>,
    /// The seed of all random choices.
    pub seed: u64,
    /// Whether clusters count sensitive values.
    watches: bool,
    /// Whether a constraint looks at sensitive values.
    values_count: bool,
    /// How records belong to persons.
    belonging: Belonging,
    /// For each row, the number of what constraints see of it: its sensitive values, and its person if that has several records. Empty
    /// if all rows are alike to them.
    secrets: Vec<u32>,
}

impl Problem {
    /// A problem with a solution: if need be, the whole table as one cluster. Fails if there is none.
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

    /// A problem that may have no solution unless records are suppressed.
    pub fn unchecked(
        encoded: Arc<Encoded>,
        measure: Box<dyn Measure>,
        constraints: Vec<Box<dyn Constraint>>,
        seed: u64,
    ) -> Self {
        let values_count = constraints.iter().any(|c| c.uses_sensitive());
        let watches = values_count || measure.uses_sensitive();
        let crowded = encoded.persons().is_some_and(Persons::some_have_several);
        let profiles = values_count && encoded.watched().iter().any(Sensitive::has_profiles);
        let belonging = match (crowded, profiles) {
            (true, _) => Belonging::Several,
            (false, true) => Belonging::Profiles,
            (false, false) => Belonging::One,
        };
        let secrets = if values_count || crowded { secrets(&encoded, values_count, crowded) } else { Vec::new() };
        Problem { encoded, measure, constraints, seed, watches, values_count, belonging, secrets }
    }

    /// The problem that a plan sets for these records. It may have no solution unless records are
    /// suppressed.
    pub fn of(plan: &Plan, encoded: Arc<Encoded>, seed: u64) -> Result<Self> {
        let measure = cost::build(&plan.method.measure, &encoded)?;
        let constraints = constraint::all(plan, &encoded)?;
        Ok(Problem::unchecked(encoded, measure, constraints, seed))
    }

    /// Fails if not even the whole table as one cluster satisfies the constraints. The message says what is
    /// possible.
    pub fn feasible(&self) -> Result<()> {
        let rows: Vec<u32> = (0..self.rows() as u32).collect();
        let whole = self.outline(&rows);
        // Where persons have several records, their values may be spread over clusters that satisfy what the whole table does not.
        let certain = self.constraints.iter().filter(|c| !self.crowded() || !c.uses_sensitive() || c.only_grows());
        certain.into_iter().try_for_each(|c| c.feasible(&whole)).map_err(|e| match e {
            Error::TooFewRows { rows: persons, k } if self.encoded.persons().is_some() => {
                Error::TooFewPersons { persons, k }
            }
            e => e,
        })
    }

    /// The number of records.
    pub fn rows(&self) -> usize {
        self.encoded.rows()
    }

    /// The number of rows of the table that these records stand for.
    pub fn weight(&self, records: &[u32]) -> usize {
        records.iter().map(|record| self.encoded.weight(*record) as usize).sum()
    }

    /// The cluster of these rows; `None` if there are none.
    pub fn cluster(&self, rows: &[u32]) -> Option<Cluster> {
        let (first, rest) = rows.split_first()?;
        let domains = self.encoded.domains();
        let closure = domains.iter().zip(self.encoded.row(*first)).map(|(d, code)| d.span(*code)).collect();
        let histograms = self.watched().iter().map(|s| Histogram::of_one(s.row(*first))).collect();
        let mut cluster = Cluster { size: 1, closure, histograms, crowd: self.crowd_of(&rows[..1]) };
        rest.iter().for_each(|row| self.add(&mut cluster, *row));
        Some(cluster)
    }

    /// The cluster of these rows without its closure, which is all that constraints look at.
    pub fn outline(&self, rows: &[u32]) -> Cluster {
        let count = |sensitive: &Sensitive| Histogram::of(rows.iter().map(|row| sensitive.row(*row)).collect());
        let histograms = self.watched().iter().map(count).collect();
        Cluster { size: rows.len(), closure: Vec::new(), histograms, crowd: self.crowd_of(rows) }
    }

    /// The persons of these rows, if some persons have several records.
    pub fn crowd_of<'a>(&self, rows: impl IntoIterator<Item = &'a u32>) -> Option<Crowd> {
        let persons = self.several()?;
        Some(Crowd::of(persons, self.borne(), rows))
    }

    /// The sum of the numbers of persons of all clusters.
    pub fn members(&self, partition: &Partition) -> usize {
        partition.clusters().map(|rows| self.crowd_of(rows).map_or(rows.len(), |crowd| crowd.persons())).sum()
    }

    /// The persons of a cluster without one of its records.
    pub fn crowd_without(&self, cluster: &Cluster, row: u32) -> Option<Crowd> {
        let mut crowd = cluster.crowd.clone()?;
        crowd.remove(self.several()?, self.borne(), row);
        Some(crowd)
    }

    /// The row itself if its person has several records, so that it is not the same whether this or an equal record is in a cluster.
    pub fn own(&self, row: u32) -> Option<u32> {
        self.several().filter(|persons| persons.has_several(row)).map(|_| row)
    }

    /// The persons, if clusters keep track of them.
    fn several(&self) -> Option<&Persons> {
        self.encoded.persons().filter(|_| self.belonging != Belonging::One)
    }

    /// The columns whose values crowds count: those that constraints look at.
    fn borne(&self) -> &[Sensitive] {
        if self.values_count { self.encoded.watched() } else { &[] }
    }

    /// Adds a record to a cluster.
    pub fn add(&self, cluster: &mut Cluster, row: u32) {
        self.count(cluster, row);
        for ((span, domain), code) in cluster.closure.iter_mut().zip(self.encoded.domains()).zip(self.encoded.row(row))
        {
            *span = domain.join(*span, domain.span(*code));
        }
    }

    /// Adds all records of another cluster.
    pub fn join(&self, cluster: &mut Cluster, other: &Cluster) {
        cluster.size += other.size;
        for ((span, domain), more) in cluster.closure.iter_mut().zip(self.encoded.domains()).zip(&other.closure) {
            *span = domain.join(*span, *more);
        }
        for (histogram, more) in cluster.histograms.iter_mut().zip(&other.histograms) {
            more.iter().for_each(|(code, times)| histogram.add(code, times));
        }
        if let (Some(crowd), Some(more), Some(persons)) = (&mut cluster.crowd, &other.crowd, self.several()) {
            crowd.join(persons, self.borne(), more);
        }
    }

    /// The sensitive columns whose values clusters count.
    pub(crate) fn watched(&self) -> &[Sensitive] {
        if self.watches { self.encoded.watched() } else { &[] }
    }

    /// Whether clusters count sensitive values, for the measure or a constraint.
    pub fn watches(&self) -> bool {
        self.watches
    }

    /// Whether the union of two clusters that satisfy all constraints always satisfies them.
    pub fn monotone(&self) -> bool {
        // The shares of a union are no means of the shares of its parts if both have records of the same person.
        let monotone = |c: &dyn Constraint| c.monotone() && (!self.crowded() || !c.uses_sensitive() || c.only_grows());
        self.constraints.iter().all(|constraint| monotone(&**constraint))
    }

    /// Whether a constraint looks at more than the size of a cluster.
    pub fn guarded(&self) -> bool {
        self.values_count || self.crowded()
    }

    /// Whether some persons have several records.
    fn crowded(&self) -> bool {
        self.belonging == Belonging::Several
    }

    /// Whether a constraint looks at sensitive values.
    pub fn values_count(&self) -> bool {
        self.values_count
    }

    /// Whether a cluster satisfies every constraint.
    pub fn holds(&self, cluster: &Cluster) -> bool {
        self.constraints.iter().all(|c| c.holds(cluster))
    }

    /// Whether a cluster satisfies every constraint or, if some look at sensitive values, has at least the
    /// least size. To merge whole clusters until their sensitive values satisfy the constraints would soon
    /// unite them all, so that is left to the mending in [`partition::build`](crate::partition::build).
    pub fn enough(&self, cluster: &Cluster) -> bool {
        if self.guarded() { cluster.size >= self.min_size() } else { self.holds(cluster) }
    }

    /// Whether these rows together satisfy every constraint.
    pub fn hold(&self, rows: &[u32]) -> bool {
        rows.len() >= self.min_size() && (!self.guarded() || self.holds(&self.outline(rows)))
    }

    /// About how many records a cluster lacks, by the constraint that it is farthest from; 0 if it
    /// satisfies all.
    pub fn lack(&self, cluster: &Cluster) -> f64 {
        self.constraints.iter().map(|c| c.lack(cluster)).fold(0.0, f64::max)
    }

    /// What a cluster would lack with one more record.
    pub fn lack_with(&self, cluster: &mut Cluster, row: u32) -> f64 {
        self.count(cluster, row);
        let lack = self.lack(cluster);
        self.discount(cluster, row);
        lack
    }

    /// Adds a record to the size and the histograms only, which is all that constraints look at.
    pub fn count(&self, cluster: &mut Cluster, row: u32) {
        cluster.size += 1;
        for (histogram, sensitive) in cluster.histograms.iter_mut().zip(self.watched()) {
            histogram.add(sensitive.row(row), 1);
        }
        if let (Some(crowd), Some(persons)) = (&mut cluster.crowd, self.several()) {
            crowd.add(persons, self.borne(), row);
        }
    }

    /// Removes a record from the size and the histograms only.
    pub fn discount(&self, cluster: &mut Cluster, row: u32) {
        cluster.size -= 1;
        for (histogram, sensitive) in cluster.histograms.iter_mut().zip(self.watched()) {
            histogram.remove(sensitive.row(row));
        }
        if let (Some(crowd), Some(persons)) = (&mut cluster.crowd, self.several()) {
            crowd.remove(persons, self.borne(), row);
        }
    }

    /// What a cluster lacks by the constraints on sensitive values alone.
    pub fn secret_lack(&self, cluster: &Cluster) -> f64 {
        let secret = self.constraints.iter().filter(|c| c.uses_sensitive());
        secret.map(|c| c.lack(cluster)).fold(0.0, f64::max)
    }

    /// Drops records of too frequent values until the rest satisfies every constraint. A unit `(row,
    /// times)` stands for `times` rows like `row`. Returns which units are kept, or `None` if no large
    /// enough part satisfies the constraints.
    ///
    /// Each step drops a unit of the combination of values whose loss brings the rest closest to satisfying
    /// the constraints. If two values are too frequent, dropping either one alone changes nothing; then a
    /// unit of the larger bucket is dropped.
    pub fn trim(&self, units: &[(u32, u32)]) -> Option<Vec<bool>> {
        let rows: Vec<u32> = units.iter().map(|(row, _)| *row).collect();
        let mut state = self.outline(&rows);
        units.iter().for_each(|(row, times)| (1..*times).for_each(|_| self.count(&mut state, *row)));
        let mut kept = vec![true; units.len()];
        // For each combination of sensitive values, its units, of which the last is dropped first, and its
        // number of records.
        let mut buckets: Vec<(Vec<usize>, u32)> = Vec::new();
        let mut lack = self.lack(&state);
        while lack > 0.0 {
            let small = self.constraints.iter().any(|c| c.only_grows() && !c.holds(&state));
            if state.size <= self.min_size() || small {
                return None; // dropping makes it no larger
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

    /// A number that is the same for all records that constraints cannot tell apart.
    pub fn secret(&self, row: u32) -> u32 {
        self.secrets.get(row as usize).copied().unwrap_or(0)
    }

    /// A size below which no cluster satisfies the constraints.
    pub fn min_size(&self) -> usize {
        self.constraints.iter().map(|c| c.min_size()).max().unwrap_or(1)
    }

    /// The loss of the whole table. Suppressed records count as lost entirely.
    pub fn loss(&self, partition: &Partition) -> f64 {
        let clusters = partition.clusters().filter_map(|rows| self.published(partition, rows));
        cost::loss(&*self.measure, clusters.chain(self.suppressed(partition.suppressed())), self.rows())
    }

    /// The cluster of these rows with the closures that are published; `None` if there are none.
    fn published(&self, partition: &Partition, rows: &[u32]) -> Option<Cluster> {
        let mut cluster = self.cluster(rows)?;
        if !partition.levels().is_empty() {
            for (span, domain) in cluster.closure.iter_mut().zip(self.encoded.domains()) {
                *span = domain.at_level(*span, partition.level(domain.name()));
            }
        }
        Some(cluster)
    }

    /// The state of suppressed rows, with everything lost; `None` if there are none.
    pub fn suppressed(&self, rows: &[u32]) -> Option<Cluster> {
        let mut cluster = self.cluster(rows)?;
        cluster.closure = self.encoded.domains().iter().map(Domain::everything).collect();
        Some(cluster)
    }
}

/// Numbers what constraints see of the records: the values of the watched columns, and the persons who have several records.
fn secrets(encoded: &Encoded, with_values: bool, with_persons: bool) -> Vec<u32> {
    let watched = if with_values { encoded.watched() } else { &[] };
    let persons = encoded.persons().filter(|_| with_persons);
    let mut known: FxHashMap<Vec<Code>, u32> = FxHashMap::default();
    let (mut secrets, mut values) = (Vec::with_capacity(encoded.rows()), Vec::new());
    for row in 0..encoded.rows() as u32 {
        let person = persons.map(|persons| if persons.has_several(row) { persons.person(row) } else { u32::MAX });
        values.clear();
        values.extend(watched.iter().map(|sensitive| sensitive.row(row)).chain(person));
        secrets.push(if let Some(known) = known.get(values.as_slice()) {
            *known
        } else {
            let next = known.len() as u32;
            known.insert(values.clone(), next);
            next
        });
    }
    secrets
}

/// A seed derived from another seed and a number, by the finalizer of splitmix64.
pub(crate) fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
