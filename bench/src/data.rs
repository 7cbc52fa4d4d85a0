//! The data sets and what is asked of their columns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use amidst::Result;
use amidst::encode::Encoded;
use amidst::plan::{Plan, Role};
use amidst::progress::Progress;
use amidst::read::{self, Options, Table};
use amidst::schema::{Form, ISO_DATE, Quasi, Schema};

/// A table and its quasi-identifiers.
pub struct DataSet {
    /// What the table of results calls it.
    pub name: &'static str,
    /// Where it lies in its folder.
    pub file: &'static str,
    /// Whether it comes with the project, or has to be brought along.
    pub bundled: bool,
    /// A plan in the same folder that says what its columns are; otherwise the lists below do.
    pub plan: Option<&'static str>,
    /// Published as ranges.
    pub range: &'static [&'static str],
    /// Published as sets.
    pub set: &'static [&'static str],
    /// Published where all agree.
    pub suppress: &'static [&'static str],
}

/// Adult with sets, which is also what the peer is given.
pub const ADULT: DataSet = DataSet {
    name: "Adult",
    file: "adult/adult.csv.gz",
    bundled: true,
    plan: None,
    range: &["age", "education-num"],
    set: &["workclass", "marital-status", "occupation", "race", "sex", "native-country"],
    suppress: &[],
};

/// The table that is large enough to see how time grows.
pub const ACS: DataSet = DataSet {
    name: "ACS income",
    file: "census/acs-income.csv.gz",
    bundled: false,
    plan: None,
    range: &["AGEP", "SCHL"],
    set: &["COW", "MAR", "RELP", "SEX", "RAC1P"],
    suppress: &["POBP"],
};

/// All data sets.
pub const ALL: &[DataSet] = &[
    ADULT,
    DataSet { name: "Adult, hierarchies", plan: Some("adult/plan.toml"), range: &[], set: &[], ..ADULT },
    DataSet {
        name: "INFORMS",
        file: "health/informs-demographics.csv.gz",
        bundled: false,
        plan: None,
        range: &["DOBMM", "DOBYY", "EDUCYEAR", "income"],
        set: &["RACEX", "marry"],
        suppress: &[],
    },
    ACS,
];

impl DataSet {
    /// Where the file is, given the folder that the user has brought along.
    pub fn path(&self, brought: Option<&Path>) -> Option<PathBuf> {
        let bundled = root().join("data");
        let folder = if self.bundled { Some(bundled.as_path()) } else { brought };
        folder.map(|folder| folder.join(self.file)).filter(|path| path.is_file())
    }

    /// The records as partitioners see them.
    pub fn encode(&self, table: &Table) -> Result<Arc<Encoded>> {
        Ok(Arc::new(Encoded::new(table, &self.schema(table)?, &[], Progress::silent())?))
    }

    fn schema(&self, table: &Table) -> Result<Schema> {
        if let Some(plan) = self.plan {
            let mut plan = Plan::load(&root().join("data").join(plan))?;
            // The whole table was read, so what is not to be published is there too.
            plan.columns.values_mut().filter(|c| c.role == Role::Identifier).for_each(|c| c.role = Role::Other);
            return Schema::new(&plan, table);
        }
        let form = |names: &'static [&str], form: &Form| {
            let form = form.clone();
            names.iter().map(move |name| Quasi { name: (*name).to_owned(), form: form.clone(), weight: 1.0 })
        };
        let quasi = form(self.range, &Form::Range(None, ISO_DATE.to_owned()))
            .chain(form(self.set, &Form::Set))
            .chain(form(self.suppress, &Form::Suppress));
        Ok(Schema { quasi: quasi.collect(), sensitive: Vec::new(), other: Vec::new() })
    }
}

/// Reads a table with all its columns.
pub fn read(path: &Path) -> Result<Table> {
    read::read(path, &Options::default(), Progress::silent())
}

/// So many rows of the table, evenly spread over it.
pub fn sample(table: &Table, rows: usize) -> Result<Table> {
    let all = table.rows();
    let keep: Vec<bool> = (0..all).map(|row| row * rows / all < (row + 1) * rows / all).collect();
    table.filter(&keep.into())
}

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}
