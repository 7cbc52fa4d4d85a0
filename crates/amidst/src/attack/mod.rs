//! The adversaries of the papers, played against a release.
//!
//! Each [`Attack`] knows something, tries something, and says what it learned, beside what the release promised. What is promised is what the plan
//! asks, as far as the form of the release claims it. Findings are counts, shares and worst cases; they never name a record.

mod belief;
pub mod downcoding;
pub mod homogeneity;
pub mod linking;
pub mod order;
mod promise;
pub mod rerun;
pub mod skewness;

use indexmap::IndexMap;
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

/// An adversary.
pub trait Attack: Send + Sync {
    /// What it knows beside the release.
    fn knows(&self) -> &'static str;

    /// What it learns.
    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding>;
}

/// How adversaries are built.
pub type Build = fn(&Params) -> Box<dyn Attack>;

/// All adversaries.
pub const ALL: &[Entry<Build>] =
    &[linking::ENTRY, homogeneity::ENTRY, skewness::ENTRY, order::ENTRY, rerun::ENTRY, downcoding::ENTRY];

/// The adversary that `spec` asks for.
pub fn build(spec: &Spec) -> Result<Box<dyn Attack>> {
    let (entry, params) = registry::find(ALL, "attack", spec)?;
    Ok((entry.build)(&params))
}

/// What could be true, for somebody who knows the original but for one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// The original.
    Original,
    /// Two of its rows have each other's sensitive values.
    Exchanged(u32, u32),
    /// One of its rows has the value of another.
    Other {
        /// The row.
        row: u32,
        /// The place of the column among the quasi-identifiers.
        column: usize,
        /// The row that has the value.
        like: u32,
    },
}

/// Makes the release of a world by a seed. `None` where that gives no release.
pub type Rerun<'a> = dyn Fn(World, Seed, Progress) -> Result<Option<Published>> + Sync + 'a;

/// A release beside its original.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// Both, as codes.
    pub view: &'a View,
    /// The release.
    pub release: &'a Published,
    /// The original.
    pub original: &'a Table,
    /// The roles of its columns.
    pub schema: &'a Schema,
    /// What was asked.
    pub plan: &'a Plan,
    /// How the release was made, where the plan says it.
    pub rerun: Option<&'a Rerun<'a>>,
}

