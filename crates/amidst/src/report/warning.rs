//! What a user must know before a release is handed out, although everything that was asked for is met.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Setting;
use crate::notation::grouped;
use crate::verify::Repeats;

/// Rows were counted, but columns that are not published repeat their values, so a person may have several rows.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Warning {
    /// The warning in words, with what to do about it.
    pub message: String,
    /// The columns, and what their values say about the classes.
    #[serde(flatten)]
    pub repeats: Repeats,
}

impl Warning {
    /// The warning about these columns. It names the setting as a plan does.
    pub(crate) fn new(repeats: Repeats) -> Self {
        let mut warning = Warning { message: String::new(), repeats };
        warning.spell(|setting| setting.in_plan().unwrap_or_default());
        warning
    }

    /// Names the setting that helps as `spell` does.
    pub fn spell(&mut self, spell: impl Fn(&Setting) -> String) {
        let setting = spell(&Setting::Person(self.repeats.columns.clone()));
        self.message = format!("{}; {} ({setting})", self.finding(), self.remedy());
    }

    /// What was found.
    pub fn finding(&self) -> String {
        let Repeats { columns, values, rows_per_value, k, classes, small_classes, single_classes, .. } = &self.repeats;
        let (names, has) = (columns.join("`, `"), if columns.len() == 1 { "has" } else { "have together" });
        let all = if *classes == 1 { "class" } else { "classes" };
        let of_one = match single_classes {
            0 => String::new(),
            1 => ", and 1 has a single one".to_owned(),
            n => format!(", and {} have a single one", grouped(*n)),
        };
        format!(
            "rows are counted, not persons; `{names}`, not published, {has} {} values with {rows_per_value:.1} rows each on average; if a value \
             is a person, {} of {} {all} have fewer than {k} persons{of_one}",
            grouped(*values),
            grouped(*small_classes),
            grouped(*classes)
        )
    }

    /// What to do.
    pub fn remedy(&self) -> &'static str {
        "to count persons, say whose the rows are"
    }
}

/// Writes warnings below a heading of their own.
pub(super) fn write(f: &mut fmt::Formatter<'_>, warnings: &[Warning]) -> fmt::Result {
    warnings.iter().try_for_each(|warning| wrapped(f, "WARNING   ", &warning.message))
}

/// The longest line of a sentence in a text, in characters.
const WIDTH: usize = 120;

/// Writes a sentence beside a heading, in lines that fit a terminal.
pub(super) fn wrapped(f: &mut fmt::Formatter<'_>, heading: &str, text: &str) -> fmt::Result {
    let mut line = heading.to_owned();
    for word in text.split(' ') {
        if line.chars().count() + 1 + word.chars().count() > WIDTH {
            writeln!(f, "{line}")?;
            line = " ".repeat(10);
        }
        line = line + " " + word;
    }
    writeln!(f, "{line}")
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
