//! LM, the loss metric: the share of its column's domain that a closure covers.
//!
//! # Definition
//! A cell costs (|R̄| − 1) / (|A| − 1). |R̄| counts the values or leaves in the closure, |A| those of the
//! column. A column with a single value costs nothing. The loss of a table is the mean over all cells, by
//! the weights of the columns.
//!
//! # Choices
//! Numbers can be read in two ways:
//! - `numeric=range` (the default, as in most tools): the distance between the bounds, divided by the
//!   extent of the column.
//! - `numeric=values` (by the letter): the count of distinct values between the bounds.
//!
//! Numbers that are coded before they are generalized (`top`, `bottom`, `bins`, `round`) lose, too. A cell such as `>=90` stands for all
//! numbers of the table from 90 to the largest one. By range it costs the distance between the smallest and the largest of
//! these, and by values their count.
//!
//! # Properties
//! Grows with the closure. Range: 0 (every value is published as it is) to 1 (everything is suppressed).
//!
//! # Paper
//! Iyengar: Transforming data to satisfy privacy constraints. KDD 2002. Nergiz and Clifton: Thoughts on
//! k-anonymization. DKE 2007.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --k 5 --measure 'lm(numeric=values)'
//! ```

use super::Build;
use super::by_cell::ByCell;
use super::units::Units;
use crate::encode::{Domain, Encoded, Span};
use crate::registry::{Entry, Param, Range, Value};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "lm",
    about: "loss metric: the share of the domain that a closure covers, (|R|-1)/(|A|-1)",
    paper: "Iyengar, KDD 2002; Nergiz and Clifton, DKE 2007",
    params: &[Param {
        name: "numeric",
        about: "how numbers are measured: by the distance between bounds (range), or by the distinct values between them (values)",
        range: Range::Choice(&["range", "values"]),
        default: Some(Value::Word("range")),
    }],
    build: |params, encoded| {
        let by_range = params.word("numeric") == "range";
        let cell = move |domain: &Domain, span: Span| cell(domain, span, by_range);
        Ok(Box::new(ByCell::mean(encoded, units(encoded, by_range), cell).counting_values()))
    },
};

fn units(encoded: &Encoded, by_range: bool) -> Units {
    Units::new(encoded, |domain| match domain.extent(domain.everything()) {
        Some(_) if by_range => domain.steps(),
        _ if domain.is_suppress() => Some(1),
        _ => Some(domain.values(domain.everything()) as u64 - 1),
    })
}

fn cell(domain: &Domain, span: Span, by_range: bool) -> f64 {
    match domain.extent(span) {
        Some(extent) if by_range => extent,
        _ => match domain.values(domain.everything()) {
            0 | 1 => 0.0,
            all => (domain.values(span) - 1) as f64 / (all - 1) as f64,
        },
    }
}
