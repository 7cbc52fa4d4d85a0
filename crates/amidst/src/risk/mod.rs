//! How likely it is that somebody finds a person in a table.
//!
//! Three adversaries of El Emam ("Guide to the De-Identification of Personal Health Information", 2013), as ARX has them:
//!
//! - The **prosecutor** looks for one person who is known to be in the table. With s records in the person's class the chance is 1/s.
//! - The **journalist** looks for anybody, does not know who is in the table, and counts the people of the population who fit the class: 1/F.
//! - The **marketer** takes everybody in the table for somebody, and wins where that is right.
//!
//! [`Risk`] has their figures, from nothing but the sizes of the classes. How many people of a population fit a class is counted where there
//! is a table of it ([`fits`]), and expected where only its size is known; how many persons are alone in the population is
//! estimated by three [models](population).
//!
//! Before there are quasi-identifiers, somebody must choose them: [`columns`] and [`sets`] say which columns tell people apart, alone and together,
//! and [`safe_harbor`] which ones hold what a well-known rule wants removed.

pub mod columns;
mod fits;
mod grouping;
mod individual;
pub mod population;
pub mod safe_harbor;
pub mod sets;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

pub use columns::{Advice, ColumnRisk};
pub use fits::{Fit, fits};
pub use population::Estimates;
pub use safe_harbor::{Hint, hints};
pub use sets::SetRisk;

/// The threshold that is taken where nobody names one: classes of five.
pub const THRESHOLD: f64 = 0.2;

/// What is taken for granted about a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumptions {
    /// The risk that is still acceptable for a single record. Usual are 0.33 (classes of three) among those who are bound by a contract, 0.2
    /// (five), the default, and 0.09 (eleven) for everybody: the European Medicines Agency (policy 0070) and Health Canada ask for the last.
    /// As 1/3 and 1/11 are a little more than their rounded figures, classes of ⌊1/threshold⌋ count as acceptable.
    pub threshold: f64,
    /// The share of the population that the table holds, above 0 and up to 1.
    pub sample: Option<f64>,
}

impl Default for Assumptions {
    fn default() -> Self {
        Assumptions { threshold: THRESHOLD, sample: None }
    }
}

/// How likely the people of a table are found.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct Risk {
    /// The number of records.
    pub records: usize,
    /// The number of classes: records that look the same.
    pub classes: usize,
    /// The risk that is still acceptable for a single record.
    pub threshold: f64,
    /// What who knows that a person is in the table can do.
    pub prosecutor: Exposure,
    /// The share of the records that who takes all of them for somebody gets right. That of the population where something is known about it,
    /// else as if nobody but the people in the table could be meant: classes / records.
    pub marketer: f64,
    /// What who does not know who is in the table can do, where something is known about the population.
    pub journalist: Option<Exposure>,
    /// How many people are alone in the population, where only its size is known.
    pub population: Option<Estimates>,
}

/// How likely single records are found.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct Exposure {
    /// The risk of the record that is easiest to find.
    pub highest: f64,
    /// The mean over the records.
    pub average: f64,
    /// The risk of the record that is hardest to find.
    pub lowest: f64,
    /// The share of the records whose risk is above the threshold.
    pub at_risk: f64,
    /// The share of the records that are alone in their class; to the journalist, in the population.
    pub uniques: f64,
}

/// Records that hide in crowds of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd {
    /// How many records nobody can tell apart.
    pub size: usize,
    /// How many records hide in such crowds.
    pub records: usize,
    /// How many classes they form.
    pub classes: usize,
}

impl Risk {
    /// From how many classes have which size.
    pub fn new(sizes: &BTreeMap<usize, usize>, assumptions: &Assumptions) -> Risk {
        let crowds =
            sizes.iter().map(|(size, classes)| Crowd { size: *size, records: size * classes, classes: *classes });
        Risk::of_crowds(&crowds.collect::<Vec<_>>(), assumptions)
    }

