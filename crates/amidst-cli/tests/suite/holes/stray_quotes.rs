//! A stray quote made one field of many rows, and the release had them in it as they were.

use std::io::Write;

use flate2::write::GzEncoder;

use super::{PATIENTS, patients, refused, said};
use crate::support::Folder;

const OPEN: &str = "a quote opens the field and is not closed; remove the quote, or close it after the text";
const BEHIND: &str = "there is text after the closing quote of a field; double the quotes that belong to the text (\"\"), \
                      or repair the line";
const SWALLOWED: &str = "a quoted field has several lines, each of which looks like a row; remove the quotes around it (a \
                         single quote is not a ditto mark), or, if it is one text, its line breaks";

/// A table of 200 patients whose diseases in these rows, counted from 1, are something else.
fn with(strange: &[(usize, &str)]) -> String {
    patients(200, |row| {
        let strange = strange.iter().find(|(place, _)| *place == row + 1);
        strange.map_or_else(|| format!("d{}", row % 4), |(_, text)| (*text).to_owned())
    })
}

#[test]
fn an_open_quote_swallows_the_rest_of_the_file() {
    // The header is line 1, so row 101 is line 102.
    let message = format!("`in.csv`, row 101 (line 102), column `disease`: {OPEN}");
    refused(&Folder::with("in.csv", with(&[(101, "\"flu")])), PATIENTS, &message);
    refused(&Folder::with("in.csv", format!("\u{feff}{}", with(&[(101, "\"flu")]))), PATIENTS, &message);
    refused(&Folder::with("in.csv", with(&[(101, "\"flu")]).replace('\n', "\r\n")), PATIENTS, &message);
    refused(&Folder::with("in.csv", with(&[(101, "\"")])), PATIENTS, &message);
    // The last row is row 200.
    let message = format!("`in.csv`, row 200 (line 201), column `disease`: {OPEN}");
    refused(&Folder::with("in.csv", with(&[(200, "\"flu")])), PATIENTS, &message);
    refused(&Folder::with("in.csv", with(&[(200, "\"")]).trim_end()), PATIENTS, &message);
    let tabs = with(&[(200, "\"flu")]).replace(',', "\t");
    refused(&Folder::with("in.csv", tabs), &format!("{PATIENTS} --delimiter tab --trim"), &message);
}

#[test]
fn an_open_quote_in_a_compressed_file() {
    let mut gz = GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(with(&[(7, "\"flu")]).as_bytes()).unwrap();
    let message = format!("`in.csv`, row 7 (line 8), column `disease`: {OPEN}");
    refused(&Folder::with("in.csv", gz.finish().unwrap()), PATIENTS, &message);
    let zstd = zstd::encode_all(with(&[(7, "\"flu")]).as_bytes(), 0).unwrap();
    refused(&Folder::with("in.csv", zstd), PATIENTS, &message);
}

#[test]
fn an_open_quote_in_the_header() {
    let message = format!("`in.csv`, row 0 (line 1), column `2`: {OPEN}");
    refused(&Folder::with("in.csv", "a,\"b\n1,2\n"), "--quasi a --k 2", &message);
}

#[test]
fn text_behind_a_closing_quote() {
    let message = |row| format!("`in.csv`, row {row} (line {}), column `disease`: {BEHIND}", row + 1);
    refused(&Folder::with("in.csv", with(&[(3, "\"flu\"x")])), PATIENTS, &message(3));
    refused(&Folder::with("in.csv", with(&[(3, "\"5\" pipe\"")])), PATIENTS, &message(3));
    // Line breaks in a field before it: row 3 begins in line 5.
    let text = with(&[(2, "\"a\nb\""), (3, "\"flu\" ")]);
    let blank = format!("`in.csv`, row 3 (line 5), column `disease`: {BEHIND}");
    refused(&Folder::with("in.csv", &text), PATIENTS, &blank);
    // Blanks are dropped where that was asked for.
    let folder = Folder::with("in.csv", text);
    folder.run(&format!("anonymize in.csv -o out.csv {PATIENTS} --trim -q")).ok();
    refused(&Folder::with("in.csv", with(&[(3, "\"flu\" x")])), &format!("{PATIENTS} --trim"), &message(3));
}

