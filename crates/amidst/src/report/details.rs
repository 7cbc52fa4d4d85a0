//! The details of a report: requirements, columns, risk, and the fingerprints of the files it is about.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Checklist, Promise};
use crate::measure::{Correlations, Distribution};
use crate::plan::{Kind, Role};
use crate::risk::{Hint, Risk};

/// The facts that only a report shows. They take time to compute, so they are computed only if a report is requested.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Details {
    /// The requirements, each with what is reached.
    pub promises: Vec<Promise>,
    /// How the form of the release protects records.
    pub hiding: Hiding,
    /// The columns of the release, in their order.
    pub columns: Vec<ColumnDetails>,
    /// Records by the size of their class, before and after. If persons are counted: persons by the smallest class that they have a row in.
    pub crowds: Vec<Crowd>,
    /// The risk of re-identification, before and after.
    pub risk: RiskChange,
    /// The associations between columns; none if there is only one column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlations: Option<Correlations>,
    /// The relative error of COUNT queries, by the number of columns in the query.
    pub queries: Vec<QueryError>,
    /// The fingerprints of the files.
    pub files: Vec<Fingerprint>,
    /// The command that makes the same release again, if it was made from files into files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// The day on which the release was made, in UTC.
    pub made: String,
    /// Some rows of the release.
    pub sample: Sample,
    /// The published columns that look like identifiers of the HIPAA Safe Harbor rule, before or after; only if a checklist asks for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub safe_harbor: Vec<Hint>,
    /// The checklists that the plan asks for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checklists: Vec<Checklist>,
}

/// Some rows of a release, chosen by what is in them and not by their place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Sample {
    /// The columns of the release.
    pub columns: Vec<String>,
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
}

/// How a form of release protects records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Hiding {
    /// Records are in classes that look the same in all quasi-identifiers.
    Classes,
    /// Each record fits several neighbouring rows of a ring.
    Windows,
    /// Records are in groups. The release shows the sensitive values of a group, but not which record has which. Quasi-identifiers are
    /// published unchanged.
    Groups,
}

/// A column of the release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ColumnDetails {
    /// The name of the column.
    pub name: String,
    /// The role of the column.
    pub role: Role,
    /// How the column is generalized; only for quasi-identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The loss by LM, from 0 (unchanged) to 1 (nothing left); only for quasi-identifiers, and only in forms that have such a figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// The distribution of its values, before and after.
    pub distribution: Distribution,
}

/// The number of records in classes of similar size, or of persons whose smallest class has such a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Crowd {
    /// The smallest class size.
    pub from: usize,
    /// The largest class size; none if there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// The number of records or persons of the original in such classes.
    pub before: usize,
    /// The number of records or persons of the release in such classes.
    pub after: usize,
}

/// The smallest class size of each [`Crowd`].
const CROWD_STARTS: &[usize] = &[1, 2, 3, 5, 10, 20, 50, 100, 1000];

impl Crowd {
    /// Counts records or persons from pairs of a class size and the number of those in classes of that size.
    pub fn all(
        before: impl Iterator<Item = (usize, usize)>,
        after: impl Iterator<Item = (usize, usize)>,
    ) -> Vec<Crowd> {
        let ends = CROWD_STARTS.iter().skip(1).map(|next| Some(next - 1)).chain([None]);
        let crowd = |(from, to): (&usize, Option<usize>)| Crowd { from: *from, to, before: 0, after: 0 };
        let mut crowds: Vec<Crowd> = CROWD_STARTS.iter().zip(ends).map(crowd).collect();
        let place = |size: usize| CROWD_STARTS.partition_point(|from| *from <= size).saturating_sub(1);
        before.for_each(|(size, records)| crowds[place(size)].before += records);
        after.for_each(|(size, records)| crowds[place(size)].after += records);
        crowds
    }
}

/// The risk of re-identification before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RiskChange {
    /// The risk of the original if its quasi-identifiers were published unchanged.
    pub before: Risk,
    /// The risk of the release.
    pub after: Risk,
}

/// The relative error of COUNT queries.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct QueryError {
    /// The number of quasi-identifiers in the query.
    pub predicates: usize,
    /// The median.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The 95th percentile.
    pub p95: f64,
}

/// A file with its digests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Fingerprint {
    /// The purpose of the file: the input, the release, …
    pub what: String,
    /// The name of the file without its folder.
    pub name: String,
    /// The length of the file.
    pub bytes: u64,
    /// The SHA-256 digest, in hexadecimal digits.
    pub sha256: String,
    /// The HMAC-SHA-256 digest by the fingerprint key; only for files that recipients do not have. Recipients get no other digest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hmac_sha256: Option<String>,
}
