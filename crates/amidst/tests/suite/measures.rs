//! LM and NCP against their definitions, computed from texts.

use amidst::internals::problem::Partition;
use amidst::internals::registry::Spec;
use amidst::plan::{Plan, RowOrder};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::naive::Naive;
use crate::releases::{Published, publish};
use crate::tables::{Sketch, load, sketches};

/// The two readings of LM, and NCP.
const MEASURES: [&str; 3] = ["lm", "lm(numeric=values)", "ncp"];

fn cell(measure: &str, naive: Naive, covered: &[String]) -> f64 {
    match measure {
        "lm" => naive.lm(covered, true),
        "lm(numeric=values)" => naive.lm(covered, false),
        "ncp" => naive.ncp(covered),
        other => unreachable!("{other} is not defined here"),
    }
}

/// The mean over all rows of the weighted mean over all columns, where `covered` says what each cell allows.
fn mean(sketch: &Sketch, measure: &str, covered: impl Fn(Naive, usize, usize) -> Vec<String>) -> f64 {
    let weights: f64 = sketch.columns.iter().map(|c| c.weight).sum();
    let mut sum = 0.0;
    for row in 0..sketch.rows() {
        for (i, column) in sketch.columns.iter().enumerate() {
            let naive = Naive { column, missing: sketch.missing };
            sum += column.weight * cell(measure, naive, &covered(naive, row, i)) / weights;
        }
    }
    sum / sketch.rows() as f64
}

proptest! {
    #[test]
    fn a_partition_costs_what_the_definition_says(sketch in sketches(2..=12_usize), of in vec(0..4_usize, 12)) {
        let loaded = sketch.load();
        let of = &of[..sketch.rows()];
        let members = |cluster: usize| (0..of.len()).filter(move |r| of[*r] == cluster);
        let clusters = (0..4).map(|c| members(c).map(|r| r as u32).collect::<Vec<_>>()).filter(|c| !c.is_empty());
        let partition = Partition::new(sketch.rows(), clusters).unwrap();
        for measure in MEASURES {
            let problem = loaded.problem(&Spec::new(measure), 2).unwrap();
            let expected = mean(&sketch, measure, |naive, row, column| {
                let cells = &sketch.columns[column].cells;
                naive.closure(&members(of[row]).map(|r| cells[r].as_str()).collect::<Vec<_>>())
            });
            let loss = problem.loss(&partition);
            prop_assert!((loss - expected).abs() < 1e-9, "{} is {}, not {}", measure, loss, expected);
        }
    }
}

proptest! {
    // Each case is a whole run with its files.
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_release_is_scored_by_what_its_cells_say(sketch in sketches(4..=12_usize)) {
        let mut plan: Plan = sketch.plan(2).parse().unwrap();
        plan.method.order = RowOrder::Keep;
        let (outcome, release) = publish(&sketch, plan).unwrap();
        let Published { rows, .. } = &release;
        for (name, loss) in &outcome.scores.loss {
            if MEASURES.contains(&name.as_str()) {
                let expected = mean(&sketch, name, |naive, row, column| naive.covered(&rows[row][column]));
                prop_assert!((loss - expected).abs() < 1e-9, "{} is {}, not {}", name, loss, expected);
            }
        }
    }
}

/// The losses of the clusters `clusters` by each measure.
fn losses(csv: &str, columns: &str, clusters: &[&[u32]]) -> [f64; 3] {
    let loaded = load(csv, &format!("[input]\nmissing = [\"?\"]\n[privacy]\nk = 2\n[columns]\n{columns}"));
    let partition = Partition::new(loaded.encoded.rows(), clusters).unwrap();
    MEASURES.map(|m| loaded.problem(&Spec::new(m), 2).unwrap().loss(&partition))
}

fn assert_close(found: [f64; 3], expected: [f64; 3]) {
    assert!(found.iter().zip(expected).all(|(f, e)| (f - e).abs() < 1e-12), "{found:?} is not {expected:?}");
}

#[test]
fn numbers_by_range_and_by_values() {
    // Ages 20, 22, 30, 60 in {20, 22} and {30, 60}; the extent is 40, there are 4 values.
    // By range: 2/40 and 30/40, each for half of the rows: (0.05 + 0.75) / 2 = 0.4. By values: 1/3 and 1/3.
    let found = losses("x\n20\n22\n30\n60\n", "x = { role = \"quasi\", kind = \"range\" }", &[&[0, 1], &[2, 3]]);
    assert_close(found, [0.4, 1.0 / 3.0, 0.4]);
}

#[test]
fn nodes_by_the_leaves_below_them() {
    // Five leaves: A = {a1, a2}, B = {b1, b2, b3}. The cluster {a1, a2} becomes A: LM (2-1)/(5-1) = 1/4, NCP 2/5.
    // The cluster {b1, b1} stays b1: 0. The cluster {a1, b3} becomes the root: LM 4/4, NCP 5/5.
    // Means over the six rows: LM (1/4 + 0 + 1) / 3 = 5/12; NCP (2/5 + 0 + 1) / 3 = 7/15.
    let columns = r#"x = { role = "quasi", kind = "taxonomy", hierarchy = { nested = { "*" = [
        { A = ["a1", "a2"] }, { B = ["b1", "b2", "b3"] } ] } } }"#;
    let found = losses("x\na1\na2\nb1\nb1\na1\nb3\n", columns, &[&[0, 1], &[2, 3], &[4, 5]]);
    assert_close(found, [5.0 / 12.0, 5.0 / 12.0, 7.0 / 15.0]);
}

