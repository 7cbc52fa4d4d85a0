//! Every form of release: made, verified, measured, and refused where it would not protect or was tampered with.

use std::fs;
use std::path::{Path, PathBuf};

use amidst::measure::Selection;
use amidst::pipeline::{AuditJob, Job, PlanOrigin, anonymize, audit};
use amidst::plan::Plan;
use amidst::progress::Progress;
use amidst::registry::Spec;
use amidst::report::{AuditOutcome, Outcome};
use amidst::{Result, publish, verify};

use crate::hard;
use crate::tables::specs;

/// A release in a folder of its own.
pub struct Made {
    pub folder: tempfile::TempDir,
    pub outcome: Outcome,
    pub plan: Plan,
}

impl Made {
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What an audit with the plan beside the release finds, from the files alone or beside the original.
    pub fn audit(&self, with_original: bool) -> Result<AuditOutcome> {
        audit(&self.audit_job(with_original), Progress::silent())
    }

    fn audit_job(&self, with_original: bool) -> AuditJob {
        let plan_file = self.path("release.plan.toml");
        AuditJob {
            release: self.path("release.csv"),
            plan: Plan::load(&plan_file).unwrap(),
            demand: true,
            origin: PlanOrigin::File(plan_file),
            original: with_original.then(|| self.path("table.csv")),
        }
    }
}

/// Publishes a CSV text as `release.csv`.
pub fn make(csv: &str, plan: &Plan) -> Result<Made> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    fs::write(file("table.csv"), csv).unwrap();
    let origin = PlanOrigin::File(file("plan.toml"));
    let (input, output) = (file("table.csv"), file("release.csv"));
    let job = Job { input, output, plan: plan.clone(), origin, measures: Selection::All, certify: false };
    let outcome = anonymize(&job, Progress::silent())?;
    Ok(Made { folder, outcome, plan: plan.clone() })
}

/// The lines of a file.
pub fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn every_form_of_every_hard_table_passes_its_own_audit() {
    for k in [2, 5] {
        for (name, sketch) in hard::tables(k) {
            for form in specs(publish::ALL) {
                println!("{form}, k = {k}, on {name}");
                assert!(verify::is_known(&form));
                let mut plan: Plan = sketch.plan(k).parse().unwrap();
                plan.method.publish = form.clone();
                plan.privacy.require = vec![Spec::new("distinct-l(l=2)")];
                let made = make(&sketch.csv(), &plan).unwrap();
                for with_original in [false, true] {
                    let audit = made.audit(with_original).unwrap();
                    assert!(audit.failures.is_empty(), "{:?}", audit.failures);
                    assert_eq!(audit.audit.unwrap().achieved.k, made.outcome.audit.achieved.k);
                }
            }
        }
    }
}

/// Forty people of whom everybody knows age and town.
fn people() -> String {
    let line = |i: u32| {
        format!(
            "{},{},{}\n",
            20 + i * 7 % 40,
            ["Ulm", "Bonn", "Kiel"][(i % 3) as usize],
            ["flu", "cold", "asthma", "gout"][(i * 5 % 7 % 4) as usize]
        )
    };
    "age,town,disease\n".to_owned() + &(0..40).map(line).collect::<String>()
}

fn plan(form: &str, privacy: &str) -> Plan {
    format!(
        "[privacy]\nk = 4\n{privacy}\n[method]\npublish = \"{form}\"\n[columns]\nage = {{ role = \"quasi\", kind = \"range\" }}\n\
         town = {{ role = \"quasi\", kind = \"set\" }}\ndisease = {{ role = \"sensitive\" }}\n"
    )
    .parse()
    .unwrap()
}

/// Changes a file of a release and says what the audit of the files alone finds.
pub fn tampered(made: &Made, file: &str, change: impl Fn(&mut Vec<String>)) -> String {
    let path = made.path(file);
    let (before, mut lines) = (fs::read_to_string(&path).unwrap(), lines(&path));
    change(&mut lines);
    fs::write(&path, lines.join("\n") + "\n").unwrap();
    let found = made.audit(false).unwrap();
    fs::write(&path, before).unwrap();
    found.failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

#[test]
fn anatomy_keeps_everything_but_who_has_what() {
    let made = make(&people(), &plan("anatomy", "require = [\"frequency-l(l=2)\"]")).unwrap();
    let (rows, values) = (lines(&made.path("release.csv")), lines(&made.path("release.sensitive.csv")));
    assert_eq!((rows[0].as_str(), values[0].as_str()), ("group,age,town", "group,disease,count"));
    let known = |lines: &[String]| {
        let mut known: Vec<String> =
            lines[1..].iter().map(|line| line.split(',').rev().take(2).collect::<Vec<_>>().join(",")).collect();
        known.sort();
        known
    };
    let original: Vec<String> = people().lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect();
    assert_eq!(known(&rows), known(&original), "age and town are as they were");
    let sum: u32 = values[1..].iter().map(|line| line.rsplit(',').next().unwrap().parse::<u32>().unwrap()).sum();
    assert_eq!(sum, 40);
}

#[test]
fn an_anatomy_that_was_tampered_with_is_found_out() {
    let made = make(&people(), &plan("anatomy", "require = [\"frequency-l(l=2)\"]")).unwrap();
    assert_eq!(tampered(&made, "release.csv", |_| {}), "");
    let more = tampered(&made, "release.sensitive.csv", |lines| *lines.last_mut().unwrap() += "0");
    assert!(more.contains("sensitive values"), "{more}");
    let swapped = tampered(&made, "release.sensitive.csv", |lines| lines.swap(1, 2));
    assert!(swapped.contains("out of order"), "{swapped}");
    let twice = tampered(&made, "release.sensitive.csv", |lines| lines.insert(2, lines[1].clone()));
    assert!(twice.contains("repeats"), "{twice}");
    let renumbered = tampered(&made, "release.csv", |lines| lines.swap(1, 40));
    assert!(renumbered.contains("comes before") || renumbered.is_empty(), "{renumbered}");
    let beside = tampered(&made, "release.csv", |lines| {
        lines[0] += ",disease";
        lines[1..].iter_mut().for_each(|line| *line += ",flu");
    });
    assert!(beside.contains("stands beside"), "{beside}");
    let word = tampered(&made, "release.csv", |lines| lines[1] = lines[1].replacen('1', "one", 1));
    assert!(word.contains("not whole"), "{word}");
    fs::remove_file(made.path("release.sensitive.csv")).unwrap();
    assert!(made.audit(false).unwrap_err().to_string().contains("release.sensitive.csv"));
}

#[test]
fn forms_that_would_protect_nobody_are_refused() {
    let refused = |form: &str, privacy: &str| {
        make(&people(), &plan(form, privacy)).err().map(|e| e.to_string()).unwrap_or_default()
    };
    assert!(refused("anatomy", "").contains("only a privacy model protects column `disease`"));
    let alike = "age,town,disease\n20,Ulm,flu\n20,Ulm,flu\n60,Kiel,cold\n60,Kiel,cold\n".to_owned();
    let mut weak = plan("anatomy", "require = [\"frequency-l(l=1)\"]");
    weak.privacy.k = 2;
    assert!(make(&alike, &weak).err().unwrap().to_string().contains("everybody has the same value"));
    let taken = make(&people().replace("town", "group"), &{
        let mut plan = plan("anatomy", "require = [\"frequency-l(l=2)\"]");
        let town = plan.columns.shift_remove("town").unwrap();
        plan.columns.insert("group".to_owned(), town);
        plan
    });
    assert!(taken.err().unwrap().to_string().contains("rename the column"));
}
