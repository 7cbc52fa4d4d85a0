//! Plans made in a program.

use indexmap::IndexMap;

use super::model::ask;
use super::{
    Column, Input, Kind, Method, Others, PersonKey, Plan, PlanOrigin, Privacy, Report, Role, Seed, Show, Treatment,
    Tree,
};
use crate::registry::Spec;

impl Plan {
    /// A plan for k-anonymity, to which columns are added.
    ///
    /// Columns that it does not name are published as they are. Kinds that are not given are taken from the values.
    ///
    /// ```
    /// use amidst::Plan;
    /// use amidst::plan::Kind;
    ///
    /// let plan = Plan::new(10)
    ///     .identifier("name")
    ///     .quasi("age")
    ///     .quasi("zip")
    ///     .hierarchy("zip", "mask:1,2,3".parse()?)
    ///     .sensitive("disease")
    ///     .require("frequency-l(l=3)")
    ///     .suppress(0.02);
    /// assert_eq!(plan.privacy.k, 10);
    /// assert_eq!(plan.columns["zip"].kind, Some(Kind::Taxonomy));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(k: usize) -> Self {
        Plan {
            others: None,
            report: Report::default(),
            amidst: None,
            input: Input::default(),
            privacy: Privacy::k_anonymity(k),
            method: Method::default(),
            columns: IndexMap::new(),
            tables: IndexMap::new(),
            origin: PlanOrigin::Partial,
            key: None,
        }
    }

    /// Adds a quasi-identifier: a column that could single a person out together with others.
    #[must_use]
    pub fn quasi(self, name: &str) -> Self {
        self.role(name, Role::Quasi)
    }

    /// Adds a sensitive column: one with what nobody may learn about a person.
    #[must_use]
    pub fn sensitive(self, name: &str) -> Self {
        self.role(name, Role::Sensitive)
    }

    /// Adds an identifier: a column that is not published.
    #[must_use]
    pub fn identifier(self, name: &str) -> Self {
        self.role(name, Role::Identifier)
    }

    /// Adds a column that says, alone or together with others, whose row it is. It is not published, and k and the privacy models count
    /// persons.
    #[must_use]
    pub fn person(self, name: &str) -> Self {
        self.role(name, Role::Person)
    }

    /// Adds a column that says, alone or together with others, whose household a row belongs to. It is not published, and `household-k`
    /// counts households.
    #[must_use]
    pub fn household(self, name: &str) -> Self {
        self.role(name, Role::Household)
    }

    /// Sets what happens to the columns that the plan does not name.
    #[must_use]
    pub fn others(mut self, others: Others) -> Self {
        self.others = Some(others);
        self
    }

    /// Adds a column with a role, or changes the role of one that is there.
    #[must_use]
    pub fn role(mut self, name: &str, role: Role) -> Self {
        self.column(name, role).role = role;
        self
    }

    /// Sets how a quasi-identifier is generalized. Adds the column if the plan does not name it yet.
    #[must_use]
    pub fn kind(mut self, name: &str, kind: Kind) -> Self {
        self.column(name, Role::Quasi).kind = Some(kind);
        self
    }

    /// Sets the tree of a column. A quasi-identifier becomes a taxonomy. Adds the column as one if the plan does not name it yet.
    #[must_use]
    pub fn hierarchy(mut self, name: &str, tree: Tree) -> Self {
        let column = self.column(name, Role::Quasi);
        column.kind = (column.role == Role::Quasi).then_some(Kind::Taxonomy);
        column.hierarchy = Some(tree);
        self
    }

    /// Sets the order of a column's categories, from low to high. A quasi-identifier becomes an ordered one. Adds the column as one if
    /// the plan does not name it yet.
    #[must_use]
    pub fn order<'a>(mut self, name: &str, categories: impl IntoIterator<Item = &'a str>) -> Self {
        let column = self.column(name, Role::Quasi);
        column.kind = (column.role == Role::Quasi).then_some(Kind::Ordered);
        column.order = Some(categories.into_iter().map(str::to_owned).collect());
        self
    }

    /// Sets how the classes of a quasi-identifier are shown. Adds the column if the plan does not name it yet.
    #[must_use]
    pub fn show(mut self, name: &str, show: Show) -> Self {
        self.column(name, Role::Quasi).show = Some(show);
        self
    }

    /// Replaces a column in the release: a person column or an identifier by pseudonyms, a date by a shifted date or a study day. Adds the
    /// column if the plan does not name it yet.
    ///
    /// ```
    /// use amidst::Plan;
    /// use amidst::plan::{PersonKey, Treatment};
    ///
    /// let visits = Plan::new(5)
    ///     .person("patient")
    ///     .replace("patient", Treatment::Pseudonym)
    ///     .replace("admitted", Treatment::Shift { days: 30, weekday: true })
    ///     .key(PersonKey::random()?)
    ///     .quasi("age");
    /// assert_eq!(visits.linked(), Some("patient"));
    /// # Ok::<(), amidst::Error>(())
    /// ```
    #[must_use]
    pub fn replace(mut self, name: &str, treatment: Treatment) -> Self {
        let role = if treatment == Treatment::Pseudonym { Role::Person } else { Role::Other };
        self.column(name, role).publish = Some(treatment);
        self
    }

    /// Sets the secret key of pseudonyms and shifted dates.
    #[must_use]
    pub fn key(mut self, key: PersonKey) -> Self {
        self.key = Some(key);
        self
    }

    /// Keeps at most this many rows of each person. The key decides which.
    #[must_use]
    pub fn rows_per_person(mut self, rows: usize) -> Self {
        self.input.rows_per_person = Some(rows);
        self
    }

    /// Asks a privacy model of every sensitive column, such as `t-closeness(t=0.2)`. It replaces the same model with other parameters.
    #[must_use]
    pub fn require(mut self, model: impl Into<Spec>) -> Self {
        ask(&mut self.privacy.require, model.into());
        self
    }

    /// Allows that this share of the records is left out where that loses less than generalizing them.
    #[must_use]
    pub fn suppress(mut self, share: f64) -> Self {
        self.privacy.suppress = share;
        self
    }

    /// Chooses the algorithm that forms the clusters, such as `engine(effort=best)` or `mondrian`.
    #[must_use]
    pub fn partitioner(mut self, name: impl Into<Spec>) -> Self {
        self.method.partitioner = name.into();
        self
    }

    /// Chooses the loss that is kept low, such as `ncp`.
    #[must_use]
    pub fn measure(mut self, name: impl Into<Spec>) -> Self {
        self.method.measure = name.into();
        self
    }

    /// Chooses the form of the release, such as `anatomy`.
    #[must_use]
    pub fn publish(mut self, name: impl Into<Spec>) -> Self {
        self.method.publish = name.into();
        self
    }

    /// Sets the seed of all random choices. It is drawn at random otherwise.
    #[must_use]
    pub fn seed(mut self, seed: Seed) -> Self {
        self.method.seed = Some(seed);
        self
    }

    /// The column of that name, which is added with this role where the plan does not name it.
    fn column(&mut self, name: &str, role: Role) -> &mut Column {
        self.columns.entry(name.to_owned()).or_insert_with(|| Column::with_role(role))
    }
}
