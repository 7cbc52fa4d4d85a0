//! Full-domain recoding against every combination of levels.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use amidst::internals::partition;
use amidst::internals::problem::{Partition, Problem};
use amidst::internals::read::{self, Options};
use amidst::internals::registry::Spec;
use amidst::plan::Plan;
use amidst::progress::Progress;
use arrow_cast::display::array_value_to_string;
use proptest::prelude::*;

use crate::naive::Naive;
use crate::releases::publish;
use crate::tables::{Column, Sketch, Sort, load, sketches};

fn best(problem: &Problem, most: usize) -> Partition {
    let partitioner = partition::build(&Spec::new("full-domain")).unwrap();
    partitioner.suppressing(problem, most, Progress::silent()).unwrap()
}

/// For each level of a column, the label and the loss of each row.
fn levels(column: &Column, missing: &str) -> Vec<Vec<(String, f64)>> {
    let naive = Naive { column, missing };
    let all = naive.values();
    let values = || column.cells.iter().map(|cell| all.iter().find(|value| naive.same(value, cell)).unwrap());
    let alike = |label: &dyn Fn(&str) -> String| {
        let loss = |wanted: &str| {
            let covered: Vec<String> = all.iter().filter(|value| label(value) == wanted).cloned().collect();
            naive.lm(&covered, true)
        };
        let losses: BTreeMap<String, f64> = all
            .iter()
            .map(|value| label(value))
            .collect::<BTreeSet<_>>()
            .into_iter()
            .map(|l| (l.clone(), loss(&l)))
            .collect();
        values().map(|value| (label(value), losses[&label(value)])).collect::<Vec<_>>()
    };
    let Sort::Taxonomy(paths) = &column.sort else {
        return vec![alike(&str::to_owned), alike(&|_| "everything".to_owned())];
    };
    let height = paths.iter().map(Vec::len).max().unwrap() - 1;
    let cut = |level: usize| {
        move |leaf: &str| {
            let mut path = naive.path(leaf);
            path.reverse();
            path.truncate(height - level + 1);
            path.join(" > ")
        }
    };
    (0..=height).map(|level| alike(&cut(level))).collect()
}

/// The least loss of all combinations of levels, where classes have at least `k` rows, `share` of a class at most has the same note, and
/// at most `most` rows are left out.
fn least(sketch: &Sketch, k: usize, share: f64, most: usize) -> f64 {
    let columns: Vec<_> = sketch.columns.iter().map(|column| levels(column, sketch.missing)).collect();
    let weights: f64 = sketch.columns.iter().map(|column| column.weight).sum();
    let nodes: usize = columns.iter().map(Vec::len).product();
    let mut best = f64::INFINITY;
    for mut node in 0..nodes {
        let mut chosen = Vec::new();
        for levels in &columns {
            chosen.push(&levels[node % levels.len()]);
            node /= levels.len();
        }
        let mut classes: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for row in 0..sketch.rows() {
            classes.entry(chosen.iter().map(|level| level[row].0.as_str()).collect()).or_default().push(row);
        }
        let holds = |rows: &&Vec<usize>| {
            let same = (0..3).map(|note| rows.iter().filter(|row| **row % 3 == note).count()).max().unwrap();
            rows.len() >= k && same as f64 <= share * rows.len() as f64 + 1e-12
        };
        let (held, out): (Vec<_>, Vec<_>) = classes.values().partition(holds);
        if out.iter().map(|rows| rows.len()).sum::<usize>() > most {
            continue;
        }
        let cell = |column: usize, row: usize| chosen[column][row].1;
        let whole = |column: usize| columns[column].last().unwrap()[0].1;
        let mut loss = 0.0;
        for (column, Column { weight, .. }) in sketch.columns.iter().enumerate() {
            loss += weight * held.iter().flat_map(|rows| *rows).map(|row| cell(column, *row)).sum::<f64>();
            loss += weight * out.iter().flat_map(|rows| *rows).map(|_| whole(column)).sum::<f64>();
        }
        best = best.min(loss / weights / sketch.rows() as f64);
    }
    best
}

