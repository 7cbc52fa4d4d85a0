//! Happening 5: only ISO dates were known. Dates in other forms, times and zones ended as stars.

use std::sync::Arc;

use arrow_array::{ArrayRef, StringArray, TimestampMicrosecondArray};

use crate::contract::formats::parquet;
use crate::support::Folder;

const ROWS: usize = 60;

/// A table of moments, one in a week, and a column beside it.
fn table(moment: impl Fn(usize) -> String) -> Folder {
    let rows = (0..ROWS).map(|row| format!("\"{}\",{}\n", moment(row), ["f", "m"][row % 2]));
    Folder::with("t.csv", format!("when,sex\n{}", rows.collect::<String>()))
}

/// Day, month, year, hour and minute of a row: from 3 January 2001 on, the 17th of the month or earlier, so that nothing is ambiguous by rule.
fn parts(row: usize) -> (usize, usize, usize, usize, usize) {
    (3 + row % 15, 1 + row % 12, 2001 + row / 30, row % 24, (row * 7) % 60)
}

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const MAKE: &str = "anonymize t.csv -o r.csv --quasi when,sex --k 3 --effort fast --seed 1";

/// The column of a file.
fn column(folder: &Folder, file: &str, name: &str) -> Vec<String> {
    let text = folder.text(file);
    let mut lines = csv_rows(&text);
    let place = lines.remove(0).iter().position(|column| column == name).unwrap();
    lines.into_iter().map(|mut row| row.swap_remove(place)).collect()
}

fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let field = |line: &str| {
        let (mut fields, mut quoted) = (vec![String::new()], false);
        for c in line.chars() {
            match c {
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                c => fields.last_mut().unwrap().push(c),
            }
        }
        fields
    };
    text.lines().map(field).collect()
}

fn planned(folder: &Folder) -> toml::Table {
    folder.text("r.plan.toml").parse::<toml::Table>().unwrap()["columns"]["when"].as_table().unwrap().clone()
}

/// The release is true and has ranges between texts of the column, and a bound that is moved inward is found.
fn ranges_hold(folder: &Folder, original: &str) {
    let audit = format!("audit r.csv --plan r.plan.toml --original {original}");
    folder.run(&audit).ok();
    let (before, after) = (column(folder, "t.csv", "when"), column(folder, "r.csv", "when"));
    let ranges: Vec<&String> = after.iter().filter(|cell| cell.starts_with('[')).collect();
    assert!(ranges.len() > ROWS / 2 && !after.contains(&"*".to_owned()), "{after:?}");
    for range in &ranges {
        let (lo, hi) = range[1..range.len() - 1].split_once(" - ").unwrap();
        assert!(before.iter().any(|text| text == lo) && before.iter().any(|text| text == hi), "{range}");
    }
    // All rows of the class say the lower bound only, which is not true of the others.
    let cell = ranges[0].clone();
    let (lo, _) = cell[1..].split_once(" - ").unwrap();
    let release = folder.text("r.csv");
    folder.write("r.csv", release.replace(&cell, &format!("[{lo} - {lo}]")));
    let failed = folder.run(&audit);
    assert_eq!(failed.code, 1, "{}{}", failed.stdout, failed.stderr);
}

/// Writes the date or the time of a row.
type Write = fn(usize) -> String;

