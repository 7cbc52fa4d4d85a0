//! The adversaries of the literature, run against a release and its original.
//!
//! Each [`Attack`] has some background knowledge, tries to learn more from the release, and reports what it learned. The result is compared
//! with the requirements of the plan, as far as the form of the release promises to meet them. Findings are counts, shares and worst cases.
//! They never name a record.
//!
//! # Example
//!
//! ```text
//! amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks linking,homogeneity
//! ```

mod belief;
pub mod downcoding;
pub mod homogeneity;
pub mod linking;
pub mod order;
mod people;
mod promise;
pub mod rerun;
pub mod skewness;

use indexmap::IndexMap;
use people::{Counted, ROWS_ONLY};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::measure::{Class, Figure, Piece, View};
use crate::plan::{Plan, Seed};
use crate::progress::Progress;
use crate::read::Table;
use crate::registry::{self, Entry, Params, Spec};
use crate::schema::{Level, Schema};
use crate::verify::{Published, Shape};

/// An adversary with its background knowledge.
pub trait Attack: Send + Sync {
    /// What the adversary knows besides the release.
    fn knows(&self) -> &'static str;

    /// Runs the attack.
    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding>;
}

/// How an attack is built.
pub type Build = fn(&Params) -> Box<dyn Attack>;

/// All attacks.
pub const ALL: &[Entry<Build>] =
    &[linking::ENTRY, homogeneity::ENTRY, skewness::ENTRY, order::ENTRY, rerun::ENTRY, downcoding::ENTRY];

/// The attack that `spec` names.
pub fn build(spec: &Spec) -> Result<Box<dyn Attack>> {
    let (entry, params) = registry::find(ALL, "attack", spec)?;
    Ok((entry.build)(&params))
}

/// A table that could be the original, for an adversary who knows all of it except one fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// The original.
    Original,
    /// The original with the sensitive values of two rows exchanged.
    Exchanged(u32, u32),
    /// The original with one value of a row replaced by that of another row.
    Other {
        /// The row.
        row: u32,
        /// The place of the column among the quasi-identifiers.
        column: usize,
        /// The row that the value is taken from.
        like: u32,
    },
}

/// Makes the release of a world with a seed; `None` if there is no such release.
pub type Rerun<'a> = dyn Fn(World, Seed, Progress) -> Result<Option<Published>> + Sync + 'a;

/// A release, its original and its plan, as an attack sees them.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Release and original in codes.
    pub view: &'a View,
    /// The release.
    pub release: &'a Published,
    /// The original.
    pub original: &'a Table,
    /// The roles of the columns.
    pub schema: &'a Schema,
    /// The plan of the release.
    pub plan: &'a Plan,
    /// A function that makes the release again, if the plan says how it was made.
    pub rerun: Option<&'a Rerun<'a>>,
}

impl Scene<'_> {
    fn encoded(&self) -> &Encoded {
        &self.view.encoded
    }

    /// Whether records were left out of the release. If so, they are the last piece and the last class of the view.
    fn left_out(&self) -> bool {
        self.release.table.rows() < self.encoded().rows()
    }

    /// The pieces that are published.
    fn pieces(&self) -> &[Piece] {
        &self.view.pieces[..self.view.pieces.len() - usize::from(self.left_out())]
    }

    /// The classes that are published.
    fn classes(&self) -> &[Class] {
        &self.view.classes[..self.view.classes.len() - usize::from(self.left_out())]
    }

    /// The reason why rows cannot be found by their quasi-identifiers in this form of release; `None` if they can.
    fn unlinkable(&self) -> Option<String> {
        let (form, mixed) = (self.plan.method.publish.name(), |name: &str| self.is_mixed(name));
        if self.release.shape == Shape::Centres {
            return Some(self.no_closures());
        }
        let apart = self.schema.quasi_names().any(mixed);
        apart.then(|| format!("a release by {form} does not show which quasi-identifiers belong together, so no row can be found by them"))
    }

    /// The reason why nothing can be inferred about sensitive values; `None` if something can.
    fn unguessable(&self) -> Option<String> {
        let centres = (self.release.shape == Shape::Centres).then(|| self.no_closures());
        centres.or_else(|| self.encoded().sensitive().is_empty().then(|| "no column is sensitive".to_owned()))
    }

    fn no_closures(&self) -> String {
        let form = self.plan.method.publish.name();
        format!(
            "a release by {form} does not show which records a row covers; an adversary who guesses the nearest row is not implemented"
        )
    }

    /// The sizes of the crowds that rows hide in, each with its number of rows. A crowd is a class or, in a ring, a window.
    fn crowds(&self) -> Vec<(usize, usize)> {
        match &self.release.shape {
            Shape::Ring(rings) => {
                rings.windows.iter().copied().zip(self.release.classes.sizes.iter().copied()).collect()
            }
            _ => self.classes().iter().map(|class| (class.size, class.size)).collect(),
        }
    }

    /// Whether the values of a column are known only for a class as a whole.
    fn is_mixed(&self, column: &str) -> bool {
        self.release.mixed.iter().flatten().any(|mixed| mixed == column)
    }

    /// Whether the form hides which row is a person's.
    fn hides_rows(&self) -> bool {
        matches!(self.release.shape, Shape::Closures | Shape::Ring(_))
    }

    /// The required number of rows that look the same, or of persons whose rows do; 1 if the form promises nothing.
    fn k(&self) -> Result<usize> {
        if !self.hides_rows() {
            return Ok(1);
        }
        Ok(self.plan.sizes()?.into_iter().fold(self.plan.privacy.k.max(1), usize::max))
    }

    /// The personal requirement of a record; 0 if it has none.
    fn wish(&self, level: Level, row: u32) -> f64 {
        let of_level = self.encoded().personal().iter().filter(|personal| personal.level == level);
        let wishes =
            of_level.map(|personal| personal.levels[self.encoded().watched()[personal.column].row(row) as usize]);
        wishes.fold(0.0, f64::max)
    }

    /// Whether records have personal requirements.
    fn wishes(&self, level: Level) -> bool {
        self.encoded().personal().iter().any(|personal| personal.level == level)
    }
}

