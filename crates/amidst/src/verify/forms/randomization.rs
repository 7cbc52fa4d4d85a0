//! Randomization: one table with groups. Each row keeps the sensitive values of its record with probability p. The values that are not kept
//! change places within the group.
//!
//! A group has exactly the values of its records. The probability p is in the plan and not in the file. A comparison with the original
//! shows whether far more values were kept.

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

/// The weight of the published value in the posterior of a record, if values are kept with probability `p` in a class of `size` records. The
/// rest of the weight is on the shares of the class. The module docs of `publish::randomization` have the proof.
pub fn kept(p: f64, size: usize) -> f64 {
    if size < 2 || p >= 1.0 {
        return 1.0;
    }
    let m = size as f64;
    // 1 − pᵐ without cancellation. For p = 0 the logarithm is −∞ and the result is right.
    let some_moved = -(m * p.ln()).exp_m1();
    // The probability that the value is another record's: it is not kept, and the permutation moves it.
    let moved = (1.0 - p) - some_moved / m;
    (1.0 - moved * m / (m - 1.0)).clamp(0.0, 1.0)
}

/// Checks the limit on the probability of a value that an adversary can reach, if the plan has one.
pub(in crate::verify) fn asked(posterior: Option<f64>, column: &str, plan: &Plan) -> Result<Result<(), Failure>> {
    let Some(posterior) = posterior else { return Ok(Ok(())) };
    let ReleaseForm::Randomization { l: Some(l), .. } = plan.method.form()? else { return Ok(Ok(())) };
    Ok(if posterior <= (1.0 + ROUNDING) / l {
        Ok(())
    } else {
        Err(Failure(format!(
            "the probability of a value of `{column}` may be at most 1/{l}, but an adversary can reach {posterior:.4}"
        )))
    })
}

/// The number of standard deviations above the expectation from which on a release fails.
const MAX_DEVIATIONS: f64 = 6.0;

/// Checks that the number of rows with the values of their own records can be chance. `before` has the numbers of the values of the records,
/// as far as these are known. `after` has those of the published rows.
///
/// Take a class of m rows in which value s occurs h(s) times. By the posterior, the expected number of unchanged rows is
/// E = r·m + (1 − r)·Σ h(s)²/m. The variance is at most 4mp(1 − p) + 2E, for two reasons. First, let U be the set of the u rows that are not
/// kept, with h'(s) rows of value s. On average, Σ h'(s)²/u of the permuted rows meet their own value, with a variance of at most
/// Σ h'(s)²/(u − 1) (Hoeffding). Second, one more record in U changes the expected number by −2 to 0 (Efron and Stein).
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
    if found as f64 <= expected + MAX_DEVIATIONS * variance.sqrt() {
        return Ok(());
    }
    Err(Failure(format!(
        "{found} of {} rows have the sensitive values of their own records, but {expected:.0} are expected with p = {p}",
        after.len()
    )))
}
