//! What a column seems to be, by its name and its values: one set of recognizers for everybody who has to guess.
//!
//! [`guess`](super::guess) makes roles of what they find, `anonymize` refuses to publish what nobody named and they recognize, and the hints
//! about the Safe Harbor rule are what they say about its kinds of identifiers. A reason never contains a value of the table.
//!
//! A column is recognized by its name, by what its values look like, by how often they occur, or by several of these if one alone would give
//! false alarms. For example, five digits are a ZIP code only if the name of the column says so. A column that is not recognized may still
//! identify people: no program knows what somebody else knows.

mod contents;
mod looks;
mod others;
mod rule;
mod words;

use crate::error::Result;
use crate::read::Table;

pub use contents::Contents;
pub use others::is_about_others;
pub use rule::Rule;
pub use words::{Subject, is_numbered, speaks_of_dates, subject};

use super::dates::is_date;
use rule::{ADDRESSES, NAMED};

/// What the values of a column are to the people in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Each value names a person, or something that only few persons have.
    Identifier,
    /// Says whose a row is, in a table in which persons have several rows.
    Person,
    /// Sentences, in which anything may stand.
    FreeText,
    /// A place smaller than a state, or a date finer than a year.
    PlaceOrDate,
    /// Many rows have a value that no other row has.
    Singular,
    /// Numbers that people do not want others to know, such as salaries, and many rows have one that no other row has.
    Amount,
    /// What people do not want others to know.
    Sensitive,
    /// One value in all rows.
    Constant,
    /// Nothing of the above.
    Ordinary,
}

/// What a column seems to be, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognized {
    /// What its values are to the people in the table.
    pub sort: Sort,
    /// The kind of identifier in the words of the Safe Harbor rule, if it is one.
    pub rule: Option<Rule>,
    /// The reason, without a value of the table. Empty if there is nothing to say.
    pub why: String,
}

impl Recognized {
    /// Whether the column may single a person out by itself, so that nobody should publish it as it is without having said so.
    pub fn is_identifying(&self) -> bool {
        match self.sort {
            Sort::Sensitive | Sort::Constant | Sort::Ordinary => false,
            Sort::Identifier | Sort::Person | Sort::FreeText | Sort::PlaceOrDate | Sort::Singular | Sort::Amount => {
                true
            }
        }
    }
}

impl Recognized {
    /// What it seems to be, in words.
    pub fn told(&self) -> String {
        match self.rule {
            Some(rule) => format!("{}: {}", rule.title().1, self.why),
            None => self.why.clone(),
        }
    }
}

/// The fewest rows from which it means something that values occur once.
const FEWEST_ROWS: usize = 10;
/// The fewest values of codes in a column whose name says nothing.
const FEWEST_CODES: usize = 100;
/// The share of rows with a value of their own from which a column singles people out.
const SINGULAR: f64 = 0.25;
/// The same for texts, from which they are taken for identifiers. Nothing joins texts as a range joins numbers.
const NAMED_ONE_BY_ONE: f64 = 0.5;
/// The fewest words of a value on average that make it a sentence.
const SENTENCE: f64 = 5.0;

/// Words at the end of a column's name that suggest a sensitive column.
const SENSITIVE: &[&str] = &[
    "allergy",
    "attrition",
    "balance",
    "basepay",
    "bonus",
    "cancer",
    "cause",
    "charge",
    "charges",
    "churn",
    "compensation",
    "condition",
    "conviction",
    "cost",
    "costs",
    "crime",
    "dailyrate",
    "death",
    "debt",
    "deceased",
    "defaulted",
    "depression",
    "diabetes",
    "diabetic",
    "diag",
    "diagnose",
    "diagnoses",
    "diagnosis",
    "died",
    "disability",
    "disease",
    "disorder",
    "drug",
    "drugs",
    "earnings",
    "einkommen",
    "enfermedad",
    "expenses",
    "expire",
    "expired",
    "gehalt",
    "hiv",
    "hourlyrate",
    "icd",
    "illness",
    "inc",
    "income",
    "infection",
    "krankheit",
    "lohn",
    "maladie",
    "medication",
    "medications",
    "monthlyrate",
    "mortality",
    "networth",
    "offense",
    "orientation",
    "outcome",
    "output",
    "paid",
    "pay",
    "payrate",
    "payroll",
    "politics",
    "pregnancy",
    "pregnant",
    "procedure",
    "readmitted",
    "recid",
    "religion",
    "remuneration",
    "result",
    "results",
    "revenu",
    "revenue",
    "salaire",
    "salario",
    "salary",
    "stroke",
    "sueldo",
    "suicide",
    "survived",
    "symptom",
    "symptoms",
    "syndrome",
    "target",
    "termreason",
    "treatment",
    "tumor",
    "verdienst",
    "vital",
    "wage",
    "wages",
    "wealth",
];

