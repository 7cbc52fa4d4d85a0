//! The cells of a quasi-identifier in a release.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Float64Array, Int64Array, StringArray, StructArray, UInt32Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};
use arrow_select::take::take;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::encode::{Code, Domain, Numbers, Span};
use crate::error::{Error, Result};
use crate::notation::BOUNDS;
use crate::plan::Show;
use crate::problem::{Partition, Problem};

/// The clusters of a release, and the cluster of each published row.
pub(super) struct Shown<'a> {
    problem: &'a Problem,
    partition: &'a Partition,
    clusters: Vec<&'a [u32]>,
    /// The closed closures of the columns of each cluster, one cluster after the other.
    closures: Vec<Span>,
    published: UInt32Array,
}

impl<'a> Shown<'a> {
    /// The clusters of a partition. `published` is the cluster of each published row.
    pub fn new(problem: &'a Problem, partition: &'a Partition, published: Vec<u32>) -> Self {
        let clusters: Vec<&[u32]> = partition.clusters().collect();
        let (encoded, domains) = (&problem.encoded, problem.encoded.domains());
        let levels: Vec<u32> = domains.iter().map(|domain| partition.level(domain.name())).collect();
        let mut closures: Vec<Span> = domains.iter().map(Domain::everything).collect::<Vec<_>>().repeat(clusters.len());
        // All columns at once, because the codes of a row are beside each other.
        closures.par_chunks_mut(domains.len().max(1)).zip(&clusters).for_each(|(closure, rows)| {
            for (place, row) in rows.iter().enumerate() {
                for ((span, domain), code) in closure.iter_mut().zip(domains).zip(encoded.row(*row)) {
                    let own = domain.span(*code);
                    *span = if place == 0 { own } else { domain.join(*span, own) };
                }
            }
            for ((span, domain), level) in closure.iter_mut().zip(domains).zip(&levels) {
                *span = domain.close(domain.at_level(*span, *level));
            }
        });
        Shown { problem, partition, clusters, closures, published: published.into() }
    }

    /// The columns as which a quasi-identifier is published.
    pub fn columns(&self, column: usize, show: Show, nested: bool) -> Result<Vec<(String, ArrayRef)>> {
        let domain = &self.problem.encoded.domains()[column];
        let level = self.partition.level(domain.name());
        let width = self.problem.encoded.domains().len();
        let closures = || self.closures.iter().skip(column).step_by(width).copied();
        let name = domain.name();
        let one = |array: ArrayRef| -> Result<_> { Ok(vec![(name.to_owned(), self.spread(name, &array)?)]) };
        match show {
            Show::Cell if nested => one(nest(domain, level, closures())),
            Show::Cell => one(spelled(name, closures(), |span| domain.text_at(span, level))?),
            Show::Bounds => {
                let (lo, hi) = bounds(domain, &closures().collect::<Vec<_>>())?;
                let ends = BOUNDS.iter().zip([lo, hi]);
                ends.map(|(end, array)| Ok((format!("{name}{end}"), self.spread(name, &array)?))).collect()
            }
            Show::Middle | Show::Mean => {
                let Some(numbers) = domain.numbers() else { return Err(Error::column(name, "it has no numbers")) };
                let centre = |rows: &&[u32]| {
                    let codes = rows.iter().map(|row| self.problem.encoded.row(*row)[column]);
                    if let (Numbers::Date(dates), Show::Mean) = (numbers, show) {
                        let shift = Code::from(domain.has_missing());
                        return dates.mean(codes.filter_map(|code| code.checked_sub(shift)).map(|code| code as usize));
                    }
                    let known = codes.filter_map(|code| domain.position(code));
                    if show == Show::Mean { mean(known) } else { middle(known) }
                };
                let centres = self.clusters.iter().map(centre);
                one(match numbers {
                    Numbers::Date(_) | Numbers::Comma(..) => texts(name, centres.map(|c| c.map(|c| numbers.write(c))))?,
                    _ => Arc::new(centres.collect::<Float64Array>()),
                })
            }
            Show::Median | Show::Mode => {
                let centre = |rows: &&[u32]| {
                    let codes = rows.iter().map(|row| self.problem.encoded.row(*row)[column]);
                    let code = if show == Show::Mode { mode(codes) } else { median(domain, codes) };
                    code.and_then(|code| domain.text(domain.close(domain.span(code))))
                };
                one(texts(name, self.clusters.iter().map(centre))?)
            }
        }
    }

    /// For each published row, the value of its cluster.
    fn spread(&self, name: &str, of_clusters: &ArrayRef) -> Result<ArrayRef> {
        take(of_clusters, &self.published, None).map_err(|e| Error::internal(name, &e))
    }
}

/// The texts of these closures of a column. `published` says for each published row which closure it has.
pub(super) fn closures(domain: &Domain, spans: impl Iterator<Item = Span>, published: &[u32]) -> Result<ArrayRef> {
    let texts = spelled(domain.name(), spans, |span| domain.text(domain.close(span)))?;
    take(&texts, &UInt32Array::from(published.to_vec()), None).map_err(|e| Error::internal(domain.name(), &e))
}

