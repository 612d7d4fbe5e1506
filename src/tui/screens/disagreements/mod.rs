//! The groups that grader and people rank differently, by credit disagreement.

mod update;
mod view;

pub use update::{State, found, given_up, mouse, settle, show, update};
pub use view::draw;
