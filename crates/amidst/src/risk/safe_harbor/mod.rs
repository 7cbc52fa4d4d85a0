//! Hints about columns that the HIPAA Safe Harbor rule requires to remove: 45 CFR 164.514(b)(2)(i), A to R.
//!
//! A column is recognized by its name, by what its values look like, or by both if one alone would give false alarms. For example, five digits
//! are a ZIP code only if the name of the column says so. A column without a hint may still hold identifiers. The rule also requires that the
//! publisher knows of no way to identify the remaining people, which no program can check. A hint never contains a value of the table.
//!
//! # Example
//!
//! ```text
//! amidst risk adult.csv.gz
//! ```

mod looks;

use arrow_array::Array;
use arrow_array::cast::AsArray;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::read::{Table, texts};

/// A column without a telling name counts as a unique code only if it has at least this many values.
const MIN_UNIQUE_VALUES: usize = 100;

/// A kind of identifier that the rule names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // `title` has the words of the law
pub enum Rule {
    Names,
    Geography,
    Dates,
    DateParts,
    Ages,
    Phone,
    Fax,
    Email,
    SocialSecurity,
    MedicalRecord,
    HealthPlan,
    Account,
    Licence,
    Vehicle,
    Device,
    Url,
    IpAddress,
    Biometric,
    Photograph,
    UniqueCode,
}

impl Rule {
    /// The letter in the law, and a short form of its words.
    pub fn title(self) -> (char, &'static str) {
        match self {
            Rule::Names => ('A', "names"),
            Rule::Geography => ('B', "places smaller than a state"),
            Rule::Dates => ('C', "dates finer than a year"),
            Rule::DateParts => ('C', "parts of a date finer than a year"),
            Rule::Ages => ('C', "ages over 89"),
            Rule::Phone => ('D', "telephone numbers"),
            Rule::Fax => ('E', "fax numbers"),
            Rule::Email => ('F', "e-mail addresses"),
            Rule::SocialSecurity => ('G', "social security numbers"),
            Rule::MedicalRecord => ('H', "medical record numbers"),
            Rule::HealthPlan => ('I', "health plan beneficiary numbers"),
            Rule::Account => ('J', "account numbers"),
            Rule::Licence => ('K', "certificate and licence numbers"),
            Rule::Vehicle => ('L', "vehicle identifiers"),
            Rule::Device => ('M', "device identifiers and serial numbers"),
            Rule::Url => ('N', "URLs"),
            Rule::IpAddress => ('O', "IP addresses"),
            Rule::Biometric => ('P', "biometric identifiers"),
            Rule::Photograph => ('Q', "photographs"),
            Rule::UniqueCode => ('R', "unique numbers, characteristics and codes"),
        }
    }

    /// Whether a value identifies a person by itself, so that generalization does not help.
    pub fn is_direct(self) -> bool {
        !matches!(self, Rule::Geography | Rule::Dates | Rule::DateParts | Rule::Ages)
    }

    /// What to do about such a column.
    pub fn remedy(self) -> &'static str {
        match self {
            Rule::Geography => {
                "drop it, or generalize to the state; ZIP codes may keep the first three digits if more than 20,000 people share \
                 them (else 000): hierarchy = { mask = [2] }"
            }
            Rule::Dates => "generalize to the year: hierarchy = { dates = [\"year\"] }, or drop it",
            Rule::DateParts => "drop it; the year may stay",
            Rule::Ages => "put all ages from 90 on into one value, 90+",
            _ => "drop it: role = \"identifier\"",
        }
    }
}

/// A column that the rule may require to remove.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Hint {
    /// The column.
    pub column: String,
    /// The kind of identifier that it seems to hold.
    pub rule: Rule,
    /// The letter of 45 CFR 164.514(b)(2)(i).
    pub letter: char,
    /// The reason: the name of the column, or the share of its values that look like such identifiers.
    pub why: String,
    /// What to do about it.
    pub remedy: &'static str,
}

