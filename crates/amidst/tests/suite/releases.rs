//! Whole runs, judged by the bytes they leave behind.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use amidst::Error;
use amidst::internals::partition;
use amidst::internals::registry::Spec;
use amidst::pipeline::{Job, anonymize};
use amidst::plan::{Plan, PlanOrigin, RowOrder, Seed};
use amidst::progress::Progress;
use amidst::report::Outcome;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use arrow_cast::display::array_value_to_string;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::hard;
use crate::naive::{Naive, classes};
use crate::pairs::all_cases;
use crate::tables::{Column, Sketch, Sort, seeded, texts};

/// A published table: its header and its rows.
pub struct Published {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Published {
    pub fn read(path: &Path) -> Self {
        let mut reader = csv::Reader::from_path(path).unwrap();
        let header = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows = reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect();
        Published { header, rows }
    }

    /// The quasi-identifiers of a row: all but the last column.
    pub fn quasi(&self, row: usize) -> &[String] {
        &self.rows[row][..self.header.len() - 1]
    }

    /// The size of the smallest class.
    pub fn smallest(&self) -> usize {
        let keys = (0..self.rows.len()).map(|row| self.quasi(row).iter().map(String::as_str).collect());
        classes(keys).values().map(Vec::len).min().unwrap_or(0)
    }
}

/// Publishes a sketch.
pub fn publish(sketch: &Sketch, mut plan: Plan) -> amidst::Result<(Outcome, Published)> {
    plan.method.seed.get_or_insert(Seed(0));
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("table.csv"), folder.path().join("release.csv"));
    fs::write(&input, sketch.csv()).unwrap();
    let outcome = anonymize(&Job::new(input, output.clone(), plan), Progress::silent())?;
    Ok((outcome, Published::read(&output)))
}

/// Checks a release in the order of the input.
fn check(sketch: &Sketch, k: usize, release: &Published) {
    let expected: Vec<&str> = sketch.columns.iter().map(|c| c.name.as_str()).chain(["note"]).collect();
    assert_eq!(release.header, expected, "identifiers go, everything else stays");
    assert_eq!(release.rows.len(), sketch.rows());
    assert!(release.smallest() >= k, "a class of {} rows", release.smallest());
    for row in 0..sketch.rows() {
        for (column, cell) in sketch.columns.iter().zip(release.quasi(row)) {
            let value = &column.cells[row];
            let naive = Naive { column, missing: sketch.missing };
            assert!(naive.covers(cell, value), "row {row}: `{cell}` does not cover `{value}`");
        }
        assert_eq!(release.rows[row].last(), Some(&format!("note {}", row % 3)));
    }
}

/// Sizes of groups by turns, so that all tables and all sizes are tried, and every pair of them with some partitioner; or all sizes.
fn sizes(partitioner: &str, table: usize) -> Vec<usize> {
    let sizes = [2, 3, 5, 10];
    let turn = table + partition::ALL.iter().position(|entry| entry.name == partitioner).unwrap();
    if all_cases() { sizes.to_vec() } else { vec![sizes[turn % sizes.len()]] }
}

fn anonymous_and_true(partitioner: &str) {
    for table in 0..hard::tables(2).len() {
        for k in sizes(partitioner, table) {
            let (name, sketch) = hard::tables(k).swap_remove(table);
            println!("k = {k}, on {name}");
            let mut plan: Plan = sketch.plan(k).parse().unwrap();
            plan.method.partitioner = Spec::new(partitioner);
            plan.method.order = RowOrder::Keep;
            let (outcome, release) = publish(&sketch, plan).unwrap();
            check(&sketch, k, &release);
            assert_eq!(outcome.audit.achieved.k, release.smallest());
        }
    }
}

tests!(of partitioners: releases_of_hard_tables_are_anonymous_and_true: anonymous_and_true);

