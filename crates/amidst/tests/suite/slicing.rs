//! Sliced releases: what stays together, what is found when somebody changes them, and what they tell.

use std::collections::BTreeMap;
use std::fs;

use amidst::internals::measure::{Figure, Scores};
use amidst::internals::registry::Spec;
use amidst::plan::{Plan, Role};

use crate::forms::{Made, lines, make, people, plan, tampered};

/// Sixty people with four quasi-identifiers, of which the first two go together and the last two do.
fn persons() -> String {
    let line = |i: u32| {
        let (town, trade) = (i * 7 % 5, i * 11 % 13 % 4);
        format!(
            "{town},{},{trade},{},{},note {}\n",
            town + 10 * u32::from(i.is_multiple_of(9)),
            9 - trade - u32::from(i.is_multiple_of(7)),
            ["flu", "cold", "asthma", "gout"][(i * 5 % 7 % 4) as usize],
            i % 3
        )
    };
    "town,street,trade,wage,disease,note\n".to_owned() + &(0..60).map(line).collect::<String>()
}

fn persons_plan(publish: &str) -> Plan {
    let quasi = |name: &str| format!("{name} = {{ role = \"quasi\", kind = \"range\" }}\n");
    let text = format!(
        "[privacy]\nk = 4\nrequire = [\"frequency-l(l=2)\"]\n[method]\npublish = \"{publish}\"\n[columns]\n{}{}{}{}\
         disease = {{ role = \"sensitive\" }}\nnote = {{ role = \"other\" }}\n",
        quasi("town"),
        quasi("street"),
        quasi("trade"),
        quasi("wage")
    );
    text.parse().unwrap()
}

/// The cells of some columns of a CSV file, line by line.
fn columns(lines: &[String], wanted: &[&str]) -> Vec<Vec<String>> {
    let header: Vec<&str> = lines[0].split(',').collect();
    let places: Vec<usize> = wanted.iter().map(|w| header.iter().position(|name| name == w).unwrap()).collect();
    let cells = |line: &String| {
        let cells: Vec<&str> = line.split(',').collect();
        places.iter().map(|place| cells[*place].to_owned()).collect()
    };
    lines[1..].iter().map(cells).collect()
}

fn sorted(mut rows: Vec<Vec<String>>) -> Vec<Vec<String>> {
    rows.sort();
    rows
}

#[test]
fn columns_that_go_together_stay_together() {
    let made = make(&persons(), &persons_plan("slicing(columns=2)")).unwrap();
    let slices = lines(&made.path("release.slices.csv"));
    assert_eq!(slices, ["column,slice", "town,1", "street,1", "trade,2", "wage,2", "disease,3", "note,1"]);
    let (rows, original) = (lines(&made.path("release.csv")), lines(&made.path("table.csv")));
    assert_eq!(rows[0], "group,town,street,trade,wage,disease,note");
    for set in [&["town", "street", "note"][..], &["trade", "wage"], &["disease"]] {
        assert_eq!(sorted(columns(&rows, set)), sorted(columns(&original, set)), "{set:?}");
    }
    let all = ["town", "street", "trade", "wage"];
    assert_ne!(sorted(columns(&rows, &all)), sorted(columns(&original, &all)), "nothing was taken apart");
}

#[test]
fn the_order_of_the_plan_does_not_matter() {
    // Both sets have two quasi-identifiers; which of them is kept must be seen from the files.
    let mut other = persons_plan("slicing(columns=2)");
    other.columns.reverse();
    let made = make(&persons(), &other).unwrap();
    for with_original in [false, true] {
        let failures = made.audit(with_original).unwrap().failures;
        assert!(failures.is_empty(), "{failures:?}");
    }
}

#[test]
fn there_are_no_more_slices_than_quasi_identifiers() {
    let made = make(&people(), &plan("slicing(columns=9)", "require = [\"frequency-l(l=2)\"]")).unwrap();
    let slices = lines(&made.path("release.slices.csv"));
    assert_eq!(slices, ["column,slice", "age,1", "town,2", "disease,3"]);
}