/// How dates and times are written, and a writer of each.
const FORMS: [(&str, Write); 16] = [
    ("%Y/%m/%d", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{y}/{m:02}/{d:02}")
    }),
    ("%d.%m.%Y", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{d:02}.{m:02}.{y}")
    }),
    ("%-m/%-d/%Y", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{m}/{d}/{y}")
    }),
    ("%d/%m/%Y", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{d:02}/{m:02}/{y}")
    }),
    ("%d-%m-%Y", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{d:02}-{m:02}-{y}")
    }),
    ("%d-%b-%Y", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{d:02}-{}-{y}", MONTHS[m - 1])
    }),
    ("%b %-d, %Y", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{} {d}, {y}", MONTHS[m - 1])
    }),
    ("%d.%m.%y", |row| {
        let (d, m, y, ..) = parts(row);
        format!("{d:02}.{m:02}.{:02}", y % 100)
    }),
    ("%Y-%m-%d %H:%M", |row| {
        let (d, m, y, h, min) = parts(row);
        format!("{y}-{m:02}-{d:02} {h:02}:{min:02}")
    }),
    ("%Y-%m-%dT%H:%M:%S", |row| {
        let (d, m, y, h, min) = parts(row);
        format!("{y}-{m:02}-{d:02}T{h:02}:{min:02}:59")
    }),
    ("%Y-%m-%dT%H:%M:%S%.3f", |row| {
        let (d, m, y, h, min) = parts(row);
        format!("{y}-{m:02}-{d:02}T{h:02}:{min:02}:00.{row:03}")
    }),
    ("%Y-%m-%dT%H:%M:%SZ", |row| {
        let (d, m, y, h, min) = parts(row);
        format!("{y}-{m:02}-{d:02}T{h:02}:{min:02}:00Z")
    }),
    ("%Y-%m-%dT%H:%M:%S%:z", |row| {
        let (d, m, y, h, min) = parts(row);
        format!("{y}-{m:02}-{d:02}T{h:02}:{min:02}:00{}", ["+02:00", "-05:30"][row % 2])
    }),
    ("%-m/%-d/%Y %-I:%M %p", |row| {
        let (d, m, y, h, min) = parts(row);
        format!("{m}/{d}/{y} {}:{min:02} {}", (h + 11) % 12 + 1, ["AM", "PM"][h / 12])
    }),
    ("%H:%M", |row| {
        let (.., h, min) = parts(row);
        format!("{h:02}:{min:02}")
    }),
    ("%H:%M:%S", |row| {
        let (.., h, min) = parts(row);
        format!("{h:02}:{min:02}:05")
    }),
];

#[test]
fn every_form_of_dates_and_times_becomes_ranges() {
    for (format, write) in FORMS {
        let folder = table(write);
        folder.run(MAKE).ok();
        let plan = planned(&folder);
        assert_eq!(plan["kind"].as_str(), Some("range"), "{format}");
        assert_eq!(plan["format"].as_str(), Some(format));
        ranges_hold(&folder, "t.csv");
    }
}

#[test]
fn whether_the_day_or_the_month_is_first_is_not_guessed() {
    let folder = table(|row| format!("{}/{}/2001", 1 + row % 12, 1 + row / 5));
    let run = folder.run(MAKE);
    assert_eq!(run.code, 2);
    assert_eq!(folder.names(), ["t.csv"]);
    assert!(run.stderr.contains("column `when`"), "{}", run.stderr);
    let ways: Vec<&str> = run.stderr.split("--format '").skip(1).map(|way| way.split('\'').next().unwrap()).collect();
    assert_eq!(ways, ["when=%-d/%-m/%Y", "when=%-m/%-d/%Y"], "{}", run.stderr);
    for way in ways {
        folder.run_args(&[&MAKE.split(' ').collect::<Vec<_>>()[..], &["--format", way]].concat()).ok();
        assert_eq!(planned(&folder)["format"].as_str(), Some(&way[5..]));
        ranges_hold(&folder, "t.csv");
    }
    // A first plan keeps them as texts, and says why.
    folder.run("init t.csv --yes --k 3").ok();
    let plan = folder.text("t.plan.toml");
    let line = plan.lines().find(|line| line.starts_with("when")).unwrap();
    assert!(line.contains("\"suppress\"") && line.contains("the day or the month first"), "{line}");
    assert!(line.contains("%-m/%-d/%Y"), "{line}");
}

