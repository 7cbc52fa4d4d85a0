//! Codings of numbers, read from the plan a second time for the verification: which cells a column may have, and what they cover.
//!
//! A cell is a stretch of the number line. It must not say more than the coding allows: no end within what top or bottom coding hides or
//! within a bin, and no number that is not rounded.

use super::CellReader;
use super::cell::{Cell, Point};
use crate::error::{Error, Result};
use crate::plan::{Column, Number, Threshold};

/// Seconds in a day, since times are read as seconds.
const DAY: f64 = 86_400.0;

/// How far a multiple may be from a whole number of steps.
const NEARLY: f64 = 1e-6;

/// A stretch of the number line. The upper end may be left out itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stretch {
    low: f64,
    high: f64,
    closed: bool,
}

/// The coding of a column, as positions.
pub(super) struct Grid {
    /// Whether there is a coding at all. If not, every stretch is allowed.
    coded: bool,
    top: f64,
    bottom: f64,
    bins: Vec<f64>,
    step: Option<f64>,
    /// The distance to the next value, if there is one: whole numbers and days.
    next: Option<f64>,
}

impl Grid {
    /// The coding that the plan gives a column.
    pub(super) fn new(name: &str, column: &Column, reader: &CellReader) -> Result<Self> {
        let position = |threshold: &Threshold| {
            // Numbers in a plan have a decimal point, whatever the column has.
            let number = threshold.number().filter(|_| column.number != Some(Number::Date));
            let own = || reader.point(threshold.text()).map(Point::position);
            number
                .or_else(own)
                .ok_or_else(|| Error::column(name, &format!("its threshold `{threshold}` cannot be read")))
        };
        let end = |threshold: &Option<Threshold>, open: f64| threshold.as_ref().map_or(Ok(open), position);
        Ok(Grid {
            coded: column.is_coded(),
            top: end(&column.top, f64::INFINITY)?,
            bottom: end(&column.bottom, f64::NEG_INFINITY)?,
            bins: column.bins.iter().map(position).collect::<Result<_>>()?,
            step: column.round.as_ref().and_then(Threshold::number),
            next: reader.next(DAY),
        })
    }

    /// What a cell says; `None` if the coding does not allow it, or if it is no stretch of numbers.
    pub(super) fn stretch(&self, reader: &CellReader, cell: &Cell) -> Option<Stretch> {
        let at = |text: &str| reader.point(text).map(Point::position);
        let (low, high, closed) = match cell {
            Cell::One(text) => (at(text)?, at(text)?, true),
            Cell::Between(low, high) => (at(low)?, at(high)?, true),
            Cell::Beyond(low, high) => {
                let low = low.as_ref().map_or(Some(f64::NEG_INFINITY), |text| at(text))?;
                let high =
                    high.as_ref().map_or(Some((f64::INFINITY, true)), |(text, closed)| Some((at(text)?, *closed)));
                (low, high?.0, high?.1)
            }
            Cell::Everything | Cell::OneOf(_) => return None,
        };
        let stretch = Stretch { low, high, closed };
        let right = || if self.bins.is_empty() { self.allows(stretch) } else { self.is_of_bins(stretch) };
        (!self.coded || right()).then_some(stretch)
    }

    /// Whether a stretch has its ends where bins begin or end.
    fn is_of_bins(&self, Stretch { low, high, closed }: Stretch) -> bool {
        let is_edge = |position: f64| self.bins.contains(&position);
        let beyond = if closed { self.next.map(|next| high + next) } else { Some(high) };
        (low == f64::NEG_INFINITY || is_edge(low)) && (high == f64::INFINITY || beyond.is_some_and(is_edge))
    }

    /// Whether a stretch says nothing of what top and bottom coding hide, and only rounded numbers.
    fn allows(&self, Stretch { low, high, closed }: Stretch) -> bool {
        let is_rounded = |position: f64| {
            let multiple = self.step.map_or(0.0, |step| position / step);
            (multiple - multiple.round()).abs() <= NEARLY
        };
        let is_open = |end: f64| end.is_infinite();
        let above = if is_open(high) { low <= self.top } else { high < self.top };
        let below = if is_open(low) { high >= self.bottom } else { low > self.bottom };
        // An end that is open needs a threshold that opens it.
        let opened = (!is_open(high) || self.top.is_finite()) && (!is_open(low) || self.bottom.is_finite());
        let ends = [low, high].into_iter().filter(|end| !is_open(*end));
        above && below && opened && closed && ends.into_iter().all(is_rounded)
    }

