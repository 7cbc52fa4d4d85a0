//! Charts as SVG, for report pages and for the documentation.
//!
//! Each colour has a role (ink, grid, series). A style sheet can replace a colour by its attribute, as [`standalone`] and the report
//! pages do for dark screens. Texts never overlap: long labels are cut, and an axis has only as many ticks as fit.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The colour of texts and axes.
const INK: RGBColor = RGBColor(0x33, 0x3A, 0x45);
/// The colour of grid lines.
const GRID: RGBColor = RGBColor(0xDD, 0xE1, 0xE7);
/// The colours of the series. People with colour vision deficiency can tell them apart (Okabe and Ito, 2008).
const SERIES: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x7A, 0x5C, 0x3E),
    RGBColor(0x80, 0x80, 0x80),
];
/// The colour of figures before anonymization: a quiet tone.
const BEFORE: RGBColor = RGBColor(0xB8, 0xC0, 0xCC);
/// The colour of figures after anonymization.
const AFTER: RGBColor = SERIES[0];

const FONT: &str = "sans-serif";
/// The size of all texts, in pixels.
const FONT_SIZE: u32 = 12;
/// The approximate width of a letter, in pixels.
const LETTER_WIDTH: f64 = 6.6;
/// The most letters of a label.
const MAX_LABEL_LETTERS: usize = 24;
/// The least part of an axis that a value above 0 takes, so that it can be seen.
const LEAST_VISIBLE: f64 = 0.006;
/// The height of the area below a chart for labels, in pixels.
const LABEL_AREA_HEIGHT: u32 = 38;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// The size of a chart, and the names of its axes.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The name and unit of the horizontal axis.
    pub x: &'a str,
    /// The name and unit of the vertical axis.
    pub y: &'a str,
}

/// A named series of points.
#[derive(Debug, Clone)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// The scales of a line chart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineStyle {
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Whether the vertical axis is logarithmic.
    pub log_y: bool,
}

/// Horizontal bars. Each label has a value after and, optionally, a value before.
pub fn bars(frame: Frame, labels: &[String], values: &[(Option<f64>, f64)]) -> String {
    draw(frame, |root| {
        let longest = labels.iter().map(|label| cut(label, MAX_LABEL_LETTERS).chars().count()).max().unwrap_or(0);
        let most = values.iter().flat_map(|(before, after)| [before.unwrap_or(0.0), *after]).fold(0.0, f64::max);
        let left = (longest as f64 * LETTER_WIDTH) as u32 + 8;
        let mut chart = ChartBuilder::on(root)
            .margin_right(14)
            .set_label_area_size(LabelAreaPosition::Bottom, LABEL_AREA_HEIGHT)
            .set_label_area_size(LabelAreaPosition::Left, left)
            .build_cartesian_2d(0.0..room(most), 0.0..labels.len().max(1) as f64)?;
        axes(root, &mut chart, frame, 4, 0)?;
        for (place, (label, (before, after))) in labels.iter().zip(values).enumerate() {
            let (before, after) = (before.map(|before| seen(before, most)), seen(*after, most));
            let slot = (labels.len() - place) as f64; // from the top
            let (top, middle, bottom) = (slot - 0.12, slot - 0.5, slot - 0.88);
            let top = if before.is_some() { top } else { slot - 0.25 };
            let (upper, lower) = if before.is_some() { (middle, bottom) } else { (top, slot - 0.75) };
            if let Some(before) = before {
                chart.draw_series([Rectangle::new([(0.0, top), (before, middle)], BEFORE.filled())])?;
            }
            chart.draw_series([Rectangle::new([(0.0, upper), (after, lower)], AFTER.filled())])?;
            let (_, y) = chart.backend_coord(&(0.0, middle));
            root.draw(&text(&cut(label, MAX_LABEL_LETTERS), (left as i32 - 6, y), HPos::Right, VPos::Center))?;
        }
        Ok(())
    })
}

