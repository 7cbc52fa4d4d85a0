//! The forms in which a release can be published, by name and with their parameters.
//!
//! [`publish`](crate::publish) makes each form, and the verification reads it. Both match [`ReleaseForm`] without a catch-all arm, so a
//! form that one of them lacks does not compile.

use super::{Method, Show};
use crate::error::Result;
use crate::notation::{SENSITIVE, SLICES};
use crate::registry::{self, Entry, Param, Params, Range, Spec, Value};

/// A form of release with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ReleaseForm {
    /// Quasi-identifiers are published as closures.
    Generalization {
        /// Whether cells are structs and lists instead of texts.
        nested: bool,
    },
    /// One value is published for each class.
    Centres {
        /// What replaces numbers: means or medians.
        numbers: Show,
    },
    /// Each row has a closure of its own.
    Ring {
        /// How the records of a ring are ordered.
        order: RingOrder,
    },
    /// Quasi-identifiers are published as they are, with a table that counts each sensitive value in each group.
    Anatomy,
    /// Columns form sets, and the rows of each set are shuffled within a group.
    Slicing {
        /// The number of sets of quasi-identifiers.
        sets: usize,
    },
    /// Records keep their sensitive values with a probability. The others are exchanged within a group.
    Randomization {
        /// The probability that a record keeps its values, if the plan gives it.
        p: Option<f64>,
        /// The limit 1/ℓ of how sure an adversary can be of a value, if the plan asks for one.
        l: Option<f64>,
    },
}

/// The order of the records in a ring, if a privacy model looks at sensitive values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RingOrder {
    /// The records of each sensitive value are placed at random.
    Mixed,
    /// The records of each sensitive value are placed near similar ones.
    Dealt,
    /// Similar records stand together, whatever their sensitive values are.
    Near,
}

/// Builds a form from its parameters.
pub type Build = fn(&Params) -> ReleaseForm;

/// All forms.
pub const FORMS: &[Entry<Build>] = &[
    Entry {
        name: "generalization",
        about: "one table; quasi-identifiers as ranges, nodes, sets or stars, everything else as it is",
        paper: "Samarati and Sweeney, 1998",
        params: &[Param {
            name: "cells",
            about: "text, or nested: structs of min and max, and lists, for Parquet",
            range: Range::Choice(&["text", "nested"]),
            default: Some(Value::Word("text")),
        }],
        build: |params| ReleaseForm::Generalization { nested: params.word("cells") == "nested" },
    },
    Entry {
        name: "centres",
        about: "one table; one value for each class: means or medians of numbers, medians of ordered values, most frequent categories",
        paper: "Domingo-Ferrer and Mateo-Sanz, TKDE 2002; Domingo-Ferrer and Torra, DMKD 2005",
        params: &[Param {
            name: "numbers",
            about: "the value that stands for the numbers of a class",
            range: Range::Choice(&["mean", "median"]),
            default: Some(Value::Word("mean")),
        }],
        build: |params| ReleaseForm::Centres {
            numbers: if params.word("numbers") == "mean" { Show::Mean } else { Show::Median },
        },
    },
    Entry {
        name: "ring",
        about: "one table; every row has its own closure, and it is secret which of k rows belongs to whom (non-homogeneous generalization)",
        paper: "Wong, Mamoulis and Cheung, SIGMOD 2010",
        params: &[Param {
            name: "order",
            about: "if models look at sensitive values: mixed places the records of a value at random, dealt puts near ones together, near ignores values",
            range: Range::Choice(&["mixed", "dealt", "near"]),
            default: Some(Value::Word("mixed")),
        }],
        build: |params| ReleaseForm::Ring {
            order: match params.word("order") {
                "near" => RingOrder::Near,
                "dealt" => RingOrder::Dealt,
                _ => RingOrder::Mixed,
            },
        },
    },
    Entry {
        name: "anatomy",
        about: "two tables: quasi-identifiers as they are with a group number, and the count of each sensitive value in each group",
        paper: "Xiao and Tao, VLDB 2006",
        params: &[],
        build: |_| ReleaseForm::Anatomy,
    },
    Entry {
        name: "slicing",
        about: "one table; columns that go together form sets, and the rows of each set are shuffled separately within a group",
        paper: "Li, Li, Zhang and Molloy, TKDE 2012",
        params: &[Param {
            name: "columns",
            about: "the number of sets of quasi-identifiers, at most the number of these",
            range: Range::Integer(1, 1000),
            default: Some(Value::Integer(3)),
        }],
        build: |params| ReleaseForm::Slicing { sets: params.integer("columns") as usize },
    },
    Entry {
        name: "randomization",
        about: "one table; records keep their sensitive values with a probability, the others are exchanged at random within a group",
        paper: "Chaytor and Wang, VLDB 2010",
        params: &[
            Param {
                name: "p",
                about: "the probability that a record keeps its sensitive values; 1 stands for the largest one that l allows",
                range: Range::Number(0.0, 1.0),
                default: Some(Value::Number(1.0)),
            },
            Param {
                name: "l",
                about: "nobody can be surer than 1/l of a person's value; 1 stands for what p gives, or without p for what the plan asks",
                range: Range::Number(1.0, 1e9),
                default: Some(Value::Number(1.0)),
            },
        ],
        build: |params| {
            let (p, l) = (params.number("p"), params.number("l"));
            ReleaseForm::Randomization { p: (p < 1.0).then_some(p), l: (l > 1.0).then_some(l) }
        },
    },
];

/// All names of additional tables, over all forms.
pub const PARTS: [&str; 2] = [SENSITIVE, SLICES];

impl ReleaseForm {
    /// The form that `spec` asks for.
    pub fn parse(spec: &Spec) -> Result<Self> {
        let (entry, params) = registry::find(FORMS, "publisher", spec)?;
        Ok((entry.build)(&params))
    }

    /// The names of the additional tables of a release.
    pub fn parts(self) -> &'static [&'static str] {
        match self {
            ReleaseForm::Anatomy => &[SENSITIVE],
            ReleaseForm::Slicing { .. } => &[SLICES],
            ReleaseForm::Generalization { .. }
            | ReleaseForm::Centres { .. }
            | ReleaseForm::Ring { .. }
            | ReleaseForm::Randomization { .. } => &[],
        }
    }

    /// Whether quasi-identifiers are as they were, and records hide which sensitive value of their group is theirs.
    pub(crate) fn is_grouped(self) -> bool {
        match self {
            ReleaseForm::Anatomy | ReleaseForm::Slicing { .. } | ReleaseForm::Randomization { .. } => true,
            ReleaseForm::Generalization { .. } | ReleaseForm::Centres { .. } | ReleaseForm::Ring { .. } => false,
        }
    }

    /// Whether cells are structs and lists, which only Parquet can hold.
    pub fn nested(self) -> bool {
        matches!(self, ReleaseForm::Generalization { nested: true })
    }
}

impl Method {
    /// The form of the release.
    pub fn form(&self) -> Result<ReleaseForm> {
        ReleaseForm::parse(&self.publish)
    }
}
