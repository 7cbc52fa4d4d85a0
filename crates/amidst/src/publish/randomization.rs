//! Randomization: each record keeps its sensitive values with probability p, and the others of its group
//! are exchanged at random.
//!
//! # Idea
//! Quasi-identifiers and other columns are published as they are, with a group number. Each record keeps
//! its sensitive values with probability p. The values that are not kept are shuffled within their group.
//! The sensitive values of one record stay together. So every group has exactly the values it had, each as
//! often as before: counts by group are exact, and the file proves that every privacy model holds in every
//! group.
//!
//! # What protects
//! The published value of a person is their own value more often than any other value of the group. So one
//! can be surer of it than the shares of the group say. How much surer is known:
//!
//! A group has m records, h(s) of them with the value s. The published value of record i is that of record
//! σ(i), where σ fixes the kept records and is a uniformly random permutation of the others, U. Assume an
//! adversary who knows only the values of the group, so that all assignments of them to the records are
//! equally likely. For every σ exactly one assignment leads to what is published, so the release says
//! nothing about σ. If i is not kept, |U| − 1 is binomial over the m − 1 other records with probability 1 −
//! p, and σ(i) = i with probability
//!
//! > e = E[1/|U|] = (1 − pᵐ) / (m(1 − p)).
//!
//! So σ(i) = i with probability f = p + (1 − p)e. Otherwise the own value of record i stands beside one of
//! the m − 1 other records, all equally likely. If y is published beside record i, its own value is s with
//! probability
//!
//! > f·\[s = y\] + (1 − f)·(h(s) − \[s = y\]) / (m − 1) = r·\[s = y\] + (1 − r)·h(s)/m,  r = 1 − (1 − f)·m/(m − 1).
//!
//! This posterior is highest for a published value that is the most frequent of its group, and rises with p
//! from h(s)/m to 1. With several sensitive columns, or with values that count as one, the formula is the
//! same, because whole records exchange their values.
//!
//! # Choices
//! - With `p` given, p is that.
//! - With `l` given, p is the largest probability (to four digits) for which no posterior exceeds 1/ℓ in
//!   any group and sensitive column. If even p = 0 leaves a posterior above 1/ℓ, the level is refused.
//! - With both given, p is refused if a posterior exceeds 1/ℓ.
//! - With neither given, ℓ is what the plan asks of frequencies (`frequency-l`, or 1/α of `alpha-k`),
//!   provided that it asks the same of every sensitive column and asks nothing else that a posterior could
//!   break. Otherwise p is 0. Then posteriors are the shares of the group, so they satisfy every model that
//!   the group does.
//! - The plan beside the release records p.
//!
//! # Complexity
//! O(n).
//!
//! # Paper
//! Chaytor and Wang: Small domain randomization: same privacy, more utility. VLDB 2010. They replace a
//! value by a random one of its block. Exchanging the values instead keeps the counts exact.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --l 3 --publish 'randomization(l=2)'
//! ```

use std::sync::Arc;

use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::take::take;
use rand::RngExt;
use rand::seq::SliceRandom;

use super::{Original, Part, Publisher, Release, batch, groups, need_models, no_households, no_persons, no_wishes};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::notation::GROUP;
use crate::plan::{Plan, Role, ValueModel};
use crate::problem::{Partition, Problem};
use crate::registry::Spec;

const NAME: &str = "randomization";

pub(super) struct Randomization {
    pub p: Option<f64>,
    pub l: Option<f64>,
}

impl Publisher for Randomization {
    fn admits(&self, plan: &Plan) -> Result<()> {
        need_models(plan, NAME)?;
        no_persons(plan, NAME, "the rows of a person exchange their values one by one")?;
        no_households(plan, NAME, "the rows of a household exchange their values one by one")?;
        no_wishes(plan, NAME, "one can be surer of somebody's value than the shares of their group say")
    }

    fn resolve(&self, plan: &Plan) -> Result<Option<Spec>> {
        if self.p.is_some() || self.l.is_some() {
            return Ok(None);
        }
        Ok(Some(match asked_for(plan)? {
            Some(l) if l > 1.0 => Spec::new(NAME).with("l", l)?,
            _ => Spec::new(NAME).with("p", 0)?,
        }))
    }

    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release> {
        let p = self.retention(&problem.encoded, partition)?;
        let from = exchanged(original, problem, partition, p)?;
        let from: UInt32Array = original.order.iter().map(|row| from[*row as usize]).collect();
        let number = Arc::new(UInt32Array::from(groups(original, partition))) as ArrayRef;
        let mut columns = vec![(GROUP.to_owned(), number)];
        for name in original.published() {
            let is_sensitive = original.schema.sensitive.iter().any(|column| column.name == name);
            let column = if is_sensitive {
                take(original.table.column(name)?, &from, None).map_err(|e| Error::internal(name, &e))?
            } else {
                original.column(name)?
            };
            columns.push((name.to_owned(), column));
        }
        let mut maker = Spec::new(NAME);
        if let Some(l) = self.l {
            maker = maker.with("l", l)?;
        }
        let mut release = Release::of(vec![Part { name: None, table: batch(columns)? }]);
        release.maker = Some(maker.with("p", p)?);
        Ok(release)
    }
}

