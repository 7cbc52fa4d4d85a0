//! Re-identification risk, against hand calculations, an implementation by other means, and populations that are known.

use std::collections::BTreeMap;

use amidst::risk::population::Model;
use amidst::risk::{Assumptions, Estimates, Fit, Risk};
use proptest::prelude::*;
use rand::seq::index::sample;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

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
    // A class of one in half of the population: (0.5/0.5) ln 2; one of two: 1 - ln 2.
    let risk = Risk::new(&sizes([1, 2]), &Assumptions { sample: Some(0.5), ..Assumptions::default() });
    let journalist = risk.journalist.unwrap();
    let ln2 = std::f64::consts::LN_2;
    near(journalist.highest, ln2);
    near(journalist.lowest, 1.0 - ln2);
    near(journalist.average, (ln2 + 2.0 * (1.0 - ln2)) / 3.0);
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
    fn merging_classes_never_raises_the_risk(classes in prop::collection::vec(1_usize..30, 2..40), share in prop::option::of(0.01..1.0)) {
        let assumptions = Assumptions { sample: share, ..Assumptions::default() };
        let before = Risk::new(&sizes(classes.clone()), &assumptions);
        let merged = classes[2..].iter().copied().chain([classes[0] + classes[1]]);
        let after = Risk::new(&sizes(merged), &assumptions);
        let lower = |after: f64, before: f64| after <= before + 1e-12;
        prop_assert!(lower(after.prosecutor.highest, before.prosecutor.highest));
        prop_assert!(lower(after.prosecutor.average, before.prosecutor.average));
        prop_assert!(lower(after.prosecutor.at_risk, before.prosecutor.at_risk));
        prop_assert!(lower(after.prosecutor.uniques, before.prosecutor.uniques));
        prop_assert!(lower(after.prosecutor.lowest, before.prosecutor.lowest));
        prop_assert!(lower(after.marketer, before.marketer));
        if let (Some(after), Some(before)) = (after.journalist, before.journalist) {
            prop_assert!(lower(after.highest, before.highest) && lower(after.average, before.average));
            prop_assert!(lower(after.at_risk, before.at_risk));
        }
    }
}
