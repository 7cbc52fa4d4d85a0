//! The same plan and seed give the same bytes, from one version to the next.
//!
//! A change here means that a release stored with its plan can no longer be made again. Where that is meant, say so in the changelog,
//! and accept the new fingerprints with `cargo insta accept`.

use std::fs;

use amidst::internals::registry::Spec;
use amidst::internals::{constraint, cost, partition, publish, refine};
use amidst::pipeline::{Job, anonymize};
use amidst::plan::{Plan, Seed};
use amidst::progress::Progress;
use sha2::{Digest, Sha256};

use crate::tables::specs;

const PLAN: &str = r#"
[privacy]
k = 4
require = ["frequency-l(l=2)"]
[columns]
name = { role = "identifier" }
age = { role = "quasi", kind = "range" }
town = { role = "quasi", kind = "set" }
school = { role = "quasi", kind = "taxonomy", hierarchy = { lines = "none;low;*\nprimary;low;*\nsecondary;high;*\nbachelor;high;*\nmaster;high;*" } }
job = { role = "quasi", kind = "suppress", weight = 0.5 }
disease = { role = "sensitive" }
visits = { role = "other" }
"#;

/// 160 people; the values by a multiplicative generator, so that they are the same everywhere.
fn people() -> String {
    let mut state = 1_u64;
    let mut pick = |words: &[&str]| {
        state = state * 48_271 % 2_147_483_647;
        words[state as usize % words.len()].to_owned()
    };
    let mut csv = "name,age,town,school,job,disease,visits\n".to_owned();
    for i in 0..160 {
        let age = 18 + i * 37 % 61;
        let town = pick(&["Ulm", "Bonn", "Kiel", "Trier"]);
        let school = pick(&["none", "primary", "secondary", "secondary", "bachelor", "master"]);
        let job = pick(&["nurse", "cook", "clerk", "clerk", "pilot"]);
        let disease = pick(&["flu", "cold", "asthma", "gout", "cold"]);
        csv += &format!("person {i},{age},{town},{school},{job},{disease},{}\n", i % 9);
    }
    csv
}

/// The digest of all tables of the release.
fn fingerprint(change: impl Fn(&mut Plan)) -> String {
    let folder = tempfile::tempdir().unwrap();
    let mut plan: Plan = PLAN.parse().unwrap();
    plan.method.seed = Some(Seed(11));
    change(&mut plan);
    let nested = plan.method.form().unwrap().nested();
    let (input, output) = (folder.path().join("table.csv"), folder.path().join("release"));
    let output = output.with_extension(if nested { "parquet" } else { "csv" });
    fs::write(&input, people()).unwrap();
    let outcome = match anonymize(&Job::new(input, output.clone(), plan), Progress::silent()) {
        Ok(outcome) => outcome,
        Err(e) => return format!("refused: {e}"),
    };
    let mut digest = Sha256::new();
    for file in outcome.parts.iter().chain([&output]) {
        digest.update(fs::read(file).unwrap());
    }
    digest.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn releases_are_the_same_bytes_as_ever() {
    let mut lines = Vec::new();
    let mut line = |what: &Spec, change: &dyn Fn(&mut Plan)| lines.push(format!("{what}: {}", fingerprint(change)));
    for spec in specs(partition::ALL) {
        line(&spec, &|plan| {
            plan.method.partitioner = spec.clone();
            plan.privacy.suppress = 0.1;
        });
    }
    for spec in specs(refine::ALL) {
        line(&spec, &|plan| {
            plan.method.partitioner = Spec::new("mondrian");
            plan.method.refine = vec![spec.clone()];
        });
    }
    for spec in specs(cost::ALL) {
        line(&spec, &|plan| plan.method.measure = spec.clone());
    }
    for spec in specs(publish::ALL) {
        line(&spec, &|plan| plan.method.publish = spec.clone());
    }
    for spec in specs(&constraint::ALL[2..]) {
        line(&spec, &|plan| plan.privacy.require = vec![spec.clone()]);
    }
    insta::assert_snapshot!(lines.join("\n"));
}
