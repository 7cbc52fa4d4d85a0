//! The privacy models for sensitive values, held against the definitions of their papers.
//!
//! Shares are compared as whole numbers and distances are found by moving earth, so neither the constraints nor the audit
//! judge themselves.

use std::io::Write as _;

use amidst::internals::constraint::{self, Constraint};
use amidst::internals::partition;
use amidst::internals::problem::{Cluster, Problem};
use amidst::internals::read::{self, Table};
use amidst::internals::registry::Spec;
use amidst::internals::verify::{self, Classes, Crowds, Files, Levels, wishes};
use amidst::plan;
use amidst::progress::Progress;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::tables::{Loaded, load, specs};

/// How often each value occurs.
type Counts = Vec<i64>;

/// A value's way to the root. One tree has all leaves at the same depth, the other has not.
const TREES: [[&str; 5]; 2] =
    [["0;a;*", "1;a;*", "2;b;*", "3;b;*", "4;b;*"], ["0;a;x;*", "1;a;x;*", "2;b;x;*", "3;y;*", "4;*"]];

// ── the definitions ──────────────────────────────────────────────────────────────────────────────

/// How far two values are apart, times some whole number, and that number.
#[derive(Debug, Clone, Copy)]
enum Ground {
    Equal,
    /// By their places among those that occur.
    Ordered,
    Tree(usize),
}

impl Ground {
    /// The distances of the values that occur, and the unit.
    fn distances(self, whole: &Counts) -> (Vec<Vec<i64>>, i64) {
        let used: Vec<usize> = (0..whole.len()).filter(|v| whole[*v] > 0).collect();
        let paths = |tree: usize| TREES[tree].map(|line| line.split(';').collect::<Vec<_>>());
        let unit = match self {
            Ground::Equal => 1,
            Ground::Ordered => (used.len() as i64 - 1).max(1),
            Ground::Tree(tree) => paths(tree).iter().map(Vec::len).max().unwrap() as i64 - 1,
        };
        let distance = |i: usize, j: usize| match self {
            _ if i == j => 0,
            Ground::Equal => 1,
            Ground::Ordered => (i as i64 - j as i64).abs(),
            Ground::Tree(tree) => {
                // What both ways to the root end with; its first node is as high as the deepest leaf below it is deep.
                let paths = paths(tree);
                let (one, two) = (&paths[used[i]], &paths[used[j]]);
                let common = one.iter().rev().zip(two.iter().rev()).take_while(|(a, b)| a == b).count();
                let node = &one[one.len() - common..];
                let below = paths.iter().filter(|path| path.ends_with(node));
                below.map(|path| (path.len() - common) as i64).max().unwrap()
            }
        };
        let places = 0..used.len();
        (places.clone().map(|i| places.clone().map(|j| distance(i, j)).collect()).collect(), unit)
    }

