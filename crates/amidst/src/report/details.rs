//! What a report shows beyond the figures of a release: every column, the risk, and what proves which files it is about.

use schemars::JsonSchema;
use serde::Serialize;

use crate::measure::{Correlations, Distribution};
use crate::plan::{Kind, Role};
use crate::risk::Risk;
use crate::verify::Promise;

/// The facts of a report that take time to find out, so that they are only looked for when somebody wants to read them.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Details {
    /// What was asked, beside what is reached.
    pub promises: Vec<Promise>,
    /// What hides people.
    pub hiding: Hiding,
    /// The columns of the release, in its order.
    pub columns: Vec<ColumnDetails>,
    /// Amidst how many others records hide, before and after.
    pub crowds: Vec<Crowd>,
    /// How likely records are to be re-identified.
    pub risk: RiskChange,
    /// How strongly columns go together; none where there is only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlations: Option<Correlations>,
    /// The relative error of COUNT queries, by how many columns they ask about.
    pub queries: Vec<QueryError>,
    /// What the files were, to the last bit.
    pub files: Vec<Fingerprint>,
    /// The command that makes the same release again, where it was made from and into files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again: Option<String>,
    /// The day it was made, in universal time.
    pub made: String,
}

/// What hides the people of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Hiding {
    /// Records that look the same in all quasi-identifiers.
    Classes,
    /// Rows of a ring that everybody fits.
    Windows,
    /// Groups that tell which sensitive values they have, and not whose; quasi-identifiers are published as they are.
    Groups,
}

/// A column of the release.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ColumnDetails {
    /// Its name.
    pub name: String,
    /// What it is to privacy.
    pub role: Role,
    /// How it is generalized; for quasi-identifiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// What it loses by LM, from 0 (as it was) to 1 (nothing left); for quasi-identifiers, where the form has such a figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// How its values are distributed.
    pub distribution: Distribution,
}

/// Records that hide amidst about as many others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Crowd {
    /// The least size of their classes.
    pub from: usize,
    /// The largest; none where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// How many records of the original.
    pub before: usize,
    /// How many of the release.
    pub after: usize,
}

/// The sizes at which one sort of crowd ends and the next begins.
const CROWDS: &[usize] = &[1, 2, 3, 5, 10, 20, 50, 100, 1000];

impl Crowd {
    /// From pairs of the size of a class and the records in such, before and after.
    pub fn all(
        before: impl Iterator<Item = (usize, usize)>,
        after: impl Iterator<Item = (usize, usize)>,
    ) -> Vec<Crowd> {
        let ends = CROWDS.iter().skip(1).map(|next| Some(next - 1)).chain([None]);
        let crowd = |(from, to): (&usize, Option<usize>)| Crowd { from: *from, to, before: 0, after: 0 };
        let mut crowds: Vec<Crowd> = CROWDS.iter().zip(ends).map(crowd).collect();
        let place = |size: usize| CROWDS.partition_point(|from| *from <= size).saturating_sub(1);
        before.for_each(|(size, records)| crowds[place(size)].before += records);
        after.for_each(|(size, records)| crowds[place(size)].after += records);
        crowds
    }
}

/// Risk before and after.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RiskChange {
    /// Of the original, were its quasi-identifiers published as they are.
    pub before: Risk,
    /// Of the release.
    pub after: Risk,
}

/// The relative error of COUNT queries.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct QueryError {
    /// How many quasi-identifiers a query asks about.
    pub predicates: usize,
    /// Half of the queries are nearer.
    pub median: f64,
    /// On average.
    pub mean: f64,
    /// All but one in twenty are nearer.
    pub p95: f64,
}

/// A file, to the last bit.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct Fingerprint {
    /// What the file is: the input, the release, …
    pub what: String,
    /// Its name without its folder.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its SHA-256, in hexadecimal digits.
    pub sha256: String,
    /// Its HMAC-SHA-256 by the fingerprint key, which is all that recipients get, for files that they do not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hmac_sha256: Option<String>,
}