    /// Whether a stretch covers a number of the original. A rounded number covers half a step to either side.
    pub(super) fn covers(&self, Stretch { low, high, closed }: Stretch, position: f64) -> bool {
        let half = self.half();
        low - half <= position && (position < high || closed && position <= high + half)
    }

    /// Why a cell does not fit a value.
    pub(super) fn reason(&self) -> &'static str {
        if self.coded {
            "the cell does not cover the value, or says more than the column's top, bottom, bins or rounding allow"
        } else {
            "the cell does not cover the value"
        }
    }

    /// Half the step of rounded numbers, with what its division may lose.
    pub(super) fn half(&self) -> f64 {
        self.step.map_or(0.0, |step| step / 2.0 * (1.0 + NEARLY))
    }
}

impl Stretch {
    /// Its ends.
    pub(super) fn ends(self) -> (f64, f64) {
        (self.low, if self.closed { self.high } else { self.high.next_down() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Decimal, Kind, Role};
    use crate::verify::Meaning;

    /// Whether a column of whole numbers with this coding may have a cell that covers the number.
    fn fits(column: &Column, cell: &str, number: f64) -> Option<bool> {
        let meaning = Meaning::Range(Some(Number::Integer), String::new(), Decimal::Point);
        let reader = CellReader::new(meaning, std::iter::empty());
        let grid = Grid::new("age", column, &reader).unwrap();
        grid.stretch(&reader, &reader.read(cell)).map(|stretch| grid.covers(stretch, number))
    }

    fn column() -> Column {
        Column { kind: Some(Kind::Range), number: Some(Number::Integer), ..Column::with_role(Role::Quasi) }
    }

    #[test]
    fn cells_of_top_and_bottom_coded_numbers() {
        let coded = Column { top: Some("90".into()), bottom: Some("18".into()), ..column() };
        for (cell, number, covered) in [
            (">=90", 90.0, Some(true)),
            (">=90", 89.0, Some(false)),
            (">=50", 50.0, Some(true)),
            (">=91", 95.0, None),
            ("91", 91.0, None),
            ("90", 90.0, None),
            ("[85-91]", 86.0, None),
            ("[85-89]", 86.0, Some(true)),
            ("<=18", 18.0, Some(true)),
            ("<=18", 19.0, Some(false)),
            ("<=40", 3.0, Some(true)),
            ("<=17", 3.0, None),
            ("17", 17.0, None),
            ("19", 19.0, Some(true)),
        ] {
            assert_eq!(fits(&coded, cell, number), covered, "{cell} {number}");
        }
    }

    #[test]
    fn cells_of_bins_and_rounded_numbers() {
        let bins = Column { bins: ["0", "10", "20"].map(Threshold::from).to_vec(), ..column() };
        for (cell, number, covered) in [
            ("[0-9]", 9.0, Some(true)),
            ("[0-9]", 10.0, Some(false)),
            ("[0-19]", 10.0, Some(true)),
            ("<0", -1.0, Some(true)),
            ("<0", 0.0, Some(false)),
            (">=20", 20.0, Some(true)),
            ("[0-8]", 1.0, None),
            ("[1-9]", 1.0, None),
            ("5", 5.0, None),
            (">=15", 16.0, None),
        ] {
            assert_eq!(fits(&bins, cell, number), covered, "{cell} {number}");
        }
        let rounded = Column { round: Some("1000".into()), ..column() };
        for (cell, number, covered) in [
            ("45000", 44500.0, Some(true)),
            ("45000", 45500.0, Some(true)),
            ("45000", 45501.0, Some(false)),
            ("[44000-45000]", 43500.0, Some(true)),
            ("45001", 45001.0, None),
            (">=45000", 46000.0, None),
        ] {
            assert_eq!(fits(&rounded, cell, number), covered, "{cell} {number}");
        }
    }
}