/// A column of texts that stores each distinct text once.
fn texts(name: &str, texts: impl Iterator<Item = Option<String>>) -> Result<ArrayRef> {
    let mut distinct = Distinct::default();
    let keys = texts.map(|text| text.map(|text| distinct.key(text))).collect();
    distinct.finish(name, keys)
}

/// A column of the texts of these spans. Each distinct span is written once.
fn spelled(name: &str, spans: impl Iterator<Item = Span>, text: impl Fn(Span) -> Option<String>) -> Result<ArrayRef> {
    let mut distinct = Distinct::default();
    let mut known: FxHashMap<Span, Option<i32>> = FxHashMap::default();
    let mut key = |span| *known.entry(span).or_insert_with(|| text(span).map(|text| distinct.key(text)));
    let keys = spans.map(&mut key).collect();
    distinct.finish(name, keys)
}

/// The distinct texts of a column that is being built.
#[derive(Default)]
struct Distinct {
    known: FxHashMap<String, i32>,
    texts: StringBuilder,
}

impl Distinct {
    /// The key of a text.
    fn key(&mut self, text: String) -> i32 {
        let next = self.known.len() as i32;
        *self.known.entry(text).or_insert_with_key(|text| {
            self.texts.append_value(text);
            next
        })
    }

    /// The column of that name with these keys.
    fn finish(mut self, name: &str, keys: Vec<Option<i32>>) -> Result<ArrayRef> {
        let column = DictionaryArray::<Int32Type>::try_new(keys.into(), Arc::new(self.texts.finish()));
        Ok(Arc::new(column.map_err(|e| Error::internal(name, &e))?))
    }
}

/// The first and the last value of each closure; nulls for a closure that covers missing values.
fn bounds(domain: &Domain, closures: &[Span]) -> Result<(ArrayRef, ArrayRef)> {
    let end = |end: fn(&Span) -> Code| -> Result<ArrayRef> {
        let known = |span: &Span| domain.position(span.lo()).map(|_| end(span));
        let codes = closures.iter().map(known);
        Ok(match domain.numbers() {
            Some(Numbers::Integer(values)) => {
                let shift = Code::from(domain.has_missing());
                Arc::new(codes.map(|code| code.map(|code| values[(code - shift) as usize])).collect::<Int64Array>())
            }
            Some(Numbers::Decimal(_)) => {
                Arc::new(codes.map(|code| code.and_then(|code| domain.position(code))).collect::<Float64Array>())
            }
            _ => texts(domain.name(), codes.map(|code| code.and_then(|code| domain.text(domain.span(code)))))?,
        })
    };
    Ok((end(|span| span.lo())?, end(|span| span.hi())?))
}

/// Ranges as a struct of `min` and `max`, sets as a list of values, everything else as text, also coded numbers, which may have no ends.
fn nest(domain: &Domain, level: u32, closures: impl Iterator<Item = Span>) -> ArrayRef {
    let closures: Vec<Span> = closures.collect();
    let text = |code: Code| domain.text(domain.span(code));
    if domain.is_set() {
        let mut lists = ListBuilder::new(StringBuilder::new());
        for span in closures {
            domain.codes(span).for_each(|code| lists.values().append_option(text(code)));
            lists.append(true);
        }
        return Arc::new(lists.finish());
    }
    if domain.extent(domain.everything()).is_some()
        && !domain.is_coded()
        && let Ok((lo, hi)) = bounds(domain, &closures)
    {
        let plain = |array: ArrayRef| match array.data_type() {
            DataType::Dictionary(..) => arrow_cast::cast(&array, &DataType::Utf8).unwrap_or(array),
            _ => array,
        };
        let (lo, hi) = (plain(lo), plain(hi));
        let fields = Fields::from(vec![
            Field::new("min", lo.data_type().clone(), true),
            Field::new("max", hi.data_type().clone(), true),
        ]);
        let known: NullBuffer = (0..lo.len()).map(|place| lo.is_valid(place)).collect::<Vec<_>>().into();
        return Arc::new(StructArray::new(fields, vec![lo, hi], Some(known)));
    }
    Arc::new(closures.into_iter().map(|span| domain.text_at(span, level)).collect::<StringArray>())
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

fn middle(values: impl Iterator<Item = f64>) -> Option<f64> {
    let ends = values.map(|value| (value, value)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    ends.map(|(lo, hi)| f64::midpoint(lo, hi))
}

/// The value that at least half of the known values do not exceed.
fn median(domain: &Domain, codes: impl Iterator<Item = Code>) -> Option<Code> {
    let (mut known, missing): (Vec<Code>, Vec<Code>) = codes.partition(|code| domain.position(*code).is_some());
    known.sort_unstable();
    known.get(known.len().saturating_sub(1) / 2).or(missing.first()).copied()
}

/// The most frequent value, the first of equally frequent ones.
fn mode(codes: impl Iterator<Item = Code>) -> Option<Code> {
    let mut counts: FxHashMap<Code, u32> = FxHashMap::default();
    codes.for_each(|code| *counts.entry(code).or_default() += 1);
    counts.into_iter().max_by_key(|(code, count)| (*count, std::cmp::Reverse(*code))).map(|(code, _)| code)
}