/// Looks at a column of a table. `missing` are the texts that stand for no value.
pub fn recognize(table: &Table, column: &str, missing: &[String]) -> Result<Recognized> {
    if table.column(column)?.data_type().is_nested() {
        let why = "lists or structs, which can hold anything".to_owned();
        return Ok(Recognized { sort: Sort::FreeText, rule: None, why });
    }
    Ok(of(column, &Contents::new(table, column, missing)?))
}

/// Looks at a column of that name with these values. The first match wins, from the surest to the vaguest.
pub fn of(name: &str, contents: &Contents) -> Recognized {
    let found = |sort: Sort| move |why: String| Recognized { sort, rule: None, why };
    let nothing = || {
        let sort = if is_constant(contents) { Sort::Constant } else { Sort::Ordinary };
        let why = if sort == Sort::Constant { "says nothing about anyone" } else { "" };
        Recognized { sort, rule: None, why: why.to_owned() }
    };
    if contents.present == 0 {
        return nothing();
    }
    by_values(contents)
        .or_else(|| dates(contents))
        .or_else(|| is_constant(contents).then(nothing))
        .or_else(|| repeats(name, contents).map(found(Sort::Person)))
        .or_else(|| date_parts(name, contents))
        .or_else(|| others(name, contents))
        .or_else(|| by_name(name, contents))
        .or_else(|| index(name, contents))
        .or_else(|| amount(name, contents))
        .or_else(|| unique_code(name, contents))
        .or_else(|| names_of_people(name, contents))
        .or_else(|| free_text(contents).map(found(Sort::FreeText)))
        .or_else(|| singular(contents))
        .or_else(|| sensitive(name).map(found(Sort::Sensitive)))
        .unwrap_or_else(nothing)
}

/// Whether all rows say the same. A single value that some rows lack tells the others apart, as `positive` does in a column of tests.
fn is_constant(contents: &Contents) -> bool {
    contents.distinct() == 0 || contents.distinct() == 1 && contents.present == contents.rows
}

fn identifier(rule: Rule, why: String) -> Recognized {
    Recognized { sort: Sort::Identifier, rule: Some(rule), why }
}

/// Values that look like nothing else.
fn by_values(contents: &Contents) -> Option<Recognized> {
    let by = |rule: Rule, least: f64, test: fn(&str) -> bool| {
        let share = contents.share(test);
        (share > 0.0 && share >= least).then(|| identifier(rule, format!("{} look like it", looks::percent(share))))
    };
    by(Rule::Email, 0.0, looks::email)
        .or_else(|| by(Rule::Url, 0.0, looks::url))
        .or_else(|| by(Rule::SocialSecurity, 0.01, looks::social_security))
        .or_else(|| by(Rule::IpAddress, 0.05, looks::ip_address))
        .or_else(|| by(Rule::Vehicle, 0.5, looks::vehicle))
        .or_else(|| by(Rule::Device, 0.5, looks::hardware_address))
        .or_else(|| by(Rule::Account, 0.5, looks::bank_account))
        .or_else(|| contents.is_many().then(|| by(Rule::Account, 0.9, looks::payment_card)).flatten())
        .or_else(|| by(Rule::Phone, 0.5, looks::phone))
        .or_else(|| by(Rule::Photograph, 0.5, looks::image))
        .or_else(|| contents.is_many().then(|| by(Rule::UniqueCode, 0.5, looks::uuid)).flatten())
}

/// Dates finer than a year.
fn dates(contents: &Contents) -> Option<Recognized> {
    let share = contents.share(is_date);
    let why = || format!("{} are dates", looks::percent(share));
    (share >= 0.5).then(|| Recognized { sort: Sort::PlaceOrDate, rule: Some(Rule::Dates), why: why() })
}

