//! Built-in trees, read a second time for the verification.
//!
//! What stands above a value is found anew each time it is asked for, by going through the lines of a table: slower than the reading that
//! makes releases ([`classifications`](crate::schema::classifications)), and shorter.

use crate::plan::BuiltinTree;

/// The paths from leaf to root of the values that the tree has.
pub(super) fn paths(tree: BuiltinTree, values: &[&str]) -> Vec<Vec<String>> {
    let mut values: Vec<&str> = values.to_vec();
    values.sort_unstable();
    let path = |value: &str| {
        let mut path = vec![value.to_owned()];
        path.extend(upward(tree, value)?);
        path.push("*".to_owned());
        Some(path)
    };
    values.into_iter().filter_map(path).collect()
}

/// Whether a value must not be published by itself.
pub(super) fn hides(tree: BuiltinTree, value: &str) -> bool {
    tree == BuiltinTree::AgeBands && value.trim().parse::<u8>().is_ok_and(|age| age > 89 && age <= 130)
}

/// The number of labels between a value and the root, where they are most.
pub(super) fn depth(tree: BuiltinTree) -> usize {
    match tree {
        BuiltinTree::Countries | BuiltinTree::Isco | BuiltinTree::Soc | BuiltinTree::AgeBands => 3,
        BuiltinTree::Icd10 | BuiltinTree::Icd10cm | BuiltinTree::UsZip | BuiltinTree::Naics => 4,
    }
}

/// A published text and the labels above it, up to the one below the root. The text is a value of the tree or one of its labels.
pub(super) fn line(tree: BuiltinTree, text: &str) -> Option<Vec<String>> {
    if let Some(above) = upward(tree, text) {
        // A code may be written as the label of its category.
        if above.first().is_some_and(|label| label == text) {
            return Some(above);
        }
        return Some([vec![text.to_owned()], above].concat());
    }
    // A value below a label begins like it, or stands in a table.
    let zeros = text.replace('*', "0");
    let first: String = text.chars().skip_while(|c| *c == '[').take_while(char::is_ascii_alphanumeric).collect();
    let listed: Vec<String> = match tree {
        BuiltinTree::Countries => COUNTRIES.lines().filter_map(|line| line.get(..2)).map(str::to_owned).collect(),
        BuiltinTree::UsZip => (0..1000).map(|prefix| format!("{prefix:03}00")).collect(),
        BuiltinTree::Soc => vec![format!("{first}-0000")],
        _ => Vec::new(),
    };
    let below = listed.iter().map(String::as_str).chain([zeros.as_str(), first.as_str()]);
    below.filter_map(|value| upward(tree, value)).find_map(|above| {
        let place = above.iter().position(|label| label == text)?;
        Some(above[place..].to_vec())
    })
}

const COUNTRIES: &str = include_str!("../../trees/countries.txt");

/// The labels between a value and the root.
fn upward(tree: BuiltinTree, value: &str) -> Option<Vec<String>> {
    let value = value.trim();
    match tree {
        BuiltinTree::Icd10 => disease(include_str!("../../trees/icd10.txt"), value)
            .filter(|_| value.chars().skip(1).take(2).all(|c| c.is_ascii_digit())),
        BuiltinTree::Icd10cm => disease(include_str!("../../trees/icd10cm.txt"), value),
        BuiltinTree::Countries => country(value),
        BuiltinTree::UsZip => zip(value),
        BuiltinTree::Isco => (digits(value) && (1..=4).contains(&value.len())).then(|| stars(value, 1, 4)),
        BuiltinTree::Naics => {
            let code = match value.split('-').collect::<Vec<_>>()[..] {
                [first, last] if first.len() == 2 && last.len() == 2 && digits(last) => first,
                [code] => code,
                _ => return None,
            };
            if !digits(code) || code.len() < 2 || code.len() > 6 {
                return None;
            }
            let mut labels = stars(code, 3, 6);
            labels.push(title(include_str!("../../trees/naics.txt"), code)?);
            Some(labels)
        }
        BuiltinTree::Soc => {
            let code = match value.len() {
                6 => value.to_owned(),
                7 if value.as_bytes()[2] == b'-' => [value.get(..2)?, value.get(3..)?].concat(),
                _ => return None,
            };
            let group = title(include_str!("../../trees/soc.txt"), code.as_str()).filter(|_| digits(&code))?;
            let with_stars = |kept: usize| format!("{}-{}{}", &code[..2], &code[2..kept], &"****"[..6 - kept]);
            Some(vec![with_stars(5), with_stars(3), group])
        }
        BuiltinTree::AgeBands => {
            let age: u8 = value.parse().ok().filter(|age| *age <= 130)?;
            let range = |width: u8| format!("[{}-{}]", age - age % width, age - age % width + (width - 1));
            let widest = if age < 80 { range(20) } else { "80+".to_owned() };
            Some(if age < 90 { vec![range(5), range(10), widest] } else { vec!["90+".to_owned(), widest] })
        }
    }
}

