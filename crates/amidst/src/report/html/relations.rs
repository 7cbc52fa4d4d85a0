//! The part of a release report about associations between columns and the error of COUNT queries.

use maud::{Markup, html};

use super::super::chart::{self, Frame, LineStyle, Series};
use super::super::{Details, QueryError};
use super::{WIDTH, columns, figure, share, value};
use crate::measure::Correlations;
use crate::notation::grouped;

pub(super) fn all(details: &Details) -> Markup {
    html! {
        @if let Some(correlations) = &details.correlations { (pairs(correlations)) }
        @if !details.queries.is_empty() { (queries(&details.queries)) }
    }
}

/// The least change of φ² that is worth a bar, and the least φ² that is worth a line.
const NOTABLE: f64 = 0.01;
/// The most pairs in the chart.
const MAX_BARS: usize = 10;
/// The most pairs in the table.
const MAX_LINES: usize = 50;

/// Two columns, by their places, and φ² before and after.
struct Pair {
    places: (usize, usize),
    before: f64,
    after: f64,
}

impl Pair {
    fn change(&self) -> f64 {
        (self.after - self.before).abs()
    }
}

/// The pairs of columns whose association changed, the most changed first.
fn pairs(correlations: &Correlations) -> Markup {
    let Correlations { columns: names, before, after } = correlations;
    let all = (0..names.len()).flat_map(|a| (a + 1..names.len()).map(move |b| (a, b)));
    let mut all: Vec<Pair> =
        all.filter_map(|(a, b)| Some(Pair { places: (a, b), before: before[a][b]?, after: after[a][b]? })).collect();
    all.sort_by(|a, b| b.change().total_cmp(&a.change()));
    let changed = all.iter().filter(|pair| pair.change() >= NOTABLE).count();
    let told = all.iter().filter(|pair| pair.before.max(pair.after) >= NOTABLE).count();
    let label = |pair: &Pair| format!("{}, {}", names[pair.places.0], names[pair.places.1]);
    let shown: Vec<&Pair> = all.iter().filter(|pair| pair.change() >= NOTABLE).take(MAX_BARS).collect();
    let labels: Vec<String> = shown.iter().map(|pair| label(pair)).collect();
    let values: Vec<(Option<f64>, f64)> = shown.iter().map(|pair| (Some(pair.before), pair.after)).collect();
    let svg =
        chart::bars(Frame { width: WIDTH, height: 46 + 22 * labels.len() as u32, x: "φ²", y: "" }, &labels, &values);
    let table = html! { table {
        thead { tr { th { "Columns" } th class="n" { "before" } th class="n" { "after" } } }
        tbody { @for pair in all.iter().filter(|pair| pair.before.max(pair.after) >= NOTABLE).take(MAX_LINES) { tr {
            @let (a, b) = pair.places;
            td { (label(pair)) }
            td class="n" { (value(&format!("/details/correlations/before/{a}/{b}"), pair.before)) }
            td class="n" { (value(&format!("/details/correlations/after/{a}/{b}"), pair.after)) }
        } } }
    } };
    html! {
        p {
            "How strongly two columns are associated (φ², mean-square contingency): 0 means that one column says nothing about the other, 1 means that one "
            "determines the other. “After” is what an analysis of the release finds. "
            (grouped(changed)) " of " (grouped(all.len())) " pairs change by " (NOTABLE) " or more"
            @if changed > MAX_BARS { "; the chart has the " (MAX_BARS) " that change most" }
            "."
            @if told < all.len() { " " (grouped(all.len() - told)) " pairs are below " (NOTABLE) " before and after; they are in the JSON form only." }
        }
        @if shown.is_empty() {
            details class="data" { summary { "Figures" } div class="scroll" { (table) } }
        } @else {
            (columns::legend())
            div class="charts pair" { (figure(&html! { "Pairs that change most" }, "Bars: the association of pairs of columns, before and after.", &svg, &table)) }
        }
    }
}

fn queries(queries: &[QueryError]) -> Markup {
    let series = |name: &str, get: fn(&QueryError) -> f64| Series {
        name: name.to_owned(),
        points: queries.iter().map(|query| (query.predicates as f64, get(query) * 100.0)).collect(),
    };
    let all = [series("median", |q| q.median), series("mean", |q| q.mean), series("95th percentile", |q| q.p95)];
    let frame = Frame { width: WIDTH, height: 210, x: "columns in the query", y: "error, % of the true count" };
    let svg = chart::lines(frame, &all, LineStyle::default());
    let table = html! { table {
        thead { tr { th { "Columns in the query" } th class="n" { "median" } th class="n" { "mean" } th class="n" { "95th percentile" } } }
        tbody { @for (place, query) in queries.iter().enumerate() {
            @let at = |field: &str| format!("/details/queries/{place}/{field}");
            tr {
                td { (query.predicates) }
                td class="n" { (share(&at("median"), query.median)) }
                td class="n" { (share(&at("mean"), query.mean)) }
                td class="n" { (share(&at("p95"), query.p95)) }
            }
        } }
    } };
    html! {
        h3 { "Error of counts" }
        p {
            "The queries are random questions of the kind “how many records have these values?”. Each selects about one record in twenty. "
            "The error compares the answer from the release with the answer from the original."
        }
        div class="charts pair" {
            (figure(&html! { "Relative error of counts" }, "Lines: the relative error of counts by the number of columns in the query.", &svg, &table))
        }
    }
}
