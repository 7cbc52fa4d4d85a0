//! Sentences with numbers that stand in the JSON form, too, so that a text and a page say the same.

use std::fmt;

use crate::notation::{grouped, percent};

/// A sentence. Names between backticks are code on a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Sentence(pub(super) Vec<Part>);

/// A part of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Words(String),
    /// A number, its place in the JSON form, and how people read it.
    Number {
        place: String,
        value: f64,
        shown: String,
    },
}

impl Sentence {
    /// A sentence that begins with these words.
    pub(super) fn of(words: impl Into<String>) -> Self {
        Sentence(vec![Part::Words(words.into())])
    }

    pub(super) fn words(mut self, words: impl Into<String>) -> Self {
        self.0.push(Part::Words(words.into()));
        self
    }

    pub(super) fn count(mut self, place: impl Into<String>, value: usize) -> Self {
        self.0.push(Part::Number { place: place.into(), value: value as f64, shown: grouped(value) });
        self
    }

    pub(super) fn share(mut self, place: impl Into<String>, value: f64) -> Self {
        self.0.push(Part::Number { place: place.into(), value, shown: percent(value) });
        self
    }
}

impl fmt::Display for Sentence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Words(words) => f.write_str(words),
            Part::Number { shown, .. } => f.write_str(shown),
        })
    }
}

/// A key, escaped for a JSON pointer.
pub(super) fn key(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