/// Finds the columns of a table that the rule may require to remove.
pub fn hints(table: &Table, progress: Progress) -> Result<Vec<Hint>> {
    let names: Vec<&str> = table.names().collect();
    progress.begin("looking", names.len() as u64)?;
    let mut hints = Vec::new();
    for name in names {
        let contents = Contents::new(table, name)?;
        let hint = |(rule, why): (Rule, String)| Hint {
            column: name.to_owned(),
            rule,
            letter: rule.title().0,
            why,
            remedy: rule.remedy(),
        };
        hints.extend(recognize(name, &contents).map(hint));
        progress.advance(1)?;
    }
    hints.sort_by_key(|hint| hint.rule);
    Ok(hints)
}

/// The values of a column with their counts, without missing values.
struct Contents {
    values: Vec<(String, usize)>,
    present: usize,
}

impl Contents {
    fn new(table: &Table, column: &str) -> Result<Self> {
        let texts = texts(table.column(column)?).map_err(|e| Error::column(column, &e))?;
        let dictionary = texts.values().as_string::<i32>();
        let mut counts = vec![0_usize; dictionary.len()];
        texts.keys().iter().flatten().for_each(|key| counts[key as usize] += 1);
        let filled = |(text, count): (Option<&str>, usize)| {
            let text = text?.trim();
            (count > 0 && !text.is_empty()).then(|| (text.to_owned(), count))
        };
        let values: Vec<_> = dictionary.iter().zip(counts).filter_map(filled).collect();
        let present = values.iter().map(|(_, count)| count).sum();
        Ok(Contents { values, present })
    }

    /// The share of the records whose value passes a test.
    fn share(&self, test: impl Fn(&str) -> bool) -> f64 {
        let passed: usize = self.values.iter().filter(|(text, _)| test(text)).map(|(_, count)| count).sum();
        passed as f64 / self.present.max(1) as f64
    }

    /// Whether it has about as many values as records, as identifiers do.
    fn is_many(&self) -> bool {
        self.values.len() * 2 > self.present && self.present >= 2
    }

    fn is_number(&self) -> bool {
        self.share(|text| text.parse::<f64>().is_ok()) > 0.5
    }
}

/// A rule, the words in a name that point to it, and a test that the values must also pass.
type Named = (Rule, &'static [&'static str], fn(&Contents) -> bool);

/// The rules that names of columns point to.
const NAMED: &[Named] = &[
    (Rule::Fax, &["fax"], Contents::is_many),
    (Rule::Phone, &["phone", "telephone", "tel", "mobile", "cellphone"], Contents::is_many),
    (Rule::SocialSecurity, &["ssn", "socialsecurity"], Contents::is_many),
    (Rule::MedicalRecord, &["mrn", "medicalrecord", "chart"], Contents::is_many),
    (Rule::HealthPlan, &["beneficiary", "member", "policy", "subscriber", "mbi", "hicn"], Contents::is_many),
    (Rule::Account, &["account", "acct", "iban", "creditcard", "card"], Contents::is_many),
    (Rule::Licence, &["license", "licence", "certificate", "passport", "dea", "npi"], Contents::is_many),
    (Rule::Vehicle, &["vin", "plate", "vehicle"], Contents::is_many),
    (Rule::Device, &["device", "serial", "imei", "imsi", "mac"], Contents::is_many),
    (Rule::Email, &["email", "mail"], Contents::is_many),
    (Rule::Url, &["url", "website", "homepage"], Contents::is_many),
    (Rule::IpAddress, &["ip", "ipaddress"], Contents::is_many),
    (Rule::Biometric, &["fingerprint", "biometric", "voiceprint", "iris", "retina", "dna", "genome"], |_| true),
    (Rule::Photograph, &["photo", "photograph", "portrait", "picture"], |_| true),
    (Rule::Names, &["name", "firstname", "lastname", "surname", "forename", "initials"], |c| {
        !c.is_number() && c.is_many()
    }),
    (Rule::Geography, &["zip", "zipcode", "postcode", "postal", "plz"], |_| true),
    (Rule::Geography, &["street", "address", "city", "town", "village", "county", "precinct", "tract"], |_| true),
    (Rule::Geography, &["latitude", "longitude", "lat", "lon", "lng", "geocode", "puma"], |_| true),
    (Rule::UniqueCode, &["id", "uuid", "guid", "identifier"], Contents::is_many),
];

