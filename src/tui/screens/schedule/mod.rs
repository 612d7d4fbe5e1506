//! Estimator, scheme and the rules beside them: what a value changes is seen at once.

mod figures;
mod rows;
mod update;
mod values;
mod view;

pub use rows::{Summary, in_short};
pub use update::{State, mouse, settle, typed, update};
pub use values::Line;
pub use view::draw;
