//! What statistics offices do before everything else: top and bottom coding, bins, and rounding. There was no way to say it.

use serde_json::Value;

use crate::support::{Folder, Run};

/// A table with one column, and its release with these flags, in the order of the table.
fn released(values: &[&str], flags: &str) -> (Folder, Run) {
    let folder = Folder::with("t.csv", format!("x\n{}\n", values.join("\n")));
    let run = folder.run(&format!("anonymize t.csv -o r.csv --quasi x --keep-order --seed 1 {flags}"));
    (folder, run)
}

fn cells(folder: &Folder) -> Vec<String> {
    folder.text("r.csv").lines().skip(1).map(|line| line.trim_matches('"').to_owned()).collect()
}

/// The cells, and the loss by LM, which `measure` reads off the cells again.
fn coded(values: &[&str], flags: &str) -> (Vec<String>, f64) {
    let (folder, run) = released(values, flags);
    run.ok();
    folder.run("audit r.csv --original t.csv --plan r.plan.toml").ok();
    let measured = folder.run("measure t.csv r.csv --plan r.plan.toml --json").ok().json();
    (cells(&folder), measured["loss"]["lm"].as_f64().unwrap())
}

#[test]
fn a_top_coded_cell_costs_what_it_covers() {
    // The column reaches from 20 to 120, and the cell from 90 to 120: it costs 0.3, in two rows of four.
    let (cells, lm) = coded(&["20", "20", "90", "120"], "--k 2 --top x=90");
    assert_eq!(cells, ["20", "20", ">=90", ">=90"]);
    assert!((lm - 0.15).abs() < 1e-12, "{lm}");
    // By values, there are three, and the cell has two of them: (2 - 1) / (3 - 1) in two rows of four.
    let (folder, run) = released(&["20", "20", "90", "120"], "--k 2 --top x=90");
    run.ok();
    let measured = folder.run("measure t.csv r.csv --plan r.plan.toml --measures lm(numeric=values)").ok();
    assert!(measured.stdout.contains("0.2500"), "{}", measured.stdout);
}

#[test]
fn ranges_that_reach_a_threshold_have_no_end() {
    let (cells, _) = coded(&["10", "30", "31", "50", "80", "95"], "--k 3 --top x=90 --bottom x=18");
    assert_eq!(cells, ["<=31", "<=31", "<=31", ">=50", ">=50", ">=50"]);
    let (cells, lm) = coded(&["10", "95"], "--k 2 --top x=90 --bottom x=18");
    assert_eq!((cells, lm), (vec!["*".to_owned(), "*".to_owned()], 1.0));
    // With a missing value, too, `*` is all that can be said.
    let (cells, _) = coded(&["10", "95", "", "12", "13"], "--k 2 --top x=90 --bottom x=18 --partitioner k-member");
    assert!(cells.iter().all(|cell| cell == "*" || cell == "<=18"), "{cells:?}");
}

#[test]
fn bins_begin_with_their_edge() {
    // Extents 5, 7 and 15 of 40, in two rows each.
    let (cells, lm) = coded(&["0", "5", "10", "17", "25", "40"], "--k 2 --bins x=10,20");
    assert_eq!(cells, ["<10", "<10", "[10-19]", "[10-19]", ">=20", ">=20"]);
    assert!((lm - 27.0 / 120.0).abs() < 1e-12, "{lm}");
    let (cells, _) = coded(&["0.5", "5", "10", "17.5", "25", "29"], "--k 6 --bins x=0,10,30,40");
    assert!(cells.iter().all(|cell| cell == "[0, 30)"), "{cells:?}");
    let days = ["1928-03-01", "1929-12-31", "1930-01-01", "1949-12-31", "1950-01-01", "1999-09-09"];
    let (cells, _) = coded(&days, "--k 2 --bins x=1930-01-01,1950-01-01");
    assert_eq!(cells[..4], ["<1930-01-01", "<1930-01-01", "[1930-01-01 - 1949-12-31]", "[1930-01-01 - 1949-12-31]"]);
    assert_eq!(cells[4..], [">=1950-01-01", ">=1950-01-01"]);
}

