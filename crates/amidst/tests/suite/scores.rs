//! Figures that are no objectives, against their definitions.

use std::collections::HashMap;

use amidst::Error;
use amidst::internals::cost;
use amidst::internals::measure::{self, Figure, Selection, View, scores};
use amidst::internals::registry::Spec;
use amidst::progress::Progress;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::naive::Naive;
use crate::tables::{Loaded, Sketch, load, sketches};

/// A release of `loaded` in which row `i` is in cluster `of[i]`.
fn view(loaded: &Loaded, of: &[usize]) -> View {
    let clusters = of.iter().max().unwrap() + 1;
    let problem = loaded.problem(&Spec::new("cm"), 2).unwrap();
    let mut classes = Vec::new();
    let mut class_of = vec![0; of.len()];
    for cluster in 0..clusters {
        let rows: Vec<u32> = (0..of.len()).filter(|row| of[*row] == cluster).map(|row| row as u32).collect();
        if let Some(class) = problem.cluster(&rows) {
            rows.iter().for_each(|row| class_of[*row as usize] = classes.len() as u32);
            classes.push(class);
        }
    }
    View::of_classes(&loaded.encoded, classes, Some(class_of), 2)
}

fn figure(view: &View, spec: &str) -> Figure {
    let found = scores(view, &Selection::Named(vec![Spec::new(spec)]), Progress::silent()).unwrap();
    let one = found.loss.get(spec).map(|value| Figure::One(*value));
    one.or_else(|| found.utility.get(spec).cloned()).unwrap()
}

fn one(figure: &Figure) -> f64 {
    match figure {
        Figure::One(value) => *value,
        Figure::Many(_) => panic!("{figure:?} is several figures"),
    }
}

fn part<'a>(figure: &'a Figure, names: &[&str]) -> &'a Figure {
    names.iter().fold(figure, |figure, name| match figure {
        Figure::Many(parts) => &parts[*name],
        Figure::One(_) => panic!("{figure:?} has no part {name}"),
    })
}

/// Σ p log₂ (p/q): every record spreads its mass over all combinations that its class's closure allows.
fn naive_kl(sketch: &Sketch, of: &[usize]) -> f64 {
    let rows = 0..sketch.rows();
    let columns = 0..sketch.columns.len();
    let naive = |column: usize| Naive { column: &sketch.columns[column], missing: sketch.missing };
    let same = |a: usize, b: usize| {
        columns.clone().all(|c| naive(c).same(&sketch.columns[c].cells[a], &sketch.columns[c].cells[b]))
    };
    let closure = |row: usize, column: usize| {
        let cells = &sketch.columns[column].cells;
        let class: Vec<&str> = rows.clone().filter(|r| of[*r] == of[row]).map(|r| cells[r].as_str()).collect();
        naive(column).closure(&class)
    };
    let mut sum = 0.0;
    for x in rows.clone() {
        let p = rows.clone().filter(|r| same(*r, x)).count() as f64;
        let q: f64 = rows
            .clone()
            .map(|row| {
                let density = |c: usize| {
                    let allowed = closure(row, c);
                    let covers = allowed.iter().any(|v| naive(c).same(v, &sketch.columns[c].cells[x]));
                    if covers { 1.0 / allowed.len() as f64 } else { 0.0 }
                };
                columns.clone().map(density).product::<f64>()
            })
            .sum();
        sum += (p / q).log2();
    }
    sum / sketch.rows() as f64
}

/// The mean probability of sensitive values that no record with the same quasi-identifiers has.
fn naive_glp(loaded: &Loaded, of: &[usize]) -> f64 {
    let encoded = &loaded.encoded;
    let value = |row: usize| encoded.sensitive()[0].row(row as u32);
    let rows = 0..of.len();
    let penalty = |t: usize| {
        let possible: Vec<u32> =
            rows.clone().filter(|r| encoded.row(*r as u32) == encoded.row(t as u32)).map(value).collect();
        let class: Vec<usize> = rows.clone().filter(|r| of[*r] == of[t]).collect();
        class.iter().filter(|r| !possible.contains(&value(**r))).count() as f64 / class.len() as f64
    };
    rows.clone().map(penalty).sum::<f64>() / of.len() as f64
}

