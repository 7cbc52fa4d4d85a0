//! The privacy models for sensitive values, held against the definitions of their papers.
//!
//! Shares are compared as whole numbers and distances are found by moving earth, so neither the constraints nor the audit
//! judge themselves.

mod examples;
mod parts;
mod wishes;

use amidst::internals::constraint::{self, Constraint};
use amidst::internals::problem::Problem;
use amidst::internals::read::{self, Table};
use amidst::internals::registry::Spec;
use amidst::internals::verify::{self, Classes, Crowds, Levels};
use amidst::plan;
use amidst::progress::Progress;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::tables::{Loaded, load};

/// How often each value occurs.
pub type Counts = Vec<i64>;

/// A value's way to the root. One tree has all leaves at the same depth, the other has not.
pub const TREES: [[&str; 5]; 2] =
    [["0;a;*", "1;a;*", "2;b;*", "3;b;*", "4;b;*"], ["0;a;x;*", "1;a;x;*", "2;b;x;*", "3;y;*", "4;*"]];

/// How far two values are apart, times some whole number, and that number.
#[derive(Debug, Clone, Copy)]
pub enum Ground {
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
pub enum Model {
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
    pub fn all() -> Vec<Model> {
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
    pub fn asked(self) -> (Spec, &'static str) {
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
    pub fn holds(self, class: &Counts, whole: &Counts) -> bool {
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

pub fn table(csv: &str) -> Table {
    read::read_bytes("table.csv", csv.to_owned(), &read::Options::default(), Progress::silent()).unwrap()
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
pub fn meets(levels: &Levels, spec: &Spec, column: &str) -> bool {
    match plan::Model::parse(spec).unwrap() {
        plan::Model::Values(model) => levels.judged(model, column).unwrap().1,
        plan::Model::KAnonymity { .. } | plan::Model::HouseholdK { .. } => panic!("{spec} is not about values"),
    }
}

/// What `spec` asks of a column.
pub fn built(loaded: &Loaded, spec: &Spec, column: &str) -> Box<dyn Constraint> {
    let attributes = constraint::attributes(&loaded.encoded);
    let own: Vec<_> = attributes.into_iter().filter(|a| a.sensitive.name() == column).collect();
    let mut built = constraint::build(spec, &own).unwrap_or_else(|e| panic!("{spec}: {e}"));
    assert_eq!(built.len(), 1);
    built.remove(0)
}

fn classed() -> impl Strategy<Value = Classed> {
    vec((0..5_usize, 0..3_usize), 2..=16).prop_map(|rows| Classed { rows })
}

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