proptest! {
    #[test]
    fn no_combination_of_levels_loses_less(sketch in sketches(4..=24_usize), k in 2..4_usize, most in 0..6_usize, diverse: bool) {
        let demand: &[&str] = if diverse { &["frequency-l(l=1.5)"] } else { &[] };
        let share = if diverse { 1.0 / 1.5 } else { 1.0 };
        let Ok(problem) = sketch.load().demanding(&Spec::new("lm"), k, demand) else { return Ok(()) };
        let partition = best(&problem, most);
        prop_assert!(partition.suppressed().len() <= most);
        prop_assert!(partition.clusters().all(|rows| problem.hold(rows)));
        let (loss, least) = (problem.loss(&partition), least(&sketch, k, share, most));
        prop_assert!((loss - least).abs() < 1e-9, "a loss of {} where {} is possible", loss, least);
    }

    #[test]
    fn measures_of_every_sort_find_their_best(sketch in sketches(4..=12_usize), most in 0..3_usize) {
        // The best by each measure is the best of all that the other measures choose.
        let loaded = sketch.load();
        let measures = ["lm", "dm", "mi", "entropy", "ncp", "height"];
        let problems: Vec<Problem> =
            measures.iter().filter_map(|measure| loaded.problem(&Spec::new(*measure), 2).ok()).collect();
        let partitions: Vec<Partition> = problems.iter().map(|problem| best(problem, most)).collect();
        for (problem, own) in problems.iter().zip(&partitions) {
            let own = problem.loss(own);
            prop_assert!(partitions.iter().all(|other| own <= problem.loss(other) + 1e-9));
        }
    }
}

/// Adult's first rows by the hierarchies of ARX.
fn adult(columns: &[&str], rows: usize) -> Sketch {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/adult");
    let table = read::read(&folder.join("adult.csv.gz"), &Options::default(), Progress::silent()).unwrap();
    let column = |name: &&str| {
        let lines = fs::read_to_string(folder.join(format!("hierarchies/{name}.csv"))).unwrap();
        let paths = lines.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect();
        let cell = |row| array_value_to_string(table.column(name).unwrap(), row).unwrap();
        let cells = (0..rows).map(cell).collect();
        Column { name: (*name).to_owned(), sort: Sort::Taxonomy(paths), weight: 1.0, cells }
    };
    Sketch { columns: columns.iter().map(column).collect(), missing: "?" }
}

#[test]
fn the_optimum_of_adult_is_found() {
    let sketch = adult(&["age", "education", "marital-status", "sex", "race"], 1500);
    let loaded = sketch.load();
    for k in [5, 10] {
        let problem = loaded.problem(&Spec::new("lm"), k).unwrap();
        for most in [0, 75] {
            let (loss, least) = (problem.loss(&best(&problem, most)), least(&sketch, k, 1.0, most));
            assert!((loss - least).abs() < 1e-9, "k = {k}, {most} left out: {loss} where {least} is possible");
        }
    }
}

#[test]
fn all_rows_of_a_column_are_published_at_the_same_level() {
    let sketch = adult(&["age", "education", "marital-status", "workclass"], 600);
    for share in [0.0, 0.05] {
        let mut plan: Plan = sketch.plan(5).parse().unwrap();
        plan.method.partitioner = Spec::new("full-domain");
        plan.privacy.suppress = share;
        let (outcome, release) = publish(&sketch, plan).unwrap();
        for (place, column) in sketch.columns.iter().enumerate() {
            let Sort::Taxonomy(paths) = &column.sort else { unreachable!() };
            let cells: BTreeSet<&str> = release.rows.iter().map(|row| row[place].as_str()).collect();
            // Labels of two levels can be the same, so all levels that have the label of a cell are possible.
            let possible = |cell: &&str| -> BTreeSet<usize> {
                (0..paths[0].len()).filter(|level| paths.iter().any(|path| path[*level] == **cell)).collect()
            };
            let common = cells.iter().map(possible).reduce(|a, b| &a & &b).unwrap();
            assert!(!common.is_empty(), "{}: {cells:?}", column.name);
        }
        // What is measured in the published file is what the search promised.
        let problem = sketch.load().problem(&Spec::new("lm"), 5).unwrap();
        let promised = problem.loss(&best(&problem, (share * sketch.rows() as f64) as usize));
        assert!((outcome.scores.loss["lm"] - promised).abs() < 1e-9);
    }
}

