//! How useful a release still is, judged from the original and the release alone.
//!
//! The measures of [`cost`] score a release by the closures read back from its cells. The figures here need
//! more: the distribution of the whole table, or which class each record went to. All of them look at a [`View`], which
//! a publication form that is not a table of closures can fill in its own way.

pub mod c_avg;
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
use schemars::JsonSchema;
use serde::Serialize;

use crate::cost;
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::registry::{self, Entry, Params, Spec};

pub use correlations::Correlations;
pub use cover::Cover;
pub use distribution::{Bin, Category, Change, Distribution, Other};
pub use slices::Slices;
pub use suspects::Suspects;
pub use view::{Class, Piece, View, closure};

/// A figure about a release that needs more than its clusters' states.
pub trait Score: Send + Sync {
    /// The figure.
    fn score(&self, view: &View, progress: Progress) -> Result<Figure>;
}

/// One number, or several with names.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Figure {
    /// One number.
    One(f64),
    /// Several, by name.
    Many(IndexMap<String, Figure>),
}

impl Figure {
    /// The number, where it is one.
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

/// How scores are built.
#[derive(Debug, Clone, Copy)]
pub struct Build {
    /// Whether it takes no longer than the verification does, so that every run can afford it.
    pub quick: bool,
    /// Makes it.
    pub make: fn(&Params) -> Box<dyn Score>,
}

/// All figures that cannot be an objective.
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

/// Which figures are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Those that take next to no time.
    Quick,
    /// All.
    All,
    /// These.
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

/// What was found out about a release.
#[derive(Debug, Default, JsonSchema, Serialize)]
pub struct Scores {
    /// Single figures by measure; less is better.
    pub loss: IndexMap<String, f64>,
    /// Figures with several parts.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub utility: IndexMap<String, Figure>,
    /// What could not be measured, and why.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub skipped: IndexMap<String, String>,
}

/// Measures a release. What does not apply is skipped with its reason, unless it was asked for by name.
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
    // Those that are quick side by side; the others show their progress, one after the other.
    let slow = |spec: &Spec| ALL.iter().any(|e| e.name == spec.name() && !e.build.quick);
    let at_once = |spec: &Spec| (!slow(spec)).then(|| figure(view, spec, progress));
    let figures: Vec<Option<Result<Figure>>> = specs.par_iter().map(at_once).collect();
    let mut scores = Scores::default();
    for (spec, known) in specs.iter().zip(figures) {
        let name = spec.to_string();
        match known.unwrap_or_else(|| figure(view, spec, progress)) {
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

/// What each quasi-identifier loses by LM, 0 to 1; `None` for forms that LM has no answer to.
pub fn loss_by_column(view: &View) -> Result<Option<Vec<f64>>> {
    if view.admits("lm").is_err() {
        return Ok(None);
    }
    let lm = cost::build(&Spec::new("lm"), &view.encoded)?;
    let cell = |column: usize, piece: &Piece| piece.size as f64 * lm.cell(column, piece.closure[column]);
    let column = |column: usize| view.pieces.iter().map(|piece| cell(column, piece)).sum::<f64>();
    let rows = view.encoded.rows() as f64;
    Ok(Some((0..view.encoded.domains().len()).map(|c| column(c) / rows).collect()))
}

/// Distinct records and how often each is looked at: all of a table, or a sample of so many.
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

fn figure(view: &View, spec: &Spec, progress: Progress) -> Result<Figure> {
    view.admits(spec.name())?;
    if cost::ALL.iter().any(|e| e.name == spec.name()) {
        let measure = cost::build(spec, &view.encoded)?;
        return Ok(Figure::One(cost::loss(&*measure, view.clusters(), view.encoded.rows())));
    }
    match registry::find(ALL, "measure", spec) {
        Ok((entry, params)) => (entry.build.make)(&params).score(view, progress),
        Err(Error::UnknownName { list, name, .. }) => {
            let known: Vec<_> = cost::ALL.iter().map(|e| e.name).chain(ALL.iter().map(|e| e.name)).collect();
            Err(Error::unknown_name(list, &name, &known))
        }
        Err(e) => Err(e),
    }
}
