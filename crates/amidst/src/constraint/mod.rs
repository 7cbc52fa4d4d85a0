//! Privacy models: what every cluster must satisfy.
//!
//! A model is a [`Constraint`], a function of the size of a cluster and of how often each sensitive value
//! occurs in it. It says whether the cluster satisfies the model and about how many records the cluster
//! lacks. With that number every algorithm can steer towards any model without knowing which one it is.
//!
//! If the table says whose its rows are, models count persons. A model that limits how many persons have a value (frequency ℓ, (α, k),
//! a personal ℓ) counts who has it at all. The others split each person evenly over the person's rows. See
//! [`Cluster::values`](crate::problem::Cluster::values).
//!
//! A model is *monotone* if the union of two clusters that satisfy it always satisfies it, too. If not even
//! the whole table satisfies a monotone model, no release of all its records can.

pub mod alpha_k;
pub mod basic_beta;
pub mod delta_disclosure;
pub mod distinct_l;
pub mod enhanced_beta;
pub mod entropy_l;
pub mod frequency_l;
pub mod household_k;
pub mod k_anonymity;
pub mod personal;
pub mod recursive_l;
mod shares;
pub mod t_closeness;
mod tables;

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
use household_k::HouseholdK;
use k_anonymity::KAnonymity;
use recursive_l::RecursiveL;
use t_closeness::TCloseness;

pub use crate::plan::model::MODELS as ALL;

/// A privacy model, judged by the size and the sensitive values of a cluster alone.
pub trait Constraint: Send + Sync {
    /// About how many records the cluster lacks; 0 exactly if it satisfies the constraint. Usually some
    /// single record lowers the lack. Where shares of few records are rounded, it can take several records.
    fn lack(&self, cluster: &Cluster) -> f64;

    /// Whether the cluster satisfies the constraint.
    fn holds(&self, cluster: &Cluster) -> bool {
        self.lack(cluster) <= 0.0
    }

    /// Whether the union of two clusters that satisfy it always satisfies it.
    fn monotone(&self) -> bool {
        true
    }

    /// Whether a cluster that satisfies it still does with any other records added, whosever they are.
    fn only_grows(&self) -> bool {
        false
    }

    /// A size below which no cluster satisfies it.
    fn min_size(&self) -> usize;

    /// Fails if not even the whole table as one cluster satisfies it.
    fn feasible(&self, whole: &Cluster) -> Result<()> {
        if self.holds(whole) { Ok(()) } else { Err(self.refusal(whole)) }
    }

    /// The error for a table that cannot satisfy it. Its message says which level the table reaches.
    fn refusal(&self, whole: &Cluster) -> Error;

    /// Whether it looks at the sensitive values.
    fn uses_sensitive(&self) -> bool {
        true
    }
}

/// A sensitive column that a constraint is about.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'a> {
    /// The index of the column among the sensitive columns, and so of its histogram in a cluster.
    pub place: usize,
    /// The column.
    pub sensitive: &'a Sensitive,
    /// The table.
    pub encoded: &'a Encoded,
}

impl Attribute<'_> {
    /// The share of the table that has each value.
    fn shares(&self) -> Vec<f64> {
        self.encoded.shares(self.place)
    }
}

/// The error for a level that a column cannot reach.
fn infeasible(asked: &str, best: &str, column: &str) -> Error {
    Error::Infeasible(format!(
        "{asked} cannot be had from column `{column}`: the table as a whole reaches {best}, and no release of all its \
         records does better; ask for no more"
    ))
}

/// Rounds a level down for a message, so that a user who asks for the printed level gets it.
fn down(level: f64) -> f64 {
    (level * 1e4).floor() / 1e4
}

/// Builds the model `spec` for each of these sensitive columns. Models that count households need the [whole table](all).
#[cfg(feature = "internals")]
pub fn build(spec: &Spec, attributes: &[Attribute]) -> Result<Vec<Box<dyn Constraint>>> {
    demanded(spec, attributes, None)
}

fn demanded(spec: &Spec, attributes: &[Attribute], encoded: Option<&Encoded>) -> Result<Vec<Box<dyn Constraint>>> {
    match Model::parse(spec)? {
        Model::KAnonymity { k } => Ok(vec![Box::new(KAnonymity { k })]),
        Model::HouseholdK { k } => match encoded.and_then(|encoded| HouseholdK::new(k, encoded)) {
            Some(households) => Ok(vec![Box::new(households)]),
            None => Err(Error::NoHousehold { model: spec.to_string() }),
        },
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
    let attribute = |(place, column)| Attribute { place, sensitive: Sensitive::plain(column), encoded };
    encoded.sensitive().iter().enumerate().map(attribute).collect()
}

/// Builds all constraints of a plan.
pub fn all(plan: &Plan, encoded: &Encoded) -> Result<Vec<Box<dyn Constraint>>> {
    let attributes = attributes(encoded);
    let mut all: Vec<Box<dyn Constraint>> = vec![Box::new(KAnonymity { k: plan.privacy.k })];
    for spec in &plan.privacy.require {
        all.extend(demanded(spec, &attributes, Some(encoded))?);
    }
    for (name, column) in &plan.columns {
        let own: Vec<Attribute> = attributes.iter().filter(|a| a.sensitive.name() == name).copied().collect();
        for spec in &column.require {
            all.extend(demanded(spec, &own, Some(encoded))?);
        }
    }
    all.extend(personal::all(encoded)?);
    all.extend(tables::all(plan, encoded)?);
    Ok(all)
}

/// Checks names and parameters of the plan's models, before any work is done.
pub fn check(plan: &Plan) -> Result<()> {
    let share = plan.privacy.suppress;
    if !(0.0..1.0).contains(&share) {
        let message = format!("`suppress` must be a share of the records from 0 to below 1, not `{share}`");
        return Err(Error::parameter("privacy", message));
    }
    Model::parse(&Spec::new(format!("k-anonymity(k={})", plan.privacy.k)))?; // k has a range
    check_models(plan)
}

/// Like [`check`], but only for the models besides k.
pub fn check_models(plan: &Plan) -> Result<()> {
    let columns = plan.columns.values().flat_map(|column| &column.require);
    for spec in plan.privacy.require.iter().chain(columns) {
        let model = Model::parse(spec)?;
        let lacks = |role: Role| plan.columns_with(role).next().is_none();
        match model {
            Model::Values(_) if lacks(Role::Sensitive) => return Err(Error::NoSensitive { model: spec.to_string() }),
            Model::HouseholdK { .. } if lacks(Role::Household) => {
                return Err(Error::NoHousehold { model: spec.to_string() });
            }
            Model::HouseholdK { .. } if !plan.tables.is_empty() => {
                let message = "it cannot be promised for other tables, which may lack persons of a class; leave the tables out, or the model";
                return Err(Error::parameter(spec.name(), message));
            }
            Model::KAnonymity { .. } | Model::HouseholdK { .. } | Model::Values(_) => {}
        }
    }
    Ok(())
}