#[test]
fn a_class_of_one_value_is_published_at_the_level_of_the_others() {
    // A1 and A2 are too rare alone, so the column goes up one level; all of B is B1, and C1 is the only value of its group.
    let tree = "A1;A;*\nA2;A;*\nB1;B;*\nB2;B;*\nC1;C;*";
    let plan = format!(
        "[privacy]\nk = 2\n[method]\npartitioner = \"full-domain\"\n[columns]\n\
         id = {{ role = \"identifier\" }}\nc0 = {{ role = \"quasi\", kind = \"taxonomy\", hierarchy = {{ lines = {tree:?} }} }}\n\
         note = {{ role = \"sensitive\" }}\n"
    );
    let cells = ["A1", "A2", "B1", "B1", "C1", "C1"].map(str::to_owned).to_vec();
    let sort = Sort::Taxonomy(tree.lines().map(|line| line.split(';').map(str::to_owned).collect()).collect());
    let sketch = Sketch { columns: vec![Column { name: "c0".to_owned(), sort, weight: 1.0, cells }], missing: "?" };
    let (outcome, release) = publish(&sketch, plan.parse().unwrap()).unwrap();
    let mut published: Vec<&str> = release.rows.iter().map(|row| row[0].as_str()).collect();
    published.sort_unstable();
    assert_eq!(published, ["A", "A", "B", "B", "C", "C"]);
    // A and B cover two of five leaves, (2 - 1) / (5 - 1), C covers one: (4 · 1/4 + 2 · 0) / 6.
    assert!((outcome.scores.loss["lm"] - 1.0 / 6.0).abs() < 1e-12);
}

#[test]
fn a_limit_of_nodes_is_told() {
    let sketch = adult(&["age", "education", "marital-status"], 300);
    let problem = sketch.load().problem(&Spec::new("lm"), 5).unwrap();
    let run = |spec: &str| {
        let partition = partition::build(&Spec::new(spec)).unwrap().partition(&problem, Progress::silent()).unwrap();
        assert!(partition.clusters().all(|rows| problem.hold(rows)));
        (
            problem.loss(&partition),
            partition.remarks().iter().any(|remark| remark.contains("combinations of levels were")),
        )
    };
    let ((few, told), (all, silent)) = (run("full-domain(nodes=1)"), run("full-domain"));
    assert!(told && !silent && all <= few, "{few} {all}");
}

#[test]
fn what_cannot_follow_one_level_is_refused() {
    let sketch = adult(&["age", "education"], 100);
    let mut plan: Plan = sketch.plan(5).parse().unwrap();
    plan.method.partitioner = Spec::new("full-domain");
    plan.method.refine = vec![Spec::new("arp")];
    let message = publish(&sketch, plan).err().unwrap().to_string();
    assert!(message.contains("no refiner keeps"), "{message}");
}

#[test]
fn models_that_look_at_the_whole_table_hold_after_records_are_left_out() {
    let csv: String = (0..120).map(|i| format!("{},{},n{}\n", i % 4, i * 7 % 15, i % 2 + i / 60)).collect();
    let plan = "[privacy]\nk = 3\nsuppress = 0.2\nrequire = [\"t-closeness(t=0.35)\"]\n[method]\npartitioner = \"full-domain\"\n[columns]\n\
                a = { role = \"quasi\", kind = \"range\" }\nb = { role = \"quasi\", kind = \"taxonomy\", hierarchy = { widths = [5] } }\n\
                s = { role = \"sensitive\" }\n";
    let table = load(&format!("a,b,s\n{csv}"), plan).table;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("release.csv");
    let dataset = amidst::Dataset::new(&table, plan.parse().unwrap()).unwrap();
    let release = dataset.anonymize_to(&file).unwrap();
    assert!(release.report().audit.achieved.k >= 3);
}
