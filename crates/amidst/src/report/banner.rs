//! The verdict on a release in one of three colours, with the reasons.
//!
//! Green means that everything that was asked for is met, and that nothing was found that a reader of the verdict would not expect: no
//! published column looks like an identifier or names persons, and no class has a single sensitive value. Amber means that all is met, but
//! somebody must read the reasons first. Red means that a check fails. The verdict is about the columns that were named, and about nobody's
//! knowledge of others.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::notation::{grouped, listed, percent};
use crate::verify::Audit;

/// The verdict on a release.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Banner {
    /// Its colour.
    pub colour: Colour,
    /// The reasons, if it is not green.
    pub reasons: Vec<Reason>,
}

/// The colour of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// Everything is met, and nothing else was found.
    Green,
    /// Everything is met, but a person must read the reasons.
    Amber,
    /// A check fails.
    Red,
}

impl Colour {
    /// The word of the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Colour::Green => "green",
            Colour::Amber => "amber",
            Colour::Red => "red",
        }
    }
}

/// A reason why a verdict is not green.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Reason {
    /// What it is about.
    pub about: About,
    /// The columns that it is about.
    pub columns: Vec<String>,
    /// The share of the records that it is about, if it is not about all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
    /// The reason in words.
    pub message: String,
}

/// What a reason is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum About {
    /// A check that fails.
    Failure,
    /// A record hides among no other.
    NoCrowd,
    /// A published column looks like an identifier, or its cells show names of persons.
    Identifier,
    /// Columns that nobody named tell records of a class apart.
    Unnamed,
    /// Some classes have a single value of a sensitive column.
    SingleValue,
    /// Rows were counted, and a person may have several.
    Persons,
}

impl Banner {
    /// The verdict that follows from these reasons.
    pub fn new(reasons: Vec<Reason>) -> Self {
        let fails = reasons.iter().any(|reason| reason.about == About::Failure);
        let colour = match reasons.as_slice() {
            [] => Colour::Green,
            _ if fails => Colour::Red,
            _ => Colour::Amber,
        };
        Banner { colour, reasons }
    }

    /// The verdict without the reasons that were counted in the original, for people who have only the release. Where that does not show whose
    /// its rows are, `rows` is the audit with rows counted.
    pub(crate) fn for_recipients(&self, rows: Option<&Audit>) -> Self {
        let public = |reason: &Reason| match (reason.about, rows, reason.columns.as_slice()) {
            (About::Persons, ..) => None,
            (About::SingleValue, Some(rows), [column]) => {
                let share = rows.achieved.sensitive.get(column).map_or(0.0, |levels| levels.single_value);
                (share > 0.0).then(|| Reason::single_value(column, share, "records"))
            }
            _ => Some(reason.clone()),
        };
        Banner::new(self.reasons.iter().filter_map(public).collect())
    }

    /// The verdict in a few words.
    pub fn heading(&self) -> &'static str {
        match self.colour {
            Colour::Green => "Verified: all requirements are met",
            Colour::Amber => "Verified, but read this before you hand it out",
            Colour::Red => "A requirement is not met",
        }
    }
}

impl Reason {
    /// Checks that fail.
    pub(crate) fn failures(failures: usize) -> Self {
        let checks =
            if failures == 1 { "1 check fails".to_owned() } else { format!("{} checks fail", grouped(failures)) };
        Reason { about: About::Failure, columns: Vec::new(), share: None, message: checks }
    }

    /// k is 1.
    pub(crate) fn no_crowd() -> Self {
        let message = "k is 1, so some record may look like no other".to_owned();
        Reason { about: About::NoCrowd, columns: Vec::new(), share: None, message }
    }

    /// Columns that are published as they are, each with what it looks like.
    pub(crate) fn identifiers(found: &[(String, String)]) -> Self {
        let told: Vec<String> = found.iter().map(|(column, why)| format!("`{column}` ({why})")).collect();
        let (looks, are) =
            if found.len() == 1 { ("looks like an identifier", "is") } else { ("look like identifiers", "are") };
        let message = format!("{} {looks} and {are} published unchanged", listed(&told));
        let columns = found.iter().map(|(column, _)| column.clone()).collect();
        Reason { about: About::Identifier, columns, share: None, message }
    }

    /// Columns with roles under which their cells are shown, each with what its names are.
    pub(crate) fn names(found: &[(String, &'static str)]) -> Self {
        let told: Vec<String> = found.iter().map(|(column, why)| format!("`{column}` ({why})")).collect();
        let (seems, them) =
            if found.len() == 1 { ("seems to name persons", "it") } else { ("seem to name persons", "them") };
        let message = format!(
            "{} {seems}, and published cells show the names; leave {them} out unless that is meant",
            listed(&told)
        );
        let columns = found.iter().map(|(column, _)| column.clone()).collect();
        Reason { about: About::Identifier, columns, share: None, message }
    }

    /// Columns that nobody named, and the share of the rows that they single out within their classes.
    pub(crate) fn unnamed(columns: Vec<String>, share: f64) -> Self {
        let names: Vec<String> = columns.iter().map(|column| format!("`{column}`")).collect();
        let them = if columns.len() == 1 { "its value" } else { "their values" };
        let message = format!(
            "nobody named {}, published unchanged: whoever also knows {them} finds {} alone; give each a role",
            listed(&names),
            of_rows(share)
        );
        Reason { about: About::Unnamed, columns, share: Some(share), message }
    }

    /// A sensitive column with a single value in some classes, which have this share of the records.
    pub(crate) fn single_value(column: &str, share: f64, unit: &str) -> Self {
        let message = format!(
            "{} of the {unit} are in a class with a single value of `{column}`: whoever knows that somebody is among them knows the value; \
             ask for l = 2 or more",
            percent(share)
        );
        Reason { about: About::SingleValue, columns: vec![column.to_owned()], share: Some(share), message }
    }

    /// Persons may have several rows, by these columns.
    pub(crate) fn persons(columns: &[String]) -> Self {
        let message = "rows were counted, and a person may have several".to_owned();
        Reason { about: About::Persons, columns: columns.to_vec(), share: None, message }
    }
}

fn of_rows(share: f64) -> String {
    format!("{} of the rows", percent(share))
}

/// The longest line, in characters.
const WIDTH: usize = 120;

/// The line of a report in the terminal, and one for each reason.
impl fmt::Display for Banner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = match self.colour {
            Colour::Green => "all that was asked for is met in the columns you named, and nothing else was found",
            Colour::Amber => {
                "all that was asked for is met in the columns you named, but read this before you hand it out"
            }
            Colour::Red => "a check fails",
        };
        writeln!(f, "verdict    {}: {said}", self.colour.name().to_uppercase())?;
        for reason in &self.reasons {
            let mut line = "           -".to_owned();
            for word in reason.message.split(' ') {
                if line.chars().count() + 1 + word.chars().count() > WIDTH {
                    writeln!(f, "{line}")?;
                    line = " ".repeat(12);
                }
                line = line + " " + word;
            }
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}