    /// The earth mover's distance of a class from the table: the least work that turns one distribution into the other,
    /// found by sending earth along the cheapest ways, one after the other.
    fn work(self, class: &Counts, whole: &Counts) -> f64 {
        let (distances, unit) = self.distances(whole);
        let (n, rows) = (class.iter().sum::<i64>(), whole.iter().sum::<i64>());
        let used: Vec<usize> = (0..whole.len()).filter(|v| whole[*v] > 0).collect();
        let m = used.len();
        // Shares as whole numbers: times the rows of both.
        let mut supply: Vec<i64> = used.iter().map(|v| class[*v] * rows).collect();
        let mut demand: Vec<i64> = used.iter().map(|v| whole[*v] * n).collect();
        let mut sent = vec![vec![0_i64; m]; m];
        let mut work = 0;
        while let Some(start) = (0..m).find(|i| supply[*i] > 0) {
            // The cheapest way from `start` over sources (0..m) and sinks (m..2m); earth may be sent back.
            let mut cost = vec![i64::MAX / 2; 2 * m];
            let mut from = vec![usize::MAX; 2 * m];
            cost[start] = 0;
            for _ in 0..2 * m {
                for i in 0..m {
                    for j in 0..m {
                        if cost[i] + distances[i][j] < cost[m + j] {
                            (cost[m + j], from[m + j]) = (cost[i] + distances[i][j], i);
                        }
                        if sent[i][j] > 0 && cost[m + j] - distances[i][j] < cost[i] {
                            (cost[i], from[i]) = (cost[m + j] - distances[i][j], m + j);
                        }
                    }
                }
            }
            let end = (0..m).filter(|j| demand[*j] > 0).min_by_key(|j| cost[m + j]).unwrap();
            let mut way = vec![m + end];
            while *way.last().unwrap() != start {
                way.push(from[*way.last().unwrap()]);
            }
            way.reverse();
            let back = way.windows(2).filter(|step| step[0] >= m).map(|step| sent[step[1]][step[0] - m]);
            let amount = back.chain([supply[start], demand[end]]).min().unwrap();
            for step in way.windows(2) {
                if step[0] < m {
                    sent[step[0]][step[1] - m] += amount;
                } else {
                    sent[step[1]][step[0] - m] -= amount;
                }
            }
            supply[start] -= amount;
            demand[end] -= amount;
            work += amount * cost[m + end];
        }
        work as f64 / (n * rows * unit) as f64
    }
}

/// What is asked of a class.
#[derive(Debug, Clone, Copy)]
enum Model {
    Distinct(i64),
    /// In tenths, as all that follow.
    Frequency(i64),
    Entropy(i64),
    Recursive(i64, i64),
    Alpha(i64),
    Close(i64, Ground),
    Beta(i64),
    Enhanced(i64),
    Delta(i64),
}

impl Model {
    fn all() -> Vec<Model> {
        use Ground::{Equal, Ordered, Tree};
        use Model::{Alpha, Beta, Close, Delta, Distinct, Enhanced, Entropy, Frequency, Recursive};
        let mut all: Vec<Model> = (2..=4).map(Distinct).collect();
        all.extend([10, 13, 15, 20, 25, 30, 40].map(Frequency));
        all.extend([10, 14, 19, 20, 25, 30].map(Entropy));
        all.extend(
            [(5, 2), (10, 2), (15, 2), (20, 2), (55, 2), (10, 3), (20, 3), (40, 4)].map(|(c, l)| Recursive(c, l)),
        );
        all.extend([2, 3, 4, 5, 6, 8, 10].map(Alpha));
        all.extend([0, 1, 2, 3, 5, 8].iter().flat_map(|t| [Equal, Ordered, Tree(0), Tree(1)].map(|by| Close(*t, by))));
        all.extend([0, 2, 5, 10, 20].iter().flat_map(|beta| [Beta(*beta), Enhanced(*beta)]));
        all.extend([2, 5, 7, 12].map(Delta));
        all
    }

    /// How it is asked for, and of which column of [`Classed`].
    fn asked(self) -> (Spec, &'static str) {
        let tenths = |number: i64| format!("{}.{}", number / 10, number % 10);
        let (text, column) = match self {
            Model::Distinct(l) => (format!("distinct-l(l={l})"), "n"),
            Model::Frequency(l) => (format!("frequency-l(l={})", tenths(l)), "n"),
            Model::Entropy(l) => (format!("entropy-l(l={})", tenths(l)), "n"),
            Model::Recursive(c, l) => (format!("recursive-l(c={}, l={l})", tenths(c)), "n"),
            Model::Alpha(alpha) => (format!("alpha-k(alpha={})", tenths(alpha)), "n"),
            Model::Close(t, Ground::Equal) => (format!("t-closeness(t={})", tenths(t)), "n"),
            Model::Close(t, Ground::Ordered) => (format!("t-closeness(t={}, distance=ordered)", tenths(t)), "n"),
            Model::Close(t, Ground::Tree(tree)) => {
                (format!("t-closeness(t={}, distance=hierarchical)", tenths(t)), ["h0", "h1"][tree])
            }
            Model::Beta(beta) => (format!("basic-beta(beta={})", tenths(beta)), "n"),
            Model::Enhanced(beta) => (format!("enhanced-beta(beta={})", tenths(beta)), "n"),
            Model::Delta(delta) => (format!("delta-disclosure(delta={})", tenths(delta)), "n"),
        };
        (Spec::new(text), column)
    }

