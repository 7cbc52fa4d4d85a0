//! Any bytes as a Parquet file.
//!
//! Every column that was read has a text or says why not.

use amidst::internals::read::{Options, read_bytes, texts};
use amidst::progress::Progress;

/// Larger inputs teach nothing more.
const LONGEST: usize = 1 << 14;

pub(super) fn run(bytes: &[u8]) {
    if bytes.len() > LONGEST || !bytes.starts_with(b"PAR1") {
        return;
    }
    let Ok(table) = read_bytes("fuzz.parquet", bytes.to_vec(), &Options::default(), Progress::silent()) else { return };
    for column in table.batch().columns() {
        if let Ok(texts) = texts(column) {
            assert_eq!(texts.keys().len(), table.rows());
        }
    }
}
