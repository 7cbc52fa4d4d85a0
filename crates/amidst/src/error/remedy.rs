//! What a user can do about an error.
//!
//! A remedy often names a setting: a part of the plan, or an option of a command. Each front end writes settings in its own way
//! (`--missing x`, `missing=["x"]`), so a remedy keeps the setting apart from the text until somebody reads it.

use std::fmt;

use crate::plan::{MissingPerson, Others};

/// A setting that a remedy can name. The list is open to every front end without a catch-all, so that none forgets to spell a new one.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// The list of quasi-identifiers.
    Quasi,
    /// The list of sensitive columns.
    Sensitive,
    /// These columns among those that are not published; none where it is not known which.
    Identifier(Vec<String>),
    /// These columns are published as they are.
    PublishAsIs(Vec<String>),
    /// What happens to the columns that nobody named.
    Others(Others),
    /// The order of the categories of this column.
    Order(String),
    /// This text among those that stand for a missing value.
    Missing(String),
    /// What happens to the rows that do not say whose they are.
    MissingPerson(MissingPerson),
    /// These columns say together whose a row is; none where it is not known which.
    Person(Vec<String>),
    /// The columns that say whose household a row belongs to.
    Household,
    /// The pseudonym of the persons.
    Pseudonym,
    /// The file with the secret key of pseudonyms.
    Key,
    /// The command that makes a key.
    NewKey,
    /// The dates of this column are written in this format.
    Format(String, String),
    /// How this column is generalized, such as `set`.
    Kind(String, &'static str),
    /// What separates numbers from their fractions.
    Decimal(char),
    /// This character between the fields of a CSV file.
    Delimiter(char),
    /// This encoding of a CSV file.
    Encoding(&'static str),
    /// Whether the first row of a CSV file has the names of the columns.
    Header(bool),
    /// Blanks around the fields of a CSV file are removed.
    Trim,
    /// The frequency l-diversity of all sensitive columns.
    L,
    /// This share of the records may be left out.
    Suppress(f64),
    /// The rows are published in a random order.
    Shuffle,
    /// This form of the release.
    Publish(&'static str),
    /// This way to improve the clusters afterwards.
    Refine(&'static str),
    /// The seed of all random choices.
    Seed,
    /// The plan itself.
    Plan,
    /// The file that the release goes to.
    Output,
    /// How much memory the work may take.
    Memory,
}

impl Setting {
    /// The setting as a plan says it. `None` for what stands in no plan.
    pub fn in_plan(&self) -> Option<String> {
        let text = |text: &str| toml::Value::from(text).to_string();
        Some(match self {
            Setting::Quasi => r#"role = "quasi""#.to_owned(),
            Setting::Sensitive => r#"role = "sensitive""#.to_owned(),
            Setting::Identifier(_) => r#"role = "identifier""#.to_owned(),
            Setting::PublishAsIs(_) => r#"role = "other""#.to_owned(),
            Setting::Others(what) => format!("others = {}", text(what.name())),
            Setting::Order(_) => r#"order = ["low", …, "high"]"#.to_owned(),
            Setting::Missing(value) => format!("missing = [{}]", text(value)),
            Setting::MissingPerson(how) => format!("missing_person = {}", text(how.name())),
            Setting::Person(_) => r#"role = "person""#.to_owned(),
            Setting::Household => r#"role = "household""#.to_owned(),
            Setting::Pseudonym => r#"publish = "pseudonym" on the person column"#.to_owned(),
            Setting::Delimiter(delimiter) => format!("delimiter = {}", text(&delimiter.to_string())),
            Setting::Encoding(encoding) => format!("encoding = {}", text(encoding)),
            Setting::Header(header) => format!("header = {header}"),
            Setting::Trim => "trim = true".to_owned(),
            Setting::L => r#"require = ["frequency-l(l=…)"]"#.to_owned(),
            Setting::Suppress(share) => format!("suppress = {share}"),
            Setting::Shuffle => r#"order = "shuffle""#.to_owned(),
            Setting::Publish(form) => format!("publish = {}", text(form)),
            Setting::Refine(refiner) => format!("refine = [{}]", text(refiner)),
            Setting::Seed => "seed = …".to_owned(),
            Setting::Format(_, format) => format!("format = {}", text(format)),
            Setting::Kind(_, kind) => format!("kind = {}", text(kind)),
            Setting::Decimal(mark) => format!("decimal = {}", text(&mark.to_string())),
            Setting::Key | Setting::NewKey | Setting::Plan | Setting::Output | Setting::Memory => return None,
        })
    }
}

/// What to do, and the settings that do it, if there are any: each of them alone is enough.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Remedy {
    action: String,
    settings: Vec<Setting>,
}

impl Remedy {
    /// Something that a setting does.
    pub(crate) fn by(action: &str, setting: Setting) -> Self {
        Remedy { action: action.to_owned(), settings: vec![setting] }
    }

    /// Publishing in one of these forms.
    pub(crate) fn other_form(forms: &[&'static str]) -> Self {
        let settings = forms.iter().map(|form| Setting::Publish(form)).collect();
        Remedy { action: "choose another form".to_owned(), settings }
    }

    /// Something that no setting does.
    pub(crate) fn just(action: &str) -> Self {
        Remedy { action: action.to_owned(), settings: Vec::new() }
    }
}

/// The ways out of an error: do one of these. They end its message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Remedies(Vec<Remedy>);

impl Remedies {
    /// The end of the message, with settings as `spell` writes them, or without where it gives nothing.
    pub(super) fn spelled(&self, spell: impl Fn(&Setting) -> Option<String>) -> String {
        let one = |remedy: &Remedy| {
            let settings: Vec<String> = remedy.settings.iter().filter_map(&spell).collect();
            if settings.is_empty() {
                remedy.action.clone()
            } else {
                format!("{} ({})", remedy.action, settings.join(" or "))
            }
        };
        match self.0.iter().map(one).collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            [one] => format!("; {one}"),
            [all @ .., last] => format!("; {}, or {last}", all.join(", ")),
        }
    }
}

impl<const N: usize> From<[Remedy; N]> for Remedies {
    fn from(remedies: [Remedy; N]) -> Self {
        Remedies(remedies.into())
    }
}

/// With settings as a plan says them.
impl fmt::Display for Remedies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spelled(Setting::in_plan))
    }
}
