//! Hierarchies from data frames.

use amidst::ReadOptions;
use pyo3::prelude::*;

use crate::error::unexpected;
use crate::input::Input;
use crate::work;

/// The lines of a hierarchy file, `leaf;…;root`, from a table with a column for each level. Empty cells are left out.
#[pyfunction]
pub fn hierarchy_lines(py: Python, table: &Bound<PyAny>, name: &str) -> PyResult<String> {
    let input = Input::new(table, name)?;
    let columns = work::run(py, None, None, |progress| {
        let table = input.source(progress)?.read(&ReadOptions::default(), progress)?;
        let rows: Vec<usize> = (0..table.rows()).collect();
        table.names().map(|column| table.cells(column, &rows)).collect::<amidst::Result<Vec<_>>>()
    })?;
    let mut lines = csv::WriterBuilder::new().delimiter(b';').flexible(true).from_writer(Vec::new());
    for row in 0..columns.first().map_or(0, Vec::len) {
        let cells = columns.iter().map(|column| column[row].as_str());
        lines.write_record(cells.filter(|cell| !cell.is_empty())).map_err(|e| unexpected(&e))?;
    }
    let bytes = lines.into_inner().map_err(|e| unexpected(&e))?;
    String::from_utf8(bytes).map_err(|e| unexpected(&e))
}
