//! A first plan for a table that nobody has described yet.
//!
//! `amidst init` writes these guesses with their reasons, for a person to correct. Nothing is guessed
//! silently: if the command line leaves out a kind, the chosen one is reported and becomes part of the
//! stored plan.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use chrono::NaiveDate;

use super::ISO_DATE;
use crate::error::{Error, Result};
use crate::plan::{Column, InlineTree, Input, Kind, MissingRows, Number, Plan, PlanOrigin, Role, Tree};
use crate::read::{Table, texts};

/// The largest number of values in a set.
pub const SET_LIMIT: usize = 64;

/// Texts that often stand for a missing value.
const MISSING: &[&str] = &["", "?", "NA", "N/A", "na", "n/a", "NaN", "nan", "NULL", "null", "None", "."];

/// The largest number of levels of a tree that masks characters.
const MAX_MASK_LEVELS: usize = 64;

/// Words in a column's name that suggest an identifier.
const IDENTIFIER_WORDS: &[&str] = &[
    "id",
    "name",
    "firstname",
    "lastname",
    "surname",
    "ssn",
    "email",
    "mail",
    "phone",
    "telephone",
    "mobile",
    "address",
    "street",
    "passport",
    "mrn",
    "uuid",
    "guid",
    "iban",
    "account",
    "url",
    "ip",
];

/// Words in a column's name that suggest a sensitive column.
const SENSITIVE_WORDS: &[&str] = &[
    "disease",
    "diagnosis",
    "dx",
    "dx01",
    "icd",
    "condition",
    "treatment",
    "drug",
    "medication",
    "hiv",
    "salary",
    "income",
    "wage",
    "religion",
    "orientation",
    "crime",
    "conviction",
    "cause",
];

/// Words for somebody who has rows.
const PERSON_WORDS: &[&str] = &[
    "person",
    "pid",
    "patient",
    "pat",
    "subject",
    "participant",
    "respondent",
    "member",
    "customer",
    "client",
    "user",
    "citizen",
    "resident",
    "insured",
    "beneficiary",
    "bene",
    "student",
    "pupil",
    "employee",
    "passenger",
    "cardholder",
    "ssn",
    "mrn",
    "passport",
];

/// Words for parts of a person's name, and for what a few persons may share.
const NAME_WORDS: &[&str] =
    &["name", "firstname", "lastname", "surname", "forename", "first", "last", "given", "email", "mail"];

/// Words that end the name of an identifier and say nothing about what it identifies.
const NUMBER_WORDS: &[&str] =
    &["id", "nr", "no", "num", "number", "key", "code", "ref", "uuid", "guid", "identifier", "pseudonym", "hash"];

/// What the name of a column says that its values stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Something that is not known to be a person.
    Unknown,
    /// A name, which different persons may share.
    Name,
    /// Something with a number.
    Numbered,
    /// A person.
    Person,
}

/// What the name of a column says that its values stand for: the last word that is not a mere `id` or `number` decides, so `patient_id` is
/// about patients and `patient_age` is not.
pub fn subject(column: &str) -> Subject {
    let mut words: Vec<String> = Vec::new();
    let mut new = true;
    let mut low = false;
    for c in column.chars() {
        // `patientId` has two words, as `patient_id` has.
        new |= !c.is_alphanumeric() || (c.is_uppercase() && low);
        low = c.is_lowercase();
        if c.is_alphanumeric() {
            if std::mem::take(&mut new) {
                words.push(String::new());
            }
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
    }
    let is_number = |word: &str| NUMBER_WORDS.contains(&word);
    let numbered = words.last().is_some_and(|word| is_number(word));
    let head = words.iter().rev().find(|word| !is_number(word)).map(String::as_str);
    let glued = |word: &str| NUMBER_WORDS.iter().any(|number| word.strip_suffix(number).is_some_and(is_person));
    match head {
        None if numbered => Subject::Numbered,
        Some(word) if is_person(word) || glued(word) => Subject::Person,
        Some(word) if NAME_WORDS.contains(&word) => Subject::Name,
        _ => Subject::Unknown,
    }
}

fn is_person(word: &str) -> bool {
    PERSON_WORDS.contains(&word)
}

/// What the values of a column look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    Integer,
    Decimal,
    Date,
    /// Digits of equal length that begin with zeros. They look like numbers but are names.
    Code,
    Text,
}

/// What is known of the values of a column.
struct Profile {
    nature: Nature,
    values: Vec<String>,
    present: usize,
    rows: usize,
}

impl Profile {
    fn of(table: &Table, column: &str, missing: &[String]) -> Result<Self> {
        let array = table.column(column)?;
        let texts = texts(array).map_err(|e| Error::column(column, &e))?;
        let values = texts.values().as_string::<i32>();
        let mut counts = vec![0_usize; values.len()];
        for key in texts.keys().iter().flatten() {
            counts[key as usize] += 1;
        }
        let real = |id: &usize| counts[*id] > 0 && !missing.iter().any(|m| m == values.value(*id));
        let ids: Vec<usize> = (0..values.len()).filter(real).collect();
        let values: Vec<String> = ids.iter().map(|&id| values.value(id).to_owned()).collect();
        let present = ids.iter().map(|&id| counts[id]).sum();
        Ok(Profile { nature: nature(&values), values, present, rows: table.rows() })
    }

