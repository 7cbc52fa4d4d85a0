//! The report for recipients: what they may know about a release.
//!
//! It follows one rule. Somebody who knows all records but one, or looks for rare values, must not learn anything from it that the files
//! of the release do not show. So the report has
//!
//! - the requirements, because they do not depend on the records;
//! - what can be counted in the release itself: the privacy reached, the class sizes, and the risk that follows from them;
//! - the loss by LM in whole hundredths. An analysis needs it, and from the original it uses only how wide the columns are. If top or
//!   bottom coding or bins hide how wide a column is, its loss and that of the table are left out.
//!
//! The report has no seed, no plan, no command, no time and no memory. It has no figure that was counted in the original: no
//! distributions, correlations, errors of queries or numbers of suppressed records. A file that recipients do not have is named only by a
//! fingerprint with a secret key.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::details_text::{promises, rows};
use super::text::{histogram, privacy};
use super::{Banner, Details, Fingerprint, Hiding, Outcome, Promise};
use crate::notation::{grouped, percent};
use crate::plan::{self, Column, Kind, MissingRows, Role};
use crate::risk::{Assumptions, Exposure, Risk};
use crate::verify::Audit;

/// The first line of a report for recipients.
pub const FOR_RECIPIENTS: &str = "for recipients";

/// What recipients of a release may know about it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PublicReport {
    /// Who may read this report.
    pub audience: &'static str,
    /// The verdict in one colour, with the reasons that the release itself shows.
    pub verdict: Banner,
    /// Who answers for the release, and for whom it is.
    pub about: plan::Report,
    /// The version of amidst that made the release.
    pub amidst: &'static str,
    /// The day on which the release was made, in UTC.
    pub made: String,
    /// The form of the release.
    pub form: String,
    /// How the form of the release protects records.
    pub(crate) hiding: Hiding,
    /// Whether the requirements count persons. If the files say whose a row is, by pseudonyms, all figures about privacy do; otherwise they count
    /// rows.
    pub persons: bool,
    /// The required k.
    pub k: usize,
    /// What the release reaches. All of it can be counted in the release.
    #[serde(flatten)]
    pub audit: Audit,
    /// The requirements, each with what is reached. If only the original tells whose the rows are, they are only said to be met.
    pub(crate) promises: Vec<Promise>,
    /// The risk of re-identification of a record by an adversary who knows that a person is in the table (the prosecutor).
    pub risk: Exposure,
    /// The highest risk of a record that counts as acceptable.
    pub threshold: f64,
    /// The largest share of the records that may have been suppressed to lose less.
    pub suppress: f64,
    /// Whether records with missing values were left out.
    pub drop_missing: bool,
    /// The loss by LM, from 0 (unchanged) to 1 (nothing left), rounded to hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lm: Option<f64>,
    /// The columns of the release, file by file.
    pub(crate) columns: Vec<PublicColumn>,
    /// The fingerprints of the files.
    pub(crate) files: Vec<PublicFile>,
}

/// A column of a release.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PublicColumn {
    /// The name of the column.
    pub name: String,
    /// The role of the column; none if the original has no such column.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// How the column is generalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// How to read its cells.
    pub about: String,
    /// The loss of the column by LM, rounded to hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lm: Option<f64>,
}

/// A file with a digest: SHA-256 if recipients have the file, otherwise HMAC-SHA-256 with a key that only the publisher has.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PublicFile {
    /// The purpose of the file: the input, the release, …
    pub what: String,
    /// The name of the file without its folder, if recipients have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The length of the file, if recipients have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The SHA-256 digest, if recipients have the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The HMAC-SHA-256 digest, if recipients do not have the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hmac_sha256: Option<String>,
}

impl PublicReport {
    /// The report about a release; `None` if no [details](crate::pipeline::Job::details) were requested.
    pub fn new(outcome: &Outcome) -> Option<Self> {
        let details = outcome.details.as_ref()?;
        let plan = &outcome.asked;
        let persons = outcome.audit.people.is_some();
        let after = &details.risk.after;
        let unseen = persons && plan.linked().is_none();
        let risk = if unseen {
            Risk::new(&outcome.of_rows.class_sizes, &Assumptions::default()).prosecutor
        } else {
            after.prosecutor
        };
        let told = |promise: &Promise| {
            let reached = if promise.kept { "met" } else { "not met" };
            let reached = if unseen { reached.to_owned() } else { promise.reached.clone() };
            let reached_in_words = if unseen { reached.clone() } else { promise.reached_in_words.clone() };
            Promise { reached_in_words, reached, ..promise.clone() }
        };
        Some(PublicReport {
            audience: FOR_RECIPIENTS,
            verdict: outcome.verdict.for_recipients(unseen.then_some(&outcome.of_rows)),
            about: plan::Report { profiles: Vec::new(), ..outcome.about.clone() },
            amidst: env!("CARGO_PKG_VERSION"),
            made: details.made.clone(),
            form: outcome.publish.clone(),
            hiding: details.hiding,
            persons,
            k: plan.privacy.k,
            audit: if unseen { &outcome.of_rows } else { &outcome.audit }.clone(),
            promises: details.promises.iter().map(told).collect(),
            risk,
            threshold: after.threshold,
            suppress: plan.privacy.suppress,
            drop_missing: plan.input.missing_rows == MissingRows::Drop,
            lm: outcome
                .scores
                .loss
                .get("lm")
                .filter(|_| !plan.columns.values().any(|column| column.role == Role::Quasi && column.hides_width()))
                .copied()
                .map(hundredths),
            columns: columns(outcome, details),
            files: details.files.iter().map(PublicFile::new).collect(),
        })
    }
}

