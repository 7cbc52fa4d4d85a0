//! Groups of records that some columns do not tell apart.
//!
//! A record that is alone stays alone when columns are added, so only the other records are kept. Adding a column sorts each group by it, in
//! O(n log n). Counting the records that a column would make alone takes O(n) and a mark for each value.

use super::columns::CodedColumn;

/// The groups with at least two records, and the number of the other records.
#[derive(Debug, Clone)]
pub(super) struct Grouping {
    /// The records, group by group.
    rows: Vec<u32>,
    /// The end of each group in `rows`.
    ends: Vec<u32>,
    /// The number of records that are alone, and so in no group.
    alone: usize,
}

/// Memory for marks, which is reused.
#[derive(Default)]
pub(super) struct Marks(Vec<u32>);

impl Grouping {
    /// All records in one group, before any column is added.
    pub(super) fn all(rows: usize) -> Self {
        if rows < 2 {
            return Grouping { rows: Vec::new(), ends: Vec::new(), alone: rows };
        }
        Grouping { rows: (0..rows as u32).collect(), ends: vec![rows as u32], alone: 0 }
    }

    /// The number of records that are alone.
    pub(super) fn alone(&self) -> usize {
        self.alone
    }

    fn groups(&self) -> impl Iterator<Item = &[u32]> {
        let mut begin = 0;
        self.ends.iter().map(move |end| {
            let group = &self.rows[begin..*end as usize];
            begin = *end as usize;
            group
        })
    }

    /// The groups after a column is added.
    pub(super) fn with(&self, column: &CodedColumn) -> Self {
        let mut finer = Grouping { rows: Vec::with_capacity(self.rows.len()), ends: Vec::new(), alone: self.alone };
        let mut keys: Vec<u64> = Vec::new();
        for group in self.groups() {
            keys.clear();
            keys.extend(group.iter().map(|row| u64::from(column.codes[*row as usize]) << 32 | u64::from(*row)));
            keys.sort_unstable();
            for same in keys.chunk_by(|one, other| one >> 32 == other >> 32) {
                if same.len() == 1 {
                    finer.alone += 1;
                } else {
                    finer.rows.extend(same.iter().map(|key| *key as u32));
                    finer.ends.push(finer.rows.len() as u32);
                }
            }
        }
        finer
    }

    /// The number of records that would be alone if a column were added.
    pub(super) fn alone_with(&self, column: &CodedColumn, marks: &mut Marks) -> usize {
        let marks = &mut marks.0;
        marks.clear();
        marks.resize(column.values, 0);
        let mut alone = self.alone;
        // A mark is 2g if the value was seen once in group g, and 2g + 1 if it was seen again.
        for (group, number) in self.groups().zip(1_u32..) {
            for row in group {
                let mark = &mut marks[column.codes[*row as usize] as usize];
                if *mark == 2 * number {
                    *mark += 1;
                    alone -= 1;
                } else if *mark < 2 * number {
                    *mark = 2 * number;
                    alone += 1;
                }
            }
        }
        alone
    }
}
