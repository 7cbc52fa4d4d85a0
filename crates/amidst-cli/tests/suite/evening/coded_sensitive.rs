//! Happening 11: a statistician wanted salaries published up to a top, and could not say so, because nobody generalizes a sensitive column.

use crate::support::Folder;

/// Ages 20 and 60, two rows each, with these salaries.
fn people(salaries: [&str; 4]) -> Folder {
    let rows = ["20", "20", "60", "60"].iter().zip(salaries).map(|(age, salary)| format!("{age},{salary}\n"));
    Folder::with("t.csv", format!("age,salary\n{}", rows.collect::<String>()))
}

/// The cells of the release in the order of the table.
fn column(folder: &Folder, file: &str, name: &str) -> Vec<String> {
    let text = folder.text(file);
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let place = rows.headers().unwrap().iter().position(|header| header == name).unwrap();
    rows.records().map(|row| row.unwrap()[place].to_owned()).collect()
}

const HOW: &str = "anonymize t.csv -o r.csv --quasi age --keep-order --k 2";

#[test]
fn salaries_are_published_up_to_a_top() {
    let table = "age,salary,hours,grade\n20,199499,1,-0.5\n20,987654,19,9.5\n60,200000,20,0.25\n60,,88,1.5\n20,-60000,7,\n60,45000,7,2\n";
    let folder = Folder::with("t.csv", table);
    let flags = "--sensitive salary --publish-as-is hours,grade --top salary=200000 --bottom salary=-50000 --round salary=1000 \
                 --bins hours=5,20 --bins grade=0,1.5";
    folder
        .run(&format!("{HOW} {flags} --report r.html --report r.json --public-report p.html --public-report p.json"))
        .ok();
    assert_eq!(column(&folder, "r.csv", "salary"), ["199000", ">=200000", ">=200000", "", "<=-50000", "45000"]);
    assert_eq!(column(&folder, "r.csv", "hours"), ["<5", "[5-19]", ">=20", ">=20", "[5-19]", "[5-19]"]);
    assert_eq!(column(&folder, "r.csv", "grade"), ["<0", ">=1.5", "[0, 1.5)", ">=1.5", "", ">=1.5"]);
    // Not even the reports that stay at home have the largest salary.
    for file in folder.names().iter().filter(|file| *file != "t.csv") {
        let bytes = folder.bytes(file);
        assert!(!String::from_utf8_lossy(&bytes).contains("987654"), "{file}");
        assert!(!String::from_utf8_lossy(&bytes).contains("987,654"), "{file}");
    }
    assert!(folder.text("r.dictionary.json").contains("`>=200000` is any number from 200000 on"));
    folder.run("audit r.csv --plan r.plan.toml --original t.csv").ok();
    folder.run("anonymize t.csv -o again.csv --plan r.plan.toml -q").ok();
    assert_eq!(folder.bytes("again.csv"), folder.bytes("r.csv"));
    let dry = folder.run(&format!("{HOW} {flags} --dry-run")).ok();
    assert_eq!(dry.stdout.matches("numbers coded").count(), 3, "{}", dry.stdout);
    // The other commands that look at both.
    for command in ["measure t.csv r.csv", "attack t.csv r.csv", "explain r.csv --row 1 --original t.csv"] {
        folder.run(&format!("{command} --plan r.plan.toml")).ok();
    }
}

/// 210000 and 250000 are different, but recipients see one value.
#[test]
fn models_count_what_recipients_see() {
    let folder = people(["210000", "250000", "30000", "40000"]);
    folder.run(&format!("{HOW} --sensitive salary --l 2")).ok();
    assert_eq!(column(&folder, "r.csv", "age"), ["20", "20", "60", "60"]);
    folder.run(&format!("{HOW} --sensitive salary --l 2 --top salary=200000")).ok();
    assert_eq!(column(&folder, "r.csv", "age"), ["[20-60]"; 4]);
    assert_eq!(column(&folder, "r.csv", "salary"), [">=200000", ">=200000", "30000", "40000"]);
    // Forms that publish quasi-identifiers as they are hide the coded values as well. Here half of the table has one.
    folder
        .run(
            "anonymize t.csv -o a.csv --quasi age --sensitive salary --l 2 --k 2 --top salary=200000 --publish anatomy",
        )
        .ok();
    let sensitive = folder.text("a.sensitive.csv");
    assert!(sensitive.contains(">=200000") && !sensitive.contains("250000"), "{sensitive}");
    folder.run("audit a.csv --plan a.plan.toml --original t.csv").ok();
}