proptest! {
    #[test]
    fn kl_and_glp_are_what_their_definitions_say(sketch in sketches(2..=10_usize), of in vec(0..3_usize, 10)) {
        let loaded = sketch.load();
        let of = &of[..sketch.rows()];
        let view = view(&loaded, of);
        let (kl, glp) = (one(&figure(&view, "kl")), one(&figure(&view, "glp")));
        prop_assert!((kl - naive_kl(&sketch, of)).abs() < 1e-9, "kl is {}, not {}", kl, naive_kl(&sketch, of));
        prop_assert!((glp - naive_glp(&loaded, of)).abs() < 1e-12, "glp is {}, not {}", glp, naive_glp(&loaded, of));
    }

    #[test]
    fn a_release_of_the_original_loses_nothing(sketch in sketches(2..=10_usize)) {
        let loaded = sketch.load();
        let view = view(&loaded, &(0..sketch.rows()).collect::<Vec<_>>());
        for name in ["kl", "pmi-l2", "pmi-linf"] {
            prop_assert!(one(&figure(&view, name)).abs() < 1e-9, "{} is {}", name, one(&figure(&view, name)));
        }
        let phi2 = figure(&view, "phi2");
        for column in &sketch.columns {
            let [before, after] = ["before", "after"].map(|when| one(part(&phi2, &["note", &column.name, when])));
            prop_assert!((before - after).abs() < 1e-9 && (-1e-9..1.0 + 1e-9).contains(&before), "{} {}", before, after);
        }
        let query = figure(&view, "query(queries=20, selectivity=0.5)");
        prop_assert!(one(part(&query, &["p95"])).abs() < 1e-9);
    }
}

const PLAN: &str =
    "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"set\" }\ny = { role = \"sensitive\" }";

#[test]
fn phi2_by_hand() {
    // x tells y: f_ij is 1/2 on the diagonal, so φ² = 1/(2-1) · 4 · (1/4)²/(1/4) = 1. With all x in one class every
    // record is half p and half q, x and y are independent: 0.
    let loaded = load("x,y\np,a\np,a\nq,b\nq,b\n", PLAN);
    let phi2 = |of: &[usize], when: &str| one(part(&figure(&view(&loaded, of), "phi2"), &["y", "x", when]));
    assert!((phi2(&[0, 0, 1, 1], "before") - 1.0).abs() < 1e-12);
    assert!((phi2(&[0, 0, 1, 1], "after") - 1.0).abs() < 1e-12);
    assert!(phi2(&[0, 0, 0, 0], "after").abs() < 1e-12);
    // One p and one q in a class: their y are a and b. f(p,a) = f(q,b) = 3/8 and f(p,b) = f(q,a) = 1/8 of 1,
    // each expected 1/4: 4 · (1/8)²/(1/4) = 1/4.
    assert!((phi2(&[0, 1, 1, 2], "after") - 0.25).abs() < 1e-12);
}

#[test]
fn pmi_norms_by_hand() {
    // x tells y exactly: I = H(Y) = 1 bit. All in one class tells nothing: I = 0. The loss is 1 bit by either norm.
    let loaded = load("x,y\np,a\np,a\nq,b\nq,b\n", PLAN);
    for norm in ["pmi-l2", "pmi-linf"] {
        assert!((one(&figure(&view(&loaded, &[0; 4]), norm)) - 1.0).abs() < 1e-12, "{norm}");
    }
    // A second column that tells nothing: √(1² + 0²) / 2 is 1/2, the maximum stays 1.
    let plan = PLAN.replace("y =", "z = { role = \"quasi\", kind = \"set\" }\ny =");
    let loaded = load("x,z,y\np,u,a\np,v,a\nq,u,b\nq,v,b\n", &plan);
    assert!((one(&figure(&view(&loaded, &[0; 4]), "pmi-l2")) - 0.5).abs() < 1e-12);
    assert!((one(&figure(&view(&loaded, &[0; 4]), "pmi-linf")) - 1.0).abs() < 1e-12);
}

#[test]
fn queries_by_hand() {
    // One column, values 1 to 4 once each, no sensitive column; selectivity 1/4 asks for one value each time. With all in one class
    // the estimate is 4 · 1/4 = 1, which is right. With {1, 2, 3, 3} the class covers 3 values: asking for 1 or 2
    // expects 4/3 (error 1/3), asking for 3 expects 4/3 where there are 2 (error 1/3).
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"range\" }\nn = { role = \"sensitive\" }";
    let errors = |csv: &str, selectivity: &str| {
        let loaded = load(csv, plan);
        let spec = format!("query(queries=50, predicates=1, selectivity={selectivity})");
        let found = figure(&view(&loaded, &[0; 4]), &spec);
        ["median", "mean", "p95"].map(|name| one(part(&found, &[name])))
    };
    // The sensitive column has one value, which every query asks for; the share of each predicate is √s.
    for (csv, selectivity, expected) in
        [("x,n\n1,a\n2,a\n3,a\n4,a\n", "0.0625", 0.0), ("x,n\n1,a\n2,a\n3,a\n3,a\n", "0.1", 1.0 / 3.0)]
    {
        for error in errors(csv, selectivity) {
            assert!((error - expected).abs() < 1e-12, "{error}");
        }
    }
}

