//! The page about a comparison of algorithms: loss, risk and time.

use indexmap::IndexMap;
use maud::{Markup, PreEscaped, html};

use super::super::chart::{self, Frame, LineStyle, Series};
use super::super::{Comparison, Run};
use super::{WIDTH, count, fact, figure, page, places, section, share, value};
use crate::notation::grouped;

/// The most charts of the same kind on the page.
const MAX_CHARTS: usize = 4;

impl Comparison {
    /// The page about this comparison.
    pub fn page(&self) -> String {
        let body = html! {
            header {
                h1 { "Comparison of algorithms" }
                p class="quiet" {
                    "A table of " (count("/rows", self.rows)) " records; objective " (self.objective) "; seed " (self.seed)
                    "; amidst " (env!("CARGO_PKG_VERSION")) "."
                }
            }
            (section("trade", "Loss against privacy", &html! {
                p { "Loss is " (self.measure()) "; 0 is the original. At the same privacy, a lower line keeps more of the data." }
                div class="charts pair" { (self.losses()) }
            }))
            (section("risk", "Loss and risk", &html! {
                p {
                    "Each point is one run. The risk is the average re-identification risk of a record: the share of the records that an adversary "
                    "re-identifies who looks for everybody. The line goes through the runs that no other run beats in both loss and risk."
                }
                div class="charts pair" { (self.front()) }
            }))
            (section("time", "Time", &html! { div class="charts pair" { (self.times()) } }))
            (section("runs", "All runs", &self.rows_of_runs()))
            script { (PreEscaped(include_str!("sort.js"))) }
        };
        page("Comparison of algorithms", &body)
    }

    /// The measure in the charts: the objective if it was measured, otherwise the first that was.
    fn measure(&self) -> &str {
        let measured = |name: &&str| self.runs.iter().any(|run| run.scores.loss.contains_key(*name));
        let first = || self.runs.iter().find_map(|run| run.scores.loss.keys().next()).map(String::as_str);
        Some(self.objective.as_str()).filter(measured).or_else(first).unwrap_or_default()
    }

    fn loss(&self, run: &Run) -> Option<f64> {
        run.scores.loss.get(self.measure()).copied()
    }

    /// The finished runs on all records.
    fn whole(&self) -> impl Iterator<Item = &Run> {
        let most = self.runs.iter().map(|run| run.rows).max();
        self.runs.iter().filter(move |run| Some(run.rows) == most && run.classes.is_some())
    }

    /// Charts of the loss against k for each l, and against l for each k.
    fn losses(&self) -> Markup {
        let measure = self.measure();
        let ks = distinct(self.whole().map(|run| Some(run.k as f64)));
        let ls = distinct(self.whole().map(|run| run.l));
        let against_k = ls.iter().filter(|_| ks.len() > 1).take(MAX_CHARTS).map(|l| {
            let series = series_of(self.whole().filter(|run| run.l == *l), |run| Some((run.k as f64, self.loss(run)?)));
            let title = format!("{measure} against k{}", l.map(|l| format!(", l = {l}")).unwrap_or_default());
            drawn(&title, "k", measure, &series, LineStyle::default())
        });
        let against_l = ks.iter().flatten().filter(|_| ls.len() > 1).take(MAX_CHARTS).map(|k| {
            let series = series_of(self.whole().filter(|run| Some(run.k as f64) == Some(*k)), |run| {
                Some((run.l?, self.loss(run)?))
            });
            drawn(&format!("{measure} against l, k = {k}"), "l", measure, &series, LineStyle::default())
        });
        let charts: Vec<Markup> = against_k.chain(against_l).collect();
        if !charts.is_empty() {
            return html! { @for chart in &charts { (chart) } };
        }
        let losses: Vec<(String, f64)> =
            self.whole().filter_map(|run| Some((run.partitioner.clone(), self.loss(run)?))).collect();
        let labels: Vec<String> = losses.iter().map(|(name, _)| name.clone()).collect();
        let values: Vec<(Option<f64>, f64)> = losses.iter().map(|(_, loss)| (None, *loss)).collect();
        let height = 46 + 20 * labels.len() as u32;
        let svg = chart::bars(Frame { width: WIDTH, height, x: measure, y: "" }, &labels, &values);
        let words = format!("Bars: {measure} by algorithm.");
        figure(&html! { (measure) " by algorithm" }, &words, &svg, &html! { p { "See the table below." } })
    }

