//! Is a release what it claims to be? From its files and the original table alone.
//!
//! Rows are matched with people by their [key](KEY), so the order of the rows does not matter, nor who was left out.

use std::collections::{BTreeMap, BTreeSet};

use crate::grid::Grid;
use crate::kind::{Kind, MISSING};
use crate::people::{Column, KEY, SENSITIVE};

/// What a release is held against.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The table it was made from.
    pub original: &'a Grid,
    /// Its quasi-identifiers.
    pub quasi: &'a [Column],
    /// How many people must be in each class.
    pub k: usize,
    /// How many different sensitive values.
    pub l: usize,
    /// How many people may have been left out.
    pub left_out: usize,
    /// Whether cells must be exactly the closures of their classes, not only cover everybody's values; and no column more
    /// may be there.
    pub exact: bool,
}

/// A published table with the place in the original of each row.
struct Keyed<'a> {
    asked: Asked<'a>,
    release: &'a Grid,
    people: Vec<usize>,
}

/// Checks a release by one of the six forms; `part` is its second table, where it has one.
pub fn check(asked: Asked, form: &str, release: &Grid, part: Option<&Grid>) {
    let keyed = Keyed::new(asked, release);
    let part = || part.expect("the form has a second table");
    match form {
        "generalization" => keyed.generalization(),
        "centres" => keyed.centres(),
        "ring" => keyed.ring(),
        "anatomy" => keyed.anatomy(part()),
        "slicing" => keyed.slicing(part()),
        "randomization" => keyed.randomization(),
        other => panic!("there is no form {other}"),
    }
}

impl<'a> Keyed<'a> {
    fn new(asked: Asked<'a>, release: &'a Grid) -> Self {
        let keys = asked.original.column(KEY);
        let person = |key: &&str| keys.iter().position(|other| other == key);
        let people: Vec<usize> = release
            .column(KEY)
            .iter()
            .map(|key| person(key).unwrap_or_else(|| panic!("nobody has the key {key}")))
            .collect();
        let different: BTreeSet<usize> = people.iter().copied().collect();
        assert_eq!(different.len(), people.len(), "somebody is published twice");
        assert!(people.len() + asked.left_out >= keys.len(), "{} of {} rows are published", people.len(), keys.len());
        assert!(release.place("name").is_none(), "an identifier is published");
        Keyed { asked, release, people }
    }

