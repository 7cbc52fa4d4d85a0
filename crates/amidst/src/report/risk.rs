//! The outcome of `risk`, and its text form.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::warning::{self, Warning};
use crate::notation::{grouped, percent};
use crate::plan::Role;
use crate::risk::{ColumnRisk, Estimates, Exposure, Hint, HouseholdRisk, Risk, SetRisk};

/// The length of the longest bar, in characters.
const LONGEST_BAR: usize = 24;

/// The outcome of `risk`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RiskOutcome {
    /// The risk by the three adversaries.
    #[serde(flatten)]
    pub risk: Risk,
    /// What to know about the figures: they count rows, but persons may have several of them.
    pub warnings: Vec<Warning>,
    /// The risk that somebody of a household is found, by the prosecutor; only if the table says whose household a row belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub households: Option<HouseholdRisk>,
    /// The columns that the adversaries know.
    pub quasi: Vec<String>,
    /// Columns that were left out because they look like identifiers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Whether the user chose the columns.
    pub chosen: bool,
    /// How well each column tells records apart.
    pub columns: Vec<ColumnRisk>,
    /// The sets of columns that single out most records, by size.
    pub sets: Vec<SetRisk>,
    /// All sets of up to this size were tried.
    pub sets_complete: usize,
    /// The columns that the Safe Harbor rule may require to remove.
    pub safe_harbor: Vec<Hint>,
    /// Remarks on how the figures were found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
}

impl fmt::Display for RiskOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Risk { records, classes, .. } = self.risk;
        let persons = self.risk.persons.map(|persons| format!("; {} persons, who are counted below", grouped(persons)));
        writeln!(f, "rows       {}{}", grouped(records), persons.unwrap_or_default())?;
        let (which, n) = (if self.chosen { "as given" } else { "none was named" }, self.quasi.len());
        let (columns, s) = (if n == 1 { "column" } else { "columns" }, if classes == 1 { "" } else { "es" });
        writeln!(f, "looked at  {n} {columns} ({which}): {}", self.quasi.join(", "))?;
        writeln!(
            f,
            "classes    {} class{s} of {:.1} rows on average",
            grouped(classes),
            records as f64 / classes.max(1) as f64
        )?;
        if let Some(share) = self.risk.largest_share {
            writeln!(f, "           the rows of one person make up at most {} of a class", percent(share))?;
        }
        for remark in &self.remarks {
            writeln!(f, "           {remark}")?;
        }
        warning::write(f, &self.warnings)?;
        adversaries(f, &self.risk)?;
        if let Some(households) = &self.households {
            tell_households(f, households, self.risk.threshold)?;
        }
        if let Some(population) = &self.risk.population {
            estimates(f, population)?;
        }
        self.tell_columns(f)?;
        self.tell_sets(f)?;
        self.tell_advice(f)?;
        hints(f, &self.safe_harbor)
    }
}

impl RiskOutcome {
    /// What the figures count.
    fn counted(&self) -> &'static str {
        if self.risk.persons.is_some() { "persons" } else { "records" }
    }

    fn tell_columns(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut columns: Vec<&ColumnRisk> = self.columns.iter().collect();
        columns.sort_by(|a, b| b.adds_to_few.total_cmp(&a.adds_to_few).then(b.separation.total_cmp(&a.separation)));
        let wide = columns.iter().map(|c| c.column.chars().count()).max().unwrap_or(0).max("column".len());
        let head = ["values", "distinct", "separate", "alone", "adds to all", "adds to few"];
        writeln!(f, "\nhow well each column tells {} apart", self.counted())?;
        if self.risk.persons.is_some() {
            writeln!(f, "  (distinct and separate are by rows; alone, and what a column adds, are by persons)")?;
        }
        writeln!(
            f,
            "  {:wide$}  {:>9}  {}",
            "column",
            head[0],
            head[1..].iter().map(|h| format!("{h:>13}")).collect::<String>()
        )?;
        for column in columns {
            let figures = [column.distinction, column.separation, column.uniques, column.adds, column.adds_to_few];
            let figures: String = figures.iter().map(|share| format!("{:>13}", percent(*share))).collect();
            let (values, bar) = (grouped(column.values), bar(column.adds_to_few));
            line(f, &format!("  {:wide$}  {values:>9}  {figures}  {bar}", column.column))?;
        }
        Ok(())
    }

    fn tell_sets(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.sets.is_empty() {
            let one = if self.risk.persons.is_some() { "person" } else { "record" };
            return writeln!(f, "\nno {one} is alone in up to five of these columns");
        }
        let counted = self.counted();
        writeln!(
            f,
            "\nsmall sets of columns, and the share of the {counted} that are alone with their values in them"
        )?;
        let names = |set: &SetRisk| set.columns.join(", ");
        let wide = self.sets.iter().map(|set| names(set).chars().count()).max().unwrap_or(0);
        for set in &self.sets {
            writeln!(
                f,
                "  {}  {:wide$}  {:>8}  {}",
                set.columns.len(),
                names(set),
                percent(set.uniques),
                bar(set.uniques)
            )?;
        }
        let largest = self.sets.iter().map(|set| set.columns.len()).max().unwrap_or(0);
        if largest > self.sets_complete {
            let tried = self.sets_complete;
            writeln!(f, "  not all sets of more than {tried} columns were tried; there may be worse ones")?;
        }
        Ok(())
    }

    fn tell_advice(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.chosen {
            return Ok(());
        }
        let with = |role: Role| {
            let has = |c: &&ColumnRisk| c.advice.as_ref().is_some_and(|advice| advice.role == role);
            self.columns.iter().filter(has).map(|c| c.column.as_str()).collect::<Vec<_>>()
        };
        let lines = [
            (Role::Quasi, format!("quasi-identifiers: these columns single out {}", self.counted())),
            (Role::Sensitive, "sensitive; make them quasi-identifiers if others may know them".to_owned()),
            (Role::Other, format!("these columns hardly tell {} apart", self.counted())),
        ];
        writeln!(f, "\nsuggested roles; check them")?;
        if !self.left_out.is_empty() {
            writeln!(f, "  identifiers: do not publish them (not counted above)\n    {}", self.left_out.join(", "))?;
        }
        for (role, about) in lines {
            let columns = with(role);
            if !columns.is_empty() {
                writeln!(f, "  {about}\n    {}", columns.join(", "))?;
            }
        }
        Ok(())
    }
}

