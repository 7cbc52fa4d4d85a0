//! Numbers that are coded before they are generalized: top and bottom coding, bins, and rounding.
//!
//! # Idea
//! A code of such a column stands for a *slot* of the number line: all numbers from a threshold on, a bin, the numbers that are rounded to
//! the same multiple, or one number. Algorithms only see slots, so every closure is a union of slots. But extents are those of the
//! original numbers in the slots. So LM counts what coding loses, too: a cell with a single slot costs the distance between the smallest and
//! the largest number of the table in it.
//!
//! Rounding comes first. Thresholds look at rounded numbers.

use super::{Code, Numbers};
use crate::error::{Error, Result};
use crate::notation::{self, EVERYTHING};
use crate::plan::Threshold;
use crate::schema::Coding;

/// Numbers up to this size are exact as doubles, and so are those next to them.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// The numbers of a column, and the slots that they are coded to.
#[derive(Debug, Clone)]
pub(super) struct Coded {
    numbers: Numbers,
    rule: Rule,
    /// The slots that occur, in rising order.
    slots: Vec<Slot>,
}

/// A part of the number line.
#[derive(Debug, Clone)]
struct Slot {
    /// The places of its first and its last number among the numbers of the column.
    places: (usize, usize),
    low: End,
    high: End,
}

/// An end of a slot: its number and its text.
#[derive(Debug, Clone)]
enum End {
    /// There is none.
    Open,
    /// This number belongs to the slot.
    At(f64, String),
    /// This number does not.
    Before(f64, String),
}

/// How numbers become slots.
#[derive(Debug, Clone)]
struct Rule {
    top: Option<Mark>,
    bottom: Option<Mark>,
    bins: Vec<Mark>,
    step: Option<Step>,
    /// Whether bins end at the number before the next one, because there is nothing between: whole numbers and days.
    discrete: bool,
}

#[derive(Debug, Clone)]
struct Mark {
    value: f64,
    text: String,
}

/// What numbers are rounded to multiples of.
#[derive(Debug, Clone)]
struct Step {
    base: f64,
    decimals: usize,
    comma: bool,
}

impl End {
    /// The lowest number that may be in a slot with this lower end.
    fn lowest(&self) -> f64 {
        match self {
            End::Open => f64::NEG_INFINITY,
            End::At(value, _) | End::Before(value, _) => *value,
        }
    }

    /// Whether slots with these lower ends are the same.
    fn is_at(&self, other: &End) -> bool {
        self.lowest().total_cmp(&other.lowest()).is_eq()
    }

    /// The highest number that may be in a slot with this upper end.
    fn highest(&self) -> f64 {
        match self {
            End::Open => f64::INFINITY,
            End::At(value, _) => *value,
            End::Before(value, _) => value.next_down(),
        }
    }
}

impl Step {
    /// The nearest multiple, of two the one farther from zero.
    fn round(&self, value: f64) -> Mark {
        let text = format!("{:.*}", self.decimals, (value / self.base).round() * self.base);
        let value = text.parse::<f64>().unwrap_or(value) + 0.0;
        let text = value.to_string();
        Mark { value, text: if self.comma { text.replace('.', ",") } else { text } }
    }
}

impl Rule {
    fn new(column: &str, coding: &Coding, numbers: &Numbers) -> Result<Self> {
        let fail = |message: String| Error::column(column, &message);
        let mark = |what: &str, threshold: &Threshold| {
            let value = numbers.threshold(threshold).map_err(|wanted| {
                fail(format!("its {what} `{threshold}` is not {wanted}, as the values of the column are"))
            })?;
            if value.abs() >= MAX_EXACT {
                return Err(fail(format!("its {what} `{threshold}` is too large")));
            }
            Ok(Mark { value, text: numbers.write(value) })
        };
        let one = |what: &str, threshold: &Option<Threshold>| threshold.as_ref().map(|t| mark(what, t)).transpose();
        let (top, bottom) = (one("top", &coding.top)?, one("bottom", &coding.bottom)?);
        let bins = coding.bins.iter().map(|edge| mark("edge", edge)).collect::<Result<Vec<_>>>()?;
        if let Some(pair) = bins.windows(2).find(|pair| pair[0].value >= pair[1].value) {
            return Err(fail(format!("its bins do not rise: {} follows {}", pair[1].text, pair[0].text)));
        }
        if let (Some(bottom), Some(top)) = (&bottom, &top)
            && bottom.value >= top.value
        {
            return Err(fail(format!("its bottom {} is not below its top {}", bottom.text, top.text)));
        }
        let step = coding.round.as_ref().map(|base| Step::new(column, base, numbers)).transpose()?;
        if let Some(step) = &step
            && let Some(mark) = top.iter().chain(&bottom).find(|mark| step.round(mark.value).text != mark.text)
        {
            let base = step.base;
            return Err(fail(format!("its threshold {} is no multiple of {base}, to which it is rounded", mark.text)));
        }
        let discrete = match numbers {
            Numbers::Integer(_) => true,
            Numbers::Date(dates) => dates.are_days(),
            Numbers::Decimal(_) | Numbers::Comma(..) => false,
        };
        Ok(Rule { top, bottom, bins, step, discrete })
    }