    /// The definition.
    fn holds(self, class: &Counts, whole: &Counts) -> bool {
        let (n, rows) = (class.iter().sum::<i64>(), whole.iter().sum::<i64>());
        let occurring = || class.iter().zip(whole).filter(|(times, _)| **times > 0);
        let share = |times: i64, of: i64| times as f64 / of as f64;
        let gain = |times: i64, usual: i64| share(times * rows, usual * n) - 1.0;
        match self {
            Model::Distinct(l) => occurring().count() as i64 >= l,
            Model::Frequency(l) => class.iter().all(|times| l * times <= 10 * n),
            Model::Entropy(l) => {
                let entropy: f64 = occurring().map(|(times, _)| -share(*times, n) * share(*times, n).log2()).sum();
                entropy >= (l as f64 / 10.0).log2() - 1e-9
            }
            Model::Recursive(c, l) => {
                let mut sorted = class.clone();
                sorted.sort_unstable();
                sorted.reverse();
                10 * sorted[0] < c * sorted[l as usize - 1..].iter().sum::<i64>()
            }
            Model::Alpha(alpha) => class.iter().all(|times| 10 * times <= alpha * n),
            Model::Close(t, by) => by.work(class, whole) <= t as f64 / 10.0 + 1e-9,
            Model::Beta(beta) => occurring().all(|(times, usual)| 10 * times * rows <= (10 + beta) * usual * n),
            Model::Enhanced(beta) => occurring().all(|(times, usual)| {
                gain(*times, *usual) <= f64::min(beta as f64 / 10.0, -share(*usual, rows).ln()) + 1e-9
            }),
            Model::Delta(delta) => occurring()
                .all(|(times, usual)| f64::abs(share(*times, n).ln() - share(*usual, rows).ln()) < delta as f64 / 10.0),
        }
    }
}

// ── tables ───────────────────────────────────────────────────────────────────────────────────────

fn table(csv: &str) -> Table {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(csv.as_bytes()).unwrap();
    read::read(file.path(), &read::Options::default(), Progress::silent()).unwrap()
}

/// The classes of a published table and what each sensitive column reaches.
fn levels(loaded: &Loaded, csv: &str) -> Vec<(String, Levels)> {
    let table = table(csv);
    let classes = Classes::new(&table, loaded.schema.quasi_names()).unwrap();
    let level = |column: &str| verify::levels(&table, &Crowds::new(&classes), column, &loaded.plan).unwrap();
    loaded.schema.sensitive.iter().map(|column| (column.name.clone(), level(&column.name))).collect()
}

/// Rows of a value from 0 to 4 and a class, which is their only quasi-identifier. The value stands in three sensitive columns:
/// as a number, and as a leaf of either tree.
#[derive(Debug)]
struct Classed {
    rows: Vec<(usize, usize)>,
}

impl Classed {
    fn csv(&self) -> String {
        let lines = self.rows.iter().map(|(value, class)| format!("class {class},{value},{value},{value}\n"));
        format!("class,n,h0,h1\n{}", lines.collect::<String>())
    }

    fn load(&self) -> Loaded {
        let tree =
            |tree: usize| format!("{{ role = \"sensitive\", hierarchy = {{ lines = {:?} }} }}", TREES[tree].join("\n"));
        let plan = format!(
            "[privacy]\nk = 2\n[columns]\nclass = {{ role = \"quasi\", kind = \"suppress\" }}\n\
             n = {{ role = \"sensitive\" }}\nh0 = {}\nh1 = {}\n",
            tree(0),
            tree(1)
        );
        load(&self.csv(), &plan)
    }

