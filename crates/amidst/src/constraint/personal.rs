//! Personal guarantees: a person may ask for more privacy than the plan does.
//!
//! A column of the table says, for each person, how large or how diverse their class must be. A class must
//! satisfy the highest wish of its members. Wishes for k are monotone. Wishes for ℓ are not: a class that
//! is diverse enough for modest members can spoil a class with a demanding one.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --personal-k wanted_k
//! ```

use super::shares::{bearers, excess, largest};
use super::{Constraint, down};
use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::problem::Cluster;
use crate::schema::Level;

/// The constraints of all columns with personal wishes.
pub(super) fn all(encoded: &Encoded) -> Result<Vec<Box<dyn Constraint>>> {
    let mut all: Vec<Box<dyn Constraint>> = Vec::new();
    for personal in encoded.personal() {
        let wishes = Wishes { column: personal.column, levels: personal.levels.clone() };
        match personal.level {
            Level::K => all.push(Box::new(PersonalK { wishes })),
            Level::L if encoded.sensitive().is_empty() => {
                return Err(Error::NoSensitive { model: "a personal l".to_owned() });
            }
            Level::L => {
                for (place, sensitive) in encoded.sensitive().iter().enumerate() {
                    let (wishes, name) = (wishes.clone(), sensitive.name().to_owned());
                    all.push(Box::new(PersonalL { wishes, place, name }));
                }
            }
        }
    }
    Ok(all)
}

/// A column with wishes, and the level that each of its codes stands for.
#[derive(Clone)]
struct Wishes {
    column: usize,
    levels: Vec<f64>,
}

impl Wishes {
    /// The highest wish in a cluster. 1 asks for nothing.
    fn highest(&self, cluster: &Cluster) -> f64 {
        let wishes = cluster.values(self.column);
        wishes.map(|wish| self.levels[wish.code as usize]).fold(1.0, f64::max)
    }
}

struct PersonalK {
    wishes: Wishes,
}

impl Constraint for PersonalK {
    fn lack(&self, cluster: &Cluster) -> f64 {
        (self.wishes.highest(cluster) - cluster.persons() as f64).max(0.0)
    }

    fn min_size(&self) -> usize {
        1
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        Error::TooFewRows { rows: whole.persons(), k: self.wishes.highest(whole) as usize }
    }
}

struct PersonalL {
    wishes: Wishes,
    place: usize,
    name: String,
}

impl Constraint for PersonalL {
    fn lack(&self, cluster: &Cluster) -> f64 {
        let l = self.wishes.highest(cluster);
        excess(cluster, self.place, bearers, |_| 1.0 / l)
    }

    fn monotone(&self) -> bool {
        false
    }

    fn min_size(&self) -> usize {
        1
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let best = 1.0 / largest(whole, self.place);
        Error::Infeasible(format!(
            "the highest personal l = {} is more than column `{}` has: the table as a whole reaches l = {}, and a release \
             may have to be one class; ask for no more",
            self.wishes.highest(whole),
            self.name,
            down(best)
        ))
    }
}
