//! Sensitive columns as codes.

use std::sync::Arc;

use arrow_array::DictionaryArray;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use rustc_hash::FxHashMap;

use super::Code;
use super::recoded::begin;
use super::values::Values;
use super::whole::Profiles;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::plan::Tree;
use crate::read::{Table, texts};
use crate::schema;
use crate::schema::{ISO_DATE, Level};

/// A sensitive column: its distinct values, and the value of every row. Missing is a value like any other,
/// and the values of a group count as one.
#[derive(Debug, Clone)]
pub struct Sensitive {
    name: String,
    values: Vec<String>,
    by_text: FxHashMap<String, Code>,
    codes: Vec<Code>,
    counts: Vec<u32>,
    scale: Scale,
    /// What the values stand for, if they are profiles of persons.
    pub(super) profiles: Option<Arc<Profiles>>,
}

/// How the values of a sensitive column relate to each other.
#[derive(Debug, Clone)]
pub enum Scale {
    /// The values differ, and nothing else is known.
    Nominal,
    /// Codes follow the order of the values.
    Ordered,
    /// Codes follow the leaves of a tree. Has the leaf of each code.
    Tree(Box<Hierarchy>, Vec<Code>),
}

impl Sensitive {
    pub(super) fn new(table: &Table, column: &schema::Sensitive, missing: &[String]) -> Result<Self> {
        let name = column.name.as_str();
        let texts = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        let missing = &markers(missing);
        let values = Values::new(name, table, &texts, missing);
        let Ranks { of_texts: ranks, labels, tree } = Ranks::new(column, &values)?;
        let ordered = column.order.is_some() || values.are_numbers() || coded(column, &values).is_some();

        // A missing value has code 0; the ranks that occur follow.
        let mut used: Vec<usize> = ranks.clone();
        used.sort_unstable();
        used.dedup();
        let mut by_text: FxHashMap<String, Code> = FxHashMap::default();
        let lowest = values.lowest();
        let first = usize::from(lowest.is_some());
        if lowest.is_some() {
            by_text.extend(missing.iter().map(|marker| (marker.clone(), 0)));
        }
        for (text, rank) in values.present.iter().zip(&ranks) {
            let code = first + used.binary_search(rank).unwrap_or_default();
            by_text.insert((*text).to_owned(), code as Code);
        }
        let scale = match tree {
            Some(tree) => {
                // A missing value that is no leaf has been added to the tree.
                let missing = lowest.as_ref().and_then(|label| tree.code(label));
                let leaves = missing.into_iter().chain(used.iter().map(|leaf| *leaf as Code)).collect();
                Scale::Tree(Box::new(tree), leaves)
            }
            None if ordered => Scale::Ordered,
            None => Scale::Nominal,
        };
        let values: Vec<String> = lowest.into_iter().chain(used.iter().map(|rank| labels[*rank].clone())).collect();
        let codes = codes(&texts, &by_text);
        let mut counts = vec![0; values.len()];
        codes.iter().for_each(|code| counts[*code as usize] += 1);
        Ok(Sensitive { name: name.to_owned(), values, by_text, codes, counts, scale, profiles: None })
    }

    /// A column with personal wishes, and the level that each of its values stands for. A missing value
    /// asks for nothing.
    pub(super) fn levels(table: &Table, column: &schema::Personal, missing: &[String]) -> Result<(Self, Vec<f64>)> {
        let plain = schema::Sensitive::plain(&column.name);
        let sensitive = Sensitive::new(table, &plain, missing)?;
        let texts = texts(table.column(&column.name)?).map_err(|e| Error::column(&column.name, &e))?;
        let missing = &markers(missing);
        let values = Values::new(&column.name, table, &texts, missing);
        let mut levels = vec![0.0; sensitive.values.len()];
        for text in &values.present {
            let expected = match column.level {
                Level::K => "a whole number of records to hide among, 1 or more",
                Level::L => "a diversity, a number from 1 up",
            };
            let whole = |level: &f64| column.level == Level::L || level.fract() == 0.0;
            let level = text.trim().parse::<f64>().ok().filter(|l| *l >= 1.0 && l.is_finite()).filter(whole);
            let level = level.ok_or_else(|| values.unparsable(text, expected.to_owned()))?;
            if let Some(code) = sensitive.code(text) {
                levels[code as usize] = level;
            }
        }
        Ok((sensitive, levels))
    }

    /// A column whose values have no names, from the code of each row. Rows that say nothing have the code `nothing`.
    pub(super) fn unnamed(name: &str, codes: Vec<Code>, nothing: Option<Code>) -> Self {
        let values = codes.iter().max().map_or(0, |code| *code as usize + 1);
        let by_text = nothing.map(|code| (String::new(), code)).into_iter().collect();
        Sensitive { by_text, ..Sensitive::of_codes(name, vec![String::new(); values], codes) }
    }

    /// The same column with only some of the rows. Values that do not occur in them are dropped.
    pub(super) fn select(&self, rows: &[u32]) -> Self {
        let mut counts = vec![0; self.values.len()];
        rows.iter().for_each(|row| counts[self.row(*row) as usize] += 1);
        let used: Vec<usize> = (0..counts.len()).filter(|code| counts[*code] > 0).collect();
        let mut renumbered: Vec<Option<Code>> = vec![None; counts.len()];
        used.iter().zip(0..).for_each(|(old, new)| renumbered[*old] = Some(new));
        let new = |old: Code| renumbered[old as usize];
        Sensitive {
            name: self.name.clone(),
            values: used.iter().map(|code| self.values[*code].clone()).collect(),
            by_text: self.by_text.iter().filter_map(|(text, code)| Some((text.clone(), new(*code)?))).collect(),
            codes: rows.iter().filter_map(|row| new(self.row(*row))).collect(),
            counts: used.iter().map(|code| counts[*code]).collect(),
            scale: match &self.scale {
                Scale::Tree(tree, leaves) => Scale::Tree(tree.clone(), used.iter().map(|code| leaves[*code]).collect()),
                other => other.clone(),
            },
            profiles: None,
        }
    }