    /// What a published row has in a column.
    fn published(&self, column: &str, row: usize) -> &'a str {
        let place = self.release.place(column).unwrap_or_else(|| panic!("there is no column {column}"));
        &self.release.rows[row][place]
    }

    /// What the person behind a published row has in a column.
    fn own(&self, column: &str, row: usize) -> &'a str {
        let place = self.asked.original.place(column).unwrap_or_else(|| panic!("there is no column {column}"));
        &self.asked.original.rows[self.people[row]][place]
    }

    /// The rows with the same texts in these columns, each with at least k people and l sensitive values.
    fn classes(&self, columns: &[&str]) -> Vec<Vec<usize>> {
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in 0..self.people.len() {
            classes.entry(columns.iter().map(|column| self.published(column, row)).collect()).or_default().push(row);
        }
        for (texts, rows) in &classes {
            assert!(rows.len() >= self.asked.k, "{} rows have {texts:?}", rows.len());
            let values: BTreeSet<&str> = rows.iter().map(|row| self.own(SENSITIVE, *row)).collect();
            assert!(values.len() >= self.asked.l, "{} values of {SENSITIVE} are where {texts:?} is", values.len());
        }
        classes.into_values().collect()
    }

    fn names(&self) -> Vec<&'static str> {
        self.asked.quasi.iter().map(|column| column.name).collect()
    }

    fn header(&self, expected: &[&str]) {
        if self.asked.exact {
            assert_eq!(self.release.header, expected);
        }
    }

    /// The header of the original without the identifier, with these columns before it.
    fn as_original(&self, before: &[&'static str]) -> Vec<&'a str> {
        before.iter().copied().chain(self.asked.original.header[1..].iter().map(String::as_str)).collect()
    }

    /// What a text of a column says. Where cells need not be exact, a number or a day may be spelled in another way.
    fn said(&self, column: &str, text: &str) -> String {
        let kind = self.asked.quasi.iter().find(|quasi| quasi.name == column).map(|quasi| quasi.kind);
        let position = kind.filter(|_| !self.asked.exact).and_then(|kind| kind.position(text));
        position.map_or_else(|| text.to_owned(), |position| position.to_string())
    }

    /// These columns are as they were.
    fn unchanged(&self, columns: &[&str]) {
        for column in columns {
            for row in 0..self.people.len() {
                let (now, before) = (self.published(column, row), self.own(column, row));
                assert_eq!(self.said(column, now), self.said(column, before), "{column} in row {}", row + 1);
            }
        }
    }

    /// The rows of every class have, taken together, what their people have in these columns.
    fn exchanged(&self, columns: &[&str], classes: &[Vec<usize>]) {
        for rows in classes {
            let sorted = |text: fn(&Self, &str, usize) -> &'a str| {
                let said = |column: &&str, row: usize| self.said(column, text(self, column, row));
                let texts = |row: &usize| columns.iter().map(|column| said(column, *row)).collect::<Vec<_>>();
                let mut all: Vec<Vec<String>> = rows.iter().map(texts).collect();
                all.sort_unstable();
                all
            };
            assert_eq!(sorted(Self::published), sorted(Self::own), "{columns:?} of rows {rows:?}");
        }
    }

    fn generalization(&self) {
        self.header(&self.as_original(&[]));
        self.unchanged(&[KEY, SENSITIVE]);
        for rows in self.classes(&self.names()) {
            for column in self.asked.quasi {
                self.cell(column, rows[0], &rows);
            }
        }
    }

    /// The cell of a row stands for these rows' people.
    fn cell(&self, column: &Column, row: usize, people: &[usize]) {
        let all = self.asked.original.column(column.name);
        let text = self.published(column.name, row);
        let values: Vec<&str> = people.iter().map(|other| self.own(column.name, *other)).collect();
        if self.asked.exact {
            assert_eq!(text, column.kind.closure(&values, &all), "{} of {values:?}", column.name);
        }
        for value in values {
            assert!(column.kind.covers(text, value, &all), "{}: {text} does not stand for {value}", column.name);
        }
    }

    fn centres(&self) {
        self.header(&self.as_original(&[]));
        self.unchanged(&[KEY, SENSITIVE]);
        for rows in self.classes(&self.names()) {
            for column in self.asked.quasi {
                let values: Vec<&str> = rows.iter().map(|row| self.own(column.name, *row)).collect();
                centre(column, self.published(column.name, rows[0]), &values);
            }
        }
    }

    fn ring(&self) {
        self.header(&self.as_original(&["group", "place", "window"]));
        self.unchanged(&[KEY, SENSITIVE]);
        let number = |column: &str, row: usize| self.published(column, row).parse::<usize>().expect("a whole number");
        for mut rows in self.classes(&["group"]) {
            rows.sort_by_key(|row| number("place", *row));
            let places: Vec<usize> = rows.iter().map(|row| number("place", *row)).collect();
            assert_eq!(places, (1..=rows.len()).collect::<Vec<_>>(), "places of a ring");
            let window = number("window", rows[0]);
            assert!(window >= self.asked.k && window <= rows.len(), "a window of {window} in {} rows", rows.len());
            for column in self.asked.quasi {
                let all = self.asked.original.column(column.name);
                for row in &rows {
                    assert_eq!(number("window", *row), window);
                    let text = self.published(column.name, *row);
                    let fit =
                        rows.iter().filter(|other| column.kind.covers(text, self.own(column.name, **other), &all));
                    assert!(fit.count() >= window, "{}: {text} stands for too few", column.name);
                }
            }
            // The row at place j has the closure of the records from j on, and carries record j + c.
            let size = rows.len();
            let turned = |shift: usize| {
                (0..size).all(|place| {
                    let people: Vec<usize> =
                        (0..window).map(|step| rows[(place + step + size - shift) % size]).collect();
                    self.asked.quasi.iter().all(|column| {
                        let all = self.asked.original.column(column.name);
                        let values: Vec<&str> = people.iter().map(|row| self.own(column.name, *row)).collect();
                        let text = self.published(column.name, rows[place]);
                        let covers = values.iter().all(|value| column.kind.covers(text, value, &all));
                        covers && (!self.asked.exact || text == column.kind.closure(&values, &all))
                    })
                })
            };
            assert!((0..window).any(turned), "no turn of the ring gives its cells: rows {rows:?}");
        }
    }

    /// Everybody's quasi-identifiers beside the number of a group.
    fn grouped(&self) -> Vec<Vec<usize>> {
        let classes = self.classes(&["group"]);
        if self.asked.exact {
            let mut seen = Vec::new();
            for group in self.release.column("group") {
                if !seen.contains(&group) {
                    seen.push(group);
                    assert_eq!(group, seen.len().to_string(), "groups are numbered as they come up");
                }
            }
        }
        classes
    }

    fn anatomy(&self, values: &Grid) {
        let header = self.as_original(&["group"]);
        self.header(&header[..header.len() - 1]);
        self.unchanged(&[&[KEY], &self.names()[..]].concat());
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let (groups, texts, times) = (values.column("group"), values.column(SENSITIVE), values.column("count"));
        for ((group, text), times) in groups.iter().zip(texts).zip(times) {
            *counts.entry((group, text)).or_default() += times.parse::<usize>().expect("a whole number");
        }
        let mut expected: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for row in self.grouped().concat() {
            *expected.entry((self.published("group", row), self.own(SENSITIVE, row))).or_default() += 1;
        }
        assert_eq!(counts, expected, "how often each value occurs in each group");
    }

    fn slicing(&self, slices: &Grid) {
        self.header(&self.as_original(&["group"]));
        let classes = self.grouped();
        let mut sets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (column, slice) in slices.column("column").into_iter().zip(slices.column("slice")) {
            sets.entry(slice).or_default().push(column);
        }
        let listed: BTreeSet<&str> = sets.values().flatten().copied().collect();
        let expected: BTreeSet<&str> = self.as_original(&[]).into_iter().collect();
        assert!(listed.is_superset(&expected), "{listed:?}");
        for columns in sets.values() {
            assert!(!columns.contains(&SENSITIVE) || columns.len() == 1, "{columns:?} are one slice");
            self.exchanged(columns, &classes);
        }
    }

    fn randomization(&self) {
        self.header(&self.as_original(&["group"]));
        self.unchanged(&[&[KEY], &self.names()[..]].concat());
        self.exchanged(&[SENSITIVE], &self.grouped());
    }
}

