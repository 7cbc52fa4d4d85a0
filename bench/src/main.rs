//! amidst
fn main() {}