/// A histogram: filled bars for before, a line for after. A bin is its lower bound, its upper bound, and the label of its lower bound. If bins
/// have different widths, the area of a bar stands for the number of records.
pub fn histogram(frame: Frame, bins: &[(f64, f64, String)], values: &[(f64, f64)]) -> String {
    draw(frame, |root| {
        let Some(base) = bins.iter().map(|(from, to, _)| to - from).reduce(f64::min) else { return Ok(()) };
        let scaled = |((from, to, _), (before, after)): (&(f64, f64, String), &(f64, f64))| {
            (before * base / (to - from), after * base / (to - from))
        };
        let heights: Vec<(f64, f64)> = bins.iter().zip(values).map(scaled).collect();
        let most = heights.iter().flat_map(|(before, after)| [*before, *after]).fold(0.0, f64::max);
        let heights: Vec<(f64, f64)> = heights.into_iter().map(|(b, a)| (seen(b, most), seen(a, most))).collect();
        let (least, end) = (bins[0].0, bins[bins.len() - 1].1);
        let mut chart = upright(root).build_cartesian_2d(least..end, 0.0..room(most))?;
        axes(root, &mut chart, frame, 0, 5)?;
        let filled = bins
            .iter()
            .zip(&heights)
            .map(|((from, to, _), (before, _))| Rectangle::new([(*from, *before), (*to, 0.0)], BEFORE.filled()));
        chart.draw_series(filled)?;
        let steps = bins.iter().zip(&heights).flat_map(|((from, to, _), (_, after))| [(*from, *after), (*to, *after)]);
        let outline = [(least, 0.0)].into_iter().chain(steps).chain([(end, 0.0)]);
        chart.draw_series(LineSeries::new(outline, AFTER.stroke_width(2)))?;
        let starts = bins.iter().map(|(from, _, label)| (chart.backend_coord(&(*from, 0.0)), label.as_str()));
        below(root, frame, starts)
    })
}

/// Vertical bars, one for each label.
pub fn columns(frame: Frame, labels: &[String], values: &[f64]) -> String {
    draw(frame, |root| {
        let most = values.iter().copied().fold(0.0, f64::max);
        let mut chart = upright(root).build_cartesian_2d(0.0..labels.len().max(1) as f64, 0.0..room(most))?;
        axes(root, &mut chart, frame, 0, 5)?;
        let bars = values.iter().enumerate().map(|(place, value)| {
            Rectangle::new([(place as f64 + 0.12, *value), (place as f64 + 0.88, 0.0)], AFTER.filled())
        });
        chart.draw_series(bars)?;
        let middles = labels
            .iter()
            .enumerate()
            .map(|(place, label)| (chart.backend_coord(&(place as f64 + 0.5, 0.0)), label.as_str()));
        below(root, frame, middles)
    })
}

/// Lines through the values of several series, with a legend below.
pub fn lines(frame: Frame, series: &[Series], style: LineStyle) -> String {
    let series: Vec<Series> = series.iter().filter(|one| !one.points.is_empty()).cloned().collect();
    let series = series.as_slice();
    let (mut x, y) = (bounds(series, |point| point.0, style.log_x), bounds(series, |point| point.1, style.log_y));
    if !style.log_x {
        // The axis begins near the smallest value instead of 0.
        let least = series.iter().flat_map(|one| &one.points).map(|point| point.0).fold(x.end, f64::min);
        x.start = least - (x.end - least) * 0.08;
    }
    with_legend(frame, series, |root| {
        let (x, y) = (x.clone(), y.clone());
        match (style.log_x, style.log_y) {
            (false, false) => lines_on(root, frame, series, x, y),
            (false, true) => lines_on(root, frame, series, x, y.log_scale()),
            (true, false) => lines_on(root, frame, series, x.log_scale(), y),
            (true, true) => lines_on(root, frame, series, x.log_scale(), y.log_scale()),
        }
    })
}

/// Draws the lines on axes of any scale.
fn lines_on<X, Y>(root: &Area, frame: Frame, series: &[Series], x: X, y: Y) -> Drawn
where
    X: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
    Y: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
{
    let mut chart = upright(root).build_cartesian_2d(x, y)?;
    axes(root, &mut chart, frame, 0, 5)?;
    let mut across: Vec<f64> = series.iter().flat_map(|one| one.points.iter().map(|point| point.0)).collect();
    across.sort_by(f64::total_cmp);
    across.dedup();
    let bottom = chart.plotting_area().get_pixel_range().1.end;
    let labels: Vec<String> = across.iter().map(|x| plain(*x)).collect();
    let places = across.iter().map(|x| (chart.backend_coord(&(*x, series[0].points[0].1)).0, bottom));
    below(root, frame, places.zip(labels.iter().map(String::as_str)))?;
    for (place, one) in series.iter().enumerate() {
        let colour = SERIES[place % SERIES.len()];
        chart.draw_series(LineSeries::new(one.points.iter().copied(), colour.stroke_width(2)))?;
        one.points.iter().try_for_each(|point| mark(root, place, chart.backend_coord(point), colour))?;
    }
    Ok(())
}