#[test]
fn rounded_numbers_lose_what_rounding_hides() {
    // 1440 and 1449 are 9 apart, 1460 and 1520 are 60 apart, of 80.
    let (cells, lm) = coded(&["1440", "1449", "1460", "1520"], "--k 2 --round x=100");
    assert_eq!(cells, ["1400", "1400", "1500", "1500"]);
    assert!((lm - 69.0 / 160.0).abs() < 1e-12, "{lm}");
    // Halves are rounded away from zero, and ranges have rounded ends.
    let (cells, _) = coded(&["-15", "-14", "4", "5", "14", "15"], "--k 3 --round x=10");
    assert_eq!(cells, ["[-20 - 0]", "[-20 - 0]", "[-20 - 0]", "[10-20]", "[10-20]", "[10-20]"]);
    let (cells, _) = coded(&["0.12", "0.14", "0.31", "0.34"], "--k 2 --round x=0.1");
    assert_eq!(cells, ["0.1", "0.1", "0.3", "0.3"]);
    let (cells, _) = coded(&["59000", "59900", "60400", "99999"], "--k 2 --round x=1000 --top x=60000");
    assert!(cells.iter().all(|cell| cell.starts_with(">=")), "{cells:?}");
}

#[test]
fn dates_and_decimal_commas_are_coded_as_they_are_written() {
    let (cells, _) = coded(&["24.12.1925", "01.01.1931", "02.01.1931", "31.12.1930"], "--k 2 --bottom x=31.12.1930");
    assert_eq!(cells, ["<=31.12.1930", "[01.01.1931 - 02.01.1931]", "[01.01.1931 - 02.01.1931]", "<=31.12.1930"]);
    let (cells, _) = coded(&["\"1,25\"", "\"1,75\"", "\"12,5\"", "\"99,5\""], "--k 2 --top x=12.5 --round x=0.5");
    assert_eq!(cells[2..], [">=12,5", ">=12,5"]);
}

/// Everything that recipients or the owner get, but the stored plan.
#[test]
fn the_largest_value_is_nowhere() {
    let values: Vec<String> = (20..60).map(|age| age.to_string()).chain(["98765".to_owned()]).collect();
    let folder = Folder::with(
        "t.csv",
        format!("age,dx\n{}\n", values.iter().map(|age| format!("{age},flu")).collect::<Vec<_>>().join("\n")),
    );
    let args = "--quasi age --sensitive dx --k 2 --top age=58 --seed 1 --public-report p.html --public-report p.json --report i.html";
    folder.run(&format!("anonymize t.csv -o r.csv {args}")).ok();
    for file in ["r.csv", "r.dictionary.json", "r.manifest.json", "p.html", "p.json", "i.html", "r.plan.toml"] {
        let text = folder.text(file);
        assert!(!text.contains("98765") && !text.contains("98,765"), "{file}");
    }
    // The width of the column would tell it, too.
    let public: Value = serde_json::from_str(&folder.text("p.json")).unwrap();
    assert_eq!(public.get("lm"), None);
    assert!(public["columns"].as_array().unwrap().iter().all(|column| column.get("lm").is_none()));
    assert!(folder.text("r.dictionary.json").contains("`>=58` is any number from 58 on"));
}

#[test]
fn a_finer_cell_does_not_pass() {
    let (folder, run) = released(&["20", "21", "91", "95", "97", "99"], "--k 2 --top x=90");
    run.ok();
    std::fs::remove_file(folder.path("r.manifest.json")).unwrap();
    let release = folder.text("r.csv");
    for finer in ["91", "[91-95]", ">=91", "[90-99]"] {
        folder.write("r.csv", release.replacen(">=90", finer, 4));
        let run = folder.run("audit r.csv --original t.csv --plan r.plan.toml");
        let said = run.stdout.contains("says more than the column's top, bottom, bins or rounding allow");
        assert!(run.code == 1 && said, "{finer}: {}", run.stdout);
    }
    folder.write("r.csv", release.replace(">=90", ">=21"));
    folder.run("audit r.csv --original t.csv --plan r.plan.toml --k 2").ok();
}