/// The verdict on an attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The attack learned no more than the requirements allow.
    Withstood,
    /// The attack learned more than the requirements allow.
    Broken,
    /// No requirement covers this attack.
    Unpromised,
    /// The attack could not be tried.
    NotTried,
}

/// What the figures of an attack count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Records of the original and rows of the release. A person who has several counts as several.
    Records,
    /// Persons, as the plan says whose the rows are.
    Persons,
}

impl Unit {
    /// What is counted, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Records => "records",
            Unit::Persons => "persons",
        }
    }
}

/// The result of an attack.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// What the adversary knows besides the release.
    pub knows: &'static str,
    /// The requirements that cover this attack.
    pub promised: Vec<String>,
    /// What the figures count.
    pub counts: Unit,
    /// The number of records, or of persons if they are counted, about which it learned more than the requirements allow; none if no requirement
    /// covers the attack.
    pub learned: Option<usize>,
    /// The figures.
    pub figures: IndexMap<String, Figure>,
    /// The result in sentences, or the reason why the attack was not tried.
    pub found: Vec<String>,
}

impl Finding {
    /// A finding without figures.
    fn new(verdict: Verdict, promised: Vec<String>, learned: Option<usize>) -> Self {
        let counts = Unit::Records;
        Finding { verdict, knows: "", promised, counts, learned, figures: IndexMap::new(), found: Vec::new() }
    }

    /// A finding about an attack that learned more than the requirements allow about `learned` records.
    fn judged(promised: Vec<String>, learned: usize) -> Self {
        match (promised.is_empty(), learned) {
            (true, _) => Finding::new(Verdict::Unpromised, promised, None),
            (false, 0) => Finding::new(Verdict::Withstood, promised, Some(0)),
            (false, _) => Finding::new(Verdict::Broken, promised, Some(learned)),
        }
    }

    /// A finding about an attack that could not be tried.
    fn not_tried(why: impl Into<String>) -> Self {
        let mut finding = Finding::new(Verdict::NotTried, Vec::new(), None);
        finding.found.push(why.into());
        finding
    }

    /// The same finding about what was counted.
    fn of(mut self, counted: &Counted) -> Self {
        self.counts = counted.unit();
        if counted.rows_only {
            self.say(ROWS_ONLY.to_owned());
        }
        self
    }

    /// Adds a figure.
    fn figure(&mut self, name: &str, value: f64) {
        self.figures.insert(name.to_owned(), Figure::One(value));
    }

    /// Adds a sentence.
    fn say(&mut self, sentence: String) {
        self.found.push(sentence);
    }
}

/// Runs these attacks.
pub fn play(scene: &Scene, specs: &[Spec], progress: Progress) -> Result<IndexMap<String, Finding>> {
    let mut findings = IndexMap::new();
    for spec in specs {
        let attack = build(spec)?;
        let mut finding = attack.attack(scene, progress)?;
        finding.knows = attack.knows();
        findings.insert(spec.to_string(), finding);
    }
    Ok(findings)
}

/// Checks the names and parameters of attacks before they run.
pub fn check(specs: &[Spec]) -> Result<()> {
    if specs.is_empty() {
        return Err(Error::parameter("attacks", "no attack is named"));
    }
    specs.iter().try_for_each(|spec| build(spec).map(drop))
}
