//! The candidates of one group side by side, and their ranking.
//!
//! The most used screen: read the patches, put the candidates in order, submit. Only `view.rs`
//! knows the terminal library; `layout.rs` says where things stand to all of them.

mod candidates;
mod hunk_place;
mod layout;
mod reading;
mod state;
mod task;
#[cfg(test)]
pub(in crate::tui::screens) mod tests;
mod update;
mod view;

pub use candidates::{Candidate, candidates, letter, order};
pub use hunk_place::{PatchPlace, current_place, show_hunk};
pub use layout::{Layout, Slot};
pub use reading::go_to_row;
pub use state::{Body, Place, State};
pub use update::{enter, focused_candidate, mouse, searched, settle, update};
pub use view::draw;