#[test]
fn the_same_plan_makes_the_same_release_and_new_rows_find_their_class() {
    let (folder, run) = released(&["20", "21", "60", "61", "91", "120"], "--k 2 --top x=90");
    run.ok();
    let first = folder.text("r.csv");
    folder.run("anonymize t.csv -o again.csv --plan r.plan.toml").ok();
    assert_eq!(folder.text("again.csv"), first);
    let plan = folder.text("r.plan.toml");
    assert!(plan.contains("top = 90"), "{plan}");
    folder.run("attack t.csv r.csv --plan r.plan.toml --attacks linking,downcoding").ok();
    folder.run("risk r.csv --quasi x").ok();
}

#[test]
fn wrong_codings_are_refused() {
    let values = ["20", "21", "60", "61"];
    for (flags, expected) in [
        ("--top x=20 --bottom x=30", "its bottom 30 is not below its top 20"),
        ("--bins x=30,20", "its bins do not rise: 20 follows 30"),
        ("--bins x=30,30", "its bins do not rise: 30 follows 30"),
        ("--bins x=20,30 --top x=50", "bins stand alone"),
        ("--round x=0", "`0` is not a number above 0 to round to"),
        ("--round x=0.5", "its values are whole numbers, so they cannot be rounded to multiples of 0.5"),
        ("--round x=10 --top x=55", "its threshold 55 is no multiple of 10"),
        ("--top x=nan", "its top `nan` is not a whole number"),
        ("--top x=1e17", "is too large"),
        ("--top x=1930-01-01", "is not a whole number, as the values of the column are"),
        ("--top y=1", "it has a top, but it is neither a quasi-identifier nor sensitive nor published as it is"),
        ("--top x=50 --hierarchy x=widths:10", "`top` is for ranges of numbers and dates"),
        ("--top x=50 --show x=bounds", "which can only be shown as cells"),
        ("--top x=50 --publish centres", "a centre of the numbers would say more"),
    ] {
        let (folder, run) = released(&values, &format!("--k 2 {flags}"));
        assert_eq!(run.code, 2, "{flags}: {}", run.stdout);
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
        assert_eq!(folder.names(), ["t.csv"]);
    }
    let (_, run) = released(&["a", "b", "c"], "--k 2 --top x=3");
    assert!(run.stderr.contains("`a` is not a number"), "{}", run.stderr);
    let (_, run) = released(&values, "--k 2 --top x=70");
    assert!(run.ok().stdout.contains("no value is 70 or more, so its top changes nothing"));
    let (_, run) = released(&["1", "1", "2", "2"], "--k 2 --bins x=0,10");
    assert!(run.ok().stdout.contains("all values are in one bin"));
    let (_, run) = released(&["1", "1", "12", "12"], "--k 2 --bins x=0,10");
    let run = run.ok();
    assert!(!run.stdout.contains("bin") && !run.stderr.contains("bin"), "{} {}", run.stdout, run.stderr);
}

#[test]
fn parquet_and_full_domain_recoding_take_them() {
    let values = ["20", "21", "60", "61", "91", "120", "95", "30"];
    let (folder, run) = released(&values, "--k 2 --top x=60 --bottom x=30 --partitioner full-domain");
    run.ok();
    assert_eq!(cells(&folder).iter().filter(|cell| *cell == ">=60").count(), 5);
    folder.run("anonymize t.csv -o r.parquet --quasi x --k 2 --top x=60 --publish generalization(cells=nested)").ok();
    folder.run("audit r.parquet --original t.csv --plan r.plan.toml").ok();
    folder.run("anonymize t.csv -o ring.csv --quasi x --k 2 --top x=60 --publish ring").ok();
}
