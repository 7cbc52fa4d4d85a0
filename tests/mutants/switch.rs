//! Which mutant is switched on: part of the copy of the sources that `tests/mutants/schemata.py` makes.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of the mutant; 0 is none.
static MUTANT: LazyLock<u32> =
    LazyLock::new(|| env::var("AMIDST_MUTANT").ok().and_then(|number| number.parse().ok()).unwrap_or(0));

/// Where the functions that were called are listed.
static TRACE: LazyLock<Option<File>> = LazyLock::new(|| {
    let path = env::var_os("AMIDST_TRACE")?;
    OpenOptions::new().create(true).append(true).open(path).ok()
});

static CALLED: [AtomicBool; 4096] = [const { AtomicBool::new(false) }; 4096];

/// The mutant that runs, as every function with mutants asks first.
pub(crate) fn on(function: usize) -> u32 {
    if let Some(mut trace) = TRACE.as_ref()
        && !CALLED[function].swap(true, Ordering::Relaxed)
    {
        let _ = trace.write_all(format!("{function}\n").as_bytes());
    }
    *MUTANT
}
