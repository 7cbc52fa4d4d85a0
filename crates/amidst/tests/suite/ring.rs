//! Rings: who fits which rows, judged from the published texts alone and by trying all assignments.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use amidst::internals::measure::Figure;
use amidst::plan::{Plan, RowOrder};

use crate::forms::{Made, lines, make, tampered};

/// A person: age, height, disease, and a note that nobody else has.
type Person = (i64, i64, &'static str, String);

fn people(count: i64) -> Vec<Person> {
    let disease = |i: i64| ["flu", "cold", "asthma", "gout", "flu"][(i * 7 % 11 % 5) as usize];
    (0..count).map(|i| (20 + i * 37 % 60, 150 + i * i * 13 % 47, disease(i), format!("n{i}"))).collect()
}

fn csv(people: &[Person]) -> String {
    let line = |(age, height, disease, note): &Person| format!("{age},{height},{disease},{note}\n");
    "age,height,disease,note\n".to_owned() + &people.iter().map(line).collect::<String>()
}

fn plan(k: usize, seed: u64, form: &str, require: &str) -> Plan {
    format!(
        "[privacy]\nk = {k}\nrequire = [{require}]\n[method]\npartitioner = \"mondrian\"\npublish = \"{form}\"\nseed = {seed}\n[columns]\n\
         age = {{ role = \"quasi\", kind = \"range\" }}\nheight = {{ role = \"quasi\", kind = \"range\" }}\n\
         disease = {{ role = \"sensitive\" }}\nnote = {{ role = \"other\" }}\n"
    )
    .parse()
    .unwrap()
}

/// A published row.
#[derive(Debug, Clone)]
struct Row {
    age: (i64, i64),
    height: (i64, i64),
    disease: String,
    /// Whose values it carries.
    person: usize,
}

impl Row {
    fn covers(&self, person: &Person) -> bool {
        let within = |(lo, hi): (i64, i64), value: i64| lo <= value && value <= hi;
        within(self.age, person.0) && within(self.height, person.1)
    }
}

/// The window and the rows of each group, by their places.
fn rings(made: &Made) -> Vec<(usize, Vec<Row>)> {
    let lines = lines(&made.path("release.csv"));
    assert_eq!(lines[0], "group,place,window,age,height,disease,note");
    let span = |text: &str| match text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        Some(inner) => {
            let (lo, hi) = inner.split_once('-').unwrap();
            (lo.trim().parse().unwrap(), hi.trim().parse().unwrap())
        }
        None => (text.parse().unwrap(), text.parse().unwrap()),
    };
    let mut groups: BTreeMap<usize, BTreeMap<usize, (usize, Row)>> = BTreeMap::new();
    for line in &lines[1..] {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |i: usize| cells[i].parse::<usize>().unwrap();
        let row = Row {
            age: span(cells[3]),
            height: span(cells[4]),
            disease: cells[5].to_owned(),
            person: cells[6][1..].parse().unwrap(),
        };
        assert!(groups.entry(number(0)).or_default().insert(number(1), (number(2), row)).is_none());
    }
    let ring = |rows: BTreeMap<usize, (usize, Row)>| {
        assert!(rows.keys().copied().eq(1..=rows.len()));
        let window = rows[&1].0;
        assert!(window >= made.plan.privacy.k);
        (window, rows.into_values().map(|(_, row)| row).collect())
    };
    groups.into_values().map(ring).collect()
}

/// All ways to give every record a row of its own that covers it: for each row the place of the record.
fn matchings(fits: &[Vec<bool>]) -> Vec<Vec<usize>> {
    fn extend(fits: &[Vec<bool>], so_far: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        if so_far.len() == fits.len() {
            all.push(so_far.clone());
            return;
        }
        for record in 0..fits.len() {
            if fits[so_far.len()][record] && !so_far.contains(&record) {
                so_far.push(record);
                extend(fits, so_far, all);
                so_far.pop();
            }
        }
    }
    let mut all = Vec::new();
    extend(fits, &mut Vec::new(), &mut all);
    all
}

/// The shifts with which a ring is consistent: the row at place p covers the records that stand c places before to w - 1 - c behind.
fn shifts(people: &[Person], window: usize, rows: &[Row]) -> Vec<usize> {
    let size = rows.len();
    let fits = |c: usize| {
        (0..size).all(|p| (0..window).all(|i| rows[p].covers(&people[rows[(p + size - c + i) % size].person])))
    };
    (0..window).filter(|c| fits(*c)).collect()
}

