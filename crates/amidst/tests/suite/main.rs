//! What the library promises, checked from outside.

// First, because its macros are used by those below.
#[macro_use]
mod members;

mod agglomerative;
mod architecture;
mod arp;
mod attacks;
mod bound;
mod cb;
mod conformance;
mod damaged;
mod definitions;
mod encoding;
mod engine;
mod fingerprints;
mod forms;
mod full_domain;
mod growing;
mod guarded;
mod hard;
mod hierarchies;
mod hilbert;
mod households;
mod laws;
mod means;
mod measures;
mod memory;
mod microaggregation;
mod mondrian;
mod naive;
mod optimum;
mod pairs;
mod papers;
mod persons;
mod persons_told;
mod privacy;
mod randomization;
mod registries;
mod releases;
mod report;
mod ring;
mod risk;
mod scores;
mod sequential;
mod slicing;
mod suppression;
mod tables;
mod top_down_xu;
