//! HIPAA, 45 CFR 164.514(b): the 18 identifiers of Safe Harbor, and Expert Determination.

use super::{Answer, Facts, Question};
use crate::plan::{BuiltinTree, Column, InlineTree, Role, Threshold, Tree};
use crate::risk::Hint;
use crate::schema::recognize::Rule;

/// The letters of 164.514(b)(2)(i), with what must be gone.
const IDENTIFIERS: [(char, &str); 18] = [
    ('A', "names"),
    (
        'B',
        "places smaller than a state; the first three digits of a ZIP code may stay if more than 20,000 people share them",
    ),
    (
        'C',
        "all parts of dates about a person but the year, and ages over 89, which may be put into one value, 90 or older",
    ),
    ('D', "telephone numbers"),
    ('E', "fax numbers"),
    ('F', "e-mail addresses"),
    ('G', "social security numbers"),
    ('H', "medical record numbers"),
    ('I', "health plan beneficiary numbers"),
    ('J', "account numbers"),
    ('K', "certificate and licence numbers"),
    ('L', "vehicle identifiers and licence plates"),
    ('M', "device identifiers and serial numbers"),
    ('N', "web addresses (URLs)"),
    ('O', "IP addresses"),
    ('P', "biometric identifiers, such as finger and voice prints"),
    ('Q', "full-face photographs and images like them"),
    ('R', "any other unique number, characteristic or code"),
];

pub(super) fn items(facts: &Facts) -> Vec<Question> {
    let mut items: Vec<Question> = IDENTIFIERS.iter().map(|(letter, what)| identifier(facts, *letter, what)).collect();
    items.push(Question::open(
        "Safe Harbor, (b)(2)(ii)",
        "Does nobody who publishes know how the remaining information, alone or with other information, could identify a person?",
    ));
    items.extend(expert(facts));
    items
}

/// One of the 18 identifiers: whether a published column looks like it.
fn identifier(facts: &Facts, letter: char, what: &str) -> Question {
    let question = Question::open(format!("Safe Harbor, (b)(2)(i)({letter})"), format!("Gone: {what}"));
    let hints: Vec<&Hint> = facts.details.safe_harbor.iter().filter(|hint| hint.letter == letter).collect();
    let plan = &facts.outcome.asked;
    let column = |hint: &&Hint| plan.columns.get(&hint.column);
    let unchanged = |hint: &&Hint| column(hint).is_none_or(|c| c.role != Role::Quasi && c.publish.is_none());
    let replaced = plan.columns.iter().filter(|(_, column)| column.is_published() && column.publish.is_some());
    let replaced: Vec<String> = replaced.map(|(name, _)| format!("`{name}`")).collect();
    let are_old = |hint: &&Hint| hint.rule == Rule::Ages && column(hint).is_some_and(puts_old_ages_together);
    if !hints.is_empty() && hints.iter().all(are_old) {
        let told = |hint: &&Hint| format!("`{}`: ages over 89 are published as one value.", hint.column);
        return question.found(hints.iter().map(told).collect::<Vec<_>>().join(" ")).answered(Answer::Met);
    }
    if !hints.is_empty() {
        let told = |hint: &&Hint| {
            let how = match column(hint) {
                Some(c) if c.publish.is_some() => "replaced",
                Some(c) if c.role == Role::Quasi => "published less precise",
                _ => "published unchanged",
            };
            format!("`{}` ({how}): {}. {}.", hint.column, hint.why, capital(hint.remedy))
        };
        let answer = if hints.iter().any(unchanged) { Answer::NotMet } else { Answer::Open };
        return question.found(hints.iter().map(told).collect::<Vec<_>>().join(" ")).answered(answer);
    }
    if letter == 'R' && !replaced.is_empty() {
        let found = "made with a secret key from the original values; 164.514(c) asks that a code is not derived from information about the person";
        return question.found(format!("{}: {found}.", replaced.join(", ")));
    }
    question.found("No published column looks like it, by name or by values.").answered(Answer::NothingFound)
}

/// Whether all ages over 89 are published as one value, or with lower ones.
fn puts_old_ages_together(column: &Column) -> bool {
    let bands = Tree::Inline(InlineTree::Builtin(BuiltinTree::AgeBands));
    let least = column.top.as_ref().or(column.bins.last()).and_then(Threshold::number);
    column.hierarchy.as_ref() == Some(&bands) || least.is_some_and(|least| least <= 90.0)
}

/// Expert Determination: what an expert must find, and what helps.
fn expert(facts: &Facts) -> [Question; 5] {
    [
        Question::open(
            "Expert Determination, (b)(1)",
            "Who, with knowledge of and experience with accepted statistical and scientific methods, determines the risk?",
        )
        .found(facts.field("Signed by")),
        Question::open(
            "Expert Determination, (b)(1)(i)",
            "Is the risk very small that the anticipated recipient can identify a person? The rule gives no number.",
        )
        .found(format!("{} {}", facts.field("Recipient"), facts.counted()).trim().to_owned())
        .with([facts.highest(), facts.average(), facts.unique(), facts.unique_before()]),
        Question::open(
            "Expert Determination, (b)(1)(i)",
            "Is that so alone and in combination with other reasonably available information? Which columns can others know?",
        )
        .found(format!("Taken as known to others: {}.", facts.columns(Role::Quasi))),
        Question::open(
            "Expert Determination, (b)(1)(i)",
            "What can a recipient learn about a person without picking the person's row?",
        )
        .with(facts.inference()),
        Question::open(
            "Expert Determination, (b)(1)(ii)",
            "Are the methods and the results documented that justify the determination?",
        )
        .found("This report has the method, its parameters, the figures, and the command that makes the same release again. It has no opinion of an expert."),
    ]
}

/// A sentence that begins with a capital letter.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