fn adversaries(f: &mut fmt::Formatter<'_>, risk: &Risk) -> fmt::Result {
    let above = format!("above {}", risk.threshold);
    writeln!(f, "\nrisk by adversary      average    highest     lowest      alone{above:>12}")?;
    let adversary = |f: &mut fmt::Formatter<'_>, name: &str, exposure: &Exposure| {
        let Exposure { highest, average, lowest, at_risk, uniques } = exposure;
        let figures: String =
            [average, highest, lowest, uniques].iter().map(|x| format!("{:>11}", percent(**x))).collect();
        line(f, &format!("  {name:17}{figures}{:>12}  {}", percent(*at_risk), bar(*at_risk)))
    };
    adversary(f, "prosecutor", &risk.prosecutor)?;
    if let Some(journalist) = &risk.journalist {
        adversary(f, "journalist", journalist)?;
    }
    writeln!(f, "  {:17}{:>11}", "marketer", percent(risk.marketer))
}

fn tell_households(f: &mut fmt::Formatter<'_>, risk: &HouseholdRisk, threshold: f64) -> fmt::Result {
    let HouseholdRisk { households, highest, average, at_risk, without: _ } = *risk;
    writeln!(
        f,
        "\nrisk that somebody of a household is found, by the prosecutor, in {} households",
        grouped(households)
    )?;
    let above = format!("{} above {threshold}", grouped(at_risk));
    writeln!(f, "  {:17}{:>11}{:>11}   {above}", "average, highest", percent(average), percent(highest))
}

fn estimates(f: &mut fmt::Formatter<'_>, estimates: &Estimates) -> fmt::Result {
    let Estimates { people, pitman, zayatz, snb, uniqueness, picked } = estimates;
    writeln!(f, "\npeople who are alone in a population of {}, by three models", grouped(*people))?;
    for (name, estimate) in [("Pitman", pitman), ("Zayatz", zayatz), ("SNB", snb)] {
        match (estimate.uniqueness, &estimate.reason) {
            (Some(share), _) => line(f, &format!("  {name:17}{:>11}  {}", percent(share), bar(share)))?,
            (None, reason) => writeln!(f, "  {name:17}{:>11}  {}", "-", reason.as_deref().unwrap_or("no answer"))?,
        }
    }
    match (uniqueness, picked) {
        (Some(share), Some(model)) => {
            writeln!(f, "  {:17}{:>11}  the estimate of {model}, by the rule of Dankar et al.", "used", percent(*share))
        }
        _ => writeln!(f, "  {:17}{:>11}", "used", "none"),
    }
}

fn hints(f: &mut fmt::Formatter<'_>, hints: &[Hint]) -> fmt::Result {
    if hints.is_empty() {
        return writeln!(f, "\nSafe Harbor: no column looks like one of the 18 identifiers; this is not a proof");
    }
    writeln!(f, "\nSafe Harbor (45 CFR 164.514(b)(2)): columns that the rule may require to remove")?;
    let wide = hints.iter().map(|hint| hint.column.chars().count()).max().unwrap_or(0);
    for hint in hints {
        let (letter, title) = hint.rule.title();
        writeln!(f, "  {:wide$}  ({letter}) {title}: {}", hint.column, hint.why)?;
        writeln!(f, "  {:wide$}      {}", "", hint.remedy)?;
    }
    Ok(())
}

/// Writes a line without the blanks before an empty bar.
fn line(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    writeln!(f, "{}", text.trim_end())
}

/// A share as a bar.
fn bar(share: f64) -> String {
    let full = (share * LONGEST_BAR as f64 * 8.0).round() as usize;
    let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][full % 8];
    let shown = format!("{}{rest}", "█".repeat(full / 8));
    if shown.is_empty() && share > 0.0 { "▏".to_owned() } else { shown }
}
