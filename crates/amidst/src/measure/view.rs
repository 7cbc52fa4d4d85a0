//! What measures and attacks see of a release, beside its original.
//!
//! A release consists of *pieces*, rows that look the same, and of *classes*, records that hide among each other. In a generalization each
//! class is one piece. If quasi-identifiers are published unchanged, a class has many pieces. In a ring each row is a piece and a class of
//! its own. Records that were left out are one more class, of which nothing is published, so leaving out records is never free.

use std::sync::Arc;

use super::cells::{Reader, cells, codes, span};
use super::slices::Slices;
use super::{Needs, Suspects};
use crate::encode::{Code, Domain, Encoded, Span};
use crate::error::{Error, Result};
use crate::problem::{Cluster, Histogram, Partition};
use crate::read::Table;
use crate::schema::Schema;
use crate::verify::{self, Classes, Published, Shape};

/// What measures and attacks see of a release.
#[derive(Debug)]
pub struct View {
    /// The original.
    pub encoded: Arc<Encoded>,
    /// The published rows, by what looks the same. Records that were left out are one more piece, with everything as its closure.
    pub pieces: Vec<Piece>,
    /// The classes: records that hide among each other. In rings, each row is a class of its own, and [suspects](Self::suspects) has the rows
    /// that a record hides among.
    pub classes: Vec<Class>,
    /// The piece of each row of the original, if it is known.
    pub piece_of: Option<Vec<u32>>,
    /// The piece of each published row; empty if there is no published table.
    pub looks: Vec<u32>,
    /// The value of the first sensitive column that is published beside each row of the original, if it need not be its own.
    #[cfg_attr(not(feature = "classification"), allow(dead_code))]
    pub shown: Option<Vec<Code>>,
    /// The position of the published value in each piece, for each quasi-identifier that is published by centres.
    pub points: Vec<Option<Vec<Option<f64>>>>,
    /// The rows that each record may be in, if these are not the rows of a class and are known.
    pub suspects: Option<Suspects>,
    /// The required k, or the k that is reached.
    pub k: usize,
    /// How quasi-identifiers are published.
    pub shape: Shape,
    /// The sets of quasi-identifiers whose values belong together, in sliced releases.
    pub slices: Option<Slices>,
}

/// Published rows of one class that look the same.
#[derive(Debug)]
pub struct Piece {
    /// The number of rows.
    pub size: usize,
    /// The closure of each quasi-identifier.
    pub closure: Vec<Span>,
    /// The class of the rows.
    pub class: u32,
    /// The sensitive values beside the rows, if they say more about these rows than about others of the class.
    pub shown: Vec<Code>,
}

/// Records that hide among each other.
#[derive(Debug)]
pub struct Class {
    /// The number of records.
    pub size: usize,
    /// The counts of the values of each sensitive column.
    pub histograms: Vec<Histogram>,
    /// The weight of the sensitive value beside a row in the posterior of its record. The rest of the weight is on the shares of the class.
    pub kept: f64,
}

impl Class {
    /// The share of each value of a sensitive column.
    pub(super) fn shares(&self, sensitive: usize) -> impl Iterator<Item = (Code, f64)> {
        self.histograms[sensitive].iter().map(|(code, times)| (code, f64::from(times) / self.size as f64))
    }
}

impl View {
    /// A release in which all rows of a class look the same. `class_of` has the class of each row of the original, if it is known.
    pub fn of_classes(
        encoded: &Arc<Encoded>,
        clusters: impl IntoIterator<Item = Cluster>,
        class_of: Option<Vec<u32>>,
        k: usize,
    ) -> Self {
        let (mut pieces, mut classes) = (Vec::new(), Vec::new());
        for (cluster, class) in clusters.into_iter().zip(0..) {
            let (size, closure) = (cluster.size(), cluster.closure().to_vec());
            classes.push(Class { size, histograms: cluster.histograms().to_vec(), kept: 0.0 });
            pieces.push(Piece { size, closure, class, shown: Vec::new() });
        }
        View { piece_of: class_of, ..View::bare(encoded, pieces, classes, k, Shape::Closures) }
    }

    /// A view with nothing but pieces and classes.
    pub(super) fn bare(
        encoded: &Arc<Encoded>,
        pieces: Vec<Piece>,
        classes: Vec<Class>,
        k: usize,
        shape: Shape,
    ) -> Self {
        View {
            encoded: encoded.clone(),
            pieces,
            classes,
            piece_of: None,
            looks: Vec::new(),
            shown: None,
            points: vec![None; encoded.domains().len()],
            suspects: None,
            slices: None,
            k,
            shape,
        }
    }

