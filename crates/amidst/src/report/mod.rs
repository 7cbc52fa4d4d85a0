//! The outcomes of all commands, as text for people and as JSON (by serde) for programs.
//!
//! What only a report shows (distributions, checklists, fingerprints) has no types here: it is in the pages, in the texts and in the JSON, whose
//! schemas say what is in it.

pub(crate) mod advice;
mod banner;
mod card;
mod certificate;
#[cfg(feature = "report")]
pub(crate) mod chart;
pub(crate) mod details;
mod details_text;
mod dictionary;
pub(crate) mod dry_run;
pub(crate) mod explanation;
mod explanation_text;
#[cfg(feature = "report")]
mod html;
mod others;
mod paths;
mod profiles;
mod promise;
mod public;
mod risk;
#[cfg(feature = "schema")]
mod schema;
mod sentence;
mod text;
mod warning;

use std::path::PathBuf;

use indexmap::IndexMap;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::encode::{Code, Domain, Encoded, Span};
use crate::plan::{self, Key, Kind, Plan, Seed};
use crate::publish::Part;
use crate::registry::Spec;

pub use banner::{About, Banner, Colour, Reason};
pub(crate) use details::{ColumnDetails, Crowd, Details, Fingerprint, Hiding, QueryError, RiskChange, Sample};
pub use dictionary::Dictionary;
pub use dry_run::DryRun;
pub use explanation::Explanation;
pub use others::OtherOutcome;
pub(crate) use profiles::Checklist;
pub(crate) use promise::Promise;
pub use public::{FOR_RECIPIENTS, PublicReport};
pub use risk::RiskOutcome;
#[cfg(feature = "schema")]
pub use schema::{MakeSchema, SCHEMAS};
pub use text::histogram;
pub use warning::Warning;

pub use crate::attack::{Finding, Unit, Verdict};
pub use crate::bound::{Bound, Method as BoundMethod, Relaxation};
pub use crate::encode::Order;
pub use crate::measure::{Figure, Scores};
pub use crate::risk::population::{Estimate, Model as PopulationModel};
pub use crate::risk::safe_harbor::Rule;
pub use crate::risk::{Advice, ColumnRisk, Estimates, Exposure, Fit, Hint, HouseholdRisk, Risk, SetRisk};
pub use crate::verify::{Achieved, Audit, Failure, Levels, People, Repeats};

/// The first line of a report that is for the publisher alone.
pub const INTERNAL: &str = "internal: not for recipients";

/// The outcome of `anonymize`. It is for the publisher alone; recipients may have the [`PublicReport`].
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Outcome {
    /// Who may read this report.
    pub audience: &'static str,
    /// Who answers for the release and who gets it, as the plan says.
    pub about: plan::Report,
    /// The verdict in one colour, with the reasons.
    pub verdict: Banner,
    /// What the verification found in the written release.
    #[serde(flatten)]
    pub audit: Audit,
    /// What to know before the release is handed out: rows were counted, but persons may have several of them.
    pub warnings: Vec<Warning>,
    /// The losses and other figures, by measure.
    #[serde(flatten)]
    pub scores: Scores,
    /// What would keep more of the table, measured on some of its rows; only if the release loses much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) advice: Vec<advice::LossAdvice>,
    /// A proof of how far the release is from the best possible one, if it was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<Certificate>,
    /// Wall-clock time of the stages, in seconds.
    pub seconds: Seconds,
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: CpuSeconds,
    /// The peak memory of the process in bytes, if the system reports it.
    pub peak_memory_bytes: Option<u64>,
    /// The algorithm that formed the clusters.
    pub partitioner: String,
    /// The algorithms that refined the clusters, in their order.
    pub refine: Vec<String>,
    /// Remarks on how the clusters were formed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The objective: the loss that the algorithm minimized.
    pub measure: String,
    /// The form of the release.
    pub publish: String,
    /// The seed of all random choices. It is secret.
    pub seed: Seed,
    /// The secret key of the fingerprints in the report for recipients.
    pub fingerprint_key: Option<Key>,
    /// The number of input rows that were left out because a value was missing.
    pub dropped_rows: usize,
    /// The records that were suppressed to lose less, if the plan allows that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppressed>,
    /// The file of the release; none if the release stays in memory.
    #[serde(serialize_with = "paths::one")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<PathBuf>"))]
    pub output: Option<PathBuf>,
    /// The other files of the release, if its form has several.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "paths::many")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<PathBuf>"))]
    pub parts: Vec<PathBuf>,
    /// The other tables of the same persons that were published beside the main one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherOutcome>,
    /// The plan stored beside the release; none if the release went to a stream.
    #[serde(serialize_with = "paths::one")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<PathBuf>"))]
    pub plan: Option<PathBuf>,
    /// The data dictionary stored beside the release.
    #[serde(serialize_with = "paths::one")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<PathBuf>"))]
    pub dictionary: Option<PathBuf>,
    /// The manifest stored beside the release. It lists the files of the release.
    #[serde(serialize_with = "paths::one")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<PathBuf>"))]
    pub manifest: Option<PathBuf>,
    /// The internal reports that were written.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "paths::many")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<PathBuf>"))]
    pub reports: Vec<PathBuf>,
    /// The reports for recipients that were written.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "paths::many")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<PathBuf>"))]
    pub public_reports: Vec<PathBuf>,
    /// The details of a report, if a report was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Details>,
    /// The kinds that were chosen for columns without one.
    #[serde(skip)]
    pub taken: Vec<(String, Kind)>,
    /// The columns that nobody named and that are published as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<String>,
    /// The complete plan.
    #[serde(skip)]
    pub asked: Plan,
    /// The data dictionary.
    #[serde(skip)]
    pub described: Dictionary,
    /// The audit with rows counted, even if the plan says whose they are. All of it can be counted in the release.
    #[serde(skip)]
    pub of_rows: Audit,
    /// The original row of each published row, counted from 0. It must not be published.
    #[serde(skip)]
    pub rows: Vec<u32>,
    /// The tables of the release, if it stays in memory.
    #[serde(skip)]
    pub tables: Vec<Part>,
}

