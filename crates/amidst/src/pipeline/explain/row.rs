//! A row of a release: its class, its cells, and what makes them wide.

use super::About;
use crate::cost;
use crate::encode::{Code, Domain, Span};
use crate::error::{Error, Result};
use crate::pipeline::published::Matched;
use crate::pipeline::trial::{mean, split};
use crate::plan::{Role, Spec, ValueModel};
use crate::progress::Progress;
use crate::report::Promise;
use crate::report::explanation::{CellExplained, Forced, Narrower, RowExplained};
use crate::verify::{self, Audit, Shape, Widths, pseudonyms};

/// The most rows of a class that are tried with a smaller k.
const MOST_TRIED: usize = 5_000;

/// What stands for a missing value that has no text.
const MISSING: &str = "(missing)";

/// What a cell must get narrower by, so that a value is the reason for its width.
const LEAST: f64 = 1e-9;

impl About<'_> {
    /// Explains a row, counted from 1.
    pub(super) fn row(&self, row: usize, progress: Progress) -> Result<RowExplained> {
        let (release, rows) = (self.release, self.release.table.rows());
        let place = row.checked_sub(1).filter(|place| *place < rows);
        let place = place.ok_or_else(|| Error::NoRow { file: release.table.name().to_owned(), row, rows })?;
        let class = release.classes.of_row[place];
        let whose = self.whose()?;
        let audit = Audit::of_class(release, self.plan, class, whose.as_deref())?;
        let mut cells = self.cells(place, class)?;
        let weighed = |cell: &CellExplained| (self.weight(&cell.column), cell.width.unwrap_or(0.0));
        let loss = self.shown.has_widths().then(|| mean(cells.iter().map(weighed)));
        let sum: f64 = cells.iter().map(weighed).map(|(weight, width)| weight * width).sum();
        for cell in &mut cells {
            let (weight, width) = weighed(cell);
            cell.share = cell.width.filter(|_| sum > 0.0).map(|_| weight * width / sum);
        }
        cells.sort_by(|a, b| b.share.unwrap_or(0.0).total_cmp(&a.share.unwrap_or(0.0)));
        let narrower = match loss {
            Some(loss) if loss > 0.0 => self.narrower(class, &audit, progress)?,
            _ => None,
        };
        Ok(RowExplained {
            row,
            class_rows: release.classes.sizes[class as usize],
            class_persons: audit.people.as_ref().map(|people| people.persons),
            promises: self.promises(&audit)?,
            loss,
            cells,
            narrower,
        })
    }

    /// What is required of a class. What only the whole release shows is left out.
    fn promises(&self, audit: &Audit) -> Result<Vec<Promise>> {
        let mut promises = Promise::all(audit, self.plan)?;
        promises.retain(|promise| !promise.asked.starts_with("household-k"));
        Ok(promises)
    }

    /// Whose each row of the release is, if that is known.
    fn whose(&self) -> Result<Option<Vec<u32>>> {
        if let Some(whose) = pseudonyms(self.release, self.plan)? {
            return Ok(Some(whose));
        }
        let Some((matched, rows)) = self.matched.and_then(|matched| Some((matched, matched.rows()?))) else {
            return Ok(None);
        };
        let of_records = verify::persons(matched.anew(), self.plan)?;
        Ok(of_records.map(|of| rows.iter().map(|row| of[*row as usize]).collect()))
    }

    fn weight(&self, column: &str) -> f64 {
        self.shown.columns.iter().find(|shown| shown.name == column).map_or(1.0, |shown| shown.weight)
    }

    fn cells(&self, place: usize, class: u32) -> Result<Vec<CellExplained>> {
        let forced = match self.matched {
            Some(matched) if self.release.shape == Shape::Closures => forced(matched, &self.members(class))?,
            _ => Vec::new(),
        };
        let cell = |column: &super::Column| {
            let text = self.release.table.cells(&column.name, &[place])?.pop().unwrap_or_default();
            let width = column.widths.as_ref().map(|widths: &Widths| widths.of(place));
            let of_column = forced.iter().find(|(name, ..)| *name == column.name);
            let (width, forced_by) = match of_column {
                // The original says more exactly what share of its values a cell covers.
                Some((_, width, forced)) => (Some(*width), forced.clone()),
                None => (width, None),
            };
            Ok(CellExplained { column: column.name.clone(), cell: text, width, share: None, forced_by })
        };
        self.shown.columns.iter().map(cell).collect()
    }

    /// The rows of the original that a class is made of, if they are known.
    fn members(&self, class: u32) -> Vec<u32> {
        let rows = self.matched.and_then(Matched::rows).unwrap_or_default();
        let of_class = self.release.classes.of_row.iter().zip(rows).filter(|(of, _)| **of == class);
        of_class.map(|(_, row)| *row).collect()
    }

    /// The largest k by which the rows of a class could be two classes, and what a quick run finds by it.
    fn narrower(&self, class: u32, audit: &Audit, progress: Progress) -> Result<Option<Narrower>> {
        let k = audit.achieved.k.min(self.plan.privacy.k.max(2) * 2 - 1) / 2;
        if k < 2 || audit.windows.is_some() {
            return Ok(None);
        }
        let members = self.members(class);
        let (mut classes, mut loss) = (None, None);
        if let Some(matched) = self.matched.filter(|_| members.len() <= MOST_TRIED && !self.compares()) {
            match split(&matched.data, &members, k, progress) {
                Ok((found, of_found)) if found > 1 => (classes, loss) = (Some(found), Some(of_found)),
                Err(e @ Error::Interrupted) => return Err(e),
                Ok(_) | Err(_) => return Ok(None),
            }
        }
        Ok(Some(Narrower { k, classes, loss }))
    }

    /// Whether a model compares classes with the whole table, of which the rows of a class say nothing.
    fn compares(&self) -> bool {
        let models = |column: &str| self.plan.models_of(column).unwrap_or_default();
        let alone = |model: ValueModel| {
            use ValueModel::{AlphaK, DistinctL, EntropyL, FrequencyL, RecursiveL};
            matches!(model, DistinctL { .. } | FrequencyL { .. } | EntropyL { .. } | RecursiveL { .. } | AlphaK { .. })
        };
        self.plan.columns_with(Role::Sensitive).any(|column| models(column).into_iter().any(|(_, model)| !alone(model)))
    }
}

