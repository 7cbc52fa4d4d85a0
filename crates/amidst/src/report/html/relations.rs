//! The part of a release report about associations between columns and the error of COUNT queries.

use maud::{Markup, html};

use super::super::chart::{self, Frame, LineStyle, Series};
use super::super::{Details, QueryError};
use super::{WIDTH, figure, share, value};
use crate::measure::Correlations;

pub(super) fn all(details: &Details) -> Markup {
    html! {
        @if let Some(correlations) = &details.correlations { (matrices(correlations)) }
        @if !details.queries.is_empty() { (queries(&details.queries)) }
    }
}

fn matrices(correlations: &Correlations) -> Markup {
    let Correlations { columns, before, after } = correlations;
    let names: Vec<String> = columns.iter().enumerate().map(|(place, name)| format!("{} {name}", place + 1)).collect();
    let matrix = |title: &str, field: &str, figures: &[Vec<Option<f64>>]| {
        let svg = chart::heat(WIDTH, &names, figures);
        let table = html! { table {
            thead { tr { th { } @for name in columns { th class="n" { (name) } } } }
            tbody { @for (row, (name, figures)) in columns.iter().zip(figures).enumerate() { tr {
                th { (name) }
                @for (column, figure) in figures.iter().enumerate() { td class="n" {
                    @if let Some(figure) = figure { (value(&format!("/details/correlations/{field}/{row}/{column}"), *figure)) }
                } }
            } } }
        } };
        let words = format!("{title}: shades from 0 (independent) to 1 (one column determines the other).");
        figure(&html! { (title) }, &words, &svg, &table)
    };
    html! {
        p {
            "The charts show how strongly two columns are associated (φ², mean-square contingency). 0 means that one column says nothing about the "
            "other, 1 means that one determines the other. An analysis of the release finds the associations in the chart “After”."
        }
        div class="charts pair" { (matrix("Before", "before", before)) (matrix("After", "after", after)) }
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
