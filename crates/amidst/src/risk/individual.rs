//! The expected risk of a class of s records if the table is a sample with the share π of a population.
//!
//! The number F of people of the population who fit the class is not known. Assume that each person is in the table with probability π. Then
//! the number of people up to the s-th who is in the table is negative binomial, P(F = h) = C(h − 1, s − 1) πˢ (1 − π)ʰ⁻ˢ. The risk is the
//! mean of 1/F. With 1/F = ∫₀¹ tᶠ⁻¹ dt, the generating function of F, and the substitution w = πt / (1 − (1 − π) t), it is
//!
//! ```text
//! r(s) = ∫₀¹ π wˢ⁻¹ / (π + (1 − π) w) dw        r(1) = π/(1 − π) · ln(1/π)        r(s + 1) = π/(1 − π) · (1/s − r(s))
//! ```
//!
//! The formula is by Benedetti and Franconi, "Statistical and technological solutions for controlled data dissemination" (1998). μ-ARGUS and
//! sdcMicro call it individual risk. It depends on s and π only, so it expects the share π of the records that are alone in the table to be
//! alone in the population. That is too few if quasi-identifiers make people very different. So that share comes from the
//! [models](super::population) if they have an answer. Then r(1) is composed of two parts: 1 for the records that are alone in the
//! population, and the expectation over all others.
//!
//! Complexity: O(s) for all sizes up to s.

/// The expected risk of a class of each size from 0 to `largest`.
pub(super) fn risks(share: f64, largest: usize) -> Vec<f64> {
    let rest = 1.0 - share;
    let mut risks = vec![1.0; largest.max(1) + 1];
    if share > 0.5 {
        (1..=largest).for_each(|size| risks[size] = series(share, size));
        return risks;
    }
    // The recurrence is stable: each step multiplies an error by π/(1 − π), which is at most 1 here.
    let odds = share / rest;
    risks[1] = odds * -share.ln();
    for size in 1..largest {
        risks[size + 1] = odds * (1.0 / size as f64 - risks[size]);
    }
    risks
}

/// The expected risk of a class of one if the share `alone` of these classes is alone in the population. `risk` is the risk by π alone.
pub(super) fn of_one(risk: f64, share: f64, alone: f64) -> f64 {
    let others = (risk - share) / (1.0 - share);
    alone + (1.0 - alone) * others
}

/// r(s) by the geometric series π Σ (1 − π)ᵐ B(s, m + 1), from π + (1 − π) w = 1 − (1 − π)(1 − w). Each term is less than half of the one
/// before.
fn series(share: f64, size: usize) -> f64 {
    let rest = 1.0 - share;
    let (mut sum, mut term) = (0.0, share / size as f64);
    let mut m = 1.0;
    while term > sum * f64::EPSILON {
        sum += term;
        term *= rest * m / (size as f64 + m);
        m += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Σ P(F = h) / h, term by term.
    fn by_definition(share: f64, size: usize) -> f64 {
        let mut probability = share.powi(size as i32);
        let mut sum = 0.0;
        for h in size..200_000 {
            sum += probability / h as f64;
            probability *= (1.0 - share) * h as f64 / (h + 1 - size) as f64;
        }
        sum
    }

    #[test]
    fn the_mean_of_one_over_the_people_who_fit() {
        for share in [0.001, 0.05, 0.3, 0.5, 0.500_1, 0.9] {
            let risks = risks(share, 12);
            for (size, risk) in risks.iter().enumerate().skip(1) {
                let expected = by_definition(share, size);
                assert!((risk / expected - 1.0).abs() < 1e-9, "{share} {size}: {risk} {expected}");
            }
        }
    }

    #[test]
    fn a_whole_population_is_the_prosecutor() {
        let risks = risks(1.0, 5);
        (1..=5).for_each(|size| assert!((risks[size] - 1.0 / size as f64).abs() < 1e-15));
    }
}
