//! What the codes of one column mean.

use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray};
use rustc_hash::FxHashMap;

use super::values::{Missing, Values};
use super::{Code, Numbers, Span};
use crate::error::{Error, Remedy, Result, Setting};
use crate::hierarchy::Hierarchy;
use crate::notation;
use crate::read::Table;
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

impl Scale {
    /// The labels in the order that the plan gives, or in that of their numbers.
    fn ordered(values: &Values, order: Option<&Vec<String>>) -> Result<Self> {
        let Some(order) = order else {
            if values.are_numbers() {
                return Ok(Scale::Ordered(Labels::new(values.labels())));
            }
            let list = Remedy::by("list its values from low to high", Setting::Order(values.column.to_owned()));
            return Err(Error::column(values.column, "its order is not known").or([list]));
        };
        let order = values.in_order(order)?;
        let labels = Labels::new(values.lowest().into_iter().chain(order).collect());
        Ok(Scale::Ordered(labels))
    }

    fn set(values: &Values) -> Result<Self> {
        let labels = values.labels();
        if labels.len() > SET_LIMIT {
            let message = format!(
                "it has {} values, and a set holds at most {SET_LIMIT}; \
                 give it a hierarchy, an order, or the kind suppress",
                labels.len()
            );
            return Err(Error::column(values.column, &message));
        }
        Ok(Scale::Set(Labels::new(labels)))
    }
}

