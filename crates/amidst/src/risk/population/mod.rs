//! How many people are alone in a population of which only a sample is known.
//!
//! Nobody can count them, so three models of how class sizes come about are fitted to the sample, each in a file of its own.
//! Dankar, El Emam, Neisa and Roffey ("Estimating the re-identification risk of clinical data sets", BMC Medical Informatics and Decision
//! Making 12:66, 2012) compared them on clinical tables and found a rule that picks the best for each sampling fraction; it is that of ARX:
//! Pitman's up to 10 %, above that the smaller one of Zayatz's and the slide negative binomial.

mod newton;
mod pitman;
mod snb;
mod zayatz;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

/// Up to this share of the population the rule takes Pitman's model.
const SMALL: f64 = 0.1;

/// How many people are alone in the population, by three models.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Estimates {
    /// The size of the population: records / share.
    pub people: usize,
    /// By Pitman's sampling formula.
    pub pitman: Estimate,
    /// By Zayatz.
    pub zayatz: Estimate,
    /// By the slide negative binomial distribution.
    pub snb: Estimate,
    /// The share of the population that is alone, by the model that was picked.
    pub uniqueness: Option<f64>,
    /// The model that the rule of Dankar et al. picks, or what stands in where that has no answer.
    pub picked: Option<Model>,
}

/// A model of class sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Pitman's sampling formula, fitted by maximum likelihood.
    Pitman,
    /// As if the population had classes like the sample.
    Zayatz,
    /// The slide negative binomial distribution, fitted by the classes of one and of two.
    Snb,
}

impl std::fmt::Display for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Model::Pitman => "Pitman",
            Model::Zayatz => "Zayatz",
            Model::Snb => "SNB",
        })
    }
}

/// What a model says, or why it does not.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Estimate {
    /// The share of the population that is alone.
    pub uniqueness: Option<f64>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Estimate {
    /// From how many people are alone, in a population of so many.
    fn new(uniques: Result<f64, String>, sample: &Sample) -> Self {
        let possible = uniques.and_then(|uniques| {
            let share = uniques / sample.people;
            // A hair above 1 is rounding.
            if share.is_finite() && (0.0..1.0 + 1e-9).contains(&share) {
                Ok(share.min(1.0))
            } else {
                Err("it says that more people are alone than there are".to_owned())
            }
        });
        match possible {
            Ok(share) => Estimate { uniqueness: Some(share), reason: None },
            Err(reason) => Estimate { uniqueness: None, reason: Some(reason) },
        }
    }
}

/// What the models look at.
struct Sample<'a> {
    /// How many classes have which size.
    sizes: &'a BTreeMap<usize, usize>,
    records: f64,
    classes: f64,
    /// The share of the population.
    share: f64,
    /// The size of the population.
    people: f64,
}

impl Sample<'_> {
    /// The number of classes of a size.
    fn of_size(&self, size: usize) -> f64 {
        self.sizes.get(&size).copied().unwrap_or(0) as f64
    }

    /// Sizes and how many classes have them.
    fn each(&self) -> impl Iterator<Item = (f64, f64)> {
        self.sizes.iter().map(|(size, classes)| (*size as f64, *classes as f64))
    }
}

impl Estimates {
    /// From how many classes of the sample have which size, and the share of the population that it holds, between 0 and 1.
    pub fn new(sizes: &BTreeMap<usize, usize>, share: f64) -> Self {
        let records: f64 = sizes.iter().map(|(size, classes)| (size * classes) as f64).sum();
        let classes = sizes.iter().filter(|(size, _)| **size > 0).map(|(_, classes)| *classes as f64).sum();
        let people = (records / share).round().max(records);
        let sample = Sample { sizes, records, classes, share, people };
        let estimate = |model: fn(&Sample) -> Result<f64, String>| {
            // Who is alone in the population is alone in the sample.
            let uniques = if sample.of_size(1) == 0.0 { Ok(0.0) } else { model(&sample) };
            Estimate::new(uniques, &sample)
        };
        let (pitman, zayatz, snb) =
            (estimate(pitman::uniques), estimate(|sample| Ok(zayatz::uniques(sample))), estimate(snb::uniques));
        let of = |model, estimate: &Estimate| estimate.uniqueness.map(|share| (model, share));
        let zayatz_says = of(Model::Zayatz, &zayatz);
        let picked = if share <= SMALL {
            of(Model::Pitman, &pitman).or(zayatz_says)
        } else {
            let both = [of(Model::Snb, &snb), zayatz_says];
            both.into_iter().flatten().min_by(|(_, one), (_, other)| one.total_cmp(other))
        };
        Estimates {
            people: people as usize,
            pitman,
            zayatz,
            snb,
            uniqueness: picked.map(|(_, share)| share),
            picked: picked.map(|(model, _)| model),
        }
    }
}
