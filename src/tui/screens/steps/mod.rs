//! One trajectory's steps, or two side by side: a list on the left, the transcript on the right.
//!
//! The trajectory is the one focused on the compare screen. What is *not* here: how steps were
//! read from a file (`crate::formats`), and which step made which hunk (`crate::review::edits`).

mod figures;
mod find;
pub mod gist;
mod heads;
mod kinds;
mod layout;
mod links;
mod list;
mod mouse;
mod panels;
mod search;
mod state;
#[cfg(test)]
mod tests;
mod transcript;
mod update;
mod view;

pub use find::{found, request, searched};
pub use heads::{Answered, StepHead};
pub use kinds::Kinds;
pub use links::open_step_of;
pub use mouse::mouse;
pub use search::{Hits, SearchRequest};
pub use state::{Panel, State};
pub use transcript::{Lines, Row, Transcript};
pub use update::{beside, candidates, may_have_hunk, settle, update};
pub use view::draw;