/// In the order of numbers, 9 has half of the table, 10 and >=100 a quarter each. The class of two 9 differs by (1/2, -1/4, -1/4), so
/// (1/2 + 1/4) / 2 = 0.375 must be moved, and so does the class of the others. In the order of texts, 10 before 9, it would be 0.25.
#[test]
fn coded_numbers_keep_their_order() {
    let folder = people(["9", "9", "10", "150"]);
    let how = |t: &str| {
        format!("{HOW} --sensitive salary --top salary=100 --require t-closeness(t={t},distance=ordered) --json")
    };
    let report = folder.run(&how("0.375")).ok().json();
    assert_eq!(report["achieved"]["sensitive"]["salary"]["t_ordered"].as_f64(), Some(0.375), "{report}");
    assert_eq!(column(&folder, "r.csv", "age"), ["20", "20", "60", "60"]);
    let audit = folder.run("audit r.csv --plan r.plan.toml --original t.csv --json").ok().json();
    assert_eq!(audit["achieved"]["sensitive"]["salary"]["t_ordered"].as_f64(), Some(0.375), "{audit}");
    folder.run(&how("0.374")).ok();
    assert_eq!(column(&folder, "r.csv", "age"), ["[20-60]"; 4]);
}

#[test]
fn a_release_with_another_salary_is_refused() {
    let folder = people(["210000", "45000", "30000", "40000"]);
    folder.run(&format!("{HOW} --sensitive salary --top salary=200000")).ok();
    let release = folder.text("r.csv");
    // The number that the coding hides, another number, the number of another row, and a threshold that hides more than was asked.
    for (from, to) in [
        (">=200000", "210000"),
        (">=200000", ">=150000"),
        ("45000", "46000"),
        ("45000", ">=200000"),
        ("30000", "<=30000"),
    ] {
        folder.write("tampered.csv", release.replacen(from, to, 1));
        let audit = folder.run("audit tampered.csv --plan r.plan.toml --original t.csv");
        assert_eq!(audit.code, 1, "{from} to {to}: {}", audit.stdout);
        assert!(
            audit.stdout.contains("column `salary`: the value is not that of row"),
            "{from} to {to}: {}",
            audit.stdout
        );
    }
    // A release that was not coded, held against a plan that asks for it; and the same by flags.
    folder.write("raw.csv", folder.text("t.csv"));
    assert_eq!(folder.run("audit raw.csv --plan r.plan.toml --original t.csv").code, 1);
    let flags = "--original t.csv --quasi age --sensitive salary --top salary=200000";
    folder.run(&format!("audit r.csv {flags}")).ok();
    assert_eq!(folder.run(&format!("audit raw.csv {flags}")).code, 1);
}

#[test]
fn codings_that_make_no_sense_are_refused() {
    let folder = people(["2020-01-31", "2020-02-01", "2020-02-02", "2020-02-03"]);
    folder.write("n.csv", "age,salary,who\n20,1,a\n20,2,b\n60,3,c\n60,4,d\n");
    for (table, flags, expected) in [
        (
            "t.csv",
            "--sensitive salary --top salary=2020-02-01",
            "dates are coded by top, bottom or bins only in a quasi-identifier",
        ),
        ("n.csv", "--sensitive salary --identifier who --top who=3", "it has a top, but it is neither"),
        ("n.csv", "--sensitive salary,who --top who=3", "`a` is not a number"),
        (
            "n.csv",
            "--sensitive salary --identifier who --top salary=3 --order salary=1,2,3,4",
            "so it has no order, hierarchy or groups",
        ),
        (
            "n.csv",
            "--sensitive salary --identifier who --top salary=3 --groups salary=widths:2",
            "so it has no order, hierarchy or groups",
        ),
        ("n.csv", "--sensitive salary --identifier who --round salary=0.5", "its values are whole numbers"),
    ] {
        let run = folder.run(&format!("anonymize {table} -o r.csv --quasi age --k 2 {flags}"));
        assert_eq!(run.code, 2, "{flags}: {}", run.stdout);
        assert!(run.stderr.contains(expected), "{flags}: {}", run.stderr);
        assert!(!folder.names().contains(&"r.csv".to_owned()));
    }
    let idle = folder
        .run("anonymize n.csv -o r.csv --quasi age --k 2 --sensitive salary --identifier who --top salary=9")
        .ok();
    assert!(idle.stdout.contains("no value is 9 or more, so its top changes nothing"), "{}", idle.stdout);
}
