//! Numbers as texts, with a decimal point or a decimal comma.
//!
//! `1.234,56` is a number with a comma, and its points separate thousands. Alone, neither `1,234` nor `1.234` says what its mark is.

use crate::plan::Decimal;

/// The finite number that a text stands for.
pub fn decimal(text: &str, mark: Decimal) -> Option<f64> {
    let text = text.trim();
    let number: f64 = match mark {
        Decimal::Point => text.parse().ok()?,
        Decimal::Comma => {
            let plain = text.strip_prefix(['-', '+']).unwrap_or(text);
            let (whole, fraction) = plain.split_once(',').unwrap_or((plain, "0"));
            let whole = ungrouped(whole, '.')?;
            let number: f64 = is_digits(fraction).then(|| format!("{whole}.{fraction}"))?.parse().ok()?;
            if text.starts_with('-') { -number } else { number }
        }
    };
    number.is_finite().then_some(number + 0.0)
}

/// What a text should have been.
pub fn expected(mark: Decimal) -> &'static str {
    match mark {
        Decimal::Point => "a number",
        Decimal::Comma => "a number with a decimal comma",
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The digits of a whole number, which may be in groups of three.
fn ungrouped(text: &str, between: char) -> Option<String> {
    let mut groups = text.split(between);
    let first = groups.next().filter(|first| is_digits(first))?;
    let mut digits = first.to_owned();
    for group in groups {
        if first.len() > 3 || group.len() != 3 || !is_digits(group) {
            return None;
        }
        digits.push_str(group);
    }
    Some(digits)
}

/// How the numbers of a column with commas are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Commas {
    /// They are decimal commas.
    Decimal,
    /// They may separate thousands.
    Thousands,
    /// The values are no such numbers, or have no comma.
    None,
}

/// What the commas in the values of a column are. `said` is what the user says about decimal marks.
pub fn commas(values: &[&str], said: Option<Decimal>) -> Commas {
    let has_mark = |text: &&str| text.contains([',', '.']);
    let fits = || values.iter().all(|text| decimal(text, Decimal::Comma).is_some());
    let some_comma = || values.iter().any(|text| text.contains(','));
    if said == Some(Decimal::Comma) && values.iter().any(has_mark) && fits() {
        return Commas::Decimal;
    }
    let points_alone = || values.iter().any(|text| text.contains('.') && !text.contains(','));
    let grouped = |text: &&str| is_grouped(text, ',', '.');
    if said.is_none() && some_comma() && fits() && !points_alone() {
        let sure = values.iter().any(|text| text.contains(',') && !grouped(text));
        return if sure { Commas::Decimal } else { Commas::Thousands };
    }
    let groups = |mark: char, point: char| {
        let plain = |text: &&str| decimal(text, Decimal::Point).is_some() && !text.contains(mark);
        let each = |text: &&str| is_grouped(text, mark, point) || plain(text);
        values.iter().any(|text| text.contains(mark)) && values.iter().all(each)
    };
    let twice = values.iter().any(|text| text.matches('.').count() > 1);
    if groups(',', '.') || twice && groups('.', ',') { Commas::Thousands } else { Commas::None }
}

/// Whether a text is a number with at least one group of thousands.
fn is_grouped(text: &str, between: char, point: char) -> bool {
    let plain = text.trim().trim_start_matches(['-', '+']);
    let (whole, fraction) = plain.split_once(point).unwrap_or((plain, "0"));
    whole.contains(between) && !whole.starts_with('0') && ungrouped(whole, between).is_some() && is_digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_comma() {
        for (text, number) in
            [("12,5", 12.5), ("1.234,56", 1234.56), ("-0,25", -0.25), ("7", 7.0), ("1.234.567", 1_234_567.0)]
        {
            assert_eq!(decimal(text, Decimal::Comma), Some(number), "{text}");
        }
        for text in ["12.5", "1,2,3", "1.23,4", "1234.567,8", ",5", "5,", "1e5", "x", "", "1,2x"] {
            assert_eq!(decimal(text, Decimal::Comma), None, "{text}");
        }
    }

    #[test]
    fn what_commas_mean() {
        assert_eq!(commas(&["12,5", "7"], None), Commas::Decimal);
        assert_eq!(commas(&["1.234,56", "12,50"], None), Commas::Decimal);
        assert_eq!(commas(&["0,123"], None), Commas::Decimal); // no group of thousands begins with a zero
        assert_eq!(commas(&["1,234", "999"], None), Commas::Thousands);
        assert_eq!(commas(&["1,234", "999"], Some(Decimal::Comma)), Commas::Decimal);
        assert_eq!(commas(&["1,234.5", "999.25"], None), Commas::Thousands);
        assert_eq!(commas(&["1,234,567", "12"], None), Commas::Thousands);
        assert_eq!(commas(&["1.234.567", "12"], None), Commas::Thousands);
        assert_eq!(commas(&["12,5", "12.5"], None), Commas::None);
        assert_eq!(commas(&["12,5"], Some(Decimal::Point)), Commas::None);
        assert_eq!(commas(&["12.5", "3"], None), Commas::None);
        assert_eq!(commas(&["a,b"], None), Commas::None);
    }
}