#[test]
fn times_of_zones_are_ordered_by_the_instant() {
    // In universal time: 10:00, 11:00, 12:00, 13:00. As texts they are in another order.
    let times = ["12:00:00+02:00", "11:00:00Z", "06:30:00-05:30", "15:00:00+02:00"];
    let rows: String = times.iter().map(|time| format!("2001-09-10T{time}\n")).collect();
    let folder = Folder::with("t.csv", format!("when\n{rows}"));
    folder.run("anonymize t.csv -o r.csv --quasi when --k 2 --keep-order --seed 1").ok();
    let cells = column(&folder, "r.csv", "when");
    let (early, late) = (
        "[2001-09-10T12:00:00+02:00 - 2001-09-10T11:00:00Z]".to_owned(),
        "[2001-09-10T06:30:00-05:30 - 2001-09-10T15:00:00+02:00]".to_owned(),
    );
    assert_eq!(cells, [early.clone(), early, late.clone(), late]);
    folder.run("audit r.csv --plan r.plan.toml --original t.csv").ok();
}

#[test]
fn centres_of_times_are_times() {
    let folder =
        Folder::with("t.csv", "when\n09/10/2001 14:30\n09/10/2001 14:31\n09/13/2001 08:00\n09/13/2001 10:00\n");
    let made = "anonymize t.csv -o r.csv --quasi when --k 2 --keep-order --seed 1 --show when=";
    // The mean of 14:30 and 14:31 is 14:30:30, which the column rounds down to a minute.
    for how in ["mean", "middle"] {
        folder.run(&format!("{made}{how}")).ok();
        let cells = column(&folder, "r.csv", "when");
        assert_eq!(cells, ["09/10/2001 14:30", "09/10/2001 14:30", "09/13/2001 09:00", "09/13/2001 09:00"], "{how}");
        let audit = "audit r.csv --plan r.plan.toml --original t.csv";
        folder.run(audit).ok();
        let release = folder.text("r.csv");
        for wrong in ["09/13/2001 09:01", "09/13/2001 08:59"] {
            folder.write("r.csv", release.replace("09/13/2001 09:00", wrong));
            assert_eq!(folder.run(audit).code, 1, "{how}: {wrong}");
        }
    }
}

#[test]
fn calendar_units_take_any_form() {
    let folder = table(|row| {
        let (d, m, y, h, min) = parts(row);
        format!("{d:02}.{m:02}.{y} {h:02}:{min:02}")
    });
    folder.run(&format!("{MAKE} --hierarchy when=dates:day,month,year")).ok();
    assert_eq!(planned(&folder)["format"].as_str(), Some("%d.%m.%Y %H:%M"));
    let cells = column(&folder, "r.csv", "when");
    assert!(cells.iter().all(|cell| ["2001", "2002", "*"].contains(&cell.as_str()) || cell.len() == 7), "{cells:?}");
    folder.run("audit r.csv --plan r.plan.toml --original t.csv").ok();
}

#[test]
fn dates_of_any_form_are_moved_and_counted() {
    let visits = |row: usize| {
        let (d, m, y, h, min) = parts(row);
        format!("p{},{m}/{d}/{y} {h:02}:{min:02},{d:02}.{m:02}.{y},{}\n", row / 3, 20 + row / 3 % 20)
    };
    let rows: String = (0..ROWS).map(visits).collect();
    let folder = Folder::with("t.csv", format!("pid,seen,born,age\n{rows}"));
    folder.run("key -o k.key").ok();
    let made = "anonymize t.csv -o r.csv --quasi age --person pid --pseudonym pid --shift seen=30 --study-day born --k 3 --keep-order --key k.key";
    folder.run(made).ok();
    for key in ["--key k.key", ""] {
        folder.run(&format!("audit r.csv --plan r.plan.toml --original t.csv {key}")).ok();
    }
    let (before, after) = (column(&folder, "t.csv", "seen"), column(&folder, "r.csv", "seen"));
    assert_ne!(before, after);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.split(' ').nth(1), after.split(' ').nth(1), "the time of the day stays");
    }
    let days: Vec<i64> = column(&folder, "r.csv", "born").iter().map(|day| day.parse().unwrap()).collect();
    // The first visits of the first person are on 3 January, 4 February and 5 March 2001.
    assert_eq!(days[..3], [0, 32, 61]);
    let release = folder.text("r.csv");
    // The key is random, so the first visit may have moved to December 2000.
    let other = after[0].replace("/200", "/190");
    assert_ne!(other, after[0]);
    folder.write("r.csv", release.replacen(&after[0], &other, 1));
    assert_eq!(folder.run("audit r.csv --plan r.plan.toml --original t.csv --key k.key").code, 1);
}

