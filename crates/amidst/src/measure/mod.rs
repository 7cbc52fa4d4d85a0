//! Measures of how useful a release is, computed from the original and the release alone.
//!
//! The measures of [`cost`] are functions of single clusters, so they can also be objectives. The measures here need more: the distribution
//! of the whole table, or the class of each record. All of them read a [`View`], which each form of release fills in its own way.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures 'lm,query(predicates=3)'
//! ```

pub mod c_avg;
mod calendar;
mod cells;
#[cfg(feature = "classification")]
pub mod classification;
mod correlations;
mod cover;
mod distribution;
pub mod glp;
pub mod kl;
pub mod phi2;
pub mod pmi_norms;
pub mod query;
pub mod re;
mod slices;
pub mod sse;
mod suspects;
mod view;

use indexmap::IndexMap;
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::cost::{self, Measure};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::problem::Cluster;
use crate::progress::Progress;
use crate::registry::{self, Entry, Params, Spec};

pub use cells::closure;
pub use correlations::Correlations;
pub use cover::Cover;
pub use distribution::{Bin, Category, Change, Distribution};
pub use slices::Slices;
pub use suspects::Suspects;
pub use view::{Class, Piece, View};

/// A measure that needs more than the state of single clusters.
pub trait Score: Send + Sync {
    /// Measures a release.
    fn score(&self, view: &View, progress: Progress) -> Result<Figure>;
}

/// The result of a measure: one number, or several with names.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(untagged)]
pub enum Figure {
    /// One number.
    One(f64),
    /// Several figures, by name.
    Many(IndexMap<String, Figure>),
}

impl Figure {
    /// The number, if there is only one.
    pub fn one(&self) -> Option<f64> {
        match self {
            Figure::One(value) => Some(*value),
            Figure::Many(_) => None,
        }
    }

    /// Several figures by name.
    pub fn many<N: Into<String>>(figures: impl IntoIterator<Item = (N, Figure)>) -> Self {
        Figure::Many(figures.into_iter().map(|(name, figure)| (name.into(), figure)).collect())
    }
}

/// How a measure is built.
#[derive(Debug, Clone, Copy)]
pub struct Build {
    /// Whether it is as fast as the verification. Quick measures are computed in every run.
    pub quick: bool,
    /// What it needs of the form of a release.
    pub needs: Needs,
    /// Makes the measure.
    pub make: fn(&Params) -> Box<dyn Score>,
}

/// What a measure needs of the form of a release. A form that does not show it cannot be measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Needs {
    /// Closures that show how far the values of a class lie apart. Centres do not.
    pub spread: bool,
    /// Generalized quasi-identifiers. Forms that publish them unchanged do not have them.
    pub generalized: bool,
    /// Classes or groups. Rings have none.
    pub classes: bool,
}

impl Needs {
    /// Nothing: every form can be measured.
    pub const NOTHING: Needs = Needs { spread: false, generalized: false, classes: false };
    /// What each objective needs: the closures of clusters.
    pub const CLOSURES: Needs = Needs { spread: true, generalized: true, classes: false };
    /// What an objective needs that also looks at sizes or sensitive values of classes.
    pub const CLUSTERS: Needs = Needs { spread: true, generalized: true, classes: true };
}

/// All measures that cannot be an objective.
pub const ALL: &[Entry<Build>] = &[
    c_avg::ENTRY,
    kl::ENTRY,
    pmi_norms::L2,
    pmi_norms::LINF,
    glp::ENTRY,
    re::ENTRY,
    phi2::ENTRY,
    sse::ENTRY,
    query::ENTRY,
    #[cfg(feature = "classification")]
    classification::ENTRY,
];

/// A selection of measures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The quick ones.
    Quick,
    /// All of them.
    All,
    /// The named ones.
    Named(Vec<Spec>),
}

impl std::str::FromStr for Selection {
    type Err = std::convert::Infallible;

    /// `quick`, `all`, or a list such as `lm,query(predicates=3)`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "quick" => Selection::Quick,
            "all" => Selection::All,
            list => Selection::Named(registry::specs(list)),
        })
    }
}

/// The figures of a release.
#[derive(Debug, Clone, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scores {
    /// Single figures, by measure. Lower is better.
    pub loss: IndexMap<String, f64>,
    /// Figures with several parts, by measure.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub utility: IndexMap<String, Figure>,
    /// The measures that do not apply, each with the reason.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub skipped: IndexMap<String, String>,
}

