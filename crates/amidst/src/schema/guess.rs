//! A first plan for a table that nobody has described yet.
//!
//! `amidst init` writes these guesses with their reasons, for a person to correct. Nothing is guessed
//! silently: if the command line leaves out a kind, the chosen one is reported and becomes part of the
//! stored plan.

use arrow_array::cast::AsArray;

use super::coarse::make_coarse;
use super::nature::{Nature, Odd, nature};
use super::{classifications, missing};
use crate::error::{Error, Result};
use crate::plan::{
    BuiltinTree, Column, InlineTree, Input, Kind, MissingRows, Number, Others, Plan, PlanOrigin, Role, Spec, Tree,
};
use crate::read::{Table, texts};
use crate::schema::recognize::{self, Contents, Recognized, Rule, Sort};

/// The largest number of values in a set.
pub const SET_LIMIT: usize = 64;

/// The largest number of levels of a tree that masks characters.
const MAX_MASK_LEVELS: usize = 64;

/// What is known of a column.
struct Profile {
    contents: Contents,
    nature: Nature,
    /// The values that keep it from being something else.
    odd: Option<Odd>,
    recognized: Recognized,
}

impl Profile {
    fn of(table: &Table, column: &str, input: &Input) -> Result<Self> {
        let contents = Contents::new(table, column, &input.missing)?;
        let values: Vec<&str> = contents.texts().collect();
        let nature = nature(column, &values, input.decimal);
        let odd = if nature == Nature::Text { Odd::among(column, &contents, input.decimal) } else { None };
        Ok(Profile { nature, odd, recognized: recognize::of(column, &contents), contents })
    }

    /// A short description for readers of the plan.
    fn describe(&self) -> String {
        let n = self.contents.distinct();
        let mut text = format!("{}, {n} values", self.nature.name());
        if n == 1 {
            text = text.replace("values", "value");
        }
        let missing = self.contents.rows - self.contents.present;
        if missing > 0 {
            text += &format!(", {missing} missing");
        }
        text
    }
}

/// Makes a column of a plan a quasi-identifier whose kind fits its values. Returns what to know about it.
fn generalize(name: &str, profile: &Profile, column: &mut Column) -> String {
    /// A few different whole numbers that many rows share are more often codes than quantities.
    const MOST_CODES: usize = 9;
    const LEAST_SHARED: usize = 10;
    let Profile { contents, nature, recognized, odd } = profile;
    let (distinct, rows) = (contents.distinct(), contents.present);
    let places = recognized.rule == Some(Rule::Geography);
    let digits = contents.texts().all(|text| text.len() >= 3 && text.bytes().all(|b| b.is_ascii_digit()));
    let codes = *nature == Nature::Integer && distinct <= MOST_CODES && rows >= LEAST_SHARED * distinct;
    let numbered = *nature == Nature::Integer && recognize::is_numbered(name) && rows >= LEAST_SHARED * distinct;
    let classified = classified(name, &contents.texts().collect::<Vec<_>>(), nature);
    let kind = match nature {
        _ if classified.is_some() => Kind::Taxonomy,
        Nature::Code => Kind::Taxonomy,
        Nature::Integer if places && digits && distinct > 1 => Kind::Taxonomy,
        Nature::Integer if codes || numbered && distinct < SET_LIMIT => Kind::Set,
        Nature::Integer | Nature::Decimal | Nature::Comma | Nature::Date(_) => Kind::Range,
        Nature::Text if distinct < SET_LIMIT => Kind::Set,
        // The reader of the plan learns what dates in two readings and numbers with separators of thousands could be.
        Nature::Text | Nature::Ambiguous(_) | Nature::Thousands => Kind::Suppress,
    };
    column.kind = Some(kind);
    let why = match (kind, classified) {
        (_, Some(tree)) => {
            column.hierarchy = Some(Tree::Inline(InlineTree::Builtin(tree)));
            "all values are in this built-in tree"
        }
        (Kind::Range, _) => {
            nature.describe_in(column);
            ""
        }
        (Kind::Taxonomy, _) => {
            let longest = contents.texts().map(|v| v.chars().count()).max().unwrap_or(1).min(MAX_MASK_LEVELS);
            column.hierarchy = Some(Tree::Inline(InlineTree::Mask((1..longest.max(2) as u32).collect())));
            "codes, masked from the right"
        }
        (Kind::Set, _) if *nature == Nature::Integer => "probably codes, make it a range if they are quantities",
        (Kind::Suppress, _) if *nature == Nature::Text => "too many values for sets, a hierarchy would keep more of it",
        _ => "",
    };
    let told = [nature.remark(), odd.as_ref().map(Odd::remark), Some(why.to_owned())];
    let told: Vec<String> = told.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    told.join("; ")
}