    /// The ends of the slot of a number that the column writes like this.
    fn slot(&self, value: f64, text: String, numbers: &Numbers) -> (End, End) {
        let at = |mark: &Mark| End::At(mark.value, mark.text.clone());
        if !self.bins.is_empty() {
            let next = self.bins.partition_point(|edge| edge.value <= value);
            let low = next.checked_sub(1).map_or(End::Open, |before| at(&self.bins[before]));
            let high = match self.bins.get(next) {
                None => End::Open,
                Some(edge) if self.discrete && next > 0 => End::At(edge.value - 1.0, numbers.write(edge.value - 1.0)),
                Some(edge) => End::Before(edge.value, edge.text.clone()),
            };
            return (low, high);
        }
        let own = self.step.as_ref().map_or(Mark { value, text }, |step| step.round(value));
        match (&self.top, &self.bottom) {
            (Some(top), _) if own.value >= top.value => (at(top), End::Open),
            (_, Some(bottom)) if own.value <= bottom.value => (End::Open, at(bottom)),
            _ => (at(&own), at(&own)),
        }
    }
}

impl Step {
    fn new(column: &str, base: &Threshold, numbers: &Numbers) -> Result<Self> {
        let fail = |message: String| Err(Error::column(column, &message));
        let Some(value) = base.number().filter(|value| *value > 0.0) else {
            return fail(format!("`{base}` is not a number above 0 to round to"));
        };
        match numbers {
            Numbers::Date(_) => {
                return fail(
                    "dates and times are not rounded; give it bins, or a hierarchy such as dates:month,year".to_owned(),
                );
            }
            Numbers::Integer(_) if value.fract() != 0.0 => {
                return fail(format!("its values are whole numbers, so they cannot be rounded to multiples of {base}"));
            }
            _ => {}
        }
        let ends = [0, numbers.len().saturating_sub(1)].map(|place| numbers.value(place).abs());
        if ends.iter().any(|end| *end >= MAX_EXACT || *end / value >= MAX_EXACT) {
            return fail(format!("its values are too large to be rounded to multiples of {base}"));
        }
        let decimals = base.text().split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Ok(Step { base: value, decimals, comma: matches!(numbers, Numbers::Comma(..)) })
    }
}

impl Coded {
    /// The slots of these numbers, and the slot of each.
    pub(super) fn new(column: &str, coding: &Coding, numbers: Numbers) -> Result<(Self, Vec<usize>)> {
        let rule = Rule::new(column, coding, &numbers)?;
        let mut slots: Vec<Slot> = Vec::new();
        let mut slot_of = Vec::with_capacity(numbers.len());
        for place in 0..numbers.len() {
            let (low, high) = rule.slot(numbers.value(place), numbers.text(place), &numbers);
            match slots.last_mut() {
                // A number that is coded as itself has a slot of its own, even if another one is the same as a double.
                Some(last) if last.low.is_at(&low) && !rule.keeps(&low, &high) => last.places.1 = place,
                _ => slots.push(Slot { places: (place, place), low, high }),
            }
            slot_of.push(slots.len() - 1);
        }
        Ok((Coded { numbers, rule, slots }, slot_of))
    }

    /// The numbers as they were.
    pub(super) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The number of slots.
    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The number of different numbers in the slots from `lo` to `hi`.
    pub(super) fn values(&self, lo: usize, hi: usize) -> usize {
        self.slots[hi].places.1 - self.slots[lo].places.0 + 1
    }

    /// The share of the extent of all numbers that those in the slots from `lo` to `hi` have.
    pub(super) fn extent(&self, lo: usize, hi: usize) -> f64 {
        self.numbers.extent(self.slots[lo].places.0, self.slots[hi].places.1)
    }

    /// The number of equal steps in the whole extent.
    pub(super) fn steps(&self) -> Option<u64> {
        self.numbers.steps()
    }

    /// Whether a slot is a number as the column writes it.
    pub(super) fn keeps(&self, slot: usize) -> bool {
        self.rule.keeps(&self.slots[slot].low, &self.slots[slot].high)
    }