    /// The same where a crowd need not be a class, as in rings.
    pub(crate) fn of_crowds(crowds: &[Crowd], assumptions: &Assumptions) -> Risk {
        let threshold = assumptions.threshold;
        let crowds: Vec<Crowd> = crowds.iter().filter(|crowd| crowd.records > 0).copied().collect();
        let records = crowds.iter().map(|crowd| crowd.records).sum();
        let with = |risk: &dyn Fn(usize) -> f64| {
            let group =
                |crowd: &Crowd| Group { records: crowd.records, risk: risk(crowd.size), unique: crowd.size == 1 };
            Exposure::new(crowds.iter().map(group), threshold)
        };
        let prosecutor = with(&|size| 1.0 / size.max(1) as f64);
        let sample = assumptions.sample.filter(|share| *share > 0.0 && records > 0);
        let population = sample.filter(|share| *share < 1.0).map(|share| {
            let mut sizes = BTreeMap::new();
            crowds.iter().for_each(|crowd| *sizes.entry(crowd.size).or_default() += crowd.records / crowd.size.max(1));
            Estimates::new(&sizes, share)
        });
        let journalist = sample.map(|share| {
            let largest = crowds.iter().map(|crowd| crowd.size).max().unwrap_or(0);
            let mut risks = individual::risks(share.min(1.0), largest);
            let estimated = population.as_ref().and_then(|population| population.uniqueness);
            // Who is alone in the population is alone in the table, but not the other way round.
            let alone = estimated.map_or(share.min(1.0), |estimated| (estimated / prosecutor.uniques).min(1.0));
            if share < 1.0 && prosecutor.uniques > 0.0 {
                risks[1] = individual::of_one(risks[1], share, alone);
            }
            let exposure = with(&|size| risks[size]);
            let uniques = if prosecutor.uniques > 0.0 { prosecutor.uniques * alone } else { 0.0 };
            Exposure { uniques, ..exposure }
        });
        Risk {
            records,
            classes: crowds.iter().map(|crowd| crowd.classes).sum(),
            threshold,
            prosecutor,
            marketer: journalist.map_or(prosecutor.average, |journalist| journalist.average),
            journalist,
            population,
        }
    }

    /// The same, where it was counted how many people of the population fit each class.
    #[must_use]
    pub fn among(self, fits: &[Fit]) -> Risk {
        let groups = fits.iter().map(|fit| {
            // Those in the table are people of the population, whatever its table says.
            let people = fit.people.max(fit.records).max(1);
            Group { records: fit.records, risk: 1.0 / people as f64, unique: people == 1 }
        });
        let journalist = Exposure::new(groups, self.threshold);
        Risk { marketer: journalist.average, journalist: Some(journalist), population: None, ..self }
    }
}

/// Records of one risk.
struct Group {
    records: usize,
    risk: f64,
    unique: bool,
}

impl Exposure {
    fn new(groups: impl Iterator<Item = Group>, threshold: f64) -> Self {
        // Rounding must not turn 1/5 into more than 0.2.
        let acceptable = 1.0 / (1.0 / threshold + 1e-9).floor().max(1.0) + 1e-12;
        let (mut records, mut found, mut at_risk, mut uniques) = (0, 0.0, 0, 0);
        let (mut highest, mut lowest) = (0.0_f64, 1.0_f64);
        for group in groups.filter(|group| group.records > 0) {
            records += group.records;
            found += group.risk * group.records as f64;
            at_risk += if group.risk > acceptable { group.records } else { 0 };
            uniques += if group.unique { group.records } else { 0 };
            highest = highest.max(group.risk);
            lowest = lowest.min(group.risk);
        }
        let of_all = |part: f64| if records == 0 { 0.0 } else { part / records as f64 };
        Exposure {
            highest,
            average: of_all(found),
            lowest: lowest.min(highest),
            at_risk: of_all(at_risk as f64),
            uniques: of_all(uniques as f64),
        }
    }
}
