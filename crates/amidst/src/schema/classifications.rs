//! Public classifications: what stands above a code of ICD-10, a country, a ZIP code and so on.
//!
//! The tables are in `trees/`, with their sources and licences. A code is recognized by its form and by the table, so trees need no list of
//! all codes. The verification reads the same tables with code of its own (`verify/builtin.rs`).

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::notation;
use crate::plan::BuiltinTree;

/// The age from which ages are one band and are never published, as HIPAA's Safe Harbor rule wants it.
const OLD: u32 = 90;

/// Nobody is older.
const OLDEST: u32 = 130;

/// The labels above a value, from the lowest up to the one below the root. `None` if the classification does not have the value.
pub fn above(tree: BuiltinTree, value: &str) -> Option<Vec<String>> {
    let value = value.trim();
    match tree {
        BuiltinTree::Icd10 => above_code(&ICD10, value, false),
        BuiltinTree::Icd10cm => above_code(&ICD10CM, value, true),
        BuiltinTree::Countries => COUNTRIES.get(&spelled(value)).cloned(),
        BuiltinTree::UsZip => above_zip(value),
        BuiltinTree::Isco => is_digits(value, 1..=4).then(|| masked(value, 1, 4)),
        BuiltinTree::Naics => above_industry(value),
        BuiltinTree::Soc => above_occupation(value),
        BuiltinTree::AgeBands => above_age(value),
    }
}

/// Whether a value of a classification is never published by itself.
pub fn is_hidden(tree: BuiltinTree, value: &str) -> bool {
    tree == BuiltinTree::AgeBands && value.trim().parse().is_ok_and(|age| (OLD..=OLDEST).contains(&age))
}

/// A chapter of ICD-10 or one of its blocks.
struct Section {
    label: &'static str,
    first: &'static str,
    last: &'static str,
    /// Categories with letters that belong to it, too.
    more: Vec<&'static str>,
    below: Vec<Section>,
}

static ICD10: LazyLock<Vec<Section>> = LazyLock::new(|| chapters(include_str!("../../trees/icd10.txt")));
static ICD10CM: LazyLock<Vec<Section>> = LazyLock::new(|| chapters(include_str!("../../trees/icd10cm.txt")));

/// The labels above each spelling of a country.
static COUNTRIES: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let (mut countries, mut above) = (HashMap::new(), Vec::new());
    for line in include_str!("../../trees/countries.txt").lines() {
        if let Some(regions) = line.strip_prefix('#') {
            above =
                regions.split('<').map(|region| region.trim().to_owned()).filter(|region| !region.is_empty()).collect();
        } else {
            countries.extend(line.split(';').map(|spelling| (spelled(spelling), above.clone())));
        }
    }
    countries
});

/// The state and the region of each prefix of three digits.
static ZIPS: LazyLock<HashMap<u32, (&'static str, &'static str)>> = LazyLock::new(|| {
    let mut zips = HashMap::new();
    for line in include_str!("../../trees/us-zip.txt").lines() {
        let (region, rest) = line.split_once(": ").unwrap_or_default();
        let (state, ranges) = rest.split_once(' ').unwrap_or_default();
        for range in ranges.split(' ') {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let prefixes = first.parse().unwrap_or(1)..=last.parse::<u32>().unwrap_or(0);
            zips.extend(prefixes.map(|prefix| (prefix, (state, region))));
        }
    }
    zips
});

fn chapters(text: &'static str) -> Vec<Section> {
    text.lines()
        .filter_map(|line| line.split_once(": "))
        .map(|(chapter, blocks)| {
            let below = blocks.split(' ').map(|block| section(block, Vec::new())).collect();
            section(chapter, below)
        })
        .collect()
}

fn section(text: &'static str, below: Vec<Section>) -> Section {
    let mut parts = text.split('+');
    let label = parts.next().unwrap_or_default();
    let (first, last) = label.split_once('-').unwrap_or((label, label));
    Section { label, first, last, more: parts.collect(), below }
}

impl Section {
    fn has(&self, category: &str) -> bool {
        self.first <= category && category <= self.last || self.more.contains(&category)
    }
}