/// Whether a column seems to say whose a row is, in a table in which persons have several rows.
fn repeats(name: &str, contents: &Contents) -> Option<String> {
    /// A table with fewer rows for each number has some rows twice rather than persons with several rows.
    const FEWEST_REPEATS: f64 = 1.2;
    /// Something with fewer numbers or more rows for each is a place or a category rather than a person.
    const MOST_REPEATS: f64 = 100.0;
    const FEWEST_NUMBERS: usize = 10;
    let (distinct, present) = (contents.distinct(), contents.present);
    let decimal = !contents.is_whole() && contents.is_number();
    let rows = present as f64 / distinct.max(1) as f64;
    let plausible = !decimal && distinct < present && distinct >= FEWEST_NUMBERS && rows <= MOST_REPEATS;
    let person = match subject(name) {
        Subject::Person => plausible,
        Subject::Numbered => plausible && rows >= FEWEST_REPEATS,
        Subject::Name | Subject::Unknown => false,
    };
    person
        .then(|| format!("its name, and {rows:.1} rows for each value on average, suggest that it says whose a row is"))
}

/// Ages over 89, months and days. They do not name anybody, but the Safe Harbor rule wants them coarser.
fn date_parts(name: &str, contents: &Contents) -> Option<Recognized> {
    let words = words::with_pairs(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let found = |rule: Rule, why: String| Some(Recognized { sort: Sort::Ordinary, rule: Some(rule), why });
    if has(&["age", "agep", "ages"]) {
        // A largest age of 90 means that higher ages were already put into one value.
        let age = |text: &str| text.parse::<f64>().ok().filter(|age| (0.0..130.0).contains(age));
        let numbers = contents.share(|text| age(text).is_some());
        let over = contents.share(|text| age(text).is_some_and(|age| age > 89.0));
        let beyond = contents.share(|text| age(text).is_some_and(|age| age > 90.0));
        if numbers > 0.9 && beyond > 0.0 {
            return found(Rule::Ages, format!("{} are over 89", looks::percent(over)));
        }
    }
    let within = |most: u32| contents.share(|text| text.parse().is_ok_and(|n: u32| (1..=most).contains(&n))) > 0.9;
    let month = has(&["month", "dobmm", "birthmonth", "mm"]) && contents.distinct() <= 13 && within(12);
    let day = has(&["day", "dobdd", "birthday", "dd"]) && contents.distinct() <= 32 && within(31) && !within(12);
    let what = if month { "months" } else { "days of a month" };
    if month || day { found(Rule::DateParts, format!("by its name, and its values are {what}")) } else { None }
}

/// Names and numbers of people beside the person of the record.
fn others(name: &str, contents: &Contents) -> Option<Recognized> {
    let (rule, why) = others::recognized(name, contents)?;
    Some(identifier(rule, format!("{why}; {} values in {} records", contents.distinct(), contents.present)))
}

/// Whether a column names persons by its name, and which. Its values may be those of published cells.
pub fn names_persons(name: &str, contents: &Contents) -> Option<&'static str> {
    match others::recognized(name, contents) {
        Some((Rule::Names, why)) => Some(why),
        _ => has_names(name, contents).then_some("names, by its name"),
    }
}

/// Whether a column has names of persons, by its name. Names of persons repeat in large tables, those of a few things repeat more.
fn has_names(name: &str, contents: &Contents) -> bool {
    let varied = || contents.is_many() || contents.distinct() >= FEWEST_ROWS && !words::is_bare_name(name);
    words::is_about_names(name) && !contents.is_number() && varied()
}

/// What the name of the column says, if the values do not speak against it.
fn by_name(name: &str, contents: &Contents) -> Option<Recognized> {
    let heads = words::heads(name);
    let ends = |wanted: &[&str]| heads.iter().any(|head| wanted.contains(&head.as_str()));
    let (distinct, present) = (contents.distinct(), contents.present);
    let why = || format!("by its name; {distinct} values in {present} records");
    if has_names(name, contents) {
        return Some(identifier(Rule::Names, why()));
    }
    let (rule, ..) = NAMED.iter().find(|(_, wanted, test)| ends(wanted) && test(contents))?;
    if *rule == Rule::Geography {
        let house = ends(ADDRESSES) && contents.is_many() && !contents.is_number();
        let sort = if house { Sort::Identifier } else { Sort::PlaceOrDate };
        return Some(Recognized { sort, rule: Some(*rule), why: why() });
    }
    Some(identifier(*rule, why()))
}

/// Whether nobody named a column: it got its name by its place, from us or from pandas.
pub fn is_nameless(name: &str) -> bool {
    let number = |before: &str, behind: &str| {
        let place = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(behind));
        place.is_some_and(|place| !place.is_empty() && place.bytes().all(|byte| byte.is_ascii_digit()))
    };
    number("column_", "") || number("Unnamed: ", "") || number("__index_level_", "__")
}

