//! How often the values of a sensitive column occur in a cluster.

use crate::encode::Code;

/// How often each value occurs. Values that do not occur are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram(Vec<(Code, u32)>);

impl Histogram {
    /// A value that occurs once.
    pub(super) fn of_one(code: Code) -> Self {
        Histogram(vec![(code, 1)])
    }

    /// The codes that occur, sorted, and how often they do.
    pub(super) fn counts(&self) -> &[(Code, u32)] {
        &self.0
    }

    /// How often each of these codes occurs. Adding them one by one would take too long where nearly every record has its own.
    pub fn of(mut codes: Vec<Code>) -> Self {
        codes.sort_unstable();
        Histogram(codes.chunk_by(|a, b| a == b).map(|alike| (alike[0], alike.len() as u32)).collect())
    }

    /// Adds a value `times` times.
    pub fn add(&mut self, code: Code, times: u32) {
        match self.0.binary_search_by_key(&code, |(c, _)| *c) {
            Ok(place) => self.0[place].1 += times,
            Err(place) => self.0.insert(place, (code, times)),
        }
    }

    /// Removes one occurrence of a value that occurs.
    pub fn remove(&mut self, code: Code) {
        if let Ok(place) = self.0.binary_search_by_key(&code, |(c, _)| *c) {
            self.0[place].1 -= 1;
            if self.0[place].1 == 0 {
                self.0.remove(place);
            }
        }
    }

    /// How often a value occurs.
    pub fn times(&self, code: Code) -> u32 {
        self.0.binary_search_by_key(&code, |(c, _)| *c).map_or(0, |place| self.0[place].1)
    }

    /// The highest code that occurs.
    #[cfg(feature = "internals")]
    pub fn highest(&self) -> Option<Code> {
        self.0.last().map(|(code, _)| *code)
    }

    /// The codes that occur, sorted, and how often they do.
    pub fn iter(&self) -> impl Iterator<Item = (Code, u32)> {
        self.0.iter().copied()
    }

    /// How often the most frequent value occurs.
    pub fn most(&self) -> u32 {
        self.0.iter().map(|(_, times)| *times).max().unwrap_or(0)
    }
}
