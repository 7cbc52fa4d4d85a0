//! The belief of an adversary about a person's sensitive value, if the adversary knows the person's quasi-identifiers.
//!
//! Each published row that covers the quasi-identifiers could be the person's, and all of them are equally likely. So the probability of a
//! value is its share among these rows. The forms of release differ in two points:
//!
//! - If values are known only for a group, each row has the shares of its group. This is what joining the tables of an anatomy gives. If equal
//!   quasi-identifiers are in several groups, the belief is a mixture of these groups. In slices it is the mixture of all groups that fit.
//! - If the plan says whose the rows are, each person weighs one, split evenly over the person's rows in a class, as the privacy models count. A
//!   second share says how many of the persons have a value at all. Frequency ℓ-diversity and (α, k) limit that one. Beliefs are then mixtures
//!   of classes, each with as many persons as it has there.
//! - In rings, the adversary is assumed to know the ring. The belief is over the rows of the window.

use rayon::prelude::*;

use super::Scene;
use super::people::{Counted, Held};
use crate::encode::{Code, Encoded};
use crate::error::Result;
use crate::measure::{Cover, Suspects};
use crate::problem::Histogram;
use crate::progress::Progress;

/// What an adversary believes about a sensitive value.
#[derive(Debug, Clone, Default)]
pub(super) struct Belief {
    /// The probability of each value, sorted by code.
    pub shares: Vec<(Code, f64)>,
    /// The probability that the person has each value at all, if persons are counted; otherwise the same as the shares.
    of_persons: Option<Vec<(Code, f64)>>,
}

impl Belief {
    fn of_rows(shares: Vec<(Code, f64)>) -> Self {
        Belief { shares, of_persons: None }
    }

    /// The probability that the person has each value at all, sorted by code.
    pub fn bearers(&self) -> &[(Code, f64)] {
        self.of_persons.as_deref().unwrap_or(&self.shares)
    }
}

/// The beliefs about a sensitive column.
pub(super) struct Beliefs<'a> {
    scene: &'a Scene<'a>,
    cover: &'a Cover,
    column: usize,
    counted: &'a Counted<'a>,
    /// What the persons of each class have, if persons are counted.
    held: Vec<Held>,
    /// The share of each value among all published rows.
    pub usual: Vec<f64>,
    /// In rings, the belief about each distinct tuple.
    in_rings: Option<Vec<Vec<(Code, f64)>>>,
}

impl<'a> Beliefs<'a> {
    pub fn new(scene: &'a Scene, cover: &'a Cover, counted: &'a Counted, column: usize) -> Self {
        let sensitive = &scene.encoded().sensitive()[column];
        let mut held = Vec::new();
        let mut usual = vec![0.0; scene.encoded().sensitive()[column].values().len()];
        for (code, times) in scene.classes().iter().flat_map(|class| class.histograms[column].iter()) {
            usual[code as usize] += f64::from(times);
        }
        if let Some(people) = counted.people() {
            usual.fill(0.0);
            let everybody = people.held_by_all(|row| sensitive.row(row));
            everybody.shares.iter().for_each(|(code, share)| usual[*code as usize] = *share);
            held = (0..people.of_class.len()).map(|class| people.held(class, |row| sensitive.row(row))).collect();
        }
        let rows: f64 = usual.iter().sum();
        usual.iter_mut().for_each(|share| *share /= if rows > 0.0 { rows } else { 1.0 });
        let in_rings = scene.view.suspects.as_ref().map(|suspects| in_rings(scene.encoded(), suspects, column));
        Beliefs { scene, cover, column, counted, held, usual, in_rings }
    }

    /// Calls `look` with the belief about each distinct tuple. Tuples that no row covers are left out.
    pub fn each<T: Send>(
        &self,
        stage: &'static str,
        progress: Progress,
        look: impl Fn(u32, &Belief) -> T + Sync,
    ) -> Result<Vec<T>> {
        let tuples = self.scene.encoded().tuples() as u32;
        progress.begin(stage, u64::from(tuples))?;
        let scratch = || vec![0.0; self.usual.len()];
        let looked: Vec<Option<T>> = (0..tuples)
            .into_par_iter()
            .map_init(scratch, |shares, tuple| {
                progress.advance(1)?;
                let belief = self.about(tuple, shares);
                Ok((!belief.shares.is_empty()).then(|| look(tuple, &belief)))
            })
            .collect::<Result<_>>()?;
        Ok(looked.into_iter().flatten().collect())
    }

