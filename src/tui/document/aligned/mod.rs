//! Several patches on the rows of their shared base: one grid of rows for all columns, and for each
//! column what its patch does there.
//!
//! What is *not* here: where base lines come from and how patches are laid on them
//! ([`crate::diff::Aligned`]).

mod column;
mod grid;

pub use column::Column;
pub use grid::Grid;

#[cfg(test)]
mod tests;