    /// A short description for readers of the plan.
    fn describe(&self) -> String {
        let n = self.values.len();
        let mut text = match self.nature {
            Nature::Integer => format!("whole numbers, {n} values"),
            Nature::Decimal => format!("decimal numbers, {n} values"),
            Nature::Date => format!("dates, {n} values"),
            Nature::Code => format!("digits with leading zeros, {n} values"),
            Nature::Text => format!("text, {n} values"),
        };
        if n == 1 {
            text = text.replace("values", "value");
        }
        let missing = self.rows - self.present;
        if missing > 0 {
            text += &format!(", {missing} missing");
        }
        text
    }
}

fn nature(values: &[String]) -> Nature {
    let all = |test: fn(&str) -> bool| !values.is_empty() && values.iter().all(|v| test(v));
    let digits = |v: &str| v.bytes().all(|b| b.is_ascii_digit());
    let zeros = values.iter().any(|v| v.len() > 1 && v.starts_with('0') && digits(v));
    if zeros && values.iter().all(|v| digits(v)) {
        Nature::Code
    } else if all(|v| v.parse::<i64>().is_ok()) {
        Nature::Integer
    } else if all(|v| v.parse::<f64>().is_ok_and(f64::is_finite)) {
        Nature::Decimal
    } else if all(|v| NaiveDate::parse_from_str(v, ISO_DATE).is_ok()) {
        Nature::Date
    } else {
        Nature::Text
    }
}

/// The kind that fits the values of a quasi-identifier best, if nothing else is known.
fn kind(profile: &Profile) -> Kind {
    match profile.nature {
        Nature::Integer | Nature::Decimal | Nature::Date => Kind::Range,
        Nature::Code | Nature::Text if profile.values.len() < SET_LIMIT => Kind::Set,
        Nature::Code | Nature::Text => Kind::Suppress,
    }
}

/// Completes a plan that was made from flags. Every quasi-identifier without a kind gets the one that fits
/// its values, and every column that was not named is published as it is. Returns the chosen kinds, to be
/// reported to the user.
pub fn complete(plan: &mut Plan, table: &Table) -> Result<Vec<(String, Kind)>> {
    let mut taken = Vec::new();
    for (name, column) in &mut plan.columns {
        if column.role == Role::Quasi && column.kind.is_none() {
            let kind = kind(&Profile::of(table, name, &plan.input.missing)?);
            column.kind = Some(kind);
            taken.push((name.clone(), kind));
        }
    }
    for name in table.names() {
        if !plan.columns.contains_key(name) {
            plan.columns.insert(name.to_owned(), Column::with_role(Role::Other));
        }
    }
    Ok(taken)
}

/// A plan with a guess for every column of `table`, and the reason for each guess.
pub fn plan(table: &Table, input: &Input, k: usize) -> Result<(Plan, Vec<String>)> {
    let mut input = input.clone();
    for name in table.names() {
        let column = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        for value in column.values().as_string::<i32>().iter().flatten() {
            if MISSING.contains(&value) && !input.missing.iter().any(|m| m == value) {
                input.missing.push(value.to_owned());
            }
        }
    }
    input.missing_rows = MissingRows::Keep;
    let mut columns = indexmap::IndexMap::new();
    let mut reasons = Vec::new();
    for name in table.names() {
        let profile = Profile::of(table, name, &input.missing)?;
        let (column, reason) = column(name, &profile);
        reasons.push(format!("{}{}", profile.describe(), reason));
        columns.insert(name.to_owned(), column);
    }
    Ok((Plan { input, columns, origin: PlanOrigin::Complete, ..Plan::new(k) }, reasons))
}

