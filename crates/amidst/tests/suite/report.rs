//! Reports: what they say is so, and they say nothing about a few.

use std::collections::BTreeMap;
use std::fs;

use amidst::internals::chart::{self, Frame, LineStyle, Series};
use amidst::internals::measure::{Change, Distribution, Figure};
use amidst::internals::read::Source;
use amidst::internals::registry::specs;
use amidst::internals::report::{Crowd, details};
use amidst::pipeline::{CompareJob, Job, anonymize, compare};
use amidst::plan::{Plan, PlanOrigin};
use amidst::progress::Progress;
use amidst::report::Outcome;

use crate::forms::{Made, make, people, plan};

fn parts(distribution: &Distribution) -> Vec<Change> {
    match distribution {
        Distribution::Numbers { bins, missing } => bins.iter().map(|bin| bin.records).chain(*missing).collect(),
        Distribution::Categories { values, other } => {
            values.iter().map(|value| value.records).chain(other.map(|other| other.records)).collect()
        }
    }
}

/// No value and no range of the original stands there with more than none and fewer than k records, all records are counted, and every form of the
/// report can be written.
pub fn tells_of_no_few(outcome: &Outcome, rows: usize, k: usize) {
    let details = details(outcome).unwrap();
    for column in &details.columns {
        let parts = parts(&column.distribution);
        assert!(parts.iter().all(|part| part.before == 0.0 || part.before >= k as f64), "{column:?}");
        let sum = parts.iter().fold(Change::default(), |sum, part| sum + *part);
        // All are counted, or what the sum lacks would tell of a few.
        assert!((sum.before - rows as f64).abs() < 1e-6, "{column:?}");
        assert!((sum.after - outcome.audit.rows as f64).abs() < 1e-6, "{column:?}");
    }
    for crowds in [|crowd: &Crowd| crowd.before, |crowd: &Crowd| crowd.after] {
        assert_eq!(details.crowds.iter().map(crowds).sum::<usize>(), rows);
    }
    let small = details.crowds.iter().filter(|crowd| crowd.to.is_some_and(|to| to < k));
    assert_eq!(small.map(|crowd| crowd.after).sum::<usize>(), 0);
    assert!(details.promises.iter().all(|promise| promise.kept));
    if let (Some(lm), true) = (outcome.scores.loss.get("lm"), details.columns.iter().any(|c| c.loss.is_some())) {
        let losses: Vec<f64> = details.columns.iter().filter_map(|column| column.loss).collect();
        let mean = losses.iter().sum::<f64>() / losses.len() as f64; // all weights are 1 in these tables
        assert!((mean - lm).abs() < 1e-9, "{losses:?}, lm {lm}");
    }
    let page = outcome.page().unwrap();
    for text in [&page, &outcome.whole_text()] {
        let mut words = text.split(|c: char| c.is_whitespace() || "<>\"=,;:()".contains(c));
        assert!(!words.any(|word| ["NaN", "inf", "-inf"].contains(&word)), "{text}");
    }
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    assert!(page.matches("<figure>").count() >= details.columns.len());
}

fn made(csv: &str, form: &str, privacy: &str) -> Made {
    make(csv, &plan(form, privacy)).unwrap()
}

#[test]
fn values_are_counted_where_cells_say_they_may_be() {
    // Two classes of four: ages 20, 20, 30, 30 and 40, 40, 50, 50; the first in Ulm and Bonn, the second in Kiel.
    let rows = "20,Ulm,a\n20,Bonn,b\n30,Ulm,a\n30,Ulm,b\n40,Kiel,a\n40,Kiel,b\n50,Kiel,a\n50,Kiel,b\n";
    let made = made(&format!("age,town,disease\n{rows}"), "generalization", "");
    assert_eq!(made.outcome.audit.class_sizes, BTreeMap::from([(4, 2)]));
    let details = details(&made.outcome).unwrap();
    let Distribution::Categories { values, other } = &details.columns[0].distribution else { panic!("few ages") };
    // No age has four records, so none is named.
    assert!(values.is_empty());
    let other = other.unwrap();
    assert_eq!((other.values, other.records), (4, Change { before: 8.0, after: 8.0 }));
    let Distribution::Categories { values, other } = &details.columns[1].distribution else { panic!("towns") };
    // Kiel has four. Ulm has three and Bonn one: four together. The release says of four records that they are in Ulm or Bonn.
    assert_eq!(values.len(), 1);
    assert_eq!((values[0].label.as_str(), values[0].records), ("Kiel", Change { before: 4.0, after: 4.0 }));
    assert_eq!((other.unwrap().values, other.unwrap().records), (2, Change { before: 4.0, after: 4.0 }));
}

