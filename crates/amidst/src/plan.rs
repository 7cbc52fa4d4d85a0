//! What the user asked, as one value.
//!
//! The command line's flags, a TOML file and every other front end become a [`Plan`] and hand it to the
//! [`pipeline`](crate::pipeline). It is stored beside every release, complete with seed and version, so that the
//! release can be made again, bit for bit; so it is not for recipients.
//!
//! ```
//! let plan: amidst::plan::Plan = r#"
//!     [privacy]
//!     k = 10
//!
//!     [columns]
//!     name    = { role = "identifier" }
//!     age     = { role = "quasi", kind = "range" }
//!     zip     = { role = "quasi", kind = "taxonomy", hierarchy = { mask = [1, 2, 3] } }
//!     disease = { role = "sensitive" }
//! "#.parse().unwrap();
//! assert_eq!(plan.privacy.k, 10);
//! assert_eq!(plan.columns.len(), 4);
//! ```

mod builder;
mod builtin_tree;
mod coding;
mod column;
mod encoding;
mod flags;
pub(crate) mod form;
pub(crate) mod model;
mod person_key;
mod report;
mod secret;
mod tables;
mod treatment;
mod words;

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

pub use builtin_tree::BuiltinTree;
pub use coding::Threshold;
pub use column::{CalendarUnit, Column, Decimal, InlineTree, Kind, Number, Role, Show, Tree};
pub use encoding::Encoding;
pub use flags::{Changes, Flags, Requirement};
pub(crate) use form::PARTS;
pub use form::{ReleaseForm, RingOrder};
pub use model::{Distance, Model, ValueModel};
pub use person_key::PersonKey;
pub use report::{Profile, Report};
pub use secret::{Key, Seed};
pub use tables::OtherTable;
pub use treatment::Treatment;

pub use crate::registry::{Spec, specs};

/// What the user asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The version that wrote this plan; a person who writes one leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amidst: Option<String>,
    /// How to read the table.
    #[serde(default)]
    pub input: Input,
    /// What no release may fall short of.
    pub privacy: Privacy,
    /// How the release is made.
    #[serde(default)]
    pub method: Method,
    /// What the report says of the people who answer for the release, and which checklists it has.
    #[serde(default, skip_serializing_if = "Report::is_empty")]
    pub report: Report,
    /// What happens to the columns that it does not name. A complete plan names all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others: Option<Others>,
    /// The columns of the table.
    pub columns: IndexMap<String, Column>,
    /// Other tables of the same persons, by their names.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub tables: IndexMap<String, OtherTable>,
    /// Where the plan comes from, which says whether it names every column.
    #[serde(skip)]
    pub origin: PlanOrigin,
    /// The secret key of pseudonyms and shifted dates, if the plan needs one. It is never stored with the plan.
    #[serde(skip)]
    pub key: Option<PersonKey>,
}

/// Where a plan comes from, and so whether it must name every column of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum PlanOrigin {
    /// A text or a value that names every column.
    #[default]
    Complete,
    /// A file that names every column.
    File(PathBuf),
    /// A builder, flags or arguments that name some columns. The others are published as they are, and kinds that are not
    /// given are taken from the values.
    Partial,
}

/// How to read the table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Input {
    /// What separates the fields of a CSV file; detected when left out. Releases have it, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The encoding of a CSV file; detected when left out. Releases are UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Whether the first row of a CSV file has the names of the columns. When left out it does, and a first row that looks like data is refused.
    /// Without one, the columns are named `column_1`, `column_2` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub header: Option<bool>,
    /// Whether blanks around the fields of a CSV file are dropped.
    pub trim: bool,
    /// The texts that stand for a missing value, beside the usual ones. Nulls of Parquet and Arrow always do.
    pub missing: Vec<String>,
    /// Whether only these do, and not the usual ones. A stored plan lists all texts that do, so there it is true.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missing_only: bool,
    /// What happens to the rows that miss a quasi-identifier or a sensitive value.
    pub missing_rows: MissingRows,
    /// What happens to the rows that do not say whose they are, in a table with a person column.
    #[serde(skip_serializing_if = "MissingPerson::is_refused")]
    pub missing_person: MissingPerson,
    /// The most rows of a person that are kept. The key decides which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows_per_person: Option<usize>,
    /// What separates numbers from their fractions in columns of text; read off the values of each column when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<Decimal>,
    /// Whether the spellings of a sensitive value (`HIV`, `hiv`) become one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fold: bool,
}

impl Default for Input {
    fn default() -> Self {
        Input {
            delimiter: None,
            encoding: None,
            header: None,
            trim: false,
            missing: Vec::new(),
            missing_only: false,
            missing_rows: MissingRows::Keep,
            missing_person: MissingPerson::Refuse,
            rows_per_person: None,
            decimal: None,
            fold: false,
        }
    }
}

impl Input {
    /// The delimiter, or the default.
    pub(crate) fn separator(&self) -> char {
        self.delimiter.unwrap_or(',')
    }

