//! The columns of a table as the plan describes them, checked against the columns that the table has.
//!
//! This stage knows the columns but not the values of single rows. [`recognize`] says what
//! a column seems to be, and [`guess`] makes a plan for a table without one.

pub mod classifications;
mod coarse;
pub mod dates;
pub mod guess;
pub mod missing;
pub mod nature;
pub mod numbers;
pub mod recognize;

use crate::error::{Error, Result};
use crate::plan::{Column, Decimal, Kind, Number, Plan, Role, Show, Threshold, Tree};
use crate::read::Table;

/// The date format of a column without one of its own.
pub const ISO_DATE: &str = "%Y-%m-%d";

/// The roles of all columns of a table.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    /// The quasi-identifiers.
    pub quasi: Vec<Quasi>,
    /// The sensitive columns.
    pub sensitive: Vec<Sensitive>,
    /// The names of the columns that are published as they are.
    pub other: Vec<String>,
    /// The columns that together say whose row it is.
    pub person: Vec<String>,
    /// The columns that together say whose household a row belongs to.
    pub household: Vec<String>,
    /// Whether the plan asks for a number of households.
    pub counts_households: bool,
    /// The columns with personal wishes.
    pub personal: Vec<Personal>,
    /// The columns that are replaced in the release.
    pub replaced: Vec<String>,
}

/// A sensitive column.
#[derive(Debug, Clone)]
pub struct Sensitive {
    /// Its column.
    pub name: String,
    /// Its values from low to high, if the plan lists them.
    pub order: Option<Vec<String>>,
    /// The tree of its values, if the plan has one.
    pub hierarchy: Option<Tree>,
    /// A tree that groups values: those directly below the same node count as one.
    pub groups: Option<Tree>,
    /// The decimal mark of its numbers, if these are coded.
    pub coded: Option<Decimal>,
}

/// A column with personal wishes.
#[derive(Debug, Clone)]
pub struct Personal {
    /// Its column.
    pub name: String,
    /// What its numbers mean.
    pub level: Level,
}

/// What a person may wish for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// To hide among this many records.
    K,
    /// That no sensitive value has more than one in this many records of the class.
    L,
}

/// A quasi-identifier.
#[derive(Debug, Clone)]
pub struct Quasi {
    /// Its column.
    pub name: String,
    /// How its values are generalized.
    pub form: Form,
    /// The weight of its loss.
    pub weight: f64,
    /// How its classes are shown, if the plan says so.
    pub show: Option<Show>,
    /// How its numbers are coded before they are generalized.
    pub coding: Coding,
}

/// How numbers are coded before they are generalized.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coding {
    /// All numbers from this one on are one.
    pub top: Option<Threshold>,
    /// All numbers up to this one are one.
    pub bottom: Option<Threshold>,
    /// Where bins begin.
    pub bins: Vec<Threshold>,
    /// What numbers are rounded to multiples of.
    pub round: Option<Threshold>,
}

impl Coding {
    /// The coding of a column, which must be a range, or published without being generalized.
    pub fn new(name: &str, column: &Column) -> Result<Self> {
        let Column { top, bottom, bins, round, .. } = column;
        let given = [
            ("top", top.is_some()),
            ("bottom", bottom.is_some()),
            ("bins", !bins.is_empty()),
            ("round", round.is_some()),
        ];
        if let Some((what, _)) = given.iter().find(|(_, given)| *given) {
            let fail = |message: String| Err(Error::column(name, &message));
            let plain = matches!(column.role, Role::Sensitive | Role::Other) && column.publish.is_none();
            if column.role != Role::Quasi && !plain {
                return fail(format!(
                    "`{what}` is for numbers that are published: drop it, or make the role quasi, sensitive or other"
                ));
            }
            if plain && (column.order.is_some() || column.hierarchy.is_some() || column.groups.is_some()) {
                return fail(format!(
                    "`{what}` makes texts such as `>=90` of its numbers, so it has no order, hierarchy or groups of its own; drop one of them \
                     (coded numbers keep their order, and bins are groups)"
                ));
            }
            if column.role == Role::Quasi && column.kind != Some(Kind::Range) {
                return fail(format!("`{what}` is for ranges of numbers and dates; drop it or make the kind range"));
            }
            if !bins.is_empty() && given.iter().filter(|(_, given)| *given).count() > 1 {
                return fail(
                    "bins stand alone: the first and the last have open ends, so drop `top`, `bottom` and `round`"
                        .to_owned(),
                );
            }
            if column.show.is_some_and(|show| show != Show::Cell) {
                return fail(format!(
                    "`{what}` makes cells with open ends or bins, which can only be shown as cells; drop `show`"
                ));
            }
        }
        Ok(Coding { top: top.clone(), bottom: bottom.clone(), bins: bins.clone(), round: round.clone() })
    }

