//! How much grader and annotators agree: tables with intervals.

mod update;
mod view;

pub use update::{State, mouse, settle, update};
pub use view::draw;