impl Scene<'_> {
    fn encoded(&self) -> &Encoded {
        &self.view.encoded
    }

    /// True where records were left out of the release. Then the last piece and the last class of the view are those.
    fn left_out(&self) -> bool {
        self.release.table.rows() < self.encoded().rows()
    }

    /// What is published.
    fn pieces(&self) -> &[Piece] {
        &self.view.pieces[..self.view.pieces.len() - usize::from(self.left_out())]
    }

    /// The classes that are published.
    fn classes(&self) -> &[Class] {
        &self.view.classes[..self.view.classes.len() - usize::from(self.left_out())]
    }

    /// Why rows cannot be found by their quasi-identifiers, where that is not known to be the way to attack the form.
    fn unlinkable(&self) -> Option<String> {
        let (form, mixed) = (self.plan.method.publish.name(), |name: &str| self.is_mixed(name));
        if self.release.shape == Shape::Centres {
            return Some(self.no_closures());
        }
        let apart = self.schema.quasi_names().any(mixed);
        apart.then(|| format!("in a release by {form} it is not shown which quasi-identifiers belong together, so no row is found by them"))
    }

    /// Why nothing can be said about sensitive values, where that is so.
    fn unguessable(&self) -> Option<String> {
        let centres = (self.release.shape == Shape::Centres).then(|| self.no_closures());
        centres.or_else(|| self.encoded().sensitive().is_empty().then(|| "no column is sensitive".to_owned()))
    }

    fn no_closures(&self) -> String {
        let form = self.plan.method.publish.name();
        format!(
            "a release by {form} does not say whom its rows cover; the nearest row is a guess, and such an adversary is not played"
        )
    }

    /// How many rows each published row could be mistaken for at least: those of its class or, in a ring, of its window; and how many rows have that.
    fn crowds(&self) -> Vec<(usize, usize)> {
        match &self.release.shape {
            Shape::Ring(rings) => {
                rings.windows.iter().copied().zip(self.release.classes.sizes.iter().copied()).collect()
            }
            _ => self.classes().iter().map(|class| (class.size, class.size)).collect(),
        }
    }

    /// True for columns whose values are only known of a class as a whole.
    fn is_mixed(&self, column: &str) -> bool {
        self.release.mixed.iter().flatten().any(|mixed| mixed == column)
    }

    /// True where the form hides which rows could be a person's.
    fn hides_rows(&self) -> bool {
        matches!(self.release.shape, Shape::Closures | Shape::Ring(_))
    }

    /// How many rows at least are promised to look the same; 1 where nothing is.
    fn k(&self) -> Result<usize> {
        if !self.hides_rows() {
            return Ok(1);
        }
        Ok(self.plan.sizes()?.into_iter().fold(self.plan.privacy.k.max(1), usize::max))
    }

    /// What a person wants; 0 where that is nothing.
    fn wish(&self, level: Level, row: u32) -> f64 {
        let of_level = self.encoded().personal().iter().filter(|personal| personal.level == level);
        let wishes =
            of_level.map(|personal| personal.levels[self.encoded().watched()[personal.column].row(row) as usize]);
        wishes.fold(0.0, f64::max)
    }

    /// True where persons want something of their own.
    fn wishes(&self, level: Level) -> bool {
        self.encoded().personal().iter().any(|personal| personal.level == level)
    }
}

/// How an attack ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It learned no more than was promised.
    Withstood,
    /// It learned more than was promised.
    Broken,
    /// Nothing was promised against it.
    Unpromised,
    /// It could not be tried.
    NotTried,
}

/// What an adversary learned.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Finding {
    /// How it ended.
    pub verdict: Verdict,
    /// What the adversary knows beside the release.
    pub knows: &'static str,
    /// What the release promised against it.
    pub promised: Vec<String>,
    /// About how many records it learned more than promised; none where nothing was.
    pub learned: Option<usize>,
    /// The figures.
    pub figures: IndexMap<String, Figure>,
    /// The same in words, or why it was not tried.
    pub found: Vec<String>,
}

impl Finding {
    /// Nothing yet.
    fn new(verdict: Verdict, promised: Vec<String>, learned: Option<usize>) -> Self {
        Finding { verdict, knows: "", promised, learned, figures: IndexMap::new(), found: Vec::new() }
    }

    /// That so many records are known better than promised.
    fn judged(promised: Vec<String>, learned: usize) -> Self {
        match (promised.is_empty(), learned) {
            (true, _) => Finding::new(Verdict::Unpromised, promised, None),
            (false, 0) => Finding::new(Verdict::Withstood, promised, Some(0)),
            (false, _) => Finding::new(Verdict::Broken, promised, Some(learned)),
        }
    }

    /// That it could not be tried.
    fn not_tried(why: impl Into<String>) -> Self {
        let mut finding = Finding::new(Verdict::NotTried, Vec::new(), None);
        finding.found.push(why.into());
        finding
    }

    /// One more figure.
    fn figure(&mut self, name: &str, value: f64) {
        self.figures.insert(name.to_owned(), Figure::One(value));
    }

    /// One more sentence.
    fn say(&mut self, sentence: String) {
        self.found.push(sentence);
    }
}

/// Plays these adversaries.
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

/// Finds mistyped names and parameters, before any work.
pub fn check(specs: &[Spec]) -> Result<()> {
    if specs.is_empty() {
        return Err(Error::parameter("attacks", "none is named"));
    }
    specs.iter().try_for_each(|spec| build(spec).map(drop))
}

/// A share in percent.
fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
