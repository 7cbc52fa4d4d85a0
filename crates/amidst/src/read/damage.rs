//! Catches panics of decoders on damaged files.
//!
//! The crates behind Parquet check most of what a file claims, but not all of it. What they do not expect ends in a panic instead of an error.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is expected. Then nothing is printed about it.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs `decode` and returns its result, or the message of its panic.
pub(crate) fn caught<T>(decode: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !EXPECTED.get() {
                previous(info);
            }
        }));
    });
    let before = EXPECTED.replace(true);
    // After a panic, the state of the decoder is dropped and never used.
    let done = panic::catch_unwind(AssertUnwindSafe(decode));
    EXPECTED.set(before);
    done.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".to_owned())
    })
}

/// An iterator that ends if the inner one panics. Its last item is the message of the panic.
pub(crate) struct Caught<I>(Option<I>);

impl<I: Iterator> Caught<I> {
    pub(crate) fn new(inner: I) -> Self {
        Caught(Some(inner))
    }
}

impl<I: Iterator> Iterator for Caught<I> {
    type Item = Result<I::Item, String>;

    fn next(&mut self) -> Option<Self::Item> {
        let inner = self.0.as_mut()?;
        match caught(|| inner.next()) {
            Ok(item) => item.map(Ok),
            Err(message) => {
                self.0 = None;
                Some(Err(message))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_the_iteration() {
        let items = [1_u32, 0, 2].into_iter().map(|n| 6_u32.checked_div(n).expect("not zero"));
        let items: Vec<_> = Caught::new(items).collect();
        assert_eq!(items, [Ok(6), Err("not zero".to_owned())]);
    }
}
