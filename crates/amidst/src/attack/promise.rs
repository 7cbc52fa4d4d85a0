//! The limits that the privacy models of a plan put on beliefs.
//!
//! The models are defined for classes, and the belief of an adversary who knows quasi-identifiers is a mixture of classes. Each limit that holds
//! for classes also holds for mixtures, with one exception: δ-disclosure also limits how *rare* a value of a class may be, and not every class
//! of a mixture has the value. So this half of δ-disclosure is checked for classes only.

use super::Scene;
use super::belief::{Belief, certainty};
use crate::encode::{Scale, Sensitive};
use crate::error::{Error, Result};
use crate::plan::{Distance, ReleaseForm, ValueModel};
use crate::verify;

/// The relative tolerance in comparisons. Both sides are quotients of the same whole numbers.
pub(super) const ROUNDING: f64 = 1e-9;

/// A privacy model that is required of a sensitive column.
pub(super) struct Promise<'a> {
    /// The model as the plan writes it.
    pub model: String,
    limit: Limit,
    sensitive: &'a Sensitive,
}

enum Limit {
    Share(f64),
    Distinct(usize),
    Entropy(f64),
    Recursive { c: f64, l: usize },
    Close { t: f64, distance: Distance },
    Gain(f64),
    BoundedGain(f64),
    Disclosure(f64),
}

/// The limits on beliefs about a sensitive column. They are the models of the plan. In a randomized release those hold for groups only, and the
/// limit for persons is the `l` of the form.
pub(super) fn promises<'a>(scene: &Scene, sensitive: &'a Sensitive) -> Result<Vec<Promise<'a>>> {
    let plan = scene.plan;
    if scene.release.retention.is_some_and(|p| p > 0.0) {
        let ReleaseForm::Randomization { l: Some(l), .. } = plan.method.form()? else { return Ok(Vec::new()) };
        return Ok(vec![Promise { model: plan.method.publish.to_string(), limit: Limit::Share(1.0 / l), sensitive }]);
    }
    let mut promises = Vec::new();
    for (spec, model) in plan.models_of(sensitive.name())? {
        promises.push(Promise { model: spec.to_string(), limit: limit(model, sensitive)?, sensitive });
    }
    Ok(promises)
}

/// The limit that a model puts on beliefs.
fn limit(model: ValueModel, sensitive: &Sensitive) -> Result<Limit> {
    Ok(match model {
        ValueModel::DistinctL { l } => Limit::Distinct(l),
        ValueModel::FrequencyL { l } => Limit::Share(1.0 / l),
        ValueModel::AlphaK { alpha } => Limit::Share(alpha),
        ValueModel::EntropyL { l } => Limit::Entropy(l),
        ValueModel::RecursiveL { c, l } => Limit::Recursive { c, l },
        ValueModel::TCloseness { t, distance } => {
            let needed = match (distance, sensitive.scale()) {
                (Distance::Ordered, Scale::Nominal | Scale::Tree(..)) => "numbers, or the order of the values",
                (Distance::Hierarchical, Scale::Nominal | Scale::Ordered) => "a hierarchy of the sensitive values",
                _ => "",
            };
            if !needed.is_empty() {
                return Err(Error::column(sensitive.name(), &format!("t-closeness needs {needed}")));
            }
            Limit::Close { t, distance }
        }
        ValueModel::BasicBeta { beta } => Limit::Gain(beta),
        ValueModel::EnhancedBeta { beta } => Limit::BoundedGain(beta),
        ValueModel::DeltaDisclosure { delta } => Limit::Disclosure(delta),
    })
}

impl Promise<'_> {
    /// Whether the model limits the change from the distribution of the table, rather than the probability of a value.
    pub fn is_relative(&self) -> bool {
        matches!(self.limit, Limit::Close { .. } | Limit::Gain(_) | Limit::BoundedGain(_) | Limit::Disclosure(_))
    }

    /// The highest allowed probability of a value, if the model has such a limit.
    pub fn share(&self) -> Option<f64> {
        match self.limit {
            Limit::Share(share) => Some(share),
            _ => None,
        }
    }

    /// Whether a belief is within the limit. `usual` has the shares of the table. `of_class` says that the belief is that of an adversary who knows
    /// the class.
    pub fn keeps(&self, belief: &Belief, usual: &[f64], of_class: bool) -> bool {
        let at_most = |level: f64, asked: f64| level <= asked + ROUNDING * asked.abs().max(1.0);
        let gain = |(code, share): &(u32, f64)| (share - usual[*code as usize]) / usual[*code as usize];
        match self.limit {
            Limit::Share(most) => at_most(certainty(belief), most),
            Limit::Distinct(l) => belief.shares.len() >= l,
            Limit::Entropy(l) => {
                let entropy: f64 = belief.shares.iter().map(|(_, share)| -share * share.ln()).sum();
                at_most(l, entropy.exp())
            }
            Limit::Recursive { c, l } => {
                let mut shares: Vec<f64> = belief.shares.iter().map(|(_, share)| *share).collect();
                shares.sort_unstable_by(|a, b| b.total_cmp(a));
                let rare: f64 = shares.iter().skip(l - 1).sum();
                shares[0] < c * rare + ROUNDING
            }
            Limit::Close { t, distance } => at_most(self.distance(belief, usual, distance), t),
            Limit::Gain(beta) => belief.shares.iter().all(|value| at_most(gain(value), beta)),
            Limit::BoundedGain(beta) => {
                belief.shares.iter().all(|value| at_most(gain(value), beta.min(-usual[value.0 as usize].ln())))
            }
            Limit::Disclosure(delta) => belief.shares.iter().all(|(code, share)| {
                let change = (share / usual[*code as usize]).ln();
                change < delta + ROUNDING && (!of_class || -change < delta + ROUNDING)
            }),
        }
    }

    /// The distance of a belief from the distribution of the table.
    fn distance(&self, belief: &Belief, usual: &[f64], distance: Distance) -> f64 {
        let differences = || {
            let mut differences: Vec<f64> = usual.iter().map(|share| -share).collect();
            belief.shares.iter().for_each(|(code, share)| differences[*code as usize] += share);
            differences
        };
        match (distance, self.sensitive.scale()) {
            (Distance::Hierarchical, Scale::Tree(tree, leaves)) => {
                let nodes: Vec<_> = tree.nodes().iter().map(|node| (node.parent, node.level)).collect();
                let leaves: Vec<usize> = leaves.iter().map(|leaf| tree.place(*leaf)).collect();
                verify::hierarchical(&nodes, &leaves, &differences())
            }
            (Distance::Ordered, _) => {
                // Values that only left out records have are not in the order.
                let present = differences().into_iter().zip(usual).filter(|(_, share)| **share > 0.0);
                verify::ordered(&present.map(|(difference, _)| difference).collect::<Vec<_>>())
            }
            _ => moved(&belief.shares, usual),
        }
    }
}

/// The earth mover's distance of a belief from the distribution of the table, with equal distances between values.
pub(super) fn moved(belief: &[(u32, f64)], usual: &[f64]) -> f64 {
    belief.iter().map(|(code, share)| (share - usual[*code as usize]).max(0.0)).sum()
}