/// The points of several series, with a legend below and a line through the points of `front`.
pub fn points(frame: Frame, series: &[Series], front: &[(f64, f64)]) -> String {
    let (x, y) = (bounds(series, |point| point.0, false), bounds(series, |point| point.1, false));
    with_legend(frame, series, |root| {
        let mut chart = upright(root).build_cartesian_2d(x.clone(), y.clone())?;
        axes(root, &mut chart, frame, 6, 5)?;
        chart.draw_series(LineSeries::new(front.iter().copied(), INK))?;
        for (place, one) in series.iter().enumerate() {
            let colour = SERIES[place % SERIES.len()];
            one.points.iter().try_for_each(|point| mark(root, place, chart.backend_coord(point), colour))?;
        }
        Ok(())
    })
}

/// The range of an axis. An axis that is not logarithmic starts at 0.
fn bounds(series: &[Series], of: fn(&(f64, f64)) -> f64, log: bool) -> Range<f64> {
    let values = || series.iter().flat_map(|s| &s.points).map(of).filter(|value| value.is_finite());
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    match (least <= most, log) {
        (false, _) => 0.1..1.0,
        (true, true) => least.max(1e-9) * 0.8..most.max(1e-9) * 1.25,
        (true, false) => least.min(0.0)..room(most),
    }
}

/// A chart with a legend below it.
fn with_legend(frame: Frame, series: &[Series], paint: impl Fn(&Area) -> Drawn) -> String {
    let legend = Legend::new(series, frame.width);
    let whole = Frame { height: frame.height + legend.height(), ..frame };
    draw(whole, |root| {
        let (upper, _) = root.split_vertically(frame.height);
        paint(&upper)?;
        legend.draw(root, frame.height as i32)
    })
}

/// A chart as a file of its own, with colours for light and dark screens.
#[cfg(feature = "internals")]
pub fn standalone(svg: &str, title: &str) -> String {
    let name = title.replace('&', "&amp;").replace('<', "&lt;");
    let head = format!(" role=\"img\"><title>{name}</title><style>{}</style>", style());
    svg.replacen('>', &head, 1)
}

/// The style sheet of all charts.
pub fn style() -> String {
    let hex = |RGBColor(r, g, b): RGBColor| format!("#{r:02X}{g:02X}{b:02X}");
    let dark = |from: RGBColor, to: &str| {
        let from = hex(from);
        format!("svg [fill=\"{from}\"]{{fill:{to}}}svg [stroke=\"{from}\"]{{stroke:{to}}}")
    };
    format!(
        "svg text{{font-family:system-ui,sans-serif}}@media screen and (prefers-color-scheme:dark){{{}{}{}{}}}",
        dark(INK, "#D5DAE1"),
        dark(GRID, "#3A414C"),
        dark(BEFORE, "#5B6572"),
        dark(AFTER, "#4FA8E0"),
    )
}

/// Runs `paint` on an empty picture. The result is empty if drawing fails, which it cannot when it writes to memory.
fn draw(frame: Frame, paint: impl Fn(&Area) -> Drawn) -> String {
    let mut svg = String::new();
    let root = SVGBackend::with_string(&mut svg, (frame.width, frame.height)).into_drawing_area();
    let drawn = paint(&root).and_then(|()| root.present());
    drop(root);
    if drawn.is_ok() { svg } else { String::new() }
}

/// A chart with room for labels, and for the name of the vertical axis above it.
fn upright<'a, 'b>(root: &'a Area<'b>) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut chart = ChartBuilder::on(root);
    chart.margin_top(20).margin_right(14);
    chart
        .set_label_area_size(LabelAreaPosition::Bottom, LABEL_AREA_HEIGHT)
        .set_label_area_size(LabelAreaPosition::Left, 46);
    chart
}

