//! Plain Algorithm 1 against its definition, and against the one of the library.

use std::sync::Arc;

use amidst::internals::encode::Encoded;
use amidst::internals::partition;
use amidst::internals::registry::Spec;

use super::*;
use crate::data::{self, ADULT, ADULT_SUPPRESSED, ADULT_TREES, DataSet};
use crate::score;

const KINDS: [&DataSet; 3] = [&ADULT_SUPPRESSED, &ADULT, &ADULT_TREES];

fn adult(set: &DataSet, rows: usize) -> Arc<Encoded> {
    let table = data::read(&set.path(None).unwrap()).unwrap();
    set.encode(&data::head(&table, rows).unwrap()).unwrap()
}

#[test]
fn clusters_are_feasible_and_the_costs_are_those_of_the_measure() {
    for (set, rows) in KINDS.into_iter().flat_map(|set| [4, 13, 200].map(|rows| (set, rows))) {
        let problem = score::problem(&adult(set, rows), 4, 1).unwrap();
        let partition = Plain.partition(&problem, Progress::silent()).unwrap();
        assert!(partition.clusters().all(|rows| rows.len() >= 4), "{}", set.name);
        let costs = Costs::new(&problem);
        let sum: f64 = partition.clusters().map(|rows| Group::new(&costs, rows).cost()).sum();
        assert!((problem.measure.table(sum, rows) - problem.loss(&partition)).abs() < 1e-12, "{}", set.name);
    }
}

#[test]
fn the_loss_is_that_of_the_pruned_algorithm() {
    let sequential = partition::build(&Spec::new("sequential(split=pass)")).unwrap();
    for set in KINDS {
        let problem = score::problem(&adult(set, 400), 10, 0).unwrap();
        let loss = |p: &dyn Partitioner| problem.loss(&p.partition(&problem, Progress::silent()).unwrap());
        let (plain, pruned) = (loss(&Plain), loss(&*sequential));
        assert!((plain / pruned - 1.0).abs() < 1e-9, "{}: {plain} {pruned}", set.name);
    }
}