/// The built-in tree of a column: its name says what it is, and the tree has all its values. Up to 63 countries are a set, which keeps more.
/// ZIP codes are masked, because most numbers of five digits are prefixes of US ZIP codes, whatever country they are of.
fn classified(name: &str, values: &[&str], nature: &Nature) -> Option<BuiltinTree> {
    if *nature != Nature::Text || values.len() < 2 {
        return None;
    }
    let name = name.to_lowercase();
    let speaks_of = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let candidates: &[BuiltinTree] = match () {
        () if speaks_of(&["icd", "diag", "dx"]) => &[BuiltinTree::Icd10, BuiltinTree::Icd10cm],
        () if speaks_of(&["country", "nation", "citizen"]) && values.len() >= SET_LIMIT => &[BuiltinTree::Countries],
        () => &[],
    };
    let has_all = |tree: &&BuiltinTree| values.iter().all(|value| classifications::above(**tree, value).is_some());
    candidates.iter().find(has_all).copied()
}

/// What a plan left open, and what became of it.
#[derive(Debug, Clone, Default)]
pub struct Completed {
    /// The kinds that were taken from the values.
    pub taken: Vec<(String, Kind)>,
    /// The columns that nobody named and that are to be published, and what they seem to be.
    pub unnamed: Vec<(String, Recognized)>,
    /// The columns that nobody named and that are left out.
    pub dropped: Vec<String>,
    /// Those of them that have no name and only number the rows.
    pub numbering: Vec<String>,
    /// Whether somebody said what happens to the columns that nobody named.
    pub decided: bool,
}

/// Completes a plan that was made from flags. Every quasi-identifier without a kind gets the one that fits its values, as [`plan`] chooses
/// it, and every column that was not named is published as it is or left out, as the plan says.
pub fn complete(plan: &mut Plan, table: &Table) -> Result<Completed> {
    let Completed { mut taken, mut unnamed, mut dropped, mut numbering, .. } = Completed::default();
    for (name, column) in &mut plan.columns {
        if column.role == Role::Quasi && column.kind.is_none() {
            if column.format.is_some() {
                (column.kind, column.number) = (Some(Kind::Range), Some(Number::Date));
            } else {
                let profile = Profile::of(table, name, &plan.input)?;
                generalize(name, &profile, column);
            }
            taken.extend(column.kind.map(|kind| (name.clone(), kind)));
        }
    }
    for name in table.names() {
        if plan.columns.contains_key(name) {
            continue;
        }
        if recognize::is_nameless(name) && numbers_rows(table, name)? {
            plan.columns.insert(name.to_owned(), Column::with_role(Role::Identifier));
            dropped.push(name.to_owned());
            numbering.push(name.to_owned());
            continue;
        }
        let drop = plan.others == Some(Others::Drop);
        let role = if drop { Role::Identifier } else { Role::Other };
        plan.columns.insert(name.to_owned(), Column::with_role(role));
        if drop {
            dropped.push(name.to_owned());
        } else {
            unnamed.push((name.to_owned(), recognize::recognize(table, name, &plan.input.missing)?));
        }
    }
    Ok(Completed { taken, unnamed, dropped, numbering, decided: plan.others.is_some() })
}

/// Whether the cells of a column are 0, 1, 2 and so on, or 1, 2, 3: the index of a data frame.
fn numbers_rows(table: &Table, column: &str) -> Result<bool> {
    let texts = texts(table.column(column)?).map_err(|e| Error::column(column, &e))?;
    let values = texts.values().as_string::<i32>();
    let number = |row: usize| texts.key(row).and_then(|key| values.value(key).parse::<usize>().ok());
    let first = number(0).filter(|first| *first <= 1);
    Ok(first.is_some_and(|first| (0..table.rows()).all(|row| number(row) == Some(row + first))))
}

/// Said of sensitive numbers that many rows have alone and that were not rounded.
const EXACT: &str = "whoever knows somebody's number finds the row: give it a top and round it, if others may know";

/// What is guessed of a column, and what it would be in another role.
#[derive(Debug, Clone)]
pub struct Guess {
    /// The guess.
    pub column: Column,
    /// What the values are like, and why the column is what it is.
    pub reason: String,
    /// The formats in which its dates can be read, if these mean different days.
    pub formats: Vec<String>,
    /// What the values are like.
    about: String,
    quasi: Column,
    sensitive: Column,
}

