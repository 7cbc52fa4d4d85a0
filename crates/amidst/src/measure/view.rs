//! A release beside its original.

use std::sync::Arc;

use arrow_array::cast::AsArray;

use crate::encode::{Domain, Encoded, Sensitive, Span};
use crate::error::{Error, Result};
use crate::notation;
use crate::problem::{Cluster, Histogram, Partition};
use crate::read::{Table, texts};
use crate::schema::Schema;
use crate::verify::{Cell, CellReader, Classes};

/// What measures may look at.
#[derive(Debug)]
pub struct View {
    /// The original.
    pub encoded: Arc<Encoded>,
    /// The classes of the release, as far as it tells: size, closure, sensitive values. Records that were left out are
    /// a class of their own, of which nothing is left.
    pub classes: Vec<Cluster>,
    /// The class that each row of the original went to, where that is known.
    pub class_of: Option<Vec<u32>>,
    /// The k that was asked for, or is reached.
    pub k: usize,
}

impl View {
    /// Reads the closures back from the cells of a generalized table. `order` says which row of the original each
    /// published row comes from, where that is known.
    pub fn new(
        encoded: &Arc<Encoded>,
        schema: &Schema,
        release: &Table,
        classes: &Classes,
        order: Option<&[u32]>,
        k: usize,
    ) -> Result<Self> {
        let mut closures: Vec<Vec<Span>> = vec![Vec::new(); classes.sizes.len()];
        for (quasi, domain) in schema.quasi.iter().zip(encoded.domains()) {
            let reader = CellReader::new(quasi, std::iter::empty());
            let spans = spans(domain, &reader, release, &classes.first)?;
            closures.iter_mut().zip(spans).for_each(|(closure, span)| closure.push(span));
        }
        let mut histograms: Vec<Vec<Histogram>> = vec![Vec::new(); classes.sizes.len()];
        for sensitive in encoded.sensitive() {
            let counted = histogram(sensitive, release, classes)?;
            histograms.iter_mut().zip(counted).for_each(|(all, one)| all.push(one));
        }
        let classes_of_rows = order.map(|order| {
            // Records that were left out are in the class behind the others.
            let mut class_of = vec![classes.sizes.len() as u32; encoded.rows()];
            order.iter().zip(&classes.of_row).for_each(|(row, class)| class_of[*row as usize] = *class);
            class_of
        });
        let states = classes.sizes.iter().zip(closures).zip(histograms);
        let mut classes: Vec<Cluster> =
            states.map(|((size, closure), histograms)| Cluster::new(*size, closure, histograms)).collect();
        classes.extend(left_out(encoded, release, &classes)?);
        Ok(View { encoded: encoded.clone(), classes, class_of: classes_of_rows, k })
    }

    /// What the generalization of a partition would show.
    pub fn of(encoded: &Arc<Encoded>, partition: &Partition, k: usize) -> Self {
        let mut class_of = vec![0; encoded.rows()];
        let mut classes = Vec::with_capacity(partition.len());
        let left_out = partition.suppressed();
        for rows in partition.clusters().chain((!left_out.is_empty()).then_some(left_out)) {
            let mut histograms = vec![Histogram::default(); encoded.sensitive().len()];
            let mut closure: Option<Vec<Span>> = None;
            for row in rows {
                class_of[*row as usize] = classes.len() as u32;
                let spans = encoded.domains().iter().zip(encoded.row(*row)).map(|(d, code)| d.span(*code));
                closure = Some(match closure {
                    None => spans.collect(),
                    Some(old) => {
                        old.iter().zip(spans).zip(encoded.domains()).map(|((a, b), d)| d.join(*a, b)).collect()
                    }
                });
                histograms.iter_mut().zip(encoded.sensitive()).for_each(|(h, s)| h.add(s.row(*row), 1));
            }
            let everything = || encoded.domains().iter().map(Domain::everything).collect();
            let closure = if rows == left_out { everything() } else { closure.unwrap_or_default() };
            classes.push(Cluster::new(rows.len(), closure, histograms));
        }
        View { encoded: encoded.clone(), classes, class_of: Some(class_of), k }
    }