impl Randomization {
    /// The probability that was asked for, or the largest one that keeps every posterior within 1/ℓ.
    fn retention(&self, encoded: &Encoded, partition: &Partition) -> Result<f64> {
        let Some(l) = self.l else { return Ok(self.p.unwrap_or(0.0)) };
        let worst = worst(encoded, partition);
        let surest = |p: f64| worst.iter().map(|group| posterior(p, group.0, group.1)).fold(0.0, f64::max);
        let keeps = |p: f64| surest(p) <= 1.0 / l * (1.0 + 1e-12);
        let refused = |message: String| Err(Error::Infeasible(format!("{NAME}: {message}")));
        if !keeps(0.0) {
            return refused(format!(
                "l = {l} cannot be had, because in some group a value has the share {:.4}: ask for l = {} at most, or for \
                 larger groups, by a larger l or k",
                surest(0.0),
                down(1.0 / surest(0.0))
            ));
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            *(if keeps(middle) { &mut low } else { &mut high }) = middle;
        }
        let most = down(low);
        match self.p {
            None => Ok(most),
            Some(p) if keeps(p) => Ok(p),
            Some(p) => refused(format!(
                "p = {p} makes a posterior as large as {:.4}, which is more than l = {l} allows; ask for p = {most} at most",
                surest(p)
            )),
        }
    }
}

/// Rounds down to four digits, so that a user who asks for the printed number gets it.
fn down(value: f64) -> f64 {
    (value * 1e4).floor() / 1e4
}

/// The ℓ that a plan asks of frequencies, if it asks the same of all sensitive columns and asks nothing of
/// groups that a posterior could break.
fn asked_for(plan: &Plan) -> Result<Option<f64>> {
    let mut levels: Vec<Option<f64>> = Vec::new();
    for column in plan.columns_with(Role::Sensitive) {
        let mut strictest: Option<f64> = None;
        for (_, model) in plan.models_of(column)? {
            let l = match model {
                ValueModel::FrequencyL { l } => l,
                ValueModel::AlphaK { alpha } => 1.0 / alpha,
                // Whatever is published, every value of the group stays possible.
                ValueModel::DistinctL { .. } => continue,
                ValueModel::EntropyL { .. }
                | ValueModel::RecursiveL { .. }
                | ValueModel::TCloseness { .. }
                | ValueModel::BasicBeta { .. }
                | ValueModel::EnhancedBeta { .. }
                | ValueModel::DeltaDisclosure { .. } => return Ok(None),
            };
            strictest = Some(strictest.map_or(l, |known| known.max(l)));
        }
        levels.push(strictest);
    }
    let first = levels.first().copied().flatten();
    Ok(first.filter(|_| levels.iter().all(|l| *l == first)))
}

/// For each group size, the largest count of a sensitive value in a group of that size.
fn worst(encoded: &Encoded, partition: &Partition) -> Vec<(usize, u32)> {
    let mut worst = std::collections::BTreeMap::new();
    for sensitive in encoded.sensitive() {
        let mut counts = vec![0_u32; sensitive.values().len()];
        for rows in partition.clusters() {
            rows.iter().for_each(|row| counts[sensitive.row(*row) as usize] += 1);
            let most = rows.iter().map(|row| counts[sensitive.row(*row) as usize]).max().unwrap_or(0);
            rows.iter().for_each(|row| counts[sensitive.row(*row) as usize] = 0);
            let known = worst.entry(rows.len()).or_insert(0);
            *known = most.max(*known);
        }
    }
    worst.into_iter().collect()
}

/// The posterior of the published value of a record, in a group of `size` records of which `times` have
/// that value.
fn posterior(p: f64, size: usize, times: u32) -> f64 {
    if size < 2 || p >= 1.0 {
        return 1.0;
    }
    let m = size as f64;
    // 1 − pᵐ without cancellation. For p = 0 the logarithm is −∞, which gives the right result.
    let stays = -(m * p.ln()).exp_m1() / (m * (1.0 - p));
    p + (1.0 - p) * (stays + (1.0 - stays) * (f64::from(times) - 1.0) / (m - 1.0))
}

/// For each record, the record whose sensitive values are published beside it.
fn exchanged(original: &Original, problem: &Problem, partition: &Partition, p: f64) -> Result<Vec<u32>> {
    let mut rng = original.secret_choice(NAME, problem.seed)?;
    let mut from: Vec<u32> = (0..problem.rows() as u32).collect();
    for rows in partition.clusters() {
        let moved: Vec<u32> = rows.iter().copied().filter(|_| rng.random::<f64>() >= p).collect();
        let mut others = moved.clone();
        others.shuffle(&mut rng);
        moved.iter().zip(others).for_each(|(row, other)| from[*row as usize] = other);
    }
    Ok(from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_posterior_rises_from_the_share_to_certainty() {
        for (size, times) in [(2, 1), (5, 1), (10, 4), (100_000, 20_000)] {
            let share = f64::from(times) / size as f64;
            assert!((posterior(0.0, size, times) - share).abs() < 1e-12);
            assert!((posterior(1.0, size, times) - 1.0).abs() < 1e-12);
            let steps: Vec<f64> = (0..=1000).map(|p| posterior(f64::from(p) / 1000.0, size, times)).collect();
            assert!(steps.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert!(posterior(0.3, 1, 1) >= 1.0);
    }
}
