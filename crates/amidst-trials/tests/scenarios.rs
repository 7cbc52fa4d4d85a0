//! Small tables in every form, every kind of column, every file format: made, verified, and held against a plain check.
//!
//! This is what mutants of the library and planted bugs are tried with (`tests/mutants/`), so it is quick. A release that the library's
//! own verification stops fails with `stopped by the verification`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use amidst::Error;
use amidst::internals::measure::Selection;
use amidst::internals::publish;
use amidst::internals::read::{Source, Table};
use amidst::internals::write::Sink;
use amidst::pipeline::{AuditJob, Job, anonymize, audit};
use amidst::plan::{Plan, Seed};
use amidst::progress::Progress;
use amidst::report::Outcome;
use amidst_trials::grid::Grid;
use amidst_trials::oracle::{self, Asked};
use amidst_trials::people::{self, Column, KEY, QUASI, SENSITIVE};
use arrow_array::{Array, ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::TempDir;

const K: usize = 3;
const FORMS: [&str; 6] = ["generalization", "centres", "ring", "anatomy", "slicing", "randomization"];

/// What is tried.
struct Scenario {
    quasi: Vec<Column>,
    blocks: usize,
    gaps: bool,
    form: &'static str,
    /// More of the privacy part of the plan.
    privacy: &'static str,
    /// More of the method.
    method: &'static str,
    /// The share that may be left out.
    suppress: f64,
    input: &'static str,
    output: &'static str,
}

impl Scenario {
    fn new(quasi: &[&str]) -> Self {
        Scenario {
            quasi: people::quasi(quasi),
            blocks: 10,
            gaps: false,
            form: "generalization",
            privacy: "",
            method: "partitioner = \"mondrian\"",
            suppress: 0.0,
            input: "table.csv",
            output: "release.csv",
        }
    }

    fn plan(&self) -> Plan {
        let privacy = format!("require = [\"distinct-l(l=2)\"]\nsuppress = {:?}\n{}", self.suppress, self.privacy);
        let method = format!("seed = 7\npublish = \"{}\"\n{}", self.form, self.method);
        let text = people::plan(&self.quasi, K, &privacy, &method);
        text.parse().unwrap_or_else(|e| panic!("{e}\n{text}"))
    }

    /// The people; where some may be left out, with two of them so old that it pays.
    fn table(&self) -> Grid {
        let mut table = people::table(self.blocks, &self.quasi, self.gaps);
        if let (true, Some(age)) = (self.suppress > 0.0, table.place("age")) {
            table.rows[5][age] = "500".to_owned();
            table.rows[17][age] = "900".to_owned();
        }
        table
    }

    fn asked<'a>(&'a self, original: &'a Grid) -> Asked<'a> {
        let left_out = (self.suppress * original.rows.len() as f64) as usize;
        Asked { original, quasi: &self.quasi, k: K, l: 2, left_out, exact: true }
    }

    /// Makes the release in files, checks it, and audits it as whoever gets it would.
    fn run(&self) -> Made {
        let original = self.table();
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join(self.input), folder.path().join(self.output));
        store(&input, &original);
        let job =
            Job { measures: Selection::Named(Vec::new()), ..Job::new(input.clone(), output.clone(), self.plan()) };
        let outcome = made(anonymize(&job, Progress::silent()));
        let release = load(&output);
        let part = outcome.parts.first().map(|path| load(path));
        oracle::check(self.asked(&original), self.form.split('(').next().unwrap(), &release, part.as_ref());
        let plan = Plan::load(outcome.plan.as_ref().unwrap()).unwrap();
        assert_eq!(plan.method.seed, Some(Seed(7)), "the stored plan has the seed");
        assert_eq!((plan.privacy.k, &plan.columns.len()), (K, &original.header.len()));
        for source in [None, Some(Source::from(input.clone()))] {
            let job = AuditJob {
                release: output.clone().into(),
                plan: plan.clone(),
                demand: true,
                original: source,
                tables: Vec::new(),
            };
            let found = audit(&job, Progress::silent()).unwrap_or_else(|e| panic!("the audit cannot be made: {e}"));
            assert!(found.failures.is_empty(), "the audit fails: {:?}", found.failures);
        }
        Made { folder, input, output, original, release, part, plan }
    }
}

/// A release in a folder of its own.
struct Made {
    folder: TempDir,
    input: PathBuf,
    output: PathBuf,
    original: Grid,
    release: Grid,
    part: Option<Grid>,
    plan: Plan,
}

impl Made {
    /// Whether the rows stand as they did.
    fn in_order(&self) -> bool {
        let published = self.release.column(KEY);
        let kept: Vec<&str> = self.original.column(KEY).into_iter().filter(|key| published.contains(key)).collect();
        published == kept
    }
}

fn made(result: amidst::Result<Outcome>) -> Outcome {
    result.unwrap_or_else(|e| match e {
        Error::Unverified(_) => panic!("stopped by the verification: {e}"),
        other => panic!("refused: {other}"),
    })
}