#[test]
fn sets_orders_and_stars() {
    // set: {p, q} of p, q, r: LM 1/2, NCP 2/3. ordered: [low - high] of low, mid, high, top: LM and NCP 2/3.
    // suppress: u and v differ: 1 by both. The other cluster, of two equal rows, costs nothing.
    // LM: (1/2 + 2/3 + 1) / 3 / 2 = 13/36. NCP: (2/3 + 2/3 + 1) / 3 / 2 = 7/18.
    let columns = r#"s = { role = "quasi", kind = "set" }
        o = { role = "quasi", kind = "ordered", order = ["low", "mid", "high", "top"] }
        u = { role = "quasi", kind = "suppress" }"#;
    let found = losses("s,o,u\np,low,u\nq,high,v\nr,top,u\nr,top,u\n", columns, &[&[0, 1], &[2, 3]]);
    assert_close(found, [13.0 / 36.0, 13.0 / 36.0, 7.0 / 18.0]);
}

#[test]
fn weights_count() {
    // x is published as everything (loss 1), y as it is (loss 0); x weighs three times as much: 3/4.
    let columns = "x = { role = \"quasi\", kind = \"range\", weight = 3.0 }\ny = { role = \"quasi\", kind = \"set\" }";
    let found = losses("x,y\n1,a\n2,a\n1,b\n2,b\n", columns, &[&[0, 1], &[2, 3]]);
    assert_close(found, [0.75; 3]);
}

#[test]
fn a_missing_value_is_a_value_apart() {
    // Among numbers it makes everything of the closure: 1 for the first two rows, 0 for the two that both miss it,
    // and 10/20 (or 1 of the 3 others of 4 values) for the last two: (1 + 0 + 1/2) / 3 and (1 + 0 + 1/3) / 3.
    let columns = "x = { role = \"quasi\", kind = \"range\" }";
    let found = losses("x\n?\n10\n?\n?\n20\n30\n", columns, &[&[0, 1], &[2, 3], &[4, 5]]);
    assert_close(found, [0.5, 4.0 / 9.0, 0.5]);
}

#[test]
fn a_column_of_one_value_costs_nothing() {
    let columns = "x = { role = \"quasi\", kind = \"range\" }\ny = { role = \"quasi\", kind = \"suppress\" }";
    assert_close(losses("x,y\n5,a\n5,a\n", columns, &[&[0, 1]]), [0.0; 3]);
}

#[test]
fn a_table_of_equal_rows_is_not_suppressed() {
    // Published as it is, in two clusters of two: DM 2² + 2² = 8, and every sensitive value is its cluster's majority.
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"set\" }\ny = { role = \"sensitive\" }";
    let loaded = load("x,y\na,s\na,s\na,t\na,t\n", plan);
    let partition = Partition::new(4, [[0, 1], [2, 3]]).unwrap();
    let loss = |measure: &str| loaded.free(&Spec::new(measure)).loss(&partition);
    assert!((loss("dm") - 8.0).abs() < 1e-12, "{}", loss("dm"));
    assert!(loss("cm").abs() < 1e-12, "{}", loss("cm"));
}

#[test]
fn numbers_at_the_ends_of_their_type_have_a_loss() {
    // All values together are the whole extent, however far or near they lie.
    for csv in [
        "x\n-9223372036854775808\n9223372036854775807\n",
        "x\n1152921504606846976\n1152921504606846977\n",
        "x\n-1.7e308\n1.7e308\n",
    ] {
        assert_close(losses(csv, "x = { role = \"quasi\", kind = \"range\" }", &[&[0, 1]]), [1.0; 3]);
    }
}

#[test]
fn a_star_that_means_missing_is_scored_as_everything() {
    // The class {*, a} is published as `*`, which nobody can tell from a missing value: it allows all three values.
    let plan = "[input]\nmissing = [\"*\"]\n[privacy]\nk = 2\n[method]\norder = \"keep\"\n[columns]\n\
                id = { role = \"identifier\" }\nx = { role = \"quasi\", kind = \"suppress\" }\nnote = { role = \"other\" }";
    let column = crate::tables::Column {
        name: "x".to_owned(),
        sort: crate::tables::Sort::Suppress,
        weight: 1.0,
        cells: crate::tables::texts(["*", "a", "b", "b"]),
    };
    let sketch = Sketch { columns: vec![column], missing: "*" };
    let (outcome, release) = publish(&sketch, plan.parse().unwrap()).unwrap();
    assert_eq!([0, 1, 2, 3].map(|row| release.rows[row][0].as_str()), ["*", "*", "b", "b"]);
    assert!((outcome.scores.loss["lm"] - 0.5).abs() < 1e-12, "{}", outcome.scores.loss["lm"]);
}
