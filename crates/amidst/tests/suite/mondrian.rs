//! Mondrian against traces by hand.

use amidst::internals::partition;
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::registry::Spec;
use amidst::progress::Progress;

use crate::tables::load;

const CUTS: [&str; 2] = ["mondrian(strict)", "mondrian(relaxed)"];

fn run(problem: &Problem, spec: &str) -> Partition {
    partition::build(&Spec::new(spec)).unwrap().partition(problem, Progress::silent()).unwrap()
}

/// The clusters of both cuts, sorted.
fn clusters(csv: &str, columns: &str, k: usize) -> [Vec<Vec<u32>>; 2] {
    let loaded = load(csv, &format!("[privacy]\nk = 2\n[columns]\n{columns}"));
    let problem = loaded.problem(&Spec::new("lm"), k).unwrap();
    CUTS.map(|spec| {
        let mut clusters: Vec<Vec<u32>> = run(&problem, spec).clusters().map(<[u32]>::to_vec).collect();
        clusters.iter_mut().for_each(|c| c.sort_unstable());
        clusters.sort();
        clusters
    })
}

const AGE: &str = "age = { role = \"quasi\", kind = \"range\" }";
const PLACE: &str = r#"place = { role = "quasi", kind = "taxonomy", hierarchy = { nested = { "*" = [
    { A = ["a1", "a2"] }, { B = ["b1", "b2", "b3"] } ] } } }"#;

#[test]
fn the_median_value_or_the_median_record() {
    // 20 22 22 30 | 31 40 41 60: the fifth of eight is 31; four lie below it and five up to it, so the cut is below.
    // Strict, left: the third of four is 22; below it lies one, up to it three: both leave one alone, so no cut.
    // Relaxed, left: two records and two, though 22 parts. Right, both: the third is 41, two below it.
    let csv = "age\n20\n22\n22\n30\n31\n40\n41\n60\n";
    let [strict, relaxed] = clusters(csv, AGE, 2);
    assert_eq!(strict, [vec![0, 1, 2, 3], vec![4, 5], vec![6, 7]]);
    assert_eq!(relaxed, [vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7]]);
}

#[test]
fn equal_values_part_only_when_relaxed() {
    // Strict: the median 5 of 5 5 5 5 7 has nothing below and one above, too few. Relaxed: two records and three.
    let [strict, relaxed] = clusters("age\n5\n5\n5\n5\n7\n", AGE, 2);
    assert_eq!(strict, [vec![0, 1, 2, 3, 4]]);
    assert_eq!(relaxed, [vec![0, 1], vec![2, 3, 4]]);
}

#[test]
fn the_column_that_loses_most_is_cut_first() {
    // Both columns take all of their extent at first, and place stands first: A = rows 0-3, B = rows 4-8.
    // A: age 20-50 loses 1, place A loses (2-1)/(5-1); age is cut at 40, two and two. B: age is one value, so place is
    // cut into its children b1 = {4, 5}, b2 = {6, 8}, b3 = {7}. Strict: b3 is too small, so B stays whole. Relaxed:
    // b3 goes to the pool, which is too small, so b1, the first of the smallest children, joins it.
    let csv = "place,age\na1,20\na1,30\na2,40\na2,50\nb1,20\nb1,20\nb2,20\nb3,20\nb2,20\n";
    let [strict, relaxed] = clusters(csv, &format!("{PLACE}\n{AGE}"), 2);
    assert_eq!(strict, [vec![0, 1], vec![2, 3], vec![4, 5, 6, 7, 8]]);
    assert_eq!(relaxed, [vec![0, 1], vec![2, 3], vec![4, 5, 7], vec![6, 8]]);
}

#[test]
fn small_children_that_hold_together_are_one_pool() {
    // Below the root: a1 and a2 as A = {0, 1, 2}, b1 = {3}, b2 = {4}; k = 2. The root's children A and B hold both, so
    // both cuts part them. In B, b1 and b2 hold only together, which is B again. In A, a1 = {0, 1} and a2 = {2}.
    let [strict, relaxed] = clusters("place\na1\na1\na2\nb1\nb2\n", PLACE, 2);
    assert_eq!(strict, [vec![0, 1, 2], vec![3, 4]]);
    assert_eq!(relaxed, strict);
    // One level: p = {0, 1, 2}, q = {3}, r = {4}. Strict: not all children hold. Relaxed: q and r are pooled.
    let flat = "x = { role = \"quasi\", kind = \"taxonomy\", hierarchy = { flat = \"*\" } }";
    let [strict, relaxed] = clusters("x\np\np\np\nq\nr\n", flat, 2);
    assert_eq!(strict, [vec![0, 1, 2, 3, 4]]);
    assert_eq!(relaxed, [vec![0, 1, 2], vec![3, 4]]);
}

#[test]
fn where_the_widest_column_cannot_be_cut_the_next_one_is() {
    // x loses 1 and y loses 1 too, but every cut of x leaves one row alone (0 0 0 9), so y is cut: {0, 1} and {2, 3}.
    let columns = "x = { role = \"quasi\", kind = \"range\" }\ny = { role = \"quasi\", kind = \"range\" }";
    let [strict, _] = clusters("x,y\n0,1\n0,1\n0,8\n9,9\n", columns, 2);
    assert_eq!(strict, [vec![0, 1], vec![2, 3]]);
}
