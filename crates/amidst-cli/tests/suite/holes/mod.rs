//! One test for every hole that a hostile trial found, named after it. Each of them failed before its hole was closed.

mod mixed_release;
mod odd_targets;
mod overwriting;
mod readable_leftovers;
mod suppressed_records;
