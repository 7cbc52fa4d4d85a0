//! The privacy models that a plan can ask for, by name and with their levels.
//!
//! Each model is written twice: in [`constraint`](crate::constraint), which algorithms follow, and in the verification, which judges the
//! published files. Both match [`Model`] without a catch-all arm, so a model that one of them lacks does not compile.

use super::{Plan, Privacy};
use crate::error::Result;
use crate::registry::{self, Entry, Param, Params, Range, Spec, Value};

/// A privacy model with its level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Model {
    /// Every record shares its published quasi-identifiers with at least k − 1 others.
    KAnonymity {
        /// The least size of a class.
        k: usize,
    },
    /// Every class has rows of at least k different households.
    HouseholdK {
        /// The least number of households in a class.
        k: usize,
    },
    /// A model of the values of a sensitive column.
    Values(ValueModel),
}

/// A privacy model of the values of a sensitive column.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)] // the parameters are described in the list
pub enum ValueModel {
    DistinctL { l: usize },
    FrequencyL { l: f64 },
    EntropyL { l: f64 },
    RecursiveL { c: f64, l: usize },
    AlphaK { alpha: f64 },
    TCloseness { t: f64, distance: Distance },
    BasicBeta { beta: f64 },
    EnhancedBeta { beta: f64 },
    DeltaDisclosure { delta: f64 },
}

/// The distance between two sensitive values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// The same for any two different values.
    Equal,
    /// By how far apart they are in their order.
    Ordered,
    /// By the height of their lowest common node in a tree.
    Hierarchical,
}

/// Builds a model from its parameters.
pub type Build = fn(&Params) -> Model;

/// All privacy models.
pub const MODELS: &[Entry<Build>] = &[
    Entry {
        name: "k-anonymity",
        about: "every record shares its published quasi-identifiers with at least k-1 others",
        paper: "Samarati and Sweeney, 1998; Sweeney, IJUFKS 2002",
        params: &[integer("k", "the least number of records in a class; k = 1 would hide nobody", u64::MAX)],
        build: |params| Model::KAnonymity { k: params.integer("k") as usize },
    },
    Entry {
        name: "household-k",
        about: "every class has rows of at least k different households",
        paper: "after Templ, Kowarik and Meindl, Journal of Statistical Software 2015",
        params: &[integer("k", "the least number of households in a class; k = 1 would ask for nothing", u64::MAX)],
        build: |params| Model::HouseholdK { k: params.integer("k") as usize },
    },
    Entry {
        name: "distinct-l",
        about: "every class has at least l different sensitive values",
        paper: "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, TKDD 2007",
        params: &[integer("l", "the least number of different values in a class", u32::MAX as u64)],
        build: |params| Model::Values(ValueModel::DistinctL { l: params.integer("l") as usize }),
    },
    Entry {
        name: "frequency-l",
        about: "no sensitive value has more than 1/l of a class; what the option l asks for",
        paper: "Goldberger and Tassa, Transactions on Data Privacy 2010; Xiao and Tao, VLDB 2006",
        params: &[number(
            "l",
            "at most one in l records has the same value; fractions such as 1.33 are allowed",
            1.0,
            1e9,
        )],
        build: |params| Model::Values(ValueModel::FrequencyL { l: params.number("l") }),
    },
    Entry {
        name: "entropy-l",
        about: "the sensitive values of a class are as uncertain as l equally frequent ones",
        paper: "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, TKDD 2007",
        params: &[number(
            "l",
            "the number of equally frequent values with the least allowed entropy; fractions are allowed",
            1.0,
            1e9,
        )],
        build: |params| Model::Values(ValueModel::EntropyL { l: params.number("l") }),
    },
    Entry {
        name: "recursive-l",
        about: "the most frequent value is rarer than c times all but the l-1 most frequent ones together",
        paper: "Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, TKDD 2007",
        params: &[
            number("c", "how often the most frequent value may occur, compared with the rare ones", 1e-6, 1e9),
            integer("l", "values from the l-th most frequent on are the rare ones", u32::MAX as u64),
        ],
        build: |params| {
            Model::Values(ValueModel::RecursiveL { c: params.number("c"), l: params.integer("l") as usize })
        },
    },
    Entry {
        name: "alpha-k",
        about: "no sensitive value has more than the share alpha of a class",
        paper: "Wong, Li, Fu and Wang, KDD 2006",
        params: &[number("alpha", "the largest share of a class that a value may have", 1e-9, 1.0)],
        build: |params| Model::Values(ValueModel::AlphaK { alpha: params.number("alpha") }),
    },
    Entry {
        name: "t-closeness",
        about: "the sensitive values of a class are distributed as in the table, up to an earth mover's distance of t",
        paper: "Li, Li and Venkatasubramanian, ICDE 2007",
        params: &[
            number("t", "the largest distance of a class from the table", 0.0, 1.0),
            Param {
                name: "distance",
                about: "how far values are apart: all equally, by their order, or by the column's hierarchy",
                range: Range::Choice(&["equal", "ordered", "hierarchical"]),
                default: Some(Value::Word("equal")),
            },
        ],
        build: |params| {
            let distance = match params.word("distance") {
                "ordered" => Distance::Ordered,
                "hierarchical" => Distance::Hierarchical,
                _ => Distance::Equal,
            };
            Model::Values(ValueModel::TCloseness { t: params.number("t"), distance })
        },
    },
    Entry {
        name: "basic-beta",
        about: "in no class is a sensitive value more than (1 + beta) times as frequent as in the table",
        paper: "Cao and Karras, PVLDB 2012",
        params: &[BETA],
        build: |params| Model::Values(ValueModel::BasicBeta { beta: params.number("beta") }),
    },
    Entry {
        name: "enhanced-beta",
        about: "like basic-beta, but frequent values may gain less: no more than the logarithm of 1 / share",
        paper: "Cao and Karras, PVLDB 2012",
        params: &[BETA],
        build: |params| Model::Values(ValueModel::EnhancedBeta { beta: params.number("beta") }),
    },
    Entry {
        name: "delta-disclosure",
        about: "every value of a class is about as frequent as in the table: the logarithm of the ratio is below delta",
        paper: "Brickell and Shmatikov, KDD 2008",
        params: &[number("delta", "the largest absolute natural logarithm of the ratio of the two shares", 1e-9, 1e9)],
        build: |params| Model::Values(ValueModel::DeltaDisclosure { delta: params.number("delta") }),
    },
];

