//! Any text as a plan.
//!
//! A plan that was stored and read again is the same plan.

use amidst::plan::Plan;

pub(super) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(plan) = text.parse::<Plan>() else { return };
    let stored = plan.to_toml(|_| None);
    let again: Plan = stored.parse().unwrap_or_else(|e| panic!("{e}\nin\n{stored}"));
    // Not a number is not equal to itself, but written alike.
    assert!(again == plan || stored.contains("nan"), "{stored}");
    assert_eq!(again.to_toml(|_| None), stored);
    let remarked =
        plan.to_toml(|name| Some(name.replace(['\n', '\r'], " ").chars().filter(|c| !c.is_control()).collect()));
    let remarked: Plan = remarked.parse().unwrap_or_else(|e| panic!("{e}\nin\n{remarked}"));
    assert_eq!(remarked.to_toml(|_| None), stored);
}
