//! Every form of release: made, verified, measured, and refused where it would not protect or was tampered with.

use std::fs;
use std::path::{Path, PathBuf};

use amidst::Result;
use amidst::internals::measure::Selection;
use amidst::internals::publish;
use amidst::internals::registry::Spec;
use amidst::pipeline::{AuditJob, Job, anonymize, audit};
use amidst::plan::{Plan, RowOrder};
use amidst::progress::Progress;
use amidst::report::{AuditOutcome, Outcome};

use crate::hard;
use crate::members::specs_of;
use crate::pairs::all_cases;
use crate::report;
use crate::tables::seeded;

/// A release in a folder of its own.
pub struct Made {
    pub folder: tempfile::TempDir,
    pub outcome: Outcome,
    pub plan: Plan,
}

impl Made {
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What an audit with the plan beside the release finds, from the files alone or beside the original.
    pub fn audit(&self, with_original: bool) -> Result<AuditOutcome> {
        audit(&self.audit_job(with_original), Progress::silent())
    }

    fn audit_job(&self, with_original: bool) -> AuditJob {
        let plan_file = self.path("release.plan.toml");
        AuditJob {
            release: self.path("release.csv").into(),
            plan: Plan::load(&plan_file).unwrap(),
            demand: true,
            original: with_original.then(|| self.path("table.csv").into()),
            tables: Vec::new(),
        }
    }
}

/// Publishes a CSV text as `release.csv`.
pub fn make(csv: &str, plan: &Plan) -> Result<Made> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("table.csv"), csv).unwrap();
    let (input, output, plan) = (file("table.csv"), file("release.csv"), seeded(plan));
    let job = Job { measures: Selection::All, details: true, ..Job::new(input, output, plan.clone()) };
    let outcome = anonymize(&job, Progress::silent())?;
    Ok(Made { folder, outcome, plan })
}

/// The lines of a file.
pub fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn passes_its_own_audit(form: &str) {
    // Nested cells have a test of their own.
    let specs = specs_of(publish::ALL, form).into_iter().filter(|form| !form.as_str().contains("nested"));
    for (place, form) in specs.enumerate() {
        for table in 0..hard::tables(2).len() {
            // Each table with one size of groups, and each size with every second table.
            for k in [2, 5].into_iter().filter(|k| all_cases() || (place + table + k) % 2 == 0) {
                let (name, sketch) = hard::tables(k).swap_remove(table);
                println!("{form}, k = {k}, on {name}");
                let mut plan: Plan = sketch.plan(k).parse().unwrap();
                plan.method.publish = form.clone();
                plan.privacy.require = vec![Spec::new("distinct-l(l=2)")];
                let made = make(&sketch.csv(), &plan).unwrap();
                report::tells_of_no_few(&made.outcome, sketch.rows(), k);
                for with_original in [false, true] {
                    let audit = made.audit(with_original).unwrap();
                    assert!(audit.failures.is_empty(), "{:?}", audit.failures);
                    assert_eq!(audit.audit.unwrap().achieved.k, made.outcome.audit.achieved.k);
                }
            }
        }
    }
}

tests!(of forms: releases_of_hard_tables_pass_their_own_audit: passes_its_own_audit);

/// Forty people of whom everybody knows age and town.
pub fn people() -> String {
    let line = |i: u32| {
        format!(
            "{},{},{}\n",
            20 + i * 7 % 40,
            ["Ulm", "Bonn", "Kiel"][(i % 3) as usize],
            ["flu", "cold", "asthma", "gout"][(i * 5 % 7 % 4) as usize]
        )
    };
    "age,town,disease\n".to_owned() + &(0..40).map(line).collect::<String>()
}

pub fn plan(form: &str, privacy: &str) -> Plan {
    format!(
        "[privacy]\nk = 4\n{privacy}\n[method]\npublish = \"{form}\"\n[columns]\nage = {{ role = \"quasi\", kind = \"range\" }}\n\
         town = {{ role = \"quasi\", kind = \"set\" }}\ndisease = {{ role = \"sensitive\" }}\n"
    )
    .parse()
    .unwrap()
}