    /// How often each value occurs in the rows that `pick` takes.
    fn counts(&self, pick: impl Fn(usize) -> bool) -> Counts {
        let mut counts = vec![0; 5];
        (0..self.rows.len()).filter(|row| pick(*row)).for_each(|row| counts[self.rows[row].0] += 1);
        counts
    }
}

/// A problem whose clusters count sensitive values, and that every cluster solves.
fn counting(loaded: &Loaded) -> Problem {
    loaded.demanding(&Spec::new("lm"), 2, &["t-closeness(t=1)"]).unwrap()
}

/// True when the levels that the verification found are enough for a model.
fn meets(levels: &Levels, spec: &Spec, column: &str) -> bool {
    match plan::Model::parse(spec).unwrap() {
        plan::Model::Values(model) => levels.judged(model, column).unwrap().1,
        plan::Model::KAnonymity { .. } => panic!("{spec} is not about values"),
    }
}

/// What `spec` asks of a column.
fn built(loaded: &Loaded, spec: &Spec, column: &str) -> Box<dyn Constraint> {
    let attributes = constraint::attributes(&loaded.encoded);
    let own: Vec<_> = attributes.into_iter().filter(|a| a.sensitive.name() == column).collect();
    let mut built = constraint::build(spec, &own).unwrap_or_else(|e| panic!("{spec}: {e}"));
    assert_eq!(built.len(), 1);
    built.remove(0)
}

fn classed() -> impl Strategy<Value = Classed> {
    vec((0..5_usize, 0..3_usize), 2..=16).prop_map(|rows| Classed { rows })
}

// ── what holds for every table ───────────────────────────────────────────────────────────────────