#[test]
fn queries_and_learners_are_seeded() {
    let rows: String = (0..200).map(|i| format!("{},{},{}\n", i % 17, i % 5, i % 3)).collect();
    let plan = "[privacy]\nk = 2\n[columns]\na = { role = \"quasi\", kind = \"range\" }\nb = { role = \"quasi\", kind = \"set\" }\n\
                y = { role = \"sensitive\" }";
    let loaded = load(&format!("a,b,y\n{rows}"), plan);
    let of: Vec<usize> = (0..200).map(|i| i / 10).collect();
    let view = view(&loaded, &of);
    for spec in ["query(queries=100)", "classification"] {
        assert_eq!(figure(&view, spec), figure(&view, spec), "{spec}");
    }
    assert_ne!(figure(&view, "query(queries=100, seed=1)"), figure(&view, "query(queries=100, seed=2)"));
}

#[test]
fn learners_learn_what_there_is_to_learn() {
    // y follows from x. Trained on the original both learners know it; with everything in one class nothing is left,
    // and they can but guess the majority, 60 of 100.
    let rows: String = (0..100).map(|i| if i % 5 < 3 { "p,a\n" } else { "q,b\n" }).collect();
    let loaded = load(&format!("x,y\n{rows}"), PLAN);
    let found = figure(&view(&loaded, &[0; 100]), "classification(folds=4)");
    for learner in ["logistic", "tree"] {
        assert!((one(part(&found, &[learner, "original"])) - 1.0).abs() < 1e-12, "{found:?}");
        assert!((one(part(&found, &[learner, "release"])) - 0.6).abs() < 1e-12, "{found:?}");
    }
    assert!((one(part(&found, &["majority"])) - 0.6).abs() < 1e-12);
    // A release that keeps x teaches as much as the original.
    let of: Vec<usize> = (0..100).map(|i| usize::from(i % 5 < 3)).collect();
    let found = figure(&view(&loaded, &of), "classification");
    assert!((one(part(&found, &["tree", "release"])) - 1.0).abs() < 1e-12);
}

#[test]
fn what_does_not_apply_is_skipped_or_refused() {
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"set\" }";
    let loaded = load("x\np\np\nq\nq\n", plan);
    let problem = loaded.problem(&Spec::new("lm"), 2).unwrap();
    let classes = vec![problem.cluster(&[0, 1, 2, 3]).unwrap()];
    let view = View::of_classes(&loaded.encoded, classes, None, 2);
    let found = scores(&view, &Selection::All, Progress::silent()).unwrap();
    let skipped: Vec<&str> = found.skipped.keys().map(String::as_str).collect();
    assert_eq!(skipped, ["cm", "pmi", "wmi", "pmi-l2", "pmi-linf", "glp", "re", "phi2", "sse", "classification"]);
    let named = scores(&view, &Selection::Named(vec![Spec::new("pmi")]), Progress::silent());
    assert!(matches!(named, Err(Error::NotApplicable { .. })));
    let unknown = scores(&view, &Selection::Named(vec![Spec::new("lmm")]), Progress::silent()).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no measure named `lmm`; did you mean `lm`?");
}

#[test]
fn every_measure_is_explained() {
    let page = include_str!("../../../../docs/measures.md");
    let mut sections: HashMap<&str, &str> = HashMap::new();
    for section in page.split("\n### ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap();
        assert!(sections.insert(name, text).is_none(), "{name} is explained twice");
    }
    for name in cost::ALL.iter().map(|e| e.name).chain(measure::ALL.iter().map(|e| e.name)) {
        let text = sections.remove(name).unwrap_or_else(|| panic!("docs/measures.md does not explain {name}"));
        assert!(text.len() > 80 && text.contains('*'), "{name} lacks its paper or its explanation");
    }
    assert!(sections.is_empty(), "docs/measures.md explains what is not there: {:?}", sections.keys());
}
