//! The levels of privacy that a published table reaches in its sensitive columns, computed from the definitions.
//!
//! This code is independent of the [constraints](crate::constraint) that made the release. Each level follows by its formula from the counts of
//! the values in each class and in the table.

use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rustc_hash::FxHashMap;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::cell::ISO_DATE;
use super::distance::{Below, Sums, TreeNode};
use super::reading::{distinct, texts};
use super::tree::Branches;
use super::{Crowds, Published, coded};
use crate::error::{Error, Result};
use crate::plan::{self, Distance, Plan, Tree, ValueModel};
use crate::read::Table;

/// The levels that a sensitive column reaches. Each is that of the worst class; for rings, of the worst window.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Levels {
    /// Distinct ℓ: the smallest number of different values in a class.
    pub distinct_l: usize,
    /// Frequency ℓ: no value has more than the share 1/ℓ of a class.
    pub l: f64,
    /// Entropy ℓ: the exponential of the smallest entropy of a class.
    pub entropy_l: f64,
    /// α of (α, k)-anonymity: the largest share of a value in a class.
    pub alpha: f64,
    /// For each ℓ, the value above which every c satisfies recursive (c, ℓ)-diversity.
    pub recursive_c: BTreeMap<usize, f64>,
    /// t-closeness with equal distances.
    pub t: f64,
    /// t-closeness by the order of the values, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_ordered: Option<f64>,
    /// t-closeness by the hierarchy of the values, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub t_hierarchical: Option<f64>,
    /// Basic β-likeness.
    pub beta: f64,
    /// Enhanced β-likeness; none if no β is enough, because the frequency of a value grows by more than −ln of its share in the table.
    pub enhanced_beta: Option<f64>,
    /// δ-disclosure, by the values that occur in a class.
    pub delta: f64,
    /// The share of the records in classes with a single value, or of the persons if these are counted. Whoever knows that somebody is in
    /// such a class knows the value.
    pub single_value: f64,
    /// The highest probability of a value that an adversary can reach, in forms where it can exceed the shares of the class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posterior: Option<f64>,
}

/// The relative tolerance in comparisons of levels with requirements. Both are quotients of the same whole numbers.
pub(super) const ROUNDING: f64 = 1e-9;

/// The levels of a sensitive column of `table`.
pub fn levels(table: &Table, crowds: &Crowds, column: &str, plan: &Plan) -> Result<Levels> {
    let values = Values::new(table, column, plan)?;
    let mut whole = vec![0.0; values.count];
    values.of_row.iter().for_each(|value| whole[*value] += 1.0);
    whole.iter_mut().for_each(|count| *count /= table.rows().max(1) as f64);
    let mut levels = Levels::of_nobody(&values);
    let table = Whole::new(&values, whole);
    let mut counted = 0.0;
    crowds.each(&values.of_row, |counts, size| {
        let weights: BTreeMap<usize, f64> = counts.iter().map(|(value, count)| (*value, *count as f64)).collect();
        let bearers = counts.values().max().copied().unwrap_or(0);
        levels.count(&Held { weights, bearers: bearers as f64, size: size as f64 }, &table);
        counted += size as f64;
    });
    Ok(levels.finished(counted))
}

/// The levels of a sensitive column if persons are counted. `table` has the values of the published rows, `persons` whose each of them is,
/// and `classes` the rows of each class.
pub(super) fn by_persons<'a>(
    table: &Table,
    persons: &[u32],
    classes: impl Iterator<Item = &'a [u32]>,
    column: &str,
    plan: &Plan,
) -> Result<Levels> {
    let values = Values::new(table, column, plan)?;
    let all: Vec<u32> = (0..persons.len() as u32).collect();
    let everybody = Held::of_persons(&all, persons, &values.of_row);
    let mut whole = vec![0.0; values.count];
    everybody.weights.iter().for_each(|(value, weight)| whole[*value] = weight / everybody.size.max(1.0));
    let mut levels = Levels::of_nobody(&values);
    let table = Whole::new(&values, whole);
    let mut counted = 0.0;
    classes.for_each(|rows| {
        let held = Held::of_persons(rows, persons, &values.of_row);
        levels.count(&held, &table);
        counted += held.size;
    });
    Ok(levels.finished(counted))
}

