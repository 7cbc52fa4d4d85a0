//! How useful a release still is, judged from the original and the release alone.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use indexmap::IndexMap;

use crate::cost;
use crate::encode::{Domain, Encoded, Span};
use crate::error::{Error, Result};
use crate::notation;
use crate::problem::Cluster;
use crate::read::{Table, texts};
use crate::registry::Spec;
use crate::schema::Schema;
use crate::verify::{Cell, CellReader, Classes};

/// The loss of a release by every measure, by the measure's name.
pub type Loss = IndexMap<&'static str, f64>;

/// The loss by every measure. The closures are read back from the cells of the release.
pub fn loss(encoded: &Arc<Encoded>, schema: &Schema, release: &Table, classes: &Classes) -> Result<Loss> {
    let mut closures: Vec<Vec<Span>> = vec![Vec::new(); classes.sizes.len()];
    for (quasi, domain) in schema.quasi.iter().zip(encoded.domains()) {
        let texts = texts(release.column(&quasi.name)?).map_err(|e| Error::column(&quasi.name, &e))?;
        let reader = CellReader::new(quasi, std::iter::empty());
        let cells = texts.values().as_string::<i32>();
        let spans: Vec<Option<Span>> = cells.iter().flatten().map(|text| span(domain, &reader, text)).collect();
        for (closure, first) in closures.iter_mut().zip(&classes.first) {
            let (text, span) = if texts.is_null(*first) {
                ("", span(domain, &reader, ""))
            } else {
                let key = texts.keys().value(*first) as usize;
                (cells.value(key), spans[key])
            };
            closure.push(span.ok_or_else(|| {
                Error::column(
                    &quasi.name,
                    &format!(
                        "`{text}` in row {} of `{}` cannot be read as a generalized value of the original",
                        first + 1,
                        release.name()
                    ),
                )
            })?);
        }
    }
    let clusters: Vec<Cluster> =
        closures.into_iter().zip(&classes.sizes).map(|(closure, size)| Cluster::new(*size, closure)).collect();
    cost::ALL
        .iter()
        .map(|entry| {
            let measure = cost::build(&Spec::new(entry.name), encoded)?;
            let sum: f64 = clusters.iter().map(|c| measure.cluster(c)).sum();
            Ok((entry.name, sum / release.rows() as f64))
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
