//! A table of texts.

/// A table of texts: what stands in a CSV file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// The names of the columns.
    pub header: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// Reads CSV; `None` where it is none.
    pub fn parse(bytes: &[u8]) -> Option<Grid> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut reader = csv::Reader::from_reader(bytes);
        let header = reader.headers().ok()?.iter().map(str::to_owned).collect();
        let rows = reader.records().map(|record| record.map(|r| r.iter().map(str::to_owned).collect()));
        Some(Grid { header, rows: rows.collect::<Result<_, _>>().ok()? })
    }

    /// The table as CSV.
    pub fn csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows) {
            writer.write_record(row).expect("memory does not fail");
        }
        writer.into_inner().expect("memory does not fail")
    }

    /// The place of a column.
    pub fn place(&self, column: &str) -> Option<usize> {
        self.header.iter().position(|name| name == column)
    }

    /// The texts of a column.
    pub fn column(&self, column: &str) -> Vec<&str> {
        let place = self.place(column).unwrap_or_else(|| panic!("there is no column {column} in {:?}", self.header));
        self.rows.iter().map(|row| row[place].as_str()).collect()
    }
}
