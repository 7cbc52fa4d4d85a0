//! Columns about people whom a record names beside its own person: the manager, the doctor, the teacher.
//!
//! Their values repeat, because one doctor has many patients. So they do not look like identifiers by their counts, and sets of them would be
//! published with the names in them. They are recognized by a word for such people in the name of the column, together with a word for names
//! (`ManagerName`) or for numbers (`doctor_id`), or with values that are written like names (`Teacher`).

use super::looks::{person, surname};
use super::{Contents, FEWEST_ROWS, Rule, words};

/// Words for people who are beside the person of a record. Words that are more often those of companies, things or answers are not among them.
const OTHERS: &[&str] = &[
    // who treats the person
    "anaesthetist",
    "anesthetist",
    "arzt",
    "caregiver",
    "clinician",
    "dentist",
    "doctor",
    "gp",
    "hausarzt",
    "medecin",
    "medico",
    "médecin",
    "médico",
    "midwife",
    "nurse",
    "pcp",
    "pharmacist",
    "physician",
    "practitioner",
    "prescriber",
    "psychiatrist",
    "psychologist",
    "radiologist",
    "surgeon",
    "therapist",
    "ärztin",
    // who leads, teaches or advises
    "adviser",
    "advisor",
    "boss",
    "coach",
    "counsellor",
    "counselor",
    "foreman",
    "instructor",
    "jefe",
    "lecturer",
    "lehrer",
    "lehrerin",
    "manager",
    "mentor",
    "professor",
    "profesor",
    "profesora",
    "supervisor",
    "teacher",
    "trainer",
    "tutor",
    "vorgesetzte",
    "vorgesetzter",
    // who decides or writes about the person
    "assessor",
    "attorney",
    "caseworker",
    "detective",
    "evaluator",
    "examiner",
    "inspector",
    "interviewer",
    "investigator",
    "judge",
    "lawyer",
    "notary",
    "officer",
    "recruiter",
    "referrer",
    "reviewer",
    "salesman",
    "salesperson",
    "socialworker",
    "solicitor",
    "underwriter",
    "witness",
    // who is related to the person
    "brother",
    "daughter",
    "father",
    "guardian",
    "husband",
    "kin",
    "madre",
    "mother",
    "mutter",
    "padre",
    "sibling",
    "sister",
    "spouse",
    "vater",
    "wife",
];

/// Words that make a provider somebody who treats a person: an `insurance provider` is a company.
const TREATING: &[&str] = &[
    "admit",
    "admitting",
    "attending",
    "order",
    "ordering",
    "performing",
    "prescribing",
    "referring",
    "rendering",
    "treating",
];

/// What a column says of other people, if it seems to be about them.
pub(super) fn recognized(name: &str, contents: &Contents) -> Option<(Rule, &'static str)> {
    if !is_about_others(name) {
        return None;
    }
    if is_named(name) {
        return (!contents.is_number()).then_some((Rule::Names, "names of other people, by its name"));
    }
    if is_numbered(name) {
        let decimal = contents.is_number() && !contents.is_whole();
        let numbers = contents.distinct() >= FEWEST_ROWS && !decimal;
        return numbers.then_some((Rule::UniqueCode, "numbers of other people, by its name"));
    }
    let names = contents.share(person) > 0.9;
    let surnames = contents.distinct() >= FEWEST_ROWS && contents.share(|text| person(text) || surname(text)) > 0.9;
    (names || surnames).then_some((Rule::Names, "names of other people, by its name and its values"))
}

/// Whether the name of a column says that it is about people beside the person of the record.
pub fn is_about_others(name: &str) -> bool {
    let is_other = |word: &String| OTHERS.contains(&word.as_str());
    let treats = |words: &[String]| words.iter().any(|word| TREATING.contains(&word.as_str()));
    let words = words::split(name);
    if is_named(name) {
        let other = |word: &String| is_other(word) || is_name_of_others(word);
        return words::with_pairs(name).iter().any(other) || treats(&words);
    }
    let heads = words::heads(name);
    let provider = heads.iter().any(|head| head == "provider") && treats(&words);
    heads.iter().any(|head| is_other(head) || is_number_of_others(head)) || provider
}

/// Whether a name says that its column has names.
fn is_named(name: &str) -> bool {
    words::is_about_names(name) || words::heads(name).iter().any(|head| is_name_of_others(head))
}

/// Whether a word is one for such people and one for names, written together: `managername`.
fn is_name_of_others(word: &str) -> bool {
    word.strip_suffix("name").is_some_and(|person| OTHERS.contains(&person))
}

/// Whether a word is one for such people and one for numbers, written together: `managerid`.
fn is_number_of_others(word: &str) -> bool {
    words::without_number(word).is_some_and(|person| OTHERS.contains(&person))
}

fn is_numbered(name: &str) -> bool {
    words::is_numbered(name) || words::heads(name).iter().any(|head| is_number_of_others(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40 records with these values, in turn.
    fn repeated(values: &[&str]) -> Contents {
        let values: Vec<_> = values.iter().map(|value| ((*value).to_owned(), 40 / values.len())).collect();
        Contents { present: values.iter().map(|(_, count)| count).sum(), values, rows: 40 }
    }

    fn rule(name: &str, values: &[&str]) -> Option<Rule> {
        recognized(name, &repeated(values)).map(|(rule, _)| rule)
    }

    #[test]
    fn names_of_other_people() {
        let full = ["Ann Smith", "Bob Jones", "Dr. Weber", "Rossi, Carla"];
        for name in
            ["ManagerName", "physician_name", "Teacher", "Doctor", "Ordering Provider", "doctorname", "Case Worker"]
        {
            assert_eq!(rule(name, &full), Some(Rule::Names), "{name}");
        }
        // A column of names needs no look at them, another one does.
        assert_eq!(rule("Teacher Name", &["Weber", "Rossi"]), Some(Rule::Names));
        let surnames = ["Weber", "Rossi", "Novak", "Silva", "Kumar", "Chen", "Smith", "O'Neil", "Li", "Diaz"];
        assert_eq!(rule("teacher", &surnames), Some(Rule::Names));
        assert_eq!(rule("doctor_last_name", &surnames), Some(Rule::Names));
    }

    #[test]
    fn numbers_of_other_people() {
        let numbers: Vec<String> = (100..120).map(|number| number.to_string()).collect();
        let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
        for name in ["ManagerID", "officer_id_hash", "doctor_no", "teacherid"] {
            assert_eq!(rule(name, &numbers), Some(Rule::UniqueCode), "{name}");
        }
        // A few codes are kinds of something.
        assert_eq!(rule("judge_code", &numbers[..4]), None);
    }

    #[test]
    fn what_is_about_nobody_else() {
        let full = ["Ann Smith", "Bob Jones", "Dr. Weber", "Rossi, Carla"];
        for (name, values) in [
            ("Manager", &["Yes", "No"][..]),
            ("guardian", &["mother", "father", "other"]),
            ("guardian", &["Mother", "Father", "Other"]),
            ("mother_education", &["Primary school", "High school"]),
            ("Insurance Provider", &["Blue Cross", "Aetna"]),
            ("nurses", &["3", "4"]),
            ("doctor_visits", &["3", "4"]),
            ("years_with_curr_manager", &["3", "4"]),
            ("JobRole", &full),
        ] {
            assert_eq!(rule(name, values), None, "{name}");
        }
    }
}
