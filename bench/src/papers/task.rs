//! One release of a trial: of which table, with what asked of its columns, and by which algorithm.

use std::sync::Arc;

use amidst::Result;
use amidst::internals::encode::Encoded;
use amidst::internals::measure::{Figure, Selection};
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::read::Table;
use amidst::internals::registry::Spec;
use amidst::internals::schema::{Schema, guess};
use amidst::internals::write::Sink;
use amidst::internals::{constraint, cost, partition, usage};
use amidst::pipeline::{Job, anonymize};
use amidst::plan::Plan;
use amidst::progress::Progress;
use amidst::report::Outcome;

use super::Done;
use super::sheet::Found;
use crate::data;

/// How releases are made.
#[derive(Clone, Copy)]
pub struct Way {
    /// What tables and pictures call it.
    pub name: &'static str,
    pub partitioner: &'static str,
    pub publish: &'static str,
    /// A refiner of the partition; empty without one.
    pub refine: &'static str,
    /// No more seeds than this are run: one where nothing is random, a few where it takes long.
    pub most_seeds: u64,
}

impl Way {
    /// An algorithm under its own name, published by generalization.
    pub const fn by(partitioner: &'static str) -> Self {
        Way { name: partitioner, partitioner, publish: "generalization", refine: "", most_seeds: u64::MAX }
    }

    /// The same by another name.
    pub const fn called(self, name: &'static str) -> Self {
        Way { name, ..self }
    }

    /// In another form of publication.
    pub const fn published(self, publish: &'static str) -> Self {
        Way { publish, ..self }
    }

    /// Refined afterwards.
    pub const fn refined(self, refine: &'static str) -> Self {
        Way { refine, ..self }
    }

    /// With no more seeds than this.
    pub const fn seeds(self, most_seeds: u64) -> Self {
        Way { most_seeds, ..self }
    }

    /// With one seed, because nothing is random.
    pub const fn fixed(self) -> Self {
        self.seeds(1)
    }
}

/// A release to make.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub table: &'a Table,
    /// The columns as in a plan.
    pub columns: &'a str,
    pub k: usize,
    /// Frequency ℓ-diversity of the sensitive column.
    pub l: Option<f64>,
    /// The loss to keep low.
    pub measure: &'a str,
    pub way: Way,
    pub seed: u64,
}

impl Task<'_> {
    fn plan(&self) -> Done<Plan> {
        let Task { columns, k, measure, way, seed, .. } = self;
        let require = self.l.map(|l| format!("require = [\"frequency-l(l={l})\"]")).unwrap_or_default();
        let Way { partitioner, publish, .. } = way;
        let refine = if way.refine.is_empty() { String::new() } else { format!("refine = [{:?}]\n", way.refine) };
        let method = format!(
            "partitioner = {partitioner:?}\npublish = {publish:?}\n{refine}measure = {measure:?}\nseed = {seed}"
        );
        Ok(format!("[privacy]\nk = {k}\n{require}\n[method]\n{method}\n[columns]\n{columns}").parse()?)
    }

    /// The records as the algorithms see them.
    pub fn encode(&self) -> Done<Arc<Encoded>> {
        let mut plan = self.plan()?;
        guess::complete(&mut plan, self.table)?;
        let schema = Schema::new(&plan, self.table)?;
        Ok(Arc::new(Encoded::new(self.table, &schema, &plan.input.missing, Progress::silent())?))
    }

    /// The clusters, without a release of them, and the CPU seconds that they took. Algorithms that leave out records in their own
    /// way may leave out 2 %.
    pub fn clusters(&self) -> Done<(Problem, Partition, f64)> {
        let (plan, encoded) = (self.plan()?, self.encode()?);
        let (measure, demand) = (cost::build(&plan.method.measure, &encoded)?, constraint::all(&plan, &encoded)?);
        let problem = Problem::new(encoded, measure, demand, self.seed)?;
        let partitioner = partition::build(&plan.method.partitioner)?;
        let start = usage::cpu_seconds().unwrap_or(f64::NAN);
        let partition = if partitioner.suppresses() {
            partitioner.suppressing(&problem, problem.rows() / 50, Progress::silent())?
        } else {
            partitioner.partition(&problem, Progress::silent())?
        };
        Ok((problem, partition, usage::cpu_seconds().unwrap_or(f64::NAN) - start))
    }

    /// What the clusters lose by the measure that was kept low.
    pub fn loss(&self) -> Done<Found> {
        let (problem, partition, cpu) = self.clusters()?;
        Ok(Found { loss: problem.loss(&partition), cpu })
    }

    /// A whole release in its form, measured by these.
    pub fn release(&self, measures: &[&str]) -> Done<Outcome> {
        let output = Sink::Memory(self.table.schema());
        let measures = Selection::Named(measures.iter().map(|measure| Spec::new(*measure)).collect());
        let job = Job { measures, ..Job::new(self.table, output, self.plan()?) };
        Ok(anonymize(&job, Progress::silent())?)
    }

    /// What a release loses by one measure. The time is that of partition and publication.
    pub fn published(&self, measure: &str) -> Done<Found> {
        let outcome = self.release(&[measure])?;
        let cpu = outcome.cpu_seconds.partition.unwrap_or(f64::NAN) + outcome.seconds.publish;
        Ok(Found { loss: outcome.scores.loss[measure], cpu })
    }
}

/// A number within figures of several parts.
pub fn part(figure: &Figure, path: &[&str]) -> Option<f64> {
    match (figure, path) {
        (Figure::One(value), []) => Some(*value),
        (Figure::Many(parts), [first, rest @ ..]) => part(parts.get(*first)?, rest),
        _ => None,
    }
}

/// Adult without incomplete rows.
pub fn adult() -> Result<Table> {
    data::read(&data::root().join("data/adult/adult.csv.gz"))
}

/// Quasi-identifiers of one kind, as a plan has them; an empty kind is guessed.
pub fn quasi(names: &[&str], kind: &str) -> String {
    let kind = if kind.is_empty() { String::new() } else { format!(", kind = {kind:?}") };
    names.iter().map(|name| format!("{name} = {{ role = \"quasi\"{kind} }}\n")).collect()
}

/// A sensitive column.
pub fn sensitive(name: &str) -> String {
    format!("{name} = {{ role = \"sensitive\" }}\n")
}

/// The eight attributes of OKA and DBKC in this order: age and education as numbers, four with ARX's trees, race and sex as sets.
pub fn eight(order: &[&str]) -> String {
    let tree = |name: &str| {
        let file = data::root().join(format!("data/adult/hierarchies/{name}.csv")).display().to_string();
        format!("{name} = {{ role = \"quasi\", kind = \"taxonomy\", hierarchy = {file:?} }}\n")
    };
    let column = |name: &&str| match *name {
        "age" | "education-num" => quasi(&[name], "range"),
        "race" | "sex" => quasi(&[name], "set"),
        name => tree(name),
    };
    order.iter().map(column).collect()
}

/// The order in which `docs/papers.md` names these eight.
pub const EIGHT: [&str; 8] =
    ["age", "education-num", "workclass", "marital-status", "occupation", "native-country", "race", "sex"];
