//! Re-identification risk, against hand calculations, an implementation by other means, and populations that are known.

use std::collections::BTreeMap;

use amidst::internals::risk::population::Model;
use amidst::internals::risk::{Assumptions, Estimates, Exposure, Fit, Risk};
use amidst::pipeline::{Job, RiskJob, anonymize, risk};
use amidst::plan::Plan;
use amidst::progress::Progress;
use proptest::prelude::*;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

use crate::tables::seeded;

type Sizes = BTreeMap<usize, usize>;

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1e-3), "{found} is not {expected}");
}

/// How many classes have which size.
fn sizes(classes: impl IntoIterator<Item = usize>) -> Sizes {
    let mut sizes = Sizes::new();
    classes.into_iter().for_each(|size| *sizes.entry(size).or_default() += 1);
    sizes
}

#[test]
fn three_adversaries_by_hand() {
    // Ten records in classes of 1, 1, 3, 5: risks 1, 1, 1/3 three times, 1/5 five times.
    let risk = Risk::new(&sizes([1, 1, 3, 5]), &Assumptions::default());
    assert_eq!((risk.records, risk.classes, risk.threshold), (10, 4, 0.2));
    near(risk.prosecutor.highest, 1.0);
    near(risk.prosecutor.average, 0.4); // classes / records
    near(risk.prosecutor.lowest, 0.2);
    near(risk.prosecutor.at_risk, 0.5); // 1/5 is not above 0.2
    near(risk.prosecutor.uniques, 0.2);
    near(risk.marketer, 0.4);
    assert_eq!((risk.journalist, risk.population), (None, None));

    let strict = Risk::new(&sizes([1, 1, 3, 5]), &Assumptions { threshold: 0.09, sample: None });
    near(strict.prosecutor.at_risk, 1.0);
    // 0.33 stands for 1/3 and 0.09 for 1/11, which are more than that.
    for (size, threshold, at_risk) in [
        (3, 0.33, 0.0),
        (2, 0.33, 1.0),
        (11, 0.09, 0.0),
        (10, 0.09, 1.0),
        (5, 0.2, 0.0),
        (4, 0.2, 1.0),
        (10, 0.1, 0.0),
        (1, 1.0, 0.0),
    ] {
        let risk = Risk::new(&sizes([size, size]), &Assumptions { threshold, sample: None });
        near(risk.prosecutor.at_risk, at_risk);
    }
}

#[test]
fn a_population_that_was_counted() {
    // 2, 4 and 20 people fit the classes of 1, 3 and 6 records: (1/2 + 3/4 + 6/20) / 10 = 0.155.
    let fits = [(1, 2), (3, 4), (6, 20)].map(|(records, people)| Fit { records, people });
    let risk = Risk::new(&sizes([1, 3, 6]), &Assumptions::default()).among(&fits);
    let journalist = risk.journalist.unwrap();
    near(journalist.highest, 0.5);
    near(journalist.average, 0.155);
    near(journalist.lowest, 0.05);
    near(journalist.at_risk, 0.4); // 1/2 and 1/4 are above 0.2
    near(journalist.uniques, 0.0);
    near(risk.marketer, 0.155);
    // A population that lacks people of the table still has them.
    let short = Risk::new(&sizes([4]), &Assumptions::default()).among(&[Fit { records: 4, people: 0 }]);
    near(short.journalist.unwrap().highest, 0.25);
}

