//! EMA Policy 0070 and Health Canada's Public Release of Clinical Information: public data, with a limit of 0.09 on the risk.

use super::{Answer, Facts, Question};
use crate::plan::Role;

/// The highest acceptable risk of a person in public clinical data.
const THRESHOLD: f64 = 0.09;
/// The size of the smallest class that keeps it: 1/11 is a little above 0.09, and both agencies mean classes of eleven.
const SMALLEST: usize = 11;

pub(super) fn items(facts: &Facts) -> Vec<Question> {
    vec![
        threshold(facts),
        Question::open(
            "Direct identifiers",
            "Are names, patient numbers and everything else that points to one person removed, or replaced by numbers that mean nothing?",
        )
        .found(format!("Not published: {}. Identified by: {}.", facts.columns(Role::Identifier), facts.columns(Role::Person))),
        Question::open(
            "Quasi-identifiers",
            "Are all columns among the quasi-identifiers that others may know: demographics, dates, places, rare events and diagnoses?",
        )
        .found(format!("Named: {}. Published unchanged: {}.", facts.columns(Role::Quasi), facts.columns(Role::Other)))
        .with([facts.unique_before()]),
        Question::open(
            "Adversaries",
            "Was the risk measured for public release, where nothing keeps recipients from trying? Do narratives and other documents of the study hold more?",
        )
        .found("The risk above is that of an adversary who knows who is in the table. Only this table was looked at."),
        Question::open(
            "Reference population",
            "If patients are hidden among those of similar trials or a country and not of this table alone, which population is that, and why?",
        )
        .found("No population was used: all figures are of this table."),
        Question::open("Sensitive information", "Can somebody learn a value of a patient without finding the patient's row?")
            .with(facts.inference()),
        Question::open(
            "Utility",
            "Is the release still useful for the analyses of the study, and does the anonymisation report say what was lost?",
        )
        .found("The report has the loss by column and the distributions before and after.")
        .with(facts.loss()),
        Question::open("Anonymisation report", "Is there an anonymisation report with the method, the threshold and the remaining risk?")
            .found(facts.field("Organisation")),
    ]
}

/// The risk against the limit.
fn threshold(facts: &Facts) -> Question {
    let k = facts.outcome.audit.achieved.k;
    let counted = facts.outcome.audit.people.is_some() || facts.outcome.warnings.is_empty();
    let answer = match (facts.hides_persons(), k >= SMALLEST, counted) {
        (true, true, true) => Answer::Met,
        (true, true, false) => Answer::Open,
        _ => Answer::NotMet,
    };
    let limit = format!("{THRESHOLD} ({SMALLEST} {} in the smallest class)", facts.many());
    let form = if facts.hides_persons() {
        ""
    } else {
        " The quasi-identifiers are published unchanged, so the limit is about another risk."
    };
    Question::open("Threshold 0.09", format!("Is the highest risk of a patient at most {limit}?"))
        .found(format!("{}{form}", facts.counted()))
        .with([facts.highest(), facts.smallest()])
        .answered(answer)
}
