//! Happening 6, what was left of it: files whose first line names the delimiter, whose name promises another one, with blanks around their
//! fields, and whose header nothing gives away.

use crate::support::{Folder, Run};

#[track_caller]
fn noted(run: &Run, note: &str) {
    assert!(run.stderr.lines().any(|line| line == format!("note: {note}")), "{}", run.stderr);
}

const ROWS: &str = "34;Ulm;1,5\n36;Ulm;2,5\n51;Bonn;3,5\n58;Bonn;4,5\n";

#[test]
fn a_first_line_of_excel_names_the_delimiter_and_is_no_row() {
    for first in ["sep=;\n", "sep=;\r\n", "\u{feff}sep=;\n", "\"sep=;\"\n"] {
        let folder = Folder::with("in.csv", format!("{first}age;town;dose\n{ROWS}"));
        let run = folder.run("anonymize in.csv -o out.csv --quasi age,town --sensitive dose --k 2 --keep-order").ok();
        noted(&run, "the fields of `in.csv` are separated by ';' (change it by --delimiter ',')");
        assert_eq!(
            folder.text("out.csv"),
            "age;town;dose\n[34-36];Ulm;1,5\n[34-36];Ulm;2,5\n[51-58];Bonn;3,5\n[51-58];Bonn;4,5\n"
        );
        folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
        folder.run("anonymize in.csv -o again.csv --plan out.plan.toml").ok();
        assert_eq!(folder.text("again.csv"), folder.text("out.csv"));
        folder.run("init in.csv --yes -o plan.toml").ok();
        folder.run("risk in.csv").ok();
    }
    // Lines in messages are those of the file.
    let folder = Folder::with("in.csv", "sep=;\nage;town\n34;Ulm\n36\n");
    let run = folder.run("anonymize in.csv -o out.csv --quasi age --k 2");
    assert!(run.stderr.contains("`in.csv`, row 2 (line 4) has 1 fields"), "{}", run.stderr);
}

#[test]
fn a_file_named_tsv_may_have_commas() {
    let folder = Folder::with("in.tsv", "age,town\n34,Ulm\n36,Ulm\n51,Bonn\n58,Bonn\n");
    let make = "anonymize in.tsv -o out.csv --quasi age,town --k 2 --keep-order";
    let run = folder.run(make).ok();
    noted(&run, r"the fields of `in.tsv` are separated by ',' (change it by --delimiter '\t')");
    let released = "age,town\n[34-36],Ulm\n[34-36],Ulm\n[51-58],Bonn\n[51-58],Bonn\n";
    assert_eq!(folder.text("out.csv"), released);
    folder.run("audit out.csv --plan out.plan.toml --original in.tsv").ok();
    folder.run("anonymize in.tsv -o again.csv --plan out.plan.toml").ok();
    assert_eq!(folder.text("again.csv"), released);
    // Tabs go before commas, which may be part of a name.
    folder.write("in.tsv", "age\ttown, or city\n34\tUlm\n36\tUlm\n");
    let run = folder.run("anonymize in.tsv -o out.csv --quasi age --k 2 --keep-order --others publish").ok();
    assert!(!run.stderr.contains("separated"), "{}", run.stderr);
    assert_eq!(folder.text("out.csv"), "age,\"town, or city\"\n[34-36],Ulm\n[34-36],Ulm\n");
}

#[test]
fn blanks_that_make_two_values_of_one_are_told_with_the_flag() {
    let folder = Folder::with("in.csv", "age,town,ward\n34,Ulm,A\n36, Ulm,B\n51,Bonn ,A\n58,Bonn,B\n");
    let make = "anonymize in.csv -o out.csv --quasi age,town --others publish --k 2 --keep-order";
    let run = folder.run(make).ok();
    let said = "`in.csv`: the column `town` has some values that differ only in blanks around them, and count as different values (change it by --trim)";
    noted(&run, said);
    let run = folder.run(&format!("{make} --trim")).ok();
    assert!(!run.stderr.contains("blanks"), "{}", run.stderr);
    assert_eq!(folder.text("out.csv"), "age,town,ward\n[34-36],Ulm,A\n[34-36],Ulm,B\n[51-58],Bonn,A\n[51-58],Bonn,B\n");
    // Nothing is two values, but a flag would not find the column.
    folder.write("in.csv", "age, town\n34, Ulm\n36, Ulm\n");
    let run = folder.run("anonymize in.csv -o out.csv --quasi age --others drop --k 2");
    noted(
        &run,
        "`in.csv`: the column ` town` has blanks around names or values, which are taken for a part of them (change it by --trim)",
    );
    // `init` removes them and says so in its plan.
    let run = folder.run("init in.csv --yes -o plan.toml").ok();
    assert!(!run.stderr.contains("blanks") && folder.text("plan.toml").contains("trim = true"), "{}", run.stderr);
}

#[test]
fn a_header_that_nothing_gives_away_is_told_without_its_cells() {
    let rows = "Ann Lee,Graz\nBob Ray,Bonn\nCem Oz,Bonn\nDot Day,Ulm\nEva Ode,Ulm\n";
    let folder = Folder::with("in.csv", rows);
    for command in ["init in.csv --yes -o -", "anonymize in.csv -o out.csv --quasi Graz --others drop --k 2"] {
        let run = folder.run(command).ok();
        noted(
            &run,
            "the first row of `in.csv` is taken for the names of its 2 columns, though it looks like the rows below; if it is a record, what it \
             says of somebody is published as names (change it by --no-header)",
        );
        assert!(!run.stderr.contains("Ann"), "{}", run.stderr);
    }
    for (file, flags) in [(rows.to_owned(), "--header"), (rows.replace("Ann Lee,Graz", "name,town"), "")] {
        folder.write("in.csv", &file);
        let run = folder.run(&format!("init in.csv --yes -o - {flags}")).ok();
        assert!(!run.stderr.contains("first row"), "{}", run.stderr);
    }
}

#[test]
fn an_audit_by_flags_says_what_it_needs_for_a_shuffled_release() {
    let rows: String =
        (0..40).map(|row| format!("{},{}\n", 20 + row % 9, if row % 2 == 0 { "Ulm" } else { "Bonn" })).collect();
    let folder = Folder::with("in.csv", format!("age,town\n{rows}"));
    folder.run("anonymize in.csv -o out.csv --quasi age,town --k 3 --seed 1").ok();
    let run = folder.run("audit out.csv --quasi age,town --original in.csv");
    assert_eq!(run.code, 1, "{}", run.stdout);
    let text: String = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains("only the plan that was stored beside the release, `out.plan.toml`, says in which order"),
        "{text}"
    );
    folder.run("audit out.csv --plan out.plan.toml --original in.csv").ok();
}

#[test]
fn what_a_stored_plan_says_of_an_encoding_is_no_news() {
    let text = "age,town\n34,Ulm\n36,Ulm\n51,Bonn\n58,Bonn\n";
    let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let folder = Folder::with("in.csv", utf16);
    folder.run("anonymize in.csv -o out.csv --quasi age,town --k 2").ok();
    let run = folder.run("risk in.csv --plan out.plan.toml").ok();
    assert!(!run.stderr.contains("is read as"), "{}", run.stderr);
}
