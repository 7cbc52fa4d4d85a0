//! One test for every hole that a hostile trial found, named after it. Each of them failed before its hole was closed.

mod damaged_files;
mod default_seed;
mod foreign_columns;
mod limits;
mod mixed_release;
mod odd_targets;
mod overwriting;
mod readable_leftovers;
mod recipients;
mod spellings;
mod stray_quotes;
mod streams;
mod suppressed_records;
mod widths;

use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Folder, Run};

/// What lasts longer does not end by itself, even on a machine that has other things to do.
const LONG: Duration = Duration::from_mins(10);

/// A table of people with names, which nobody may read in a release.
fn patients(rows: usize, disease: impl Fn(usize) -> String) -> String {
    let mut text = "name,age,sex,disease\n".to_owned();
    (0..rows).for_each(|row| text += &format!("Patient{row},{},{},{}\n", 20 + row % 10, row % 2, disease(row)));
    text
}

const PATIENTS: &str = "--quasi age,sex --identifier name --sensitive disease --k 5";

/// Runs `anonymize in.csv -o out.csv …`, which must refuse the table with this message and publish nothing.
#[track_caller]
fn refused(folder: &Folder, args: &str, message: &str) {
    let run = folder.run(&format!("anonymize in.csv -o out.csv {args} -q"));
    assert_eq!(run.stderr.trim_end(), format!("error: {message}"));
    assert_eq!(run.code, 2);
    assert!(!folder.path("out.csv").exists());
}

/// What a run says about a table, for a reader; without the runs of blanks that make it a column.
fn said(run: &Run) -> String {
    run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Waits for amidst to end; it must do so by itself.
#[track_caller]
fn ended(mut child: Child) -> (Option<i32>, String) {
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > LONG {
            child.kill().unwrap();
            panic!("amidst does not end");
        }
        sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}