    /// Adds texts that stand for a missing value, or puts them in the place of all others.
    pub(crate) fn name_missing(&mut self, texts: &[String], only: bool) {
        if only {
            self.missing.clear();
            self.missing_only = true;
        }
        for text in texts {
            if !self.missing.contains(text) {
                self.missing.push(text.clone());
            }
        }
    }
}

/// What happens to rows with missing values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingRows {
    /// They stay; missing is a value like any other.
    #[default]
    Keep,
    /// They are left out of the release.
    Drop,
}

/// What happens to rows that do not say whose they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MissingPerson {
    /// The table is refused.
    #[default]
    Refuse,
    /// Each of them counts as a person of its own.
    Own,
    /// They are left out of the release.
    Drop,
}

impl MissingPerson {
    /// The word of a plan.
    pub fn name(self) -> &'static str {
        match self {
            MissingPerson::Refuse => "refuse",
            MissingPerson::Own => "own",
            MissingPerson::Drop => "drop",
        }
    }

    // serde hands over a reference.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn is_refused(&self) -> bool {
        *self == MissingPerson::Refuse
    }
}

/// What happens to the columns that nobody named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Others {
    /// They are published as they are. Those that look like identifiers are refused all the same.
    Publish,
    /// They are left out of the release.
    Drop,
}

impl Others {
    /// The word of a plan.
    pub fn name(self) -> &'static str {
        match self {
            Others::Publish => "publish",
            Others::Drop => "drop",
        }
    }
}

/// What no release may fall short of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Privacy {
    /// How many records at least share each combination of published quasi-identifiers. In a table with a person column, how many persons.
    pub k: usize,
    /// What every sensitive column must satisfy in every class, such as `frequency-l(l=3)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Spec>,
    /// The share of the records that may be left out of the release.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub suppress: f64,
}

impl Privacy {
    /// k-anonymity, and nothing about sensitive values.
    pub fn k_anonymity(k: usize) -> Self {
        Privacy { k, require: Vec::new(), suppress: 0.0 }
    }
}

// serde hands over a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// How the release is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Method {
    /// The algorithm that forms the clusters.
    pub partitioner: Spec,
    /// What improves them afterwards, in this order.
    pub refine: Vec<Spec>,
    /// The loss that both try to keep low.
    pub measure: Spec,
    /// The form in which the clusters are published.
    pub publish: Spec,
    /// The seed of all random choices; drawn at random when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<Seed>,
    /// The key of the fingerprints that recipients get; drawn at random when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint_key: Option<Key>,
    /// The order of the published rows.
    pub order: RowOrder,
}

impl Default for Method {
    fn default() -> Self {
        Method {
            partitioner: Spec::new("engine"),
            refine: Vec::new(),
            measure: Spec::new("lm"),
            publish: Spec::new("generalization"),
            seed: None,
            fingerprint_key: None,
            order: RowOrder::Shuffle,
        }
    }
}

impl Method {
    /// Draws the secrets that nobody named, and gives the seed.
    pub fn draw(&mut self) -> Result<Seed> {
        let seed = self.seed.map_or_else(Seed::random, Ok)?;
        self.seed = Some(seed);
        self.fingerprint_key = Some(self.fingerprint_key.map_or_else(Key::random, Ok)?);
        Ok(seed)
    }
}

/// The order of the published rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowOrder {
    /// A random order, because the order of the input can identify people.
    #[default]
    Shuffle,
    /// The order of the input.
    Keep,
}

impl FromStr for Plan {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        let mut plan: Plan = toml::from_str(text).map_err(|e| Error::Plan { file: None, message: e.to_string() })?;
        plan.take_persons();
        Ok(plan)
    }
}

/// The longest plan, in bytes; hierarchies may be part of it.
const LONGEST: u64 = 256 << 20;

impl Plan {
    /// Reads a plan from a TOML file. Hierarchy files in it are found relative to it.
    pub fn load(path: &Path) -> Result<Self> {
        let mut text = String::new();
        let file = File::open(path).and_then(|file| file.take(LONGEST + 1).read_to_string(&mut text));
        file.map_err(|e| Error::read(&path.display(), e))?;
        if text.len() as u64 > LONGEST {
            return Err(invalid(path, &"it has more than 256 MiB of text"));
        }
        let mut plan: Plan = toml::from_str(&text).map_err(|e| invalid(path, &e))?;
        if let Some(folder) = path.parent() {
            for tree in plan.trees_mut() {
                if let Tree::File(file) = tree {
                    *file = folder.join(&*file);
                }
            }
            plan.tables
                .values_mut()
                .filter_map(|table| table.file.as_mut())
                .for_each(|file| *file = folder.join(&*file));
        }
        plan.origin = PlanOrigin::File(path.to_owned());
        plan.take_persons();
        Ok(plan)
    }

    /// The trees of all columns.
    pub(crate) fn trees_mut(&mut self) -> impl Iterator<Item = &mut Tree> {
        let others = self.tables.values_mut().flat_map(|table| table.columns.values_mut());
        self.columns.values_mut().chain(others).flat_map(Column::trees_mut)
    }

