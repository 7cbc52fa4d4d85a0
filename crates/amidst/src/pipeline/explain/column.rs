//! A column of a release: how much it loses, where, and what other choices would bring.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::About;
use crate::cost;
use crate::encode::{Domain, Numbers, Span};
use crate::error::{Error, Result};
use crate::measure::View;
use crate::pipeline::dataset::Dataset;
use crate::pipeline::published::Matched;
use crate::pipeline::trial::{Sample, leave_out, most_rows};
use crate::plan::{CalendarUnit, Column, InlineTree, Kind, Plan, Role, Spec, Tree};
use crate::progress::Progress;
use crate::report::bins;
use crate::report::explanation::{ColumnExplained, Trials, Tried, ValueLoss, WideCell, WidthCount};
use crate::verify::Widths;

/// The most rows that other choices are tried on.
const MOST_ROWS: usize = 20_000;
/// The most cells and values that are named.
const MOST_NAMED: usize = 5;
/// The widths that divide the cells: single values, up to a twentieth of the domain, …, any value.
const BOUNDS: &[f64] = &[0.0, 0.05, 0.1, 0.25, 0.5, 0.999_999, 1.0];
/// The most values of a set.
const SET_LIMIT: usize = crate::schema::guess::SET_LIMIT;

impl About<'_> {
    /// Explains a quasi-identifier.
    pub(super) fn column(&self, name: &str, progress: Progress) -> Result<ColumnExplained> {
        let shown = self.shown.columns.iter().find(|column| column.name == name);
        let Some(shown) = shown else {
            let quasi: Vec<&str> = self.plan.columns_with(Role::Quasi).collect();
            return Err(Error::unknown_name("quasi-identifier", name, &quasi));
        };
        let rows = self.release.table.rows();
        let lost = |column: &super::Column| column.weight * column.loss;
        let sum: f64 = self.shown.columns.iter().map(lost).sum();
        let width = |row: usize| shown.widths.as_ref().map_or(0.0, |widths| widths.of(row));
        let widths: Vec<f64> = (0..rows).map(width).collect();
        let (values, trials) = match self.matched {
            Some(matched) => (values(matched, self, name)?, Some(trials(&matched.data, name, progress)?)),
            None => (Vec::new(), None),
        };
        Ok(ColumnExplained {
            column: name.to_owned(),
            kind: self.plan.columns[name].kind,
            loss: shown.loss,
            share: if sum > 0.0 { lost(shown) / sum } else { 0.0 },
            columns: self.shown.columns.len(),
            everything: widths.iter().filter(|width| **width >= 1.0).count(),
            single: widths.iter().filter(|width| **width <= 0.0).count(),
            widths: histogram(&widths),
            widest: match &shown.widths {
                Some(widths) => self.widest(name, widths)?,
                None => Vec::new(),
            },
            values,
            trials,
        })
    }

    /// The cells that lose most, all their rows together. None of fewer than k rows is named.
    fn widest(&self, name: &str, widths: &Widths) -> Result<Vec<WideCell>> {
        let table = &self.release.table;
        let all: Vec<usize> = (0..table.rows()).collect();
        let mut cells: FxHashMap<String, (usize, f64)> = FxHashMap::default();
        for (row, cell) in table.cells(name, &all)?.into_iter().enumerate() {
            let (rows, width) = cells.entry(cell).or_default();
            (*rows, *width) = (*rows + 1, widths.of(row));
        }
        let cell = |(cell, (rows, width))| WideCell { cell, rows, width };
        let mut cells: Vec<WideCell> = cells.into_iter().map(cell).collect();
        cells.retain(|cell| cell.rows >= self.plan.privacy.k && cell.width > 0.0);
        let lost = |cell: &WideCell| cell.width * cell.rows as f64;
        cells.sort_by(|a, b| lost(b).total_cmp(&lost(a)).then_with(|| a.cell.cmp(&b.cell)));
        cells.truncate(MOST_NAMED);
        Ok(cells)
    }
}

/// How many rows have a cell of which width. Widths that no row has at either end are left out.
fn histogram(widths: &[f64]) -> Vec<WidthCount> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    let place = |width: f64| BOUNDS.iter().position(|to| width <= *to).unwrap_or(BOUNDS.len() - 1);
    widths.iter().for_each(|width| *counts.entry(place(*width)).or_default() += 1);
    let (first, last) = (counts.keys().next().copied(), counts.keys().next_back().copied());
    let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
    let count = |place: usize| WidthCount {
        above: place.checked_sub(1).map_or(0.0, |below| BOUNDS[below]),
        to: BOUNDS[place],
        rows: counts.get(&place).copied().unwrap_or(0),
    };
    (first..=last).map(count).collect()
}

