//! What came out, for people (text) and for programs (JSON, by serde).

#[cfg(feature = "report")]
pub(crate) mod chart;
mod details;
mod details_text;
mod dictionary;
#[cfg(feature = "report")]
mod html;
mod paths;
mod public;
mod risk;
mod schema;
mod text;

use std::path::PathBuf;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::encode::{Code, Domain, Encoded, Span};
use crate::plan::{Key, Kind, Plan, Seed};
use crate::publish::Part;
use crate::registry::Spec;

pub use details::{ColumnDetails, Crowd, Details, Fingerprint, Hiding, QueryError, RiskChange};
pub use dictionary::{Described, Dictionary, File};
pub use public::{FOR_RECIPIENTS, PublicColumn, PublicFile, PublicReport};
pub use risk::RiskOutcome;
pub use schema::{MakeSchema, SCHEMAS};
pub use text::histogram;

pub use crate::attack::{Finding, Verdict};
pub use crate::bound::{Bound, Method as BoundMethod, Relaxation};
pub use crate::encode::Order;
pub use crate::measure::{Bin, Category, Change, Correlations, Distribution, Figure, Other as OtherValues, Scores};
pub use crate::risk::population::{Estimate, Model as PopulationModel};
pub use crate::risk::safe_harbor::Rule;
pub use crate::risk::{Advice, ColumnRisk, Estimates, Exposure, Fit, Hint, Risk, SetRisk};
pub use crate::verify::{Achieved, Audit, Failure, Levels, Promise};

/// What the first line of a report says that is for the publisher alone.
pub const INTERNAL: &str = "internal: not for recipients";

/// What `anonymize` did. For the publisher alone: [`PublicReport`] is what recipients may have.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Outcome {
    /// Whom it is for.
    pub audience: &'static str,
    /// What the written release reaches.
    #[serde(flatten)]
    pub audit: Audit,
    /// What it loses, by measure.
    #[serde(flatten)]
    pub scores: Scores,
    /// How far from the best possible it is at most, where that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
    /// Wall-clock time of the stages.
    pub seconds: Seconds,
    /// Processor time of all threads together.
    pub cpu_seconds: CpuSeconds,
    /// The most memory the process has used so far, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// The algorithm that formed the clusters.
    pub partitioner: String,
    /// What refined them.
    pub refine: Vec<String>,
    /// What should be known about how they were formed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The objective.
    pub measure: String,
    /// The form of the release.
    pub publish: String,
    /// The seed of all random choices.
    pub seed: Seed,
    /// The key of the fingerprints in the report for recipients.
    pub fingerprint_key: Option<Key>,
    /// Rows of the input that were left out because a value was missing.
    pub dropped_rows: usize,
    /// Who was left out to lose less, where that was allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppressed>,
    /// The release; none where it stays in memory.
    #[serde(serialize_with = "paths::one")]
    #[schemars(with = "Option<PathBuf>")]
    pub output: Option<PathBuf>,
    /// The other files of the release, where it has several.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "paths::many")]
    #[schemars(with = "Vec<PathBuf>")]
    pub parts: Vec<PathBuf>,
    /// The plan stored beside it; none when the release went to a stream.
    #[serde(serialize_with = "paths::one")]
    #[schemars(with = "Option<PathBuf>")]
    pub plan: Option<PathBuf>,
    /// The data dictionary stored beside it.
    #[serde(serialize_with = "paths::one")]
    #[schemars(with = "Option<PathBuf>")]
    pub dictionary: Option<PathBuf>,
    /// The manifest stored beside it, which says which files belong to it.
    #[serde(serialize_with = "paths::one")]
    #[schemars(with = "Option<PathBuf>")]
    pub manifest: Option<PathBuf>,
    /// The reports about it.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "paths::many")]
    #[schemars(with = "Vec<PathBuf>")]
    pub reports: Vec<PathBuf>,
    /// The reports for recipients.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "paths::many")]
    #[schemars(with = "Vec<PathBuf>")]
    pub public_reports: Vec<PathBuf>,
    /// What a report shows beyond this, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Details>,
    /// The kinds that were taken where the user named none.
    #[serde(skip)]
    pub taken: Vec<(String, Kind)>,
    /// The complete plan.
    #[serde(skip)]
    pub asked: Plan,
    /// What the tables of the release hold.
    #[serde(skip)]
    pub described: Dictionary,
    /// The row of the table that each published row comes from, counted from 0. It must not be published.
    #[serde(skip)]
    pub rows: Vec<u32>,
    /// The release itself, where it stays in memory.
    #[serde(skip)]
    pub tables: Vec<Part>,
}

