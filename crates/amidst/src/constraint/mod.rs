//! Privacy models: what every cluster must satisfy.

pub mod alpha_k;
pub mod basic_beta;
pub mod delta_disclosure;
pub mod distinct_l;
pub mod enhanced_beta;
pub mod entropy_l;
pub mod frequency_l;
pub mod k_anonymity;
pub mod personal;
pub mod recursive_l;
mod shares;
pub mod t_closeness;

use crate::encode::{Encoded, Sensitive};
use crate::error::{Error, Result};
use crate::plan::{Model, Plan, Role, ValueModel};
use crate::problem::Cluster;
use crate::registry::Spec;

use alpha_k::AlphaK;
use delta_disclosure::DeltaDisclosure;
use distinct_l::DistinctL;
use entropy_l::EntropyL;
use frequency_l::FrequencyL;
use k_anonymity::KAnonymity;
use recursive_l::RecursiveL;
use t_closeness::TCloseness;

pub use crate::plan::model::MODELS as ALL;

/// What every cluster must satisfy, judged from its size and its histograms of sensitive values alone.
pub trait Constraint: Send + Sync {
    /// About how many records the cluster is short of; 0 exactly when it satisfies the constraint. Most often some record
    /// lowers it; where shares of few records are rounded, it can take several.
    fn lack(&self, cluster: &Cluster) -> f64;

    /// True when the cluster satisfies it.
    fn holds(&self, cluster: &Cluster) -> bool {
        self.lack(cluster) <= 0.0
    }

    /// True when two clusters that hold always hold together.
    fn monotone(&self) -> bool {
        true
    }

    /// The size below which no cluster can hold.
    fn min_size(&self) -> usize;

    /// Refuses what not even the whole table in one cluster satisfies.
    fn feasible(&self, whole: &Cluster) -> Result<()> {
        if self.holds(whole) { Ok(()) } else { Err(self.refusal(whole)) }
    }

    /// What can be had instead, where the whole table in one cluster does not satisfy it.
    fn refusal(&self, whole: &Cluster) -> Error;

    /// True when it looks at the histograms.
    fn uses_sensitive(&self) -> bool {
        true
    }
}

/// A sensitive column that a constraint is about.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    /// Its place among the sensitive columns, and so among a cluster's histograms.
    pub place: usize,
    /// The column.
    pub sensitive: &'a Sensitive,
}

impl Attribute<'_> {
    /// The share of the table that each value has.
    fn shares(&self) -> Vec<f64> {
        let counts = self.sensitive.counts();
        let rows: u32 = counts.iter().sum();
        counts.iter().map(|count| f64::from(*count) / f64::from(rows.max(1))).collect()
    }
}

/// The error that a column has no such level but another.
fn infeasible(asked: &str, best: &str, column: &str) -> Error {
    Error::Infeasible(format!(
        "{asked} cannot be had from column `{column}`: the table as a whole reaches {best}, and no release of all its \
         records does better; ask for no more"
    ))
}

/// A level in an error: rounded so that asking for it works.
fn down(level: f64) -> f64 {
    (level * 1e4).floor() / 1e4
}

/// What `spec` asks of each of these sensitive columns.
pub fn build(spec: &Spec, attributes: &[Attribute]) -> Result<Vec<Box<dyn Constraint>>> {
    match Model::parse(spec)? {
        Model::KAnonymity { k } => Ok(vec![Box::new(KAnonymity { k })]),
        Model::Values(_) if attributes.is_empty() => Err(Error::NoSensitive { model: spec.to_string() }),
        Model::Values(model) => attributes.iter().map(|attribute| of_values(model, attribute)).collect(),
    }
}

fn of_values(model: ValueModel, attribute: &Attribute) -> Result<Box<dyn Constraint>> {
    Ok(match model {
        ValueModel::DistinctL { l } => Box::new(DistinctL::new(l, attribute)),
        ValueModel::FrequencyL { l } => Box::new(FrequencyL::new(l, attribute)),
        ValueModel::EntropyL { l } => Box::new(EntropyL::new(l, attribute)),
        ValueModel::RecursiveL { c, l } => Box::new(RecursiveL::new(c, l, attribute)),
        ValueModel::AlphaK { alpha } => Box::new(AlphaK::new(alpha, attribute)),
        ValueModel::TCloseness { t, distance } => Box::new(TCloseness::new(t, distance, attribute)?),
        ValueModel::BasicBeta { beta } => Box::new(basic_beta::new(beta, attribute)),
        ValueModel::EnhancedBeta { beta } => Box::new(enhanced_beta::new(beta, attribute)),
        ValueModel::DeltaDisclosure { delta } => Box::new(DeltaDisclosure::new(delta, attribute)),
    })
}

/// The sensitive columns of a table.
pub fn attributes(encoded: &Encoded) -> Vec<Attribute<'_>> {
    encoded.sensitive().iter().enumerate().map(|(place, sensitive)| Attribute { place, sensitive }).collect()
}

/// Everything that a plan asks for.
pub fn all(plan: &Plan, encoded: &Encoded) -> Result<Vec<Box<dyn Constraint>>> {
    let attributes = attributes(encoded);
    let mut all: Vec<Box<dyn Constraint>> = vec![Box::new(KAnonymity { k: plan.privacy.k })];
    for spec in &plan.privacy.require {
        all.extend(build(spec, &attributes)?);
    }
    for (name, column) in &plan.columns {
        let own: Vec<Attribute> = attributes.iter().filter(|a| a.sensitive.name() == name).copied().collect();
        for spec in &column.require {
            all.extend(build(spec, &own)?);
        }
    }
    all.extend(personal::all(encoded)?);
    Ok(all)
}

/// Finds mistyped names and parameters, before any work.
pub fn check(plan: &Plan) -> Result<()> {
    let share = plan.privacy.suppress;
    if !(0.0..1.0).contains(&share) {
        let message = format!("`suppress` must be a share of the records from 0 to below 1, not `{share}`");
        return Err(Error::parameter("privacy", message));
    }
    Model::parse(&Spec::new(format!("k-anonymity(k={})", plan.privacy.k)))?; // k has a range
    check_models(plan)
}

/// The same for what is asked beside k.
pub fn check_models(plan: &Plan) -> Result<()> {
    let columns = plan.columns.values().flat_map(|column| &column.require);
    for spec in plan.privacy.require.iter().chain(columns) {
        let model = Model::parse(spec)?;
        if matches!(model, Model::Values(_)) && plan.columns_with(Role::Sensitive).next().is_none() {
            return Err(Error::NoSensitive { model: spec.to_string() });
        }
    }
    Ok(())
}