impl Outcome {
    /// Answers the checklists that the plan asks for, if there are details.
    pub(crate) fn ask(&mut self) {
        let lists = self.details.as_ref().map(|details| Checklist::all(self, details));
        if let (Some(details), Some(lists)) = (&mut self.details, lists) {
            details.checklists = lists;
        }
    }
}

/// The suppressed records, described by groups. No single record is named.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Suppressed {
    /// The number of suppressed records.
    pub rows: usize,
    /// Their share of the table, from 0 to 1.
    pub share: f64,
    /// The values whose records were suppressed at least twice as often as the average, the worst first.
    pub hit: Vec<Hit>,
}

/// A value of a quasi-identifier, and how many of its records were suppressed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Hit {
    /// The quasi-identifier.
    pub column: String,
    /// The value. For numbers, a range with about a fifth of the records.
    pub value: String,
    /// The number of records with this value in the table.
    pub rows: usize,
    /// The number of these records that were suppressed.
    pub suppressed: usize,
}

impl Suppressed {
    /// Describes these suppressed rows; `None` if there are none. A value with fewer than `k` records is not named.
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

/// The bins of a column, each with its first code, its last code and the sums of its counts. Numbers are put into ranges with a fifth
/// of the records; other values are bins of their own.
pub(crate) fn bins(domain: &Domain, counts: &[(usize, usize)], rows: usize) -> Vec<(Code, Code, (usize, usize))> {
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

/// A proof of how far a release is from the best possible one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Certificate {
    /// The loss of the release by the objective.
    pub loss: f64,
    /// The proven lower bound of the loss.
    pub bound: Option<Bound>,
    /// (loss − bound) / bound: the release loses at most this share more than the best possible one. None if the bound is 0 and the loss
    /// is not.
    pub above: Option<f64>,
    /// The reason if there is no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The wall-clock time that the proof was allowed, in seconds; none for a full proof.
    pub limit_seconds: Option<f64>,
    /// Wall-clock time of the proof, in seconds.
    pub seconds: f64,
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: Option<f64>,
}

impl Certificate {
    /// How long the proof took, if the clock ended it.
    pub fn stopped_after(&self) -> Option<f64> {
        self.bound.filter(|bound| !bound.complete).map(|_| self.seconds)
    }
}

/// How much more a loss is than its lower bound, as a share of the bound; `None` if only the bound is 0.
pub(crate) fn above(loss: f64, bound: f64) -> Option<f64> {
    let more = (loss - bound).max(0.0);
    (bound > 0.0 || more <= 1e-12).then(|| if more > 1e-12 { more / bound } else { 0.0 })
}

/// The outcome of `bound`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BoundOutcome {
    /// The number of rows.
    pub rows: usize,
    /// The smallest class size that the bound assumes.
    pub k: usize,
    /// The measure.
    pub measure: String,
    /// The proven lower bound of the loss.
    pub bound: Bound,
    /// The wall-clock time that the proof was allowed, in seconds; none for a full proof.
    pub limit_seconds: Option<f64>,
    /// Wall-clock time of the proof, in seconds.
    pub seconds: f64,
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: Option<f64>,
    /// The kinds that were chosen for columns without one.
    #[serde(skip)]
    pub taken: Vec<(String, Kind)>,
}