/// The frequency ℓ of each class by persons, as [`by_persons`] takes them.
pub(super) fn frequencies<'a>(
    table: &Table,
    persons: &[u32],
    classes: impl Iterator<Item = &'a [u32]>,
    column: &str,
    plan: &Plan,
) -> Result<Vec<f64>> {
    let values = Values::new(table, column, plan)?;
    let frequency = |held: Held| held.size / held.bearers;
    Ok(classes.map(|rows| frequency(Held::of_persons(rows, persons, &values.of_row))).collect())
}

/// What a class has of each value.
struct Held {
    /// How much of the class has each value: records, or persons who are split evenly over their records in the class.
    weights: BTreeMap<usize, f64>,
    /// How many records have the most frequent value, or how many persons have it at all.
    bearers: f64,
    /// The number of records or persons.
    size: f64,
}

impl Held {
    /// The persons of some rows.
    pub(super) fn of_persons(rows: &[u32], persons: &[u32], values: &[usize]) -> Self {
        let mut pairs: Vec<(u32, usize)> =
            rows.iter().map(|row| (persons[*row as usize], values[*row as usize])).collect();
        pairs.sort_unstable();
        let mut held = Held { weights: BTreeMap::new(), bearers: 0.0, size: 0.0 };
        let mut bearers: BTreeMap<usize, usize> = BTreeMap::new();
        for person in pairs.chunk_by(|a, b| a.0 == b.0) {
            held.size += 1.0;
            for alike in person.chunk_by(|a, b| a.1 == b.1) {
                *held.weights.entry(alike[0].1).or_default() += alike.len() as f64 / person.len() as f64;
                *bearers.entry(alike[0].1).or_default() += 1;
            }
        }
        held.bearers = bearers.values().max().copied().unwrap_or(0) as f64;
        held
    }
}

/// The table that classes are compared with.
struct Whole<'a> {
    /// The share of each value.
    shares: Vec<f64>,
    sums: Sums,
    below: Option<Below<'a>>,
}

impl<'a> Whole<'a> {
    fn new(values: &'a Values, shares: Vec<f64>) -> Self {
        let below = values.tree.as_ref().map(|(nodes, leaves)| Below::new(nodes, leaves, &shares));
        Whole { sums: Sums::new(&shares), below, shares }
    }
}

impl Levels {
    /// The levels before any class is counted.
    fn of_nobody(values: &Values) -> Self {
        Levels {
            distinct_l: usize::MAX,
            l: f64::INFINITY,
            entropy_l: f64::INFINITY,
            alpha: 0.0,
            recursive_c: BTreeMap::new(),
            t: 0.0,
            t_ordered: values.ordered.then_some(0.0),
            t_hierarchical: values.tree.as_ref().map(|_| 0.0),
            beta: 0.0,
            enhanced_beta: Some(0.0),
            delta: 0.0,
            single_value: 0.0,
            posterior: None,
        }
    }

    /// The levels, after all classes, which have so many records or persons. Without any class none is reached.
    fn finished(mut self, counted: f64) -> Self {
        self.single_value /= f64::max(counted, 1.0);
        if self.distinct_l == usize::MAX {
            (self.distinct_l, self.l, self.entropy_l) = (0, 0.0, 0.0);
        }
        self
    }

    /// Takes a class into account.
    fn count(&mut self, held: &Held, table: &Whole) {
        let Held { weights: class, bearers, size } = held;
        let (size, whole) = (*size, &table.shares);
        self.distinct_l = self.distinct_l.min(class.len());
        self.single_value += if class.len() == 1 { size } else { 0.0 };
        self.l = self.l.min(size / bearers);
        self.alpha = self.alpha.max(bearers / size);
        let entropy: f64 = class.values().map(|count| -(count / size) * (count / size).ln()).sum();
        self.entropy_l = self.entropy_l.min(entropy.exp());

        let mut sorted: Vec<f64> = class.values().copied().collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let mut rare: f64 = sorted.iter().sum();
        self.recursive_c.retain(|l, _| *l <= sorted.len());
        for l in 2..=self.distinct_l {
            rare -= sorted[l - 2];
            let c = self.recursive_c.entry(l).or_default();
            *c = c.max(sorted[0] / rare);
        }

        // What some values have too much, the others lack. So half of all differences are the positive ones.
        self.t = self.t.max(class.iter().map(|(v, count)| (count / size - whole[*v]).max(0.0)).sum());
        if let Some(t) = &mut self.t_ordered {
            *t = t.max(table.sums.ordered(class, size));
        }
        if let (Some(t), Some(below)) = (&mut self.t_hierarchical, &table.below) {
            *t = t.max(below.hierarchical(class, size));
        }
        for (value, count) in class {
            let (share, usual) = (count / size, whole[*value]);
            let gain = (share - usual) / usual;
            self.beta = self.beta.max(gain);
            self.enhanced_beta = self.enhanced_beta.filter(|_| gain <= -usual.ln() * (1.0 + ROUNDING) + ROUNDING);
            self.delta = self.delta.max((share / usual).ln().abs());
        }
        self.enhanced_beta = self.enhanced_beta.map(|_| self.beta);
    }

