//! What SEQ expects of PMI: that classifiers which learn from a release made with it are better than those which learn from others.
//!
//! 10,000 of Adult's records are dealt into five folds. Four of them are anonymized, 14 attributes by suppression, and a decision tree and a
//! logistic regression learn income from that release; they are tested on the fifth fold, whose rows are original. The mean of the five
//! accuracies is printed, beside learning from the original rows.
//!
//! A number is one feature; any other attribute is one feature for each of its most frequent values and one for the rest. Features
//! are scaled such that what the release shows of them has mean 0 and variance 1. A suppressed cell has the mean, so that it says
//! nothing.

use std::sync::Arc;

use amidst::internals::encode::{Code, Encoded};
use amidst::internals::problem::Problem;
use amidst::internals::read::Table;
use amidst::internals::registry::Spec;
use amidst::internals::{constraint, cost, partition};
use amidst::progress::Progress;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};
use smartcore::tree::decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierParameters};

use super::seq::suppressed;
use super::task::{Task, Way, adult};
use super::{Args, Done, Trial};
use crate::data;

pub const TRIALS: &[Trial] = &[Trial {
    name: "seq-learning",
    place: "SEQ, §5, §8.4 and §9",
    claim: "a classifier for the private value that learns from a release made with PMI is better than one from other measures",
    run: learning,
}];

/// So many make it a matter of minutes.
const RECORDS: usize = 10_000;
const FOLDS: usize = 5;
const KS: [usize; 3] = [5, 25, 100];
const MEASURES: [&str; 4] = ["lm", "mi", "wmi(w=0.5)", "pmi"];
/// Values of an attribute beyond this many share one feature.
const FREQUENT: usize = 10;

/// The rows of a release: the codes of their cells, none where a cell is suppressed.
type Shown = Vec<Vec<Option<Code>>>;

/// Accuracies of the two learners.
#[derive(Clone, Copy, Default)]
struct Accuracy {
    tree: f64,
    logistic: f64,
}

fn learning(args: &Args) -> Done {
    let table = data::sample(&adult()?, RECORDS)?;
    let columns = suppressed("income");
    let way = Way::by("sequential");
    let encoded = Task { table: &table, columns: &columns, k: 2, l: None, measure: "lm", way, seed: 1 }.encode()?;
    let features = Features::new(&table, &encoded)?;
    let folds: Vec<Fold> = (1..=args.seeds(1)).flat_map(|seed| folds(encoded.rows(), seed)).collect();
    let mean = |of: &(dyn Fn(&[u32]) -> Done<Shown> + Sync)| -> Done<Accuracy> {
        let accuracy = |Fold { train, test }: &Fold| {
            let published = of(train).map_err(|e| e.to_string())?;
            features.accuracy(&encoded, train, &published, test).map_err(|e| e.to_string())
        };
        let found: Vec<Accuracy> = folds.par_iter().map(accuracy).collect::<Result<_, String>>()?;
        let mean = |of: fn(&Accuracy) -> f64| found.iter().map(of).sum::<f64>() / found.len() as f64;
        Ok(Accuracy { tree: mean(|a| a.tree), logistic: mean(|a| a.logistic) })
    };
    let income = &encoded.sensitive()[0];
    let majority = f64::from(income.counts().iter().copied().max().unwrap_or(0)) / encoded.rows() as f64;
    let original = mean(&|train| Ok(train.iter().map(|row| cells(encoded.row(*row))).collect()))?;
    println!("\nAlways the most frequent income: {majority:.4}.");
    println!("\n| tree, logistic regression |{}", KS.map(|k| format!(" k = {k} |")).concat());
    println!("|---|{}", "---|".repeat(KS.len()));
    println!("| original |{}", format!(" {} |", show(original)).repeat(KS.len()));
    for measure in MEASURES {
        let accuracies = KS.map(|k| mean(&|train| release(&encoded, train, k, measure)));
        let accuracies = accuracies.into_iter().map(|accuracy| Ok(format!(" {} |", show(accuracy?))));
        println!("| {measure} |{}", accuracies.collect::<Done<String>>()?);
    }
    Ok(())
}

/// The rows to learn from, and those to test by.
struct Fold {
    train: Vec<u32>,
    test: Vec<u32>,
}

/// The rows, dealt at random.
fn folds(rows: usize, seed: u64) -> impl Iterator<Item = Fold> {
    let mut order: Vec<u32> = (0..rows as u32).collect();
    order.shuffle(&mut ChaCha12Rng::seed_from_u64(seed));
    (0..FOLDS).map(move |fold| {
        let part = |inside: bool| {
            let rows = order.iter().enumerate().filter(|(place, _)| (place % FOLDS == fold) == inside);
            rows.map(|(_, row)| *row).collect()
        };
        Fold { train: part(false), test: part(true) }
    })
}

fn show(Accuracy { tree, logistic }: Accuracy) -> String {
    format!("{tree:.4}, {logistic:.4}")
}

/// Nothing suppressed.
fn cells(row: &[Code]) -> Vec<Option<Code>> {
    row.iter().copied().map(Some).collect()
}

