//! What happened to a data steward on an evening with tables that nobody here had seen. Each happening is a test that is named after it.

mod blank_cells;
mod dates;
mod first_plans;
mod numbers;
mod reading;
mod recognizers;
mod report_page;
mod tables;
mod undeclared_identifiers;
mod verdicts;