    /// A chart of loss against risk, with a line through the runs that no other run beats.
    fn front(&self) -> Markup {
        let at = |run: &Run| Some((run.risk?.average * 100.0, self.loss(run)?));
        let series = series_of(self.whole(), at);
        let mut points: Vec<(f64, f64)> = series.iter().flat_map(|one| one.points.iter().copied()).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        let mut front: Vec<(f64, f64)> = Vec::new();
        for point in points {
            if front.last().is_none_or(|last| point.1 < last.1) {
                front.push(point);
            }
        }
        let frame = Frame { width: WIDTH, height: 260, x: "average risk of a record, %", y: self.measure() };
        let svg = chart::points(frame, &series, &front);
        let table = html! { table {
            thead { tr { th class="n" { "average risk" } th class="n" { (self.measure()) } } }
            tbody { @for (risk, loss) in &front { tr { td class="n" { (format!("{risk:.2} %")) } td class="n" { (format!("{loss:.4}")) } } } }
        } };
        let words = "Points: the loss and the risk of each run. Line: the runs that no other run beats in both.";
        figure(
            &html! { "Loss against risk" small { "the table lists the runs that no other run beats" } },
            words,
            &svg,
            &table,
        )
    }

    /// Charts of time against the number of records, and against k.
    fn times(&self) -> Markup {
        let time = |run: &Run| run.cpu_seconds.unwrap_or(run.seconds).max(1e-3);
        let unit = "processor time, seconds";
        let logarithmic = LineStyle { log_x: true, log_y: true };
        let first = self.runs.iter().find(|run| run.classes.is_some());
        let same = |run: &&Run| first.is_some_and(|first| run.k == first.k && run.l == first.l);
        let sizes = distinct(self.runs.iter().map(|run| Some(run.rows as f64)));
        let done = || self.runs.iter().filter(|run| run.classes.is_some());
        let against_rows = (sizes.len() > 1).then(|| {
            let series = series_of(done().filter(same), |run| Some((run.rows as f64, time(run))));
            let k = first.map(|first| first.k).unwrap_or_default();
            drawn(&format!("Time against the number of records, k = {k}"), "records", unit, &series, logarithmic)
        });
        let ks = distinct(self.whole().map(|run| Some(run.k as f64)));
        let against_k = (ks.len() > 1).then(|| {
            let runs = self.whole().filter(|run| first.is_some_and(|first| run.l == first.l));
            let series = series_of(runs, |run| Some((run.k as f64, time(run))));
            drawn("Time against k", "k", unit, &series, LineStyle { log_x: false, log_y: true })
        });
        html! {
            @if let Some(chart) = against_rows { (chart) }
            @if let Some(chart) = against_k { (chart) }
            @if sizes.len() < 2 {
                p class="quiet" { "The option " code { "rows" } " with several numbers shows how time grows with the number of records." }
            }
        }
    }

