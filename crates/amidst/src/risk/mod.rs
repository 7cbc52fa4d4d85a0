//! The risk of re-identification.
//!
//! The figures are those of the three adversaries of El Emam ("Guide to the De-Identification of Personal Health Information", 2013), as
//! in ARX:
//!
//! - The **prosecutor** looks for one person and knows that the person is in the table. If the person's class has s records, the risk is 1/s.
//! - The **journalist** does not know who is in the table. If F people of the population fit the class, the risk is 1/F.
//! - The **marketer** tries to re-identify all records. The risk is the share of the records for which that succeeds.
//!
//! If the table says whose its rows are, all of this is about persons: a class of rows of p persons counts p, and a person is as exposed
//! as the smallest class that has one of the person's rows ([`persons`]).
//!
//! [`Risk`] computes all of them from the class sizes alone. The journalist also needs the number of people of the population who fit a
//! class. It is counted if there is a table of the population ([`fits`]), and estimated if only the size of the population is known. Three
//! [models](population) estimate how many people are alone in the population.
//!
//! Two more parts help to choose the roles of columns. [`columns`] and [`sets`] find the columns that tell records apart, each alone and
//! together with others. [`safe_harbor`] finds the columns that the HIPAA Safe Harbor rule may require to remove.
//!
//! Complexity: O(s) for [`Risk`] if the largest class has s records; see the modules for the others.
//!
//! # Example
//!
//! ```text
//! amidst risk adult.csv.gz --quasi age,sex,native-country --sample 5%
//! ```

pub mod columns;
mod fits;
mod grouping;
mod households;
mod individual;
pub mod persons;
pub mod population;
pub mod safe_harbor;
pub mod sets;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

pub use columns::{Advice, ColumnRisk};
pub use fits::{Fit, fits};
pub use households::{HouseholdRisk, Member, households};
pub use persons::Crowded;
pub use population::Estimates;
pub use safe_harbor::{Hint, hints};
pub use sets::SetRisk;

/// The default threshold: the risk in a class of five.
pub const THRESHOLD: f64 = 0.2;

/// What the user says about a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumptions {
    /// The highest acceptable risk of a record. Usual thresholds are 0.33 (classes of three) for recipients who are bound by a contract, 0.2
    /// (classes of five, the default), and 0.09 (classes of eleven) for public data. The European Medicines Agency (policy 0070) and Health
    /// Canada require the last. 1/3 and 1/11 are a little above these rounded figures, so classes of ⌊1/threshold⌋ records are acceptable.
    pub threshold: f64,
    /// The share of the population that is in the table, above 0 and at most 1.
    pub sample: Option<f64>,
}

impl Default for Assumptions {
    fn default() -> Self {
        Assumptions { threshold: THRESHOLD, sample: None }
    }
}

/// The risk of re-identification of a table. If `persons` is there, risks and shares are those of persons, otherwise those of records.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Risk {
    /// The number of records.
    pub records: usize,
    /// The number of persons, if the table says whose its rows are. Then sizes of classes are numbers of persons, and the risk of a person is
    /// that in the smallest class that has one of the person's rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persons: Option<usize>,
    /// The largest share of a class that the rows of one person make up, if persons are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub largest_share: Option<f64>,
    /// The number of classes. A class has the records with the same quasi-identifiers.
    pub classes: usize,
    /// The highest acceptable risk of a record or a person.
    pub threshold: f64,
    /// The risk by an adversary who knows that a person is in the table.
    pub prosecutor: Exposure,
    /// The share of the records or persons that an adversary re-identifies who tries all of them. It is the journalist's average risk if the
    /// population is known, and otherwise the prosecutor's: for records, classes / records. A person is tried once, in the smallest class that
    /// has one of the person's rows.
    pub marketer: f64,
    /// The risk by an adversary who does not know who is in the table; only if the population or its size is known.
    pub journalist: Option<Exposure>,
    /// Estimates of how many people are alone in the population; only if just its size is known, and no person has rows in several classes.
    pub population: Option<Estimates>,
}

