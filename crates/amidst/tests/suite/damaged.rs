//! Parquet files of which some bytes are others than were written: an error or a table, never a panic, never more memory or time
//! than the file is worth.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use amidst::internals::read::{Options, read};
use amidst::progress::{Observer, Progress};
use arrow_array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Allows 1 GiB, and has no patience.
struct Impatient(Instant);

impl Observer for Impatient {
    fn begin(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn interrupted(&self) -> bool {
        self.0.elapsed() > Duration::from_secs(20)
    }
    fn memory_limit(&self) -> Option<u64> {
        Some(1 << 30)
    }
}

/// A file with columns of every kind, missing values, a dictionary, and several groups of rows.
fn file(compression: Compression, dictionary: bool) -> Vec<u8> {
    let rows = 0..600_i64;
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("number", Arc::new(rows.clone().map(|r| (r % 7 > 0).then_some(r * r)).collect::<Int64Array>())),
        (
            "text",
            Arc::new(rows.clone().map(|r| (r % 5 > 0).then(|| format!("text {}", r % 20))).collect::<StringArray>()),
        ),
        ("decimal", Arc::new(rows.clone().map(|r| Some(r as f64 / 3.0)).collect::<Float64Array>())),
        ("day", Arc::new(rows.clone().map(|r| Some(r as i32)).collect::<Date32Array>())),
        ("flag", Arc::new(rows.map(|r| Some(r % 3 == 0)).collect::<BooleanArray>())),
    ];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let properties = WriterProperties::builder()
        .set_compression(compression)
        .set_dictionary_enabled(dictionary)
        .set_max_row_group_row_count(Some(250))
        .build();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

#[test]
fn flipped_bytes() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let mut panics = 0;
    for (compression, dictionary) in [
        (Compression::UNCOMPRESSED, true),
        (Compression::UNCOMPRESSED, false),
        (Compression::SNAPPY, true),
        (zstd, false),
    ] {
        let whole = file(compression, dictionary);
        let footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().unwrap()) as usize;
        for trial in 0..1_000 {
            let mut bytes = whole.clone();
            for _ in 0..rng.random_range(1..4) {
                // Half of them in the footer, where the sizes stand.
                let from = if trial % 2 == 0 { whole.len() - 8 - footer } else { 4 };
                let place = rng.random_range(from..whole.len());
                bytes[place] = if rng.random() { rng.random() } else { [0, 0xff, 0x7f, 0x80][rng.random_range(0..4)] };
            }
            let mut target = tempfile::NamedTempFile::new().unwrap();
            target.write_all(&bytes).unwrap();
            let observer = Impatient(Instant::now());
            let read = read(target.path(), &Options::default(), Progress::to(&observer));
            assert!(observer.0.elapsed() < Duration::from_secs(20), "trial {trial}");
            panics += u32::from(read.is_err_and(|e| e.to_string().contains("damaged")));
        }
    }
    assert!(panics > 500, "only {panics} of 4,000 were found to be damaged");
}
