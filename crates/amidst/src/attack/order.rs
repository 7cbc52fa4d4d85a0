//! Order: does the place of a row tell whose it is?
//!
//! The adversary knows everybody's quasi-identifiers and the order of the original, puts the i-th published row beside the i-th record, and counts how often
//! they fit: the cells cover the quasi-identifiers, and all other columns are the same. Whether that is more often than chance is seen from random orders:
//! of all rows, which tells whether the order of the input shows through; and of the rows of each class among themselves, which tells whether it tells
//! apart those that should hide amidst each other. Where records were left out, rows are put beside the next record that fits.
//!
//! Beside that it looks whether equal sensitive values stand next to each other within the classes more or less often than chance. That alone
//! tells nothing (a release may be sorted by what is published), but a shuffled one does not do it.
//!
//! O(n · orders tried).

use std::hash::{BuildHasher, Hasher};

use arrow_array::Array;
use arrow_array::cast::AsArray;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use rayon::prelude::*;
use rustc_hash::FxBuildHasher;

use super::{Attack, Build, Finding, Scene, percent};
use crate::encode::Span;
use crate::error::Result;
use crate::measure::{Figure, Piece};
use crate::notation::grouped;
use crate::plan::RowOrder;
use crate::progress::Progress;
use crate::read::{Table, texts};
use crate::registry::Entry;
use crate::schema::Sensitive;

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "order",
    about: "knows the order of the original and puts published rows beside its records, place by place",
    paper: "Sweeney, IJUFKS 2002 (unsorted matching attack)",
    params: &[],
    build: |_| Box::new(Order),
};

struct Order;

/// How many rows are looked at in all random orders together.
const WORK: usize = 5_000_000;

/// The least and the greatest number of random orders.
const ORDERS: (usize, usize) = (20, 9_999);

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
        let promised = (shuffled && hides).then(|| "that the order of the rows tells nothing".to_owned());
        let told = if tests.within.is_clear() { tests.within.observed } else { 0 };
        let mut finding = Finding::judged(promised.into_iter().collect(), told);
        tests.tell(&mut finding, rows.looks.len());
        Ok(finding)
    }
}

/// What random orders are compared with.
struct Tests {
    /// How many rows fit, beside random orders of all rows, and of the rows of each class.
    input: Test,
    within: Test,
    /// How many rows are like the one before in their class, beside random orders of each class.
    runs: Test,
    /// How many random orders there were.
    orders: usize,
}

impl Tests {
    fn new(rows: &Rows, progress: Progress) -> Result<Self> {
        let identity: Vec<u32> = (0..rows.looks.len() as u32).collect();
        let orders = (WORK / identity.len().max(1)).clamp(ORDERS.0, ORDERS.1);
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

    /// Says what they show of so many rows.
    fn tell(&self, finding: &mut Finding, rows: usize) {
        let Tests { input, within, runs, orders } = self;
        for (name, test) in [("input_order", input), ("within_classes", within), ("equal_neighbours", runs)] {
            finding.figures.insert(name.to_owned(), test.figure());
        }
        finding.figure("random_orders", *orders as f64);
        finding.say(format!(
            "{} of {} rows ({}) fit the record in the same place; {:.1} in a random order (p = {:.4}), {:.1} with every class in one (p = {:.4})",
            grouped(input.observed),
            grouped(rows),
            percent(input.observed as f64 / rows.max(1) as f64),
            input.mean,
            input.p,
            within.mean,
            within.p
        ));
        let shows = match (within.is_clear(), input.is_clear()) {
            (true, _) if within.observed == rows => "was kept: every row is that of the record in its place",
            (true, _) => "shows through, also within classes",
            (false, true) => "shows which class records are in, but no row of a class can be told from the others",
            (false, false) => "does not show",
        };
        finding.say(format!("the order of the input {shows}"));
        if runs.is_clear() || runs.is_clearly_less() {
            let (how, p) = if runs.is_clear() { ("together", runs.p) } else { ("apart", runs.p_less) };
            finding.say(format!("equal values stand {how} within classes (p = {p:.4}): the rows were not shuffled"));
        }
    }
}

/// A figure of an order of the rows.
type Score<'a> = dyn Fn(&[u32]) -> usize + Sync + 'a;

/// A way to draw one.
type Shuffle<'a> = dyn Fn(&mut [u32], &mut ChaCha12Rng) + Sync + 'a;

/// True where a model is asked of a sensitive column that stands beside its row.
fn asks(scene: &Scene) -> bool {
    let beside = |column: &&Sensitive| !scene.is_mixed(&column.name);
    let plan = scene.plan;
    scene.schema.sensitive.iter().filter(beside).any(|column| {
        !plan.privacy.require.is_empty() || plan.columns.get(&column.name).is_some_and(|c| !c.require.is_empty())
    })
}

/// A figure beside the same figure of random orders.
struct Test {
    observed: usize,
    mean: f64,
    deviation: f64,
    /// How often a random order does as well, itself among them.
    p: f64,
    /// How often one does as badly.
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

    /// True when chance is no explanation: at most one order in a thousand does as well, or none that was tried and it is far off.
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

/// The rows of a release beside the records of the original.
struct Rows<'a> {
    scene: &'a Scene<'a>,
    /// What each piece covers.
    closures: Vec<Vec<Span>>,
    /// The piece of each published row.
    looks: &'a [u32],
    /// What stands beside the quasi-identifiers of each published row; empty where nothing does.
    prints: Vec<u64>,
    /// The same of each record.
    original: Vec<u64>,
    /// Sensitive values beside each published row.
    secrets: Vec<u64>,
    /// The published rows, those of the first class first, and where each class ends.
    by_class: Vec<u32>,
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

    /// True when a published row could be that of a record.
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

    /// How many rows, in an order, fit the records in the same places; where records were left out, the next ones that fit.
    fn fitting(&self, order: &[u32]) -> usize {
        let records = self.scene.encoded().rows();
        if order.len() >= records {
            return order.iter().zip(0..records as u32).filter(|(row, record)| self.fits(**row, *record)).count();
        }
        let mut next = 0..records as u32;
        order.iter().take_while(|row| next.any(|record| self.fits(**row, record))).count()
    }

    /// Shuffles the rows of every class among the places that they have.
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

    /// How many rows have the same sensitive values as the one before in their class.
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

/// A number for what each row has in some columns; empty without columns. Those that have no text are passed over.
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