proptest! {
    #[test]
    fn constraints_and_audits_follow_the_definitions(classed in classed()) {
        let loaded = classed.load();
        let problem = counting(&loaded);
        let levels = levels(&loaded, &classed.csv());
        let whole = classed.counts(|_| true);
        let classes: Vec<Vec<u32>> = (0..3)
            .map(|class| (0..classed.rows.len() as u32).filter(|row| classed.rows[*row as usize].1 == class).collect())
            .filter(|rows: &Vec<u32>| !rows.is_empty())
            .collect();
        for model in Model::all() {
            let (spec, column) = model.asked();
            let constraint = built(&loaded, &spec, column);
            let mut all = true;
            for rows in &classes {
                let defined = model.holds(&classed.counts(|row| rows.contains(&(row as u32))), &whole);
                let cluster = problem.outline(rows);
                prop_assert_eq!(constraint.holds(&cluster), defined, "{} of {:?} in {:?}", spec, rows, classed.rows);
                prop_assert_eq!(constraint.lack(&cluster) <= 0.0, defined);
                prop_assert!(constraint.lack(&cluster) >= 0.0);
                prop_assert!(!defined || constraint.min_size() <= rows.len(), "{}: {}", spec, constraint.min_size());
                all &= defined;
            }
            let reached = &levels.iter().find(|(name, _)| name == column).unwrap().1;
            prop_assert_eq!(meets(reached, &spec, column), all, "{} of {:?}", spec, classed.rows);
        }
    }

    #[test]
    fn distances_are_the_least_work(classed in classed()) {
        let levels = levels(&classed.load(), &classed.csv());
        let whole = classed.counts(|_| true);
        let furthest = |by: Ground| {
            let classes = (0..3).map(|class| classed.counts(|row| classed.rows[row].1 == class));
            classes.filter(|class| class.iter().sum::<i64>() > 0).map(|class| by.work(&class, &whole)).fold(0.0, f64::max)
        };
        let near = |found: f64, by: Ground| (found - furthest(by)).abs() < 1e-9;
        prop_assert!(near(levels[0].1.t, Ground::Equal));
        prop_assert!(near(levels[0].1.t_ordered.unwrap(), Ground::Ordered));
        prop_assert!(near(levels[1].1.t_hierarchical.unwrap(), Ground::Tree(0)));
        prop_assert!(near(levels[2].1.t_hierarchical.unwrap(), Ground::Tree(1)));
        prop_assert!(levels[1].1.t_ordered.is_none() && levels[0].1.t_hierarchical.is_none());
    }

    #[test]
    fn what_cannot_be_had_is_refused_with_what_can(classed in classed()) {
        let loaded = classed.load();
        let rows: Vec<u32> = (0..classed.rows.len() as u32).collect();
        let whole = counting(&loaded).outline(&rows);
        let counts = classed.counts(|_| true);
        for model in Model::all() {
            let (spec, column) = model.asked();
            let refused = built(&loaded, &spec, column).feasible(&whole);
            prop_assert_eq!(refused.is_ok(), model.holds(&counts, &counts), "{}", spec);
            let Err(refused) = refused else { continue };
            prop_assert!(refused.is_infeasible());
            let message = refused.to_string();
            let (_, best) = message.split_once("the table as a whole reaches ").unwrap();
            let (best, _) = best.split_once(", and no release").unwrap();
            let number = |text: &str| text.split(' ').find_map(|word| word.parse::<f64>().ok()).unwrap();
            let had = |spec: String| built(&loaded, &Spec::new(spec), column).holds(&whole);
            let (name, best_level) = (spec.name(), number(best));
            match model {
                // There is no l = 1 to ask for.
                Model::Distinct(_) => prop_assert!(best_level <= 1.0 || had(format!("{name}(l={best_level})")), "{}", message),
                Model::Frequency(_) | Model::Entropy(_) => {
                    prop_assert!(had(format!("{name}(l={best_level})")), "{}", message);
                    prop_assert!(!had(format!("{name}(l={})", best_level + 2e-4)), "{}", message);
                }
                Model::Alpha(_) => {
                    prop_assert!(had(format!("{name}(alpha={best_level})")), "{}", message);
                    prop_assert!(!had(format!("{name}(alpha={})", best_level - 2e-4)), "{}", message);
                }
                Model::Recursive(_, l) if best.starts_with("every c above") => {
                    prop_assert!(had(format!("{name}(c={}, l={l})", best_level + 1e-6)), "{}", message);
                    prop_assert!(!had(format!("{name}(c={}, l={l})", best_level - 2e-4)), "{}", message);
                }
                Model::Recursive(..) => {
                    prop_assert!(best_level < 2.0 || had(format!("{name}(c=1000, l={best_level})")), "{}", message);
                }
                _ => prop_assert!(false, "the whole table is like itself: {message}"),
            }
        }
    }
}

// ── what holds for every part of a table ─────────────────────────────────────────────────────────

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

// ── the examples of the papers ───────────────────────────────────────────────────────────────────

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

// ── groups, orders, trees, missing values ────────────────────────────────────────────────────────

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

// ── several columns, and persons ─────────────────────────────────────────────────────────────────

#[test]
fn every_column_is_asked_for_itself() {
    let csv = "class,s,t\na,1,1\na,2,1\nb,1,2\nb,2,2\n";
    let plan = "[privacy]\nk = 2\nrequire = [\"t-closeness(t=0.5)\"]\n[columns]\n\
                class = { role = \"quasi\", kind = \"suppress\" }\n\
                s = { role = \"sensitive\", require = [\"distinct-l(l=2)\"] }\nt = { role = \"sensitive\" }\n";
    let loaded = load(csv, plan);
    let constraints = constraint::all(&loaded.plan, &loaded.encoded).unwrap();
    assert_eq!(constraints.len(), 4); // k, t of both, l of one
    let problem = counting(&loaded);
    let hold = |rows: &[u32]| constraints.iter().map(|c| c.holds(&problem.outline(rows))).collect::<Vec<_>>();
    assert_eq!(hold(&[0, 1]), [true; 4]);
    assert_eq!(hold(&[0, 2]), [true, true, true, false]);
    assert_eq!(hold(&[0]), [false, true, true, false]);
    let swapped = load(&csv.replace("class,s,t", "class,t,s"), plan);
    let constraints = constraint::all(&swapped.plan, &swapped.encoded).unwrap();
    assert!(!constraints.iter().all(|c| c.holds(&counting(&swapped).outline(&[0, 1]))));
}