#[test]
fn slices_that_were_tampered_with_are_found_out() {
    let made = make(&persons(), &persons_plan("slicing(columns=2)")).unwrap();
    let slices =
        |line: usize, text: &'static str| tampered(&made, "release.slices.csv", |lines| lines[line] = text.to_owned());
    assert_eq!(slices(1, "town,1"), "");
    let beside = slices(4, "wage,3").replace("disease,3", "");
    assert!(beside.contains("column `wage` is in one slice with the sensitive columns"), "{beside}");
    assert!(
        slices(6, "note,3").contains("column `note` is in one slice with the sensitive"),
        "{}",
        slices(6, "note,3")
    );
    assert!(slices(6, "note,2").contains("must be in slice 1"), "{}", slices(6, "note,2"));
    assert!(slices(2, "town,1").contains("do not name every column once"));
    assert!(slices(2, "street,3").contains("not numbered in the order of the columns"));
    assert!(slices(2, "street,x").contains("not whole"));
    let short = tampered(&made, "release.slices.csv", |lines| drop(lines.pop()));
    assert!(short.contains("do not name every column once"), "{short}");
    let late = tampered(&made, "release.csv", |lines| lines[1..].reverse());
    assert!(late.contains("comes before") || late.is_empty(), "{late}");
    let word = tampered(&made, "release.csv", |lines| lines[1] = lines[1].replacen('1', "one", 1));
    assert!(word.contains("not whole"), "{word}");
    fs::remove_file(made.path("release.slices.csv")).unwrap();
    assert!(made.audit(false).unwrap_err().to_string().contains("release.slices.csv"));
}

/// What the audit beside the original finds when a cell of the release is another.
fn beside_original(made: &Made, column: usize, value: &str) -> String {
    let path = made.path("release.csv");
    let before = fs::read_to_string(&path).unwrap();
    let mut changed = lines(&path);
    let mut cells: Vec<&str> = changed[1].split(',').collect();
    cells[column] = value;
    changed[1] = cells.join(",");
    fs::write(&path, changed.join("\n") + "\n").unwrap();
    let found = made.audit(true).unwrap();
    fs::write(&path, before).unwrap();
    found.failures.iter().map(ToString::to_string).collect()
}

#[test]
fn values_that_a_group_did_not_have_are_found_beside_the_original() {
    let made = make(&persons(), &persons_plan("slicing(columns=2)")).unwrap();
    assert!(beside_original(&made, 1, "77").contains("column `town`"));
    assert!(beside_original(&made, 3, "77").contains("`trade`, `wage`: a class has values"));
    assert!(beside_original(&made, 5, "angina").contains("`disease`: a class has values"));
}

#[test]
fn what_one_person_wants_cannot_be_sliced() {
    let csv: String =
        people().lines().enumerate().map(|(i, l)| format!("{l},{}\n", if i == 0 { "wish" } else { "2" })).collect();
    for form in ["slicing", "randomization"] {
        let mut wished = plan(form, "require = [\"frequency-l(l=2)\"]");
        let mut wish = wished.columns["disease"].clone();
        wish.role = Role::PersonalL;
        wished.columns.insert("wish".to_owned(), wish);
        let refused = make(&csv, &wished).err().unwrap().to_string();
        assert!(refused.contains("column `wish`"), "{refused}");
        assert!(make(&people(), &plan(form, "")).err().unwrap().to_string().contains("only a privacy model"));
    }
}

fn one(scores: &Scores, measure: &str, parts: &[&str]) -> f64 {
    let whole = scores.loss.get(measure).map(|value| Figure::One(*value));
    let whole = whole.or_else(|| scores.utility.get(measure).cloned()).unwrap();
    match parts.iter().fold(whole, |figure, part| match figure {
        Figure::Many(parts) => parts[*part].clone(),
        Figure::One(_) => panic!("{figure:?} has no part {part}"),
    }) {
        Figure::One(value) => value,
        many @ Figure::Many(_) => panic!("{many:?}"),
    }
}

