//! Zayatz's model: the population has classes of the same sizes as the sample.
//!
//! A sample of n records has exactly one of a class of j people, in a population of N, with the hypergeometric probability
//!
//! ```text
//! h(j) = j · C(N − j, n − 1) / C(N, n) = j · n/N · ∏ (N − n − i + 1)/(N − i),  i = 1 … j − 1
//! ```
//!
//! The model uses the shares cⱼ/u of the sample instead of the unknown shares of the population. By Bayes' rule, a class of one in the sample
//! is a class of one in the population with probability P = c₁ h(1) / Σ cⱼ h(j). The sample has c₁ P such records, so the population has
//! c₁ P / (n/N).
//!
//! A sample has smaller classes than its population, so the estimate is too high for small samples.
//!
//! Complexity: O(s) for a largest class of s records.
//!
//! Zayatz, "Estimation of the number of unique population elements using a sample", Proceedings of the Survey Research Methods Section, American
//! Statistical Association (1991).

use super::Sample;

/// Estimates the number of people who are alone in the population.
pub(super) fn uniques(sample: &Sample) -> f64 {
    let Sample { records, people, .. } = *sample;
    let fraction = records / people;
    let mut one_of = fraction; // h(j) / j for the size `reached`
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
