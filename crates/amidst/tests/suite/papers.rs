//! Worked examples of the papers.

use amidst::internals::measure::{Figure, Selection, View, scores};
use amidst::internals::problem::Partition;
use amidst::internals::registry::Spec;
use amidst::progress::Progress;

use crate::tables::{Loaded, load};

fn loss(loaded: &Loaded, measure: &str, clusters: &[&[u32]]) -> f64 {
    let partition = Partition::new(loaded.encoded.rows(), clusters).unwrap();
    loaded.problem(&Spec::new(measure), 2).unwrap().loss(&partition)
}

/// Equal to the digits that a paper prints.
fn assert_printed(found: f64, printed: f64, digits: i32) {
    let unit = 10_f64.powi(-digits);
    assert!((found - printed).abs() <= unit / 2.0 * 1.000_001, "{found} is not {printed} to {digits} digits");
}

/// DBKC, figure 1 and table 2: work classes below three groups, ages from 18 to 54.
fn dbkc(rows: &str) -> Loaded {
    let plan = r#"
        [privacy]
        k = 2
        [columns]
        work = { role = "quasi", kind = "taxonomy", hierarchy = { nested = { "*" = [
            { self-employed = ["Inc", "Not-inc"] },
            { government = ["Federal", "Local", "State"] },
            { unemployed = ["Without-pay", "Never-worked"] } ] } } }
        age = { role = "quasi", kind = "range" }
    "#;
    load(&format!("work,age\n{rows}"), plan)
}

#[test]
fn dbkc_weighs_levels() {
    // Two records of the same age in one cluster lose 2 × the weighted level of their work class, and nothing else.
    let pair = |a: &str, b: &str| {
        loss(
            &dbkc(&format!("{a},30\n{b},30\nInc,18\nInc,18\nInc,54\nInc,54\n")),
            "weighted-levels",
            &[&[0, 1], &[2, 3], &[4, 5]],
        ) / 2.0
    };
    // Federal and Local meet at level 1 of 2: 1 / (1 + 2) = 0.33. Inc and Without-pay meet at the root: 3 / 3 = 1.
    assert_printed(pair("Federal", "Local"), 0.33, 2);
    assert_printed(pair("Inc", "Without-pay"), 1.0, 2);
}

#[test]
fn dbkc_measures_ages_and_records() {
    // Ages 37 and 22 of a column from 18 to 54: 15 / 36 = 0.42.
    let table = dbkc("Federal,37\nFederal,22\nInc,18\nInc,18\nInc,54\nInc,54\n");
    let clusters: &[&[u32]] = &[&[0, 1], &[2, 3], &[4, 5]];
    assert_printed(loss(&table, "weighted-levels", clusters) / 2.0, 0.42, 2);
    // The paper's two records differ by a third in work class and by 0.25 in age: 0.58. 9 of 36 years are 0.25.
    let table = dbkc("Federal,31\nLocal,22\nInc,18\nInc,18\nInc,54\nInc,54\n");
    assert_printed(loss(&table, "weighted-levels", clusters) / 2.0, 0.58, 2);
}

/// SEQ §5.1: one public and one private attribute of nine records.
fn seq() -> Loaded {
    let plan =
        "[privacy]\nk = 3\n[columns]\nx = { role = \"quasi\", kind = \"suppress\" }\ny = { role = \"sensitive\" }";
    load("x,y\na,0\na,0\na,0\na,1\nb,0\nb,1\nb,1\nb,1\nc,1\n", plan)
}