    /// Whether numbers are published as they are.
    pub fn is_none(&self) -> bool {
        *self == Coding::default()
    }
}

/// A [`Kind`] with everything it needs.
#[derive(Debug, Clone)]
pub enum Form {
    /// Numbers of this type, or of the type that fits the values; dates in this format, and decimals with this mark.
    Range(Option<Number>, String, Decimal),
    /// Categories in this order, or in the order of their numbers.
    Ordered(Option<Vec<String>>),
    /// Leaves of this tree; dates in this format.
    Taxonomy(Tree, String),
    /// Sets of values.
    Set,
    /// One value, or a star.
    Suppress,
}

impl Schema {
    /// Matches the plan with the table. Every column of one must be in the other, except for identifiers.
    /// These are not even read; whether the file has them was checked then.
    pub fn new(plan: &Plan, table: &Table) -> Result<Self> {
        let schema = Schema::of_other(plan, table)?;
        if schema.quasi.is_empty() {
            return Err(Error::NoQuasi);
        }
        Ok(schema)
    }

    /// The same for a table beside the main one, which need not have a quasi-identifier.
    pub fn of_other(plan: &Plan, table: &Table) -> Result<Self> {
        let counts_households = !plan.household_sizes()?.is_empty();
        let mut schema = Schema { counts_households, ..Schema::default() };
        for (name, column) in &plan.columns {
            if column.role != Role::Identifier || column.publish.is_some() {
                table.column(name)?;
            }
            if column.publish.is_some() {
                schema.replaced.push(name.clone());
            }
            if column.role != Role::Quasi && column.kind.is_some() {
                return Err(Error::column(name, "only a quasi-identifier has a kind; drop it or make the role quasi"));
            }
            if column.role != Role::Quasi && column.show.is_some() {
                return Err(Error::column(name, "only a quasi-identifier has a way to be shown; drop `show`"));
            }
            if column.role != Role::Sensitive && (column.groups.is_some() || !column.require.is_empty()) {
                let message =
                    "only a sensitive column has groups or requirements; drop them or make the role sensitive";
                return Err(Error::column(name, message));
            }
            if column.role != Role::Quasi {
                Coding::new(name, column)?;
            }
            match column.role {
                Role::Identifier => {}
                Role::Person => schema.person.push(name.clone()),
                Role::Household => schema.household.push(name.clone()),
                Role::Quasi => schema.quasi.push(Quasi::new(name, column)?),
                Role::Sensitive => schema.sensitive.push(Sensitive::new(name, column)?),
                Role::Other => schema.other.push(name.clone()),
                Role::PersonalK => schema.personal.push(Personal { name: name.clone(), level: Level::K }),
                Role::PersonalL => schema.personal.push(Personal { name: name.clone(), level: Level::L }),
            }
        }
        let unnamed: Vec<_> = table.names().filter(|n| !plan.columns.contains_key(*n)).map(str::to_owned).collect();
        if !unnamed.is_empty() {
            return Err(Error::NotInPlan { file: table.name().to_owned(), names: unnamed });
        }
        Ok(schema)
    }

