//! What the flags of a command line or the arguments of a function say, as a plan. Every front end that has such goes this way.

use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer};

use super::model::ask;
use super::{
    Column, Decimal, Encoding, InlineTree, Kind, Method, MissingPerson, MissingRows, Others, PersonKey, Plan, Profile,
    Role, RowOrder, Seed, Show, Threshold, Treatment, Tree,
};
use crate::error::{Error, Remedy, Result, Setting};
use crate::registry::Spec;

/// What flags say about the columns of a table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Flags {
    /// The quasi-identifiers.
    pub quasi: Vec<String>,
    /// The sensitive columns.
    pub sensitive: Vec<String>,
    /// The columns that are not published.
    pub identifier: Vec<String>,
    /// The columns that are published as they are.
    pub publish_as_is: Vec<String>,
    /// The columns that together say whose row it is.
    pub person: Vec<String>,
    /// The columns that together say whose household a row belongs to.
    pub household: Vec<String>,
    /// The person column or the identifiers that are published as pseudonyms.
    pub pseudonym: Vec<String>,
    /// The columns of dates that are moved, and by how many days at most.
    pub shift: IndexMap<String, u32>,
    /// Whether moved dates keep their day of the week.
    pub keep_weekday: bool,
    /// The columns of dates that are published as days since the first date of the person.
    pub study_day: Vec<String>,
    /// How the dates of columns are written.
    pub format: IndexMap<String, String>,
    /// The column with the k that each person wants.
    pub personal_k: Option<String>,
    /// The column with the l that each person wants.
    pub personal_l: Option<String>,
    /// How quasi-identifiers are generalized.
    pub kind: IndexMap<String, Kind>,
    /// The trees of columns.
    #[serde(deserialize_with = "trees")]
    pub hierarchy: IndexMap<String, Tree>,
    /// From which number on all numbers of a column are published as one.
    pub top: IndexMap<String, Threshold>,
    /// Up to which number all numbers of a column are published as one.
    pub bottom: IndexMap<String, Threshold>,
    /// Where the bins of columns begin.
    pub bins: IndexMap<String, Vec<Threshold>>,
    /// What the numbers of columns are rounded to multiples of.
    pub round: IndexMap<String, Threshold>,
    /// The order of the categories of columns, from low to high.
    pub order: IndexMap<String, Vec<String>>,
    /// Which values of sensitive columns count as one.
    #[serde(deserialize_with = "trees")]
    pub groups: IndexMap<String, Tree>,
    /// How the classes of quasi-identifiers are shown.
    pub show: IndexMap<String, Show>,
}

/// Trees as they are written in a plan, or as texts of the command line.
fn trees<'de, D: Deserializer<'de>>(deserializer: D) -> Result<IndexMap<String, Tree>, D::Error> {
    let given: IndexMap<String, toml::Value> = IndexMap::deserialize(deserializer)?;
    let tree = |value: toml::Value| match value {
        toml::Value::String(text) => text.parse().map_err(serde::de::Error::custom),
        other => InlineTree::deserialize(other).map(Tree::Inline).map_err(serde::de::Error::custom),
    };
    given.into_iter().map(|(name, value)| Ok((name, tree(value)?))).collect()
}

impl Flags {
    /// True where nothing is said.
    pub fn is_empty(&self) -> bool {
        let Flags { quasi, sensitive, identifier, person, household, personal_k, personal_l, .. } = self;
        let Flags { kind, hierarchy, order, groups, show, .. } = self;
        let Flags { publish_as_is, pseudonym, shift, study_day, format, .. } = self;
        let Flags { top, bottom, bins, round, .. } = self;
        let lists = [quasi, sensitive, identifier, publish_as_is, person, household, pseudonym, study_day];
        let lists = lists.iter().all(|list| list.is_empty());
        let wishes = personal_k.is_none() && personal_l.is_none();
        let maps = kind.is_empty() && hierarchy.is_empty() && order.is_empty() && groups.is_empty();
        let coded = !top.is_empty() || !bottom.is_empty() || !bins.is_empty() || !round.is_empty();
        lists && wishes && maps && !coded && show.is_empty() && shift.is_empty() && format.is_empty()
    }