    /// True where the plan need not name every column.
    pub fn is_partial(&self) -> bool {
        self.origin == PlanOrigin::Partial
    }

    /// True where something is to be filled in once the columns of the table are known.
    pub(crate) fn is_open(&self) -> bool {
        self.is_partial() || self.others.is_some()
    }

    /// The columns of that role, in the order of the plan.
    pub fn columns_with(&self, role: Role) -> impl Iterator<Item = &str> {
        self.columns.iter().filter(move |(_, c)| c.role == role).map(|(name, _)| name.as_str())
    }

    /// The plan as TOML, one line a column, with a remark behind those that `remark` has one for.
    pub fn to_toml(&self, remark: impl Fn(&str) -> Option<String>) -> String {
        #[derive(Serialize)]
        struct Head<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            amidst: &'a Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            others: &'a Option<Others>,
            input: &'a Input,
            privacy: &'a Privacy,
            method: &'a Method,
            #[serde(skip_serializing_if = "Report::is_empty")]
            report: &'a Report,
        }
        let Plan { amidst, others, input, privacy, method, report, columns, tables, origin: _, key: _ } = self;
        let head = Head { amidst, others, input, privacy, method, report };
        let mut text = toml::to_string(&head).unwrap_or_else(|e| unreachable!("a plan is TOML: {e}"));
        text.push_str("\n[columns]\n");
        let lines: Vec<_> = columns
            .iter()
            .map(|(name, column)| {
                let value = toml::Value::try_from(column).unwrap_or_else(|e| unreachable!("a column is TOML: {e}"));
                (name, key(name), value.to_string())
            })
            .collect();
        let name_width = lines.iter().map(|(_, key, _)| key.chars().count()).max().unwrap_or(0);
        let short = lines.iter().map(|(_, _, value)| value.chars().count()).filter(|w| *w <= 60);
        let value_width = short.max().unwrap_or(0);
        for (name, key, value) in &lines {
            let _ = match remark(name) {
                Some(remark) => writeln!(text, "{key:name_width$} = {value:value_width$}  # {remark}"),
                None => writeln!(text, "{key:name_width$} = {value}"),
            };
        }
        if !tables.is_empty() {
            #[derive(Serialize)]
            struct Tail<'a> {
                tables: &'a IndexMap<String, OtherTable>,
            }
            let tail = toml::to_string(&Tail { tables }).unwrap_or_else(|e| unreachable!("tables are TOML: {e}"));
            let _ = write!(text, "\n{tail}");
        }
        text
    }
}

fn invalid(path: &Path, message: &dyn fmt::Display) -> Error {
    Error::Plan { file: Some(path.display().to_string()), message: message.to_string() }
}

/// A TOML key: bare where the name allows it. Not every string is a key: no line may break in one.
fn key(name: &str) -> String {
    let line = toml::Table::from_iter([(name.to_owned(), toml::Value::Boolean(true))]).to_string();
    line.trim_end().trim_end_matches(" = true").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_its_toml() {
        let mut plan: Plan = r#"
            [privacy]
            k = 3
            [method]
            partitioner = "mondrian(relaxed)"
            [report]
            recipient = "the University of Oslo"
            profiles = ["gdpr", "iso27559"]
            [columns]
            "a b" = { role = "quasi", kind = "range", type = "date", format = "%d.%m.%Y", weight = 2.0 }
            b = { role = "quasi", kind = "taxonomy", hierarchy = { nested = { "*" = ["x", { y = ["z"] }] } } }
            c = { role = "quasi", kind = "taxonomy", hierarchy = { dates = ["month", "year"] } }
            d = { role = "quasi", kind = "ordered", order = ["low", "high"] }
            e = { role = "quasi", kind = "taxonomy", hierarchy = "trees/e.csv" }
            "a \"line\"\n'break'" = { role = "other" }
        "#
        .parse()
        .unwrap();
        let lines = "a;\"q\\;*\nb;'''q;*\n".to_owned();
        plan.columns["e"].hierarchy = Some(Tree::Inline(InlineTree::Lines(lines)));
        let text = plan.to_toml(|_| Some("a remark".to_owned()));
        assert_eq!(text.parse::<Plan>().unwrap(), plan, "{text}");
    }

    #[test]
    fn trees_on_the_command_line() {
        let inline = |t: &str| match t.parse::<Tree>().unwrap() {
            Tree::Inline(tree) => tree,
            Tree::File(file) => panic!("{} is no file", file.display()),
        };
        assert_eq!(inline("widths:5,10"), InlineTree::Widths(vec![5.0, 10.0]));
        assert_eq!(inline("mask:1"), InlineTree::Mask(vec![1]));
        assert_eq!(inline("flat"), InlineTree::Flat("*".to_owned()));
        assert_eq!(inline("dates:month, year"), InlineTree::Dates(vec![CalendarUnit::Month, CalendarUnit::Year]));
        assert_eq!("trees/a.csv".parse::<Tree>(), Ok(Tree::File("trees/a.csv".into())));
        assert!("widths:a".parse::<Tree>().is_err());
    }
}
