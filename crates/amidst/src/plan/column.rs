//! What a plan says about a column: its role, its kind, its hierarchy, and how it is shown.

use std::path::{Path, PathBuf};
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::{BuiltinTree, Threshold, Treatment};
use crate::registry::Spec;

/// What a column is to the privacy of the people in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Names a person by itself; never published.
    Identifier,
    /// Says, alone or together with others, whose row it is; never published. With it, k and the privacy models count persons.
    Person,
    /// Says, alone or together with others, whose household a row belongs to; never published. `household-k` counts households.
    Household,
    /// Can single a person out together with others; published as closures.
    Quasi,
    /// What nobody may learn about a person.
    Sensitive,
    /// Harmless; published as it is.
    Other,
    /// How many records each person wants to hide amidst; never published.
    #[serde(rename = "personal-k")]
    PersonalK,
    /// How diverse each person wants the sensitive values of the class to be; never published.
    #[serde(rename = "personal-l")]
    PersonalL,
}

impl Role {
    /// The word of a plan.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Role::Identifier => "identifier",
            Role::Person => "person",
            Role::Household => "household",
            Role::Quasi => "quasi",
            Role::Sensitive => "sensitive",
            Role::Other => "other",
            Role::PersonalK => "personal-k",
            Role::PersonalL => "personal-l",
        }
    }

    /// Whether columns of this role are part of the release, unless they are replaced.
    pub(super) fn is_published(self) -> bool {
        matches!(self, Role::Quasi | Role::Sensitive | Role::Other)
    }
}

/// How the values of a quasi-identifier are generalized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Numbers and dates: `[25-30]`.
    Range,
    /// Categories with an order: `[HS-grad - Masters]`.
    Ordered,
    /// Values below the nodes of a tree: the lowest node above all of them.
    Taxonomy,
    /// A set of values: `{Private, State-gov}`.
    Set,
    /// The value where all agree, else `*`.
    Suppress,
}

impl Kind {
    /// The word of a plan.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Range => "range",
            Kind::Ordered => "ordered",
            Kind::Taxonomy => "taxonomy",
            Kind::Set => "set",
            Kind::Suppress => "suppress",
        }
    }
}

impl FromStr for Kind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Kind::deserialize(toml::Value::String(text.to_owned()))
            .map_err(|_| format!("`{text}` is no kind; there are: range, ordered, taxonomy, set, suppress"))
    }
}

/// How the classes of a quasi-identifier are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Show {
    /// By their closure: `[25-30]`.
    #[default]
    Cell,
    /// By its bounds, in two columns: `age_min`, `age_max`.
    Bounds,
    /// By the middle of its bounds: `27.5`.
    Middle,
    /// By the mean of the records.
    Mean,
    /// By the median of the records, the lower of two.
    Median,
    /// By the most frequent value of the records.
    Mode,
}

impl Show {
    /// True where one value stands for all of a class, which need not be that of any of its records.
    pub fn is_centre(self) -> bool {
        !matches!(self, Show::Cell | Show::Bounds)
    }
}

impl FromStr for Show {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Show::deserialize(toml::Value::String(text.to_owned())).map_err(|_| {
            format!("`{text}` is no way to show a class; there are: cell, bounds, middle, mean, median, mode")
        })
    }
}

/// What the numbers of a [`Kind::Range`] column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Number {
    /// Whole numbers.
    Integer,
    /// Numbers with a fraction.
    Decimal,
    /// Days and times.
    Date,
}

/// What separates a number from its fraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Decimal {
    /// A point, as in `1234.5`.
    #[default]
    #[serde(rename = ".")]
    Point,
    /// A comma, as in `1234,5` or `1.234,5`.
    #[serde(rename = ",")]
    Comma,
}

impl FromStr for Decimal {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "." => Ok(Decimal::Point),
            "," => Ok(Decimal::Comma),
            _ => Err(format!("`{text}` is no decimal mark; there are: . and ,")),
        }
    }
}

/// What the plan says about one column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// What it is to privacy.
    pub role: Role,
    /// How it is generalized; for quasi-identifiers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// What its numbers are; read off the values when left out.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub number: Option<Number>,
    /// How its dates or times are written, in the notation of strftime; read off the values when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// What separates its numbers from their fractions; read off the values when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal: Option<Decimal>,
    /// All numbers from this one on are published as one; for ranges, sensitive columns and columns that are published as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<Threshold>,
    /// All numbers up to this one are published as one; for the same columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bottom: Option<Threshold>,
    /// Where its bins begin; for the same columns. Numbers below the first and from the last on are two more bins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bins: Vec<Threshold>,
    /// The number to whose multiples its numbers are rounded; for the same columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<Threshold>,
    /// The order of its categories, from low to high.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<Vec<String>>,
    /// Its tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hierarchy: Option<Tree>,
    /// For sensitive columns: values right below the same node of this tree count as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Tree>,
    /// For sensitive columns: what this one must satisfy in every class, beside what all of them must.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Spec>,
    /// How much its loss counts; 1 when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How its classes are shown; for quasi-identifiers. By their cells when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show: Option<Show>,
    /// What it is replaced by in the release; for person columns, identifiers and dates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publish: Option<Treatment>,
}