impl Guess {
    fn new(name: &str, profile: &Profile, k: usize) -> Self {
        let Profile { recognized, nature, contents, odd } = profile;
        let role = match recognized.sort {
            Sort::Identifier | Sort::FreeText => Role::Identifier,
            Sort::Person => Role::Person,
            Sort::Sensitive | Sort::Amount => Role::Sensitive,
            Sort::Constant => Role::Other,
            Sort::Singular if *nature == Nature::Text && odd.is_none() => Role::Identifier,
            Sort::Singular | Sort::PlaceOrDate | Sort::Ordinary => Role::Quasi,
        };
        let (mut quasi, mut sensitive) = (Column::with_role(Role::Quasi), Column::with_role(Role::Sensitive));
        let generalized = generalize(name, profile, &mut quasi);
        let (models, asked) = models(contents);
        sensitive.require = models;
        let asked = match recognized.sort {
            Sort::Amount if make_coarse(&mut sensitive, contents, k) => {
                format!(
                    "{asked}; rounded, so that at least {k} rows have each number, because whoever knows somebody's number would find the row"
                )
            }
            Sort::Amount => format!("{asked}; {EXACT}"),
            _ => asked.to_owned(),
        };
        let (column, more) = match role {
            Role::Quasi => (quasi.clone(), generalized),
            Role::Sensitive => (sensitive.clone(), asked),
            _ => (Column::with_role(role), String::new()),
        };
        // What a place or a date is goes without saying.
        let why = if recognized.sort == Sort::PlaceOrDate { "" } else { recognized.why.as_str() };
        let about = profile.describe();
        let reason = [about.as_str(), why, more.as_str()]
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
        let formats = nature.formats().to_vec();
        Guess { column, reason, formats, about, quasi, sensitive }
    }

    /// The column as a range of dates in a format that somebody chose.
    pub fn with_format(&self, format: &str) -> Column {
        let (number, format) = (Some(Number::Date), Some(format.to_owned()));
        Column { kind: Some(Kind::Range), number, format, ..Column::with_role(Role::Quasi) }
    }

    /// The column in a role that somebody chose, and what its values are like.
    pub fn with_role(&self, role: Role) -> (Column, &str) {
        let column = match role {
            Role::Quasi => self.quasi.clone(),
            Role::Sensitive => self.sensitive.clone(),
            _ => Column::with_role(role),
        };
        (column, &self.about)
    }
}

/// A plan with a guess for every column of `table`, and the guesses with their reasons.
pub fn plan(table: &Table, input: &Input, k: usize) -> Result<(Plan, Vec<Guess>)> {
    let mut input = input.clone();
    missing::add_usual(&mut input, table);
    input.missing_only = true;
    input.missing_rows = MissingRows::Keep;
    let mut columns = indexmap::IndexMap::new();
    let mut guesses = Vec::new();
    for name in table.names() {
        let guess = Guess::new(name, &Profile::of(table, name, &input)?, k);
        columns.insert(name.to_owned(), guess.column.clone());
        guesses.push(guess);
    }
    Ok((Plan { input, columns, origin: PlanOrigin::Complete, ..Plan::new(k) }, guesses))
}

/// What to ask of a sensitive column: that no value has more than half of a class, where the table itself is like that, or else that no class
/// has a single value.
fn models(contents: &Contents) -> (Vec<Spec>, &'static str) {
    /// A table in which a value has more than this share leaves no room for classes in which none has more than half.
    const MOST_FREQUENT: f64 = 0.45;
    let most = contents.values.iter().map(|(_, count)| *count).max().unwrap_or(0);
    let share = most as f64 / contents.rows.max(1) as f64;
    match share {
        1.0 => (Vec::new(), ""),
        share if share <= MOST_FREQUENT => {
            (vec![Spec::new("frequency-l(l=2)")], "no value may have more than half of a class")
        }
        _ => (vec![Spec::new("distinct-l(l=2)")], "no class may have a single value"),
    }
}

/// Whether texts of the table have blanks around them, as in files with a blank after each delimiter.
pub fn has_blanks(table: &Table) -> Result<bool> {
    for name in table.names() {
        let column = texts(table.column(name)?).map_err(|e| Error::column(name, &e))?;
        if name.trim() != name || column.values().as_string::<i32>().iter().flatten().any(|v| v.trim() != v) {
            return Ok(true);
        }
    }
    Ok(false)
}
