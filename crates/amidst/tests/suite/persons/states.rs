//! The state of a cluster after records come and go, against counting anew.

use amidst::internals::problem::{Cluster, Problem};
use amidst::internals::registry::Spec;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::tables::load;

/// Rows of a person, a value of one sensitive column and one of another.
fn problem(rows: &[(usize, usize, usize)], require: &[&str]) -> Problem {
    let lines = rows.iter().map(|(person, s, t)| format!("p{person},x,{s},{t}\n"));
    let csv = format!("pid,q,s,t\n{}", lines.collect::<String>());
    let plan = "[privacy]\nk = 2\n[columns]\npid = { role = \"person\" }\nq = { role = \"quasi\", kind = \"suppress\" }\n\
                s = { role = \"sensitive\" }\nt = { role = \"sensitive\" }\n";
    let loaded = load(&csv, plan);
    let mut problem = loaded.plan;
    problem.privacy.require = require.iter().map(|model| Spec::new(*model)).collect();
    Problem::of(&problem, loaded.encoded, 7).unwrap()
}

/// The persons, and for each value who has it and how much of the cluster it is.
type Seen = (usize, Vec<Vec<(u32, u32, f64)>>);

fn seen(cluster: &Cluster) -> Seen {
    let values = |column| cluster.values(column).map(|value| (value.code, value.bearers, value.weight)).collect();
    (cluster.persons(), (0..2).map(values).collect())
}

/// The same by the definitions.
fn counted(problem: &Problem, rows: &[(usize, usize, usize)], among: &[u32]) -> Seen {
    let person = |row: &u32| rows[*row as usize].0;
    let mut persons: Vec<usize> = among.iter().map(person).collect();
    persons.sort_unstable();
    persons.dedup();
    let column = |place: usize| {
        let column = &problem.encoded.sensitive()[place];
        let mut codes: Vec<u32> = among.iter().map(|row| column.row(*row)).collect();
        codes.sort_unstable();
        codes.dedup();
        let value = |code: u32| {
            let shares = persons.iter().map(|who| {
                let own = || among.iter().filter(|row| person(row) == *who);
                own().filter(|row| column.row(**row) == code).count() as f64 / own().count() as f64
            });
            let bearers = shares.clone().filter(|share| *share > 0.0).count() as u32;
            (code, bearers, shares.sum())
        };
        codes.into_iter().map(value).collect()
    };
    (persons.len(), (0..2).map(column).collect())
}

fn near(one: &Seen, other: &Seen) -> bool {
    let same = |a: &(u32, u32, f64), b: &(u32, u32, f64)| a.0 == b.0 && a.1 == b.1 && (a.2 - b.2).abs() < 1e-9;
    let columns = one.1.iter().zip(&other.1);
    one.0 == other.0 && columns.into_iter().all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)))
}

fn tables(rows: std::ops::RangeInclusive<usize>, persons: usize) -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
    vec((0..persons, 0..4_usize, 0..2_usize), rows)
}

/// Adds and removes rows, and looks at the cluster every so often.
fn come_and_go(
    rows: &[(usize, usize, usize)],
    steps: &[prop::sample::Index],
    every: usize,
) -> Result<(), TestCaseError> {
    let problem = problem(rows, &["distinct-l(l=2)"]);
    let mut members: Vec<u32> = Vec::new();
    let mut cluster = problem.outline(&[]);
    for (step, pick) in steps.iter().enumerate() {
        let row = pick.index(rows.len()) as u32;
        if let Some(place) = members.iter().position(|member| *member == row) {
            members.remove(place);
            problem.discount(&mut cluster, row);
        } else {
            members.push(row);
            problem.count(&mut cluster, row);
        }
        if step % every == 0 {
            let expected = counted(&problem, rows, &members);
            prop_assert!(near(&seen(&cluster), &expected), "{:?}, not {expected:?}", seen(&cluster));
            prop_assert!(near(&seen(&problem.outline(&members)), &expected));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_cluster_is_what_counting_anew_says(rows in tables(2..=20, 6), steps in vec(any::<prop::sample::Index>(), 40)) {
        come_and_go(&rows, &steps, 1)?;
    }

    #[test]
    fn united_clusters_are_what_counting_anew_says(rows in tables(2..=24, 6), sides in vec(0..3_usize, 24)) {
        let problem = problem(&rows, &["distinct-l(l=2)"]);
        let side = |side: usize| (0..rows.len() as u32).filter(|row| sides[*row as usize] == side).collect::<Vec<u32>>();
        let (left, right) = (side(0), side(1));
        if let (Some(mut united), Some(other)) = (problem.cluster(&left), problem.cluster(&right)) {
            problem.join(&mut united, &other);
            let both = [left, right].concat();
            prop_assert!(near(&seen(&united), &counted(&problem, &rows, &both)));
            prop_assert_eq!(united.size(), both.len());
        }
    }

    #[test]
    fn without_models_only_persons_are_counted(rows in tables(2..=20, 5), sides in vec(0..2_usize, 20)) {
        let problem = problem(&rows, &[]);
        let members: Vec<u32> = (0..rows.len() as u32).filter(|row| sides[*row as usize] == 0).collect();
        let mut cluster = problem.outline(&members);
        prop_assert_eq!(cluster.persons(), counted(&problem, &rows, &members).0);
        for row in (0..rows.len() as u32).filter(|row| !members.contains(row)) {
            let with = counted(&problem, &rows, &[members.as_slice(), &[row]].concat()).0;
            // Both are small whole numbers.
            prop_assert_eq!(problem.lack_with(&mut cluster, row) as usize, 2_usize.saturating_sub(with));
        }
    }
}

#[test]
fn large_clusters_are_what_counting_anew_says() {
    // More records of persons with several than are kept in a list.
    let rows: Vec<(usize, usize, usize)> = (0..900).map(|row| (row * 7 % 250, row % 4, row / 3 % 2)).collect();
    let problem = problem(&rows, &["distinct-l(l=2)"]);
    let (mut cluster, mut members) = (problem.outline(&[]), Vec::new());
    for row in 0..900 {
        problem.count(&mut cluster, row);
        members.push(row);
        if row % 90 == 80 {
            assert!(near(&seen(&cluster), &counted(&problem, &rows, &members)), "{row} come");
        }
    }
    for row in (0..900).step_by(2) {
        problem.discount(&mut cluster, row);
        members.retain(|member| *member != row);
    }
    assert!(near(&seen(&cluster), &counted(&problem, &rows, &members)));
    assert_eq!(problem.outline(&members).crowd().unwrap().persons(), cluster.persons());
}

#[test]
fn a_lone_record_that_stands_for_others_counts_each_time() {
    // Algorithms name one of several records that are alike as often as they take one.
    let rows = [(0, 1, 0), (1, 1, 0), (2, 0, 0), (2, 1, 0)];
    let problem = problem(&rows, &["distinct-l(l=2)"]);
    let mut cluster = problem.outline(&[0, 2]);
    problem.count(&mut cluster, 0);
    let at_once = seen(&problem.outline(&[0, 2, 0]));
    assert_eq!((at_once.0, &at_once.1[0]), (3, &vec![(0, 1, 1.0), (1, 2, 2.0)]));
    assert!(near(&seen(&cluster), &at_once));
}
