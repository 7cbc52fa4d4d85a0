//! The data sets and what is asked of their columns.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use amidst::Result;
use amidst::internals::encode::Encoded;
use amidst::internals::read::{self, Options, Table};
use amidst::internals::schema::{Coding, Form, ISO_DATE, Quasi, Schema, guess};
use amidst::plan::{Decimal, Plan, Role, Tree};
use amidst::progress::Progress;

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
    /// Published as nodes of the bundled hierarchies.
    pub taxonomy: &'static [&'static str],
    /// Published as `amidst anonymize --quasi` would.
    pub guess: &'static [&'static str],
}

/// Brought along, with no quasi-identifier yet.
pub const BROUGHT: DataSet = DataSet {
    name: "",
    file: "",
    bundled: false,
    plan: None,
    range: &[],
    set: &[],
    suppress: &[],
    taxonomy: &[],
    guess: &[],
};

/// Comes with the project, with no quasi-identifier yet.
pub const BUNDLED: DataSet = DataSet { file: "adult/adult.csv.gz", bundled: true, ..BROUGHT };

/// Adult with sets, which is also what the peer is given.
pub const ADULT: DataSet = DataSet {
    name: "Adult",
    range: &["age", "education-num"],
    set: &["workclass", "marital-status", "occupation", "race", "sex", "native-country"],
    ..BUNDLED
};

/// Adult as in the experiments of sequential clustering: all columns but income, by suppression.
pub const ADULT_SUPPRESSED: DataSet = DataSet {
    name: "Adult, suppression",
    suppress: &[
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education-num",
        "marital-status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
        "native-country",
    ],
    ..BUNDLED
};

/// Adult as ARX's own examples have it: a tree for every column.
pub const ADULT_TREES: DataSet = DataSet {
    name: "Adult, taxonomies",
    taxonomy: &["age", "education", "workclass", "marital-status", "occupation", "race", "sex", "native-country"],
    ..BUNDLED
};

/// The table that is large enough to see how time grows.
pub const ACS: DataSet = DataSet {
    name: "ACS income",
    file: "census/acs-income.csv.gz",
    range: &["AGEP", "SCHL"],
    set: &["COW", "MAR", "RELP", "SEX", "RAC1P"],
    suppress: &["POBP"],
    ..BROUGHT
};

/// The same by guess, which takes its codes for numbers.
pub const ACS_RANGES: DataSet = DataSet {
    name: "ACS income, ranges",
    file: ACS.file,
    guess: &["AGEP", "SCHL", "COW", "MAR", "RELP", "SEX", "RAC1P", "POBP"],
    ..BROUGHT
};

const INFORMS: DataSet = DataSet {
    name: "INFORMS",
    file: "health/informs-demographics.csv.gz",
    range: &["DOBMM", "DOBYY", "EDUCYEAR", "income"],
    set: &["RACEX", "marry"],
    ..BROUGHT
};

/// All data sets on which all partitioners are compared.
pub const ALL: &[DataSet] =
    &[ADULT, DataSet { name: "Adult, hierarchies", plan: Some("adult/plan.toml"), ..BUNDLED }, INFORMS, ACS];

/// Tables with many columns: what a neighbour may know, and what somebody who knows of the stay or the job may.
pub const WIDE: &[DataSet] = &[
    DataSet {
        name: "NHDS, 8 QIs",
        file: "health/nhds2010.csv.gz",
        guess: &["age", "age_unit", "sex", "race", "marital_status", "dc_month", "region", "payor_primary"],
        ..BROUGHT
    },
    DataSet {
        name: "NHDS, 20 QIs",
        file: "health/nhds2010.csv.gz",
        guess: &[
            "age",
            "age_unit",
            "sex",
            "race",
            "marital_status",
            "dc_month",
            "region",
            "payor_primary",
            "newborn",
            "dc_status",
            "care_days",
            "dc_same_day",
            "n_beds",
            "hospital_ownership",
            "payor_secondary",
            "adm_type",
            "adm_origin",
            "DRG",
            "pc01",
            "dx_adm",
        ],
        ..BROUGHT
    },
    DataSet {
        name: "KDD census, 8 QIs",
        file: "census/kdd-census-income.csv.gz",
        guess: &[
            "age",
            "class_of_worker",
            "education",
            "marital_stat",
            "major_occupation_code",
            "race",
            "sex",
            "country_of_birth_self",
        ],
        ..BROUGHT
    },
    DataSet {
        name: "KDD census, 20 QIs",
        file: "census/kdd-census-income.csv.gz",
        guess: &[
            "age",
            "class_of_worker",
            "education",
            "marital_stat",
            "major_occupation_code",
            "race",
            "sex",
            "country_of_birth_self",
            "major_industry_code",
            "hispanic_origin",
            "full_or_part_time_employment_stat",
            "tax_filer_stat",
            "detailed_household_and_family_stat",
            "detailed_household_summary_in_household",
            "num_persons_worked_for_employer",
            "family_members_under_18",
            "country_of_birth_father",
            "country_of_birth_mother",
            "citizenship",
            "weeks_worked_in_year",
        ],
        ..BROUGHT
    },
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
        if !self.guess.is_empty() {
            let mut plan = self.guess.iter().fold(Plan::new(2), |plan, name| plan.quasi(name));
            guess::complete(&mut plan, table)?;
            return Schema::new(&plan, table);
        }
        let forms = |names: &'static [&str], form: fn(&str) -> Form| {
            names.iter().map(move |name| Quasi {
                name: (*name).to_owned(),
                form: form(name),
                weight: 1.0,
                show: None,
                coding: Coding::default(),
            })
        };
        let tree = |name: &str| {
            let file = root().join("data/adult/hierarchies").join(name).with_extension("csv");
            Form::Taxonomy(Tree::File(file), ISO_DATE.to_owned())
        };
        let quasi = forms(self.range, |_| Form::Range(None, ISO_DATE.to_owned(), Decimal::Point))
            .chain(forms(self.set, |_| Form::Set))
            .chain(forms(self.suppress, |_| Form::Suppress))
            .chain(forms(self.taxonomy, tree));
        let (sensitive, other, personal) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Schema { quasi: quasi.collect(), sensitive, other, person: Vec::new(), personal, ..Schema::default() })
    }
}

