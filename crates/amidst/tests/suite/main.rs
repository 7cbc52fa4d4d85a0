//! What the library promises, checked from outside.

mod agglomerative;
mod architecture;
mod conformance;
mod definitions;
mod hard;
mod hierarchies;
mod laws;
mod measures;
mod mondrian;
mod naive;
mod papers;
mod registries;
mod releases;
mod scores;
mod sequential;
mod tables;
