//! Checklists: what the rules of a field ask about a release, beside what amidst measured.
//!
//! Each question is in our own words, with the section that it comes from. An answer is exactly as wide as what was checked: a figure against a
//! limit that the rule itself gives, or what a search by names and values found. Everything else is left for people to answer. No list says that
//! a release complies with anything.

mod ema;
mod gdpr;
mod hipaa;
mod iso27559;

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::card::{BLANK, wrapped};
use super::sentence::{Sentence, key};
use super::{Details, Hiding, Outcome};
use crate::notation::{grouped, percent};
use crate::plan::{Profile, Role};

/// The questions of a profile.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Checklist {
    /// The profile.
    pub profile: Profile,
    /// The rule that asks.
    pub title: &'static str,
    /// The questions.
    pub items: Vec<Question>,
}

/// A question of a checklist.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Question {
    /// The part of the rule that asks.
    pub section: String,
    /// What it asks, in plain words.
    pub asks: String,
    /// What was found, in words; empty if nothing was looked for.
    pub found: String,
    /// The figures that help to answer.
    pub figures: Vec<Evidence>,
    /// The answer, as far as amidst can give it.
    pub answer: Answer,
}

/// A figure of a report that helps to answer a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Evidence {
    /// What the figure is.
    pub what: String,
    /// The figure.
    pub value: f64,
    /// Its place in this JSON form, as a JSON pointer.
    pub place: String,
    /// Whether it is a share from 0 to 1, or else a count.
    pub is_share: bool,
}

/// The answer to a question of a checklist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The figure keeps the limit that the rule gives.
    Met,
    /// It does not, or what must not be there was found.
    NotMet,
    /// A search by names and values found nothing. That is no proof.
    NothingFound,
    /// Only people can answer.
    Open,
}

impl Answer {
    /// The answer in words.
    pub fn words(self) -> &'static str {
        match self {
            Answer::Met => "met, as measured",
            Answer::NotMet => "not met",
            Answer::NothingFound => "nothing found",
            Answer::Open => "for you to answer",
        }
    }
}

impl Checklist {
    /// The checklists that the plan asks for.
    pub(crate) fn all(outcome: &Outcome, details: &Details) -> Vec<Checklist> {
        let facts = Facts { outcome, details };
        let list = |profile: Profile| {
            let (title, items) = match profile {
                Profile::Hipaa => ("HIPAA, 45 CFR 164.514: Safe Harbor and Expert Determination", hipaa::items(&facts)),
                Profile::Gdpr => ("GDPR, Recital 26, by the criteria of WP216 (Opinion 05/2014)", gdpr::items(&facts)),
                Profile::Ema => {
                    ("EMA Policy 0070 and Health Canada's public release of clinical information", ema::items(&facts))
                }
                Profile::Iso27559 => {
                    ("ISO/IEC 27559:2022, privacy enhancing data de-identification framework", iso27559::items(&facts))
                }
            };
            Checklist { profile, title, items }
        };
        let mut asked: Vec<Profile> = Vec::new();
        for profile in &outcome.about.profiles {
            if !asked.contains(profile) {
                asked.push(*profile);
            }
        }
        asked.into_iter().map(list).collect()
    }
}

impl Question {
    /// A question that only people can answer.
    fn open(section: impl Into<String>, asks: impl Into<String>) -> Self {
        let (section, asks) = (section.into(), asks.into());
        Question { section, asks, found: String::new(), figures: Vec::new(), answer: Answer::Open }
    }

    fn found(mut self, found: impl Into<String>) -> Self {
        self.found = found.into();
        self
    }

    fn with(mut self, figures: impl IntoIterator<Item = Evidence>) -> Self {
        self.figures.extend(figures);
        self
    }

    fn answered(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }
}

impl Evidence {
    fn share(what: impl Into<String>, place: impl Into<String>, value: f64) -> Self {
        Evidence { what: what.into(), value, place: place.into(), is_share: true }
    }

    fn count(what: impl Into<String>, place: impl Into<String>, value: usize) -> Self {
        Evidence { what: what.into(), value: value as f64, place: place.into(), is_share: false }
    }

    /// The figure as people read it.
    pub(super) fn shown(&self) -> String {
        if self.is_share { percent(self.value) } else { grouped(self.value as usize) }
    }
}

/// What is known about a release, as the questions need it.
struct Facts<'a> {
    outcome: &'a Outcome,
    details: &'a Details,
}

