//! A release beside its original.

use std::sync::Arc;

use arrow_array::cast::AsArray;

use crate::cost;
use crate::encode::{Code, Domain, Encoded, Sensitive, Span};
use crate::error::{Error, Result};
use crate::notation;
use crate::problem::{Cluster, Histogram, Partition};
use crate::read::{Table, texts};
use crate::schema::Schema;
use crate::verify::{Cell, CellReader, Classes, Published, Shape};

/// What measures may look at.
#[derive(Debug)]
pub struct View {
    /// The original.
    pub encoded: Arc<Encoded>,
    /// What is published, by what looks the same. Records that were left out are a piece of their own, of which nothing is left.
    pub pieces: Vec<Piece>,
    /// The records that hide amidst each other.
    pub classes: Vec<Class>,
    /// The piece that each row of the original is published in, where that is known.
    pub piece_of: Option<Vec<u32>>,
    /// The piece of each published row; empty where there is no published table.
    pub looks: Vec<u32>,
    /// The value of the first sensitive column that stands beside each row of the original, where that need not be its own.
    pub shown: Option<Vec<Code>>,
    /// The k that was asked for, or is reached.
    pub k: usize,
    /// How quasi-identifiers are published.
    pub shape: Shape,
}

/// Published rows of one class that look the same.
#[derive(Debug)]
pub struct Piece {
    /// How many.
    pub size: usize,
    /// What is published of their quasi-identifiers.
    pub closure: Vec<Span>,
    /// Their class.
    pub class: u32,
}

/// Records that hide amidst each other.
#[derive(Debug)]
pub struct Class {
    /// How many.
    pub size: usize,
    /// How often each value of each sensitive column occurs among them.
    pub histograms: Vec<Histogram>,
}

impl View {
    /// A release in which all rows of a class look the same. `class_of` says which class each row of the original is in, where that is
    /// known.
    pub fn of_classes(
        encoded: &Arc<Encoded>,
        clusters: impl IntoIterator<Item = Cluster>,
        class_of: Option<Vec<u32>>,
        k: usize,
    ) -> Self {
        let (mut pieces, mut classes) = (Vec::new(), Vec::new());
        for (cluster, class) in clusters.into_iter().zip(0..) {
            let (size, closure) = (cluster.size(), cluster.closure().to_vec());
            classes.push(Class { size, histograms: cluster.histograms().to_vec() });
            pieces.push(Piece { size, closure, class });
        }
        View {
            encoded: encoded.clone(),
            pieces,
            classes,
            piece_of: class_of,
            looks: Vec::new(),
            shown: None,
            k,
            shape: Shape::Closures,
        }
    }

    /// Reads closures and sensitive values back from the cells of a release. `order` says which row of the original each
    /// published row comes from, where that is known.
    pub fn new(
        encoded: &Arc<Encoded>,
        schema: &Schema,
        release: &Published,
        order: Option<&[u32]>,
        k: usize,
    ) -> Result<Self> {
        let Published { table, classes, shape, .. } = release;
        let looks = match shape {
            Shape::Closures => None,
            Shape::Values => Some(Classes::within(table, classes, schema.quasi_names())?),
        };
        let looks = looks.as_ref().unwrap_or(classes);
        let mut pieces: Vec<Piece> = looks
            .sizes
            .iter()
            .zip(&looks.first)
            .map(|(size, first)| Piece { size: *size, closure: Vec::new(), class: classes.of_row[*first] })
            .collect();
        for (quasi, domain) in schema.quasi.iter().zip(encoded.domains()) {
            let reader = CellReader::new(quasi, std::iter::empty());
            let spans = spans(domain, &reader, table, &looks.first)?;
            pieces.iter_mut().zip(spans).for_each(|(piece, span)| piece.closure.push(span));
        }
        let sizes = classes.sizes.iter();
        let mut all: Vec<Class> = sizes.map(|size| Class { size: *size, histograms: Vec::new() }).collect();
        for sensitive in encoded.sensitive() {
            let counted = histogram(sensitive, table, classes)?;
            all.iter_mut().zip(counted).for_each(|(class, one)| class.histograms.push(one));
        }
        let piece_of = order.map(|order| {
            // Records that were left out are in the piece behind the others.
            let mut piece_of = vec![pieces.len() as u32; encoded.rows()];
            order.iter().zip(&looks.of_row).for_each(|(row, piece)| piece_of[*row as usize] = *piece);
            piece_of
        });
        if let Some(class) = left_out(encoded, table, &all)? {
            let closure = encoded.domains().iter().map(Domain::everything).collect();
            pieces.push(Piece { size: class.size, closure, class: all.len() as u32 });
            all.push(class);
        }
        let shown = order.map(|order| shown(encoded, release, order)).transpose()?.flatten();
        let (encoded, looks) = (encoded.clone(), looks.of_row.clone());
        Ok(View { encoded, pieces, classes: all, piece_of, looks, shown, k, shape: shape.clone() })
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
        View::of_classes(encoded, classes, Some(class_of), k)
    }