#[test]
fn a_rest_that_would_tell_of_a_few_takes_one_more_value_with_it() {
    // Nine in Ulm, five in Kiel, one in Bonn; k = 4. Bonn alone would be a rest of one.
    let rows: String =
        (0..15).map(|i| format!("{i},{},x\n", ["Ulm", "Kiel", "Bonn"][(i / 9 + i / 14) as usize])).collect();
    let made = made(&format!("age,town,disease\n{rows}"), "generalization", "");
    let details = details(&made.outcome).unwrap();
    let Distribution::Categories { values, other } = &details.columns[1].distribution else { panic!("towns") };
    assert_eq!(values.iter().map(|value| value.label.as_str()).collect::<Vec<_>>(), ["Ulm"]);
    assert_eq!(other.map(|other| (other.values, other.records.before)), Some((2, 6.0)));
}

#[test]
fn numbers_stand_in_ranges_of_at_least_k_records() {
    // 0, 1, …, 39 and one that is far away. From the fourth to the fourth last they lie from 3 to 37; a sixteenth of that is 2.1, so ranges are 5 wide. The
    // one far away is beyond the last of them and alone there, so the two are one.
    let rows: String = (0..40).chain([1000]).map(|age| format!("{age},Ulm,x\n")).collect();
    let made = made(&format!("age,town,disease\n{rows}"), "generalization", "");
    let Distribution::Numbers { bins, .. } = &details(&made.outcome).unwrap().columns[0].distribution else {
        panic!("numbers")
    };
    let told: Vec<(&str, f64)> = bins.iter().map(|bin| (bin.label.as_str(), bin.records.before)).collect();
    assert_eq!(
        told,
        [
            ("0 to 4", 5.0),
            ("5 to 9", 5.0),
            ("10 to 14", 5.0),
            ("15 to 19", 5.0),
            ("20 to 24", 5.0),
            ("25 to 29", 5.0),
            ("30 to 34", 5.0),
            ("35 or more", 6.0)
        ]
    );
}

#[test]
fn a_few_missing_values_or_numbers_are_not_told_by_the_others() {
    let told = |ages: &dyn Fn(usize) -> String| {
        let rows: String = (0..40).map(|i| format!("{},Ulm,x\n", ages(i))).collect();
        let mut plan = plan("generalization", "");
        plan.input.missing = vec![String::new()];
        let made = make(&format!("age,town,disease\n{rows}"), &plan).unwrap();
        details(&made.outcome).unwrap().columns[0].distribution.clone()
    };
    // Two without an age: they are with the smallest range.
    let few_missing = told(&|i| if i < 2 { String::new() } else { i.to_string() });
    let Distribution::Numbers { bins, missing } = few_missing else { panic!("numbers") };
    assert_eq!((missing, bins.iter().map(|bin| bin.records.before).sum::<f64>()), (None, 40.0));
    assert_eq!(bins.iter().filter(|bin| bin.label.ends_with(" or missing")).count(), 1);
    // Three have one: 37 without an age would tell of three.
    let few_numbers = told(&|i| if i < 3 { i.to_string() } else { String::new() });
    let Distribution::Categories { values, other } = few_numbers else { panic!("nothing to tell") };
    assert_eq!((values.len(), other.map(|other| other.records.before)), (0, Some(40.0)));
}

#[test]
fn correlations_are_those_of_phi2_and_stay_where_values_stay() {
    for form in ["generalization", "anatomy"] {
        let made = made(&people(), form, "require = [\"distinct-l(l=2)\"]");
        let correlations = details(&made.outcome).unwrap().correlations.as_ref().unwrap();
        assert_eq!(correlations.columns, ["age", "town", "disease"]);
        let Figure::Many(phi2) = &made.outcome.scores.utility["phi2"] else { panic!("one figure") };
        let Figure::Many(phi2) = &phi2["disease"] else { panic!("one figure") };
        for (column, name) in ["age", "town"].iter().enumerate() {
            let Figure::Many(figures) = &phi2[*name] else { panic!("one figure") };
            for (matrix, when) in [(&correlations.before, "before"), (&correlations.after, "after")] {
                let (found, known) = (matrix[column][2].unwrap(), figures[when].one().unwrap());
                assert!((found - known).abs() < 1e-9, "{form}, {name} {when}: {found}, phi2 {known}");
                assert_eq!(matrix[column][2], matrix[2][column]);
            }
        }
        if form == "anatomy" {
            // Quasi-identifiers are published as they are.
            assert!((correlations.before[0][1].unwrap() - correlations.after[0][1].unwrap()).abs() < 1e-12);
        }
    }
}

#[test]
fn two_columns_are_independent_within_what_is_generalized() {
    // a and b agree in every record, so φ² is 1 before. One class of all four: after it nothing is left.
    let csv = "age,town,disease\n1,Ulm,x\n1,Ulm,x\n2,Bonn,x\n2,Bonn,x\n";
    let made = made(csv, "generalization", "");
    let correlations = details(&made.outcome).unwrap().correlations.as_ref().unwrap();
    assert_eq!((correlations.before[0][1], correlations.after[0][1]), (Some(1.0), Some(0.0)));
}

