//! Estimates of how many people are alone in a population of which only a sample is known.
//!
//! Three models of class sizes are fitted to the sample, each in its own file. Dankar, El Emam, Neisa and Roffey ("Estimating the
//! re-identification risk of clinical data sets", BMC Medical Informatics and Decision Making 12:66, 2012) compared them on clinical tables
//! and found a rule that picks a model by the sampling fraction. ARX uses the same rule: Pitman's model up to 10 %, and above that the
//! smaller estimate of Zayatz and of the slide negative binomial model.
//!
//! # Example
//!
//! ```text
//! amidst risk adult.csv.gz --quasi age,sex,native-country --sample 5%
//! ```

mod newton;
mod pitman;
mod snb;
mod zayatz;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// The rule picks Pitman's model for samples of up to this share of the population.
const MAX_SHARE_FOR_PITMAN: f64 = 0.1;

/// Estimates of how many people are alone in the population, by three models.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Estimates {
    /// The size of the population: the number of records divided by the share.
    pub people: usize,
    /// The estimate by Pitman's sampling formula.
    pub pitman: Estimate,
    /// The estimate by Zayatz.
    pub zayatz: Estimate,
    /// The estimate by the slide negative binomial distribution.
    pub snb: Estimate,
    /// The share of the population that is alone, by the picked model.
    pub uniqueness: Option<f64>,
    /// The model that the rule of Dankar et al. picks, or its substitute if that model has no answer.
    pub picked: Option<Model>,
}

/// A model of class sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Model {
    /// Pitman's sampling formula, fitted by maximum likelihood.
    Pitman,
    /// Zayatz: the population has classes of the same sizes as the sample.
    Zayatz,
    /// The slide negative binomial distribution, fitted by the classes of one and of two records.
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

/// The estimate of a model, or the reason why it has none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Estimate {
    /// The share of the population that is alone.
    pub uniqueness: Option<f64>,
    /// The reason why there is no estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl Estimate {
    /// The estimate of a model that says how many people are alone.
    fn new(uniques: Result<f64, String>, sample: &Sample) -> Self {
        let possible = uniques.and_then(|uniques| {
            let share = uniques / sample.people;
            // A share just above 1 is rounding.
            if share.is_finite() && (0.0..1.0 + 1e-9).contains(&share) {
                Ok(share.min(1.0))
            } else {
                Err("its estimate is more people than the population has".to_owned())
            }
        });
        match possible {
            Ok(share) => Estimate { uniqueness: Some(share), reason: None },
            Err(reason) => Estimate { uniqueness: None, reason: Some(reason) },
        }
    }
}

/// The sample that the models are fitted to.
struct Sample<'a> {
    /// The number of classes of each size.
    sizes: &'a BTreeMap<usize, usize>,
    records: f64,
    classes: f64,
    /// The share of the population that is in the sample.
    share: f64,
    /// The size of the population.
    people: f64,
}

impl Sample<'_> {
    /// The number of classes of a size.
    fn of_size(&self, size: usize) -> f64 {
        self.sizes.get(&size).copied().unwrap_or(0) as f64
    }

    /// Each class size with its number of classes.
    fn each(&self) -> impl Iterator<Item = (f64, f64)> {
        self.sizes.iter().map(|(size, classes)| (*size as f64, *classes as f64))
    }
}

impl Estimates {
    /// Fits the models. `sizes` has the number of classes of each size; `share` is the share of the population in the sample, between 0 and 1.
    pub fn new(sizes: &BTreeMap<usize, usize>, share: f64) -> Self {
        let records: f64 = sizes.iter().map(|(size, classes)| (size * classes) as f64).sum();
        let classes = sizes.iter().filter(|(size, _)| **size > 0).map(|(_, classes)| *classes as f64).sum();
        let people = (records / share).round().max(records);
        let sample = Sample { sizes, records, classes, share, people };
        let estimate = |model: fn(&Sample) -> Result<f64, String>| {
            // A record that is alone in the population is alone in the sample.
            let uniques = if sample.of_size(1) == 0.0 { Ok(0.0) } else { model(&sample) };
            Estimate::new(uniques, &sample)
        };
        let (pitman, zayatz, snb) =
            (estimate(pitman::uniques), estimate(|sample| Ok(zayatz::uniques(sample))), estimate(snb::uniques));
        let of = |model, estimate: &Estimate| estimate.uniqueness.map(|share| (model, share));
        let zayatz_says = of(Model::Zayatz, &zayatz);
        let picked = if share <= MAX_SHARE_FOR_PITMAN {
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