    /// The plan that they describe. Columns that none of them names are not in it, and k is 1.
    pub fn plan(&self) -> Result<Plan> {
        let mut columns = self.roles()?;
        for (name, tree) in &self.hierarchy {
            let column = named(&mut columns, name, "a hierarchy", &[Role::Quasi, Role::Sensitive])?;
            column.kind = (column.role == Role::Quasi).then_some(Kind::Taxonomy);
            column.hierarchy = Some(tree.clone());
        }
        for (name, order) in &self.order {
            let column = named(&mut columns, name, "an order", &[Role::Quasi, Role::Sensitive])?;
            column.kind = (column.role == Role::Quasi).then_some(Kind::Ordered);
            column.order = Some(order.clone());
        }
        for (name, kind) in &self.kind {
            named(&mut columns, name, "a kind", &[Role::Quasi])?.kind = Some(*kind);
        }
        self.code(&mut columns)?;
        for (name, show) in &self.show {
            named(&mut columns, name, "a way to be shown", &[Role::Quasi])?.show = Some(*show);
        }
        for (name, tree) in &self.groups {
            named(&mut columns, name, "groups", &[Role::Sensitive])?.groups = Some(tree.clone());
        }
        for (name, tree) in self.hierarchy.iter().chain(&self.groups) {
            if let Tree::File(file) = tree
                && !file.is_file()
            {
                return Err(Error::column(name, &format!("its hierarchy `{}` is not a file", file.display())));
            }
        }
        self.replace(&mut columns)?;
        let mut plan = Plan { columns, ..Plan::new(1) };
        plan.take_persons();
        Ok(plan)
    }

    /// Says how numbers are coded. A quasi-identifier whose numbers are coded is a range, unless another flag says what it is.
    fn code(&self, columns: &mut IndexMap<String, Column>) -> Result<()> {
        for (name, top) in &self.top {
            coded(columns, name, "a top")?.top = Some(top.clone());
        }
        for (name, bottom) in &self.bottom {
            coded(columns, name, "a bottom")?.bottom = Some(bottom.clone());
        }
        for (name, bins) in &self.bins {
            coded(columns, name, "bins")?.bins.clone_from(bins);
        }
        for (name, round) in &self.round {
            coded(columns, name, "a number to round to")?.round = Some(round.clone());
        }
        Ok(())
    }

    /// Says which columns are replaced by pseudonyms, shifted dates or study days, and how dates are written.
    fn replace(&self, columns: &mut IndexMap<String, Column>) -> Result<()> {
        let weekday = self.keep_weekday;
        let shifts = self.shift.iter().map(|(name, days)| (name, Treatment::Shift { days: *days, weekday }));
        let days = self.study_day.iter().map(|name| (name, Treatment::StudyDay));
        let pseudonyms = self.pseudonym.iter().map(|name| (name, Treatment::Pseudonym));
        for (name, treatment) in pseudonyms.chain(shifts).chain(days) {
            let role = if treatment == Treatment::Pseudonym { Role::Identifier } else { Role::Other };
            let column = columns.entry(name.clone()).or_insert_with(|| Column::with_role(role));
            if column.publish.is_some() {
                return Err(Error::column(name, "it is replaced in two ways; choose one"));
            }
            column.publish = Some(treatment);
        }
        for (name, format) in &self.format {
            match columns.get_mut(name) {
                Some(column) if column.role == Role::Quasi || column.publish.is_some() => {
                    column.format = Some(format.clone());
                }
                _ => {
                    let message =
                        "it has a date format, but it is neither a quasi-identifier nor a date that is replaced";
                    return Err(Error::column(name, message));
                }
            }
        }
        Ok(())
    }

    fn roles(&self) -> Result<IndexMap<String, Column>> {
        let mut columns: IndexMap<String, Column> = IndexMap::new();
        let roles = [
            (self.quasi.as_slice(), Role::Quasi, "a quasi-identifier"),
            (&self.sensitive, Role::Sensitive, "a sensitive column"),
            (&self.identifier, Role::Identifier, "an identifier"),
            (&self.publish_as_is, Role::Other, "a column to publish as it is"),
            (&self.person, Role::Person, "a person column"),
            (&self.household, Role::Household, "a household column"),
            (self.personal_k.as_slice(), Role::PersonalK, "the column of personal k"),
            (self.personal_l.as_slice(), Role::PersonalL, "the column of personal l"),
        ];
        for (names, role, what) in roles {
            for name in names {
                if columns.insert(name.clone(), Column::with_role(role)).is_some() {
                    return Err(Error::column(name, &format!("it is named twice, the second time as {what}")));
                }
            }
        }
        Ok(columns)
    }
}

/// The column whose numbers are coded.
fn coded<'a>(columns: &'a mut IndexMap<String, Column>, name: &str, what: &str) -> Result<&'a mut Column> {
    let column = named(columns, name, what, &[Role::Quasi, Role::Sensitive, Role::Other])?;
    if column.role == Role::Quasi {
        column.kind = column.kind.or(Some(Kind::Range));
    }
    Ok(column)
}