impl Facts<'_> {
    /// What requirements and risks count.
    fn many(&self) -> &'static str {
        if self.outcome.audit.people.is_some() { "persons" } else { "rows" }
    }

    /// Whether classes hide who is who. In the other forms quasi-identifiers are as they were.
    fn hides_persons(&self) -> bool {
        self.details.hiding != Hiding::Groups
    }

    fn smallest(&self) -> Evidence {
        Evidence::count(format!("{} in the smallest class", self.many()), "/achieved/k", self.outcome.audit.achieved.k)
    }

    fn highest(&self) -> Evidence {
        let value = self.details.risk.after.prosecutor.highest;
        Evidence::share(
            "highest risk, if it is known who is in the table",
            "/details/risk/after/prosecutor/highest",
            value,
        )
    }

    fn average(&self) -> Evidence {
        let value = self.details.risk.after.prosecutor.average;
        Evidence::share("average risk", "/details/risk/after/prosecutor/average", value)
    }

    fn unique_before(&self) -> Evidence {
        let value = self.details.risk.before.prosecutor.uniques;
        let what = format!("{} that are unique in the original", self.many());
        Evidence::share(what, "/details/risk/before/prosecutor/uniques", value)
    }

    fn unique(&self) -> Evidence {
        let value = self.details.risk.after.prosecutor.uniques;
        let what = format!("{} that are unique in the release", self.many());
        Evidence::share(what, "/details/risk/after/prosecutor/uniques", value)
    }

    /// The largest share of a value in a class, and of those in classes with a single value, for each sensitive column.
    fn inference(&self) -> Vec<Evidence> {
        let mut figures = Vec::new();
        for (column, levels) in &self.outcome.audit.achieved.sensitive {
            let at = |field: &str| format!("/achieved/sensitive/{}/{field}", key(column));
            figures.push(match levels.posterior {
                Some(sure) => Evidence::share(format!("how sure a reader can be of `{column}`"), at("posterior"), sure),
                None => Evidence::share(format!("how sure a reader can be of `{column}`"), at("alpha"), levels.alpha),
            });
            let what = format!("{} for whom `{column}` is certain", self.many());
            figures.push(Evidence::share(what, at("single_value"), levels.single_value));
        }
        figures
    }

    /// Whether some sensitive value is certain for somebody.
    fn tells_somebody(&self) -> bool {
        let certain = self.outcome.audit.achieved.retention.is_none();
        certain && self.outcome.audit.achieved.sensitive.values().any(|levels| levels.single_value > 0.0)
    }

    fn loss(&self) -> Option<Evidence> {
        let lm = self.outcome.scores.loss.get("lm")?;
        Some(Evidence::share("detail lost (LM)", "/loss/lm", *lm))
    }

    /// The columns of a role, each as code.
    fn columns(&self, role: Role) -> String {
        let plan = &self.outcome.asked;
        let coded = |name: &str| role != Role::Quasi && plan.columns[name].is_coded();
        let name = |name: &str| format!("`{name}`{}", if coded(name) { " (numbers coded)" } else { "" });
        let names: Vec<String> = plan.columns_with(role).map(name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// What it means that rows were counted, if they were.
    fn counted(&self) -> &'static str {
        match (&self.outcome.audit.people, self.outcome.warnings.is_empty()) {
            (Some(_), _) => "Persons were counted.",
            (None, true) => "Rows were counted. That is right only if nobody has several.",
            (None, false) => "Rows were counted, and it seems that persons have several: see the warning above.",
        }
    }

    /// A field of those who answer for the release.
    fn field(&self, title: &str) -> String {
        let fields = self.outcome.about.fields();
        let value = fields.iter().find(|(name, _)| *name == title).and_then(|(_, value)| *value);
        value.map(|value| format!("{title}: {value}.")).unwrap_or_default()
    }
}

/// A list as a text, with a line to fill in for each open question.
impl fmt::Display for Checklist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nchecklist: {}", self.title)?;
        for Question { section, asks, found, figures, answer } in &self.items {
            wrapped(f, "", &format!("{section}: {asks}"))?;
            if !found.is_empty() {
                wrapped(f, "  found", found)?;
            }
            for figure in figures {
                wrapped(f, "  figure", &format!("{}: {} ({})", figure.what, figure.shown(), figure.place))?;
            }
            let blank = if *answer == Answer::Open { BLANK } else { "" };
            wrapped(f, "  answer", &Sentence::of(format!("{} {blank}", answer.words())).to_string())?;
        }
        Ok(())
    }
}
