//! Enhanced β-likeness: as [basic β-likeness](super::basic_beta), and a frequent value may gain even less, (p − q) / q ≤ min(β, −ln q).
//!
//! Without the second limit a value of more than 1 / (1 + β) of the table would not be protected at all. Monotone.

use super::basic_beta::limited;
use super::{Build, Constraint};
use crate::registry::{Entry, Param, Range};

pub(super) const ENTRY: Entry<Build> = Entry {
    name: "enhanced-beta",
    about: "as basic-beta, and frequent values may gain less: no more than the logarithm of 1 / share",
    paper: "Cao and Karras, PVLDB 2012",
    params: &[Param {
        name: "beta",
        about: "by how much a value may be more frequent, as a multiple of its share of the table",
        range: Range::Number(0.0, 1e9),
        default: None,
    }],
    build: Build::Sensitive(|params, attribute| {
        let beta = params.number("beta");
        let limited = limited(attribute, "enhanced beta", beta, |share| beta.min(-share.ln()));
        Ok(Box::new(limited) as Box<dyn Constraint>)
    }),
};