    /// What a column reaches of a required model, and whether that is enough.
    pub fn judged(&self, model: ValueModel, column: &str) -> Result<(String, bool)> {
        let at_least = |name: &str, level: f64, asked: f64| {
            (format!("{name} = {level:.4}"), level >= asked - ROUNDING * asked.abs().max(1.0))
        };
        let at_most = |name: &str, level: f64, asked: f64| {
            (format!("{name} = {level:.4}"), level <= asked + ROUNDING * asked.abs().max(1.0))
        };
        Ok(match model {
            ValueModel::DistinctL { l } => (format!("l = {}", self.distinct_l), self.distinct_l >= l),
            ValueModel::FrequencyL { l } => at_least("l", self.l, l),
            ValueModel::EntropyL { l } => at_least("l", self.entropy_l, l),
            ValueModel::RecursiveL { c: asked, l } => match self.recursive_c.get(&l) {
                // Parts of persons are rounded, so a level that is equal to what is asked for may look a little smaller.
                Some(c) => (format!("every c above {c:.4} for l = {l}"), *c < asked * (1.0 - ROUNDING)),
                None => (format!("only l = {}", self.distinct_l), false),
            },
            ValueModel::AlphaK { alpha } => at_most("alpha", self.alpha, alpha),
            ValueModel::TCloseness { t, distance } => {
                let (name, level, needed) = match distance {
                    Distance::Equal => ("t", Some(self.t), ""),
                    Distance::Ordered => ("t by order", self.t_ordered, "numbers, or the order of the values"),
                    Distance::Hierarchical => {
                        ("t by hierarchy", self.t_hierarchical, "a hierarchy of the sensitive values")
                    }
                };
                let level = level.ok_or_else(|| Error::column(column, &format!("{name} needs {needed}")))?;
                at_most(name, level, t)
            }
            ValueModel::BasicBeta { beta } => at_most("beta", self.beta, beta),
            ValueModel::EnhancedBeta { beta } => match self.enhanced_beta {
                Some(level) => at_most("beta", level, beta),
                None => ("no beta".to_owned(), false),
            },
            ValueModel::DeltaDisclosure { delta } => (format!("delta = {:.4}", self.delta), self.delta < delta),
        })
    }
}

/// The highest probability of a value that an adversary can reach if rows keep the value of their record with probability `p`.
pub(super) fn posterior(release: &Published, column: &str, plan: &Plan, p: f64) -> Result<f64> {
    let levels = of_crowds(&release.table, &release.crowds(), column, plan)?;
    let surest = |(l, size): (f64, &usize)| {
        let kept = super::kept(p, *size);
        kept + (1.0 - kept) / l
    };
    Ok(levels.into_iter().zip(&release.classes.sizes).map(surest).fold(0.0, f64::max))
}

/// The frequency ℓ of each crowd.
pub(super) fn of_crowds(table: &Table, crowds: &Crowds, column: &str, plan: &Plan) -> Result<Vec<f64>> {
    let values = Values::new(table, column, plan)?;
    let mut levels = Vec::new();
    crowds.each(&values.of_row, |counts, size| {
        levels.push(size as f64 / counts.values().max().copied().unwrap_or(1) as f64);
    });
    Ok(levels)
}

/// The values of a sensitive column as numbers. Values of one group are one number. Numbers follow the order of the values if it is known.
struct Values {
    of_row: Vec<usize>,
    count: usize,
    ordered: bool,
    /// The nodes of the tree, and the node of each value.
    tree: Option<(Vec<TreeNode>, Vec<usize>)>,
}