impl Domain {
    /// The domain of the column `quasi` of `table`, and the codes of the texts in its dictionary.
    pub(super) fn new(
        quasi: &Quasi,
        table: &Table,
        texts: &DictionaryArray<Int32Type>,
        missing: &[String],
    ) -> Result<(Self, DictionaryCodes)> {
        let values = Values::new(&quasi.name, table, texts, missing);
        if values.present.contains(&notation::EVERYTHING) {
            let row = values.row_of(notation::EVERYTHING);
            let message = format!("the value `*` in row {row} stands for suppression");
            let missing = Remedy::by("declare it missing", Setting::Missing(notation::EVERYTHING.to_owned()));
            return Err(Error::column(&quasi.name, &message).or([missing]));
        }
        let scale = match &quasi.form {
            Form::Range(number, format) => {
                let (numbers, places) = Numbers::new(&values.present, *number, format)
                    .map_err(|(value, expected)| values.unparsable(value, expected))?;
                // Numbers that are written in several ways have one code, so the places are taken as they are.
                let shift = usize::from(values.missing.is_some());
                let codes: Vec<Code> = places.iter().map(|p| (p + shift) as Code).collect();
                let codes = dictionary_codes(&values, &codes, 0);
                return Ok((Domain::with(quasi, Scale::Range(numbers), values.missing), codes));
            }
            Form::Ordered(order) => Scale::ordered(&values, order.as_ref())?,
            Form::Set => Scale::set(&values)?,
            Form::Suppress => Scale::Suppress(Labels::new(values.labels())),
            Form::Taxonomy(tree, format) => Scale::Taxonomy(values.tree(tree, format)?),
        };
        let domain = Domain::with(quasi, scale, values.missing.clone());
        let lowest = values.lowest().and_then(|label| domain.code(&label)).unwrap_or(0);
        let codes: Vec<Code> = values.present.iter().filter_map(|v| domain.code(v)).collect();
        Ok((domain, dictionary_codes(&values, &codes, lowest)))
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
    #[cfg(feature = "internals")]
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

    /// True when some value is missing; then 0 is its code, except in a taxonomy.
    pub fn has_missing(&self) -> bool {
        self.missing.is_some()
    }

    /// The code of a missing value, where there is one.
    pub fn missing_code(&self) -> Option<Code> {
        self.code(self.missing.as_ref()?.label())
    }

    /// True when its closures are masks, not ranges.
    pub fn is_set(&self) -> bool {
        matches!(self.scale, Scale::Set(_))
    }

    /// True when it is published as one value or not at all.
    pub fn is_suppress(&self) -> bool {
        matches!(self.scale, Scale::Suppress(_))
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

    /// The codes in a closed span.
    pub fn codes(&self, span: Span) -> impl Iterator<Item = Code> {
        let (range, mut bits) = if self.is_set() { (None, span.bits()) } else { (Some(span.lo()..=span.hi()), 0) };
        let members = std::iter::from_fn(move || {
            (bits != 0).then(|| {
                let code = bits.trailing_zeros();
                bits &= bits - 1;
                code
            })
        });
        range.into_iter().flatten().chain(members)
    }

    /// The share of the column's extent between the bounds of a closed span: of numbers and dates by their difference,
    /// of ordered categories by their places. `None` for columns without distances.
    pub fn extent(&self, span: Span) -> Option<f64> {
        let (lo, hi) = (span.lo(), span.hi());
        match &self.scale {
            Scale::Range(_) | Scale::Ordered(_) if lo == hi => Some(0.0),
            Scale::Range(_) if self.missing.is_some() && lo == 0 => Some(1.0),
            Scale::Range(numbers) => {
                let shift = usize::from(self.missing.is_some());
                Some(numbers.extent(lo as usize - shift, hi as usize - shift))
            }
            Scale::Ordered(labels) => Some(f64::from(hi - lo) / (labels.labels.len() - 1) as f64),
            _ => None,
        }
    }

    /// The number of equal steps of which every [extent](Self::extent) is some; `None` where there are none.
    pub fn steps(&self) -> Option<u64> {
        match &self.scale {
            Scale::Range(numbers) => numbers.steps(),
            Scale::Ordered(labels) => Some(labels.labels.len() as u64 - 1),
            _ => None,
        }
    }

    /// Where a value stands: a number by itself, a date by its days, an ordered category by its place. `None` for a missing value and for
    /// columns without distances.
    pub fn position(&self, code: Code) -> Option<f64> {
        let place = code.checked_sub(Code::from(self.missing.is_some()))?;
        match &self.scale {
            Scale::Range(numbers) => Some(numbers.value(place as usize)),
            Scale::Ordered(_) => Some(f64::from(place)),
            _ => None,
        }
    }

    /// The numbers of a range.
    pub fn numbers(&self) -> Option<&Numbers> {
        match &self.scale {
            Scale::Range(numbers) => Some(numbers),
            _ => None,
        }
    }

    /// The value nearest to a text that need not be one of the column's, and where that text stands. An empty text stands for a missing
    /// number, whatever text the column has for that.
    pub fn nearest(&self, text: &str) -> Option<(Code, Option<f64>)> {
        if text.is_empty() && self.missing.is_some() && self.numbers().is_some() {
            return Some((0, None));
        }
        if let (Scale::Range(numbers), None) = (&self.scale, self.code(text)) {
            let value = numbers.parse(text).filter(|_| !numbers.is_empty())?;
            let place = numbers.nearest(value) + usize::from(self.missing.is_some());
            return Some((place as Code, Some(value)));
        }
        let code = self.code(text)?;
        Some((code, self.position(code)))
    }

    /// The level of a closed span in the column's tree (0 for a single value), and the height of the tree. Sets and
    /// suppressed values have a tree of height 1.
    pub fn level(&self, span: Span) -> (u32, u32) {
        match &self.scale {
            Scale::Taxonomy(tree) => (tree.ancestor(span.lo(), span.hi()).level, tree.height()),
            _ => (u32::from(self.count(span) > 1), 1),
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

fn dictionary_codes(values: &Values, codes: &[Code], missing: Code) -> DictionaryCodes {
    let mut value = vec![missing; values.dictionary.len()];
    for (&id, &code) in values.ids.iter().zip(codes) {
        value[id] = code;
    }
    DictionaryCodes { value, null: missing }
}
