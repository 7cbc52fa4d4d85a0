//! PMI with other norms than the mean over the columns: `pmi-l2` and `pmi-linf`.
//!
//! I_j is the mutual information of column j and the sensitive value. It is combined over the r columns as max I_j (ℓ∞) or √(Σ I_j²)/r (ℓ2).
//! The loss is the figure of the original minus that of the release, in bits. These norms are not sums over clusters, so they cannot be an
//! objective. With several sensitive columns, the loss is the mean over them.
//!
//! Complexity: O(c r d) for c classes and d different sensitive values in a class.
//!
//! Goldberger and Tassa, "Efficient anonymizations with enhanced utility", Transactions on Data Privacy 2010, equations 15 and 16.
//!
//! # Example
//!
//! ```text
//! amidst measure adult.csv.gz release.csv --plan release.plan.toml --measures pmi-l2,pmi-linf
//! ```

use super::{Build, Figure, Needs, Score, View};
use crate::cost::Pmi;
use crate::error::Result;
use crate::progress::Progress;
use crate::registry::Entry;

pub(super) const L2: Entry<Build> = Entry {
    name: "pmi-l2",
    about: "pmi with the columns combined by the Euclidean norm, in bits",
    paper: "Goldberger and Tassa, Transactions on Data Privacy 2010, equation 16",
    params: &[],
    build: Build {
        quick: false,
        needs: Needs::CLUSTERS,
        make: |_| Box::new(Norm(|i| i.iter().map(|x| x * x).sum::<f64>().sqrt() / i.len() as f64)),
    },
};

pub(super) const LINF: Entry<Build> = Entry {
    name: "pmi-linf",
    about: "pmi of the column that says most about the sensitive value, in bits",
    paper: "Goldberger and Tassa, Transactions on Data Privacy 2010, equation 15",
    params: &[],
    build: Build {
        quick: false,
        needs: Needs::CLUSTERS,
        make: |_| Box::new(Norm(|i| i.iter().copied().fold(f64::NEG_INFINITY, f64::max))),
    },
};

struct Norm(fn(&[f64]) -> f64);

impl Score for Norm {
    fn score(&self, view: &View, _progress: Progress) -> Result<Figure> {
        let encoded = &view.encoded;
        let pmi = Pmi::new(encoded)?;
        let rows = encoded.rows() as f64;
        let clusters: Vec<_> = view.clusters().collect();
        let mut loss = 0.0;
        for (s, sensitive) in encoded.sensitive().iter().enumerate() {
            let mut counts = vec![0.0; sensitive.values().len()];
            (0..encoded.rows() as u32).for_each(|row| counts[sensitive.row(row) as usize] += 1.0);
            let entropy: f64 = counts.iter().filter(|c| **c > 0.0).map(|c: &f64| -c / rows * (c / rows).log2()).sum();
            let columns = 0..encoded.domains().len();
            let original = columns.clone().map(|column| entropy - pmi.records_bits(s, column) / rows);
            let release = columns.clone().map(|column| {
                let bits: f64 = clusters.iter().map(|class| pmi.cluster_bits(s, column, class)).sum();
                entropy - bits / rows
            });
            loss += (self.0)(&original.collect::<Vec<_>>()) - (self.0)(&release.collect::<Vec<_>>());
        }
        Ok(Figure::One(loss / encoded.sensitive().len() as f64))
    }
}
