//! A test of each member of a list, under its own name: `tests!(of partitioners: releases_are_true: check)` makes the tests
//! `releases_are_true::mondrian`, `releases_are_true::hilbert` and so on, which call `check("mondrian")`, `check("hilbert")` and so on.
//!
//! The names stand here, because a test must have its name before the lists can be read. A newcomer without a name fails
//! `every_member_has_a_name`.

use amidst::internals::registry::{Entry, Spec};
use amidst::internals::{constraint, partition, publish, refine};

use crate::tables::specs;

macro_rules! members {
    (partitioners, $use:ident $($rest:tt)*) => {
        $use! {
            mondrian hilbert k_member oka k_means c_means dbkc greedy cb sequential agglomerative aip arp anatomy patterns top_down
            top_down_xu engine full_domain mdav microaggregation
            $($rest)*
        }
    };
    (refiners, $use:ident $($rest:tt)*) => {
        $use! { large_neighbourhood arp anatomy $($rest)* }
    };
    (forms, $use:ident $($rest:tt)*) => {
        $use! { generalization centres ring anatomy slicing randomization $($rest)* }
    };
    (models, $use:ident $($rest:tt)*) => {
        $use! {
            distinct_l frequency_l entropy_l recursive_l alpha_k t_closeness basic_beta enhanced_beta delta_disclosure
            $($rest)*
        }
    };
}

macro_rules! tests {
    (of $list:ident: $group:ident: $check:ident) => {
        members! { $list, named_tests; $group $check }
    };
}

macro_rules! named_tests {
    ($($member:ident)*; $group:ident $check:ident) => {
        mod $group {
            $(
                #[test]
                fn $member() {
                    super::$check(&stringify!($member).replace('_', "-"));
                }
            )*
        }
    };
}

macro_rules! names {
    ($($member:ident)*) => {
        [$(stringify!($member).replace('_', "-")),*]
    };
}

/// What a list has, with every choice spelled out, under this name.
pub fn specs_of<B>(list: &[Entry<B>], name: &str) -> Vec<Spec> {
    let found: Vec<Spec> = specs(list).into_iter().filter(|spec| spec.name() == name).collect();
    assert!(!found.is_empty(), "there is no `{name}`");
    found
}

#[test]
fn every_member_has_a_name() {
    fn check<B>(list: &[Entry<B>], named: &[String]) {
        for entry in list {
            assert!(
                named.iter().any(|name| name == entry.name),
                "`{}` has no tests; name it in {}",
                entry.name,
                file!()
            );
        }
        assert_eq!(named.len(), list.len(), "a name is there twice");
    }
    check(partition::ALL, &members!(partitioners, names));
    check(refine::ALL, &members!(refiners, names));
    check(publish::ALL, &members!(forms, names));
    // The first two, k-anonymity and household-k, are not about the values of a column.
    check(&constraint::ALL[2..], &members!(models, names));
}