    /// The classes as clusters, where all rows of a class look the same.
    pub(super) fn clusters(&self) -> impl Iterator<Item = Cluster> {
        self.pieces.iter().map(|piece| {
            let class = &self.classes[piece.class as usize];
            Cluster::new(piece.size, piece.closure.clone(), class.histograms.clone())
        })
    }

    /// The share of the rows of a piece that has each sensitive value, as far as the release tells.
    pub fn shares(&self, piece: &Piece, sensitive: usize) -> impl Iterator<Item = (Code, f64)> {
        let class = &self.classes[piece.class as usize];
        class.histograms[sensitive].iter().map(|(code, times)| (code, f64::from(times) / class.size as f64))
    }

    /// Refuses measures that this form of release has no answer to.
    pub(super) fn admits(&self, measure: &str) -> Result<()> {
        let is_objective = cost::ALL.iter().any(|e| e.name == measure);
        let reason = match self.shape {
            Shape::Closures => None,
            Shape::Values if is_objective || measure.starts_with("pmi") => Some(
                "quasi-identifiers are published as they are; query, phi2, glp, re and classification compare forms",
            ),
            Shape::Values => None,
        };
        match reason {
            Some(reason) => Err(Error::NotApplicable { measure: measure.to_owned(), message: reason.to_owned() }),
            None => Ok(()),
        }
    }

    /// The piece of each row of the original, or the reason why `measure` must do without.
    pub(super) fn piece_of(&self, measure: &str) -> Result<&[u32]> {
        self.piece_of.as_deref().ok_or_else(|| Error::NotApplicable {
            measure: measure.to_owned(),
            message: "it is not known which published row comes from which record".to_owned(),
        })
    }
}

/// The value of the first sensitive column beside each row of the original, where it is not known to be its own.
fn shown(encoded: &Encoded, release: &Published, order: &[u32]) -> Result<Option<Vec<Code>>> {
    let Some(sensitive) = encoded.sensitive().first() else { return Ok(None) };
    if !release.mixed.iter().flatten().any(|column| column == sensitive.name()) {
        return Ok(None);
    }
    let mut shown: Vec<Code> = (0..encoded.rows() as u32).map(|row| sensitive.row(row)).collect();
    let published = codes(sensitive, &release.table)?;
    order.iter().zip(published).for_each(|(row, code)| shown[*row as usize] = code);
    Ok(Some(shown))
}

/// The records that the release lacks, if any.
fn left_out(encoded: &Encoded, release: &Table, classes: &[Class]) -> Result<Option<Class>> {
    let published: usize = classes.iter().map(|class| class.size).sum();
    let strange = || Error::Format {
        file: release.name().to_owned(),
        message: "it has records that the original lacks, so it cannot be measured against it".to_owned(),
    };
    let missing = encoded.rows().checked_sub(published).ok_or_else(strange)?;
    let mut histograms = Vec::new();
    for (s, sensitive) in encoded.sensitive().iter().enumerate() {
        let mut counts = vec![0_u32; sensitive.values().len()];
        (0..encoded.rows() as u32).for_each(|row| counts[sensitive.row(row) as usize] += 1);
        for (code, times) in classes.iter().flat_map(|class| class.histograms[s].iter()) {
            counts[code as usize] = counts[code as usize].checked_sub(times).ok_or_else(strange)?;
        }
        let mut histogram = Histogram::default();
        let rest = counts.iter().enumerate().filter(|(_, times)| **times > 0);
        rest.for_each(|(code, times)| histogram.add(code as u32, *times));
        histograms.push(histogram);
    }
    Ok((missing > 0).then_some(Class { size: missing, histograms }))
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
    let mut histograms = vec![Histogram::default(); classes.sizes.len()];
    let codes = codes(sensitive, release)?;
    classes.of_row.iter().zip(codes).for_each(|(class, code)| histograms[*class as usize].add(code, 1));
    Ok(histograms)
}

/// The sensitive values of the published rows.
fn codes(sensitive: &Sensitive, release: &Table) -> Result<Vec<Code>> {
    let name = sensitive.name();
    let texts = texts(release.column(name)?).map_err(|e| Error::column(name, &e))?;
    let by_key: Vec<_> = texts.values().as_string::<i32>().iter().map(|text| sensitive.code(text?)).collect();
    let null = sensitive.code("");
    let code = |(row, key): (usize, Option<i32>)| {
        key.map_or(null, |key| by_key[key as usize]).ok_or_else(|| {
            Error::column(name, &format!("row {} of `{}` has a value that the original lacks", row + 1, release.name()))
        })
    };
    texts.keys().iter().enumerate().map(code).collect()
}