/// Whether a text stands in the centre of these values: the mean of numbers and days, the lower median of ordered categories, a most
/// frequent one of others.
fn centre(column: &Column, text: &str, values: &[&str]) {
    let known: Vec<f64> = values.iter().filter_map(|value| column.kind.position(value)).collect();
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    let name = column.name;
    match column.kind {
        Kind::Number | Kind::Day | Kind::Ordered(_) if known.is_empty() => {
            assert!(text.is_empty() || text == MISSING, "{name}: {text} of {values:?}");
        }
        Kind::Number => {
            let centre: f64 = text.trim().parse().unwrap_or(f64::NAN);
            assert!((centre - mean).abs() < 1e-6, "{name}: {text} of {values:?}");
        }
        // A mean of days is the day that has begun.
        Kind::Day => {
            let day = column.kind.position(text).unwrap_or(f64::NAN);
            assert!(day <= mean + 1e-6 && mean < day + 1.0 + 1e-6, "{name}: {text} of {values:?}");
        }
        Kind::Ordered(_) => {
            let mut sorted = known;
            sorted.sort_by(f64::total_cmp);
            let median = sorted[(sorted.len() - 1) / 2];
            assert_eq!(column.kind.position(text), Some(median), "{name}: {text} of {values:?}");
        }
        Kind::Tree(_) | Kind::Set | Kind::Suppress => {
            let times = |value: &str| values.iter().filter(|other| **other == value).count();
            assert!(values.iter().all(|value| times(value) <= times(text)), "{name}: {text} of {values:?}");
        }
    }
}
