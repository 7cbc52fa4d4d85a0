//! How many people of a population fit what a table says of each class.

/// A class, and who fits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    /// The records of the class.
    pub records: usize,
    /// The people of the population who have what the class says.
    pub people: usize,
}
