//! Every mistake is named so that the reader knows what to do, and leaves everything as it was.

mod arguments;
mod hierarchies;
mod persons;
mod plans;
mod privacy;
mod replaced;
mod tables;

use crate::support::Folder;

/// Runs `anonymize … -o out.csv`, which must fail with exactly this message and touch nothing.
#[track_caller]
fn refused(folder: &Folder, args: &str, code: i32, message: &str) {
    refused_args(folder, &args.split_whitespace().collect::<Vec<_>>(), code, message);
}

/// The same with arguments that contain blanks.
#[track_caller]
fn refused_args(folder: &Folder, args: &[&str], code: i32, message: &str) {
    folder.write("out.csv", "an older release");
    let before = folder.names();
    let run = folder.run_args(&[&["anonymize", "-o", "out.csv"], args].concat());
    // Nothing gives away whether tables as small as these have a header, and `evening::odd_files` is about the note that says so.
    let lines = run.stderr.split_inclusive('\n').filter(|line| !line.starts_with("note: the first row of"));
    assert_eq!(lines.collect::<String>().trim_end(), format!("error: {message}"));
    assert_eq!(run.code, code);
    assert_eq!(run.stdout, "");
    assert_eq!(folder.text("out.csv"), "an older release");
    assert_eq!(folder.names(), before);
}
