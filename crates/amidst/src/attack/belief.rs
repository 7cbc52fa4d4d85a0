//! The belief of an adversary about a person's sensitive value, if the adversary knows the person's quasi-identifiers.
//!
//! Each published row that covers the quasi-identifiers could be the person's, and all of them are equally likely. So the probability of a
//! value is its share among these rows. The forms of release differ in two points:
//!
//! - If values are known only for a group, each row has the shares of its group. This is what joining the tables of an anatomy gives. If equal
//!   quasi-identifiers are in several groups, the belief is a mixture of these groups. In slices it is the mixture of all groups that fit.
//! - In rings, the adversary is assumed to know the ring. The belief is over the rows of the window.

use rayon::prelude::*;

use super::Scene;
use crate::encode::{Code, Encoded};
use crate::error::Result;
use crate::measure::{Cover, Suspects};
use crate::problem::Histogram;
use crate::progress::Progress;

/// The probability of each value, sorted by code.
pub(super) type Belief = [(Code, f64)];

/// The beliefs about a sensitive column.
pub(super) struct Beliefs<'a> {
    scene: &'a Scene<'a>,
    cover: &'a Cover,
    column: usize,
    /// The share of each value among all published rows.
    pub usual: Vec<f64>,
    /// In rings, the belief about each distinct tuple.
    in_rings: Option<Vec<Vec<(Code, f64)>>>,
}

impl<'a> Beliefs<'a> {
    pub fn new(scene: &'a Scene, cover: &'a Cover, column: usize) -> Self {
        let mut usual = vec![0.0; scene.encoded().sensitive()[column].values().len()];
        for (code, times) in scene.classes().iter().flat_map(|class| class.histograms[column].iter()) {
            usual[code as usize] += f64::from(times);
        }
        let rows: f64 = usual.iter().sum();
        usual.iter_mut().for_each(|share| *share /= rows.max(1.0));
        let in_rings = scene.view.suspects.as_ref().map(|suspects| in_rings(scene.encoded(), suspects, column));
        Beliefs { scene, cover, column, usual, in_rings }
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
        let scratch = || (vec![0.0; self.usual.len()], Vec::new());
        let looked: Vec<Option<T>> = (0..tuples)
            .into_par_iter()
            .map_init(scratch, |(shares, belief), tuple| {
                progress.advance(1)?;
                self.about(tuple, shares, belief);
                Ok((!belief.is_empty()).then(|| look(tuple, belief)))
            })
            .collect::<Result<_>>()?;
        Ok(looked.into_iter().flatten().collect())
    }

    /// Computes the belief about a tuple. `shares` is scratch memory, which is all zero before and after.
    fn about(&self, tuple: u32, shares: &mut [f64], belief: &mut Vec<(Code, f64)>) {
        let (view, mut rows) = (self.scene.view, 0);
        belief.clear();
        if let Some(in_rings) = &self.in_rings {
            belief.clone_from(&in_rings[tuple as usize]);
            return;
        }
        if let Some(slices) = &view.slices {
            belief.extend(view.mixture(slices, self.scene.encoded().tuple(tuple), self.column));
            return;
        }
        self.cover.covering(self.scene.encoded().tuple(tuple), |place| {
            let piece = &view.pieces[place];
            rows += piece.size;
            for (code, share) in view.shares(piece, self.column) {
                if shares[code as usize] == 0.0 {
                    belief.push((code, 0.0));
                }
                shares[code as usize] += share * piece.size as f64;
            }
        });
        belief.sort_unstable_by_key(|(code, _)| *code);
        for (code, share) in belief.iter_mut() {
            *share = shares[*code as usize] / rows as f64;
            shares[*code as usize] = 0.0;
        }
    }

    /// Calls `look` with the size of each class and the belief of an adversary who knows that a person is in it.
    ///
    /// In a ring, the adversary knows the place of everybody in the ring, and `look` is called for each record. If values are kept by chance,
    /// `look` is called for each set of rows of a class that look the same.
    pub fn each_class<T>(&self, look: impl Fn(usize, &Belief) -> T) -> Vec<T> {
        let Scene { view, .. } = self.scene;
        let shares = |values: &Histogram, size: usize| -> Vec<(Code, f64)> {
            values.iter().map(|(code, times)| (code, f64::from(times) / size as f64)).collect()
        };
        if let Some(suspects) = &view.suspects {
            let mut looked = Vec::new();
            suspects.each(&view.encoded.sensitive()[self.column], |_, values, size| {
                looked.push(look(1, &shares(values, size)));
            });
            return looked;
        }
        if view.classes.iter().any(|class| class.kept > 0.0) {
            let pieces = self.scene.pieces().iter();
            return pieces.map(|p| look(p.size, &view.shares(p, self.column).collect::<Vec<_>>())).collect();
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

/// The probability of the most likely value.
pub(super) fn certainty(belief: &Belief) -> f64 {
    belief.iter().map(|(_, share)| *share).fold(0.0, f64::max)
}

/// The probability of a value.
pub(super) fn of(belief: &Belief, code: Code) -> f64 {
    belief.binary_search_by_key(&code, |(c, _)| *c).map_or(0.0, |place| belief[place].1)
}