    /// The belief about a tuple. `scratch` is all zero before and after.
    fn about(&self, tuple: u32, scratch: &mut [f64]) -> Belief {
        let (view, codes) = (self.scene.view, self.scene.encoded().tuple(tuple));
        if let Some(in_rings) = &self.in_rings {
            return Belief::of_rows(in_rings[tuple as usize].clone());
        }
        let people = self.counted.people();
        if let Some(slices) = &view.slices {
            let mixture = |held: fn(&Held) -> &Vec<(Code, f64)>| -> Vec<(Code, f64)> {
                view.mixture_of(slices, codes, |class| held(&self.held[class]).clone()).into_iter().collect()
            };
            if people.is_some() {
                return Belief {
                    shares: mixture(|held| &held.shares),
                    of_persons: Some(mixture(|held| &held.bearers)),
                };
            }
            return Belief::of_rows(view.mixture(slices, codes, self.column).into_iter().collect());
        }
        let mut pieces = Vec::new();
        self.cover.covering(codes, |place| pieces.push(place));
        let Some(people) = people else {
            let shares = |place: &usize| (view.pieces[*place].size, view.shares(&view.pieces[*place], self.column));
            return Belief::of_rows(mixed(pieces.iter().map(shares), scratch));
        };
        let mut of = |held: fn(&Held) -> &Vec<(Code, f64)>| {
            let class = |place: &usize| view.pieces[*place].class as usize;
            let shares =
                |place: &usize| (people.of_piece[*place].len(), held(&self.held[class(place)]).iter().copied());
            mixed(pieces.iter().map(shares), scratch)
        };
        Belief { shares: of(|held| &held.shares), of_persons: Some(of(|held| &held.bearers)) }
    }

    /// Calls `look` with the size of each class, in persons if they are counted, and the belief of an adversary who knows that a person is in it.
    ///
    /// In a ring, the adversary knows the place of everybody in the ring, and `look` is called for each record. If values are kept by chance,
    /// `look` is called for each set of rows of a class that look the same.
    pub fn each_class<T>(&self, look: impl Fn(usize, &Belief) -> T) -> Vec<T> {
        let Scene { view, .. } = self.scene;
        let shares = |values: &Histogram, size: usize| {
            Belief::of_rows(values.iter().map(|(code, times)| (code, f64::from(times) / size as f64)).collect())
        };
        if let Some(people) = self.counted.people() {
            let belief = |held: &Held| Belief { shares: held.shares.clone(), of_persons: Some(held.bearers.clone()) };
            let classes = people.of_class.iter().zip(&self.held);
            return classes.map(|(persons, held)| look(persons.len(), &belief(held))).collect();
        }
        if let Some(suspects) = &view.suspects {
            let mut looked = Vec::new();
            suspects.each(&view.encoded.sensitive()[self.column], |_, values, size| {
                looked.push(look(1, &shares(values, size)));
            });
            return looked;
        }
        if view.classes.iter().any(|class| class.kept > 0.0) {
            let pieces = self.scene.pieces().iter();
            return pieces.map(|p| look(p.size, &Belief::of_rows(view.shares(p, self.column).collect()))).collect();
        }
        let classes = self.scene.classes().iter();
        classes.map(|class| look(class.size, &shares(&class.histograms[self.column], class.size))).collect()
    }
}

/// The beliefs in rings about each distinct tuple. Each record of the tuple has the rows of its window, and the adversary does not know which of
/// these records is the person's.
fn in_rings(encoded: &Encoded, suspects: &Suspects, column: usize) -> Vec<Vec<(Code, f64)>> {
    let mut beliefs: Vec<Vec<(Code, f64)>> = vec![Vec::new(); encoded.tuples()];
    suspects.each(&encoded.sensitive()[column], |row, values, size| {
        let tuple = encoded.tuple_of(row);
        let (belief, records) = (&mut beliefs[tuple as usize], encoded.rows_of(tuple).len());
        for (code, times) in values.iter() {
            let share = f64::from(times) / (size * records) as f64;
            match belief.binary_search_by_key(&code, |(c, _)| *c) {
                Ok(place) => belief[place].1 += share,
                Err(place) => belief.insert(place, (code, share)),
            }
        }
    });
    beliefs
}

/// The mixture of shares, each with its weight, sorted by code. `scratch` is all zero before and after.
fn mixed<S: Iterator<Item = (Code, f64)>>(
    parts: impl Iterator<Item = (usize, S)>,
    scratch: &mut [f64],
) -> Vec<(Code, f64)> {
    let (mut mixture, mut sum) = (Vec::new(), 0);
    for (weight, shares) in parts {
        sum += weight;
        for (code, share) in shares {
            if scratch[code as usize] == 0.0 {
                mixture.push((code, 0.0));
            }
            scratch[code as usize] += share * weight as f64;
        }
    }
    mixture.sort_unstable_by_key(|(code, _)| *code);
    for (code, share) in &mut mixture {
        *share = scratch[*code as usize] / sum as f64;
        scratch[*code as usize] = 0.0;
    }
    mixture
}

/// The probability of the most likely value: that a person has it at all.
pub(super) fn certainty(belief: &Belief) -> f64 {
    belief.bearers().iter().map(|(_, share)| *share).fold(0.0, f64::max)
}

/// The probability that a person has a value at all.
pub(super) fn of(belief: &Belief, code: Code) -> f64 {
    let bearers = belief.bearers();
    bearers.binary_search_by_key(&code, |(c, _)| *c).map_or(0.0, |place| bearers[place].1)
}
