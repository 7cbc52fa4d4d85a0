//! Forms in which a partition is published.

mod generalization;

use arrow_array::{RecordBatch, UInt32Array};
use arrow_select::take::take;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;
use sha2::{Digest, Sha256};

use crate::encode::Encoded;
use crate::error::{Error, Result};
use crate::plan::RowOrder;
use crate::problem::{Partition, Problem};
use crate::read::Table;
use crate::registry::{self, Entry, Params, Spec};
use crate::schema::Schema;

/// Turns clusters into tables that may be published.
pub trait Publisher: Send + Sync {
    /// The release of `original`, whose records `problem` holds and `partition` clusters.
    fn publish(&self, original: &Original, problem: &Problem, partition: &Partition) -> Result<Release>;
}

/// The table behind a problem, and the order in which its rows are published.
#[derive(Debug, Clone, Copy)]
pub struct Original<'a> {
    /// The table, without its identifiers.
    pub table: &'a Table,
    /// The roles of its columns.
    pub schema: &'a Schema,
    /// The row of `table` that each published row comes from.
    pub order: &'a [u32],
}

impl Original<'_> {
    /// A column as it is, in the published order.
    fn column(&self, column: &str) -> Result<arrow_array::ArrayRef> {
        let indices = UInt32Array::from(self.order.to_vec());
        take(self.table.column(column)?, &indices, None).map_err(|e| Error::column(column, &e))
    }
}

/// What is published: one table, or several that belong together.
#[derive(Debug)]
pub struct Release {
    /// The tables.
    pub tables: Vec<RecordBatch>,
}

/// How publishers are built.
pub type Build = fn(&Params) -> Box<dyn Publisher>;

/// All publishers.
pub const ALL: &[Entry<Build>] = &[generalization::ENTRY];

/// The publisher that `spec` asks for.
pub fn build(spec: &Spec) -> Result<Box<dyn Publisher>> {
    let (entry, params) = registry::find(ALL, "publisher", spec)?;
    Ok((entry.build)(&params))
}

/// The row that each published row comes from.
///
/// The shuffle depends on the seed *and* on the records. The seed stands in the plan beside the release; if it alone
/// decided, everybody could undo the shuffle. With the records mixed in, only who has the original can.
pub fn row_order(encoded: &Encoded, order: RowOrder, seed: u64) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..encoded.rows() as u32).collect();
    if order == RowOrder::Shuffle {
        let mut digest = Sha256::new();
        digest.update(b"amidst row order");
        digest.update(seed.to_le_bytes());
        let mut bytes = Vec::new();
        for row in &rows {
            bytes.extend(encoded.row(*row).iter().flat_map(|code| code.to_le_bytes()));
            if bytes.len() > 1 << 16 {
                digest.update(&bytes);
                bytes.clear();
            }
        }
        digest.update(&bytes);
        rows.shuffle(&mut ChaCha12Rng::from_seed(digest.finalize().into()));
    }
    rows
}
