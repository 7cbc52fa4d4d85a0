//! `amidst risk`

use std::path::{Path, PathBuf};

use amidst::pipeline::{self, Assumptions, List, RiskJob};
use amidst::plan::{Changes, Role, Spec};
use amidst::report::{ColumnRisk, RiskOutcome};
use clap::Args;

use crate::args::values::{choices, part};
use crate::args::{ColumnArgs, OutputArgs, ReadingArgs};
use crate::flags::{flag, with_columns, word};
use crate::{Stop, print};

#[derive(Args)]
#[command(after_help = "\
Examples:
  amidst risk patients.csv                                        # which columns single people out?
  amidst risk patients.csv --quasi age,zip,sex --sample 5%        # of an original
  amidst risk visits.csv --quasi age,zip,sex --person patient_id  # where persons have several rows
  amidst risk release.csv --plan release.plan.toml --population register.csv --threshold 0.09")]
pub struct RiskArgs {
    /// The table: an original or a release; - is standard input
    file: PathBuf,
    /// The quasi-identifiers, separated by commas [default: all columns but those that look like identifiers]
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "plan", help_heading = "Columns")]
    quasi: Vec<String>,
    /// The columns that together say whose row it is, separated by commas
    ///
    /// Name them if a person can have several rows. Then risks and shares are those of persons.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "plan", help_heading = "Columns")]
    person: Vec<String>,
    /// The columns that together say whose household a row belongs to, separated by commas
    ///
    /// Then amidst also tells how likely somebody of a household is found.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', conflicts_with = "plan", help_heading = "Columns")]
    household: Vec<String>,
    /// The plan of the release, or of a release to come
    #[arg(long, value_name = "FILE", help_heading = "Columns")]
    plan: Option<PathBuf>,
    #[arg(long, value_name = "NAME", help = choices("The form of the release, if there is no plan", List::Publishers), help_heading = "Columns")]
    publish: Option<Spec>,
    /// The share of the population that the table holds, such as 0.05 or 5%
    ///
    /// A record that is unique in the table need not be unique in the population.
    #[arg(long, value_name = "SHARE", value_parser = part, help_heading = "Assumptions")]
    sample: Option<f64>,
    /// A table of the population with the original quasi-identifiers
    ///
    /// Then amidst counts the people who fit each class instead of estimating their number.
    #[arg(long, value_name = "FILE", conflicts_with = "sample", help_heading = "Assumptions")]
    population: Option<PathBuf>,
    /// The highest acceptable risk of a single record or person
    ///
    /// Common thresholds are 0.33 and 0.2, and 0.09 for a table that everybody can see.
    #[arg(long, value_name = "RISK", value_parser = part, default_value = "0.2", help_heading = "Assumptions")]
    threshold: f64,
    #[command(flatten)]
    reading: ReadingArgs,
    #[command(flatten)]
    shown: OutputArgs,
}

pub fn run(args: &RiskArgs) -> Result<(), Stop> {
    let RiskArgs { file, quasi, person, household, plan, .. } = args;
    let RiskArgs { publish, sample, population, threshold, reading, shown, .. } = args;
    let columns = ColumnArgs::of(plan.clone(), quasi.clone(), person.clone(), household.clone());
    let mut changes = Changes { publish: publish.clone(), ..Changes::default() };
    reading.change(&mut changes);
    let plan = columns.plan(&changes)?;
    let assumptions = Assumptions { threshold: *threshold, sample: *sample };
    let (input, population) = (file.clone().into(), population.clone().map(Into::into));
    let job = RiskJob { input, plan, assumptions, population };
    let mut outcome = shown.watch(reading.memory, |progress| pipeline::risk(&job, progress))?;
    if !shown.json {
        outcome.warnings.iter_mut().for_each(|warning| warning.spell(flag));
    }
    shown.show(&outcome)?;
    match next_command(&outcome, file) {
        Some(command) if !shown.json && !shown.quiet => {
            print(&format!("\nto publish it with these roles\n  {command}\n"))
        }
        _ => Ok(()),
    }
}

/// The command that makes a release by the suggested roles. `None` if the columns were chosen already, and where flags cannot name them.
fn next_command(outcome: &RiskOutcome, file: &Path) -> Option<String> {
    let with = |role: Role| {
        let has = |column: &&ColumnRisk| column.advice.as_ref().is_some_and(|advice| advice.role == role);
        outcome.columns.iter().filter(has).map(|column| column.column.clone()).collect::<Vec<_>>()
    };
    let roles = [
        ("--identifier", outcome.left_out.clone()),
        ("--quasi", with(Role::Quasi)),
        ("--sensitive", with(Role::Sensitive)),
        ("--publish-as-is", with(Role::Other)),
    ];
    let mut names = roles.iter().flat_map(|(_, names)| names);
    let is_stream = file.as_os_str() == "-";
    if outcome.chosen || is_stream || roles[1].1.is_empty() || names.any(|name| name.contains(',')) {
        return None;
    }
    let flags: Vec<String> =
        roles.iter().filter(|(_, names)| !names.is_empty()).map(|(f, n)| with_columns(f, n)).collect();
    Some(format!("amidst anonymize {} -o release.csv {} --k 10", word(&file.display().to_string()), flags.join(" ")))
}
