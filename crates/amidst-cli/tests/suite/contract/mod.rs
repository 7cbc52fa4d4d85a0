//! What other programs rely on.

mod attack;
mod audit;
mod bound;
mod compare;
pub mod formats;
mod kinds;
mod measure;
mod missing;
mod output;
mod persons;
mod privacy;
mod privacy_example;
mod programs;
mod pseudonyms;
mod repeat;
mod report;
mod risk;
mod suppression;