/// Reads a table with all its columns.
pub fn read(path: &Path) -> Result<Table> {
    read::read(path, &Options::default(), Progress::silent())
}

/// Adult as in the experiments of ARP: the 30,718 rows of UCI's `adult.data` that have an occupation.
pub fn adult_with_occupation() -> Result<Table> {
    let table = read(&root().join("data/adult/raw.csv.gz"))?;
    let rows: Vec<usize> = (0..table.rows()).collect();
    let occupations = table.cells("occupation", &rows)?;
    table.filter(&occupations.iter().map(|occupation| occupation != "?").collect::<Vec<_>>().into())
}

/// So many rows of the table, evenly spread over it.
pub fn sample(table: &Table, rows: usize) -> Result<Table> {
    let all = table.rows();
    let keep: Vec<bool> = (0..all).map(|row| row * rows / all < (row + 1) * rows / all).collect();
    table.filter(&keep.into())
}

/// The first rows of the table.
pub fn head(table: &Table, rows: usize) -> Result<Table> {
    table.filter(&(0..table.rows()).map(|row| row < rows).collect::<Vec<_>>().into())
}

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

#[cfg(test)]
mod tests {
    use amidst::internals::encode::Span;

    use super::*;
    use crate::score;

    #[test]
    fn lm_divides_by_the_leaves_of_the_whole_tree() {
        let table = head(&read(&ADULT_TREES.path(None).unwrap()).unwrap(), 1000).unwrap();
        let encoded = ADULT_TREES.encode(&table).unwrap();
        let measure = score::problem(&encoded, 2, 0).unwrap().measure;
        let age = &encoded.domains()[0];
        let joined = |a, b| measure.cell(0, Span::range(age.code(a).unwrap(), age.code(b).unwrap()));
        // The file has the 100 leaves 1 to 100, whatever ages the table has: five below 35-39, ten below 30-39.
        assert_eq!(age.len(), 100);
        let found = [joined("36", "36"), joined("36", "38"), joined("31", "40"), joined("17", "90")];
        assert_eq!(found.map(|loss| (99.0 * loss).round() as usize), [0, 4, 9, 99]);
    }

    #[test]
    fn the_table_of_arp_has_the_values_that_its_table_1_counts() {
        let table = adult_with_occupation().unwrap();
        assert_eq!(table.rows(), 30_718);
        let rows: Vec<usize> = (0..table.rows()).collect();
        let printed = [
            ("age", 72),
            ("sex", 2),
            ("education", 16),
            ("marital-status", 7),
            ("race", 5),
            ("workclass", 7),
            ("relationship", 6),
            ("occupation", 14),
        ];
        for (column, values) in printed {
            let mut cells = table.cells(column, &rows).unwrap();
            cells.sort_unstable();
            cells.dedup();
            assert_eq!(cells.len(), values, "{column}");
            assert!(!cells.iter().any(|cell| cell == "?"), "{column}");
        }
    }

    #[test]
    fn rows_are_drawn_as_asked() {
        let table = read(&ADULT.path(None).unwrap()).unwrap();
        assert_eq!((head(&table, 30_162).unwrap().rows(), sample(&table, 1000).unwrap().rows()), (30_162, 1000));
    }
}