/// The rule that a column may fall under, with the reason. The first match wins.
fn recognize(name: &str, contents: &Contents) -> Option<(Rule, String)> {
    if contents.present == 0 {
        return None;
    }
    let words = words(name);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let by_contents = |rule: Rule, least: f64, test: fn(&str) -> bool| {
        let share = contents.share(test);
        (share > 0.0 && share >= least).then(|| (rule, format!("{} look like it", looks::percent(share))))
    };
    by_contents(Rule::Email, 0.0, looks::email)
        .or_else(|| by_contents(Rule::Url, 0.0, looks::url))
        .or_else(|| by_contents(Rule::SocialSecurity, 0.01, looks::social_security))
        .or_else(|| by_contents(Rule::IpAddress, 0.05, looks::ip_address))
        .or_else(|| by_contents(Rule::Vehicle, 0.5, looks::vehicle))
        .or_else(|| by_contents(Rule::Device, 0.5, looks::hardware_address))
        .or_else(|| by_contents(Rule::Phone, 0.5, looks::phone))
        .or_else(|| by_contents(Rule::Photograph, 0.5, looks::image))
        .or_else(|| by_contents(Rule::Dates, 0.5, looks::date))
        .or_else(|| ages(&has, contents))
        .or_else(|| months(&has, contents))
        .or_else(|| {
            let named = NAMED.iter().find(|(_, wanted, test)| has(wanted) && test(contents));
            named.map(|(rule, ..)| (*rule, format!("by its name; {}", values(contents))))
        })
        .or_else(|| unique(contents))
}

fn values(contents: &Contents) -> String {
    let (values, records) = (contents.values.len(), contents.present);
    format!("{values} values in {records} records")
}

/// Ages over 89. A largest age of 90 means that higher ages were already put into one value.
fn ages(has: &impl Fn(&[&str]) -> bool, contents: &Contents) -> Option<(Rule, String)> {
    if !has(&["age", "agep", "ages"]) {
        return None;
    }
    let age = |text: &str| text.parse::<f64>().ok().filter(|age| (0.0..130.0).contains(age));
    let numbers = contents.share(|text| age(text).is_some());
    let over = contents.share(|text| age(text).is_some_and(|age| age > 89.0));
    let beyond = contents.share(|text| age(text).is_some_and(|age| age > 90.0));
    (numbers > 0.9 && beyond > 0.0).then(|| (Rule::Ages, format!("{} are over 89", looks::percent(over))))
}

/// Months, or days of a month, in a column of their own.
fn months(has: &impl Fn(&[&str]) -> bool, contents: &Contents) -> Option<(Rule, String)> {
    let within = |most: u32| contents.share(|text| text.parse().is_ok_and(|n: u32| (1..=most).contains(&n))) > 0.9;
    let month = has(&["month", "dobmm", "birthmonth", "mm"]) && contents.values.len() <= 13 && within(12);
    let day = has(&["day", "dobdd", "birthday", "dd"]) && contents.values.len() <= 32 && within(31) && !within(12);
    let what = if month { "months" } else { "days of a month" };
    (month || day).then(|| (Rule::DateParts, format!("by its name, and its values are {what}")))
}

