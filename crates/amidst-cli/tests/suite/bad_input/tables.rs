//! Tables that are not as they should be.

use std::io::Write;

use flate2::write::GzEncoder;

use super::{refused, refused_args};
use crate::support::{Folder, PEOPLE, ROLES, many_rows};

/// The table as `in.csv`, with `a` as quasi-identifier and k = 2.
#[track_caller]
fn table_refused(table: impl AsRef<[u8]>, more: &str, message: &str) {
    refused(&Folder::with("in.csv", table), &format!("in.csv --quasi a --k 2 {more}"), 2, message);
}

#[test]
fn an_empty_file() {
    let message = "`in.csv` is empty; a table needs a header line with the column names and at least one row";
    table_refused("", "", message);
    table_refused("\n\n", "", message);
}

#[test]
fn a_header_without_rows() {
    table_refused("a,b\n", "", "`in.csv` has a header but no rows");
    table_refused("a,b", "", "`in.csv` has a header but no rows");
}

#[test]
fn a_file_that_is_not_there() {
    let message = "cannot read `nowhere.csv`: No such file or directory (os error 2)";
    refused(&Folder::new(), "nowhere.csv --quasi a --k 2", 2, message);
}

#[test]
fn a_row_with_too_few_or_too_many_fields() {
    table_refused(
        "a,b\n1,x\n2\n3,z\n",
        "",
        "`in.csv`, row 2 (line 3) has 1 fields where the header has 2; \
         quote fields that contain the delimiter, or repair the line",
    );
    // A line break inside quotes makes lines and rows differ.
    table_refused(
        "a,b\n1,\"x\ny\"\n2,u,v\n",
        "",
        "`in.csv`, row 2 (line 4) has 3 fields where the header has 2; \
         quote fields that contain the delimiter, or repair the line",
    );
}

#[test]
fn two_columns_of_one_name() {
    table_refused("a,b,a\n1,2,3\n", "", "`in.csv`: columns 1 and 3 are both named `a`; rename one of them");
}

#[test]
fn text_that_is_not_utf8() {
    let advice =
        "the text is not valid UTF-8; name the encoding of the file (--encoding windows-1252), or save it as UTF-8";
    let row = |column: &str| format!("`in.csv`, row 2 (line 3), column `{column}`: {advice}");
    table_refused(b"a,b\n1,x\nJos\xe9,y\n", "--encoding utf-8", &row("a"));
    // What it says about a sensitive column holds none of its text.
    table_refused(b"a,b\n1,x\n2,secret\xe9\n", "--sensitive b --encoding utf-8", &row("b"));
    table_refused(b"a,b\xe9\n1,x\n", "--encoding utf-8", &format!("`in.csv`, row 0 (line 1), column `2`: {advice}"));
}

#[test]
fn what_an_identifier_holds_does_not_matter() {
    let folder = Folder::with("in.csv", b"id,a\n\xe9,1\n*,1\n");
    folder.run("anonymize in.csv -o out.csv --quasi a --identifier id --k 2").ok();
    assert_eq!(folder.text("out.csv"), "a\n1\n1\n");
}

#[test]
fn fewer_rows_than_k() {
    let folder = Folder::with("people.csv", PEOPLE);
    let message = "the table has 8 rows, fewer than k = 9, so no class can have 9 records; lower k to 8 or less";
    refused(&folder, &format!("people.csv {ROLES} --k 9 -q"), 1, message);
}

#[test]
fn a_text_among_numbers() {
    table_refused(
        "a\n1\n2\nthree\n4\nfive\n",
        "--kind a=range",
        "`in.csv`, row 3, column `a`: `three` is not a number; \
         correct it, declare it missing (--missing 'three'), or give the column another kind",
    );
    table_refused(
        "a,b\n1,x\n,y\n",
        "--kind a=range --missing-only",
        "`in.csv`, row 2, column `a`: `` is not a number; \
         correct it, declare it missing (--missing ''), or give the column another kind",
    );
}

#[test]
fn a_star_that_is_a_value() {
    table_refused(
        "a\nx\n*\ny\n",
        "",
        "column `a`: the value `*` in row 2 stands for suppression; declare it missing (--missing '*')",
    );
}

#[test]
fn too_many_values_for_a_set() {
    let table: String = std::iter::once("a\n".to_owned()).chain((0..65).map(|i| format!("v{i}\n"))).collect();
    table_refused(
        &table,
        "--kind a=set",
        "column `a`: it has 65 values, and a set holds at most 64; \
         give it a hierarchy, an order, or the kind suppress",
    );
}

#[test]
fn categories_whose_order_nobody_knows() {
    // NaN passes for a number elsewhere, but nothing is below or above it. It is a value only if it does not mean missing.
    for (table, flags) in [("a\nlow\nhigh\n", ""), ("a\n1\n2\nNaN\n", " --missing-only")] {
        table_refused(
            table,
            &format!("--kind a=ordered{flags}"),
            "column `a`: its order is not known; list its values from low to high \
             (--order 'a=low,…,high', or order = [\"low\", …, \"high\"] in the plan)",
        );
    }
    table_refused(
        "a\nlow\nhihg\n",
        "--order a=low,high",
        "`in.csv`, row 2, column `a`: `hihg` is not in the order of the column (there is `high`); \
         correct it, declare it missing (--missing 'hihg'), or give the column another kind",
    );
}

#[test]
fn another_delimiter_than_was_said() {
    table_refused(
        "a;b\n1;2\n",
        "--delimiter ,",
        "there is no column `a` in `in.csv`, only one column named `a;b`, so the delimiter seems to be ';'; \
         name it (--delimiter ';')",
    );
}

#[test]
fn a_truncated_gzip() {
    let mut gz = GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(many_rows(1000).as_bytes()).unwrap();
    let bytes = gz.finish().unwrap();
    let folder = Folder::with("in.csv.gz", &bytes[..bytes.len() / 2]);
    refused(&folder, "in.csv.gz --quasi age --k 2", 2, "cannot read `in.csv.gz`: incomplete deflate stream");
}

#[test]
fn a_truncated_zstd() {
    let bytes = zstd::encode_all(many_rows(1000).as_bytes(), 0).unwrap();
    let folder = Folder::with("in.csv.zst", &bytes[..bytes.len() / 2]);
    refused(&folder, "in.csv.zst --quasi age --k 2", 2, "cannot read `in.csv.zst`: incomplete frame");
}

#[test]
fn a_corrupt_parquet() {
    let folder = Folder::with("people.csv", PEOPLE);
    folder.run(&format!("anonymize people.csv -o whole.parquet {ROLES} --k 2 -q")).ok();
    let whole = folder.bytes("whole.parquet");
    folder.write("half.parquet", &whole[..whole.len() / 2]);
    let message = "`half.parquet` is damaged or not valid Parquet (Parquet error: Invalid Parquet file. Corrupt footer); \
                   write it again";
    refused(&folder, "half.parquet --quasi age --k 2", 2, message);
    // Intact at both ends but not in between: whatever the message is, it names the file.
    let mut broken = whole.clone();
    broken[8..40].fill(0xff);
    folder.write("broken.parquet", broken);
    let run = folder.run("anonymize broken.parquet -o out.csv --quasi age --k 2");
    assert_eq!(run.code, 2);
    assert!(run.stderr.starts_with("error: `broken.parquet` is damaged"), "{}", run.stderr);
}

#[test]
fn a_folder_is_no_table() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("in")).unwrap();
    refused_args(&folder, &["in", "--quasi", "a", "--k", "2"], 2, "cannot read `in`: Is a directory (os error 21)");
}