    /// Reads closures and sensitive values back from the cells of a release. If it is known, `order` has the row of the original that each
    /// published row comes from.
    pub fn new(
        encoded: &Arc<Encoded>,
        schema: &Schema,
        release: &Published,
        order: Option<&[u32]>,
        k: usize,
    ) -> Result<Self> {
        let looks = looks(schema, release)?;
        let looks = looks.as_ref().unwrap_or(&release.classes);
        // A reader of a ring takes each row as a class of its own.
        let classes = if matches!(release.shape, Shape::Ring(_)) { looks } else { &release.classes };
        let mut pieces = pieces(looks, classes);
        let points = read_closures(encoded, schema, release, looks, &mut pieces)?;
        let mut all = read_classes(encoded, release, looks, classes, &mut pieces)?;
        let piece_of = order.map(|order| {
            // Records that were left out are in the piece after all others.
            let mut piece_of = vec![pieces.len() as u32; encoded.rows()];
            order.iter().zip(&looks.of_row).for_each(|(row, piece)| piece_of[*row as usize] = *piece);
            piece_of
        });
        if let Some(class) = left_out(encoded, &release.table, &all)? {
            let closure = encoded.domains().iter().map(Domain::everything).collect();
            pieces.push(Piece { size: class.size, closure, class: all.len() as u32, shown: Vec::new() });
            all.push(class);
        }
        let shown = order.map(|order| shown(encoded, release, order)).transpose()?.flatten();
        let left_out = (all.len() > classes.sizes.len()).then_some(classes.sizes.len() as u32);
        let slices = slices(schema, &release.shape, &pieces, left_out);
        let bare = View::bare(encoded, pieces, all, k, release.shape.clone());
        let mut view = View { piece_of, looks: looks.of_row.clone(), shown, points, slices, ..bare };
        if let (Shape::Ring(rings), Some(order), false) = (&release.shape, order, view.encoded.sensitive().is_empty()) {
            view.suspects = Suspects::new(&view, &release.classes, rings, order);
        }
        Ok(view)
    }

    /// What a generalization of a partition would show.
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
            let at_level = |(span, domain): (Span, &Domain)| domain.at_level(span, partition.level(domain.name()));
            let closure = match closure {
                Some(closure) if rows != left_out => closure.into_iter().zip(encoded.domains()).map(at_level).collect(),
                _ => everything(),
            };
            classes.push(Cluster::new(rows.len(), closure, histograms));
        }
        View::of_classes(encoded, classes, Some(class_of), k)
    }

    /// The pieces that were published, without the one of records that were left out.
    pub fn published(&self) -> &[Piece] {
        let are_missing = !self.looks.is_empty() && self.looks.len() < self.encoded.rows();
        &self.pieces[..self.pieces.len() - usize::from(are_missing)]
    }

    /// Whether the release hides which values of these two quasi-identifiers belong together within a class.
    pub(super) fn are_apart(&self, a: usize, b: usize) -> bool {
        let slice = |column: usize| self.slices.as_ref()?.sets.iter().position(|set| set.columns.contains(&column));
        slice(a) != slice(b)
    }

    /// The pieces as clusters, with the sensitive values of their classes.
    pub(super) fn clusters(&self) -> impl Iterator<Item = Cluster> {
        self.pieces.iter().map(|piece| self.cluster(piece))
    }

    /// A piece as a cluster.
    pub(super) fn cluster(&self, piece: &Piece) -> Cluster {
        let class = &self.classes[piece.class as usize];
        Cluster::new(piece.size, piece.closure.clone(), class.histograms.clone())
    }

    /// The probability of each sensitive value for the rows of a piece, according to the release.
    pub fn shares(&self, piece: &Piece, sensitive: usize) -> impl Iterator<Item = (Code, f64)> {
        let class = &self.classes[piece.class as usize];
        let (kept, shown) = (class.kept, piece.shown.get(sensitive).copied());
        let of_own = move |code: Code| if Some(code) == shown { kept } else { 0.0 };
        class.shares(sensitive).map(move |(code, share)| (code, of_own(code) + (1.0 - kept) * share))
    }

    /// Refuses a measure that needs what this form of release does not show.
    pub(super) fn admits(&self, measure: &str, needs: Needs) -> Result<()> {
        let reason = match self.shape {
            Shape::Centres if needs.spread => {
                "one value is published for each class, so it is not known how far the values of a class lie apart; sse, query, phi2, \
                 glp, re and classification compare forms"
            }
            Shape::Values | Shape::Slices(_) if needs.generalized => {
                "quasi-identifiers are published unchanged; query, phi2, glp, re and classification compare forms"
            }
            Shape::Ring(_) if needs.classes => {
                "in a ring each row has its own closure, so there are no classes; lm, ncp, query, phi2, glp and re compare forms"
            }
            _ => return Ok(()),
        };
        Err(Error::NotApplicable { measure: measure.to_owned(), message: reason.to_owned() })
    }

    /// The piece of each row of the original, or an error that names the measure.
    pub(super) fn piece_of(&self, measure: &str) -> Result<&[u32]> {
        self.piece_of.as_deref().ok_or_else(|| Error::NotApplicable {
            measure: measure.to_owned(),
            message: "it is not known which published row comes from which record".to_owned(),
        })
    }
}

