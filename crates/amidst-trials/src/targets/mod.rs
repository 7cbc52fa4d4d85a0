//! What is fuzzed: functions that take any bytes and must not panic.
//!
//! Each reads its input as a short script, so that most inputs mean something.

mod cells;
mod csv;
mod hierarchy;
mod parquet;
mod plan;
mod tampered;

use std::sync::Once;

/// A function that is fuzzed.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is also that of its folder of seeds.
    pub name: &'static str,
    /// Tries these bytes; panics where something is wrong.
    pub run: fn(&[u8]),
}

/// All of them.
pub const ALL: &[Target] = &[
    Target { name: "csv", run: csv::run },
    Target { name: "parquet", run: parquet::run },
    Target { name: "plan", run: plan::run },
    Target { name: "hierarchy", run: hierarchy::run },
    Target { name: "cells", run: cells::run },
    Target { name: "tampered", run: tampered::run },
];

/// Tries these bytes on the target of that name.
pub fn run(name: &str, bytes: &[u8]) {
    let target = ALL.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("there is no target {name}")).run)(bytes);
}

/// Makes this thread do all work, and leaves panics to whoever catches them: libFuzzer's own hook would end the process also where a
/// panic is caught.
pub fn set_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails where a pool is there already, which is as good.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        let _ = std::panic::take_hook();
    });
}

/// Reads a script from bytes.
struct Script<'a>(&'a [u8]);

impl<'a> Script<'a> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next byte; 0 behind the last.
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// A number below `end`, which may be 0.
    fn below(&mut self, end: usize) -> usize {
        let number = usize::from(self.byte()) << 8 | usize::from(self.byte());
        if end == 0 { 0 } else { number % end }
    }

    /// Up to that byte, without it.
    fn until(&mut self, end: u8) -> &'a [u8] {
        let length = self.0.iter().position(|byte| *byte == end).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest.get(1..).unwrap_or_default();
        taken
    }

    /// The rest as text, cut into lines; what is no UTF-8 is replaced.
    fn lines(self) -> Vec<String> {
        String::from_utf8_lossy(self.0).split('\n').map(str::to_owned).collect()
    }
}
