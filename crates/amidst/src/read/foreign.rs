//! Files that are no table that can be read, by their first bytes. Whoever gave such a file should hear what it is.
//!
//! The name of a file does not matter: people rename workbooks to `.csv`. The bytes are those that the formats define.

use memchr::memmem;

/// How far into an archive its contents are looked for, in bytes.
const ARCHIVE_BYTES: usize = 1 << 16;

const AS_CSV: &str = "save the table as CSV, for example in a spreadsheet program";
const SHEET: &str = "save the sheet as CSV (in Excel: Save As, CSV UTF-8)";
const EXPORT: &str = "export the table as CSV or Parquet";
const UNPACK: &str = "unpack it and give the table inside, or compress it with gzip or zstd";

/// First bytes, what they are the beginning of, and what to do.
const STARTS: &[(&[u8], &str, &str)] = &[
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel workbook (.xls) or another old Office document", SHEET),
    (b"SQLite format 3\0", "a SQLite database", EXPORT),
    (b"%PDF-", "a PDF document", "ask whoever made it for the table as CSV"),
    (b"ARROW1\0", "an Arrow or Feather file", EXPORT),
    (b"FEA1", "a Feather file", EXPORT),
    (b"Obj\x01", "an Avro file", EXPORT),
    (b"\x89HDF\r\n", "an HDF5 file", EXPORT),
    (b"$FL2@(#)", "an SPSS file (.sav)", EXPORT),
    (b"$FL3@(#)", "an SPSS file (.zsav)", EXPORT),
    (b"<stata_dta>", "a Stata file (.dta)", EXPORT),
    (b"HEADER RECORD*******", "a SAS transport file (.xpt)", EXPORT),
    (b"RDX2\n", "an R data file", EXPORT),
    (b"RDX3\n", "an R data file", EXPORT),
    (b"\x80\x03", "a Python pickle", EXPORT),
    (b"\x80\x04\x95", "a Python pickle", EXPORT),
    (b"\x80\x05\x95", "a Python pickle", EXPORT),
    (b"BZh91AY&SY", "compressed with bzip2", UNPACK),
    (b"\xfd7zXZ\0", "compressed with xz", UNPACK),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", UNPACK),
    (b"Rar!\x1a\x07", "a RAR archive", UNPACK),
];

/// The beginning of SAS tables.
const SAS: &[u8] = b"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60";

/// What the file is that begins so, and what to do about it; `None` if it can be a table of text.
pub(super) fn recognized(start: &[u8]) -> Option<(&'static str, &'static str)> {
    if start.starts_with(b"PK\x03\x04") {
        return Some(archive(&start[..start.len().min(ARCHIVE_BYTES)]));
    }
    if start.starts_with(SAS) {
        return Some(("a SAS table (.sas7bdat)", EXPORT));
    }
    // Three letters alone can begin the name of a column.
    if start.starts_with(b"ORC") && start.iter().take(16).any(|byte| *byte < b'\t' || !byte.is_ascii()) {
        return Some(("an ORC file", EXPORT));
    }
    if start.get(257..262) == Some(b"ustar") {
        return Some(("a tar archive", UNPACK));
    }
    let known = STARTS.iter().find(|(bytes, ..)| start.starts_with(bytes)).map(|(_, what, advice)| (*what, *advice));
    known.or_else(|| text(start))
}

/// What a ZIP archive holds.
fn archive(start: &[u8]) -> (&'static str, &'static str) {
    let holds = |name: &[u8]| memmem::find(start, name).is_some();
    match () {
        () if holds(b"application/vnd.oasis.opendocument.spreadsheet") => ("an OpenDocument spreadsheet (.ods)", SHEET),
        () if holds(b"xl/") => ("an Excel workbook (.xlsx)", SHEET),
        () if holds(b"[Content_Types].xml") => ("an Office document", AS_CSV),
        () => ("a ZIP archive", UNPACK),
    }
}

/// Text that is no table.
fn text(start: &[u8]) -> Option<(&'static str, &'static str)> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins = |tag: &str| start.get(..tag.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(tag.as_bytes()));
    if ["<!doctype html", "<html", "<table", "<head"].into_iter().any(begins) {
        return Some(("an HTML page", AS_CSV));
    }
    if begins("<?xml") {
        return Some(("an XML document", EXPORT));
    }
    // A quote behind the brace is no CSV either: a field that has quotes begins with one.
    let inside = |bracket: &[u8]| start.strip_prefix(bracket).map(<[u8]>::trim_ascii_start);
    let object = inside(b"{").is_some_and(|rest| rest.starts_with(b"\"") || rest.starts_with(b"}"));
    let list = inside(b"[").is_some_and(|rest| rest.starts_with(b"{") || rest.starts_with(b"["));
    (object || list).then_some(("JSON", EXPORT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(start: &[u8]) -> Option<&'static str> {
        recognized(start).map(|(what, _)| what)
    }

    #[test]
    fn tables_are_tables() {
        for start in [
            "name,age\n",
            "{id},age\n",
            "[id],age\n",
            "<5,>5\n",
            "PK,age\n",
            "ORCID\n",
            "\"{\"\"a\"\"}\"\n",
            "",
            "BZ\n",
        ] {
            assert_eq!(what(start.as_bytes()), None, "{start}");
        }
    }

    #[test]
    fn other_files_are_named() {
        assert_eq!(what(b"PK\x03\x04....xl/workbook.xml"), Some("an Excel workbook (.xlsx)"));
        assert_eq!(what(b"PK\x03\x04....notes.txt"), Some("a ZIP archive"));
        assert_eq!(what(b"\xef\xbb\xbf\n [ {\"a\": 1}"), Some("JSON"));
        assert_eq!(what(b"{\"a\": 1}\n{\"a\": 2}\n"), Some("JSON"));
        assert_eq!(what(b"<!DOCTYPE HTML PUBLIC"), Some("an HTML page"));
        assert_eq!(what(SAS), Some("a SAS table (.sas7bdat)"));
    }
}