    /// The names of the quasi-identifiers.
    pub fn quasi_names(&self) -> impl Iterator<Item = &str> {
        self.quasi.iter().map(|q| q.name.as_str())
    }

    /// Whether a column of the table is part of the release.
    pub fn publishes(&self, name: &str) -> bool {
        let Schema { person, household, personal, replaced, .. } = self;
        let withheld = person.iter().chain(household).any(|column| column == name)
            || personal.iter().any(|column| column.name == name);
        !withheld || replaced.iter().any(|column| column == name)
    }
}

impl Sensitive {
    /// The description of a sensitive column in the plan.
    pub fn new(name: &str, column: &Column) -> Result<Self> {
        let Column { order, hierarchy, groups, .. } = column;
        let given = [order.is_some(), hierarchy.is_some(), groups.is_some()].iter().filter(|given| **given).count();
        if given > 1 {
            return Err(Error::column(name, "a sensitive column has an order, a hierarchy or groups, not two of them"));
        }
        Ok(Sensitive {
            order: order.clone(),
            hierarchy: hierarchy.clone(),
            groups: groups.clone(),
            coded: column.is_coded().then(|| column.decimal.unwrap_or_default()),
            ..Sensitive::plain(name)
        })
    }

    /// A column of which nothing but its name is known.
    pub fn plain(name: &str) -> Self {
        Sensitive { name: name.to_owned(), order: None, hierarchy: None, groups: None, coded: None }
    }
}

impl Quasi {
    /// The description of a quasi-identifier in the plan.
    pub fn new(name: &str, column: &Column) -> Result<Self> {
        let Column { kind, number, format, decimal, order, hierarchy, weight, show, .. } = column;
        let fail = |message: &str| Err(Error::column(name, &message));
        let Some(kind) = kind else {
            return fail("it has no kind; say how it is generalized: range, ordered, taxonomy, set or suppress");
        };
        let weight = weight.unwrap_or(1.0);
        if !(weight.is_finite() && weight >= 0.0) {
            return fail("its weight must be 0 or more");
        }
        if hierarchy.is_some() && *kind != Kind::Taxonomy {
            return fail("it has a hierarchy but is no taxonomy; drop the hierarchy or make the kind taxonomy");
        }
        if order.is_some() && *kind != Kind::Ordered {
            return fail("it has an order but is not ordered; drop the order or make the kind ordered");
        }
        if number.is_some() && *kind != Kind::Range {
            return fail("it has a type but is no range; drop the type or make the kind range");
        }
        if decimal.is_some() && *kind != Kind::Range {
            return fail("it has a decimal mark but is no range; drop the mark or make the kind range");
        }
        let fits = match show {
            None | Some(Show::Cell | Show::Mode) => true,
            Some(Show::Bounds | Show::Median) => matches!(kind, Kind::Range | Kind::Ordered),
            Some(Show::Middle | Show::Mean) => *kind == Kind::Range,
        };
        if !fits {
            return fail(
                "only numbers and dates can be shown by middle or mean, and only what has an order by bounds or median",
            );
        }
        let format = format.clone().unwrap_or_else(|| ISO_DATE.to_owned());
        let form = match (kind, hierarchy) {
            (Kind::Range, _) => Form::Range(*number, format, decimal.unwrap_or_default()),
            (Kind::Ordered, _) => Form::Ordered(order.clone()),
            (Kind::Taxonomy, Some(tree)) => Form::Taxonomy(tree.clone(), format),
            (Kind::Taxonomy, None) => {
                return fail("a taxonomy needs a hierarchy: a file, or a builder such as { mask = [1, 2, 3] }");
            }
            (Kind::Set, _) => Form::Set,
            (Kind::Suppress, _) => Form::Suppress,
        };
        Ok(Quasi { name: name.to_owned(), form, weight, show: *show, coding: Coding::new(name, column)? })
    }
}
