//! Order: finding the row of a person by its place.
//!
//! The adversary knows everybody's quasi-identifiers and the order of the original. The attack compares the i-th published row with the i-th
//! record and counts how often they fit: the cells cover the quasi-identifiers, and all other columns are equal. Two kinds of random orders
//! show whether this is more than chance:
//!
//! - Random orders of all rows show whether the order of the input is visible in the release.
//! - Random orders within each class show whether the order tells records apart that should hide among each other.
//!
//! If records were left out, each row is compared with the next record that fits.
//!
//! The attack also tests whether equal sensitive values are next to each other within classes more or less often than chance. This alone
//! reveals nothing, since a release may be sorted by what is published. But it never happens in a shuffled release.
//!
//! Complexity: O(n r) for n records and r random orders.
//!
//! Sweeney, "k-anonymity: a model for protecting privacy", IJUFKS 2002 (unsorted matching attack).
//!
//! # Example
//!
//! ```text
//! amidst attack adult.csv.gz release.csv --plan release.plan.toml --attacks order
//! ```

use std::hash::{BuildHasher, Hasher};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

use super::{Attack, Build, Finding, Scene};
use crate::encode::Span;
use crate::error::Result;
use crate::measure::{Figure, Piece};
use crate::notation::{grouped, percent};
use crate::plan::RowOrder;
use crate::progress::Progress;
use crate::read::{Table, texts};
use crate::registry::Entry;
use crate::schema::Sensitive;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "order",
    about: "knows the order of the original and compares published rows with its records, place by place",
    paper: "Sweeney, IJUFKS 2002 (unsorted matching attack)",
    params: &[],
    build: |_| Box::new(Order),
};

struct Order;

/// The most rows to look at in all random orders together.
const MAX_ROWS_LOOKED_AT: usize = 5_000_000;

/// The smallest and the largest number of random orders.
const RANDOM_ORDERS: (usize, usize) = (20, 9_999);

impl Attack for Order {
    fn knows(&self) -> &'static str {
        "everybody's quasi-identifiers, and the order of the original"
    }

    fn attack(&self, scene: &Scene, progress: Progress) -> Result<Finding> {
        if let Some(why) = scene.unlinkable() {
            return Ok(Finding::not_tried(why));
        }
        let rows = Rows::new(scene)?;
        let tests = Tests::new(&rows, progress)?;
        let shuffled = scene.plan.method.order == RowOrder::Shuffle;
        let hides = scene.k()? > 1 || asks(scene);
        let promised = (shuffled && hides).then(|| "that the order of the rows reveals nothing".to_owned());
        let told = if tests.within.is_clear() { tests.within.observed } else { 0 };
        let mut finding = Finding::judged(promised.into_iter().collect(), told);
        tests.tell(&mut finding, rows.looks.len());
        Ok(finding)
    }
}

/// The tests of the order of the rows.
struct Tests {
    /// The rows that fit, compared with random orders of all rows.
    input: Test,
    /// The rows that fit, compared with random orders within classes.
    within: Test,
    /// The rows that are equal to the one before in their class, compared with random orders within classes.
    runs: Test,
    /// The number of random orders.
    orders: usize,
}

impl Tests {
    fn new(rows: &Rows, progress: Progress) -> Result<Self> {
        let identity: Vec<u32> = (0..rows.looks.len() as u32).collect();
        let orders = (MAX_ROWS_LOOKED_AT / identity.len().max(1)).clamp(RANDOM_ORDERS.0, RANDOM_ORDERS.1);
        progress.begin("order", 3 * orders as u64)?;
        let test = |score: &Score, shuffle: &Shuffle| {
            let random = |i: usize| {
                progress.advance(1)?;
                let mut order = identity.clone();
                shuffle(&mut order, &mut ChaCha12Rng::seed_from_u64(i as u64));
                Ok(score(&order))
            };
            let random = (0..orders).into_par_iter().map(random).collect::<Result<Vec<_>>>()?;
            Result::Ok(Test::new(score(&identity), &random))
        };
        let within = |order: &mut [u32], rng: &mut ChaCha12Rng| rows.shuffle(order, rng);
        Ok(Tests {
            input: test(&|order| rows.fitting(order), &|order, rng| order.shuffle(rng))?,
            within: test(&|order| rows.fitting(order), &within)?,
            runs: test(&|order| rows.neighbours(order), &within)?,
            orders,
        })
    }