impl Column {
    /// A column of which only the role is known.
    pub fn with_role(role: Role) -> Self {
        Column {
            role,
            kind: None,
            number: None,
            format: None,
            decimal: None,
            top: None,
            bottom: None,
            bins: Vec::new(),
            round: None,
            order: None,
            hierarchy: None,
            groups: None,
            require: Vec::new(),
            weight: None,
            show: None,
            publish: None,
        }
    }

    /// Whether it is part of the release, as it is or as what it is replaced by.
    pub fn is_published(&self) -> bool {
        self.role.is_published() || self.publish.is_some()
    }

    /// Whether its numbers are coded: by `top`, `bottom`, `bins` or `round`.
    pub fn is_coded(&self) -> bool {
        self.top.is_some() || self.bottom.is_some() || !self.bins.is_empty() || self.round.is_some()
    }

    /// Whether its numbers are coded without being generalized, so that its texts change.
    pub(crate) fn is_recoded(&self) -> bool {
        self.role != Role::Quasi && self.is_coded()
    }

    /// Whether some of its values are never published by themselves, even in a class that shares them.
    pub(crate) fn hides_values(&self) -> bool {
        self.is_coded() || self.hierarchy == Some(Tree::Inline(InlineTree::Builtin(BuiltinTree::AgeBands)))
    }

    /// Whether its coding hides the smallest or the largest number of the table.
    pub(crate) fn hides_width(&self) -> bool {
        self.top.is_some() || self.bottom.is_some() || !self.bins.is_empty()
    }

    /// The trees that the plan gives it.
    pub fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.hierarchy.iter().chain(&self.groups)
    }

    /// The trees that the plan gives it.
    pub fn trees_mut(&mut self) -> impl Iterator<Item = &mut Tree> {
        self.hierarchy.iter_mut().chain(&mut self.groups)
    }
}

/// Where the tree of a taxonomy comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree {
    /// A file: `leaf;level 1;…;root` a line, or TOML by its extension.
    File(PathBuf),
    /// The tree itself, or how to build it.
    Inline(InlineTree),
}

/// A tree that is part of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InlineTree {
    /// The lines of a hierarchy file.
    Lines(String),
    /// Nested tables and lists of leaves.
    Nested(toml::Value),
    /// Ranges of these widths over the numbers of the column, each a multiple of the one before.
    Widths(Vec<f64>),
    /// Calendar units over the dates or times of the column, from small to large.
    Dates(Vec<CalendarUnit>),
    /// So many characters masked from the right, level by level: `75275`, `7527*`, `752**`.
    Mask(Vec<u32>),
    /// One level: every value right below this root.
    Flat(String),
    /// A tree that comes with amidst.
    Builtin(BuiltinTree),
}

/// A unit of the calendar that dates can be generalized to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum CalendarUnit {
    Day,
    Month,
    Quarter,
    Year,
    Decade,
}

impl Serialize for Tree {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Tree::File(path) => path.serialize(serializer),
            Tree::Inline(tree) => tree.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(path) => Ok(Tree::File(path.into())),
            other => InlineTree::deserialize(other).map(Tree::Inline).map_err(serde::de::Error::custom),
        }
    }
}

/// As on the command line: a file, or `widths:5,10,20`, `dates:month,year`, `mask:1,2,3`, `flat`, or the name of a built-in tree that is no
/// file.
impl FromStr for Tree {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        fn list<T: FromStr>(text: &str) -> Result<Vec<T>, String> {
            text.split(',')
                .map(|t| t.trim().parse().map_err(|_| format!("`{t}` is not a number, or too large")))
                .collect()
        }
        let (builder, rest) = text.split_once(':').unwrap_or((text, ""));
        Ok(Tree::Inline(match builder {
            "flat" => InlineTree::Flat(if rest.is_empty() { "*" } else { rest }.to_owned()),
            "widths" => InlineTree::Widths(list(rest)?),
            "mask" => InlineTree::Mask(list(rest)?),
            "dates" => {
                let unit = |t: &str| CalendarUnit::deserialize(toml::Value::String(t.trim().to_owned()));
                let units: Result<_, _> = rest.split(',').map(unit).collect();
                InlineTree::Dates(units.map_err(|_| {
                    format!("`{rest}` is no list of calendar units; there are: day, month, quarter, year, decade")
                })?)
            }
            "builtin" => InlineTree::Builtin(rest.parse()?),
            _ => match text.parse::<BuiltinTree>() {
                Ok(_) if Path::new(text).exists() => {
                    return Err(format!(
                        "`{text}` is a file and a built-in tree; write ./{text} for the file, or builtin:{text} for the tree"
                    ));
                }
                Ok(tree) => InlineTree::Builtin(tree),
                Err(_) => return Ok(Tree::File(text.into())),
            },
        }))
    }
}
