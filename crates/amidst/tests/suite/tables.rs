//! Small tables: written down by hand, or drawn at random.
//!
//! A [`Sketch`] says what its columns are in the tests' own words, so that [`naive`](crate::naive) can judge a
//! release without asking the library.

use std::sync::Arc;

use amidst::internals::encode::Encoded;
use amidst::internals::problem::Problem;
use amidst::internals::read::{self, Table};
use amidst::internals::registry::{Entry, Param, Range, Spec, Value};
use amidst::internals::schema::Schema;
use amidst::internals::{constraint, cost};
use amidst::plan::{Plan, Role, Seed};
use amidst::progress::Progress;
use chrono::{Days, NaiveDate};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// The plan with the secrets that it names, or some that are always the same, so that what fails once fails again.
pub fn seeded(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    plan.method.seed.get_or_insert(Seed(0));
    plan.method.fingerprint_key.get_or_insert("00".repeat(16).parse().unwrap());
    plan
}

/// How the values of a column are generalized.
#[derive(Debug, Clone)]
pub enum Sort {
    Integer,
    Decimal,
    Date,
    /// From low to high.
    Ordered(Vec<String>),
    /// A path from each leaf to the root.
    Taxonomy(Vec<Vec<String>>),
    Set,
    Suppress,
}

#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub sort: Sort,
    pub weight: f64,
    pub cells: Vec<String>,
}

/// A table of quasi-identifiers. On disk an identifier stands before them and a sensitive column behind.
#[derive(Debug, Clone)]
pub struct Sketch {
    pub columns: Vec<Column>,
    /// The text of a missing value.
    pub missing: &'static str,
}

/// A table as the library has it.
pub struct Loaded {
    pub plan: Plan,
    pub table: Table,
    pub schema: Schema,
    pub encoded: Arc<Encoded>,
}

/// Loads a table from the text of its CSV file and of its plan.
pub fn load(csv: &str, plan: &str) -> Loaded {
    let plan: Plan = plan.parse().unwrap();
    let skip = plan.columns_with(Role::Identifier).map(str::to_owned).collect();
    let options = read::Options { skip, ..read::Options::default() };
    let table = read::read_bytes("table.csv", csv.to_owned(), &options, Progress::silent()).unwrap();
    let schema = Schema::new(&plan, &table).unwrap();
    let encoded = Encoded::new(&table, &schema, &plan.input.missing, Progress::silent()).unwrap();
    Loaded { plan, table, schema, encoded: Arc::new(encoded) }
}

impl Loaded {
    /// A problem that any partition solves.
    pub fn free(&self, measure: &Spec) -> Problem {
        let measure = cost::build(measure, &self.encoded).unwrap();
        Problem::new(self.encoded.clone(), measure, Vec::new(), 7).unwrap()
    }

    pub fn problem(&self, measure: &Spec, k: usize) -> amidst::Result<Problem> {
        self.demanding(measure, k, &[])
    }

    /// A problem that asks more than k-anonymity.
    pub fn demanding(&self, measure: &Spec, k: usize, require: &[&str]) -> amidst::Result<Problem> {
        let mut plan = self.plan.clone();
        plan.privacy.k = k;
        plan.privacy.require = require.iter().map(|model| Spec::new(*model)).collect();
        let measure = cost::build(measure, &self.encoded)?;
        Problem::new(self.encoded.clone(), measure, constraint::all(&plan, &self.encoded)?, 7)
    }
}

impl Sketch {
    pub fn rows(&self) -> usize {
        self.columns[0].cells.len()
    }

    /// The cells of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = &str> {
        self.columns.iter().map(move |c| c.cells[row].as_str())
    }

    pub fn csv(&self) -> String {
        let mut out = csv::Writer::from_writer(Vec::new());
        let header = self.columns.iter().map(|c| c.name.as_str());
        out.write_record(std::iter::once("id").chain(header).chain(["note"])).unwrap();
        for row in 0..self.rows() {
            let (id, note) = (format!("person {row}"), format!("note {}", row % 3));
            out.write_record(std::iter::once(id.as_str()).chain(self.row(row)).chain([note.as_str()])).unwrap();
        }
        String::from_utf8(out.into_inner().unwrap()).unwrap()
    }

    pub fn plan(&self, k: usize) -> String {
        let mut text = format!("[input]\nmissing = [{:?}]\n[privacy]\nk = {k}\n[columns]\n", self.missing);
        text += "id = { role = \"identifier\" }\n";
        for Column { name, sort, weight, .. } in &self.columns {
            let kind = match sort {
                Sort::Integer | Sort::Decimal | Sort::Date => "\"range\"".to_owned(),
                Sort::Ordered(order) => format!("\"ordered\", order = {order:?}"),
                Sort::Taxonomy(paths) => {
                    let lines: Vec<String> = paths.iter().map(|path| path.join(";")).collect();
                    format!("\"taxonomy\", hierarchy = {{ lines = {:?} }}", lines.join("\n"))
                }
                Sort::Set => "\"set\"".to_owned(),
                Sort::Suppress => "\"suppress\"".to_owned(),
            };
            text += &format!("{name} = {{ role = \"quasi\", weight = {weight:?}, kind = {kind} }}\n");
        }
        text + "note = { role = \"sensitive\" }\n"
    }

    pub fn load(&self) -> Loaded {
        load(&self.csv(), &self.plan(2))
    }
}

