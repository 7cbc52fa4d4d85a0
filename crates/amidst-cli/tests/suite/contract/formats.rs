//! CSV, compressed CSV and Parquet, in and out, from files and streams.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Command;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::support::{Folder, PEOPLE, PEOPLE_RELEASED, ROLES, amidst};

const FORMATS: [&str; 4] = ["csv", "csv.gz", "csv.zst", "parquet"];

/// Columns as a Parquet file.
pub fn parquet(columns: &[(&str, ArrayRef)]) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns.iter().cloned()).unwrap();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

/// A column of a Parquet file in which all is text; `None` is null.
pub fn parquet_column(folder: &Folder, file: &str, column: &str) -> Vec<Option<String>> {
    let file = File::open(folder.path(file)).unwrap();
    let batches = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let columns = batches.map(|batch| batch.unwrap().column_by_name(column).unwrap().clone());
    columns.flat_map(|c| c.as_string::<i32>().iter().map(|t| t.map(str::to_owned)).collect::<Vec<_>>()).collect()
}

fn gzip(text: &str) -> Vec<u8> {
    let mut gz = GzEncoder::new(Vec::new(), Compression::default());
    gz.write_all(text.as_bytes()).unwrap();
    gz.finish().unwrap()
}

fn people(format: &str) -> Vec<u8> {
    let fields = |i: usize| PEOPLE.lines().skip(1).map(|line| line.split(',').nth(i).unwrap()).collect::<Vec<_>>();
    let texts = |i: usize| Arc::new(StringArray::from(fields(i))) as ArrayRef;
    match format {
        "csv" => PEOPLE.into(),
        "csv.gz" => gzip(PEOPLE),
        "csv.zst" => zstd::encode_all(PEOPLE.as_bytes(), 0).unwrap(),
        _ => {
            let ages = Int64Array::from_iter_values(fields(1).iter().map(|age| age.parse().unwrap()));
            parquet(&[("name", texts(0)), ("age", Arc::new(ages)), ("city", texts(2)), ("disease", texts(3))])
        }
    }
}

/// A release as CSV text, whatever its format.
fn decoded(folder: &Folder, file: &str) -> String {
    let bytes = folder.bytes(file);
    let mut text = String::new();
    match file.rsplit('.').next().unwrap() {
        "gz" => drop(MultiGzDecoder::new(bytes.as_slice()).read_to_string(&mut text).unwrap()),
        "zst" => text = String::from_utf8(zstd::decode_all(bytes.as_slice()).unwrap()).unwrap(),
        "parquet" => {
            let names = ["age", "city", "disease"];
            let columns = names.map(|name| parquet_column(folder, file, name));
            text = names.join(",") + "\n";
            for row in 0..columns[0].len() {
                text += &columns.each_ref().map(|c| c[row].clone().unwrap_or_default()).join(",");
                text += "\n";
            }
        }
        _ => text = String::from_utf8(bytes).unwrap(),
    }
    text
}

#[test]
fn every_format_in_gives_the_same_release_in_every_format_out() {
    let folder = Folder::new();
    for input in FORMATS {
        folder.write(&format!("people.{input}"), people(input));
        for output in FORMATS {
            let out = format!("out.{output}");
            folder.run(&format!("anonymize people.{input} -o {out} {ROLES} --k 2 --keep-order")).ok();
            assert_eq!(decoded(&folder, &out), PEOPLE_RELEASED, "{input} to {output}");
        }
    }
}

#[test]
fn every_format_out_can_be_audited() {
    let folder = Folder::with("people.csv", PEOPLE);
    for output in FORMATS {
        folder.run(&format!("anonymize people.csv -o out.{output} {ROLES} --k 2")).ok();
        folder.run(&format!("audit out.{output} --plan out.plan.toml --original people.csv")).ok();
    }
}

#[test]
fn standard_input_takes_every_format_and_standard_output_gets_nothing_but_the_release() {
    let folder = Folder::new();
    for input in FORMATS {
        let args = format!("anonymize - -o - {ROLES} --k 2 --keep-order");
        let (run, bytes) = folder.pipe(&args, people(input));
        let run = run.ok();
        assert_eq!(String::from_utf8(bytes).unwrap(), PEOPLE_RELEASED, "{input}");
        assert!(run.stderr.contains("privacy    k = 2 reached"), "{}", run.stderr);
    }
    assert_eq!(folder.names(), [""; 0], "a stream has no plan beside it");
}

