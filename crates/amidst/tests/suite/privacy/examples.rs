//! The examples of the papers, and groups, orders, trees and missing values, worked by hand.

use amidst::internals::registry::Spec;
use amidst::internals::verify::Levels;

use super::{built, counting, levels, meets};
use crate::tables::load;

/// Levels of a table whose rows are written `class value`, missing as `?`.
fn reached(rows: &str, keys: &str) -> Levels {
    let csv: String = rows.split(", ").map(|row| row.replace(' ', ",") + "\n").collect();
    let csv = format!("class,s\n{csv}");
    let loaded = load(
        &csv,
        &format!(
            "[input]\nmissing = [\"?\"]\n[privacy]\nk = 2\n[columns]\nclass = {{ role = \"quasi\", kind = \"suppress\" }}\n\
             s = {{ role = \"sensitive\"{keys} }}"
        ),
    );
    // The constraints see the same classes in the same way.
    let problem = counting(&loaded);
    let levels = levels(&loaded, &csv).remove(0).1;
    let distance = |name: &str, t: Option<f64>| {
        for t in t.into_iter().filter(|t| *t > 0.01) {
            for (allowed, slack) in [(true, 1e-6), (false, -1e-6)] {
                let spec = Spec::new(format!("t-closeness(t={}, distance={name})", (t + slack).min(1.0)));
                let constraint = built(&loaded, &spec, "s");
                let mut classes = (0..problem.rows() as u32).map(|row| problem.encoded.row(row)[0]).collect::<Vec<_>>();
                classes.sort_unstable();
                classes.dedup();
                let all = classes.iter().all(|class| {
                    let rows = (0..problem.rows() as u32).filter(|row| problem.encoded.row(*row)[0] == *class);
                    constraint.holds(&problem.outline(&rows.collect::<Vec<_>>()))
                });
                assert_eq!(all, allowed, "{spec} of {rows}");
            }
        }
    };
    distance("equal", Some(levels.t));
    distance("ordered", levels.t_ordered);
    distance("hierarchical", levels.t_hierarchical);
    levels
}

fn near(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9)
}

#[test]
fn salaries_of_li_li_and_venkatasubramanian() {
    // Salaries from 3k to 11k. {3k, 4k, 5k} is at 0.375, {6k, 8k, 11k} at 0.167.
    let low = "a 3, a 4, a 5, b 6, b 8, b 11, c 7, c 9, c 10";
    assert!(near(reached(low, "").t_ordered, 0.375));
    assert!(near(reached("b 6, b 8, b 11, c 3, c 4, c 5, c 7, c 9, c 10", "").t_ordered, 1.0 / 6.0));
    // Their table that has 0.167-closeness.
    assert!(near(reached("a 3, a 5, a 9, b 6, b 11, b 8, c 4, c 7, c 10", "").t_ordered, 1.0 / 6.0));
    // By equal distances all of these are the same.
    assert!(near(Some(reached(low, "").t), 6.0 / 9.0));
}

#[test]
fn diseases_of_li_li_and_venkatasubramanian() {
    let tree = "flu;infection;respiratory;*\\nbronchitis;infection;respiratory;*\\nembolism;vascular;respiratory;*\\n\
                cancer;stomach;digestive;*\\ncolitis;colon;digestive;*";
    let keys = format!(", hierarchy = {{ lines = \"{tree}\" }}");
    // Flu is 1/3 from bronchitis, 2/3 from pulmonary embolism, 1 from stomach cancer; half of the earth is moved.
    for (other, distance) in [("bronchitis", 1.0), ("embolism", 2.0), ("cancer", 3.0)] {
        let levels = reached(&format!("a flu, b {other}"), &keys);
        assert!(near(levels.t_hierarchical, distance / 6.0), "{other}: {:?}", levels.t_hierarchical);
    }
}

#[test]
fn levels_of_a_class_by_hand() {
    // The first class has flu twice of four, where the table has it three times of eight.
    let levels = reached("a flu, a flu, a cold, a gout, b flu, b cold, b cold, b gout", "");
    assert_eq!(levels.distinct_l, 3);
    assert!(near(Some(levels.l), 2.0) && near(Some(levels.alpha), 0.5));
    assert!(near(Some(levels.entropy_l), 2.0 * 2.0_f64.sqrt()));
    assert!(near(levels.recursive_c.get(&2).copied(), 1.0) && near(levels.recursive_c.get(&3).copied(), 2.0));
    assert_eq!(levels.recursive_c.len(), 2);
    assert!(near(Some(levels.t), 1.0 / 8.0));
    assert!(near(Some(levels.beta), 1.0 / 3.0) && near(levels.enhanced_beta, 1.0 / 3.0));
    assert!(near(Some(levels.delta), (1.5_f64).ln()));
    assert_eq!((levels.t_ordered, levels.t_hierarchical), (None, None));
    // A value of half of the table gains 1, which is more than −ln 0.5.
    assert_eq!(reached("a flu, b cold", "").enhanced_beta, None);
}