/// Changes a file of a release and says what the audit of the files alone finds.
pub fn tampered(made: &Made, file: &str, change: impl Fn(&mut Vec<String>)) -> String {
    let path = made.path(file);
    let (before, mut lines) = (fs::read_to_string(&path).unwrap(), lines(&path));
    change(&mut lines);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let found = made.audit(false).unwrap();
    fs::write(&path, before).unwrap();
    found.failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn anatomy_keeps_everything_but_who_has_what() {
    let made = make(&people(), &plan("anatomy", "require = [\"frequency-l(l=2)\"]")).unwrap();
    let (rows, values) = (lines(&made.path("release.csv")), lines(&made.path("release.sensitive.csv")));
    assert_eq!((rows[0].as_str(), values[0].as_str()), ("group,age,town", "group,disease,count"));
    let known = |lines: &[String]| {
        let mut known: Vec<String> =
            lines[1..].iter().map(|line| line.split(',').rev().take(2).collect::<Vec<_>>().join(",")).collect();
        known.sort();
        known
    };
    let original: Vec<String> = people().lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect();
    assert_eq!(known(&rows), known(&original), "age and town are as they were");
    let sum: u32 = values[1..].iter().map(|line| line.rsplit(',').next().unwrap().parse::<u32>().unwrap()).sum();
    assert_eq!(sum, 40);
}

#[test]
fn an_anatomy_that_was_tampered_with_is_found_out() {
    let made = make(&people(), &plan("anatomy", "require = [\"frequency-l(l=2)\"]")).unwrap();
    assert_eq!(tampered(&made, "release.csv", |_| {}), "");
    let more = tampered(&made, "release.sensitive.csv", |lines| *lines.last_mut().unwrap() += "0");
    assert!(more.contains("sensitive values"), "{more}");
    let swapped = tampered(&made, "release.sensitive.csv", |lines| lines.swap(1, 2));
    assert!(swapped.contains("out of order"), "{swapped}");
    let twice = tampered(&made, "release.sensitive.csv", |lines| lines.insert(2, lines[1].clone()));
    assert!(twice.contains("repeats"), "{twice}");
    let renumbered = tampered(&made, "release.csv", |lines| lines.swap(1, 40));
    assert!(renumbered.contains("comes before") || renumbered.is_empty(), "{renumbered}");
    let beside = tampered(&made, "release.csv", |lines| {
        lines[0] += ",disease";
        lines[1..].iter_mut().for_each(|line| *line += ",flu");
    });
    assert!(beside.contains("stands beside"), "{beside}");
    let word = tampered(&made, "release.csv", |lines| lines[1] = lines[1].replacen('1', "one", 1));
    assert!(word.contains("not whole"), "{word}");
    fs::remove_file(made.path("release.sensitive.csv")).unwrap();
    assert!(made.audit(false).unwrap_err().to_string().contains("release.sensitive.csv"));
}

#[test]
fn forms_that_would_protect_nobody_are_refused() {
    let refused = |form: &str, privacy: &str| {
        make(&people(), &plan(form, privacy)).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(refused("anatomy", "").contains("only a privacy model protects column `disease`"));
    let alike = "age,town,disease\n20,Ulm,flu\n20,Ulm,flu\n60,Kiel,cold\n60,Kiel,cold\n".to_owned();
    let mut weak = plan("anatomy", "require = [\"frequency-l(l=1)\"]");
    weak.privacy.k = 2;
    assert!(make(&alike, &weak).err().unwrap().to_string().contains("all records have the same value"));
    let taken = make(&people().replace("town", "group"), &{
        let mut plan = plan("anatomy", "require = [\"frequency-l(l=2)\"]");
        let town = plan.columns.shift_remove("town").unwrap();
        plan.columns.insert("group".to_owned(), town);
        plan
    });
    assert!(taken.err().unwrap().to_string().contains("rename the column"));
}

/// Publishes the people by generalization or centres, with ways to show age and town.
fn shown(form: &str, age: &str, town: &str) -> Made {
    let mut plan = plan(form, "");
    plan.columns["age"].show = Some(age.parse().unwrap());
    plan.columns["town"].show = Some(town.parse().unwrap());
    plan.method.order = RowOrder::Keep;
    make(&people(), &plan).unwrap()
}

/// The published rows by column name.
fn table(made: &Made) -> Vec<std::collections::HashMap<String, String>> {
    let lines = lines(&made.path("release.csv"));
    let cells = |line: &str| -> Vec<String> {
        csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(line.as_bytes())
            .records()
            .next()
            .unwrap()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect()
    };
    let header = cells(&lines[0]);
    lines[1..].iter().map(|line| header.iter().cloned().zip(cells(line)).collect()).collect()
}

#[test]
fn bounds_say_what_cells_say() {
    let (cells, bounds) =
        (table(&shown("generalization", "cell", "cell")), table(&shown("generalization", "bounds", "cell")));
    for (cell, bounds) in cells.iter().zip(&bounds) {
        let [lo, hi] = ["age_min", "age_max"].map(|end| bounds[end].clone());
        assert_eq!(cell["age"], if lo == hi { lo } else { format!("[{lo}-{hi}]") });
        assert_eq!(cell["town"], bounds["town"]);
    }
}

#[test]
fn centres_are_those_of_the_classes() {
    // Rows stay in their order, and rows with the same cells are a class.
    let cells = table(&shown("generalization", "cell", "cell"));
    let original: Vec<Vec<String>> =
        people().lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let looks = |row: usize| (&cells[row]["age"], &cells[row]["town"]);
    let class = |row: usize| (0..cells.len()).filter(|other| looks(*other) == looks(row)).collect::<Vec<_>>();
    for (form, show) in [("generalization", "middle"), ("generalization", "mean"), ("centres", "median")] {
        let release = table(&shown(form, show, "mode"));
        for (row, published) in release.iter().enumerate() {
            let mut ages: Vec<f64> = class(row).iter().map(|other| original[*other][0].parse().unwrap()).collect();
            ages.sort_by(f64::total_cmp);
            let expected = match show {
                "middle" => f64::midpoint(ages[0], ages[ages.len() - 1]),
                "mean" => ages.iter().sum::<f64>() / ages.len() as f64,
                _ => ages[(ages.len() - 1) / 2],
            };
            assert!((published["age"].parse::<f64>().unwrap() - expected).abs() < 1e-9);
            let times = |town: &str| class(row).iter().filter(|other| original[**other][1] == town).count();
            assert!(["Ulm", "Bonn", "Kiel"].iter().all(|town| times(town) <= times(&published["town"])));
        }
    }
}

#[test]
fn a_centre_that_was_tampered_with_is_found_out() {
    for (show, other) in [("mean", "20.125"), ("median", "17"), ("middle", "91"), ("mode", "19")] {
        let made = shown("centres", show, "mode");
        let path = made.path("release.csv");
        assert!(made.audit(true).unwrap().failures.is_empty());
        let mut lines = lines(&path);
        // All rows of the first class get another centre, so that k still holds.
        let old = lines[1].split(',').next().unwrap().to_owned();
        for line in lines.iter_mut().filter(|line| line.split(',').next() == Some(&old)) {
            *line = line.replacen(&old, other, 1);
        }
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let found = made.audit(true).unwrap();
        assert!(
            found.failures.iter().any(|f| f.to_string().contains("the centre is wrong in")),
            "{show}: {:?}",
            found.failures
        );
    }
}

#[test]
fn nested_cells_come_back_as_they_went() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("table.csv"), people().replace("27,Bonn", ",Bonn")).unwrap();
    let job = |output: &str, form: &str| {
        let mut plan = plan(form, "");
        plan.input.missing = vec![String::new()];
        Job::new(file("table.csv"), file(output), seeded(&plan))
    };
    let text = anonymize(&job("text.parquet", "generalization"), Progress::silent()).unwrap();
    let nested = anonymize(&job("nested.parquet", "generalization(cells=nested)"), Progress::silent()).unwrap();
    assert!((text.scores.loss["lm"] - nested.scores.loss["lm"]).abs() < 1e-12);
    let bytes = fs::File::open(file("nested.parquet")).unwrap();
    let schema =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap().schema().clone();
    assert!(matches!(schema.field(0).data_type(), arrow_schema::DataType::Struct(_)), "{schema:?}");
    assert!(matches!(schema.field(1).data_type(), arrow_schema::DataType::List(_)), "{schema:?}");
    let refused = anonymize(&job("nested.csv", "generalization(cells=nested)"), Progress::silent());
    assert!(refused.err().unwrap().to_string().contains("Parquet"));
}

#[test]
fn the_dictionary_describes_every_column_and_names_only_what_is_published() {
    let made = shown("generalization", "bounds", "cell");
    let text = fs::read_to_string(made.path("release.dictionary.json")).unwrap();
    let dictionary: serde_json::Value = serde_json::from_str(&text).unwrap();
    let columns = dictionary["files"][0]["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["age_min", "age_max", "town", "disease"]);
    assert!(columns.iter().all(|column| !column["about"].as_str().unwrap().is_empty()));
    assert_eq!(columns[3]["values"], serde_json::json!(["asthma", "cold", "flu", "gout"]));
    assert!(columns[2]["values"].is_null(), "towns are not listed beyond what the cells show");

    // A file of that name that somebody else wrote stays.
    fs::write(made.path("release.dictionary.json"), "mine").unwrap();
    let job = Job::new(made.path("table.csv"), made.path("release.csv"), made.plan.clone());
    let refused = anonymize(&job, Progress::silent()).err().unwrap();
    assert!(refused.to_string().contains("release.dictionary.json"), "{refused}");
    assert_eq!(fs::read_to_string(made.path("release.dictionary.json")).unwrap(), "mine");
}
