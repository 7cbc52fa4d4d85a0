//! The relative error of random COUNT queries.
//!
//! A query asks how many records have values in given sets, in some quasi-identifiers and in the first sensitive column. The release answers
//! it by spreading each record evenly over its closure. The error of a query is |estimate − count| / count. The figures are the median, the
//! mean and the 95th percentile over many random queries. Queries that select no record of the original are drawn again.
//!
//! In a sliced release, the estimate for a class is its size times a product over the sets of columns. Each factor is the share of the rows
//! that the query selects by their values in that set.
//!
//! A query has λ predicates on quasi-identifiers, and one on the sensitive column if there is one. For a selectivity s, each predicate selects
//! the share s^(1/(λ+1)) of the values of its column: a range if they have an order, and a random set otherwise.
//!
//! Complexity: O(q (t + p)) for q queries, t distinct records and p pieces.
//!
//! LeFevre, DeWitt and Ramakrishnan, "Workload-aware anonymization", KDD 2006. Xiao and Tao, "Anatomy: simple and effective privacy
//! preservation", VLDB 2006.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures 'query(predicates=3)'
//! ```

use rand::SeedableRng;
use rand::seq::index::sample;
use rand::{Rng, RngExt};
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;

use super::view::{Class, Piece};
use super::{Build, Figure, Needs, Score, Slices, View};
use crate::encode::{Domain, Encoded, Span};
use crate::error::{Error, Result};
use crate::progress::Progress;
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "query",
    about: "relative error of random COUNT queries: median, mean, 95th percentile",
    paper: "LeFevre et al., KDD 2006; Xiao and Tao, VLDB 2006",
    params: &[
        Param {
            name: "queries",
            about: "the number of queries",
            range: Range::Integer(1, 1_000_000),
            default: Some(Value::Integer(1000)),
        },
        Param {
            name: "predicates",
            about: "the number of quasi-identifiers in each query",
            range: Range::Integer(1, 64),
            default: Some(Value::Integer(2)),
        },
        Param {
            name: "selectivity",
            about: "the share of the records that a query selects if all columns are independent",
            range: Range::Number(1e-6, 1.0),
            default: Some(Value::Number(0.05)),
        },
        Param {
            name: "seed",
            about: "the seed of the queries",
            range: Range::Integer(0, u64::MAX),
            default: Some(Value::Integer(0)),
        },
    ],
    build: Build {
        quick: false,
        needs: Needs::NOTHING,
        make: |params| {
            Box::new(Queries {
                number: params.integer("queries"),
                predicates: params.integer("predicates") as usize,
                selectivity: params.number("selectivity"),
                seed: params.integer("seed"),
            })
        },
    },
};

struct Queries {
    number: u64,
    predicates: usize,
    selectivity: f64,
    seed: u64,
}

/// The most times that a query is drawn until it selects a record.
const MAX_DRAWS: usize = 100;

impl Score for Queries {
    fn score(&self, view: &View, progress: Progress) -> Result<Figure> {
        progress.begin("measuring queries", self.number)?;
        let errors: Vec<Option<f64>> = (0..self.number)
            .into_par_iter()
            .map(|stream| {
                progress.advance(1)?;
                // Each query has its own generator, so that the result does not depend on the number of threads.
                let mut rng = ChaCha12Rng::seed_from_u64(self.seed);
                rng.set_stream(stream);
                Ok((0..MAX_DRAWS).find_map(|_| {
                    let query = self.draw(&view.encoded, &mut rng);
                    let count = query.count(&view.encoded);
                    (count > 0.0).then(|| (query.estimate(view) - count).abs() / count)
                }))
            })
            .collect::<Result<_>>()?;
        let mut errors: Vec<f64> = errors.into_iter().flatten().collect();
        if errors.is_empty() {
            return Err(Error::NotApplicable {
                measure: "query".to_owned(),
                message: "no random query selects any record; raise the selectivity".to_owned(),
            });
        }
        errors.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| errors[((errors.len() - 1) as f64 * share).round() as usize];
        Ok(Figure::many([
            ("median", Figure::One(quantile(0.5))),
            ("mean", Figure::One(errors.iter().sum::<f64>() / errors.len() as f64)),
            ("p95", Figure::One(quantile(0.95))),
        ]))
    }
}

