//! How a first plan rounds sensitive numbers, so that nobody is found by a number alone.
//!
//! A salary is sensitive, and somebody's exact salary finds the row. Rounding with a top and a bottom ends that: the smallest step is taken with
//! which at least k rows have each published number, and the top and the bottom together with what is beyond them have few rows.

use std::collections::BTreeMap;

use super::recognize::Contents;
use crate::plan::{Column, Threshold};

/// The largest share of the rows that top and bottom may each put together.
const MOST_BEYOND: f64 = 0.1;
/// The largest share of the rows that a rounded number may have.
const MOST_ALIKE: f64 = 0.45;
/// The fewest different numbers that are worth publishing.
const FEWEST_NUMBERS: usize = 4;
/// Larger numbers are left alone.
const LARGEST: f64 = 1e12;

/// Rounds the numbers of a column. False if no step does it, or if some value is no number.
pub(super) fn make_coarse(column: &mut Column, contents: &Contents, k: usize) -> bool {
    let number = |(text, count): &(String, usize)| Some((text.parse::<f64>().ok()?, *count));
    let Some(numbers) = contents.values.iter().map(number).collect::<Option<Vec<_>>>() else { return false };
    let within = numbers.iter().all(|(number, _)| number.abs() < LARGEST);
    if k < 2 || !within {
        return false;
    }
    let Some((step, ends)) = steps(contents.is_whole()).find_map(|step| Some((step, ends(&numbers, step, k)?))) else {
        return false;
    };
    let threshold = |multiple: i64| Threshold::from(step.times(multiple).as_str());
    column.round = Some(threshold(1));
    column.bottom = ends.0.map(threshold);
    column.top = ends.1.map(threshold);
    true
}

/// A number of the form 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy)]
struct Step {
    digit: u8,
    power: i32,
}

impl Step {
    fn size(self) -> f64 {
        f64::from(self.digit) * 10_f64.powi(self.power)
    }

    /// The text of a multiple.
    fn times(self, multiple: i64) -> String {
        let decimals = usize::try_from(-self.power).unwrap_or(0);
        format!("{:.decimals$}", multiple as f64 * self.size())
    }
}

/// Steps from small to large.
fn steps(whole: bool) -> impl Iterator<Item = Step> {
    let powers = if whole { 0..12 } else { -2..12 };
    powers.flat_map(|power| [1, 2, 5].map(|digit| Step { digit, power }))
}

/// The multiples of a step that are the bottom and the top, if there must be any; `None` if the step is too small or too large.
fn ends(numbers: &[(f64, usize)], step: Step, k: usize) -> Option<(Option<i64>, Option<i64>)> {
    let mut rows: BTreeMap<i64, usize> = BTreeMap::new();
    numbers.iter().for_each(|(number, count)| *rows.entry((number / step.size()).round() as i64).or_default() += count);
    let rows: Vec<(i64, usize)> = rows.into_iter().collect();
    let all: usize = rows.iter().map(|(_, count)| count).sum();
    let sum = |range: &[(i64, usize)]| range.iter().map(|(_, count)| count).sum::<usize>();
    // The bottom is the first number up to which there are k rows, and the top the last one from which there are, before any that has fewer.
    let low = (0..rows.len()).find(|end| sum(&rows[..=*end]) >= k)?;
    let rare = (low + 1..rows.len()).find(|place| rows[*place].1 < k);
    let high = rare.map(|rare| if sum(&rows[rare..]) >= k { rare } else { rare - 1 });
    let (last, numbers) = (high.unwrap_or(rows.len() - 1), high.unwrap_or(rows.len() - 1) + 1 - low);
    let few = |count: usize| count as f64 <= MOST_BEYOND * all as f64;
    let beyond = (low == 0 || few(sum(&rows[..=low]))) && (high.is_none() || few(sum(&rows[last..])));
    let alike = rows[low..=last].iter().all(|(_, count)| *count as f64 <= MOST_ALIKE * all as f64);
    let fits = last > low && numbers >= FEWEST_NUMBERS && beyond && alike;
    fits.then(|| ((low > 0).then(|| rows[low].0), high.map(|high| rows[high].0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Role;

    fn coarse(values: &[f64], k: usize) -> Option<[Option<String>; 3]> {
        let values: Vec<(String, usize)> = values.iter().map(|value| (value.to_string(), 1)).collect();
        let (present, rows) = (values.len(), values.len());
        let mut column = Column::with_role(Role::Sensitive);
        let told = |threshold: &Option<Threshold>| threshold.as_ref().map(ToString::to_string);
        make_coarse(&mut column, &Contents { values, present, rows }, k)
            .then(|| [&column.round, &column.bottom, &column.top].map(told))
    }

    #[test]
    fn every_rounded_number_has_k_rows() {
        // 1 to 100. Rounded to fives, 0 has two rows, 100 has three, and all others have five. So 5 is the bottom with seven rows, and 95 the
        // top with eight: both have less than a tenth. Smaller steps give each number less than five rows.
        let numbers: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(coarse(&numbers, 5), Some(["5", "5", "95"].map(|text| Some(text.to_owned()))));
        // For k = 6, five rows are too few. Rounded to tens, 0 has the four rows below 5, and the bottom of 10 would have fourteen. Rounded to
        // twenties, 0 has nine, 100 has eleven, and those between have twenty each.
        assert_eq!(coarse(&numbers, 6), Some([Some("20".to_owned()), None, None]));
        // Ten rows cannot make four numbers of five rows each.
        assert_eq!(coarse(&numbers[..10], 5), None);
        assert_eq!(coarse(&numbers, 1), None);
    }

    #[test]
    fn decimals_are_rounded_too() {
        let numbers: Vec<f64> = (0..1000).map(|n| f64::from(n) / 1000.0).collect();
        // Hundredths have about ten rows each, but 0 and 1 only five, which are too few.
        assert_eq!(coarse(&numbers, 8), Some(["0.01", "0.01", "0.99"].map(|text| Some(text.to_owned()))));
    }
}