#[test]
fn a_share_of_the_population() {
    // A class of two in half of the population: (0.5/0.5) (1 − ln 2), with ln 2 of a class of one if half of these were alone in the population, too.
    let risk = Risk::new(&sizes([1, 2]), &Assumptions { sample: Some(0.5), ..Assumptions::default() });
    let journalist = risk.journalist.unwrap();
    let ln2 = std::f64::consts::LN_2;
    near(journalist.lowest, 1.0 - ln2);
    // Zayatz: of six people a class of two has one in a sample of three with 2 · C(4, 2)/C(6, 3) = 0.6, a class of one with 0.5; so 5/11 of the one record.
    assert_eq!(risk.population.unwrap().picked, Some(Model::Zayatz));
    let of_one = 5.0 / 11.0 + 6.0 / 11.0 * (ln2 - 0.5) / 0.5;
    near(journalist.highest, of_one);
    near(journalist.uniques, 5.0 / 33.0);
    near(journalist.average, (of_one + 2.0 * (1.0 - ln2)) / 3.0);
    near(risk.marketer, journalist.average);

    // Where the table is the population, the journalist is the prosecutor, and there is nothing to estimate.
    let all = Risk::new(&sizes([1, 2, 7]), &Assumptions { sample: Some(1.0), ..Assumptions::default() });
    assert_eq!(all.population, None);
    let journalist = all.journalist.unwrap();
    near(journalist.average, all.prosecutor.average);
    near(journalist.uniques, all.prosecutor.uniques);
}

#[test]
fn nothing_is_not_a_number() {
    let assumptions = [None, Some(0.0), Some(-1.0), Some(f64::NAN), Some(1e-9), Some(0.3), Some(1.0), Some(7.0)];
    for sizes in [sizes([]), sizes([0]), sizes([1]), sizes([5]), sizes([1, 1]), sizes([1, 2]), sizes([1, 100_000])] {
        for sample in assumptions {
            let risk = Risk::new(&sizes, &Assumptions { sample, ..Assumptions::default() });
            let figures = [risk.prosecutor].into_iter().chain(risk.journalist);
            for exposure in figures {
                let all = [exposure.highest, exposure.average, exposure.lowest, exposure.at_risk, exposure.uniques];
                assert!(all.iter().all(|f| (0.0..=1.0).contains(f)), "{sizes:?} {sample:?} {exposure:?}");
            }
            for estimate in risk.population.iter().flat_map(|p| [&p.pitman, &p.zayatz, &p.snb]) {
                assert_eq!(estimate.uniqueness.is_none(), estimate.reason.is_some());
                assert!(estimate.uniqueness.is_none_or(|share| (0.0..=1.0).contains(&share)));
            }
        }
    }
}

/// The same samples by a Python program: Pitman's likelihood, written down from Hoshino's paper, maximized by Nelder and Mead's search from twelve starts
/// (θ = 133.777 250, α = 0.165 315 0), and the product of the N − 1 factors; Zayatz in exact fractions of binomial coefficients; the slide negative
/// binomial with sums over 20,000 sizes of scipy's `nbinom.pmf` and `binom.pmf` in place of the closed forms, solved by `fsolve` from thirty starts,
/// which agree on one solution.
#[test]
fn estimators_as_by_other_means() {
    let sample = Sizes::from([(1, 120), (2, 40), (3, 20), (4, 10), (7, 5), (15, 2)]);
    let expected = [
        (0.05, 7300, [0.034_985_466_5, 0.121_436_318_4, 0.080_235_181_4], Model::Pitman),
        (0.2, 1825, [0.106_532_656_9, 0.155_643_745_5, 0.106_249_794_5], Model::Snb),
        (0.5, 730, [0.211_104_836_4, 0.218_429_149_6, 0.198_374_801_3], Model::Snb),
    ];
    for (share, people, figures, picked) in expected {
        let found = Estimates::new(&sample, share);
        assert_eq!((found.people, found.picked), (people, Some(picked)));
        for (estimate, expected) in [&found.pitman, &found.zayatz, &found.snb].iter().zip(figures) {
            near(estimate.uniqueness.unwrap(), expected);
        }
    }
}

#[test]
fn an_estimator_without_an_answer_says_why() {
    let reason = |sizes: &Sizes| {
        let found = Estimates::new(sizes, 0.05);
        (found.pitman.reason, found.snb.reason, found.picked)
    };
    let (pitman, snb, picked) = reason(&Sizes::from([(1, 50)]));
    assert!(pitman.unwrap().starts_with("every record is alone"));
    assert!(snb.unwrap().starts_with("no class has two"));
    assert_eq!(picked, Some(Model::Zayatz)); // stands in
    // Without anybody alone in the sample nobody is alone in the population.
    let none = Estimates::new(&Sizes::from([(2, 10), (5, 4)]), 0.05);
    assert_eq!(none.uniqueness, Some(0.0));
}