impl Queries {
    fn draw(&self, encoded: &Encoded, rng: &mut impl Rng) -> Query {
        let domains = encoded.domains();
        let columns = sample(rng, domains.len(), self.predicates.min(domains.len())).into_vec();
        let parts = columns.len() + usize::from(!encoded.sensitive().is_empty());
        let share = self.selectivity.powf(1.0 / parts as f64);
        let wanted = |of: usize| ((of as f64 * share).round() as usize).clamp(1, of.max(1));
        let quasi = columns
            .into_iter()
            .map(|column| {
                let domain = &domains[column];
                let mut selected = vec![false; domain.len()];
                if domain.is_set() {
                    sample(rng, domain.len(), wanted(domain.len())).into_iter().for_each(|code| selected[code] = true);
                } else {
                    let length = wanted(domain.len());
                    let start = rng.random_range(0..=domain.len() - length);
                    selected[start..start + length].fill(true);
                }
                (column, Predicate::new(selected))
            })
            .collect();
        let sensitive = encoded.sensitive().first().map(|sensitive| {
            let values = sensitive.values().len();
            let mut selected = vec![false; values];
            sample(rng, values, wanted(values)).into_iter().for_each(|code| selected[code] = true);
            selected
        });
        Query { quasi, sensitive }
    }
}

struct Query {
    quasi: Vec<(usize, Predicate)>,
    sensitive: Option<Vec<bool>>,
}

impl Query {
    /// The number of records of the original that the query selects.
    fn count(&self, encoded: &Encoded) -> f64 {
        let mut count = 0;
        for tuple in 0..encoded.tuples() as u32 {
            let codes = encoded.tuple(tuple);
            if self.quasi.iter().all(|(column, p)| p.selected[codes[*column] as usize]) {
                let rows = encoded.rows_of(tuple);
                count += match (&self.sensitive, encoded.sensitive().first()) {
                    (Some(selected), Some(s)) => rows.iter().filter(|row| selected[s.row(**row) as usize]).count(),
                    _ => rows.len(),
                };
            }
        }
        count as f64
    }

    /// The estimate of that number from the release.
    fn estimate(&self, view: &View) -> f64 {
        if let Some(slices) = &view.slices {
            return self.estimate_sliced(view, slices);
        }
        let piece = |piece: &Piece| {
            let share = |(column, predicate): &(usize, Predicate)| {
                predicate.share(&view.encoded.domains()[*column], piece.closure[*column])
            };
            let share: f64 = self.quasi.iter().map(share).product();
            let of_them = match &self.sensitive {
                Some(selected) if share > 0.0 => {
                    view.shares(piece, 0).filter(|(v, _)| selected[*v as usize]).map(|(_, share)| share).sum()
                }
                _ => 1.0,
            };
            piece.size as f64 * share * of_them
        };
        view.pieces.iter().map(piece).sum()
    }

    /// The estimate from a sliced release.
    fn estimate_sliced(&self, view: &View, slices: &Slices) -> f64 {
        let domains = view.encoded.domains();
        let mut expected: Vec<f64> = view.classes.iter().map(|class| class.size as f64).collect();
        for slice in &slices.sets {
            let asked = |column: usize| self.quasi.iter().find(|(asked, _)| *asked == column);
            if slice.columns.iter().all(|column| asked(*column).is_none()) {
                continue;
            }
            let mut selected = vec![0.0; expected.len()];
            for (spans, classes) in &slice.rows {
                let share = |(column, span): (&usize, &Span)| {
                    asked(*column).map_or(1.0, |(_, predicate)| predicate.share(&domains[*column], *span))
                };
                let share: f64 = slice.columns.iter().zip(spans).map(share).product();
                if share > 0.0 {
                    classes.iter().for_each(|(class, rows)| selected[*class as usize] += share * f64::from(*rows));
                }
            }
            let sizes = view.classes.iter().map(|class| class.size as f64);
            expected.iter_mut().zip(selected).zip(sizes).for_each(|((e, selected), size)| *e *= selected / size);
        }
        let of_them = |class: &Class| match &self.sensitive {
            Some(selected) => class.shares(0).filter(|(v, _)| selected[*v as usize]).map(|(_, share)| share).sum(),
            None => 1.0,
        };
        view.classes.iter().zip(expected).filter(|(_, e)| *e > 0.0).map(|(class, e)| e * of_them(class)).sum()
    }
}

/// The values that a query selects in a column.
struct Predicate {
    selected: Vec<bool>,
    /// The number of selected codes before each code.
    before: Vec<u32>,
}

impl Predicate {
    fn new(selected: Vec<bool>) -> Self {
        let mut sum = 0;
        let mut before = vec![0];
        before.extend(selected.iter().map(|s| {
            sum += u32::from(*s);
            sum
        }));
        Predicate { selected, before }
    }

