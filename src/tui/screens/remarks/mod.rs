//! The list of remarks of the out-of-scope rules over the loaded set.

mod update;
mod view;

pub use update::{State, mouse, settle, update};
pub use view::draw;