#[test]
fn a_shuffled_release_holds_the_same_rows_in_another_order() {
    for (_, sketch) in hard::tables(5) {
        let mut plan: Plan = sketch.plan(5).parse().unwrap();
        let (_, shuffled) = publish(&sketch, plan.clone()).unwrap();
        plan.method.order = RowOrder::Keep;
        let (_, kept) = publish(&sketch, plan).unwrap();
        assert!(shuffled.smallest() >= 5);
        assert!(shuffled.rows != kept.rows || kept.rows.windows(2).all(|w| w[0] == w[1]));
        let sorted = |mut rows: Vec<Vec<String>>| {
            rows.sort();
            rows
        };
        assert_eq!(sorted(shuffled.rows), sorted(kept.rows));
    }
}

#[test]
fn a_release_can_be_made_again_from_the_plan_beside_it() {
    let (_, sketch) = hard::tables(3).pop().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("table.csv"), sketch.csv()).unwrap();
    let run = |plan: Plan, origin: &str, output: &str| {
        let plan = Plan { origin: PlanOrigin::File(file(origin)), ..plan };
        let job = Job::new(file("table.csv"), file(output), plan);
        anonymize(&job, Progress::silent()).unwrap();
        fs::read(file(output)).unwrap()
    };
    let first = run(sketch.plan(3).parse().unwrap(), "plan.toml", "first.csv");
    let stored = Plan::load(&file("first.plan.toml")).unwrap();
    assert!(run(stored, "first.plan.toml", "second.csv") == first);
}

