//! What is recognized, and what is not.

use super::*;

fn found(name: &str, values: &[&str]) -> Option<Rule> {
    let values: Vec<_> = values.iter().map(|value| ((*value).to_owned(), 1)).collect();
    let present = values.len();
    of(name, &Contents { values, present, rows: present }).rule
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

/// The diabetes table of UCI has its diagnoses in `diag_1` to `diag_3`.
#[test]
fn diagnoses_are_sensitive_by_their_names() {
    for name in ["diag_1", "DIAGNOSIS", "admission_dx", "HeartDisease"] {
        assert!(sensitive(name).is_some(), "{name}");
    }
    for name in ["diagonal", "race", "insurance"] {
        assert!(sensitive(name).is_none(), "{name}");
    }
}

/// The diabetes table of UCI says `None` where a test was not made, which is read as missing.
#[test]
fn a_value_that_some_rows_lack_says_something() {
    let sort =
        |name: &str, rows: usize| of(name, &Contents { values: vec![(">8".to_owned(), 40)], present: 40, rows }).sort;
    assert_eq!(sort("A1C", 40), Sort::Constant);
    assert_eq!(sort("A1C", 41), Sort::Ordinary);
    assert_eq!(sort("HIV", 41), Sort::Sensitive);
    assert_eq!(of("A1C", &Contents { values: Vec::new(), present: 0, rows: 41 }).sort, Sort::Constant);
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