/// Wall-clock time of the stages, in seconds.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Seconds {
    /// Reading and encoding.
    pub read: f64,
    /// Partitioning and refining.
    pub partition: f64,
    /// Proving how far from the best possible the release is at most, if that was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certify: Option<f64>,
    /// Publishing, from clusters to written files.
    pub publish: f64,
    /// Reading the files back, and verifying them.
    pub verify: f64,
    /// Measuring the loss, and the details of a report.
    pub report: f64,
    /// The whole run, from its start until the reports are written.
    pub total: f64,
}

/// Processor time, in seconds.
#[derive(Debug, Clone, Copy, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CpuSeconds {
    /// Partitioning and refining.
    pub partition: Option<f64>,
}

/// The outcome of `audit`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AuditOutcome {
    /// The verdict in one colour, with the reasons.
    pub verdict: Banner,
    /// What the release reaches; none if its files do not fit together.
    #[serde(flatten)]
    pub audit: Option<Audit>,
    /// The losses and other figures, if the original was given.
    #[serde(flatten)]
    pub scores: Option<Scores>,
    /// Whether every cell covers its original value, if the original was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covers_original: Option<bool>,
    /// What to know if the release passes: rows were counted, but persons may have several of them. Only the original tells.
    pub warnings: Vec<Warning>,
    /// The other tables of the same persons, if the plan has any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<OtherOutcome>,
    /// The columns that no flag names, if flags gave the roles of the columns. A person must decide whether they may be published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unnamed: Vec<String>,
    /// The reasons why the release does not pass; empty if it passes.
    pub failures: Vec<Failure>,
    /// Whether the plan counts persons and only rows could be counted.
    #[serde(skip)]
    pub(crate) uncounted: bool,
}

impl AuditOutcome {
    /// The outcome for a release whose files do not fit together, or cannot be read as the plan says.
    pub fn failed(failures: Vec<Failure>) -> Self {
        let (warnings, others, unnamed) = (Vec::new(), Vec::new(), Vec::new());
        let verdict = Banner::new(vec![Reason::failures(failures.len())]);
        AuditOutcome {
            verdict,
            audit: None,
            scores: None,
            covers_original: None,
            warnings,
            others,
            unnamed,
            failures,
            uncounted: false,
        }
    }
}

/// The outcome of `measure`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct MeasureOutcome {
    /// The number of published rows.
    pub rows: usize,
    /// The number of classes.
    pub classes: usize,
    /// The figures.
    #[serde(flatten)]
    pub scores: Scores,
}

/// The outcome of `attack`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AttackOutcome {
    /// The number of published rows.
    pub rows: usize,
    /// The form of the release.
    pub publish: String,
    /// What each adversary learned, by attack.
    pub findings: IndexMap<String, Finding>,
    /// What is wrong with the files themselves. If there is anything, no attack was tried.
    pub failures: Vec<Failure>,
}

impl AttackOutcome {
    /// The outcome for a release whose files do not fit together.
    pub fn failed(publish: String, failure: Failure) -> Self {
        AttackOutcome { rows: 0, publish, findings: IndexMap::new(), failures: vec![failure] }
    }

    /// True if an attack learned more than the requirements allow, or if the files are wrong.
    pub fn is_broken(&self) -> bool {
        !self.failures.is_empty() || self.findings.values().any(|finding| finding.verdict == Verdict::Broken)
    }
}

/// The outcome of `compare`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Comparison {
    /// The number of rows.
    pub rows: usize,
    /// The measure that every algorithm minimized.
    pub objective: String,
    /// The seed of all random choices.
    pub seed: Seed,
    /// The runs: one for each combination of k, l, number of records and algorithm.
    pub runs: Vec<Run>,
}

/// A run of one algorithm with one set of requirements.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Run {
    /// The required k.
    pub k: usize,
    /// The required l by frequency, if several were tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub l: Option<f64>,
    /// The number of records in the run.
    pub rows: usize,
    /// The algorithm.
    pub partitioner: String,
    /// Wall-clock time, in seconds.
    pub seconds: f64,
    /// Processor time of all threads together, in seconds.
    pub cpu_seconds: Option<f64>,
    /// The number of clusters; none if the run was stopped or impossible.
    pub classes: Option<usize>,
    /// The risk of re-identification by an adversary who knows that a person is in the table (the prosecutor).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub risk: Option<Exposure>,
    /// The figures.
    #[serde(flatten)]
    pub scores: Scores,
    /// Whether the run was stopped at the time limit.
    pub stopped: bool,
    /// The reason why the run was impossible, if the records cannot meet the requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl Run {
    /// A run without results yet.
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
