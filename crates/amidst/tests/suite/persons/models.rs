//! The privacy models by persons, held against their definitions: a person weighs one, however many rows.

use amidst::internals::problem::Problem;
use amidst::internals::registry::Spec;
use amidst::pipeline::{AuditJob, audit};
use amidst::progress::Progress;
use amidst::report::AuditOutcome;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::privacy::{Counts, Model, TREES, built, meets, table};
use crate::tables::{Loaded, load};

/// What a person weighs, so that the parts of up to ten rows are whole numbers.
const WEIGHT: i64 = 2520;

/// Rows of a person, a value from 0 to 4, and a class.
#[derive(Debug, Clone)]
struct Visits {
    rows: Vec<(usize, usize, usize)>,
}

impl Visits {
    fn csv(&self) -> String {
        let line = |(person, value, class): &(usize, usize, usize)| {
            format!("p{person},class {class},{value},{value},{value}\n")
        };
        format!("pid,class,n,h0,h1\n{}", self.rows.iter().map(line).collect::<String>())
    }

    fn load(&self) -> Loaded {
        let tree =
            |tree: usize| format!("{{ role = \"sensitive\", hierarchy = {{ lines = {:?} }} }}", TREES[tree].join("\n"));
        let plan = format!(
            "[privacy]\nk = 2\n[columns]\npid = {{ role = \"person\" }}\nclass = {{ role = \"quasi\", kind = \"suppress\" }}\n\
             n = {{ role = \"sensitive\" }}\nh0 = {}\nh1 = {}\n",
            tree(0),
            tree(1)
        );
        load(&self.csv(), &plan)
    }

    /// What an audit finds if the rows are published as they are.
    fn audit(&self) -> AuditOutcome {
        let csv = self.csv();
        let published: String = csv.lines().map(|line| line.split_once(',').unwrap().1.to_owned() + "\n").collect();
        let (release, original) = (table(&published), table(&csv));
        let job = AuditJob {
            release: (&release).into(),
            plan: self.load().plan,
            demand: false,
            original: Some((&original).into()),
            tables: Vec::new(),
        };
        audit(&job, Progress::silent()).unwrap()
    }

    fn classes(&self) -> Vec<Vec<u32>> {
        let of = |class| (0..self.rows.len() as u32).filter(|row| self.rows[*row as usize].2 == class).collect();
        (0..3).map(of).filter(|rows: &Vec<u32>| !rows.is_empty()).collect()
    }

    fn all(&self) -> Vec<u32> {
        (0..self.rows.len() as u32).collect()
    }

    /// The number of rows of each person and value.
    fn persons(&self, among: &[u32]) -> Vec<Counts> {
        let mut persons = vec![vec![0; 5]; 1 + self.rows.iter().map(|(person, ..)| *person).max().unwrap()];
        for row in among {
            let (person, value, _) = self.rows[*row as usize];
            persons[person][value] += 1;
        }
        persons.retain(|values| values.iter().sum::<i64>() > 0);
        persons
    }

    /// How much of the persons each value is.
    fn weights(&self, among: &[u32]) -> Counts {
        let mut weights = vec![0; 5];
        for values in self.persons(among) {
            let rows: i64 = values.iter().sum();
            weights.iter_mut().zip(values).for_each(|(weight, times)| *weight += WEIGHT / rows * times);
        }
        weights
    }

    /// The definition of a model, by persons.
    fn defined(&self, model: Model, among: &[u32]) -> bool {
        let persons = self.persons(among);
        let bearers = |value: usize| persons.iter().filter(|values| values[value] > 0).count() as i64;
        let n = persons.len() as i64;
        match model {
            Model::Frequency(l) => (0..5).all(|value| l * bearers(value) <= 10 * n),
            Model::Alpha(alpha) => (0..5).all(|value| 10 * bearers(value) <= alpha * n),
            _ => model.holds(&self.weights(among), &self.weights(&self.all())),
        }
    }
}

fn visits() -> impl Strategy<Value = Visits> {
    vec((0..6_usize, 0..5_usize, 0..3_usize), 2..=16)
        .prop_filter("a person has at most ten rows", |rows| {
            (0..6).all(|person| rows.iter().filter(|row| row.0 == person).count() <= 10)
        })
        .prop_map(|rows| Visits { rows })
}

fn counting(loaded: &Loaded) -> Problem {
    let mut plan = loaded.plan.clone();
    plan.privacy.require = vec![Spec::new("t-closeness(t=1)")];
    Problem::of(&plan, loaded.encoded.clone(), 7).unwrap()
}

proptest! {
    #[test]
    fn constraints_and_audits_follow_the_definitions(visits in visits()) {
        let loaded = visits.load();
        let problem = counting(&loaded);
        let audit = visits.audit();
        prop_assert!(audit.covers_original == Some(true), "{:?}", audit.failures);
        let reached = audit.audit.unwrap();
        let fewest = visits.classes().iter().map(|rows| visits.persons(rows).len()).min();
        prop_assert_eq!(Some(reached.achieved.k), fewest);
        for model in Model::all() {
            let (spec, column) = model.asked();
            let constraint = built(&loaded, &spec, column);
            let mut all = true;
            for rows in &visits.classes() {
                let defined = visits.defined(model, rows);
                let cluster = problem.outline(rows);
                prop_assert_eq!(constraint.lack(&cluster) <= 0.0, defined, "{} of {:?} in {:?}", spec, rows, visits.rows);
                prop_assert!(constraint.lack(&cluster) >= 0.0);
                prop_assert!(!defined || constraint.min_size() <= rows.len(), "{}: {}", spec, constraint.min_size());
                all &= defined;
            }
            let levels = &reached.achieved.sensitive[column];
            prop_assert_eq!(meets(levels, &spec, column), all, "{} of {:?}", spec, visits.rows);
        }
    }

    #[test]
    fn persons_with_a_row_each_are_rows(mut visits in visits()) {
        visits.rows.iter_mut().enumerate().for_each(|(row, (person, ..))| *person = row);
        for model in Model::all() {
            let whole = visits.weights(&visits.all());
            for rows in visits.classes() {
                prop_assert_eq!(visits.defined(model, &rows), model.holds(&visits.weights(&rows), &whole));
            }
        }
    }
}
