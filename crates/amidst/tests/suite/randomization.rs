//! Releases in which sensitive values are kept by chance: what may be believed, what is kept, and what is found out.

use std::collections::BTreeMap;
use std::fs;

use amidst::internals::measure::Figure;
use amidst::internals::registry::Spec;
use amidst::internals::verify::kept;
use amidst::pipeline::{AuditJob, audit};
use amidst::plan::{Plan, RowOrder, Seed};
use amidst::progress::Progress;

use crate::forms::{Made, lines, make, people, plan, tampered};

/// All orders of some things.
fn orders(things: &[usize]) -> Vec<Vec<usize>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let first = |i: usize| {
        let mut rest = things.to_vec();
        let thing = rest.remove(i);
        orders(&rest).into_iter().map(move |order| [vec![thing], order].concat())
    };
    (0..things.len()).flat_map(first).collect()
}

/// What one believes about the first record, for each release: every way to deal the values, every set of kept records, every permutation
/// of the others.
fn enumerated(p: f64, values: &[usize]) -> BTreeMap<Vec<usize>, [f64; 3]> {
    let m = values.len();
    let mut releases: BTreeMap<Vec<usize>, [f64; 3]> = BTreeMap::new();
    for own in orders(values) {
        for kept in 0_u32..1 << m {
            let moved: Vec<usize> = (0..m).filter(|i| kept >> i & 1 == 0).collect();
            let ways = orders(&moved);
            let weight = p.powi(kept.count_ones() as i32) * (1.0 - p).powi(moved.len() as i32) / ways.len() as f64;
            for way in &ways {
                let mut published = own.clone();
                moved.iter().zip(way).for_each(|(place, from)| published[*place] = own[*from]);
                releases.entry(published).or_default()[own[0]] += weight;
            }
        }
    }
    for beliefs in releases.values_mut() {
        let sum: f64 = beliefs.iter().sum();
        beliefs.iter_mut().for_each(|belief| *belief /= sum);
    }
    releases
}

#[test]
fn what_may_be_believed_is_what_counting_all_ways_gives() {
    for values in [vec![0, 1], vec![0, 0, 1], vec![0, 1, 2], vec![0, 0, 1, 2], vec![0, 0, 0, 1, 1]] {
        let m = values.len();
        for p in [0.0, 0.2, 0.5, 0.9] {
            for (published, beliefs) in enumerated(p, &values) {
                for (s, belief) in beliefs.iter().enumerate() {
                    let share = values.iter().filter(|v| **v == s).count() as f64 / m as f64;
                    let r = kept(p, m);
                    let expected = r * f64::from(u8::from(s == published[0])) + (1.0 - r) * share;
                    assert!((belief - expected).abs() < 1e-12, "{values:?} {p} {published:?}: {beliefs:?} {expected}");
                }
            }
        }
    }
}

#[test]
fn more_is_known_the_more_is_kept() {
    for m in [2, 3, 10, 1000, 10_000_000] {
        let steps: Vec<f64> = (0..=1000).map(|p| kept(f64::from(p) / 1000.0, m)).collect();
        assert!(steps[0].abs() < 1e-12 && (steps[1000] - 1.0).abs() < 1e-12, "{m}");
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{m}");
    }
    assert!((kept(0.3, 10_000_000) - 0.3).abs() < 1e-5, "in a large class only what is kept stays");
    assert!(kept(0.3, 1) >= 1.0, "who is alone has their own value");
}

const L2: &str = "require = [\"frequency-l(l=2)\"]";

/// So many people in a release that keeps the order of the table.
fn many(form: &str, people: usize) -> Made {
    let line = |i: usize| format!("{},{}\n", i * 7 % 90, ["flu", "cold", "asthma", "gout", "angina"][i * 13 % 31 % 5]);
    let csv = "age,disease\n".to_owned() + &(0..people).map(line).collect::<String>();
    let mut many = plan(form, "require = [\"frequency-l(l=3)\"]");
    many.columns.shift_remove("town");
    many.method.order = RowOrder::Keep;
    make(&csv, &many).unwrap()
}

fn stored(made: &Made) -> Plan {
    Plan::load(&made.path("release.plan.toml")).unwrap()
}

/// The group and the value of each row of a release.
fn values(made: &Made) -> Vec<(String, String)> {
    let cells = |line: &String| {
        let cells: Vec<&str> = line.split(',').collect();
        (cells[0].to_owned(), cells[cells.len() - 1].to_owned())
    };
    lines(&made.path("release.csv"))[1..].iter().map(cells).collect()
}

