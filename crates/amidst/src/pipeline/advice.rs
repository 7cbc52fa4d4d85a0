//! What would keep more of a table that loses much.
//!
//! A release that loses half of its detail is seldom what somebody wants, and often one column is the reason. Then a line says so, with what the
//! other columns would lose without it. Two quick runs on a sample find that, with the column and without it. The second loses a share of the
//! first, and the same share is taken of what the release loses. So the sample need not lose as much as the table.

use super::Job;
use super::dataset::Dataset;
use super::trial::{Sample, leave_out, mean, most_rows};
use crate::encode::Domain;
use crate::error::{Error, Result};
use crate::notation::{decimals, grouped, percent};
use crate::progress::Progress;
use crate::report::advice::LossAdvice;

/// The most rows that are tried.
const MOST_ROWS: usize = 20_000;
/// At least so many times as many rows as are tried must be in the table, or it is tried as a whole. So advice takes little of a long run.
const FEWER_ROWS: usize = 10;
/// Tables of fewer rows are tried as a whole.
const LEAST_ROWS: usize = 5_000;
/// A release that loses more is one that loses much.
const MUCH: f64 = 0.4;
/// A column that costs more of the loss is the reason for it.
const DOMINANT: f64 = 0.5;
/// A release that loses less loses so little that no column matters.
const LITTLE: f64 = 0.05;
/// Without the column the others must lose at most this share of what they lose now, or little is won for them.
const WON: f64 = 0.9;
/// A column of this many values that is published whole or not at all would keep more by a hierarchy.
const MANY_VALUES: usize = 10;

/// Advice about a release whose columns lose so much by LM.
pub(super) fn advice(job: &Job, data: &Dataset, losses: Option<&[f64]>, progress: Progress) -> Result<Vec<LossAdvice>> {
    let domains = data.encoded.domains();
    let (Some(losses), true, true) = (losses, job.advise, domains.len() > 1 && data.others.is_empty()) else {
        return Ok(Vec::new());
    };
    let weighed = |column: usize| (domains[column].weight(), losses[column]);
    let cost = |column: usize| weighed(column).0 * weighed(column).1;
    let all = 0..domains.len();
    let (loss, sum): (f64, f64) = (mean(all.clone().map(weighed)), all.clone().map(cost).sum());
    let Some(worst) = all.clone().max_by(|a, b| cost(*a).total_cmp(&cost(*b))) else { return Ok(Vec::new()) };
    let share = if sum > 0.0 { cost(worst) / sum } else { 0.0 };
    if !(loss > MUCH || share > DOMINANT && loss > LITTLE) {
        return Ok(Vec::new());
    }
    let (name, others) = (domains[worst].name(), mean(all.filter(|column| *column != worst).map(weighed)));
    progress.begin("looking for advice", 0)?;
    let rows = (data.table.rows() / FEWER_ROWS).clamp(LEAST_ROWS, MOST_ROWS);
    let sample = Sample::new(data, most_rows(&data.plan, rows))?;
    let others_without = match without(&sample, name, progress) {
        Ok(share) => share.map(|share| share * others),
        Err(e @ Error::Interrupted) => return Err(e),
        Err(_) => None, // such as a sample that lacks what the table has; advice is no reason to fail
    };
    let Some(message) = words(&domains[worst], share, loss, others, others_without, sample.rows()) else {
        return Ok(Vec::new());
    };
    let column = name.to_owned();
    Ok(vec![LossAdvice { column, share, others, others_without, rows: sample.rows(), message }])
}

/// What the other columns of a sample lose without a column, as a share of what they lose with it; `None` if they lose nothing.
fn without(sample: &Sample, name: &str, progress: Progress) -> Result<Option<f64>> {
    let now = sample.quickly(|_| {}, progress)?.others(name);
    let then = sample.quickly(|plan| leave_out(plan, name), progress)?.whole();
    Ok((now > 0.0).then(|| then / now))
}

/// The advice in words; `None` if there is nothing to advise.
fn words(
    worst: &Domain,
    share: f64,
    loss: f64,
    others: f64,
    others_without: Option<f64>,
    rows: usize,
) -> Option<String> {
    let (name, values) = (worst.name(), worst.len());
    let reason = format!("`{name}` is {} of what the release loses ({} by lm)", percent(share), decimals(loss));
    let measured = others_without.map(|without| {
        let (rows, others_now, others) = (grouped(rows), others, decimals(others));
        if without <= WON * others_now {
            let without = decimals(without);
            format!(
                "without it the other columns would lose about {without} instead of {others} (estimated on {rows} rows)"
            )
        } else {
            format!("without it the other columns would lose about as much as now, {others} (estimated on {rows} rows)")
        }
    });
    let whole_or_nothing = worst.is_suppress() && values >= MANY_VALUES;
    let tree = whole_or_nothing.then(|| {
        format!(
            "it has {} values, each published as it is or not at all, so a hierarchy would keep more of it",
            grouped(values)
        )
    });
    // Many columns that cost about as much as each other.
    let spread = share <= DOMINANT && others_without.is_some_and(|without| without > WON * others);
    let fewer = spread
        .then(|| "no single column is the reason; fewer quasi-identifiers or a smaller k would keep more".to_owned());
    let told: Vec<String> = [measured, tree, fewer].into_iter().flatten().collect();
    (!told.is_empty()).then(|| format!("{reason}; {}", told.join("; ")))
}
