//! What the codes of a column mean.

use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray};

use super::coded::{Coded, shifted};
use super::labels::Labels;
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
/// Codes follow the order of the values (for numbers, dates, ordered categories, sets and suppressed
/// columns) or the depth-first order of a taxonomy's leaves. So every closure except a set is a range of
/// codes. A missing value is a value of its own with the lowest code. No range includes it except the range
/// of everything.
#[derive(Debug, Clone)]
pub struct Domain {
    name: String,
    weight: f64,
    scale: Scale,
    missing: Option<Missing>,
}

/// How the values of a column are generalized.
#[derive(Debug, Clone)]
enum Scale {
    Range(Numbers),
    Coded(Coded),
    Ordered(Labels),
    Set(Labels),
    Suppress(Labels),
    Taxonomy(Hierarchy),
}

/// The codes of the texts in a column's dictionary.
pub(super) struct DictionaryCodes {
    /// The code of each dictionary value. Values that do not occur have any code.
    pub value: Vec<Code>,
    /// The code of a null.
    pub null: Code,
}

impl Scale {
    /// The labels in the order of the plan, or in the order of their numbers.
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
            Form::Range(number, format, mark) => {
                let (numbers, places) = Numbers::new(&values.present, *number, format, *mark)
                    .map_err(|(value, expected)| values.unparsable(value, expected))?;
                // Numbers written in several ways share a code, so the places are used as they are.
                let shift = usize::from(values.missing.is_some());
                let (scale, codes) = if quasi.coding.is_none() || numbers.is_empty() {
                    (Scale::Range(numbers), shifted(&places, shift))
                } else {
                    let (coded, slots) = Coded::new(&quasi.name, &quasi.coding, numbers)?;
                    let slots: Vec<usize> = places.iter().map(|place| slots[*place]).collect();
                    (Scale::Coded(coded), shifted(&slots, shift))
                };
                let codes = dictionary_codes(&values, &codes, 0);
                return Ok((Domain::with(quasi, scale, values.missing), codes));
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

    /// The same domain with half the weight.
    pub(super) fn halved(&self) -> Self {
        Domain { weight: self.weight / 2.0, ..self.clone() }
    }

    /// The name of the column.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The weight of the column's loss.
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// The number of codes: values, or leaves.
    pub fn len(&self) -> usize {
        match &self.scale {
            Scale::Range(numbers) => numbers.len() + self.shift(),
            Scale::Coded(coded) => coded.len() + self.shift(),
            Scale::Ordered(l) | Scale::Set(l) | Scale::Suppress(l) => l.labels.len(),
            Scale::Taxonomy(tree) => tree.leaves(),
        }
    }

    /// How many codes stand before that of the first number: one where values are missing.
    fn shift(&self) -> usize {
        usize::from(self.missing.is_some())
    }

    /// Whether there is no value at all.
    #[cfg(feature = "internals")]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The tree, if the column has one.
    pub fn hierarchy(&self) -> Option<&Hierarchy> {
        match &self.scale {
            Scale::Taxonomy(tree) => Some(tree),
            _ => None,
        }
    }

    /// Whether some value is missing. Then its code is 0, except in a taxonomy.
    pub fn has_missing(&self) -> bool {
        self.missing.is_some()
    }

    /// The code of a missing value, if there is one.
    pub fn missing_code(&self) -> Option<Code> {
        self.code(self.missing.as_ref()?.label())
    }

    /// Whether closures of the column are masks and not ranges.
    pub fn is_set(&self) -> bool {
        matches!(self.scale, Scale::Set(_))
    }

    /// Whether the column is published as one value or not at all.
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

    /// The closure of all values.
    pub fn everything(&self) -> Span {
        match self.scale {
            Scale::Set(_) => Span::mask(u64::MAX >> (64 - self.len())),
            _ => Span::range(0, self.len() as Code - 1),
        }
    }

    /// The union of two closures, before [`close`](Self::close).
    #[inline]
    pub fn join(&self, a: Span, b: Span) -> Span {
        match self.scale {
            Scale::Set(_) => Span::mask(a.bits() | b.bits()),
            _ => Span::range(a.lo().min(b.lo()), a.hi().max(b.hi())),
        }
    }

    /// What a joined closure is published as. In a taxonomy it is the range of the lowest common ancestor.
    /// It is everything if suppressed values differ, or if a missing value meets others in a range.
    /// Otherwise it is the span itself.
    pub fn close(&self, span: Span) -> Span {
        let single = || span.lo() == span.hi();
        match &self.scale {
            Scale::Taxonomy(tree) => {
                let node = tree.ancestor(span.lo(), span.hi());
                Span::range(node.lo, node.hi)
            }
            Scale::Suppress(_) if !single() => self.everything(),
            Scale::Range(_) | Scale::Coded(_) | Scale::Ordered(_)
                if self.missing.is_some() && span.lo() == 0 && !single() =>
            {
                self.everything()
            }
            Scale::Coded(coded) => match self.slots(span) {
                Some((lo, hi)) if coded.is_open(lo, hi) => self.everything(),
                _ => span,
            },
            _ => span,
        }
    }

    /// The number of levels at which all values can be published alike: those of the tree, or values and everything.
    pub fn levels(&self) -> u32 {
        match &self.scale {
            _ if self.len() <= 1 => 1,
            Scale::Taxonomy(tree) => tree.height() + 1,
            _ => 2,
        }
    }

    /// What the codes of a span are published as at a level. At level 0 that is the span itself.
    pub fn at_level(&self, span: Span, level: u32) -> Span {
        match &self.scale {
            _ if level == 0 => span,
            Scale::Taxonomy(tree) => {
                let (first, last) = (tree.above(span.lo(), level), tree.above(span.hi(), level));
                self.close(Span::range(first.lo, last.hi))
            }
            _ => self.everything(),
        }
    }

    /// The [text](Self::text) of a closed span in a column whose values are published at a level.
    pub fn text_at(&self, span: Span, level: u32) -> Option<String> {
        if let (Scale::Taxonomy(tree), 1..) = (&self.scale, level) {
            let node = tree.above(span.lo(), level);
            if node.level > 0 && Span::range(node.lo, node.hi) == span {
                return Some(tree.label(node).to_owned());
            }
        }
        self.text(span)
    }

    /// Whether the closed span covers the code.
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

    /// The number of values of the table or leaves that a closed span stands for. A slot of coded numbers stands for several.
    pub fn values(&self, span: Span) -> usize {
        match (&self.scale, self.slots(span)) {
            (Scale::Coded(coded), Some((lo, hi))) => {
                coded.values(lo, hi) + usize::from(self.shift() > span.lo() as usize)
            }
            _ => self.count(span),
        }
    }

    /// The slots in a closed span of coded numbers, without missing values.
    fn slots(&self, span: Span) -> Option<(usize, usize)> {
        let place = |code: Code| (code as usize).checked_sub(self.shift());
        Some((place(span.lo()).unwrap_or(0), place(span.hi())?))
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

    /// The distance between the bounds of a closed span, as a share of the column's extent: the difference
    /// of numbers and dates, the steps between ordered categories. `None` for columns without distances.
    pub fn extent(&self, span: Span) -> Option<f64> {
        let (lo, hi) = (span.lo(), span.hi());
        match &self.scale {
            Scale::Coded(coded) => Some(match self.slots(span) {
                Some((lo, hi)) if span.lo() as usize >= self.shift() => coded.extent(lo, hi),
                Some(_) => 1.0,
                None => 0.0,
            }),
            Scale::Range(_) | Scale::Ordered(_) if lo == hi => Some(0.0),
            Scale::Range(_) if self.missing.is_some() && lo == 0 => Some(1.0),
            Scale::Range(numbers) => Some(numbers.extent(lo as usize - self.shift(), hi as usize - self.shift())),
            Scale::Ordered(labels) => Some(f64::from(hi - lo) / (labels.labels.len() - 1) as f64),
            _ => None,
        }
    }

    /// The number of equal steps in the whole extent, such that every [extent](Self::extent) is a whole
    /// number of steps; `None` if there are no such steps.
    pub fn steps(&self) -> Option<u64> {
        match &self.scale {
            Scale::Range(numbers) => numbers.steps(),
            Scale::Coded(coded) => coded.steps(),
            Scale::Ordered(labels) => Some(labels.labels.len() as u64 - 1),
            _ => None,
        }
    }

    /// The position of a value: a number itself, the day number of a date, the second of a time, the rank of an ordered category.
    /// `None` for a missing value and for columns without distances.
    pub fn position(&self, code: Code) -> Option<f64> {
        let place = code.checked_sub(Code::from(self.missing.is_some()))?;
        match &self.scale {
            Scale::Range(numbers) => Some(numbers.value(place as usize)),
            Scale::Coded(coded) => Some(coded.position(place as usize)),
            Scale::Ordered(_) => Some(f64::from(place)),
            _ => None,
        }
    }

    /// The numbers of a range column as they were before they were coded, if they were.
    pub fn uncoded(&self) -> Option<&Numbers> {
        match &self.scale {
            Scale::Range(numbers) => Some(numbers),
            Scale::Coded(coded) => Some(coded.numbers()),
            _ => None,
        }
    }

    /// Whether the numbers of the column are coded before they are generalized.
    pub fn is_coded(&self) -> bool {
        matches!(self.scale, Scale::Coded(_))
    }

    /// What to say about a coding that changes nothing.
    pub fn remark(&self) -> Option<String> {
        match &self.scale {
            Scale::Coded(coded) => coded.remark(&self.name),
            _ => None,
        }
    }

    /// The numbers of a range column that is not coded.
    pub fn numbers(&self) -> Option<&Numbers> {
        self.uncoded().filter(|_| !self.is_coded())
    }

    /// The code nearest to a text, which need not be a value of the column, and the position of the text.
    /// An empty text stands for a missing number, whatever marks a missing value in the column.
    pub fn nearest(&self, text: &str) -> Option<(Code, Option<f64>)> {
        if text.is_empty() && self.missing.is_some() && self.numbers().is_some() {
            return Some((0, None));
        }
        if let (Scale::Range(numbers), None) = (&self.scale, self.code(text)) {
            let value = numbers.parse(text).filter(|_| !numbers.is_empty())?;
            let place = numbers.nearest(value) + self.shift();
            return Some((place as Code, Some(value)));
        }
        let code = self.code(text)?;
        Some((code, self.position(code)))
    }

    /// The level of a closed span in the column's tree (0 for a single value), and the height of the tree.
    /// Sets and suppressed columns have a tree of height 1.
    pub fn level(&self, span: Span) -> (u32, u32) {
        match &self.scale {
            Scale::Taxonomy(tree) => (tree.ancestor(span.lo(), span.hi()).level, tree.height()),
            _ => (u32::from(self.count(span) > 1), 1),
        }
    }

    /// The code of a published value. An empty text stands for null.
    pub fn code(&self, text: &str) -> Option<Code> {
        match &self.scale {
            Scale::Range(numbers) => match &self.missing {
                Some(missing) if missing.label() == text => Some(0),
                _ => {
                    let (place, _) = numbers.between(text, text)?;
                    Some((place + self.shift()) as Code)
                }
            },
            Scale::Coded(coded) => match &self.missing {
                Some(missing) if missing.label() == text => Some(0),
                _ => Some((coded.slot(text)? + self.shift()) as Code),
            },
            Scale::Ordered(l) | Scale::Set(l) | Scale::Suppress(l) => l.codes.get(text).copied(),
            Scale::Taxonomy(tree) => tree.code(text),
        }
    }

    /// The closure of all values from one published value to another.
    pub fn between(&self, lo: &str, hi: &str) -> Option<Span> {
        let places = match &self.scale {
            Scale::Range(numbers) => numbers.between(lo, hi)?,
            Scale::Coded(coded) => coded.within(Some(lo), Some((hi, true)))?,
            _ => {
                let (lo, hi) = (self.code(lo)?, self.code(hi)?);
                return (lo <= hi).then(|| Span::range(lo, hi));
            }
        };
        Some(self.span_of(places))
    }

    /// The closure of all numbers from a published one on and up to another, which may be left out itself.
    pub fn within(&self, low: Option<&str>, high: Option<(&str, bool)>) -> Option<Span> {
        let places = match &self.scale {
            Scale::Range(numbers) => numbers.within(low, high)?,
            Scale::Coded(coded) => coded.within(low, high)?,
            _ => return None,
        };
        Some(self.span_of(places))
    }

    fn span_of(&self, (first, last): (usize, usize)) -> Span {
        Span::range((first + self.shift()) as Code, (last + self.shift()) as Code)
    }

    /// The text that a closed span is published as; `None` for null.
    pub fn text(&self, span: Span) -> Option<String> {
        // The full range of numbers says more than a star, unless it includes missing values.
        let named = match self.scale {
            Scale::Range(_) | Scale::Coded(_) | Scale::Ordered(_) => self.missing.is_none(),
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
            Scale::Coded(coded) => match (&self.missing, self.slots(span)) {
                (Some(missing), None) => missing.label().to_owned(),
                (_, slots) => slots.map_or_else(String::new, |(lo, hi)| coded.text(lo, hi)),
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