#[test]
fn seq_prefers_to_hide_outliers() {
    // Each 3-anonymization puts one a, one b and the c into a cluster of stars. g1 takes the a with value 1 and the
    // b with value 0, which are outliers; g2 takes an a with value 0 instead.
    // g1: -1/9 [ (6 log 3/4 + 2 log 5/9 + log 4/9) - (6 log 3/4 + 2 log 1/4 + log 1) ]
    //   = -1/9 [ 2 log (20/9) + log 4/9 ] = -1/9 [ 2.304 - 1.170 ] = -0.126 with logarithms to base 2.
    // g2: -1/9 [ (5 log 3/4 + log 1/4 + 2 log 4/9 + log 5/9) - (6 log 3/4 + 2 log 1/4) ]
    //   = -1/9 [ -log 3/4 - log 1/4 + 2 log 4/9 + log 5/9 ] = -1/9 [ 0.415 + 2 - 2.340 - 0.848 ] = 0.086.
    let (g1, g2): ([&[u32]; 3], [&[u32]; 3]) =
        ([&[0, 1, 2], &[5, 6, 7], &[3, 4, 8]], [&[0, 1, 3], &[5, 6, 7], &[2, 4, 8]]);
    assert_printed(loss(&seq(), "pmi", &g1), -0.126, 3);
    assert_printed(loss(&seq(), "pmi", &g2), 0.086, 3);
    // "All the measures that rely only on the public attributes cannot distinguish between g1 and g2."
    for measure in ["lm", "mi", "entropy", "ncp"] {
        assert!((loss(&seq(), measure, &g1) - loss(&seq(), measure, &g2)).abs() < 1e-12, "{measure}");
    }
    // The loss of g1 is negative although it generalizes the original: PMI is not monotone.
    assert!(!seq().problem(&Spec::new("pmi"), 3).unwrap().measure.monotone());
}

#[test]
fn cb_loses_little_on_its_patients() {
    // CB, tables 1 and 2: Andy and Bob become Age [20-20], Zip [25-30], as the text says. With ages from 20 to 60
    // and zips from 25 to 75 the group's NCP is 2 · (0 + 5/50) = 0.2, and GCP divides by 2 columns and all records.
    let plan = "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\nzip = { role = \"quasi\", kind = \"range\" }\n\
                disease = { role = \"sensitive\" }";
    let table = load("age,zip,disease\n20,25,flu\n20,30,bronchitis\n60,75,flu\n60,75,cold\n", plan);
    assert_printed(loss(&table, "ncp", &[&[0, 1], &[2, 3]]), 0.2 / (2.0 * 4.0), 9);
}

/// OKA, tables 1 and 3: patients by zip code, gender and age, in two classes of three.
const OKA: &str = "ZipCode,Gender,Age,Disease\n75275,Male,22,Flu\n75277,Male,23,Cancer\n75278,Male,24,HIV+\n\
                   75275,Male,33,Diabetes\n75275,Female,38,Diabetes\n75275,Female,36,Diabetes\n";

#[test]
fn oka_sums_ranges_and_heights() {
    let plan = r#"
        [privacy]
        k = 3
        [columns]
        ZipCode = { role = "quasi", kind = "taxonomy", hierarchy = { mask = [1, 2] } }
        Gender  = { role = "quasi", kind = "taxonomy", hierarchy = { flat = "Person" } }
        Age     = { role = "quasi", kind = "range" }
        Disease = { role = "sensitive" }
    "#;
    let table = load(OKA, plan);
    // First class: 7527* is level 1 of 3, Male is level 0, ages 22 to 24 are 2 of 16 years: D = 1/3 + 0 + 2/16.
    // Second class: 75275, level 0; Person, level 1 of 1; ages 33 to 38, 5 of 16 years: D = 0 + 1 + 5/16.
    // L = 3 D each.
    let expected = 3.0 * (1.0 / 3.0 + 2.0 / 16.0) + 3.0 * (1.0 + 5.0 / 16.0);
    assert_printed(loss(&table, "byun", &[&[0, 1, 2], &[3, 4, 5]]), expected, 9);
}

#[test]
fn arp_bounds_the_reconstruction_error() {
    // Blocks of exactly l = 2 different values: RE of each record is 1 - 1/2, so RE is n/2, which is the bound.
    // GLP: no two records share their quasi-identifier, so the one wrong value of each block is ruled out: 1/2.
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"range\" }\ny = { role = \"sensitive\" }";
    let loaded = load("x,y\n1,a\n2,b\n3,b\n4,c\n", plan);
    let problem = loaded.problem(&Spec::new("cm"), 2).unwrap();
    let clusters = [[0, 1], [2, 3]];
    let classes = clusters.iter().map(|rows| problem.cluster(rows).unwrap());
    let view = View::of_classes(&loaded.encoded, classes, Some(vec![0, 0, 1, 1]), 2);
    let found = scores(&view, &Selection::Quick, Progress::silent()).unwrap();
    let expected = Figure::many([("y", Figure::many([("error", Figure::One(2.0)), ("bound", Figure::One(2.0))]))]);
    assert_eq!(found.utility["re"], expected);
    assert_printed(found.loss["glp"], 0.5, 9);
    assert_printed(found.loss["c-avg"], 1.0, 9);
}