#[test]
fn groups_have_the_values_that_they_had() {
    let made = many("randomization(p=0.4)", 300);
    let rows = values(&made);
    let original: Vec<String> =
        lines(&made.path("table.csv"))[1..].iter().map(|line| line.split_once(',').unwrap().1.to_owned()).collect();
    let unchanged = rows.iter().zip(&original).filter(|((_, value), own)| value == *own).count();
    assert!((130..250).contains(&unchanged), "{unchanged} of 300");
    let mut counts: BTreeMap<(&str, &str), i32> = BTreeMap::new();
    for ((group, value), own) in rows.iter().zip(&original) {
        *counts.entry((group, value)).or_default() += 1;
        *counts.entry((group, own)).or_default() -= 1;
    }
    assert!(counts.values().all(|count| *count == 0));
    let ages = |file: &str, place: usize| -> Vec<String> {
        lines(&made.path(file))[1..].iter().map(|line| line.split(',').nth(place).unwrap().to_owned()).collect()
    };
    assert_eq!(ages("release.csv", 1), ages("table.csv", 0));
}

#[test]
fn the_retention_is_the_largest_that_keeps_to_l() {
    let made = many("randomization(l=2)", 300);
    let levels = &made.outcome.audit.achieved.sensitive["disease"];
    let (p, posterior) = (made.outcome.audit.achieved.retention.unwrap(), levels.posterior.unwrap());
    assert!(p > 0.01 && posterior <= 0.5 && posterior > 0.499, "{p} {posterior}");
    assert_eq!(stored(&made).method.publish, Spec::new(format!("randomization(l=2, p={p})")));
    let with = |p: f64| {
        let line =
            |i: usize| format!("{},{}\n", i * 7 % 90, ["flu", "cold", "asthma", "gout", "angina"][i * 13 % 31 % 5]);
        let csv = "age,disease\n".to_owned() + &(0..300).map(line).collect::<String>();
        let mut many = plan(&format!("randomization(p={p}, l=2)"), "require = [\"frequency-l(l=3)\"]");
        many.columns.shift_remove("town");
        make(&csv, &many)
    };
    assert!(with(p).is_ok());
    let refused = with(p + 0.0002).err().unwrap().to_string();
    assert!(refused.contains(&format!("ask for p = {p} at most")), "{refused}");
    let refused = make(&people(), &plan("randomization(l=40)", L2)).err().unwrap().to_string();
    assert!(refused.contains("l = 40 cannot be had") && refused.contains("at most"), "{refused}");
}

#[test]
fn without_parameters_nobody_is_surer_than_the_plan_allows() {
    let used = |privacy: &str| {
        let made = make(&people(), &plan("randomization", privacy)).unwrap();
        (stored(&made).method.publish.to_string(), made.outcome.audit.achieved.sensitive["disease"].posterior.unwrap())
    };
    let (publish, posterior) = used("require = [\"frequency-l(l=1.5)\", \"distinct-l(l=2)\"]");
    assert!(publish.starts_with("randomization(l=1.5, p=") && posterior <= 1.0 / 1.5, "{publish} {posterior}");
    let (publish, _) = used("require = [\"alpha-k(alpha=0.5)\"]");
    assert!(publish.starts_with("randomization(l=2, p="), "{publish}");
    for other in ["entropy-l(l=1.5)", "t-closeness(t=0.4)", "distinct-l(l=2)"] {
        assert_eq!(
            used(&format!("require = [\"frequency-l(l=1.5)\", \"{other}\"]")).0.contains("p=0)"),
            other != "distinct-l(l=2)"
        );
    }
    assert_eq!(used("require = [\"distinct-l(l=2)\"]").0, "randomization(p=0)");
}

#[test]
fn the_stored_plan_makes_the_same_release_again() {
    let made = make(&people(), &plan("randomization(l=1.5)", L2)).unwrap();
    let mut again = stored(&made);
    again.amidst = None;
    let again = make(&people(), &again).unwrap();
    assert_eq!(lines(&made.path("release.csv")), lines(&again.path("release.csv")));
    assert_eq!(lines(&made.path("release.plan.toml")), lines(&again.path("release.plan.toml")));
}