/// Draws the axes with their names, grid lines, and about `across` and `up` labels.
fn axes<X, Y>(
    root: &Area,
    chart: &mut ChartContext<SVGBackend, Cartesian2d<X, Y>>,
    frame: Frame,
    across: usize,
    up: usize,
) -> Drawn
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let small = (FONT, FONT_SIZE).into_font().color(&INK);
    let mut mesh = chart.configure_mesh();
    mesh.axis_style(INK).bold_line_style(GRID).light_line_style(TRANSPARENT).label_style(small);
    mesh.x_labels(across).y_labels(up).set_all_tick_mark_size(3);
    mesh.x_label_formatter(&|value| plain(*value)).y_label_formatter(&|value| plain(*value));
    if across == 0 {
        mesh.disable_x_mesh();
    }
    if up == 0 {
        mesh.disable_y_mesh();
    }
    mesh.draw()?;
    let (x, y) = chart.plotting_area().get_pixel_range();
    root.draw(&text(
        frame.x,
        (i32::midpoint(x.start, x.end), y.end + LABEL_AREA_HEIGHT as i32 - 2),
        HPos::Center,
        VPos::Bottom,
    ))?;
    root.draw(&text(frame.y, (2, 2), HPos::Left, VPos::Top))
}

/// Draws labels below a chart, as many as fit beside each other.
fn below<'a>(root: &Area, frame: Frame, labels: impl Iterator<Item = ((i32, i32), &'a str)>) -> Drawn {
    let mut free = 0;
    for ((x, y), label) in labels {
        let half = (label.chars().count() as f64 * LETTER_WIDTH / 2.0) as i32;
        if x - half >= free && x + half <= frame.width as i32 {
            root.draw(&text(label, (x, y + 5), HPos::Center, VPos::Top))?;
            free = x + half + 8;
        }
    }
    Ok(())
}

/// How long a bar is drawn: what is not 0 can be seen, however small it is.
fn seen(value: f64, most: f64) -> f64 {
    if value > 0.0 { value.max(most * LEAST_VISIBLE) } else { value }
}

/// The end of an axis: a little more than its largest value.
fn room(most: f64) -> f64 {
    if most > 0.0 { most * 1.05 } else { 1.0 }
}

/// The names of the series below a chart, in as many lines as they need.
struct Legend<'a> {
    places: Vec<(usize, &'a str, i32, i32)>,
    lines: i32,
}

impl<'a> Legend<'a> {
    fn new(series: &'a [Series], width: u32) -> Self {
        let (mut x, mut line) = (8, 0);
        let mut places = Vec::new();
        for (place, one) in series.iter().enumerate().filter(|_| series.len() > 1) {
            let long = (one.name.chars().count() as f64 * LETTER_WIDTH) as i32 + 30;
            if x > 8 && x + long > width as i32 {
                (x, line) = (8, line + 1);
            }
            places.push((place, one.name.as_str(), x, line));
            x += long;
        }
        let lines = if places.is_empty() { 0 } else { line + 1 };
        Legend { places, lines }
    }

    fn height(&self) -> u32 {
        (self.lines * 18 + 4) as u32
    }

    fn draw(&self, root: &Area, top: i32) -> Drawn {
        for (place, name, x, line) in &self.places {
            let y = top + 10 + line * 18;
            mark(root, *place, (x + 5, y), SERIES[place % SERIES.len()])?;
            root.draw(&text(name, (x + 14, y), HPos::Left, VPos::Center))?;
        }
        Ok(())
    }
}

/// Draws the mark of a series. After eight colours the next shape is used.
fn mark(root: &Area, series: usize, at: (i32, i32), colour: RGBColor) -> Drawn {
    let (x, y) = at;
    match series / SERIES.len() {
        0 => root.draw(&Circle::new(at, 4, colour.filled())),
        1 => root.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], colour.filled())),
        _ => root.draw(&TriangleMarker::new(at, 6, colour.filled())),
    }
}

fn text<'a>(label: &str, at: (i32, i32), h: HPos, v: VPos) -> Text<'a, (i32, i32), String> {
    Text::new(label.to_owned(), at, (FONT, FONT_SIZE).into_font().color(&INK).pos(Pos::new(h, v)))
}

/// Cuts a label to at most `most` letters.
fn cut(label: &str, most: usize) -> String {
    if label.chars().count() <= most {
        return label.to_owned();
    }
    label.chars().take(most - 1).chain(['…']).collect()
}

/// A number with few digits: 12,500 as `12.5k`.
fn plain(value: f64) -> String {
    let short = |value: f64, unit: &str| {
        let text = format!("{value:.2}");
        format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
    };
    match value.abs() {
        x if x >= 1e6 => short(value / 1e6, "M"),
        x if x >= 1e4 => short(value / 1e3, "k"),
        x if x >= 0.01 || x == 0.0 => short(value, ""),
        _ => {
            let text = format!("{value:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}
