//! The diff model: a patch's text as files, hunks and lines, with everything that was odd about it.
//!
//! Pure: no terminal, no file. What is *not* here: colours and cells (`crate::tui`).
//! Helper E completes this; the names below are the contract.

use crate::domain::PatchSummary;

/// Returns what the index keeps of a patch: presence, hash, counts. `None` = no patch recorded.
#[must_use]
pub fn summarize(patch: Option<&str>) -> PatchSummary {
    let _ = patch;
    PatchSummary::default()
}