impl PublicReport {
    /// Whether persons were required and the files do not say whose a row is.
    pub(super) fn is_unseen(&self) -> bool {
        self.persons && self.audit.people.is_none()
    }
}

fn columns(outcome: &Outcome, details: &Details) -> Vec<PublicColumn> {
    let hides = |name: &str| outcome.asked.columns.get(name).is_some_and(Column::hides_width);
    let shown = |name: &str| details.columns.iter().find(|column| column.name == name && !hides(name));
    let loss = |name: &str| shown(name).and_then(|column| column.loss);
    let described = outcome.described.files.iter().flat_map(|file| &file.columns);
    described
        .map(|column| PublicColumn {
            name: column.name.clone(),
            role: column.role,
            kind: column.kind,
            about: column.about.clone(),
            lm: loss(&column.name).map(hundredths),
        })
        .collect()
}

impl PublicFile {
    fn new(file: &Fingerprint) -> Self {
        let Fingerprint { what, name, bytes, sha256, hmac_sha256 } = file.clone();
        if hmac_sha256.is_some() {
            return PublicFile { what, name: None, bytes: None, sha256: None, hmac_sha256 };
        }
        PublicFile { what, name: Some(name), bytes: Some(bytes), sha256: Some(sha256), hmac_sha256: None }
    }
}

/// A loss, rounded so that a single record does not show in it.
fn hundredths(loss: f64) -> f64 {
    (loss * 100.0).round() / 100.0
}

impl fmt::Display for PublicReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FOR_RECIPIENTS}\n")?;
        write!(f, "{}", self.verdict)?;
        for (title, value) in self.about.fields() {
            value.iter().try_for_each(|value| writeln!(f, "{:10} {value}", title.to_lowercase()))?;
        }
        writeln!(f, "form       {}, made on {} by amidst {}", self.form, self.made, self.amidst)?;
        writeln!(f, "rows       {}", grouped(self.audit.rows))?;
        if self.suppress > 0.0 {
            writeln!(f, "           up to {} of the records may have been left out", percent(self.suppress))?;
        }
        if self.drop_missing {
            writeln!(f, "           records with missing values were left out")?;
        }
        privacy(f, &self.audit, None)?;
        if self.persons {
            writeln!(
                f,
                "           these levels count rows; what was required counts persons, which the files do not show"
            )?;
        }
        writeln!(f, "           {}", self.hiding)?;
        let (highest, average) = (percent(self.risk.highest), percent(self.risk.average));
        let whose = if self.is_unseen() { "of a record: " } else { "" };
        writeln!(
            f,
            "risk       {whose}{highest} at most, {average} on average, for an adversary who knows that a person is in the table"
        )?;
        if self.is_unseen() {
            writeln!(
                f,
                "           of a person: at most {}, because at least {} persons were required",
                percent(1.0 / self.k.max(1) as f64),
                self.k
            )?;
        }
        if let Some(lm) = self.lm {
            writeln!(f, "loss       lm {lm:.2} (0 is the original, 1 is everything suppressed)")?;
        }
        writeln!(f, "\nrequired and reached")?;
        promises(f, &self.promises)?;
        writeln!(f, "\ncolumns")?;
        let column = |c: &PublicColumn| {
            let lm = c.lm.map(|lm| format!("lm {lm:.2}")).unwrap_or_default();
            vec![c.name.clone(), lm, c.about.clone()]
        };
        rows(f, "lll", self.columns.iter().map(column))?;
        writeln!(f, "\n{} sizes", if self.audit.windows.is_some() { "ring" } else { "class" })?;
        f.write_str(&histogram(&self.audit))?;
        writeln!(f, "\nfingerprints (those of the input and the plan are made with a key that the publisher keeps)")?;
        let file = |file: &PublicFile| {
            let (kind, digits) = match (&file.sha256, &file.hmac_sha256) {
                (Some(digits), _) => ("sha256", digits.clone()),
                (None, digits) => ("hmac-sha256", digits.clone().unwrap_or_default()),
            };
            let bytes = file.bytes.map(|bytes| format!("{} bytes", grouped(bytes as usize))).unwrap_or_default();
            vec![file.what.clone(), file.name.clone().unwrap_or_default(), bytes, kind.to_owned(), digits]
        };
        rows(f, "llrll", self.files.iter().map(file))
    }
}
