//! The meaning of published cells, in the codes of the original.

use arrow_array::cast::AsArray;

use crate::encode::{Code, Domain, Sensitive, Span};
use crate::error::{Error, Result};
use crate::notation;
use crate::read::{Table, texts};
use crate::schema::{Form, Quasi};
use crate::verify::{Cell, CellReader, Meaning, Shape};

impl From<&Form> for Meaning {
    fn from(form: &Form) -> Self {
        match form {
            Form::Range(number, format, mark) => Meaning::Range(*number, format.clone(), *mark),
            Form::Ordered(order) => Meaning::Ordered(order.clone()),
            Form::Set => Meaning::Set,
            Form::Taxonomy(..) | Form::Suppress => Meaning::One,
        }
    }
}

/// A parser for the cells of a column.
pub(super) struct Reader<'a> {
    cells: CellReader<'a>,
    shape: &'a Shape,
}

impl<'a> Reader<'a> {
    /// A parser for the cells of a quasi-identifier in a release of this shape.
    pub(super) fn new(quasi: &Quasi, shape: &'a Shape) -> Self {
        Reader { cells: CellReader::new((&quasi.form).into(), std::iter::empty()), shape }
    }
}

/// Reads the cells of these rows in the column of a domain.
pub(super) fn cells<T: Copy>(
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

/// The closure of the values of a domain that a cell stands for. The cell may be published or original. `None` if the domain has no such
/// values.
pub fn closure(domain: &Domain, quasi: &Quasi, text: &str) -> Option<Span> {
    let reader = Reader::new(quasi, &Shape::Closures);
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
pub(super) fn span(domain: &Domain, reader: &Reader, text: &str) -> Option<Span> {
    // A star can also be the text of missing values. In a release of closures it always means everything.
    if text == notation::EVERYTHING && *reader.shape == Shape::Closures {
        return Some(domain.everything());
    }
    if let Some(code) = domain.code(text) {
        return Some(domain.span(code));
    }
    match reader.cells.read(text) {
        Cell::Everything => Some(domain.everything()),
        Cell::Between(lo, hi) => domain.between(&lo, &hi),
        Cell::Beyond(low, high) => {
            domain.within(low.as_deref(), high.as_ref().map(|(text, included)| (text.as_str(), *included)))
        }
        Cell::One(label) => domain.hierarchy()?.node(&label).map(|node| Span::range(node.lo, node.hi)),
        Cell::OneOf(members) => {
            let spans = members.iter().map(|m| domain.code(m).map(|code| domain.span(code)));
            let spans: Option<Vec<Span>> = spans.collect();
            spans?.into_iter().reduce(|a, b| domain.join(a, b))
        }
    }
}

/// The codes of the sensitive values of the published rows.
pub(super) fn codes(sensitive: &Sensitive, release: &Table) -> Result<Vec<Code>> {
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
