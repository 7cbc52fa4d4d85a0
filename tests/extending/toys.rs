//! The toys of docs/extending.md, used as a program would use them. `tests/extending/run.py` adds this test to its copy of the sources.

use std::sync::Arc;

use amidst::arrow_array::cast::AsArray;
use amidst::arrow_array::types::Int32Type;
use amidst::arrow_array::{Int64Array, RecordBatch, StringArray};
use amidst::pipeline::{AttackJob, List, attack, list};
use amidst::prelude::*;

const AGES: [i64; 8] = [31, 32, 33, 34, 61, 62, 63, 64];
const DISEASES: [&str; 8] = ["flu", "flu", "cold", "gout", "flu", "cold", "gout", "cold"];

fn patients() -> RecordBatch {
    RecordBatch::try_from_iter([
        ("age", Arc::new(Int64Array::from(AGES.to_vec())) as _),
        ("disease", Arc::new(StringArray::from(DISEASES.to_vec())) as _),
    ])
    .unwrap()
}

/// A plan for the patients with this k, these models and this method.
fn plan(k: usize, require: &str, method: &str) -> Plan {
    let toml = format!(
        "[privacy]\nk = {k}\n{require}\n[method]\nseed = 1\n{method}\n\
         [columns]\nage = {{ role = \"quasi\", kind = \"range\" }}\ndisease = {{ role = \"sensitive\" }}\n"
    );
    toml.parse().unwrap()
}

/// The published ages, which are texts once they are ranges.
fn ages(release: &Release) -> Vec<&str> {
    let column = release.table().unwrap().column_by_name("age").unwrap();
    match column.as_dictionary_opt::<Int32Type>() {
        Some(coded) => coded.downcast_dict::<StringArray>().unwrap().into_iter().flatten().collect(),
        None => column.as_string::<i32>().iter().flatten().collect(),
    }
}

#[test]
fn every_toy_is_in_its_list() {
    for (kind, name) in [
        (List::Partitioners, "whole"),
        (List::Refiners, "unchanged"),
        (List::Measures, "changed"),
        (List::Attacks, "smallest"),
        (List::Constraints, "no-majority"),
        (List::Publishers, "stars"),
    ] {
        assert!(list(kind).iter().any(|member| member.name == name), "{name} is not in {kind:?}");
    }
}

/// One class of eight rows: its range is as wide as the column, so all cells have changed.
#[test]
fn the_partitioner_the_refiner_and_the_measure_make_a_release() {
    let method = "partitioner = \"whole\"\nrefine = [\"unchanged\"]\nmeasure = \"changed\"";
    let release = Dataset::new(patients(), plan(2, "", method)).unwrap().anonymize().unwrap();
    assert_eq!(ages(&release), ["[31-64]"; 8]);
    let report = serde_json::to_value(release.report()).unwrap();
    assert_eq!((&report["classes"], &report["achieved"]["k"]), (&1.into(), &8.into()));
    assert_eq!(report["loss"]["changed"], 1.0, "{report}");
}

#[test]
fn the_form_is_published_and_verified() {
    let release = Dataset::new(patients(), plan(2, "", "publish = \"stars\"")).unwrap().anonymize().unwrap();
    assert_eq!(ages(&release), ["*"; 8]);
    assert_eq!(release.report().audit.achieved.k, 8);
}

/// With k = 2 alone, the two youngest are a class, and both have the flu. The model forbids that.
#[test]
fn the_model_limits_every_class() {
    let share = |require: &str| {
        let release = Dataset::new(patients(), plan(2, require, "")).unwrap().anonymize().unwrap();
        release.report().audit.achieved.sensitive["disease"].alpha
    };
    assert_eq!(share(""), 1.0);
    assert!(share("require = [\"no-majority\"]") <= 0.5);
}

#[test]
fn the_attack_is_played() {
    let release = Dataset::new(patients(), plan(4, "", "order = \"keep\"")).unwrap().anonymize().unwrap();
    let job = AttackJob {
        original: patients().into(),
        release: release.table().unwrap().clone().into(),
        plan: release.plan().clone(),
        attacks: List::Attacks.specs("smallest"),
    };
    let said = attack(&job, Progress::silent()).unwrap().to_string();
    assert!(said.contains("the smallest class has 4 rows"), "{said}");
}
