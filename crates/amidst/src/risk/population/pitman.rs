//! Pitman's sampling formula: large classes attract more people than small ones.
//!
//! If there are u classes, the next person founds a new class with weight θ + uα, and joins a class of j people with weight j − α.
//! A sample of n records with u classes, cⱼ of them of size j, then has the log-likelihood
//!
//! ```text
//! L(θ, α) = Σ ln(θ + iα) − Σ ln(θ + i) + Σ cⱼ Σ ln(i − α) + constant
//!         i = 1 … u − 1   i = 1 … n − 1      i = 1 … j − 1
//! ```
//!
//! The likelihood is greatest where both derivatives are zero:
//!
//! ```text
//! Σ 1/(θ + iα) = Σ 1/(θ + i)        Σ i/(θ + iα) = Σ cⱼ Σ 1/(i − α)
//! ```
//!
//! The first person stays alone if nobody joins later. The probability of that is ∏ (θ + α + i − 1)/(θ + i), i = 1 … N − 1. The order of
//! people does not matter, so everybody is alone with the same probability. The expected number of people who are alone is N times that
//! product: Γ(θ + 1)/Γ(θ + α) · N Γ(θ + α + N − 1)/Γ(θ + N). Hoshino and ARX replace the second fraction by Nᵅ. That is close if θ is small
//! compared with N, and can exceed N if it is not.
//!
//! Complexity: O(n) for each step of the iteration.
//!
//! Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official Statistics 17 (2001).

use libm::lgamma;

use super::Sample;
use super::newton::{Residuals, solve};

/// Estimates the number of people who are alone in the population.
pub(super) fn uniques(sample: &Sample) -> Result<f64, String> {
    let Sample { records, classes, people, .. } = *sample;
    if classes >= records {
        return Err("every record is alone in its class, so the sample does not show how large classes get".to_owned());
    }
    if classes < 2.0 {
        return Err("there is only one class".to_owned());
    }
    let likelihood = Likelihood::new(sample);
    let starts = [moments(sample), Some([classes, 0.3]), Some([1.0, 0.5]), Some([classes / 10.0, 0.8])];
    let found = starts.into_iter().flatten().find_map(|[theta, alpha]| {
        let start = [(theta + alpha).ln(), (alpha / (1.0 - alpha)).ln()];
        solve(start, |at| likelihood.equations(at))
    });
    let [theta, alpha] = found
        .map(parameters)
        .ok_or("the likelihood has no maximum for this sample; its class sizes are too even or too uneven")?;
    let log =
        lgamma(theta + 1.0) - lgamma(theta + alpha) + lgamma(theta + alpha + people - 1.0) - lgamma(theta + people);
    Ok(people * log.exp())
}

/// Starting values of θ and α, by the method of moments (Hoshino); `None` if they are out of range.
fn moments(sample: &Sample) -> Option<[f64; 2]> {
    let (n, u, one) = (sample.records, sample.classes, sample.of_size(1));
    let c = one * (one - 1.0) / sample.of_size(2).max(1.0);
    let theta = (n * u * c - one * (n - 1.0) * (2.0 * u + c)) / (2.0 * one * u + one * c - n * c);
    let alpha = (theta * (one - n) + (n - 1.0) * one) / (n * u);
    (alpha > 0.0 && alpha < 1.0 && theta > -alpha && theta.is_finite()).then_some([theta, alpha])
}

/// θ and α from the coordinates of the search, ln(θ + α) and ln(α/(1 − α)).
fn parameters([x, y]: [f64; 2]) -> [f64; 2] {
    let alpha = 1.0 / (1.0 + (-y).exp());
    [x.exp() - alpha, alpha]
}

struct Likelihood {
    records: usize,
    classes: usize,
    /// The distinct class sizes in ascending order, each with the number of classes of at least that size.
    larger: Vec<(usize, f64)>,
}

impl Likelihood {
    fn new(sample: &Sample) -> Self {
        let mut left = sample.classes;
        let sizes = sample.sizes.iter().filter(|(size, _)| **size > 0);
        let larger = sizes.map(|(size, classes)| {
            let at_least = left;
            left -= *classes as f64;
            (*size, at_least)
        });
        Likelihood { records: sample.records as usize, classes: sample.classes as usize, larger: larger.collect() }
    }

    /// For each equation, the logarithm of the ratio of its sides, with derivatives.
    fn equations(&self, at: [f64; 2]) -> Residuals {
        let [theta, alpha] = parameters(at);
        let (mut a, mut a_i, mut by, mut by_i, mut by_ii) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for i in 1..self.classes {
            let i = i as f64;
            let one = 1.0 / (theta + i * alpha);
            a += one;
            a_i += i * one;
            by += one * one;
            by_i += i * one * one;
            by_ii += i * i * one * one;
        }
        let (mut b, mut b_by) = (0.0, 0.0);
        for i in 1..self.records {
            let one = 1.0 / (theta + i as f64);
            b += one;
            b_by += one * one;
        }
        let (mut c, mut c_by) = (0.0, 0.0);
        let mut i = 1;
        for (size, at_least) in &self.larger {
            while i < *size {
                let one = 1.0 / (i as f64 - alpha);
                c += at_least * one;
                c_by += at_least * one * one;
                i += 1;
            }
        }
        let first = [-by / a + b_by / b, -by_i / a];
        let second = [-by_i / a_i, -by_ii / a_i - c_by / c];
        let slopes = [first, second]
            .map(|[by_theta, by_alpha]| [(theta + alpha) * by_theta, alpha * (1.0 - alpha) * (by_alpha - by_theta)]);
        Residuals { values: [(a / b).ln(), (a_i / c).ln()], slopes }
    }
}