/// For each quasi-identifier of the original: its name, the width of the cell that covers these rows, and the value that makes it so wide.
fn forced(matched: &Matched, members: &[u32]) -> Result<Vec<(String, f64, Option<Forced>)>> {
    let encoded = &matched.data.encoded;
    let lm = cost::build(&Spec::new("lm"), encoded)?;
    let of_column = |(column, domain): (usize, &Domain)| {
        let mut codes: Vec<Code> = members.iter().map(|row| encoded.row(*row)[column]).collect();
        codes.sort_unstable();
        let counts: Vec<(Code, usize)> = codes.chunk_by(|a, b| a == b).map(|alike| (alike[0], alike.len())).collect();
        let width = |span: Span| lm.cell(column, span);
        let all = joined(domain, counts.iter().map(|(code, _)| *code));
        let forced = (counts.len() > 1).then(|| narrowest(domain, &counts, width)).flatten();
        let width = all.map_or(0.0, width);
        // Where any value can be left out and nothing changes, none is the reason.
        (domain.name().to_owned(), width, forced.filter(|forced| forced.width_without < width - LEAST))
    };
    Ok(encoded.domains().iter().enumerate().map(of_column).collect())
}

/// The closure of some values.
fn joined(domain: &Domain, codes: impl Iterator<Item = Code>) -> Option<Span> {
    codes.map(|code| domain.span(code)).reduce(|a, b| domain.join(a, b)).map(|span| domain.close(span))
}

/// The value without which a cell would be narrowest.
fn narrowest(domain: &Domain, counts: &[(Code, usize)], width: impl Fn(Span) -> f64) -> Option<Forced> {
    // What comes before each value, and what comes after it, joined.
    let join = |a: Option<Span>, b: Option<Span>| match (a, b) {
        (Some(a), Some(b)) => Some(domain.join(a, b)),
        (a, b) => a.or(b),
    };
    let spans: Vec<Span> = counts.iter().map(|(code, _)| domain.span(*code)).collect();
    let mut after = vec![None; spans.len() + 1];
    (0..spans.len()).rev().for_each(|place| after[place] = join(Some(spans[place]), after[place + 1]));
    let mut before = None;
    let mut best: Option<(f64, usize, Span)> = None;
    for place in 0..spans.len() {
        let rest = join(before, after[place + 1]).map(|span| domain.close(span))?;
        let lost = width(rest);
        // Of equal ones the value of the fewest rows, which is the easiest to do without.
        let order = |(lost, place, _): (f64, usize, Span)| (lost, counts[place].1);
        if best.is_none_or(|best| (lost, counts[place].1) < order(best)) {
            best = Some((lost, place, rest));
        }
        before = join(before, Some(spans[place]));
    }
    let (width_without, place, rest) = best?;
    let (code, rows) = counts[place];
    let text = |span: Span| domain.text(span).unwrap_or_else(|| MISSING.to_owned());
    let (value, without) = (text(domain.close(domain.span(code))), text(rest));
    Some(Forced { values: counts.len(), value, rows, without, width_without })
}