#[test]
fn a_named_pipe_takes_every_format() {
    let folder = Folder::new();
    for input in FORMATS {
        folder.write("people", people(input));
        let script = format!("cat people > pipe & \"$0\" anonymize pipe -o out.csv {ROLES} --k 2 --keep-order -q");
        let script = format!("rm -f pipe && mkfifo pipe && {{ {script}; }}");
        let status = Command::new("sh").arg("-c").arg(script).arg(amidst()).current_dir(folder.path("")).status();
        assert!(status.unwrap().success(), "{input}");
        assert_eq!(folder.text("out.csv"), PEOPLE_RELEASED, "{input}");
    }
}

#[test]
fn a_release_from_standard_input_to_a_file() {
    let folder = Folder::new();
    let (run, _) = folder.pipe(&format!("anonymize - -o out.csv {ROLES} --k 2 --keep-order"), PEOPLE);
    run.ok();
    assert_eq!(folder.names(), ["out.csv", "out.dictionary.json", "out.manifest.json", "out.plan.toml"]);
    assert_eq!(folder.text("out.csv"), PEOPLE_RELEASED);
}

#[test]
fn a_release_is_audited_from_standard_input() {
    let (run, _) = Folder::new().pipe("audit - --quasi age,city --k 2 --json", PEOPLE_RELEASED);
    assert_eq!(run.ok().json()["achieved"]["k"], 2);
}

#[test]
fn the_content_says_what_a_file_is_not_its_name() {
    let folder = Folder::with("people.csv", people("csv.zst"));
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order")).ok();
    assert_eq!(folder.text("out.csv"), PEOPLE_RELEASED);
}

#[test]
fn a_gzip_of_several_members_is_read_to_its_end() {
    // As made by `cat a.gz b.gz`, or by parallel compressors.
    let (head, tail) = PEOPLE.split_at(PEOPLE.find("Eva").unwrap());
    let folder = Folder::with("people.csv.gz", [gzip(head), gzip(tail)].concat());
    folder.run(&format!("anonymize people.csv.gz -o out.csv {ROLES} --k 2 --keep-order")).ok();
    assert_eq!(folder.text("out.csv"), PEOPLE_RELEASED);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_are_no_part_of_the_values() {
    let folder = Folder::with("people.csv", format!("\u{feff}{}", PEOPLE.replace('\n', "\r\n")));
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order")).ok();
    assert_eq!(folder.text("out.csv"), PEOPLE_RELEASED);
}

#[test]
fn quoted_fields_keep_delimiters_quotes_and_line_breaks() {
    let text = "a,note\n1,\"x, y\"\n1,\"say \"\"hi\"\"\"\n2,\"two\nlines\"\n2,\n";
    let folder = Folder::with("in.csv", text);
    folder.run("anonymize in.csv -o out.csv --quasi a --k 2 --keep-order").ok();
    assert_eq!(folder.text("out.csv"), text);
}

#[test]
fn another_delimiter_and_blanks_around_fields() {
    let spaced = PEOPLE.replace(',', " ; ");
    let folder = Folder::with("people.csv", &spaced);
    folder.run(&format!("anonymize people.csv -o out.csv {ROLES} --k 2 --keep-order --delimiter ; --trim")).ok();
    assert_eq!(folder.text("out.csv"), PEOPLE_RELEASED.replace(',', ";"));
    folder.write("people.tsv", PEOPLE.replace(',', "\t"));
    folder.run(&format!("anonymize people.tsv -o out.tsv {ROLES} --k 2 --keep-order")).ok();
    assert_eq!(folder.text("out.tsv"), PEOPLE_RELEASED.replace(',', "\t"));
    folder.run("audit out.tsv --quasi age,city --k 2").ok();
    folder.write("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o other.tsv {ROLES} --k 2 --keep-order")).ok();
    assert_eq!(folder.text("other.tsv"), PEOPLE_RELEASED.replace(',', "\t"));
    folder.run("audit other.tsv --plan other.plan.toml --original people.csv").ok();
}
