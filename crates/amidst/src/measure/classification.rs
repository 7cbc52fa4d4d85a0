//! Classification accuracy: how well a classifier that was trained on the release predicts the sensitive value of original records.
//!
//! The records are divided into folds. For each fold, a logistic regression and a decision tree are trained on the published rows of all other
//! records and tested on the original rows of the fold. The same is done with the original rows as training data. The figures are accuracies.
//! If `release` is close to `original`, the release is as good to learn from as the original. `majority` is the accuracy of always predicting
//! the most frequent value.
//!
//! Numbers and ordered categories are a feature each: the middle of the closure. Other columns have one feature for each frequent value: the
//! share of the value in the closure. Only the first sensitive column is predicted. Large tables are sampled.
//!
//! Complexity: that of training four models for each fold, on at most `sample` records.
//!
//! Iyengar, "Transforming data to satisfy privacy constraints", KDD 2002. LeFevre, DeWitt and Ramakrishnan, "Workload-aware anonymization",
//! KDD 2006.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures 'classification(folds=5)'
//! ```

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use smartcore::linalg::basic::matrix::DenseMatrix;
use smartcore::linear::logistic_regression::{LogisticRegression, LogisticRegressionParameters};
use smartcore::tree::decision_tree_classifier::{DecisionTreeClassifier, DecisionTreeClassifierParameters};

use super::{Build, Figure, Needs, Score, View};
use crate::cost::need_sensitive;
use crate::encode::{Code, Domain, Encoded, Span};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "classification",
    about: "accuracy of predicting the sensitive value after training on the release, compared with the original",
    paper: "Iyengar, KDD 2002; LeFevre et al., KDD 2006",
    params: &[
        Param {
            name: "sample",
            about: "the most records that are used",
            range: Range::Integer(20, 1_000_000),
            default: Some(Value::Integer(4000)),
        },
        Param {
            name: "folds",
            about: "the number of folds",
            range: Range::Integer(2, 20),
            default: Some(Value::Integer(3)),
        },
        Param {
            name: "seed",
            about: "the seed of the sample and the folds",
            range: Range::Integer(0, u64::MAX),
            default: Some(Value::Integer(0)),
        },
    ],
    build: Build {
        quick: false,
        needs: Needs::NOTHING,
        make: |params| {
            Box::new(Classification {
                sample: params.integer("sample") as usize,
                folds: params.integer("folds") as usize,
                seed: params.integer("seed"),
            })
        },
    },
};

/// The most values of a column that have a feature, or a label, of their own. The others share one.
const MAX_FREQUENT_VALUES: usize = 20;

struct Classification {
    sample: usize,
    folds: usize,
    seed: u64,
}

impl Score for Classification {
    fn score(&self, view: &View, progress: Progress) -> Result<Figure> {
        need_sensitive(&view.encoded, "classification")?;
        let piece_of = view.piece_of("classification")?;
        let encoded = &view.encoded;
        // The sample is in random order, so every `folds`-th record can be in the same fold.
        let mut rng = ChaCha12Rng::seed_from_u64(self.seed);
        let rows = sample(&mut rng, encoded.rows(), self.sample.min(encoded.rows())).into_vec();
        if rows.len() < 2 * self.folds {
            return Err(Error::NotApplicable {
                measure: "classification".to_owned(),
                message: format!("{} records are too few for {} folds", rows.len(), self.folds),
            });
        }
        let labels = Labels::new(encoded, view.shown.as_deref(), &rows);
        let features = Features::new(encoded);
        let domains = encoded.domains();
        let original: Vec<Vec<f64>> = rows
            .iter()
            .map(|row| features.of(domains.iter().zip(encoded.row(*row as u32)).map(|(d, code)| d.span(*code))))
            .collect();
        let published: Vec<Vec<f64>> =
            rows.iter().map(|row| features.of(view.pieces[piece_of[*row] as usize].closure.iter().copied())).collect();

        progress.begin("measuring classification", 4 * self.folds as u64)?;
        let before = Training { features: &original, labels: &labels.own };
        let after = Training { features: &published, labels: &labels.shown };
        let runs: Vec<(Learner, Training, usize)> = [Learner::Logistic, Learner::Tree]
            .into_iter()
            .flat_map(|learner| [(learner, before), (learner, after)])
            .flat_map(|(learner, training)| (0..self.folds).map(move |fold| (learner, training, fold)))
            .collect();
        let correct: Vec<usize> = runs
            .par_iter()
            .map(|(learner, training, fold)| {
                let correct = self.fold(*learner, *training, before, *fold)?;
                progress.advance(1)?;
                Ok(correct)
            })
            .collect::<Result<_>>()?;
        let accuracy: Vec<f64> =
            correct.chunks(self.folds).map(|c| c.iter().sum::<usize>() as f64 / rows.len() as f64).collect();
        let pair = |i: usize| {
            Figure::many([("original", Figure::One(accuracy[i])), ("release", Figure::One(accuracy[i + 1]))])
        };
        let mut counts = [0_u32; MAX_FREQUENT_VALUES + 1];
        labels.own.iter().for_each(|label| counts[*label as usize] += 1);
        let majority = f64::from(counts.iter().max().copied().unwrap_or(0)) / rows.len() as f64;
        Ok(Figure::many([("logistic", pair(0)), ("tree", pair(2)), ("majority", Figure::One(majority))]))
    }
}

