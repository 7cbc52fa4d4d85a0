//! Happening 6: decimal commas, and one odd cell such as `-` or `unknown`, turned a column of numbers into text, and then into stars.

use crate::support::Folder;

const MAKE: &str = "anonymize t.csv -o r.csv --quasi height,sex --k 3 --effort fast --seed 1";

/// A table of heights and sexes, with semicolons.
fn table(heights: &[String]) -> Folder {
    let rows = heights.iter().zip(["f", "m"].iter().cycle()).map(|(height, sex)| format!("{height};{sex}\n"));
    Folder::with("t.csv", format!("height;sex\n{}", rows.collect::<String>()))
}

fn heights(write: impl Fn(usize) -> String) -> Vec<String> {
    (0..60).map(|row| write(row % 30 * 73)).collect()
}

/// Thousands with a point, and a comma before two digits.
fn german(row: usize) -> String {
    if row < 1000 { format!("{row},{:02}", row % 100) } else { format!("{}.{:03},5", row / 1000, row % 1000) }
}

fn cells(folder: &Folder, file: &str) -> Vec<String> {
    folder.text(file).lines().skip(1).map(|line| line.split(';').next().unwrap().to_owned()).collect()
}

fn planned(folder: &Folder) -> toml::Table {
    folder.text("r.plan.toml").parse::<toml::Table>().unwrap()["columns"]["height"].as_table().unwrap().clone()
}

const AUDIT: &str = "audit r.csv --plan r.plan.toml --original t.csv";

fn make(folder: &Folder, more: &str) -> crate::support::Run {
    folder.run(&format!("{MAKE} --delimiter ; {more}"))
}

#[test]
fn decimal_commas_are_numbers() {
    let folder = table(&heights(german));
    make(&folder, "").ok();
    let plan = planned(&folder);
    assert_eq!((plan["kind"].as_str(), plan["decimal"].as_str()), (Some("range"), Some(",")));
    let (before, after) = (cells(&folder, "t.csv"), cells(&folder, "r.csv"));
    for cell in &after {
        let (lo, hi) = cell[1..cell.len() - 1].split_once('-').unwrap();
        assert!(before.iter().any(|text| text == lo) && before.iter().any(|text| text == hi), "{cell}");
    }
    folder.run(AUDIT).ok();
    let lo = after[0][1..].split('-').next().unwrap();
    let release = folder.text("r.csv");
    folder.write("r.csv", release.replace(&after[0], &format!("[{lo}-{lo}]")));
    assert_eq!(folder.run(AUDIT).code, 1);
}

#[test]
fn centres_and_bounds_have_commas_too() {
    let folder = table(&["12,5", "13,0", "1.000,25", "2.000,75"].map(str::to_owned));
    let made = |show: &str| {
        let args = "anonymize t.csv -o r.csv --quasi height --others drop --k 2 --keep-order --seed 1 --delimiter ; --show height=";
        folder.run(&format!("{args}{show}")).ok();
        folder.run(AUDIT).ok();
        cells(&folder, "r.csv")
    };
    assert_eq!(made("mean"), ["12,75", "12,75", "1500,5", "1500,5"]);
    assert_eq!(made("bounds"), ["12,5", "12,5", "1.000,25", "1.000,25"]);
    made("mean");
    let release = folder.text("r.csv");
    folder.write("r.csv", release.replace("1500,5", "1500,4"));
    assert_eq!(folder.run(AUDIT).code, 1);
}

#[test]
fn separators_of_thousands_are_not_guessed() {
    let folder = table(&heights(|row| format!("{},{:03}", 1 + row / 1000, row % 1000)));
    let run = make(&folder, "");
    assert_eq!(run.code, 2);
    assert_eq!(folder.names(), ["t.csv"]);
    assert!(run.stderr.contains("column `height`") && run.stderr.contains("`1,000` (row 1)"), "{}", run.stderr);
    assert!(
        run.stderr.contains("(--decimal ',')") && run.stderr.contains("(--kind height=suppress)"),
        "{}",
        run.stderr
    );
    make(&folder, "--decimal ,").ok();
    assert_eq!(planned(&folder)["decimal"].as_str(), Some(","));
    folder.run(AUDIT).ok();
    make(&folder, "--kind height=suppress").ok();
    folder.run(AUDIT).ok();
}

#[test]
fn odd_cells_among_numbers_are_named() {
    let mut values = heights(|row| row.to_string());
    values[7] = "-".to_owned();
    values[9] = "unknown".to_owned();
    let folder = table(&values);
    let run = make(&folder, "");
    assert_eq!(run.code, 2);
    assert_eq!(folder.names(), ["t.csv"]);
    for part in ["column `height`", "`-` (row 8), `unknown` (row 10)", "(--missing '-')", "(--kind height=set)"] {
        assert!(run.stderr.contains(part), "{part}: {}", run.stderr);
    }
    // Each way out works.
    make(&folder, "--missing - --missing unknown").ok();
    assert_eq!(planned(&folder)["type"].as_str(), Some("integer"));
    folder.run(AUDIT).ok();
    make(&folder, "--kind height=set").ok();
    folder.run(AUDIT).ok();
    // A first plan takes the column for text, and says why.
    folder.run("init t.csv --yes --k 3 --delimiter ;").ok();
    let plan = folder.text("t.plan.toml");
    let line = plan.lines().find(|line| line.starts_with("height")).unwrap();
    assert!(line.contains(r#"whole numbers but for "-", "unknown""#), "{line}");
}

#[test]
fn odd_cells_among_dates_are_named() {
    let mut values: Vec<String> = (0..60).map(|row| format!("{:02}.{:02}.2001", 1 + row % 28, 1 + row / 5)).collect();
    values[0] = "n.a.".to_owned();
    let folder = table(&values);
    let run = make(&folder, "");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("its values are dates but for `n.a.` (row 1)"), "{}", run.stderr);
    make(&folder, "--missing n.a.").ok();
    assert_eq!(planned(&folder)["format"].as_str(), Some("%d.%m.%Y"));
    folder.run(AUDIT).ok();
}

#[test]
fn texts_with_a_few_numbers_are_texts() {
    let folder = table(&heights(|row| format!("{}{}", ["a", "b", "", "d"][row % 4], row % 9)));
    make(&folder, "").ok();
    assert_eq!(planned(&folder)["kind"].as_str(), Some("set"));
}