/// The labels above a code of ICD-10, by the lines `chapter: block block …` of a table.
fn disease(table: &str, value: &str) -> Option<Vec<String>> {
    let value = value.trim_end_matches(|c| "*+!†-".contains(c)).to_ascii_uppercase();
    let (category, rest) = (value.get(..3)?, value.get(3..)?);
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    let mut letters = category.chars();
    let right = letters.next()?.is_ascii_uppercase()
        && letters.all(|c| c.is_ascii_alphanumeric())
        && rest.len() <= 4
        && rest.chars().all(|c| c.is_ascii_alphanumeric());
    if !right {
        return None;
    }
    let within = |range: &str| {
        let (range, more) = range.split_once('+').unwrap_or((range, ""));
        let mut ends = range.split('-');
        let first = ends.next().unwrap_or_default();
        more == category || first <= category && category <= ends.next().unwrap_or(first)
    };
    let (chapter, blocks) =
        table.lines().filter_map(|line| line.split_once(": ")).find(|(chapter, _)| within(chapter))?;
    let block =
        blocks.split(' ').find(|block| *block == category).or_else(|| blocks.split(' ').find(|block| within(block)));
    let mut labels = Vec::new();
    if rest.len() > 1 {
        labels.push(format!("{category}.{}-", &rest[..1]));
    }
    labels.push(format!("{category}.-"));
    labels.extend(block.and_then(|block| block.split('+').next()).map(str::to_owned));
    labels.push(chapter.to_owned());
    Some(labels)
}

/// The regions of a country, by the heading above its line.
fn country(value: &str) -> Option<Vec<String>> {
    let plain = |text: &str| text.trim().to_lowercase().replace(['-', '_'], " ");
    let wanted = plain(value);
    let mut heading = "";
    for line in COUNTRIES.lines() {
        if let Some(regions) = line.strip_prefix('#') {
            heading = regions;
        } else if line.split(';').any(|spelling| plain(spelling) == wanted) {
            let regions = heading.split('<').map(|region| region.trim().to_owned());
            return Some(regions.filter(|region| !region.is_empty()).collect());
        }
    }
    None
}

/// The prefix, the state and the region of a ZIP code, by the lines `region: state prefix prefix-prefix …`.
fn zip(value: &str) -> Option<Vec<String>> {
    let right = match value.len() {
        5 => digits(value),
        10 => value.as_bytes()[5] == b'-' && value.get(..5).is_some_and(digits) && value.get(6..).is_some_and(digits),
        _ => false,
    };
    let prefix = value.get(..3).filter(|_| right)?;
    for line in include_str!("../../trees/us-zip.txt").lines() {
        let (region, rest) = line.split_once(": ")?;
        let mut parts = rest.split(' ');
        let state = parts.next()?;
        // Prefixes have three digits, so their order as texts is that of the numbers.
        let has = parts.any(|range| range[..3] <= *prefix && *prefix <= range[range.len() - 3..]);
        if has {
            let mut labels = vec![format!("{prefix}**"), state.to_owned(), region.to_owned()];
            if value.len() > 5 {
                labels.insert(0, format!("{}-****", &value[..5]));
            }
            return Some(labels);
        }
    }
    None
}

fn digits(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit())
}

/// A code by fewer and fewer of its digits.
fn stars(code: &str, least: usize, width: usize) -> Vec<String> {
    let mut labels = Vec::new();
    let mut kept = code.len();
    while kept > least {
        kept -= 1;
        labels.push(format!("{:*<width$}", &code[..kept]));
    }
    labels
}

/// The title of the group of a code, which has the same first two characters.
fn title(table: &str, code: &str) -> Option<String> {
    table.lines().find_map(|line| Some(line.strip_prefix(code.get(..2)?)?.strip_prefix(';')?.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::classifications;

    const ODD: &str = concat!(
        "| |I21|QA0|QA0.1|IVF|A97|I21.|I21.0|I2|I21..0|I210000|I21.00000|I21.0-|I21.0†|ä21|I21é|21I|C7A|c7a.1|D49|250.0|DE|de |d-e|Guinea-Bissau|",
        "guinea bissau|XX|12345|1234|02139-4307|02139-430|021394307|00000|99999|2211|0|00000|334111|3|31-33|31-3|31-331|11-1011|",
        "111011|11 1011|1-11011|129999|37|037|-3|+3|90|130|131|255|256|3.0|é1-1011|ééé|éé-éé|44-45-46",
    );

    #[test]
    fn both_readings_agree_about_odd_values() {
        for tree in BuiltinTree::ALL {
            for value in ODD.split('|') {
                assert_eq!(upward(tree, value), classifications::above(tree, value), "{tree} {value}");
                assert_eq!(hides(tree, value), classifications::is_hidden(tree, value), "{tree} {value}");
            }
        }
    }

    #[test]
    fn labels_stand_below_others() {
        for (tree, text, expected) in [
            (BuiltinTree::Icd10, "I21.-", "I21.- < I20-I25 < I00-I99"),
            (BuiltinTree::Icd10, "I20-I25", "I20-I25 < I00-I99"),
            (BuiltinTree::Icd10, "I00-I99", "I00-I99"),
            (BuiltinTree::Icd10, "B99", "B99 < B99.- < B99 < A00-B99"),
            (BuiltinTree::Countries, "Western Europe", "Western Europe < Europe"),
            (BuiltinTree::UsZip, "021**", "021** < MA < Northeast"),
            (BuiltinTree::UsZip, "MA", "MA < Northeast"),
            (BuiltinTree::UsZip, "02139-****", "02139-**** < 021** < MA < Northeast"),
            (BuiltinTree::Naics, "334***", "334*** < 31-33 Manufacturing"),
            (BuiltinTree::Naics, "44-45 Retail Trade", "44-45 Retail Trade"),
            (BuiltinTree::Isco, "22**", "22** < 2***"),
            (BuiltinTree::Soc, "11 Management", "11 Management"),
            (BuiltinTree::Soc, "11-1***", "11-1*** < 11 Management"),
            (BuiltinTree::AgeBands, "[35-39]", "[35-39] < [30-39] < [20-39]"),
            (BuiltinTree::AgeBands, "80+", "80+"),
        ] {
            assert_eq!(line(tree, text).map(|labels| labels.join(" < ")).as_deref(), Some(expected), "{tree} {text}");
        }
        assert_eq!(line(BuiltinTree::Icd10, "nothing"), None);
    }
}
