//! The text form of the details of a report.

use std::fmt;

use super::text::number;
use super::{ColumnDetails, Crowd, Details, Fingerprint, Hiding, Promise, QueryError, RiskChange};
use crate::measure::{Change, Correlations, Distribution};
use crate::notation::{grouped, percent};
use crate::risk::Exposure;

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n\nrequired and reached", self.hiding)?;
        let one = if self.risk.after.persons.is_some() { "person" } else { "record" };
        promises(f, &self.promises)?;
        self.risk.write(f)?;
        crowds(f, &self.crowds, one)?;
        losses(f, &self.columns)?;
        self.columns.iter().try_for_each(|column| column.write(f))?;
        self.correlations.iter().try_for_each(|correlations| matrix(f, correlations))?;
        queries(f, &self.queries)?;
        writeln!(f, "\nfingerprints (sha256)")?;
        let file = |Fingerprint { what, name, bytes, sha256, .. }: &Fingerprint| {
            vec![what.clone(), name.clone(), format!("{} bytes", grouped(*bytes as usize)), sha256.clone()]
        };
        rows(f, "llrl", self.files.iter().map(file))?;
        writeln!(f, "\nfingerprints with the secret key (hmac-sha256), for recipients")?;
        let keyed = |file: &Fingerprint| Some(vec![file.what.clone(), file.name.clone(), file.hmac_sha256.clone()?]);
        rows(f, "lll", self.files.iter().filter_map(keyed))?;
        writeln!(f, "\n{} rows of the release, chosen by what is in them", self.sample.rows.len())?;
        let sample = [&self.sample.columns].into_iter().chain(&self.sample.rows);
        rows(f, &"l".repeat(self.sample.columns.len()), sample.cloned())?;
        self.checklists.iter().try_for_each(|list| write!(f, "{list}"))?;
        writeln!(f, "\nmade on {}", self.made)?;
        self.again.iter().try_for_each(|again| writeln!(f, "the same release again:\n  {again}"))
    }
}

impl fmt::Display for Hiding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Hiding::Classes => "the records of a class have the same published values in all quasi-identifiers",
            Hiding::Windows => "each record fits several neighbouring rows of a ring",
            Hiding::Groups => {
                "a group shows which sensitive values it has, but not which record has which; quasi-identifiers are unchanged"
            }
        })
    }
}

impl RiskChange {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nrisk of re-identification (threshold {})", percent(self.after.threshold))?;
        let counted = if self.after.persons.is_some() { "persons" } else { "records" };
        let both = |name: &str, get: fn(&Exposure) -> f64| {
            vec![name.to_owned(), percent(get(&self.before.prosecutor)), percent(get(&self.after.prosecutor))]
        };
        let head = vec![String::new(), "before".to_owned(), "after".to_owned()];
        let figures = [
            head,
            both("highest", |e| e.highest),
            both("average", |e| e.average),
            both(&format!("{counted} above the threshold"), |e| e.at_risk),
            both(&format!("unique {counted}"), |e| e.uniques),
        ];
        rows(f, "lrr", figures.into_iter())
    }
}

/// The requirements, each with what is reached.
pub(super) fn promises(f: &mut fmt::Formatter<'_>, promises: &[Promise]) -> fmt::Result {
    let promise = |p: &Promise| {
        let kept = if p.kept { "met" } else { "NOT MET" };
        vec![kept.to_owned(), format!("{} [{}]", p.words, p.asked), format!("{} [{}]", p.reached_in_words, p.reached)]
    };
    rows(f, "lll", promises.iter().map(promise))
}

fn crowds(f: &mut fmt::Formatter<'_>, crowds: &[Crowd], one: &str) -> fmt::Result {
    let which = if one == "person" { "smallest class, in persons" } else { "class" };
    writeln!(f, "\n{one}s by the size of their {which}, before and after")?;
    let label = |crowd: &Crowd| match crowd.to {
        Some(to) if to == crowd.from => to.to_string(),
        Some(to) => format!("{}-{to}", crowd.from),
        None => format!("{} or more", crowd.from),
    };
    rows(f, "rrr", crowds.iter().map(|crowd| vec![label(crowd), grouped(crowd.before), grouped(crowd.after)]))
}

fn losses(f: &mut fmt::Formatter<'_>, columns: &[ColumnDetails]) -> fmt::Result {
    let known = || columns.iter().filter_map(|column| Some((&column.name, column.loss?)));
    if known().next().is_none() {
        return Ok(());
    }
    writeln!(f, "\nloss by column (lm)")?;
    rows(f, "lr", known().map(|(name, loss)| vec![name.clone(), number(loss)]))
}

impl ColumnDetails {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nrecords by {}, before and after", self.name)?;
        let row = |label: String, records: Change| {
            vec![label, grouped(records.before as usize), grouped(records.after.round() as usize)]
        };
        let all: Vec<Vec<String>> = match &self.distribution {
            Distribution::Numbers { bins, missing } => {
                let bins = bins.iter().map(|bin| row(bin.label.clone(), bin.records));
                bins.chain(missing.map(|records| row("(missing)".to_owned(), records))).collect()
            }
            Distribution::Categories { values, other } => {
                let values = values.iter().map(|value| row(value.label.clone(), value.records));
                let other = other.map(|other| row(format!("({} other values)", grouped(other.values)), other.records));
                values.chain(other).collect()
            }
        };
        rows(f, "lrr", all.into_iter())
    }
}

/// The least φ² that is worth a line.
const NOTABLE: f64 = 0.01;

fn matrix(f: &mut fmt::Formatter<'_>, correlations: &Correlations) -> fmt::Result {
    let Correlations { columns, before, after } = correlations;
    writeln!(f, "\nassociations between columns (phi2), before and after; pairs below {NOTABLE} in both are left out")?;
    let mut pairs = Vec::new();
    for (a, name) in columns.iter().enumerate() {
        for b in a + 1..columns.len() {
            if let (Some(before), Some(after)) = (before[a][b], after[a][b])
                && before.max(after) >= NOTABLE
            {
                pairs.push(vec![name.clone(), columns[b].clone(), number(before), number(after)]);
            }
        }
    }
    rows(f, "llrr", pairs.into_iter())
}

fn queries(f: &mut fmt::Formatter<'_>, queries: &[QueryError]) -> fmt::Result {
    writeln!(f, "\nrelative error of counts, by the number of columns in the query")?;
    let head = ["columns", "median", "mean", "95th percentile"].map(str::to_owned).to_vec();
    let row = |q: &QueryError| vec![q.predicates.to_string(), percent(q.median), percent(q.mean), percent(q.p95)];
    rows(f, "rrrr", [head].into_iter().chain(queries.iter().map(row)))
}

/// Writes rows of aligned cells. `align` has a letter for each column: `l` for left, `r` for right.
pub(super) fn rows(f: &mut fmt::Formatter<'_>, align: &str, cells: impl Iterator<Item = Vec<String>>) -> fmt::Result {
    let cells: Vec<Vec<String>> = cells.collect();
    let width = |column: usize| cells.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..align.len()).map(width).collect();
    for row in &cells {
        let mut line = String::new();
        for ((cell, width), align) in row.iter().zip(&widths).zip(align.chars()) {
            line += &if align == 'r' { format!("  {cell:>width$}") } else { format!("  {cell:width$}") };
        }
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}