/// The category, the block if there is one, and the chapter of a code such as `I21.0`, `I210` or `I21`.
fn above_code(chapters: &'static [Section], code: &str, letters: bool) -> Option<Vec<String>> {
    let code = code.trim_end_matches(['*', '+', '!', '†', '-']).to_ascii_uppercase();
    let plain = match code.split_once('.') {
        Some((category, "")) if category.len() == 3 => category.to_owned(),
        Some((category, rest)) if category.len() == 3 => format!("{category}{rest}"),
        Some(_) => return None,
        None => code,
    };
    let bytes = plain.as_bytes();
    let is_code = (3..=7).contains(&bytes.len())
        && bytes.iter().all(u8::is_ascii_alphanumeric)
        && bytes[0].is_ascii_alphabetic()
        && (bytes[1].is_ascii_digit() || letters)
        && (bytes[2].is_ascii_digit() || letters);
    let category = plain.get(..3).filter(|_| is_code)?;
    let chapter = chapters.iter().find(|chapter| chapter.has(category))?;
    // A block of a single category stands within the range of its neighbours.
    let of_one = chapter.below.iter().find(|block| block.label == category);
    let block = of_one.or_else(|| chapter.below.iter().find(|block| block.has(category)));
    let subcategory = (plain.len() > 4).then(|| format!("{category}.{}-", &plain[3..4]));
    let upper = [block, Some(chapter)].into_iter().flatten().map(|section| section.label.to_owned());
    Some(subcategory.into_iter().chain([format!("{category}.-")]).chain(upper).collect())
}

/// A spelling of a country without regard to case and hyphens.
fn spelled(text: &str) -> String {
    text.trim().to_lowercase().replace(['-', '_'], " ")
}

fn above_zip(value: &str) -> Option<Vec<String>> {
    let (zip, plus) = value.split_once('-').map_or((value, None), |(zip, plus)| (zip, Some(plus)));
    if !is_digits(zip, 5..=5) || plus.is_some_and(|plus| !is_digits(plus, 4..=4)) {
        return None;
    }
    let (state, region) = ZIPS.get(&zip[..3].parse().ok()?)?;
    let area = plus.map(|_| format!("{zip}-****"));
    Some(area.into_iter().chain([format!("{}**", &zip[..3]), (*state).to_owned(), (*region).to_owned()]).collect())
}

fn above_industry(value: &str) -> Option<Vec<String>> {
    let range = value.split_once('-').filter(|(first, last)| is_digits(first, 2..=2) && is_digits(last, 2..=2));
    let digits = range.map_or(value, |(first, _)| first);
    if !is_digits(digits, 2..=6) {
        return None;
    }
    let sector = titled(include_str!("../../trees/naics.txt"), &digits[..2])?;
    Some(masked(digits, 3, 6).into_iter().chain([sector]).collect())
}

fn above_occupation(value: &str) -> Option<Vec<String>> {
    let plain = value.replacen('-', "", 1);
    let in_place = !value.contains('-') || value.find('-') == Some(2);
    if !in_place || !is_digits(&plain, 6..=6) {
        return None;
    }
    let group = titled(include_str!("../../trees/soc.txt"), &plain[..2])?;
    Some(vec![format!("{}-{}*", &plain[..2], &plain[2..5]), format!("{}-{}***", &plain[..2], &plain[2..3]), group])
}

fn above_age(value: &str) -> Option<Vec<String>> {
    let age = value.parse::<u32>().ok().filter(|age| *age <= OLDEST)?;
    let band = |width: u32| {
        let first = age / width * width;
        notation::numbers(&first.to_string(), &(first + width - 1).to_string())
    };
    Some(match age {
        OLD.. => vec!["90+".to_owned(), "80+".to_owned()],
        80.. => vec![band(5), band(10), "80+".to_owned()],
        _ => vec![band(5), band(10), band(20)],
    })
}

