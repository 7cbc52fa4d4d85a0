//! How likely it is that somebody finds a person in a table.
//!
//! Three adversaries of El Emam ("Guide to the De-Identification of Personal Health Information", 2013), as ARX has them:
//!
//! - The **prosecutor** looks for one person who is known to be in the table. With s records in the person's class the chance is 1/s.
//! - The **journalist** looks for anybody, does not know who is in the table, and counts the people of the population who fit the class: 1/F.
//! - The **marketer** takes everybody in the table for somebody, and wins where that is right.
//!
//! [`Risk`] has their figures, from nothing but the sizes of the classes. How many people of a population fit a class is counted where there
//! is a table of it ([`Fit`]), and expected where only its size is known; how many persons are alone in the population is
//! estimated by three [models](population).

mod fits;
mod individual;
pub mod population;

use std::collections::BTreeMap;

use serde::Serialize;

pub use fits::Fit;
pub use population::Estimates;

/// The threshold that is taken where nobody names one: classes of five.
pub const THRESHOLD: f64 = 0.2;

/// What is taken for granted about a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assumptions {
    /// The risk that is still acceptable for a single record. Usual are 0.33 (classes of three) among those who are bound by a contract, 0.2
    /// (five), the default, and 0.09 (eleven) for everybody: the European Medicines Agency (policy 0070) and Health Canada ask for the last.
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
#[derive(Debug, Clone, PartialEq, Serialize)]
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
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
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

impl Risk {
    /// From how many classes have which size.
    pub fn new(sizes: &BTreeMap<usize, usize>, assumptions: &Assumptions) -> Risk {
        let threshold = assumptions.threshold;
        let classes = || sizes.iter().filter(|(size, _)| **size > 0).map(|(size, classes)| (*size, *classes));
        let records = classes().map(|(size, classes)| size * classes).sum();
        let number = classes().map(|(_, classes)| classes).sum();
        let own = classes().map(|(size, classes)| Group {
            records: size * classes,
            risk: 1.0 / size as f64,
            unique: size == 1,
        });
        let prosecutor = Exposure::new(own, threshold);
        let sample = assumptions.sample.filter(|share| *share > 0.0 && records > 0);
        let population = sample.filter(|share| *share < 1.0).map(|share| Estimates::new(sizes, share));
        let journalist = sample.map(|share| {
            let largest = sizes.keys().next_back().copied().unwrap_or(0);
            let risks = individual::risks(share.min(1.0), largest);
            let expected = classes().map(|(size, classes)| Group {
                records: size * classes,
                risk: risks[size],
                unique: size == 1,
            });
            let exposure = Exposure::new(expected, threshold);
            // Who is alone in the population is alone in the table, but not the other way round.
            let estimated = population.as_ref().and_then(|population| population.uniqueness);
            let uniques = estimated.unwrap_or(exposure.uniques * share.min(1.0)).min(exposure.uniques);
            Exposure { uniques, ..exposure }
        });
        let marketer = journalist.map_or(prosecutor.average, |journalist| journalist.average);
        Risk { records, classes: number, threshold, prosecutor, marketer, journalist, population }
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
        let (mut records, mut found, mut at_risk, mut uniques) = (0, 0.0, 0, 0);
        let (mut highest, mut lowest) = (0.0_f64, 1.0_f64);
        for group in groups.filter(|group| group.records > 0) {
            records += group.records;
            found += group.risk * group.records as f64;
            at_risk += if group.risk > threshold { group.records } else { 0 };
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
