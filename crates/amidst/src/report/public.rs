//! The report for recipients: what they may know about a release.
//!
//! It is made by one rule: somebody who knows all records but one, or looks for rare values, must not learn anything from it that the files of the release do
//! not tell anyway. So it has
//!
//! - what was asked: it does not depend on the records;
//! - what can be counted in the release itself: privacy reached, sizes of classes, the risk that follows from them;
//! - the loss by LM, which every analysis needs to know, in whole hundredths: all that it has of the original is how wide its columns are.
//!
//! It has no seed and no plan, no command, no time and no memory, no figure that was counted in the original (distributions, correlations, errors of
//! queries, records that were left out), and of files that recipients do not have only a fingerprint by a secret key.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::details_text::rows;
use super::text::{histogram, privacy};
use super::{Details, Fingerprint, Hiding, Outcome};
use crate::notation::grouped;
use crate::plan::{Kind, MissingRows, Role};
use crate::risk::Exposure;
use crate::verify::{Audit, Promise};

/// What the first line of a report says that is for recipients.
pub const FOR_RECIPIENTS: &str = "for recipients";

/// What recipients of a release may know about it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PublicReport {
    /// Whom it is for.
    pub audience: &'static str,
    /// The version that made the release.
    pub amidst: &'static str,
    /// The day it was made, in universal time.
    pub made: String,
    /// The form of the release.
    pub form: String,
    /// What hides people.
    pub hiding: Hiding,
    /// What the release reaches, as can be counted in it.
    #[serde(flatten)]
    pub audit: Audit,
    /// What was asked, beside what is reached.
    pub promises: Vec<Promise>,
    /// How likely a record is found by somebody who knows that the person is in the table.
    pub risk: Exposure,
    /// The risk of a single record that counts as acceptable.
    pub threshold: f64,
    /// The share of the records that may have been left out to lose less.
    pub suppress: f64,
    /// Whether records with missing values were left out.
    pub drop_missing: bool,
    /// What is lost by LM, from 0 (as it was) to 1 (nothing left), in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lm: Option<f64>,
    /// The columns of the release, file by file.
    pub columns: Vec<PublicColumn>,
    /// What the files were, to the last bit.
    pub files: Vec<PublicFile>,
}

/// A column of a release.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PublicColumn {
    /// Its name.
    pub name: String,
    /// What it is to privacy; none where it is not a column of the original.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// How it is generalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// How its cells are read.
    pub about: String,
    /// What it loses by LM, in hundredths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lm: Option<f64>,
}

/// A file, to the last bit. Those that recipients have by SHA-256, the others by a key that only the publisher has.
#[derive(Debug, JsonSchema, Serialize)]
pub struct PublicFile {
    /// What the file is: the input, the release, …
    pub what: String,
    /// Its name without its folder, where recipients have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its length, where recipients have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Its SHA-256, where recipients have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Its HMAC-SHA-256, where they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hmac_sha256: Option<String>,
}

impl PublicReport {
    /// What may be said about a release, where its [details](Outcome::details) were looked for.
    pub fn new(outcome: &Outcome) -> Option<Self> {
        let details = outcome.details.as_ref()?;
        let plan = &outcome.asked;
        Some(PublicReport {
            audience: FOR_RECIPIENTS,
            amidst: env!("CARGO_PKG_VERSION"),
            made: details.made.clone(),
            form: outcome.publish.clone(),
            hiding: details.hiding,
            audit: outcome.audit.clone(),
            promises: details.promises.clone(),
            risk: details.risk.after.prosecutor,
            threshold: details.risk.after.threshold,
            suppress: plan.privacy.suppress,
            drop_missing: plan.input.missing_rows == MissingRows::Drop,
            lm: outcome.scores.loss.get("lm").copied().map(hundredths),
            columns: columns(outcome, details),
            files: details.files.iter().map(PublicFile::new).collect(),
        })
    }
}

fn columns(outcome: &Outcome, details: &Details) -> Vec<PublicColumn> {
    let loss = |name: &str| details.columns.iter().find(|column| column.name == name).and_then(|column| column.loss);
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

/// Rounded, so that one record does not show.
fn hundredths(loss: f64) -> f64 {
    (loss * 100.0).round() / 100.0
}

impl fmt::Display for PublicReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FOR_RECIPIENTS}\n")?;
        writeln!(f, "form       {}, made on {} by amidst {}", self.form, self.made, self.amidst)?;
        writeln!(f, "rows       {}", grouped(self.audit.rows))?;
        if self.suppress > 0.0 {
            writeln!(f, "           up to {} % of the records may have been left out", self.suppress * 100.0)?;
        }
        if self.drop_missing {
            writeln!(f, "           records with missing values were left out")?;
        }
        privacy(f, &self.audit, None)?;
        writeln!(f, "           people hide among {}", self.hiding)?;
        let percent = |share: f64| format!("{:.2} %", share * 100.0);
        let (highest, average) = (percent(self.risk.highest), percent(self.risk.average));
        writeln!(
            f,
            "risk       {highest} at most, {average} on average, to somebody who knows that a person is in the table"
        )?;
        if let Some(lm) = self.lm {
            writeln!(f, "loss       lm {lm:.2} (0 is the original, 1 is everything suppressed)")?;
        }
        writeln!(f, "\nasked and reached")?;
        let promise = |p: &Promise| {
            let about = p.column.clone().unwrap_or_else(|| "every record".to_owned());
            vec![about, p.asked.clone(), p.reached.clone(), if p.kept { "kept" } else { "NOT KEPT" }.to_owned()]
        };
        rows(f, "llll", self.promises.iter().map(promise))?;
        writeln!(f, "\ncolumns")?;
        let column = |c: &PublicColumn| {
            let lm = c.lm.map(|lm| format!("lm {lm:.2}")).unwrap_or_default();
            vec![c.name.clone(), lm, c.about.clone()]
        };
        rows(f, "lll", self.columns.iter().map(column))?;
        writeln!(f, "\n{} sizes", if self.audit.windows.is_some() { "ring" } else { "class" })?;
        f.write_str(&histogram(&self.audit))?;
        writeln!(f, "\nfingerprints; those of the input and the plan are made with a key that the publisher keeps")?;
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
