//! `amidst compare`

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use amidst::partition;
use amidst::pipeline::{self, CompareJob};
use amidst::progress::Progress;
use amidst::registry::{self, Spec};
use amidst::report::Comparison;
use amidst::write::Staging;

use super::plan;
use crate::args::{CompareArgs, PrivacyArgs};
use crate::progress::Bar;
use crate::{Stop, print, print_json};

pub fn run(args: &CompareArgs) -> Result<(), Stop> {
    let CompareArgs {
        input,
        columns,
        k,
        l,
        rows,
        models,
        algorithms,
        measures,
        measure,
        seed,
        limit,
        output,
        report,
        reading,
        output_args,
    } = args;
    let limit = Duration::try_from_secs_f64(*limit)
        .map_err(|_| Stop::usage(format!("--limit {limit} is no number of seconds")))?;
    if let Some(file) = output.iter().find(|file| !matches!(extension(file), Some("csv" | "json"))) {
        return Err(Stop::usage(format!("`{}` is neither .csv nor .json", file.display())));
    }
    let privacy = PrivacyArgs { l: l.first().copied(), models: models.clone() };
    let (mut plan, origin) = plan::plan(columns, k.first().copied(), &privacy, reading)?;
    if let Some(measure) = measure {
        plan.method.measure = measure.clone();
    }
    if let Some(seed) = seed {
        plan.method.seed = Some(*seed);
    }
    let partitioners = match algorithms.as_str() {
        "all" => partition::ALL.iter().map(|entry| Spec::new(entry.name)).collect(),
        list => registry::specs(list),
    };
    let job = CompareJob {
        input: input.clone().into(),
        plan,
        origin,
        ks: k.clone(),
        ls: l.clone(),
        rows: rows.clone(),
        partitioners,
        measures: measures.clone(),
        limit,
        report: report.clone(),
    };
    let bar = Bar::new(output_args.quiet);
    let comparison = pipeline::compare(&job, Progress::to(&bar))?;
    drop(bar);

    let mut staging = Staging::new();
    for file in output {
        let text = match extension(file) {
            Some("json") => serde_json::to_string_pretty(&comparison).map_err(|e| Stop::usage(e.to_string()))? + "\n",
            _ => csv(&comparison)?,
        };
        staging.text(file, &text)?;
    }
    staging.publish()?;
    if output_args.json {
        print_json(&comparison)
    } else if output_args.quiet {
        Ok(())
    } else {
        print(&comparison.to_string())
    }
}

fn extension(file: &Path) -> Option<&str> {
    file.extension().and_then(OsStr::to_str)
}

fn csv(comparison: &Comparison) -> Result<String, Stop> {
    let failed = |e: &dyn std::fmt::Display| Stop::usage(e.to_string());
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in comparison.table() {
        writer.write_record(row).map_err(|e| failed(&e))?;
    }
    let bytes = writer.into_inner().map_err(|e| failed(&e))?;
    String::from_utf8(bytes).map_err(|e| failed(&e))
}
