//! What the library promises, checked from outside.

mod architecture;
mod cb;
mod conformance;
mod definitions;
mod hard;
mod hierarchies;
mod hilbert;
mod laws;
mod measures;
mod mondrian;
mod naive;
mod papers;
mod registries;
mod releases;
mod scores;
mod tables;