/// The records that were left out, as groups and never as persons.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Suppressed {
    /// How many.
    pub rows: usize,
    /// Their share of the table.
    pub share: f64,
    /// The values whose records were hit at least twice as often as others, the worst first.
    pub hit: Vec<Hit>,
}

/// The records of a value of a quasi-identifier.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Hit {
    /// The quasi-identifier.
    pub column: String,
    /// The value; of numbers a range that a fifth of the records are in.
    pub value: String,
    /// How many records the table has of it.
    pub rows: usize,
    /// How many of them were left out.
    pub suppressed: usize,
}

impl Suppressed {
    /// What can be said about these rows; `None` without any. Values of fewer than `k` records are not named.
    pub(crate) fn new(encoded: &Encoded, rows: &[u32], k: usize) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let share = rows.len() as f64 / encoded.rows() as f64;
        let mut hit = Vec::new();
        for (column, domain) in encoded.domains().iter().enumerate() {
            let mut counts = vec![(0, 0); domain.len()];
            (0..encoded.rows() as u32).for_each(|row| counts[encoded.row(row)[column] as usize].0 += 1);
            rows.iter().for_each(|row| counts[encoded.row(*row)[column] as usize].1 += 1);
            for (from, to, (all, suppressed)) in bins(domain, &counts, encoded.rows()) {
                let often = suppressed as f64 >= 2.0 * share * all as f64;
                if often && all >= k && suppressed >= k {
                    let span = if from == to { domain.span(from) } else { Span::range(from, to) };
                    let value = domain.text(domain.close(span)).unwrap_or_default();
                    hit.push(Hit { column: domain.name().to_owned(), value, rows: all, suppressed });
                }
            }
        }
        let rate = |hit: &Hit| hit.suppressed as f64 / hit.rows as f64;
        hit.sort_by(|a, b| rate(b).total_cmp(&rate(a)));
        Some(Suppressed { rows: rows.len(), share, hit })
    }
}

/// The values of a column, numbers in ranges of a fifth of the records: the first code, the last, and the sum of the counts.
fn bins(domain: &Domain, counts: &[(usize, usize)], rows: usize) -> Vec<(Code, Code, (usize, usize))> {
    let fifth = if domain.extent(domain.everything()).is_some() { rows / 5 } else { 0 };
    let mut bins: Vec<(Code, Code, (usize, usize))> = Vec::new();
    for (code, (all, some)) in (0..).zip(counts) {
        match bins.last_mut() {
            Some((_, last, sum)) if sum.0 < fifth => {
                *last = code;
                sum.0 += all;
                sum.1 += some;
            }
            _ => bins.push((code, code, (*all, *some))),
        }
    }
    bins
}

/// How far from the best possible a release is at most.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Certificate {
    /// What it loses by the objective.
    pub loss: f64,
    /// What no release can lose less than.
    pub bound: Option<Bound>,
    /// By which share of the best possible loss it is above that at most. None where the bound is 0 and the loss is not.
    pub above: Option<f64>,
    /// Why there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How long the proof took.
    pub seconds: f64,
    /// Processor time of all threads together.
    pub cpu_seconds: Option<f64>,
}

impl Certificate {
    /// What a bound, or the reason why there is none, says about a loss.
    pub fn new(
        loss: f64,
        bound: Option<Bound>,
        reason: Option<String>,
        seconds: f64,
        cpu_seconds: Option<f64>,
    ) -> Self {
        let above = bound.and_then(|bound| {
            let more = (loss - bound.loss).max(0.0);
            (bound.loss > 0.0 || more <= 1e-12).then(|| if more > 1e-12 { more / bound.loss } else { 0.0 })
        });
        Certificate { loss, bound, above, reason, seconds, cpu_seconds }
    }
}

/// What `bound` proved.
#[derive(Debug, JsonSchema, Serialize)]
pub struct BoundOutcome {
    /// The number of rows.
    pub rows: usize,
    /// The size of the smallest class.
    pub k: usize,
    /// The measure.
    pub measure: String,
    /// What no release can lose less than.
    pub bound: Bound,
    /// How long the proof took.
    pub seconds: f64,
    /// Processor time of all threads together.
    pub cpu_seconds: Option<f64>,
    /// The kinds that were taken where the user named none.
    #[serde(skip)]
    pub taken: Vec<(String, Kind)>,
}

