//! Files that ended the process by a panic, or were read as if they were text.

use super::{PATIENTS, patients, refused};
use crate::support::Folder;

/// The next of Knuth's MMIX random numbers, below a bound.
fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below
}

#[test]
fn damaged_parquet_does_not_panic() {
    let folder = Folder::with("in.csv", patients(300, |row| format!("disease {}", row % 7)));
    folder.run(&format!("anonymize in.csv -o whole.parquet {PATIENTS} -q")).ok();
    let whole = folder.bytes("whole.parquet");
    let mut state = 1;
    let mut refused = 0;
    for _ in 0..150 {
        let mut bytes = whole.clone();
        // The first four bytes say that it is Parquet at all.
        (0..2).for_each(|_| bytes[4 + random(&mut state, whole.len() - 4)] = random(&mut state, 256) as u8);
        folder.write("broken.parquet", bytes);
        let run = folder.run("audit broken.parquet --quasi age,sex -q");
        assert!(!run.stderr.contains("panicked"), "{}", run.stderr);
        assert!([0, 2].contains(&run.code), "{} {}", run.code, run.stderr);
        refused += i32::from(run.stderr.contains("is damaged or not valid Parquet"));
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn a_file_in_utf_16() {
    let message = "`in.csv` looks like UTF-16 and is read as UTF-8; \
                   name the encoding of the file (--encoding utf-16le), or save it as UTF-8";
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    for text in ["\u{feff}a,b\n1,2\n1,2\n", "a,b\n1,2\n1,2\n"] {
        let little: Vec<u8> = units(text).iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units(text).iter().flat_map(|unit| unit.to_be_bytes()).collect();
        refused(&Folder::with("in.csv", little), "--quasi a --k 2 --encoding utf-8", message);
        refused(&Folder::with("in.csv", big), "--quasi a --k 2 --encoding utf-8", message);
    }
}

#[test]
fn a_byte_of_zero() {
    let problem = "the text contains a zero byte (NUL); repair the file";
    let message = format!("`in.csv`, row 2 (line 3), column `b`: {problem}");
    refused(&Folder::with("in.csv", "a,b\n1,2\n1,HIV\0x\n"), "--quasi a --sensitive b --k 2", &message);
    let message = format!("`in.csv`, row 0 (line 1), column `2`: {problem}");
    refused(&Folder::with("in.csv", "a,b\0\n1,2\n1,2\n"), "--quasi a --k 2", &message);
}

#[test]
fn a_delimiter_that_is_none() {
    let run = Folder::with("in.csv", "a,b\n1,2\n").run_args(&[
        "anonymize",
        "in.csv",
        "-o",
        "out.csv",
        "--quasi",
        "a",
        "--k",
        "2",
        "--delimiter",
        "\"",
    ]);
    assert!(run.stderr.contains("but no quote and no line break"), "{}", run.stderr);
}
