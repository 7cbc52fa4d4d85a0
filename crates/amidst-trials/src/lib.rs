//! What amidst is tried with.
//!
//! - [`targets`]: the functions that are fuzzed. `fuzz/` hands them to libFuzzer; `tests/replay.rs` replays the seeds and some
//!   thousand [`mutations`] of them on stable Rust, and `src/bin/mutate.rs` as many as you like.
//! - [`people`]: a small table with a column of every kind.
//! - [`oracle`]: a plain check of what was published, from the files and the original table alone. It shares no code with
//!   the library: cells are written and read here a second time, as simply as possible.
//!
//! Everything here panics where something is wrong, because that is what a test does.

#![allow(clippy::missing_panics_doc)]

pub mod grid;
pub mod kind;
pub mod mutations;
pub mod oracle;
pub mod people;
pub mod targets;
