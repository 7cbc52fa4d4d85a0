//! What holds for every part of a table: merging, least sizes, growing.

use amidst::internals::constraint::{self, Constraint};
use amidst::internals::problem::{Cluster, Problem};
use amidst::internals::registry::Spec;

use super::{Classed, Model, built, counting};
use crate::tables::{Loaded, load};

/// Ten persons: four values, two who want l = 2, two who want k = 3.
const PERSONS: &str = "\
class,n,h0,h1,k,l
a,0,0,0,1,1
a,0,0,0,3,1
b,0,0,0,1,2
b,0,0,0,1,
c,1,1,1,,1
c,1,1,1,1,2
d,1,1,1,1,1
d,2,2,2,3,1
e,2,2,2,2,1
e,3,3,3,1,1
";

fn persons() -> Loaded {
    let columns = Classed { rows: vec![(0, 0)] }.load().plan.to_toml(|_| None);
    load(PERSONS, &format!("{columns}k = {{ role = \"personal-k\" }}\nl = {{ role = \"personal-l\" }}\n"))
}

/// Every set of persons, by the bits of a number; all of them is the last.
fn parts(problem: &Problem) -> Vec<Cluster> {
    let rows = problem.rows();
    let chosen = |set: usize| (0..rows as u32).filter(|row| set >> row & 1 == 1).collect::<Vec<_>>();
    (0..1_usize << rows).map(|set| problem.outline(&chosen(set))).collect()
}

/// Everything that can be asked of the persons as a whole, with a name.
fn demands(loaded: &Loaded, whole: &Cluster) -> Vec<(String, Box<dyn Constraint>)> {
    let mut demands: Vec<(String, Box<dyn Constraint>)> = Vec::new();
    for model in Model::all() {
        let (spec, column) = model.asked();
        demands.push((spec.to_string(), built(loaded, &spec, column)));
    }
    // Behind k come the wish for k and that for l, which is one for each sensitive column.
    let all = constraint::all(&loaded.plan, &loaded.encoded).unwrap();
    let names = ["k-anonymity", "personal k", "personal l", "personal l", "personal l"];
    assert_eq!(all.len(), names.len());
    demands.extend(names.map(str::to_owned).into_iter().zip(all));
    demands.retain(|(_, demand)| demand.holds(whole));
    demands
}

#[test]
fn what_says_that_it_survives_merging_does_and_the_others_do_not() {
    let loaded = persons();
    let parts = parts(&counting(&loaded));
    let mut examples = Vec::new();
    for (name, demand) in demands(&loaded, parts.last().unwrap()) {
        let holds: Vec<bool> = parts.iter().map(|part| part.size() > 0 && demand.holds(part)).collect();
        let broken = |a: usize| {
            let apart = |b: &usize| a & b == 0 && holds[a] && holds[*b] && !holds[a | b];
            (a + 1..parts.len()).find(apart).map(|b| (a, b))
        };
        let broken = (1..parts.len()).find_map(broken);
        let unstable = name.starts_with("delta") || name == "personal l";
        assert_eq!(demand.monotone(), !unstable, "{name}");
        assert!(broken.is_none() || unstable, "{name}: {broken:?}");
        examples.extend(broken.map(|_| name));
    }
    for name in ["delta-disclosure(delta=0.7)", "personal l"] {
        assert!(examples.iter().any(|example| example == name), "{name} is only broken in {examples:?}");
    }
}

#[test]
fn no_part_that_holds_is_smaller_than_the_least_size() {
    let loaded = persons();
    let parts = parts(&counting(&loaded));
    for (name, demand) in demands(&loaded, parts.last().unwrap()) {
        let least = parts[1..].iter().filter(|part| demand.holds(part)).map(Cluster::size).min();
        assert!(demand.min_size() <= least.unwrap(), "{name}: {} but {least:?}", demand.min_size());
    }
}

#[test]
fn some_record_brings_a_part_nearer() {
    let loaded = persons();
    let parts = parts(&counting(&loaded));
    let whole = parts.len() - 1;
    let sure = ["k-anonymity", "distinct-l", "frequency-l", "alpha-k", "recursive-l"];
    let mut seen = 0;
    for (name, demand) in demands(&loaded, &parts[whole]) {
        let lack: Vec<f64> = parts.iter().map(|part| demand.lack(part)).collect();
        for part in (1..whole).filter(|part| lack[*part] > 0.0) {
            let nearer = (0..10).any(|row| part >> row & 1 == 0 && lack[part | 1 << row] < lack[part]);
            assert!(nearer || !sure.contains(&name.split('(').next().unwrap()), "{name}: {:?}", parts[part]);
            // Others may have to get past a hill, but all of the table is always there.
            let reached = (1..parts.len()).any(|more| more & part == part && lack[more] <= 0.0);
            assert!(reached, "{name}: {:?}", parts[part]);
            seen += 1;
        }
    }
    assert!(seen > 1000, "{seen}");
}

/// Takes the record that brings it nearest, from one record on, until the demand holds; how many that are.
fn grown(csv: &str, more: &str, spec: &str) -> Option<usize> {
    let plan = "[privacy]\nk = 2\n[columns]\nx = { role = \"quasi\", kind = \"suppress\" }\n";
    let loaded = load(csv, &format!("{plan}s = {{ role = \"sensitive\"{more} }}"));
    let problem = loaded.demanding(&Spec::new("lm"), 2, &[spec]).unwrap();
    let mut rows = vec![0];
    loop {
        let lack = problem.lack(&problem.outline(&rows));
        if lack <= 0.0 {
            return Some(rows.len());
        }
        let with = |row: u32| problem.lack(&problem.outline(&[rows.as_slice(), &[row]].concat()));
        let free = (0..problem.rows() as u32).filter(|row| !rows.contains(row));
        let best = free.map(|row| (with(row), row)).min_by(|a, b| a.0.total_cmp(&b.0))?;
        if best.0 >= lack {
            return None;
        }
        rows.push(best.1);
    }
}

#[test]
fn clusters_grow_from_one_record_also_where_much_is_asked() {
    // Forty values, five times each: a class of few records cannot look like the table.
    let csv: String =
        std::iter::once("x,s\n".to_owned()).chain((0..200).map(|row| format!("{row},{}\n", row % 40))).collect();
    assert_eq!(grown(&csv, "", "t-closeness(t=0.5)"), Some(20));
    assert_eq!(grown(&csv, "", "t-closeness(t=0)"), Some(40));
    assert_eq!(grown(&csv, "", "entropy-l(l=30)"), Some(30));
    assert_eq!(grown(&csv, "", "distinct-l(l=30)"), Some(30));
    assert_eq!(grown(&csv, "", "frequency-l(l=30)"), Some(30));
    assert_eq!(grown(&csv, "", "basic-beta(beta=1)"), Some(20));
    assert_eq!(grown(&csv, "", "recursive-l(c=0.1, l=4)"), Some(14));
    assert!(grown(&csv, "", "t-closeness(t=0.05, distance=ordered)").is_some_and(|rows| rows <= 20));
    let tree = ", hierarchy = { widths = [5, 10] }";
    assert_eq!(grown(&csv, tree, "t-closeness(t=0.5, distance=hierarchical)"), Some(4));
}