/// The index of a data frame, which is written as a column without a name.
fn index(name: &str, contents: &Contents) -> Option<Recognized> {
    let counts = contents.distinct() == contents.rows && contents.share(|text| text.parse::<u64>().is_ok()) >= 1.0;
    (is_nameless(name) && counts)
        .then(|| identifier(Rule::UniqueCode, "a column without a name that numbers the rows".to_owned()))
}

/// Numbers and codes that tell records apart: by the name of the column, or because none of them occurs twice.
fn unique_code(name: &str, contents: &Contents) -> Option<Recognized> {
    let n = contents.distinct();
    let decimal = contents.is_number() && !contents.is_whole();
    if is_numbered(name) && contents.is_many() && !decimal {
        return Some(identifier(Rule::UniqueCode, format!("by its name; {n} values in {} records", contents.present)));
    }
    if n != contents.present || n < FEWEST_ROWS {
        return None;
    }
    let why = || format!("no value occurs twice among {n}");
    let length = contents.values.first().map_or(0, |(text, _)| text.len());
    let even = contents.is_whole() && length > 4 && contents.share(|text| text.len() == length) > 0.95;
    let code =
        |text: &str| text.len() <= 40 && text.parse::<f64>().is_err() && text.bytes().any(|b| b.is_ascii_digit());
    let codes = contents.share(code) > 0.9;
    if contents.is_running() && contents.share(|text| text.parse::<i64>().is_ok_and(|n| n >= 0)) > 0.99 {
        return Some(identifier(Rule::UniqueCode, "a running number".to_owned()));
    }
    (n >= FEWEST_CODES && (even || codes)).then(|| identifier(Rule::UniqueCode, why()))
}

/// Texts that are written like names of people, most of them once, and other texts that hardly occur twice.
fn names_of_people(name: &str, contents: &Contents) -> Option<Recognized> {
    if contents.rows < FEWEST_ROWS || contents.is_number() || free_text(contents).is_some() {
        return None;
    }
    let (names, alone) = (contents.share(looks::person), contents.alone());
    if names > 0.9 && contents.is_many() && !words::is_numbered(name) {
        return Some(identifier(Rule::Names, format!("{} are written like names of people", looks::percent(names))));
    }
    (alone >= NAMED_ONE_BY_ONE).then(|| identifier(Rule::UniqueCode, told_alone(alone)))
}

fn told_alone(alone: f64) -> String {
    match looks::percent(alone).strip_suffix("of the values") {
        Some(percent) => format!("{percent}of the rows have a value that no other row has"),
        None => "every row has a value of its own".to_owned(),
    }
}

/// Sentences.
fn free_text(contents: &Contents) -> Option<String> {
    let words: usize = contents.texts().map(|text| text.split_whitespace().count()).sum();
    let mean = words as f64 / contents.distinct().max(1) as f64;
    let varied = contents.distinct() * 3 > contents.present && contents.distinct() >= FEWEST_ROWS;
    (mean >= SENTENCE && varied).then(|| format!("free text, {mean:.0} words on average"))
}

/// Values that many rows have alone.
fn singular(contents: &Contents) -> Option<Recognized> {
    let alone = contents.alone();
    let many = contents.rows >= FEWEST_ROWS && alone >= SINGULAR;
    many.then(|| Recognized { sort: Sort::Singular, rule: None, why: told_alone(alone) })
}

/// Numbers that many rows have alone, in a column that is sensitive by its name. Running numbers are none.
fn amount(name: &str, contents: &Contents) -> Option<Recognized> {
    let many = contents.rows >= FEWEST_ROWS && contents.alone() >= SINGULAR;
    let amounts = many && contents.is_number() && !contents.is_running() && !is_numbered(name);
    let why = || format!("{}; {}", sensitive(name).unwrap_or_default(), told_alone(contents.alone()));
    (amounts && sensitive(name).is_some()).then(|| Recognized { sort: Sort::Amount, rule: None, why: why() })
}

/// Whether the name of a column suggests that people do not want others to know its values.
fn sensitive(name: &str) -> Option<String> {
    let named = |topic: &String| SENSITIVE.contains(&topic.as_str());
    // `dx` stands for a diagnosis: `dx01`, `dx_adm`, `admissiondx`.
    let coded = |word: &String| word.ends_with("dx");
    let sensitive = words::topics(name).iter().any(named) || words::split(name).iter().any(coded);
    sensitive.then(|| "by its name".to_owned())
}

#[cfg(test)]
mod tests;
