//! The names of columns and parts that a form adds to a release, as the verification knows them.
//!
//! The code that makes releases has names of its own. A test holds both against each other.

/// The suffixes of the two columns that hold bounds.
pub(super) const BOUNDS: [&str; 2] = ["_min", "_max"];

/// The column with the number of a row's group.
pub(super) const GROUP: &str = "group";

/// The column with the place of a row in its ring.
pub(super) const PLACE: &str = "place";

/// The column with the number of rows of a ring that fit each record.
pub(super) const WINDOW: &str = "window";

/// The column with the number of records that have a value.
pub(super) const COUNT: &str = "count";

/// The part with the sensitive values of each group.
pub(super) const SENSITIVE: &str = "sensitive";

/// The part that says which columns belong together.
pub(super) const SLICES: &str = "slices";

/// The column of the part `slices` with the names of columns.
pub(super) const COLUMN: &str = "column";

/// The column of the part `slices` with the numbers of slices.
pub(super) const SLICE: &str = "slice";

#[cfg(test)]
mod tests {
    use crate::notation;

    #[test]
    fn the_names_are_those_that_releases_have() {
        assert_eq!(super::BOUNDS, notation::BOUNDS);
        assert_eq!(super::GROUP, notation::GROUP);
        assert_eq!(super::PLACE, notation::PLACE);
        assert_eq!(super::WINDOW, notation::WINDOW);
        assert_eq!(super::COUNT, notation::COUNT);
        assert_eq!(super::SENSITIVE, notation::SENSITIVE);
        assert_eq!(super::SLICES, notation::SLICES);
        assert_eq!(super::COLUMN, notation::COLUMN);
        assert_eq!(super::SLICE, notation::SLICE);
    }
}