/// The risk of the records of a table, or of its persons if they are counted, by one adversary.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Exposure {
    /// The highest risk of a record or person.
    pub highest: f64,
    /// The mean risk of the records or persons.
    pub average: f64,
    /// The lowest risk of a record or person.
    pub lowest: f64,
    /// The share of the records or persons whose risk is above the threshold.
    pub at_risk: f64,
    /// The share of the records that are alone in their class, or of the persons with a class that has no row of anybody else; for the
    /// journalist, alone in the population.
    pub uniques: f64,
}

/// The records that hide in crowds of one size, or the persons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crowd {
    /// The number of records or persons that cannot be told apart.
    pub size: usize,
    /// The number of records or persons in crowds of this size.
    pub records: usize,
    /// The number of classes that these records form.
    pub classes: usize,
}

impl Risk {
    /// The risk of a table, by its number of classes of each size.
    pub fn new(sizes: &BTreeMap<usize, usize>, assumptions: &Assumptions) -> Risk {
        let crowds =
            sizes.iter().map(|(size, classes)| Crowd { size: *size, records: size * classes, classes: *classes });
        Risk::of_crowds(&crowds.collect::<Vec<_>>(), assumptions)
    }

    /// The risk of the persons of a table with so many records.
    ///
    /// The models of a population need classes of which everybody is in one. So there is no estimate if somebody has rows in several classes,
    /// and the journalist then takes a person who is alone in the table to be alone in the population as often as if only the size of the
    /// population were known.
    pub(crate) fn of_persons(records: usize, crowded: &Crowded, assumptions: &Assumptions) -> Risk {
        let crowd = |(size, persons): (&usize, &usize)| Crowd { size: *size, records: *persons, classes: 0 };
        let crowds: Vec<Crowd> = crowded.hidden.iter().map(crowd).collect();
        Risk {
            records,
            persons: Some(crowded.hidden.values().sum()),
            largest_share: Some(crowded.largest_share),
            classes: crowded.classes,
            ..Risk::estimated(&crowds, assumptions, !crowded.spread)
        }
    }

    /// The risk of a release whose crowds need not be classes, such as rings.
    pub(crate) fn of_crowds(crowds: &[Crowd], assumptions: &Assumptions) -> Risk {
        Risk::estimated(crowds, assumptions, true)
    }

    /// The risk of crowds. `fitted` says whether models of the population are fitted to them.
    fn estimated(crowds: &[Crowd], assumptions: &Assumptions, fitted: bool) -> Risk {
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
        let population = sample.filter(|share| fitted && *share < 1.0).map(|share| {
            let mut sizes = BTreeMap::new();
            crowds.iter().for_each(|crowd| *sizes.entry(crowd.size).or_default() += crowd.records / crowd.size.max(1));
            Estimates::new(&sizes, share)
        });
        let journalist = sample.map(|share| {
            let largest = crowds.iter().map(|crowd| crowd.size).max().unwrap_or(0);
            let mut risks = individual::risks(share.min(1.0), largest);
            let estimated = population.as_ref().and_then(|population| population.uniqueness);
            // A record that is alone in the population is alone in the table, but not the other way round.
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
            persons: None,
            largest_share: None,
            classes: crowds.iter().map(|crowd| crowd.classes).sum(),
            threshold,
            prosecutor,
            marketer: journalist.map_or(prosecutor.average, |journalist| journalist.average),
            journalist,
            population,
        }
    }

    /// The same risk with a journalist who counted how many people of the population fit each class.
    #[must_use]
    pub fn among(self, fits: &[Fit]) -> Risk {
        let groups = fits.iter().map(|fit| {
            // The people in the table are part of the population, even if its table lacks them.
            let people = fit.people.max(fit.records).max(1);
            Group { records: fit.records, risk: 1.0 / people as f64, unique: people == 1 }
        });
        let journalist = Exposure::new(groups, self.threshold);
        Risk { marketer: journalist.average, journalist: Some(journalist), population: None, ..self }
    }
}

/// The highest risk that is acceptable: that of a class of ⌊1/threshold⌋.
fn acceptable(threshold: f64) -> f64 {
    // Without the additions, rounding could make 1/5 exceed 0.2.
    1.0 / (1.0 / threshold + 1e-9).floor().max(1.0) + 1e-12
}

/// Records with the same risk.
struct Group {
    records: usize,
    risk: f64,
    unique: bool,
}

impl Exposure {
    fn new(groups: impl Iterator<Item = Group>, threshold: f64) -> Self {
        let acceptable = acceptable(threshold);
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