/// Wall-clock time of the stages, in seconds.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
pub struct Seconds {
    /// Reading and encoding.
    pub read: f64,
    /// Partitioning and refining.
    pub partition: f64,
    /// Publishing: from clusters to a written file.
    pub publish: f64,
    /// Reading that back, checking it, and measuring the loss.
    pub verify: f64,
}

/// Processor time, in seconds.
#[derive(Debug, Clone, Copy, JsonSchema, Serialize)]
pub struct CpuSeconds {
    /// Partitioning and refining.
    pub partition: Option<f64>,
}

/// What `audit` found.
#[derive(Debug, JsonSchema, Serialize)]
pub struct AuditOutcome {
    /// What the release reaches; none where its files do not fit together.
    #[serde(flatten)]
    pub audit: Option<Audit>,
    /// What it loses, given the original.
    #[serde(flatten)]
    pub scores: Option<Scores>,
    /// Whether every cell covers its original value, given the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covers_original: Option<bool>,
    /// The columns that no flag names, where flags said what the columns are. Whether they may be published is for people to say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<String>,
    /// Why it does not pass; empty when it does.
    pub failures: Vec<Failure>,
}

impl AuditOutcome {
    /// Of a release whose files do not fit together, or lack what it takes to read them.
    pub fn failed(failures: Vec<Failure>) -> Self {
        AuditOutcome { audit: None, scores: None, covers_original: None, unnamed: Vec::new(), failures }
    }
}

/// What `measure` found.
#[derive(Debug, JsonSchema, Serialize)]
pub struct MeasureOutcome {
    /// The number of published rows.
    pub rows: usize,
    /// The number of classes.
    pub classes: usize,
    /// The figures.
    #[serde(flatten)]
    pub scores: Scores,
}

/// What `attack` found.
#[derive(Debug, JsonSchema, Serialize)]
pub struct AttackOutcome {
    /// The number of published rows.
    pub rows: usize,
    /// The form of the release.
    pub publish: String,
    /// What each adversary learned.
    pub findings: IndexMap<String, Finding>,
    /// What is wrong with the files themselves; then no adversary was let at them.
    pub failures: Vec<Failure>,
}

impl AttackOutcome {
    /// Of a release whose files do not fit together.
    pub fn failed(publish: String, failure: Failure) -> Self {
        AttackOutcome { rows: 0, publish, findings: IndexMap::new(), failures: vec![failure] }
    }

    /// True when a promise was broken.
    pub fn is_broken(&self) -> bool {
        !self.failures.is_empty() || self.findings.values().any(|finding| finding.verdict == Verdict::Broken)
    }
}

/// What `compare` found.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Comparison {
    /// The number of rows.
    pub rows: usize,
    /// The measure that every algorithm tried to keep low.
    pub objective: String,
    /// The seed of all random choices.
    pub seed: Seed,
    /// One run per k and algorithm.
    pub runs: Vec<Run>,
}

/// One algorithm with one k.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Run {
    /// The k asked for.
    pub k: usize,
    /// The l by frequency asked for, where that was varied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<f64>,
    /// How many records were taken.
    pub rows: usize,
    /// The algorithm.
    pub partitioner: String,
    /// Wall-clock time.
    pub seconds: f64,
    /// Processor time of all threads together.
    pub cpu_seconds: Option<f64>,
    /// The number of clusters; none for a run that was stopped.
    pub classes: Option<usize>,
    /// How likely records are to be re-identified by who knows that they are there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Exposure>,
    /// The figures.
    #[serde(flatten)]
    pub scores: Scores,
    /// Whether it was stopped at the time limit.
    pub stopped: bool,
    /// Why it could not be done, where the records do not have what was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Run {
    /// One that has yet to be done.
    pub fn new(k: usize, l: Option<f64>, rows: usize, partitioner: &Spec) -> Self {
        Run {
            k,
            l,
            rows,
            partitioner: partitioner.to_string(),
            seconds: 0.0,
            cpu_seconds: None,
            classes: None,
            risk: None,
            scores: Scores::default(),
            stopped: false,
            refused: None,
        }
    }
}
