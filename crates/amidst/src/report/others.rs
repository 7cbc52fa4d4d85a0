//! What is told about other tables of the same persons.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::notation::grouped;
use crate::verify::Audit;

/// Another table of the same persons, published beside the main one.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OtherOutcome {
    /// The name of the table in the plan.
    pub name: String,
    /// The number of its rows that are left out, because their persons are.
    pub left_out: usize,
    /// What the published table reaches. Classes are those of the persons in the main table, and k counts the persons with rows in this one.
    pub audit: Audit,
}

impl fmt::Display for OtherOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OtherOutcome { name, left_out, audit } = self;
        let persons = audit.people.as_ref().map_or(0, |people| people.persons);
        let gone = if *left_out > 0 { format!(", {} left out", grouped(*left_out)) } else { String::new() };
        write!(
            f,
            "table      {name}: {} rows of {} persons{gone}; k = {} persons with rows there",
            grouped(audit.rows),
            grouped(persons),
            audit.achieved.k
        )
    }
}