/// How the name of a file ends.
fn extension(path: &Path) -> &str {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Writes a table as its file name says.
fn store(path: &Path, table: &Grid) {
    let bytes = match extension(path) {
        "gz" => {
            let mut bytes = Vec::new();
            let csv = table.csv();
            let mut packed = flate2::read::GzEncoder::new(csv.as_slice(), flate2::Compression::fast());
            packed.read_to_end(&mut bytes).unwrap();
            bytes
        }
        "zst" => zstd::encode_all(table.csv().as_slice(), 1).unwrap(),
        "parquet" => {
            let (batch, mut bytes) = (batch(table), Vec::new());
            let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
            writer.write(&batch).unwrap();
            writer.close().unwrap();
            bytes
        }
        "tsv" => String::from_utf8(table.csv()).unwrap().replace(',', "\t").into_bytes(),
        _ => table.csv(),
    };
    fs::write(path, bytes).unwrap();
}

/// The table in typed columns: whole numbers, decimals, days, texts; what is missing is null.
fn batch(table: &Grid) -> RecordBatch {
    let columns = table.header.iter().map(|name| {
        let texts: Vec<Option<&str>> =
            table.column(name).into_iter().map(|text| (text != "?").then_some(text)).collect();
        let array: ArrayRef = match name.as_str() {
            "age" | "shoe" => Arc::new(texts.iter().map(|t| t.map(|t| t.parse().unwrap())).collect::<Int64Array>()),
            "balance" | "dose" => {
                Arc::new(texts.iter().map(|t| t.map(|t| t.parse().unwrap())).collect::<Float64Array>())
            }
            "seen" => {
                let text = Arc::new(StringArray::from(texts)) as ArrayRef;
                let days = arrow_cast::cast(&text, &DataType::Date32).unwrap();
                Arc::new(days.as_any().downcast_ref::<Date32Array>().unwrap().clone())
            }
            _ => Arc::new(StringArray::from(texts)),
        };
        (name.clone(), array)
    });
    let (names, arrays): (Vec<String>, Vec<ArrayRef>) = columns.unzip();
    let fields: Vec<Field> =
        names.iter().zip(&arrays).map(|(name, array)| Field::new(name, array.data_type().clone(), true)).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap()
}

/// Reads a file with nothing of the library.
fn load(path: &Path) -> Grid {
    let bytes = fs::read(path).unwrap();
    let plain = match extension(path) {
        "gz" => {
            let mut plain = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut plain).unwrap();
            plain
        }
        "zst" => zstd::decode_all(bytes.as_slice()).unwrap(),
        "parquet" => {
            let file = fs::File::open(path).unwrap();
            let batches = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
            return texts(&batches.map(Result::unwrap).collect::<Vec<_>>());
        }
        "tsv" => String::from_utf8(bytes).unwrap().replace('\t', ",").into_bytes(),
        _ => bytes,
    };
    Grid::parse(&plain).expect("a release is CSV")
}

/// The texts of Arrow tables; null is how the table of people writes what is missing.
fn texts(batches: &[RecordBatch]) -> Grid {
    let header = batches[0].schema().fields().iter().map(|field| field.name().clone()).collect();
    let options = FormatOptions::new().with_null("?");
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column.as_ref(), &options).unwrap()).collect();
        rows.extend((0..batch.num_rows()).map(|row| columns.iter().map(|c| c.value(row).to_string()).collect()));
    }
    Grid { header, rows }
}

#[test]
fn every_kind_of_column() {
    for column in QUASI {
        for gaps in [false, true] {
            println!("{}, gaps: {gaps}", column.name);
            let names = ["sex", column.name];
            Scenario { gaps, ..Scenario::new(&names) }.run();
            Scenario { gaps, blocks: 6, ..Scenario::new(&[column.name]) }.run();
        }
    }
}

#[test]
fn all_kinds_at_once() {
    let names: Vec<&str> = QUASI.iter().map(|column| column.name).collect();
    for gaps in [false, true] {
        Scenario { gaps, ..Scenario::new(&names) }.run();
        Scenario { gaps, method: "", blocks: 6, ..Scenario::new(&names) }.run();
    }
}

#[test]
fn every_form() {
    for form in FORMS {
        for gaps in [false, true] {
            println!("{form}, gaps: {gaps}");
            Scenario { gaps, form, ..Scenario::new(&["age", "seen", "school", "town", "pet"]) }.run();
            Scenario { form, gaps, blocks: 7, ..Scenario::new(&["balance", "zip", "shoe", "sex"]) }.run();
        }
    }
}

#[test]
fn every_form_where_some_are_left_out() {
    // Rings are refused: nobody could prove that everybody fits k rows.
    for form in FORMS.into_iter().filter(|form| *form != "ring") {
        println!("{form}");
        let scenario = Scenario { form, suppress: 0.15, ..Scenario::new(&["age", "seen", "town", "pet"]) };
        let made = scenario.run();
        let published = made.release.rows.len();
        // 40 people, of whom 15 % are 6.
        assert!((34..40).contains(&published), "{published} rows");
    }
}