fn column(name: &str, profile: &Profile) -> (Column, String) {
    let distinct = profile.values.len();
    let unique = distinct == profile.present && profile.present >= 10;
    let lower = name.to_lowercase();
    let named = |words: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|w| words.contains(&w));
    let role = |role, reason: &str| (Column::with_role(role), format!("; {reason}"));

    if distinct <= 1 {
        return role(Role::Other, "says nothing about anyone");
    }
    if repeats(name, profile) {
        let rows = profile.present as f64 / distinct as f64;
        let why =
            format!("its name, and {rows:.1} rows for each value on average, suggest that it says whose a row is");
        return role(Role::Person, &why);
    }
    if named(IDENTIFIER_WORDS) && distinct * 2 > profile.present {
        return role(Role::Identifier, "its name and its many values point to persons");
    }
    if unique && matches!(profile.nature, Nature::Text | Nature::Code) {
        return role(Role::Identifier, "no value occurs twice");
    }
    if unique && profile.nature == Nature::Integer && is_running(&profile.values) {
        return role(Role::Identifier, "a running number");
    }
    if named(SENSITIVE_WORDS) {
        return role(Role::Sensitive, "by its name");
    }
    let mut column = Column::with_role(Role::Quasi);
    let kind = match profile.nature {
        // A few different whole numbers are more often codes than quantities.
        Nature::Integer if distinct <= 9 => Kind::Set,
        Nature::Code => Kind::Taxonomy,
        _ => kind(profile),
    };
    column.kind = Some(kind);
    let mut reason = String::new();
    match kind {
        Kind::Range => {
            column.number = Some(match profile.nature {
                Nature::Integer => Number::Integer,
                Nature::Date => Number::Date,
                _ => Number::Decimal,
            });
        }
        Kind::Taxonomy => {
            let longest = profile.values.iter().map(|v| v.chars().count()).max().unwrap_or(1).min(MAX_MASK_LEVELS);
            column.hierarchy = Some(Tree::Inline(InlineTree::Mask((1..longest.max(2) as u32).collect())));
        }
        Kind::Set if profile.nature == Nature::Integer => {
            reason = "; probably codes, make it a range if they are quantities".to_owned();
        }
        Kind::Suppress => {
            reason = "; too many values for sets, a hierarchy would keep more of it".to_owned();
        }
        _ => {}
    }
    (column, reason)
}

/// Whether a column seems to say whose a row is, in a table in which persons have several rows.
fn repeats(name: &str, profile: &Profile) -> bool {
    /// A table with fewer rows for each number has some rows twice rather than persons with several rows.
    const FEWEST_ROWS: f64 = 1.2;
    /// Something with fewer numbers or more rows for each is a place or a category rather than a person.
    const MOST_ROWS: f64 = 100.0;
    const FEWEST_NUMBERS: usize = 10;
    let (distinct, decimal) = (profile.values.len(), matches!(profile.nature, Nature::Decimal | Nature::Date));
    let rows = profile.present as f64 / distinct.max(1) as f64;
    let plausible = !decimal && distinct < profile.present && distinct >= FEWEST_NUMBERS && rows <= MOST_ROWS;
    match subject(name) {
        Subject::Person => plausible,
        Subject::Numbered => plausible && rows >= FEWEST_ROWS,
        Subject::Name | Subject::Unknown => false,
    }
}

/// Whether these are whole numbers without a gap.
fn is_running(values: &[String]) -> bool {
    let numbers: Vec<i64> = values.iter().filter_map(|v| v.parse().ok()).collect();
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(lo), Some(hi)) => hi.checked_sub(*lo) == Some(numbers.len() as i64 - 1),
        _ => false,
    }
}

/// Whether texts of the table have blanks around them, as in files with a blank after each delimiter.
pub fn has_blanks(table: &Table) -> Result<bool> {
    for name in table.names() {
        let column = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        if name.trim() != name || column.values().as_string::<i32>().iter().flatten().any(|v| v.trim() != v) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The delimiter that splits the first line of a CSV file into the most fields.
pub fn delimiter(header: &str) -> char {
    let count = |d: &char| header.matches(*d).count();
    // Of equally good delimiters the first one is taken, which is the most common.
    [',', ';', '\t', '|'].into_iter().rev().max_by_key(count).unwrap_or(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn natures() {
        let of = |values: &[&str]| nature(&values.iter().map(|v| (*v).to_owned()).collect::<Vec<_>>());
        assert_eq!(of(&["1", "-20"]), Nature::Integer);
        assert_eq!(of(&["1", "2.5"]), Nature::Decimal);
        assert_eq!(of(&["2020-01-31"]), Nature::Date);
        assert_eq!(of(&["01234", "99999"]), Nature::Code);
        assert_eq!(of(&["0", "10"]), Nature::Integer);
        assert_eq!(of(&["1", "x"]), Nature::Text);
        assert_eq!(of(&["1", "inf"]), Nature::Text);
        assert_eq!(of(&[]), Nature::Text);
    }

    #[test]
    fn subjects() {
        for name in
            ["pid", "patient", "patient_id", "PatientID", "patientId", "hospital_patient_nr", "Customer No", "userid"]
        {
            assert_eq!(subject(name), Subject::Person, "{name}");
        }
        for name in ["id", "uuid", "ID_NUMBER"] {
            assert_eq!(subject(name), Subject::Numbered, "{name}");
        }
        for name in ["last_name", "customer name", "email"] {
            assert_eq!(subject(name), Subject::Name, "{name}");
        }
        let others = ["household_id", "patient_age", "personal_status", "visit", "fnlwgt", "members", "idea", "", "–"];
        for name in others {
            assert_eq!(subject(name), Subject::Unknown, "{name}");
        }
    }

    #[test]
    fn delimiters() {
        assert_eq!(delimiter("a,b,c"), ',');
        assert_eq!(delimiter("a;b;c,d"), ';');
        assert_eq!(delimiter("a\tb"), '\t');
        assert_eq!(delimiter("alone"), ',');
    }
}