#[test]
fn every_shift_gives_everybody_a_row_and_no_row_twice() {
    let people = people(23);
    for (seed, require) in [(1, ""), (2, ""), (3, "\"distinct-l(l=2)\""), (4, "\"frequency-l(l=1.5)\"")] {
        let made = make(&csv(&people), &plan(4, seed, "ring", require)).unwrap();
        let rings = rings(&made);
        assert_eq!(rings.iter().map(|(_, rows)| rows.len()).sum::<usize>(), 23);
        for (window, rows) in rings {
            let size = rows.len();
            assert!(window >= 4 && size < 10, "{window} of {size}: small enough to try all");
            let c = shifts(&people, window, &rows)[0];
            let covers = |p: usize, q: usize| rows[p].covers(&people[rows[q].person]);
            let fits: Vec<Vec<bool>> = (0..size).map(|p| (0..size).map(|q| covers(p, q)).collect()).collect();
            let all = matchings(&fits);
            // Turned by every number of places from c back to w - 1 - c on: all are possible, and no two share a pair.
            let mut pairs = BTreeSet::new();
            for turn in 0..window {
                let turned: Vec<usize> = (0..size).map(|p| (p + size - c + turn) % size).collect();
                assert!(all.contains(&turned), "turned by {turn}");
                turned.iter().enumerate().for_each(|(p, q)| assert!(pairs.insert((p, *q)), "twice"));
            }
            // So with every turn as likely, each record is in each of w rows with probability 1/w.
            for q in 0..size {
                assert_eq!(pairs.iter().filter(|(_, record)| *record == q).count(), window);
            }
        }
    }
}

#[test]
fn every_shift_occurs_and_windows_lose_less_than_classes() {
    let people = people(17);
    let mut seen = BTreeSet::new();
    for seed in 0..60 {
        let made = make(&csv(&people), &plan(4, seed, "ring", "")).unwrap();
        for (window, rows) in rings(&made) {
            assert_eq!(window, 4);
            if let [one] = shifts(&people, window, &rows)[..] {
                seen.insert(one);
            }
        }
        let whole = make(&csv(&people), &plan(4, seed, "generalization", "")).unwrap();
        for measure in ["lm", "ncp", "mi", "am", "byun"] {
            assert!(made.outcome.scores.loss[measure] <= whole.outcome.scores.loss[measure] + 1e-12, "{measure}");
        }
        assert!(made.outcome.scores.skipped["dm"].contains("its own closure"));
        assert!(made.outcome.scores.skipped.contains_key("c-avg"));
    }
    assert_eq!(seen, BTreeSet::from([0, 1, 2, 3]));
}

#[test]
fn neighbours_have_different_values_as_far_as_the_values_allow() {
    let people = people(60);
    for form in ["ring", "ring(order=dealt)"] {
        let mut plan = plan(2, 5, form, "\"frequency-l(l=2)\"");
        plan.method.partitioner = amidst::internals::registry::Spec::new("aip");
        let made = make(&csv(&people), &plan).unwrap();
        for (window, rows) in rings(&made) {
            let size = rows.len();
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            rows.iter().for_each(|row| *counts.entry(&row.disease).or_default() += 1);
            let apart = size / counts.values().max().unwrap();
            assert!(apart >= 2 && window == 2, "{window} of {size}, {apart} apart");
            for p in 0..size {
                let near: BTreeSet<&str> = (0..apart).map(|i| rows[(p + i) % size].disease.as_str()).collect();
                assert_eq!(near.len(), apart);
            }
        }
        assert_eq!(made.outcome.audit.achieved.sensitive["disease"].distinct_l, 2);
        assert!((made.outcome.audit.achieved.sensitive["disease"].l - 2.0).abs() < 1e-12);
    }
}

#[test]
fn what_can_be_believed_is_what_stands_in_the_rows_that_a_record_fits() {
    let mut people = people(19);
    (people[3].0, people[3].1) = (people[7].0, people[7].1); // two whom only the note tells apart
    for order in ["mixed", "near", "dealt"] {
        let form = format!("ring(order={order})");
        let made = make(&csv(&people), &plan(3, 8, &form, "\"frequency-l(l=1.5)\"")).unwrap();
        let (mut glp, mut error) = (0.0, 0.0);
        for (window, rows) in rings(&made) {
            let size = rows.len();
            let c = *shifts(&people, window, &rows).last().unwrap();
            for (p, row) in rows.iter().enumerate() {
                let me = &people[row.person];
                let possible: Vec<&str> = people.iter().filter(|x| (x.0, x.1) == (me.0, me.1)).map(|x| x.2).collect();
                // I stand where my values' row would be with shift 0, c places on, and fit the w rows up to there.
                let mine = (0..window).map(|i| &rows[(p + c + size - i) % size]);
                assert!(mine.clone().all(|row| row.covers(me)));
                let believed: Vec<&str> = mine.map(|row| row.disease.as_str()).collect();
                let share = |wrong: usize| wrong as f64 / window as f64;
                glp += share(believed.iter().filter(|d| !possible.contains(d)).count());
                error += share(believed.iter().filter(|d| **d != me.2).count());
            }
        }
        assert!((made.outcome.scores.loss["glp"] - glp / 19.0).abs() < 1e-9, "{order}");
        let Figure::Many(re) = &made.outcome.scores.utility["re"] else { panic!() };
        let Figure::Many(disease) = &re["disease"] else { panic!() };
        assert!(matches!(disease["error"], Figure::One(found) if (found - error).abs() < 1e-9), "{order}");
    }
}

