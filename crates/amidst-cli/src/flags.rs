//! How the command line writes what an error names.

use amidst::Setting;

/// The flag of a setting, with its value where there is one. What a plan says about columns cannot be said by flags beside it, so
/// the plan's own words follow.
pub fn flag(setting: &Setting) -> String {
    let or_in_plan = |flag: &str| match setting.in_plan() {
        Some(words) => format!("{flag}, or {words} in the plan"),
        None => flag.to_owned(),
    };
    match setting {
        Setting::Quasi => or_in_plan("--quasi"),
        Setting::Sensitive => or_in_plan("--sensitive"),
        Setting::Identifier(columns) if columns.is_empty() => or_in_plan("--identifier"),
        Setting::Identifier(columns) => with_columns("--identifier", columns),
        Setting::PublishAsIs(columns) => with_columns("--publish-as-is", columns),
        Setting::Others(what) => format!("--others {}", what.name()),
        Setting::Order(column) => or_in_plan(&format!("--order {}", quoted(&format!("{column}=low,…,high")))),
        Setting::Missing(value) => format!("--missing {}", quoted(value)),
        Setting::MissingPerson(how) => format!("--missing-person {}", how.name()),
        Setting::Person(columns) => or_in_plan(&with_columns("--person", columns)),
        Setting::Household => or_in_plan("--household"),
        Setting::Pseudonym => or_in_plan("--pseudonym"),
        Setting::Key => "--key FILE, or the variable AMIDST_KEY".to_owned(),
        Setting::NewKey => "amidst key -o person.key".to_owned(),
        Setting::Format(column, format) => format!("--format {}", quoted(&format!("{column}={format}"))),
        Setting::Kind(column, kind) => format!("--kind {}", word(&format!("{column}={kind}"))),
        Setting::Decimal(mark) => format!("--decimal {}", quoted(&mark.to_string())),
        Setting::Delimiter(delimiter) => format!("--delimiter {}", quoted(&delimiter.escape_default().to_string())),
        Setting::Encoding(encoding) => format!("--encoding {encoding}"),
        Setting::Header(true) => "--header".to_owned(),
        Setting::Header(false) => "--no-header".to_owned(),
        Setting::Trim => "--trim".to_owned(),
        Setting::L => "--l".to_owned(),
        Setting::Suppress(share) => format!("--suppress {share}"),
        Setting::Shuffle => "no --keep-order".to_owned(),
        Setting::Publish(form) => format!("--publish {}", quoted(form)),
        Setting::Refine(refiner) => format!("--refine {}", quoted(refiner)),
        Setting::Seed => "--seed".to_owned(),
        Setting::Plan => "--plan".to_owned(),
        Setting::Output => "-o".to_owned(),
        Setting::Memory => "--memory".to_owned(),
    }
}

/// A flag with the columns that it takes, if they are known.
pub fn with_columns(flag: &str, columns: &[String]) -> String {
    if columns.is_empty() { flag.to_owned() } else { format!("{flag} {}", word(&columns.join(","))) }
}

/// A text as a shell reads it, with quotes only where it needs them.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-.,/:=".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { quoted(text) }
}

/// A text as a shell reads it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use amidst::plan::{MissingPerson, Others};
    use clap::CommandFactory;

    use super::*;
    use crate::args::Cli;

    #[test]
    fn every_flag_is_one_of_anonymize() {
        let command = Cli::command();
        let anonymize = command.find_subcommand("anonymize").unwrap();
        let settings = [
            Setting::Quasi,
            Setting::Sensitive,
            Setting::Identifier(Vec::new()),
            Setting::PublishAsIs(vec!["ward".to_owned()]),
            Setting::Others(Others::Drop),
            Setting::Order("dose".to_owned()),
            Setting::Missing("?".to_owned()),
            Setting::MissingPerson(MissingPerson::Own),
            Setting::Person(vec!["patient".to_owned()]),
            Setting::Household,
            Setting::Pseudonym,
            Setting::Key,
            Setting::Format("admitted".to_owned(), "%d.%m.%Y".to_owned()),
            Setting::Kind("age".to_owned(), "set"),
            Setting::Decimal(','),
            Setting::Delimiter(';'),
            Setting::Encoding("windows-1252"),
            Setting::Header(true),
            Setting::Header(false),
            Setting::Trim,
            Setting::L,
            Setting::Suppress(0.02),
            Setting::Shuffle,
            Setting::Publish("generalization"),
            Setting::Refine("large-neighbourhood"),
            Setting::Seed,
            Setting::Plan,
            Setting::Memory,
        ];
        for setting in settings {
            let text = flag(&setting);
            let name = text.split("--").nth(1).unwrap().split([' ', ',']).next().unwrap();
            assert!(anonymize.get_arguments().any(|argument| argument.get_long() == Some(name)), "{text}");
        }
        assert!(anonymize.get_arguments().any(|argument| argument.get_short() == Some('o')));
    }

    #[test]
    fn values_are_quoted_for_the_shell() {
        assert_eq!(flag(&Setting::Missing("N/A".to_owned())), "--missing 'N/A'");
        assert_eq!(flag(&Setting::Missing("it's".to_owned())), r"--missing 'it'\''s'");
        let person = |name: &str| flag(&Setting::Person(vec![name.to_owned()]));
        assert_eq!(person("pid"), r#"--person pid, or role = "person" in the plan"#);
        assert_eq!(person("whose row"), r#"--person 'whose row', or role = "person" in the plan"#);
        assert_eq!(flag(&Setting::Delimiter('\t')), r"--delimiter '\t'");
    }
}
