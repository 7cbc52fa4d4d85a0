//! Privacy models in plain words, for everybody who does not know their names.

use super::{Distance, Plan, ReleaseForm, Spec, ValueModel};
use crate::error::Result;
use crate::notation::{decimals, grouped, percent};

impl ValueModel {
    /// What the model asks of a sensitive column. `persons` says whether persons are counted, or records.
    pub fn words(self, column: &str, persons: bool) -> String {
        let class = if persons { "the persons of a class" } else { "a class" };
        match self {
            ValueModel::DistinctL { l } => format!("every class has at least {l} different values of `{column}`"),
            ValueModel::FrequencyL { l } => format!("no value of `{column}` has more than {} of {class}", part(l)),
            ValueModel::AlphaK { alpha } => {
                format!("no value of `{column}` has more than {} of {class}", percent(alpha))
            }
            ValueModel::EntropyL { l } => {
                format!(
                    "in every class the value of `{column}` is as uncertain as one of {} equally frequent values",
                    decimals(l)
                )
            }
            ValueModel::RecursiveL { c, l } => {
                let others = match l {
                    2 => "all others together".to_owned(),
                    l => format!("all from the {l}{} most frequent on together", ordinal(l)),
                };
                format!(
                    "in every class the most frequent value of `{column}` is rarer than {} times {others}",
                    decimals(c)
                )
            }
            ValueModel::TCloseness { t, distance } => {
                let by = match distance {
                    Distance::Equal => "",
                    Distance::Ordered => " by the order of the values",
                    Distance::Hierarchical => " by their hierarchy",
                };
                format!(
                    "the values of `{column}` in every class are spread as in the whole table, up to a distance of {}{by} (0 is the same, 1 is \
                     as different as can be)",
                    decimals(t)
                )
            }
            ValueModel::BasicBeta { beta } => {
                format!(
                    "no value of `{column}` is more than {} times as frequent in a class as in the table",
                    decimals(1.0 + beta)
                )
            }
            ValueModel::EnhancedBeta { beta } => format!(
                "no value of `{column}` is more than {} times as frequent in a class as in the table, and frequent values gain less",
                decimals(1.0 + beta)
            ),
            ValueModel::DeltaDisclosure { delta } => format!(
                "every value of `{column}` in a class is between {} and {} times as frequent there as in the table",
                decimals((-delta).exp()),
                decimals(delta.exp())
            ),
        }
    }
}

impl Plan {
    /// What a least size of `k` asks of every record, in the form of this plan.
    pub fn size_in_words(&self, k: usize, persons: bool) -> Result<String> {
        let many = if persons { "persons" } else { "records" };
        let s = if k == 2 { "" } else { "s" };
        let (others, k) = (grouped(k.saturating_sub(1)), grouped(k));
        let form = self.method.form()?;
        Ok(if form.is_grouped() {
            format!("every record is in a group of at least {k} {many}")
        } else if matches!(form, ReleaseForm::Ring { .. }) {
            format!("every record fits at least {k} rows")
        } else if persons {
            format!("every record looks like records of at least {others} other person{s} in all quasi-identifiers")
        } else {
            format!("every record looks like at least {others} other record{s} in all quasi-identifiers")
        })
    }

    /// The models that are asked of a sensitive column, each in words and as the plan has it.
    pub fn models_in_words(&self, column: &str, persons: bool) -> Result<Vec<(String, &Spec)>> {
        let models = self.models_of(column)?.into_iter();
        Ok(models.map(|(spec, model)| (model.words(column, persons), spec)).collect())
    }
}

/// One in so many, as a fraction where it is one.
fn part(l: f64) -> String {
    if l.fract() == 0.0 { format!("1/{l}") } else { percent(1.0 / l) }
}

fn ordinal(n: usize) -> &'static str {
    match (n % 10, n % 100) {
        (1, tens) if tens != 11 => "st",
        (2, tens) if tens != 12 => "nd",
        (3, tens) if tens != 13 => "rd",
        _ => "th",
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;

    #[test]
    fn models_are_plain_words_first() {
        let plan: Plan = r#"
            [privacy]
            k = 10
            require = ["frequency-l(l=2)", "frequency-l(l=2.5)", "recursive-l(c=3, l=3)", "delta-disclosure(delta=0.693147181)"]
            [columns]
            age    = { role = "quasi", kind = "range" }
            income = { role = "sensitive", require = ["t-closeness(t=0.2, distance=ordered)"] }
        "#
        .parse()
        .unwrap();
        let words: Vec<String> =
            plan.models_in_words("income", false).unwrap().into_iter().map(|(words, _)| words).collect();
        // 1 / 2.5 is 40 %, and the exponential of 0.693147181 is 2.
        let expected = [
            "no value of `income` has more than 1/2 of a class",
            "no value of `income` has more than 40.0 % of a class",
            "in every class the most frequent value of `income` is rarer than 3 times all from the 3rd most frequent on together",
            "every value of `income` in a class is between 0.5 and 2 times as frequent there as in the table",
            "the values of `income` in every class are spread as in the whole table, up to a distance of 0.2 by the order of the values (0 is \
             the same, 1 is as different as can be)",
        ];
        assert_eq!(words, expected);
        assert_eq!(
            plan.size_in_words(10, true).unwrap(),
            "every record looks like records of at least 9 other persons in all quasi-identifiers"
        );
    }
}