fn write_parquet(path: &Path, batch: &RecordBatch) {
    let mut writer = ArrowWriter::try_new(fs::File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn nulls_are_published_as_empty_or_covered() {
    for (_, sketch) in hard::tables(3).into_iter().filter(|(_, s)| s.missing.is_empty()) {
        let folder = tempfile::tempdir().unwrap();
        let (input, output) = (folder.path().join("table.parquet"), folder.path().join("release.csv"));
        let column = |cells: &[String]| -> ArrayRef {
            Arc::new(cells.iter().map(|c| (!c.is_empty()).then_some(c.as_str())).collect::<StringArray>())
        };
        let notes: Vec<String> = (0..sketch.rows()).map(|row| format!("note {}", row % 3)).collect();
        let columns = sketch.columns.iter().map(|c| (c.name.as_str(), column(&c.cells)));
        let batch = RecordBatch::try_from_iter(columns.chain([("note", column(&notes))])).unwrap();
        write_parquet(&input, &batch);

        let mut plan: Plan = sketch.plan(3).parse().unwrap();
        plan.input.missing.clear();
        plan.columns.shift_remove("id");
        plan.method.order = RowOrder::Keep;
        anonymize(&Job::new(input, output.clone(), seeded(&plan)), Progress::silent()).unwrap();
        check(&sketch, 3, &Published::read(&output));
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_and_not_published_as_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("table.parquet"), folder.path().join("release.csv"));
    let publish = |bytes: [&[u8]; 4]| {
        let ages: ArrayRef = Arc::new(StringArray::from(vec!["1", "2", "3", "4"]));
        let bytes: ArrayRef = Arc::new(BinaryArray::from(bytes.to_vec()));
        write_parquet(&input, &RecordBatch::try_from_iter([("age", ages), ("scan", bytes)]).unwrap());
        let plan = "[privacy]\nk = 2\n[method]\norder = \"keep\"\n\
                    [columns]\nage = { role = \"quasi\", kind = \"range\" }\nscan = { role = \"other\" }\n";
        let job = Job::new(input.clone(), output.clone(), plan.parse().unwrap());
        anonymize(&job, Progress::silent()).map(|_| Published::read(&output)).map_err(|e| e.to_string())
    };
    let refusal = publish([b"a", b"\xff\xfe", b"c", b"d"]).err().unwrap();
    assert!(refusal.contains("`scan`") && refusal.contains("not text"), "{refusal}");
    assert!(!output.exists());
    let release = publish([b"a", b"b", b"c", b"d"]).unwrap();
    assert_eq!(release.rows.iter().map(|row| row[1].as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
}

#[test]
fn fewer_rows_than_k_are_refused_and_nothing_is_written() {
    let (_, sketch) = hard::tables(3).swap_remove(0);
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("table.csv"), folder.path().join("release.csv"));
    fs::write(&input, sketch.csv()).unwrap();
    let plan = sketch.plan(4).parse().unwrap();
    let job = Job::new(input, output, Plan { origin: PlanOrigin::Partial, ..plan });
    let refused = anonymize(&job, Progress::silent());
    assert!(matches!(refused, Err(Error::TooFewRows { rows: 3, k: 4 })));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Publishes a column `x` with k = 2 in the order of the input. `input` is a line of the plan.
fn published(cells: &[&str], input: &str, kind: &str) -> amidst::Result<Vec<String>> {
    let plan = format!(
        "[input]\n{input}\n[privacy]\nk = 2\n[method]\norder = \"keep\"\n[columns]\n\
         id = {{ role = \"identifier\" }}\nx = {{ role = \"quasi\", kind = {kind} }}\nnote = {{ role = \"other\" }}"
    );
    let column = Column { name: "x".to_owned(), sort: Sort::Set, weight: 1.0, cells: texts(cells) };
    let (_, release) = publish(&Sketch { columns: vec![column], missing: "" }, plan.parse().unwrap())?;
    Ok(release.rows.into_iter().map(|mut row| row.swap_remove(0)).collect())
}

#[test]
fn an_empty_cell_is_a_value_where_only_other_texts_mean_missing() {
    let ordered = "\"ordered\", order = [\"\", \"a\"]";
    for kind in ["\"set\"", "\"suppress\"", ordered] {
        for input in ["", "missing_only = true"] {
            assert_eq!(published(&["a", "", "", "a"], input, kind).unwrap(), ["a", "", "", "a"]);
        }
    }
    // A class of both shows which it is: a value has a place in the order, and a missing one has none.
    assert_eq!(published(&["a", ""], "missing_only = true", ordered).unwrap(), ["[ - a]"; 2]);
    assert_eq!(published(&["a", ""], "", ordered).unwrap(), ["*"; 2]);
}

#[test]
fn categories_keep_the_blanks_around_them() {
    let kind = "\"ordered\", order = [\" low\", \" mid\", \" high\", \" top\"]";
    let cells = published(&[" low", " mid", " high", " top"], "", kind).unwrap();
    assert_eq!(
        cells,
        ["[ low - mid]", "[ low - mid]", "[ high - top]", "[ high - top]"].map(|c| c.replace("- ", "-  "))
    );
}

#[test]
fn dates_with_a_time_of_day_are_ranges_of_times() {
    let kind = "\"range\", type = \"date\", format = \"%Y-%m-%d %H:%M\"";
    let cells = published(&["2020-02-01 10:00", "2020-01-31 12:30"], "", kind).unwrap();
    assert_eq!(cells, ["[2020-01-31 12:30 - 2020-02-01 10:00]"; 2]);
    // Where the format has no time, a time is refused.
    let refused =
        published(&["2020-01-31 12:30", "2020-02-01"], "", "\"range\", type = \"date\", format = \"%Y-%m-%d\"")
            .unwrap_err();
    assert!(refused.to_string().contains("`2020-01-31 12:30` is not a date of the form %Y-%m-%d"), "{refused}");
}

#[test]
fn numbers_that_cannot_be_compared_have_no_order() {
    let cells = ["nan", "1", "2", "3"];
    let refused = published(&cells, "missing_only = true", "\"ordered\"").unwrap_err().to_string();
    assert!(refused.contains("its order is not known"), "{refused}");
    // By the usual rule it is no number, but a missing one.
    assert_eq!(published(&cells, "", "\"ordered\"").unwrap(), ["*", "*", "[2 - 3]", "[2 - 3]"]);
}

#[test]
fn a_missing_value_hangs_where_the_hierarchy_has_it() {
    // `NA` and `?` both mean missing and stand below different nodes; only `?` occurs.
    let kind = "\"taxonomy\", hierarchy = { lines = \"a;g;*\\nNA;g;*\\nb;h;*\\n?;h;*\" }";
    assert_eq!(published(&["?", "b", "a", "a"], "missing = [\"NA\", \"?\"]", kind).unwrap(), ["h", "h", "a", "a"]);
}

#[test]
fn empty_texts_beside_nulls_are_nulls() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("table.parquet"), folder.path().join("release.csv"));
    let cells: ArrayRef = Arc::new(StringArray::from(vec![None, Some(""), Some("a"), Some("a"), Some("b"), Some("b")]));
    write_parquet(&input, &RecordBatch::try_from_iter([("x", cells)]).unwrap());
    let plan = "[privacy]\nk = 2\n[method]\norder = \"keep\"\n[columns]\nx = { role = \"quasi\", kind = \"suppress\" }";
    let job = Job::new(input, output.clone(), Plan { origin: PlanOrigin::Partial, ..plan.parse().unwrap() });
    anonymize(&job, Progress::silent()).unwrap();
    assert_eq!(Published::read(&output).rows.concat(), ["", "", "a", "a", "b", "b"]);
}

#[test]
fn every_file_format_holds_the_same_release() {
    let (_, sketch) = hard::tables(3).into_iter().find(|(_, s)| s.missing.is_empty()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("table.csv");
    fs::write(&input, sketch.csv()).unwrap();
    let release = |name: &str| {
        let output = folder.path().join(name);
        let plan = seeded(&sketch.plan(3).parse().unwrap());
        let job = Job::new(input.clone(), output.clone(), Plan { origin: PlanOrigin::Partial, ..plan });
        anonymize(&job, Progress::silent()).unwrap();
        fs::File::open(output).unwrap()
    };
    let rows = |csv: &mut dyn Read| {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv);
        reader.records().map(|r| texts(r.unwrap().iter())).collect::<Vec<_>>()
    };
    let plain = rows(&mut release("plain.csv"));
    assert_eq!(plain.len(), sketch.rows() + 1);
    assert_eq!(rows(&mut flate2::read::GzDecoder::new(release("packed.csv.gz"))), plain);
    assert_eq!(rows(&mut zstd::Decoder::new(release("packed.csv.zst")).unwrap()), plain);
    let mut from_parquet = vec![plain[0].clone()];
    for batch in ParquetRecordBatchReaderBuilder::try_new(release("columns.parquet")).unwrap().build().unwrap() {
        let batch = batch.unwrap();
        let cell = |column: &ArrayRef, row: usize| array_value_to_string(column, row).unwrap();
        let row = |row: usize| batch.columns().iter().map(|c| cell(c, row)).collect();
        from_parquet.extend((0..batch.num_rows()).map(row));
    }
    assert_eq!(from_parquet, plain);
}

fn hold_together(partitioner: &str) {
    // The value is rare where x = a: a cluster of ten may have it, all of them together may not.
    let mut csv = "x,y,s\n".to_owned();
    for i in 0..100 {
        csv += &format!("a,{},{}\n", i % 2, if i == 50 { "rare" } else { "usual" });
        csv += &format!("b,{},{}\n", i % 2, if i % 2 == 0 { "rare" } else { "usual" });
    }
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("table.csv");
    fs::write(&input, csv).unwrap();
    for form in ["generalization", "centres"] {
        for seed in 0..3 {
            let plan = format!(
                "[privacy]\nk = 10\nrequire = [\"delta-disclosure(delta=1.2)\"]\n\
                 [method]\nseed = {seed}\npublish = \"{form}\"\npartitioner = \"{partitioner}\"\n\
                 [columns]\nx = {{ role = \"quasi\", kind = \"set\" }}\ny = {{ role = \"quasi\", kind = \"set\" }}\n\
                 s = {{ role = \"sensitive\" }}\n"
            );
            let job = Job::new(input.clone(), folder.path().join("release.csv"), plan.parse().unwrap());
            anonymize(&job, Progress::silent()).unwrap_or_else(|e| panic!("{form}, {seed}: {e}"));
        }
    }
}

tests!(of partitioners: clusters_that_look_the_same_hold_together: hold_together);
