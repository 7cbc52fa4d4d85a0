//! The requirements of a release beside what it reaches, in plain words first.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Result;
use crate::notation::{decimals, grouped, percent};
use crate::plan::{Distance, Plan, ValueModel};
use crate::verify::{Audit, Levels};

/// A requirement of a release, and what the release reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Promise {
    /// The sensitive column that the requirement is about; none if it is about every record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The requirement in words.
    pub words: String,
    /// What the release reaches, in words.
    pub reached_in_words: String,
    /// The requirement as the plan has it.
    pub asked: String,
    /// What the release reaches, as a level.
    pub reached: String,
    /// Whether the requirement is met.
    pub kept: bool,
}

impl Promise {
    /// All requirements of a plan, each with what the release reaches.
    pub(crate) fn all(audit: &Audit, plan: &Plan) -> Result<Vec<Promise>> {
        let mut promises = vec![size(audit, plan, plan.privacy.k)?];
        for k in plan.sizes()? {
            promises.push(size(audit, plan, k)?);
        }
        promises.extend(plan.household_sizes()?.into_iter().map(|k| households(audit, k)));
        for (column, levels) in &audit.achieved.sensitive {
            for (spec, model) in plan.models_of(column)? {
                let (reached, kept) = levels.judged(model, column)?;
                promises.push(Promise {
                    column: Some(column.clone()),
                    words: model.words(column, audit.people.is_some()),
                    reached_in_words: in_words(levels, model),
                    asked: spec.to_string(),
                    reached,
                    kept,
                });
            }
        }
        Ok(promises)
    }
}

/// The least size of a class.
fn size(audit: &Audit, plan: &Plan, asked: usize) -> Result<Promise> {
    let (k, persons) = (audit.achieved.k, audit.people.is_some());
    let (unit, many) = if persons { (" persons", "persons") } else { ("", "records") };
    let reached = grouped(k);
    let reached_in_words = match (&audit.windows, plan.method.form()?.is_grouped()) {
        (Some(_), _) => format!("every record fits at least {reached} rows"),
        (None, true) => format!("the smallest group has {reached} {many}"),
        (None, false) => format!("the smallest class has {reached} {many}"),
    };
    Ok(Promise {
        column: None,
        words: plan.size_in_words(asked, persons)?,
        reached_in_words,
        asked: format!("k = {asked}{unit}"),
        reached: format!("k = {k}{unit}"),
        kept: k >= asked,
    })
}

/// Every class has rows of at least `k` households. Without the original that is not met, because nothing shows that it is.
fn households(audit: &Audit, k: usize) -> Promise {
    let reached = audit.achieved.households;
    let what = |k: usize| format!("{k} households in each class");
    let told = reached.map_or_else(|| "not known without the original".to_owned(), what);
    Promise {
        column: None,
        words: format!("every class has rows of at least {k} different households"),
        reached_in_words: told.clone(),
        asked: format!("household-k(k={k})"),
        reached: told,
        kept: reached.is_some_and(|reached| reached >= k),
    }
}

/// What a column reaches of a model, in words.
fn in_words(levels: &Levels, model: ValueModel) -> String {
    let share = |share: f64| format!("at most {} of a class", percent(share));
    let distance = |t: Option<f64>| t.map_or_else(String::new, |t| format!("a distance of {} at most", decimals(t)));
    match model {
        ValueModel::DistinctL { .. } if levels.distinct_l == 1 => "some class has a single value".to_owned(),
        ValueModel::DistinctL { .. } => format!("at least {} different values", levels.distinct_l),
        ValueModel::FrequencyL { .. } | ValueModel::AlphaK { .. } => share(levels.alpha),
        ValueModel::EntropyL { .. } => format!("as one of {}", decimals(levels.entropy_l)),
        ValueModel::RecursiveL { l, .. } => match levels.recursive_c.get(&l) {
            Some(c) => format!("at most {} times the rare ones together", decimals(*c)),
            None => format!("some class has only {} different values", levels.distinct_l),
        },
        ValueModel::TCloseness { distance: by, .. } => distance(match by {
            Distance::Equal => Some(levels.t),
            Distance::Ordered => levels.t_ordered,
            Distance::Hierarchical => levels.t_hierarchical,
        }),
        ValueModel::BasicBeta { .. } => format!("at most {} times as frequent", decimals(1.0 + levels.beta)),
        ValueModel::EnhancedBeta { .. } => match levels.enhanced_beta {
            Some(beta) => format!("at most {} times as frequent", decimals(1.0 + beta)),
            None => "a frequent value gains more than the model allows".to_owned(),
        },
        ValueModel::DeltaDisclosure { .. } => {
            let (low, high) = ((-levels.delta).exp(), levels.delta.exp());
            format!("between {} and {} times as frequent", decimals(low), decimals(high))
        }
    }
}