/// Replaces a cell.
fn set(line: &mut String, column: usize, text: &str) {
    let mut cells: Vec<&str> = line.split(',').collect();
    cells[column] = text;
    *line = cells.join(",");
}

#[test]
fn a_ring_that_was_tampered_with_is_found_out() {
    let people = people(40);
    let made = make(&csv(&people), &plan(4, 1, "ring", "\"frequency-l(l=2)\"")).unwrap();
    assert_eq!(tampered(&made, "release.csv", |_| {}), "");
    let found = |line: usize, column: usize, text: &str| {
        tampered(&made, "release.csv", |lines| set(&mut lines[line], column, text))
    };
    assert!(found(1, 0, "2").contains("comes before"));
    assert!(found(1, 0, "one").contains("not whole"));
    assert!(found(1, 1, "99").contains("no place 99"));
    assert!(found(1, 2, "99").contains("but"));
    let all = |column: usize, text: &str| {
        tampered(&made, "release.csv", |lines| lines[1..].iter_mut().for_each(|line| set(line, column, text)))
    };
    assert!(all(1, "1").contains("same place"));
    assert!(all(2, "3").contains("k = 4 was asked for but k = 3"));
    assert!(found(1, 3, "999").contains("no value of `age` in common"));
    assert!(all(5, "flu").contains("frequency-l(l=2) was asked"));
    let mixed = tampered(&made, "release.csv", |lines| {
        let place = lines[1].split(',').nth(1).unwrap().to_owned();
        let other = lines[2..].iter().position(|line| line.starts_with("1,")).unwrap() + 2;
        set(&mut lines[other], 1, &place);
    });
    assert!(mixed.contains("same place"), "{mixed}");
}

#[test]
fn only_the_original_proves_the_windows() {
    // Two far ages apart in one ring: every window of two rows has the middle in common, but nobody is there.
    let people: Vec<Person> =
        [20, 20, 60, 60].iter().enumerate().map(|(i, age)| (*age, 150, "flu", format!("n{i}"))).collect();
    let made = make(&csv(&people), &plan(4, 1, "ring", "")).unwrap();
    assert!(made.audit(true).unwrap().failures.is_empty());
    let before = fs::read_to_string(made.path("release.csv")).unwrap();
    let narrow = |line: &str| {
        let own = if line.ends_with("n0") || line.ends_with("n1") { "[20-40]" } else { "[40-60]" };
        line.replace("[20-60]", own)
    };
    let lines: Vec<String> = before.lines().map(narrow).collect();
    fs::write(made.path("release.csv"), lines.join("\n") + "\n").unwrap();
    fs::remove_file(made.path("release.manifest.json")).unwrap(); // it would tell
    assert!(made.audit(false).unwrap().failures.is_empty(), "all could be 40");
    let found = made.audit(true).unwrap().failures;
    assert!(found[0].0.contains("some records fit fewer than 4 rows"), "{found:?}");
}

#[test]
fn plans_under_which_rings_would_tell_are_refused() {
    let people = csv(&people(20));
    let refused = |change: &dyn Fn(&mut Plan), csv: &str| {
        let mut plan = plan(4, 1, "ring", "");
        change(&mut plan);
        make(csv, &plan).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert_eq!(refused(&|_| {}, &people), "");
    assert!(refused(&|plan| plan.method.order = RowOrder::Keep, &people).contains("whose values it has"));
    assert!(refused(&|plan| plan.privacy.suppress = 0.1, &people).contains("if some are left out"));
    for name in ["group", "place", "window"] {
        let rename = |plan: &mut Plan| {
            let column = plan.columns.shift_remove("height").unwrap();
            plan.columns.insert(name.to_owned(), column);
        };
        assert!(refused(&rename, &people.replace("height", name)).contains("rename the column"));
    }
}