    /// The share of a closure that is selected.
    fn share(&self, domain: &Domain, span: Span) -> f64 {
        let span = domain.close(span);
        let selected = if domain.is_set() {
            domain.codes(span).filter(|code| self.selected[*code as usize]).count() as f64
        } else {
            f64::from(self.before[span.hi() as usize + 1] - self.before[span.lo() as usize])
        };
        selected / domain.count(span) as f64
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, StringArray};

    use super::*;
    use crate::plan::Plan;
    use crate::problem::Histogram;
    use crate::read::Table;
    use crate::schema::Schema;
    use crate::verify::Shape;

    /// Two groups, published row by row as sets of columns that are mixed: a with b, c alone, the sensitive s alone.
    const ROWS: [(u32, [&str; 4]); 7] = [
        (0, ["1", "x", "p", "flu"]),
        (0, ["2", "x", "q", "gout"]),
        (0, ["2", "y", "q", "flu"]),
        (1, ["1", "x", "p", "cold"]),
        (1, ["1", "y", "p", "flu"]),
        (1, ["3", "y", "q", "cold"]),
        (1, ["3", "x", "r", "gout"]),
    ];

    fn encoded() -> Arc<Encoded> {
        let column = |i: usize| Arc::new(ROWS.iter().map(|(_, row)| Some(row[i])).collect::<StringArray>()) as ArrayRef;
        let columns = ["a", "b", "c", "s"].iter().enumerate().map(|(i, name)| ((*name).to_owned(), column(i)));
        let table = Table::new("table", columns.collect()).unwrap();
        let set = |name: &str| format!("{name} = {{ role = \"quasi\", kind = \"set\" }}\n");
        let plan =
            format!("[privacy]\nk = 2\n[columns]\n{}{}{}s = {{ role = \"sensitive\" }}", set("a"), set("b"), set("c"));
        let plan: Plan = plan.parse().unwrap();
        let schema = Schema::new(&plan, &table).unwrap();
        Arc::new(Encoded::new(&table, &schema, &[], Progress::silent()).unwrap())
    }

    fn view(encoded: &Arc<Encoded>) -> View {
        let class = |class: u32| {
            let mut histogram = Histogram::default();
            let rows = (0..ROWS.len()).filter(|row| ROWS[*row].0 == class);
            let size = rows.map(|row| histogram.add(encoded.sensitive()[0].row(row as u32), 1)).count();
            Class { size, histograms: vec![histogram], kept: 0.0 }
        };
        let spans = |row: usize| encoded.domains().iter().zip(encoded.row(row as u32)).map(|(d, code)| d.span(*code));
        let piece =
            |row: usize| Piece { size: 1, closure: spans(row).collect(), class: ROWS[row].0, shown: Vec::new() };
        let pieces: Vec<Piece> = (0..ROWS.len()).map(piece).collect();
        let slices = Some(Slices::new(vec![vec![0, 1], vec![2]], &pieces, None));
        let (classes, shape) = (vec![class(0), class(1)], Shape::Slices(Vec::new()));
        View { slices, ..View::bare(encoded, pieces, classes, 3, shape) }
    }

    #[test]
    fn slices_are_put_together_in_every_way() {
        let encoded = encoded();
        let view = view(&encoded);
        for bits in 0_u32..1 << 12 {
            // Any values of each column; no value at all is a column that is not asked about.
            let wanted = |column: usize| -> Vec<bool> { (0..3).map(|v| bits >> (3 * column + v) & 1 == 1).collect() };
            let asked = (0..3).filter(|column| wanted(*column).contains(&true));
            let cut = |column: usize| wanted(column)[..encoded.domains()[column].len()].to_vec();
            let quasi = asked.map(|column| (column, Predicate::new(cut(column)))).collect();
            let query = Query { quasi, sensitive: Some(wanted(3)) };
            let fits = |row: usize, column: usize| {
                let predicate = query.quasi.iter().find(|(asked, _)| *asked == column);
                predicate.is_none_or(|(_, p)| p.selected[encoded.row(row as u32)[column] as usize])
            };
            let mut expected = 0.0;
            for class in [0, 1] {
                let rows: Vec<usize> = (0..ROWS.len()).filter(|row| ROWS[*row].0 == class).collect();
                let ab = rows.iter().filter(|row| fits(**row, 0) && fits(**row, 1)).count();
                let c = rows.iter().filter(|row| fits(**row, 2)).count();
                let s = rows.iter().filter(|row| wanted(3)[encoded.sensitive()[0].row(**row as u32) as usize]).count();
                expected += (ab * c * s) as f64 / (rows.len() * rows.len()) as f64;
            }
            let found = query.estimate(&view);
            assert!((found - expected).abs() < 1e-12, "{bits:012b}: {found} {expected}");
        }
    }
}
