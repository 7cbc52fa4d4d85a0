//! Tables that are made up, of shapes that the real ones lack.

use amidst::Result;
use amidst::internals::read::{Options, Source, Table};
use amidst::progress::Progress;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of rows of each.
const ROWS: usize = 20_000;

/// The table of this name.
pub fn table(name: &str) -> Result<Table> {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (columns, row): (usize, fn(&mut ChaCha8Rng) -> Vec<u32>) = match name {
        // Sets: a hidden group of eight shifts what is frequent in each of sixteen columns of three to eight values.
        "made up: sets" => (16, |rng| {
            let group = rng.random_range(0..8_u32);
            let value = |column: u32, rng: &mut ChaCha8Rng| {
                let values = 3 + column % 6;
                // The lower of two draws is more often low, so some values are rare.
                let drawn = rng.random_range(0..values).min(rng.random_range(0..values));
                (drawn + group * (column % 3)) % values
            };
            (0..16).map(|column| value(column, rng)).collect()
        }),
        // Numbers: each column follows one of three hidden numbers, with some noise.
        "made up: numbers" => (10, |rng| {
            let hidden: [f64; 3] = std::array::from_fn(|_| rng.random::<f64>().powi(2));
            let value = |column: usize, rng: &mut ChaCha8Rng| {
                let noise: f64 = (0..4).map(|_| rng.random::<f64>()).sum::<f64>() / 4.0;
                ((hidden[column % 3] + 0.3 * noise) * f64::from(100 << (column % 4))) as u32
            };
            (0..10).map(|column| value(column, rng)).collect()
        }),
        // Even: all combinations are equally likely.
        _ => (4, |rng| [90, 30, 12, 2].map(|values| rng.random_range(0..values)).to_vec()),
    };
    let letters = name == "made up: sets";
    let cell = |value: u32| if letters { char::from(b'a' + value as u8).to_string() } else { value.to_string() };
    let names: Vec<String> = (1..=columns).map(|number| format!("c{number}")).collect();
    let mut text = names.join(",");
    for _ in 0..ROWS {
        text.push('\n');
        text += &row(&mut rng).into_iter().map(cell).collect::<Vec<_>>().join(",");
    }
    let source: Source = Source::Held("made-up.csv".into(), text.into_bytes().into());
    source.read(&Options::default(), Progress::silent())
}
