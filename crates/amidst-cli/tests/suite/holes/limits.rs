//! Input that took time without end, or memory without end.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

use flate2::write::GzEncoder;

use super::refused;
use crate::support::{Folder, amidst};

/// Runs amidst, which must end well within a minute of processor time; how long that lasts depends on what else the machine does.
#[track_caller]
fn soon(folder: &Folder, args: &str) {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t 60; exec \"$0\" \"$@\""]).arg(amidst()).args(args.split(' '));
    let output = command.current_dir(folder.path("")).env("TMPDIR", folder.path("")).output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""), "{args}");
}

#[test]
fn a_hundred_thousand_columns() {
    let line = |field: &dyn Fn(usize) -> String| (0..100_000).map(field).collect::<Vec<_>>().join(",");
    let mut table = line(&|column| format!("c{column}"));
    (0..4).for_each(|row| write!(table, "\n{}", line(&|column| ((column + row / 2) % 3).to_string())).unwrap());
    let folder = Folder::with("in.csv", table);
    soon(&folder, "anonymize in.csv -o out.csv --quasi c0,c1 --sensitive c2 --identifier c3 --k 2 -q");
    soon(&folder, "audit out.csv --plan out.plan.toml --original in.csv -q");
    soon(&folder, "risk in.csv --quasi c0,c1 -q");
    soon(&folder, "init in.csv");
}

#[test]
fn a_hundred_columns_that_no_plan_names() {
    let line = |field: &dyn Fn(usize) -> String| (0..100).map(field).collect::<Vec<_>>().join(",");
    let table = format!("{}\n{}\n", line(&|column| format!("c{column}")), line(&|_| "1".to_owned()));
    let folder = Folder::with("in.csv", table);
    folder.write("plan.toml", "[privacy]\nk = 2\n[columns]\nc0 = { role = \"quasi\", kind = \"set\" }\n");
    let run = folder.run("anonymize in.csv -o out.csv --plan plan.toml -q");
    // Twenty of the 99 are shown.
    assert!(run.stderr.contains("`c20` and 79 more of `in.csv`"), "{}", run.stderr);
}

#[test]
fn an_order_of_a_hundred_thousand_values() {
    let mut table = "a,b\n".to_owned();
    (0..100_000).for_each(|row| writeln!(table, "v{row},w{row}").unwrap());
    let folder = Folder::with("in.csv", table);
    let order = |name: &str| (0..100_000).map(|value| format!("\"{name}{value}\"")).collect::<Vec<_>>().join(",");
    let quasi = format!("a = {{ role = \"quasi\", kind = \"ordered\", order = [{}] }}", order("v"));
    let sensitive = format!("b = {{ role = \"sensitive\", order = [{}] }}", order("w"));
    let head = "[privacy]\nk = 2\n[method]\npartitioner = \"mondrian\"\n[columns]";
    folder.write("plan.toml", format!("{head}\n{quasi}\n{sensitive}\n"));
    soon(&folder, "anonymize in.csv -o out.csv --plan plan.toml -q");
}

#[test]
fn a_mask_of_more_characters_than_there_are() {
    let run = Folder::with("in.csv", "a\n10\n11\n")
        .run("anonymize in.csv -o out.csv --quasi a --k 2 --hierarchy a=mask:18446744073709551615");
    assert!(run.stderr.contains("`18446744073709551615` is not a number, or too large"), "{}", run.stderr);
    assert_eq!(run.code, 2);
    let folder = Folder::with("in.csv", "a\n10\n11\n");
    folder.run("anonymize in.csv -o out.csv --quasi a --k 2 --hierarchy a=mask:1,4294967295 -q").ok();
    assert_eq!(folder.text("out.csv"), "a\n1*\n1*\n");
    folder.run("anonymize in.csv -o again.csv --plan out.plan.toml -q").ok();
}

#[test]
fn a_hundred_thousand_threads() {
    let run = Folder::with("in.csv", "a\n1\n1\n").run("anonymize in.csv -o out.csv --quasi a --k 2 --threads 100000");
    assert!(run.stderr.starts_with("error: --threads can be 1024 at most"), "{}", run.stderr);
    assert_eq!(run.code, 2);
}