#[test]
fn one_slice_tells_what_anatomy_does() {
    let made = |form: &str| make(&persons(), &persons_plan(form)).unwrap().outcome.scores;
    let (anatomy, whole, apart) = (made("anatomy"), made("slicing(columns=1)"), made("slicing(columns=4)"));
    for (measure, parts) in [
        ("kl", &[][..]),
        ("glp", &[]),
        // Not the error: of anatomy it takes a person's group as known, also where others that look the same are in another.
        ("re", &["disease", "bound"]),
        ("phi2", &["disease", "wage", "after"]),
        ("query", &["median"]),
        ("query", &["p95"]),
    ] {
        let (a, w, s) = (one(&anatomy, measure, parts), one(&whole, measure, parts), one(&apart, measure, parts));
        assert!((a - w).abs() < 1e-9, "{measure}: {a} {w}");
        match measure {
            "kl" => assert!(a.abs() < 1e-9 && s > 0.1, "{s}"),
            // With each column alone the classes are not known any more, so these may be anything.
            "query" | "glp" => {}
            _ => assert!((s - w).abs() < 1e-9, "{measure}: {s} {w}"),
        }
    }
}

#[test]
fn what_is_believed_is_a_mixture_over_the_groups_that_fit() {
    let made = make(&persons(), &persons_plan("slicing(columns=2)")).unwrap();
    let (rows, original) = (lines(&made.path("release.csv")), lines(&made.path("table.csv")));
    let group: Vec<String> = columns(&rows, &["group"]).concat();
    let (first, second) = (columns(&rows, &["town", "street"]), columns(&rows, &["trade", "wage"]));
    let disease: Vec<String> = columns(&rows, &["disease"]).concat();
    let records = columns(&original, &["town", "street", "trade", "wage"]);
    let own: Vec<String> = columns(&original, &["disease"]).concat();
    let n = records.len();
    // Every way to put a row together from the sets of its group.
    let size = |g: &String| group.iter().filter(|other| *other == g).count() as f64;
    let (mut glp, mut re, mut kl) = (0.0, 0.0, 0.0);
    for (record, own_value) in records.iter().zip(&own) {
        let mut believed: BTreeMap<&str, f64> = BTreeMap::new();
        for a in (0..n).filter(|a| first[*a] == record[..2]) {
            for b in (0..n).filter(|b| group[*b] == group[a] && second[*b] == record[2..]) {
                for c in (0..n).filter(|c| group[*c] == group[b]) {
                    *believed.entry(&disease[c]).or_default() += 1.0 / size(&group[a]).powi(2);
                }
            }
        }
        let sum: f64 = believed.values().sum();
        let possible: Vec<&String> = (0..n).filter(|r| records[*r] == *record).map(|r| &own[r]).collect();
        glp += believed.iter().filter(|(v, _)| !possible.iter().any(|p| p == *v)).map(|(_, w)| w / sum).sum::<f64>();
        re += 1.0 - believed.get(own_value.as_str()).copied().unwrap_or(0.0) / sum;
        kl += (possible.len() as f64 / sum).log2();
    }
    let scores = &made.outcome.scores;
    for (measure, parts, expected) in
        [("glp", &[][..], glp / n as f64), ("re", &["disease", "error"], re), ("kl", &[], kl / n as f64)]
    {
        let found = one(scores, measure, parts);
        assert!((found - expected).abs() < 1e-9, "{measure}: {found} {expected}");
    }
}

#[test]
fn suppressed_records_can_be_anything() {
    let mut some = persons_plan("slicing(columns=2)");
    some.privacy.suppress = 0.1;
    some.method.partitioner = Spec::new("mondrian");
    let csv = persons() + "400,4000,300,3000,gout,note 1\n900,9000,700,2000,flu,note 1\n";
    let made = make(&csv, &some).unwrap();
    assert!(made.outcome.suppressed.is_some());
    for with_original in [false, true] {
        let failures = made.audit(with_original).unwrap().failures;
        assert!(failures.is_empty(), "{failures:?}");
    }
    let scores = &made.outcome.scores;
    assert!(one(scores, "kl", &[]).is_finite() && one(scores, "query", &["mean"]).is_finite());
    assert!((0.0..=1.0).contains(&one(scores, "glp", &[])));
}
