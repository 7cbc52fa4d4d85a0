//! Releases read and losses computed from texts, straight from the definitions and without the library.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate};

use crate::tables::{Column, Sort};

/// A column and the text of its missing values.
#[derive(Clone, Copy)]
pub struct Naive<'a> {
    pub column: &'a Column,
    pub missing: &'a str,
}

impl Naive<'_> {
    /// Where a value stands; `None` for what is not a value with a place.
    fn place(self, text: &str) -> Option<f64> {
        match &self.column.sort {
            Sort::Integer | Sort::Decimal => text.parse().ok(),
            Sort::Date => text.parse::<NaiveDate>().ok().map(|d| f64::from(d.num_days_from_ce())),
            Sort::Ordered(order) => order.iter().position(|o| o == text).map(|i| i as f64),
            _ => None,
        }
    }

    pub fn same(self, a: &str, b: &str) -> bool {
        a == b || self.place(a).is_some() && self.place(a) == self.place(b)
    }

    /// The labels from a leaf to the root.
    pub fn path(self, leaf: &str) -> Vec<String> {
        let Sort::Taxonomy(paths) = &self.column.sort else { return vec![leaf.to_owned()] };
        match paths.iter().find(|p| p[0] == leaf) {
            Some(path) => path.clone(),
            None => vec![leaf.to_owned(), paths[0].last().unwrap().clone()], // missing hangs below the root
        }
    }

    /// Every value the column can have, each once; missing is one where it occurs.
    pub fn values(self) -> Vec<String> {
        let mut values: Vec<String> = match &self.column.sort {
            Sort::Ordered(order) => order.clone(),
            Sort::Taxonomy(paths) => paths.iter().map(|p| p[0].clone()).collect(),
            _ => Vec::new(),
        };
        for cell in &self.column.cells {
            if !values.iter().any(|v| self.same(v, cell)) {
                values.push(cell.clone());
            }
        }
        values
    }

    /// The values in the closure of a class.
    pub fn closure(self, class: &[&str]) -> Vec<String> {
        let all = self.values();
        if class.iter().all(|v| self.same(v, class[0])) {
            return vec![class[0].to_owned()];
        }
        let holes = class.contains(&self.missing);
        match &self.column.sort {
            Sort::Set => all.into_iter().filter(|v| class.contains(&v.as_str())).collect(),
            Sort::Suppress => all,
            Sort::Taxonomy(_) => {
                let paths: Vec<Vec<String>> = class.iter().map(|v| self.path(v)).collect();
                let common = paths[0].iter().find(|label| paths.iter().all(|p| p.contains(label))).unwrap();
                all.into_iter().filter(|v| self.path(v).contains(common)).collect()
            }
            _ if holes => all,
            _ => {
                let places = || class.iter().map(|v| self.place(v).unwrap());
                let (lo, hi) = (places().fold(f64::MAX, f64::min), places().fold(f64::MIN, f64::max));
                let within = |v: &String| *v != self.missing && self.place(v).is_some_and(|p| lo <= p && p <= hi);
                all.into_iter().filter(within).collect()
            }
        }
    }

    /// True when a published cell allows the value.
    pub fn covers(self, cell: &str, value: &str) -> bool {
        if cell == "*" || cell == value || self.path(value).iter().any(|label| label == cell) {
            return true;
        }
        let inner = |open, close| cell.strip_prefix(open).and_then(|c: &str| c.strip_suffix(close));
        match &self.column.sort {
            Sort::Set => inner('{', '}').is_some_and(|list| members(list).iter().any(|m| m == value)),
            Sort::Taxonomy(_) | Sort::Suppress => false,
            _ if value == self.missing => false,
            _ => match inner('[', ']') {
                None => self.same(cell, value),
                Some(bounds) => {
                    // `lo - hi`, or `lo-hi` where lo may have a sign.
                    let (lo, hi) = bounds.split_once(" - ").unwrap_or_else(|| {
                        let dash = bounds[1..].find('-').expect("a range has a dash") + 1;
                        (&bounds[..dash], &bounds[dash + 1..])
                    });
                    let place = |text| self.place(text).expect("bounds are values");
                    place(lo) <= place(value) && place(value) <= place(hi)
                }
            },
        }
    }

    /// The values that a published cell allows.
    pub fn covered(self, cell: &str) -> Vec<String> {
        self.values().into_iter().filter(|v| self.covers(cell, v)).collect()
    }

    /// What `cost` makes of the level of a closure and the height of the tree; of numbers and ordered categories the
    /// share of the extent. A node's level is the longest way down to a leaf.
    pub fn level(self, covered: &[String], cost: impl Fn(f64, f64) -> f64) -> f64 {
        if covered.len() == 1 {
            return 0.0;
        }
        if let Sort::Ordered(_) = self.column.sort {
            return self.lm(covered, true);
        }
        if let Some(extent) = self.extent(covered) {
            return extent;
        }
        let Sort::Taxonomy(_) = &self.column.sort else { return cost(1.0, 1.0) };
        let paths: Vec<Vec<String>> = covered.iter().map(|v| self.path(v)).collect();
        let common = paths[0].iter().find(|label| paths.iter().all(|p| p.contains(label))).unwrap();
        let level = paths.iter().map(|p| p.iter().position(|label| label == common).unwrap()).max().unwrap();
        let height = self.values().iter().map(|v| self.path(v).len() - 1).max().unwrap();
        cost(level as f64, height as f64)
    }

    /// (max - min) / (MAX - MIN) for numbers and dates; everything once missing values are among others.
    fn extent(self, covered: &[String]) -> Option<f64> {
        if !matches!(self.column.sort, Sort::Integer | Sort::Decimal | Sort::Date) {
            return None;
        }
        if covered.len() > 1 && covered.iter().any(|v| v == self.missing) {
            return Some(1.0);
        }
        let width = |values: &[String]| {
            let places = || values.iter().filter_map(|v| self.place(v));
            places().fold(f64::MIN, f64::max) - places().fold(f64::MAX, f64::min)
        };
        Some(if covered.len() == 1 { 0.0 } else { width(covered) / width(&self.values()) })
    }

    /// Iyengar's LM of a cell that allows the `covered` values: (|R| - 1) / (|A| - 1).
    pub fn lm(self, covered: &[String], by_range: bool) -> f64 {
        match self.extent(covered) {
            Some(extent) if by_range => extent,
            _ if self.values().len() == 1 => 0.0,
            _ => (covered.len() - 1) as f64 / (self.values().len() - 1) as f64,
        }
    }

    /// NCP of a cell that allows the `covered` values: the range ratio where values have places, else |R| / |A|,
    /// and 0 for a single value.
    pub fn ncp(self, covered: &[String]) -> f64 {
        match (self.extent(covered), &self.column.sort) {
            (Some(extent), _) => extent,
            _ if covered.len() == 1 => 0.0,
            (_, Sort::Ordered(_)) => self.lm(covered, false),
            _ => covered.len() as f64 / self.values().len() as f64,
        }
    }
}

/// `a, "b, c", "say ""x"""`.
fn members(list: &str) -> Vec<String> {
    let mut members = vec![String::new()];
    let (mut quoted, mut before) = (false, ' ');
    for c in list.chars() {
        let member = members.last_mut().unwrap();
        match c {
            '"' if !quoted && before == '"' => {
                member.push('"');
                quoted = true;
            }
            '"' => quoted = !quoted,
            ',' if !quoted => members.push(String::new()),
            ' ' if !quoted && member.is_empty() => {}
            c => member.push(c),
        }
        before = c;
    }
    members
}

/// The rows of each class: those with equal texts.
pub fn classes<'a>(rows: impl Iterator<Item = Vec<&'a str>>) -> BTreeMap<Vec<&'a str>, Vec<usize>> {
    let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for (row, cells) in rows.enumerate() {
        classes.entry(cells).or_default().push(row);
    }
    classes
}
