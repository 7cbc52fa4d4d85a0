//! The slide negative binomial model: the number of people of a class beyond the first is negative binomial.
//!
//! A class of the population has j people with probability C(α + j − 2, j − 1) (1 − β)ʲ⁻¹ βᵅ. Its generating function is
//! G(t) = t (β / (1 − (1 − β) t))ᵅ, and K βᵅ of K classes have one person. If a sample takes each person with probability f, the expected
//! numbers of classes of one and of two records are K f G′(1 − f) and K f² G″(1 − f)/2. With d = (1 − f)(1 − β), these are
//!
//! ```text
//! c₁ = K f (β/(1 − d))ᵅ (1 + α d/(1 − d))        c₂ = K f²/2 · α (1 − β) βᵅ (2 − (1 − α) d) / (1 − d)ᵅ⁺²
//! ```
//!
//! The model solves both for α and β. K is Shlosser's estimator as improved by Haas and Stokes ("Estimating the number of classes in a finite
//! population", JASA 93, 1998, there called Sh3).
//!
//! There may be several solutions. The model takes the one whose mean class size is nearest to N/K.
//!
//! Chen and Keller-McNulty, "Estimation of identification disclosure risk in microdata", Journal of Official Statistics 14 (1998).

use super::Sample;
use super::newton::{Residuals, solve};

/// Estimates the number of people who are alone in the population.
pub(super) fn uniques(sample: &Sample) -> Result<f64, String> {
    let (one, two) = (sample.of_size(1), sample.of_size(2));
    if two == 0.0 {
        return Err("no class has two records, and the model needs such classes".to_owned());
    }
    let classes = all_classes(sample);
    let equations = Equations { share: sample.share, one: one / classes, two: two / classes };
    let mean = sample.people / classes;
    let mut best: Option<(f64, f64)> = None;
    for alpha in [0.03, 0.1, 0.3, 1.0, 3.0] {
        let beta = alpha / (alpha + (mean - 1.0).max(1e-3));
        let start = [f64::ln(alpha), (beta / (1.0 - beta)).ln()];
        let Some([x, y]) = solve(start, |at| equations.at(at)) else { continue };
        let (alpha, beta) = (x.exp(), logistic(y));
        let off = ((1.0 + alpha * (1.0 - beta) / beta) / mean).ln().abs();
        if best.is_none_or(|(least, _)| off < least) {
            best = Some((off, classes * beta.powf(alpha)));
        }
    }
    let (_, uniques) = best.ok_or("no parameters fit the classes of one and of two records")?;
    Ok(uniques)
}

/// An estimate of K, the number of classes in the population.
fn all_classes(sample: &Sample) -> f64 {
    let f = sample.share;
    let (mut squared, mut missed_twice, mut missed, mut single) = (0.0, 0.0, 0.0, 0.0);
    for (size, classes) in sample.each() {
        squared += size * f * f * (1.0 - f * f).powf(size - 1.0) * classes;
        missed_twice += ((1.0 - f * f).powf(size) - (1.0 - f).powf(size)) * classes;
        missed += (1.0 - f).powf(size) * classes;
        single += size * f * (1.0 - f).powf(size - 1.0) * classes;
    }
    sample.classes + sample.of_size(1) * (squared / missed_twice) * (missed / single).powi(2)
}

fn logistic(y: f64) -> f64 {
    1.0 / (1.0 + (-y).exp())
}

/// The logarithms of the two equations, as functions of ln α and ln(β/(1 − β)).
struct Equations {
    share: f64,
    /// c₁/K.
    one: f64,
    /// c₂/K.
    two: f64,
}

impl Equations {
    fn at(&self, at: [f64; 2]) -> Residuals {
        let rest = 1.0 - self.share;
        let (a, b) = (at[0].exp(), logistic(at[1]));
        let d = rest * (1.0 - b);
        let not = 1.0 - d;
        let odds = d / not;
        let twos = 2.0 - (1.0 - a) * d;
        let one = self.share.ln() + a * (b / not).ln() + (1.0 + a * odds).ln();
        let two = (self.share * self.share / 2.0).ln() + a.ln() + (1.0 - b).ln() + a * b.ln() - (a + 2.0) * not.ln()
            + twos.ln();
        let one_by_a = (b / not).ln() + odds / (1.0 + a * odds);
        let one_by_b = a * (1.0 / b - rest / not) - a * rest / (not * not * (1.0 + a * odds));
        let two_by_a = 1.0 / a + b.ln() - not.ln() + d / twos;
        let two_by_b = -1.0 / (1.0 - b) + a / b - (a + 2.0) * rest / not + (1.0 - a) * rest / twos;
        let by_y = b * (1.0 - b);
        Residuals {
            values: [one - self.one.ln(), two - self.two.ln()],
            slopes: [[a * one_by_a, by_y * one_by_b], [a * two_by_a, by_y * two_by_b]],
        }
    }
}