const BETA: Param =
    number("beta", "by how much a value may be more frequent, as a multiple of its share of the table", 0.0, 1e9);

/// A level that is a number and must be given.
const fn number(name: &'static str, about: &'static str, least: f64, most: f64) -> Param {
    Param { name, about, range: Range::Number(least, most), default: None }
}

/// A level that is a whole number from 2 and must be given.
const fn integer(name: &'static str, about: &'static str, most: u64) -> Param {
    Param { name, about, range: Range::Integer(2, most), default: None }
}

impl Model {
    /// The model that `spec` asks for.
    pub fn parse(spec: &Spec) -> Result<Self> {
        let (entry, params) = registry::find(MODELS, "constraint", spec)?;
        Ok((entry.build)(&params))
    }
}

/// Adds a model. It replaces the same model with another level.
pub(super) fn ask(models: &mut Vec<Spec>, model: Spec) {
    models.retain(|other| other.name() != model.name());
    models.push(model);
}

impl Privacy {
    /// Requires that no sensitive value has more than 1/ℓ of a class.
    pub fn ask_diversity(&mut self, l: f64) {
        ask(&mut self.require, Spec::new(format!("frequency-l(l={l})")));
    }
}

impl Plan {
    /// The models that the plan requires of a sensitive column, each with the text in the plan.
    pub fn models_of(&self, column: &str) -> Result<Vec<(&Spec, ValueModel)>> {
        let own = self.columns.get(column).map(|column| column.require.as_slice()).unwrap_or_default();
        let mut models = Vec::new();
        for spec in self.privacy.require.iter().chain(own) {
            if let Model::Values(model) = Model::parse(spec)? {
                models.push((spec, model));
            }
        }
        Ok(models)
    }

    /// The class sizes that the plan requires in addition to its k.
    pub fn sizes(&self) -> Result<Vec<usize>> {
        self.asked_of_classes(|model| match model {
            Model::KAnonymity { k } => Some(k),
            Model::HouseholdK { .. } | Model::Values(_) => None,
        })
    }

    /// The numbers of households in each class that the plan requires.
    pub fn household_sizes(&self) -> Result<Vec<usize>> {
        self.asked_of_classes(|model| match model {
            Model::HouseholdK { k } => Some(k),
            Model::KAnonymity { .. } | Model::Values(_) => None,
        })
    }

    fn asked_of_classes(&self, k: impl Fn(Model) -> Option<usize>) -> Result<Vec<usize>> {
        let columns = self.columns.values().flat_map(|column| &column.require);
        let models = self.privacy.require.iter().chain(columns).map(Model::parse);
        models.filter_map(|model| model.map(&k).transpose()).collect()
    }
}
