//! How much grader and annotators agree, as tables in tabs.

mod state;
mod update;
mod view;

pub use state::State;
pub use update::{found, given_up, is_hidden, mouse, selected_pair, settle, update};
pub use view::draw;
