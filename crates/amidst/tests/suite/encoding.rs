//! What the encoding says of columns, on tables that are small enough to see it.

use std::sync::Arc;

use amidst::internals::encode::{Encoded, Order, Span};
use amidst::internals::read::{self, Options};
use amidst::progress::Progress;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, Int32Array, RecordBatch, StringArray};

use crate::tables::load;

fn encoded(csv: &str, columns: &str) -> Arc<Encoded> {
    load(csv, &format!("[privacy]\nk = 2\n[columns]\n{columns}")).encoded
}

/// From 0.25 to 0.75 is a step of 0.5, from there to 2.25 three, and the whole is four.
#[test]
fn decimals_are_whole_numbers_of_steps() {
    let encoded = encoded("x\n0.25\n0.75\n2.25\n2.25\n", "x = { role = \"quasi\", kind = \"range\" }\n");
    assert_eq!(encoded.domains()[0].steps(), Some(4));
}

/// Half a second of ten seconds is a twentieth, and all are multiples of it.
#[test]
fn parts_of_seconds_count() {
    let times = "x\n2020-01-01 00:00:00.0\n2020-01-01 00:00:00.5\n2020-01-01 00:00:10.0\n2020-01-01 00:00:10.0\n";
    let encoded = encoded(times, "x = { role = \"quasi\", kind = \"range\", format = \"%Y-%m-%d %H:%M:%S%.f\" }\n");
    let domain = &encoded.domains()[0];
    assert_eq!((domain.len(), domain.steps()), (3, Some(20)));
    let share = domain.extent(Span::range(0, 1)).unwrap();
    assert!((share - 0.05).abs() < 1e-9, "{share}");
}

#[test]
fn without_a_sensitive_column_those_with_the_fewest_values_come_first() {
    let set = |name: &str| format!("{name} = {{ role = \"quasi\", kind = \"set\" }}\n");
    // The tree of b has four leaves, of which two are in the table.
    let tree = "b = { role = \"quasi\", kind = \"taxonomy\", hierarchy = { lines = \"p;*\\nq;*\\nr;*\\ns;*\" } }\n";
    let encoded = encoded("a,b,c\n1,p,x\n2,q,x\n3,q,x\n3,p,x\n", &(set("a") + tree + &set("c")));
    assert_eq!(encoded.by_correlation(Order::Rising), [2, 1, 0]);
    assert_eq!(encoded.by_correlation(Order::Falling), [2, 1, 0]);
}

/// A dictionary without a single value: all its rows are missing.
#[test]
fn a_dictionary_may_be_empty() {
    let keys = Int32Array::from(vec![None, None, None]);
    let empty = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(StringArray::from(Vec::<&str>::new()))).unwrap();
    let ages: ArrayRef = Arc::new(Int32Array::from(vec![30, 31, 32]));
    let columns = [("town", Arc::new(empty) as ArrayRef, true), ("age", ages, true)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let frame = read::Frame::new("people", batch.schema(), [Ok(batch)], Progress::silent()).unwrap();
    let table = read::Source::Memory(frame, Vec::new()).read(&Options::default(), Progress::silent()).unwrap();
    assert_eq!(table.rows(), 3);
    assert_eq!(table.column("town").unwrap().null_count(), 3);
}

/// Three letters can begin the name of a column; bytes that no text has behind them cannot.
#[test]
fn orc_files_are_told_from_columns_that_begin_so() {
    let read = |bytes: &[u8]| read::read_bytes("people.csv", bytes.to_vec(), &Options::default(), Progress::silent());
    for bytes in [&b"ORC\x01\x02abcdefgh,\n1,2\n"[..], b"ORC\xff\xfeabcdefgh,\n1,2\n"] {
        let message = read(bytes).unwrap_err().to_string();
        assert!(message.contains("an ORC file"), "{message}");
    }
    assert_eq!(read(b"ORCHID,age\nred,1\n").unwrap().names().collect::<Vec<_>>(), ["ORCHID", "age"]);
}