#[test]
fn every_format() {
    for name in ["csv", "csv.gz", "csv.zst", "tsv", "parquet"] {
        println!("{name}");
        let (input, output): (&'static str, &'static str) = match name {
            "csv" => ("table.csv", "release.parquet"),
            "csv.gz" => ("table.csv.gz", "release.csv.zst"),
            "csv.zst" => ("table.csv.zst", "release.csv.gz"),
            "tsv" => ("table.tsv", "release.tsv"),
            _ => ("table.parquet", "release.parquet"),
        };
        for form in ["generalization", "anatomy"] {
            let names = ["age", "seen", "town", "club"]; // without commas, for the sake of .tsv
            Scenario { form, input, output, gaps: name == "parquet", ..Scenario::new(&names) }.run();
        }
    }
}

#[test]
fn tables_in_memory() {
    for form in FORMS {
        println!("{form}");
        let scenario = Scenario { form, ..Scenario::new(&["age", "balance", "seen", "town", "pet"]) };
        let original = scenario.table();
        let batch = batch(&original);
        let schema = batch.schema();
        let table = Table::from_batches("frame", &schema, [Ok(batch)], Progress::silent()).unwrap();
        let job = Job::new(&table, Sink::Memory(schema), scenario.plan());
        let outcome = made(anonymize(&job, Progress::silent()));
        let handed = |main: bool| {
            let part = outcome.tables.iter().find(|part| part.name.is_none() == main)?;
            Some(texts(std::slice::from_ref(&part.table)))
        };
        oracle::check(scenario.asked(&original), form, &handed(true).unwrap(), handed(false).as_ref());
    }
}

#[test]
fn rows_are_shuffled_unless_asked() {
    let scenario = Scenario::new(&["age", "town"]);
    assert!(!scenario.run().in_order(), "40 rows stand as they did");
    let kept = Scenario { method: "partitioner = \"mondrian\"\norder = \"keep\"", ..scenario };
    assert!(kept.run().in_order());
}

#[test]
fn the_stored_plan_makes_the_same_release() {
    for form in FORMS {
        let made = Scenario { form, ..Scenario::new(&["age", "seen", "town"]) }.run();
        let again = made.folder.path().join("again.csv");
        let job = Job::new(made.input.clone(), again.clone(), made.plan.clone());
        self::made(anonymize(&job, Progress::silent()));
        assert_eq!(fs::read(&again).unwrap(), fs::read(&made.output).unwrap(), "{form}");
        let part = |path: &Path, part| publish::path(path, part);
        for name in ["sensitive", "slices"] {
            assert_eq!(fs::read(part(&again, name)).ok(), fs::read(part(&made.output, name)).ok(), "{form}");
        }
    }
}

#[test]
fn the_seed_decides_the_order() {
    let scenario = Scenario::new(&["age", "town"]);
    let made = scenario.run();
    let mut plan = scenario.plan();
    plan.method.seed = Some(Seed(8));
    let other = made.folder.path().join("other.csv");
    let job = Job::new(made.input.clone(), other.clone(), plan);
    self::made(anonymize(&job, Progress::silent()));
    assert_ne!(load(&other).column(KEY), made.release.column(KEY));
}

/// Without retention a group of m is dealt anew: one in it keeps its value on average, so with groups of three or four and 120 people about 35
/// do, with a standard deviation of 6. Values are many, so who has the same value as before has kept it, or nearly so: a group has two
/// equal values at most by chance of one in five.
#[test]
fn randomization_exchanges_values() {
    for suppress in [0.0, 0.1] {
        let form = "randomization(p=0)";
        let made = Scenario { form, suppress, blocks: 30, ..Scenario::new(&["age", "seen", "town", "pet"]) }.run();
        let keys = made.original.column(KEY);
        let own = made.original.column(SENSITIVE);
        let (published, values) = (made.release.column(KEY), made.release.column(SENSITIVE));
        let person = |key: &str| keys.iter().position(|other| *other == key).unwrap();
        let kept = published.iter().zip(&values).filter(|(key, value)| own[person(key)] == **value).count();
        let rows = published.len();
        assert_eq!(rows < keys.len(), suppress > 0.0, "{rows} rows");
        assert!(kept * 3 < rows * 2, "{kept} of {rows} have the value that they had");
    }
}

#[test]
fn slices_do_not_stay_together() {
    let made = Scenario { form: "slicing", blocks: 20, ..Scenario::new(&["age", "seen", "town", "pet"]) }.run();
    let part = made.part.unwrap();
    assert!(part.column("slice").iter().collect::<BTreeSet<_>>().len() > 2);
    let own = |column: &str| -> usize {
        let keys = made.original.column(KEY);
        let (before, after) = (made.original.column(column), made.release.column(column));
        let person = |key: &str| keys.iter().position(|other| *other == key).unwrap();
        made.release.column(KEY).iter().zip(after).filter(|(key, text)| before[person(key)] == *text).count()
    };
    // The diseases of a group of three or four are nearly all different, so dealing them anew leaves a third in place.
    assert!(own(SENSITIVE) * 3 < made.release.rows.len() * 2);
}
