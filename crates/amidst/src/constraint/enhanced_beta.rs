//! Enhanced β-likeness: basic β-likeness with a tighter limit for frequent values.
//!
//! # Definition
//! With p the share of a sensitive value in a class and q its share in the table: (p − q) / q ≤ min(β, −ln
//! q). Basic β-likeness does not limit values with more than 1 / (1 + β) of the table at all; the second
//! limit does.
//!
//! # Properties
//! Monotone, because it limits the share of each value. The table as a whole has β = 0, so every β can be
//! reached.
//!
//! # Paper
//! Cao and Karras: Publishing microdata with a robust privacy guarantee. PVLDB 2012.
//!
//! # Example
//! ```text
//! amidst anonymize patients.csv -o release.csv --quasi age,zip --others drop --sensitive disease --k 5 --require 'enhanced-beta(beta=2)'
//! ```

use super::Attribute;
use super::basic_beta::{Limited, limited};

pub(super) fn new(beta: f64, attribute: &Attribute) -> Limited {
    limited(attribute, "enhanced beta", beta, |share| beta.min(-share.ln()))
}