/// Codes or whole numbers of which none occurs twice.
fn unique(contents: &Contents) -> Option<(Rule, String)> {
    let n = contents.values.len();
    let once = n == contents.present && n >= MIN_UNIQUE_VALUES;
    let whole = contents.values.iter().all(|(text, _)| text.parse::<i64>().is_ok());
    let code =
        |text: &str| text.len() <= 40 && text.parse::<f64>().is_err() && text.bytes().any(|b| b.is_ascii_digit());
    let length = contents.values.first().map_or(0, |(text, _)| text.len());
    let even = whole && contents.share(|text| text.len() == length) > 0.95;
    let running = whole && {
        let numbers = || contents.values.iter().filter_map(|(text, _)| text.parse::<i64>().ok());
        let (low, high) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        high.checked_sub(low) == Some(n as i64 - 1)
    };
    let codes = contents.share(code) > 0.9;
    (once && (even || running || codes)).then(|| (Rule::UniqueCode, format!("no value occurs twice among {n}")))
}

/// The words of a column's name in lower case: `birthDate`, `birth_date` and `Birth date` have two words.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && small) {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
        small = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    // Pairs are added as one word, because some words may be written apart: `zip code`, `e-mail`, `Social Security`.
    let pairs: Vec<String> = words.windows(2).map(<[String]>::concat).collect();
    words.into_iter().chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("birthDate"), ["birth", "date", "birthdate"]);
        assert_eq!(words("ZIP_code"), ["zip", "code", "zipcode"]);
        assert_eq!(words("e-mail"), ["e", "mail", "email"]);
        assert_eq!(words("AGEP"), ["agep"]);
    }

    fn found(name: &str, values: &[&str]) -> Option<Rule> {
        let values: Vec<_> = values.iter().map(|value| ((*value).to_owned(), 1)).collect();
        let present = values.len();
        recognize(name, &Contents { values, present }).map(|(rule, _)| rule)
    }

    #[test]
    fn columns_are_recognized() {
        assert_eq!(found("contact", &["ann@example.org", "bob@example.org"]), Some(Rule::Email));
        assert_eq!(found("notes", &["call me", "or write to cem@example.org please"]), Some(Rule::Email));
        assert_eq!(found("x", &["123-45-6789", "987-65-4320"]), Some(Rule::SocialSecurity));
        assert_eq!(found("x", &["(555) 123-4567", "555-123-4568"]), Some(Rule::Phone));
        assert_eq!(found("x", &["192.168.0.1", "2001:db8::1"]), Some(Rule::IpAddress));
        assert_eq!(found("x", &["1M8GDM9AXKP042788"]), Some(Rule::Vehicle));
        assert_eq!(found("admitted", &["2020-01-31", "2020-02-01"]), Some(Rule::Dates));
        assert_eq!(found("admitted", &["01/31/2020 12:30", "02/01/2020 08:00"]), Some(Rule::Dates));
        assert_eq!(found("zip", &["02138", "02139"]), Some(Rule::Geography));
        assert_eq!(found("patientName", &["Ann", "Bob"]), Some(Rule::Names));
        assert_eq!(found("age", &["30", "91"]), Some(Rule::Ages));
        assert_eq!(found("dc_month", &["1", "12"]), Some(Rule::DateParts));
        assert_eq!(found("patient id", &["7", "8"]), Some(Rule::UniqueCode));
    }

    #[test]
    fn what_is_no_identifier_is_left_alone() {
        assert_eq!(found("age", &["30", "90"]), None); // 90 or older, put together already
        assert_eq!(found("wage", &["30", "91"]), None);
        assert_eq!(found("year", &["2019", "2020"]), None);
        assert_eq!(found("score", &["12345", "54321"]), None); // five digits are no ZIP code by themselves
        assert_eq!(found("version", &["1.2.3", "1.2.4"]), None);
        assert_eq!(found("native-country", &["Peru", "Iran"]), None);
        assert_eq!(found("diagnosis", &["V3000", "41401"]), None);
        assert_eq!(found("weeks worked", &["1", "52"]), None);
        assert_eq!(found("x", &[]), None);
    }
}