/// Every entry with each named choice of each of its parameters, one at a time; the other parameters are left to their defaults, and
/// to the least allowed where there is none.
pub fn specs<B>(list: &[Entry<B>]) -> Vec<Spec> {
    let mut specs = Vec::new();
    for entry in list {
        let least = |param: &Param| match (&param.default, &param.range) {
            (Some(_), _) => None,
            (None, Range::Choice(words)) => Some(format!("{}={}", param.name, words[0])),
            (None, Range::Integer(lo, _)) => Some(format!("{}={lo}", param.name)),
            (None, Range::Number(lo, _)) => Some(format!("{}={lo}", param.name)),
        };
        let needed = || entry.params.iter().filter_map(least);
        specs.push(Spec::new(format!("{}({})", entry.name, needed().collect::<Vec<_>>().join(", "))));
        for param in entry.params {
            let Range::Choice(words) = param.range else { continue };
            let usual = |word: &&&str| match &param.default {
                Some(Value::Word(default)) => default == *word,
                _ => **word == words[0],
            };
            for word in words.iter().filter(|word| !usual(word)) {
                let others = entry.params.iter().filter(|other| other.name != param.name).filter_map(least);
                let given: Vec<String> = others.chain([format!("{}={word}", param.name)]).collect();
                specs.push(Spec::new(format!("{}({})", entry.name, given.join(", "))));
            }
        }
    }
    specs
}

/// The day so many days after 2000-01-01.
pub fn day(after: u64) -> String {
    (NaiveDate::default() + Days::new(10_957 + after)).to_string()
}

/// The path of a leaf, from a text such as `leaf group root`.
pub fn path(text: &str) -> Vec<String> {
    texts(text.split(' '))
}

pub fn texts<T: ToString>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(|t| t.to_string()).collect()
}

/// Labels that are awkward to write in sets and ranges.
const AWKWARD: [&str; 7] = ["a", "b, c", "say \"x\"", " d", "e}", "7th-8th", "-"];

/// A sort of column and the values its cells are drawn from.
fn pool() -> impl Strategy<Value = (Sort, Vec<String>)> {
    let labels = || btree_set(select(AWKWARD.to_vec()), 1..=6).prop_map(texts).prop_shuffle();
    let ordered = (labels(), any::<Index>()).prop_map(|(order, used)| {
        // Some of the order's categories need not occur.
        let cells = order[..=used.index(order.len())].to_vec();
        (Sort::Ordered(order), cells)
    });
    prop_oneof![
        vec(-60..60_i64, 1..6).prop_map(|v| (Sort::Integer, texts(v))),
        // The same number in two spellings.
        vec((-9..9_i32, prop::bool::ANY), 2..6).prop_map(|v| {
            let text = |(n, long): &(i32, bool)| {
                let number = f64::from(*n) / 4.0;
                if *long { format!("{number:.3}") } else { number.to_string() }
            };
            (Sort::Decimal, v.iter().map(text).chain(["0.5".to_owned()]).collect())
        }),
        vec(0..9000_u64, 1..6).prop_map(|v| (Sort::Date, v.into_iter().map(day).collect())),
        ordered,
        tree().prop_flat_map(|paths| {
            let leaves: Vec<String> = paths.iter().map(|path| path[0].clone()).collect();
            let used = 1..=leaves.len();
            prop::sample::subsequence(leaves, used).prop_map(move |cells| (Sort::Taxonomy(paths.clone()), cells))
        }),
        labels().prop_map(|v| (Sort::Set, v)),
        labels().prop_map(|v| (Sort::Suppress, v)),
    ]
}

/// A tree of up to four levels in which leaves hang at any of them.
fn tree() -> impl Strategy<Value = Vec<Vec<String>>> {
    let leaves = vec(0..5_usize, 1..8);
    (leaves, vec(0..3_usize, 5), select(vec!["*", "any"])).prop_map(|(groups, above, root)| {
        let path = |(leaf, group): (usize, &usize)| {
            let mut path = vec![format!("leaf {leaf}")];
            if *group > 0 {
                path.push(format!("group {group}"));
                if above[*group] > 0 {
                    path.push(format!("region {}", above[*group]));
                }
            }
            path.push(root.to_owned());
            path
        };
        groups.iter().enumerate().map(path).collect()
    })
}

fn column(rows: usize, missing: &'static str, holes: bool) -> impl Strategy<Value = Column> {
    let picks = vec((any::<Index>(), prop::bool::weighted(0.25)), rows);
    (pool(), picks, select(vec![1.0, 2.0, 0.5])).prop_map(move |((sort, values), picks, weight)| {
        let cell = |(pick, hole): &(Index, bool)| {
            if holes && *hole { missing.to_owned() } else { pick.get(&values).clone() }
        };
        Column { name: String::new(), sort, weight, cells: picks.iter().map(cell).collect() }
    })
}

/// Tables of `rows` rows and up to four columns of any sort, with missing values or without.
pub fn sketches(rows: impl Strategy<Value = usize>) -> impl Strategy<Value = Sketch> {
    let missing = select(vec!["?", ""]);
    (rows, missing, any::<bool>(), 1..=4_usize).prop_flat_map(|(rows, missing, holes, width)| {
        vec(column(rows, missing, holes), width).prop_map(move |mut columns| {
            for (i, column) in columns.iter_mut().enumerate() {
                column.name = format!("c{i}");
            }
            Sketch { columns, missing }
        })
    })
}
