//! GDPR, Recital 26: is a person still identifiable? The Article 29 Working Party asks by three criteria (Opinion 05/2014, WP216).

use super::{Answer, Facts, Question};
use crate::plan::Role;
use crate::report::About;

pub(super) fn items(facts: &Facts) -> Vec<Question> {
    vec![
        singling_out(facts),
        linkability(facts),
        inference(facts),
        Question::open(
            "Recital 26",
            "Which means are reasonably likely to be used to identify a person, by the publisher or by anybody else, given cost, time and technology?",
        )
        .found(format!("Taken as known to others: {}.", facts.columns(Role::Quasi))),
        Question::open(
            "WP216, section 2",
            "Does the publisher keep the original? As long as somebody can link the release with it, is the release still personal data for the publisher?",
        ),
        Question::open(
            "WP216, section 5",
            "When are the risks looked at again? New techniques and new public data can make people identifiable later.",
        ),
    ]
}

fn singling_out(facts: &Facts) -> Question {
    let reasons = &facts.outcome.verdict.reasons;
    let found_others = reasons.iter().any(|reason| matches!(reason.about, About::Identifier | About::Unnamed));
    let alone = facts.details.risk.after.prosecutor.uniques > 0.0 || facts.outcome.audit.achieved.k < 2;
    let (answer, found) = if !facts.hides_persons() {
        (Answer::NotMet, "The quasi-identifiers are published unchanged, so rows can be isolated.".to_owned())
    } else if alone || found_others {
        (Answer::NotMet, "Some row or column singles somebody out: see the verdict above.".to_owned())
    } else {
        let quasi = facts.columns(Role::Quasi);
        (Answer::Met, format!("By {quasi} no row is alone. Other columns and other knowledge are not part of this."))
    };
    let unchanged = facts.outcome.asked.columns_with(Role::Other).next().is_some();
    let answer = if answer == Answer::Met && unchanged { Answer::Open } else { answer };
    let note = if unchanged { format!(" Published unchanged: {}.", facts.columns(Role::Other)) } else { String::new() };
    Question::open("WP216, section 3: singling out", "Can somebody isolate the rows of a single person?")
        .found(format!("{found}{note} {}", facts.counted()))
        .with([facts.smallest(), facts.unique()])
        .answered(answer)
}

fn linkability(facts: &Facts) -> Question {
    let question = Question::open(
        "WP216, section 3: linkability",
        "Can somebody link two rows of the same person, here or in another data set?",
    );
    let figures = [facts.highest(), facts.average()];
    if facts.outcome.asked.linked().is_some() {
        let found = "Pseudonyms link the rows of a person within the release.";
        return question.found(found).with(figures).answered(Answer::NotMet);
    }
    let found = "With another data set, a person can be linked with a class, and with the right row by the chance below. Whether such data sets exist \
                 was not checked.";
    question.found(found).with(figures)
}

fn inference(facts: &Facts) -> Question {
    let question = Question::open(
        "WP216, section 3: inference",
        "Can somebody deduce a value of a person with significant probability? The opinion gives no number.",
    );
    let figures = facts.inference();
    if figures.is_empty() {
        return question.found("No column was named as sensitive, so nothing was measured.");
    }
    let question = question.with(figures);
    if facts.tells_somebody() {
        return question.found("Some people's values are certain.").answered(Answer::NotMet);
    }
    question.found("No value is certain for anybody in the columns that were named as sensitive.")
}
