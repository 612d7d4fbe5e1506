//! One trajectory's steps: a list on the left, the transcript on the right.
//!
//! The trajectory is the one focused on the compare screen. What is *not* here: how steps were
//! read from a file (`crate::formats`).

pub mod gist;
mod state;
#[cfg(test)]
mod tests;
mod transcript;
mod update;
mod view;

pub use state::State;
pub use transcript::{Answered, StepHead, Transcript};
pub use update::{mouse, searched, settle, update};
pub use view::draw;
