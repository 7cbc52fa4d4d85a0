//! One test for every hole that a hostile trial found, named after it. Each of them failed before its hole was closed.

mod widths;