#[test]
fn a_release_that_tells_too_much_is_found_out() {
    let made = many("randomization(l=2)", 300);
    let judged = |publish: &str, with_original: bool| {
        let mut plan = stored(&made);
        plan.method.publish = Spec::new(publish);
        let job = AuditJob {
            release: made.path("release.csv").into(),
            plan,
            demand: true,
            original: with_original.then(|| made.path("table.csv").into()),
            tables: Vec::new(),
        };
        audit(&job, Progress::silent()).map(|found| found.failures.iter().map(ToString::to_string).collect::<String>())
    };
    let own = stored(&made).method.publish.to_string();
    assert_eq!(judged(&own, true).unwrap(), "");
    assert!(judged("randomization(l=2, p=0.9)", false).unwrap().contains("may be at most 1/2"));
    assert!(judged("randomization(l=2)", false).unwrap_err().to_string().contains("how many values are kept"));
    // Groups are checked like anatomy's.
    let word = tampered(&made, "release.csv", |lines| lines[1] = lines[1].replacen('1', "one", 1));
    assert!(word.contains("not whole"), "{word}");
    let gone = tampered(&made, "release.csv", |lines| lines[1] = "2,1,flu".to_owned());
    assert!(gone.contains("group 2 comes before group 1"), "{gone}");
    let same = tampered(&made, "release.csv", |lines| {
        let first = |line: &String| line.starts_with("1,");
        for line in lines.iter_mut().filter(|line| first(line)) {
            *line = line.rsplit_once(',').unwrap().0.to_owned() + ",flu";
        }
    });
    assert!(same.contains("all records have the same value"), "{same}");

    // Everything was kept, whatever the plan says.
    let path = made.path("release.csv");
    let release = lines(&path);
    let original = lines(&made.path("table.csv"));
    let revealed =
        release.iter().zip(&original).skip(1).map(|(row, own)| format!("{},{own}", row.split(',').next().unwrap()));
    fs::write(&path, release[..1].iter().cloned().chain(revealed).collect::<Vec<_>>().join("\n") + "\n").unwrap();
    fs::remove_file(made.path("release.manifest.json")).unwrap(); // it would tell
    assert_eq!(judged(&own, false).unwrap(), "", "the file alone does not show it");
    let found = judged(&own, true).unwrap();
    assert!(found.contains("300 of 300 rows have the sensitive values of their own records"), "{found}");
}

#[test]
fn honest_releases_are_plausible_whatever_the_seed() {
    for seed in 0..30 {
        for form in ["randomization(p=0)", "randomization(p=0.5)", "randomization(p=0.95)"] {
            let mut plan = plan(form, L2);
            plan.method.seed = Some(Seed(seed));
            plan.method.partitioner = Spec::new("mondrian");
            assert!(make(&people(), &plan).is_ok(), "{form} {seed}");
        }
    }
}

#[test]
fn measures_believe_the_posterior() {
    let made = many("randomization(p=0.4)", 300);
    let rows = values(&made);
    let table = lines(&made.path("table.csv"));
    let records: Vec<(&str, &str)> = table[1..].iter().map(|line| line.split_once(',').unwrap()).collect();
    let share = |group: &str, value: &str| {
        let members: Vec<&String> = rows.iter().filter(|(g, _)| g == group).map(|(_, v)| v).collect();
        (members.len(), members.iter().filter(|v| **v == value).count() as f64 / members.len() as f64)
    };
    let (mut re, mut glp) = (0.0, 0.0);
    for ((group, shown), (age, own)) in rows.iter().zip(&records) {
        let believed = |value: &str| {
            let (size, share) = share(group, value);
            let r = kept(0.4, size);
            if shown == value { r + (1.0 - r) * share } else { (1.0 - r) * share }
        };
        re += 1.0 - believed(own);
        let possible = |value: &str| records.iter().any(|(a, v)| a == age && *v == value);
        glp += ["flu", "cold", "asthma", "gout", "angina"]
            .iter()
            .filter(|v| !possible(v))
            .map(|v| believed(v))
            .sum::<f64>();
    }
    let scores = &made.outcome.scores;
    assert!((scores.loss["glp"] - glp / 300.0).abs() < 1e-9, "{} {}", scores.loss["glp"], glp / 300.0);
    let Figure::Many(of_columns) = &scores.utility["re"] else { panic!() };
    let Figure::Many(of_column) = &of_columns["disease"] else { panic!() };
    let (error, bound) = (&of_column["error"], &of_column["bound"]);
    assert!(matches!(error, Figure::One(error) if (error - re).abs() < 1e-6), "{error:?} {re}");
    let posterior = made.outcome.audit.achieved.sensitive["disease"].posterior.unwrap();
    assert!(matches!(bound, Figure::One(bound) if (bound - 300.0 * (1.0 - posterior)).abs() < 1e-6), "{bound:?}");
}
