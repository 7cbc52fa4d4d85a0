//! ISO/IEC 27559:2022: a framework that asks about the context, the data, the identifiability and the governance of a release.

use super::{Answer, Facts, Question};
use crate::plan::Role;

pub(super) fn items(facts: &Facts) -> Vec<Question> {
    vec![
        Question::open("Clause 6, context", "Who gets the data, for what, and in which environment: public, shared under a contract, or in a safe place?")
            .found(format!("{} {}", facts.field("Recipient"), facts.field("Purpose")).trim().to_owned()),
        Question::open("Clause 6, threats", "Who could try to identify people: deliberately, by accident, or after a breach? What keeps them from it?"),
        Question::open("Clause 6, transparency", "Do the people in the data, or those who speak for them, know about the release, and what could it do to them?"),
        Question::open("Clause 7, data", "Are all columns classified: direct identifiers, what others may know, and what nobody should learn?")
            .found(format!(
                "Not published: {}. May be known: {}. Sensitive: {}. Unchanged: {}.",
                facts.columns(Role::Identifier),
                facts.columns(Role::Quasi),
                facts.columns(Role::Sensitive),
                facts.columns(Role::Other)
            )),
        Question::open("Clause 7, attacks", "Which attacks fit these data: on a known participant, on anybody, on all records at once?")
            .found("Measured: a known participant (prosecutor) and all records (marketer, the average).")
            .with([facts.highest(), facts.average()]),
        identifiability(facts),
        Question::open("Clause 8, threshold", "Is the remaining identifiability below a threshold that fits the context? The standard gives no number.")
            .with([facts.highest(), facts.average()]),
        Question::open("Clause 8, attributes", "What can be learnt about a person who is not picked out?").with(facts.inference()),
        Question::open("Clause 8, mitigation", "Was the data changed enough, and is it still useful?").with(facts.loss()),
        Question::open("Clause 9, governance before release", "Who is responsible, which policies apply, and who approved the release?")
            .found(format!("{} {}", facts.field("Organisation"), facts.field("Signed by")).trim().to_owned()),
        Question::open("Clause 9, governance after release", "Who watches for incidents and for new data, and when is the release looked at again?")
            .found(facts.field("Contact")),
    ]
}

fn identifiability(facts: &Facts) -> Question {
    let plan = &facts.outcome.asked;
    let kept = facts.details.promises.iter().all(|promise| promise.kept);
    Question::open(
        "Clause 8, identifiability",
        format!("Is the identifiability measured, and does the release keep the limits that were set: k = {} and all models?", plan.privacy.k),
    )
    .found(facts.counted())
    .with([facts.smallest(), facts.unique_before(), facts.unique()])
    .answered(if kept { Answer::Met } else { Answer::NotMet })
}
