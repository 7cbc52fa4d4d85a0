//! One table with groups in which each row has the sensitive values of its record with probability p, and otherwise those of any that are not kept.
//!
//! A group has the values of its records, each as often. That p of them were kept is said by the plan and not by the file; beside the
//! original it can be seen whether far more of them were.

use rustc_hash::FxHashMap;

use super::{Files, Published, Shape, grouped, told_apart};
use crate::error::{Error, Remedy, Result, Setting};
use crate::plan::{Plan, ReleaseForm, Role};
use crate::verify::levels::ROUNDING;
use crate::verify::{Classes, Failure};

pub(super) fn read(files: &Files, plan: &Plan, p: Option<f64>) -> Result<Result<Published, Failure>> {
    let Some(p) = p else {
        let message = "how many values are kept must be known";
        let p = Remedy::by("give the p of the plan beside the release", Setting::Publish("randomization(p=0.2)"));
        return Err(Error::parameter(plan.method.publish.name(), message).or([p]));
    };
    let (table, classes) = match grouped(&files.main, plan)? {
        Ok(found) => found,
        Err(failure) => return Ok(Err(failure)),
    };
    let mixed = vec![plan.columns_with(Role::Sensitive).map(str::to_owned).collect()];
    let published = Published { mixed, retention: Some(p), ..Published::new(table, classes, Shape::Values) };
    Ok(told_apart(&published, plan)?.map(|()| published))
}

/// The weight of the published value in what may be believed of a record, when values are kept with probability `p` in a class of so many;
/// the rest of the weight is on the shares of the class. See the module docs of `publish::randomization` for the proof.
pub fn kept(p: f64, size: usize) -> f64 {
    if size < 2 || p >= 1.0 {
        return 1.0;
    }
    let m = size as f64;
    // 1 − pᵐ without cancellation; p = 0 has the logarithm −∞, which is right.
    let some_moved = -(m * p.ln()).exp_m1();
    // The value is another's: the record is not kept, nor does the permutation leave it where it is.
    let moved = (1.0 - p) - some_moved / m;
    (1.0 - moved * m / (m - 1.0)).clamp(0.0, 1.0)
}

/// Whether nobody can be surer of anybody's value than was asked.
pub(in crate::verify) fn asked(posterior: Option<f64>, column: &str, plan: &Plan) -> Result<Result<(), Failure>> {
    let Some(posterior) = posterior else { return Ok(Ok(())) };
    let ReleaseForm::Randomization { l: Some(l), .. } = plan.method.form()? else { return Ok(Ok(())) };
    Ok(if posterior <= (1.0 + ROUNDING) / l {
        Ok(())
    } else {
        Err(Failure(format!(
            "nobody was to be surer of a value of `{column}` than 1/{l}, but one can be by {posterior:.4}"
        )))
    })
}

/// How many standard deviations above what is expected are not believed any more.
const DEVIATIONS: f64 = 6.0;

/// Whether so many of the rows can have the values of their records by chance. `before` and `after` number the values of the records, as far as
/// those are known, and of the published rows.
///
/// A class of m rows in which the value of number s occurs h(s) times is expected to have r·m + (1 − r)·Σ h(s)²/m unchanged ones, by the
/// posterior. Their variance is at most 4mp(1 − p) plus twice that: given the set U of those not kept, of which u have h'(s) of each value,
/// Σ h'(s)²/u of the permuted ones meet their own value on average, with a variance of at most Σ h'(s)²/(u − 1) (Hoeffding); and one record more in U changes the
/// expected number by −2 to 0 (Efron and Stein).
pub(in crate::verify) fn plausible(
    p: f64,
    classes: &Classes,
    before: &[Option<u32>],
    after: &[u32],
) -> Result<(), Failure> {
    let mut counts: Vec<FxHashMap<u32, f64>> = vec![FxHashMap::default(); classes.sizes.len()];
    for (class, value) in classes.of_row.iter().zip(after) {
        *counts[*class as usize].entry(*value).or_default() += 1.0;
    }
    let (mut expected, mut variance) = (0.0, 0.0);
    for (counts, size) in counts.iter().zip(&classes.sizes) {
        let (r, m) = (kept(p, *size), *size as f64);
        let unchanged = r * m + (1.0 - r) * counts.values().map(|times| times * times).sum::<f64>() / m;
        expected += unchanged;
        variance += 4.0 * m * p * (1.0 - p) + 2.0 * unchanged;
    }
    let found = before.iter().zip(after).filter(|(before, after)| **before == Some(**after)).count();
    if found as f64 <= expected + DEVIATIONS * variance.sqrt() {
        return Ok(());
    }
    Err(Failure(format!(
        "{found} of {} rows have the sensitive values of their records where p = {p} lets expect {expected:.0}",
        after.len()
    )))
}
