//! Schemes compared over the loaded groups.

mod update;
mod view;

pub use update::{State, mouse, settle, update};
pub use view::draw;