    fn rows_of_runs(&self) -> Markup {
        let mut measures: Vec<String> = Vec::new();
        for (name, _, _) in self.runs.iter().flat_map(|run| figures(run, 0)) {
            if !measures.contains(&name) {
                measures.push(name);
            }
        }
        let with_l = self.runs.iter().any(|run| run.l.is_some());
        let heading = |name: &str, class: &str| html! { th class=(class) { button { (name) } } };
        html! {
            p class="quiet" { "Click a heading to sort the table." }
            div class="scroll" { table {
                thead { tr {
                    (heading("k", "n"))
                    @if with_l { (heading("l", "n")) }
                    (heading("records", "n")) (heading("algorithm", "")) (heading("classes", "n")) (heading("average risk", "n"))
                    (heading("seconds", "n")) (heading("CPU s", "n"))
                    @for measure in &measures { (heading(measure, "n")) }
                } }
                tbody { @for (place, run) in self.runs.iter().enumerate() {
                    @let at = |field: &str| format!("/runs/{place}/{field}");
                    @let figures = figures(run, place);
                    tr {
                        td class="n" { (count(&at("k"), run.k)) }
                        @if with_l { td class="n" { @if let Some(l) = run.l { (fact(&at("l"), l, &l.to_string())) } } }
                        td class="n" { (count(&at("rows"), run.rows)) }
                        td { (run.partitioner) }
                        td class="n" {
                            @match (run.classes, &run.refused) {
                                (Some(classes), _) => (count(&at("classes"), classes)),
                                (None, Some(why)) => span title=(why) { "impossible" },
                                (None, None) => "stopped",
                            }
                        }
                        td class="n" { @if let Some(risk) = run.risk { (share(&at("risk/average"), risk.average)) } }
                        td class="n" { (fact(&at("seconds"), run.seconds, &format!("{:.2}", run.seconds))) }
                        td class="n" { @if let Some(s) = run.cpu_seconds { (fact(&at("cpu_seconds"), s, &format!("{s:.2}"))) } }
                        @for measure in &measures {
                            td class="n" {
                                @if let Some((_, at, figure)) = figures.iter().find(|(name, _, _)| name == measure) { (value(at, *figure)) }
                            }
                        }
                    }
                } }
            } }
            @let refused: Vec<&String> = self.runs.iter().filter_map(|run| run.refused.as_ref()).collect();
            @if let Some(why) = refused.first() {
                p class="quiet" {
                    (grouped(refused.len())) @if refused.len() == 1 { " run was" } @else { " runs were" }
                    " impossible. The reason of the first: " (why) "."
                }
            }
        }
    }
}

/// The figures of a run with their names and places in the JSON form.
fn figures(run: &Run, place: usize) -> Vec<(String, String, f64)> {
    let named = |(name, part, at, figure): (String, String, String, f64)| {
        (format!("{name} {part}").trim().to_owned(), at, figure)
    };
    places(&run.scores, &format!("/runs/{place}")).into_iter().map(named).collect()
}

/// A line for each algorithm through the points of its runs.
fn series_of<'a>(runs: impl Iterator<Item = &'a Run>, point: impl Fn(&Run) -> Option<(f64, f64)>) -> Vec<Series> {
    let mut series: IndexMap<&str, Vec<(f64, f64)>> = IndexMap::new();
    for run in runs {
        series.entry(&run.partitioner).or_default().extend(point(run));
    }
    let one = |(name, mut points): (&str, Vec<(f64, f64)>)| {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series { name: name.to_owned(), points }
    };
    series.into_iter().map(one).collect()
}

/// A line chart, with its points as a table.
fn drawn(title: &str, x: &str, y: &str, series: &[Series], style: LineStyle) -> Markup {
    let svg = chart::lines(Frame { width: WIDTH, height: 240, x, y }, series, style);
    let table = html! { table {
        thead { tr { th { "algorithm" } th class="n" { (x) } th class="n" { (y) } } }
        tbody { @for one in series { @for (across, up) in &one.points { tr {
            td { (one.name) } td class="n" { (across) } td class="n" { (format!("{up:.4}")) }
        } } } }
    } };
    figure(&html! { (title) }, &format!("Lines by algorithm: {title}."), &svg, &table)
}

/// The different values in ascending order.
fn distinct(values: impl Iterator<Item = Option<f64>>) -> Vec<Option<f64>> {
    let mut values: Vec<Option<f64>> = values.collect();
    values.sort_by(|a, b| a.unwrap_or(f64::NEG_INFINITY).total_cmp(&b.unwrap_or(f64::NEG_INFINITY)));
    values.dedup();
    values
}