/// The values of the original whose rows lose most. None with fewer than k rows is named.
fn values(matched: &Matched, about: &About, name: &str) -> Result<Vec<ValueLoss>> {
    let encoded = &matched.data.encoded;
    let place = encoded.domains().iter().position(|domain| domain.name() == name);
    let (Some(place), Some(rows), true) = (place, matched.rows(), about.shown.has_widths()) else {
        return Ok(Vec::new());
    };
    let (domain, k) = (&encoded.domains()[place], about.plan.privacy.k.max(2));
    let lm = cost::build(&Spec::new("lm"), encoded)?;
    let view: View = matched.view(about.release, k)?;
    let mut counts = vec![(0, 0); domain.len()];
    let mut lost = vec![0.0; domain.len()];
    for (row, look) in rows.iter().zip(&view.looks) {
        let code = encoded.row(*row)[place] as usize;
        counts[code].0 += 1;
        lost[code] += lm.cell(place, view.pieces[*look as usize].closure[place]);
    }
    let mut values = Vec::new();
    for (from, to, (rows, _)) in bins(domain, &counts, encoded.rows()) {
        if rows >= k {
            let span = if from == to { domain.span(from) } else { Span::range(from, to) };
            let value = domain.text(domain.close(span)).unwrap_or_default();
            let width = lost[from as usize..=to as usize].iter().sum::<f64>() / rows as f64;
            values.push(ValueLoss { value, rows, width });
        }
    }
    values.sort_by(|a, b| b.width.total_cmp(&a.width).then_with(|| a.value.cmp(&b.value)));
    values.retain(|value| value.width > 0.0);
    values.truncate(MOST_NAMED);
    Ok(values)
}

/// Tries what else could be done with a column.
fn trials(data: &Dataset, name: &str, progress: Progress) -> Result<Trials> {
    let sample = Sample::new(data, most_rows(&data.plan, MOST_ROWS))?;
    let several = data.encoded.domains().len() > 1;
    let mut tried = Vec::new();
    for (choice, column) in choices(data, name) {
        let change = |plan: &mut Plan| match &column {
            Some(column) => drop(plan.columns.insert(name.to_owned(), column.clone())),
            None => leave_out(plan, name),
        };
        match sample.quickly(change, progress) {
            Ok(trial) => {
                tried.push(Tried { choice, column: trial.of(name), others: several.then(|| trial.others(name)) });
            }
            Err(e @ Error::Interrupted) => return Err(e),
            Err(_) => {} // this choice is none for these values
        }
    }
    Ok(Trials { rows: sample.rows(), of: data.table.rows(), tried })
}

/// The column as it is, and what else it could be; `None` is to leave it out.
fn choices(data: &Dataset, name: &str) -> Vec<(String, Option<Column>)> {
    let Some(domain) = data.encoded.domains().iter().find(|domain| domain.name() == name) else { return Vec::new() };
    let now = data.plan.columns[name].clone();
    let mut choices = vec![("as it is".to_owned(), Some(now.clone()))];
    let bare = Column { weight: now.weight, ..Column::with_role(Role::Quasi) };
    let of_kind = |kind: Kind| Column { kind: Some(kind), ..bare.clone() };
    let tree = |tree: InlineTree| Column {
        hierarchy: Some(Tree::Inline(tree)),
        format: now.format.clone(),
        ..of_kind(Kind::Taxonomy)
    };
    match (now.kind, domain.numbers()) {
        (Some(Kind::Range), Some(Numbers::Date(..))) => {
            choices
                .push(("coarser: only the year".to_owned(), Some(tree(InlineTree::Dates(vec![CalendarUnit::Year])))));
        }
        (Some(Kind::Range), Some(_)) => {
            if let Some(width) = step(domain) {
                let choice = format!("coarser: in steps of {width}");
                choices.push((choice, Some(tree(InlineTree::Widths(vec![width])))));
            }
        }
        _ => {
            choices.push(("as a range, if these are numbers or dates".to_owned(), Some(of_kind(Kind::Range))));
        }
    }
    if now.kind != Some(Kind::Set) && domain.len() <= SET_LIMIT {
        choices.push(("as a set".to_owned(), Some(of_kind(Kind::Set))));
    }
    if now.kind == Some(Kind::Suppress) {
        let longest = domain.codes(domain.everything()).filter_map(|code| domain.text(domain.span(code)));
        let longest = longest.map(|text| text.chars().count()).max().unwrap_or(1).clamp(2, MOST_MASKED);
        let masks = InlineTree::Mask((1..longest as u32).collect());
        choices.push(("as codes, masked from the right".to_owned(), Some(tree(masks))));
    }
    choices.push(("left out".to_owned(), None));
    choices
}

/// The most letters that are masked.
const MOST_MASKED: usize = 12;

/// A round number of which about ten make the extent of a column of numbers.
fn step(domain: &Domain) -> Option<f64> {
    let positions = domain.codes(domain.everything()).filter_map(|code| domain.position(code));
    let (low, high) = positions.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    let tenth = (high - low) / 10.0;
    if !(tenth.is_finite() && tenth > 0.0) {
        return None;
    }
    let power = 10_f64.powf(tenth.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| *step >= tenth)?;
    Some(round)
}