/// A population in which everybody draws a class, some of which are far more likely than others: each of five attributes has values of
/// shares in proportion to 1/rank, as towns, occupations and ages have.
fn population(people: usize, seed: u64) -> Vec<u64> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let mut draw = |values: u64| {
        let total: f64 = (1..=values).map(|rank| 1.0 / rank as f64).sum();
        let mut at = rng.random::<f64>() * total;
        (1..values).find(|rank| {
            at -= 1.0 / *rank as f64;
            at < 0.0
        })
    };
    (0..people).map(|_| [40, 20, 12, 6, 3].iter().fold(0, |key, v| key * 64 + draw(*v).unwrap_or(0))).collect()
}

fn classes(keys: impl Iterator<Item = u64>) -> Sizes {
    let mut counts = BTreeMap::<u64, usize>::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    sizes(counts.into_values())
}

#[test]
fn the_picked_estimate_is_near_a_population_that_is_known() {
    let people = population(40_000, 1);
    let truth = classes(people.iter().copied())[&1] as f64 / people.len() as f64;
    for share in [0.1, 0.2, 0.3, 0.5] {
        let mut rng = ChaCha12Rng::seed_from_u64(7);
        let taken = sample(&mut rng, people.len(), (share * people.len() as f64) as usize);
        let found = Estimates::new(&classes(taken.into_iter().map(|i| people[i])), share);
        let ratio = found.uniqueness.unwrap() / truth;
        assert!((0.9..1.3).contains(&ratio), "{share}: {found:?}, {truth}");
    }
}

/// People who found classes or join them as Pitman's formula says.
fn by_pitman(people: usize, theta: f64, alpha: f64, seed: u64) -> Vec<u64> {
    let mut rng = ChaCha12Rng::seed_from_u64(seed);
    let (mut all, mut joined, mut founded) = (Vec::new(), Vec::new(), 0_u64);
    for i in 0..people {
        let at = rng.random::<f64>() * (theta + i as f64) - (theta + founded as f64 * alpha);
        if at < 0.0 {
            all.push(founded);
            founded += 1;
            continue;
        }
        // A class of j people has weight j − α: 1 − α of its founder, and 1 of each who joined.
        let founders = founded as f64 * (1.0 - alpha);
        let class = if at < founders {
            ((at / (1.0 - alpha)) as u64).min(founded - 1)
        } else {
            joined[((at - founders) as usize).min(joined.len() - 1)]
        };
        joined.push(class);
        all.push(class);
    }
    all
}

#[test]
fn pitmans_estimate_is_near_in_a_population_of_his() {
    let people = by_pitman(100_000, 2000.0, 0.4, 3);
    let truth = classes(people.iter().copied())[&1] as f64 / people.len() as f64;
    for share in [0.05, 0.1, 0.3, 0.5] {
        let mut rng = ChaCha12Rng::seed_from_u64(5);
        let taken = sample(&mut rng, people.len(), (share * people.len() as f64) as usize);
        let found = Estimates::new(&classes(taken.into_iter().map(|i| people[i])), share);
        let ratio = found.pitman.uniqueness.unwrap() / truth;
        assert!((0.9..1.1).contains(&ratio), "{share}: {found:?}, {truth}");
    }
}

