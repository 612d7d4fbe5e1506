//! What the grader said of the open group: ranking, reasoning, findings, problems, raw answer.

mod rows;
mod update;
mod view;

pub use rows::{Line, lines};
pub use update::{State, mouse, settle, update};
pub use view::draw;