/// Records to train on, or to predict.
#[derive(Clone, Copy)]
struct Training<'a> {
    features: &'a [Vec<f64>],
    labels: &'a [u32],
}

#[derive(Clone, Copy)]
enum Learner {
    Logistic,
    Tree,
}

impl Classification {
    /// The number of records of a fold that are predicted correctly after training on all others.
    fn fold(&self, learner: Learner, training: Training, test: Training, fold: usize) -> Result<usize> {
        let failed = |e: &dyn std::fmt::Display| Error::NotApplicable {
            measure: "classification".to_owned(),
            message: e.to_string(),
        };
        let (inside, outside): (Vec<usize>, Vec<usize>) = (0..test.labels.len()).partition(|i| i % self.folds == fold);
        let matrix = |features: &[Vec<f64>], rows: &[usize]| {
            let rows: Vec<&[f64]> = rows.iter().map(|i| features[*i].as_slice()).collect();
            DenseMatrix::from_2d_array(&rows).map_err(|e| failed(&e))
        };
        let (x, unseen) = (matrix(training.features, &outside)?, matrix(test.features, &inside)?);
        let y: Vec<u32> = outside.iter().map(|i| training.labels[*i]).collect();
        if y.iter().all(|label| *label == y[0]) {
            return Ok(inside.iter().filter(|i| test.labels[**i] == y[0]).count());
        }
        let predicted = match learner {
            Learner::Logistic => {
                let parameters = LogisticRegressionParameters::default().with_alpha(1e-3);
                LogisticRegression::fit(&x, &y, parameters).and_then(|model| model.predict(&unseen))
            }
            Learner::Tree => {
                let parameters =
                    DecisionTreeClassifierParameters::default().with_max_depth(8).with_min_samples_leaf(20);
                DecisionTreeClassifier::fit(&x, &y, parameters).and_then(|model| model.predict(&unseen))
            }
        };
        let predicted = predicted.map_err(|e| failed(&e))?;
        Ok(inside.iter().zip(predicted).filter(|(i, label)| test.labels[**i] == *label).count())
    }
}

/// The values of the first sensitive column as labels 0, 1, … by descending frequency. All rare values share the last label.
struct Labels {
    /// The labels of the records.
    own: Vec<u32>,
    /// The labels of the published rows.
    shown: Vec<u32>,
}

impl Labels {
    fn new(encoded: &Encoded, shown: Option<&[Code]>, rows: &[usize]) -> Self {
        let Some(sensitive) = encoded.sensitive().first() else {
            return Labels { own: vec![0; rows.len()], shown: vec![0; rows.len()] };
        };
        let mut counts = vec![0_usize; sensitive.values().len()];
        rows.iter().for_each(|row| counts[sensitive.row(*row as u32) as usize] += 1);
        let rank = ranks(&counts);
        let label = |code: Code| rank[code as usize].min(MAX_FREQUENT_VALUES) as u32;
        let own: Vec<u32> = rows.iter().map(|row| label(sensitive.row(*row as u32))).collect();
        let shown = shown.map(|shown| rows.iter().map(|row| label(shown[*row])).collect());
        Labels { shown: shown.unwrap_or_else(|| own.clone()), own }
    }
}

/// The rank of each value by descending count.
fn ranks(counts: &[usize]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..counts.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(counts[*i]));
    let mut rank = vec![0; counts.len()];
    order.iter().enumerate().for_each(|(place, i)| rank[*i] = place);
    rank
}

/// The conversion of closures to features.
struct Features<'a> {
    domains: &'a [Domain],
    /// The feature of each code, in columns without an order.
    buckets: Vec<Vec<usize>>,
}

impl<'a> Features<'a> {
    fn new(encoded: &'a Encoded) -> Self {
        let domains = encoded.domains();
        let mut counts: Vec<Vec<usize>> = domains.iter().map(|d| vec![0; d.len()]).collect();
        for tuple in 0..encoded.tuples() as u32 {
            let times = encoded.rows_of(tuple).len();
            counts.iter_mut().zip(encoded.tuple(tuple)).for_each(|(column, code)| column[*code as usize] += times);
        }
        let buckets =
            counts.iter().map(|c| ranks(c).into_iter().map(|rank| rank.min(MAX_FREQUENT_VALUES)).collect()).collect();
        Features { domains, buckets }
    }

    fn of(&self, spans: impl Iterator<Item = Span>) -> Vec<f64> {
        let mut features = Vec::new();
        for ((domain, buckets), span) in self.domains.iter().zip(&self.buckets).zip(spans) {
            let span = domain.close(span);
            if domain.extent(span).is_some() {
                let place = |code| domain.extent(Span::range(0, code)).unwrap_or(0.5);
                features.push(f64::midpoint(place(span.lo()), place(span.hi())));
            } else {
                let first = features.len();
                features.resize(first + domain.len().min(MAX_FREQUENT_VALUES + 1), 0.0);
                let share = 1.0 / domain.count(span) as f64;
                domain.codes(span).for_each(|code| features[first + buckets[code as usize]] += share);
            }
        }
        features
    }
}
