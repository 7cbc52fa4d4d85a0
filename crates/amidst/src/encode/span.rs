//! A closure of one column.

use super::Code;

/// A set of codes in 64 bits: either a range, given by its smallest and its largest code, or a mask with
/// one bit for each code. The column decides which of the two it is, and only its [`Domain`](super::Domain)
/// needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span(u64);

impl Span {
    /// The codes from `lo` to `hi`.
    pub fn range(lo: Code, hi: Code) -> Self {
        Span(u64::from(hi) << 32 | u64::from(lo))
    }

    /// The codes whose bits are set.
    pub fn mask(bits: u64) -> Self {
        Span(bits)
    }

    /// The smallest code of a range.
    pub fn lo(self) -> Code {
        self.0 as Code
    }

    /// The largest code of a range.
    pub fn hi(self) -> Code {
        (self.0 >> 32) as Code
    }

    /// The bits of a mask.
    pub fn bits(self) -> u64 {
        self.0
    }
}
