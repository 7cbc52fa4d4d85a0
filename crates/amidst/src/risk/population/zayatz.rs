//! Zayatz: as if the population had classes of the same sizes as the sample.
//!
//! Of a class of j people in a population of N, a sample of n holds exactly one with the hypergeometric probability
//!
//! ```text
//! h(j) = j · C(N − j, n − 1) / C(N, n) = j · n/N · ∏ (N − n − i + 1)/(N − i),  i = 1 … j − 1
//! ```
//!
//! With the sample's shares cⱼ/u in place of the unknown ones of the population, Bayes' rule tells how likely a class of one in the sample is a
//! class of one in the population, P = c₁ h(1) / Σ cⱼ h(j). There are c₁ P such records in the sample, so c₁ P / (n/N) in the population.
//!
//! Zayatz, "Estimation of the number of unique population elements using a sample", Proceedings of the Survey Research Methods Section, American
//! Statistical Association (1991). Samples have smaller classes than their population, so it says too many for small samples.

use super::Sample;

/// How many people are alone in the population.
pub(super) fn uniques(sample: &Sample) -> f64 {
    let Sample { records, people, .. } = *sample;
    let fraction = records / people;
    let mut one_of = fraction; // h(j) / j of the size that was reached
    let mut reached = 1;
    let mut sum = 0.0;
    for (size, classes) in sample.sizes {
        while reached < *size && one_of > 0.0 {
            let i = reached as f64;
            one_of *= ((people - records - i + 1.0) / (people - i)).max(0.0);
            reached += 1;
        }
        sum += *classes as f64 * *size as f64 * one_of;
    }
    let alone = sample.of_size(1);
    alone * (alone * fraction / sum) / fraction
}
