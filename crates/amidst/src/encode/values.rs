//! The texts that occur in a column.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, DictionaryArray, StringArray};
use rustc_hash::FxHashSet;

use crate::error::{Error, Remedy, Result, Setting, nearest};
use crate::hierarchy::Hierarchy;
use crate::plan::{BuiltinTree, InlineTree, Tree};
use crate::read::Table;
use crate::schema::classifications;

/// How a missing value is published: as this text, or as null.
#[derive(Debug, Clone)]
pub(super) struct Missing(pub(super) Option<String>);

impl Missing {
    pub(super) fn label(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

/// The texts that occur in a column, and where they occur.
pub(super) struct Values<'a> {
    pub(super) table: &'a Table,
    pub(super) column: &'a str,
    pub(super) texts: &'a DictionaryArray<Int32Type>,
    pub(super) dictionary: &'a StringArray,
    /// The indices of the dictionary values that occur and do not stand for a missing value.
    pub(super) ids: Vec<usize>,
    pub(super) present: Vec<&'a str>,
    pub(super) missing: Option<Missing>,
}

impl<'a> Values<'a> {
    pub(super) fn new(
        column: &'a str,
        table: &'a Table,
        texts: &'a DictionaryArray<Int32Type>,
        missing: &[String],
    ) -> Self {
        let dictionary = texts.values().as_string::<i32>();
        let mut used = vec![false; dictionary.len()];
        for key in texts.keys().iter().flatten() {
            used[key as usize] = true;
        }
        // A null is published as an empty text, so next to nulls an empty text counts as missing.
        let nulls = texts.null_count() > 0;
        let markers: FxHashSet<&str> = missing.iter().map(String::as_str).collect();
        let is_missing = |text: &str| markers.contains(text) || nulls && text.is_empty();
        let ids: Vec<usize> = (0..used.len()).filter(|&id| used[id] && !is_missing(dictionary.value(id))).collect();
        let present = ids.iter().map(|&id| dictionary.value(id)).collect();
        let missing = if nulls {
            Some(Missing(None))
        } else {
            let texts = (0..used.len()).filter(|id| used[*id]).map(|id| dictionary.value(id));
            let found: FxHashSet<&str> = texts.filter(|text| markers.contains(text)).collect();
            missing.iter().find(|marker| found.contains(marker.as_str())).map(|m| Missing(Some(m.clone())))
        };
        Values { table, column, texts, dictionary, ids, present, missing }
    }

    /// The number of the first row that has the value.
    pub(super) fn row_of(&self, value: &str) -> usize {
        let keys = self.texts.keys();
        let has = |row: &usize| keys.is_valid(*row) && self.dictionary.value(keys.value(*row) as usize) == value;
        (0..keys.len()).find(has).map_or(0, |row| self.table.number(row))
    }

    pub(super) fn unparsable(&self, value: &str, expected: String) -> Error {
        Error::Unparsable {
            file: self.table.name().to_owned(),
            row: self.row_of(value),
            column: self.column.to_owned(),
            value: value.to_owned(),
            expected,
        }
    }

    /// The label of missing values if there are any, then the other labels from low to high.
    pub(super) fn labels(&self) -> Vec<String> {
        self.lowest().into_iter().chain(self.sorted()).collect()
    }

    /// Whether all texts are numbers.
    pub(super) fn are_numbers(&self) -> bool {
        self.present.iter().all(|v| v.parse().is_ok_and(f64::is_finite))
    }

    /// The labels from low to high without the missing one: as numbers if all are numbers, otherwise as
    /// texts.
    pub(super) fn sorted(&self) -> Vec<String> {
        let mut sorted = self.present.clone();
        let numbers: Option<Vec<f64>> = self.present.iter().map(|v| v.parse().ok()).collect();
        if let Some(numbers) = numbers {
            let mut order: Vec<usize> = (0..sorted.len()).collect();
            order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(sorted[a].cmp(sorted[b])));
            sorted = order.into_iter().map(|i| self.present[i]).collect();
        } else {
            sorted.sort_unstable();
        }
        sorted.into_iter().map(str::to_owned).collect()
    }

    /// The labels in a given order without the missing one. Fails if a value is not in the order.
    pub(super) fn in_order(&self, order: &[String]) -> Result<Vec<String>> {
        let known: FxHashSet<&str> = order.iter().map(String::as_str).collect();
        if let Some(value) = self.present.iter().find(|value| !known.contains(*value)) {
            let near = nearest(value, order.iter().map(String::as_str));
            let near = near.map(|n| format!(" (there is `{n}`)")).unwrap_or_default();
            return Err(self.unparsable(value, format!("in the order of the column{near}")));
        }
        let lowest = self.lowest();
        let labels: Vec<String> = order.iter().filter(|o| lowest.as_ref() != Some(*o)).cloned().collect();
        let mut seen = FxHashSet::default();
        if !labels.iter().all(|label| seen.insert(label.as_str())) {
            return Err(Error::column(self.column, "its order lists a value twice"));
        }
        Ok(labels)
    }

    /// The tree, which must have every value as a leaf.
    pub(super) fn tree(&self, tree: &Tree, date_format: &str) -> Result<Hierarchy> {
        if let Tree::Inline(InlineTree::Builtin(builtin)) = tree {
            self.are_in(*builtin)?;
        }
        let tree = Hierarchy::new(tree, &self.present, self.lowest().as_deref(), date_format)?;
        match self.present.iter().find(|v| tree.code(v).is_none()) {
            None => Ok(tree),
            Some(value) => Err(Error::NotInHierarchy {
                file: self.table.name().to_owned(),
                row: self.row_of(value),
                column: self.column.to_owned(),
                value: (*value).to_owned(),
                hierarchy: tree.name().to_owned(),
                suggestion: tree.nearest(value),
            }),
        }
    }

    /// Fails if a built-in tree does not have some of the values.
    fn are_in(&self, tree: BuiltinTree) -> Result<()> {
        let is_strange = |value: &&&str| classifications::above(tree, value).is_none();
        let strange: Vec<&&str> = self.present.iter().filter(is_strange).collect();
        let Some(first) = strange.first() else { return Ok(()) };
        let message = format!(
            "{} of its {} values are not in the built-in tree `{tree}`; one is `{first}` in row {} of `{}`",
            strange.len(),
            self.present.len(),
            self.row_of(first),
            self.table.name()
        );
        Err(Error::column(self.column, &message).or([
            Remedy::just("correct them"),
            Remedy::by("declare them missing", Setting::Missing((**first).to_owned())),
            Remedy::just("give the column a hierarchy file that has them"),
        ]))
    }

    /// The label of missing values.
    pub(super) fn lowest(&self) -> Option<String> {
        self.missing.as_ref().map(|m| m.label().to_owned())
    }
}
