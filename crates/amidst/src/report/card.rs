//! The first card of a report, in plain words: what is released, to whom, what was checked, and what remains.

use std::fmt;

use super::sentence::{Sentence, key};
use super::{Details, Hiding, Outcome};
use crate::notation::grouped;
use crate::plan::{Plan, Role};

/// The longest line of a text, in characters.
const WIDTH: usize = 120;

/// The first card.
#[derive(Debug)]
pub(super) struct Card {
    /// What is released: rows, persons, and the columns by what happened to them.
    pub(super) released: Vec<Sentence>,
    /// What was checked.
    pub(super) checked: Vec<Sentence>,
    /// What recipients can still learn, and what nobody checked.
    pub(super) remains: Vec<Sentence>,
}

impl Card {
    pub(super) fn new(outcome: &Outcome, details: &Details) -> Self {
        Card {
            released: released(outcome, details),
            checked: checked(outcome, details),
            remains: remains(outcome, details),
        }
    }
}

/// Columns, each as code.
fn names<'a>(columns: impl IntoIterator<Item = &'a str>) -> String {
    columns.into_iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(", ")
}

fn released(outcome: &Outcome, details: &Details) -> Vec<Sentence> {
    let plan = &outcome.asked;
    let rows = Sentence::default().count("/rows", outcome.audit.rows).words(" rows");
    let mut said = vec![match &outcome.audit.people {
        Some(people) => rows.words(" of ").count("/people/persons", people.persons).words(" persons."),
        None => rows.words(". Nobody said whose a row is, so every row counts as a person of its own."),
    }];
    let groups = details.hiding == Hiding::Groups;
    let quasi = if groups { "Unchanged, but apart from the sensitive values" } else { "Made less precise" };
    let (replaced, shown): (Vec<&str>, Vec<&str>) =
        plan.columns_with(Role::Other).partition(|name| plan.columns[*name].publish.is_some());
    let is_coded = |name: &&str| plan.columns[*name].is_coded();
    let (coded, unchanged): (Vec<&str>, Vec<&str>) = shown.into_iter().partition(is_coded);
    let (sensitive_coded, sensitive): (Vec<&str>, Vec<&str>) = plan.columns_with(Role::Sensitive).partition(is_coded);
    let pseudonyms = plan.columns.iter().filter(|(_, c)| c.role != Role::Other && c.publish.is_some());
    let replaced = replaced.into_iter().chain(pseudonyms.map(|(name, _)| name.as_str())).collect();
    let removed = plan.columns.iter().filter(|(_, c)| !c.is_published()).map(|(name, _)| name.as_str());
    let by_fate: [(&str, Vec<&str>); 7] = [
        (quasi, plan.columns_with(Role::Quasi).collect()),
        ("Sensitive, unchanged", sensitive),
        ("Sensitive, with numbers coded", sensitive_coded),
        ("Replaced", replaced),
        ("Not sensitive, unchanged", unchanged),
        ("Not sensitive, with numbers coded", coded),
        ("Left out", removed.collect()),
    ];
    for (fate, columns) in by_fate.into_iter().filter(|(_, columns)| !columns.is_empty()) {
        let s = if columns.len() == 1 { "" } else { "s" };
        said.push(Sentence::of(format!("{fate}: {} column{s}, {}.", grouped(columns.len()), names(columns))));
    }
    if outcome.dropped_rows > 0 {
        let dropped =
            Sentence::of("Left out because a value is missing: ").count("/dropped_rows", outcome.dropped_rows);
        said.push(dropped.words(" rows."));
    }
    if let Some(suppressed) = &outcome.suppressed {
        let left = Sentence::of("Left out because few look like them: ").count("/suppressed/rows", suppressed.rows);
        said.push(left.words(" rows, ").share("/suppressed/share", suppressed.share).words(" of the table."));
    }
    for (place, other) in outcome.others.iter().enumerate() {
        let at = format!("/others/{place}/audit/rows");
        said.push(
            Sentence::of(format!("With it the table `{}`: ", other.name)).count(at, other.audit.rows).words(" rows."),
        );
    }
    said
}

fn checked(outcome: &Outcome, details: &Details) -> Vec<Sentence> {
    let mut said: Vec<Sentence> = details
        .promises
        .iter()
        .map(|promise| {
            let met = if promise.kept { "Met" } else { "NOT MET" };
            Sentence::of(format!("{met}: {}. Reached: {}.", promise.words, promise.reached_in_words))
        })
        .collect();
    said.push(Sentence::of(
        "A separate part of the program read the written files and the original again, and compared rows, cells, columns and classes.",
    ));
    if outcome.asked.columns_with(Role::Other).next().is_some() {
        said.push(Sentence::of("The names and values of the unchanged columns were searched for identifiers."));
    }
    said
}