/// The column that is said to have `what`, for which it must have one of these roles.
fn named<'a>(
    columns: &'a mut IndexMap<String, Column>,
    name: &str,
    what: &str,
    roles: &[Role],
) -> Result<&'a mut Column> {
    let quasi = || Remedy::by("name it as a quasi-identifier", Setting::Quasi);
    let sensitive = || Remedy::by("name it as sensitive", Setting::Sensitive);
    let column = columns.get_mut(name).filter(|column| roles.contains(&column.role));
    column.ok_or_else(|| {
        let wrong = |role: &str| Error::column(name, &format!("it has {what}, but it is {role}"));
        match roles {
            [Role::Quasi] => wrong("not a quasi-identifier").or([quasi()]),
            [Role::Sensitive] => wrong("not sensitive").or([sensitive()]),
            [.., Role::Other] => {
                let other = Remedy::by("publish it as it is otherwise", Setting::PublishAsIs(vec![name.to_owned()]));
                wrong("neither a quasi-identifier nor sensitive nor published as it is").or([
                    quasi(),
                    sensitive(),
                    other,
                ])
            }
            _ => wrong("neither a quasi-identifier nor sensitive").or([quasi(), sensitive()]),
        }
    })
}

/// What flags change about a plan, whether it comes from a file or from flags.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Changes {
    /// How many records at least share each combination of published quasi-identifiers.
    pub k: Option<usize>,
    /// Short for `frequency-l(l=…)`.
    pub l: Option<f64>,
    /// What sensitive columns must satisfy, `MODEL` or `COLUMN=MODEL`; in place of the same model in the plan.
    pub require: Vec<Requirement>,
    /// The share of the records that may be left out.
    pub suppress: Option<f64>,
    /// What happens to the columns that nobody named.
    pub others: Option<Others>,
    /// What separates the fields of a CSV file.
    pub delimiter: Option<char>,
    /// The encoding of a CSV file.
    pub encoding: Option<Encoding>,
    /// Whether the first row of a CSV file has the names of the columns.
    pub header: Option<bool>,
    /// Whether blanks around the fields of a CSV file are dropped.
    pub trim: bool,
    /// Texts that stand for a missing value, in addition to the usual ones and those of the plan.
    pub missing: Vec<String>,
    /// Whether only these do.
    pub missing_only: bool,
    /// What separates numbers from their fractions.
    pub decimal: Option<Decimal>,
    /// Whether the spellings of a sensitive value become one.
    pub fold: bool,
    /// Whether rows are left out that miss a quasi-identifier or a sensitive value.
    pub drop_missing: bool,
    /// What happens to the rows that do not say whose they are.
    pub missing_person: Option<MissingPerson>,
    /// The files of other tables of the same persons, by the names that the plan has for them.
    pub tables: IndexMap<String, PathBuf>,
    /// The most rows of a person that are kept.
    pub rows_per_person: Option<usize>,
    /// The file with the secret key. The environment variable `AMIDST_KEY` is read if there is none and the plan needs a key.
    pub key: Option<PathBuf>,
    /// The algorithm.
    pub partitioner: Option<Spec>,
    /// How hard the engine tries.
    pub effort: Option<String>,
    /// How long the engine improves, in seconds.
    pub time: Option<f64>,
    /// What improves the clusters afterwards.
    pub refine: Vec<Spec>,
    /// The loss that is kept low.
    pub measure: Option<Spec>,
    /// The form of the release.
    pub publish: Option<Spec>,
    /// The seed of all random choices; drawn at random when neither this nor the plan names one.
    pub seed: Option<Seed>,
    /// The order of the published rows.
    pub order: Option<RowOrder>,
    /// What the report says of the people who answer for the release: organisation, recipient, purpose, contact, signed by, date.
    pub about: IndexMap<String, String>,
    /// The checklists of the report; in place of those of the plan.
    pub profile: Vec<Profile>,
}

/// A privacy model, asked of one sensitive column or of all.
#[derive(Debug, Clone)]
pub struct Requirement {
    /// The column; none for all.
    pub column: Option<String>,
    /// The model.
    pub model: Spec,
}

/// `MODEL(parameter=value)`, or the same behind `COLUMN=`.
impl std::str::FromStr for Requirement {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // From the end, because the name of a column may have a parenthesis or an equals sign.
        let before_parameters = text.rsplit_once('(').map_or(text, |(before, _)| before);
        let (column, model) = match before_parameters.rsplit_once('=') {
            Some((column, _)) => (Some(column.to_owned()), &text[column.len() + 1..]),
            None => (None, text),
        };
        Ok(Requirement { column, model: Spec::new(model) })
    }
}

