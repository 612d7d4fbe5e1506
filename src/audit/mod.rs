//! What is found about grader, annotators and schemes over a whole review: figures, no drawing.
//!
//! Reads a [`crate::review::ReviewSession`]; changes nothing, prints nothing, opens no database.

pub mod accuracy;
pub mod misplaced;
pub mod report;
pub mod rule_rates;
pub mod schedules;
pub mod scheme_table;
mod spread;

pub use spread::Spread;