/// The texts by their numbers if all of them are numbers, otherwise as they come. Also says whether they are.
fn from_low_to_high<'a>(texts: &[&'a str]) -> (Vec<&'a str>, bool) {
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| n.is_finite());
    let numbers = texts.iter().all(|text| number(text).is_some());
    let mut sorted = texts.to_vec();
    if numbers {
        sorted.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(std::cmp::Ordering::Equal));
    }
    (sorted, numbers)
}

impl Values {
    fn new(table: &Table, name: &str, plan: &Plan) -> Result<Self> {
        let none = plan::Column::with_role(plan::Role::Sensitive);
        let (column, missing) = (plan.columns.get(name).unwrap_or(&none), &plan.input.missing);
        let texts = texts(table, name)?;
        let dictionary = texts.values().as_string::<i32>();
        let is_missing = |text: &str| text.is_empty() || missing.iter().any(|m| m == text);
        let mut all: Vec<&str> = distinct(&texts).into_iter().flatten().collect();
        all.sort_unstable();
        all.dedup();
        let present: Vec<&str> = all.iter().copied().filter(|text| !is_missing(text)).collect();
        let coded = || coded::from_low_to_high(column, &present).map(|sorted| (sorted, true));
        let coded = if column.is_coded() { coded() } else { None };
        let (sorted, numbers) = coded.unwrap_or_else(|| from_low_to_high(&present));
        // Missing may have its own leaf. Otherwise it is directly below the root.
        let missing = missing.iter().map(String::as_str).find(|m| all.binary_search(m).is_ok()).unwrap_or_default();
        let tree = |tree: &Tree| Branches::new(tree, &present, Some(missing), ISO_DATE);

        // Texts of the same rank are one value. Missing ranks below all others.
        let unknown = |text: &str| Error::column(name, &format!("`{text}` is not in its order or tree"));
        let (ranks, ordered, branches): (Vec<i64>, bool, Option<Branches>) = match column {
            plan::Column { groups: Some(groups), .. } => {
                let tree = tree(groups)?;
                let mut ranks: FxHashMap<usize, i64> = FxHashMap::default();
                let mut rank: FxHashMap<&str, i64> = FxHashMap::default();
                for text in &sorted {
                    let group = tree.group(tree.leaf(text).ok_or_else(|| unknown(text))?);
                    let next = ranks.len() as i64;
                    rank.insert(text, *ranks.entry(group).or_insert(next));
                }
                (present.iter().map(|text| rank[text]).collect(), numbers, None)
            }
            plan::Column { hierarchy: Some(hierarchy), .. } => {
                let tree = tree(hierarchy)?;
                let rank = |text: &&str| tree.leaf(text).map(i64::from).ok_or_else(|| unknown(text));
                (present.iter().map(rank).collect::<Result<_>>()?, false, Some(tree))
            }
            plan::Column { order: Some(order), .. } => {
                let ranks: FxHashMap<&str, i64> = order.iter().map(String::as_str).zip(0..).collect();
                let rank = |text: &&str| ranks.get(text).copied().ok_or_else(|| unknown(text));
                (present.iter().map(rank).collect::<Result<_>>()?, true, None)
            }
            _ => {
                let rank: FxHashMap<&str, i64> = sorted.into_iter().zip(0..).collect();
                (present.iter().map(|text| rank[text]).collect(), numbers, None)
            }
        };
        let rank_of: FxHashMap<&str, i64> = present.iter().copied().zip(ranks).collect();
        let rank = |text: &str| if is_missing(text) { -1 } else { rank_of.get(text).copied().unwrap_or(-1) };
        let by_key: Vec<i64> = dictionary.iter().map(|text| text.map_or(-1, rank)).collect();
        let missing_rows = (texts.null_count() > 0).then_some(-1);
        let mut used: Vec<i64> = all.iter().copied().map(rank).chain(missing_rows).collect();
        used.sort_unstable();
        used.dedup();
        let place = |rank: &i64| used.binary_search(rank).unwrap_or_default();
        let (places, null): (Vec<usize>, usize) = (by_key.iter().map(place).collect(), place(&-1));
        let of_row = texts.keys().iter().map(|key| key.map_or(null, |key| places[key as usize])).collect();
        let tree = branches.map(|tree| {
            let missing = tree.leaf(missing).unwrap_or_default();
            let leaves = used.iter().map(|rank| tree.node(u32::try_from(*rank).unwrap_or(missing))).collect();
            (tree.nodes.iter().map(|node| (node.parent, node.level)).collect(), leaves)
        });
        Ok(Values { of_row, count: used.len(), ordered, tree })
    }
}