#[test]
fn crowds_end_where_they_say() {
    let crowds = Crowd::all([(1, 3), (4, 8), (5, 5)].into_iter(), [(9, 9), (10, 20), (5000, 5000)].into_iter());
    let told = |crowd: &Crowd| (crowd.from, crowd.to, crowd.before, crowd.after);
    let told: Vec<_> = crowds.iter().map(told).filter(|(_, _, before, after)| before + after > 0).collect();
    assert_eq!(
        told,
        [(1, Some(1), 3, 0), (3, Some(4), 8, 0), (5, Some(9), 5, 9), (10, Some(19), 0, 20), (1000, None, 0, 5000)]
    );
}

#[test]
fn names_and_values_cannot_become_markup() {
    let csv = people().replace("town", "<b>&\"town").replace("Ulm", "<script>Ulm").replace("flu", "</title>flu");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("table.csv"), csv).unwrap();
    let text = "[privacy]\nk = 4\n[columns]\nage = { role = \"quasi\" }\n'<b>&\"town' = { role = \"quasi\", kind = \"set\" }\n\
                disease = { role = \"sensitive\" }\n";
    let job = Job {
        reports: vec![file("report.html")],
        ..Job::new(
            file("table.csv"),
            file("release.csv"),
            Plan { origin: PlanOrigin::Partial, ..text.parse().unwrap() },
        )
    };
    anonymize(&job, Progress::silent()).unwrap();
    let page = fs::read_to_string(file("report.html")).unwrap();
    for evil in ["<b>&", "<script>Ulm", "</title>flu"] {
        assert!(!page.contains(evil), "{evil}");
    }
    assert!(page.contains("&lt;script&gt;Ulm") && page.contains("&lt;/title&gt;flu"));
}

#[test]
fn charts_of_nothing_and_of_extremes_are_charts() {
    let frame = Frame { width: 340, height: 200, x: "x", y: "y" };
    let line = |points: &[(f64, f64)]| Series { name: "one".to_owned(), points: points.to_vec() };
    let log = LineStyle { log_x: true, log_y: true };
    let charts = [
        chart::bars(frame, &[], &[]),
        chart::bars(frame, &["a".to_owned()], &[(Some(0.0), 0.0)]),
        chart::histogram(frame, &[(0.0, 1e300, "0".to_owned())], &[(1.0, 1.0)]),
        chart::columns(frame, &[], &[]),
        chart::lines(frame, &[], log),
        chart::lines(frame, &[line(&[])], LineStyle::default()),
        chart::lines(frame, &[line(&[(0.0, 0.0), (0.0, 0.0)])], log),
        chart::lines(frame, &[line(&[(5.0, -1.0), (5.0, 1e12)])], LineStyle::default()),
        chart::points(frame, &[line(&[(1.0, 1.0)])], &[]),
    ];
    for svg in charts {
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
        assert!(!svg.contains("NaN"), "{svg}");
    }
}

/// A comparison of two algorithms on forty people.
fn compared(ls: &[f64], rows: &[usize]) -> amidst::Result<amidst::report::Comparison> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    fs::write(&path, people()).unwrap();
    let job = CompareJob {
        input: Source::from(path),
        plan: Plan { origin: PlanOrigin::Partial, ..plan("generalization", "") },
        ks: vec![2, 4],
        ls: ls.to_vec(),
        rows: rows.to_vec(),
        partitioners: specs("engine,mondrian"),
        measures: amidst::internals::measure::Selection::Named(specs("lm")),
        limit: std::time::Duration::from_mins(1),
        runs: Vec::new(),
        report: None,
    };
    compare(&job, Progress::silent())
}

#[test]
fn comparisons_vary_k_l_and_the_number_of_records() {
    let comparison = compared(&[1.0, 2.0], &[20, 40]).unwrap();
    assert_eq!(comparison.runs.len(), 2 * 2 * 2 * 2);
    for run in &comparison.runs {
        let risk = run.risk.unwrap();
        let classes = run.classes.unwrap();
        assert!((risk.average - classes as f64 / run.rows as f64).abs() < 1e-12, "{run:?}");
        assert!(risk.highest <= 1.0 / run.k as f64);
    }
    let page = comparison.page();
    assert!(page.matches("<svg").count() >= 5 && !page.contains("NaN"), "{page}");
}

#[test]
fn what_cannot_be_had_is_a_run_that_says_so_unless_nothing_can() {
    // The most frequent disease has more than a tenth of the forty.
    let comparison = compared(&[1.0, 10.0], &[]).unwrap();
    let refused: Vec<bool> = comparison.runs.iter().map(|run| run.refused.is_some()).collect();
    assert_eq!(refused, [false, false, false, false, true, true, true, true]);
    assert!(comparison.to_string().contains("impossible") && comparison.page().contains("impossible"));
    assert!(compared(&[10.0], &[]).unwrap_err().is_infeasible());
    let refused = compared(&[], &[41]).unwrap_err().to_string();
    assert_eq!(refused, "compare: 41 records cannot be taken from a table of 40; name 1 to 40");
}
