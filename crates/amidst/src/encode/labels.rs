//! The labels of a column whose values are not numbers.

use rustc_hash::FxHashMap;

use super::Code;

/// Labels by code, and codes by label.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    pub(super) labels: Vec<String>,
    pub(super) codes: FxHashMap<String, Code>,
}

impl Labels {
    pub(super) fn new(labels: Vec<String>) -> Self {
        let codes = labels.iter().enumerate().map(|(i, l)| (l.clone(), i as Code)).collect();
        Labels { labels, codes }
    }
}
