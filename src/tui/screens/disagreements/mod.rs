//! The groups that grader and people rank differently, by credit disagreement.

mod update;
mod view;

pub use update::{State, mouse, settle, update};
pub use view::draw;