/// Measures a release. A measure that does not apply is skipped with its reason, or is an error if it was selected by name.
pub fn scores(view: &View, selection: &Selection, progress: Progress) -> Result<Scores> {
    let by_name = matches!(selection, Selection::Named(_));
    let specs: Vec<Spec> = match selection {
        Selection::Named(specs) => specs.clone(),
        all => {
            let wanted = |e: &&Entry<Build>| e.build.quick || *all == Selection::All;
            let names = cost::ALL.iter().map(|e| e.name).chain(ALL.iter().filter(wanted).map(|e| e.name));
            names.map(Spec::new).collect()
        }
    };
    // Quick measures run in parallel. The others run one after another and show their progress.
    let slow = |spec: &Spec| registry::entry(ALL, spec).is_some_and(|entry| !entry.build.quick);
    let is_objective = |spec: &Spec| registry::entry(cost::ALL, spec).is_some();
    let at_once = |spec: &Spec| (!slow(spec) && !is_objective(spec)).then(|| figure(view, spec, progress));
    let (losses, figures): (Vec<_>, Vec<_>) =
        rayon::join(|| losses(view, &specs), || specs.par_iter().map(at_once).collect());
    let mut scores = Scores::default();
    for ((spec, loss), known) in specs.iter().zip(losses).zip(figures) {
        let name = spec.to_string();
        match loss.or(known).unwrap_or_else(|| figure(view, spec, progress)) {
            Ok(Figure::One(value)) => {
                scores.loss.insert(name, value);
            }
            Ok(many) => {
                scores.utility.insert(name, many);
            }
            Err(Error::NotApplicable { message, .. }) if !by_name => {
                scores.skipped.insert(name, message);
            }
            Err(e) => return Err(e),
        }
    }
    Ok(scores)
}

/// The loss of each quasi-identifier by LM, from 0 to 1; `None` for forms that LM does not apply to.
pub fn loss_by_column(view: &View) -> Result<Option<Vec<f64>>> {
    if view.admits("lm", Needs::CLOSURES).is_err() {
        return Ok(None);
    }
    let lm = cost::build(&Spec::new("lm"), &view.encoded)?;
    let cell = |column: usize, piece: &Piece| piece.size as f64 * lm.cell(column, piece.closure[column]);
    let column = |column: usize| view.pieces.iter().map(|piece| cell(column, piece)).sum::<f64>();
    let rows = view.encoded.rows() as f64;
    Ok(Some((0..view.encoded.domains().len()).map(|c| column(c) / rows).collect()))
}

/// The distinct records to look at, each with its count: all of a table, or a random sample of at most `most` records.
fn looked_at(encoded: &Encoded, most: usize) -> Vec<(u32, u32)> {
    let rows = encoded.rows();
    let mut looked_at = vec![0_u32; encoded.tuples()];
    if rows <= most {
        looked_at.iter_mut().zip(0..).for_each(|(times, t)| *times = encoded.rows_of(t).len() as u32);
    } else {
        let mut rng = ChaCha12Rng::seed_from_u64(0);
        sample(&mut rng, rows, most).into_iter().for_each(|row| looked_at[encoded.tuple_of(row as u32) as usize] += 1);
    }
    (0..).zip(looked_at).filter(|(_, times)| *times > 0).collect()
}

/// The number of pieces that are looked at together.
const PIECES_AT_ONCE: usize = 1 << 12;

/// The figures of those of these measures that can be an objective. All look at the same clusters, so each cluster is made once.
fn losses(view: &View, specs: &[Spec]) -> Vec<Option<Result<Figure>>> {
    let measure = |spec: &Spec| registry::entry(cost::ALL, spec).map(|_| objective(view, spec));
    let measures: Vec<Option<Result<Box<dyn Measure>>>> = specs.par_iter().map(measure).collect();
    let mut sums = vec![0.0; specs.len()];
    if measures.iter().flatten().any(Result::is_ok) {
        for pieces in view.pieces.chunks(PIECES_AT_ONCE) {
            let clusters: Vec<Cluster> = pieces.iter().map(|piece| view.cluster(piece)).collect();
            sums.par_iter_mut().zip(&measures).for_each(|(sum, measure)| {
                if let Some(Ok(measure)) = measure {
                    clusters.iter().for_each(|cluster| *sum += measure.cluster(cluster));
                }
            });
        }
    }
    let rows = view.encoded.rows();
    let figure = |measure: Result<Box<dyn Measure>>, sum| Ok(Figure::One(cost::total(&*measure?, sum, rows)));
    measures.into_iter().zip(sums).map(|(measure, sum)| measure.map(|measure| figure(measure, sum))).collect()
}

/// A measure that can be an objective, if it applies to the release.
fn objective(view: &View, spec: &Spec) -> Result<Box<dyn Measure>> {
    view.admits(spec.name(), Needs::CLOSURES)?;
    let measure = cost::build(spec, &view.encoded)?;
    if measure.looks_at_classes() {
        view.admits(spec.name(), Needs::CLUSTERS)?;
    }
    Ok(measure)
}

fn figure(view: &View, spec: &Spec, progress: Progress) -> Result<Figure> {
    match registry::find(ALL, "measure", spec) {
        Ok((entry, params)) => {
            view.admits(entry.name, entry.build.needs)?;
            (entry.build.make)(&params).score(view, progress)
        }
        Err(Error::UnknownName { list, name, .. }) => {
            let known: Vec<_> = cost::ALL.iter().map(|e| e.name).chain(ALL.iter().map(|e| e.name)).collect();
            Err(Error::unknown_name(list, &name, &known))
        }
        Err(e) => Err(e),
    }
}