/// The rows that look the same, if these are not the classes.
fn looks(schema: &Schema, release: &Published) -> Result<Option<Classes>> {
    let Published { table, classes, shape, retention, .. } = release;
    // If values are kept by chance, the values beside a row say something about its record.
    let telling = schema.sensitive.iter().filter(|_| retention.is_some()).map(|column| column.name.as_str());
    Ok(match shape {
        Shape::Closures | Shape::Centres => None,
        Shape::Values | Shape::Slices(_) => Some(Classes::within(table, classes, schema.quasi_names().chain(telling))?),
        Shape::Ring(_) => Some(each_alone(table.rows())),
    })
}

/// The pieces of a release, before their cells are read.
fn pieces(looks: &Classes, classes: &Classes) -> Vec<Piece> {
    let piece = |(size, first): (&usize, &usize)| {
        let class = classes.of_row[*first];
        Piece { size: *size, closure: Vec::new(), class, shown: Vec::new() }
    };
    looks.sizes.iter().zip(&looks.first).map(piece).collect()
}

/// Reads the closures of the pieces. Returns the [points](View::points) of the columns that are published by centres.
fn read_closures(
    encoded: &Encoded,
    schema: &Schema,
    release: &Published,
    looks: &Classes,
    pieces: &mut [Piece],
) -> Result<Vec<Option<Vec<Option<f64>>>>> {
    let mut points = Vec::new();
    for (quasi, domain) in schema.quasi.iter().zip(encoded.domains()) {
        if release.centres.iter().any(|(name, _)| *name == quasi.name) {
            let nearest = cells(domain, &release.table, &looks.first, |text| {
                let (code, point) = domain.nearest(text)?;
                Some((domain.span(code), point))
            })?;
            points.push(Some(nearest.iter().map(|(_, point)| *point).collect()));
            pieces.iter_mut().zip(nearest).for_each(|(piece, (span, _))| piece.closure.push(span));
        } else {
            let reader = Reader::new(quasi, &release.shape);
            let spans = cells(domain, &release.table, &looks.first, |text| span(domain, &reader, text))?;
            points.push(None);
            pieces.iter_mut().zip(spans).for_each(|(piece, span)| piece.closure.push(span));
        }
    }
    Ok(points)
}

/// Reads the sensitive values of the classes, and those beside the rows of the pieces if they say something about them.
fn read_classes(
    encoded: &Encoded,
    release: &Published,
    looks: &Classes,
    classes: &Classes,
    pieces: &mut [Piece],
) -> Result<Vec<Class>> {
    let kept = |size: usize| release.retention.map_or(0.0, |p| verify::kept(p, size));
    let class = |size: &usize| Class { size: *size, histograms: Vec::new(), kept: kept(*size) };
    let mut all: Vec<Class> = classes.sizes.iter().map(class).collect();
    for sensitive in encoded.sensitive() {
        let codes = codes(sensitive, &release.table)?;
        let counted = histogram(&codes, classes);
        all.iter_mut().zip(counted).for_each(|(class, one)| class.histograms.push(one));
        if release.retention.is_some() {
            pieces.iter_mut().zip(&looks.first).for_each(|(piece, row)| piece.shown.push(codes[*row]));
        }
    }
    Ok(all)
}

/// The sets of columns of a sliced release.
fn slices(schema: &Schema, shape: &Shape, pieces: &[Piece], left_out: Option<u32>) -> Option<Slices> {
    let Shape::Slices(sets) = shape else { return None };
    let place = |name: &String| schema.quasi.iter().position(|quasi| quasi.name == *name);
    let sets = sets.iter().map(|set| set.iter().filter_map(place).collect()).collect();
    Some(Slices::new(sets, pieces, left_out))
}

/// Each row as a class of its own.
fn each_alone(rows: usize) -> Classes {
    Classes { of_row: (0..rows as u32).collect(), sizes: vec![1; rows], first: (0..rows).collect() }
}

/// The published value of the first sensitive column beside each row of the original, if it need not be the record's own.
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

/// The records that the release leaves out, as a class; `None` if there are none.
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
    Ok((missing > 0).then_some(Class { size: missing, histograms, kept: 0.0 }))
}

/// The counts of the sensitive values in each class.
fn histogram(codes: &[Code], classes: &Classes) -> Vec<Histogram> {
    // Sorted by class first, because the histograms of many classes are all over the memory.
    let start = |end: &mut usize, size: &usize| Some(std::mem::replace(end, *end + size));
    let mut next: Vec<usize> = classes.sizes.iter().scan(0, start).collect();
    let mut by_class = vec![0; codes.len()];
    for (class, code) in classes.of_row.iter().zip(codes) {
        let place = &mut next[*class as usize];
        by_class[*place] = *code;
        *place += 1;
    }
    next.iter().zip(&classes.sizes).map(|(end, size)| Histogram::of(by_class[end - size..*end].to_vec())).collect()
}