#[test]
fn times_of_parquet_files_become_ranges() {
    let hours: Vec<i64> = (0..ROWS as i64).map(|row| (1_000_000_000 + row * 5_000) * 1_000_000).collect();
    let midnight = 1_000_080_000_000_000; // 10 September 2001
    let of = |zone: Option<&str>| -> ArrayRef {
        let hours = hours.iter().copied().chain([midnight]);
        Arc::new(TimestampMicrosecondArray::from_iter_values(hours).with_timezone_opt(zone))
    };
    let sexes: ArrayRef = Arc::new(StringArray::from_iter_values((0..=ROWS).map(|row| ["f", "m"][row % 2])));
    for zone in [None, Some("UTC"), Some("+02:00"), Some("Europe/Berlin")] {
        let bytes = parquet(&[("when", of(zone)), ("sex", sexes.clone())]);
        let folder = Folder::with("t.parquet", bytes);
        folder.run("anonymize t.parquet -o r.csv --quasi when,sex --k 3 --effort fast --seed 1").ok();
        let cells = column(&folder, "r.csv", "when");
        assert!(cells.iter().all(|cell| cell.starts_with("[2001-09-")), "{zone:?}: {cells:?}");
        let audit = "audit r.csv --plan r.plan.toml --original t.parquet";
        folder.run(audit).ok();
        let (cell, release) = (cells[0].clone(), folder.text("r.csv"));
        let (lo, _) = cell[1..].split_once(" - ").unwrap();
        folder.write("r.csv", release.replace(&cell, &format!("[{lo} - {lo}]")));
        assert_eq!(folder.run(audit).code, 1, "{zone:?}");
    }
}

#[test]
fn the_advice_of_risk_can_be_pasted() {
    let names = ["Ann", "Bob", "Cid", "Dan", "Eva", "Fay"];
    let rows: String = (0..ROWS)
        .map(|row| {
            let (d, m, y, ..) = parts(row);
            let name = format!("{} O'{}{row}", names[row % 6], names[row / 6 % 6]);
            format!(
                "{row},{name},{d:02}.{m:02}.{y},{},{},{}\n",
                20 + row % 40,
                ["f", "m"][row % 2],
                ["flu", "cold"][row / 30]
            )
        })
        .collect();
    let folder = Folder::with("the table.csv", format!("Patient ID,Full name,Date of birth,Age,Sex,Diagnosis\n{rows}"));
    let told = folder.run_args(&["risk", "the table.csv"]).ok().stdout;
    let command = told.lines().find_map(|line| line.trim().strip_prefix("amidst anonymize")).expect(&told);
    assert!(command.contains("--identifier 'Patient ID,Full name'"), "{told}");
    let script = format!("\"$AMIDST\" anonymize{command} --effort fast -q");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).env("AMIDST", crate::support::amidst()).current_dir(folder.path("."));
    let output = shell.output().unwrap();
    assert!(output.status.success(), "{script}\n{}", String::from_utf8_lossy(&output.stderr));
    let header = folder.text("release.csv").lines().next().unwrap().to_owned();
    assert!(header.contains("Date of birth") && !header.contains("name"), "{header}");
}

/// 05/05/53 of somebody who is seventy is read as 2053.
#[test]
fn years_of_two_digits_that_lie_ahead_are_told() {
    let days = ["05/15/53", "11/30/48", "01/02/71", "09/13/99", "04/04/01", "04/14/01"];
    let folder = Folder::with("t.csv", format!("born\n{}\n", days.join("\n")));
    let run = folder.run("anonymize t.csv -o r.csv --quasi born --k 2").ok();
    assert!(
        run.stdout.contains("`born`: years of two digits stand for 1970 to 2069, so 2 different dates are"),
        "{}",
        run.stdout
    );
    folder.write("late.csv", format!("born\n{}\n", days[2..].join("\n")));
    let run = folder.run("anonymize late.csv -o r2.csv --quasi born --k 2").ok();
    assert!(!run.stdout.contains("two digits"), "{}", run.stdout);
}
