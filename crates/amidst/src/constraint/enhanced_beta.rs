//! Enhanced β-likeness: as [basic β-likeness](super::basic_beta), and a frequent value may gain even less, (p − q) / q ≤ min(β, −ln q).
//!
//! Without the second limit a value of more than 1 / (1 + β) of the table would not be protected at all. Monotone.

use super::Attribute;
use super::basic_beta::{Limited, limited};

pub(super) fn new(beta: f64, attribute: &Attribute) -> Limited {
    limited(attribute, "enhanced beta", beta, |share| beta.min(-share.ln()))
}