#[test]
fn recursive_diversity_is_strict() {
    // 0.55 times 100 is more than 55 when it is rounded.
    let lines = |value: &str, times: usize| format!("a,{value}\n").repeat(times);
    let csv = format!("class,s\n{}{}{}", lines("flu", 55), lines("cold", 50), lines("gout", 50));
    let plan =
        "[privacy]\nk = 2\n[columns]\nclass = { role = \"quasi\", kind = \"suppress\" }\ns = { role = \"sensitive\" }";
    let loaded = load(&csv, plan);
    let whole = counting(&loaded).outline(&(0..155).collect::<Vec<u32>>());
    for (c, enough) in [("0.55", false), ("0.551", true)] {
        let spec = Spec::new(format!("recursive-l(c={c}, l=2)"));
        assert_eq!(built(&loaded, &spec, "s").holds(&whole), enough);
        assert_eq!(meets(&levels(&loaded, &csv)[0].1, &spec, "s"), enough);
    }
}

#[test]
fn values_of_one_group_are_one() {
    let salaries = "a 3000, a 3100, a 7000, b 3050, b 7100, b 7900";
    assert_eq!(reached(salaries, "").distinct_l, 3);
    let levels = reached(salaries, ", groups = { widths = [1000] }");
    assert_eq!(levels.distinct_l, 2);
    assert!(near(Some(levels.alpha), 2.0 / 3.0));
    let codes = "a J101, a J102, a K200, b J199, b K201, b K202";
    assert_eq!(reached(codes, ", groups = { mask = [2] }").distinct_l, 2);
    assert_eq!(reached(codes, ", groups = { mask = [3] }").distinct_l, 2);
    assert_eq!(reached(codes, ", groups = { mask = [4] }").distinct_l, 1);
}

#[test]
fn groups_of_numbers_keep_their_order() {
    // As texts 10 is before 9, and the tree begins with the middle ones.
    let rows = "a 2, a 9, a 10, b 3, b 8, b 11, c 2, c 3, c 3";
    let ordered = reached(rows, ", groups = { widths = [5] }").t_ordered;
    let tree = "8;middle;*\\n9;middle;*\\n10;high;*\\n11;high;*\\n2;low;*\\n3;low;*";
    assert_eq!(reached(rows, &format!(", groups = {{ lines = \"{tree}\" }}")).t_ordered, ordered);
    // Low, middle, high have 5, 2, 2 of nine; the last class is all low.
    assert!(near(ordered, (4.0 + 2.0) / 9.0 / 2.0));
}

#[test]
fn an_order_counts_steps() {
    let rows = "a low, a low, b high, b high, c mid, c mid";
    let by = |order: &str| reached(rows, &format!(", order = [{order}]")).t_ordered;
    assert!(near(by("\"low\", \"mid\", \"high\""), 0.5));
    assert!(near(by("\"mid\", \"low\", \"high\""), 0.5));
    // A category that does not occur takes no step.
    assert!(near(by("\"low\", \"mid\", \"never\", \"high\""), 0.5));
    assert_eq!(reached(rows, "").t_ordered, None);
}

#[test]
fn missing_is_a_value_below_all_others() {
    // However it is written.
    let csv = "class,s\na,1\na,\na,?\nb,2\nb,3\nb,3\n";
    let plan =
        "[input]\nmissing = [\"?\"]\n[privacy]\nk = 2\n[columns]\nclass = { role = \"quasi\", kind = \"suppress\" }\n";
    let loaded = load(csv, &format!("{plan}s = {{ role = \"sensitive\" }}"));
    assert_eq!(loaded.encoded.sensitive()[0].values().len(), 4);
    let levels = levels(&loaded, csv).remove(0).1;
    assert_eq!(levels.distinct_l, 2);
    assert!(near(Some(levels.alpha), 2.0 / 3.0));
    assert!(near(reached("a ?, a ?, b 1, b 2", "").t_ordered, reached("a 0, a 0, b 1, b 2", "").t_ordered.unwrap()));
    let problem = counting(&loaded);
    assert!(!built(&loaded, &Spec::new("frequency-l(l=2)"), "s").holds(&problem.outline(&[0, 1, 2])));
}

#[test]
fn missing_has_the_leaf_of_its_tree() {
    // With a leaf of its own it is as near as the tree says; else it hangs right below the root.
    let own = ", hierarchy = { lines = \"x;a;*\\n?;a;*\\ny;b;*\" }";
    let none = ", hierarchy = { lines = \"x;a;*\\ny;b;*\" }";
    assert!(near(reached("a x, b ?", own).t_hierarchical, 0.25));
    assert!(near(reached("a x, b ?", none).t_hierarchical, 0.5));
}