proptest! {
    /// Who cannot tell two classes apart finds nobody more easily.
    #[test]
    fn merging_classes_never_raises_the_risk(classes in prop::collection::vec((1_usize..30, 0_usize..90), 2..40)) {
        // Each class, and the others of the population who fit it.
        let fits: Vec<Fit> = classes.iter().map(|(records, others)| Fit { records: *records, people: records + others }).collect();
        let mut merged = fits[1..].to_vec();
        merged[0] = Fit { records: fits[0].records + fits[1].records, people: fits[0].people + fits[1].people };
        let risk = |fits: &[Fit]| Risk::new(&sizes(fits.iter().map(|fit| fit.records)), &Assumptions::default()).among(fits);
        let (before, after) = (risk(&fits), risk(&merged));
        let pairs = [(after.prosecutor, before.prosecutor), (after.journalist.unwrap(), before.journalist.unwrap())];
        for (after, before) in pairs {
            let lower = |figure: fn(&Exposure) -> f64| figure(&after) <= figure(&before) + 1e-12;
            prop_assert!(lower(|e| e.highest) && lower(|e| e.average) && lower(|e| e.lowest));
            prop_assert!(lower(|e| e.at_risk) && lower(|e| e.uniques));
        }
        prop_assert!(after.marketer <= before.marketer + 1e-12);
    }

    /// The journalist, who must look for people among more, never does better than the prosecutor, nor does the average find less than those who are alone.
    #[test]
    fn the_journalist_knows_less(classes in prop::collection::vec(1_usize..30, 1..60), share in 0.01..1.0) {
        let risk = Risk::new(&sizes(classes), &Assumptions { sample: Some(share), ..Assumptions::default() });
        let (journalist, prosecutor) = (risk.journalist.unwrap(), risk.prosecutor);
        prop_assert!(journalist.highest <= prosecutor.highest + 1e-12);
        prop_assert!(journalist.average <= prosecutor.average + 1e-12);
        prop_assert!(journalist.at_risk <= prosecutor.at_risk + 1e-12);
        prop_assert!(journalist.uniques <= prosecutor.uniques + 1e-12 && journalist.uniques <= journalist.average + 1e-12);
    }
}

/// A table of the tests, written and read.
fn table(folder: &tempfile::TempDir, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Random rows of a few columns.
fn rows() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0_u8..4, 5), 1..40)
}

