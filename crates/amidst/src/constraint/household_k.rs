//! household-k: every class has rows of at least k different households.
//!
//! # Definition
//! The number of different households in a class is at least k. A column with the role `household` says whose household each row belongs to.
//! A row that does not say so may belong to any of them, so it counts for none.
//!
//! People of a household share an address and often more. If a class has k rows of one household, whoever knows that household knows that
//! the class is about it, and everybody in it is found together. k-anonymity does not notice that.
//!
//! # Properties
//! Monotone: a union has the households of both parts. Together with a person column it counts the households of all rows of all persons.
//!
//! # Paper
//! The risk of households is that of Templ, Kowarik and Meindl: Statistical Disclosure Control for Micro-Data Using the R Package sdcMicro.
//! Journal of Statistical Software 2015. The model is distinct ℓ-diversity of the household.
//!
//! # Example
//! ```text
//! amidst anonymize census.csv -o release.csv --quasi age,zip --others drop --k 5 --household hh --require 'household-k(k=3)'
//! ```

use super::Constraint;
use crate::encode::{Code, Encoded};
use crate::error::Error;
use crate::problem::Cluster;

pub(super) struct HouseholdK {
    k: usize,
    place: usize,
    /// The code of rows that do not say whose household they belong to.
    nobody: Option<Code>,
}

impl HouseholdK {
    /// `None` if the table does not say whose household its rows belong to.
    pub(super) fn new(k: usize, encoded: &Encoded) -> Option<Self> {
        let place = encoded.households()?;
        Some(HouseholdK { k, place, nobody: encoded.watched()[place].plain().code("") })
    }

    fn households(&self, cluster: &Cluster) -> usize {
        cluster.values(self.place).filter(|borne| Some(borne.code) != self.nobody).count()
    }
}

impl Constraint for HouseholdK {
    fn lack(&self, cluster: &Cluster) -> f64 {
        self.k.saturating_sub(self.households(cluster)) as f64
    }

    fn only_grows(&self) -> bool {
        true
    }

    fn min_size(&self) -> usize {
        self.k
    }

    fn refusal(&self, whole: &Cluster) -> Error {
        let households = self.households(whole);
        let unnamed = if self.nobody.is_some() { "; rows that name no household count for none" } else { "" };
        Error::Infeasible(format!(
            "household-k = {} cannot be had: the rows belong to {households} different households{unnamed}; ask for no more",
            self.k
        ))
    }
}