    /// The same column with these profiles as values.
    pub(super) fn profiled(&self, codes: Vec<Code>, profiles: Profiles) -> Self {
        let values = (1..=profiles.parts.len()).map(|number| format!("profile {number}")).collect();
        Sensitive { profiles: Some(Arc::new(profiles)), ..Sensitive::of_codes(&self.name, values, codes) }
    }

    /// A column with these values and codes.
    pub(super) fn of_codes(name: &str, values: Vec<String>, codes: Vec<Code>) -> Self {
        let mut counts = vec![0; values.len()];
        codes.iter().for_each(|code| counts[*code as usize] += 1);
        let (by_text, scale) = (FxHashMap::default(), Scale::Nominal);
        Sensitive { name: name.to_owned(), values, by_text, codes, counts, scale, profiles: None }
    }

    /// The name of the column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The distinct values. Codes are indices into them.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// The number of rows with each value.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// How the values relate to each other.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// The code of a text. Null is the empty text.
    pub fn code(&self, text: &str) -> Option<Code> {
        self.by_text.get(text).copied()
    }

    /// The value of a row.
    pub fn row(&self, row: u32) -> Code {
        self.codes[row as usize]
    }
}

/// The order of the values of a sensitive column.
struct Ranks {
    /// The rank of each text. Texts with the same rank are one value.
    of_texts: Vec<usize>,
    /// The label of each rank.
    labels: Vec<String>,
    /// The tree of the values, if the column has one.
    tree: Option<Hierarchy>,
}

impl Ranks {
    fn new(column: &schema::Sensitive, values: &Values) -> Result<Self> {
        match column {
            schema::Sensitive { groups: Some(groups), .. } => Ranks::of_groups(groups, values),
            schema::Sensitive { hierarchy: Some(hierarchy), .. } => Ranks::of_leaves(hierarchy, values),
            schema::Sensitive { order: Some(order), .. } => Ok(Ranks::of_labels(values.in_order(order)?, values)),
            _ => Ok(Ranks::of_labels(coded(column, values).unwrap_or_else(|| values.sorted()), values)),
        }
    }

    /// The groups of values below the same node of a tree, from low to high by the lowest value of each.
    fn of_groups(groups: &Tree, values: &Values) -> Result<Self> {
        let tree = values.tree(groups, ISO_DATE)?;
        let group = |text: &str| tree.code(text).map_or(0, |leaf| tree.group(leaf));
        let mut groups: Vec<usize> = Vec::new();
        let mut rank: FxHashMap<usize, usize> = FxHashMap::default();
        for text in values.sorted() {
            let group = group(&text);
            rank.entry(group).or_insert_with(|| {
                groups.push(group);
                groups.len() - 1
            });
        }
        let labels = groups.iter().map(|group| tree.nodes()[*group].text.clone()).collect();
        let ranks = values.present.iter().map(|text| rank[&group(text)]).collect();
        Ok(Ranks { of_texts: ranks, labels, tree: None })
    }

    /// The leaves of a tree.
    fn of_leaves(hierarchy: &Tree, values: &Values) -> Result<Self> {
        let tree = values.tree(hierarchy, ISO_DATE)?;
        let ranks = values.present.iter().map(|text| tree.code(text).map_or(0, |leaf| leaf as usize)).collect();
        let labels = (0..tree.leaves() as Code).map(|leaf| tree.leaf(leaf).text.clone()).collect();
        Ok(Ranks { of_texts: ranks, labels, tree: Some(tree) })
    }

    /// These labels, from low to high, which have all values among them.
    fn of_labels(labels: Vec<String>, values: &Values) -> Self {
        let rank: FxHashMap<&str, usize> = labels.iter().map(String::as_str).zip(0..).collect();
        let ranks = values.present.iter().map(|text| rank[text]).collect();
        Ranks { of_texts: ranks, labels, tree: None }
    }
}

/// The labels of a column whose numbers are coded, in the order in which they begin. `None` for other columns.
fn coded(column: &schema::Sensitive, values: &Values) -> Option<Vec<String>> {
    let mark = column.coded?;
    let begin = |text: &&str| begin(text, mark).map(|begin| (begin, (*text).to_owned()));
    let mut labels = values.present.iter().map(begin).collect::<Option<Vec<_>>>()?;
    labels.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
    Some(labels.into_iter().map(|(_, text)| text).collect())
}

/// The texts that stand for a missing value. An empty text always does, because a missing value is
/// published as one.
fn markers(missing: &[String]) -> Vec<String> {
    missing.iter().cloned().chain([String::new()]).collect()
}

fn codes(texts: &DictionaryArray<Int32Type>, by_text: &FxHashMap<String, Code>) -> Vec<Code> {
    let code = |text: &str| by_text.get(text).copied().unwrap_or_default();
    let by_id: Vec<Code> = texts.values().as_string::<i32>().iter().map(|text| text.map_or(0, code)).collect();
    let null = code("");
    texts.keys().iter().map(|key| key.map_or(null, |key| by_id[key as usize])).collect()
}