#[test]
fn everybody_gets_what_they_want_and_whoever_says_nothing_wants_nothing() {
    let plan = "[input]\nmissing = [\"99\"]\n[privacy]\nk = 2\n[columns]\n\
                class = { role = \"quasi\", kind = \"suppress\" }\ns = { role = \"sensitive\" }\n";
    // Five persons with the values 1, 2, 2, 1, 2 want this, and each is published in one of these classes.
    let wish = |role: &str, wanted: [&str; 5], published: [&str; 5]| {
        let values = [1, 2, 2, 1, 2];
        let lines =
            |last: [&str; 5]| (0..5).map(|row| format!("{row},{},{}\n", values[row], last[row])).collect::<String>();
        let csv = format!("class,s,wish\n{}", lines(wanted));
        let loaded = load(&csv, &format!("{plan}wish = {{ role = \"{role}\" }}"));
        let release = table(&format!("row,s,class\n{}", lines(published)));
        let files = Files { main: release, beside: rustc_hash::FxHashMap::default() };
        let release = verify::published(&files, &loaded.plan).unwrap().unwrap();
        let classes = &release.classes;
        let order: Vec<u32> = (0..5).collect();
        let by_audit = wishes(&table(&csv), &loaded.plan, &release, &order).unwrap();
        // The constraint thinks the same of the same classes.
        let problem = counting(&loaded);
        let wish = constraint::all(&loaded.plan, &loaded.encoded).unwrap().pop().unwrap();
        let class = |class: u32| (0..5).filter(|row| classes.of_row[*row as usize] == class).collect::<Vec<u32>>();
        let holds = (0..classes.sizes.len() as u32).all(|c| wish.holds(&problem.outline(&class(c))));
        assert_eq!(by_audit.is_ok(), holds, "{role} {wanted:?} {published:?}");
        holds
    };
    let (apart, mixed, together) = (["a", "a", "a", "b", "b"], ["a", "a", "b", "b", "b"], ["*"; 5]);
    let k = ["2", "", "99", "3", "1"];
    assert!(!wish("personal-k", k, apart)); // the fourth is in a class of two
    assert!(wish("personal-k", k, mixed));
    assert!(wish("personal-k", k, together));
    let l = ["1.2", "", "99", "1.6", "1"];
    assert!(wish("personal-l", l, apart));
    assert!(!wish("personal-l", l, mixed)); // the fourth is in a class of 2, 1, 2
    assert!(wish("personal-l", l, together));
}

#[test]
fn every_partitioner_grants_every_wish() {
    let mut csv = "age,zip,s,k,l\n".to_owned();
    for i in 0..24 {
        let (k, l) = (if i == 3 { "6" } else { "" }, if i == 20 { "2" } else { "" });
        csv += &format!("{},{},{},{k},{l}\n", 20 + 2 * i, 75_000 + i, i / 3 % 4);
    }
    let plan = "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\n\
                zip = { role = \"quasi\", kind = \"range\" }\ns = { role = \"sensitive\" }\n\
                k = { role = \"personal-k\" }\nl = { role = \"personal-l\" }\n";
    let problem = load(&csv, plan).problem(&Spec::new("lm"), 2).unwrap();
    assert_eq!(problem.constraints.len(), 3);
    for spec in specs(partition::ALL) {
        let made = partition::build(&spec).unwrap().partition(&problem, Progress::silent()).unwrap();
        assert!(made.clusters().all(|rows| problem.hold(rows)), "{spec}");
        assert!(made.len() > 1, "{spec}");
    }
}
