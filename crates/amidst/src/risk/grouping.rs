//! Groups of records that some columns do not tell apart.
//!
//! A record that is alone stays alone when columns are added, so only the other records are kept. Adding a column sorts each group by it, in
//! O(n log n). Counting the records that a column would make alone takes O(n) and a mark for each value.
//!
//! If the table says whose its records are, a group is alone when all its records are of one person, and what is counted are the persons with
//! such a group. The other records of these persons stay where they are, because others may hide among them.

use super::columns::CodedColumn;

/// The groups of at least two records or persons, and the number of those who are alone.
#[derive(Debug, Clone)]
pub(super) struct Grouping<'a> {
    /// The records, group by group.
    rows: Vec<u32>,
    /// The end of each group in `rows`.
    ends: Vec<u32>,
    /// The number of records that are alone, and so in no group; or of persons with a group that has no record of anybody else.
    alone: usize,
    /// Whose each record is, if persons are counted.
    persons: Option<&'a [u32]>,
    /// Which persons are alone; empty if records are counted.
    found: Vec<bool>,
}

/// Memory for marks, which is reused.
#[derive(Default)]
pub(super) struct Marks {
    /// For each value, the last group with the value, twice, and 1 more if it is there for more than one record or person.
    last: Vec<u32>,
    /// For each value, whose it is in that group.
    whose: Vec<u32>,
    /// The values of a group.
    values: Vec<u32>,
}

impl<'a> Grouping<'a> {
    /// All records in one group, before any column is added.
    pub(super) fn all(rows: usize, persons: Option<&'a [u32]>) -> Self {
        let found = vec![false; persons.and_then(|all| all.iter().max()).map_or(0, |last| *last as usize + 1)];
        let mut all = Grouping { rows: Vec::new(), ends: Vec::new(), alone: 0, persons, found };
        let records: Vec<u32> = (0..rows as u32).collect();
        if !records.is_empty() {
            all.add(&records);
        }
        all
    }

    /// The number of records or persons that are alone.
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

    /// Adds a group, or counts who is alone in it.
    fn add(&mut self, group: &[u32]) {
        let is_alone = match self.persons {
            None => group.len() == 1,
            Some(of) => group.iter().all(|row| of[*row as usize] == of[group[0] as usize]),
        };
        if !is_alone {
            self.rows.extend(group);
            self.ends.push(self.rows.len() as u32);
            return;
        }
        let known = match self.persons {
            None => false,
            Some(of) => std::mem::replace(&mut self.found[of[group[0] as usize] as usize], true),
        };
        self.alone += usize::from(!known);
    }

    /// The groups after a column is added.
    pub(super) fn with(&self, column: &CodedColumn) -> Self {
        let (rows, found) = (Vec::with_capacity(self.rows.len()), self.found.clone());
        let mut finer = Grouping { rows, ends: Vec::new(), alone: self.alone, persons: self.persons, found };
        let mut keys: Vec<u64> = Vec::new();
        let mut group_of: Vec<u32> = Vec::new();
        for group in self.groups() {
            keys.clear();
            keys.extend(group.iter().map(|row| u64::from(column.codes[*row as usize]) << 32 | u64::from(*row)));
            keys.sort_unstable();
            for same in keys.chunk_by(|one, other| one >> 32 == other >> 32) {
                group_of.clear();
                group_of.extend(same.iter().map(|key| *key as u32));
                finer.add(&group_of);
            }
        }
        finer
    }

    /// The number of records or persons that would be alone if a column were added.
    pub(super) fn alone_with(&self, column: &CodedColumn, marks: &mut Marks) -> usize {
        match self.persons {
            None => self.records_alone_with(column, marks),
            Some(persons) => self.persons_alone_with(persons, column, marks),
        }
    }

    fn records_alone_with(&self, column: &CodedColumn, marks: &mut Marks) -> usize {
        let marks = &mut marks.last;
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

    fn persons_alone_with(&self, persons: &[u32], column: &CodedColumn, marks: &mut Marks) -> usize {
        let Marks { last, whose, values } = marks;
        last.clear();
        last.resize(column.values, 0);
        whose.resize(column.values.max(whose.len()), 0);
        let (mut alone, mut found) = (self.alone, self.found.clone());
        for (group, number) in self.groups().zip(1_u32..) {
            values.clear();
            for row in group {
                let (code, person) = (column.codes[*row as usize], persons[*row as usize]);
                let (mark, whose) = (&mut last[code as usize], &mut whose[code as usize]);
                if *mark < 2 * number {
                    (*mark, *whose) = (2 * number, person);
                    values.push(code);
                } else if *whose != person {
                    *mark = 2 * number + 1;
                }
            }
            for code in values.iter().filter(|code| last[**code as usize] == 2 * number) {
                let known = std::mem::replace(&mut found[whose[*code as usize] as usize], true);
                alone += usize::from(!known);
            }
        }
        alone
    }
}