    /// Adds figures and sentences to a finding about `rows` rows.
    fn tell(&self, finding: &mut Finding, rows: usize) {
        let Tests { input, within, runs, orders } = self;
        for (name, test) in [("input_order", input), ("within_classes", within), ("equal_neighbours", runs)] {
            finding.figures.insert(name.to_owned(), test.figure());
        }
        finding.figure("random_orders", *orders as f64);
        finding.say(format!(
            "{} of {} rows ({}) fit the record in the same place; expected are {:.1} if all rows are in random order (p = {:.4}), and {:.1} if the rows of each class are (p = {:.4})",
            grouped(input.observed),
            grouped(rows),
            percent(input.observed as f64 / rows.max(1) as f64),
            input.mean,
            input.p,
            within.mean,
            within.p
        ));
        let shows = match (within.is_clear(), input.is_clear()) {
            (true, _) if within.observed == rows => "was kept: each row fits the record in its place",
            (true, _) => "is visible, also within classes",
            (false, true) => "shows the class of records, but does not tell the rows of a class apart",
            (false, false) => "is not visible",
        };
        finding.say(format!("the order of the input {shows}"));
        if runs.is_clear() || runs.is_clearly_less() {
            let (how, p) = if runs.is_clear() { ("next to each other", runs.p) } else { ("apart", runs.p_less) };
            finding.say(format!(
                "equal values are {how} within classes more often than chance (p = {p:.4}): the rows were not shuffled"
            ));
        }
    }
}

/// A function that scores an order of the rows.
type Score<'a> = dyn Fn(&[u32]) -> usize + Sync + 'a;

/// A function that draws a random order.
type Shuffle<'a> = dyn Fn(&mut [u32], &mut ChaCha12Rng) + Sync + 'a;

/// Whether a privacy model is required of a sensitive column that is published beside its row.
fn asks(scene: &Scene) -> bool {
    let beside = |column: &&Sensitive| !scene.is_mixed(&column.name);
    let plan = scene.plan;
    scene.schema.sensitive.iter().filter(beside).any(|column| {
        !plan.privacy.require.is_empty() || plan.columns.get(&column.name).is_some_and(|c| !c.require.is_empty())
    })
}

/// A score of the published order, compared with the scores of random orders.
struct Test {
    observed: usize,
    mean: f64,
    deviation: f64,
    /// The share of orders that score at least as high, the published one included.
    p: f64,
    /// The share of orders that score at most as high, the published one included.
    p_less: f64,
}

impl Test {
    fn new(observed: usize, random: &[usize]) -> Self {
        let n = random.len() as f64;
        let mean = random.iter().sum::<usize>() as f64 / n;
        let deviation = (random.iter().map(|r| (*r as f64 - mean).powi(2)).sum::<f64>() / n).sqrt();
        let share = |count: usize| (count + 1) as f64 / (n + 1.0);
        let p = share(random.iter().filter(|r| **r >= observed).count());
        let p_less = share(random.iter().filter(|r| **r <= observed).count());
        Test { observed, mean, deviation, p, p_less }
    }

    /// Whether the score is higher than chance explains: at most one random order in a thousand scores as high, or the score is more than six
    /// standard deviations above the mean.
    fn is_clear(&self) -> bool {
        let far = self.observed as f64 > self.mean + 6.0 * self.deviation.max(1.0);
        self.observed as f64 > self.mean && (self.p <= 0.001 || far)
    }

    fn is_clearly_less(&self) -> bool {
        let far = (self.observed as f64) < self.mean - 6.0 * self.deviation.max(1.0);
        (self.observed as f64) < self.mean && (self.p_less <= 0.001 || far)
    }

    fn figure(&self) -> Figure {
        let figures = [("observed", self.observed as f64), ("expected", self.mean), ("p", self.p)];
        Figure::many(figures.map(|(name, value)| (name, Figure::One(value))))
    }
}

/// The rows of a release and the records of the original, prepared for comparison.
struct Rows<'a> {
    scene: &'a Scene<'a>,
    /// The closures of each piece.
    closures: Vec<Vec<Span>>,
    /// The piece of each published row.
    looks: &'a [u32],
    /// A hash of the other columns of each published row; empty if there are none.
    prints: Vec<u64>,
    /// A hash of the same columns of each record.
    original: Vec<u64>,
    /// A hash of the sensitive values of each published row.
    secrets: Vec<u64>,
    /// The published rows, sorted by class.
    by_class: Vec<u32>,
    /// The end of each class in `by_class`.
    ends: Vec<usize>,
}

