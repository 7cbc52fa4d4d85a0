//! A release beside its original.

use std::sync::Arc;

use arrow_array::cast::AsArray;

use super::Suspects;
use super::slices::Slices;
use crate::cost;
use crate::encode::{Code, Domain, Encoded, Sensitive, Span};
use crate::error::{Error, Result};
use crate::notation;
use crate::problem::{Cluster, Histogram, Partition};
use crate::read::{Table, texts};
use crate::schema::{Form, Quasi, Schema};
use crate::verify::{self, Cell, CellReader, Classes, Meaning, Published, Shape};

/// The measures that look at the sizes or sensitive values of classes.
const OF_CLASSES: &[&str] = &["dm", "cm", "pmi", "wmi", "pmi-l2", "pmi-linf", "c-avg"];

/// What measures may look at.
#[derive(Debug)]
pub struct View {
    /// The original.
    pub encoded: Arc<Encoded>,
    /// What is published, by what looks the same. Records that were left out are a piece of their own, of which nothing is left.
    pub pieces: Vec<Piece>,
    /// The records that hide amidst each other. In rings nobody hides with the same others as anybody else; there every row
    /// is a class of its own, and [suspects](Self::suspects) tell who hides amidst whom.
    pub classes: Vec<Class>,
    /// The piece that each row of the original is published in, where that is known.
    pub piece_of: Option<Vec<u32>>,
    /// The piece of each published row; empty where there is no published table.
    pub looks: Vec<u32>,
    /// The value of the first sensitive column that stands beside each row of the original, where that need not be its own.
    #[cfg_attr(not(feature = "classification"), allow(dead_code))]
    pub shown: Option<Vec<Code>>,
    /// For each quasi-identifier of which one value stands for a class where that stands, by piece.
    pub points: Vec<Option<Vec<Option<f64>>>>,
    /// The rows that each record may be in, where those are not the rows of a class and it is known.
    pub suspects: Option<Suspects>,
    /// The k that was asked for, or is reached.
    pub k: usize,
    /// How quasi-identifiers are published.
    pub shape: Shape,
    /// The sets of quasi-identifiers that belong together, where not all of a row do.
    pub slices: Option<Slices>,
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
    /// The sensitive values that stand beside them, where those tell more about them than about others of their class.
    pub shown: Vec<Code>,
}

/// Records that hide amidst each other.
#[derive(Debug)]
pub struct Class {
    /// How many.
    pub size: usize,
    /// How often each value of each sensitive column occurs among them.
    pub histograms: Vec<Histogram>,
    /// The weight of the sensitive value that stands beside a row in what may be believed of it; the rest is on the shares of the class.
    pub kept: f64,
}