fn is_digits(text: &str, length: std::ops::RangeInclusive<usize>) -> bool {
    length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The code with fewer and fewer digits, down to `least`, and stars up to `width`.
fn masked(code: &str, least: usize, width: usize) -> Vec<String> {
    (least..code.len()).rev().map(|kept| format!("{}{}", &code[..kept], "*".repeat(width - kept))).collect()
}

/// The title of a code in a table of `code;title`.
fn titled(table: &str, code: &str) -> Option<String> {
    let mut lines = table.lines().filter_map(|line| line.split_once(';'));
    lines.find(|(of, _)| *of == code).map(|(_, title)| title.to_owned())
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    fn told(tree: BuiltinTree, value: &str) -> Option<String> {
        above(tree, value).map(|labels| labels.join(" < "))
    }

    #[test]
    fn codes_and_what_is_above_them() {
        for (tree, value, expected) in [
            (BuiltinTree::Icd10, "I21.0", Some("I21.- < I20-I25 < I00-I99")),
            (BuiltinTree::Icd10, "i210", Some("I21.- < I20-I25 < I00-I99")),
            (BuiltinTree::Icd10, "I21", Some("I21.- < I20-I25 < I00-I99")),
            (BuiltinTree::Icd10, "E11.90", Some("E11.9- < E11.- < E10-E14 < E00-E90")),
            (BuiltinTree::Icd10, "G63.2*", Some("G63.- < G60-G64 < G00-G99")),
            (BuiltinTree::Icd10, "U07.1", Some("U07.- < U00-U49 < U00-U99")),
            (BuiltinTree::Icd10, "X42", Some("X42.- < X40-X49 < V01-Y98")),
            (BuiltinTree::Icd10, "A97.0", Some("A97.- < A92-A99 < A00-B99")),
            // A category of earlier editions has a chapter and no block.
            (BuiltinTree::Icd10, "A90", Some("A90.- < A00-B99")),
            (BuiltinTree::Icd10, "D49", None),
            (BuiltinTree::Icd10, "QA0.0", None),
            (BuiltinTree::Icd10, "C7A.0", None),
            (BuiltinTree::Icd10, "250.00", None),
            (BuiltinTree::Icd10cm, "D49", Some("D49.- < D49 < C00-D49")),
            (BuiltinTree::Icd10cm, "C7A.00", Some("C7A.0- < C7A.- < C7A < C00-D49")),
            (BuiltinTree::Icd10cm, "D3A.00", Some("D3A.0- < D3A.- < D3A < C00-D49")),
            (BuiltinTree::Icd10cm, "M1A.0", Some("M1A.- < M05-M14 < M00-M99")),
            (BuiltinTree::Icd10cm, "S52.521A", Some("S52.5- < S52.- < S50-S59 < S00-T88")),
            (BuiltinTree::Icd10cm, "QA0.0141", Some("QA0.0- < QA0.- < QA0 < Q00-QA0")),
            (BuiltinTree::Icd10cm, "QB0", None),
            (BuiltinTree::Icd10cm, "IVF", None),
            (BuiltinTree::Countries, "de", Some("Western Europe < Europe")),
            (BuiltinTree::Countries, "DEU", Some("Western Europe < Europe")),
            (BuiltinTree::Countries, "United-States", Some("Northern America < Americas")),
            (BuiltinTree::Countries, "BR", Some("South America < Latin America and the Caribbean < Americas")),
            (BuiltinTree::Countries, "AQ", Some("")),
            (BuiltinTree::Countries, "Atlantis", None),
            (BuiltinTree::UsZip, "02139", Some("021** < MA < Northeast")),
            (BuiltinTree::UsZip, "02139-4307", Some("02139-**** < 021** < MA < Northeast")),
            (BuiltinTree::UsZip, "2139", None),
            (BuiltinTree::UsZip, "00012", None),
            (BuiltinTree::Isco, "2211", Some("221* < 22** < 2***")),
            (BuiltinTree::Isco, "22113", None),
            (BuiltinTree::Naics, "334111", Some("33411* < 3341** < 334*** < 31-33 Manufacturing")),
            (BuiltinTree::Naics, "44-45", Some("44-45 Retail Trade")),
            (BuiltinTree::Naics, "991111", None),
            (BuiltinTree::Soc, "11-1011", Some("11-101* < 11-1*** < 11 Management")),
            (BuiltinTree::Soc, "111011", Some("11-101* < 11-1*** < 11 Management")),
            (BuiltinTree::Soc, "12-1011", None),
            (BuiltinTree::AgeBands, "37", Some("[35-39] < [30-39] < [20-39]")),
            (BuiltinTree::AgeBands, "84", Some("[80-84] < [80-89] < 80+")),
            (BuiltinTree::AgeBands, "92", Some("90+ < 80+")),
            (BuiltinTree::AgeBands, "-1", None),
        ] {
            assert_eq!(told(tree, value).as_deref(), expected, "{tree} {value}");
        }
        assert!(is_hidden(BuiltinTree::AgeBands, "90") && !is_hidden(BuiltinTree::AgeBands, "89"));
    }

    /// Every three-character category has at most one chapter. Between the chapters of ICD-10 there are D49, D90 to D99, E91 to E99, H96 to H99,
    /// K94 to K99, P97 to P99, T99, V00 and Y99, which are 36. In ICD-10-CM, there are D90 to D99, E90 to E99, F00, H96 to H99, K96 to K99, P97 to
    /// P99, T89 to T99 and U86 to U99, which are 57.
    #[test]
    fn chapters_do_not_overlap() {
        for (chapters, gaps) in [(&*ICD10, 36), (&*ICD10CM, 57)] {
            let categories = ('A'..='Z').flat_map(|letter| (0..100).map(move |number| format!("{letter}{number:02}")));
            let mut without = 0;
            for category in categories {
                let of = chapters.iter().filter(|chapter| chapter.has(&category)).count();
                assert!(of <= 1, "{category}");
                without += usize::from(of == 0);
                let blocks: Vec<&str> =
                    chapters.iter().flat_map(|c| &c.below).filter(|b| b.has(&category)).map(|b| b.label).collect();
                assert!(blocks.len() <= 1, "{category}: {blocks:?}");
            }
            assert_eq!(without, gaps);
            assert!(
                chapters.iter().all(|chapter| chapter
                    .below
                    .iter()
                    .all(|block| chapter.has(block.first) && chapter.has(block.last)))
            );
        }
        assert_eq!((ICD10.len(), ICD10CM.len()), (22, 22));
    }

    #[test]
    fn countries_are_complete() {
        let text = include_str!("../../trees/countries.txt");
        let lines = || text.lines().filter(|line| !line.starts_with('#'));
        // ISO 3166-1 has 249 countries and areas: the 248 of M49 and Taiwan.
        assert_eq!(lines().count(), 249);
        let spellings: Vec<String> = lines().flat_map(|line| line.split(';').map(spelled)).collect();
        assert_eq!(spellings.len(), COUNTRIES.len(), "a spelling stands for two countries");
        assert!(lines().all(|line| line.as_bytes()[2] == b';' && line.as_bytes()[6] == b';'));
        let mut regions: Vec<&str> = COUNTRIES.values().filter_map(|above| above.last()).map(String::as_str).collect();
        regions.sort_unstable();
        regions.dedup();
        assert_eq!(regions, ["Africa", "Americas", "Asia", "Europe", "Oceania"]);
        // How many countries and areas M49 has in each region, with Taiwan in Asia.
        let count = |region: &str| {
            let codes = lines().map(|line| &line[..2]);
            codes.filter(|code| COUNTRIES[&spelled(code)].last().is_some_and(|last| last == region)).count()
        };
        assert_eq!(["Africa", "Americas", "Asia", "Europe", "Oceania"].map(count), [60, 57, 51, 51, 29]);
    }

    #[test]
    fn prefixes_of_zip_codes_have_one_state() {
        let listed = include_str!("../../trees/us-zip.txt")
            .lines()
            .flat_map(|line| line.split(' ').skip(2))
            .filter(|w| w.as_bytes()[0].is_ascii_digit());
        let listed = listed.map(|range| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            last.parse::<usize>().unwrap() - first.parse::<usize>().unwrap() + 1
        });
        assert_eq!(listed.sum::<usize>(), ZIPS.len(), "a prefix has two states");
        let mut states: Vec<&str> = ZIPS.values().map(|(state, _)| *state).collect();
        states.sort_unstable();
        states.dedup();
        // 50 states, the District of Columbia, Puerto Rico, the Virgin Islands, Guam with its neighbours, and three codes of the armed forces.
        assert_eq!(states.len(), 57);
        let region = |wanted: &str| {
            ZIPS.values()
                .filter(|(_, region)| *region == wanted)
                .map(|(state, _)| state)
                .collect::<std::collections::BTreeSet<_>>()
                .len()
        };
        // The Census Bureau's regions, with the District of Columbia in the South.
        assert_eq!(["Northeast", "Midwest", "South", "West"].map(region), [9, 12, 17, 13]);
        for (zip, state) in [
            ("10001", "NY"),
            ("20500", "DC"),
            ("60601", "IL"),
            ("75275", "TX"),
            ("90210", "CA"),
            ("99501", "AK"),
            ("00901", "PR"),
            ("87654", "NM"),
            ("96910", "GU/FM/MH/MP/PW"),
        ] {
            assert_eq!(above(BuiltinTree::UsZip, zip).unwrap()[1], state, "{zip}");
        }
    }

    /// Stored plans name these trees, so a table never changes; a new edition is a new file.
    #[test]
    fn tables_do_not_change() {
        let digest =
            |text: &str| Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect::<String>();
        let digests = [
            include_str!("../../trees/icd10.txt"),
            include_str!("../../trees/icd10cm.txt"),
            include_str!("../../trees/countries.txt"),
            include_str!("../../trees/us-zip.txt"),
            include_str!("../../trees/naics.txt"),
            include_str!("../../trees/soc.txt"),
        ]
        .map(digest);
        assert_eq!(digests, DIGESTS);
    }

    const DIGESTS: [&str; 6] = [
        "726f1b376f06711a",
        "b9471c0503e6e557",
        "3af16a63824e1fd9",
        "97ce641d85ff9a10",
        "e0509aa936f3d4b8",
        "26f53bd6b73368dd",
    ];
}
