//! The table of a trial, one line a way, and its picture.

use std::fs;
use std::path::Path;

use amidst::internals::chart::{self, Frame, LineStyle, Series};

use super::Done;
use super::task::Way;
use crate::stats::{Spread, slope};

/// What one run loses, and the CPU seconds that it takes.
#[derive(Clone, Copy)]
pub struct Found {
    pub loss: f64,
    pub cpu: f64,
}

/// A line of the table.
pub struct Line {
    pub name: String,
    /// Where on the horizontal axis, the losses and the times.
    pub cells: Vec<(f64, Spread, Spread)>,
}

/// What is varied from column to column.
#[derive(Clone, Copy)]
pub struct Sheet<'a> {
    pub x: &'a str,
    pub xs: &'a [f64],
    pub seeds: u64,
    /// What a cell shows.
    pub show: Show,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Show {
    Loss,
    LossAndTime,
    /// The time, and by which power of the horizontal axis it grows.
    Growth,
}

impl Sheet<'_> {
    /// The heading of the table.
    pub fn head(&self) {
        let growth = if self.show == Show::Growth { " exponent |" } else { "" };
        let xs: String = self.xs.iter().map(|x| format!(" {} |", plain(*x))).collect();
        println!("\n| {} |{xs}{growth}", self.x);
        println!("|---|{}{}", "---|".repeat(self.xs.len()), if growth.is_empty() { "" } else { "---|" });
    }

    /// Runs every way at every place with every seed, and prints each line as it is done.
    pub fn fill(&self, ways: &[Way], run: impl Fn(Way, f64, u64) -> Done<Found>) -> Done<Vec<Line>> {
        ways.iter().map(|way| self.line(*way, |x, seed| run(*way, x, seed))).collect()
    }

    fn line(&self, way: Way, run: impl Fn(f64, u64) -> Done<Found>) -> Done<Line> {
        let mut cells = Vec::new();
        for x in self.xs {
            let seeds = 1..=self.seeds.min(way.most_seeds);
            let found: Vec<Found> = seeds.map(|seed| run(*x, seed)).collect::<Done<_>>()?;
            let spread = |of: fn(&Found) -> f64| Spread::of(found.iter().map(of));
            cells.push((*x, spread(|found| found.loss), spread(|found| found.cpu)));
        }
        let line = Line { name: way.name.to_owned(), cells };
        println!(
            "| {} |{}",
            line.name,
            line.cells.iter().map(|cell| self.cell(cell)).collect::<String>() + &self.end(&line)
        );
        Ok(line)
    }

    fn cell(&self, (_, loss, cpu): &(f64, Spread, Spread)) -> String {
        let time = cpu.least;
        match self.show {
            Show::Loss => format!(" {} |", spread(loss)),
            Show::LossAndTime => format!(" {}, {time:.2} s |", spread(loss)),
            Show::Growth => format!(" {time:.3} |"),
        }
    }

    fn end(&self, line: &Line) -> String {
        let points: Vec<(f64, f64)> = line.cells.iter().map(|(x, _, cpu)| (x.ln(), cpu.least.ln())).collect();
        match (self.show, slope(&points)) {
            (Show::Growth, Some(exponent)) => format!(" {exponent:.2} |"),
            _ => String::new(),
        }
    }
}

/// A line of figures that no run gives.
pub fn given(name: &str, figures: &[f64]) {
    println!("| {name} |{}", figures.iter().map(|figure| format!(" {} |", number(*figure))).collect::<String>());
}

/// The losses as a line of a picture.
pub fn losses(lines: &[Line]) -> Vec<Series> {
    series(lines, |(x, loss, _)| (*x, loss.mean))
}

/// The times as a line of a picture.
pub fn times(lines: &[Line]) -> Vec<Series> {
    series(lines, |(x, _, cpu)| (*x, cpu.least))
}

fn series(lines: &[Line], of: fn(&(f64, Spread, Spread)) -> (f64, f64)) -> Vec<Series> {
    lines.iter().map(|line| Series { name: line.name.clone(), points: line.cells.iter().map(of).collect() }).collect()
}

/// Draws lines into a file of the folder.
pub fn draw(folder: &Path, name: &str, title: &str, (x, y): (&str, &str), series: &[Series]) -> Done {
    let frame = Frame { width: 640, height: 340, x, y };
    let svg = chart::standalone(&chart::lines(frame, series, LineStyle::default()), title);
    Ok(fs::write(folder.join(name).with_extension("svg"), svg)?)
}

/// The mean, and the least and the most where they differ.
pub fn spread(spread: &Spread) -> String {
    let Spread { mean, least, most } = *spread;
    if most <= least { number(mean) } else { format!("{} ({}–{})", number(mean), number(least), number(most)) }
}

/// `.0123`, `1.0000`, `12,345`.
pub fn number(value: f64) -> String {
    if value.abs() >= 1000.0 {
        return plain(value.round());
    }
    let text = format!("{value:.4}");
    text.strip_prefix('0').map_or(text.clone(), str::to_owned)
}

/// A number as it is, with commas between thousands.
fn plain(value: f64) -> String {
    let text = value.to_string();
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let digits = whole.len();
    let grouped: String = whole
        .chars()
        .enumerate()
        .flat_map(|(place, digit)| {
            let comma = place > 0 && (digits - place) % 3 == 0;
            comma.then_some(',').into_iter().chain([digit])
        })
        .collect();
    grouped + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_on_the_page() {
        assert_eq!([0.30249, 1.0, 136_733.4].map(number), [".3025", "1.0000", "136,733"]);
        assert_eq!([50.0, 1.315, 100_000.0].map(plain), ["50", "1.315", "100,000"]);
        assert_eq!(spread(&Spread { mean: 0.25, least: 0.2, most: 0.3 }), ".2500 (.2000–.3000)");
    }
}