#[test]
fn ditto_marks_swallow_the_rows_between_them() {
    let message = |row| format!("`in.csv`, row {row} (line {}), column `disease`: {SWALLOWED}", row + 1);
    for trim in ["", "--trim"] {
        let args = format!("{PATIENTS} {trim}");
        refused(&Folder::with("in.csv", with(&[(10, "\""), (11, "\"")])), &args, &message(10));
        refused(&Folder::with("in.csv", with(&[(10, "\""), (90, "\"")])), &args, &message(10));
        // A quote that opens row 10's disease and one that ends row 90's.
        refused(&Folder::with("in.csv", with(&[(10, "\"flu"), (90, "5\"")])), &args, &message(10));
    }
    // In the first column, and in one in the middle.
    let first = "a,b,c\n1,2,3\n\",2,3\n\",2,3\n1,2,3\n";
    refused(
        &Folder::with("in.csv", first),
        "--quasi b --k 2",
        &format!("`in.csv`, row 2 (line 3), column `a`: {SWALLOWED}"),
    );
    let middle = "a,b,c\n1,2,3\n1,\",3\n1,\",3\n1,2,3\n";
    refused(
        &Folder::with("in.csv", middle),
        "--quasi a --k 2",
        &format!("`in.csv`, row 2 (line 3), column `b`: {SWALLOWED}"),
    );
}

#[test]
fn an_address_of_two_lines_is_no_row() {
    // Both lines have as many commas as a row, but prose has blanks behind them.
    let folder = Folder::with("in.csv", "a,b\n1,\"12 Main St\nSpringfield, IL\"\n1,x\n");
    folder.run("anonymize in.csv -o out.csv --quasi a --k 2 -q").ok();
    // Where all fields have them, they say nothing.
    let message = format!("`in.csv`, row 1 (line 2), column `a`: {SWALLOWED}");
    refused(&Folder::with("in.csv", "a,b\n\", 2\n\", 3\n1, 4\n1, 5\n"), "--quasi a --k 2", &message);
}

#[test]
fn quotes_that_are_as_they_should_be() {
    let text = with(&[(1, "5\" pipe"), (2, "\"a \"\"b\"\"\""), (3, "\"a, b\""), (4, "x\""), (5, "\"\"")]);
    let folder = Folder::with("in.csv", text);
    folder.run(&format!("anonymize in.csv -o out.csv {PATIENTS} --keep-order -q")).ok();
    let release = folder.text("out.csv");
    let diseases: Vec<&str> = release.lines().skip(1).take(5).map(|l| l.splitn(3, ',').nth(2).unwrap()).collect();
    assert_eq!(diseases, ["\"5\"\" pipe\"", "\"a \"\"b\"\"\"", "\"a, b\"", "\"x\"\"\"", ""]);
}

#[test]
fn line_breaks_in_published_fields_are_said() {
    let folder = Folder::with("in.csv", with(&[(1, "\"one\ntwo\""), (9, "\"one\r\ntwo, three\""), (10, "\"a\n\nb\"")]));
    let run = folder.run(&format!("anonymize in.csv -o out.csv {PATIENTS} --report r.txt --report r.html")).ok();
    let remark = "column `disease`: 3 published rows hold line breaks in a field";
    assert!(said(&run).contains(remark), "{}", run.stdout);
    assert!(folder.text("r.txt").split_whitespace().collect::<Vec<_>>().join(" ").contains(remark));
    assert!(folder.text("r.html").contains("3 published rows hold line breaks"));
    let folder = Folder::with("in.csv", with(&[]));
    let run = folder.run(&format!("anonymize in.csv -o out.csv {PATIENTS}")).ok();
    assert!(!run.stdout.contains("line breaks"), "{}", run.stdout);
}

#[test]
fn a_stray_quote_in_a_hierarchy() {
    let folder = Folder::with("in.csv", with(&[]));
    folder.write("tree.csv", "0;x;*\n1;\"x;*\n");
    let args = format!("{PATIENTS} --hierarchy sex=tree.csv");
    refused(&folder, &args, &format!("hierarchy `tree.csv`, line 2: {OPEN}"));
    folder.write("tree.csv", "0;\"x\"y;*\n1;x;*\n");
    refused(&folder, &args, &format!("hierarchy `tree.csv`, line 1: {BEHIND}"));
    folder.write("tree.csv", "0;\"x\" ;*\n1;\"x\"; *\n");
    folder.run(&format!("anonymize in.csv -o out.csv {args} -q")).ok();
}
