//! The part of a release report about its columns: the distribution of their values, and what they lose.

use maud::{Markup, html};

use super::super::chart::{self, Frame};
use super::super::{ColumnDetails, Details, Hiding, Outcome};
use super::{WIDTH, count, fact, figure, share};
use crate::measure::{Bin, Category, Change, Distribution};
use crate::notation::{grouped, percent};
use crate::plan::{Kind, Role};

/// The legend: the colours of before and after.
pub(super) fn legend() -> Markup {
    html! { div class="legend" { span { i class="was" { } "before" } span { i class="is" { } "after" } } }
}

/// A chart of the loss of each generalized column.
pub(super) fn losses(details: &Details) -> Markup {
    let known: Vec<(usize, &ColumnDetails, f64)> =
        details.columns.iter().enumerate().filter_map(|(place, c)| Some((place, c, c.loss?))).collect();
    if known.is_empty() {
        return html! {};
    }
    let labels: Vec<String> = known.iter().map(|(_, column, _)| column.name.clone()).collect();
    let values: Vec<(Option<f64>, f64)> = known.iter().map(|(_, _, loss)| (None, loss * 100.0)).collect();
    let height = 46 + 20 * labels.len() as u32;
    let svg = chart::bars(Frame { width: WIDTH, height, x: "% of the column's detail (LM)", y: "" }, &labels, &values);
    let table = html! { table {
        thead { tr { th { "Column" } th class="n" { "lost (LM)" } } }
        tbody { @for (place, column, loss) in &known { tr {
            td { (column.name) }
            td class="n" { (share(&format!("/details/columns/{place}/loss"), *loss)) }
        } } }
    } };
    let words = "Bars: the share of its detail that each generalized column loses.";
    figure(&html! { "Loss by column" }, words, &svg, &table)
}

/// A chart of the distribution of each column.
pub(super) fn all(outcome: &Outcome, details: &Details) -> Markup {
    html! {
        p {
            "“After” is what an analysis of the release finds that spreads each published cell evenly over the values it covers. Values with fewer than "
            (outcome.asked.privacy.k) " records in the original are not shown individually. Narrow ranges are joined until they have at least as many records."
        }
        (legend())
        div class="charts" {
            @for (place, column) in details.columns.iter().enumerate() { (distribution(outcome, details, place, column)) }
        }
    }
}

fn distribution(outcome: &Outcome, details: &Details, place: usize, column: &ColumnDetails) -> Markup {
    let title = html! {
        (column.name) " " small { (role(column, details.hiding)) @if let Some(loss) = column.loss { ", " (percent(loss)) " lost" } }
    };
    let at = format!("/details/columns/{place}/distribution");
    let sums = sums(&column.distribution);
    let of = |part: f64, whole: f64| if whole > 0.0 { part / whole * 100.0 } else { 0.0 };
    let shares = |records: &Change| (of(records.before, sums.before), of(records.after, sums.after));
    let unit = "% of records";
    match &column.distribution {
        Distribution::Numbers { bins, missing } => {
            let ranges = drawn(bins);
            let values: Vec<_> = bins.iter().map(|bin| shares(&bin.records)).collect();
            let svg = chart::histogram(Frame { width: WIDTH, height: 210, x: &column.name, y: unit }, &ranges, &values);
            let rows =
                bins.iter().enumerate().map(|(n, bin)| (bin.label.clone(), format!("{at}/bins/{n}"), bin.records));
            let missing = missing.map(|records| ("(missing)".to_owned(), format!("{at}/missing"), records));
            let words = format!("Histogram of {} before and after, in {} ranges.", column.name, bins.len());
            figure(&title, &words, &svg, &rows_of(rows.chain(missing)))
        }
        Distribution::Categories { values, other } => {
            let mut rows: Vec<(String, String, Change)> = values
                .iter()
                .enumerate()
                .map(|(n, Category { label, records })| (label.clone(), format!("{at}/values/{n}"), *records))
                .collect();
            if let Some(other) = other {
                let label = match other.values {
                    _ if other.records.before == 0.0 => "values of no record".to_owned(),
                    1 => "1 other value".to_owned(),
                    n if rows.is_empty() => format!("{} values", grouped(n)),
                    n => format!("{} other values", grouped(n)),
                };
                rows.push((label, format!("{at}/other"), other.records));
            }
            let labels: Vec<String> = rows.iter().map(|(label, _, _)| label.clone()).collect();
            let values: Vec<_> =
                rows.iter().map(|(_, _, records)| shares(records)).map(|(b, a)| (Some(b), a)).collect();
            let height = 46 + 22 * labels.len() as u32;
            let svg = chart::bars(Frame { width: WIDTH, height, x: unit, y: "" }, &labels, &values);
            let words = format!("Bars: the share of the records with each value of {}, before and after.", column.name);
            let note = html! {
                @if values.len() == 1 && rows[0].1.ends_with("other") {
                    p class="small quiet" { "No value has " (outcome.asked.privacy.k) " or more records." }
                }
            };
            html! { div { (figure(&title, &words, &svg, &rows_of(rows.into_iter()))) (note) } }
        }
    }
}

/// The bounds of each range in the chart, and the label of its lower bound. A range without a bound is drawn as wide as the narrowest.
fn drawn(bins: &[Bin]) -> Vec<(f64, f64, String)> {
    let narrowest = bins.iter().filter_map(|bin| Some(bin.to? - bin.from?)).reduce(f64::min).unwrap_or(1.0);
    let place = |bin: &Bin| {
        let from = bin.from.or_else(|| Some(bin.to? - narrowest)).unwrap_or(0.0);
        let start = bin.label.split(" to ").next().unwrap_or_default();
        let start = start.split(" or ").next().filter(|_| bin.from.is_some()).unwrap_or_default();
        (from, bin.to.unwrap_or(from + narrowest), start.to_owned())
    };
    bins.iter().map(place).collect()
}

/// The role of a column, in words.
fn role(column: &ColumnDetails, hiding: Hiding) -> &'static str {
    match (column.role, column.kind) {
        (Role::Quasi, _) if hiding == Hiding::Groups => "quasi-identifier, published unchanged",
        (Role::Quasi, Some(Kind::Range)) => "generalized to ranges",
        (Role::Quasi, Some(Kind::Ordered)) => "generalized to ordered ranges",
        (Role::Quasi, Some(Kind::Taxonomy)) => "generalized by a hierarchy",
        (Role::Quasi, Some(Kind::Set)) => "generalized to sets",
        (Role::Quasi, Some(Kind::Suppress)) => "kept or suppressed",
        (Role::Quasi, None) => "generalized",
        (Role::Sensitive, _) => "sensitive",
        _ => "not generalized",
    }
}

/// The number of records with any value, before and after.
fn sums(distribution: &Distribution) -> Change {
    let all: Vec<Change> = match distribution {
        Distribution::Numbers { bins, missing } => bins.iter().map(|bin| bin.records).chain(*missing).collect(),
        Distribution::Categories { values, other } => {
            values.iter().map(|value| value.records).chain(other.map(|other| other.records)).collect()
        }
    };
    all.into_iter().fold(Change::default(), |sum, records| sum + records)
}

fn rows_of(rows: impl Iterator<Item = (String, String, Change)>) -> Markup {
    html! { table {
        thead { tr { th { "Value" } th class="n" { "records before" } th class="n" { "after" } } }
        tbody { @for (label, at, records) in rows { tr {
            td { (label) }
            td class="n" { (count(&format!("{at}/before"), records.before as usize)) }
            td class="n" { (fact(&format!("{at}/after"), records.after, &grouped(records.after.round() as usize))) }
        } } }
    } }
}
