#![no_main]

use amidst_trials::targets;
use libfuzzer_sys::fuzz_target;

fuzz_target!(init: targets::set_up(), |bytes: &[u8]| targets::run("plan", bytes));
