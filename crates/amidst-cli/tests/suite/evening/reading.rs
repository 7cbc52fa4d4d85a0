//! Happening 6: files as people have them. Other programs write other delimiters, encodings and headers, and `risk` read them in another way than
//! `init`. Every command reads a file in the same way now, says what is not the default, and the stored plan repeats it.

use crate::support::{Folder, Run};

/// A table as a German Excel writes it: semicolons, decimal commas, line breaks of Windows.
const GERMAN: &str = "\
Größe;Stadt;Geschlecht;Krankheit\r
1,81;Köln;m;Grippe\r
1,83;Köln;m;Erkältung\r
1,61;Zürich;w;Grippe\r
1,64;Zürich;w;Gicht\r
1,71;Bonn;m;Grippe\r
1,75;Bonn;w;Erkältung\r
";
const ROLES: &str = "--quasi Größe,Stadt --sensitive Krankheit --others drop";

/// The same letters as ISO 8859-1, which is the beginning of Unicode.
fn latin1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c).unwrap()).collect()
}

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[track_caller]
fn refused(run: &Run, parts: &[&str]) {
    assert_eq!(run.code, 2, "{}{}", run.stdout, run.stderr);
    for part in parts {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
}

#[track_caller]
fn noted(run: &Run, note: &str) {
    assert!(run.stderr.lines().any(|line| line == format!("note: {note}")), "{}", run.stderr);
}

const SEMICOLON: &str = "the fields of `in.csv` are separated by ';' (change it by --delimiter ',')";
const WESTERN: &str =
    "`in.csv` is read as windows-1252 (Western European), because line 1 is not UTF-8 (change it by --encoding NAME)";

#[test]
fn a_german_export_is_the_same_table_for_every_command() {
    let folder = Folder::with("in.csv", latin1(GERMAN));
    let made = folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --k 2 --keep-order")).ok();
    // Cities of two rows each are the only classes of two that lose nothing but the sizes.
    let released = "Größe;Stadt;Krankheit\n[1,81-1,83];Köln;Grippe\n[1,81-1,83];Köln;Erkältung\n[1,61-1,64];Zürich;Grippe\n\
                    [1,61-1,64];Zürich;Gicht\n[1,71-1,75];Bonn;Grippe\n[1,71-1,75];Bonn;Erkältung\n";
    assert_eq!(folder.text("out.csv"), released);
    let plan = folder.text("out.plan.toml");
    assert!(plan.contains("delimiter = \";\"\nencoding = \"windows-1252\"\n"), "{plan}");
    // The stored plan says it, so nothing has to be found again.
    let again = folder.run("anonymize in.csv -o again.csv --plan out.plan.toml").ok();
    assert!(!again.stderr.contains("note"), "{}", again.stderr);
    assert_eq!(folder.text("again.csv"), released);
    for command in ["audit out.csv --plan out.plan.toml --original in.csv", "risk in.csv --plan out.plan.toml"] {
        let run = folder.run(command).ok();
        assert!(!run.stderr.contains("note"), "{}", run.stderr);
    }
    folder.run("risk out.csv --plan out.plan.toml").ok();
    let others = [
        folder.run("init in.csv --yes -o first.toml").ok(),
        folder.run("risk in.csv").ok(),
        folder.run(&format!("audit out.csv {ROLES} --original in.csv")).ok(),
        folder.run(&format!("measure in.csv out.csv {ROLES}")).ok(),
        folder.run(&format!("attack in.csv out.csv {ROLES}")).ok(),
        folder.run(&format!("compare in.csv {ROLES} --k 2 --algorithms mondrian")).ok(),
        folder.run(&format!("bound in.csv {ROLES} --k 2")).ok(),
    ];
    for run in [made].iter().chain(&others) {
        noted(run, SEMICOLON);
        noted(run, WESTERN);
    }
    assert!(others[2].stdout.contains("k = 2"), "{}", others[2].stdout);
    let plan = folder.text("first.toml");
    assert!(plan.contains("delimiter = \";\"\nencoding = \"windows-1252\"\n"), "{plan}");
    let quiet = folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --k 2 -q")).ok();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn what_is_said_is_not_guessed() {
    let folder = Folder::with("in.csv", latin1(GERMAN));
    let roles = format!("{ROLES} --k 2 --keep-order");
    let run = folder.run(&format!("anonymize in.csv -o out.csv {roles} --delimiter ; --encoding latin1")).ok();
    assert!(!run.stderr.contains("note: `in.csv`") && !run.stderr.contains("separated"), "{}", run.stderr);
    assert!(folder.text("out.csv").contains("Zürich"));
    refused(
        &folder.run(&format!("anonymize in.csv -o no.csv {roles} --encoding utf-8")),
        &[
            "row 0 (line 1), column `1`: the text is not valid UTF-8; name the encoding of the file (--encoding windows-1252)",
        ],
    );
    refused(&folder.run("init in.csv --encoding latin-one"), &["there is no encoding named `latin-one`"]);
    // Cyrillic letters, as they are in windows-1251: М is 0xcc, о is 0xee.
    folder.write("kyrillic.csv", b"city,n\n\xcc\xee\xec\xee,1\n\xcc\xee\xec\xee,2\n");
    refused(
        &folder.run("anonymize kyrillic.csv -o no.csv --quasi city,n --k 2"),
        &["`kyrillic.csv`, line 2: the text is not UTF-8, and it does not look like Western European text"],
    );
    folder.run("anonymize kyrillic.csv -o out.csv --quasi city,n --k 2 --encoding windows-1251 --keep-order").ok();
    assert_eq!(folder.text("out.csv"), "city,n\nМомо,[1-2]\nМомо,[1-2]\n");
}

#[test]
fn excel_unicode_text_and_byte_order_marks() {
    let text = GERMAN.replace(';', "\t");
    let marked = [b"\xff\xfe".to_vec(), utf16le(&text)].concat();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let utf8 = [b"\xef\xbb\xbf", text.as_bytes()].concat();
    for (bytes, encoding) in
        [(marked, Some("utf-16le")), (utf16le(&text), Some("utf-16le")), (big, Some("utf-16be")), (utf8, None)]
    {
        let folder = Folder::with("in.txt", bytes);
        let run = folder.run(&format!("anonymize in.txt -o out.csv {ROLES} --k 2 --keep-order")).ok();
        assert!(folder.text("out.csv").starts_with("Größe\tStadt\tKrankheit\n[1,81-1,83]\tKöln\tGrippe\n"));
        let said = encoding.map(|encoding| format!("`in.txt` is read as {encoding} (change it by --encoding NAME)"));
        assert_eq!(said.is_some(), run.stderr.contains("is read as"), "{}", run.stderr);
        said.iter().for_each(|said| noted(&run, said));
        folder.run("audit out.csv --plan out.plan.toml --original in.txt").ok();
    }
}

#[test]
fn lines_in_utf16_are_those_of_the_file() {
    let folder = Folder::with("in.csv", utf16le("a,b\r\n1,x\r\n\"2\r\n\",y\r\n3\r\n"));
    let run = |folder: &Folder, more: &str| folder.run(&format!("anonymize in.csv -o out.csv --quasi a --k 2 {more}"));
    refused(&run(&folder, ""), &["`in.csv`, row 3 (line 5) has 1 fields where the header has 2"]);
    refused(&run(&folder, "--no-header"), &["`in.csv`, row 4 (line 5) has 1 fields where the first row has 2"]);
    // Without UTF-16 and without quotes, too.
    folder.write("in.csv", "a,b\r\n1,x\r\n2,y\r\n3\r\n");
    refused(&run(&folder, ""), &["`in.csv`, row 3 (line 4) has 1 fields"]);
    refused(&run(&folder, "--no-header"), &["`in.csv`, row 4 (line 4) has 1 fields"]);
    // Half of a character beyond the first plane, in the third line.
    let broken = [utf16le("\u{feff}a,b\n1,x\n"), vec![0x00, 0xd8], utf16le(",y\n")].concat();
    folder.write("in.csv", broken);
    refused(&run(&folder, ""), &["`in.csv`, line 3: the text is not valid utf-16le; repair the line"]);
}

#[test]
fn a_file_that_mixes_encodings_is_refused_with_the_line() {
    let mut bytes = "town,n\nKöln,1\nMünchen,2\n".as_bytes().to_vec();
    bytes.extend(latin1("Zürich,3\n"));
    let folder = Folder::with("in.csv", bytes);
    refused(
        &folder.run("anonymize in.csv -o out.csv --quasi town,n --k 2"),
        &["`in.csv`, line 4: the text is not UTF-8, and other places are, so it mixes encodings or is damaged"],
    );
}

/// The first rows of UCI's `adult.data`, which has no header and a blank after every comma.
const HEADERLESS: &str = "\
39, State-gov, Bachelors, Male, <=50K
50, Self-emp-not-inc, Bachelors, Male, <=50K
38, Private, HS-grad, Male, <=50K
53, Private, 11th, Male, <=50K
28, Private, Bachelors, Female, <=50K
37, Private, Masters, Female, >50K
";

#[test]
fn the_first_patient_is_no_header() {
    let folder = Folder::with("in.csv", HEADERLESS);
    for command in [
        "init in.csv --yes",
        "risk in.csv",
        "anonymize in.csv -o out.csv --quasi 39 --k 2",
        "bound in.csv --quasi 39 --k 2",
    ] {
        let run = folder.run(command);
        refused(
            &run,
            &[
                "the first row of `in.csv` looks like data",
                "column 1 has a number above numbers",
                "(--no-header)",
                "(--header)",
            ],
        );
        assert!(!run.stderr.contains("State-gov") && !run.stderr.contains("Bachelors"), "{}", run.stderr);
        assert_eq!(folder.names(), ["in.csv"]);
    }
    let roles = "--quasi column_1,column_4 --sensitive column_5 --others drop --k 3 --trim";
    folder.run(&format!("anonymize in.csv -o out.csv --no-header {roles} --keep-order")).ok();
    // Men are 39, 50, 38 and 53, women 28 and 37: only a class of all sexes has three of the youngest.
    let text = folder.text("out.csv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0]), (7, "column_1,column_4,column_5"));
    assert!(folder.text("out.plan.toml").contains("header = false\n"));
    folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
    folder.run(&format!("audit out.csv --no-header {roles} --original in.csv")).ok();
    folder.run("risk out.csv --plan out.plan.toml").ok();
    folder.run("risk in.csv --plan out.plan.toml").ok();
    folder.run("init in.csv --yes --no-header -o plan.toml").ok();
    assert!(folder.text("plan.toml").contains("header = false\n"));
    folder.run("anonymize in.csv -o out.csv --plan plan.toml --k 2").ok();
}

#[test]
fn a_header_of_numbers_has_a_way_through() {
    // Years above years look like data. Years above amounts do not.
    let folder = Folder::with("in.csv", "2010,2011\n1999,2001\n1998,2001\n1999,2003\n1998,2003\n");
    folder.write("amounts.csv", "2010,2011\n5,7\n6,7\n5,8\n6,8\n");
    let roles = "--quasi 2010,2011 --k 2 --keep-order";
    refused(&folder.run(&format!("anonymize in.csv -o out.csv {roles}")), &["looks like data"]);
    folder.run(&format!("anonymize in.csv -o out.csv {roles} --header")).ok();
    assert!(folder.text("out.csv").starts_with("2010,2011\n"));
    assert!(folder.text("out.plan.toml").contains("header = true\n"));
    folder.run("anonymize in.csv -o out.csv --plan out.plan.toml").ok();
    folder.run(&format!("anonymize amounts.csv -o out.csv {roles}")).ok();
    // Plans of earlier versions do not say it, and a release of the table was made with them.
    let older = folder.text("out.plan.toml").replace("header = true\n", "");
    folder.write("older.toml", older);
    folder.run("anonymize in.csv -o out.csv --plan older.toml").ok();
    refused(
        &folder.run(&format!("anonymize in.csv -o out.csv {roles} --header --no-header")),
        &["cannot be used with"],
    );
}

#[test]
fn the_index_of_a_data_frame_is_left_out() {
    let rows = ["34,F,flu", "36,F,cold", "51,M,flu", "58,M,gout"];
    let indexed = |header: &str, first: usize| {
        let rows: Vec<String> = (first..).zip(rows).map(|(number, row)| format!("{number},{row}\n")).collect();
        format!("{header},age,sex,disease\n{}", rows.concat())
    };
    let roles = "--quasi age,sex --sensitive disease --k 2 --keep-order";
    for (header, first, name) in
        [("", 0, "column_1"), ("\"\"", 1, "column_1"), ("Unnamed: 0", 0, "Unnamed: 0"), ("Unnamed: 0", 1, "Unnamed: 0")]
    {
        let folder = Folder::with("in.csv", indexed(header, first));
        let run = folder.run(&format!("anonymize in.csv -o out.csv {roles}")).ok();
        assert!(
            run.stderr.contains(&format!("the column `{name}` has no name and numbers the rows, so it is left out"))
        );
        assert!(folder.text("out.csv").starts_with("age,sex,disease\n[34-36],F,flu\n"));
        folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
        let plan = folder.run("init in.csv --yes -o -").ok().stdout;
        assert!(plan.contains("a column without a name that numbers the rows"), "{plan}");
    }
    // The index of some rows of a larger frame says which rows they were.
    let folder = Folder::with("in.csv", indexed("", 7));
    let run = folder.run(&format!("anonymize in.csv -o out.csv {roles}"));
    refused(
        &run,
        &["`column_1`: unique numbers", "a column without a name that numbers the rows", "--identifier column_1"],
    );
    folder.run(&format!("anonymize in.csv -o out.csv {roles} --publish-as-is column_1")).ok();
    assert!(folder.text("out.csv").starts_with("column_1,age"));
    // Columns without names elsewhere are called by their place.
    folder.write("in.csv", "age,,\n34,a,b\n36,a,b\n");
    folder.run("anonymize in.csv -o out.csv --quasi age --k 2").ok();
    assert_eq!(folder.text("out.csv"), "age,column_2,column_3\n[34-36],a,b\n[34-36],a,b\n");
    folder.write("in.csv", "age,column_3,\n34,a,b\n36,a,b\n");
    refused(
        &folder.run("anonymize in.csv -o out.csv --quasi age --k 2"),
        &["columns 2 and 3 are both named `column_3`"],
    );
}

#[test]
fn a_release_has_no_name_that_promises_another_format() {
    let folder = Folder::with("in.csv", "age\n34\n36\n");
    for name in ["x.xlsx", "x.json", "x.ods", "x.sav", "x.XLSX", "x.dta", "x.feather"] {
        let run = folder.run(&format!("anonymize in.csv -o {name} --quasi age --k 2"));
        refused(&run, &[&format!("`{name}` is no name for a release"), ".csv, .csv.gz, .csv.zst or .parquet"]);
        assert_eq!(folder.names(), ["in.csv"]);
    }
    for name in ["x.csv", "x.txt", "x", "x.tsv"] {
        folder.run(&format!("anonymize in.csv -o {name} --quasi age --k 2")).ok();
    }
}

#[test]
fn other_files_are_called_by_their_name() {
    let folder = Folder::new();
    for (bytes, what) in [
        (b"PK\x03\x04\x14\0\0\0\x08\0xl/workbook.xml".as_slice(), "an Excel workbook (.xlsx)"),
        (
            b"PK\x03\x04\x14\0mimetypeapplication/vnd.oasis.opendocument.spreadsheet",
            "an OpenDocument spreadsheet (.ods)",
        ),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", "an old Excel workbook (.xls)"),
        (b"[{\"age\": 3}]", "JSON"),
        (b"SQLite format 3\0\x10\0", "a SQLite database"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\n<!DOCTYPE html><html>", "an HTML page"),
        (b"$FL2@(#) SPSS DATA FILE", "an SPSS file"),
    ] {
        folder.write("in.csv", bytes);
        for command in
            ["init in.csv", "risk in.csv", "anonymize in.csv -o out.csv --quasi age --k 2", "audit in.csv --quasi age"]
        {
            refused(&folder.run(command), &[&format!("`in.csv` is {what}"), "CSV"]);
        }
    }
    assert_eq!(folder.names(), ["in.csv"]);
    // What can be read is read, whatever its name is.
    folder.write("in.csv", zstd::encode_all(latin1(GERMAN).as_slice(), 0).unwrap());
    folder.run(&format!("anonymize in.csv -o out.parquet {ROLES} --k 2")).ok();
    folder.write("in.csv", folder.bytes("out.parquet"));
    folder.run("audit in.csv --quasi Größe,Stadt --k 2").ok();
}

#[test]
fn streams_are_looked_at_as_files_are() {
    let folder = Folder::new();
    let (run, bytes) = folder.pipe(&format!("anonymize - -o - {ROLES} --k 2 --keep-order"), latin1(GERMAN));
    noted(&run.ok(), &SEMICOLON.replace("in.csv", "standard input"));
    assert!(String::from_utf8(bytes).unwrap().starts_with("Größe;Stadt;Krankheit\n[1,81-1,83];Köln;Grippe\n"));
    let (run, bytes) = folder.pipe("init -", utf16le(GERMAN));
    run.ok();
    assert!(String::from_utf8(bytes).unwrap().contains("delimiter = \";\"\nencoding = \"utf-16le\"\n"));
    folder.pipe("risk -", latin1(GERMAN)).0.ok();
    refused(&folder.pipe("risk -", HEADERLESS).0, &["the first row of `standard input` looks like data"]);
}

#[test]
fn a_release_of_another_tool_is_read_as_it_is() {
    let folder = Folder::with("in.csv", GERMAN);
    let released = "Größe;Stadt\n[1,6-1,7];Zürich\n[1,6-1,7];Zürich\n";
    for bytes in [released.as_bytes().to_vec(), latin1(released), utf16le(released)] {
        folder.write("other.csv", bytes);
        folder.run("audit other.csv --quasi Größe,Stadt --k 2").ok();
        folder.run("risk other.csv --quasi Größe,Stadt").ok();
    }
    // What is said is about the original first. A release that is UTF-8 stays UTF-8.
    folder.write("in.csv", latin1(GERMAN));
    folder.run(&format!("anonymize in.csv -o out.csv {ROLES} --k 2 --keep-order")).ok();
    folder.run(&format!("audit out.csv {ROLES} --k 2 --original in.csv --encoding windows-1252 --delimiter ;")).ok();
}

#[test]
fn tables_of_the_same_persons_are_written_as_they_are() {
    let folder = Folder::with("in.csv", latin1("pid;age;town\na;34;Köln\nb;36;Köln\nc;51;Zürich\nd;58;Zürich\n"));
    folder.write("visits.csv", "pid,reason\na,Müdigkeit\na,flu\nb,flu\nc,gout\nd,gout\n");
    folder.write(
        "plan.toml",
        "[privacy]\nk = 2\n[columns]\npid = { role = \"person\", publish = \"pseudonym\" }\nage = { role = \"quasi\", kind = \"range\" }\n\
         town = { role = \"quasi\", kind = \"set\" }\n[tables.visits]\nfile = \"visits.csv\"\nperson = \"pid\"\n\
         [tables.visits.columns]\nreason = { role = \"other\" }\n",
    );
    folder.run("key -o key").ok();
    folder.run("anonymize in.csv -o out.csv --plan plan.toml --key key").ok();
    let stored = folder.text("out.plan.toml");
    assert!(stored.contains("delimiter = \";\"\nencoding = \"windows-1252\"\n"), "{stored}");
    assert!(stored.contains("delimiter = \",\"\nencoding = \"utf-8\"\n"), "{stored}");
    assert!(folder.text("out.visits.csv").contains("Müdigkeit"));
    folder.run("audit out.csv --plan out.plan.toml --original in.csv --key key").ok();
    folder.run("anonymize in.csv -o again.csv --plan out.plan.toml --key key").ok();
    assert_eq!(folder.text("again.visits.csv"), folder.text("out.visits.csv"));
}
