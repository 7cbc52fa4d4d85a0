//! What the library promises, checked from outside.

mod agglomerative;
mod architecture;
mod bound;
mod cb;
mod conformance;
mod definitions;
mod engine;
mod growing;
mod guarded;
mod hard;
mod hierarchies;
mod hilbert;
mod laws;
mod means;
mod measures;
mod mondrian;
mod naive;
mod optimum;
mod papers;
mod registries;
mod releases;
mod scores;
mod sequential;
mod tables;
