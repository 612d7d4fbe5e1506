//! gagar: review, re-rank and audit groups of code-agent rollouts.
//!
//! The map of the code; each layer may use the ones above it (`tests/architecture.rs` checks it):
//!
//! - [`domain`]: the field's nouns and arithmetic; pure.
//! - [`diff`]: a patch's text as files, hunks and lines; pure.
//! - [`scope`]: rules that tell of edits outside the task; pure.
//! - [`base`]: the files that patches apply to, from records and repositories.
//! - [`formats`]: files to rollout groups; [`export`]: groups to files.
//! - [`store`]: the append-only log of judgements.
//! - [`raters`]: who ranked what, how much raters agree, what counts as settled.
//! - `review`: the use cases that the terminal and the command line share.
//! - [`audit`]: figures about grader, annotators and schemes over a whole review.
//! - `cli`, `tui`: the two faces.

#![warn(missing_docs)]
#![warn(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::todo,
    clippy::dbg_macro,
    clippy::allow_attributes_without_reason
)]

pub mod audit;
pub mod base;
#[cfg(feature = "cli")]
pub mod cli;
pub mod diff;
pub mod domain;
pub mod export;
pub mod formats;
pub mod raters;
pub mod review;
pub mod scope;
pub mod store;
#[cfg(feature = "tui")]
pub mod tui;
