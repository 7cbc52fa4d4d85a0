//! The risk that somebody of a household is found.
//!
//! Whoever finds one member of a household has found the others: they live together. If the records of a household are found with the risks
//! r₁, …, r_m, independently of each other, then somebody of the household is found with the risk 1 − ∏ (1 − rᵢ). This is the household risk
//! of μ-ARGUS and sdcMicro (Templ, Kowarik and Meindl, Journal of Statistical Software 2015). If a person has several records, the person
//! has the highest risk of them, and the product runs over persons.
//!
//! Complexity: O(n log n) for n records.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::acceptable;

/// The risk of the households of a table.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HouseholdRisk {
    /// The number of households.
    pub households: usize,
    /// The highest risk that somebody of a household is found.
    pub highest: f64,
    /// The mean of that risk over the households.
    pub average: f64,
    /// The number of households for which it is above the threshold.
    pub at_risk: usize,
    /// The number of records that name no household. They are not part of the other figures.
    pub without: usize,
}

/// What is known of a record.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    /// The household that it belongs to, if it names one.
    pub household: Option<u32>,
    /// Whose record it is. Where persons are not known, every record is somebody else's.
    pub person: u32,
    /// The risk that it is found.
    pub risk: f64,
}

/// The risk of the households of these records.
pub fn households(members: &[Member], threshold: f64) -> HouseholdRisk {
    let mut known: Vec<(u32, u32, f64)> =
        members.iter().filter_map(|member| Some((member.household?, member.person, member.risk))).collect();
    let without = members.len() - known.len();
    known.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)));
    let acceptable = acceptable(threshold);
    let mut found = HouseholdRisk { households: 0, highest: 0.0, average: 0.0, at_risk: 0, without };
    let mut sum = 0.0;
    for household in known.chunk_by(|a, b| a.0 == b.0) {
        let persons = household.chunk_by(|a, b| a.1 == b.1);
        let nobody: f64 =
            persons.map(|records| 1.0 - records.iter().map(|(_, _, risk)| *risk).fold(0.0, f64::max)).product();
        let risk = 1.0 - nobody;
        found.households += 1;
        found.highest = found.highest.max(risk);
        found.at_risk += usize::from(risk > acceptable);
        sum += risk;
    }
    found.average = if found.households == 0 { 0.0 } else { sum / found.households as f64 };
    found
}