impl<'a> Rows<'a> {
    fn new(scene: &'a Scene) -> Result<Self> {
        let beside = |name: &&str| !scene.is_mixed(name);
        let sensitive: Vec<&str> = scene.schema.sensitive.iter().map(|c| c.name.as_str()).filter(beside).collect();
        let other = scene.schema.other.iter().map(String::as_str).filter(beside);
        let published: Vec<&str> = sensitive.iter().copied().chain(other).collect();
        let domains = scene.encoded().domains();
        let closed = |piece: &Piece| {
            piece.closure.iter().zip(domains).map(|(span, domain)| domain.close(*span)).collect::<Vec<_>>()
        };
        let classes = &scene.release.classes;
        let mut by_class: Vec<u32> = (0..classes.of_row.len() as u32).collect();
        by_class.sort_by_key(|row| classes.of_row[*row as usize]);
        let ends = classes.sizes.iter().scan(0, |end, size| {
            *end += size;
            Some(*end)
        });
        Ok(Rows {
            scene,
            closures: scene.pieces().iter().map(closed).collect(),
            looks: &scene.view.looks,
            prints: prints(&scene.release.table, &published)?,
            original: prints(scene.original, &published)?,
            secrets: prints(&scene.release.table, &sensitive)?,
            by_class,
            ends: ends.collect(),
        })
    }

    /// Whether a published row could be that of a record.
    fn fits(&self, row: u32, record: u32) -> bool {
        if !self.prints.is_empty() && self.prints[row as usize] != self.original[record as usize] {
            return false;
        }
        let encoded = self.scene.encoded();
        let closure = &self.closures[self.looks[row as usize] as usize];
        closure
            .iter()
            .zip(encoded.domains())
            .zip(encoded.row(record))
            .all(|((span, domain), code)| domain.covers(*span, *code))
    }

    /// The number of rows, in an order, that fit the records in the same places. If records were left out, a row is compared with the next
    /// record that fits.
    fn fitting(&self, order: &[u32]) -> usize {
        let records = self.scene.encoded().rows();
        if order.len() >= records {
            return order.iter().zip(0..records as u32).filter(|(row, record)| self.fits(**row, *record)).count();
        }
        let mut next = 0..records as u32;
        order.iter().take_while(|row| next.any(|record| self.fits(**row, record))).count()
    }

    /// Shuffles the rows of each class among their places.
    fn shuffle(&self, order: &mut [u32], rng: &mut ChaCha12Rng) {
        let mut start = 0;
        for end in &self.ends {
            let places = &self.by_class[start..*end];
            let mut rows = places.to_vec();
            rows.shuffle(rng);
            places.iter().zip(rows).for_each(|(place, row)| order[*place as usize] = row);
            start = *end;
        }
    }

    /// The number of rows with the same sensitive values as the one before in their class.
    fn neighbours(&self, order: &[u32]) -> usize {
        if self.secrets.is_empty() {
            return 0;
        }
        let secret = |place: &u32| self.secrets[order[*place as usize] as usize];
        let (mut start, mut equal) = (0, 0);
        for end in &self.ends {
            let pairs = self.by_class[start..*end].windows(2);
            equal += pairs.filter(|pair| secret(&pair[0]) == secret(&pair[1])).count();
            start = *end;
        }
        equal
    }
}

/// A hash of some columns of each row; empty without columns. Columns without texts are skipped.
fn prints(table: &Table, columns: &[&str]) -> Result<Vec<u64>> {
    let mut prints: Vec<u64> = Vec::new();
    for column in columns {
        let Ok(texts) = texts(table.column(column)?) else { continue };
        prints.resize(table.rows(), 0);
        let hash = |text: &str| FxBuildHasher.hash_one(text);
        let by_key: Vec<u64> =
            texts.values().as_string::<i32>().iter().map(|text| hash(text.unwrap_or_default())).collect();
        let null = hash("");
        for (row, print) in prints.iter_mut().enumerate() {
            let mut hasher = FxBuildHasher.build_hasher();
            hasher.write_u64(*print);
            hasher.write_u64(if texts.is_null(row) { null } else { by_key[texts.keys().value(row) as usize] });
            *print = hasher.finish();
        }
    }
    Ok(prints)
}