impl Class {
    /// The share of each value of a sensitive column.
    pub(super) fn shares(&self, sensitive: usize) -> impl Iterator<Item = (Code, f64)> {
        self.histograms[sensitive].iter().map(|(code, times)| (code, f64::from(times) / self.size as f64))
    }
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
            classes.push(Class { size, histograms: cluster.histograms().to_vec(), kept: 0.0 });
            pieces.push(Piece { size, closure, class, shown: Vec::new() });
        }
        View { piece_of: class_of, ..View::bare(encoded, pieces, classes, k, Shape::Closures) }
    }

    /// A view of which no more is known than this.
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

    /// Reads closures and sensitive values back from the cells of a release. `order` says which row of the original each
    /// published row comes from, where that is known.
    pub fn new(
        encoded: &Arc<Encoded>,
        schema: &Schema,
        release: &Published,
        order: Option<&[u32]>,
        k: usize,
    ) -> Result<Self> {
        let Published { table, classes, shape, retention, .. } = release;
        // Where values are kept by chance, those that stand beside a row say something about it.
        let telling = schema.sensitive.iter().filter(|_| retention.is_some()).map(|column| column.name.as_str());
        let looks = match shape {
            Shape::Closures | Shape::Centres => None,
            Shape::Values | Shape::Slices(_) => {
                Some(Classes::within(table, classes, schema.quasi_names().chain(telling))?)
            }
            Shape::Ring(_) => Some(each_alone(table.rows())),
        };
        let looks = looks.as_ref().unwrap_or(classes);
        // Whoever reads a ring takes every row at its word.
        let classes = if matches!(shape, Shape::Ring(_)) { looks } else { classes };
        let mut pieces: Vec<Piece> = looks
            .sizes
            .iter()
            .zip(&looks.first)
            .map(|(size, first)| {
                let class = classes.of_row[*first];
                Piece { size: *size, closure: Vec::new(), class, shown: Vec::new() }
            })
            .collect();
        let mut points = Vec::new();
        for (quasi, domain) in schema.quasi.iter().zip(encoded.domains()) {
            if release.centres.iter().any(|(name, _)| *name == quasi.name) {
                let nearest = cells(domain, table, &looks.first, |text| {
                    let (code, point) = domain.nearest(text)?;
                    Some((domain.span(code), point))
                })?;
                points.push(Some(nearest.iter().map(|(_, point)| *point).collect()));
                pieces.iter_mut().zip(nearest).for_each(|(piece, (span, _))| piece.closure.push(span));
            } else {
                let reader = Reader { cells: CellReader::new((&quasi.form).into(), std::iter::empty()), shape };
                let spans = cells(domain, table, &looks.first, |text| span(domain, &reader, text))?;
                points.push(None);
                pieces.iter_mut().zip(spans).for_each(|(piece, span)| piece.closure.push(span));
            }
        }
        let sizes = classes.sizes.iter();
        let kept = |size: usize| retention.map_or(0.0, |p| verify::kept(p, size));
        let class = |size: &usize| Class { size: *size, histograms: Vec::new(), kept: kept(*size) };
        let mut all: Vec<Class> = sizes.map(class).collect();
        for sensitive in encoded.sensitive() {
            let codes = codes(sensitive, table)?;
            let counted = histogram(&codes, classes);
            all.iter_mut().zip(counted).for_each(|(class, one)| class.histograms.push(one));
            if retention.is_some() {
                pieces.iter_mut().zip(&looks.first).for_each(|(piece, row)| piece.shown.push(codes[*row]));
            }
        }
        let piece_of = order.map(|order| {
            // Records that were left out are in the piece behind the others.
            let mut piece_of = vec![pieces.len() as u32; encoded.rows()];
            order.iter().zip(&looks.of_row).for_each(|(row, piece)| piece_of[*row as usize] = *piece);
            piece_of
        });
        if let Some(class) = left_out(encoded, table, &all)? {
            let closure = encoded.domains().iter().map(Domain::everything).collect();
            pieces.push(Piece { size: class.size, closure, class: all.len() as u32, shown: Vec::new() });
            all.push(class);
        }
        let shown = order.map(|order| shown(encoded, release, order)).transpose()?.flatten();
        let slices = match shape {
            Shape::Slices(sets) => {
                let place = |name: &String| schema.quasi.iter().position(|quasi| quasi.name == *name);
                let sets = sets.iter().map(|set| set.iter().filter_map(place).collect()).collect();
                let left_out = (all.len() > classes.sizes.len()).then_some(classes.sizes.len() as u32);
                Some(Slices::new(sets, &pieces, left_out))
            }
            _ => None,
        };
        let looks = looks.of_row.clone();
        let bare = View::bare(encoded, pieces, all, k, shape.clone());
        let mut view = View { piece_of, looks, shown, points, slices, ..bare };
        if let (Shape::Ring(rings), Some(order), false) = (&release.shape, order, view.encoded.sensitive().is_empty()) {
            view.suspects = Suspects::new(&view, &release.classes, rings, order);
        }
        Ok(view)
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

    /// The pieces that were published, without the one of records that were left out.
    pub fn published(&self) -> &[Piece] {
        let are_missing = !self.looks.is_empty() && self.looks.len() < self.encoded.rows();
        &self.pieces[..self.pieces.len() - usize::from(are_missing)]
    }

    /// True when the release does not tell which values of these two quasi-identifiers belong together within a class.
    pub(super) fn are_apart(&self, a: usize, b: usize) -> bool {
        let slice = |column: usize| self.slices.as_ref()?.sets.iter().position(|set| set.columns.contains(&column));
        slice(a) != slice(b)
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
        let (kept, shown) = (class.kept, piece.shown.get(sensitive).copied());
        let of_own = move |code: Code| if Some(code) == shown { kept } else { 0.0 };
        class.shares(sensitive).map(move |(code, share)| (code, of_own(code) + (1.0 - kept) * share))
    }

    /// Refuses measures that this form of release has no answer to.
    pub(super) fn admits(&self, measure: &str) -> Result<()> {
        let is_objective = cost::ALL.iter().any(|e| e.name == measure);
        let reason = match self.shape {
            Shape::Centres if is_objective || measure.starts_with("pmi") || measure == "kl" => Some(
                "one value stands for a class, and how far its values lie apart is not told; sse, query, phi2, glp, re and \
                 classification compare forms",
            ),
            Shape::Values | Shape::Slices(_) if measure == "sse" => Some("quasi-identifiers are published as they are"),
            Shape::Values | Shape::Slices(_) if is_objective || measure.starts_with("pmi") => Some(
                "quasi-identifiers are published as they are; query, phi2, glp, re and classification compare forms",
            ),
            Shape::Ring(_) if OF_CLASSES.contains(&measure) => Some(
                "in a ring every row has a closure of its own, so there are no classes; lm, ncp, query, phi2, glp and re \
                 compare forms",
            ),
            _ => None,
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

/// Every row as a class of its own.
fn each_alone(rows: usize) -> Classes {
    Classes { of_row: (0..rows as u32).collect(), sizes: vec![1; rows], first: (0..rows).collect() }
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
    Ok((missing > 0).then_some(Class { size: missing, histograms, kept: 0.0 }))
}

impl From<&Form> for Meaning {
    fn from(form: &Form) -> Self {
        match form {
            Form::Range(number, format) => Meaning::Range(*number, format.clone()),
            Form::Ordered(order) => Meaning::Ordered(order.clone()),
            Form::Set => Meaning::Set,
            Form::Taxonomy(..) | Form::Suppress => Meaning::One,
        }
    }
}

/// How the cells of a column are read.
struct Reader<'a> {
    cells: CellReader<'a>,
    shape: &'a Shape,
}

/// What the cells in a column of these rows say, as `read` understands them.
fn cells<T: Copy>(
    domain: &Domain,
    release: &Table,
    rows: &[usize],
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>> {
    let texts = texts(release.column(domain.name())?).map_err(|e| Error::column(domain.name(), &e))?;
    let cells = texts.values().as_string::<i32>();
    let known: Vec<Option<T>> = cells.iter().map(|text| read(text?)).collect();
    let null = read("");
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

/// The closure of the values of a domain that a cell stands for, published or original; none where the domain has no such values.
pub fn closure(domain: &Domain, quasi: &Quasi, text: &str) -> Option<Span> {
    let reader = Reader { cells: CellReader::new((&quasi.form).into(), std::iter::empty()), shape: &Shape::Closures };
    let whole = || span(domain, &reader, text);
    let known = || match reader.cells.read(text) {
        Cell::OneOf(members) => {
            let spans = members.iter().filter_map(|member| Some(domain.span(domain.code(member)?)));
            spans.reduce(|a, b| domain.join(a, b))
        }
        _ => None,
    };
    whole().or_else(known).map(|span| domain.close(span))
}

/// The closure that a published cell stands for.
fn span(domain: &Domain, reader: &Reader, text: &str) -> Option<Span> {
    // First, because a star can also be the text of missing values; a reader of closures cannot tell the two apart.
    if text == notation::EVERYTHING && *reader.shape == Shape::Closures {
        return Some(domain.everything());
    }
    if let Some(code) = domain.code(text) {
        return Some(domain.span(code));
    }
    match reader.cells.read(text) {
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
fn histogram(codes: &[Code], classes: &Classes) -> Vec<Histogram> {
    let mut histograms = vec![Histogram::default(); classes.sizes.len()];
    classes.of_row.iter().zip(codes).for_each(|(class, code)| histograms[*class as usize].add(*code, 1));
    histograms
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
