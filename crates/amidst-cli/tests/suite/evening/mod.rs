//! What happened to a data steward on an evening with tables that nobody here had seen. Each happening is a test that is named after it.
//!
//! | happening | tests |
//! |---|---|
//! | 1. names, a doctor and a unique amount were published because no flag named them, and the page was green | `undeclared_identifiers` |
//! | 2. the demo's own release let incomes be known with certainty, under a green banner | `verdicts` |
//! | 3. blank cells were texts, and not missing | `blank_cells` |
//! | 4. `init` took names and numbers of persons for quasi-identifiers, a ZIP for a number, an admission for an identifier, a disease for nothing | `first_plans`, `recognizers` |
//! | 5. only ISO dates were dates, and the command that `risk` proposes did not run | `dates`, `numbers` |
//! | 6. files with other delimiters, encodings and headers | `reading`, `odd_files` |
//! | 7. flags and `init` took one column for two kinds; Python kept the order of the rows, and so did its pickles | `first_plans`, `crates/amidst-py/tests/test_happening_7_order.py` |
//! | 8. cross-validation of scikit-learn gave nan, and `show=` was not accepted | `crates/amidst-py/tests/test_happening_8_modelling.py` |
//! | 9. the report's time was a part of the run's, paper lost the details, matrices full of zeros, jargon first | `report_page`, `tests/report/check.py` |
//! | 10. names of managers came out in sets under a green verdict | `other_people` |
//! | 11. salaries could not be published up to a top | `coded_sensitive` |
//! | nobody could tell why a release lost so much, what it would be or how long it would take | `explanations`, `advice`, `dry_runs`, `crates/amidst-py/tests/test_explaining.py` |

mod advice;
mod blank_cells;
mod classifications;
mod coded_numbers;
mod coded_sensitive;
mod dates;
mod dry_runs;
mod explanations;
mod first_plans;
mod numbers;
mod odd_files;
mod other_people;
mod reading;
mod recognizers;
mod report_page;
mod tables;
mod undeclared_identifiers;
mod verdicts;