impl<'de> Deserialize<'de> for Requirement {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Ok(requirement) = String::deserialize(deserializer)?.parse();
        Ok(requirement)
    }
}

impl Changes {
    /// True where something is asked of the release, by which an audit can judge it.
    pub fn demand(&self) -> bool {
        self.k.is_some() || self.l.is_some() || !self.require.is_empty()
    }

    /// Changes the plan.
    pub fn apply(&self, plan: &mut Plan) -> Result<()> {
        if let Some(k) = self.k {
            plan.privacy.k = k;
        }
        self.ask(plan)?;
        plan.input.delimiter = self.delimiter.or(plan.input.delimiter);
        plan.input.encoding = self.encoding.or(plan.input.encoding);
        plan.input.header = self.header.or(plan.input.header);
        plan.others = self.others.or(plan.others);
        plan.input.trim |= self.trim;
        plan.input.fold |= self.fold;
        plan.input.name_missing(&self.missing, self.missing_only);
        plan.input.decimal = self.decimal.or(plan.input.decimal);
        if self.drop_missing {
            plan.input.missing_rows = MissingRows::Drop;
        }
        plan.input.missing_person = self.missing_person.unwrap_or(plan.input.missing_person);
        for (name, file) in &self.tables {
            let Some(table) = plan.tables.get_mut(name) else {
                return Err(Error::parameter(&format!("table {name}"), "the plan says nothing about this table"));
            };
            table.file = Some(file.clone());
        }
        plan.input.rows_per_person = self.rows_per_person.or(plan.input.rows_per_person);
        if let Some(file) = &self.key {
            plan.key = Some(PersonKey::load(file)?);
        } else if plan.key.is_none() && plan.needs_key() {
            plan.key = PersonKey::from_environment()?;
        }
        for (field, value) in &self.about {
            plan.report.set(field, value)?;
        }
        if !self.profile.is_empty() {
            plan.report.profiles.clone_from(&self.profile);
        }
        self.choose(&mut plan.method)
    }

    /// What is asked of sensitive values. A model takes the place of the same model in the plan.
    fn ask(&self, plan: &mut Plan) -> Result<()> {
        if let Some(l) = self.l {
            plan.privacy.ask_diversity(l);
        }
        for Requirement { column, model } in &self.require {
            match column {
                None => ask(&mut plan.privacy.require, model.clone()),
                Some(name) => {
                    let sensitive = plan.columns.get_mut(name).filter(|column| column.role == Role::Sensitive);
                    let Some(column) = sensitive else {
                        let error =
                            Error::column(name, &format!("`{model}` is required of it, but it is not sensitive"));
                        return Err(error.or([Remedy::by("name it as sensitive", Setting::Sensitive)]));
                    };
                    ask(&mut column.require, model.clone());
                }
            }
        }
        match self.suppress {
            Some(share) if !(0.0..1.0).contains(&share) => {
                let message = format!("`suppress` must be a share of the records from 0 to below 1, not `{share}`");
                Err(Error::parameter("privacy", message))
            }
            share => {
                plan.privacy.suppress = share.unwrap_or(plan.privacy.suppress);
                Ok(())
            }
        }
    }

    fn choose(&self, method: &mut Method) -> Result<()> {
        let Changes { partitioner, measure, publish, .. } = self;
        for (given, asked) in
            [(partitioner, &mut method.partitioner), (measure, &mut method.measure), (publish, &mut method.publish)]
        {
            if let Some(given) = given {
                asked.clone_from(given);
            }
        }
        if self.effort.is_some() || self.time.is_some() {
            let name = method.partitioner.name();
            if name != "engine" {
                return Err(Error::parameter(name, "only the engine takes an effort or a time").or([
                    Remedy::just("leave them out"),
                    Remedy::by("improve the result afterwards", Setting::Refine("large-neighbourhood(rounds=100)")),
                ]));
            }
        }
        if let Some(effort) = &self.effort {
            method.partitioner = method.partitioner.with("effort", effort)?;
        }
        if let Some(time) = self.time {
            let time = Duration::try_from_secs_f64(time);
            let time = time.map_err(|_| Error::parameter("engine", "its time is not a number of seconds"))?;
            method.partitioner = method.partitioner.with("seconds", time.as_secs_f64())?;
        }
        if !self.refine.is_empty() {
            method.refine.clone_from(&self.refine);
        }
        method.seed = self.seed.or(method.seed);
        method.order = self.order.unwrap_or(method.order);
        Ok(())
    }
}
