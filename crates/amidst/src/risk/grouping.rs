//! Records that some columns do not tell apart.
//!
//! A record that is alone stays alone whatever columns are added, so only the others are kept. Nothing is hashed: adding a column sorts each
//! group by it, and to count who would be alone takes one look at each record and a mark for each value.

use super::columns::CodedColumn;

/// Groups of two records or more, and how many are alone.
#[derive(Debug, Clone)]
pub(super) struct Grouping {
    /// The records of one group after those of the other.
    rows: Vec<u32>,
    /// Where each group ends.
    ends: Vec<u32>,
    /// How many records are in none, because they are alone.
    alone: usize,
}

/// Room for marks, which is used again and again.
#[derive(Default)]
pub(super) struct Marks(Vec<u32>);

impl Grouping {
    /// So many records, and no columns yet.
    pub(super) fn all(rows: usize) -> Self {
        if rows < 2 {
            return Grouping { rows: Vec::new(), ends: Vec::new(), alone: rows };
        }
        Grouping { rows: (0..rows as u32).collect(), ends: vec![rows as u32], alone: 0 }
    }

    /// How many records are alone.
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

    /// The groups that are left when a column is added.
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

    /// How many records would be alone if a column were added.
    pub(super) fn alone_with(&self, column: &CodedColumn, marks: &mut Marks) -> usize {
        let marks = &mut marks.0;
        marks.clear();
        marks.resize(column.values, 0);
        let mut alone = self.alone;
        // Twice the number of the group: seen once; one more: seen again.
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
