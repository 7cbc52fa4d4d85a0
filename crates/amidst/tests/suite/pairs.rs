//! Few cases that try every pair of choices.
//!
//! Where a mistake needs two choices to meet, one of these cases finds it, and there are far fewer than all cases. `make test-all` sets
//! `AMIDST_ALL_CASES` and tries them all.

use std::collections::HashSet;

/// A choice in each of `N` dimensions.
pub type Case<const N: usize> = [usize; N];

/// True where every case has to be tried.
pub fn all_cases() -> bool {
    std::env::var_os("AMIDST_ALL_CASES").is_some()
}

/// Cases in which every pair of choices meets that meets in any possible case; or all that are possible.
pub fn cases<const N: usize>(sizes: Case<N>, possible: impl Fn(&Case<N>) -> bool) -> Vec<Case<N>> {
    let every: Vec<Case<N>> = product(sizes).filter(possible).collect();
    if all_cases() { every } else { cover(&every) }
}

fn product<const N: usize>(sizes: Case<N>) -> impl Iterator<Item = Case<N>> {
    (0..sizes.iter().product()).map(move |mut number| {
        sizes.map(|size| {
            let choice = number % size;
            number /= size;
            choice
        })
    })
}

/// The pairs that meet in a case, as dimension and choice of the one and of the other.
fn pairs<const N: usize>(case: &Case<N>) -> impl Iterator<Item = [(usize, usize); 2]> {
    (0..N).flat_map(move |j| (0..j).map(move |i| [(i, case[i]), (j, case[j])]))
}

/// First takes the cases in which all pairs are new, then those in which all but one are, and so on.
fn cover<const N: usize>(every: &[Case<N>]) -> Vec<Case<N>> {
    let (mut seen, mut chosen) = (HashSet::new(), Vec::new());
    for least in (1..=N * (N - 1) / 2).rev() {
        for case in every {
            if pairs(case).filter(|pair| !seen.contains(pair)).count() >= least {
                seen.extend(pairs(case));
                chosen.push(*case);
            }
        }
    }
    chosen
}

#[test]
fn every_pair_that_can_meet_meets() {
    let sizes = [6, 5, 4, 3];
    let possible = |case: &Case<4>| case[0] != 2 || case[1] < 3;
    let every: Vec<Case<4>> = product(sizes).filter(possible).collect();
    assert_eq!(every.len(), 6 * 5 * 4 * 3 - 2 * 4 * 3);
    let chosen = cover(&every);
    for (i, j) in (0..4).flat_map(|j| (0..j).map(move |i| (i, j))) {
        for (a, b) in (0..sizes[i]).flat_map(|a| (0..sizes[j]).map(move |b| (a, b))) {
            let impossible = (i, j) == (0, 1) && a == 2 && b >= 3;
            let meet = chosen.iter().any(|case| case[i] == a && case[j] == b);
            assert_eq!(meet, !impossible, "choice {a} of dimension {i} and choice {b} of dimension {j}");
        }
    }
    // The two largest dimensions have 6 * 5 - 2 possible pairs, so fewer cases cannot do.
    assert!((28..35).contains(&chosen.len()), "{} cases", chosen.len());
}