fn remains(outcome: &Outcome, details: &Details) -> Vec<Sentence> {
    let plan = &outcome.asked;
    let quasi = names(plan.columns_with(Role::Quasi));
    let highest = details.risk.after.prosecutor.highest;
    let at = "/details/risk/after/prosecutor/highest";
    let one = if outcome.audit.people.is_some() { "person" } else { "record" };
    let mut said = vec![match details.hiding {
        Hiding::Groups => Sentence::of(format!(
            "Recipients can find a person by {quasi}, because these are as they were. Which sensitive value of the group is the person's stays \
             hidden: the right row is picked with a chance of at most "
        ))
        .share(at, highest)
        .words("."),
        Hiding::Classes | Hiding::Windows => Sentence::of(format!(
            "Whoever knows that a person is in the table, and knows all of {quasi}, picks the right {one} with a chance of at most "
        ))
        .share(at, highest)
        .words("."),
    }];
    said.extend(of_sensitive(outcome));
    said.extend(of_persons(outcome, plan));
    let unchanged: Vec<&str> = plan.columns_with(Role::Other).filter(|n| plan.columns[*n].publish.is_none()).collect();
    if !unchanged.is_empty() {
        said.push(Sentence::of(format!(
            "Whoever knows a person's {} may find the person by them; the requirements are not about these columns.",
            names(unchanged)
        )));
    }
    said.push(Sentence::of(
        "Not checked: whether others may know more than the columns named here; other releases about the same people; what recipients are \
         allowed and able to do; whether the values are right.",
    ));
    said
}

/// How sure a recipient can be of sensitive values.
fn of_sensitive(outcome: &Outcome) -> Vec<Sentence> {
    let many = if outcome.audit.people.is_some() { "persons" } else { "records" };
    let mut said = Vec::new();
    for (column, levels) in &outcome.audit.achieved.sensitive {
        let at = |field: &str| format!("/achieved/sensitive/{}/{field}", key(column));
        if let Some(posterior) = levels.posterior {
            let sure = Sentence::of("Such a reader can be at most ").share(at("posterior"), posterior);
            said.push(sure.words(format!(" sure of the person's `{column}`.")));
        } else if levels.single_value > 0.0 {
            let certain = Sentence::of(format!("Of `{column}` such a reader is certain for "));
            let certain = certain.share(at("single_value"), levels.single_value);
            said.push(certain.words(format!(" of the {many}: all who look alike have the same value.")));
        } else {
            let sure = Sentence::of("Such a reader can be up to ").share(at("alpha"), levels.alpha);
            said.push(sure.words(format!(
                " sure of the person's `{column}`: no value is more frequent among those who look alike."
            )));
        }
    }
    said
}

/// What the rows of a person tell.
fn of_persons(outcome: &Outcome, plan: &Plan) -> Vec<Sentence> {
    let Some(people) = &outcome.audit.people else { return Vec::new() };
    let mut said = vec![
        Sentence::of("Counted in rows, the smallest class has ")
            .count("/people/k_of_rows", people.k_of_rows)
            .words(". The rows of one person make up at most ")
            .share("/people/largest_share", people.largest_share)
            .words(" of a class."),
    ];
    if let (Some(k), true) = (people.k_by_number_of_rows, plan.linked().is_some()) {
        let linked = Sentence::of(
            "Pseudonyms show which rows are of one person. Whoever knows how many rows a person has finds the person among ",
        );
        said.push(linked.count("/people/k_by_number_of_rows", k).words(" in the worst case."));
    }
    said
}

/// The card as a text, with the fields of those who answer for the release.
pub(super) fn write(f: &mut fmt::Formatter<'_>, outcome: &Outcome, card: &Card) -> fmt::Result {
    for (title, value) in outcome.about.fields() {
        let line = format!("{:12} {}", title.to_lowercase(), value.unwrap_or(BLANK));
        writeln!(f, "{}", line.trim_end())?;
    }
    for (title, said) in [("released", &card.released), ("checked", &card.checked), ("remains", &card.remains)] {
        for (place, sentence) in said.iter().enumerate() {
            wrapped(f, if place == 0 { title } else { "" }, &sentence.to_string())?;
        }
    }
    Ok(())
}

/// What stands for an answer that a person must give.
pub(super) const BLANK: &str = "______________________________";

/// Writes a sentence in lines that fit a terminal, behind a heading.
pub(super) fn wrapped(f: &mut fmt::Formatter<'_>, heading: &str, sentence: &str) -> fmt::Result {
    let mut line = format!("{heading:12}");
    for word in sentence.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{line}")?;
            line = " ".repeat(12);
        }
        line = line + " " + word;
    }
    writeln!(f, "{}", line.trim_end())
}