    /// The class of each row of the original, or the reason why `measure` must do without.
    pub(super) fn class_of(&self, measure: &str) -> Result<&[u32]> {
        self.class_of.as_deref().ok_or_else(|| Error::NotApplicable {
            measure: measure.to_owned(),
            message: "it is not known which published row comes from which record".to_owned(),
        })
    }
}

/// The records that the release lacks, if any.
fn left_out(encoded: &Encoded, release: &Table, classes: &[Cluster]) -> Result<Option<Cluster>> {
    let published: usize = classes.iter().map(Cluster::size).sum();
    let strange = || Error::Format {
        file: release.name().to_owned(),
        message: "it has records that the original lacks, so it cannot be measured against it".to_owned(),
    };
    let missing = encoded.rows().checked_sub(published).ok_or_else(strange)?;
    let mut histograms = Vec::new();
    for (s, sensitive) in encoded.sensitive().iter().enumerate() {
        let mut counts = vec![0_u32; sensitive.values().len()];
        (0..encoded.rows() as u32).for_each(|row| counts[sensitive.row(row) as usize] += 1);
        for (code, times) in classes.iter().flat_map(|class| class.histograms()[s].iter()) {
            counts[code as usize] = counts[code as usize].checked_sub(times).ok_or_else(strange)?;
        }
        let mut histogram = Histogram::default();
        let rest = counts.iter().enumerate().filter(|(_, times)| **times > 0);
        rest.for_each(|(code, times)| histogram.add(code as u32, *times));
        histograms.push(histogram);
    }
    let closure = encoded.domains().iter().map(Domain::everything).collect();
    Ok((missing > 0).then(|| Cluster::new(missing, closure, histograms)))
}

/// The closures in a column of these rows.
fn spans(domain: &Domain, reader: &CellReader, release: &Table, rows: &[usize]) -> Result<Vec<Span>> {
    let texts = texts(release.column(domain.name())?).map_err(|e| Error::column(domain.name(), &e))?;
    let cells = texts.values().as_string::<i32>();
    let known: Vec<Option<Span>> = cells.iter().map(|text| span(domain, reader, text?)).collect();
    let null = span(domain, reader, "");
    rows.iter()
        .map(|&row| {
            let (text, span) = match texts.key(row) {
                Some(key) => (cells.value(key), known[key]),
                None => ("", null),
            };
            span.ok_or_else(|| {
                let message = format!(
                    "`{text}` in row {} of `{}` cannot be read as a generalized value of the original",
                    row + 1,
                    release.name()
                );
                Error::column(domain.name(), &message)
            })
        })
        .collect()
}

/// The closure that a published cell stands for.
fn span(domain: &Domain, reader: &CellReader, text: &str) -> Option<Span> {
    // First, because a star can also be the text of missing values; a reader cannot tell the two apart.
    if text == notation::EVERYTHING {
        return Some(domain.everything());
    }
    if let Some(code) = domain.code(text) {
        return Some(domain.span(code));
    }
    match reader.read(text) {
        Cell::Everything => Some(domain.everything()),
        Cell::Between(lo, hi) => domain.between(&lo, &hi),
        Cell::One(label) => domain.hierarchy()?.node(&label).map(|node| Span::range(node.lo, node.hi)),
        Cell::OneOf(members) => {
            let spans = members.iter().map(|m| domain.code(m).map(|code| domain.span(code)));
            let spans: Option<Vec<Span>> = spans.collect();
            spans?.into_iter().reduce(|a, b| domain.join(a, b))
        }
    }
}

/// How often each sensitive value occurs in each class.
fn histogram(sensitive: &Sensitive, release: &Table, classes: &Classes) -> Result<Vec<Histogram>> {
    let name = sensitive.name();
    let texts = texts(release.column(name)?).map_err(|e| Error::column(name, &e))?;
    let by_key: Vec<_> = texts.values().as_string::<i32>().iter().map(|text| sensitive.code(text?)).collect();
    let mut histograms = vec![Histogram::default(); classes.sizes.len()];
    for (row, class) in classes.of_row.iter().enumerate() {
        let code = match texts.key(row) {
            Some(key) => by_key[key],
            None => sensitive.code(""),
        };
        let code = code.ok_or_else(|| {
            Error::column(name, &format!("row {} of `{}` has a value that the original lacks", row + 1, release.name()))
        })?;
        histograms[*class as usize].add(code, 1);
    }
    Ok(histograms)
}