#[test]
fn a_small_file_that_becomes_a_large_one() {
    // 30 million rows of two columns, four bytes a cell: 240 MB, of which a run holds three times as much.
    let mut gz = GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(b"a,b\n").unwrap();
    let rows = "1,2\n".repeat(100_000);
    (0..300).for_each(|_| gz.write_all(rows.as_bytes()).unwrap());
    let bytes = gz.finish().unwrap();
    assert!(bytes.len() < 1 << 20);
    let folder = Folder::with("in.csv", bytes);
    let run = folder.run("anonymize in.csv -o out.csv --quasi a --k 2 -q --memory 64MiB");
    assert!(run.stderr.starts_with("error: `in.csv` is too large: its first "), "{}", run.stderr);
    let advice = "and the limit is 64.0 MiB; raise the limit (--memory), \
         leave columns out (--identifier, or role = \"identifier\" in the plan), or split the table\n";
    assert!(run.stderr.ends_with(advice), "{}", run.stderr);
    assert_eq!(run.code, 2);
}

#[test]
fn the_limit_counts_what_is_read_and_not_the_file() {
    // One text of 60 KB in 1,000 rows is 60 MB of file and 64 KB of memory.
    let text = "x".repeat(60_000);
    let mut table = "a,b\n".to_owned();
    (0..1_000).for_each(|_| table += &format!("1,{text}\n"));
    let folder = Folder::with("in.csv", table);
    folder.run("anonymize in.csv -o out.parquet --quasi a --k 2 -q --memory 2MiB").ok();
}

#[test]
fn a_parquet_stream_over_the_limit() {
    let mut table = "a,b\n".to_owned();
    (0..20_000).for_each(|row| writeln!(table, "1,{row}").unwrap());
    let folder = Folder::with("in.csv", table);
    folder.run("anonymize in.csv -o in.parquet --quasi a --publish-as-is b --k 2 -q").ok();
    let (run, _) = folder.pipe("audit - --quasi a --memory 100KB", folder.bytes("in.parquet"));
    assert!(run.stderr.contains("and the limit is 97.7 KiB"), "{}", run.stderr);
    let run = folder.run("audit in.parquet --quasi a --memory 100KB");
    assert!(run.stderr.contains("and the limit is 97.7 KiB"), "{}", run.stderr);
}

#[test]
fn a_size_that_is_none() {
    let run = Folder::with("in.csv", "a\n1\n1\n").run("anonymize in.csv -o out.csv --quasi a --k 2 --memory lots");
    assert!(
        run.stderr.contains("`lots` is not a size; write a number and a unit, such as 8GB or 512MiB"),
        "{}",
        run.stderr
    );
}

#[test]
fn one_field_of_a_large_file() {
    // A quote opens in row 2 and is never closed; 40 MB follow.
    let mut table = "a,b\n1,2\n1,\"".to_owned();
    table += &"some text that goes on and on\n".repeat(1_400_000);
    let problem = "the field is longer than 16 MiB; close the quote that opens it, or leave the column out of the file";
    let folder = Folder::with("in.csv", table);
    let run = folder.run("anonymize in.csv -o out.csv --quasi a --k 2 -q");
    assert!(run.stderr.starts_with("error: `in.csv`, row 2 (line "), "{}", run.stderr);
    assert!(run.stderr.ends_with(&format!("column `b`: {problem}\n")), "{}", run.stderr);
    // Without quotes: the header alone has no end.
    let folder = Folder::with("in.csv", "x".repeat(20 << 20));
    refused(&folder, "--quasi a --k 2", &format!("`in.csv`, row 0 (line 1), column `1`: {problem}"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_device_that_never_ends() {
    let folder = Folder::with("in.csv", "a\n1\n1\n");
    let run = folder.run("anonymize /dev/zero -o out.csv --quasi a --k 2 -q");
    assert!(run.stderr.contains("the field is longer than 16 MiB"), "{}", run.stderr);
    let run = folder.run("anonymize in.csv -o out.csv --plan /dev/zero -q");
    assert_eq!(run.stderr, "error: `/dev/zero` is not a valid plan: it has more than 256 MiB of text\n");
}