    /// A number that stands for a slot: the only one, the middle of a bin, or the end that there is. It says nothing of the numbers in it.
    pub(super) fn position(&self, slot: usize) -> f64 {
        let Slot { low, high, .. } = &self.slots[slot];
        match (low, high) {
            (End::Open, End::Open) => 0.0,
            (End::Open, End::At(end, _) | End::Before(end, _)) | (End::At(end, _) | End::Before(end, _), End::Open) => {
                *end
            }
            (End::At(low, _) | End::Before(low, _), End::At(high, _) | End::Before(high, _)) => {
                f64::midpoint(*low, *high)
            }
        }
    }

    /// Whether the slots from `lo` to `hi` have no end on either side, so that only `*` says what they are.
    pub(super) fn is_open(&self, lo: usize, hi: usize) -> bool {
        matches!((&self.slots[lo].low, &self.slots[hi].high), (End::Open, End::Open))
    }

    /// The text of the slots from `lo` to `hi`.
    pub(super) fn text(&self, lo: usize, hi: usize) -> String {
        let dates = matches!(self.numbers, Numbers::Date(_));
        match (&self.slots[lo].low, &self.slots[hi].high) {
            (End::Open, End::Open) => EVERYTHING.to_owned(),
            (End::Open, End::At(_, high)) => notation::up_to(high),
            (End::Open, End::Before(_, high)) => notation::below(high),
            (End::At(_, low) | End::Before(_, low), End::Open) => notation::from(low),
            (End::At(_, low) | End::Before(_, low), End::Before(_, high)) => notation::half_open(low, high),
            (End::At(_, low) | End::Before(_, low), End::At(_, high)) => match () {
                () if low == high => low.clone(),
                () if dates => notation::labels(low, high),
                () => notation::numbers(low, high),
            },
        }
    }

    /// The slot of a number that is written like this, whether or not the column has it.
    pub(super) fn slot(&self, text: &str) -> Option<usize> {
        let value = self.numbers.parse(text)?;
        let (low, high) = self.rule.slot(value, text.trim().to_owned(), &self.numbers);
        if self.rule.keeps(&low, &high) {
            // Large whole numbers can be the same as doubles.
            let (place, _) = self.numbers.between(text.trim(), text.trim())?;
            return self.slots.binary_search_by_key(&place, |slot| slot.places.0).ok();
        }
        let slot = self.slots.partition_point(|slot| slot.low.lowest() < low.lowest());
        self.slots.get(slot)?.low.is_at(&low).then_some(slot)
    }

    /// The slots from one number to another; without a number, from the first or to the last. The upper number may be left out itself.
    pub(super) fn within(&self, low: Option<&str>, high: Option<(&str, bool)>) -> Option<(usize, usize)> {
        let low = low.map_or(Some(f64::NEG_INFINITY), |text| self.numbers.parse(text))?;
        let high = high.map_or(Some(f64::INFINITY), |(text, included)| {
            self.numbers.parse(text).map(|high| if included { high } else { high.next_down() })
        })?;
        let first = self.slots.partition_point(|slot| slot.high.highest() < low);
        let end = self.slots.partition_point(|slot| slot.low.lowest() <= high);
        (first < end).then(|| (first, end - 1))
    }

    /// What to say about thresholds that change nothing.
    pub(super) fn remark(&self, column: &str) -> Option<String> {
        let (Some(first), Some(last)) = (self.slots.first(), self.slots.last()) else { return None };
        let Rule { top, bottom, bins, .. } = &self.rule;
        let idle = |what: &str, mark: &Mark, beyond: &str| {
            format!("`{column}`: no value is {} or {beyond}, so its {what} changes nothing", mark.text)
        };
        match (top, bottom) {
            _ if !bins.is_empty() && self.slots.len() == 1 => Some(format!("`{column}`: all values are in one bin")),
            (Some(top), _) if !matches!(last.high, End::Open) => Some(idle("top", top, "more")),
            (_, Some(bottom)) if !matches!(first.low, End::Open) => Some(idle("bottom", bottom, "less")),
            (Some(_), _) | (_, Some(_)) if self.slots.len() == 1 => {
                Some(format!("`{column}`: all values are beyond the same threshold, so all become one"))
            }
            _ => None,
        }
    }
}

impl Rule {
    /// Whether a slot with these ends is a number as the column writes it.
    fn keeps(&self, low: &End, high: &End) -> bool {
        self.bins.is_empty() && self.step.is_none() && matches!((low, high), (End::At(..), End::At(..)))
    }
}

/// The slots as codes: missing values have the lowest code.
pub(super) fn shifted(slots: &[usize], shift: usize) -> Vec<Code> {
    slots.iter().map(|slot| (slot + shift) as Code).collect()
}
