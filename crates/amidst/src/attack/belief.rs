//! What somebody who knows a person's quasi-identifiers believes about the person's sensitive value.
//!
//! Every published row that covers the quasi-identifiers could be theirs, each as likely as the others. So a value is believed as far as its share among
//! these rows. Where values are only known of a group, each row stands for the shares of its group: that is joining the tables of an anatomy,
//! and where equal quasi-identifiers stand in several groups the belief is the mixture.

use rayon::prelude::*;

use super::Scene;
use crate::encode::Code;
use crate::error::Result;
use crate::measure::Cover;
use crate::progress::Progress;

/// How far each value is believed, by rising code.
pub(super) type Belief = [(Code, f64)];

/// Beliefs about a sensitive column.
pub(super) struct Beliefs<'a> {
    scene: &'a Scene<'a>,
    cover: &'a Cover,
    column: usize,
    /// The share of the published rows that has each value.
    pub usual: Vec<f64>,
}

impl<'a> Beliefs<'a> {
    pub fn new(scene: &'a Scene, cover: &'a Cover, column: usize) -> Self {
        let mut usual = vec![0.0; scene.encoded().sensitive()[column].values().len()];
        for (code, times) in scene.classes().iter().flat_map(|class| class.histograms[column].iter()) {
            usual[code as usize] += f64::from(times);
        }
        let rows: f64 = usual.iter().sum();
        usual.iter_mut().for_each(|share| *share /= rows.max(1.0));
        Beliefs { scene, cover, column, usual }
    }

    /// What `look` makes of the belief about each distinct tuple; tuples that no row covers are left out.
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

    /// The belief about a tuple. `shares` is all zero before and after.
    fn about(&self, tuple: u32, shares: &mut [f64], belief: &mut Vec<(Code, f64)>) {
        let (view, mut rows) = (self.scene.view, 0);
        belief.clear();
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

    /// What `look` makes of each class and of what somebody believes who knows that a person is in it.
    pub fn each_class<T>(&self, look: impl Fn(usize, &Belief) -> T) -> Vec<T> {
        let classes = self.scene.classes().iter();
        classes
            .map(|class| {
                let share = |(code, times): (Code, u32)| (code, f64::from(times) / class.size as f64);
                look(class.size, &class.histograms[self.column].iter().map(share).collect::<Vec<_>>())
            })
            .collect()
    }
}

/// How sure somebody is of the value that they believe most.
pub(super) fn certainty(belief: &Belief) -> f64 {
    belief.iter().map(|(_, share)| *share).fold(0.0, f64::max)
}

/// How far a value is believed.
pub(super) fn of(belief: &Belief, code: Code) -> f64 {
    belief.binary_search_by_key(&code, |(c, _)| *c).map_or(0.0, |place| belief[place].1)
}
