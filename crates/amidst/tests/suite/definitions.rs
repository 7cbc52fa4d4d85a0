//! Every objective against its definition, computed record by record from texts.

use amidst::internals::cost;
use amidst::internals::problem::Partition;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::naive::Naive;
use crate::tables::{Sketch, sketches, specs};

/// A table, and the cluster of each row.
struct Clustered<'a> {
    sketch: &'a Sketch,
    of: &'a [usize],
}

impl Clustered<'_> {
    fn rows(&self) -> std::ops::Range<usize> {
        0..self.sketch.rows()
    }

    fn naive(&self, column: usize) -> Naive<'_> {
        Naive { column: &self.sketch.columns[column], missing: self.sketch.missing }
    }

    /// The rows that are published like `row`.
    fn class(&self, row: usize) -> Vec<usize> {
        self.rows().filter(|r| self.of[*r] == self.of[row]).collect()
    }

    /// The values that the cell of `row` in `column` allows after publication.
    fn covered(&self, row: usize, column: usize) -> Vec<String> {
        let cells = &self.sketch.columns[column].cells;
        self.naive(column).closure(&self.class(row).iter().map(|r| cells[*r].as_str()).collect::<Vec<_>>())
    }

    fn sensitive(row: usize) -> usize {
        row % 3 // as the sketches write them
    }

    /// How many rows have one of `values` in `column`, and the sensitive value if one is given.
    fn count(&self, column: usize, values: &[String], sensitive: Option<usize>) -> f64 {
        let naive = self.naive(column);
        let has = |row: &usize| {
            let cell = &self.sketch.columns[column].cells[*row];
            values.iter().any(|v| naive.same(v, cell)) && sensitive.is_none_or(|s| Self::sensitive(*row) == s)
        };
        self.rows().filter(has).count() as f64
    }

    /// What the cell of a row costs by a measure that is a mean or a sum over cells.
    fn cell(&self, measure: &str, row: usize, column: usize) -> f64 {
        let naive = self.naive(column);
        let covered = self.covered(row, column);
        let own = [self.sketch.columns[column].cells[row].clone()];
        let all = |sensitive| self.count(column, &covered, sensitive);
        match measure {
            "lm" | "lm(numeric=range)" => naive.lm(&covered, true),
            "lm(numeric=values)" => naive.lm(&covered, false),
            "ncp" => naive.ncp(&covered),
            "height" | "byun" => naive.level(&covered, |level, height| level / height),
            "weighted-levels" => {
                naive.level(&covered, |level, height| level * (level + 1.0) / (height * (height + 1.0)))
            }
            "entropy" => {
                let shares = covered.iter().map(|v| self.count(column, std::slice::from_ref(v), None) / all(None));
                shares.filter(|p| *p > 0.0).map(|p| -p * p.log2()).sum()
            }
            "mi" => -(self.count(column, &own, None) / all(None)).log2(),
            "pmi" => {
                let s = Some(Self::sensitive(row));
                let before = self.count(column, &own, s) / self.count(column, &own, None);
                -(all(s) / all(None) / before).log2()
            }
            "wmi" => f64::midpoint(self.cell("mi", row, column), self.cell("pmi", row, column)),
            other => panic!("{other} has no definition here: write it down"),
        }
    }

    fn loss(&self, measure: &str) -> f64 {
        let rows = self.sketch.rows() as f64;
        let weight = |column: usize| self.sketch.columns[column].weight;
        let columns = 0..self.sketch.columns.len();
        // Nothing is left of a record; a column of one value has nothing to lose.
        let suppressed = |row: usize| {
            let mut columns = columns.clone().filter(|c| self.naive(*c).values().len() > 1).peekable();
            columns.peek().is_some() && columns.all(|c| self.covered(row, c).len() == self.naive(c).values().len())
        };
        match measure {
            "am" => {
                let ambiguity =
                    |row| columns.clone().map(|c| (self.covered(row, c).len() as f64).powf(weight(c))).product::<f64>();
                self.rows().map(ambiguity).sum::<f64>() / rows
            }
            "dm" => {
                let alike = |row| if suppressed(row) { rows } else { self.class(row).len() as f64 };
                self.rows().map(alike).sum()
            }
            "cm" => {
                // Of each class all but the most frequent value are penalized.
                let penalized = |row: usize| {
                    let class = self.class(row);
                    let times = |s: usize| class.iter().filter(|r| Self::sensitive(**r) == s).count();
                    let most = (0..3).map(times).max().unwrap();
                    if suppressed(row) { 1.0 } else { 1.0 - most as f64 / class.len() as f64 }
                };
                self.rows().map(penalized).sum::<f64>() / rows
            }
            cells => {
                let sum: f64 = self
                    .rows()
                    .map(|row| columns.clone().map(|c| weight(c) * self.cell(cells, row, c)).sum::<f64>())
                    .sum();
                let weights: f64 = columns.clone().map(weight).sum();
                if matches!(cells, "byun" | "weighted-levels") { sum } else { sum / weights / rows }
            }
        }
    }
}

proptest! {
    #[test]
    fn a_partition_costs_what_the_definition_says(sketch in sketches(2..=12_usize), of in vec(0..4_usize, 12)) {
        let loaded = sketch.load();
        let clustered = Clustered { sketch: &sketch, of: &of[..sketch.rows()] };
        let members = |cluster: usize| clustered.rows().filter(|r| of[*r] == cluster).map(|r| r as u32).collect::<Vec<_>>();
        let partition = Partition::new(sketch.rows(), (0..4).map(members).filter(|c| !c.is_empty())).unwrap();
        for spec in specs(cost::ALL) {
            let loss = loaded.problem(&spec, 2).unwrap().loss(&partition);
            let expected = clustered.loss(spec.as_str().trim_end_matches("()"));
            prop_assert!((loss - expected).abs() < 1e-9 * expected.abs().max(1.0), "{} is {}, not {}", spec, loss, expected);
        }
    }
}
