//! The candidates of one group side by side, and their ranking.
//!
//! The most used screen: read the patches, put the candidates in order, submit. Only `view.rs`
//! knows the terminal library; `layout.rs` says where things stand to all of them.

mod candidates;
mod layout;
mod rows;
mod state;
mod task;
#[cfg(test)]
pub(in crate::tui::screens) mod tests;
mod update;
mod view;

pub use candidates::{Candidate, candidates, letter, order};
pub use layout::{Layout, Slot};
pub use rows::Rows;
pub use state::{Body, State};
pub use update::{enter, focused_candidate, mouse, searched, settle, update};
pub use view::draw;
