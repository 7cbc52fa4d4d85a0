//! What the codes of one column mean.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray};
use rustc_hash::FxHashMap;

use super::{Code, Numbers, Span};
use crate::error::{Error, Result, nearest};
use crate::hierarchy::Hierarchy;
use crate::notation;
use crate::schema::guess::SET_LIMIT;
use crate::schema::{Form, Quasi};

/// The values of a quasi-identifier and their codes.
///
/// Codes follow the order of the values (numbers, dates, ordered categories, sets, suppression) or the depth-first
/// order of a taxonomy's leaves, so that every closure but a set is a range of codes. A missing value is a value of
/// its own with the lowest code; no range includes it but the one of everything.
#[derive(Debug, Clone)]
pub struct Domain {
    name: String,
    weight: f64,
    scale: Scale,
    missing: Option<Missing>,
}

#[derive(Debug, Clone)]
enum Scale {
    Range(Numbers),
    Ordered(Labels),
    Set(Labels),
    Suppress(Labels),
    Taxonomy(Hierarchy),
}

/// How a missing value is published: as this text, or as null.
#[derive(Debug, Clone)]
struct Missing(Option<String>);

impl Missing {
    fn label(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// Labels by code and codes by label.
#[derive(Debug, Clone)]
struct Labels {
    labels: Vec<String>,
    codes: FxHashMap<String, Code>,
}

impl Labels {
    fn new(labels: Vec<String>) -> Self {
        let codes = labels.iter().enumerate().map(|(i, l)| (l.clone(), i as Code)).collect();
        Labels { labels, codes }
    }
}

/// The codes of a column's dictionary.
pub(super) struct DictionaryCodes {
    /// By the number of the dictionary value. Values that no row has get any code.
    pub value: Vec<Code>,
    /// Of a null.
    pub null: Code,
}

impl Domain {
    /// The domain of the column `quasi` of `file`, and the codes of the texts in its dictionary.
    pub(super) fn new(
        quasi: &Quasi,
        file: &str,
        texts: &DictionaryArray<Int32Type>,
        missing: &[String],
    ) -> Result<(Self, DictionaryCodes)> {
        let dictionary = texts.values().as_string::<i32>();
        let mut used = vec![false; dictionary.len()];
        for key in texts.keys().iter().flatten() {
            used[key as usize] = true;
        }
        let is_missing = |text: &str| missing.iter().any(|m| m == text);
        let ids: Vec<usize> = (0..used.len()).filter(|&id| used[id] && !is_missing(dictionary.value(id))).collect();
        let values: Vec<&str> = ids.iter().map(|&id| dictionary.value(id)).collect();
        let missing = if texts.null_count() > 0 {
            Some(Missing(None))
        } else {
            let is_used = |m: &&String| (0..used.len()).any(|id| used[id] && dictionary.value(id) == m.as_str());
            missing.iter().find(is_used).map(|m| Missing(Some(m.clone())))
        };

        // Errors name the first row that has the value.
        let row_of = |value: &str| {
            let keys = texts.keys();
            (0..keys.len())
                .find(|&row| keys.is_valid(row) && dictionary.value(keys.value(row) as usize) == value)
                .map_or(0, |row| row + 1)
        };
        let unparsable = |value: &str, expected: String| Error::Unparsable {
            file: file.to_owned(),
            row: row_of(value),
            column: quasi.name.clone(),
            value: value.to_owned(),
            expected,
        };
        if values.contains(&notation::EVERYTHING) {
            return Err(Error::column(
                &quasi.name,
                format!(
                    "the value `*` in row {} stands for suppression; declare it missing (--missing '*')",
                    row_of("*")
                ),
            ));
        }

        let lowest = missing.as_ref().map(|m| m.label().to_owned());
        let sorted = || lowest.iter().cloned().chain(in_order(&values)).collect::<Vec<_>>();
        let scale = match &quasi.form {
            Form::Range(number, format) => {
                let (numbers, places) =
                    Numbers::new(&values, *number, format).map_err(|(value, expected)| unparsable(value, expected))?;
                let shift = usize::from(missing.is_some());
                let codes = places.iter().map(|p| (p + shift) as Code).collect::<Vec<_>>();
                let domain = Domain::with(quasi, Scale::Range(numbers), missing);
                return Ok((domain, dictionary_codes(used.len(), &ids, &codes, 0)));
            }
            Form::Ordered(None) if values.iter().all(|v| v.parse::<f64>().is_ok()) => {
                Scale::Ordered(Labels::new(sorted()))
            }
            Form::Ordered(None) => {
                return Err(Error::column(
                    &quasi.name,
                    "its order is not known; list its values from low to high \
                     (order = [\"low\", …, \"high\"], or --order COLUMN=low,…,high)",
                ));
            }
            Form::Ordered(Some(order)) => {
                if let Some(value) = values.iter().find(|v| !order.iter().any(|o| o == *v)) {
                    let near = nearest(value, order.iter().map(String::as_str));
                    let near = near.map(|n| format!(" (there is `{n}`)")).unwrap_or_default();
                    return Err(unparsable(value, format!("in the order of the column{near}")));
                }
                let order = order.iter().filter(|o| lowest.as_ref() != Some(*o)).cloned();
                let labels = Labels::new(lowest.iter().cloned().chain(order).collect());
                if labels.codes.len() < labels.labels.len() {
                    return Err(Error::column(&quasi.name, "its order lists a value twice"));
                }
                Scale::Ordered(labels)
            }
            Form::Set => {
                let labels = sorted();
                if labels.len() > SET_LIMIT {
                    return Err(Error::column(
                        &quasi.name,
                        format!(
                            "it has {} values, and a set holds at most {SET_LIMIT}; \
                             give it a hierarchy, an order, or the kind suppress",
                            labels.len()
                        ),
                    ));
                }
                Scale::Set(Labels::new(labels))
            }
            Form::Suppress => Scale::Suppress(Labels::new(sorted())),
            Form::Taxonomy(tree, format) => {
                let tree = Hierarchy::new(tree, &values, lowest.as_deref(), format)?;
                if let Some(value) = values.iter().find(|v| tree.code(v).is_none()) {
                    return Err(Error::NotInHierarchy {
                        file: file.to_owned(),
                        row: row_of(value),
                        column: quasi.name.clone(),
                        value: (*value).to_owned(),
                        hierarchy: tree.name().to_owned(),
                        suggestion: tree.nearest(value),
                    });
                }
                Scale::Taxonomy(tree)
            }
        };
        let domain = Domain::with(quasi, scale, missing);
        let lowest = lowest.and_then(|label| domain.code(&label)).unwrap_or(0);
        let codes: Vec<Code> = values.iter().filter_map(|v| domain.code(v)).collect();
        Ok((domain, dictionary_codes(used.len(), &ids, &codes, lowest)))
    }

    fn with(quasi: &Quasi, scale: Scale, missing: Option<Missing>) -> Self {
        Domain { name: quasi.name.clone(), weight: quasi.weight, scale, missing }
    }

    /// The column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How much the column's loss counts.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The number of codes: values, or leaves.
    pub fn len(&self) -> usize {
        match &self.scale {
            Scale::Range(numbers) => numbers.len() + usize::from(self.missing.is_some()),
            Scale::Ordered(l) | Scale::Set(l) | Scale::Suppress(l) => l.labels.len(),
            Scale::Taxonomy(tree) => tree.leaves(),
        }
    }

    /// True when there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tree, where the column has one.
    pub fn hierarchy(&self) -> Option<&Hierarchy> {
        match &self.scale {
            Scale::Taxonomy(tree) => Some(tree),
            _ => None,
        }
    }

    /// True for numbers, dates and ordered categories: their codes have distances, not just names.
    pub fn is_ordered(&self) -> bool {
        matches!(self.scale, Scale::Range(_) | Scale::Ordered(_))
    }

    /// The closure of one value.
    pub fn span(&self, code: Code) -> Span {
        match self.scale {
            Scale::Set(_) => Span::mask(1 << code),
            _ => Span::range(code, code),
        }
    }

    /// The closure of everything.
    pub fn everything(&self) -> Span {
        match self.scale {
            Scale::Set(_) => Span::mask(u64::MAX >> (64 - self.len())),
            _ => Span::range(0, self.len() as Code - 1),
        }
    }

    /// The closure of two closures, before [`close`](Self::close).
    #[inline]
    pub fn join(&self, a: Span, b: Span) -> Span {
        match self.scale {
            Scale::Set(_) => Span::mask(a.bits() | b.bits()),
            _ => Span::range(a.lo().min(b.lo()), a.hi().max(b.hi())),
        }
    }

    /// What a joined closure is published as: the range of the lowest common ancestor in a taxonomy, everything where
    /// suppressed values differ or a missing value meets others in a range, itself otherwise.
    pub fn close(&self, span: Span) -> Span {
        let single = || span.lo() == span.hi();
        match &self.scale {
            Scale::Taxonomy(tree) => {
                let node = tree.ancestor(span.lo(), span.hi());
                Span::range(node.lo, node.hi)
            }
            Scale::Suppress(_) if !single() => self.everything(),
            Scale::Range(_) | Scale::Ordered(_) if self.missing.is_some() && span.lo() == 0 && !single() => {
                self.everything()
            }
            _ => span,
        }
    }

    /// True when the closed span covers the code.
    pub fn covers(&self, span: Span, code: Code) -> bool {
        match self.scale {
            Scale::Set(_) => span.bits() >> code & 1 == 1,
            _ => (span.lo()..=span.hi()).contains(&code),
        }
    }

    /// The number of values or leaves in a closed span.
    pub fn count(&self, span: Span) -> usize {
        match self.scale {
            Scale::Set(_) => span.bits().count_ones() as usize,
            _ => (span.hi() - span.lo()) as usize + 1,
        }
    }

    /// The share of the column's extent that a closed span takes: the difference of its bounds for numbers and dates,
    /// `None` for columns without distances.
    pub fn extent(&self, span: Span) -> Option<f64> {
        match &self.scale {
            Scale::Range(_) if span.lo() == span.hi() => Some(0.0),
            Scale::Range(_) if self.missing.is_some() && span.lo() == 0 => Some(1.0),
            Scale::Range(numbers) => {
                let shift = usize::from(self.missing.is_some());
                Some(numbers.extent(span.lo() as usize - shift, span.hi() as usize - shift))
            }
            _ => None,
        }
    }

    /// The code of a value as it is published; an empty text is a null.
    pub fn code(&self, text: &str) -> Option<Code> {
        match &self.scale {
            Scale::Range(numbers) => match &self.missing {
                Some(missing) if missing.label() == text => Some(0),
                missing => {
                    let (place, _) = numbers.between(text, text)?;
                    Some((place + usize::from(missing.is_some())) as Code)
                }
            },
            Scale::Ordered(l) | Scale::Set(l) | Scale::Suppress(l) => l.codes.get(text).copied(),
            Scale::Taxonomy(tree) => tree.code(text),
        }
    }

    /// The closure of all values from one to another, both as they are published.
    pub fn between(&self, lo: &str, hi: &str) -> Option<Span> {
        if let Scale::Range(numbers) = &self.scale {
            let shift = usize::from(self.missing.is_some());
            let (lo, hi) = numbers.between(lo, hi)?;
            return Some(Span::range((lo + shift) as Code, (hi + shift) as Code));
        }
        let (lo, hi) = (self.code(lo)?, self.code(hi)?);
        (lo <= hi).then(|| Span::range(lo, hi))
    }

    /// How a closed span is published; `None` is null.
    pub fn text(&self, span: Span) -> Option<String> {
        // A full range of numbers says more than a star, unless missing values are in it.
        let named = match self.scale {
            Scale::Range(_) | Scale::Ordered(_) => self.missing.is_none(),
            Scale::Taxonomy(_) => true,
            Scale::Set(_) | Scale::Suppress(_) => false,
        };
        if !named && self.len() > 1 && span == self.everything() {
            return Some(notation::EVERYTHING.to_owned());
        }
        let (lo, hi) = (span.lo(), span.hi());
        let text = match &self.scale {
            Scale::Range(numbers) => match &self.missing {
                Some(missing) if hi == 0 => missing.label().to_owned(),
                missing => {
                    let text = |code: Code| numbers.text(code as usize - usize::from(missing.is_some()));
                    match numbers {
                        _ if lo == hi => text(lo),
                        Numbers::Date(..) => notation::labels(&text(lo), &text(hi)),
                        _ => notation::numbers(&text(lo), &text(hi)),
                    }
                }
            },
            Scale::Ordered(l) | Scale::Suppress(l) if lo == hi => l.labels[lo as usize].clone(),
            Scale::Ordered(l) | Scale::Suppress(l) => notation::labels(&l.labels[lo as usize], &l.labels[hi as usize]),
            Scale::Set(l) => {
                let members = l.labels.iter().enumerate().filter(|(i, _)| span.bits() >> i & 1 == 1);
                notation::set(members.map(|(_, label)| label.as_str()))
            }
            Scale::Taxonomy(tree) => tree.ancestor(lo, hi).text.clone(),
        };
        let null = matches!(&self.missing, Some(Missing(None))) && text.is_empty();
        (!null).then_some(text)
    }
}

/// Labels from low to high: as numbers where all are, as text otherwise.
fn in_order(values: &[&str]) -> Vec<String> {
    let mut sorted: Vec<&str> = values.to_vec();
    let numbers: Option<Vec<f64>> = values.iter().map(|v| v.parse().ok()).collect();
    match numbers {
        Some(numbers) => {
            let mut order: Vec<usize> = (0..values.len()).collect();
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(values[a].cmp(values[b])));
            sorted = order.into_iter().map(|i| values[i]).collect();
        }
        None => sorted.sort_unstable(),
    }
    sorted.into_iter().map(str::to_owned).collect()
}

fn dictionary_codes(len: usize, ids: &[usize], codes: &[Code], missing: Code) -> DictionaryCodes {
    let mut value = vec![missing; len];
    for (&id, &code) in ids.iter().zip(codes) {
        value[id] = code;
    }
    DictionaryCodes { value, null: missing }
}