fn csv(names: &[&str], rows: &[Vec<u8>]) -> String {
    let line = |row: &Vec<u8>| row.iter().map(u8::to_string).collect::<Vec<_>>().join(",") + "\n";
    names.join(",") + "\n" + &rows.iter().map(line).collect::<String>()
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

fn job(input: std::path::PathBuf, quasi: &[&str]) -> RiskJob {
    let plan = quasi.iter().fold(Plan::new(1), |plan, name| plan.quasi(name));
    RiskJob { input: input.into(), plan, assumptions: Assumptions::default(), population: None }
}

/// How many rows have values in these columns that no other row has, row by row.
fn alone(rows: &[Vec<u8>], columns: &[usize]) -> usize {
    let same = |a: &Vec<u8>, b: &Vec<u8>| columns.iter().all(|c| a[*c] == b[*c]);
    rows.iter().filter(|row| rows.iter().filter(|other| same(row, other)).count() == 1).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn columns_and_sets_as_by_comparing_every_pair_of_rows(rows in rows()) {
        let folder = tempfile::tempdir().unwrap();
        let outcome = risk(&job(table(&folder, "t.csv", &csv(&NAMES, &rows)), &NAMES), Progress::silent()).unwrap();
        let n = rows.len() as f64;
        let everything: Vec<usize> = (0..5).collect();
        for (place, column) in outcome.columns.iter().enumerate() {
            let values: std::collections::BTreeSet<u8> = rows.iter().map(|row| row[place]).collect();
            let mut differ = 0;
            for (i, a) in rows.iter().enumerate() {
                differ += rows[..i].iter().filter(|b| a[place] != b[place]).count();
            }
            near(column.distinction, values.len() as f64 / n);
            near(column.separation, if rows.len() < 2 { 0.0 } else { differ as f64 / (n * (n - 1.0) / 2.0) });
            near(column.uniques, alone(&rows, &[place]) as f64 / n);
            let others: Vec<usize> = (0..5).filter(|other| *other != place).collect();
            near(column.adds, (alone(&rows, &everything) - alone(&rows, &others)) as f64 / n);
            let mut most = alone(&rows, &[place]);
            for (i, one) in others.iter().enumerate() {
                most = most.max(alone(&rows, &[place, *one]) - alone(&rows, &[*one]));
                for two in &others[i + 1..] {
                    most = most.max(alone(&rows, &[place, *one, *two]) - alone(&rows, &[*one, *two]));
                }
            }
            near(column.adds_to_few, most as f64 / n);
        }
        for set in &outcome.sets {
            let places: Vec<usize> = set.columns.iter().map(|name| NAMES.iter().position(|n| n == name).unwrap()).collect();
            near(set.uniques, alone(&rows, &places) as f64 / n);
        }
        near(outcome.risk.prosecutor.uniques, alone(&rows, &everything) as f64 / n);
        // No triple is worse than the worst one told.
        if let Some(worst) = outcome.sets.iter().find(|set| set.columns.len() == 3) {
            for a in 0..5 {
                for b in 0..a {
                    (0..b).for_each(|c| assert!(alone(&rows, &[a, b, c]) as f64 / n <= worst.uniques + 1e-12));
                }
            }
        }
    }

    /// Of a release by ranges and sets, against looking at every person of the population and every row.
    #[test]
    fn people_who_fit_as_by_looking_at_each(people in prop::collection::vec((0_u8..30, 0_u8..4), 6..60)) {
        let folder = tempfile::tempdir().unwrap();
        let text = |people: &[(u8, u8)]| {
            "age,sex\n".to_owned() + &people.iter().map(|(age, sex)| format!("{age},s{sex}\n")).collect::<String>()
        };
        let population = table(&folder, "all.csv", &text(&people));
        let input = table(&folder, "some.csv", &text(&people[..people.len() / 2]));
        let output = folder.path().join("release.csv");
        let plan: Plan = "[privacy]\nk = 2\n[columns]\nage = { role = \"quasi\", kind = \"range\" }\nsex = { role = \"quasi\", kind = \"set\" }\n"
            .parse()
            .unwrap();
        let made = Job::new(input.clone(), output.clone(), seeded(&plan));
        anonymize(&made, Progress::silent()).unwrap();
        let assumptions = Assumptions::default();
        let release = RiskJob { input: output.clone().into(), plan, assumptions, population: Some(population.clone().into()) };
        let found = risk(&release, Progress::silent()).unwrap();
        // A cell is a value, or `[lo-hi]`, or `{s1, s2}`, or `*`.
        let covers = |cell: &str, value: &str| {
            let range = cell.strip_prefix('[').and_then(|c| c.strip_suffix(']')).and_then(|c| c.split_once('-'));
            let members = cell.strip_prefix('{').and_then(|c| c.strip_suffix('}'));
            cell == "*" || cell == value
                || range.is_some_and(|(lo, hi)| (lo.parse::<u8>().unwrap()..=hi.parse().unwrap()).contains(&value.parse::<u8>().unwrap()))
                || members.is_some_and(|members| members.split(", ").any(|member| member == value))
        };
        let published = std::fs::read_to_string(&output).unwrap();
        let cells: Vec<(String, String)> = published.lines().skip(1).map(|line| {
            let (age, sex) = line.split_once(',').unwrap();
            (age.trim_matches('"').to_owned(), sex.trim_matches('"').to_owned())
        }).collect();
        let fits = |(age, sex): &(String, String)| people.iter().filter(|(a, s)| covers(age, &a.to_string()) && covers(sex, &format!("s{s}"))).count();
        let risks: Vec<f64> = cells.iter().map(|cell| 1.0 / fits(cell) as f64).collect();
        let journalist = found.risk.journalist.unwrap();
        near(journalist.average, risks.iter().sum::<f64>() / risks.len() as f64);
        near(journalist.highest, risks.iter().copied().fold(0.0, f64::max));
        prop_assert!(found.remarks.is_empty());

        // A release is never riskier than its original, to the prosecutor and to the journalist.
        let of_original = RiskJob { population: Some(population.into()), ..job(input, &["age", "sex"]) };
        let original = risk(&of_original, Progress::silent()).unwrap().risk;
        for (after, before) in [(found.risk.prosecutor, original.prosecutor), (journalist, original.journalist.unwrap())] {
            prop_assert!(after.highest <= before.highest + 1e-12 && after.average <= before.average + 1e-12);
            prop_assert!(after.at_risk <= before.at_risk + 1e-12 && after.uniques <= before.uniques + 1e-12);
        }
    }
}