/// What a release shows of each of these rows.
fn release(encoded: &Encoded, rows: &[u32], k: usize, measure: &str) -> Done<Shown> {
    let part = Arc::new(encoded.select(rows));
    let demand = constraint::build(&Spec::new(format!("k-anonymity(k={k})")), &[])?;
    let problem = Problem::new(part.clone(), cost::build(&Spec::new(measure), &part)?, demand, 1)?;
    let partition = partition::build(&Spec::new("sequential"))?.partition(&problem, Progress::silent())?;
    let mut shown = vec![Vec::new(); rows.len()];
    for cluster in partition.clusters() {
        let Some(closure) = problem.cluster(cluster) else { continue };
        let spans = part.domains().iter().zip(closure.closure());
        let row: Vec<Option<Code>> =
            spans.map(|(domain, span)| (domain.count(domain.close(*span)) == 1).then(|| span.lo())).collect();
        cluster.iter().for_each(|member| shown[*member as usize] = row.clone());
    }
    Ok(shown)
}

/// How rows become numbers.
struct Features {
    columns: Vec<Column>,
}

enum Column {
    /// The value of each code.
    Number(Vec<f64>),
    /// The feature of each code, and how many there are.
    Words(Vec<usize>, usize),
}

impl Features {
    fn new(table: &Table, encoded: &Encoded) -> Done<Self> {
        let rows: Vec<usize> = (0..table.rows()).collect();
        let column = |(place, domain): (usize, &amidst::internals::encode::Domain)| -> Done<Column> {
            let code = |row: usize| encoded.row(row as u32)[place] as usize;
            let cells = table.cells(domain.name(), &rows)?;
            let numbers: Result<Vec<f64>, _> = cells.iter().map(|cell| cell.parse::<f64>()).collect();
            let Ok(numbers) = numbers else {
                let mut counts = vec![0_u32; domain.len()];
                rows.iter().for_each(|row| counts[code(*row)] += 1);
                let mut order: Vec<usize> = (0..counts.len()).collect();
                order.sort_by_key(|code| std::cmp::Reverse(counts[*code]));
                let mut features = vec![0; counts.len()];
                order.iter().enumerate().for_each(|(rank, code)| features[*code] = rank.min(FREQUENT));
                return Ok(Column::Words(features, counts.len().min(FREQUENT + 1)));
            };
            let mut values = vec![0.0; domain.len()];
            rows.iter().zip(&numbers).for_each(|(row, x)| values[code(*row)] = *x);
            Ok(Column::Number(values))
        };
        Ok(Features { columns: encoded.domains().iter().enumerate().map(column).collect::<Done<_>>()? })
    }

    /// The features of a row before they are scaled; none where a cell is suppressed.
    fn raw(&self, row: &[Option<Code>]) -> Vec<Option<f64>> {
        let mut features = Vec::new();
        for (column, cell) in self.columns.iter().zip(row) {
            match column {
                Column::Number(values) => features.push(cell.map(|code| values[code as usize])),
                Column::Words(of, width) => features
                    .extend((0..*width).map(|word| cell.map(|code| f64::from(u8::from(of[code as usize] == word))))),
            }
        }
        features
    }

    /// Mean and standard deviation of every feature over the cells that are shown.
    fn scales(&self, rows: &[Vec<Option<Code>>]) -> Vec<(f64, f64)> {
        let mut sums: Vec<[f64; 3]> = Vec::new();
        for row in rows {
            let features = self.raw(row);
            sums.resize(features.len(), [0.0; 3]);
            for (sum, x) in sums.iter_mut().zip(features).filter_map(|(sum, x)| Some((sum, x?))) {
                sum.iter_mut().zip([1.0, x, x * x]).for_each(|(sum, part)| *sum += part);
            }
        }
        let scale = |[count, sum, squares]: &[f64; 3]| {
            let count = count.max(1.0);
            let (mean, variance) = (sum / count, squares / count - (sum / count).powi(2));
            (mean, variance.max(0.0).sqrt())
        };
        sums.iter().map(scale).collect()
    }

    /// The features of a row; those that never vary say nothing.
    fn of(&self, row: &[Option<Code>], scales: &[(f64, f64)]) -> Vec<f64> {
        let feature = |(x, (mean, deviation)): (Option<f64>, &(f64, f64))| {
            x.filter(|_| *deviation > 1e-9).map_or(0.0, |x| (x - mean) / deviation)
        };
        self.raw(row).into_iter().zip(scales).map(feature).collect()
    }

    /// How often the learners are right about the rows to test by, after they have seen the published form of the others.
    fn accuracy(
        &self,
        encoded: &Encoded,
        train: &[u32],
        published: &[Vec<Option<Code>>],
        test: &[u32],
    ) -> Done<Accuracy> {
        let income = |rows: &[u32]| rows.iter().map(|row| encoded.sensitive()[0].row(*row)).collect::<Vec<u32>>();
        let scales = self.scales(published);
        let known: Vec<Vec<f64>> = published.iter().map(|row| self.of(row, &scales)).collect();
        let unseen: Vec<Vec<f64>> = test.iter().map(|row| self.of(&cells(encoded.row(*row)), &scales)).collect();
        let (x, y) = (DenseMatrix::from_2d_vec(&known)?, income(train));
        let (unseen, truth) = (DenseMatrix::from_2d_vec(&unseen)?, income(test));
        let right = |predicted: &[u32]| {
            predicted.iter().zip(&truth).filter(|(found, own)| found == own).count() as f64 / truth.len() as f64
        };
        let parameters = DecisionTreeClassifierParameters::default().with_max_depth(6).with_min_samples_leaf(20);
        let tree = DecisionTreeClassifier::fit(&x, &y, parameters)?.predict(&unseen)?;
        let parameters = LogisticRegressionParameters::default().with_alpha(10.0);
        let logistic = LogisticRegression::fit(&x, &y, parameters)?.predict(&unseen)?;
        Ok(Accuracy { tree: right(&tree), logistic: right(&logistic) })
    }
}
